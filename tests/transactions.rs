//! Interactive transactions: what they see, what they leave, and who waits for whom.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use entable::{
    DateTime, Entity, Error, ErrorCode, Index, Operation, Options, Query, Result, Store, Table, UpdateMode, entity,
};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc;
use std::thread;

fn rows(folder: &tempfile::TempDir) -> Table {
    Store::open(folder.path().join("rows.ent")).unwrap().create_table("Rows").unwrap()
}

fn memory() -> Table {
    Store::in_memory().unwrap().create_table("Rows").unwrap()
}

/// Row keys in order.
fn keys(entities: impl Iterator<Item = Result<Entity>>) -> Vec<String> {
    entities.map(|entity| entity.unwrap().row_key().to_owned()).collect()
}

#[track_caller]
fn fails<T: std::fmt::Debug>(outcome: Result<T>, expected: ErrorCode) {
    assert_eq!(outcome.unwrap_err().code(), expected);
}

#[test]
fn reads_see_the_transactions_own_writes_and_nobody_else_does() {
    let folder = tempfile::tempdir().unwrap();
    let outside = rows(&folder);
    for number in 0..10 {
        outside.create_entity(entity! { "p", number.to_string(), "N" => number }).unwrap();
    }
    let store = outside.store();
    store
        .transaction(|transaction| {
            let inside = transaction.table("Rows")?;
            inside.delete_entity("p", "3")?;
            inside.create_entity(entity! { "p", "10", "N" => 10, "New" => true })?;
            inside.update_entity(entity! { "p", "4", "N" => 40 }, UpdateMode::Merge)?;
            inside.upsert_entity(entity! { "q", "1", "N" => 100 }, UpdateMode::Replace)?;
            assert_eq!(inside.get_entity("p", "4")?["N"], 40);
            assert_eq!(inside.get_entity_select("p", "4", ["N"])?["N"], 40);
            assert!(!inside.exists("p", "3")? && inside.exists("p", "10")?);
            fails(inside.get_entity("p", "3"), ErrorCode::ResourceNotFound);
            assert_eq!(inside.count(Query::all())?, 11);
            assert_eq!(inside.count("N ge 10")?, 3);
            let found = inside.get_many([("p", "3"), ("p", "10")])?;
            assert!(found[0].is_none() && found[1].is_some());
            // In pages, through the tokens, and all at once.
            let all = ["0", "1", "10", "2", "4", "5", "6", "7", "8", "9", "1"];
            assert_eq!(keys(inside.list_entities()?), all);
            assert_eq!(keys(inside.query_entities(Query::all().page_size(3))?), all);
            let first = inside.query_page(Query::filter("N lt 10").page_size(4))?;
            let token = first.continuation_token.unwrap();
            let next = inside.query_page(Query::filter("N lt 10").page_size(4).continue_from(token))?;
            assert_eq!((first.entities.len(), next.entities.len()), (4, 4));
            assert_eq!(keys(inside.query_entities(Query::filter("New eq true"))?), ["10"]);
            assert_eq!(inside.delete_entities("N lt 2")?, 2);
            assert_eq!(inside.count(Query::all())?, 9);
            // Nobody else.
            assert_eq!(outside.count(Query::all())?, 10);
            assert!(outside.exists("p", "3")? && !outside.exists("q", "1")?);
            Ok(())
        })
        .unwrap();
    assert_eq!(outside.count(Query::all()).unwrap(), 9);
    // And after the file has been opened anew.
    let path = folder.path().join("rows.ent");
    store.close();
    let again = Store::open(path).unwrap().table("Rows").unwrap();
    assert_eq!(keys(again.list_entities().unwrap()), ["10", "2", "4", "5", "6", "7", "8", "9", "1"]);
}

