//! The bytes that a store may take: what would go beyond is refused, but for what makes room.

use super::overlay::Changes;
use super::trees::{META_PAGES, PAGE_BYTES};
use super::txn::Databases;
use super::{Read, Space, WriteTxn, failure};
use crate::{Error, ErrorCode, Result};

/// Pages that a commit takes whatever it changes: those on the way to what it changes, and of the list of free pages.
const COMMIT_PAGES: u64 = 16;
/// The part of the quota, as a divisor, that is kept for deletes, drops and the store's own steps, and its bounds.
const RESERVE_PART: u64 = 8;
const LEAST_RESERVE_BYTES: u64 = 256 << 10;
const MOST_RESERVE_BYTES: u64 = 64 << 20;

impl Changes {
    /// Whether nothing is put but what goes with deletes: records of the catalog and of the change feed.
    fn makes_room(&self) -> bool {
        let is_put = |space: Space| self.of(space).any(|(_, change)| change.is_some());
        let is_deleted = [Space::Catalog, Space::Rows, Space::Indexes]
            .into_iter()
            .any(|space| self.of(space).any(|(_, change)| change.is_none()));
        is_deleted && !is_put(Space::Rows) && !is_put(Space::Indexes)
    }

    /// How many keys are put, and with how many bytes.
    fn put(&self) -> (u64, u64) {
        let puts = Space::ALL.into_iter().flat_map(|space| self.of(space));
        puts.filter_map(|(key, value)| Some((key.len() + value?.len()) as u64))
            .fold((0, 0), |(puts, bytes), put| (puts + 1, bytes + put))
    }
}

impl WriteTxn<'_> {
    /// Checks that a group, and what the transaction has put before it, fits into the quota; 0 is none. What is free in
    /// the file counts as room; what a reader still sees of it cannot be told, and the file may have to grow for it.
    ///
    /// # Errors
    /// [`ErrorCode::QuotaExceeded`], for a group that does more than delete.
    pub(crate) fn check_quota(&self, max_size: u64, changes: &Changes) -> Result<()> {
        if max_size == 0 || changes.is_empty() || changes.makes_room() {
            return Ok(());
        }
        let used = self.used_pages()?;
        let (puts, bytes) = changes.put();
        let most = max_size / PAGE_BYTES;
        let reserve = (max_size / RESERVE_PART).clamp(LEAST_RESERVE_BYTES, MOST_RESERVE_BYTES) / PAGE_BYTES;
        // Pages that have been split are about two thirds full.
        let new = (bytes + bytes / 2).div_ceil(PAGE_BYTES);
        // A page is written to another place, and its old one is free only some commits later. Of the keys that are put some
        // share a page.
        let moved = COMMIT_PAGES + new + (self.put.changes + puts).div_ceil(2).min(used);
        let pages = self.last_page + 1;
        let free = pages.saturating_sub(used);
        let fits = used + new <= most.saturating_sub(reserve);
        if fits && (pages + moved <= most || free >= moved + COMMIT_PAGES) {
            return Ok(());
        }
        let (wanted, fact) = if fits {
            (
                pages + moved - free.min(moved),
                "The free pages in it are too few for this at once; `compact` makes it smaller.",
            )
        } else {
            (used + new, "Deletes are still possible, and make room.")
        };
        let actual = wanted.max(most + 1) * PAGE_BYTES;
        let number = |bytes: u64| usize::try_from(bytes).unwrap_or(usize::MAX);
        Err(Error::new(ErrorCode::QuotaExceeded)
            .fact(format!(
                "It may take {max_size} bytes, some of them kept for deletes, and would take {actual}. {fact}"
            ))
            .limit(number(max_size), number(actual)))
    }

    /// Pages that are in a tree, after what has been put.
    fn used_pages(&self) -> Result<u64> {
        let (txn, dbs): (_, &Databases) = self.raw();
        dbs.all().iter().try_fold(META_PAGES, |used, db| {
            let stat = db.stat(txn).map_err(failure)?;
            Ok(used + (stat.branch_pages + stat.leaf_pages + stat.overflow_pages) as u64)
        })
    }
}
