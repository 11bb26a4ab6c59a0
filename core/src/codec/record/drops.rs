//! Drops in progress: what is gone already, but still takes room.

use super::Unknown;
use super::fields::{self, Known, damaged};
use crate::Result;

/// What a drop in progress removes, in steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum DropOf {
    /// The rows and changes of a table.
    Table(u32),
    /// The entries of an index.
    Index(u32),
    /// Changes of a table whose feed was switched off.
    Changes(u32),
}

impl DropOf {
    /// The kind's number, and the id.
    pub(super) fn parts(self) -> (u8, u32) {
        match self {
            DropOf::Table(id) => (1, id),
            DropOf::Index(id) => (2, id),
            DropOf::Changes(id) => (3, id),
        }
    }
}

/// A drop in progress.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct DropRecord {
    /// The name that it had, for `stats`; of changes the table's.
    pub(crate) name: Box<str>,
    /// The id in the key again: a drop that lost its way would take what lives.
    id: u32,
    /// Of an index the table that it was of.
    pub(crate) table: Option<u32>,
    /// Of changes the commit before which they go.
    pub(crate) before_commit: Option<u64>,
    pub(crate) unknown: Unknown,
}

impl DropRecord {
    pub(crate) fn of_table(name: &str, id: u32) -> DropRecord {
        DropRecord { name: name.into(), id, table: None, before_commit: None, unknown: Unknown::default() }
    }

    pub(crate) fn of_index(name: &str, id: u32, table: u32) -> DropRecord {
        DropRecord { table: Some(table), ..DropRecord::of_table(name, id) }
    }

    pub(crate) fn of_changes(name: &str, table: u32, before_commit: u64) -> DropRecord {
        DropRecord { before_commit: Some(before_commit), ..DropRecord::of_table(name, table) }
    }

    pub(crate) fn encode(&self, key: &[u8]) -> Vec<u8> {
        let mut known = Known::default();
        known.push(1, self.name.as_bytes());
        known.push(2, &self.id.to_le_bytes());
        if let Some(table) = self.table {
            known.push(3, &table.to_le_bytes());
        }
        if let Some(commit) = self.before_commit {
            known.push(4, &commit.to_le_bytes());
        }
        known.encode(key, &self.unknown)
    }

    /// # Errors
    /// `Damaged`, or `NewerFormat` for what must be known and is not.
    pub(crate) fn decode(key: &[u8], bytes: &[u8]) -> Result<DropRecord> {
        let (mut name, mut id, mut table, mut before_commit) = (None, None, None, None);
        let unknown = fields::decode(key, bytes, &[], |tag, value| {
            match tag {
                1 => name = Some(value.text()?),
                2 => id = Some(value.u32()?),
                3 => table = Some(value.u32()?),
                4 => before_commit = Some(value.u64()?),
                _ => return Ok(false),
            }
            Ok(true)
        })?;
        let (Some(name), Some(id), Some(of)) = (name, id, super::key::parse_drop(key)?) else {
            return Err(damaged("drop"));
        };
        let is_whole = id == of.parts().1
            && table.is_some() == matches!(of, DropOf::Index(_))
            && before_commit.is_some() == matches!(of, DropOf::Changes(_));
        if !is_whole {
            return Err(damaged("drop"));
        }
        Ok(DropRecord { name: name.into(), id, table, before_commit, unknown })
    }
}
