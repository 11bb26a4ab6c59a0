//! The store: what `TableServiceClient` is to the service.

use crate::batch;
use crate::convert;
use crate::error::raise;
use crate::query::{ItemPaged, Question};
use crate::table::Table;
use entable::{Class, Options};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyTuple};
use std::path::PathBuf;

/// A store: one file of tables, or, for the path ``":memory:"``, one that vanishes when it is closed.
///
/// The file, and the folders above it, are made if they are not there. Any thread may use the store, and so may
/// other processes that open the same file. ``with Store(path) as store:`` closes it at the end.
#[pyclass(module = "entable", frozen)]
pub(crate) struct Store {
    store: entable::Store,
    path: PathBuf,
}

#[pymethods]
impl Store {
    #[new]
    #[pyo3(signature = (path, *, mode = "portable", read_only = false, must_exist = false))]
    fn new(py: Python<'_>, path: PathBuf, mode: &str, read_only: bool, must_exist: bool) -> PyResult<Store> {
        let options = Options::new().mode(convert::mode(mode)?).read_only(read_only).must_exist(must_exist);
        let opened = py.detach(|| match path.as_os_str() == ":memory:" {
            true => entable::Store::in_memory_with(&options),
            false => entable::Store::open_with(&path, &options),
        });
        Ok(Store { store: opened.map_err(raise)?, path })
    }

    /// Where the file is, as it was given.
    #[getter]
    fn path(&self) -> &PathBuf {
        &self.path
    }

    /// ``"portable"``, ``"strict"`` or ``"extended"``.
    #[getter]
    fn mode(&self) -> &'static str {
        convert::mode_name(self.store.mode())
    }

    /// Ends the store for everything that was got from it. Closing twice does no harm.
    fn close(&self, py: Python<'_>) {
        py.detach(|| self.store.close());
    }

    /// Makes a table. ``ResourceExistsError`` if there is one of that name.
    fn create_table(&self, py: Python<'_>, table_name: &str) -> PyResult<Table> {
        py.detach(|| self.store.create_table(table_name)).map(Table::from).map_err(raise)
    }

    /// Makes a table if there is none of that name.
    fn create_table_if_not_exists(&self, py: Python<'_>, table_name: &str) -> PyResult<Table> {
        py.detach(|| self.store.create_table_if_not_exists(table_name)).map(Table::from).map_err(raise)
    }

    /// Deletes a table with its entities. Quiet if there is none of that name, as the client is.
    fn delete_table(&self, py: Python<'_>, table_name: &str) -> PyResult<()> {
        match py.detach(|| self.store.delete_table(table_name)) {
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
        let filter = convert::filter(query_filter, parameters, self.store.mode())?;
        Ok(ItemPaged::new(Question::tables(&self.store, filter)))
    }

    /// A handle to a table. Nothing is asked of the store: a wrong name shows when the handle is used.
    fn get_table_client(&self, table_name: &str) -> PyResult<Table> {
        Table::named(&self.store, table_name)
    }

    /// Writes to any tables and partitions, all or nothing: ``(table, operation, entity)`` or
    /// ``(table, operation, entity, kwargs)`` each, the rest as in ``Table.submit_transaction``.
    fn submit_batch<'py>(&self, operations: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyList>> {
        batch::submit_batch(&self.store, operations)
    }

    fn __enter__(slf: Py<Self>) -> Py<Self> {
        slf
    }

    #[pyo3(signature = (*_exception))]
    fn __exit__(&self, py: Python<'_>, _exception: &Bound<'_, PyTuple>) {
        self.close(py);
    }

    fn __repr__(&self) -> String {
        format!("<entable.Store {:?}, mode {:?}>", self.path, self.mode())
    }
}
