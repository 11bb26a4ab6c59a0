//! Where a store's files are: what is asked of a name before anything is made there, and whether it still means them.

use super::env::{FileId, OpenFile, file_id, io, lock_path};
use super::system;
use crate::{Error, ErrorCode, Result};
use std::fs::{self, File, OpenOptions};
use std::io::ErrorKind;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::Path;
use std::time::Duration;

/// Bytes of a name beside which the lock file's, with `-lock` behind it, can be had.
const NAME_BYTES: usize = 255 - "-lock".len();
/// How often a file is looked at that has two names, a millisecond apart.
const NAMES_TRIES: usize = 10;
/// How the system refuses to open a file that is there, or to make one.
const REFUSALS: [i32; 6] = [libc::EACCES, libc::EPERM, libc::EROFS, libc::EISDIR, libc::ENXIO, libc::ELOOP];

/// Checks where a store is to be, before anything is made there.
///
/// # Errors
/// [`ErrorCode::NetworkFileSystem`]; [`ErrorCode::Io`] for a name that is too long for the lock file beside it.
pub(super) fn check(path: &Path) -> Result<()> {
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

/// Checks that a file has one name. A lock file goes by the name: who opens the same file by another one writes beside
/// others, and takes their pages from under them.
///
/// # Errors
/// [`ErrorCode::OtherNames`].
pub(super) fn check_names(path: &Path) -> Result<()> {
    for _ in 0..NAMES_TRIES {
        match fs::metadata(path) {
            // Where a file system cannot do it in one step, a new file has two names for a moment.
            Ok(found) if found.nlink() > 1 => std::thread::sleep(Duration::from_millis(1)),
            Ok(_) => return Ok(()),
            Err(error) => return Err(io(path, error)),
        }
    }
    let fact = format!("{} is a hard link among others. Copy the file, or open it as immutable.", path.display());
    Err(Error::new(ErrorCode::OtherNames).fact(fact))
}

/// Checks that whoever has the file open goes by the same lock file: not so where it is mounted under a second name, or
/// its lock file was deleted meanwhile. They would write at the same time, and take each other's pages.
///
/// # Errors
/// [`ErrorCode::OtherNames`].
pub(super) fn check_lock_file(path: &Path, data: &File, (device, inode): FileId) -> Result<()> {
    if system::mark_lock_file(data, device.rotate_left(40) ^ inode).map_err(|error| io(path, error))? {
        return Ok(());
    }
    let fact = format!(
        "Another process has {} open with another lock file: under another name, or the lock file was deleted meanwhile.",
        path.display()
    );
    Err(Error::new(ErrorCode::OtherNames).fact(fact))
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
