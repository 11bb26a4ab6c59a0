//! The comparison of the literature: the films of a director, found in every way there is, and what each way costs.

use crate::failure::{Failure, Outcome};
use crate::load::{self, FILMS};
use crate::report::{self, Report, Side, Table as Shown};
use entable::index::Projection;
use entable::patterns::{Changes, Field, IndexEntities, IndexTable, Lookup, SecondaryIndex};
use entable::{Entity, Index, Store, Table, Value, keys};
use plotters::prelude::*;
use std::path::Path;
use std::time::{Duration, Instant};

const DIRECTOR: &str = "Steven Spielberg";
/// Films that are written one by one, each with a commit that waits for the disk.
const WRITES: usize = 40;
const READS: usize = 25;
const BESIDE: &str = "Beside";
/// The director and the film's number: what a copy's key is made of, unique as the literature wants it.
const KEY: &str = "DirectorKey";

/// A way to the films of a director.
struct Way {
    name: &'static str,
    about: &'static str,
    kind: Kind,
}

enum Kind {
    /// A filter on the films.
    Filter(fn(&Entity) -> String),
    Declared(Projection),
    Table(IndexTable),
    Lists(IndexEntities),
    Copies(SecondaryIndex),
}

/// What a way came to.
struct Measured {
    name: &'static str,
    about: &'static str,
    found: usize,
    rows_read: u64,
    took: Duration,
    /// Of the file, beyond that of the films alone.
    bytes: u64,
    entities_written: usize,
    write: Duration,
}

fn ways() -> Vec<Way> {
    let director = || [Field::new("Director").safe()];
    let table = |index: IndexTable| Kind::Table(index.by_both_keys());
    let few = ["Title", "ReleaseDate"];
    let way = |name, about, kind| Way { name, about, kind };
    vec![
        way("table scan", "no key is named", Kind::Filter(|_| format!("Director eq '{DIRECTOR}'"))),
        way(
            "partition scan",
            "of one genre",
            Kind::Filter(|film| format!("PartitionKey eq '{}' and Director eq '{DIRECTOR}'", film.partition_key())),
        ),
        way(
            "range",
            "of 100 keys of one genre",
            Kind::Filter(|film| {
                let hundred = film.row_key().get(..3).unwrap_or_default();
                format!(
                    "PartitionKey eq '{}' and RowKey ge '{hundred}00' and RowKey le '{hundred}99' and Director eq \
                     '{DIRECTOR}'",
                    film.partition_key()
                )
            }),
        ),
        way(
            "point",
            "one film",
            Kind::Filter(|film| {
                format!("PartitionKey eq '{}' and RowKey eq '{}'", film.partition_key(), film.row_key())
            }),
        ),
        way("declared index", "keys alone", Kind::Declared(Projection::Keys)),
        way("covering index", "holds the row", Kind::Declared(Projection::All)),
        way("index table, full", "S9.5", table(IndexTable::full(FILMS, BESIDE, director()))),
        way("index table, normalized", "S9.6, then get_many", table(IndexTable::normalized(FILMS, BESIDE, director()))),
        way("index table, partial", "S9.7: title and date", table(IndexTable::partial(FILMS, BESIDE, director(), few))),
        way(
            "index entities",
            "S9.4, a list in each genre",
            Kind::Lists(IndexEntities::new(FILMS, "director_", director())),
        ),
        way(
            "secondary copies",
            "S9.1, a range in each genre",
            Kind::Copies(SecondaryIndex::new(FILMS, "director_", Field::new(KEY).safe())),
        ),
    ]
}

/// Measures every way on a store file of its own beside the films', shows the table, and draws the plot.
pub(crate) fn show(store: &Store, beside: &Path, report: &mut Report) -> Outcome<()> {
    report.heading("10  The films of a director, in every way that the literature knows")?;
    let films = numbered(store.table(FILMS)?)?;
    let path = beside.with_extension("ways.ent");
    let mut measured: Vec<Measured> = Vec::new();
    let mut plain_bytes = 0;
    for way in ways() {
        let one = measure(&way, &films, &path)?;
        if measured.is_empty() {
            plain_bytes = one.bytes;
        }
        measured.push(Measured { bytes: one.bytes.saturating_sub(plain_bytes), ..one });
    }
    let scan = measured.first().map(|scan| scan.took).unwrap_or_default();
    let mut table = Shown::new([
        ("way", Side::Left),
        ("found", Side::Right),
        ("read", Side::Right),
        ("time", Side::Right),
        ("to the scan", Side::Right),
        ("KiB more", Side::Right),
        ("entities/write", Side::Right),
        ("time/write", Side::Right),
        ("", Side::Left),
    ]);
    for way in &measured {
        table.row([
            way.name.to_owned(),
            report::count(way.found),
            report::count(way.rows_read),
            report::time(way.took),
            format!("{:.1}x", scan.as_secs_f64() / way.took.as_secs_f64()),
            report::count(way.bytes / 1024),
            report::count(way.entities_written),
            report::time(way.write),
            way.about.to_owned(),
        ]);
    }
    report.table(&table)?;
    let plot = beside.with_extension("ways.svg");
    draw(&measured, &plot).map_err(|error| Failure::new(format!("{}: {error}", plot.display())))?;
    report.line(format!(
        "  {} films. Read are rows and entries; time is the median of {READS} readings, time/write that of {WRITES} films written one by one with a \
         commit each.\n  The second to fourth way find less: they name keys. The plot is {}.",
        report::count(films.len()),
        plot.display()
    ))?;
    check(&measured)?;
    report.result("every way finds the same films; a declared index costs no entity, and no code")
}

