//! Reads: by keys, and by filters.

use crate::filter::{self, Maker, Tree};
use crate::indexes::Declared;
use crate::row::{Row, check_row, check_selected, key};
use crate::run::Run;
use crate::world::{Table, World};
use entable::{AccessPath, Entity, Error, ErrorCode, Explain, Mode, Query};
use std::rc::Rc;

impl Run {
    pub(crate) fn point_reads(&mut self) {
        let name = self.table_name();
        let (store, world, what) = self.moment(&name);
        let table = store.expect("a handle");
        let keys: Vec<_> = (0..1 + self.random.below(4))
            .map(|_| (self.random.pick(&self.partition_keys), self.random.pick(&self.row_keys)))
            .collect();
        self.note(format!("{what} point reads of {keys:?} in {name}"));
        self.tally.count(format!("{what}: read"));
        let many = table.get_many(keys.iter().map(|(partition_key, row_key)| (partition_key, row_key)));
        let expected = match world.table(&name) {
            Ok(table) => table,
            Err((code, _)) => {
                assert_eq!(many.expect_err("no table").code(), code);
                assert_eq!(table.get_entity("a", "a").expect_err("no table").code(), code);
                assert_eq!(table.exists("a", "a").expect_err("no table").code(), code);
                return;
            }
        };
        for ((partition_key, row_key), found) in keys.iter().zip(many.expect("an answer")) {
            let row = expected.rows.get(&key(partition_key, row_key));
            let single = table.get_entity(partition_key, row_key);
            assert_eq!(table.exists(partition_key, row_key).expect("an answer"), row.is_some());
            match (row, found, single) {
                (None, None, Err(error)) => assert_eq!(error.code(), ErrorCode::ResourceNotFound),
                (Some(row), Some(found), Ok(single)) => {
                    check_row(row, &found);
                    check_row(row, &single);
                }
                (row, found, single) => panic!("{row:?}: {found:?}, {single:?}"),
            }
        }
    }

    /// The table now, or in the snapshot, with the model of that moment.
    pub(crate) fn moment(&mut self, name: &str) -> (Result<entable::Table, Error>, Rc<World>, &'static str) {
        let table = self.store.table(name);
        match &self.snapshot {
            Some((snapshot, world)) if self.random.percent(30) => {
                (table.map(|table| table.at(snapshot)), Rc::clone(world), "snapshot")
            }
            _ => (table, Rc::clone(&self.world), "now"),
        }
    }

    pub(crate) fn filter(&mut self) -> (Option<Tree>, Mode) {
        let mode = if self.random.percent(20) { Mode::Strict } else { self.mode };
        if self.random.percent(8) {
            return (None, mode);
        }
        let mut maker = Maker {
            random: &mut self.random,
            is_strict: mode == Mode::Strict,
            partition_keys: &self.partition_keys,
            row_keys: &self.row_keys,
            times: &self.times,
        };
        (Some(maker.filter()), mode)
    }

