//! A fork's child may do what it likes with what it inherited: each call says that the store is its parent's, none
//! waits, and the parent's answers stay right.
#![allow(unsafe_code, reason = "forks are foreign calls")]

use entable::{Entities, Entity, Error, ErrorCode, Operation, Snapshot, Store, Table, UpdateMode, entity};
use entable_tests::{folders, tier};
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;

/// A child that has not ended by then waits for what nobody will give it.
const PATIENCE_SECONDS: u32 = 30;

/// What a parent's threads write, at most, while one child lives.
const WRITES_A_FORK: usize = 60;

/// Forks. The child runs `work` and ends with the number that it gives, without running anything else.
fn in_child(work: impl FnOnce() -> usize) -> Result<(), String> {
    // SAFETY: the child ends without returning into the code of the test, and does not wait for other threads.
    let pid = unsafe { libc::fork() };
    if pid == 0 {
        // SAFETY: asks for a signal that ends the child.
        unsafe { libc::alarm(PATIENCE_SECONDS) };
        let wrong = std::panic::catch_unwind(std::panic::AssertUnwindSafe(work)).unwrap_or(99);
        // SAFETY: ends the child at once.
        unsafe { libc::_exit(i32::try_from(wrong).unwrap_or(98)) };
    }
    let mut status = 0;
    // SAFETY: waits for the child, into an integer of ours.
    let waited = unsafe { libc::waitpid(pid, &raw mut status, 0) };
    match (waited == pid, libc::WIFEXITED(status), libc::WEXITSTATUS(status)) {
        (true, true, 0) => Ok(()),
        (true, true, wrong) => Err(format!("the child found {wrong} wrong")),
        (true, false, _) => Err(format!("the child ended by signal {}", libc::WTERMSIG(status))),
        (false, ..) => Err("there is no child".into()),
    }
}

/// What a parent holds while it forks.
struct Parent {
    store: Store,
    table: Table,
    snapshot: Snapshot,
    rows: Entities,
    expected: Vec<Entity>,
}

impl Parent {
    fn new(store: Store) -> Parent {
        let table = store.create_table_if_not_exists("Rows").expect("a table");
        overwrite(&table, 60);
        let snapshot = store.snapshot().expect("a snapshot");
        let mut rows = table.at(&snapshot).list_entities().expect("a query");
        let expected: Vec<Entity> = rows.by_ref().map(|row| row.expect("a row")).collect();
        let rows = table.at(&snapshot).list_entities().expect("a query");
        assert_eq!(expected.len(), 30);
        Parent { store, table, snapshot, rows, expected }
    }

    /// All that can be done with it, in a child: how many calls did not say whose it is.
    fn misused(self) -> usize {
        let Parent { store, table, snapshot, mut rows, .. } = self;
        let operation = Operation::upsert(entity! { "p", "child" }, UpdateMode::Replace);
        let calls = [
            store.list_tables().err(),
            store.create_table("Other").err(),
            store.snapshot().err(),
            table.get_entity("p", "1").err(),
            table.create_entity(entity! { "p", "child" }).err(),
            operation.and_then(|operation| table.submit(operation)).err(),
            table.at(&snapshot).exists("p", "1").err(),
            snapshot.list_tables().err(),
            rows.next().and_then(Result::err),
        ];
        let is_wrong = |error: &&Option<Error>| error.as_ref().map(Error::code) != Some(ErrorCode::StoreForked);
        let wrong = calls.iter().filter(is_wrong).count();
        // Letting go of it must not touch what is the parent's.
        snapshot.close();
        drop((rows, snapshot));
        store.close();
        drop((table, store));
        wrong
    }

    /// What the snapshot shows is what it showed before, though pages have been used again since.
    fn check(&self) {
        overwrite(&self.table, 300);
        let rows = self.table.at(&self.snapshot).list_entities().expect("a query");
        let rows: Vec<Entity> = rows.map(|row| row.expect("a row")).collect();
        assert!(rows == self.expected, "the snapshot has changed");
    }
}

fn overwrite(table: &Table, times: usize) {
    for number in 0..times {
        let row = entity! { "p", (number % 30).to_string(), "N" => number as i64, "Text" => "x".repeat(1_500) };
        table.upsert_entity(row, UpdateMode::Replace).expect("a row");
    }
}

/// Runs `work` in a child, on its own copy of what the parent holds.
fn in_child_with<T>(held: &T, work: impl FnOnce(T) -> usize) -> Result<(), String> {
    in_child(|| {
        // SAFETY: the child's memory is its own, and it never comes back to the original.
        work(unsafe { std::ptr::read(held) })
    })
}

