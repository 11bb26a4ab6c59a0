//! One group that is being decided: what it reads and changes, with the catalog and the header in step.

use super::feeds::{Fed, Numbering};
use super::format;
use super::indexes::Former;
use super::view::{TableView, Views, prefixed, table_record};
use crate::codec::header::{self, Header, Identity};
use crate::codec::record::key::OfTable;
use crate::codec::record::{
    self, DropOf, DropRecord, IndexRecord, NameRecord, RelationRecord, SlotRecord, TableRecord,
};
use crate::codec::shape::{Shapes, Slot};
use crate::limits::{KEY_PIECE_BYTES, Mode};
use crate::storage::{Changes, Keys, Overlay, Space, WriteTxn};
use crate::{DateTime, Error, ErrorCode, Result, TableName};
use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::Arc;

/// A group in the making. Dropped without [`Edit::decide`], it has changed nothing.
pub(crate) struct Edit<'t, 'e> {
    pub(super) overlay: Overlay<'t, 'e>,
    pub(super) header: Header,
    views: &'t Views,
    /// Tables that the group has looked at, as its own changes left them; by folded name.
    tables: HashMap<Box<str>, Option<Arc<TableView>>>,
    is_catalog_changed: bool,
    /// Whether an earlier part of the same group has raised the commit number, and the catalog's generation.
    is_numbered: bool,
    is_generation_raised: bool,
    /// Steps of the store's own are no commit of a user's.
    pub(super) is_housekeeping: bool,
    /// The numbers of the group's changes in feeds.
    pub(super) numbering: Numbering,
    /// What it has written to feeds that do not keep all.
    pub(super) fed: Vec<Fed>,
    /// Rows that the group has deleted because their parents went.
    pub(super) cascaded: usize,
    pub(crate) mode: Mode,
    now: DateTime,
    /// Whether the group is not decided again whatever becomes of it: what it is made of may be dropped on the way.
    pub(crate) is_only_try: bool,
    /// Memory for the row that is being encoded.
    room: Vec<u8>,
}

/// Where a row is that an operation is about.
pub(crate) struct RowPlace<'k> {
    pub(crate) key: Cow<'k, [u8]>,
    /// Where the overlay has it, if it was foreseen.
    slot: Option<usize>,
}

impl From<Vec<u8>> for RowPlace<'_> {
    fn from(key: Vec<u8>) -> Self {
        RowPlace { key: Cow::Owned(key), slot: None }
    }
}

/// What earlier parts of a group that is put part by part have left for the next one: those of an interactive
/// transaction, each of which fails by itself.
#[derive(Default)]
pub(crate) struct Parts {
    /// As [`Edit::tables`], once a part has changed the catalog.
    tables: HashMap<Box<str>, Option<Arc<TableView>>>,
    generation: u64,
    is_numbered: bool,
    is_catalog_changed: bool,
    numbering: Option<Numbering>,
    fed: Vec<Fed>,
}

impl Parts {
    /// Takes over what a part has done, once it is put.
    pub(crate) fn add(&mut self, part: Changed) {
        self.is_numbered |= part.is_put;
        self.numbering = Some(part.numbering);
        part.fed.into_iter().for_each(|fed| fed.add_to(&mut self.fed));
        self.is_catalog_changed |= !part.tables.is_empty();
        self.generation = part.generation;
        self.tables.extend(part.tables);
    }

    /// All of the group, for the views, once it is committed.
    pub(crate) fn into_changed(self) -> Changed {
        let numbering = self.numbering.unwrap_or(Numbering::new(0));
        let Parts { generation, tables, is_numbered, fed, .. } = self;
        Changed { generation, tables, is_put: is_numbered, numbering, fed }
    }
}

impl<'t, 'e> Edit<'t, 'e> {
    /// The next part of a group.
    pub(crate) fn next_part(
        txn: &'t WriteTxn<'e>,
        views: &'t Views,
        mode: Mode,
        now: DateTime,
        parts: &Parts,
    ) -> Result<Edit<'t, 'e>> {
        let edit = Edit::new(txn, views, mode, now)?;
        Ok(Edit {
            tables: parts.tables.clone(),
            is_numbered: parts.is_numbered,
            is_generation_raised: parts.is_catalog_changed,
            numbering: parts.numbering.unwrap_or(edit.numbering),
            ..edit
        })
    }

