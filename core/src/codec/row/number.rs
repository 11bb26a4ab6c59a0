//! A comparison of a property's values of fixed length, compiled for the rows of one shape.
//!
//! A property may hold an Int32 in one row and a Double in the next, as a language with one kind of number writes them:
//! which of them is as good as random then, and nothing here branches on it. The bitmap says which slot is filled, the
//! slot how the bits of its value become an ordinal, and that lies in the slot's span or does not.

use super::present::{Present, word};
use super::{fixed_bytes, frame, no_value};
use crate::Result;
use crate::codec::bytes::array_at;
use crate::codec::shape::{Class, Shape};
use crate::model::EdmType;
use crate::model::span::{self, Span};
use std::cmp::Ordering;

/// The slots of a name, and which of their values are asked for.
///
/// For rows of its shape, and as careful as a [`Place`](super::Place): it reads within the row whatever the row holds,
/// and checks what it reads.
#[derive(Clone, Debug)]
pub(crate) struct Spans {
    /// Which 64 slots of the shape these are among, and which of them they are.
    word: usize,
    mask: u64,
    /// Of the 64, which is which of `slots`.
    places: [u8; 64],
    slots: Box<[Slot]>,
    /// How far the first 64 slots count, in bytes of the bitmap.
    counted: usize,
    /// Whether there may be values that have no ordinal.
    is_checked: bool,
}

/// Bytes of the bitmap whose sums are looked up. More are counted, which takes as long for all of them.
const FEW: usize = 4;

#[derive(Clone, Debug)]
struct Slot {
    edm_type: EdmType,
    number: usize,
    value_bytes: usize,
    /// What is turned around in a negative value.
    turned: i64,
    span: Span,
    /// For each 64 slots, which of them hold values that lie before this one.
    before: Box<[Before]>,
    /// For each byte of the bitmap that counts, if these are few, the bytes of the values that its bits stand for.
    sums: Box<[Sums]>,
    /// For full rows, by their number of slots: the bytes before the value.
    full: Box<[u32]>,
    /// The ordinals that there are; any other is damage.
    least: i64,
    most: i64,
}

/// Slots of 8, 16, 4 and 1 bytes.
type Before = [u64; 4];
const WIDTHS: [u8; 4] = [8, 16, 4, 1];

/// By the bits of a byte. Eight Guids are 128 bytes.
type Sums = [u8; 256];

impl Spans {
    /// Compiles slots of one name, with the values that are asked for in each.
    ///
    /// `None` if a type has no ordinals, if the slots are too far apart, or if there are none.
    pub(crate) fn new(shape: &Shape, asked: impl Iterator<Item = (u16, Span)>) -> Option<Spans> {
        let mut slots = asked.map(|(slot, span)| Slot::new(shape, slot.into(), span)).collect::<Option<Vec<_>>>()?;
        let word = slots.first()?.number / 64;
        let (mut mask, mut places) = (0, [0; 64]);
        for (slot, at) in slots.iter().zip(0..) {
            if slot.number / 64 != word {
                return None;
            }
            mask |= 1 << (slot.number % 64);
            places[slot.number % 64] = at;
        }
        // Alike for all slots: how long a row takes must not depend on which it fills.
        let counted = slots.iter().map(Slot::counted).max()?;
        if counted <= FEW {
            slots.iter_mut().for_each(|slot| slot.sum_up(counted));
        }
        let is_checked = slots.iter().any(|slot| !slot.edm_type.is_number());
        Some(Spans { word, mask, places, slots: slots.into(), counted, is_checked })
    }

    /// Whether the row has one of the values that are asked for; `None` if none of the slots is filled.
    ///
    /// # Errors
    /// `Damaged` if the value does not lie within the row, or is none of its type.
    #[inline]
    pub(crate) fn holds(&self, row: &[u8]) -> Result<Option<bool>> {
        let present = Present::read(row).ok_or_else(frame)?;
        let (slot, before) = match present {
            Present::Full(m) => {
                let Some(slot) = self.slots.iter().find(|slot| slot.number < m) else { return Ok(None) };
                (slot, *slot.full.get(m).ok_or_else(frame)? as usize)
            }
            Present::Bits { first, bitmap } => {
                let filled = self.mask & if self.word == 0 { first } else { word(bitmap, self.word) };
                if filled == 0 {
                    return Ok(None);
                }
                let place = self.places[filled.trailing_zeros() as usize % 64];
                let slot = self.slots.get(usize::from(place)).ok_or_else(frame)?;
                let before = if self.counted <= FEW { slot.look_up(first) } else { slot.count(first, bitmap) };
                (slot, before)
            }
        };
        let ordinal = slot.ordinal(row, present.values_at() + before).ok_or_else(frame)?;
        if self.is_checked && !(slot.least..=slot.most).contains(&ordinal) {
            return Err(no_value(slot.edm_type));
        }
        Ok(Some(slot.span.holds(ordinal)))
    }
}

