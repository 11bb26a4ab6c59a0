//! Many callers at once: each learns its own outcome, none is lost, none is left waiting.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use entable::{DeletionStep, ErrorCode, Operation, Options, Query, Store, Table, UpdateMode, entity};
use std::pin::pin;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, mpsc};
use std::task::{Context, Poll, Wake, Waker};
use std::thread;

struct Unpark(thread::Thread);

impl Wake for Unpark {
    fn wake(self: Arc<Self>) {
        self.0.unpark();
    }
}

fn block_on<T>(future: impl Future<Output = T>) -> T {
    let waker = Waker::from(Arc::new(Unpark(thread::current())));
    let mut future = pin!(future);
    loop {
        match future.as_mut().poll(&mut Context::from_waker(&waker)) {
            Poll::Ready(value) => return value,
            Poll::Pending => thread::park(),
        }
    }
}

/// A table in a file, where commits take long enough for callers to meet.
fn table(folder: &tempfile::TempDir) -> Table {
    Store::open(folder.path().join("rows.ent")).unwrap().create_table("Rows").unwrap()
}

fn create(partition: &str, row: impl ToString) -> Operation {
    Operation::create(entity! { partition, row.to_string() }).unwrap()
}

#[test]
fn no_update_is_lost() {
    let folder = tempfile::tempdir().unwrap();
    let table = table(&folder);
    table.create_entity(entity! { "p", "counter", "N" => 0 }).unwrap();
    let (threads, steps) = (8, 25);
    thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                for _ in 0..steps {
                    loop {
                        let read = table.get_entity("p", "counter").unwrap();
                        let next = read["N"].as_i64().unwrap() as i32 + 1;
                        let changed = entity! { "p", "counter", "N" => next };
                        match table.update_entity_if(changed, UpdateMode::Merge, read.etag().unwrap()) {
                            Ok(_) => break,
                            Err(error) => assert_eq!(error.code(), ErrorCode::UpdateConditionNotSatisfied),
                        }
                    }
                }
            });
        }
    });
    assert_eq!(table.get_entity("p", "counter").unwrap()["N"], threads * steps);
}

#[test]
fn of_writers_of_one_key_one_succeeds() {
    let folder = tempfile::tempdir().unwrap();
    let table = table(&folder);
    for row in 0..20 {
        let created = AtomicUsize::new(0);
        thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| match table.create_entity(entity! { "p", row.to_string() }) {
                    Ok(_) => drop(created.fetch_add(1, Ordering::Relaxed)),
                    Err(error) => assert_eq!(error.code(), ErrorCode::EntityAlreadyExists),
                });
            }
        });
        assert_eq!(created.load(Ordering::Relaxed), 1);
    }
}

#[test]
fn submitted_operations_are_done_in_their_order_and_fail_alone() {
    let folder = tempfile::tempdir().unwrap();
    let table = table(&folder);
    let submitted: Vec<_> = (0..300)
        .map(|number| match number % 3 {
            0 => table.submit(create("p", number)).unwrap(),
            // Once more, and one that is not there.
            1 => table.submit(create("p", number - 1)).unwrap(),
            _ => table.submit(Operation::delete("p", "never")).unwrap(),
        })
        .collect();
    let mut last = None;
    for (number, submitted) in submitted.into_iter().enumerate() {
        match (number % 3, block_on(submitted)) {
            (0, Ok(Some(written))) => {
                assert!(last < Some(written.timestamp()), "ticks do not rise in the order of submission");
                last = Some(written.timestamp());
            }
            (1, Err(error)) => assert_eq!(error.code(), ErrorCode::EntityAlreadyExists),
            (2, Err(error)) => assert_eq!(error.code(), ErrorCode::ResourceNotFound),
            (_, outcome) => panic!("{number}: {outcome:?}"),
        }
    }
    assert_eq!(table.list_entities().unwrap().count(), 100);
}

#[test]
fn what_is_wrong_by_itself_is_told_at_once() {
    let table = Store::in_memory().unwrap().create_table("Rows").unwrap();
    let error = table.submit(create("a/b", 1)).unwrap_err();
    assert_eq!((error.code(), error.details().property.as_deref()), (ErrorCode::OutOfRangeInput, Some("PartitionKey")));
}

