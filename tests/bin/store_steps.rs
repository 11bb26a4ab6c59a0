//! Does the steps of streams, each in a thread of its own: `store_steps PATH ACKS STEPS STREAM:FIRST…`. After a step is
//! acknowledged it says so in the file ACKS. It ends when each stream has done that many steps more, or at the first
//! error, which it prints. `compact:COUNT` in place of a stream compacts the store so often meanwhile.
//!
//! Run by `tests/crash.rs`, which kills it, and by `powercut.rs`, which records what it writes.

use entable::{DateTime, ErrorCode, Options, Store};
use entable_tests::acks::Acks;
use entable_tests::rows;
use entable_tests::steps::{Stream, make_tables, told};
use std::path::Path;
use std::process::ExitCode;
use std::thread;

fn main() -> Result<ExitCode, Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().collect();
    let [_, path, acks, steps, streams @ ..] = &arguments[..] else {
        return Err("store_steps PATH ACKS STEPS STREAM:FIRST…".into());
    };
    let steps: u64 = steps.parse()?;
    let acks = Acks::open(Path::new(acks))?;
    // The clock stands, so that runs are alike.
    let now = DateTime::from_ticks(rows::TICKS)?;
    let store = Store::open_with(path, &Options::new().clock(move || now))?;
    make_tables(&store)?;
    let failures = thread::scope(|scope| {
        let threads: Vec<_> = streams
            .iter()
            .filter_map(|stream| {
                let (number, first) = stream.split_once(':')?;
                if number == "compact" {
                    let (store, count) = (&store, first.parse().ok()?);
                    return Some(scope.spawn(move || compact(store, count)));
                }
                let (stream, first): (_, u64) = (Stream::new(number.parse().ok()?), first.parse().ok()?);
                let (store, acks) = (&store, &acks);
                Some(scope.spawn(move || {
                    (first..first.saturating_add(steps)).try_for_each(|step| {
                        stream.perform(store, step).map_err(|error| format!("step {step}: {}", told(&error)))?;
                        acks.put(stream.number, step + 1).map_err(|error| error.to_string())
                    })
                }))
            })
            .collect();
        threads.into_iter().filter_map(|thread| thread.join().unwrap_or_else(|_| Err("panic".into())).err()).collect()
    });
    let failures: Vec<String> = failures;
    for failure in &failures {
        eprintln!("{failure}");
    }
    Ok(if failures.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Compacts the store so often, where nobody else has it open.
fn compact(store: &Store, count: u64) -> Result<(), String> {
    (0..count).try_for_each(|_| match store.compact() {
        Err(error) if error.code() != ErrorCode::StoreBusy => Err(format!("compacting: {}", told(&error))),
        _ => Ok(()),
    })
}
