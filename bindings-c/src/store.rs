//! Stores: opening, closing, and their tables.

#![allow(unsafe_code, reason = "C calls these functions by their names")]

use crate::boundary::{Callback, answer, boundary, free, optional_output, output, required};
use crate::error::{Result, entable_error};
use crate::place::Place;
use crate::query::{entable_query, question};
use crate::table::entable_table;
use crate::text::entable_str;
use entable::{DateTime, Mode, Options, Store, TableName};
use std::ffi::c_void;
use std::mem::{self, MaybeUninit};

/// The path that means a store in memory.
const MEMORY: &str = ":memory:";

/// An open store: one file of tables.
///
/// A handle, yours from the call that made it: free it with `entable_store_free`. Any number of threads may use it at
/// once; tables made from it keep the store open until they are freed too. After a fork the child must open the file
/// itself.
pub struct entable_store(pub(crate) Store);

/// How a store is opened. Yours: free it with `entable_options_free`, at any time after the store is open. One thread
/// at a time.
#[derive(Default)]
pub struct entable_options(Options);

/// The names of tables. Yours: free it with `entable_table_names_free`. It never changes, so any thread may read it.
pub struct entable_table_names(pub(crate) Vec<TableName>);

/// Which limits and which filter language hold.
#[repr(u32)]
#[derive(Clone, Copy)]
pub enum entable_mode {
    /// The service's limits, so that data can move to the cloud; filters compare numbers by value whatever their
    /// types, and the store's own functions are allowed. The default.
    ENTABLE_MODE_PORTABLE = 0,
    /// Whatever the service refuses is refused, in filters too: for testing programs for the cloud.
    ENTABLE_MODE_STRICT = 1,
    /// The service's limits lifted to what the store can do; filters as in portable mode.
    ENTABLE_MODE_EXTENDED = 2,
}

/// What C hands in where an `entable_mode` belongs: any number.
pub(crate) type RawMode = u32;

impl entable_mode {
    pub(crate) fn mode(raw: RawMode) -> Result<Mode> {
        [Mode::Portable, Mode::Strict, Mode::Extended]
            .into_iter()
            .find(|mode| entable_mode::from(*mode) as RawMode == raw)
            .ok_or_else(|| entable_error::misuse("mode", "It is none of enum entable_mode."))
    }
}

impl From<Mode> for entable_mode {
    fn from(mode: Mode) -> Self {
        match mode {
            Mode::Portable => entable_mode::ENTABLE_MODE_PORTABLE,
            Mode::Strict => entable_mode::ENTABLE_MODE_STRICT,
            Mode::Extended => entable_mode::ENTABLE_MODE_EXTENDED,
        }
    }
}

/// The default options: portable mode, reading and writing, a file that is not there is made. NULL only if that fails
/// for a defect. Yours. Any thread.
#[unsafe(no_mangle)]
pub extern "C" fn entable_options_new() -> Option<Box<entable_options>> {
    answer(None, || Some(Some(Box::default())))
}

/// Which limits and which filter language hold: ENTABLE_MODE_PORTABLE unless set. Not stored in the file.
///
/// Errors: ENTABLE_INVALID_INPUT for another number. The error is yours to free.
#[unsafe(no_mangle)]
pub extern "C" fn entable_options_set_mode(
    options: Option<&mut entable_options>,
    mode: RawMode,
) -> Option<Box<entable_error>> {
    boundary(|| {
        let mode = entable_mode::mode(mode)?;
        change(options, |options| options.mode(mode))
    })
}

/// Opens for reading only: every write is ENTABLE_STORE_READ_ONLY, and the file must exist. The error is yours to free.
#[unsafe(no_mangle)]
pub extern "C" fn entable_options_set_read_only(
    options: Option<&mut entable_options>,
    read_only: bool,
) -> Option<Box<entable_error>> {
    boundary(|| change(options, |options| options.read_only(read_only)))
}

/// Refuses with ENTABLE_STORE_NOT_FOUND to make a file that is not there. The error is yours to free.
#[unsafe(no_mangle)]
pub extern "C" fn entable_options_set_must_exist(
    options: Option<&mut entable_options>,
    must_exist: bool,
) -> Option<Box<entable_error>> {
    boundary(|| change(options, |options| options.must_exist(must_exist)))
}

/// Opens for reading only, without a lock file, a file that nobody writes meanwhile: one on a disk or in a folder that
/// forbids writing. It is the caller's word that nobody does; what is written all the same is read as damage. The error
/// is yours to free.
#[unsafe(no_mangle)]
pub extern "C" fn entable_options_set_immutable(
    options: Option<&mut entable_options>,
    immutable: bool,
) -> Option<Box<entable_error>> {
    boundary(|| change(options, |options| options.immutable(immutable)))
}

/// Goes through the whole file before it is opened, as `entable_verify` does, and refuses with ENTABLE_DAMAGED one that
/// is damaged. It takes as long as reading the file. The error is yours to free.
#[unsafe(no_mangle)]
pub extern "C" fn entable_options_set_check(
    options: Option<&mut entable_options>,
    check: bool,
) -> Option<Box<entable_error>> {
    boundary(|| change(options, |options| options.check(check)))
}

