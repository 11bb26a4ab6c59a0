//! From a filter to the key ranges to read and what is left to test on each row. Pure: no I/O.

use super::fold::fold;
use super::keyset::{Cut, Interval, Intervals, KeySet};
use crate::codec::key;
use crate::filter::ast::{CompareOp, Expr, Property};
use crate::limits::Mode;
use crate::model::Value;
use std::fmt;
use std::ops::Bound;
use std::sync::Arc;

/// How a query is answered.
#[derive(Debug)]
pub(crate) struct Plan {
    /// Disjoint, in key order.
    pub(crate) ranges: Vec<KeyRange>,
    /// What rows in the ranges must still be tested for; `None` if all of them match.
    pub(crate) residual: Option<Expr>,
    pub(crate) path: AccessPath,
    /// The keys that rows can have which match; `None` if the ranges are wider.
    pub(super) keys: Option<KeySet>,
    /// The filter, without what decides nothing.
    pub(super) filter: Expr,
}

/// Keys that lie together: rows of one partition, or partitions, of which some rows may be skipped.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct KeyRange {
    partitions: Interval,
    /// One interval, if `partitions` is one.
    rows: Intervals,
}

/// The way to the rows, as the literature ranks the kinds of query (S7.9).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum AccessPath {
    /// The filter can match no key: nothing is read.
    Nothing,
    /// One PartitionKey and one RowKey.
    Point,
    /// Several points.
    Points,
    /// RowKeys between bounds, in one partition.
    Range,
    /// Several ranges, or ranges and points, in one partition or more.
    Ranges,
    /// All of one partition.
    PartitionScan,
    /// All of several partitions, or of those between bounds.
    PartitionScans,
    /// RowKeys between bounds in each of many partitions, from one to the next.
    SkipScan,
    /// All of the table.
    #[default]
    TableScan,
    /// The one entry of a value in a unique index.
    UniqueIndex,
    /// The entries of a value, or of several, in an index.
    IndexEquality,
    /// The entries between bounds in an index.
    IndexRange,
    /// All entries of an index, for its order.
    IndexScan,
    /// Several ways, through indexes or by keys: one for each branch of an `or`.
    Union,
}

impl AccessPath {
    /// The path in words, such as `partition scan`.
    pub const fn name(self) -> &'static str {
        match self {
            AccessPath::Nothing => "nothing",
            AccessPath::Point => "point",
            AccessPath::Points => "points",
            AccessPath::Range => "range",
            AccessPath::Ranges => "ranges",
            AccessPath::PartitionScan => "partition scan",
            AccessPath::PartitionScans => "partition scans",
            AccessPath::SkipScan => "skip scan",
            AccessPath::TableScan => "table scan",
            AccessPath::UniqueIndex => "unique index",
            AccessPath::IndexEquality => "index equality",
            AccessPath::IndexRange => "index range",
            AccessPath::IndexScan => "index scan",
            AccessPath::Union => "union",
        }
    }
}

impl fmt::Display for AccessPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Plans a filter.
pub(crate) fn choose(filter: &Expr, mode: Mode) -> Plan {
    let filter = fold(filter, mode);
    let known = Known::of(&filter);
    let ranges = ranges(&known.most);
    let residual = match (known.is_exact(), known.is_wider) {
        (true, _) => None,
        (false, true) => Some(filter.clone()),
        (false, false) => Some(residual(&filter)),
    };
    let path = path(&ranges);
    Plan { ranges, residual, path, keys: (!known.is_wider).then_some(known.most), filter }
}

/// Whether the keys alone tell if the filter holds.
pub(super) fn is_decided_by_keys(filter: &Expr) -> bool {
    Known::of(filter).is_exact()
}

/// The ranges that would be read if the keys decided on partitions alone; `None` if they do so anyway.
pub(crate) fn whole_partitions(filter: &Expr, mode: Mode) -> Option<(AccessPath, Vec<KeyRange>)> {
    let keys = Known::of(&fold(filter, mode)).most;
    let whole = keys.whole_partitions();
    let ranges = ranges(&whole);
    (whole != keys).then(|| (path(&ranges), ranges))
}

/// What the keys alone tell of a filter: it matches no keys outside of `most`, and every row in `least`.
struct Known {
    most: KeySet,
    least: KeySet,
    /// Whether `most` was made wider, or `least` narrower, than the keys tell, to keep them small.
    is_wider: bool,
}

