//! Random operations on a store and on a plain model of it, which shares no code with it: both must always agree.
//!
//! `ENTABLE_SEED` runs one seed; `ENTABLE_LONG=1` runs ten million operations.

#[path = "model/addition.rs"]
mod addition;
#[path = "model/feeds.rs"]
mod feeds;
#[path = "model/filter.rs"]
mod filter;
#[path = "model/indexes.rs"]
mod indexes;
#[path = "model/other.rs"]
mod other;
#[path = "model/paging.rs"]
mod paging;
#[path = "model/reads.rs"]
mod reads;
#[path = "model/relations.rs"]
mod relations;
#[path = "model/row.rs"]
mod row;
#[path = "model/run.rs"]
mod run;
#[path = "model/tables.rs"]
mod tables;
#[path = "model/tally.rs"]
mod tally;
#[path = "model/transactions.rs"]
mod transactions;
#[path = "model/value.rs"]
mod value;
#[path = "model/world.rs"]
mod world;
#[path = "model/writes.rs"]
mod writes;

use entable::Mode;
use run::Run;
use std::sync::Mutex;
use tally::Tally;

/// A run is one seed's operations. Many short ones meet more beginnings than few long ones.
const OPERATIONS: usize = 12_500;

#[test]
fn the_store_does_what_a_plain_model_does() {
    let is_long = std::env::var("ENTABLE_LONG").is_ok_and(|long| long == "1");
    let runs = if is_long { 800 } else { 8 };
    if let Ok(seed) = std::env::var("ENTABLE_SEED") {
        let seed = seed.parse().expect("ENTABLE_SEED is a number");
        println!("{}", run(seed).text());
        return;
    }
    // Every seed is a run of its own, so it does not matter which thread takes it.
    let (seeds, tally) = (Mutex::new(1..=runs), Mutex::new(Tally::default()));
    let threads = std::thread::available_parallelism().map_or(1, usize::from).min(4);
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                loop {
                    let Some(seed) = seeds.lock().expect("no thread panics with it").next() else { break };
                    println!("seed {seed}: {OPERATIONS} operations");
                    let done = run(seed);
                    tally.lock().expect("no thread panics with it").add(done);
                }
            });
        }
    });
    let tally = tally.into_inner().expect("no thread panics with it");
    println!("{}", tally.text());
    tally.check(runs as usize * OPERATIONS);
}

fn run(seed: u64) -> Tally {
    let mode = [Mode::Portable, Mode::Extended, Mode::Portable, Mode::Strict][(seed % 4) as usize];
    let mut run = Run::new(seed, mode);
    for _ in 0..OPERATIONS {
        run.step();
    }
    run.reopen();
    run.compare_all();
    std::mem::take(&mut run.tally)
}