impl Slot {
    fn new(shape: &Shape, number: usize, span: Span) -> Option<Slot> {
        let edm_type = shape.slots().get(number)?.edm_type;
        let (least, most) = span::ordinals(edm_type)?;
        let value_bytes = fixed_bytes(edm_type)?;
        // Of classes before the value's own, all slots; of its own, those before this one.
        let own = Class::of(edm_type) as usize;
        let classes = [Class::Eight, Class::Guid, Class::Int32, Class::Boolean].map(|class| class as usize);
        let words = shape.masks().iter().zip(0..).map(|(masks, at)| {
            let below = match number.saturating_sub(64 * at) {
                bits @ 0..64 => (1 << bits) - 1,
                _ => u64::MAX,
            };
            classes.map(|class| match class.cmp(&own) {
                Ordering::Less => masks[class],
                Ordering::Equal => masks[class] & below,
                Ordering::Greater => 0,
            })
        });
        let mut before: Vec<Before> = words.collect();
        while before.pop_if(|before| *before == Before::default()).is_some() {}
        let full = (0..=shape.slots().len().min(u8::MAX.into())).map(|m| {
            let count = |class: usize| {
                let counted = if class < own { m } else { m.min(number) };
                shape.before(counted).map_or(0, |counts| u32::from(counts[class]))
            };
            let before = classes.into_iter().zip(WIDTHS).filter(|(class, _)| *class <= own);
            before.map(|(class, width)| u32::from(width) * count(class)).sum()
        });
        let full = full.collect();
        let turned = if edm_type == EdmType::Double { i64::MAX } else { 0 };
        let (before, sums) = (before.into(), Box::default());
        Some(Slot { edm_type, number, value_bytes, turned, span, before, sums, full, least, most })
    }

    /// How far the bitmap counts, in bytes.
    fn counted(&self) -> usize {
        match &*self.before {
            [] => 0,
            [first] => (u64::BITS - first.iter().fold(0, |all, mask| all | mask).leading_zeros()).div_ceil(8) as usize,
            more => 8 * more.len(),
        }
    }

    fn sum_up(&mut self, counted: usize) {
        let before = self.before.first().copied().unwrap_or_default();
        let sums = (0..counted).map(|byte| {
            let mut sums = [0; 256];
            for bit in 0..8 {
                let is_set = |mask: u64| mask >> (8 * byte + bit) & 1 != 0;
                let width =
                    before.into_iter().zip(WIDTHS).find(|(mask, _)| is_set(*mask)).map_or(0, |(_, width)| width);
                let (without, with) = sums.split_at_mut(1 << bit);
                with.iter_mut().zip(without).for_each(|(with, without)| *with = *without + width);
            }
            sums
        });
        self.sums = sums.collect();
    }

    #[inline]
    fn look_up(&self, first: u64) -> usize {
        self.sums.iter().zip(0..).map(|(sums, byte)| usize::from(sums[usize::from((first >> (8 * byte)) as u8)])).sum()
    }

    fn count(&self, first: u64, bitmap: &[u8]) -> usize {
        let mut bytes = 0;
        for (before, at) in self.before.iter().zip(0..) {
            let present = if at == 0 { first } else { word(bitmap, at) };
            for (mask, width) in before.iter().zip(WIDTHS) {
                // Few shapes have all widths.
                if *mask != 0 {
                    bytes += usize::from(width) * (present & mask).count_ones() as usize;
                }
            }
        }
        bytes
    }

    /// The ordinal of the value that begins here; `None` if it does not lie within the row.
    #[inline]
    fn ordinal(&self, row: &[u8], at: usize) -> Option<i64> {
        // The eight bytes that end with the value: a row's head has more than eight, so they are there.
        let word = array_at::<8>(row, (at + self.value_bytes).checked_sub(8)?)?;
        let value = i64::from_le_bytes(word) >> (64 - 8 * self.value_bytes);
        Some(value ^ (value >> 63 & self.turned))
    }
}

#[cfg(test)]
mod tests;
