//! A small file in which a process says what it has been told is done. What was written to it survives the process.

use std::fs::{File, OpenOptions};
use std::io::Result;
use std::os::unix::fs::FileExt;
use std::path::Path;

/// A number for each stream: how many of its steps have been acknowledged.
#[derive(Debug)]
pub struct Acks(File);

impl Acks {
    /// Opens the file, made if it is not there.
    ///
    /// # Errors
    /// The system's.
    pub fn open(path: &Path) -> Result<Acks> {
        OpenOptions::new().read(true).write(true).create(true).truncate(false).open(path).map(Acks)
    }

    /// Says that so many steps of a stream are done.
    ///
    /// # Errors
    /// The system's.
    pub fn put(&self, stream: u64, steps: u64) -> Result<()> {
        self.0.write_all_at(&steps.to_le_bytes(), stream * 8)
    }

    /// How many steps of a stream are done: 0 if nothing was said.
    pub fn get(&self, stream: u64) -> u64 {
        let mut bytes = [0; 8];
        match self.0.read_exact_at(&mut bytes, stream * 8) {
            Ok(()) => u64::from_le_bytes(bytes),
            Err(_) => 0,
        }
    }
}
