//! Patterns that make a row's keys of what the row holds.

use super::changes::Changes;
use super::field::{field, fields};
use super::lookup::Lookup;
use super::{entities, made, states, values};
use crate::convert;
use crate::entity::TableEntity;
use crate::error::raise;
use entable::{DateTime, Mode, patterns};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyList;

fn time(time: &Bound<'_, PyAny>, name: &str) -> PyResult<DateTime> {
    convert::time(time, name, Mode::Extended)
}

/// Keeps rows in descending order of a time, their property ``time``: the newest come first.
///
/// The RowKey is the time that is left until the year 10000, in nineteen digits. ``id`` names a property that tells rows of
/// one time apart, and stands behind it. With ``both_orders`` a copy in ascending order is written in the same group. In this
/// store a descending query over ascending keys needs neither.
///
/// >>> from datetime import datetime, timezone
/// >>> tail = LogTail("Logins", "At")
/// >>> tail.row_of({"PartitionKey": "jbloggs", "RowKey": "", "At": datetime(2026, 12, 1, 9, 30, tzinfo=timezone.utc)})["RowKey"]
/// '2516061833999999999'
/// >>> tail.latest("jbloggs", 1).limit
/// 1
#[pyclass(module = "entable.patterns", frozen, eq)]
#[derive(PartialEq)]
pub(crate) struct LogTail(patterns::LogTail);

#[pymethods]
impl LogTail {
    #[new]
    #[pyo3(signature = (table, time, *, id = None, both_orders = false))]
    fn new(table: &str, time: &str, id: Option<&Bound<'_, PyAny>>, both_orders: bool) -> PyResult<LogTail> {
        let tail = patterns::LogTail::new(table, time);
        let tail = match id {
            Some(id) => tail.id(field(id)?),
            None => tail,
        };
        Ok(LogTail(if both_orders { tail.both_orders() } else { tail }))
    }

    /// The row under the key that its properties call for; the RowKey it has is not looked at.
    fn row_of<'py>(&self, row: &Bound<'py, PyAny>) -> PyResult<Bound<'py, TableEntity>> {
        made(row.py(), self.0.row_of(&convert::read_entity(row, None)?))
    }

    /// What is to be written when a row goes from one state to the next; ``None`` is no row. When its time changes it moves.
    fn changes(&self, former: Option<&Bound<'_, PyAny>>, new: Option<&Bound<'_, PyAny>>) -> PyResult<Changes> {
        let (former, new) = states(former, new)?;
        Changes::made(self.0.changes(former.as_ref(), new.as_ref()))
    }

    /// The newest rows of a partition, at most so many.
    fn latest(&self, partition_key: &str, rows: u64) -> PyResult<Lookup> {
        self.0.latest(partition_key, rows).map(Lookup).map_err(raise)
    }

    /// The oldest rows of a partition, at most so many, where both orders are kept.
    fn earliest(&self, partition_key: &str, rows: u64) -> PyResult<Lookup> {
        self.0.earliest(partition_key, rows).map(Lookup).map_err(raise)
    }

    /// The rows from one time to another, both included, the newest first.
    fn between(&self, partition_key: &str, first: &Bound<'_, PyAny>, last: &Bound<'_, PyAny>) -> PyResult<Lookup> {
        self.0.between(partition_key, time(first, "first")?, time(last, "last")?).map(Lookup).map_err(raise)
    }

    fn __repr__(&self) -> String {
        format!("<entable.patterns.{:?}>", self.0)
    }
}

/// Keeps a series of values with an entity for each ``period``, and a property for each of its parts: 24 hourly values of a
/// day are read at once.
///
/// ``period`` is ``"year"`` (parts are months), ``"month"`` (days), ``"day"`` (hours) or ``"hour"`` (minutes). The PartitionKey
/// is the series, the RowKey the period. A value is written by merge, so writers of other parts are not in each other's way.
///
/// >>> from datetime import datetime, timezone
/// >>> hourly = DataSeries("Readings", "day")
/// >>> list(hourly.record("meter7", datetime(2026, 12, 1, 7, 15, tzinfo=timezone.utc), 21.5).group)[0][1]
/// {'PartitionKey': 'meter7', 'RowKey': '20261201', 'h07': 21.5}
#[pyclass(module = "entable.patterns", frozen, eq)]
#[derive(PartialEq)]
pub(crate) struct DataSeries(patterns::DataSeries);

