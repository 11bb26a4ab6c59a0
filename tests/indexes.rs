//! Queries through indexes: which way is taken, what is read, and that the answer is that of looking at every row.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use entable::index::{Projection, Scope};
use entable::{AccessPath, Entity, ErrorCode, Explain, Index, Operation, Query, Store, Table, Value, entity};

const ROWS: usize = 20_000;

/// Rows in 20 partitions: `City` has 400 values, `Kind` is nearly always the same, `Mail` is unique, `Age` missing now
/// and then.
fn people() -> Table {
    let store = Store::in_memory().unwrap();
    let table = store.create_table("People").unwrap();
    let operations = (0..ROWS).map(|number| {
        let mut row = entity! {
            format!("P{:02}", number % 20), format!("{number:06}"),
            "City" => format!("City {:03}", number * 7 % 400),
            "Kind" => if number % 10 == 0 { "rare" } else { "common" },
            "Mail" => format!("User{number}@example.org"),
        };
        if !number.is_multiple_of(50) {
            row.insert("Age", Value::from((number % 90) as i32));
        }
        (&table, Operation::create(row).unwrap())
    });
    store.submit_batch(operations).unwrap();
    table
}

fn keys(table: &Table, query: impl Into<Query>) -> Vec<String> {
    table.query_entities(query).unwrap().map(|row| row.unwrap().row_key().to_owned()).collect()
}

/// Way, index, rows and entries read, rows returned.
fn told(explain: &Explain) -> (AccessPath, Option<&str>, u64, u64, u64) {
    (explain.path(), explain.index(), explain.rows_read(), explain.entries_read(), explain.rows_returned())
}

#[test]
fn the_way_that_reads_least_is_taken() {
    let table = people();
    let check = |filter: &str, expected: (AccessPath, Option<&str>, u64, u64, u64)| {
        let explain = table.explain(filter).unwrap();
        assert_eq!(told(&explain), expected, "{explain}");
        assert!(explain.considered().iter().filter(|one| one.is_taken()).count() == 1, "{explain}");
    };
    let by_city = "City eq 'City 007'";
    check(by_city, (AccessPath::TableScan, None, 20_000, 0, 50));
    let (scanned, in_cities) = (keys(&table, by_city), keys(&table, "City in ('City 007', 'City 010')"));
    table.create_index(Index::new("ByCity").properties(["City", "Age"])).unwrap();
    table.create_index(Index::new("ByKind").properties(["Kind"])).unwrap();
    table.create_index(Index::new("ByMail").properties(["Mail"]).unique(true).fold_case(true)).unwrap();
    table.create_index(Index::new("ByRowKey").properties(["RowKey"])).unwrap();

    check(by_city, (AccessPath::IndexRange, Some("ByCity"), 50, 50, 50));
    assert_eq!(keys(&table, by_city), scanned);
    assert_eq!(keys(&table, "City in ('City 007', 'City 010')"), in_cities);
    check("City eq 'City 007' and Age eq null", (AccessPath::IndexEquality, Some("ByCity"), 0, 0, 0));
    check("City eq 'City 000' and Age eq null", (AccessPath::IndexEquality, Some("ByCity"), 50, 50, 50));
    // Keys are seen in the entries.
    check("City eq 'City 007' and PartitionKey eq 'P01'", (AccessPath::IndexRange, Some("ByCity"), 50, 50, 50));
    check("City eq 'City 007' and PartitionKey eq 'P02'", (AccessPath::IndexRange, Some("ByCity"), 0, 50, 0));
    check("tolower(Mail) eq 'user77@example.org'", (AccessPath::UniqueIndex, Some("ByMail"), 1, 1, 1));
    check("Mail eq 'user77@example.org'", (AccessPath::UniqueIndex, Some("ByMail"), 1, 1, 0));
    check("RowKey eq '000777'", (AccessPath::IndexEquality, Some("ByRowKey"), 1, 1, 1));
    check("City eq 'City 007' or Mail eq 'User5@example.org'", (AccessPath::Union, None, 51, 51, 51));
    // What most rows have is no reason to fetch them one by one. (Each page but the last looks at one row more.)
    check("Kind eq 'common'", (AccessPath::TableScan, None, 20_017, 0, 18_000));
    // The keys are better.
    check("PartitionKey eq 'P07' and RowKey eq '000007' and Kind eq 'common'", (AccessPath::Point, None, 1, 0, 1));
    assert_eq!(table.count("Kind eq 'common'").unwrap(), 18_000);
    assert_eq!(
        table.count("Kind eq 'rare' and City gt 'City 3'").unwrap(),
        table_count(&table, |row| { row["Kind"] == "rare" && row["City"].as_str() > Some("City 3") })
    );
    assert_eq!(table.delete_entities("City eq 'City 007'").unwrap(), 50);
    check(by_city, (AccessPath::IndexRange, Some("ByCity"), 0, 0, 0));
}

