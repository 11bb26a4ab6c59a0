//! What indexes are worth: how many entries and values they have, who uses them, which could go, and which are missing.

use crate::Result;
use crate::catalog::TableView;
use crate::codec::key::next_prefix;
use crate::codec::order;
use crate::codec::record::{IndexRecord, IndexState, Projection, Scope};
use crate::index::{self, Index};
use crate::plan::Question;
use crate::storage::{Direction, Read, Space};
use std::fmt;
use std::ops::Bound;
use std::sync::Arc;

/// What an index holds, and how often it was used: [`Table::index_stats`](crate::Table::index_stats).
///
/// # Example
/// ```
/// use entable::{entity, Index, Store};
/// let store = Store::in_memory()?;
/// let people = store.create_table("People")?;
/// people.create_index(Index::new("ByCity").properties(["City"]))?;
/// for (key, city) in [("1", "Bonn"), ("2", "Bonn"), ("3", "Köln"), ("4", "Bonn")] {
///     people.create_entity(entity! { "Sales", key, "City" => city })?;
/// }
/// let stats = &people.index_stats()?[0];
/// assert_eq!((stats.entries, stats.distinct_values, stats.most_frequent_share), (4, 2, 0.75));
/// # Ok::<(), entable::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct IndexStats {
    /// The index.
    pub name: Box<str>,
    /// Entries: one for each entity, as far as it is built.
    pub entries: u64,
    /// Entries of entities that have none of the indexed properties.
    pub missing: u64,
    /// Different values of all properties together, missing ones left out; Strings and Binaries that are the same in
    /// their first 512 bytes count as one.
    pub distinct_values: u64,
    /// The part of all entries that the most frequent of these values has: from 0 to 1.
    pub most_frequent_share: f64,
    /// Bytes of the entries' keys and values; pages of the file are not quite full of them.
    pub bytes: u64,
    /// Pages of queries, counts and deletes by filter that went through it, in this process since it opened the file.
    pub uses: u64,
}

/// What an advice is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum AdviceKind {
    /// An index that no query went through, though there were many.
    Unused,
    /// An index most of whose entries have one value.
    NotDiscriminating,
    /// An index that another one stands for.
    Redundant,
    /// An index that is kept, but not used, since it folds case by another version of Unicode.
    Stale,
    /// A filter that reads many rows for each that it gives.
    Missing,
}

impl AdviceKind {
    /// Its name, as the bindings give it.
    pub const fn name(self) -> &'static str {
        match self {
            AdviceKind::Unused => "unused",
            AdviceKind::NotDiscriminating => "not discriminating",
            AdviceKind::Redundant => "redundant",
            AdviceKind::Stale => "stale",
            AdviceKind::Missing => "missing",
        }
    }
}

/// What would make writes or queries cheaper, why, and how: [`Table::advise`](crate::Table::advise).
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Advice {
    /// The table.
    pub table: Box<str>,
    /// What it is about.
    pub kind: AdviceKind,
    /// The index, if there is one.
    pub index: Option<Box<str>>,
    /// The filter, with a `?` in the place of each constant, if it is about one.
    pub filter: Option<Box<str>>,
    /// Why: a sentence, with numbers.
    pub reason: String,
    /// The call that would help.
    pub call: String,
}

impl fmt::Display for Advice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {} {}", self.table, self.reason, self.call)
    }
}

/// Reads all entries of an index.
///
/// # Errors
/// `Damaged`.
pub(crate) fn index_stats<T: Read>(txn: &T, record: &IndexRecord) -> Result<IndexStats> {
    let prefix = index::prefix(record.id).to_vec();
    let end = next_prefix(prefix.clone()).map_or(Bound::Unbounded, Bound::Excluded);
    let (mut entries, mut missing, mut distinct_values, mut bytes) = (0, 0, 0, 0);
    let (mut most, mut alike, mut last) = (0_u64, 0_u64, Vec::new());
    let mut values = std::collections::HashMap::new();
    for item in txn.range(Space::Indexes, (Bound::Included(prefix), end), Direction::Ascending)? {
        let (key, value) = item?;
        entries += 1;
        bytes += (key.len() + value.len()) as u64;
        let parts = index::split_entry(record, &key)?;
        if parts.each().all(|component| component == [order::MISSING]) {
            missing += 1;
            continue;
        }
        if record.scope == Scope::Partition {
            // The same value comes again in the next partition.
            let count: &mut u64 = values.entry(parts.components.to_vec()).or_default();
            *count += 1;
            continue;
        }
        if last != parts.components {
            last = parts.components.to_vec();
            (distinct_values, alike) = (distinct_values + 1, 0);
        }
        alike += 1;
        most = most.max(alike);
    }
    distinct_values += values.len() as u64;
    most = values.values().copied().fold(most, u64::max);
    Ok(IndexStats {
        name: record.name.clone(),
        entries,
        missing,
        distinct_values,
        most_frequent_share: if entries == 0 { 0.0 } else { most as f64 / entries as f64 },
        bytes,
        uses: txn.meter().uses(record.id),
    })
}

