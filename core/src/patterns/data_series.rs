//! Many values of a period in one entity (S9.16).

use super::changes::{Act, Changes, Step};
use super::lookup::compare;
use super::{Lookup, refusal};
use crate::limits::EXTENDED;
use crate::model::names::TIMESTAMP;
use crate::{Condition, DateTime, Entity, Error, Result, Value, keys};

/// Keeps a series of values with an entity for each period, and a property for each of its parts: 24 hourly values of a
/// day are read at once.
///
/// The PartitionKey is the series, the RowKey the period. A value is written by merge, so writers of other parts are not
/// in each other's way, and a retry does no harm.
///
/// # Example
/// ```
/// use entable::{Store, patterns::{DataSeries, Period}};
/// let store = Store::in_memory()?;
/// let readings = store.create_table("Readings")?;
/// let hourly = DataSeries::new("Readings", Period::Day);
/// let time = "2026-12-01T07:15:00Z".parse()?;
/// let changes = hourly.record("meter7", time, 21.5)?;
/// readings.submit_transaction(changes.steps()[0].operations()?)?;
/// let day = readings.get_entity("meter7", "20261201")?;
/// assert_eq!(day["h07"], 21.5);
/// assert_eq!(hourly.values(&day)?, [("2026-12-01T07:00:00Z".parse()?, 21.5.into())]);
/// # Ok::<(), entable::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DataSeries {
    table: String,
    period: Period,
}

/// What an entity of a series stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Period {
    /// `2026`, with `m01` to `m12`.
    Year,
    /// `202612`, with `d01` to `d31`.
    Month,
    /// `20261201`, with `h00` to `h23`.
    Day,
    /// `2026120107`, with `m00` to `m59`.
    Hour,
}

const NAME: &str = "DataSeries";

impl Period {
    /// Digits of the period, and what the name of a part begins with.
    const fn form(self) -> (usize, char) {
        match self {
            Period::Year => (4, 'm'),
            Period::Month => (6, 'd'),
            Period::Day => (8, 'h'),
            Period::Hour => (10, 'm'),
        }
    }

    /// Period and name of the part that a time falls into.
    fn place(self, time: DateTime) -> Result<(String, String)> {
        let (digits, letter) = self.form();
        let date = keys::compact_date(time)?;
        let (period, rest) = date.split_at_checked(digits).unwrap_or((&date, ""));
        Ok((period.to_owned(), format!("{letter}{}", rest.get(..2).unwrap_or_default())))
    }

    /// When the part begins; `None` if there is no such period or part.
    fn time(self, period: &str, part: &str) -> Option<DateTime> {
        let (digits, letter) = self.form();
        let part = part.strip_prefix(letter).filter(|part| part.len() == 2 && period.len() == digits)?;
        let date = format!("{period}{part}");
        if !date.bytes().all(|byte| byte.is_ascii_digit()) {
            return None;
        }
        // What is not said is the first: month 01, day 01, hour 00.
        let rest = "00000101000000".get(date.len()..)?;
        let full = date + rest;
        let at = |from: usize, to: usize| full.get(from..to);
        let text = format!("{}-{}-{}T{}:{}:{}Z", at(0, 4)?, at(4, 6)?, at(6, 8)?, at(8, 10)?, at(10, 12)?, at(12, 14)?);
        // A period is a key, for which every year will do; values of the service begin in 1601.
        DateTime::parse(&text, &EXTENDED).ok()
    }

    /// The name of the first part.
    const fn first_part(self) -> &'static str {
        match self {
            Period::Year => "m01",
            Period::Month => "d01",
            Period::Day => "h00",
            Period::Hour => "m00",
        }
    }
}

impl DataSeries {
    /// Series in this table, with an entity for each such period.
    pub fn new(table: impl Into<String>, period: Period) -> DataSeries {
        DataSeries { table: table.into(), period }
    }

    /// The operation that records a value, or changes it.
    ///
    /// # Errors
    /// What the service would refuse, with pattern, property, limit and actual.
    pub fn record(&self, series: &str, time: DateTime, value: impl Into<Value>) -> Result<Changes> {
        let (period, part) = self.period.place(time)?;
        let mut entity = Entity::new(series, period);
        entity.insert(part, value);
        self.changed(vec![Act::Merge { entity }])
    }

