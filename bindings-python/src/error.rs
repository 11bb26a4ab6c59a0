//! Errors of the core as Python exceptions. Which class is which is generated: `python/entable/_errors.py`.

use entable::{Details, Error, ErrorCode};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyDict, PyInt, PyMapping, PyType};

/// Why a call came to nothing: what the core says, or the use of an object that the core cannot see.
pub(crate) enum Failure {
    Core(Error),
    Fact(ErrorCode, &'static str),
}

impl From<Error> for Failure {
    fn from(error: Error) -> Failure {
        Failure::Core(error)
    }
}

/// The exception for a failure.
pub(crate) fn raise(failure: impl Into<Failure>) -> PyErr {
    match failure.into() {
        Failure::Core(error) => make(&error, false),
        Failure::Fact(code, fact) => make_of(code, &format!("{} {fact}", code.message()), false, &Details::default()),
    }
}

/// The exception for an error of a write of `entity`.
pub(crate) fn raise_write(failure: Failure, entity: &Bound<'_, PyAny>) -> PyErr {
    match failure {
        Failure::Core(error) if is_about_untyped_number(&error, entity) => PyTypeError::new_err(error.message()),
        failure => raise(failure),
    }
}

/// The exception for an error of a transaction of `entities`: a `TableTransactionError`, unless the store itself failed.
pub(crate) fn raise_write_of(failure: Failure, entities: &[Bound<'_, PyAny>]) -> PyErr {
    let Failure::Core(error) = failure else { return raise(failure) };
    let entity = error.details().index.and_then(|index| entities.get(index));
    match entity.is_some_and(|entity| is_about_untyped_number(&error, entity)) {
        true => PyTypeError::new_err(error.message()),
        false => make(&error, true),
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
    make_of(error.code(), &error.message(), in_transaction, error.details())
}

fn make_of(code: ErrorCode, message: &str, in_transaction: bool, details: &Details) -> PyErr {
    Python::attach(|py| match instance(py, code, message, in_transaction, details) {
        Ok(instance) => PyErr::from_value(instance),
        Err(failure) => failure,
    })
}

fn instance<'py>(
    py: Python<'py>,
    code: ErrorCode,
    message: &str,
    in_transaction: bool,
    details: &Details,
) -> PyResult<Bound<'py, PyAny>> {
    static MAKE_ERROR: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    let facts = PyDict::new(py);
    facts.set_item("table", details.table.as_deref())?;
    facts.set_item("partition_key", details.partition_key.as_deref())?;
    facts.set_item("row_key", details.row_key.as_deref())?;
    facts.set_item("property", details.property.as_deref())?;
    facts.set_item("limit", details.limit)?;
    facts.set_item("actual", details.actual)?;
    facts.set_item("position", details.position)?;
    facts.set_item("index", details.index)?;
    facts.set_item("line", details.line)?;
    facts.set_item("loaded_line", details.loaded_line)?;
    facts.set_item("index_name", details.index_name.as_deref())?;
    facts.set_item("holder", details.holder.as_ref().map(|(partition_key, row_key)| (&**partition_key, &**row_key)))?;
    let arguments = (code.name(), message, in_transaction, facts);
    MAKE_ERROR.import(py, "entable._errors", "_make_error")?.call1(arguments)
}
