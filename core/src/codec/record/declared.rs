//! Records of what is declared on a table: indexes, relations, the change feed.

use super::fields::{self, Known, Unknown, damaged, unlisted};
use crate::Result;
use crate::limits::INDEX_PROPERTIES;

/// Where an index looks, and within what a unique one allows a value once.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Scope {
    /// Through the whole table, whatever the PartitionKey.
    #[default]
    Table,
    /// Within one partition: used by queries that name theirs.
    Partition,
}

/// What of an entity its index entry holds besides the indexed properties and the keys: a query that asks for no more
/// reads no row.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub enum Projection {
    /// Nothing: queries that only count read no row.
    #[default]
    Keys,
    /// All properties: a full copy of the row.
    All,
    /// These properties, and the Timestamp.
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
    /// Its entries were folded by another version of Unicode than that of a later writer: nobody keeps or reads them
    /// any more. Another index takes its place, and its entries are dropped.
    Stale,
}

/// An index.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct IndexRecord {
    pub(crate) name: Box<str>,
    pub(crate) id: u32,
    pub(crate) scope: Scope,
    pub(crate) is_unique: bool,
    /// Whether an entry of the index ever had a key longer than 1,973 bytes.
    pub(crate) has_long_keys: bool,
    /// Flags without a meaning in this version, which need none.
    pub(crate) other_flags: u32,
    /// 1 to 16; `RowKey` and `Timestamp` are the system properties.
    pub(crate) properties: Vec<Box<str>>,
    pub(crate) projection: Projection,
    pub(crate) state: IndexState,
    /// The version of Unicode whose tables folded the entries, if the index folds case: major, minor, patch.
    pub(crate) unicode: Option<[u8; 3]>,
    pub(crate) unknown: Unknown,
}

const UNIQUE: u32 = 1;
const FOLDS_CASE: u32 = 2;
const LONG_KEYS: u32 = 4;

impl IndexRecord {
    pub(crate) fn encode(&self, key: &[u8]) -> Vec<u8> {
        let bit = |is_set, bit| if is_set { bit } else { 0 };
        let flags = self.other_flags
            | bit(self.is_unique, UNIQUE)
            | bit(self.unicode.is_some(), FOLDS_CASE)
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
            IndexState::Stale => known.push(8, &[2]),
        }
        if let Some(version) = &self.unicode {
            known.push(10, version);
        }
        known.encode(key, &self.unknown)
    }

    /// # Errors
    /// `Damaged`, or `NewerFormat` for what must be known and is not.
    pub(crate) fn decode(key: &[u8], bytes: &[u8]) -> Result<IndexRecord> {
        let (mut name, mut id, mut scope, mut flags, mut properties) = (None, None, None, None, Vec::new());
        let (mut projection, mut names, mut state, mut from, mut unicode) = (None, Vec::new(), None, None, None);
        let unknown = fields::decode(key, bytes, &[5, 7], |tag, value| {
            match tag {
                1 => name = Some(value.name()?),
                2 => id = Some(value.u32()?),
                3 => {
                    scope = Some(value.one_of("scope", |scope| match scope {
                        0 => Some(Scope::Table),
                        1 => Some(Scope::Partition),
                        _ => None,
                    })?);
                }
                4 => flags = Some(value.flags(UNIQUE | FOLDS_CASE | LONG_KEYS)?),
                5 => properties.push(value.text()?.into()),
                6 => {
                    projection = Some(value.one_of("projection", |number| Some(number).filter(|number| *number <= 2))?)
                }
                7 => names.push(value.text()?.into()),
                8 => state = Some(value.one_of("state", |number| Some(number).filter(|number| *number <= 2))?),
                9 => from = Some(value.bytes().to_vec()),
                10 => unicode = Some(value.array()?),
                _ => return Ok(false),
            }
            Ok(true)
        })?;
        if properties.len() > INDEX_PROPERTIES {
            return Err(unlisted("number of properties"));
        }
        let (Some(name), Some(id), Some(scope), Some((flags, other_flags)), false) =
            (name, id, scope, flags, properties.is_empty())
        else {
            return Err(damaged("index"));
        };
        if (flags & FOLDS_CASE != 0) != unicode.is_some() {
            return Err(damaged("version of Unicode"));
        }
        Ok(IndexRecord {
            name: name.into(),
            id,
            scope,
            is_unique: flags & UNIQUE != 0,
            has_long_keys: flags & LONG_KEYS != 0,
            other_flags,
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
                (Some(2), None) => IndexState::Stale,
                _ => return Err(damaged("index state")),
            },
            unicode,
            unknown,
        })
    }
}

/// What becomes of the rows that link to a row which is deleted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum OnDelete {
    /// The delete is refused. The default.
    #[default]
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
    /// The index of the child that finds a parent's children; 0 if the keys alone find them.
    pub(crate) index: u32,
    pub(crate) unknown: Unknown,
}

impl RelationRecord {
    pub(crate) fn encode(&self, key: &[u8]) -> Vec<u8> {
        let mut known = Known::default();
        known.push(1, self.name.as_bytes());
        known.push(2, &self.id.to_le_bytes());
        known.push(3, &self.child.to_le_bytes());
        known.push(4, &self.parent.to_le_bytes());
        known.push(5, self.partition_key.as_bytes());
        known.push(6, self.row_key.as_bytes());
        known.push(7, &[matches!(self.on_delete, OnDelete::Cascade).into()]);
        known.push(8, &self.index.to_le_bytes());
        known.encode(key, &self.unknown)
    }

