//! What is to be written when a row changes: a group, or steps in their order.

use super::refusal;
use crate::batch::check_group;
use crate::limits::{Mode, SERVICE};
use crate::{Condition, Entity, Error, ErrorCode, Operation, Result, TableName, UpdateMode, Value, model};

/// All that is to be written for one change of a row: the row itself, and what the pattern keeps beside it.
///
/// A change is a list of steps, each an entity group transaction. If everything lies in one partition, there is one
/// step, and it happens whole or not at all. Otherwise the steps go through an outbox, one after the other: new copies
/// are written before the row, old ones are removed after it, so that a reader may find a copy too many, but none too
/// few.
///
/// The steps of one row are finished before its next change begins. Whoever stops in the midst begins again with the
/// first step, and asks [`Step::remaining`] what there is left to do.
///
/// # Example
/// ```
/// use entable::{Store, entity, patterns::SecondaryIndex};
/// let store = Store::in_memory()?;
/// let employees = store.create_table("Employees")?;
/// let by_email = SecondaryIndex::new("Employees", "email_", "Email");
/// let jones = entity! { "Sales", "empid_000223", "Email" => "jonesj@contoso.com" };
///
/// let changes = by_email.changes(None, Some(&jones))?;
/// let group = changes.group().expect("both lie in one partition");
/// employees.submit_transaction(group.operations()?)?;
/// assert!(employees.exists("Sales", "email_jonesj@contoso.com")?);
/// # Ok::<(), entable::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Changes {
    steps: Vec<Step>,
}

/// One step of a change: an entity group transaction, that is operations on one table and one partition.
#[derive(Clone, Debug, PartialEq)]
pub struct Step {
    table: String,
    acts: Vec<Act>,
}

/// One operation, with what is needed to tell whether it was done already.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Act {
    /// The entity as it shall be. On no condition it is an insert-or-replace.
    Write { entity: Entity, on: Condition },
    /// These properties, the others left alone.
    Merge { entity: Entity },
    /// No such entity; `only` if the stored one is this.
    Remove { partition_key: String, row_key: String, on: Condition, only: Option<Entity> },
}

impl Act {
    fn keys(&self) -> (&str, &str) {
        match self {
            Act::Write { entity, .. } | Act::Merge { entity } => (entity.partition_key(), entity.row_key()),
            Act::Remove { partition_key, row_key, .. } => (partition_key, row_key),
        }
    }

    fn operation(&self) -> Result<Operation> {
        match self {
            Act::Write { entity, on: Condition::None } => Operation::upsert(entity.clone(), UpdateMode::Replace),
            Act::Write { entity, on: Condition::Absent } => Operation::create(entity.clone()),
            Act::Write { entity, on } => Ok(Operation::update(entity.clone(), UpdateMode::Replace)?.on(on.clone())),
            Act::Merge { entity } => Operation::upsert(entity.clone(), UpdateMode::Merge),
            Act::Remove { partition_key, row_key, on, .. } => {
                Ok(Operation::delete(partition_key.as_str(), row_key.as_str()).on(on.clone()))
            }
        }
    }

    /// What is left to do, given what is stored; nothing if it is as it shall be.
    fn remaining(&self, stored: Option<&Entity>) -> Result<Option<Operation>> {
        let is_done = match (self, stored) {
            (Act::Write { entity, .. }, Some(stored)) => stored == entity,
            (Act::Merge { entity }, Some(stored)) => entity.properties().all(|(name, it)| stored.get(name) == Some(it)),
            (Act::Remove { only: Some(only), .. }, Some(stored)) => stored != only,
            (Act::Remove { .. }, None) => true,
            _ => false,
        };
        if is_done {
            return Ok(None);
        }
        let on = match self {
            Act::Merge { .. } => &Condition::None,
            Act::Write { on, .. } | Act::Remove { on, .. } => on,
        };
        let (partition_key, row_key) = self.keys();
        let fails = |code| {
            let fact = "It was changed in between, and not by this step.";
            Err(Error::new(code).fact(fact).keys(partition_key, row_key))
        };
        match (on, stored) {
            (Condition::Absent, Some(_)) => fails(ErrorCode::EntityAlreadyExists),
            (Condition::Any | Condition::IfMatch(_), None) => fails(ErrorCode::ResourceNotFound),
            (Condition::IfMatch(etag), Some(stored)) if stored.etag().is_some_and(|now| now != *etag) => {
                fails(ErrorCode::UpdateConditionNotSatisfied)
            }
            // What was just read is what is meant.
            (Condition::Any, Some(stored)) => {
                let operation = self.operation()?;
                Ok(Some(match stored.etag() {
                    Some(etag) => operation.on(etag),
                    None => operation,
                }))
            }
            _ => self.operation().map(Some),
        }
    }
}

