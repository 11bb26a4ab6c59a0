//! Transactions: lists of operations that are done together or not at all.

use crate::convert::{self, MissingKey, Rules, When};
use crate::error::{of_operation, raise, raise_write, raise_write_of};
use crate::handle::Handle;
use crate::pending::Pending;
use crate::table::{Table, Target, on};
use entable::Operation;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyString, PyTuple};
use std::borrow::Cow;
use std::sync::Arc;

/// `(operation, entity)` and perhaps keyword arguments.
type Parts<'py> = (Bound<'py, PyAny>, Bound<'py, PyAny>, Option<Bound<'py, PyDict>>);

/// `Table.submit_transaction`.
pub(crate) fn submit_transaction<'py>(
    target: &Target,
    rules: Rules<'_>,
    operations: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyList>> {
    let py = operations.py();
    let (mut entities, mut group) = (Vec::new(), Vec::new());
    for (index, item) in iterate(operations)?.enumerate() {
        let item = item?.cast_into::<PyTuple>().map_err(|_| not_tuples())?;
        let parts = parts(&item, 0)?;
        group.push(operation(&parts, rules).map_err(|error| of_operation(error, index, py))?);
        entities.push(parts.1);
    }
    let written = py.detach(|| on!(target, |table| table.submit_transaction(group)));
    convert::outcomes(py, &written.map_err(|error| raise_write_of(error, &entities))?)
}

/// `Store.submit_batch`.
pub(crate) fn submit_batch<'py>(handle: &Arc<Handle>, operations: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyList>> {
    let py = operations.py();
    let (mut entities, mut batch) = (Vec::new(), Vec::new());
    // Each with what named it: mostly all operations have the same one.
    let mut tables: Vec<(Bound<'py, PyAny>, entable::Table)> = Vec::new();
    for (index, item) in iterate(operations)?.enumerate() {
        look_up(py, index)?;
        let item = item?.cast_into::<PyTuple>().map_err(|_| not_tuples())?;
        let named = item.get_item(0).map_err(|_| not_tuples())?;
        if !tables.last().is_some_and(|(last, _)| last.is(&named)) {
            let table = match named.cast::<Table>() {
                Ok(table) => table.get().outside()?.into_owned(),
                Err(_) => Table::named(handle, &named.extract::<String>()?)?.outside()?.into_owned(),
            };
            tables.push((named, table));
        }
        let parts = parts(&item, 1)?;
        let operation = operation(&parts, handle.rules()).map_err(|error| of_operation(error, index, py))?;
        batch.push((tables.len() - 1, operation));
        entities.push(parts.1);
    }
    let store = handle.store().map_err(raise)?;
    let tables: Vec<entable::Table> = tables.into_iter().map(|(_, table)| table).collect();
    let batch = batch.into_iter().filter_map(|(at, operation)| tables.get(at).map(|table| (table, operation)));
    let written = py.detach(|| store.submit_batch(batch));
    convert::outcomes(py, &written.map_err(|error| raise_write_of(error.into(), &entities))?)
}

/// `Table._submit`: one operation, without waiting for it.
pub(crate) fn submit(
    table: &entable::Table,
    rules: Rules<'_>,
    name: &Bound<'_, PyAny>,
    entity: &Bound<'_, PyAny>,
    kwargs: Option<&Bound<'_, PyDict>>,
    done: Py<PyAny>,
) -> PyResult<Pending> {
    let missing = match name.extract() {
        Ok("update" | "upsert") => MissingKey::KeyError,
        _ => MissingKey::ValueError,
    };
    let parts = (name.clone(), entity.clone(), kwargs.cloned());
    let operation = operation_of(&parts, rules, missing)?;
    let submitted = entity.py().detach(|| table.submit(operation));
    Pending::new(submitted.map_err(|error| raise_write(error.into(), entity))?, entity, done)
}

/// `Table._write_all`: entities of any partitions, all or none.
pub(crate) fn write_all(
    target: &Target,
    handle: &Arc<Handle>,
    entities: &Bound<'_, PyAny>,
    mode: Option<&Bound<'_, PyAny>>,
) -> PyResult<usize> {
    let (py, mode) = (entities.py(), convert::update_mode(mode)?);
    let (mut all, mut operations) = (Vec::new(), Vec::new());
    for (index, entity) in entities.try_iter()?.enumerate() {
        look_up(py, index)?;
        let entity = entity?;
        let input = convert::entity_input(&entity, handle.rules(), MissingKey::ValueError);
        let operation = input.and_then(|input| Operation::upsert(input, mode).map_err(raise));
        operations.push(operation.map_err(|error| of_operation(error, index, py))?);
        all.push(entity);
    }
    let written = match target {
        Target::Transaction(open, name) => py.detach(|| {
            open.run(|transaction| {
                let table = transaction.table(name)?;
                operations.iter().try_for_each(|operation| table.apply(operation).map(drop))
            })
        }),
        target => {
            let table = target.outside().map_err(raise)?;
            let batch = operations.into_iter().map(|operation| (&*table, operation)).collect::<Vec<_>>();
            py.detach(|| table.store().submit_batch(batch)).map(drop).map_err(Into::into)
        }
    };
    written.map(|()| all.len()).map_err(|failure| raise_write_of(failure, &all))
}

