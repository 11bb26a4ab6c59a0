//! Where the verbs of a table are done: in the store, or in a transaction of this thread. For the C and C++ APIs, whose
//! tables are the same object in both.

use crate::error::entable_error;
use crate::transaction::Held;
use entable::index::IndexInfo;
use entable::{
    ChangePage, Condition, CreatedOrFound, Entity, Error, Feed, FeedPosition, FeedStart, Index, IntoEntity, Operation,
    Page, Pages, Query, Snapshot, Table, TableName, TransactionPages, UpdateMode, Written,
};
use std::borrow::Cow;
use std::time::Duration;

/// Why a call was not done.
pub enum Refused {
    /// What the core says.
    Store(Error),
    /// An argument that the core never sees: its name, and what is wrong.
    Misuse(Cow<'static, str>, Cow<'static, str>),
}

impl Refused {
    pub(crate) fn misuse(argument: &'static str, fact: &'static str) -> Refused {
        Refused::Misuse(argument.into(), fact.into())
    }
}

impl From<Error> for Refused {
    fn from(error: Error) -> Self {
        Refused::Store(error)
    }
}

impl From<Refused> for Box<entable_error> {
    fn from(refused: Refused) -> Self {
        match refused {
            Refused::Store(error) => error.into(),
            Refused::Misuse(argument, fact) => entable_error::misuse(&argument, &fact),
        }
    }
}

type Result<T> = std::result::Result<T, Refused>;

/// A table in one of the two.
#[derive(Clone)]
pub enum Place {
    /// By itself: each call is one of the store's.
    Store(Table),
    /// In a transaction.
    Transaction(Held, TableName),
}

/// Does the same to a table wherever it is.
macro_rules! either {
    ($place:expr, $table:ident => $call:expr) => {
        match $place {
            Place::Store($table) => Ok($call?),
            Place::Transaction(held, name) => held.with(|transaction| {
                let $table = transaction.table(name.as_str())?;
                $call
            }),
        }
    };
}

impl Place {
    /// The table of this name in a transaction.
    pub fn inside(held: &Held, name: &str) -> Result<Place> {
        held.with(|transaction| transaction.table(name).map(|_| ()))?;
        Ok(Place::Transaction(held.clone(), TableName::new(name)?))
    }

    /// The table by itself, for what has no meaning in a transaction.
    pub fn outside(&self) -> Result<&Table> {
        match self {
            Place::Store(table) => Ok(table),
            Place::Transaction(..) => Err(Refused::misuse("table", "A table in a transaction does not do this.")),
        }
    }

    /// The table's name.
    pub fn name(&self) -> &str {
        match self {
            Place::Store(table) => table.name(),
            Place::Transaction(_, name) => name.as_str(),
        }
    }

    /// See [`Table::at`].
    pub fn at(&self, snapshot: &Snapshot) -> Result<Place> {
        Ok(Place::Store(self.outside()?.at(snapshot)))
    }

    /// See [`Table::create_entity`].
    pub fn create_entity(&self, entity: impl IntoEntity) -> Result<Written> {
        either!(self, table => table.create_entity(entity))
    }

    /// See [`Table::update_entity_if`].
    pub fn update_entity(&self, entity: impl IntoEntity, mode: UpdateMode, condition: Condition) -> Result<Written> {
        either!(self, table => table.update_entity_if(entity, mode, condition))
    }

    /// See [`Table::upsert_entity_if`].
    pub fn upsert_entity(&self, entity: impl IntoEntity, mode: UpdateMode, condition: Condition) -> Result<Written> {
        either!(self, table => table.upsert_entity_if(entity, mode, condition))
    }

    /// See [`Table::delete_entity_if`].
    pub fn delete_entity(&self, partition_key: &str, row_key: &str, condition: Condition) -> Result<()> {
        either!(self, table => table.delete_entity_if(partition_key, row_key, condition))
    }

    /// See [`Table::create_or_get_entity`].
    pub fn create_or_get_entity(&self, entity: impl IntoEntity) -> Result<CreatedOrFound> {
        either!(self, table => table.create_or_get_entity(entity))
    }

    /// See [`Table::apply`].
    pub fn apply(&self, operation: Operation) -> Result<Option<Written>> {
        match self {
            Place::Store(table) => Ok(table.apply(operation)?),
            Place::Transaction(held, name) => {
                held.with(|transaction| transaction.table(name.as_str())?.apply(&operation))
            }
        }
    }

    /// See [`Table::submit_transaction`].
    pub fn submit_transaction(&self, operations: Vec<Operation>) -> Result<Vec<Option<Written>>> {
        either!(self, table => table.submit_transaction(operations))
    }

    /// See [`Table::delete_entities`].
    pub fn delete_entities(&self, query: Query) -> Result<u64> {
        either!(self, table => table.delete_entities(query))
    }

    /// See [`Table::create_index`].
    pub fn create_index(&self, index: Index) -> Result<()> {
        either!(self, table => table.create_index(index))
    }

    /// See [`Table::create_index_if_not_exists`].
    pub fn create_index_if_not_exists(&self, index: Index) -> Result<()> {
        either!(self, table => table.create_index_if_not_exists(index))
    }

