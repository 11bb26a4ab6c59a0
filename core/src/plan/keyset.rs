//! Sets of keys: which PartitionKeys and RowKeys a filter can match, as disjoint ranges in key order.
//!
//! Keys are in the bytes of the order map, so that comparing bytes compares keys.

use std::cmp::Ordering;
use std::sync::Arc;

/// A place between two keys: right before or right after one, or after all of them.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Cut {
    /// Beside a key: `false` before it, `true` after it. Shared: sets of many cuts are made from each other.
    At(Arc<[u8]>, bool),
    Top,
}

impl Cut {
    pub(crate) fn bottom() -> Cut {
        Cut::At(Arc::default(), false)
    }

    pub(crate) fn before(key: impl Into<Arc<[u8]>>) -> Cut {
        Cut::At(key.into(), false)
    }

    pub(crate) fn after(key: impl Into<Arc<[u8]>>) -> Cut {
        Cut::At(key.into(), true)
    }
}

/// The keys between two cuts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Interval {
    pub(crate) from: Cut,
    pub(crate) to: Cut,
}

impl Interval {
    pub(crate) fn all() -> Interval {
        Interval { from: Cut::bottom(), to: Cut::Top }
    }

    pub(crate) fn is_all(&self) -> bool {
        matches!((&self.from, &self.to), (Cut::At(from, false), Cut::Top) if from.is_empty())
    }

    /// Where a key lies: before the interval, in it, or after it.
    fn place(&self, key: &[u8]) -> Ordering {
        // Compared without making a cut of the key.
        let is_beyond = |cut: &Cut| match cut {
            Cut::At(at, after) => match key.cmp(&**at) {
                Ordering::Equal => !after,
                order => order.is_gt(),
            },
            Cut::Top => false,
        };
        match (is_beyond(&self.from), is_beyond(&self.to)) {
            (false, _) => Ordering::Less,
            (true, false) => Ordering::Equal,
            (true, true) => Ordering::Greater,
        }
    }

    /// The one key of the interval, if it can hold no other.
    pub(crate) fn point(&self) -> Option<&[u8]> {
        match (&self.from, &self.to) {
            (Cut::At(from, false), Cut::At(to, true)) if from == to => Some(from),
            _ => None,
        }
    }
}

impl From<Interval> for Intervals {
    fn from(interval: Interval) -> Intervals {
        Intervals(vec![interval])
    }
}

/// Keys of one kind, as disjoint intervals in order, none of them empty, no two adjacent.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Intervals(Vec<Interval>);

impl Intervals {
    pub(crate) fn none() -> Intervals {
        Intervals(Vec::new())
    }

    pub(crate) fn all() -> Intervals {
        Intervals(vec![Interval::all()])
    }

    pub(crate) fn between(from: Cut, to: Cut) -> Intervals {
        if from < to { Intervals(vec![Interval { from, to }]) } else { Intervals::none() }
    }

    pub(crate) fn is_none(&self) -> bool {
        self.0.is_empty()
    }

    pub(crate) fn is_all(&self) -> bool {
        self.0.first().is_some_and(Interval::is_all)
    }

    pub(crate) fn iter(&self) -> std::slice::Iter<'_, Interval> {
        self.0.iter()
    }

    pub(crate) fn as_slice(&self) -> &[Interval] {
        &self.0
    }

    /// Where a key lies: in an interval, or before the one of this number (which may be one past the last).
    pub(crate) fn find(&self, key: &[u8]) -> Result<usize, usize> {
        self.0.binary_search_by(|interval| interval.place(key).reverse())
    }

    pub(super) fn union(&self, other: &Intervals) -> Intervals {
        if self.is_all() || other.is_none() {
            return self.clone();
        }
        if other.is_all() || self.is_none() {
            return other.clone();
        }
        sweep(self, other, |a, b| a || b)
    }

    pub(super) fn intersection(&self, other: &Intervals) -> Intervals {
        if self.is_none() || other.is_all() {
            return self.clone();
        }
        if other.is_none() || self.is_all() {
            return other.clone();
        }
        sweep(self, other, |a, b| a && b)
    }

    pub(crate) fn complement(&self) -> Intervals {
        if self.is_none() {
            return Intervals::all();
        }
        if self.is_all() {
            return Intervals::none();
        }
        sweep(self, &Intervals::all(), |a, b| b && !a)
    }

    /// From the first key to the last, with all between.
    pub(super) fn hull(&self) -> Intervals {
        match (self.0.first(), self.0.last()) {
            (Some(first), Some(last)) => Intervals::between(first.from.clone(), last.to.clone()),
            _ => Intervals::none(),
        }
    }
}

