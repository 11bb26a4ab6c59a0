//! Tables: the verbs on entities.

#![allow(unsafe_code, reason = "C calls these functions by their names")]

use crate::batch::{RawUpdateMode, entable_condition, entable_group, entable_written};
use crate::batch::{entable_update_mode, moved, write_results};
use crate::boundary::{answer, array, boundary, free, optional_output, output, output_array, put, required};
use crate::entity::entable_entity;
use crate::error::{Result, entable_error};
use crate::place::Place;
use crate::query::{entable_entities, entable_page, entable_pages, entable_query, question};
use crate::text::entable_str;
use entable::PartitionKeys;
use std::mem::MaybeUninit;

/// A table: a name in a store, looked up at every call. After the table has been deleted a call is
/// ENTABLE_TABLE_NOT_FOUND, and after one of that name has been made again the call works on the new one.
///
/// A handle, yours from the call that made it: free it with `entable_table_free`. Any number of threads may use it at
/// once. It keeps its store open. Every write is durable when it returns, and every read sees the last write. One of a
/// transaction (`entable_transaction_table`) is for the thread of that alone, whatever its functions say.
pub struct entable_table(pub(crate) Place);

/// The two keys of an entity, borrowed for the call.
#[repr(C)]
#[derive(Clone, Copy, Default)]
pub struct entable_keys {
    /// The PartitionKey.
    pub partition_key: entable_str,
    /// The RowKey.
    pub row_key: entable_str,
}

/// Lets go of a table. NULL is fine. Once, and no other thread may be using this handle.
#[unsafe(no_mangle)]
pub extern "C" fn entable_table_free(table: Option<Box<entable_table>>) {
    free(table);
}

/// The table's name, as the handle was made with; no text (`data` is NULL) for NULL. Good until the handle is freed.
/// Any thread.
#[unsafe(no_mangle)]
pub extern "C" fn entable_table_name(table: Option<&entable_table>) -> entable_str {
    answer(entable_str::default(), || Some(table?.0.name().into()))
}

/// Stores a new entity.
///
/// `written` may be NULL; else it gets the entity's Timestamp and ETag. The entity is copied and stays yours. Any
/// thread, but the entity must not be changed meanwhile.
///
/// Errors: ENTABLE_ENTITY_ALREADY_EXISTS, ENTABLE_TABLE_NOT_FOUND, and what is wrong in the entity, with property,
/// limit and actual value. The error is yours to free.
#[unsafe(no_mangle)]
pub extern "C" fn entable_table_create_entity(
    table: Option<&entable_table>,
    entity: Option<&entable_entity>,
    written: Option<&mut MaybeUninit<entable_written>>,
) -> Option<Box<entable_error>> {
    boundary(|| {
        let place = optional_output(written);
        let entity = required(entity, "entity")?;
        let written = required(table, "table")?.0.create_entity(entity.input()?)?;
        entable_written::put(place, &written)
    })
}

/// Changes an entity that is there, on a condition: `entable_condition_none()` and `entable_condition_any()` ask for
/// any version.
///
/// `written` may be NULL; else it gets the entity's new Timestamp and ETag. The entity is copied and stays yours. Any
/// thread, but the entity must not be changed meanwhile.
///
/// Errors: ENTABLE_RESOURCE_NOT_FOUND if it is not there, ENTABLE_UPDATE_CONDITION_NOT_SATISFIED if it is there in
/// another version, ENTABLE_INVALID_INPUT for another number as mode, and as `entable_table_create_entity`. The error
/// is yours to free.
#[unsafe(no_mangle)]
pub extern "C" fn entable_table_update_entity(
    table: Option<&entable_table>,
    entity: Option<&entable_entity>,
    mode: RawUpdateMode,
    condition: entable_condition<'_>,
    written: Option<&mut MaybeUninit<entable_written>>,
) -> Option<Box<entable_error>> {
    boundary(|| {
        let place = optional_output(written);
        let (entity, mode) = (required(entity, "entity")?, entable_update_mode::mode(mode)?);
        let table = required(table, "table")?;
        let written = table.0.update_entity(entity.input()?, mode, condition.condition()?)?;
        entable_written::put(place, &written)
    })
}

