//! Change feeds: what is noted of each write, how it is read and followed, what is kept of it, and who is told.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use entable::{
    Change, ChangeKind, DateTime, Entity, Error, ErrorCode, Feed, FeedContent, FeedPosition, FeedStart, Operation,
    Options, Store, Table, UpdateMode, entity,
};
use entable_tests::rows;
use std::collections::BTreeMap;
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use std::task::{Context, Poll, Wake, Waker};
use std::thread;
use std::time::{Duration, Instant};

/// A store whose clock stands where it is put.
fn clocked() -> (Store, Arc<AtomicI64>) {
    let ticks = Arc::new(AtomicI64::new(rows::TICKS));
    let clock = Arc::clone(&ticks);
    let now = move || DateTime::from_ticks(clock.load(Ordering::SeqCst)).unwrap();
    (Store::in_memory_with(&Options::new().clock(now)).unwrap(), ticks)
}

fn fed(content: FeedContent) -> Table {
    clocked().0.create_table_with_feed("Orders", &Feed::new().content(content)).unwrap()
}

/// All changes that are kept.
fn all(table: &Table) -> Vec<Change> {
    table.changes(&table.feed().unwrap().begin).collect::<Result<_, _>>().unwrap()
}

/// Kind, RowKey, and the property `N` before and after.
fn told(change: &Change) -> (ChangeKind, &str, Option<i64>, Option<i64>) {
    let number = |entity: &Option<Entity>| entity.as_ref().and_then(|entity| entity.get("N")?.as_i64());
    (change.kind, &change.row_key, number(&change.former), number(&change.entity))
}

#[track_caller]
fn refused<T: std::fmt::Debug>(outcome: Result<T, Error>, code: ErrorCode) -> Error {
    let error = outcome.unwrap_err();
    assert_eq!(error.code(), code, "{error:?}");
    error
}

#[test]
fn a_change_holds_what_the_feed_says_of_the_entity_before_and_after() {
    use ChangeKind::{Changed, Created, Deleted};
    for content in [FeedContent::Keys, FeedContent::After, FeedContent::BeforeAndAfter] {
        let table = fed(content);
        let first = table.create_entity(entity! { "p", "a", "N" => 1, "Other" => "é" }).unwrap();
        let second = table.update_entity(entity! { "p", "a", "N" => 2 }, UpdateMode::Merge).unwrap();
        table.upsert_entity(entity! { "p", "b", "N" => 3 }, UpdateMode::Replace).unwrap();
        let third = table.upsert_entity(entity! { "p", "b" }, UpdateMode::Replace).unwrap();
        table.delete_entity("p", "a").unwrap();
        // What fails, and what finds nothing, is no change.
        refused(table.create_entity(entity! { "p", "b" }), ErrorCode::EntityAlreadyExists);
        refused(table.delete_entity("p", "a"), ErrorCode::ResourceNotFound);
        assert_eq!(table.delete_entities("N eq 77").unwrap(), 0);

        let changes = all(&table);
        let is_of =
            |content: FeedContent, number| (table.feed().unwrap().settings.holds() >= content).then_some(number);
        let (before, after) =
            (|number| is_of(FeedContent::BeforeAndAfter, number), |number| is_of(FeedContent::After, number));
        assert_eq!(
            changes.iter().map(told).collect::<Vec<_>>(),
            [
                (Created, "a", None, after(1)),
                (Changed, "a", before(1), after(2)),
                (Created, "b", None, after(3)),
                (Changed, "b", before(3), None),
                (Deleted, "a", before(2), None),
            ],
            "{content:?}"
        );
        assert_eq!(changes[1].entity.is_some(), content >= FeedContent::After);
        if let Some(merged) = &changes[1].entity {
            assert_eq!((&merged["Other"], merged.properties().len()), (&"é".into(), 2));
            assert_eq!(merged.etag(), Some(second.etag()));
        }
        assert_eq!(changes[3].former.is_some(), content == FeedContent::BeforeAndAfter);
        // Versions chain up, and a delete has one of its own, later than the entity's last.
        assert_eq!((changes[0].etag(), changes[0].former_etag()), (Some(first.etag()), None));
        assert_eq!((changes[1].etag(), changes[1].former_etag()), (Some(second.etag()), Some(first.etag())));
        assert_eq!((changes[4].etag(), changes[4].former_etag()), (None, Some(second.etag())));
        assert!(changes[4].timestamp > third.timestamp());
        assert!(changes.is_sorted_by(|a, b| a.commit < b.commit && a.committed <= b.committed && a.position == 0));
    }
}

