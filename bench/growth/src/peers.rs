//! entable, and raw LMDB with bincode beside it: each grows, and the question is whether one grows faster.

use crate::rows::{Cell, Row};
use bench_shared::{database, lmdb};
use entable::{Entity, Index, Operation, Query, Store, Table};
use heed::types::Bytes;
use heed::{Database, Env};
use std::fs;
use std::hint::black_box;
use std::ops::Bound;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

pub(crate) const RANGE_ROWS: usize = 100;
const MAP_BYTES: usize = 64 << 30;

/// Rows or entities, each with the number of its table.
pub(crate) enum Batch {
    Rows(Vec<(u32, Row)>),
    Entities(Vec<(u32, Entity)>),
}

pub(crate) trait Peer {
    fn name(&self) -> &'static str;

    /// Rows, each with the number of its table, in the form that the peer's own users would hold before they insert.
    fn batch(&self, rows: &[(u32, &Row)]) -> Batch {
        Batch::Rows(rows.iter().map(|(table, row)| (*table, (*row).clone())).collect())
    }

    /// Inserts rows in one durable transaction.
    fn load(&mut self, batch: Batch);

    /// Builds the row with memory of its own.
    fn get(&mut self, table: u32, row: &Row);

    /// Builds the rows of the row's partition from it on, [`RANGE_ROWS`] at most.
    fn range(&mut self, table: u32, row: &Row) -> usize;

    fn file(&self) -> &Path;

    fn file_bytes(&self) -> u64 {
        fs::metadata(self.file()).expect("the file").blocks() * 512
    }
}

pub(crate) struct Ours {
    store: Store,
    tables: Vec<Table>,
    path: PathBuf,
}

impl Ours {
    /// Makes the tables that are not there, each with so many indexes.
    pub(crate) fn open(folder: &Path, tables: u32, indexes: u16) -> Ours {
        fs::create_dir_all(folder).expect("a folder");
        let path = folder.join("store.ent");
        let store = Store::open(&path).expect("a store");
        let open_table = |number: u32| {
            let table = store.create_table_if_not_exists(&format!("Rows{number}")).expect("a table");
            for index in 0..indexes {
                let name = format!("Property{index:03}");
                table.create_index_if_not_exists(Index::new(name.clone()).properties([name])).expect("an index");
            }
            table
        };
        let tables = (0..tables).map(open_table).collect();
        Ours { store, tables, path }
    }
}

impl Peer for Ours {
    fn name(&self) -> &'static str {
        "entable"
    }

    fn batch(&self, rows: &[(u32, &Row)]) -> Batch {
        Batch::Entities(rows.iter().map(|(table, row)| (*table, row.to_entity())).collect())
    }

    fn load(&mut self, batch: Batch) {
        let Batch::Entities(entities) = batch else { unreachable!("a peer gets the batch that it made") };
        let operations = entities
            .into_iter()
            .map(|(table, entity)| (&self.tables[table as usize], Operation::create(entity).expect("an operation")));
        self.store.submit_batch(operations).expect("a batch");
    }

    fn get(&mut self, table: u32, row: &Row) {
        let table = &self.tables[table as usize];
        black_box(table.get_entity(&row.partition_key, &row.row_key).expect("an entity that is there"));
    }

    fn range(&mut self, table: u32, row: &Row) -> usize {
        let query = Query::filter("PartitionKey eq @partition and RowKey ge @row")
            .parameter("partition", row.partition_key.as_str())
            .parameter("row", row.row_key.as_str())
            .limit(RANGE_ROWS as u64);
        let entities = self.tables[table as usize].query_entities(query).expect("a query");
        black_box(entities.collect::<Result<Vec<_>, _>>().expect("entities")).len()
    }

    fn file(&self) -> &Path {
        &self.path
    }
}

/// All tables are one database; the table's number is the head of the key, as it is in entable.
pub(crate) struct Floor {
    env: &'static Env,
    rows: Database<'static, Bytes, Bytes>,
    path: PathBuf,
}

impl Floor {
    pub(crate) fn open(folder: &Path) -> Floor {
        fs::create_dir_all(folder).expect("a folder");
        let env = lmdb(folder, MAP_BYTES, 1);
        Floor { env, rows: database(env, "rows"), path: folder.join("data.mdb") }
    }
}

fn key(table: u32, partition_key: &str, row_key: &str) -> Vec<u8> {
    let mut key = table.to_be_bytes().to_vec();
    key.extend_from_slice(partition_key.as_bytes());
    key.push(0);
    key.extend_from_slice(row_key.as_bytes());
    key
}

fn row(key: &[u8], value: &[u8]) -> Row {
    let key = &key[size_of::<u32>()..];
    let end = key.iter().position(|byte| *byte == 0).expect("a key with its separator");
    let text = |bytes| std::str::from_utf8(bytes).expect("a key of text").to_owned();
    let cells: Vec<(u16, Cell)> = bincode::deserialize(value).expect("what was stored");
    Row { partition_key: text(&key[..end]), row_key: text(&key[end + 1..]), cells }
}

impl Peer for Floor {
    fn name(&self) -> &'static str {
        "floor"
    }

    fn load(&mut self, batch: Batch) {
        let Batch::Rows(rows) = batch else { unreachable!("a peer gets the batch that it made") };
        let mut txn = self.env.write_txn().expect("a transaction");
        for (table, row) in &rows {
            let value = bincode::serialize(&row.cells).expect("a row in memory");
            self.rows.put(&mut txn, &key(*table, &row.partition_key, &row.row_key), &value).expect("a row");
        }
        txn.commit().expect("a commit");
    }

    fn get(&mut self, table: u32, wanted: &Row) {
        let txn = self.env.read_txn().expect("a transaction");
        let key = key(table, &wanted.partition_key, &wanted.row_key);
        let value = self.rows.get(&txn, &key).expect("a read").expect("a row that is there");
        black_box(row(&key, value));
    }

    fn range(&mut self, table: u32, wanted: &Row) -> usize {
        let txn = self.env.read_txn().expect("a transaction");
        let start = key(table, &wanted.partition_key, &wanted.row_key);
        let mut end = key(table, &wanted.partition_key, "");
        *end.last_mut().expect("the separator") = 1;
        let bounds = (Bound::Included(&start[..]), Bound::Excluded(&end[..]));
        let items = self.rows.range(&txn, &bounds).expect("a range").take(RANGE_ROWS);
        let built = items.map(|item| item.map(|(key, value)| row(key, value)).expect("a row"));
        black_box(built.collect::<Vec<_>>()).len()
    }

    fn file(&self) -> &Path {
        &self.path
    }
}
