//! The published patterns, `entable.patterns`: definitions in, what they write and ask for out.

mod changes;
mod copies;
mod field;
mod keyed;
mod lists;
mod lookup;

pub(crate) use changes::{Changes, Step};
pub(crate) use copies::{FoldedKey, IndexTable, SecondaryIndex, UniqueGuard};
pub(crate) use field::Field;
pub(crate) use keyed::{CompoundKey, DataSeries, LogTail, WideEntity};
pub(crate) use lists::{DistinctList, IndexEntities};
pub(crate) use lookup::Lookup;

use crate::convert;
use crate::entity::TableEntity;
use crate::error::raise;
use entable::Entity;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyMapping, PyString};

/// The two states of a row, each `None` where there is none.
///
/// A plain `int` of the new one has the type that the former has, as a write would give it.
fn states(
    former: Option<&Bound<'_, PyAny>>,
    new: Option<&Bound<'_, PyAny>>,
) -> PyResult<(Option<Entity>, Option<Entity>)> {
    let former = former.map(|former| convert::read_entity(former, None)).transpose()?;
    let new = new.map(|new| convert::read_entity(new, former.as_ref())).transpose()?;
    Ok((former, new))
}

/// An iterable's members; one `str`, or one entity, is none of what is meant.
fn members<'py>(several: &Bound<'py, PyAny>, what: &str) -> PyResult<Vec<Bound<'py, PyAny>>> {
    let wrong = || PyTypeError::new_err(format!("{what} is an iterable, such as a list"));
    if several.is_instance_of::<PyString>() || several.cast::<PyMapping>().is_ok() {
        return Err(wrong());
    }
    let members = several.try_iter().map_err(|error| convert::or_raised(error, several.py(), wrong))?;
    members.collect()
}

/// Entities as they were read. What `get_many` has not found is left out.
fn entities(several: &Bound<'_, PyAny>, what: &str) -> PyResult<Vec<Entity>> {
    let found = members(several, what)?.into_iter().filter(|entity| !entity.is_none());
    found.map(|entity| convert::read_entity(&entity, None)).collect()
}

/// Values that are asked for.
fn values(several: &Bound<'_, PyAny>) -> PyResult<Vec<entable::Value>> {
    members(several, "values")?.iter().map(|value| convert::asked_value(value, "values")).collect()
}

fn names(several: &Bound<'_, PyAny>, what: &str) -> PyResult<Vec<String>> {
    let name = |name: Bound<'_, PyAny>| {
        name.extract::<String>().map_err(|_| PyTypeError::new_err(format!("{what} is an iterable of names")))
    };
    members(several, what)?.into_iter().map(name).collect()
}

/// An entity that a pattern has made.
fn made<'py>(py: Python<'py>, entity: entable::Result<Entity>) -> PyResult<Bound<'py, TableEntity>> {
    convert::entity(py, &entity.map_err(raise)?.into(), &convert::Select::default(), None)
}