#[test]
fn a_commit_numbers_its_changes_over_all_tables() {
    let (store, ticks) = clocked();
    let [a, b] = ["Aaa", "Bbb"].map(|name| store.create_table_with_feed(name, &Feed::new()).unwrap());
    let silent = store.create_table("Silent").unwrap();
    store
        .submit_batch([
            (&b, Operation::create(entity! { "p", "1" }).unwrap()),
            (&silent, Operation::create(entity! { "p", "1" }).unwrap()),
            (&a, Operation::create(entity! { "p", "1" }).unwrap()),
            (&b, Operation::delete("p", "1")),
            (&b, Operation::create(entity! { "q", "1" }).unwrap()),
        ])
        .unwrap();
    ticks.fetch_add(10, Ordering::SeqCst);
    let places = |table: &Table| all(table).iter().map(|change| change.position).collect::<Vec<_>>();
    assert_eq!((places(&a), places(&b)), (vec![1], vec![0, 2, 3]));
    assert_eq!(all(&a)[0].commit, all(&b)[0].commit);
    refused(silent.feed(), ErrorCode::FeedNotFound);

    // An interactive transaction is one commit, whatever failed on the way.
    let before = all(&b)[0].commit;
    store
        .transaction(|transaction| {
            let (a, b) = (transaction.table("Aaa")?, transaction.table("Bbb")?);
            a.create_entity(entity! { "p", "2" })?;
            ticks.fetch_add(1_000, Ordering::SeqCst);
            refused(a.create_entity(entity! { "p", "2" }), ErrorCode::EntityAlreadyExists);
            b.submit_transaction([Operation::create(entity! { "p", "2" })?, Operation::create(entity! { "p", "3" })?])?;
            a.delete_entities("RowKey eq '2'").map(drop)
        })
        .unwrap();
    let changes: Vec<Change> = [all(&a).split_off(1), all(&b).split_off(3)].concat();
    let mut places: Vec<u32> = changes.iter().map(|change| change.position).collect();
    places.sort_unstable();
    assert_eq!(places, [0, 1, 2, 3]);
    assert!(changes.iter().all(|change| change.commit == before + 1), "{changes:?}");
    assert!(changes.iter().all(|change| change.committed == changes[0].committed), "one time for a commit");

    let given_up: Result<(), Error> = store.transaction(|transaction| {
        transaction.table("Aaa")?.create_entity(entity! { "p", "9" })?;
        Err(Error::new(ErrorCode::InvalidInput))
    });
    refused(given_up, ErrorCode::InvalidInput);
    assert_eq!((all(&a).len(), all(&b).len()), (3, 5));
    // The commit after it has a number of its own, and a time that is not before.
    a.create_entity(entity! { "p", "4" }).unwrap();
    let last = all(&a).pop().unwrap();
    assert!(last.commit > before + 1 && last.position == 0 && last.committed >= changes[0].committed);
}

