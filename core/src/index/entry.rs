//! The entry that a row has in an index: its bytes, and what `unique` makes of it.

use crate::codec::key::{SEPARATOR, split_keys, split_row_key, table_prefix, unmap};
use crate::codec::order;
use crate::codec::record::{IndexRecord, IndexState, Projection, Scope};
use crate::codec::row::{self, Row};
use crate::model::ValueRef;
use crate::model::fold::{self, fold_case};
use crate::model::names::{ROW_KEY, TIMESTAMP};
use crate::{Error, Result};

/// What a row has in an index: a logical key and a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Entry {
    pub(crate) key: Vec<u8>,
    /// Empty, or a self-describing row.
    pub(crate) value: Vec<u8>,
}

/// The first bytes of every entry of an index.
pub(crate) fn prefix(index: u32) -> [u8; ID_BYTES] {
    index.to_be_bytes()
}

/// The version of Unicode whose tables fold case here.
pub(crate) fn folding() -> [u8; 3] {
    fold::UNICODE_VERSION
}

/// Whether this version can keep and read the entries.
pub(crate) fn is_usable(index: &IndexRecord) -> bool {
    !matches!(index.state, IndexState::Stale) && index.unicode.is_none_or(|version| version == folding())
}

/// The entry of the row under this key.
///
/// # Errors
/// `Damaged` if a value of the row is none; `EntityTooLarge` if the row that the index copies would be too long.
pub(crate) fn entry(index: &IndexRecord, row_key: &[u8], row: &Row<'_>) -> Result<Entry> {
    let keys = split_row_key(row_key)?;
    let mut key = Vec::with_capacity(row_key.len() + 16 * index.properties.len());
    key.extend_from_slice(&prefix(index.id));
    if index.scope == Scope::Partition {
        key.extend_from_slice(keys.partition_key);
        key.push(SEPARATOR);
    }
    for name in &index.properties {
        let text;
        let value = match &**name {
            ROW_KEY => {
                text = unmap(keys.row_key)?;
                Some(ValueRef::String(&text))
            }
            name => custom(name, row)?,
        };
        match value {
            Some(ValueRef::String(text)) if index.unicode.is_some() => {
                order::push_component(&mut key, Some(ValueRef::String(&fold_case(text))));
            }
            value => {
                order::push_component(&mut key, value);
            }
        }
    }
    if index.scope == Scope::Table {
        key.extend_from_slice(keys.partition_key);
        key.push(SEPARATOR);
    }
    key.extend_from_slice(keys.row_key);
    let value = projected(index, &key, row)?;
    Ok(Entry { key, value })
}

/// A component's value that is not a key.
fn custom<'a>(name: &str, row: &Row<'a>) -> Result<Option<ValueRef<'a>>> {
    match name {
        TIMESTAMP => Ok(Some(ValueRef::DateTime(row.timestamp()))),
        name => row.get(name),
    }
}

/// What the index copies of the row.
fn projected(index: &IndexRecord, entry_key: &[u8], row: &Row<'_>) -> Result<Vec<u8>> {
    let mut value = Vec::new();
    let names = match &index.projection {
        Projection::Keys => return Ok(value),
        Projection::All => None,
        Projection::Names(names) => Some(names),
    };
    let mut properties = Vec::new();
    for property in row.properties() {
        let (name, value) = property?;
        let name = name.as_str();
        if names.is_none_or(|names| names.iter().any(|known| **known == *name)) {
            properties.push((name.to_owned(), value));
        }
    }
    let properties = properties.iter().map(|(name, value)| (&**name, *value));
    row::encode_describing(entry_key, row.ticks(), properties, &mut value)?;
    Ok(value)
}

/// What a unique index must look at before it takes an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Bound {
    /// Nothing: the row is not bound.
    Free,
    /// Any entry with the same components holds the same value.
    Exact,
    /// An entry with the same components may hold another value: rows tell.
    Rows,
}