/// Changes an entity, or stores it if it is not there. With `entable_condition_none()` in any case;
/// `entable_condition_absent()` and `entable_condition_if_match(...)` work too, which the service does not have.
///
/// Otherwise as `entable_table_update_entity`; ENTABLE_RESOURCE_NOT_FOUND comes of the condition only.
#[unsafe(no_mangle)]
pub extern "C" fn entable_table_upsert_entity(
    table: Option<&entable_table>,
    entity: Option<&entable_entity>,
    mode: RawUpdateMode,
    condition: entable_condition<'_>,
    written: Option<&mut MaybeUninit<entable_written>>,
) -> Option<Box<entable_error>> {
    boundary(|| {
        let place = optional_output(written);
        let (entity, mode) = (required(entity, "entity")?, entable_update_mode::mode(mode)?);
        let table = required(table, "table")?;
        let written = table.0.upsert_entity(entity.input()?, mode, condition.condition()?)?;
        entable_written::put(place, &written)
    })
}

/// Stores a new entity, or finds the one that is there with its keys, which stays as it is.
///
/// `*found` is the entity as it is stored now, yours once the call returns NULL, else NULL. `is_created` may be NULL; else it gets which of both.
/// The entity is copied and stays yours. Any thread, but the entity must not be changed meanwhile.
///
/// Errors: as `entable_table_create_entity`, but for the entity being there. The error is yours to free.
#[unsafe(no_mangle)]
pub extern "C" fn entable_table_create_or_get_entity(
    table: Option<&entable_table>,
    entity: Option<&entable_entity>,
    found: Option<&mut MaybeUninit<Option<Box<entable_entity>>>>,
    is_created: Option<&mut MaybeUninit<bool>>,
) -> Option<Box<entable_error>> {
    boundary(|| {
        let (place, found) = (optional_output(is_created), output(found, "found")?);
        let input = required(entity, "entity")?.input()?;
        let got = required(table, "table")?.0.create_or_get_entity(input)?;
        *found = Some(Box::new(got.entity.into()));
        if let Some(place) = place {
            *place = got.is_created;
        }
        Ok(())
    })
}

/// Gives an entity other keys, with all that it has, in one transaction; on a condition on the entity as it is before:
/// `entable_condition_none()` and `entable_condition_any()` ask for any version.
///
/// `written` may be NULL; else it gets the entity's new Timestamp and ETag. Any thread.
///
/// Errors: ENTABLE_RESOURCE_NOT_FOUND if there is none with the first keys, ENTABLE_ENTITY_ALREADY_EXISTS if there is one
/// with the new ones, ENTABLE_UPDATE_CONDITION_NOT_SATISFIED. The error is yours to free.
#[unsafe(no_mangle)]
pub extern "C" fn entable_table_move_entity(
    table: Option<&entable_table>,
    partition_key: entable_str,
    row_key: entable_str,
    new_partition_key: entable_str,
    new_row_key: entable_str,
    condition: entable_condition<'_>,
    written: Option<&mut MaybeUninit<entable_written>>,
) -> Option<Box<entable_error>> {
    boundary(|| {
        let place = optional_output(written);
        let table = required(table, "table")?;
        let operation = moved((partition_key, row_key), (new_partition_key, new_row_key), condition)?;
        let written = table.0.apply(operation)?;
        written.map_or(Ok(()), |written| entable_written::put(place, &written))
    })
}

/// Removes an entity, on a condition: `entable_condition_none()` and `entable_condition_any()` ask for any version. Any
/// thread.
///
/// Errors: ENTABLE_RESOURCE_NOT_FOUND if it is not there, ENTABLE_UPDATE_CONDITION_NOT_SATISFIED,
/// ENTABLE_TABLE_NOT_FOUND. The error is yours to free.
#[unsafe(no_mangle)]
pub extern "C" fn entable_table_delete_entity(
    table: Option<&entable_table>,
    partition_key: entable_str,
    row_key: entable_str,
    condition: entable_condition<'_>,
) -> Option<Box<entable_error>> {
    boundary(|| {
        let table = required(table, "table")?;
        let (partition_key, row_key) = (partition_key.text("partition_key")?, row_key.text("row_key")?);
        Ok(table.0.delete_entity(partition_key, row_key, condition.condition()?)?)
    })
}

