//! The two keys of an entity, in one piece of memory: half as many to be had and given back for each entity.

use std::fmt;

/// PartitionKey and RowKey.
#[derive(Clone, Default, PartialEq, Eq)]
pub(crate) struct KeyPair {
    /// One behind the other.
    text: Box<str>,
    /// Where the RowKey begins.
    middle: usize,
}

impl KeyPair {
    pub(crate) fn new(partition_key: &str, row_key: &str) -> KeyPair {
        let mut text = String::with_capacity(partition_key.len() + row_key.len());
        text.push_str(partition_key);
        text.push_str(row_key);
        KeyPair { text: text.into_boxed_str(), middle: partition_key.len() }
    }

    /// The same, of a text that is there already.
    pub(crate) fn of(partition_key: impl Into<String>, row_key: impl AsRef<str>) -> KeyPair {
        let (mut text, row_key) = (partition_key.into(), row_key.as_ref());
        let middle = text.len();
        text.reserve_exact(row_key.len());
        text.push_str(row_key);
        KeyPair { text: text.into_boxed_str(), middle }
    }

    pub(crate) fn partition_key(&self) -> &str {
        self.text.get(..self.middle).unwrap_or_default()
    }

    pub(crate) fn row_key(&self) -> &str {
        self.text.get(self.middle..).unwrap_or_default()
    }
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
        for (partition_key, row_key) in [("", ""), ("a", ""), ("", "a"), ("ab", "c"), ("a", "bc"), ("é", "\u{1f600}")]
        {
            let pair = KeyPair::new(partition_key, row_key);
            assert_eq!((pair.partition_key(), pair.row_key()), (partition_key, row_key));
            assert_eq!(KeyPair::of(partition_key, row_key), pair);
        }
        assert_ne!(KeyPair::new("ab", "c"), KeyPair::new("a", "bc"));
    }
}
