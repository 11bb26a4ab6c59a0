//! Reads pages for a test in another process: `read_page PATH MODE`, one question in JSON a line, one answer a line.
//!
//! Run by `tests/model.rs`, whose tokens it goes on from.

use entable::{Error, Mode, Options, Page, Query, Store};
use serde_json::{Value, json};
use std::error::Error as Failure;
use std::io::{BufRead, Write};

fn main() -> Result<(), Box<dyn Failure>> {
    let arguments: Vec<String> = std::env::args().collect();
    let [_, path, mode] = &arguments[..] else { return Err("read_page PATH MODE".into()) };
    let store = Store::open_with(path, &Options::new().mode(mode_of(mode)))?;
    let mut out = std::io::stdout().lock();
    for line in std::io::stdin().lock().lines() {
        let answer = match page(&store, &serde_json::from_str(&line?)?) {
            Ok(page) => {
                let rows = page.entities.iter().map(|entity| {
                    json!([entity.partition_key(), entity.row_key(), entity.timestamp().map(entable::DateTime::ticks)])
                });
                let token = page.continuation_token.as_ref().map(ToString::to_string);
                json!({ "rows": rows.collect::<Vec<_>>(), "token": token })
            }
            Err(error) => json!({ "error": error.code().name(), "message": error.to_string() }),
        };
        writeln!(out, "{answer}")?;
        out.flush()?;
    }
    Ok(())
}

fn page(store: &Store, question: &Value) -> Result<Page, Error> {
    let text = |name: &str| question[name].as_str();
    let mut query = text("filter").map_or_else(Query::all, Query::filter);
    query = query.mode(mode_of(text("mode").unwrap_or_default()));
    if let Some(entities) = question["page_size"].as_u64().and_then(|entities| usize::try_from(entities).ok()) {
        query = query.page_size(entities);
    }
    if question["descending"] == true {
        query = query.descending();
    }
    if let Some(token) = text("token") {
        query = query.continue_from(token.parse()?);
    }
    store.table(text("table").unwrap_or_default())?.query_page(query)
}

fn mode_of(name: &str) -> Mode {
    match name {
        "strict" => Mode::Strict,
        "extended" => Mode::Extended,
        _ => Mode::Portable,
    }
}
