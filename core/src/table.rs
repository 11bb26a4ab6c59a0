//! A table: the verbs that users call.

mod index_verbs;
mod own;

use crate::batch::{self, DeletionStep};
use crate::catalog::Edit;
use crate::codec::key;
use crate::codec::record::IndexRecord;
use crate::entities::{Entities, Pages, PartitionKeys};
use crate::group::Submitted;
use crate::index::{self, IndexInfo};
use crate::maintain::stats;

use crate::model;
use crate::plan::Asked;
use crate::query::{self, Explain, HandedOut, Page, Prepared, Projection, Query, Reading, StoredEntity, Target};
use crate::snapshot::Snapshot;
use crate::storage::{Begun, Read, ReadTxn, meter};
use crate::store::Store;
use crate::write::{self, Operation, UpdateMode, Written};
use crate::{Condition, ContinuationToken, Entity, Error, ErrorCode, IntoEntity, Result, TableName};
use serde::de::DeserializeOwned;
use std::fmt;
use std::sync::Arc;
use tracing::field::Empty;

/// A handle to a table: what `TableClient` is to the service.
///
/// A name, looked up at every call: after the table has been deleted a call is [`ErrorCode::TableNotFound`], and
/// after one of that name has been made again the call works on the new one.
///
/// Every write is durable when it returns, and every read sees the last write that was committed.
#[derive(Clone)]
pub struct Table {
    store: Store,
    name: TableName,
    /// The moment that reads see, instead of now.
    snapshot: Option<Snapshot>,
}

impl Table {
    pub(crate) fn new(store: Store, name: TableName) -> Table {
        Table { store, name, snapshot: None }
    }

    /// The table's name, as this handle was made with.
    pub fn name(&self) -> &str {
        self.name.as_str()
    }

    pub(crate) fn table_name(&self) -> &TableName {
        &self.name
    }

    /// The store that the table is in.
    pub fn store(&self) -> &Store {
        &self.store
    }

    /// The same table as it was at a snapshot. Reads through this handle see that moment; writes are refused.
    #[must_use]
    pub fn at(&self, snapshot: &Snapshot) -> Table {
        Table { snapshot: Some(snapshot.clone()), ..self.clone() }
    }

    pub(crate) fn check_writable(&self) -> Result<()> {
        match self.snapshot {
            Some(_) => {
                Err(Error::invalid("A snapshot is only read: write through the table's own handle.").table(self.name()))
            }
            None => Ok(()),
        }
    }

    pub(crate) fn is_there(&self) -> Result<bool> {
        self.store.read(|txn| Ok(self.store.views().table(txn, &self.name)?.is_some()))
    }

    /// Makes the table. See [`Store::create_table`].
    ///
    /// # Errors
    /// [`ErrorCode::TableAlreadyExists`].
    pub fn create_table(&self) -> Result<()> {
        self.store.create_table(self.name()).map(|_| ())
    }

    /// Deletes the table with all its entities. See [`Store::delete_table`].
    ///
    /// # Errors
    /// [`ErrorCode::ResourceNotFound`].
    pub fn delete_table(&self) -> Result<()> {
        self.store.delete_table(self.name())
    }

    /// Stores a new entity (*Insert Entity*).
    ///
    /// # Errors
    /// [`ErrorCode::EntityAlreadyExists`] if there is one with its keys; [`ErrorCode::TableNotFound`]; the codes of
    /// S4.7 for what the entity holds, with the property, the limit and the actual value.
    ///
    /// # Example
    /// ```
    /// # use entable::{entity, ErrorCode, Store};
    /// # let store = Store::in_memory()?;
    /// let orders = store.create_table("Orders")?;
    /// orders.create_entity(entity! { "DE", "0001", "Total" => 12.5 })?;
    /// let again = orders.create_entity(entity! { "DE", "0001" }).unwrap_err();
    /// assert_eq!(again.code(), ErrorCode::EntityAlreadyExists);
    /// # Ok::<(), entable::Error>(())
    /// ```
    pub fn create_entity(&self, entity: impl IntoEntity) -> Result<Written> {
        self.write(Operation::create(entity)?)
    }

