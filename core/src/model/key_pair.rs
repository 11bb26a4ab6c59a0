//! The two keys of an entity, in one piece of memory, or in none of their own where they are short: less to be had and
//! given back for each entity.

use std::fmt;

/// Bytes of both keys up to which they need no memory of their own: as much as the other form takes anyway.
const SHORT: usize = 29;

/// PartitionKey and RowKey, one behind the other.
///
/// A pair has the short form if it has room there, so that two pairs are equal if their forms are.
#[derive(Clone, PartialEq, Eq)]
pub(crate) enum KeyPair {
    Short {
        /// Where the RowKey begins, and where it ends; behind it there are zeros.
        middle: u8,
        end: u8,
        text: [u8; SHORT],
    },
    Long {
        text: Box<str>,
        middle: usize,
    },
}

impl Default for KeyPair {
    fn default() -> KeyPair {
        KeyPair::Short { middle: 0, end: 0, text: [0; SHORT] }
    }
}

impl KeyPair {
    pub(crate) fn new(partition_key: &str, row_key: &str) -> KeyPair {
        if let Some(short) = KeyPair::short(partition_key, row_key) {
            return short;
        }
        let mut text = String::with_capacity(partition_key.len() + row_key.len());
        text.push_str(partition_key);
        text.push_str(row_key);
        KeyPair::Long { text: text.into_boxed_str(), middle: partition_key.len() }
    }

    #[inline]
    fn short(partition_key: &str, row_key: &str) -> Option<KeyPair> {
        let (middle, end) = (partition_key.len(), partition_key.len() + row_key.len());
        let mut text = [0; SHORT];
        text.get_mut(..middle)?.copy_from_slice(partition_key.as_bytes());
        text.get_mut(middle..end)?.copy_from_slice(row_key.as_bytes());
        Some(KeyPair::Short { middle: u8::try_from(middle).ok()?, end: u8::try_from(end).ok()?, text })
    }

    /// The same, of a text that is there already.
    pub(crate) fn of(partition_key: impl Into<String>, row_key: impl AsRef<str>) -> KeyPair {
        let (mut text, row_key) = (partition_key.into(), row_key.as_ref());
        if let Some(short) = KeyPair::short(&text, row_key) {
            return short;
        }
        let middle = text.len();
        text.reserve_exact(row_key.len());
        text.push_str(row_key);
        KeyPair::Long { text: text.into_boxed_str(), middle }
    }

    pub(crate) fn partition_key(&self) -> &str {
        match self {
            KeyPair::Short { middle, text, .. } => part(text, 0, *middle),
            KeyPair::Long { text, middle } => text.get(..*middle).unwrap_or_default(),
        }
    }

    pub(crate) fn row_key(&self) -> &str {
        match self {
            KeyPair::Short { middle, end, text } => part(text, *middle, *end),
            KeyPair::Long { text, middle } => text.get(*middle..).unwrap_or_default(),
        }
    }
}

/// What lies between two places of a short pair: text, since it was made of texts.
#[inline]
fn part(text: &[u8; SHORT], from: u8, to: u8) -> &str {
    let part = text.get(from.into()..to.into()).unwrap_or_default();
    std::str::from_utf8(part).unwrap_or_default()
}

impl fmt::Debug for KeyPair {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (self.partition_key(), self.row_key()).fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_come_back_as_they_were_and_pairs_are_not_alike_by_their_joined_text() {
        let long = "é".repeat(15);
        let pairs =
            [("", ""), ("a", ""), ("", "a"), ("ab", "c"), ("a", "bc"), ("é", "\u{1f600}"), (&long, ""), ("", &long)];
        let of_29_and_30 = [(&long[..28], "a"), ("a", &long[..28]), (&long[..28], "ab"), ("é", &long[..28])];
        for (partition_key, row_key) in pairs.into_iter().chain(of_29_and_30) {
            let pair = KeyPair::new(partition_key, row_key);
            assert_eq!((pair.partition_key(), pair.row_key()), (partition_key, row_key));
            assert_eq!(KeyPair::of(partition_key, row_key), pair);
        }
        assert_ne!(KeyPair::new("ab", "c"), KeyPair::new("a", "bc"));
        assert_ne!(KeyPair::new(&long, "c"), KeyPair::new(&long, "d"));
        assert_eq!(KeyPair::default(), KeyPair::new("", ""));
        // A larger one would make every entity larger.
        assert_eq!(size_of::<KeyPair>(), 32);
    }
}