/// The bytes that the file may take: a write that would go beyond is ENTABLE_QUOTA_EXCEEDED. Kept in the file, for every
/// process; without this option it stays as it is, and 0 takes it away. At least 1 MiB. A part of it is kept for what makes
/// room: deletes are never refused for it. The error is yours to free.
#[unsafe(no_mangle)]
pub extern "C" fn entable_options_set_max_size(
    options: Option<&mut entable_options>,
    bytes: u64,
) -> Option<Box<entable_error>> {
    boundary(|| change(options, |options| options.max_size(bytes)))
}

/// Takes the time of writes from `clock`, in ticks of 100 ns since 0001-01-01T00:00:00Z: for tests. Timestamps still
/// rise with every write, whatever it says; what is no tick is taken for now.
///
/// `clock` is called with `context` by any thread that writes, also by several at once, as long as a handle of the
/// store is alive. All writers wait for it. It may read; to write, or to submit, is ENTABLE_TRANSACTION_OPEN. It may close
/// the store, which takes effect after the write; it must not free what the call was given. The error is yours to free.
#[unsafe(no_mangle)]
pub extern "C" fn entable_options_set_clock(
    options: Option<&mut entable_options>,
    clock: Option<extern "C-unwind" fn(context: *mut c_void) -> i64>,
    context: *mut c_void,
) -> Option<Box<entable_error>> {
    boundary(|| {
        let clock = Callback::new(required(clock, "clock")?, context);
        change(options, |options| {
            options.clock(move || {
                let ticks = clock.call(|clock, context| clock(context));
                DateTime::from_ticks(ticks).unwrap_or_else(|_| DateTime::now())
            })
        })
    })
}

/// Frees options. NULL is fine. Once.
#[unsafe(no_mangle)]
pub extern "C" fn entable_options_free(options: Option<Box<entable_options>>) {
    free(options);
}

/// Opens the store in the file at `path` (UTF-8), made with the folders above it if it is not there; `":memory:"` is a
/// new store that vanishes with its last handle. `options` may be NULL for the defaults, and is not kept.
///
/// `*store` is yours once the call returns NULL, else NULL. Any thread.
///
/// Errors: ENTABLE_NOT_A_STORE, ENTABLE_NEWER_FORMAT, ENTABLE_DAMAGED, ENTABLE_STORE_NOT_FOUND, ENTABLE_IO; the file is
/// not touched then. The error is yours to free.
#[unsafe(no_mangle)]
pub extern "C" fn entable_store_open(
    path: entable_str,
    options: Option<&entable_options>,
    store: Option<&mut MaybeUninit<Option<Box<entable_store>>>>,
) -> Option<Box<entable_error>> {
    boundary(|| {
        let store = output(store, "store")?;
        let options = options.map_or_else(Options::new, |options| options.0.clone());
        let opened = match path.text("path")? {
            MEMORY => Store::in_memory_with(&options)?,
            path => Store::open_with(path, &options)?,
        };
        *store = Some(Box::new(entable_store(opened)));
        Ok(())
    })
}

/// Ends the store for all its handles, tables and pages: later calls are ENTABLE_STORE_CLOSED. The file is released
/// when the calls that are under way have ended. Closing twice does no harm. The handle is still yours to free.
/// Any thread. The error is yours to free.
#[unsafe(no_mangle)]
pub extern "C" fn entable_store_close(store: Option<&entable_store>) -> Option<Box<entable_error>> {
    boundary(|| {
        required(store, "store")?.0.close();
        Ok(())
    })
}

/// Lets go of the store; the file is closed with the last handle of it, tables included. NULL is fine. Once, and no
/// other thread may be using this handle.
#[unsafe(no_mangle)]
pub extern "C" fn entable_store_free(store: Option<Box<entable_store>>) {
    free(store);
}

/// Returns when everything is durable that was written, or submitted, before the call. A write is durable when its call
/// returns, so this is for those of `entable_table_submit_...`. Any thread.
///
/// Errors: ENTABLE_TRANSACTION_OPEN inside a transaction of this thread, ENTABLE_IO, ENTABLE_STORE_CLOSED. The error is
/// yours to free.
#[unsafe(no_mangle)]
pub extern "C" fn entable_store_sync(store: Option<&entable_store>) -> Option<Box<entable_error>> {
    boundary(|| Ok(required(store, "store")?.0.sync()?))
}

/// The mode that the store was opened in; portable for NULL. Any thread.
#[unsafe(no_mangle)]
pub extern "C" fn entable_store_mode(store: Option<&entable_store>) -> entable_mode {
    answer(entable_mode::ENTABLE_MODE_PORTABLE, || Some(store?.0.mode().into()))
}

