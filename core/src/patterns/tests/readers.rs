//! What a reader finds is what the rows say, for any texts: each reader beside a search through all rows.

use super::*;
use crate::model::compare;
use crate::tests::Random;
use crate::{DateTime, ErrorCode, Store, Value, entity};
use std::cmp::Ordering;
use std::collections::BTreeSet;

/// How a text is compared.
type Norm = fn(&str) -> String;

/// Characters that stand in prefixes, separators and marks, that fold, or that UTF-16 orders otherwise than UTF-8.
const TELLING: &[&str] = &["a", "a", "A", "_", "_", "~", "~~", "0", "5", " ", "'", "ß", "s", "\u{e000}", "\u{10000}"];

fn text(random: &mut Random, most: usize) -> String {
    let count = random.below(most + 1);
    (0..count).map(|_| random.pick(TELLING)).collect()
}

/// Two tables, and the rows that a pattern took.
struct Shelf {
    store: Store,
    rows: Vec<Entity>,
}

impl Shelf {
    fn new() -> Shelf {
        let store = Store::in_memory().unwrap();
        ["Rows", "Beside"].iter().for_each(|name| drop(store.create_table(name).unwrap()));
        Shelf { store, rows: Vec::new() }
    }

    /// Takes the row, unless the pattern or another row's copy forbids it.
    fn insert(&mut self, row: &Entity, changes: Result<Changes>) {
        let Ok(changes) = changes else { return };
        for step in changes.steps() {
            let table = self.store.table(step.table()).unwrap();
            if table.submit_transaction(step.operations().unwrap()).is_err() {
                assert_eq!(changes.steps().len(), 1, "{row:?}");
                return;
            }
        }
        self.rows.push(row.clone());
    }

    fn all(&self, lookup: &Lookup) -> Vec<Entity> {
        let table = self.store.table(lookup.table()).unwrap();
        let found = table.query_entities(lookup).and_then(Iterator::collect::<Result<Vec<_>>>);
        found.unwrap_or_else(|error| panic!("{}: {error}", lookup.filter()))
    }

    fn fetched(&self, keys: Vec<(String, String)>) -> Vec<Entity> {
        self.store.table("Rows").unwrap().get_many(keys).unwrap().into_iter().map(|row| row.expect("a row")).collect()
    }

    /// Compares what the reader finds with the rows that are meant. It may refuse only what no row has.
    fn check(
        &self,
        question: &str,
        lookup: Result<Lookup>,
        rows: impl Fn(&Shelf, Vec<Entity>) -> Vec<Entity>,
        is_meant: impl Fn(&Entity) -> bool,
    ) -> usize {
        let meant: BTreeSet<i64> = self.rows.iter().filter(|row| is_meant(row)).map(number).collect();
        let found = match &lookup {
            Ok(lookup) => rows(self, self.all(lookup)),
            Err(_) => Vec::new(),
        };
        let found_set: BTreeSet<i64> = found.iter().map(number).collect();
        let asked = lookup.as_ref().map_or_else(ToString::to_string, Lookup::filter);
        assert_eq!(found_set, meant, "{question}: {asked}");
        assert_eq!(found.len(), found_set.len(), "{question}: {asked} finds a row twice");
        found.len()
    }
}

fn number(row: &Entity) -> i64 {
    row["N"].as_i64().unwrap()
}

fn string<'e>(row: &'e Entity, name: &str) -> Option<&'e str> {
    row.get(name).and_then(Value::as_str)
}

/// Rows in two partitions, with texts in some of three properties, and some of the texts themselves.
fn random_rows(random: &mut Random, partitions: [&str; 2], count: usize) -> (Vec<Entity>, Vec<String>) {
    let mut rows = Vec::<Entity>::new();
    let mut texts = Vec::new();
    while rows.len() < count {
        let key = (random.pick(&partitions).to_owned(), random.pick(&["", "x_", "k"]).to_owned() + &text(random, 3));
        if rows.iter().any(|row| (row.partition_key(), row.row_key()) == (&*key.0, &*key.1)) {
            continue;
        }
        let mut row = Entity::new(key.0, key.1);
        row.insert("N", i32::try_from(rows.len()).unwrap());
        for name in ["A", "B", "C"] {
            if random.below(5) > 0 {
                let text = text(random, 3);
                texts.push(text.clone());
                row.insert(name, text);
            }
        }
        rows.push(row);
    }
    (rows, texts)
}

