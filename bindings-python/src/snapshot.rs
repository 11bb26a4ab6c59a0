//! One moment of a store.

use crate::error::raise;
use crate::query::{ItemPaged, Question};
use pyo3::prelude::*;
use pyo3::types::PyTuple;

/// The store as it was at one moment: ``table.at(snapshot)`` reads it, and what is written later is not seen.
///
/// While it lives, the file keeps all that it can see: let go of it soon. ``with store.snapshot() as snapshot:`` does.
#[pyclass(module = "entable", frozen)]
pub(crate) struct Snapshot {
    snapshot: entable::Snapshot,
}

impl From<entable::Snapshot> for Snapshot {
    fn from(snapshot: entable::Snapshot) -> Snapshot {
        Snapshot { snapshot }
    }
}

impl Snapshot {
    pub(crate) fn inner(&self) -> &entable::Snapshot {
        &self.snapshot
    }
}

#[pymethods]
impl Snapshot {
    /// The tables that there were, in the order of their names.
    fn list_tables(&self, py: Python<'_>) -> PyResult<ItemPaged> {
        let names = py.detach(|| self.snapshot.list_tables()).map_err(raise)?;
        Ok(ItemPaged::new(Question::listed(names)))
    }

    /// Ends the snapshot: later reads are ``StoreClosedError``. Ending twice does no harm.
    fn close(&self, py: Python<'_>) {
        py.detach(|| self.snapshot.close());
    }

    fn __enter__(slf: Py<Self>) -> Py<Self> {
        slf
    }

    #[pyo3(signature = (*_exception))]
    fn __exit__(&self, py: Python<'_>, _exception: &Bound<'_, PyTuple>) {
        self.close(py);
    }

    fn __repr__(&self) -> &'static str {
        "<entable.Snapshot>"
    }
}
