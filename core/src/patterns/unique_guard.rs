//! A value that only one row may have (S9.24).

use super::copies::{Copies, Copy, with_copies};
use super::{Field, Lookup, SOURCE_PARTITION_KEY, SOURCE_ROW_KEY, refusal, source};
use crate::{Entity, Error, Result, Value};

/// Keeps a value unique: an entity whose key holds the value is inserted with the row, and a second row's insert fails.
///
/// In the row's partition the guard is written in the row's own group, so the whole fails with `EntityAlreadyExists`.
/// That is unique within a partition only. For a whole table the guards lie in one partition or table of their own, and
/// are claimed in a step before the row: a claim that fails is another row's, and nothing else is written then. A claim by
/// another change of the same row looks like one's own; so the changes of one row wait for each other there.
///
/// Beyond the literature the guard says whose it is: in the properties `SourcePartitionKey` and `SourceRowKey`.
///
/// # Example
/// ```
/// use entable::{ErrorCode, Store, entity, patterns::UniqueGuard};
/// let store = Store::in_memory()?;
/// let people = store.create_table("People")?;
/// let unique = UniqueGuard::new("People", "Uname_", "UserName");
/// let insert = |id: &str, name: &str| {
///     let person = entity! { "Employee", id, "UserName" => name };
///     people.submit_transaction(unique.changes(None, Some(&person))?.steps()[0].operations()?)
/// };
/// insert("Id_012345", "jbloggs")?;
/// assert_eq!(insert("Id_012346", "jbloggs").unwrap_err().code(), ErrorCode::EntityAlreadyExists);
/// assert!(people.exists("Employee", "Uname_jbloggs")? && !people.exists("Employee", "Id_012346")?);
/// # Ok::<(), entable::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct UniqueGuard {
    table: String,
    guards: String,
    partition_key: Option<String>,
    prefix: String,
    field: Field,
}

with_copies!(UniqueGuard);

impl UniqueGuard {
    /// Guards in the row's partition, under the prefix and the value. The prefix tells guards from rows, and is not empty.
    pub fn new(table: impl Into<String>, prefix: impl Into<String>, field: impl Into<Field>) -> UniqueGuard {
        let table = table.into();
        UniqueGuard { guards: table.clone(), table, partition_key: None, prefix: prefix.into(), field: field.into() }
    }

    /// Guards for rows of all partitions, in this partition of this table. The prefix may then be empty, unless rows are
    /// there as well.
    #[must_use]
    pub fn across(self, guards: impl Into<String>, partition_key: impl Into<String>) -> UniqueGuard {
        UniqueGuard { guards: guards.into(), partition_key: Some(partition_key.into()), ..self }
    }

    /// The guard of a value: if it is there, the value is taken. `partition_key` is that of the rows.
    ///
    /// # Errors
    /// As [`Field::text_of`]; [`ErrorCode::InvalidInput`](crate::ErrorCode::InvalidInput) if the guards are among those rows,
    /// and have no prefix.
    pub fn find(&self, partition_key: &str, value: impl Into<Value>) -> Result<Lookup> {
        let (place, _) = self.place_of(partition_key)?;
        let text = self.field.text_of(value)?;
        Ok(Lookup::point(&self.guards, place, format!("{}{text}", self.prefix)))
    }

    /// PartitionKey and RowKey of the row that holds the value.
    ///
    /// # Errors
    /// [`ErrorCode::InvalidInput`](crate::ErrorCode::InvalidInput): the entity is not one of the pattern's guards.
    pub fn holder(&self, guard: &Entity) -> Result<(String, String)> {
        source(Self::NAME, guard)
    }

    /// The partition of the guards of rows in this one, and whether it is the same.
    ///
    /// # Errors
    /// `InvalidInput`: guards could not be told from rows there.
    fn place_of<'k>(&'k self, partition_key: &'k str) -> Result<(&'k str, bool)> {
        let place = self.partition_key.as_deref().unwrap_or(partition_key);
        let is_beside = place == partition_key && self.guards.eq_ignore_ascii_case(&self.table);
        if is_beside && self.prefix.is_empty() {
            return Err(refusal(Self::NAME, None, &Error::invalid("A prefix tells guards from rows.")));
        }
        Ok((place, is_beside))
    }
}

impl Copies for UniqueGuard {
    const NAME: &str = "UniqueGuard";

    fn table(&self) -> &str {
        &self.table
    }

    fn property(&self) -> Option<&str> {
        Some(self.field.name())
    }

    fn copies(&self, row: &Entity) -> Result<Vec<Copy>> {
        let (place, is_beside) = self.place_of(row.partition_key())?;
        if is_beside && row.row_key().starts_with(&self.prefix) {
            let fact = format!("The row's RowKey begins with '{}', as those of guards do.", self.prefix);
            return Err(refusal(Self::NAME, self.property(), &Error::invalid(fact)));
        }
        let guards = self.field.texts(row)?.into_iter().map(|text| {
            let mut entity = Entity::new(place, format!("{}{text}", self.prefix));
            entity.insert(SOURCE_PARTITION_KEY, row.partition_key());
            entity.insert(SOURCE_ROW_KEY, row.row_key());
            Copy { table: self.guards.clone(), entity, is_claim: true, names_row: true }
        });
        Ok(guards.collect())
    }
}