/// Walks the cuts of two sets together, and keeps what `wanted` says of being in the one and in the other.
fn sweep(a: &Intervals, b: &Intervals, wanted: fn(bool, bool) -> bool) -> Intervals {
    fn cuts(set: &Intervals) -> Vec<&Cut> {
        set.0.iter().flat_map(|interval| [&interval.from, &interval.to]).collect()
    }
    let (a, b) = (cuts(a), cuts(b));
    let (mut at_a, mut at_b, mut found, mut begun) = (0, 0, Vec::new(), None);
    while at_a < a.len() || at_b < b.len() {
        let cut = match (a.get(at_a), b.get(at_b)) {
            (Some(a), Some(b)) => *a.min(b),
            (Some(cut), None) | (None, Some(cut)) => *cut,
            (None, None) => break,
        };
        at_a += usize::from(a.get(at_a) == Some(&cut));
        at_b += usize::from(b.get(at_b) == Some(&cut));
        // An odd number of cuts behind means that an interval is open.
        match (begun.take(), wanted(at_a % 2 == 1, at_b % 2 == 1)) {
            (None, true) => begun = Some(cut.clone()),
            (Some(from), true) => begun = Some(from),
            (Some(from), false) => found.push(Interval { from, to: cut.clone() }),
            (None, false) => {}
        }
    }
    Intervals(found)
}

/// A set of key pairs: intervals of PartitionKeys, in order and disjoint, each with RowKeys.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct KeySet(Vec<(Interval, Intervals)>);

/// A set has at most this many ranges: planning must not cost more than reading.
pub(crate) const MOST_RANGES: usize = 16_384;

impl KeySet {
    pub(crate) fn none() -> KeySet {
        KeySet(Vec::new())
    }

    pub(crate) fn all() -> KeySet {
        KeySet::partitions(Intervals::all())
    }

    /// All rows of these partitions.
    pub(crate) fn partitions(partition_keys: Intervals) -> KeySet {
        KeySet(partition_keys.0.into_iter().map(|interval| (interval, Intervals::all())).collect())
    }

    /// These rows of all partitions.
    pub(crate) fn rows(row_keys: Intervals) -> KeySet {
        if row_keys.is_none() { KeySet::none() } else { KeySet(vec![(Interval::all(), row_keys)]) }
    }

