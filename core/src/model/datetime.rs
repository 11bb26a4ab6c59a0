//! Instants in steps of 100 ns (S2.3).

use crate::limits::{self, Limits, TICKS_1601, TICKS_1970, TICKS_LAST, TICKS_PER_SECOND};
use crate::{Error, Result};
use std::{
    fmt,
    str::FromStr,
    time::{Duration, SystemTime},
};

const TICKS_PER_DAY: i64 = 86_400 * TICKS_PER_SECOND;

/// An instant in UTC: 100 ns ticks since 0001-01-01T00:00:00Z, to 9999-12-31T23:59:59.9999999Z.
///
/// The service stores 1601 and later; earlier years are for [`Mode::Extended`](crate::Mode::Extended) only.
///
/// # Example
/// ```
/// let at: entable::DateTime = "2013-08-02T19:37:43.9004348+02:00".parse()?;
/// assert_eq!(at.to_string(), "2013-08-02T17:37:43.9004348Z");
/// # Ok::<(), entable::Error>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct DateTime(i64);

impl DateTime {
    /// What a clock has said, as a Timestamp: of an earlier one no client could send back the ETag (S2.3.1).
    pub(crate) fn of_clock(said: DateTime) -> DateTime {
        said.max(DateTime(TICKS_1601))
    }

    /// The instant of this tick.
    ///
    /// # Errors
    /// [`ErrorCode::InvalidInput`](crate::ErrorCode::InvalidInput) outside the years 1 to 9999.
    pub fn from_ticks(ticks: i64) -> Result<DateTime> {
        match ticks {
            0..=TICKS_LAST => Ok(DateTime(ticks)),
            _ => Err(Error::invalid("A DateTime lies in the years 1 to 9999.")),
        }
    }

    /// Ticks of 100 ns since 0001-01-01T00:00:00Z.
    pub const fn ticks(self) -> i64 {
        self.0
    }

    /// The instant as a calendar and a clock show it, in UTC.
    ///
    /// # Example
    /// ```
    /// let at: entable::DateTime = "2013-08-02T19:37:43.9Z".parse()?;
    /// let civil = at.civil();
    /// assert_eq!((civil.year, civil.month, civil.day, civil.fraction), (2013, 8, 2, 9_000_000));
    /// # Ok::<(), entable::Error>(())
    /// ```
    pub fn civil(self) -> CivilTime {
        let (year, month, day) = civil_from_days(self.0 / TICKS_PER_DAY);
        let in_day = self.0 % TICKS_PER_DAY;
        let seconds = in_day / TICKS_PER_SECOND;
        // All of them are within their units, the year within 1 to 9999.
        CivilTime {
            year: year as u16,
            month: month as u8,
            day: day as u8,
            hour: (seconds / 3_600) as u8,
            minute: (seconds / 60 % 60) as u8,
            second: (seconds % 60) as u8,
            fraction: (in_day % TICKS_PER_SECOND) as u32,
        }
    }

    /// Now, by the system's clock.
    pub fn now() -> DateTime {
        SystemTime::now().into()
    }

    /// Reads the text of S2.3 by the rules of a mode: `YYYY-MM-DDThh:mm:ss[.f{1,7}][Z|±hh:mm]`.
    /// Without a zone it means UTC.
    ///
    /// # Errors
    /// [`ErrorCode::InvalidInput`](crate::ErrorCode::InvalidInput) for another form, an impossible date, or
    /// an instant outside the mode's years.
    pub fn parse(text: &str, limits: &Limits) -> Result<DateTime> {
        let ticks = parse_ticks(text, limits.lenient_datetime)
            .ok_or_else(|| Error::invalid(format!("'{}' is not a date and time.", text.escape_debug())))?;
        if (limits.first_tick..=TICKS_LAST).contains(&ticks) {
            return Ok(DateTime(ticks));
        }
        let first = if limits.first_tick == 0 { 1 } else { 1601 };
        Err(Error::invalid(format!("{text} lies outside the years {first} to 9999.")))
    }
}

/// What a calendar and a clock show: see [`DateTime::civil`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CivilTime {
    /// From 1 to 9999.
    pub year: u16,
    /// From 1 to 12.
    pub month: u8,
    /// From 1 to 31.
    pub day: u8,
    /// From 0 to 23.
    pub hour: u8,
    /// From 0 to 59.
    pub minute: u8,
    /// From 0 to 59.
    pub second: u8,
    /// Ticks of 100 ns into the second.
    pub fraction: u32,
}

impl FromStr for DateTime {
    type Err = Error;

    /// The text of S2.3, by the rules of [`Mode::Portable`](crate::Mode::Portable).
    fn from_str(text: &str) -> Result<DateTime> {
        DateTime::parse(text, &limits::SERVICE)
    }
}

