//! The rules of an entity group transaction: one table, one partition, each entity once (S6).

use crate::limits::Mode;
use crate::model::InputValue;
use crate::model::{keys_bytes, most_property_bytes, property_bytes};
use crate::write::{Operation, Verb};
use crate::{Error, ErrorCode, Result, ValueRef};
use std::collections::HashSet;

/// Checks what concerns the whole group, before any operation is tried (S6.17).
///
/// # Errors
/// In this order, each with the index of the first operation that breaks the rule: `InvalidInput` (more than 100),
/// `CommandsInBatchActOnDifferentPartitions`, `InvalidDuplicateRow`; without an index `RequestBodyTooLarge`.
pub(crate) fn check_group(operations: &[Operation], mode: Mode) -> Result<()> {
    let limits = mode.limits();
    if operations.len() > limits.group_operations {
        return Err(Error::new(ErrorCode::InvalidInput)
            .text("The batch request operation exceeds the maximum 100 changes per change set.")
            .fact(format!("This one has {}.", operations.len()))
            .limit(limits.group_operations, operations.len())
            .index(limits.group_operations));
    }
    let Some(first) = operations.first() else { return Ok(()) };
    let mut row_keys = HashSet::with_capacity(operations.len());
    for (index, operation) in operations.iter().enumerate() {
        let own = (operation.partition_key(), operation.row_key());
        for (partition_key, row_key) in std::iter::once(own).chain(operation.new_keys()) {
            let error = |code| Error::new(code).keys(partition_key, row_key).index(index);
            if partition_key != first.partition_key() {
                return Err(error(ErrorCode::CommandsInBatchActOnDifferentPartitions).fact(format!(
                    "The first has PartitionKey '{}', this one '{partition_key}'.",
                    first.partition_key(),
                )));
            }
            if !row_keys.insert(row_key) {
                return Err(error(ErrorCode::InvalidDuplicateRow).fact(format!("The RowKey is '{row_key}'.")));
            }
        }
    }
    let sum = |property_bytes| operations.iter().map(|operation| size_bytes(operation, property_bytes)).sum::<usize>();
    // The text is counted only where that can matter.
    if sum(most_property_bytes) > limits.group_bytes
        && let group_bytes = sum(property_bytes)
        && group_bytes > limits.group_bytes
    {
        return Err(Error::new(ErrorCode::RequestBodyTooLarge)
            .fact(format!("Its entities have {group_bytes} bytes, the limit is {}.", limits.group_bytes))
            .limit(limits.group_bytes, group_bytes));
    }
    Ok(())
}

/// Checks each operation by itself; the error has the index of the first that is wrong.
pub(crate) fn check_operations<'a>(operations: impl IntoIterator<Item = &'a Operation>, mode: Mode) -> Result<()> {
    let mut operations = operations.into_iter().enumerate();
    operations.try_for_each(|(index, operation)| operation.check(mode).map_err(|error| error.index(index)))
}

/// Bytes by the formula of S3.1; a number without a type, or one that is added, counts as the widest that it can become.
fn size_bytes(operation: &Operation, property_bytes: fn(&str, ValueRef<'_>) -> usize) -> usize {
    let keys = keys_bytes(operation.partition_key(), operation.row_key());
    match &operation.verb {
        Verb::Delete { .. } => keys,
        Verb::Move { to, .. } => keys + keys_bytes(to.partition_key(), to.row_key()),
        Verb::Write { entity, .. } | Verb::CreateOrGet { entity } => {
            let bytes = |(name, value): &(std::sync::Arc<str>, InputValue)| match value {
                InputValue::Typed(value) => property_bytes(name, value.as_ref()),
                InputValue::Untyped(_) | InputValue::Add(_) => property_bytes(name, ValueRef::Int64(0)),
                InputValue::Remove => 0,
            };
            keys + entity.properties.iter().map(bytes).sum::<usize>()
        }
    }
}
