//! Keys: texts that the service takes, in the order that is wanted.

#![allow(unsafe_code, reason = "C calls these functions by their names")]

use crate::boundary::{answer, boundary, date_time, free, output, output_array};
use crate::error::{Result, entable_error};
use crate::json::entable_text;
use crate::table::texts;
use crate::text::{entable_bytes, entable_str};
use entable::keys;
use std::mem::MaybeUninit;

/// Texts with memory of their own. Yours: free them with `entable_texts_free`. They never change, so any thread may read
/// them.
pub struct entable_texts(pub(crate) Vec<String>);

/// How many texts there are; 0 for NULL. Any thread.
#[unsafe(no_mangle)]
pub extern "C" fn entable_texts_count(texts: Option<&entable_texts>) -> usize {
    answer(0, || Some(texts?.0.len()))
}

/// The text at `index`, from 0; no text (`data` is NULL) past the end. Good until the texts are freed. Any thread.
#[unsafe(no_mangle)]
pub extern "C" fn entable_texts_at(texts: Option<&entable_texts>, index: usize) -> entable_str {
    answer(entable_str::default(), || Some(texts?.0.get(index)?.as_str().into()))
}

/// Frees texts. NULL is fine. Once.
#[unsafe(no_mangle)]
pub extern "C" fn entable_texts_free(texts: Option<Box<entable_texts>>) {
    free(texts);
}

/// A place of the caller's for a text.
type TextPlace<'a> = Option<&'a mut MaybeUninit<Option<Box<entable_text>>>>;

fn give(place: TextPlace<'_>, name: &str, make: impl FnOnce() -> Result<String>) -> Result<()> {
    let place = output(place, name)?;
    *place = Some(Box::new(entable_text(make()?)));
    Ok(())
}

fn give_number<T>(
    place: Option<&mut MaybeUninit<T>>,
    name: &str,
    key: entable_str,
    read: impl FnOnce(&str) -> entable::Result<T>,
) -> Result<()>
where
    T: Default,
{
    let place = output(place, name)?;
    *place = read(key.text("key")?)?;
    Ok(())
}

/// One key of several texts, `count` from `parts` on: keys are in the order of their parts, whatever these hold, and
/// `entable_keys_split` gives them back. Numbers and dates are parts by `entable_keys_integer` and its like.
///
/// `*key` is yours once the call returns NULL, else NULL. Any thread. Errors: ENTABLE_INVALID_INPUT for no parts,
/// ENTABLE_KEY_VALUE_TOO_LARGE for a key over 1,024 UTF-16 code units. The error is yours to free.
#[unsafe(no_mangle)]
pub extern "C" fn entable_keys_compose(
    parts: *const entable_str,
    count: usize,
    key: Option<&mut MaybeUninit<Option<Box<entable_text>>>>,
) -> Option<Box<entable_error>> {
    boundary(|| give(key, "key", || Ok(keys::compose(texts(parts, count, "parts")?)?)))
}

/// What all composite keys begin with that begin with these parts and have more: for `entable_keys_prefix_filter`.
///
/// `*key` is yours once the call returns NULL, else NULL. Any thread. Errors: as `entable_keys_compose`. The error is
/// yours to free.
#[unsafe(no_mangle)]
pub extern "C" fn entable_keys_compose_prefix(
    parts: *const entable_str,
    count: usize,
    key: Option<&mut MaybeUninit<Option<Box<entable_text>>>>,
) -> Option<Box<entable_error>> {
    boundary(|| give(key, "key", || Ok(keys::compose_prefix(texts(parts, count, "parts")?)?)))
}

/// The parts that `entable_keys_compose` made the key of.
///
/// `*parts` is yours once the call returns NULL, else NULL. Any thread. Errors: ENTABLE_INVALID_INPUT for a key that
/// it does not make. The error is yours to free.
#[unsafe(no_mangle)]
pub extern "C" fn entable_keys_split(
    key: entable_str,
    parts: Option<&mut MaybeUninit<Option<Box<entable_texts>>>>,
) -> Option<Box<entable_error>> {
    boundary(|| {
        let place = output(parts, "parts")?;
        *place = Some(Box::new(entable_texts(keys::split(key.text("key")?)?)));
        Ok(())
    })
}

