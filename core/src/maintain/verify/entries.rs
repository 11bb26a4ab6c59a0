//! Entries of indexes against rows, both ways: one sum over what rows ask for, one over what there is. Only where the
//! two differ every entry is looked at again by itself, to name it.

use super::content::Content;
use super::declared::{Index, Table};
use super::report::{Finding, FindingKind, Report};
use crate::Result;
use crate::codec::key::{split_row_key, table_prefix, unmap};
use crate::codec::record::{IndexRecord, IndexState};
use crate::codec::row::{self, Row};
use crate::codec::shape::Shapes;
use crate::index::{self, Bound, Entry, EntryParts};
use crate::storage::pages::{LongKeys, Moved, PageFile, Tree, Unread};
use std::collections::HashMap;
use std::hash::{BuildHasher, RandomState};

/// The trees in which entries and rows are looked for.
pub(super) struct Trees<'f> {
    pub(super) file: &'f PageFile,
    pub(super) rows: Option<Tree>,
    pub(super) indexes: Option<Tree>,
    pub(super) long_keys: Option<Tree>,
}

/// What is done with each entry of a tree: its page, key and value.
type Visit<'v> = dyn FnMut(u64, &[u8], &[u8]) -> std::result::Result<(), Moved> + 'v;

/// What a lookup gave; `None` where a page on the way is damaged, which the census names.
type Looked<T> = std::result::Result<Option<T>, Moved>;

impl Trees<'_> {
    fn row(&self, key: &[u8]) -> Looked<Option<Vec<u8>>> {
        self.find(self.rows.as_ref(), key)
    }

    fn find(&self, tree: Option<&Tree>, key: &[u8]) -> Looked<Option<Vec<u8>>> {
        let Some(tree) = tree else { return Ok(None) };
        match self.file.find(tree, self.long_keys.as_ref(), key) {
            Ok(value) => Ok(Some(value)),
            Err(Unread::Damaged(_)) => Ok(None),
            Err(Unread::Moved) => Err(Moved),
        }
    }

    /// Hands on what lies under the keys that begin with `prefix`, as far as pages can be read.
    fn scan(
        &self,
        tree: Option<&Tree>,
        prefix: &[u8],
        long_keys: &LongKeys<'_>,
        visit: &mut Visit<'_>,
    ) -> std::result::Result<(), Moved> {
        let Some(tree) = tree else { return Ok(()) };
        let mut long_keys = long_keys.again();
        let scanned = self.file.scan(tree, prefix, &mut |page, key, value| match LongKeys::is_node(key) {
            true => long_keys.unfold(page, key, value, visit),
            false => visit(page, key, value),
        });
        match scanned {
            Ok(()) | Err(Unread::Damaged(_)) => Ok(()),
            Err(Unread::Moved) => Err(Moved),
        }
    }
}

/// Counts and sums of the entries that rows ask for, and of those that there are. A sum of keyed hashes is the same
/// for another set of entries once in 2^64 times.
#[derive(Default)]
pub(super) struct Tally {
    hashing: RandomState,
    asked: (u64, u64),
    found: (u64, u64),
    /// The entries of one value in a unique index: what they begin with, and who holds what of the values that the
    /// index cuts.
    head: Vec<u8>,
    holders: HashMap<Vec<u8>, Vec<u8>>,
}

impl Tally {
    fn add((count, sum): &mut (u64, u64), hashing: &RandomState, entry: (&[u8], &[u8])) {
        *count += 1;
        *sum = sum.wrapping_add(hashing.hash_one(entry));
    }
}

/// Whether the row under this key must have its entry: in an index that is being built, those ahead may have one.
fn is_owed(record: &IndexRecord, row_key: &[u8]) -> bool {
    match &record.state {
        IndexState::Ready => true,
        IndexState::Building { from } => row_key < &**from,
        IndexState::Stale => false,
    }
}

