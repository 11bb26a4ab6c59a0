//! Rows through indexes: in the order of their keys, whatever the order of the entries, or in that of the entries.

use super::access::{Access, Branch};
use super::probe::Probe;
use super::run::{Reading, Target};
use super::scan::Scan;
use crate::catalog::TableView;
use crate::codec::key::{SEPARATOR, split_keys};
use crate::codec::record::Scope;
use crate::codec::row::Row;
use crate::filter::ast::Expr;
use crate::index;
use crate::limits::Mode;
use crate::plan::{IndexPath, Run, row_matches};
use crate::storage::{Bounds, Direction, Range, Read, Space};
use crate::{Error, Result};
use std::borrow::Cow;
use std::cmp::Ordering;
use std::collections::{BinaryHeap, VecDeque};
use std::ops::Bound;

/// A row that matches.
#[derive(Clone, Debug)]
pub(super) struct Found<'a> {
    pub(super) row_key: Vec<u8>,
    /// The key of its entry, where that holds what is wanted.
    entry: Option<Cow<'a, [u8]>>,
    pub(super) bytes: &'a [u8],
}

impl Found<'_> {
    /// What `bytes` lies under: the row's key, or its entry's where the entry holds what is wanted.
    pub(super) fn key(&self) -> &[u8] {
        self.entry.as_deref().unwrap_or(&self.row_key)
    }
}

/// An entry that may be of a row that is wanted, with the row key that it stands for.
struct Hit<'a> {
    row_key: Vec<u8>,
    entry: Cow<'a, [u8]>,
    value: &'a [u8],
}

/// Tells which rows match, and fetches them.
pub(super) struct Tester<'a, T: Read> {
    txn: &'a T,
    table: &'a TableView,
    filter: Option<&'a Expr>,
    probe: Option<Probe<'a>>,
    mode: Mode,
    /// Whether entries hold all that is wanted.
    is_covered: bool,
}

impl<'a, T: Read> Tester<'a, T> {
    pub(super) fn new(target: &Target<'a, T>, filter: Option<&'a Expr>, mode: Mode, is_covered: bool) -> Tester<'a, T> {
        let probe = filter.map(|filter| Probe::new(filter, mode));
        Tester { txn: target.txn, table: target.table, filter, probe, mode, is_covered }
    }

    /// The row of an entry, if it matches.
    pub(super) fn find(
        &mut self,
        row_key: Vec<u8>,
        (entry, value): (&Cow<'a, [u8]>, &'a [u8]),
        reading: &mut Reading,
    ) -> Result<Option<Found<'a>>> {
        if self.is_covered {
            return self.covered(Hit { row_key, entry: entry.clone(), value });
        }
        let bytes = self.txn.get(Space::Rows, &row_key)?;
        self.fetched(row_key, bytes, reading)
    }

    /// Hands on the rows of entries that match, in the order of the entries.
    fn find_all(
        &mut self,
        hits: impl ExactSizeIterator<Item = Hit<'a>>,
        reading: &mut Reading,
        mut see: impl FnMut(Found<'a>),
    ) -> Result<()> {
        if self.is_covered {
            for hit in hits {
                self.covered(hit)?.into_iter().for_each(&mut see);
            }
            return Ok(());
        }
        let row_keys: Vec<Vec<u8>> = hits.map(|hit| hit.row_key).collect();
        let rows = self.txn.get_many(Space::Rows, row_keys.iter().map(|key| &key[..]))?;
        for (row_key, bytes) in row_keys.into_iter().zip(rows) {
            self.fetched(row_key, bytes, reading)?.into_iter().for_each(&mut see);
        }
        Ok(())
    }

    /// What an entry holds of its row, if that matches.
    fn covered(&self, Hit { row_key, entry, value }: Hit<'a>) -> Result<Option<Found<'a>>> {
        if let Some(filter) = self.filter
            && !row_matches(filter, &row_key, &Row::new(&entry, value, &self.table.shapes)?, self.mode)?
        {
            return Ok(None);
        }
        Ok(Some(Found { row_key, entry: Some(entry), bytes: value }))
    }

    /// The row that was fetched, if it matches.
    fn fetched(
        &mut self,
        row_key: Vec<u8>,
        bytes: Option<&'a [u8]>,
        reading: &mut Reading,
    ) -> Result<Option<Found<'a>>> {
        let bytes = bytes.ok_or_else(|| Error::damaged("An index has an entry of a row that is not there."))?;
        reading.row()?;
        if let Some(probe) = &mut self.probe
            && !probe.matches(&row_key, bytes, &self.table.shapes)?
        {
            return Ok(None);
        }
        Ok(Some(Found { row_key, entry: None, bytes }))
    }
}

