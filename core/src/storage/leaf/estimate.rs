//! About how many entries lie between two keys, told from the two ways down to them: exact within a page, and right to
//! a fraction beyond, for the price of two look-ups.

use super::{MOST_LEVELS, Page, Pages, damaged};
use crate::Result;
use crate::storage::ReadTxn;
use crate::storage::range::Bounds;
use std::ops::Bound;

/// The entries that lie between the bounds, more or less.
pub(in crate::storage) fn estimate(txn: &ReadTxn<'_>, tree: &str, bounds: &Bounds) -> Result<u64> {
    let Some((pages, root)) = Pages::of(txn, tree)? else { return Ok(0) };
    let is_before_lower = |key: &[u8]| match &bounds.0 {
        Bound::Included(bound) => key < &**bound,
        Bound::Excluded(bound) => key <= &**bound,
        Bound::Unbounded => false,
    };
    let is_before_upper = |key: &[u8]| match &bounds.1 {
        Bound::Included(bound) => key <= &**bound,
        Bound::Excluded(bound) => key < &**bound,
        Bound::Unbounded => true,
    };
    let mut page = pages.page(root)?;
    for _ in 0..MOST_LEVELS {
        let (from, to) = (place(&page, is_before_lower)?, place(&page, is_before_upper)?);
        if !page.is_branch {
            return Ok(to.saturating_sub(from) as u64);
        }
        if from < to {
            let left = Side::below(&pages, page.child(from)?, is_before_lower)?;
            let right = Side::below(&pages, page.child(to)?, is_before_upper)?;
            return Ok(between(&left, &right, to - from - 1));
        }
        page = pages.page(page.child(from)?)?;
    }
    Err(too_deep())
}

#[cold]
fn too_deep() -> crate::Error {
    damaged("A tree has no leaf, or too many levels.")
}

/// Of a branch the child that a cut leads to, of a leaf the entries before it.
fn place(page: &Page<'_>, is_before: impl Fn(&[u8]) -> bool) -> Result<usize> {
    if page.is_branch { Ok(page.partition(1, is_before)?.saturating_sub(1)) } else { page.partition(0, is_before) }
}

/// The pages on the way to a cut, the topmost first: where the cut lies in each, and how many it holds.
struct Side(Vec<(usize, usize)>);

impl Side {
    fn below(pages: &Pages<'_>, number: u64, is_before: impl Fn(&[u8]) -> bool) -> Result<Side> {
        let mut way = Vec::new();
        let mut page = pages.page(number)?;
        while way.len() < MOST_LEVELS {
            let at = place(&page, &is_before)?;
            way.push((at, page.count));
            if !page.is_branch {
                return Ok(Side(way));
            }
            page = pages.page(page.child(at)?)?;
        }
        Err(too_deep())
    }
}

/// Entries from the left cut to the right one, with so many pages between the two topmost ones.
fn between(left: &Side, right: &Side, pages_between: usize) -> u64 {
    let (mut sum, mut below) = (0.0, 1.0);
    // From the leaves up: `below` is what one page of the level below holds on average.
    for ((left_at, left_count), (right_at, right_count)) in left.0.iter().rev().zip(right.0.iter().rev()) {
        // In a branch the child with the cut has been counted on its own level.
        let cut = if below == 1.0 { 0 } else { 1 };
        sum += left_count.saturating_sub(*left_at + cut) as f64 * below + *right_at as f64 * below;
        below *= (left_count + right_count) as f64 / 2.0;
    }
    (sum + pages_between as f64 * below) as u64
}
