//! Projections: copies of a table that come to be right whatever happens on the way. Each test compares the copies with
//! what the rows call for, by a rule of its own.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use entable::index::Index;
use entable::patterns::{Field, IndexTable};
use entable::{
    Change, Entity, ErrorCode, Feed, FeedContent, Mode, Operation, Options, Projection, Store, Table, UpdateMode,
    entity,
};
use entable_tests::projected::{self, Scene};
use entable_tests::random::Random;
use entable_tests::{folders, shim, tier};
use std::path::Path;
use std::process::{Command, Output};

const PROGRAM: &str = env!("CARGO_BIN_EXE_store_project");

/// Stores in memory: copies in the same store, and in another one.
fn scenes(content: FeedContent) -> [Scene; 2] {
    [None, Some(Store::in_memory().unwrap())].map(|elsewhere| {
        let scene = Scene::new(Store::in_memory().unwrap(), elsewhere);
        scene.create(&Feed::new().content(content)).unwrap();
        scene
    })
}

fn changes_of(table: &Table) -> Vec<Change> {
    table.changes(&table.feed().unwrap().begin).collect::<Result<_, _>>().unwrap()
}

#[test]
fn copies_follow_the_rows_and_the_position_the_changes() {
    for content in [FeedContent::Keys, FeedContent::After, FeedContent::BeforeAndAfter] {
        for scene in scenes(content) {
            let mut random = Random::new(7);
            for round in 0..8 {
                let before = scene.rows.feed().unwrap().changes;
                (0..30).for_each(|_| projected::write(&scene.rows, &mut random).unwrap());
                let made = scene.rows.feed().unwrap().changes - before;
                for projection in &scene.projections {
                    let lag = projection.lag().unwrap();
                    assert_eq!((lag.changes, lag.dead_letters), (made, 0));
                    assert!(lag.commits > 0 && lag.commits <= made);
                    // Step by step, or all at once.
                    let applied = match round % 2 {
                        0 => projection.catch_up().unwrap().changes,
                        _ => (0..)
                            .map(|_| projection.step(7).unwrap())
                            .take_while(|step| step.changes > 0)
                            .map(|step| step.changes)
                            .sum(),
                    };
                    assert_eq!(applied, made);
                    assert_eq!(projection.lag().unwrap().changes, 0);
                    assert!(!projection.wait(std::time::Duration::ZERO).unwrap());
                }
                scene.check().unwrap();
            }
            assert_eq!(
                scene.rows.feed().unwrap().consumers.iter().map(|consumer| consumer.changes_behind).sum::<u64>(),
                0
            );
        }
    }
}

#[test]
fn changes_that_come_twice_or_late_do_nothing() {
    for scene in scenes(FeedContent::After) {
        let mut random = Random::new(tier::seed());
        (0..150).for_each(|_| projected::write(&scene.rows, &mut random).unwrap());
        let changes = changes_of(&scene.rows);
        for projection in &scene.projections {
            // In any order, some of them often.
            let mut shuffled: Vec<Change> = changes.clone();
            shuffled.extend((0..100).map(|_| changes[random.below(changes.len())].clone()));
            for at in (1..shuffled.len()).rev() {
                shuffled.swap(at, random.below(at + 1));
            }
            let mut done = 0;
            for some in shuffled.chunks(9) {
                let applied = projection.apply(some).unwrap();
                assert_eq!((applied.changes, applied.dead), (some.len() as u64, 0));
                done += applied.changes - applied.skipped;
            }
            assert!(done < changes.len() as u64, "some came late");
        }
        scene.check().unwrap();
        // The feed finds them done.
        for projection in &scene.projections {
            let applied = projection.catch_up().unwrap();
            assert_eq!((applied.skipped, applied.changes), (changes.len() as u64, changes.len() as u64));
        }
        scene.check().unwrap();
    }
}

#[test]
fn a_late_change_brings_no_deleted_row_back() {
    for scene in scenes(FeedContent::After) {
        scene.rows.create_entity(entity! { "a", "1", "Town" => "Bonn" }).unwrap();
        scene.rows.delete_entity("a", "1").unwrap();
        let changes = changes_of(&scene.rows);
        for projection in &scene.projections {
            assert_eq!(projection.apply(&changes[1..]).unwrap().skipped, 0);
            assert_eq!(projection.apply(&changes[..1]).unwrap().skipped, 1);
            assert_eq!(projection.table().unwrap().count("").unwrap(), 0);
            // Once no such change can come, tombstones go; those of rows that are there stay.
            assert_eq!(projection.drop_tombstones("9999-12-31T00:00:00Z".parse().unwrap()).unwrap(), 1);
            assert_eq!(projection.apply(&changes[..1]).unwrap().skipped, 0, "what kept it was the tombstone");
            projection.reconcile().unwrap();
        }
        scene.check().unwrap();
    }
}

