//! Opens a store twice and does what it is told, a line each: `store_talk PATH`. `count` and `other` ask either handle
//! how many entities the table has, `insert` puts one more, `hold` begins a snapshot, and `held` asks that one. Prints
//! what came of each: a number, or the name of the error's code.
//!
//! Run by `tests/processes.rs`.

use entable::{Options, Result, Snapshot, Store, entity};
use entable_tests::rows::TABLE;
use std::io::{BufRead, Write};

fn main() -> std::result::Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().collect();
    let [_, path] = &arguments[..] else { return Err("store_talk PATH".into()) };
    let (store, other) = (Store::open(path)?, Store::open_with(path, &Options::new())?);
    let mut held: Option<Snapshot> = None;
    for line in std::io::stdin().lock().lines() {
        let outcome = match line?.as_str() {
            "count" => count(&store),
            "other" => count(&other),
            "insert" => store.table(TABLE).and_then(|table| table.create_entity(entity! { "q", "1" })).map(|_| 1),
            "hold" => store.snapshot().map(|snapshot| held = Some(snapshot)).map(|()| 1),
            "held" => match &held {
                Some(held) => store.table(TABLE).and_then(|table| table.at(held).count("")),
                None => return Err("no snapshot is held".into()),
            },
            other => return Err(other.into()),
        };
        match outcome {
            Ok(count) => writeln!(std::io::stdout(), "{count}")?,
            Err(error) => writeln!(std::io::stdout(), "{}", error.code().name())?,
        }
    }
    Ok(())
}

fn count(store: &Store) -> Result<u64> {
    store.table(TABLE)?.count("")
}
