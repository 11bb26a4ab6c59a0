//! Does one thing to a store, in a process of its own: `store_keep VERB PATH [TARGET]`. It prints `done`, or the name
//! of the error's code and its message.
//!
//! Run by `tests/maintenance.rs` and `tests/places.rs`, which kill it, break its calls, and take its rights away.

use entable::{Error, Options, Result, Store, entity};
use std::io::{Read, Write};
use std::path::Path;

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let outcome = match words[..] {
        [_, verb, path] => run(verb, Path::new(path), Path::new("")),
        [_, verb, path, target] => run(verb, Path::new(path), Path::new(target)),
        _ => Err(String::from("store_keep VERB PATH [TARGET]")),
    };
    say(&outcome.map_or_else(|error| error, |()| String::from("done")));
}

fn say(text: &str) {
    // A reader that has gone is no concern of ours.
    let _ = writeln!(std::io::stdout(), "{text}");
}

fn run(verb: &str, path: &Path, target: &Path) -> Result<(), String> {
    let told = |error: Error| format!("{} {error}", error.code().name());
    let open = || Store::open_with(path, &Options::new()).map_err(told);
    match verb {
        "open" => open().map(drop),
        "read" => Store::open_with(path, &Options::new().read_only(true)).and_then(|store| read(&store)).map_err(told),
        "immutable" => {
            Store::open_with(path, &Options::new().immutable(true)).and_then(|store| read(&store)).map_err(told)
        }
        "backup" => open()?.backup(target).map(drop).map_err(told),
        "compact_into" => open()?.compact_into(target).map(drop).map_err(told),
        "compact" => open()?.compact().map(drop).map_err(told),
        // Opens when its input begins, and writes when that ends.
        "hold" => {
            let mut begin = [0];
            std::io::stdin().read_exact(&mut begin).map_err(|error| error.to_string())?;
            let store = open()?;
            say("open");
            std::io::stdin().read_to_end(&mut Vec::new()).map_err(|error| error.to_string())?;
            insert(&store, "held").map_err(told)
        }
        // Opens, writes and closes again and again, as often as the target says.
        "cycle" => {
            let times: u32 = target.to_string_lossy().parse().map_err(|_| String::from("a number"))?;
            (0..times).try_for_each(|number| {
                let store = open()?;
                insert(&store, &format!("cycle-{number:06}")).map_err(told)
            })
        }
        other => Err(format!("no verb {other}")),
    }
}

fn read(store: &Store) -> Result<()> {
    for table in store.list_tables()? {
        for entity in store.table(table.as_str())?.list_entities()? {
            entity?;
        }
    }
    Ok(())
}

fn insert(store: &Store, row_key: &str) -> Result<()> {
    let table = store.create_table_if_not_exists("Held")?;
    table.create_entity(entity! { "p", row_key }).map(drop)
}
