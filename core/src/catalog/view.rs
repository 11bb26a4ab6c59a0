//! Tables as a transaction sees them: values that do not change, kept while the catalog's generation stays.

use super::format;
use super::relations::Link;
use crate::codec::key::next_prefix;
use crate::codec::record::key::OfTable;
use crate::codec::record::{
    self, DropOf, DropRecord, FeedRecord, IndexRecord, NameRecord, RelationRecord, SlotRecord, TableRecord,
};
use crate::codec::shape::{Shapes, Slot};
use crate::storage::{Direction, Read, Space};
use crate::{Error, ErrorCode, Result, TableName};
use std::collections::HashMap;
use std::ops::Bound;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, PoisonError, RwLock};

/// A table: its record and the shapes of its rows.
#[derive(Clone, Debug)]
pub(crate) struct TableView {
    pub(crate) id: u32,
    pub(crate) record: TableRecord,
    pub(crate) shapes: Shapes,
    /// In the order of their ids. Where an index that is being built stands is for the catalog to say: it moves without
    /// a new generation.
    pub(crate) indexes: Vec<Arc<IndexRecord>>,
    /// Its relations with other tables, and with itself, in the order of their ids, those in which it is the child first.
    pub(crate) links: Vec<Arc<Link>>,
    /// Its change feed. Which commit is the first that is kept is for the catalog to say: it moves without a new
    /// generation.
    pub(crate) feed: Option<Arc<FeedRecord>>,
    /// Why the table can be read only: an index, relation or feed that this version cannot keep.
    pub(super) unkept: Option<Arc<Error>>,
}

impl TableView {
    /// # Errors
    /// `NewerFormat` or `Damaged` if the table has something that this version cannot keep.
    pub(super) fn check_writable(&self) -> Result<()> {
        self.unkept.as_ref().map_or(Ok(()), |error| Err(error.duplicate()))
    }

    /// The index of this name.
    pub(crate) fn index(&self, name: &str) -> Option<&Arc<IndexRecord>> {
        self.indexes.iter().find(|index| *index.name == *name)
    }
}

/// The views that this process has made of a store, by folded name.
#[derive(Default)]
pub(crate) struct Views(RwLock<HashMap<Box<str>, Entry>>);

struct Entry {
    view: Arc<TableView>,
    /// The catalog's generation that the view is right for.
    generation: u64,
    /// The last read transaction that was found to be of that generation: the next call need not look again.
    checked_in: AtomicUsize,
}

impl Views {
    /// The table of this name, as the read transaction sees it; `None` if there is none.
    pub(crate) fn table(&self, txn: &impl Read, name: &TableName) -> Result<Option<Arc<TableView>>> {
        if let Some(entry) = self.0.read().unwrap_or_else(PoisonError::into_inner).get(name.folded())
            && entry.checked_in.load(Ordering::Relaxed) == txn.id()
        {
            return Ok(Some(Arc::clone(&entry.view)));
        }
        let generation = format::header(txn)?.catalog_generation;
        let known = match self.known(name, generation, Some(txn.id())) {
            Known::Right(view) => return Ok(Some(view)),
            Known::Perhaps(view) => view,
        };
        let view = load(txn, name, known)?;
        let mut views = self.0.write().unwrap_or_else(PoisonError::into_inner);
        match &view {
            Some(view) => {
                let entry = Entry { view: Arc::clone(view), generation, checked_in: AtomicUsize::new(txn.id()) };
                views.insert(name.folded().into(), entry);
            }
            None => drop(views.remove(name.folded())),
        }
        Ok(view)
    }

    /// The same for a write transaction, which leaves nothing behind here: it may be aborted, and its number
    /// given to another.
    pub(super) fn table_for_write(
        &self,
        txn: &impl Read,
        name: &TableName,
        generation: u64,
    ) -> Result<Option<Arc<TableView>>> {
        match self.known(name, generation, None) {
            Known::Right(view) => Ok(Some(view)),
            Known::Perhaps(view) => load(txn, name, view),
        }
    }

