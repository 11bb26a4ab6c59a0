//! The open store behind the objects: one for a `Store` and all that was got from it, opened afresh in a forked child.

use crate::convert;
use crate::error::Failure;
use entable::{DateTime, Error, ErrorCode, Mode, Options};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::borrow::Cow;
use std::cell::Cell;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError, Weak};

/// How often this process, and those that it comes from, were forked on the way: a handle of another count is a
/// parent's. A count instead of the process id: reading it costs nothing.
static FORKS: AtomicU64 = AtomicU64::new(0);

/// The count of forks.
pub(crate) fn forks() -> u64 {
    FORKS.load(Ordering::Relaxed)
}

/// All handles: a child lets go of them at once, for a file is opened afresh only when nobody has its parent's open.
/// Locked under the interpreter's lock alone, so never while somebody forks.
static HANDLES: Mutex<Vec<Weak<Handle>>> = Mutex::new(Vec::new());

thread_local! {
    /// Whose call has called Python on this thread, which would wait for itself if it were called from there: a handle's
    /// address, or 0 for a clock, which any store's write may have called.
    static CALLING: Cell<Option<usize>> = const { Cell::new(None) };
}

/// Calls Python from the midst of a call of the store.
fn calling<T>(of: usize, call: impl FnOnce() -> T) -> T {
    struct Before(Option<usize>);
    impl Drop for Before {
        fn drop(&mut self) {
            CALLING.set(self.0);
        }
    }
    let _before = Before(CALLING.replace(Some(of)));
    call()
}

/// Calls that others wait for: compactions and closings, which may wait for a write that calls Python's clock, or call Python
/// themselves. Changed under the interpreter's lock alone, before such a call begins and after it has ended.
static AWAITED: AtomicU64 = AtomicU64::new(0);

/// Does what others wait for, without the interpreter's lock.
pub(crate) fn awaited<T: Send>(py: Python<'_>, work: impl FnOnce() -> T + Send) -> T {
    struct Awaited;
    impl Drop for Awaited {
        fn drop(&mut self) {
            AWAITED.fetch_sub(1, Ordering::Relaxed);
        }
    }
    AWAITED.fetch_add(1, Ordering::Relaxed);
    let _ended = Awaited;
    py.detach(work)
}

/// Reads so little that handing the interpreter's lock over would take longer; but it is handed over if there may be
/// something to wait for.
pub(crate) fn at_once<T: Send>(py: Python<'_>, read: impl FnOnce() -> T + Send) -> T {
    match AWAITED.load(Ordering::Relaxed) {
        0 => read(),
        _ => py.detach(read),
    }
}

/// Called in every child, by Python.
#[pyfunction]
pub(crate) fn forked() {
    FORKS.fetch_add(1, Ordering::Relaxed);
    // Whoever did something was another thread of the parent's.
    AWAITED.store(0, Ordering::Relaxed);
    crate::transaction::forget_all();
    let handles = HANDLES.lock().unwrap_or_else(PoisonError::into_inner).clone();
    for handle in handles.iter().filter_map(Weak::upgrade).filter(|handle| !handle.is_in_memory()) {
        handle.first.close();
        let again = handle.again.lock().unwrap_or_else(PoisonError::into_inner).take();
        again.iter().for_each(|(_, store)| store.close());
    }
}

/// Has Python tell of forks, where there are any.
pub(crate) fn watch_forks(module: &Bound<'_, PyModule>) -> PyResult<()> {
    let py = module.py();
    let Some(register) = py.import("os")?.getattr_opt("register_at_fork")? else { return Ok(()) };
    let arguments = PyDict::new(py);
    arguments.set_item("after_in_child", wrap_pyfunction!(forked, module)?)?;
    register.call((), Some(&arguments)).map(drop)
}

/// How a store is opened.
pub(crate) struct Settings {
    pub(crate) mode: Mode,
    pub(crate) read_only: bool,
    pub(crate) must_exist: bool,
    pub(crate) immutable: bool,
    pub(crate) check: bool,
    pub(crate) max_size: Option<u64>,
    pub(crate) clock: Option<Py<PyAny>>,
    pub(crate) encoder: Option<Py<PyAny>>,
    pub(crate) decoder: Option<Py<PyAny>>,
}

impl Settings {
    /// The defaults, in this mode.
    pub(crate) fn of(mode: Mode) -> Settings {
        Settings {
            mode,
            read_only: false,
            must_exist: false,
            immutable: false,
            check: false,
            max_size: None,
            clock: None,
            encoder: None,
            decoder: None,
        }
    }

    fn options(&self) -> Options {
        let options = Options::new().mode(self.mode).read_only(self.read_only).must_exist(self.must_exist);
        let options = options.immutable(self.immutable).check(self.check);
        let options = match self.max_size {
            Some(bytes) => options.max_size(bytes),
            None => options,
        };
        let clock = self.clock.as_ref().and_then(|clock| Python::try_attach(|py| clock.clone_ref(py)));
        match clock {
            Some(clock) => options.clock(move || read(&clock)),
            None => options,
        }
    }

