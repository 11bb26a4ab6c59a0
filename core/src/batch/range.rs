//! Deleting what a query asks for.

use crate::catalog::Edit;
use crate::query::{Prepared, Query, Target};
use crate::{Error, Result, TableName};

/// Where a deletion in chunks stands: what its next step deletes. Nothing of the store is held between the steps.
///
/// # Example
/// ```
/// use entable::{DeletionStep, Query, Store};
/// let first = DeletionStep::new("Total gt 10.0", 100)?;
/// assert!(DeletionStep::new(Query::all(), 0).is_err());
/// # Ok::<(), entable::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct DeletionStep {
    query: Query,
    chunk: u64,
    /// What the query's limit still allows.
    left: u64,
    /// The row key of the last entity that was deleted.
    after: Option<Vec<u8>>,
}

impl DeletionStep {
    /// The first step of deleting what a query asks for, with at most `chunk` entities to a step.
    ///
    /// # Errors
    /// [`ErrorCode::InvalidInput`](crate::ErrorCode::InvalidInput) for a chunk of 0.
    pub fn new(query: impl Into<Query>, chunk: u64) -> Result<DeletionStep> {
        if chunk == 0 {
            return Err(Error::invalid("A chunk holds at least one entity."));
        }
        let query: Query = query.into();
        let left = query.total_limit().unwrap_or(u64::MAX);
        Ok(DeletionStep { query, chunk, left, after: None })
    }

    fn most(&self) -> u64 {
        self.chunk.min(self.left)
    }

    /// The query of this step alone.
    pub(crate) fn query(&self) -> Query {
        self.query.clone().limit(self.most())
    }

    pub(crate) fn after(&self) -> Option<&[u8]> {
        self.after.as_deref()
    }

    /// The step behind what this one has deleted; `None` if nothing can be left.
    pub(crate) fn behind(&self, deleted: Deleted) -> Option<DeletionStep> {
        let left = self.left - deleted.count;
        (deleted.count == self.most() && left > 0).then(|| DeletionStep { left, after: deleted.last, ..self.clone() })
    }
}

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
    // As long as nothing is put, it can be given up.
    let mut deciding = query.reading();
    for key in keys {
        deciding.row()?;
        let former = edit.former(&table, &key)?;
        edit.delete_row(name, key.into(), former)?;
    }
    Ok(deleted)
}
