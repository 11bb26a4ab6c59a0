//! Every way through an index answers as the way by keys does, in the same order, page by page.

use crate::index::{Index, Projection, Scope};
use crate::query::access::forced::{FORCED, Forced, WAS_THERE};
use crate::tests::Random;
use crate::{DateTime, Entity, Mode, Operation, Query, Result, Store, Table, UpdateMode, Value};
use std::collections::BTreeMap;

const NAMES: [&str; 3] = ["A", "B", "C"];

/// Values that are hard to tell apart or to order.
fn values() -> Vec<Value> {
    let long = |end: &str| Value::from("x".repeat(512) + end);
    vec![
        Value::from(0),
        Value::from(-0.0),
        Value::from(5),
        Value::from(5_i64),
        Value::from(5.0),
        Value::from(5.5),
        Value::from(f64::NAN),
        Value::from(f64::NEG_INFINITY),
        Value::from((1_i64 << 53) + 1),
        Value::from((1_i64 << 53) as f64),
        Value::from(i64::MAX),
        Value::from(true),
        Value::from(false),
        Value::from(DateTime::from_ticks(600_000_000_000_000_000).unwrap()),
        Value::from(crate::Guid::from_bytes([7; 16])),
        Value::from(""),
        Value::from("a"),
        Value::from("A"),
        Value::from("a\0"),
        Value::from("ab"),
        Value::from("\u{ffff}"),
        Value::from("\u{1f600}"),
        long(""),
        long("a"),
        long("b"),
        long("B"),
        Value::from(vec![0_u8]),
        Value::from(vec![0_u8; 513]),
        Value::from(vec![0_u8; 514]),
    ]
}

fn random_index(random: &mut Random, number: usize) -> Index {
    let mut names = vec!["A", "B", "C", "RowKey", "Timestamp"];
    let count = 1 + random.below(3);
    let properties: Vec<&str> = (0..count).map(|_| names.swap_remove(random.below(names.len()))).collect();
    let projection = match random.below(4) {
        0 => Projection::All,
        1 => Projection::names(["A", "B"]),
        _ => Projection::Keys,
    };
    let scope = random.pick(&[Scope::Table, Scope::Table, Scope::Partition]);
    Index::new(format!("I{number}"))
        .properties(properties)
        .scope(scope)
        .projection(projection)
        .fold_case(random.below(4) == 0)
}

/// A filter's text, with its parameters in the query.
struct Filters<'r> {
    random: &'r mut Random,
    values: Vec<Value>,
    parameters: Vec<Value>,
}

impl Filters<'_> {
    fn parameter(&mut self, value: Value) -> String {
        self.parameters.push(value);
        format!("@p{}", self.parameters.len() - 1)
    }

    fn tree(&mut self, depth: usize) -> String {
        match self.random.below(if depth == 0 { 6 } else { 12 }) {
            0..=5 => self.leaf(),
            6 => format!("not ({})", self.tree(depth - 1)),
            7..=9 => format!("({}) and ({})", self.tree(depth - 1), self.tree(depth - 1)),
            _ => format!("({}) or ({})", self.tree(depth - 1), self.tree(depth - 1)),
        }
    }

    fn leaf(&mut self) -> String {
        let name = self.random.pick(&NAMES);
        let op = self.random.pick(&["eq", "eq", "eq", "ne", "lt", "le", "gt", "ge"]);
        let value = self.random.pick(&self.values);
        match self.random.below(16) {
            0 => format!("{name} eq null"),
            1 => format!("{name} ne null"),
            2 => name.to_owned(),
            3 => format!("startswith({name}, {})", self.text()),
            4 => format!("startswith(tolower({name}), {})", self.text()),
            5 => format!("tolower({name}) {op} {}", self.text()),
            6 => {
                let other = self.random.pick(&self.values);
                format!("{name} in ({}, {})", self.parameter(value), self.parameter(other))
            }
            7 => format!("contains({name}, 'a')"),
            8 | 9 => format!("PartitionKey {op} '{}'", self.random.pick(&["p", "q"])),
            10 => format!("RowKey {op} 'Row {}'", self.random.below(30)),
            11 => {
                let ticks = 630_000_000_000_000_000 + self.random.below(300) as i64;
                let time = self.parameter(Value::from(DateTime::from_ticks(ticks).unwrap()));
                format!("Timestamp {op} {time}")
            }
            _ => format!("{name} {op} {}", self.parameter(value)),
        }
    }

    fn text(&mut self) -> String {
        let texts: Vec<Value> = self.values.iter().filter(|value| value.as_str().is_some()).cloned().collect();
        let text = self.random.pick(&texts);
        self.parameter(text)
    }
}

