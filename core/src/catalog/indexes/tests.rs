//! Whatever is written, and in whatever way: entries are exactly those of the rows.

use super::*;
use crate::index::{Projection, Scope, State};
use crate::tests::Random;
use crate::{
    Condition, DateTime, Entity, ErrorCode, Index, Operation, Options, Query, Store, Table, UpdateMode, Value, entity,
};
use std::collections::BTreeMap;

fn value(random: &mut Random) -> Value {
    match random.below(14) {
        0 => Value::from(5),
        1 => Value::from(5_i64),
        2 => Value::from(5.0),
        3 => Value::from(-0.0),
        4 => Value::from(f64::NAN),
        5 => Value::from((1_i64 << 53) + 1),
        6 => Value::from(true),
        7 => Value::from(DateTime::from_ticks(700_000_000_000_000_000).unwrap()),
        8 => Value::from("x".repeat(600)),
        9 => Value::from("x".repeat(599) + "Y"),
        10 => Value::from(vec![0_u8, 255, 0]),
        11 => Value::from(""),
        12 => Value::from("ß\0\u{ffff}"),
        _ => Value::from(format!("Text {}", random.below(4))),
    }
}
const NAMES: [&str; 3] = ["A", "B", "C"];
const PARTITIONS: [&str; 3] = ["p", "q", "\u{ffff}"];

fn indexes() -> Vec<Index> {
    vec![
        Index::new("A").properties(["A"]),
        Index::new("all").properties(["B", "A"]).projection(Projection::All),
        Index::new("in partition").properties(["C"]).scope(Scope::Partition).projection(Projection::names(["A"])),
        Index::new("folded").properties(["RowKey", "B"]).fold_case(true),
        Index::new("time").properties(["Timestamp"]),
    ]
}

/// Compares the entries of every index that is kept with those of the rows. Gives how many there are.
#[track_caller]
fn check_entries(store: &Store, name: &str) -> usize {
    let name = TableName::new(name).unwrap();
    let compared = store.read(|txn| {
        let view = store.views().table(txn, &name)?.unwrap();
        let mut expected = BTreeMap::new();
        for item in txn.range(Space::Rows, beginning_with(&table_prefix(view.id)), Direction::Ascending)? {
            let (key, row) = item?;
            let row = Row::new(&key, row, &view.shapes)?;
            for record in view.indexes.iter().filter(|record| index::is_usable(record)) {
                let entry = index::entry(record, &key, &row)?;
                assert!(expected.insert(entry.key, entry.value).is_none(), "two entries of one key");
            }
        }
        let mut found = BTreeMap::new();
        for record in &view.indexes {
            for item in txn.range(Space::Indexes, beginning_with(&index::prefix(record.id)), Direction::Ascending)? {
                let (key, value) = item?;
                assert!(key.len() <= KEY_PIECE_BYTES || record.has_long_keys, "the flag of long keys is not set");
                found.insert(key.into_owned(), value.to_vec());
            }
        }
        assert!(found == expected, "{} entries, {} expected", found.len(), expected.len());
        Ok(found.len())
    });
    compared.unwrap()
}

fn random_entity(random: &mut Random, partition: &str) -> Entity {
    let row_key = match random.below(40) {
        0 => "L".repeat(1_000) + &random.below(3).to_string(),
        _ => format!("Row {}", random.below(30)),
    };
    let mut entity = Entity::new(partition, row_key);
    for name in NAMES {
        if random.below(4) > 0 {
            entity.insert(name, value(random));
        }
    }
    entity
}

fn random_operation(random: &mut Random, partition: &str) -> Operation {
    let entity = random_entity(random, partition);
    match random.below(6) {
        0 => Operation::create(entity).unwrap(),
        1 => Operation::update(entity, UpdateMode::Merge).unwrap(),
        2 => Operation::upsert(entity, UpdateMode::Replace).unwrap(),
        3 => Operation::delete(entity.partition_key(), entity.row_key()),
        _ => Operation::upsert(entity, UpdateMode::Merge).unwrap(),
    }
}

