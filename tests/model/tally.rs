//! What was done, so that a run that tries nothing is seen.

use crate::filter;
use std::collections::BTreeMap;

#[derive(Default)]
pub(crate) struct Tally {
    counts: BTreeMap<String, usize>,
}

/// What every run must have done so and so often in ten million operations.
const OFTEN: [&str; 48] = [
    "single: ok",
    "group: ok",
    "batch: ok",
    "write: adds",
    "write: removes",
    "write: on a filter",
    "write: found",
    "write: moved",
    "page: first",
    "page: later",
    "page: by another process",
    "page size: 1",
    "page size: below 10",
    "page size: below 100",
    "page size: from 100",
    "path: nothing",
    "path: point",
    "path: points",
    "path: range",
    "path: ranges",
    "path: partition scan",
    "path: partition scans",
    "path: skip scan",
    "path: table scan",
    "through: index equality",
    "through: unique index",
    "through: index range",
    "through: no row fetched",
    "index: made",
    "index: dropped",
    "feed: made",
    "relation: made",
    "relation: children",
    "relation: orphans",
    "relation: cascaded",
    "single: LinkTargetNotFound",
    "change: Created",
    "change: Changed",
    "change: Deleted",
    "order: several rows",
    "single: UniqueIndexViolation",
    "transaction: committed",
    "transaction: given up",
    "transaction: index",
    "snapshot: read",
    "filter: no rows",
    "filter: all rows",
    "delete by filter: some rows",
];

/// What must have happened at all.
const SOMETIMES: [&str; 34] = [
    "single: EntityAlreadyExists",
    "single: ResourceNotFound",
    "single: UpdateConditionNotSatisfied",
    "single: NumberOverflow",
    "single: InvalidInput",
    "single: TableNotFound",
    "group: InvalidDuplicateRow",
    "group: CommandsInBatchActOnDifferentPartitions",
    "group: EntityAlreadyExists",
    "group: UniqueIndexViolation",
    "feed: dropped",
    "relation: dropped",
    "relation: RelationAlreadyExists",
    "relation: deleted orphans",
    "relation: unlinked orphans",
    "single: LinkedEntitiesExist",
    "group: LinkedEntitiesExist",
    "batch: LinkTargetNotFound",
    "delete by filter: refused",
    "index: UniqueIndexViolation",
    "index: IndexAlreadyExists",
    "index: IndexNotFound",
    "order: refused",
    "order: with ties by key",
    "path: index equality",
    "path: union",
    "batch: ResourceNotFound",
    "table: made",
    "table: dropped",
    "page: of a table made again",
    "page: after reopening",
    "page: after its rows were deleted",
    "page: after writes",
    "other process: started again",
];

impl Tally {
    pub(crate) fn count(&mut self, what: impl AsRef<str>) {
        match self.counts.get_mut(what.as_ref()) {
            Some(count) => *count += 1,
            None => drop(self.counts.insert(what.as_ref().to_owned(), 1)),
        }
    }

    pub(crate) fn add(&mut self, other: Tally) {
        for (what, count) in other.counts {
            *self.counts.entry(what).or_default() += count;
        }
    }

    /// A line for each kind of operation.
    pub(crate) fn text(&self) -> String {
        let (some, filters) = (self.of("filter: some rows"), self.of("filter: "));
        let lines = self.counts.iter().map(|(what, count)| format!("{count:>8} {what}\n"));
        lines.collect::<String>() + &format!("{some} of {filters} filters took some rows and refused some")
    }

    /// How often something was done, in all its kinds.
    fn of(&self, prefix: &str) -> usize {
        self.counts.iter().filter(|(what, _)| what.starts_with(prefix)).map(|(_, count)| count).sum()
    }

    /// # Panics
    /// If so many operations tried too little.
    pub(crate) fn check(&self, operations: usize) {
        let (some, filters) = (self.of("filter: some rows"), self.of("filter: "));
        assert!(some * 5 >= filters, "{some} of {filters} filters take some rows and not all");
        let least = operations / 10_000;
        for what in OFTEN.map(String::from).into_iter().chain(filter::questions()) {
            let count = self.counts.get(&what).copied().unwrap_or_default();
            assert!(count >= least, "{what}: {count} in {operations} operations, {least} are the least");
        }
        for what in SOMETIMES {
            assert!(self.of(what) > 0, "{what} was never tried");
        }
    }
}
