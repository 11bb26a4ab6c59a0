//! The link of a child: which row it leads to, and where the children of a row lie.

use crate::codec::key::{SEPARATOR, next_prefix, push_mapped, row_key, split_row_key, table_prefix, unmap};
use crate::codec::order::push_component;
use crate::codec::record::{IndexRecord, RelationRecord, Scope};
use crate::codec::row::Row;
use crate::model::ValueRef;
use crate::model::names::{PARTITION_KEY, ROW_KEY};
use crate::storage::{Bounds, Space};
use crate::{Error, ErrorCode, Result, index};
use std::ops::Bound;

/// The keys of a parent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Target {
    pub(crate) partition_key: String,
    pub(crate) row_key: String,
}

impl Target {
    /// The row key of the parent; `None` for what is in no key.
    pub(crate) fn key_in(&self, table: u32) -> Option<Vec<u8>> {
        let is_key = !self.partition_key.contains('\0') && !self.row_key.contains('\0');
        is_key.then(|| row_key(table, &self.partition_key, &self.row_key))
    }
}

/// The parent that a row which is written links to; `None` if it lacks one of the properties.
///
/// # Errors
/// `InvalidInput` for a property of another type than String; `Damaged`.
pub(crate) fn link_of(relation: &RelationRecord, key: &[u8], row: &Row<'_>) -> Result<Option<Target>> {
    let parts = split_row_key(key)?;
    let text = |name: &str| match name {
        PARTITION_KEY => Ok(Some(unmap(parts.partition_key)?.into_owned())),
        ROW_KEY => Ok(Some(unmap(parts.row_key)?.into_owned())),
        name => match row.get(name)? {
            None => Ok(None),
            Some(ValueRef::String(text)) => Ok(Some(text.to_owned())),
            Some(other) => Err(Error::invalid(format!(
                "Relation '{}' takes a String for a key, and this is a {}.",
                relation.name,
                other.edm_type()
            ))
            .property(name)),
        },
    };
    let (Some(partition_key), Some(row_key)) = (text(&relation.partition_key)?, text(&relation.row_key)?) else {
        return Ok(None);
    };
    Ok(Some(Target { partition_key, row_key }))
}

/// The parent that a stored row links to: what is no key links to none, as in a row that was there before the relation.
///
/// # Errors
/// `Damaged`.
pub(crate) fn known_link_of(relation: &RelationRecord, key: &[u8], row: &Row<'_>) -> Result<Option<Target>> {
    match link_of(relation, key, row) {
        Err(error) if error.code() == ErrorCode::InvalidInput => Ok(None),
        link => link,
    }
}

/// Where the children of a parent are looked for: rows, or entries of the index of the relation. Others may lie there, too,
/// so that each row tells.
pub(crate) fn children(relation: &RelationRecord, index: Option<&IndexRecord>, parent: &Target) -> (Space, Bounds) {
    let of = |name: &str| match name == &*relation.partition_key {
        true => Some(parent.partition_key.as_str()),
        false => (name == &*relation.row_key).then_some(parent.row_key.as_str()),
    };
    let Some(index) = index else {
        let mut prefix = table_prefix(relation.child).to_vec();
        if let (Some(pk), Some(rk)) = (of(PARTITION_KEY), of(ROW_KEY)) {
            let key = row_key(relation.child, pk, rk);
            return (Space::Rows, (Bound::Included(key.clone()), Bound::Included(key)));
        }
        if let Some(pk) = of(PARTITION_KEY) {
            push_mapped(&mut prefix, pk);
            prefix.push(SEPARATOR);
        }
        return (Space::Rows, within(prefix));
    };
    let mut prefix = index::prefix(index.id).to_vec();
    if index.scope == Scope::Partition {
        push_mapped(&mut prefix, of(PARTITION_KEY).unwrap_or_default());
        prefix.push(SEPARATOR);
    }
    for name in &index.properties {
        push_component(&mut prefix, of(name).map(ValueRef::String));
    }
    (Space::Indexes, within(prefix))
}

fn within(prefix: Vec<u8>) -> Bounds {
    let end = next_prefix(prefix.clone()).map_or(Bound::Unbounded, Bound::Excluded);
    (Bound::Included(prefix), end)
}