fn table_count(table: &Table, matches: impl Fn(&Entity) -> bool) -> u64 {
    table.list_entities().unwrap().filter(|row| matches(row.as_ref().unwrap())).count() as u64
}

#[test]
fn entries_that_hold_what_is_wanted_spare_the_rows() {
    let table = people();
    let query = || Query::filter("City eq 'City 021' and Age gt 30").select(["RowKey", "Mail", "Timestamp"]);
    let from_rows: Vec<Entity> = table.query_entities(query()).unwrap().map(Result::unwrap).collect();
    table
        .create_index(Index::new("ByCity").properties(["City", "Age"]).projection(Projection::names(["Mail"])))
        .unwrap();
    let explain = table.explain(query()).unwrap();
    assert!(explain.is_covered() && explain.rows_read() == 0 && explain.entries_read() > 0, "{explain}");
    assert!(explain.to_string().contains("no row fetched"), "{explain}");
    let from_entries: Vec<Entity> = table.query_entities(query()).unwrap().map(Result::unwrap).collect();
    assert!(!from_rows.is_empty());
    assert_eq!(from_entries, from_rows);
    assert!(from_entries.iter().zip(&from_rows).all(|(a, b)| (a.etag(), a.timestamp()) == (b.etag(), b.timestamp())));
    assert!(!table.explain(query().select(["Kind"])).unwrap().is_covered());
}

#[test]
fn an_index_gives_its_order_both_ways_page_by_page() {
    let table = people();
    let refused = table.query_page(Query::all().order_by("Age")).unwrap_err();
    assert_eq!((refused.code(), refused.details().property.as_deref()), (ErrorCode::NotImplemented, Some("Age")));
    table.create_index(Index::new("ByAge").properties(["Age"])).unwrap();
    table.create_index(Index::new("ByCity").properties(["City", "Age"]).scope(Scope::Partition)).unwrap();

    // Reference: sorted by value, then by key; what is missing first.
    let sorted = |matches: &dyn Fn(&Entity) -> bool| {
        let rows = table.list_entities().unwrap().map(Result::unwrap).filter(|row| matches(row));
        let mut rows: Vec<_> = rows
            .map(|row| {
                (row.get("Age").and_then(Value::as_i64), row.partition_key().to_owned(), row.row_key().to_owned())
            })
            .collect();
        rows.sort();
        rows.into_iter().map(|(.., row_key)| row_key).collect::<Vec<_>>()
    };
    let mut all = sorted(&|_| true);
    let ascending = keys(&table, Query::all().order_by("Age").page_size(777));
    assert_eq!(ascending, all);
    let some = sorted(&|row| row["Kind"] == "rare");
    assert_eq!(keys(&table, Query::filter("Kind eq 'rare'").order_by("Age").page_size(100)), some);
    all.reverse();
    assert_eq!(keys(&table, Query::all().order_by("Age").descending().page_size(999)), all);
    let top = Query::all().order_by("Age").descending().limit(5);
    assert_eq!(keys(&table, top.clone()), all[..5]);
    assert_eq!(table.explain(top).unwrap().entries_read(), 6);
    let within = Query::filter("PartitionKey eq 'P07' and City eq 'City 049'").order_by("Age");
    assert_eq!(keys(&table, within.clone()), sorted(&|row| row.partition_key() == "P07" && row["City"] == "City 049"));
    assert_eq!(table.explain(within).unwrap().index(), Some("ByCity"));

    // A token is of its index.
    let page = table.query_page(Query::all().order_by("Age").page_size(10)).unwrap();
    let token = page.continuation_token.unwrap();
    let text = token.to_string();
    let next =
        table.query_page(Query::all().order_by("Age").page_size(10).continue_from(text.parse().unwrap())).unwrap();
    assert_eq!(next.entities[0].row_key(), all[all.len() - 11]);
    let by_keys = table.query_page(Query::all().continue_from(token.clone())).unwrap_err();
    assert_eq!(by_keys.code(), ErrorCode::InvalidInput);
    table.drop_index("ByAge").unwrap();
    table.create_index(Index::new("ByAge").properties(["Age"])).unwrap();
    let gone = table.query_page(Query::all().order_by("Age").continue_from(token)).unwrap_err();
    assert_eq!(gone.code(), ErrorCode::InvalidInput);
}