#[test]
fn an_error_a_panic_and_a_dropped_handle_leave_nothing() {
    let table = memory();
    let store = table.store();
    let error = store.transaction(|transaction| {
        transaction.table("Rows")?.create_entity(entity! { "p", "1" })?;
        transaction.create_table("More")?.create_entity(entity! { "p", "1" })?;
        Err::<(), _>(Error::new(ErrorCode::InvalidInput))
    });
    fails(error, ErrorCode::InvalidInput);
    let panic = catch_unwind(AssertUnwindSafe(|| {
        store.transaction(|transaction| -> Result<()> {
            transaction.table("Rows")?.create_entity(entity! { "p", "2" })?;
            panic!("in the middle")
        })
    }));
    assert!(panic.is_err());
    for end in [drop as fn(entable::Transaction), |transaction| transaction.rollback()] {
        let transaction = store.begin().unwrap();
        transaction.table("Rows").unwrap().create_entity(entity! { "p", "3" }).unwrap();
        end(transaction);
    }
    assert_eq!(table.count(Query::all()).unwrap(), 0);
    assert_eq!(store.list_tables().unwrap().len(), 1);
    // Nobody waits for them.
    table.create_entity(entity! { "p", "4" }).unwrap();
}

#[test]
fn an_operation_that_fails_changes_nothing_and_the_transaction_goes_on() {
    let table = memory();
    table
        .store()
        .transaction(|transaction| {
            let inside = transaction.table("Rows")?;
            let first = inside.create_entity(entity! { "p", "1", "N" => 1 })?;
            fails(inside.create_entity(entity! { "p", "1", "N" => 2 }), ErrorCode::EntityAlreadyExists);
            fails(inside.delete_entity("p", "2"), ErrorCode::ResourceNotFound);
            fails(inside.create_entity(entity! { "p/", "1" }), ErrorCode::OutOfRangeInput);
            let second = inside.update_entity_if(entity! { "p", "1", "N" => 3 }, UpdateMode::Merge, first.etag())?;
            let late = inside.update_entity_if(entity! { "p", "1", "N" => 4 }, UpdateMode::Merge, first.etag());
            fails(late, ErrorCode::UpdateConditionNotSatisfied);
            fails(inside.delete_entity_if("p", "1", first.etag()), ErrorCode::UpdateConditionNotSatisfied);
            assert!(first.timestamp() < second.timestamp());
            // A group is all or nothing by itself.
            let group = inside.submit_transaction([
                Operation::create(entity! { "p", "5" })?,
                Operation::create(entity! { "p", "1" })?,
            ]);
            assert_eq!(group.unwrap_err().details().index, Some(1));
            assert!(!inside.exists("p", "5")?);
            fails(transaction.table("None")?.get_entity("p", "1"), ErrorCode::TableNotFound);
            fails(transaction.table("None")?.create_entity(entity! { "p", "1" }), ErrorCode::TableNotFound);
            fails(transaction.delete_table("None"), ErrorCode::ResourceNotFound);
            fails(transaction.create_table("rows"), ErrorCode::TableAlreadyExists);
            Ok(())
        })
        .unwrap();
    assert_eq!(table.get_entity("p", "1").unwrap()["N"], 3);
    assert_eq!(table.count(Query::all()).unwrap(), 1);
}

#[test]
fn tables_come_and_go_with_the_transaction() {
    let table = memory();
    let store = table.store();
    table.create_entity(entity! { "p", "old" }).unwrap();
    let work = |transaction: &entable::Transaction| {
        let more = transaction.create_table("More")?;
        // New shapes, grown in several steps, and a key that is long.
        more.create_entity(entity! { "p", "1", "A" => 1 })?;
        more.create_entity(entity! { "p", "2", "A" => 1, "B" => "b" })?;
        more.create_entity(entity! { "p".repeat(500), "3".repeat(500), "C" => 1.5 })?;
        transaction.delete_table("Rows")?;
        fails(transaction.table("Rows")?.count(Query::all()), ErrorCode::TableNotFound);
        let again = transaction.create_table("Rows")?;
        assert_eq!(again.count(Query::all())?, 0);
        again.create_entity(entity! { "p", "new" })?;
        let names: Vec<_> = transaction.list_tables()?.iter().map(ToString::to_string).collect();
        assert_eq!(names, ["More", "Rows"]);
        assert_eq!(keys(more.list_entities()?).len(), 3);
        Ok(())
    };
    let undone = store.begin().unwrap();
    work(&undone).unwrap();
    undone.rollback();
    assert_eq!(keys(table.list_entities().unwrap()), ["old"]);
    fails(store.table("More").unwrap().count(Query::all()), ErrorCode::TableNotFound);
    store.transaction(work).unwrap();
    assert_eq!(keys(table.list_entities().unwrap()), ["new"]);
    let more = store.table("More").unwrap();
    assert_eq!(more.count(Query::all()).unwrap(), 3);
    assert_eq!(more.get_entity("p", "2").unwrap()["B"], "b");
    more.create_entity(entity! { "p", "4", "D" => true, "A" => 2 }).unwrap();
    assert_eq!(more.get_entity("p", "4").unwrap()["A"], 2);
}

