//! Errors of the core as Python exceptions. Which class is which is generated: `python/entable/_errors.py`.

use entable::{Error, ErrorCode};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyDict, PyInt, PyMapping, PyType};

/// The exception for an error of the core.
pub(crate) fn raise(error: Error) -> PyErr {
    make(&error, false)
}

/// The exception for an error of a transaction: a `TableTransactionError`, unless the store itself failed.
pub(crate) fn raise_transaction(error: Error) -> PyErr {
    make(&error, true)
}

/// The exception for an error of a write of `entity`.
pub(crate) fn raise_write(error: Error, entity: &Bound<'_, PyAny>) -> PyErr {
    match is_about_untyped_number(&error, entity) {
        true => PyTypeError::new_err(error.message()),
        false => raise(error),
    }
}

/// The exception for an error of a transaction of `entities`.
pub(crate) fn raise_write_of(error: Error, entities: &[Bound<'_, PyAny>]) -> PyErr {
    let entity = error.details().index.and_then(|index| entities.get(index));
    match entity.is_some_and(|entity| is_about_untyped_number(&error, entity)) {
        true => PyTypeError::new_err(error.message()),
        false => raise_transaction(error),
    }
}

/// The exception for an operation of a transaction that cannot be made of what was handed in: if the core says so,
/// it is an error of the transaction, with the operation's index.
pub(crate) fn of_operation(error: PyErr, index: usize, py: Python<'_>) -> PyErr {
    static ENTABLE_ERROR: PyOnceLock<Py<PyType>> = PyOnceLock::new();
    static OF_OPERATION: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    let made = || {
        let is_ours = error.value(py).is_instance(ENTABLE_ERROR.import(py, "entable._errors", "EntableError")?)?;
        let arguments = (error.value(py), index);
        let of_operation = OF_OPERATION.import(py, "entable._errors", "_of_operation")?;
        is_ours.then(|| of_operation.call1(arguments)).transpose()
    };
    match made() {
        Ok(Some(exception)) => PyErr::from_value(exception),
        Ok(None) => error,
        Err(failure) => failure,
    }
}

/// Whether the core has refused an `int` for its size: the official client raises `TypeError` for it.
fn is_about_untyped_number(error: &Error, entity: &Bound<'_, PyAny>) -> bool {
    let Some(property) = error.details().property.as_deref() else { return false };
    let value = entity.cast::<PyMapping>().ok().and_then(|entity| entity.get_item(property).ok());
    error.code() == ErrorCode::InvalidInput && value.is_some_and(|value| value.is_exact_instance_of::<PyInt>())
}

fn make(error: &Error, in_transaction: bool) -> PyErr {
    Python::attach(|py| match instance(py, error, in_transaction) {
        Ok(instance) => PyErr::from_value(instance),
        Err(failure) => failure,
    })
}

fn instance<'py>(py: Python<'py>, error: &Error, in_transaction: bool) -> PyResult<Bound<'py, PyAny>> {
    static MAKE_ERROR: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    let details = error.details();
    let facts = PyDict::new(py);
    facts.set_item("table", details.table.as_deref())?;
    facts.set_item("partition_key", details.partition_key.as_deref())?;
    facts.set_item("row_key", details.row_key.as_deref())?;
    facts.set_item("property", details.property.as_deref())?;
    facts.set_item("limit", details.limit)?;
    facts.set_item("actual", details.actual)?;
    facts.set_item("position", details.position)?;
    facts.set_item("index", details.index)?;
    let arguments = (error.code().name(), error.message(), in_transaction, facts);
    MAKE_ERROR.import(py, "entable._errors", "_make_error")?.call1(arguments)
}
