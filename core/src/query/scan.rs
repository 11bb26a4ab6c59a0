//! The rows of a plan's ranges in key order, either way, from one moment of the store.

use super::run::Reading;
use crate::Result;
use crate::codec::key::{self, RowKeyParts, SEPARATOR};
use crate::plan::{Cut, Intervals, KeyRange};
use crate::storage::{Direction, Range, Read, Space};
use std::borrow::Cow;
use std::ops::Bound;

/// A row: its key and its bytes.
type Item<'t> = (Cow<'t, [u8]>, &'t [u8]);

/// An iterator over the rows of ranges.
pub(super) struct Scan<'t, T: Read> {
    txn: &'t T,
    table: u32,
    /// Still to be read, the next one last.
    ranges: Vec<&'t KeyRange>,
    direction: Direction,
    /// The place to begin at, inclusive, in the direction of the scan.
    resume: Option<Vec<u8>>,
    current: Option<Current<'t>>,
}

struct Current<'t> {
    walk: Range<'t>,
    /// Where the walk ends, in its direction.
    end: Bound<Vec<u8>>,
    /// The RowKeys that are wanted of each partition; `None` for all.
    rows: Option<&'t Intervals>,
}

/// How many rows that are not wanted are walked over before it is worth while to seek: a seek costs about as much.
const STEPS: usize = 12;

impl<'t, T: Read> Scan<'t, T> {
    pub(super) fn new(
        txn: &'t T,
        table: u32,
        ranges: &'t [KeyRange],
        direction: Direction,
        resume: Option<Vec<u8>>,
    ) -> Scan<'t, T> {
        let ranges = match direction {
            Direction::Ascending => ranges.iter().rev().collect(),
            Direction::Descending => ranges.iter().collect(),
        };
        Scan { txn, table, ranges, direction, resume, current: None }
    }

    /// The next row; those that are walked over to it are read, too.
    pub(super) fn next(&mut self, reading: &mut Reading) -> Result<Option<Item<'t>>> {
        loop {
            if let Some(current) = &mut self.current {
                let found = match current.rows {
                    None => current.walk.next().transpose()?,
                    Some(rows) => skip(self.txn, current, rows, self.direction, reading)?,
                };
                if let Some(item) = found {
                    reading.row()?;
                    return Ok(Some(item));
                }
                self.current = None;
            }
            let Some(range) = self.ranges.pop() else { return Ok(None) };
            if let Some(point) = range.point(self.table) {
                if self.is_before_resume(&point) {
                    continue;
                }
                if let Some(bytes) = self.txn.get(Space::Rows, &point)? {
                    reading.row()?;
                    return Ok(Some((Cow::Owned(point), bytes)));
                }
                continue;
            }
            let (mut lower, mut upper) = range.bounds(self.table);
            if let Some(resume) = &self.resume {
                match self.direction {
                    Direction::Ascending => lower = later(lower, resume),
                    Direction::Descending => upper = earlier(upper, resume),
                }
            }
            let end = match self.direction {
                Direction::Ascending => upper.clone(),
                Direction::Descending => lower.clone(),
            };
            let walk = self.txn.range(Space::Rows, (lower, upper), self.direction)?;
            self.current = Some(Current { walk, end, rows: range.skips() });
        }
    }

    fn is_before_resume(&self, key: &[u8]) -> bool {
        self.resume.as_deref().is_some_and(|resume| match self.direction {
            Direction::Ascending => key < resume,
            Direction::Descending => key > resume,
        })
    }
}

/// The later of a lower bound and the place to resume at, which is inclusive (S7.8.3).
fn later(lower: Bound<Vec<u8>>, resume: &[u8]) -> Bound<Vec<u8>> {
    match &lower {
        Bound::Included(key) | Bound::Excluded(key) if &**key >= resume => lower,
        _ => Bound::Included(resume.to_vec()),
    }
}

/// The earlier of an upper bound and the place to resume at, which is inclusive.
fn earlier(upper: Bound<Vec<u8>>, resume: &[u8]) -> Bound<Vec<u8>> {
    match &upper {
        Bound::Included(key) | Bound::Excluded(key) if &**key <= resume => upper,
        _ => Bound::Included(resume.to_vec()),
    }
}

/// The next row whose RowKey is wanted: walks some rows, then seeks to where the next one may be.
fn skip<'t, T: Read>(
    txn: &'t T,
    current: &mut Current<'t>,
    rows: &Intervals,
    direction: Direction,
    reading: &mut Reading,
) -> Result<Option<Item<'t>>> {
    let mut steps = 0;
    let mut target: Option<Bound<Vec<u8>>> = None;
    loop {
        let Some((key, value)) = current.walk.next().transpose()? else { return Ok(None) };
        if !target.as_ref().is_some_and(|target| is_before(&key, target, direction)) {
            let parts = key::split_row_key(&key)?;
            match rows.find(parts.row_key) {
                Ok(_) => return Ok(Some((key, value))),
                Err(next) => {
                    target = Some(candidate(parts, rows, next, direction));
                    steps = 0;
                }
            }
        }
        reading.row()?;
        steps += 1;
        if steps > STEPS
            && let Some(target) = target.take()
        {
            let bounds = match direction {
                Direction::Ascending => (target, current.end.clone()),
                Direction::Descending => (current.end.clone(), target),
            };
            current.walk = txn.range(Space::Rows, bounds, direction)?;
            steps = 0;
        }
    }
}

fn is_before(key: &[u8], target: &Bound<Vec<u8>>, direction: Direction) -> bool {
    match (target, direction) {
        (Bound::Included(target), Direction::Ascending) => key < &**target,
        (Bound::Excluded(target), Direction::Ascending) => key <= &**target,
        (Bound::Included(target), Direction::Descending) => key > &**target,
        (Bound::Excluded(target), Direction::Descending) => key >= &**target,
        (Bound::Unbounded, _) => false,
    }
}

/// Where the next wanted row may be, seen from one that is not wanted and lies before interval `next`.
fn candidate(parts: RowKeyParts<'_>, rows: &Intervals, next: usize, direction: Direction) -> Bound<Vec<u8>> {
    let partition = [&key::table_prefix(parts.table)[..], parts.partition_key].concat();
    let in_partition = |key: &[u8]| [&partition[..], &[SEPARATOR], key].concat();
    match direction {
        Direction::Ascending => match rows.as_slice().get(next).map(|interval| &interval.from) {
            Some(Cut::At(key, false)) => Bound::Included(in_partition(key)),
            Some(Cut::At(key, true)) => Bound::Excluded(in_partition(key)),
            // Keys hold no U+0000: the next partition is beyond whatever follows the separator.
            Some(Cut::Top) | None => Bound::Included([&partition[..], &[SEPARATOR + 1]].concat()),
        },
        Direction::Descending => {
            match next.checked_sub(1).and_then(|at| rows.as_slice().get(at)).map(|interval| &interval.to) {
                Some(Cut::At(key, true)) => Bound::Included(in_partition(key)),
                Some(Cut::At(key, false)) => Bound::Excluded(in_partition(key)),
                Some(Cut::Top) | None => Bound::Excluded(in_partition(&[])),
            }
        }
    }
}
