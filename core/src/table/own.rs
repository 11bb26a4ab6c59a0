//! The verbs of a table that the service lacks (S4.8). What a merge adds or removes is said by its input.

use super::Table;
use crate::batch::{self, CreatedOrFound};
use crate::catalog::Edit;
use crate::group::Submitted;
use crate::write::{Operation, Written};
use crate::{Condition, IntoEntity, Result};

impl Table {
    /// Stores a new entity, or finds the one that is there with its keys, which stays as it is (S4.8.6): gives the entity,
    /// and which of both. One transaction.
    ///
    /// # Errors
    /// As [`Table::create_entity`], but for the entity being there.
    ///
    /// # Example
    /// ```
    /// # use entable::{entity, Store};
    /// # let store = Store::in_memory()?;
    /// let users = store.create_table("Users")?;
    /// let first = users.create_or_get_entity(entity! { "mail", "jonesj@contoso.com", "Id" => 17 })?;
    /// let again = users.create_or_get_entity(entity! { "mail", "jonesj@contoso.com", "Id" => 18 })?;
    /// assert_eq!((first.is_created, again.is_created, &again.entity["Id"]), (true, false, &17.into()));
    /// # Ok::<(), entable::Error>(())
    /// ```
    pub fn create_or_get_entity(&self, entity: impl IntoEntity) -> Result<CreatedOrFound> {
        let decide = self.create_or_get(entity)?;
        self.store.write(decide)
    }

    /// [`Table::create_or_get_entity`] without waiting for the disk, as [`Table::submit`].
    ///
    /// # Errors
    /// As [`Table::submit`]: what is wrong with the entity by itself. The rest is the future's.
    pub fn submit_create_or_get(&self, entity: impl IntoEntity) -> Result<Submitted<CreatedOrFound>> {
        let decide = self.create_or_get(entity)?;
        let (submitted, complete, begun) = Submitted::new();
        self.store.submit(decide, complete, Some(begun))?;
        Ok(submitted)
    }

    fn create_or_get(
        &self,
        entity: impl IntoEntity,
    ) -> Result<impl FnMut(&mut Edit<'_, '_>) -> Result<CreatedOrFound> + Send + 'static> {
        self.check_writable()?;
        let operation = Operation::create_or_get(entity)?;
        operation.check(self.store.mode()).map_err(|error| error.table(self.name()))?;
        let name = self.name.clone();
        Ok(move |edit: &mut Edit<'_, '_>| batch::create_or_get(edit, &name, &operation))
    }

    /// Gives an entity another PartitionKey and RowKey, with all that it has, in one transaction (S4.8.7). It gets a new
    /// Timestamp and ETag.
    ///
    /// # Errors
    /// [`ErrorCode::ResourceNotFound`](crate::ErrorCode::ResourceNotFound) if there is none with the first keys;
    /// [`ErrorCode::EntityAlreadyExists`](crate::ErrorCode::EntityAlreadyExists) if there is one with the others, whose
    /// keys the error has; [`ErrorCode::EntityTooLarge`](crate::ErrorCode::EntityTooLarge) if longer keys make it too large.
    ///
    /// # Example
    /// ```
    /// # use entable::{entity, Store};
    /// # let store = Store::in_memory()?;
    /// let orders = store.create_table("Orders")?;
    /// orders.create_entity(entity! { "open", "0001", "Total" => 12.5 })?;
    /// orders.move_entity(("open", "0001"), ("paid", "0001"))?;
    /// assert_eq!(orders.get_entity("paid", "0001")?["Total"], 12.5);
    /// # Ok::<(), entable::Error>(())
    /// ```
    pub fn move_entity(&self, from: (&str, &str), to: (&str, &str)) -> Result<Written> {
        self.write(Operation::move_entity(from, to))
    }

    /// Gives an entity another key, on a condition on the entity as it is before.
    ///
    /// # Errors
    /// As [`Table::move_entity`], and those of the condition.
    pub fn move_entity_if(
        &self,
        from: (&str, &str),
        to: (&str, &str),
        condition: impl Into<Condition>,
    ) -> Result<Written> {
        self.write(Operation::move_entity(from, to).on(condition))
    }
}
