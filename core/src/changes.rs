//! Change feeds, as users call them: switched on and off, read, waited for, and followed by named consumers.

use crate::catalog;
use crate::codec::position::Behind;
use crate::feed::{self, Change, ChangePage, Counting, Feed, FeedInfo, FeedPosition, FeedStart};
use crate::maintain::{prune, sweep};
use crate::query::Target;
use crate::storage::{Read, ReadTxn};
use crate::store::Store;
use crate::table::Table;
use crate::transaction::TransactionTable;
use crate::{Error, ErrorCode, Result};
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::{Duration, Instant};

/// Changes that an iterator reads at a time, whole commits.
const CHANGES_AT_A_TIME: usize = 1_000;

impl Store {
    /// Makes a table with a change feed: [`Store::create_table`] and [`Table::set_feed`] in one transaction.
    ///
    /// # Errors
    /// As [`Store::create_table`].
    pub fn create_table_with_feed(&self, name: &str, feed: &Feed) -> Result<Table> {
        let table = self.table(name)?;
        let (made, feed) = (table.table_name().clone(), feed.clone());
        let is_new =
            self.write(move |edit| Ok(edit.create_table(&made)? && edit.set_feed(&made, &feed).map(|()| true)?))?;
        if is_new { Ok(table) } else { Err(Error::new(ErrorCode::TableAlreadyExists).table(name)) }
    }
}

impl Table {
    /// Switches the change feed of the table on, or changes the settings of the one that it has.
    ///
    /// From the commit of this call on, every write of the table notes its changes in its own transaction. What the table
    /// holds already is in no change: a reader that is to have all of it reads the table, and follows from
    /// [`FeedStart::Now`], in one [`Store::transaction`]. Other content holds for later changes; other limits hold for those
    /// that are there.
    ///
    /// # Errors
    /// [`ErrorCode::TableNotFound`].
    ///
    /// # Example
    /// ```
    /// # use entable::{entity, Feed, Store};
    /// # let store = Store::in_memory()?;
    /// let orders = store.create_table("Orders")?;
    /// orders.set_feed(&Feed::new().keep_changes(10_000))?;
    /// orders.create_entity(entity! { "DE", "0001" })?;
    /// assert_eq!(orders.feed()?.changes, 1);
    /// # Ok::<(), entable::Error>(())
    /// ```
    pub fn set_feed(&self, feed: &Feed) -> Result<()> {
        self.check_writable()?;
        let (name, feed) = (self.table_name().clone(), feed.clone());
        self.store().write(move |edit| edit.set_feed(&name, &feed)).map_err(|error| self.named(error))
    }

    /// Switches the change feed off: its changes and consumers are gone at once, and its space is freed in steps. One that
    /// is switched on again is another feed, and refuses the positions of this one.
    ///
    /// # Errors
    /// [`ErrorCode::FeedNotFound`]; [`ErrorCode::TableNotFound`].
    pub fn drop_feed(&self) -> Result<()> {
        self.check_writable()?;
        let name = self.table_name().clone();
        if !self.store().write(move |edit| edit.drop_feed(&name)).map_err(|error| self.named(error))? {
            return Err(self.named(Error::new(ErrorCode::FeedNotFound)));
        }
        sweep::start(Arc::downgrade(&self.store().live()?));
        Ok(())
    }

    /// The feed of the table: its settings, where it begins and ends, and its consumers. Counts its changes.
    ///
    /// # Errors
    /// [`ErrorCode::FeedNotFound`]; [`ErrorCode::TableNotFound`].
    pub fn feed(&self) -> Result<FeedInfo> {
        self.on_feed(|target, commit_number| {
            feed::info(target.txn, (target.identity, commit_number), target.table.id, Counting::Exactly)
        })
    }