/// A legal key of any text, in the order of the texts; `entable_keys_safe_from` gives the text back.
///
/// `*key` is yours once the call returns NULL, else NULL. Any thread. Errors: ENTABLE_KEY_VALUE_TOO_LARGE for a key
/// over 1,024 UTF-16 code units. The error is yours to free.
#[unsafe(no_mangle)]
pub extern "C" fn entable_keys_safe(
    text: entable_str,
    key: Option<&mut MaybeUninit<Option<Box<entable_text>>>>,
) -> Option<Box<entable_error>> {
    boundary(|| give(key, "key", || Ok(keys::safe(text.text("text")?)?)))
}

/// The text that `entable_keys_safe` made the key of.
///
/// `*text` is yours once the call returns NULL, else NULL. Any thread. Errors: ENTABLE_INVALID_INPUT for a key that it
/// does not make. The error is yours to free.
#[unsafe(no_mangle)]
pub extern "C" fn entable_keys_safe_from(
    key: entable_str,
    text: Option<&mut MaybeUninit<Option<Box<entable_text>>>>,
) -> Option<Box<entable_error>> {
    boundary(|| give(text, "text", || Ok(keys::safe_from(key.text("key")?)?)))
}

/// A legal key of any bytes, in the order of the bytes: two hexadecimal digits for each.
///
/// `*key` is yours once the call returns NULL, else NULL. Any thread. Errors: ENTABLE_KEY_VALUE_TOO_LARGE for over 512
/// bytes. The error is yours to free.
#[unsafe(no_mangle)]
pub extern "C" fn entable_keys_bytes(
    bytes: entable_bytes,
    key: Option<&mut MaybeUninit<Option<Box<entable_text>>>>,
) -> Option<Box<entable_error>> {
    boundary(|| give(key, "key", || Ok(keys::bytes(bytes.bytes("bytes")?)?)))
}

/// The bytes that `entable_keys_bytes` made the key of, into `size` bytes from `bytes` on; `length` gets how many there
/// are, which is half the key's length. Any thread.
///
/// Errors: ENTABLE_INVALID_INPUT for a key that it does not make, or if `size` is less. The error is yours to free.
#[unsafe(no_mangle)]
pub extern "C" fn entable_keys_bytes_from(
    key: entable_str,
    bytes: *mut MaybeUninit<u8>,
    size: usize,
    length: Option<&mut MaybeUninit<usize>>,
) -> Option<Box<entable_error>> {
    boundary(|| {
        let (place, length) = (output_array(bytes, size, "bytes")?, output(length, "length")?);
        let found = keys::bytes_from(key.text("key")?)?;
        let Some(place) = place.get_mut(..found.len()) else {
            return Err(entable_error::misuse("size", &format!("There are {} bytes.", found.len())));
        };
        place.copy_from_slice(&found);
        *length = found.len();
        Ok(())
    })
}

/// The literature's form of a safe key: base64 of the UTF-8, with `_` for `/` and `-` for `+`. It loses order and
/// prefixes, which `entable_keys_safe` keeps.
///
/// `*key` is yours once the call returns NULL, else NULL. Any thread. Errors: ENTABLE_KEY_VALUE_TOO_LARGE for over 768
/// bytes. The error is yours to free.
#[unsafe(no_mangle)]
pub extern "C" fn entable_keys_base64_text(
    text: entable_str,
    key: Option<&mut MaybeUninit<Option<Box<entable_text>>>>,
) -> Option<Box<entable_error>> {
    boundary(|| give(key, "key", || Ok(keys::base64_text(text.text("text")?)?)))
}

/// The text that `entable_keys_base64_text` made the key of.
///
/// `*text` is yours once the call returns NULL, else NULL. Any thread. Errors: ENTABLE_INVALID_INPUT for what is no
/// base64, or not of UTF-8. The error is yours to free.
#[unsafe(no_mangle)]
pub extern "C" fn entable_keys_text_from_base64(
    key: entable_str,
    text: Option<&mut MaybeUninit<Option<Box<entable_text>>>>,
) -> Option<Box<entable_error>> {
    boundary(|| give(text, "text", || Ok(keys::text_from_base64(key.text("key")?)?)))
}

