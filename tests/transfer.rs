//! Export and import: what goes out comes back as it was; what does not fit is told by line, and nothing is half-done.

use entable::index::{Projection, Scope};
use entable::{
    DateTime, Entity, ErrorCode, Existing, ExportOptions, ExportPosition, Exported, Guid, ImportOptions, Index, Mode,
    Operation, Options, Query, Store, UpdateMode, Value, entity,
};
use entable_tests::vectors;
use serde_json::Value as Json;
use std::collections::BTreeMap;
use std::io::{self, Write};
use std::ops::ControlFlow;

fn extended() -> Store {
    Store::in_memory_with(&Options::new().mode(Mode::Extended)).expect("a store")
}

fn exported(store: &Store, options: &ExportOptions) -> String {
    let mut lines = Vec::new();
    store.export(&mut lines, options).expect("an export");
    String::from_utf8(lines).expect("UTF-8")
}

/// Everything that a store says of its entities, by table: the keys of each with its version, and the bits of its values.
fn content(store: &Store) -> BTreeMap<String, Vec<(String, String)>> {
    let of_table = |name: &str| {
        let entities = store.table(name).expect("a table").list_entities().expect("entities");
        let shown = |entity: Entity| {
            let bits = entity.properties().map(|(name, value)| match value {
                Value::Double(number) if !number.is_nan() => format!("{name}={:x}", number.to_bits()),
                value => format!("{name}={value:?}"),
            });
            // The order of properties means nothing (S4.4.6), and is the layout's.
            let mut bits: Vec<String> = bits.collect();
            bits.sort_unstable();
            let version = (entity.partition_key(), entity.row_key(), entity.etag(), entity.timestamp());
            (format!("{version:?}"), bits.join(" "))
        };
        entities.map(|entity| shown(entity.expect("an entity"))).collect()
    };
    let names = store.list_tables().expect("names");
    names.iter().map(|name| (name.as_str().to_owned(), of_table(name.as_str()))).collect()
}

/// A store with every entity that a vector stores, and what is hardest to keep.
fn full() -> Store {
    let store = extended();
    let table = store.create_table("Vectors").expect("a table");
    let mut count = 0;
    for file in vectors::files() {
        let content = vectors::read(&file);
        let mut found = Vec::new();
        entities_in(&Json::Object(content), &mut found);
        for mut entity in found {
            // Each under a key of its own, so that none takes another's place.
            count += 1;
            let properties: Vec<_> =
                entity.properties().map(|(name, value)| (name.to_owned(), value.clone())).collect();
            entity = Entity::new(entity.partition_key(), format!("{count}{}", entity.row_key()));
            properties.into_iter().for_each(|(name, value)| drop(entity.insert(name, value)));
            // Some are there to be refused.
            let _ = table.create_entity(entity);
        }
    }
    let kept = table.count(Query::all()).expect("a count");
    assert!(kept > 1_000 && kept * 2 > count, "{kept} of {count} entities of vectors are stored");
    let hard = store.create_table("Hard").expect("a table");
    let tick = |ticks| DateTime::from_ticks(ticks).expect("a tick");
    let long = "k".repeat(4_000);
    for entity in [
        entity! { "doubles", "1", "NaN" => f64::NAN, "Inf" => f64::INFINITY, "NegInf" => f64::NEG_INFINITY, "Zero" => -0.0 },
        entity! { "doubles", "2", "Max" => f64::MAX, "Min" => f64::MIN_POSITIVE, "Sub" => 5e-324, "Third" => 1.0 / 3.0, "Whole" => 5.0 },
        entity! { "numbers", "1", "Big" => (1_i64 << 53) + 1, "Least" => i64::MIN, "Most" => i64::MAX, "I" => i32::MIN },
        entity! { "times", "1", "First" => tick(0), "Second" => tick(1), "Last" => tick(3_155_378_975_999_999_999) },
        entity! { "others", "1", "Empty" => Value::Binary(Vec::new()), "Bytes" => Value::Binary((0..=255).collect()), "No" => false },
        entity! { "others", "2", "Guid" => Guid::from_bytes([0xab; 16]), "Nothing" => "", "Nul" => "a\0b\n\u{2028}\u{ffff}😀\"\\" },
        entity! { "others", "3" },
        entity! { "", "", "Lookalike" => "2020-01-01T00:00:00Z", "a b/c" => 1 },
        entity! { &*long, "é".repeat(4_000), "Long" => "x".repeat(100_000) },
    ] {
        hard.create_entity(entity).expect("an entity");
    }
    store.create_table("Empty").expect("a table");
    store
}

