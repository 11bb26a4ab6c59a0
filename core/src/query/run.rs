//! A plan on one moment of the store: rows in key order, tested, until the page is full.

use super::access::{self, Access, Branch, Choice, Want};
use super::indexed::{Entries, Found, From, How, Rows, Tester};
use super::ordered;
use super::page::Page;
use super::probe::Probe;
use super::scan::Scan;
use super::stop::Stop;
use super::{Considered, Explain, Forced, HandedOut, Projection, Query, entity};
use crate::catalog::{TableView, Views};
use crate::codec::header::Identity;
use crate::codec::key::{self, KeyReader};
use crate::codec::token::{self, ContinuationToken, TokenPlace};
use crate::filter::ast::Expr;
use crate::limits::{self, Mode};
use crate::plan::{self, AccessPath, KeyRange, Plan, Wish};
use crate::storage::{Bounds, Direction, Read, Space};
use crate::{Error, ErrorCode, Result};
use std::sync::Arc;

/// A query that has been read, checked and planned.
#[derive(Debug)]
pub(crate) struct Prepared {
    pub(super) filter: Expr,
    pub(super) plan: Plan,
    pub(super) select: Option<Projection>,
    pub(super) mode: Mode,
    pub(crate) limit: Option<u64>,
    page_size: usize,
    pub(super) direction: Direction,
    /// Properties in whose order rows come, if not in that of the keys.
    pub(super) order: Vec<String>,
    pub(crate) continuation: Option<ContinuationToken>,
    pub(super) forced: Option<Forced>,
    stop: Option<Stop>,
}

/// Entities that a page has room for when its first one comes: most pages are not larger, and it need not grow step by
/// step. Where a filter tests the rows there may be one match, or none.
const FIRST_ROOM: usize = 128;

/// The table that a query is about, at the moment of a page.
pub(crate) struct Target<'a, T: Read> {
    pub(crate) txn: &'a T,
    pub(crate) table: &'a Arc<TableView>,
    pub(crate) identity: Identity,
}

impl Prepared {
    /// # Errors
    /// What is wrong in the filter, with its position; `InvalidInput` for a page size or projection that the mode
    /// does not allow.
    pub(crate) fn new(query: Query, store_mode: Mode) -> Result<Prepared> {
        let mode = query.mode.unwrap_or(store_mode);
        let page_size = query.page_size.unwrap_or(limits::DEFAULT_PAGE_ENTITIES);
        if mode == Mode::Strict && page_size > limits::SERVICE.page_entities {
            return Err(Error::invalid(format!("A page has at most {} entities.", limits::SERVICE.page_entities))
                .limit(limits::SERVICE.page_entities, page_size));
        }
        let select = match &query.select {
            Some(names) => Projection::new(names, mode.limits())?,
            None => None,
        };
        let (limit, continuation, direction) = (query.limit, query.continuation.clone(), query.direction);
        let (order_by, forced, stop) = (query.order_by.clone(), query.forced.clone(), query.stop.clone());
        let filter = query.into_filter(store_mode)?;
        if mode == Mode::Strict && direction == Direction::Descending {
            return Err(Error::new(ErrorCode::NotImplemented).fact("The service knows the ascending order alone."));
        }
        if let Some(name) = order_by.as_ref().filter(|_| mode == Mode::Strict) {
            return Err(Error::new(ErrorCode::NotImplemented)
                .fact("The service knows the order of the keys alone.")
                .property(name));
        }
        let order = ordered::properties(order_by.as_deref())?;
        let plan = plan::choose(&filter, mode);
        Ok(Prepared { filter, plan, select, mode, limit, page_size, direction, order, continuation, forced, stop })
    }

    /// A reading that has not begun.
    pub(crate) fn reading(&self) -> Reading {
        Reading { stop: self.stop.clone(), ..Reading::default() }
    }

    /// The way to the rows.
    pub(crate) fn path(&self) -> AccessPath {
        self.plan.path
    }

