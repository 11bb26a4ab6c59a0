//! Keys: texts that the service takes, in the order that is wanted.
//!
//! Pure functions. What they give is a legal PartitionKey or RowKey by the service's rules, or an error that says why
//! it is none. Order is the store's and the service's: by UTF-16 code unit (S1.3).
//!
//! | to | look at | source |
//! |---|---|---|
//! | put several values into one key | [`compose`], [`split`], [`compose_prefix`] | S9.8, S9.13 |
//! | keep numbers and dates in order | [`padded`], [`integer`], [`double`], [`ticks`], [`compact_date`] | S9.33 |
//! | have the newest first | [`descending_ticks`] | S9.14 |
//! | find all that begin alike | [`prefix_range`], [`prefix_filter`] | S9.25 |
//! | make a key of any text or bytes | [`safe`], [`bytes`], [`base64_text`] | S9.28 |
//! | find whatever the case | [`fold_case`] | S9.27 |
//! | spread entities over partitions | [`shard`] | S9.9 |
//!
//! # Example
//! ```
//! use entable::keys;
//! let key = keys::compose(["Redmond", "Smith", &keys::integer(42)?])?;
//! assert!(key.starts_with(&keys::compose_prefix(["Redmond", "Smith"])?));
//! assert_eq!(keys::split(&key)?, ["Redmond", "Smith", "0000000000000000042"]);
//! # Ok::<(), entable::Error>(())
//! ```

mod escape;
mod numbers;
mod prefix;
#[cfg(test)]
mod tests;

pub use escape::{base64_text, bytes, bytes_from, compose, compose_prefix, safe, safe_from, split, text_from_base64};
pub use numbers::{
    compact_date, descending_ticks, descending_ticks_from, double, double_from, integer, integer_from, padded, ticks,
    ticks_from,
};
pub use prefix::{prefix_filter, prefix_range};

use crate::limits::SERVICE;
use crate::model::{fold, names};
use crate::{Error, Result};

/// The text, if it is a legal key.
pub(crate) fn legal(key: String) -> Result<String> {
    check(&key)?;
    Ok(key)
}

/// Refuses a text that is no legal key.
pub(crate) fn check(key: &str) -> Result<()> {
    names::check_key(names::ROW_KEY, key, &SERVICE)
}

/// The key that all texts have which differ in letter case only: Unicode's full case folding (S9.27).
///
/// No normalisation, and no language's own rules. It is what `tolower` in filters folds by.
///
/// # Errors
/// [`ErrorCode::OutOfRangeInput`](crate::ErrorCode::OutOfRangeInput), [`ErrorCode::KeyValueTooLarge`](crate::ErrorCode::KeyValueTooLarge):
/// the folded text is no legal key. Fold first and make it [`safe`] then, if it may hold anything.
///
/// # Example
/// ```
/// assert_eq!(entable::keys::fold_case("JBloggs Straße")?, "jbloggs strasse");
/// # Ok::<(), entable::Error>(())
/// ```
pub fn fold_case(text: &str) -> Result<String> {
    legal(fold::fold_case(text))
}

/// The number of the shard, from 0, that a key falls into, of so many (S9.9).
///
/// The same in every version and on every machine: CRC-32C of the key's UTF-8, modulo the count.
///
/// # Errors
/// [`ErrorCode::InvalidInput`](crate::ErrorCode::InvalidInput): no shards at all.
///
/// # Example
/// ```
/// let shard = entable::keys::shard("customer 17", 16)?;
/// assert!(shard < 16);
/// # Ok::<(), entable::Error>(())
/// ```
pub fn shard(key: &str, shards: u32) -> Result<u32> {
    crc32c::crc32c(key.as_bytes())
        .checked_rem(shards)
        .ok_or_else(|| Error::invalid("There must be at least one shard."))
}