#[test]
fn an_older_version_that_an_import_gave_back_is_a_later_change() {
    for scene in scenes(FeedContent::After) {
        scene.rows.create_entity(entity! { "a", "1", "Town" => "Bonn" }).unwrap();
        let mut file = Vec::new();
        scene.source.export(&mut file, &entable::ExportOptions::new().versions(true)).unwrap();
        scene.rows.update_entity(entity! { "a", "1", "Town" => "Oslo" }, UpdateMode::Merge).unwrap();
        scene.catch_up().unwrap();
        let options = entable::ImportOptions::new().existing(entable::Existing::Replace).versions(true);
        scene.source.import(&mut &file[..], &options).unwrap();
        assert_eq!(scene.rows.get_entity("a", "1").unwrap()["Town"], "Bonn");
        scene.catch_up().unwrap();
        scene.check().unwrap();
    }
}

#[test]
fn what_cannot_be_copied_is_a_dead_letter_and_stops_nothing() {
    for scene in scenes(FeedContent::After) {
        let by_town = &scene.projections[1];
        scene.rows.create_entity(entity! { "a", "1", "Town" => "Bonn" }).unwrap();
        scene.catch_up().unwrap();
        let bad = scene.rows.update_entity(entity! { "a", "1", "Town" => "no/key" }, UpdateMode::Merge).unwrap();
        scene.rows.create_entity(entity! { "a", "2", "Town" => "Oslo" }).unwrap();
        let applied = by_town.catch_up().unwrap();
        assert_eq!((applied.changes, applied.dead, by_town.lag().unwrap().dead_letters), (2, 1, 1));
        assert_eq!(scene.entries(), ["Bonn a 1", "Oslo a 2"], "the copies of its row stay");
        let letter = || by_town.dead_letters().unwrap().get_entity("a", "1").unwrap();
        assert_eq!((&letter()["Code"], &letter()["Attempts"]), (&"OutOfRangeInput".into(), &1_i64.into()));
        assert!(letter()["Reason"].as_str().unwrap().contains("Town"), "{:?}", letter());

        // Tried again as it is by then: in vain, and once the row is right with success.
        assert_eq!((by_town.retry_dead_letters().unwrap().dead, &letter()["Attempts"]), (1, &2_i64.into()));
        let (compared, reconciled) = (by_town.compare().unwrap(), by_town.reconcile().unwrap());
        assert_eq!((compared.dead, reconciled.dead, compared.is_equal()), (1, 1, false));
        let right = entity! { "a", "1", "Town" => "Rome" };
        scene.rows.update_entity_if(right, UpdateMode::Merge, bad.etag()).unwrap();
        let retried = by_town.retry_dead_letters().unwrap();
        assert_eq!((retried.done, retried.dead, by_town.lag().unwrap().dead_letters), (1, 0, 0));
        // The change that is right comes, too, and finds it done.
        assert_eq!(by_town.catch_up().unwrap().skipped, 1);
        scene.catch_up().unwrap();
        scene.check().unwrap();
    }
}

#[test]
fn a_dead_letter_goes_with_a_later_change_and_not_with_an_earlier_one() {
    for scene in scenes(FeedContent::After) {
        let by_town = &scene.projections[1];
        scene.rows.create_entity(entity! { "a", "1", "Town" => "Bonn" }).unwrap();
        scene.rows.update_entity(entity! { "a", "1", "Town" => "no/key" }, UpdateMode::Merge).unwrap();
        scene.rows.update_entity(entity! { "a", "1", "Town" => "Rome" }, UpdateMode::Merge).unwrap();
        let changes = changes_of(&scene.rows);
        let dead = |some: &[Change]| {
            by_town.apply(some).unwrap();
            by_town.lag().unwrap().dead_letters
        };
        assert_eq!(dead(&changes[1..2]), 1);
        assert_eq!(dead(&changes[..1]), 1, "an earlier change makes up for nothing");
        assert_eq!(scene.entries(), ["Bonn a 1"]);
        assert_eq!(dead(&changes[2..]), 0);
        assert_eq!(scene.entries(), ["Rome a 1"]);
    }
}

