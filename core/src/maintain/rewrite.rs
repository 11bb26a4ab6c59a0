//! A store written anew: every record in key order, pages full, checksums looked at on the way.
//!
//! Backup and compaction are both this (FORMAT.md, "A rewrite"): a copy of the pages would be quicker, but would
//! carry damage along unseen, free pages too, and could not be given a life of its own.

use crate::catalog::{self, drop_record, pending_drops, table_record};
use crate::codec::bytes::split_crc;
use crate::codec::header::{self, Header};
use crate::codec::key;
use crate::codec::record::{self, DropOf};
use crate::storage::{Direction, Exclusive, Live, NewFile, Read, ReadTxn, Space, fork};
use crate::{Error, ErrorCode, Result};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::{Bound, ControlFlow};
use std::path::Path;
use std::sync::Arc;

/// Records between two calls of the progress function.
const STEP_RECORDS: u64 = 10_000;
/// Bytes of the id that every key but the catalog's begins with.
const ID_BYTES: usize = 4;

/// How far a backup or a compaction has come.
///
/// Records are entities, index entries, changes, and what the store notes of tables and their properties.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Progress {
    /// Records that have been read, checked and written.
    pub records: u64,
    /// About how many there are: what is left of deleted tables counts here, and is not copied.
    pub total_records: u64,
}

/// What a backup or a compaction has made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Copied {
    /// Records in the new file.
    pub records: u64,
    /// Bytes of the file that was copied.
    pub bytes_before: u64,
    /// Bytes of the new file.
    pub bytes_after: u64,
}

/// What the new file is to the old one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Life {
    /// The same store: continuation tokens and positions in its changes stay good.
    Same,
    /// A store of its own from here on: its commit numbers will say something else.
    Own,
}

/// Writes what the transaction sees into a new file of this name.
///
/// # Errors
/// `FileExists`; `Cancelled`; `Damaged` with the table and keys of what has a wrong checksum, `NewerFormat` for what this version
/// cannot carry over, `StoreFull`, `Io`: there is no file of that name then.
pub(crate) fn into_file(
    txn: &ReadTxn<'_>,
    bytes_before: u64,
    target: &Path,
    life: Life,
    progress: &mut dyn FnMut(Progress) -> ControlFlow<()>,
) -> Result<Copied> {
    let mut header = new_header(txn, life)?;
    let mut file = NewFile::create(target, (header::KEY, &header.encode()), header.next_long_key)?;
    let records = copy(txn, &mut file, progress)?;
    header.next_long_key = file.next_long_key();
    let bytes_after = file.finish((header::KEY, &header.encode()))?;
    Ok(Copied { records, bytes_before, bytes_after })
}

/// Writes the file anew and puts the new one in its place. Gives the file that is in place then, if it can be opened.
pub(crate) fn in_place(
    live: Arc<Live>,
    progress: &mut dyn FnMut(Progress) -> ControlFlow<()>,
) -> (Option<Arc<Live>>, Result<Copied>) {
    let mut exclusive = match Exclusive::take(live) {
        Ok(exclusive) => exclusive,
        Err((live, error)) => return (live, Err(error)),
    };
    // A panic of the progress function leaves the store closed, and the file as it was.
    let copied = replace(&mut exclusive, progress);
    match exclusive.release() {
        Ok(live) => (Some(live), copied),
        Err(error) => (None, copied.and(Err(error))),
    }
}

fn replace(exclusive: &mut Exclusive, progress: &mut dyn FnMut(Progress) -> ControlFlow<()>) -> Result<Copied> {
    let source = exclusive.source()?;
    let txn = source.read_txn()?;
    let mut header = new_header(&txn, Life::Same)?;
    let mut file = exclusive.begin((header::KEY, &header.encode()), header.next_long_key)?;
    let records = copy(&txn, &mut file, progress)?;
    header.next_long_key = file.next_long_key();
    drop(txn);
    drop(source);
    let (bytes_before, bytes_after) = exclusive.replace(file, (header::KEY, &header.encode()))?;
    Ok(Copied { records, bytes_before, bytes_after })
}

/// The header of the new file.
fn new_header(txn: &ReadTxn<'_>, life: Life) -> Result<Header> {
    let mut header = catalog::header(txn)?;
    header.check_rewritable()?;
    if let Some(name) = txn.unknown_names(header::KEY)?.first() {
        let fact = format!("This version cannot copy what the file holds under {:?}.", String::from_utf8_lossy(name));
        return Err(Error::new(ErrorCode::NewerFormat).fact(fact));
    }
    header.epoch = header.epoch.checked_add(1).ok_or_else(|| Error::damaged("The header's epoch is the last."))?;
    if life == Life::Own {
        header.identity.history = catalog::random()?;
    }
    Ok(header)
}

