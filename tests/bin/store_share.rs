//! Works on a store together with other processes: `store_share PATH PROCESS MILLISECONDS`. Threads merge into counters
//! that all share, insert and delete rows of their own, and look at snapshots. Prints what it did, a name and a number a
//! line; ends with 1, and a sentence, if it saw what must not be.
//!
//! Run by `tests/processes.rs`.

use entable::{DateTime, Entity, ErrorCode, Operation, Store, Table, UpdateMode, entity};
use entable_tests::random::Random;
use entable_tests::steps::told;
use std::collections::BTreeMap;
use std::io::Write;
use std::process::ExitCode;
use std::sync::Mutex;
use std::thread;
use std::time::{Duration, Instant};

const TABLE: &str = "Shared";
/// Counters that everybody raises by one, with the ETag that was read.
const COUNTERS: usize = 4;
/// Rows that are always written together, with one number.
const TWINS: [&str; 3] = ["twin-1", "twin-2", "twin-3"];
/// Rows of an inserting thread; then it deletes its oldest.
const OWN_ROWS: u64 = 20;

type Done = BTreeMap<String, u64>;
type Outcome = Result<Done, String>;

fn main() -> Result<ExitCode, Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().collect();
    let [_, path, process, milliseconds] = &arguments[..] else {
        return Err("store_share PATH PROCESS MILLISECONDS".into());
    };
    let (process, milliseconds): (u64, u64) = (process.parse()?, milliseconds.parse()?);
    let store = Store::open(path)?;
    let table = store.create_table_if_not_exists(TABLE)?;
    let end = Instant::now() + Duration::from_millis(milliseconds);
    let slowest = Mutex::new(Duration::ZERO);
    let shared = Shared { store: &store, table: &table, end, slowest: &slowest };
    let outcomes: Vec<Outcome> = thread::scope(|scope| {
        let threads: Vec<_> = (0..8)
            .map(|thread| {
                let number = process * 8 + thread;
                scope.spawn(move || match thread {
                    0..3 => shared.merge(number),
                    3 | 4 => shared.insert(number),
                    5 => shared.write_twins(number),
                    _ => shared.look(),
                })
            })
            .collect();
        threads.into_iter().map(|thread| thread.join().unwrap_or_else(|_| Err("a thread panicked".into()))).collect()
    });
    let mut done = Done::new();
    for outcome in outcomes {
        match outcome {
            Ok(some) => some.into_iter().for_each(|(name, count)| *done.entry(name).or_default() += count),
            Err(why) => {
                eprintln!("process {process}: {why}");
                return Ok(ExitCode::FAILURE);
            }
        }
    }
    let slowest = slowest.lock().map_err(|_| "a thread panicked")?.as_millis() as u64;
    done.insert("slowest".into(), slowest);
    let mut out = std::io::stdout().lock();
    done.iter().try_for_each(|(name, count)| writeln!(out, "{name} {count}"))?;
    Ok(ExitCode::SUCCESS)
}

#[derive(Clone, Copy)]
struct Shared<'a> {
    store: &'a Store,
    table: &'a Table,
    end: Instant,
    slowest: &'a Mutex<Duration>,
}

