//! entable's C API beside that of SQLite, in time, and beside the core, in instructions.
//!
//! `bench/README.md` says how to run it. The reads themselves are C (`reads.c`), but for the core's.

use entable::{Entity, Store, Table, Value};
use rustix::time::{ClockId, clock_gettime};
use std::ffi::{CStr, CString, c_char};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

// They bring what `reads.c` calls.
use entable_c as _;
use libsqlite3_sys as _;

#[repr(C)]
struct Keys([u8; 0]);

unsafe extern "C" {
    fn bench_open(store: *const c_char, database: *const c_char, rows: u32, partitions: u32);
    fn bench_keys(count: u32, below: u32, partitions: u32, salt: u32) -> *mut Keys;
    fn bench_free_keys(keys: *mut Keys);
    fn bench_partition_key(keys: *const Keys, at: u32) -> *const c_char;
    fn bench_row_key(keys: *const Keys, at: u32) -> *const c_char;
    fn entable_points(keys: *const Keys, count: u32) -> u64;
    fn entable_named_points(keys: *const Keys, count: u32) -> u64;
    fn entable_ranges(keys: *const Keys, count: u32, limit: u32) -> u64;
    fn sqlite_points(keys: *const Keys, count: u32) -> u64;
    fn sqlite_ranges(keys: *const Keys, count: u32, limit: u32) -> u64;
}

const RANGE_ROWS: u32 = 100;
const LAYOUTS: [(&str, u32); 2] = [("employee-100", 100), ("employee-10000", 10_000)];
/// Of C's instructions to the core's, and of entable's time to that of SQLite's C API.
const GOALS: [(&str, &str, f64); 4] = [
    ("point read", "core", 1.25),
    ("point read by name", "core", 1.25),
    ("point read", "sqlite", 0.3),
    ("range of 100", "sqlite", 0.55),
];

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let value = |name: &str| {
        let at = arguments.iter().position(|argument| argument == name)?;
        arguments.get(at + 1).map(String::as_str)
    };
    let number = |name: &str, otherwise| value(name).map_or(otherwise, |text| text.parse().expect("a number"));
    let settings = Settings {
        rows: number("--rows", 200_000),
        rounds: number("--rounds", 9),
        reads: number("--reads", 20_000),
        folder: value("--dir").map_or(Path::new(env!("CARGO_MANIFEST_DIR")).join("../target/bench-c"), PathBuf::from),
    };
    if let Some(what) = value("--only") {
        return only(&settings, what);
    }
    let mut lines = Vec::new();
    for (layout, partitions) in LAYOUTS {
        // The maps stay open until the program ends: a folder for each.
        let settings = Settings { folder: settings.folder.join(layout), ..settings };
        if settings.folder.exists() {
            fs::remove_dir_all(&settings.folder).expect("the old stores are removed");
        }
        fs::create_dir_all(&settings.folder).expect("a folder");
        eprintln!("{layout}:");
        settings.open(settings.rows, partitions);
        lines.extend(times(&settings, layout, partitions));
        lines.extend(instructions(&settings, layout));
        fs::remove_dir_all(&settings.folder).expect("the stores are removed");
    }
    println!("[\n  {}\n]", lines.join(",\n  "));
    // What is measured otherwise is for him who asked for it.
    if arguments.is_empty() {
        write(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../results.json"), &lines);
    }
}

