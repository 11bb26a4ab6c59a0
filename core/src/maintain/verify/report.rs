//! What looking through a file gives.

use crate::storage::pages::{Fault, FaultKind, PageCounts};
use crate::{Error, ErrorCode};
use std::fmt;

/// What kind of contradiction a [`Finding`] is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum FindingKind {
    /// A meta page, which says where everything begins.
    Meta,
    /// The form of a page, or its place in its tree: what lies on it, or below it, is lost.
    Page,
    /// What a tree's record says of the whole tree.
    Tree,
    /// The list of free pages: writing to the file may destroy what is in use.
    FreeList,
    /// The store's header record.
    Header,
    /// A record of the catalog: a table, a shape, an index, a relation, a drop.
    Catalog,
    /// An entity.
    Row,
    /// The nodes of long keys.
    LongKey,
    /// An entry of an index.
    IndexEntry,
    /// A change in the feed.
    Change,
    /// What a newer version has written, and this one cannot judge. No damage.
    Newer,
    /// Pages that are neither used nor free. No damage: room is lost until the store is compacted.
    Leaked,
}

impl FindingKind {
    /// The kind's name, such as `free pages`.
    pub const fn name(self) -> &'static str {
        match self {
            FindingKind::Meta => "meta page",
            FindingKind::Page => "page",
            FindingKind::Tree => "tree",
            FindingKind::FreeList => "free pages",
            FindingKind::Header => "header",
            FindingKind::Catalog => "catalog",
            FindingKind::Row => "row",
            FindingKind::LongKey => "long key",
            FindingKind::IndexEntry => "index entry",
            FindingKind::Change => "change",
            FindingKind::Newer => "newer",
            FindingKind::Leaked => "leaked",
        }
    }

    /// Whether the file is damaged where there is such a finding.
    pub const fn is_damage(self) -> bool {
        !matches!(self, FindingKind::Newer | FindingKind::Leaked)
    }
}

impl fmt::Display for FindingKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// One contradiction in a file, and where it is.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Finding {
    /// The page, counted from 0 in pages of 4,096 bytes; `None` where it is about the whole file.
    pub page: Option<u64>,
    /// What kind of thing is wrong.
    pub kind: FindingKind,
    /// The table that it is about, where there is one.
    pub table: Option<Box<str>>,
    /// The index that it is about, where there is one.
    pub index: Option<Box<str>>,
    /// The PartitionKey and RowKey of the entity that it is about, where they can be read.
    pub keys: Option<(Box<str>, Box<str>)>,
    /// What is wrong, in one sentence.
    pub sentence: String,
}

impl Finding {
    pub(super) fn new(page: Option<u64>, kind: FindingKind, sentence: impl Into<String>) -> Finding {
        Finding { page, kind, table: None, index: None, keys: None, sentence: sentence.into() }
    }

    /// The finding of an error that reading something gave.
    pub(super) fn of_error(page: u64, kind: FindingKind, error: &Error) -> Finding {
        let kind = if error.code() == ErrorCode::NewerFormat { FindingKind::Newer } else { kind };
        Finding::new(Some(page), kind, error.fact_or_message())
    }

    pub(super) fn table(mut self, table: Option<&str>) -> Finding {
        self.table = table.map(Into::into);
        self
    }

    pub(super) fn index(mut self, index: &str) -> Finding {
        self.index = Some(index.into());
        self
    }

    pub(super) fn keys(mut self, partition_key: &str, row_key: &str) -> Finding {
        self.keys = Some((partition_key.into(), row_key.into()));
        self
    }
}