    /// What an index would have to be to answer the query.
    pub(crate) fn wish(&self) -> Wish {
        Wish::of(&self.filter)
    }

    /// Whether all that is read has one PartitionKey.
    pub(crate) fn is_of_one_partition(&self) -> bool {
        matches!(self.plan.path, AccessPath::Point | AccessPath::Range | AccessPath::PartitionScan)
    }

    /// One page, from the place that the token names, or from the beginning; at most `most` entities.
    ///
    /// # Errors
    /// `InvalidInput` for a token of another query, table or store; `Damaged`.
    pub(crate) fn page<T: Read, E: HandedOut>(
        &self,
        target: &Target<'_, T>,
        token: Option<&ContinuationToken>,
        most: Option<u64>,
        reading: &mut Reading,
    ) -> Result<Page<E>> {
        let resume = token.map(|token| self.resume(target, token)).transpose()?;
        let most = most.map_or(self.page_size, |most| usize::try_from(most).unwrap_or(usize::MAX).min(self.page_size));
        let mut page = Page::default();
        if most == 0 {
            return Ok(page);
        }
        if !self.order.is_empty() {
            return self.ordered_page(target, resume.as_deref(), most, reading);
        }
        let choice = self.choose(target, most)?;
        if let Some(access) = choice.access {
            reading.path = Some(access.path());
            count_uses(target, &access);
            let room = usize::try_from(choice.estimated).unwrap_or(usize::MAX).min(FIRST_ROOM);
            return self.indexed_page(target, &access, resume, (most, room), reading);
        }
        let mut scan = Scan::new(target.txn, target.table.id, &self.plan.ranges, self.direction, resume);
        let mut probe = self.probe();
        let mut keys = KeyReader::default();
        while let Some((key, bytes)) = scan.next(reading)? {
            if page.entities.len() == most {
                page.continuation_token = Some(self.token(target, TokenPlace::Row(key.into_owned())));
                break;
            }
            if let Some(probe) = &mut probe
                && !probe.matches(&key, bytes, &target.table.shapes)?
            {
                continue;
            }
            let keys = keys.read(&key)?;
            if page.entities.is_empty() && probe.is_none() {
                page.entities.reserve(most.min(FIRST_ROOM));
            }
            page.entities.push(entity(target.table, (keys.0, &keys.1), (&key, bytes), self.select.as_ref())?);
            reading.rows_returned += 1;
        }
        Ok(page)
    }

    /// The way that the query takes to as many matches as `most`.
    fn choose<T: Read>(&self, target: &Target<'_, T>, most: usize) -> Result<Choice> {
        let names: Option<Vec<&str>> = self.selected();
        access::choose(self, target, Want { matches: most as u64, select: names.as_deref(), is_keys_only: false })
    }

    /// The names that are given out; `None` for all.
    pub(super) fn selected(&self) -> Option<Vec<&str>> {
        self.select.as_ref().map(|select| select.names().collect())
    }

    fn how<'a>(&'a self, access: &'a Access, most: usize, is_keys_only: bool) -> How<'a> {
        let is_covered = match access {
            Access::Index(path) if is_keys_only => path.decides(),
            Access::Index(path) => path.covers(self.selected().as_deref()),
            Access::Union(_) => false,
        };
        How { filter: &self.filter, mode: self.mode, direction: self.direction, most, is_covered }
    }

    /// One page through indexes, in the order of the keys: at most `most` entities, and `room` for so many at first.
    fn indexed_page<T: Read, E: HandedOut>(
        &self,
        target: &Target<'_, T>,
        access: &Access,
        resume: Option<Vec<u8>>,
        (most, room): (usize, usize),
        reading: &mut Reading,
    ) -> Result<Page<E>> {
        let mut page = Page::default();
        let from = resume.map(From::including);
        // One more tells where the next page begins, and one more is looked ahead for.
        let mut rows = Rows::new(target, access, self.how(access, most.saturating_add(1), false), from, reading)?;
        while let Some(found) = rows.next(reading)? {
            if page.entities.len() == most {
                page.continuation_token = Some(self.token(target, TokenPlace::Row(found.row_key)));
                break;
            }
            if page.entities.is_empty() {
                page.entities.reserve(most.min(room));
            }
            page.entities.push(self.found(target, &found)?);
            reading.rows_returned += 1;
        }
        Ok(page)
    }