#[pymethods]
impl DataSeries {
    #[new]
    fn new(table: &str, period: &str) -> PyResult<DataSeries> {
        let period = match period {
            "year" => patterns::Period::Year,
            "month" => patterns::Period::Month,
            "day" => patterns::Period::Day,
            "hour" => patterns::Period::Hour,
            other => {
                let fact = format!("period {other:?}: it is 'year', 'month', 'day' or 'hour'");
                return Err(PyValueError::new_err(fact));
            }
        };
        Ok(DataSeries(patterns::DataSeries::new(table, period)))
    }

    /// What records a value, or changes it.
    fn record(&self, series: &str, time: &Bound<'_, PyAny>, value: &Bound<'_, PyAny>) -> PyResult<Changes> {
        let (time, value) = (self::time(time, "time")?, convert::asked_value(value, "value")?);
        Changes::made(self.0.record(series, time, value))
    }

    /// What takes an entity of the series from one state to the next; ``None`` is no entity.
    fn changes(&self, former: Option<&Bound<'_, PyAny>>, new: Option<&Bound<'_, PyAny>>) -> PyResult<Changes> {
        let (former, new) = states(former, new)?;
        Changes::made(self.0.changes(former.as_ref(), new.as_ref()))
    }

    /// What takes a value out of an entity as it was read. Nothing, if there is none.
    fn remove(&self, entity: &Bound<'_, PyAny>, time: &Bound<'_, PyAny>) -> PyResult<Changes> {
        Changes::made(self.0.remove(&convert::read_entity(entity, None)?, self::time(time, "time")?))
    }

    /// The entity with the value of a time: a point read.
    fn find(&self, series: &str, time: &Bound<'_, PyAny>) -> PyResult<Lookup> {
        self.0.find(series, self::time(time, "time")?).map(Lookup).map_err(raise)
    }

    /// The entities from the period of one time to that of another, both included.
    fn between(&self, series: &str, first: &Bound<'_, PyAny>, last: &Bound<'_, PyAny>) -> PyResult<Lookup> {
        self.0.between(series, time(first, "first")?, time(last, "last")?).map(Lookup).map_err(raise)
    }

    /// The values of an entity, ``(time, value)`` each, in the order of the times at which their parts begin.
    fn values<'py>(&self, entity: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyList>> {
        let py = entity.py();
        let values = PyList::empty(py);
        for (time, value) in self.0.values(&convert::read_entity(entity, None)?).map_err(raise)? {
            values.append((convert::datetime(py, time)?, convert::value(py, &value)?))?;
        }
        Ok(values)
    }

    fn __repr__(&self) -> String {
        format!("<entable.patterns.{:?}>", self.0)
    }
}

/// Spreads a row with more than 252 properties, or nearly 1 MiB or more, over several entities of one partition. One group
/// writes them, one range reads them.
///
/// In a store of ``mode="extended"`` no parts are needed.
///
/// >>> wide = WideEntity("Employees")
/// >>> row = {"PartitionKey": "000123", "RowKey": "", **{f"P{n:03}": n for n in range(300)}}
/// >>> [part["RowKey"] for part in wide.split(row)]
/// ['01', '02']
/// >>> wide.join(wide.split(row)) == row
/// True
#[pyclass(module = "entable.patterns", frozen, eq)]
#[derive(PartialEq)]
pub(crate) struct WideEntity(patterns::WideEntity);

#[pymethods]
impl WideEntity {
    #[new]
    fn new(table: &str) -> WideEntity {
        WideEntity(patterns::WideEntity::new(table))
    }

