//! Reading a feed, as one transaction sees it.

use super::{Change, ChangePage, ConsumerInfo, Feed, FeedInfo, FeedPosition};
use crate::codec::change::ChangeKey;
use crate::codec::header::Identity;
use crate::codec::key::{next_prefix, table_prefix};
use crate::codec::position::Behind;
use crate::codec::record::{self, ConsumerRecord, FeedRecord};
use crate::storage::{Bounds, Direction, Read, Space};
use crate::{DateTime, Error, ErrorCode, Result};
use std::ops::Bound;

/// Bytes of changes after which a page ends with the commit.
const PAGE_BYTES: usize = 16 << 20;

/// The settings of a table's feed, with the first commit that is kept as the transaction sees it.
///
/// # Errors
/// `FeedNotFound`; `Damaged`, `NewerFormat`.
pub(crate) fn settings_of(txn: &impl Read, table: u32) -> Result<FeedRecord> {
    let key = record::key::feed(table);
    match txn.get(Space::Catalog, &key)? {
        Some(bytes) => FeedRecord::decode(&key, bytes),
        None => Err(Error::new(ErrorCode::FeedNotFound)),
    }
}

/// Before the first change that is kept.
pub(crate) fn begin(feed: &FeedRecord) -> Behind {
    Behind::commit(feed.first_commit.saturating_sub(1))
}

/// Refuses a position of another table, store or history, or one that the store has not come to.
///
/// # Errors
/// `InvalidInput`.
pub(crate) fn check_own(position: &FeedPosition, identity: Identity, table: u32, commit_number: u64) -> Result<()> {
    if position.identity.store != identity.store {
        return Err(Error::invalid("The position belongs to another store."));
    }
    if position.identity.history != identity.history {
        let fact = "The position belongs to another life of the store: one of the two files is a copy, whose commits since \
                    then are others.";
        return Err(Error::invalid(fact));
    }
    if position.table != table {
        return Err(Error::invalid("The position belongs to another table, or to one of the name that is gone."));
    }
    if position.behind.commit > commit_number {
        let number = |number: u64| usize::try_from(number).unwrap_or(usize::MAX);
        let fact = format!(
            "The position is behind commit {}, and the store has come to {commit_number}.",
            position.behind.commit
        );
        return Err(Error::invalid(fact).limit(number(commit_number), number(position.behind.commit)));
    }
    Ok(())
}

/// Refuses to go on where changes are missing.
///
/// # Errors
/// `ChangesNotKept`, with the first commit that is kept as limit, and that of the position as actual.
pub(crate) fn check_kept(feed: &FeedRecord, behind: Behind) -> Result<()> {
    if behind >= begin(feed) {
        return Ok(());
    }
    let number = |number: u64| usize::try_from(number).unwrap_or(usize::MAX);
    Err(Error::new(ErrorCode::ChangesNotKept)
        .fact(format!("The feed begins with commit {}, the position is at {}.", feed.first_commit, behind.commit))
        .limit(number(feed.first_commit), number(behind.commit)))
}

/// Where changes of a table lie that are behind a place.
fn bounds_behind(table: u32, behind: Behind) -> Bounds {
    let Behind { commit, position } = behind;
    let key = ChangeKey { table, commit, position }.encode();
    (Bound::Excluded(key.to_vec()), table_end(table))
}

fn table_end(table: u32) -> Bound<Vec<u8>> {
    next_prefix(table_prefix(table).to_vec()).map_or(Bound::Unbounded, Bound::Excluded)
}

/// The keys of the changes that a table has, whether they are kept or to go.
pub(crate) fn table_changes(table: u32) -> Bounds {
    (Bound::Included(table_prefix(table).to_vec()), table_end(table))
}

/// Whether there is a change behind a position.
///
/// # Errors
/// `FeedNotFound`, `ChangesNotKept`.
pub(crate) fn has_more(txn: &impl Read, table: u32, behind: Behind) -> Result<bool> {
    let feed = settings_of(txn, table)?;
    check_kept(&feed, behind)?;
    let mut changes = txn.range(Space::Changes, bounds_behind(table, behind), Direction::Ascending)?;
    Ok(changes.next().transpose()?.is_some())
}

/// How many commits and changes are behind a position.
///
/// # Errors
/// As [`has_more`]; `Damaged`.
pub(crate) fn count_behind(txn: &impl Read, table: u32, behind: Behind) -> Result<(u64, u64)> {
    check_kept(&settings_of(txn, table)?, behind)?;
    let (mut commits, mut changes, mut last) = (0, 0, None);
    for item in txn.range(Space::Changes, bounds_behind(table, behind), Direction::Ascending)? {
        let commit = ChangeKey::decode(&item?.0)?.commit;
        changes += 1;
        commits += u64::from(last.replace(commit) != Some(commit));
    }
    Ok((commits, changes))
}

