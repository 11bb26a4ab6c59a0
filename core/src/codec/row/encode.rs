//! Writing rows.

use super::{ASCII, BODY_AT, CRC_BYTES, FULL, SELF_DESCRIBING, WIDTH_SHIFT, hash, shaped::starts};
use crate::codec::bytes::push_crc;
use crate::codec::shape::{CLASSES, Choice, Class, Shape, Shapes};
use crate::model::{Value, ValueRef};
use crate::{Error, ErrorCode, Result, limits};
use std::sync::Arc;

/// The one bit pattern of NaN in the file (S2.4.1).
const NAN: u64 = 0x7ff8_0000_0000_0000;
/// Properties whose slots are kept on the stack while a row is encoded.
const FEW: usize = 64;

/// Appends a row in the form that [`Shapes::choose`] chose; `shapes` has the choice's new slots already.
///
/// # Errors
/// `EntityTooLarge` for a row that LMDB cannot hold, `TooManyProperties` for a self-describing row with more than
/// 65,535; `Internal` if the shape lacks a property. Then nothing is appended.
pub(crate) fn encode(
    shapes: &Shapes,
    choice: &Choice,
    ticks: i64,
    properties: &[(Arc<str>, Value)],
    out: &mut Vec<u8>,
) -> Result<()> {
    match choice {
        Choice::Shape { id, .. } => {
            let shape =
                shapes.get(*id).ok_or_else(|| Error::new(ErrorCode::Internal).fact("A chosen shape is gone."))?;
            encode_shaped(*id, shape, ticks, properties, out)
        }
        Choice::SelfDescribing => {
            encode_describing(ticks, properties.iter().map(|(name, value)| (&**name, value.as_ref())), out)
        }
    }
}

/// A property's slot and its number in the list.
type Placed = (u16, u16);

fn encode_shaped(
    id: u16,
    shape: &Shape,
    ticks: i64,
    properties: &[(Arc<str>, Value)],
    out: &mut Vec<u8>,
) -> Result<()> {
    let mut few = [(0, 0); FEW];
    let mut many = Vec::new();
    let placed: &mut [Placed] = match few.get_mut(..properties.len()) {
        Some(few) => few,
        None => {
            many.resize(properties.len(), (0, 0));
            &mut many
        }
    };
    let plan = place(shape, properties, placed)?;

    let start = out.len();
    out.resize(start + plan.row_bytes, 0);
    let row = &mut out[start..];
    row[..2].copy_from_slice(&id.to_le_bytes());
    row[2] = plan.flags;
    row[3] = plan.m;
    row[4..12].copy_from_slice(&ticks.to_le_bytes());
    if plan.flags & FULL == 0 {
        for (slot, _) in placed.iter() {
            row[BODY_AT + usize::from(slot / 8)] |= 1 << (slot % 8);
        }
    }
    fill(row, &plan, placed, properties);
    let body = row.len() - CRC_BYTES;
    let crc = crc32c::crc32c(&row[..body]);
    row[body..].copy_from_slice(&crc.to_le_bytes());
    Ok(())
}

/// What is known of a row before it is written.
struct Plan {
    flags: u8,
    m: u8,
    counts: [u16; CLASSES],
    row_bytes: usize,
}

