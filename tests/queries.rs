//! Filters on keys are planned as ranges; whatever the plan, the answer is that of looking at every row.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use entable::{AccessPath, Entity, Error, ErrorCode, Index, Mode, Operation, Query, Snapshot, Store, Table, entity};
use proptest::prelude::*;
use std::cmp::Ordering;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, Mutex, OnceLock};
use std::thread;

const KEYS: [&str; 9] = ["", "A", "a", "aa", "ab", "b", "\u{ffff}", "\u{1f600}", "\u{e000}x"];
const OPS: [&str; 6] = ["eq", "ne", "gt", "ge", "lt", "le"];

/// A filter, and what it means.
#[derive(Clone, Debug)]
enum Tree {
    Compare { on_partition: bool, op: usize, key: usize },
    Starts { on_partition: bool, key: usize },
    In { on_partition: bool, keys: Vec<usize> },
    Number { op: usize, number: i32 },
    And(Vec<Tree>),
    Or(Vec<Tree>),
    Not(Box<Tree>),
}

fn trees() -> impl Strategy<Value = Tree> {
    let key = 0..KEYS.len();
    let leaf = prop_oneof![
        6 => (any::<bool>(), 0..OPS.len(), key.clone()).prop_map(|(on_partition, op, key)| Tree::Compare { on_partition, op, key }),
        1 => (any::<bool>(), key.clone()).prop_map(|(on_partition, key)| Tree::Starts { on_partition, key }),
        1 => (any::<bool>(), proptest::collection::vec(key, 1..4)).prop_map(|(on_partition, keys)| Tree::In { on_partition, keys }),
        1 => (0..OPS.len(), 0..9).prop_map(|(op, number)| Tree::Number { op, number }),
    ];
    leaf.prop_recursive(4, 16, 3, |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 2..4).prop_map(Tree::And),
            proptest::collection::vec(inner.clone(), 2..4).prop_map(Tree::Or),
            inner.prop_map(|inner| Tree::Not(Box::new(inner))),
        ]
    })
}

fn name(on_partition: bool) -> &'static str {
    if on_partition { "PartitionKey" } else { "RowKey" }
}

fn text(tree: &Tree) -> String {
    let joined = |parts: &[Tree], word| format!("({})", parts.iter().map(text).collect::<Vec<_>>().join(word));
    match tree {
        Tree::Compare { on_partition, op, key } => format!("{} {} '{}'", name(*on_partition), OPS[*op], KEYS[*key]),
        Tree::Starts { on_partition, key } => format!("startswith({}, '{}')", name(*on_partition), KEYS[*key]),
        Tree::In { on_partition, keys } => {
            let keys: Vec<_> = keys.iter().map(|key| format!("'{}'", KEYS[*key])).collect();
            format!("{} in ({})", name(*on_partition), keys.join(", "))
        }
        Tree::Number { op, number } => format!("N {} {number}", OPS[*op]),
        Tree::And(parts) => joined(parts, " and "),
        Tree::Or(parts) => joined(parts, " or "),
        Tree::Not(inner) => format!("not ({})", text(inner)),
    }
}

fn holds(op: usize, order: Ordering) -> bool {
    match OPS[op] {
        "eq" => order.is_eq(),
        "ne" => order.is_ne(),
        "gt" => order.is_gt(),
        "ge" => order.is_ge(),
        "lt" => order.is_lt(),
        _ => order.is_le(),
    }
}

fn utf16(a: &str, b: &str) -> Ordering {
    a.encode_utf16().cmp(b.encode_utf16())
}

fn is_match(tree: &Tree, (partition, row, number): &(&str, &str, i32)) -> bool {
    let key_of = |on_partition| if on_partition { *partition } else { *row };
    match tree {
        Tree::Compare { on_partition, op, key } => holds(*op, utf16(key_of(*on_partition), KEYS[*key])),
        Tree::Starts { on_partition, key } => key_of(*on_partition).starts_with(KEYS[*key]),
        Tree::In { on_partition, keys } => keys.iter().any(|key| KEYS[*key] == key_of(*on_partition)),
        Tree::Number { op, number: constant } => holds(*op, number.cmp(constant)),
        Tree::And(parts) => parts.iter().all(|part| is_match(part, &(partition, row, *number))),
        Tree::Or(parts) => parts.iter().any(|part| is_match(part, &(partition, row, *number))),
        Tree::Not(inner) => !is_match(inner, &(partition, row, *number)),
    }
}

type Row = (&'static str, &'static str, i32);