    pub(crate) fn new(txn: &'t WriteTxn<'e>, views: &'t Views, mode: Mode, now: DateTime) -> Result<Edit<'t, 'e>> {
        let header = format::header_for_writing(txn)?;
        Ok(Edit {
            numbering: Numbering::new(now.ticks().max(header.last_tick)),
            fed: Vec::new(),
            cascaded: 0,
            header,
            overlay: Overlay::new(txn),
            views,
            tables: HashMap::new(),
            is_catalog_changed: false,
            is_numbered: false,
            is_generation_raised: false,
            is_housekeeping: false,
            mode,
            now,
            is_only_try: false,
            room: Vec::new(),
        })
    }

    /// The Timestamp of the next write: later than every one before, whatever the clock says (S4.3.5).
    ///
    /// # Errors
    /// `Internal` at the end of the year 9999.
    pub(crate) fn next_timestamp(&mut self) -> Result<DateTime> {
        let next = self.now.ticks().max(self.header.last_tick.saturating_add(1));
        let next = DateTime::from_ticks(next)
            .map_err(|_| Error::new(ErrorCode::Internal).fact("The last Timestamp is the last that there is."))?;
        self.header.last_tick = next.ticks();
        Ok(next)
    }

    /// The number that the group's commit has, if it changes something.
    ///
    /// # Errors
    /// `StoreFull` after the last that there is.
    pub(super) fn commit_number(&self) -> Result<u64> {
        let last = self.header.commit_number;
        let next = if self.is_numbered { Some(last) } else { last.checked_add(1) };
        next.ok_or_else(|| Error::new(ErrorCode::StoreFull).fact("No commit number is left."))
    }

    /// The table of this name, which may be written.
    ///
    /// # Errors
    /// `TableNotFound`; `NewerFormat` or `Damaged` if it has an index, relation or feed that this version cannot keep.
    pub(crate) fn table(&mut self, name: &TableName) -> Result<Arc<TableView>> {
        let view = self.find_table(name)?.ok_or_else(|| Error::new(ErrorCode::TableNotFound).table(name.as_str()))?;
        view.check_writable()?;
        Ok(view)
    }

    /// The table of this name, to be read.
    ///
    /// # Errors
    /// `TableNotFound`.
    pub(crate) fn table_to_read(&mut self, name: &TableName) -> Result<Arc<TableView>> {
        self.find_table(name)?.ok_or_else(|| Error::new(ErrorCode::TableNotFound).table(name.as_str()))
    }

    pub(super) fn find_table(&mut self, name: &TableName) -> Result<Option<Arc<TableView>>> {
        if let Some(known) = self.tables.get(name.folded()) {
            return Ok(known.clone());
        }
        let txn = self.overlay.txn();
        let view = self.views.table_for_write(txn, name, self.header.catalog_generation)?;
        self.tables.insert(name.folded().into(), view.clone());
        Ok(view)
    }

    /// Makes a table. Tells whether there was none of that name.
    pub(crate) fn create_table(&mut self, name: &TableName) -> Result<bool> {
        if self.find_table(name)?.is_some() {
            return Ok(false);
        }
        let id = self.header.next_table;
        self.header.next_table =
            id.checked_add(1).ok_or_else(|| Error::new(ErrorCode::StoreFull).fact("No table id is left."))?;
        let record = TableRecord::new(name.as_str(), id);
        self.put_record(record::key::name(name.folded()), |key| NameRecord::new(id).encode(key));
        self.put_record(record::key::table(id), |key| record.encode(key));
        self.set_table(
            name,
            Some(TableView {
                id,
                record,
                shapes: Shapes::default(),
                indexes: Vec::new(),
                links: Vec::new(),
                feed: None,
                unkept: None,
            }),
        );
        Ok(true)
    }

    pub(super) fn put_record(&mut self, key: Vec<u8>, encode: impl FnOnce(&[u8]) -> Vec<u8>) {
        let record = encode(&key);
        self.overlay.put(Space::Catalog, key, record);
    }

    /// Takes a table out of the catalog, with its indexes and relations; its rows are left for [`crate::maintain::sweep`]. Tells whether there was
    /// one of that name.
    pub(crate) fn drop_table(&mut self, name: &TableName) -> Result<bool> {
        let Some(view) = self.find_table(name)? else { return Ok(false) };
        view.check_writable()?;
        for item in prefixed(self.overlay.txn(), record::key::table_records(view.id))? {
            let (key, value) = item?;
            match record::key::parse_of_table(&key)? {
                OfTable::Index(id) => {
                    let drop = DropRecord::of_index(&IndexRecord::decode(&key, value)?.name, id, view.id);
                    self.put_record(record::key::drop(DropOf::Index(id)), |key| drop.encode(key));
                }
                OfTable::Relation(id) => {
                    let parent = RelationRecord::decode(&key, value)?.parent;
                    self.unrelate(view.id, (parent, id), record::key::related_by(parent, id))?;
                }
                OfTable::Related(id) => {
                    let child = RelationRecord::decode(&key, value)?.child;
                    self.unrelate(view.id, (child, id), record::key::relation(child, id))?;
                }
                _ => {}
            }
            self.overlay.delete(Space::Catalog, key.into_owned());
        }
        self.overlay.delete(Space::Catalog, record::key::name(name.folded()));
        // The drop of the table takes all its changes.
        self.overlay.delete(Space::Catalog, record::key::drop(DropOf::Changes(view.id)));
        let drop = DropRecord::of_table(&view.record.name, view.id);
        self.put_record(record::key::drop(DropOf::Table(view.id)), |key| drop.encode(key));
        self.set_table(name, None);
        Ok(true)
    }

