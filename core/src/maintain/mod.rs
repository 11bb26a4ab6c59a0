//! Keeping the file in shape.

pub(crate) mod build;
pub(crate) mod rewrite;
pub(crate) mod stats;
pub(crate) mod sweep;

pub use rewrite::{Copied, Progress};
pub use stats::{BusyPartition, DatabaseStats, FileStats, Latency, QueryKind, Readers, Sizes, Stats};
