//! entable beside what one would use instead: raw LMDB with bincode ("the floor"), SQLite, and for reads redb.
//!
//! `bench/README.md` says how to run it, and what its figures mean.

mod employee;
mod films;
mod indexes;
mod measure;
mod memory;
mod ops;
mod peers;
mod report;
mod rows;
mod sparse;

use employee::Employee;
use ops::{LAYOUTS, Layout};
use sparse::Sparse;
use std::fs;
use std::path::{Path, PathBuf};

/// How much is done.
struct Settings {
    rows: u32,
    rounds: u32,
    /// Point reads in a round.
    reads: u32,
    /// Durable inserts, and deletes, in a round.
    writes: u32,
    /// Scans and counts of the whole table in a round.
    repeats: u32,
    peers: Vec<String>,
    /// The operations to measure; `None` for all.
    ops: Option<Vec<String>>,
    show_allocations: bool,
    /// Films in JSON, one a line, for the rows about actors.
    films: Option<PathBuf>,
}

impl Settings {
    fn wants(&self, op: &str) -> bool {
        self.ops.as_ref().is_none_or(|ops| ops.iter().any(|wanted| wanted == op))
    }
}

struct Arguments(Vec<String>);

impl Arguments {
    fn value(&self, name: &str) -> Option<&str> {
        let at = self.0.iter().position(|argument| argument == name)?;
        Some(self.0.get(at + 1).unwrap_or_else(|| panic!("{name} needs a value")))
    }

    fn number(&self, name: &str) -> Option<u32> {
        self.value(name).map(|value| value.parse().unwrap_or_else(|_| panic!("{name} needs a number")))
    }

    fn has(&self, name: &str) -> bool {
        self.0.iter().any(|argument| argument == name)
    }
}

fn main() {
    let arguments = Arguments(std::env::args().skip(1).collect());
    let is_quick = arguments.has("--quick");
    let choose = |full, quick| if is_quick { quick } else { full };
    let names = |text: &str| text.split(',').map(str::to_owned).collect();
    let settings = Settings {
        ops: arguments.value("--ops").map(names),
        rows: arguments.number("--rows").unwrap_or(choose(200_000, 20_000)),
        rounds: arguments.number("--rounds").unwrap_or(choose(5, 3)),
        reads: arguments.number("--reads").unwrap_or(choose(20_000, 5_000)),
        writes: arguments.number("--writes").unwrap_or(choose(240, 30)),
        repeats: arguments.number("--repeats").unwrap_or(1),
        peers: names(arguments.value("--peers").unwrap_or("entable,floor,sqlite,redb")),
        show_allocations: arguments.has("--show-allocations"),
        films: arguments.value("--films").map(PathBuf::from),
    };
    let home = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let wanted: Option<Vec<String>> = arguments.value("--layouts").map(names);
    let layouts = LAYOUTS.iter().filter(|layout| match &wanted {
        Some(wanted) => wanted.iter().any(|name| name == layout.name),
        None => !is_quick || layout.partitions == 100,
    });
    let folder = arguments.value("--dir").map_or(home.join("target/bench-data"), PathBuf::from);
    if let Some(peer) = arguments.value("--heap-of") {
        for layout in layouts {
            println!("{}", heap_of(&settings, layout, peer, &folder));
        }
        return;
    }
    let goals = report::goals(&home.join("goals.json"));
    // For profiles: the stores of the last run are used again.
    let is_kept = arguments.has("--keep");
    let mut lines = Vec::new();
    for layout in layouts {
        // A folder of its own for each: LMDB's maps stay open until the program ends.
        let folder = folder.join(layout.name);
        if folder.exists() && !is_kept {
            fs::remove_dir_all(&folder).expect("the old stores are removed");
        }
        let samples = run(&settings, layout, &folder);
        if !is_kept {
            fs::remove_dir_all(&folder).expect("the stores are removed");
        }
        lines.extend(report::lines(layout.name, &samples, &goals));
        // A smaller run has no results to be kept.
        if !is_quick && settings.ops.is_none() && !arguments.has("--no-results") {
            report::write(&home.join("results.json"), &lines);
        }
    }
    report::print(&lines);
}

fn run(settings: &Settings, layout: &Layout, folder: &Path) -> Vec<measure::Sample> {
    if layout.is_sparse {
        ops::run::<Sparse>(settings, layout, folder)
    } else {
        ops::run::<Employee>(settings, layout, folder)
    }
}

fn heap_of(settings: &Settings, layout: &Layout, peer: &str, folder: &Path) -> u64 {
    if layout.is_sparse {
        ops::heap_of::<Sparse>(settings, layout, peer, folder)
    } else {
        ops::heap_of::<Employee>(settings, layout, peer, folder)
    }
}