#[test]
fn entries_are_those_of_the_rows_whatever_is_written() {
    let store = Store::in_memory().unwrap();
    let table = store.create_table("Things").unwrap();
    let mut random = Random(7);
    for index in &indexes()[..2] {
        table.create_index(index.clone()).unwrap();
    }
    let mut outcomes = BTreeMap::<(&str, bool), usize>::new();
    for step in 0..600 {
        let partition = PARTITIONS[random.below(3)];
        let (what, is_done) = match random.below(8) {
            0 => {
                let operations: Vec<_> =
                    (0..random.below(6)).map(|_| random_operation(&mut random, partition)).collect();
                ("group", table.submit_transaction(operations).is_ok())
            }
            1 => {
                let operations: Vec<_> = (0..random.below(9))
                    .map(|_| {
                        let partition = PARTITIONS[random.below(3)];
                        (&table, random_operation(&mut random, partition))
                    })
                    .collect();
                ("batch", store.submit_batch(operations).is_ok())
            }
            2 if random.below(4) == 0 => {
                let filter = Query::filter("PartitionKey eq @p and B ne null").parameter("p", partition);
                ("delete by filter", table.delete_entities(filter.limit(5)).unwrap() > 0)
            }
            _ => {
                let operation = random_operation(&mut random, partition);
                ("single", table.submit_transaction([operation]).is_ok())
            }
        };
        *outcomes.entry((what, is_done)).or_default() += 1;
        match step {
            100 => indexes()[2..].iter().for_each(|index| table.create_index(index.clone()).unwrap()),
            300 => table.drop_index("A").unwrap(),
            400 => table.create_index(indexes()[0].clone()).unwrap(),
            _ => {}
        }
        if step % 20 == 19 {
            check_entries(&store, "Things");
        }
    }
    assert!(check_entries(&store, "Things") > 100);
    for what in ["group", "batch", "single", "delete by filter"] {
        assert!(outcomes.get(&(what, true)).is_some_and(|count| *count > 5), "{what}: {outcomes:?}");
    }
    assert!(table.list_indexes().unwrap().iter().all(|index| index.state() == State::Ready));
}

/// A table with a unique index on A, or on what `index` says.
fn unique(index: Index) -> Table {
    let table = Store::in_memory().unwrap().create_table("Things").unwrap();
    table.create_index(index.unique(true)).unwrap();
    table
}

fn by_a() -> Index {
    Index::new("A").properties(["A"])
}

#[track_caller]
fn check_refused<T: std::fmt::Debug>(outcome: Result<T>, holder: (&str, &str)) {
    let error = outcome.unwrap_err();
    assert_eq!(error.code(), ErrorCode::UniqueIndexViolation, "{error}");
    assert_eq!(error.details().holder, Some((holder.0.into(), holder.1.into())), "{error}");
}

#[test]
fn unique_is_by_value() {
    let long = |end: &str| Value::from("x".repeat(600) + end);
    for (first, second, is_same) in [
        (Value::from(5), Value::from(5.0), true),
        (Value::from(5), Value::from(5_i64), true),
        (Value::from(0.0), Value::from(-0.0), true),
        (Value::from((1_i64 << 53) + 1), Value::from((1_i64 << 53) as f64), false),
        (Value::from("5"), Value::from(5), false),
        (Value::from("a"), Value::from("A"), false),
        (Value::from(""), Value::from(""), true),
        (Value::from(f64::NAN), Value::from(f64::NAN), false),
        (long("a"), long("a"), true),
        (long("a"), long("b"), false),
        (Value::from(vec![0_u8; 600]), Value::from(vec![0_u8; 600]), true),
        (Value::from(vec![0_u8; 600]), Value::from(vec![0_u8; 601]), false),
    ] {
        let table = unique(by_a());
        table.create_entity(entity! { "p", "1", "A" => first.clone() }).unwrap();
        let again = table.create_entity(entity! { "q", "2", "A" => second.clone() });
        assert_eq!(again.is_err(), is_same, "{first:?} {second:?}");
    }
}

#[test]
fn what_is_missing_is_not_bound() {
    let table = unique(Index::new("AB").properties(["A", "B"]));
    for key in ["1", "2"] {
        table.create_entity(entity! { "p", key, "A" => 1 }).unwrap();
        table.create_entity(entity! { "q", key }).unwrap();
    }
    table.upsert_entity(entity! { "p", "1", "B" => 7 }, UpdateMode::Merge).unwrap();
    check_refused(table.upsert_entity(entity! { "p", "2", "B" => 7 }, UpdateMode::Merge), ("p", "1"));
}