#[test]
fn every_way_to_write_is_noted() {
    let store = Store::in_memory().unwrap();
    let table = store.create_table_with_feed("Orders", &Feed::new()).unwrap();
    let numbered = |range: std::ops::Range<u32>| {
        range.map(|number| Operation::create(entity! { "p", format!("{number:04}"), "N" => 1 }).unwrap())
    };
    let mut expected = 0;
    let mut check = |what: &str, changes: usize, commits: usize| {
        expected += changes;
        let found = all(&table);
        assert_eq!(found.len(), expected, "{what}");
        let mut of_these: Vec<u64> = found[found.len() - changes..].iter().map(|change| change.commit).collect();
        of_these.dedup();
        assert_eq!(of_these.len(), commits, "{what}");
    };
    table.apply(Operation::create(entity! { "p", "single" }).unwrap()).unwrap();
    check("one", 1, 1);
    table.submit_transaction(numbered(0..5)).unwrap();
    check("group", 5, 1);
    store.submit_batch(numbered(100..2_000).map(|operation| (&table, operation))).unwrap();
    check("batch", 1_900, 1);
    table.delete_entities("N eq 1 and RowKey lt '0104'").unwrap();
    check("delete by filter", 9, 1);
    table.delete_entities_in_chunks("N eq 1 and RowKey lt '0124'", 10).unwrap();
    check("delete in chunks", 20, 2);
    let submitted = table.submit(Operation::create(entity! { "p", "queued" }).unwrap()).unwrap();
    submitted.detach();
    store.sync().unwrap();
    table.create_entity(entity! { "p", "last" }).unwrap();
    check("queued, and one", 2, 2);
    // A replayed feed is the table.
    let mut replayed = BTreeMap::new();
    for change in all(&table) {
        match change.entity {
            Some(entity) => drop(replayed.insert(change.row_key, entity)),
            None => drop(replayed.remove(&change.row_key).unwrap()),
        }
    }
    let found: Vec<Entity> = table.list_entities().unwrap().collect::<Result<_, _>>().unwrap();
    assert_eq!(replayed.into_values().collect::<Vec<_>>(), found);
}

#[test]
fn pages_are_of_whole_commits_and_positions_hold_wherever_they_are() {
    let table = fed(FeedContent::After);
    let begin = table.feed().unwrap().begin;
    for group in 0..5 {
        let numbers = 0..group + 1;
        let operations = numbers.map(|number| Operation::create(entity! { format!("{group}"), format!("{number}") }));
        table.submit_transaction(operations.map(Result::unwrap)).unwrap();
    }
    for most in 1..20 {
        let (mut position, mut sizes, mut pages) = (begin.clone(), Vec::new(), 0);
        loop {
            let page = table.read_changes(&position, most).unwrap();
            assert!(page.changes.len() >= most || !page.has_more, "{most}");
            sizes.extend(page.commits().map(<[Change]>::len));
            pages += 1;
            // As text, as a program keeps it.
            position = page.position.to_string().parse().unwrap();
            if !page.has_more {
                break;
            }
        }
        assert_eq!(sizes, [1, 2, 3, 4, 5], "{most}");
        let expected = match most {
            1 => 5,
            2 | 3 => 4,
            4 => 3,
            5..=10 => 2,
            _ => 1,
        };
        assert_eq!(pages, expected, "{most}");
        assert_eq!(position, table.feed().unwrap().end);
    }
    // Within a commit, behind each of its changes.
    let changes = all(&table);
    for (number, change) in changes.iter().enumerate() {
        let rest: Vec<Change> = table.changes(&change.behind()).collect::<Result<_, _>>().unwrap();
        assert_eq!(rest, changes[number + 1..]);
    }
    assert_eq!(table.read_changes(&changes[3].behind(), 1).unwrap().changes.len(), 2, "the rest of the commit");
}

