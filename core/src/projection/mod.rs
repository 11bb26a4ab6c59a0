//! Projections: copies of a table that follow its change feed (S9.3, S9.10).

mod dead;
mod layout;
mod reconcile;
mod row;

pub use dead::Retried;
pub use reconcile::Reconciled;

use crate::feed::{self, Change, ChangeKind, FeedPosition, FeedStart};
use crate::patterns::IndexTable;
use crate::store::Store;
use crate::table::Table;
use crate::transaction::Transaction;
use crate::{DateTime, Entity, Error, ErrorCode, Operation, Query, Result, TableName, UpdateMode};
use layout::Layout;
use row::State;
use std::time::Duration;

/// Changes that [`Projection::catch_up`] reads at a time, whole commits.
const CHANGES_AT_A_TIME: usize = 1_000;
/// Of a commit with more changes, so many go into a transaction.
const CHANGES_A_TRANSACTION: usize = 10_000;
/// What the names of its own tables end with, behind the name of the projection.
const OWN_TABLES: [&str; 3] = ["Versions", "DeadLetters", "Position"];
/// Where the position is kept, and its property.
const POSITION: &str = "Position";

/// Copies of a table's rows, kept by its change feed: as they are, or as the entries of an [`IndexTable`], in the same store
/// or in another one.
///
/// A program that is to read a table in other ways, and need not see each write at once, makes a projection, and calls
/// [`catch_up`](Projection::catch_up) now and then, or whenever [`wait`](Projection::wait) returns. Whatever happens in
/// between, the copies come to be those of the rows:
///
/// - **Nothing is done twice.** In the same store, the copies and the position in the feed are one transaction. In another
///   store the position is kept there, with the copies; the consumer in the source, for which changes are kept, follows it.
/// - **Nothing goes back.** For every row the version that its copies are of is kept, also of rows that are gone (a
///   tombstone). A change that is not later is left out, in whatever order changes [arrive](Projection::apply).
/// - **One bad change stops nothing.** One that cannot be copied (its value is no legal key, a unique index of the target
///   refuses it …) becomes a dead letter with the reason, and the copies of its row stay as they were.
///   [`retry_dead_letters`](Projection::retry_dead_letters) brings the row as it is then. What is wrong with the target as a
///   whole, such as a full disk, is an error: the transaction has done nothing, and the next call begins with it.
/// - **Damage is found.** [`compare`](Projection::compare) goes through rows and copies, and
///   [`reconcile`](Projection::reconcile) repairs what differs. That is also how rows come in that are in no change: from
///   before the feed, or whose changes were not kept.
///
/// It keeps tables of its own beside the copies: `NAMEVersions`, `NAMEDeadLetters`, and in another store `NAMEPosition`.
/// They and the table of copies are the projection's; what else is written there is repaired away. The consumer has the
/// projection's name. Several processes may run the same projection: one finds the work of the other done.
///
/// # Example
/// ```
/// use entable::{Feed, Projection, Store, UpdateMode, entity, patterns::IndexTable};
/// let (store, elsewhere) = (Store::in_memory()?, Store::in_memory()?);
/// let customers = store.create_table_with_feed("Customers", &Feed::new().keep_until_consumed(true))?;
/// let by_town = IndexTable::full("Customers", "CustomersByTown", ["Town"]);
/// let projection = Projection::index("ByTown", &customers, by_town.clone())?.into_store(&elsewhere);
/// projection.create()?;
///
/// customers.create_entity(entity! { "1", "1", "Town" => "Redmond" })?;
/// customers.update_entity(entity! { "1", "1", "Town" => "Seattle" }, UpdateMode::Merge)?;
/// assert_eq!(projection.lag()?.changes, 2);
/// projection.catch_up()?;
/// let entries = elsewhere.table("CustomersByTown")?;
/// assert_eq!(entries.query_entities(by_town.find(["Seattle"])?)?.count(), 1);
/// assert_eq!((projection.lag()?.changes, entries.count("")?), (0, 1));
///
/// entries.delete_entity("Seattle", "1")?; // by hand
/// assert_eq!(projection.compare()?.missing, 1);
/// assert_eq!(projection.reconcile()?.missing, 1);
/// assert!(projection.compare()?.is_equal());
/// # Ok::<(), entable::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Projection {
    name: Box<str>,
    source: Table,
    /// Another store than the source's.
    elsewhere: Option<Store>,
    layout: Layout,
    versions: TableName,
    dead_letters: TableName,
    positions: TableName,
}

