//! fjall with bincode: a log-structured store, for loads and reads.

use super::{Batch, FJALL, Peer, bytes_below, key, partition_end, row, rows};
use crate::rows::{Ask, Row};
use ::fjall::{Database, Iter, Keyspace, KeyspaceCreateOptions, PersistMode};
use std::hint::black_box;
use std::path::{Path, PathBuf};

const CACHE_BYTES: u64 = 1 << 30;

pub(super) struct Fjall {
    database: Database,
    rows: Keyspace,
    folder: PathBuf,
}

impl Fjall {
    pub(super) fn open(folder: &Path) -> Fjall {
        let database = Database::builder(folder).cache_size(CACHE_BYTES).open().expect("fjall opens");
        let rows = database.keyspace("rows", KeyspaceCreateOptions::default).expect("a keyspace");
        Fjall { database, rows, folder: folder.to_owned() }
    }

    /// The keys and values of a walk.
    fn read(items: Iter) -> impl Iterator<Item = (::fjall::Slice, ::fjall::Slice)> {
        items.map(|item| item.into_inner().expect("a row"))
    }
}

impl<R: Row> Peer<R> for Fjall {
    fn name(&self) -> &'static str {
        FJALL
    }

    fn load(&mut self, batch: Batch<R>) {
        let mut txn = self.database.batch().durability(Some(PersistMode::SyncAll));
        for row in rows(batch) {
            let (partition_key, row_key) = row.keys();
            txn.insert(&self.rows, key(partition_key, row_key), row.to_bytes());
        }
        txn.commit().expect("a commit");
    }

    fn get(&mut self, partition_key: &str, row_key: &str) -> u64 {
        let key = key(partition_key, row_key);
        let value = self.rows.get(&key).expect("a read").expect("a row that is there");
        black_box(row::<R>(&key, &value));
        1
    }

    fn range(&mut self, partition_key: &str, row_key: &str, limit: u32) -> u64 {
        let items = Self::read(self.rows.range(key(partition_key, row_key)..partition_end(partition_key)));
        let built: Vec<R> = items.take(limit as usize).map(|(key, value)| row(&key, &value)).collect();
        black_box(built).len() as u64
    }

    fn scan(&mut self, partition_key: Option<&str>, ask: &Ask) -> u64 {
        let items = match partition_key {
            Some(partition_key) => self.rows.range(key(partition_key, "")..partition_end(partition_key)),
            None => self.rows.iter(),
        };
        let matching = Self::read(items).filter(|(_, value)| R::matches(value, ask));
        let built: Vec<R> = matching.map(|(key, value)| row(&key, &value)).collect();
        black_box(built).len() as u64
    }

    fn count(&mut self, ask: Option<&Ask>) -> u64 {
        let items = Self::read(self.rows.iter());
        items.filter(|(_, value)| ask.is_none_or(|ask| R::matches(value, ask))).count() as u64
    }

    fn file_bytes(&mut self) -> u64 {
        bytes_below(&self.folder)
    }
}