impl Known {
    fn exactly(keys: KeySet) -> Known {
        Known { least: keys.clone(), most: keys, is_wider: false }
    }

    fn nothing() -> Known {
        Known { most: KeySet::all(), least: KeySet::none(), is_wider: false }
    }

    fn union(&self, other: &Known) -> Known {
        let most = self.most.union(&other.most);
        // Either of them is in their union, and the larger one is the better.
        let larger = || if self.least.ranges() < other.least.ranges() { &other.least } else { &self.least };
        let least = self.least.union(&other.least);
        Known {
            is_wider: self.is_wider || other.is_wider || most.is_none() || least.is_none(),
            most: most.unwrap_or_else(|| self.most.hull(&other.most)),
            least: least.unwrap_or_else(|| larger().clone()),
        }
    }

    fn intersection(&self, other: &Known) -> Known {
        let most = self.most.intersection(&other.most);
        // Their intersection is in either of them.
        let smaller = || if self.most.ranges() <= other.most.ranges() { &self.most } else { &other.most };
        let least = self.least.intersection(&other.least);
        Known {
            is_wider: self.is_wider || other.is_wider || most.is_none() || least.is_none(),
            most: most.unwrap_or_else(|| smaller().clone()),
            least: least.unwrap_or_else(KeySet::none),
        }
    }

    fn complement(&self) -> Known {
        let (most, least) = (self.least.complement(), self.most.complement());
        Known {
            is_wider: self.is_wider || most.is_none() || least.is_none(),
            most: most.unwrap_or_else(KeySet::all),
            least: least.unwrap_or_else(KeySet::none),
        }
    }

    fn is_exact(&self) -> bool {
        self.most == self.least
    }

    fn of(filter: &Expr) -> Known {
        match filter {
            Expr::And(parts) => join(parts, Known::intersection),
            Expr::Or(parts) => join(parts, Known::union),
            Expr::Not(inner) => Known::of(inner).complement(),
            Expr::Constant(true) => Known::exactly(KeySet::all()),
            Expr::Constant(false) => Known::exactly(KeySet::none()),
            Expr::Compare { property, op, value: Value::String(text) } => key_set(property, || compared(*op, text)),
            Expr::StartsWith { property, text, folded: false } => key_set(property, || beginning_with(text)),
            Expr::In { property: property @ (Property::PartitionKey | Property::RowKey), values } => {
                let points = values.iter().filter_map(Value::as_str).map(|text| {
                    Known::exactly(of_property(property, compared(CompareOp::Eq, text)).unwrap_or_else(KeySet::all))
                });
                reduce(points.collect(), Known::union).unwrap_or_else(|| Known::exactly(KeySet::none()))
            }
            Expr::IsNull(Property::PartitionKey | Property::RowKey | Property::Timestamp) => {
                Known::exactly(KeySet::none())
            }
            Expr::Compare { .. }
            | Expr::StartsWith { .. }
            | Expr::In { .. }
            | Expr::IsNull(_)
            | Expr::IsTrue(_)
            | Expr::EndsWith { .. }
            | Expr::Contains { .. }
            | Expr::FoldedCompare { .. }
            | Expr::FoldedIn { .. } => Known::nothing(),
        }
    }
}

fn join(parts: &[Expr], with: fn(&Known, &Known) -> Known) -> Known {
    reduce(parts.iter().map(Known::of).collect(), with).unwrap_or_else(Known::nothing)
}

/// Joins neighbours until one is left: many points are joined in n log n steps.
fn reduce(mut parts: Vec<Known>, with: fn(&Known, &Known) -> Known) -> Option<Known> {
    while parts.len() > 1 {
        let mut halves = Vec::with_capacity(parts.len().div_ceil(2));
        let mut rest = parts.into_iter();
        while let Some(one) = rest.next() {
            halves.push(match rest.next() {
                Some(other) => with(&one, &other),
                None => one,
            });
        }
        parts = halves;
    }
    parts.pop()
}

fn key_set(property: &Property, keys: impl FnOnce() -> Intervals) -> Known {
    match property {
        Property::PartitionKey | Property::RowKey => match of_property(property, keys()) {
            Some(set) => Known::exactly(set),
            None => Known::nothing(),
        },
        Property::Timestamp | Property::Custom(_) => Known::nothing(),
    }
}

fn of_property(property: &Property, keys: Intervals) -> Option<KeySet> {
    match property {
        Property::PartitionKey => Some(KeySet::partitions(keys)),
        Property::RowKey => Some(KeySet::rows(keys)),
        Property::Timestamp | Property::Custom(_) => None,
    }
}

