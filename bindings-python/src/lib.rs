//! The Python package's native module, `entable._entable`: it converts, calls the core, and converts back.
//!
//! No rule of the data model is written here. What the official client for Python does in its own way is in
//! `docs/manners.md`, and follows the core's answer.

mod batch;
mod convert;
mod entity;
mod error;
mod query;
mod store;
mod table;

/// The native part of the package: see `python/entable/_entable.pyi`.
#[pyo3::pymodule]
mod _entable {
    #[pymodule_export]
    use crate::entity::TableEntity;
    #[pymodule_export]
    use crate::query::{ItemPaged, PageIterator};
    #[pymodule_export]
    use crate::store::Store;
    #[pymodule_export]
    use crate::table::Table;
}
