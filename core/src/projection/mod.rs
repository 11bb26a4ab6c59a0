//! Projections: copies of a table that follow its change feed (S9.3, S9.10).

mod apply;
mod dead;
mod layout;
mod reconcile;
mod row;

pub use apply::Applied;
pub use dead::Retried;
pub use reconcile::Reconciled;

use crate::feed::{FeedPosition, FeedStart};
use crate::patterns::IndexTable;
use crate::store::Store;
use crate::table::Table;
use crate::transaction::Transaction;
use crate::{Entity, Error, ErrorCode, Query, Result, TableName, UpdateMode, Value, entity};
use layout::Layout;
use std::time::Duration;

/// Where the position is kept, and its property.
const POSITION: &str = "Position";

/// Copies of a table's rows that are kept by its change feed: as they are, or as the entries of an [`IndexTable`]; in the
/// same store, or in another one.
///
/// A program that reads a table in other ways, and need not see each write at once, makes a projection and calls
/// [`catch_up`](Projection::catch_up) now and then, or whenever [`wait`](Projection::wait) returns. Whatever happens in
/// between, the copies come to be those of the rows:
///
/// - **A repeat does nothing.** In the same store, copies and position in the feed are one transaction. Another store
///   holds the position beside its copies, and the consumer in the source, for which changes are kept, follows.
/// - **Nothing goes back.** For every row it is noted which change its copies are of, also for rows that are gone (a
///   tombstone). A change that is not later is left out, in whatever order changes [arrive](Projection::apply).
/// - **One bad change stops nothing.** One that cannot be copied (its value is no legal key, a unique index refuses it …)
///   becomes a dead letter with the reason, and its row's copies stay as they were.
///   [`retry_dead_letters`](Projection::retry_dead_letters) brings the row as it is by then. What is wrong with the target
///   as a whole, such as a full disk, is an error instead: that transaction has done nothing, and the next call begins
///   with it.
/// - **Damage is found.** [`compare`](Projection::compare) goes through rows and copies in key order, and
///   [`reconcile`](Projection::reconcile) repairs what differs. So rows come in, too, that are in no change: from before
///   the feed, or because their changes were not kept.
///
/// Beside the copies it has tables of its own, `NAMEVersions`, `NAMEDeadLetters`, and in another store `NAMEPosition`.
/// All of these tables are the projection's: what others write there is repaired away. The consumer has the projection's
/// name. Several processes may run one projection: each finds done what the others did. A handle keeps nothing but names.
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
/// let entries = projection.table()?;
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

/// How far a projection is behind: [`Projection::lag`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Lag {
    /// Commits of the source with changes that are not done.
    pub commits: u64,
    /// Changes that are not done.
    pub changes: u64,
    /// Rows with a change that could not be done: [`Projection::dead_letters`].
    pub dead_letters: u64,
}

impl Projection {
    /// The rows of `source` as they are, under their own keys, in a table of this name: in the source's store, unless
    /// [`into_store`](Projection::into_store) says otherwise. Nothing is asked of a store yet.
    ///
    /// # Errors
    /// As [`TableName::new`], of `table` and of the projection's name with what its tables' names end with.
    pub fn copy(name: &str, source: &Table, table: &str) -> Result<Projection> {
        Projection::new(name, source, Layout::Copy(TableName::new(table)?))
    }

    /// The entries of the rows of `source` by a pattern, in the table that the pattern names.
    ///
    /// # Errors
    /// As [`Projection::copy`]; [`ErrorCode::InvalidInput`] for a pattern of another table.
    pub fn index(name: &str, source: &Table, pattern: IndexTable) -> Result<Projection> {
        let (rows, entries) = pattern.tables();
        if !rows.eq_ignore_ascii_case(source.name()) {
            let fact = format!("The pattern is one of table '{rows}', not of '{}'.", source.name());
            return Err(Error::invalid(fact).table(source.name()));
        }
        let entries = TableName::new(entries)?;
        Projection::new(name, source, Layout::Entries(entries, Box::new(pattern)))
    }

    fn new(name: &str, source: &Table, layout: Layout) -> Result<Projection> {
        let own = |end: &str| TableName::new(&format!("{name}{end}"));
        Ok(Projection {
            name: name.into(),
            source: source.clone(),
            elsewhere: None,
            layout,
            versions: own("Versions")?,
            dead_letters: own("DeadLetters")?,
            positions: own("Position")?,
        })
    }