fn entities_in(json: &Json, found: &mut Vec<Entity>) {
    match json {
        Json::Array(items) => items.iter().for_each(|item| entities_in(item, found)),
        // Many that differ in a number alone: one is as good as all.
        Json::Object(members) if members.contains_key("times") => {
            vectors::repeated(json).take(1).for_each(|one| entities_in(&one, found));
        }
        Json::Object(members) if members.contains_key("PartitionKey") => found.push(vectors::entity(json).entity),
        // What the service writes says its types in another way.
        Json::Object(members) => {
            members.iter().filter(|(name, _)| *name != "json").for_each(|(_, member)| entities_in(member, found));
        }
        _ => {}
    }
}

#[test]
fn what_goes_out_comes_back_with_its_versions() {
    let store = full();
    let lines = exported(&store, &ExportOptions::new().versions(true));
    let other = extended();
    let imported = other.import(lines.as_bytes(), &ImportOptions::new().versions(true)).expect("an import");
    assert_eq!(imported.entities as usize, content(&store).values().map(Vec::len).sum::<usize>());
    assert_eq!(content(&other), content(&store));
    // What is written afterwards is later than all that came.
    let latest = |store: &Store| {
        let entities = store.table("Hard").and_then(|table| table.list_entities()).expect("entities");
        entities.filter_map(|entity| entity.expect("an entity").timestamp()).max()
    };
    let before = latest(&other);
    let written =
        other.table("Vectors").and_then(|table| table.create_entity(entity! { "new", "new" })).expect("a write");
    assert!(Some(written.timestamp()) > before);
}

#[test]
fn without_versions_each_entity_gets_its_own() {
    let store = full();
    let lines = exported(&store, &ExportOptions::new());
    assert!(!lines.contains("\"odata.etag\":") && !lines.contains("\"Timestamp\":"));
    let other = extended();
    other.import(lines.as_bytes(), &ImportOptions::new().versions(true)).expect("an import");
    let bits = |store: &Store| content(store).into_values().flatten().map(|(_, bits)| bits).collect::<Vec<_>>();
    assert_eq!(bits(&other), bits(&store));
    assert_ne!(content(&other), content(&store));
}

#[test]
fn indexes_are_declared_and_kept_right_from_the_first_row() {
    let store = Store::in_memory().expect("a store");
    let people = store.create_table("People").expect("a table");
    let indexes = [
        Index::new("ByCity").properties(["City", "Name"]).projection(Projection::names(["Age", "Mail"])),
        Index::new("ByMail").properties(["Mail"]).unique(true).fold_case(true),
        Index::new("ByAge").properties(["Age"]).scope(Scope::Partition).projection(Projection::All),
    ];
    indexes.iter().for_each(|index| people.create_index(index.clone()).expect("an index"));
    people.create_entity(entity! { "p", "1", "Mail" => "a@b", "City" => "Oslo" }).expect("an entity");
    let lines = exported(&store, &ExportOptions::new());
    let other = Store::in_memory().expect("a store");
    other.import(lines.as_bytes(), &ImportOptions::new()).expect("an import");
    let table = other.table("People").expect("a table");
    let found = table.list_indexes().expect("indexes");
    let definitions: Vec<_> =
        people.list_indexes().expect("indexes").iter().map(|it| it.definition().clone()).collect();
    assert_eq!(found.iter().map(|it| it.definition().clone()).collect::<Vec<_>>(), definitions);
    let twice = lines.clone() + "{\"PartitionKey\":\"p\",\"RowKey\":\"2\",\"Mail\":\"A@B\"}\n";
    let third = Store::in_memory().expect("a store");
    let error = third.import(twice.as_bytes(), &ImportOptions::new()).expect_err("the value twice");
    let details = error.details();
    assert_eq!((error.code(), details.line, details.loaded_line), (ErrorCode::UniqueIndexViolation, Some(4), Some(0)));
    assert!(error.message().starts_with("line 4: ") && error.message().ends_with("Nothing is loaded."), "{error}");
}

