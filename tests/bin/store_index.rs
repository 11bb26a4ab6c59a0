//! Makes and drops indexes of a table of many rows, again and again, while another thread changes rows:
//! `store_index PATH SEED`. It never ends by itself, but at the first error, which it prints.
//!
//! Run by `tests/crash.rs`, which kills it.

use entable::index::{Index, Projection, Scope};
use entable::{ErrorCode, Result, Store, Table, UpdateMode};
use entable_tests::random::Random;
use entable_tests::rows;
use std::thread;

fn main() -> std::result::Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().collect();
    let [_, path, seed] = &arguments[..] else { return Err("store_index PATH SEED".into()) };
    let seed: u64 = seed.parse()?;
    let table = Store::open(path)?.table(rows::TABLE)?;
    thread::scope(|scope| {
        // Whichever ends first ends the process: it had an error.
        scope.spawn(|| end(&change_rows(&table, Random::new(seed))));
        end(&change_indexes(&table, Random::new(!seed)));
    });
    Ok(())
}

fn end(outcome: &Result<()>) {
    eprintln!("{outcome:?}");
    std::process::exit(1);
}

fn change_indexes(table: &Table, mut random: Random) -> Result<()> {
    loop {
        let index = match random.below(3) {
            0 => Index::new("Number").properties(["Number"]).unique(true),
            1 => Index::new("Share").properties(["Share", "Text"]).projection(Projection::names(["Name"])),
            _ => Index::new("Name").properties(["Name"]).scope(Scope::Partition).fold_case(true),
        };
        if table.list_indexes()?.iter().any(|known| known.name() == index.name()) {
            table.drop_index(index.name())?;
        }
        table.create_index(index)?;
    }
}

fn change_rows(table: &Table, mut random: Random) -> Result<()> {
    loop {
        let number = u32::try_from(random.below(rows::MANY)).unwrap_or(0);
        let (partition_key, row_key) = rows::keys(number);
        if random.percent(30) {
            match table.delete_entity(&partition_key, &row_key) {
                Err(error) if error.code() == ErrorCode::ResourceNotFound => {}
                outcome => outcome?,
            }
            continue;
        }
        let mut entity = rows::entity(number);
        entity.insert("Share", f64::from(number % 9) / 2.0);
        table.upsert_entity(entity, UpdateMode::Replace)?;
    }
}
