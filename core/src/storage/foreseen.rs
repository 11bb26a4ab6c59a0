//! The rows of a group of many operations: known before the first is tried, and looked up in the order of their keys, in
//! which neighbours lie on the same pages.

use super::log::in_key_order;
use super::{Read, Space, WriteTxn};
use crate::Result;
use std::sync::Arc;

/// Keys of rows in the order of the operations that are about them, in one piece of memory.
#[derive(Default)]
pub(crate) struct Keys {
    bytes: Vec<u8>,
    ends: Vec<usize>,
}

impl Keys {
    /// Appends the key that `write` appends to the bytes that it is given.
    pub(crate) fn push(&mut self, write: impl FnOnce(&mut Vec<u8>)) {
        write(&mut self.bytes);
        self.ends.push(self.bytes.len());
    }

    /// The key of this number.
    pub(crate) fn get(&self, number: usize) -> &[u8] {
        let start = number.checked_sub(1).and_then(|before| self.ends.get(before)).copied().unwrap_or_default();
        let end = self.ends.get(number).copied().unwrap_or_default();
        self.bytes.get(start..end).unwrap_or_default()
    }

    fn len(&self) -> usize {
        self.ends.len()
    }
}

/// Rows as they were before the group, and which change is the last of each.
pub(super) struct Foreseen<'t> {
    keys: Arc<Keys>,
    /// The slot of each key's row: several operations may be about one.
    slots: Vec<usize>,
    /// In key order.
    rows: Vec<Foresaw<'t>>,
}

struct Foresaw<'t> {
    /// The number of its key, the first.
    key: usize,
    before: Option<&'t [u8]>,
    /// The number of its last change in the log of the rows.
    change: Option<usize>,
}

impl<'t> Foreseen<'t> {
    /// Looks the rows up.
    pub(super) fn look_up(txn: &'t WriteTxn<'_>, keys: Arc<Keys>) -> Result<Foreseen<'t>> {
        let (mut slots, mut rows) = (vec![0; keys.len()], Vec::<Foresaw<'t>>::with_capacity(keys.len()));
        for number in in_key_order(keys.len(), |number| keys.get(number)) {
            let key = keys.get(number);
            if rows.last().is_none_or(|last| keys.get(last.key) != key) {
                rows.push(Foresaw { key: number, before: txn.get(Space::Rows, key)?, change: None });
            }
            if let Some(slot) = slots.get_mut(number) {
                *slot = rows.len() - 1;
            }
        }
        Ok(Foreseen { keys, slots, rows })
    }

    /// The slot of the row that the key of this number is about.
    pub(super) fn slot(&self, number: usize) -> Option<usize> {
        self.slots.get(number).copied()
    }

    /// The slot of a key's row, if an operation is about it.
    pub(super) fn find(&self, key: &[u8]) -> Option<usize> {
        self.rows.binary_search_by(|row| self.keys.get(row.key).cmp(key)).ok()
    }

    /// The row as it was, and the number of its last change.
    pub(super) fn get(&self, slot: usize) -> (Option<&'t [u8]>, Option<usize>) {
        self.rows.get(slot).map(|row| (row.before, row.change)).unwrap_or_default()
    }

    pub(super) fn note_change(&mut self, slot: usize, change: usize) {
        if let Some(row) = self.rows.get_mut(slot) {
            row.change = Some(change);
        }
    }

    /// The last change of each row that has one, in key order.
    pub(super) fn changes(&self) -> impl Iterator<Item = usize> {
        self.rows.iter().filter_map(|row| row.change)
    }
}
