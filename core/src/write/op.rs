//! One operation on one entity, as a value.

use crate::limits::Mode;
use crate::model::{self, Condition, ETag, EntityInput};
use crate::{DateTime, Error, IntoEntity, Result};
use std::fmt;

/// What an update, or an upsert that finds the entity, does to the properties that it does not name.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum UpdateMode {
    /// They stay as they are (S4.4.2). A merge cannot remove a property.
    #[default]
    Merge,
    /// They are removed (S4.4.1).
    Replace,
}

/// One write of one entity: what transactions are lists of.
///
/// # Example
/// ```
/// use entable::{entity, Operation, Store, UpdateMode};
/// let store = Store::in_memory()?;
/// let orders = store.create_table("Orders")?;
/// orders.submit_transaction([
///     Operation::create(entity! { "DE", "0001", "Total" => 12.5 })?,
///     Operation::upsert(entity! { "DE", "0002", "Total" => 8.0 }, UpdateMode::Merge)?,
/// ])?;
/// assert_eq!(orders.list_entities()?.count(), 2);
/// # Ok::<(), entable::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Operation {
    pub(crate) verb: Verb,
    pub(crate) condition: Condition,
    /// An update or a delete: what it is about must be there, whatever else the condition says.
    must_exist: bool,
}

/// What an [`Operation`] does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum OperationKind {
    /// Stores a new entity.
    Create,
    /// Changes an entity that is there.
    Update(UpdateMode),
    /// Changes an entity, or stores it.
    Upsert(UpdateMode),
    /// Removes an entity.
    Delete,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Verb {
    Write { entity: EntityInput, mode: UpdateMode },
    Delete { partition_key: String, row_key: String },
}

impl Operation {
    /// Stores a new entity; `EntityAlreadyExists` if there is one with its keys (S4.1).
    ///
    /// # Errors
    /// What `entity` cannot be turned into an entity for.
    pub fn create(entity: impl IntoEntity) -> Result<Operation> {
        Operation::write(entity, UpdateMode::Replace, Condition::Absent)
    }

    /// Changes an entity that is there; `ResourceNotFound` if it is not (S4.1).
    ///
    /// # Errors
    /// What `entity` cannot be turned into an entity for.
    pub fn update(entity: impl IntoEntity, mode: UpdateMode) -> Result<Operation> {
        Operation::write(entity, mode, Condition::Any)
    }

    /// Changes an entity, or stores it if it is not there (S4.1).
    ///
    /// # Errors
    /// What `entity` cannot be turned into an entity for.
    pub fn upsert(entity: impl IntoEntity, mode: UpdateMode) -> Result<Operation> {
        Operation::write(entity, mode, Condition::None)
    }

    /// Removes an entity; `ResourceNotFound` if it is not there (S4.1).
    pub fn delete(partition_key: impl Into<String>, row_key: impl Into<String>) -> Operation {
        let verb = Verb::Delete { partition_key: partition_key.into(), row_key: row_key.into() };
        Operation { verb, condition: Condition::Any, must_exist: true }
    }

    fn write(entity: impl IntoEntity, mode: UpdateMode, condition: Condition) -> Result<Operation> {
        let must_exist = condition == Condition::Any;
        Ok(Operation { verb: Verb::Write { entity: entity.into_input()?, mode }, condition, must_exist })
    }

    /// The same operation on this condition. [`Condition::None`] leaves an upsert free, and means "any version"
    /// for an update and a delete; a create stays on condition of absence.
    #[must_use]
    pub fn on(mut self, condition: impl Into<Condition>) -> Operation {
        match (condition.into(), &self.condition) {
            (Condition::None, _) => {}
            // A create keeps its own condition.
            (_, Condition::Absent) => {}
            (condition, _) => self.condition = condition,
        }
        self
    }

    /// The PartitionKey of the entity.
    pub fn partition_key(&self) -> &str {
        match &self.verb {
            Verb::Write { entity, .. } => entity.partition_key(),
            Verb::Delete { partition_key, .. } => partition_key,
        }
    }

    /// The RowKey of the entity.
    pub fn row_key(&self) -> &str {
        match &self.verb {
            Verb::Write { entity, .. } => entity.row_key(),
            Verb::Delete { row_key, .. } => row_key,
        }
    }

    /// What the operation does: for whoever writes it down, or carries it out elsewhere. An upsert on condition of absence
    /// is a create.
    ///
    /// # Example
    /// ```
    /// use entable::{Condition, Operation, OperationKind, UpdateMode, entity};
    /// let operation = Operation::update(entity! { "DE", "0001", "Paid" => true }, UpdateMode::Merge)?;
    /// assert_eq!(operation.kind(), OperationKind::Update(UpdateMode::Merge));
    /// assert_eq!(operation.entity().map(|entity| entity.properties().len()), Some(1));
    /// assert_eq!(operation.condition(), &Condition::None);
    /// # Ok::<(), entable::Error>(())
    /// ```
    pub fn kind(&self) -> OperationKind {
        match (&self.verb, &self.condition) {
            (Verb::Delete { .. }, _) => OperationKind::Delete,
            (Verb::Write { mode, .. }, _) if self.must_exist => OperationKind::Update(*mode),
            (Verb::Write { .. }, Condition::Absent) => OperationKind::Create,
            (Verb::Write { mode, .. }, _) => OperationKind::Upsert(*mode),
        }
    }

    /// The entity as it was handed in; `None` for a delete.
    pub fn entity(&self) -> Option<&EntityInput> {
        match &self.verb {
            Verb::Write { entity, .. } => Some(entity),
            Verb::Delete { .. } => None,
        }
    }

    /// The condition, beyond what the kind of operation says by itself: [`Condition::None`] for a create, and where an update
    /// or a delete takes any version.
    pub fn condition(&self) -> &Condition {
        match (&self.condition, self.kind()) {
            (_, OperationKind::Create) => &Condition::None,
            (Condition::Any, OperationKind::Update(_) | OperationKind::Delete) => &Condition::None,
            (condition, _) => condition,
        }
    }

    /// Checks what can be told without the store (S4.6, steps 2 and 3).
    pub(crate) fn check(&self, mode: Mode) -> Result<()> {
        if self.must_exist && self.condition == Condition::Absent {
            let fact = "An update or a delete cannot be on condition that the entity is not there.";
            return Err(Error::invalid(fact).keys(self.partition_key(), self.row_key()));
        }
        match &self.verb {
            Verb::Write { entity, .. } => entity.check(mode),
            Verb::Delete { partition_key, row_key } => model::check_keys(partition_key, row_key, mode.limits())
                .map_err(|error| error.keys(partition_key, row_key)),
        }
    }
}

/// What a write did.
///
/// # Example
/// ```
/// # let store = entable::Store::in_memory()?;
/// # let orders = store.create_table("Orders")?;
/// let written = orders.create_entity(entable::entity! { "DE", "0001" })?;
/// assert_eq!(orders.get_entity("DE", "0001")?.etag(), Some(written.etag()));
/// # Ok::<(), entable::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Written {
    timestamp: DateTime,
}

impl Written {
    pub(crate) fn at(timestamp: DateTime) -> Written {
        Written { timestamp }
    }

    /// The entity's new Timestamp.
    pub fn timestamp(&self) -> DateTime {
        self.timestamp
    }

    /// The entity's new ETag.
    pub fn etag(&self) -> ETag {
        ETag::from_timestamp(self.timestamp)
    }
}

impl fmt::Display for Written {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.etag().fmt(f)
    }
}