#[test]
fn a_position_is_refused_where_it_says_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(folder.path().join("store.ent")).unwrap();
    let table = store.create_table_with_feed("Orders", &Feed::new()).unwrap();
    let other = store.create_table_with_feed("Others", &Feed::new()).unwrap();
    table.create_consumer("follower", &FeedStart::Beginning).unwrap();
    table.create_entity(entity! { "p", "1" }).unwrap();
    let end = table.feed().unwrap().end;
    let check = |table: &Table, position: &FeedPosition, word: &str| {
        let error = refused(table.read_changes(position, 1), ErrorCode::InvalidInput);
        assert!(error.message().contains(word), "{error}");
        assert_eq!(error.details().table.as_deref(), Some(table.name()));
        refused(table.wait_for_changes(position, Duration::ZERO), ErrorCode::InvalidInput);
        refused(table.create_consumer("x", &FeedStart::At(position.clone())), ErrorCode::InvalidInput);
        refused(table.consumer("follower").advance(position), ErrorCode::InvalidInput);
    };
    check(&table, &other.feed().unwrap().end, "another table");
    let elsewhere = Store::in_memory().unwrap().create_table_with_feed("Orders", &Feed::new()).unwrap();
    check(&table, &elsewhere.feed().unwrap().end, "another store");
    // A backup is another life from here on; its consumers go on in it.
    store.backup(folder.path().join("copy.ent")).unwrap();
    let copy = Store::open(folder.path().join("copy.ent")).unwrap().table("Orders").unwrap();
    check(&copy, &end, "another life");
    assert_eq!(copy.consumer("follower").read(9).unwrap().changes.len(), 1);
    // A file that was put back by hand has not come to it.
    store.close();
    let path = folder.path().join("store.ent");
    std::fs::copy(&path, folder.path().join("old.ent")).unwrap();
    let store = Store::open(&path).unwrap();
    let table = store.table("Orders").unwrap();
    table.create_entity(entity! { "p", "2" }).unwrap();
    let later = table.feed().unwrap().end;
    store.close();
    let old = Store::open(folder.path().join("old.ent")).unwrap().table("Orders").unwrap();
    check(&old, &later, "has come to");
    // Compaction goes on with the same life.
    let store = Store::open(&path).unwrap();
    let table = store.table("Orders").unwrap();
    store.compact().unwrap();
    assert_eq!(table.read_changes(&end, 9).unwrap().changes[0].row_key, "2");
    assert_eq!(table.consumer("follower").position().unwrap(), table.feed().unwrap().begin);
    // A table of the name that was made again is another.
    table.delete_table().unwrap();
    let table = store.create_table_with_feed("Orders", &Feed::new()).unwrap();
    let error = refused(table.read_changes(&end, 1), ErrorCode::InvalidInput);
    assert!(error.message().contains("another table"), "{error}");
}

#[test]
fn a_feed_is_switched_on_off_and_on_again() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("store.ent");
    let store = Store::open(&path).unwrap();
    let table = store.create_table("Orders").unwrap();
    refused(table.feed(), ErrorCode::FeedNotFound);
    refused(table.drop_feed(), ErrorCode::FeedNotFound);
    refused(table.create_consumer("c", &FeedStart::Now), ErrorCode::FeedNotFound);
    table.create_entity(entity! { "p", "before" }).unwrap();
    table.set_feed(&Feed::new()).unwrap();
    assert_eq!(table.feed().unwrap().changes, 0);
    table.create_entity(entity! { "p", "1" }).unwrap();
    table.update_entity(entity! { "p", "before" }, UpdateMode::Merge).unwrap();
    let consumer = table.create_consumer("c", &FeedStart::Beginning).unwrap();
    let position = table.feed().unwrap().end;
    // Other settings: what is there stays.
    table.set_feed(&Feed::new().content(FeedContent::Keys)).unwrap();
    table.delete_entity("p", "1").unwrap();
    assert_eq!(all(&table).iter().map(|change| change.entity.is_some()).collect::<Vec<_>>(), [true, true, false]);
    assert_eq!(consumer.read(10).unwrap().changes.len(), 3);

    table.drop_feed().unwrap();
    refused(table.read_changes(&position, 1), ErrorCode::FeedNotFound);
    refused(consumer.read(1), ErrorCode::FeedNotFound);
    table.create_entity(entity! { "p", "unseen" }).unwrap();
    table.set_feed(&Feed::new()).unwrap();
    // A reader of the former feed has missed some, and its consumers are gone.
    let error = refused(table.read_changes(&position, 1), ErrorCode::ChangesNotKept);
    assert_eq!(error.details().limit, Some(table.feed().unwrap().begin.commit() + 1));
    refused(consumer.read(1), ErrorCode::ConsumerNotFound);
    assert!(all(&table).is_empty());

    // Within a transaction, where what was written before and after is the same commit.
    store
        .transaction(|transaction| {
            let table = transaction.table("Orders")?;
            table.create_entity(entity! { "p", "2" })?;
            table.drop_feed()?;
            refused(table.set_feed(&Feed::new()), ErrorCode::InvalidInput);
            let made = transaction.create_table("Made")?;
            made.create_entity(entity! { "p", "before" })?;
            made.set_feed(&Feed::new())?;
            made.create_entity(entity! { "p", "after" }).map(drop)
        })
        .unwrap();
    refused(table.feed(), ErrorCode::FeedNotFound);
    table.set_feed(&Feed::new()).unwrap();
    table.create_entity(entity! { "p", "3" }).unwrap();
    assert_eq!(all(&table).iter().map(told).collect::<Vec<_>>(), [(ChangeKind::Created, "3", None, None)]);
    assert_eq!(all(&store.table("Made").unwrap())[0].row_key, "after");
    store.close();
    settle(&path, 2);
}