    /// The same with its copies, and what it notes, in this store, another than the source's.
    #[must_use]
    pub fn into_store(self, store: &Store) -> Projection {
        Projection { elsewhere: Some(store.clone()), ..self }
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The table with the copies.
    ///
    /// # Errors
    /// None: the name was looked at before.
    pub fn table(&self) -> Result<Table> {
        self.target().table(self.layout.table().as_str())
    }

    fn target(&self) -> &Store {
        self.elsewhere.as_ref().unwrap_or_else(|| self.source.store())
    }

    /// Makes the tables and the consumer, as far as they are not there. It begins with the first change that is kept; rows
    /// that are in no change come with [`reconcile`](Projection::reconcile).
    ///
    /// # Errors
    /// [`ErrorCode::FeedNotFound`], [`ErrorCode::TableNotFound`] of the source; [`ErrorCode::InvalidInput`] if the copies
    /// would be in the table of the rows, or in one where the projection keeps notes.
    pub fn create(&self) -> Result<()> {
        let copies = self.layout.table();
        let own = [&self.versions, &self.dead_letters, &self.positions];
        let is_source = self.elsewhere.is_none() && copies == self.source.table_name();
        if is_source || own.contains(&copies) {
            let fact = "Rows, their copies, and what a projection notes are in tables of their own.";
            return Err(Error::invalid(fact).table(copies.as_str()));
        }
        // The consumer first: for it the changes are kept that the position is in front of.
        self.source.create_consumer(&self.name, &FeedStart::Beginning)?;
        let begin = self.source.feed_begin()?;
        self.target().transaction(|transaction| {
            for name in [&self.versions, &self.dead_letters] {
                transaction.create_table_if_not_exists(name.as_str())?;
            }
            let copies = transaction.create_table_if_not_exists(copies.as_str())?;
            if let Some(index) = self.layout.index() {
                copies.create_index_if_not_exists(index)?;
            }
            if self.elsewhere.is_some() {
                let positions = transaction.create_table_if_not_exists(self.positions.as_str())?;
                positions.create_or_get_entity(position_entity(&begin))?;
            }
            Ok(())
        })
    }

    /// Ends the projection: its consumer and its notes go, the copies stay. What is not there is left out.
    ///
    /// # Errors
    /// [`ErrorCode::StoreReadOnly`], and what else the stores refuse.
    pub fn delete(&self) -> Result<()> {
        use ErrorCode::{ConsumerNotFound, FeedNotFound, IndexNotFound, ResourceNotFound, TableNotFound};
        let absences = [ConsumerNotFound, FeedNotFound, IndexNotFound, ResourceNotFound, TableNotFound];
        let gone = |outcome: Result<()>| match outcome {
            Err(error) if absences.contains(&error.code()) => Ok(()),
            outcome => outcome,
        };
        gone(self.source.drop_consumer(&self.name))?;
        for name in [&self.versions, &self.dead_letters, &self.positions] {
            gone(self.target().delete_table(name.as_str()))?;
        }
        self.layout.index().map_or(Ok(()), |index| gone(self.table()?.drop_index(index.name())))
    }

    /// Up to where the feed is done.
    ///
    /// # Errors
    /// [`ErrorCode::ConsumerNotFound`], [`ErrorCode::TableNotFound`] before [`create`](Projection::create).
    pub fn position(&self) -> Result<FeedPosition> {
        match &self.elsewhere {
            None => self.source.consumer(&self.name).position(),
            Some(store) => read_position(&store.table(self.positions.as_str())?.get_entity(POSITION, POSITION)?),
        }
    }

    /// Notes, in the transaction of the copies, up to where the feed is done. The position never goes back.
    fn advance(&self, transaction: &Transaction, to: &FeedPosition) -> Result<()> {
        if self.elsewhere.is_none() {
            return transaction.table(self.source.name())?.advance_consumer(&self.name, to);
        }
        let table = transaction.table(self.positions.as_str())?;
        if read_position(&table.get_entity(POSITION, POSITION)?).is_ok_and(|kept| kept.covers(to)) {
            return Ok(());
        }
        table.upsert_entity(position_entity(to), UpdateMode::Replace).map(drop)
    }

    /// Changes that another store has need not be kept for it.
    fn follow(&self, to: &FeedPosition) -> Result<()> {
        let consumer = self.source.consumer(&self.name);
        match self.elsewhere {
            Some(_) if !consumer.position()?.covers(to) => consumer.advance(to),
            _ => Ok(()),
        }
    }

    /// How far the copies are behind. Goes through the keys of the changes that are not done.
    ///
    /// # Errors
    /// As [`Projection::catch_up`].
    pub fn lag(&self) -> Result<Lag> {
        let (commits, changes) = self.source.changes_behind(&self.position()?)?;
        let dead_letters = self.dead_letters()?.count(Query::all())?;
        Ok(Lag { commits, changes, dead_letters })
    }

    /// Waits until there is a change that is not done, as [`Table::wait_for_changes`].
    ///
    /// # Errors
    /// The same.
    pub fn wait(&self, timeout: Duration) -> Result<bool> {
        self.source.wait_for_changes(&self.position()?, timeout)
    }
}

fn position_entity(position: &FeedPosition) -> Entity {
    entity! { POSITION, POSITION, POSITION => position.to_string() }
}

fn read_position(kept: &Entity) -> Result<FeedPosition> {
    let text = kept.get(POSITION).and_then(Value::as_str).unwrap_or_default();
    text.parse()
}
