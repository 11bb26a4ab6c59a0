//! Which slots of its shape a row has.

use super::{BODY_AT, COUNT_AT, FLAGS_AT, FULL};
use crate::codec::bytes::array_at;

/// The slots that are present.
#[derive(Clone, Copy, Debug)]
pub(super) enum Present<'a> {
    /// The first so many.
    Full(usize),
    /// Those whose bit is set; the first 64 are at hand.
    Bits { first: u64, bitmap: &'a [u8] },
}

impl<'a> Present<'a> {
    /// Reads flags and bitmap of a row; `None` if it is too short for them.
    #[inline]
    pub(super) fn read(row: &'a [u8]) -> Option<Present<'a>> {
        let m = usize::from(*row.get(COUNT_AT)?);
        if row.get(FLAGS_AT)? & FULL != 0 {
            return Some(Present::Full(m));
        }
        let bitmap = row.get(BODY_AT..BODY_AT + m)?;
        let first = match array_at::<8>(row, BODY_AT) {
            // Most bitmaps are short: read past them, and cut.
            Some(word) if m < 8 => u64::from_le_bytes(word) & ((1 << (8 * m)) - 1),
            Some(word) => u64::from_le_bytes(word),
            None => word(bitmap, 0),
        };
        Some(Present::Bits { first, bitmap })
    }

    /// Where the values begin.
    #[inline]
    pub(super) fn values_at(&self) -> usize {
        match self {
            Present::Full(_) => BODY_AT,
            Present::Bits { bitmap, .. } => BODY_AT + bitmap.len(),
        }
    }

    /// Calls `job` for each slot that is present, in order.
    #[inline]
    pub(super) fn try_for_each<E>(&self, mut job: impl FnMut(usize) -> Result<(), E>) -> Result<(), E> {
        match *self {
            Present::Full(m) => (0..m).try_for_each(job),
            Present::Bits { first, bitmap } => {
                for at in 0..bitmap.len().div_ceil(8) {
                    let mut bits = if at == 0 { first } else { word(bitmap, at) };
                    while bits != 0 {
                        job(64 * at + bits.trailing_zeros() as usize)?;
                        bits &= bits - 1;
                    }
                }
                Ok(())
            }
        }
    }

    #[inline]
    pub(super) fn has(&self, slot: usize) -> bool {
        match self {
            Present::Full(m) => slot < *m,
            Present::Bits { first, .. } if slot < 64 => first >> slot & 1 != 0,
            Present::Bits { bitmap, .. } => bitmap.get(slot / 8).is_some_and(|byte| byte >> (slot % 8) & 1 != 0),
        }
    }
}

/// The `at`-th 64 bits of a bitmap.
pub(super) fn word(bitmap: &[u8], at: usize) -> u64 {
    let bytes = bitmap.get(8 * at..).unwrap_or_default();
    match bytes.first_chunk::<8>() {
        Some(word) => u64::from_le_bytes(*word),
        None => bytes.iter().rev().fold(0, |word, byte| word << 8 | u64::from(*byte)),
    }
}