/// A store with so many small rows in each of two tables.
fn two_tables(rows: u32) -> Store {
    let store = Store::in_memory().expect("a store");
    for name in ["First", "Second"] {
        let table = store.create_table(name).expect("a table");
        let operations = (0..rows).map(|n| Operation::create(entity! { "p", format!("{n:06}"), "N" => n as i32 }));
        let operations: Vec<_> = operations.collect::<Result<_, _>>().expect("operations");
        store.submit_batch(operations.into_iter().map(|operation| (&table, operation))).expect("a batch");
    }
    store
}

#[test]
fn an_export_goes_on_where_it_was_stopped() {
    let store = two_tables(2_500);
    let whole = exported(&store, &ExportOptions::new());
    let (mut lines, mut stops) = (Vec::new(), 0);
    let mut options = ExportOptions::new();
    loop {
        let done = store.export_with(&mut lines, &options, |_| ControlFlow::Break(())).expect("a part");
        let Some(position) = done.position else { break };
        stops += 1;
        // As a program would that keeps it: through its text.
        let position: ExportPosition = position.to_string().parse().expect("a position");
        options = ExportOptions::new().from_position(position);
    }
    assert_eq!(stops, 5, "three pages of each table, and the end");
    assert_eq!(String::from_utf8(lines).expect("UTF-8"), whole);
    let gone = "Third".parse::<ExportPosition>().expect("a position");
    let error = store.export(io::sink(), &ExportOptions::new().from_position(gone)).expect_err("no such table");
    assert_eq!(error.code(), ErrorCode::TableNotFound);
    for text in ["", ":", "First:", "First:x", ":x"] {
        let error = text.parse::<ExportPosition>().expect_err("no position");
        assert_eq!(error.code(), ErrorCode::InvalidInput, "{text:?}");
    }
}

#[test]
fn an_export_is_one_moment() {
    let store = two_tables(1_500);
    let before = exported(&store, &ExportOptions::new());
    let mut lines = Vec::new();
    let change = |_: &Exported| {
        for name in ["First", "Second"] {
            let table = store.table(name).expect("a table");
            table.upsert_entity(entity! { "p", "001400", "N" => -1 }, UpdateMode::Merge).expect("a write");
        }
        ControlFlow::Continue(())
    };
    store.export_with(&mut lines, &ExportOptions::new(), change).expect("an export");
    assert_eq!(String::from_utf8(lines).expect("UTF-8"), before);
    let chosen = exported(&store, &ExportOptions::new().tables(["second"]));
    assert!(chosen.contains("-1") && !chosen.contains("First"));
}

#[test]
fn an_import_goes_on_where_it_was_stopped() {
    let store = two_tables(2_500);
    let lines = exported(&store, &ExportOptions::new().versions(true));
    let other = Store::in_memory().expect("a store");
    let (mut line, mut entities, mut parts) = (0, 0, 0);
    while line < lines.lines().count() as u64 {
        let options = ImportOptions::new().versions(true).after_line(line);
        let done = other.import_with(lines.as_bytes(), &options, |_| ControlFlow::Break(())).expect("a part");
        assert!(done.line > line, "it goes on");
        (line, entities, parts) = (done.line, entities + done.entities, parts + 1);
    }
    assert_eq!((entities, parts), (5_000, 5), "of 1,000 entities each");
    assert_eq!(content(&other), content(&store));
    let again = other.import(lines.as_bytes(), &ImportOptions::new().existing(Existing::Skip)).expect("nothing new");
    assert_eq!((again.entities, again.skipped), (0, 5_000));
}