/// Where to go on: from this row key, itself included or not, in the direction of the walk.
#[derive(Clone, Debug)]
pub(super) struct From {
    key: Vec<u8>,
    is_included: bool,
}

impl From {
    pub(super) fn including(key: Vec<u8>) -> From {
        From { key, is_included: true }
    }

    /// Whether a row comes before the place.
    fn is_behind(&self, row_key: &[u8], direction: Direction) -> bool {
        match in_direction(row_key.cmp(&self.key), direction) {
            Ordering::Less => true,
            Ordering::Equal => !self.is_included,
            Ordering::Greater => false,
        }
    }
}

fn in_direction(order: Ordering, direction: Direction) -> Ordering {
    match direction {
        Direction::Ascending => order,
        Direction::Descending => order.reverse(),
    }
}

/// A key and its value.
type Item<'a> = (Cow<'a, [u8]>, &'a [u8]);

/// The entries of some ranges, one range after the other.
struct Walk<'a, T: Read> {
    txn: &'a T,
    direction: Direction,
    /// Still to be read, the next one last.
    bounds: Vec<Bounds>,
    current: Option<Range<'a>>,
}

impl<'a, T: Read> Walk<'a, T> {
    fn new(txn: &'a T, bounds: impl DoubleEndedIterator<Item = Bounds>, direction: Direction) -> Self {
        let bounds = match direction {
            Direction::Ascending => bounds.rev().collect(),
            Direction::Descending => bounds.collect(),
        };
        Walk { txn, direction, bounds, current: None }
    }

    fn next(&mut self) -> Result<Option<Item<'a>>> {
        loop {
            if let Some(current) = &mut self.current
                && let Some(item) = current.next().transpose()?
            {
                return Ok(Some(item));
            }
            let Some(bounds) = self.bounds.pop() else { return Ok(None) };
            self.current = Some(self.txn.range(Space::Indexes, bounds, self.direction)?);
        }
    }
}

/// Leaves out what comes before a place.
fn cut((lower, upper): Bounds, place: &[u8], is_included: bool, direction: Direction) -> Bounds {
    let make =
        |place: &[u8]| if is_included { Bound::Included(place.to_vec()) } else { Bound::Excluded(place.to_vec()) };
    match (&lower, &upper, direction) {
        (Bound::Included(key) | Bound::Excluded(key), _, Direction::Ascending) if &**key > place => (lower, upper),
        (Bound::Excluded(key), _, Direction::Ascending) if &**key == place => (lower, upper),
        (_, _, Direction::Ascending) => (make(place), upper),
        (_, Bound::Included(key) | Bound::Excluded(key), Direction::Descending) if &**key < place => (lower, upper),
        (_, Bound::Excluded(key), Direction::Descending) if &**key == place => (lower, upper),
        (_, _, Direction::Descending) => (lower, make(place)),
    }
}

/// The next entry of a run.
struct Head<'a> {
    hit: Hit<'a>,
    run: usize,
    direction: Direction,
}

impl PartialEq for Head<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Head<'_> {}

impl PartialOrd for Head<'_> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Head<'_> {
    /// The next one is the greatest: a heap gives it first.
    fn cmp(&self, other: &Self) -> Ordering {
        in_direction(self.hit.row_key.cmp(&other.hit.row_key), self.direction).reverse()
    }
}

/// How many entries are taken before their rows are fetched, so that these are fetched together.
const TOGETHER: usize = 32;

/// Runs whose entries are in the order of row keys, merged.
struct Merge<'a, T: Read> {
    path: &'a IndexPath,
    table: u32,
    direction: Direction,
    runs: Vec<Walk<'a, T>>,
    heads: BinaryHeap<Head<'a>>,
    /// Rows that match and have been fetched already.
    found: VecDeque<Found<'a>>,
    /// As many rows that match are surely asked for, if there are so many: what is fetched ahead of being asked for.
    sure: usize,
}

