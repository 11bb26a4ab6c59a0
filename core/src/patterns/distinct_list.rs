//! Each value once, and how many rows have it (S9.26, S9.36).

use super::changes::{Act, Changes, Step, plain, row_act};
use super::{Field, Lookup, refusal};
use crate::{Condition, Entity, Error, Result, Value};
use std::collections::BTreeMap;

/// Lists the values that a partition's rows have, each once: an entity for each value, under a prefix of its own, with
/// the number of rows that have it.
///
/// The count is written in the row's group, on condition of the ETag it was read with, so it is exact, and a retry does
/// nothing. Two writers of one value are in each other's way: the one who fails reads again. The entity of a value goes
/// with its last row.
///
/// In this store [`Table::partition_keys`](crate::Table::partition_keys) lists distinct PartitionKeys, and a count by an
/// index is a query.
///
/// # Example
/// ```
/// use entable::{Store, entity, patterns::DistinctList};
/// let store = Store::in_memory()?;
/// let employees = store.create_table("Employees")?;
/// let cities = DistinctList::new("Employees", "City_", "City");
/// for id in ["000223", "000242"] {
///     let row = entity! { "Sales", id, "City" => "Palo Alto" };
///     let counts = employees.get_many(cities.reads(None, Some(&row))?)?;
///     let counts: Vec<_> = counts.into_iter().flatten().collect();
///     let changes = cities.changes(None, Some(&row), &counts)?;
///     employees.submit_transaction(changes.steps()[0].operations()?)?;
/// }
/// let found = employees.query_entities(cities.list("Sales")?)?.collect::<entable::Result<Vec<_>>>()?;
/// assert_eq!(cities.counts(&found)?, [("Palo Alto".to_owned(), 2)]);
/// # Ok::<(), entable::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct DistinctList {
    table: String,
    prefix: String,
    field: Field,
}

const NAME: &str = "DistinctList";
const COUNT: &str = "Count";

impl DistinctList {
    /// The values of this property, listed in the rows' partition under the prefix and the value.
    pub fn new(table: impl Into<String>, prefix: impl Into<String>, field: impl Into<Field>) -> DistinctList {
        DistinctList { table: table.into(), prefix: prefix.into(), field: field.into() }
    }

    /// PartitionKey and RowKey of the counts that a change touches: to be read, and handed to `changes`.
    ///
    /// # Errors
    /// As [`Field::text_of`].
    pub fn reads(&self, former: Option<&Entity>, new: Option<&Entity>) -> Result<Vec<(String, String)>> {
        let Some(row) = new.or(former) else { return Ok(Vec::new()) };
        let (before, after) = (self.keys_of(former)?, self.keys_of(new)?);
        let touched =
            after.iter().filter(|key| !before.contains(key)).chain(before.iter().filter(|key| !after.contains(key)));
        Ok(touched.map(|key| (row.partition_key().to_owned(), key.clone())).collect())
    }

    /// The group for a row that goes from one state to the next. `counts` is what is stored under
    /// [`reads`](DistinctList::reads), with the ETags.
    ///
    /// # Errors
    /// What the service would refuse, with pattern, property, limit and actual;
    /// [`ErrorCode::InvalidInput`](crate::ErrorCode::InvalidInput) if the two states have different keys, or a count is
    /// missing that the former state was counted in.
    pub fn changes(&self, former: Option<&Entity>, new: Option<&Entity>, counts: &[Entity]) -> Result<Changes> {
        let Some(row_act) = row_act(NAME, former, new)? else { return Ok(Changes::default()) };
        let mut acts = vec![row_act];
        let (before, after) = (self.keys_of(former)?, self.keys_of(new)?);
        for (partition_key, row_key) in self.reads(former, new)? {
            let step = if after.contains(&row_key) { 1 } else { -1 };
            debug_assert!(step > 0 || before.contains(&row_key));
            let known = counts.iter().find(|it| (it.partition_key(), it.row_key()) == (&*partition_key, &*row_key));
            let count = known.map_or(Ok(0), |known| self.count(known))? + step;
            if count < 0 {
                let error = Error::invalid(format!("'{row_key}' has no count, and the row was counted in it."));
                return Err(refusal(NAME, Some(self.field.name()), &error));
            }
            acts.push(self.act(partition_key, row_key, count, known));
        }
        Changes::new(NAME, Some(self.field.name()), vec![Step::new(&self.table, acts)])
    }