#[test]
fn closing_finishes_what_is_queued_and_refuses_the_rest() {
    let folder = tempfile::tempdir().unwrap();
    let table = table(&folder);
    let (send, receive) = mpsc::channel();
    for number in 0..200 {
        let send = send.clone();
        table.submit_then(create("p", number), move |outcome| send.send(outcome.is_ok()).unwrap()).unwrap();
    }
    table.store().close();
    assert_eq!(table.submit(create("p", "late")).unwrap_err().code(), ErrorCode::StoreClosed);
    assert_eq!(table.create_entity(entity! { "p", "late" }).unwrap_err().code(), ErrorCode::StoreClosed);
    drop(send);
    assert_eq!(receive.iter().filter(|is_ok| *is_ok).count(), 200);
    let again = Store::open(folder.path().join("rows.ent")).unwrap();
    assert_eq!(again.table("Rows").unwrap().list_entities().unwrap().count(), 200);
}

#[test]
fn a_completion_that_panics_leaves_the_others_their_answers() {
    let folder = tempfile::tempdir().unwrap();
    let table = table(&folder);
    let transaction = table.store().begin().unwrap();
    let (send, receive) = mpsc::channel();
    thread::scope(|scope| {
        // They queue while the transaction has the turn, and so share a commit.
        let queued = scope.spawn(|| {
            table.submit_then(create("p", 0), |_| panic!("a caller's own")).unwrap();
            for number in 1..=3 {
                let send = send.clone();
                table.submit_then(create("p", number), move |outcome| send.send(outcome.is_ok()).unwrap()).unwrap();
            }
        });
        queued.join().unwrap();
        let blocking = scope.spawn(|| table.create_entity(entity! { "p", "4" }).map(drop));
        transaction.rollback();
        assert_eq!(blocking.join().unwrap().map_err(|error| error.to_string()), Ok(()));
    });
    drop(send);
    assert_eq!(receive.iter().collect::<Vec<_>>(), [true; 3]);
    assert_eq!(table.list_entities().unwrap().count(), 5);
}

#[test]
fn a_completion_that_would_wait_for_a_write_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let table = table(&folder);
    let (send, receive) = mpsc::channel();
    let again = table.clone();
    let complete = move |_| send.send(again.create_entity(entity! { "p", "2" }).map_err(|error| error.code())).unwrap();
    table.submit_then(create("p", 1), complete).unwrap();
    assert_eq!(receive.recv().unwrap().map(drop), Err(ErrorCode::TransactionOpen));
    table.create_entity(entity! { "p", "3" }).unwrap();
    assert_eq!(table.list_entities().unwrap().count(), 2);
}

#[test]
fn closing_while_others_work_gives_each_an_answer() {
    for _ in 0..5 {
        let folder = tempfile::tempdir().unwrap();
        let table = table(&folder);
        let done = AtomicUsize::new(0);
        thread::scope(|scope| {
            for thread in 0..8 {
                let (table, done) = (&table, &done);
                scope.spawn(move || {
                    for number in 0.. {
                        match table.create_entity(entity! { thread.to_string(), number.to_string() }) {
                            Ok(_) => done.fetch_add(1, Ordering::Relaxed),
                            Err(error) => {
                                assert_eq!(error.code(), ErrorCode::StoreClosed);
                                break;
                            }
                        };
                        let _ = table.get_entity("0", "0");
                    }
                });
            }
            while done.load(Ordering::Relaxed) < 30 {
                thread::yield_now();
            }
            table.store().close();
        });
        let again = Store::open(folder.path().join("rows.ent")).unwrap();
        assert_eq!(again.table("Rows").unwrap().list_entities().unwrap().count(), done.load(Ordering::Relaxed));
    }
}

#[test]
fn a_panic_in_the_writer_reaches_its_caller_and_nobody_else() {
    let panics = Arc::new(AtomicBool::new(false));
    let shared = Arc::clone(&panics);
    let clock = move || {
        assert!(!shared.swap(false, Ordering::SeqCst), "a clock that panics");
        entable::DateTime::now()
    };
    let store = Store::in_memory_with(&Options::new().clock(clock)).unwrap();
    let table = store.create_table("Rows").unwrap();
    panics.store(true, Ordering::SeqCst);
    let error = block_on(table.submit(create("p", 1)).unwrap()).unwrap_err();
    assert_eq!(error.code(), ErrorCode::Internal);
    block_on(table.submit(create("p", 2)).unwrap()).unwrap();
    // And on the caller's own thread, which a caller that is alone writes on: the writer has given its turn back then.
    table.store().sync().unwrap();
    panics.store(true, Ordering::SeqCst);
    let again = table.clone();
    let third = thread::spawn(move || again.create_entity(entity! { "p", "3" })).join();
    let reason = third.unwrap_err().downcast::<&str>().unwrap();
    assert_eq!(*reason, "a clock that panics");
    table.create_entity(entity! { "p", "4" }).unwrap();
    assert_eq!(table.list_entities().unwrap().count(), 2);
}