    pub(crate) fn iter(&self) -> std::slice::Iter<'_, (Interval, Intervals)> {
        self.0.iter()
    }

    /// What lies in either set; `None` if it has more than [`MOST_RANGES`].
    pub(crate) fn union(&self, other: &KeySet) -> Option<KeySet> {
        // Most terms of a filter say nothing about keys: then there is nothing to combine.
        if self.is_all() || other.0.is_empty() {
            return Some(self.clone());
        }
        if other.is_all() || self.0.is_empty() {
            return Some(other.clone());
        }
        self.combine(other, Intervals::union)
    }

    /// What lies in both sets; `None` if it has more than [`MOST_RANGES`].
    pub(crate) fn intersection(&self, other: &KeySet) -> Option<KeySet> {
        if self.0.is_empty() || other.is_all() {
            return Some(self.clone());
        }
        if other.0.is_empty() || self.is_all() {
            return Some(other.clone());
        }
        self.combine(other, Intervals::intersection)
    }

    /// What does not lie in the set; `None` if it has more than [`MOST_RANGES`].
    pub(crate) fn complement(&self) -> Option<KeySet> {
        if self.0.is_empty() {
            return Some(KeySet::all());
        }
        if self.is_all() {
            return Some(KeySet::none());
        }
        KeySet::all().combine(self, |all, rows| all.intersection(&rows.complement()))
    }

    pub(crate) fn is_all(&self) -> bool {
        matches!(&*self.0, [(partitions, rows)] if partitions.is_all() && rows.is_all())
    }

    /// How many ranges the set has.
    pub(crate) fn ranges(&self) -> usize {
        self.0.iter().map(|(_, rows)| rows.0.len()).sum()
    }

    /// A set that holds what the two hold, and more: all rows between the first and the last partition of theirs.
    pub(crate) fn hull(&self, other: &KeySet) -> KeySet {
        let from = self.0.first().into_iter().chain(other.0.first()).map(|(interval, _)| &interval.from).min();
        let to = self.0.last().into_iter().chain(other.0.last()).map(|(interval, _)| &interval.to).max();
        match (from, to) {
            (Some(from), Some(to)) => KeySet::partitions(Intervals::between(from.clone(), to.clone())),
            _ => KeySet::none(),
        }
    }

    /// All rows of the partitions that the set touches.
    pub(crate) fn whole_partitions(&self) -> KeySet {
        let all = self.0.iter().map(|(interval, _)| interval.clone());
        let mut joined: Vec<Interval> = Vec::new();
        for interval in all {
            match joined.last_mut() {
                Some(last) if last.to == interval.from => last.to = interval.to,
                _ => joined.push(interval),
            }
        }
        KeySet::partitions(Intervals(joined))
    }

    /// Whether the pair lies in the set.
    pub(crate) fn contains(&self, partition_key: &[u8], row_key: &[u8]) -> bool {
        let partition = self.0.binary_search_by(|(interval, _)| interval.place(partition_key).reverse());
        partition.is_ok_and(|at| self.0[at].1.find(row_key).is_ok())
    }

    /// Splits both sets at all their PartitionKey cuts, and combines the RowKeys in each piece.
    fn combine(&self, other: &KeySet, rows: impl Fn(&Intervals, &Intervals) -> Intervals) -> Option<KeySet> {
        let mut cuts: Vec<&Cut> =
            self.0.iter().chain(&other.0).flat_map(|(interval, _)| [&interval.from, &interval.to]).collect();
        cuts.sort_unstable();
        cuts.dedup();
        let (mut at_self, mut at_other) = (0, 0);
        let mut found: Vec<(Interval, Intervals)> = Vec::new();
        let (nothing, mut ranges) = (Intervals::none(), 0);
        for pair in cuts.windows(2) {
            let (from, to) = (pair[0], pair[1]);
            let combined =
                rows(piece(&self.0, &mut at_self, from, &nothing), piece(&other.0, &mut at_other, from, &nothing));
            if combined.is_none() {
                continue;
            }
            match found.last_mut() {
                Some((last, rows)) if last.to == *from && *rows == combined => last.to = to.clone(),
                _ => {
                    ranges += combined.0.len();
                    if ranges > MOST_RANGES {
                        return None;
                    }
                    found.push((Interval { from: from.clone(), to: to.clone() }, combined));
                }
            }
        }
        Some(KeySet(found))
    }
}

