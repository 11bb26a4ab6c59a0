//! Rows of a shape: a bitmap of the slots that are present, then the values, class by class.

use super::present::{Present, word};
use super::{ASCII, CRC_BYTES, WIDTH_SHIFT, fixed_value, no_value, text};
use crate::Result;
use crate::codec::bytes::array_at;
use crate::codec::shape::{CLASSES, Class, Name, PerClass, Shape};
use crate::model::{EdmType, ValueRef};

/// A row of a shape, its frame checked.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Shaped<'a> {
    bytes: &'a [u8],
    shape: &'a Shape,
    present: Present<'a>,
    /// Where the values of each class begin; for Strings their hash bytes, for Binaries the ends of both.
    starts: PerClass<usize>,
    heap_at: usize,
    /// Bytes of an end, as the exponent of 2.
    width: u8,
    is_ascii: bool,
}

impl<'a> Shaped<'a> {
    /// `None` if the frame does not hold.
    #[inline]
    pub(super) fn new(bytes: &'a [u8], flags: u8, shape: &'a Shape) -> Option<Shaped<'a>> {
        let present = Present::read(bytes)?;
        let counts = count(&present, shape)?;
        let width = (flags >> WIDTH_SHIFT) & 3;
        let starts = starts(present.values_at(), &counts);
        let ends = usize::from(counts[Class::String as usize]) + usize::from(counts[Class::Binary as usize]);
        let heap_at = starts[Class::Binary as usize] + (ends << width);
        let ends = bytes.get(starts[Class::Binary as usize]..heap_at)?;
        let heap_bytes = last_end(ends, width)?;
        let is_whole = bytes.len().checked_sub(heap_at)?.checked_sub(CRC_BYTES)? == heap_bytes;
        is_whole.then_some(Shaped { bytes, shape, present, starts, heap_at, width, is_ascii: flags & ASCII != 0 })
    }

    pub(super) fn shape(&self) -> &'a Shape {
        self.shape
    }

    #[cfg(test)]
    pub(super) fn is_ascii(&self) -> bool {
        self.is_ascii
    }

    /// The slot of the name that is present.
    #[inline]
    pub(super) fn slot_of(&self, name: &Name) -> Option<usize> {
        match name.single() {
            Some(slot) => Some(slot.into()).filter(|slot| self.present.has(*slot)),
            None => name.slots().map(usize::from).find(|slot| self.present.has(*slot)),
        }
    }

    /// How many slots of the class are present before this one.
    #[inline]
    fn rank(&self, class: Class, slot: usize) -> usize {
        let class = class as usize;
        match self.present {
            Present::Full(_) => self.shape.before(slot).map_or(0, |counts| counts[class].into()),
            Present::Bits { first, bitmap } => {
                let masks = self.shape.masks();
                let below = |at: usize| masks.get(at).map_or(0, |masks| masks[class]);
                let partial = (1_u64 << (slot % 64)) - 1;
                if slot < 64 {
                    return (first & below(0) & partial).count_ones() as usize;
                }
                let whole: u32 = (0..slot / 64).map(|at| (word(bitmap, at) & below(at)).count_ones()).sum();
                (whole + (word(bitmap, slot / 64) & below(slot / 64) & partial).count_ones()) as usize
            }
        }
    }

    /// The value in the slot, if it is present.
    #[inline]
    pub(super) fn value(&self, slot: usize) -> Result<Option<ValueRef<'a>>> {
        let Some(known) = self.shape.slots().get(slot).filter(|_| self.present.has(slot)) else {
            return Ok(None);
        };
        let edm_type = known.edm_type;
        let value = match edm_type {
            EdmType::String => self.heap(slot).and_then(|b| text(b, self.is_ascii)).map(ValueRef::String),
            EdmType::Binary => self.heap(slot).map(ValueRef::Binary),
            _ => {
                let class = Class::of(edm_type);
                let width = [8, 16, 4, 1, 0, 0][class as usize];
                let at = self.starts[class as usize] + width * self.rank(class, slot);
                self.bytes.get(at..).and_then(|bytes| fixed_value(edm_type, bytes))
            }
        };
        value.map(Some).ok_or_else(|| no_value(edm_type))
    }

    /// The hash byte of the String in the slot.
    #[cfg(test)]
    pub(super) fn string_hash(&self, slot: usize) -> Option<u8> {
        let known = self.shape.slots().get(slot)?;
        if known.edm_type != EdmType::String || !self.present.has(slot) {
            return None;
        }
        self.bytes.get(self.starts[Class::String as usize] + self.rank(Class::String, slot)).copied()
    }

    /// The heap's bytes of a String or Binary.
    fn heap(&self, slot: usize) -> Option<&'a [u8]> {
        let number = self.rank(Class::String, slot) + self.rank(Class::Binary, slot);
        let start = match number.checked_sub(1) {
            Some(before) => self.end(before)?,
            None => 0,
        };
        let heap = self.bytes.get(self.heap_at..self.bytes.len().checked_sub(CRC_BYTES)?)?;
        heap.get(start..self.end(number)?)
    }

    fn end(&self, number: usize) -> Option<usize> {
        let at = self.starts[Class::Binary as usize] + (number << self.width);
        read_end(self.bytes.get(at..)?, self.width)
    }
}

