//! Indexes in a group that is being decided: declared, dropped, built, and kept in step with the rows.

use super::edit::Edit;
use super::feeds::FormerVersion;
use super::view::{TableView, Views, index_record, table_names};
use crate::codec::key::{next_prefix, split_row_key, table_prefix, unmap};
use crate::codec::record::{self, DropOf, DropRecord, IndexRecord, IndexState};
use crate::codec::row::Row;
use crate::index::{self, Bound, Entry, Index};
use crate::limits::{KEY_PIECE_BYTES, TABLE_INDEXES};
use crate::relation::{Target, known_link_of};
use crate::storage::{Direction, Read, Space};
use crate::{Error, ErrorCode, Result, TableName};
use std::collections::HashMap;
use std::ops;
use std::sync::Arc;

/// What became of a declaration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Declared {
    /// The index of this id is to be built.
    New(u32),
    /// The index was there: it may have to be built still.
    Known(u32),
}

/// How far an index is.
#[derive(Debug)]
pub(crate) enum Built {
    /// Rows are left.
    Partly,
    /// The index is ready, or somebody has dropped it.
    Wholly,
    /// It was to be unique, and is gone: the error tells which rows have the same value.
    Refused(Error),
}

/// A step of a build ends when its entries have so many bytes: they are held in memory until they are put.
const STEP_BYTES: usize = 16 << 20;

/// Pairs of rows of one value that the error of a unique index lists.
const LISTED_DUPLICATES: usize = 10;

/// What is kept of a row before it changes.
#[derive(Default)]
pub(crate) struct Former {
    /// One entry for each index of its table that is kept, in their order.
    pub(super) entries: Vec<Option<Entry>>,
    /// For the feed of its table.
    pub(super) version: Option<FormerVersion>,
    /// What it links to, for each relation in which it is a child.
    pub(super) targets: Vec<Option<Target>>,
}

impl TableView {
    /// A row that is to change or to go. Its entries are found by what it says, and the feed repeats it, so where there
    /// are indexes or a feed it is compared with its CRC; without them a damaged one can be replaced.
    ///
    /// # Errors
    /// Those of [`Row::checked`] and [`Row::new`].
    pub(crate) fn former_row<'a>(&'a self, row_key: &[u8], bytes: &'a [u8]) -> Result<Row<'a>> {
        let read = if self.is_bare() { Row::new } else { Row::checked };
        read(row_key, bytes, &self.shapes)
    }

    /// Whether nothing is kept beside the rows.
    fn is_bare(&self) -> bool {
        self.indexes.is_empty() && self.feed.is_none() && self.links.is_empty()
    }

    /// What is kept of a row as it is now, `None` if there is none: whoever has read it gives that to
    /// [`Edit::put_row`] and [`Edit::delete_row`].
    ///
    /// # Errors
    /// `Damaged` if a value of the row is none.
    pub(crate) fn former(&self, row_key: &[u8], row: Option<&Row<'_>>) -> Result<Former> {
        let Some(row) = row else { return Ok(Former::default()) };
        let entry = |record: &Arc<IndexRecord>| {
            index::is_usable(record).then(|| index::entry(record, row_key, row)).transpose()
        };
        let entries = self.indexes.iter().map(entry).collect::<Result<_>>()?;
        let targets = self.parents().map(|link| known_link_of(&link.record, row_key, row)).collect::<Result<_>>()?;
        Ok(Former { entries, version: self.former_version(row)?, targets })
    }
}

impl Edit<'_, '_> {
    /// What is kept of a row that the caller has no other reason to read. If nothing is, it stays unread.
    ///
    /// # Errors
    /// `Damaged` if the row is.
    pub(crate) fn former(&self, table: &TableView, row_key: &[u8]) -> Result<Former> {
        if table.is_bare() {
            return Ok(Former::default());
        }
        let row = self.row(row_key)?.map(|bytes| table.former_row(row_key, bytes)).transpose()?;
        table.former(row_key, row.as_ref())
    }

