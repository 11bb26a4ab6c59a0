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

use clap::Parser;
use employee::Employee;
use ops::{LAYOUTS, Layout};
use peers::PEERS;
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

/// entable beside raw LMDB with bincode, SQLite and redb. Prints a table; a whole run of all operations writes
/// bench/results.json. bench/README.md says what is measured.
#[derive(clap::Parser)]
#[command(version)]
struct Arguments {
    /// 20,000 rows in one layout of each kind: under a minute; writes no results
    #[arg(long)]
    quick: bool,
    /// Layouts, with commas between [default: all]
    #[arg(long, value_delimiter = ',', value_parser = LAYOUTS.each_ref().map(|layout| layout.name))]
    layouts: Option<Vec<String>>,
    /// Operations by their names in the table, with commas between [default: all]; writes no results
    #[arg(long, value_delimiter = ',')]
    ops: Option<Vec<String>>,
    /// Peers, with commas between
    #[arg(long, value_delimiter = ',', default_values = PEERS, value_parser = PEERS)]
    peers: Vec<String>,
    /// Rows in a store [default: 200000, quick 20000]
    #[arg(long)]
    rows: Option<u32>,
    /// Rounds, of which medians are taken [default: 5, quick 3]
    #[arg(long)]
    rounds: Option<u32>,
    /// Point reads in a round [default: 20000, quick 5000]
    #[arg(long)]
    reads: Option<u32>,
    /// Durable writes in a round [default: 240, quick 30]
    #[arg(long)]
    writes: Option<u32>,
    /// Scans and counts of the whole table in a round
    #[arg(long, default_value_t = 1)]
    repeats: u32,
    /// A file of films in JSON lines, also .gz, for 'castings of an actor'; without it that goal counts as missed
    #[arg(long)]
    films: Option<PathBuf>,
    /// Where the stores are kept meanwhile [default: bench/target/bench-data]
    #[arg(long)]
    dir: Option<PathBuf>,
    /// Uses the stores of the run before, and leaves them: for profiles
    #[arg(long)]
    keep: bool,
    /// Leaves bench/results.json alone
    #[arg(long)]
    no_results: bool,
    /// Each allocation of one point read, with its size
    #[arg(long)]
    show_allocations: bool,
    /// Only this peer's heap after reads: how the bench measures it, in a process of its own
    #[arg(long, hide = true)]
    heap_of: Option<String>,
}

fn main() {
    let arguments = Arguments::parse();
    let choose = |full, quick| if arguments.quick { quick } else { full };
    let settings = Settings {
        rows: arguments.rows.unwrap_or(choose(200_000, 20_000)),
        rounds: arguments.rounds.unwrap_or(choose(5, 3)),
        reads: arguments.reads.unwrap_or(choose(20_000, 5_000)),
        writes: arguments.writes.unwrap_or(choose(240, 30)),
        repeats: arguments.repeats,
        peers: arguments.peers,
        ops: arguments.ops,
        show_allocations: arguments.show_allocations,
        films: arguments.films,
    };
    let home = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let layouts = LAYOUTS.iter().filter(|layout| match &arguments.layouts {
        Some(wanted) => wanted.iter().any(|name| name == layout.name),
        None => !arguments.quick || layout.partitions == 100,
    });
    let folder = arguments.dir.unwrap_or_else(|| home.join("target/bench-data"));
    if let Some(peer) = &arguments.heap_of {
        for layout in layouts {
            println!("{}", heap_of(&settings, layout, peer, &folder));
        }
        return;
    }
    let goals = report::goals(&home.join("goals.json"));
    let mut lines = Vec::new();
    for layout in layouts {
        // A folder of its own for each: LMDB's maps stay open until the program ends.
        let folder = folder.join(layout.name);
        if folder.exists() && !arguments.keep {
            fs::remove_dir_all(&folder).expect("the old stores are removed");
        }
        let samples = run(&settings, layout, &folder);
        if !arguments.keep {
            fs::remove_dir_all(&folder).expect("the stores are removed");
        }
        lines.extend(report::lines(layout.name, &samples, &goals));
        // A smaller run has no results to be kept.
        if !arguments.quick && settings.ops.is_none() && !arguments.no_results {
            report::write(&home.join("results.json"), &lines);
        }
    }
    if settings.ops.is_some() {
        lines.retain(report::Line::is_measured);
    }
    report::print(&lines);
    let unknown = settings.ops.iter().flatten().filter(|op| !lines.iter().any(|line| line.op == **op));
    for op in unknown {
        eprintln!("'{op}' was not measured: there is no such operation, or its peers were left out");
    }
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
