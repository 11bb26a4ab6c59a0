//! Files of every release open, and hold what was written into them.
//!
//! `fixtures/format-1.ent` was written by the first version of the format. With `BLESS=1` a fixture that is missing is
//! written; one that is there is never written again, for it is a promise.

use entable::{Condition, DateTime, Entity, ErrorCode, Guid, Mode, Options, Store, Table, UpdateMode, Value, entity};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicI64, Ordering};

/// The time of the first write. Each later one is a second after the one before.
const START: i64 = 639_317_664_000_000_000;
const SECOND: i64 = 10_000_000;

fn fixture() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/format-1.ent")
}

/// The mode that takes all of it.
fn extended_mode() -> Options {
    Options::new().mode(Mode::Extended)
}

/// What the fixture holds: tables in the order of their making, entities in the order of their writing.
fn content() -> Vec<(&'static str, Vec<Entity>)> {
    vec![("Types", types()), ("Keys", keys()), ("Shapes", shapes()), ("Empty", Vec::new()), ("Extended", extended())]
}

/// Every type, at its ends and in between.
fn types() -> Vec<Entity> {
    let time = |text: &str| text.parse::<DateTime>().expect("a time");
    let all = entity! {
        "types", "all",
        "Int32" => 41,
        "Int64" => 1_i64 << 40,
        "Double" => 12.5,
        "DateTime" => time("2026-12-01T12:00:00.1234567Z"),
        "Guid" => Guid::from_bytes(*b"0123456789abcdef"),
        "Boolean" => true,
        "String" => "Köln \u{0} 😀",
        "Binary" => vec![0_u8, 1, 0xfe, 0xff],
    };
    let lowest = entity! {
        "types", "lowest",
        "Int32" => i32::MIN,
        "Int64" => i64::MIN,
        "Double" => f64::NEG_INFINITY,
        "DateTime" => time("1601-01-01T00:00:00Z"),
        "Guid" => Guid::from_bytes([0; 16]),
        "Boolean" => false,
        "String" => "",
        "Binary" => Vec::<u8>::new(),
    };
    let highest = entity! {
        "types", "highest",
        "Int32" => i32::MAX,
        "Int64" => i64::MAX,
        "Double" => f64::MAX,
        "DateTime" => time("9999-12-31T23:59:59.9999999Z"),
        "Guid" => Guid::from_bytes([0xff; 16]),
        // Lengths whose ends take two bytes.
        "String" => "é".repeat(1_000),
        "Binary" => vec![7_u8; 1_000],
    };
    let odd =
        entity! { "types", "odd", "NotANumber" => f64::NAN, "MinusZero" => -0.0, "Least" => 5e-324, "Ünïcode" => "ja" };
    vec![all, lowest, highest, odd]
}

/// Keys that are empty, that differ in UTF-16 and UTF-8 order, and that are longer than LMDB's.
fn keys() -> Vec<Entity> {
    let long = "x".repeat(1_000);
    let pairs = [
        ("", String::new()),
        ("", "a".into()),
        ("a", String::new()),
        ("a b", "o'x %".into()),
        ("\u{ffff}", "\u{e000}".into()),
        ("\u{ffff}", "😀".into()),
        (&long, "y".repeat(1_000)),
        (&long, format!("{}1", "y".repeat(1_000))),
        (&long, "a".into()),
    ];
    pairs.into_iter().enumerate().map(|(at, (pk, rk))| entity! { pk, rk, "At" => at as i32 }).collect()
}

/// Rows with a shape, full and not, one name with several types, and a row without properties.
fn shapes() -> Vec<Entity> {
    vec![
        entity! { "s", "1", "Name" => "Ann", "Age" => 41 },
        entity! { "s", "2", "Name" => "Réne", "Age" => 41.5 },
        entity! { "s", "3", "Age" => 42_i64 },
        entity! { "s", "4", "Name" => "Zoë", "City" => "Oslo", "Zip" => "0150", "Paid" => true },
        entity! { "s", "5" },
    ]
}