    pub(super) fn found<T: Read, E: HandedOut>(&self, target: &Target<'_, T>, found: &Found<'_>) -> Result<E> {
        let keys = key::split_row_key(&found.row_key)?;
        let keys = (key::unmap(keys.partition_key)?, key::unmap(keys.row_key)?);
        entity(target.table, (&keys.0, &keys.1), (found.key(), found.bytes), self.select.as_ref())
    }

    /// How many entities match, up to the query's limit.
    pub(crate) fn count<T: Read>(&self, target: &Target<'_, T>) -> Result<u64> {
        let limit = self.limit.unwrap_or(u64::MAX);
        self.check_order(target)?;
        if self.plan.residual.is_none()
            && !target.table.record.has_long_keys
            && self.plan.ranges.iter().all(|range| range.skips().is_none())
        {
            // All that lies in the ranges matches, and has one key in LMDB each: the pages know how many they hold.
            let count = |range: &KeyRange| target.txn.count(Space::Rows, range.bounds(target.table.id));
            return self
                .plan
                .ranges
                .iter()
                .try_fold(0, |sum, range| Ok(sum + count(range)?))
                .map(|sum: u64| sum.min(limit));
        }
        if let Some(access @ Access::Index(path)) = &self.choose_keys(target)?.access {
            count_uses(target, access);
            if path.is_exact() && !path.index.has_long_keys {
                let bounds = path.runs.iter().flat_map(|run| &run.bounds);
                let count = |bounds: &Bounds| target.txn.count(Space::Indexes, bounds.clone());
                return bounds
                    .into_iter()
                    .try_fold(0, |sum, range| Ok(sum + count(range)?))
                    .map(|sum: u64| sum.min(limit));
            }
            // The order does not matter.
            let how = self.how(access, usize::MAX, true);
            let mut tester = Tester::new(target, path.residual.as_ref(), self.mode, how.is_covered);
            let mut entries = Entries::new(target, path, self.direction, None);
            let (mut count, reading) = (0, &mut self.reading());
            while count < limit
                && let Some((entry, row_key, value)) = entries.next(reading)?
            {
                count += u64::from(tester.find(row_key, (&entry, value), reading)?.is_some());
            }
            return Ok(count);
        }
        let mut count = 0;
        self.for_each(target, None, |_| count += 1)?;
        Ok(count)
    }

    /// The way to the keys of all rows that match.
    fn choose_keys<T: Read>(&self, target: &Target<'_, T>) -> Result<Choice> {
        let matches = self.limit.unwrap_or(u64::MAX);
        access::choose(self, target, Want { matches, select: None, is_keys_only: true })
    }

    /// Hands on the key of each row that matches, behind `after`, up to the query's limit, in the query's direction.
    fn for_each<T: Read>(
        &self,
        target: &Target<'_, T>,
        after: Option<&[u8]>,
        mut see: impl FnMut(&[u8]),
    ) -> Result<()> {
        let mut left = self.limit.unwrap_or(u64::MAX);
        let from = || after.map(<[u8]>::to_vec);
        if let Some(access) = self.choose_keys(target)?.access {
            count_uses(target, &access);
            let (most, reading) = (usize::try_from(left).unwrap_or(usize::MAX), &mut self.reading());
            let from = from().map(From::including);
            let mut rows = Rows::new(target, &access, self.how(&access, most, true), from, reading)?;
            while left > 0
                && let Some(found) = rows.next(reading)?
            {
                if after == Some(&found.row_key) {
                    continue;
                }
                see(&found.row_key);
                left -= 1;
            }
            return Ok(());
        }
        let mut scan = Scan::new(target.txn, target.table.id, &self.plan.ranges, self.direction, from());
        let (mut probe, mut reading) = (self.probe(), self.reading());
        while left > 0
            && let Some((key, bytes)) = scan.next(&mut reading)?
        {
            if after == Some(&key) {
                continue;
            }
            if let Some(probe) = &mut probe
                && !probe.matches(&key, bytes, &target.table.shapes)?
            {
                continue;
            }
            see(&key);
            left -= 1;
        }
        Ok(())
    }