impl From<Fault> for Finding {
    fn from(fault: Fault) -> Finding {
        let kind = match fault.kind {
            FaultKind::Meta => FindingKind::Meta,
            FaultKind::Page => FindingKind::Page,
            FaultKind::Tree => FindingKind::Tree,
            FaultKind::FreeList => FindingKind::FreeList,
            FaultKind::LongKey => FindingKind::LongKey,
            FaultKind::Leaked => FindingKind::Leaked,
        };
        Finding::new(fault.page, kind, fault.fact)
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(page) = self.page {
            write!(f, "page {page}, ")?;
        }
        write!(f, "{}: {}", self.kind, self.sentence)?;
        if let Some(table) = &self.table {
            write!(f, " Table: {table}.")?;
        }
        if let Some(index) = &self.index {
            write!(f, " Index: {index}.")?;
        }
        if let Some((partition_key, row_key)) = &self.keys {
            write!(f, " Keys: {partition_key:?}, {row_key:?}.")?;
        }
        Ok(())
    }
}

/// What [`verify`](crate::verify) has seen of a file, and what it has found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Report {
    /// Pages of the file.
    pub pages: u64,
    /// Pages in use.
    pub used_pages: u64,
    /// Pages that later writes use again. Those that were freed before they were ever written may lie behind the file's
    /// end, so that used and free ones together can be more than `pages`.
    pub free_pages: u64,
    /// Pages that are neither: see [`FindingKind::Leaked`].
    pub leaked_pages: u64,
    /// Tables.
    pub tables: u64,
    /// Entities of all tables.
    pub entities: u64,
    /// Entries of all indexes.
    pub index_entries: u64,
    /// Changes of all feeds.
    pub changes: u64,
    /// The first findings, at most [`Report::MOST_FINDINGS`].
    pub findings: Vec<Finding>,
    /// How many findings there are in all.
    pub finding_count: u64,
    /// How many of them are damage.
    pub damage_count: u64,
}

impl Report {
    /// Findings that a report holds; beyond it they are counted only.
    pub const MOST_FINDINGS: usize = 1_000;

    /// Whether no damage was found.
    pub fn is_clean(&self) -> bool {
        self.damage_count == 0
    }

    /// The first finding that is damage.
    pub fn first_damage(&self) -> Option<&Finding> {
        self.findings.iter().find(|finding| finding.kind.is_damage())
    }

    pub(super) fn add(&mut self, finding: Finding) {
        self.finding_count += 1;
        let is_first = finding.kind.is_damage() && self.damage_count == 0;
        self.damage_count += u64::from(finding.kind.is_damage());
        if self.findings.len() < Report::MOST_FINDINGS {
            self.findings.push(finding);
        } else if is_first && let Some(last) = self.findings.last_mut() {
            // Whatever else there is, damage is told.
            *last = finding;
        }
    }

    /// Takes over the findings and counts of a part.
    pub(super) fn merge(&mut self, part: Report) {
        let (held, damage) = (part.findings.len() as u64, part.findings.iter().filter(|f| f.kind.is_damage()).count());
        self.finding_count += part.finding_count - held;
        self.damage_count += part.damage_count - damage as u64;
        part.findings.into_iter().for_each(|finding| self.add(finding));
        self.tables += part.tables;
        self.entities += part.entities;
        self.index_entries += part.index_entries;
        self.changes += part.changes;
    }

    pub(super) fn set_pages(&mut self, counts: PageCounts) {
        (self.used_pages, self.free_pages, self.leaked_pages) = (counts.used, counts.free, counts.leaked);
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "{} pages: {} used, {} free, {} leaked. {} tables, {} entities, {} index entries, {} changes.",
            self.pages,
            self.used_pages,
            self.free_pages,
            self.leaked_pages,
            self.tables,
            self.entities,
            self.index_entries,
            self.changes
        )?;
        for finding in &self.findings {
            writeln!(f, "{finding}")?;
        }
        let more = self.finding_count.saturating_sub(self.findings.len() as u64);
        if more > 0 {
            writeln!(f, "and {more} more")?;
        }
        match self.damage_count {
            0 => f.write_str("No damage."),
            1 => f.write_str("Damaged in 1 place."),
            count => write!(f, "Damaged in {count} places."),
        }
    }
}
