//! A table's handle.

use crate::call::answer;
use crate::convert::{self, PARTITION_KEY, ROW_KEY};
use crate::error::{Converted, Failure};
use crate::options::{Options, update_mode};
use crate::query::PagesHandle;
use crate::transaction;
use entable::{Mode, Table, Written};
use napi::Result;
use napi::bindgen_prelude::{Env, JsValue, Unknown};
use napi_derive::napi;

/// A table, as `lib/table.js` wraps it.
#[napi]
pub struct TableHandle(Table);

impl From<Table> for TableHandle {
    fn from(table: Table) -> TableHandle {
        TableHandle(table)
    }
}

impl TableHandle {
    fn mode(&self) -> Mode {
        self.0.store().mode()
    }

    /// Does one write: `prepare` converts its arguments into a call of the table.
    fn write<'env, C>(
        &self,
        env: &'env Env,
        is_later: bool,
        prepare: impl FnOnce() -> Converted<C>,
    ) -> Result<Unknown<'env>>
    where
        C: FnOnce(&Table) -> entable::Result<Option<Written>> + Send + 'static,
    {
        let table = self.0.clone();
        answer(env, is_later, || prepare().map(|call| move || call(&table)), transaction::written_out)
    }
}

#[napi]
impl TableHandle {
    /// Stores a new entity.
    #[napi(catch_unwind)]
    pub fn create_entity<'env>(&self, env: &'env Env, is_later: bool, entity: Unknown<'env>) -> Result<Unknown<'env>> {
        self.write(env, is_later, || {
            let entity = convert::entity_in(entity, self.mode())?;
            Ok(|table: &Table| table.create_entity(entity).map(Some))
        })
    }

    /// Changes an entity that is there.
    #[napi(catch_unwind)]
    pub fn update_entity<'env>(
        &self,
        env: &'env Env,
        is_later: bool,
        entity: Unknown<'env>,
        mode: Unknown<'env>,
        options: Unknown<'env>,
    ) -> Result<Unknown<'env>> {
        self.write(env, is_later, || {
            let (entity, mode) = (convert::entity_in(entity, self.mode())?, update_mode(mode)?);
            let condition = Options::new(options, "options")?.condition()?;
            Ok(move |table: &Table| table.update_entity_if(entity, mode, condition).map(Some))
        })
    }

    /// Changes an entity, or stores it if it is not there.
    #[napi(catch_unwind)]
    pub fn upsert_entity<'env>(
        &self,
        env: &'env Env,
        is_later: bool,
        entity: Unknown<'env>,
        mode: Unknown<'env>,
        options: Unknown<'env>,
    ) -> Result<Unknown<'env>> {
        self.write(env, is_later, || {
            let (entity, mode) = (convert::entity_in(entity, self.mode())?, update_mode(mode)?);
            let condition = Options::new(options, "options")?.condition()?;
            Ok(move |table: &Table| table.upsert_entity_if(entity, mode, condition).map(Some))
        })
    }

    /// Removes an entity.
    #[napi(catch_unwind)]
    pub fn delete_entity<'env>(
        &self,
        env: &'env Env,
        is_later: bool,
        partition_key: Unknown<'env>,
        row_key: Unknown<'env>,
        options: Unknown<'env>,
    ) -> Result<Unknown<'env>> {
        self.write(env, is_later, || {
            let keys = (convert::key_in(partition_key, PARTITION_KEY)?, convert::key_in(row_key, ROW_KEY)?);
            let condition = Options::new(options, "options")?.condition()?;
            Ok(move |table: &Table| table.delete_entity_if(&keys.0, &keys.1, condition).map(|()| None))
        })
    }

    /// Reads an entity.
    #[napi(catch_unwind)]
    pub fn get_entity<'env>(
        &self,
        env: &'env Env,
        is_later: bool,
        partition_key: Unknown<'env>,
        row_key: Unknown<'env>,
        options: Unknown<'env>,
    ) -> Result<Unknown<'env>> {
        let shown = Options::new(options, "options").and_then(|options| options.shown());
        let (select, shown) = shown.map_err(|failure| failure.into_js(env))?;
        let prepare = || {
            let keys = (convert::key_in(partition_key, PARTITION_KEY)?, convert::key_in(row_key, ROW_KEY)?);
            let table = self.0.clone();
            Ok(move || match select {
                None => table.get_entity(&keys.0, &keys.1),
                Some(select) => table.get_entity_select(&keys.0, &keys.1, select),
            })
        };
        answer(env, is_later, prepare, move |env, entity| Ok(convert::entity_out(env, &entity, shown)?.to_unknown()))
    }

    /// Whether there is an entity with these keys.
    #[napi(catch_unwind)]
    pub fn exists<'env>(
        &self,
        env: &'env Env,
        is_later: bool,
        partition_key: Unknown<'env>,
        row_key: Unknown<'env>,
    ) -> Result<Unknown<'env>> {
        let prepare = || {
            let keys = (convert::key_in(partition_key, PARTITION_KEY)?, convert::key_in(row_key, ROW_KEY)?);
            let table = self.0.clone();
            Ok(move || table.exists(&keys.0, &keys.1))
        };
        answer(env, is_later, prepare, convert::unknown)
    }

    /// Reads the entities with these keys, all at one moment; undefined where there is none.
    #[napi(catch_unwind)]
    pub fn get_many<'env>(
        &self,
        env: &'env Env,
        is_later: bool,
        keys: Unknown<'env>,
        options: Unknown<'env>,
    ) -> Result<Unknown<'env>> {
        let shown = Options::new(options, "options").and_then(|options| options.shown());
        let (_, shown) = shown.map_err(|failure| failure.into_js(env))?;
        let prepare = || {
            let (table, keys) = (self.0.clone(), convert::keys_in(keys)?);
            Ok(move || table.get_many(keys))
        };
        answer(env, is_later, prepare, move |env, entities| convert::entities_out(env, &entities, shown))
    }

    /// Does the actions of an entity group transaction, all or nothing.
    #[napi(catch_unwind)]
    pub fn submit_transaction<'env>(
        &self,
        env: &'env Env,
        is_later: bool,
        actions: Unknown<'env>,
    ) -> Result<Unknown<'env>> {
        let prepare = || {
            let (table, operations) = (self.0.clone(), transaction::operations(actions, self.mode())?);
            Ok(move || transaction::submit(&table, operations))
        };
        answer(env, is_later, prepare, transaction::outcomes_out)
    }

    /// A query, of which nothing has been read yet.
    #[napi(catch_unwind)]
    pub fn query(&self, env: &Env, options: Unknown<'_>, settings: Unknown<'_>) -> Result<PagesHandle> {
        let pages = || {
            let settings = Options::new(settings, "settings")?;
            let (query, shown) = Options::new(options, "options")?.query(&settings, self.mode())?;
            Ok(PagesHandle::new(self.0.query_entities(query)?.by_page(), shown))
        };
        pages().map_err(|failure: Failure| failure.into_js(env))
    }
}