/// Now and then in the making of a large transaction, Ctrl-C ends it, and other threads get their turn: Python itself looks
/// only where it runs code of its own.
fn look_up(py: Python<'_>, index: usize) -> PyResult<()> {
    if index % LOOK_EVERY == LOOK_EVERY - 1 {
        py.detach(|| ());
        py.check_signals()?;
    }
    Ok(())
}

/// Operations between two looks.
const LOOK_EVERY: usize = 1_024;

fn iterate<'py>(operations: &Bound<'py, PyAny>) -> PyResult<Bound<'py, pyo3::types::PyIterator>> {
    operations.try_iter().map_err(|error| convert::or_raised(error, operations.py(), not_tuples))
}

/// The parts of an operation, of which others stand before the first.
fn parts<'py>(item: &Bound<'py, PyTuple>, first: usize) -> PyResult<Parts<'py>> {
    let kwargs = match item.len().checked_sub(first) {
        Some(2) => None,
        Some(3) => Some(item.get_item(first + 2)?.cast_into().map_err(|_| not_tuples())?),
        _ => return Err(not_tuples()),
    };
    Ok((item.get_item(first)?, item.get_item(first + 1)?, kwargs))
}

fn not_tuples() -> PyErr {
    PyTypeError::new_err("operations are an iterable of tuples (operation, entity) or (operation, entity, kwargs)")
}

/// One operation, with the client's keyword arguments of its verb.
fn operation(parts: &Parts<'_>, rules: Rules<'_>) -> PyResult<Operation> {
    operation_of(parts, rules, MissingKey::ValueError)
}

fn operation_of((name, entity, kwargs): &Parts<'_>, rules: Rules<'_>, missing: MissingKey) -> PyResult<Operation> {
    let arguments = Arguments::new(kwargs.as_ref())?;
    let unknown = || PyValueError::new_err(format!("Unrecognized operation: {name}"));
    let input = || convert::entity_input(entity, rules, missing);
    let update_mode = || convert::update_mode(arguments.mode.as_ref());
    let text = name.cast::<PyString>().ok().and_then(|name| name.to_str().ok()).ok_or_else(unknown)?;
    // In any case; as a rule in lower case already.
    let is_lower = !text.bytes().any(|byte| byte.is_ascii_uppercase());
    let verb = if is_lower { Cow::Borrowed(text) } else { Cow::Owned(text.to_ascii_lowercase()) };
    let made = match &*verb {
        "create" => Operation::create(input()?),
        "update" => Operation::update(input()?, update_mode()?),
        "upsert" => Operation::upsert(input()?, update_mode()?),
        "delete" => convert::delete_keys(entity)
            .map(|(partition_key, row_key)| Ok(Operation::delete(partition_key, row_key)))?,
        "create_or_get" => Operation::create_or_get(input()?),
        "move" => match &arguments.to {
            Some(to) => convert::delete_keys(entity).map(|from| Ok(Operation::move_entity(from, to.clone())))?,
            None => return Err(PyTypeError::new_err("a move has the new keys as to: (partition_key, row_key)")),
        },
        _ => return Err(unknown()),
    };
    let condition = convert::condition(Some(entity), arguments.when(), rules)?;
    Ok(made.map_err(raise)?.on(condition))
}

#[derive(Default)]
struct Arguments<'py> {
    mode: Option<Bound<'py, PyAny>>,
    etag: Option<Bound<'py, PyString>>,
    match_condition: Option<Bound<'py, PyAny>>,
    filter: Option<String>,
    parameters: Option<Bound<'py, PyDict>>,
    /// The keys that a move gives.
    to: Option<(String, String)>,
}

impl<'py> Arguments<'py> {
    fn when(&self) -> When<'_, 'py> {
        When {
            etag: self.etag.as_ref(),
            match_condition: self.match_condition.as_ref(),
            filter: self.filter.as_deref(),
            parameters: self.parameters.as_ref(),
        }
    }

    fn new(kwargs: Option<&Bound<'py, PyDict>>) -> PyResult<Arguments<'py>> {
        let mut arguments = Arguments::default();
        for (name, value) in kwargs
            .map(|kwargs| kwargs.items())
            .iter()
            .flatten()
            .map(|item| item.extract())
            .collect::<PyResult<Vec<(String, Bound<'py, PyAny>)>>>()?
        {
            let value = (!value.is_none()).then_some(value);
            match name.as_str() {
                "mode" => arguments.mode = value,
                "etag" => arguments.etag = value.map(|etag| etag.cast_into()).transpose()?,
                "match_condition" => arguments.match_condition = value,
                "filter" => arguments.filter = value.map(|filter| filter.extract()).transpose()?,
                "parameters" => arguments.parameters = value.map(|values| values.cast_into()).transpose()?,
                "to" => arguments.to = value.map(|keys| keys.extract()).transpose()?,
                _ => return Err(PyTypeError::new_err(format!("an operation has no argument {name:?}"))),
            }
        }
        Ok(arguments)
    }
}
