//! Does the steps of a stream though its calls fail: `store_persist PATH ACKS STEPS STREAM`. A step that fails is looked
//! at, and then tried again, at first through the same handle, twice, and then through a new one. Halfway, and at the end, the
//! store is compacted, closed and opened again. Prints the name of each error's code; ends with 1, and a sentence, if an error is not what it says.
//!
//! Run by `tests/failing.rs`, which lets the calls fail.

use entable::{DateTime, Error, ErrorCode, Options, Store};
use entable_tests::acks::Acks;
use entable_tests::rows;
use entable_tests::steps::{Followed, Held, make_tables, told};
use std::io::Write;
use std::path::Path;
use std::process::ExitCode;

/// Tries of one step, or of opening, until it is given up.
const TRIES: usize = 4;

/// Why a run ended early.
enum End {
    /// Nothing works any more, and each error said so.
    GivenUp,
    /// An error, or the lack of one, was wrong.
    Wrong(String),
}

struct Run {
    path: String,
    acks: Acks,
    followed: Followed,
}

fn main() -> Result<ExitCode, Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().collect();
    let [_, path, acks, steps, stream] = &arguments[..] else {
        return Err("store_persist PATH ACKS STEPS STREAM".into());
    };
    let steps: u64 = steps.parse()?;
    let mut run =
        Run { path: path.clone(), acks: Acks::open(Path::new(acks))?, followed: Followed::new(stream.parse()?) };
    let ended = run.live(steps / 2).and_then(|()| run.live(steps));
    Ok(match ended {
        Ok(()) | Err(End::GivenUp) => ExitCode::SUCCESS,
        Err(End::Wrong(why)) => {
            eprintln!("{why}");
            ExitCode::FAILURE
        }
    })
}

impl Run {
    /// Opens the store, does steps until so many are done, and closes it.
    fn live(&mut self, until: u64) -> Result<(), End> {
        let mut store = self.open()?;
        while self.followed.steps < until {
            self.step(&mut store)?;
        }
        if let Err(error) = store.compact() {
            say("compact", &error)?;
        }
        // A store that could not be opened again is closed, and says so.
        match self.followed.held(&store) {
            Ok(Held::Steps) | Err(_) => {}
            Ok(Held::AndNext) => return Err(End::Wrong("compacting did a step".into())),
            Ok(Held::Neither(difference)) => return Err(End::Wrong(format!("after compacting: {difference}"))),
        }
        store.close();
        Ok(())
    }

    fn open(&self) -> Result<Store, End> {
        for _ in 0..TRIES {
            // The clock stands, so that runs are alike.
            let now = DateTime::from_ticks(rows::TICKS).map_err(|error| End::Wrong(told(&error)))?;
            let opened = Store::open_with(&self.path, &Options::new().clock(move || now))
                .and_then(|store| make_tables(&store).map(|()| store));
            match opened {
                Ok(store) => return Ok(store),
                Err(error) => say("open", &error)?,
            }
        }
        Err(End::GivenUp)
    }

    fn step(&mut self, store: &mut Store) -> Result<(), End> {
        for tries in 0..TRIES {
            let step = self.followed.steps;
            let Err(error) = self.followed.stream.perform(store, step) else {
                return self.acknowledge();
            };
            say(&format!("step {step}"), &error)?;
            // A failure that is over is no reason to open anything anew.
            if tries >= 2 {
                store.close();
                *store = self.open()?;
            }
            let held = (0..TRIES).find_map(|_| self.followed.held(store).ok());
            match held {
                // It cannot be read, either: the step's error stands.
                None => {}
                Some(Held::Steps) => {}
                Some(Held::AndNext) if error.code() == ErrorCode::OutcomeUnknown => return self.acknowledge(),
                Some(Held::AndNext) => return Err(End::Wrong(format!("step {step} is done, but: {}", told(&error)))),
                Some(Held::Neither(difference)) => {
                    return Err(End::Wrong(format!("after {}: {difference}", told(&error))));
                }
            }
        }
        Err(End::GivenUp)
    }

    fn acknowledge(&mut self) -> Result<(), End> {
        self.followed.advance();
        let said = self.acks.put(self.followed.stream.number, self.followed.steps);
        said.map_err(|error| End::Wrong(error.to_string()))
    }
}

/// Prints an error. Only those that tell the caller what to think are right.
fn say(what: &str, error: &Error) -> Result<(), End> {
    let _ = writeln!(std::io::stdout(), "{}", error.code().name());
    match error.code() {
        ErrorCode::StoreFull | ErrorCode::Io | ErrorCode::OutcomeUnknown | ErrorCode::LockFileUnavailable => Ok(()),
        _ => Err(End::Wrong(format!("{what}: {}, caused by {:?}", told(error), std::error::Error::source(error)))),
    }
}
