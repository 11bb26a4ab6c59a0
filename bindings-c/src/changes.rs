//! What a pattern writes: steps, each a group of operations on one partition of one table.

#![allow(unsafe_code, reason = "C calls these functions by their names")]

use crate::batch::{ENTABLE_ETAG_SIZE, entable_update_mode};
use crate::batch::{RawConditionKind, RawUpdateMode, entable_batch, entable_condition_kind, entable_group};
use crate::boundary::{answer, array, boundary, free, output, required};
use crate::entity::entable_entity;
use crate::error::{Result, entable_error};
use crate::patterns::entable_key_list;
use crate::store::entable_store;
use crate::text::entable_str;
use entable::patterns::{Changes, Step};
use entable::{Condition, Entity, Error, Mode, Operation, OperationKind, UpdateMode};
use std::ffi::c_char;
use std::mem::MaybeUninit;

/// What is to be written for the change of a row, in steps. Here all steps are one transaction
/// (`entable_batch_add_changes`); in the cloud each is one, done in order.
///
/// Yours: free it with `entable_changes_free`. It never changes, so any thread may read it.
pub struct entable_changes(pub(crate) Changes);

/// What an operation of a group does.
#[repr(u32)]
#[derive(Clone, Copy)]
pub enum entable_operation_kind {
    /// Stores a new entity.
    ENTABLE_OPERATION_CREATE = 1,
    /// Changes an entity that is there.
    ENTABLE_OPERATION_UPDATE = 2,
    /// Changes an entity, or stores it.
    ENTABLE_OPERATION_UPSERT = 3,
    /// Removes an entity.
    ENTABLE_OPERATION_DELETE = 4,
    /// Stores a new entity, or finds the one that is there. No pattern has it.
    ENTABLE_OPERATION_CREATE_OR_GET = 5,
    /// Gives an entity other keys. No pattern has it.
    ENTABLE_OPERATION_MOVE = 6,
}

/// An operation of a group, as it is looked at.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct entable_operation {
    /// One of `entable_operation_kind`; 0 if there is none.
    pub kind: u32,
    /// The mode of an update or upsert; else 0.
    pub mode: RawUpdateMode,
    /// What must hold of the stored entity.
    pub condition: RawConditionKind,
    /// The ETag of ENTABLE_CONDITION_IF_MATCH, ending with a NUL; else empty.
    pub etag: [c_char; ENTABLE_ETAG_SIZE],
}

impl Default for entable_operation {
    fn default() -> Self {
        entable_operation { kind: 0, mode: 0, condition: 0, etag: [0; ENTABLE_ETAG_SIZE] }
    }
}

impl From<&Operation> for entable_operation {
    fn from(operation: &Operation) -> Self {
        use entable_operation_kind::*;
        let number = |mode: UpdateMode| match mode {
            UpdateMode::Merge => entable_update_mode::ENTABLE_UPDATE_MERGE as u32,
            UpdateMode::Replace => entable_update_mode::ENTABLE_UPDATE_REPLACE as u32,
        };
        let (kind, mode) = match operation.kind() {
            OperationKind::Create => (ENTABLE_OPERATION_CREATE, 0),
            OperationKind::Update(mode) => (ENTABLE_OPERATION_UPDATE, number(mode)),
            OperationKind::Upsert(mode) => (ENTABLE_OPERATION_UPSERT, number(mode)),
            OperationKind::Delete => (ENTABLE_OPERATION_DELETE, 0),
            OperationKind::CreateOrGet => (ENTABLE_OPERATION_CREATE_OR_GET, 0),
            OperationKind::Move => (ENTABLE_OPERATION_MOVE, 0),
        };
        let mut seen = entable_operation { kind: kind as u32, mode, ..entable_operation::default() };
        let condition = match operation.condition() {
            Condition::None => entable_condition_kind::ENTABLE_CONDITION_NONE,
            Condition::Any => entable_condition_kind::ENTABLE_CONDITION_ANY,
            Condition::IfMatch(etag) => {
                // The last byte stays NUL.
                let room = seen.etag.iter_mut().take(ENTABLE_ETAG_SIZE - 1);
                room.zip(etag.to_string().bytes()).for_each(|(place, byte)| *place = byte as c_char);
                entable_condition_kind::ENTABLE_CONDITION_IF_MATCH
            }
            Condition::Absent => entable_condition_kind::ENTABLE_CONDITION_ABSENT,
            Condition::Matches(_) => entable_condition_kind::ENTABLE_CONDITION_MATCHES,
        };
        seen.condition = condition as u32;
        seen
    }
}