/// Finds each property's slot, in `placed` in slot order, and measures the row.
fn place(shape: &Shape, properties: &[(Arc<str>, Value)], placed: &mut [Placed]) -> Result<Plan> {
    let internal = |fact| Error::new(ErrorCode::Internal).fact(fact);
    let mut counts = [0_u16; CLASSES];
    let mut heap_bytes = 0_u64;
    let mut is_ascii = true;
    let mut is_sorted = true;
    let mut guess = 0;
    for (number, ((name, value), to)) in properties.iter().zip(placed.iter_mut()).enumerate() {
        let edm_type = value.edm_type();
        let slot = shape
            .slot_near(guess, name, edm_type)
            .ok_or_else(|| internal("A chosen shape lacks a property.").property(name))?;
        is_sorted &= slot >= guess;
        guess = slot + 1;
        // A shape has at most 1,024 slots, and no two properties have one.
        *to = (slot as u16, number as u16);
        match value {
            Value::String(text) => {
                heap_bytes += text.len() as u64;
                is_ascii &= text.is_ascii();
            }
            Value::Binary(bytes) => heap_bytes += bytes.len() as u64,
            _ => {}
        }
        counts[Class::of(edm_type) as usize] += 1;
    }
    if !is_sorted {
        placed.sort_unstable();
        if placed.windows(2).any(|pair| pair[0].0 == pair[1].0) {
            return Err(Error::new(ErrorCode::DuplicatePropertiesSpecified));
        }
    }
    let slots = placed.last().map_or(0, |(slot, _)| usize::from(*slot) + 1);
    let is_full = slots == placed.len() && slots <= usize::from(u8::MAX);
    let bitmap_bytes = if is_full { 0 } else { slots.div_ceil(8) };
    let width = match heap_bytes {
        0..=0xff => 0,
        0x100..=0xffff => 1,
        _ => 2_u8,
    };
    let ends = usize::from(counts[Class::String as usize]) + usize::from(counts[Class::Binary as usize]);
    let heap_at = starts(BODY_AT + bitmap_bytes, &counts)[Class::Binary as usize] + (ends << width);
    let row_bytes = check_bytes(heap_at as u64 + heap_bytes + CRC_BYTES as u64)?;
    Ok(Plan {
        flags: if is_full { FULL } else { 0 } | if is_ascii { ASCII } else { 0 } | width << WIDTH_SHIFT,
        m: if is_full { slots } else { bitmap_bytes } as u8,
        counts,
        row_bytes,
    })
}

/// Writes the values into a row of zeros.
fn fill(row: &mut [u8], plan: &Plan, placed: &[Placed], properties: &[(Arc<str>, Value)]) {
    let width = plan.flags >> WIDTH_SHIFT & 3;
    let bitmap_bytes = if plan.flags & FULL == 0 { usize::from(plan.m) } else { 0 };
    let [mut eights, mut guids, mut int32s, mut booleans, mut hashes, mut ends] =
        starts(BODY_AT + bitmap_bytes, &plan.counts);
    let heaps = usize::from(plan.counts[Class::String as usize]) + usize::from(plan.counts[Class::Binary as usize]);
    let heap_at = ends + (heaps << width);
    let mut heap = heap_at;
    for (_, number) in placed {
        let eight = match &properties[usize::from(*number)].1 {
            Value::Int64(value) => value.to_le_bytes(),
            Value::Double(value) => double_bits(*value).to_le_bytes(),
            Value::DateTime(value) => value.ticks().to_le_bytes(),
            Value::Guid(value) => {
                put(row, &mut guids, value.as_bytes());
                continue;
            }
            Value::Int32(value) => {
                put(row, &mut int32s, &value.to_le_bytes());
                continue;
            }
            Value::Boolean(value) => {
                put(row, &mut booleans, &[(*value).into()]);
                continue;
            }
            Value::String(value) => {
                put(row, &mut hashes, &[hash::byte(value.as_bytes())]);
                put(row, &mut heap, value.as_bytes());
                put_end(row, &mut ends, heap - heap_at, width);
                continue;
            }
            Value::Binary(value) => {
                put(row, &mut heap, value);
                put_end(row, &mut ends, heap - heap_at, width);
                continue;
            }
        };
        put(row, &mut eights, &eight);
    }
}

#[inline]
fn put(row: &mut [u8], at: &mut usize, bytes: &[u8]) {
    row[*at..*at + bytes.len()].copy_from_slice(bytes);
    *at += bytes.len();
}