fn compared(op: CompareOp, text: &str) -> Intervals {
    let (before, after) = beside(text);
    match op {
        CompareOp::Eq => Intervals::between(before, after),
        CompareOp::Ne => Intervals::between(before, after).complement(),
        CompareOp::Lt => Intervals::between(Cut::bottom(), before),
        CompareOp::Le => Intervals::between(Cut::bottom(), after),
        CompareOp::Gt => Intervals::between(after, Cut::Top),
        CompareOp::Ge => Intervals::between(before, Cut::Top),
    }
}

/// The cuts right before and right after a text. No key holds U+0000, which sorts first: a text with it lies
/// right after the key that ends there.
fn beside(text: &str) -> (Cut, Cut) {
    let mut mapped = Vec::with_capacity(text.len());
    match text.split_once('\0') {
        Some((head, _)) => {
            key::push_mapped(&mut mapped, head);
            let mapped: Arc<[u8]> = mapped.into();
            (Cut::after(Arc::clone(&mapped)), Cut::after(mapped))
        }
        None => {
            key::push_mapped(&mut mapped, text);
            let mapped: Arc<[u8]> = mapped.into();
            (Cut::before(Arc::clone(&mapped)), Cut::after(mapped))
        }
    }
}

fn beginning_with(text: &str) -> Intervals {
    if text.contains('\0') {
        return Intervals::none();
    }
    let mut mapped = Vec::with_capacity(text.len());
    key::push_mapped(&mut mapped, text);
    let end = key::next_prefix(mapped.clone()).map_or(Cut::Top, Cut::before);
    Intervals::between(Cut::before(mapped), end)
}

/// The parts of the top-level `and` that the keys do not decide: rows in the ranges have passed the others.
fn residual(filter: &Expr) -> Expr {
    match filter {
        Expr::And(parts) => {
            // Of a property that is no key the keys tell nothing.
            let is_left =
                |part: &&Expr| matches!(part.property(), Some(Property::Custom(_))) || !Known::of(part).is_exact();
            Expr::and(parts.iter().filter(is_left).cloned().collect())
        }
        other => other.clone(),
    }
}

/// The ranges that hold a set.
fn ranges(keys: &KeySet) -> Vec<KeyRange> {
    let mut ranges = Vec::new();
    for (partitions, rows) in keys.iter() {
        if partitions.point().is_none() {
            ranges.push(KeyRange { partitions: partitions.clone(), rows: rows.clone() });
            continue;
        }
        let one = |rows: &Interval| KeyRange { partitions: partitions.clone(), rows: rows.clone().into() };
        ranges.extend(rows.iter().map(one));
    }
    ranges
}

fn path(ranges: &[KeyRange]) -> AccessPath {
    match ranges {
        [] => AccessPath::Nothing,
        [one] => match one.kind() {
            Kind::Point => AccessPath::Point,
            Kind::Range => AccessPath::Range,
            Kind::Partition => AccessPath::PartitionScan,
            Kind::Partitions => AccessPath::PartitionScans,
            Kind::Skip => AccessPath::SkipScan,
            Kind::Table => AccessPath::TableScan,
        },
        several if several.iter().all(|range| range.kind() == Kind::Point) => AccessPath::Points,
        several if several.iter().all(|range| matches!(range.kind(), Kind::Point | Kind::Range)) => AccessPath::Ranges,
        several if several.iter().any(|range| range.kind() == Kind::Skip) => AccessPath::SkipScan,
        _ => AccessPath::PartitionScans,
    }
}

#[derive(PartialEq)]
enum Kind {
    Point,
    Range,
    Partition,
    Partitions,
    Skip,
    Table,
}

impl KeyRange {
    fn kind(&self) -> Kind {
        match (self.partitions.point(), self.row_point()) {
            (Some(_), Some(_)) => Kind::Point,
            (Some(_), None) if self.rows.is_all() => Kind::Partition,
            (Some(_), None) => Kind::Range,
            (None, _) if !self.rows.is_all() => Kind::Skip,
            (None, _) if self.partitions.is_all() => Kind::Table,
            (None, _) => Kind::Partitions,
        }
    }

    fn row_point(&self) -> Option<&[u8]> {
        match self.rows.as_slice() {
            [one] => one.point(),
            _ => None,
        }
    }

