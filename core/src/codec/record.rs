//! Records of the catalog: their keys, and their values of tagged fields, unknown ones kept.

mod declared;
mod fields;

use crate::Result;
use crate::model::EdmType;
use fields::{Known, damaged};
use std::sync::Arc;

pub(crate) use declared::{
    FeedContent, FeedRecord, IndexRecord, IndexState, OnDelete, Projection, RelationRecord, Scope,
};
pub(crate) use fields::Unknown;

/// The first byte of a catalog key.
const NAME: u8 = 0x01;
const TABLE: u8 = 0x02;
const DROP: u8 = 0x03;

/// In a table's keys, the byte after its id.
const ITSELF: u8 = 0x00;
const SLOT: u8 = 0x01;
const INDEX: u8 = 0x02;
const RELATION: u8 = 0x03;
const FEED: u8 = 0x04;
const RELATED: u8 = 0x05;

/// The keys of the catalog. A table's records but its name lie together, behind [`key::table_records`].
pub(crate) mod key {
    use super::{DROP, DropOf, FEED, INDEX, ITSELF, NAME, RELATED, RELATION, SLOT, TABLE};

    /// The id of the table whose name, in lower case, is `folded`.
    pub(crate) fn name(folded: &str) -> Vec<u8> {
        [&[NAME], folded.as_bytes()].concat()
    }

    /// The first byte of every name's key; the rest is the name.
    pub(crate) const NAMES: [u8; 1] = [NAME];

    /// The first bytes of every record of a table.
    pub(crate) fn table_records(table: u32) -> Vec<u8> {
        [&[TABLE][..], &table.to_be_bytes()].concat()
    }

    fn of_table(table: u32, kind: u8, rest: &[u8]) -> Vec<u8> {
        [&[TABLE][..], &table.to_be_bytes(), &[kind], rest].concat()
    }

    /// The table itself.
    pub(crate) fn table(table: u32) -> Vec<u8> {
        of_table(table, ITSELF, &[])
    }

    /// The first bytes of every slot of a table.
    pub(crate) fn slots(table: u32) -> Vec<u8> {
        of_table(table, SLOT, &[])
    }

    /// A slot of a shape.
    pub(crate) fn slot(table: u32, shape: u16, slot: u16) -> Vec<u8> {
        of_table(table, SLOT, &[shape.to_be_bytes(), slot.to_be_bytes()].concat())
    }

    /// The first bytes of every index of a table.
    pub(crate) fn indexes(table: u32) -> Vec<u8> {
        of_table(table, INDEX, &[])
    }

    /// An index.
    pub(crate) fn index(table: u32, index: u32) -> Vec<u8> {
        of_table(table, INDEX, &index.to_be_bytes())
    }

    /// The first bytes of every relation that is declared on a table.
    pub(crate) fn relations(table: u32) -> Vec<u8> {
        of_table(table, RELATION, &[])
    }

    /// A relation, under the table whose rows link.
    pub(crate) fn relation(table: u32, relation: u32) -> Vec<u8> {
        of_table(table, RELATION, &relation.to_be_bytes())
    }

    /// The settings of a table's change feed.
    pub(crate) fn feed(table: u32) -> Vec<u8> {
        of_table(table, FEED, &[])
    }

    /// The first bytes of every relation that links to a table.
    pub(crate) fn related(table: u32) -> Vec<u8> {
        of_table(table, RELATED, &[])
    }

    /// A relation, under the table that its links lead to.
    pub(crate) fn related_by(table: u32, relation: u32) -> Vec<u8> {
        of_table(table, RELATED, &relation.to_be_bytes())
    }

    /// The first byte of every drop in progress.
    pub(crate) const DROPS: [u8; 1] = [DROP];

    /// A drop in progress.
    pub(crate) fn drop(of: DropOf) -> Vec<u8> {
        let (kind, id) = match of {
            DropOf::Table(id) => (1, id),
            DropOf::Index(id) => (2, id),
        };
        [&[DROP, kind][..], &id.to_be_bytes()].concat()
    }

    /// What is being dropped, from the key of its record.
    pub(crate) fn parse_drop(key: &[u8]) -> Option<DropOf> {
        let (head, id) = key.split_first_chunk::<2>()?;
        let id = u32::from_be_bytes(id.try_into().ok()?);
        match head {
            [DROP, 1] => Some(DropOf::Table(id)),
            [DROP, 2] => Some(DropOf::Index(id)),
            _ => None,
        }
    }

    /// Shape and number of a slot, from its key.
    pub(crate) fn parse_slot(key: &[u8]) -> Option<(u16, u16)> {
        let (head, rest) = key.split_first_chunk::<6>()?;
        let (shape, slot) = rest.split_first_chunk::<2>()?;
        let is_slot = head[0] == TABLE && head[5] == SLOT;
        is_slot.then_some((u16::from_be_bytes(*shape), u16::from_be_bytes(slot.try_into().ok()?)))
    }
}

/// What a drop in progress removes, in steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum DropOf {
    /// The rows and changes of a table.
    Table(u32),
    /// The entries of an index.
    Index(u32),
}

/// A table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct TableRecord {
    /// As it was written.
    pub(crate) name: Box<str>,
    pub(crate) id: u32,
    /// Raised whenever a record of the table changes: views are kept by it.
    pub(crate) generation: u64,
    /// Whether a row of the table ever had a key longer than 1,973 bytes.
    pub(crate) has_long_keys: bool,
    /// Flags without a meaning in this version.
    pub(crate) other_flags: u32,
    pub(crate) unknown: Unknown,
}

