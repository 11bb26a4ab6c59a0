//! Snapshots: one moment of the store, to be read for as long as one likes.

use crate::catalog;
use crate::codec::header::Identity;
use crate::storage::{HeldTxn, ReadTxn, fork};
use crate::{Error, ErrorCode, Result, TableName};
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

/// The store as it was at one moment: what is written later is not seen through it (S7.8.7).
///
/// Read through [`Table::at`](crate::Table::at). While it lives, the file keeps all that it can see, so the space of
/// what is overwritten and deleted meanwhile is not used again: let go of it soon. Clones are the same snapshot;
/// threads that share one take turns.
///
/// # Example
/// ```
/// use entable::{entity, Store};
/// let store = Store::in_memory()?;
/// let orders = store.create_table("Orders")?;
/// orders.create_entity(entity! { "DE", "0001" })?;
/// let snapshot = store.snapshot()?;
/// orders.delete_entity("DE", "0001")?;
/// assert!(orders.at(&snapshot).exists("DE", "0001")?);
/// assert!(!orders.exists("DE", "0001")?);
/// # Ok::<(), entable::Error>(())
/// ```
#[derive(Clone)]
pub struct Snapshot(Arc<Held>);

/// What the store ends when it is closed.
pub(crate) struct Held {
    txn: Mutex<Option<HeldTxn>>,
    identity: Identity,
    forks: u32,
}

impl Snapshot {
    pub(crate) fn new(txn: HeldTxn, identity: Identity) -> Snapshot {
        Snapshot(Arc::new(Held { txn: Mutex::new(Some(txn)), identity, forks: fork::forks() }))
    }

    pub(crate) fn held(&self) -> &Arc<Held> {
        &self.0
    }

    /// Runs `job` on the snapshot's moment.
    pub(crate) fn read<T>(&self, identity: Identity, job: impl FnOnce(&ReadTxn<'_>) -> Result<T>) -> Result<T> {
        if identity != self.0.identity {
            return Err(Error::invalid("The snapshot belongs to another store."));
        }
        fork::check(self.0.forks)?;
        let held = self.0.txn.lock().unwrap_or_else(PoisonError::into_inner);
        let closed = || Error::new(ErrorCode::StoreClosed).fact("The snapshot has ended.");
        job(held.as_ref().ok_or_else(closed)?.txn()?)
    }

    /// The names of the tables that there were, as [`Store::list_tables`](crate::Store::list_tables) gives them.
    ///
    /// # Errors
    /// [`ErrorCode::StoreClosed`] after the snapshot has ended.
    pub fn list_tables(&self) -> Result<Vec<TableName>> {
        self.read(self.0.identity, |txn| catalog::table_names(txn))
    }

    /// Ends the snapshot for all its clones and the tables that read through it: later reads are
    /// [`ErrorCode::StoreClosed`]. Ending twice does no harm.
    pub fn close(&self) {
        self.0.end();
    }
}

impl Held {
    pub(crate) fn end(&self) {
        if fork::check(self.forks).is_err() {
            return;
        }
        self.txn.lock().unwrap_or_else(PoisonError::into_inner).take();
    }
}

impl fmt::Debug for Snapshot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Snapshot").finish_non_exhaustive()
    }
}