#[test]
fn a_snapshot_stays_right_whatever_a_child_does_with_it() {
    let folder = folders::quick();
    for store in [Store::open(folder.path().join("store.ent")), Store::in_memory()] {
        let parent = Parent::new(store.expect("a store"));
        for round in 0..5 {
            in_child_with(&parent, Parent::misused).unwrap_or_else(|failure| panic!("round {round}: {failure}"));
            parent.check();
        }
    }
}

#[test]
fn writers_of_the_parent_go_on_whatever_its_children_do() {
    let forks = tier::count(30, 1_000);
    let folder = tempfile::tempdir().expect("a folder");
    let store = Store::open(folder.path().join("store.ent")).expect("a store");
    let parent = Parent::new(store);
    let is_over = AtomicBool::new(false);
    let written = AtomicUsize::new(0);
    thread::scope(|scope| {
        for number in 0..4 {
            // Two wait for each row, and two let the writer's thread work.
            let (table, is_over, written) = (&parent.table, &is_over, &written);
            scope.spawn(move || {
                for row in 0.. {
                    if is_over.load(Ordering::Relaxed) {
                        break;
                    }
                    let entity = entity! { format!("writer-{number}"), row.to_string() };
                    if number < 2 {
                        table.create_entity(entity).expect("a row");
                    } else {
                        let done = std::sync::mpsc::channel();
                        let operation = Operation::create(entity).expect("an operation");
                        table.submit_then(operation, move |outcome| drop(done.0.send(outcome))).expect("it is queued");
                        done.1.recv().expect("an answer").expect("a row");
                    }
                    written.fetch_add(1, Ordering::Relaxed);
                }
            });
        }
        for round in 0..forks {
            let before = written.load(Ordering::Relaxed);
            in_child_with(&parent, Parent::misused).unwrap_or_else(|failure| {
                is_over.store(true, Ordering::Relaxed);
                panic!("round {round}: {failure}");
            });
            while written.load(Ordering::Relaxed) < before + 4 {
                thread::yield_now();
            }
        }
        is_over.store(true, Ordering::Relaxed);
    });
    let count = parent.table.count("PartitionKey ge 'writer'").expect("a count");
    tier::announce(format_args!("{forks} children, {count} rows written meanwhile"));
    assert_eq!(count, written.into_inner() as u64);
    parent.check();
}

/// What a child does with a store that it opens itself: how many things are not as they should be.
fn open_in_child(path: &Path, row: Option<&str>, rows: std::ops::RangeInclusive<usize>) -> usize {
    let done = Store::open(path).and_then(|store| {
        let table = store.table("Rows")?;
        let snapshot = store.snapshot()?;
        let mut wrong = usize::from(!rows.contains(&table.at(&snapshot).list_entities()?.count()));
        if let Some(row) = row {
            for number in 0..3 {
                table.create_entity(entity! { "child", format!("{row}-{number}") })?;
                wrong += usize::from(!table.exists("child", &format!("{row}-{number}"))?);
            }
        }
        store.close();
        Ok(wrong)
    });
    done.unwrap_or_else(|error| {
        eprintln!("in the child: {error}");
        50
    })
}

#[test]
fn a_child_opens_the_store_of_its_parent_by_itself() {
    let folder = folders::quick();
    let path = folder.path().join("store.ent");
    let parent = Parent::new(Store::open(&path).expect("a store"));
    for round in 0..5 {
        let transaction = parent.store.begin().expect("a transaction");
        let inside = transaction.table("Rows").expect("a name");
        inside.create_entity(entity! { "q", round.to_string() }).expect("a row");
        // It reads beside the open transaction, whose row it does not see, also where it lets go of what it inherited.
        let rows = 30 + round;
        in_child(|| open_in_child(&path, None, rows..=rows)).expect("beside an open transaction");
        in_child_with(&parent, |parent| {
            let wrong = open_in_child(&path, None, rows..=rows);
            wrong + parent.misused() + open_in_child(&path, None, rows..=rows)
        })
        .expect("whatever it does with what it inherited");
        transaction.commit().expect("it goes on");
        in_child(|| open_in_child(&path, Some(&round.to_string()), 0..=1_000)).expect("it writes");
        parent.table.delete_entities("PartitionKey eq 'child'").expect("its rows");
        parent.check();
    }
}