/// A handle to the table of this name. Nothing is asked of the store: that there is no such table shows when the
/// handle is used. `*table` is yours once the call returns NULL, else NULL. Any thread.
///
/// Errors: ENTABLE_INVALID_RESOURCE_NAME, ENTABLE_OUT_OF_RANGE_INPUT, ENTABLE_PROPERTIES_NEED_VALUE for what is no
/// name of a table. The error is yours to free.
#[unsafe(no_mangle)]
pub extern "C" fn entable_store_table(
    store: Option<&entable_store>,
    name: entable_str,
    table: Option<&mut MaybeUninit<Option<Box<entable_table>>>>,
) -> Option<Box<entable_error>> {
    boundary(|| {
        let table = output(table, "table")?;
        *table = Some(Box::new(entable_table(Place::Store(required(store, "store")?.0.table(name.text("name")?)?))));
        Ok(())
    })
}

/// Makes a table. Its name is kept as written, and found in any case. Durable when the call returns.
///
/// `table` may be NULL if no handle is wanted; `*table` is yours once the call returns NULL, else NULL. Any thread.
///
/// Errors: as `entable_store_table`, and ENTABLE_TABLE_ALREADY_EXISTS. The error is yours to free.
#[unsafe(no_mangle)]
pub extern "C" fn entable_store_create_table(
    store: Option<&entable_store>,
    name: entable_str,
    table: Option<&mut MaybeUninit<Option<Box<entable_table>>>>,
) -> Option<Box<entable_error>> {
    boundary(|| {
        let place = optional_output(table);
        let table = required(store, "store")?.0.create_table(name.text("name")?)?;
        place.map(|place| place.insert(Box::new(entable_table(Place::Store(table)))));
        Ok(())
    })
}

/// Makes a table if it is not there. As `entable_store_create_table`, but that one that exists is no error.
#[unsafe(no_mangle)]
pub extern "C" fn entable_store_create_table_if_not_exists(
    store: Option<&entable_store>,
    name: entable_str,
    table: Option<&mut MaybeUninit<Option<Box<entable_table>>>>,
) -> Option<Box<entable_error>> {
    boundary(|| {
        let place = optional_output(table);
        let table = required(store, "store")?.0.create_table_if_not_exists(name.text("name")?)?;
        place.map(|place| place.insert(Box::new(entable_table(Place::Store(table)))));
        Ok(())
    })
}

/// Deletes a table with all its entities, at once and durably. Any thread.
///
/// Errors: as `entable_store_table`, and ENTABLE_RESOURCE_NOT_FOUND if there is no such table. The error is yours to
/// free.
#[unsafe(no_mangle)]
pub extern "C" fn entable_store_delete_table(
    store: Option<&entable_store>,
    name: entable_str,
) -> Option<Box<entable_error>> {
    boundary(|| Ok(required(store, "store")?.0.delete_table(name.text("name")?)?))
}

/// The names of all tables as they were created, in the order of their lower-cased names.
///
/// `*names` is yours once the call returns NULL, else NULL. Any thread. The error is yours to free.
#[unsafe(no_mangle)]
pub extern "C" fn entable_store_list_tables(
    store: Option<&entable_store>,
    names: Option<&mut MaybeUninit<Option<Box<entable_table_names>>>>,
) -> Option<Box<entable_error>> {
    boundary(|| {
        let names = output(names, "names")?;
        *names = Some(Box::new(entable_table_names(required(store, "store")?.0.list_tables()?)));
        Ok(())
    })
}

/// The names of the tables that a filter on `TableName` asks for. Of the query's other parts only parameters and the
/// limit count.
///
/// `*names` is yours once the call returns NULL, else NULL. Any thread, but the query is for one at a time.
///
/// Errors: ENTABLE_INVALID_INPUT for what is wrong in the filter, another property included. The error is yours to
/// free.
#[unsafe(no_mangle)]
pub extern "C" fn entable_store_query_tables(
    store: Option<&entable_store>,
    query: Option<&entable_query>,
    names: Option<&mut MaybeUninit<Option<Box<entable_table_names>>>>,
) -> Option<Box<entable_error>> {
    boundary(|| {
        let names = output(names, "names")?;
        let found = required(store, "store")?.0.query_tables(question(query))?;
        *names = Some(Box::new(entable_table_names(found)));
        Ok(())
    })
}

/// How many names there are; 0 for NULL. Any thread.
#[unsafe(no_mangle)]
pub extern "C" fn entable_table_names_count(names: Option<&entable_table_names>) -> usize {
    answer(0, || Some(names?.0.len()))
}

/// The name at `index`, from 0; no text (`data` is NULL) past the end. Good until the names are freed. Any thread.
#[unsafe(no_mangle)]
pub extern "C" fn entable_table_names_at(names: Option<&entable_table_names>, index: usize) -> entable_str {
    answer(entable_str::default(), || Some(names?.0.get(index)?.as_str().into()))
}

/// Frees names of tables. NULL is fine. Once.
#[unsafe(no_mangle)]
pub extern "C" fn entable_table_names_free(names: Option<Box<entable_table_names>>) {
    free(names);
}

fn change(options: Option<&mut entable_options>, how: impl FnOnce(Options) -> Options) -> Result<()> {
    let options = required(options, "options")?;
    options.0 = how(mem::take(&mut options.0));
    Ok(())
}
