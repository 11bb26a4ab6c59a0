//! A plan on one moment of the store: rows in key order, tested, until the page is full.

use super::page::Page;
use super::probe::Probe;
use super::scan::Scan;
use super::{Projection, Query, entity};
use crate::catalog::{TableView, Views};
use crate::codec::row::Row;
use crate::codec::token::{self, ContinuationToken};
use crate::codec::{key, row};
use crate::filter::ast::Expr;
use crate::limits::{self, Mode};
use crate::plan::{self, AccessPath, Plan};
use crate::storage::{Direction, Read};
use crate::{Error, ErrorCode, Result};
use std::fmt;

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
    fingerprint: u64,
}

/// The table that a query is about, at the moment of a page.
pub(crate) struct Target<'a, T: Read> {
    pub(crate) txn: &'a T,
    pub(crate) table: &'a TableView,
    pub(crate) store_id: [u8; 16],
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
        let filter = query.into_filter(store_mode)?;
        if mode == Mode::Strict && direction == Direction::Descending {
            return Err(Error::new(ErrorCode::NotImplemented).fact("The service knows the ascending order alone."));
        }
        let fingerprint = fingerprint(&filter, select.as_ref(), mode);
        let plan = plan::choose(&filter);
        Ok(Prepared { filter, plan, select, mode, limit, page_size, direction, continuation, fingerprint })
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
            let row = Row::new(bytes, &target.table.shapes)?;
            page.entities.push(entity(key::split_row_key(&key)?, &row, self.select.as_ref())?);
            reading.rows_returned += 1;
        }
        Ok(page)
    }

    /// How many entities match, up to the query's limit.
    pub(crate) fn count<T: Read>(&self, target: &Target<'_, T>) -> Result<u64> {
        let mut scan = Scan::new(target.txn, target.table.id, &self.plan.ranges, Direction::Ascending, None);
        let mut probe = self.probe();
        let (mut count, limit) = (0, self.limit.unwrap_or(u64::MAX));
        while count < limit
            && let Some((key, bytes)) = scan.next(&mut 0)?
        {
            let is_match = match &mut probe {
                Some(probe) => probe.matches(&key, bytes, &target.table.shapes)?,
                None => true,
            };
            count += u64::from(is_match);
        }
        Ok(count)
    }

    /// What tests the rows that the ranges hold; `None` if all of them match.
    fn probe(&self) -> Option<Probe<'_>> {
        self.plan.residual.as_ref().map(|residual| Probe::new(residual, self.mode))
    }

    fn token<T: Read>(&self, target: &Target<'_, T>, resume: Vec<u8>) -> ContinuationToken {
        ContinuationToken {
            store_id: target.store_id,
            table: target.table.id,
            direction: told(self.direction),
            fingerprint: self.fingerprint,
            place: resume,
        }
    }

    fn resume<T: Read>(&self, target: &Target<'_, T>, token: &ContinuationToken) -> Result<Vec<u8>> {
        let other = |what| Err(Error::invalid(format!("The continuation token belongs to another {what}.")));
        if token.store_id != target.store_id {
            return other("store");
        }
        if token.table != target.table.id {
            return other("table, or to one of that name that has been deleted");
        }
        if token.fingerprint != self.fingerprint || token.direction != told(self.direction) {
            return other("query: filter, projection, direction and mode must be the same");
        }
        Ok(token.place.clone())
    }

    pub(crate) fn explain(&self, reading: Reading) -> Explain {
        Explain {
            path: self.plan.path,
            filter: self.filter.to_string(),
            ranges: self.plan.ranges.iter().map(ToString::to_string).collect(),
            residual: self.plan.residual.as_ref().map(ToString::to_string),
            rows_read: reading.rows_read,
            rows_returned: reading.rows_returned,
        }
    }
}

fn told(direction: Direction) -> token::Direction {
    match direction {
        Direction::Ascending => token::Direction::Ascending,
        Direction::Descending => token::Direction::Descending,
    }
}

/// Tells one query from another, in every process and version: a token holds it.
fn fingerprint(filter: &Expr, select: Option<&Projection>, mode: Mode) -> u64 {
    row::hash::of(format!("{mode:?}\0{select:?}\0{filter}").as_bytes())
}

/// What answering has cost so far.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Reading {
    pub(crate) rows_read: u64,
    pub(crate) rows_returned: u64,
}

/// How a query was answered, and what it cost.
///
/// # Example
/// ```
/// use entable::{entity, AccessPath, Store};
/// let store = Store::in_memory()?;
/// let orders = store.create_table("Orders")?;
/// orders.create_entity(entity! { "DE", "0001", "Total" => 12.5 })?;
/// let explain = orders.explain("PartitionKey eq 'DE' and Total gt 10.0")?;
/// assert_eq!((explain.path(), explain.rows_read()), (AccessPath::PartitionScan, 1));
/// println!("{explain}");
/// # Ok::<(), entable::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Explain {
    path: AccessPath,
    filter: String,
    ranges: Vec<String>,
    residual: Option<String>,
    rows_read: u64,
    rows_returned: u64,
}

impl Explain {
    /// The way to the rows.
    pub fn path(&self) -> AccessPath {
        self.path
    }

    /// The filter as it was understood.
    pub fn filter(&self) -> &str {
        &self.filter
    }

    /// The key ranges that were read, in key order.
    pub fn ranges(&self) -> &[String] {
        &self.ranges
    }

    /// What was tested on each row; `None` if the keys decide.
    pub fn residual(&self) -> Option<&str> {
        self.residual.as_deref()
    }

    /// How many rows were read.
    pub fn rows_read(&self) -> u64 {
        self.rows_read
    }

    /// How many rows the filter let through.
    pub fn rows_returned(&self) -> u64 {
        self.rows_returned
    }
}

/// Ranges beyond these are counted, not listed.
const LISTED_RANGES: usize = 8;

impl fmt::Display for Explain {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}: {} rows read, {} returned", self.path, self.rows_read, self.rows_returned)?;
        for range in self.ranges.iter().take(LISTED_RANGES) {
            writeln!(f, "  range     {range}")?;
        }
        if let Some(more @ 1..) = self.ranges.len().checked_sub(LISTED_RANGES) {
            writeln!(f, "            and {more} more")?;
        }
        write!(f, "  residual  {}", self.residual.as_deref().unwrap_or("none"))
    }
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
