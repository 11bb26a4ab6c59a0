//! Typed values, and the text of GUIDs and instants.

#![allow(unsafe_code, reason = "C calls these functions by their names")]

use crate::boundary::{answer, boundary, date_time, optional_output, output, output_array};
use crate::error::{Result, entable_error};
use crate::store::{RawMode, entable_mode};
use crate::text::{entable_bytes, entable_str};
use entable::{DateTime, EdmType, Guid};
use std::ffi::c_char;
use std::mem::MaybeUninit;
use std::time::{Duration, SystemTime};

/// A type of the data model.
#[repr(u32)]
#[derive(Clone, Copy)]
pub enum entable_type {
    /// No value: the entity has no such property.
    ENTABLE_TYPE_NONE = 0,
    /// 32-bit signed integer.
    ENTABLE_TYPE_INT32 = 1,
    /// 64-bit signed integer.
    ENTABLE_TYPE_INT64 = 2,
    /// IEEE 754 binary64.
    ENTABLE_TYPE_DOUBLE = 3,
    /// An instant in UTC, in ticks of 100 ns since 0001-01-01T00:00:00Z.
    ENTABLE_TYPE_DATETIME = 4,
    /// 128 bits.
    ENTABLE_TYPE_GUID = 5,
    /// True or false.
    ENTABLE_TYPE_BOOLEAN = 6,
    /// Text: at most 32,768 UTF-16 code units.
    ENTABLE_TYPE_STRING = 7,
    /// Bytes: at most 65,536.
    ENTABLE_TYPE_BINARY = 8,
}

/// What C hands in where an `entable_type` belongs: any number.
pub(crate) type RawType = u32;

impl entable_type {
    /// The type of a value.
    pub(crate) fn of(edm_type: EdmType) -> RawType {
        // The numbers of the file are those of the ABI.
        u32::from(edm_type as u8)
    }

    pub(crate) fn edm_type(raw: RawType) -> Option<EdmType> {
        EdmType::from_number(u8::try_from(raw).ok()?)
    }
}

/// A GUID: its bytes in the order in which the text shows them.
#[repr(C)]
#[derive(Clone, Copy, Default)]
pub struct entable_guid {
    /// First digit first.
    pub bytes: [u8; 16],
}

/// A typed value, borrowed: text and bytes are not copied.
///
/// As an argument it is read during the call only. As a result it is good until the object that it was asked of is
/// freed or changed. Made by `entable_value_int32(...)` and its seven sisters, or member by member.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct entable_value {
    /// Which member of `as` is there.
    pub r#type: RawType,
    /// The value.
    pub r#as: entable_value_as,
}

/// The value of an `entable_value`: the member that its type says.
#[repr(C)]
#[derive(Clone, Copy)]
pub union entable_value_as {
    /// ENTABLE_TYPE_INT32
    pub int32: i32,
    /// ENTABLE_TYPE_INT64
    pub int64: i64,
    /// ENTABLE_TYPE_DOUBLE
    pub number: f64,
    /// ENTABLE_TYPE_DATETIME: ticks of 100 ns since 0001-01-01T00:00:00Z
    pub ticks: i64,
    /// ENTABLE_TYPE_GUID
    pub guid: entable_guid,
    /// ENTABLE_TYPE_BOOLEAN
    pub boolean: bool,
    /// ENTABLE_TYPE_STRING
    pub string: entable_str,
    /// ENTABLE_TYPE_BINARY
    pub binary: entable_bytes,
}

