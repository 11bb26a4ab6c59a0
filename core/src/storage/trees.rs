//! How large the trees of the file are.

use super::txn::{Databases, ReadTxn};
use super::{Read, failure};
use crate::Result;

/// Bytes of a page.
pub(crate) const PAGE_BYTES: u64 = 4_096;
/// Pages that LMDB keeps for itself at the beginning.
pub(super) const META_PAGES: u64 = 2;

/// One of the file's databases.
pub(crate) struct Tree {
    /// `None` for the unnamed one, which holds the header.
    pub(crate) name: Option<&'static str>,
    /// Records; of long keys one for each level.
    pub(crate) records: u64,
    pub(crate) pages: u64,
}

impl ReadTxn<'_> {
    /// The databases, the unnamed one first.
    pub(crate) fn trees(&self) -> Result<Vec<Tree>> {
        let (txn, dbs) = self.raw();
        let tree = |(name, db): (_, super::txn::Bytes)| {
            let stat = db.stat(txn).map_err(failure)?;
            let pages = stat.branch_pages + stat.leaf_pages + stat.overflow_pages;
            Ok(Tree { name, records: stat.entries as u64, pages: pages as u64 })
        };
        Databases::names().zip(dbs.all()).map(tree).collect()
    }

    /// How many records there are but the header and what goes with it.
    pub(crate) fn records(&self) -> Result<u64> {
        Ok(self.trees()?.iter().filter(|tree| tree.name.is_some()).map(|tree| tree.records).sum())
    }

    /// Pages of the file: all, and those that are in no tree.
    pub(crate) fn pages(&self, trees: &[Tree]) -> (u64, u64) {
        let all = self.last_page + 1;
        let used = META_PAGES + trees.iter().map(|tree| tree.pages).sum::<u64>();
        (all, all.saturating_sub(used))
    }
}
