//! Changes: what the feed holds of each write of an entity.

use super::bytes::{CRC_BYTES, Fields, push_crc, split_crc};
use super::row::check_bytes;
use crate::limits::TICKS_LAST;
use crate::{Error, ErrorCode, Result};

const BEFORE: u8 = 1;
const AFTER: u8 = 2;
/// Kind, flags, two lengths, two bytes without a meaning, three times.
const HEAD_BYTES: usize = 8 + 3 * 8;
/// What was done to an entity.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ChangeKind {
    /// There was none with its keys, and now there is.
    Created,
    /// It was there, and was written, whatever became of its properties.
    Changed,
    /// It was there, and is gone.
    Deleted,
}

/// Where a change lies: after every change of an earlier commit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct ChangeKey {
    pub(crate) table: u32,
    pub(crate) commit: u64,
    /// Among all changes of that commit, whatever their tables, from 0.
    pub(crate) position: u32,
}

impl ChangeKey {
    pub(crate) fn encode(self) -> [u8; 16] {
        let mut key = [0; 16];
        key[..4].copy_from_slice(&self.table.to_be_bytes());
        key[4..12].copy_from_slice(&self.commit.to_be_bytes());
        key[12..].copy_from_slice(&self.position.to_be_bytes());
        key
    }

    /// # Errors
    /// `Damaged` for another length.
    pub(crate) fn decode(key: &[u8]) -> Result<ChangeKey> {
        let mut fields = Fields::new(key);
        let (Some(table), Some(commit), Some(position), []) =
            (fields.array(), fields.array(), fields.array(), fields.rest())
        else {
            return Err(Error::damaged("A change's key has not 16 bytes."));
        };
        Ok(ChangeKey {
            table: u32::from_be_bytes(table),
            commit: u64::from_be_bytes(commit),
            position: u32::from_be_bytes(position),
        })
    }
}

/// One change of one entity.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Change<'a> {
    pub(crate) kind: ChangeKind,
    pub(crate) partition_key: &'a str,
    pub(crate) row_key: &'a str,
    /// The Timestamp that the entity was given; of a delete the tick that the delete was given.
    pub(crate) ticks: i64,
    /// The entity's Timestamp before; 0 if it was created.
    pub(crate) ticks_before: i64,
    /// The tick of the commit: the same in all its changes, and never before that of an earlier commit.
    pub(crate) commit_ticks: i64,
    /// The entity before and after as self-describing rows under the change's key, where the feed holds them.
    pub(crate) before: Option<&'a [u8]>,
    pub(crate) after: Option<&'a [u8]>,
}

impl<'a> Change<'a> {
    /// Appends the change under this key.
    ///
    /// # Errors
    /// `KeyValueTooLarge` for an entity's key of more bytes than the file holds, `EntityTooLarge` for rows of so many.
    pub(crate) fn encode(&self, key: &[u8], out: &mut Vec<u8>) -> Result<()> {
        let key_bytes = |key: &str| u16::try_from(key.len()).map_err(|_| Error::new(ErrorCode::KeyValueTooLarge));
        let (partition_key_bytes, row_key_bytes) = (key_bytes(self.partition_key)?, key_bytes(self.row_key)?);
        let rows = [self.before, self.after].into_iter().flatten();
        let head_bytes = HEAD_BYTES + self.partition_key.len() + self.row_key.len() + CRC_BYTES;
        let change_bytes = rows.clone().fold(head_bytes as u64, |sum, row| sum + 4 + row.len() as u64);
        out.reserve(check_bytes(change_bytes)?);
        let start = out.len();
        let kind = match self.kind {
            ChangeKind::Created => 1,
            ChangeKind::Changed => 2,
            ChangeKind::Deleted => 3,
        };
        let flag = |row: Option<&[u8]>, flag| if row.is_some() { flag } else { 0 };
        out.extend_from_slice(&[kind, flag(self.before, BEFORE) | flag(self.after, AFTER)]);
        out.extend_from_slice(&partition_key_bytes.to_le_bytes());
        out.extend_from_slice(&row_key_bytes.to_le_bytes());
        out.extend_from_slice(&[0; 2]);
        out.extend_from_slice(&self.ticks.to_le_bytes());
        out.extend_from_slice(&self.ticks_before.to_le_bytes());
        out.extend_from_slice(&self.commit_ticks.to_le_bytes());
        out.extend_from_slice(self.partition_key.as_bytes());
        out.extend_from_slice(self.row_key.as_bytes());
        for row in rows {
            // The whole change is within the limit, so its parts are.
            out.extend_from_slice(&(row.len() as u32).to_le_bytes());
            out.extend_from_slice(row);
        }
        push_crc(key, out, start);
        Ok(())
    }

