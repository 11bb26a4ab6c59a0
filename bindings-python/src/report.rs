//! What the store tells of itself, as objects of `entable._reports`.

use crate::error::raise;
use entable::{Advice, Copied, Explain, Exported, Finding, Imported, Latency, Refused, Report, Sizes, Stats};
use pyo3::prelude::*;
use pyo3::types::{PyAny, PyDict, PyList};

/// An object of one of the classes, on the way.
pub(crate) struct Record<'py> {
    class: Bound<'py, PyAny>,
    fields: Bound<'py, PyDict>,
}

impl<'py> Record<'py> {
    pub(crate) fn new(py: Python<'py>, class: &str) -> PyResult<Record<'py>> {
        Ok(Record { class: py.import("entable._reports")?.getattr(class)?, fields: PyDict::new(py) })
    }

    pub(crate) fn with(self, name: &str, value: impl IntoPyObject<'py>) -> PyResult<Record<'py>> {
        self.fields.set_item(name, value)?;
        Ok(self)
    }

    pub(crate) fn made(self) -> PyResult<Bound<'py, PyAny>> {
        self.class.call((), Some(&self.fields))
    }
}

pub(crate) fn explain<'py>(py: Python<'py>, explain: &Explain) -> PyResult<Bound<'py, PyAny>> {
    let considered: PyResult<Vec<_>> = explain
        .considered()
        .iter()
        .map(|way| {
            Record::new(py, "Considered")?
                .with("path", way.path().name())?
                .with("index", way.index())?
                .with("rows", way.rows())?
                .with("is_taken", way.is_taken())?
                .made()
        })
        .collect();
    Record::new(py, "Explain")?
        .with("path", explain.path().name())?
        .with("index", explain.index())?
        .with("is_covered", explain.is_covered())?
        .with("filter", explain.filter())?
        .with("ranges", explain.ranges())?
        .with("residual", explain.residual())?
        .with("considered", considered?)?
        .with("rows_estimated", explain.rows_estimated())?
        .with("rows_read", explain.rows_read())?
        .with("entries_read", explain.entries_read())?
        .with("rows_returned", explain.rows_returned())?
        .with("cloud", explain.cloud())?
        .with("warnings", explain.warnings())?
        .with("text", explain.to_string())?
        .made()
}

pub(crate) fn copied<'py>(py: Python<'py>, copied: &Copied) -> PyResult<Bound<'py, PyAny>> {
    Record::new(py, "Copied")?
        .with("records", copied.records)?
        .with("bytes_before", copied.bytes_before)?
        .with("bytes_after", copied.bytes_after)?
        .made()
}

pub(crate) fn exported<'py>(py: Python<'py>, exported: &Exported) -> PyResult<Bound<'py, PyAny>> {
    Record::new(py, "Exported")?
        .with("entities", exported.entities)?
        .with("bytes", exported.bytes)?
        .with("position", exported.position.as_ref().map(ToString::to_string))?
        .made()
}

pub(crate) fn imported<'py>(py: Python<'py>, imported: &Imported) -> PyResult<Bound<'py, PyAny>> {
    Record::new(py, "Imported")?
        .with("entities", imported.entities)?
        .with("skipped", imported.skipped)?
        .with("line", imported.line)?
        .made()
}

/// The reasons are exceptions that are not raised.
pub(crate) fn refused<'py>(py: Python<'py>, refused: Refused) -> PyResult<Bound<'py, PyAny>> {
    let reasons: Vec<_> = refused.reasons.into_iter().map(|error| raise(error).into_value(py)).collect();
    Record::new(py, "Refused")?
        .with("table", refused.table)?
        .with("partition_key", refused.partition_key)?
        .with("row_key", refused.row_key)?
        .with("reasons", reasons)?
        .made()
}

fn finding<'py>(py: Python<'py>, finding: &Finding) -> PyResult<Bound<'py, PyAny>> {
    let keys = finding.keys.as_ref();
    Record::new(py, "Finding")?
        .with("page", finding.page)?
        .with("kind", finding.kind.name())?
        .with("is_damage", finding.kind.is_damage())?
        .with("table", finding.table.as_deref())?
        .with("partition_key", keys.map(|keys| &*keys.0))?
        .with("row_key", keys.map(|keys| &*keys.1))?
        .with("sentence", &finding.sentence)?
        .with("text", finding.to_string())?
        .made()
}

