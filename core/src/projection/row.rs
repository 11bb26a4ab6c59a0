//! One row: what its copies are of, what they shall be, and what is to be written for it.

use super::Projection;
use crate::model::KeyPair;
use crate::query;
use crate::store::Store;
use crate::transaction::Transaction;
use crate::{DateTime, Entity, Error, Mode, Operation, Result, TableName, UpdateMode, Value, catalog, model};

const VERSION: &str = "Version";
const DELETED: &str = "Deleted";
const ENTRIES: &str = "Entries";
/// Between the PartitionKeys of entries: no legal key holds it.
const BETWEEN: char = '\n';

/// A row as a change, or the source, has it.
pub(super) struct State {
    /// Its Timestamp, or that of its deletion.
    pub(super) version: DateTime,
    /// `None` for one that is gone.
    pub(super) row: Option<Entity>,
}

/// What the copies of a row are of.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Known {
    pub(super) version: DateTime,
    pub(super) is_deleted: bool,
    /// What [`Layout::noted`](super::layout::Layout::noted) says of them.
    pub(super) noted: Vec<String>,
}

impl Known {
    /// From what is stored; what is no such note is none.
    pub(super) fn read(stored: &Entity) -> Option<Known> {
        let Some(Value::DateTime(version)) = stored.get(VERSION) else { return None };
        let noted = stored.get(ENTRIES).and_then(Value::as_str).unwrap_or_default();
        Some(Known {
            version: *version,
            is_deleted: stored.get(DELETED) == Some(&Value::Boolean(true)),
            noted: noted.split(BETWEEN).filter(|one| !one.is_empty()).map(str::to_owned).collect(),
        })
    }

    fn entity(&self, keys: (&str, &str)) -> Entity {
        let mut entity = Entity::new(keys.0, keys.1);
        entity.insert(VERSION, self.version);
        entity.insert(DELETED, self.is_deleted);
        if !self.noted.is_empty() {
            entity.insert(ENTRIES, self.noted.join(&BETWEEN.to_string()));
        }
        entity
    }
}

/// Where the target is read: as it is committed, or in a transaction.
pub(super) trait Place {
    fn many(&self, table: &TableName, keys: &[(String, String)]) -> Result<Vec<Option<Entity>>>;
}

impl Place for Store {
    fn many(&self, table: &TableName, keys: &[(String, String)]) -> Result<Vec<Option<Entity>>> {
        self.table(table.as_str())?.get_many(keys.iter().map(|(partition_key, row_key)| (partition_key, row_key)))
    }
}

impl Place for Transaction {
    fn many(&self, table: &TableName, keys: &[(String, String)]) -> Result<Vec<Option<Entity>>> {
        self.table(table.as_str())?.get_many(keys.iter().map(|(partition_key, row_key)| (partition_key, row_key)))
    }
}

/// What leads from the copies that are there to those that shall be.
#[derive(Default)]
pub(super) struct Difference {
    pub(super) missing: u64,
    pub(super) different: u64,
    pub(super) extra: u64,
    pub(super) versions: u64,
    pub(super) operations: Vec<(TableName, Operation)>,
}

impl Projection {
    /// What is noted of a row's copies.
    pub(super) fn known(&self, place: &impl Place, keys: (&str, &str)) -> Result<Option<Known>> {
        let read = place.many(&self.versions, &[(keys.0.to_owned(), keys.1.to_owned())])?;
        Ok(read.iter().flatten().next().and_then(Known::read))
    }

    /// A row as the source has it now, committed. One that is gone has the last Timestamp that the source gave: every
    /// change of it so far is earlier.
    pub(super) fn state_of_now(&self, keys: (&str, &str)) -> Result<State> {
        model::check_keys(keys.0, keys.1, Mode::Extended.limits()).map_err(|error| error.keys(keys.0, keys.1))?;
        self.source.on_table(|target| {
            let row: Option<Entity> = query::read(target, keys.0, keys.1, None)?;
            let version = match row.as_ref().and_then(Entity::timestamp) {
                Some(version) => version,
                None => last_version(target.txn)?,
            };
            Ok(State { version, row })
        })
    }

    /// What is to be written so that the copies are those of a state.
    ///
    /// # Errors
    /// Those of the row, such as a value that is no legal key, and those of the target.
    pub(super) fn difference(
        &self,
        place: &impl Place,
        keys: (&str, &str),
        known: Option<&Known>,
        state: &State,
    ) -> Result<Difference> {
        let copies = state.row.as_ref().map_or(Ok(Vec::new()), |row| self.layout.copies(row))?;
        let key_of = |copy: &Entity| (copy.partition_key().to_owned(), copy.row_key().to_owned());
        let mut looked_at: Vec<(String, String)> = copies.iter().map(key_of).collect();
        for former in self.layout.former_keys(keys, known.map(|known| &known.noted[..]))? {
            if !looked_at.contains(&former) {
                looked_at.push(former);
            }
        }
        let mut difference = Difference::default();
        let table = self.layout.table();
        let stored = place.many(table, &looked_at)?;
        for (at, (key, stored)) in looked_at.iter().zip(stored).enumerate() {
            let operation = match (copies.get(at), stored) {
                (Some(copy), Some(stored)) if *copy == stored => continue,
                (Some(copy), stored) => {
                    let counted = if stored.is_some() { &mut difference.different } else { &mut difference.missing };
                    *counted += 1;
                    Operation::upsert(copy.clone(), UpdateMode::Replace)?
                }
                (None, Some(stored)) if self.layout.is_of(&stored, keys) => {
                    difference.extra += 1;
                    Operation::delete(key.0.as_str(), key.1.as_str())
                }
                (None, _) => continue,
            };
            difference.operations.push((table.clone(), operation));
        }
        let noted = self.layout.noted(&copies);
        let wanted = Known { version: state.version, is_deleted: state.row.is_none(), noted };
        if known != Some(&wanted) {
            difference.versions += 1;
            let note = Operation::upsert(wanted.entity(keys), UpdateMode::Replace)?;
            difference.operations.push((self.versions.clone(), note));
        }
        Ok(difference)
    }
}

/// The last Timestamp that the store of a transaction gave.
pub(super) fn last_version(txn: &impl crate::storage::Read) -> Result<DateTime> {
    DateTime::from_ticks(catalog::header(txn)?.last_tick).map_err(|_| Error::damaged("The last time is none."))
}

/// The keys of an entity, to be compared in key order.
pub(super) fn pair(entity: &Entity) -> KeyPair {
    KeyPair::new(entity.partition_key(), entity.row_key())
}