    /// Declares an index, to be built in steps.
    ///
    /// # Errors
    /// `TableNotFound`; `IndexAlreadyExists` for another of this name; `InvalidInput` if the table has as many as it
    /// may.
    pub(crate) fn create_index(&mut self, name: &TableName, index: &Index) -> Result<Declared> {
        let view = self.table(name)?;
        if let Some(known) = view.index(index.name()) {
            if !index.is_of(known) {
                return Err(Error::new(ErrorCode::IndexAlreadyExists)
                    .fact(format!("It is '{}', and was declared otherwise.", index.name()))
                    .index_name(index.name())
                    .table(name.as_str()));
            }
            if index::is_usable(known) {
                return Ok(Declared::Known(known.id));
            }
            // Folded by another version of Unicode: one of this version takes its place.
            self.drop_index(name, index.name())?;
        }
        let mut view = TableView::clone(&*self.table(name)?);
        if view.indexes.len() >= TABLE_INDEXES {
            return Err(Error::invalid(format!("A table has at most {TABLE_INDEXES} indexes."))
                .limit(TABLE_INDEXES, view.indexes.len() + 1)
                .table(name.as_str()));
        }
        let id = self.header.next_index;
        self.header.next_index =
            id.checked_add(1).ok_or_else(|| Error::new(ErrorCode::StoreFull).fact("No index id is left."))?;
        let record = index.record(id, index::folding());
        self.put_record(record::key::index(view.id, id), |key| record.encode(key));
        view.indexes.push(Arc::new(record));
        self.change_table(name, view)?;
        Ok(Declared::New(id))
    }

    /// Takes an index out of the catalog; its entries are left for [`crate::maintain::sweep`]. Tells whether there was
    /// one of that name.
    ///
    /// # Errors
    /// `TableNotFound`.
    pub(crate) fn drop_index(&mut self, name: &TableName, index: &str) -> Result<bool> {
        let mut view = TableView::clone(&*self.table(name)?);
        let Some(at) = view.indexes.iter().position(|known| *known.name == *index) else { return Ok(false) };
        let dropped = view.indexes.remove(at);
        if let Some(link) = view.parents().find(|link| link.record.index == dropped.id) {
            let fact = format!("Relation '{}' finds children by it, and goes first.", link.record.name);
            return Err(Error::invalid(fact).index_name(index).relation(&link.record.name));
        }
        self.overlay.delete(Space::Catalog, record::key::index(view.id, dropped.id));
        let drop = DropRecord::of_index(&dropped.name, dropped.id, view.id);
        self.put_record(record::key::drop(DropOf::Index(dropped.id)), |key| drop.encode(key));
        self.change_table(name, view)?;
        Ok(true)
    }

    /// Takes out an index whose building has failed, if it is there still and not ready. Tells whether it was.
    ///
    /// # Errors
    /// `TableNotFound`.
    pub(crate) fn give_up_index(&mut self, name: &TableName, id: u32) -> Result<bool> {
        let view = self.table(name)?;
        match self.index_record(view.id, id)? {
            Some(record) if matches!(record.state, IndexState::Building { .. }) => self.drop_index(name, &record.name),
            _ => Ok(false),
        }
    }

    /// Brings the entries of a row in step with what it becomes; `None` if it goes.
    ///
    /// # Errors
    /// `UniqueIndexViolation`; `EntityTooLarge` if an index cannot copy the row.
    pub(super) fn keep_entries(
        &mut self,
        name: &TableName,
        view: &TableView,
        row_key: &[u8],
        former: Vec<Option<Entry>>,
        new: Option<&[u8]>,
    ) -> Result<()> {
        if view.indexes.is_empty() {
            return Ok(());
        }
        let new = new.map(|bytes| Row::new(row_key, bytes, &view.shapes)).transpose()?;
        let (mut changes, mut stale) = (Vec::new(), Vec::new());
        let mut former = former.into_iter();
        for record in &view.indexes {
            let old_entry = former.next().flatten();
            if !index::is_usable(record) {
                stale.extend((record.state != IndexState::Stale).then(|| Arc::clone(record)));
                continue;
            }
            let entry = new.as_ref().map(|row| index::entry(record, row_key, row)).transpose()?;
            if old_entry == entry {
                continue;
            }
            if let (Some(entry), Some(row)) = (&entry, &new) {
                self.check_unique(view, record, entry, row_key, row)?;
            }
            changes.push((Arc::clone(record), old_entry, entry));
        }
        for (record, old, entry) in changes {
            if let Some(old) = old.filter(|old| entry.as_ref().is_none_or(|entry| entry.key != old.key)) {
                self.change_entry(view, &record, old.key, None);
            }
            if let Some(entry) = entry {
                self.put_entry(name, view, &record, entry)?;
            }
        }
        for record in stale {
            self.change_index(name, record.id, |record| record.state = IndexState::Stale)?;
        }
        Ok(())
    }

    fn put_entry(&mut self, name: &TableName, view: &TableView, record: &IndexRecord, entry: Entry) -> Result<()> {
        if entry.key.len() > KEY_PIECE_BYTES && !record.has_long_keys {
            self.change_index(name, record.id, |record| record.has_long_keys = true)?;
        }
        self.change_entry(view, record, entry.key, Some(entry.value));
        Ok(())
    }

