//! The header: which file this is, and its counters.

use crate::codec::header::{self, Header, Identity};
use crate::storage::{self, Live, Read, Space, WriteTxn};
use crate::{Error, ErrorCode, Result};

/// Key and value of the record that makes an empty file a store.
///
/// # Errors
/// [`ErrorCode::Io`] if the system has no random bytes to tell.
pub(crate) fn new_header() -> Result<(&'static [u8], Vec<u8>)> {
    let identity = Identity { store: random()?, history: random()? };
    Ok((header::KEY, Header::new(identity).encode()))
}

/// The random name of a store, or of a life of one.
///
/// # Errors
/// [`ErrorCode::Io`] if the system has no random bytes to tell.
pub(crate) fn random() -> Result<[u8; 16]> {
    let mut random = [0; 16];
    getrandom::fill(&mut random).map_err(|error| Error::new(ErrorCode::Io).fact(error.to_string()))?;
    Ok(random)
}

/// The header of a file that this transaction is to change: asked before the first put.
///
/// # Errors
/// As [`header`]; `NewerFormat` for a file that this version can only read.
pub(crate) fn header_for_writing(txn: &WriteTxn<'_>) -> Result<Header> {
    let header = header(txn)?;
    header.check_writable()?;
    Ok(header)
}

/// Sets the bytes that the file may take, if they are others by now.
pub(crate) fn set_max_size(live: &Live, max_size: u64) -> Result<()> {
    if header(&live.read_txn()?)?.max_size == max_size {
        return Ok(());
    }
    storage::run(live, |txn| {
        let mut header = header_for_writing(txn)?;
        header.max_size = max_size;
        txn.put(Space::Header, header::KEY, &header.encode())
    })
}

/// The header, as this transaction sees it.
pub(crate) fn header(txn: &impl Read) -> Result<Header> {
    match txn.get(Space::Header, header::KEY)? {
        Some(bytes) => Header::decode(bytes),
        None => Err(Error::new(ErrorCode::NotAStore).fact("It has no header.")),
    }
}
