//! What can be told about a file before LMDB sees it: LMDB crashes on some of what it trusts.

use super::env::{FileId, OpenFile, file_id, io, lock_path};
use super::system;
use crate::{Error, ErrorCode, Result};
use std::fs::{self, File, OpenOptions};
use std::io::{ErrorKind, Read};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

/// The size of a page, in every file.
pub(super) const PAGE: usize = 4_096;
/// Offsets within a meta page of LMDB's data version 1; a page's header takes 16 bytes.
pub(super) const MAGIC: usize = 16;
pub(super) const VERSION: usize = 20;
pub(super) const PAGE_SIZE: usize = 40;
const LAST_PAGE: usize = 136;
const TRANSACTION: usize = 144;

/// Bytes of a name beside which the lock file's, with `-lock` behind it, can be had.
const NAME_BYTES: usize = 255 - "-lock".len();
/// How the system refuses to open a file that is there, or to make one.
const REFUSALS: [i32; 6] = [libc::EACCES, libc::EPERM, libc::EROFS, libc::EISDIR, libc::ENXIO, libc::ELOOP];

pub(super) const LMDB_MAGIC: u32 = 0xbeef_c0de;
/// The only data version of LMDB so far.
pub(super) const LMDB_VERSION: u32 = 1;

/// Checks an existing file's length and both its meta pages. An empty file is a new store.
///
/// # Errors
/// [`ErrorCode::NotAStore`] for what is not LMDB's, [`ErrorCode::Damaged`] for a file that is shorter than it says.
pub(super) fn before_open(path: &Path) -> Result<()> {
    let mut file = File::open(path).map_err(|error| io(path, error))?;
    let file_bytes = file.metadata().map_err(|error| io(path, error))?.len();
    if file_bytes == 0 {
        return Ok(());
    }
    let mut metas = [0; 2 * PAGE];
    match file.read_exact(&mut metas) {
        Ok(()) => {}
        Err(error) if error.kind() == ErrorKind::UnexpectedEof => {
            return Err(Error::new(ErrorCode::NotAStore));
        }
        Err(error) => return Err(io(path, error)),
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

/// Checks where a store is to be, before anything is made there.
///
/// # Errors
/// [`ErrorCode::NetworkFileSystem`]; [`ErrorCode::Io`] for a name that is too long for the lock file beside it.
pub(super) fn place(path: &Path) -> Result<()> {
    let name_bytes = path.file_name().map_or(0, |name| name.as_encoded_bytes().len());
    if name_bytes > NAME_BYTES {
        let fact =
            format!("The name has {name_bytes} bytes; with the lock file's beside it {NAME_BYTES} are the most.");
        return Err(Error::new(ErrorCode::Io).fact(fact).limit(NAME_BYTES, name_bytes));
    }
    for place in path.ancestors() {
        match system::network_file_system(place) {
            Ok(None) => return Ok(()),
            Ok(Some(kind)) => {
                let fact = format!("{} is on {kind}; keep it on a disk of this machine.", path.display());
                return Err(Error::new(ErrorCode::NetworkFileSystem).fact(fact));
            }
            Err(error) if error.kind() == ErrorKind::NotFound => {}
            Err(error) => return Err(io(place, error)),
        }
    }
    Ok(())
}

/// Says more of an error of opening, where more can be found out.
pub(super) fn explain(path: &Path, open: &OpenFile<'_>, error: Error) -> Error {
    // LMDB opens the lock file and the data file, and does not say which of them the system refused.
    let is_refused = error.code() == ErrorCode::Io
        && std::error::Error::source(&error).and_then(|source| source.downcast_ref::<heed::Error>()).is_some_and(
            |error| matches!(error, heed::Error::Io(error) if REFUSALS.contains(&error.raw_os_error().unwrap_or(0))),
        );
    if !is_refused || open.immutable {
        return error;
    }
    // Nothing of this process has the file open, so that closing this descriptor drops no lock.
    let lock_path = lock_path(path);
    if OpenOptions::new().read(true).write(true).create(true).truncate(false).mode(0o600).open(&lock_path).is_ok() {
        return error;
    }
    let fact =
        format!("It is {}. A file that nobody writes can be opened as immutable, without one.", lock_path.display());
    Error::new(ErrorCode::LockFileUnavailable).fact(fact).caused_by(error)
}

/// Asks whether a name still means the file that was opened.
pub(super) fn still_there(path: &Path, opened: FileId) -> Result<()> {
    let fact = match fs::metadata(path) {
        Ok(metadata) if file_id(&metadata) == opened => return Ok(()),
        Ok(_) => format!("Another file has taken the place of {}.", path.display()),
        Err(error) if error.kind() == ErrorKind::NotFound => format!("{} has been deleted.", path.display()),
        Err(error) => return Err(io(path, error)),
    };
    Err(Error::new(ErrorCode::FileReplaced).fact(fact))
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