/// The RowKeys of the piece that begins at `from`; `at` moves along with rising cuts.
fn piece<'a>(set: &'a [(Interval, Intervals)], at: &mut usize, from: &Cut, nothing: &'a Intervals) -> &'a Intervals {
    while set.get(*at).is_some_and(|(interval, _)| interval.to <= *from) {
        *at += 1;
    }
    match set.get(*at) {
        Some((interval, rows)) if interval.from <= *from => rows,
        _ => nothing,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const KEYS: [&[u8]; 5] = [b"", b"a", b"ab", b"b", b"c"];

    fn intervals() -> impl Strategy<Value = Intervals> {
        let cut = prop_oneof![
            (0..KEYS.len(), any::<bool>()).prop_map(|(key, after)| Cut::At(KEYS[key].into(), after)),
            Just(Cut::Top)
        ];
        (cut.clone(), cut).prop_map(|(from, to)| Intervals::between(from, to))
    }

    /// A set with, for each pair of sample keys, whether it must be in it.
    fn sets() -> impl Strategy<Value = (KeySet, Vec<bool>)> {
        let leaf =
            prop_oneof![intervals().prop_map(KeySet::partitions), intervals().prop_map(KeySet::rows)].prop_map(|set| {
                let truth = pairs().map(|(pk, rk)| set.contains(pk, rk)).collect();
                (set, truth)
            });
        leaf.prop_recursive(5, 24, 2, |inner| {
            let join = |union: bool| {
                move |((a, ta), (b, tb)): ((KeySet, Vec<bool>), (KeySet, Vec<bool>))| {
                    let truth: Vec<bool> = ta.iter().zip(&tb).map(|(a, b)| if union { a | b } else { a & b }).collect();
                    (if union { a.union(&b) } else { a.intersection(&b) }.unwrap(), truth)
                }
            };
            prop_oneof![
                (inner.clone(), inner.clone()).prop_map(join(true)),
                (inner.clone(), inner.clone()).prop_map(join(false)),
                inner.prop_map(|(set, truth)| (set.complement().unwrap(), truth.iter().map(|truth| !truth).collect())),
            ]
        })
    }

    fn pairs() -> impl Iterator<Item = (&'static [u8], &'static [u8])> {
        KEYS.into_iter().flat_map(|pk| KEYS.into_iter().map(move |rk| (pk, rk)))
    }

    proptest! {
        #[test]
        fn sets_hold_what_logic_says((set, truth) in sets()) {
            let found: Vec<bool> = pairs().map(|(pk, rk)| set.contains(pk, rk)).collect();
            prop_assert_eq!(found, truth);
            for pair in set.0.windows(2) {
                prop_assert!(pair[0].0.to <= pair[1].0.from, "partitions overlap or are out of order");
            }
            for (interval, rows) in &set.0 {
                prop_assert!(interval.from < interval.to && !rows.is_none());
                prop_assert!(rows.0.windows(2).all(|pair| pair[0].to < pair[1].from));
            }
        }
    }

    #[test]
    fn a_leaf_holds_what_its_cuts_say() {
        let from_a = KeySet::partitions(Intervals::between(Cut::after(*b"a"), Cut::before(*b"c")));
        let found: Vec<_> = KEYS.into_iter().filter(|pk| from_a.contains(pk, b"x")).collect();
        assert_eq!(found, [&b"ab"[..], b"b"]);
    }

    #[test]
    fn sets_of_too_many_ranges_are_not_made() {
        let point = |n: usize| {
            let key = format!("{n:06}").into_bytes();
            Interval { from: Cut::before(key.clone()), to: Cut::after(key) }
        };
        let points = |from: usize, count: usize| Intervals((from..from + 2 * count).step_by(2).map(point).collect());
        let rows = |count| KeySet::rows(points(0, count));
        assert_eq!(rows(MOST_RANGES).union(&rows(1)).map(|set| set.ranges()), Some(MOST_RANGES));
        assert!(rows(MOST_RANGES).union(&KeySet::rows(points(1, 1))).is_none());
        assert!(rows(MOST_RANGES).complement().is_none());
        // A hundred partitions, each with rows of its own beside those of all.
        assert!(rows(100).union(&KeySet::partitions(points(0, 100))).is_some_and(|set| set.ranges() > 10_000));
        let partitions = KeySet::partitions(points(0, 200));
        assert!(rows(200).union(&partitions).is_none());
        assert!(rows(200).intersection(&partitions).is_none());
        let hull = rows(200).hull(&partitions);
        assert!(hull.contains(b"000000", b"") && hull.contains(b"x", b"y"));
    }

    #[test]
    fn whole_partitions_hold_all_rows_of_the_ones_touched() {
        let one = |key: &[u8]| Intervals::between(Cut::before(key.to_vec()), Cut::after(key.to_vec()));
        let set = KeySet::partitions(one(b"a")).intersection(&KeySet::rows(one(b"b"))).unwrap();
        assert!(!set.contains(b"a", b"c"));
        assert_eq!(set.whole_partitions(), KeySet::partitions(one(b"a")));
    }
}
