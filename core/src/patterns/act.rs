//! One operation of a step, and how it is told whether it was done.

use super::{SOURCE_PARTITION_KEY, SOURCE_ROW_KEY};
use crate::{Condition, Entity, Error, ErrorCode, Operation, Result, UpdateMode, Value, model};

/// One operation, with what is needed to tell whether it was done already.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Act {
    /// The row itself, or a part of it.
    Own(Change),
    /// An entity that other rows change as well, such as a count. In a step with the row, only the row tells whether it
    /// was written: what is there may be so by others, or otherwise because of others.
    Shared(Change),
    /// The entity as it shall be. On no condition it is an insert-or-replace.
    Write { entity: Entity, on: Condition },
    /// These properties, the others left alone.
    Merge { entity: Entity },
    /// No such entity; with `only`, if what is stored is this row's.
    Remove { partition_key: String, row_key: String, on: Condition, only: Option<Known> },
}

/// From one state to the next, on condition that it is as it was: of the former state's version, or, if that has none,
/// with the same properties.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Change {
    Insert(Entity),
    Replace { former: Entity, new: Entity },
    Delete(Entity),
}

/// How a row's copy is told from another's that has its key by now.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Known {
    /// What states of the row had there.
    pub(super) copies: Vec<Entity>,
    /// Whether other rows wait for the key to become free.
    pub(super) is_claim: bool,
    /// Whether copies say whose they are: one that names the same row is this row's, whatever else it holds.
    pub(super) names_row: bool,
}

impl Known {
    fn is(&self, stored: &Entity) -> bool {
        let names_same_row = |copy: &Entity| {
            let is_same = |name: &str| copy.get(name).is_some_and(|key| stored.get(name) == Some(key));
            is_same(SOURCE_PARTITION_KEY) && is_same(SOURCE_ROW_KEY)
        };
        self.copies.iter().any(|copy| copy == stored || self.names_row && names_same_row(copy))
    }
}

impl Change {
    /// `None` if there is no state before and after.
    pub(super) fn between(former: Option<Entity>, new: Option<Entity>) -> Option<Change> {
        match (former, new) {
            (None, None) => None,
            (None, Some(new)) => Some(Change::Insert(new)),
            (Some(former), None) => Some(Change::Delete(former)),
            (Some(former), Some(new)) => Some(Change::Replace { former, new }),
        }
    }

    fn former(&self) -> Option<&Entity> {
        match self {
            Change::Insert(_) => None,
            Change::Replace { former, .. } | Change::Delete(former) => Some(former),
        }
    }

    fn new_state(&self) -> Option<&Entity> {
        match self {
            Change::Insert(new) | Change::Replace { new, .. } => Some(new),
            Change::Delete(_) => None,
        }
    }

    fn keys(&self) -> (&str, &str) {
        match self {
            Change::Insert(entity) | Change::Replace { new: entity, .. } | Change::Delete(entity) => {
                (entity.partition_key(), entity.row_key())
            }
        }
    }

    fn operation(&self) -> Result<Operation> {
        let as_it_was = |former: &Entity| former.etag().map_or(Condition::Any, Condition::IfMatch);
        Ok(match self {
            Change::Insert(new) => Operation::create(new.clone())?,
            Change::Replace { former, new } => {
                Operation::update(new.clone(), UpdateMode::Replace)?.on(as_it_was(former))
            }
            Change::Delete(former) => Operation::delete(former.partition_key(), former.row_key()).on(as_it_was(former)),
        })
    }

    fn checked(&self, stored: Option<&Entity>) -> Result<Operation> {
        match (self.former(), stored) {
            (None, None) => self.operation(),
            (None, Some(_)) => Err(changed(ErrorCode::EntityAlreadyExists, self.keys())),
            (Some(_), None) => Err(changed(ErrorCode::ResourceNotFound, self.keys())),
            (Some(former), Some(stored)) => {
                let is_as_it_was = match (former.etag(), stored.etag()) {
                    (Some(then), Some(now)) => then == now,
                    _ => former == stored,
                };
                if !is_as_it_was {
                    return Err(changed(ErrorCode::UpdateConditionNotSatisfied, self.keys()));
                }
                Ok(on_what_was_read(self.operation()?, stored))
            }
        }
    }
}

impl Act {
    pub(super) fn keys(&self) -> (&str, &str) {
        match self {
            Act::Own(change) | Act::Shared(change) => change.keys(),
            Act::Write { entity, .. } | Act::Merge { entity } => (entity.partition_key(), entity.row_key()),
            Act::Remove { partition_key, row_key, .. } => (partition_key, row_key),
        }
    }

