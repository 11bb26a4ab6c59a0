//! Numbers and dates as texts of one width, in their own order (S9.14, S9.33).

use super::legal;
use crate::limits::TICKS_LAST;
use crate::{DateTime, Error, Result};

/// The number with zeros before it: the literature's `000223` (S9.33).
///
/// # Errors
/// [`ErrorCode::InvalidInput`](crate::ErrorCode::InvalidInput): it has more digits than `width`.
///
/// # Example
/// ```
/// assert_eq!(entable::keys::padded(223, 6)?, "000223");
/// # Ok::<(), entable::Error>(())
/// ```
pub fn padded(number: u64, width: usize) -> Result<String> {
    let key = format!("{number:0width$}");
    if key.len() > width {
        return Err(Error::invalid(format!("{number} has more than {width} digits.")).limit(width, key.len()));
    }
    legal(key)
}

/// Any integer, in order: 19 digits; below zero `-` and the 19 digits of its distance from the smallest.
///
/// # Errors
/// None; the form is that of all keys.
///
/// # Example
/// ```
/// use entable::keys::integer;
/// assert_eq!(integer(42)?, "0000000000000000042");
/// assert!(integer(-10)? < integer(-9)? && integer(-9)? < integer(0)?);
/// # Ok::<(), entable::Error>(())
/// ```
pub fn integer(number: i64) -> Result<String> {
    Ok(if number < 0 { format!("-{:019}", number.wrapping_sub(i64::MIN)) } else { format!("{number:019}") })
}

fn not_made(key: &str, by: &str) -> Error {
    Error::invalid(format!("'{}' was not made by {by}.", key.escape_debug()))
}

fn digits(text: &str) -> Option<i64> {
    let is_plain = text.len() == 19 && text.bytes().all(|byte| byte.is_ascii_digit());
    is_plain.then(|| text.parse().ok()).flatten()
}

/// The integer that [`integer`] made the key of.
///
/// # Errors
/// [`ErrorCode::InvalidInput`](crate::ErrorCode::InvalidInput): `integer` makes no such key.
pub fn integer_from(key: &str) -> Result<i64> {
    let number = match key.strip_prefix('-') {
        Some(rest) => digits(rest).map(|distance| distance.wrapping_add(i64::MIN)),
        None => digits(key),
    };
    number.ok_or_else(|| not_made(key, "integer"))
}

/// A binary64 number, in order: 16 hex digits. −0.0 is 0.0.
///
/// # Errors
/// [`ErrorCode::InvalidInput`](crate::ErrorCode::InvalidInput): NaN has no place in the order.
///
/// # Example
/// ```
/// use entable::keys::double;
/// assert!(double(-1.5)? < double(0.0)? && double(9.0)? < double(10.0)?);
/// # Ok::<(), entable::Error>(())
/// ```
pub fn double(number: f64) -> Result<String> {
    if number.is_nan() {
        return Err(Error::invalid("NaN has no place in the order of numbers."));
    }
    // Adding zero turns −0.0 into 0.0.
    let bits = (number + 0.0).to_bits();
    // Negative numbers are ordered the other way round, and lie below.
    let ordered = if bits >> 63 == 1 { !bits } else { bits | 1 << 63 };
    Ok(format!("{ordered:016x}"))
}

/// The number that [`double`] made the key of.
///
/// # Errors
/// [`ErrorCode::InvalidInput`](crate::ErrorCode::InvalidInput): `double` makes no such key.
pub fn double_from(key: &str) -> Result<f64> {
    let is_plain = key.len() == 16 && key.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
    let ordered = is_plain.then(|| u64::from_str_radix(key, 16).ok()).flatten();
    let number = ordered.map(|ordered| f64::from_bits(if ordered >> 63 == 1 { ordered ^ 1 << 63 } else { !ordered }));
    number.filter(|number| double(*number).is_ok_and(|again| again == key)).ok_or_else(|| not_made(key, "double"))
}

/// An instant, in order: the 19 digits of its ticks of 100 ns since the year 1.
///
/// # Errors
/// None; the form is that of all keys.
///
/// # Example
/// ```
/// let at = "2026-12-01T12:00:00Z".parse()?;
/// assert_eq!(entable::keys::ticks(at)?, "0639317232000000000");
/// # Ok::<(), entable::Error>(())
/// ```
pub fn ticks(time: DateTime) -> Result<String> {
    Ok(format!("{:019}", time.ticks()))
}

/// The instant that [`ticks`] made the key of.
///
/// # Errors
/// [`ErrorCode::InvalidInput`](crate::ErrorCode::InvalidInput): `ticks` makes no such key.
pub fn ticks_from(key: &str) -> Result<DateTime> {
    let ticks = digits(key).ok_or_else(|| not_made(key, "ticks"))?;
    DateTime::from_ticks(ticks)
}

/// An instant, the latest first: 19 digits of 3155378975999999999 − ticks, as the log tail pattern has it (S9.14).
///
/// # Errors
/// None; the form is that of all keys.
///
/// # Example
/// ```
/// use entable::keys::descending_ticks;
/// assert_eq!(descending_ticks("9999-12-31T23:59:59.9999999Z".parse()?)?, "0000000000000000000");
/// # Ok::<(), entable::Error>(())
/// ```
pub fn descending_ticks(time: DateTime) -> Result<String> {
    Ok(format!("{:019}", TICKS_LAST - time.ticks()))
}

/// The instant that [`descending_ticks`] made the key of.
///
/// # Errors
/// [`ErrorCode::InvalidInput`](crate::ErrorCode::InvalidInput): `descending_ticks` makes no such key.
pub fn descending_ticks_from(key: &str) -> Result<DateTime> {
    let left = digits(key).filter(|left| *left <= TICKS_LAST).ok_or_else(|| not_made(key, "descending_ticks"))?;
    DateTime::from_ticks(TICKS_LAST - left)
}

/// The second that an instant lies in, as `yyyyMMddHHmmss` in UTC (S9.33).
///
/// # Errors
/// None; the form is that of all keys.
///
/// # Example
/// ```
/// assert_eq!(entable::keys::compact_date("2026-12-01T12:34:56.7Z".parse()?)?, "20261201123456");
/// # Ok::<(), entable::Error>(())
/// ```
pub fn compact_date(time: DateTime) -> Result<String> {
    Ok(time.to_string().chars().filter(char::is_ascii_digit).take(14).collect())
}