/// Opens the file until what was dropped is gone, and finds it whole, with so many changes.
fn settle(path: &std::path::Path, changes: u64) {
    let begin = Instant::now();
    loop {
        let report = entable::verify(path).unwrap();
        assert!(report.is_clean(), "{report}");
        if report.changes == changes {
            return;
        }
        assert!(begin.elapsed() < Duration::from_secs(20), "{report}");
        let store = Store::open(path).unwrap();
        thread::sleep(Duration::from_millis(20));
        store.close();
    }
}

#[test]
fn a_feed_keeps_what_its_limits_say_in_whole_commits() {
    let group = |table: &Table, name: &str, count: u32| {
        let operations = (0..count).map(|number| Operation::create(entity! { name, format!("{number}") }).unwrap());
        table.submit_transaction(operations).unwrap();
    };
    let names = |table: &Table| {
        let mut names: Vec<String> = all(table).into_iter().map(|change| change.partition_key).collect();
        names.dedup();
        names.concat()
    };
    // By number: never fewer than said, and no part of a commit.
    for (count, kept) in [(1, "d"), (2, "d"), (3, "cd"), (5, "cd"), (6, "bcd"), (7, "abcd"), (10, "abcd"), (99, "abcd")]
    {
        let (store, _) = clocked();
        let table = store.create_table_with_feed("Orders", &Feed::new().keep_changes(count)).unwrap();
        for (name, count) in [("a", 4), ("b", 1), ("c", 3), ("d", 2)] {
            group(&table, name, count);
        }
        let removed = table.trim_feed().unwrap();
        assert_eq!(names(&table), kept, "{count}");
        assert_eq!(removed + all(&table).len() as u64, 10);
        assert_eq!(table.trim_feed().unwrap(), 0);
    }
    // By age, of the commit.
    let (store, ticks) = clocked();
    let table = store.create_table_with_feed("Orders", &Feed::new().keep_for(Duration::from_secs(10))).unwrap();
    let begin = table.feed().unwrap().begin;
    for name in ["a", "b", "c"] {
        group(&table, name, 2);
        ticks.fetch_add(40_000_000, Ordering::SeqCst);
    }
    for (seconds, kept) in [(-2, "abc"), (1, "bc"), (3, "bc"), (6, "c"), (100, "")] {
        ticks.store(rows::TICKS + 100_000_000 + seconds * 10_000_000, Ordering::SeqCst);
        table.trim_feed().unwrap();
        assert_eq!(names(&table), kept, "{seconds}");
    }
    let error = refused(table.read_changes(&begin, 1), ErrorCode::ChangesNotKept);
    assert!(error.message().contains("begins with commit"), "{error}");

    // Until all consumers are done.
    let (store, _) = clocked();
    let table = store.create_table_with_feed("Orders", &Feed::new().keep_until_consumed(true)).unwrap();
    for name in ["a", "b", "c"] {
        group(&table, name, 2);
    }
    assert_eq!(table.trim_feed().unwrap(), 0, "nobody has said that he is done");
    let [slow, fast] = ["slow", "fast"].map(|name| table.create_consumer(name, &FeedStart::Beginning).unwrap());
    fast.advance(&table.feed().unwrap().end).unwrap();
    assert_eq!(table.trim_feed().unwrap(), 0);
    let changes = all(&table);
    slow.advance(&changes[2].behind()).unwrap();
    table.trim_feed().unwrap();
    assert_eq!(names(&table), "bc", "in the middle of b");
    assert_eq!(slow.read(9).unwrap().changes.len(), 3);
    table.drop_consumer("slow").unwrap();
    table.trim_feed().unwrap();
    assert_eq!(names(&table), "");
    refused(table.drop_consumer("slow"), ErrorCode::ConsumerNotFound);

    // A limit that waits for consumers, and one that does not.
    for (waits, kept) in [(true, "abc"), (false, "c")] {
        let (store, _) = clocked();
        let feed = Feed::new().keep_changes(2).keep_until_consumed(waits);
        let table = store.create_table_with_feed("Orders", &feed).unwrap();
        let consumer = table.create_consumer("late", &FeedStart::Beginning).unwrap();
        for name in ["a", "b", "c"] {
            group(&table, name, 2);
        }
        table.trim_feed().unwrap();
        assert_eq!(names(&table), kept);
        let info = &table.feed().unwrap().consumers[0];
        assert_eq!((&*info.name, info.has_missed, info.changes_behind), ("late", !waits, if waits { 6 } else { 2 }));
        if !waits {
            refused(consumer.read(1), ErrorCode::ChangesNotKept);
            refused(consumer.wait(Duration::ZERO), ErrorCode::ChangesNotKept);
            consumer.seek(&table.feed().unwrap().begin).unwrap();
            assert_eq!(consumer.read(1).unwrap().changes.len(), 2);
        }
    }
}

