//! A table's handle.

use crate::call::answer;
use crate::convert::{self, PARTITION_KEY, ROW_KEY};
use crate::deletion::DeletionHandle;
use crate::error::{Converted, Failure};
use crate::index;
use crate::operation;
use crate::options::{Asked, Options};
use crate::packed::entity_in;
use crate::query::{PagesHandle, PartitionKeysHandle, count_out, explain_out};
use crate::shape;
use crate::snapshot::SnapshotHandle;
use crate::write::{GivingUp, NOW, queue};
use entable::{DeletionStep, Mode, Operation, StoredEntity, Table};
use napi::Result;
use napi::bindgen_prelude::{ClassInstance, Env, Unknown};
use napi_derive::napi;

/// Entities of a step of a deletion.
fn chunk(options: Unknown<'_>) -> Converted<u64> {
    Ok(Options::new(options, "options")?.count("chunk")?.unwrap_or_default())
}

/// A table, as `lib/table.js` wraps it.
#[napi]
pub struct TableHandle {
    table: Table,
    /// Reads of one entity need no disk then: to hand them to another thread takes three times as long as they do.
    is_in_memory: bool,
}

impl TableHandle {
    pub(crate) fn new(table: Table, is_in_memory: bool) -> TableHandle {
        TableHandle { table, is_in_memory }
    }

    fn mode(&self) -> Mode {
        self.table.store().mode()
    }

    /// Does one write, now or behind the promise of this number.
    fn write<'env>(
        &self,
        env: &'env Env,
        promise: u32,
        giving_up: Option<ClassInstance<'env, GivingUp>>,
        prepare: impl FnOnce() -> Converted<Operation>,
    ) -> Result<Unknown<'env>> {
        let table = self.table.clone();
        if promise == NOW {
            return answer(env, false, || prepare().map(|one| move || table.apply(one)), operation::written_out);
        }
        let one = prepare().map_err(|failure| failure.into_js(env))?;
        queue(env, promise, giving_up.as_deref(), move || table.submit(one), operation::written_out)
    }

    fn asked(&self, options: Unknown<'_>, giving_up: Option<&GivingUp>) -> Converted<Asked> {
        let mut asked = Options::new(options, "options")?.query(&Options::none(), self.mode())?;
        asked.watch(giving_up);
        Ok(asked)
    }
}

#[napi]
impl TableHandle {
    /// The same table as it was at a snapshot.
    #[napi(catch_unwind)]
    pub fn at(&self, snapshot: ClassInstance<'_, SnapshotHandle>) -> TableHandle {
        TableHandle::new(self.table.at(snapshot.snapshot()), self.is_in_memory)
    }

