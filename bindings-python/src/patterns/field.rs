//! A property as a part of a key.

use super::members;
use crate::convert;
use crate::error::raise;
use entable::patterns;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyString;

/// A property of a row, and how its value is written into a key.
///
/// A text is taken as it is, which is how the literature writes keys. Numbers, dates and bytes are written so that their
/// order is kept. ``PartitionKey`` and ``RowKey`` may be named, too.
///
/// ``padded`` is for whole numbers from 0: so many digits, zeros before them. ``form`` is ``"folded"`` for text whatever
/// its case, ``"safe"`` for any text, its forbidden characters escaped in order, ``"base64"`` for the literature's form of any
/// text, ``"newest_first"`` for dates, the latest first. ``each`` is what stands between several values in one text: the
/// row is found by each of them.
///
/// >>> Field("Year", padded=4).text_of(987)
/// '0987'
/// >>> Field("Name", form="folded").text_of("Jones")
/// 'jones'
#[pyclass(module = "entable.patterns", frozen, eq)]
#[derive(PartialEq)]
pub(crate) struct Field(patterns::Field);

#[pymethods]
impl Field {
    #[new]
    #[pyo3(signature = (name, *, padded = None, form = None, each = None))]
    fn new(name: &str, padded: Option<usize>, form: Option<&str>, each: Option<&str>) -> PyResult<Field> {
        let field = patterns::Field::new(name);
        let field = match (padded, form) {
            (None, None) => field,
            (Some(width), None) => field.padded(width),
            (Some(_), Some(_)) => return Err(PyTypeError::new_err("padded is a form of its own: it has no other")),
            (None, Some("folded")) => field.folded(),
            (None, Some("safe")) => field.safe(),
            (None, Some("base64")) => field.base64(),
            (None, Some("newest_first")) => field.newest_first(),
            (None, Some(other)) => {
                let fact = format!("form {other:?}: it is 'folded', 'safe', 'base64' or 'newest_first'");
                return Err(PyValueError::new_err(fact));
            }
        };
        Ok(Field(match each {
            Some(between) => field.each(between),
            None => field,
        }))
    }

    /// The property's name.
    #[getter]
    fn name(&self) -> &str {
        self.0.name()
    }

    /// The text that stands in a key for a value.
    fn text_of(&self, value: &Bound<'_, PyAny>) -> PyResult<String> {
        self.0.text_of(convert::asked_value(value, self.0.name())?).map_err(raise)
    }

    fn __repr__(&self) -> String {
        format!("<entable.patterns.Field {:?}>", self.0.name())
    }
}

/// A property's name, or a `Field`.
pub(super) fn field(field: &Bound<'_, PyAny>) -> PyResult<patterns::Field> {
    if let Ok(field) = field.cast::<Field>() {
        return Ok(field.get().0.clone());
    }
    match field.cast::<PyString>() {
        Ok(name) => Ok(patterns::Field::new(name.to_str()?)),
        Err(_) => Err(PyTypeError::new_err("a field is the name of a property, or a Field")),
    }
}

/// Several of them.
pub(super) fn fields(fields: &Bound<'_, PyAny>) -> PyResult<Vec<patterns::Field>> {
    members(fields, "fields")?.iter().map(field).collect()
}