    /// The next changes behind a position: whole commits, until there are `most` of them or more, or some MiB. A commit
    /// with more comes as one.
    ///
    /// # Errors
    /// [`ErrorCode::FeedNotFound`]; [`ErrorCode::ChangesNotKept`] if changes behind the position are gone, with the first
    /// commit that is kept as [`limit`](crate::Details::limit): [`FeedInfo::begin`] is the position before it.
    /// [`ErrorCode::InvalidInput`] for a position of another store or table, or of another life of this store (a backup
    /// has one of its own), or one that the store has not come to. [`ErrorCode::TableNotFound`]; [`ErrorCode::Damaged`].
    ///
    /// # Example
    /// ```
    /// # use entable::{entity, Feed, Store};
    /// # let store = Store::in_memory()?;
    /// let orders = store.create_table_with_feed("Orders", &Feed::new())?;
    /// let begin = orders.feed()?.begin;
    /// orders.create_entity(entity! { "DE", "0001" })?;
    /// let page = orders.read_changes(&begin, 100)?;
    /// assert_eq!((page.changes.len(), page.changes[0].row_key.as_str()), (1, "0001"));
    /// assert!(orders.read_changes(&page.position, 100)?.changes.is_empty());
    /// # Ok::<(), entable::Error>(())
    /// ```
    pub fn read_changes(&self, behind: &FeedPosition, most: usize) -> Result<ChangePage> {
        self.on_feed(|target, commit_number| {
            feed::check_own(behind, target.identity, target.table.id, commit_number)?;
            feed::page(target.txn, (target.identity, commit_number), target.table.id, behind.behind, most)
        })
    }

    /// The changes behind a position, one by one, read page by page, to the end that the feed has when that is come to.
    ///
    /// # Errors
    /// Those of [`Table::read_changes`] come with the first change. After an error there is nothing more.
    pub fn changes(&self, behind: &FeedPosition) -> Changes {
        Changes { table: self.clone(), position: Some(behind.clone()), page: Vec::new().into_iter() }
    }

    /// Waits until there is a change behind a position, at most so long. Tells whether there is. A write of this process
    /// ends the wait at once, one of another within some 10 ms.
    ///
    /// # Errors
    /// As [`Table::read_changes`], also where the reason comes up in the meantime; [`ErrorCode::StoreClosed`].
    pub fn wait_for_changes(&self, behind: &FeedPosition, timeout: Duration) -> Result<bool> {
        let begin = Instant::now();
        loop {
            let waiting = self.store().live()?.arrivals.wait();
            if self.has_changes(behind)? {
                return Ok(true);
            }
            match timeout.checked_sub(begin.elapsed()) {
                Some(left) if !left.is_zero() => waiting.for_at_most(left),
                _ => return Ok(false),
            }
        }
    }

    /// A future that is ready when there is a change behind a position: for any executor.
    pub fn changes_ready(&self, behind: &FeedPosition) -> ChangesReady {
        ChangesReady { table: self.clone(), behind: behind.clone() }
    }

    /// Removes all changes that the feed's settings do not keep any more, in steps, and tells how many. It is done now and
    /// then without being asked.
    ///
    /// # Errors
    /// [`ErrorCode::FeedNotFound`]; [`ErrorCode::TableNotFound`].
    pub fn trim_feed(&self) -> Result<u64> {
        self.check_writable()?;
        let (live, table) = (self.store().live_for_writing()?, self.on_feed(|target, _| Ok(target.table.id))?);
        let mut removed = 0;
        loop {
            match prune::step(&live, table, self.store().now()).map_err(|error| self.named(error))? {
                0 => return Ok(removed),
                step => removed += step as u64,
            }
        }
    }

    /// Names a consumer, whose position the store keeps from now on; one of the name that is there already stays where it
    /// is.
    ///
    /// # Errors
    /// [`ErrorCode::FeedNotFound`]; [`ErrorCode::InvalidInput`] for a name that has not 1 to 255 bytes; those of a position
    /// to begin at, as [`Table::read_changes`]; [`ErrorCode::TableNotFound`].
    pub fn create_consumer(&self, name: &str, start: &FeedStart) -> Result<Consumer> {
        self.check_writable()?;
        feed::check_consumer_name(name).map_err(|error| self.named(error))?;
        let (table, consumer, start) = (self.table_name().clone(), name.to_owned(), start.clone());
        let create = self.store().write(move |edit| edit.create_consumer(&table, &consumer, &start));
        create.map_err(|error| self.named(error))?;
        Ok(self.consumer(name))
    }

