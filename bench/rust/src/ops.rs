//! The operations, on one layout of one data set.

use crate::Settings;
use crate::measure::{Clock, Job, Sample, rounds};
use crate::memory::{IS_SHOWING, allocations, own_kib};
use crate::peers::{self, Batch, Peer};
use crate::rows::{Ask, Row, city_of, mix, partition_key, row_key};
use std::fs;
use std::path::Path;
use std::process::Command;
use std::sync::atomic::Ordering::Relaxed;

pub(crate) type Peers<R> = Vec<Box<dyn Peer<R>>>;

const LOAD: &str = "bulk load";
const RANGE_ROWS: u32 = 100;
const GROUP_ROWS: u32 = 100;
const LOAD_ROWS: u32 = 10_000;
/// Inserts that are under way at once where nobody waits for each.
const IN_FLIGHT: u32 = 64;

/// A data set in so many partitions.
pub(crate) struct Layout {
    pub(crate) name: &'static str,
    pub(crate) is_sparse: bool,
    pub(crate) partitions: u32,
}

pub(crate) const LAYOUTS: [Layout; 4] = [
    Layout { name: "employee-100", is_sparse: false, partitions: 100 },
    Layout { name: "employee-10000", is_sparse: false, partitions: 10_000 },
    Layout { name: "sparse-100", is_sparse: true, partitions: 100 },
    Layout { name: "sparse-10000", is_sparse: true, partitions: 10_000 },
];

/// Cities of about 0.1 % and 7 % of the rows that have one.
fn rare() -> Ask {
    Ask::City(city_of(200))
}

fn three() -> Ask {
    Ask::Three(city_of(1))
}

pub(crate) struct Run<'a> {
    pub(crate) settings: &'a Settings,
    pub(crate) layout: &'a Layout,
    pub(crate) samples: Vec<Sample>,
}

/// Runs everything on a layout, whose stores are in `folder`, or are loaded if there is no such folder.
pub(crate) fn run<R: Row>(settings: &Settings, layout: &Layout, folder: &Path) -> Vec<Sample> {
    eprintln!("{}:", layout.name);
    let is_loaded = folder.exists();
    let mut peers: Peers<R> = settings.peers.iter().map(|peer| peers::open(peer, folder)).collect();
    let mut run = Run { settings, layout, samples: Vec::new() };
    if !is_loaded {
        run.load(&mut peers);
    }
    run.reads(&mut peers);
    run.scans(&mut peers);
    run.memory(&mut peers, folder);
    run.sizes(&mut peers);
    run.sorted_load::<R>(&folder.join("sorted"));
    peers.retain(|peer| !peers::FOR_READS.contains(&peer.name()));
    run.writes(&mut peers);
    if !layout.is_sparse {
        run.indexes::<R>(folder);
    }
    run.samples
}

