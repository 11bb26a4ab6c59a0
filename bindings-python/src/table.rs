//! A table: what `TableClient` is to the service.

use crate::batch;
use crate::convert::{self, MissingKey, Select};
use crate::entity::TableEntity;
use crate::error::{raise, raise_write};
use crate::query::{ItemPaged, Question};
use entable::{Class, Error, ErrorCode};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyString, PyTuple};

/// A handle to a table of a store: ``Store.create_table`` and ``Store.get_table_client`` give it.
///
/// A name, looked up at every call. Every write is durable when the call returns.
#[pyclass(module = "entable", frozen)]
pub(crate) struct Table {
    store: entable::Store,
    name: String,
    /// A wrong name is an error of the calls, not of the handle, as with the client.
    table: Result<entable::Table, Error>,
}

impl From<entable::Table> for Table {
    fn from(table: entable::Table) -> Table {
        Table { store: table.store().clone(), name: table.name().to_owned(), table: Ok(table) }
    }
}

impl Table {
    pub(crate) fn named(store: &entable::Store, name: &str) -> PyResult<Table> {
        match store.table(name) {
            // The client looks at nothing but this.
            Err(error) if error.code() == ErrorCode::PropertiesNeedValue => Err(raise(error)),
            table => Ok(Table { store: store.clone(), name: name.to_owned(), table }),
        }
    }

    pub(crate) fn table(&self) -> PyResult<&entable::Table> {
        self.table.as_ref().map_err(|error| raise(error.duplicate()))
    }

    fn mode(&self) -> entable::Mode {
        self.store.mode()
    }
}

#[pymethods]
impl Table {
    /// The name that the handle was made with.
    #[getter]
    fn table_name(&self) -> &str {
        &self.name
    }

