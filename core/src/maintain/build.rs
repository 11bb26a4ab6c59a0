//! Indexes are built in steps: writers get their turn in between, readers never wait, and what a kill leaves half built
//! goes on with the next opener that writes.

use crate::catalog::{Built, Edit};
use crate::{Result, TableName};

/// Rows that one step makes entries of: a tenth of a second or two, which is what another writer may have to wait.
/// Entries lie in another order than rows, so that each step writes most pages of the index anew: few steps are quick.
const STEP_ROWS: usize = 131_072;

/// Makes the entries of some more rows, in the group. See [`Edit::build_index`].
///
/// # Errors
/// `TableNotFound`; `Damaged`.
pub(crate) fn step(edit: &mut Edit<'_, '_>, table: &TableName, index: u32) -> Result<Built> {
    edit.build_index(table, index, STEP_ROWS)
}
