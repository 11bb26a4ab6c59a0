//! The stores that are measured, behind one face.
//!
//! Reads build the rows that they meet whole, as the peer's own struct or entity with memory of its own, collect them
//! if there may be several, and give their number.

mod fjall;
mod floor;
mod ours;
mod redb;
mod sqlite;

use crate::rows::{Ask, Row};
use entable::Entity;
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

/// A peer by name.
pub(crate) const ENTABLE: &str = "entable";
pub(crate) const FLOOR: &str = "floor";
pub(crate) const SQLITE: &str = "sqlite";
pub(crate) const REDB: &str = "redb";
pub(crate) const FJALL: &str = "fjall";
pub(crate) const PEERS: [&str; 5] = [ENTABLE, FLOOR, SQLITE, REDB, FJALL];
/// Those that are here for loads and reads alone.
pub(crate) const FOR_READS: [&str; 2] = [REDB, FJALL];

/// Properties that are indexed: one that 1,000 values share, one of which each row has its own, one of 50 numbers.
pub(crate) const INDEXED: [&str; 3] = ["City", "Email", "Age"];

/// Rows in the form that the peer's insert takes.
pub(crate) enum Batch<R> {
    Rows(Vec<R>),
    Entities(Vec<Entity>),
}

pub(crate) trait Peer<R: Row> {
    fn name(&self) -> &'static str;

    /// Turns rows into what the peer's own users would hold before they insert. Not timed.
    fn batch(&self, rows: Vec<R>) -> Batch<R> {
        Batch::Rows(rows)
    }

    /// Inserts one row in a durable transaction.
    fn insert(&mut self, row: Batch<R>) {
        self.load(row);
    }

    /// Inserts rows of one partition, at most 100, in one durable transaction.
    fn group(&mut self, rows: Batch<R>) {
        self.load(rows);
    }

    /// Inserts rows of any partitions in one durable transaction.
    fn load(&mut self, rows: Batch<R>);

    /// Inserts each row in a durable transaction, from as many threads as there are lists.
    fn insert_by_callers(&mut self, _rows: Vec<Vec<Batch<R>>>) {
        unreachable!("{} is here for its reads", self.name());
    }

    /// Inserts each row durably, from one thread that need not wait for one to be done before it hands in the next: at
    /// most so many are under way.
    fn insert_in_flight(&mut self, rows: Vec<Batch<R>>, _most: usize) {
        rows.into_iter().for_each(|row| self.insert(row));
    }

    /// Deletes the rows of a partition that answer a question, in one durable transaction. Tells how many.
    fn delete_where(&mut self, _partition_key: &str, _ask: &Ask) -> u64 {
        unreachable!("{} is here for its reads", self.name());
    }

    /// Deletes a row in a durable transaction.
    fn delete(&mut self, _partition_key: &str, _row_key: &str) {
        unreachable!("{} is here for its reads", self.name());
    }

    fn get(&mut self, partition_key: &str, row_key: &str) -> u64;

    /// The rows of a partition from a key on, at most so many.
    fn range(&mut self, partition_key: &str, row_key: &str, limit: u32) -> u64;

    /// The rows that answer a question, of a partition or of all.
    fn scan(&mut self, partition_key: Option<&str>, ask: &Ask) -> u64;

    /// How many rows there are, or answer a question; none is built.
    fn count(&mut self, ask: Option<&Ask>) -> u64;

    /// Indexes the property of this number in [`INDEXED`]: the rows that are there, and those to come.
    fn create_index(&mut self, _number: usize) {
        unreachable!("{} is measured without indexes", self.name());
    }

    fn drop_index(&mut self, _number: usize) {
        unreachable!("{} is measured without indexes", self.name());
    }

    /// Bytes of disk that the peer's files take.
    fn file_bytes(&mut self) -> u64;

    /// Bytes of its files' pages that hold something.
    fn live_bytes(&mut self) -> Option<u64> {
        None
    }

    /// Bytes of disk that its rows take once they are written anew, in the peer's own way.
    fn compacted_bytes(&mut self) -> Option<u64> {
        None
    }
}

/// Opens a peer's store in a folder of its own below `folder`.
pub(crate) fn open<R: Row>(name: &str, folder: &Path) -> Box<dyn Peer<R>> {
    let folder = folder.join(name);
    fs::create_dir_all(&folder).expect("a folder");
    match name {
        ENTABLE => Box::new(ours::Ours::open(&folder)),
        FLOOR => Box::new(floor::Floor::open(&folder)),
        SQLITE => Box::new(sqlite::Sqlite::open::<R>(&folder)),
        REDB => Box::new(redb::Redb::open(&folder)),
        FJALL => Box::new(fjall::Fjall::open(&folder)),
        name => panic!("there is no peer {name:?}"),
    }
}

/// Key of the key-value stores.
fn key(partition_key: &str, row_key: &str) -> Vec<u8> {
    let mut key = Vec::with_capacity(partition_key.len() + 1 + row_key.len());
    key.extend_from_slice(partition_key.as_bytes());
    key.push(0);
    key.extend_from_slice(row_key.as_bytes());
    key
}

/// The key behind all keys of a partition.
fn partition_end(partition_key: &str) -> Vec<u8> {
    let mut key = partition_key.as_bytes().to_vec();
    key.push(1);
    key
}

/// The row of a key and its value.
fn row<R: Row>(key: &[u8], value: &[u8]) -> R {
    let end = key.iter().position(|byte| *byte == 0).expect("a key with its separator");
    let text = |bytes| std::str::from_utf8(bytes).expect("a key of text");
    R::from_bytes(text(&key[..end]), text(&key[end + 1..]), value)
}

fn rows<R>(batch: Batch<R>) -> Vec<R> {
    match batch {
        Batch::Rows(rows) => rows,
        Batch::Entities(_) => unreachable!("a peer gets the batch that it made"),
    }
}

fn bytes_below(path: &Path) -> u64 {
    let metadata = fs::metadata(path).expect("a file");
    if !metadata.is_dir() {
        return metadata.blocks() * 512;
    }
    fs::read_dir(path).expect("a folder").map(|entry| bytes_below(&entry.expect("an entry").path())).sum()
}
