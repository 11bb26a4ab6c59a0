//! Rows of a shape: a bitmap of the slots that are present, then the values, class by class.

use super::present::{Present, word};
use super::{ASCII, CRC_BYTES, WIDTH_SHIFT, fixed_value, frame, no_value, text};
use crate::codec::bytes::array_at;
use crate::codec::shape::{CLASSES, Class, Name, PerClass, Shape};
use crate::model::{EdmType, Properties, ValueRef};
use crate::{DateTime, Guid, Result};
use std::sync::Arc;

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

    /// The properties with memory of their own, in their order.
    ///
    /// All in one pass: what [`Shaped::value`] counts for each slot goes along here.
    pub(super) fn owned_properties(&self) -> Result<Properties> {
        let mut properties = Properties::sharing(Arc::clone(self.shape.shared_names()), 0);
        *properties.list() = self.listed(|slot, value| (slot as u32, value.to_value()))?;
        Ok(properties)
    }

    /// The properties, in their order; their texts and bytes stay where they are.
    pub(super) fn borrowed_properties(&self) -> Result<Vec<(&'a str, ValueRef<'a>)>> {
        let slots = self.shape.slots();
        self.listed(|slot, value| (slots.get(slot).map_or("", |slot| &*slot.name), value))
    }

    /// What `make` makes of each slot and its value, in the order of properties.
    #[inline]
    fn listed<T>(&self, make: impl Fn(usize, ValueRef<'a>) -> T) -> Result<Vec<T>> {
        let slots = self.shape.slots();
        let mut cursor = Cursor::new(self)?;
        let mut list = Vec::with_capacity(cursor.count);
        if self.shape.is_in_order() {
            self.present.try_for_each(|slot| {
                let edm_type = slots.get(slot).ok_or_else(frame)?.edm_type;
                let push = |value| list.push(make(slot, value));
                cursor.value(edm_type, push).ok_or_else(|| no_value(edm_type))
            })?;
            return Ok(list);
        }
        // The number of each property's name. A slot that was appended for a second type comes after its turn.
        let mut order: Vec<u16> = Vec::with_capacity(cursor.count);
        self.present.try_for_each(|slot| {
            let (Some(known), Some(number)) = (slots.get(slot), self.shape.name_numbers().get(slot)) else {
                return Err(frame());
            };
            let at = match order.last() {
                Some(last) if last >= number => order.partition_point(|other| other <= number),
                _ => order.len(),
            };
            order.insert(at, *number);
            let insert = |value| list.insert(at, make(slot, value));
            cursor.value(known.edm_type, insert).ok_or_else(|| no_value(known.edm_type))
        })?;
        Ok(list)
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

/// Where the next value of each class lies, for a pass over the slots in order.
struct Cursor<'a> {
    bytes: &'a [u8],
    at: PerClass<usize>,
    width: u8,
    heap: &'a [u8],
    /// The heap as text, if there is nothing else in it: one look at it, and none at each String.
    texts: Option<&'a str>,
    is_ascii: bool,
    /// Where in the heap the next String or Binary begins.
    from: usize,
    /// How many slots are present.
    count: usize,
}

impl<'a> Cursor<'a> {
    fn new(row: &Shaped<'a>) -> Result<Cursor<'a>> {
        let [eights, guids, int32s, booleans, hashes, ends] = row.starts;
        let (strings, heaped) = (ends - hashes, (row.heap_at - ends) >> row.width);
        let heap = row.bytes.get(row.heap_at..row.bytes.len().saturating_sub(CRC_BYTES)).ok_or_else(frame)?;
        let texts = if strings == heaped {
            Some(text(heap, row.is_ascii).ok_or_else(|| no_value(EdmType::String))?)
        } else {
            None
        };
        Ok(Cursor {
            bytes: row.bytes,
            at: row.starts,
            width: row.width,
            heap,
            texts,
            is_ascii: row.is_ascii,
            from: 0,
            count: (guids - eights) / 8
                + (int32s - guids) / 16
                + (booleans - int32s) / 4
                + (hashes - booleans)
                + heaped,
        })
    }

    /// Hands on the value of the next slot, which is of this type; `None` if its bytes are none.
    ///
    /// Handed on rather than returned: what is made of it is written where it stays.
    #[inline]
    fn value(&mut self, edm_type: EdmType, see: impl FnOnce(ValueRef<'a>)) -> Option<()> {
        match edm_type {
            EdmType::Int32 => see(ValueRef::Int32(i32::from_le_bytes(self.take(Class::Int32)?))),
            EdmType::Int64 => see(ValueRef::Int64(i64::from_le_bytes(self.take(Class::Eight)?))),
            EdmType::Double => see(ValueRef::Double(f64::from_le_bytes(self.take(Class::Eight)?))),
            EdmType::DateTime => {
                let ticks = i64::from_le_bytes(self.take(Class::Eight)?);
                see(ValueRef::DateTime(DateTime::from_ticks(ticks).ok()?));
            }
            EdmType::Guid => see(ValueRef::Guid(Guid::from_bytes(self.take(Class::Guid)?))),
            EdmType::Boolean => match self.take(Class::Boolean)? {
                [0] => see(ValueRef::Boolean(false)),
                [1] => see(ValueRef::Boolean(true)),
                _ => return None,
            },
            EdmType::String => {
                let (from, to) = self.next_heaped()?;
                let text = match self.texts {
                    Some(texts) => texts.get(from..to)?,
                    None => text(self.heap.get(from..to)?, self.is_ascii)?,
                };
                see(ValueRef::String(text));
            }
            EdmType::Binary => {
                let (from, to) = self.next_heaped()?;
                see(ValueRef::Binary(self.heap.get(from..to)?));
            }
        }
        Some(())
    }

    #[inline]
    fn take<const N: usize>(&mut self, class: Class) -> Option<[u8; N]> {
        let at = &mut self.at[class as usize];
        let value = array_at(self.bytes, *at)?;
        *at += N;
        Some(value)
    }

    #[inline]
    fn next_heaped(&mut self) -> Option<(usize, usize)> {
        let at = &mut self.at[Class::Binary as usize];
        let to = read_end(self.bytes.get(*at..)?, self.width)?;
        *at += 1 << self.width;
        Some((std::mem::replace(&mut self.from, to), to))
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
            // Few shapes have slots of all classes.
            if *mask != 0 {
                *count += (word & mask).count_ones() as u16;
            }
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