#[test]
fn writing_past_the_own_transaction_is_an_error_and_no_deadlock() {
    let table = memory();
    let store = table.store();
    let transaction = store.begin().unwrap();
    fails(table.create_entity(entity! { "p", "1" }), ErrorCode::TransactionOpen);
    fails(table.submit(Operation::create(entity! { "p", "1" }).unwrap()), ErrorCode::TransactionOpen);
    fails(store.begin(), ErrorCode::TransactionOpen);
    fails(store.transaction(|_| Ok(())), ErrorCode::TransactionOpen);
    fails(store.sync(), ErrorCode::TransactionOpen);
    fails(store.create_table("More"), ErrorCode::TransactionOpen);
    // Another store is another matter.
    memory().create_entity(entity! { "p", "1" }).unwrap();
    transaction.commit().unwrap();
    table.create_entity(entity! { "p", "1" }).unwrap();
}

#[test]
fn what_was_submitted_before_comes_before() {
    let table = memory();
    let number = table.submit(Operation::create(entity! { "p", "1", "N" => 1 }).unwrap()).unwrap();
    let seen = table.store().transaction(|transaction| transaction.table("Rows")?.exists("p", "1"));
    assert!(seen.unwrap());
    number.detach();
}

#[test]
fn other_writers_wait_and_readers_do_not() {
    let table = memory();
    let (send, receive) = mpsc::channel();
    let transaction = table.store().begin().unwrap();
    let last = transaction.table("Rows").unwrap().create_entity(entity! { "p", "1" }).unwrap();
    thread::scope(|scope| {
        scope.spawn(|| {
            send.send(None).unwrap();
            let written = table.create_entity(entity! { "p", "2" }).unwrap();
            send.send(Some(written)).unwrap();
        });
        assert!(receive.recv().unwrap().is_none());
        for number in 0..100 {
            assert_eq!(table.count(Query::all()).unwrap(), 0);
            let inside = transaction.table("Rows").unwrap();
            inside.upsert_entity(entity! { "q", number.to_string() }, UpdateMode::Merge).unwrap();
        }
        assert!(receive.try_recv().is_err(), "the other writer did not wait");
        transaction.commit().unwrap();
        assert!(receive.recv().unwrap().unwrap().timestamp() > last.timestamp());
    });
    assert_eq!(table.count(Query::all()).unwrap(), 102);
}

#[test]
fn no_update_of_transactions_is_lost() {
    let folder = tempfile::tempdir().unwrap();
    let table = rows(&folder);
    table.create_entity(entity! { "p", "counter", "N" => 0 }).unwrap();
    let (threads, steps) = (6, 20);
    thread::scope(|scope| {
        for thread in 0..threads {
            let table = &table;
            scope.spawn(move || {
                for step in 0..steps {
                    let count = |transaction: &entable::Transaction| {
                        let inside = transaction.table("Rows")?;
                        let next = inside.get_entity("p", "counter")?["N"].as_i64().unwrap() as i32 + 1;
                        inside.update_entity(entity! { "p", "counter", "N" => next }, UpdateMode::Merge)?;
                        Ok(next)
                    };
                    table.store().transaction(count).unwrap();
                    table.create_entity(entity! { "q", format!("{thread} {step}") }).unwrap();
                }
            });
        }
    });
    assert_eq!(table.get_entity("p", "counter").unwrap()["N"], threads * steps);
    assert_eq!(table.count("PartitionKey eq 'q'").unwrap(), u64::from((threads * steps) as u32));
}

#[test]
fn closing_waits_for_another_threads_transaction() {
    let folder = tempfile::tempdir().unwrap();
    let table = rows(&folder);
    let (begun, is_begun) = mpsc::channel();
    thread::scope(|scope| {
        let store = table.store().clone();
        let closer = scope.spawn(move || {
            is_begun.recv().unwrap();
            store.close();
        });
        let done = table.store().transaction(|transaction| {
            begun.send(()).unwrap();
            while table.store().list_tables().is_ok() {
                thread::yield_now();
            }
            // The store is closed for others by now; this goes on.
            transaction.table("Rows")?.create_entity(entity! { "p", "1" }).map(|_| ())
        });
        done.unwrap();
        closer.join().unwrap();
    });
    let again = Store::open(folder.path().join("rows.ent")).unwrap();
    assert_eq!(again.table("Rows").unwrap().count(Query::all()).unwrap(), 1);
}