    pub(crate) fn query(&mut self) {
        let name = self.table_name();
        let (mut tree, mode) = self.filter();
        let (table, world, what) = self.moment(&name);
        let table = table.expect("a handle");
        if mode != Mode::Strict
            && self.random.percent(10)
            && let Ok(lookup) = world.table(&name).map(|table| self.lookup(table))
        {
            tree = lookup.or(tree);
        }
        let is_descending = mode != Mode::Strict && self.random.percent(25);
        let limit = self.random.percent(20).then(|| self.random.below(20));
        let select =
            self.random.percent(20).then(|| self.random.pick(&[vec!["Size"], vec!["RowKey", "Kind", "Missing"]]));
        let page_size = if self.random.percent(50) { 1_000 } else { 1 + self.random.below(200) };
        let mut query = tree.as_ref().map_or_else(Query::all, filter::query).mode(mode).page_size(page_size);
        if is_descending {
            query = query.descending();
        }
        if let Some(limit) = limit {
            query = query.limit(limit as u64);
        }
        let shown = tree.as_ref().map(filter::shown).unwrap_or_default();
        self.note(format!("{what} query {mode:?} of {name}: {shown}; limit {limit:?}, descending {is_descending}"));
        self.tally.count(format!("{what}: read"));
        let count = table.count(query.clone());
        let unselected = query.clone();
        if let Some(names) = &select {
            query = query.select(names);
        }
        let found = table.query_entities(query.clone()).and_then(|found| found.collect::<Result<Vec<_>, _>>());
        let expected = match world.table(&name) {
            Ok(table) => table,
            Err((code, _)) => {
                // A limit of 0 asks nothing of the table.
                if limit != Some(0) {
                    assert_eq!(found.expect_err("no table").code(), code);
                }
                return;
            }
        };
        let mut rows: Vec<_> = matching(expected, tree.as_ref(), mode).collect();
        if let Some(tree) = &tree {
            filter::asked(tree, expected.rows.values(), mode, &mut |question| self.tally.count(question));
        }
        if expected.rows.len() > 1 && tree.is_some() {
            self.tally.count(match rows.len() {
                0 => "filter: no rows",
                taken if taken == expected.rows.len() => "filter: all rows",
                _ => "filter: some rows",
            });
        }
        if is_descending {
            rows.reverse();
        }
        rows.truncate(limit.unwrap_or(usize::MAX));
        let found = found.unwrap_or_else(|error| panic!("{error:?}: {shown}"));
        let explain = table.explain(unselected).unwrap_or_else(|error| panic!("{error:?}: {shown}"));
        self.tally.count(format!("path: {}", explain.path()));
        assert_eq!(explain.rows_returned(), rows.len() as u64, "{explain}");
        // Walking over rows, with seeks in between, reads none twice; what nothing can match reads nothing.
        let most = if explain.path() == AccessPath::Nothing { 0 } else { expected.rows.len() };
        // Each page after the first looks at its first row twice.
        // Ranges of an index are read again for each page, and branches of an `or` may meet in a row.
        let is_by_keys = explain.index().is_none() && explain.path() != AccessPath::Union;
        assert!(!is_by_keys || explain.rows_read() <= (most + rows.len() / page_size) as u64, "{explain}");
        assert_eq!(count.expect("a count"), rows.len() as u64, "{explain}");
        check_answer(&found, &rows, select.as_deref(), &explain);
        if expected.indexes.is_empty() || mode == Mode::Strict && is_descending {
            return;
        }
        // The same by keys, and through an index that may be a bad one for it.
        let is_asked = |index: &&Declared| shown.contains(&format!("{} ", index.properties[0]));
        let asked: Vec<_> = expected.indexes.iter().filter(is_asked).cloned().collect();
        let index = self.random.pick(if asked.is_empty() { &expected.indexes } else { &asked }).name;
        for forced in [query.clone().by_keys(), query.through(index)] {
            let explain = table.explain(forced.clone()).unwrap_or_else(|error| panic!("{error:?}: {shown}"));
            let found = table.query_entities(forced.clone()).and_then(Iterator::collect::<Result<Vec<_>, _>>);
            let found = found.unwrap_or_else(|error| panic!("{error:?}: {shown}"));
            check_answer(&found, &rows, select.as_deref(), &explain);
            assert_eq!(table.count(forced).expect("a count"), rows.len() as u64, "{explain}");
            if explain.index().is_some() && !rows.is_empty() {
                self.tally.count(format!("through: {}", explain.path()));
            }
            if explain.is_covered() && !rows.is_empty() {
                self.tally.count("through: no row fetched");
            }
        }
    }
}

fn check_answer(found: &[Entity], rows: &[&Row], select: Option<&[&str]>, explain: &Explain) {
    match select {
        None => {
            assert_eq!(keys_of(found), keys_of_rows(rows), "{explain}");
            rows.iter().zip(found).for_each(|(row, found)| check_row(row, found));
        }
        Some(names) => {
            assert_eq!(found.len(), rows.len(), "{explain}");
            rows.iter().zip(found).for_each(|(row, found)| check_selected(row, found, names));
        }
    }
}

/// The rows that the filter takes, in key order.
pub(crate) fn matching<'a>(table: &'a Table, tree: Option<&'a Tree>, mode: Mode) -> impl Iterator<Item = &'a Row> {
    table.rows.values().filter(move |row| tree.is_none_or(|tree| filter::is_match(tree, row, mode)))
}

pub(crate) fn keys_of(entities: &[Entity]) -> Vec<(&str, &str)> {
    entities.iter().map(|entity| (entity.partition_key(), entity.row_key())).collect()
}

pub(crate) fn keys_of_rows<'a>(rows: &[&'a Row]) -> Vec<(&'a str, &'a str)> {
    rows.iter().map(|row| (row.partition_key.as_str(), row.row_key.as_str())).collect()
}