/// All pairs of keys but some, so that partitions differ; a neighbour table on either side must never show.
fn table() -> &'static (Table, Vec<Row>) {
    static TABLE: OnceLock<(Table, Vec<Row>)> = OnceLock::new();
    TABLE.get_or_init(|| {
        let store = Store::in_memory().unwrap();
        let tables: Vec<Table> = ["Before", "Rows", "After"].map(|name| store.create_table(name).unwrap()).into();
        let mut rows = Vec::new();
        for (at, partition) in KEYS.into_iter().enumerate() {
            for (number, row) in KEYS.into_iter().enumerate() {
                if (at + number) % 4 != 3 {
                    rows.push((partition, row, number as i32));
                }
            }
        }
        for (partition, row, number) in &rows {
            for table in &tables {
                table.create_entity(entity! { *partition, *row, "N" => *number }).unwrap();
            }
        }
        rows.sort_by(|a, b| utf16(a.0, b.0).then(utf16(a.1, b.1)));
        (tables[1].clone(), rows)
    })
}

fn keys(entities: &[Entity]) -> Vec<(&str, &str)> {
    entities.iter().map(|entity| (entity.partition_key(), entity.row_key())).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1_000, ..ProptestConfig::default() })]

    #[test]
    fn plans_answer_as_looking_at_every_row_does(tree in trees(), page_size in 1..12_usize, descending in any::<bool>()) {
        let (table, rows) = table();
        let filter = text(&tree);
        let mut expected: Vec<_> = rows.iter().filter(|row| is_match(&tree, row)).map(|row| (row.0, row.1)).collect();
        let mut query = Query::filter(filter.clone()).page_size(page_size);
        if descending {
            query = query.descending();
            expected.reverse();
        }
        let mut found = Vec::new();
        for page in table.query_entities(query.clone()).unwrap().by_page() {
            let page = page.unwrap();
            prop_assert!(page.entities.len() <= page_size);
            found.extend(page.entities);
        }
        prop_assert_eq!(keys(&found), expected.clone(), "{}\n{}", filter, table.explain(query.clone()).unwrap());
        prop_assert_eq!(table.count(query.clone()).unwrap(), expected.len() as u64, "{}", filter);
        // Walking over rows, with seeks in between, never reads one twice.
        prop_assert!(table.explain(query.page_size(1_000)).unwrap().rows_read() <= rows.len() as u64);
    }
}

#[test]
fn a_token_read_from_a_line_is_the_same_token() {
    let (table, _) = table();
    let query = || Query::all().page_size(2);
    let token = table.query_page(query()).unwrap().continuation_token.unwrap().to_string();
    let next = |text: &str| {
        let page = table.query_page(query().continue_from(text.parse()?))?;
        Ok::<_, entable::Error>(keys(&page.entities).into_iter().map(|(_, key)| key.to_owned()).collect::<Vec<_>>())
    };
    let expected = next(&token).unwrap();
    assert_eq!(next(&format!(" {token}\r\n")).unwrap(), expected);
    let (head, tail) = token.split_at(10);
    assert_eq!(next(&format!("{head} {tail}")).unwrap_err().code(), ErrorCode::InvalidInput);
    let empty = table.query_page(query().page_size(0)).unwrap();
    assert!(empty.entities.is_empty() && empty.continuation_token.is_none());
}

#[test]
fn partition_keys_come_once_and_in_order() {
    let (table, rows) = table();
    let mut expected: Vec<&str> = rows.iter().map(|row| row.0).collect();
    expected.dedup();
    let found: Vec<String> = table.partition_keys().collect::<Result<_, _>>().unwrap();
    assert_eq!(found, expected);
    let store = Store::in_memory().unwrap();
    let many = store.create_table("Many").unwrap();
    assert_eq!(many.partition_keys().count(), 0);
    // More than are read at a time, of one row and of many.
    let operations = (0..2_500).flat_map(|partition| {
        (0..if partition % 100 == 0 { 40 } else { 1 })
            .map(move |row| Operation::create(entity! { format!("{partition:05}"), format!("{row:03}") }).unwrap())
    });
    store.submit_batch(operations.map(|operation| (&many, operation)).collect::<Vec<_>>()).unwrap();
    let found: Vec<String> = many.partition_keys().collect::<Result<_, _>>().unwrap();
    assert_eq!(found, (0..2_500).map(|partition| format!("{partition:05}")).collect::<Vec<_>>());
}