/// A text that some row has, or begins with, or any.
fn asked(random: &mut Random, texts: &[String]) -> String {
    let known = random.pick(texts);
    match random.below(4) {
        0 => text(random, 3),
        1 => known.chars().take(1).collect(),
        _ => known,
    }
}

fn folded(text: &str) -> String {
    text.to_lowercase().replace('ß', "ss")
}

fn as_it_is(text: &str) -> String {
    text.to_owned()
}

fn lies_between(text: &str, first: &str, last: &str) -> bool {
    compare::text(first, text) != Ordering::Greater && compare::text(text, last) != Ordering::Greater
}

#[test]
fn copies_are_found_by_the_values_that_rows_have() {
    type Place = (&'static str, [&'static str; 2], fn(Field) -> SecondaryIndex);
    let places: [Place; 4] = [
        ("beside", ["p", "q"], |field| SecondaryIndex::new("Rows", "x_", field)),
        ("partitions", ["id_p", "id_q"], |field| SecondaryIndex::in_partitions("Rows", "id_", "x_", field)),
        ("partitions of rows without a prefix", ["p", "q"], |field| {
            SecondaryIndex::in_partitions("Rows", "", "x_", field)
        }),
        ("table", ["p", "q"], |field| SecondaryIndex::in_table("Rows", "Beside", field)),
    ];
    let forms: [(fn() -> Field, Norm); 3] =
        [(|| Field::new("A"), as_it_is), (|| Field::new("A").folded(), folded), (|| Field::new("A").safe(), as_it_is)];
    for (seed, (name, partitions, place)) in (3..).zip(places) {
        for (form, norm) in forms {
            let (mut random, pattern) = (Random(seed), place(form()));
            let (mut shelf, (rows, texts)) = (Shelf::new(), random_rows(&mut random, partitions, 200));
            for row in &rows {
                // Unique, as the pattern wants it.
                let value = string(row, "A").map(norm);
                let is_taken = |known: &Entity| {
                    known.partition_key() == row.partition_key() && string(known, "A").map(norm) == value
                };
                if value.is_none() || !shelf.rows.iter().any(is_taken) {
                    shelf.insert(row, pattern.changes(None, Some(row)));
                }
            }
            let copies = |_: &Shelf, found| found;
            let mut found = 0;
            for _ in 0..300 {
                let partition = random.pick(&partitions);
                let (one, other) = (asked(&mut random, &texts), asked(&mut random, &texts));
                let holds = |row: &Entity, is_meant: &dyn Fn(String) -> bool| {
                    row.partition_key() == partition && string(row, "A").map(norm).is_some_and(is_meant)
                };
                let question = format!("{name}: {one:?}, {other:?}");
                found += shelf.check(&question, pattern.find(partition, one.as_str()), copies, |row| {
                    holds(row, &|text| text == norm(&one))
                });
                found += shelf.check(&question, pattern.starting_with(partition, &one), copies, |row| {
                    holds(row, &|text| text.starts_with(&norm(&one)))
                });
                shelf.check(&question, pattern.between(partition, one.as_str(), other.as_str()), copies, |row| {
                    holds(row, &|text| lies_between(&text, &norm(&one), &norm(&other)))
                });
                shelf.check(&question, pattern.list(partition), copies, |row| holds(row, &|_| true));
            }
            assert!(shelf.rows.len() > 50 && found > 300, "{name}: {} rows, {found} found", shelf.rows.len());
        }
    }
}

