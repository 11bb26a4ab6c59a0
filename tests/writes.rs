//! A durable insert costs what a bare LMDB put of the same bytes costs: counted, not timed.
#![allow(unsafe_code, reason = "heed maps a file, which nobody else writes meanwhile")]

use entable_tests::{rows, shim};
use heed::types::Bytes;
use heed::{EnvFlags, EnvOpenOptions};
use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Inserts before counting: new pages, the first shape, the first commits of the file.
const WARM_UP: usize = 200;
const COUNTED: usize = 200;

const STORE_PUT: &str = env!("CARGO_BIN_EXE_store_put");
const BARE_PUT: &str = env!("CARGO_BIN_EXE_bare_put");

/// What the commits of a run did to the data file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Cost {
    /// Calls by name.
    calls: BTreeMap<String, usize>,
    written_bytes: u64,
}

impl Cost {
    fn sum(&self, is_counted: impl Fn(&str) -> bool) -> usize {
        self.calls.iter().filter(|(name, _)| is_counted(name)).map(|(_, count)| count).sum()
    }

    fn syncs(&self) -> usize {
        self.sum(|name| name.contains("sync"))
    }
}

impl fmt::Display for Cost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let writes = self.sum(|name| name.contains("write"));
        write!(f, "{} bytes in {writes} writes, {} syncs, {:?}", self.written_bytes, self.syncs(), self.calls)
    }
}

#[test]
fn a_durable_insert_costs_the_calls_and_bytes_of_a_bare_put() {
    let folder = tempfile::tempdir().expect("a folder");
    let shim = shim::build("count", folder.path());
    let (store_path, start_path) = (folder.path().join("store.ent"), folder.path().join("start.ent"));
    logged(&shim, STORE_PUT, &store_path, &["0", &WARM_UP.to_string()]);
    std::fs::copy(&store_path, &start_path).expect("a copy");
    let store = logged(&shim, STORE_PUT, &store_path, &[&WARM_UP.to_string(), &COUNTED.to_string()]);
    let store = commits(&store, &store_path);
    let stored = stored_rows(&store_path);
    assert_eq!((store.len(), stored.len()), (COUNTED, WARM_UP + COUNTED));

    let bare_put = |path: &Path, rows| {
        let dump = folder.path().join("rows.txt");
        rows::write_dump(&dump, rows);
        let bare = logged(&shim, BARE_PUT, path, &[dump.to_str().expect("UTF-8")]);
        let mut bare = commits(&bare, path);
        bare.split_off(bare.len() - COUNTED)
    };
    // From the same file: LMDB writes neighbouring pages in one call, and which free pages are neighbours depends on
    // all that was written before. So only then can calls be compared.
    let bare = bare_put(&start_path, &stored[WARM_UP..]);
    let fresh = bare_put(&folder.path().join("fresh.mdb"), &stored);

    let of_rows: usize = stored[WARM_UP..].iter().map(|(key, value)| key.len() + value.len()).sum();
    println!("{COUNTED} durable inserts of {of_rows} bytes in all");
    println!("  entable:                      {}", total(&store));
    println!("  bare LMDB, from the same file: {}", total(&bare));
    println!("  bare LMDB, from a new file:    {}", total(&fresh));
    for (number, (store, bare)) in store.iter().zip(&bare).enumerate() {
        assert_eq!(store, bare, "in commit {number}");
    }
    for (number, (store, fresh)) in store.iter().zip(&fresh).enumerate() {
        let bytes_and_syncs = |cost: &Cost| (cost.written_bytes, cost.syncs());
        assert_eq!(bytes_and_syncs(store), bytes_and_syncs(fresh), "in commit {number}, against a new file");
    }
    // A count that sees nothing would be equal, too.
    for commit in &store {
        assert_eq!(commit.syncs(), 1, "each commit is synced once: {commit:?}");
        assert!(commit.written_bytes >= 4_096, "each commit writes pages: {commit:?}");
    }
}

