//! Interactive transactions: reads and writes of one thread, done together or not at all.

use crate::batch::{self, CreatedOrFound};
use crate::catalog::{self, Built, Declared, Edit, Parts};
use crate::entities::Walk;
use crate::index::{Index, IndexInfo};
use crate::maintain::{build, sweep};
use crate::model;
use crate::query::{self, Page, Prepared, Projection, Query, Reading, Target};
use crate::storage::{Live, OpenTxn, WriteTxn};
use crate::store::Store;
use crate::table;
use crate::write::{self, Operation, UpdateMode, Written};
use crate::{Condition, ContinuationToken, Entity, Error, ErrorCode, IntoEntity, Result, TableName};
use serde::de::DeserializeOwned;
use std::cell::RefCell;
use std::fmt;
use std::marker::PhantomData;
use std::sync::Arc;

/// A transaction that a program is in the middle of: it reads what it has written itself, nobody else sees it, and
/// other writers wait until it ends. Reads outside of it go on.
///
/// [`Store::transaction`] is the form to prefer; this handle is for programs that cannot put their work into a
/// closure. Dropped without [`commit`](Transaction::commit), it has changed nothing. It stays on the thread that
/// began it. That thread cannot write through the store meanwhile: such a call, another transaction included, is
/// [`ErrorCode::TransactionOpen`].
///
/// An operation that fails changes nothing, and the transaction may go on. Only where the store itself fails in the
/// middle of an operation (a full disk or map) can the transaction do nothing more: every later call, the commit
/// included, is that error.
///
/// Timestamps are given in the order of the writes, and of commits. Size is bounded by what the disk has room for;
/// what is over some hundred MiB leaves memory before the commit.
///
/// # Example
/// ```
/// use entable::{entity, Store, UpdateMode};
/// let store = Store::in_memory()?;
/// let stock = store.create_table("Stock")?;
/// stock.create_entity(entity! { "apples", "1", "Left" => 10 })?;
/// let transaction = store.begin()?;
/// let inside = transaction.table("Stock")?;
/// inside.update_entity(entity! { "apples", "1", "Left" => 9 }, UpdateMode::Merge)?;
/// assert_eq!(inside.get_entity("apples", "1")?["Left"], 9);
/// assert_eq!(stock.get_entity("apples", "1")?["Left"], 10); // outside
/// transaction.commit()?;
/// assert_eq!(stock.get_entity("apples", "1")?["Left"], 9);
/// # Ok::<(), entable::Error>(())
/// ```
pub struct Transaction {
    state: RefCell<State>,
    store: Store,
    live: Arc<Live>,
    /// LMDB ties it to its thread.
    _not_send: PhantomData<*const ()>,
}

struct State {
    txn: OpenTxn,
    parts: Parts,
    /// Whether a table or an index was dropped, which is to be freed.
    has_dropped: bool,
    /// Why nothing more can be done.
    failed: Option<Error>,
}

