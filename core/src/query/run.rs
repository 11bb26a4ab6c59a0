//! A plan on one moment of the store: rows in key order, tested, until the page is full.

use super::page::Page;
use super::probe::Probe;
use super::scan::Scan;
use super::{Considered, Explain, Projection, Query, entity};
use crate::catalog::{TableView, Views};
use crate::codec::header::Identity;
use crate::codec::key;
use crate::codec::row::Row;
use crate::codec::token::{self, ContinuationToken, TokenPlace};
use crate::filter::ast::Expr;
use crate::limits::{self, Mode};
use crate::model::names;
use crate::plan::{self, AccessPath, KeyRange, Plan};
use crate::storage::{Direction, Read, Space};
use crate::{Error, ErrorCode, Result};

/// A query that has been read, checked and planned.
#[derive(Debug)]
pub(crate) struct Prepared {
    filter: Expr,
    plan: Plan,
    select: Option<Projection>,
    mode: Mode,
    pub(crate) limit: Option<u64>,
    page_size: usize,
    direction: Direction,
    pub(crate) continuation: Option<ContinuationToken>,
}

/// The table that a query is about, at the moment of a page.
pub(crate) struct Target<'a, T: Read> {
    pub(crate) txn: &'a T,
    pub(crate) table: &'a TableView,
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
        let order_by = query.order_by.clone();
        let filter = query.into_filter(store_mode)?;
        if mode == Mode::Strict && direction == Direction::Descending {
            return Err(Error::new(ErrorCode::NotImplemented).fact("The service knows the ascending order alone."));
        }
        if let Some(name) = order_by.filter(|name| mode == Mode::Strict || name != names::PARTITION_KEY) {
            return Err(Error::new(ErrorCode::NotImplemented).fact("No index gives this order.").property(&name));
        }
        let plan = plan::choose(&filter, mode);
        Ok(Prepared { filter, plan, select, mode, limit, page_size, direction, continuation })
    }

    /// The way to the rows.
    pub(crate) fn path(&self) -> AccessPath {
        self.plan.path
    }

    /// Whether all that is read has one PartitionKey.
    pub(crate) fn is_of_one_partition(&self) -> bool {
        matches!(self.plan.path, AccessPath::Point | AccessPath::Range | AccessPath::PartitionScan)
    }

    /// One page, from the place that the token names, or from the beginning; at most `most` entities.
    ///
    /// # Errors
    /// `InvalidInput` for a token of another query, table or store; `Damaged`.
    pub(crate) fn page<T: Read>(
        &self,
        target: &Target<'_, T>,
        token: Option<&ContinuationToken>,
        most: Option<u64>,
        reading: &mut Reading,
    ) -> Result<Page> {
        let resume = token.map(|token| self.resume(target, token)).transpose()?;
        let most = most.map_or(self.page_size, |most| usize::try_from(most).unwrap_or(usize::MAX).min(self.page_size));
        let mut page = Page { entities: Vec::new(), continuation_token: None };
        if most == 0 {
            return Ok(page);
        }
        let mut scan = Scan::new(target.txn, target.table.id, &self.plan.ranges, self.direction, resume);
        let mut probe = self.probe();
        while let Some((key, bytes)) = scan.next(&mut reading.rows_read)? {
            if page.entities.len() == most {
                page.continuation_token = Some(self.token(target, key.into_owned()));
                break;
            }
            if let Some(probe) = &mut probe
                && !probe.matches(&key, bytes, &target.table.shapes)?
            {
                continue;
            }
            let row = Row::new(&key, bytes, &target.table.shapes)?;
            let keys = key::split_row_key(&key)?;
            let keys = (key::unmap(keys.partition_key)?, key::unmap(keys.row_key)?);
            page.entities.push(entity((&keys.0, &keys.1), &row, self.select.as_ref())?);
            reading.rows_returned += 1;
        }
        Ok(page)
    }

    /// How many entities match, up to the query's limit.
    pub(crate) fn count<T: Read>(&self, target: &Target<'_, T>) -> Result<u64> {
        let limit = self.limit.unwrap_or(u64::MAX);
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
        let mut count = 0;
        self.for_each(target, |_| count += 1)?;
        Ok(count)
    }

    /// Hands on the key of each row that matches, up to the query's limit, in the query's direction.
    fn for_each<T: Read>(&self, target: &Target<'_, T>, mut see: impl FnMut(&[u8])) -> Result<()> {
        let mut scan = Scan::new(target.txn, target.table.id, &self.plan.ranges, self.direction, None);
        let mut probe = self.probe();
        let mut left = self.limit.unwrap_or(u64::MAX);
        while left > 0
            && let Some((key, bytes)) = scan.next(&mut 0)?
        {
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

    fn token<T: Read>(&self, target: &Target<'_, T>, resume: Vec<u8>) -> ContinuationToken {
        ContinuationToken {
            identity: target.identity,
            table: target.table.id,
            direction: told(self.direction),
            fingerprint: self.fingerprint(),
            place: TokenPlace::Row(resume),
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
        match &token.place {
            TokenPlace::Row(key) => Ok(key.clone()),
            TokenPlace::Entry(_) => other("query: this one is answered in the order of row keys"),
        }
    }

    /// The row keys of the entities that match, up to the query's limit.
    pub(crate) fn keys<T: Read>(&self, target: &Target<'_, T>) -> Result<Vec<Vec<u8>>> {
        let mut keys = Vec::new();
        self.for_each(target, |key| keys.push(key.to_vec()))?;
        Ok(keys)
    }

    /// How the query was answered, given what it cost.
    pub(crate) fn explain<T: Read>(&self, target: &Target<'_, T>, reading: Reading) -> Result<Explain> {
        let rows_in = |ranges: &[KeyRange]| {
            ranges
                .iter()
                .try_fold(0, |sum, range| Ok(sum + target.txn.count(Space::Rows, range.bounds(target.table.id))?))
        };
        let rows_estimated = rows_in(&self.plan.ranges)?;
        let mut considered = vec![Considered::new(self.plan.path, rows_estimated, true)];
        if let Some((path, ranges)) = plan::whole_partitions(&self.filter, self.mode)
            && path != AccessPath::TableScan
        {
            considered.push(Considered::new(path, rows_in(&ranges)?, false));
        }
        if self.plan.path != AccessPath::TableScan {
            let all = plan::choose(&Expr::Constant(true), self.mode);
            considered.push(Considered::new(all.path, rows_in(&all.ranges)?, false));
        }
        let mut cloud = plan::cloud_notes(&self.filter, self.mode);
        if self.direction == Direction::Descending {
            cloud.push("Descending: the service knows the ascending order alone.".into());
        }
        if self.page_size > limits::SERVICE.page_entities {
            cloud.push(format!("Pages of {}: the service answers 400 above 1,000.", self.page_size));
        }
        Ok(Explain {
            path: self.plan.path,
            filter: self.filter.to_string(),
            ranges: self.plan.ranges.iter().map(ToString::to_string).collect(),
            residual: self.plan.residual.as_ref().map(ToString::to_string),
            considered,
            rows_estimated,
            rows_read: reading.rows_read,
            rows_returned: reading.rows_returned,
            cloud,
            warnings: plan::warnings(&self.filter, &target.table.shapes, self.mode),
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
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Reading {
    pub(crate) rows_read: u64,
    pub(crate) rows_returned: u64,
}

/// What the views and the header say of a table in this transaction.
///
/// # Errors
/// `TableNotFound`.
pub(crate) fn resolve<T: Read>(views: &Views, txn: &T, name: &crate::TableName) -> Result<std::sync::Arc<TableView>> {
    views
        .table(txn, name)?
        .ok_or_else(|| Error::new(ErrorCode::TableNotFound).fact(format!("The name is '{name}'.")).table(name.as_str()))
}
