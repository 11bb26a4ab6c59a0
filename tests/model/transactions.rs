//! Interactive transactions: writes, questions and indexes, done together or not at all.

use crate::filter;
use crate::indexes::Change;
use crate::reads::{keys_of, keys_of_rows, matching};
use crate::run::Run;
use crate::writes::operation;
use entable::Query;
use std::rc::Rc;

impl Run {
    pub(crate) fn transaction(&mut self) {
        let (before, times) = (Rc::clone(&self.world), self.times.clone());
        let store = self.store.clone();
        let transaction = store.begin().expect("a transaction");
        self.note("begin".into());
        for _ in 0..1 + self.random.below(6) {
            let name = self.table_name();
            let table = transaction.table(&name).expect("a name");
            match self.random.below(10) {
                0 | 1 => {
                    let change = self.index_change(&name);
                    let done = match &change {
                        Change::Create(_, index) => table.create_index(index.clone()),
                        Change::Drop(name) => table.drop_index(name),
                    };
                    self.check_index_change(&name, change, done);
                    self.tally.count("transaction: index");
                }
                2..=4 => {
                    let (tree, mode) = self.filter();
                    let shown = tree.as_ref().map(filter::shown).unwrap_or_default();
                    self.note(format!("inside: query of {name}: {shown}"));
                    let query = tree.as_ref().map_or_else(Query::all, filter::query).mode(mode);
                    let index = match self.world.table(&name) {
                        Ok(table) if !table.indexes.is_empty() => Some(self.random.pick(&table.indexes).name),
                        _ => None,
                    };
                    let query = index.map_or(query.clone(), |index| query.through(index));
                    let found = table.query_entities(query).and_then(Iterator::collect::<Result<Vec<_>, _>>);
                    let found = found.map_err(|error| error.code());
                    match self.world.table(&name) {
                        Ok(expected) => {
                            let rows: Vec<_> = matching(expected, tree.as_ref(), mode).collect();
                            assert_eq!(keys_of(&found.expect("an answer")), keys_of_rows(&rows), "{shown}");
                        }
                        Err((code, _)) => assert_eq!(found.expect_err("no table"), code),
                    }
                }
                _ => {
                    let partition_key = self.random.pick(&self.partition_keys);
                    let write = self.write(&name, partition_key);
                    self.note(format!("inside: {name}: {write:?}"));
                    let outcome = table.apply(&operation(&write)).map(|written| vec![written]);
                    self.check_writes("transaction", vec![(name, write)], None, outcome);
                }
            }
        }
        if self.random.percent(70) {
            self.note("commit".into());
            transaction.commit().expect("a commit");
            self.tally.count("transaction: committed");
        } else {
            self.note("roll back".into());
            transaction.rollback();
            (self.world, self.times) = (before, times);
            self.tally.count("transaction: given up");
        }
    }
}
