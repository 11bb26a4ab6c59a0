//! The operations of a group, one after the other.

use super::apply::apply;
use super::{Operation, Written};
use crate::catalog::Edit;
use crate::codec::key;
use crate::storage::{Keys, Read, meter};
use crate::{Result, TableName};
use std::borrow::Borrow;
use std::sync::Arc;

/// Operations of a group for which looking up their rows ahead is worth it.
const MANY: usize = 4;

/// Looks up the rows of a group's operations before the first is applied, if they are many; [`apply_all`] takes the keys.
pub(crate) fn foresee<'a>(
    edit: &mut Edit<'_, '_>,
    operations: impl ExactSizeIterator<Item = (&'a TableName, &'a Operation)>,
) -> Option<Keys> {
    if operations.len() < MANY {
        return None;
    }
    let (mut keys, mut last) = (Keys::default(), None::<(&TableName, u32)>);
    for (name, operation) in operations {
        let table = match last {
            Some((known, table)) if known == name => table,
            // Which operation fails for a table that is not there is told when they are applied.
            // Where there are relations, rows of the group are looked for by others.
            _ => edit.table(name).ok().filter(|table| table.links.is_empty())?.id,
        };
        last = Some((name, table));
        // The row under a new key is looked for by its key, which the rows of the others must not be apart from.
        if operation.new_keys().is_some() {
            return None;
        }
        keys.push(|key| key::push_row_key(key, table, operation.partition_key(), operation.row_key()));
    }
    Some(keys)
}

/// Applies operations in their order; the error has the index of the one that failed. Those that are handed over are
/// dropped one by one, while they are in the processor's cache.
///
/// # Errors
/// As [`apply`].
pub(crate) fn apply_all<'a, O: Borrow<Operation>>(
    edit: &mut Edit<'_, '_>,
    foreseen: Option<Keys>,
    operations: impl Iterator<Item = (&'a TableName, O)>,
) -> Result<Vec<Option<Written>>> {
    let foreseen = foreseen.map(Arc::new).filter(|keys| edit.foresee(keys));
    let mut apply = |(index, (name, operation)): (usize, (&TableName, O))| {
        let key = foreseen.as_deref().map(|keys| (keys, index));
        apply_at(edit, name, operation.borrow(), key).map_err(|error| error.index(index))
    };
    operations.enumerate().map(&mut apply).collect()
}

/// Applies one operation; `None` for a delete.
///
/// # Errors
/// As [`apply`].
pub(crate) fn apply_one(edit: &mut Edit<'_, '_>, name: &TableName, operation: &Operation) -> Result<Option<Written>> {
    apply_at(edit, name, operation, None)
}

fn apply_at(
    edit: &mut Edit<'_, '_>,
    name: &TableName,
    operation: &Operation,
    foreseen: Option<(&Keys, usize)>,
) -> Result<Option<Written>> {
    let outcome = apply(edit, name, operation, foreseen);
    if meter::is_due()
        && let Ok(table) = edit.table(name)
    {
        edit.txn().meter().note_key(&key::row_key(table.id, operation.partition_key(), ""));
    }
    outcome.map_err(|error| error.table(name.as_str()).keys(operation.partition_key(), operation.row_key()))
}