impl Step {
    pub(super) fn new(table: &str, acts: Vec<Act>) -> Step {
        Step { table: table.to_owned(), acts }
    }

    /// Whether the operation may join this step: the same table and partition, room for it, and no insert.
    pub(super) fn takes(&self, table: &str, act: &Option<Act>) -> bool {
        let is_insert = |act: &Act| matches!(act, Act::Write { on: Condition::Absent, .. });
        let Some(act) = act.as_ref().filter(|act| !is_insert(act)) else { return false };
        let is_same = self.acts.first().is_some_and(|first| first.keys().0 == act.keys().0 && !is_insert(first));
        let bytes = |act: &Act| match act {
            Act::Write { entity, .. } | Act::Merge { entity } => entity.size_bytes(),
            Act::Remove { partition_key, row_key, .. } => model::keys_bytes(partition_key, row_key),
        };
        self.table == table
            && is_same
            && self.acts.len() < SERVICE.group_operations
            && self.acts.iter().chain([act]).map(bytes).sum::<usize>() <= SERVICE.group_bytes
    }

    pub(super) fn extend(&mut self, acts: impl IntoIterator<Item = Act>) {
        self.acts.extend(acts);
    }

    /// The table that the step writes to.
    pub fn table(&self) -> &str {
        &self.table
    }

    /// The operations, for `submit_transaction`.
    ///
    /// # Errors
    /// None, so far as is known: what is illegal was refused when the step was made.
    pub fn operations(&self) -> Result<Vec<Operation>> {
        self.acts.iter().map(Act::operation).collect()
    }

    /// PartitionKey and RowKey of what each operation writes.
    pub fn keys(&self) -> impl ExactSizeIterator<Item = (&str, &str)> {
        self.acts.iter().map(Act::keys)
    }

    /// Whether an error says that there was nothing left to do: a delete that finds nothing (S9.3).
    pub fn accepts(&self, error: &Error) -> bool {
        error.code() == ErrorCode::ResourceNotFound
            && self.acts.iter().all(|act| matches!(act, Act::Remove { .. }))
            && self.acts.len() == 1
    }

    /// The operations that are left to do, given what is stored under [`Step::keys`] (as `get_many` gives it): none
    /// if the step was done already. With this a step may be run as often as one likes.
    ///
    /// # Errors
    /// [`ErrorCode::EntityAlreadyExists`], [`ErrorCode::ResourceNotFound`],
    /// [`ErrorCode::UpdateConditionNotSatisfied`]: somebody else was there in between. The pattern's `reconcile` then
    /// brings the copies to the row's state, whatever that is now. [`ErrorCode::InvalidInput`]: there is not one stored
    /// entity, or `None`, for each key.
    ///
    /// # Example
    /// ```
    /// use entable::{Store, entity, patterns::{IndexTable, Step}};
    /// fn run(store: &Store, step: &Step) -> entable::Result<()> {
    ///     let table = store.table(step.table())?;
    ///     let left = step.remaining(&table.get_many(step.keys())?)?;
    ///     table.submit_transaction(left).map(|_| ())
    /// }
    /// let store = Store::in_memory()?;
    /// store.create_table("Customers")?;
    /// let by_town = store.create_table("CustomersByTown")?;
    /// let pattern = IndexTable::full("Customers", "CustomersByTown", ["Town"]);
    /// let customer = entity! { "1", "1", "Town" => "Redmond" };
    /// for step in pattern.changes(None, Some(&customer))?.steps() {
    ///     run(&store, step)?;
    ///     run(&store, step)?; // does nothing
    /// }
    /// assert!(by_town.exists("Redmond", "1")?);
    /// # Ok::<(), entable::Error>(())
    /// ```
    pub fn remaining(&self, stored: &[Option<Entity>]) -> Result<Vec<Operation>> {
        if stored.len() != self.acts.len() {
            return Err(Error::invalid("A step is told what is stored under each of its keys.")
                .limit(self.acts.len(), stored.len()));
        }
        let left = self.acts.iter().zip(stored).map(|(act, stored)| act.remaining(stored.as_ref()));
        left.filter_map(Result::transpose).collect()
    }

