//! Changes that a feed need not keep any more go in steps: other writers get their turn in between, and no write of a
//! user's is dearer for them.

use crate::catalog::header_for_writing;
use crate::codec::change::{Change, ChangeKey};
use crate::codec::record::{self, FeedRecord};
use crate::feed::{consumers, settings_of, table_changes};
use crate::storage::{self, Direction, Live, Read, Space};
use crate::{DateTime, Result};
use std::ops::Bound;
use std::sync::Weak;

/// Changes that one transaction removes: some milliseconds, which is what another writer may have to wait.
const STEP_CHANGES: usize = 1_000;

/// Removes what feeds of these tables need not keep, in a thread of its own that ends when there is nothing left, or with
/// the store. What it does not get to is left for the next time.
pub(crate) fn start(live: Weak<Live>, tables: Vec<u32>, now: DateTime) {
    let prune = move || {
        let _span = tracing::debug_span!(target: "entable", "prune").entered();
        for table in tables {
            while let Some(live) = live.upgrade() {
                // A failing step is tried again by the next one that comes to it.
                if !step(&live, table, now).is_ok_and(|removed| removed > 0) {
                    break;
                }
            }
        }
    };
    // Without a thread to be had, the next time does it.
    let _ = std::thread::Builder::new().name("entable-prune".into()).spawn(prune);
}

/// Removes some changes of a table that need not be kept any more. Tells how many; 0 if there are none left.
///
/// # Errors
/// `FeedNotFound`; `NewerFormat` for a consumer of a later version, whom the feed is to wait for; `Damaged`.
pub(crate) fn step(live: &Live, table: u32, now: DateTime) -> Result<usize> {
    // Whether there is anything to do is asked without the turn at writing.
    if work(&live.read_txn()?, table, now)?.is_none() {
        return Ok(0);
    }
    storage::run(live, |txn| {
        header_for_writing(txn)?;
        let Some(Work { feed, first_commit }) = work(txn, table, now)? else { return Ok(0) };
        // Readers hand out nothing before it from now on, so that the rest may take as many steps as it likes.
        if first_commit > feed.first_commit {
            let key = record::key::feed(table);
            let record = FeedRecord { first_commit, ..feed };
            txn.put(Space::Catalog, &key, &record.encode(&key))?;
        }
        let end = ChangeKey { table, commit: first_commit, position: 0 }.encode().to_vec();
        let gone = txn.range(Space::Changes, (table_changes(table).0, Bound::Excluded(end)), Direction::Ascending)?;
        let keys: Vec<Vec<u8>> = gone.take(STEP_CHANGES).map(|item| Ok(item?.0.into_owned())).collect::<Result<_>>()?;
        for key in &keys {
            txn.delete(Space::Changes, key)?;
        }
        Ok(keys.len())
    })
}

/// What a step has to do.
struct Work {
    feed: FeedRecord,
    /// Changes of earlier commits go.
    first_commit: u64,
}

/// What is to be done; `None` if nothing is.
fn work(txn: &impl Read, table: u32, now: DateTime) -> Result<Option<Work>> {
    let feed = settings_of(txn, table)?;
    let first_commit = first_to_keep(txn, table, &feed, now)?;
    let mut changes = txn.range(Space::Changes, table_changes(table), Direction::Ascending)?;
    let Some(first) = changes.next().transpose()? else { return Ok(None) };
    let is_old = ChangeKey::decode(&first.0)?.commit < first_commit;
    Ok(is_old.then_some(Work { feed, first_commit }))
}

/// The commit that the feed may begin with after the next step: whole commits go, the oldest first.
fn first_to_keep(txn: &impl Read, table: u32, feed: &FeedRecord, now: DateTime) -> Result<u64> {
    let has_limit = feed.keep_ticks > 0 || feed.keep_changes > 0;
    if !has_limit && !feed.waits_for_consumers {
        return Ok(feed.first_commit);
    }
    // The last commit that all consumers are done with, if it matters.
    let done = match feed.waits_for_consumers {
        false => u64::MAX,
        true => {
            let behind = consumers(txn, table)?.into_iter().map(|(_, record)| match record.position {
                u32::MAX => record.commit,
                _ => record.commit.saturating_sub(1),
            });
            match behind.min() {
                Some(done) => done,
                None if has_limit => u64::MAX,
                // Nobody has said that he is done.
                None => return Ok(feed.first_commit),
            }
        }
    };
    let kept = (
        Bound::Included(ChangeKey { table, commit: feed.first_commit, position: 0 }.encode().to_vec()),
        table_changes(table).1,
    );
    // How many changes there are is counted only where it matters: it takes as long as there are.
    let excess = match feed.keep_changes {
        0 => 0,
        most => txn.count(Space::Changes, kept.clone())?.saturating_sub(most),
    };
    let oldest = i128::from(now.ticks()) - i128::from(feed.keep_ticks);
    let (mut first, mut seen) = (feed.first_commit, 0_u64);
    // Of the commit that is being gone through: its number, and whether it is too old.
    let mut current: Option<(u64, bool)> = None;
    for item in txn.range(Space::Changes, kept, Direction::Ascending)? {
        let (key, value) = item?;
        let commit = ChangeKey::decode(&key)?.commit;
        if current.is_none_or(|(known, _)| known != commit) {
            if let Some((known, is_aged)) = current {
                if !is_droppable(has_limit, is_aged, seen <= excess) {
                    return Ok(first);
                }
                first = known + 1;
                if seen >= STEP_CHANGES as u64 {
                    return Ok(first);
                }
            }
            if commit > done {
                return Ok(first);
            }
            let is_aged = feed.keep_ticks > 0 && i128::from(Change::decode(&key, value)?.commit_ticks) < oldest;
            current = Some((commit, is_aged));
        }
        seen += 1;
    }
    Ok(match current {
        Some((known, is_aged)) if is_droppable(has_limit, is_aged, seen <= excess) => known + 1,
        _ => first,
    })
}

/// Whether a commit that all consumers are done with goes: it is older than changes are kept, or there are enough without
/// it; without either limit in any case.
fn is_droppable(has_limit: bool, is_aged: bool, is_excess: bool) -> bool {
    !has_limit || is_aged || is_excess
}