impl Store {
    /// Runs `work` in a transaction: all that it writes is committed, durable when this returns, if it gives `Ok`,
    /// and nothing of it if it gives an error or panics. Waits for other writers before it begins; they wait then.
    ///
    /// # Errors
    /// That of `work`; [`ErrorCode::TransactionOpen`] inside a transaction of this thread; [`ErrorCode::StoreFull`]
    /// with nothing written; [`ErrorCode::OutcomeUnknown`]; [`ErrorCode::StoreClosed`], [`ErrorCode::StoreReadOnly`].
    ///
    /// # Example
    /// ```
    /// use entable::{entity, Error, ErrorCode, Store, UpdateMode};
    /// let store = Store::in_memory()?;
    /// let accounts = store.create_table("Accounts")?;
    /// accounts.create_entity(entity! { "giro", "a", "Cents" => 500 })?;
    /// accounts.create_entity(entity! { "giro", "b", "Cents" => 0 })?;
    /// let pay = |cents: i32| {
    ///     store.transaction(|transaction| {
    ///         let accounts = transaction.table("Accounts")?;
    ///         for (account, change) in [("b", cents), ("a", -cents)] {
    ///             let left = accounts.get_entity("giro", account)?["Cents"].as_i64().unwrap_or(0) as i32 + change;
    ///             if left < 0 {
    ///                 return Err(Error::new(ErrorCode::InvalidInput)); // nothing of it is done
    ///             }
    ///             accounts.update_entity(entity! { "giro", account, "Cents" => left }, UpdateMode::Merge)?;
    ///         }
    ///         Ok(())
    ///     })
    /// };
    /// pay(300)?;
    /// assert!(pay(300).is_err());
    /// assert_eq!(accounts.get_entity("giro", "b")?["Cents"], 300);
    /// # Ok::<(), entable::Error>(())
    /// ```
    pub fn transaction<T>(&self, work: impl FnOnce(&Transaction) -> Result<T>) -> Result<T> {
        let transaction = self.begin()?;
        let outcome = work(&transaction)?;
        transaction.commit()?;
        Ok(outcome)
    }

    /// Begins a transaction that ends with [`Transaction::commit`], or comes to nothing. Waits for other writers.
    ///
    /// # Errors
    /// As [`Store::transaction`].
    pub fn begin(&self) -> Result<Transaction> {
        let live = self.live_for_writing()?;
        let txn = OpenTxn::begin(&live)?;
        // Closed while it waited for the turn: whoever closed it does not wait for this.
        if self.is_closed() {
            return Err(Error::new(ErrorCode::StoreClosed));
        }
        let state = State { txn, parts: Parts::default(), has_dropped: false, failed: None };
        Ok(Transaction { state: RefCell::new(state), store: self.clone(), live, _not_send: PhantomData })
    }
}