#[test]
fn large_commits_and_many_changes_go_in_steps_and_without_being_asked() {
    let (store, _) = clocked();
    let table = store.create_table_with_feed("Orders", &Feed::new().keep_changes(100)).unwrap();
    let rows = |name: &'static str, count: u32| {
        (0..count).map(move |number| Operation::create(entity! { name, format!("{number:05}") }).unwrap())
    };
    store.submit_batch(rows("large", 3_500).map(|operation| (&table, operation))).unwrap();
    for operation in rows("single", 1_500) {
        table.apply(operation).unwrap();
    }
    // A thread removes them, some hundred changes later.
    let begin = Instant::now();
    while table.store().stats().unwrap().databases.iter().any(|one| one.name == "changes" && one.records > 700) {
        assert!(begin.elapsed() < Duration::from_secs(20), "{:?}", table.feed());
        thread::sleep(Duration::from_millis(5));
    }
    table.trim_feed().unwrap();
    assert_eq!(all(&table).len(), 100);
    let commit_number = table.feed().unwrap().end.commit();
    let stats = table.store().stats().unwrap();
    assert_eq!((&*stats.feeds[0].table, stats.feeds.len()), ("Orders", 1));
    assert!((50..200).contains(&stats.feeds[0].feed.changes), "{stats}");
    assert!(stats.to_string().contains("Orders: about"), "{stats}");
    // Neither is a commit of a user's.
    table.create_entity(entity! { "p", "one" }).unwrap();
    assert_eq!(table.feed().unwrap().end.commit(), commit_number + 1);
}

