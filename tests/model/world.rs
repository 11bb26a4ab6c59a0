//! The plain model: tables as maps in memory, and what each operation does to them.

use crate::filter::{self, Tree};
use crate::indexes::Declared;
use crate::row::{Key, Row, key};
use crate::value::V;
use entable::{ErrorCode, Mode, UpdateMode};
use std::collections::{BTreeMap, BTreeSet};

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
    /// What a merge adds, and removes.
    pub(crate) added: BTreeMap<String, V>,
    pub(crate) removed: BTreeSet<String>,
    /// The keys that a move gives.
    pub(crate) to: (String, String),
    pub(crate) condition: Condition,
}

impl Write {
    pub(crate) fn key(&self) -> Key {
        key(&self.partition_key, &self.row_key)
    }

    /// The key of what is there after the write.
    pub(crate) fn key_after(&self) -> Key {
        if self.verb == Verb::Move { key(&self.to.0, &self.to.1) } else { self.key() }
    }
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Verb {
    Create,
    Update(UpdateMode),
    Upsert(UpdateMode),
    Delete,
    CreateOrGet,
    Move,
}

#[derive(Clone, Debug)]
pub(crate) enum Condition {
    None,
    Any,
    Absent,
    /// The ETag of this Timestamp.
    Version(i64),
    /// What the row must answer to, in the store's mode.
    Filter(Tree, Mode),
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

    /// Does all writes or none. Timestamps of written rows are 0 until [`World::stamp`]. Tells of each write whether it
    /// has found what it was to create.
    pub(crate) fn apply(&mut self, writes: &[(String, Write)]) -> Result<Vec<bool>, Failure> {
        let (mut before, mut found) = (Vec::new(), Vec::new());
        for (at, (table, write)) in writes.iter().enumerate() {
            let row = |key: &Key| self.table(table).ok().and_then(|table| table.rows.get(key).cloned());
            let keys = [write.key(), write.key_after()];
            let old = keys.map(|key| (table, row(&key), key));
            match self.apply_one(table, write) {
                Ok(is_found) => found.push(is_found),
                Err(code) => {
                    self.restore(before);
                    return Err((code, Some(at)));
                }
            }
            before.extend(old.map(|(table, old, key)| (table, key, old)));
        }
        Ok(found)
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

    fn apply_one(&mut self, table: &str, write: &Write) -> Result<bool, ErrorCode> {
        let table = self.tables.get_mut(&table.to_lowercase()).ok_or(ErrorCode::TableNotFound)?;
        let rows = &mut table.rows;
        let key = write.key();
        let old = rows.get(&key);
        if write.verb == Verb::CreateOrGet && old.is_some() {
            return Ok(true);
        }
        let is_create = matches!(write.verb, Verb::Create | Verb::CreateOrGet);
        let needs_row = matches!(write.condition, Condition::Any | Condition::Version(_) | Condition::Filter(..));
        let must_exist = matches!(write.verb, Verb::Update(_) | Verb::Delete | Verb::Move) || needs_row && !is_create;
        let must_not_exist = write.verb == Verb::Create || matches!(write.condition, Condition::Absent);
        match old {
            Some(_) if must_not_exist => return Err(ErrorCode::EntityAlreadyExists),
            None if must_exist => return Err(ErrorCode::ResourceNotFound),
            _ => {}
        }
        let holds = match (old, &write.condition) {
            (Some(old), Condition::Version(version)) => old.timestamp == *version,
            (Some(old), Condition::Filter(tree, mode)) => filter::is_match(tree, old, *mode),
            _ => true,
        };
        if !holds && !is_create {
            return Err(ErrorCode::UpdateConditionNotSatisfied);
        }
        let properties = match write.verb {
            Verb::Delete => {
                rows.remove(&key);
                return Ok(false);
            }
            Verb::Move if rows.contains_key(&write.key_after()) => return Err(ErrorCode::EntityAlreadyExists),
            Verb::Move => old.map(|old| old.properties.clone()).unwrap_or_default(),
            Verb::Update(UpdateMode::Merge) | Verb::Upsert(UpdateMode::Merge) => {
                let mut merged = old.map(|old| old.properties.clone()).unwrap_or_default();
                for (name, number) in &write.added {
                    let sum = number.added_to(merged.get(name))?;
                    merged.insert(name.clone(), sum);
                }
                merged.retain(|name, _| !write.removed.contains(name));
                merged.extend(write.properties.clone());
                merged
            }
            _ => write.properties.clone(),
        };
        let (partition_key, row_key) = match write.verb {
            Verb::Move => write.to.clone(),
            _ => (write.partition_key.clone(), write.row_key.clone()),
        };
        let row = Row { partition_key, row_key, properties, timestamp: 0 };
        let left = if write.verb == Verb::Move { rows.remove(&key) } else { None };
        if !table.takes(&row) {
            table.rows.extend(left.map(|row| (key, row)));
            return Err(ErrorCode::UniqueIndexViolation);
        }
        table.rows.insert(write.key_after(), row);
        Ok(false)
    }

    pub(crate) fn remove(&mut self, table: &str, keys: &[Key]) {
        if let Some(table) = self.tables.get_mut(&table.to_lowercase()) {
            table.rows.retain(|key, _| !keys.contains(key));
        }
    }

    /// Notes the Timestamp that the store gave to a row that is still there.
    pub(crate) fn stamp(&mut self, table: &str, write: &Write, timestamp: i64) {
        let rows = self.tables.get_mut(&table.to_lowercase()).map(|table| &mut table.rows);
        let row = rows.and_then(|rows| rows.get_mut(&write.key_after()));
        if let Some(row) = row {
            row.timestamp = timestamp;
        }
    }
}