impl Transaction {
    /// The table of this name in the transaction. Nothing is asked of the store yet.
    ///
    /// # Errors
    /// As [`TableName::new`].
    pub fn table(&self, name: &str) -> Result<TransactionTable<'_>> {
        Ok(TransactionTable { transaction: self, name: TableName::new(name)? })
    }

    /// Makes a table. See [`Store::create_table`].
    ///
    /// # Errors
    /// As [`TableName::new`]; [`ErrorCode::TableAlreadyExists`].
    pub fn create_table(&self, name: &str) -> Result<TransactionTable<'_>> {
        let table = self.table(name)?;
        match self.write(|edit| edit.create_table(&table.name))? {
            true => Ok(table),
            false => Err(Error::new(ErrorCode::TableAlreadyExists).table(name)),
        }
    }

    /// Makes a table that may be there.
    ///
    /// # Errors
    /// As [`TableName::new`].
    pub fn create_table_if_not_exists(&self, name: &str) -> Result<TransactionTable<'_>> {
        let table = self.table(name)?;
        self.write(|edit| edit.create_table(&table.name))?;
        Ok(table)
    }

    /// Deletes a table with all its entities. See [`Store::delete_table`].
    ///
    /// # Errors
    /// As [`TableName::new`]; [`ErrorCode::ResourceNotFound`] if there is no such table (S5.3).
    pub fn delete_table(&self, name: &str) -> Result<()> {
        let name = TableName::new(name)?;
        if !self.write(|edit| edit.drop_table(&name))? {
            return Err(Error::new(ErrorCode::ResourceNotFound).table(name.as_str()));
        }
        self.note_drop()
    }

    /// What was dropped is to be freed after the commit.
    fn note_drop(&self) -> Result<()> {
        self.state.try_borrow_mut().map_err(|_| busy())?.has_dropped = true;
        Ok(())
    }

    /// The names of all tables, as [`Store::list_tables`] gives them.
    ///
    /// # Errors
    /// [`ErrorCode::Damaged`].
    pub fn list_tables(&self) -> Result<Vec<TableName>> {
        self.read(|txn, _| catalog::table_names(txn))
    }

    /// Operations on any tables: all of them are done, or none, and the transaction goes on.
    ///
    /// # Errors
    /// The operation's own, with its index.
    pub(crate) fn apply_all(&self, operations: &[(TableName, Operation)]) -> Result<()> {
        for (index, (table, operation)) in operations.iter().enumerate() {
            let named = |error: Error| error.table(table.as_str()).index(index);
            operation.check(self.store.mode()).map_err(named)?;
        }
        let operations = operations.iter().map(|(table, operation)| (table, operation));
        self.write(|edit| {
            let foreseen = write::foresee(edit, operations.clone());
            write::apply_all(edit, foreseen, operations).map(drop)
        })
    }

    /// Ends the transaction and makes it durable.
    ///
    /// # Errors
    /// As [`Store::transaction`].
    pub fn commit(self) -> Result<()> {
        let Transaction { state, store, live, .. } = self;
        let State { txn, parts, has_dropped, failed } = state.into_inner();
        check_open(&store, failed.as_ref())?;
        txn.commit()?;
        store.committed(parts.into_changed());
        if has_dropped {
            sweep::start(Arc::downgrade(&live));
        }
        Ok(())
    }

    /// Ends the transaction with nothing done, as dropping it does.
    pub fn rollback(self) {
        drop(self);
    }

    /// One operation, by itself done or not.
    fn write<T>(&self, decide: impl FnOnce(&mut Edit<'_, '_>) -> Result<T>) -> Result<T> {
        let mut state = self.state.try_borrow_mut().map_err(|_| busy())?;
        check_open(&self.store, state.failed.as_ref())?;
        let State { txn, parts, failed, .. } = &mut *state;
        let mut edit = self.edit(txn.txn()?, parts)?;
        let outcome = decide(&mut edit)?;
        let decided = edit.decide()?;
        // Until it is put, whole: a panic in between leaves the transaction unfit.
        *failed = Some(Error::new(ErrorCode::Internal).fact("An operation of the transaction panicked."));
        match decided.put(txn.txn_mut()?) {
            Ok(part) => {
                parts.add(part);
                *failed = None;
                Ok(outcome)
            }
            Err(error) => {
                *failed = Some(error.duplicate());
                Err(error)
            }
        }
    }

    fn read<T>(&self, job: impl FnOnce(&WriteTxn<'_>, &Parts) -> Result<T>) -> Result<T> {
        let state = self.state.try_borrow().map_err(|_| busy())?;
        check_open(&self.store, state.failed.as_ref())?;
        job(state.txn.txn()?, &state.parts)
    }

    fn edit<'t, 'e>(&'t self, txn: &'t WriteTxn<'e>, parts: &Parts) -> Result<Edit<'t, 'e>> {
        Edit::next_part(txn, self.store.views(), self.store.mode(), self.store.now(), parts)
    }
}

fn check_open(store: &Store, failed: Option<&Error>) -> Result<()> {
    if let Some(error) = failed {
        return Err(error.duplicate());
    }
    if store.is_closed_by_this_thread() {
        return Err(Error::new(ErrorCode::StoreClosed).fact("It was closed inside the transaction."));
    }
    Ok(())
}

/// The clock of the store, say, has called the transaction that asked it for the time.
fn busy() -> Error {
    Error::new(ErrorCode::TransactionOpen).fact("An operation of the transaction is under way.")
}

impl fmt::Debug for Transaction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Transaction").field("store", &self.store).finish_non_exhaustive()
    }
}

/// A table in a transaction, with the verbs of [`Table`](crate::Table): reads see what the transaction has written.
///
/// Each call fails or succeeds by itself, as outside; it is durable with the transaction.
#[derive(Clone)]
pub struct TransactionTable<'t> {
    transaction: &'t Transaction,
    name: TableName,
}

impl<'t> TransactionTable<'t> {
    /// The table's name, as this handle was made with.
    pub fn name(&self) -> &str {
        self.name.as_str()
    }

