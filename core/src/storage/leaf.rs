//! Leaf pages read where they lie in the map, behind the same face as a cursor: a row costs a few loads, where a
//! cursor's step costs a call.
//!
//! It reads LMDB's page format, data version 1, on pages of 4,096 bytes, and steps aside where that is not what
//! there is, or in a write transaction, whose pages move. Nothing on a page is trusted: page numbers are held
//! against the file's, and offsets against the page.
#![allow(unsafe_code, reason = "pages are slices of the map that LMDB keeps for the transaction")]

mod estimate;
mod many;
mod roots;

use super::range::{Bounds, Direction};
use super::txn::{Databases, ReadTxn};
use super::{Space, failure};
use crate::{Error, Result};
use std::marker::PhantomData;
use std::ops::Bound;
use std::slice;

const PAGE: usize = 4_096;
/// A page's header: number u64, padding u16, flags u16, lower u16, upper u16.
const PAGE_HEADER: usize = 16;
const BRANCH: u16 = 1;
const LEAF: u16 = 2;
/// A node's header: two halves of a length (or of a page's number), flags u16, key length u16.
const NODE_HEADER: usize = 8;
/// The value lies on pages of its own.
const BIG: u16 = 1;
/// Levels of a tree: LMDB's own limit.
const MOST_LEVELS: usize = 32;
/// In a database's record: its root page, and the number that stands for "no page".
const ROOT_AT: usize = 40;
const NO_PAGE: u64 = u64::MAX;

pub(super) use estimate::estimate;
pub(super) use many::get_many;
pub(super) use roots::Roots;

/// The pages of the file, as a read transaction may see them.
#[derive(Clone, Copy)]
pub(super) struct Pages<'t> {
    base: *const u8,
    last_page: u64,
    txn: PhantomData<&'t ()>,
}

impl<'t> Pages<'t> {
    /// The pages, and the number of the root page of a space; `None` for a root of an empty tree.
    fn of(txn: &'t ReadTxn<'_>, name: &str) -> Result<Option<(Pages<'t>, u64)>> {
        let (id, last_page) = (txn.txn.id(), txn.last_page);
        let (base, root) = match txn.roots.get(id, name) {
            Some(known) => known,
            None => {
                let Some((base, root)) = Pages::look_up(txn, name)? else { return Ok(None) };
                txn.roots.note(id, name, base, root);
                (base, root)
            }
        };
        Ok(Some((Pages { base, last_page, txn: PhantomData }, root)))
    }

    /// Where the map begins, and the root page, as LMDB has them.
    fn look_up(txn: &ReadTxn<'_>, name: &str) -> Result<Option<(*const u8, u64)>> {
        let record = txn.dbs.of(Space::Header).get(&txn.txn, name.as_bytes()).map_err(failure)?;
        let record = record.ok_or_else(|| damaged("A database's record is missing."))?;
        let root = u64_at(record, ROOT_AT).ok_or_else(|| damaged("A database's record is cut short."))?;
        if root == NO_PAGE {
            return Ok(None);
        }
        // The record is a short value, so it lies on a leaf page, whose first bytes are its number.
        let record = record.as_ptr();
        let page = record.wrapping_sub(record as usize % PAGE);
        // SAFETY: `page` is the beginning of the page that `record` lies on, which is within the map.
        let number = u64_at(unsafe { slice::from_raw_parts(page, PAGE) }, 0).unwrap_or(NO_PAGE);
        let before = usize::try_from(number).ok().and_then(|number| number.checked_mul(PAGE));
        let before =
            before.filter(|before| *before <= page as usize).ok_or_else(|| damaged("A page's number is wrong."))?;
        Ok(Some((page.wrapping_sub(before), root)))
    }

    /// `bytes` from the beginning of a page, which may go on over the pages behind it.
    #[inline]
    fn bytes(&self, number: u64, bytes: usize) -> Result<&'t [u8]> {
        let behind = number.checked_add(bytes.div_ceil(PAGE) as u64);
        if behind.is_none_or(|behind| behind > self.last_page + 1) {
            return Err(damaged("A page's number is beyond the file."));
        }
        // SAFETY: the pages lie within the file, which is mapped from `base` on for as long as the environment lives,
        // and LMDB does not write to a page that a reader's tree leads to while the transaction `'t` lives.
        Ok(unsafe { slice::from_raw_parts(self.base.add(number as usize * PAGE), bytes) })
    }

    fn page(&self, number: u64) -> Result<Page<'t>> {
        let bytes = self.bytes(number, PAGE)?;
        let (flags, lower) = (u16_at(bytes, 10), u16_at(bytes, 12));
        let (Some(flags), Some(lower), Some(own)) = (flags, lower, u64_at(bytes, 0)) else {
            return Err(damaged("A page is cut short."));
        };
        let count = usize::from(lower).checked_sub(PAGE_HEADER).map(|bytes| bytes / 2);
        let Some(count) = count.filter(|_| own == number && usize::from(lower) <= PAGE) else {
            return Err(damaged("A page's header is wrong."));
        };
        let is_branch = flags == BRANCH;
        if !is_branch && flags != LEAF {
            return Err(damaged("A page is neither a branch nor a leaf."));
        }
        Ok(Page { bytes, is_branch, count })
    }
}

