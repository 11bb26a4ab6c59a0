//! Inserts rows one by one, each durable when its number is printed: `store_put PATH FIRST COUNT`.
//!
//! Run by `tests/writes.rs`, which counts what it writes, and by `tests/crash.rs`, which kills it.

use entable::{DateTime, Options, Store};
use entable_tests::rows;
use std::io::Write;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().collect();
    let [_, path, first, count] = &arguments[..] else { return Err("store_put PATH FIRST COUNT".into()) };
    let (first, count): (u32, u32) = (first.parse()?, count.parse()?);
    // The clock stands: Timestamps are last + 1, so the rows of every run are the same.
    let now = DateTime::from_ticks(rows::TICKS)?;
    let store = Store::open_with(path, &Options::new().clock(move || now))?;
    let table = store.create_table_if_not_exists(rows::TABLE)?;
    let mut out = std::io::stdout().lock();
    for number in first..first + count {
        table.create_entity(rows::entity(number))?;
        writeln!(out, "{number}")?;
    }
    Ok(())
}