#[test]
fn what_is_detached_is_done() {
    let table = Store::in_memory().unwrap().create_table("Rows").unwrap();
    table.submit(create("p", 1)).unwrap().detach();
    block_on(table.submit(create("p", 2)).unwrap()).unwrap();
    assert_eq!(table.list_entities().unwrap().count(), 2);
}

#[test]
fn a_caller_may_give_up_while_queued_and_not_after() {
    let table = Store::in_memory().unwrap().create_table("Rows").unwrap();
    // Another thread's transaction has the turn: what is submitted stays queued.
    let (begun, is_begun) = mpsc::channel();
    let (end, may_end) = mpsc::channel::<()>();
    let holder = {
        let store = table.store().clone();
        thread::spawn(move || {
            store.transaction(|_| {
                begun.send(()).unwrap();
                may_end.recv().unwrap();
                Ok(())
            })
        })
    };
    is_begun.recv().unwrap();
    let dropped = table.submit(create("p", "dropped")).unwrap();
    let cancelled = table.submit(create("p", "cancelled")).unwrap();
    let kept = table.submit(create("p", "kept")).unwrap();
    drop(dropped);
    assert!(cancelled.cancel() && cancelled.cancel());
    end.send(()).unwrap();
    holder.join().unwrap().unwrap();
    assert_eq!(block_on(cancelled).unwrap_err().code(), ErrorCode::Cancelled);
    let mut kept = pin!(kept);
    block_on(kept.as_mut()).unwrap();
    assert!(!kept.cancel(), "it is done");
    assert_eq!(table.partition_keys().count(), 1);
    let rows: Vec<_> = table.list_entities().unwrap().map(|entity| entity.unwrap().row_key().to_owned()).collect();
    assert_eq!(rows, ["kept"]);
}

#[test]
fn sync_waits_for_what_is_queued() {
    let folder = tempfile::tempdir().unwrap();
    let table = table(&folder);
    for number in 0..100 {
        table.submit(create("p", number)).unwrap().detach();
    }
    table.store().sync().unwrap();
    assert_eq!(table.list_entities().unwrap().count(), 100);
}

#[test]
fn whoever_comes_to_a_full_queue_waits_for_a_place() {
    let table = Store::in_memory().unwrap().create_table("Rows").unwrap();
    thread::scope(|scope| {
        for thread in 0..3 {
            let table = &table;
            scope.spawn(move || {
                for number in 0..2_000 {
                    table.submit(create(&thread.to_string(), number)).unwrap().detach();
                }
            });
        }
    });
    table.store().sync().unwrap();
    assert_eq!(table.count(entable::Query::all()).unwrap(), 6_000);
}

#[test]
fn steps_of_a_deletion_are_submitted_one_by_one() {
    let table = Store::in_memory().unwrap().create_table("Rows").unwrap();
    let deleted = |query: Query, chunk| {
        let (mut next, mut counts) = (Some(DeletionStep::new(query, chunk).unwrap()), Vec::new());
        while let Some(step) = next {
            let (count, behind) = block_on(table.submit_deletion_step(step).unwrap()).unwrap();
            // What comes in between, in front of the place where the next step begins, is left.
            table.upsert_entity(entity! { "a", "between" }, UpdateMode::Merge).unwrap();
            counts.push(count);
            next = behind;
        }
        counts
    };
    let fill = |count: usize| {
        (0..count).for_each(|row| {
            table.upsert_entity(entity! { "p", row.to_string() }, UpdateMode::Merge).unwrap();
        })
    };
    fill(7);
    assert_eq!(deleted(Query::filter("PartitionKey eq 'p'"), 3), [3, 3, 1]);
    fill(7);
    assert_eq!(deleted(Query::all().limit(5), 2), [2, 2, 1]);
    assert_eq!(deleted(Query::all().limit(0), 2), [0]);
    assert_eq!(table.count(Query::all()).unwrap(), 4);
    assert_eq!(DeletionStep::new(Query::all(), 0).unwrap_err().code(), ErrorCode::InvalidInput);
    let wrong = table.submit_deletion_step(DeletionStep::new("N eq", 1).unwrap());
    assert_eq!(wrong.unwrap_err().code(), ErrorCode::InvalidInput);
    drop(deleted(Query::all(), 100));
    fill(300);
    let never = DeletionStep::new(Query::filter("N gt 1").stop_if(|| true), 1).unwrap();
    assert_eq!(block_on(table.submit_deletion_step(never).unwrap()).unwrap_err().code(), ErrorCode::Cancelled);
}
