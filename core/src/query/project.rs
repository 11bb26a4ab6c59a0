//! What of a row comes back: all of it, or the properties that were asked for.

use crate::catalog::TableView;
use crate::codec::row::Row;
use crate::limits::Limits;
use crate::model::names::{PARTITION_KEY, ROW_KEY, TIMESTAMP};
use crate::model::{KeyPair, Properties, SharedNames};
use crate::{Entity, Error, Result};
use std::sync::Arc;

/// Properties of a projection that there is room for before the first is met.
const FIRST_ROOM: usize = 16;

/// The names of a projection; without it everything is wanted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Projection {
    names: SharedNames,
    partition_key: bool,
    row_key: bool,
    timestamp: bool,
}

impl Projection {
    /// The projection of these names, `None` for everything (S7.7.1). Each may be several with commas between, as clients
    /// write it; blanks around a name do not count.
    ///
    /// # Errors
    /// `InvalidInput` for more names than the mode allows.
    pub(crate) fn new(names: &[String], limits: &Limits) -> Result<Option<Projection>> {
        let parts = names.iter().flat_map(|name| name.split(','));
        let names: SharedNames = parts.map(str::trim).filter(|name| !name.is_empty()).map(Into::into).collect();
        if names.len() > limits.select_names {
            return Err(Error::invalid(format!("A projection names at most {} properties.", limits.select_names))
                .limit(limits.select_names, names.len()));
        }
        if names.is_empty() || names.iter().any(|name| **name == *"*") {
            return Ok(None);
        }
        let has = |wanted: &str| names.iter().any(|name| **name == *wanted);
        Ok(Some(Projection {
            partition_key: has(PARTITION_KEY),
            row_key: has(ROW_KEY),
            timestamp: has(TIMESTAMP),
            names,
        }))
    }

    /// The names, as they were given.
    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        self.names.iter().map(|name| &**name)
    }

    /// The number of a name that is wanted.
    fn number(&self, name: &str) -> Option<u32> {
        self.names.iter().zip(0..).find(|(known, _)| ***known == *name).map(|(_, number)| number)
    }
}

/// What a caller is handed of a row.
pub(crate) trait HandedOut: Sized {
    /// Of the whole row, or of what is selected. `bytes` are those of `row`.
    fn of_row(
        table: &Arc<TableView>,
        keys: (&str, &str),
        row: &Row<'_>,
        bytes: &[u8],
        select: Option<&Projection>,
    ) -> Result<Self>;

    /// The PartitionKey; empty where it is not selected.
    fn partition_key(&self) -> &str;
}

impl HandedOut for Entity {
    fn of_row(
        _table: &Arc<TableView>,
        keys: (&str, &str),
        row: &Row<'_>,
        _bytes: &[u8],
        select: Option<&Projection>,
    ) -> Result<Entity> {
        of_row(keys, row, select)
    }

    fn partition_key(&self) -> &str {
        self.partition_key()
    }
}

/// The entity of a row, with memory of its own. Every row that a caller is handed passes here, and is compared with its
/// CRC here. `key` and `bytes` are the row's or, of an index that has all that is wanted, its entry's.
///
/// # Errors
/// `Damaged` or `NewerFormat` with the table and the keys.
pub(crate) fn entity<E: HandedOut>(
    table: &Arc<TableView>,
    (partition_key, row_key): (&str, &str),
    (key, bytes): (&[u8], &[u8]),
    select: Option<&Projection>,
) -> Result<E> {
    Row::checked(key, bytes, &table.shapes)
        .and_then(|row| E::of_row(table, (partition_key, row_key), &row, bytes, select))
        .map_err(|error| error.table(&table.record.name).keys(partition_key, row_key))
}

pub(super) fn of_row(
    (partition_key, row_key): (&str, &str),
    row: &Row<'_>,
    select: Option<&Projection>,
) -> Result<Entity> {
    let version = row.timestamp();
    let Some(select) = select else {
        let properties = row.owned_properties()?;
        return Ok(Entity::stored(KeyPair::new(partition_key, row_key), Some(version), version, properties));
    };
    let text = |key, wanted| if wanted { key } else { "" };
    let keys = KeyPair::new(text(partition_key, select.partition_key), text(row_key, select.row_key));
    let mut properties = Properties::sharing(Arc::clone(&select.names), select.names.len().min(FIRST_ROOM));
    let list = properties.list();
    row.each_of(|name| select.number(name), |number, value| list.push((number, value.to_value())))?;
    Ok(Entity::stored(keys, select.timestamp.then_some(version), version, properties))
}

#[cfg(test)]
mod tests;