    /// Stores a new entity.
    #[napi(catch_unwind)]
    pub fn create_entity<'env>(
        &self,
        env: &'env Env,
        promise: u32,
        entity: Unknown<'env>,
        giving_up: Option<ClassInstance<'env, GivingUp>>,
    ) -> Result<Unknown<'env>> {
        self.write(env, promise, giving_up, || operation::create(entity, self.mode()))
    }

    /// Changes an entity that is there.
    #[napi(catch_unwind)]
    pub fn update_entity<'env>(
        &self,
        env: &'env Env,
        promise: u32,
        entity: Unknown<'env>,
        mode: Unknown<'env>,
        options: Unknown<'env>,
        giving_up: Option<ClassInstance<'env, GivingUp>>,
    ) -> Result<Unknown<'env>> {
        self.write(env, promise, giving_up, || operation::update(entity, mode, options, self.mode()))
    }

    /// Changes an entity, or stores it if it is not there.
    #[napi(catch_unwind)]
    pub fn upsert_entity<'env>(
        &self,
        env: &'env Env,
        promise: u32,
        entity: Unknown<'env>,
        mode: Unknown<'env>,
        options: Unknown<'env>,
        giving_up: Option<ClassInstance<'env, GivingUp>>,
    ) -> Result<Unknown<'env>> {
        self.write(env, promise, giving_up, || operation::upsert(entity, mode, options, self.mode()))
    }

    /// Stores a new entity, or finds the one that is there.
    #[napi(catch_unwind)]
    pub fn create_or_get_entity<'env>(
        &self,
        env: &'env Env,
        promise: u32,
        entity: Unknown<'env>,
        giving_up: Option<ClassInstance<'env, GivingUp>>,
    ) -> Result<Unknown<'env>> {
        let table = self.table.clone();
        let input = entity_in(entity, self.mode()).map_err(|failure| failure.into_js(env))?;
        if promise == NOW {
            return answer(env, false, || Ok(move || table.create_or_get_entity(input)), operation::created_out);
        }
        let submit = move || table.submit_create_or_get(input);
        queue(env, promise, giving_up.as_deref(), submit, operation::created_out)
    }

    /// Gives an entity other keys.
    #[napi(catch_unwind)]
    pub fn move_entity<'env>(
        &self,
        env: &'env Env,
        promise: u32,
        from: Unknown<'env>,
        to: Unknown<'env>,
        options: Unknown<'env>,
        giving_up: Option<ClassInstance<'env, GivingUp>>,
    ) -> Result<Unknown<'env>> {
        self.write(env, promise, giving_up, || operation::moved(from, to, options, self.mode()))
    }

    /// Removes an entity.
    #[napi(catch_unwind)]
    pub fn delete_entity<'env>(
        &self,
        env: &'env Env,
        promise: u32,
        partition_key: Unknown<'env>,
        row_key: Unknown<'env>,
        options: Unknown<'env>,
        giving_up: Option<ClassInstance<'env, GivingUp>>,
    ) -> Result<Unknown<'env>> {
        self.write(env, promise, giving_up, || operation::delete(partition_key, row_key, options, self.mode()))
    }

    /// Does the actions of an entity group transaction, all or nothing.
    #[napi(catch_unwind)]
    pub fn submit_transaction<'env>(
        &self,
        env: &'env Env,
        promise: u32,
        actions: Unknown<'env>,
        giving_up: Option<ClassInstance<'env, GivingUp>>,
    ) -> Result<Unknown<'env>> {
        let operations = operation::operations(env, actions, self.mode()).map_err(|failure| failure.into_js(env))?;
        let (table, row_keys) = (self.table.clone(), operation::row_keys(&operations));
        if promise != NOW {
            return queue(
                env,
                promise,
                giving_up.as_deref(),
                move || table.submit_group(operations),
                move |env, written| operation::outcomes_out(env, row_keys, written),
            );
        }
        answer(
            env,
            false,
            || Ok(move || table.submit_transaction(operations)),
            move |env, written| operation::outcomes_out(env, row_keys, written),
        )
    }

    /// Deletes the entities that a query asks for, in one transaction. Tells how many.
    #[napi(catch_unwind)]
    pub fn delete_entities<'env>(
        &self,
        env: &'env Env,
        promise: u32,
        options: Unknown<'env>,
        giving_up: Option<ClassInstance<'env, GivingUp>>,
    ) -> Result<Unknown<'env>> {
        let table = self.table.clone();
        let asked = self.asked(options, giving_up.as_deref()).map_err(|failure| failure.into_js(env))?;
        if promise == NOW {
            return answer(env, false, || Ok(move || table.delete_entities(asked.query)), count_out);
        }
        queue(env, promise, giving_up.as_deref(), move || table.submit_deletion(asked.query), count_out)
    }

    /// Deletes the entities that a query asks for, in steps of so many, and waits for it. Tells how many.
    #[napi(catch_unwind)]
    pub fn delete_in_chunks<'env>(&self, env: &'env Env, options: Unknown<'env>) -> Result<Unknown<'env>> {
        let prepare = || {
            let (table, Asked { query, .. }) = (self.table.clone(), self.asked(options, None)?);
            let chunk = chunk(options)?;
            Ok(move || table.delete_entities_in_chunks(query, chunk))
        };
        answer(env, false, prepare, count_out)
    }

    /// The same, of which nothing has been done yet: step by step.
    #[napi(catch_unwind)]
    pub fn deletion(
        &self,
        env: &Env,
        options: Unknown<'_>,
        giving_up: Option<ClassInstance<'_, GivingUp>>,
    ) -> Result<DeletionHandle> {
        let first = || {
            let Asked { query, .. } = self.asked(options, giving_up.as_deref())?;
            Ok(DeletionHandle::new(self.table.clone(), DeletionStep::new(query, chunk(options)?)?))
        };
        first().map_err(|failure: Failure| failure.into_js(env))
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
            let table = self.table.clone();
            Ok(move || match select {
                None => table.get_stored_entity(&keys.0, &keys.1),
                Some(select) => table.get_entity_select(&keys.0, &keys.1, select).map(StoredEntity::from),
            })
        };
        answer(env, is_later && !self.is_in_memory, prepare, move |env, entity| shape::entity_out(env, &entity, shown))
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
            let table = self.table.clone();
            Ok(move || table.exists(&keys.0, &keys.1))
        };
        answer(env, is_later && !self.is_in_memory, prepare, convert::unknown)
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
            let (table, keys) = (self.table.clone(), convert::keys_in(keys)?);
            Ok(move || table.get_many(keys))
        };
        answer(env, is_later, prepare, move |env, entities| shape::found_out(env, &entities, shown))
    }

    /// A query, of which nothing has been read yet.
    #[napi(catch_unwind)]
    pub fn query(
        &self,
        env: &Env,
        options: Unknown<'_>,
        settings: Unknown<'_>,
        giving_up: Option<ClassInstance<'_, GivingUp>>,
    ) -> Result<PagesHandle> {
        let pages = || {
            let settings = Options::new(settings, "settings")?;
            let mut asked = Options::new(options, "options")?.query(&settings, self.mode())?;
            asked.watch(giving_up.as_deref());
            let Asked { query, shown, .. } = asked;
            Ok(PagesHandle::new(self.table.query_entities(query)?.by_page(), shown))
        };
        pages().map_err(|failure: Failure| failure.into_js(env))
    }

    /// How many entities a query asks for.
    #[napi(catch_unwind)]
    pub fn count<'env>(
        &self,
        env: &'env Env,
        is_later: bool,
        options: Unknown<'env>,
        giving_up: Option<ClassInstance<'env, GivingUp>>,
    ) -> Result<Unknown<'env>> {
        let prepare = || {
            let (table, Asked { query, .. }) = (self.table.clone(), self.asked(options, giving_up.as_deref())?);
            Ok(move || table.count(query))
        };
        answer(env, is_later, prepare, count_out)
    }

    /// Answers a query, and tells how.
    #[napi(catch_unwind)]
    pub fn explain<'env>(
        &self,
        env: &'env Env,
        is_later: bool,
        options: Unknown<'env>,
        giving_up: Option<ClassInstance<'env, GivingUp>>,
    ) -> Result<Unknown<'env>> {
        let prepare = || {
            let (table, Asked { query, .. }) = (self.table.clone(), self.asked(options, giving_up.as_deref())?);
            Ok(move || table.explain(query))
        };
        answer(env, is_later, prepare, explain_out)
    }

    /// The PartitionKeys, of which none has been read yet.
    #[napi(catch_unwind)]
    pub fn partition_keys(&self) -> PartitionKeysHandle {
        PartitionKeysHandle::new(self.table.partition_keys())
    }

    /// Declares an index, and builds it; `mayExist`: it may be there already.
    #[napi(catch_unwind)]
    pub fn create_index<'env>(
        &self,
        env: &'env Env,
        is_later: bool,
        definition: Unknown<'env>,
        may_exist: bool,
    ) -> Result<Unknown<'env>> {
        let prepare = || {
            let (table, definition) = (self.table.clone(), index::definition_in(definition)?);
            Ok(move || match may_exist {
                true => table.create_index_if_not_exists(definition),
                false => table.create_index(definition),
            })
        };
        answer(env, is_later, prepare, convert::nothing)
    }

    /// Drops an index.
    #[napi(catch_unwind)]
    pub fn drop_index<'env>(&self, env: &'env Env, is_later: bool, name: Unknown<'env>) -> Result<Unknown<'env>> {
        let prepare = || {
            let (table, name) = (self.table.clone(), convert::text_in(name, "name")?);
            Ok(move || table.drop_index(&name))
        };
        answer(env, is_later, prepare, convert::nothing)
    }

    /// The declared indexes.
    #[napi(catch_unwind)]
    pub fn list_indexes<'env>(&self, env: &'env Env, is_later: bool) -> Result<Unknown<'env>> {
        let table = self.table.clone();
        answer(env, is_later, || Ok(move || table.list_indexes()), index::indexes_out)
    }

    /// What each index holds, and how often it was used.
    #[napi(catch_unwind)]
    pub fn index_stats<'env>(&self, env: &'env Env, is_later: bool) -> Result<Unknown<'env>> {
        let table = self.table.clone();
        answer(env, is_later, || Ok(move || table.index_stats()), index::stats_out)
    }

    /// What would make writes or queries cheaper.
    #[napi(catch_unwind)]
    pub fn advise<'env>(&self, env: &'env Env, is_later: bool) -> Result<Unknown<'env>> {
        let table = self.table.clone();
        answer(env, is_later, || Ok(move || table.advise()), index::advice_out)
    }
}