    /// See [`Table::create_entity`](crate::Table::create_entity).
    ///
    /// # Errors
    /// The same.
    pub fn create_entity(&self, entity: impl IntoEntity) -> Result<Written> {
        self.written(Operation::create(entity)?)
    }

    /// See [`Table::update_entity`](crate::Table::update_entity).
    ///
    /// # Errors
    /// The same.
    pub fn update_entity(&self, entity: impl IntoEntity, mode: UpdateMode) -> Result<Written> {
        self.written(Operation::update(entity, mode)?)
    }

    /// See [`Table::update_entity_if`](crate::Table::update_entity_if).
    ///
    /// # Errors
    /// The same.
    pub fn update_entity_if(
        &self,
        entity: impl IntoEntity,
        mode: UpdateMode,
        condition: impl Into<Condition>,
    ) -> Result<Written> {
        self.written(Operation::update(entity, mode)?.on(condition))
    }

    /// See [`Table::upsert_entity`](crate::Table::upsert_entity).
    ///
    /// # Errors
    /// The same.
    pub fn upsert_entity(&self, entity: impl IntoEntity, mode: UpdateMode) -> Result<Written> {
        self.written(Operation::upsert(entity, mode)?)
    }

    /// See [`Table::upsert_entity_if`](crate::Table::upsert_entity_if).
    ///
    /// # Errors
    /// The same.
    pub fn upsert_entity_if(
        &self,
        entity: impl IntoEntity,
        mode: UpdateMode,
        condition: impl Into<Condition>,
    ) -> Result<Written> {
        self.written(Operation::upsert(entity, mode)?.on(condition))
    }

    /// See [`Table::delete_entity`](crate::Table::delete_entity).
    ///
    /// # Errors
    /// The same.
    pub fn delete_entity(&self, partition_key: &str, row_key: &str) -> Result<()> {
        self.apply(&Operation::delete(partition_key, row_key)).map(|_| ())
    }

    /// See [`Table::delete_entity_if`](crate::Table::delete_entity_if).
    ///
    /// # Errors
    /// The same.
    pub fn delete_entity_if(&self, partition_key: &str, row_key: &str, condition: impl Into<Condition>) -> Result<()> {
        self.apply(&Operation::delete(partition_key, row_key).on(condition)).map(|_| ())
    }

    /// See [`Table::create_or_get_entity`](crate::Table::create_or_get_entity).
    ///
    /// # Errors
    /// The same.
    pub fn create_or_get_entity(&self, entity: impl IntoEntity) -> Result<CreatedOrFound> {
        let operation = Operation::create_or_get(entity)?;
        operation.check(self.transaction.store.mode()).map_err(|error| error.table(self.name()))?;
        self.transaction.write(|edit| batch::create_or_get(edit, &self.name, &operation))
    }

    /// See [`Table::move_entity`](crate::Table::move_entity).
    ///
    /// # Errors
    /// The same.
    pub fn move_entity(&self, from: (&str, &str), to: (&str, &str)) -> Result<Written> {
        self.written(Operation::move_entity(from, to))
    }

    /// See [`Table::move_entity_if`](crate::Table::move_entity_if).
    ///
    /// # Errors
    /// The same.
    pub fn move_entity_if(
        &self,
        from: (&str, &str),
        to: (&str, &str),
        condition: impl Into<Condition>,
    ) -> Result<Written> {
        self.written(Operation::move_entity(from, to).on(condition))
    }

    /// Does one operation; `None` for a delete.
    ///
    /// # Errors
    /// Those of its verb.
    pub fn apply(&self, operation: &Operation) -> Result<Option<Written>> {
        operation.check(self.transaction.store.mode()).map_err(|error| error.table(self.name()))?;
        self.transaction.write(|edit| write::apply_one(edit, &self.name, operation))
    }

    fn written(&self, operation: Operation) -> Result<Written> {
        self.apply(&operation)?.ok_or_else(|| Error::new(ErrorCode::Internal).fact("A write gave no version."))
    }

