//! The key toolkit: `entable.keys` gives these functions their names.

use crate::convert;
use crate::error::raise;
use entable::{Mode, keys};
use pyo3::prelude::*;
use pyo3::types::PyBytes;

#[pyfunction]
pub(crate) fn _key_compose(parts: Vec<String>) -> PyResult<String> {
    keys::compose(parts).map_err(raise)
}

#[pyfunction]
pub(crate) fn _key_compose_prefix(parts: Vec<String>) -> PyResult<String> {
    keys::compose_prefix(parts).map_err(raise)
}

#[pyfunction]
pub(crate) fn _key_split(key: &str) -> PyResult<Vec<String>> {
    keys::split(key).map_err(raise)
}

#[pyfunction]
pub(crate) fn _key_padded(number: u64, width: usize) -> PyResult<String> {
    keys::padded(number, width).map_err(raise)
}

#[pyfunction]
pub(crate) fn _key_integer(number: i64) -> PyResult<String> {
    keys::integer(number).map_err(raise)
}

#[pyfunction]
pub(crate) fn _key_integer_from(key: &str) -> PyResult<i64> {
    keys::integer_from(key).map_err(raise)
}

#[pyfunction]
pub(crate) fn _key_double(number: f64) -> PyResult<String> {
    keys::double(number).map_err(raise)
}

#[pyfunction]
pub(crate) fn _key_double_from(key: &str) -> PyResult<f64> {
    keys::double_from(key).map_err(raise)
}

#[pyfunction]
pub(crate) fn _key_ticks(time: &Bound<'_, PyAny>) -> PyResult<String> {
    keys::ticks(convert::time(time, "time", Mode::Portable)?).map_err(raise)
}

#[pyfunction]
pub(crate) fn _key_ticks_from<'py>(py: Python<'py>, key: &str) -> PyResult<Bound<'py, PyAny>> {
    convert::datetime(py, keys::ticks_from(key).map_err(raise)?)
}

#[pyfunction]
pub(crate) fn _key_descending_ticks(time: &Bound<'_, PyAny>) -> PyResult<String> {
    keys::descending_ticks(convert::time(time, "time", Mode::Portable)?).map_err(raise)
}

#[pyfunction]
pub(crate) fn _key_descending_ticks_from<'py>(py: Python<'py>, key: &str) -> PyResult<Bound<'py, PyAny>> {
    convert::datetime(py, keys::descending_ticks_from(key).map_err(raise)?)
}

#[pyfunction]
pub(crate) fn _key_compact_date(time: &Bound<'_, PyAny>) -> PyResult<String> {
    keys::compact_date(convert::time(time, "time", Mode::Portable)?).map_err(raise)
}

#[pyfunction]
pub(crate) fn _key_prefix_range(prefix: &str) -> PyResult<(String, Option<String>)> {
    keys::prefix_range(prefix).map_err(raise)
}

#[pyfunction]
pub(crate) fn _key_prefix_filter(key: &str, prefix: &str) -> PyResult<String> {
    keys::prefix_filter(key, prefix).map_err(raise)
}

#[pyfunction]
pub(crate) fn _key_safe(text: &str) -> PyResult<String> {
    keys::safe(text).map_err(raise)
}

#[pyfunction]
pub(crate) fn _key_safe_from(key: &str) -> PyResult<String> {
    keys::safe_from(key).map_err(raise)
}

#[pyfunction]
pub(crate) fn _key_of_bytes(bytes: &[u8]) -> PyResult<String> {
    keys::bytes(bytes).map_err(raise)
}

#[pyfunction]
pub(crate) fn _key_bytes_from<'py>(py: Python<'py>, key: &str) -> PyResult<Bound<'py, PyBytes>> {
    keys::bytes_from(key).map(|bytes| PyBytes::new(py, &bytes)).map_err(raise)
}

#[pyfunction]
pub(crate) fn _key_base64_text(text: &str) -> PyResult<String> {
    keys::base64_text(text).map_err(raise)
}

#[pyfunction]
pub(crate) fn _key_text_from_base64(key: &str) -> PyResult<String> {
    keys::text_from_base64(key).map_err(raise)
}

#[pyfunction]
pub(crate) fn _key_fold_case(text: &str) -> PyResult<String> {
    keys::fold_case(text).map_err(raise)
}

#[pyfunction]
pub(crate) fn _key_shard(key: &str, shards: u32) -> PyResult<u32> {
    keys::shard(key, shards).map_err(raise)
}