    /// What is written; `None` for a removal.
    pub(super) fn entity(&self) -> Option<&Entity> {
        match self {
            Act::Own(change) | Act::Shared(change) => change.new_state(),
            Act::Write { entity, .. } | Act::Merge { entity } => Some(entity),
            Act::Remove { .. } => None,
        }
    }

    /// Bytes in a group.
    pub(super) fn size_bytes(&self) -> usize {
        let (partition_key, row_key) = self.keys();
        self.entity().map_or_else(|| model::keys_bytes(partition_key, row_key), Entity::size_bytes)
    }

    pub(super) fn is_own(&self) -> bool {
        matches!(self, Act::Own(_))
    }

    pub(super) fn is_insert(&self) -> bool {
        matches!(self, Act::Write { on: Condition::Absent, .. } | Act::Own(Change::Insert(_)))
    }

    /// Whether a key becomes free that others may wait for.
    pub(super) fn is_release(&self) -> bool {
        matches!(self, Act::Remove { only: Some(Known { is_claim: true, .. }), .. })
    }

    pub(super) fn is_removal(&self) -> bool {
        self.entity().is_none()
    }

    pub(super) fn operation(&self) -> Result<Operation> {
        match self {
            Act::Own(change) | Act::Shared(change) => change.operation(),
            Act::Write { entity, on: Condition::None } => Operation::upsert(entity.clone(), UpdateMode::Replace),
            Act::Write { entity, on: Condition::Absent } => Operation::create(entity.clone()),
            Act::Write { entity, on } => Ok(Operation::update(entity.clone(), UpdateMode::Replace)?.on(on.clone())),
            Act::Merge { entity } => Operation::upsert(entity.clone(), UpdateMode::Merge),
            Act::Remove { partition_key, row_key, on, .. } => {
                Ok(Operation::delete(partition_key.as_str(), row_key.as_str()).on(on.clone()))
            }
        }
    }

    /// Whether what is stored is as it shall be.
    pub(super) fn is_done(&self, stored: Option<&Entity>) -> bool {
        match (self, stored) {
            (Act::Own(change) | Act::Shared(change), stored) => change.new_state() == stored,
            (Act::Write { entity, .. }, Some(stored)) => stored == entity,
            (Act::Merge { entity }, Some(stored)) => {
                entity.properties().all(|(name, value): (&str, &Value)| stored.get(name) == Some(value))
            }
            (Act::Write { .. } | Act::Merge { .. }, None) => false,
            (Act::Remove { .. }, None) => true,
            (Act::Remove { only, .. }, Some(stored)) => only.as_ref().is_some_and(|known| !known.is(stored)),
        }
    }

    /// The operation, its condition looked at; `None` where there is nothing to remove, or nothing of this row's.
    ///
    /// # Errors
    /// `EntityAlreadyExists`, `ResourceNotFound`, `UpdateConditionNotSatisfied`: the condition does not hold.
    pub(super) fn checked(&self, stored: Option<&Entity>) -> Result<Option<Operation>> {
        let on = match self {
            Act::Own(change) | Act::Shared(change) => return change.checked(stored).map(Some),
            Act::Merge { .. } => &Condition::None,
            Act::Write { on, .. } => on,
            Act::Remove { on: Condition::IfMatch(_), .. } if stored.is_none() => {
                return Err(changed(ErrorCode::ResourceNotFound, self.keys()));
            }
            Act::Remove { .. } if self.is_done(stored) => return Ok(None),
            Act::Remove { on, .. } => on,
        };
        match (on, stored) {
            (Condition::Absent, Some(_)) => Err(changed(ErrorCode::EntityAlreadyExists, self.keys())),
            (Condition::Any | Condition::IfMatch(_), None) => Err(changed(ErrorCode::ResourceNotFound, self.keys())),
            (Condition::IfMatch(etag), Some(stored)) if stored.etag().is_some_and(|now| now != *etag) => {
                Err(changed(ErrorCode::UpdateConditionNotSatisfied, self.keys()))
            }
            (Condition::Any, Some(stored)) => Ok(Some(on_what_was_read(self.operation()?, stored))),
            _ => self.operation().map(Some),
        }
    }
}

/// What was just read is what is meant.
fn on_what_was_read(operation: Operation, stored: &Entity) -> Operation {
    match stored.etag() {
        Some(etag) => operation.on(etag),
        None => operation,
    }
}

fn changed(code: ErrorCode, (partition_key, row_key): (&str, &str)) -> Error {
    Error::new(code).fact("It was changed in between, and not by this step.").keys(partition_key, row_key)
}
