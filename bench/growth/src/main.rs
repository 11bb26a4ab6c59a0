//! How cost grows: with rows, tables, partitions, the size of rows, properties, shapes, keys, indexes, and with a file that
//! is larger than memory. Beside each curve that of raw LMDB, which grows too.
//!
//! `bench/README.md` says how to run it, and what its figures mean.

mod confined;
mod curves;
mod flights;
mod measure;
mod peers;
mod rows;

use clap::Parser;
use curves::{CURVES, Step};
use measure::{Effort, Figure};
use serde_json::{Value, json};
use std::fs;
use std::path::{Path, PathBuf};

/// How cost grows, in entable and in raw LMDB. Prints a table; a whole run writes bench/growth.json.
#[derive(clap::Parser)]
#[command(version)]
struct Arguments {
    /// The first steps of each curve, two rounds; writes no results
    #[arg(long)]
    quick: bool,
    /// Curves by their names in the table, with commas between [default: all]; writes no results
    #[arg(long, value_delimiter = ',')]
    curves: Option<Vec<String>>,
    /// The file of flights, `flights-3m.parquet` of the package vega-datasets
    #[arg(long)]
    flights: PathBuf,
    /// Rounds, of which medians are taken [default: 5, quick 2]
    #[arg(long)]
    rounds: Option<u32>,
    /// Point reads in a round
    #[arg(long, default_value_t = 20_000)]
    reads: u32,
    /// Where the stores are kept meanwhile [default: bench/target/growth-data]
    #[arg(long)]
    dir: Option<PathBuf>,
    /// Reads of this peer's store alone: how the bench measures them with little memory, in a process of its own
    #[arg(long, hide = true)]
    confined: Option<String>,
    /// Only loads it
    #[arg(long, hide = true)]
    load: bool,
    /// The control group that this process is to enter
    #[arg(long, hide = true)]
    group: Option<PathBuf>,
}

fn main() {
    let arguments = Arguments::parse();
    let home = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let folder = arguments.dir.unwrap_or_else(|| home.join("target/growth-data"));
    if let Some(peer) = &arguments.confined {
        if arguments.load {
            confined::load(peer, &folder, &arguments.flights);
        } else {
            let group = arguments.group.as_deref();
            println!("{}", confined::read(peer, &folder, group, &arguments.flights));
        }
        return;
    }
    let wants = |name: &str| arguments.curves.as_ref().is_none_or(|names| names.iter().any(|wanted| wanted == name));
    let effort =
        Effort { rounds: arguments.rounds.unwrap_or(if arguments.quick { 2 } else { 5 }), reads: arguments.reads };
    let mut lines = Vec::new();
    for curve in CURVES.iter().filter(|curve| wants(curve.name)) {
        eprintln!("{} ({}):", curve.name, curve.about);
        let steps = if arguments.quick { curve.quick_steps } else { curve.steps };
        let mut figures = Vec::new();
        for at in steps {
            // A folder of its own for each: LMDB's maps stay open until the program ends.
            let folder = folder.join(curve.name).join(at.to_string());
            let found = step(&(curve.make)(*at, &arguments.flights), &effort, &folder);
            figures.extend(found.into_iter().map(|figure| (*at, figure)));
        }
        lines.extend(against_first(curve.name, curve.about, steps[0], figures));
    }
    if wants(confined::NAME) && !arguments.quick {
        eprintln!("{} ({}):", confined::NAME, confined::ABOUT);
        match confined::measure(&folder, &arguments.flights) {
            Ok(figures) => {
                lines.extend(against_first(confined::NAME, confined::ABOUT, confined::STEPS[0], figures));
            }
            Err(why) => eprintln!("  not measured: {why}"),
        }
    }
    if folder.exists() {
        fs::remove_dir_all(&folder).expect("the folder is removed");
    }
    print(&lines);
    if !arguments.quick && arguments.curves.is_none() {
        let rows: Vec<String> = lines.iter().map(|line| format!("  {line}")).collect();
        fs::write(home.join("growth.json"), format!("[\n{}\n]\n", rows.join(",\n"))).expect("the results are written");
    }
}

fn step(step: &Step, effort: &Effort, folder: &Path) -> Vec<Figure> {
    let figures = measure::measure(step, effort, folder);
    fs::remove_dir_all(folder).expect("the stores are removed");
    let told =
        figures.iter().map(|figure| format!("{} {} {:.2} {}", figure.peer, figure.op, figure.median, figure.unit));
    eprintln!("  {}: {}", step.at, told.collect::<Vec<_>>().join(", "));
    figures
}

/// A line for each step and operation: both peers' figures, each one's growth since the first step, and entable's growth
/// as a multiple of the floor's.
fn against_first(curve: &str, about: &str, first: u64, figures: Vec<(u64, Figure)>) -> Vec<Value> {
    let find = |at: u64, op: &str, peer: &str| {
        let found = figures.iter().find(|(step, figure)| *step == at && figure.op == op && figure.peer == peer);
        found.map(|(_, figure)| figure.median).expect("a figure of each peer")
    };
    let rounded = |figure: f64| (figure * 1000.0).round() / 1000.0;
    let ours = figures.iter().filter(|(_, figure)| figure.peer == "entable");
    ours.map(|(at, figure)| {
        let growth = |peer: &str| find(*at, figure.op, peer) / find(first, figure.op, peer);
        json!({
            "curve": curve, "about": about, "at": at, "op": figure.op, "unit": figure.unit,
            "entable": rounded(figure.median), "floor": rounded(find(*at, figure.op, "floor")),
            "entable_growth": rounded(growth("entable")), "floor_growth": rounded(growth("floor")),
            "relative_growth": rounded(growth("entable") / growth("floor")),
        })
    })
    .collect()
}

/// Prints the lines as a Markdown table.
fn print(lines: &[Value]) {
    println!("| curve | at | op | entable | floor | growth | the floor's | relative |");
    println!("|---|---|---|---|---|---|---|---|");
    for line in lines {
        let number = |name: &str| format!("{:.2}", line[name].as_f64().expect("a number"));
        let text = |name: &str| line[name].as_str().expect("a text");
        println!(
            "| {} | {} | {} | {} {} | {} | {} | {} | {} |",
            text("curve"),
            line["at"],
            text("op"),
            number("entable"),
            text("unit"),
            number("floor"),
            number("entable_growth"),
            number("floor_growth"),
            number("relative_growth")
        );
    }
}