/// The entity with these keys. `*entity` is yours once the call returns NULL, else NULL. Any thread.
///
/// Errors: ENTABLE_RESOURCE_NOT_FOUND, ENTABLE_TABLE_NOT_FOUND. The error is yours to free.
#[unsafe(no_mangle)]
pub extern "C" fn entable_table_get_entity(
    table: Option<&entable_table>,
    partition_key: entable_str,
    row_key: entable_str,
    entity: Option<&mut MaybeUninit<Option<Box<entable_entity>>>>,
) -> Option<Box<entable_error>> {
    boundary(|| {
        let entity = output(entity, "entity")?;
        let (partition_key, row_key) = (partition_key.text("partition_key")?, row_key.text("row_key")?);
        let found = required(table, "table")?.0.get_entity(partition_key, row_key)?;
        *entity = Some(Box::new(found.into()));
        Ok(())
    })
}

/// These properties of the entity with these keys: `count` names from `names` on; keys and Timestamp only if named. No
/// names, or `*` among them: everything. Otherwise as `entable_table_get_entity`.
#[unsafe(no_mangle)]
pub extern "C" fn entable_table_get_entity_select(
    table: Option<&entable_table>,
    partition_key: entable_str,
    row_key: entable_str,
    names: *const entable_str,
    count: usize,
    entity: Option<&mut MaybeUninit<Option<Box<entable_entity>>>>,
) -> Option<Box<entable_error>> {
    boundary(|| {
        let entity = output(entity, "entity")?;
        let (partition_key, row_key) = (partition_key.text("partition_key")?, row_key.text("row_key")?);
        let names = texts(names, count, "names")?;
        let found = required(table, "table")?.0.get_entity_select(partition_key, row_key, names)?;
        *entity = Some(Box::new(found.into()));
        Ok(())
    })
}

/// Whether there is an entity with these keys. Any thread.
///
/// Errors: ENTABLE_TABLE_NOT_FOUND. The error is yours to free.
#[unsafe(no_mangle)]
pub extern "C" fn entable_table_exists(
    table: Option<&entable_table>,
    partition_key: entable_str,
    row_key: entable_str,
    exists: Option<&mut MaybeUninit<bool>>,
) -> Option<Box<entable_error>> {
    boundary(|| {
        let exists = output(exists, "exists")?;
        let (partition_key, row_key) = (partition_key.text("partition_key")?, row_key.text("row_key")?);
        *exists = required(table, "table")?.0.exists(partition_key, row_key)?;
        Ok(())
    })
}

/// The entities with these keys, `count` of them from `keys` on, all from one moment: into as many places from
/// `entities` on, in the order of the keys, NULL where there is none. Those that are there are yours, each, once the
/// call returns NULL; else all are NULL. Any thread.
///
/// Errors: ENTABLE_TABLE_NOT_FOUND. The error is yours to free.
#[unsafe(no_mangle)]
pub extern "C" fn entable_table_get_many(
    table: Option<&entable_table>,
    keys: *const entable_keys,
    count: usize,
    entities: *mut MaybeUninit<Option<Box<entable_entity>>>,
) -> Option<Box<entable_error>> {
    boundary(|| {
        let places = output_array(entities, count, "entities")?;
        let keys: Vec<(&str, &str)> = array(keys, count, "keys")?
            .iter()
            .map(|keys| Ok((keys.partition_key.text("partition_key")?, keys.row_key.text("row_key")?)))
            .collect::<Result<_>>()?;
        for (place, found) in places.iter_mut().zip(required(table, "table")?.0.get_many(keys)?) {
            *place = found.map(|entity| Box::new(entity.into()));
        }
        Ok(())
    })
}

