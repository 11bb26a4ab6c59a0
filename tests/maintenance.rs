//! Copies of a store: what is in them, what becomes of the original, and what is left when they fail.

use entable::{Copied, Entity, Error, ErrorCode, Mode, Options, Progress, Query, Store, UpdateMode, Value, entity};
use entable_tests::{rows, shim};
use std::collections::BTreeMap;
use std::fs;
use std::ops::ControlFlow;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};

type Contents = BTreeMap<String, Vec<Entity>>;
type Copying<'c> = dyn Fn() -> Result<Copied, Error> + 'c;

/// Every table and entity, Timestamps and ETags included.
fn contents(store: &Store) -> Contents {
    let tables = store.list_tables().expect("the tables");
    let all = |name: &str| -> Vec<Entity> {
        let table = store.table(name).expect("a name");
        table.list_entities().expect("a query").map(|entity| entity.expect("an entity")).collect()
    };
    tables.iter().map(|name| (name.as_str().to_owned(), all(name.as_str()))).collect()
}

fn contents_of(path: &Path) -> Contents {
    let store = Store::open(path).expect("the store opens");
    let found = contents(&store);
    store.close();
    found
}

/// Keys of every length that is stored otherwise, values of every size and type, a table that was deleted.
fn fill(store: &Store, entities: u32) {
    let table = store.create_table(rows::TABLE).expect("a table");
    for first in (0..entities).step_by(500) {
        let rows = (first..entities.min(first + 500)).map(rows::entity);
        let batch = rows.map(|row| Ok((&table, entable::Operation::create(row)?)));
        let batch: Vec<_> = batch.collect::<Result<_, Error>>().expect("operations");
        store.submit_batch(batch).expect("a batch");
    }
    let odd = store.create_table("Odd").expect("a table");
    for (number, units) in [0, 1, 800, 1_000, 3_500, 4_095].into_iter().enumerate() {
        let long = "\u{5b57}".repeat(units);
        for part in [String::new(), long.clone()] {
            let row = entity! {
                long.as_str(), format!("{number}{part}"),
                "Bytes" => Value::Binary(vec![7; 100 * units]),
                "Whole" => -1_i64, "True" => true, "Share" => 0.5,
            };
            odd.upsert_entity(row, UpdateMode::Replace).expect("an entity");
        }
    }
    let gone = store.create_table("Gone").expect("a table");
    for number in 0..200 {
        gone.create_entity(entity! { "p", format!("{number:03}"), "Text" => "x".repeat(500) }).expect("an entity");
    }
    store.delete_table("Gone").expect("deleted");
}

fn extended() -> Options {
    Options::new().mode(Mode::Extended)
}

/// A folder with a filled store, closed.
fn closed_store(entities: u32) -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("store.ent");
    let store = Store::open_with(&path, &extended()).expect("a store");
    fill(&store, entities);
    store.close();
    (folder, path)
}

