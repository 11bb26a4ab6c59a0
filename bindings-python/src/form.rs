//! What needs no store: the service's JSON, the size of an entity, and looking through a file.

use crate::convert::{self, Select};
use crate::entity::TableEntity;
use crate::error::raise;
use crate::interrupt::Steps;
use crate::report;
use entable::{JsonOptions, Metadata};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use std::path::PathBuf;

/// Reads the text of an entity as the service takes it in the body of a request.
///
/// ``InvalidInputError`` and its like for what is no entity by the rules of the mode.
#[pyfunction]
#[pyo3(signature = (text, *, mode = "portable"))]
pub(crate) fn entity_from_json<'py>(py: Python<'py>, text: &str, mode: &str) -> PyResult<Bound<'py, TableEntity>> {
    let mode = convert::mode(mode)?;
    convert::input_dict(py, &entable::entity_from_json(text, mode).map_err(raise)?, mode)
}

/// The entity as the service writes it in the body of an answer.
///
/// ``metadata`` is ``"none"``, ``"minimal"``, which is what reads back as it was, or ``"full"``. ETag and Timestamp are
/// those of a ``TableEntity``. With ``select`` only these properties are written, null for those that it lacks.
#[pyfunction]
#[pyo3(signature = (entity, *, metadata = "minimal", select = None))]
pub(crate) fn entity_to_json(
    entity: &Bound<'_, PyAny>,
    metadata: &str,
    select: Option<&Bound<'_, PyAny>>,
) -> PyResult<String> {
    let metadata = match metadata {
        "none" => Metadata::None,
        "minimal" => Metadata::Minimal,
        "full" => Metadata::Full,
        other => {
            return Err(PyValueError::new_err(format!("metadata {other:?}: it is 'none', 'minimal' or 'full'")));
        }
    };
    let select = Select::new(select)?;
    let names: Option<Vec<&str>> = select.names().map(|names| names.iter().map(String::as_str).collect());
    let entity = convert::whole_entity(entity)?;
    Ok(entable::entity_to_json(&entity, &JsonOptions { metadata, select: names.as_deref(), ..JsonOptions::default() }))
}

/// The bytes that the entity takes by the service's own formula, which its limit of 1 MiB is measured by.
#[pyfunction]
pub(crate) fn entity_size(entity: &Bound<'_, PyAny>) -> PyResult<usize> {
    convert::whole_entity(entity).map(|entity| entity.size_bytes())
}

/// Goes through a store's file, open or not, and tells what is in it and what is damaged.
///
/// ``progress`` is called with the pages that were seen, and with all there are; what it raises ends the work, as Ctrl-C does.
#[pyfunction]
#[pyo3(signature = (path, *, progress = None))]
pub(crate) fn verify<'py>(py: Python<'py>, path: PathBuf, progress: Option<Py<PyAny>>) -> PyResult<Bound<'py, PyAny>> {
    let mut steps = Steps::default();
    let seen = py.detach(|| {
        entable::verify_with_progress(path, |pages, all| {
            steps.step(|py| match &progress {
                Some(progress) => progress.call1(py, (pages, all)).map(drop),
                None => Ok(()),
            })
        })
    });
    report::report(py, &steps.outcome(seen)?)
}
