//! A program that runs for long holds no more memory, maps and descriptors at its end than at its beginning.
#![allow(unsafe_code, reason = "asking the allocator what it gave is a foreign call")]

use entable::{Entity, ErrorCode, Operation, Query, Snapshot, Store, Table, UpdateMode, entity};
use entable_tests::random::Random;
use entable_tests::{folders, tier};
use std::path::Path;

/// Parts of a run, after each of which is measured.
const PARTS: usize = 10;
/// What may come and go: buffers, and lists that keep their length.
const HEAP_SLACK: usize = 256 << 10;

/// What a process holds.
#[derive(Clone, Copy, Debug)]
struct Held {
    heap_bytes: usize,
    maps: usize,
    descriptors: usize,
}

impl Held {
    fn now() -> Held {
        // SAFETY: the call takes nothing and gives a struct of integers.
        let info = unsafe { libc::mallinfo2() };
        let maps = std::fs::read_to_string("/proc/self/maps").expect("the maps");
        // Those of files: what the allocator maps is in its own count, and where its arenas end is its affair.
        let maps = maps.lines().filter(|line| line.contains(".ent") || line.contains("entable")).count();
        let descriptors = std::fs::read_dir("/proc/self/fd").expect("the descriptors").count();
        Held { heap_bytes: info.uordblks + info.hblkhd, maps, descriptors }
    }
}

/// Runs `work` so many times, and finds that what is held stays as it is after the first parts.
fn check(what: &str, times: usize, mut work: impl FnMut(usize)) {
    let mut held = Vec::new();
    for part in 0..PARTS {
        (part * times / PARTS..(part + 1) * times / PARTS).for_each(&mut work);
        held.push(Held::now());
    }
    let (first, last) = (held[1], held[PARTS - 1]);
    tier::announce(format_args!("{times} {what}: {first:?} after two tenths, {last:?} at the end"));
    assert!(last.heap_bytes <= first.heap_bytes + HEAP_SLACK, "{what}: {held:?}");
    assert_eq!((last.maps, last.descriptors), (first.maps, first.descriptors), "{what}: {held:?}");
}

/// One test, since it measures the whole process.
#[test]
fn what_a_process_holds_does_not_grow() {
    let mut random = Random::new(tier::seed());
    let store = Store::in_memory().expect("a store");
    let table = store.create_table("Rows").expect("a table");
    check("operations", tier::count(100_000, 10_000_000), |number| operate(&table, number, &mut random));
    store.close();
    drop((table, store));

    let folder = folders::quick();
    let path = folder.path().join("cycles.ent");
    let _ = Store::open(&path).and_then(|store| store.create_table("Rows")).expect("a table");
    check("openings", tier::count(1_000, 100_000), |number| open_and_close(&path, number));
    check("stores in memory", tier::count(300, 10_000), |number| {
        let store = Store::in_memory().expect("a store");
        let table = store.create_table("Rows").expect("a table");
        table.create_entity(row(number, 10)).expect("a row");
    });
}

fn row(number: usize, text_chars: usize) -> Entity {
    entity! { (number % 7).to_string(), (number % 200).to_string(), "N" => number as i64, "Text" => "x".repeat(text_chars) }
}

/// One operation of any kind, also those that fail.
fn operate(table: &Table, number: usize, random: &mut Random) {
    let row = row(random.below(1_400), if random.percent(2) { 6_000 } else { random.below(100) });
    let keys = (row.partition_key().to_owned(), row.row_key().to_owned());
    let expect = |outcome: Result<(), entable::Error>, allowed: &[ErrorCode]| match outcome {
        Ok(()) => {}
        Err(error) => assert!(allowed.contains(&error.code()), "operation {number}: {error:?}"),
    };
    match random.below(12) {
        0 => expect(table.create_entity(row).map(drop), &[ErrorCode::EntityAlreadyExists]),
        1 => expect(table.update_entity(row, UpdateMode::Replace).map(drop), &[ErrorCode::ResourceNotFound]),
        2 => expect(table.upsert_entity(row, UpdateMode::Merge).map(drop), &[]),
        3 => expect(table.delete_entity(&keys.0, &keys.1), &[ErrorCode::ResourceNotFound]),
        4 => {
            let operations: Vec<_> = (0..5)
                .map(|row_key| Operation::upsert(entity! { "group", row_key.to_string() }, UpdateMode::Replace))
                .collect::<Result<_, _>>()
                .expect("operations");
            expect(table.submit_transaction(operations).map(drop), &[]);
        }
        5 => {
            let page = table.query_page(Query::filter(format!("N gt {number} and PartitionKey ge '3'")).page_size(20));
            expect(page.map(drop), &[]);
        }
        6 => expect(table.count(Query::filter("N lt 50")).map(drop), &[]),
        7 => expect(table.query_page(Query::filter("N lt")).map(drop), &[ErrorCode::InvalidInput]),
        8 => {
            // A queued write, whose outcome nobody waits for.
            let operation = Operation::upsert(row, UpdateMode::Replace).expect("an operation");
            expect(table.submit(operation).map(drop), &[]);
        }
        9 => {
            let snapshot = table.store().snapshot().expect("a snapshot");
            expect(table.at(&snapshot).exists(&keys.0, &keys.1).map(drop), &[]);
        }
        _ => expect(table.get_entity(&keys.0, &keys.1).map(drop), &[ErrorCode::ResourceNotFound]),
    }
}

/// Opens the store, does something, and lets go of it in one way or another.
fn open_and_close(path: &Path, number: usize) {
    let store = Store::open(path).expect("it opens");
    let again = Store::open(path).expect("it opens twice");
    let table = again.table("Rows").expect("a name");
    table.upsert_entity(row(number, 100), UpdateMode::Replace).expect("a row");
    let snapshot: Snapshot = store.snapshot().expect("a snapshot");
    let mut rows = table.list_entities().expect("a query");
    rows.next().expect("a row").expect("a row");
    match number % 4 {
        0 => drop((store, again)),
        1 => {
            store.close();
            again.close();
            again.close();
        }
        2 => {
            // Through the writer's thread, which ends with the store.
            let operation = Operation::upsert(row(number + 1, 10), UpdateMode::Merge).expect("an operation");
            drop(table.submit(operation).expect("it is queued"));
            drop(snapshot);
            again.close();
        }
        _ => {
            assert_eq!(
                Store::open(path.with_file_name("no folder/x\0")).expect_err("no path").code(),
                ErrorCode::InvalidInput
            );
            drop(rows);
        }
    }
}
