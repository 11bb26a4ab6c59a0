//! The toolkit of keys.

use crate::bridge::KeyRange;
use crate::failure::{Raised, boundary, optional_text};
use crate::query::Names;
use crate::value::{date_time, text, unix_ticks};
use entable::keys;

type Done<T> = Result<T, Raised>;

pub(crate) fn key_compose(parts: &Names) -> Done<String> {
    boundary(|| Ok(keys::compose(&parts.0)?))
}

pub(crate) fn key_compose_prefix(parts: &Names) -> Done<String> {
    boundary(|| Ok(keys::compose_prefix(&parts.0)?))
}

pub(crate) fn key_split(key: &[u8]) -> Done<Vec<String>> {
    boundary(|| Ok(keys::split(text(key, "key")?)?))
}

pub(crate) fn key_safe(from: &[u8]) -> Done<String> {
    boundary(|| Ok(keys::safe(text(from, "text")?)?))
}

pub(crate) fn key_safe_from(key: &[u8]) -> Done<String> {
    boundary(|| Ok(keys::safe_from(text(key, "key")?)?))
}

pub(crate) fn key_bytes(bytes: &[u8]) -> Done<String> {
    boundary(|| Ok(keys::bytes(bytes)?))
}

pub(crate) fn key_bytes_from(key: &[u8]) -> Done<Vec<u8>> {
    boundary(|| Ok(keys::bytes_from(text(key, "key")?)?))
}

pub(crate) fn key_base64_text(from: &[u8]) -> Done<String> {
    boundary(|| Ok(keys::base64_text(text(from, "text")?)?))
}

pub(crate) fn key_text_from_base64(key: &[u8]) -> Done<String> {
    boundary(|| Ok(keys::text_from_base64(text(key, "key")?)?))
}

pub(crate) fn key_padded(number: u64, width: usize) -> Done<String> {
    boundary(|| Ok(keys::padded(number, width)?))
}

pub(crate) fn key_integer(number: i64) -> Done<String> {
    boundary(|| Ok(keys::integer(number)?))
}

pub(crate) fn key_integer_from(key: &[u8]) -> Done<i64> {
    boundary(|| Ok(keys::integer_from(text(key, "key")?)?))
}

pub(crate) fn key_number(number: f64) -> Done<String> {
    boundary(|| Ok(keys::double(number)?))
}

pub(crate) fn key_number_from(key: &[u8]) -> Done<f64> {
    boundary(|| Ok(keys::double_from(text(key, "key")?)?))
}

pub(crate) fn key_ticks(time: i64) -> Done<String> {
    boundary(|| Ok(keys::ticks(date_time(time, "time")?)?))
}

pub(crate) fn key_ticks_from(key: &[u8]) -> Done<i64> {
    boundary(|| Ok(unix_ticks(keys::ticks_from(text(key, "key")?)?)))
}

pub(crate) fn key_descending_ticks(time: i64) -> Done<String> {
    boundary(|| Ok(keys::descending_ticks(date_time(time, "time")?)?))
}

pub(crate) fn key_descending_ticks_from(key: &[u8]) -> Done<i64> {
    boundary(|| Ok(unix_ticks(keys::descending_ticks_from(text(key, "key")?)?)))
}

pub(crate) fn key_compact_date(time: i64) -> Done<String> {
    boundary(|| Ok(keys::compact_date(date_time(time, "time")?)?))
}

pub(crate) fn key_prefix_range(prefix: &[u8]) -> Done<KeyRange> {
    boundary(|| {
        let (first, end) = keys::prefix_range(text(prefix, "prefix")?)?;
        Ok(KeyRange { first, end: optional_text(end.as_deref()) })
    })
}

pub(crate) fn key_prefix_filter(name: &[u8], prefix: &[u8]) -> Done<String> {
    boundary(|| Ok(keys::prefix_filter(text(name, "name")?, text(prefix, "prefix")?)?))
}

pub(crate) fn key_fold_case(from: &[u8]) -> Done<String> {
    boundary(|| Ok(keys::fold_case(text(from, "text")?)?))
}

pub(crate) fn key_shard(key: &[u8], shards: u32) -> Done<u32> {
    boundary(|| Ok(keys::shard(text(key, "key")?, shards)?))
}
