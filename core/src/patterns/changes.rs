//! What is to be written when a row changes: a group, or steps in their order.

pub(super) use super::act::{Act, Change};
use super::refusal;
use crate::batch::check_group;
use crate::limits::{Mode, SERVICE};
use crate::model::names::TIMESTAMP;
use crate::{Entity, Error, ErrorCode, Operation, Result, TableName, Value, model};

/// All that is to be written for one change of a row: the row itself, and what the pattern keeps beside it.
///
/// A change is a list of steps, each an entity group transaction. If everything lies in one partition, there is one
/// step, and it happens whole or not at all. Otherwise the steps go through an outbox, one after the other: new copies
/// are written before the row, old ones are removed after it, so that a reader may find a copy too many, but none too
/// few.
///
/// The steps of one row are finished before its next change begins. Whoever stops in the midst begins again with the
/// first step, and asks [`Step::remaining`] what there is left to do; the [module](super#an-outbox) says how an outbox is
/// kept. Several patterns on one row are put together by [`Changes::join`].
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
    pub(super) table: String,
    pub(super) acts: Vec<Act>,
}

impl Step {
    pub(super) fn new(table: &str, acts: Vec<Act>) -> Step {
        Step { table: table.to_owned(), acts }
    }

    /// Whether the operation may join this step: the same table and partition, room for it, and no insert.
    pub(super) fn takes(&self, table: &str, act: &Option<Act>) -> bool {
        let Some(act) = act.as_ref().filter(|act| !act.is_insert()) else { return false };
        let is_same = self.acts.first().is_some_and(|first| first.keys().0 == act.keys().0 && !first.is_insert());
        self.table == table
            && is_same
            && self.acts.len() < SERVICE.group_operations
            && self.acts.iter().chain([act]).map(Act::size_bytes).sum::<usize>() <= SERVICE.group_bytes
    }

    pub(super) fn extend(&mut self, acts: impl IntoIterator<Item = Act>) {
        self.acts.extend(acts);
    }

    /// The table that the step writes to.
    pub fn table(&self) -> &str {
        &self.table
    }

