//! From a filter to the entries of an index that it can match, and what is left to test. Pure: no I/O.

use super::choose::{AccessPath, KeyRange, Plan, is_decided_by_keys};
use super::component::{Component, Known, describe};
use super::keyset::{Cut, Interval, Intervals, KeySet};
use crate::codec::key::{SEPARATOR, next_prefix};
use crate::codec::order;
use crate::codec::record::{IndexRecord, IndexState, Projection, Scope};
use crate::filter::ast::{Expr, Property};
use crate::index::{self, EntryParts};
use crate::limits::Mode;
use crate::storage::Bounds;
use std::ops::Bound;
use std::sync::Arc;

/// Ranges of entries beyond these are joined: planning must not cost more than reading.
const MOST_RANGES: usize = 1_024;

/// A way to rows through the entries of one index.
#[derive(Clone, Debug)]
pub(crate) struct IndexPath {
    pub(crate) index: Arc<IndexRecord>,
    /// Disjoint, in the order of the entries; those of one run follow each other.
    pub(crate) runs: Vec<Run>,
    /// Whether the entries of each run come in the order of their rows' keys.
    pub(crate) is_key_ordered: bool,
    /// What an entry must still satisfy, component by component, `None` for what the ranges see to.
    components: Vec<Option<Intervals>>,
    /// The keys that an entry must have; `None` where all are wanted, or the ranges see to it.
    keys: Option<KeySet>,
    /// What rows must still be tested for.
    pub(crate) residual: Option<Expr>,
    pub(crate) path: AccessPath,
    /// What is wanted of each component.
    known: Vec<Intervals>,
    /// How many of the components the ranges are made of, and the first range of keys behind them, in words.
    told: usize,
    told_keys: Option<String>,
}

/// Entries that begin alike.
#[derive(Clone, Debug)]
pub(crate) struct Run {
    /// Index id and the points before the first range.
    pub(crate) prefix: Vec<u8>,
    pub(crate) bounds: Vec<Bounds>,
}

impl IndexPath {
    /// What is read, in words: for whoever asks, since most queries are not explained.
    pub(crate) fn words(&self) -> Vec<String> {
        let told = self.index.properties.iter().zip(&self.known).take(self.told);
        told.map(|(name, wanted)| say(name, wanted)).chain(self.told_keys.clone()).collect()
    }

    /// Whether the ranges alone decide which rows match.
    pub(crate) fn is_exact(&self) -> bool {
        self.residual.is_none() && self.keys.is_none() && self.components.iter().all(Option::is_none)
    }

    /// Whether an entry within the ranges may be of a row that is wanted.
    pub(crate) fn admits(&self, entry: &EntryParts<'_>) -> bool {
        self.keys.as_ref().is_none_or(|keys| keys.contains(entry.partition_key, entry.row_key))
            // Mostly the ranges see to the components.
            && (self.components.iter().all(Option::is_none) || entry
                .each()
                .zip(&self.components)
                .all(|(component, wanted)| wanted.as_ref().is_none_or(|wanted| wanted.find(component).is_ok())))
    }

    /// Whether the entries hold all that the residual and an answer of these properties need; `None`: all properties.
    pub(crate) fn covers(&self, select: Option<&[&str]>) -> bool {
        let has = |name: &str| match &self.index.projection {
            Projection::Keys => false,
            Projection::All => true,
            Projection::Names(names) => names.iter().any(|known| **known == *name),
        };
        let can_select = match (&self.index.projection, select) {
            (Projection::Keys, _) => false,
            (Projection::All, _) => true,
            (Projection::Names(_), None) => false,
            (Projection::Names(_), Some(names)) => names.iter().all(|name| is_system(name) || has(name)),
        };
        can_select && self.can_test(has)
    }

    /// Whether the residual can be tested on the entry.
    fn can_test(&self, has: impl Fn(&str) -> bool) -> bool {
        let Some(residual) = &self.residual else { return true };
        residual.leaves().into_iter().filter_map(Expr::property).all(|property| match property {
            Property::PartitionKey | Property::RowKey | Property::Timestamp => true,
            Property::Custom(name) => has(name),
        })
    }