#[cold]
fn damaged(fact: &str) -> Error {
    Error::damaged(fact)
}

fn u16_at(bytes: &[u8], at: usize) -> Option<u16> {
    Some(u16::from_le_bytes(bytes.get(at..at + 2)?.try_into().ok()?))
}

fn u64_at(bytes: &[u8], at: usize) -> Option<u64> {
    Some(u64::from_le_bytes(bytes.get(at..at + 8)?.try_into().ok()?))
}

#[derive(Clone, Copy)]
struct Page<'t> {
    bytes: &'t [u8],
    is_branch: bool,
    count: usize,
}

struct Node<'t> {
    key: &'t [u8],
    flags: u16,
    /// Of a leaf the value's length, of a branch part of the page's number.
    low: u32,
    data_at: usize,
}

impl<'t> Page<'t> {
    #[inline]
    fn node(&self, index: usize) -> Result<Node<'t>> {
        self.try_node(index).ok_or_else(|| damaged("A page's node lies outside of it."))
    }

    #[inline]
    fn try_node(&self, index: usize) -> Option<Node<'t>> {
        let at = usize::from(u16_at(self.bytes, PAGE_HEADER + 2 * index)?);
        let header: &[u8; NODE_HEADER] = self.bytes.get(at..at + NODE_HEADER)?.try_into().ok()?;
        let [l0, l1, h0, h1, f0, f1, k0, k1] = *header;
        let data_at = at + NODE_HEADER + usize::from(u16::from_le_bytes([k0, k1]));
        let key = self.bytes.get(at + NODE_HEADER..data_at)?;
        Some(Node { key, flags: u16::from_le_bytes([f0, f1]), low: u32::from_le_bytes([l0, l1, h0, h1]), data_at })
    }

    fn key(&self, index: usize) -> Result<&'t [u8]> {
        Ok(self.node(index)?.key)
    }

    /// The page that a branch's node leads to.
    fn child(&self, index: usize) -> Result<u64> {
        let node = self.node(index)?;
        Ok(u64::from(node.low) | u64::from(node.flags) << 32)
    }

    #[inline]
    fn value(&self, pages: &Pages<'t>, node: &Node<'t>) -> Result<&'t [u8]> {
        let bytes = node.low as usize;
        if node.flags & BIG == 0 {
            return self
                .bytes
                .get(node.data_at..node.data_at + bytes)
                .ok_or_else(|| damaged("A value lies outside of its page."));
        }
        let number = u64_at(self.bytes, node.data_at).ok_or_else(|| damaged("A value's page has no number."))?;
        let value = pages.bytes(number, PAGE_HEADER + bytes)?;
        Ok(&value[PAGE_HEADER..])
    }

    /// How many of the page's keys, from `first` on, `is_before` says yes to; they come first.
    fn partition(&self, first: usize, is_before: impl Fn(&[u8]) -> bool) -> Result<usize> {
        let (mut low, mut high) = (first, self.count);
        while low < high {
            let middle = low + (high - low) / 2;
            if is_before(self.key(middle)?) { low = middle + 1 } else { high = middle }
        }
        Ok(low)
    }

    /// [`Page::partition`] on a page that is likely to lie in memory and not in a cache: keys of about `key_bytes` are
    /// asked for together, as soon as few enough are left, instead of waiting for one after the other.
    fn partition_afar(&self, first: usize, key_bytes: usize, is_before: impl Fn(&[u8]) -> bool) -> Result<usize> {
        let (mut low, mut high) = (first, self.count);
        while low + FEW_KEYS < high {
            let middle = low + (high - low) / 2;
            if is_before(self.key(middle)?) { low = middle + 1 } else { high = middle }
        }
        for index in low..high {
            let at = u16_at(self.bytes, PAGE_HEADER + 2 * index).map_or(0, usize::from);
            let end = at + NODE_HEADER + key_bytes.min(CACHE_LINE);
            prefetch(self.bytes, at);
            if at / CACHE_LINE != end / CACHE_LINE {
                prefetch(self.bytes, end);
            }
        }
        while low < high {
            let middle = low + (high - low) / 2;
            if is_before(self.key(middle)?) { low = middle + 1 } else { high = middle }
        }
        Ok(low)
    }
}