#[test]
fn a_transaction_that_closes_its_own_store_is_not_committed() {
    let folder = tempfile::tempdir().unwrap();
    let table = rows(&folder);
    let transaction = table.store().begin().unwrap();
    let inside = transaction.table("Rows").unwrap();
    inside.create_entity(entity! { "p", "1" }).unwrap();
    table.store().close();
    fails(inside.count(Query::all()), ErrorCode::StoreClosed);
    fails(transaction.commit(), ErrorCode::StoreClosed);
    let again = Store::open(folder.path().join("rows.ent")).unwrap();
    assert_eq!(again.table("Rows").unwrap().count(Query::all()).unwrap(), 0);
}

#[test]
fn a_clock_that_panics_leaves_the_transaction_usable() {
    let (send, receive) = mpsc::channel::<()>();
    let receive = std::sync::Mutex::new(receive);
    let clock = move || match receive.lock().unwrap_or_else(|poison| poison.into_inner()).try_recv() {
        Ok(()) => panic!("a clock that panics"),
        Err(_) => DateTime::now(),
    };
    let store = Store::in_memory_with(&Options::new().clock(clock)).unwrap();
    let table = store.create_table("Rows").unwrap();
    let transaction = store.begin().unwrap();
    let inside = transaction.table("Rows").unwrap();
    send.send(()).unwrap();
    assert!(catch_unwind(AssertUnwindSafe(|| inside.create_entity(entity! { "p", "1" }))).is_err());
    inside.create_entity(entity! { "p", "2" }).unwrap();
    transaction.commit().unwrap();
    assert_eq!(keys(table.list_entities().unwrap()), ["2"]);
}

#[test]
fn one_transaction_is_one_commit_of_any_size() {
    let folder = tempfile::tempdir().unwrap();
    let table = rows(&folder);
    let count = 20_000;
    table
        .store()
        .transaction(|transaction| {
            let inside = transaction.table("Rows")?;
            for number in 0..count {
                inside.create_entity(entity! { "p", format!("{number:06}"), "Text" => "x".repeat(200) })?;
            }
            inside.count(Query::all())
        })
        .map(|seen| assert_eq!(seen, count))
        .unwrap();
    assert_eq!(table.count(Query::all()).unwrap(), count);
}

#[test]
fn indexes_are_kept_and_read_inside_a_transaction() {
    let table = memory();
    table.create_index(Index::new("ByCity").properties(["City"])).unwrap();
    table.create_index(Index::new("ByMail").properties(["Mail"]).unique(true)).unwrap();
    table.create_entity(entity! { "p", "1", "City" => "Bonn", "Mail" => "a" }).unwrap();
    let work = |transaction: &entable::Transaction| {
        let inside = transaction.table("Rows")?;
        inside.create_entity(entity! { "p", "2", "City" => "Bonn", "Mail" => "b" })?;
        fails(inside.create_entity(entity! { "p", "3", "Mail" => "b" }), ErrorCode::UniqueIndexViolation);
        inside.update_entity(entity! { "p", "1", "City" => "Ulm", "Mail" => "c" }, UpdateMode::Merge)?;
        inside.create_entity(entity! { "p", "4", "City" => "Ulm", "Mail" => "a" })?;
        assert_eq!(keys(inside.query_entities("City eq 'Bonn'")?), ["2"]);
        assert_eq!(keys(inside.query_entities("Mail eq 'a'")?), ["4"]);
        assert_eq!(inside.count("City eq 'Ulm'")?, 2);
        Ok(())
    };
    let undone = table.store().begin().unwrap();
    work(&undone).unwrap();
    undone.rollback();
    assert_eq!(keys(table.query_entities("City eq 'Bonn'").unwrap()), ["1"]);
    table.store().transaction(work).unwrap();
    assert_eq!(keys(table.query_entities("City eq 'Ulm'").unwrap()), ["1", "4"]);
}