const LONG_KEYS: u32 = 1;

impl TableRecord {
    pub(crate) fn new(name: &str, id: u32) -> TableRecord {
        TableRecord {
            name: name.into(),
            id,
            generation: 1,
            has_long_keys: false,
            other_flags: 0,
            unknown: Unknown::default(),
        }
    }

    pub(crate) fn encode(&self) -> Vec<u8> {
        let flags = self.other_flags | if self.has_long_keys { LONG_KEYS } else { 0 };
        let mut known = Known::default();
        known.push(1, self.name.as_bytes());
        known.push(2, &self.id.to_le_bytes());
        known.push(3, &self.generation.to_le_bytes());
        known.push(4, &flags.to_le_bytes());
        known.encode(&self.unknown)
    }

    /// # Errors
    /// `Damaged`, or `NewerFormat` for a field that must be known.
    pub(crate) fn decode(bytes: &[u8]) -> Result<TableRecord> {
        let (mut name, mut id, mut generation, mut flags) = (None, None, None, None);
        let unknown = fields::decode(bytes, &[], |tag, value| {
            match tag {
                1 => name = Some(value.text()?),
                2 => id = Some(value.u32()?),
                3 => generation = Some(value.u64()?),
                4 => flags = Some(value.u32()?),
                _ => return Ok(false),
            }
            Ok(true)
        })?;
        let (Some(name), Some(id), Some(generation), Some(flags)) = (name, id, generation, flags) else {
            return Err(damaged("table"));
        };
        Ok(TableRecord {
            name: name.into(),
            id,
            generation,
            has_long_keys: flags & LONG_KEYS != 0,
            other_flags: flags & !LONG_KEYS,
            unknown,
        })
    }
}

/// Which table has a name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct NameRecord {
    pub(crate) table: u32,
    pub(crate) unknown: Unknown,
}

impl NameRecord {
    pub(crate) fn new(table: u32) -> NameRecord {
        NameRecord { table, unknown: Unknown::default() }
    }

    pub(crate) fn encode(&self) -> Vec<u8> {
        let mut known = Known::default();
        known.push(1, &self.table.to_le_bytes());
        known.encode(&self.unknown)
    }

    /// # Errors
    /// `Damaged`, or `NewerFormat` for a field that must be known.
    pub(crate) fn decode(bytes: &[u8]) -> Result<NameRecord> {
        let mut table = None;
        let unknown = fields::decode(bytes, &[], |tag, value| {
            match tag {
                1 => table = Some(value.u32()?),
                _ => return Ok(false),
            }
            Ok(true)
        })?;
        Ok(NameRecord { table: table.ok_or_else(|| damaged("name"))?, unknown })
    }
}

/// A slot of a shape; table, shape and number are in its key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct SlotRecord {
    pub(crate) edm_type: EdmType,
    pub(crate) name: Arc<str>,
    pub(crate) unknown: Unknown,
}

impl SlotRecord {
    pub(crate) fn new(edm_type: EdmType, name: Arc<str>) -> SlotRecord {
        SlotRecord { edm_type, name, unknown: Unknown::default() }
    }

    pub(crate) fn encode(&self) -> Vec<u8> {
        let mut known = Known::default();
        known.push(1, &[self.edm_type as u8]);
        known.push(2, self.name.as_bytes());
        known.encode(&self.unknown)
    }

    /// # Errors
    /// `Damaged`, or `NewerFormat` for a field that must be known.
    pub(crate) fn decode(bytes: &[u8]) -> Result<SlotRecord> {
        let (mut edm_type, mut name) = (None, None);
        let unknown = fields::decode(bytes, &[], |tag, value| {
            match tag {
                1 => edm_type = EdmType::from_number(value.u8()?),
                2 => name = Some(value.text()?.into()),
                _ => return Ok(false),
            }
            Ok(true)
        })?;
        match (edm_type, name) {
            (Some(edm_type), Some(name)) => Ok(SlotRecord { edm_type, name, unknown }),
            _ => Err(damaged("slot")),
        }
    }
}

/// A drop in progress; what is dropped is in its key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct DropRecord {
    /// The name that it had, for `stats`.
    pub(crate) name: Box<str>,
    pub(crate) unknown: Unknown,
}

impl DropRecord {
    pub(crate) fn new(name: &str) -> DropRecord {
        DropRecord { name: name.into(), unknown: Unknown::default() }
    }

    pub(crate) fn encode(&self) -> Vec<u8> {
        let mut known = Known::default();
        known.push(1, self.name.as_bytes());
        known.encode(&self.unknown)
    }

    /// # Errors
    /// `Damaged`, or `NewerFormat` for a field that must be known.
    pub(crate) fn decode(bytes: &[u8]) -> Result<DropRecord> {
        let mut name = None;
        let unknown = fields::decode(bytes, &[], |tag, value| {
            match tag {
                1 => name = Some(value.text()?),
                _ => return Ok(false),
            }
            Ok(true)
        })?;
        Ok(DropRecord { name: name.ok_or_else(|| damaged("drop"))?.into(), unknown })
    }
}

#[cfg(test)]
mod tests;