#[test]
fn lists_are_found_by_the_values_that_rows_have() {
    type Pattern = (&'static str, [&'static str; 2], fn() -> IndexEntities);
    let patterns: [Pattern; 6] = [
        ("beside", ["p", "q"], || IndexEntities::new("Rows", "x_", ["A"])),
        ("beside by two", ["p", "q"], || IndexEntities::new("Rows", "x_", ["A", "B"])),
        ("composed", ["p", "q"], || IndexEntities::new("Rows", "x_", ["A", "B"]).composed()),
        ("without a prefix", ["p", "q"], || IndexEntities::new("Rows", "", ["A"])),
        ("partitions", ["p", "x_q"], || IndexEntities::new("Rows", "", ["A", "B"]).placed("rows", "x_")),
        ("table", ["p", "x_q"], || IndexEntities::new("Rows", "x_", ["A"]).placed("Beside", "")),
    ];
    for (seed, (name, partitions, pattern)) in (5..).zip(patterns) {
        let (mut random, pattern) = (Random(seed), pattern());
        let (mut shelf, (rows, texts)) = (Shelf::new(), random_rows(&mut random, partitions, 200));
        for row in &rows {
            let Ok(reads) = pattern.reads(None, Some(row)) else { continue };
            let lists: Vec<Entity> = reads.iter().flat_map(|lookup| shelf.all(lookup)).collect();
            shelf.insert(row, pattern.changes(None, Some(row), &lists));
        }
        let names: &[&str] = if pattern.find("p", ["a"]).is_ok() { &["A"] } else { &["A", "B"] };
        let mut found = 0;
        for _ in 0..300 {
            let partition = random.pick(&partitions);
            let row = random.pick(&rows);
            let own: Option<Vec<String>> = names.iter().map(|name| string(&row, name).map(str::to_owned)).collect();
            let values = match (own, random.below(2)) {
                (Some(own), 0) => own,
                _ => names.iter().map(|_| asked(&mut random, &texts)).collect(),
            };
            let by_lists = |shelf: &Shelf, lists: Vec<Entity>| shelf.fetched(pattern.rows(partition, &lists));
            let question = format!("{name}: {values:?}");
            found += shelf.check(&question, pattern.find(partition, values.clone()), by_lists, |row| {
                row.partition_key() == partition
                    && names.iter().zip(&values).all(|(name, value)| string(row, name) == Some(value))
            });
            shelf.check(&question, pattern.list(partition), by_lists, |row| {
                row.partition_key() == partition && names.iter().all(|name| row.get(name).is_some())
            });
            let lists = shelf.all(&pattern.list(partition).unwrap());
            let listed: Vec<&str> = lists.iter().filter_map(|list| pattern.value_of(list)).collect();
            let distinct: BTreeSet<&str> = listed.iter().copied().collect();
            assert_eq!((listed.len(), lists.len()), (distinct.len(), distinct.len()), "{name}");
        }
        assert!(shelf.rows.len() > 50 && found > 30, "{name}: {} rows, {found} found", shelf.rows.len());
    }
}