/// Puts the lines, which are one each in the file, in place of those of this language.
fn write(path: &Path, lines: &[String]) {
    let old = fs::read_to_string(path).expect("the results of before");
    let kept = old.lines().map(|line| line.trim().trim_end_matches(','));
    let kept = kept.filter(|line| line.starts_with('{') && !line.starts_with(r#"{"lang":"c","#)).map(str::to_owned);
    let all: Vec<String> = kept.chain(lines.iter().cloned()).collect();
    fs::write(path, format!("[\n  {}\n]\n", all.join(",\n  "))).expect("the results are written");
}

struct Settings {
    rows: u32,
    rounds: u32,
    /// Point reads in a round.
    reads: u32,
    folder: PathBuf,
}

impl Settings {
    fn path(&self, name: &str) -> CString {
        CString::new(self.folder.join(name).into_os_string().into_encoded_bytes()).expect("a path without NUL")
    }

    fn open(&self, rows: u32, partitions: u32) {
        let (store, database) = (self.path("store.ent"), self.path("db"));
        // SAFETY: both are texts with a NUL, which are read during the call.
        unsafe { bench_open(store.as_ptr(), database.as_ptr(), rows, partitions) }
    }
}

/// A line of the results, in the form of bench/rust's.
fn line(layout: &str, (op, peer): (&str, &str), unit: &str, figures: &[(f64, f64)]) -> String {
    let spread = |mut figures: Vec<f64>| {
        figures.sort_by(f64::total_cmp);
        [figures[0], figures[figures.len() / 2], figures[figures.len() - 1]]
    };
    let [least, ratio, most] = spread(figures.iter().map(|(ours, theirs)| ours / theirs).collect());
    let (ours, theirs): (Vec<f64>, Vec<f64>) = figures.iter().copied().unzip();
    let goal = GOALS.iter().find(|goal| (goal.0, goal.1) == (op, peer)).map(|goal| goal.2);
    let met = goal.map_or("null".to_owned(), |goal| (ratio <= goal).to_string());
    let goal = goal.map_or("null".to_owned(), |goal| goal.to_string());
    eprintln!("  {op} against {peer}: {ratio:.3} ({least:.3} to {most:.3}), goal {goal}");
    format!(
        r#"{{"lang":"c","op":"{op}","layout":"{layout}","peer":"{peer}","ratio":{ratio:.3},"goal":{goal},"met":{met},"spread":[{least:.3},{most:.3}],"unit":"{unit}","entable":{:.3},"against":{:.3}}}"#,
        spread(ours)[1],
        spread(theirs)[1]
    )
}

/// Processor time of this thread, in microseconds.
fn now() -> f64 {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    time.tv_sec as f64 * 1e6 + time.tv_nsec as f64 / 1e3
}

fn timed(times: u32, run: impl FnOnce() -> u64) -> (f64, u64) {
    let start = now();
    let sum = run();
    ((now() - start) / f64::from(times), sum)
}

fn times(settings: &Settings, layout: &str, partitions: u32) -> Vec<String> {
    let (mut points, mut named, mut ranges) = (Vec::new(), Vec::new(), Vec::new());
    for round in 0..settings.rounds {
        // SAFETY: keys are used until they are freed, and as many as there are.
        unsafe {
            let (count, few) = (settings.reads, settings.reads / 50);
            let keys = bench_keys(count, settings.rows, partitions, 77 + round);
            // Each begins in its turn.
            let ours = || timed(count, || entable_points(keys, count));
            let theirs = || timed(count, || sqlite_points(keys, count));
            let (ours, theirs) = in_turn(round, ours, theirs);
            points.push((ours, theirs));
            named.push((timed(count, || entable_named_points(keys, count)).0, theirs));
            bench_free_keys(keys);
            let keys = bench_keys(few, settings.rows / 2, partitions, 99 + round);
            let ours = || timed(few, || entable_ranges(keys, few, RANGE_ROWS));
            ranges.push(in_turn(round, ours, || timed(few, || sqlite_ranges(keys, few, RANGE_ROWS))));
            bench_free_keys(keys);
        }
    }
    vec![
        line(layout, ("point read", "sqlite"), "us", &points),
        line(layout, ("point read by name", "sqlite"), "us", &named),
        line(layout, ("range of 100", "sqlite"), "us", &ranges),
    ]
}

fn in_turn(round: u32, ours: impl FnOnce() -> (f64, u64), theirs: impl FnOnce() -> (f64, u64)) -> (f64, f64) {
    let (ours, theirs) = if round.is_multiple_of(2) {
        let ours = ours();
        (ours, theirs())
    } else {
        let theirs = theirs();
        (ours(), theirs)
    };
    assert_eq!(ours.1, theirs.1, "the peers have read other things");
    (ours.0, theirs.0)
}

/// What valgrind counts within the functions that read, a call.
fn instructions(settings: &Settings, layout: &str) -> Vec<String> {
    const READS: u32 = 5_000;
    let count = |function: &str| -> Option<f64> {
        let run = Command::new("valgrind")
            .args(["--tool=callgrind", "--callgrind-out-file=/dev/null"])
            .arg(format!("--toggle-collect={function}"))
            .arg(std::env::current_exe().expect("this program"))
            .args(["--only", function, "--reads", &READS.to_string(), "--rows", &settings.rows.to_string(), "--dir"])
            .arg(&settings.folder)
            .output()
            .ok()?;
        let said = String::from_utf8_lossy(&run.stderr).into_owned();
        let counted = said
            .lines()
            .find_map(|line| line.split_once("Collected : "))
            .and_then(|(_, count)| count.trim().parse::<f64>().ok());
        if counted.is_none() {
            eprintln!("valgrind has counted nothing of {function}: {said}");
        }
        counted.map(|count| count / f64::from(READS))
    };
    let mut lines = Vec::new();
    for (op, ours, core) in [
        ("point read", "entable_points", "core_points"),
        ("point read by name", "entable_named_points", "core_named_points"),
    ] {
        if let (Some(ours), Some(core)) = (count(ours), count(core)) {
            lines.push(line(layout, (op, "core"), "instructions", &[(ours, core)]));
        }
    }
    if let (Some(ours), Some(theirs)) = (count("entable_points"), count("sqlite_points")) {
        lines.push(line(layout, ("point read, instructions", "sqlite"), "instructions", &[(ours, theirs)]));
    }
    lines
}

/// One function on stores that are there: what valgrind runs.
fn only(settings: &Settings, what: &str) {
    settings.open(0, 1);
    let partitions = LAYOUTS.iter().find(|layout| settings.folder.ends_with(layout.0)).expect("a layout's folder").1;
    // SAFETY: as in `times`.
    unsafe {
        let count = settings.reads;
        let keys = bench_keys(count, settings.rows, partitions, 77);
        let (sum, expected) = match what {
            "entable_points" => (entable_points(keys, count), None),
            "entable_named_points" => (entable_named_points(keys, count), None),
            "sqlite_points" => (sqlite_points(keys, count), None),
            "core_points" | "core_named_points" => {
                let store = Store::open(settings.folder.join("store.ent")).expect("the store");
                let table = store.table("Rows").expect("the table");
                let names: Vec<(String, String)> = (0..count)
                    .map(|at| {
                        let text = |text| CStr::from_ptr(text).to_str().expect("a key").to_owned();
                        (text(bench_partition_key(keys, at)), text(bench_row_key(keys, at)))
                    })
                    .collect();
                let sum =
                    if what == "core_points" { core_points(&table, &names) } else { core_named_points(&table, &names) };
                (sum, Some(sqlite_points(keys, count)))
            }
            other => panic!("--only {other}: there is none"),
        };
        assert!(expected.is_none_or(|expected| expected == sum), "the core has read other things");
        bench_free_keys(keys);
    }
}

fn of_text(bytes: &[u8]) -> u64 {
    bytes.len() as u64 + bytes.first().map_or(0, |first| u64::from(*first))
}

fn of_value(value: &Value) -> u64 {
    match value {
        Value::Int32(number) => i64::from(*number) as u64,
        Value::Int64(number) => *number as u64,
        Value::Double(number) => number.to_bits(),
        Value::DateTime(time) => time.ticks() as u64,
        Value::Guid(guid) => of_text(guid.as_bytes()),
        Value::Boolean(truth) => u64::from(*truth),
        Value::String(text) => of_text(text.as_bytes()),
        Value::Binary(bytes) => of_text(bytes),
    }
}

fn of_keys(entity: &Entity) -> u64 {
    of_text(entity.partition_key().as_bytes()).wrapping_add(of_text(entity.row_key().as_bytes()))
}

/// What `entable_points` does, by the core. The name is for valgrind.
#[unsafe(no_mangle)]
#[inline(never)]
fn core_points(table: &Table, keys: &[(String, String)]) -> u64 {
    let mut sum = 0_u64;
    for (partition_key, row_key) in keys {
        let entity = table.get_entity(partition_key, row_key).expect("an entity that is there");
        sum = sum.wrapping_add(of_keys(&entity));
        for (_, value) in entity.properties() {
            sum = sum.wrapping_add(of_value(value));
        }
    }
    sum
}

/// What `entable_named_points` does, by the core.
#[unsafe(no_mangle)]
#[inline(never)]
fn core_named_points(table: &Table, keys: &[(String, String)]) -> u64 {
    const NAMES: [&str; 10] = ["First", "Last", "Email", "City", "Notes", "Age", "Salary", "Hired", "Active", "Badge"];
    let mut sum = 0_u64;
    for (partition_key, row_key) in keys {
        let entity = table.get_entity(partition_key, row_key).expect("an entity that is there");
        sum = sum.wrapping_add(of_keys(&entity));
        for name in NAMES {
            sum = sum.wrapping_add(entity.get(name).map_or(0, of_value));
        }
    }
    sum
}