/// A finding about an entry, with all that can be said of where it belongs.
fn finding(page: Option<u64>, table: &Table, record: &IndexRecord, row_key: &[u8], what: &str) -> Finding {
    let finding = Finding::new(page, FindingKind::IndexEntry, what).table(table.name()).index(&record.name);
    let parts = split_row_key(row_key).and_then(|parts| Ok((unmap(parts.partition_key)?, unmap(parts.row_key)?)));
    match parts {
        Ok((partition_key, row_key)) => finding.keys(&partition_key, &row_key),
        Err(_) => finding,
    }
}

fn entry_of(record: &IndexRecord, row_key: &[u8], row: &[u8], shapes: &Shapes) -> Result<Entry> {
    index::entry(record, row_key, &Row::new(row_key, row, shapes)?)
}

impl Content<'_> {
    /// Takes down the entries that a row, which is whole, must have.
    pub(super) fn ask_for_entries(&mut self, report: &mut Report, page: u64, table: u32, key: &[u8], bytes: &[u8]) {
        let Some(table) = self.declared.tables.get(&table) else { return };
        let Some(shapes) = &table.shapes else { return };
        for id in &table.indexes {
            let Some(Index { record, tally, .. }) = self.declared.indexes.get_mut(id) else { continue };
            if !index::is_usable(record) || !is_owed(record, key) {
                continue;
            }
            match entry_of(record, key, bytes, shapes) {
                Ok(entry) => Tally::add(&mut tally.asked, &tally.hashing, (&entry.key, &entry.value)),
                Err(error) => report.add(
                    Finding::of_error(page, FindingKind::IndexEntry, &error).table(table.name()).index(&record.name),
                ),
            }
        }
    }

    /// Takes down an entry, and looks at the row where the sums will not tell.
    pub(super) fn count_entry(
        &mut self,
        report: &mut Report,
        page: u64,
        id: u32,
        (key, value): (&[u8], &[u8]),
    ) -> std::result::Result<(), Moved> {
        let Some(Index { record, tally, table: table_id, .. }) = self.declared.indexes.get_mut(&id) else {
            return Ok(());
        };
        let Some(table) = self.declared.tables.get(table_id) else { return Ok(()) };
        let parts = match index::split_entry(record, key) {
            Ok(parts) => parts,
            Err(error) => {
                let finding = Finding::of_error(page, FindingKind::IndexEntry, &error).table(table.name());
                report.add(finding.index(&record.name));
                return Ok(());
            }
        };
        if !index::is_usable(record) {
            return Ok(());
        }
        let row_key = parts.row_key_in(*table_id);
        if !is_owed(record, &row_key) {
            return judge(&self.trees, table, record, page, &row_key, (key, value), report);
        }
        Tally::add(&mut tally.found, &tally.hashing, (key, value));
        if record.state == IndexState::Ready {
            check_unique(&self.trees, table, record, tally, (page, key, &parts, row_key), report)?;
        }
        Ok(())
    }

    /// Compares the sums, once all rows and entries have been seen, and names what makes them differ.
    pub(super) fn finish_indexes(
        &self,
        report: &mut Report,
        long_keys: &LongKeys<'_>,
    ) -> std::result::Result<(), Moved> {
        for (id, Index { table: table_id, record, entries, tally }) in &self.declared.indexes {
            let Some(table) = self.declared.tables.get(table_id) else { continue };
            let before = report.damage_count;
            if index::is_usable(record) && tally.asked != tally.found {
                let prefix = index::prefix(*id);
                self.trees.scan(self.trees.indexes.as_ref(), &prefix, long_keys, &mut |page, key, value| {
                    let Ok(parts) = index::split_entry(record, key) else { return Ok(()) };
                    let row_key = parts.row_key_in(*table_id);
                    match is_owed(record, &row_key) {
                        true => judge(&self.trees, table, record, page, &row_key, (key, value), report),
                        // Looked at as it was met.
                        false => Ok(()),
                    }
                })?;
                let prefix = table_prefix(*table_id);
                self.trees.scan(self.trees.rows.as_ref(), &prefix, long_keys, &mut |page, key, bytes| {
                    self.judge_row(table, record, page, (key, bytes), report)
                })?;
            }
            let is_counted = record.state != IndexState::Ready || *entries == table.rows;
            if report.damage_count == before && !(is_counted && tally.asked == tally.found) {
                let sentence = format!("It has {entries} entries, and its table {} rows.", table.rows);
                let finding = Finding::new(None, FindingKind::IndexEntry, sentence).table(table.name());
                report.add(finding.index(&record.name));
            }
        }
        Ok(())
    }

    /// Whether a row has the entry that it must have.
    fn judge_row(
        &self,
        table: &Table,
        record: &IndexRecord,
        page: u64,
        (key, bytes): (&[u8], &[u8]),
        report: &mut Report,
    ) -> std::result::Result<(), Moved> {
        let Some(shapes) = table.shapes.as_ref().filter(|_| is_owed(record, key)) else { return Ok(()) };
        // A row that is damaged is named already, and nobody knows what it would ask for.
        if row::check_crc(key, bytes).is_err() {
            return Ok(());
        }
        let Ok(entry) = entry_of(record, key, bytes, shapes) else { return Ok(()) };
        if let Some(None) = self.trees.find(self.trees.indexes.as_ref(), &entry.key)? {
            report.add(finding(Some(page), table, record, key, "A row lacks its entry."));
        }
        Ok(())
    }
}