fn random_query(random: &mut Random) -> (String, Query) {
    let mut filters = Filters { random, values: values(), parameters: Vec::new() };
    let text = filters.tree(2);
    let parameters = filters.parameters;
    let mut query = Query::filter(text.clone());
    for (number, value) in parameters.into_iter().enumerate() {
        query = query.parameter(format!("p{number}"), value);
    }
    if random.below(3) == 0 {
        query = query.descending();
    }
    if random.below(3) == 0 {
        query =
            query.select(random.pick(&[vec!["A"], vec!["B", "PartitionKey", "RowKey"], vec!["Timestamp"], vec!["C"]]));
    }
    if random.below(3) == 0 {
        query = query.limit(random.below(30) as u64);
    }
    if random.below(2) == 0 {
        query = query.page_size(1 + random.below(20));
    }
    (text, query)
}

/// All pages that hold something, each entity with everything that it tells, the properties in their order. (A scan
/// finds out that a page was the last by an empty one.)
fn answer(table: &Table, query: &Query) -> Result<Vec<Vec<String>>> {
    let told = |entity: &Entity| {
        let properties: Vec<String> = entity.properties().map(|(name, value)| format!("{name}={value:?}")).collect();
        let keys = (entity.partition_key(), entity.row_key());
        format!("{keys:?} {:?} {:?} {properties:?}", entity.etag(), entity.timestamp())
    };
    let pages = table.query_entities(query.clone())?.by_page();
    let pages = pages.map(|page| Ok(page?.entities.iter().map(told).collect()));
    pages
        .filter(|page: &Result<Vec<String>>| page.as_ref().is_ok_and(|page| !page.is_empty()) || page.is_err())
        .collect()
}

fn forced<T>(way: Option<Forced>, job: impl FnOnce() -> T) -> (T, bool) {
    FORCED.set(way);
    WAS_THERE.set(false);
    let done = job();
    FORCED.set(None);
    (done, WAS_THERE.get())
}

fn random_write(random: &mut Random) -> Operation {
    let row_key = match random.below(25) {
        0 => "L".repeat(1_000) + &random.below(3).to_string(),
        _ => format!("Row {}", random.below(60)),
    };
    let mut entity = Entity::new(random.pick(&["p", "q", "\u{ffff}"]), row_key);
    for name in NAMES {
        if random.below(4) > 0 {
            entity.insert(name, random.pick(&values()));
        }
    }
    match random.below(6) {
        0 => Operation::delete(entity.partition_key(), entity.row_key()),
        1 => Operation::upsert(entity, UpdateMode::Merge).unwrap(),
        _ => Operation::upsert(entity, UpdateMode::Replace).unwrap(),
    }
}

#[test]
fn every_way_answers_as_the_keys_do() {
    let (seeds, queries) =
        if std::env::var("ENTABLE_LONG").is_ok_and(|long| long == "1") { (40, 600) } else { (8, 160) };
    let mut tally = BTreeMap::<String, usize>::new();
    for seed in 1..=seeds {
        let mut random = Random(seed * 0x9e37_79b9);
        let clock = DateTime::from_ticks(630_000_000_000_000_000).unwrap();
        let mode = random.pick(&[Mode::Portable, Mode::Extended]);
        let options = crate::Options::new().mode(mode).clock(move || clock);
        let store = Store::in_memory_with(&options).unwrap();
        let table = store.create_table("Things").unwrap();
        for number in 0..queries {
            for _ in 0..3 {
                // A delete of what is not there changes nothing.
                let _ = table.submit_transaction([random_write(&mut random)]);
            }
            let declared = table.list_indexes().unwrap();
            if declared.len() < 5 && random.below(4) == 0 {
                table.create_index(random_index(&mut random, number)).unwrap();
            } else if !declared.is_empty() && random.below(15) == 0 {
                table.drop_index(declared[random.below(declared.len())].name()).unwrap();
            }
            let (text, mut query) = random_query(&mut random);
            let is_narrow = random.below(4) == 0;
            if is_narrow && !text.contains("tolower") && !text.contains("null") && !text.contains("with") {
                query = query.mode(Mode::Strict).page_size(7);
            }
            let (expected, _) = forced(Some(Forced::Keys), || answer(&table, &query));
            let Ok(expected) = expected else { continue };
            let (count, _) = forced(Some(Forced::Keys), || table.count(query.clone()).unwrap());
            let ways = (0..5).map(Forced::Index).chain([Forced::Union]).map(Some).chain([None]);
            for way in ways {
                let say =
                    || format!("seed {seed}, query {number}, {way:?}: {text}\n{query:?}\n{:?}", table.list_indexes());
                let (found, was_there) =
                    forced(way, || answer(&table, &query).unwrap_or_else(|e| panic!("{e}: {}", say())));
                assert_eq!(found, expected, "{}", say());
                let (found, _) = forced(way, || table.count(query.clone()).unwrap());
                assert_eq!(found, count, "{}", say());
                if was_there {
                    let some = if count == 0 { "none" } else { "some" };
                    *tally.entry(format!("{way:?} {some}")).or_default() += 1;
                }
            }
        }
    }
    println!("{tally:#?}");
    for way in ["Some(Index(0)) some", "Some(Index(1)) some", "Some(Union) some"] {
        assert!(tally.get(way).is_some_and(|count| *count > 20), "{way}: {tally:?}");
    }
}

