//! A process that is killed leaves a store with every row that it acknowledged, and no half row.

use entable::Store;
use entable_tests::rows;
use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};

const KILLS: u32 = 20;

#[test]
fn a_killed_writer_leaves_every_acknowledged_row() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("store.ent");
    let mut present = 0;
    for kill in 0..KILLS {
        let mut child = Command::new(env!("CARGO_BIN_EXE_store_put"))
            .arg(&path)
            .args([present.to_string(), "1000000".into()])
            .stdout(Stdio::piped())
            .spawn()
            .expect("the program runs");
        let mut lines = BufReader::new(child.stdout.take().expect("its output")).lines();
        // After other numbers of rows each time: the kill falls into whatever the next insert is doing then.
        for _ in 0..=kill * 3 {
            lines.next().expect("a number").expect("a line");
        }
        child.kill().expect("it is killed");
        child.wait().expect("it ends");
        let acknowledged =
            lines.map(|line| line.expect("a line")).last().map(|line| line.parse::<u32>().expect("a number"));
        let least = acknowledged.unwrap_or(present + kill * 3) + 1;

        let store = Store::open(&path).expect("the store opens");
        let table = store.table(rows::TABLE).expect("a name");
        let found = table.list_entities().expect("a query").map(|entity| entity.expect("a row"));
        let mut found: Vec<_> = found.collect();
        found.sort_by_key(|entity| entity["Number"].as_i64());
        // What was under way may be there, whole, or not.
        let count = u32::try_from(found.len()).expect("not many");
        assert!((least..=least + 1).contains(&count), "kill {kill}: {count} rows, {least} acknowledged");
        for (number, entity) in (0..count).zip(&found) {
            let expected = rows::entity(number);
            assert_eq!((entity.partition_key(), entity.row_key()), (expected.partition_key(), expected.row_key()));
            assert!(entity.properties().eq(expected.properties()), "kill {kill}, row {number}: {entity:?}");
        }
        store.close();
        present = count;
    }
    println!("{KILLS} kills, {present} rows");
}
