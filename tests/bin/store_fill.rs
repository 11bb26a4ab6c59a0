//! Fills a disk: `store_fill PATH [MAX_SIZE]`, with the bytes that the store may take. Inserts rows, and prints the number of each, or the name of the error's code, until
//! three in a row have failed. Then it prints `full`, waits for a line, deletes two rows, and inserts some more.
//!
//! Run by `tests/full_disk.rs`, which makes the disk small, and then larger.

use entable::{DateTime, ErrorCode, Options, Store, Table};
use entable_tests::rows;
use std::io::{BufRead, Write};

/// Rows that are inserted when there is room again.
const MORE: u32 = 20;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().collect();
    let (path, max_size) = match &arguments[..] {
        [_, path] => (path, None),
        [_, path, bytes] => (path, Some(bytes.parse()?)),
        _ => return Err("store_fill PATH [MAX_SIZE]".into()),
    };
    let open = || open(path, max_size);
    let mut out = std::io::stdout();
    let mut next = 0;
    let opened = open().map(Some).or_else(|error| writeln!(out, "{}", error.code().name()).map(|()| None))?;
    if let Some(table) = &opened {
        let mut failures = 0;
        while failures < 3 {
            match table.create_entity(rows::entity(next)) {
                Ok(_) => {
                    failures = 0;
                    writeln!(out, "{next}")?;
                    next += 1;
                }
                Err(error) => {
                    failures += 1;
                    writeln!(out, "{}", error.code().name())?;
                }
            }
        }
    }
    writeln!(out, "full")?;
    out.flush()?;
    let mut line = String::new();
    std::io::stdin().lock().read_line(&mut line)?;
    let table = match opened {
        Some(table) => table,
        None => open()?,
    };
    for number in 0..next.min(2) {
        let (partition_key, row_key) = rows::keys(number);
        table.delete_entity(&partition_key, &row_key)?;
        writeln!(out, "-{number}")?;
    }
    for number in next..next + MORE {
        // What failed with its outcome unknown is there, perhaps.
        match table.create_entity(rows::entity(number)) {
            Err(error) if number == next && error.code() == ErrorCode::EntityAlreadyExists => {}
            outcome => drop(outcome?),
        }
        writeln!(out, "{number}")?;
    }
    Ok(())
}

fn open(path: &str, max_size: Option<u64>) -> entable::Result<Table> {
    // The clock stands, so that every run writes the same bytes.
    let now = DateTime::from_ticks(rows::TICKS)?;
    let mut options = Options::new().clock(move || now);
    if let Some(bytes) = max_size {
        options = options.max_size(bytes);
    }
    Store::open_with(path, &options)?.create_table_if_not_exists(rows::TABLE)
}