fn step(changes: Option<&entable_changes>, index: usize) -> Result<&Step> {
    let found = required(changes, "changes")?.0.steps().get(index);
    found.ok_or_else(|| entable_error::misuse("step", "There is no such step."))
}

/// How many steps there are; 0 for NULL. Any thread.
#[unsafe(no_mangle)]
pub extern "C" fn entable_changes_count(changes: Option<&entable_changes>) -> usize {
    answer(0, || Some(changes?.0.steps().len()))
}

/// The table of the step at `step`, from 0; no text (`data` is NULL) past the end. A view. Any thread.
#[unsafe(no_mangle)]
pub extern "C" fn entable_changes_table(changes: Option<&entable_changes>, step: usize) -> entable_str {
    answer(entable_str::default(), || Some(changes?.0.steps().get(step)?.table().into()))
}

/// The keys of the step's entities, in the order of its operations: what to read for `entable_changes_remaining`.
///
/// `*keys` is yours once the call returns NULL, else NULL. Any thread. Errors: ENTABLE_INVALID_INPUT past the last step.
/// The error is yours to free.
#[unsafe(no_mangle)]
pub extern "C" fn entable_changes_keys(
    changes: Option<&entable_changes>,
    step: usize,
    keys: Option<&mut MaybeUninit<Option<Box<entable_key_list>>>>,
) -> Option<Box<entable_error>> {
    boundary(|| {
        let place = output(keys, "keys")?;
        let keys = self::step(changes, step)?.keys();
        let keys = keys.map(|(partition_key, row_key)| (partition_key.to_owned(), row_key.to_owned()));
        *place = entable_key_list::boxed(keys.collect());
        Ok(())
    })
}

/// The step's operations, for `entable_table_submit_transaction` of its table.
///
/// `*group` is yours once the call returns NULL, else NULL. Any thread. Errors: ENTABLE_INVALID_INPUT past the last step.
/// The error is yours to free.
#[unsafe(no_mangle)]
pub extern "C" fn entable_changes_group(
    changes: Option<&entable_changes>,
    step: usize,
    group: Option<&mut MaybeUninit<Option<Box<entable_group>>>>,
) -> Option<Box<entable_error>> {
    boundary(|| {
        let place = output(group, "group")?;
        *place = Some(Box::new(entable_group(self::step(changes, step)?.operations()?)));
        Ok(())
    })
}

/// Those of the step's operations that are left to do, given what is `stored` under each of its keys: `count` entities,
/// NULL where there is none, as `entable_table_get_many` gives them. For whoever does a step again.
///
/// `*group` is yours once the call returns NULL, else NULL. Any thread. Errors: ENTABLE_INVALID_INPUT for another number
/// of entities, or other keys; ENTABLE_ENTITY_ALREADY_EXISTS, ENTABLE_RESOURCE_NOT_FOUND,
/// ENTABLE_UPDATE_CONDITION_NOT_SATISFIED if another was first. The error is yours to free.
#[unsafe(no_mangle)]
pub extern "C" fn entable_changes_remaining(
    changes: Option<&entable_changes>,
    step: usize,
    stored: *const Option<&entable_entity>,
    count: usize,
    group: Option<&mut MaybeUninit<Option<Box<entable_group>>>>,
) -> Option<Box<entable_error>> {
    boundary(|| {
        let place = output(group, "group")?;
        let stored = array(stored, count, "stored")?.iter();
        let stored: Vec<Option<Entity>> = stored.map(|entity| Some(entity.as_ref()?.entity.clone())).collect();
        *place = Some(Box::new(entable_group(self::step(changes, step)?.remaining(&stored)?)));
        Ok(())
    })
}

