//! A store takes no more bytes than it may, and at its limit whatever makes room still works.

use entable::index::{Projection, State};
use entable::{Error, ErrorCode, Index, Operation, Options, Result, Store, Table, UpdateMode, entity};
use entable_tests::folders;
use std::path::Path;

const MIB: u64 = 1 << 20;
const LIMIT: u64 = 4 * MIB;

fn open(path: &Path, limit: u64) -> Store {
    Store::open_with(path, &Options::new().max_size(limit)).expect("a store")
}

fn bytes(path: &Path) -> u64 {
    std::fs::metadata(path).expect("the file").len()
}

fn row(partition: &str, number: usize) -> entable::Entity {
    entity! { partition, format!("{number:06}"), "City" => format!("City {}", number * 7_919 % 1_000), "Text" => "x".repeat(900) }
}

/// Does `write` until it is refused. Tells how often it was done.
#[track_caller]
fn until_refused(path: &Path, mut write: impl FnMut(usize) -> Result<()>) -> usize {
    let mut refused = None;
    let done = (0..100_000).find(|number| match write(*number) {
        Ok(()) => false,
        Err(error) => {
            refused = Some(error);
            true
        }
    });
    let error: Error = refused.expect("there is a limit");
    assert_eq!(error.code(), ErrorCode::QuotaExceeded, "{error}");
    let details = error.details();
    assert_eq!(details.limit, Some(LIMIT));
    assert!(details.actual.is_some_and(|actual| actual > LIMIT * 3 / 4), "{:?}", details.actual);
    assert!(bytes(path) <= LIMIT, "{} bytes", bytes(path));
    done.unwrap_or_default()
}

/// The ways to write.
fn write(store: &Store, table: &Table, way: &str, number: usize) -> Result<()> {
    match way {
        "single" => table.create_entity(row("p", number)).map(drop),
        "update" => table.upsert_entity(row("p", number), UpdateMode::Merge).map(drop),
        "submit" => {
            let (send, receive) = std::sync::mpsc::channel();
            table.submit_then(Operation::create(row("p", number))?, move |outcome| drop(send.send(outcome)))?;
            receive.recv().expect("an answer").map(drop)
        }
        "group" => {
            let group = (0..100).map(|index| Operation::create(row("p", number * 100 + index)));
            table.submit_transaction(group.collect::<Result<Vec<_>>>()?).map(drop)
        }
        "batch" => {
            let batch = (0..200).map(|index| Ok((table, Operation::create(row("p", number * 200 + index))?)));
            store.submit_batch(batch.collect::<Result<Vec<_>>>()?).map(drop)
        }
        "transaction" => store.transaction(|transaction| {
            let table = transaction.table("Rows")?;
            (0..50).try_for_each(|index| table.create_entity(row("p", number * 50 + index)).map(drop))
        }),
        _ => unreachable!(),
    }
}

#[test]
fn each_kind_of_write_is_refused_at_the_limit() {
    // The code is QuotaExceeded.
    for way in ["single", "update", "submit", "group", "batch", "transaction"] {
        let folder = folders::quick();
        let path = folder.path().join("store.ent");
        let store = open(&path, LIMIT);
        let table = store.create_table("Rows").expect("a table");
        let done = until_refused(&path, |number| write(&store, &table, way, number));
        // The limit is used, and what was refused has left nothing.
        assert!(bytes(&path) > LIMIT / 2, "{way}: {} bytes", bytes(&path));
        let per_write = match way {
            "group" => 100,
            "batch" => 200,
            "transaction" => 50,
            _ => 1,
        };
        assert_eq!(table.count("").expect("a count"), (done * per_write) as u64, "{way}");
        // What makes room is done, and makes room.
        let half = format!("RowKey lt '{:06}'", done * per_write / 2);
        for number in 0..40 {
            table.delete_entity("p", &format!("{number:06}")).unwrap_or_else(|error| panic!("{way}: {error}"));
        }
        table.delete_entities(half.as_str()).unwrap_or_else(|error| panic!("{way}: {error}"));
        let again = until_refused(&path, |number| write(&store, &table, way, number + done + 1));
        assert!(again * 8 >= done, "{way}: {again} after {done}");
        store.close();
        entable::verify(&path).unwrap_or_else(|error| panic!("{way}: {error}"));
    }
}

fn by_city() -> Index {
    Index::new("ByCity").properties(["City"]).projection(Projection::All)
}

/// A full store, and the code that its index `ByCity` is refused with.
fn full(path: &Path) -> (Store, Table, ErrorCode) {
    let store = open(path, LIMIT);
    let table = store.create_table("Rows").expect("a table");
    until_refused(path, |number| write(&store, &table, "group", number));
    let error = table.create_index(by_city()).expect_err("no room");
    (store, table, error.code())
}