    /// A handle to a consumer. Nothing is asked of the store: that there is none shows when the handle is used.
    pub fn consumer(&self, name: &str) -> Consumer {
        Consumer { table: self.clone(), name: name.into() }
    }

    /// Forgets a consumer: changes do not wait for it any more.
    ///
    /// # Errors
    /// [`ErrorCode::ConsumerNotFound`]; [`ErrorCode::FeedNotFound`]; [`ErrorCode::TableNotFound`].
    pub fn drop_consumer(&self, name: &str) -> Result<()> {
        self.check_writable()?;
        let (table, consumer) = (self.table_name().clone(), name.to_owned());
        let is_dropped = self.store().write(move |edit| edit.drop_consumer(&table, &consumer));
        match is_dropped.map_err(|error| self.named(error))? {
            true => Ok(()),
            false => Err(self.named(no_consumer(name))),
        }
    }

    fn has_changes(&self, behind: &FeedPosition) -> Result<bool> {
        self.on_feed(|target, commit_number| {
            feed::check_own(behind, target.identity, target.table.id, commit_number)?;
            feed::has_more(target.txn, target.table.id, behind.behind)
        })
    }

    /// How many commits and changes are behind a position.
    pub(crate) fn changes_behind(&self, behind: &FeedPosition) -> Result<(u64, u64)> {
        self.on_feed(|target, commit_number| {
            feed::check_own(behind, target.identity, target.table.id, commit_number)?;
            feed::count_behind(target.txn, target.table.id, behind.behind)
        })
    }

    /// Refuses a change of another table or store.
    pub(crate) fn check_own_change(&self, change: &Change) -> Result<()> {
        let position = change.behind();
        self.on_feed(|target, commit| feed::check_own(&position, target.identity, target.table.id, commit))
    }

    /// Before the first change that is kept.
    pub(crate) fn feed_begin(&self) -> Result<FeedPosition> {
        self.on_feed(|target, _| {
            let behind = feed::begin(&feed::settings_of(target.txn, target.table.id)?);
            Ok(FeedPosition { identity: target.identity, table: target.table.id, behind })
        })
    }

    /// Reads the table as it is, and tells behind which place of its feed that is.
    pub(crate) fn at_feed_end<T>(
        &self,
        job: impl FnOnce(&Target<'_, ReadTxn<'_>>) -> Result<T>,
    ) -> Result<(FeedPosition, T)> {
        self.on_feed(|target, commit_number| {
            let behind = Behind::commit(commit_number);
            Ok((FeedPosition { identity: target.identity, table: target.table.id, behind }, job(target)?))
        })
    }

    /// Reads what is about the feed; an error names the table.
    fn on_feed<T>(&self, job: impl FnOnce(&Target<'_, ReadTxn<'_>>, u64) -> Result<T>) -> Result<T> {
        let read = self.on_table(|target| {
            feed::settings_of(target.txn, target.table.id)?;
            job(target, catalog::header(target.txn)?.commit_number)
        });
        read.map_err(|error| self.named(error))
    }

    fn named(&self, error: Error) -> Error {
        error.table(self.name())
    }
}

fn no_consumer(name: &str) -> Error {
    Error::new(ErrorCode::ConsumerNotFound).fact(format!("Its name is '{name}'."))
}

