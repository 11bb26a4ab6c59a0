//! The store: one file of tables.

mod listing;
mod options;
mod slot;

use crate::catalog::{self, Built, Changed, Declared, Edit, Fed, Views};
use crate::codec::header::Identity;
use crate::filter::eval;
use crate::group::{self, Group, Queued, Submitted, Surroundings};
use crate::index::Index;
use crate::limits::Mode;
use crate::maintain::{build, check_file, prune, sweep};
use crate::plan::Asked;
use crate::query::Query;
use crate::snapshot::{Held, Snapshot};
use crate::storage::{self, Begun, HeldTxn, Holder, Live, OpenFile, Place, ReadTxn, ThreadNumber, fork, this_thread};
use crate::table::Table;
use crate::write::{self, Operation, Written};
use crate::{Class, DateTime, Error, ErrorCode, Result, TableName};
use listing::{Listed, check_table_filter};
pub use options::Options;
use options::{Clock, check_max_size};
use slot::Slot;
use std::fmt;
use std::path::Path;
use std::sync::{Arc, Mutex, OnceLock, PoisonError, Weak, mpsc};

/// An open store: what `TableServiceClient` is to the service.
///
/// A handle: clones are the same store, usable from any thread. A file that several handles or processes have open
/// is one store to all of them; writes take turns, reads never wait.
///
/// # Example
/// ```
/// use entable::{entity, Store};
/// # let folder = tempfile::tempdir().unwrap();
/// # let path = folder.path().join("orders.ent");
/// let store = Store::open(&path)?;
/// let orders = store.create_table_if_not_exists("Orders")?;
/// orders.create_entity(entity! { "DE", "0001", "Total" => 12.5 })?;
/// store.close();
/// assert!(orders.get_entity("DE", "0001").is_err());
/// # Ok::<(), entable::Error>(())
/// ```
#[derive(Clone)]
pub struct Store(Arc<Inner>);

struct Inner {
    slot: Slot,
    forks: u32,
    /// What closing ends.
    snapshots: Mutex<Vec<Weak<Held>>>,
    views: Views,
    identity: Identity,
    is_read_only: bool,
    mode: Mode,
    clock: Option<Clock>,
    /// Filters that would have been the better for an index.
    asked: Asked,
    /// Changes that were written to feeds that do not keep all, since old ones were last looked for.
    fed: Mutex<Vec<Fed>>,
    /// The thread that closed the store.
    closer: OnceLock<ThreadNumber>,
}

impl Inner {
    fn end_snapshots(&self) {
        let snapshots = std::mem::take(&mut *self.snapshots.lock().unwrap_or_else(PoisonError::into_inner));
        for held in snapshots.iter().filter_map(Weak::upgrade) {
            held.end();
        }
    }
}

impl Holder for Inner {
    fn let_go(&self) {
        self.end_snapshots();
        self.slot.let_go();
    }
}

/// What a store that has been opened begins with: its identity, and the indexes that are half built. What is left of
/// dropped tables is freed, and so are changes that feeds need not keep.
fn begin(
    live: &Arc<Live>,
    views: &Views,
    is_read_only: bool,
    clock: Option<&Clock>,
) -> Result<(Identity, Vec<(TableName, u32)>)> {
    let txn = live.read_txn()?;
    let identity = catalog::header(&txn)?.identity;
    if is_read_only {
        return Ok((identity, Vec::new()));
    }
    if !catalog::pending_drops(&txn)?.is_empty() {
        sweep::start(Arc::downgrade(live));
    }
    let unfinished = catalog::building(&txn, views)?;
    let limited = catalog::limited_feeds(&txn, views)?;
    if !limited.is_empty() {
        prune::start(Arc::downgrade(live), limited, time(clock));
    }
    Ok((identity, unfinished))
}

/// The time, by the store's clock.
fn time(clock: Option<&Clock>) -> DateTime {
    DateTime::of_clock(clock.map_or_else(DateTime::now, |clock| clock()))
}