    /// Changes an entity that is there, whatever its version (*Update Entity*, *Merge Entity*).
    ///
    /// # Errors
    /// [`ErrorCode::ResourceNotFound`] if there is none with its keys; otherwise as [`Table::create_entity`]. Limits
    /// are those of the result: a merge may fail for what was stored before (S4.4.5).
    pub fn update_entity(&self, entity: impl IntoEntity, mode: UpdateMode) -> Result<Written> {
        self.write(Operation::update(entity, mode)?)
    }

    /// Changes an entity that is there, on a condition.
    ///
    /// # Errors
    /// [`ErrorCode::UpdateConditionNotSatisfied`] if it is there in another version (S4.2.2); otherwise as
    /// [`Table::update_entity`].
    ///
    /// # Example
    /// ```
    /// # use entable::{entity, ErrorCode, Store, UpdateMode};
    /// # let store = Store::in_memory()?;
    /// let stock = store.create_table("Stock")?;
    /// let read = stock.create_entity(entity! { "apples", "1", "Left" => 10 })?.etag();
    /// stock.update_entity(entity! { "apples", "1", "Left" => 9 }, UpdateMode::Merge)?; // somebody else
    /// let late = stock.update_entity_if(entity! { "apples", "1", "Left" => 8 }, UpdateMode::Merge, read).unwrap_err();
    /// assert_eq!(late.code(), ErrorCode::UpdateConditionNotSatisfied);
    /// # Ok::<(), entable::Error>(())
    /// ```
    pub fn update_entity_if(
        &self,
        entity: impl IntoEntity,
        mode: UpdateMode,
        condition: impl Into<Condition>,
    ) -> Result<Written> {
        self.write(Operation::update(entity, mode)?.on(condition))
    }

    /// Changes an entity, or stores it if it is not there (*Insert Or Merge Entity*, *Insert Or Replace Entity*).
    ///
    /// # Errors
    /// As [`Table::create_entity`], but for the entity being there.
    pub fn upsert_entity(&self, entity: impl IntoEntity, mode: UpdateMode) -> Result<Written> {
        self.write(Operation::upsert(entity, mode)?)
    }

    /// Changes or stores an entity, on a condition: with [`Condition::Absent`] it must not be there, with
    /// [`Condition::IfMatch`] it must be there in this version. The service has no such upserts.
    ///
    /// # Errors
    /// As [`Table::upsert_entity`], and those of the condition.
    pub fn upsert_entity_if(
        &self,
        entity: impl IntoEntity,
        mode: UpdateMode,
        condition: impl Into<Condition>,
    ) -> Result<Written> {
        self.write(Operation::upsert(entity, mode)?.on(condition))
    }

    /// Removes an entity, whatever its version (*Delete Entity*).
    ///
    /// # Errors
    /// [`ErrorCode::ResourceNotFound`] if there is none with these keys; [`ErrorCode::TableNotFound`].
    pub fn delete_entity(&self, partition_key: &str, row_key: &str) -> Result<()> {
        self.apply(Operation::delete(partition_key, row_key)).map(|_| ())
    }

    /// Removes an entity, on a condition.
    ///
    /// # Errors
    /// As [`Table::delete_entity`], and [`ErrorCode::UpdateConditionNotSatisfied`].
    pub fn delete_entity_if(&self, partition_key: &str, row_key: &str, condition: impl Into<Condition>) -> Result<()> {
        self.apply(Operation::delete(partition_key, row_key).on(condition)).map(|_| ())
    }

    /// Does one operation, alone in its transaction; `None` for a delete.
    ///
    /// # Errors
    /// Those of its verb.
    ///
    /// # Example
    /// ```
    /// # use entable::{entity, Operation, Store};
    /// # let store = Store::in_memory()?;
    /// let orders = store.create_table("Orders")?;
    /// let written = orders.apply(Operation::create(entity! { "DE", "0001" })?)?;
    /// assert_eq!(written.map(|written| written.etag()), orders.get_entity("DE", "0001")?.etag());
    /// # Ok::<(), entable::Error>(())
    /// ```
    pub fn apply(&self, operation: Operation) -> Result<Option<Written>> {
        self.check_writable()?;
        operation.check(self.store.mode()).map_err(|error| error.table(self.name()))?;
        let name = self.name.clone();
        self.store.write(move |edit| write::apply_one(edit, &name, &operation))
    }