/// Whether an entry is the one that its row gives.
fn judge(
    trees: &Trees<'_>,
    table: &Table,
    record: &IndexRecord,
    page: u64,
    row_key: &[u8],
    (key, value): (&[u8], &[u8]),
    report: &mut Report,
) -> std::result::Result<(), Moved> {
    let mut blame = |what: &str| report.add(finding(Some(page), table, record, row_key, what));
    match trees.row(row_key)? {
        None => {}
        Some(None) => blame("The row of an entry is not there."),
        Some(Some(bytes)) => {
            let Some(shapes) = table.shapes.as_ref().filter(|_| row::check_crc(row_key, &bytes).is_ok()) else {
                return Ok(());
            };
            match entry_of(record, row_key, &bytes, shapes) {
                Ok(entry) if entry.key != key => blame("An entry has other values than its row."),
                Ok(entry) if entry.value != value => blame("An entry copies something else than its row has."),
                Ok(_) | Err(_) => {}
            }
        }
    }
    Ok(())
}

/// Whether the value of an entry in a unique index is there once: entries come in their order, those of one value
/// together.
fn check_unique(
    trees: &Trees<'_>,
    table: &Table,
    record: &IndexRecord,
    tally: &mut Tally,
    (page, key, parts, row_key): (u64, &[u8], &EntryParts<'_>, Vec<u8>),
    report: &mut Report,
) -> std::result::Result<(), Moved> {
    let bound = parts.bound(record);
    if bound == Bound::Free {
        return Ok(());
    }
    let head = key.get(..parts.head).unwrap_or_default();
    if *tally.head != *head {
        tally.head = head.to_vec();
        tally.holders.clear();
    }
    let values = match bound {
        Bound::Rows => {
            let Some(Some(bytes)) = trees.row(&row_key)? else { return Ok(()) };
            let Some(shapes) = &table.shapes else { return Ok(()) };
            let row = Row::new(&row_key, &bytes, shapes);
            let Ok(values) = row.and_then(|row| index::whole_values(record, &row_key, &row)) else { return Ok(()) };
            values
        }
        Bound::Exact | Bound::Free => Vec::new(),
    };
    if let Some(holder) = tally.holders.insert(values, row_key.clone()) {
        let what =
            match split_row_key(&holder).and_then(|parts| Ok((unmap(parts.partition_key)?, unmap(parts.row_key)?))) {
                Ok((partition_key, row_key)) => {
                    format!("A value that may be there once has another holder, {partition_key:?}, {row_key:?}.")
                }
                Err(_) => "A value that may be there once has another holder.".to_owned(),
            };
        report.add(finding(Some(page), table, record, &row_key, &what));
    }
    Ok(())
}

#[cfg(test)]
mod tests;
