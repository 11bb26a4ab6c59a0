//! The header: which file this is, and its counters.

use crate::codec::header::{self, Header};
use crate::storage::{Read, Space};
use crate::{Error, ErrorCode, Result};

/// Key and value of the record that makes an empty file a store.
///
/// # Errors
/// [`ErrorCode::Io`] if the system has no random bytes to tell.
pub(crate) fn new_header() -> Result<(&'static [u8], Vec<u8>)> {
    let mut store_id = [0; 16];
    getrandom::fill(&mut store_id).map_err(|error| Error::new(ErrorCode::Io).fact(error.to_string()))?;
    Ok((header::KEY, Header::new(store_id).encode()))
}

/// The header, as this transaction sees it.
pub(crate) fn header(txn: &impl Read) -> Result<Header> {
    match txn.get(Space::Header, header::KEY)? {
        Some(bytes) => Header::decode(bytes),
        None => Err(Error::new(ErrorCode::NotAStore).fact("It has no header.")),
    }
}
