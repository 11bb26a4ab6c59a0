//! What a dropped table leaves behind is freed in steps, so that a drop is instant and nobody waits for it.

use crate::Result;
use crate::catalog::{drop_record, header_for_writing, pending_drops};
use crate::codec::key::{next_prefix, table_prefix};
use crate::codec::record::{self, DropOf};
use crate::storage::{self, Direction, Live, Read, Space};
use std::ops::Bound;
use std::sync::Weak;

/// Keys that one transaction removes: some milliseconds, which is what another writer may have to wait.
const STEP_KEYS: usize = 1_000;

/// Frees what has been dropped, in a thread of its own that ends when there is nothing left, or with the store.
/// What it does not get to is left for the next one that opens the store for writing.
pub(crate) fn start(live: Weak<Live>) {
    let sweep = move || {
        let _span = tracing::debug_span!(target: "entable", "sweep").entered();
        while let Some(live) = live.upgrade() {
            // A failing step is tried again by the next sweep: a full disk, say, is no reason to stop anything else.
            if !step(&live).unwrap_or(false) {
                break;
            }
        }
    };
    // Without a thread to be had, the next opener sweeps.
    let _ = std::thread::Builder::new().name("entable-sweep".into()).spawn(sweep);
}

/// Frees some keys. Tells whether more is left.
pub(crate) fn step(live: &Live) -> Result<bool> {
    if pending_drops(&live.read_txn()?)?.is_empty() {
        return Ok(false);
    }
    storage::run(live, |txn| {
        header_for_writing(txn)?;
        let drops = pending_drops(txn)?;
        let Some(drop) = drops.first() else { return Ok(false) };
        let record = drop_record(txn, *drop)?;
        let (spaces, prefix): (&[Space], _) = match drop {
            DropOf::Table(id) => (&[Space::Rows, Space::Changes], table_prefix(*id)),
            DropOf::Index(id) => (&[Space::Indexes], id.to_be_bytes()),
            DropOf::Changes(id) => (&[Space::Changes], table_prefix(*id)),
        };
        let end = match record.before_commit {
            Some(commit) => Bound::Excluded([&prefix[..], &commit.to_be_bytes()].concat()),
            None => next_prefix(prefix.to_vec()).map_or(Bound::Unbounded, Bound::Excluded),
        };
        let mut keys = Vec::new();
        for space in spaces {
            let range = txn.range(*space, (Bound::Included(prefix.to_vec()), end.clone()), Direction::Ascending)?;
            for item in range.take(STEP_KEYS - keys.len()) {
                keys.push((*space, item?.0.into_owned()));
            }
        }
        for (space, key) in &keys {
            txn.delete(*space, key)?;
        }
        let is_done = keys.len() < STEP_KEYS;
        if is_done {
            txn.delete(Space::Catalog, &record::key::drop(*drop))?;
        }
        Ok(!is_done || drops.len() > 1)
    })
}
