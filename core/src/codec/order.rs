//! Components of index entries: typed values whose bytes compare as the values do.

use super::key::push_mapped;
use crate::model::compare::{integer_double, map_byte};
use crate::model::{EdmType, ValueRef};
use crate::{Error, Result, limits};
use std::cmp::Ordering;

/// The first byte of a component. Missing sorts first; the three numeric types are one.
pub(crate) const MISSING: u8 = 0x01;
pub(crate) const BOOLEAN: u8 = 0x08;
pub(crate) const NUMBER: u8 = 0x10;
pub(crate) const DATETIME: u8 = 0x18;
pub(crate) const GUID: u8 = 0x20;
pub(crate) const STRING: u8 = 0x30;
pub(crate) const BINARY: u8 = 0x38;

/// What follows 00 in a String or Binary: a byte 00 of the value, its end, or the end of what was cut from it.
const ESCAPED: u8 = 0xff;
const END: u8 = 0x00;
const CUT: u8 = 0x01;

const SIGN: u64 = 1 << 63;
/// From 2^53 on doubles leave integers out, up to 2^63, beyond which no Int64 lies.
const GAPS: std::ops::RangeInclusive<f64> = 9_007_199_254_740_992.0..=9_223_372_036_854_775_808.0;
/// NaN lies behind every number.
const NAN: [u8; 8] = [0xff; 8];

/// The tag of the components of a type.
pub(crate) fn tag(edm_type: EdmType) -> u8 {
    match edm_type {
        EdmType::Boolean => BOOLEAN,
        EdmType::Int32 | EdmType::Int64 | EdmType::Double => NUMBER,
        EdmType::DateTime => DATETIME,
        EdmType::Guid => GUID,
        EdmType::String => STRING,
        EdmType::Binary => BINARY,
    }
}

/// Appends the component of a value, or of a missing property. `true` if the value was cut: then other values
/// have the same component, and equality and order are for the rows to decide.
pub(crate) fn push_component(out: &mut Vec<u8>, value: Option<ValueRef<'_>>) -> bool {
    let Some(value) = value else {
        out.push(MISSING);
        return false;
    };
    out.push(tag(value.edm_type()));
    match value {
        ValueRef::Boolean(value) => out.push(value.into()),
        ValueRef::Int32(value) => push_double(out, value.into(), 0),
        ValueRef::Int64(value) => push_integer(out, value),
        ValueRef::Double(value) if value.is_nan() => out.extend_from_slice(&NAN),
        ValueRef::Double(value) => push_double(out, value, 0),
        ValueRef::DateTime(value) => out.extend_from_slice(&(value.ticks() as u64 ^ SIGN).to_be_bytes()),
        ValueRef::Guid(value) => out.extend_from_slice(value.as_bytes()),
        ValueRef::String(value) => return push_text(out, value),
        ValueRef::Binary(value) => return push_bytes(out, value),
    }
    false
}

/// Appends the first bytes of the components of every String that begins with `prefix`. `true` if the prefix
/// was cut: then Strings with another prefix have such components, too.
pub(crate) fn push_string_prefix(out: &mut Vec<u8>, prefix: &str) -> bool {
    out.push(STRING);
    let is_cut = push_text(out, prefix);
    // Without its end, what is left is the start of every longer value.
    out.truncate(out.len() - 2);
    is_cut
}

/// Appends the component of NaN, which a plan for `ne` reads beside the ranges of the numbers.
pub(crate) fn push_nan(out: &mut Vec<u8>) {
    out.push(NUMBER);
    out.extend_from_slice(&NAN);
}

/// Whether a whole component ends in the mark of a cut value.
pub(crate) fn is_cut(component: &[u8]) -> bool {
    matches!(component, [STRING | BINARY, .., 0, CUT])
}

/// Whether a whole component is that of NaN.
pub(crate) fn is_nan(component: &[u8]) -> bool {
    matches!(component, [NUMBER, nan @ ..] if *nan == NAN)
}

/// Bytes of the component at the start of `bytes`.
///
/// # Errors
/// `Damaged` for an unknown tag, or if the bytes end within the component.
pub(crate) fn skip_component(bytes: &[u8]) -> Result<usize> {
    component_length(bytes).ok_or_else(|| Error::damaged("An index entry holds a component of no known form."))
}

fn component_length(bytes: &[u8]) -> Option<usize> {
    let (tag, value) = bytes.split_first()?;
    let length = match *tag {
        MISSING => 0,
        BOOLEAN => 1,
        DATETIME => 8,
        GUID => 16,
        NUMBER => {
            let sortable = u64::from_be_bytes(*value.first_chunk()?);
            let bits = if sortable & SIGN == 0 { !sortable } else { sortable ^ SIGN };
            if GAPS.contains(&f64::from_bits(bits).abs()) { 10 } else { 8 }
        }
        STRING | BINARY => {
            let mut at = 0;
            loop {
                at += value.get(at..)?.iter().position(|byte| *byte == 0)? + 2;
                match value.get(at - 1)? {
                    &ESCAPED => {}
                    &END | &CUT => break at,
                    _ => return None,
                }
            }
        }
        _ => return None,
    };
    (value.len() >= length).then_some(1 + length)
}

/// The largest double that is not above `value`, and how much is left.
fn push_integer(out: &mut Vec<u8>, value: i64) {
    let nearest = value as f64;
    let below = if integer_double(value, nearest) == Some(Ordering::Less) { nearest.next_down() } else { nearest };
    // Between two doubles of at most 2^63 lie at most 1,023 integers. In 128 bits, since the difference is exact.
    let left = i128::from(value) - below as i128;
    push_double(out, below, u16::try_from(left).unwrap_or(u16::MAX));
}

fn push_double(out: &mut Vec<u8>, value: f64, left: u16) {
    // −0.0 + 0.0 is 0.0: the two zeros are one value.
    let value = value + 0.0;
    let bits = value.to_bits();
    let sortable = if bits & SIGN == 0 { bits | SIGN } else { !bits };
    out.extend_from_slice(&sortable.to_be_bytes());
    if GAPS.contains(&value.abs()) {
        out.extend_from_slice(&left.to_be_bytes());
    }
}

fn push_text(out: &mut Vec<u8>, text: &str) -> bool {
    let bytes = text.as_bytes();
    let kept = &bytes[..bytes.len().min(limits::COMPONENT_BYTES)];
    if kept.contains(&0) {
        push_escaped(out, kept.iter().copied().map(map_byte));
    } else if text.is_ascii() {
        push_mapped(out, text.get(..kept.len()).unwrap_or(text));
    } else {
        out.extend(kept.iter().copied().map(map_byte));
    }
    push_end(out, bytes.len())
}

fn push_bytes(out: &mut Vec<u8>, bytes: &[u8]) -> bool {
    push_escaped(out, bytes.iter().copied().take(limits::COMPONENT_BYTES));
    push_end(out, bytes.len())
}

fn push_escaped(out: &mut Vec<u8>, bytes: impl Iterator<Item = u8>) {
    for byte in bytes {
        out.push(byte);
        if byte == 0 {
            out.push(ESCAPED);
        }
    }
}

fn push_end(out: &mut Vec<u8>, length: usize) -> bool {
    let is_cut = length > limits::COMPONENT_BYTES;
    out.extend_from_slice(&[0, if is_cut { CUT } else { END }]);
    is_cut
}

#[cfg(test)]
mod tests;
