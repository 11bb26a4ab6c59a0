//! Writing rows.

use super::{
    ASCII, BODY_AT, COUNT_AT, CRC_BYTES, FLAGS_AT, FULL, SELF_DESCRIBING, TICKS_AT, WIDTH_MASK, WIDTH_SHIFT, hash,
    shaped::starts,
};
use crate::codec::bytes::{crc_of, push_crc};
use crate::codec::shape::{CLASSES, Choice, Class, PerClass, Property, Shape, Shapes};
use crate::limits::SHAPE_SLOTS;
use crate::model::{Value, ValueRef};
use crate::{Error, ErrorCode, Result, limits};

/// The one bit pattern of NaN in the file (S2.4.1).
const NAN: u64 = 0x7ff8_0000_0000_0000;

/// Appends the row under this key in the form that [`Shapes::choose`] chose; `shapes` has the choice's new slots already.
///
/// # Errors
/// `EntityTooLarge` for a row that LMDB cannot hold, `TooManyProperties` for a self-describing row with more than
/// 65,535; `Internal` if the shape lacks a property. Then nothing is appended.
pub(crate) fn encode(
    shapes: &Shapes,
    choice: &Choice,
    key: &[u8],
    ticks: i64,
    properties: &[impl Property],
    out: &mut Vec<u8>,
) -> Result<()> {
    match choice {
        Choice::Shape { id, .. } => {
            let shape =
                shapes.get(*id).ok_or_else(|| Error::new(ErrorCode::Internal).fact("A chosen shape is gone."))?;
            let lacks = || Error::new(ErrorCode::Internal).fact("A chosen shape lacks a property.");
            encode_shaped(*id, shape, key, ticks, properties, out)?.map(|_| ()).ok_or_else(lacks)
        }
        Choice::SelfDescribing => encode_describing(
            key,
            ticks,
            properties.iter().map(|property| (&**property.name(), property.value().as_ref())),
            out,
        ),
    }
}

/// Appends the row under this key in a shape that took one lately and lacks nothing for this one: the common case,
/// without choosing first. `None`, and nothing appended, if there is no such shape: then [`Shapes::choose`], grow, and [`encode`].
///
/// # Errors
/// As [`encode`].
pub(crate) fn encode_recent(
    shapes: &Shapes,
    key: &[u8],
    ticks: i64,
    properties: &[impl Property],
    out: &mut Vec<u8>,
) -> Result<Option<u16>> {
    for (id, shape) in shapes.recent(properties.len()) {
        if let Some(id) = encode_shaped(id, shape, key, ticks, properties, out)? {
            shapes.note(id);
            return Ok(Some(id));
        }
    }
    Ok(None)
}

/// Slots of a shape whose rows are arranged on the stack.
const FEW_SLOTS: usize = 64;

/// Appends a row of this shape, and gives its id back; `None` if the shape lacks a property.
fn encode_shaped(
    id: u16,
    shape: &Shape,
    key: &[u8],
    ticks: i64,
    properties: &[impl Property],
    out: &mut Vec<u8>,
) -> Result<Option<u16>> {
    let (mut few, mut many);
    let by_slot: &mut [u16] = if shape.slots().len() <= FEW_SLOTS {
        few = [0; FEW_SLOTS];
        &mut few
    } else {
        many = vec![0; shape.slots().len()];
        &mut many
    };
    let Some(plan) = arrange(shape, properties, by_slot)? else {
        return Ok(None);
    };

    let start = out.len();
    out.resize(start + plan.row_bytes, 0);
    let row = &mut out[start..];
    row[..2].copy_from_slice(&id.to_le_bytes());
    row[FLAGS_AT] = plan.flags;
    row[COUNT_AT] = plan.m;
    row[TICKS_AT..BODY_AT].copy_from_slice(&ticks.to_le_bytes());
    for (to, word) in row[BODY_AT..BODY_AT + plan.bitmap_bytes()].chunks_mut(8).zip(plan.present) {
        to.copy_from_slice(&word.to_le_bytes()[..to.len()]);
    }
    fill(row, &plan, by_slot, properties);
    let body = row.len() - CRC_BYTES;
    let crc = crc_of(key, &row[..body]);
    row[body..].copy_from_slice(&crc.to_le_bytes());
    Ok(Some(id))
}

/// What is known of a row before it is written.
struct Plan {
    flags: u8,
    m: u8,
    /// The slots that are present, one bit each.
    present: [u64; SHAPE_SLOTS / 64],
    counts: PerClass<u16>,
    row_bytes: usize,
}

impl Plan {
    fn bitmap_bytes(&self) -> usize {
        if self.flags & FULL == 0 { self.m.into() } else { 0 }
    }

    fn width(&self) -> u8 {
        (self.flags & WIDTH_MASK) >> WIDTH_SHIFT
    }

    fn ends(&self) -> usize {
        usize::from(self.counts[Class::String as usize]) + usize::from(self.counts[Class::Binary as usize])
    }
}

