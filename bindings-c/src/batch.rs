//! Conditions and results of writes, and lists of writes that are done together or not at all.

#![allow(unsafe_code, reason = "C calls these functions by their names")]

use crate::boundary::{answer, boundary, free, output_array, required};
use crate::entity::entable_entity;
use crate::error::{Result, entable_error};
use crate::query::{entable_query, question};
use crate::store::entable_store;
use crate::table::entable_table;
use crate::text::entable_str;
use entable::{Condition, Operation, Table, UpdateMode, Written};
use std::ffi::c_char;
use std::mem::MaybeUninit;

/// What an update, or an upsert that finds the entity, does to the properties that it does not name. It has to be given:
/// 0 is an error.
#[repr(u32)]
#[derive(Clone, Copy)]
pub enum entable_update_mode {
    /// They stay as they are, but for those of `entable_entity_add` and `entable_entity_erase`.
    ENTABLE_UPDATE_MERGE = 1,
    /// They are removed.
    ENTABLE_UPDATE_REPLACE = 2,
}

/// What C hands in where an `entable_update_mode` belongs: any number.
pub(crate) type RawUpdateMode = u32;

impl entable_update_mode {
    pub(crate) fn mode(raw: RawUpdateMode) -> Result<UpdateMode> {
        const MERGE: u32 = entable_update_mode::ENTABLE_UPDATE_MERGE as u32;
        const REPLACE: u32 = entable_update_mode::ENTABLE_UPDATE_REPLACE as u32;
        match raw {
            MERGE => Ok(UpdateMode::Merge),
            REPLACE => Ok(UpdateMode::Replace),
            _ => Err(entable_error::misuse("mode", "It is none of enum entable_update_mode.")),
        }
    }
}

/// What must hold of the stored entity for a write to be done.
#[repr(u32)]
#[derive(Clone, Copy)]
pub enum entable_condition_kind {
    /// Nothing: an upsert writes in any case; for an update or a delete the same as any.
    ENTABLE_CONDITION_NONE = 0,
    /// The entity must exist, in any version.
    ENTABLE_CONDITION_ANY = 1,
    /// The entity must exist in the version of the ETag.
    ENTABLE_CONDITION_IF_MATCH = 2,
    /// The entity must not exist.
    ENTABLE_CONDITION_ABSENT = 3,
    /// The entity must exist, and be one that the filter of a query takes, as it is stored before the write.
    ENTABLE_CONDITION_MATCHES = 4,
}

/// What C hands in where an `entable_condition_kind` belongs: any number.
pub(crate) type RawConditionKind = u32;

/// A condition of a write, borrowed for the call. All zero is no condition.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct entable_condition<'a> {
    /// Which condition.
    pub kind: RawConditionKind,
    /// The ETag of ENTABLE_CONDITION_IF_MATCH; not looked at otherwise.
    pub etag: entable_str,
    /// The query of ENTABLE_CONDITION_MATCHES, of which the filter counts; not looked at otherwise.
    pub query: Option<&'a entable_query>,
}

impl entable_condition<'_> {
    fn new(kind: entable_condition_kind, etag: entable_str) -> entable_condition<'static> {
        entable_condition { kind: kind as RawConditionKind, etag, query: None }
    }

    pub(crate) fn condition(&self) -> Result<Condition> {
        const NONE: u32 = entable_condition_kind::ENTABLE_CONDITION_NONE as u32;
        const ANY: u32 = entable_condition_kind::ENTABLE_CONDITION_ANY as u32;
        const IF_MATCH: u32 = entable_condition_kind::ENTABLE_CONDITION_IF_MATCH as u32;
        const ABSENT: u32 = entable_condition_kind::ENTABLE_CONDITION_ABSENT as u32;
        const MATCHES: u32 = entable_condition_kind::ENTABLE_CONDITION_MATCHES as u32;
        match self.kind {
            NONE => Ok(Condition::None),
            ANY => Ok(Condition::Any),
            IF_MATCH => Ok(Condition::from_text(self.etag.text("etag")?)?),
            ABSENT => Ok(Condition::Absent),
            MATCHES => Ok(question(Some(required(self.query, "condition")?)).to_filter()?.into()),
            _ => Err(entable_error::misuse("condition", "Its kind is none of enum entable_condition_kind.")),
        }
    }
}

