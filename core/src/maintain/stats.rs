//! What the store can say of itself: how quick it is, how large, who holds it, what it is asked.

use crate::catalog::{self, table_record};
use crate::codec::header::Header;
use crate::codec::key;
use crate::feed::{self, Counting, FeedInfo};
use crate::model::DateTime;
use crate::plan::AccessPath;
use crate::storage::meter::{Histogram, Meter, Summary};
use crate::storage::{self, Live, Read};
use crate::{Error, ErrorCode, Result};
use std::fmt;
use std::time::Duration;

/// Partitions that are told at most.
const BUSIEST: usize = 10;
/// A page of a query is of one of these kinds.
const PATHS: [AccessPath; 14] = [
    AccessPath::Nothing,
    AccessPath::Point,
    AccessPath::Points,
    AccessPath::Range,
    AccessPath::Ranges,
    AccessPath::PartitionScan,
    AccessPath::PartitionScans,
    AccessPath::SkipScan,
    AccessPath::TableScan,
    AccessPath::UniqueIndex,
    AccessPath::IndexEquality,
    AccessPath::IndexRange,
    AccessPath::IndexScan,
    AccessPath::Union,
];

/// The number under which the meter counts queries that go this way.
pub(crate) fn kind(path: AccessPath) -> usize {
    PATHS.iter().position(|known| *known == path).unwrap_or(PATHS.len())
}

/// Pages of queries, of all kinds.
pub(crate) fn pages(meter: &Meter) -> u64 {
    (0..PATHS.len()).map(|kind| meter.kind(kind)).sum()
}

/// What a store says of itself: [`Store::stats`](crate::Store::stats).
///
/// Sizes and readers are exact, at one moment. What is counted is counted by this process since it opened the file,
/// over all handles of it; commits are all timed, reads and queries are sampled, one in 64 on average. Entities are not
/// counted: `databases` tells how many there are in all tables together, [`Table::count`](crate::Table::count) how many
/// in one.
///
/// # Example
/// ```
/// use entable::{entity, Store};
/// let store = Store::in_memory()?;
/// let orders = store.create_table("Orders")?;
/// orders.create_entity(entity! { "DE", "0001" })?;
/// let stats = store.stats()?;
/// assert_eq!(stats.commits.samples, 2); // the table, the entity
/// println!("{stats}");
/// # Ok::<(), entable::Error>(())
/// ```
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Stats {
    /// Reads of one entity by its keys, from the call to the entity: a sample.
    pub reads: Latency,
    /// Pages of queries, from planned to built: a sample.
    pub queries: Latency,
    /// Commits, every one: writing and syncing, without the wait for a turn.
    pub commits: Latency,
    /// How many groups (single operations, transactions, batches) shared a commit. Steps of housekeeping have none.
    pub commit_groups: Sizes,
    /// Bytes of keys and values that a commit put, before LMDB made pages of them.
    pub commit_bytes: Sizes,
    /// Records that a group put or deleted: entities, index entries, changes, shapes.
    pub group_changes: Sizes,
    /// Pages of queries, by their way to the rows.
    pub query_kinds: Vec<QueryKind>,
    /// The file, or the memory that stands for it.
    pub file: FileStats,
    /// What lies in it.
    pub databases: Vec<DatabaseStats>,
    /// Who keeps space from being used again.
    pub readers: Readers,
    /// The partitions that are read and written most, the busiest first: an estimate from a sample, in which what is
    /// long past counts less. At most 10.
    pub busiest_partitions: Vec<BusyPartition>,
    /// By how much the last Timestamp given is ahead of the clock: it stays so until the clock has caught up (S4.3.5).
    pub timestamp_lead: Duration,
    /// The change feeds, by the names of their tables, with their consumers.
    pub feeds: Vec<FeedStats>,
}

/// A change feed.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct FeedStats {
    /// The table's name.
    pub table: Box<str>,
    /// As [`Table::feed`](crate::Table::feed) gives it; but many changes are counted by their order of magnitude.
    pub feed: FeedInfo,
}