    /// The RowKeys that are wanted of each partition, if not all of them are and there is more than one partition.
    pub(crate) fn skips(&self) -> Option<&Intervals> {
        (self.kind() == Kind::Skip).then_some(&self.rows)
    }

    /// The row key, if the range can hold one row only.
    pub(crate) fn point(&self, table: u32) -> Option<Vec<u8>> {
        let (partition, row) = (self.partitions.point()?, self.row_point()?);
        Some([&key::table_prefix(table)[..], partition, &[key::SEPARATOR], row].concat())
    }

    /// From where to where in the rows' database.
    pub(crate) fn bounds(&self, table: u32) -> (Bound<Vec<u8>>, Bound<Vec<u8>>) {
        self.bounds_behind(&key::table_prefix(table))
    }

    /// From where to where among keys that begin with `prefix`, behind which come PartitionKey and RowKey.
    pub(crate) fn bounds_behind(&self, prefix: &[u8]) -> (Bound<Vec<u8>>, Bound<Vec<u8>>) {
        let Some(partition) = self.partitions.point() else {
            return (lower(prefix, &self.partitions.from, true), upper(prefix, &self.partitions.to, true));
        };
        let prefix = [prefix, partition, &[key::SEPARATOR]].concat();
        match self.rows.as_slice() {
            [first, .., last] => (lower(&prefix, &first.from, false), upper(&prefix, &last.to, false)),
            [one] => (lower(&prefix, &one.from, false), upper(&prefix, &one.to, false)),
            // A plan has no range without rows.
            [] => (Bound::Excluded(prefix.clone()), Bound::Excluded(prefix)),
        }
    }
}

/// A cut of PartitionKeys lies before or after all rows of that partition: after them comes what has more than
/// the separator behind the key, for keys hold no U+0000.
fn partition_edge(prefix: &[u8], key: &[u8], after: bool) -> Vec<u8> {
    [prefix, key, &[key::SEPARATOR + u8::from(after)]].concat()
}

fn lower(prefix: &[u8], cut: &Cut, is_partition: bool) -> Bound<Vec<u8>> {
    match cut {
        Cut::At(key, after) if is_partition => Bound::Included(partition_edge(prefix, key, *after)),
        Cut::At(key, false) => Bound::Included([prefix, key].concat()),
        Cut::At(key, true) => Bound::Excluded([prefix, key].concat()),
        Cut::Top => key::next_prefix(prefix.to_vec()).map_or(Bound::Unbounded, Bound::Included),
    }
}

fn upper(prefix: &[u8], cut: &Cut, is_partition: bool) -> Bound<Vec<u8>> {
    match cut {
        Cut::At(key, after) if is_partition => Bound::Excluded(partition_edge(prefix, key, *after)),
        Cut::At(key, false) => Bound::Excluded([prefix, key].concat()),
        Cut::At(key, true) => Bound::Included([prefix, key].concat()),
        Cut::Top => key::next_prefix(prefix.to_vec()).map_or(Bound::Unbounded, Bound::Excluded),
    }
}

/// Intervals of RowKeys beyond these are counted, not listed.
const LISTED_ROWS: usize = 4;

/// The range in words: which keys it holds, `..` where it has no bound.
impl fmt::Display for KeyRange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        describe(f, "PartitionKey", &self.partitions)?;
        for (at, rows) in self.rows.iter().filter(|rows| !rows.is_all()).enumerate() {
            f.write_str(if at == 0 { ", " } else { " or " })?;
            if at == LISTED_ROWS {
                return write!(f, "{} more", self.rows.as_slice().len() - at);
            }
            describe(f, "RowKey", rows)?;
        }
        Ok(())
    }
}

fn describe(f: &mut fmt::Formatter<'_>, name: &str, interval: &Interval) -> fmt::Result {
    let text = |key: &[u8]| key::unmap(key).map_or_else(|_| format!("{key:02x?}"), |text| format!("'{text}'"));
    if let Some(key) = interval.point() {
        return write!(f, "{name} = {}", text(key));
    }
    if interval.is_all() {
        return write!(f, "{name} any");
    }
    match &interval.from {
        Cut::At(key, false) if key.is_empty() => {}
        Cut::At(key, after) => write!(f, "{} {} ", text(key), if *after { "<" } else { "<=" })?,
        Cut::Top => {}
    }
    f.write_str(name)?;
    match &interval.to {
        Cut::At(key, after) => write!(f, " {} {}", if *after { "<=" } else { "<" }, text(key)),
        Cut::Top => Ok(()),
    }
}