/// Reads, and takes the job only if there is something to read.
fn read_with<T>(live: &Live, job: &mut Option<impl FnOnce(&ReadTxn<'_>) -> Result<T>>) -> Result<T> {
    let txn = live.read_txn()?;
    match job.take() {
        Some(job) => job(&txn),
        None => Err(Error::new(ErrorCode::Internal).fact("A read was done already.")),
    }
}

impl Surroundings for Inner {
    fn views(&self) -> &Views {
        &self.views
    }

    fn mode(&self) -> Mode {
        self.mode
    }

    fn now(&self) -> DateTime {
        time(self.clock.as_ref())
    }

    fn committed(&self, changed: Changed) {
        let due: Vec<u32> = match changed.fed.is_empty() {
            true => Vec::new(),
            false => {
                let mut fed = self.fed.lock().unwrap_or_else(PoisonError::into_inner);
                changed.fed.iter().for_each(|new| new.add_to(&mut fed));
                fed.extract_if(.., |fed| fed.changes >= fed.due_after).map(|fed| fed.table).collect()
            }
        };
        self.views.publish(changed);
        if !due.is_empty()
            && let Some(live) = self.slot.at_hand()
        {
            prune::start(Arc::downgrade(&live), due, self.now());
        }
    }
}

impl Store {
    /// Opens the store in the file at `path`, made with the folders above it if it is not there.
    ///
    /// The file is private to the user. Beside it lies `NAME-lock`, which belongs to it.
    ///
    /// # Errors
    /// [`ErrorCode::NotAStore`] for another program's file, [`ErrorCode::NewerFormat`], [`ErrorCode::Damaged`],
    /// [`ErrorCode::Io`]; the file is not touched then.
    pub fn open(path: impl AsRef<Path>) -> Result<Store> {
        Store::open_with(path, &Options::default())
    }

    /// Opens the store in the file at `path`, as `options` say.
    ///
    /// # Errors
    /// As [`Store::open`], and [`ErrorCode::StoreNotFound`].
    pub fn open_with(path: impl AsRef<Path>, options: &Options) -> Result<Store> {
        Store::open_place(Place::File(path.as_ref().to_owned()), options)
    }

    /// A new store that vanishes with its last handle. The code is that of a file, without syncs.
    ///
    /// # Errors
    /// [`ErrorCode::Io`] if the folder for temporary files does not take it.
    pub fn in_memory() -> Result<Store> {
        Store::in_memory_with(&Options::default())
    }

    /// A new store that vanishes with its last handle, as `options` say.
    ///
    /// # Errors
    /// As [`Store::in_memory`]; [`ErrorCode::InvalidInput`] for options that need a file.
    pub fn in_memory_with(options: &Options) -> Result<Store> {
        if options.is_read_only || options.is_immutable || options.must_exist {
            return Err(Error::invalid(
                "A store in memory is new: it cannot be read-only, and it cannot exist before.",
            ));
        }
        Store::open_place(Place::Memory, options)
    }

    fn open_place(place: Place, options: &Options) -> Result<Store> {
        let path = match &place {
            Place::File(path) => Some(path.clone()),
            Place::Memory => None,
        };
        let _span = tracing::debug_span!(target: "entable", "open", path = ?path).entered();
        Store::open_or_say_why(place, options).map_err(|error| match &path {
            Some(path) => error.in_file(path),
            None => error,
        })
    }

    fn open_or_say_why(place: Place, options: &Options) -> Result<Store> {
        if let Place::File(path) = &place
            && options.is_checked
        {
            check_file(path)?;
        }
        let (key, value) = catalog::new_header()?;
        let is_read_only = options.is_read_only || options.is_immutable;
        check_max_size(options.max_size, is_read_only)?;
        let live = Live::open(&OpenFile {
            place,
            read_only: is_read_only,
            immutable: options.is_immutable,
            create: !options.must_exist,
            header: (key, &value),
        })?;
        if let Some(max_size) = options.max_size {
            catalog::set_max_size(&live, max_size)?;
        }
        let views = Views::default();
        let (identity, unfinished) = begin(&live, &views, is_read_only, options.clock.as_ref())?;
        let store = Store(Arc::new(Inner {
            slot: Slot::new(Arc::clone(&live)),
            forks: fork::forks(),
            snapshots: Mutex::default(),
            views,
            identity,
            is_read_only,
            mode: options.mode,
            clock: options.clock.clone(),
            asked: Asked::default(),
            fed: Mutex::default(),
            closer: OnceLock::new(),
        }));
        live.hold_by(store.holder());
        store.go_on_building(unfinished);
        Ok(store)
    }

    /// Opens the file again after LMDB has given its environment up.
    #[cold]
    fn open_again(&self) -> Result<Arc<Live>> {
        let inner = &*self.0;
        inner.end_snapshots();
        let mut unfinished = Vec::new();
        let live = inner.slot.open_again(|live| {
            // What the other environment saw of its last commit may not be so.
            inner.views.forget_transactions();
            let (identity, found) = begin(live, &inner.views, inner.is_read_only, inner.clock.as_ref())?;
            if identity != inner.identity {
                return Err(Error::new(ErrorCode::FileReplaced).fact("Another store has taken the file's place."));
            }
            live.hold_by(self.holder());
            unfinished = found;
            Ok(())
        })?;
        self.go_on_building(unfinished);
        Ok(live)
    }

    fn holder(&self) -> Weak<dyn Holder> {
        let inner: Arc<dyn Holder> = Arc::<Inner>::clone(&self.0);
        Arc::downgrade(&inner)
    }

    /// Builds what a former process has left half built, in a thread of its own that ends with its work or the store.
    fn go_on_building(&self, unfinished: Vec<(TableName, u32)>) {
        if unfinished.is_empty() {
            return;
        }
        let store = Arc::downgrade(&self.0);
        let build = move || {
            for (table, index) in unfinished {
                // Between steps nothing is held, so that the store can be closed.
                while let Some(store) = store.upgrade().map(Store) {
                    let error = match store.build_step(&table, index) {
                        Ok(Built::Partly) => continue,
                        Ok(Built::Wholly) => break,
                        Ok(Built::Refused(error)) => error,
                        Err(error) => {
                            // What fails otherwise is left for the next opener.
                            if is_of_the_rows(&error) {
                                store.give_up_index(&table, index);
                            }
                            error
                        }
                    };
                    // Nobody waits for it: this is the trace that it leaves.
                    tracing::warn!(target: "entable", table = table.as_str(), %error, "an index was not built");
                    break;
                }
            }
        };
        // Without a thread to be had, the next opener builds.
        let _ = std::thread::Builder::new().name("entable-build".into()).spawn(build);
    }

    fn build_step(&self, table: &TableName, index: u32) -> Result<Built> {
        let name = table.clone();
        let built = self.write(move |edit| build::step(edit, &name, index))?;
        if let Built::Refused(_) = built {
            sweep::start(Arc::downgrade(&self.live()?));
        }
        Ok(built)
    }

    /// Declares an index and builds it; see [`Table::create_index`].
    pub(crate) fn create_index(
        &self,
        table: &TableName,
        index: Index,
        may_exist: bool,
        is_over: &mut dyn FnMut() -> bool,
    ) -> Result<()> {
        let (name, index_name) = (table.clone(), index.name().to_owned());
        let declared = self.write(move |edit| {
            let declared = edit.create_index(&name, &index)?;
            match declared {
                Declared::Known(_) if !may_exist => {
                    Err(Error::new(ErrorCode::IndexAlreadyExists).index_name(index.name()).table(name.as_str()))
                }
                declared => Ok(declared),
            }
        })?;
        let (id, is_own) = match declared {
            Declared::New(id) => (id, true),
            Declared::Known(id) => (id, false),
        };
        loop {
            let step = self.build_step(table, id).and_then(|built| match built {
                Built::Partly if is_over() => Err(Error::new(ErrorCode::Cancelled)),
                built => Ok(built),
            });
            match step {
                Ok(Built::Partly) => {}
                Ok(Built::Wholly) => return Ok(()),
                Ok(Built::Refused(error)) => return Err(error),
                Err(error) => {
                    // Whoever builds one that was declared by another may go on where this fails for its own reasons.
                    if is_own || is_of_the_rows(&error) {
                        self.give_up_index(table, id);
                    }
                    return Err(error.index_name(index_name.as_str()).table(table.as_str()));
                }
            }
        }
    }

    /// Takes out an index that could not be built. Where that fails as well, whoever opens the store next goes on with
    /// it.
    fn give_up_index(&self, table: &TableName, index: u32) {
        let name = table.clone();
        if let Ok(true) = self.write(move |edit| edit.give_up_index(&name, index))
            && let Ok(live) = self.live()
        {
            sweep::start(Arc::downgrade(&live));
        }
    }

    /// Drops an index; see [`Table::drop_index`].
    pub(crate) fn drop_index(&self, table: &TableName, index: &str) -> Result<()> {
        let (name, dropped) = (table.clone(), index.to_owned());
        if self.write(move |edit| edit.drop_index(&name, &dropped))? {
            sweep::start(Arc::downgrade(&self.live()?));
            return Ok(());
        }
        Err(Error::new(ErrorCode::IndexNotFound).index_name(index).table(table.as_str()))
    }

    /// Ends the store for all its handles: later calls are [`ErrorCode::StoreClosed`]. What is queued is done first,
    /// and the file is released when the calls that are under way have ended; snapshots end. A transaction of another
    /// thread is waited for; one of the calling thread itself cannot be committed any more. Closing twice does no harm.
    pub fn close(&self) {
        // In the child of a fork the store is the parent's, and so is whoever holds its locks.
        if fork::check(self.0.forks).is_err() {
            return;
        }
        let _ = self.0.closer.set(this_thread());
        let live = self.0.slot.close();
        self.0.end_snapshots();
        if let Some(live) = live {
            live.writer.wait_for_others();
        }
    }

    /// Returns when everything is durable that was written, or queued, before the call.
    ///
    /// A write is durable when its call returns, so this is for those that were submitted without waiting. A store in
    /// memory is never on a disk.
    ///
    /// # Errors
    /// [`ErrorCode::TransactionOpen`] inside a transaction of this thread; [`ErrorCode::Io`]; [`ErrorCode::StoreClosed`].
    pub fn sync(&self) -> Result<()> {
        self.live()?.sync()
    }

    /// A snapshot of the store as it is now.
    ///
    /// # Errors
    /// [`ErrorCode::StoreClosed`].
    pub fn snapshot(&self) -> Result<Snapshot> {
        self.live()?;
        // While nobody can close the store, so that closing ends every snapshot that there is.
        self.0.slot.with(|live| {
            let snapshot = Snapshot::new(HeldTxn::new(live)?, self.0.identity);
            let mut snapshots = self.0.snapshots.lock().unwrap_or_else(PoisonError::into_inner);
            snapshots.retain(|held| held.strong_count() > 0);
            snapshots.push(Arc::downgrade(snapshot.held()));
            Ok(snapshot)
        })
    }

    /// The mode that the store was opened in.
    pub fn mode(&self) -> Mode {
        self.0.mode
    }

    pub(crate) fn now(&self) -> DateTime {
        Surroundings::now(&*self.0)
    }

    pub(crate) fn committed(&self, changed: Changed) {
        self.0.committed(changed);
    }

    pub(crate) fn identity(&self) -> Identity {
        self.0.identity
    }

    pub(crate) fn views(&self) -> &Views {
        &self.0.views
    }

    pub(crate) fn asked(&self) -> &Asked {
        &self.0.asked
    }

    /// Whether this thread has closed the store.
    pub(crate) fn is_closed_by_this_thread(&self) -> bool {
        self.0.closer.get() == Some(&this_thread())
    }

    pub(crate) fn live(&self) -> Result<Arc<Live>> {
        fork::check(self.0.forks)?;
        match self.0.slot.get()? {
            Some(live) => Ok(live),
            None => self.open_again(),
        }
    }

    /// Whether the store has been closed, for one who has the turn to write.
    pub(crate) fn is_closed(&self) -> bool {
        self.0.slot.is_closed()
    }

    /// What writes go through. The file may be shared with a handle of this process that may write, when this one may
    /// not.
    pub(crate) fn live_for_writing(&self) -> Result<Arc<Live>> {
        if self.0.is_read_only { Err(Error::new(ErrorCode::StoreReadOnly)) } else { self.live() }
    }

    /// Lends `job` the open file, for it to put another in its place. Calls of all handles wait meanwhile. Where it
    /// gives none back, the store is closed.
    pub(crate) fn exchange<T>(&self, job: impl FnOnce(Arc<Live>) -> (Option<Arc<Live>>, Result<T>)) -> Result<T> {
        if self.0.is_read_only {
            return Err(Error::new(ErrorCode::StoreReadOnly));
        }
        self.live()?.writer.check_has_no_turn()?;
        self.0.slot.exchange(|live| {
            let (new, outcome) = job(live);
            self.0.views.forget_transactions();
            if let Some(new) = &new {
                new.hold_by(self.holder());
            }
            (new, outcome)
        })?
    }

    /// Runs `job` on one moment of the store.
    pub(crate) fn read<T>(&self, job: impl FnOnce(&ReadTxn<'_>) -> Result<T>) -> Result<T> {
        let mut job = Some(job);
        let live = self.live()?;
        match read_with(&live, &mut job) {
            // Nothing has been read yet: on the file opened again it is.
            Err(_) if live.is_broken() && job.is_some() => {
                drop(live);
                read_with(&*self.live()?, &mut job)
            }
            outcome => outcome,
        }
    }

    /// Runs `decide` as one group, all or nothing, and commits it: alone on this thread, or with what others write
    /// meanwhile. It may be run again, where a commit came to nothing.
    pub(crate) fn write<T: Send + 'static>(
        &self,
        decide: impl FnMut(&mut Edit<'_, '_>) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        let live = self.live_for_writing()?;
        let mut group = Group::new(Arc::clone(&self.0), decide);
        if let Some(_turn) = live.writer.try_turn() {
            group.try_once();
            let committed = storage::transact(&live, |txn| group.run(txn));
            return group.finish(committed);
        }
        live.writer.check_may_wait()?;
        let (send, receive) = mpsc::sync_channel(1);
        // Nobody waits for the outcome only if this thread has panicked.
        let complete = move |outcome| drop(send.send(outcome));
        live.writer.submit(&live, Box::new(Queued { group, complete, begun: None, keep: Arc::clone(&live) }))?;
        receive.recv().unwrap_or_else(|_| Err(group::lost()))
    }

    /// The same, queued: whoever calls does not wait for the disk.
    pub(crate) fn submit<T: Send + 'static>(
        &self,
        decide: impl FnMut(&mut Edit<'_, '_>) -> Result<T> + Send + 'static,
        complete: impl FnOnce(Result<T>) + Send + 'static,
        begun: Option<Arc<Begun>>,
    ) -> Result<()> {
        let live = self.live_for_writing()?;
        let group = Group::new(Arc::clone(&self.0), decide);
        live.writer.submit(&live, Box::new(Queued { group, complete, begun, keep: Arc::clone(&live) }))
    }

    /// A handle to the table of this name. Nothing is asked of the store: that there is no such table shows when
    /// the handle is used.
    ///
    /// # Errors
    /// As [`TableName::new`].
    pub fn table(&self, name: &str) -> Result<Table> {
        Ok(Table::new(self.clone(), TableName::new(name)?))
    }

    /// Makes a table. Its name is kept as written, and found in any case (S1.1.2).
    ///
    /// # Errors
    /// As [`TableName::new`]; [`ErrorCode::TableAlreadyExists`].
    pub fn create_table(&self, name: &str) -> Result<Table> {
        let table = self.table(name)?;
        let made = table.table_name().clone();
        if !self.write(move |edit| edit.create_table(&made))? {
            return Err(Error::new(ErrorCode::TableAlreadyExists).table(name));
        }
        Ok(table)
    }

    /// A handle to the table of this name, which is made if it is not there.
    ///
    /// # Errors
    /// As [`TableName::new`].
    pub fn create_table_if_not_exists(&self, name: &str) -> Result<Table> {
        let table = self.table(name)?;
        // Most often it is there: no turn at the lock for that.
        if !table.is_there()? {
            let made = table.table_name().clone();
            self.write(move |edit| edit.create_table(&made))?;
        }
        Ok(table)
    }

    /// Deletes a table with all its entities. At once; a table of the same name may be made right after (S5.4).
    ///
    /// # Errors
    /// As [`TableName::new`]; [`ErrorCode::ResourceNotFound`] if there is no such table (S5.3).
    pub fn delete_table(&self, name: &str) -> Result<()> {
        let name = TableName::new(name)?;
        let dropped = name.clone();
        if self.write(move |edit| edit.drop_table(&dropped))? {
            sweep::start(Arc::downgrade(&self.live()?));
            return Ok(());
        }
        Err(Error::new(ErrorCode::ResourceNotFound).table(name.as_str()))
    }

    /// The names of all tables as they were created, in the order of their lower-cased names (S5.2, S5.7).
    ///
    /// # Errors
    /// [`ErrorCode::StoreClosed`], [`ErrorCode::Damaged`].
    pub fn list_tables(&self) -> Result<Vec<TableName>> {
        self.read(|txn| catalog::table_names(txn))
    }

    /// The names of the tables that a filter on `TableName` asks for (S5.8). Parameters count; of the query's
    /// other parts only the limit does.
    ///
    /// # Errors
    /// [`ErrorCode::InvalidInput`] for a filter with another property, and what else is wrong in it.
    pub fn query_tables(&self, query: impl Into<Query>) -> Result<Vec<TableName>> {
        let query = query.into();
        let limit = query.total_limit();
        let filter = query.into_filter(self.0.mode)?;
        check_table_filter(&filter)?;
        let mut names = self.list_tables()?;
        names.retain(|name| eval::matches(&filter, &Listed(name.as_str()), self.0.mode));
        names.truncate(limit.map_or(usize::MAX, |limit| usize::try_from(limit).unwrap_or(usize::MAX)));
        Ok(names)
    }

    /// A store-wide transaction: operations on any tables and partitions, any number, an entity as often as one
    /// likes. All or nothing, durable when it returns. One result for each operation, `None` for deletes.
    ///
    /// Its changes are held in memory until it commits, and other writers wait.
    ///
    /// # Errors
    /// The operation's own, with its index.
    ///
    /// # Example
    /// ```
    /// use entable::{entity, Operation, Store};
    /// let store = Store::in_memory()?;
    /// let (current, archive) = (store.create_table("Current")?, store.create_table("Archive")?);
    /// current.create_entity(entity! { "Sales", "1" })?;
    /// store.submit_batch([
    ///     (&archive, Operation::create(entity! { "Sales", "1" })?),
    ///     (&current, Operation::delete("Sales", "1")),
    /// ])?;
    /// assert!(!current.exists("Sales", "1")? && archive.exists("Sales", "1")?);
    /// # Ok::<(), entable::Error>(())
    /// ```
    pub fn submit_batch<'a>(
        &self,
        operations: impl IntoIterator<Item = (&'a Table, Operation)>,
    ) -> Result<Vec<Option<Written>>> {
        match self.checked_batch(operations)? {
            batch if batch.operations.is_empty() => Ok(Vec::new()),
            mut batch => self.write(move |edit| batch.apply(edit)),
        }
    }

    /// [`Store::submit_batch`] without waiting for the disk, as [`Table::submit`]: the operations share a commit with what is
    /// submitted meanwhile, and fail alone.
    ///
    /// # Errors
    /// As [`Table::submit`]: what is wrong with the operations by themselves. The rest is the future's.
    pub fn submit_wide<'a>(
        &self,
        operations: impl IntoIterator<Item = (&'a Table, Operation)>,
    ) -> Result<Submitted<Vec<Option<Written>>>> {
        let mut batch = self.checked_batch(operations)?;
        let (submitted, complete, begun) = Submitted::new();
        self.submit(move |edit: &mut Edit<'_, '_>| batch.apply(edit), complete, Some(begun))?;
        Ok(submitted)
    }

    /// The operations of a batch, if nothing is wrong with them by themselves.
    fn checked_batch<'a>(&self, operations: impl IntoIterator<Item = (&'a Table, Operation)>) -> Result<Batch> {
        // Operations mostly come table by table: a name is kept once for each stretch of them.
        let mut batch = Batch { names: Vec::new(), operations: Vec::new() };
        let (mut foreign, mut unwritable) = (None, None);
        let operations = operations.into_iter();
        batch.operations.reserve(operations.size_hint().0);
        let mut last: Option<&Table> = None;
        for (index, (table, operation)) in operations.enumerate() {
            operation.check(self.0.mode).map_err(|error| error.index(index))?;
            if last.is_none_or(|last| !std::ptr::eq(last, table)) {
                if !Arc::ptr_eq(&table.store().0, &self.0) {
                    foreign.get_or_insert(index);
                }
                if unwritable.is_none()
                    && let Err(error) = table.check_writable()
                {
                    unwritable = Some(error.index(index));
                }
                if batch.names.last() != Some(table.table_name()) {
                    batch.names.push(table.table_name().clone());
                }
                last = Some(table);
            }
            batch.operations.push((batch.names.len() - 1, operation));
        }
        // What is wrong with an operation by itself is told first.
        if let Some(index) = foreign {
            return Err(Error::invalid("The table belongs to another store.").index(index));
        }
        unwritable.map_or(Ok(batch), Err)
    }
}