/// How long something took. Quantiles are at most a quarter too high.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Latency {
    /// How many were timed.
    pub samples: u64,
    /// Half took no longer.
    pub p50: Duration,
    /// Nine of ten took no longer.
    pub p90: Duration,
    /// 99 of 100 took no longer.
    pub p99: Duration,
    /// The longest.
    pub max: Duration,
}

/// How large something was. Quantiles are at most a quarter too high.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Sizes {
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

/// Pages of queries that went one way to their rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct QueryKind {
    /// The way.
    pub path: AccessPath,
    /// How many pages, exactly.
    pub pages: u64,
}

/// The store's file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct FileStats {
    /// Bytes.
    pub bytes: u64,
    /// Bytes of a page.
    pub page_bytes: u64,
    /// Pages that hold something.
    pub used_pages: u64,
    /// Pages that will be used again, and the few that say which these are. [`Store::compact`](crate::Store::compact)
    /// gives them back. Some may lie behind the file's end: freed before they were ever written.
    pub free_pages: u64,
}

/// One of the databases in the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct DatabaseStats {
    /// Its name in the file; `header` for the one that has none.
    pub name: &'static str,
    /// Records: entities in `rows`, entries in `indexes`.
    pub records: u64,
    /// Bytes of its pages.
    pub bytes: u64,
}

/// Read transactions.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Readers {
    /// For how long each snapshot and copy of this process has been open, the oldest first. What they see takes up space
    /// as long as they live.
    pub held: Vec<Duration>,
    /// The most readers that there have been at once, over all processes that have the file open now.
    pub slots_used: u32,
    /// How many there can be.
    pub slots: u32,
}

/// A partition that is read or written much.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct BusyPartition {
    /// The table's name.
    pub table: Box<str>,
    /// The PartitionKey.
    pub partition_key: Box<str>,
    /// Its share of all reads and writes, at least: from 0 to 1.
    pub least_share: f64,
    /// Its share, at most.
    pub most_share: f64,
}

/// Gathers what there is to say.
pub(crate) fn stats(live: &Live, now: DateTime) -> Result<Stats> {
    let txn = live.read_txn()?;
    let (meter, header, trees) = (&live.meter, catalog::header(&txn)?, txn.trees()?);
    let (pages, free_pages) = txn.pages(&trees);
    let last = DateTime::from_ticks(header.last_tick).map_err(|_| Error::new(ErrorCode::Internal))?;
    let lead_ticks = u64::try_from(last.ticks().saturating_sub(now.ticks())).unwrap_or(0);
    let (slots_used, slots) = live.reader_slots();
    let kinds = PATHS.into_iter().map(|path| QueryKind { path, pages: meter.kind(kind(path)) });
    Ok(Stats {
        reads: Latency::of(&meter.reads),
        queries: Latency::of(&meter.queries),
        commits: Latency::of(&meter.commits),
        commit_groups: Sizes::of(&meter.commit_groups),
        commit_bytes: Sizes::of(&meter.commit_bytes),
        group_changes: Sizes::of(&meter.group_changes),
        query_kinds: kinds.filter(|kind| kind.pages > 0).collect(),
        file: FileStats {
            bytes: live.file_bytes()?,
            page_bytes: storage::PAGE_BYTES,
            used_pages: pages - free_pages,
            free_pages,
        },
        databases: trees
            .iter()
            .map(|tree| DatabaseStats {
                name: tree.name.unwrap_or("header"),
                records: tree.records,
                bytes: tree.pages * storage::PAGE_BYTES,
            })
            .collect(),
        readers: Readers { held: meter.held(), slots_used, slots },
        busiest_partitions: busiest_partitions(live, &txn),
        timestamp_lead: Duration::from_nanos(lead_ticks.saturating_mul(100)),
        feeds: feeds(&txn, &header)?,
    })
}

