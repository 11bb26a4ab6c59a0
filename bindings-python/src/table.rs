//! A table: what `TableClient` is to the service.

use crate::batch;
use crate::convert::{self, Ask, Asked, MissingKey, Rules, Select, When};
use crate::entity::TableEntity;
use crate::error::{Failure, raise, raise_write};
use crate::handle::{Handle, Settings, at_once, awaited};
use crate::index;
use crate::interrupt::{Interrupt, Steps};
use crate::pending::Pending;
use crate::query::{ItemPaged, PartitionKeys, Question};
use crate::report;
use crate::snapshot::Snapshot;
use crate::store::callable;
use crate::transaction::Open;
use entable::{Class, Error, ErrorCode, StoredEntity};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyString, PyTuple};
use std::borrow::Cow;
use std::path::PathBuf;
use std::sync::Arc;

/// A handle to a table of a store: ``Store.create_table`` and ``Store.get_table_client`` give it, or ``Table(path, name)``
/// opens the store for it.
///
/// A name, looked up at every call. Every write is durable when the call returns; through a handle that a transaction
/// gave, it is with the transaction.
#[pyclass(module = "entable", frozen)]
pub(crate) struct Table {
    name: String,
    /// A wrong name is an error of the calls, not of the handle, as with the client.
    target: Result<Target, Error>,
    handle: Arc<Handle>,
    /// Whether the handle was made by path, and closes the store.
    is_alone: bool,
}

/// Where the calls of a table go.
#[derive(Clone)]
pub(crate) enum Target {
    /// To the store as it is now.
    Store(Arc<Handle>, entable::Table),
    /// To a moment of it.
    Snapshot { table: entable::Table, handle: Arc<Handle> },
    /// Into a transaction.
    Transaction(Arc<Open>, Arc<str>),
}

impl Target {
    /// Refuses a read that would wait for itself.
    pub(crate) fn check(&self) -> Result<(), Failure> {
        match self {
            Target::Store(handle, _) | Target::Snapshot { handle, .. } => handle.check_not_calling(),
            // It is of the thread that has begun it, and nothing that others wait for is called in it.
            Target::Transaction(..) => Ok(()),
        }
    }

    /// The table outside of a transaction.
    pub(crate) fn outside(&self) -> Result<Cow<'_, entable::Table>, Failure> {
        crate::transaction::sweep();
        self.check()?;
        match self {
            Target::Store(handle, table) if handle.is_of_this_process() => Ok(Cow::Borrowed(table)),
            Target::Store(handle, table) => Ok(Cow::Owned(handle.store()?.table(table.name())?)),
            Target::Snapshot { table, .. } => Ok(Cow::Borrowed(table)),
            Target::Transaction(..) => {
                Err(Failure::Fact(ErrorCode::TransactionOpen, "This is not done inside a transaction."))
            }
        }
    }
}

/// Runs a verb that tables have inside transactions and outside of them.
macro_rules! on {
    ($target:expr, |$table:ident| $call:expr) => {
        match $target {
            Target::Transaction(open, name) => open.run(|transaction| {
                let $table = transaction.table(name)?;
                $call
            }),
            target => target.outside().and_then(|$table| Ok($call?)),
        }
    };
}
pub(crate) use on;

impl Table {
    /// The table of this name, as the store is now.
    pub(crate) fn named(handle: &Arc<Handle>, name: &str) -> PyResult<Table> {
        let target = match handle.store().map_err(raise)?.table(name) {
            // The client looks at nothing but this.
            Err(error) if error.code() == ErrorCode::PropertiesNeedValue => return Err(raise(error)),
            table => table.map(|table| Target::Store(Arc::clone(handle), table)),
        };
        Ok(Table { name: name.to_owned(), target, handle: Arc::clone(handle), is_alone: false })
    }

    /// The table of this name in a transaction.
    pub(crate) fn inside(handle: &Arc<Handle>, name: &str, open: Arc<Open>) -> Table {
        let target = Ok(Target::Transaction(open, name.into()));
        Table { name: name.to_owned(), target, handle: Arc::clone(handle), is_alone: false }
    }

    pub(crate) fn target(&self) -> PyResult<&Target> {
        self.target.as_ref().map_err(|error| raise(error.duplicate()))
    }

