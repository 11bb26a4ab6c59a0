//! Tables, moments, and the file.

use crate::reads::{keys_of, keys_of_rows};
use crate::row::check_row;
use crate::run::{Run, open};
use entable::ErrorCode;
use std::rc::Rc;

impl Run {
    pub(crate) fn create_table(&mut self) {
        let name = self.table_name();
        self.note(format!("create table {name}"));
        let expected = Rc::make_mut(&mut self.world).create_table(&name).map_err(|(code, _)| code);
        if expected.is_ok() {
            self.tally.count("table: made");
        }
        assert_eq!(self.store.create_table(&name).map(|_| ()).map_err(|error| error.code()), expected);
    }

    pub(crate) fn delete_table(&mut self) {
        let name = self.table_name();
        self.note(format!("delete table {name}"));
        let expected = Rc::make_mut(&mut self.world).delete_table(&name).map_err(|(code, _)| code);
        if expected.is_ok() {
            self.tally.count("table: dropped");
        }
        assert_eq!(self.store.delete_table(&name).map_err(|error| error.code()), expected);
    }

    pub(crate) fn list_tables(&mut self) {
        let expected: Vec<String> = self.world.tables.values().map(|table| table.name.clone()).collect();
        let found = self.store.list_tables().expect("the tables");
        assert_eq!(found.iter().map(|name| name.as_str().to_owned()).collect::<Vec<_>>(), expected);
        let some = self.store.query_tables("TableName ge 'O'").expect("some tables");
        let expected: Vec<_> = expected.into_iter().filter(|name| name.as_str() >= "O").collect();
        assert_eq!(some.iter().map(|name| name.as_str().to_owned()).collect::<Vec<_>>(), expected);
    }

    pub(crate) fn take_snapshot(&mut self) {
        self.note("snapshot".into());
        self.snapshot = Some((self.store.snapshot().expect("a snapshot"), Rc::clone(&self.world)));
    }

    /// Every row of every table, in order.
    pub(crate) fn compare_all(&mut self) {
        self.note("compare all".into());
        self.list_tables();
        let world = Rc::clone(&self.world);
        for table in world.tables.values() {
            self.check_indexes(table);
            self.check_relations(table);
            let found = self.store.table(&table.name).and_then(|table| table.list_entities()).expect("a query");
            let found: Vec<_> = found.map(|entity| entity.expect("a row")).collect();
            let rows: Vec<_> = table.rows.values().collect();
            assert_eq!(keys_of(&found), keys_of_rows(&rows), "{}", table.name);
            let keys = self.store.table(&table.name).expect("a name").partition_keys();
            let keys: Vec<String> = keys.map(|key| key.expect("a key")).collect();
            let mut expected: Vec<_> = rows.iter().map(|row| row.partition_key.clone()).collect();
            expected.dedup();
            assert_eq!(keys, expected, "PartitionKeys of {}", table.name);
            rows.iter().zip(&found).for_each(|(row, found)| check_row(row, found));
        }
    }

    pub(crate) fn reopen(&mut self) {
        self.note("reopen".into());
        self.store.close();
        if let Some((snapshot, _)) = self.snapshot.take() {
            assert_eq!(snapshot.list_tables().expect_err("an ended snapshot").code(), ErrorCode::StoreClosed);
        }
        self.store = open(&self.path, self.mode);
        // The other process mostly keeps the store open, and sees what the next one writes.
        if self.random.percent(50) && self.other.take().is_some() {
            self.tally.count("other process: started again");
        }
        self.pagings.iter_mut().for_each(|paging| paging.is_reopened = true);
    }
}
