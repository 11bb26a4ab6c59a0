//! What is told of stores and files: copies, statistics, findings.

use crate::bridge::{
    BusyPartition, Copied, DatabaseStats, Finding, Latency, OptionalNumber, Progress, QueryKind, Report, Sizes, Stats,
};
use crate::failure::{Raised, boundary, optional_text};
use crate::value::text;
use std::ops::ControlFlow;
use std::time::Duration;

type Done<T> = Result<T, Raised>;

/// An exception of whoever is told is forgotten: the call goes on.
pub(crate) fn telling(progress: &Progress) -> impl FnMut(entable::Progress) -> ControlFlow<()> {
    move |at| {
        let _ = progress.tell(at.records, at.total_records);
        ControlFlow::Continue(())
    }
}

pub(crate) fn copied(copied: entable::Copied) -> Copied {
    let entable::Copied { records, bytes_before, bytes_after, .. } = copied;
    Copied { records, bytes_before, bytes_after }
}

pub(crate) fn verify_file(path: &[u8], progress: &Progress) -> Done<Report> {
    boundary(|| {
        let tell = |done, total| {
            let _ = progress.tell(done, total);
            ControlFlow::Continue(())
        };
        let report = entable::verify_with_progress(text(path, "path")?, tell)?;
        Ok(Report {
            text: report.to_string(),
            pages: report.pages,
            used_pages: report.used_pages,
            free_pages: report.free_pages,
            leaked_pages: report.leaked_pages,
            tables: report.tables,
            entities: report.entities,
            index_entries: report.index_entries,
            changes: report.changes,
            findings: report.findings.iter().map(finding).collect(),
            finding_count: report.finding_count,
            damage_count: report.damage_count,
        })
    })
}

fn finding(finding: &entable::Finding) -> Finding {
    let keys = finding.keys.as_ref();
    Finding {
        page: OptionalNumber { is_there: finding.page.is_some(), number: finding.page.unwrap_or_default() },
        kind: finding.kind.name().to_owned(),
        is_damage: finding.kind.is_damage(),
        table: optional_text(finding.table.as_deref()),
        partition_key: optional_text(keys.map(|(partition_key, _)| &**partition_key)),
        row_key: optional_text(keys.map(|(_, row_key)| &**row_key)),
        sentence: finding.sentence.clone(),
    }
}

fn nanoseconds(duration: Duration) -> u64 {
    duration.as_nanos().try_into().unwrap_or(u64::MAX)
}

fn latency(latency: entable::Latency) -> Latency {
    let [p50, p90, p99, max] = [latency.p50, latency.p90, latency.p99, latency.max].map(nanoseconds);
    Latency { samples: latency.samples, p50, p90, p99, max }
}

fn sizes(sizes: entable::Sizes) -> Sizes {
    let entable::Sizes { count, sum, p50, p99, max, .. } = sizes;
    Sizes { count, sum, p50, p99, max }
}

pub(crate) fn stats(stats: &entable::Stats) -> Stats {
    let kind = |kind: &entable::QueryKind| QueryKind { path: kind.path.name().to_owned(), pages: kind.pages };
    let database = |database: &entable::DatabaseStats| DatabaseStats {
        name: database.name.to_owned(),
        records: database.records,
        bytes: database.bytes,
    };
    let busy = |busy: &entable::BusyPartition| BusyPartition {
        table: busy.table.to_string(),
        partition_key: busy.partition_key.to_string(),
        least_share: busy.least_share,
        most_share: busy.most_share,
    };
    Stats {
        text: stats.to_string(),
        reads: latency(stats.reads),
        queries: latency(stats.queries),
        commits: latency(stats.commits),
        commit_groups: sizes(stats.commit_groups),
        commit_bytes: sizes(stats.commit_bytes),
        group_changes: sizes(stats.group_changes),
        query_kinds: stats.query_kinds.iter().map(kind).collect(),
        file_bytes: stats.file.bytes,
        page_bytes: stats.file.page_bytes,
        used_pages: stats.file.used_pages,
        free_pages: stats.file.free_pages,
        databases: stats.databases.iter().map(database).collect(),
        held_readers: stats.readers.held.iter().copied().map(nanoseconds).collect(),
        reader_slots_used: stats.readers.slots_used,
        reader_slots: stats.readers.slots,
        busiest_partitions: stats.busiest_partitions.iter().map(busy).collect(),
        timestamp_lead: nanoseconds(stats.timestamp_lead),
    }
}