    pub(crate) fn outside(&self) -> PyResult<Cow<'_, entable::Table>> {
        self.target()?.outside().map_err(raise)
    }

    fn rules(&self) -> Rules<'_> {
        self.handle.rules()
    }

    fn decoder(&self) -> Option<&Py<PyAny>> {
        self.handle.settings.decoder.as_ref()
    }

    fn asked(&self, ask: Ask<'_, '_>) -> PyResult<convert::Filter> {
        convert::query(ask, self.rules())
    }
}

#[pymethods]
impl Table {
    #[new]
    #[pyo3(signature = (path, table_name, *, mode = "portable", read_only = false, must_exist = false, encoder = None, decoder = None))]
    #[expect(clippy::too_many_arguments, reason = "they are keywords")]
    fn new(
        py: Python<'_>,
        path: PathBuf,
        table_name: &str,
        mode: &str,
        read_only: bool,
        must_exist: bool,
        encoder: Option<Bound<'_, PyAny>>,
        decoder: Option<Bound<'_, PyAny>>,
    ) -> PyResult<Table> {
        let encoder = callable(encoder, "encoder is a callable that takes a property's name and value")?;
        let decoder = callable(decoder, "decoder is a callable that takes a property's name and value")?;
        let settings = Settings { read_only, must_exist, encoder, decoder, ..Settings::of(convert::mode(mode)?) };
        let handle = Handle::open(py, path, settings).map_err(raise)?;
        Ok(Table { is_alone: true, ..Table::named(&handle, table_name)? })
    }

    /// The name that the handle was made with.
    #[getter]
    fn table_name(&self) -> &str {
        &self.name
    }

