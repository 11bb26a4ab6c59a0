//! The same rows in LMDB and in SQLite, loaded in the order of their keys.

use crate::data::Rows;
use crate::{TICKS, Value};
use heed::types::Bytes;
use heed::{CommitOrAbort, Database, Env, EnvFlags, EnvOpenOptions, PutFlags};
use std::path::Path;

pub(crate) struct Lmdb {
    pub(crate) env: &'static Env,
    pub(crate) rows: Database<'static, Bytes, Bytes>,
}

impl Lmdb {
    pub(crate) fn load(folder: &Path, name: &str, rows: &Rows, encoded: &[Vec<u8>]) -> Lmdb {
        let mut options = EnvOpenOptions::new();
        options.map_size(1 << 30).max_dbs(1);
        // SAFETY: the file is in a folder that only this program knows; it is not synced, since it is thrown away.
        let env = unsafe { options.flags(EnvFlags::NO_SYNC | EnvFlags::NO_SUB_DIR).open(folder.join(name)) };
        // Left open until the program ends, so that the database may borrow it.
        let env: &'static Env = Box::leak(Box::new(env.expect("LMDB opens")));
        let txn = env.write_txn().expect("a transaction");
        let opened = env.create_databases_and_commit(txn, |opener, txn| {
            opener.create_database(txn, Some("rows")).map(CommitOrAbort::<_, ()>::Commit)
        });
        let database = opened.expect("a database").unwrap_commit();
        let mut txn = env.write_txn().expect("a transaction");
        for ((key, _), row) in rows.iter().zip(encoded) {
            database.put_with_flags(&mut txn, PutFlags::APPEND, key.as_slice(), row.as_slice()).expect("a row is put");
        }
        txn.commit().expect("a commit");
        Lmdb { env, rows: database }
    }

    pub(crate) fn pages(&self) -> usize {
        let txn = self.env.read_txn().expect("a transaction");
        let stat = self.rows.stat(&txn).expect("the database's figures");
        assert_eq!(stat.page_size, 4_096);
        stat.branch_pages + stat.leaf_pages + stat.overflow_pages
    }
}

/// Pages of a SQLite table with one column per property, and one for the Timestamp.
pub(crate) fn sqlite(folder: &Path, rows: &Rows) -> usize {
    let mut names: Vec<&str> = Vec::new();
    for (name, _) in rows.iter().flat_map(|(_, properties)| properties) {
        if !names.contains(&&**name) {
            names.push(name);
        }
    }
    let connection = rusqlite::Connection::open(folder.join("sqlite")).expect("SQLite opens");
    let columns: String = names.iter().map(|name| format!(", \"{name}\"")).collect();
    let create = format!(
        "PRAGMA page_size = 4096; PRAGMA journal_mode = OFF; BEGIN; \
         CREATE TABLE t (pk TEXT NOT NULL, rk TEXT NOT NULL, ts INTEGER{columns}, PRIMARY KEY (pk, rk)) WITHOUT ROWID;"
    );
    connection.execute_batch(&create).expect("a table");
    let marks = ", ?".repeat(names.len());
    {
        let mut insert = connection.prepare(&format!("INSERT INTO t VALUES (?, ?, ?{marks})")).expect("an insert");
        for (key, properties) in rows {
            let (partition_key, row_key) = crate::codec::key::split_keys(&key[4..]).expect("a row key");
            let text = |key: &[u8]| rusqlite::types::Value::from(String::from_utf8(key.to_vec()).expect("text"));
            let mut values = vec![text(partition_key), text(row_key), TICKS.into()];
            values.extend(names.iter().map(|name| {
                let property = properties.iter().find(|(known, _)| **known == **name);
                property.map_or(rusqlite::types::Value::Null, |(_, value)| sqlite_value(value))
            }));
            insert.execute(rusqlite::params_from_iter(values)).expect("a row is inserted");
        }
    }
    connection.execute_batch("COMMIT").expect("a commit");
    // Without the first page, which holds the schema.
    connection.query_row("PRAGMA page_count", [], |row| row.get::<_, usize>(0)).expect("the number of pages") - 1
}

fn sqlite_value(value: &Value) -> rusqlite::types::Value {
    match value {
        Value::Int32(value) => (*value).into(),
        Value::Int64(value) => (*value).into(),
        Value::Double(value) => (*value).into(),
        Value::DateTime(value) => value.ticks().into(),
        Value::Guid(value) => value.as_bytes().to_vec().into(),
        Value::Boolean(value) => (*value).into(),
        Value::String(value) => value.clone().into(),
        Value::Binary(value) => value.clone().into(),
    }
}