#[test]
fn consumers_stand_where_they_said_across_restarts_and_transactions() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("store.ent");
    let store = Store::open(&path).unwrap();
    let table = store.create_table_with_feed("Orders", &Feed::new()).unwrap();
    store.create_table("Sums").unwrap();
    table.create_entity(entity! { "p", "0", "N" => 1 }).unwrap();
    let late = table.create_consumer("late", &FeedStart::Now).unwrap();
    let early = table.create_consumer("early", &FeedStart::Beginning).unwrap();
    for number in 1..5 {
        table.create_entity(entity! { "p", format!("{number}"), "N" => 1 }).unwrap();
    }
    assert_eq!((early.read(9).unwrap().changes.len(), late.read(9).unwrap().changes.len()), (5, 4));
    let page = early.read(2).unwrap();
    assert_eq!(early.read(2).unwrap(), page, "the same again until it says so");
    early.advance(&page.position).unwrap();
    // One that comes late does not set it back, nor does one who makes it again.
    early.advance(&page.changes[0].behind()).unwrap();
    table.create_consumer("early", &FeedStart::Beginning).unwrap();
    assert_eq!(early.position().unwrap(), page.position);
    early.seek(&page.changes[0].behind()).unwrap();
    assert_eq!(early.read(9).unwrap().changes.len(), 4);
    store.close();
    let store = Store::open(&path).unwrap();
    let (table, sums) = (store.table("Orders").unwrap(), store.table("Sums").unwrap());
    let early = table.consumer("early");
    assert_eq!(early.position().unwrap(), page.changes[0].behind());

    // Work and position in one transaction: both or neither.
    let page = early.read(2).unwrap();
    let work = |is_done: bool| {
        store.transaction(|transaction| {
            transaction.table("Sums")?.create_entity(entity! { "p", "sum", "N" => page.changes.len() as i32 })?;
            transaction.table("Orders")?.advance_consumer("early", &page.position)?;
            if is_done { Ok(()) } else { Err(Error::new(ErrorCode::InvalidInput)) }
        })
    };
    refused(work(false), ErrorCode::InvalidInput);
    assert_eq!(early.read(9).unwrap().changes.len(), 4);
    work(true).unwrap();
    assert_eq!((early.read(9).unwrap().changes.len(), sums.count("N eq 2").unwrap()), (2, 1));

    let bad = ["".to_owned(), "é".repeat(128)];
    for name in bad {
        let error = refused(table.create_consumer(&name, &FeedStart::Now), ErrorCode::InvalidInput);
        assert_eq!((error.details().limit, error.details().actual), (Some(255), Some(name.len() as u64)));
    }
    table.create_consumer(&"é".repeat(127), &FeedStart::Now).unwrap();
    let error = refused(table.consumer("nobody").read(1), ErrorCode::ConsumerNotFound);
    assert!(error.message().contains("nobody") && error.details().table.as_deref() == Some("Orders"), "{error}");
    refused(table.consumer("nobody").advance(&page.position), ErrorCode::ConsumerNotFound);
    let names: Vec<_> = table.feed().unwrap().consumers.into_iter().map(|one| one.name).collect();
    assert_eq!(names, ["early".into(), "late".into(), "é".repeat(127).into_boxed_str()]);
}

#[test]
fn a_snapshot_has_the_feed_of_its_moment() {
    let table = fed(FeedContent::After);
    table.create_entity(entity! { "p", "1" }).unwrap();
    let snapshot = table.store().snapshot().unwrap();
    table.create_entity(entity! { "p", "2" }).unwrap();
    let then = table.at(&snapshot);
    assert_eq!((all(&then).len(), all(&table).len()), (1, 2));
    refused(then.set_feed(&Feed::new()), ErrorCode::InvalidInput);
    refused(then.read_changes(&table.feed().unwrap().end, 1), ErrorCode::InvalidInput);
}

/// Counts how often it is woken.
#[derive(Default)]
struct Woken(AtomicU64);

impl Wake for Woken {
    fn wake(self: Arc<Self>) {
        self.0.fetch_add(1, Ordering::SeqCst);
    }
}