/// The number in `width` digits, with zeros before it: `000223`.
///
/// `*key` is yours once the call returns NULL, else NULL. Any thread. Errors: ENTABLE_INVALID_INPUT for a number of
/// more digits. The error is yours to free.
#[unsafe(no_mangle)]
pub extern "C" fn entable_keys_padded(
    number: u64,
    width: usize,
    key: Option<&mut MaybeUninit<Option<Box<entable_text>>>>,
) -> Option<Box<entable_error>> {
    boundary(|| give(key, "key", || Ok(keys::padded(number, width)?)))
}

/// Any integer, in order: 19 digits; below zero `-` and the 19 digits of its distance from the smallest.
///
/// `*key` is yours once the call returns NULL, else NULL. Any thread. The error is yours to free.
#[unsafe(no_mangle)]
pub extern "C" fn entable_keys_integer(
    number: i64,
    key: Option<&mut MaybeUninit<Option<Box<entable_text>>>>,
) -> Option<Box<entable_error>> {
    boundary(|| give(key, "key", || Ok(keys::integer(number)?)))
}

/// A binary64 number, in order: 16 hexadecimal digits. -0.0 is 0.0.
///
/// `*key` is yours once the call returns NULL, else NULL. Any thread. Errors: ENTABLE_INVALID_INPUT for NaN. The error
/// is yours to free.
#[unsafe(no_mangle)]
pub extern "C" fn entable_keys_double(
    number: f64,
    key: Option<&mut MaybeUninit<Option<Box<entable_text>>>>,
) -> Option<Box<entable_error>> {
    boundary(|| give(key, "key", || Ok(keys::double(number)?)))
}

/// An instant, in order: the 19 digits of its ticks of 100 ns since 0001-01-01T00:00:00Z.
///
/// `*key` is yours once the call returns NULL, else NULL. Any thread. Errors: ENTABLE_INVALID_INPUT for ticks before
/// the year 1 or after 9999. The error is yours to free.
#[unsafe(no_mangle)]
pub extern "C" fn entable_keys_ticks(
    ticks: i64,
    key: Option<&mut MaybeUninit<Option<Box<entable_text>>>>,
) -> Option<Box<entable_error>> {
    boundary(|| give(key, "key", || Ok(keys::ticks(date_time(ticks, "ticks")?)?)))
}

/// An instant, the latest first: 19 digits of 3155378975999999999 less its ticks, as the log tail pattern has it.
///
/// `*key` is yours once the call returns NULL, else NULL. Any thread. Errors: as `entable_keys_ticks`. The error is
/// yours to free.
#[unsafe(no_mangle)]
pub extern "C" fn entable_keys_descending_ticks(
    ticks: i64,
    key: Option<&mut MaybeUninit<Option<Box<entable_text>>>>,
) -> Option<Box<entable_error>> {
    boundary(|| give(key, "key", || Ok(keys::descending_ticks(date_time(ticks, "ticks")?)?)))
}

/// The second that an instant lies in, as `yyyyMMddHHmmss` in UTC.
///
/// `*key` is yours once the call returns NULL, else NULL. Any thread. Errors: as `entable_keys_ticks`. The error is
/// yours to free.
#[unsafe(no_mangle)]
pub extern "C" fn entable_keys_compact_date(
    ticks: i64,
    key: Option<&mut MaybeUninit<Option<Box<entable_text>>>>,
) -> Option<Box<entable_error>> {
    boundary(|| give(key, "key", || Ok(keys::compact_date(date_time(ticks, "ticks")?)?)))
}

/// The integer that `entable_keys_integer` made the key of. Any thread.
///
/// Errors: ENTABLE_INVALID_INPUT for a key that it does not make. The error is yours to free.
#[unsafe(no_mangle)]
pub extern "C" fn entable_keys_integer_from(
    key: entable_str,
    number: Option<&mut MaybeUninit<i64>>,
) -> Option<Box<entable_error>> {
    boundary(|| give_number(number, "number", key, keys::integer_from))
}

/// The number that `entable_keys_double` made the key of. Any thread.
///
/// Errors: ENTABLE_INVALID_INPUT for a key that it does not make. The error is yours to free.
#[unsafe(no_mangle)]
pub extern "C" fn entable_keys_double_from(
    key: entable_str,
    number: Option<&mut MaybeUninit<f64>>,
) -> Option<Box<entable_error>> {
    boundary(|| give_number(number, "number", key, keys::double_from))
}

