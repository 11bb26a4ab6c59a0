//! The newest first (S9.14).

use super::act::Known;
use super::changes::{Act, Changes, Step, keyed_row_acts, under};
use super::lookup::compare;
use super::{Field, Lookup, refusal};
use crate::{Condition, DateTime, Entity, Error, Result, keys};

/// Keeps rows in descending order of a DateTime: their RowKey is the time that is left until the year 10000, in
/// nineteen digits.
///
/// Two rows of one partition with the same time need an [`id`](LogTail::id) behind it. With
/// [`both_orders`](LogTail::both_orders) a copy in ascending order is written in the same group.
///
/// In this store a descending query over ascending keys is as quick, and needs neither.
///
/// # Example
/// ```
/// use entable::{Store, entity, patterns::LogTail};
/// let store = Store::in_memory()?;
/// let logins = store.create_table("Logins")?;
/// let tail = LogTail::new("Logins", "At");
/// for time in ["2026-12-01T08:00:00Z", "2026-12-01T09:30:00Z"] {
///     let login = entity! { "jbloggs", "", "At" => time.parse::<entable::DateTime>()? };
///     logins.submit_transaction(tail.changes(None, Some(&login))?.steps()[0].operations()?)?;
/// }
/// let newest = logins.query_entities(tail.latest("jbloggs", 1)?)?.next().expect("a login")?;
/// assert_eq!(newest["At"], "2026-12-01T09:30:00Z".parse::<entable::DateTime>()?);
/// assert_eq!(newest.row_key(), "2516061833999999999");
/// # Ok::<(), entable::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct LogTail {
    table: String,
    time: Field,
    id: Option<Field>,
    has_both: bool,
}

const NAME: &str = "LogTail";
const DESCENDING: &str = "desc_";
const ASCENDING: &str = "asc_";
const BETWEEN: &str = "_";

impl LogTail {
    /// Rows of this table, in descending order of this property.
    pub fn new(table: impl Into<String>, time: impl Into<String>) -> LogTail {
        LogTail { table: table.into(), time: Field::new(time), id: None, has_both: false }
    }

    /// Behind the time stands `_` and this property, which tells rows of one time apart.
    #[must_use]
    pub fn id(self, field: impl Into<Field>) -> LogTail {
        LogTail { id: Some(field.into()), ..self }
    }

    /// The rows' keys begin with `desc_`, and each has a copy in ascending order, whose key begins with `asc_`.
    #[must_use]
    pub fn both_orders(self) -> LogTail {
        LogTail { has_both: true, ..self }
    }

    /// The row under the key that its properties call for; the RowKey it has is not looked at.
    ///
    /// # Errors
    /// [`ErrorCode::InvalidInput`](crate::ErrorCode::InvalidInput): it has no DateTime of that name, or no id, or the id is
    /// the RowKey, which is what is made.
    pub fn row_of(&self, row: &Entity) -> Result<Entity> {
        let key = keys::descending_ticks(self.time.time(NAME, row)?)?;
        self.placed(row, self.descending(), &key)
    }

    fn copy_of(&self, row: &Entity) -> Result<Entity> {
        self.placed(row, ASCENDING, &keys::ticks(self.time.time(NAME, row)?)?)
    }

    fn placed(&self, row: &Entity, prefix: &str, key: &str) -> Result<Entity> {
        let id = match &self.id {
            None => String::new(),
            Some(field) => {
                field.check_not_row_key(NAME)?;
                let missing = || refusal(NAME, Some(field.name()), &Error::invalid("The row needs it in its key."));
                let text = field.one_text(row)?.ok_or_else(missing)?;
                keys::check(&text).map_err(|error| refusal(NAME, Some(field.name()), &error))?;
                BETWEEN.to_owned() + &text
            }
        };
        Ok(under(row, row.partition_key(), format!("{prefix}{key}{id}")))
    }

    fn descending(&self) -> &'static str {
        if self.has_both { DESCENDING } else { "" }
    }

    /// The group for a row that goes from one state to the next. When its time changes it moves.
    ///
    /// # Errors
    /// As [`row_of`](LogTail::row_of); what the service would refuse, with pattern, property, limit and actual.
    pub fn changes(&self, former: Option<&Entity>, new: Option<&Entity>) -> Result<Changes> {
        let place = |row: Option<&Entity>| row.map(|row| self.row_of(row)).transpose();
        let mut acts = keyed_row_acts(NAME, former, place(former)?, place(new)?)?;
        if self.has_both {
            let copy = |row: Option<&Entity>| row.map(|row| self.copy_of(row)).transpose();
            let (before, after) = (copy(former)?, copy(new)?);
            let is_moved = |a: &Entity, b: &Option<Entity>| b.as_ref().is_none_or(|b| a.row_key() != b.row_key());
            if let Some(entity) = &after {
                let on = if is_moved(entity, &before) { Condition::Absent } else { Condition::None };
                acts.push(Act::Write { entity: entity.clone(), on });
            }
            if let Some(entity) = before.filter(|entity| is_moved(entity, &after)) {
                let (partition_key, row_key) = (entity.partition_key().to_owned(), entity.row_key().to_owned());
                let only = Some(Known { copies: vec![entity], is_claim: false, names_row: false });
                acts.push(Act::Remove { partition_key, row_key, on: Condition::Any, only });
            }
        }
        Changes::new(NAME, Some(self.time.name()), vec![Step::new(&self.table, acts)])
    }

    /// The newest rows of a partition, at most so many.
    ///
    /// # Errors
    /// Those of [`keys::prefix_range`].
    pub fn latest(&self, partition_key: &str, rows: u64) -> Result<Lookup> {
        Ok(Lookup::prefix(&self.table, partition_key, self.descending())?.limited(rows))
    }

    /// The oldest rows of a partition, at most so many, where both orders are kept.
    ///
    /// # Errors
    /// [`ErrorCode::InvalidInput`](crate::ErrorCode::InvalidInput): only one order is kept.
    pub fn earliest(&self, partition_key: &str, rows: u64) -> Result<Lookup> {
        if !self.has_both {
            return Err(refusal(NAME, None, &Error::invalid("Only the descending order is kept.")));
        }
        Ok(Lookup::prefix(&self.table, partition_key, ASCENDING)?.limited(rows))
    }

    /// The rows from one time to another, both included, the newest first.
    ///
    /// # Errors
    /// None so far: every time has its digits.
    pub fn between(&self, partition_key: &str, first: DateTime, last: DateTime) -> Result<Lookup> {
        let prefix = self.descending();
        let from = compare("RowKey", "ge", &(prefix.to_owned() + &keys::descending_ticks(last)?));
        // Behind the digits may stand an id, which begins with a character above all digits.
        let end = format!("{prefix}{}{}", keys::descending_ticks(first)?, '`');
        Ok(Lookup::partition(&self.table, partition_key, format!("{from} and {}", compare("RowKey", "lt", &end))))
    }
}
