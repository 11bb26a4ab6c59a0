//! Every page of a file damaged in its turn: `verify` names it, or it lies in bytes that nothing uses; the checked open
//! refuses; reading through the store never crashes and never goes on without end.

use entable::index::{Projection, Scope};
use entable::{DateTime, Entity, ErrorCode, Index, Options, Report, Store, UpdateMode, entity, verify};
use entable_tests::random::Random;
use entable_tests::{folders, tier};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, AtomicI64, AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

const PAGE: usize = 4_096;
/// Longer than any reading of the file takes.
const PATIENCE: Duration = Duration::from_secs(30);

/// Threads that write while a file is looked at.
const WRITERS: usize = 8;

/// A store with what can lie in one: tables, shapes, indexes, long keys, values of many pages, free pages, a dropped
/// table.
fn write(path: &Path) {
    let ticks = AtomicI64::new(639_317_664_000_000_000);
    let clock = move || DateTime::from_ticks(ticks.fetch_add(1_000, Ordering::Relaxed)).expect("a tick");
    let store = Store::open_with(path, &Options::new().clock(clock)).expect("a store");
    for name in ["Orders", "Lines", "Gone"] {
        let table = store.create_table(name).expect("a table");
        let rows = (0..400).map(|number| {
            let text = if number % 40 == 0 { "x".repeat(20_000) } else { "é".repeat(number % 30) };
            let row_key = format!("{number:05}");
            let row: Entity =
                entity! { format!("p{}", number % 7), &*row_key, "Number" => number as i32, "Text" => text };
            (&table, entable::Operation::create(row).expect("an entity"))
        });
        store.submit_batch(rows).expect("rows");
    }
    let (orders, lines) = (store.table("Orders").expect("a name"), store.table("Lines").expect("a name"));
    for number in 0..40 {
        let row = entity! { "k".repeat(1_000), format!("{}{number}", "r".repeat(1_000)), "At" => number };
        orders.create_entity(row).expect("a row");
    }
    for number in (0..400).step_by(9) {
        orders.delete_entity(&format!("p{}", number % 7), &format!("{number:05}")).expect("a row");
        let row = entity! { "p1", format!("{number:05}"), "Number" => 1.5, "Other" => true, "At" => 7_i64 };
        lines.upsert_entity(row, UpdateMode::Replace).expect("a row");
    }
    for index in [
        Index::new("Number").properties(["Number"]).projection(Projection::names(["Text"])),
        Index::new("Text").properties(["Text", "Number"]).scope(Scope::Partition),
    ] {
        orders.create_index(index).expect("an index");
    }
    lines.create_index(Index::new("RowKey").properties(["RowKey", "At"]).unique(false)).expect("an index");
    store.delete_table("Gone").expect("a table");
    store.close();
}

/// What is done to a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    Bit,
    Zeros,
    OtherPage,
    Random,
    /// A few bytes at the page's head, where its numbers and offsets are.
    Head,
}

const KINDS: [Kind; 5] = [Kind::Bit, Kind::Zeros, Kind::OtherPage, Kind::Random, Kind::Head];

fn damage(file: &mut [u8], page: usize, kind: Kind, random: &mut Random) {
    let other = random.below(file.len() / PAGE);
    let other = file[other * PAGE..][..PAGE].to_vec();
    let page = &mut file[page * PAGE..][..PAGE];
    match kind {
        Kind::Bit => page[random.below(PAGE)] ^= 1 << random.below(8),
        Kind::Zeros => page.fill(0),
        Kind::OtherPage => page.copy_from_slice(&other),
        Kind::Random => page.iter_mut().for_each(|byte| *byte = random.bits() as u8),
        Kind::Head => {
            let at = random.below(64);
            page[at..at + 2].copy_from_slice(&(random.bits() as u16).to_le_bytes());
        }
    }
}

/// How a process that read the file ended.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum End {
    Said(String),
    Crashed,
    Endless,
}

