//! Which way a query takes: by keys, through an index, or a way for each branch of an `or`. Priced by how many rows and
//! entries lie on each, which the trees tell about.

use super::Forced;
use super::explain::Considered;
use super::run::{Prepared, Target};
use crate::Result;
use crate::plan::{self, AccessPath, IndexPath, Plan};
use crate::storage::{Read, Space};

/// A way to the rows other than by keys alone.
#[derive(Debug)]
pub(super) enum Access {
    Index(IndexPath),
    Union(Vec<Branch>),
}

/// The way of a branch: through an index, or by the keys of its plan.
#[derive(Debug)]
pub(super) struct Branch {
    pub(super) plan: Plan,
    pub(super) index: Option<IndexPath>,
}

/// What is wanted of the rows on the way.
#[derive(Clone, Copy, Debug)]
pub(super) struct Want<'q> {
    /// Matches after which reading stops.
    pub(super) matches: u64,
    /// Properties that are given out: `None` for all of them.
    pub(super) select: Option<&'q [&'q str]>,
    /// Nothing of the rows but that they match.
    pub(super) is_keys_only: bool,
}

/// The way that was taken, if it is not by keys, and all that were thought of.
#[derive(Debug)]
pub(super) struct Choice {
    pub(super) access: Option<Access>,
    pub(super) considered: Vec<Considered>,
    /// Rows, or entries, on the way.
    pub(super) estimated: u64,
}

/// A row that is fetched through an index costs as much as so many that are walked over.
const FETCH: f64 = 12.0;
/// An entry that holds what is wanted.
const COVERED: f64 = 1.5;
/// A range to begin.
const SEEK: f64 = 8.0;
/// Of so many ranges the entries are estimated; what they are on average is taken for the others.
const ESTIMATED_RANGES: usize = 32;

/// Chooses the cheapest way.
pub(super) fn choose<T: Read>(query: &Prepared, target: &Target<'_, T>, want: Want<'_>) -> Result<Choice> {
    let by_keys = Choice { access: None, considered: Vec::new(), estimated: 0 };
    if target.table.indexes.is_empty() || is_best(&query.plan) {
        return Ok(by_keys);
    }
    let rows = rows_on(target, &query.plan)?;
    let mut considered = vec![Considered::new(query.plan.path, rows, None)];
    #[cfg(test)]
    if let Some(forced) = forced::FORCED.get() {
        return forced::choose(query, target, want, forced);
    }
    let mut paths = plan::index_paths(&query.plan, &target.table.indexes, query.mode);
    if let Some(forced) = &query.forced {
        let is_meant = |path: &IndexPath| matches!(forced, Forced::Index(name) if *path.index.name == **name);
        let path = paths.iter().position(is_meant).map(|at| paths.swap_remove(at));
        let mut taken = Considered::new(query.plan.path, rows, None);
        if let Some(path) = &path {
            taken = Considered::new(path.path, entries_on(target, path)?, Some(&path.index.name));
        }
        taken.take();
        let estimated = taken.rows();
        return Ok(Choice { access: path.map(Access::Index), considered: vec![taken], estimated });
    }
    let mut best: Option<(f64, u64, Access)> = None;
    for path in paths {
        let entries = entries_on(target, &path)?;
        considered.push(Considered::new(path.path, entries, Some(&path.index.name)));
        let (cost, scan) = (cost(&path, entries, want), scan_cost(&path, entries, rows, want));
        if cost < scan && best.as_ref().is_none_or(|(least, ..)| cost < *least) {
            best = Some((cost, entries, Access::Index(path)));
        }
    }
    if best.is_none()
        && let Some((cost, entries, branches)) = union(query, target, want)?
    {
        considered.push(Considered::new(AccessPath::Union, entries, None));
        if cost < rows as f64 {
            best = Some((cost, entries, Access::Union(branches)));
        }
    }
    let (estimated, access) = match best {
        Some((_, entries, access)) => (entries, Some(access)),
        None => (rows, None),
    };
    let taken = match &access {
        None => 0,
        Some(Access::Index(path)) => {
            let name = Some(&*path.index.name);
            considered.iter().position(|one| one.index() == name).unwrap_or(0)
        }
        Some(Access::Union(_)) => considered.len() - 1,
    };
    considered[taken].take();
    Ok(Choice { access, considered, estimated })
}

/// Whether no index can do better than the keys.
fn is_best(plan: &Plan) -> bool {
    match plan.path {
        AccessPath::Nothing | AccessPath::Point => true,
        // Rows of partitions that do not match are walked over.
        AccessPath::SkipScan => false,
        _ => plan.residual.is_none(),
    }
}