    /// The operations that take an entity of the series from one state to the next: by merge, unless a value is gone,
    /// which only a replacement on the former ETag can do.
    ///
    /// # Errors
    /// As [`record`](DataSeries::record); [`ErrorCode::InvalidInput`](crate::ErrorCode::InvalidInput) if the two have
    /// different keys, or the RowKey is no period.
    pub fn changes(&self, former: Option<&Entity>, new: Option<&Entity>) -> Result<Changes> {
        for row in former.iter().chain(&new) {
            self.values(row)?;
        }
        let act = match (former, new) {
            (None, Some(new)) => Some(Act::Merge { entity: super::changes::plain(new) }),
            (Some(former), Some(new)) if parts(former).all(|(name, _)| new.get(name).is_some()) => {
                super::changes::row_act(NAME, Some(former), Some(new))?;
                let mut entity = super::changes::plain(new);
                for (name, value) in former.properties() {
                    if new.get(name) == Some(value) {
                        entity.remove(name);
                    }
                }
                let is_same = entity.properties().len() == 0;
                (!is_same).then_some(Act::Merge { entity })
            }
            (former, new) => super::changes::row_act(NAME, former, new)?,
        };
        self.changed(act.into_iter().collect())
    }

    fn changed(&self, acts: Vec<Act>) -> Result<Changes> {
        Changes::new(NAME, None, vec![Step::new(&self.table, acts)])
    }

    /// The operation that takes a value out of an entity as it was read. Nothing, if there is none.
    ///
    /// # Errors
    /// As [`record`](DataSeries::record); [`ErrorCode::InvalidInput`](crate::ErrorCode::InvalidInput): the entity is of
    /// another period.
    pub fn remove(&self, entity: &Entity, time: DateTime) -> Result<Changes> {
        let (period, part) = self.period.place(time)?;
        if entity.row_key() != period {
            let error = Error::invalid(format!("The time is one of the period '{period}', the entity of another."));
            return Err(refusal(NAME, Some("RowKey"), &error.keys(entity.partition_key(), entity.row_key())));
        }
        let mut kept = super::changes::plain(entity);
        if kept.remove(&part).is_none() {
            return Ok(Changes::default());
        }
        let on = entity.etag().map_or(Condition::Any, Condition::IfMatch);
        self.changed(vec![Act::Write { entity: kept, on }])
    }

    /// The entity with the value of a time: a point read.
    ///
    /// # Errors
    /// None so far: every time has its period.
    pub fn find(&self, series: &str, time: DateTime) -> Result<Lookup> {
        Ok(Lookup::point(&self.table, series, self.period.place(time)?.0))
    }

    /// The entities from the period of one time to that of another, both included.
    ///
    /// # Errors
    /// None so far: every time has its period.
    pub fn between(&self, series: &str, first: DateTime, last: DateTime) -> Result<Lookup> {
        let (first, last) = (self.period.place(first)?.0, self.period.place(last)?.0);
        let filter = format!("{} and {}", compare("RowKey", "ge", &first), compare("RowKey", "le", &last));
        Ok(Lookup::partition(&self.table, series, filter))
    }

    /// The values of an entity with the times at which their parts begin, in order.
    ///
    /// # Errors
    /// [`ErrorCode::InvalidInput`](crate::ErrorCode::InvalidInput): the RowKey is no period, or a property's name no part
    /// of it.
    pub fn values(&self, entity: &Entity) -> Result<Vec<(DateTime, Value)>> {
        if self.period.time(entity.row_key(), self.period.first_part()).is_none() {
            let error = Error::invalid(format!("'{}' is no period.", entity.row_key().escape_debug()));
            return Err(refusal(NAME, Some("RowKey"), &error.keys(entity.partition_key(), entity.row_key())));
        }
        let mut values = Vec::with_capacity(entity.properties().len());
        for (name, value) in parts(entity) {
            let time = self.period.time(entity.row_key(), name).ok_or_else(|| {
                let fact = format!("'{}' has no such part.", entity.row_key().escape_debug());
                refusal(NAME, Some(name), &Error::invalid(fact).keys(entity.partition_key(), entity.row_key()))
            })?;
            values.push((time, value.clone()));
        }
        values.sort_by_key(|(time, _)| *time);
        Ok(values)
    }
}

/// The properties that are values: a Timestamp is the store's, and is not written.
fn parts(entity: &Entity) -> impl Iterator<Item = (&str, &Value)> {
    entity.properties().filter(|(name, _)| *name != TIMESTAMP)
}