/// What only the extended mode takes: the keys are four nodes deep, and no shape has so many slots.
fn extended() -> Vec<Entity> {
    let deep = entity! { "é".repeat(4_000), "/".repeat(4_000), "Year" => DateTime::from_ticks(0).expect("a tick") };
    let mut wide = Entity::new("wide", "1");
    for number in 0..1_030 {
        wide.insert(format!("P{number}"), number);
    }
    vec![deep, wide]
}

/// Writes the fixture: what `content` says, with a change, a delete and a dropped table on the way to it.
fn write(path: &Path) {
    let ticks = AtomicI64::new(START);
    let clock = move || DateTime::from_ticks(ticks.fetch_add(SECOND, Ordering::Relaxed)).expect("a tick");
    let store = Store::open_with(path, &extended_mode().clock(clock)).expect("a store");
    let gone = store.create_table("Gone").expect("a table");
    gone.create_entity(entity! { "gone", "1", "Name" => "nobody's" }).expect("an entity");
    for (name, entities) in content() {
        let table = store.create_table(name).expect("a table");
        for entity in entities {
            if entity.row_key() == "3" {
                table.create_entity(entity! { "s", "3", "Before" => 1 }).expect("an entity");
                table.create_entity(entity! { "s", "gone", "Before" => 1 }).expect("an entity");
                table.delete_entity("s", "gone").expect("a delete");
            }
            table.upsert_entity(entity, UpdateMode::Replace).expect("an entity");
        }
    }
    store.delete_table("gone").expect("a drop");
    store.close();
}

/// A copy of the fixture, which tests may change.
fn copy() -> (tempfile::TempDir, PathBuf) {
    static BLESSED: Mutex<()> = Mutex::new(());
    let fixture = fixture();
    let _turn = BLESSED.lock().expect("no test that panicked here");
    if !fixture.exists() {
        assert!(std::env::var_os("BLESS").is_some(), "{} is missing; BLESS=1 writes it", fixture.display());
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("new.ent");
        write(&path);
        std::fs::copy(&path, &fixture).expect("the fixture");
    }
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("copy.ent");
    std::fs::copy(&fixture, &path).expect("a copy");
    (folder, path)
}

fn utf16(entity: &Entity) -> (Vec<u16>, Vec<u16>) {
    (entity.partition_key().encode_utf16().collect(), entity.row_key().encode_utf16().collect())
}

fn check_content(store: &Store) {
    let mut names: Vec<_> = content().into_iter().map(|(name, _)| name.to_owned()).collect();
    names.sort_by_key(|name| name.to_lowercase());
    let found: Vec<_> = store.list_tables().expect("tables").iter().map(|name| name.as_str().to_owned()).collect();
    assert_eq!(found, names);
    let mut writes = 0;
    // What was deleted and dropped has taken ticks, too.
    let mut last = START;
    for (name, entities) in content() {
        let table = store.table(name).expect("a name");
        let mut expected = entities.clone();
        expected.sort_by_key(utf16);
        let found: Vec<_> = table.list_entities().expect("a query").map(|entity| entity.expect("an entity")).collect();
        assert_eq!(found.len(), expected.len(), "{name}");
        for (expected, found) in expected.iter().zip(&found) {
            check_entity(expected, found);
            check_entity(expected, &table.get_entity(found.partition_key(), found.row_key()).expect("the entity"));
        }
        for entity in &entities {
            let found = table.get_entity(entity.partition_key(), entity.row_key()).expect("the entity");
            let ticks = found.timestamp().expect("a Timestamp").ticks();
            assert!(ticks > last && (ticks - START) % SECOND == 0, "in the order of their writing: {found:?}");
            last = ticks;
            writes += 1;
        }
    }
    assert_eq!(writes, 20, "entities of the fixture");
}

