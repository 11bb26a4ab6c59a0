//! Where a slot's value lies in the rows of one shape: what a filter or a projection is compiled to.
//!
//! An offset is a sum over the slots that are present: for each width a mask, made once per shape and slot, and one
//! count of bits per row. For full rows the sum depends on their number of slots alone, and is made once, too.

use super::present::{Present, word};
use super::shaped::read_end;
use super::{ASCII, CRC_BYTES, FLAGS_AT, WIDTH_MASK, WIDTH_SHIFT, fixed_bytes, fixed_value, no_value, text};
use crate::Result;
use crate::codec::shape::{Class, PerClass, Shape};
use crate::limits::SHAPE_SLOTS;
use crate::model::{EdmType, ValueRef};

/// A slot of a shape, compiled.
///
/// It is for rows of that shape, which its caller compares. It reads within the row whatever the row holds, but
/// checks only what it reads: a row that passes a filter is looked at by [`Row::new`](super::Row::new).
#[derive(Clone, Debug)]
pub(crate) struct Place {
    slot: usize,
    edm_type: EdmType,
    /// Bytes of a value of fixed length, else 0.
    value_bytes: usize,
    /// To the value, or to the end of a String or Binary.
    value: Sum,
    /// To the hash byte of a String.
    hash: Option<Sum>,
    /// To the heap, for a String or Binary.
    heap: Option<Sum>,
    /// To the slot's own end, from the first.
    own_end: Sum,
}

/// Widths that a sum counts: 8, 16, 4, 1, and that of the ends.
const WIDTHS: usize = 5;

/// Bytes of the values that lie before some point of a row.
#[derive(Clone, Debug)]
struct Sum {
    /// For each width, which of the first 64 slots count, and of the others.
    first: [u64; WIDTHS],
    others: Box<[[u64; WIDTHS]]>,
    /// Whether only widths of 4 and more count.
    is_wide: bool,
    /// For full rows, by their number of slots: bytes of fixed width, and number of ends.
    full: Box<[(u32, u16)]>,
}

impl Sum {
    /// Counts, for each class, the first so many slots: as values, and as ends.
    fn new(shape: &Shape, values: PerClass<usize>, ends: usize) -> Sum {
        let below = |count: usize, at: usize| match count.saturating_sub(64 * at) {
            0 => 0,
            bits @ 1..64 => (1_u64 << bits) - 1,
            _ => u64::MAX,
        };
        let masks = shape.masks().iter().enumerate().map(|(at, masks)| {
            let class = |class: Class| masks[class as usize] & below(values[class as usize], at);
            [
                class(Class::Eight),
                class(Class::Guid),
                class(Class::Int32),
                class(Class::Boolean) | class(Class::String),
                (masks[Class::String as usize] | masks[Class::Binary as usize]) & below(ends, at),
            ]
        });
        let full = (0..=shape.slots().len().min(u8::MAX.into())).map(|m| {
            let before = |count: usize, class: Class| {
                shape.before(count.min(m)).map_or(0, |counts| u32::from(counts[class as usize]))
            };
            let class = |class: Class| before(values[class as usize], class);
            let bytes = 8 * class(Class::Eight)
                + 16 * class(Class::Guid)
                + 4 * class(Class::Int32)
                + class(Class::Boolean)
                + class(Class::String);
            (bytes, (before(ends, Class::String) + before(ends, Class::Binary)) as u16)
        });
        let mut others: Vec<_> = masks.collect();
        let is_wide = others.iter().all(|[.., one, end]| one | end == 0);
        let first = if others.is_empty() { [0; WIDTHS] } else { others.remove(0) };
        while others.pop_if(|masks| *masks == [0; WIDTHS]).is_some() {}
        Sum { first, others: others.into(), is_wide, full: full.collect() }
    }

    /// The bytes before the point, ends of this width included; `None` for a full row of unknown slots.
    #[inline]
    fn of(&self, present: &Present<'_>, width: u8) -> Option<usize> {
        match *present {
            Present::Full(m) => {
                let (bytes, ends) = *self.full.get(m)?;
                Some(bytes as usize + (usize::from(ends) << width))
            }
            Present::Bits { first, bitmap } => {
                let mut sum = self.count(first, &self.first, width);
                for (masks, at) in self.others.iter().zip(1..) {
                    sum += self.count(word(bitmap, at), masks, width);
                }
                Some(sum)
            }
        }
    }
}

impl Sum {
    #[inline]
    fn count(&self, bits: u64, masks: &[u64; WIDTHS], width: u8) -> usize {
        let count = |mask: u64| (bits & mask).count_ones() as usize;
        let [eight, sixteen, four, one, end] = *masks;
        let wide = 8 * count(eight) + 16 * count(sixteen) + 4 * count(four);
        // Most terms are on numbers, before which no narrower value lies.
        if self.is_wide { wide } else { wide + count(one) + (count(end) << width) }
    }
}

