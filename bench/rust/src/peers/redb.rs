//! redb with bincode: another key-value store, for reads.

use super::{Batch, Peer, REDB, bytes_below, key, partition_end, row, rows};
use crate::rows::{Ask, Row};
use ::redb::{Database, ReadOnlyTable, ReadableDatabase, ReadableTable, ReadableTableMetadata, TableDefinition};
use std::hint::black_box;
use std::path::{Path, PathBuf};

const ROWS: TableDefinition<'_, &[u8], &[u8]> = TableDefinition::new("rows");
const CACHE_BYTES: usize = 1 << 30;

pub(super) struct Redb {
    database: Database,
    folder: PathBuf,
}

impl Redb {
    pub(super) fn open(folder: &Path) -> Redb {
        let database = Database::builder().set_cache_size(CACHE_BYTES).create(folder.join("db")).expect("redb opens");
        let txn = database.begin_write().expect("a transaction");
        txn.open_table(ROWS).expect("a table");
        txn.commit().expect("a commit");
        Redb { database, folder: folder.to_owned() }
    }

    fn table(&self) -> ReadOnlyTable<&'static [u8], &'static [u8]> {
        self.database.begin_read().expect("a transaction").open_table(ROWS).expect("a table")
    }
}

impl<R: Row> Peer<R> for Redb {
    fn name(&self) -> &'static str {
        REDB
    }

    fn load(&mut self, batch: Batch<R>) {
        let txn = self.database.begin_write().expect("a transaction");
        {
            let mut table = txn.open_table(ROWS).expect("a table");
            for row in rows(batch) {
                let (partition_key, row_key) = row.keys();
                table.insert(&key(partition_key, row_key)[..], &row.to_bytes()[..]).expect("a row");
            }
        }
        txn.commit().expect("a commit");
    }

    fn get(&mut self, partition_key: &str, row_key: &str) -> u64 {
        let key = key(partition_key, row_key);
        let value = self.table().get(&key[..]).expect("a read").expect("a row that is there");
        black_box(row::<R>(&key, value.value()));
        1
    }

    fn range(&mut self, partition_key: &str, row_key: &str, limit: u32) -> u64 {
        let (start, end) = (key(partition_key, row_key), partition_end(partition_key));
        let mut built = Vec::new();
        for item in self.table().range(&start[..]..&end[..]).expect("a range").take(limit as usize) {
            let (key, value) = item.expect("a row");
            built.push(row::<R>(key.value(), value.value()));
        }
        black_box(built).len() as u64
    }

    fn scan(&mut self, partition_key: Option<&str>, ask: &Ask) -> u64 {
        let (start, end) = match partition_key {
            Some(partition_key) => (key(partition_key, ""), partition_end(partition_key)),
            None => (Vec::new(), vec![u8::MAX]),
        };
        let mut built = Vec::new();
        for item in self.table().range(&start[..]..&end[..]).expect("a range") {
            let (key, value) = item.expect("a row");
            if R::matches(value.value(), ask) {
                built.push(row::<R>(key.value(), value.value()));
            }
        }
        black_box(built).len() as u64
    }

    fn count(&mut self, ask: Option<&Ask>) -> u64 {
        let table = self.table();
        let Some(ask) = ask else { return table.len().expect("a count") };
        let items = table.iter().expect("a walk").map(|item| item.expect("a row"));
        items.filter(|(_, value)| R::matches(value.value(), ask)).count() as u64
    }

    fn file_bytes(&mut self) -> u64 {
        bytes_below(&self.folder)
    }
}
