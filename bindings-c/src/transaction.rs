//! Transactions that a program is in the middle of, each kept by the thread that began it.

#![allow(unsafe_code, reason = "C calls these functions by their names")]

use crate::boundary::{boundary, free, optional_output, output, required};
use crate::error::{self, entable_error};
use crate::place::{Place, Refused};
use crate::store::{entable_store, entable_table_names};
use crate::table::entable_table;
use crate::text::entable_str;
use entable::{Error, ErrorCode, Store, TableName, Transaction};
use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::mem::MaybeUninit;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

// A transaction is tied to its thread by LMDB, and a handle of C can go anywhere. So the thread keeps its transactions
// itself, and handles know only which: on another thread there is nothing that they could reach. What a thread still
// has when it ends is rolled back with it.
thread_local! {
    static OPEN: RefCell<BTreeMap<u64, Kept>> = const { RefCell::new(BTreeMap::new()) };
    /// Of this thread, once it was asked for; 0 before.
    static NUMBER: Cell<u64> = const { Cell::new(0) };
}

/// Tells threads from each other to their very end, where `thread::current` panics.
fn this_thread() -> u64 {
    static NUMBERS: AtomicU64 = AtomicU64::new(1);
    match NUMBER.get() {
        0 => {
            let number = NUMBERS.fetch_add(1, Ordering::Relaxed);
            NUMBER.set(number);
            number
        }
        number => number,
    }
}

/// What the thread keeps. At its very end there is nothing any more: all has been rolled back.
fn open<T: Default>(job: impl FnOnce(&mut BTreeMap<u64, Kept>) -> T) -> T {
    OPEN.try_with(|open| job(&mut open.borrow_mut())).unwrap_or_default()
}

struct Kept {
    transaction: Rc<Transaction>,
    ticket: Arc<Ticket>,
}

struct Ticket {
    number: u64,
    thread: u64,
    /// Let go of on another thread: the one that keeps it rolls it back when it comes by.
    is_abandoned: AtomicBool,
}

/// A transaction by the name of it that every thread may have.
#[derive(Clone)]
pub struct Held(Arc<Ticket>);

impl Held {
    /// Begins a transaction of this thread.
    pub fn begin(store: &Store) -> Result<Held, Error> {
        static NUMBERS: AtomicU64 = AtomicU64::new(0);
        roll_back_abandoned();
        let transaction = Rc::new(store.begin()?);
        let number = NUMBERS.fetch_add(1, Ordering::Relaxed);
        let ticket = Arc::new(Ticket { number, thread: this_thread(), is_abandoned: AtomicBool::new(false) });
        let kept = Kept { transaction, ticket: Arc::clone(&ticket) };
        open(|open| open.insert(number, kept));
        Ok(Held(ticket))
    }

    /// Does something in the transaction.
    pub fn with<T>(&self, job: impl FnOnce(&Transaction) -> Result<T, Error>) -> Result<T, Refused> {
        self.check_thread()?;
        let kept = open(|open| open.get(&self.0.number).map(|kept| Rc::clone(&kept.transaction)));
        Ok(job(&*kept.ok_or_else(ended)?)?)
    }

    /// Ends it and makes it durable. Whatever comes of it, it has ended, unless it is called from within itself.
    pub fn commit(&self) -> Result<(), Refused> {
        self.check_thread()?;
        let Kept { transaction, ticket } = open(|open| open.remove(&self.0.number)).ok_or_else(ended)?;
        match Rc::try_unwrap(transaction) {
            Ok(transaction) => Ok(transaction.commit()?),
            // The clock of the store, say, has called the transaction that asked it for the time.
            Err(transaction) => {
                open(|open| open.insert(self.0.number, Kept { transaction, ticket }));
                Err(Error::new(ErrorCode::TransactionOpen).into())
            }
        }
    }

    /// Ends it with nothing done. Of one that has ended there is nothing to end.
    pub fn roll_back(&self) -> Result<(), Refused> {
        self.check_thread()?;
        // Dropped after the borrow has ended: who waits for the store may be called then, and call back.
        drop(open(|open| open.remove(&self.0.number)));
        Ok(())
    }

