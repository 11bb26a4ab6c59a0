//! Deleting what a query asks for.

use crate::catalog::Edit;
use crate::query::{Prepared, Target};
use crate::{Result, TableName};

/// Deletes the entities that a query asks for, up to its limit, in the group. Tells how many.
///
/// # Errors
/// `TableNotFound`; `Damaged`.
pub(crate) fn delete(edit: &mut Edit<'_, '_>, name: &TableName, query: &Prepared) -> Result<u64> {
    let table = edit.table(name)?;
    let keys = query.keys(&Target { txn: edit.txn(), table: &table, identity: edit.identity() })?;
    let count = keys.len() as u64;
    for key in keys {
        let former = edit.former_entries(&table, &key)?;
        edit.delete_row(name, key.into(), former)?;
    }
    Ok(count)
}