    /// # Errors
    /// `Damaged`, or `NewerFormat` for what must be known and is not.
    pub(crate) fn decode(key: &[u8], bytes: &[u8]) -> Result<RelationRecord> {
        let (mut name, mut id, mut child, mut parent) = (None, None, None, None);
        let (mut partition_key, mut row_key, mut on_delete, mut index) = (None, None, None, None);
        let unknown = fields::decode(key, bytes, &[], |tag, value| {
            match tag {
                1 => name = Some(value.name()?),
                2 => id = Some(value.u32()?),
                3 => child = Some(value.u32()?),
                4 => parent = Some(value.u32()?),
                5 => partition_key = Some(value.text()?),
                6 => row_key = Some(value.text()?),
                7 => {
                    on_delete = Some(value.one_of("rule for deletes", |rule| match rule {
                        0 => Some(OnDelete::Refuse),
                        1 => Some(OnDelete::Cascade),
                        _ => None,
                    })?);
                }
                8 => index = Some(value.u32()?),
                _ => return Ok(false),
            }
            Ok(true)
        })?;
        let (Some(name), Some(id), Some(child), Some(parent)) = (name, id, child, parent) else {
            return Err(damaged("relation"));
        };
        let (Some(partition_key), Some(row_key), Some(on_delete), Some(index)) =
            (partition_key, row_key, on_delete, index)
        else {
            return Err(damaged("link"));
        };
        Ok(RelationRecord {
            name: name.into(),
            id,
            child,
            parent,
            partition_key: partition_key.into(),
            row_key: row_key.into(),
            on_delete,
            index,
            unknown,
        })
    }
}

/// What the changes of a feed hold.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum FeedContent {
    /// Kind, keys and versions: the least room.
    Keys,
    /// The entity as it is after the change, too. The default.
    #[default]
    After,
    /// The entity as it was before and as it is after the change.
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
    /// How many changes are kept; 0 for any number.
    pub(crate) keep_changes: u64,
    /// Whether changes that a consumer has not seen are kept beyond age and number.
    pub(crate) waits_for_consumers: bool,
    pub(crate) unknown: Unknown,
}

impl FeedRecord {
    pub(crate) fn encode(&self, key: &[u8]) -> Vec<u8> {
        let content = match self.content {
            FeedContent::Keys => 0,
            FeedContent::After => 1,
            FeedContent::BeforeAndAfter => 2,
        };
        let mut known = Known::default();
        known.push(1, &[content]);
        known.push(2, &self.first_commit.to_le_bytes());
        known.push(3, &self.keep_ticks.to_le_bytes());
        known.push(4, &self.keep_changes.to_le_bytes());
        known.push(5, &[self.waits_for_consumers.into()]);
        known.encode(key, &self.unknown)
    }

    /// # Errors
    /// `Damaged`, or `NewerFormat` for what must be known and is not.
    pub(crate) fn decode(key: &[u8], bytes: &[u8]) -> Result<FeedRecord> {
        let (mut content, mut first_commit, mut keep_ticks, mut keep_changes, mut waits) =
            (None, None, None, None, None);
        let unknown = fields::decode(key, bytes, &[], |tag, value| {
            match tag {
                1 => {
                    content = Some(value.one_of("content", |content| match content {
                        0 => Some(FeedContent::Keys),
                        1 => Some(FeedContent::After),
                        2 => Some(FeedContent::BeforeAndAfter),
                        _ => None,
                    })?);
                }
                2 => first_commit = Some(value.u64()?),
                3 => keep_ticks = Some(value.u64()?),
                4 => keep_changes = Some(value.u64()?),
                5 => {
                    waits = Some(value.one_of("rule for consumers", |waits| match waits {
                        0 => Some(false),
                        1 => Some(true),
                        _ => None,
                    })?);
                }
                _ => return Ok(false),
            }
            Ok(true)
        })?;
        match (content, first_commit, keep_ticks, keep_changes, waits) {
            (Some(content), Some(first_commit), Some(keep_ticks), Some(keep_changes), Some(waits_for_consumers)) => {
                Ok(FeedRecord { content, first_commit, keep_ticks, keep_changes, waits_for_consumers, unknown })
            }
            _ => Err(damaged("feed")),
        }
    }
}

/// How far a consumer of a table's changes has come; its name is in the key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ConsumerRecord {
    /// The last change that it is done with; commit 0 if there is none.
    pub(crate) commit: u64,
    pub(crate) position: u32,
    /// When it said so.
    pub(crate) ticks: i64,
    pub(crate) unknown: Unknown,
}

impl ConsumerRecord {
    pub(crate) fn encode(&self, key: &[u8]) -> Vec<u8> {
        let mut known = Known::default();
        known.push(1, &self.commit.to_le_bytes());
        known.push(2, &self.position.to_le_bytes());
        known.push(3, &self.ticks.to_le_bytes());
        known.encode(key, &self.unknown)
    }

    /// # Errors
    /// `Damaged`, or `NewerFormat` for what must be known and is not.
    pub(crate) fn decode(key: &[u8], bytes: &[u8]) -> Result<ConsumerRecord> {
        let (mut commit, mut position, mut ticks) = (None, None, None);
        let unknown = fields::decode(key, bytes, &[], |tag, value| {
            match tag {
                1 => commit = Some(value.u64()?),
                2 => position = Some(value.u32()?),
                3 => ticks = Some(value.ticks()?),
                _ => return Ok(false),
            }
            Ok(true)
        })?;
        match (commit, position, ticks) {
            (Some(commit), Some(position), Some(ticks)) => Ok(ConsumerRecord { commit, position, ticks, unknown }),
            _ => Err(damaged("consumer")),
        }
    }
}