/// The next changes behind a position: whole commits, until there are `most` of them or they have some MiB.
///
/// # Errors
/// `FeedNotFound`, `ChangesNotKept`, `Damaged`.
pub(crate) fn page(
    txn: &impl Read,
    (identity, commit_number): (Identity, u64),
    table: u32,
    behind: Behind,
    most: usize,
) -> Result<ChangePage> {
    let feed = settings_of(txn, table)?;
    check_kept(&feed, behind)?;
    let (mut changes, mut bytes): (Vec<Change>, usize) = (Vec::new(), 0);
    let position = |behind| FeedPosition { identity, table, behind };
    for item in txn.range(Space::Changes, bounds_behind(table, behind), Direction::Ascending)? {
        let (key, value) = item?;
        let place = ChangeKey::decode(&key)?;
        if let Some(last) = changes.last()
            && last.commit != place.commit
            && (changes.len() >= most || bytes >= PAGE_BYTES)
        {
            let position = position(Behind::commit(last.commit));
            return Ok(ChangePage { changes, position, has_more: true });
        }
        bytes += value.len();
        changes.push(Change::read(identity, &key, value)?);
    }
    // A position within a commit may be the last that there is: it must not fall.
    let position = position(Behind::commit(commit_number).max(behind));
    Ok(ChangePage { changes, position, has_more: false })
}

/// Where a consumer stands, and since when.
///
/// # Errors
/// `ConsumerNotFound`; `Damaged`, `NewerFormat`.
pub(crate) fn consumer(txn: &impl Read, table: u32, name: &str) -> Result<ConsumerRecord> {
    let key = record::key::consumer(table, name);
    match txn.get(Space::Catalog, &key)? {
        Some(bytes) => ConsumerRecord::decode(&key, bytes),
        None => Err(Error::new(ErrorCode::ConsumerNotFound).fact(format!("Its name is '{name}'."))),
    }
}

/// The consumers of a table, by name.
///
/// # Errors
/// `Damaged`, `NewerFormat`.
pub(crate) fn consumers(txn: &impl Read, table: u32) -> Result<Vec<(Box<str>, ConsumerRecord)>> {
    let prefix = record::key::consumers(table);
    let end = next_prefix(prefix.clone()).map_or(Bound::Unbounded, Bound::Excluded);
    let mut found = Vec::new();
    for item in txn.range(Space::Catalog, (Bound::Included(prefix.clone()), end), Direction::Ascending)? {
        let (key, value) = item?;
        let name = key.get(prefix.len()..).and_then(|name| std::str::from_utf8(name).ok());
        let name = name.ok_or_else(|| Error::damaged("A consumer's name is not text."))?;
        found.push((name.into(), ConsumerRecord::decode(&key, value)?));
    }
    Ok(found)
}

/// How changes are counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Counting {
    /// Exactly: as long as there are.
    Exactly,
    /// A few exactly, many by their order of magnitude.
    About,
}

/// The feed of a table, with all that stands on it.
///
/// # Errors
/// `FeedNotFound`; `Damaged`, `NewerFormat`.
pub(crate) fn info(
    txn: &impl Read,
    (identity, commit_number): (Identity, u64),
    table: u32,
    counting: Counting,
) -> Result<FeedInfo> {
    let feed = settings_of(txn, table)?;
    let position = |behind| FeedPosition { identity, table, behind };
    let behind_of = |behind| match counting {
        Counting::Exactly => txn.count(Space::Changes, bounds_behind(table, behind)),
        Counting::About => txn.estimate(Space::Changes, &bounds_behind(table, behind)),
    };
    let mut list = Vec::new();
    for (name, ConsumerRecord { commit, position: at, ticks, .. }) in consumers(txn, table)? {
        let behind = Behind { commit, position: at };
        list.push(ConsumerInfo {
            name,
            position: position(behind),
            advanced: DateTime::from_ticks(ticks).map_err(|_| Error::damaged("A consumer's time is none."))?,
            changes_behind: behind_of(behind.max(begin(&feed)))?,
            has_missed: behind < begin(&feed),
        });
    }
    Ok(FeedInfo {
        settings: Feed::of(&feed),
        begin: position(begin(&feed)),
        end: position(Behind::commit(commit_number)),
        changes: behind_of(begin(&feed))?,
        consumers: list,
    })
}
