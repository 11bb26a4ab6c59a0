//! The Python package's native module, `entable._entable`: it converts, calls the core, and converts back.
//!
//! No rule of the data model is written here. What the official client for Python does in its own way is in
//! `docs/manners.md`, and follows the core's answer.

mod batch;
mod convert;
mod entity;
mod error;
mod form;
mod handle;
mod index;
mod interrupt;
mod keys;
mod patterns;
mod pending;
mod query;
mod report;
mod snapshot;
mod store;
mod table;
mod transaction;
mod turn;

/// The native part of the package: see `python/entable/_entable.pyi`.
#[pyo3::pymodule]
mod _entable {
    use pyo3::prelude::*;

    #[pymodule_export]
    use crate::entity::TableEntity;
    #[pymodule_export]
    use crate::form::{entity_from_json, entity_size, entity_to_json, verify};
    #[pymodule_export]
    use crate::keys::{
        _key_base64_text, _key_bytes_from, _key_compact_date, _key_compose, _key_compose_prefix, _key_descending_ticks,
        _key_descending_ticks_from, _key_double, _key_double_from, _key_fold_case, _key_integer, _key_integer_from,
        _key_of_bytes, _key_padded, _key_prefix_filter, _key_prefix_range, _key_safe, _key_safe_from, _key_shard,
        _key_split, _key_text_from_base64, _key_ticks, _key_ticks_from,
    };
    #[pymodule_export]
    use crate::patterns::{
        Changes, CompoundKey, DataSeries, DistinctList, Field, FoldedKey, IndexEntities, IndexTable, LogTail, Lookup,
        SecondaryIndex, Step, UniqueGuard, WideEntity,
    };
    #[pymodule_export]
    use crate::pending::{_end_telling, Pending};
    #[pymodule_export]
    use crate::query::{ItemPaged, PageIterator, PartitionKeys};
    #[pymodule_export]
    use crate::snapshot::Snapshot;
    #[pymodule_export]
    use crate::store::Store;
    #[pymodule_export]
    use crate::table::Table;
    #[pymodule_export]
    use crate::transaction::Transaction;

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        let at_exit = module.py().import("atexit")?;
        at_exit.call_method1("register", (module.getattr("_end_telling")?,))?;
        crate::handle::watch_forks(module)
    }
}
