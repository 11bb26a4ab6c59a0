//! Interactive transactions. They belong to the thread that began them, so that all of this is done at once.

use crate::convert::{self, PARTITION_KEY, ROW_KEY, Shown};
use crate::error::{Converted, Failure};
use crate::index;
use crate::operation;
use crate::options::{Asked, Options};
use crate::packed::entity_in;
use crate::query::{count_out, page_out};
use crate::shape;
use entable::{ContinuationToken, ErrorCode, Mode, Operation, Query, Transaction, TransactionTable};
use napi::Result;
use napi::bindgen_prelude::{Env, Unknown};
use napi_derive::napi;
use std::cell::RefCell;
use std::rc::Rc;

/// The transaction, until it has ended.
struct Slot {
    transaction: RefCell<Option<Transaction>>,
    mode: Mode,
}

impl Slot {
    /// Calls the core. Nothing of JavaScript runs meanwhile.
    fn with<T>(&self, call: impl FnOnce(&Transaction) -> entable::Result<T>) -> Converted<T> {
        match &*self.transaction.borrow() {
            Some(transaction) => Ok(call(transaction)?),
            None => Err(Failure::ended("The transaction has ended.")),
        }
    }
}

/// Answers a call: `job` converts the arguments and calls the core, `finish` converts the result.
fn now<'env, T>(
    env: &'env Env,
    job: impl FnOnce() -> Converted<T>,
    finish: impl FnOnce(&'env Env, T) -> Result<Unknown<'env>>,
) -> Result<Unknown<'env>> {
    finish(env, job().map_err(|failure| failure.into_js(env))?)
}

/// A transaction, as `lib/transaction.js` wraps it.
#[napi]
pub struct TransactionHandle(Rc<Slot>);

impl TransactionHandle {
    pub(crate) fn new(transaction: Transaction, mode: Mode) -> TransactionHandle {
        TransactionHandle(Rc::new(Slot { transaction: RefCell::new(Some(transaction)), mode }))
    }
}

#[napi]
impl TransactionHandle {
    /// Ends the transaction and makes it durable.
    #[napi(catch_unwind)]
    pub fn commit(&self, env: &Env) -> Result<()> {
        let transaction = self.0.transaction.borrow_mut().take();
        let outcome = match transaction {
            Some(transaction) => transaction.commit().map_err(Failure::from),
            None => self.0.with(|_| Ok(())),
        };
        outcome.map_err(|failure| failure.into_js(env))
    }

    /// Ends the transaction with nothing done.
    #[napi(catch_unwind)]
    pub fn rollback(&self) {
        drop(self.0.transaction.borrow_mut().take());
    }

    /// A table in the transaction.
    #[napi(catch_unwind)]
    pub fn table(&self, env: &Env, name: Unknown<'_>) -> Result<TransactionTableHandle> {
        let table = || {
            let name = convert::text_in(name, "tableName")?;
            self.0.with(|transaction| transaction.table(&name).map(drop))?;
            Ok(TransactionTableHandle { slot: Rc::clone(&self.0), name })
        };
        table().map_err(|failure: Failure| failure.into_js(env))
    }

    /// Makes a table; one that is there is left as it is.
    #[napi(catch_unwind)]
    pub fn create_table<'env>(&self, env: &'env Env, name: Unknown<'env>) -> Result<Unknown<'env>> {
        let create = || {
            let name = convert::text_in(name, "tableName")?;
            self.0.with(|transaction| transaction.create_table_if_not_exists(&name).map(drop))
        };
        now(env, create, convert::nothing)
    }

    /// Deletes a table; quiet if there is none.
    #[napi(catch_unwind)]
    pub fn delete_table<'env>(&self, env: &'env Env, name: Unknown<'env>) -> Result<Unknown<'env>> {
        let delete = || {
            let name = convert::text_in(name, "tableName")?;
            self.0.with(|transaction| match transaction.delete_table(&name) {
                Err(error) if error.code() == ErrorCode::ResourceNotFound => Ok(()),
                outcome => outcome,
            })
        };
        now(env, delete, convert::nothing)
    }

    /// The names of the tables.
    #[napi(catch_unwind)]
    pub fn list_tables<'env>(&self, env: &'env Env) -> Result<Unknown<'env>> {
        let list = || self.0.with(|transaction| transaction.list_tables());
        now(env, list, |env, names| convert::list(env, names.iter().map(|name| name.as_str())))
    }
}

/// A table in a transaction, as `lib/transaction.js` wraps it.
#[napi]
pub struct TransactionTableHandle {
    slot: Rc<Slot>,
    name: String,
}