impl Run<'_> {
    pub(crate) fn rounds<R: Row, T>(
        &mut self,
        peers: &mut Peers<R>,
        job: Job,
        prepare: impl FnMut(&dyn Peer<R>, u32) -> T,
        run: impl FnMut(&mut dyn Peer<R>, T) -> u64,
    ) {
        // Without the rows there is nothing else to measure.
        if job.op == LOAD || self.settings.wants(&job.op) {
            self.samples.push(rounds(peers, self.settings.rounds, job, prepare, run));
        }
    }

    /// Figures that are not times, one for each peer.
    fn figures<R: Row>(
        &mut self,
        peers: &mut Peers<R>,
        (op, unit): (&str, &'static str),
        mut figure: impl FnMut(&mut dyn Peer<R>) -> Option<f64>,
    ) {
        if !self.settings.wants(op) {
            return;
        }
        let figures = peers.iter_mut().filter_map(|peer| figure(&mut **peer).map(|figure| (peer.name(), vec![figure])));
        let sample = Sample { op: op.to_owned(), unit, peers: figures.collect() };
        eprintln!("  {:?}  {op} ({unit})", sample.peers);
        self.samples.push(sample);
    }

    /// In the order of the rows' numbers, which is not that of their keys; 10,000 rows to a transaction.
    fn load<R: Row>(&mut self, peers: &mut Peers<R>) {
        let (rows, partitions, count) = (self.settings.rows, self.layout.partitions, self.settings.rounds);
        let of_round =
            |round: u32| rows / count * round..if round + 1 == count { rows } else { rows / count * (round + 1) };
        let job = Job { op: LOAD.into(), clock: Clock::Wall, unit: "us a row", per_second: 1e6, times: rows / count };
        let prepare = |peer: &dyn Peer<R>, round: u32| -> Vec<Batch<R>> {
            batches(peer, &of_round(round).collect::<Vec<u32>>(), partitions)
        };
        self.rounds(peers, job, prepare, load_all);
        self.figures(peers, ("bytes per row", "B"), |peer| Some(peer.file_bytes() as f64 / f64::from(rows)));
    }

    /// What rows take where nothing is free: SQLite's file has hardly a free page after a load, so that it is its whole
    /// file beside which entable's live pages are set.
    fn sizes<R: Row>(&mut self, peers: &mut Peers<R>) {
        let rows = f64::from(self.settings.rows);
        self.figures(peers, ("live bytes per row", "B"), |peer| Some(peer.live_bytes()? as f64 / rows));
        self.figures(peers, ("bytes per row compacted", "B"), |peer| Some(peer.compacted_bytes()? as f64 / rows));
    }

    /// In the order of the keys, into stores of their own; 10,000 rows to a transaction.
    fn sorted_load<R: Row>(&mut self, folder: &Path) {
        const OP: &str = "sorted load";
        if !self.settings.wants(OP) {
            return;
        }
        if folder.exists() {
            fs::remove_dir_all(folder).expect("the old stores are removed");
        }
        let mut peers: Peers<R> = self.settings.peers.iter().map(|peer| peers::open(peer, folder)).collect();
        let (rows, partitions) = (self.settings.rows, self.layout.partitions);
        let sorted: Vec<u32> =
            (0..partitions).flat_map(|partition| (partition..rows).step_by(partitions as usize)).collect();
        let part = rows / self.settings.rounds;
        let prepare = |peer: &dyn Peer<R>, round: u32| -> Vec<Batch<R>> {
            batches(peer, &sorted[(part * round) as usize..(part * (round + 1)) as usize], partitions)
        };
        let job = Job { op: OP.into(), clock: Clock::Wall, unit: "us a row", per_second: 1e6, times: part };
        self.rounds(&mut peers, job, prepare, load_all);
    }

    /// Keys of rows that are there, in no order.
    fn keys(&self, count: u32, below: u32, salt: u32) -> Vec<(String, String)> {
        let numbers = (0..count).map(|at| mix(at, salt) % below);
        numbers.map(|i| (partition_key(i, self.layout.partitions), row_key(i))).collect()
    }

    fn reads<R: Row>(&mut self, peers: &mut Peers<R>) {
        let (rows, times) = (self.settings.rows, self.settings.reads);
        let job = |op: &str, times| Job { op: op.into(), clock: Clock::Thread, unit: "us", per_second: 1e6, times };
        let keys: Vec<_> = (0..self.settings.rounds).map(|round| self.keys(times, rows, 77 + round)).collect();
        self.rounds(
            peers,
            job("point read", times),
            |_, round| &keys[round as usize],
            |peer, keys| keys.iter().map(|(partition_key, row_key)| peer.get(partition_key, row_key)).sum(),
        );
        let times = times / 50;
        let keys: Vec<_> = (0..self.settings.rounds).map(|round| self.keys(times, rows / 2, 99 + round)).collect();
        self.rounds(
            peers,
            job("range of 100", times),
            |_, round| &keys[round as usize],
            |peer, keys| {
                keys.iter().map(|(partition_key, row_key)| peer.range(partition_key, row_key, RANGE_ROWS)).sum()
            },
        );
    }

    fn scans<R: Row>(&mut self, peers: &mut Peers<R>) {
        let partitions = self.layout.partitions;
        let job =
            |op: &str, unit, per_second, times| Job { op: op.into(), clock: Clock::Thread, unit, per_second, times };
        let times = self.settings.rows.min(40_000) / (self.settings.rows / partitions);
        self.rounds(
            peers,
            job("partition scan City eq", "us", 1e6, times),
            |_, round| round,
            |peer, round| {
                let partition = |time| partition_key(time * 7 + round, partitions);
                (0..times).map(|time| peer.scan(Some(&partition(time)), &rare())).sum()
            },
        );
        let times = self.settings.repeats;
        for (op, ask) in
            [("table scan City eq", rare()), ("table scan 3 terms", three()), ("numeric scan Age gt 60", Ask::Age)]
        {
            let run = |peer: &mut dyn Peer<R>, ()| (0..times).map(|_| peer.scan(None, &ask)).sum();
            self.rounds(peers, job(op, "ms", 1e3, times), |_, _| (), run);
        }
        for (op, ask) in [
            ("count", None),
            ("count City eq", Some(rare())),
            ("count 3 terms", Some(three())),
            ("count Age gt 60", Some(Ask::Age)),
        ] {
            let run = |peer: &mut dyn Peer<R>, ()| (0..times).map(|_| peer.count(ask.as_ref())).sum();
            self.rounds(peers, job(op, "ms", 1e3, times), |_, _| (), run);
        }
    }

    fn memory<R: Row>(&mut self, peers: &mut Peers<R>, folder: &Path) {
        const READS: u32 = 1_000;
        let keys = self.keys(READS, self.settings.rows, 55);
        self.figures(peers, ("allocations per point read", "allocations"), |peer| {
            let (count, _) = allocations(|| {
                keys.iter().for_each(|(partition_key, row_key)| _ = peer.get(partition_key, row_key));
            });
            Some(count as f64 / f64::from(READS))
        });
        if self.settings.show_allocations {
            for peer in peers.iter_mut() {
                eprintln!("  one point read of {}:", peer.name());
                IS_SHOWING.store(true, Relaxed);
                allocations(|| _ = peer.get(&keys[0].0, &keys[0].1));
                IS_SHOWING.store(false, Relaxed);
            }
        }
        let layout = self.layout.name;
        let (rows, reads) = (self.settings.rows.to_string(), self.settings.reads.to_string());
        self.figures(peers, ("heap over idle", "MiB"), |peer| {
            // Only one process may have their files open.
            if peers::FOR_READS.contains(&peer.name()) {
                return None;
            }
            let mut child = Command::new(std::env::current_exe().expect("this program's path"));
            child.args(["--heap-of", peer.name(), "--layouts", layout, "--rows", &rows, "--reads", &reads, "--dir"]);
            let output = child.arg(folder).output().expect("this program runs");
            assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
            let kib: f64 = String::from_utf8_lossy(&output.stdout).trim().parse().expect("a number of KiB");
            Some(kib / 1024.0)
        });
    }

    fn writes<R: Row>(&mut self, peers: &mut Peers<R>) {
        let (rows, partitions, singles) = (self.settings.rows, self.layout.partitions, self.settings.writes);
        let groups = singles.div_ceil(6);
        let job = |op: &str, times| Job { op: op.into(), clock: Clock::Wall, unit: "us", per_second: 1e6, times };
        let prepare = |peer: &dyn Peer<R>, round: u32| -> Vec<Batch<R>> {
            let numbers = (round * singles..(round + 1) * singles).map(|at| 50_000_000 + mix(at, 55) % 40_000_000);
            numbers.map(|i| peer.batch(vec![R::make(i, partitions)])).collect()
        };
        self.rounds(peers, job("durable insert", singles), prepare, |peer, batches| {
            batches.into_iter().for_each(|batch| peer.insert(batch));
            0
        });
        let prepare = |peer: &dyn Peer<R>, round: u32| {
            groups_of_rows(peer, rows, partitions, round * groups..(round + 1) * groups)
        };
        self.rounds(peers, job("durable group of 100", groups), prepare, |peer, batches| {
            batches.into_iter().for_each(|batch| peer.group(batch));
            0
        });
        let keys = |_: &dyn Peer<R>, round: u32| -> Vec<(String, String)> {
            let numbers = (round * singles..(round + 1) * singles).map(|at| at * 13 % rows);
            numbers.map(|i| (partition_key(i, partitions), row_key(i))).collect()
        };
        self.rounds(peers, job("durable delete", singles), keys, |peer, keys| {
            keys.iter().for_each(|(partition_key, row_key)| peer.delete(partition_key, row_key));
            0
        });
        self.concurrent_writes(peers);
        let deletes = groups.div_ceil(4);
        let keys = |_: &dyn Peer<R>, round: u32| -> Vec<String> {
            (round * deletes..(round + 1) * deletes).map(|at| partition_key(at * 13 + 7, partitions)).collect()
        };
        self.rounds(peers, job("durable delete by filter", deletes), keys, |peer, keys| {
            keys.iter().map(|partition_key| peer.delete_where(partition_key, &Ask::Age)).sum()
        });
        self.figures(peers, ("bytes per row after writes", "B"), |peer| {
            Some(peer.file_bytes() as f64 / f64::from(rows))
        });
    }
}

