//! Makes the store file anew from the data, and checks that everything arrived.

use crate::arguments::Arguments;
use crate::failure::{Failure, Outcome};
use crate::progress::Progress;
use crate::report::{self, Report, Side, Table};
use crate::{films, places};
use entable::{Entity, Operation, Store};
use std::collections::{BTreeMap, HashMap};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

pub(crate) const FILMS: &str = "Films";
pub(crate) const AIRPORTS: &str = "Airports";
pub(crate) const ZIP_CODES: &str = "ZipCodes";

/// Entities of an entity group transaction, at most: the service's limit.
const GROUP_ENTITIES: usize = 100;
/// Entities of a store-wide batch: its changes are held in memory until it commits.
const BATCH_ENTITIES: usize = 5_000;

/// How a table is filled.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Way {
    /// Entity group transactions, of one partition each: what the service takes, too.
    Groups,
    /// Store-wide batches of any partitions: fewer commits, and each commit waits for the disk.
    Batches,
}

struct Source {
    table: &'static str,
    file: &'static str,
    way: Way,
    read: fn(&[u8]) -> Outcome<Vec<Entity>>,
}

const SOURCES: [Source; 3] = [
    Source { table: FILMS, file: "movies.json", way: Way::Groups, read: films::read },
    Source { table: AIRPORTS, file: "airports.csv", way: Way::Groups, read: places::airports },
    Source { table: ZIP_CODES, file: "zipcodes.csv", way: Way::Batches, read: places::zip_codes },
];

/// Makes the store file anew from the data.
pub(crate) fn run(arguments: &Arguments, report: &mut Report) -> Outcome<()> {
    report.heading("1  Loading three files into one store")?;
    // All files are read before the old store goes: wrong data costs nothing.
    let read = |source: &Source| {
        let path = arguments.data.join(source.file);
        (source.read)(&contents(&path)?).map_err(|failure| failure.at(path.display()))
    };
    let tables = SOURCES.iter().map(read).collect::<Outcome<Vec<_>>>()?;
    remove_store(&arguments.store)?;
    let store = Store::open(&arguments.store)?;
    let mut table = Table::new([
        ("file", Side::Left),
        ("table", Side::Left),
        ("rows in", Side::Right),
        ("rows there", Side::Right),
        ("partitions", Side::Right),
        ("commits", Side::Right),
        ("by", Side::Left),
        ("time", Side::Right),
        ("rows/s", Side::Right),
    ]);
    for (source, entities) in SOURCES.iter().zip(&tables) {
        let loaded = load(&store, source, entities)?;
        check(&store, source.table, entities)?;
        let by = match source.way {
            Way::Groups => "entity groups",
            Way::Batches => "store-wide batches",
        };
        table.row([
            source.file.to_owned(),
            source.table.to_owned(),
            report::count(entities.len()),
            report::count(loaded.rows_there),
            report::count(loaded.partitions),
            report::count(loaded.commits),
            by.to_owned(),
            report::time(loaded.took),
            report::count((entities.len() as f64 / loaded.took.as_secs_f64()).round() as u64),
        ]);
    }
    report.table(&table)?;
    let bytes = fs::metadata(&arguments.store)?.len();
    let total = tables.iter().map(Vec::len).sum::<usize>();
    report.result(format!(
        "{} entities read back and found equal to what was read from the files; {} is {:.1} MiB",
        report::count(total),
        arguments.store.display(),
        bytes as f64 / f64::from(1 << 20),
    ))?;
    let corrected = tables.first().map_or(0, |films| films::corrected_years(films));
    report.line(format!(
        "  {corrected} films have a year from 2015 to 2046 in the file, where somebody read two digits as 20..: they are \
         stored\n  as 1915 to 1946, with the file's year beside in ReleaseYearInFile."
    ))?;
    store.close();
    Ok(())
}

fn contents(path: &Path) -> Outcome<Vec<u8>> {
    fs::read(path).map_err(|error| match error.kind() {
        io::ErrorKind::NotFound => Failure::missing(
            path,
            "`make run` installs it: npm's package vega-datasets, named in examples/films/package.json. \
             --data names another folder.",
        ),
        _ => Failure::from(error).at(path.display()),
    })
}

