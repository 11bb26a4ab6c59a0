//! One row, by its keys.

use super::project::{HandedOut, Projection, entity};
use super::run::Target;
use crate::Result;
use crate::codec::key;
use crate::storage::{Read, Space};

/// Whether the target has an entity with these keys.
pub(crate) fn exists<T: Read>(target: &Target<'_, T>, partition_key: &str, row_key: &str) -> Result<bool> {
    key::with_row_key(target.table.id, partition_key, row_key, |key| Ok(target.txn.get(Space::Rows, key)?.is_some()))
}

/// The entity with these keys, as the target has it.
pub(crate) fn read<T: Read, E: HandedOut>(
    target: &Target<'_, T>,
    partition_key: &str,
    row_key: &str,
    select: Option<&Projection>,
) -> Result<Option<E>> {
    key::with_row_key(target.table.id, partition_key, row_key, |key| {
        let Some(bytes) = target.txn.get(Space::Rows, key)? else { return Ok(None) };
        entity(target.table, (partition_key, row_key), (key, bytes), select).map(Some)
    })
}