fn names(folder: &Path) -> Vec<String> {
    let names = fs::read_dir(folder).expect("the folder").map(|entry| entry.expect("an entry").file_name());
    let mut names: Vec<_> = names.map(|name| name.to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

fn keep(verb: &str, path: &Path, target: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_store_keep"));
    command.arg(verb).arg(path).arg(target).stdout(Stdio::piped());
    command
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).trim().to_owned()
}

#[track_caller]
fn check<T: std::fmt::Debug>(outcome: Result<T, Error>, expected: ErrorCode) -> Error {
    let error = outcome.expect_err("an error");
    assert_eq!(error.code(), expected, "{error:?}");
    error
}

#[test]
fn copies_hold_every_entity_as_it_was() {
    let (folder, path) = closed_store(3_000);
    let store = Store::open_with(&path, &extended()).expect("a store");
    let expected = contents(&store);
    assert_eq!(expected.keys().collect::<Vec<_>>(), ["Odd", rows::TABLE]);
    assert!(expected["Odd"].iter().any(|entity| entity.row_key().len() > 12_000), "keys on several levels");
    let [backup, compacted] = ["backup.ent", "compacted.ent"].map(|name| folder.path().join(name));
    store.backup(&backup).expect("a backup");
    store.compact_into(&compacted).expect("a copy");
    store.compact().expect("compacted");
    assert!(contents(&store) == expected, "the store itself");
    assert!(contents_of(&backup) == expected, "the backup");
    assert!(contents_of(&compacted) == expected, "the compacted one");
    assert_eq!(fs::metadata(&backup).expect("the file").permissions().mode() & 0o777, 0o600, "private");
    // Copies are written as any store is.
    for path in [&backup, &compacted, &path] {
        let store = Store::open_with(path, &extended()).expect("a store");
        let table = store.table(rows::TABLE).expect("a name");
        table.create_entity(rows::entity(1_000_000)).expect("an entity");
        let last = expected.values().flatten().filter_map(Entity::timestamp).max();
        let row = rows::keys(1_000_000);
        assert!(table.get_entity(&row.0, &row.1).expect("it").timestamp() > last, "Timestamps rise on");
        fill_more(&store);
    }
}

/// Makes ids anew: of a table, of nodes of long keys.
fn fill_more(store: &Store) {
    let more = store.create_table("More").expect("a table");
    let long = "\u{5b58}".repeat(3_000);
    more.create_entity(entity! { long.as_str(), long.as_str() }).expect("an entity");
    assert_eq!(more.list_entities().expect("a query").count(), 1);
}

#[test]
fn a_store_in_memory_can_be_kept() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("kept.ent");
    let store = Store::in_memory_with(&extended()).expect("a store");
    fill(&store, 100);
    store.backup(&path).expect("a backup");
    assert!(contents_of(&path) == contents(&store));
    check(store.compact(), ErrorCode::InvalidInput);
    assert_eq!(contents(&store).len(), 2, "and it goes on");
}

#[test]
fn a_backup_is_one_moment_of_a_store_that_is_written() {
    let (folder, path) = closed_store(2_000);
    let store = Store::open(&path).expect("a store");
    let pairs = store.create_table("Pairs").expect("a table");
    let (is_over, written) = (AtomicBool::new(false), AtomicI64::new(0));
    std::thread::scope(|scope| {
        scope.spawn(|| {
            // Two partitions, always written together.
            for number in (1_i64..).take_while(|_| !is_over.load(Ordering::Relaxed)) {
                let write = |key: &str| {
                    entable::Operation::upsert(entity! { key, "r", "Number" => number }, UpdateMode::Replace)
                };
                let (first, last) = (write("a").expect("one"), write("z").expect("one"));
                store.submit_batch([(&pairs, first), (&pairs, last)]).expect("a batch");
                written.store(number, Ordering::Relaxed);
            }
        });
        let mut seen = Vec::new();
        for number in 0..5 {
            // With something new each time.
            let before = written.load(Ordering::Relaxed);
            while written.load(Ordering::Relaxed) == before {
                std::thread::yield_now();
            }
            let target = folder.path().join(format!("{number}.ent"));
            store.backup(&target).expect("a backup");
            let copy = Store::open(&target).expect("the copy");
            let copy = copy.table("Pairs").expect("a name");
            let number = |key| copy.get_entity(key, "r").map(|entity| entity["Number"].as_i64()).ok().flatten();
            assert_eq!(number("a"), number("z"));
            seen.push(number("a"));
        }
        is_over.store(true, Ordering::Relaxed);
        assert!(seen.is_sorted_by(|one, next| one < next), "{seen:?}");
    });
}

#[test]
fn a_backup_lives_its_own_life_and_a_compacted_store_goes_on() {
    let (folder, path) = closed_store(100);
    let store = Store::open(&path).expect("a store");
    let page = |store: &Store, token: Option<entable::ContinuationToken>| {
        let query = token.into_iter().fold(Query::all().page_size(10), Query::continue_from);
        store.table(rows::TABLE).expect("a name").query_page(query)
    };
    let token = page(&store, None).expect("a page").continuation_token;
    let [backup, compacted] = ["backup.ent", "compacted.ent"].map(|name| folder.path().join(name));
    store.backup(&backup).expect("a backup");
    store.compact_into(&compacted).expect("a copy");
    check(page(&Store::open(&backup).expect("the copy"), token.clone()), ErrorCode::InvalidInput);
    page(&Store::open(&compacted).expect("the copy"), token.clone()).expect("a page");
    store.compact().expect("compacted");
    page(&store, token).expect("a page");
}