/// The entities that a query asks for, in the order of PartitionKey and RowKey; NULL as query asks for all. The query
/// is copied and stays yours.
///
/// `*entities` is yours once the call returns NULL, else NULL. Any thread.
///
/// Errors: ENTABLE_INVALID_INPUT and ENTABLE_NOT_IMPLEMENTED for what is wrong in the filter, with its position. Those
/// of the table come with the first entity. The error is yours to free.
#[unsafe(no_mangle)]
pub extern "C" fn entable_table_query_entities(
    table: Option<&entable_table>,
    query: Option<&entable_query>,
    entities: Option<&mut MaybeUninit<Option<Box<entable_entities>>>>,
) -> Option<Box<entable_error>> {
    boundary(|| {
        let entities = output(entities, "entities")?;
        let answer = required(table, "table")?.0.query_pages(question(query))?;
        *entities = Some(Box::new(answer.into()));
        Ok(())
    })
}

/// The same answer page by page: `*pages` is yours once the call returns NULL, else NULL. Otherwise as
/// `entable_table_query_entities`.
#[unsafe(no_mangle)]
pub extern "C" fn entable_table_query_pages(
    table: Option<&entable_table>,
    query: Option<&entable_query>,
    pages: Option<&mut MaybeUninit<Option<Box<entable_pages>>>>,
) -> Option<Box<entable_error>> {
    boundary(|| {
        let pages = output(pages, "pages")?;
        let answer = required(table, "table")?.0.query_pages(question(query))?;
        *pages = Some(Box::new(answer.into()));
        Ok(())
    })
}

/// One page of a query, from its beginning or from where its token says. `*page` is yours once the call returns NULL,
/// else NULL. Any thread.
///
/// Errors: as `entable_table_query_entities`; ENTABLE_TABLE_NOT_FOUND; ENTABLE_INVALID_INPUT for a token of another
/// query, table or store. The error is yours to free.
#[unsafe(no_mangle)]
pub extern "C" fn entable_table_query_page(
    table: Option<&entable_table>,
    query: Option<&entable_query>,
    page: Option<&mut MaybeUninit<Option<Box<entable_page>>>>,
) -> Option<Box<entable_error>> {
    boundary(|| {
        let page = output(page, "page")?;
        *page = Some(Box::new(required(table, "table")?.0.query_page(question(query))?.into()));
        Ok(())
    })
}

/// How many entities a query asks for, exactly, at one moment of the store; its limit counts, its page size, projection
/// and token do not. Any thread.
///
/// Errors: as `entable_table_query_page`. The error is yours to free.
#[unsafe(no_mangle)]
pub extern "C" fn entable_table_count(
    table: Option<&entable_table>,
    query: Option<&entable_query>,
    count: Option<&mut MaybeUninit<u64>>,
) -> Option<Box<entable_error>> {
    boundary(|| {
        let count = output(count, "count")?;
        *count = required(table, "table")?.0.count(question(query))?;
        Ok(())
    })
}

/// Deletes the entities that a query asks for, up to its limit, all or none; NULL as query deletes all. Its page size,
/// projection and token do not count. `count` may be NULL; else it gets how many there were. Durable when the call
/// returns. Any thread.
///
/// Errors: as `entable_table_query_page`. The error is yours to free.
#[unsafe(no_mangle)]
pub extern "C" fn entable_table_delete_entities(
    table: Option<&entable_table>,
    query: Option<&entable_query>,
    count: Option<&mut MaybeUninit<u64>>,
) -> Option<Box<entable_error>> {
    boundary(|| {
        let place = optional_output(count);
        let count = required(table, "table")?.0.delete_entities(question(query))?;
        put(place, count);
        Ok(())
    })
}

/// Deletes the entities that a query asks for in steps of at most `chunk`, each a transaction of its own: other writers
/// get their turn in between, and what was deleted before an error stays deleted. Not in a transaction. Otherwise as
/// `entable_table_delete_entities`.
///
/// Errors: also ENTABLE_INVALID_INPUT for a chunk of 0. The error is yours to free.
#[unsafe(no_mangle)]
pub extern "C" fn entable_table_delete_entities_in_chunks(
    table: Option<&entable_table>,
    query: Option<&entable_query>,
    chunk: u64,
    count: Option<&mut MaybeUninit<u64>>,
) -> Option<Box<entable_error>> {
    boundary(|| {
        let place = optional_output(count);
        let table = required(table, "table")?.0.outside()?;
        let count = table.delete_entities_in_chunks(question(query), chunk)?;
        put(place, count);
        Ok(())
    })
}

