//! What a filter says of a row, in the words of the evaluator that says what filters mean.

use crate::codec::key;
use crate::codec::row::Row;
use crate::filter::ast::Expr;
use crate::filter::eval;
use crate::limits::Mode;
use crate::{DateTime, Error, Result, ValueRef};
use std::borrow::Cow;
use std::cell::Cell;

/// Whether a row is one that the filter asks for, by the plain evaluator: for conditions of writes, for rows without a shape,
/// and to test the programs against that answer sooner.
///
/// # Errors
/// `Damaged` for what was read.
pub(crate) fn row_matches(filter: &Expr, key: &[u8], row: &Row<'_>, mode: Mode) -> Result<bool> {
    let keys = key::split_row_key(key)?;
    let candidate = Candidate {
        partition_key: key::unmap(keys.partition_key)?,
        row_key: key::unmap(keys.row_key)?,
        row,
        damage: Cell::new(None),
    };
    let is_match = eval::matches(filter, &candidate, mode);
    match candidate.damage.into_inner() {
        Some(damage) => Err(damage),
        None => Ok(is_match),
    }
}

struct Candidate<'a> {
    partition_key: Cow<'a, str>,
    row_key: Cow<'a, str>,
    row: &'a Row<'a>,
    /// What the evaluator, which knows no failures, was not told.
    damage: Cell<Option<Error>>,
}

impl eval::Properties for Candidate<'_> {
    fn partition_key(&self) -> &str {
        &self.partition_key
    }

    fn row_key(&self) -> &str {
        &self.row_key
    }

    fn timestamp(&self) -> DateTime {
        self.row.timestamp()
    }

    fn property(&self, name: &str) -> Option<ValueRef<'_>> {
        self.row.get(name).unwrap_or_else(|damage| {
            self.damage.set(Some(damage));
            None
        })
    }
}