/// No condition: an upsert writes in any case, an update or a delete needs the entity in any version. Any thread.
#[unsafe(no_mangle)]
pub extern "C" fn entable_condition_none() -> entable_condition<'static> {
    entable_condition::new(entable_condition_kind::ENTABLE_CONDITION_NONE, entable_str::default())
}

/// The entity must exist, in any version. Any thread.
#[unsafe(no_mangle)]
pub extern "C" fn entable_condition_any() -> entable_condition<'static> {
    entable_condition::new(entable_condition_kind::ENTABLE_CONDITION_ANY, entable_str::default())
}

/// The entity must exist in this version: the text of an ETag, or `*` for any. It borrows the text. That the text is
/// one of these is checked by the write. Any thread.
#[unsafe(no_mangle)]
pub extern "C" fn entable_condition_if_match(etag: entable_str) -> entable_condition<'static> {
    entable_condition::new(entable_condition_kind::ENTABLE_CONDITION_IF_MATCH, etag)
}

/// The entity must not exist. Any thread.
#[unsafe(no_mangle)]
pub extern "C" fn entable_condition_absent() -> entable_condition<'static> {
    entable_condition::new(entable_condition_kind::ENTABLE_CONDITION_ABSENT, entable_str::default())
}

/// The entity must exist, and be one that the filter of this query takes, as it is stored before the write; else
/// ENTABLE_UPDATE_CONDITION_NOT_SATISFIED with the filter. It borrows the query, whose parameters count, and nothing else. The service
/// has no such condition. Any thread.
#[unsafe(no_mangle)]
pub extern "C" fn entable_condition_matches(query: Option<&entable_query>) -> entable_condition<'_> {
    let kind = entable_condition_kind::ENTABLE_CONDITION_MATCHES as RawConditionKind;
    entable_condition { kind, etag: entable_str::default(), query }
}

/// Bytes of the longest ETag that the store gives, the NUL included.
pub const ENTABLE_ETAG_SIZE: usize = 48;

/// What a write did. All zero for a delete.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct entable_written {
    /// The entity's new Timestamp, in ticks of 100 ns since 0001-01-01T00:00:00Z.
    pub timestamp_ticks: i64,
    /// The entity's new ETag, ending with a NUL: `entable_str_of(written.etag)` for a condition.
    pub etag: [c_char; ENTABLE_ETAG_SIZE],
    /// Whether nothing was written, since a create-or-get has found the entity: then the two are those that it has.
    pub is_found: bool,
}

impl Default for entable_written {
    fn default() -> Self {
        entable_written { timestamp_ticks: 0, etag: [0; ENTABLE_ETAG_SIZE], is_found: false }
    }
}

impl entable_written {
    /// Writes a result to the place that the caller has for it, if he has one.
    pub(crate) fn put(place: Option<&mut entable_written>, written: &Written) -> Result<()> {
        let Some(place) = place else { return Ok(()) };
        place.timestamp_ticks = written.timestamp().ticks();
        place.is_found = written.is_found();
        // The last byte stays NUL.
        let room = place.etag.iter_mut().take(ENTABLE_ETAG_SIZE - 1);
        room.zip(written.etag().to_string().bytes()).for_each(|(place, byte)| *place = byte as c_char);
        Ok(())
    }

    /// The places for the results of so many operations; none if the caller has none.
    pub(crate) fn places<'a>(
        first: *mut MaybeUninit<entable_written>,
        count: usize,
        operations: usize,
    ) -> Result<Option<&'a mut [entable_written]>> {
        if first.is_null() {
            return Ok(None);
        }
        let places = output_array(first, count, "written")?;
        if places.len() < operations {
            return Err(entable_error::misuse("count", &format!("There are {operations} operations.")));
        }
        Ok(Some(places))
    }
}

