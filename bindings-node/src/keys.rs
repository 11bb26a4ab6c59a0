//! The keys toolkit: each function converts, calls the core's, and converts back.

use crate::convert;
use crate::error::Converted;
use entable::keys;
use napi::Result;
use napi::bindgen_prelude::{BigInt, BufferSlice, Env, JsValue, Unknown};
use napi_derive::napi;

/// Throws what a function fails with.
fn given<T>(env: &Env, job: impl FnOnce() -> Converted<T>) -> Result<T> {
    job().map_err(|failure| failure.into_js(env))
}

/// One key of several texts.
#[napi(namespace = "keys", catch_unwind)]
pub fn compose(env: &Env, parts: Unknown<'_>) -> Result<String> {
    given(env, || Ok(keys::compose(convert::texts_in(parts, "parts")?)?))
}

/// What the keys begin with that have these parts first, and more.
#[napi(namespace = "keys", catch_unwind)]
pub fn compose_prefix(env: &Env, parts: Unknown<'_>) -> Result<String> {
    given(env, || Ok(keys::compose_prefix(convert::texts_in(parts, "parts")?)?))
}

/// The parts of a composite key.
#[napi(namespace = "keys", catch_unwind)]
pub fn split(env: &Env, key: Unknown<'_>) -> Result<Vec<String>> {
    given(env, || Ok(keys::split(&convert::text_in(key, "key")?)?))
}

/// A number with zeros before it.
#[napi(namespace = "keys", catch_unwind)]
pub fn padded(env: &Env, number: Unknown<'_>, width: Unknown<'_>) -> Result<String> {
    given(env, || {
        let (number, width) = (convert::unsigned_in(number, "number")?, convert::unsigned_in(width, "width")?);
        Ok(keys::padded(number, usize::try_from(width).unwrap_or(usize::MAX))?)
    })
}

/// An integer, in order.
#[napi(namespace = "keys", catch_unwind)]
pub fn integer(env: &Env, number: Unknown<'_>) -> Result<String> {
    given(env, || Ok(keys::integer(convert::integer_in(number, "number")?)?))
}

/// The integer of a key.
#[napi(namespace = "keys", catch_unwind)]
pub fn integer_from(env: &Env, key: Unknown<'_>) -> Result<BigInt> {
    given(env, || Ok(BigInt::from(keys::integer_from(&convert::text_in(key, "key")?)?)))
}

/// A number, in order.
#[napi(namespace = "keys", catch_unwind)]
pub fn double(env: &Env, number: Unknown<'_>) -> Result<String> {
    given(env, || Ok(keys::double(convert::number_in(number, "number")?)?))
}

/// The number of a key.
#[napi(namespace = "keys", catch_unwind)]
pub fn double_from(env: &Env, key: Unknown<'_>) -> Result<f64> {
    given(env, || Ok(keys::double_from(&convert::text_in(key, "key")?)?))
}

/// An instant, in order.
#[napi(namespace = "keys", catch_unwind)]
pub fn ticks(env: &Env, time: Unknown<'_>) -> Result<String> {
    given(env, || Ok(keys::ticks(convert::instant_in(time, "time")?)?))
}

/// The instant of a key.
#[napi(namespace = "keys", catch_unwind)]
pub fn ticks_from<'env>(env: &'env Env, key: Unknown<'env>) -> Result<Unknown<'env>> {
    let time = given(env, || Ok(keys::ticks_from(&convert::text_in(key, "key")?)?))?;
    convert::date_out(env, time)
}

/// An instant, the latest first.
#[napi(namespace = "keys", catch_unwind)]
pub fn descending_ticks(env: &Env, time: Unknown<'_>) -> Result<String> {
    given(env, || Ok(keys::descending_ticks(convert::instant_in(time, "time")?)?))
}

/// The instant of such a key.
#[napi(namespace = "keys", catch_unwind)]
pub fn descending_ticks_from<'env>(env: &'env Env, key: Unknown<'env>) -> Result<Unknown<'env>> {
    let time = given(env, || Ok(keys::descending_ticks_from(&convert::text_in(key, "key")?)?))?;
    convert::date_out(env, time)
}