impl fmt::Debug for DateTime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "DateTime({self})")
    }
}

impl fmt::Display for DateTime {
    /// Always with `Z`; the fraction without trailing zeros, none if zero (S2.3.5).
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let CivilTime { year, month, day, hour, minute, second, fraction } = self.civil();
        // Digit by digit and in one piece: it goes out with every entity, twice, and the formatting of seven numbers would
        // take a fifth of the time in which an entity is read.
        let mut text = *b"0000-00-00T00:00:00.0000000Z";
        write_digits(&mut text[0..4], year.into());
        write_digits(&mut text[5..7], month.into());
        write_digits(&mut text[8..10], day.into());
        write_digits(&mut text[11..13], hour.into());
        write_digits(&mut text[14..16], minute.into());
        write_digits(&mut text[17..19], second.into());
        write_digits(&mut text[20..27], fraction);
        let whole = std::str::from_utf8(&text).map_err(|_| fmt::Error)?;
        let written = match fraction {
            0 => &whole[..19],
            _ => whole[..27].trim_end_matches('0'),
        };
        let end = written.len();
        text[end] = b'Z';
        f.write_str(std::str::from_utf8(&text[..=end]).map_err(|_| fmt::Error)?)
    }
}

/// Writes a number that has no more digits than there is place, with zeros before it.
fn write_digits(place: &mut [u8], mut number: u32) {
    for digit in place.iter_mut().rev() {
        *digit = b'0' + (number % 10) as u8;
        number /= 10;
    }
}

impl From<SystemTime> for DateTime {
    /// Cut to 100 ns, and to the years that a DateTime has.
    fn from(time: SystemTime) -> DateTime {
        let ticks = match time.duration_since(SystemTime::UNIX_EPOCH) {
            Ok(since) => i128::from(TICKS_1970) + (since.as_nanos() / 100) as i128,
            Err(before) => i128::from(TICKS_1970) - before.duration().as_nanos().div_ceil(100) as i128,
        };
        DateTime(ticks.clamp(0, TICKS_LAST.into()) as i64)
    }
}

impl From<DateTime> for SystemTime {
    fn from(time: DateTime) -> SystemTime {
        let since = time.0 - TICKS_1970;
        let size = Duration::new(
            since.unsigned_abs() / TICKS_PER_SECOND as u64,
            (since.unsigned_abs() % TICKS_PER_SECOND as u64 * 100) as u32,
        );
        if since < 0 { SystemTime::UNIX_EPOCH - size } else { SystemTime::UNIX_EPOCH + size }
    }
}

/// A reader of fixed-width fields: each method is `None` where the text is not of the form.
struct Fields<'a>(&'a [u8]);

impl Fields<'_> {
    fn digits(&mut self, count: usize) -> Option<i64> {
        let (digits, rest) = self.0.split_at_checked(count)?;
        let number = digits
            .iter()
            .try_fold(0, |number, digit| digit.is_ascii_digit().then(|| number * 10 + i64::from(digit - b'0')))?;
        self.0 = rest;
        Some(number)
    }

    fn take(&mut self, byte: u8) -> Option<()> {
        (self.0.first() == Some(&byte)).then(|| self.0 = &self.0[1..])
    }
}

fn parse_ticks(text: &str, lenient: bool) -> Option<i64> {
    let mut fields = Fields(text.as_bytes());
    let year = fields.digits(4)?;
    fields.take(b'-')?;
    let month = fields.digits(2)?;
    fields.take(b'-')?;
    let day = fields.digits(2)?;
    if year == 0 || !(1..=12).contains(&month) || !(1..=days_in_month(year, month)).contains(&day) {
        return None;
    }
    let midnight = days_from_civil(year, month, day) * TICKS_PER_DAY;
    if fields.0.is_empty() {
        return lenient.then_some(midnight);
    }
    fields.take(b'T')?;
    let hour = fields.digits(2)?;
    fields.take(b':')?;
    let minute = fields.digits(2)?;
    let (mut second, mut fraction) = (0, 0);
    match fields.take(b':') {
        Some(()) => second = fields.digits(2)?,
        None if lenient => {}
        None => return None,
    }
    if fields.take(b'.').is_some() {
        fraction = parse_fraction(&mut fields, lenient)?;
    }
    if hour > 23 || minute > 59 || second > 59 {
        return None;
    }
    let offset_minutes = parse_zone(&mut fields)?;
    let seconds = hour * 3_600 + (minute - offset_minutes) * 60 + second;
    Some(midnight + seconds * TICKS_PER_SECOND + fraction)
}