fn start(how: &str, path: &Path) -> Child {
    Command::new(env!("CARGO_BIN_EXE_damaged_read"))
        .arg(how)
        .arg(path)
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("the program runs")
}

fn end(mut child: Child) -> End {
    let began = Instant::now();
    loop {
        match child.try_wait().expect("a child") {
            Some(status) if status.success() => {
                let output = child.wait_with_output().expect("its output");
                return End::Said(String::from_utf8_lossy(&output.stdout).trim().to_owned());
            }
            Some(_) => return End::Crashed,
            None if began.elapsed() > PATIENCE => {
                child.kill().expect("it is killed");
                child.wait().expect("it ends");
                return End::Endless;
            }
            None => std::thread::sleep(Duration::from_millis(1)),
        }
    }
}

/// What the trials came to.
#[derive(Default)]
struct Counts(BTreeMap<String, usize>);

impl Counts {
    fn add(&mut self, what: impl Into<String>) {
        *self.0.entry(what.into()).or_default() += 1;
    }

    fn get(&self, what: &str) -> usize {
        self.0.get(what).copied().unwrap_or(0)
    }

    fn add_end(&mut self, how: &str, end: &End, whole: &End) {
        let word = match end {
            End::Crashed => "crashed",
            End::Endless => "endless",
            end if end == whole => "same",
            End::Said(said) if said.starts_with("error") => "error",
            End::Said(_) => "another answer",
        };
        self.add(format!("{how}: {word}"));
    }
}

struct Trials {
    folder: tempfile::TempDir,
    original: Vec<u8>,
    whole: BTreeMap<&'static str, End>,
    counts: Counts,
}

impl Trials {
    fn new() -> Trials {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("whole.ent");
        write(&path);
        let report = verify(&path).expect("a report");
        assert!(report.findings.is_empty(), "{report}");
        let original = fs::read(&path).expect("the file");
        let whole = ["plain", "bare"].map(|how| (how, end(start(how, &path)))).into_iter().collect();
        tier::announce(format_args!("{} pages, {whole:?}", original.len() / PAGE));
        Trials { folder, original, whole, counts: Counts::default() }
    }

    fn pages(&self) -> usize {
        self.original.len() / PAGE
    }

    fn file(&self, name: &str, bytes: &[u8]) -> PathBuf {
        let path = self.folder.path().join(name);
        let _ = fs::remove_file(path.with_extension("ent-lock"));
        fs::write(&path, bytes).expect("a file");
        path
    }

    /// One trial; what went wrong in it.
    fn run(&mut self, page: usize, kind: Kind, random: &mut Random) -> Result<(), String> {
        let mut bytes = self.original.clone();
        damage(&mut bytes, page, kind, random);
        self.counts.add("trials");
        if bytes == self.original {
            self.counts.add("nothing was changed");
            return Ok(());
        }
        let path = self.file("damaged.ent", &bytes);
        let (bare, writing) = (self.file("bare.ent", &bytes), self.file("writing.ent", &bytes));
        let children = [start("plain", &path), start("write", &writing)];
        // What LMDB alone does is told for comparison, where there is time for it.
        let bare = tier::is_long().then(|| start("bare", &bare));
        let report = verify(&path);
        let is_named = !matches!(&report, Ok(report) if report.findings.is_empty());
        let is_damaged = !matches!(&report, Ok(report) if report.is_clean());
        self.counts.add(if is_named { "verify: named" } else { "verify: nothing found" });
        let [plain, writing] = children.map(end);
        self.counts.add_end("plain", &plain, &self.whole["plain"]);
        if let Some(bare) = bare {
            self.counts.add_end("bare LMDB", &end(bare), &self.whole["bare"]);
        }
        self.counts.add_end("write", &writing, &End::Said("same 0000000000000000".into()));
        let say = |report: &entable::Result<Report>| match report {
            Ok(report) => report.to_string(),
            Err(error) => error.to_string(),
        };
        if matches!(plain, End::Crashed | End::Endless) {
            return Err(format!("reading: {plain:?}; verify: {}", say(&report)));
        }
        if !is_named && plain != self.whole["plain"] {
            return Err(format!("verify finds nothing, and reading says {plain:?}"));
        }
        if is_damaged {
            let refused =
                Store::open_with(&path, &Options::new().check(true)).map(|_| ()).map_err(|error| error.code());
            let is_refused = matches!(refused, Err(ErrorCode::Damaged | ErrorCode::NotAStore | ErrorCode::NewerFormat));
            self.counts.add("checked open: refused");
            if !is_refused {
                return Err(format!("verify: {}; the checked open: {refused:?}", say(&report)));
            }
        }
        Ok(())
    }
}

