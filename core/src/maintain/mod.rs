//! Keeping the file in shape, and finding out whether it is.

pub(crate) mod advise;
pub(crate) mod build;
pub(crate) mod orphans;
pub(crate) mod prune;
pub(crate) mod rewrite;
pub(crate) mod stats;
pub(crate) mod sweep;
mod verify;

pub use advise::{Advice, AdviceKind, IndexStats};
pub use rewrite::{Copied, Progress};
pub use stats::{BusyPartition, DatabaseStats, FeedStats, FileStats, Latency, QueryKind, Readers, Sizes, Stats};
pub(crate) use verify::check_file;
pub use verify::{Finding, FindingKind, Report, verify, verify_with_progress};