fn parse_fraction(fields: &mut Fields<'_>, lenient: bool) -> Option<i64> {
    let count = fields.0.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let kept = count.min(7);
    if count == 0 || (count > kept && !lenient) {
        return None;
    }
    let fraction = fields.digits(kept)? * 10_i64.pow(7 - kept as u32);
    fields.0 = &fields.0[count - kept..];
    Some(fraction)
}

/// Minutes east of UTC.
fn parse_zone(fields: &mut Fields<'_>) -> Option<i64> {
    let sign = match fields.0.first() {
        None => return Some(0),
        Some(b'Z') if fields.0.len() == 1 => return Some(0),
        Some(b'+') => 1,
        Some(b'-') => -1,
        Some(_) => return None,
    };
    fields.0 = &fields.0[1..];
    let hours = fields.digits(2)?;
    fields.take(b':')?;
    let minutes = fields.digits(2)?;
    let whole = hours <= 14 && minutes <= 59 && fields.0.is_empty();
    whole.then_some(sign * (hours * 60 + minutes))
}

fn is_leap(year: i64) -> bool {
    year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
}

fn days_in_month(year: i64, month: i64) -> i64 {
    match month {
        2 => 28 + i64::from(is_leap(year)),
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

/// Days from 0001-01-01. Counts years from March, so that the leap day is a year's last.
fn days_from_civil(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let month_from_march = (month + 9) % 12;
    let day_of_year = (153 * month_from_march + 2) / 5 + day - 1;
    year * 365 + year / 4 - year / 100 + year / 400 + day_of_year - 306
}

fn civil_from_days(days: i64) -> (i64, i64, i64) {
    // A first guess of the year that is never too low by more than one.
    let mut year = days * 400 / 146_097 + 1;
    while days_from_civil(year, 1, 1) > days {
        year -= 1;
    }
    while days_from_civil(year + 1, 1, 1) <= days {
        year += 1;
    }
    let mut day = days - days_from_civil(year, 1, 1) + 1;
    let mut month = 1;
    while day > days_in_month(year, month) {
        day -= days_in_month(year, month);
        month += 1;
    }
    (year, month, day)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_ticks() {
        for (text, ticks) in [
            ("1601-01-01T00:00:00Z", TICKS_1601),
            ("1970-01-01T00:00:00Z", limits::TICKS_1970),
            ("9999-12-31T23:59:59.9999999Z", TICKS_LAST),
            ("2000-02-29T12:00:00Z", 630_874_224_000_000_000),
        ] {
            let time: DateTime = text.parse().unwrap();
            assert_eq!((time.ticks(), time.to_string().as_str()), (ticks, text));
        }
    }

    #[test]
    fn every_day_of_the_calendar_comes_back() {
        let mut expected = 0;
        for year in 1..=9_999 {
            for month in 1..=12 {
                for day in [1, days_in_month(year, month)] {
                    let days = days_from_civil(year, month, day);
                    assert_eq!(civil_from_days(days), (year, month, day));
                }
                assert_eq!(days_from_civil(year, month, 1), expected);
                expected += days_in_month(year, month);
            }
        }
    }

    #[test]
    fn a_debugger_sees_the_instant() {
        let time = DateTime::parse("2026-12-01T12:00:00.5Z", &limits::SERVICE).unwrap();
        assert_eq!(format!("{time:?}"), "DateTime(2026-12-01T12:00:00.5Z)");
        let etag = crate::model::ETag::from_timestamp(time);
        assert_eq!(format!("{etag:?}"), format!("ETag({etag})"));
    }

    #[test]
    fn forms() {
        for text in ["", "2020-01-01", "2020-01-01T00:00", "2020-01-01T00:00:00.12345678Z"] {
            assert!(DateTime::parse(text, &limits::SERVICE).is_err(), "{text}");
            assert_eq!(DateTime::parse(text, &limits::EXTENDED).is_ok(), !text.is_empty(), "{text}");
        }
        for text in [
            "2021-02-29T00:00:00Z",
            "2020-01-01T24:00:00Z",
            "2020-01-01T00:00:00.Z",
            "2020-01-01T00:00:00+0100",
            "0000-01-01T00:00:00Z",
            "2020-13-01T00:00:00Z",
            "2020-01-01T00:00:00Zx",
            "2020-1-1T00:00:00Z",
            "+020-01-01T00:00:00Z",
        ] {
            assert!(DateTime::parse(text, &limits::EXTENDED).is_err(), "{text}");
        }
    }

    #[test]
    fn system_time_comes_back() {
        for ticks in [0, TICKS_1601, TICKS_1970 - 1, TICKS_1970, TICKS_1970 + 1, TICKS_LAST] {
            let time = DateTime(ticks);
            assert_eq!(DateTime::from(SystemTime::from(time)), time);
        }
    }
}
