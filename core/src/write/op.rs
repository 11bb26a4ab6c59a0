//! One operation on one entity, as a value.

use super::Condition;
use crate::limits::{self, Mode};
use crate::model::{self, ETag, EntityInput, KeyPair};
use crate::{DateTime, Error, IntoEntity, Result};
use std::fmt;

/// What an update, or an upsert that finds the entity, does to the properties that it does not name.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum UpdateMode {
    /// They stay as they are (S4.4.2). A merge removes what the input says is to be removed, and adds to numbers (S4.8).
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
    /// The version that an import gives back; `None` for a new one.
    pub(crate) version: Option<DateTime>,
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
    /// Stores an entity, unless one is there.
    CreateOrGet,
    /// Gives an entity another key.
    Move,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Verb {
    Write { entity: EntityInput, mode: UpdateMode },
    Delete { partition_key: String, row_key: String },
    CreateOrGet { entity: EntityInput },
    Move { from: KeyPair, to: KeyPair },
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
        Operation { verb, condition: Condition::Any, must_exist: true, version: None }
    }

    /// Stores a new entity, or leaves the one that is there as it is (S4.8.6): [`Written::is_found`] tells which, and the
    /// ETag is that of the entity that is there then. [`Table::create_or_get_entity`](crate::Table::create_or_get_entity)
    /// gives the entity, too.
    ///
    /// # Errors
    /// What `entity` cannot be turned into an entity for.
    ///
    /// # Example
    /// ```
    /// use entable::{Operation, Store, entity};
    /// let store = Store::in_memory()?;
    /// let towns = store.create_table("Towns")?;
    /// let town = || Operation::create_or_get(entity! { "DE", "Köln" });
    /// let written = towns.submit_transaction([town()?])?;
    /// let again = towns.submit_transaction([town()?])?;
    /// assert_eq!((written[0].unwrap().is_found(), again[0].unwrap().is_found()), (false, true));
    /// # Ok::<(), entable::Error>(())
    /// ```
    pub fn create_or_get(entity: impl IntoEntity) -> Result<Operation> {
        let verb = Verb::CreateOrGet { entity: entity.into_input()? };
        Ok(Operation { verb, condition: Condition::None, must_exist: false, version: None })
    }

    /// Gives an entity another PartitionKey and RowKey: all that it has is stored under them, and nothing under the former
    /// ones (S4.8.7). `ResourceNotFound` if it is not there, `EntityAlreadyExists` if another one is where it is to go.
    ///
    /// In an entity group transaction both keys are in its partition, and each counts as an entity of the group.
    ///
    /// # Example
    /// ```
    /// use entable::{Operation, Store, entity};
    /// let store = Store::in_memory()?;
    /// let orders = store.create_table("Orders")?;
    /// orders.create_entity(entity! { "open", "0001", "Total" => 12.5 })?;
    /// store.submit_batch([(&orders, Operation::move_entity(("open", "0001"), ("paid", "0001")))])?;
    /// assert_eq!(orders.get_entity("paid", "0001")?["Total"], 12.5);
    /// assert!(!orders.exists("open", "0001")?);
    /// # Ok::<(), entable::Error>(())
    /// ```
    pub fn move_entity(
        (partition_key, row_key): (impl Into<String>, impl AsRef<str>),
        (new_partition_key, new_row_key): (impl Into<String>, impl AsRef<str>),
    ) -> Operation {
        let (from, to) = (KeyPair::of(partition_key, row_key), KeyPair::of(new_partition_key, new_row_key));
        Operation { verb: Verb::Move { from, to }, condition: Condition::Any, must_exist: true, version: None }
    }

    fn write(entity: impl IntoEntity, mode: UpdateMode, condition: Condition) -> Result<Operation> {
        let must_exist = condition == Condition::Any;
        Ok(Operation { verb: Verb::Write { entity: entity.into_input()?, mode }, condition, must_exist, version: None })
    }

    /// The same operation on this condition. [`Condition::None`] leaves an upsert free, and means "any version"
    /// for an update, a delete and a move; a create stays on condition of absence, and a create-or-get takes none.
    #[must_use]
    pub fn on(mut self, condition: impl Into<Condition>) -> Operation {
        match (condition.into(), &self.condition) {
            (Condition::None, _) => {}
            // A create keeps its own condition.
            (_, Condition::Absent) => {}
            (_, _) if matches!(self.verb, Verb::CreateOrGet { .. }) => {}
            (condition, _) => self.condition = condition,
        }
        self
    }

    /// The same operation, which gives the entity this version instead of a new one.
    ///
    /// # Errors
    /// `InvalidInput` for one so late that no version would be left for the writes behind it.
    pub(crate) fn of_version(mut self, version: Option<DateTime>) -> Result<Operation> {
        if let Some(version) = version.filter(|version| version.ticks() > limits::LAST_GIVEN_TICK) {
            return Err(Error::invalid(format!(
                "The version {version} is too late for the writes behind it to be later."
            ))
            .property("Timestamp")
            .keys(self.partition_key(), self.row_key()));
        }
        self.version = version;
        Ok(self)
    }

    /// The PartitionKey of the entity: of a move, that which it has before.
    pub fn partition_key(&self) -> &str {
        match &self.verb {
            Verb::Write { entity, .. } | Verb::CreateOrGet { entity } => entity.partition_key(),
            Verb::Delete { partition_key, .. } => partition_key,
            Verb::Move { from, .. } => from.partition_key(),
        }
    }

    /// The RowKey of the entity: of a move, that which it has before.
    pub fn row_key(&self) -> &str {
        match &self.verb {
            Verb::Write { entity, .. } | Verb::CreateOrGet { entity } => entity.row_key(),
            Verb::Delete { row_key, .. } => row_key,
            Verb::Move { from, .. } => from.row_key(),
        }
    }

    /// The PartitionKey and RowKey that a move gives the entity; `None` for another operation.
    pub fn new_keys(&self) -> Option<(&str, &str)> {
        match &self.verb {
            Verb::Move { to, .. } => Some((to.partition_key(), to.row_key())),
            Verb::Write { .. } | Verb::CreateOrGet { .. } | Verb::Delete { .. } => None,
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
            (Verb::CreateOrGet { .. }, _) => OperationKind::CreateOrGet,
            (Verb::Move { .. }, _) => OperationKind::Move,
            (Verb::Write { mode, .. }, _) if self.must_exist => OperationKind::Update(*mode),
            (Verb::Write { .. }, Condition::Absent) => OperationKind::Create,
            (Verb::Write { mode, .. }, _) => OperationKind::Upsert(*mode),
        }
    }

    /// The entity as it was handed in; `None` for a delete or a move.
    pub fn entity(&self) -> Option<&EntityInput> {
        match &self.verb {
            Verb::Write { entity, .. } | Verb::CreateOrGet { entity } => Some(entity),
            Verb::Delete { .. } | Verb::Move { .. } => None,
        }
    }

    /// The condition, beyond what the kind of operation says by itself: [`Condition::None`] for a create, and where an update,
    /// a delete or a move takes any version.
    pub fn condition(&self) -> &Condition {
        match (&self.condition, self.kind()) {
            (_, OperationKind::Create) => &Condition::None,
            (Condition::Any, OperationKind::Update(_) | OperationKind::Delete | OperationKind::Move) => {
                &Condition::None
            }
            (condition, _) => condition,
        }
    }

    /// Checks what can be told without the store (S4.6, steps 2 and 3).
    pub(crate) fn check(&self, mode: Mode) -> Result<()> {
        let (partition_key, row_key) = (self.partition_key(), self.row_key());
        if self.must_exist && self.condition == Condition::Absent {
            let fact = "An update, a delete or a move cannot be on condition that the entity is not there.";
            return Err(Error::invalid(fact).keys(partition_key, row_key));
        }
        let check_keys = |keys: (&str, &str)| {
            model::check_keys(keys.0, keys.1, mode.limits()).map_err(|error| error.keys(keys.0, keys.1))
        };
        match &self.verb {
            Verb::Write { entity, mode: UpdateMode::Merge } => entity.check(mode)?,
            Verb::Write { entity, mode: UpdateMode::Replace } | Verb::CreateOrGet { entity } => {
                entity.check(mode)?;
                entity.check_whole()?;
            }
            Verb::Delete { .. } => check_keys((partition_key, row_key))?,
            Verb::Move { from, to } => {
                check_keys((partition_key, row_key))?;
                check_keys((to.partition_key(), to.row_key()))?;
                if from == to {
                    let fact = "The entity has the keys already that it is to be moved to.";
                    return Err(Error::invalid(fact).keys(partition_key, row_key));
                }
            }
        }
        self.condition.check(mode).map_err(|error| error.keys(partition_key, row_key))
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
    is_found: bool,
}

impl Written {
    pub(crate) fn at(timestamp: DateTime) -> Written {
        Written { timestamp, is_found: false }
    }

    pub(crate) fn found(timestamp: DateTime) -> Written {
        Written { timestamp, is_found: true }
    }

    /// Whether nothing was written: a create-or-get has found the entity. Then Timestamp and ETag are those that it has.
    pub fn is_found(&self) -> bool {
        self.is_found
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
