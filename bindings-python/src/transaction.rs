//! Interactive transactions: `with store.transaction() as transaction:`.
//!
//! LMDB ties a transaction to its thread. So the thread keeps it, and the objects hold its number: any thread may have
//! the objects, and only the right one finds the transaction.

use crate::error::{Failure, raise};
use crate::handle::{Handle, forks};
use crate::query::{ItemPaged, Question};
use crate::table::Table;
use entable::{Class, ErrorCode};
use pyo3::prelude::*;
use pyo3::types::{PyAny, PyTuple};
use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, ThreadId};

thread_local! {
    /// The transactions that this thread is in the middle of: one for each store.
    static OPEN: RefCell<HashMap<u64, Rc<entable::Transaction>>> = RefCell::default();
}

static NEXT: AtomicU64 = AtomicU64::new(0);

/// Transactions whose objects another thread was the last to let go of: their own thread ends them.
static LEFT: Mutex<Vec<(ThreadId, u64)>> = Mutex::new(Vec::new());
static LEFT_COUNT: AtomicU64 = AtomicU64::new(0);

/// Ends what was left of this thread's transactions.
pub(crate) fn sweep() {
    if LEFT_COUNT.load(Ordering::Relaxed) == 0 {
        return;
    }
    let mut left = LEFT.lock().unwrap_or_else(PoisonError::into_inner);
    let mine = thread::current().id();
    left.retain(|(of, id)| *of != mine || !forget(*id));
    LEFT_COUNT.store(left.len() as u64, Ordering::Relaxed);
}

/// Whether this thread has begun a transaction that has not ended.
pub(crate) fn is_in_transaction() -> bool {
    OPEN.try_with(|open| open.try_borrow().map_or(true, |open| !open.is_empty())).unwrap_or(false)
}

/// Lets go of the parent's transactions, in the child of a fork.
pub(crate) fn forget_all() {
    // Dropped when nothing of it is borrowed any more.
    let all = OPEN.try_with(|open| open.try_borrow_mut().map(|mut open| std::mem::take(&mut *open)));
    drop(all);
}

fn forget(id: u64) -> bool {
    // As the thread ends, its transactions do, too.
    OPEN.try_with(|open| open.try_borrow_mut().is_ok_and(|mut open| open.remove(&id).is_some())).unwrap_or(true)
}

/// A transaction that has been begun: its number, and where it can be found.
pub(crate) struct Open {
    id: u64,
    of: ThreadId,
    forks: u64,
}

impl Open {
    fn begin(store: &entable::Store) -> Result<Open, Failure> {
        sweep();
        let transaction = Rc::new(store.begin()?);
        let open = Open { id: NEXT.fetch_add(1, Ordering::Relaxed), of: thread::current().id(), forks: forks() };
        OPEN.with_borrow_mut(|all| all.insert(open.id, transaction));
        Ok(open)
    }

    fn check(&self) -> Result<(), Failure> {
        if self.forks != forks() {
            return Err(Failure::Fact(ErrorCode::StoreForked, "The transaction is the parent's."));
        }
        if self.of != thread::current().id() {
            let fact = "A transaction is used by the thread that began it.";
            return Err(Failure::Fact(ErrorCode::InvalidInput, fact));
        }
        Ok(())
    }

    /// Does something in the transaction.
    pub(crate) fn run<T>(
        &self,
        work: impl FnOnce(&entable::Transaction) -> Result<T, entable::Error>,
    ) -> Result<T, Failure> {
        self.check()?;
        let found = OPEN.with_borrow(|all| all.get(&self.id).cloned());
        let transaction = found.ok_or(Failure::Fact(ErrorCode::StoreClosed, "The transaction has ended."))?;
        Ok(work(&transaction)?)
    }

    fn has_ended(&self) -> bool {
        !OPEN.with_borrow(|all| all.contains_key(&self.id))
    }

    fn commit(&self) -> Result<(), Failure> {
        match Rc::try_unwrap(self.take()?) {
            Ok(transaction) => Ok(transaction.commit()?),
            Err(_) => Err(Failure::Fact(ErrorCode::TransactionOpen, "An operation of it is under way.")),
        }
    }

    fn take(&self) -> Result<Rc<entable::Transaction>, Failure> {
        self.check()?;
        let taken = OPEN.with_borrow_mut(|all| all.remove(&self.id));
        taken.ok_or(Failure::Fact(ErrorCode::StoreClosed, "The transaction has ended."))
    }
}

impl Drop for Open {
    fn drop(&mut self) {
        if self.forks == forks() && self.of == thread::current().id() {
            forget(self.id);
        } else if self.forks == forks() {
            let mut left = LEFT.lock().unwrap_or_else(PoisonError::into_inner);
            left.push((self.of, self.id));
            LEFT_COUNT.store(left.len() as u64, Ordering::Relaxed);
        }
    }
}