#[test]
fn a_unique_value_may_go_from_one_copy_of_a_row_to_the_next_and_not_to_another_row() {
    for scene in scenes(FeedContent::After) {
        let by_town = &scene.projections[1];
        by_town.table().unwrap().create_index(Index::new("Mail").properties(["Mail"]).unique(true)).unwrap();
        scene.rows.create_entity(entity! { "a", "1", "Town" => "Bonn", "Mail" => "ann" }).unwrap();
        scene.rows.update_entity(entity! { "a", "1", "Town" => "Oslo" }, UpdateMode::Merge).unwrap();
        scene.rows.create_entity(entity! { "b", "1", "Town" => "Bonn", "Mail" => "ann" }).unwrap();
        assert_eq!(by_town.catch_up().unwrap().dead, 1);
        assert_eq!(scene.entries(), ["Oslo a 1"]);
        let letter = by_town.dead_letters().unwrap().get_entity("b", "1").unwrap();
        assert_eq!(letter["Code"], "UniqueIndexViolation");
        scene.rows.delete_entity("a", "1").unwrap();
        by_town.catch_up().unwrap();
        assert_eq!(by_town.retry_dead_letters().unwrap().done, 1);
        assert_eq!(scene.entries(), ["Bonn b 1"]);
    }
}

#[test]
fn two_rows_that_would_share_a_copy_do_not_take_it_from_each_other() {
    for elsewhere in [None, Some(Store::in_memory().unwrap())] {
        let store = Store::in_memory().unwrap();
        let rows = store.create_table_with_feed("Rows", &Feed::new()).unwrap();
        // By its RowKey alone: that of two partitions may be one.
        let mut projection = Projection::index("Towns", &rows, IndexTable::full("Rows", "ByTown", ["Town"])).unwrap();
        projection = elsewhere.iter().fold(projection, Projection::into_store);
        projection.create().unwrap();
        for partition_key in ["a", "b"] {
            rows.create_entity(entity! { partition_key, "1", "Town" => "Bonn" }).unwrap();
        }
        assert_eq!(projection.catch_up().unwrap().dead, 1);
        let owner = || projection.table().unwrap().get_entity("Bonn", "1").unwrap()["SourcePartitionKey"].clone();
        assert_eq!(owner(), "a");
        assert_eq!(projection.reconcile().unwrap().dead, 1);
        assert_eq!(owner(), "a");
        rows.delete_entity("a", "1").unwrap();
        projection.catch_up().unwrap();
        assert_eq!((projection.retry_dead_letters().unwrap().done, owner()), (1, "b".into()));
        assert!(projection.compare().unwrap().is_equal());
    }
}

#[test]
fn reconcile_finds_and_repairs_what_was_done_by_hand() {
    for scene in scenes(FeedContent::After) {
        let mut random = Random::new(tier::seed());
        // More than go into one transaction.
        let rows = (0..700).map(|number| {
            let town = projected::TOWNS[number % projected::TOWNS.len()];
            Operation::create(entity! { format!("p{}", number % 3), format!("{number:03}"), "Town" => town }).unwrap()
        });
        scene.source.submit_batch(rows.map(|row| (&scene.rows, row))).unwrap();
        scene.catch_up().unwrap();
        for projection in &scene.projections {
            let table = projection.table().unwrap();
            let copies: Vec<Entity> = table.list_entities().unwrap().collect::<Result<_, _>>().unwrap();
            let mut damaged = std::collections::BTreeSet::new();
            let mut next = || loop {
                let at = random.below(copies.len());
                if damaged.insert(at) {
                    return &copies[at];
                }
            };
            for _ in 0..20 {
                let (missing, different) = (next(), next());
                table.delete_entity(missing.partition_key(), missing.row_key()).unwrap();
                let change = entity! { different.partition_key(), different.row_key(), "Other" => true };
                table.update_entity(change, UpdateMode::Merge).unwrap();
            }
            for number in 0..20 {
                table.create_entity(entity! { "nobody", format!("{number}") }).unwrap();
            }
            let compared = projection.compare().unwrap();
            assert_eq!((compared.missing, compared.different, compared.extra), (20, 20, 20), "{compared:?}");
            assert_eq!((compared.rows, compared.copies, compared.notes, compared.dead), (700, 700, 0, 0));
            assert_eq!(projection.compare().unwrap(), compared, "nothing was changed");
            assert_eq!(projection.reconcile().unwrap(), compared);
            let after = projection.compare().unwrap();
            assert!(after.is_equal() && after.copies == 700, "{after:?}");
        }
        scene.check().unwrap();
    }
}