    /// See [`Table::drop_index`].
    pub fn drop_index(&self, name: &str) -> Result<()> {
        either!(self, table => table.drop_index(name))
    }

    /// See [`Table::list_indexes`].
    pub fn list_indexes(&self) -> Result<Vec<IndexInfo>> {
        either!(self, table => table.list_indexes())
    }

    /// See [`Table::set_feed`].
    pub fn set_feed(&self, feed: &Feed) -> Result<()> {
        either!(self, table => table.set_feed(feed))
    }

    /// See [`Table::drop_feed`].
    pub fn drop_feed(&self) -> Result<()> {
        either!(self, table => table.drop_feed())
    }

    /// See [`Table::create_consumer`].
    pub fn create_consumer(&self, name: &str, start: &FeedStart) -> Result<Consumer> {
        either!(self, table => table.create_consumer(name, start).map(drop))?;
        Ok(self.consumer(name))
    }

    /// See [`Table::consumer`].
    pub fn consumer(&self, name: &str) -> Consumer {
        Consumer { place: self.clone(), name: name.to_owned() }
    }

    /// See [`Table::drop_consumer`].
    pub fn drop_consumer(&self, name: &str) -> Result<()> {
        either!(self, table => table.drop_consumer(name))
    }

    /// See [`Table::get_entity`].
    pub fn get_entity(&self, partition_key: &str, row_key: &str) -> Result<Entity> {
        either!(self, table => table.get_entity(partition_key, row_key))
    }

    /// See [`Table::get_entity_select`].
    pub fn get_entity_select<S: AsRef<str>>(
        &self,
        partition_key: &str,
        row_key: &str,
        names: impl IntoIterator<Item = S>,
    ) -> Result<Entity> {
        either!(self, table => table.get_entity_select(partition_key, row_key, names))
    }

    /// See [`Table::exists`].
    pub fn exists(&self, partition_key: &str, row_key: &str) -> Result<bool> {
        either!(self, table => table.exists(partition_key, row_key))
    }

    /// See [`Table::get_many`].
    pub fn get_many<P: AsRef<str>, R: AsRef<str>>(
        &self,
        keys: impl IntoIterator<Item = (P, R)>,
    ) -> Result<Vec<Option<Entity>>> {
        either!(self, table => table.get_many(keys))
    }

    /// See [`Table::query_page`].
    pub fn query_page(&self, query: Query) -> Result<Page> {
        either!(self, table => table.query_page(query))
    }

    /// See [`Table::count`].
    pub fn count(&self, query: Query) -> Result<u64> {
        either!(self, table => table.count(query))
    }

    /// See [`Table::query_entities`], page by page.
    pub fn query_pages(&self, query: Query) -> Result<Answer> {
        match self {
            Place::Store(table) => Ok(Answer::Store(table.query_entities(query)?.by_page())),
            Place::Transaction(held, name) => {
                let pages = held.with(|transaction| transaction.table(name.as_str())?.pages(query))?;
                Ok(Answer::Transaction(held.clone(), name.clone(), pages))
            }
        }
    }
}

/// The pages of an answer, read where the table is.
pub enum Answer {
    /// Each from one moment of the store.
    Store(Pages),
    /// In the transaction, on its thread.
    Transaction(Held, TableName, TransactionPages),
}

impl Answer {
    /// The next page; `None` at the end.
    pub fn next_page(&mut self) -> Result<Option<Page>> {
        match self {
            Answer::Store(pages) => Ok(pages.next().transpose()?),
            Answer::Transaction(held, name, pages) => {
                held.with(|transaction| pages.next_page(&transaction.table(name.as_str())?))
            }
        }
    }
}

/// A named reader of the changes of a table, in one of the two. In a transaction it notes there what it is done with, and
/// reads nothing.
pub struct Consumer {
    place: Place,
    name: String,
}

impl Consumer {
    /// Its name.
    pub fn name(&self) -> &str {
        &self.name
    }

    fn outside(&self) -> Result<entable::Consumer> {
        match &self.place {
            Place::Store(table) => Ok(table.consumer(&self.name)),
            Place::Transaction(..) => Err(Refused::misuse("consumer", "A consumer in a transaction only advances.")),
        }
    }

    /// See [`entable::Consumer::position`].
    pub fn position(&self) -> Result<FeedPosition> {
        Ok(self.outside()?.position()?)
    }

    /// See [`entable::Consumer::read`].
    pub fn read(&self, most: usize) -> Result<ChangePage> {
        Ok(self.outside()?.read(most)?)
    }

    /// See [`entable::Consumer::wait`].
    pub fn wait(&self, timeout: Duration) -> Result<bool> {
        Ok(self.outside()?.wait(timeout)?)
    }

    /// See [`entable::Consumer::advance`].
    pub fn advance(&self, to: &FeedPosition) -> Result<()> {
        match &self.place {
            Place::Store(table) => Ok(table.consumer(&self.name).advance(to)?),
            Place::Transaction(held, name) => {
                held.with(|transaction| transaction.table(name.as_str())?.advance_consumer(&self.name, to))
            }
        }
    }

    /// See [`entable::Consumer::seek`].
    pub fn seek(&self, to: &FeedPosition) -> Result<()> {
        Ok(self.outside()?.seek(to)?)
    }
}