#[test]
fn unique_within_a_partition_allows_a_value_in_each() {
    let table = unique(by_a().scope(Scope::Partition));
    table.create_entity(entity! { "p", "1", "A" => "x" }).unwrap();
    table.create_entity(entity! { "q", "1", "A" => "x" }).unwrap();
    check_refused(table.create_entity(entity! { "q", "2", "A" => "x" }), ("q", "1"));
}

#[test]
fn a_row_may_keep_its_own_value_and_give_it_away() {
    let table = unique(by_a().fold_case(true));
    table.create_entity(entity! { "p", "1", "A" => "x" }).unwrap();
    table.update_entity(entity! { "p", "1", "A" => "X", "B" => 1 }, UpdateMode::Replace).unwrap();
    check_refused(table.create_entity(entity! { "p", "2", "A" => "x" }), ("p", "1"));
    // Within a group the earlier operations count, and the later ones do not.
    let take = || Operation::create(entity! { "p", "2", "A" => "x" }).unwrap();
    let give = || Operation::update(entity! { "p", "1", "B" => 2 }, UpdateMode::Replace).unwrap();
    let error = table.submit_transaction([take(), give()]).unwrap_err();
    assert_eq!((error.code(), error.details().index), (ErrorCode::UniqueIndexViolation, Some(0)));
    table.submit_transaction([give(), take()]).unwrap();
    let both = ["3", "4"].map(|key| Operation::create(entity! { "p", key, "A" => "y" }).unwrap());
    check_refused(table.submit_transaction(both), ("p", "3"));
    assert!(!table.exists("p", "3").unwrap(), "nothing of the group was done");
    table.delete_entity("p", "2").unwrap();
    table.create_entity(entity! { "p", "5", "A" => "x" }).unwrap();
    check_entries(table.store(), "Things");
}

#[test]
fn a_refused_write_leaves_everything_as_it_was() {
    let table = unique(by_a());
    table.create_index(Index::new("B").properties(["B"]).projection(Projection::All)).unwrap();
    table.create_entity(entity! { "p", "1", "A" => 1, "B" => 1 }).unwrap();
    table.create_entity(entity! { "p", "2", "A" => 2, "B" => 1 }).unwrap();
    check_refused(table.upsert_entity(entity! { "p", "2", "A" => 1, "B" => 3 }, UpdateMode::Merge), ("p", "1"));
    assert_eq!(table.get_entity("p", "2").unwrap()["B"], Value::from(1));
    check_entries(table.store(), "Things");
}

#[test]
fn what_is_there_is_built_and_duplicates_are_told() {
    let store = Store::in_memory().unwrap();
    let table = store.create_table("Things").unwrap();
    let rows = (0..20_000).map(|number| {
        let a = if number % 1_000 == 7 { Value::from("same") } else { Value::from(number) };
        (&table, Operation::create(entity! { "p", format!("{number:06}"), "A" => a }).unwrap())
    });
    store.submit_batch(rows).unwrap();
    let error = table.create_index(by_a().unique(true)).unwrap_err();
    assert_eq!(error.code(), ErrorCode::UniqueIndexViolation);
    let text = error.to_string();
    assert!(text.contains("('p', '000007') and ('p', '001007')") && text.ends_with("and 9 more."), "{text}");
    assert!(table.list_indexes().unwrap().is_empty());
    for index in indexes() {
        table.create_index(index).unwrap();
    }
    assert_eq!(check_entries(&store, "Things"), 100_000);
}

#[test]
fn duplicates_past_the_cut_are_told_apart() {
    let store = Store::in_memory().unwrap();
    let table = store.create_table("Things").unwrap();
    for (key, end) in [("1", "a"), ("2", "b"), ("3", "a")] {
        table.create_entity(entity! { "p", key, "A" => "x".repeat(600) + end }).unwrap();
    }
    let error = table.create_index(by_a().unique(true)).unwrap_err();
    assert!(error.to_string().ends_with("same value: ('p', '1') and ('p', '3')."), "{error}");
    table.delete_entity("p", "3").unwrap();
    table.create_index(by_a().unique(true)).unwrap();
}