impl Run<'_> {
    /// Durable inserts from several threads, or without a wait for each.
    fn concurrent_writes<R: Row>(&mut self, peers: &mut Peers<R>) {
        let partitions = self.layout.partitions;
        for (at, (op, callers)) in
            [("durable insert of 8 callers", 8), ("durable insert of 64 callers", 64)].iter().enumerate()
        {
            let each = (self.settings.writes / callers).max(4);
            let count = each * callers;
            let first = 100_000_000 * (at as u32 + 1);
            let prepare = |peer: &dyn Peer<R>, round: u32| -> Vec<Vec<Batch<R>>> {
                let of_caller = |caller: u32| {
                    let from = first + round * count + caller * each;
                    (from..from + each).map(|i| peer.batch(vec![R::make(i, partitions)])).collect()
                };
                (0..*callers).map(of_caller).collect()
            };
            let job = Job { op: (*op).into(), clock: Clock::Wall, unit: "us an insert", per_second: 1e6, times: count };
            self.rounds(peers, job, prepare, |peer, rows| {
                peer.insert_by_callers(rows);
                0
            });
        }
        let count = self.settings.writes.max(IN_FLIGHT * 4);
        let prepare = |peer: &dyn Peer<R>, round: u32| -> Vec<Batch<R>> {
            let from = 300_000_000 + round * count;
            (from..from + count).map(|i| peer.batch(vec![R::make(i, partitions)])).collect()
        };
        let job = Job {
            op: "durable insert of 64 in flight".into(),
            clock: Clock::Wall,
            unit: "us an insert",
            per_second: 1e6,
            times: count,
        };
        self.rounds(peers, job, prepare, |peer, rows| {
            peer.insert_in_flight(rows, IN_FLIGHT as usize);
            0
        });
    }
}