    /// One operation, alone, without waiting for the disk: it shares a commit with what is submitted meanwhile.
    /// What can be told without the store is told at once. Operations are done in the order of their submission.
    ///
    /// Waits only while more than a thousand operations are queued, until there is a place. The future can be given
    /// up, see [`Submitted`].
    ///
    /// # Errors
    /// What is wrong with the operation by itself; [`ErrorCode::StoreClosed`]; [`ErrorCode::TransactionOpen`] inside
    /// a transaction of this thread, which the operation would have to wait for. The rest is the future's.
    pub fn submit(&self, operation: Operation) -> Result<Submitted<Option<Written>>> {
        let (submitted, complete, begun) = Submitted::new();
        self.submit_as(operation, complete, Some(begun))?;
        Ok(submitted)
    }

    /// As [`Table::submit`]; `complete` is called with the outcome, on the writer's thread: it must not block, nor
    /// write.
    ///
    /// # Errors
    /// As [`Table::submit`]; `complete` is not called then.
    pub fn submit_then(
        &self,
        operation: Operation,
        complete: impl FnOnce(Result<Option<Written>>) + Send + 'static,
    ) -> Result<()> {
        self.submit_as(operation, complete, None)
    }

    fn submit_as(
        &self,
        operation: Operation,
        complete: impl FnOnce(Result<Option<Written>>) + Send + 'static,
        begun: Option<Arc<Begun>>,
    ) -> Result<()> {
        self.check_writable()?;
        operation.check(self.store.mode()).map_err(|error| error.table(self.name()))?;
        let name = self.name.clone();
        self.store.submit(move |edit| write::apply_one(edit, &name, &operation), complete, begun)
    }

    fn write(&self, operation: Operation) -> Result<Written> {
        self.apply(operation)?.ok_or_else(|| Error::new(ErrorCode::Internal).fact("A write gave no version."))
    }

    /// An entity group transaction: up to 100 operations on entities of one partition, each entity once, all or
    /// nothing (S6). One result for each operation, `None` for deletes. No operations: nothing happens.
    ///
    /// # Errors
    /// The failing operation's own, with its [`index`](crate::Details::index), which the message begins with; or the
    /// group's: [`ErrorCode::CommandsInBatchActOnDifferentPartitions`], [`ErrorCode::InvalidDuplicateRow`],
    /// [`ErrorCode::RequestBodyTooLarge`].
    pub fn submit_transaction(&self, operations: impl IntoIterator<Item = Operation>) -> Result<Vec<Option<Written>>> {
        let operations = self.checked_group(operations)?;
        if operations.is_empty() {
            return Ok(Vec::new());
        }
        let name = self.name.clone();
        self.store.write(move |edit| apply_group(edit, &name, &operations))
    }

    /// [`Table::submit_transaction`] without waiting for the disk, as [`Table::submit`]: the group shares a commit with
    /// what is submitted meanwhile, and fails alone.
    ///
    /// # Errors
    /// As [`Table::submit`]: what is wrong with the operations, or the group, by itself. The rest is the future's.
    pub fn submit_group(
        &self,
        operations: impl IntoIterator<Item = Operation>,
    ) -> Result<Submitted<Vec<Option<Written>>>> {
        let operations = self.checked_group(operations)?;
        let name = self.name.clone();
        let (submitted, complete, begun) = Submitted::new();
        let decide = move |edit: &mut Edit<'_, '_>| apply_group(edit, &name, &operations);
        self.store.submit(decide, complete, Some(begun))?;
        Ok(submitted)
    }

