//! Declarations of indexes, in and out.

use crate::convert::strings;
use crate::report;
use entable::Index;
use entable::index::{IndexInfo, Projection, Scope, State};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyString;

/// What an index is to be.
pub(crate) fn definition(
    name: &str,
    properties: &Bound<'_, PyAny>,
    scope: &str,
    projection: Option<&Bound<'_, PyAny>>,
) -> PyResult<Index> {
    let properties = match properties.cast::<PyString>() {
        Ok(property) => vec![property.to_str()?.to_owned()],
        Err(_) => strings(properties, "properties")?,
    };
    let scope = match scope {
        "table" => Scope::Table,
        "partition" => Scope::Partition,
        other => return Err(PyValueError::new_err(format!("scope {other:?}: it is 'table' or 'partition'"))),
    };
    let projection = match projection {
        None => Projection::Keys,
        Some(names) => match names.cast::<PyString>().ok().map(|text| text.to_str()).transpose()? {
            Some("keys") => Projection::Keys,
            Some("all") => Projection::All,
            Some(other) => {
                let fact = format!("projection {other:?}: it is 'keys', 'all' or a list of names");
                return Err(PyValueError::new_err(fact));
            }
            None => Projection::names(strings(names, "projection")?),
        },
    };
    Ok(Index::new(name).properties(properties).scope(scope).projection(projection))
}

/// A declared index as an object.
pub(crate) fn info<'py>(py: Python<'py>, info: &IndexInfo) -> PyResult<Bound<'py, PyAny>> {
    let projection = match info.projection() {
        Projection::Keys => "keys".into_pyobject(py)?.into_any(),
        Projection::All => "all".into_pyobject(py)?.into_any(),
        Projection::Names(names) => names.iter().map(|name| &**name).collect::<Vec<_>>().into_pyobject(py)?,
    };
    let state = match info.state() {
        State::Building => "building",
        State::Ready => "ready",
        _ => "stale",
    };
    report::Record::new(py, "IndexInfo")?
        .with("name", info.name())?
        .with("properties", info.properties().collect::<Vec<_>>())?
        .with("scope", if info.scope() == Scope::Partition { "partition" } else { "table" })?
        .with("projection", projection)?
        .with("unique", info.is_unique())?
        .with("fold_case", info.folds_case())?
        .with("state", state)?
        .made()
}