    /// Whether the entries tell which rows match.
    pub(crate) fn decides(&self) -> bool {
        match &self.index.projection {
            Projection::Keys => self.residual.is_none(),
            Projection::All => true,
            Projection::Names(names) => self.can_test(|name| names.iter().any(|known| **known == *name)),
        }
    }
}

fn is_system(name: &str) -> bool {
    matches!(Property::named(name), Property::PartitionKey | Property::RowKey | Property::Timestamp)
}

/// Whether readers may use the index.
fn is_ready(record: &IndexRecord) -> bool {
    record.state == IndexState::Ready && index::is_usable(record)
}

/// The ways through indexes that leave something out, in the order of the indexes.
pub(crate) fn index_paths(plan: &Plan, indexes: &[Arc<IndexRecord>], mode: Mode) -> Vec<IndexPath> {
    let paths = indexes.iter().filter(|record| is_ready(record));
    paths.filter_map(|record| path(&plan.filter, plan, record, mode, false)).collect()
}

/// The way through an index whose entries come in the order of these properties.
pub(crate) fn ordered_path(plan: &Plan, indexes: &[Arc<IndexRecord>], order: &[String], mode: Mode) -> Vec<IndexPath> {
    let serves = |record: &&Arc<IndexRecord>| is_ready(record) && gives_order(&plan.filter, plan, record, order, mode);
    indexes.iter().filter(serves).filter_map(|record| path(&plan.filter, plan, record, mode, true)).collect()
}

fn component<'a>(record: &'a IndexRecord, at: usize) -> Component<'a> {
    Component { property: &record.properties[at], is_folded: record.unicode.is_some() }
}

/// Whether entries that match come in the order of these properties, each ascending.
fn gives_order(filter: &Expr, plan: &Plan, record: &IndexRecord, order: &[String], mode: Mode) -> bool {
    if record.unicode.is_some() {
        return false;
    }
    if record.scope == Scope::Partition && partitions(plan).is_none_or(|partitions| partitions.len() > 1) {
        return false;
    }
    let mut at = 0;
    for name in order {
        loop {
            let Some(property) = record.properties.get(at) else { return false };
            if **property == **name {
                at += 1;
                break;
            }
            let known = Known::of(filter, component(record, at), mode).most;
            let is_one_value = |one: &Interval| one.point().is_some_and(|point| !order::is_cut(point));
            // What no value can satisfy has no rows to be out of order.
            if !known.is_none() && !matches!(known.as_slice(), [one] if is_one_value(one)) {
                return false;
            }
            at += 1;
        }
    }
    true
}

/// How many components, from the first on, an order of these properties needs.
pub(crate) fn ordered_components(record: &IndexRecord, order: &[String]) -> usize {
    let places = order.iter().filter_map(|name| record.properties.iter().position(|known| **known == **name));
    places.max().map_or(0, |last| last + 1)
}

/// The partitions that a plan names one by one, with the RowKeys of each.
fn partitions(plan: &Plan) -> Option<Vec<(&[u8], &Intervals)>> {
    plan.keys.as_ref()?.iter().map(|(partition, rows)| Some((partition.point()?, rows))).collect()
}