/// A change is put at the end of its tree, so an insert with a feed writes what it writes without, the last leaf of that
/// tree, the pages above it, and now and then a new leaf: still with one sync.
#[test]
fn a_change_feed_costs_the_end_of_its_tree() {
    let folder = tempfile::tempdir().expect("a folder");
    let shim = shim::build("count", folder.path());
    let cost = |feed: &[&str]| {
        let path = folder.path().join(format!("{}.ent", feed.concat()));
        let arguments = |first: usize, count: usize| {
            let numbers = [first.to_string(), count.to_string()];
            numbers.into_iter().chain(feed.iter().map(|word| (*word).to_owned())).collect::<Vec<String>>()
        };
        let run = |first, count| {
            let arguments = arguments(first, count);
            logged(&shim, STORE_PUT, &path, &arguments.iter().map(String::as_str).collect::<Vec<_>>())
        };
        run(0, WARM_UP);
        let commits = commits(&run(WARM_UP, COUNTED), &path);
        assert_eq!(commits.len(), COUNTED);
        commits
    };
    let without = cost(&[]);
    let pages = |commits: &[Cost]| total(commits).written_bytes as f64 / 4_096.0 / COUNTED as f64;
    for (feed, most) in [("keys", 3.0), ("after", 3.0), ("both", 3.0)] {
        let with = cost(&[feed]);
        let added = pages(&with) - pages(&without);
        println!("{feed}: {:.2} pages an insert, {:.2} without a feed", pages(&with), pages(&without));
        assert!(added > 0.9 && added < most, "{feed}: {added} pages more for each insert");
        for commit in &with {
            assert_eq!(commit.syncs(), 1, "each commit is synced once: {commit:?}");
        }
    }
}

/// A line of the log: call, bytes, path.
type Call = (String, u64, PathBuf);

/// Runs a program on a file, and gives the calls that it made, in their order.
fn logged(shim: &Path, program: &str, path: &Path, arguments: &[&str]) -> Vec<Call> {
    let folder = tempfile::tempdir().expect("a folder");
    let log = folder.path().join("calls");
    let output = Command::new(program)
        .arg(path)
        .args(arguments)
        .env("LD_PRELOAD", shim)
        .env("ENTABLE_COUNT_LOG", &log)
        .stderr(Stdio::inherit())
        .output()
        .expect("the program runs");
    assert!(output.status.success(), "{program}: {}", output.status);
    let text = std::fs::read_to_string(log).expect("the log");
    let call = |line: &str| {
        let mut parts = line.splitn(3, ' ');
        let mut part = || parts.next().unwrap_or_else(|| panic!("{line:?} has three parts"));
        let (name, bytes, path) = (part().to_owned(), part(), PathBuf::from(part()));
        (name, bytes.parse().unwrap_or_else(|_| panic!("the call failed: {line:?}")), path)
    };
    text.lines().map(call).collect()
}

/// What each commit cost. It ends where the program prints a number; the first may have opened the file, too.
fn commits(calls: &[Call], path: &Path) -> Vec<Cost> {
    let mut commits = vec![Cost::default()];
    for (name, bytes, file) in calls {
        let cost = commits.last_mut().expect("there is always one");
        if file == path || name == "msync" {
            *cost.calls.entry(name.clone()).or_default() += 1;
            cost.written_bytes += bytes;
        } else if name == "write" && file.to_string_lossy().starts_with("pipe:") {
            commits.push(Cost::default());
        } else {
            // A sync of a folder, a write to another file: an insert has no reason for either.
            *cost.calls.entry(format!("{name} of {}", file.display())).or_default() += 1;
        }
    }
    // The last is what closing did.
    commits.pop();
    commits
}

fn total(commits: &[Cost]) -> Cost {
    commits.iter().fold(Cost::default(), |mut sum, commit| {
        sum.written_bytes += commit.written_bytes;
        for (name, count) in &commit.calls {
            *sum.calls.entry(name.clone()).or_default() += count;
        }
        sum
    })
}

/// Key and value of every row in the store's file, in the order in which they were inserted.
fn stored_rows(path: &Path) -> Vec<(Vec<u8>, Vec<u8>)> {
    let mut options = EnvOpenOptions::new().read_txn_without_tls();
    options.map_size(1 << 40).max_dbs(8);
    // SAFETY: one data file, only read.
    unsafe { options.flags(EnvFlags::NO_SUB_DIR | EnvFlags::READ_ONLY) };
    // SAFETY: the process that wrote the file has ended.
    let env = unsafe { options.open(path) }.expect("the store's file");
    let txn = env.read_txn().expect("a transaction");
    let database = env.open_databases_and_commit(txn, |opener, txn| {
        let database = opener.open_database::<Bytes, Bytes>(txn, Some("rows"))?.expect("the rows");
        heed::Result::Ok(heed::CommitOrAbort::<_, ()>::Commit(database))
    });
    let heed::CommitOrAbort::Commit(database) = database.expect("the database") else { panic!("not committed") };
    let txn = env.read_txn().expect("a transaction");
    let rows = database.iter(&txn).expect("the rows").map(|row| row.map(|(key, value)| (key.to_vec(), value.to_vec())));
    let mut rows: Vec<_> = rows.collect::<Result<_, _>>().expect("the rows");
    // `core/FORMAT.md`, Rows: the Timestamp is at byte 4, and it rises with every insert.
    rows.sort_by_key(|(_, value)| i64::from_le_bytes(value[4..12].try_into().expect("eight bytes")));
    rows
}