#[test]
fn children_write_beside_the_writers_of_their_parent() {
    let forks = tier::count(30, 1_000);
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("store.ent");
    let parent = Parent::new(Store::open(&path).expect("a store"));
    let is_over = AtomicBool::new(false);
    let written = AtomicUsize::new(0);
    // The parent's snapshot keeps all pages, so that the file grows with every commit: no more than enough of them a fork.
    let allowed = AtomicUsize::new(0);
    thread::scope(|scope| {
        for number in 0..3 {
            let (table, is_over, path) = (&parent.table, &is_over, &path);
            let (written, allowed) = (&written, &allowed);
            scope.spawn(move || {
                for row in 0.. {
                    if is_over.load(Ordering::Relaxed) {
                        break;
                    }
                    if number < 2 && written.load(Ordering::Relaxed) >= allowed.load(Ordering::Relaxed) {
                        thread::yield_now();
                        continue;
                    }
                    let entity =
                        entity! { format!("writer-{number}"), row.to_string(), "Text" => "x".repeat(row % 3_000) };
                    match number {
                        0 => drop(table.create_entity(entity).expect("a row")),
                        1 => {
                            let done = std::sync::mpsc::channel();
                            let operation = Operation::create(entity).expect("an operation");
                            table.submit_then(operation, move |done_| drop(done.0.send(done_))).expect("it is queued");
                            done.1.recv().expect("an answer").expect("a row");
                        }
                        // Another file is opened and closed meanwhile, and this one is opened once more.
                        _ => {
                            let other = Store::open(path.with_extension("other")).expect("another store");
                            drop(Store::open(path).expect("the same store"));
                            other.close();
                            continue;
                        }
                    }
                    written.fetch_add(1, Ordering::Relaxed);
                }
            });
        }
        for round in 0..forks {
            let before = written.load(Ordering::Relaxed);
            allowed.store(before + WRITES_A_FORK, Ordering::Relaxed);
            in_child(|| open_in_child(&path, Some(&round.to_string()), 0..=usize::MAX)).unwrap_or_else(|failure| {
                is_over.store(true, Ordering::Relaxed);
                panic!("round {round}: {failure}");
            });
            while written.load(Ordering::Relaxed) < before + 2 {
                thread::yield_now();
            }
        }
        is_over.store(true, Ordering::Relaxed);
    });
    let count = |partition: &str| parent.table.count(partition).expect("a count");
    assert_eq!(count("PartitionKey ge 'writer'"), written.into_inner() as u64);
    assert_eq!(count("PartitionKey eq 'child'"), 3 * forks as u64);
    tier::announce(format_args!("{forks} children that wrote"));
    parent.check();
    parent.store.close();
    drop(parent);
    let report = entable::verify(&path).expect("a report");
    assert!(report.is_clean(), "{report}");
}

#[test]
fn a_child_that_a_compaction_is_told_in_leaves_it_to_its_parent_and_opens_the_store_afterwards() {
    let folder = folders::quick();
    let path = folder.path().join("store.ent");
    let store = Store::open(&path).expect("a store");
    let parent = Parent::new(store);
    let Parent { store, table, snapshot, rows, .. } = parent;
    drop((rows, snapshot));
    let mut child = None;
    // The child comes back from here as its parent does.
    let outcome = store.compact_with(|_| {
        if child.is_none() {
            // SAFETY: the child ends below, and does not wait for other threads.
            let pid = unsafe { libc::fork() };
            if pid == 0 {
                // SAFETY: asks for a signal that ends the child.
                unsafe { libc::alarm(PATIENCE_SECONDS) };
            }
            child = Some(pid);
        }
        ControlFlow::Continue(())
    });
    let child = child.expect("it was told");
    if child == 0 {
        let is_of_parent = |code: Option<ErrorCode>| usize::from(code != Some(ErrorCode::StoreForked));
        let mut wrong = is_of_parent(outcome.err().map(|error| error.code()));
        wrong += is_of_parent(table.count("").err().map(|error| error.code()));
        wrong += open_in_child(&path, Some("1"), 30..=30);
        // SAFETY: ends the child at once.
        unsafe { libc::_exit(i32::try_from(wrong).unwrap_or(98)) };
    }
    outcome.expect("compacted");
    let mut status = 0;
    // SAFETY: waits for the child, into an integer of ours.
    let waited = unsafe { libc::waitpid(child, &raw mut status, 0) };
    assert!(waited == child && libc::WIFEXITED(status), "the child ended by itself: {status}");
    assert_eq!(libc::WEXITSTATUS(status), 0, "things that were not as they should be");
    assert_eq!(table.count("").expect("a count"), 33);
    let left = std::fs::read_dir(folder.path()).expect("a folder").count();
    assert_eq!(left, 2, "the store and its lock file");
}
