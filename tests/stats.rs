//! What a store says of itself is what was done with it.

use entable::{AccessPath, DateTime, Options, Query, Store, UpdateMode, entity};
use entable_tests::rows;
use std::time::Duration;

#[test]
fn commits_groups_and_queries_are_counted_as_they_were() {
    let folder = tempfile::tempdir().expect("a folder");
    let store = Store::open(folder.path().join("store.ent")).expect("a store");
    let table = store.create_table(rows::TABLE).expect("a table");
    for number in 0..20 {
        table.create_entity(rows::entity(number)).expect("an entity");
    }
    let group = (0..10).map(|number| entable::Operation::create(entity! { "group", format!("{number}") }));
    table.submit_transaction(group.collect::<Result<Vec<_>, _>>().expect("operations")).expect("a group");
    // What fails, and what only reads, commits nothing.
    table.create_entity(rows::entity(0)).expect_err("it is there");
    for query in
        ["PartitionKey eq 'p1'", "PartitionKey eq 'p1'", "Number gt 5", "PartitionKey eq 'a' and RowKey eq 'b'"]
    {
        assert!(table.query_entities(query).expect("a query").all(|entity| entity.is_ok()));
    }
    let mut pages = 0;
    for page in table.query_entities(Query::all().page_size(7)).expect("a query").by_page() {
        pages += usize::from(page.is_ok());
    }
    assert_eq!(pages, 5);

    let stats = store.stats().expect("stats");
    println!("{stats}");
    assert_eq!((stats.commits.samples, stats.commit_groups.count, stats.commit_groups.sum), (22, 22, 22));
    // At least a row each, and the group ten.
    assert!(stats.group_changes.sum >= 20 + 10 && stats.group_changes.max >= 10, "{:?}", stats.group_changes);
    assert!(stats.commit_bytes.sum > 30 * 50 && stats.commits.p50 <= stats.commits.max);
    assert!(stats.commits.p50 > Duration::ZERO && stats.commits.p50 <= stats.commits.p99);
    let pages = |path| stats.query_kinds.iter().find(|kind| kind.path == path).map_or(0, |kind| kind.pages);
    assert_eq!(pages(AccessPath::PartitionScan), 2);
    assert_eq!(pages(AccessPath::Point), 1);
    assert_eq!(pages(AccessPath::TableScan), 1 + 5);
    assert_eq!(stats.query_kinds.len(), 3, "{:?}", stats.query_kinds);
    let text = stats.to_string();
    for part in ["commits", "table scan", "rows", "slots used"] {
        assert!(text.contains(part), "{text}");
    }
}

#[test]
fn sizes_are_those_of_the_file() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("store.ent");
    let store = Store::open(&path).expect("a store");
    let table = store.create_table(rows::TABLE).expect("a table");
    let batch = (0..3_000).map(|number| Ok((&table, entable::Operation::create(rows::entity(number))?)));
    store.submit_batch(batch.collect::<Result<Vec<_>, entable::Error>>().expect("operations")).expect("a batch");
    let before = store.stats().expect("stats");
    let check = |stats: &entable::Stats, entities| {
        let bytes = std::fs::metadata(&path).expect("the file").len();
        assert_eq!(stats.file.bytes, bytes);
        let pages = stats.file.used_pages + stats.file.free_pages;
        assert!(pages * stats.file.page_bytes <= bytes, "{stats}");
        let rows = stats.databases.iter().find(|database| database.name == "rows").expect("rows");
        assert_eq!(rows.records, entities);
        let all: u64 = stats.databases.iter().map(|database| database.bytes).sum();
        assert_eq!(all + 2 * stats.file.page_bytes, stats.file.used_pages * stats.file.page_bytes);
    };
    check(&before, 3_000);
    table.delete_entities("Number ge 100").expect("deleted");
    let after = store.stats().expect("stats");
    check(&after, 100);
    assert!(after.file.free_pages > before.file.free_pages + 20, "{before}\n{after}");
    store.compact().expect("compacted");
    let compacted = store.stats().expect("stats");
    check(&compacted, 100);
    assert!(compacted.file.free_pages < 8 && compacted.file.bytes < after.file.bytes / 4, "{compacted}");
}

#[test]
fn who_holds_the_store_is_told() {
    let store = Store::in_memory().expect("a store");
    assert_eq!(store.stats().expect("stats").readers.held, []);
    let first = store.snapshot().expect("a snapshot");
    let second = store.snapshot().expect("a snapshot");
    let readers = store.stats().expect("stats").readers;
    assert!(readers.held.len() == 2 && readers.held[0] >= readers.held[1], "{readers:?}");
    assert!(readers.slots_used >= 2 && readers.slots == 1_024, "{readers:?}");
    first.close();
    assert_eq!(store.stats().expect("stats").readers.held.len(), 1);
    drop(second);
    assert_eq!(store.stats().expect("stats").readers.held, []);
    store.close();
    assert_eq!(store.stats().expect_err("closed").code(), entable::ErrorCode::StoreClosed);
}

#[test]
fn the_busiest_partitions_are_named() {
    let store = Store::in_memory().expect("a store");
    let [hot, cold] = ["Hot", "Cold"].map(|name| store.create_table(name).expect("a table"));
    hot.create_entity(entity! { "lot\u{e9}", "1" }).expect("an entity");
    for number in 0..6_000_u32 {
        match number % 6 {
            0 => drop(cold.get_entity(&format!("p{number}"), "r")),
            1 => drop(cold.upsert_entity(entity! { format!("q{}", number % 500), "r" }, UpdateMode::Replace)),
            2 => drop(cold.get_entity("warm", "r")),
            _ => drop(hot.get_entity("lot\u{e9}", "1")),
        }
    }
    let stats = store.stats().expect("stats");
    let busiest: Vec<_> =
        stats.busiest_partitions.iter().map(|busy| (&*busy.table, &*busy.partition_key)).take(2).collect();
    assert_eq!(busiest, [("Hot", "lot\u{e9}"), ("Cold", "warm")], "{stats}");
    let first = &stats.busiest_partitions[0];
    assert!(first.least_share > 0.3 && first.most_share < 0.7, "{stats}");
    assert!(stats.busiest_partitions.len() <= 10);
    // About one read in 64.
    assert!((40..180).contains(&stats.reads.samples), "{stats}");
    assert!(stats.reads.p50 > Duration::ZERO && stats.reads.p99 <= stats.reads.max);
    // A table that is gone is not told of.
    store.delete_table("Hot").expect("deleted");
    assert!(store.stats().expect("stats").busiest_partitions.iter().all(|busy| &*busy.table == "Cold"));
}

#[test]
fn timestamps_ahead_of_the_clock_are_told() {
    let now = DateTime::from_ticks(rows::TICKS).expect("a time");
    let store = Store::in_memory_with(&Options::new().clock(move || now)).expect("a store");
    assert_eq!(store.stats().expect("stats").timestamp_lead, Duration::ZERO);
    let table = store.create_table(rows::TABLE).expect("a table");
    for number in 0..11 {
        table.create_entity(rows::entity(number)).expect("an entity");
    }
    // The clock stands, so each is a tick later than the one before.
    assert_eq!(store.stats().expect("stats").timestamp_lead, Duration::from_nanos(10 * 100));
}
