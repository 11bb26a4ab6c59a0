//! The plain model: tables as maps in memory, and what each operation does to them.

use crate::indexes::Declared;
use crate::row::{Key, Row, key};
use crate::value::V;
use entable::{ErrorCode, UpdateMode};
use std::collections::BTreeMap;

#[derive(Clone, Debug)]
pub(crate) struct Table {
    /// As it was created.
    pub(crate) name: String,
    /// Tables that are made again are others.
    pub(crate) generation: u64,
    pub(crate) rows: BTreeMap<Key, Row>,
    /// As they were declared.
    pub(crate) indexes: Vec<Declared>,
}

/// All tables, by the lower-cased name.
#[derive(Clone, Debug, Default)]
pub(crate) struct World {
    pub(crate) tables: BTreeMap<String, Table>,
    generations: u64,
}

/// A write of one entity.
#[derive(Clone, Debug)]
pub(crate) struct Write {
    pub(crate) verb: Verb,
    pub(crate) partition_key: String,
    pub(crate) row_key: String,
    pub(crate) properties: BTreeMap<String, V>,
    pub(crate) condition: Condition,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Verb {
    Create,
    Update(UpdateMode),
    Upsert(UpdateMode),
    Delete,
}

#[derive(Clone, Debug)]
pub(crate) enum Condition {
    None,
    Any,
    Absent,
    /// The ETag of this Timestamp.
    Version(i64),
}

/// A failure: its code, and which operation of a transaction.
pub(crate) type Failure = (ErrorCode, Option<usize>);

impl World {
    pub(crate) fn table(&self, name: &str) -> Result<&Table, Failure> {
        self.tables.get(&name.to_lowercase()).ok_or((ErrorCode::TableNotFound, None))
    }

    pub(crate) fn create_table(&mut self, name: &str) -> Result<(), Failure> {
        if self.tables.contains_key(&name.to_lowercase()) {
            return Err((ErrorCode::TableAlreadyExists, None));
        }
        self.generations += 1;
        let table =
            Table { name: name.into(), generation: self.generations, rows: BTreeMap::new(), indexes: Vec::new() };
        self.tables.insert(name.to_lowercase(), table);
        Ok(())
    }

    pub(crate) fn delete_table(&mut self, name: &str) -> Result<(), Failure> {
        self.tables.remove(&name.to_lowercase()).map(|_| ()).ok_or((ErrorCode::ResourceNotFound, None))
    }

    /// Does all writes or none. Timestamps of written rows are 0 until [`World::stamp`].
    pub(crate) fn apply(&mut self, writes: &[(String, Write)]) -> Result<(), Failure> {
        let mut before = Vec::new();
        for (at, (table, write)) in writes.iter().enumerate() {
            let key = key(&write.partition_key, &write.row_key);
            let old = self.table(table).ok().and_then(|table| table.rows.get(&key).cloned());
            if let Err(code) = self.apply_one(table, write) {
                self.restore(before);
                return Err((code, Some(at)));
            }
            before.push((table, key, old));
        }
        Ok(())
    }

    /// Undoes writes, the last first.
    fn restore(&mut self, before: Vec<(&String, Key, Option<Row>)>) {
        for (table, key, old) in before.into_iter().rev() {
            let rows = self.tables.get_mut(&table.to_lowercase()).map(|table| &mut table.rows);
            match (rows, old) {
                (Some(rows), Some(old)) => drop(rows.insert(key, old)),
                (Some(rows), None) => drop(rows.remove(&key)),
                (None, _) => {}
            }
        }
    }

    fn apply_one(&mut self, table: &str, write: &Write) -> Result<(), ErrorCode> {
        let table = self.tables.get_mut(&table.to_lowercase()).ok_or(ErrorCode::TableNotFound)?;
        let rows = &mut table.rows;
        let key = key(&write.partition_key, &write.row_key);
        let old = rows.get(&key);
        let must_exist = matches!(write.verb, Verb::Update(_) | Verb::Delete)
            || matches!(write.condition, Condition::Any | Condition::Version(_)) && write.verb != Verb::Create;
        let must_not_exist = write.verb == Verb::Create || matches!(write.condition, Condition::Absent);
        match old {
            Some(_) if must_not_exist => return Err(ErrorCode::EntityAlreadyExists),
            None if must_exist => return Err(ErrorCode::ResourceNotFound),
            _ => {}
        }
        if let (Some(old), Condition::Version(version), true) = (old, &write.condition, write.verb != Verb::Create)
            && old.timestamp != *version
        {
            return Err(ErrorCode::UpdateConditionNotSatisfied);
        }
        let merged = match write.verb {
            Verb::Delete => {
                rows.remove(&key);
                return Ok(());
            }
            Verb::Update(UpdateMode::Merge) | Verb::Upsert(UpdateMode::Merge) => {
                let mut merged = old.map(|old| old.properties.clone()).unwrap_or_default();
                merged.extend(write.properties.clone());
                merged
            }
            _ => write.properties.clone(),
        };
        let row = Row {
            partition_key: write.partition_key.clone(),
            row_key: write.row_key.clone(),
            properties: merged,
            timestamp: 0,
        };
        if !table.takes(&row) {
            return Err(ErrorCode::UniqueIndexViolation);
        }
        table.rows.insert(key, row);
        Ok(())
    }

    pub(crate) fn remove(&mut self, table: &str, keys: &[Key]) {
        if let Some(table) = self.tables.get_mut(&table.to_lowercase()) {
            table.rows.retain(|key, _| !keys.contains(key));
        }
    }

    /// Notes the Timestamp that the store gave to a row that is still there.
    pub(crate) fn stamp(&mut self, table: &str, write: &Write, timestamp: i64) {
        let rows = self.tables.get_mut(&table.to_lowercase()).map(|table| &mut table.rows);
        let row = rows.and_then(|rows| rows.get_mut(&key(&write.partition_key, &write.row_key)));
        if let Some(row) = row {
            row.timestamp = timestamp;
        }
    }
}