#[test]
fn a_copy_that_names_another_row_or_none_is_put_right_in_one_go() {
    for scene in scenes(FeedContent::After) {
        for (key, town) in [("1", "Bonn"), ("2", "Oslo"), ("3", "Rome")] {
            scene.rows.create_entity(entity! { "a", key, "Town" => town }).unwrap();
        }
        scene.catch_up().unwrap();
        let by_town = &scene.projections[1];
        let table = by_town.table().unwrap();
        let first = |town: &str| {
            let mut found = table.query_entities(format!("PartitionKey eq '{town}'")).unwrap();
            found.next().unwrap().unwrap()
        };
        // One that says it is another row's, one that names a row that never was, one that names none.
        for (town, owner) in [("Bonn", Some("2")), ("Oslo", Some("no\u{1}key")), ("Rome", None)] {
            let mut copy = first(town);
            copy.remove("SourceRowKey");
            owner.iter().for_each(|owner| drop(copy.insert("SourceRowKey", *owner)));
            table.update_entity(copy, UpdateMode::Replace).unwrap();
        }
        // And one of a row under keys that it had never.
        let mut copy = first("Bonn");
        copy.insert("SourceRowKey", "1");
        let mut moved = Entity::new("Elsewhere", copy.row_key());
        copy.properties().for_each(|(name, value)| drop(moved.insert(name, value.clone())));
        table.create_entity(moved).unwrap();
        let compared = by_town.compare().unwrap();
        assert_eq!((compared.missing, compared.extra, compared.different), (3, 4, 0), "{compared:?}");
        assert_eq!(by_town.reconcile().unwrap(), compared);
        scene.check().unwrap();
    }
}

#[test]
fn reconcile_brings_rows_of_which_there_is_no_change() {
    for elsewhere in [None, Some(Store::in_memory().unwrap())] {
        let source = Store::in_memory().unwrap();
        let rows = source.create_table("Rows").unwrap();
        for town in ["Bonn", "Oslo"] {
            rows.create_entity(entity! { "a", town, "Town" => town }).unwrap();
        }
        let scene = Scene::new(source, elsewhere);
        // Changes of before, and then some that are not kept.
        scene.create(&Feed::new().keep_changes(1)).unwrap();
        scene.catch_up().unwrap();
        assert_eq!(scene.entries(), [""; 0]);
        scene.projections.iter().for_each(|projection| assert_eq!(projection.reconcile().unwrap().missing, 2));
        scene.check().unwrap();
        scene.rows.delete_entity("a", "Bonn").unwrap();
        let late = changes_of(&scene.rows);
        let touched = scene.rows.update_entity(entity! { "a", "Oslo", "Town" => "Oslo" }, UpdateMode::Replace).unwrap();
        for number in 0..5 {
            scene.rows.create_entity(entity! { "b", format!("{number}"), "Town" => "Rome" }).unwrap();
        }
        scene.rows.trim_feed().unwrap();
        for projection in &scene.projections {
            assert_eq!(projection.catch_up().unwrap_err().code(), ErrorCode::ChangesNotKept);
            let reconciled = projection.reconcile().unwrap();
            // One row is gone, five are new, and one is as it was, in another version.
            assert_eq!((reconciled.extra, reconciled.missing, reconciled.notes), (1, 5, 2), "{reconciled:?}");
            assert_eq!(projection.lag().unwrap().changes, 0);
            assert_eq!(projection.catch_up().unwrap().changes, 0);
            assert_eq!(projection.apply(&late).unwrap().skipped, late.len() as u64, "{:?}", touched.etag());
        }
        scene.check().unwrap();
    }
}

