//! The catalog, read record by record, and what its records contradict each other in.

use super::entries::Tally;
use super::report::{Finding, FindingKind};
use crate::codec::header::Header;
use crate::codec::record::key::OfTable;
use crate::codec::record::{
    self, ConsumerRecord, DropOf, DropRecord, FeedRecord, IndexRecord, NameRecord, RelationRecord, SlotRecord,
    TableRecord,
};
use crate::codec::shape::{Shapes, Slot};
use crate::{Error, Result};
use std::collections::{BTreeMap, BTreeSet};

/// A record of the catalog, and the page that has it.
pub(super) type Record = (u64, Vec<u8>, Vec<u8>);

/// A table, as far as its records can be read.
#[derive(Default)]
pub(super) struct Table {
    page: u64,
    pub(super) record: Option<TableRecord>,
    slots: Vec<(u16, u16, Slot)>,
    /// `None` if they cannot be read: then rows can be measured by their CRC alone.
    pub(super) shapes: Option<Shapes>,
    pub(super) feed: Option<FeedRecord>,
    consumers: Vec<ConsumerRecord>,
    pub(super) indexes: Vec<u32>,
    pub(super) rows: u64,
    names: u32,
}

impl Table {
    pub(super) fn name(&self) -> Option<&str> {
        self.record.as_ref().map(|record| &*record.name)
    }
}

/// An index, and its table.
pub(super) struct Index {
    pub(super) table: u32,
    pub(super) record: IndexRecord,
    pub(super) entries: u64,
    pub(super) tally: Tally,
}

/// What the catalog says.
#[derive(Default)]
pub(super) struct Declared {
    pub(super) tables: BTreeMap<u32, Table>,
    pub(super) indexes: BTreeMap<u32, Index>,
    /// Indexes whose record cannot be read, of a newer version perhaps: of their entries nothing is known.
    pub(super) unread_indexes: BTreeSet<u32>,
    pub(super) drops: Vec<DropOf>,
    /// Under both of its tables; by child or parent, table and id.
    relations: BTreeMap<(bool, u32, u32), (u64, RelationRecord)>,
    names: Vec<(u64, String, u32)>,
    findings: Vec<Finding>,
}

impl Declared {
    /// Reads the catalog. Whatever cannot be read is a finding, and the rest goes on without it.
    pub(super) fn read(records: &[Record], header: &Header) -> (Declared, Vec<Finding>) {
        let mut declared = Declared::default();
        for (page, key, value) in records {
            if let Err(error) = declared.take(*page, key, value) {
                declared.findings.push(Finding::of_error(*page, FindingKind::Catalog, &error));
            }
        }
        declared.check_tables(header);
        declared.check_names();
        declared.check_indexes(header);
        declared.check_relations(header);
        declared.check_feeds(header);
        declared.check_drops();
        let findings = std::mem::take(&mut declared.findings);
        (declared, findings)
    }

    fn take(&mut self, page: u64, key: &[u8], value: &[u8]) -> Result<()> {
        let not_text = || Error::damaged("A name in the catalog is not text.");
        if let Some(folded) = key.strip_prefix(&record::key::NAMES[..]) {
            let folded = String::from_utf8(folded.to_vec()).map_err(|_| not_text())?;
            self.names.push((page, folded, NameRecord::decode(key, value)?.table));
        } else if key.starts_with(&record::key::DROPS) {
            if let Some(of) = record::key::parse_drop(key)? {
                self.drops.push(of);
                DropRecord::decode(key, value)?;
            }
        } else if key.first() == record::key::table_records(0).first() {
            let id = key.get(1..).and_then(|key| key.first_chunk()).map(|id| u32::from_be_bytes(*id));
            let id = id.ok_or_else(|| Error::damaged("A catalog key is malformed."))?;
            self.take_of_table(page, id, key, value)?;
        }
        Ok(())
    }

    fn take_of_table(&mut self, page: u64, id: u32, key: &[u8], value: &[u8]) -> Result<()> {
        let of = record::key::parse_of_table(key)?;
        let table = self.tables.entry(id).or_insert_with(|| Table { page, ..Table::default() });
        let is_same = |own: u32, said: u32| match own == said {
            true => Ok(()),
            false => Err(Error::damaged("A record of the catalog has another id than its key.")),
        };
        match of {
            OfTable::Itself => {
                let record = TableRecord::decode(key, value)?;
                is_same(record.id, id)?;
                table.record = Some(record);
            }
            OfTable::Slot(shape, slot) => {
                let SlotRecord { edm_type, name, .. } = SlotRecord::decode(key, value)?;
                table.slots.push((shape, slot, Slot { name, edm_type }));
            }
            OfTable::Index(index) => {
                let record = IndexRecord::decode(key, value).and_then(|record| {
                    is_same(record.id, index)?;
                    Ok(record)
                });
                let record = record.inspect_err(|_| _ = self.unread_indexes.insert(index))?;
                let known = Index { table: id, record, entries: 0, tally: Tally::default() };
                if self.indexes.insert(index, known).is_some() {
                    return Err(Error::damaged(format!("There are two indexes of id {index}.")));
                }
                table.indexes.push(index);
            }
            OfTable::Relation(relation) => {
                let record = RelationRecord::decode(key, value)?;
                is_same(record.id, relation)?;
                is_same(record.child, id)?;
                self.relations.insert((true, id, relation), (page, record));
            }
            OfTable::Related(relation) => {
                let record = RelationRecord::decode(key, value)?;
                is_same(record.id, relation)?;
                is_same(record.parent, id)?;
                self.relations.insert((false, id, relation), (page, record));
            }
            OfTable::Feed => table.feed = Some(FeedRecord::decode(key, value)?),
            OfTable::Consumer => table.consumers.push(ConsumerRecord::decode(key, value)?),
            OfTable::Unknown => {}
        }
        Ok(())
    }