#[test]
fn writers_who_append_do_not_put_off_a_unique_index() {
    let store = Store::in_memory().unwrap();
    let table = store.create_table("Things").unwrap();
    let append = |number: i32| table.create_entity(entity! { "p", format!("{number:03}"), "A" => number }).unwrap();
    (0..15).for_each(|number| _ = append(number));
    let name = TableName::new("Things").unwrap();
    let declared = store.write(move |edit| edit.create_index(&name, &by_a().unique(true))).unwrap();
    let Declared::New(id) = declared else { panic!("a new index") };
    let step = || {
        let name = TableName::new("Things").unwrap();
        store.write(move |edit| edit.build_index(&name, id, 10)).unwrap()
    };
    // 10 rows, then 6, of which one is new; then no more, whatever is new.
    for number in 15..17 {
        assert!(matches!(step(), Built::Partly));
        append(number);
    }
    assert!(matches!(step(), Built::Wholly));
    assert_eq!(check_entries(&store, "Things"), 17);
    check_refused(table.create_entity(entity! { "p", "x", "A" => 16 }), ("p", "016"));
}

#[test]
fn a_build_that_is_given_up_leaves_no_index() {
    let store = Store::in_memory().unwrap();
    let table = store.create_table("Things").unwrap();
    for number in 0..50 {
        table.create_entity(entity! { "p", format!("{number:02}"), "A" => number }).unwrap();
    }
    // A unique one is looked at in a step of its own, and asks before it.
    let index = || by_a().unique(true);
    let mut asked = 0;
    let is_over = || {
        asked += 1;
        // Nothing is held: who is asked may write.
        table.create_entity(entity! { "p", format!("in between {asked}"), "A" => 1_000 + asked }).unwrap();
        true
    };
    let error = table.create_index_until(index(), is_over).unwrap_err();
    assert_eq!((error.code(), error.details().index_name.as_deref()), (ErrorCode::Cancelled, Some("A")));
    assert_eq!((table.list_indexes().unwrap().len(), asked), (0, 1));
    table.create_index_if_not_exists_until(index(), || true).unwrap_err();
    assert!(table.list_indexes().unwrap().is_empty());
    table.create_index_until(index(), || false).unwrap();
    assert_eq!(check_entries(&store, "Things"), 51);
    table.drop_index("A").unwrap();

    // What another has declared goes on, and so does who builds it.
    let name = TableName::new("Things").unwrap();
    store.write(move |edit| edit.create_index(&name, &index())).unwrap();
    table.create_index_if_not_exists_until(index(), || true).unwrap_err();
    assert_eq!(table.list_indexes().unwrap()[0].state(), State::Building);
    table.create_index_if_not_exists(index()).unwrap();
    assert_eq!(check_entries(&store, "Things"), 51);
}

#[test]
fn what_is_half_built_is_kept_by_writers_and_goes_on_later() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("things.ent");
    let store = Store::open(&path).unwrap();
    let table = store.create_table("Things").unwrap();
    for number in 0..50 {
        table.create_entity(entity! { "p", format!("{number:02}"), "A" => number % 7 }).unwrap();
    }
    // As a process leaves it that is killed after the second step.
    let name = TableName::new("Things").unwrap();
    let id = store.write(move |edit| edit.create_index(&name, &by_a())).unwrap();
    let Declared::New(id) = id else { panic!("a new index") };
    for _ in 0..2 {
        let name = TableName::new("Things").unwrap();
        assert!(matches!(store.write(move |edit| edit.build_index(&name, id, 10)).unwrap(), Built::Partly));
    }
    assert_eq!(table.list_indexes().unwrap()[0].state(), State::Building);
    table.upsert_entity(entity! { "p", "05", "A" => 70 }, UpdateMode::Replace).unwrap();
    table.upsert_entity(entity! { "p", "45", "A" => 70 }, UpdateMode::Replace).unwrap();
    table.delete_entity("p", "06").unwrap();
    table.delete_entity("p", "46").unwrap();
    table.upsert_entity(entity! { "p", "19x", "A" => 70 }, UpdateMode::Replace).unwrap();
    store.close();

    let store = Store::open(&path).unwrap();
    let table = store.table("Things").unwrap();
    // It is built in the background; this waits for it, by helping.
    table.create_index_if_not_exists(by_a()).unwrap();
    assert_eq!(table.list_indexes().unwrap()[0].state(), State::Ready);
    assert_eq!(check_entries(&store, "Things"), 49);
}