/// The value of a key, looked for where the pages lie.
pub(super) fn get<'t>(txn: &'t ReadTxn<'_>, tree: &str, key: &[u8]) -> Result<Option<&'t [u8]>> {
    let Some((pages, root)) = Pages::of(txn, tree)? else { return Ok(None) };
    let mut page = pages.page(root)?;
    for _ in 0..MOST_LEVELS {
        if !page.is_branch {
            let at = page.partition_afar(0, key.len(), |other| other < key)?;
            if at == page.count {
                return Ok(None);
            }
            let node = page.node(at)?;
            if node.key != key {
                return Ok(None);
            }
            let value = page.value(&pages, &node)?;
            (0..value.len().min(VALUE_AHEAD)).step_by(CACHE_LINE).for_each(|at| prefetch(value, at));
            return Ok(Some(value));
        }
        if page.count == 0 {
            break;
        }
        page = pages.page(page.child(page.partition_afar(1, key.len(), |other| other <= key)? - 1)?)?;
    }
    Err(damaged("A tree has no leaf, or too many levels."))
}

/// A branch page on the way to the leaf.
struct Branch<'t> {
    page: Page<'t>,
    /// The child below.
    index: usize,
    /// The last child, in the direction of the walk, that may hold keys before the walk's end.
    last: usize,
    /// Whether keys of the last child may lie behind the walk's end. In all others none does: their leaves are taken
    /// whole, without a look at a key.
    is_edge: bool,
}

/// A walk over the leaves between two bounds, either way.
pub(super) struct Leaves<'t> {
    pages: Pages<'t>,
    direction: Direction,
    /// The branch pages above the leaf, the root first.
    branches: Vec<Branch<'t>>,
    leaf: Page<'t>,
    /// The entries of the leaf that are left: from `next` up to `end`, or from `end` down to `next`.
    next: usize,
    end: usize,
    /// Where the walk ends, in its direction.
    stop: Bound<Vec<u8>>,
    /// Whether the entries are read, not only counted.
    is_read: bool,
    /// How many leaves may still come: no more than the file has pages. In a damaged tree branches may lead to where
    /// the walk has been.
    leaves_left: u64,
}

/// How many leaves ahead their headers are asked for when entries are read, and when leaves are only counted.
const AHEAD_READING: usize = 2;
const AHEAD_COUNTING: usize = 12;
/// Entries of a leaf that are asked for before the walk comes to it.
const ENTRIES_AHEAD: usize = 24;
const CACHE_LINE: usize = 64;
/// Keys among which a search asks for all at once.
const FEW_KEYS: usize = 16;
/// Bytes of a value that are asked for when it is found.
const VALUE_AHEAD: usize = 512;