/// Writes an end in the low bytes of its number, little-endian; [`place`] has chosen a width that holds it.
#[inline]
fn put_end(row: &mut [u8], at: &mut usize, end: usize, width: u8) {
    let end = (end as u64).to_le_bytes();
    match width {
        0 => put(row, at, &end[..1]),
        1 => put(row, at, &end[..2]),
        _ => put(row, at, &end[..4]),
    }
}

/// Doubles keep their bits, but there is one NaN.
fn double_bits(value: f64) -> u64 {
    if value.is_nan() { NAN } else { value.to_bits() }
}

/// Appends a row that names its properties itself: also the value of a covering index entry, and what a change
/// holds of an entity.
///
/// # Errors
/// `EntityTooLarge`, `TooManyProperties`, `PropertyNameTooLong`: what the form cannot hold. Then nothing is
/// appended.
pub(crate) fn encode_describing<'a>(
    ticks: i64,
    properties: impl ExactSizeIterator<Item = (&'a str, ValueRef<'a>)> + Clone,
    out: &mut Vec<u8>,
) -> Result<()> {
    let most = usize::from(u16::MAX);
    let count = u16::try_from(properties.len())
        .map_err(|_| Error::new(ErrorCode::TooManyProperties).limit(most, properties.len()))?;
    let mut row_bytes = (BODY_AT + 2 + CRC_BYTES) as u64;
    let mut is_ascii = true;
    for (name, value) in properties.clone() {
        if name.len() > most {
            return Err(Error::new(ErrorCode::PropertyNameTooLong).property(name));
        }
        row_bytes += 3 + name.len() as u64;
        row_bytes += match value {
            ValueRef::String(text) => {
                is_ascii &= text.is_ascii();
                4 + text.len() as u64
            }
            ValueRef::Binary(bytes) => 4 + bytes.len() as u64,
            ValueRef::Guid(_) => 16,
            ValueRef::Int64(_) | ValueRef::Double(_) | ValueRef::DateTime(_) => 8,
            ValueRef::Int32(_) => 4,
            ValueRef::Boolean(_) => 1,
        };
    }
    let start = out.len();
    out.reserve(check_bytes(row_bytes)?);
    out.extend_from_slice(&SELF_DESCRIBING.to_le_bytes());
    out.extend_from_slice(&[if is_ascii { ASCII } else { 0 }, 0]);
    out.extend_from_slice(&ticks.to_le_bytes());
    out.extend_from_slice(&count.to_le_bytes());
    for (name, value) in properties {
        out.extend_from_slice(&(name.len() as u16).to_le_bytes());
        out.extend_from_slice(name.as_bytes());
        out.push(value.edm_type() as u8);
        match value {
            ValueRef::Int32(value) => out.extend_from_slice(&value.to_le_bytes()),
            ValueRef::Int64(value) => out.extend_from_slice(&value.to_le_bytes()),
            ValueRef::Double(value) => out.extend_from_slice(&double_bits(value).to_le_bytes()),
            ValueRef::DateTime(value) => out.extend_from_slice(&value.ticks().to_le_bytes()),
            ValueRef::Guid(value) => out.extend_from_slice(value.as_bytes()),
            ValueRef::Boolean(value) => out.push(value.into()),
            ValueRef::String(value) => push_sized(out, value.as_bytes()),
            ValueRef::Binary(value) => push_sized(out, value),
        }
    }
    push_crc(out, start);
    Ok(())
}

/// The whole row is within a u32, so its parts are.
fn push_sized(out: &mut Vec<u8>, bytes: &[u8]) {
    out.extend_from_slice(&(bytes.len() as u32).to_le_bytes());
    out.extend_from_slice(bytes);
}

fn check_bytes(row_bytes: u64) -> Result<usize> {
    match usize::try_from(row_bytes) {
        Ok(bytes) if row_bytes <= limits::ROW_BYTES => Ok(bytes),
        _ => Err(Error::new(ErrorCode::EntityTooLarge)
            .fact(format!("Its row would have {row_bytes} bytes, the file holds {}.", limits::ROW_BYTES))),
    }
}