    /// What tests the rows that the ranges hold; `None` if all of them match.
    fn probe(&self) -> Option<Probe<'_>> {
        self.plan.residual.as_ref().map(|residual| Probe::new(residual, self.mode))
    }

    /// Tells one query from another, in every process and version: a token holds it.
    fn fingerprint(&self) -> u64 {
        let names = self.select.iter().flat_map(Projection::names);
        token::fingerprint(self.mode, names, &self.filter.to_string())
    }

    pub(super) fn token<T: Read>(&self, target: &Target<'_, T>, place: TokenPlace) -> ContinuationToken {
        ContinuationToken {
            identity: target.identity,
            table: target.table.id,
            direction: told(self.direction),
            fingerprint: self.fingerprint(),
            place,
        }
    }

    fn resume<T: Read>(&self, target: &Target<'_, T>, token: &ContinuationToken) -> Result<Vec<u8>> {
        let other = |what| Err(Error::invalid(format!("The continuation token belongs to another {what}.")));
        if token.identity.store != target.identity.store {
            return other("store");
        }
        if token.identity.history != target.identity.history {
            return other("history of the store: the file was restored, or is a copy, since");
        }
        if token.table != target.table.id {
            return other("table, or to one of that name that has been deleted");
        }
        if token.fingerprint != self.fingerprint() || token.direction != told(self.direction) {
            return other("query: filter, projection, direction and mode must be the same");
        }
        match (&token.place, self.order.is_empty()) {
            (TokenPlace::Row(key), true) | (TokenPlace::Entry(key), false) => Ok(key.clone()),
            (TokenPlace::Entry(_), true) => other("query: this one is answered in the order of row keys"),
            (TokenPlace::Row(_), false) => other("query: this one is answered in the order of an index"),
        }
    }

    /// The row keys of the entities that match, in the query's order, up to its limit. In the order of keys, those behind
    /// `after` alone.
    pub(crate) fn keys<T: Read>(&self, target: &Target<'_, T>, after: Option<&[u8]>) -> Result<Vec<Vec<u8>>> {
        let mut keys = Vec::new();
        let see = |key: &[u8]| keys.push(key.to_vec());
        match self.order.is_empty() {
            true => self.for_each(target, after, see)?,
            false => self.for_each_in_order(target, self.limit.unwrap_or(u64::MAX), see)?,
        }
        Ok(keys)
    }

    /// How the query was answered, given what it cost.
    pub(crate) fn explain<T: Read>(&self, target: &Target<'_, T>, reading: Reading) -> Result<Explain> {
        let rows_in = |ranges: &[KeyRange]| {
            ranges
                .iter()
                .try_fold(0, |sum, range| Ok(sum + target.txn.count(Space::Rows, range.bounds(target.table.id))?))
        };
        let mut explain = self.explain_way(target)?;
        if explain.considered.is_empty() {
            explain.rows_estimated = rows_in(&self.plan.ranges)?;
            explain.considered.push(Considered::taken(self.plan.path, explain.rows_estimated));
            if let Some((path, ranges)) = plan::whole_partitions(&self.filter, self.mode)
                && path != AccessPath::TableScan
            {
                explain.considered.push(Considered::new(path, rows_in(&ranges)?, None));
            }
            if self.plan.path != AccessPath::TableScan {
                let all = plan::choose(&Expr::Constant(true), self.mode);
                explain.considered.push(Considered::new(all.path, rows_in(&all.ranges)?, None));
            }
        }
        let mut cloud = plan::cloud_notes(&self.filter, self.mode);
        if self.direction == Direction::Descending {
            cloud.push("Descending: the service knows the ascending order alone.".into());
        }
        if self.page_size > limits::SERVICE.page_entities {
            cloud.push(format!("Pages of {}: the service answers 400 above 1,000.", self.page_size));
        }
        if !self.order.is_empty() {
            cloud.push("In the order of properties: the service knows the order of the keys alone.".into());
        }
        Ok(Explain {
            rows_read: reading.rows_read,
            entries_read: reading.entries_read,
            rows_returned: reading.rows_returned,
            cloud,
            warnings: plan::warnings(&self.filter, &target.table.shapes, self.mode),
            ..explain
        })
    }

    /// The way, without what it cost; nothing is said of other ways where only keys were thought of.
    fn explain_way<T: Read>(&self, target: &Target<'_, T>) -> Result<Explain> {
        let by_keys = Explain {
            path: self.plan.path,
            filter: self.filter.to_string(),
            ranges: self.plan.ranges.iter().map(ToString::to_string).collect(),
            residual: self.plan.residual.as_ref().map(ToString::to_string),
            ..Explain::default()
        };
        if !self.order.is_empty() {
            return self.explain_order(target, by_keys);
        }
        let most =
            self.limit.map_or(self.page_size, |limit| usize::try_from(limit).unwrap_or(usize::MAX).min(self.page_size));
        let Choice { access, considered, estimated } = self.choose(target, most)?;
        Ok(match access {
            None => Explain { considered, rows_estimated: estimated, ..by_keys },
            Some(Access::Index(path)) => Explain {
                considered,
                rows_estimated: estimated,
                is_covered: path.covers(self.selected().as_deref()),
                ..Explain::through(&path, by_keys)
            },
            Some(Access::Union(branches)) => {
                let ways = branches.iter().flat_map(|Branch { plan, index }| match index {
                    Some(path) => Explain::words(path),
                    None => plan.ranges.iter().map(ToString::to_string).collect(),
                });
                Explain {
                    path: AccessPath::Union,
                    ranges: ways.collect(),
                    residual: Some(self.filter.to_string()),
                    considered,
                    rows_estimated: estimated,
                    ..by_keys
                }
            }
        })
    }
}

