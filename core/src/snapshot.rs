//! Snapshots: one moment of the store, to be read for as long as one likes.

use crate::catalog;
use crate::codec::header::Identity;
use crate::storage::{HeldTxn, ReadTxn, ThreadNumber, fork, this_thread};
use crate::{Error, ErrorCode, Result, TableName};
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, TryLockError};

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
    reading: Mutex<Option<Reading>>,
    identity: Identity,
    forks: u32,
}

/// A read that is under way, which may call back: what says whether to go on may end the snapshot, or the store.
struct Reading {
    thread: ThreadNumber,
    is_ended: bool,
}

/// The turn at reading, which ends also with a panic.
struct Turn<'h> {
    held: &'h Held,
    txn: MutexGuard<'h, Option<HeldTxn>>,
}

impl Snapshot {
    pub(crate) fn new(txn: HeldTxn, identity: Identity) -> Snapshot {
        Snapshot(Arc::new(Held {
            txn: Mutex::new(Some(txn)),
            reading: Mutex::default(),
            identity,
            forks: fork::forks(),
        }))
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
        let turn = self.0.turn()?;
        let closed = || Error::new(ErrorCode::StoreClosed).fact("The snapshot has ended.");
        job(turn.txn.as_ref().ok_or_else(closed)?.txn()?)
    }

    /// The names of the tables that there were, as [`Store::list_tables`](crate::Store::list_tables) gives them.
    ///
    /// # Errors
    /// [`ErrorCode::StoreClosed`] after the snapshot has ended; [`ErrorCode::StoreBusy`] in the midst of a read at it, on
    /// the same thread.
    pub fn list_tables(&self) -> Result<Vec<TableName>> {
        self.read(self.0.identity, |txn| catalog::table_names(txn))
    }

    /// Ends the snapshot for all its clones and the tables that read through it: later reads are
    /// [`ErrorCode::StoreClosed`]. Ending twice does no harm. From the midst of a read at it, on the same thread, it ends
    /// with that read.
    pub fn close(&self) {
        self.0.end();
    }
}

impl Held {
    fn reading(&self) -> MutexGuard<'_, Option<Reading>> {
        self.reading.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for the read of another thread, and refuses one who would wait for himself.
    fn turn(&self) -> Result<Turn<'_>> {
        let txn = match self.txn.try_lock() {
            Ok(txn) => txn,
            Err(TryLockError::Poisoned(txn)) => txn.into_inner(),
            Err(TryLockError::WouldBlock) => {
                if self.reading().as_ref().is_some_and(|reading| reading.thread == this_thread()) {
                    let fact = "A read at the snapshot is under way on this thread.";
                    return Err(Error::new(ErrorCode::StoreBusy).fact(fact));
                }
                self.txn.lock().unwrap_or_else(PoisonError::into_inner)
            }
        };
        *self.reading() = Some(Reading { thread: this_thread(), is_ended: false });
        Ok(Turn { held: self, txn })
    }

    /// Ends it; from the midst of a read on this thread, when that ends.
    pub(crate) fn end(&self) {
        if fork::check(self.forks).is_err() {
            return;
        }
        if let Some(reading) = &mut *self.reading()
            && reading.thread == this_thread()
        {
            reading.is_ended = true;
            return;
        }
        self.txn.lock().unwrap_or_else(PoisonError::into_inner).take();
    }
}

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        if self.held.reading().take().is_some_and(|reading| reading.is_ended) {
            self.txn.take();
        }
    }
}

impl fmt::Debug for Snapshot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Snapshot").finish_non_exhaustive()
    }
}
