//! Opens a store, reads all its rows, and holds snapshots until it is killed: `store_hold PATH SNAPSHOTS`. Prints a line
//! when it holds them.
//!
//! Run by `tests/processes.rs`.

use entable::{Store, TableName};
use std::io::Write;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().collect();
    let [_, path, snapshots] = &arguments[..] else { return Err("store_hold PATH SNAPSHOTS".into()) };
    let store = Store::open(path)?;
    for name in store.list_tables()?.iter().map(TableName::as_str) {
        store.table(name)?.list_entities()?.try_for_each(|row| row.map(drop))?;
    }
    let held: Result<Vec<_>, _> = (0..snapshots.parse()?).map(|_: u32| store.snapshot()).collect();
    let held = held?;
    writeln!(std::io::stdout(), "{}", held.len())?;
    loop {
        std::thread::park();
    }
}