/// Finds each property's slot, notes in `by_slot` the property's number, and measures the row. `None` if the shape lacks one.
#[inline]
fn arrange(shape: &Shape, properties: &[impl Property], by_slot: &mut [u16]) -> Result<Option<Plan>> {
    let mut plan = Plan { flags: 0, m: 0, present: [0; SHAPE_SLOTS / 64], counts: [0; CLASSES], row_bytes: 0 };
    let mut heap_bytes = 0_u64;
    let mut is_ascii = true;
    let (mut near, mut slots) = (0, 0);
    for (number, property) in properties.iter().enumerate() {
        let (name, value) = (property.name(), property.value());
        let edm_type = value.edm_type();
        let Some(slot) = shape.slot_near(&mut near, name, edm_type) else {
            return Ok(None);
        };
        let (word, bit) = (&mut plan.present[slot / 64], 1 << (slot % 64));
        if *word & bit != 0 {
            return Err(Error::new(ErrorCode::DuplicatePropertiesSpecified).property(name));
        }
        *word |= bit;
        // No two properties have one slot, so there are at most 1,024.
        by_slot[slot] = number as u16;
        slots = slots.max(slot + 1);
        match value {
            Value::String(text) => {
                heap_bytes += text.len() as u64;
                is_ascii &= text.is_ascii();
            }
            Value::Binary(bytes) => heap_bytes += bytes.len() as u64,
            _ => {}
        }
        plan.counts[Class::of(edm_type) as usize] += 1;
    }
    let width = match heap_bytes {
        0..=0xff => 0,
        0x100..=0xffff => 1,
        _ => 2_u8,
    };
    let is_full = slots == properties.len() && slots <= usize::from(u8::MAX);
    plan.flags = if is_full { FULL } else { 0 } | if is_ascii { ASCII } else { 0 } | width << WIDTH_SHIFT;
    // Full: at most 255 slots. Else: at most 1,024 bits.
    plan.m = if is_full { slots } else { slots.div_ceil(8) } as u8;
    let ends_at = starts(BODY_AT + plan.bitmap_bytes(), &plan.counts)[Class::Binary as usize];
    let heap_at = ends_at + (plan.ends() << width);
    plan.row_bytes = check_bytes(heap_at as u64 + heap_bytes + CRC_BYTES as u64)?;
    Ok(Some(plan))
}

/// Writes the values into a row of zeros.
fn fill(row: &mut [u8], plan: &Plan, by_slot: &[u16], properties: &[impl Property]) {
    let width = plan.width();
    let [mut eights, mut guids, mut int32s, mut booleans, mut hashes, mut ends] =
        starts(BODY_AT + plan.bitmap_bytes(), &plan.counts);
    let heap_at = ends + (plan.ends() << width);
    let mut heap = heap_at;
    for (at, mut word) in plan.present.into_iter().enumerate() {
        while word != 0 {
            let slot = 64 * at + word.trailing_zeros() as usize;
            word &= word - 1;
            match properties[usize::from(by_slot[slot])].value() {
                Value::Int64(value) => put(row, &mut eights, &value.to_le_bytes()),
                Value::Double(value) => put(row, &mut eights, &double_bits(*value).to_le_bytes()),
                Value::DateTime(value) => put(row, &mut eights, &value.ticks().to_le_bytes()),
                Value::Guid(value) => put(row, &mut guids, value.as_bytes()),
                Value::Int32(value) => put(row, &mut int32s, &value.to_le_bytes()),
                Value::Boolean(value) => put(row, &mut booleans, &[(*value).into()]),
                Value::String(value) => {
                    put(row, &mut hashes, &[hash::byte(value.as_bytes())]);
                    put(row, &mut heap, value.as_bytes());
                    put_end(row, &mut ends, heap - heap_at, width);
                }
                Value::Binary(value) => {
                    put(row, &mut heap, value);
                    put_end(row, &mut ends, heap - heap_at, width);
                }
            }
        }
    }
}

#[inline]
fn put(row: &mut [u8], at: &mut usize, bytes: &[u8]) {
    row[*at..*at + bytes.len()].copy_from_slice(bytes);
    *at += bytes.len();
}

/// Writes an end in the low bytes of its number, little-endian; [`arrange`] has chosen a width that holds it.
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

/// Appends the row under this key with the names of its properties: also the value of a covering index entry, under
/// the entry's key, and what a change holds of an entity, under the change's.
///
/// # Errors
/// `EntityTooLarge`, `TooManyProperties`, `PropertyNameTooLong`: what the form cannot hold. Then nothing is
/// appended.
pub(crate) fn encode_describing<'a>(
    key: &[u8],
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
    push_crc(key, out, start);
    Ok(())
}

/// The whole row is within a u32, so its parts are.
fn push_sized(out: &mut Vec<u8>, bytes: &[u8]) {
    out.extend_from_slice(&(bytes.len() as u32).to_le_bytes());
    out.extend_from_slice(bytes);
}

pub(in crate::codec) fn check_bytes(row_bytes: u64) -> Result<usize> {
    match usize::try_from(row_bytes) {
        Ok(bytes) if bytes <= limits::ROW_BYTES => Ok(bytes),
        _ => Err(Error::new(ErrorCode::EntityTooLarge)
            .fact(format!("Its row would have {row_bytes} bytes, the file holds {}.", limits::ROW_BYTES))),
    }
}