    /// An entity group transaction: of these operations all are done, or none, and the transaction goes on. See
    /// [`Table::submit_transaction`](crate::Table::submit_transaction).
    ///
    /// # Errors
    /// The same.
    pub fn submit_transaction(&self, operations: impl IntoIterator<Item = Operation>) -> Result<Vec<Option<Written>>> {
        let operations: Vec<Operation> = operations.into_iter().collect();
        let mode = self.transaction.store.mode();
        batch::check_group(&operations, mode)
            .and_then(|()| batch::check_operations(&operations, mode))
            .map_err(|error| error.table(self.name()))?;
        if operations.is_empty() {
            return Ok(Vec::new());
        }
        self.transaction.write(|edit| {
            edit.table(&self.name)?;
            let operations = operations.iter().map(|operation| (&self.name, operation));
            let foreseen = write::foresee(edit, operations.clone());
            write::apply_all(edit, foreseen, operations)
        })
    }

    /// See [`Table::delete_entities`](crate::Table::delete_entities).
    ///
    /// # Errors
    /// The same.
    pub fn delete_entities(&self, query: impl Into<Query>) -> Result<u64> {
        let query = self.prepare(query.into())?;
        self.transaction.write(|edit| Ok(batch::delete(edit, &self.name, &query, None)?.count))
    }

    /// See [`Table::create_index`](crate::Table::create_index): it is built in the transaction.
    ///
    /// # Errors
    /// The same. What was refused is not there.
    pub fn create_index(&self, index: Index) -> Result<()> {
        self.declare(index, false)
    }

    /// See [`Table::create_index_if_not_exists`](crate::Table::create_index_if_not_exists).
    ///
    /// # Errors
    /// The same.
    pub fn create_index_if_not_exists(&self, index: Index) -> Result<()> {
        self.declare(index, true)
    }

    fn declare(&self, index: Index, may_exist: bool) -> Result<()> {
        let refused = |error: Error| error.index_name(index.name()).table(self.name());
        index.check(self.transaction.store.mode().limits()).map_err(refused)?;
        let declared = self.transaction.write(|edit| match edit.create_index(&self.name, &index)? {
            Declared::Known(_) if !may_exist => Err(refused(Error::new(ErrorCode::IndexAlreadyExists))),
            declared => Ok(declared),
        })?;
        let (Declared::New(id) | Declared::Known(id)) = declared;
        loop {
            match self.transaction.write(|edit| build::step(edit, &self.name, id)) {
                Ok(Built::Partly) => {}
                Ok(Built::Wholly) => return Ok(()),
                Ok(Built::Refused(error)) => {
                    self.transaction.note_drop()?;
                    return Err(error);
                }
                Err(error) => {
                    // Where this fails, the transaction can do nothing more, and comes to nothing.
                    if let Ok(true) = self.transaction.write(|edit| edit.give_up_index(&self.name, id)) {
                        self.transaction.note_drop()?;
                    }
                    return Err(refused(error));
                }
            }
        }
    }

    /// See [`Table::drop_index`](crate::Table::drop_index).
    ///
    /// # Errors
    /// The same.
    pub fn drop_index(&self, name: &str) -> Result<()> {
        if self.transaction.write(|edit| edit.drop_index(&self.name, name))? {
            return self.transaction.note_drop();
        }
        Err(Error::new(ErrorCode::IndexNotFound).index_name(name).table(self.name()))
    }

    /// See [`Table::list_indexes`](crate::Table::list_indexes).
    ///
    /// # Errors
    /// The same.
    pub fn list_indexes(&self) -> Result<Vec<IndexInfo>> {
        self.on_table(|target| Ok(table::indexes(target)))
    }

    /// See [`Table::get_entity`](crate::Table::get_entity).
    ///
    /// # Errors
    /// The same.
    pub fn get_entity(&self, partition_key: &str, row_key: &str) -> Result<Entity> {
        self.found(partition_key, row_key, None)
    }

