//! Row keys: table id, PartitionKey, 00, RowKey, in an order of bytes that is the order of the service.

use crate::model::compare::map_byte;
use crate::{Error, Result};
use std::borrow::Cow;

/// Ends the PartitionKey in a row key. U+0000 is forbidden in keys, so it occurs nowhere else.
pub(crate) const SEPARATOR: u8 = 0;

/// A row key taken apart; both keys are mapped still.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct RowKeyParts<'a> {
    pub(crate) table: u32,
    pub(crate) partition_key: &'a [u8],
    pub(crate) row_key: &'a [u8],
}

/// Appends text in the order map: bytes that compare as the text's UTF-16 code units do (S1.3.4).
pub(crate) fn push_mapped(out: &mut Vec<u8>, text: &str) {
    if text.is_ascii() {
        out.extend_from_slice(text.as_bytes());
    } else {
        out.extend(text.bytes().map(map_byte));
    }
}

/// The text of mapped bytes; borrowed where no byte was mapped.
///
/// # Errors
/// `Damaged` for bytes that [`push_mapped`] does not write.
pub(crate) fn unmap(bytes: &[u8]) -> Result<Cow<'_, str>> {
    let damaged = || Error::damaged("A key is not text.");
    if bytes.is_ascii() {
        return std::str::from_utf8(bytes).map(Cow::Borrowed).map_err(|_| damaged());
    }
    let mut is_mapped = false;
    for byte in bytes {
        match byte {
            0xee | 0xef => return Err(damaged()),
            0xf8 | 0xf9 => is_mapped = true,
            _ => {}
        }
    }
    if !is_mapped {
        return std::str::from_utf8(bytes).map(Cow::Borrowed).map_err(|_| damaged());
    }
    let unmapped = bytes.iter().map(|byte| match byte {
        0xf8 => 0xee,
        0xf9 => 0xef,
        _ => *byte,
    });
    String::from_utf8(unmapped.collect()).map(Cow::Owned).map_err(|_| damaged())
}

/// The first bytes of every row key of a table.
pub(crate) fn table_prefix(table: u32) -> [u8; 4] {
    table.to_be_bytes()
}

/// The key of a row. Neither key may hold U+0000 (S1.2.3).
pub(crate) fn row_key(table: u32, partition_key: &str, row_key: &str) -> Vec<u8> {
    let mut key = Vec::with_capacity(4 + partition_key.len() + 1 + row_key.len());
    push_row_key(&mut key, table, partition_key, row_key);
    key
}

/// Bytes of a row's key up to which it needs no memory but the stack's to look it up.
const SHORT_KEY: usize = 128;

/// Lends the key of a row.
#[inline]
pub(crate) fn with_row_key<T>(table: u32, partition_key: &str, row_key: &str, job: impl FnOnce(&[u8]) -> T) -> T {
    let (row_at, bytes) = (5 + partition_key.len(), 5 + partition_key.len() + row_key.len());
    let mut short = [0; SHORT_KEY];
    match short.get_mut(..bytes) {
        // Between the keys there is the separator, which is 0.
        Some(key) if partition_key.is_ascii() && row_key.is_ascii() => {
            key[..4].copy_from_slice(&table_prefix(table));
            key[4..row_at - 1].copy_from_slice(partition_key.as_bytes());
            key[row_at..].copy_from_slice(row_key.as_bytes());
            job(key)
        }
        _ => job(&self::row_key(table, partition_key, row_key)),
    }
}

/// Appends the key of a row, for callers that keep their buffer.
pub(crate) fn push_row_key(out: &mut Vec<u8>, table: u32, partition_key: &str, row_key: &str) {
    debug_assert!(!partition_key.contains('\0') && !row_key.contains('\0'), "a key holds U+0000");
    out.extend_from_slice(&table_prefix(table));
    push_mapped(out, partition_key);
    out.push(SEPARATOR);
    push_mapped(out, row_key);
}

/// Takes a row key apart.
///
/// # Errors
/// `Damaged` without a table id, without a separator, or with a second one.
pub(crate) fn split_row_key(key: &[u8]) -> Result<RowKeyParts<'_>> {
    let damaged = || Error::damaged("A row's key has not the form table id, PartitionKey, 00, RowKey.");
    let (table, keys) = key.split_first_chunk::<4>().ok_or_else(damaged)?;
    let (partition_key, row_key) = split_keys(keys).ok_or_else(damaged)?;
    Ok(RowKeyParts { table: u32::from_be_bytes(*table), partition_key, row_key })
}

/// Reads the keys of rows that come in order, most of which have the PartitionKey of the one before.
#[derive(Debug, Default)]
pub(crate) struct KeyReader {
    /// Table id, PartitionKey and separator of the last key.
    head: Vec<u8>,
    partition_key: String,
}

impl KeyReader {
    /// PartitionKey and RowKey.
    ///
    /// # Errors
    /// As [`split_row_key`] and [`unmap`].
    #[inline]
    pub(crate) fn read<'a>(&'a mut self, key: &'a [u8]) -> Result<(&'a str, Cow<'a, str>)> {
        let rest = key.strip_prefix(&*self.head).filter(|rest| !self.head.is_empty() && !rest.contains(&SEPARATOR));
        let row_key = match rest {
            Some(row_key) => row_key,
            None => self.begin(key)?,
        };
        Ok((&self.partition_key, unmap(row_key)?))
    }

    fn begin<'a>(&mut self, key: &'a [u8]) -> Result<&'a [u8]> {
        self.head.clear();
        let parts = split_row_key(key)?;
        self.partition_key = unmap(parts.partition_key)?.into_owned();
        self.head.extend_from_slice(&key[..key.len() - parts.row_key.len()]);
        Ok(parts.row_key)
    }
}

/// Takes mapped PartitionKey, 00, mapped RowKey apart.
pub(crate) fn split_keys(keys: &[u8]) -> Option<(&[u8], &[u8])> {
    let end = keys.iter().position(|byte| *byte == SEPARATOR)?;
    let (partition_key, row_key) = (keys.get(..end)?, keys.get(end + 1..)?);
    (!row_key.contains(&SEPARATOR)).then_some((partition_key, row_key))
}

/// The smallest key after every key that begins with `prefix`; `None` if there is no such key.
pub(crate) fn next_prefix(mut prefix: Vec<u8>) -> Option<Vec<u8>> {
    while let Some(last) = prefix.pop() {
        if let Some(next) = last.checked_add(1) {
            prefix.push(next);
            return Some(prefix);
        }
    }
    None
}

#[cfg(test)]
mod tests;