    fn blame(&mut self, page: u64, table: Option<&str>, sentence: impl Into<String>) {
        self.findings.push(Finding::new(Some(page), FindingKind::Catalog, sentence).table(table));
    }

    fn check_tables(&mut self, header: &Header) {
        for (id, table) in &mut self.tables {
            let mut blame = |sentence: String| {
                self.findings.push(
                    Finding::new(Some(table.page), FindingKind::Catalog, sentence)
                        .table(table.record.as_ref().map(|record| &*record.name)),
                );
            };
            if table.record.is_none() {
                blame(format!("Table {id} has records, and none of itself that can be read."));
            }
            if *id == 0 || *id >= header.next_table {
                blame(format!("Table {id} has an id that has not been given yet."));
            }
            match Shapes::from_slots(std::mem::take(&mut table.slots)) {
                Ok(shapes) => table.shapes = Some(shapes),
                Err(error) => {
                    self.findings.push(Finding::of_error(table.page, FindingKind::Catalog, &error).table(table.name()))
                }
            }
        }
    }

    fn check_names(&mut self) {
        for (page, folded, id) in std::mem::take(&mut self.names) {
            let table = self
                .tables
                .get_mut(&id)
                .filter(|table| table.record.as_ref().is_some_and(|record| record.name.to_ascii_lowercase() == folded));
            match table {
                Some(table) => table.names += 1,
                None => {
                    let sentence = format!("The name {folded:?} is of table {id}, which is not there or has another.");
                    self.blame(page, None, sentence);
                }
            }
        }
        let nameless = self.tables.iter().filter(|(_, table)| table.record.is_some() && table.names != 1);
        let nameless: Vec<_> = nameless.map(|(id, table)| (*id, table.page)).collect();
        for (id, page) in nameless {
            self.blame(page, None, format!("Table {id} cannot be found by its name."));
        }
    }

    fn check_indexes(&mut self, header: &Header) {
        let (mut names, mut sentences) = (BTreeSet::new(), Vec::new());
        for (id, index) in &self.indexes {
            if *id == 0 || *id >= header.next_index {
                sentences.push((index.table, format!("Index {id} has an id that has not been given yet.")));
            }
            if !names.insert((index.table, &index.record.name)) {
                sentences.push((index.table, format!("Two indexes have the name {:?}.", index.record.name)));
            }
        }
        for (table, sentence) in sentences {
            self.blame_table(table, sentence);
        }
    }

    fn check_relations(&mut self, header: &Header) {
        let (mut names, mut ids, mut sentences) = (BTreeSet::new(), BTreeSet::new(), Vec::new());
        for ((is_child, table, id), (_, record)) in &self.relations {
            let twin = match is_child {
                true => (false, record.parent, *id),
                false => (true, record.child, *id),
            };
            if self.relations.get(&twin).map(|(_, twin)| twin) != Some(record) {
                sentences.push((*table, "A relation is not the same under both of its tables.".to_owned()));
            }
            if *is_child && !ids.insert(*id) {
                sentences.push((*table, format!("There are two relations of id {id}.")));
            }
            if *is_child && !names.insert((*table, &record.name)) {
                sentences.push((*table, format!("Two relations have the name {:?}.", record.name)));
            }
            if *id == 0 || *id >= header.next_relation {
                sentences.push((*table, format!("Relation {id} has an id that has not been given yet.")));
            }
        }
        for (table, sentence) in sentences {
            self.blame_table(table, sentence);
        }
    }

    fn check_feeds(&mut self, header: &Header) {
        let mut sentences = Vec::new();
        for (id, table) in &self.tables {
            let Some(feed) = &table.feed else {
                if !table.consumers.is_empty() {
                    sentences.push((*id, "A consumer is of a table that has no feed."));
                }
                continue;
            };
            if feed.first_commit == 0 || feed.first_commit > header.commit_number.saturating_add(1) {
                sentences.push((*id, "A feed begins with a commit that has not been."));
            }
            if table.consumers.iter().any(|consumer| consumer.commit > header.commit_number) {
                sentences.push((*id, "A consumer is done with a commit that has not been."));
            }
            if table.consumers.iter().any(|consumer| consumer.ticks > header.last_tick) {
                sentences.push((*id, "A consumer's time is later than any that the store has given."));
            }
        }
        for (table, sentence) in sentences {
            self.blame_table(table, sentence.to_owned());
        }
    }

    fn check_drops(&mut self) {
        let lives = |drop: &DropOf| match drop {
            DropOf::Table(id) => self.tables.contains_key(id).then_some(*id),
            DropOf::Index(id) => self.indexes.get(id).map(|index| index.table),
            DropOf::Changes(_) => None,
        };
        let living: Vec<u32> = self.drops.iter().filter_map(lives).collect();
        for table in living {
            self.blame_table(table, "A drop in progress is of something that the catalog still has.".to_owned());
        }
    }

    fn blame_table(&mut self, table: u32, sentence: String) {
        let known = self.tables.get(&table);
        let page = known.map_or(0, |table| table.page);
        let name = known.and_then(Table::name).map(str::to_owned);
        self.blame(page, name.as_deref(), sentence);
    }
}