#[test]
fn entries_are_found_by_the_values_that_rows_have() {
    type Pattern = (&'static str, &'static [&'static str], fn() -> IndexTable);
    let patterns: [Pattern; 5] = [
        ("by one", &["A"], || IndexTable::full("Rows", "Beside", ["A"])),
        ("by two", &["A", "B"], || IndexTable::full("Rows", "Beside", ["A", "B"])),
        ("by three", &["A", "B", "C"], || IndexTable::normalized("Rows", "Beside", ["A", "B", "C"]).separator("5")),
        ("composed", &["A", "B"], || IndexTable::normalized("Rows", "Beside", ["A", "B"]).composed()),
        ("safe", &["A", "B"], || {
            IndexTable::partial("Rows", "Beside", [Field::new("A").safe(), Field::new("B").safe()], ["N"])
                .separator("~")
        }),
    ];
    for (seed, (name, names, pattern)) in (7..).zip(patterns) {
        let (mut random, pattern) = (Random(seed), pattern().by_both_keys());
        let (mut shelf, (rows, texts)) = (Shelf::new(), random_rows(&mut random, ["p", "q"], 300));
        for row in &rows {
            shelf.insert(row, pattern.changes(None, Some(row)));
        }
        let by_entries =
            |shelf: &Shelf, entries: Vec<Entity>| shelf.fetched(pattern.rows(&entries).expect("entries of rows"));
        let mut found = 0;
        for _ in 0..400 {
            let count = 1 + random.below(names.len());
            let values: Vec<String> = (0..count).map(|_| asked(&mut random, &texts)).collect();
            let (before, last) = values.split_at(count - 1);
            let has_all = |row: &Entity| names.iter().all(|name| row.get(name).is_some());
            let begins =
                |row: &Entity, with: &[String]| names.iter().zip(with).all(|(name, it)| string(row, name) == Some(it));
            let question = format!("{name}: {values:?}");
            found += shelf
                .check(&question, pattern.find(values.clone()), by_entries, |row| has_all(row) && begins(row, &values));
            found += shelf.check(&question, pattern.starting_with(values.clone()), by_entries, |row| {
                let starts = |text: &str| last.iter().all(|start| text.starts_with(start));
                has_all(row) && begins(row, before) && string(row, names[count - 1]).is_some_and(starts)
            });
            let (first, last) = (asked(&mut random, &texts), asked(&mut random, &texts));
            let question = format!("{name}: from {first:?} to {last:?}");
            let lookup = pattern.between(first.as_str(), last.as_str());
            // A bound may be what no row has, and rows still lie between.
            let is_bound = !matches!(&lookup, Err(error) if error.code() == ErrorCode::InvalidInput);
            found += shelf.check(&question, lookup, by_entries, |row| {
                is_bound && has_all(row) && string(row, "A").is_some_and(|text| lies_between(text, &first, &last))
            });
        }
        assert!(shelf.rows.len() > 40 && found > 400, "{name}: {} rows, {found} found", shelf.rows.len());
    }
}

#[test]
fn folded_texts_are_found_in_any_case() {
    type Definition = fn() -> FoldedKey;
    let patterns: [(&str, Definition); 2] =
        [("key", || FoldedKey::keyed("Rows", "x_", "A")), ("property", || FoldedKey::property("Rows", "A", "Folded"))];
    for (name, pattern) in patterns {
        let (mut random, pattern) = (Random(9), pattern());
        let (mut shelf, (rows, texts)) = (Shelf::new(), random_rows(&mut random, ["p", "q"], 250));
        for row in &rows {
            shelf.insert(row, pattern.changes(None, Some(row)));
        }
        let mut found = 0;
        for _ in 0..400 {
            let (partition, one) = (random.pick(&["p", "q"]), asked(&mut random, &texts));
            let holds = |row: &Entity, is_meant: &dyn Fn(String) -> bool| {
                row.partition_key() == partition && string(row, "A").map(folded).is_some_and(is_meant)
            };
            let copies = |_: &Shelf, found| found;
            let question = format!("{name}: {one:?}");
            found += shelf.check(&question, pattern.find(partition, &one), copies, |row| {
                holds(row, &|text| text == folded(&one))
            });
            found += shelf.check(&question, pattern.starting_with(partition, &one), copies, |row| {
                holds(row, &|text| text.starts_with(&folded(&one)))
            });
        }
        assert!(shelf.rows.len() > 50 && found > 300, "{name}: {} rows, {found} found", shelf.rows.len());
    }
}

#[test]
fn parts_of_a_wide_row_are_found_and_no_others() {
    let (mut random, wide) = (Random(13), WideEntity::new("Rows"));
    let mut shelf = Shelf::new();
    let keys = ["", "a", "a_05", "a_", "05", "5", "a~", "~", "~5", "a~5", "a~x", "a~~", "a_05_01", "99x", "7~", "~~"];
    for (number, key) in keys.iter().enumerate() {
        let mut row = entity! { "p", *key, "N" => i32::try_from(number).unwrap() };
        (0..random.pick(&[0, 300])).for_each(|at| drop(row.insert(format!("P{at:03}"), 1)));
        shelf.insert(&row, wide.changes(None, Some(&row)));
    }
    let taken: Vec<&str> = shelf.rows.iter().map(Entity::row_key).collect();
    assert_eq!(taken, keys.iter().copied().filter(|key| !key.contains("~5")).collect::<Vec<_>>());
    for key in keys {
        let found = wide.join(&shelf.all(&wide.find("p", key))).unwrap();
        assert_eq!(found.as_ref(), shelf.rows.iter().find(|row| row.row_key() == key), "{key:?}");
    }
}

#[test]
fn a_range_of_numbers_and_of_dates_is_what_it_says() {
    let time = |n: i64| DateTime::from_ticks(639_000_000_000_000_000 + n).unwrap();
    let (mut shelf, mut other) = (Shelf::new(), Shelf::new());
    let newest = SecondaryIndex::new("Rows", "x_", Field::new("At").newest_first());
    let years = IndexTable::normalized("Rows", "Beside", [Field::new("N").padded(4), Field::new("A")]);
    for n in 0..20 {
        let row = entity! { "p", format!("{n:02}"), "N" => n, "A" => "a_b", "At" => time(i64::from(n)) };
        shelf.insert(&row, newest.changes(None, Some(&row)));
        other.insert(&row, years.changes(None, Some(&row)));
    }
    let is_meant = |row: &Entity| (5..=9).contains(&number(row));
    let copies = |_: &Shelf, found| found;
    assert_eq!(shelf.check("dates", newest.between("p", time(5), time(9)), copies, is_meant), 5);
    let by_entries = |shelf: &Shelf, entries: Vec<Entity>| shelf.fetched(years.rows(&entries).unwrap());
    assert_eq!(other.check("numbers", years.between(5, 9), by_entries, is_meant), 5);
    assert_eq!(other.check("none", years.between(9, 5), by_entries, |_| false), 0);
    let base64 = || Field::new("A").base64();
    let table = IndexTable::full("Rows", "Beside", [base64()]);
    let index = SecondaryIndex::new("Rows", "x_", base64());
    for lookup in [
        table.between("a", "b"),
        table.starting_with(["a"]),
        index.between("p", "a", "b"),
        index.starting_with("p", "a"),
    ] {
        refused(lookup, ErrorCode::InvalidInput, Some("A"));
    }
    assert!(index.list("p").is_ok());
}

fn refused<T: std::fmt::Debug>(result: Result<T>, code: ErrorCode, property: Option<&str>) {
    let error = result.expect_err("a refusal");
    assert_eq!((error.code(), error.details().property.as_deref()), (code, property), "{error}");
}

#[test]
fn a_list_keeps_its_value_when_its_first_part_is_empty() {
    let pattern = IndexEntities::new("Rows", "x_", ["A"]);
    let row = |id: &str| entity! { "p", id, "A" => "v" };
    let parts = [entity! { "p", "x_v", "Ids" => "1", "Ids_02" => "3" }, entity! { "p", "x_v~~0002", "Ids" => "2" }];
    let shelf = Shelf::new();
    let rows = shelf.store.table("Rows").unwrap();
    for entity in parts.iter().chain(&["1", "2", "3"].map(row)) {
        rows.create_entity(entity.clone()).unwrap();
    }
    let after = |id: &str| -> Vec<Entity> {
        let row = rows.get_entity("p", id).unwrap();
        let lists = shelf.all(&pattern.reads(Some(&row), None).unwrap()[0]);
        let changes = pattern.changes(Some(&row), None, &lists).unwrap();
        rows.submit_transaction(changes.group().unwrap().operations().unwrap()).unwrap();
        shelf.all(&pattern.list("p").unwrap())
    };
    assert_eq!(after("1"), [entity! { "p", "x_v", "Ids" => "", "Ids_02" => "3" }, parts[1].clone()]);
    let twice = after("3");
    assert_eq!(twice, [entity! { "p", "x_v", "Ids" => "" }, parts[1].clone()]);
    assert_eq!(pattern.value_of(&twice[0]), Some("v"));
    assert_eq!(pattern.ids(&twice), ["2"]);
    // With the last id all of it goes.
    assert_eq!(after("2"), []);
    assert_eq!(rows.count("").unwrap(), 0);
}

#[test]
fn what_is_no_list_is_not_written_over() {
    let pattern = IndexEntities::new("Rows", "x_", ["A"]);
    let row = entity! { "p", "1", "A" => "v" };
    for (stored, property) in [
        (entity! { "p", "x_v", "Ids" => 5 }, "Ids"),
        (entity! { "p", "x_v", "Ids" => "", "Ids_03" => 5 }, "Ids_03"),
        (entity! { "p", "x_v", "Name" => "a row" }, "Ids"),
    ] {
        refused(
            pattern.changes(None, Some(&row), std::slice::from_ref(&stored)),
            ErrorCode::InvalidInput,
            Some(property),
        );
        refused(pattern.changes(Some(&row), None, &[stored]), ErrorCode::InvalidInput, Some(property));
    }
    let beside = IndexEntities::new("Rows", "", ["A"]);
    let looks_so = entity! { "p", "1", "A" => "v", "Ids" => "2" };
    refused(beside.changes(None, Some(&looks_so), &[]), ErrorCode::InvalidInput, Some("Ids"));
    refused(beside.changes(None, Some(&entity! { "p", "v", "A" => "v" }), &[]), ErrorCode::InvalidInput, Some("A"));
}

#[test]
fn names_that_no_property_has_are_refused() {
    use ErrorCode::{PropertyNameInvalid, PropertyNameTooLong};
    let row = entity! { "p", "1", "A" => "v" };
    for name in ["Timestamp", "PartitionKey", "a b", ""] {
        let lists = IndexEntities::new("Rows", "x_", ["A"]).list_property(name);
        refused(lists.changes(None, Some(&row), &[]), PropertyNameInvalid, Some(name));
        refused(lists.find("p", ["v"]), PropertyNameInvalid, Some(name));
        let folded = FoldedKey::property("Rows", "A", name);
        refused(folded.changes(None, Some(&row)), PropertyNameInvalid, Some(name));
        refused(folded.find("p", "v"), PropertyNameInvalid, Some(name));
    }
    for name in ["Timestamp", "a b"] {
        refused(Field::new(name).text_of("v"), PropertyNameInvalid, Some(name));
        refused(SecondaryIndex::new("Rows", "x_", name).changes(None, Some(&row)), PropertyNameInvalid, Some(name));
        refused(IndexTable::full("Rows", "Beside", [name]).changes(None, Some(&row)), PropertyNameInvalid, Some(name));
        refused(LogTail::new("Rows", name).row_of(&row), PropertyNameInvalid, Some(name));
    }
    let long = |units: usize| IndexEntities::new("Rows", "x_", ["A"]).list_property("x".repeat(units));
    assert!(long(252).changes(None, Some(&row), &[]).is_ok());
    refused(long(253).changes(None, Some(&row), &[]), PropertyNameTooLong, Some(&("x".repeat(253) + "_15")));
}

#[test]
fn refusals_name_the_property_that_is_wrong() {
    let index = |field: &str| SecondaryIndex::new("Rows", "x_", field);
    let put = |pattern: &SecondaryIndex, row: Entity| pattern.changes(None, Some(&row)).map(drop);
    let too_long = "x".repeat(32_769);
    refused(
        put(&index("A"), entity! { "p", "1", "A" => "v", "B" => too_long }),
        ErrorCode::PropertyValueTooLarge,
        Some("B"),
    );
    refused(
        put(&index("A"), entity! { "p", "1", "A" => "v", "no name" => 1 }),
        ErrorCode::PropertyNameInvalid,
        Some("no name"),
    );
    refused(put(&index("A"), entity! { "p", "a/b", "A" => "v" }), ErrorCode::OutOfRangeInput, Some("RowKey"));
    refused(put(&index("A"), entity! { "a/b", "1", "A" => "v" }), ErrorCode::OutOfRangeInput, Some("PartitionKey"));
    refused(put(&index("A"), entity! { "p", "1", "A" => "a/b" }), ErrorCode::OutOfRangeInput, Some("A"));
    let by_two = IndexTable::full("Rows", "Beside", ["A", "B"]);
    let row = entity! { "p", "1", "A" => "a", "B" => "a/b" };
    refused(by_two.changes(None, Some(&row)), ErrorCode::OutOfRangeInput, Some("B"));
    refused(by_two.find(["a", "a/b"]), ErrorCode::OutOfRangeInput, Some("B"));
    let lists = IndexEntities::new("Rows", "x_", ["A", "B"]);
    refused(lists.changes(None, Some(&row), &[]), ErrorCode::OutOfRangeInput, Some("B"));
    let no_table = SecondaryIndex::new("no table", "x_", "A");
    refused(put(&no_table, entity! { "p", "1", "A" => "v" }), ErrorCode::InvalidResourceName, None);
    let apart = SecondaryIndex::in_partitions("Rows", "", "x".repeat(20), "A");
    refused(
        put(&apart, entity! { "p".repeat(1_010), "1", "A" => "v" }),
        ErrorCode::KeyValueTooLarge,
        Some("PartitionKey"),
    );
}

#[test]
fn what_could_not_be_told_apart_is_refused() {
    use ErrorCode::InvalidInput;
    let row = entity! { "p", "x_1", "A" => "v", "B" => "w" };
    let invalid = |result: Result<Changes>, property: Option<&str>| refused(result, InvalidInput, property);
    // Rows that look like copies, and copies in the rows' own table.
    invalid(FoldedKey::keyed("Rows", "x_", "A").changes(None, Some(&row)), Some("A"));
    invalid(FoldedKey::keyed("Rows", "", "A").changes(None, Some(&row)), Some("A"));
    invalid(SecondaryIndex::new("Rows", "", "A").changes(None, Some(&row)), None);
    invalid(SecondaryIndex::in_table("Rows", "ROWS", "A").changes(None, Some(&row)), None);
    invalid(SecondaryIndex::in_partitions("Rows", "p", "p", "A").changes(None, Some(&row)), Some("PartitionKey"));
    invalid(IndexTable::full("Rows", "ROWS", ["A"]).changes(None, Some(&row)), None);
    refused(IndexTable::full("Rows", "Rows", ["A"]).find(["v"]), InvalidInput, None);
    refused(IndexTable::full("Rows", "Rows", ["A"]).next_value(None), InvalidInput, None);
    invalid(
        IndexEntities::new("Rows", "", ["A"]).placed("rows", "p").changes(None, Some(&row), &[]),
        Some("PartitionKey"),
    );
    invalid(UniqueGuard::new("Rows", "x_", "A").changes(None, Some(&row)), Some("A"));
    invalid(UniqueGuard::new("Rows", "", "A").changes(None, Some(&row)), None);
    invalid(UniqueGuard::new("Rows", "", "A").across("rows", "p").changes(None, Some(&row)), None);
    assert!(UniqueGuard::new("Rows", "", "A").across("Rows", "q").changes(None, Some(&row)).is_ok());
    // Separators with which two pairs of values have one key.
    for separator in ["", "__", "ab"] {
        let table = IndexTable::full("Rows", "Beside", ["A", "B"]).separator(separator);
        invalid(table.changes(None, Some(&row)), None);
        refused(table.find(["a", "b"]), InvalidInput, None);
    }
    // A folded text in place of other data.
    let property = FoldedKey::property("Rows", "A", "B");
    invalid(property.changes(None, Some(&row)), Some("B"));
    refused(property.row_of(&row), InvalidInput, Some("B"));
    invalid(property.changes(Some(&row), Some(&row)), Some("B"));
    invalid(FoldedKey::property("Rows", "A", "A").changes(None, Some(&row)), Some("A"));
    let former = entity! { "p", "1", "A" => "Old", "B" => "old" };
    let new = entity! { "p", "1", "A" => "New", "B" => "old" };
    assert!(property.changes(Some(&former), Some(&new)).is_ok());
}

#[test]
fn the_keys_of_one_row_have_a_bound() {
    let many = |count: usize| (0..count).map(|n| n.to_string()).collect::<Vec<_>>().join(",");
    let row = |a: usize, b: usize| entity! { "p", "1", "A" => many(a), "B" => many(b) };
    let fields = || [Field::new("A").each(","), Field::new("B").each(",")];
    let table = IndexTable::normalized("Rows", "Beside", fields());
    let steps = table.changes(None, Some(&row(50, 20))).unwrap();
    assert_eq!(steps.steps().iter().map(|step| step.keys().len()).sum::<usize>(), 1_001);
    let error = table.changes(None, Some(&row(50, 21))).unwrap_err();
    assert_eq!((error.details().limit, error.details().actual), (Some(1_000), Some(1_050)));
    refused(table.changes(None, Some(&row(1, 1_001))), ErrorCode::InvalidInput, Some("B"));
    let lists = IndexEntities::new("Rows", "x_", fields());
    refused(lists.changes(None, Some(&row(1_000, 1_000)), &[]), ErrorCode::InvalidInput, Some("B"));
    assert_eq!(Field::new("A").each(",").one_text(&row(1, 1)).unwrap().as_deref(), Some("0"));
    refused(Field::new("A").each(",").one_text(&row(2, 1)), ErrorCode::InvalidInput, Some("A"));
    let one_key = CompoundKey::new("Rows", fields());
    assert_eq!(one_key.row_of(&row(1, 1)).unwrap().row_key(), "0_0");
    refused(one_key.row_of(&row(1, 2)), ErrorCode::InvalidInput, Some("B"));
    let mut timed = row(2, 1);
    timed.insert("At", DateTime::from_ticks(crate::limits::TICKS_1601).unwrap());
    refused(
        LogTail::new("Rows", "At").id(Field::new("A").each(",")).row_of(&timed),
        ErrorCode::InvalidInput,
        Some("A"),
    );
    assert!(LogTail::new("Rows", "At").id(Field::new("B").each(",")).row_of(&timed).is_ok());
}

#[test]
fn rows_below_others_are_those_that_have_these_values_first() {
    let (mut random, pattern) = (Random(17), CompoundKey::new("Rows", ["A", "B", "C"]).prefix("x_"));
    let (mut shelf, (rows, texts)) = (Shelf::new(), random_rows(&mut random, ["p", "q"], 400));
    for row in &rows {
        shelf.insert(row, pattern.changes(None, Some(row)));
    }
    let mut found = 0;
    for _ in 0..400 {
        let partition = random.pick(&["p", "q"]);
        let count = 1 + random.below(3);
        let row = random.pick(&rows);
        let known = ["A", "B", "C"].iter().map_while(|name| string(&row, name).map(str::to_owned)).take(count);
        let mut values: Vec<String> = if random.below(2) == 0 { known.collect() } else { Vec::new() };
        if values.is_empty() {
            values = (0..count).map(|_| asked(&mut random, &texts)).collect();
        }
        let texts_of = |row: &Entity| -> Vec<String> {
            ["A", "B", "C"].iter().map_while(|name| string(row, name).map(str::to_owned)).collect()
        };
        let is_meant = |row: &Entity, is_self: bool, is_below: bool| {
            let texts = texts_of(row);
            row.partition_key() == partition
                && texts.starts_with(&values)
                && (if texts.len() == values.len() { is_self } else { is_below })
        };
        let as_found = |_: &Shelf, found| found;
        let question = format!("{values:?}");
        found +=
            shelf.check(&question, pattern.find(partition, values.clone()), as_found, |row| is_meant(row, true, false));
        found += shelf
            .check(&question, pattern.below(partition, values.clone()), as_found, |row| is_meant(row, false, true));
        let both = pattern.with_below(partition, values.clone());
        found += shelf.check(&question, both, as_found, |row| is_meant(row, true, true));
    }
    assert!(shelf.rows.len() > 50 && found > 200, "{} rows, {found} found", shelf.rows.len());
}

#[test]
fn a_series_has_all_years_and_periods_only() {
    for period in [Period::Year, Period::Month, Period::Day, Period::Hour] {
        let (series, shelf) = (DataSeries::new("Rows", period), Shelf::new());
        let rows = shelf.store.table("Rows").unwrap();
        for ticks in [0, 1_000_000_000_000_000, crate::limits::TICKS_LAST] {
            let time = DateTime::from_ticks(ticks).unwrap();
            let changes = series.record("s", time, 1).unwrap();
            rows.submit_transaction(changes.steps()[0].operations().unwrap()).unwrap();
            let found = shelf.all(&series.find("s", time).unwrap());
            let values = series.values(&found[0]).unwrap();
            assert!(values.len() == 1 && values[0].0 <= time, "{period:?} of {time}: {values:?}");
        }
        for key in ["", "junk", "2026x201", "202613", "20260230", "2026120124", "0000", "２０", "+2026"] {
            refused(series.changes(None, Some(&Entity::new("s", key))), ErrorCode::InvalidInput, Some("RowKey"));
        }
    }
    let days = DataSeries::new("Rows", Period::Day);
    let day = entity! { "s", "20261201", "h07" => 1 };
    assert!(!days.remove(&day, "2026-12-01T07:30:00Z".parse().unwrap()).unwrap().is_empty());
    refused(days.remove(&day, "2026-12-02T07:30:00Z".parse().unwrap()), ErrorCode::InvalidInput, Some("RowKey"));
}
