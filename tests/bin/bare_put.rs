//! Puts the lines of a file into a bare LMDB database, one by one, each durable when its number is printed:
//! `bare_put PATH ROWS`. A line is a key and a value in hexadecimal.
//!
//! What a store is measured against in `tests/writes.rs`. The file is a new one, or a store's: then its rows.
#![allow(unsafe_code, reason = "heed maps a file, which nobody else writes meanwhile")]

use entable_tests::rows;
use heed::types::Bytes;
use heed::{EnvFlags, EnvOpenOptions};
use std::io::Write;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().collect();
    let [_, path, rows] = &arguments[..] else { return Err("bare_put PATH ROWS".into()) };
    let rows = rows::read_dump(rows.as_ref());
    let mut options = EnvOpenOptions::new().read_txn_without_tls();
    options.map_size(1 << 40).max_readers(1_024).max_dbs(1);
    // SAFETY: one data file instead of a folder; locks and syncs stay as they are.
    unsafe { options.flags(EnvFlags::NO_SUB_DIR) };
    // SAFETY: the file is this process's own.
    let env = unsafe { options.open(path)? };
    let txn = env.write_txn()?;
    let database = env.create_databases_and_commit(txn, |opener, txn| {
        opener.create_database::<Bytes, Bytes>(txn, Some("rows")).map(heed::CommitOrAbort::<_, ()>::Commit)
    })?;
    let heed::CommitOrAbort::Commit(database) = database else { return Err("no database".into()) };
    let mut out = std::io::stdout().lock();
    for (number, (key, value)) in rows.iter().enumerate() {
        let mut txn = env.write_txn()?;
        database.put(&mut txn, key, value)?;
        txn.commit()?;
        writeln!(out, "{number}")?;
    }
    Ok(())
}