    /// Ends it with nothing done, now on its thread, or else when its thread begins another, or ends.
    pub fn let_go(&self) {
        if self.roll_back().is_err() {
            self.0.is_abandoned.store(true, Ordering::Release);
        }
    }

    fn check_thread(&self) -> Result<(), Refused> {
        match this_thread() == self.0.thread {
            true => Ok(()),
            false => Err(Refused::misuse("transaction", "Another thread began it, and only that one may use it.")),
        }
    }
}

fn ended() -> Refused {
    Refused::misuse("transaction", "It has ended.")
}

fn roll_back_abandoned() {
    let abandoned: Vec<Kept> = open(|open| {
        let is_abandoned = |kept: &Kept| kept.ticket.is_abandoned.load(Ordering::Acquire);
        let numbers: Vec<u64> = open.iter().filter(|(_, kept)| is_abandoned(kept)).map(|(number, _)| *number).collect();
        numbers.iter().filter_map(|number| open.remove(number)).collect()
    });
    drop(abandoned);
}

/// A transaction that a program is in the middle of: through its tables it reads what it has written itself, nobody
/// else sees it, and other writers wait until it ends. Reads outside of it go on.
///
/// A handle, yours from `entable_store_begin`: free it with `entable_transaction_free`, which rolls back what has not
/// been committed. Only the thread that began it may use it, and the tables in it: to any other each call is
/// ENTABLE_INVALID_INPUT. That thread cannot write through the store meanwhile: such a call is ENTABLE_TRANSACTION_OPEN.
/// A thread that ends rolls back what it has begun.
///
/// An operation that fails changes nothing, and the transaction may go on; but after ENTABLE_STORE_FULL and the like every
/// later call, the commit included, is that error. Not to be confused with `entable_group`, a list of operations that
/// are done at once.
pub struct entable_transaction(Held);

/// Begins a transaction. Waits for other writers; they wait then until it ends.
///
/// `*transaction` is yours once the call returns NULL, else NULL. Any thread, which is the transaction's from then on.
///
/// Errors: ENTABLE_TRANSACTION_OPEN while one of this thread is open, ENTABLE_STORE_READ_ONLY, ENTABLE_STORE_CLOSED. The
/// error is yours to free.
#[unsafe(no_mangle)]
pub extern "C" fn entable_store_begin(
    store: Option<&entable_store>,
    transaction: Option<&mut MaybeUninit<Option<Box<entable_transaction>>>>,
) -> Option<Box<entable_error>> {
    boundary(|| {
        let transaction = output(transaction, "transaction")?;
        *transaction = Some(Box::new(entable_transaction(Held::begin(&required(store, "store")?.0)?)));
        Ok(())
    })
}

/// Ends the transaction and makes it durable. The handle is still yours to free, and has ended also after an error.
/// Its thread.
///
/// Errors: ENTABLE_STORE_FULL with nothing written, ENTABLE_OUTCOME_UNKNOWN, ENTABLE_STORE_CLOSED if this thread has
/// closed the store meanwhile, ENTABLE_INVALID_INPUT if it has ended or for another thread. The error is yours to free.
#[unsafe(no_mangle)]
pub extern "C" fn entable_transaction_commit(transaction: Option<&entable_transaction>) -> Option<Box<entable_error>> {
    boundary(|| Ok(required(transaction, "transaction")?.0.commit()?))
}

/// Ends the transaction with nothing done. Ending twice does no harm. The handle is still yours to free. Its thread.
///
/// Errors: ENTABLE_INVALID_INPUT for another thread. The error is yours to free.
#[unsafe(no_mangle)]
pub extern "C" fn entable_transaction_rollback(
    transaction: Option<&entable_transaction>,
) -> Option<Box<entable_error>> {
    boundary(|| Ok(required(transaction, "transaction")?.0.roll_back()?))
}

/// Lets go of a transaction: one that has not been committed is rolled back, and its tables say that it has ended. NULL
/// is fine. Once. On another thread than its own it is rolled back only when that one begins another transaction, or
/// ends; other writers wait until then.
#[unsafe(no_mangle)]
pub extern "C" fn entable_transaction_free(transaction: Option<Box<entable_transaction>>) {
    free(transaction);
}

impl Drop for entable_transaction {
    fn drop(&mut self) {
        self.0.let_go();
    }
}

