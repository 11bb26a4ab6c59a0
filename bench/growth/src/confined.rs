//! Reads from a file that is larger than the memory allowed: in a process of its own, in a control group of its own.

use crate::flights;
use crate::measure::{Figure, LOAD_ROWS};
use crate::peers::{Floor, Ours, Peer};
use crate::rows::{Row, mix};
use rustix::fs::{Advice, fadvise};
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

/// The file's size as a multiple of the memory that is allowed; 0 for no bound.
pub(crate) const STEPS: [u64; 4] = [0, 1, 2, 4];
pub(crate) const NAME: &str = "file over memory";
pub(crate) const ABOUT: &str = "1,000,000 flights; point reads on the wall, the file's pages dropped before";
pub(crate) const ROWS: usize = 1_000_000;

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

/// Loads the rows, and runs this program on the stores at each step.
///
/// # Errors
/// Why there are no control groups to be had.
pub(crate) fn measure(rows: Vec<Row>, folder: &Path, flights: &Path, reads: u32) -> Result<Vec<(u64, Figure)>, String> {
    let peers: [Box<dyn Peer>; 2] =
        [Box::new(Ours::open(&folder.join("entable"), 1, 0)), Box::new(Floor::open(&folder.join("floor")))];
    for mut peer in peers {
        for rows in rows.chunks(LOAD_ROWS) {
            let batch = peer.batch(&rows.iter().map(|row| (0, row)).collect::<Vec<_>>());
            peer.load(batch);
        }
    }
    let mut figures = Vec::new();
    let files = [("entable", folder.join("entable/store.ent")), ("floor", folder.join("floor/data.mdb"))];
    for step in STEPS {
        for (peer, path) in &files {
            let file = File::open(path).expect("a store's file");
            file.sync_all().expect("a sync");
            fadvise(&file, 0, None, Advice::DontNeed).expect("the pages are let go");
            let bytes = file.metadata().expect("the file's size").len().checked_div(step);
            let group = bytes.map(Group::new).transpose().map_err(|error| error.to_string())?;
            let mut child = Command::new(std::env::current_exe().expect("this program's path"));
            child.arg("--dir").arg(folder).arg("--flights").arg(flights);
            child.args(["--reads", &reads.to_string(), "--confined", peer]);
            if let Some(group) = &group {
                child.arg("--group").arg(&group.0);
            }
            let output = child.output().expect("this program runs");
            if !output.status.success() {
                return Err(String::from_utf8_lossy(&output.stderr).into_owned());
            }
            let median: f64 = String::from_utf8_lossy(&output.stdout).trim().parse().expect("a figure");
            figures.push((step, Figure { op: "point read", unit: "us", peer, median }));
        }
    }
    Ok(figures)
}

/// In the process of its own: microseconds of a point read on the wall.
pub(crate) fn run(peer: &str, folder: &Path, group: Option<&Path>, flights: &Path, reads: u32) -> f64 {
    // Keys are made outside: what they take is not what is to be measured.
    let rows = flights::read(flights, ROWS);
    let rows: Vec<_> = (0..reads).map(|at| rows[mix(at, 5) as usize % rows.len()].clone()).collect();
    if let Some(group) = group {
        fs::write(group.join("cgroup.procs"), std::process::id().to_string()).expect("a place in the group");
    }
    let mut peer: Box<dyn Peer> = match peer {
        "floor" => Box::new(Floor::open(&folder.join("floor"))),
        _ => Box::new(Ours::open(&folder.join("entable"), 1, 0)),
    };
    let start = Instant::now();
    rows.iter().for_each(|row| peer.get(0, row));
    start.elapsed().as_secs_f64() * 1e6 / f64::from(reads)
}