impl entable_value {
    fn new(edm_type: EdmType, member: entable_value_as) -> entable_value {
        entable_value { r#type: entable_type::of(edm_type), r#as: member }
    }
}

impl Default for entable_value {
    /// No value.
    fn default() -> Self {
        entable_value {
            r#type: entable_type::ENTABLE_TYPE_NONE as RawType,
            r#as: entable_value_as { guid: entable_guid::default() },
        }
    }
}

/// A value of type Int32. Any thread.
#[unsafe(no_mangle)]
pub extern "C" fn entable_value_int32(value: i32) -> entable_value {
    entable_value::new(EdmType::Int32, entable_value_as { int32: value })
}

/// A value of type Int64. Any thread.
#[unsafe(no_mangle)]
pub extern "C" fn entable_value_int64(value: i64) -> entable_value {
    entable_value::new(EdmType::Int64, entable_value_as { int64: value })
}

/// A value of type Double. Any thread.
#[unsafe(no_mangle)]
pub extern "C" fn entable_value_double(value: f64) -> entable_value {
    entable_value::new(EdmType::Double, entable_value_as { number: value })
}

/// A value of type DateTime: ticks of 100 ns since 0001-01-01T00:00:00Z. Any thread.
#[unsafe(no_mangle)]
pub extern "C" fn entable_value_datetime(ticks: i64) -> entable_value {
    entable_value::new(EdmType::DateTime, entable_value_as { ticks })
}

/// A value of type Guid. Any thread.
#[unsafe(no_mangle)]
pub extern "C" fn entable_value_guid(value: entable_guid) -> entable_value {
    entable_value::new(EdmType::Guid, entable_value_as { guid: value })
}

/// A value of type Boolean. Any thread.
#[unsafe(no_mangle)]
pub extern "C" fn entable_value_boolean(value: bool) -> entable_value {
    entable_value::new(EdmType::Boolean, entable_value_as { boolean: value })
}

/// A value of type String. It borrows the text: good as long as `text` is. Any thread.
#[unsafe(no_mangle)]
pub extern "C" fn entable_value_string(text: entable_str) -> entable_value {
    entable_value::new(EdmType::String, entable_value_as { string: text })
}

/// A value of type Binary. It borrows the bytes: good as long as they are. Any thread.
#[unsafe(no_mangle)]
pub extern "C" fn entable_value_binary(data: *const u8, length: usize) -> entable_value {
    entable_value::new(EdmType::Binary, entable_value_as { binary: entable_bytes { data, length } })
}

/// Bytes of a GUID's text, the NUL included.
pub const ENTABLE_GUID_TEXT_SIZE: usize = 37;

/// Bytes of an instant's longest text, the NUL included.
pub const ENTABLE_DATETIME_TEXT_SIZE: usize = 29;

/// Reads a GUID from 32 hexadecimal digits in groups of 8-4-4-4-12, in any case. Any thread.
///
/// Errors: ENTABLE_INVALID_INPUT for any other text. The error is yours to free.
#[unsafe(no_mangle)]
pub extern "C" fn entable_guid_parse(
    text: entable_str,
    guid: Option<&mut MaybeUninit<entable_guid>>,
) -> Option<Box<entable_error>> {
    boundary(|| {
        let guid = output(guid, "guid")?;
        let parsed: Guid = text.text("text")?.parse()?;
        guid.bytes = *parsed.as_bytes();
        Ok(())
    })
}

/// Writes the text of a GUID, in lower case and with a NUL at its end, to `buffer` of `size` bytes, of which it needs
/// ENTABLE_GUID_TEXT_SIZE. Any thread.
///
/// Errors: ENTABLE_INVALID_INPUT if the buffer is too small. The error is yours to free.
#[unsafe(no_mangle)]
pub extern "C" fn entable_guid_format(
    guid: entable_guid,
    buffer: *mut MaybeUninit<c_char>,
    size: usize,
) -> Option<Box<entable_error>> {
    boundary(|| write_text(&Guid::from_bytes(guid.bytes).to_string(), buffer, size))
}

/// Reads an instant from the text of a DateTime, such as `2013-08-22T01:12:06.2608595Z`, by the rules of a mode; without
/// a zone it means UTC. `ticks` are of 100 ns since 0001-01-01T00:00:00Z. Any thread.
///
/// Errors: ENTABLE_INVALID_INPUT for another form, an impossible date, or an instant outside the mode's years. The error
/// is yours to free.
#[unsafe(no_mangle)]
pub extern "C" fn entable_datetime_parse(
    text: entable_str,
    mode: RawMode,
    ticks: Option<&mut MaybeUninit<i64>>,
) -> Option<Box<entable_error>> {
    boundary(|| {
        let ticks = output(ticks, "ticks")?;
        let mode = entable_mode::mode(mode)?;
        *ticks = DateTime::parse(text.text("text")?, mode.limits())?.ticks();
        Ok(())
    })
}

/// Writes the text of an instant, with a NUL at its end, to `buffer` of `size` bytes, of which it needs up to
/// ENTABLE_DATETIME_TEXT_SIZE. Any thread.
///
/// Errors: ENTABLE_INVALID_INPUT if the ticks lie outside the years 1 to 9999, or the buffer is too small. The error
/// is yours to free.
#[unsafe(no_mangle)]
pub extern "C" fn entable_datetime_format(
    ticks: i64,
    buffer: *mut MaybeUninit<c_char>,
    size: usize,
) -> Option<Box<entable_error>> {
    boundary(|| write_text(&date_time(ticks, "ticks")?.to_string(), buffer, size))
}

/// The tick of now, by the system's clock. Any thread.
#[unsafe(no_mangle)]
pub extern "C" fn entable_datetime_now() -> i64 {
    answer(0, || Some(DateTime::now().ticks()))
}

/// The tick of `seconds` since 1970-01-01T00:00:00Z, which may be negative, and `nanoseconds` more, cut to 100 ns.
/// What lies outside the years 1 to 9999 becomes their first or last tick. Any thread.
#[unsafe(no_mangle)]
pub extern "C" fn entable_datetime_from_unix(seconds: i64, nanoseconds: u32) -> i64 {
    /// More than the years that a DateTime has, on either side of 1970.
    const ENOUGH_SECONDS: i64 = 1 << 40;
    answer(0, || {
        let seconds = seconds.clamp(-ENOUGH_SECONDS, ENOUGH_SECONDS);
        let size = Duration::from_secs(seconds.unsigned_abs());
        let time = match seconds {
            0.. => SystemTime::UNIX_EPOCH.checked_add(size),
            _ => SystemTime::UNIX_EPOCH.checked_sub(size),
        };
        Some(DateTime::from(time?.checked_add(Duration::from_nanos(nanoseconds.into()))?).ticks())
    })
}

/// The `seconds` since 1970-01-01T00:00:00Z of a tick, negative before, and the `nanoseconds` that come to them, 0 to
/// 999,999,900. Either place may be NULL. Any thread.
///
/// Errors: ENTABLE_INVALID_INPUT if the ticks lie outside the years 1 to 9999. The error is yours to free.
#[unsafe(no_mangle)]
pub extern "C" fn entable_datetime_to_unix(
    ticks: i64,
    seconds: Option<&mut MaybeUninit<i64>>,
    nanoseconds: Option<&mut MaybeUninit<u32>>,
) -> Option<Box<entable_error>> {
    boundary(|| {
        let (seconds, nanoseconds) = (optional_output(seconds), optional_output(nanoseconds));
        let since = unix_nanoseconds(date_time(ticks, "ticks")?.into());
        if let (Some(place), Ok(whole)) = (seconds, i64::try_from(since.div_euclid(1_000_000_000))) {
            *place = whole;
        }
        if let (Some(place), Ok(rest)) = (nanoseconds, u32::try_from(since.rem_euclid(1_000_000_000))) {
            *place = rest;
        }
        Ok(())
    })
}

fn unix_nanoseconds(time: SystemTime) -> i128 {
    // Years 1 to 9999 have less than 2^69 nanoseconds.
    let signed = |size: Duration| i128::try_from(size.as_nanos()).unwrap_or(i128::MAX);
    match time.duration_since(SystemTime::UNIX_EPOCH) {
        Ok(after) => signed(after),
        Err(before) => -signed(before.duration()),
    }
}

/// Writes a text and a NUL to a buffer of the caller's.
fn write_text(text: &str, buffer: *mut MaybeUninit<c_char>, size: usize) -> Result<()> {
    let places = output_array(buffer, size, "buffer")?;
    if places.len() <= text.len() {
        return Err(entable_error::misuse("size", &format!("The text needs {} bytes.", text.len() + 1)));
    }
    for (place, byte) in places.iter_mut().zip(text.bytes()) {
        *place = byte as c_char;
    }
    Ok(())
}