#[test]
fn changes_of_elsewhere_and_tables_that_are_one_are_refused() {
    let [scene, other] = scenes(FeedContent::After);
    let refused = |outcome: Result<(), entable::Error>, words: &str| {
        let error = outcome.unwrap_err();
        assert_eq!(error.code(), ErrorCode::InvalidInput, "{error:?}");
        assert!(error.message().contains(words), "{error:?}");
    };
    other.rows.create_entity(entity! { "a", "1" }).unwrap();
    refused(scene.projections[0].apply(&changes_of(&other.rows)).map(drop), "another store");
    let copy = |name: &str, table: &str| Projection::copy(name, &scene.rows, table);
    refused(copy("Same", "rows").unwrap().create(), "tables of their own");
    refused(copy("Same", "SameVersions").unwrap().create(), "tables of their own");
    let pattern = IndexTable::full("Others", "ByTown", ["Town"]);
    refused(Projection::index("Same", &scene.rows, pattern).map(drop), "'Others'");
    assert_eq!(copy("no name", "Rest").unwrap_err().code(), ErrorCode::InvalidResourceName);
    let silent = scene.source.create_table("Silent").unwrap();
    let error = Projection::copy("Silence", &silent, "Copies").unwrap().create().unwrap_err();
    assert_eq!(error.code(), ErrorCode::FeedNotFound);
    let unmade = Projection::copy("Unmade", &scene.rows, "Unmade").unwrap();
    assert_eq!(unmade.catch_up().unwrap_err().code(), ErrorCode::ConsumerNotFound);
    assert_eq!(unmade.into_store(&other.source).catch_up().unwrap_err().code(), ErrorCode::TableNotFound);
}

#[test]
fn an_ended_projection_leaves_its_copies_alone() {
    for scene in scenes(FeedContent::After) {
        scene.rows.create_entity(entity! { "a", "1", "Town" => "Bonn" }).unwrap();
        scene.catch_up().unwrap();
        for projection in &scene.projections {
            projection.delete().unwrap();
            projection.delete().unwrap();
            assert_eq!(projection.table().unwrap().count("").unwrap(), 1);
            assert_eq!(projection.table().unwrap().list_indexes().unwrap().len(), 0);
        }
        assert_eq!(scene.rows.feed().unwrap().consumers.len(), 0);
        let names: Vec<_> = scene.target().list_tables().unwrap().iter().map(|name| name.as_str().to_owned()).collect();
        assert!(names.iter().all(|name| matches!(&name[..], "Rows" | "Copies" | "ByTown")), "{names:?}");
        // Made anew it finds the copies, and the feed from its beginning.
        scene.create(&Feed::new()).unwrap();
        scene.catch_up().unwrap();
        scene.check().unwrap();
    }
}

#[test]
fn keys_that_the_target_does_not_allow_are_an_error_of_the_target() {
    let source = Store::in_memory_with(&Options::new().mode(Mode::Extended)).unwrap();
    let target = Store::in_memory().unwrap();
    let rows = source.create_table_with_feed("Rows", &Feed::new()).unwrap();
    let projection = Projection::copy("Copy", &rows, "Copies").unwrap().into_store(&target);
    projection.create().unwrap();
    rows.create_entity(entity! { "a", "x".repeat(2_000) }).unwrap();
    let error = projection.catch_up().unwrap_err();
    assert_eq!((error.code(), error.details().actual), (ErrorCode::KeyValueTooLarge, Some(2_000)));
    assert_eq!(projection.lag().unwrap().changes, 1);
}

#[test]
fn a_row_may_have_several_entries() {
    for elsewhere in [None, Some(Store::in_memory().unwrap())] {
        let store = Store::in_memory().unwrap();
        let rows = store.create_table_with_feed("Rows", &Feed::new()).unwrap();
        let pattern = IndexTable::normalized("Rows", "ByTag", [Field::from("Tags").each(",")]);
        let mut projection = Projection::index("Tags", &rows, pattern).unwrap();
        projection = elsewhere.iter().fold(projection, Projection::into_store);
        projection.create().unwrap();
        let check = |expected: &[&str]| {
            projection.catch_up().unwrap();
            let tags: Vec<_> = projection.table().unwrap().partition_keys().collect::<Result<_, _>>().unwrap();
            assert_eq!(tags, expected);
            assert!(projection.compare().unwrap().is_equal());
        };
        for (tags, expected) in [("a,b,c", &["a", "b", "c"][..]), ("b,d", &["b", "d"]), ("b", &["b"])] {
            rows.upsert_entity(entity! { "p", "1", "Tags" => tags }, UpdateMode::Replace).unwrap();
            check(expected);
        }
        rows.delete_entity("p", "1").unwrap();
        check(&[]);
    }
}