    /// The operations of a group, if nothing is wrong with them by themselves.
    fn checked_group(&self, operations: impl IntoIterator<Item = Operation>) -> Result<Vec<Operation>> {
        let operations: Vec<Operation> = operations.into_iter().collect();
        let mode = self.store.mode();
        self.check_writable()?;
        batch::check_group(&operations, mode)
            .and_then(|()| batch::check_operations(&operations, mode))
            .map_err(|error| error.table(self.name()))?;
        Ok(operations)
    }

    /// The entity with these keys (*Get Entity*).
    ///
    /// # Errors
    /// [`ErrorCode::ResourceNotFound`]; [`ErrorCode::TableNotFound`].
    pub fn get_entity(&self, partition_key: &str, row_key: &str) -> Result<Entity> {
        self.found(partition_key, row_key, self.look_up(partition_key, row_key, None)?)
    }

    /// The entity with these keys, as its row has it: for those who make objects of their own of it.
    ///
    /// # Errors
    /// As [`Table::get_entity`].
    ///
    /// # Example
    /// See [`StoredEntity`].
    pub fn get_stored_entity(&self, partition_key: &str, row_key: &str) -> Result<StoredEntity> {
        self.found(partition_key, row_key, self.look_up(partition_key, row_key, None)?)
    }

    /// These properties of the entity with these keys; keys and Timestamp only if named (S7.7).
    ///
    /// # Errors
    /// As [`Table::get_entity`].
    pub fn get_entity_select<S: AsRef<str>>(
        &self,
        partition_key: &str,
        row_key: &str,
        select: impl IntoIterator<Item = S>,
    ) -> Result<Entity> {
        let names: Vec<String> = select.into_iter().map(|name| name.as_ref().to_owned()).collect();
        let select = Projection::new(&names, self.store.mode().limits())?;
        self.found(partition_key, row_key, self.look_up(partition_key, row_key, select.as_ref())?)
    }

    /// The entity with these keys, as a struct of yours.
    ///
    /// # Errors
    /// As [`Table::get_entity`]; [`ErrorCode::InvalidInput`] if a property is missing or does not fit, with its name.
    ///
    /// # Example
    /// ```
    /// # use entable::Store;
    /// #[derive(serde::Serialize, serde::Deserialize)]
    /// #[serde(rename_all = "PascalCase")]
    /// struct Employee {
    ///     partition_key: String,
    ///     row_key: String,
    ///     age: i32,
    /// }
    /// # let store = Store::in_memory()?;
    /// let employees = store.create_table("Employees")?;
    /// employees.create_entity(&Employee { partition_key: "Sales".into(), row_key: "000123".into(), age: 41 })?;
    /// assert_eq!(employees.get_entity_as::<Employee>("Sales", "000123")?.age, 41);
    /// # Ok::<(), entable::Error>(())
    /// ```
    pub fn get_entity_as<T: DeserializeOwned>(&self, partition_key: &str, row_key: &str) -> Result<T> {
        crate::serde::from_entity(&self.get_entity(partition_key, row_key)?)
    }

    /// Whether there is an entity with these keys.
    ///
    /// # Errors
    /// [`ErrorCode::TableNotFound`].
    pub fn exists(&self, partition_key: &str, row_key: &str) -> Result<bool> {
        self.check_keys(partition_key, row_key)?;
        self.on_table(|target| query::exists(target, partition_key, row_key))
    }

    /// The entities with these keys, in their order, `None` where there is none; all from one moment.
    ///
    /// # Errors
    /// [`ErrorCode::TableNotFound`].
    pub fn get_many<P: AsRef<str>, R: AsRef<str>>(
        &self,
        keys: impl IntoIterator<Item = (P, R)>,
    ) -> Result<Vec<Option<Entity>>> {
        let keys: Vec<(P, R)> = keys.into_iter().collect();
        for (partition_key, row_key) in &keys {
            self.check_keys(partition_key.as_ref(), row_key.as_ref())?;
        }
        self.on_table(|target| {
            keys.iter()
                .map(|(partition_key, row_key)| query::read(target, partition_key.as_ref(), row_key.as_ref(), None))
                .collect()
        })
    }