/// The values of a row in the index, nothing cut off: rows of the same components hold the same values if these are
/// the same.
///
/// # Errors
/// `Damaged` if a value of the row is none.
pub(crate) fn whole_values(index: &IndexRecord, row_key: &[u8], row: &Row<'_>) -> Result<Vec<u8>> {
    let mut whole = Vec::new();
    let mut push = |bytes: &[u8]| {
        whole.extend_from_slice(&(bytes.len() as u64).to_be_bytes());
        whole.extend_from_slice(bytes);
    };
    for name in &index.properties {
        let text;
        let value = match &**name {
            ROW_KEY => {
                text = unmap(split_row_key(row_key)?.row_key)?;
                Some(ValueRef::String(&text))
            }
            name => custom(name, row)?,
        };
        match value {
            Some(ValueRef::String(text)) if index.unicode.is_some() => push(fold_case(text).as_bytes()),
            Some(ValueRef::String(text)) => push(text.as_bytes()),
            Some(ValueRef::Binary(bytes)) => push(bytes),
            // Not cut, so the components have told them apart.
            _ => {}
        }
    }
    Ok(whole)
}

/// An entry's key taken apart.
#[derive(Clone, Copy, Debug)]
pub(crate) struct EntryParts<'a> {
    /// All components, one after the other.
    pub(crate) components: &'a [u8],
    /// Both keys are mapped still.
    pub(crate) partition_key: &'a [u8],
    pub(crate) row_key: &'a [u8],
    /// Bytes of the key up to the end of the components: what entries of the same value share.
    pub(crate) head: usize,
}

/// Takes the key of an entry apart.
///
/// # Errors
/// `Damaged` for one that does not come apart.
pub(crate) fn split_entry<'a>(index: &IndexRecord, key: &'a [u8]) -> Result<EntryParts<'a>> {
    let damaged = || Error::damaged("An index entry has not the form that its index gives it.");
    let rest = key.get(ID_BYTES..).ok_or_else(damaged)?;
    match index.scope {
        Scope::Table => {
            let (components, keys) = rest.split_at(components_bytes(index, rest)?);
            let (partition_key, row_key) = split_keys(keys).ok_or_else(damaged)?;
            Ok(EntryParts { components, partition_key, row_key, head: ID_BYTES + components.len() })
        }
        Scope::Partition => {
            let end = rest.iter().position(|byte| *byte == SEPARATOR).ok_or_else(damaged)?;
            let (partition_key, rest) = (&rest[..end], &rest[end + 1..]);
            let (components, row_key) = rest.split_at(components_bytes(index, rest)?);
            if row_key.contains(&SEPARATOR) {
                return Err(damaged());
            }
            Ok(EntryParts { components, partition_key, row_key, head: ID_BYTES + end + 1 + components.len() })
        }
    }
}

impl<'a> EntryParts<'a> {
    /// The logical row key that the entry stands for.
    pub(crate) fn row_key_in(&self, table: u32) -> Vec<u8> {
        [&table_prefix(table), self.partition_key, &[SEPARATOR], self.row_key].concat()
    }

    /// The components one by one, with their tags; they have come apart already.
    pub(crate) fn each(&self) -> impl Iterator<Item = &'a [u8]> {
        let mut rest = self.components;
        std::iter::from_fn(move || {
            let bytes = order::skip_component(rest).ok()?;
            let (component, after) = rest.split_at_checked(bytes)?;
            rest = after;
            Some(component)
        })
    }

    /// What a unique index makes of the entry.
    pub(crate) fn bound(&self, index: &IndexRecord) -> Bound {
        let is_free = |component: &[u8]| component == [order::MISSING] || order::is_nan(component);
        if !index.is_unique || self.each().any(is_free) {
            Bound::Free
        } else if self.each().any(order::is_cut) {
            Bound::Rows
        } else {
            Bound::Exact
        }
    }
}

/// Bytes of the index's id at the start of every entry.
const ID_BYTES: usize = 4;

/// Bytes of the index's components at the start of `bytes`.
fn components_bytes(index: &IndexRecord, bytes: &[u8]) -> Result<usize> {
    let mut end = 0;
    for _ in &index.properties {
        end += order::skip_component(bytes.get(end..).unwrap_or_default())?;
    }
    Ok(end)
}
