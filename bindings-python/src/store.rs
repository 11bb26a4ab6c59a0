//! The store: what `TableServiceClient` is to the service.

use crate::batch;
use crate::convert;
use crate::error::raise;
use crate::handle::{Handle, Settings, awaited};
use crate::interrupt::Steps;
use crate::query::{ItemPaged, Question};
use crate::report;
use crate::snapshot::Snapshot;
use crate::table::Table;
use crate::transaction::Transaction;
use entable::{Class, Copied, Error, Existing, ExportOptions, ImportOptions, Progress};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyTuple};
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::Arc;

/// A store: one file of tables, or, for the path ``":memory:"``, one that vanishes when it is closed.
///
/// The file, and the folders above it, are made if they are not there. Any thread may use the store, and so may
/// other processes that open the same file; a forked child opens it afresh by itself. ``with Store(path) as store:``
/// closes it at the end.
///
/// ``mode`` says which limits and which filters hold. ``read_only`` refuses writes, ``must_exist`` to make a file.
/// ``immutable`` opens a file that nobody writes, without a lock file. ``check`` goes through the whole file first, and
/// refuses one that is damaged. ``max_size`` is the bytes beyond which ordinary writes are refused. ``clock``, for tests, is
/// called for the time of each write, and gives a ``datetime``; it must not call the store.
///
/// ``encoder(name, value)`` is called for a property whose value cannot be stored as it is, and gives one that can, or
/// ``None`` to leave it out; it is asked for the values of ``parameters``, too. ``decoder(name, value)`` is called for each
/// property that is read, keys excepted, and gives what the program shall have.
///
/// >>> from decimal import Decimal
/// >>> encoder = lambda name, value: str(value) if isinstance(value, Decimal) else value
/// >>> decoder = lambda name, value: Decimal(value) if name == "Price" else value
/// >>> store = Store(":memory:", encoder=encoder, decoder=decoder)
#[pyclass(module = "entable", frozen)]
pub(crate) struct Store {
    handle: Arc<Handle>,
}

impl Store {
    pub(crate) fn of(handle: &Arc<Handle>) -> Store {
        Store { handle: Arc::clone(handle) }
    }
}

/// Copies, and tells a Python callable how far it is. What that raises, or a signal's handler, ends the copy.
fn copy<'py>(
    py: Python<'py>,
    progress: Option<Py<PyAny>>,
    copy: impl FnOnce(&mut (dyn FnMut(Progress) -> ControlFlow<()> + Send)) -> Result<Copied, Error> + Send,
) -> PyResult<Bound<'py, PyAny>> {
    let mut steps = Steps::default();
    let copied = awaited(py, || {
        copy(&mut |at: Progress| {
            steps.step(|py| match &progress {
                Some(progress) => progress.call1(py, (at.records, at.total_records)).map(drop),
                None => Ok(()),
            })
        })
    });
    report::copied(py, &steps.outcome(copied)?)
}

/// What a caller's function is, if there is one.
pub(crate) fn callable(given: Option<Bound<'_, PyAny>>, what: &'static str) -> PyResult<Option<Py<PyAny>>> {
    match given {
        Some(given) if !given.is_callable() => Err(PyTypeError::new_err(what)),
        given => Ok(given.map(Bound::unbind)),
    }
}

#[pymethods]
impl Store {
    #[new]
    #[pyo3(signature = (path, *, mode = "portable", read_only = false, must_exist = false, immutable = false, check = false, max_size = None, clock = None, encoder = None, decoder = None))]
    #[expect(clippy::too_many_arguments, reason = "they are keywords")]
    fn new(
        py: Python<'_>,
        path: PathBuf,
        mode: &str,
        read_only: bool,
        must_exist: bool,
        immutable: bool,
        check: bool,
        max_size: Option<u64>,
        clock: Option<Bound<'_, PyAny>>,
        encoder: Option<Bound<'_, PyAny>>,
        decoder: Option<Bound<'_, PyAny>>,
    ) -> PyResult<Store> {
        let clock = callable(clock, "clock is a callable that gives a datetime")?;
        let encoder = callable(encoder, "encoder is a callable that takes a property's name and value")?;
        let decoder = callable(decoder, "decoder is a callable that takes a property's name and value")?;
        let mode = convert::mode(mode)?;
        let settings = Settings { mode, read_only, must_exist, immutable, check, max_size, clock, encoder, decoder };
        Ok(Store { handle: Handle::open(py, path, settings).map_err(raise)? })
    }

