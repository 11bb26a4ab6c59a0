//! Records of what is declared on a table: indexes, relations, the change feed.

use super::fields::{self, Known, Unknown, damaged};
use crate::Result;

/// Where an index looks: through the whole table, or within one partition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Scope {
    Table,
    Partition,
}

/// What of a row its entry holds besides the components and the keys.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Projection {
    Keys,
    All,
    /// These properties.
    Names(Vec<Box<str>>),
}

/// Whether readers may use an index.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum IndexState {
    /// Not yet: rows before this logical row key have their entries, and every row written since the index was
    /// declared.
    Building {
        from: Vec<u8>,
    },
    Ready,
}

/// An index.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct IndexRecord {
    pub(crate) name: Box<str>,
    pub(crate) id: u32,
    pub(crate) scope: Scope,
    pub(crate) is_unique: bool,
    pub(crate) folds_case: bool,
    /// Whether an entry of the index ever had a key longer than 1,973 bytes.
    pub(crate) has_long_keys: bool,
    /// Flags without a meaning in this version.
    pub(crate) other_flags: u32,
    /// At least one; `RowKey` and `Timestamp` are the system properties.
    pub(crate) properties: Vec<Box<str>>,
    pub(crate) projection: Projection,
    pub(crate) state: IndexState,
    /// The version of Unicode whose tables folded the entries: major, minor, patch.
    pub(crate) unicode: Option<[u8; 3]>,
    pub(crate) unknown: Unknown,
}

const UNIQUE: u32 = 1;
const FOLDS_CASE: u32 = 2;
const LONG_KEYS: u32 = 4;

impl IndexRecord {
    pub(crate) fn encode(&self) -> Vec<u8> {
        let bit = |is_set, bit| if is_set { bit } else { 0 };
        let flags = self.other_flags
            | bit(self.is_unique, UNIQUE)
            | bit(self.folds_case, FOLDS_CASE)
            | bit(self.has_long_keys, LONG_KEYS);
        let mut known = Known::default();
        known.push(1, self.name.as_bytes());
        known.push(2, &self.id.to_le_bytes());
        known.push(3, &[matches!(self.scope, Scope::Partition).into()]);
        known.push(4, &flags.to_le_bytes());
        for property in &self.properties {
            known.push(5, property.as_bytes());
        }
        match &self.projection {
            Projection::Keys => known.push(6, &[0]),
            Projection::All => known.push(6, &[1]),
            Projection::Names(names) => {
                known.push(6, &[2]);
                for name in names {
                    known.push(7, name.as_bytes());
                }
            }
        }
        match &self.state {
            IndexState::Building { from } => {
                known.push(8, &[0]);
                known.push(9, from);
            }
            IndexState::Ready => known.push(8, &[1]),
        }
        if let Some(version) = &self.unicode {
            known.push(10, version);
        }
        known.encode(&self.unknown)
    }

    /// # Errors
    /// `Damaged`, or `NewerFormat` for a field that must be known.
    pub(crate) fn decode(bytes: &[u8]) -> Result<IndexRecord> {
        let (mut name, mut id, mut scope, mut flags, mut properties) = (None, None, None, None, Vec::new());
        let (mut projection, mut names, mut state, mut from, mut unicode) = (None, Vec::new(), None, None, None);
        let unknown = fields::decode(bytes, &[5, 7], |tag, value| {
            match tag {
                1 => name = Some(value.text()?),
                2 => id = Some(value.u32()?),
                3 => scope = Some(value.u8()?),
                4 => flags = Some(value.u32()?),
                5 => properties.push(value.text()?.into()),
                6 => projection = Some(value.u8()?),
                7 => names.push(value.text()?.into()),
                8 => state = Some(value.u8()?),
                9 => from = Some(value.bytes().to_vec()),
                10 => unicode = Some(value.array()?),
                _ => return Ok(false),
            }
            Ok(true)
        })?;
        let (Some(name), Some(id), Some(flags), false) = (name, id, flags, properties.is_empty()) else {
            return Err(damaged("index"));
        };
        Ok(IndexRecord {
            name: name.into(),
            id,
            scope: match scope {
                Some(0) => Scope::Table,
                Some(1) => Scope::Partition,
                _ => return Err(damaged("scope")),
            },
            is_unique: flags & UNIQUE != 0,
            folds_case: flags & FOLDS_CASE != 0,
            has_long_keys: flags & LONG_KEYS != 0,
            other_flags: flags & !(UNIQUE | FOLDS_CASE | LONG_KEYS),
            properties,
            projection: match (projection, names.is_empty()) {
                (Some(0), true) => Projection::Keys,
                (Some(1), true) => Projection::All,
                (Some(2), _) => Projection::Names(names),
                _ => return Err(damaged("projection")),
            },
            state: match (state, from) {
                (Some(0), Some(from)) => IndexState::Building { from },
                (Some(1), None) => IndexState::Ready,
                _ => return Err(damaged("index state")),
            },
            unicode,
            unknown,
        })
    }
}