/// The PartitionKeys that the table has, in order, each once: from one partition to the next, without the entities.
/// Not in a transaction.
///
/// `*partition_keys` is yours once the call returns NULL, else NULL. Any thread. Those errors that are of the table come
/// with the first key. The error is yours to free.
#[unsafe(no_mangle)]
pub extern "C" fn entable_table_partition_keys(
    table: Option<&entable_table>,
    partition_keys: Option<&mut MaybeUninit<Option<Box<entable_partition_keys>>>>,
) -> Option<Box<entable_error>> {
    boundary(|| {
        let place = output(partition_keys, "partition_keys")?;
        let keys = required(table, "table")?.0.outside()?.partition_keys();
        *place = Some(Box::new(entable_partition_keys { keys, current: None }));
        Ok(())
    })
}

/// The PartitionKeys of a table, in order.
///
/// Yours: free it with `entable_partition_keys_free`, at its end or before. One thread at a time. Nothing of the store is
/// held between calls.
pub struct entable_partition_keys {
    keys: PartitionKeys,
    /// The one that is lent.
    current: Option<String>,
}

/// The next PartitionKey, lent until the next call or until they are freed; no text (`data` is NULL) at the end. After an
/// error there is nothing more.
///
/// Errors: ENTABLE_TABLE_NOT_FOUND, ENTABLE_STORE_CLOSED, ENTABLE_DAMAGED. The error is yours to free.
#[unsafe(no_mangle)]
pub extern "C" fn entable_partition_keys_next(
    partition_keys: Option<&mut entable_partition_keys>,
    partition_key: Option<&mut MaybeUninit<entable_str>>,
) -> Option<Box<entable_error>> {
    boundary(|| {
        let place = output(partition_key, "partition_key")?;
        let partition_keys = required(partition_keys, "partition_keys")?;
        partition_keys.current = partition_keys.keys.next().transpose()?;
        *place = partition_keys.current.as_deref().into();
        Ok(())
    })
}

/// Frees PartitionKeys, and with them the one that is lent. NULL is fine. Once.
#[unsafe(no_mangle)]
pub extern "C" fn entable_partition_keys_free(partition_keys: Option<Box<entable_partition_keys>>) {
    free(partition_keys);
}

/// An entity group transaction: up to 100 operations on entities of one partition, each entity once, all or nothing.
/// No operations: nothing happens. The group is copied and stays yours.
///
/// `written` may be NULL; else it has `count` places, as many as operations, and gets the result of each: all zero for
/// a delete. Any thread, but the group must not be changed meanwhile.
///
/// Errors: the failing operation's own, with its index, which the message begins with; or the group's:
/// ENTABLE_COMMANDS_IN_BATCH_ACT_ON_DIFFERENT_PARTITIONS, ENTABLE_INVALID_DUPLICATE_ROW, ENTABLE_REQUEST_BODY_TOO_LARGE.
/// The error is yours to free.
#[unsafe(no_mangle)]
pub extern "C" fn entable_table_submit_transaction(
    table: Option<&entable_table>,
    group: Option<&entable_group>,
    written: *mut MaybeUninit<entable_written>,
    count: usize,
) -> Option<Box<entable_error>> {
    boundary(|| {
        let operations = &required(group, "group")?.0;
        let places = entable_written::places(written, count, operations.len())?;
        let results = required(table, "table")?.0.submit_transaction(operations.clone())?;
        write_results(places, &results)
    })
}

/// The texts of an array of names.
pub(crate) fn texts<'a>(first: *const entable_str, count: usize, argument: &str) -> Result<Vec<&'a str>> {
    array(first, count, argument)?.iter().map(|text| text.text(argument)).collect()
}