fn told(direction: Direction) -> token::Direction {
    match direction {
        Direction::Ascending => token::Direction::Ascending,
        Direction::Descending => token::Direction::Descending,
    }
}

/// What answering has cost so far.
#[derive(Clone, Debug, Default)]
pub(crate) struct Reading {
    pub(crate) rows_read: u64,
    pub(crate) entries_read: u64,
    pub(crate) rows_returned: u64,
    /// The way of the last page, if it is not by keys.
    pub(crate) path: Option<AccessPath>,
    stop: Option<Stop>,
}

impl Reading {
    /// A row more.
    ///
    /// # Errors
    /// `Cancelled`: the answer is not wanted any more.
    #[inline]
    pub(crate) fn row(&mut self) -> Result<()> {
        self.rows_read += 1;
        self.check()
    }

    /// An entry of an index more.
    ///
    /// # Errors
    /// `Cancelled`: the answer is not wanted any more.
    #[inline]
    pub(super) fn entry(&mut self) -> Result<()> {
        self.entries_read += 1;
        self.check()
    }

    #[inline]
    fn check(&self) -> Result<()> {
        match &self.stop {
            Some(stop) => stop.check(self.rows_read + self.entries_read),
            None => Ok(()),
        }
    }
}

fn count_uses<T: Read>(target: &Target<'_, T>, access: &Access) {
    access.indexes().for_each(|path| target.txn.meter().count_use(path.index.id));
}

/// What the views and the header say of a table in this transaction.
///
/// # Errors
/// `TableNotFound`.
pub(crate) fn resolve<T: Read>(views: &Views, txn: &T, name: &crate::TableName) -> Result<Arc<TableView>> {
    views
        .table(txn, name)?
        .ok_or_else(|| Error::new(ErrorCode::TableNotFound).fact(format!("The name is '{name}'.")).table(name.as_str()))
}
