//! Any text, any bytes, and several texts, as one legal key (S9.8, S9.28).
//!
//! Each character has a code word. No word begins another, and words are ordered as their characters are, so that
//! whole texts are ordered as their codes are:
//!
//! | character | word |
//! |---|---|
//! | U+0000 to U+001F | space, two hex digits |
//! | space | `" 2"` |
//! | `"` `#` | `"0` `"1` |
//! | `.` `/` | `.0` `.1` |
//! | `>` `?` | `>0` `>1` |
//! | `[` `\` | `[0` `[1` |
//! | `~` | `~0` |
//! | U+007F to U+009F | `~`, two hex digits |
//! | any other | itself |
//!
//! Between texts stands `" !"`, which is smaller than every word.

use super::legal;
use crate::{Error, Result};
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE;
use std::fmt::Write;

const BETWEEN: &str = " !";

fn push_escaped(key: &mut String, text: &str) {
    for c in text.chars() {
        // Writing to a String cannot fail.
        let _ = match c {
            '\0'..='\x1f' => write!(key, " {:02x}", u32::from(c)),
            ' ' => key.write_str(" 2"),
            '"' | '.' | '>' | '[' | '~' => write!(key, "{c}0"),
            '#' => key.write_str("\"1"),
            '/' => key.write_str(".1"),
            '?' => key.write_str(">1"),
            '\\' => key.write_str("[1"),
            '\x7f'..='\u{9f}' => write!(key, "~{:02x}", u32::from(c)),
            c => key.write_char(c),
        };
    }
}

/// The text of these words, and whether [`BETWEEN`] follows; the rest is what stands behind it.
fn unescape(key: &str) -> Option<(String, Option<&str>)> {
    let mut text = String::new();
    let mut rest = key.chars();
    while let Some(c) = rest.next() {
        let plain = match c {
            ' ' => match rest.next()? {
                '!' => return Some((text, Some(rest.as_str()))),
                '2' => ' ',
                high @ ('0' | '1') => from_hex(high, rest.next()?)?,
                _ => return None,
            },
            '~' => match rest.next()? {
                '0' => '~',
                high @ '7'..='9' => from_hex(high, rest.next()?).filter(|c| *c >= '\x7f')?,
                _ => return None,
            },
            '"' | '.' | '>' | '[' => match (c, rest.next()?) {
                (c, '0') => c,
                ('"', '1') => '#',
                ('.', '1') => '/',
                ('>', '1') => '?',
                ('[', '1') => '\\',
                _ => return None,
            },
            '#' | '/' | '?' | '\\' | '\0'..='\x1f' | '\x7f'..='\u{9f}' => return None,
            c => c,
        };
        text.push(plain);
    }
    Some((text, None))
}

fn from_hex(high: char, low: char) -> Option<char> {
    // Upper case would be a second key for the same text.
    let low = low.to_digit(16).filter(|_| !low.is_ascii_uppercase())?;
    char::from_u32(high.to_digit(16)? * 16 + low)
}

fn not_made(key: &str, by: &str) -> Error {
    Error::invalid(format!("'{}' was not made by {by}.", key.escape_debug()))
}

/// A legal key of any text, in the order of the texts (S9.28); [`safe_from`] gives the text back.
///
/// # Errors
/// [`ErrorCode::KeyValueTooLarge`](crate::ErrorCode::KeyValueTooLarge): over 1,024 UTF-16 code units when escaped.
///
/// # Example
/// ```
/// use entable::keys;
/// assert_eq!(keys::safe("MyDomain\\jbloggs")?, "MyDomain[1jbloggs");
/// assert_eq!(keys::safe_from("MyDomain[1jbloggs")?, "MyDomain\\jbloggs");
/// # Ok::<(), entable::Error>(())
/// ```
pub fn safe(text: &str) -> Result<String> {
    let mut key = String::with_capacity(text.len());
    push_escaped(&mut key, text);
    legal(key)
}

/// The text that [`safe`] made the key of.
///
/// # Errors
/// [`ErrorCode::InvalidInput`](crate::ErrorCode::InvalidInput): `safe` makes no such key.
pub fn safe_from(key: &str) -> Result<String> {
    match unescape(key) {
        Some((text, None)) => Ok(text),
        _ => Err(not_made(key, "safe")),
    }
}

/// One key of several texts (S9.8, S9.13): ordered by the first, then by the second, and so on.
///
/// No other texts give the same key, whatever they hold; a key of fewer parts comes before those that go on. Numbers and
/// dates are parts by [`integer`](super::integer) and its like.
///
/// # Errors
/// [`ErrorCode::InvalidInput`](crate::ErrorCode::InvalidInput): no parts.
/// [`ErrorCode::KeyValueTooLarge`](crate::ErrorCode::KeyValueTooLarge): over 1,024 UTF-16 code units in all.
///
/// # Example
/// ```
/// use entable::keys;
/// assert_eq!(keys::compose(["Redmond", "Smith"])?, "Redmond !Smith");
/// # Ok::<(), entable::Error>(())
/// ```
pub fn compose<S: AsRef<str>>(parts: impl IntoIterator<Item = S>) -> Result<String> {
    legal(joined(parts)?)
}

