//! What can be told about a file before LMDB sees it: LMDB crashes on some of what it trusts.

use crate::{Error, ErrorCode, Result};
use std::fs::File;
use std::io::{ErrorKind, Read};
use std::path::Path;

/// The size of a page, in every file.
pub(super) const PAGE: usize = 4_096;
/// Offsets within a meta page of LMDB's data version 1; a page's header takes 16 bytes.
pub(super) const MAGIC: usize = 16;
pub(super) const VERSION: usize = 20;
pub(super) const PAGE_SIZE: usize = 40;
const LAST_PAGE: usize = 136;
const TRANSACTION: usize = 144;

pub(super) const LMDB_MAGIC: u32 = 0xbeef_c0de;
/// The only data version of LMDB so far.
pub(super) const LMDB_VERSION: u32 = 1;

/// Checks an existing file's length and both its meta pages. An empty file is a new store.
///
/// # Errors
/// [`ErrorCode::NotAStore`] for what is not LMDB's, [`ErrorCode::Damaged`] for a file that is shorter than it says.
pub(super) fn before_open(path: &Path) -> Result<()> {
    let io = |error: std::io::Error| Error::new(ErrorCode::Io).caused_by(error);
    let mut file = File::open(path).map_err(io)?;
    let file_bytes = file.metadata().map_err(io)?.len();
    if file_bytes == 0 {
        return Ok(());
    }
    let mut metas = [0; 2 * PAGE];
    match file.read_exact(&mut metas) {
        Ok(()) => {}
        Err(error) if error.kind() == ErrorKind::UnexpectedEof => return Err(Error::new(ErrorCode::NotAStore)),
        Err(error) => return Err(io(error)),
    }
    let (first, second) = metas.split_at(PAGE);
    let (first, second) = (meta(first)?, meta(second)?);
    let newest = if second.transaction > first.transaction { second } else { first };
    let needed = newest.last_page.checked_add(1).and_then(|pages| pages.checked_mul(PAGE as u64));
    if needed.is_none_or(|needed| file_bytes < needed) {
        return Err(Error::damaged(format!(
            "The file has {file_bytes} bytes, but its last page is page {}.",
            newest.last_page
        )));
    }
    Ok(())
}

struct Meta {
    transaction: u64,
    last_page: u64,
}

fn meta(page: &[u8]) -> Result<Meta> {
    let u32_at = |at: usize| page.get(at..at + 4).and_then(|bytes| Some(u32::from_le_bytes(bytes.try_into().ok()?)));
    let u64_at = |at: usize| page.get(at..at + 8).and_then(|bytes| Some(u64::from_le_bytes(bytes.try_into().ok()?)));
    if u32_at(MAGIC) != Some(LMDB_MAGIC) {
        return Err(Error::new(ErrorCode::NotAStore));
    }
    if u32_at(VERSION) != Some(LMDB_VERSION) {
        return Err(Error::new(ErrorCode::NewerFormat).fact("The file's LMDB data version is unknown."));
    }
    if u32_at(PAGE_SIZE) != Some(PAGE as u32) {
        return Err(Error::damaged("The file's pages are not of 4,096 bytes."));
    }
    match (u64_at(TRANSACTION), u64_at(LAST_PAGE)) {
        (Some(transaction), Some(last_page)) => Ok(Meta { transaction, last_page }),
        _ => Err(Error::damaged("A meta page is cut short.")),
    }
}