    /// The operations, for `submit_transaction`: of a step that has the row, or whose keys nobody else writes. They do not
    /// look at what is stored beyond the ETags of the states that the step was made from: a removal in another partition
    /// takes whatever is there, and a former state without an ETag only has to exist.
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
        error.code() == ErrorCode::ResourceNotFound && self.acts.iter().all(Act::is_removal) && self.acts.len() == 1
    }

    /// The operations that are left to do, given what is stored under [`Step::keys`] (as `get_many` gives it): none
    /// if the step was done already. With this a step may be run as often as one likes.
    ///
    /// A step is done if all of it is as it shall be; counts and lists that other rows change too do not count, where the
    /// row is in the step. Otherwise the whole group is left, and each condition is looked at: that the row is in the version
    /// of its former state, or, if that has none, has its properties. A copy is removed only if it is one that this row had.
    ///
    /// # Errors
    /// [`ErrorCode::EntityAlreadyExists`], [`ErrorCode::ResourceNotFound`],
    /// [`ErrorCode::UpdateConditionNotSatisfied`]: somebody else was there in between. The pattern's `reconcile` then
    /// brings the copies to the row's state, whatever that is now. [`ErrorCode::InvalidInput`]: there is not one stored
    /// entity, or `None`, for each key, or one has other keys.
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
        // Of what is under another key, a removal would believe that nothing of this row's is there.
        let is_other = |(keys, stored): &((&str, &str), &Entity)| (stored.partition_key(), stored.row_key()) != *keys;
        let mut under_keys = self.keys().zip(stored).filter_map(|(keys, stored)| Some((keys, stored.as_ref()?)));
        if let Some(((partition_key, row_key), _)) = under_keys.find(is_other) {
            let error = Error::invalid("A step is told what is stored under each of its keys, in their order.");
            return Err(error.keys(partition_key, row_key).table(&self.table));
        }
        let pairs = || self.acts.iter().zip(stored.iter().map(Option::as_ref));
        let has_row = self.acts.iter().any(Act::is_own);
        let is_done = |(act, stored): (&Act, _)| has_row && matches!(act, Act::Shared(_)) || act.is_done(stored);
        if pairs().all(is_done) {
            return Ok(Vec::new());
        }
        // A group happened whole or not at all: what looks done is so by others, and does not lift a condition.
        let left = pairs().map(|(act, stored)| act.checked(stored));
        left.filter_map(Result::transpose).collect::<Result<_>>().map_err(|error: Error| error.table(&self.table))
    }

    /// Refuses what the service would refuse, before anything is written.
    fn check(&self, pattern: &str, property: Option<&str>) -> Result<()> {
        let refused = |error: &Error| refusal(pattern, property, error).table(&self.table);
        TableName::new(&self.table).map_err(|error| refused(&error))?;
        let operations = self.operations()?;
        for (act, operation) in self.acts.iter().zip(&operations) {
            operation.check(Mode::Portable).map_err(|error| refused(&error))?;
            if let Some(entity) = act.entity() {
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

    pub(super) fn into_steps(self) -> Vec<Step> {
        self.steps
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
    if let (Some(former), Some(new)) = (former, new)
        && (former.partition_key(), former.row_key()) != (new.partition_key(), new.row_key())
    {
        let fact = "A row's keys do not change: it is deleted, and created under the new ones.";
        let error = Error::invalid(fact).keys(former.partition_key(), former.row_key());
        return Err(refusal(pattern, None, &error));
    }
    let former = former.map(|former| plain(former).with_version_of(former));
    Ok(Change::between(former, new.map(plain)).map(Act::Own))
}

/// Refuses states that are not all of one row: what another row keeps would be taken for this one's, and removed.
///
/// # Errors
/// `InvalidInput`: two have different keys.
pub(super) fn check_one_row(pattern: &str, seen: &[&Entity], current: Option<&Entity>) -> Result<()> {
    let keys = |row: &Entity| (row.partition_key().to_owned(), row.row_key().to_owned());
    let mut states = current.into_iter().chain(seen.iter().copied());
    let Some(first) = states.next() else { return Ok(()) };
    match states.find(|other| keys(other) != keys(first)) {
        None => Ok(()),
        Some(other) => {
            let error = Error::invalid("The states seen are those of one row.");
            Err(refusal(pattern, None, &error.keys(other.partition_key(), other.row_key())))
        }
    }
}

/// The entity without its version, which says nothing of a copy.
pub(crate) fn plain(entity: &Entity) -> Entity {
    under(entity, entity.partition_key(), entity.row_key())
}

/// The same properties under other keys.
pub(super) fn under(entity: &Entity, partition_key: impl Into<String>, row_key: impl Into<String>) -> Entity {
    let mut copy = Entity::new(partition_key, row_key);
    // A Timestamp is not written, so what is stored would never be equal to one that has it.
    for (name, value) in entity.properties().filter(|(name, _)| *name != TIMESTAMP) {
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
    let former_row = match (former_row, former) {
        (Some(row), Some(former)) => Some(row.with_version_of(former)),
        (row, _) => row,
    };
    Ok(match (former_row, new_row) {
        (Some(former), Some(new)) if former.partition_key() != new.partition_key() => {
            let fact = "A row does not change its partition: it is deleted, and created in the other one.";
            return Err(refusal(pattern, None, &Error::invalid(fact).keys(former.partition_key(), former.row_key())));
        }
        (Some(former), Some(new)) if former.row_key() != new.row_key() => {
            vec![Act::Own(Change::Insert(new)), Act::Own(Change::Delete(former))]
        }
        (former, new) => Change::between(former, new).map(Act::Own).into_iter().collect(),
    })
}