impl<'a, T: Read> Merge<'a, T> {
    fn new(
        target: &Target<'a, T>,
        path: &'a IndexPath,
        (direction, sure): (Direction, usize),
        from: Option<&From>,
        reading: &mut Reading,
    ) -> Result<Self> {
        let (txn, table, heads, found) = (target.txn, target.table.id, BinaryHeap::new(), VecDeque::new());
        let mut merge = Merge { path, table, direction, runs: Vec::new(), heads, found, sure };
        for run in &path.runs {
            let Some(bounds) = bounds_from(run, from, path, direction) else { continue };
            merge.runs.push(Walk::new(txn, bounds.into_iter(), direction));
            merge.advance(merge.runs.len() - 1, reading)?;
        }
        Ok(merge)
    }

    /// Puts the next entry of a run among the heads.
    fn advance(&mut self, run: usize, reading: &mut Reading) -> Result<()> {
        while let Some((entry, value)) = self.runs[run].next()? {
            reading.entry()?;
            let parts = index::split_entry(&self.path.index, &entry)?;
            if self.path.admits(&parts) {
                let row_key = parts.row_key_in(self.table);
                let hit = Hit { row_key, entry, value };
                self.heads.push(Head { hit, run, direction: self.direction });
                return Ok(());
            }
        }
        Ok(())
    }

    fn next(&mut self, tester: &mut Tester<'a, T>, reading: &mut Reading) -> Result<Option<Found<'a>>> {
        let mut hits = Vec::new();
        while self.found.is_empty() {
            let wanted = self.sure.clamp(1, TOGETHER);
            while hits.len() < wanted
                && let Some(Head { hit, run, .. }) = self.heads.pop()
            {
                self.advance(run, reading)?;
                hits.push(hit);
            }
            if hits.is_empty() {
                return Ok(None);
            }
            tester.find_all(hits.drain(..), reading, |found| self.found.push_back(found))?;
        }
        self.sure = self.sure.saturating_sub(1);
        Ok(self.found.pop_front())
    }
}

/// The ranges of a key-ordered run from a place on; `None` if all of it comes before.
fn bounds_from(run: &Run, from: Option<&From>, path: &IndexPath, direction: Direction) -> Option<Vec<Bounds>> {
    let Some(from) = from else { return Some(run.bounds.clone()) };
    // What the run's entries end in, given the row key of the place.
    let keys = from.key.get(4..)?;
    let rest = match path.index.scope {
        Scope::Table => keys,
        Scope::Partition => {
            let partition = run.prefix.get(4..)?.split(|byte| *byte == SEPARATOR).next()?;
            let (from_partition, from_row) = split_keys(keys)?;
            match in_direction(partition.cmp(from_partition), direction) {
                Ordering::Less => return None,
                Ordering::Equal => from_row,
                Ordering::Greater => return Some(run.bounds.clone()),
            }
        }
    };
    let place = [&run.prefix[..], rest].concat();
    Some(run.bounds.iter().cloned().map(|bounds| cut(bounds, &place, from.is_included, direction)).collect())
}

/// Ranges whose entries are in another order: of these the first few rows by key, and again when they are used up.
struct Batch<'a, T: Read> {
    target: Target<'a, T>,
    path: &'a IndexPath,
    direction: Direction,
    most: usize,
    from: Option<From>,
    items: VecDeque<Found<'a>>,
    /// Whether rows may be left behind the batch.
    is_partial: bool,
}

struct Candidate<'a> {
    found: Found<'a>,
    direction: Direction,
}

impl PartialEq for Candidate<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Candidate<'_> {}

impl PartialOrd for Candidate<'_> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Candidate<'_> {
    /// The last one is the greatest: a heap gives it up first.
    fn cmp(&self, other: &Self) -> Ordering {
        in_direction(self.found.row_key.cmp(&other.found.row_key), self.direction)
    }
}