#[test]
fn deleting_by_filter_deletes_what_the_filter_asks_for() {
    let store = Store::in_memory().unwrap();
    let check = |query: Query, chunk: Option<u64>, expected: &[i32]| {
        let table = store.create_table("Rows").unwrap();
        for number in 0..10 {
            table
                .create_entity(
                    entity! { if number % 2 == 0 { "even" } else { "odd" }, format!("{number}"), "N" => number },
                )
                .unwrap();
        }
        let deleted = match chunk {
            Some(chunk) => table.delete_entities_in_chunks(query, chunk).unwrap(),
            None => table.delete_entities(query).unwrap(),
        };
        let mut left: Vec<i32> =
            table.list_entities().unwrap().map(|row| row.unwrap()["N"].as_i64().unwrap() as i32).collect();
        left.sort_unstable();
        assert_eq!((deleted as usize, left.as_slice()), (10 - expected.len(), expected));
        store.delete_table("Rows").unwrap();
    };
    check(Query::all(), None, &[]);
    check("N ge 3".into(), None, &[0, 1, 2]);
    check("PartitionKey eq 'even'".into(), None, &[1, 3, 5, 7, 9]);
    check(Query::all().limit(4), None, &[1, 3, 5, 7, 8, 9]);
    check(Query::all().limit(4).descending(), None, &[0, 1, 2, 4, 6, 8]);
    for chunk in [1, 2, 3, 100] {
        check("N ge 3".into(), Some(chunk), &[0, 1, 2]);
        check(Query::filter("N ge 3").limit(5), Some(chunk), &[0, 1, 2, 7, 9]);
        check(Query::filter("N ge 3").limit(5).descending(), Some(chunk), &[0, 1, 2, 4, 6]);
        check(Query::filter("PartitionKey eq 'odd' or RowKey eq '2'").limit(3), Some(chunk), &[0, 4, 5, 6, 7, 8, 9]);
    }
}

#[test]
fn deleting_in_chunks_goes_on_behind_what_it_has_deleted() {
    let store = Store::in_memory().unwrap();
    let check = |has_index: bool, query: fn() -> Query, added: fn(u32) -> String| {
        let table = store.create_table("Rows").unwrap();
        if has_index {
            table.create_index(Index::new("N").properties(["N"])).unwrap();
        }
        for number in 0..200 {
            table.create_entity(entity! { "p", format!("m{number:03}"), "N" => 1 }).unwrap();
        }
        let stop = AtomicBool::new(false);
        let deleted = thread::scope(|scope| {
            // Rows that the query asks for, always on the side that the deletion comes from.
            scope.spawn(|| {
                for number in 0..5_000 {
                    if stop.load(Relaxed) {
                        break;
                    }
                    table.create_entity(entity! { "p", added(number), "N" => 1 }).unwrap();
                }
            });
            // So that some are added in the midst of it.
            while table.count("RowKey lt 'm' or RowKey gt 'n'").unwrap() == 0 {
                thread::yield_now();
            }
            let there = table.count(query()).unwrap();
            let deleted = table.delete_entities_in_chunks(query(), 1).unwrap();
            stop.store(true, Relaxed);
            assert!(deleted < there + 100, "{deleted} were deleted where {there} had been");
            deleted
        });
        assert!(deleted >= 200);
        assert_eq!(table.count("RowKey ge 'm' and RowKey lt 'n'").unwrap(), 0);
        store.delete_table("Rows").unwrap();
    };
    for has_index in [false, true] {
        check(has_index, || Query::filter("N eq 1"), |number| format!("a{:04}", 5_000 - number));
        check(has_index, || Query::filter("N eq 1").descending(), |number| format!("z{number:04}"));
    }
}

