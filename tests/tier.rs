//! How much a test does: little in `make test`, much in `make check-release`.

use std::fmt::Display;
use std::str::FromStr;
use std::time::Duration;

/// Whether this is the long tier: `ENTABLE_LONG=1`.
pub fn is_long() -> bool {
    std::env::var("ENTABLE_LONG").is_ok_and(|long| long == "1")
}

/// How many of something a test does. `ENTABLE_COUNT` says it outright. The test prints what it did.
pub fn count(short: usize, long: usize) -> usize {
    variable("ENTABLE_COUNT").unwrap_or(if is_long() { long } else { short })
}

/// How long a test goes on. `ENTABLE_SECONDS` says it outright.
pub fn duration(short_seconds: u64, long_seconds: u64) -> Duration {
    Duration::from_secs(variable("ENTABLE_SECONDS").unwrap_or(if is_long() { long_seconds } else { short_seconds }))
}

/// Where chance begins: the same in each short run, another in each long one, and what `ENTABLE_SEED` says. Printed,
/// so that a run that failed can be run again.
pub fn seed() -> u64 {
    let now = || std::time::SystemTime::UNIX_EPOCH.elapsed().map_or(1, |since| since.as_secs());
    let seed = variable("ENTABLE_SEED").unwrap_or_else(|| if is_long() { now() } else { 1 });
    announce(format_args!("ENTABLE_SEED={seed}"));
    seed
}

fn variable<T: FromStr>(name: &str) -> Option<T> {
    std::env::var(name).ok()?.parse().ok()
}

/// Says something in the output of a test.
#[expect(clippy::print_stdout, reason = "what a test did is told in its output")]
pub fn announce(what: impl Display) {
    println!("{what}");
}