/// The way through one index; `None` if it would not leave out anything, unless it is wanted for its order.
fn path(filter: &Expr, plan: &Plan, record: &Arc<IndexRecord>, mode: Mode, may_be_whole: bool) -> Option<IndexPath> {
    let mut known = Vec::with_capacity(record.properties.len());
    for at in 0..record.properties.len() {
        known.push(Known::of(filter, component(record, at), mode));
        // Of most indexes a filter says nothing.
        if !may_be_whole && known.first()?.most.is_all() {
            return None;
        }
    }
    let mut builder = Builder::new(record, plan)?;
    let mut bounded = 0;
    for (at, known) in known.iter().enumerate() {
        if !builder.fix(&known.most) {
            break;
        }
        bounded = at + 1;
    }
    let all_fixed = bounded == known.len();
    let (runs, last_is_bounded, keys_are_bounded) = match known.get(bounded) {
        Some(next) => {
            let is_bounded = !next.most.is_all();
            (builder.ranges(&next.most), is_bounded, false)
        }
        None => builder.keyed(plan),
    };
    let components: Vec<Option<Intervals>> = known
        .iter()
        .enumerate()
        .map(|(at, known)| {
            let is_seen_to =
                at < bounded || (at == bounded && last_is_bounded && builder.is_precise) || known.most.is_all();
            (!is_seen_to).then(|| known.most.clone())
        })
        .collect();
    let wants_all_keys = plan.keys.as_ref().is_none_or(KeySet::is_all);
    let keys = if wants_all_keys || keys_are_bounded { None } else { plan.keys.clone() };
    let residual = residual(filter, record, plan, mode);
    let is_one_value = builder.prefixes.len() == 1 && all_fixed;
    let path = match (all_fixed, is_one_value && record.is_unique) {
        (true, true) => AccessPath::UniqueIndex,
        (true, false) => AccessPath::IndexEquality,
        (false, _) if known.iter().all(|known| known.most.is_all()) => AccessPath::IndexScan,
        (false, _) => AccessPath::IndexRange,
    };
    Some(IndexPath {
        index: Arc::clone(record),
        runs,
        is_key_ordered: all_fixed,
        components,
        keys,
        residual,
        path,
        told: bounded + usize::from(!all_fixed && last_is_bounded),
        told_keys: builder.told_keys,
        known: known.into_iter().map(|known| known.most).collect(),
    })
}

/// The parts of the top-level `and` that neither the entry's components nor its keys decide.
fn residual(filter: &Expr, record: &IndexRecord, plan: &Plan, mode: Mode) -> Option<Expr> {
    let is_decided = |part: &Expr| {
        (plan.keys.is_some() && is_decided_by_keys(part))
            || (0..record.properties.len()).any(|at| Known::of(part, component(record, at), mode).is_exact())
    };
    let parts = match filter {
        Expr::And(parts) => parts.as_slice(),
        one => std::slice::from_ref(one),
    };
    let left: Vec<Expr> = parts.iter().filter(|part| !is_decided(part)).cloned().collect();
    (!left.is_empty()).then(|| Expr::and(left))
}

/// What is wanted of a component, in words.
fn say(name: &str, wanted: &Intervals) -> String {
    const LISTED: usize = 4;
    let mut words: Vec<String> = wanted.iter().take(LISTED).map(|interval| describe(name, interval)).collect();
    if let Some(more @ 1..) = wanted.as_slice().len().checked_sub(LISTED) {
        words.push(format!("{more} more"));
    }
    if words.is_empty() { format!("{name} never") } else { words.join(" or ") }
}

/// The starts of entries, grown component by component.
struct Builder<'p> {
    prefixes: Vec<(Vec<u8>, Option<&'p Intervals>)>,
    told_keys: Option<String>,
    /// Whether the ranges hold no more than what was asked of them.
    is_precise: bool,
}