/// What is asked whether to go on is asked in the midst of a read, and may call whatever it likes.
#[test]
fn who_is_asked_whether_to_go_on_never_waits_for_himself() {
    fn check(calls: impl Fn(&Store, &Snapshot) -> Option<ErrorCode> + Send + Sync + 'static) -> Option<ErrorCode> {
        let store = Store::in_memory().unwrap();
        let table = store.create_table("Rows").unwrap();
        let row = |number: u32| Operation::create(entity! { "p", format!("{number:04}"), "N" => 1 }).unwrap();
        store.submit_batch((0..1_000).map(|number| (&table, row(number)))).unwrap();
        let snapshot = store.snapshot().unwrap();
        let (seen, told) = (Arc::new(Mutex::new(None)), (store.clone(), snapshot.clone()));
        let asked = Arc::clone(&seen);
        let query = Query::filter("N eq 1").stop_if(move || {
            *asked.lock().unwrap() = Some(calls(&told.0, &told.1));
            false
        });
        assert_eq!(table.at(&snapshot).count(query.clone()).unwrap(), 1_000);
        let of_the_snapshot = seen.lock().unwrap().take().expect("it was asked");
        let after = table.at(&snapshot).count(Query::all()).err().map(|error| error.code());
        assert_eq!(after, snapshot.list_tables().err().map(|error| error.code()), "the turn is given back");
        // In a deletion, which has the turn at writing.
        let _ = table.delete_entities(query);
        of_the_snapshot.or(after)
    }
    fn code(outcome: Result<(), Error>) -> Option<ErrorCode> {
        outcome.err().map(|error| error.code())
    }
    let get = |table: Table| code(table.get_entity("p", "0001").map(|_| ()));
    assert_eq!(check(move |store, _| get(store.table("Rows").unwrap())), None);
    assert_eq!(check(move |store, at| get(store.table("Rows").unwrap().at(at))), Some(ErrorCode::StoreBusy));
    assert_eq!(check(move |_, at| code(at.list_tables().map(|_| ()))), Some(ErrorCode::StoreBusy));
    let closed = Some(ErrorCode::StoreClosed);
    let ended = |_: &Store, at: &Snapshot| {
        at.close();
        None
    };
    assert_eq!(check(ended), closed);
    let shut = |store: &Store, _: &Snapshot| {
        store.close();
        None
    };
    assert_eq!(check(shut), closed);
    assert_eq!(check(move |store, _| code(store.sync()).filter(|it| *it != ErrorCode::TransactionOpen)), None);
}

#[test]
fn explain_tells_the_path_and_what_it_cost() {
    let (table, rows) = table();
    let check = |filter: &str, path: AccessPath, rows_read: u64, residual: Option<&str>| {
        let explain = table.explain(filter).unwrap();
        assert_eq!((explain.path(), explain.rows_read(), explain.residual()), (path, rows_read, residual), "{explain}");
    };
    let all = rows.len() as u64;
    let in_a = rows.iter().filter(|row| row.0 == "a").count() as u64;
    check("PartitionKey eq 'a' and RowKey eq 'aa'", AccessPath::Point, 1, None);
    check("PartitionKey eq 'a' and (RowKey eq 'aa' or RowKey eq 'ab')", AccessPath::Points, 2, None);
    check("PartitionKey eq 'a' and RowKey ge 'aa' and RowKey lt 'ab'", AccessPath::Range, 1, None);
    check("PartitionKey eq 'a' and N ge 0", AccessPath::PartitionScan, in_a, Some("N ge 0"));
    check("PartitionKey eq 'a' and PartitionKey eq 'b'", AccessPath::Nothing, 0, None);
    check("PartitionKey lt 'a' and PartitionKey gt 'a' and N eq 1", AccessPath::Nothing, 0, None);
    check("not (PartitionKey ne 'a')", AccessPath::PartitionScan, in_a, None);
    check("N eq 100", AccessPath::TableScan, all, Some("N eq 100"));
    check("", AccessPath::TableScan, all, None);
    check("false", AccessPath::Nothing, 0, None);
    assert_eq!(table.explain("RowKey eq 'b'").unwrap().path(), AccessPath::SkipScan);
}

#[test]
fn what_nothing_can_match_reads_nothing() {
    let (table, rows) = table();
    for filter in [
        "false",
        "not true",
        "PartitionKey eq 'a' and PartitionKey eq 'b'",
        "RowKey lt 'a' and RowKey gt 'b'",
        "PartitionKey eq 'a' and not (PartitionKey eq 'a')",
        "PartitionKey eq null",
        "startswith(PartitionKey, 'a') and PartitionKey ge 'b'",
        "PartitionKey in ('a', 'b') and PartitionKey eq 'A'",
        "N gt 5 and N lt 5",
        "N eq 5 and not (N eq 5)",
        "N eq 5 and N eq '5'",
        "N eq NaN",
        "N eq null and N eq 1",
        "Timestamp lt datetime'2020-01-01T00:00:00Z' and Timestamp gt datetime'2021-01-01T00:00:00Z'",
        "(N eq 1 and false) or (RowKey eq 'a' and RowKey eq 'b') or (N gt 2 and N le 2)",
    ] {
        let explain = table.explain(filter).unwrap();
        assert_eq!(explain.path(), AccessPath::Nothing, "{filter}: {explain}");
        assert_eq!((explain.ranges().len(), explain.rows_estimated(), explain.rows_read()), (0, 0, 0), "{filter}");
        assert_eq!((table.count(filter).unwrap(), table.delete_entities(filter).unwrap()), (0, 0), "{filter}");
    }
    // These only seem to be.
    let all = rows.len() as u64;
    for (filter, count) in [
        ("N gt 5 or N le 5", all),
        ("N eq 5 or not (N eq 5)", all),
        ("not (N gt 5 and N lt 5)", all),
        ("N ne NaN", all),
        ("N ge 5 and N le 5", rows.iter().filter(|row| row.2 == 5).count() as u64),
        ("N eq 5 and N eq 5.0", rows.iter().filter(|row| row.2 == 5).count() as u64),
    ] {
        assert_eq!(table.count(filter).unwrap(), count, "{filter}");
    }
}

