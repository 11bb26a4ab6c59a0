//! What a store says of itself.

#![allow(unsafe_code, reason = "C calls these functions by their names")]

use crate::boundary::{answer, boundary, free, optional_output, output, put, required};
use crate::error::entable_error;
use crate::store::entable_store;
use crate::text::entable_str;
use entable::{Latency, Sizes, Stats};
use std::mem::MaybeUninit;
use std::time::Duration;

/// What a store says of itself, at one moment. Yours: free it with `entable_stats_free`. It never changes, so any thread
/// may read it; texts asked of it are good until it is freed.
pub struct entable_stats {
    stats: Stats,
    text: String,
}

/// How long something took, in nanoseconds. Quantiles are at most a quarter too high.
#[repr(C)]
#[derive(Clone, Copy, Default)]
pub struct entable_latency {
    /// How many were timed.
    pub samples: u64,
    /// Half took no longer.
    pub p50_ns: u64,
    /// Nine of ten took no longer.
    pub p90_ns: u64,
    /// 99 of 100 took no longer.
    pub p99_ns: u64,
    /// The longest.
    pub max_ns: u64,
}

/// How large something was. Quantiles are at most a quarter too high.
#[repr(C)]
#[derive(Clone, Copy, Default)]
pub struct entable_sizes {
    /// How many there were.
    pub count: u64,
    /// All together.
    pub sum: u64,
    /// Half were no larger.
    pub p50: u64,
    /// 99 of 100 were no larger.
    pub p99: u64,
    /// The largest.
    pub max: u64,
}

/// What is counted by this process since it opened the file, over all handles of it. Reads and queries are sampled, one
/// in 64 on average; commits are all timed.
#[repr(C)]
#[derive(Clone, Copy, Default)]
pub struct entable_stats_work {
    /// Reads of one entity by its keys.
    pub reads: entable_latency,
    /// Pages of queries.
    pub queries: entable_latency,
    /// Commits: writing and syncing, without the wait for a turn.
    pub commits: entable_latency,
    /// How many groups (single operations, transactions, batches) shared a commit.
    pub commit_groups: entable_sizes,
    /// Bytes of keys and values that a commit put.
    pub commit_bytes: entable_sizes,
    /// Records that a group put or deleted.
    pub group_changes: entable_sizes,
}

/// The file, and who keeps space in it from being used again.
#[repr(C)]
#[derive(Clone, Copy, Default)]
pub struct entable_stats_file {
    /// Bytes.
    pub bytes: u64,
    /// Bytes of a page.
    pub page_bytes: u64,
    /// Pages that hold something.
    pub used_pages: u64,
    /// Pages that will be used again. `entable_store_compact` gives them back.
    pub free_pages: u64,
    /// How many snapshots and copies of this process are open.
    pub held_readers: u64,
    /// For how long the oldest of them has been open, in nanoseconds.
    pub oldest_reader_ns: u64,
    /// The most readers that there have been at once, over all processes that have the file open now.
    pub reader_slots_used: u32,
    /// How many there can be.
    pub reader_slots: u32,
    /// By how much the last Timestamp given is ahead of the clock, in nanoseconds.
    pub timestamp_lead_ns: u64,
}

/// One of the databases in the file. Texts are good until the stats are freed.
#[repr(C)]
#[derive(Clone, Copy, Default)]
pub struct entable_database_stats {
    /// Its name in the file; `header` for the one that has none.
    pub name: entable_str,
    /// Records: entities in `rows`, entries in `indexes`.
    pub records: u64,
    /// Bytes of its pages.
    pub bytes: u64,
}

/// Pages of queries that went one way to their rows. Texts are good until the stats are freed.
#[repr(C)]
#[derive(Clone, Copy, Default)]
pub struct entable_query_kind {
    /// The way, such as `partition scan`.
    pub path: entable_str,
    /// How many pages, exactly.
    pub pages: u64,
}

/// A partition that is read or written much: an estimate. Texts are good until the stats are freed.
#[repr(C)]
#[derive(Clone, Copy, Default)]
pub struct entable_busy_partition {
    /// The table's name.
    pub table: entable_str,
    /// The PartitionKey.
    pub partition_key: entable_str,
    /// Its share of all reads and writes, at least: from 0 to 1.
    pub least_share: f64,
    /// Its share, at most.
    pub most_share: f64,
}

fn nanoseconds(duration: Duration) -> u64 {
    duration.as_nanos().try_into().unwrap_or(u64::MAX)
}

impl From<Latency> for entable_latency {
    fn from(latency: Latency) -> Self {
        entable_latency {
            samples: latency.samples,
            p50_ns: nanoseconds(latency.p50),
            p90_ns: nanoseconds(latency.p90),
            p99_ns: nanoseconds(latency.p99),
            max_ns: nanoseconds(latency.max),
        }
    }
}

