//! The store's handle.

use crate::call::answer;
use crate::convert;
use crate::error::{Converted, Failure};
use crate::operation;
use crate::options::Options;
use crate::snapshot::SnapshotHandle;
use crate::table::TableHandle;
use crate::transaction::TransactionHandle;
use crate::write::{GivingUp, NOW, queue};
use entable::{DateTime, ErrorCode, Store};
use napi::Result;
use napi::bindgen_prelude::{ClassInstance, Env, JavaScriptClassExt, Unknown};
use napi_derive::napi;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

/// A store, as `lib/store.js` wraps it.
#[napi]
pub struct StoreHandle {
    store: Store,
    is_in_memory: bool,
}

impl StoreHandle {
    pub(crate) fn store(&self) -> &Store {
        &self.store
    }
}

/// A clock that is set by hand, as `lib/clock.js` wraps it.
#[napi]
pub struct ClockHandle(Arc<AtomicI64>);

#[napi]
impl ClockHandle {
    /// A clock that stands at this instant.
    #[napi(constructor, catch_unwind)]
    pub fn new(env: &Env, now: Unknown<'_>) -> Result<ClockHandle> {
        let clock = ClockHandle(Arc::default());
        clock.set(env, now)?;
        Ok(clock)
    }

    /// Sets the clock.
    #[napi(catch_unwind)]
    pub fn set(&self, env: &Env, now: Unknown<'_>) -> Result<()> {
        let now = convert::instant_in(now, "now").map_err(|failure| failure.into_js(env))?;
        self.0.store(now.ticks(), Ordering::Relaxed);
        Ok(())
    }
}

