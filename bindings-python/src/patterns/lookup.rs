//! What a reader asks a table for.

use entable::patterns;
use pyo3::prelude::*;

/// One read: ``table.query_entities(lookup)`` asks for it, and so do ``count``, ``explain`` and ``delete_entities``.
///
/// >>> from entable.patterns import SecondaryIndex
/// >>> lookup = SecondaryIndex("Employees", "email_", "Email").find("Sales", "jonesj@contoso.com")
/// >>> lookup.table, lookup.keys
/// ('Employees', ('Sales', 'email_jonesj@contoso.com'))
/// >>> lookup.filter
/// "PartitionKey eq 'Sales' and RowKey eq 'email_jonesj@contoso.com'"
#[pyclass(module = "entable.patterns", frozen, eq)]
#[derive(PartialEq)]
pub(crate) struct Lookup(pub(super) patterns::Lookup);

#[pymethods]
impl Lookup {
    /// The name of the table to ask.
    #[getter]
    fn table(&self) -> &str {
        self.0.table()
    }

    /// ``(partition_key, row_key)`` where one entity is asked for, which ``get_entity(*lookup.keys)`` reads; else ``None``.
    #[getter]
    fn keys(&self) -> Option<(&str, &str)> {
        self.0.keys()
    }

    /// How many entities are wanted; ``None`` for all.
    #[getter]
    pub(crate) fn limit(&self) -> Option<u64> {
        self.0.limit()
    }

    /// The filter, in the service's language; empty for all entities.
    #[getter]
    pub(crate) fn filter(&self) -> String {
        self.0.filter()
    }

    fn __repr__(&self) -> String {
        format!("<entable.patterns.Lookup in {:?}: {}>", self.0.table(), self.0.filter())
    }
}