/// Pages of queries without which nothing is called unused.
const MANY_PAGES: u64 = 100;
/// A small index costs little, whatever it holds.
const MANY_ENTRIES: u64 = 1_000;
/// A value that this part of all entries has leads nowhere.
const FREQUENT_SHARE: f64 = 0.5;
/// A filter that was asked less often is no habit.
const HABIT_PAGES: u64 = 3;

/// What there is to say of a table's indexes, and of what was asked of it.
///
/// # Errors
/// `Damaged`.
pub(crate) fn advise<T: Read>(txn: &T, table: &TableView, asked: &[Question], pages: u64) -> Result<Vec<Advice>> {
    let mut advice = Vec::new();
    let about = |kind, index: Option<&IndexRecord>, reason: String, call: String| Advice {
        table: table.record.name.clone(),
        kind,
        index: index.map(|record| record.name.clone()),
        filter: None,
        reason,
        call,
    };
    for record in &table.indexes {
        let name = &record.name;
        let drop = format!("drop_index({name:?})");
        if !index::is_usable(record) {
            let reason = format!("Index {name:?} folds case by another version of Unicode: no query uses it.");
            let call = format!("{drop}, then create_index({})", called(record));
            advice.push(about(AdviceKind::Stale, Some(record), reason, call));
            continue;
        }
        if record.state != IndexState::Ready {
            continue;
        }
        if let Some(other) = table.indexes.iter().find(|other| stands_for(other, record)) {
            let reason = format!("Index {name:?} is redundant: {:?} begins with the same properties.", other.name);
            advice.push(about(AdviceKind::Redundant, Some(record), reason, drop));
            continue;
        }
        // What is unique is there to keep values apart.
        if record.is_unique {
            continue;
        }
        let stats = index_stats(txn, record)?;
        let share = stats.most_frequent_share;
        if stats.uses == 0 && pages >= MANY_PAGES {
            let reason = format!(
                "Index {name:?} was used by none of {pages} pages of queries since the file was opened, and every \
                 write of an entity keeps it: {} entries, {} bytes.",
                stats.entries, stats.bytes
            );
            advice.push(about(AdviceKind::Unused, Some(record), reason, drop));
        } else if stats.entries >= MANY_ENTRIES && share > FREQUENT_SHARE {
            let reason = format!(
                "Index {name:?} tells few entities apart: {:.0} % of {} entries have one of its {} values.",
                share * 100.0,
                stats.entries,
                stats.distinct_values
            );
            advice.push(about(AdviceKind::NotDiscriminating, Some(record), reason, drop));
        }
    }
    for question in asked.iter().filter(|question| question.pages >= HABIT_PAGES) {
        let missing: Vec<&Index> = question
            .wish
            .indexes
            .iter()
            .filter(|wished| !table.indexes.iter().any(|known| serves(known, wished)))
            .collect();
        if missing.is_empty() {
            continue;
        }
        let (read, returned) = (question.rows_read, question.rows_returned);
        let filter = question.wish.filter.clone();
        let reason = format!("`{filter}` read {read} rows in {} pages to give {returned}.", question.pages);
        let calls: Vec<String> = missing.iter().map(|index| format!("create_index({})", spelled(index))).collect();
        advice.push(Advice { filter: Some(filter), ..about(AdviceKind::Missing, None, reason, calls.join(", ")) });
    }
    Ok(advice)
}

/// Whether all that goes through one index can go through the other, which is not worse for it.
fn stands_for(other: &Arc<IndexRecord>, record: &Arc<IndexRecord>) -> bool {
    let covers = match (&other.projection, &record.projection) {
        (Projection::All, _) | (_, Projection::Keys) => true,
        (Projection::Names(has), Projection::Names(wants)) => wants.iter().all(|name| has.contains(name)),
        (Projection::Keys, _) | (Projection::Names(_), Projection::All) => false,
    };
    let is_same = other.properties == record.properties && (other.projection == record.projection || !covers);
    other.id != record.id
        && !record.is_unique
        && other.state == IndexState::Ready
        && index::is_usable(other)
        && other.scope == record.scope
        && other.unicode == record.unicode
        && other.properties.starts_with(&record.properties)
        && covers
        // Of two that are the same the older one stays.
        && (!is_same || other.id < record.id)
}

/// Whether an index that is there begins with what is wished for, so that it was there to be chosen.
fn serves(known: &IndexRecord, wished: &Index) -> bool {
    let first = wished.names().next();
    known.properties.first().map(|name| &**name) == first
        && known.unicode.is_some() == wished.is_folding()
        && (known.scope == Scope::Table || wished.is_of_partition())
}

/// The declaration of an index as the call would spell it.
fn called(record: &IndexRecord) -> String {
    spelled(index::IndexInfo::new(record, false).definition())
}

fn spelled(index: &Index) -> String {
    let mut text = format!("Index::new({:?}).properties({:?})", index.name(), index.names().collect::<Vec<_>>());
    if index.is_of_partition() {
        text.push_str(".scope(Scope::Partition)");
    }
    match index.projects() {
        Projection::Keys => {}
        Projection::All => text.push_str(".projection(Projection::All)"),
        Projection::Names(names) => text.push_str(&format!(".projection(Projection::names({names:?}))")),
    }
    if index.is_declared_unique() {
        text.push_str(".unique(true)");
    }
    if index.is_folding() {
        text.push_str(".fold_case(true)");
    }
    text
}