    fn check_keys(&self, partition_key: &str, row_key: &str) -> Result<()> {
        model::check_keys(partition_key, row_key, self.store.mode().limits())
            .map_err(|error| error.keys(partition_key, row_key).table(self.name()))
    }

    fn look_up<E: HandedOut>(
        &self,
        partition_key: &str,
        row_key: &str,
        select: Option<&Projection>,
    ) -> Result<Option<E>> {
        let timer = meter::timer();
        self.check_keys(partition_key, row_key)?;
        self.on_table(|target| {
            let found = query::read(target, partition_key, row_key, select);
            if let Some(begin) = timer {
                let meter = target.txn.meter();
                meter.reads.record_since(begin);
                meter.note_key(&key::row_key(target.table.id, partition_key, ""));
            }
            found
        })
    }

    fn found<E>(&self, partition_key: &str, row_key: &str, entity: Option<E>) -> Result<E> {
        entity.ok_or_else(|| Error::new(ErrorCode::ResourceNotFound).table(self.name()).keys(partition_key, row_key))
    }

    pub(crate) fn on_table<T>(&self, job: impl FnOnce(&Target<'_, ReadTxn<'_>>) -> Result<T>) -> Result<T> {
        let identity = self.store.identity();
        let job = |txn: &ReadTxn<'_>| {
            let table = query::resolve(self.store.views(), txn, &self.name)?;
            job(&Target { txn, table: &table, identity })
        };
        match &self.snapshot {
            Some(snapshot) => snapshot.read(identity, job),
            None => self.store.read(job),
        }
    }

    /// All entities of the table, in the order of PartitionKey and RowKey.
    ///
    /// # Errors
    /// None yet: those of the table come with the first entity.
    pub fn list_entities(&self) -> Result<Entities> {
        self.query_entities(Query::all())
    }

    /// The entities that a query asks for (*Query Entities*), in the order of PartitionKey and RowKey unless it asks for
    /// another one.
    ///
    /// # Errors
    /// [`ErrorCode::InvalidInput`] for what is wrong in the filter, with its position, and
    /// [`ErrorCode::NotImplemented`] for what the mode's language does not have. Those of the table come with the
    /// first entity.
    ///
    /// # Example
    /// ```
    /// # use entable::{entity, Query, Store};
    /// # let store = Store::in_memory()?;
    /// let orders = store.create_table("Orders")?;
    /// for (key, total) in [("0001", 12.5), ("0002", 8.0), ("0003", 99.0)] {
    ///     orders.create_entity(entity! { "DE", key, "Total" => total })?;
    /// }
    /// let large: Result<Vec<_>, _> = orders.query_entities("PartitionKey eq 'DE' and Total gt 10.0")?.collect();
    /// assert_eq!(large?.len(), 2);
    /// let one = orders.query_entities(Query::filter("Total lt @most").parameter("most", 10.0).select(["RowKey"]))?;
    /// assert_eq!(one.map(|entity| entity.unwrap().row_key().to_owned()).collect::<Vec<_>>(), ["0002"]);
    /// # Ok::<(), entable::Error>(())
    /// ```
    pub fn query_entities(&self, query: impl Into<Query>) -> Result<Entities> {
        Ok(Entities::new(self.pages(query.into())?))
    }

    /// One page of a query, from its beginning or from where its token says.
    ///
    /// # Errors
    /// As [`Table::query_entities`]; [`ErrorCode::TableNotFound`]; [`ErrorCode::InvalidInput`] for a token of another
    /// query, table or store.
    pub fn query_page(&self, query: impl Into<Query>) -> Result<Page> {
        self.pages(query.into())?.next().unwrap_or_else(|| Ok(Page::default()))
    }

    /// Answers a query, and tells how: the way to the rows, and how many were read.
    ///
    /// # Errors
    /// As [`Table::query_page`].
    pub fn explain(&self, query: impl Into<Query>) -> Result<Explain> {
        self.pages(query.into())?.explained()
    }

    /// How many entities a query asks for, exactly; its limit counts, its page size, projection and token do not.
    ///
    /// From one moment of the store.
    ///
    /// # Errors
    /// As [`Table::query_page`].
    ///
    /// # Example
    /// ```
    /// # use entable::{entity, Query, Store};
    /// # let store = Store::in_memory()?;
    /// let orders = store.create_table("Orders")?;
    /// orders.create_entity(entity! { "DE", "0001", "Total" => 12.5 })?;
    /// assert_eq!((orders.count(Query::all())?, orders.count("Total gt 20.0")?), (1, 0));
    /// # Ok::<(), entable::Error>(())
    /// ```
    pub fn count(&self, query: impl Into<Query>) -> Result<u64> {
        let prepared = self.prepare(query.into())?;
        self.on_table(|target| prepared.count(target))
    }

    fn prepare(&self, query: Query) -> Result<Prepared> {
        Prepared::new(query, self.store.mode()).map_err(|error| error.table(self.name()))
    }

    fn pages(&self, query: Query) -> Result<Pages> {
        Ok(Pages::new(self.clone(), self.prepare(query)?))
    }

    /// How a planned query was answered, given what it cost.
    pub(crate) fn explained(&self, query: &Prepared, reading: Reading) -> Result<Explain> {
        self.on_table(|target| query.explain(target, reading))
    }

    /// Deletes the entities that a query asks for, up to its limit. One transaction: all or none. Tells how many.
    ///
    /// # Errors
    /// As [`Table::query_page`].
    ///
    /// # Example
    /// ```
    /// # use entable::{entity, Store};
    /// # let store = Store::in_memory()?;
    /// let log = store.create_table("Log")?;
    /// for day in ["20260101", "20260102", "20260103"] {
    ///     log.create_entity(entity! { "app", day })?;
    /// }
    /// assert_eq!(log.delete_entities("RowKey lt '20260103'")?, 2);
    /// # Ok::<(), entable::Error>(())
    /// ```
    pub fn delete_entities(&self, query: impl Into<Query>) -> Result<u64> {
        let prepared = self.prepare_deletion(query.into())?;
        let name = self.name.clone();
        self.store.write(move |edit| Ok(batch::delete(edit, &name, &prepared, None)?.count))
    }

    fn prepare_deletion(&self, query: Query) -> Result<Prepared> {
        let prepared = self.prepare(query)?;
        self.check_writable()?;
        Ok(prepared)
    }

    /// [`Table::delete_entities`] without waiting for the disk, as [`Table::submit`].
    ///
    /// # Errors
    /// As [`Table::submit`]: what is wrong with the query by itself. The rest is the future's.
    pub fn submit_deletion(&self, query: impl Into<Query>) -> Result<Submitted<u64>> {
        let prepared = self.prepare_deletion(query.into())?;
        let name = self.name.clone();
        let (submitted, complete, begun) = Submitted::new();
        let decide = move |edit: &mut Edit<'_, '_>| Ok(batch::delete(edit, &name, &prepared, None)?.count);
        self.store.submit(decide, complete, Some(begun))?;
        Ok(submitted)
    }

    /// Deletes the entities that a query asks for in steps of at most `chunk`, each a transaction of its own: other
    /// writers get their turn in between, and what was deleted before an error stays deleted. Tells how many.
    ///
    /// Each step goes on behind the last entity of the one before: it ends, however many entities others store meanwhile,
    /// and may leave those that they store in front of it. With [`Query::order_by`] each step takes the first that there
    /// are then, and it ends when a step finds fewer than `chunk`.
    ///
    /// # Errors
    /// As [`Table::delete_entities`]; [`ErrorCode::InvalidInput`] for a chunk of 0.
    pub fn delete_entities_in_chunks(&self, query: impl Into<Query>, chunk: u64) -> Result<u64> {
        let mut next = Some(DeletionStep::new(query, chunk)?);
        let mut count = 0;
        while let Some(step) = next {
            let deleted;
            (deleted, next) = self.store.write(self.deletion_step(step)?)?;
            count += deleted;
        }
        Ok(count)
    }

    /// One step of [`Table::delete_entities_in_chunks`] without waiting for the disk, as [`Table::submit`]: how many it
    /// has deleted, and the step that is to be submitted next, if there is one.
    ///
    /// # Errors
    /// As [`Table::submit`]: what is wrong with the query by itself. The rest is the future's.
    pub fn submit_deletion_step(&self, step: DeletionStep) -> Result<Submitted<(u64, Option<DeletionStep>)>> {
        let decide = self.deletion_step(step)?;
        let (submitted, complete, begun) = Submitted::new();
        self.store.submit(decide, complete, Some(begun))?;
        Ok(submitted)
    }

    fn deletion_step(
        &self,
        step: DeletionStep,
    ) -> Result<impl FnMut(&mut Edit<'_, '_>) -> Result<(u64, Option<DeletionStep>)> + Send + 'static> {
        let prepared = self.prepare_deletion(step.query())?;
        let name = self.name.clone();
        Ok(move |edit: &mut Edit<'_, '_>| {
            let deleted = batch::delete(edit, &name, &prepared, step.after())?;
            Ok((deleted.count, step.behind(deleted)))
        })
    }

    /// The PartitionKeys that the table has, in order, each once: from one partition to the next, without the rows.
    ///
    /// # Errors
    /// Those of the table come with the first key.
    pub fn partition_keys(&self) -> PartitionKeys {
        PartitionKeys::new(self.clone())
    }

    /// The next PartitionKeys after one, from one moment of the store.
    pub(crate) fn partition_keys_after(&self, after: Option<&str>, most: usize) -> Result<Vec<String>> {
        self.on_table(|target| query::partition_keys(target, after, most))
    }

    /// One page of a planned query, from one moment of the store.
    pub(crate) fn page<E: HandedOut>(
        &self,
        query: &Prepared,
        token: Option<&ContinuationToken>,
        most: Option<u64>,
        reading: &mut Reading,
    ) -> Result<Page<E>> {
        let span = tracing::debug_span!(
            target: "entable", "query", path = query.path().name(), rows_read = Empty, rows_returned = Empty
        );
        let _in_span = span.enter();
        let timer = meter::timer();
        let before = (reading.rows_read, reading.rows_returned);
        self.on_table(|target| {
            let page: Page<E> = query.page(target, token, most, reading)?;
            let (rows_read, rows_returned) = (reading.rows_read - before.0, reading.rows_returned - before.1);
            span.record("rows_read", rows_read).record("rows_returned", rows_returned);
            let meter = target.txn.meter();
            meter.count_kind(stats::kind(reading.path.unwrap_or(query.path())));
            if Asked::is_much(rows_read, rows_returned) {
                self.store.asked().note(target.table.id, query.wish(), rows_read, rows_returned);
            }
            if let Some(begin) = timer {
                meter.queries.record_since(begin);
                // Of a query about one partition.
                if let (true, Some(entity)) = (query.is_of_one_partition(), page.entities.first()) {
                    meter.note_key(&key::row_key(target.table.id, entity.partition_key(), ""));
                }
            }
            Ok(page)
        })
    }
}

/// Applies the operations of a group.
fn apply_group(edit: &mut Edit<'_, '_>, name: &TableName, operations: &[Operation]) -> Result<Vec<Option<Written>>> {
    // A group is about one table: that there is none is no operation's fault, and has no index (S6/other).
    edit.table(name)?;
    let operations = operations.iter().map(|operation| (name, operation));
    let foreseen = write::foresee(edit, operations.clone());
    write::apply_all(edit, foreseen, operations)
}

/// What is declared on the target.
pub(crate) fn indexes<T: Read>(target: &Target<'_, T>) -> Vec<IndexInfo> {
    let info = |record: &Arc<IndexRecord>| IndexInfo::new(record, index::is_usable(record));
    target.table.indexes.iter().map(info).collect()
}

impl fmt::Debug for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Table").field("name", &self.name()).finish_non_exhaustive()
    }
}