#[test]
fn a_bad_line_is_told_and_whole_batches_stay() {
    let store = two_tables(2_500);
    let lines = exported(&store, &ExportOptions::new());
    let bad = "{\"PartitionKey\":\"p\",\"RowKey\":\"x\",\"When@odata.type\":\"Edm.DateTime\",\"When\":\"yesterday\"}";
    let mut broken: Vec<&str> = lines.lines().collect();
    broken[1_500] = bad;
    let other = Store::in_memory().expect("a store");
    let error = other.import(broken.join("\n").as_bytes(), &ImportOptions::new()).expect_err("a bad line");
    let details = error.details();
    assert_eq!((error.code(), details.property.as_deref()), (ErrorCode::InvalidInput, Some("When")));
    // Behind the header and the line of the table are a thousand entities.
    assert_eq!((details.line, details.loaded_line), (Some(1_501), Some(1_002)));
    assert!(error.message().starts_with("line 1501: "), "{error}");
    assert!(error.message().ends_with(" The lines up to 1002 are loaded."), "{error}");
    let count = |name: &str| other.table(name).and_then(|table| table.count(Query::all())).expect("a count");
    assert_eq!((count("First"), count("Second")), (1_000, 0));
    let rest = ImportOptions::new().after_line(1_002);
    other.import(lines.as_bytes(), &rest).expect("the line is mended");
    assert_eq!((count("First"), count("Second")), (2_500, 2_500));
}

#[test]
fn a_line_without_end_has_an_end() {
    let store = Store::in_memory().expect("a store");
    let endless = std::io::BufReader::new(std::io::repeat(b'x'));
    let error = store.import(endless, &ImportOptions::new()).expect_err("no line");
    let limit = 8 * 1_048_576;
    assert_eq!((error.code(), error.details().limit), (ErrorCode::InvalidInput, Some(limit)), "{error}");
    let error =
        extended().import_file("/dev/zero", &ImportOptions::new(), |_| ControlFlow::Continue(())).expect_err("no file");
    assert_eq!(error.code(), ErrorCode::InvalidInput, "{error}");
}