#[test]
fn a_plan_of_many_terms_stays_small() {
    let (table, rows) = table();
    // Of 3,000 partitions on, one row each: as disjoint ranges these would be millions.
    let steps = |count: usize, word: &str| {
        (0..count).map(|n| format!("(PartitionKey ge 'p{n:05}' and RowKey {word} 'r{n:05}')")).collect::<Vec<_>>()
    };
    for (filter, expected) in [
        (steps(3_000, "eq").join(" or "), 0),
        (steps(3_000, "ne").join(" and "), rows.iter().filter(|row| row.0 > "p").count()),
        (format!("not ({})", steps(3_000, "eq").join(" or ")), rows.len()),
        (format!("PartitionKey eq 'a' and ({})", steps(3_000, "eq").join(" or ")), 0),
        (
            format!("RowKey eq 'a' or {}", steps(3_000, "eq").join(" or ")),
            rows.iter().filter(|row| row.1 == "a").count(),
        ),
    ] {
        let explain = table.explain(filter.as_str()).unwrap();
        assert!(explain.ranges().len() <= 16_384, "{} ranges", explain.ranges().len());
        assert_eq!(explain.rows_returned(), expected as u64, "{}", filter.chars().take(80).collect::<String>());
        assert_eq!(table.count(filter).unwrap(), expected as u64);
    }
    // Ten thousand points are still points.
    let points: Vec<String> = (0..10_000).map(|n| format!("'{n:05}'")).collect();
    let explain = table.explain(format!("PartitionKey eq 'a' and RowKey in ({})", points.join(", "))).unwrap();
    assert_eq!((explain.path(), explain.ranges().len(), explain.rows_read()), (AccessPath::Points, 10_000, 0));
}

#[test]
fn explain_names_what_else_there_was() {
    let (table, rows) = table();
    let in_a = rows.iter().filter(|row| row.0 == "a").count() as u64;
    let check = |filter: &str, expected: &[(AccessPath, u64, bool)]| {
        let explain = table.explain(filter).unwrap();
        let considered = explain.considered().iter();
        let considered: Vec<_> = considered.map(|way| (way.path(), way.rows(), way.is_taken())).collect();
        assert_eq!(considered, expected, "{explain}");
    };
    let (all, scan) = (rows.len() as u64, AccessPath::TableScan);
    check("N eq 1", &[(scan, all, true)]);
    check("PartitionKey eq 'a'", &[(AccessPath::PartitionScan, in_a, true), (scan, all, false)]);
    check(
        "PartitionKey eq 'a' and RowKey eq 'aa'",
        &[(AccessPath::Point, 1, true), (AccessPath::PartitionScan, in_a, false), (scan, all, false)],
    );
    check("PartitionKey eq 'a' and false", &[(AccessPath::Nothing, 0, true), (scan, all, false)]);
}

#[test]
fn explain_says_what_the_cloud_says_and_what_cannot_match() {
    let (table, _) = table();
    let check = |filter: &str, cloud: &[&str], warnings: &[&str]| {
        let explain = table.explain(filter).unwrap();
        assert_eq!(
            (explain.cloud(), explain.warnings()),
            (
                &cloud.iter().map(|s| (*s).to_owned()).collect::<Vec<_>>()[..],
                &warnings.iter().map(|s| (*s).to_owned()).collect::<Vec<_>>()[..]
            )
        );
    };
    check("N eq 5", &[], &[]);
    check("N eq 5.0", &["`N eq 5.0`: the service compares a Double with Double properties alone."], &[]);
    check("N eq 5L", &["`N eq 5L`: the service compares an Int64 with Int64 properties alone."], &[]);
    check("N eq '5'", &[], &["`N eq '5'`: N is stored as Edm.Int32, never as Edm.String."]);
    check("n eq 5", &[], &["`n eq 5`: no stored row has a property n."]);
    check("startswith(RowKey, 'a')", &["`startswith(RowKey, 'a')`: the service answers 501 NotImplemented."], &[]);
    check("N in (1, 2)", &["`N in (1, 2)`: the service answers 400 InvalidInput."], &[]);
    let strict = table.explain(Query::filter("N eq 5L").mode(Mode::Strict)).unwrap();
    assert_eq!((strict.cloud(), strict.warnings().len()), (&[][..], 1));
}