/// The way of each branch of an `or`, if none of them has to look at all rows; with cost and entries.
fn union<T: Read>(query: &Prepared, target: &Target<'_, T>, want: Want<'_>) -> Result<Option<(f64, u64, Vec<Branch>)>> {
    let Some(filters) = plan::branches(&query.plan) else { return Ok(None) };
    let (mut sum, mut entries, mut branches) = (0.0, 0, Vec::new());
    // A branch is read whole, or until the page is full: of the rows that are given out all properties may be needed.
    let want = Want { select: None, is_keys_only: false, ..want };
    for filter in filters {
        let plan = plan::choose(&filter, query.mode);
        let mut best = (rows_on(target, &plan)?, None);
        let mut least = best.0 as f64;
        if !is_best(&plan) {
            for path in plan::index_paths(&plan, &target.table.indexes, query.mode) {
                let on_path = entries_on(target, &path)?;
                let cost = cost(&path, on_path, want);
                if cost < least {
                    (least, best) = (cost, (on_path, Some(path)));
                }
            }
        }
        sum += least;
        entries += best.0;
        branches.push(Branch { plan, index: best.1 });
    }
    Ok(Some((sum, entries, branches)))
}

/// About as many rows as a scan would walk over in the same time.
fn cost(path: &IndexPath, entries: u64, want: Want<'_>) -> f64 {
    let entries = entries as f64;
    let wanted = if path.is_exact() { entries.min(want.matches as f64) } else { entries };
    let is_covered = if want.is_keys_only { path.decides() } else { path.covers(want.select) };
    let fetch = if is_covered { COVERED } else { FETCH };
    let walked = if path.is_key_ordered { wanted } else { entries };
    path.runs.len() as f64 * SEEK + walked + wanted * fetch
}

/// What the scan would cost until it has as many matches as the index has.
fn scan_cost(path: &IndexPath, entries: u64, rows: u64, want: Want<'_>) -> f64 {
    let part = if path.is_exact() && entries > want.matches { want.matches as f64 / entries as f64 } else { 1.0 };
    rows as f64 * part
}

fn rows_on<T: Read>(target: &Target<'_, T>, plan: &Plan) -> Result<u64> {
    let bounds = plan.ranges.iter().map(|range| range.bounds(target.table.id));
    estimate(target, Space::Rows, plan.ranges.len(), bounds)
}

fn entries_on<T: Read>(target: &Target<'_, T>, path: &IndexPath) -> Result<u64> {
    let bounds = path.runs.iter().flat_map(|run| run.bounds.iter().cloned());
    let count = path.runs.iter().map(|run| run.bounds.len()).sum();
    estimate(target, Space::Indexes, count, bounds)
}

fn estimate<T: Read>(
    target: &Target<'_, T>,
    space: Space,
    count: usize,
    bounds: impl Iterator<Item = (std::ops::Bound<Vec<u8>>, std::ops::Bound<Vec<u8>>)>,
) -> Result<u64> {
    let mut sum = 0;
    for bounds in bounds.take(ESTIMATED_RANGES) {
        sum += target.txn.estimate(space, &bounds)?;
    }
    Ok(if count > ESTIMATED_RANGES { sum * count as u64 / ESTIMATED_RANGES as u64 } else { sum })
}

/// Tests take each way that there is, whatever it costs.
#[cfg(test)]
pub(super) mod forced {
    use super::{Access, Choice, Prepared, Read, Result, Target, Want, plan, union};
    use std::cell::Cell;

    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub(in crate::query) enum Forced {
        Keys,
        /// The way through an index, by its number among those that there are.
        Index(usize),
        Union,
    }

    thread_local! {
        pub(in crate::query) static FORCED: Cell<Option<Forced>> = const { Cell::new(None) };
        /// Whether there was such a way.
        pub(in crate::query) static WAS_THERE: Cell<bool> = const { Cell::new(false) };
    }

    pub(super) fn choose<T: Read>(
        query: &Prepared,
        target: &Target<'_, T>,
        want: Want<'_>,
        forced: Forced,
    ) -> Result<Choice> {
        let mut paths = plan::index_paths(&query.plan, &target.table.indexes, query.mode);
        let access = match forced {
            Forced::Keys => None,
            Forced::Index(at) if at < paths.len() => Some(Access::Index(paths.swap_remove(at))),
            Forced::Index(_) => None,
            Forced::Union => union(query, target, want)?.map(|(_, _, branches)| Access::Union(branches)),
        };
        WAS_THERE.set(access.is_some());
        Ok(Choice { access, considered: Vec::new(), estimated: 0 })
    }
}
