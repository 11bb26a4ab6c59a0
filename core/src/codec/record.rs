//! Records of the catalog: their keys, and their values of tagged fields, unknown ones kept.

mod declared;
mod drops;
mod fields;

use crate::Result;
use crate::model::EdmType;
use fields::{Known, damaged};
use std::sync::Arc;

pub(crate) use declared::{ConsumerRecord, FeedRecord, IndexRecord, IndexState, RelationRecord};
pub use declared::{FeedContent, OnDelete, Projection, Scope};
pub(crate) use drops::{DropOf, DropRecord};
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
const CONSUMER: u8 = 0x06;

/// The keys of the catalog. A table's records but its name lie together, behind [`key::table_records`].
pub(crate) mod key {
    use super::{CONSUMER, DROP, DropOf, FEED, INDEX, ITSELF, NAME, RELATED, RELATION, SLOT, TABLE};
    use crate::limits::CONSUMER_NAME_BYTES;
    use crate::{Error, Result};

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

    /// A slot of a shape.
    pub(crate) fn slot(table: u32, shape: u16, slot: u16) -> Vec<u8> {
        of_table(table, SLOT, &[shape.to_be_bytes(), slot.to_be_bytes()].concat())
    }

    /// An index.
    pub(crate) fn index(table: u32, index: u32) -> Vec<u8> {
        of_table(table, INDEX, &index.to_be_bytes())
    }

    /// A relation, under the table whose rows link.
    pub(crate) fn relation(table: u32, relation: u32) -> Vec<u8> {
        of_table(table, RELATION, &relation.to_be_bytes())
    }

    /// The settings of a table's change feed.
    pub(crate) fn feed(table: u32) -> Vec<u8> {
        of_table(table, FEED, &[])
    }

    /// A relation, under the table that its links lead to.
    pub(crate) fn related_by(table: u32, relation: u32) -> Vec<u8> {
        of_table(table, RELATED, &relation.to_be_bytes())
    }

    /// How far a consumer of a table's changes has come.
    pub(crate) fn consumer(table: u32, name: &str) -> Vec<u8> {
        of_table(table, CONSUMER, name.as_bytes())
    }

    /// The first bytes of the records of all consumers of a table; the rest of a key is the consumer's name.
    pub(crate) fn consumers(table: u32) -> Vec<u8> {
        of_table(table, CONSUMER, &[])
    }

