//! The turn at opening a file: one process after the other.
//!
//! Who opens a file alone makes LMDB's lock file anew, in steps, and others would wait inside LMDB until it shares the
//! file with them. If it is killed meanwhile, the first of those who wait takes what it finds: a lock that is none, or
//! the number 0 for the newest commit, so that its own commits lie over those that are there. So nobody waits there. With
//! a turn the next process that opens is alone again, and begins anew.

use super::env::{FileId, file_id, io, lock_path_of};
use super::system;
use crate::Result;
use std::fs::{self, File};
use std::io::ErrorKind;
use std::path::Path;
use std::time::Duration;

/// How long to wait before it is asked again whether the file is still being exchanged.
const EXCHANGE_WAIT: Duration = Duration::from_millis(1);

/// The turn, until it is dropped. A lock on the data file, since another open descriptor of the lock file would take
/// LMDB's locks with it.
pub(super) struct Turn(Option<File>);

impl Turn {
    /// Waits for the turn, also until nobody exchanges the file. `None` if the path does not mean this file any more.
    ///
    /// # Errors
    /// The system's.
    pub(super) fn wait(path: &Path, file: FileId) -> Result<Option<Turn>> {
        let lock_path = lock_path_of(path);
        loop {
            let turn = Turn::take(path)?;
            match fs::metadata(path) {
                Ok(metadata) if file_id(&metadata) == file => {}
                Ok(_) => return Ok(None),
                Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
                Err(error) => return Err(io(path, error)),
            }
            // This process has nothing open of the file, so that this descriptor takes no locks with it.
            let is_exchanged = match File::open(&lock_path) {
                Ok(lock_file) => system::is_first_byte_taken(&lock_file).map_err(|error| io(&lock_path, error))?,
                // Who cannot get at it is told so when LMDB opens it.
                Err(_) => false,
            };
            if !is_exchanged {
                return Ok(Some(turn));
            }
            drop(turn);
            std::thread::sleep(EXCHANGE_WAIT);
        }
    }

    /// Waits for the turn as the one that exchanges the file.
    ///
    /// # Errors
    /// The system's.
    pub(super) fn take(path: &Path) -> Result<Turn> {
        let file = File::open(path).map_err(|error| io(path, error))?;
        loop {
            match file.lock() {
                Ok(()) => return Ok(Turn(Some(file))),
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                // A file system without such locks: then there are no turns.
                Err(error) if error.kind() == ErrorKind::Unsupported => return Ok(Turn(None)),
                Err(error) => return Err(io(path, error)),
            }
        }
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        // Said, and not left to closing: a program that another thread starts has the descriptor, too, for a moment.
        let _ = self.0.as_ref().map(File::unlock);
    }
}