    /// Where the file is, as it was given.
    #[getter]
    fn path(&self) -> &PathBuf {
        &self.handle.path
    }

    /// ``"portable"``, ``"strict"`` or ``"extended"``.
    #[getter]
    fn mode(&self) -> &'static str {
        convert::mode_name(self.handle.mode())
    }

    /// Ends the store for everything that was got from it. Closing twice does no harm.
    fn close(&self, py: Python<'_>) -> PyResult<()> {
        self.handle.check_not_calling().map_err(raise)?;
        awaited(py, || self.handle.close());
        Ok(())
    }

    /// Makes a table. ``ResourceExistsError`` if there is one of that name.
    fn create_table(&self, py: Python<'_>, table_name: &str) -> PyResult<Table> {
        let store = self.handle.store().map_err(raise)?;
        py.detach(|| store.create_table(table_name)).map_err(raise)?;
        Table::named(&self.handle, table_name)
    }

    /// Makes a table if there is none of that name.
    fn create_table_if_not_exists(&self, py: Python<'_>, table_name: &str) -> PyResult<Table> {
        let store = self.handle.store().map_err(raise)?;
        py.detach(|| store.create_table_if_not_exists(table_name)).map_err(raise)?;
        Table::named(&self.handle, table_name)
    }

    /// Deletes a table with its entities. Quiet if there is none of that name, as the client is.
    fn delete_table(&self, py: Python<'_>, table_name: &str) -> PyResult<()> {
        let store = self.handle.store().map_err(raise)?;
        match py.detach(|| store.delete_table(table_name)) {
            Err(error) if error.class() != Class::NotFound => Err(raise(error)),
            _ => Ok(()),
        }
    }

    /// The tables, in the order of their names. A page has them all, whatever ``results_per_page``.
    #[pyo3(signature = (*, results_per_page = None))]
    fn list_tables(&self, results_per_page: Option<usize>) -> PyResult<ItemPaged> {
        self.query_tables(None, results_per_page, None)
    }

    /// The tables whose ``TableName`` the filter asks for. A page has them all.
    #[pyo3(signature = (query_filter, *, results_per_page = None, parameters = None))]
    fn query_tables(
        &self,
        query_filter: Option<&str>,
        results_per_page: Option<usize>,
        parameters: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<ItemPaged> {
        let _ = results_per_page;
        let filter = convert::filter(query_filter, parameters, self.handle.rules())?;
        Ok(ItemPaged::new(Question::tables(&self.handle, filter)))
    }

    /// A handle to a table. Nothing is asked of the store: a wrong name shows when the handle is used.
    fn get_table_client(&self, table_name: &str) -> PyResult<Table> {
        Table::named(&self.handle, table_name)
    }

    /// Writes to any tables and partitions, all or nothing: ``(table, operation, entity)`` or
    /// ``(table, operation, entity, kwargs)`` each, the rest as in ``Table.submit_transaction``.
    fn submit_batch<'py>(&self, operations: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyList>> {
        batch::submit_batch(&self.handle, operations)
    }

    /// A transaction to read and write in: ``with store.transaction() as transaction:``. It begins with the ``with``,
    /// is committed at its end, and after an exception nothing of it has happened.
    fn transaction(&self) -> Transaction {
        Transaction::new(&self.handle)
    }

    /// A snapshot of the store as it is now, to be read with ``table.at(snapshot)``.
    fn snapshot(&self, py: Python<'_>) -> PyResult<Snapshot> {
        let store = self.handle.store().map_err(raise)?;
        py.detach(|| store.snapshot()).map(Snapshot::from).map_err(raise)
    }

    /// Returns when everything is durable that was written before the call.
    fn sync(&self, py: Python<'_>) -> PyResult<()> {
        let store = self.handle.store().map_err(raise)?;
        py.detach(|| store.sync()).map_err(raise)
    }

    /// What the store says of itself: latencies, sizes, readers, busy partitions, kinds of queries.
    fn stats<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let store = self.handle.store().map_err(raise)?;
        report::stats(py, &py.detach(|| store.stats()).map_err(raise)?)
    }

    /// What would make writes or queries cheaper, table by table: see ``Table.advise``.
    fn advise<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        let store = self.handle.store().map_err(raise)?;
        report::advice(py, &py.detach(|| store.advise()).map_err(raise)?)
    }

    /// Copies the store as it is now into a new file, while it is in use. The copy is a store of its own.
    ///
    /// ``progress`` is called with the records that are done, and with all there are; what it raises ends the copy, as
    /// Ctrl-C does, and there is no file then. ``ResourceExistsError`` if there is something at ``path``.
    #[pyo3(signature = (path, *, progress = None))]
    fn backup<'py>(&self, py: Python<'py>, path: PathBuf, progress: Option<Py<PyAny>>) -> PyResult<Bound<'py, PyAny>> {
        let store = self.handle.store().map_err(raise)?;
        copy(py, progress, |tell| store.backup_with(path, tell))
    }

    /// Writes the store as it is now into a new file in the order of the keys, to take the place of this one. ``progress`` as
    /// in ``backup``.
    #[pyo3(signature = (path, *, progress = None))]
    fn compact_into<'py>(
        &self,
        py: Python<'py>,
        path: PathBuf,
        progress: Option<Py<PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let store = self.handle.store().map_err(raise)?;
        copy(py, progress, |tell| store.compact_into_with(path, tell))
    }

    /// Makes the store's file smaller, in its place. Other calls wait; ``StoreBusyError`` while others have it open.
    /// ``progress`` may not call the store, which waits for it: ``StoreBusyError``. What it raises ends the work, as Ctrl-C
    /// does: the file is as it was then.
    #[pyo3(signature = (*, progress = None))]
    fn compact<'py>(&self, py: Python<'py>, progress: Option<Py<PyAny>>) -> PyResult<Bound<'py, PyAny>> {
        let store = self.handle.store().map_err(raise)?;
        let handle = &self.handle;
        copy(py, progress, |tell| store.compact_with(|at| handle.calling(|| tell(at))))
    }

    /// Writes all entities into a new file, as lines of JSON with their types; ``tables`` names those that are wanted.
    ///
    /// With ``versions`` each has its Timestamp and ETag. ``progress`` is called behind each page with an ``Exported``; if it
    /// gives ``False``, the export stops there, and goes on in the same file with ``position``. ``ResourceExistsError`` if there
    /// is something at ``path``. The form is described in ``docs/export.md``.
    #[pyo3(name = "export", signature = (path, *, tables = None, versions = false, position = None, progress = None))]
    fn export_entities<'py>(
        &self,
        py: Python<'py>,
        path: PathBuf,
        tables: Option<&Bound<'py, PyAny>>,
        versions: bool,
        position: Option<&str>,
        progress: Option<Py<PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let store = self.handle.store().map_err(raise)?;
        let mut options = exported(tables)?.versions(versions);
        if let Some(position) = position {
            options = options.from_position(position.parse().map_err(raise)?);
        }
        let mut telling = Telling { progress, steps: Steps::default() };
        let done =
            py.detach(|| store.export_file(path, &options, |done| telling.tell(|py| report::exported(py, done))));
        report::exported(py, &telling.steps.outcome(done)?)
    }

    /// Loads what ``export`` has written: makes the tables and indexes that are not there, and stores the entities, up to 1,000
    /// in one transaction each.
    ///
    /// ``existing`` says what is done with an entity that is there: ``"refuse"``, ``"skip"``, ``"replace"`` or ``"merge"``. With
    /// ``versions`` entities get the Timestamps and ETags of their lines. An error has the line, and the last line that is loaded, as
    /// ``line`` and ``loaded_line``; ``after_line`` goes on behind it. ``progress`` is called behind each transaction with an
    /// ``Imported``; if it gives ``False``, the import stops there.
    #[pyo3(signature = (path, *, existing = "refuse", versions = false, after_line = 0, progress = None))]
    fn import_entities<'py>(
        &self,
        py: Python<'py>,
        path: PathBuf,
        existing: &str,
        versions: bool,
        after_line: u64,
        progress: Option<Py<PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let store = self.handle.store().map_err(raise)?;
        let existing = match existing {
            "refuse" => Existing::Refuse,
            "skip" => Existing::Skip,
            "replace" => Existing::Replace,
            "merge" => Existing::Merge,
            _ => return Err(PyValueError::new_err("existing is 'refuse', 'skip', 'replace' or 'merge'")),
        };
        let options = ImportOptions::new().existing(existing).versions(versions).after_line(after_line);
        let mut telling = Telling { progress, steps: Steps::default() };
        let done =
            py.detach(|| store.import_file(path, &options, |done| telling.tell(|py| report::imported(py, done))));
        report::imported(py, &telling.steps.outcome(done)?)
    }

    /// The entities that the service would not take, each a ``Refused`` with all that stands against it: a dry run of the way to
    /// the cloud.
    #[pyo3(signature = (*, tables = None))]
    fn check_export<'py>(&self, py: Python<'py>, tables: Option<&Bound<'py, PyAny>>) -> PyResult<Bound<'py, PyList>> {
        let store = self.handle.store().map_err(raise)?;
        let (options, mut found) = (exported(tables)?, Vec::new());
        let each = |refused| {
            found.push(refused);
            ControlFlow::Continue(())
        };
        py.detach(|| store.check_export(&options, each)).map_err(raise)?;
        let found: PyResult<Vec<_>> = found.into_iter().map(|refused| report::refused(py, refused)).collect();
        PyList::new(py, found?)
    }

    fn __enter__(slf: Py<Self>) -> Py<Self> {
        slf
    }

    #[pyo3(signature = (*_exception))]
    fn __exit__(&self, py: Python<'_>, _exception: &Bound<'_, PyTuple>) -> PyResult<()> {
        self.close(py)
    }

    /// A store is pickled as its path and options.
    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, (PathBuf,))> {
        if self.handle.is_in_memory() {
            return Err(PyTypeError::new_err("a store in memory cannot be pickled"));
        }
        let partial = py.import("functools")?.getattr("partial")?;
        let opener = partial.call((py.get_type::<Store>(),), Some(&self.handle.settings.keywords(py)?))?;
        Ok((opener, (self.handle.path.clone(),)))
    }

    fn __repr__(&self) -> String {
        format!("<entable.Store {:?}, mode {:?}>", self.handle.path, self.mode())
    }
}

/// What of a store is exported: these tables, or all.
fn exported(tables: Option<&Bound<'_, PyAny>>) -> PyResult<ExportOptions> {
    let options = ExportOptions::new();
    Ok(match tables {
        Some(names) => options.tables(convert::strings(names, "tables")?),
        None => options,
    })
}

/// A progress function, which may end the work.
struct Telling {
    progress: Option<Py<PyAny>>,
    steps: Steps,
}

impl Telling {
    fn tell(&mut self, shown: impl for<'py> FnOnce(Python<'py>) -> PyResult<Bound<'py, PyAny>>) -> ControlFlow<()> {
        let (progress, mut goes_on) = (&self.progress, true);
        let step = self.steps.step(|py| {
            let Some(progress) = progress else { return Ok(()) };
            let answer = progress.call1(py, (shown(py)?,))?;
            // None, which a function gives that says nothing, is no wish to stop.
            goes_on = !matches!(answer.extract::<bool>(py), Ok(false));
            Ok(())
        });
        if goes_on { step } else { ControlFlow::Break(()) }
    }
}
