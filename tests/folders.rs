//! Folders for what a test leaves.

use tempfile::TempDir;

/// A folder in memory where the system has one: for files whose syncs nobody needs.
///
/// # Panics
/// If no folder can be made.
pub fn quick() -> TempDir {
    tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir()).expect("a folder")
}
