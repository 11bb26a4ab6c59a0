//! One page of a tree: measured as a whole, before a node of it is read.

use super::{PAGE, u16_at, u32_at, u64_at};

/// Bytes of a page's header: number u64, padding u16, flags u16, lower u16, upper u16.
pub(super) const HEADER: usize = 16;
const FLAGS: usize = 10;
const LOWER: usize = 12;
const UPPER: usize = 14;
/// Of a run of pages for one value, in place of lower and upper: how many they are.
const RUN: usize = 12;

const BRANCH: u16 = 1;
const LEAF: u16 = 2;
const RUN_OF_PAGES: u16 = 4;
pub(super) const META: u16 = 8;

/// A node's header: two halves of a length, or of a page's number; flags u16, of a branch more of the number; u16
/// bytes of the key.
const NODE_HEADER: usize = 8;
/// The value lies on pages of its own, and the node has their number.
const BIG: u16 = 1;
/// The value is the record of a named tree.
const TREE: u16 = 2;
const NUMBER_BYTES: usize = 8;

/// A page of a tree whose nodes lie within it, one behind the other.
#[derive(Debug)]
pub(super) struct Page {
    bytes: Vec<u8>,
    pub(super) is_branch: bool,
    pub(super) count: usize,
}

/// What a leaf has under a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Value<'a> {
    Inline(&'a [u8]),
    /// On pages of its own, from this one on.
    Big {
        page: u64,
        bytes: usize,
    },
    /// The record of a named tree.
    Tree(&'a [u8]),
}

impl Page {
    /// Looks at the page of this number: header, and that the nodes fill what is marked as theirs, no byte twice.
    pub(super) fn read(number: u64, bytes: Vec<u8>) -> Result<Page, &'static str> {
        let cut = "The page is cut short.";
        if u64_at(&bytes, 0) != Some(number) {
            return Err("The page has another number than its place.");
        }
        let is_branch = match u16_at(&bytes, FLAGS) {
            Some(BRANCH) => true,
            Some(LEAF) => false,
            _ => return Err("The page is neither a branch nor a leaf."),
        };
        let (lower, upper) = (u16_at(&bytes, LOWER).ok_or(cut)?, u16_at(&bytes, UPPER).ok_or(cut)?);
        let (lower, upper) = (usize::from(lower), usize::from(upper));
        if bytes.len() != PAGE || lower < HEADER || !lower.is_multiple_of(2) || lower > upper || upper > PAGE {
            return Err("The page's free room lies elsewhere than between its offsets and its nodes.");
        }
        let page = Page { count: (lower - HEADER) / 2, bytes, is_branch };
        if page.count == 0 {
            return Err("The page holds nothing.");
        }
        let mut places = Vec::with_capacity(page.count);
        for index in 0..page.count {
            let (at, size) = page.measure(index).ok_or("A node reaches beyond its page, or is of no known kind.")?;
            places.push((at, at + size + size % 2));
        }
        places.sort_unstable();
        let mut behind = upper;
        for (at, end) in places {
            if at != behind {
                return Err("The page's nodes overlap, or leave a gap.");
            }
            behind = end;
        }
        if behind != PAGE {
            return Err("The page's nodes do not end where it does.");
        }
        Ok(page)
    }

    fn offset(&self, index: usize) -> Option<usize> {
        u16_at(&self.bytes, HEADER + 2 * index).map(usize::from)
    }

    /// Place and size of a node whose key and value lie within the page.
    fn measure(&self, index: usize) -> Option<(usize, usize)> {
        let at = self.offset(index)?;
        let (flags, key) = (u16_at(&self.bytes, at + 4)?, usize::from(u16_at(&self.bytes, at + 6)?));
        let value = match (self.is_branch, flags) {
            (true, _) => 0,
            (false, 0 | TREE) => u32_at(&self.bytes, at)? as usize,
            (false, BIG) => NUMBER_BYTES,
            (false, _) => return None,
        };
        let size = NODE_HEADER + key + value;
        self.bytes.get(at..at.checked_add(size)?)?;
        Some((at, size))
    }

    /// The key of a node. A branch's first has none that means anything.
    pub(super) fn key(&self, index: usize) -> &[u8] {
        let key = || {
            let at = self.offset(index)?;
            let bytes = usize::from(u16_at(&self.bytes, at + 6)?);
            self.bytes.get(at + NODE_HEADER..at + NODE_HEADER + bytes)
        };
        // Every node below `count` has been measured.
        key().unwrap_or_default()
    }

    /// The page that a branch's node leads to; 0, which is none, beyond the last.
    pub(super) fn child(&self, index: usize) -> u64 {
        let number = || {
            let at = self.offset(index)?;
            Some(u64::from(u32_at(&self.bytes, at)?) | u64::from(u16_at(&self.bytes, at + 4)?) << 32)
        };
        number().unwrap_or(0)
    }

    /// The value of a leaf's node.
    pub(super) fn value(&self, index: usize) -> Value<'_> {
        let value = || {
            let at = self.offset(index)?;
            let (bytes, flags) = (u32_at(&self.bytes, at)? as usize, u16_at(&self.bytes, at + 4)?);
            let value_at = at + NODE_HEADER + usize::from(u16_at(&self.bytes, at + 6)?);
            Some(match flags {
                BIG => Value::Big { page: u64_at(&self.bytes, value_at)?, bytes },
                TREE => Value::Tree(self.bytes.get(value_at..value_at + bytes)?),
                _ => Value::Inline(self.bytes.get(value_at..value_at + bytes)?),
            })
        };
        value().unwrap_or(Value::Inline(&[]))
    }
}

/// How many pages a value takes whose first page begins with these bytes, and has this number.
pub(super) fn run_of_pages(number: u64, first: &[u8], value_bytes: usize) -> Result<u64, &'static str> {
    if u64_at(first, 0) != Some(number) {
        return Err("A value's first page has another number than its place.");
    }
    if u16_at(first, FLAGS) != Some(RUN_OF_PAGES) {
        return Err("A value's first page is none of a value.");
    }
    let pages = u32_at(first, RUN).map_or(0, u64::from);
    if pages < (HEADER as u64 + value_bytes as u64).div_ceil(PAGE as u64) {
        return Err("A value has fewer pages than its length needs.");
    }
    Ok(pages)
}