/// Every filter of the vectors, by keys and through an index on each property of what is given.
#[test]
fn filters_of_the_vectors_answer_alike_through_an_index_on_each_property() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/vectors");
    // The package alone has no vectors.
    let Ok(files) = std::fs::read_dir(folder) else { return };
    let (mut asked, mut through) = (0, 0);
    for file in files {
        let content = std::fs::read_to_string(file.unwrap().path()).unwrap();
        let Ok(content) = serde_json::from_str::<serde_json::Value>(&content) else { continue };
        let given = |value: &serde_json::Value| value.get("given").and_then(|given| given.as_array().cloned());
        let filter = |value: &serde_json::Value| value.get("filter").and_then(|text| text.as_str().map(str::to_owned));
        let of_file = given(&content).or_else(|| content.get("entity").map(|entity| vec![entity.clone()]));
        let members = ["cases", "rows"].into_iter().filter_map(|name| content.get(name)?.as_array()).flatten();
        for case in members {
            let steps = case.get("steps").and_then(|steps| steps.as_array().cloned()).unwrap_or_default();
            let filters: Vec<String> = filter(case).into_iter().chain(steps.iter().filter_map(filter)).collect();
            let Some(entities) = given(case).or_else(|| of_file.clone()).filter(|_| !filters.is_empty()) else {
                continue;
            };
            let table = Store::in_memory().unwrap().create_table("Things").unwrap();
            let mut names = vec!["RowKey".to_owned(), "Timestamp".to_owned(), "Missing".to_owned()];
            for entity in entities {
                // Long values are written in a short form there; other tests have such.
                let Ok(entity) = crate::entity_from_json(&entity.to_string(), Mode::Extended) else { continue };
                names.extend(entity.properties.iter().map(|(name, _)| name.to_string()));
                let _ = table.upsert_entity(entity, UpdateMode::Replace);
            }
            names.sort();
            names.dedup();
            for (number, name) in names.iter().take(60).enumerate() {
                let index = Index::new(name.clone()).properties([name.clone()]).fold_case(number % 5 == 4);
                let _ = table.create_index(index);
            }
            let indexes = table.list_indexes().unwrap().len();
            for (filter, mode) in filters
                .iter()
                .flat_map(|filter| [Mode::Portable, Mode::Strict, Mode::Extended].map(|mode| (filter, mode)))
            {
                let query = Query::filter(filter.clone()).mode(mode);
                let Ok(expected) = forced(Some(Forced::Keys), || answer(&table, &query)).0 else { continue };
                asked += 1;
                for way in (0..indexes).map(Forced::Index).chain([Forced::Union]) {
                    let (found, was_there) = forced(Some(way), || answer(&table, &query).unwrap());
                    assert_eq!(found, expected, "{filter} in {mode:?}, {way:?}");
                    through += usize::from(was_there);
                    if !was_there && way != Forced::Union {
                        break;
                    }
                }
            }
        }
    }
    println!("{asked} answers by keys, {through} through indexes");
    assert!(asked > 300 && through > 200, "{asked} {through}");
}