    fn known(&self, name: &TableName, generation: u64, txn: Option<usize>) -> Known {
        let views = self.0.read().unwrap_or_else(PoisonError::into_inner);
        match views.get(name.folded()) {
            Some(entry) if entry.generation == generation => {
                if let Some(txn) = txn {
                    entry.checked_in.store(txn, Ordering::Relaxed);
                }
                Known::Right(Arc::clone(&entry.view))
            }
            Some(entry) => Known::Perhaps(Some(Arc::clone(&entry.view))),
            None => Known::Perhaps(None),
        }
    }

    /// Forgets which transactions have been looked at: the numbers begin anew in another file of the same store.
    pub(crate) fn forget_transactions(&self) {
        for entry in self.0.read().unwrap_or_else(PoisonError::into_inner).values() {
            entry.checked_in.store(0, Ordering::Relaxed);
        }
    }

    /// Takes over what a committed edit changed.
    pub(crate) fn publish(&self, changed: super::Changed) {
        if changed.tables.is_empty() {
            return;
        }
        let mut views = self.0.write().unwrap_or_else(PoisonError::into_inner);
        for (folded, view) in changed.tables {
            match view {
                // No transaction has number 0: the first reader looks at the generation.
                Some(view) => {
                    drop(views.insert(
                        folded,
                        Entry { view, generation: changed.generation, checked_in: AtomicUsize::new(0) },
                    ))
                }
                None => drop(views.remove(&folded)),
            }
        }
    }
}

enum Known {
    Right(Arc<TableView>),
    /// Of another generation of the catalog: right if the table's own has not changed.
    Perhaps(Option<Arc<TableView>>),
}

fn load(txn: &impl Read, name: &TableName, known: Option<Arc<TableView>>) -> Result<Option<Arc<TableView>>> {
    let name = record::key::name(name.folded());
    let Some(bytes) = txn.get(Space::Catalog, &name)? else { return Ok(None) };
    let id = NameRecord::decode(&name, bytes)?.table;
    let record = table_record(txn, id)?;
    if let Some(known) = known
        && (known.id, known.record.generation) == (id, record.generation)
    {
        return Ok(Some(known));
    }
    let (mut slots, mut indexes, mut links, mut feed, mut unkept) = (Vec::new(), Vec::new(), Vec::new(), None, None);
    for item in prefixed(txn, record::key::table_records(id))? {
        let (key, value) = item?;
        match record::key::parse_of_table(&key)? {
            OfTable::Slot(shape, slot) => {
                let SlotRecord { edm_type, name, .. } = SlotRecord::decode(&key, value)?;
                slots.push((shape, slot, Slot { name, edm_type }));
            }
            // Readers do without what they do not understand: only a writer must keep what it is told to keep.
            OfTable::Index(id) => match index_record(&key, value, id) {
                Ok(record) => indexes.push(Arc::new(record)),
                Err(error) => unkept = unkept.or(Some(error)),
            },
            OfTable::Feed => match FeedRecord::decode(&key, value) {
                Ok(record) => feed = Some(Arc::new(record)),
                Err(error) => unkept = unkept.or(Some(error)),
            },
            of => match link(txn, id, of, &key, value) {
                Ok(link) => links.extend(link.map(Arc::new)),
                Err(error) => unkept = unkept.or(Some(error)),
            },
        }
    }
    let shapes = Shapes::from_slots(slots)?;
    Ok(Some(Arc::new(TableView { id, record, shapes, indexes, links, feed, unkept: unkept.map(Arc::new) })))
}

/// The record of an index, whose id is in its key, too.
pub(super) fn index_record(key: &[u8], value: &[u8], id: u32) -> Result<IndexRecord> {
    let record = IndexRecord::decode(key, value)?;
    if record.id == id { Ok(record) } else { Err(Error::damaged("An index has another id than its key.")) }
}