fn feeds(txn: &impl Read, header: &Header) -> Result<Vec<FeedStats>> {
    let mut found = Vec::new();
    for (table, id) in catalog::tables(txn)? {
        match feed::info(txn, (header.identity, header.commit_number), id, Counting::About) {
            Ok(feed) => found.push(FeedStats { table: table.as_str().into(), feed }),
            Err(error) if error.code() == ErrorCode::FeedNotFound => {}
            Err(error) => return Err(error.table(table.as_str())),
        }
    }
    Ok(found)
}

/// Tables that are gone by now are left out.
fn busiest_partitions(live: &Live, txn: &impl Read) -> Vec<BusyPartition> {
    let told = live.meter.busiest().into_iter().filter_map(|(key, least_share, most_share)| {
        let table = u32::from_be_bytes(*key.first_chunk()?);
        let partition_key = key::unmap(key::split_row_key(&key).ok()?.partition_key).ok()?.into();
        Some(BusyPartition { table: table_record(txn, table).ok()?.name, partition_key, least_share, most_share })
    });
    told.take(BUSIEST).collect()
}

impl Latency {
    fn of(histogram: &Histogram) -> Latency {
        let Summary { count, p50, p90, p99, largest, .. } = histogram.summary();
        let [p50, p90, p99, max] = [p50, p90, p99, largest].map(Duration::from_nanos);
        Latency { samples: count, p50, p90, p99, max }
    }
}

impl Sizes {
    fn of(histogram: &Histogram) -> Sizes {
        let Summary { count, sum, p50, p99, largest, .. } = histogram.summary();
        Sizes { count, sum, p50, p99, max: largest }
    }
}

impl fmt::Display for Latency {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Latency { samples, p50, p90, p99, max } = self;
        write!(f, "{samples} timed: 50 % within {p50:.1?}, 90 % {p90:.1?}, 99 % {p99:.1?}, longest {max:.1?}")
    }
}

impl fmt::Display for Sizes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Sizes { count, sum, p50, p99, max } = self;
        write!(f, "{sum} in {count}: 50 % at most {p50}, 99 % {p99}, largest {max}")
    }
}

/// A page of text for people; its form may change.
impl fmt::Display for Stats {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Stats { file, readers, .. } = self;
        writeln!(f, "reads            {}", self.reads)?;
        writeln!(f, "query pages      {}", self.queries)?;
        writeln!(f, "commits          {}", self.commits)?;
        writeln!(f, "groups           {}", self.commit_groups)?;
        writeln!(f, "bytes put        {}", self.commit_bytes)?;
        writeln!(f, "changes          {}", self.group_changes)?;
        for QueryKind { path, pages } in &self.query_kinds {
            writeln!(f, "{:<16} {pages} pages of queries", path.name())?;
        }
        let FileStats { bytes, used_pages, free_pages, page_bytes } = file;
        writeln!(
            f,
            "file             {bytes} bytes: {used_pages} pages used, {free_pages} free, of {page_bytes} bytes"
        )?;
        for DatabaseStats { name, records, bytes } in &self.databases {
            writeln!(f, "{name:<16} {records} records, {bytes} bytes")?;
        }
        let Readers { held, slots_used, slots } = readers;
        write!(f, "readers          {slots_used} of {slots} slots used; held by this process: {}", held.len())?;
        match held.first() {
            Some(oldest) => writeln!(f, ", the oldest for {oldest:.1?}")?,
            None => writeln!(f)?,
        }
        for BusyPartition { table, partition_key, least_share, most_share } in &self.busiest_partitions {
            let (least, most) = (least_share * 100.0, most_share * 100.0);
            writeln!(f, "busy             {table} {partition_key:?}: {least:.0} to {most:.0} % of reads and writes")?;
        }
        for FeedStats { table, feed } in &self.feeds {
            write!(f, "feed             {table}: about {} changes", feed.changes)?;
            for consumer in &feed.consumers {
                write!(f, ", {} is about {} behind", consumer.name, consumer.changes_behind)?;
            }
            writeln!(f)?;
        }
        write!(f, "last Timestamp   {:.1?} ahead of the clock", self.timestamp_lead)
    }
}
