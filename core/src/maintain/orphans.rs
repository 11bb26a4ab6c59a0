//! Children whose parents are not there: loaded before their relation was declared.

use crate::Result;
use crate::catalog::{Link, TableView};
use crate::codec::key::{next_prefix, table_prefix};
use crate::codec::row::Row;
use crate::relation::{Target, known_link_of};
use crate::storage::{Direction, Read, Space};
use std::ops::Bound;

/// Rows that one transaction looks at.
const STEP_ROWS: usize = 10_000;

/// A child without its parent: its row key, and where it leads.
pub(crate) struct Found {
    pub(crate) key: Vec<u8>,
    pub(crate) target: Target,
}

/// Looks at the next rows of a table. Gives the children that lead nowhere, and behind which row to go on; `None` at the
/// end.
///
/// # Errors
/// `Damaged`.
pub(crate) fn step(
    txn: &impl Read,
    table: &TableView,
    link: &Link,
    after: Option<Vec<u8>>,
) -> Result<(Vec<Found>, Option<Vec<u8>>)> {
    let prefix = table_prefix(table.id).to_vec();
    let end = next_prefix(prefix.clone()).map_or(Bound::Unbounded, Bound::Excluded);
    let begin = after.map_or(Bound::Included(prefix), Bound::Excluded);
    let mut found = Vec::new();
    for (number, item) in txn.range(Space::Rows, (begin, end), Direction::Ascending)?.enumerate() {
        let (key, bytes) = item?;
        if let Some(target) = known_link_of(&link.record, &key, &Row::checked(&key, bytes, &table.shapes)?)? {
            let is_there = match target.key_in(link.record.parent) {
                Some(parent) => txn.get(Space::Rows, &parent)?.is_some(),
                None => false,
            };
            if !is_there {
                found.push(Found { key: key.to_vec(), target });
            }
        }
        if number + 1 >= STEP_ROWS {
            return Ok((found, Some(key.into_owned())));
        }
    }
    Ok((found, None))
}
