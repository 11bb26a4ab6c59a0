//! The header: one record of fixed size in LMDB's unnamed database, written by every commit.

use super::bytes::{Fields, push_crc, split_crc};
use crate::{Error, ErrorCode, Result};

/// The header's key in the unnamed database.
pub(crate) const KEY: &[u8] = b"entable";
/// Bytes of the record.
pub(crate) const BYTES: usize = 256;
/// The first bytes of the record, in every version.
pub(crate) const MAGIC: [u8; 8] = *b"entable\0";
/// Another major version is another format.
pub(crate) const MAJOR: u16 = 1;
/// Tells which version made the file; decides nothing.
pub(crate) const MINOR: u16 = 0;
/// The feature bits that this version knows; it has none yet.
pub(crate) const KNOWN_REQUIRED: u64 = 0;

/// The named databases.
pub(crate) const CATALOG: &str = "catalog";
pub(crate) const ROWS: &str = "rows";
pub(crate) const INDEXES: &str = "indexes";
pub(crate) const CHANGES: &str = "changes";
pub(crate) const LONG_KEYS: &str = "long keys";

/// Flag: an entity was written that the service would not take.
const EXTENDED_DATA: u32 = 1;
const RESERVED_BYTES: usize = 140;

/// What the header says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Header {
    /// The version that last raised it.
    pub(crate) minor: u16,
    flags: u32,
    /// Features without which the file can be neither read nor written.
    pub(crate) required: u64,
    /// Features that a version which does not know them may read and write past.
    pub(crate) ignorable: u64,
    /// Random; the same in copies, another in a file that was made anew.
    pub(crate) store_id: [u8; 16],
    /// Raised whenever another file takes the place of this one (compaction in place, restoring).
    pub(crate) epoch: u64,
    /// Raised by every commit that changes the catalog.
    pub(crate) catalog_generation: u64,
    /// Of the last decided group: 0 in a new file.
    pub(crate) commit_number: u64,
    /// The last Timestamp that was given.
    pub(crate) last_tick: i64,
    /// The next ids: never reused.
    pub(crate) next_table: u32,
    pub(crate) next_index: u32,
    pub(crate) next_relation: u32,
    pub(crate) next_long_key: u64,
    /// Bytes beyond which ordinary writes are refused; 0 for no limit.
    pub(crate) max_size: u64,
    /// Bytes without a meaning in this version; kept as they are.
    reserved_word: u32,
    reserved: [u8; RESERVED_BYTES],
}

impl Header {
    /// The header of a new store.
    pub(crate) fn new(store_id: [u8; 16]) -> Header {
        Header {
            minor: MINOR,
            flags: 0,
            required: 0,
            ignorable: 0,
            store_id,
            epoch: 0,
            catalog_generation: 0,
            commit_number: 0,
            last_tick: 0,
            // 0 is no id, so that a field that was forgotten shows.
            next_table: 1,
            next_index: 1,
            next_relation: 1,
            next_long_key: 1,
            max_size: 0,
            reserved_word: 0,
            reserved: [0; RESERVED_BYTES],
        }
    }

    /// Whether an entity was written that the service would not take.
    pub(crate) fn has_extended_data(&self) -> bool {
        self.flags & EXTENDED_DATA != 0
    }

    /// Notes that an entity was written that the service would not take.
    pub(crate) fn set_extended_data(&mut self) {
        self.flags |= EXTENDED_DATA;
    }

    /// Reads the record.
    ///
    /// # Errors
    /// `NotAStore` without the magic, `NewerFormat` for another major version or an unknown required feature,
    /// `Damaged` for a wrong length or CRC.
    pub(crate) fn decode(bytes: &[u8]) -> Result<Header> {
        let mut fields = Fields::new(bytes);
        let damaged = || Error::damaged("The header's length or CRC is wrong.");
        if fields.array() != Some(MAGIC) {
            return Err(Error::new(ErrorCode::NotAStore).fact("Its header does not begin as a store's does."));
        }
        // Before the CRC: another major version may have another length.
        let major = fields.u16().ok_or_else(damaged)?;
        if major != MAJOR {
            return Err(Error::new(ErrorCode::NewerFormat)
                .fact(format!("The file's format is {major}, this version reads {MAJOR}.")));
        }
        if bytes.len() != BYTES || !split_crc(bytes).is_some_and(|(_, is_right)| is_right) {
            return Err(damaged());
        }
        let header = Header::read(&mut fields).ok_or_else(damaged)?;
        let unknown = header.required & !KNOWN_REQUIRED;
        if unknown != 0 {
            return Err(Error::new(ErrorCode::NewerFormat)
                .fact(format!("The file needs features that this version does not know: bits {unknown:#x}.")));
        }
        Ok(header)
    }

