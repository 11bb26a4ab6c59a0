//! A row of the model, and whether the store's is the same.

use crate::value::{V, units};
use entable::Entity;
use std::collections::BTreeMap;

pub(crate) type Key = (Vec<u16>, Vec<u16>);

#[derive(Clone, Debug)]
pub(crate) struct Row {
    pub(crate) partition_key: String,
    pub(crate) row_key: String,
    pub(crate) properties: BTreeMap<String, V>,
    pub(crate) timestamp: i64,
}

pub(crate) fn key(partition_key: &str, row_key: &str) -> Key {
    (units(partition_key), units(row_key))
}

pub(crate) fn check_row(row: &Row, found: &Entity) {
    assert_eq!((found.partition_key(), found.row_key()), (row.partition_key.as_str(), row.row_key.as_str()));
    let timestamp = found.timestamp().map(entable::DateTime::ticks);
    assert_eq!(timestamp, Some(row.timestamp), "{row:?}");
    assert_eq!(found.etag().and_then(|etag| etag.timestamp()), found.timestamp(), "{row:?}");
    assert_eq!(found.properties().len(), row.properties.len(), "{row:?}: {found:?}");
    for (name, value) in found.properties() {
        assert!(row.properties.get(name).is_some_and(|expected| expected.is(value)), "{row:?}: {name} {value:?}");
    }
}

/// S7.7.2: the named properties, keys and Timestamp too only if they are named; the ETag in any case.
pub(crate) fn check_selected(row: &Row, found: &Entity, names: &[&str]) {
    let key = |name: &str, key: &str| if names.contains(&name) { key.to_owned() } else { String::new() };
    assert_eq!(found.partition_key(), key("PartitionKey", &row.partition_key));
    assert_eq!(found.row_key(), key("RowKey", &row.row_key));
    assert_eq!(found.timestamp().is_some(), names.contains(&"Timestamp"));
    assert_eq!(found.etag().and_then(|etag| etag.timestamp()).map(entable::DateTime::ticks), Some(row.timestamp));
    let expected = row.properties.iter().filter(|(name, _)| names.contains(&name.as_str()));
    assert_eq!(found.properties().len(), expected.clone().count(), "{row:?}: {found:?}");
    for (name, expected) in expected {
        assert!(found.get(name).is_some_and(|value| expected.is(value)), "{row:?}: {found:?}");
    }
}