#[test]
fn an_index_that_has_no_room_is_not_there() {
    let folder = folders::quick();
    let path = folder.path().join("store.ent");
    let (store, table, code) = full(&path);
    assert_eq!(code, ErrorCode::QuotaExceeded);
    assert!(bytes(&path) <= LIMIT, "{} bytes", bytes(&path));
    assert_eq!(table.list_indexes().expect("a list"), []);
    // Nor after the other calls that make one.
    let code = table.create_index_if_not_exists(by_city()).map_err(|error| error.code());
    assert_eq!((code, table.list_indexes().expect("a list")), (Err(ErrorCode::QuotaExceeded), vec![]));
    let transaction = store.begin().expect("a transaction");
    let inside = transaction.table("Rows").expect("a table");
    inside.create_index(by_city()).expect_err("no room");
    assert_eq!(inside.list_indexes().expect("a list"), []);
    transaction.commit().expect("a commit");
    assert_eq!(table.list_indexes().expect("a list"), []);
    // With room the same call makes it.
    table.delete_entities("RowKey ge '000020'").expect("a delete makes room");
    table.create_index(by_city()).expect("there is room");
    assert_eq!(table.list_indexes().expect("a list")[0].state(), State::Ready);
    assert_eq!(
        table.count("City eq 'City 7'").expect("a count"),
        table.count("tolower(City) eq 'city 7'").expect("a count")
    );
    store.close();
    entable::verify(&path).expect("a whole file");
}

#[test]
fn a_full_store_can_be_emptied_and_used_again() {
    let folder = folders::quick();
    let path = folder.path().join("store.ent");
    let (store, _, _) = full(&path);
    store.delete_table("Rows").expect("a drop makes room");
    let table = store.create_table("Rows").or_else(|_| {
        // What was dropped is freed in steps.
        std::iter::repeat_with(|| store.create_table("Rows")).find(Result::is_ok).expect("some time")
    });
    assert!(table.expect("a table").create_entity(row("p", 0)).is_ok());
}

#[test]
fn the_limit_is_kept_in_the_file_and_can_be_changed() {
    let folder = folders::quick();
    let path = folder.path().join("store.ent");
    let table_of = |store: &Store| store.create_table_if_not_exists("Rows").expect("a table");
    open(&path, LIMIT).close();
    // Without the option, and in a copy, it stays.
    let store = Store::open(&path).expect("a store");
    let done = until_refused(&path, |number| write(&store, &table_of(&store), "group", number));
    let copy = folder.path().join("copy.ent");
    store.compact_into(&copy).expect("a copy");
    let copied = Store::open(&copy).expect("the copy");
    until_refused(&copy, |number| write(&copied, &table_of(&copied), "group", number + done + 1));
    // A higher one lets writes go on; a handle that has the file open learns of it.
    let other = open(&path, 2 * LIMIT);
    for number in done..done + 5 {
        write(&store, &table_of(&store), "group", number).expect("there is room");
    }
    other.close();
    store.close();
    // A lower one than the file has bytes already refuses all but what makes room.
    let small = Options::new().max_size(MIB);
    let store = Store::open_with(&path, &small).expect("a store");
    let refused = write(&store, &table_of(&store), "single", 999_999).map_err(|error| error.code());
    assert_eq!(refused, Err(ErrorCode::QuotaExceeded));
    table_of(&store).delete_entities("RowKey ge '000300'").expect("a delete");
    store.close();
    let store = Store::open(&path).expect("a store");
    store.compact().expect("a compaction");
    assert!(bytes(&path) < MIB);
    write(&store, &table_of(&store), "single", 999_999).expect("there is room again");
    // None at all.
    store.close();
    let store = open(&path, 0);
    for number in 100..160 {
        write(&store, &table_of(&store), "group", number).expect("there is no limit");
    }
    assert!(bytes(&path) > LIMIT);
}

#[test]
fn a_limit_that_cannot_be_kept_is_refused() {
    let folder = folders::quick();
    let path = folder.path().join("store.ent");
    let error = Store::open_with(&path, &Options::new().max_size(MIB - 1)).expect_err("too small");
    assert_eq!((error.code(), error.details().limit), (ErrorCode::InvalidInput, Some(MIB)));
    assert!(!path.exists());
    open(&path, MIB).close();
    let read_only = Options::new().read_only(true).max_size(2 * MIB);
    let error = Store::open_with(&path, &read_only).expect_err("not to be kept");
    assert_eq!(error.code(), ErrorCode::InvalidInput);
}