    /// See [`Table::get_entity_select`](crate::Table::get_entity_select).
    ///
    /// # Errors
    /// The same.
    pub fn get_entity_select<S: AsRef<str>>(
        &self,
        partition_key: &str,
        row_key: &str,
        select: impl IntoIterator<Item = S>,
    ) -> Result<Entity> {
        let names: Vec<String> = select.into_iter().map(|name| name.as_ref().to_owned()).collect();
        let select = Projection::new(&names, self.transaction.store.mode().limits())?;
        self.found(partition_key, row_key, select.as_ref())
    }

    /// See [`Table::get_entity_as`](crate::Table::get_entity_as).
    ///
    /// # Errors
    /// The same.
    pub fn get_entity_as<T: DeserializeOwned>(&self, partition_key: &str, row_key: &str) -> Result<T> {
        crate::serde::from_entity(&self.get_entity(partition_key, row_key)?)
    }

    /// See [`Table::exists`](crate::Table::exists).
    ///
    /// # Errors
    /// The same.
    pub fn exists(&self, partition_key: &str, row_key: &str) -> Result<bool> {
        self.check_keys(partition_key, row_key)?;
        self.on_table(|target| query::exists(target, partition_key, row_key))
    }

    /// See [`Table::get_many`](crate::Table::get_many).
    ///
    /// # Errors
    /// The same.
    pub fn get_many<P: AsRef<str>, R: AsRef<str>>(
        &self,
        keys: impl IntoIterator<Item = (P, R)>,
    ) -> Result<Vec<Option<Entity>>> {
        let keys: Vec<(P, R)> = keys.into_iter().collect();
        for (partition_key, row_key) in &keys {
            self.check_keys(partition_key.as_ref(), row_key.as_ref())?;
        }
        let read = |target: &Target<'_, WriteTxn<'_>>, (partition_key, row_key): &(P, R)| {
            query::read(target, partition_key.as_ref(), row_key.as_ref(), None)
        };
        self.on_table(|target| keys.iter().map(|keys| read(target, keys)).collect())
    }