/// Whether an error of the step says that there was nothing left to do. False for NULL. Any thread.
#[unsafe(no_mangle)]
pub extern "C" fn entable_changes_accepts(
    changes: Option<&entable_changes>,
    step: usize,
    error: Option<&entable_error>,
) -> bool {
    answer(false, || Some(changes?.0.steps().get(step)?.accepts(&Error::new(error?.code()))))
}

/// The changes of two patterns for one row, as one list of steps. Both stay yours.
///
/// `*joined` is yours once the call returns NULL, else NULL. Any thread. Errors: ENTABLE_INVALID_INPUT if they write one
/// entity in two ways. The error is yours to free.
#[unsafe(no_mangle)]
pub extern "C" fn entable_changes_join(
    changes: Option<&entable_changes>,
    other: Option<&entable_changes>,
    joined: Option<&mut MaybeUninit<Option<Box<entable_changes>>>>,
) -> Option<Box<entable_error>> {
    boundary(|| {
        let place = output(joined, "joined")?;
        let (changes, other) = (required(changes, "changes")?, required(other, "other")?);
        *place = Some(Box::new(entable_changes(changes.0.clone().join(other.0.clone())?)));
        Ok(())
    })
}

/// Frees changes. NULL is fine. Once.
#[unsafe(no_mangle)]
pub extern "C" fn entable_changes_free(changes: Option<Box<entable_changes>>) {
    free(changes);
}

/// Adds the operations of all steps, on their tables of the store: so row and copies are written together or not at all.
/// An error has added nothing.
///
/// Errors: those of table names. The error is yours to free.
#[unsafe(no_mangle)]
pub extern "C" fn entable_batch_add_changes(
    batch: Option<&mut entable_batch>,
    store: Option<&entable_store>,
    changes: Option<&entable_changes>,
) -> Option<Box<entable_error>> {
    boundary(|| {
        let (batch, store) = (required(batch, "batch")?, &required(store, "store")?.0);
        let mut added = Vec::new();
        for step in required(changes, "changes")?.0.steps() {
            let table = store.table(step.table())?;
            added.extend(step.operations()?.into_iter().map(|operation| (table.clone(), operation)));
        }
        batch.0.extend(added);
        Ok(())
    })
}

/// The operation of a group at `index`, from 0: what it does, and the entity, of a deletion the keys alone. Past the end
/// the kind is 0.
///
/// `*entity` is yours once the call returns NULL; NULL past the end. Any thread. The error is yours to free.
#[unsafe(no_mangle)]
pub extern "C" fn entable_group_at(
    group: Option<&entable_group>,
    index: usize,
    operation: Option<&mut MaybeUninit<entable_operation>>,
    entity: Option<&mut MaybeUninit<Option<Box<entable_entity>>>>,
) -> Option<Box<entable_error>> {
    boundary(|| {
        // Both hold nothing, whichever is missing.
        let (operation_place, entity_place) = (output(operation, "operation"), output(entity, "entity"));
        let (operation_place, entity_place) = (operation_place?, entity_place?);
        let Some(found) = required(group, "group")?.0.get(index) else { return Ok(()) };
        let seen = match found.entity() {
            Some(input) => input.to_entity(None, Mode::Extended)?,
            None => Entity::new(found.partition_key(), found.row_key()),
        };
        *operation_place = found.into();
        *entity_place = Some(Box::new(seen.into()));
        Ok(())
    })
}
