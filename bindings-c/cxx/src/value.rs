//! Texts, instants, enums and GUIDs as they come from C++.

use crate::failure::{Failure, Raised, Result, boundary};
use crate::query::Query;
use entable::{Condition, DateTime, Guid, Mode, UpdateMode};
use std::time::SystemTime;

/// The text of these bytes; the failure names the argument.
pub(crate) fn text<'a>(bytes: &'a [u8], name: &str) -> Result<&'a str> {
    std::str::from_utf8(bytes).map_err(|error| {
        Failure::misuse(name, &format!("Text must be UTF-8, and is not after {} bytes.", error.valid_up_to()))
    })
}

fn unix_epoch() -> i64 {
    DateTime::from(SystemTime::UNIX_EPOCH).ticks()
}

/// Ticks since 1970, as `std::chrono` counts.
pub(crate) fn unix_ticks(time: DateTime) -> i64 {
    time.ticks() - unix_epoch()
}

/// The instant of these ticks since 1970; the failure names the argument.
pub(crate) fn date_time(unix_ticks: i64, name: &str) -> Result<DateTime> {
    let ticks = unix_ticks.saturating_add(unix_epoch());
    DateTime::from_ticks(ticks).map_err(|error| Box::<Failure>::from(error).at_property(name))
}

/// The enum's number is its place here, as in `entable.hpp`.
pub(crate) fn choose<T: Copy>(number: u8, all: &[T], name: &str) -> Result<T> {
    all.get(usize::from(number)).copied().ok_or_else(|| Failure::misuse(name, "It is no value of its enum."))
}

const MODES: [Mode; 3] = [Mode::Portable, Mode::Strict, Mode::Extended];

pub(crate) fn mode(number: u8) -> Result<Mode> {
    choose(number, &MODES, "mode")
}

pub(crate) fn mode_number(mode: Mode) -> u8 {
    match mode {
        Mode::Portable => 0,
        Mode::Strict => 1,
        Mode::Extended => 2,
    }
}

pub(crate) fn update_mode(number: u8) -> Result<UpdateMode> {
    choose(number, &[UpdateMode::Merge, UpdateMode::Replace], "mode")
}

/// The condition of a write: its kind, the ETag that one of them has, and the question whose filter another one has.
pub(crate) fn condition(kind: u8, etag: &[u8], query: &Query) -> Result<Condition> {
    match kind {
        0 => Ok(Condition::None),
        1 => Ok(Condition::Any),
        2 => Ok(Condition::from_text(text(etag, "etag")?)?),
        3 => Ok(Condition::Absent),
        4 => Ok(query.0.to_filter()?.into()),
        _ => Err(Failure::misuse("condition", "It is none of the five.")),
    }
}

pub(crate) fn parse_guid(bytes: &[u8]) -> std::result::Result<[u8; 16], Raised> {
    boundary(|| {
        let guid: Guid = text(bytes, "text")?.parse()?;
        Ok(*guid.as_bytes())
    })
}

pub(crate) fn format_guid(guid: &[u8; 16]) -> String {
    Guid::from_bytes(*guid).to_string()
}

pub(crate) fn parse_date_time(bytes: &[u8], number: u8) -> std::result::Result<i64, Raised> {
    boundary(|| Ok(unix_ticks(DateTime::parse(text(bytes, "text")?, mode(number)?.limits())?)))
}

pub(crate) fn format_date_time(ticks: i64) -> std::result::Result<String, Raised> {
    boundary(|| Ok(date_time(ticks, "time")?.to_string()))
}