/// What the keys of [`compose`] begin with that have these parts first, and more: for
/// [`prefix_range`](super::prefix_range).
///
/// # Errors
/// As [`compose`].
///
/// # Example
/// ```
/// use entable::keys;
/// let all_reviews = keys::prefix_filter("RowKey", &keys::compose_prefix(["000123"])?)?;
/// assert_eq!(all_reviews, "RowKey ge '000123 !' and RowKey lt '000123 \"'");
/// # Ok::<(), entable::Error>(())
/// ```
pub fn compose_prefix<S: AsRef<str>>(parts: impl IntoIterator<Item = S>) -> Result<String> {
    legal(joined(parts)? + BETWEEN)
}

fn joined<S: AsRef<str>>(parts: impl IntoIterator<Item = S>) -> Result<String> {
    let mut key = String::new();
    let mut is_first = true;
    for part in parts {
        if !is_first {
            key.push_str(BETWEEN);
        }
        is_first = false;
        push_escaped(&mut key, part.as_ref());
    }
    if is_first {
        return Err(Error::invalid("A composite key has at least one part."));
    }
    Ok(key)
}

/// The parts that [`compose`] made the key of.
///
/// # Errors
/// [`ErrorCode::InvalidInput`](crate::ErrorCode::InvalidInput): `compose` makes no such key.
pub fn split(key: &str) -> Result<Vec<String>> {
    let mut parts = Vec::new();
    let mut rest = Some(key);
    while let Some(key_rest) = rest {
        let (part, next) = unescape(key_rest).ok_or_else(|| not_made(key, "compose"))?;
        parts.push(part);
        rest = next;
    }
    Ok(parts)
}

/// A legal key of any bytes, in the order of the bytes: two hex digits for each.
///
/// # Errors
/// [`ErrorCode::KeyValueTooLarge`](crate::ErrorCode::KeyValueTooLarge): over 512 bytes.
///
/// # Example
/// ```
/// assert_eq!(entable::keys::bytes(&[0, 0xff])?, "00ff");
/// # Ok::<(), entable::Error>(())
/// ```
pub fn bytes(bytes: &[u8]) -> Result<String> {
    let mut key = String::with_capacity(2 * bytes.len());
    for byte in bytes {
        // Writing to a String cannot fail.
        let _ = write!(key, "{byte:02x}");
    }
    legal(key)
}

/// The bytes that [`bytes`] made the key of.
///
/// # Errors
/// [`ErrorCode::InvalidInput`](crate::ErrorCode::InvalidInput): `bytes` makes no such key.
pub fn bytes_from(key: &str) -> Result<Vec<u8>> {
    let mut digits = key.chars();
    let mut bytes = Vec::with_capacity(key.len() / 2);
    while let Some(high) = digits.next() {
        let byte = digits.next().and_then(|low| {
            let is_lower = !high.is_ascii_uppercase() && !low.is_ascii_uppercase();
            let number = high.to_digit(16)? * 16 + low.to_digit(16)?;
            u8::try_from(number).ok().filter(|_| is_lower)
        });
        bytes.push(byte.ok_or_else(|| not_made(key, "bytes"))?);
    }
    Ok(bytes)
}

/// The literature's form of a safe key: base64 of the UTF-8, with `_` for `/` and `-` for `+` (S9.28).
///
/// It loses order and prefixes: [`safe`] keeps them.
///
/// # Errors
/// [`ErrorCode::KeyValueTooLarge`](crate::ErrorCode::KeyValueTooLarge): over 768 bytes of text.
///
/// # Example
/// ```
/// assert_eq!(entable::keys::base64_text("MyDomain\\jbloggs")?, "TXlEb21haW5camJsb2dncw==");
/// # Ok::<(), entable::Error>(())
/// ```
pub fn base64_text(text: &str) -> Result<String> {
    legal(URL_SAFE.encode(text))
}

/// The text that [`base64_text`] made the key of.
///
/// # Errors
/// [`ErrorCode::InvalidInput`](crate::ErrorCode::InvalidInput): it is no base64, or not of UTF-8.
pub fn text_from_base64(key: &str) -> Result<String> {
    let bytes = URL_SAFE.decode(key).ok();
    bytes.and_then(|bytes| String::from_utf8(bytes).ok()).ok_or_else(|| not_made(key, "base64_text"))
}