/// The ticks that `entable_keys_ticks` made the key of. Any thread.
///
/// Errors: ENTABLE_INVALID_INPUT for a key that it does not make. The error is yours to free.
#[unsafe(no_mangle)]
pub extern "C" fn entable_keys_ticks_from(
    key: entable_str,
    ticks: Option<&mut MaybeUninit<i64>>,
) -> Option<Box<entable_error>> {
    boundary(|| give_number(ticks, "ticks", key, |key| Ok(keys::ticks_from(key)?.ticks())))
}

/// The ticks that `entable_keys_descending_ticks` made the key of. Any thread.
///
/// Errors: ENTABLE_INVALID_INPUT for a key that it does not make. The error is yours to free.
#[unsafe(no_mangle)]
pub extern "C" fn entable_keys_descending_ticks_from(
    key: entable_str,
    ticks: Option<&mut MaybeUninit<i64>>,
) -> Option<Box<entable_error>> {
    boundary(|| give_number(ticks, "ticks", key, |key| Ok(keys::descending_ticks_from(key)?.ticks())))
}

/// The keys that begin with `prefix`: from `*first` on, and before `*end`, which is NULL if there is no end. Both are
/// yours once the call returns NULL, else NULL. Any thread.
///
/// Errors: ENTABLE_OUT_OF_RANGE_INPUT, ENTABLE_KEY_VALUE_TOO_LARGE if no legal key begins so. The error is yours to free.
#[unsafe(no_mangle)]
pub extern "C" fn entable_keys_prefix_range(
    prefix: entable_str,
    first: Option<&mut MaybeUninit<Option<Box<entable_text>>>>,
    end: Option<&mut MaybeUninit<Option<Box<entable_text>>>>,
) -> Option<Box<entable_error>> {
    boundary(|| {
        // Both hold nothing, whichever is missing.
        let (first, end) = (output(first, "first"), output(end, "end"));
        let (first, end) = (first?, end?);
        let (from, before) = keys::prefix_range(prefix.text("prefix")?)?;
        *first = Some(Box::new(entable_text(from)));
        *end = before.map(|key| Box::new(entable_text(key)));
        Ok(())
    })
}

/// The filter that finds the keys which begin with `prefix`; `name` is `PartitionKey` or `RowKey`. Other than
/// `startswith` it runs in strict mode and in the cloud.
///
/// `*filter` is yours once the call returns NULL, else NULL. Any thread. Errors: as `entable_keys_prefix_range`;
/// ENTABLE_INVALID_INPUT for another name. The error is yours to free.
#[unsafe(no_mangle)]
pub extern "C" fn entable_keys_prefix_filter(
    name: entable_str,
    prefix: entable_str,
    filter: Option<&mut MaybeUninit<Option<Box<entable_text>>>>,
) -> Option<Box<entable_error>> {
    boundary(|| give(filter, "filter", || Ok(keys::prefix_filter(name.text("name")?, prefix.text("prefix")?)?)))
}

/// The key that all texts have which differ in letter case only: Unicode's full case folding, as `tolower` in filters
/// folds.
///
/// `*key` is yours once the call returns NULL, else NULL. Any thread. Errors: ENTABLE_OUT_OF_RANGE_INPUT,
/// ENTABLE_KEY_VALUE_TOO_LARGE if the folded text is no legal key. The error is yours to free.
#[unsafe(no_mangle)]
pub extern "C" fn entable_keys_fold_case(
    text: entable_str,
    key: Option<&mut MaybeUninit<Option<Box<entable_text>>>>,
) -> Option<Box<entable_error>> {
    boundary(|| give(key, "key", || Ok(keys::fold_case(text.text("text")?)?)))
}

/// The number of the shard, from 0, that a key falls into, of `shards`: the same in every version and on every machine.
/// Any thread.
///
/// Errors: ENTABLE_INVALID_INPUT for no shards at all. The error is yours to free.
#[unsafe(no_mangle)]
pub extern "C" fn entable_keys_shard(
    key: entable_str,
    shards: u32,
    shard: Option<&mut MaybeUninit<u32>>,
) -> Option<Box<entable_error>> {
    boundary(|| {
        let place = output(shard, "shard")?;
        *place = keys::shard(key.text("key")?, shards)?;
        Ok(())
    })
}