/// The second of an instant, as `yyyyMMddHHmmss`.
#[napi(namespace = "keys", catch_unwind)]
pub fn compact_date(env: &Env, time: Unknown<'_>) -> Result<String> {
    given(env, || Ok(keys::compact_date(convert::instant_in(time, "time")?)?))
}

/// The least key that begins with a prefix, and the least one beyond, if there is one.
#[napi(namespace = "keys", catch_unwind)]
pub fn prefix_range<'env>(env: &'env Env, prefix: Unknown<'env>) -> Result<Unknown<'env>> {
    let (first, end) = given(env, || Ok(keys::prefix_range(&convert::text_in(prefix, "prefix")?)?))?;
    let mut range = env.create_array(0)?;
    range.insert(first)?;
    range.insert(match end {
        Some(end) => convert::unknown(env, end)?,
        None => convert::unknown(env, ())?,
    })?;
    Ok(range.to_unknown())
}

/// The filter that finds the keys which begin with a prefix.
#[napi(namespace = "keys", catch_unwind)]
pub fn prefix_filter(env: &Env, key: Unknown<'_>, prefix: Unknown<'_>) -> Result<String> {
    given(env, || {
        let (key, prefix) = (convert::text_in(key, "key")?, convert::text_in(prefix, "prefix")?);
        Ok(keys::prefix_filter(convert::service_name(&key), &prefix)?)
    })
}

/// A legal key of any text, in order.
#[napi(namespace = "keys", catch_unwind)]
pub fn safe(env: &Env, text: Unknown<'_>) -> Result<String> {
    given(env, || Ok(keys::safe(&convert::text_in(text, "text")?)?))
}

/// The text of a safe key.
#[napi(namespace = "keys", catch_unwind)]
pub fn safe_from(env: &Env, key: Unknown<'_>) -> Result<String> {
    given(env, || Ok(keys::safe_from(&convert::text_in(key, "key")?)?))
}

/// A legal key of any bytes, in order.
#[napi(namespace = "keys", catch_unwind)]
pub fn bytes(env: &Env, bytes: Unknown<'_>) -> Result<String> {
    given(env, || Ok(keys::bytes(&convert::bytes_in(bytes, "bytes")?)?))
}

/// The bytes of such a key.
#[napi(namespace = "keys", catch_unwind)]
pub fn bytes_from<'env>(env: &'env Env, key: Unknown<'env>) -> Result<BufferSlice<'env>> {
    let bytes = given(env, || Ok(keys::bytes_from(&convert::text_in(key, "key")?)?))?;
    BufferSlice::copy_from(env, bytes)
}

/// The literature's form of a safe key.
#[napi(namespace = "keys", catch_unwind)]
pub fn base64_text(env: &Env, text: Unknown<'_>) -> Result<String> {
    given(env, || Ok(keys::base64_text(&convert::text_in(text, "text")?)?))
}

/// The text of such a key.
#[napi(namespace = "keys", catch_unwind)]
pub fn text_from_base64(env: &Env, key: Unknown<'_>) -> Result<String> {
    given(env, || Ok(keys::text_from_base64(&convert::text_in(key, "key")?)?))
}

/// The key that all texts have which differ in letter case only.
#[napi(namespace = "keys", catch_unwind)]
pub fn fold_case(env: &Env, text: Unknown<'_>) -> Result<String> {
    given(env, || Ok(keys::fold_case(&convert::text_in(text, "text")?)?))
}

/// The shard that a key falls into.
#[napi(namespace = "keys", catch_unwind)]
pub fn shard(env: &Env, key: Unknown<'_>, shards: Unknown<'_>) -> Result<u32> {
    given(env, || {
        let (key, shards) = (convert::text_in(key, "key")?, convert::unsigned_in(shards, "shards")?);
        Ok(keys::shard(&key, u32::try_from(shards).unwrap_or(u32::MAX))?)
    })
}