/// Copies all records but those that a drop in progress removes.
fn copy(txn: &ReadTxn<'_>, file: &mut NewFile, progress: &mut dyn FnMut(Progress) -> ControlFlow<()>) -> Result<u64> {
    let dropped = Dropped::of(txn)?;
    let forks = fork::forks();
    // What is told may fork: the file in the making is the parent's, and a child that comes back leaves it alone.
    let mut tell = |now| {
        let goes_on = progress(now);
        fork::check(forks)?;
        match goes_on {
            ControlFlow::Continue(()) => Ok(()),
            ControlFlow::Break(()) => Err(Error::new(ErrorCode::Cancelled)),
        }
    };
    let mut now = Progress { records: 0, total_records: txn.records()? };
    tell(now)?;
    let mut copied = 0;
    for space in [Space::Catalog, Space::Rows, Space::Indexes, Space::Changes] {
        let records = txn.range(space, (Bound::Unbounded, Bound::Unbounded), Direction::Ascending)?;
        let records = records.filter_map(|record| {
            let checked = record.and_then(|(key, value)| {
                now.records += 1;
                if now.records.is_multiple_of(STEP_RECORDS) {
                    tell(now)?;
                }
                if dropped.holds(space, &key)? {
                    return Ok(None);
                }
                check(txn, space, &key, value)?;
                copied += 1;
                Ok(Some((key, value)))
            });
            checked.transpose()
        });
        file.append(space, records)?;
    }
    now.records = now.total_records.max(now.records);
    now.total_records = now.records;
    tell(now)?;
    Ok(copied)
}

/// What drops in progress remove: it is left out, and they are at their end.
#[derive(Default)]
struct Dropped {
    tables: BTreeSet<u32>,
    indexes: BTreeSet<u32>,
    /// Commits before which the changes of a table go.
    changes: BTreeMap<u32, u64>,
}

impl Dropped {
    fn of(txn: &ReadTxn<'_>) -> Result<Dropped> {
        let mut dropped = Dropped::default();
        for drop in pending_drops(txn)? {
            let record = drop_record(txn, drop)?;
            match drop {
                DropOf::Table(id) => {
                    dropped.tables.insert(id);
                }
                DropOf::Index(id) => {
                    dropped.indexes.insert(id);
                }
                DropOf::Changes(id) => {
                    dropped.changes.insert(id, record.before_commit.unwrap_or(0));
                }
            }
        }
        Ok(dropped)
    }

    fn holds(&self, space: Space, key: &[u8]) -> Result<bool> {
        if space == Space::Catalog {
            return Ok(key.starts_with(&record::key::DROPS) && record::key::parse_drop(key)?.is_some());
        }
        let Some((id, rest)) = key.split_first_chunk::<ID_BYTES>() else {
            return Err(Error::damaged("A key is too short for the id that it begins with."));
        };
        let id = u32::from_be_bytes(*id);
        Ok(match space {
            Space::Rows => self.tables.contains(&id),
            Space::Indexes => self.indexes.contains(&id),
            Space::Changes => {
                let commit = rest.first_chunk().map(|commit| u64::from_be_bytes(*commit));
                let before = self.changes.get(&id);
                self.tables.contains(&id) || commit.zip(before).is_some_and(|(commit, before)| commit < *before)
            }
            Space::Header | Space::Catalog => false,
        })
    }
}

/// Looks at a record's checksum.
fn check(txn: &ReadTxn<'_>, space: Space, key: &[u8], value: &[u8]) -> Result<()> {
    let has_crc = match space {
        Space::Catalog => record::key::is_known(key),
        Space::Rows | Space::Changes => true,
        // Most entries have no value.
        Space::Indexes => !value.is_empty(),
        Space::Header => false,
    };
    if !has_crc || split_crc(key, value).is_some_and(|(_, is_right)| is_right) {
        return Ok(());
    }
    Err(match space {
        Space::Rows => damaged_row(txn, key),
        Space::Changes => Error::damaged("A change's checksum is wrong."),
        Space::Indexes => Error::damaged("The checksum of an index entry is wrong."),
        Space::Header | Space::Catalog => Error::damaged("The checksum of a record of the catalog is wrong."),
    })
}

/// Names the row as well as its key allows: a flipped bit may be in the key.
#[cold]
fn damaged_row(txn: &ReadTxn<'_>, key: &[u8]) -> Error {
    let mut error = Error::damaged("A row's checksum is wrong.");
    if let Some(table) = key.first_chunk().and_then(|id| table_record(txn, u32::from_be_bytes(*id)).ok()) {
        error = error.table(&table.name);
    }
    if let Ok(parts) = key::split_row_key(key)
        && let (Ok(partition_key), Ok(row_key)) = (key::unmap(parts.partition_key), key::unmap(parts.row_key))
    {
        error = error.keys(&partition_key, &row_key);
    }
    error
}