#[napi]
impl StoreHandle {
    /// Opens the store at `path`.
    #[napi(catch_unwind)]
    pub fn open<'env>(
        env: &'env Env,
        is_later: bool,
        path: Unknown<'env>,
        options: Unknown<'env>,
        clock: Option<ClassInstance<'env, ClockHandle>>,
    ) -> Result<Unknown<'env>> {
        let prepare = || {
            let (path, mut options) = (convert::text_in(path, "path")?, open_options(options)?);
            if let Some(clock) = clock {
                let ticks = Arc::clone(&clock.0);
                // What the clock was set to is an instant.
                let now = move || DateTime::from_ticks(ticks.load(Ordering::Relaxed));
                options = options.clock(move || now().unwrap_or_else(|_| DateTime::now()));
            }
            Ok(move || match path.as_str() {
                ":memory:" => Ok((Store::in_memory_with(&options)?, true)),
                _ => Ok((Store::open_with(path, &options)?, false)),
            })
        };
        answer(env, is_later, prepare, |env, (store, is_in_memory)| {
            convert::unknown(env, StoreHandle { store, is_in_memory }.into_instance(env)?)
        })
    }

    /// Ends the store for all its handles.
    #[napi(catch_unwind)]
    pub fn close<'env>(&self, env: &'env Env, is_later: bool) -> Result<Unknown<'env>> {
        let store = self.store.clone();
        let close = move || {
            store.close();
            Ok(())
        };
        answer(env, is_later, || Ok(close), convert::nothing)
    }

    /// A handle to a table.
    #[napi(catch_unwind)]
    pub fn table(&self, env: &Env, name: Unknown<'_>) -> Result<TableHandle> {
        let table =
            || Ok(TableHandle::new(self.store.table(&convert::text_in(name, "tableName")?)?, self.is_in_memory));
        table().map_err(|failure: Failure| failure.into_js(env))
    }

    /// Makes a table; one that is there is left as it is, as by the official client.
    #[napi(catch_unwind)]
    pub fn create_table<'env>(&self, env: &'env Env, is_later: bool, name: Unknown<'env>) -> Result<Unknown<'env>> {
        let prepare = || {
            let (store, name) = (self.store.clone(), convert::text_in(name, "tableName")?);
            Ok(move || store.create_table_if_not_exists(&name).map(drop))
        };
        answer(env, is_later, prepare, convert::nothing)
    }

    /// Deletes a table; quiet if there is none, as the official client.
    #[napi(catch_unwind)]
    pub fn delete_table<'env>(&self, env: &'env Env, is_later: bool, name: Unknown<'env>) -> Result<Unknown<'env>> {
        let prepare = || {
            let (store, name) = (self.store.clone(), convert::text_in(name, "tableName")?);
            Ok(move || match store.delete_table(&name) {
                Err(error) if error.code() == ErrorCode::ResourceNotFound => Ok(()),
                outcome => outcome,
            })
        };
        answer(env, is_later, prepare, convert::nothing)
    }

    /// The names of the tables.
    #[napi(catch_unwind)]
    pub fn list_tables<'env>(&self, env: &'env Env, is_later: bool, options: Unknown<'env>) -> Result<Unknown<'env>> {
        let prepare = || {
            let query = Options::new(options, "options")?.table_query(self.store.mode())?;
            let store = self.store.clone();
            Ok(move || store.query_tables(query))
        };
        answer(env, is_later, prepare, |env, names| convert::list(env, names.iter().map(|name| name.as_str())))
    }

    /// Does the actions of a store-wide transaction, all or nothing.
    #[napi(catch_unwind)]
    pub fn submit_batch<'env>(
        &self,
        env: &'env Env,
        promise: u32,
        actions: Unknown<'env>,
        giving_up: Option<ClassInstance<'env, GivingUp>>,
    ) -> Result<Unknown<'env>> {
        let actions =
            operation::operations_of_tables(env, actions, &self.store).map_err(|failure| failure.into_js(env))?;
        let store = self.store.clone();
        let row_keys = actions.row_keys();
        if promise != NOW {
            return queue(
                env,
                promise,
                giving_up.as_deref(),
                move || actions.hand(|operations| store.submit_wide(operations)),
                move |env, written| operation::outcomes_out(env, row_keys, written),
            );
        }
        let submit = move || actions.hand(|operations| store.submit_batch(operations));
        answer(env, false, || Ok(submit), move |env, written| operation::outcomes_out(env, row_keys, written))
    }

    /// Begins an interactive transaction of this thread.
    #[napi(catch_unwind)]
    pub fn begin(&self, env: &Env) -> Result<TransactionHandle> {
        match self.store.begin() {
            Ok(transaction) => Ok(TransactionHandle::new(transaction, self.store.mode())),
            Err(error) => Err(Failure::from(error).into_js(env)),
        }
    }

    /// A snapshot of the store as it is now.
    #[napi(catch_unwind)]
    pub fn snapshot<'env>(&self, env: &'env Env, is_later: bool) -> Result<Unknown<'env>> {
        let store = self.store.clone();
        answer(
            env,
            is_later,
            || Ok(move || store.snapshot()),
            |env, snapshot| convert::unknown(env, SnapshotHandle::new(snapshot).into_instance(env)?),
        )
    }

    /// Done when all that was written before is durable.
    #[napi(catch_unwind)]
    pub fn sync<'env>(&self, env: &'env Env, is_later: bool) -> Result<Unknown<'env>> {
        let store = self.store.clone();
        answer(env, is_later, || Ok(move || store.sync()), convert::nothing)
    }
}

fn open_options(options: Unknown<'_>) -> Converted<entable::Options> {
    let options = Options::new(options, "options")?;
    options.only(&["mode", "readOnly", "immutable", "mustExist", "check", "clock", "maxSize"])?;
    let mode = options.mode()?.unwrap_or_default();
    let open = entable::Options::new()
        .mode(mode)
        .read_only(options.flag("readOnly")?)
        .immutable(options.flag("immutable")?)
        .must_exist(options.flag("mustExist")?)
        .check(options.flag("check")?);
    Ok(match options.count("maxSize")? {
        Some(bytes) => open.max_size(bytes),
        None => open,
    })
}