    /// Takes a relation of a table that is dropped from the other table, too.
    fn unrelate(&mut self, dropped: u32, (other, relation): (u32, u32), twin: Vec<u8>) -> Result<()> {
        self.overlay.delete(Space::Catalog, twin);
        if other == dropped {
            return Ok(());
        }
        let known = self.tables.values_mut().flatten().find(|view| view.id == other);
        let record = match known {
            Some(view) => {
                let view = Arc::make_mut(view);
                view.record.generation += 1;
                view.links.retain(|link| link.record.id != relation);
                view.record.clone()
            }
            None => {
                let key = record::key::table(other);
                let mut record = match self.overlay.get(Space::Catalog, &key)? {
                    Some(bytes) => TableRecord::decode(&key, bytes)?,
                    None => table_record(self.overlay.txn(), other)?,
                };
                record.generation += 1;
                record
            }
        };
        self.put_record(record::key::table(other), |key| record.encode(key));
        Ok(())
    }

    /// Appends slots to a shape of a table, and gives the table as it is then.
    pub(crate) fn grow_shape(&mut self, name: &TableName, shape: u16, slots: Vec<Slot>) -> Result<Arc<TableView>> {
        let view = self.table(name)?;
        let first = view.shapes.get(shape).map_or(0, |shape| shape.slots().len());
        for (number, slot) in (first..).zip(&slots) {
            let number = u16::try_from(number).map_err(|_| Error::new(ErrorCode::Internal))?;
            let record = SlotRecord::new(slot.edm_type, Arc::clone(&slot.name));
            self.put_record(record::key::slot(view.id, shape, number), |key| record.encode(key));
        }
        let shapes = view.shapes.with_slots(shape, &slots)?;
        self.change_table(name, TableView { shapes, ..TableView::clone(&view) })
    }

    /// Looks up the rows of the operations of a group, before the first of them is applied. Nothing comes of it where
    /// that fails: the operation that it fails for tells why.
    pub(crate) fn foresee(&mut self, keys: &Arc<Keys>) -> bool {
        self.overlay.foresee(Arc::clone(keys)).is_ok()
    }

