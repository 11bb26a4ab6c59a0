//! SQLite, set up by someone who knows it: WAL, a sync for every commit, mmap, 64 MB of cache, statements kept.

use super::{Batch, INDEXED, Peer, SQLITE, bytes_below, rows};
use crate::rows::{Ask, Row};
use rusqlite::{Connection, ToSql};
use std::fs;
use std::hint::black_box;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::thread;

pub(super) struct Sqlite {
    connection: Connection,
    insert: String,
    folder: PathBuf,
}

const PRAGMAS: &str = "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA mmap_size = 17179869184; \
                       PRAGMA cache_size = -65536;";

impl Sqlite {
    pub(super) fn open<R: Row>(folder: &Path) -> Sqlite {
        let connection = Connection::open(folder.join("db")).expect("SQLite opens");
        connection.execute_batch(PRAGMAS).expect("pragmas");
        let columns = R::columns();
        let create = format!(
            "CREATE TABLE IF NOT EXISTS t (PartitionKey TEXT NOT NULL, RowKey TEXT NOT NULL, {}, \
             PRIMARY KEY (PartitionKey, RowKey)) WITHOUT ROWID",
            columns.join(", ")
        );
        connection.execute_batch(&create).expect("a table");
        connection.set_prepared_statement_cache_capacity(64);
        let insert = format!("INSERT INTO t VALUES (?, ?{})", ", ?".repeat(columns.len()));
        Sqlite { connection, insert, folder: folder.to_owned() }
    }

    fn run(&self, sql: &str) {
        self.connection.prepare_cached(sql).and_then(|mut statement| statement.execute([])).expect("a statement");
    }

    fn collect<R: Row>(&self, sql: &str, parameters: &[&dyn ToSql]) -> u64 {
        let mut statement = self.connection.prepare_cached(sql).expect("a statement");
        let rows = statement.query_map(parameters, R::from_sql).expect("a query").collect::<Result<Vec<_>, _>>();
        black_box(rows.expect("rows")).len() as u64
    }
}

impl<R: Row> Peer<R> for Sqlite {
    fn name(&self) -> &'static str {
        SQLITE
    }

    fn insert(&mut self, batch: Batch<R>) {
        let mut statement = self.connection.prepare_cached(&self.insert).expect("a statement");
        for row in rows(batch) {
            row.insert(&mut statement).expect("a row");
        }
    }

    fn load(&mut self, batch: Batch<R>) {
        self.run("BEGIN IMMEDIATE");
        self.insert(batch);
        self.run("COMMIT");
    }

    /// One connection behind one lock: what a program does that has a store and threads.
    fn insert_by_callers(&mut self, rows: Vec<Vec<Batch<R>>>) {
        let connection = Mutex::new(self);
        let connection = &connection;
        thread::scope(|scope| {
            for rows in rows {
                scope.spawn(move || {
                    for row in rows {
                        connection.lock().expect("no thread panics").insert(row);
                    }
                });
            }
        });
    }

    fn delete_where(&mut self, partition_key: &str, ask: &Ask) -> u64 {
        let condition = ask.condition();
        let deleted = match ask.city() {
            Some(city) => {
                let sql = format!("DELETE FROM t WHERE PartitionKey = ?2 AND {condition}");
                let statement = self.connection.prepare_cached(&sql);
                statement.and_then(|mut statement| statement.execute([city, partition_key]))
            }
            None => {
                let sql = format!("DELETE FROM t WHERE PartitionKey = ?1 AND {condition}");
                let statement = self.connection.prepare_cached(&sql);
                statement.and_then(|mut statement| statement.execute([partition_key]))
            }
        };
        deleted.expect("a delete") as u64
    }

    fn delete(&mut self, partition_key: &str, row_key: &str) {
        let statement = self.connection.prepare_cached("DELETE FROM t WHERE PartitionKey = ?1 AND RowKey = ?2");
        let deleted = statement.and_then(|mut statement| statement.execute([partition_key, row_key]));
        assert_eq!(deleted.expect("a delete"), 1);
    }

    fn get(&mut self, partition_key: &str, row_key: &str) -> u64 {
        let sql = "SELECT * FROM t WHERE PartitionKey = ?1 AND RowKey = ?2";
        let mut statement = self.connection.prepare_cached(sql).expect("a statement");
        black_box(statement.query_row([partition_key, row_key], R::from_sql).expect("a row that is there"));
        1
    }

    fn range(&mut self, partition_key: &str, row_key: &str, limit: u32) -> u64 {
        let sql = "SELECT * FROM t WHERE PartitionKey = ?1 AND RowKey >= ?2 ORDER BY PartitionKey, RowKey LIMIT ?3";
        self.collect::<R>(sql, &[&partition_key, &row_key, &limit])
    }

    fn scan(&mut self, partition_key: Option<&str>, ask: &Ask) -> u64 {
        let condition = ask.condition();
        match (partition_key, ask.city()) {
            (None, None) => self.collect::<R>(&format!("SELECT * FROM t WHERE {condition}"), &[]),
            (None, Some(city)) => self.collect::<R>(&format!("SELECT * FROM t WHERE {condition}"), &[&city]),
            (Some(key), Some(city)) => {
                let sql = format!("SELECT * FROM t WHERE PartitionKey = ?2 AND {condition}");
                self.collect::<R>(&sql, &[&city, &key])
            }
            (Some(key), None) => {
                self.collect::<R>(&format!("SELECT * FROM t WHERE PartitionKey = ?1 AND {condition}"), &[&key])
            }
        }
    }

    fn count(&mut self, ask: Option<&Ask>) -> u64 {
        let sql = match ask {
            Some(ask) => format!("SELECT count(*) FROM t WHERE {}", ask.condition()),
            None => "SELECT count(*) FROM t".to_owned(),
        };
        let mut statement = self.connection.prepare_cached(&sql).expect("a statement");
        let city = ask.and_then(Ask::city);
        let count = statement.query_row(rusqlite::params_from_iter(city), |row| row.get::<_, i64>(0));
        count.expect("a count") as u64
    }

    fn create_index(&mut self, number: usize) {
        let name = INDEXED[number];
        self.run(&format!("CREATE INDEX by{name} ON t ({name})"));
    }

    fn drop_index(&mut self, number: usize) {
        self.run(&format!("DROP INDEX by{}", INDEXED[number]));
    }

    fn file_bytes(&mut self) -> u64 {
        self.connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(())).expect("a checkpoint");
        bytes_below(&self.folder)
    }

    fn live_bytes(&mut self) -> Option<u64> {
        let number =
            |pragma| -> u64 { self.connection.pragma_query_value(None, pragma, |row| row.get(0)).expect("a number") };
        Some((number("page_count") - number("freelist_count")) * number("page_size"))
    }

    fn compacted_bytes(&mut self) -> Option<u64> {
        let path = self.folder.join("compacted");
        self.connection.execute("VACUUM INTO ?1", [path.to_str().expect("a path of text")]).expect("a copy");
        let bytes = bytes_below(&path);
        fs::remove_file(path).expect("the copy is removed");
        Some(bytes)
    }
}
