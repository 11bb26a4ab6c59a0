//! How a query was answered: for people as text, for programs as data.

use crate::plan::{AccessPath, IndexPath};
use std::fmt;

/// How a query was answered, what it cost, and what else was thought of.
///
/// # Example
/// ```
/// use entable::{entity, AccessPath, Store};
/// let store = Store::in_memory()?;
/// let orders = store.create_table("Orders")?;
/// orders.create_entity(entity! { "DE", "0001", "Total" => 12.5 })?;
/// let explain = orders.explain("PartitionKey eq 'DE' and Total gt 10.0")?;
/// assert_eq!((explain.path(), explain.rows_read()), (AccessPath::PartitionScan, 1));
/// println!("{explain}");
/// # Ok::<(), entable::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Explain {
    pub(super) path: AccessPath,
    pub(super) index: Option<String>,
    pub(super) is_covered: bool,
    pub(super) entries_read: u64,
    pub(super) filter: String,
    pub(super) ranges: Vec<String>,
    pub(super) residual: Option<String>,
    pub(super) considered: Vec<Considered>,
    pub(super) rows_estimated: u64,
    pub(super) rows_read: u64,
    pub(super) rows_returned: u64,
    pub(super) cloud: Vec<String>,
    pub(super) warnings: Vec<String>,
}

/// A way to the rows that was thought of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Considered {
    path: AccessPath,
    index: Option<String>,
    rows: u64,
    is_taken: bool,
}

impl Considered {
    pub(super) fn new(path: AccessPath, rows: u64, index: Option<&str>) -> Considered {
        Considered { path, index: index.map(Into::into), rows, is_taken: false }
    }

    pub(super) fn taken(path: AccessPath, rows: u64) -> Considered {
        Considered { path, index: None, rows, is_taken: true }
    }

    pub(super) fn take(&mut self) {
        self.is_taken = true;
    }

    /// The index that it leads through, if it is one alone.
    pub fn index(&self) -> Option<&str> {
        self.index.as_deref()
    }

    /// The way.
    pub fn path(&self) -> AccessPath {
        self.path
    }

    /// The rows, or entries of the index, that lie on it; about, where they are many.
    pub fn rows(&self) -> u64 {
        self.rows
    }

    /// Whether it is the one that was taken.
    pub fn is_taken(&self) -> bool {
        self.is_taken
    }
}

impl Explain {
    /// The way to the rows.
    pub fn path(&self) -> AccessPath {
        self.path
    }

    /// The index that the way leads through, if it is one alone.
    pub fn index(&self) -> Option<&str> {
        self.index.as_deref()
    }

    /// Whether the entries of the index held all that was asked for, so that no row was fetched.
    pub fn is_covered(&self) -> bool {
        self.is_covered
    }

    /// How many entries of indexes were read.
    pub fn entries_read(&self) -> u64 {
        self.entries_read
    }

    pub(super) fn through(path: &IndexPath, other: Explain) -> Explain {
        Explain {
            path: path.path,
            index: Some(path.index.name.to_string()),
            ranges: Explain::words(path),
            residual: path.residual.as_ref().map(ToString::to_string),
            ..other
        }
    }

    /// What is read of an index, in words.
    pub(super) fn words(path: &IndexPath) -> Vec<String> {
        let words = path.words();
        vec![format!("{}: {}", path.index.name, if words.is_empty() { "all".into() } else { words.join(", ") })]
    }

    /// The filter as it was understood.
    pub fn filter(&self) -> &str {
        &self.filter
    }

    /// The key ranges that were read, in key order; of an index its name and the values.
    pub fn ranges(&self) -> &[String] {
        &self.ranges
    }

    /// What was tested on each row; `None` if the keys decide.
    pub fn residual(&self) -> Option<&str> {
        self.residual.as_deref()
    }

    /// The ways that were thought of, the one that was taken among them.
    pub fn considered(&self) -> &[Considered] {
        &self.considered
    }

    /// How many rows, or entries, lie in the ranges; about, where an index was thought of. Reading page by page looks at
    /// one more row for each page: where it goes on.
    /// Rows whose keys are beyond what a page of the file takes are counted as few as their first parts are.
    pub fn rows_estimated(&self) -> u64 {
        self.rows_estimated
    }

    /// How many rows were read, those included that were walked over.
    pub fn rows_read(&self) -> u64 {
        self.rows_read
    }

    /// How many rows the filter let through.
    pub fn rows_returned(&self) -> u64 {
        self.rows_returned
    }

    /// What the cloud service would answer otherwise, a sentence each. Empty in strict mode, which answers as it does.
    pub fn cloud(&self) -> &[String] {
        &self.cloud
    }

    /// Terms that no stored row can answer, a sentence each: mostly a slip in a name or in a constant's type.
    pub fn warnings(&self) -> &[String] {
        &self.warnings
    }
}

/// Ranges beyond these are counted, not listed.
const LISTED_RANGES: usize = 8;

impl fmt::Display for Explain {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {} rows estimated, {} read", self.path, self.rows_estimated, self.rows_read)?;
        if self.entries_read > 0 {
            write!(f, ", {} entries read", self.entries_read)?;
        }
        writeln!(f, ", {} returned{}", self.rows_returned, if self.is_covered { ", no row fetched" } else { "" })?;
        for range in self.ranges.iter().take(LISTED_RANGES) {
            writeln!(f, "  range       {range}")?;
        }
        if let Some(more @ 1..) = self.ranges.len().checked_sub(LISTED_RANGES) {
            writeln!(f, "              and {more} more")?;
        }
        write!(f, "  residual    {}", self.residual.as_deref().unwrap_or("none: the ranges decide"))?;
        for Considered { path, index, rows, is_taken } in &self.considered {
            let (through, name) = index.as_ref().map_or(("", ""), |name| (" through ", name));
            write!(f, "\n  considered  {path}{through}{name}, {rows} rows{}", if *is_taken { ": taken" } else { "" })?;
        }
        for note in &self.cloud {
            write!(f, "\n  cloud       {note}")?;
        }
        for warning in &self.warnings {
            write!(f, "\n  warning     {warning}")?;
        }
        Ok(())
    }
}
