//! What one thread uses at a time: an answer that is being read.

use crate::error::{Failure, raise};
use crate::handle::forks;
use entable::ErrorCode;
use pyo3::prelude::*;
use pyo3::sync::MutexExt;
use std::ops::{Deref, DerefMut};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread::{self, ThreadId};

/// A value that threads use in turn. What would wait for itself is refused.
pub(crate) struct Turns<T> {
    value: Mutex<T>,
    /// Whose turn it is, with the count of forks of its process. Locked under the interpreter's lock alone.
    holder: Mutex<Option<(ThreadId, u64)>>,
}

impl<T> Turns<T> {
    pub(crate) fn new(value: T) -> Turns<T> {
        Turns { value: Mutex::new(value), holder: Mutex::new(None) }
    }

    /// Waits for other threads of the process, without the interpreter's lock.
    ///
    /// # Errors
    /// `StoreBusy`: it is this thread's turn, which was interrupted by a signal's handler or a finalizer. `StoreForked`: it was
    /// the turn of a thread of the parent's, which does not go on here.
    pub(crate) fn take(&self, py: Python<'_>) -> PyResult<Turn<'_, T>> {
        let held = *self.holder.lock().unwrap_or_else(PoisonError::into_inner);
        match held {
            Some((_, of)) if of != forks() => {
                let fact = "The answer was being read in the parent when it forked.";
                return Err(raise(Failure::Fact(ErrorCode::StoreForked, fact)));
            }
            Some((thread, _)) if thread == thread::current().id() => {
                let fact = "What interrupts the reading of an answer, a signal's handler or a finalizer, does not read the same.";
                return Err(raise(Failure::Fact(ErrorCode::StoreBusy, fact)));
            }
            _ => {}
        }
        let value = self.value.lock_py_attached(py).unwrap_or_else(PoisonError::into_inner);
        let mine = (thread::current().id(), forks());
        *self.holder.lock().unwrap_or_else(PoisonError::into_inner) = Some(mine);
        Ok(Turn { value, holder: &self.holder })
    }
}

/// A turn, which ends when it is let go of.
pub(crate) struct Turn<'a, T> {
    value: MutexGuard<'a, T>,
    holder: &'a Mutex<Option<(ThreadId, u64)>>,
}

impl<T> Deref for Turn<'_, T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.value
    }
}

impl<T> DerefMut for Turn<'_, T> {
    fn deref_mut(&mut self) -> &mut T {
        &mut self.value
    }
}

impl<T> Drop for Turn<'_, T> {
    fn drop(&mut self) {
        *self.holder.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }
}