    /// The entities that a query asks for, in the order of PartitionKey and RowKey. Read page by page: what the
    /// transaction writes meanwhile is seen by later pages.
    ///
    /// # Errors
    /// As [`Table::query_entities`](crate::Table::query_entities).
    pub fn query_entities(&self, query: impl Into<Query>) -> Result<TransactionEntities<'t>> {
        let walk = Walk::new(self.prepare(query.into())?);
        Ok(TransactionEntities { table: self.clone(), walk, page: Vec::new().into_iter() })
    }

    /// The same answer page by page, in a value that does not borrow the transaction: for programs that keep it beside
    /// the transaction, as bindings to other languages do.
    ///
    /// # Errors
    /// As [`Table::query_entities`](crate::Table::query_entities).
    ///
    /// # Example
    /// ```
    /// # let store = entable::Store::in_memory()?;
    /// # let orders = store.create_table("Orders")?;
    /// # orders.create_entity(entable::entity! { "DE", "0001" })?;
    /// let transaction = store.begin()?;
    /// let inside = transaction.table("Orders")?;
    /// let mut pages = inside.pages("PartitionKey eq 'DE'")?;
    /// while let Some(page) = pages.next_page(&inside)? {
    ///     println!("{} entities", page.entities.len());
    /// }
    /// # Ok::<(), entable::Error>(())
    /// ```
    pub fn pages(&self, query: impl Into<Query>) -> Result<TransactionPages> {
        Ok(TransactionPages(Walk::new(self.prepare(query.into())?)))
    }

    /// All entities of the table, as [`TransactionTable::query_entities`] gives them.
    ///
    /// # Errors
    /// None yet: those of the table come with the first entity.
    pub fn list_entities(&self) -> Result<TransactionEntities<'t>> {
        self.query_entities(Query::all())
    }

    /// See [`Table::query_page`](crate::Table::query_page). The token goes on inside the transaction, and after it.
    ///
    /// # Errors
    /// The same.
    pub fn query_page(&self, query: impl Into<Query>) -> Result<Page> {
        let mut walk = Walk::new(self.prepare(query.into())?);
        Ok(self.next_page(&mut walk)?.unwrap_or_default())
    }

    /// See [`Table::count`](crate::Table::count).
    ///
    /// # Errors
    /// The same.
    pub fn count(&self, query: impl Into<Query>) -> Result<u64> {
        let query = self.prepare(query.into())?;
        self.on_table(|target| query.count(target))
    }

    /// Does something with the table, by itself done or not; an error names it.
    pub(crate) fn write<T>(&self, decide: impl FnOnce(&mut Edit<'_, '_>, &TableName) -> Result<T>) -> Result<T> {
        let outcome = self.transaction.write(|edit| decide(edit, &self.name));
        outcome.map_err(|error| error.table(self.name()))
    }

    /// What was dropped is to be freed after the commit.
    pub(crate) fn note_drop(&self) -> Result<()> {
        self.transaction.note_drop()
    }

    fn prepare(&self, query: Query) -> Result<Prepared> {
        Prepared::new(query, self.transaction.store.mode()).map_err(|error| error.table(self.name()))
    }

    fn next_page(&self, walk: &mut Walk) -> Result<Option<Page>> {
        let page = |query: &Prepared, token: Option<&ContinuationToken>, left, reading: &mut Reading| {
            self.on_table(|target| query.page(target, token, left, reading))
        };
        walk.next(page)
    }

    fn check_keys(&self, partition_key: &str, row_key: &str) -> Result<()> {
        model::check_keys(partition_key, row_key, self.transaction.store.mode().limits())
            .map_err(|error| error.keys(partition_key, row_key).table(self.name()))
    }

    fn found(&self, partition_key: &str, row_key: &str, select: Option<&Projection>) -> Result<Entity> {
        self.check_keys(partition_key, row_key)?;
        let found = self.on_table(|target| query::read(target, partition_key, row_key, select))?;
        found.ok_or_else(|| Error::new(ErrorCode::ResourceNotFound).table(self.name()).keys(partition_key, row_key))
    }

    fn on_table<T>(&self, job: impl FnOnce(&Target<'_, WriteTxn<'_>>) -> Result<T>) -> Result<T> {
        self.transaction.read(|txn, parts| {
            let table = self.transaction.edit(txn, parts)?.table_to_read(&self.name)?;
            job(&Target { txn, table: &table, identity: self.transaction.store.identity() })
        })
    }
}

impl fmt::Debug for TransactionTable<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TransactionTable").field("name", &self.name()).finish_non_exhaustive()
    }
}

/// The entities of an answer inside a transaction, in key order. After an error there is nothing more.
#[derive(Debug)]
pub struct TransactionEntities<'t> {
    table: TransactionTable<'t>,
    walk: Walk,
    page: std::vec::IntoIter<Entity>,
}

impl Iterator for TransactionEntities<'_> {
    type Item = Result<Entity>;

    fn next(&mut self) -> Option<Result<Entity>> {
        loop {
            if let Some(entity) = self.page.next() {
                return Some(Ok(entity));
            }
            match self.table.next_page(&mut self.walk).transpose()? {
                Ok(page) => self.page = page.entities.into_iter(),
                Err(error) => return Some(Err(error)),
            }
        }
    }
}

/// The pages of an answer inside a transaction: see [`TransactionTable::pages`]. After an error there is nothing more.
#[derive(Debug)]
pub struct TransactionPages(Walk);

impl TransactionPages {
    /// The next page, read through the table that was asked; `None` at the end.
    ///
    /// # Errors
    /// As [`TransactionTable::query_page`]: with another table, the token of the page before belongs elsewhere.
    pub fn next_page(&mut self, table: &TransactionTable<'_>) -> Result<Option<Page>> {
        table.next_page(&mut self.0)
    }
}