/// The table of this name in the transaction: reads through it see what the transaction has written, and what is
/// written through it is durable with the transaction. Nothing is asked of the store yet.
///
/// `*table` is yours once the call returns NULL, else NULL; it may be freed before or after the transaction. It serves
/// to read and write entities and to declare indexes, not to submit or to explain. The transaction's thread.
///
/// Errors: as `entable_store_table`; ENTABLE_INVALID_INPUT if the transaction has ended or for another thread. The error
/// is yours to free.
#[unsafe(no_mangle)]
pub extern "C" fn entable_transaction_table(
    transaction: Option<&entable_transaction>,
    name: entable_str,
    table: Option<&mut MaybeUninit<Option<Box<entable_table>>>>,
) -> Option<Box<entable_error>> {
    boundary(|| {
        let table = output(table, "table")?;
        let place = Place::inside(&required(transaction, "transaction")?.0, name.text("name")?)?;
        *table = Some(Box::new(entable_table(place)));
        Ok(())
    })
}

fn make_table(
    transaction: Option<&entable_transaction>,
    name: entable_str,
    table: Option<&mut MaybeUninit<Option<Box<entable_table>>>>,
    make: impl FnOnce(&Transaction, &str) -> entable::Result<()>,
) -> error::Result<()> {
    let (place, name) = (optional_output(table), name.text("name")?);
    let held = &required(transaction, "transaction")?.0;
    held.with(|transaction| make(transaction, name))?;
    let table = Place::inside(held, name)?;
    place.map(|place| place.insert(Box::new(entable_table(table))));
    Ok(())
}

/// Makes a table in the transaction. `table` may be NULL if no handle is wanted; `*table` is yours once the call returns
/// NULL, else NULL. The transaction's thread.
///
/// Errors: as `entable_transaction_table`, and ENTABLE_TABLE_ALREADY_EXISTS. The error is yours to free.
#[unsafe(no_mangle)]
pub extern "C" fn entable_transaction_create_table(
    transaction: Option<&entable_transaction>,
    name: entable_str,
    table: Option<&mut MaybeUninit<Option<Box<entable_table>>>>,
) -> Option<Box<entable_error>> {
    boundary(|| make_table(transaction, name, table, |transaction, name| transaction.create_table(name).map(|_| ())))
}

/// Makes a table in the transaction if it is not there. Otherwise as `entable_transaction_create_table`.
#[unsafe(no_mangle)]
pub extern "C" fn entable_transaction_create_table_if_not_exists(
    transaction: Option<&entable_transaction>,
    name: entable_str,
    table: Option<&mut MaybeUninit<Option<Box<entable_table>>>>,
) -> Option<Box<entable_error>> {
    boundary(|| {
        make_table(transaction, name, table, |transaction, name| {
            transaction.create_table_if_not_exists(name).map(|_| ())
        })
    })
}

/// Deletes a table with all its entities in the transaction. The transaction's thread.
///
/// Errors: as `entable_transaction_table`, and ENTABLE_RESOURCE_NOT_FOUND if there is no such table. The error is yours
/// to free.
#[unsafe(no_mangle)]
pub extern "C" fn entable_transaction_delete_table(
    transaction: Option<&entable_transaction>,
    name: entable_str,
) -> Option<Box<entable_error>> {
    boundary(|| {
        let name = name.text("name")?;
        Ok(required(transaction, "transaction")?.0.with(|transaction| transaction.delete_table(name))?)
    })
}

/// The names of the tables as the transaction sees them, as `entable_store_list_tables` gives them.
///
/// `*names` is yours once the call returns NULL, else NULL. The transaction's thread. The error is yours to free.
#[unsafe(no_mangle)]
pub extern "C" fn entable_transaction_list_tables(
    transaction: Option<&entable_transaction>,
    names: Option<&mut MaybeUninit<Option<Box<entable_table_names>>>>,
) -> Option<Box<entable_error>> {
    boundary(|| {
        let names = output(names, "names")?;
        let found: Vec<TableName> = required(transaction, "transaction")?.0.with(Transaction::list_tables)?;
        *names = Some(Box::new(entable_table_names(found)));
        Ok(())
    })
}