/// Where the values of each class begin, the first at `values_at`.
pub(super) fn starts(values_at: usize, counts: &PerClass<u16>) -> PerClass<usize> {
    let guids = values_at + 8 * usize::from(counts[Class::Eight as usize]);
    let int32s = guids + 16 * usize::from(counts[Class::Guid as usize]);
    let booleans = int32s + 4 * usize::from(counts[Class::Int32 as usize]);
    let hashes = booleans + usize::from(counts[Class::Boolean as usize]);
    let ends = hashes + usize::from(counts[Class::String as usize]);
    [values_at, guids, int32s, booleans, hashes, ends]
}

/// How many slots of each class are present; `None` if none is, or one that the shape lacks.
#[inline]
fn count(present: &Present<'_>, shape: &Shape) -> Option<PerClass<u16>> {
    let (first, bitmap) = match *present {
        Present::Full(0) => return None,
        Present::Full(m) => return shape.before(m).copied(),
        Present::Bits { first, bitmap } => (first, bitmap),
    };
    // The highest slot that is present is in the last byte.
    let last = bitmap.last().filter(|last| **last != 0)?;
    let highest = 8 * bitmap.len() - 1 - last.leading_zeros() as usize;
    if highest >= shape.slots().len() {
        return None;
    }
    let mut counts = [0; CLASSES];
    for (at, masks) in shape.masks().iter().enumerate().take(bitmap.len().div_ceil(8)) {
        let word = if at == 0 { first } else { word(bitmap, at) };
        for (count, mask) in counts.iter_mut().zip(masks) {
            *count += (word & mask).count_ones() as u16;
        }
    }
    Some(counts)
}

/// The last of the ends, 0 if there is none; `None` if they fall somewhere.
#[inline]
fn last_end(ends: &[u8], width: u8) -> Option<usize> {
    let is_sorted = match width {
        0 => ends.is_sorted(),
        1 => ends.as_chunks().0.iter().map(|end| u16::from_le_bytes(*end)).is_sorted(),
        _ => ends.as_chunks().0.iter().map(|end| u32::from_le_bytes(*end)).is_sorted(),
    };
    match ends.len().checked_sub(1 << width) {
        _ if !is_sorted => None,
        Some(last) => read_end(ends.get(last..)?, width),
        None => Some(0),
    }
}

#[inline]
pub(super) fn read_end(bytes: &[u8], width: u8) -> Option<usize> {
    match width {
        0 => bytes.first().map(|end| usize::from(*end)),
        1 => array_at(bytes, 0).map(|end| usize::from(u16::from_le_bytes(end))),
        _ => array_at(bytes, 0).and_then(|end| usize::try_from(u32::from_le_bytes(end)).ok()),
    }
}