#[test]
fn who_waits_is_told_of_this_process_s_writes_and_of_another_s() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("store.ent");
    let store = Store::open(&path).unwrap();
    let table = store.create_table_with_feed(rows::TABLE, &Feed::new()).unwrap();
    let other = store.create_table("Other").unwrap();
    let end = table.feed().unwrap().end;
    let begin = Instant::now();
    assert!(!table.wait_for_changes(&end, Duration::from_millis(30)).unwrap());
    assert!(begin.elapsed() >= Duration::from_millis(30));

    let woken = Arc::<Woken>::default();
    let waker = Waker::from(Arc::clone(&woken));
    let mut ready = Box::pin(table.changes_ready(&end));
    let mut poll = move || ready.as_mut().poll(&mut Context::from_waker(&waker));
    assert!(poll().is_pending());
    // What concerns another table may wake, and is not taken for a change.
    other.create_entity(entity! { "p", "1" }).unwrap();
    assert!(poll().is_pending());
    woken.0.store(0, Ordering::SeqCst);
    thread::scope(|scope| {
        let waiting = scope.spawn(|| table.wait_for_changes(&end, Duration::from_secs(20)));
        let output = Command::new(env!("CARGO_BIN_EXE_store_put")).arg(&path).args(["0", "1"]).output().unwrap();
        assert!(output.status.success());
        assert!(waiting.join().unwrap().unwrap());
    });
    let begin = Instant::now();
    while woken.0.load(Ordering::SeqCst) == 0 {
        assert!(begin.elapsed() < Duration::from_secs(20), "the future was not woken");
        thread::sleep(Duration::from_millis(1));
    }
    assert!(matches!(poll(), Poll::Ready(Ok(()))));
    assert!(table.wait_for_changes(&end, Duration::ZERO).unwrap(), "there is one already");

    // Of this process, at once; and the end of the feed and of the store.
    let end = table.feed().unwrap().end;
    let waits = |do_it: &(dyn Fn() + Sync)| {
        thread::scope(|scope| {
            let waiting = scope.spawn(|| table.wait_for_changes(&end, Duration::from_secs(20)));
            thread::sleep(Duration::from_millis(5));
            do_it();
            waiting.join().unwrap()
        })
    };
    assert!(waits(&|| _ = table.create_entity(entity! { "p", "mine" }).unwrap()).unwrap());
    let end = table.feed().unwrap().end;
    let waits = |do_it: &(dyn Fn() + Sync)| {
        thread::scope(|scope| {
            let waiting = scope.spawn(|| table.wait_for_changes(&end, Duration::from_secs(20)));
            thread::sleep(Duration::from_millis(5));
            do_it();
            waiting.join().unwrap()
        })
    };
    refused(waits(&|| table.drop_feed().unwrap()), ErrorCode::FeedNotFound);
    table.set_feed(&Feed::new()).unwrap();
    let end = table.feed().unwrap().end;
    let begin = Instant::now();
    let closed = thread::scope(|scope| {
        let waiting = scope.spawn(|| table.wait_for_changes(&end, Duration::from_secs(20)));
        thread::sleep(Duration::from_millis(5));
        store.close();
        waiting.join().unwrap()
    });
    refused(closed, ErrorCode::StoreClosed);
    assert!(begin.elapsed() < Duration::from_secs(10));
}

#[test]
fn a_full_store_still_deletes_and_notes_it() {
    let store = Store::in_memory_with(&Options::new().max_size(1 << 20)).unwrap();
    let table = store.create_table_with_feed("Logs", &Feed::new().keep_changes(1)).unwrap();
    let full = (0..)
        .find_map(|number| table.create_entity(entity! { "p", format!("{number}"), "T" => "x".repeat(9_000) }).err());
    assert_eq!(full.map(|error| error.code()), Some(ErrorCode::QuotaExceeded));
    table.delete_entity("p", "0").unwrap();
    assert_eq!(all(&table).pop().map(|change| change.kind), Some(ChangeKind::Deleted));
    // Old changes go whatever the quota, and make room.
    assert!(table.trim_feed().unwrap() > 0);
    table.create_entity(entity! { "p", "again", "T" => "x".repeat(9_000) }).unwrap();
}
