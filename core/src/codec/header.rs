//! The header: one record of fixed size in LMDB's unnamed database, written by every commit.

use super::bytes::{Fields, push_crc, split_crc};
use crate::limits::TICKS_LAST;
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
const KNOWN_REQUIRED: u64 = 0;
const KNOWN_FOR_WRITING: u64 = 0;

/// Flag: an entity was written that the service would not take.
const EXTENDED_DATA: u32 = 1;
/// Bits of every word of flags that a version must know; the others are kept, and mean nothing to it.
pub(crate) const MUST_KNOW: u32 = 0xffff;
const RESERVED_BYTES: usize = 116;

/// Which store this is, and which of its lives: what continuation tokens and positions outside belong to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Identity {
    /// Random; the same in copies, another in a file that was made anew.
    pub(crate) store: [u8; 16],
    /// Random; drawn anew when a file is restored, or a copy begins a life of its own: from then on its commit
    /// numbers say something else than the original's.
    pub(crate) history: [u8; 16],
}

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
    /// Features without which the file can be read, but not written.
    pub(crate) for_writing: u64,
    pub(crate) identity: Identity,
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
    pub(crate) fn new(identity: Identity) -> Header {
        Header {
            minor: MINOR,
            flags: 0,
            required: 0,
            ignorable: 0,
            for_writing: 0,
            identity,
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

    /// Notes that an entity was written that the service would not take.
    pub(crate) fn set_extended_data(&mut self) {
        self.flags |= EXTENDED_DATA;
    }

    /// Whether this version may write the file that it can read: to be asked before a transaction's first put.
    ///
    /// # Errors
    /// `NewerFormat` for an unknown feature that writing needs.
    pub(crate) fn check_writable(&self) -> Result<()> {
        match self.for_writing & !KNOWN_FOR_WRITING {
            0 => Ok(()),
            unknown => Err(newer("writing needs features", unknown)),
        }
    }

    /// Whether this version may make another file of the records: it must know all that the bits say of ids and places.
    ///
    /// # Errors
    /// `NewerFormat` for an unknown feature of any kind.
    pub(crate) fn check_rewritable(&self) -> Result<()> {
        match (self.required & !KNOWN_REQUIRED) | (self.for_writing & !KNOWN_FOR_WRITING) | self.ignorable {
            0 => Ok(()),
            unknown => Err(newer("a copy needs features", unknown)),
        }
    }

    /// Reads the record.
    ///
    /// # Errors
    /// `NotAStore` without the magic; `Damaged` for a wrong CRC or length, or for counters that no writer leaves;
    /// `NewerFormat` for another major version, an unknown required feature or an unknown flag.
    pub(crate) fn decode(bytes: &[u8]) -> Result<Header> {
        let mut fields = Fields::new(bytes);
        let damaged = || Error::damaged("The header's length or CRC is wrong.");
        if fields.array() != Some(MAGIC) {
            return Err(Error::new(ErrorCode::NotAStore).fact("Its header does not begin as a store's does."));
        }
        // In every version the last bytes are the CRC of all before, whatever the length.
        let Some((_, true)) = split_crc(&[], bytes) else {
            return Err(damaged());
        };
        let major = fields.u16().ok_or_else(damaged)?;
        if major != MAJOR {
            return Err(Error::new(ErrorCode::NewerFormat)
                .fact(format!("The file's format is {major}, this version reads {MAJOR}.")));
        }
        if bytes.len() != BYTES {
            return Err(damaged());
        }
        let header = Header::read(&mut fields).ok_or_else(damaged)?;
        match (header.required & !KNOWN_REQUIRED, header.flags & MUST_KNOW & !EXTENDED_DATA) {
            (0, 0) => {}
            (0, flags) => return Err(newer("its header has flags", flags.into())),
            (features, _) => return Err(newer("reading needs features", features)),
        }
        let has_ids =
            header.next_table > 0 && header.next_index > 0 && header.next_relation > 0 && header.next_long_key > 0;
        if !has_ids || !(0..=TICKS_LAST).contains(&header.last_tick) {
            return Err(Error::damaged("The header's counters are none that a writer leaves."));
        }
        Ok(header)
    }

    fn read(fields: &mut Fields<'_>) -> Option<Header> {
        let (minor, flags, required, ignorable) = (fields.u16()?, fields.u32()?, fields.u64()?, fields.u64()?);
        let store = fields.array()?;
        Some(Header {
            minor,
            flags,
            required,
            ignorable,
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
            for_writing: fields.u64()?,
            identity: Identity { store, history: fields.array()? },
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
        out.extend_from_slice(&self.identity.store);
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
        out.extend_from_slice(&self.for_writing.to_le_bytes());
        out.extend_from_slice(&self.identity.history);
        out.extend_from_slice(&self.reserved);
        push_crc(&[], &mut out, 0);
        out
    }
}

#[cold]
fn newer(needs: &str, bits: u64) -> Error {
    Error::new(ErrorCode::NewerFormat).fact(format!("This version does not know all of the file: {needs} {bits:#x}."))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every field another value than every other, each byte of a field too.
    fn full() -> Header {
        Header {
            minor: 0x0201,
            // Bits 16 to 31 need not be known.
            flags: EXTENDED_DATA | 0x0403_0000,
            required: 0,
            ignorable: 0x2827_2625_2423_2221,
            for_writing: 0x3837_3635_3433_3231,
            identity: Identity { store: *b"0123456789abcdef", history: *b"fedcba9876543210" },
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
        for header in [full(), Header::new(Identity { store: [7; 16], history: [8; 16] })] {
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
        at(8, &[1, 0, 1, 2, 1, 0, 3, 4]);
        at(24, &[0x21, 0x22, 0x23, 0x24, 0x25, 0x26, 0x27, 0x28]);
        at(32, b"0123456789abcdef");
        at(48, &[3]);
        at(56, &[4]);
        at(64, &[5]);
        at(72, &133_000_000_000_000_000_i64.to_le_bytes());
        at(80, &[6, 0, 0, 0, 7, 0, 0, 0, 8, 0, 0, 0]);
        at(96, &[9, 0, 0, 0, 0, 0, 0, 0]);
        at(104, &[0, 0, 0, 0, 0, 1, 0, 0]);
        at(112, &[0x31, 0x32, 0x33, 0x34, 0x35, 0x36, 0x37, 0x38]);
        at(120, b"fedcba9876543210");
        at(136, &[0xab; 116]);
    }

    #[test]
    fn what_writing_needs_is_not_needed_for_reading() {
        assert!(
            Header::decode(&full().encode())
                .unwrap()
                .check_writable()
                .is_err_and(|error| { error.code() == ErrorCode::NewerFormat })
        );
        Header { for_writing: 0, ..full() }.check_writable().unwrap();
    }

    #[test]
    fn what_a_reader_must_refuse() {
        let check = |change: &dyn Fn(&mut Vec<u8>), code| {
            let mut bytes = full().encode();
            change(&mut bytes);
            assert_eq!(Header::decode(&bytes).unwrap_err().code(), code);
        };
        let again = |bytes: &mut Vec<u8>| {
            bytes.truncate(bytes.len() - 4);
            push_crc(&[], bytes, 0);
        };
        check(&|bytes| bytes[0] ^= 1, ErrorCode::NotAStore);
        check(&|bytes| bytes.clear(), ErrorCode::NotAStore);
        check(&|bytes| bytes.truncate(8), ErrorCode::Damaged);
        check(&|bytes| bytes.push(0), ErrorCode::Damaged);
        check(&|bytes| bytes.truncate(BYTES - 1), ErrorCode::Damaged);
        for at in 8..BYTES {
            check(&|bytes| bytes[at] ^= 0x10, ErrorCode::Damaged);
        }
        // Under a right CRC.
        let with = |at: usize, field: &[u8], code| {
            let change = |bytes: &mut Vec<u8>| {
                bytes[at..at + field.len()].copy_from_slice(field);
                again(bytes);
            };
            check(&change, code);
        };
        with(8, &[2], ErrorCode::NewerFormat);
        with(8, &[0], ErrorCode::NewerFormat);
        with(16, &[1], ErrorCode::NewerFormat);
        with(12, &[3], ErrorCode::NewerFormat);
        with(13, &[0x80], ErrorCode::NewerFormat);
        for (at, bytes) in [(80, 4), (84, 4), (88, 4), (96, 8)] {
            with(at, &[0; 8][..bytes], ErrorCode::Damaged);
        }
        with(72, &(-1_i64).to_le_bytes(), ErrorCode::Damaged);
        with(72, &(TICKS_LAST + 1).to_le_bytes(), ErrorCode::Damaged);
        let other_length = |bytes: &mut Vec<u8>| {
            bytes.insert(200, 0);
            again(bytes);
        };
        check(&other_length, ErrorCode::Damaged);
        let other_version = |bytes: &mut Vec<u8>| {
            bytes[8] = 2;
            other_length(bytes);
        };
        check(&other_version, ErrorCode::NewerFormat);
    }
}