#[test]
fn a_consumer_that_was_left_behind_follows_the_position_in_the_other_store() {
    let [_, scene] = scenes(FeedContent::After);
    scene.rows.create_entity(entity! { "a", "1", "Town" => "Bonn" }).unwrap();
    scene.catch_up().unwrap();
    // As after a kill right behind the commit of the target.
    let consumer = scene.rows.consumer("Copy");
    consumer.seek(&scene.rows.feed().unwrap().begin).unwrap();
    assert_eq!(scene.projections[0].catch_up().unwrap().changes, 0, "it was done");
    assert!(consumer.read(10).unwrap().changes.is_empty(), "changes are kept for nobody");
}

/// Runs the program that writes rows and follows them, with a preloaded library.
fn run(folder: &Path, place: &str, library: &Path, set: &[(&str, String)]) -> Output {
    let mut command = Command::new(PROGRAM);
    command.arg(folder).arg(place).env("LD_PRELOAD", library);
    command.envs(set.iter().map(|(name, value)| (name, value))).output().unwrap()
}

#[test]
fn a_kill_between_any_two_steps_leaves_nothing_half_done() {
    let tools = tempfile::tempdir().unwrap();
    let library = shim::build("kill", tools.path());
    for place in ["same", "elsewhere"] {
        let (mut kills, mut at) = (0, 1);
        let stride = if tier::is_long() { 1 } else { 11 };
        loop {
            let folder = folders::quick();
            let output = run(folder.path(), place, &library, &[("ENTABLE_KILL", at.to_string())]);
            let error = String::from_utf8_lossy(&output.stderr);
            assert!(output.status.success() || output.status.code().is_none(), "{place} {at}: {error}");
            let scene = Scene::open(folder.path(), place).unwrap_or_else(|error| panic!("{place} {at}: {error:?}"));
            scene.create(&projected::feed()).unwrap();
            let right = entity! { "dead", "1", "Town" => "Bonn" };
            scene.rows.upsert_entity(right, UpdateMode::Replace).unwrap();
            let seen = scene.rows.feed().unwrap().changes;
            let applied = scene.projections[0].catch_up().unwrap_or_else(|error| panic!("{place} {at}: {error:?}"));
            assert_eq!(applied.skipped, 0, "{place} {at}: what was done was not noted with it");
            scene.catch_up().unwrap_or_else(|error| panic!("{place} {at}: {error:?}"));
            scene.check().unwrap_or_else(|difference| panic!("{place} {at}, {seen} changes: {difference}"));
            if output.status.success() {
                break;
            }
            kills += 1;
            at += stride;
        }
        tier::announce(format_args!("{place}: {kills} kills"));
        assert!(kills >= 15, "{place}: {kills} kills");
    }
}

#[test]
fn a_target_that_fails_at_random_holds_the_copies_in_the_end() {
    let tools = tempfile::tempdir().unwrap();
    let library = shim::build("fail", tools.path());
    let mut random = Random::new(tier::seed());
    let mut failures = 0;
    for round in 0..tier::count(24, 400) {
        let place = ["same", "elsewhere"][round % 2];
        let folder = folders::quick();
        let (call, errno) = [("write", libc::ENOSPC), ("late", libc::EIO), ("sync", libc::EIO)][random.below(3)];
        let said = folder.path().join("said");
        let plan = format!("{call} {} {errno} once", 1 + random.below(60));
        let set = [
            ("ENTABLE_FAIL", plan.clone()),
            ("ENTABLE_FAIL_UNDER", projected::target(folder.path(), place).parent().unwrap().display().to_string()),
            ("ENTABLE_FAIL_SAID", said.display().to_string()),
        ];
        let output = run(folder.path(), place, &library, &set);
        assert!(output.status.success(), "{place} {plan}: {}", String::from_utf8_lossy(&output.stderr));
        let said = std::fs::read_to_string(said).unwrap();
        failures += said.split_whitespace().nth(1).unwrap().parse::<usize>().unwrap();
        // The program came to its end, with nothing left over: whoever opens the stores has nothing to do.
        let scene = Scene::open(folder.path(), place).unwrap();
        scene.projections.iter().for_each(|projection| assert_eq!(projection.lag().unwrap().changes, 0, "{plan}"));
        scene.check().unwrap_or_else(|difference| panic!("{place} {plan}: {difference}"));
    }
    tier::announce(format_args!("{failures} calls failed"));
    assert!(failures > 8, "{failures} calls failed");
}