/// What happens to the rows that link to a row that is deleted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum OnDelete {
    /// The delete is refused.
    Refuse,
    /// They are deleted, too.
    Cascade,
}

/// A relation: each row of one table, the child, links to a row of another, the parent. The same record lies under
/// both tables.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct RelationRecord {
    pub(crate) name: Box<str>,
    pub(crate) id: u32,
    pub(crate) child: u32,
    pub(crate) parent: u32,
    /// The property of the child that is the parent's PartitionKey; one of the keys, or a custom one.
    pub(crate) partition_key: Box<str>,
    /// The property of the child that is the parent's RowKey.
    pub(crate) row_key: Box<str>,
    pub(crate) on_delete: OnDelete,
    pub(crate) unknown: Unknown,
}

impl RelationRecord {
    pub(crate) fn encode(&self) -> Vec<u8> {
        let mut known = Known::default();
        known.push(1, self.name.as_bytes());
        known.push(2, &self.id.to_le_bytes());
        known.push(3, &self.child.to_le_bytes());
        known.push(4, &self.parent.to_le_bytes());
        known.push(5, self.partition_key.as_bytes());
        known.push(6, self.row_key.as_bytes());
        known.push(7, &[matches!(self.on_delete, OnDelete::Cascade).into()]);
        known.encode(&self.unknown)
    }

    /// # Errors
    /// `Damaged`, or `NewerFormat` for a field that must be known.
    pub(crate) fn decode(bytes: &[u8]) -> Result<RelationRecord> {
        let (mut name, mut id, mut child, mut parent) = (None, None, None, None);
        let (mut partition_key, mut row_key, mut on_delete) = (None, None, None);
        let unknown = fields::decode(bytes, &[], |tag, value| {
            match tag {
                1 => name = Some(value.text()?),
                2 => id = Some(value.u32()?),
                3 => child = Some(value.u32()?),
                4 => parent = Some(value.u32()?),
                5 => partition_key = Some(value.text()?),
                6 => row_key = Some(value.text()?),
                7 => on_delete = Some(value.u8()?),
                _ => return Ok(false),
            }
            Ok(true)
        })?;
        let (Some(name), Some(id), Some(child), Some(parent)) = (name, id, child, parent) else {
            return Err(damaged("relation"));
        };
        let (Some(partition_key), Some(row_key)) = (partition_key, row_key) else {
            return Err(damaged("link"));
        };
        Ok(RelationRecord {
            name: name.into(),
            id,
            child,
            parent,
            partition_key: partition_key.into(),
            row_key: row_key.into(),
            on_delete: match on_delete {
                Some(0) => OnDelete::Refuse,
                Some(1) => OnDelete::Cascade,
                _ => return Err(damaged("rule for deletes")),
            },
            unknown,
        })
    }
}

/// What a table's changes hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FeedContent {
    /// Kind, keys and versions.
    Keys,
    /// The properties after the change, too.
    After,
    /// The properties before and after it.
    BeforeAndAfter,
}

/// The settings of a table's change feed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct FeedRecord {
    pub(crate) content: FeedContent,
    /// The first commit whose changes are kept: a reader that stands before it has missed some.
    pub(crate) first_commit: u64,
    /// How long changes are kept, in ticks; 0 for ever.
    pub(crate) keep_ticks: u64,
    pub(crate) unknown: Unknown,
}

impl FeedRecord {
    pub(crate) fn encode(&self) -> Vec<u8> {
        let content = match self.content {
            FeedContent::Keys => 0,
            FeedContent::After => 1,
            FeedContent::BeforeAndAfter => 2,
        };
        let mut known = Known::default();
        known.push(1, &[content]);
        known.push(2, &self.first_commit.to_le_bytes());
        known.push(3, &self.keep_ticks.to_le_bytes());
        known.encode(&self.unknown)
    }

    /// # Errors
    /// `Damaged`, or `NewerFormat` for a field that must be known.
    pub(crate) fn decode(bytes: &[u8]) -> Result<FeedRecord> {
        let (mut content, mut first_commit, mut keep_ticks) = (None, None, None);
        let unknown = fields::decode(bytes, &[], |tag, value| {
            match tag {
                1 => content = Some(value.u8()?),
                2 => first_commit = Some(value.u64()?),
                3 => keep_ticks = Some(value.u64()?),
                _ => return Ok(false),
            }
            Ok(true)
        })?;
        let content = match content {
            Some(0) => FeedContent::Keys,
            Some(1) => FeedContent::After,
            Some(2) => FeedContent::BeforeAndAfter,
            _ => return Err(damaged("content")),
        };
        let (Some(first_commit), Some(keep_ticks)) = (first_commit, keep_ticks) else {
            return Err(damaged("feed"));
        };
        Ok(FeedRecord { content, first_commit, keep_ticks, unknown })
    }
}