/// The ways that ask for a director must agree with the scan.
fn check(measured: &[Measured]) -> Outcome<()> {
    let all = measured.first().map(|scan| scan.found);
    let wrong = measured.iter().skip(4).find(|way| Some(way.found) != all);
    match wrong {
        Some(way) => Err(Failure::new(format!("{} finds {} films, the scan {all:?}", way.name, way.found))),
        None => Ok(()),
    }
}

/// The films that have a director, under numbers: lists of ids have commas between them, and so have titles.
fn numbered(table: Table) -> Outcome<Vec<Entity>> {
    let mut films = Vec::new();
    for film in table.list_entities()? {
        let film = film?;
        let Some(director) = film.get("Director").and_then(Value::as_str) else { continue };
        let id = keys::padded(films.len() as u64, 5)?;
        let mut numbered = Entity::new(film.partition_key(), id.as_str());
        film.properties().for_each(|(name, value)| drop(numbered.insert(name, value.clone())));
        numbered.insert(KEY, format!("{director}_{id}"));
        films.push(numbered);
    }
    Ok(films)
}

/// What is to be written for a new film; `read` reads the lists that there are.
fn changes(
    kind: &Kind,
    film: &Entity,
    read: impl FnMut(&Lookup) -> entable::Result<Vec<Entity>>,
) -> entable::Result<Option<Changes>> {
    match kind {
        Kind::Filter(_) | Kind::Declared(_) => Ok(None),
        Kind::Table(pattern) => pattern.changes(None, Some(film)).map(Some),
        Kind::Copies(pattern) => pattern.changes(None, Some(film)).map(Some),
        Kind::Lists(pattern) => {
            let lists = pattern.reads(None, Some(film))?.iter().map(read).collect::<entable::Result<Vec<_>>>()?;
            pattern.changes(None, Some(film), &lists.concat()).map(Some)
        }
    }
}

/// Writes films with what belongs to them in one transaction; how many entities one of them is, at most.
fn write(way: &Way, store: &Store, films: &[Entity]) -> entable::Result<usize> {
    store.transaction(|transaction| {
        let rows = transaction.table(FILMS)?;
        let mut most = 0;
        for film in films {
            let read = |lookup: &Lookup| transaction.table(lookup.table())?.query_entities(lookup)?.collect();
            let Some(changes) = changes(&way.kind, film, read)? else {
                rows.create_entity(film.clone())?;
                most = most.max(1);
                continue;
            };
            let mut count = 0;
            for step in changes.steps() {
                let table = transaction.table(step.table())?;
                for operation in step.operations()? {
                    table.apply(&operation)?;
                    count += 1;
                }
            }
            most = most.max(count);
        }
        Ok(most)
    })
}

fn measure(way: &Way, films: &[Entity], path: &Path) -> Outcome<Measured> {
    load::remove_store(path)?;
    let store = Store::open(path)?;
    let (table, beside) = (store.create_table(FILMS)?, store.create_table(BESIDE)?);
    if let Kind::Declared(projection) = &way.kind {
        table.create_index(Index::new("ByDirector").properties(["Director"]).projection(projection.clone()))?;
    }
    // Most are loaded at once; the last ones are written one by one, as a program would.
    let (many, last) = films.split_at(films.len().saturating_sub(WRITES));
    write(way, &store, many)?;
    let (mut writes, mut entities_written) = (Vec::new(), 0);
    for film in last {
        let start = Instant::now();
        entities_written = entities_written.max(write(way, &store, std::slice::from_ref(film))?);
        writes.push(start.elapsed());
    }
    let bytes = store.stats()?.databases.iter().map(|database| database.bytes).sum();
    let is_wanted = |film: &&Entity| film.get("Director").and_then(Value::as_str) == Some(DIRECTOR);
    let sample = films.iter().find(is_wanted).ok_or_else(|| Failure::new(format!("no film of {DIRECTOR}")))?;
    let (mut reads, mut found, mut rows_read) = (Vec::new(), 0, 0);
    for _ in 0..READS {
        let start = Instant::now();
        (found, rows_read) = read(way, &table, &beside, sample)?;
        reads.push(start.elapsed());
    }
    if let Kind::Filter(_) | Kind::Declared(_) = &way.kind {
        let explain = table.explain(filter(way, sample))?;
        rows_read = explain.rows_read() + explain.entries_read();
    }
    store.close();
    load::remove_store(path)?;
    Ok(Measured {
        name: way.name,
        about: way.about,
        found,
        rows_read,
        took: median(reads),
        bytes,
        entities_written,
        write: median(writes),
    })
}