impl Place {
    /// Compiles a slot; `None` if the shape has no such slot.
    pub(crate) fn new(shape: &Shape, slot: u16) -> Option<Place> {
        let slot = usize::from(slot);
        let edm_type = shape.slots().get(slot)?.edm_type;
        let class = Class::of(edm_type) as usize;
        const ALL: usize = SHAPE_SLOTS;
        // The classes before count whole, its own up to the slot.
        let mut values = [0; 6];
        values[..class].fill(ALL);
        values[class] = slot;
        let is_heaped = matches!(edm_type, EdmType::String | EdmType::Binary);
        let (to_value, to_hash) = if is_heaped {
            // Before the ends lie all values, hashes included.
            let hash = (edm_type == EdmType::String).then(|| Sum::new(shape, values, 0));
            (Sum::new(shape, [ALL; 6], slot), hash)
        } else {
            (Sum::new(shape, values, 0), None)
        };
        Some(Place {
            slot,
            edm_type,
            value_bytes: fixed_bytes(edm_type).unwrap_or(0),
            value: to_value,
            hash: to_hash,
            heap: is_heaped.then(|| Sum::new(shape, [ALL; 6], ALL)),
            own_end: Sum::new(shape, [0; 6], slot),
        })
    }

    /// The slot's type.
    pub(crate) fn edm_type(&self) -> EdmType {
        self.edm_type
    }

    /// The bytes of the slot's value, as the row holds them; `None` if the slot is empty.
    #[inline]
    pub(crate) fn bytes<'a>(&self, row: &'a [u8]) -> Option<&'a [u8]> {
        let present = Present::read(row).filter(|present| present.has(self.slot))?;
        self.bytes_of(row, &present)
    }

    #[inline]
    fn bytes_of<'a>(&self, row: &'a [u8], present: &Present<'_>) -> Option<&'a [u8]> {
        let at = |sum: usize| present.values_at() + sum;
        let Some(heap) = &self.heap else {
            let start = at(self.value.of(present, 0)?);
            return row.get(start..start + self.value_bytes);
        };
        let width = width(row)?;
        let end_at = at(self.value.of(present, width)?);
        let start = match self.own_end.of(present, width)? {
            0 => 0,
            _ => read_end(row.get(end_at - (1 << width)..)?, width)?,
        };
        let end = read_end(row.get(end_at..)?, width)?;
        let heap_at = at(heap.of(present, width)?);
        row.get(heap_at..row.len().checked_sub(CRC_BYTES)?)?.get(start..end)
    }

    /// The hash byte of a String; `None` if the slot is empty, or of another type.
    #[inline]
    pub(crate) fn hash(&self, row: &[u8]) -> Option<u8> {
        let present = Present::read(row).filter(|present| present.has(self.slot))?;
        let at = present.values_at() + self.hash.as_ref()?.of(&present, 0)?;
        row.get(at).copied()
    }

    /// The slot's value; `None` if the slot is empty.
    ///
    /// # Errors
    /// `Damaged` if its bytes are no value of its type.
    #[inline]
    pub(crate) fn value<'a>(&self, row: &'a [u8]) -> Result<Option<ValueRef<'a>>> {
        match Present::read(row).filter(|present| present.has(self.slot)) {
            Some(present) => self.value_of(row, &present).map(Some),
            None => Ok(None),
        }
    }

    #[inline]
    fn value_of<'a>(&self, row: &'a [u8], present: &Present<'_>) -> Result<ValueRef<'a>> {
        let bytes = self.bytes_of(row, present);
        let value = match self.edm_type {
            EdmType::String => {
                let is_ascii = row.get(FLAGS_AT).is_some_and(|flags| flags & ASCII != 0);
                bytes.and_then(|bytes| text(bytes, is_ascii)).map(ValueRef::String)
            }
            EdmType::Binary => bytes.map(ValueRef::Binary),
            _ => bytes.and_then(|bytes| fixed_value(self.edm_type, bytes)),
        };
        value.ok_or_else(|| no_value(self.edm_type))
    }
}

/// Slots of one name, compiled: of one row at most one of them is present.
#[derive(Clone, Debug)]
pub(crate) struct Places(Box<[Place]>);

impl Places {
    /// Compiles the slots of a name whose types `wanted` accepts; none if the shape lacks the name.
    pub(crate) fn new(shape: &Shape, name: &str, wanted: impl Fn(EdmType) -> bool) -> Places {
        let slots = shape.name(name).into_iter().flat_map(|name| name.slots());
        let places = slots.filter_map(|slot| Place::new(shape, slot));
        Places(places.filter(|place| wanted(place.edm_type())).collect())
    }

    /// The slots: a comparison that no row of the shape can pass has none.
    pub(crate) fn places(&self) -> &[Place] {
        &self.0
    }

    /// The value in the slot that is present.
    ///
    /// # Errors
    /// `Damaged` if its bytes are no value of its type.
    #[inline]
    pub(crate) fn value<'a>(&self, row: &'a [u8]) -> Result<Option<ValueRef<'a>>> {
        let Some(present) = Present::read(row) else {
            return Ok(None);
        };
        match self.0.iter().find(|place| present.has(place.slot)) {
            Some(place) => place.value_of(row, &present).map(Some),
            None => Ok(None),
        }
    }
}

/// The width of the ends, as the exponent of 2.
#[inline]
fn width(row: &[u8]) -> Option<u8> {
    Some((row.get(FLAGS_AT)? & WIDTH_MASK) >> WIDTH_SHIFT)
}