#[test]
fn what_is_half_built_and_finds_no_room_later_is_given_up() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("things.ent");
    let store = Store::open_with(&path, &Options::new().max_size(1 << 20)).unwrap();
    let table = store.create_table("Things").unwrap();
    let row = |number: u32| entity! { "p", format!("{number:02}"), "A" => 1, "Text" => "x".repeat(10_000) };
    assert!((0..100).any(|number| table.create_entity(row(number)).is_err()), "there is a limit");
    table.delete_entity("p", "00").unwrap();
    // As a process leaves it that is killed right after the declaration, or between a failure and the removal.
    let index = || by_a().projection(Projection::All);
    let name = TableName::new("Things").unwrap();
    store.write(move |edit| edit.create_index(&name, &index())).unwrap();
    store.close();

    let store = Store::open(&path).unwrap();
    let table = store.table("Things").unwrap();
    let begin = std::time::Instant::now();
    while !table.list_indexes().unwrap().is_empty() {
        assert!(begin.elapsed().as_secs() < 60, "it is still being built");
        std::thread::yield_now();
    }
    table.delete_entities("RowKey gt '10'").unwrap();
    table.create_index(index()).unwrap();
    assert_eq!(check_entries(&store, "Things"), 10);
}

#[test]
fn dropped_indexes_and_tables_leave_no_entries() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(folder.path().join("things.ent")).unwrap();
    let table = store.create_table("Things").unwrap();
    indexes().into_iter().for_each(|index| table.create_index(index).unwrap());
    let rows = (0..300).map(|number| (&table, Operation::create(entity! { "p", number.to_string() }).unwrap()));
    store.submit_batch(rows).unwrap();
    let entries = |store: &Store| {
        let all = (ops::Bound::Unbounded, ops::Bound::Unbounded);
        store.read(|txn| Ok(txn.range(Space::Indexes, all, Direction::Ascending)?.count())).unwrap()
    };
    assert_eq!(entries(&store), 1_500);
    let drops = |store: &Store| store.read(|txn| crate::catalog::pending_drops(txn)).unwrap().len();
    table.drop_index("A").unwrap();
    store.delete_table("Things").unwrap();
    while drops(&store) > 0 {
        // The sweep runs in a thread of its own.
        std::thread::yield_now();
    }
    assert_eq!(entries(&store), 0);
}

#[test]
fn conditions_come_before_unique() {
    let table = unique(by_a());
    table.create_entity(entity! { "p", "1", "A" => 1 }).unwrap();
    table.create_entity(entity! { "p", "2", "A" => 2 }).unwrap();
    let absent = table.upsert_entity_if(entity! { "p", "2", "A" => 1 }, UpdateMode::Merge, Condition::Absent);
    assert_eq!(absent.unwrap_err().code(), ErrorCode::EntityAlreadyExists);
}

#[test]
fn a_table_has_so_many_indexes_and_no_more() {
    let table = Store::in_memory_with(&Options::new()).unwrap().create_table("Things").unwrap();
    for number in 0..TABLE_INDEXES {
        table.create_index(Index::new(format!("I{number}")).properties(["A"])).unwrap();
    }
    let error = table.create_index(by_a()).unwrap_err();
    assert_eq!((error.code(), error.details().limit), (ErrorCode::InvalidInput, Some(64)));
}

