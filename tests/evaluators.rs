//! One filter on the same rows three times: as rows of shapes, which the store's programs test where they lie; as rows
//! that name their properties themselves, which its plain evaluator looks at; and in the model, which shares no code
//! with either. All three must agree.
//!
//! `ENTABLE_LONG=1` asks a million filters.

#[path = "model/filter.rs"]
mod filter;
#[path = "model/row.rs"]
mod row;
#[path = "model/value.rs"]
mod value;

use entable::{Entity, Mode, Operation, Options, Query, Store, Table, UpdateMode};
use entable_tests::random::Random;
use filter::{Maker, NAMES};
use row::{Key, Row, check_row, check_selected, key};
use std::collections::{BTreeMap, BTreeSet};

/// A table fills this many shapes with this many slots; then a row that fits none of them names its properties itself.
const SHAPES: usize = 256;
const SLOTS: usize = 1_024;

#[test]
fn both_evaluators_answer_as_the_model_does() {
    let is_long = std::env::var("ENTABLE_LONG").is_ok_and(|long| long == "1");
    let rounds = if is_long { 10_000 } else { 30 };
    let seed = std::env::var("ENTABLE_SEED").map_or(1, |seed| seed.parse().expect("ENTABLE_SEED is a number"));
    println!("seed {seed}: {rounds} rounds of 100 filters");
    let mut random = Random::new(seed);
    let store = Store::in_memory_with(&Options::new().mode(Mode::Extended)).expect("a store");
    let mut tables = [Rows::new(&store, "Shaped"), Rows::described(&store)];
    let (mut some, mut asked) = (0, BTreeMap::<String, usize>::new());
    for _ in 0..rounds {
        change(&mut random, &store, &mut tables);
        for _ in 0..100 {
            let mode = random.pick(&[Mode::Strict, Mode::Portable, Mode::Extended]);
            let (partition_keys, row_keys) = keys();
            let times: Vec<i64> = tables[0].rows.values().take(5).map(|row| row.timestamp).collect();
            let maker = Maker {
                random: &mut random,
                is_strict: mode == Mode::Strict,
                partition_keys: &partition_keys,
                row_keys: &row_keys,
                times: &times,
            };
            some += usize::from(ask(maker, mode, &tables, &mut asked));
        }
    }
    let filters = rounds * 100;
    println!("{some} of {filters} filters took some rows and refused some");
    asked.iter().for_each(|(question, count)| println!("{count:>8} {question}"));
    assert!(some * 5 >= filters, "{some} of {filters} filters take some rows and not all");
    for question in filter::questions() {
        let count = asked.get(&question).copied().unwrap_or_default();
        assert!(count >= filters / 1_000, "{question}: {count} of {filters}");
    }
}

/// A table, and what the model knows of it.
struct Rows {
    table: Table,
    rows: BTreeMap<Key, Row>,
}

impl Rows {
    fn new(store: &Store, name: &str) -> Rows {
        Rows { table: store.create_table(name).expect("a table"), rows: BTreeMap::new() }
    }

    /// A table with all its shapes full.
    fn described(store: &Store) -> Rows {
        let described = Rows::new(store, "Described");
        for shape in 0..SHAPES {
            let mut filler = Entity::new("filler", "");
            for slot in 0..SLOTS {
                filler.insert(format!("F{}", shape * SLOTS + slot), false);
            }
            described.table.upsert_entity(filler, UpdateMode::Replace).expect("a row");
        }
        described.table.delete_entity("filler", "").expect("it was there");
        described
    }
}

/// Some keys are so long, together, that the store divides them.
fn keys() -> (Vec<String>, Vec<String>) {
    let partition_keys = ["", "a", "\u{ffff}", "😀"].map(str::to_owned);
    let long = [format!("k{}", "x".repeat(3_000)), "é".repeat(2_500)];
    let row_keys = ["", "1", "12", "a", "A", "o'x", "\u{e000}", "k"].map(str::to_owned);
    (partition_keys.into_iter().chain([long[0].clone()]).collect(), row_keys.into_iter().chain(long).collect())
}

/// The same new rows for both tables.
fn change(random: &mut Random, store: &Store, tables: &mut [Rows; 2]) {
    let (partition_keys, row_keys) = keys();
    let mut rows = BTreeMap::new();
    for partition_key in &partition_keys {
        for row_key in &row_keys {
            if random.percent(50) {
                continue;
            }
            let properties =
                NAMES[..NAMES.len() - 1].iter().filter(|_| random.percent(60)).copied().collect::<Vec<_>>();
            let properties = properties.into_iter().map(|name| (name.to_owned(), value::value(random))).collect();
            let (partition_key, row_key) = (partition_key.clone(), row_key.clone());
            rows.insert(key(&partition_key, &row_key), Row { partition_key, row_key, properties, timestamp: 0 });
        }
    }
    for Rows { table, rows: known } in tables {
        let operations = rows.values().map(|row| {
            let mut entity = Entity::new(row.partition_key.as_str(), row.row_key.as_str());
            for (name, value) in &row.properties {
                entity.insert(name, value.to_store());
            }
            (&*table, Operation::upsert(entity, UpdateMode::Replace).expect("an entity"))
        });
        table.delete_entities(Query::all()).expect("rows are deleted");
        let written = store.submit_batch(operations.collect::<Vec<_>>()).expect("rows are written");
        *known = rows.clone();
        for (row, written) in known.values_mut().zip(written) {
            row.timestamp = written.expect("an upsert has a version").timestamp().ticks();
        }
    }
}

/// Asks both tables, and says whether the filter took some rows and refused some.
fn ask(mut maker: Maker<'_>, mode: Mode, tables: &[Rows; 2], asked: &mut BTreeMap<String, usize>) -> bool {
    let tree = maker.filter();
    let is_descending = mode != Mode::Strict && maker.random.percent(20);
    let select = maker.random.percent(20).then_some(["Size", "RowKey", "Été"]);
    let mut is_some = false;
    for Rows { table, rows } in tables {
        let mut expected: Vec<&Row> = rows.values().filter(|row| filter::is_match(&tree, row, mode)).collect();
        is_some = !expected.is_empty() && expected.len() < rows.len();
        if is_descending {
            expected.reverse();
        }
        let query = filter::query(&tree).mode(mode);
        let query = if is_descending { query.descending() } else { query };
        let count = table.count(query.clone()).expect("a count");
        let query = select.iter().fold(query, |query, names| query.select(names));
        let found = table.query_entities(query).expect("a query").collect::<Result<Vec<_>, _>>().expect("rows");
        let shown = || format!("{mode:?}, {}", filter::shown(&tree));
        assert_eq!((count, found.len()), (expected.len() as u64, expected.len()), "{}", shown());
        for (row, found) in expected.iter().zip(&found) {
            match &select {
                Some(names) => check_selected(row, found, names),
                None => check_row(row, found),
            }
        }
    }
    // A filter that asks the same twice tells it once.
    let mut questions = BTreeSet::new();
    filter::asked(&tree, tables[0].rows.values(), mode, &mut |question| {
        questions.insert(question.to_owned());
    });
    questions.into_iter().for_each(|question| *asked.entry(question).or_default() += 1);
    is_some
}
