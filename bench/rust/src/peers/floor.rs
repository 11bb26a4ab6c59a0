//! Raw LMDB with bincode: what entable is built on, with nothing on it.

use super::{Batch, FLOOR, Peer, bytes_below, key, partition_end, row, rows};
use crate::rows::{Ask, Row};
use bench_shared::{database, lmdb};
use heed::types::Bytes;
use heed::{Database, Env};
use std::hint::black_box;
use std::ops::Bound;
use std::path::{Path, PathBuf};
use std::thread;

const MAP_BYTES: usize = 16 << 30;

pub(super) struct Floor {
    env: &'static Env,
    rows: Database<'static, Bytes, Bytes>,
    /// A city, then the key of a row: made from the rows when it is asked for.
    cities: Option<Database<'static, Bytes, Bytes>>,
    folder: PathBuf,
}

impl Floor {
    pub(super) fn open(folder: &Path) -> Floor {
        let env = lmdb(folder, MAP_BYTES, 2);
        Floor { env, rows: database(env, "rows"), cities: None, folder: folder.to_owned() }
    }
}

fn load<R: Row>(env: &Env, database: Database<'static, Bytes, Bytes>, batch: Batch<R>) {
    let mut txn = env.write_txn().expect("a transaction");
    for row in rows(batch) {
        let (partition_key, row_key) = row.keys();
        database.put(&mut txn, &key(partition_key, row_key), &row.to_bytes()).expect("a row");
    }
    txn.commit().expect("a commit");
}

impl<R: Row> Peer<R> for Floor {
    fn name(&self) -> &'static str {
        FLOOR
    }

    fn load(&mut self, batch: Batch<R>) {
        load(self.env, self.rows, batch);
    }

    /// Writers wait for each other at LMDB's lock.
    fn insert_by_callers(&mut self, rows: Vec<Vec<Batch<R>>>) {
        let (env, database) = (self.env, self.rows);
        thread::scope(|scope| {
            for rows in rows {
                scope.spawn(move || rows.into_iter().for_each(|row| load(env, database, row)));
            }
        });
    }

    fn delete_where(&mut self, partition_key: &str, ask: &Ask) -> u64 {
        let mut txn = self.env.write_txn().expect("a transaction");
        let (start, end) = (key(partition_key, ""), partition_end(partition_key));
        let bounds = (Bound::Included(&start[..]), Bound::Excluded(&end[..]));
        let items = self.rows.range(&txn, &bounds).expect("a range").map(|item| item.expect("a row"));
        let keys: Vec<Vec<u8>> =
            items.filter(|(_, value)| R::matches(value, ask)).map(|(key, _)| key.to_vec()).collect();
        for key in &keys {
            assert!(self.rows.delete(&mut txn, key).expect("a delete"));
        }
        txn.commit().expect("a commit");
        keys.len() as u64
    }

    fn delete(&mut self, partition_key: &str, row_key: &str) {
        let mut txn = self.env.write_txn().expect("a transaction");
        assert!(self.rows.delete(&mut txn, &key(partition_key, row_key)).expect("a delete"));
        txn.commit().expect("a commit");
    }

    fn get(&mut self, partition_key: &str, row_key: &str) -> u64 {
        let txn = self.env.read_txn().expect("a transaction");
        let key = key(partition_key, row_key);
        let value = self.rows.get(&txn, &key).expect("a read").expect("a row that is there");
        black_box(row::<R>(&key, value));
        1
    }

    fn range(&mut self, partition_key: &str, row_key: &str, limit: u32) -> u64 {
        let txn = self.env.read_txn().expect("a transaction");
        let (start, end) = (key(partition_key, row_key), partition_end(partition_key));
        let bounds = (Bound::Included(&start[..]), Bound::Excluded(&end[..]));
        let mut built = Vec::new();
        for item in self.rows.range(&txn, &bounds).expect("a range").take(limit as usize) {
            let (key, value) = item.expect("a row");
            built.push(row::<R>(key, value));
        }
        black_box(built).len() as u64
    }

    fn scan(&mut self, partition_key: Option<&str>, ask: &Ask) -> u64 {
        let txn = self.env.read_txn().expect("a transaction");
        if let (Some(cities), Ask::City(city), None) = (self.cities, ask, partition_key) {
            let (start, end) = (key(city, ""), partition_end(city));
            let bounds = (Bound::Included(&start[..]), Bound::Excluded(&end[..]));
            let mut built = Vec::new();
            for item in cities.range(&txn, &bounds).expect("a range") {
                let key = &item.expect("an entry").0[start.len()..];
                let value = self.rows.get(&txn, key).expect("a read").expect("a row that is there");
                built.push(row::<R>(key, value));
            }
            return black_box(built).len() as u64;
        }
        let (start, end) = (key(partition_key.unwrap_or(""), ""), partition_end(partition_key.unwrap_or("")));
        let bounds = match partition_key {
            Some(_) => (Bound::Included(&start[..]), Bound::Excluded(&end[..])),
            None => (Bound::Unbounded, Bound::Unbounded),
        };
        let mut built = Vec::new();
        for item in self.rows.range(&txn, &bounds).expect("a range") {
            let (key, value) = item.expect("a row");
            if R::matches(value, ask) {
                built.push(row::<R>(key, value));
            }
        }
        black_box(built).len() as u64
    }

    /// By a walk: LMDB's own count is one for all tables and partitions.
    fn count(&mut self, ask: Option<&Ask>) -> u64 {
        let txn = self.env.read_txn().expect("a transaction");
        let items = self.rows.iter(&txn).expect("a walk").map(|item| item.expect("a row"));
        items.filter(|(_, value)| ask.is_none_or(|ask| R::matches(value, ask))).count() as u64
    }

    fn create_index(&mut self, number: usize) {
        assert_eq!(number, 0, "only cities");
        let cities = database(self.env, "cities");
        let mut txn = self.env.write_txn().expect("a transaction");
        let reading = self.env.read_txn().expect("a transaction");
        let mut entries: Vec<Vec<u8>> = Vec::new();
        for item in self.rows.iter(&reading).expect("a walk") {
            let (row_key, value) = item.expect("a row");
            let city = R::city(value).expect("every row has a city");
            entries.push([city.as_bytes(), &[0], row_key].concat());
        }
        entries.sort_unstable();
        for entry in &entries {
            cities.put(&mut txn, entry.as_slice(), b"".as_slice()).expect("an entry");
        }
        drop(reading);
        txn.commit().expect("a commit");
        self.cities = Some(cities);
    }

    fn file_bytes(&mut self) -> u64 {
        bytes_below(&self.folder)
    }
}