/// What became of changes: [`Projection::catch_up`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Applied {
    /// How many changes there were.
    pub changes: u64,
    /// Those left out, since the copies are of a version that is as late.
    pub skipped: u64,
    /// Those that became dead letters.
    pub dead: u64,
    /// Whether there was more in the feed when it was read.
    pub has_more: bool,
}

/// How far a projection is behind: [`Projection::lag`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Lag {
    /// Commits of the source that have changes which are not done.
    pub commits: u64,
    /// Changes that are not done.
    pub changes: u64,
    /// Changes that could not be done: [`Projection::dead_letters`].
    pub dead_letters: u64,
}

impl Projection {
    /// The rows of `source` as they are, under their own keys, in a table of this name: in the source's store, unless
    /// [`into_store`](Projection::into_store) says otherwise. Nothing is asked of a store yet.
    ///
    /// # Errors
    /// As [`TableName::new`], of `table` and of the name of the projection with what its tables' names end with.
    pub fn copy(name: &str, source: &Table, table: &str) -> Result<Projection> {
        Projection::new(name, source, Layout::Copy(TableName::new(table)?))
    }

    /// The entries of the rows of `source` by a pattern, in the table that the pattern names.
    ///
    /// # Errors
    /// As [`Projection::copy`]; [`ErrorCode::InvalidInput`] for a pattern of another table.
    pub fn index(name: &str, source: &Table, index: IndexTable) -> Result<Projection> {
        if !index.rows_table().eq_ignore_ascii_case(source.name()) {
            let fact = format!("The pattern is one of table '{}', not of '{}'.", index.rows_table(), source.name());
            return Err(Error::invalid(fact).table(source.name()));
        }
        let entries = TableName::new(index.entries_table())?;
        Projection::new(name, source, Layout::Entries(entries, Box::new(index)))
    }

    fn new(name: &str, source: &Table, layout: Layout) -> Result<Projection> {
        let [versions, dead_letters, positions] = OWN_TABLES.map(|end| TableName::new(&format!("{name}{end}")));
        Ok(Projection {
            name: name.into(),
            source: source.clone(),
            elsewhere: None,
            layout,
            versions: versions?,
            dead_letters: dead_letters?,
            positions: positions?,
        })
    }