    /// The steps that make the counts of a partition anew from all its rows; `counts` is all of
    /// [`list`](DistinctList::list) (S9.36). Nobody should write rows meanwhile.
    ///
    /// # Errors
    /// As [`changes`](DistinctList::changes).
    pub fn rebuild<'e>(
        &self,
        partition_key: &str,
        rows: impl IntoIterator<Item = &'e Entity>,
        counts: &[Entity],
    ) -> Result<Changes> {
        let mut right: BTreeMap<String, i64> = counts.iter().map(|count| (count.row_key().to_owned(), 0)).collect();
        for row in rows.into_iter().filter(|row| row.partition_key() == partition_key) {
            // The counts are in the same partition.
            if !self.prefix.is_empty() && row.row_key().starts_with(&self.prefix) {
                continue;
            }
            for key in self.keys_of(Some(row))? {
                *right.entry(key).or_default() += 1;
            }
        }
        let mut steps = Vec::new();
        for (row_key, count) in right {
            let known = counts.iter().find(|it| it.row_key() == row_key);
            if known.map(|known| self.count(known)).transpose()? != Some(count) {
                steps.push(Step::new(&self.table, vec![self.act(partition_key.to_owned(), row_key, count, known)]));
            }
        }
        Changes::new(NAME, Some(self.field.name()), steps)
    }

    fn act(&self, partition_key: String, row_key: String, count: i64, known: Option<&Entity>) -> Act {
        let on = match known {
            Some(known) => known.etag().map_or(Condition::Any, Condition::IfMatch),
            None => Condition::Absent,
        };
        if count == 0 {
            return Act::Remove { partition_key, row_key, on, only: None };
        }
        let mut entity = known.map_or_else(|| Entity::new(partition_key, row_key), plain);
        entity.insert(COUNT, count);
        Act::Write { entity, on }
    }

    /// The entities of a partition's values: a range, each value once.
    ///
    /// # Errors
    /// Those of [`keys::prefix_range`](crate::keys::prefix_range).
    pub fn list(&self, partition_key: &str) -> Result<Lookup> {
        Lookup::prefix(&self.table, partition_key, &self.prefix)
    }

    /// The entity of a value: a point read.
    ///
    /// # Errors
    /// As [`Field::text_of`].
    pub fn find(&self, partition_key: &str, value: impl Into<Value>) -> Result<Lookup> {
        Ok(Lookup::point(&self.table, partition_key, self.prefix.clone() + &self.field.text_of(value)?))
    }

    /// The values, as they stand in keys, and their numbers of rows.
    ///
    /// # Errors
    /// [`ErrorCode::InvalidInput`](crate::ErrorCode::InvalidInput): an entity is not one of this pattern.
    pub fn counts<'e>(&self, entities: impl IntoIterator<Item = &'e Entity>) -> Result<Vec<(String, i64)>> {
        let mut counts = Vec::new();
        for entity in entities {
            let value = super::lookup::without_prefix(entity.row_key(), &self.prefix, "RowKey")
                .map_err(|error| refusal(NAME, None, &error))?;
            counts.push((value.to_owned(), self.count(entity)?));
        }
        Ok(counts)
    }

    fn count(&self, entity: &Entity) -> Result<i64> {
        entity.get(COUNT).and_then(Value::as_i64).ok_or_else(|| {
            let error = Error::invalid("The entity of a value holds it, as a whole number.");
            refusal(NAME, Some(COUNT), &error.keys(entity.partition_key(), entity.row_key()))
        })
    }

    fn keys_of(&self, row: Option<&Entity>) -> Result<Vec<String>> {
        let Some(row) = row else { return Ok(Vec::new()) };
        if !self.prefix.is_empty() && row.row_key().starts_with(&self.prefix) {
            let fact = format!("The RowKey begins with '{}', as those of counts do.", self.prefix);
            let error = Error::invalid(fact).keys(row.partition_key(), row.row_key());
            return Err(refusal(NAME, Some(self.field.name()), &error));
        }
        Ok(self.field.texts(row)?.into_iter().map(|text| self.prefix.clone() + &text).collect())
    }
}
