//! An entity that is stored, or found.

use crate::catalog::Edit;
use crate::codec::key;
use crate::write::{self, Operation};
use crate::{Entity, Error, ErrorCode, Result, TableName, query};

/// What [`Table::create_or_get_entity`](crate::Table::create_or_get_entity) gives.
#[derive(Clone, Debug, PartialEq)]
pub struct CreatedOrFound {
    /// The entity as the store has it now, with Timestamp and ETag.
    pub entity: Entity,
    /// Whether it was stored by this call. Otherwise it was there, and nothing was written.
    pub is_created: bool,
}

/// Stores an entity unless one is there, and reads the one that is there then.
///
/// # Errors
/// As [`write::apply_one`]; `Damaged` if the entity that was found is.
pub(crate) fn create_or_get(
    edit: &mut Edit<'_, '_>,
    name: &TableName,
    operation: &Operation,
) -> Result<CreatedOrFound> {
    let (partition_key, row_key) = (operation.partition_key(), operation.row_key());
    let lost = || Error::new(ErrorCode::Internal).fact("An entity was neither stored nor found.");
    let written = write::apply_one(edit, name, operation)?.ok_or_else(lost)?;
    let table = edit.table(name)?;
    let key = key::row_key(table.id, partition_key, row_key);
    let bytes = edit.row(&key)?.ok_or_else(lost)?;
    let entity = query::entity(&table, (partition_key, row_key), (&key, bytes), None)?;
    Ok(CreatedOrFound { entity, is_created: !written.is_found() })
}
