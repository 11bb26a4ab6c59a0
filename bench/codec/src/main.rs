//! What the row format costs: shapes, pages, scans and encoding, beside the self-describing form and SQLite.
//!
//! `cargo run --release --manifest-path bench/Cargo.toml -p bench-codec -- movies.json`
//! where `movies.json` is `data/movies.json` of the npm package `vega-datasets` 3.2.1. Names of data sets may follow, to
//! measure these alone.

// The sources of the library themselves, since its codec is not public.
#[allow(dead_code, unused_imports, reason = "the figures need a part of the library")]
#[path = "../../../core/src/codec/mod.rs"]
mod codec;
#[allow(dead_code, unused_imports, reason = "the figures need a part of the library")]
#[path = "../../../core/src/error/mod.rs"]
mod error;
#[allow(dead_code, reason = "the figures need a part of the library")]
#[path = "../../../core/src/limits.rs"]
mod limits;
#[allow(dead_code, unused_imports, unused_macros, reason = "the figures need a part of the library")]
#[path = "../../../core/src/model/mod.rs"]
mod model;
#[allow(unused_imports, reason = "the library's crate root, for its own paths")]
use {
    error::{Class, Error, ErrorCode, Result},
    limits::{Limits, Mode},
    model::{
        Condition, DateTime, ETag, EdmType, Entity, EntityInput, Guid, InputValue, IntoEntity, JsonAddress,
        JsonOptions, Metadata, TableName, UntypedNumber, Value, ValueRef, entity_from_json, entity_to_json,
    },
};

mod data;
mod pages;
mod scan;

use codec::row::{encode, encode_recent};
use codec::shape::{Choice, Shapes};
use data::Rows;
use rustix::time::{ClockId, clock_gettime};
use std::hint::black_box;

const TICKS: i64 = 638_000_000_000_000_000;
const ROUNDS: usize = 9;

/// A data set in both forms.
struct Encoded {
    shapes: Shapes,
    shaped: Vec<Vec<u8>>,
    describing: Vec<Vec<u8>>,
}

fn encode_all(rows: &Rows) -> Encoded {
    let mut encoded = Encoded { shapes: Shapes::default(), shaped: Vec::new(), describing: Vec::new() };
    for (key, properties) in rows {
        let choice = encoded.shapes.choose(properties);
        if let Choice::Shape { id, new_slots } = &choice
            && !new_slots.is_empty()
        {
            encoded.shapes = encoded.shapes.with_slots(*id, new_slots).expect("a shape grows");
        }
        for (choice, to) in [(choice, &mut encoded.shaped), (Choice::SelfDescribing, &mut encoded.describing)] {
            let mut out = Vec::new();
            encode(&encoded.shapes, &choice, key, TICKS, properties, &mut out).expect("a row is encoded");
            to.push(out);
        }
    }
    encoded
}

/// Nanoseconds of this thread's processor time so far: other programs on the machine do not count.
fn processor_ns() -> f64 {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    time.tv_sec as f64 * 1e9 + time.tv_nsec as f64
}

/// The least over the rounds of the nanoseconds that a row takes, for each of several jobs, run in turn: what else
/// happens on the machine only ever adds.
fn measure<const N: usize>(rows: usize, jobs: [&mut dyn FnMut(); N]) -> [f64; N] {
    let mut times: [Vec<f64>; N] = std::array::from_fn(|_| Vec::new());
    let mut jobs = jobs;
    // Small sets are repeated, so that the clock has something to tell.
    let repeats = 40_000_usize.div_ceil(rows);
    for _ in 0..ROUNDS {
        for (job, times) in jobs.iter_mut().zip(&mut times) {
            let start = processor_ns();
            for _ in 0..repeats {
                job();
            }
            times.push((processor_ns() - start) / (rows * repeats) as f64);
        }
    }
    times.map(|times| times.into_iter().fold(f64::INFINITY, f64::min))
}

/// Choosing and encoding, encoding alone, and encoding self-describing. Of few rows, as a writer has just built them.
fn encoding(rows: &Rows, shapes: &Shapes) -> [f64; 3] {
    let rows = &rows[..rows.len().min(1_000)];
    let mut buffers = [Vec::new(), Vec::new(), Vec::new()];
    let [choosing, shaped, describing] = &mut buffers;
    let encode_into = |choice: &Choice, (key, properties): &(Vec<u8>, Vec<_>), out: &mut Vec<u8>| {
        out.clear();
        encode(shapes, choice, key, TICKS, properties, out).expect("a row is encoded");
        black_box(out.as_slice());
    };
    let choices: Vec<Choice> = rows.iter().map(|(_, properties)| shapes.choose(properties)).collect();
    measure(
        rows.len(),
        [
            &mut || {
                rows.iter().for_each(|row| {
                    choosing.clear();
                    if encode_recent(shapes, &row.0, TICKS, &row.1, choosing).expect("a row is encoded").is_none() {
                        encode_into(&shapes.choose(&row.1), row, choosing);
                    }
                    black_box(choosing.as_slice());
                })
            },
            &mut || rows.iter().zip(&choices).for_each(|(row, choice)| encode_into(choice, row, shaped)),
            &mut || rows.iter().for_each(|row| encode_into(&Choice::SelfDescribing, row, describing)),
        ],
    )
}

fn main() {
    let path = std::env::args().nth(1);
    let films = path.and_then(|path| std::fs::read_to_string(path).ok());
    let films = films.map(|text| data::films(&text));
    if films.is_none() {
        println!("No movies.json (name it as the argument): the films are left out.\n");
    }
    println!(
        "| data | rows | shapes | pages of 4 KiB: shape / self-describing / SQLite | to SQLite | to self-d. | \
         walk ns | one term: Place / Row / self-d. | to walk | to self-d. | \
         choosing too / encode / self-d. ns | to self-d. |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|---|---|");
    let wanted: Vec<String> = std::env::args().skip(2).collect();
    for (name, term, rows) in films.into_iter().chain(data::synthetic()) {
        if !wanted.is_empty() && wanted.iter().all(|wanted| wanted != name) {
            continue;
        }
        let encoded = encode_all(&rows);
        // A writer meets grown shapes most of the time.
        let [choosing, alone, describing] = encoding(&rows, &encoded.shapes);
        let folder = tempfile::tempdir().expect("a folder for the files");
        let shaped_file = pages::Lmdb::load(folder.path(), "shaped", &rows, &encoded.shaped);
        let describing_file = pages::Lmdb::load(folder.path(), "describing", &rows, &encoded.describing);
        let (shape_pages, self_pages) = (shaped_file.pages(), describing_file.pages());
        let sqlite_pages = pages::sqlite(folder.path(), &rows);
        let [walk, place, row, self_scan] =
            scan::scan(&shaped_file, &describing_file, &encoded.shapes, term, rows.len());
        println!(
            "| {name} | {} | {} | {shape_pages} / {self_pages} / {sqlite_pages} | {:.2} | {:.2} | {walk:.0} | \
             {place:.0} / {row:.0} / {self_scan:.0} | {:.2} / {:.2} | {:.2} / {:.2} | \
             {choosing:.0} / {alone:.0} / {describing:.0} | {:.2} |",
            rows.len(),
            encoded.shapes.len(),
            shape_pages as f64 / sqlite_pages as f64,
            shape_pages as f64 / self_pages as f64,
            place / walk,
            row / walk,
            place / self_scan,
            row / self_scan,
            choosing / describing,
        );
    }
}