    /// Nobody looks for an entry that the group changes but who checks values of a unique index, once it is ready, and who
    /// looks for the children of a row.
    fn change_entry(&mut self, view: &TableView, record: &IndexRecord, key: Vec<u8>, value: Option<Vec<u8>>) {
        let is_checked = record.is_unique && record.state == IndexState::Ready;
        match (is_checked || view.relates_by(record.id), value) {
            (false, value) => self.overlay.append(Space::Indexes, &key, value.as_deref()),
            (true, Some(value)) => self.overlay.put(Space::Indexes, key, value),
            (true, None) => self.overlay.delete(Space::Indexes, key),
        }
    }

    /// Writes an index's record anew, as the catalog has it now.
    fn change_index(&mut self, name: &TableName, id: u32, change: impl FnOnce(&mut IndexRecord)) -> Result<()> {
        let mut view = TableView::clone(&*self.table(name)?);
        let Some(mut record) = self.index_record(view.id, id)? else { return Ok(()) };
        let before = record.clone();
        change(&mut record);
        if record == before {
            return Ok(());
        }
        self.put_record(record::key::index(view.id, id), |key| record.encode(key));
        if let Some(known) = view.indexes.iter_mut().find(|known| known.id == id) {
            *known = Arc::new(record);
        }
        self.change_table(name, view).map(|_| ())
    }

    fn index_record(&self, table: u32, id: u32) -> Result<Option<IndexRecord>> {
        let key = record::key::index(table, id);
        self.overlay.get(Space::Catalog, &key)?.map(|bytes| index_record(&key, bytes, id)).transpose()
    }

    /// Whether no other row holds the value of an entry that is to be put in a unique index.
    fn check_unique(
        &self,
        view: &TableView,
        record: &IndexRecord,
        entry: &Entry,
        row_key: &[u8],
        row: &Row<'_>,
    ) -> Result<()> {
        let parts = index::split_entry(record, &entry.key)?;
        let bound = parts.bound(record);
        // One that is being built becomes unique when it is ready.
        if bound == Bound::Free || record.state != IndexState::Ready {
            return Ok(());
        }
        let mut values = None;
        for key in self.overlay.keys_within(Space::Indexes, beginning_with(&entry.key[..parts.head]))? {
            let other = index::split_entry(record, &key)?.row_key_in(view.id);
            if other == row_key {
                continue;
            }
            if bound == Bound::Rows {
                let own = match &values {
                    Some(values) => values,
                    None => values.insert(index::whole_values(record, row_key, row)?),
                };
                let bytes = self.overlay.get(Space::Rows, &other)?.ok_or_else(|| no_row(record))?;
                if *own != index::whole_values(record, &other, &Row::new(&other, bytes, &view.shapes)?)? {
                    continue;
                }
            }
            let parts = split_row_key(&other)?;
            let (partition_key, row_key) = (unmap(parts.partition_key)?, unmap(parts.row_key)?);
            let index = &record.name;
            return Err(Error::new(ErrorCode::UniqueIndexViolation)
                .fact(format!("Index '{index}' allows a value once, and ('{partition_key}', '{row_key}') has it."))
                .index_name(index)
                .holder(&partition_key, &row_key));
        }
        Ok(())
    }

    /// Makes the entries of the next rows of an index that is being built, at most so many; after the last one it is
    /// ready, or, if it was to be unique and is not, gone.
    ///
    /// # Errors
    /// `TableNotFound`; `Damaged`.
    pub(crate) fn build_index(&mut self, name: &TableName, id: u32, most: usize) -> Result<Built> {
        self.is_housekeeping = true;
        let view = self.table(name)?;
        let Some(record) = self.index_record(view.id, id)? else {
            // Somebody else has dropped it, or found values twice that were to be unique: it is not there to be used.
            let error = Error::new(ErrorCode::IndexNotFound).fact("It went before it was complete.");
            return Ok(Built::Refused(error.table(name.as_str())));
        };
        let (IndexState::Building { from }, true) = (&record.state, index::is_usable(&record)) else {
            return Ok(Built::Wholly);
        };
        let txn = self.overlay.txn();
        let lower = from.clone().max(table_prefix(view.id).to_vec());
        let upper = beginning_with(&table_prefix(view.id)).1;
        let rows = txn.range(Space::Rows, (ops::Bound::Included(lower), upper), Direction::Ascending)?;
        let (mut count, mut entry_bytes, mut last, mut is_end) = (0, 0, None, true);
        for item in rows {
            if count >= most || entry_bytes >= STEP_BYTES {
                is_end = false;
                break;
            }
            let (key, bytes) = item?;
            let entry = index::entry(&record, &key, &Row::checked(&key, bytes, &view.shapes)?)?;
            entry_bytes += entry.key.len() + entry.value.len();
            self.put_entry(name, &view, &record, entry)?;
            (count, last) = (count + 1, Some(key.into_owned()));
        }
        // The entries of this step are not where they can be compared yet: a unique one is looked at in a step of its
        // own. All rows have their entries by then, those of writers in between by the writers: it begins past the end
        // of the table, so that writers who append cannot put it off.
        if let Some(mut from) = last.filter(|_| !is_end || record.is_unique) {
            match next_prefix(table_prefix(view.id).to_vec()) {
                Some(end) if is_end => from = end,
                // The smallest key behind it.
                _ => from.push(0),
            }
            let mut record = self.index_record(view.id, id)?.unwrap_or(record);
            record.state = IndexState::Building { from };
            self.put_record(record::key::index(view.id, id), |key| record.encode(key));
            return Ok(Built::Partly);
        }
        if let Some(error) = self.duplicates(&view, &record)? {
            self.drop_index(name, &record.name)?;
            return Ok(Built::Refused(error.table(name.as_str()).index_name(&record.name)));
        }
        self.change_index(name, id, |record| record.state = IndexState::Ready)?;
        Ok(Built::Wholly)
    }

