//! Values of several keys, looked for together: each search asks for the bytes that it needs next and lets the others
//! go on meanwhile, where one search after the other would wait for memory at every step.

use super::{CACHE_LINE, MOST_LEVELS, PAGE_HEADER, Page, Pages, VALUE_AHEAD, damaged, prefetch, u16_at};
use crate::Result;
use crate::storage::ReadTxn;
use std::cmp::Ordering;

/// Searches that go on together: enough to hide the waits, few enough that what was asked for is still in the cache.
pub(in crate::storage) const TOGETHER: usize = 16;

/// The values of keys, in their order, added to `values`.
pub(in crate::storage) fn get_many<'t, 'k>(
    txn: &'t ReadTxn<'_>,
    tree: &str,
    keys: impl ExactSizeIterator<Item = &'k [u8]>,
    values: &mut Vec<Option<&'t [u8]>>,
) -> Result<()> {
    let Some((pages, root)) = Pages::of(txn, tree)? else {
        values.extend(keys.map(|_| None));
        return Ok(());
    };
    let root = pages.page(root)?;
    let mut searches = Vec::with_capacity(keys.len().min(TOGETHER));
    let mut keys = keys.peekable();
    while keys.peek().is_some() {
        searches.clear();
        searches.extend(keys.by_ref().take(TOGETHER).map(|key| Search::new(key, root)));
        let mut is_going_on = true;
        while is_going_on {
            is_going_on = false;
            for search in &mut searches {
                is_going_on |= search.step(&pages)?;
            }
        }
        values.extend(searches.iter().map(|search| search.value));
    }
    Ok(())
}

/// A search on its way down.
struct Search<'t, 'k> {
    key: &'k [u8],
    stand: Stand<'t>,
    /// Of the page's nodes, which of them are not told about yet.
    low: usize,
    high: usize,
    levels: usize,
    value: Option<&'t [u8]>,
}

enum Stand<'t> {
    /// Before a page, which has been asked for.
    Before(u64),
    On(Page<'t>),
    Done,
}

impl<'t, 'k> Search<'t, 'k> {
    fn new(key: &'k [u8], root: Page<'t>) -> Search<'t, 'k> {
        let mut search = Search { key, stand: Stand::Done, low: 0, high: 0, levels: 0, value: None };
        search.enter(root);
        search
    }

    fn enter(&mut self, page: Page<'t>) {
        // The first child of a branch has no key of its own.
        (self.low, self.high) = (usize::from(page.is_branch), page.count);
        self.stand = Stand::On(page);
        self.look_ahead(&page);
    }

    #[inline]
    fn middle(&self) -> usize {
        self.low + (self.high - self.low) / 2
    }

    /// Asks for the node that is compared next.
    #[inline]
    fn look_ahead(&self, page: &Page<'t>) {
        if self.low < self.high
            && let Some(at) = u16_at(page.bytes, PAGE_HEADER + 2 * self.middle())
        {
            prefetch(page.bytes, at.into());
            prefetch(page.bytes, usize::from(at) + self.key.len().min(CACHE_LINE));
        }
    }

    /// Goes on until something else is needed from memory. Tells whether that is so.
    #[inline]
    fn step(&mut self, pages: &Pages<'t>) -> Result<bool> {
        let page = match self.stand {
            Stand::Done => return Ok(false),
            Stand::Before(number) => {
                let page = pages.page(number)?;
                self.enter(page);
                return Ok(true);
            }
            Stand::On(page) => page,
        };
        if self.low < self.high {
            let middle = self.middle();
            let node = page.node(middle)?;
            match node.key.cmp(self.key) {
                Ordering::Greater => self.high = middle,
                Ordering::Equal if !page.is_branch => {
                    self.found(page.value(pages, &node)?);
                    return Ok(false);
                }
                Ordering::Less | Ordering::Equal => self.low = middle + 1,
            }
            if self.low < self.high {
                self.look_ahead(&page);
                return Ok(true);
            }
        }
        if !page.is_branch {
            self.stand = Stand::Done;
            return Ok(false);
        }
        self.levels += 1;
        let child = match self.low.checked_sub(1) {
            Some(child) if self.levels < MOST_LEVELS && child < page.count => page.child(child)?,
            _ => return Err(damaged("A tree has no leaf, or too many levels.")),
        };
        // Its header, and the first of the places of its nodes.
        if let Ok(bytes) = pages.bytes(child, 2 * CACHE_LINE) {
            prefetch(bytes, 0);
            prefetch(bytes, CACHE_LINE);
        }
        self.stand = Stand::Before(child);
        Ok(true)
    }

    fn found(&mut self, value: &'t [u8]) {
        (0..value.len().min(VALUE_AHEAD)).step_by(CACHE_LINE).for_each(|at| prefetch(value, at));
        (self.value, self.stand) = (Some(value), Stand::Done);
    }
}
