//! On a full disk nothing is half done and nothing that was acknowledged is lost, and when there is room again the same
//! handle goes on.
#![allow(unsafe_code, reason = "limiting the size of another process's files is a foreign call")]

use entable::{ErrorCode, Store};
use entable_tests::{folders, rows, tier};
use std::collections::{BTreeMap, BTreeSet};
use std::io::{BufRead, BufReader, Write};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};

const PROGRAM: &str = env!("CARGO_BIN_EXE_store_fill");
const KIB: u64 = 1_024;

/// What a program on a full disk said.
struct Filled {
    codes: Vec<String>,
    acknowledged: BTreeSet<u32>,
}

/// Lets the program fill the disk, makes room, lets it go on, and looks at what it leaves.
fn fill(path: &Path, mut child: Child, make_room: impl FnOnce(&Child)) -> Result<Filled, String> {
    let mut lines = BufReader::new(child.stdout.take().expect("its output")).lines();
    let (mut codes, mut acknowledged) = (Vec::new(), BTreeSet::new());
    let mut is_full = false;
    for line in lines.by_ref().map(|line| line.expect("a line")) {
        match (line.as_str(), line.parse::<i64>()) {
            ("full", _) => {
                is_full = true;
                break;
            }
            (_, Ok(number)) => drop(acknowledged.insert(number as u32)),
            _ => codes.push(line),
        }
    }
    make_room(&child);
    if let Some(mut stdin) = child.stdin.take() {
        // Nobody listens if it has ended.
        let _ = writeln!(stdin);
    }
    for line in lines.map(|line| line.expect("a line")) {
        match line.strip_prefix('-') {
            Some(number) => drop(acknowledged.remove(&number.parse().expect("a number"))),
            None => drop(acknowledged.insert(line.parse().expect("a number"))),
        }
    }
    let output = child.wait_with_output().expect("it ends");
    if !output.status.success() || !is_full {
        return Err(format!("{}: {}; errors {codes:?}", output.status, String::from_utf8_lossy(&output.stderr)));
    }
    let store = Store::open(path).map_err(|error| format!("it does not open: {error:?}"))?;
    let table = store.table(rows::TABLE).expect("a name");
    let found: Result<Vec<_>, _> = table.list_entities().and_then(Iterator::collect);
    let found = found.map_err(|error| format!("it cannot be read: {error:?}"))?;
    let numbers: BTreeSet<u32> = found.iter().map(|row| row["Number"].as_i64().expect("a number") as u32).collect();
    if numbers != acknowledged {
        return Err(format!("{} rows of {} acknowledged", numbers.len(), acknowledged.len()));
    }
    store.close();
    Ok(Filled { codes, acknowledged })
}