#[test]
fn a_copy_takes_no_other_files_place() {
    let (folder, path) = closed_store(10);
    let store = Store::open(&path).expect("a store");
    let target = |name: &str| folder.path().join(name);
    fs::write(target("file"), "mine").expect("a file");
    fs::create_dir(target("folder")).expect("a folder");
    std::os::unix::fs::symlink(target("nowhere"), target("link")).expect("a link");
    let before = names(folder.path());
    for name in ["file", "folder", "link", "store.ent"] {
        for outcome in [store.backup(target(name)), store.compact_into(target(name))] {
            let error = check(outcome, ErrorCode::FileExists);
            assert!(error.message().contains(name), "{error}");
        }
    }
    assert_eq!(fs::read(target("file")).expect("the file"), b"mine");
    check(store.backup(target("missing/folder.ent")), ErrorCode::Io);
    assert_eq!(names(folder.path()), before);
}

#[test]
fn a_damaged_entity_is_named_and_nothing_is_left() {
    let (folder, path) = closed_store(300);
    let store = Store::open(&path).expect("a store");
    let needle = "a needle in the rows";
    store.table("Odd").expect("a name").create_entity(entity! { "Needles", "n1", "Text" => needle }).expect("it");
    store.close();
    let mut bytes = fs::read(&path).expect("the file");
    let places: Vec<_> =
        (0..bytes.len() - needle.len()).filter(|at| bytes[*at..].starts_with(needle.as_bytes())).collect();
    assert!(!places.is_empty());
    // In the text's last letter, where the row is as good as any.
    places.into_iter().for_each(|at| bytes[at + needle.len() - 1] = b'z');
    fs::write(&path, &bytes).expect("the file");
    let store = Store::open(&path).expect("a store");
    let before = names(folder.path());
    let target = folder.path().join("copy.ent");
    for outcome in [store.backup(&target), store.compact_into(&target), store.compact()] {
        let error = check(outcome, ErrorCode::Damaged);
        let details = error.details();
        let place = [&details.table, &details.partition_key, &details.row_key].map(Option::as_deref);
        assert_eq!(place, [Some("Odd"), Some("Needles"), Some("n1")]);
        assert_eq!(names(folder.path()), before);
    }
    assert!(store.table(rows::TABLE).expect("a name").list_entities().expect("a query").count() == 300, "it goes on");
}

#[test]
fn compacting_gives_space_back_and_says_how_much() {
    let (_folder, path) = closed_store(20_000);
    let store = Store::open(&path).expect("a store");
    let before = fs::metadata(&path).expect("the file").len();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).expect("permissions");
    let mut told = Vec::new();
    let Copied { records, bytes_before, bytes_after, .. } = store
        .compact_with(|progress| {
            told.push(progress);
            ControlFlow::Continue(())
        })
        .expect("compacted");
    let after = fs::metadata(&path).expect("the file");
    assert_eq!((bytes_before, bytes_after), (before, after.len()));
    assert_eq!(after.permissions().mode() & 0o777, 0o640, "permissions stay");
    println!("{records} records: {bytes_before} bytes, then {bytes_after}");
    // Rows came in an order far from that of their keys: their pages were two thirds full.
    assert!(bytes_after * 4 < bytes_before * 3, "{bytes_before} bytes, then {bytes_after}");
    let Progress { records: end, total_records, .. } = *told.last().expect("progress");
    assert_eq!(end, total_records);
    assert!(told.len() >= 4 && told.iter().map(|progress| progress.records).is_sorted());
    let again = store.compact().expect("compacted");
    assert_eq!((again.records, again.bytes_after), (records, bytes_after), "nothing more to gain");
}

