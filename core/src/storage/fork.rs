//! Forks. A child has a copy of all memory and one thread: what another thread was changing stays half changed in it,
//! and what that thread had locked stays locked. So a fork waits until nobody changes what a child needs: the list of
//! open files, and LMDB's own memory. Between two calls of LMDB a transaction may be open.
//!
//! LMDB does not notice a fork. A child that went on with what it inherited would share locks and reader slots with its
//! parent; it may close it, which touches nothing of the parent's, and open the file again.

use super::Live;
use super::env::{FileId, OPEN};
use super::exclusive::HELD;
use crate::{Error, ErrorCode, Result};
use std::cell::RefCell;
use std::collections::{BTreeSet, HashMap};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{MutexGuard, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard, Weak};

/// How often this process has been a fork's child.
static FORKS: AtomicU32 = AtomicU32::new(0);
/// Held for reading by who changes LMDB's memory.
static CHANGING: RwLock<()> = RwLock::new(());

/// What a thread holds while it forks, in this order.
struct Forking {
    _opened: MutexGuard<'static, HashMap<FileId, Weak<Live>>>,
    held: MutexGuard<'static, BTreeSet<FileId>>,
    _changing: RwLockWriteGuard<'static, ()>,
}

thread_local! {
    static FORKING: RefCell<Option<Forking>> = const { RefCell::new(None) };
}

/// Keeps a fork waiting until it is dropped. Nothing of a caller's may run meanwhile: it could fork.
pub(super) fn changing() -> RwLockReadGuard<'static, ()> {
    CHANGING.read().unwrap_or_else(PoisonError::into_inner)
}

pub(super) extern "C" fn before() {
    let forking = Forking {
        _opened: OPEN.lock().unwrap_or_else(PoisonError::into_inner),
        held: HELD.lock().unwrap_or_else(PoisonError::into_inner),
        _changing: CHANGING.write().unwrap_or_else(PoisonError::into_inner),
    };
    // A thread that forks at its very end has no such place any more: then nothing is held.
    let _ = FORKING.try_with(|place| place.replace(Some(forking)));
}

pub(super) extern "C" fn in_parent() {
    let _ = FORKING.try_with(RefCell::take);
}

pub(super) extern "C" fn in_child() {
    FORKS.fetch_add(1, Ordering::Relaxed);
    let _ = FORKING.try_with(|place| {
        if let Some(mut forking) = place.take() {
            // Whoever was exchanging a file is not in this process.
            forking.held.clear();
        }
    });
}

/// How many forks lie between the first process that used the library and this one.
pub(crate) fn forks() -> u32 {
    FORKS.load(Ordering::Relaxed)
}

/// Refuses what was made before so many forks as there have been by now. To be asked before any lock is taken: another
/// thread of the parent may have held it.
///
/// # Errors
/// [`ErrorCode::StoreForked`].
pub(crate) fn check(made: u32) -> Result<()> {
    if made == forks() { Ok(()) } else { Err(forked()) }
}

pub(super) fn forked() -> Error {
    Error::new(ErrorCode::StoreForked)
        .fact("It belongs to the parent process; the child may open it again, by its path.")
}