/// Changes one by one: see [`Table::changes`].
///
/// # Example
/// ```
/// # use entable::{entity, Feed, Store};
/// # let store = Store::in_memory()?;
/// let orders = store.create_table_with_feed("Orders", &Feed::new())?;
/// # orders.create_entity(entity! { "DE", "0001" })?;
/// for change in orders.changes(&orders.feed()?.begin) {
///     let change = change?;
///     println!("{:?} {} {}", change.kind, change.partition_key, change.row_key);
/// }
/// # Ok::<(), entable::Error>(())
/// ```
#[derive(Debug)]
pub struct Changes {
    table: Table,
    /// Where the next page begins; `None` at the end.
    position: Option<FeedPosition>,
    page: std::vec::IntoIter<Change>,
}

impl Iterator for Changes {
    type Item = Result<Change>;

    fn next(&mut self) -> Option<Result<Change>> {
        loop {
            if let Some(change) = self.page.next() {
                return Some(Ok(change));
            }
            match self.table.read_changes(&self.position.take()?, CHANGES_AT_A_TIME) {
                Ok(page) => {
                    self.position = page.has_more.then_some(page.position);
                    self.page = page.changes.into_iter();
                }
                Err(error) => return Some(Err(error)),
            }
        }
    }
}

/// Is ready when there is a change behind a position: see [`Table::changes_ready`]. The error is that of
/// [`Table::wait_for_changes`].
#[derive(Debug)]
#[must_use = "a future does nothing before it is polled"]
pub struct ChangesReady {
    table: Table,
    behind: FeedPosition,
}

impl Future for ChangesReady {
    type Output = Result<()>;

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Result<()>> {
        let live = match self.table.store().live() {
            Ok(live) => live,
            Err(error) => return Poll::Ready(Err(error)),
        };
        // Before the look: what comes in between wakes.
        live.arrivals.wake(&live, context.waker());
        match self.table.has_changes(&self.behind) {
            Ok(true) => Poll::Ready(Ok(())),
            Ok(false) => Poll::Pending,
            Err(error) => Poll::Ready(Err(error)),
        }
    }
}

/// A named reader of a table's changes, whose position is kept in the store: a handle.
///
/// It gets every change at least once: what it does with them, and its [`advance`](Consumer::advance), are two things, so
/// that after a kill in between it gets them again. Where the work is done in the same store, both go into one
/// transaction, with [`TransactionTable::advance_consumer`]; then it is done exactly once.
///
/// # Example
/// ```
/// use entable::{entity, Feed, FeedStart, Store, UpdateMode};
/// let store = Store::in_memory()?;
/// let orders = store.create_table_with_feed("Orders", &Feed::new().keep_until_consumed(true))?;
/// let copies = store.create_table("Copies")?;
/// let copier = orders.create_consumer("copier", &FeedStart::Beginning)?;
/// orders.create_entity(entity! { "DE", "0001", "Total" => 12.5 })?;
///
/// let page = copier.read(1_000)?;
/// store.transaction(|transaction| {
///     let copies = transaction.table("Copies")?;
///     for change in &page.changes {
///         match &change.entity {
///             Some(entity) => drop(copies.upsert_entity(entity, UpdateMode::Replace)?),
///             None => copies.delete_entity(&change.partition_key, &change.row_key)?,
///         }
///     }
///     transaction.table("Orders")?.advance_consumer("copier", &page.position)
/// })?;
/// assert_eq!(copies.get_entity("DE", "0001")?["Total"], 12.5);
/// assert_eq!(orders.trim_feed()?, 1);
/// # Ok::<(), entable::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Consumer {
    table: Table,
    name: Box<str>,
}

impl Consumer {
    /// Its name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The table whose changes it reads.
    pub fn table(&self) -> &Table {
        &self.table
    }

    /// What it is done with.
    ///
    /// # Errors
    /// [`ErrorCode::ConsumerNotFound`]; [`ErrorCode::FeedNotFound`]; [`ErrorCode::TableNotFound`].
    pub fn position(&self) -> Result<FeedPosition> {
        self.table.on_feed(|target, _| self.position_in(target))
    }

    fn position_in<T: Read>(&self, target: &Target<'_, T>) -> Result<FeedPosition> {
        let record = feed::consumer(target.txn, target.table.id, &self.name)?;
        let behind = Behind { commit: record.commit, position: record.position };
        Ok(FeedPosition { identity: target.identity, table: target.table.id, behind })
    }