#[test]
fn a_copy_that_is_given_up_leaves_nothing_behind() {
    let (folder, filled) = closed_store(20_000);
    let [path, target] = ["still.ent", "copy.ent"].map(|name| folder.path().join(name));
    // In a copy nothing is left of the dropped table, which would be freed meanwhile: nobody writes it.
    Store::open(filled).expect("a store").backup(&path).expect("a backup");
    let store = Store::open(&path).expect("a store");
    let (before, bytes) = (names(folder.path()), fs::read(&path).expect("the file"));
    // At the start, in the midst, and at the end, when all records are written.
    for calls in 1..=3 {
        let told = AtomicI64::new(0);
        let progress = |_: Progress| match told.fetch_add(1, Ordering::Relaxed) + 1 < calls {
            true => ControlFlow::Continue(()),
            false => ControlFlow::Break(()),
        };
        let verbs: [(&str, &Copying<'_>); 3] = [
            ("backup", &|| store.backup_with(&target, progress)),
            ("compact_into", &|| store.compact_into_with(&target, progress)),
            ("compact", &|| store.compact_with(progress)),
        ];
        for (verb, call) in verbs {
            told.store(0, Ordering::Relaxed);
            check(call(), ErrorCode::Cancelled);
            assert_eq!(told.load(Ordering::Relaxed), calls, "{verb}: it is asked no more");
            assert_eq!(names(folder.path()), before, "{verb}");
        }
    }
    assert!(fs::read(&path).expect("the file") == bytes, "the file is as it was");
    let table = store.table(rows::TABLE).expect("a name");
    table.upsert_entity(entity! { "p", "it goes on" }, UpdateMode::Merge).expect("a write");
    store.backup(&target).expect("the same call works");
}

#[test]
fn looking_through_a_file_can_be_given_up() {
    let (_folder, path) = closed_store(20_000);
    // (open, calls until it is given up); the last page is never asked about.
    for (is_open, calls) in [(false, 1), (false, 2), (true, 1)] {
        let store = is_open.then(|| Store::open(&path).expect("a store"));
        let mut told = 0;
        let report = entable::verify_with_progress(&path, |_, _| {
            told += 1;
            if told < calls { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        });
        assert_eq!((report.map(drop).map_err(|error| error.code()), told), (Err(ErrorCode::Cancelled), calls));
        drop(store);
    }
    assert!(entable::verify(&path).expect("a report").is_clean());
}

#[test]
fn nobody_is_left_behind_with_the_old_file() {
    let (_folder, path) = closed_store(100);
    let store = Store::open(&path).expect("a store");
    let inode = || fs::metadata(&path).expect("the file").ino();
    let first = inode();
    let busy = |who: &str| {
        let error = check(store.compact(), ErrorCode::StoreBusy);
        println!("{who}: {error}");
        assert_eq!(inode(), first, "{who}");
        assert_eq!(contents(&store)[rows::TABLE].len(), 100, "{who}: the store goes on");
    };
    let snapshot = store.snapshot().expect("a snapshot");
    busy("a snapshot");
    snapshot.close();
    let other = Store::open(&path).expect("a store");
    busy("another handle");
    other.close();
    drop(other);

    let mut child = keep("hold", &path, Path::new("")).stdin(Stdio::piped()).spawn().expect("it runs");
    let mut input = child.stdin.take().expect("its input");
    let mut lines = std::io::BufRead::lines(std::io::BufReader::new(child.stdout.take().expect("its output")));
    std::io::Write::write_all(&mut input, b"b").expect("a byte");
    assert_eq!(lines.next().expect("a line").expect("a line"), "open");
    busy("another process");
    drop(input);
    assert_eq!(lines.next().expect("a line").expect("a line"), "done");
    child.wait().expect("it ends");

    let second = path.with_file_name("second.ent");
    fs::hard_link(&path, &second).expect("a link");
    busy("another name");
    fs::remove_file(&second).expect("removed");

    store.compact().expect("compacted");
    assert_ne!(inode(), first);
    assert_eq!(contents(&store).len(), 3, "with what the other process wrote");
    // Other processes find the new file, and this one sees what they write.
    assert_eq!(said(&keep("cycle", &path, Path::new("3")).output().expect("it runs")), "done");
    assert_eq!(store.table("Held").expect("a name").list_entities().expect("a query").count(), 4);
    let read_only = Store::open_with(&path, &Options::new().read_only(true)).expect("a store");
    check(read_only.compact(), ErrorCode::StoreReadOnly);
}

#[test]
fn what_others_write_while_a_store_is_compacted_again_and_again_is_not_lost() {
    let (_folder, path) = closed_store(500);
    let writes = 300;
    let mut child = keep("cycle", &path, Path::new(&writes.to_string())).spawn().expect("it runs");
    let (mut compacted, mut busy) = (0, 0);
    while child.try_wait().expect("its state").is_none() {
        let store = Store::open(&path).expect("a store");
        match store.compact() {
            Ok(_) => compacted += 1,
            Err(error) if error.code() == ErrorCode::StoreBusy => busy += 1,
            Err(error) => panic!("{error}"),
        }
        store.close();
    }
    assert_eq!(said(&child.wait_with_output().expect("its output")), "done");
    let found = contents_of(&path);
    assert_eq!((found["Held"].len(), found[rows::TABLE].len()), (writes, 500));
    println!("{writes} writes by another process, {compacted} compactions between them, {busy} refused");
    assert!(compacted > 0);
}

/// Runs a verb once for each call that it could be killed before, and gives how often it was.
fn kill_at_every_call(verb: &str, path: &Path, target: &Path, mut look: impl FnMut(u32)) -> u32 {
    let folder = tempfile::tempdir().expect("a folder");
    let library = shim::build("kill", folder.path());
    for call in 1..10_000 {
        let mut command = keep(verb, path, target);
        let output = command.env("LD_PRELOAD", &library).env("ENTABLE_KILL", call.to_string()).output();
        let output = output.expect("it runs");
        if output.status.success() {
            assert_eq!(said(&output), "done");
            return call - 1;
        }
        look(call);
    }
    panic!("{verb} does not end");
}

#[test]
fn a_kill_at_any_moment_of_a_compaction_leaves_the_old_or_the_new_file() {
    let (folder, path) = closed_store(300);
    let expected = contents_of(&path);
    let original = fs::read(&path).expect("the file");
    let (mut old, mut new) = (0, 0);
    let kills = kill_at_every_call("compact", &path, Path::new(""), |call| {
        assert!(contents_of(&path) == expected, "killed before call {call}");
        // As it was, or smaller; then begin with the old one again.
        if fs::metadata(&path).expect("the file").len() < original.len() as u64 {
            new += 1;
            let lock = path.with_file_name("store.ent-lock");
            fs::remove_file(&path).and_then(|()| fs::remove_file(lock)).expect("removed");
            fs::write(&path, &original).expect("the file");
        } else {
            old += 1;
        }
    });
    println!("{kills} kills: the old file {old} times, the new one {new} times");
    assert!(old > 10 && new > 0);
    assert!(contents_of(&path) == expected);
    assert_eq!(names(folder.path()), ["store.ent", "store.ent-lock"], "what killed ones left is gone");
}

#[test]
fn a_kill_at_any_moment_of_a_backup_leaves_it_whole_or_not_there() {
    let (folder, path) = closed_store(300);
    let expected = contents_of(&path);
    let target = folder.path().join("backup.ent");
    let (mut none, mut whole) = (0, 0);
    let kills = kill_at_every_call("backup", &path, &target, |call| {
        if target.exists() {
            whole += 1;
            assert!(contents_of(&target) == expected, "killed before call {call}");
            fs::remove_file(&target).expect("removed");
            fs::remove_file(folder.path().join("backup.ent-lock")).expect("removed");
        } else {
            none += 1;
        }
        assert!(contents_of(&path) == expected, "the original, killed before call {call}");
    });
    println!("{kills} kills: no backup {none} times, a whole one {whole} times");
    assert!(none > 10 && whole > 0);
    assert!(contents_of(&target) == expected);
    let left = names(folder.path());
    assert_eq!(left, ["backup.ent", "backup.ent-lock", "store.ent", "store.ent-lock"]);
}

/// The calls that write or sync, by the program that `counted` runs: name and path of each.
fn calls(command: &mut Command) -> Vec<(String, String)> {
    let folder = tempfile::tempdir().expect("a folder");
    let (library, log) = (shim::build("count", folder.path()), folder.path().join("log"));
    let output = command.env("LD_PRELOAD", &library).env("ENTABLE_COUNT_LOG", &log).output().expect("it runs");
    assert_eq!(said(&output), "done");
    let text = fs::read_to_string(&log).expect("the log");
    let call = |line: &str| {
        let mut words = line.splitn(3, ' ');
        let name = words.next().expect("a name").to_owned();
        (name, words.nth(1).unwrap_or_default().to_owned())
    };
    text.lines().map(call).filter(|(_, path)| !path.starts_with("pipe:")).collect()
}

#[test]
fn folders_are_synced_when_a_file_gets_its_name() {
    let folder = tempfile::tempdir().expect("a folder");
    let root = folder.path().canonicalize().expect("its path");
    let path = root.join("a/b/store.ent");
    let syncs = |calls: &[(String, String)], path: &Path| {
        let is_sync = |(_, call): &(usize, &(String, String))| call.0 == "fsync" && Path::new(&call.1) == path;
        calls.iter().enumerate().filter(is_sync).map(|(at, _)| at).collect::<Vec<_>>()
    };
    let made = calls(&mut keep("open", &path, Path::new("")));
    for folder in [&root, &root.join("a"), &root.join("a/b")] {
        assert_eq!(syncs(&made, folder).len(), 1, "{}: {made:?}", folder.display());
    }
    // Every folder, the last one with the file in it, before the first write to the file.
    let write = made.iter().position(|(name, _)| name.starts_with("pwrite") || name == "writev").expect("a write");
    assert!(syncs(&made, &root.join("a/b"))[0] < write, "{made:?}");
    let opened = calls(&mut keep("open", &path, Path::new("")));
    assert!(opened.is_empty(), "opening what is there writes nothing: {opened:?}");

    for (verb, target) in [("backup", "c.ent"), ("compact_into", "d.ent"), ("compact", "")] {
        let target = root.join("a/b").join(target);
        let calls = calls(&mut keep(verb, &path, &target));
        let (last, before) = calls.split_last().expect("calls");
        let file_sync = before.iter().rposition(|(name, path)| name == "fsync" && path.contains("-part"));
        let written =
            before.iter().rposition(|(name, path)| name != "fsync" && name != "fdatasync" && path.contains("-part"));
        assert!(last.0 == "fsync" && Path::new(&last.1) == root.join("a/b"), "{verb}: {calls:?}");
        assert!(file_sync > written && written.is_some(), "{verb}: the file is synced before: {calls:?}");
    }
}

#[test]
fn what_a_compaction_tells_is_refused_the_store_and_does_not_hang() {
    let (_folder, path) = closed_store(100);
    let store = Store::open(&path).expect("a store");
    let table = store.table(rows::TABLE).expect("a name");
    let count = table.count("").expect("a count");
    let again = || entity! { "Again", "1" };
    // (what is called, the call)
    type Call<'a> = (&'a str, Box<dyn Fn() -> Result<(), Error> + 'a>);
    let calls: [Call<'_>; 9] = [
        ("read", Box::new(|| table.count("").map(drop))),
        ("write", Box::new(|| table.upsert_entity(again(), UpdateMode::Merge).map(drop))),
        ("batch", Box::new(|| table.submit_transaction([entable::Operation::delete("p", "1")]).map(drop))),
        ("transaction", Box::new(|| store.begin().map(drop))),
        ("snapshot", Box::new(|| store.snapshot().map(drop))),
        ("stats", Box::new(|| store.stats().map(drop))),
        ("sync", Box::new(|| store.sync())),
        ("compact", Box::new(|| store.compact().map(drop))),
        ("open", Box::new(|| Store::open(&path).map(drop))),
    ];
    let mut told = 0;
    let compacted = store.compact_with(|_| {
        told += 1;
        for (name, call) in &calls {
            let code = call().map_err(|error| error.code());
            assert_eq!(code, Err(ErrorCode::StoreBusy), "{name}");
        }
        ControlFlow::Continue(())
    });
    compacted.expect("compacted");
    assert!(told > 0);
    assert_eq!(table.count("").expect("a count"), count, "it goes on");
    // Closed in the midst, it is compacted and then closed.
    let closed = store.compact_with(|_| {
        store.close();
        ControlFlow::Continue(())
    });
    closed.expect("compacted");
    assert_eq!(table.count("").map_err(|error| error.code()), Err(ErrorCode::StoreClosed));
    let again = Store::open(&path).expect("a store");
    assert_eq!(again.table(rows::TABLE).expect("a name").count("").expect("a count"), count);
}