#[test]
fn an_index_of_another_unicode_goes_stale_with_the_first_write() {
    let store = Store::in_memory().unwrap();
    let table = store.create_table("Things").unwrap();
    let folded = by_a().fold_case(true);
    table.create_index(folded.clone()).unwrap();
    table.create_entity(entity! { "p", "1", "A" => "x" }).unwrap();
    let state = || table.list_indexes().unwrap()[0].state();
    let name = TableName::new("Things").unwrap();
    store.write(move |edit| edit.change_index(&name, 1, |record| record.unicode = Some([1, 0, 0]))).unwrap();
    assert_eq!(state(), State::Stale);
    let stored = || {
        let key = record::key::index(1, 1);
        let of = |txn: &crate::storage::ReadTxn<'_>| {
            txn.get(Space::Catalog, &key)?.map(|bytes| IndexRecord::decode(&key, bytes)).transpose()
        };
        store.read(of).unwrap().map(|record| record.state)
    };
    assert_eq!(stored(), Some(IndexState::Ready), "nobody has written");
    table.create_entity(entity! { "p", "2", "A" => "y" }).unwrap();
    assert_eq!(stored(), Some(IndexState::Stale));
    table.create_index_if_not_exists(folded).unwrap();
    assert_eq!((state(), stored()), (State::Ready, None), "one of another id took its place");
    assert_eq!(check_entries(&store, "Things"), 2);
}

#[test]
fn an_index_that_is_there_is_no_error_even_where_nothing_can_be_written() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("things.ent");
    let writable = Store::open(&path).unwrap();
    writable.create_table("Things").unwrap().create_index(by_a()).unwrap();
    let store = Store::open_with(&path, &Options::new().read_only(true)).unwrap();
    let table = store.table("Things").unwrap();
    table.create_index_if_not_exists(by_a()).unwrap();
    let error = table.create_index_if_not_exists(by_a().unique(true)).unwrap_err();
    assert_eq!(error.code(), ErrorCode::StoreReadOnly);
    assert_eq!(table.create_index(by_a()).unwrap_err().code(), ErrorCode::StoreReadOnly);
}

#[test]
fn an_index_declared_otherwise_is_named_with_its_table() {
    let table = Store::in_memory().unwrap().create_table("Things").unwrap();
    table.create_index(by_a()).unwrap();
    let error = table.create_index_if_not_exists(by_a().unique(true)).unwrap_err();
    assert_eq!(error.code(), ErrorCode::IndexAlreadyExists);
    let details = error.details();
    assert_eq!((details.table.as_deref(), details.index_name.as_deref()), (Some("Things"), Some(by_a().name())));
}

#[test]
fn an_entity_that_moves_takes_its_entries_along() {
    let table = Store::in_memory().unwrap().create_table("Things").unwrap();
    table.create_index(by_a()).unwrap();
    table.create_entity(entity! { "p", "1", "A" => 5 }).unwrap();
    table.move_entity(("p", "1"), ("q", "2")).unwrap();
    let found: Vec<Entity> = table.query_entities("A eq 5").unwrap().map(Result::unwrap).collect();
    assert_eq!(found.iter().map(|entity| (entity.partition_key(), entity.row_key())).collect::<Vec<_>>(), [("q", "2")]);
    assert_eq!(table.index_stats().unwrap()[0].entries, 1);
}

#[test]
fn a_projection_names_no_more_than_an_entity_has() {
    let table = Store::in_memory().unwrap().create_table("Things").unwrap();
    let names = |count| Projection::names((0..count).map(|number| format!("P{number}")));
    table.create_index(by_a().projection(names(252))).unwrap();
    let error = table.create_index(Index::new("More").properties(["A"]).projection(names(253))).unwrap_err();
    assert_eq!((error.code(), error.details().limit), (ErrorCode::InvalidInput, Some(252)));
}

#[test]
fn whoever_waits_for_an_index_that_is_refused_learns_it() {
    let table = Store::in_memory().unwrap().create_table("Things").unwrap();
    let rows = (0..10_000).map(|number| entity! { "p", format!("{number:05}"), "A" => number / 2 });
    let rows = rows.map(|row| (&table, Operation::create(row).unwrap()));
    table.store().submit_batch(rows.collect::<Vec<_>>()).unwrap();
    std::thread::scope(|scope| {
        let callers: Vec<_> =
            (0..4).map(|_| scope.spawn(|| table.create_index_if_not_exists(by_a().unique(true)))).collect();
        for caller in callers {
            let error = caller.join().unwrap().unwrap_err();
            assert!(matches!(error.code(), ErrorCode::UniqueIndexViolation | ErrorCode::IndexNotFound), "{error}");
        }
    });
    assert!(table.list_indexes().unwrap().is_empty());
}