impl TransactionTableHandle {
    fn with<T>(&self, call: impl FnOnce(TransactionTable<'_>) -> entable::Result<T>) -> Converted<T> {
        self.slot.with(|transaction| call(transaction.table(&self.name)?))
    }

    fn write<'env>(&self, env: &'env Env, prepare: impl FnOnce() -> Converted<Operation>) -> Result<Unknown<'env>> {
        let write = || {
            let one = prepare()?;
            self.with(|table| table.apply(&one))
        };
        now(env, write, operation::written_out)
    }

    fn asked(&self, options: Unknown<'_>) -> Converted<Asked> {
        Options::new(options, "options")?.query(&Options::none(), self.slot.mode)
    }
}

#[napi]
impl TransactionTableHandle {
    /// Stores a new entity.
    #[napi(catch_unwind)]
    pub fn create_entity<'env>(&self, env: &'env Env, entity: Unknown<'env>) -> Result<Unknown<'env>> {
        self.write(env, || operation::create(entity, self.slot.mode))
    }

    /// Changes an entity that is there.
    #[napi(catch_unwind)]
    pub fn update_entity<'env>(
        &self,
        env: &'env Env,
        entity: Unknown<'env>,
        mode: Unknown<'env>,
        options: Unknown<'env>,
    ) -> Result<Unknown<'env>> {
        self.write(env, || operation::update(entity, mode, options, self.slot.mode))
    }

    /// Changes an entity, or stores it if it is not there.
    #[napi(catch_unwind)]
    pub fn upsert_entity<'env>(
        &self,
        env: &'env Env,
        entity: Unknown<'env>,
        mode: Unknown<'env>,
        options: Unknown<'env>,
    ) -> Result<Unknown<'env>> {
        self.write(env, || operation::upsert(entity, mode, options, self.slot.mode))
    }

    /// Stores a new entity, or finds the one that is there.
    #[napi(catch_unwind)]
    pub fn create_or_get_entity<'env>(&self, env: &'env Env, entity: Unknown<'env>) -> Result<Unknown<'env>> {
        let write = || {
            let input = entity_in(entity, self.slot.mode)?;
            self.with(|table| table.create_or_get_entity(input))
        };
        now(env, write, operation::created_out)
    }

    /// Gives an entity other keys.
    #[napi(catch_unwind)]
    pub fn move_entity<'env>(
        &self,
        env: &'env Env,
        from: Unknown<'env>,
        to: Unknown<'env>,
        options: Unknown<'env>,
    ) -> Result<Unknown<'env>> {
        self.write(env, || operation::moved(from, to, options, self.slot.mode))
    }

    /// Removes an entity.
    #[napi(catch_unwind)]
    pub fn delete_entity<'env>(
        &self,
        env: &'env Env,
        partition_key: Unknown<'env>,
        row_key: Unknown<'env>,
        options: Unknown<'env>,
    ) -> Result<Unknown<'env>> {
        self.write(env, || operation::delete(partition_key, row_key, options, self.slot.mode))
    }

    /// Does the actions of an entity group transaction, all or nothing; the transaction goes on.
    #[napi(catch_unwind)]
    pub fn submit_transaction<'env>(&self, env: &'env Env, actions: Unknown<'env>) -> Result<Unknown<'env>> {
        let submit = || {
            let operations = operation::operations(env, actions, self.slot.mode)?;
            let row_keys = operation::row_keys(&operations);
            Ok((row_keys, self.with(|table| table.submit_transaction(operations))?))
        };
        now(env, submit, |env, (row_keys, written)| operation::outcomes_out(env, row_keys, written))
    }

    /// Deletes the entities that a query asks for. Tells how many.
    #[napi(catch_unwind)]
    pub fn delete_entities<'env>(&self, env: &'env Env, options: Unknown<'env>) -> Result<Unknown<'env>> {
        let delete = || {
            let Asked { query, .. } = self.asked(options)?;
            self.with(|table| table.delete_entities(query))
        };
        now(env, delete, count_out)
    }

    /// Declares an index, and builds it; `mayExist`: it may be there already.
    #[napi(catch_unwind)]
    pub fn create_index<'env>(
        &self,
        env: &'env Env,
        definition: Unknown<'env>,
        may_exist: bool,
    ) -> Result<Unknown<'env>> {
        let create = || {
            let definition = index::definition_in(definition)?;
            self.with(|table| match may_exist {
                true => table.create_index_if_not_exists(definition),
                false => table.create_index(definition),
            })
        };
        now(env, create, convert::nothing)
    }

    /// Drops an index.
    #[napi(catch_unwind)]
    pub fn drop_index<'env>(&self, env: &'env Env, name: Unknown<'env>) -> Result<Unknown<'env>> {
        let drop = || {
            let name = convert::text_in(name, "name")?;
            self.with(|table| table.drop_index(&name))
        };
        now(env, drop, convert::nothing)
    }

    /// The declared indexes.
    #[napi(catch_unwind)]
    pub fn list_indexes<'env>(&self, env: &'env Env) -> Result<Unknown<'env>> {
        now(env, || self.with(|table| table.list_indexes()), index::indexes_out)
    }

    /// Reads an entity.
    #[napi(catch_unwind)]
    pub fn get_entity<'env>(
        &self,
        env: &'env Env,
        partition_key: Unknown<'env>,
        row_key: Unknown<'env>,
        options: Unknown<'env>,
    ) -> Result<Unknown<'env>> {
        let get = || {
            let (select, shown) = Options::new(options, "options")?.shown()?;
            let keys = (convert::key_in(partition_key, PARTITION_KEY)?, convert::key_in(row_key, ROW_KEY)?);
            let entity = self.with(|table| match select {
                None => table.get_entity(&keys.0, &keys.1),
                Some(select) => table.get_entity_select(&keys.0, &keys.1, select),
            })?;
            Ok((entity, shown))
        };
        now(env, get, |env, (entity, shown)| shape::entity_out(env, &entity, shown))
    }

    /// Whether there is an entity with these keys.
    #[napi(catch_unwind)]
    pub fn exists<'env>(
        &self,
        env: &'env Env,
        partition_key: Unknown<'env>,
        row_key: Unknown<'env>,
    ) -> Result<Unknown<'env>> {
        let exists = || {
            let keys = (convert::key_in(partition_key, PARTITION_KEY)?, convert::key_in(row_key, ROW_KEY)?);
            self.with(|table| table.exists(&keys.0, &keys.1))
        };
        now(env, exists, convert::unknown)
    }

    /// Reads the entities with these keys; undefined where there is none.
    #[napi(catch_unwind)]
    pub fn get_many<'env>(&self, env: &'env Env, keys: Unknown<'env>, options: Unknown<'env>) -> Result<Unknown<'env>> {
        let get = || {
            let (_, shown) = Options::new(options, "options")?.shown()?;
            let keys = convert::keys_in(keys)?;
            Ok((self.with(|table| table.get_many(keys))?, shown))
        };
        now(env, get, |env, (entities, shown)| shape::found_out(env, &entities, shown))
    }

    /// How many entities a query asks for.
    #[napi(catch_unwind)]
    pub fn count<'env>(&self, env: &'env Env, options: Unknown<'env>) -> Result<Unknown<'env>> {
        let count = || {
            let Asked { query, .. } = self.asked(options)?;
            self.with(|table| table.count(query))
        };
        now(env, count, count_out)
    }

    /// A query, of which nothing has been read yet.
    #[napi(catch_unwind)]
    pub fn query(&self, env: &Env, options: Unknown<'_>, settings: Unknown<'_>) -> Result<TransactionPagesHandle> {
        let pages = || {
            let settings = Options::new(settings, "settings")?;
            let Asked { query, limit, shown } = Options::new(options, "options")?.query(&settings, self.slot.mode)?;
            // What is wrong with the query shows now, as outside.
            self.with(|table| table.query_entities(query.clone()).map(drop))?;
            let table = TransactionTableHandle { slot: Rc::clone(&self.slot), name: self.name.clone() };
            Ok(TransactionPagesHandle { table, shown, place: RefCell::new(Some(Place { query, left: limit })) })
        };
        pages().map_err(|failure: Failure| failure.into_js(env))
    }
}

