//! Ctrl-C in the midst of a long read.
//!
//! Python's signals are looked at by its main thread, under the interpreter's lock, which nobody may wait for in the midst of
//! a read: who holds it may be waiting for the store. So a read begins where it is called, and one that takes long begins
//! anew on a thread of its own, while the main thread waits for it and looks at signals.

use crate::error::{Failure, raise};
use crate::transaction::is_in_transaction;
use entable::{ErrorCode, Query};
use pyo3::prelude::*;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// How long a read goes on where it is called. What it has read until then is read again.
const PATIENCE: Duration = Duration::from_millis(250);

/// How often signals are looked at, then.
const EVERY: Duration = Duration::from_millis(50);

/// What a query is asked with, so that it can be given up.
#[derive(Clone, Debug, Default)]
pub(crate) struct Interrupt(Arc<State>);

#[derive(Debug, Default)]
struct State {
    /// Until when a read may go on where it is called; `None` for as long as it takes.
    until: Mutex<Option<Instant>>,
    is_over: AtomicBool,
}

impl Interrupt {
    /// The query, which ends as `Cancelled` when it is time.
    pub(crate) fn watch(&self, query: Query) -> Query {
        let state = Arc::clone(&self.0);
        query.stop_if(move || state.is_over.load(Ordering::Relaxed) || state.is_late())
    }

    /// What `read` gives, which reads what is watched, and gives the same if it is called again after it has been cancelled.
    pub(crate) fn run<T: Send>(
        &self,
        py: Python<'_>,
        mut read: impl FnMut() -> Result<T, Failure> + Send,
    ) -> PyResult<Result<T, Failure>> {
        if !is_main_thread(py)? {
            return Ok(py.detach(read));
        }
        self.0.set(Some(Instant::now() + PATIENCE));
        let outcome = py.detach(&mut read);
        self.0.set(None);
        match &outcome {
            Err(Failure::Core(error)) if error.code() == ErrorCode::Cancelled => {}
            _ => return Ok(outcome),
        }
        py.check_signals()?;
        let outcome = py.detach(|| self.wait(&mut read));
        self.0.is_over.store(false, Ordering::Relaxed);
        outcome
    }

    /// What `work` gives, which asks by what is watched, and is not to be begun twice: on a thread of its own from the start.
    pub(crate) fn run_once<T: Send>(
        &self,
        py: Python<'_>,
        work: impl FnOnce() -> Result<T, Failure> + Send,
    ) -> PyResult<Result<T, Failure>> {
        // Another thread would wait for what this one has begun; here the core refuses it.
        if !is_main_thread(py)? || is_in_transaction() {
            return Ok(py.detach(work));
        }
        py.check_signals()?;
        py.detach(|| self.wait(work))
    }

    /// Reads on a thread of its own; the error is that of a signal's handler. Where there can be no more threads, it is read
    /// here, to its end.
    fn wait<T: Send>(&self, read: impl FnOnce() -> Result<T, Failure> + Send) -> PyResult<Result<T, Failure>> {
        let left = Mutex::new(Some(read));
        let take = || left.lock().unwrap_or_else(PoisonError::into_inner).take();
        std::thread::scope(|scope| {
            let (sender, receiver) = channel();
            // The receiver is there until the thread has ended.
            let work = move || drop(take().map(|read| sender.send(read())));
            if std::thread::Builder::new().spawn_scoped(scope, work).is_err()
                && let Some(read) = take()
            {
                return Ok(read());
            }
            let mut raised = None;
            loop {
                match (receiver.recv_timeout(EVERY), raised) {
                    (Ok(_), Some(error)) => return Err(error),
                    (Ok(outcome), None) => return Ok(outcome),
                    (Err(RecvTimeoutError::Timeout), None) => {
                        raised = Python::attach(|py| py.check_signals()).err();
                        self.0.is_over.store(raised.is_some(), Ordering::Relaxed);
                    }
                    (Err(RecvTimeoutError::Timeout), error) => raised = error,
                    (Err(RecvTimeoutError::Disconnected), error) => {
                        // It has panicked: the scope hands that on.
                        return Err(error.unwrap_or_else(|| {
                            pyo3::exceptions::PyRuntimeError::new_err("the thread that read has ended")
                        }));
                    }
                }
            }
        })
    }
}

impl State {
    fn set(&self, until: Option<Instant>) {
        *self.until.lock().unwrap_or_else(PoisonError::into_inner) = until;
    }

    fn is_late(&self) -> bool {
        let until = *self.until.lock().unwrap_or_else(PoisonError::into_inner);
        until.is_some_and(|until| Instant::now() > until)
    }
}

/// Work in steps, between which Python is called and signals are looked at: an exception ends it.
///
/// Only for work that nobody waits for who may hold the interpreter's lock: see [`awaited`](crate::handle::awaited).
#[derive(Default)]
pub(crate) struct Steps {
    raised: Option<PyErr>,
}

impl Steps {
    /// Whether the work goes on behind this call and the signals that have come meanwhile.
    pub(crate) fn step(&mut self, call: impl for<'py> FnOnce(Python<'py>) -> PyResult<()>) -> ControlFlow<()> {
        if self.raised.is_none() {
            self.raised = Python::attach(|py| py.check_signals().and_then(|()| call(py))).err();
        }
        match self.raised {
            None => ControlFlow::Continue(()),
            Some(_) => ControlFlow::Break(()),
        }
    }

    /// What the work gives, or what has ended it.
    pub(crate) fn outcome<T>(self, done: entable::Result<T>) -> PyResult<T> {
        match self.raised {
            Some(raised) => Err(raised),
            None => done.map_err(raise),
        }
    }
}

/// Whether signals are looked at by this thread.
fn is_main_thread(py: Python<'_>) -> PyResult<bool> {
    let threading = py.import(pyo3::intern!(py, "threading"))?;
    let main = threading.call_method0(pyo3::intern!(py, "main_thread"))?;
    main.getattr(pyo3::intern!(py, "ident"))?.eq(threading.call_method0(pyo3::intern!(py, "get_ident"))?)
}
