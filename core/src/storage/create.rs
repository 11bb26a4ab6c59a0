//! Making a store's file. LMDB would write its first two pages in place and sync them later: a process that is killed
//! meanwhile, or a power cut, would leave a file that nobody can open. So they are written and synced under another
//! name, and the file gets its own only then.

use super::check::{LMDB_MAGIC, LMDB_VERSION, MAGIC, PAGE, PAGE_SIZE, VERSION};
use super::env::{READERS, lock_path_of};
use super::{io_code, system};
use crate::ErrorCode;
use std::fs::{self, OpenOptions};
use std::io::{Error, ErrorKind, Result, Write};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::Path;

/// Offsets within LMDB's meta page, beside those in `check`.
const PAGE_NUMBER: usize = 0;
const PAGE_FLAGS: usize = 10;
const MAP_BYTES: usize = 32;
const FLAGS: usize = 44;
const FREE_ROOT: usize = 80;
const MAIN_ROOT: usize = 128;
const LAST_PAGE: usize = 136;

/// What a lock file takes: a line of the processor's cache for each reader, and some for the writers.
const LOCK_BYTES: u64 = (READERS as u64 + 8) * 64;
/// What the system counts the room of a file in.
const BLOCK_BYTES: u64 = 512;

/// Says that a page is a meta page.
const IS_META: u16 = 0x08;
/// The keys of the list of free pages are numbers.
const NUMBER_KEYS: u16 = 0x08;
/// What LMDB takes if nobody says more, and every opener does.
const LEAST_MAP_BYTES: u64 = 1 << 20;

/// Makes a file that LMDB takes for a new one, private to the user; none that is there already is touched. Its folder
/// has yet to be synced.
///
/// # Errors
/// The system's. A file of that name, made by another process at the same time, is none.
pub(super) fn file(path: &Path) -> Result<()> {
    let mut random = [0; 8];
    getrandom::fill(&mut random).map_err(|error| Error::other(error.to_string()))?;
    let new = path.with_file_name(format!(".entable-new-{:016x}", u64::from_le_bytes(random)));
    // After a kill it may stay: two pages, under a name that nobody will use again.
    match write(&new).and_then(|()| system::rename_new(&new, path)) {
        Ok(()) => Ok(()),
        Err(error) => {
            let removed = fs::remove_file(&new);
            if error.kind() == ErrorKind::AlreadyExists { removed } else { Err(error) }
        }
    }
}

/// Takes the room of a lock file from the disk. LMDB writes its tables through a map: where the disk has no room for
/// them, that would end the process. Must not be called while this process has the lock file open: closing it once more
/// would take LMDB's locks with it.
///
/// # Errors
/// The system's, if the disk has no room. What else is wrong with the file LMDB meets, too.
pub(super) fn lock_file(data: &Path) -> Result<()> {
    let path = lock_path_of(data);
    if fs::metadata(&path).is_ok_and(|metadata| metadata.blocks() * BLOCK_BYTES >= LOCK_BYTES) {
        return Ok(());
    }
    match OpenOptions::new().write(true).create(true).truncate(false).mode(0o600).open(&path) {
        Ok(file) => system::reserve(&file, LOCK_BYTES),
        Err(error) if io_code(&error) == ErrorCode::StoreFull => Err(error),
        Err(_) => Ok(()),
    }
}

fn write(path: &Path) -> Result<()> {
    let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(path)?;
    file.write_all(&first_pages())?;
    file.sync_all()
}

/// What LMDB itself would write: both meta pages, alike, of a file without a database.
fn first_pages() -> [u8; 2 * PAGE] {
    let mut pages = [0; 2 * PAGE];
    for (number, page) in pages.chunks_exact_mut(PAGE).enumerate() {
        let mut put = |at: usize, bytes: &[u8]| page[at..at + bytes.len()].copy_from_slice(bytes);
        put(PAGE_NUMBER, &(number as u64).to_le_bytes());
        put(PAGE_FLAGS, &IS_META.to_le_bytes());
        put(MAGIC, &LMDB_MAGIC.to_le_bytes());
        put(VERSION, &LMDB_VERSION.to_le_bytes());
        put(MAP_BYTES, &LEAST_MAP_BYTES.to_le_bytes());
        put(PAGE_SIZE, &(PAGE as u32).to_le_bytes());
        put(FLAGS, &NUMBER_KEYS.to_le_bytes());
        // No page: the trees are empty.
        put(FREE_ROOT, &u64::MAX.to_le_bytes());
        put(MAIN_ROOT, &u64::MAX.to_le_bytes());
        put(LAST_PAGE, &1_u64.to_le_bytes());
    }
    pages
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::storage::env::map_env;
    use heed::EnvFlags;

    #[test]
    fn the_first_pages_are_those_of_lmdb() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("lmdb");
        drop(map_env(&path, 1 << 20, EnvFlags::empty()).unwrap());
        let mut theirs = fs::read(&path).unwrap();
        // The options that it was opened with, which nobody reads.
        for page in theirs.chunks_exact_mut(PAGE) {
            page[FLAGS..FLAGS + 2].copy_from_slice(&NUMBER_KEYS.to_le_bytes());
        }
        assert!(theirs == first_pages(), "{:?}", theirs.iter().zip(first_pages()).position(|(a, b)| *a != b));
    }

    #[test]
    fn a_file_is_made_once_and_leaves_nothing_beside_it() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("store.ent");
        file(&path).unwrap();
        fs::write(&path, "used").unwrap();
        file(&path).unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "used");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
        let error = file(&folder.path().join("no folder/store.ent")).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::NotFound);
    }
}
