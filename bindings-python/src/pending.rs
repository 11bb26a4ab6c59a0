//! Writes that nobody waits for: what `entable.aio` awaits.
//!
//! The writer's thread never takes the interpreter's lock, which whoever waits for the writer may hold: a thread of its
//! own tells the event loops.

use crate::convert;
use crate::error::raise_write;
use crate::handle::forks;
use entable::{Submitted, Written};
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::future::Future;
use std::pin::Pin;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll, Wake, Waker};
use std::thread::JoinHandle;

type Outcome = Result<Option<Written>, entable::Error>;

/// What is to be called; `None` ends the thread.
type Call = Option<Py<PyAny>>;

/// The thread that tells. Locked under the interpreter's lock alone.
static TELLER: Mutex<Teller> = Mutex::new(Teller::None);

enum Teller {
    None,
    /// Of the process with this count of forks.
    Of(u64, Sender<Call>, JoinHandle<()>),
    /// The interpreter is about to end, and nobody is told any more.
    Ended,
}

fn teller() -> PyResult<Sender<Call>> {
    let mut teller = TELLER.lock().unwrap_or_else(PoisonError::into_inner);
    match &*teller {
        Teller::Of(of, sender, _) if *of == forks() => Ok(sender.clone()),
        Teller::Ended => Err(PyRuntimeError::new_err("the interpreter is at its end")),
        _ => {
            let (sender, receiver) = channel();
            let thread = std::thread::Builder::new().name("entable-tell".into()).spawn(move || tell(&receiver))?;
            *teller = Teller::Of(forks(), sender.clone(), thread);
            Ok(sender)
        }
    }
}

/// Ends the thread that tells, before the interpreter does: a thread that waits for the interpreter's lock then is
/// ended where it stands, which no frame of Rust below it may be.
#[pyfunction]
pub(crate) fn _end_telling(py: Python<'_>) {
    let teller = std::mem::replace(&mut *TELLER.lock().unwrap_or_else(PoisonError::into_inner), Teller::Ended);
    if let Teller::Of(of, sender, thread) = teller
        && of == forks()
    {
        py.detach(|| {
            // It has ended already where this fails.
            let _ = sender.send(None);
            let _ = thread.join();
        });
    }
}

fn tell(receiver: &Receiver<Call>) {
    // A loop that has been closed meanwhile does not want to know: the write is done all the same.
    let call = |py: Python<'_>, done: Py<PyAny>| drop(done.call0(py));
    while let Ok(Some(done)) = receiver.recv() {
        let told = Python::try_attach(|py| {
            call(py, done);
            loop {
                match receiver.try_recv() {
                    Ok(Some(done)) => call(py, done),
                    Ok(None) => return false,
                    Err(_) => return true,
                }
            }
        });
        if told != Some(true) {
            // The interpreter is at its end.
            return;
        }
    }
}

struct Bell {
    done: Mutex<Option<Py<PyAny>>>,
    teller: Sender<Call>,
}

impl Wake for Bell {
    fn wake(self: Arc<Self>) {
        let done = self.done.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(done) = done {
            // The thread goes on as long as there is an interpreter to tell.
            let _ = self.teller.send(Some(done));
        }
    }
}

/// What is waited for, and then what it has come to.
type State = (Option<Submitted<Option<Written>>>, Option<Outcome>);

/// A write that is under way. Let go of while it waits for its turn, it is taken back.
#[pyclass(module = "entable", frozen)]
pub(crate) struct Pending {
    state: Mutex<State>,
    entity: Py<PyAny>,
}

impl Pending {
    /// Has `done` called once, when there is an outcome.
    pub(crate) fn new(
        mut submitted: Submitted<Option<Written>>,
        entity: &Bound<'_, PyAny>,
        done: Py<PyAny>,
    ) -> PyResult<Pending> {
        let bell = Arc::new(Bell { done: Mutex::new(Some(done)), teller: teller()? });
        let waker = Waker::from(Arc::clone(&bell));
        let state = match Pin::new(&mut submitted).poll(&mut Context::from_waker(&waker)) {
            Poll::Ready(outcome) => {
                bell.wake();
                (None, Some(outcome))
            }
            Poll::Pending => (Some(submitted), None),
        };
        Ok(Pending { state: Mutex::new(state), entity: entity.clone().unbind() })
    }
}

#[pymethods]
impl Pending {
    /// Takes the write back if it has not been begun. Tells whether nothing of it is done.
    fn cancel(&self) -> bool {
        let state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.0.as_ref().is_some_and(Submitted::cancel)
    }

    /// What the write gives, or its error, after `done` was called.
    fn result<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyDict>>> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let polled =
            state.0.as_mut().map(|submitted| Pin::new(submitted).poll(&mut Context::from_waker(Waker::noop())));
        if let Some(Poll::Ready(outcome)) = polled {
            state.0 = None;
            state.1 = Some(outcome);
        }
        let outcome = state.1.take().ok_or_else(|| PyRuntimeError::new_err("the write has no outcome to be had"))?;
        drop(state);
        let written = outcome.map_err(|error| raise_write(error.into(), self.entity.bind(py)))?;
        written.map(|written| convert::write_metadata(py, written)).transpose()
    }
}