#[test]
fn values_that_the_index_cannot_order_are_refused() {
    let table = Store::in_memory().unwrap().create_table("Texts").unwrap();
    table.create_index(Index::new("ByText").properties(["Text"])).unwrap();
    for (key, end) in [("1", "b"), ("2", "b")] {
        table.create_entity(entity! { "p", key, "Text" => "x".repeat(600) + end }).unwrap();
    }
    assert_eq!(keys(&table, Query::all().order_by("Text")), ["1", "2"], "the same value");
    table.create_entity(entity! { "p", "3", "Text" => "x".repeat(600) + "a" }).unwrap();
    let refused = table.query_page(Query::all().order_by("Text")).unwrap_err();
    assert_eq!(refused.code(), ErrorCode::NotImplemented);
    // A filter on them is answered from the rows.
    let long = Query::filter("Text lt @text").parameter("text", "x".repeat(600) + "b");
    assert_eq!(keys(&table, long), ["3"]);
}

/// A table with an index of `Text`, then `Number`, and rows whose texts differ past what the index has of them.
fn texts(rows: &[(&str, &str, i32)]) -> Table {
    let table = Store::in_memory().unwrap().create_table("Texts").unwrap();
    table.create_index(Index::new("ByText").properties(["Text", "Number"])).unwrap();
    for (key, end, number) in rows {
        let row = entity! { "p", *key, "Text" => "x".repeat(600) + end, "Number" => *number };
        table.create_entity(row).unwrap();
    }
    table
}

#[test]
fn only_what_was_cut_off_is_compared_for_an_order() {
    // The same long text, and numbers that differ behind it.
    let table = texts(&[("1", "b", 3), ("2", "b", 1), ("3", "b", 2)]);
    assert_eq!(keys(&table, Query::all().order_by("Text,Number")), ["2", "3", "1"]);
    assert_eq!(keys(&table, Query::all().order_by("Text,Number").descending().page_size(1)), ["1", "3", "2"]);
}

#[test]
fn texts_without_an_order_are_found_over_the_edge_of_a_page() {
    for is_descending in [false, true] {
        let table = texts(&[("1", "b", 1), ("2", "b", 2), ("3", "a", 3), ("4", "b", 4), ("5", "b", 5)]);
        let mut query = Query::all().order_by("Text").page_size(2);
        if is_descending {
            query = query.descending();
        }
        let middle = table.query_page(query.clone()).unwrap_err();
        assert_eq!(middle.code(), ErrorCode::NotImplemented, "the third is compared with the second");
        table
            .upsert_entity(entity! { "p", "3", "Text" => "x".repeat(600) + "b", "Number" => 3 }, Default::default())
            .unwrap();
        let page = table.query_page(query.clone()).unwrap();
        assert_eq!(page.entities.len(), 2);
        // The row at which the next page begins goes, and the one behind it becomes another.
        table.delete_entity("p", "3").unwrap();
        let behind = if is_descending { "2" } else { "4" };
        let row = entity! { "p", behind, "Text" => "x".repeat(600) + "a" };
        table.update_entity(row, entable::UpdateMode::Merge).unwrap();
        let next = table.query_page(query.continue_from(page.continuation_token.unwrap())).unwrap_err();
        assert_eq!(next.code(), ErrorCode::NotImplemented);
    }
}