fn filter(way: &Way, sample: &Entity) -> String {
    match &way.kind {
        Kind::Filter(filter) => filter(sample),
        _ => format!("Director eq '{DIRECTOR}'"),
    }
}

/// The films found, and the entities that were read for them.
fn read(way: &Way, table: &Table, beside: &Table, sample: &Entity) -> Outcome<(usize, u64)> {
    let ask = |table: &Table, lookup: &Lookup| table.query_entities(lookup)?.collect::<entable::Result<Vec<_>>>();
    let fetch = |keys: Vec<(String, String)>| -> entable::Result<usize> {
        Ok(table.get_many(keys)?.into_iter().flatten().count())
    };
    let genres = || table.partition_keys().collect::<entable::Result<Vec<_>>>();
    Ok(match &way.kind {
        Kind::Filter(_) | Kind::Declared(_) => {
            let found = table.query_entities(filter(way, sample))?.collect::<entable::Result<Vec<_>>>()?;
            (found.len(), 0)
        }
        Kind::Table(pattern) => {
            let entries = ask(beside, &pattern.find([DIRECTOR])?)?;
            if way.name.ends_with("normalized") {
                let found = fetch(pattern.rows(&entries)?)?;
                (found, (entries.len() + found) as u64)
            } else {
                (entries.len(), entries.len() as u64)
            }
        }
        Kind::Lists(pattern) => {
            let (mut found, mut rows_read) = (0, 0);
            for genre in genres()? {
                let lists = ask(table, &pattern.find(&genre, [DIRECTOR])?)?;
                let rows = fetch(pattern.rows(&genre, &lists))?;
                (found, rows_read) = (found + rows, rows_read + lists.len() + rows);
            }
            (found, rows_read as u64)
        }
        Kind::Copies(pattern) => {
            let mut found = 0;
            for genre in genres()? {
                found += ask(table, &pattern.starting_with(&genre, &format!("{DIRECTOR}_"))?)?.len();
            }
            (found, found as u64)
        }
    })
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort_unstable();
    times.get(times.len() / 2).copied().unwrap_or_default()
}

/// Bars of the reading times, on a scale of powers of ten.
fn draw(measured: &[Measured], path: &Path) -> Result<(), Box<dyn std::error::Error>> {
    let micros = |way: &Measured| way.took.as_secs_f64() * 1e6;
    let most = measured.iter().map(micros).fold(10.0, f64::max) * 2.0;
    let height = u32::try_from(measured.len())? * 34 + 110;
    let area = SVGBackend::new(path, (900, height)).into_drawing_area();
    area.fill(&WHITE)?;
    let rows = measured.len();
    let mut chart = ChartBuilder::on(&area)
        .caption(format!("The films of {DIRECTOR}: microseconds to read them"), ("sans-serif", 18))
        .margin(12)
        .x_label_area_size(34)
        .y_label_area_size(190)
        .build_cartesian_2d((1.0..most).log_scale(), 0.0..rows as f64)?;
    let name = |at: &f64| {
        let at = rows as f64 - at - 0.5;
        let way = (at.fract().abs() < 0.01).then(|| measured.get(at.round() as usize)).flatten();
        way.map(|way| way.name.to_owned()).unwrap_or_default()
    };
    chart.configure_mesh().disable_y_mesh().y_labels(2 * rows + 1).y_label_formatter(&name).x_desc("µs").draw()?;
    chart.draw_series(measured.iter().enumerate().map(|(number, way)| {
        let top = (rows - number) as f64;
        let colour = if number < 4 { RGBColor(150, 150, 150) } else { RGBColor(40, 110, 180) };
        Rectangle::new([(1.0, top - 0.85), (micros(way).max(1.0), top - 0.15)], colour.filled())
    }))?;
    area.present()?;
    Ok(())
}