    /// Refuses what the service would refuse, before anything is written.
    fn check(&self, pattern: &str, property: Option<&str>) -> Result<()> {
        let refused = |error: &Error| refusal(pattern, property, error).table(&self.table);
        TableName::new(&self.table).map_err(|error| refused(&error))?;
        let operations = self.operations()?;
        for (act, operation) in self.acts.iter().zip(&operations) {
            operation.check(Mode::Portable).map_err(|error| refused(&error))?;
            if let Act::Write { entity, .. } | Act::Merge { entity } = act {
                let named = |error: Error| refused(&error.keys(entity.partition_key(), entity.row_key()));
                model::check_count(entity.properties().len(), &SERVICE).map_err(named)?;
                model::check_size(entity.size_bytes(), &SERVICE).map_err(named)?;
            }
        }
        check_group(&operations, Mode::Portable).map_err(|error| refused(&error))
    }
}

impl Changes {
    /// Steps that are legal.
    pub(super) fn new(pattern: &str, property: Option<&str>, steps: Vec<Step>) -> Result<Changes> {
        let steps: Vec<Step> = steps.into_iter().filter(|step| !step.acts.is_empty()).collect();
        steps.iter().try_for_each(|step| step.check(pattern, property))?;
        Ok(Changes { steps })
    }

    /// The steps, in their order.
    pub fn steps(&self) -> &[Step] {
        &self.steps
    }

    /// The one group that is all of the change; `None` if there are several steps, or nothing to do.
    pub fn group(&self) -> Option<&Step> {
        match &self.steps[..] {
            [step] => Some(step),
            _ => None,
        }
    }

    /// Whether there is nothing to do.
    pub fn is_empty(&self) -> bool {
        self.steps.is_empty()
    }
}

/// The row's own operation, on condition that it is as it was. `None` if there is no row before and after.
///
/// # Errors
/// `InvalidInput`: the two have different keys.
pub(super) fn row_act(pattern: &str, former: Option<&Entity>, new: Option<&Entity>) -> Result<Option<Act>> {
    let as_it_was = |former: &Entity| former.etag().map_or(Condition::Any, Condition::IfMatch);
    Ok(match (former, new) {
        (None, None) => None,
        (None, Some(new)) => Some(Act::Write { entity: plain(new), on: Condition::Absent }),
        (Some(former), None) => Some(Act::Remove {
            partition_key: former.partition_key().to_owned(),
            row_key: former.row_key().to_owned(),
            on: as_it_was(former),
            only: None,
        }),
        (Some(former), Some(new)) => {
            if (former.partition_key(), former.row_key()) != (new.partition_key(), new.row_key()) {
                let fact = "A row's keys do not change: it is deleted, and created under the new ones.";
                let error = Error::invalid(fact).keys(former.partition_key(), former.row_key());
                return Err(refusal(pattern, None, &error));
            }
            Some(Act::Write { entity: plain(new), on: as_it_was(former) })
        }
    })
}

/// The entity without its version, which says nothing of a copy.
pub(super) fn plain(entity: &Entity) -> Entity {
    under(entity, entity.partition_key(), entity.row_key())
}

/// The same properties under other keys.
pub(super) fn under(entity: &Entity, partition_key: impl Into<String>, row_key: impl Into<String>) -> Entity {
    let mut copy = Entity::new(partition_key, row_key);
    for (name, value) in entity.properties() {
        copy.insert(name, Value::clone(value));
    }
    copy
}

/// The operations of a row whose keys follow from its properties: when they change, it moves. `former` is the row as it
/// was read, whose version counts.
///
/// # Errors
/// `InvalidInput`: it would move to another partition, where no group reaches.
pub(super) fn keyed_row_acts(
    pattern: &str,
    former: Option<&Entity>,
    former_row: Option<Entity>,
    new_row: Option<Entity>,
) -> Result<Vec<Act>> {
    let as_it_was = former.and_then(Entity::etag).map_or(Condition::Any, Condition::IfMatch);
    let removal = |row: Entity| Act::Remove {
        partition_key: row.partition_key().to_owned(),
        row_key: row.row_key().to_owned(),
        on: as_it_was.clone(),
        only: None,
    };
    Ok(match (former_row, new_row) {
        (None, None) => Vec::new(),
        (None, Some(new)) => vec![Act::Write { entity: new, on: Condition::Absent }],
        (Some(former), None) => vec![removal(former)],
        (Some(former), Some(new)) if former.partition_key() != new.partition_key() => {
            let fact = "A row does not change its partition: it is deleted, and created in the other one.";
            return Err(refusal(pattern, None, &Error::invalid(fact).keys(former.partition_key(), former.row_key())));
        }
        (Some(former), Some(new)) if former.row_key() == new.row_key() => {
            vec![Act::Write { entity: new, on: as_it_was }]
        }
        (Some(former), Some(new)) => vec![Act::Write { entity: new, on: Condition::Absent }, removal(former)],
    })
}
