//! Each value once, and how many rows have it (S9.26, S9.36).

use super::changes::{Act, Change, Changes, Step, plain, row_act};
use super::{Field, Lookup, refusal};
use crate::{Entity, Error, Result, Value};
use std::collections::BTreeMap;

/// Lists the values that a partition's rows have, each once: an entity for each value, under a prefix of its own, with
/// the number of rows that have it.
///
/// The count is written in the row's group, on condition of the ETag it was read with, so it is exact. Two writers of one
/// value are in each other's way: the one who fails reads the counts again, and makes the change anew. The entity of a
/// value goes with its last row.
///
/// Whether a change was made, the row alone tells: [`Step::remaining`] has nothing left once the row is as it shall be,
/// whatever others have done to the counts since. So rows from before the pattern are counted by
/// [`rebuild`](DistinctList::rebuild), not by a change that leaves them as they are.
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
    row_prefix: String,
    field: Field,
}

const NAME: &str = "DistinctList";
const COUNT: &str = "Count";

impl DistinctList {
    /// The values of this property, listed in the rows' partition under the prefix and the value. The prefix tells counts
    /// from rows, and is not empty.
    pub fn new(table: impl Into<String>, prefix: impl Into<String>, field: impl Into<Field>) -> DistinctList {
        DistinctList { table: table.into(), prefix: prefix.into(), row_prefix: String::new(), field: field.into() }
    }

    /// Rows are the entities whose RowKey begins with this, such as `empid_`: other entities of the partition, for
    /// example copies that another pattern keeps there, are not counted by [`rebuild`](DistinctList::rebuild).
    #[must_use]
    pub fn row_prefix(self, row_prefix: impl Into<String>) -> DistinctList {
        DistinctList { row_prefix: row_prefix.into(), ..self }
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
    /// A count is missing where the row has been deleted in between, or never was counted: then the group fails with
    /// `ResourceNotFound`, or has nothing left to do.
    ///
    /// # Errors
    /// What the service would refuse, with pattern, property, limit and actual;
    /// [`ErrorCode::InvalidInput`](crate::ErrorCode::InvalidInput) if the two states have different keys, a count cannot be
    /// raised or lowered any more, the prefix is empty, or the RowKey is not that of a row.
    pub fn changes(&self, former: Option<&Entity>, new: Option<&Entity>, counts: &[Entity]) -> Result<Changes> {
        let Some(row_act) = row_act(NAME, former, new)? else { return Ok(Changes::default()) };
        let mut acts = vec![row_act];
        let after = self.keys_of(new)?;
        for (partition_key, row_key) in self.reads(former, new)? {
            let is_counted = after.contains(&row_key);
            let known = counts.iter().find(|it| (it.partition_key(), it.row_key()) == (&*partition_key, &*row_key));
            let change = match known {
                None if is_counted => Change::Insert(self.entity(&partition_key, &row_key, 1)),
                None => Change::Delete(self.entity(&partition_key, &row_key, 1)),
                Some(known) => {
                    let step = if is_counted { 1 } else { -1 };
                    let count = self.count(known)?.checked_add(step).filter(|count| *count >= 0).ok_or_else(|| {
                        let fact = if is_counted { "is as high as it can be" } else { "is 0, and a row was in it" };
                        let error = Error::invalid(format!("The count of '{row_key}' {fact}: `rebuild` counts anew."));
                        refusal(NAME, Some(self.field.name()), &error.keys(&partition_key, &row_key))
                    })?;
                    recounted(known, count)
                }
            };
            acts.push(Act::Shared(change));
        }
        Changes::new(NAME, Some(self.field.name()), vec![Step::new(&self.table, acts)])
    }

    /// The steps that make the counts of a partition anew from all its rows; `counts` is all of
    /// [`list`](DistinctList::list) (S9.36). Nobody should write rows meanwhile.
    ///
    /// `rows` may be everything that is in the partition if a [`row_prefix`](DistinctList::row_prefix) tells what are rows;
    /// without one, whatever is not a count is taken for a row.
    ///
    /// # Errors
    /// As [`changes`](DistinctList::changes); [`ErrorCode::InvalidInput`](crate::ErrorCode::InvalidInput) if one of `counts`
    /// is not a count of this partition.
    pub fn rebuild<'e>(
        &self,
        partition_key: &str,
        rows: impl IntoIterator<Item = &'e Entity>,
        counts: &[Entity],
    ) -> Result<Changes> {
        let prefix = self.prefix()?;
        if let Some(other) =
            counts.iter().find(|it| it.partition_key() != partition_key || !it.row_key().starts_with(prefix))
        {
            let error = Error::invalid("The entity is not one of this pattern's counts in the partition.");
            let error = error.keys(other.partition_key(), other.row_key());
            return Err(refusal(NAME, Some(self.field.name()), &error));
        }
        let mut right: BTreeMap<String, i64> = counts.iter().map(|count| (count.row_key().to_owned(), 0)).collect();
        for row in rows.into_iter().filter(|row| row.partition_key() == partition_key) {
            // The counts are in the same partition, and so may be copies.
            if row.row_key().starts_with(prefix) || !row.row_key().starts_with(&self.row_prefix) {
                continue;
            }
            for key in self.keys_of(Some(row))? {
                *right.entry(key).or_default() += 1;
            }
        }
        let mut steps = Vec::new();
        for (row_key, count) in right {
            let known = counts.iter().find(|it| it.row_key() == row_key);
            let change = match known {
                None => Change::Insert(self.entity(partition_key, &row_key, count)),
                // Whatever it holds, it is written anew.
                Some(known) if self.count(known).ok() != Some(count) => recounted(known, count),
                Some(_) => continue,
            };
            steps.push(Step::new(&self.table, vec![Act::Shared(change)]));
        }
        Changes::new(NAME, Some(self.field.name()), steps)
    }

