//! The keys that begin with a text, as a range (S9.25).

use super::legal;
use crate::limits::SERVICE;
use crate::model::names;
use crate::{Error, Result};

/// The least key that begins with `prefix`, and the least legal key beyond all that do: `None` if none is beyond.
///
/// The range takes the first and leaves out the second. The last character is counted up in UTF-16 order, where U+10000
/// follows U+D7FF, and U+E000 follows U+10FFFF; characters that no key may hold are skipped, and U+FFFF has no successor:
/// the character before it counts up.
///
/// # Errors
/// [`ErrorCode::OutOfRangeInput`](crate::ErrorCode::OutOfRangeInput), [`ErrorCode::KeyValueTooLarge`](crate::ErrorCode::KeyValueTooLarge):
/// no legal key begins so.
///
/// # Example
/// ```
/// use entable::keys::prefix_range;
/// assert_eq!(prefix_range("Id_")?, ("Id_".to_owned(), Some("Id`".to_owned())));
/// assert_eq!(prefix_range("\u{ffff}")?.1, None);
/// # Ok::<(), entable::Error>(())
/// ```
pub fn prefix_range(prefix: &str) -> Result<(String, Option<String>)> {
    let first = legal(prefix.to_owned())?;
    let mut kept = prefix.chars();
    while let Some(last) = kept.next_back() {
        let room = SERVICE.key_units.saturating_sub(names::utf16_units(kept.as_str()));
        if let Some(next) = next_legal(last, room) {
            let mut end = kept.as_str().to_owned();
            end.push(next);
            return Ok((first, Some(end)));
        }
    }
    Ok((first, None))
}

/// The next character, in UTF-16 order, that a key may hold which has room for so many more units.
fn next_legal(c: char, room: usize) -> Option<char> {
    let mut next = next_by_utf16(c)?;
    if next.len_utf16() > room {
        // At the limit of length no key goes on with a pair of surrogates: what comes after them is beyond.
        next = '\u{e000}';
    }
    while super::check(next.encode_utf8(&mut [0; 4])).is_err() {
        next = next_by_utf16(next)?;
    }
    Some(next)
}

fn next_by_utf16(c: char) -> Option<char> {
    match c {
        '\u{d7ff}' => Some('\u{10000}'),
        '\u{10ffff}' => Some('\u{e000}'),
        '\u{ffff}' => None,
        c => char::from_u32(u32::from(c) + 1),
    }
}

/// The filter that finds the keys which begin with `prefix`; `key` is `PartitionKey` or `RowKey`.
///
/// It is the service's own language: other than `startswith` it runs in strict mode and in the cloud.
///
/// # Errors
/// Those of [`prefix_range`]; [`ErrorCode::InvalidInput`](crate::ErrorCode::InvalidInput) for another name than the two.
///
/// # Example
/// ```
/// assert_eq!(entable::keys::prefix_filter("RowKey", "empid_")?, "RowKey ge 'empid_' and RowKey lt 'empid`'");
/// # Ok::<(), entable::Error>(())
/// ```
pub fn prefix_filter(key: &str, prefix: &str) -> Result<String> {
    if !matches!(key, names::PARTITION_KEY | names::ROW_KEY) {
        return Err(Error::invalid("A prefix of keys is one of PartitionKey or RowKey.").property(key));
    }
    let quoted = |text: &str| text.replace('\'', "''");
    let (first, end) = prefix_range(prefix)?;
    Ok(match end {
        Some(end) => format!("{key} ge '{}' and {key} lt '{}'", quoted(&first), quoted(&end)),
        None => format!("{key} ge '{}'", quoted(&first)),
    })
}