/// Removes the store file of an earlier run, and the lock file beside it.
pub(crate) fn remove_store(path: &Path) -> Outcome<()> {
    let mut lock = path.as_os_str().to_owned();
    lock.push("-lock");
    for path in [path.to_owned(), PathBuf::from(lock)] {
        match fs::remove_file(&path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                return Err(Failure::from(error).at(path.display()));
            }
            _ => {}
        }
    }
    Ok(())
}

struct Loaded {
    rows_there: usize,
    partitions: usize,
    commits: usize,
    took: Duration,
}

fn load(store: &Store, source: &Source, entities: &[Entity]) -> Outcome<Loaded> {
    let table = store.create_table(source.table)?;
    let mut partitions: BTreeMap<&str, Vec<&Entity>> = BTreeMap::new();
    for entity in entities {
        partitions.entry(entity.partition_key()).or_default().push(entity);
    }
    let chunks: Vec<Vec<&Entity>> = match source.way {
        Way::Groups => partitions.values().flat_map(|rows| rows.chunks(GROUP_ENTITIES)).map(<[_]>::to_vec).collect(),
        Way::Batches => {
            let rows: Vec<&Entity> = partitions.values().flatten().copied().collect();
            rows.chunks(BATCH_ENTITIES).map(<[_]>::to_vec).collect()
        }
    };
    let progress = Progress::start(source.table, entities.len());
    let start = Instant::now();
    for chunk in &chunks {
        let creates = chunk.iter().map(|entity| Operation::create((*entity).clone())).collect::<Result<Vec<_>, _>>()?;
        match source.way {
            Way::Groups => table.submit_transaction(creates)?,
            Way::Batches => store.submit_batch(creates.into_iter().map(|create| (&table, create)))?,
        };
        progress.advance(chunk.len());
    }
    let took = start.elapsed();
    progress.finish();
    let rows_there = table.list_entities()?.try_fold(0, |rows, entity| entity.map(|_| rows + 1))?;
    Ok(Loaded { rows_there, partitions: partitions.len(), commits: chunks.len(), took })
}

/// Reads every entity of a table and compares it with what was handed in: none lost, none changed, none made up.
fn check(store: &Store, table: &str, entities: &[Entity]) -> Outcome<()> {
    let keys = |entity: &Entity| (entity.partition_key().to_owned(), entity.row_key().to_owned());
    let mut expected: HashMap<_, &Entity> = entities.iter().map(|entity| (keys(entity), entity)).collect();
    if expected.len() != entities.len() {
        return Err(Failure::new(format!("{table}: two rows of the file have the same keys")));
    }
    for found in store.table(table)?.list_entities()? {
        let found = found?;
        if expected.remove(&keys(&found)) != Some(&found) {
            return Err(Failure::new(format!("{table}: {:?} is not what was written", keys(&found))));
        }
    }
    match expected.keys().next() {
        Some(lost) => Err(Failure::new(format!("{table}: {} rows are lost, {lost:?} among them", expected.len()))),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use entable::{UpdateMode, entity};

    #[test]
    fn both_ways_store_every_row_and_the_check_finds_what_is_lost_or_changed() {
        let rows: Vec<Entity> = (0..250)
            .map(|n| entity! { if n % 2 == 0 { "even" } else { "odd" }, format!("{n:03}"), "N" => n })
            .collect();
        for (way, commits) in [(Way::Groups, 4), (Way::Batches, 1)] {
            let store = Store::in_memory().unwrap();
            let source = Source { table: "Rows", file: "", way, read: |_| Ok(Vec::new()) };
            let loaded = load(&store, &source, &rows).unwrap();
            assert_eq!((loaded.rows_there, loaded.partitions, loaded.commits), (250, 2, commits), "{way:?}");
            assert!(check(&store, "Rows", &rows).is_ok());
            let table = store.table("Rows").unwrap();
            table.update_entity(entity! { "odd", "001", "N" => 1_i64 }, UpdateMode::Replace).unwrap();
            assert!(check(&store, "Rows", &rows).unwrap_err().to_string().contains("not what was written"));
            table.delete_entity("odd", "001").unwrap();
            assert!(check(&store, "Rows", &rows).unwrap_err().to_string().contains("1 rows are lost"));
        }
    }
}