    /// The same with its copies in this store, another than the source's.
    #[must_use]
    pub fn into_store(self, store: &Store) -> Projection {
        Projection { elsewhere: Some(store.clone()), ..self }
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The table that it copies.
    pub fn source(&self) -> &Table {
        &self.source
    }

    /// The table with the copies.
    ///
    /// # Errors
    /// None.
    pub fn table(&self) -> Result<Table> {
        self.target().table(self.layout.table().as_str())
    }

    fn target(&self) -> &Store {
        self.elsewhere.as_ref().unwrap_or_else(|| self.source.store())
    }

    /// Makes the tables and the consumer, as far as they are not there. The consumer begins with the first change that is
    /// kept. Rows that are in no change come with [`reconcile`](Projection::reconcile).
    ///
    /// # Errors
    /// [`ErrorCode::FeedNotFound`], [`ErrorCode::TableNotFound`] of the source; [`ErrorCode::InvalidInput`] if two of the
    /// tables are one, or the name is too long for a consumer.
    pub fn create(&self) -> Result<()> {
        let own = [&self.versions, &self.dead_letters, &self.positions];
        let copies = self.layout.table();
        let is_source = |name: &TableName| {
            self.elsewhere.is_none() && name.as_str().eq_ignore_ascii_case(self.source.name())
        };
        if let Some(twice) = own.into_iter().find(|name| *name == copies).or(Some(copies).filter(|name| is_source(name))) {
            let fact = "The copies, what a projection notes, and the rows are in tables of their own.";
            return Err(Error::invalid(fact).table(twice.as_str()));
        }
        // The tables first: whoever finds the consumer finds them, too.
        self.target().transaction(|transaction| {
            for name in [copies, &self.versions, &self.dead_letters].into_iter().chain(self.kept_in()) {
                transaction.create_table_if_not_exists(name.as_str())?;
            }
            Ok(())
        })?;
        self.source.create_consumer(&self.name, &FeedStart::Beginning).map(drop)
    }

    /// The table of the position, where there is one.
    fn kept_in(&self) -> Option<&TableName> {
        self.elsewhere.as_ref().map(|_| &self.positions)
    }

    /// Forgets the projection: its consumer and the tables of its own go, the copies stay.
    ///
    /// # Errors
    /// [`ErrorCode::StoreReadOnly`] and what else a store refuses. That something is not there is none.
    pub fn forget(&self) -> Result<()> {
        let is_gone = |error: &Error| {
            use ErrorCode::{ConsumerNotFound, FeedNotFound, ResourceNotFound, TableNotFound};
            matches!(error.code(), ConsumerNotFound | FeedNotFound | ResourceNotFound | TableNotFound)
        };
        let gone = |outcome: Result<()>| outcome.or_else(|error| if is_gone(&error) { Ok(()) } else { Err(error) });
        gone(self.source.drop_consumer(&self.name))?;
        for name in [&self.versions, &self.dead_letters].into_iter().chain(self.kept_in()) {
            gone(self.target().delete_table(name.as_str()))?;
        }
        Ok(())
    }

    /// Up to where the copies are.
    ///
    /// # Errors
    /// [`ErrorCode::ConsumerNotFound`], [`ErrorCode::TableNotFound`] before [`create`](Projection::create).
    pub fn position(&self) -> Result<FeedPosition> {
        let kept = match self.kept_in() {
            Some(name) => self.kept_position(&self.target().table(name.as_str())?.get_many([(POSITION, POSITION)])?)?,
            None => None,
        };
        kept.map_or_else(|| self.source.consumer(&self.name).position(), Ok)
    }

    fn kept_position(&self, read: &[Option<Entity>]) -> Result<Option<FeedPosition>> {
        let kept = read.iter().flatten().next().and_then(|kept| kept.get(POSITION)?.as_str());
        kept.map(str::parse).transpose().map_err(|error: Error| error.table(self.positions.as_str()))
    }

    /// How far the copies are behind. Goes through the changes that are not done.
    ///
    /// # Errors
    /// As [`Projection::catch_up`].
    pub fn lag(&self) -> Result<Lag> {
        let position = self.position()?;
        let (commits, changes) = self.source.changes_behind(&position)?;
        let dead_letters = self.target().table(self.dead_letters.as_str())?.count(Query::all())?;
        Ok(Lag { commits, changes, dead_letters })
    }

    /// Waits until there is a change that is not done, as [`Table::wait_for_changes`].
    ///
    /// # Errors
    /// The same.
    pub fn wait(&self, timeout: Duration) -> Result<bool> {
        self.source.wait_for_changes(&self.position()?, timeout)
    }

    /// Applies the next changes: whole commits, until there are `most` of them or more. The copies of a commit are seen
    /// together, unless it has more than 10,000 changes.
    ///
    /// # Errors
    /// As [`Projection::catch_up`].
    pub fn step(&self, most: usize) -> Result<Applied> {
        let page = self.source.read_changes(&self.position()?, most)?;
        let mut all = Applied { has_more: page.has_more, ..Applied::default() };
        let mut parts = page.changes.chunks(CHANGES_A_TRANSACTION).peekable();
        while let Some(part) = parts.next() {
            let to = match (part.last(), parts.peek()) {
                (Some(last), Some(_)) => last.behind(),
                _ => page.position.clone(),
            };
            all.add(self.target().transaction(|transaction| {
                let applied = self.apply_in(transaction, part)?;
                self.note_position(transaction, &to)?;
                Ok(applied)
            })?);
            self.follow(&to)?;
        }
        Ok(all)
    }

    /// Applies all changes that are there, in steps.
    ///
    /// # Errors
    /// [`ErrorCode::ChangesNotKept`] if changes are gone that were not done, [`ErrorCode::InvalidInput`] if the source, or
    /// the target, is a copy that began a life of its own: [`reconcile`](Projection::reconcile) then brings the copies up
    /// to date. Those of a transaction in the target: what is not of one change alone. [`ErrorCode::ConsumerNotFound`],
    /// [`ErrorCode::TableNotFound`] before [`create`](Projection::create).
    pub fn catch_up(&self) -> Result<Applied> {
        let mut all = Applied::default();
        loop {
            let applied = self.step(CHANGES_AT_A_TIME)?;
            all.add(applied.clone());
            if !applied.has_more {
                return Ok(all);
            }
        }
    }

    /// Applies changes of the source that came another way than by the feed's order (a queue, say): some of them again,
    /// or a later one first. Up to where the projection is does not change.
    ///
    /// # Errors
    /// [`ErrorCode::InvalidInput`] for a change of another table; as [`Projection::catch_up`].
    pub fn apply(&self, changes: &[Change]) -> Result<Applied> {
        self.source.on_table(|target| {
            let own = |change: &Change| feed::check_own(&change.behind(), target.identity, target.table.id, u64::MAX);
            changes.iter().try_for_each(own).map_err(|error| error.table(self.source.name()))
        })?;
        self.target().transaction(|transaction| self.apply_in(transaction, changes))
    }

    fn apply_in(&self, transaction: &Transaction, changes: &[Change]) -> Result<Applied> {
        let mut applied = Applied { changes: changes.len() as u64, ..Applied::default() };
        for change in changes {
            match self.apply_one(transaction, change) {
                Ok(true) => {}
                Ok(false) => applied.skipped += 1,
                Err(error) if is_poison(&error) => {
                    applied.dead += 1;
                    let keys = (change.partition_key.as_str(), change.row_key.as_str());
                    self.put_dead_letter(transaction, keys, change.timestamp, &error)?;
                }
                Err(error) => return Err(error),
            }
        }
        Ok(applied)
    }

    /// Tells whether the change was later than what the copies are of.
    fn apply_one(&self, transaction: &Transaction, change: &Change) -> Result<bool> {
        let keys = (change.partition_key.as_str(), change.row_key.as_str());
        let known = self.known(transaction, keys)?;
        if known.as_ref().is_some_and(|known| known.version >= change.timestamp) {
            return Ok(false);
        }
        let state = match (change.kind, &change.entity) {
            (ChangeKind::Deleted, _) => State { version: change.timestamp, row: None },
            (_, Some(row)) => State { version: change.timestamp, row: Some(row.clone()) },
            // The feed holds keys alone. If the row is gone by now, the change that says so comes.
            (_, None) => match self.state_of_now(keys)? {
                State { row: None, .. } => return Ok(false),
                state => state,
            },
        };
        let difference = self.difference(transaction, keys, known.as_ref(), &state)?;
        transaction.submit_batch(&difference.operations).map(|()| true)
    }

    /// Keeps the position in the transaction, wherever it is kept. It never goes back.
    fn note_position(&self, transaction: &Transaction, to: &FeedPosition) -> Result<()> {
        let Some(name) = self.kept_in() else {
            return transaction.table(self.source.name())?.advance_consumer(&self.name, to);
        };
        let table = transaction.table(name.as_str())?;
        let is_further = |kept: &FeedPosition| {
            (kept.identity, kept.table) == (to.identity, to.table) && kept.behind >= to.behind
        };
        let kept = self.kept_position(&table.get_many([(POSITION, POSITION)])?)?;
        if !kept.as_ref().is_some_and(is_further) {
            let mut position = Entity::new(POSITION, POSITION);
            position.insert(POSITION, to.to_string());
            table.apply(&Operation::upsert(position, UpdateMode::Replace)?)?;
        }
        Ok(())
    }

    /// The source need not keep what another store has.
    fn follow(&self, to: &FeedPosition) -> Result<()> {
        match self.elsewhere {
            Some(_) => self.source.consumer(&self.name).advance(to),
            None => Ok(()),
        }
    }

    /// Removes the tombstones of rows that were deleted before a time, and tells how many: once no change from before it
    /// can come any more. What is not done by then, dead letters included, is looked at first.
    ///
    /// # Errors
    /// As [`Table::delete_entities`].
    pub fn drop_tombstones(&self, before: DateTime) -> Result<u64> {
        let query = Query::filter("Deleted eq true and Version lt @before").parameter("before", before);
        self.target().table(self.versions.as_str())?.delete_entities(query)
    }
}

/// Whether an error is one of the change, and not of the target.
fn is_poison(error: &Error) -> bool {
    use crate::Class::{Exists, Invalid, Modified, NotSupported, TooLarge};
    matches!(error.class(), Exists | Invalid | Modified | NotSupported | TooLarge)
}

impl Applied {
    fn add(&mut self, other: Applied) {
        self.changes += other.changes;
        self.skipped += other.skipped;
        self.dead += other.dead;
    }
}