/// The pages of a query in a transaction, as `lib/paging.js` walks them.
#[napi]
pub struct TransactionPagesHandle {
    table: TransactionTableHandle,
    shown: Shown,
    /// Where the next page begins; none after the last.
    place: RefCell<Option<Place>>,
}

struct Place {
    query: Query,
    /// How many entities the query's limit still allows.
    left: Option<u64>,
}

impl Place {
    /// Behind a page of so many entities.
    fn behind(self, entities: usize, token: ContinuationToken) -> Option<Place> {
        let query = self.query.continue_from(token);
        let Some(left) = self.left else { return Some(Place { query, left: None }) };
        let left = left.saturating_sub(u64::try_from(entities).unwrap_or(u64::MAX));
        (left > 0).then(|| Place { query: query.limit(left), left: Some(left) })
    }
}

#[napi]
impl TransactionPagesHandle {
    /// The next page: an array with `continuationToken`; null after the last.
    #[napi(catch_unwind)]
    pub fn next<'env>(&self, env: &'env Env) -> Result<Unknown<'env>> {
        let next = || {
            let Some(place) = self.place.borrow_mut().take() else { return Ok(None) };
            let page = self.table.with(|table| table.query_page(place.query.clone()))?;
            if let Some(token) = &page.continuation_token {
                *self.place.borrow_mut() = place.behind(page.entities.len(), token.clone());
            }
            Ok(Some(page))
        };
        now(env, next, |env, page| page_out(env, page, self.shown))
    }
}