/// The relation of a record, if it is one's.
fn link(txn: &impl Read, table: u32, of: OfTable, key: &[u8], value: &[u8]) -> Result<Option<Link>> {
    let (record, is_of_child) = match of {
        OfTable::Relation(id) => {
            let record = RelationRecord::decode(key, value)?;
            is_twin(txn, &record, record.child == table, &record::key::related_by(record.parent, id))?;
            (record, true)
        }
        OfTable::Related(id) => {
            let record = RelationRecord::decode(key, value)?;
            is_twin(txn, &record, record.parent == table, &record::key::relation(record.child, id))?;
            (record, false)
        }
        OfTable::Itself
        | OfTable::Slot(..)
        | OfTable::Index(_)
        | OfTable::Feed
        | OfTable::Consumer
        | OfTable::Unknown => return Ok(None),
    };
    let other = if is_of_child { record.parent } else { record.child };
    Ok(Some(Link { record, is_of_child, other: table_name(txn, other)? }))
}

/// A relation lies under both of its tables, in the same words.
fn is_twin(txn: &impl Read, record: &RelationRecord, is_here: bool, other: &[u8]) -> Result<()> {
    let twin = txn.get(Space::Catalog, other)?.map(|bytes| RelationRecord::decode(other, bytes)).transpose()?;
    if is_here && twin.as_ref() == Some(record) {
        return Ok(());
    }
    Err(Error::damaged("A relation is not the same under both of its tables."))
}

pub(crate) fn table_record(txn: &impl Read, id: u32) -> Result<TableRecord> {
    let key = record::key::table(id);
    match txn.get(Space::Catalog, &key)? {
        Some(bytes) => TableRecord::decode(&key, bytes),
        None => Err(Error::damaged(format!("The catalog names table {id}, but has no record of it."))),
    }
}

/// Everything in the catalog whose key begins with `prefix`.
pub(super) fn prefixed<T: Read>(txn: &T, prefix: Vec<u8>) -> Result<crate::storage::Range<'_>> {
    let end = next_prefix(prefix.clone()).map_or(Bound::Unbounded, Bound::Excluded);
    txn.range(Space::Catalog, (Bound::Included(prefix), end), Direction::Ascending)
}

/// The names of all tables as they were created, in the order of their folded names.
pub(crate) fn table_names(txn: &impl Read) -> Result<Vec<TableName>> {
    Ok(tables(txn)?.into_iter().map(|(name, _)| name).collect())
}

/// The name of the table with this id.
fn table_name(txn: &impl Read, id: u32) -> Result<TableName> {
    TableName::new(&table_record(txn, id)?.name).map_err(|_| Error::damaged("A table's name is not a legal one."))
}

/// The same with the tables' ids.
pub(crate) fn tables(txn: &impl Read) -> Result<Vec<(TableName, u32)>> {
    let mut tables = Vec::new();
    for item in prefixed(txn, record::key::NAMES.to_vec())? {
        let (key, value) = item?;
        let id = NameRecord::decode(&key, value)?.table;
        tables.push((table_name(txn, id)?, id));
    }
    Ok(tables)
}

/// What has been dropped, but still takes room, as far as this version knows it.
pub(crate) fn pending_drops(txn: &impl Read) -> Result<Vec<DropOf>> {
    let drops = prefixed(txn, record::key::DROPS.to_vec())?.map(|item| record::key::parse_drop(&item?.0));
    drops.filter_map(Result::transpose).collect()
}

/// The record of a drop that is to go on.
///
/// # Errors
/// `Damaged` if what it would remove is not gone from the catalog.
pub(crate) fn drop_record(txn: &impl Read, of: DropOf) -> Result<DropRecord> {
    let key = record::key::drop(of);
    let bytes = txn.get(Space::Catalog, &key)?.ok_or_else(|| Error::new(ErrorCode::Internal))?;
    let drop = DropRecord::decode(&key, bytes)?;
    let lives = match (of, drop.table) {
        (DropOf::Table(id), _) => Some(record::key::table(id)),
        (DropOf::Index(id), Some(table)) => Some(record::key::index(table, id)),
        (DropOf::Index(_) | DropOf::Changes(_), _) => None,
    };
    if let Some(lives) = lives
        && txn.get(Space::Catalog, &lives)?.is_some()
    {
        return Err(Error::damaged("A drop in progress is of something that the catalog still has."));
    }
    Ok(drop)
}
