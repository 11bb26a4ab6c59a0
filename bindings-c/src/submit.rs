//! Writes that do not wait for the disk: for programs with an event loop.

#![allow(unsafe_code, reason = "C calls these functions by their names")]

use crate::batch::{self, RawUpdateMode, entable_condition, entable_written};
use crate::boundary::{Callback, boundary, required};
use crate::entity::entable_entity;
use crate::error::{Result, entable_error};
use crate::table::entable_table;
use crate::text::entable_str;
use entable::{Operation, Written};
use std::ffi::c_void;
use std::ptr;

/// Is told what became of a submitted write, once, with the context that was given with it.
///
/// `error` is NULL on success, else the callee's to free. `written` is lent until the function returns; it is NULL for a
/// delete, and on an error. It is called on the thread that writes, which all writes wait for: hand the outcome on to the
/// event loop and return.
///
/// It may read, submit, close the store, and free handles, the last one included. A write that waits, a transaction,
/// `entable_store_sync` and `entable_store_compact` are ENTABLE_TRANSACTION_OPEN there.
pub type entable_completion = Option<
    extern "C-unwind" fn(context: *mut c_void, error: Option<Box<entable_error>>, written: *const entable_written),
>;

fn submit(
    table: Option<&entable_table>,
    operation: Result<Operation>,
    completion: entable_completion,
    context: *mut c_void,
) -> Result<()> {
    let completion = Callback::new(required(completion, "completion")?, context);
    let table = required(table, "table")?.0.outside()?;
    let complete = move |outcome: entable::Result<Option<Written>>| {
        let mut place = entable_written::default();
        completion.call(|completion, context| match outcome {
            Ok(Some(written)) => {
                // Never an error: there is a place.
                let _ = entable_written::put(Some(&mut place), &written);
                completion(context, None, &raw const place);
            }
            Ok(None) => completion(context, None, ptr::null()),
            Err(error) => completion(context, Some(error.into()), ptr::null()),
        });
    };
    Ok(table.submit_then(operation?, complete)?)
}

/// Stores a new entity as `entable_table_create_entity` does, without waiting for the disk: it shares a commit with what
/// is submitted meanwhile, in the order of submission. The entity is copied and stays yours. Waits only while more than
/// a thousand operations are queued. Any thread.
///
/// `completion` is called once, with `context`, perhaps before this call returns; both must be good until then, and
/// stand being used on another thread. It is not called if this call returns an error: what is wrong with the operation
/// by itself, ENTABLE_STORE_CLOSED, ENTABLE_TRANSACTION_OPEN inside a transaction of this thread. The error is yours to
/// free.
#[unsafe(no_mangle)]
pub extern "C" fn entable_table_submit_create_entity(
    table: Option<&entable_table>,
    entity: Option<&entable_entity>,
    completion: entable_completion,
    context: *mut c_void,
) -> Option<Box<entable_error>> {
    boundary(|| submit(table, batch::create(entity), completion, context))
}

/// Changes an entity that is there as `entable_table_update_entity` does, without waiting for the disk. Otherwise as
/// `entable_table_submit_create_entity`.
#[unsafe(no_mangle)]
pub extern "C" fn entable_table_submit_update_entity(
    table: Option<&entable_table>,
    entity: Option<&entable_entity>,
    mode: RawUpdateMode,
    condition: entable_condition<'_>,
    completion: entable_completion,
    context: *mut c_void,
) -> Option<Box<entable_error>> {
    boundary(|| submit(table, batch::update(entity, mode, condition), completion, context))
}

/// Changes or stores an entity as `entable_table_upsert_entity` does, without waiting for the disk. Otherwise as
/// `entable_table_submit_create_entity`.
#[unsafe(no_mangle)]
pub extern "C" fn entable_table_submit_upsert_entity(
    table: Option<&entable_table>,
    entity: Option<&entable_entity>,
    mode: RawUpdateMode,
    condition: entable_condition<'_>,
    completion: entable_completion,
    context: *mut c_void,
) -> Option<Box<entable_error>> {
    boundary(|| submit(table, batch::upsert(entity, mode, condition), completion, context))
}

/// Removes an entity as `entable_table_delete_entity` does, without waiting for the disk. Otherwise as
/// `entable_table_submit_create_entity`.
#[unsafe(no_mangle)]
pub extern "C" fn entable_table_submit_delete_entity(
    table: Option<&entable_table>,
    partition_key: entable_str,
    row_key: entable_str,
    condition: entable_condition<'_>,
    completion: entable_completion,
    context: *mut c_void,
) -> Option<Box<entable_error>> {
    boundary(|| submit(table, batch::delete(partition_key, row_key, condition), completion, context))
}
