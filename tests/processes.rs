//! Several processes on one file: no update is lost, nobody stands still, Timestamps rise in the order of commits, and
//! those who do nothing, or are dead, keep nobody's pages.

use entable::{Mode, Options, Store, Table, UpdateMode, entity};
use entable_tests::{folders, tier};
use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};

const PROCESSES: u64 = 4;
/// No operation takes longer, whoever else is at work.
const STALL_MILLISECONDS: u64 = 10_000;

#[test]
fn processes_that_work_together_lose_no_update_and_see_commits_in_order() {
    let duration = tier::duration(6, 1_800);
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("store.ent");
    let children: Vec<Child> = (0..PROCESSES)
        .map(|process| {
            Command::new(env!("CARGO_BIN_EXE_store_share"))
                .arg(&path)
                .args([process.to_string(), duration.as_millis().to_string()])
                .stdout(Stdio::piped())
                .spawn()
                .expect("the program runs")
        })
        .collect();
    let mut done = BTreeMap::<String, u64>::new();
    let mut slowest = 0;
    for (process, child) in children.into_iter().enumerate() {
        let output = child.wait_with_output().expect("it ends");
        assert!(output.status.success(), "process {process}: {}", output.status);
        for line in String::from_utf8(output.stdout).expect("UTF-8").lines() {
            let (name, count) = line.split_once(' ').expect("a name and a number");
            let count: u64 = count.parse().expect("a number");
            // Every thread of every process got on.
            assert!(count > 0 || ["overtaken", "slowest"].contains(&name), "process {process}: no {name}");
            match name {
                "slowest" => slowest = slowest.max(count),
                _ => *done.entry(name.into()).or_default() += count,
            }
        }
    }
    tier::announce(format_args!("{PROCESSES} processes, {duration:?}: {done:?}; the slowest took {slowest} ms"));
    assert!(slowest < STALL_MILLISECONDS, "an operation took {slowest} ms");
    let store = Store::open(&path).expect("a store");
    let table = store.table("Shared").expect("a name");
    for (name, count) in done.iter().filter(|(name, _)| name.starts_with("counter")) {
        let counter = table.get_entity("p", name).expect("a counter");
        assert_eq!(counter["N"].as_i64(), i64::try_from(*count).ok(), "{name}: an update was lost");
    }
}

#[test]
fn a_store_opens_whatever_others_write_meanwhile() {
    let folder = folders::quick();
    let path = folder.path().join("store.ent");
    Store::open(&path).expect("a store").close();
    let mut writer = Command::new(env!("CARGO_BIN_EXE_store_share"))
        .arg(&path)
        .args(["0", "1500"])
        .stdout(Stdio::null())
        .spawn()
        .expect("the program runs");
    let mut openings = 0;
    while writer.try_wait().expect("a child").is_none() {
        Store::open(&path).expect("a store").close();
        openings += 1;
    }
    tier::announce(format_args!("{openings} openings"));
    assert!(writer.wait().expect("it ends").success());
    assert!(openings > 10, "{openings} openings");
}

/// A store whose rows are written again and again.
fn rows(path: &Path) -> Table {
    let store = Store::open_with(path, &Options::new()).expect("a store");
    let table = store.create_table_if_not_exists("Rows").expect("a table");
    overwrite(&table, 50);
    table
}

fn overwrite(table: &Table, times: u64) {
    for number in 0..times {
        let row = entity! { "p", (number % 20).to_string(), "N" => number as i64, "Text" => "x".repeat(2_000) };
        table.upsert_entity(row, UpdateMode::Replace).expect("a row");
    }
}

/// A process that holds snapshots, once it does.
fn hold(path: &Path, snapshots: usize) -> Child {
    let mut child = Command::new(env!("CARGO_BIN_EXE_store_hold"))
        .arg(path)
        .arg(snapshots.to_string())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the program runs");
    let held = BufReader::new(child.stdout.take().expect("its output")).lines().next();
    assert_eq!(held.expect("a line").expect("a line"), snapshots.to_string());
    child
}

fn end(mut child: Child) {
    child.kill().expect("it is killed");
    child.wait().expect("it ends");
}

fn file_bytes(path: &Path) -> u64 {
    std::fs::metadata(path).expect("the file").len()
}

#[test]
fn a_process_that_does_nothing_keeps_no_pages() {
    let folder = folders::quick();
    let path = folder.path().join("store.ent");
    let table = rows(&path);
    let idle = hold(&path, 0);
    overwrite(&table, 100);
    let before = file_bytes(&path);
    overwrite(&table, 2_000);
    assert_eq!(file_bytes(&path), before, "pages were used again");
    end(idle);
    // The test can fail: a snapshot keeps them.
    let holding = hold(&path, 1);
    overwrite(&table, 2_000);
    assert!(file_bytes(&path) > before + 1_000_000, "a snapshot keeps its pages");
    end(holding);
}