    /// Makes the table. ``ResourceExistsError`` if it is there.
    fn create_table<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        match self.target()? {
            Target::Transaction(open, name) => open.run(|inside| inside.create_table(name).map(drop)).map_err(raise)?,
            target => {
                let table = target.outside().map_err(raise)?;
                py.detach(|| table.create_table()).map_err(raise)?;
            }
        }
        convert::table_item(py, &self.name)
    }

    /// Deletes the table with its entities. Quiet if it is not there, as the client is.
    fn delete_table(&self, py: Python<'_>) -> PyResult<()> {
        let outcome = match self.target()? {
            Target::Transaction(open, name) => open.run(|inside| inside.delete_table(name)),
            target => {
                let table = target.outside().map_err(raise)?;
                py.detach(|| table.delete_table()).map_err(Failure::from)
            }
        };
        quiet_if_missing(outcome)
    }

    /// Stores a new entity. ``ResourceExistsError`` if there is one with its keys.
    fn create_entity<'py>(&self, entity: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyDict>> {
        let (py, target) = (entity.py(), self.target()?);
        let input = convert::entity_input(entity, self.rules(), MissingKey::ValueError)?;
        let written = py.detach(|| on!(target, |table| table.create_entity(input)));
        convert::write_metadata(py, written.map_err(|error| raise_write(error, entity))?)
    }

    /// Changes an entity that is there: ``ResourceNotFoundError`` if it is not, ``ResourceModifiedError`` if it is
    /// not the version of the condition.
    ///
    /// ``mode`` is ``UpdateMode.MERGE``, the default, or ``UpdateMode.REPLACE``. With
    /// ``match_condition=MatchConditions.IfNotModified`` it must have this ``etag``, or, without one, that of the
    /// entity's own metadata. With ``filter``, an extension, it must be one that the filter takes, with values for its ``@name``s as
    /// ``parameters``. In a merge a value may be ``Add(1)`` or ``Remove()``.
    #[pyo3(signature = (entity, mode = None, *, etag = None, match_condition = None, filter = None, parameters = None), text_signature = "($self, entity, mode='merge', *, etag=None, match_condition=None, filter=None, parameters=None)")]
    fn update_entity<'py>(
        &self,
        entity: &Bound<'py, PyAny>,
        mode: Option<&Bound<'py, PyAny>>,
        etag: Option<&Bound<'py, PyString>>,
        match_condition: Option<&Bound<'py, PyAny>>,
        filter: Option<&str>,
        parameters: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyDict>> {
        let (py, target, mode) = (entity.py(), self.target()?, convert::update_mode(mode)?);
        let when = When { etag, match_condition, filter, parameters };
        let condition = convert::condition(Some(entity), when, self.rules())?;
        let input = convert::entity_input(entity, self.rules(), MissingKey::KeyError)?;
        let written = py.detach(|| on!(target, |table| table.update_entity_if(input, mode, condition)));
        convert::write_metadata(py, written.map_err(|error| raise_write(error, entity))?)
    }

    /// Changes an entity, or stores it if it is not there. Conditions are an extension: the client has none.
    #[pyo3(signature = (entity, mode = None, *, etag = None, match_condition = None, filter = None, parameters = None), text_signature = "($self, entity, mode='merge', *, etag=None, match_condition=None, filter=None, parameters=None)")]
    fn upsert_entity<'py>(
        &self,
        entity: &Bound<'py, PyAny>,
        mode: Option<&Bound<'py, PyAny>>,
        etag: Option<&Bound<'py, PyString>>,
        match_condition: Option<&Bound<'py, PyAny>>,
        filter: Option<&str>,
        parameters: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyDict>> {
        let (py, target, mode) = (entity.py(), self.target()?, convert::update_mode(mode)?);
        let when = When { etag, match_condition, filter, parameters };
        let condition = convert::condition(Some(entity), when, self.rules())?;
        let input = convert::entity_input(entity, self.rules(), MissingKey::KeyError)?;
        let written = py.detach(|| on!(target, |table| table.upsert_entity_if(input, mode, condition)));
        convert::write_metadata(py, written.map_err(|error| raise_write(error, entity))?)
    }

    /// Stores a new entity, or finds the one with its keys, which stays as it is: gives the entity, and whether it was
    /// created. An extension.
    fn create_or_get_entity<'py>(&self, entity: &Bound<'py, PyAny>) -> PyResult<(Bound<'py, TableEntity>, bool)> {
        let (py, target) = (entity.py(), self.target()?);
        let input = convert::entity_input(entity, self.rules(), MissingKey::ValueError)?;
        let got = py.detach(|| on!(target, |table| table.create_or_get_entity(input)));
        let got = got.map_err(|error| raise_write(error, entity))?;
        Ok((convert::entity(py, &got.entity.into(), &Select::default(), self.decoder())?, got.is_created))
    }

    /// Gives an entity other keys, with all that it has. ``ResourceNotFoundError`` if it is not there,
    /// ``ResourceExistsError`` if there is one with the new keys. Conditions as in ``update_entity``. An extension.
    #[pyo3(signature = (partition_key, row_key, new_partition_key, new_row_key, *, etag = None, match_condition = None, filter = None, parameters = None))]
    #[expect(clippy::too_many_arguments, reason = "they are keywords")]
    fn move_entity<'py>(
        &self,
        py: Python<'py>,
        partition_key: &Bound<'py, PyAny>,
        row_key: &Bound<'py, PyAny>,
        new_partition_key: &Bound<'py, PyAny>,
        new_row_key: &Bound<'py, PyAny>,
        etag: Option<&Bound<'py, PyString>>,
        match_condition: Option<&Bound<'py, PyAny>>,
        filter: Option<&str>,
        parameters: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyDict>> {
        let target = self.target()?;
        let when = When { etag, match_condition, filter, parameters };
        let condition = convert::condition(None, when, self.rules())?;
        let from = (convert::key(partition_key)?, convert::key(row_key)?);
        let to = (convert::key(new_partition_key)?, convert::key(new_row_key)?);
        let written = py.detach(|| on!(target, |table| table.move_entity_if(from, to, condition)));
        convert::write_metadata(py, written.map_err(raise)?)
    }

    /// Removes an entity, given by its keys or as a mapping that has them. Quiet if it is not there, as the client is.
    #[pyo3(signature = (*keys, etag = None, match_condition = None, filter = None, parameters = None, **named_keys))]
    fn delete_entity<'py>(
        &self,
        keys: &Bound<'py, PyTuple>,
        etag: Option<&Bound<'py, PyString>>,
        match_condition: Option<&Bound<'py, PyAny>>,
        filter: Option<&str>,
        parameters: Option<&Bound<'py, PyDict>>,
        named_keys: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<()> {
        let (py, target) = (keys.py(), self.target()?);
        let (entity, (partition_key, row_key)) = convert::delete_target(keys, named_keys)?;
        let when = When { etag, match_condition, filter, parameters };
        let condition = convert::condition(entity.as_ref(), when, self.rules())?;
        quiet_if_missing(py.detach(|| on!(target, |table| table.delete_entity_if(&partition_key, &row_key, condition))))
    }

    /// The entity with these keys, or of it what ``select`` names. ``ResourceNotFoundError`` if it is not there.
    ///
    /// With ``as_``, a dataclass or a ``TypedDict``, it comes as one of these. An extension.
    #[pyo3(signature = (partition_key, row_key, *, select = None, as_ = None))]
    fn get_entity<'py>(
        &self,
        py: Python<'py>,
        partition_key: &Bound<'py, PyAny>,
        row_key: &Bound<'py, PyAny>,
        select: Option<&Bound<'py, PyAny>>,
        as_: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let (partition_key, row_key, select) =
            (convert::key(partition_key)?, convert::key(row_key)?, Select::new(select)?);
        let target = self.target()?;
        let entity = at_once(py, || match select.names() {
            Some(names) => {
                on!(target, |table| table.get_entity_select(partition_key, row_key, names).map(StoredEntity::from))
            }
            None => match target {
                Target::Transaction(..) => {
                    on!(target, |table| table.get_entity(partition_key, row_key)).map(StoredEntity::from)
                }
                target => target.outside().and_then(|table| Ok(table.get_stored_entity(partition_key, row_key)?)),
            },
        });
        let entity = convert::entity(py, &entity.map_err(raise)?, &select, self.decoder())?.into_any();
        match as_ {
            Some(class) => convert::shaped(&entity, class),
            None => Ok(entity),
        }
    }

    /// Whether there is an entity with these keys.
    fn exists(&self, partition_key: &Bound<'_, PyAny>, row_key: &Bound<'_, PyAny>) -> PyResult<bool> {
        let py = partition_key.py();
        let (partition_key, row_key) = (convert::key(partition_key)?, convert::key(row_key)?);
        let target = self.target()?;
        at_once(py, || on!(target, |table| table.exists(partition_key, row_key))).map_err(raise)
    }

    /// The entities with these ``(partition_key, row_key)``, in their order, all from one moment; ``None`` where there
    /// is none.
    fn get_many<'py>(&self, keys: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyList>> {
        let (py, target) = (keys.py(), self.target()?);
        let keys = convert::key_pairs(keys)?;
        let found = py.detach(|| on!(target, |table| table.get_many(keys))).map_err(raise)?;
        let everything = Select::default();
        let entities: PyResult<Vec<_>> = found
            .into_iter()
            .map(|found| {
                found.map(|entity| convert::entity(py, &entity.into(), &everything, self.decoder())).transpose()
            })
            .collect();
        PyList::new(py, entities?)
    }

    /// All entities, in the order of PartitionKey and RowKey. Lazy: errors come with the first one.
    ///
    /// Extensions: ``limit`` is the total, ``descending`` begins with the largest, ``order_by`` gives them in the order
    /// of an index, ``mode`` asks by the rules of another mode.
    #[pyo3(signature = (*, results_per_page = None, select = None, limit = None, descending = false, order_by = None, mode = None))]
    fn list_entities(
        &self,
        results_per_page: Option<usize>,
        select: Option<&Bound<'_, PyAny>>,
        limit: Option<u64>,
        descending: bool,
        order_by: Option<&str>,
        mode: Option<&str>,
    ) -> PyResult<ItemPaged> {
        self.query_entities(None, results_per_page, select, None, limit, descending, order_by, mode)
    }

    /// The entities that the filter asks for, in the order of PartitionKey and RowKey. Lazy: errors come with the
    /// first one, and ``by_page`` gives pages with continuation tokens.
    ///
    /// ``query_filter`` is the text of a filter: comparisons by ``eq ne gt ge lt le``, put together by ``and or not`` and
    /// parentheses; ``None`` is no filter, and a ``Lookup`` of ``entable.patterns`` is taken, too. ``parameters`` has the
    /// values of the words ``@name`` in it, ``select`` the names of the properties that are wanted, ``results_per_page`` how
    /// many entities a page holds.
    ///
    /// Extensions: ``limit`` is the total. ``descending`` begins with the largest keys. ``order_by`` names properties
    /// that an index has: the entities come in its order. ``mode`` asks by the rules of another mode.
    ///
    /// >>> for order in table.query_entities("PartitionKey eq @land and Total gt 10.0", parameters={"land": "DE"}):
    /// ...     print(order["RowKey"], order["Total"])
    #[expect(clippy::too_many_arguments, reason = "they are keywords")]
    #[pyo3(signature = (query_filter, *, results_per_page = None, select = None, parameters = None, limit = None, descending = false, order_by = None, mode = None))]
    fn query_entities(
        &self,
        query_filter: Option<Asked>,
        results_per_page: Option<usize>,
        select: Option<&Bound<'_, PyAny>>,
        parameters: Option<&Bound<'_, PyDict>>,
        limit: Option<u64>,
        descending: bool,
        order_by: Option<&str>,
        mode: Option<&str>,
    ) -> PyResult<ItemPaged> {
        let select = Select::new(select)?;
        let ask =
            Ask { results_per_page, limit, descending, order_by, mode, ..Ask::of(query_filter.as_ref(), parameters) };
        let filter = self.asked(Ask { select: Some(&select), ..ask })?;
        Ok(ItemPaged::new(Question::entities(self.target()?, &self.handle, filter, select, ask.limit())))
    }

    /// How many entities the filter asks for, exactly, from one moment. Without a filter, all. An extension.
    #[pyo3(signature = (query_filter = None, *, parameters = None, limit = None, mode = None))]
    fn count(
        &self,
        py: Python<'_>,
        query_filter: Option<Asked>,
        parameters: Option<&Bound<'_, PyDict>>,
        limit: Option<u64>,
        mode: Option<&str>,
    ) -> PyResult<u64> {
        let filter = self.asked(Ask { limit, mode, ..Ask::of(query_filter.as_ref(), parameters) })?;
        let (target, interrupt) = (self.target()?, Interrupt::default());
        let counted = match target {
            // It stays with its thread.
            Target::Transaction(..) => py.detach(|| on!(target, |table| table.count(filter.query.clone()))),
            target => interrupt.run(py, || Ok(target.outside()?.count(interrupt.watch(filter.query.clone()))?))?,
        };
        counted.map_err(|failure| filter.raise(failure))
    }

    /// Answers a query, and tells how: the way to the rows, what it cost, and what else was thought of. An extension.
    ///
    /// The arguments are those of ``query_entities``.
    #[expect(clippy::too_many_arguments, reason = "they are keywords")]
    #[pyo3(signature = (query_filter = None, *, results_per_page = None, select = None, parameters = None, limit = None, descending = false, order_by = None, mode = None))]
    fn explain<'py>(
        &self,
        py: Python<'py>,
        query_filter: Option<Asked>,
        results_per_page: Option<usize>,
        select: Option<&Bound<'py, PyAny>>,
        parameters: Option<&Bound<'py, PyDict>>,
        limit: Option<u64>,
        descending: bool,
        order_by: Option<&str>,
        mode: Option<&str>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let select = Select::new(select)?;
        let ask =
            Ask { results_per_page, limit, descending, order_by, mode, ..Ask::of(query_filter.as_ref(), parameters) };
        let filter = self.asked(Ask { select: Some(&select), ..ask })?;
        let (table, interrupt) = (self.outside()?, Interrupt::default());
        let explained = interrupt.run(py, || Ok(table.explain(interrupt.watch(filter.query.clone()))?))?;
        let explain = explained.map_err(|failure| filter.raise(failure))?;
        report::explain(py, &explain)
    }

    /// Deletes the entities that the filter asks for, up to ``limit``, and tells how many: all or none, in one
    /// transaction. ``None`` or an empty filter is all of them. An extension.
    ///
    /// With ``chunk`` it goes in steps of so many, each a transaction of its own: other writers get their turn in
    /// between, and what was deleted before an error stays deleted. Ctrl-C gives it up until it commits: nothing of
    /// the transaction that is under way is done then.
    #[pyo3(signature = (query_filter, *, parameters = None, limit = None, chunk = None, mode = None))]
    fn delete_entities(
        &self,
        py: Python<'_>,
        query_filter: Option<Asked>,
        parameters: Option<&Bound<'_, PyDict>>,
        limit: Option<u64>,
        chunk: Option<u64>,
        mode: Option<&str>,
    ) -> PyResult<u64> {
        let filter = self.asked(Ask { limit, mode, ..Ask::of(query_filter.as_ref(), parameters) })?;
        let (target, interrupt) = (self.target()?, Interrupt::default());
        let query = interrupt.watch(filter.query.clone());
        let deleted = match (target, chunk) {
            // It stays with its thread.
            (Target::Transaction(..), None) => py.detach(|| on!(target, |table| table.delete_entities(query))),
            (_, chunk) => {
                let table = self.outside()?;
                let delete = || match chunk {
                    None => table.delete_entities(query),
                    Some(chunk) => table.delete_entities_in_chunks(query, chunk),
                };
                interrupt.run_once(py, || Ok(delete()?))?
            }
        };
        deleted.map_err(|failure| filter.raise(failure))
    }

    /// The PartitionKeys that the table has, in order, each once. Lazy. An extension.
    fn partition_keys(&self) -> PyResult<PartitionKeys> {
        Ok(PartitionKeys::new(self.target()?, self.outside()?.partition_keys()))
    }

    /// The same table as it was at a snapshot: only to be read. An extension.
    fn at(&self, snapshot: &Snapshot) -> PyResult<Table> {
        let table = self.outside()?.at(snapshot.inner());
        let target = Ok(Target::Snapshot { table, handle: Arc::clone(&self.handle) });
        Ok(Table { name: self.name.clone(), target, handle: Arc::clone(&self.handle), is_alone: false })
    }

    /// Declares an index and builds it: when this returns, queries use it. An extension.
    ///
    /// ``scope`` is ``"table"``, or ``"partition"`` for queries that name theirs. ``projection`` is what its entries
    /// hold besides: ``"keys"``, ``"all"``, or a list of names. With ``unique`` a value may be there once only, and
    /// with ``fold_case`` text is the same in any case. ``ResourceExistsError`` if there is one of the name, or if two
    /// entities have the value of a unique one; ``StoreFullError`` where there is no room. Behind an error, or
    /// Ctrl-C, there is no index.
    #[expect(clippy::too_many_arguments, reason = "they are keywords")]
    #[pyo3(signature = (name, properties, *, scope = "table", projection = None, unique = false, fold_case = false))]
    fn create_index(
        &self,
        py: Python<'_>,
        name: &str,
        properties: &Bound<'_, PyAny>,
        scope: &str,
        projection: Option<&Bound<'_, PyAny>>,
        unique: bool,
        fold_case: bool,
    ) -> PyResult<()> {
        let index = index::definition(name, properties, scope, projection)?.unique(unique).fold_case(fold_case);
        let (table, mut steps) = (self.outside()?, Steps::default());
        let built = py.detach(|| table.create_index_until(index, || steps.step(|_| Ok(())).is_break()));
        steps.outcome(built)
    }

    /// As ``create_index``; one of the same definition may be there already.
    #[expect(clippy::too_many_arguments, reason = "they are keywords")]
    #[pyo3(signature = (name, properties, *, scope = "table", projection = None, unique = false, fold_case = false))]
    fn create_index_if_not_exists(
        &self,
        py: Python<'_>,
        name: &str,
        properties: &Bound<'_, PyAny>,
        scope: &str,
        projection: Option<&Bound<'_, PyAny>>,
        unique: bool,
        fold_case: bool,
    ) -> PyResult<()> {
        let index = index::definition(name, properties, scope, projection)?.unique(unique).fold_case(fold_case);
        let (table, mut steps) = (self.outside()?, Steps::default());
        let built = py.detach(|| table.create_index_if_not_exists_until(index, || steps.step(|_| Ok(())).is_break()));
        steps.outcome(built)
    }

    /// Drops an index, at once. ``ResourceNotFoundError`` if there is none of that name. An extension.
    fn drop_index(&self, py: Python<'_>, name: &str) -> PyResult<()> {
        let table = self.outside()?;
        py.detach(|| table.drop_index(name)).map_err(raise)
    }

    /// The declared indexes, in the order of their declaration. An extension.
    fn list_indexes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        let table = self.outside()?;
        let indexes = py.detach(|| table.list_indexes()).map_err(raise)?;
        let indexes: PyResult<Vec<_>> = indexes.iter().map(|info| index::info(py, info)).collect();
        PyList::new(py, indexes?)
    }

    /// What each index holds, and how often it was used, in the order of their declaration. Reads all entries.
    fn index_stats<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        let table = self.outside()?;
        let stats = py.detach(|| table.index_stats()).map_err(raise)?;
        let stats: PyResult<Vec<_>> = stats.iter().map(|each| index::stats(py, each)).collect();
        PyList::new(py, stats?)
    }

    /// What would make writes or queries of the table cheaper, each with its reason: by what this process has asked.
    fn advise<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        let table = self.outside()?;
        report::advice(py, &py.detach(|| table.advise()).map_err(raise)?)
    }

    /// An entity group transaction: up to 100 writes of entities of one partition, each entity once, all or nothing.
    ///
    /// ``(operation, entity)`` or ``(operation, entity, kwargs)`` each, in an iterable. Gives ``{"etag": …}`` for each
    /// write and ``{}`` for each delete. ``TableTransactionError`` has the ``index`` of the operation that failed.
    fn submit_transaction<'py>(&self, operations: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyList>> {
        batch::submit_transaction(self.target()?, self.rules(), operations)
    }

    /// One operation for ``entable.aio``: ``done`` is called when the ``Pending`` has its outcome.
    fn _submit(
        &self,
        operation: &Bound<'_, PyAny>,
        entity: &Bound<'_, PyAny>,
        kwargs: Option<&Bound<'_, PyDict>>,
        done: Py<PyAny>,
    ) -> PyResult<Pending> {
        batch::submit(&*self.outside()?, self.rules(), operation, entity, kwargs, done)
    }

    /// Upserts for ``entable.load``: all or none.
    #[pyo3(signature = (entities, mode = None))]
    fn _write_all(&self, entities: &Bound<'_, PyAny>, mode: Option<&Bound<'_, PyAny>>) -> PyResult<usize> {
        batch::write_all(self.target()?, &self.handle, entities, mode)
    }

    /// Lets go of the handle; the store stays open, unless the handle was made by its path.
    fn close(&self, py: Python<'_>) -> PyResult<()> {
        if self.is_alone {
            self.handle.check_not_calling().map_err(raise)?;
            awaited(py, || self.handle.close());
        }
        Ok(())
    }

    fn __enter__(slf: Py<Self>) -> Py<Self> {
        slf
    }

    #[pyo3(signature = (*_exception))]
    fn __exit__(&self, py: Python<'_>, _exception: &Bound<'_, PyTuple>) -> PyResult<()> {
        self.close(py)
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<(Bound<'py, PyAny>, (String,))> {
        let (py, this) = (slf.py(), slf.get());
        match &this.target {
            Ok(Target::Snapshot { .. } | Target::Transaction(..)) => {
                Err(PyTypeError::new_err("a table of a snapshot, or in a transaction, cannot be pickled"))
            }
            _ => {
                let store = Bound::new(py, crate::store::Store::of(&this.handle))?;
                Ok((store.getattr("get_table_client")?, (this.name.clone(),)))
            }
        }
    }

    fn __repr__(&self) -> String {
        let place = match &self.target {
            Ok(Target::Snapshot { .. }) => " of a snapshot",
            Ok(Target::Transaction(..)) => " in a transaction",
            _ => "",
        };
        format!("<entable.Table {:?}{place}>", self.name)
    }
}

/// A delete of what is not there is done, as it is for the client.
fn quiet_if_missing(outcome: Result<(), Failure>) -> PyResult<()> {
    match outcome {
        Err(Failure::Core(error)) if error.class() == Class::NotFound => Ok(()),
        outcome => outcome.map_err(raise),
    }
}