#[test]
fn damage_is_named_and_never_crashes_who_reads() {
    let (mut trials, mut random) = (Trials::new(), Random::new(tier::seed()));
    let mut failures = Vec::new();
    let mut run = |trials: &mut Trials, page: usize, kind: Kind, random: &mut Random| {
        if let Err(failure) = trials.run(page, kind, random) {
            failures.push(format!("page {page}, {kind:?}: {failure}"));
        }
    };
    if tier::is_long() {
        for page in 0..trials.pages() {
            for kind in KINDS {
                let times = if matches!(kind, Kind::Bit | Kind::Head) { 8 } else { 1 };
                (0..times).for_each(|_| run(&mut trials, page, kind, &mut random));
            }
        }
    } else {
        // Pages in turn, in a stride that meets all kinds on all of them over the seeds.
        for trial in 0..tier::count(400, 0) {
            let pages = trials.pages();
            let page = if trial % 10 < 2 { trial / 10 % pages } else { random.below(pages) };
            run(&mut trials, page, random.pick(&KINDS), &mut random);
        }
    }
    for (what, count) in &trials.counts.0 {
        tier::announce(format_args!("{count:6} {what}"));
    }
    // Rows carry a CRC, and pages are read by a way that believes none: an answer that is another one is nearly impossible.
    let (silent, all) = (trials.counts.get("plain: another answer"), trials.counts.get("trials"));
    assert!(silent * 200 <= all, "{silent} of {all} damaged files gave another answer, and no error");
    assert!(trials.counts.get("verify: named") > trials.counts.get("trials") / 4, "damage was met");
    assert!(failures.is_empty(), "{} failures\n{}", failures.len(), failures[..failures.len().min(20)].join("\n"));
}

#[test]
fn a_store_that_is_written_all_the_time_is_no_damaged_one() {
    // Where a sync costs nothing: commits follow each other faster than a meta page is read.
    let folder = folders::quick();
    let path = folder.path().join("store.ent");
    let store = Store::open(&path).expect("a store");
    let table = store.create_table("Busy").expect("a table");
    let is_done = AtomicBool::new(false);
    let commits = AtomicU64::new(0);
    let write = || {
        while !is_done.load(Ordering::Relaxed) {
            table.upsert_entity(entity! { "p", "r", "Text" => "x" }, UpdateMode::Replace).expect("an entity");
            commits.fetch_add(1, Ordering::Relaxed);
        }
    };
    let reports: Vec<_> = thread::scope(|scope| {
        // More than there are processors, so that who looks at the file is kept waiting in the middle of it.
        (0..WRITERS).for_each(|_| drop(scope.spawn(write)));
        let reports = (0..tier::count(2_000, 100_000)).map(|_| entable::verify(&path)).collect();
        is_done.store(true, Ordering::Relaxed);
        reports
    });
    let commits = commits.into_inner() as usize;
    assert!(commits > reports.len(), "{commits} commits beside {} looks", reports.len());
    for report in reports {
        let report = report.expect("a look");
        assert!(report.is_clean(), "{report}");
    }
}
