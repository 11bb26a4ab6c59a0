//! What the service would not take.

use crate::limits::SERVICE;
use crate::model::all_refusals;
use crate::{Entity, Error, Table};

/// An entity that the service would not take, and why: what [`Store::check_export`](crate::Store::check_export) tells.
#[derive(Debug)]
#[non_exhaustive]
pub struct Refused {
    /// The table.
    pub table: String,
    /// The PartitionKey.
    pub partition_key: String,
    /// The RowKey.
    pub row_key: String,
    /// Each limit that is passed, with the property, the limit and the actual value.
    pub reasons: Vec<Error>,
}

impl Refused {
    pub(super) fn new(table: &Table, entity: &Entity, reasons: Vec<Error>) -> Refused {
        Refused {
            table: table.name().to_owned(),
            partition_key: entity.partition_key().to_owned(),
            row_key: entity.row_key().to_owned(),
            reasons,
        }
    }
}

/// Everything that the service has against an entity.
pub(super) fn refusals(entity: &Entity, table: &str) -> Vec<Error> {
    let keyed = |error: Error| error.table(table).keys(entity.partition_key(), entity.row_key());
    all_refusals(entity, &SERVICE).into_iter().map(keyed).collect()
}