pub(crate) fn write_results(places: Option<&mut [entable_written]>, results: &[Option<Written>]) -> Result<()> {
    for (place, written) in places.into_iter().flatten().zip(results) {
        if let Some(written) = written {
            entable_written::put(Some(place), written)?;
        }
    }
    Ok(())
}

/// The writes of an entity group transaction, in their order, for `entable_table_submit_transaction`. The error of an operation that cannot be added has the
/// index that it would have had.
///
/// Yours from `entable_group_new`: free it with `entable_group_free`. While one thread changes it, no other
/// may use it.
#[derive(Default)]
pub struct entable_group(pub(crate) Vec<Operation>);

/// A group without operations. NULL only if that fails for a defect. Yours. Any thread.
#[unsafe(no_mangle)]
pub extern "C" fn entable_group_new() -> Option<Box<entable_group>> {
    answer(None, || Some(Some(Box::default())))
}

/// How many operations there are; 0 for NULL.
#[unsafe(no_mangle)]
pub extern "C" fn entable_group_count(group: Option<&entable_group>) -> usize {
    answer(0, || Some(group?.0.len()))
}

/// Adds the creation of an entity, which is copied. The error is yours to free.
#[unsafe(no_mangle)]
pub extern "C" fn entable_group_create_entity(
    group: Option<&mut entable_group>,
    entity: Option<&entable_entity>,
) -> Option<Box<entable_error>> {
    boundary(|| add(group, create(entity)))
}

/// Adds the update of an entity, which is copied. Mode and condition as in `entable_table_update_entity`. The error is
/// yours to free.
#[unsafe(no_mangle)]
pub extern "C" fn entable_group_update_entity(
    group: Option<&mut entable_group>,
    entity: Option<&entable_entity>,
    mode: RawUpdateMode,
    condition: entable_condition<'_>,
) -> Option<Box<entable_error>> {
    boundary(|| add(group, update(entity, mode, condition)))
}

/// Adds the upsert of an entity, which is copied. Mode and condition as in `entable_table_upsert_entity`. The error is
/// yours to free.
#[unsafe(no_mangle)]
pub extern "C" fn entable_group_upsert_entity(
    group: Option<&mut entable_group>,
    entity: Option<&entable_entity>,
    mode: RawUpdateMode,
    condition: entable_condition<'_>,
) -> Option<Box<entable_error>> {
    boundary(|| add(group, upsert(entity, mode, condition)))
}

/// Adds the deletion of an entity. The condition as in `entable_table_delete_entity`. The error is yours to free.
#[unsafe(no_mangle)]
pub extern "C" fn entable_group_delete_entity(
    group: Option<&mut entable_group>,
    partition_key: entable_str,
    row_key: entable_str,
    condition: entable_condition<'_>,
) -> Option<Box<entable_error>> {
    boundary(|| add(group, delete(partition_key, row_key, condition)))
}

/// Adds the creation of an entity, which is copied, or finds the one that is there: `is_found` of its result tells which.
/// The error is yours to free.
#[unsafe(no_mangle)]
pub extern "C" fn entable_group_create_or_get_entity(
    group: Option<&mut entable_group>,
    entity: Option<&entable_entity>,
) -> Option<Box<entable_error>> {
    boundary(|| add(group, create_or_get(entity)))
}

/// Adds the move of an entity to other keys, of the same partition. The condition as in `entable_table_move_entity`. The
/// error is yours to free.
#[unsafe(no_mangle)]
pub extern "C" fn entable_group_move_entity(
    group: Option<&mut entable_group>,
    partition_key: entable_str,
    row_key: entable_str,
    new_partition_key: entable_str,
    new_row_key: entable_str,
    condition: entable_condition<'_>,
) -> Option<Box<entable_error>> {
    boundary(|| add(group, moved((partition_key, row_key), (new_partition_key, new_row_key), condition)))
}