    /// The next changes that it is not done with, as [`Table::read_changes`]. The same ones again until it says so.
    ///
    /// # Errors
    /// As [`Consumer::position`]; [`ErrorCode::ChangesNotKept`] if changes that it had not seen are gone.
    pub fn read(&self, most: usize) -> Result<ChangePage> {
        self.table.on_feed(|target, commit_number| {
            let behind = self.position_in(target)?.behind;
            feed::page(target.txn, (target.identity, commit_number), target.table.id, behind, most)
        })
    }

    /// Waits until there is a change that it is not done with: see [`Table::wait_for_changes`].
    ///
    /// # Errors
    /// As [`Consumer::read`].
    pub fn wait(&self, timeout: Duration) -> Result<bool> {
        self.table.wait_for_changes(&self.position()?, timeout)
    }

    /// Notes, in a commit of its own, that it is done with all changes up to a position: that of a page, or
    /// [`Change::behind`](crate::Change::behind). One that is further already stays where it is.
    ///
    /// # Errors
    /// As [`Consumer::position`]; [`ErrorCode::InvalidInput`] for a position of elsewhere, as [`Table::read_changes`].
    pub fn advance(&self, to: &FeedPosition) -> Result<()> {
        self.table.check_writable()?;
        let (table, name, to) = (self.table.table_name().clone(), self.name.clone(), to.clone());
        let advance = self.table.store().write(move |edit| edit.advance_consumer(&table, &name, &to));
        advance.map_err(|error| self.table.named(error))
    }

    /// Moves it to a position, back or forth: to do changes again, or to leave some out.
    ///
    /// # Errors
    /// As [`Consumer::advance`]; [`ErrorCode::ChangesNotKept`] for a position behind which changes are gone.
    pub fn seek(&self, to: &FeedPosition) -> Result<()> {
        self.table.check_writable()?;
        let (table, name, to) = (self.table.table_name().clone(), self.name.clone(), to.clone());
        let seek = self.table.store().write(move |edit| edit.seek_consumer(&table, &name, &to));
        seek.map_err(|error| self.table.named(error))
    }
}

impl TransactionTable<'_> {
    /// See [`Table::set_feed`]: what the transaction has written to the table before is in no change.
    ///
    /// # Errors
    /// The same.
    pub fn set_feed(&self, feed: &Feed) -> Result<()> {
        self.write(|edit, name| edit.set_feed(name, feed))
    }

    /// See [`Table::drop_feed`].
    ///
    /// # Errors
    /// The same.
    pub fn drop_feed(&self) -> Result<()> {
        if self.write(|edit, name| edit.drop_feed(name))? {
            return self.note_drop();
        }
        Err(Error::new(ErrorCode::FeedNotFound).table(self.name()))
    }

    /// See [`Table::create_consumer`]. [`FeedStart::Now`] is behind what the transaction has written before, and in front
    /// of what it writes next. Tells whether there was none of that name.
    ///
    /// # Errors
    /// The same.
    pub fn create_consumer(&self, name: &str, start: &FeedStart) -> Result<bool> {
        feed::check_consumer_name(name).map_err(|error| error.table(self.name()))?;
        self.write(|edit, table| edit.create_consumer(table, name, start))
    }

    /// See [`Consumer::advance`]: durable with what else the transaction does.
    ///
    /// # Errors
    /// The same.
    pub fn advance_consumer(&self, name: &str, to: &FeedPosition) -> Result<()> {
        self.write(|edit, table| edit.advance_consumer(table, name, to))
    }

    /// See [`Table::drop_consumer`].
    ///
    /// # Errors
    /// The same.
    pub fn drop_consumer(&self, name: &str) -> Result<()> {
        match self.write(|edit, table| edit.drop_consumer(table, name))? {
            true => Ok(()),
            false => Err(no_consumer(name).table(self.name())),
        }
    }
}
