//! What the programs that measure have in common: numbers for rows, the clock, and how raw LMDB is opened.

use heed::types::Bytes;
use heed::{CommitOrAbort, Database, Env, EnvOpenOptions};
use rustix::time::{ClockId, clock_gettime};
use std::path::Path;

/// A 32-bit hash, easily repeated in other languages.
pub fn mix(i: u32, salt: u32) -> u32 {
    let mut x = i ^ salt.wrapping_mul(0x9e37_79b9);
    x ^= x >> 16;
    x = x.wrapping_mul(0x7feb_352d);
    x ^= x >> 15;
    x = x.wrapping_mul(0x846c_a68b);
    x ^= x >> 16;
    x
}

/// What time is counted.
#[derive(Clone, Copy)]
pub enum Clock {
    /// This thread's processor time: for reads from memory, of which nothing waits. What else runs on the machine
    /// counts little.
    Thread,
    /// Time on the wall: for whatever waits for the disk.
    Wall,
}

impl Clock {
    pub fn seconds(self) -> f64 {
        let time = clock_gettime(match self {
            Clock::Thread => ClockId::ThreadCPUTime,
            Clock::Wall => ClockId::Monotonic,
        });
        time.tv_sec as f64 + time.tv_nsec as f64 / 1e9
    }
}

/// Least, median and most.
pub fn spread(mut figures: Vec<f64>) -> [f64; 3] {
    figures.sort_by(f64::total_cmp);
    [figures[0], figures[figures.len() / 2], figures[figures.len() - 1]]
}

/// Raw LMDB in a folder, left open until the program ends, so that its databases may borrow it.
pub fn lmdb(folder: &Path, map_bytes: usize, databases: u32) -> &'static Env {
    let mut options = EnvOpenOptions::new();
    options.map_size(map_bytes).max_dbs(databases);
    // SAFETY: nothing else writes the file.
    let env = unsafe { options.open(folder) }.expect("LMDB opens");
    Box::leak(Box::new(env))
}

/// A database of raw LMDB, made if it is not there.
pub fn database(env: &'static Env, name: &str) -> Database<'static, Bytes, Bytes> {
    let txn = env.write_txn().expect("a transaction");
    let opened = env.create_databases_and_commit(txn, |opener, txn| {
        opener.create_database(txn, Some(name)).map(CommitOrAbort::<_, ()>::Commit)
    });
    opened.expect("a database").unwrap_commit()
}