    /// Makes the table. ``ResourceExistsError`` if it is there.
    fn create_table<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let table = self.table()?;
        py.detach(|| table.create_table()).map_err(raise)?;
        convert::table_item(py, &self.name)
    }

    /// Deletes the table with its entities. Quiet if it is not there, as the client is.
    fn delete_table(&self, py: Python<'_>) -> PyResult<()> {
        let table = self.table()?;
        match py.detach(|| table.delete_table()) {
            Err(error) if error.class() != Class::NotFound => Err(raise(error)),
            _ => Ok(()),
        }
    }

    /// Stores a new entity. ``ResourceExistsError`` if there is one with its keys.
    fn create_entity<'py>(&self, entity: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyDict>> {
        let (py, table) = (entity.py(), self.table()?);
        let input = convert::entity_input(entity, self.mode(), MissingKey::ValueError)?;
        let written = py.detach(|| table.create_entity(input)).map_err(|error| raise_write(error, entity))?;
        convert::write_metadata(py, written)
    }

    /// Changes an entity that is there: ``ResourceNotFoundError`` if it is not, ``ResourceModifiedError`` if it is
    /// not the version of the condition.
    #[pyo3(signature = (entity, mode = None, *, etag = None, match_condition = None))]
    fn update_entity<'py>(
        &self,
        entity: &Bound<'py, PyAny>,
        mode: Option<&Bound<'py, PyAny>>,
        etag: Option<&Bound<'py, PyString>>,
        match_condition: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyDict>> {
        let (py, table, mode) = (entity.py(), self.table()?, convert::update_mode(mode)?);
        let condition = convert::condition(Some(entity), etag, match_condition)?;
        let input = convert::entity_input(entity, self.mode(), MissingKey::KeyError)?;
        let written = py.detach(|| table.update_entity_if(input, mode, condition));
        convert::write_metadata(py, written.map_err(|error| raise_write(error, entity))?)
    }

    /// Changes an entity, or stores it if it is not there. Conditions are an extension: the client has none.
    #[pyo3(signature = (entity, mode = None, *, etag = None, match_condition = None))]
    fn upsert_entity<'py>(
        &self,
        entity: &Bound<'py, PyAny>,
        mode: Option<&Bound<'py, PyAny>>,
        etag: Option<&Bound<'py, PyString>>,
        match_condition: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyDict>> {
        let (py, table, mode) = (entity.py(), self.table()?, convert::update_mode(mode)?);
        let condition = convert::condition(Some(entity), etag, match_condition)?;
        let input = convert::entity_input(entity, self.mode(), MissingKey::KeyError)?;
        let written = py.detach(|| table.upsert_entity_if(input, mode, condition));
        convert::write_metadata(py, written.map_err(|error| raise_write(error, entity))?)
    }

    /// Removes an entity, given by its keys or as a mapping that has them. Quiet if it is not there, as the client is.
    #[pyo3(signature = (*keys, etag = None, match_condition = None, **named_keys))]
    fn delete_entity<'py>(
        &self,
        keys: &Bound<'py, PyTuple>,
        etag: Option<&Bound<'py, PyString>>,
        match_condition: Option<&Bound<'py, PyAny>>,
        named_keys: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<()> {
        let (py, table) = (keys.py(), self.table()?);
        let (entity, (partition_key, row_key)) = convert::delete_target(keys, named_keys)?;
        let condition = convert::condition(entity.as_ref(), etag, match_condition)?;
        match py.detach(|| table.delete_entity_if(&partition_key, &row_key, condition)) {
            Err(error) if error.class() != Class::NotFound => Err(raise(error)),
            _ => Ok(()),
        }
    }

    /// The entity with these keys, or of it what ``select`` names. ``ResourceNotFoundError`` if it is not there.
    #[pyo3(signature = (partition_key, row_key, *, select = None))]
    fn get_entity<'py>(
        &self,
        py: Python<'py>,
        partition_key: &Bound<'py, PyAny>,
        row_key: &Bound<'py, PyAny>,
        select: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, TableEntity>> {
        let (table, select) = (self.table()?, Select::new(select)?);
        let (partition_key, row_key) = (convert::key(partition_key)?, convert::key(row_key)?);
        // A point read keeps the lock of the interpreter: it is shorter than the wait to have it back.
        let found = match select.names() {
            None => table.get_entity(partition_key, row_key),
            Some(names) => table.get_entity_select(partition_key, row_key, names),
        };
        convert::entity(py, &found.map_err(raise)?, &select)
    }

    /// Whether there is an entity with these keys.
    fn exists(&self, partition_key: &Bound<'_, PyAny>, row_key: &Bound<'_, PyAny>) -> PyResult<bool> {
        let (partition_key, row_key) = (convert::key(partition_key)?, convert::key(row_key)?);
        self.table()?.exists(partition_key, row_key).map_err(raise)
    }

    /// The entities with these ``(partition_key, row_key)``, in their order, all from one moment; ``None`` where there
    /// is none.
    fn get_many<'py>(&self, keys: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyList>> {
        let (py, table) = (keys.py(), self.table()?);
        let keys = convert::key_pairs(keys)?;
        let found = py.detach(|| table.get_many(keys)).map_err(raise)?;
        let everything = Select::default();
        let entities: PyResult<Vec<_>> = found
            .iter()
            .map(|found| found.as_ref().map(|entity| convert::entity(py, entity, &everything)).transpose())
            .collect();
        PyList::new(py, entities?)
    }

    /// All entities, in the order of PartitionKey and RowKey. Lazy: errors come with the first one.
    ///
    /// ``limit`` is the total, an extension.
    #[pyo3(signature = (*, results_per_page = None, select = None, limit = None))]
    fn list_entities(
        &self,
        results_per_page: Option<usize>,
        select: Option<&Bound<'_, PyAny>>,
        limit: Option<u64>,
    ) -> PyResult<ItemPaged> {
        let filter = convert::filter(None, None, self.mode())?;
        let question = Question::entities(self.table()?, filter, Select::new(select)?, results_per_page, limit);
        Ok(ItemPaged::new(question))
    }

    /// The entities that the filter asks for, in the order of PartitionKey and RowKey. Lazy: errors come with the
    /// first one.
    ///
    /// ``parameters`` has the values of the words ``@name`` in the filter. ``limit`` is the total, an extension.
    #[pyo3(signature = (query_filter, *, results_per_page = None, select = None, parameters = None, limit = None))]
    fn query_entities(
        &self,
        query_filter: Option<&str>,
        results_per_page: Option<usize>,
        select: Option<&Bound<'_, PyAny>>,
        parameters: Option<&Bound<'_, PyDict>>,
        limit: Option<u64>,
    ) -> PyResult<ItemPaged> {
        let filter = convert::filter(query_filter, parameters, self.mode())?;
        let question = Question::entities(self.table()?, filter, Select::new(select)?, results_per_page, limit);
        Ok(ItemPaged::new(question))
    }

    /// An entity group transaction: up to 100 writes of entities of one partition, each entity once, all or nothing.
    ///
    /// ``(operation, entity)`` or ``(operation, entity, kwargs)`` each, in an iterable. Gives ``{"etag": …}`` for each
    /// write and ``{}`` for each delete. ``TableTransactionError`` has the ``index`` of the operation that failed.
    fn submit_transaction<'py>(&self, operations: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyList>> {
        batch::submit_transaction(self.table()?, operations)
    }

    /// Lets go of the handle; the store stays open.
    fn close(&self) {}

    fn __enter__(slf: Py<Self>) -> Py<Self> {
        slf
    }

    #[pyo3(signature = (*_exception))]
    fn __exit__(&self, _exception: &Bound<'_, PyTuple>) {}

    fn __repr__(&self) -> String {
        format!("<entable.Table {:?}>", self.name)
    }
}