    /// What a record behind [`table_records`] is of.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub(crate) enum OfTable {
        Itself,
        /// Shape and number.
        Slot(u16, u16),
        Index(u32),
        Relation(u32),
        Feed,
        Related(u32),
        Consumer,
        /// Of a kind that this version does not know.
        Unknown,
    }

    /// Reads the key of a table's record.
    ///
    /// # Errors
    /// `Damaged` for a known kind with numbers of another length.
    pub(crate) fn parse_of_table(key: &[u8]) -> Result<OfTable> {
        let malformed = || Error::damaged("A catalog key is malformed.");
        let (head, rest) = key.split_first_chunk::<6>().ok_or_else(malformed)?;
        let number = || rest.try_into().map(u32::from_be_bytes).map_err(|_| malformed());
        Ok(match (head[5], rest) {
            (ITSELF, []) => OfTable::Itself,
            (SLOT, [a, b, c, d]) => OfTable::Slot(u16::from_be_bytes([*a, *b]), u16::from_be_bytes([*c, *d])),
            (INDEX, _) => OfTable::Index(number()?),
            (RELATION, _) => OfTable::Relation(number()?),
            (FEED, []) => OfTable::Feed,
            (RELATED, _) => OfTable::Related(number()?),
            (CONSUMER, [_, ..]) if rest.len() <= CONSUMER_NAME_BYTES => OfTable::Consumer,
            (ITSELF | SLOT | FEED | CONSUMER, _) => return Err(malformed()),
            _ => OfTable::Unknown,
        })
    }

    /// Whether the key is of a kind that this version knows: then its record ends with a CRC.
    pub(crate) fn is_known(key: &[u8]) -> bool {
        match key.first() {
            Some(&NAME) => true,
            Some(&TABLE) => parse_of_table(key).is_ok_and(|of| of != OfTable::Unknown),
            Some(&DROP) => parse_drop(key).is_ok_and(|of| of.is_some()),
            _ => false,
        }
    }

    /// The first byte of every drop in progress.
    pub(crate) const DROPS: [u8; 1] = [DROP];

    /// A drop in progress.
    pub(crate) fn drop(of: DropOf) -> Vec<u8> {
        let (kind, id) = of.parts();
        [&[DROP, kind][..], &id.to_be_bytes()].concat()
    }

    /// What is being dropped, from the key of its record; `None` for what this version does not know.
    ///
    /// # Errors
    /// `Damaged` for a known kind with an id of another length.
    pub(crate) fn parse_drop(key: &[u8]) -> Result<Option<DropOf>> {
        let malformed = || Error::damaged("A drop's key is malformed.");
        let (head, id) = key.split_first_chunk::<2>().ok_or_else(malformed)?;
        let make = match head {
            [DROP, 1] => DropOf::Table,
            [DROP, 2] => DropOf::Index,
            [DROP, 3] => DropOf::Changes,
            _ => return Ok(None),
        };
        id.try_into().map(|id| Some(make(u32::from_be_bytes(id)))).map_err(|_| malformed())
    }
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
    /// Flags without a meaning in this version, which need none.
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

    pub(crate) fn encode(&self, key: &[u8]) -> Vec<u8> {
        let flags = self.other_flags | if self.has_long_keys { LONG_KEYS } else { 0 };
        let mut known = Known::default();
        known.push(1, self.name.as_bytes());
        known.push(2, &self.id.to_le_bytes());
        known.push(3, &self.generation.to_le_bytes());
        known.push(4, &flags.to_le_bytes());
        known.encode(key, &self.unknown)
    }

    /// # Errors
    /// `Damaged`, or `NewerFormat` for what must be known and is not.
    pub(crate) fn decode(key: &[u8], bytes: &[u8]) -> Result<TableRecord> {
        let (mut name, mut id, mut generation, mut flags) = (None, None, None, None);
        let unknown = fields::decode(key, bytes, &[], |tag, value| {
            match tag {
                1 => name = Some(value.text()?),
                2 => id = Some(value.u32()?),
                3 => generation = Some(value.u64()?),
                4 => flags = Some(value.flags(LONG_KEYS)?),
                _ => return Ok(false),
            }
            Ok(true)
        })?;
        let (Some(name), Some(id), Some(generation), Some((flags, other_flags))) = (name, id, generation, flags) else {
            return Err(damaged("table"));
        };
        Ok(TableRecord {
            name: name.into(),
            id,
            generation,
            has_long_keys: flags & LONG_KEYS != 0,
            other_flags,
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

    pub(crate) fn encode(&self, key: &[u8]) -> Vec<u8> {
        let mut known = Known::default();
        known.push(1, &self.table.to_le_bytes());
        known.encode(key, &self.unknown)
    }

    /// # Errors
    /// `Damaged`, or `NewerFormat` for what must be known and is not.
    pub(crate) fn decode(key: &[u8], bytes: &[u8]) -> Result<NameRecord> {
        let mut table = None;
        let unknown = fields::decode(key, bytes, &[], |tag, value| {
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

    pub(crate) fn encode(&self, key: &[u8]) -> Vec<u8> {
        let mut known = Known::default();
        known.push(1, &[self.edm_type as u8]);
        known.push(2, self.name.as_bytes());
        known.encode(key, &self.unknown)
    }

    /// # Errors
    /// `Damaged`, or `NewerFormat` for what must be known and is not.
    pub(crate) fn decode(key: &[u8], bytes: &[u8]) -> Result<SlotRecord> {
        let (mut edm_type, mut name) = (None, None);
        let unknown = fields::decode(key, bytes, &[], |tag, value| {
            match tag {
                1 => edm_type = Some(value.one_of("type", EdmType::from_number)?),
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

#[cfg(test)]
mod tests;