impl Shared<'_> {
    fn is_time(&self) -> bool {
        Instant::now() < self.end
    }

    /// Does something and notes how long it took.
    fn timed<T>(&self, work: impl FnOnce() -> entable::Result<T>) -> entable::Result<T> {
        let start = Instant::now();
        let outcome = work();
        if let Ok(mut slowest) = self.slowest.lock() {
            *slowest = (*slowest).max(start.elapsed());
        }
        outcome
    }

    /// Raises counters; whoever was overtaken reads again.
    fn merge(&self, number: u64) -> Outcome {
        let mut random = Random::new(number);
        let mut done = Done::new();
        while self.is_time() {
            let name = format!("counter-{}", random.below(COUNTERS));
            let outcome = self.timed(|| match self.table.get_entity("p", &name) {
                Ok(read) => {
                    let next = read.get("N").and_then(|value| value.as_i64()).unwrap_or(-1) + 1;
                    let changed = entity! { "p", name.as_str(), "N" => next };
                    let etag = read.etag().unwrap_or_else(|| unreachable!("what is read has an ETag"));
                    let written = self.table.update_entity_if(changed, UpdateMode::Merge, etag)?;
                    Ok(Some((read.timestamp(), written.timestamp())))
                }
                Err(error) if error.code() == ErrorCode::ResourceNotFound => {
                    self.table.create_entity(entity! { "p", name.as_str(), "N" => 1_i64 }).map(|_| None)
                }
                Err(error) => Err(error),
            });
            match outcome {
                Ok(Some((before, after))) if before >= Some(after) => {
                    return Err(format!("{name} was written at {after}, after {before:?}"));
                }
                Ok(_) => *done.entry(name).or_default() += 1,
                Err(error) if is_overtaken(error.code()) => *done.entry("overtaken".into()).or_default() += 1,
                Err(error) => return Err(told(&error)),
            }
        }
        Ok(done)
    }

    /// Inserts rows of its own, and deletes the oldest when there are many.
    fn insert(&self, number: u64) -> Outcome {
        let partition_key = format!("own-{number}");
        let mut last = None;
        let mut inserted = 0_u64;
        while self.is_time() {
            let row = entity! { partition_key.as_str(), inserted.to_string(), "Text" => "x".repeat((inserted % 900) as usize) };
            let written = self.timed(|| self.table.create_entity(row)).map_err(|error| told(&error))?;
            if last >= Some(written.timestamp()) {
                return Err(format!("row {inserted} was written at {}, after {last:?}", written.timestamp()));
            }
            last = Some(written.timestamp());
            inserted += 1;
            if let Some(old) = inserted.checked_sub(OWN_ROWS) {
                self.timed(|| self.table.delete_entity(&partition_key, &old.to_string()))
                    .map_err(|error| told(&error))?;
            }
        }
        Ok(Done::from([("inserted".into(), inserted)]))
    }

    /// Writes the twins, all with one number.
    fn write_twins(&self, number: u64) -> Outcome {
        let mut done = 0;
        while self.is_time() {
            let value = (number << 32 | done) as i64;
            let operations: entable::Result<Vec<_>> = TWINS
                .iter()
                .map(|twin| Operation::upsert(entity! { "p", *twin, "N" => value }, UpdateMode::Replace))
                .collect();
            let outcome = operations.and_then(|operations| self.timed(|| self.table.submit_transaction(operations)));
            outcome.map_err(|error| told(&error))?;
            done += 1;
        }
        Ok(Done::from([("groups".into(), done)]))
    }

    /// Looks at one moment after the other: twins are alike, and what is new is later than all that was there.
    fn look(&self) -> Outcome {
        let mut before: BTreeMap<(String, String), DateTime> = BTreeMap::new();
        let mut looks = 0;
        while self.is_time() {
            let rows = self.timed(|| {
                let snapshot = self.store.snapshot()?;
                self.table.at(&snapshot).list_entities()?.collect::<entable::Result<Vec<Entity>>>()
            });
            let rows = rows.map_err(|error| told(&error))?;
            let twins: Vec<_> =
                rows.iter().filter(|row| TWINS.contains(&row.row_key())).map(|row| row.get("N").cloned()).collect();
            if twins.windows(2).any(|pair| pair[0] != pair[1]) || ![0, TWINS.len()].contains(&twins.len()) {
                return Err(format!("half a group: {twins:?}"));
            }
            let latest = before.values().max().copied();
            let mut now = BTreeMap::new();
            for row in rows {
                let key = (row.partition_key().to_owned(), row.row_key().to_owned());
                let Some(timestamp) = row.timestamp() else { return Err("a row without a Timestamp".into()) };
                if before.get(&key) != Some(&timestamp) && latest >= Some(timestamp) {
                    return Err(format!("{key:?} came later, but its Timestamp {timestamp} is before {latest:?}"));
                }
                now.insert(key, timestamp);
            }
            before = now;
            looks += 1;
            // Writers are what there is to see: they need the processor, too.
            thread::sleep(Duration::from_millis(1));
        }
        Ok(Done::from([("looks".into(), looks)]))
    }
}

fn is_overtaken(code: ErrorCode) -> bool {
    matches!(code, ErrorCode::UpdateConditionNotSatisfied | ErrorCode::EntityAlreadyExists)
}