#[test]
fn what_no_index_serves_is_refused() {
    let (table, _) = table();
    let refused = |query: Query| table.query_page(query).err().map(|error| error.code());
    assert_eq!(refused(Query::all().order_by("N")), Some(ErrorCode::NotImplemented));
    assert_eq!(refused(Query::all().order_by("PartitionKey")), None);
    assert_eq!(refused(Query::all().order_by("PartitionKey").mode(Mode::Strict)), Some(ErrorCode::NotImplemented));
    assert_eq!(refused(Query::all().descending().mode(Mode::Strict)), Some(ErrorCode::NotImplemented));
    assert_eq!(refused(Query::all().page_size(1_001).mode(Mode::Strict)), Some(ErrorCode::InvalidInput));
    assert_eq!(refused(Query::all().page_size(1_001)), None);
}

#[test]
fn an_order_ends_with_the_index_that_gives_it() {
    let table = Store::in_memory().unwrap().create_table("Orders").unwrap();
    table.create_index(Index::new("ByTotal").properties(["Total"])).unwrap();
    for number in 0..10 {
        table.create_entity(entity! { "DE", format!("{number}"), "Total" => 10 - number }).unwrap();
    }
    let mut pages = table.query_entities(Query::all().order_by("Total").page_size(4)).unwrap().by_page();
    assert_eq!(pages.next().unwrap().unwrap().entities.len(), 4);
    table.drop_index("ByTotal").unwrap();
    assert_eq!(pages.next().unwrap().unwrap_err().code(), ErrorCode::InvalidInput);
    assert!(pages.next().is_none(), "an error ends the walk");
}

#[test]
fn the_longest_keys_work_sort_page_and_delete() {
    let store = Store::in_memory().unwrap();
    let table = store.create_table("Long").unwrap();
    let long = |end: &str| format!("{}{end}", "€".repeat(1_024 - end.encode_utf16().count()));
    let row_key = |number: usize| long(&format!("{number:05}"));
    let partition = long("");
    let operations = (0..10_000).rev().map(|number| {
        (&table, Operation::create(entity! { partition.clone(), row_key(number), "N" => number as i32 }).unwrap())
    });
    store.submit_batch(operations).unwrap();
    // Neighbours that differ in their last character, or are shorter.
    for neighbour in [long("\u{20ab}"), long("\u{20ad}"), "€".repeat(1_023)] {
        table.create_entity(entity! { neighbour, "" }).unwrap();
    }
    let numbers: Vec<i64> = table
        .query_entities(Query::filter("PartitionKey eq @p").parameter("p", partition.as_str()).page_size(777))
        .unwrap()
        .map(|row| row.unwrap()["N"].as_i64().unwrap())
        .collect();
    assert_eq!(numbers, (0..10_000).collect::<Vec<_>>());
    assert_eq!(table.get_entity(&partition, &row_key(4_321)).unwrap()["N"], 4_321);
    let within = Query::filter("PartitionKey eq @p and RowKey ge @a and RowKey lt @b")
        .parameter("p", partition.as_str())
        .parameter("a", row_key(10))
        .parameter("b", row_key(20));
    assert_eq!((table.count(within.clone()).unwrap(), table.explain(within.clone()).unwrap().rows_read()), (10, 10));
    assert_eq!(table.count(Query::all()).unwrap(), 10_003);
    assert_eq!(table.delete_entities(within).unwrap(), 10);
    table.delete_entity(&partition, &row_key(0)).unwrap();
    assert_eq!(table.count(Query::all()).unwrap(), 9_992);
    let too_long = "€".repeat(1_025);
    let error = table.create_entity(entity! { too_long, "" }).unwrap_err();
    assert_eq!(
        (error.code(), error.details().limit, error.details().actual),
        (ErrorCode::KeyValueTooLarge, Some(1_024), Some(1_025))
    );
}