    /// The error of an index that is to be unique, and is not: rows that have a value which another has, too.
    fn duplicates(&self, view: &TableView, record: &IndexRecord) -> Result<Option<Error>> {
        if !record.is_unique {
            return Ok(None);
        }
        let txn = self.overlay.txn();
        let (mut pairs, mut count) = (Vec::new(), 0_usize);
        // The rows of the entries that share their components with the entry before, by what was cut off.
        let (mut components, mut holders) = (Vec::new(), HashMap::new());
        for item in txn.range(Space::Indexes, beginning_with(&index::prefix(record.id)), Direction::Ascending)? {
            let (key, _) = item?;
            let parts = index::split_entry(record, &key)?;
            let bound = parts.bound(record);
            if bound == Bound::Free {
                continue;
            }
            let row_key = parts.row_key_in(view.id);
            if *components != key[..parts.head] {
                components = key[..parts.head].to_vec();
                holders.clear();
            }
            let cut_off = match bound {
                Bound::Rows => {
                    let bytes = txn.get(Space::Rows, &row_key)?.ok_or_else(|| no_row(record))?;
                    index::whole_values(record, &row_key, &Row::new(&row_key, bytes, &view.shapes)?)?
                }
                Bound::Exact | Bound::Free => Vec::new(),
            };
            let holder = holders.insert(cut_off, row_key.clone());
            if let Some(holder) = holder {
                count += 1;
                if pairs.len() < LISTED_DUPLICATES {
                    pairs.push(format!("{} and {}", told(&holder)?, told(&row_key)?));
                }
            }
        }
        if count == 0 {
            return Ok(None);
        }
        let more = count - pairs.len();
        let more = if more == 0 { String::new() } else { format!("; and {more} more") };
        Ok(Some(Error::new(ErrorCode::UniqueIndexViolation).fact(format!(
            "Index '{}' cannot be made, since these entities have the same value: {}{more}.",
            record.name,
            pairs.join("; ")
        ))))
    }
}

/// The keys of a row in words.
fn told(row_key: &[u8]) -> Result<String> {
    let parts = split_row_key(row_key)?;
    Ok(format!("('{}', '{}')", unmap(parts.partition_key)?, unmap(parts.row_key)?))
}

#[cold]
fn no_row(record: &IndexRecord) -> Error {
    Error::damaged(format!("Index '{}' has an entry of a row that is not there.", record.name))
}

/// The bounds of what begins with `prefix`.
fn beginning_with(prefix: &[u8]) -> (ops::Bound<Vec<u8>>, ops::Bound<Vec<u8>>) {
    let end = next_prefix(prefix.to_vec()).map_or(ops::Bound::Unbounded, ops::Bound::Excluded);
    (ops::Bound::Included(prefix.to_vec()), end)
}

/// The indexes that are to be built on: tables, and ids.
///
/// # Errors
/// `Damaged`.
pub(crate) fn building(txn: &impl Read, views: &Views) -> Result<Vec<(TableName, u32)>> {
    let mut found = Vec::new();
    for name in table_names(txn)? {
        let Some(view) = views.table(txn, &name)? else { continue };
        let is_building = |record: &&Arc<IndexRecord>| {
            index::is_usable(record) && matches!(record.state, IndexState::Building { .. })
        };
        found.extend(view.indexes.iter().filter(is_building).map(|record| (name.clone(), record.id)));
    }
    Ok(found)
}

#[cfg(test)]
mod tests;