impl<'a, T: Read> Batch<'a, T> {
    fn fill(&mut self, tester: &mut Tester<'a, T>, reading: &mut Reading) -> Result<()> {
        let mut heap: BinaryHeap<Candidate<'a>> = BinaryHeap::new();
        self.is_partial = false;
        let bounds = self.path.runs.iter().flat_map(|run| run.bounds.iter().cloned());
        let (mut walk, mut hits) = (Walk::new(self.target.txn, bounds, self.direction), Vec::new());
        while let Some((entry, value)) = walk.next()? {
            reading.entry()?;
            let parts = index::split_entry(&self.path.index, &entry)?;
            if !self.path.admits(&parts) {
                continue;
            }
            let row_key = parts.row_key_in(self.target.table.id);
            if self.from.as_ref().is_some_and(|from| from.is_behind(&row_key, self.direction)) {
                continue;
            }
            let is_full = heap.len() >= self.most;
            let is_late = |last: &Candidate<'_>| in_direction(row_key.cmp(&last.found.row_key), self.direction).is_gt();
            if is_full && heap.peek().is_some_and(is_late) {
                self.is_partial = true;
                continue;
            }
            hits.push(Hit { row_key, entry, value });
            // Up to where the heap is full every row has to be looked at anyway.
            if hits.len() >= self.most.saturating_sub(heap.len()).clamp(1, TOGETHER) {
                self.take(&mut hits, &mut heap, tester, reading)?;
            }
        }
        self.take(&mut hits, &mut heap, tester, reading)?;
        self.items = heap.into_sorted_vec().into_iter().map(|candidate| candidate.found).collect();
        Ok(())
    }

    /// Puts the rows of entries on the heap, those that match.
    fn take(
        &mut self,
        hits: &mut Vec<Hit<'a>>,
        heap: &mut BinaryHeap<Candidate<'a>>,
        tester: &mut Tester<'a, T>,
        reading: &mut Reading,
    ) -> Result<()> {
        tester.find_all(hits.drain(..), reading, |found| {
            let is_full = heap.len() >= self.most;
            heap.push(Candidate { found, direction: self.direction });
            if is_full {
                heap.pop();
                self.is_partial = true;
            }
        })
    }

    fn next(&mut self, tester: &mut Tester<'a, T>, reading: &mut Reading) -> Result<Option<Found<'a>>> {
        if self.items.is_empty() && self.is_partial {
            self.fill(tester, reading)?;
        }
        let Some(found) = self.items.pop_front() else { return Ok(None) };
        if self.items.is_empty() && self.is_partial {
            self.from = Some(From { key: found.row_key.clone(), is_included: false });
        }
        Ok(Some(found))
    }
}

enum Way<'a, T: Read> {
    Merge(Merge<'a, T>),
    Batch(Batch<'a, T>),
    Keys(Scan<'a, T>),
}

/// A way with what tests its rows, and the row that comes next.
struct Lane<'a, T: Read> {
    way: Way<'a, T>,
    tester: Tester<'a, T>,
    next: Option<Found<'a>>,
}

impl<'a, T: Read> Lane<'a, T> {
    fn advance(&mut self, reading: &mut Reading) -> Result<Option<Found<'a>>> {
        let next = match &mut self.way {
            Way::Merge(merge) => merge.next(&mut self.tester, reading)?,
            Way::Batch(batch) => batch.next(&mut self.tester, reading)?,
            Way::Keys(scan) => loop {
                let Some((key, bytes)) = scan.next(reading)? else { break None };
                let is_match = match &mut self.tester.probe {
                    Some(probe) => probe.matches(&key, bytes, &self.tester.table.shapes)?,
                    None => true,
                };
                if is_match {
                    break Some(Found { row_key: key.into_owned(), entry: None, bytes });
                }
            },
        };
        Ok(std::mem::replace(&mut self.next, next))
    }
}

/// The rows that match, in the order of their keys.
pub(super) struct Rows<'a, T: Read> {
    lanes: Vec<Lane<'a, T>>,
    direction: Direction,
}

/// How rows are to be read.
#[derive(Clone, Copy)]
pub(super) struct How<'a> {
    pub(super) filter: &'a Expr,
    pub(super) mode: Mode,
    pub(super) direction: Direction,
    /// Rows that are wanted at a time.
    pub(super) most: usize,
    /// Whether entries of the index hold all that is wanted.
    pub(super) is_covered: bool,
}