impl<'t> Leaves<'t> {
    /// The walk; `None` where there is nothing to walk over.
    pub(super) fn new(
        txn: &'t ReadTxn<'_>,
        tree: &str,
        bounds: &Bounds,
        direction: Direction,
    ) -> Result<Option<Leaves<'t>>> {
        let Some((pages, root)) = Pages::of(txn, tree)? else { return Ok(None) };
        let (start, stop) = match direction {
            Direction::Ascending => (&bounds.0, &bounds.1),
            Direction::Descending => (&bounds.1, &bounds.0),
        };
        let leaf = pages.page(root)?;
        let (branches, stop) = (Vec::new(), stop.clone());
        let leaves_left = pages.last_page.saturating_add(1);
        let mut leaves = Leaves { pages, direction, branches, leaf, next: 0, end: 0, stop, is_read: true, leaves_left };
        leaves.seek(start)?;
        Ok(Some(leaves))
    }

    /// Goes down to the leaf where the walk begins.
    fn seek(&mut self, start: &Bound<Vec<u8>>) -> Result<()> {
        let direction = self.direction;
        // Keys that lie before the place between two keys which the bound means.
        let is_before = |key: &[u8]| match (start, direction) {
            (Bound::Unbounded, Direction::Ascending) => false,
            (Bound::Unbounded, Direction::Descending) => true,
            (Bound::Included(bound), Direction::Ascending) | (Bound::Excluded(bound), Direction::Descending) => {
                key < bound
            }
            (Bound::Excluded(bound), Direction::Ascending) | (Bound::Included(bound), Direction::Descending) => {
                key <= bound
            }
        };
        let key_bytes = match start {
            Bound::Included(bound) | Bound::Excluded(bound) => bound.len(),
            Bound::Unbounded => 0,
        };
        // The first child has no key of its own: it holds what lies before the second's.
        let place = |page: &Page<'t>| Ok(page.partition_afar(1, key_bytes, is_before)? - 1);
        self.descend(self.leaf, self.stop != Bound::Unbounded, place)?;
        let at = match start {
            Bound::Unbounded => self.leaf.partition(0, is_before)?,
            _ => self.leaf.partition_afar(0, key_bytes, is_before)?,
        };
        match self.direction {
            Direction::Ascending => self.next = at.max(self.next),
            Direction::Descending => self.end = at.min(self.end),
        }
        Ok(())
    }

    /// Goes down from a page to a leaf, by the children that `place` chooses, and enters it.
    fn descend(
        &mut self,
        mut page: Page<'t>,
        mut is_edge: bool,
        place: impl Fn(&Page<'t>) -> Result<usize>,
    ) -> Result<()> {
        while page.is_branch {
            if self.branches.len() == MOST_LEVELS || page.count == 0 {
                return Err(damaged("A tree has no leaf, or too many levels."));
            }
            let index = place(&page)?;
            self.await_child(&page, index);
            let last = self.last_child(&page, is_edge)?;
            match self.direction {
                Direction::Ascending if index < last => self.await_child(&page, index + 1),
                Direction::Descending if index > last => self.await_child(&page, index - 1),
                _ => {}
            }
            self.branches.push(Branch { page, index, last, is_edge });
            is_edge &= index == last;
            page = self.pages.page(page.child(index)?)?;
        }
        self.look_ahead();
        self.enter(page, is_edge)
    }

    /// Asks for the header of a child that will be needed: the waits for two of them are one then.
    #[inline]
    fn await_child(&self, page: &Page<'t>, index: usize) {
        if let Some(bytes) = page.child(index).ok().and_then(|number| self.pages.bytes(number, PAGE).ok()) {
            prefetch(bytes, 0);
        }
    }

    /// The last child of a branch page that may hold keys before the walk's end.
    fn last_child(&self, page: &Page<'t>, is_edge: bool) -> Result<usize> {
        match (&self.stop, self.direction) {
            (Bound::Included(stop), Direction::Ascending) if is_edge => {
                Ok(page.partition(1, |key| key <= &**stop)? - 1)
            }
            (Bound::Excluded(stop), Direction::Ascending) if is_edge => Ok(page.partition(1, |key| key < &**stop)? - 1),
            // Keys of a child are smaller than the key of the next one.
            (Bound::Included(stop) | Bound::Excluded(stop), Direction::Descending) if is_edge => {
                Ok(page.partition(1, |key| key <= &**stop)? - 1)
            }
            (_, Direction::Ascending) => Ok(page.count - 1),
            (_, Direction::Descending) => Ok(0),
        }
    }

    /// Takes a leaf, cut at the walk's end if that may lie within.
    fn enter(&mut self, leaf: Page<'t>, is_edge: bool) -> Result<()> {
        self.leaves_left = self
            .leaves_left
            .checked_sub(1)
            .ok_or_else(|| damaged("A tree has more leaves than the file has pages."))?;
        (self.leaf, self.next, self.end) = (leaf, 0, leaf.count);
        match (&self.stop, self.direction) {
            (Bound::Included(stop), Direction::Ascending) if is_edge => {
                self.end = leaf.partition(0, |key| key <= &**stop)?;
            }
            (Bound::Excluded(stop), Direction::Ascending) if is_edge => {
                self.end = leaf.partition(0, |key| key < &**stop)?;
            }
            (Bound::Included(stop), Direction::Descending) if is_edge => {
                self.next = leaf.partition(0, |key| key < &**stop)?;
            }
            (Bound::Excluded(stop), Direction::Descending) if is_edge => {
                self.next = leaf.partition(0, |key| key <= &**stop)?;
            }
            _ => {}
        }
        Ok(())
    }

    /// Goes on to the neighbouring leaf. Tells whether there is one.
    fn turn(&mut self) -> Result<bool> {
        let direction = self.direction;
        while let Some(branch) = self.branches.last_mut() {
            let is_at_end = match direction {
                Direction::Ascending => branch.index >= branch.last,
                Direction::Descending => branch.index <= branch.last,
            };
            if is_at_end {
                self.branches.pop();
                continue;
            }
            match direction {
                Direction::Ascending => branch.index += 1,
                Direction::Descending => branch.index -= 1,
            }
            let is_edge = branch.is_edge && branch.index == branch.last;
            let below = self.pages.page(branch.page.child(branch.index)?)?;
            let first = |page: &Page<'t>| Ok(if direction == Direction::Ascending { 0 } else { page.count - 1 });
            self.descend(below, is_edge, first)?;
            return Ok(true);
        }
        Ok(false)
    }

    /// Asks the processor for what the walk comes to after the leaf that it is about to enter: it would wait for
    /// memory most of its time otherwise. A page that is wrong is found when the walk comes to it.
    #[inline]
    fn look_ahead(&self) {
        let Some(branch) = self.branches.last() else { return };
        let child = |ahead: usize| {
            let index = match self.direction {
                Direction::Ascending => Some(branch.index + ahead).filter(|index| *index <= branch.last),
                Direction::Descending => branch.index.checked_sub(ahead).filter(|index| *index >= branch.last),
            };
            branch.page.child(index?).ok()
        };
        let ahead = if self.is_read { AHEAD_READING } else { AHEAD_COUNTING };
        let is_first = match self.direction {
            Direction::Ascending => branch.index == 0,
            Direction::Descending => branch.index + 1 == branch.page.count,
        };
        if is_first && !self.is_read {
            // Its nodes are all that is read then.
            (0..PAGE).step_by(CACHE_LINE).for_each(|at| prefetch(branch.page.bytes, at));
        }
        for ahead in if is_first { 1 } else { ahead }..=ahead {
            if let Some(bytes) = child(ahead).and_then(|number| self.pages.bytes(number, PAGE).ok()) {
                prefetch(bytes, 0);
            }
        }
        if !self.is_read {
            return;
        }
        if let Some(page) = child(1).and_then(|number| self.pages.page(number).ok()) {
            for index in 0..page.count.min(ENTRIES_AHEAD) {
                let at = u16_at(page.bytes, PAGE_HEADER + 2 * index).map_or(0, usize::from);
                // What a filter reads most often: the key, and the first of the row.
                prefetch(page.bytes, at);
                prefetch(page.bytes, at + CACHE_LINE);
            }
        }
    }

    /// The next key and its value.
    #[inline]
    pub(super) fn next(&mut self) -> Result<Option<(&'t [u8], &'t [u8])>> {
        while self.next >= self.end {
            let before = self.last_key()?;
            if !self.turn()? {
                return Ok(None);
            }
            self.check_order(before)?;
        }
        let index = match self.direction {
            Direction::Ascending => {
                self.next += 1;
                self.next - 1
            }
            Direction::Descending => {
                self.end -= 1;
                self.end
            }
        };
        let node = self.leaf.node(index)?;
        Ok(Some((node.key, self.leaf.value(&self.pages, &node)?)))
    }

    /// The last key of this leaf, in the walk's direction, up to where the walk took it.
    fn last_key(&self) -> Result<Option<&'t [u8]>> {
        let index = match self.direction {
            Direction::Ascending => self.end.checked_sub(1),
            Direction::Descending => Some(self.next).filter(|next| *next < self.leaf.count),
        };
        index.map(|index| self.leaf.key(index)).transpose()
    }

    /// From leaf to leaf keys go on in the walk's direction.
    fn check_order(&self, before: Option<&[u8]>) -> Result<()> {
        let (Some(before), true) = (before, self.next < self.end) else { return Ok(()) };
        let goes_on = match self.direction {
            Direction::Ascending => before < self.leaf.key(self.next)?,
            Direction::Descending => before > self.leaf.key(self.end - 1)?,
        };
        if goes_on { Ok(()) } else { Err(damaged("A tree has keys out of order.")) }
    }

    /// How many entries are left, told from the headers of their pages.
    pub(super) fn count(mut self) -> Result<u64> {
        self.is_read = false;
        let mut count = 0;
        loop {
            count += self.end.saturating_sub(self.next) as u64;
            if !self.turn()? {
                return Ok(count);
            }
        }
    }
}

/// Has a cache line fetched, without waiting for it.
#[inline]
fn prefetch(bytes: &[u8], at: usize) {
    #[cfg(target_arch = "x86_64")]
    if let Some(byte) = bytes.get(at) {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        // SAFETY: a prefetch reads nothing and cannot fail, and the address is one of a slice.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(std::ptr::from_ref(byte).cast()) };
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = (bytes, at);
}

impl Databases {
    /// Whether the pages of this file are what this module knows.
    pub(super) fn can_be_read_in_place(page_bytes: u32) -> bool {
        page_bytes as usize == PAGE
    }
}
