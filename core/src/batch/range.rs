//! Deleting what a query asks for.

use crate::catalog::Edit;
use crate::query::{Prepared, Target};
use crate::{Result, TableName};

/// What a deletion has done.
pub(crate) struct Deleted {
    pub(crate) count: u64,
    /// The row key of the last entity, in the query's order.
    pub(crate) last: Option<Vec<u8>>,
}

/// Deletes the entities that a query asks for, up to its limit, in the group; of a query in the order of keys those
/// behind `after` alone.
///
/// # Errors
/// `TableNotFound`; `Damaged`; `Cancelled`.
pub(crate) fn delete(
    edit: &mut Edit<'_, '_>,
    name: &TableName,
    query: &Prepared,
    after: Option<&[u8]>,
) -> Result<Deleted> {
    let table = edit.table(name)?;
    let keys = query.keys(&Target { txn: edit.txn(), table: &table, identity: edit.identity() }, after)?;
    let deleted = Deleted { count: keys.len() as u64, last: keys.last().cloned() };
    for key in keys {
        let former = edit.former(&table, &key)?;
        edit.delete_row(name, key.into(), former)?;
    }
    Ok(deleted)
}
