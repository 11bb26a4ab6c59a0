//! Literals: the text of a typed constant, read and written (S7.2).

use super::rules::Fault;
use crate::Mode;
use crate::model::{DateTime, EdmType, Guid, Value};
use std::fmt;

/// Reads a number as it stands in a filter: an Int32, an Int64 with `L`, or a Double.
pub(super) fn number(text: &str) -> Result<Value, Fault> {
    let digits = text.strip_prefix('-').unwrap_or(text);
    let whole = |digits: &str| !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    if whole(digits) {
        return text.parse().map(Value::Int32).map_err(|_| {
            unrecognized(EdmType::Int32, text, "it lies outside 32 bits, and with L it would be an Edm.Int64")
        });
    }
    let (Some(last), Some(stem), Some(number)) =
        (digits.chars().last(), digits.get(..digits.len() - 1), text.get(..text.len() - 1))
    else {
        return Err(not_a_number(text));
    };
    match last {
        'L' | 'l' if whole(stem) => {
            number.parse().map(Value::Int64).map_err(|_| unrecognized(EdmType::Int64, text, "it lies outside 64 bits"))
        }
        'd' | 'D' if whole(stem) || is_decimal(stem) => double(number, text),
        'm' | 'M' | 'f' | 'F' if whole(stem) || is_decimal(stem) => {
            Err(Fault::invalid(format!("{} is a literal of a type that the data model does not have", excerpt(text))))
        }
        _ if is_decimal(digits) => double(text, text),
        _ => Err(not_a_number(text)),
    }
}

/// Whether the text is digits with a fraction, an exponent, or both.
fn is_decimal(text: &str) -> bool {
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let (mantissa, exponent) = match text.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, Some(exponent)),
        None => (text, None),
    };
    let exponent_is_one = exponent.is_none_or(|exponent| digits(exponent.strip_prefix(['+', '-']).unwrap_or(exponent)));
    let mantissa_is_one = match mantissa.split_once('.') {
        Some((whole, fraction)) => digits(whole) && digits(fraction),
        None => digits(mantissa) && exponent.is_some(),
    };
    mantissa_is_one && exponent_is_one
}

fn double(number: &str, text: &str) -> Result<Value, Fault> {
    match number.parse::<f64>() {
        Ok(double) if double.is_finite() => Ok(Value::Double(double)),
        Ok(_) => Err(unrecognized(EdmType::Double, text, "it lies outside the range of a binary64 number")),
        Err(_) => Err(not_a_number(text)),
    }
}

fn unrecognized(edm_type: EdmType, text: &str, why: &str) -> Fault {
    Fault::invalid(format!("Unrecognized '{edm_type}' literal '{}': {why}", excerpt(text)))
}

fn not_a_number(text: &str) -> Fault {
    Fault::invalid(format!("{} is not a number", excerpt(text)))
}

/// A word that is a constant: the truth values in any case (S7.2.4), and the Doubles that have no digits.
pub(super) fn word(word: &str) -> Option<Value> {
    match word {
        "NaN" => Some(Value::Double(f64::NAN)),
        "INF" | "Infinity" => Some(Value::Double(f64::INFINITY)),
        _ if word.eq_ignore_ascii_case("true") => Some(Value::Boolean(true)),
        _ if word.eq_ignore_ascii_case("false") => Some(Value::Boolean(false)),
        _ => None,
    }
}

/// Reads a literal with a word before its quotes; `None` if no literal has that word.
pub(super) fn prefixed(prefix: &str, text: &str, mode: Mode) -> Option<Result<Value, Fault>> {
    Some(match prefix {
        "datetime" => DateTime::parse(text, mode.limits()).map(Value::DateTime).map_err(|_| {
            Fault::invalid(format!("'{}' is not a date and time that an Edm.DateTime can hold", excerpt(text)))
        }),
        "guid" => text.parse::<Guid>().map(Value::Guid).map_err(|_| {
            Fault::invalid(format!("'{}' is not an Edm.Guid: 8-4-4-4-12 hexadecimal digits", excerpt(text)))
        }),
        "X" | "x" | "binary" => bytes(text)
            .map(Value::Binary)
            .ok_or_else(|| Fault::invalid(format!("'{}' is not pairs of hexadecimal digits", excerpt(text)))),
        "time" | "datetimeoffset" | "duration" => {
            Err(Fault::invalid(format!("{prefix}'…' is a literal of a type that the data model does not have")))
        }
        _ => return None,
    })
}

/// The spelling of a literal's prefix, if the word differs from it in case only.
pub(super) fn prefix_in_another_case(word: &str) -> Option<&'static str> {
    ["datetime", "guid", "binary"].into_iter().find(|prefix| word.eq_ignore_ascii_case(prefix))
}

fn bytes(hex: &str) -> Option<Vec<u8>> {
    let digit = |byte: u8| char::from(byte).to_digit(16).and_then(|digit| u8::try_from(digit).ok());
    let (pairs, rest) = hex.as_bytes().as_chunks::<2>();
    if !rest.is_empty() {
        return None;
    }
    pairs.iter().map(|[high, low]| Some(digit(*high)? << 4 | digit(*low)?)).collect()
}

/// A piece of a filter for a message: its beginning, where it is long, and nothing that would garble a terminal.
pub(super) fn excerpt(text: &str) -> String {
    const SHOWN: usize = 40;
    let mut shown = String::new();
    for c in text.chars().take(SHOWN) {
        if c.is_control() { shown.extend(c.escape_default()) } else { shown.push(c) }
    }
    if text.chars().nth(SHOWN).is_some() {
        shown.push('…');
    }
    shown
}

/// Writes a value as the literal that reads back as it.
pub(super) struct Literal<'a>(pub(super) &'a Value);

impl fmt::Display for Literal<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Value::Int32(number) => number.fmt(f),
            Value::Int64(number) => write!(f, "{number}L"),
            Value::Double(number) if number.is_nan() => f.write_str("NaN"),
            Value::Double(number) if number.is_infinite() => f.write_str(if *number > 0.0 { "INF" } else { "-INF" }),
            // The shortest digits that read back, always with a point or an exponent.
            Value::Double(number) => write!(f, "{number:?}"),
            Value::DateTime(time) => write!(f, "datetime'{time}'"),
            Value::Guid(guid) => write!(f, "guid'{guid}'"),
            Value::Boolean(truth) => truth.fmt(f),
            Value::String(text) => Quoted(text).fmt(f),
            Value::Binary(bytes) => {
                f.write_str("X'")?;
                bytes.iter().try_for_each(|byte| write!(f, "{byte:02x}"))?;
                f.write_str("'")
            }
        }
    }
}

/// Writes a text in quotes, with its own quotes doubled.
pub(super) struct Quoted<'a>(pub(super) &'a str);

impl fmt::Display for Quoted<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("'")?;
        for (at, piece) in self.0.split('\'').enumerate() {
            f.write_str(if at > 0 { "''" } else { "" })?;
            f.write_str(piece)?;
        }
        f.write_str("'")
    }
}
