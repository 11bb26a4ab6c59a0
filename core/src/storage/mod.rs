//! LMDB: bytes under bytes, in order, in one durable file. Nothing here knows what an entity is.
//!
//! `env` alone owns environments; `txn` reads and writes; `long` keeps keys that LMDB is too small for;
//! `range` iterates in key order, `leaf` does so over pages in place; `overlay` holds what one group wants to change, `log` what of that nobody looks for, `foreseen` the rows of many operations; `queue` says who
//! writes next, `begun` whether who waits has given up; `writer` is the one place where a write transaction begins and
//! commits. `create` makes a file, `copy` writes one anew, `exclusive` puts that in the place of the old one; `fork` keeps
//! a child from what is half done; `broken` says what a failed commit has come to, and opens again; `meter` counts, `trees`
//! measures, `quota` limits, `system` asks what the standard library does not.

mod arrivals;
mod begun;
mod broken;
mod check;
mod copy;
mod create;
mod env;
mod exclusive;
mod foreseen;
pub(crate) mod fork;
mod leaf;
mod log;
mod long;
pub(crate) mod meter;
mod opening;
mod overlay;
pub(crate) mod pages;
mod place;
mod queue;
mod quota;
mod range;
mod sync;
mod system;
#[cfg(test)]
mod tests;
mod thread;
mod trees;
mod txn;
mod writer;

pub(crate) use begun::Begun;
pub(crate) use broken::{Again, Holder, broken};
pub(crate) use copy::NewFile;
pub(crate) use env::{HeldTxn, Live, OpenFile, Place, find_live};
pub(crate) use exclusive::Exclusive;
pub(crate) use foreseen::Keys;
#[cfg(test)]
pub(crate) use long::physical_keys;
pub(crate) use overlay::{Changes, Overlay};
pub(crate) use range::{Bounds, Direction, Range};
pub(crate) use thread::{ThreadNumber, this_thread};
pub(crate) use trees::PAGE_BYTES;
pub(crate) use txn::{Read, ReadTxn, WriteTxn};
pub(crate) use writer::{Job, OpenTxn, run, transact};

use crate::{Error, ErrorCode};
use heed::MdbError;

/// One of the file's databases. Keys of any length are kept in each but `Header`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Space {
    /// LMDB's unnamed database: the header record.
    Header,
    /// Tables, shapes, indexes: what the store knows about itself.
    Catalog,
    /// The entities.
    Rows,
    /// Index entries.
    Indexes,
    /// The change feed.
    Changes,
}

impl Space {
    const COUNT: usize = 5;
    /// In the order of the variants.
    const ALL: [Space; Space::COUNT] = [Space::Header, Space::Catalog, Space::Rows, Space::Indexes, Space::Changes];

    /// Names of the databases in the file, in the order of the variants; the unnamed one has none.
    const NAMES: [Option<&str>; Space::COUNT] = [None, Some("catalog"), Some("rows"), Some("indexes"), Some("changes")];
}

/// The database that holds what is beyond the length of a key.
pub(crate) const LONG_KEYS: &str = "long keys";

/// The error for what LMDB, or the system under it, said.
fn failure(error: heed::Error) -> Error {
    let code = match &error {
        heed::Error::Mdb(MdbError::MapFull | MdbError::TxnFull) => ErrorCode::StoreFull,
        heed::Error::Mdb(MdbError::Invalid) => ErrorCode::NotAStore,
        heed::Error::Mdb(MdbError::VersionMismatch) => ErrorCode::NewerFormat,
        heed::Error::Mdb(MdbError::PageNotFound | MdbError::Corrupted) => ErrorCode::Damaged,
        heed::Error::Io(error) => io_code(error),
        heed::Error::Mdb(_) | heed::Error::Encoding(_) | heed::Error::Decoding(_) | heed::Error::EnvAlreadyOpened => {
            ErrorCode::Internal
        }
    };
    Error::new(code).caused_by(error)
}

/// A full disk is an error of its own.
fn io_code(error: &std::io::Error) -> ErrorCode {
    match error.raw_os_error() {
        Some(libc::ENOSPC | libc::EDQUOT | libc::EFBIG) => ErrorCode::StoreFull,
        _ => ErrorCode::Io,
    }
}