/// Frees a group. NULL is fine. Once.
#[unsafe(no_mangle)]
pub extern "C" fn entable_group_free(group: Option<Box<entable_group>>) {
    free(group);
}

/// The writes of a store-wide transaction, in their order: on any tables and partitions, any number.
///
/// Yours from `entable_batch_new`: free it with `entable_batch_free`. While one thread changes it, no other may use it.
/// It keeps the stores of its tables open.
#[derive(Default)]
pub struct entable_batch(pub(crate) Vec<(Table, Operation)>);

/// A store-wide transaction without operations. NULL only if that fails for a defect. Yours. Any thread.
#[unsafe(no_mangle)]
pub extern "C" fn entable_batch_new() -> Option<Box<entable_batch>> {
    answer(None, || Some(Some(Box::default())))
}

/// How many operations there are; 0 for NULL.
#[unsafe(no_mangle)]
pub extern "C" fn entable_batch_count(batch: Option<&entable_batch>) -> usize {
    answer(0, || Some(batch?.0.len()))
}

/// Adds the creation of an entity, which is copied, in a table. The error is yours to free.
#[unsafe(no_mangle)]
pub extern "C" fn entable_batch_create_entity(
    batch: Option<&mut entable_batch>,
    table: Option<&entable_table>,
    entity: Option<&entable_entity>,
) -> Option<Box<entable_error>> {
    boundary(|| add_in(batch, table, create(entity)))
}

/// Adds the update of an entity, which is copied, in a table. Mode and condition as in `entable_table_update_entity`.
/// The error is yours to free.
#[unsafe(no_mangle)]
pub extern "C" fn entable_batch_update_entity(
    batch: Option<&mut entable_batch>,
    table: Option<&entable_table>,
    entity: Option<&entable_entity>,
    mode: RawUpdateMode,
    condition: entable_condition<'_>,
) -> Option<Box<entable_error>> {
    boundary(|| add_in(batch, table, update(entity, mode, condition)))
}

/// Adds the upsert of an entity, which is copied, in a table. Mode and condition as in `entable_table_upsert_entity`.
/// The error is yours to free.
#[unsafe(no_mangle)]
pub extern "C" fn entable_batch_upsert_entity(
    batch: Option<&mut entable_batch>,
    table: Option<&entable_table>,
    entity: Option<&entable_entity>,
    mode: RawUpdateMode,
    condition: entable_condition<'_>,
) -> Option<Box<entable_error>> {
    boundary(|| add_in(batch, table, upsert(entity, mode, condition)))
}

/// Adds the deletion of an entity in a table. The condition as in `entable_table_delete_entity`. The error is yours to
/// free.
#[unsafe(no_mangle)]
pub extern "C" fn entable_batch_delete_entity(
    batch: Option<&mut entable_batch>,
    table: Option<&entable_table>,
    partition_key: entable_str,
    row_key: entable_str,
    condition: entable_condition<'_>,
) -> Option<Box<entable_error>> {
    boundary(|| add_in(batch, table, delete(partition_key, row_key, condition)))
}

/// Adds the creation of an entity, which is copied, in a table, or finds the one that is there: `is_found` of its result
/// tells which. The error is yours to free.
#[unsafe(no_mangle)]
pub extern "C" fn entable_batch_create_or_get_entity(
    batch: Option<&mut entable_batch>,
    table: Option<&entable_table>,
    entity: Option<&entable_entity>,
) -> Option<Box<entable_error>> {
    boundary(|| add_in(batch, table, create_or_get(entity)))
}

/// Adds the move of an entity to other keys of a table. The condition as in `entable_table_move_entity`. The error is
/// yours to free.
#[unsafe(no_mangle)]
pub extern "C" fn entable_batch_move_entity(
    batch: Option<&mut entable_batch>,
    table: Option<&entable_table>,
    partition_key: entable_str,
    row_key: entable_str,
    new_partition_key: entable_str,
    new_row_key: entable_str,
    condition: entable_condition<'_>,
) -> Option<Box<entable_error>> {
    boundary(|| add_in(batch, table, moved((partition_key, row_key), (new_partition_key, new_row_key), condition)))
}