/// The operations of a store-wide batch, each with the place of its table's name.
struct Batch {
    names: Vec<TableName>,
    operations: Vec<(usize, Operation)>,
}

impl Batch {
    fn apply(&mut self, edit: &mut Edit<'_, '_>) -> Result<Vec<Option<Written>>> {
        let Some(first) = self.names.first() else { return Ok(Vec::new()) };
        let of = |at: &usize| self.names.get(*at).unwrap_or(first);
        let foreseen = write::foresee(edit, self.operations.iter().map(|(at, operation)| (of(at), operation)));
        if edit.is_only_try {
            let operations = std::mem::take(&mut self.operations).into_iter();
            return write::apply_all(edit, foreseen, operations.map(|(at, operation)| (of(&at), operation)));
        }
        write::apply_all(edit, foreseen, self.operations.iter().map(|(at, operation)| (of(at), operation)))
    }
}

/// Whether whoever goes on with a build would fail alike: for want of room, or for what a row holds.
fn is_of_the_rows(error: &Error) -> bool {
    matches!(error.class(), Class::Full | Class::TooLarge)
}

impl fmt::Debug for Store {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let is_closed = self.0.slot.is_closed();
        f.debug_struct("Store").field("mode", &self.0.mode).field("is_closed", &is_closed).finish_non_exhaustive()
    }
}