#[test]
fn orders_are_checked_before_they_are_used() {
    let table = people();
    table.create_index(Index::new("ByCity").properties(["City", "Age"])).unwrap();
    table.create_index(Index::new("ByAge").properties(["Age"]).scope(Scope::Partition)).unwrap();
    for order in ["", "Age,", "Age,Age", "City, Age ,City"] {
        let refused = table.query_page(Query::all().order_by(order)).unwrap_err();
        assert_eq!(refused.code(), ErrorCode::InvalidInput, "{order:?}");
    }
    let by_keys = keys(&table, Query::all().limit(50));
    for order in ["PartitionKey", "PartitionKey,RowKey", "PartitionKey , RowKey"] {
        assert_eq!(keys(&table, Query::all().limit(50).order_by(order)), by_keys);
    }
    // What nothing can match has every order that an index could give.
    for filter in ["City eq 'a' and City eq 'b'", "City eq 'a' and Age eq 1 and Age eq 2"] {
        assert_eq!(keys(&table, Query::filter(filter).order_by("Age")), Vec::<String>::new(), "{filter}");
    }
    let nowhere = "PartitionKey eq 'P01' and PartitionKey eq 'P02'";
    assert_eq!(keys(&table, Query::filter(nowhere).order_by("Age")), Vec::<String>::new());
    // No index of the table alone has it: neither to read, nor to count, nor to delete.
    let query = || Query::filter("Kind eq 'rare'").order_by("Age").limit(3);
    assert_eq!(table.query_page(query()).unwrap_err().code(), ErrorCode::NotImplemented);
    assert_eq!(table.count(query()).unwrap_err().code(), ErrorCode::NotImplemented);
    assert_eq!(table.delete_entities(query()).unwrap_err().code(), ErrorCode::NotImplemented);
}

#[test]
fn the_first_of_an_order_are_deleted() {
    let table = people();
    table.create_index(Index::new("ByMailAge").properties(["Mail", "Age"])).unwrap();
    table.create_index(Index::new("ByMail").properties(["Mail"])).unwrap();
    let first = keys(&table, Query::all().order_by("Mail").limit(5));
    assert_eq!(table.explain(Query::all().order_by("Mail")).unwrap().index(), Some("ByMail"), "ties come by key");
    let sixth = keys(&table, Query::all().order_by("Mail").limit(6)).pop();
    assert_eq!(table.delete_entities(Query::all().order_by("Mail").limit(5)).unwrap(), 5);
    assert_eq!(keys(&table, Query::all().order_by("Mail").limit(1)).pop(), sixth);
    let is_gone = |key: &String| table.query_page(format!("RowKey eq '{key}'").as_str()).unwrap().entities.is_empty();
    assert!(first.iter().all(is_gone));
}

#[test]
fn what_lies_on_a_way_is_told_well_enough() {
    let table = people();
    table.create_index(Index::new("ByMail").properties(["RowKey"])).unwrap();
    for (from, to) in [(0, 20_000), (0, 1), (5, 5), (100, 130), (100, 4_000), (7_000, 19_000), (19_990, 20_000)] {
        let filter = format!("RowKey ge '{from:06}' and RowKey lt '{to:06}'");
        let explain = table.explain(filter.as_str()).unwrap();
        let Some(told) = explain.considered().iter().find(|one| one.index().is_some()) else {
            assert_eq!(from, to, "{explain}");
            continue;
        };
        let (told, there) = (told.rows() as f64, f64::from(to - from));
        let is_near = if there < 50.0 { told == there } else { told / there > 0.5 && told / there < 2.0 };
        assert!(is_near, "{filter}: {told} told, {there} there");
    }
}