    /// The place of the row of the foreseen key of this number.
    pub(crate) fn foreseen<'k>(&self, keys: &'k Keys, number: usize) -> RowPlace<'k> {
        RowPlace { key: Cow::Borrowed(keys.get(number)), slot: self.overlay.slot(number) }
    }

    /// Memory for a row's bytes, empty, which [`Edit::put_row`] takes back.
    pub(crate) fn take_room(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.room)
    }

    /// Stores a row's bytes, its entries in the place of the former ones, and its change in the feed. Here and in
    /// [`Edit::delete_row`] alone rows change one by one. The table is as the group has it by now.
    ///
    /// # Errors
    /// `UniqueIndexViolation`; `LinkTargetNotFound`.
    pub(crate) fn put_row(
        &mut self,
        name: &TableName,
        table: &Arc<TableView>,
        RowPlace { key, slot }: RowPlace<'_>,
        former: Former,
        row: Vec<u8>,
    ) -> Result<()> {
        self.check_links(table, &key, former.targets, &row)?;
        self.keep_entries(name, table, &key, former.entries, Some(&row))?;
        self.note_change(table, &key, former.version, Some(&row))?;
        if key.len() > KEY_PIECE_BYTES {
            let view = self.table(name)?;
            if !view.record.has_long_keys {
                let mut view = TableView::clone(&view);
                view.record.has_long_keys = true;
                self.change_table(name, view)?;
            }
        }
        match slot {
            Some(slot) => {
                self.overlay.change_row(slot, &key, Some(&row));
                self.room = row;
                self.room.clear();
            }
            None => self.overlay.put(Space::Rows, key.into_owned(), row),
        }
        Ok(())
    }

    /// Removes a row and its entries, and notes the change in the feed; and its children, as relations say.
    ///
    /// # Errors
    /// `LinkedEntitiesExist`, `CascadeTooLarge`.
    pub(crate) fn delete_row(&mut self, name: &TableName, place: RowPlace<'_>, former: Former) -> Result<()> {
        let table = self.table(name)?;
        let parent = table.links.iter().any(|link| !link.is_of_child).then(|| place.key.to_vec());
        self.delete_one(name, &table, place, former)?;
        parent.map_or(Ok(()), |key| self.cascade(&table, &key))
    }

    /// Removes a row alone.
    pub(super) fn delete_one(
        &mut self,
        name: &TableName,
        table: &Arc<TableView>,
        RowPlace { key, slot }: RowPlace<'_>,
        former: Former,
    ) -> Result<()> {
        self.keep_entries(name, table, &key, former.entries, None)?;
        self.note_change(table, &key, former.version, None)?;
        match slot {
            Some(slot) => self.overlay.change_row(slot, &key, None),
            None => self.overlay.delete(Space::Rows, key.into_owned()),
        }
        Ok(())
    }

    /// The transaction below, as it was before the group's own changes.
    pub(crate) fn txn(&self) -> &'t WriteTxn<'e> {
        self.overlay.txn()
    }

    pub(crate) fn identity(&self) -> Identity {
        self.header.identity
    }

    /// The bytes of a row, after the group's own changes.
    pub(crate) fn row(&self, key: &[u8]) -> Result<Option<&[u8]>> {
        self.overlay.get(Space::Rows, key)
    }

    /// The same by the row's place.
    pub(crate) fn row_at(&self, place: &RowPlace<'_>) -> Result<Option<&[u8]>> {
        match place.slot {
            Some(slot) => Ok(self.overlay.row(slot)),
            None => self.row(&place.key),
        }
    }

    /// Notes that an entity was written that the service would not take.
    pub(crate) fn note_extended_data(&mut self) {
        self.header.set_extended_data();
    }

    /// Writes a table's record in its next generation.
    pub(super) fn change_table(&mut self, name: &TableName, mut view: TableView) -> Result<Arc<TableView>> {
        view.record.generation += 1;
        self.put_record(record::key::table(view.id), |key| view.record.encode(key));
        self.set_table(name, Some(view));
        self.table(name)
    }

    fn set_table(&mut self, name: &TableName, view: Option<TableView>) {
        self.is_catalog_changed = true;
        self.tables.insert(name.folded().into(), view.map(Arc::new));
    }

    /// Ends the group: it is to be done.
    ///
    /// # Errors
    /// `QuotaExceeded`.
    pub(crate) fn decide(mut self) -> Result<Decided> {
        let (txn, changes) = (self.overlay.txn(), self.overlay.into_changes());
        // Asked before anything is put, so that the group fails alone.
        txn.check_quota(self.header.max_size, &changes)?;
        if !self.is_numbered && !self.is_housekeeping {
            self.header.commit_number += 1;
        }
        if !self.is_catalog_changed {
            self.tables.clear();
        } else if !self.is_generation_raised {
            self.header.catalog_generation += 1;
        }
        let Edit { header, tables, numbering, fed, .. } = self;
        Ok(Decided { changes, header, tables, numbering, fed })
    }
}

/// A group that is to be done.
pub(crate) struct Decided {
    changes: Changes,
    header: Header,
    tables: HashMap<Box<str>, Option<Arc<TableView>>>,
    numbering: Numbering,
    fed: Vec<Fed>,
}

/// The tables that a group looked at or changed, as they are once it is committed.
pub(crate) struct Changed {
    pub(super) generation: u64,
    pub(super) tables: HashMap<Box<str>, Option<Arc<TableView>>>,
    /// Whether there was anything to put.
    is_put: bool,
    numbering: Numbering,
    /// What it has written to feeds that do not keep all.
    pub(crate) fed: Vec<Fed>,
}

impl Decided {
    /// Puts the group into the transaction. One that changes nothing leaves it clean.
    pub(crate) fn put(mut self, txn: &mut WriteTxn<'_>) -> Result<Changed> {
        let generation = self.header.catalog_generation;
        let is_put = !self.changes.is_empty();
        if is_put {
            txn.next_long_key = self.header.next_long_key;
            txn.apply(self.changes)?;
            self.header.next_long_key = txn.next_long_key;
            txn.put(Space::Header, header::KEY, &self.header.encode())?;
        }
        Ok(Changed { generation, tables: self.tables, is_put, numbering: self.numbering, fed: self.fed })
    }
}
