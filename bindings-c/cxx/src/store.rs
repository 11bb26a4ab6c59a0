//! Stores and snapshots.

use crate::batch::{Operations, Tables, results};
use crate::bridge::{Advice, Clock, Copied, Progress, Stats, Written};
use crate::failure::{Raised, boundary};
use crate::index::advised;
use crate::query::Query;
use crate::table::Table;
use crate::transaction::Transaction;
use crate::upkeep::{self, copied, telling};
use crate::value::{date_time, mode, mode_number, text};
use cxx::UniquePtr;
use entable::{DateTime, TableName};
use entable_c::place::Place;
use entable_c::transaction::Held;

/// The path that means a store in memory.
const MEMORY: &str = ":memory:";

pub(crate) struct Store(pub(crate) entable::Store);
pub(crate) struct Snapshot(pub(crate) entable::Snapshot);

/// The caller's clock, called by any thread that writes.
struct SharedClock(UniquePtr<Clock>);

#[allow(unsafe_code, reason = "what stands behind the clock is the caller's")]
// SAFETY: `entable.hpp` says that the function is called from any thread that writes, also from several at once.
unsafe impl Send for SharedClock {}
#[allow(unsafe_code, reason = "what stands behind the clock is the caller's")]
// SAFETY: as for `Send`; the bridge calls it through a shared reference only.
unsafe impl Sync for SharedClock {}

impl SharedClock {
    /// What is no instant, or an exception, is taken for now.
    fn now(&self) -> DateTime {
        let ticks = self.0.as_ref().and_then(|clock| clock.now().ok());
        ticks.and_then(|ticks| date_time(ticks, "clock").ok()).unwrap_or_else(DateTime::now)
    }
}

pub(crate) fn open_store(
    path: &[u8],
    options: &crate::bridge::Options,
    clock: UniquePtr<Clock>,
) -> std::result::Result<Box<Store>, Raised> {
    boundary(|| {
        let mut with = entable::Options::new()
            .mode(mode(options.mode)?)
            .read_only(options.read_only)
            .immutable(options.immutable)
            .must_exist(options.must_exist)
            .check(options.check);
        if options.max_size.is_there {
            with = with.max_size(options.max_size.number);
        }
        if !clock.is_null() {
            let clock = SharedClock(clock);
            with = with.clock(move || clock.now());
        }
        let store = match text(path, "path")? {
            MEMORY => entable::Store::in_memory_with(&with)?,
            path => entable::Store::open_with(path, &with)?,
        };
        Ok(Box::new(Store(store)))
    })
}

type Done = std::result::Result<(), Raised>;
type MadeTable = std::result::Result<Box<Table>, Raised>;
type Names = std::result::Result<Vec<String>, Raised>;

impl Store {
    pub(crate) fn close(&self) -> Done {
        boundary(|| {
            self.0.close();
            Ok(())
        })
    }

    pub(crate) fn mode(&self) -> u8 {
        mode_number(self.0.mode())
    }

    pub(crate) fn table(&self, name: &[u8]) -> MadeTable {
        boundary(|| Ok(Box::new(Table(Place::Store(self.0.table(text(name, "name")?)?)))))
    }

    pub(crate) fn create_table(&self, name: &[u8]) -> MadeTable {
        boundary(|| Ok(Box::new(Table(Place::Store(self.0.create_table(text(name, "name")?)?)))))
    }

    pub(crate) fn create_table_if_not_exists(&self, name: &[u8]) -> MadeTable {
        boundary(|| Ok(Box::new(Table(Place::Store(self.0.create_table_if_not_exists(text(name, "name")?)?)))))
    }

    pub(crate) fn delete_table(&self, name: &[u8]) -> Done {
        boundary(|| Ok(self.0.delete_table(text(name, "name")?)?))
    }

    pub(crate) fn list_tables(&self) -> Names {
        boundary(|| Ok(texts(self.0.list_tables()?)))
    }

    pub(crate) fn query_tables(&self, query: &Query) -> Names {
        boundary(|| Ok(texts(self.0.query_tables(query.0.clone())?)))
    }

    pub(crate) fn submit_batch(
        &self,
        tables: &Tables,
        operations: &Operations,
    ) -> std::result::Result<Vec<Written>, Raised> {
        boundary(|| {
            let operations = tables.0.iter().zip(operations.0.iter().cloned());
            Ok(results(&self.0.submit_batch(operations)?))
        })
    }

    pub(crate) fn snapshot(&self) -> std::result::Result<Box<Snapshot>, Raised> {
        boundary(|| Ok(Box::new(Snapshot(self.0.snapshot()?))))
    }

    pub(crate) fn begin(&self) -> std::result::Result<Box<Transaction>, Raised> {
        boundary(|| Ok(Box::new(Transaction(Held::begin(&self.0)?))))
    }

    pub(crate) fn sync(&self) -> Done {
        boundary(|| Ok(self.0.sync()?))
    }

    pub(crate) fn stats(&self) -> std::result::Result<Stats, Raised> {
        boundary(|| Ok(upkeep::stats(&self.0.stats()?)))
    }

    pub(crate) fn advise(&self) -> std::result::Result<Vec<Advice>, Raised> {
        boundary(|| Ok(self.0.advise()?.iter().map(advised).collect()))
    }

    pub(crate) fn backup(&self, path: &[u8], progress: &Progress) -> std::result::Result<Copied, Raised> {
        boundary(|| Ok(copied(self.0.backup_with(text(path, "path")?, telling(progress))?)))
    }

    pub(crate) fn compact_into(&self, path: &[u8], progress: &Progress) -> std::result::Result<Copied, Raised> {
        boundary(|| Ok(copied(self.0.compact_into_with(text(path, "path")?, telling(progress))?)))
    }

    pub(crate) fn compact(&self, progress: &Progress) -> std::result::Result<Copied, Raised> {
        boundary(|| Ok(copied(self.0.compact_with(telling(progress))?)))
    }
}

impl Snapshot {
    pub(crate) fn list_tables(&self) -> Names {
        boundary(|| Ok(texts(self.0.list_tables()?)))
    }

    pub(crate) fn close(&self) -> Done {
        boundary(|| {
            self.0.close();
            Ok(())
        })
    }
}

pub(crate) fn texts(names: Vec<TableName>) -> Vec<String> {
    names.iter().map(|name| name.as_str().to_owned()).collect()
}
