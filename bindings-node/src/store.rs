//! The store's handle.

use crate::call::answer;
use crate::convert;
use crate::error::{Converted, Failure};
use crate::options::Options;
use crate::table::TableHandle;
use entable::{ErrorCode, Mode, Store};
use napi::Result;
use napi::bindgen_prelude::{Env, JavaScriptClassExt, Unknown};
use napi_derive::napi;

/// A store, as `lib/store.js` wraps it.
#[napi]
pub struct StoreHandle(Store);

#[napi]
impl StoreHandle {
    /// Opens the store at `path`.
    #[napi(catch_unwind)]
    pub fn open<'env>(
        env: &'env Env,
        is_later: bool,
        path: Unknown<'env>,
        options: Unknown<'env>,
    ) -> Result<Unknown<'env>> {
        let prepare = || {
            let (path, options) = (convert::text_in(path, "path")?, open_options(options)?);
            Ok(move || match path.as_str() {
                ":memory:" => Store::in_memory_with(&options),
                _ => Store::open_with(path, &options),
            })
        };
        answer(env, is_later, prepare, |env, store| convert::unknown(env, StoreHandle(store).into_instance(env)?))
    }

    /// Ends the store for all its handles.
    #[napi(catch_unwind)]
    pub fn close<'env>(&self, env: &'env Env, is_later: bool) -> Result<Unknown<'env>> {
        let store = self.0.clone();
        let close = move || {
            store.close();
            Ok(())
        };
        answer(env, is_later, || Ok(close), convert::nothing)
    }

    /// A handle to a table.
    #[napi(catch_unwind)]
    pub fn table(&self, env: &Env, name: Unknown<'_>) -> Result<TableHandle> {
        let table = || Ok(TableHandle::from(self.0.table(&convert::text_in(name, "tableName")?)?));
        table().map_err(|failure: Failure| failure.into_js(env))
    }

    /// Makes a table; one that is there is left as it is, as by the official client.
    #[napi(catch_unwind)]
    pub fn create_table<'env>(&self, env: &'env Env, is_later: bool, name: Unknown<'env>) -> Result<Unknown<'env>> {
        let prepare = || {
            let (store, name) = (self.0.clone(), convert::text_in(name, "tableName")?);
            Ok(move || store.create_table_if_not_exists(&name).map(drop))
        };
        answer(env, is_later, prepare, convert::nothing)
    }

    /// Deletes a table; quiet if there is none, as the official client.
    #[napi(catch_unwind)]
    pub fn delete_table<'env>(&self, env: &'env Env, is_later: bool, name: Unknown<'env>) -> Result<Unknown<'env>> {
        let prepare = || {
            let (store, name) = (self.0.clone(), convert::text_in(name, "tableName")?);
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
            let query = Options::new(options, "options")?.table_query(self.0.mode())?;
            let store = self.0.clone();
            Ok(move || store.query_tables(query))
        };
        answer(env, is_later, prepare, |env, names| convert::list(env, names.iter().map(|name| name.as_str())))
    }
}

fn open_options(options: Unknown<'_>) -> Converted<entable::Options> {
    let options = Options::new(options, "options")?;
    options.only(&["mode", "readOnly", "mustExist"])?;
    let mode = match options.text("mode")?.as_deref() {
        None | Some("portable") => Mode::Portable,
        Some("strict") => Mode::Strict,
        Some("extended") => Mode::Extended,
        Some(_) => {
            let fact = "mode must be \"portable\", \"strict\" or \"extended\".";
            return Err(Failure::wrong_type(fact).of("mode"));
        }
    };
    let (read_only, must_exist) = (options.flag("readOnly")?, options.flag("mustExist")?);
    Ok(entable::Options::new().mode(mode).read_only(read_only).must_exist(must_exist))
}