    /// Reads the change under this key, its CRC included.
    ///
    /// # Errors
    /// `Damaged`, or `NewerFormat` for a kind or flag of a later version.
    pub(crate) fn decode(key: &[u8], bytes: &'a [u8]) -> Result<Change<'a>> {
        let Some((body, true)) = split_crc(key, bytes) else {
            return Err(Error::damaged("A change's CRC is not that of its key and bytes."));
        };
        let mut fields = Fields::new(body);
        let kind = match (fields.u8(), fields.u8()) {
            (Some(1..=3), Some(flags)) if flags & !(BEFORE | AFTER) != 0 => None,
            (Some(1), _) => Some(ChangeKind::Created),
            (Some(2), _) => Some(ChangeKind::Changed),
            (Some(3), _) => Some(ChangeKind::Deleted),
            _ => None,
        };
        let newer = "A change is of a kind, or has a flag, that this version does not know.";
        let kind = kind.ok_or_else(|| Error::new(ErrorCode::NewerFormat).fact(newer))?;
        Change::read(kind, body).ok_or_else(|| Error::damaged("A change's parts contradict each other."))
    }

    fn read(kind: ChangeKind, body: &'a [u8]) -> Option<Change<'a>> {
        let mut fields = Fields::new(body);
        let [_, flags] = fields.array()?;
        let (partition_key_bytes, row_key_bytes, _) = (fields.u16()?, fields.u16()?, fields.u16()?);
        let (ticks, ticks_before, commit_ticks) = (fields.i64()?, fields.i64()?, fields.i64()?);
        let partition_key = std::str::from_utf8(fields.take(partition_key_bytes.into())?).ok()?;
        let row_key = std::str::from_utf8(fields.take(row_key_bytes.into())?).ok()?;
        let mut row = |flag| {
            if flags & flag == 0 {
                return Some(None);
            }
            let bytes = usize::try_from(fields.u32()?).ok()?;
            fields.take(bytes).map(Some)
        };
        let (before, after) = (row(BEFORE)?, row(AFTER)?);
        let change = Change { kind, partition_key, row_key, ticks, ticks_before, commit_ticks, before, after };
        let fits = match kind {
            ChangeKind::Created => before.is_none() && ticks_before == 0,
            ChangeKind::Changed => true,
            ChangeKind::Deleted => after.is_none(),
        };
        let are_ticks = [ticks, ticks_before, commit_ticks].iter().all(|ticks| (0..=TICKS_LAST).contains(ticks));
        (fits && are_ticks && fields.rest().is_empty()).then_some(change)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn changes_sort_by_table_commit_and_position() {
        let key = |table, commit, position| ChangeKey { table, commit, position };
        let keys = [key(1, 2, 3), key(1, 2, 256), key(1, 3, 0), key(1, 1 << 40, 0), key(2, 0, 0), key(256, 0, 0)];
        assert!(keys.is_sorted_by(|a, b| a < b && a.encode() < b.encode()));
        for key in keys {
            assert_eq!(ChangeKey::decode(&key.encode()).unwrap(), key);
        }
        assert_eq!(ChangeKey::decode(&[0; 15]).unwrap_err().code(), ErrorCode::Damaged);
        assert_eq!(ChangeKey::decode(&[0; 17]).unwrap_err().code(), ErrorCode::Damaged);
    }

    fn deleted() -> Change<'static> {
        Change {
            kind: ChangeKind::Deleted,
            partition_key: "é",
            row_key: "",
            ticks: 7,
            ticks_before: 6,
            commit_ticks: 8,
            before: None,
            after: None,
        }
    }

    #[test]
    fn what_a_later_version_writes_is_told_from_damage() {
        let check = |at: usize, byte: u8, code| {
            let mut bytes = Vec::new();
            deleted().encode(b"key", &mut bytes).unwrap();
            bytes[at] = byte;
            assert_eq!(Change::decode(b"key", &bytes).unwrap_err().code(), ErrorCode::Damaged, "the CRC");
            bytes.truncate(bytes.len() - 4);
            push_crc(b"key", &mut bytes, 0);
            assert_eq!(Change::decode(b"key", &bytes).unwrap_err().code(), code, "{at} {byte}");
        };
        check(0, 4, ErrorCode::NewerFormat);
        check(0, 0, ErrorCode::NewerFormat);
        check(1, 4, ErrorCode::NewerFormat);
        check(1, 1, ErrorCode::Damaged);
        check(2, 1, ErrorCode::Damaged);
        check(4, 1, ErrorCode::Damaged);
        for time in [8, 16, 24] {
            check(time + 7, 0x7f, ErrorCode::Damaged);
            check(time + 7, 0xff, ErrorCode::Damaged);
        }
        // An entity that was created had no former Timestamp.
        check(0, 1, ErrorCode::Damaged);
    }

    #[test]
    fn a_change_belongs_to_its_key() {
        let mut bytes = Vec::new();
        deleted().encode(b"key", &mut bytes).unwrap();
        assert_eq!(Change::decode(b"key", &bytes).unwrap(), deleted());
        assert_eq!(Change::decode(b"kex", &bytes).unwrap_err().code(), ErrorCode::Damaged);
    }

    #[test]
    fn a_kind_says_which_rows_there_may_be() {
        use ChangeKind::{Changed, Created, Deleted};
        for (kind, before, after, is_right) in [
            (Created, false, true, true),
            (Created, true, true, false),
            (Created, true, false, false),
            (Created, false, false, true),
            (Changed, true, true, true),
            (Changed, false, true, true),
            (Deleted, true, false, true),
            (Deleted, false, true, false),
            (Deleted, true, true, false),
        ] {
            let row = |is_there: bool| is_there.then_some(&b"row"[..]);
            let ticks_before = if kind == Created { 0 } else { 6 };
            let change = Change { kind, ticks_before, before: row(before), after: row(after), ..deleted() };
            let mut bytes = Vec::new();
            change.encode(b"", &mut bytes).unwrap();
            let read = Change::decode(b"", &bytes);
            assert_eq!(read.as_ref().ok(), Some(&change).filter(|_| is_right), "{change:?}");
            assert!(read.is_ok() || read.is_err_and(|error| error.code() == ErrorCode::Damaged));
        }
    }

    proptest! {
        #![proptest_config(crate::codec::tests::config(256))]
        #[test]
        fn a_change_comes_back(
            partition_key in any::<String>(),
            row_key in any::<String>(),
            ticks in (0..=TICKS_LAST, 0..=TICKS_LAST, 0..=TICKS_LAST),
            before in proptest::option::of(any::<Vec<u8>>()),
            after in proptest::option::of(any::<Vec<u8>>()),
            key in any::<[u8; 16]>(),
        ) {
            let change = Change {
                kind: ChangeKind::Changed,
                partition_key: &partition_key,
                row_key: &row_key,
                ticks: ticks.0,
                ticks_before: ticks.1,
                commit_ticks: ticks.2,
                before: before.as_deref(),
                after: after.as_deref(),
            };
            for change in [
                change,
                Change { kind: ChangeKind::Created, ticks_before: 0, before: None, ..change },
                Change { kind: ChangeKind::Deleted, after: None, ..change },
            ] {
                let mut bytes = vec![1, 2, 3];
                change.encode(&key, &mut bytes).unwrap();
                prop_assert_eq!(Change::decode(&key, &bytes[3..]).unwrap(), change);
            }
        }
    }
}