/// Frees a store-wide transaction. NULL is fine. Once.
#[unsafe(no_mangle)]
pub extern "C" fn entable_batch_free(batch: Option<Box<entable_batch>>) {
    free(batch);
}

/// Does the writes of a store-wide transaction, all or nothing, durable when the call returns. No operations: nothing
/// happens. The batch is copied and stays yours. Its changes are held in memory until it commits, and other writers
/// wait.
///
/// `written` may be NULL; else it has `count` places, as many as operations, and gets the result of each: all zero for
/// a delete. Any thread, but the batch must not be changed meanwhile.
///
/// Errors: the failing operation's own, with its index; ENTABLE_INVALID_INPUT for a table of another store. The error
/// is yours to free.
#[unsafe(no_mangle)]
pub extern "C" fn entable_store_submit_batch(
    store: Option<&entable_store>,
    batch: Option<&entable_batch>,
    written: *mut MaybeUninit<entable_written>,
    count: usize,
) -> Option<Box<entable_error>> {
    boundary(|| {
        let operations = &required(batch, "batch")?.0;
        let places = entable_written::places(written, count, operations.len())?;
        let named = operations.iter().map(|(table, operation)| (table, operation.clone()));
        let results = required(store, "store")?.0.submit_batch(named)?;
        write_results(places, &results)
    })
}

pub(crate) fn create(entity: Option<&entable_entity>) -> Result<Operation> {
    Ok(Operation::create(required(entity, "entity")?.input()?)?)
}

fn create_or_get(entity: Option<&entable_entity>) -> Result<Operation> {
    Ok(Operation::create_or_get(required(entity, "entity")?.input()?)?)
}

/// The keys are named by the arguments of the functions.
pub(crate) fn moved(
    (partition_key, row_key): (entable_str, entable_str),
    (new_partition_key, new_row_key): (entable_str, entable_str),
    condition: entable_condition<'_>,
) -> Result<Operation> {
    let from = (partition_key.text("partition_key")?, row_key.text("row_key")?);
    let to = (new_partition_key.text("new_partition_key")?, new_row_key.text("new_row_key")?);
    Ok(Operation::move_entity(from, to).on(condition.condition()?))
}

pub(crate) fn update(
    entity: Option<&entable_entity>,
    mode: RawUpdateMode,
    condition: entable_condition<'_>,
) -> Result<Operation> {
    let (entity, mode) = (required(entity, "entity")?, entable_update_mode::mode(mode)?);
    Ok(Operation::update(entity.input()?, mode)?.on(condition.condition()?))
}

pub(crate) fn upsert(
    entity: Option<&entable_entity>,
    mode: RawUpdateMode,
    condition: entable_condition<'_>,
) -> Result<Operation> {
    let (entity, mode) = (required(entity, "entity")?, entable_update_mode::mode(mode)?);
    Ok(Operation::upsert(entity.input()?, mode)?.on(condition.condition()?))
}

pub(crate) fn delete(
    partition_key: entable_str,
    row_key: entable_str,
    condition: entable_condition<'_>,
) -> Result<Operation> {
    let (partition_key, row_key) = (partition_key.text("partition_key")?, row_key.text("row_key")?);
    Ok(Operation::delete(partition_key, row_key).on(condition.condition()?))
}

/// Adds an operation; the error of one that cannot be made has the index that it would have had.
fn add(group: Option<&mut entable_group>, operation: Result<Operation>) -> Result<()> {
    let operations = &mut required(group, "group")?.0;
    operations.push(operation.map_err(|error| error.at_index(operations.len()))?);
    Ok(())
}

fn add_in(
    batch: Option<&mut entable_batch>,
    table: Option<&entable_table>,
    operation: Result<Operation>,
) -> Result<()> {
    let operations = &mut required(batch, "batch")?.0;
    let operation = operation.map_err(|error| error.at_index(operations.len()))?;
    operations.push((required(table, "table")?.0.outside()?.clone(), operation));
    Ok(())
}
