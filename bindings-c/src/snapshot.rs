//! Snapshots: one moment of the store.

#![allow(unsafe_code, reason = "C calls these functions by their names")]

use crate::boundary::{boundary, free, output, required};
use crate::error::entable_error;
use crate::store::{entable_store, entable_table_names};
use crate::table::entable_table;
use entable::Snapshot;
use std::mem::MaybeUninit;

/// The store as it was at one moment: what is written later is not seen through it. Read it through
/// `entable_table_at`. While it lives, the space of what is overwritten and deleted meanwhile is not used again: let go
/// of it soon.
///
/// A handle, yours: free it with `entable_snapshot_free`. Tables that read through it keep it alive. Any number of
/// threads may use it; they take turns.
pub struct entable_snapshot(Snapshot);

/// A snapshot of the store as it is now. `*snapshot` is yours once the call returns NULL, else NULL. Any thread.
///
/// Errors: ENTABLE_STORE_CLOSED. The error is yours to free.
#[unsafe(no_mangle)]
pub extern "C" fn entable_store_snapshot(
    store: Option<&entable_store>,
    snapshot: Option<&mut MaybeUninit<Option<Box<entable_snapshot>>>>,
) -> Option<Box<entable_error>> {
    boundary(|| {
        let snapshot = output(snapshot, "snapshot")?;
        *snapshot = Some(Box::new(entable_snapshot(required(store, "store")?.0.snapshot()?)));
        Ok(())
    })
}

/// The same table as it was at a snapshot: reads through the new handle see that moment, writes are refused.
///
/// `*past` is yours once the call returns NULL, else NULL. Any thread. The error is yours to free.
#[unsafe(no_mangle)]
pub extern "C" fn entable_table_at(
    table: Option<&entable_table>,
    snapshot: Option<&entable_snapshot>,
    past: Option<&mut MaybeUninit<Option<Box<entable_table>>>>,
) -> Option<Box<entable_error>> {
    boundary(|| {
        let past = output(past, "past")?;
        *past = Some(Box::new(entable_table(required(table, "table")?.0.at(&required(snapshot, "snapshot")?.0)?)));
        Ok(())
    })
}

/// The names of the tables that there were, as `entable_store_list_tables` gives them.
///
/// `*names` is yours once the call returns NULL, else NULL. Any thread.
///
/// Errors: ENTABLE_STORE_CLOSED after the snapshot has ended. The error is yours to free.
#[unsafe(no_mangle)]
pub extern "C" fn entable_snapshot_list_tables(
    snapshot: Option<&entable_snapshot>,
    names: Option<&mut MaybeUninit<Option<Box<entable_table_names>>>>,
) -> Option<Box<entable_error>> {
    boundary(|| {
        let names = output(names, "names")?;
        *names = Some(Box::new(entable_table_names(required(snapshot, "snapshot")?.0.list_tables()?)));
        Ok(())
    })
}

/// Ends the snapshot, also for tables that read through it: later reads are ENTABLE_STORE_CLOSED. Ending twice does no
/// harm. The handle is still yours to free. Any thread. The error is yours to free.
#[unsafe(no_mangle)]
pub extern "C" fn entable_snapshot_close(snapshot: Option<&entable_snapshot>) -> Option<Box<entable_error>> {
    boundary(|| {
        required(snapshot, "snapshot")?.0.close();
        Ok(())
    })
}

/// Lets go of a snapshot; it ends with its last handle, tables included. NULL is fine. Once.
#[unsafe(no_mangle)]
pub extern "C" fn entable_snapshot_free(snapshot: Option<Box<entable_snapshot>>) {
    free(snapshot);
}