/// Run in a process of its own on stores that are there: what reads of one peer leave in memory, in KiB.
pub(crate) fn heap_of<R: Row>(settings: &Settings, layout: &Layout, peer: &str, folder: &Path) -> u64 {
    let run = Run { settings, layout, samples: Vec::new() };
    let keys = run.keys(settings.reads, settings.rows, 31);
    let idle = own_kib();
    let mut peer = peers::open::<R>(peer, folder);
    let mut met = 0;
    for (at, (partition_key, row_key)) in keys.iter().enumerate() {
        met += peer.get(partition_key, row_key);
        if at % 50 == 0 {
            met += peer.range(partition_key, row_key, RANGE_ROWS);
        }
    }
    for ask in [rare(), three()] {
        met += peer.scan(None, &ask) + peer.count(Some(&ask));
    }
    assert!(met + peer.count(None) > 0);
    own_kib().saturating_sub(idle)
}

/// The rows of these numbers, in this order, so many to a transaction of a load.
pub(crate) fn batches<R: Row>(peer: &dyn Peer<R>, numbers: &[u32], partitions: u32) -> Vec<Batch<R>> {
    let chunks = numbers.chunks(LOAD_ROWS as usize);
    chunks.map(|chunk| peer.batch(chunk.iter().map(|i| R::make(*i, partitions)).collect())).collect()
}

/// Hands a peer what [`batches`] made.
pub(crate) fn load_all<R: Row>(peer: &mut dyn Peer<R>, batches: Vec<Batch<R>>) -> u64 {
    batches.into_iter().for_each(|batch| peer.load(batch));
    0
}

/// Groups by their numbers, each of rows of one partition that come after all others.
pub(crate) fn groups_of_rows<R: Row>(
    peer: &dyn Peer<R>,
    rows: u32,
    partitions: u32,
    groups: std::ops::Range<u32>,
) -> Vec<Batch<R>> {
    let group = |group: u32| {
        let first = rows + group * GROUP_ROWS;
        let mut group_rows: Vec<R> = (first..first + GROUP_ROWS).map(|i| R::make(i, partitions)).collect();
        group_rows.iter_mut().for_each(|row| row.set_partition(partition_key(group * 13, partitions)));
        peer.batch(group_rows)
    };
    groups.map(group).collect()
}
