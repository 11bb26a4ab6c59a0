//! What a pattern writes: steps, as operations of transactions.

use super::members;
use crate::convert;
use crate::error::raise;
use entable::patterns;
use entable::{Condition, Error, ErrorCode, Mode, Operation, OperationKind, UpdateMode};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyIterator, PyList};

/// All that is to be written for one change of a row: the row itself, and what the pattern keeps beside it.
///
/// ``store.submit_batch(changes)`` writes all of it at once, in this store. Elsewhere the ``steps``, each a transaction of one
/// partition, go one after the other through an outbox: see ``entable.patterns``.
///
/// Iterated over, it gives the operations of all steps: ``(table, operation, entity, kwargs)``. It is true if there is
/// anything to do.
#[pyclass(module = "entable.patterns", frozen, eq)]
#[derive(PartialEq)]
pub(crate) struct Changes(patterns::Changes);

impl Changes {
    pub(super) fn made(changes: entable::Result<patterns::Changes>) -> PyResult<Changes> {
        changes.map(Changes).map_err(raise)
    }
}

#[pymethods]
impl Changes {
    /// The steps, in their order.
    #[getter]
    fn steps(&self) -> Vec<Step> {
        self.0.steps().iter().cloned().map(Step).collect()
    }

    /// The one step that is all of the change, and happens whole or not at all; ``None`` if there are several, or
    /// nothing to do.
    #[getter]
    fn group(&self) -> Option<Step> {
        self.0.group().cloned().map(Step)
    }

    /// These and those of another pattern, made from the same two states of one row, as one list of steps.
    ///
    /// ``InvalidInputError`` where the two would write different things under one key.
    fn join(&self, other: &Bound<'_, Changes>) -> PyResult<Changes> {
        Changes::made(self.0.clone().join(other.get().0.clone()))
    }

    fn __bool__(&self) -> bool {
        !self.0.is_empty()
    }

    fn __iter__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyIterator>> {
        let all = PyList::empty(py);
        for step in self.0.steps() {
            for operation in step.operations().map_err(raise)? {
                let (name, entity, kwargs) = parts(py, &operation)?;
                all.append((step.table(), name, entity, kwargs))?;
            }
        }
        all.try_iter()
    }

    fn __repr__(&self) -> String {
        format!("<entable.patterns.Changes of {} steps>", self.0.steps().len())
    }
}

/// One step of a change: operations on one table and one partition.
///
/// ``table.submit_transaction(step)`` writes it. Iterated over, it gives its ``operations()``.
#[pyclass(module = "entable.patterns", frozen, eq)]
#[derive(PartialEq)]
pub(crate) struct Step(patterns::Step);

#[pymethods]
impl Step {
    /// The name of the table that the step writes to.
    #[getter]
    fn table(&self) -> &str {
        self.0.table()
    }

    /// ``(partition_key, row_key)`` of what each operation writes, for ``get_many``.
    #[getter]
    fn keys(&self) -> Vec<(&str, &str)> {
        self.0.keys().collect()
    }

    /// The operations, ``(operation, entity, kwargs)`` each. An ``Edm.Int32`` says its type.
    ///
    /// They are for a step that has the row, or whose keys nobody else writes; ``remaining`` looks at what is stored.
    fn operations<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        listed(py, self.0.operations())
    }

    /// The operations that are left to do, given what is ``stored`` under ``keys``, as ``get_many`` gives it: none if the step
    /// was done already. So a step may be run as often as one likes.
    ///
    /// ``ResourceExistsError``, ``ResourceNotFoundError`` or ``ResourceModifiedError``: somebody else was there in between. The
    /// pattern's ``reconcile`` then brings its copies to the row's state.
    fn remaining<'py>(&self, stored: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyList>> {
        let read = |entity: &Bound<'_, PyAny>| match entity.is_none() {
            true => Ok(None),
            false => convert::read_entity(entity, None).map(Some),
        };
        let read: Vec<_> = members(stored, "stored")?.iter().map(read).collect::<PyResult<_>>()?;
        listed(stored.py(), self.0.remaining(&read))
    }

    /// Whether an exception says that there was nothing left to do: a delete that finds nothing.
    fn accepts(&self, error: &Bound<'_, PyAny>) -> PyResult<bool> {
        let code: Option<String> = error.getattr_opt("error_code")?.and_then(|code| code.extract().ok());
        let code = ErrorCode::ALL.iter().find(|known| code.as_deref() == Some(known.name()));
        Ok(code.is_some_and(|code| self.0.accepts(&Error::new(*code))))
    }

    fn __iter__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyIterator>> {
        self.operations(py)?.try_iter()
    }

    fn __repr__(&self) -> String {
        format!("<entable.patterns.Step of {} operations on {:?}>", self.0.keys().len(), self.0.table())
    }
}

fn listed<'py>(py: Python<'py>, operations: entable::Result<Vec<Operation>>) -> PyResult<Bound<'py, PyList>> {
    let operations: PyResult<Vec<_>> = operations.map_err(raise)?.iter().map(|each| parts(py, each)).collect();
    PyList::new(py, operations?)
}

/// What a transaction takes for an operation: its name, the entity, and the keyword arguments of the verb.
type Parts<'py> = (&'static str, Bound<'py, PyDict>, Bound<'py, PyDict>);

fn parts<'py>(py: Python<'py>, operation: &Operation) -> PyResult<Parts<'py>> {
    let (name, mode) = match operation.kind() {
        OperationKind::Create => ("create", None),
        OperationKind::Update(mode) => ("update", Some(mode)),
        OperationKind::Upsert(mode) => ("upsert", Some(mode)),
        OperationKind::Delete => ("delete", None),
        // No pattern has these.
        OperationKind::CreateOrGet => ("create_or_get", None),
        OperationKind::Move => ("move", None),
    };
    let entity = match operation.entity() {
        Some(input) => convert::typed_dict(py, &input.to_entity(None, Mode::Extended).map_err(raise)?)?,
        None => convert::keys_dict(py, operation.partition_key(), operation.row_key())?,
    };
    let kwargs = PyDict::new(py);
    let member = |class: &str, name: &str| py.import("entable._model")?.getattr(class)?.getattr(name);
    match mode {
        Some(UpdateMode::Merge) => kwargs.set_item("mode", member("UpdateMode", "MERGE")?)?,
        Some(UpdateMode::Replace) => kwargs.set_item("mode", member("UpdateMode", "REPLACE")?)?,
        None => {}
    }
    let condition = match operation.condition() {
        Condition::None => return Ok((name, entity, kwargs)),
        Condition::IfMatch(etag) => {
            kwargs.set_item("etag", etag.to_string())?;
            "IfNotModified"
        }
        Condition::Any => "IfPresent",
        Condition::Absent => "IfMissing",
        Condition::Matches(filter) => {
            kwargs.set_item("filter", filter.to_string())?;
            return Ok((name, entity, kwargs));
        }
    };
    kwargs.set_item("match_condition", member("MatchConditions", condition)?)?;
    Ok((name, entity, kwargs))
}