impl<'p> Builder<'p> {
    /// `None` if the index looks within partitions, and the filter does not say in which.
    fn new(record: &IndexRecord, plan: &'p Plan) -> Option<Builder<'p>> {
        let id = index::prefix(record.id).to_vec();
        let prefixes = match record.scope {
            Scope::Table => vec![(id, None)],
            Scope::Partition => {
                let partitions = partitions(plan)?;
                if partitions.len() > MOST_RANGES {
                    return None;
                }
                let start = |(partition, rows): (&[u8], &'p Intervals)| {
                    ([&id[..], partition, &[SEPARATOR]].concat(), Some(rows))
                };
                partitions.into_iter().map(start).collect()
            }
        };
        Some(Builder { prefixes, told_keys: None, is_precise: true })
    }

    /// Goes on behind a component of which only points are wanted. Tells whether that is so.
    fn fix(&mut self, wanted: &Intervals) -> bool {
        let points: Option<Vec<&[u8]>> = wanted.iter().map(|interval| interval.point()).collect();
        let Some(points) = points.filter(|points| points.len() * self.prefixes.len() <= MOST_RANGES) else {
            return false;
        };
        let behind = |(prefix, rows): &(Vec<u8>, Option<&'p Intervals>)| {
            let (prefix, rows) = (prefix.clone(), *rows);
            points.iter().map(move |point| ([&prefix[..], *point].concat(), rows)).collect::<Vec<_>>()
        };
        self.prefixes = self.prefixes.iter().flat_map(behind).collect();
        true
    }

    /// The ranges of the component behind what is fixed.
    fn ranges(&mut self, wanted: &Intervals) -> Vec<Run> {
        let joined;
        let wanted = if wanted.as_slice().len() * self.prefixes.len() > MOST_RANGES {
            self.is_precise = false;
            joined = wanted.hull();
            &joined
        } else {
            wanted
        };
        let run = |(prefix, _): &(Vec<u8>, Option<&Intervals>)| Run {
            bounds: wanted
                .iter()
                .map(|interval| (lower(prefix, &interval.from), upper(prefix, &interval.to)))
                .collect(),
            prefix: prefix.clone(),
        };
        self.prefixes.iter().map(run).collect()
    }

    /// Every component is fixed: the keys behind them, if they are few ranges. Tells whether these see to the keys.
    fn keyed(&mut self, plan: &Plan) -> (Vec<Run>, bool, bool) {
        let whole = |prefix: &[u8]| vec![(lower(prefix, &Cut::bottom()), upper(prefix, &Cut::Top))];
        let ranges = plan.ranges.len().max(1);
        let can_bound = plan.keys.is_some() && ranges.saturating_mul(self.prefixes.len()) <= MOST_RANGES;
        let mut is_bounded = can_bound;
        let mut runs = Vec::with_capacity(self.prefixes.len());
        for (prefix, rows) in &self.prefixes {
            let bounds = match rows {
                _ if !can_bound => whole(prefix),
                Some(rows) => {
                    rows.iter().map(|rows| (key_lower(prefix, &rows.from), key_upper(prefix, &rows.to))).collect()
                }
                None => plan.ranges.iter().map(|range| range.bounds_behind(prefix)).collect(),
            };
            runs.push(Run { prefix: prefix.clone(), bounds });
        }
        if self.prefixes.iter().any(|(_, rows)| rows.is_none()) {
            is_bounded &= plan.ranges.iter().all(|range| range.skips().is_none());
        }
        if is_bounded && !plan.keys.as_ref().is_none_or(KeySet::is_all) {
            self.told_keys = plan.ranges.first().map(KeyRange::to_string);
        }
        (runs, true, is_bounded)
    }
}

/// A cut between components as a bound of entries: behind a component lie all entries that begin with it.
fn lower(prefix: &[u8], cut: &Cut) -> Bound<Vec<u8>> {
    match cut {
        Cut::At(component, false) => Bound::Included([prefix, component].concat()),
        Cut::At(component, true) => behind([prefix, component].concat(), Bound::Included),
        Cut::Top => behind(prefix.to_vec(), Bound::Included),
    }
}

fn upper(prefix: &[u8], cut: &Cut) -> Bound<Vec<u8>> {
    match cut {
        Cut::At(component, false) => Bound::Excluded([prefix, component].concat()),
        Cut::At(component, true) => behind([prefix, component].concat(), Bound::Excluded),
        Cut::Top => behind(prefix.to_vec(), Bound::Excluded),
    }
}

fn behind(prefix: Vec<u8>, bound: fn(Vec<u8>) -> Bound<Vec<u8>>) -> Bound<Vec<u8>> {
    next_prefix(prefix).map_or(Bound::Unbounded, bound)
}

/// A cut between RowKeys, which end the entry.
fn key_lower(prefix: &[u8], cut: &Cut) -> Bound<Vec<u8>> {
    match cut {
        Cut::At(key, true) => Bound::Excluded([prefix, key].concat()),
        cut => lower(prefix, cut),
    }
}

fn key_upper(prefix: &[u8], cut: &Cut) -> Bound<Vec<u8>> {
    match cut {
        Cut::At(key, true) => Bound::Included([prefix, key].concat()),
        cut => upper(prefix, cut),
    }
}
