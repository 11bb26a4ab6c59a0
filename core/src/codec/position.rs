//! Positions in a change feed: behind which change a reader stands, in text that can be printed, kept and checked.

use super::bytes::{Fields, push_crc, split_crc};
use super::header::Identity;
use crate::{Error, Result};
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use std::{fmt, str::FromStr};

/// Another byte than that of a continuation token, so that none is taken for the other.
const VERSION: u8 = 0x41;

/// A place in the changes of a table: behind a change, or behind a whole commit.
///
/// Ordered as commits are. It compares below another one of the same table only: places in the feeds of two tables say
/// nothing of each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Behind {
    pub(crate) commit: u64,
    /// The last change of the commit that is done, by its position; the highest number for all of them.
    pub(crate) position: u32,
}

impl Behind {
    /// Behind every change of a commit.
    pub(crate) fn commit(commit: u64) -> Behind {
        Behind { commit, position: u32::MAX }
    }
}

/// Where a reader of a change feed stands: behind some change.
///
/// Opaque: keep its text, hand it back. It stays good after restarts and compactions; in another table or store, and in a
/// copy that began a life of its own, it is refused.
///
/// # Example
/// ```
/// use entable::{ErrorCode, FeedPosition};
/// let error = "no position".parse::<FeedPosition>().unwrap_err();
/// assert_eq!(error.code(), ErrorCode::InvalidInput);
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct FeedPosition {
    pub(crate) identity: Identity,
    pub(crate) table: u32,
    pub(crate) behind: Behind,
}

impl FeedPosition {
    /// The number of the commit that the position is behind, or within.
    pub fn commit(&self) -> u64 {
        self.behind.commit
    }

    /// Whether both are places in one feed, of one life of the store.
    pub(crate) fn is_of_feed(&self, other: &FeedPosition) -> bool {
        (self.identity, self.table) == (other.identity, other.table)
    }

    /// Whether all that is in front of `other` is in front of this, too.
    pub(crate) fn covers(&self, other: &FeedPosition) -> bool {
        self.is_of_feed(other) && self.behind >= other.behind
    }
}

impl fmt::Display for FeedPosition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut bytes = Vec::with_capacity(53);
        bytes.push(VERSION);
        bytes.extend_from_slice(&self.identity.store);
        bytes.extend_from_slice(&self.identity.history);
        bytes.extend_from_slice(&self.table.to_le_bytes());
        bytes.extend_from_slice(&self.behind.commit.to_le_bytes());
        bytes.extend_from_slice(&self.behind.position.to_le_bytes());
        push_crc(&[], &mut bytes, 0);
        f.write_str(&URL_SAFE_NO_PAD.encode(bytes))
    }
}

impl FromStr for FeedPosition {
    type Err = Error;

    /// # Errors
    /// [`ErrorCode::InvalidInput`](crate::ErrorCode::InvalidInput) for text that is no position, was changed, or was
    /// made by a newer version.
    fn from_str(text: &str) -> Result<FeedPosition> {
        let invalid = || Error::invalid("The position is not one of a store's change feed, or not all of it.");
        let bytes = URL_SAFE_NO_PAD.decode(text.trim_ascii()).map_err(|_| invalid())?;
        let Some((body, true)) = split_crc(&[], &bytes) else {
            return Err(invalid());
        };
        let mut fields = Fields::new(body);
        if fields.u8() != Some(VERSION) {
            return Err(Error::invalid("It is no position, or one of another version of the store."));
        }
        read(fields).ok_or_else(invalid)
    }
}

fn read(mut fields: Fields<'_>) -> Option<FeedPosition> {
    let identity = Identity { store: fields.array()?, history: fields.array()? };
    let (table, commit, position) = (fields.u32()?, fields.u64()?, fields.u32()?);
    fields.rest().is_empty().then_some(FeedPosition { identity, table, behind: Behind { commit, position } })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ErrorCode;
    use crate::codec::token::{ContinuationToken, Direction, TokenPlace};

    const IDENTITY: Identity = Identity { store: *b"0123456789abcdef", history: *b"fedcba9876543210" };

    #[test]
    fn a_position_comes_back_from_its_text() {
        for (commit, position) in [(0, 0), (1, u32::MAX), (u64::MAX, 7)] {
            let position = FeedPosition { identity: IDENTITY, table: 7, behind: Behind { commit, position } };
            let text = position.to_string();
            assert_eq!(text.parse::<FeedPosition>().unwrap(), position);
            assert_eq!(format!(" {text}\n").parse::<FeedPosition>().unwrap(), position);
        }
    }

    #[test]
    fn what_is_no_position_is_invalid_input() {
        let good = FeedPosition { identity: IDENTITY, table: 7, behind: Behind::commit(3) }.to_string();
        let mut bad: Vec<String> = ["", "A", "no position", "é"].map(Into::into).into();
        bad.extend((0..good.len()).map(|end| good[..end].to_owned()));
        for at in 0..good.len() {
            let other = if good.as_bytes()[at] == b'A' { "B" } else { "A" };
            bad.push(format!("{}{other}{}", &good[..at], &good[at + 1..]));
        }
        // A continuation token of as many bytes.
        let token = ContinuationToken {
            identity: IDENTITY,
            table: 7,
            direction: Direction::Ascending,
            fingerprint: 1,
            place: TokenPlace::Row(vec![0, 1]),
        };
        bad.push(token.to_string());
        assert_eq!(token.to_string().len(), good.len());
        for text in bad {
            assert_eq!(text.parse::<FeedPosition>().unwrap_err().code(), ErrorCode::InvalidInput, "{text}");
        }
    }

    #[test]
    fn a_commit_is_behind_all_its_changes() {
        let inside = Behind { commit: 3, position: 4_000_000_000 };
        assert!(Behind::commit(2) < inside && inside < Behind::commit(3) && Behind::commit(3) < Behind::commit(4));
    }
}