/// A transaction that a program is in the middle of: ``with store.transaction() as transaction:``.
///
/// It begins with the ``with``, which waits for other writers, as they do then. At its end all is committed, or, after
/// an exception, nothing of it has happened. Tables got from it have the verbs of ``Table``; what they read is what the
/// transaction has written. Every operation does by itself all or nothing: one that fails may be caught, and the
/// transaction goes on. It belongs to the thread that began it; that thread cannot write past it meanwhile.
#[pyclass(module = "entable", frozen)]
pub(crate) struct Transaction {
    handle: Arc<Handle>,
    open: Mutex<Option<Arc<Open>>>,
}

impl Transaction {
    pub(crate) fn new(handle: &Arc<Handle>) -> Transaction {
        Transaction { handle: Arc::clone(handle), open: Mutex::new(None) }
    }

    fn open(&self) -> PyResult<Arc<Open>> {
        let open = self.open.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let fact = "It begins with the `with` statement.";
        open.ok_or_else(|| raise(Failure::Fact(ErrorCode::InvalidInput, fact)))
    }
}

#[pymethods]
impl Transaction {
    /// A handle to a table in the transaction. Nothing is asked of the store yet.
    fn get_table_client(&self, table_name: &str) -> PyResult<Table> {
        Ok(Table::inside(&self.handle, table_name, self.open()?))
    }

    /// Makes a table. ``ResourceExistsError`` if there is one of that name.
    fn create_table(&self, table_name: &str) -> PyResult<Table> {
        let open = self.open()?;
        open.run(|transaction| transaction.create_table(table_name).map(drop)).map_err(raise)?;
        Ok(Table::inside(&self.handle, table_name, open))
    }

    /// Makes a table if there is none of that name.
    fn create_table_if_not_exists(&self, table_name: &str) -> PyResult<Table> {
        let open = self.open()?;
        open.run(|transaction| transaction.create_table_if_not_exists(table_name).map(drop)).map_err(raise)?;
        Ok(Table::inside(&self.handle, table_name, open))
    }

    /// Deletes a table with its entities. Quiet if there is none of that name, as the client is.
    fn delete_table(&self, table_name: &str) -> PyResult<()> {
        match self.open()?.run(|transaction| transaction.delete_table(table_name)) {
            Err(Failure::Core(error)) if error.class() == Class::NotFound => Ok(()),
            outcome => outcome.map_err(raise),
        }
    }

    /// The tables, in the order of their names, those included that the transaction has made.
    fn list_tables(&self) -> PyResult<ItemPaged> {
        let names = self.open()?.run(entable::Transaction::list_tables).map_err(raise)?;
        Ok(ItemPaged::new(Question::listed(names)))
    }

    /// Ends the transaction and makes it durable, before the end of the ``with``.
    fn commit(&self, py: Python<'_>) -> PyResult<()> {
        let open = self.open()?;
        py.detach(|| open.commit()).map_err(raise)
    }

    /// Ends the transaction with nothing done, before the end of the ``with``.
    fn rollback(&self, py: Python<'_>) -> PyResult<()> {
        let open = self.open()?;
        py.detach(|| open.take().map(drop)).map_err(raise)
    }

    fn __enter__<'py>(slf: Bound<'py, Self>) -> PyResult<Bound<'py, Self>> {
        let this = slf.get();
        // Errors are made when nothing is locked: making objects may run code that comes back here.
        let again = || raise(Failure::Fact(ErrorCode::InvalidInput, "A transaction is begun once."));
        let is_begun = this.open.lock().unwrap_or_else(PoisonError::into_inner).is_some();
        if is_begun {
            return Err(again());
        }
        let store = this.handle.store().map_err(raise)?;
        let open = Arc::new(slf.py().detach(|| Open::begin(&store)).map_err(raise)?);
        let first = {
            let mut place = this.open.lock().unwrap_or_else(PoisonError::into_inner);
            Arc::clone(place.get_or_insert_with(|| Arc::clone(&open)))
        };
        if Arc::ptr_eq(&first, &open) { Ok(slf) } else { Err(again()) }
    }

    #[pyo3(signature = (*exception))]
    fn __exit__(&self, py: Python<'_>, exception: &Bound<'_, PyTuple>) -> PyResult<bool> {
        let open = self.open()?;
        open.check().map_err(raise)?;
        let has_failed = exception.get_item(0).is_ok_and(|class: Bound<'_, PyAny>| !class.is_none());
        if !open.has_ended() {
            if has_failed { self.rollback(py)? } else { self.commit(py)? }
        }
        Ok(false)
    }

    fn __repr__(&self) -> String {
        format!("<entable.Transaction of {:?}>", self.handle.path)
    }
}