    fn entity(&self, partition_key: &str, row_key: &str, count: i64) -> Entity {
        let mut entity = Entity::new(partition_key, row_key);
        entity.insert(COUNT, count);
        entity
    }

    /// The entities of a partition's values: a range, each value once.
    ///
    /// # Errors
    /// Those of [`keys::prefix_range`](crate::keys::prefix_range); [`ErrorCode::InvalidInput`](crate::ErrorCode::InvalidInput):
    /// the prefix is empty.
    pub fn list(&self, partition_key: &str) -> Result<Lookup> {
        Lookup::prefix(&self.table, partition_key, self.prefix()?)
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

    /// The prefix of counts, which is not empty.
    fn prefix(&self) -> Result<&str> {
        if self.prefix.is_empty() {
            let error = Error::invalid("Without a prefix a row would be taken for a count.");
            return Err(refusal(NAME, Some(self.field.name()), &error));
        }
        Ok(&self.prefix)
    }

    fn keys_of(&self, row: Option<&Entity>) -> Result<Vec<String>> {
        let Some(row) = row else { return Ok(Vec::new()) };
        let refused = |fact: String| {
            let error = Error::invalid(fact).keys(row.partition_key(), row.row_key());
            Err(refusal(NAME, Some(self.field.name()), &error))
        };
        let prefix = self.prefix()?;
        if row.row_key().starts_with(prefix) {
            return refused(format!("The RowKey begins with '{prefix}', as those of counts do."));
        }
        if !row.row_key().starts_with(&self.row_prefix) {
            return refused(format!("The RowKey of a row begins with '{}'.", self.row_prefix));
        }
        Ok(self.field.texts(row)?.into_iter().map(|text| prefix.to_owned() + &text).collect())
    }
}

/// From what is stored to another count; the entity of no rows goes.
fn recounted(known: &Entity, count: i64) -> Change {
    if count == 0 {
        return Change::Delete(known.clone());
    }
    let mut new = plain(known);
    new.insert(COUNT, count);
    Change::Replace { former: known.clone(), new }
}
