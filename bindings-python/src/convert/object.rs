//! The object for a stored value.

use super::{TICKS_PER_MICROSECOND, class, raw};
use entable::{CivilTime, DateTime, Guid, Value, ValueRef};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyBool, PyBytes, PyDateTime, PyDict, PyFloat, PyString, PyType, PyTzInfo};

/// The object for a stored value.
pub(crate) fn value<'py>(py: Python<'py>, value: &Value) -> PyResult<Bound<'py, PyAny>> {
    value_of(py, value.as_ref())
}

/// The same, of a value that is where it was read.
#[inline]
pub(super) fn value_of<'py>(py: Python<'py>, value: ValueRef<'_>) -> PyResult<Bound<'py, PyAny>> {
    Ok(match value {
        ValueRef::Int32(number) => number.into_pyobject(py)?.into_any(),
        ValueRef::Int64(number) => raw::int_of(class!(py, "entable._model", "Int64"), number)?,
        ValueRef::Double(number) => PyFloat::new(py, number).into_any(),
        ValueRef::DateTime(time) => datetime(py, time)?,
        ValueRef::Guid(guid) => uuid(py, guid)?,
        ValueRef::Boolean(truth) => PyBool::new(py, truth).to_owned().into_any(),
        ValueRef::String(text) => PyString::new(py, text).into_any(),
        ValueRef::Binary(bytes) => PyBytes::new(py, bytes).into_any(),
    })
}

/// A `UUID`. Its constructor takes longer than the read of an entity, so it is made without, if it is made as Python's
/// own is: a plain object with two slots.
fn uuid(py: Python<'_>, guid: Guid) -> PyResult<Bound<'_, PyAny>> {
    static IS_SAFE: PyOnceLock<Option<Py<PyAny>>> = PyOnceLock::new();
    let class = class!(py, "uuid", "UUID");
    let number = u128::from_be_bytes(*guid.as_bytes());
    match IS_SAFE.get_or_try_init(py, || is_safe_of(class))? {
        Some(is_safe) => {
            let made = raw::plain_object(class)?;
            raw::set_slot(&made, pyo3::intern!(py, "int"), number.into_pyobject(py)?.as_any())?;
            raw::set_slot(&made, pyo3::intern!(py, "is_safe"), is_safe.bind(py))?;
            Ok(made)
        }
        None => {
            let keywords = PyDict::new(py);
            keywords.set_item(pyo3::intern!(py, "int"), number)?;
            class.call((), Some(&keywords))
        }
    }
}

/// What the slot `is_safe` of a `UUID` holds; `None` if the class is another one than that of Python 3.10 to 3.14.
fn is_safe_of(class: &Bound<'_, PyType>) -> PyResult<Option<Py<PyAny>>> {
    let py = class.py();
    let slots = class.getattr_opt("__slots__")?.map(|slots| slots.extract::<Vec<String>>());
    let is_known = matches!(slots, Some(Ok(slots)) if slots == ["int", "is_safe", "__weakref__"]);
    let is_plain = class.getattr("__base__")?.is(class!(py, "builtins", "object"));
    let made = || class!(py, "uuid", "SafeUUID").getattr("unknown").map(Bound::unbind);
    (is_known && is_plain).then(made).transpose()
}

/// An aware `datetime` in UTC; the subclass that keeps ticks where microseconds would lose them.
pub(crate) fn datetime(py: Python<'_>, time: DateTime) -> PyResult<Bound<'_, PyAny>> {
    static UTC: PyOnceLock<Py<PyTzInfo>> = PyOnceLock::new();
    if time.ticks() % TICKS_PER_MICROSECOND != 0 {
        return class!(py, "entable._model", "DateTime").call_method1("from_ticks", (time.ticks(),));
    }
    let utc = UTC.get_or_try_init(py, || PyTzInfo::utc(py).map(|utc| utc.to_owned().unbind()))?.bind(py);
    let CivilTime { year, month, day, hour, minute, second, fraction } = time.civil();
    let microsecond = fraction / TICKS_PER_MICROSECOND as u32;
    PyDateTime::new(py, year.into(), month, day, hour, minute, second, microsecond, Some(utc)).map(Bound::into_any)
}