    /// The entities that the row is spread over.
    fn split<'py>(&self, row: &Bound<'py, PyAny>) -> PyResult<Vec<Bound<'py, TableEntity>>> {
        let parts = self.0.split(&convert::read_entity(row, None)?).map_err(raise)?;
        parts.into_iter().map(|part| made(row.py(), Ok(part))).collect()
    }

    /// The row that the parts make, with the version of the first; ``None`` for no parts.
    fn join<'py>(&self, parts: &Bound<'py, PyAny>) -> PyResult<Option<Bound<'py, TableEntity>>> {
        let row = self.0.join(&entities(parts, "parts")?).map_err(raise)?;
        row.map(|row| made(parts.py(), Ok(row))).transpose()
    }

    /// What is to be written when a row goes from one state to the next; ``None`` is no row. Parts that are alike in both
    /// are not written.
    fn changes(&self, former: Option<&Bound<'_, PyAny>>, new: Option<&Bound<'_, PyAny>>) -> PyResult<Changes> {
        let (former, new) = states(former, new)?;
        Changes::made(self.0.changes(former.as_ref(), new.as_ref()))
    }

    /// All parts of a row: a range.
    fn find(&self, partition_key: &str, row_key: &str) -> Lookup {
        Lookup(self.0.find(partition_key, row_key))
    }

    fn __repr__(&self) -> String {
        format!("<entable.patterns.{:?}>", self.0)
    }
}

/// Makes a RowKey of several properties, so that what belongs together lies together: ``000123`` is the employee, and
/// ``000123_2012`` the review of 2012.
///
/// A row without the later properties has the shorter key, and stands before those that have them. ``prefix`` is what keys
/// begin with, ``separator`` the one character between the values; no value but the last may hold it.
///
/// >>> reviews = CompoundKey("Employees", ["EmployeeId", "Year"])
/// >>> reviews.row_of({"PartitionKey": "Sales", "RowKey": "", "EmployeeId": "000123", "Year": "2012"})["RowKey"]
/// '000123_2012'
/// >>> reviews.parts("000123_2012")
/// ['000123', '2012']
#[pyclass(module = "entable.patterns", frozen, eq)]
#[derive(PartialEq)]
pub(crate) struct CompoundKey(patterns::CompoundKey);

#[pymethods]
impl CompoundKey {
    #[new]
    #[pyo3(signature = (table, fields, *, prefix = "", separator = "_"))]
    fn new(table: &str, fields: &Bound<'_, PyAny>, prefix: &str, separator: &str) -> PyResult<CompoundKey> {
        let compound = patterns::CompoundKey::new(table, self::fields(fields)?);
        Ok(CompoundKey(compound.prefix(prefix).separator(separator)))
    }

    /// The row under the key that its properties call for; the RowKey it has is not looked at.
    fn row_of<'py>(&self, row: &Bound<'py, PyAny>) -> PyResult<Bound<'py, TableEntity>> {
        made(row.py(), self.0.row_of(&convert::read_entity(row, None)?))
    }

    /// What is to be written when a row goes from one state to the next; ``None`` is no row. When a value in its key changes
    /// it moves.
    fn changes(&self, former: Option<&Bound<'_, PyAny>>, new: Option<&Bound<'_, PyAny>>) -> PyResult<Changes> {
        let (former, new) = states(former, new)?;
        Changes::made(self.0.changes(former.as_ref(), new.as_ref()))
    }

    /// The row with these values, of all properties or of the first ones: a point read.
    fn find(&self, partition_key: &str, values: &Bound<'_, PyAny>) -> PyResult<Lookup> {
        self.0.find(partition_key, self::values(values)?).map(Lookup).map_err(raise)
    }

    /// The rows whose first values are these, and which have a further one: the reviews of an employee.
    fn below(&self, partition_key: &str, values: &Bound<'_, PyAny>) -> PyResult<Lookup> {
        self.0.below(partition_key, self::values(values)?).map(Lookup).map_err(raise)
    }

    /// The row with these values and the rows below it: the employee and the reviews, in one read.
    fn with_below(&self, partition_key: &str, values: &Bound<'_, PyAny>) -> PyResult<Lookup> {
        self.0.with_below(partition_key, self::values(values)?).map(Lookup).map_err(raise)
    }

    /// The texts that a key is made of.
    fn parts(&self, row_key: &str) -> PyResult<Vec<String>> {
        self.0.parts(row_key).map_err(raise)
    }

    fn __repr__(&self) -> String {
        format!("<entable.patterns.{:?}>", self.0)
    }
}
