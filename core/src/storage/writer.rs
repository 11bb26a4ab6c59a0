//! The one way to the disk: a write transaction begins here, and commits here.

use super::{Live, WriteTxn};
use crate::{Error, ErrorCode, Result};

/// Runs a job in a write transaction and commits it, durably. If the job fails, nothing is written.
///
/// Jobs of this process wait for each other, and LMDB's lock makes them wait for those of other processes.
///
/// # Errors
/// The job's own; [`ErrorCode::StoreFull`] if the disk or the map is full, with nothing done;
/// [`ErrorCode::OutcomeUnknown`] if the sync failed.
pub(crate) fn run<T>(live: &Live, job: impl FnOnce(&mut WriteTxn<'_>) -> Result<T>) -> Result<T> {
    if live.is_read_only() {
        return Err(Error::new(ErrorCode::StoreReadOnly));
    }
    // A job that panicked has left nothing behind: its transaction was aborted when it unwound.
    let _turn = live.turn.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    let mut txn = live.write_txn()?;
    let outcome = job(&mut txn)?;
    txn.commit().map_err(|error| match error.code() {
        ErrorCode::StoreFull => error,
        _ => Error::new(ErrorCode::OutcomeUnknown).caused_by(error),
    })?;
    Ok(outcome)
}
