//! Keeping the file in shape, and finding out whether it is.

pub(crate) mod sweep;
mod verify;

pub(crate) use verify::check_file;
pub use verify::{Finding, FindingKind, Report, verify, verify_with_progress};