#[track_caller]
fn check_entity(expected: &Entity, found: &Entity) {
    assert_eq!((found.partition_key(), found.row_key()), (expected.partition_key(), expected.row_key()));
    let properties =
        |entity: &Entity| entity.properties().map(|(name, value)| (name.to_owned(), value.clone())).collect();
    let (mut found_properties, mut properties): (Vec<(String, Value)>, Vec<_>) =
        (properties(found), properties(expected));
    // The order of a row's properties is its shape's: part of the file, but told by another entity as well.
    found_properties.sort_by(|a, b| a.0.cmp(&b.0));
    properties.sort_by(|a, b| a.0.cmp(&b.0));
    assert_eq!(found_properties, properties);
    assert_eq!(found.etag().and_then(|etag| etag.timestamp()), found.timestamp());
}

#[test]
fn format_1_reads_back_exactly() {
    let (_folder, path) = copy();
    let store = Store::open_with(&path, &extended_mode()).expect("the store opens");
    check_content(&store);
}

#[test]
fn format_1_is_only_read_where_it_may_not_be_written() {
    let (_folder, path) = copy();
    let before = std::fs::read(&path).expect("the file");
    let store = Store::open_with(&path, &extended_mode().read_only(true)).expect("the store opens");
    check_content(&store);
    store.close();
    assert!(std::fs::read(&path).expect("the file") == before, "reading has changed the file");
}

#[test]
fn the_order_of_properties_is_kept_with_the_file() {
    let (_folder, path) = copy();
    let table = Store::open(&path).and_then(|store| store.table("Types")).expect("a table");
    let names = |row_key: &str| {
        let entity = table.get_entity("types", row_key).expect("the entity");
        entity.properties().map(|(name, _)| name.to_owned()).collect::<Vec<_>>()
    };
    let expected = ["Int32", "Int64", "Double", "DateTime", "Guid", "Boolean", "String", "Binary"];
    assert_eq!(names("all"), expected);
    assert_eq!(names("lowest"), expected);
}

#[test]
fn format_1_is_written_by_this_version_too() {
    let (_folder, path) = copy();
    let store = Store::open_with(&path, &extended_mode()).expect("the store opens");
    for (name, entities) in content() {
        let table = store.table(name).expect("a name");
        for entity in &entities {
            write_to(&table, entity);
        }
    }
    let again = store.create_table("Gone").expect("a name that is free");
    assert_eq!(again.list_entities().expect("a query").count(), 0, "what was dropped stays so");
    store.close();
    let store = Store::open(&path).expect("the store opens");
    for (name, entities) in content() {
        let table = store.table(name).expect("a name");
        let left = table.list_entities().expect("a query").map(|entity| entity.expect("an entity"));
        assert!(left.eq([]) || entities.is_empty(), "{name}");
    }
}

/// Merges into the entity, checks it, deletes it.
fn write_to(table: &Table, entity: &Entity) {
    let keys = (entity.partition_key(), entity.row_key());
    let read = table.get_entity(keys.0, keys.1).expect("the entity");
    let etag = read.etag().expect("an ETag");
    assert_eq!(etag.timestamp(), read.timestamp());
    let change = entity! { keys.0, keys.1, "Added" => "later" };
    let written = table.update_entity_if(change.clone(), UpdateMode::Merge, &etag).expect("an update");
    assert!(written.timestamp() > read.timestamp().expect("a Timestamp"));
    let late = table.update_entity_if(change, UpdateMode::Merge, &etag).expect_err("an old version");
    assert_eq!(late.code(), ErrorCode::UpdateConditionNotSatisfied);
    let mut expected = entity.clone();
    expected.insert("Added", "later");
    check_entity(&expected, &table.get_entity(keys.0, keys.1).expect("the entity"));
    table.delete_entity_if(keys.0, keys.1, Condition::IfMatch(written.etag())).expect("a delete");
}
