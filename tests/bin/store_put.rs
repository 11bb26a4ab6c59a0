//! Inserts rows one by one, each durable when its number is printed: `store_put PATH FIRST COUNT [FEED]`, where
//! FEED is `keys`, `after` or `both` for a table with a change feed that holds so much. In place of one
//! that failed it prints the name of the error's code, and goes on; when three in a row have failed it ends.
//!
//! Run by `tests/writes.rs`, which counts what it writes, and by `crash.rs` and `codes.rs`, which kill it and break
//! its disk.

use entable::{DateTime, Feed, FeedContent, Options, Store};
use entable_tests::rows;
use std::io::Write;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().collect();
    let (path, first, count, content) = match &arguments[..] {
        [_, path, first, count] => (path, first, count, None),
        [_, path, first, count, feed] => (path, first, count, Some(content(feed).ok_or("keys, after or both")?)),
        _ => return Err("store_put PATH FIRST COUNT [FEED]".into()),
    };
    let (first, count): (u32, u32) = (first.parse()?, count.parse()?);
    // The clock stands: Timestamps are last + 1, so the rows of every run are the same.
    let now = DateTime::from_ticks(rows::TICKS)?;
    let store = Store::open_with(path, &Options::new().clock(move || now))?;
    let table = store.create_table_if_not_exists(rows::TABLE)?;
    if let Some(content) = content
        && table.feed().is_err()
    {
        table.set_feed(&Feed::new().content(content))?;
    }
    let mut failures = 0;
    let mut out = std::io::stdout().lock();
    for number in first..first + count {
        match table.create_entity(rows::entity(number)) {
            Ok(_) => writeln!(out, "{number}")?,
            Err(error) => {
                writeln!(out, "{}", error.code().name())?;
                failures += 1;
                if failures == 3 {
                    return Err(error.into());
                }
                continue;
            }
        }
        failures = 0;
    }
    Ok(())
}

fn content(name: &str) -> Option<FeedContent> {
    match name {
        "keys" => Some(FeedContent::Keys),
        "after" => Some(FeedContent::After),
        "both" => Some(FeedContent::BeforeAndAfter),
        _ => None,
    }
}