pub(crate) fn report<'py>(py: Python<'py>, report: &Report) -> PyResult<Bound<'py, PyAny>> {
    let findings: PyResult<Vec<_>> = report.findings.iter().map(|each| finding(py, each)).collect();
    Record::new(py, "Report")?
        .with("pages", report.pages)?
        .with("used_pages", report.used_pages)?
        .with("free_pages", report.free_pages)?
        .with("leaked_pages", report.leaked_pages)?
        .with("tables", report.tables)?
        .with("entities", report.entities)?
        .with("index_entries", report.index_entries)?
        .with("changes", report.changes)?
        .with("findings", findings?)?
        .with("finding_count", report.finding_count)?
        .with("damage_count", report.damage_count)?
        .with("text", report.to_string())?
        .made()
}

fn latency<'py>(py: Python<'py>, latency: Latency) -> PyResult<Bound<'py, PyAny>> {
    Record::new(py, "Latency")?
        .with("samples", latency.samples)?
        .with("p50", latency.p50.as_secs_f64())?
        .with("p90", latency.p90.as_secs_f64())?
        .with("p99", latency.p99.as_secs_f64())?
        .with("max", latency.max.as_secs_f64())?
        .made()
}

fn sizes<'py>(py: Python<'py>, sizes: Sizes) -> PyResult<Bound<'py, PyAny>> {
    Record::new(py, "Sizes")?
        .with("count", sizes.count)?
        .with("sum", sizes.sum)?
        .with("p50", sizes.p50)?
        .with("p99", sizes.p99)?
        .with("max", sizes.max)?
        .made()
}

pub(crate) fn stats<'py>(py: Python<'py>, stats: &Stats) -> PyResult<Bound<'py, PyAny>> {
    let kinds = PyDict::new(py);
    for kind in &stats.query_kinds {
        kinds.set_item(kind.path.name(), kind.pages)?;
    }
    let databases = PyDict::new(py);
    for database in &stats.databases {
        let record = Record::new(py, "DatabaseStats")?;
        let record = record.with("records", database.records)?.with("bytes", database.bytes)?;
        databases.set_item(database.name, record.made()?)?;
    }
    let busiest: PyResult<Vec<_>> = stats
        .busiest_partitions
        .iter()
        .map(|busy| {
            Record::new(py, "BusyPartition")?
                .with("table", &*busy.table)?
                .with("partition_key", &*busy.partition_key)?
                .with("least_share", busy.least_share)?
                .with("most_share", busy.most_share)?
                .made()
        })
        .collect();
    let file = Record::new(py, "FileStats")?
        .with("bytes", stats.file.bytes)?
        .with("page_bytes", stats.file.page_bytes)?
        .with("used_pages", stats.file.used_pages)?
        .with("free_pages", stats.file.free_pages)?
        .made()?;
    let held: Vec<f64> = stats.readers.held.iter().map(std::time::Duration::as_secs_f64).collect();
    let readers = Record::new(py, "Readers")?
        .with("held", held)?
        .with("slots_used", stats.readers.slots_used)?
        .with("slots", stats.readers.slots)?
        .made()?;
    Record::new(py, "Stats")?
        .with("reads", latency(py, stats.reads)?)?
        .with("queries", latency(py, stats.queries)?)?
        .with("commits", latency(py, stats.commits)?)?
        .with("commit_groups", sizes(py, stats.commit_groups)?)?
        .with("commit_bytes", sizes(py, stats.commit_bytes)?)?
        .with("group_changes", sizes(py, stats.group_changes)?)?
        .with("query_kinds", kinds)?
        .with("file", file)?
        .with("databases", databases)?
        .with("readers", readers)?
        .with("busiest_partitions", busiest?)?
        .with("timestamp_lead", stats.timestamp_lead.as_secs_f64())?
        .with("text", stats.to_string())?
        .made()
}

pub(crate) fn advice<'py>(py: Python<'py>, advice: &[Advice]) -> PyResult<Bound<'py, PyList>> {
    let made: PyResult<Vec<_>> = advice
        .iter()
        .map(|advice| {
            Record::new(py, "Advice")?
                .with("table", &*advice.table)?
                .with("kind", advice.kind.name())?
                .with("index", advice.index.as_deref())?
                .with("filter", advice.filter.as_deref())?
                .with("reason", &advice.reason)?
                .with("call", &advice.call)?
                .made()
        })
        .collect();
    PyList::new(py, made?)
}