impl<'a, T: Read> Rows<'a, T> {
    pub(super) fn new(
        target: &Target<'a, T>,
        access: &'a Access,
        how: How<'a>,
        from: Option<From>,
        reading: &mut Reading,
    ) -> Result<Rows<'a, T>> {
        let mut rows = Rows { lanes: Vec::new(), direction: how.direction };
        match access {
            Access::Index(path) => {
                let tester = Tester::new(target, path.residual.as_ref(), how.mode, how.is_covered);
                let sure = how.most.saturating_add(1);
                rows.push(through(target, path, (how, sure), from, reading)?, tester, reading)?;
            }
            Access::Union(branches) => {
                for Branch { plan, index } in branches {
                    // Of a branch only rows that match as a whole: a batch is filled with nothing else.
                    let tester = Tester::new(target, Some(how.filter), how.mode, false);
                    let way = match index {
                        // How many of the rows come from which branch is not known.
                        Some(path) => through(target, path, (how, 1), from.clone(), reading)?,
                        None => {
                            let resume = from.as_ref().map(|from| from.key.clone());
                            Way::Keys(Scan::new(target.txn, target.table.id, &plan.ranges, how.direction, resume))
                        }
                    };
                    rows.push(way, tester, reading)?;
                }
            }
        }
        Ok(rows)
    }

    fn push(&mut self, way: Way<'a, T>, tester: Tester<'a, T>, reading: &mut Reading) -> Result<()> {
        let mut lane = Lane { way, tester, next: None };
        lane.advance(reading)?;
        self.lanes.push(lane);
        Ok(())
    }

    pub(super) fn next(&mut self, reading: &mut Reading) -> Result<Option<Found<'a>>> {
        if let [only] = &mut self.lanes[..] {
            return only.advance(reading);
        }
        let direction = self.direction;
        let heads = self.lanes.iter().filter_map(|lane| lane.next.as_ref().map(|found| &found.row_key));
        let Some(first) = heads.min_by(|a, b| in_direction(a.cmp(b), direction)).cloned() else { return Ok(None) };
        let mut given = None;
        // A row that several branches lead to is given once.
        for lane in &mut self.lanes {
            if lane.next.as_ref().is_some_and(|found| found.row_key == first) {
                given = lane.advance(reading)?.or(given);
            }
        }
        Ok(given)
    }
}

fn through<'a, T: Read>(
    target: &Target<'a, T>,
    path: &'a IndexPath,
    (how, sure): (How<'a>, usize),
    from: Option<From>,
    reading: &mut Reading,
) -> Result<Way<'a, T>> {
    let direction = how.direction;
    if path.is_key_ordered {
        return Ok(Way::Merge(Merge::new(target, path, (direction, sure), from.as_ref(), reading)?));
    }
    let (most, items) = (how.most.saturating_add(1), VecDeque::new());
    let target = Target { txn: target.txn, table: target.table, identity: target.identity };
    Ok(Way::Batch(Batch { target, path, direction, most, from, items, is_partial: true }))
}

/// The entries of a path that may be of rows that are wanted, in the order of the index.
pub(super) struct Entries<'a, T: Read> {
    walk: Walk<'a, T>,
    path: &'a IndexPath,
    table: u32,
}

/// An entry, the row key that it stands for, and its value.
pub(super) type EntryItem<'a> = (Cow<'a, [u8]>, Vec<u8>, &'a [u8]);

impl<'a, T: Read> Entries<'a, T> {
    /// From the entry of this key on, itself included, if there is one.
    pub(super) fn new(target: &Target<'a, T>, path: &'a IndexPath, direction: Direction, from: Option<&[u8]>) -> Self {
        let bounds = path.runs.iter().flat_map(|run| run.bounds.iter().cloned());
        let bounds = bounds.map(|bounds| match from {
            Some(from) => cut(bounds, from, true, direction),
            None => bounds,
        });
        Entries { walk: Walk::new(target.txn, bounds, direction), path, table: target.table.id }
    }

    pub(super) fn next(&mut self, reading: &mut Reading) -> Result<Option<EntryItem<'a>>> {
        while let Some((entry, value)) = self.walk.next()? {
            reading.entry()?;
            let parts = index::split_entry(&self.path.index, &entry)?;
            if self.path.admits(&parts) {
                let row_key = parts.row_key_in(self.table);
                return Ok(Some((entry, row_key, value)));
            }
        }
        Ok(None)
    }
}

#[cfg(test)]
mod tests;
