//! What a read gives: a dict with metadata.

use crate::convert;
use entable::{DateTime, ETag};
use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};
use std::sync::OnceLock;

/// An entity: a dict of its properties, with the keys under ``PartitionKey`` and ``RowKey``.
///
/// ``metadata`` tells the etag and the timestamp that the store gave it. Neither is a key of the dict, and a plain
/// ``copy()`` of the dict has none.
#[pyclass(module = "entable", extends = PyDict, subclass, frozen)]
#[derive(Default)]
pub(crate) struct TableEntity {
    etag: Option<ETag>,
    timestamp: Option<DateTime>,
    /// Made when it is first asked for: most readers never look.
    metadata: OnceLock<Py<PyDict>>,
}

impl TableEntity {
    pub(crate) fn stored(etag: Option<ETag>, timestamp: Option<DateTime>) -> TableEntity {
        TableEntity { etag, timestamp, metadata: OnceLock::new() }
    }
}

#[pymethods]
impl TableEntity {
    /// The arguments are those of ``dict``, which its ``__init__`` takes.
    #[new]
    #[pyo3(signature = (*_args, **_kwargs))]
    fn new(_args: &Bound<'_, PyTuple>, _kwargs: Option<&Bound<'_, PyDict>>) -> TableEntity {
        TableEntity::default()
    }

    /// The entity's etag and timestamp: ``{"etag": str | None, "timestamp": datetime | None}``.
    #[getter]
    fn metadata<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        if let Some(metadata) = self.metadata.get() {
            return Ok(metadata.bind(py).clone());
        }
        let made = convert::entity_metadata(py, self.etag.as_ref(), self.timestamp)?.unbind();
        Ok(self.metadata.get_or_init(|| made).bind(py).clone())
    }

    fn __getstate__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        self.metadata(py)
    }

    fn __setstate__(&self, metadata: Py<PyDict>) {
        // A second state would be somebody's play: the first one stays.
        let _ = self.metadata.set(metadata);
    }

    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        visit.call(self.metadata.get())
    }
}