    fn read(fields: &mut Fields<'_>) -> Option<Header> {
        Some(Header {
            minor: fields.u16()?,
            flags: fields.u32()?,
            required: fields.u64()?,
            ignorable: fields.u64()?,
            store_id: fields.array()?,
            epoch: fields.u64()?,
            catalog_generation: fields.u64()?,
            commit_number: fields.u64()?,
            last_tick: fields.i64()?,
            next_table: fields.u32()?,
            next_index: fields.u32()?,
            next_relation: fields.u32()?,
            reserved_word: fields.u32()?,
            next_long_key: fields.u64()?,
            max_size: fields.u64()?,
            reserved: fields.array()?,
        })
    }

    /// The record.
    pub(crate) fn encode(&self) -> Vec<u8> {
        let mut out = Vec::with_capacity(BYTES);
        out.extend_from_slice(&MAGIC);
        out.extend_from_slice(&MAJOR.to_le_bytes());
        out.extend_from_slice(&self.minor.to_le_bytes());
        out.extend_from_slice(&self.flags.to_le_bytes());
        out.extend_from_slice(&self.required.to_le_bytes());
        out.extend_from_slice(&self.ignorable.to_le_bytes());
        out.extend_from_slice(&self.store_id);
        out.extend_from_slice(&self.epoch.to_le_bytes());
        out.extend_from_slice(&self.catalog_generation.to_le_bytes());
        out.extend_from_slice(&self.commit_number.to_le_bytes());
        out.extend_from_slice(&self.last_tick.to_le_bytes());
        out.extend_from_slice(&self.next_table.to_le_bytes());
        out.extend_from_slice(&self.next_index.to_le_bytes());
        out.extend_from_slice(&self.next_relation.to_le_bytes());
        out.extend_from_slice(&self.reserved_word.to_le_bytes());
        out.extend_from_slice(&self.next_long_key.to_le_bytes());
        out.extend_from_slice(&self.max_size.to_le_bytes());
        out.extend_from_slice(&self.reserved);
        push_crc(&mut out, 0);
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every field another value than every other, each byte of a field too.
    fn full() -> Header {
        Header {
            minor: 0x0201,
            flags: EXTENDED_DATA,
            required: 0,
            ignorable: 0x2827_2625_2423_2221,
            store_id: *b"0123456789abcdef",
            epoch: 3,
            catalog_generation: 4,
            commit_number: 5,
            last_tick: 133_000_000_000_000_000,
            next_table: 6,
            next_index: 7,
            next_relation: 8,
            next_long_key: 9,
            max_size: 1 << 40,
            reserved_word: 0x0403_0201,
            reserved: [0xab; RESERVED_BYTES],
        }
    }

    #[test]
    fn a_header_comes_back_with_the_bytes_that_it_does_not_know() {
        for header in [full(), Header::new([7; 16])] {
            let bytes = header.encode();
            assert_eq!(bytes.len(), BYTES);
            assert_eq!(Header::decode(&bytes).unwrap(), header);
        }
    }

    #[test]
    fn fields_lie_where_the_format_says() {
        let bytes = full().encode();
        let at = |at: usize, field: &[u8]| assert_eq!(&bytes[at..at + field.len()], field, "at {at}");
        at(0, b"entable\0");
        at(8, &[1, 0, 1, 2, 1, 0, 0, 0]);
        at(24, &[0x21, 0x22, 0x23, 0x24, 0x25, 0x26, 0x27, 0x28]);
        at(32, b"0123456789abcdef");
        at(48, &[3]);
        at(56, &[4]);
        at(64, &[5]);
        at(72, &133_000_000_000_000_000_i64.to_le_bytes());
        at(80, &[6, 0, 0, 0, 7, 0, 0, 0, 8, 0, 0, 0]);
        at(96, &[9, 0, 0, 0, 0, 0, 0, 0]);
        at(104, &[0, 0, 0, 0, 0, 1, 0, 0]);
    }

    #[test]
    fn what_a_reader_must_refuse() {
        let check = |change: &dyn Fn(&mut Vec<u8>), code| {
            let mut bytes = full().encode();
            change(&mut bytes);
            assert_eq!(Header::decode(&bytes).unwrap_err().code(), code);
        };
        let again = |bytes: &mut Vec<u8>| {
            bytes.truncate(BYTES - 4);
            push_crc(bytes, 0);
        };
        check(&|bytes| bytes[0] ^= 1, ErrorCode::NotAStore);
        check(&|bytes| bytes.clear(), ErrorCode::NotAStore);
        check(&|bytes| bytes.truncate(8), ErrorCode::Damaged);
        check(&|bytes| bytes[8] = 2, ErrorCode::NewerFormat);
        check(&|bytes| bytes[8] = 0, ErrorCode::NewerFormat);
        check(&|bytes| bytes.push(0), ErrorCode::Damaged);
        check(&|bytes| bytes.truncate(BYTES - 1), ErrorCode::Damaged);
        for at in 10..BYTES {
            check(&|bytes| bytes[at] ^= 0x10, ErrorCode::Damaged);
        }
        let required = |bytes: &mut Vec<u8>| {
            bytes[16] = 1;
            again(bytes);
        };
        check(&required, ErrorCode::NewerFormat);
    }
}
