//! Results of writes, and lists of writes that are done together or not at all.

use crate::bridge::Written;
use crate::entity::Entity;
use crate::failure::{Failure, Raised, boundary};
use crate::query::{Keys, Query};
use crate::table::Table;
use crate::value::{condition, text, unix_ticks, update_mode};
use entable::Operation;

type Done = Result<(), Raised>;

/// What a write did; nothing for a delete.
pub(crate) fn result(written: Option<&entable::Written>) -> Written {
    Written {
        is_there: written.is_some(),
        is_found: written.is_some_and(entable::Written::is_found),
        ticks: written.map(|written| unix_ticks(written.timestamp())).unwrap_or_default(),
        etag: written.map(|written| written.etag().to_string()).unwrap_or_default(),
    }
}

pub(crate) fn results(written: &[Option<entable::Written>]) -> Vec<Written> {
    written.iter().map(|written| result(written.as_ref())).collect()
}

/// Writes, in their order.
#[derive(Default)]
pub(crate) struct Operations(pub(crate) Vec<Operation>);

pub(crate) fn new_operations() -> Box<Operations> {
    Box::default()
}

impl Operations {
    /// Adds an operation; the failure of one that cannot be made has the index that it would have had.
    fn add(&mut self, make: impl FnOnce() -> Result<Operation, Box<Failure>>) -> Done {
        boundary(|| {
            let operation = make().map_err(|failure| failure.at_index(self.0.len()))?;
            self.0.push(operation);
            Ok(())
        })
    }

    pub(crate) fn create_entity(&mut self, entity: Box<Entity>) -> Done {
        self.add(|| Ok(Operation::create(entity.input()?)?))
    }

    pub(crate) fn update_entity(
        &mut self,
        entity: Box<Entity>,
        mode: u8,
        kind: u8,
        etag: &[u8],
        query: &Query,
    ) -> Done {
        self.add(|| Ok(Operation::update(entity.input()?, update_mode(mode)?)?.on(condition(kind, etag, query)?)))
    }

    pub(crate) fn upsert_entity(
        &mut self,
        entity: Box<Entity>,
        mode: u8,
        kind: u8,
        etag: &[u8],
        query: &Query,
    ) -> Done {
        self.add(|| Ok(Operation::upsert(entity.input()?, update_mode(mode)?)?.on(condition(kind, etag, query)?)))
    }

    pub(crate) fn delete_entity(
        &mut self,
        partition_key: &[u8],
        row_key: &[u8],
        kind: u8,
        etag: &[u8],
        query: &Query,
    ) -> Done {
        self.add(|| {
            let (partition_key, row_key) = (text(partition_key, "partition_key")?, text(row_key, "row_key")?);
            Ok(Operation::delete(partition_key, row_key).on(condition(kind, etag, query)?))
        })
    }

    pub(crate) fn create_or_get_entity(&mut self, entity: Box<Entity>) -> Done {
        self.add(|| Ok(Operation::create_or_get(entity.input()?)?))
    }

    /// Of two pairs of keys: from where to where.
    pub(crate) fn move_entity(&mut self, keys: &Keys, kind: u8, etag: &[u8], query: &Query) -> Done {
        self.add(|| {
            let (from, to) = two_pairs(keys)?;
            Ok(Operation::move_entity(from, to).on(condition(kind, etag, query)?))
        })
    }
}

/// PartitionKey and RowKey.
type Pair<'a> = (&'a str, &'a str);

/// The two pairs of keys that a call is about.
pub(crate) fn two_pairs(keys: &Keys) -> Result<(Pair<'_>, Pair<'_>), Box<Failure>> {
    let [from, to] = &*keys.0 else { return Err(Failure::misuse("keys", "They are two pairs.")) };
    Ok(((&*from.0, &*from.1), (&*to.0, &*to.1)))
}

/// The table of each operation of a batch.
#[derive(Default)]
pub(crate) struct Tables(pub(crate) Vec<entable::Table>);

pub(crate) fn new_tables() -> Box<Tables> {
    Box::default()
}

impl Tables {
    pub(crate) fn add(&mut self, table: &Table) -> Done {
        boundary(|| {
            self.0.push(table.0.outside()?.clone());
            Ok(())
        })
    }
}