fn program(path: &Path) -> Command {
    let mut command = Command::new(PROGRAM);
    command.arg(path).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// Limits the size of the files of this process, softly, and has it told by an error rather than a signal.
fn limit_own_files(bytes: u64) {
    let limit = libc::rlimit { rlim_cur: bytes, rlim_max: libc::RLIM_INFINITY };
    // SAFETY: two calls that are allowed between fork and exec, one of them with a struct of ours.
    unsafe {
        libc::signal(libc::SIGXFSZ, libc::SIG_IGN);
        libc::setrlimit(libc::RLIMIT_FSIZE, &raw const limit);
    }
}

fn unlimit_files(of: &Child) {
    let limit = libc::rlimit { rlim_cur: libc::RLIM_INFINITY, rlim_max: libc::RLIM_INFINITY };
    let pid = libc::pid_t::try_from(of.id()).expect("a process");
    // SAFETY: a struct of ours, which is only read.
    let done = unsafe { libc::prlimit(pid, libc::RLIMIT_FSIZE, &raw const limit, std::ptr::null_mut()) };
    assert_eq!(done, 0, "{}", std::io::Error::last_os_error());
}

#[test]
fn a_limit_to_the_size_of_files_leaves_the_store_whole() {
    // From what does not take the first page up to some hundred rows, and between two pages, too.
    let limits = (0..40).map(|step| step * 4 * KIB).chain([100 * KIB + 512, 300 * KIB, 1_000 * KIB]);
    check_limits(limits, None);
}

#[test]
fn a_disk_smaller_than_the_quota_leaves_the_store_whole() {
    check_limits((1..6).map(|step| step * 160 * KIB + 512), Some(2_048 * KIB));
}

/// Fills files that may not become larger than each of `limits`, with stores that may take `max_size` bytes.
#[track_caller]
fn check_limits(limits: impl Iterator<Item = u64>, max_size: Option<u64>) {
    let mut codes = BTreeMap::<String, usize>::new();
    let (mut runs, mut acknowledged) = (0, 0);
    for limit in limits {
        let folder = folders::quick();
        let path = folder.path().join("store.ent");
        let mut command = program(&path);
        command.args(max_size.map(|bytes| bytes.to_string()));
        // SAFETY: the function makes calls that are allowed between fork and exec.
        unsafe {
            command.pre_exec(move || {
                limit_own_files(limit);
                Ok(())
            });
        }
        let filled = fill(&path, command.spawn().expect("the program runs"), unlimit_files);
        let filled = filled.unwrap_or_else(|failure| panic!("{limit} bytes: {failure}"));
        runs += 1;
        acknowledged += filled.acknowledged.len();
        filled.codes.into_iter().for_each(|code| *codes.entry(code).or_default() += 1);
    }
    tier::announce(format_args!("{runs} limits, {acknowledged} rows acknowledged, errors {codes:?}"));
    let expected = ErrorCode::StoreFull.name();
    assert!(codes.keys().all(|code| code == expected), "{codes:?}");
}

/// A small file system in memory, where the system permits to mount one.
struct SmallDisk(tempfile::TempDir);

impl SmallDisk {
    fn mount(bytes: u64) -> Option<SmallDisk> {
        let folder = tempfile::tempdir().expect("a folder");
        let options = format!("size={bytes}");
        let status = Command::new("mount")
            .args(["-t", "tmpfs", "-o", &options, "entable-test"])
            .arg(folder.path())
            .stderr(Stdio::null())
            .status();
        status.is_ok_and(|status| status.success()).then(|| SmallDisk(folder))
    }

    fn grow(&self) {
        let status = Command::new("mount").args(["-o", "remount,size=64m"]).arg(self.0.path()).status();
        assert!(status.is_ok_and(|status| status.success()), "it is made larger");
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg("--lazy").arg(self.0.path()).status();
    }
}

#[test]
fn a_small_disk_that_is_full_leaves_the_store_whole() {
    let mut codes = BTreeMap::<String, usize>::new();
    let (mut runs, mut acknowledged, mut failures) = (0, 0, Vec::new());
    // Pages of the file and of its lock file compete for the last ones.
    for pages in (2..48).chain([64, 100, 200]) {
        let Some(disk) = SmallDisk::mount(pages * 4 * KIB) else {
            tier::announce("skipped: mounting a small file system is not permitted here");
            return;
        };
        let path = disk.0.path().join("store.ent");
        let child = program(&path).spawn().expect("the program runs");
        match fill(&path, child, |_| disk.grow()) {
            Ok(filled) => {
                acknowledged += filled.acknowledged.len();
                filled.codes.into_iter().for_each(|code| *codes.entry(code).or_default() += 1);
            }
            Err(failure) => failures.push(format!("{pages} pages: {failure}")),
        }
        runs += 1;
    }
    tier::announce(format_args!("{runs} small disks, {acknowledged} rows acknowledged, errors {codes:?}"));
    assert!(failures.is_empty(), "{} of {runs} disks:\n{}", failures.len(), failures.join("\n"));
    let expected = ErrorCode::StoreFull.name();
    assert!(codes.keys().all(|code| code == expected), "{codes:?}");
}
