//! Reads from a file that is larger than the memory allowed: in a process of its own, in a control group of its own.

use crate::flights;
use crate::measure::{Figure, LOAD_ROWS};
use crate::peers::{Floor, Ours, Peer};
use crate::rows::mix;
use rustix::fs::{Advice, fadvise};
use std::ffi::OsStr;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

/// The file's size as a multiple of the memory that is allowed; 0 for no bound.
pub(crate) const STEPS: [u64; 4] = [0, 1, 2, 4];
pub(crate) const NAME: &str = "file over memory";
pub(crate) const ABOUT: &str = "1,000,000 flights; point reads on the wall, the file's pages dropped before";
const ROWS: usize = 1_000_000;
/// Few: from the disk each takes milliseconds.
const READS: u32 = 1_000;

/// A control group with a bound on memory, removed when it is dropped.
struct Group(PathBuf);

impl Group {
    /// Fails where this process may not make one.
    fn new(bytes: u64) -> std::io::Result<Group> {
        let (root, bound) = [("/sys/fs/cgroup/memory", "memory.limit_in_bytes"), ("/sys/fs/cgroup", "memory.max")]
            .into_iter()
            .find(|(root, _)| Path::new(root).join("cgroup.procs").exists())
            .ok_or_else(|| std::io::Error::other("no control groups"))?;
        let group = Group(Path::new(root).join(format!("entable-bench-{}", std::process::id())));
        fs::create_dir(&group.0)?;
        fs::write(group.0.join(bound), bytes.to_string())?;
        Ok(group)
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        // Left behind it harms nobody: it is empty.
        _ = fs::remove_dir(&self.0);
    }
}

/// Loads both stores, and reads from each at each step, always in a process of its own: what this one had mapped would
/// stay in memory.
///
/// # Errors
/// Why there are no control groups to be had, or what a process said.
pub(crate) fn measure(folder: &Path, flights: &Path) -> Result<Vec<(u64, Figure)>, String> {
    let run = |peer: &str, arguments: &[&OsStr]| {
        let mut child = Command::new(std::env::current_exe().expect("this program's path"));
        child.arg("--dir").arg(folder).arg("--flights").arg(flights).args(["--confined", peer]).args(arguments);
        let output = child.output().expect("this program runs");
        let [told, failure] = [output.stdout, output.stderr].map(|text| String::from_utf8_lossy(&text).into_owned());
        if output.status.success() { Ok(told) } else { Err(failure) }
    };
    let files = [("entable", folder.join("entable/store.ent")), ("floor", folder.join("floor/data.mdb"))];
    for (peer, _) in &files {
        run(peer, &["--load".as_ref()])?;
    }
    let mut figures = Vec::new();
    for step in STEPS {
        for (peer, path) in &files {
            let file = File::open(path).expect("a store's file");
            file.sync_all().expect("a sync");
            fadvise(&file, 0, None, Advice::DontNeed).expect("the pages are let go");
            let bytes = file.metadata().expect("the file's size").len().checked_div(step);
            let group = bytes.map(Group::new).transpose().map_err(|error| error.to_string())?;
            let entered: Vec<&OsStr> =
                group.iter().flat_map(|Group(path)| ["--group".as_ref(), path.as_os_str()]).collect();
            let median: f64 = run(peer, &entered)?.trim().parse().expect("a figure");
            figures.push((step, Figure { op: "point read", unit: "us", peer, median }));
        }
    }
    Ok(figures)
}

fn open(peer: &str, folder: &Path) -> Box<dyn Peer> {
    match peer {
        "floor" => Box::new(Floor::open(&folder.join("floor"))),
        _ => Box::new(Ours::open(&folder.join("entable"), 1, 0)),
    }
}

/// In the process of its own: loads the flights.
pub(crate) fn load(peer: &str, folder: &Path, flights: &Path) {
    let mut peer = open(peer, folder);
    for rows in flights::read(flights, ROWS).chunks(LOAD_ROWS) {
        let batch = peer.batch(&rows.iter().map(|row| (0, row)).collect::<Vec<_>>());
        peer.load(batch);
    }
}

/// In the process of its own: microseconds of a point read on the wall.
pub(crate) fn read(peer: &str, folder: &Path, group: Option<&Path>, flights: &Path) -> f64 {
    // Keys are made outside: what they take is not what is to be measured.
    let rows = flights::read(flights, ROWS);
    let rows: Vec<_> = (0..READS).map(|at| rows[mix(at, 5) as usize % rows.len()].clone()).collect();
    if let Some(group) = group {
        fs::write(group.join("cgroup.procs"), std::process::id().to_string()).expect("a place in the group");
    }
    let mut peer = open(peer, folder);
    let start = Instant::now();
    rows.iter().for_each(|row| peer.get(0, row));
    start.elapsed().as_secs_f64() * 1e6 / f64::from(READS)
}