#[test]
fn each_kind_of_bad_line_has_its_error() {
    const HEADER: &str = "{\"entable.export\":1,\"versions\":true,\"tables\":[]}";
    const TABLE: &str = "{\"table\":\"Orders\"}";
    let long = format!("{{\"PartitionKey\":\"p\",\"RowKey\":\"r\",\"S\":\"{}\"}}", "x".repeat(32_769));
    let late =
        "{\"odata.etag\":\"W/\\\"datetime'9999-01-01T00%3A00%3A00Z'\\\"\",\"PartitionKey\":\"p\",\"RowKey\":\"r\"}";
    let cases: [(&[&str], ErrorCode, u64, Option<&str>); 16] = [
        (&["[]"], ErrorCode::InvalidInput, 1, None),
        (&["{\"PartitionKey\":\"p\",\"RowKey\":\"r\"}"], ErrorCode::InvalidInput, 1, None),
        (&["{\"entable.export\":2}"], ErrorCode::NewerFormat, 1, None),
        (
            &["{\"entable.export\":1,\"versions\":true,\"tables\":[{\"name\":\"a-b\"}]}"],
            ErrorCode::InvalidResourceName,
            1,
            None,
        ),
        (&[HEADER, "{\"PartitionKey\":\"p\",\"RowKey\":\"r\"}"], ErrorCode::InvalidInput, 2, None),
        (&[HEADER, "{\"table\":\"a-b\"}"], ErrorCode::InvalidResourceName, 2, None),
        (&[HEADER, TABLE, "{\"PartitionKey\":\"p\""], ErrorCode::InvalidInput, 3, None),
        (&[HEADER, TABLE, "", "{\"PartitionKey\":\"p\"}"], ErrorCode::PropertiesNeedValue, 4, Some("RowKey")),
        (
            &[HEADER, TABLE, "{\"PartitionKey\":\"p\",\"RowKey\":\"a/b\"}"],
            ErrorCode::OutOfRangeInput,
            3,
            Some("RowKey"),
        ),
        (
            &[HEADER, TABLE, "{\"PartitionKey\":\"p\",\"RowKey\":\"r\",\"1\":1}"],
            ErrorCode::PropertyNameInvalid,
            3,
            Some("1"),
        ),
        (
            &[HEADER, TABLE, "{\"PartitionKey\":\"p\",\"RowKey\":\"r\",\"A\":1,\"A\":1}"],
            ErrorCode::DuplicatePropertiesSpecified,
            3,
            Some("A"),
        ),
        (
            &[HEADER, TABLE, "{\"PartitionKey\":\"p\",\"RowKey\":\"r\",\"A\":\"\\ud800\"}"],
            ErrorCode::InvalidInput,
            3,
            Some("A"),
        ),
        (
            &[HEADER, TABLE, "{\"PartitionKey\":\"p\",\"RowKey\":\"r\",\"A@odata.type\":\"Edm.Time\",\"A\":\"1\"}"],
            ErrorCode::InvalidInput,
            3,
            Some("A"),
        ),
        (&[HEADER, TABLE, &long], ErrorCode::PropertyValueTooLarge, 3, Some("S")),
        (&[HEADER, TABLE, late], ErrorCode::InvalidInput, 3, Some("Timestamp")),
        (
            &[HEADER, TABLE, "{\"PartitionKey\":\"p\",\"RowKey\":\"r\"}", "{\"PartitionKey\":\"p\",\"RowKey\":\"r\"}"],
            ErrorCode::EntityAlreadyExists,
            4,
            None,
        ),
    ];
    for (lines, code, line, property) in cases {
        let store = Store::in_memory().expect("a store");
        let options = ImportOptions::new().versions(true);
        let error = store.import(lines.join("\n").as_bytes(), &options).expect_err("a bad line");
        let details = error.details();
        assert_eq!(
            (error.code(), details.line, details.property.as_deref()),
            (code, Some(line), property),
            "{error:?}"
        );
        for name in store.list_tables().expect("names") {
            let count = store.table(name.as_str()).and_then(|table| table.count(Query::all()));
            assert_eq!(count.expect("a count"), 0, "{lines:?}");
        }
    }
    let store = Store::in_memory().expect("a store");
    let no_utf8 = [HEADER.as_bytes(), b"\n", TABLE.as_bytes(), b"\n{\"PartitionKey\":\"\xff\"}"].concat();
    let error = store.import(&*no_utf8, &ImportOptions::new()).expect_err("no text");
    assert_eq!((error.code(), error.details().line), (ErrorCode::InvalidInput, Some(3)));
    let error = store.import(&b""[..], &ImportOptions::new()).expect_err("nothing");
    assert_eq!(error.code(), ErrorCode::InvalidInput);
    let merged = ImportOptions::new().versions(true).existing(Existing::Merge);
    assert_eq!(store.import(HEADER.as_bytes(), &merged).expect_err("no version").code(), ErrorCode::InvalidInput);
}

#[test]
fn an_entity_that_is_there_is_done_with_as_asked() {
    let store = Store::in_memory().expect("a store");
    store
        .create_table("Things")
        .expect("a table")
        .create_entity(entity! { "p", "r", "A" => 2, "B" => 2 })
        .expect("an entity");
    let lines = exported(&store, &ExportOptions::new().versions(true));
    let check = |existing, versions, expected: Entity| {
        let other = Store::in_memory().expect("a store");
        let table = other.create_table("Things").expect("a table");
        let before = table.create_entity(entity! { "p", "r", "A" => 1, "C" => 1 }).expect("an entity").etag();
        let options = ImportOptions::new().existing(existing).versions(versions);
        other.import(lines.as_bytes(), &options).expect("an import");
        let found = table.get_entity("p", "r").expect("the entity");
        assert_eq!(found, expected, "{existing:?}");
        assert_eq!(found.etag() == Some(before), existing == Existing::Skip, "{existing:?}");
        let theirs = store.table("Things").and_then(|table| table.get_entity("p", "r")).expect("the entity").etag();
        assert_eq!(found.etag() == theirs, versions && existing == Existing::Replace, "{existing:?}");
    };
    check(Existing::Skip, true, entity! { "p", "r", "A" => 1, "C" => 1 });
    check(Existing::Replace, true, entity! { "p", "r", "A" => 2, "B" => 2 });
    check(Existing::Replace, false, entity! { "p", "r", "A" => 2, "B" => 2 });
    check(Existing::Merge, false, entity! { "p", "r", "A" => 2, "B" => 2, "C" => 1 });
}

