//! Castings of films, one row each: all of an actor by an index, and by looking at every row.

use crate::indexes::{SCAN, answered, beside};
use crate::measure::Sample;
use crate::peers::ENTABLE;
use entable::{Index, Operation, Query, Store, entity};
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Command;

/// Actors that a round asks for.
const ACTORS: usize = 100;

pub(crate) fn castings(films: &Path, folder: &Path, rounds: u32) -> Sample {
    let text = if films.extension().is_some_and(|extension| extension == "gz") {
        let output = Command::new("gzip").arg("-dc").arg(films).output().expect("gzip runs");
        String::from_utf8(output.stdout).expect("films in UTF-8")
    } else {
        fs::read_to_string(films).expect("the films")
    };
    fs::create_dir_all(folder).expect("a folder");
    let store = Store::open(folder.join("castings.ent")).expect("a store");
    let table = store.create_table("Castings").expect("a table");
    let (mut batch, mut actors) = (Vec::new(), BTreeMap::<String, u32>::new());
    let (mut films, mut castings) = (0_u32, 0_u32);
    for line in text.lines() {
        let film: Value = serde_json::from_str(line).expect("a film in JSON");
        films += 1;
        let of_film = |name: &str| film[name].as_str().unwrap_or_default().to_owned();
        for (place, actor) in film["cast"].as_array().into_iter().flatten().enumerate() {
            let actor = actor.as_str().unwrap_or_default();
            *actors.entry(actor.to_owned()).or_default() += 1;
            castings += 1;
            let row = entity! {
                format!("{films:06}"), format!("{place:04}"),
                "Title" => of_film("title"), "Year" => film["year"].as_i64().unwrap_or_default() as i32, "Actor" => actor,
            };
            batch.push((&table, Operation::create(row).expect("an operation")));
        }
        if batch.len() > 10_000 {
            store.submit_batch(std::mem::take(&mut batch)).expect("a batch");
        }
    }
    store.submit_batch(batch).expect("a batch");
    table.create_index(Index::new("ByActor").properties(["Actor"])).expect("an index");
    eprintln!("  {films} films, {castings} castings, {} actors", actors.len());
    // Evenly out of all, in the order of their names.
    let names: Vec<&String> = actors.keys().collect();
    let every = names.len() / ACTORS;
    let query = |at: usize| Query::filter("Actor eq @actor").parameter("actor", names[at * every].as_str());
    let asked = || (0..ACTORS).map(query);
    beside(
        ("castings of an actor", "us", 1e6 / ACTORS as f64),
        rounds,
        (ENTABLE, &|_| asked().map(|query| answered(&table, query)).sum()),
        (SCAN, &|_| asked().map(|query| answered(&table, query.by_keys())).sum()),
    )
}