#[test]
fn readers_that_are_killed_give_their_places_back() {
    let (rounds, readers, snapshots) = (tier::count(2, 40), 10, 100);
    let folder = folders::quick();
    let path = folder.path().join("store.ent");
    let table = rows(&path);
    for _ in 0..rounds {
        // All at once: whoever opens the store clears the places of those who died before.
        let children: Vec<Child> = (0..readers).map(|_| hold(&path, snapshots)).collect();
        children.into_iter().for_each(end);
        // More than are left beside the dead ones.
        drop(hold_many(table.store(), 900));
        overwrite(&table, 5);
    }
    tier::announce(format_args!("{} snapshots killed with their processes", rounds * readers * snapshots));
}

fn hold_many(store: &Store, count: usize) -> Vec<entable::Snapshot> {
    (0..count).map(|_| store.snapshot().expect("a place")).collect()
}

#[test]
fn a_dead_reader_keeps_no_pages_for_long() {
    let folder = folders::quick();
    let path = folder.path().join("store.ent");
    let table = rows(&path);
    overwrite(&table, 200);
    for _ in 0..3 {
        end(hold(&path, 3));
        overwrite(&table, 500);
    }
    let before = file_bytes(&path);
    overwrite(&table, 2_000);
    assert!(file_bytes(&path) < before + 2_000_000, "{} bytes more", file_bytes(&path) - before);
}

#[test]
fn a_change_of_the_catalog_by_another_process_is_seen() {
    let folder = folders::quick();
    let path = folder.path().join("store.ent");
    let table = rows(&path);
    let other = |arguments: &[&str]| {
        let status = Command::new(env!("CARGO_BIN_EXE_store_declare")).arg(&path).args(arguments).status();
        assert!(status.expect("the program runs").success());
    };
    // New properties mean a new shape, which this process has not seen.
    for number in 0..20 {
        let property = format!("New{number}");
        other(&["insert", "Rows", &property]);
        let row = table.get_entity("p", &property).expect("a row");
        assert_eq!(row[property.as_str()], "there");
        assert_eq!(table.count(entable::Query::filter(format!("{property} eq 'there'"))).expect("a count"), 1);
        table.upsert_entity(entity! { "q", "own", property => "here" }, UpdateMode::Merge).expect("a row");
    }
    // The same name means another table.
    other(&["replace", "Rows", "First"]);
    assert_eq!(table.list_entities().expect("a query").count(), 1);
    other(&["replace", "Rows", "Second"]);
    table.create_entity(entity! { "p", "own", "Second" => 1, "Third" => 2 }).expect("a row");
    assert_eq!(table.list_entities().expect("a query").count(), 2);
    other(&["drop", "Rows", ""]);
    assert_eq!(table.get_entity("p", "own").expect_err("no table").code(), entable::ErrorCode::TableNotFound);
}

/// A process that is allowed little address space maps no more than 2 GiB. When another makes the file larger, LMDB
/// gives the map up, and the store opens the file again, once for all who have it. Snapshots end: what they saw is in
/// the old map. In the long tier alone: it writes more than 2 GiB.
#[test]
fn a_file_that_outgrows_the_map_is_opened_anew() {
    if !tier::is_long() {
        return tier::announce("not asked for: it writes more than 2 GiB, which `make check-release` does");
    }
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("store.ent");
    let store = Store::open_with(&path, &Options::new().mode(Mode::Extended)).expect("a store");
    let table = store.create_table("Rows").expect("a table");
    let mut child = Command::new("sh")
        .args(["-c", "ulimit -v 3700000; exec \"$0\" \"$1\"", env!("CARGO_BIN_EXE_store_talk")])
        .arg(&path)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the program runs");
    let mut said = BufReader::new(child.stdout.take().expect("its output")).lines();
    let mut told = child.stdin.take().expect("its input");
    let mut ask = |what: &str| {
        writeln!(told, "{what}").expect("it listens");
        said.next().expect("an answer").expect("a line")
    };
    assert_eq!(["count", "other", "hold", "held"].map(&mut ask), ["0", "0", "1", "0"]);
    let bytes = vec![7_u8; 64 << 20];
    for number in 0..36 {
        table.create_entity(entity! { "p", format!("{number:02}"), "Bytes" => bytes.clone() }).expect("a row");
    }
    assert!(file_bytes(&path) > 2 << 30, "{}", file_bytes(&path));
    assert_eq!(ask("held"), "0", "the moment is still the old one");
    assert_eq!(["count", "other", "held"].map(&mut ask), ["36", "36", "StoreClosed"]);
    assert_eq!(["insert", "count", "other", "hold", "held"].map(&mut ask), ["1", "37", "37", "1", "37"]);
    assert_eq!(table.count("").expect("a count"), 37);
    drop(told);
    assert!(child.wait().expect("it ends").success());
}