impl From<Sizes> for entable_sizes {
    fn from(sizes: Sizes) -> Self {
        let Sizes { count, sum, p50, p99, max, .. } = sizes;
        entable_sizes { count, sum, p50, p99, max }
    }
}

/// What the store says of itself now. `*stats` is yours once the call returns NULL, else NULL. Any thread.
///
/// Errors: ENTABLE_STORE_CLOSED. The error is yours to free.
#[unsafe(no_mangle)]
pub extern "C" fn entable_store_stats(
    store: Option<&entable_store>,
    stats: Option<&mut MaybeUninit<Option<Box<entable_stats>>>>,
) -> Option<Box<entable_error>> {
    boundary(|| {
        let place = output(stats, "stats")?;
        let stats = required(store, "store")?.0.stats()?;
        *place = Some(Box::new(entable_stats { text: stats.to_string(), stats }));
        Ok(())
    })
}

/// All of it in some lines of text, for people; its form may change. Good until it is freed. Any thread.
#[unsafe(no_mangle)]
pub extern "C" fn entable_stats_text(stats: Option<&entable_stats>) -> entable_str {
    answer(entable_str::default(), || Some(stats?.text.as_str().into()))
}

/// What was done, and how long it took; all zero for NULL. Any thread.
#[unsafe(no_mangle)]
pub extern "C" fn entable_stats_get_work(stats: Option<&entable_stats>) -> entable_stats_work {
    answer(entable_stats_work::default(), || {
        let stats = &stats?.stats;
        Some(entable_stats_work {
            reads: stats.reads.into(),
            queries: stats.queries.into(),
            commits: stats.commits.into(),
            commit_groups: stats.commit_groups.into(),
            commit_bytes: stats.commit_bytes.into(),
            group_changes: stats.group_changes.into(),
        })
    })
}

/// The file, and its readers; all zero for NULL. Any thread.
#[unsafe(no_mangle)]
pub extern "C" fn entable_stats_get_file(stats: Option<&entable_stats>) -> entable_stats_file {
    answer(entable_stats_file::default(), || {
        let Stats { file, readers, timestamp_lead, .. } = &stats?.stats;
        Some(entable_stats_file {
            bytes: file.bytes,
            page_bytes: file.page_bytes,
            used_pages: file.used_pages,
            free_pages: file.free_pages,
            held_readers: readers.held.len().try_into().unwrap_or(u64::MAX),
            oldest_reader_ns: readers.held.first().copied().map_or(0, nanoseconds),
            reader_slots_used: readers.slots_used,
            reader_slots: readers.slots,
            timestamp_lead_ns: nanoseconds(*timestamp_lead),
        })
    })
}

/// Whether there is a database at `index`, from 0; writes what is to be said of it to `database`, which may be NULL. Any
/// thread.
#[unsafe(no_mangle)]
pub extern "C" fn entable_stats_database(
    stats: Option<&entable_stats>,
    index: usize,
    database: Option<&mut MaybeUninit<entable_database_stats>>,
) -> bool {
    answer(false, || {
        let place = optional_output(database);
        let found = stats?.stats.databases.get(index)?;
        let told = entable_database_stats { name: found.name.into(), records: found.records, bytes: found.bytes };
        put(place, told);
        Some(true)
    })
}

/// Whether there is a kind of queries at `index`, from 0; writes it to `kind`, which may be NULL. Any thread.
#[unsafe(no_mangle)]
pub extern "C" fn entable_stats_query_kind(
    stats: Option<&entable_stats>,
    index: usize,
    kind: Option<&mut MaybeUninit<entable_query_kind>>,
) -> bool {
    answer(false, || {
        let place = optional_output(kind);
        let found = stats?.stats.query_kinds.get(index)?;
        put(place, entable_query_kind { path: found.path.name().into(), pages: found.pages });
        Some(true)
    })
}

/// Whether there is a busy partition at `index`, from 0, the busiest first; writes it to `partition`, which may be NULL.
/// Any thread.
#[unsafe(no_mangle)]
pub extern "C" fn entable_stats_busy_partition(
    stats: Option<&entable_stats>,
    index: usize,
    partition: Option<&mut MaybeUninit<entable_busy_partition>>,
) -> bool {
    answer(false, || {
        let place = optional_output(partition);
        let found = stats?.stats.busiest_partitions.get(index)?;
        let told = entable_busy_partition {
            table: (&*found.table).into(),
            partition_key: (&*found.partition_key).into(),
            least_share: found.least_share,
            most_share: found.most_share,
        };
        put(place, told);
        Some(true)
    })
}

/// Frees stats. NULL is fine. Once.
#[unsafe(no_mangle)]
pub extern "C" fn entable_stats_free(stats: Option<Box<entable_stats>>) {
    free(stats);
}