    /// The arguments that open a store so.
    pub(crate) fn keywords<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let keywords = PyDict::new(py);
        keywords.set_item("mode", convert::mode_name(self.mode))?;
        keywords.set_item("read_only", self.read_only)?;
        keywords.set_item("must_exist", self.must_exist)?;
        keywords.set_item("immutable", self.immutable)?;
        keywords.set_item("check", self.check)?;
        keywords.set_item("max_size", self.max_size)?;
        for (name, callable) in [("clock", &self.clock), ("encoder", &self.encoder), ("decoder", &self.decoder)] {
            keywords.set_item(name, callable.as_ref().map(|callable| callable.clone_ref(py)))?;
        }
        Ok(keywords)
    }
}

/// What a clock of the caller says. A write has no way to fail for a clock: an error is told as Python tells those of
/// destructors, and the time is the system's.
fn read(clock: &Py<PyAny>) -> DateTime {
    let told = Python::try_attach(|py| {
        let time = calling(0, || clock.bind(py).call0()).and_then(|time| convert::time(&time, "clock", Mode::Extended));
        time.map_err(|error| error.write_unraisable(py, Some(clock.bind(py))))
    });
    told.and_then(Result::ok).unwrap_or_else(DateTime::now)
}

/// An open store, and how to open it again.
pub(crate) struct Handle {
    pub(crate) path: PathBuf,
    pub(crate) settings: Settings,
    /// As it was opened, in the process that did.
    first: entable::Store,
    forks: u64,
    /// In a child: the store of its own, with the count of forks of the process that it belongs to.
    again: Mutex<Option<(u64, entable::Store)>>,
    is_closed: AtomicBool,
}

impl Handle {
    pub(crate) fn open(py: Python<'_>, path: PathBuf, settings: Settings) -> Result<Arc<Handle>, Error> {
        let first = py.detach(|| open(&path, &settings.options()))?;
        let (forks, again, is_closed) = (forks(), Mutex::default(), AtomicBool::new(false));
        let handle = Arc::new(Handle { path, settings, first, forks, again, is_closed });
        let mut handles = HANDLES.lock().unwrap_or_else(PoisonError::into_inner);
        handles.retain(|handle| handle.strong_count() > 0);
        handles.push(Arc::downgrade(&handle));
        Ok(handle)
    }

    pub(crate) fn is_in_memory(&self) -> bool {
        self.path.as_os_str() == ":memory:"
    }

    /// Whether this process is the one that opened the store.
    pub(crate) fn is_of_this_process(&self) -> bool {
        self.forks == forks()
    }

    pub(crate) fn mode(&self) -> entable::Mode {
        self.first.mode()
    }

    /// What is handed in to the store is read by these.
    pub(crate) fn rules(&self) -> convert::Rules<'_> {
        convert::Rules { mode: self.first.mode(), encoder: self.settings.encoder.as_ref() }
    }

    /// Calls Python from the midst of a call that all others of the store wait for.
    pub(crate) fn calling<T>(&self, call: impl FnOnce() -> T) -> T {
        calling(std::ptr::from_ref(self).addr(), call)
    }

    /// Refuses what would wait for itself.
    ///
    /// # Errors
    /// `StoreBusy`: the store is in the midst of a call, which has called Python, which calls the store.
    pub(crate) fn check_not_calling(&self) -> Result<(), Failure> {
        let fact = "What a store calls in the midst of a call, a clock or a compaction's progress, does not call it.";
        match CALLING.get() {
            Some(of) if of == 0 || of == std::ptr::from_ref(self).addr() => {
                Err(Failure::Fact(ErrorCode::StoreBusy, fact))
            }
            _ => Ok(()),
        }
    }

    /// The store, opened afresh if this is a forked child: the parent's files must not be used by it. What was closed
    /// stays closed, and what was in memory stays in the parent.
    pub(crate) fn store(&self) -> Result<Cow<'_, entable::Store>, Failure> {
        self.check_not_calling()?;
        if self.is_of_this_process() {
            return Ok(Cow::Borrowed(&self.first));
        }
        if self.is_closed.load(Ordering::Relaxed) {
            return Err(Error::new(ErrorCode::StoreClosed).into());
        }
        if self.is_in_memory() {
            return Ok(Cow::Borrowed(&self.first));
        }
        // Under the interpreter's lock all along, so that nobody forks meanwhile.
        let mut again = self.again.lock().unwrap_or_else(PoisonError::into_inner);
        match &*again {
            Some((of, store)) if *of == forks() => Ok(Cow::Owned(store.clone())),
            _ => {
                let store = open(&self.path, &self.settings.options())?;
                *again = Some((forks(), store.clone()));
                Ok(Cow::Owned(store))
            }
        }
    }

    /// Ends the store for everything that was got from it.
    pub(crate) fn close(&self) {
        self.is_closed.store(true, Ordering::Relaxed);
        if self.is_of_this_process() {
            return self.first.close();
        }
        let again = self.again.lock().unwrap_or_else(PoisonError::into_inner).take();
        match again {
            Some((of, store)) if of == forks() => store.close(),
            _ => {}
        }
    }
}

impl Drop for Handle {
    /// With the last object: what is queued is done first, which must not be waited for under the interpreter's lock.
    fn drop(&mut self) {
        if self.is_of_this_process() && Python::try_attach(|py| awaited(py, || self.first.close())).is_none() {
            self.first.close();
        }
    }
}

fn open(path: &std::path::Path, options: &Options) -> Result<entable::Store, Error> {
    match path.as_os_str() == ":memory:" {
        true => entable::Store::in_memory_with(options),
        false => entable::Store::open_with(path, options),
    }
}
