//! The plain model: tables as maps in memory, and what each operation does to them.

use crate::filter::{self, Tree};
use crate::indexes::Declared;
use crate::relations::Relation;
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
    /// In the order in which they were declared.
    pub(crate) relations: Vec<Relation>,
    generations: u64,
}

/// Rows as they were, by their tables, in the order in which they were changed.
pub(crate) type Undo = Vec<(String, Key, Option<Row>)>;

/// What writes have done.
pub(crate) struct Applied {
    /// Of each write, whether it has found what it was to create.
    pub(crate) found: Vec<bool>,
    /// All rows that changed, those that a delete took along too.
    pub(crate) before: Undo,
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
        let folded = name.to_lowercase();
        self.tables.remove(&folded).ok_or((ErrorCode::ResourceNotFound, None))?;
        self.relations.retain(|relation| relation.child != folded && relation.parent != folded);
        Ok(())
    }

    /// Does all writes or none. Timestamps of written rows are 0 until [`World::stamp`].
    pub(crate) fn apply(&mut self, writes: &[(String, Write)]) -> Result<Applied, Failure> {
        let (mut before, mut found) = (Undo::new(), Vec::new());
        for (at, (table, write)) in writes.iter().enumerate() {
            match self.apply_one(&mut before, &table.to_lowercase(), write) {
                Ok(is_found) => found.push(is_found),
                Err(code) => {
                    self.restore(before);
                    return Err((code, Some(at)));
                }
            }
        }
        Ok(Applied { found, before })
    }

    /// Undoes changes, the last first.
    pub(crate) fn restore(&mut self, before: Undo) {
        for (table, key, old) in before.into_iter().rev() {
            self.set(&mut Undo::new(), &table, key, old);
        }
    }

    /// Puts a row, or takes it away. Gives the one that was there.
    pub(crate) fn set(&mut self, before: &mut Undo, table: &str, key: Key, row: Option<Row>) -> Option<Row> {
        let rows = &mut self.tables.get_mut(table)?.rows;
        let old = match row {
            Some(row) => rows.insert(key.clone(), row),
            None => rows.remove(&key),
        };
        before.push((table.to_owned(), key, old.clone()));
        old
    }

    fn apply_one(&mut self, before: &mut Undo, table: &str, write: &Write) -> Result<bool, ErrorCode> {
        let rows = &self.tables.get(table).ok_or(ErrorCode::TableNotFound)?.rows;
        let key = write.key();
        let old = rows.get(&key).cloned();
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
        let holds = match (&old, &write.condition) {
            (Some(old), Condition::Version(version)) => old.timestamp == *version,
            (Some(old), Condition::Filter(tree, mode)) => filter::is_match(tree, old, *mode),
            _ => true,
        };
        if !holds && !is_create {
            return Err(ErrorCode::UpdateConditionNotSatisfied);
        }
        let known = old.as_ref().map(|old| old.properties.clone()).unwrap_or_default();
        let properties = match write.verb {
            Verb::Delete => return self.delete(before, table, key).map(|()| false),
            Verb::Move if rows.contains_key(&write.key_after()) => return Err(ErrorCode::EntityAlreadyExists),
            Verb::Move => known,
            Verb::Update(UpdateMode::Merge) | Verb::Upsert(UpdateMode::Merge) => {
                let mut merged = known;
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
        let ((partition_key, row_key), former) = match write.verb {
            Verb::Move => {
                self.delete(before, table, key)?;
                (write.to.clone(), None)
            }
            _ => ((write.partition_key.clone(), write.row_key.clone()), old),
        };
        let row = Row { partition_key, row_key, properties, timestamp: 0 };
        self.check_links(table, former.as_ref(), &row)?;
        if !self.tables[table].takes(&row) {
            return Err(ErrorCode::UniqueIndexViolation);
        }
        self.set(before, table, write.key_after(), Some(row));
        Ok(false)
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
