//! Castings of films, one row each: all of an actor by an index, and by looking at every row.

use crate::indexes::{answered, beside};
use crate::measure::Sample;
use crate::peers::ENTABLE;
use entable::{Index, Operation, Query, Store, entity};
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Command;

/// Actors that a round asks for by the index; one of them by looking at every row.
const ACTORS: u32 = 100;

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
    // The busiest, so that as much as there may be is fetched.
    let mut busiest: Vec<(&String, &u32)> = actors.iter().collect();
    busiest.sort_by_key(|(name, count)| (std::cmp::Reverse(**count), *name));
    let actor = |at: u32| busiest[at as usize % busiest.len()].0.as_str();
    let query = |at: u32| Query::filter("Actor eq @actor").parameter("actor", actor(at));
    // What is compared is one actor: by the index many times, for it is too quick to be timed once.
    let sample = beside(
        ("castings of an actor", "us", 1e6),
        rounds,
        (ENTABLE, &|round| (0..ACTORS).map(|_| answered(&table, query(round * 7))).sum::<u64>() / u64::from(ACTORS)),
        ("scan", &|round| answered(&table, query(round * 7).by_keys())),
    );
    let peers = sample.peers.into_iter().map(|(name, figures)| {
        let times = if name == ENTABLE { f64::from(ACTORS) } else { 1.0 };
        (name, figures.into_iter().map(|figure| figure / times).collect())
    });
    Sample { op: sample.op, unit: sample.unit, peers: peers.collect() }
}