#[test]
fn what_the_cloud_would_refuse_is_listed_by_row() {
    let store = extended();
    let table = store.create_table("Wide").expect("a table");
    let mut many = Entity::new("p", "many");
    (0..253).for_each(|n| drop(many.insert(format!("N{n}"), 1)));
    let mut large = Entity::new("p", "large");
    (0..17).for_each(|n| drop(large.insert(format!("N{n}"), vec![0_u8; 65_536])));
    let first_year = DateTime::from_ticks(0).expect("a tick");
    let rows = [
        (many, vec![(ErrorCode::TooManyProperties, None, Some((252, 253)))]),
        (large, vec![(ErrorCode::EntityTooLarge, None, Some((1_048_576, 1_114_414)))]),
        (
            entity! { "p#", "k".repeat(1_025), "ok" => 1 },
            vec![
                (ErrorCode::OutOfRangeInput, Some("PartitionKey"), None),
                (ErrorCode::KeyValueTooLarge, Some("RowKey"), Some((1_024, 1_025))),
            ],
        ),
        (
            entity! { "p", "values", "S" => "x".repeat(32_769), "B" => vec![0_u8; 65_537], "D" => first_year },
            vec![
                (ErrorCode::PropertyValueTooLarge, Some("S"), Some((32_768, 32_769))),
                (ErrorCode::PropertyValueTooLarge, Some("B"), Some((65_536, 65_537))),
                (ErrorCode::InvalidInput, Some("D"), None),
            ],
        ),
        (entity! { "p", "names", "a b" => 1 }, vec![(ErrorCode::PropertyNameInvalid, Some("a b"), None)]),
        (entity! { "p", "fine", "S" => "x".repeat(32_768), "NaN" => f64::NAN }, vec![]),
    ];
    let mut expected = BTreeMap::new();
    for (entity, reasons) in rows {
        let reasons: Vec<_> =
            reasons.into_iter().map(|(code, property, limit)| (code, property.map(str::to_owned), limit)).collect();
        if !reasons.is_empty() {
            expected.insert((entity.partition_key().to_owned(), entity.row_key().to_owned()), reasons);
        }
        table.create_entity(entity).expect("an entity");
    }
    let mut found = BTreeMap::new();
    let count = store.check_export(&ExportOptions::new(), |refused| {
        let reasons = refused.reasons.iter().map(|error| {
            let details = error.details();
            assert_eq!(details.row_key.as_deref(), Some(&*refused.row_key));
            (error.code(), details.property.as_deref().map(str::to_owned), details.limit.zip(details.actual))
        });
        assert_eq!(refused.table, "Wide");
        let reasons = reasons.collect();
        found.insert((refused.partition_key, refused.row_key), reasons);
        ControlFlow::Continue(())
    });
    assert_eq!(count.expect("a check"), 6);
    assert_eq!(found, expected);
    let mut seen = 0;
    let stop = store.check_export(&ExportOptions::new(), |_| {
        seen += 1;
        ControlFlow::Break(())
    });
    assert!(stop.is_ok() && seen == 1);
}

#[test]
fn a_place_that_takes_no_more_is_told() {
    struct Full(usize);
    impl Write for Full {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0 = self.0.checked_sub(bytes.len()).ok_or_else(|| io::Error::other("no room"))?;
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }
    let error = two_tables(2_000).export(Full(100_000), &ExportOptions::new()).expect_err("no room");
    assert_eq!(error.code(), ErrorCode::Io);
    assert!(error.message().contains("no room"), "{error}");
}
