//! What indexes cost, and what they give: on stores of their own, beside SQLite with the same indexes.

use crate::measure::{Clock, Job, Sample};
use crate::ops::{Peers, Run, batches, groups_of_rows, load_all};
use crate::peers::{self, Batch, ENTABLE, FLOOR, INDEXED, Peer, SQLITE};
use crate::rows::{Ask, Row, city_of, mix};
use entable::index::Projection;
use entable::{Index, Query, Store, Table};
use std::fs;
use std::hint::black_box;
use std::path::Path;

/// What a way through an index is compared with, in entable itself.
pub(crate) const SCAN: &str = "scan";
const FETCH: &str = "fetching";
/// Cities of about 70 of 200,000 rows each, from this rank on.
const RARE_RANK: u32 = 900;

impl Run<'_> {
    pub(crate) fn indexes<R: Row>(&mut self, folder: &Path) {
        let with = |names: [&'static str; 3], count: usize| -> Peers<R> {
            let folder = folder.join(format!("indexed-{count}"));
            // Even where stores are kept: these are loaded and indexed each time.
            if folder.exists() {
                fs::remove_dir_all(&folder).expect("the old stores are removed");
            }
            let wanted = names.into_iter().filter(|name| self.settings.peers.iter().any(|peer| peer == name));
            wanted.map(|peer| peers::open(peer, &folder)).collect()
        };
        let (mut without, mut one, mut three) =
            (with([ENTABLE, SQLITE, FLOOR], 0), with([ENTABLE, SQLITE, ""], 1), with([ENTABLE, SQLITE, ""], 3));
        one.iter_mut().for_each(|peer| peer.create_index(0));
        three.iter_mut().for_each(|peer| (0..INDEXED.len()).for_each(|number| peer.create_index(number)));
        if !["build City index", "lookup of 70 by City"].iter().all(|op| !self.settings.wants(op)) {
            self.load_with(&mut without, 0);
            self.lookups(&mut without);
        }
        for (peers, count) in [(&mut one, 1), (&mut three, 3)] {
            self.load_with(peers, count);
            self.writes_with(peers, count);
        }
        self.ways(&folder.join("indexed-1"));
        if let Some(films) = self.settings.films.clone() {
            let sample = crate::films::castings(&films, &folder.join("castings"), self.settings.rounds);
            self.samples.push(sample);
        }
    }

    fn load_with<R: Row>(&mut self, peers: &mut Peers<R>, count: usize) {
        let (rows, partitions, rounds) = (self.settings.rows, self.layout.partitions, self.settings.rounds);
        let part = rows / rounds;
        let prepare = |peer: &dyn Peer<R>, round: u32| -> Vec<Batch<R>> {
            batches(peer, &(part * round..part * (round + 1)).collect::<Vec<u32>>(), partitions)
        };
        let op = format!("bulk load with {}", indexes(count));
        let job = Job { op, clock: Clock::Wall, unit: "us a row", per_second: 1e6, times: part };
        // Without the rows there is nothing else to measure.
        let sample = crate::measure::rounds(peers, rounds, job, prepare, load_all);
        if count > 0 {
            self.samples.push(sample);
        }
    }

    fn writes_with<R: Row>(&mut self, peers: &mut Peers<R>, count: usize) {
        let (rows, partitions, singles) = (self.settings.rows, self.layout.partitions, self.settings.writes);
        let groups = singles.div_ceil(6);
        let job = |op: String, times| Job { op, clock: Clock::Wall, unit: "us", per_second: 1e6, times };
        let prepare = |peer: &dyn Peer<R>, round: u32| {
            groups_of_rows(peer, rows, partitions, round * groups..(round + 1) * groups)
        };
        self.rounds(
            peers,
            job(format!("durable group of 100 with {}", indexes(count)), groups),
            prepare,
            |peer, batches| {
                batches.into_iter().for_each(|batch| peer.group(batch));
                0
            },
        );
        let prepare = |peer: &dyn Peer<R>, round: u32| -> Vec<Batch<R>> {
            let numbers = (round * singles..(round + 1) * singles).map(|at| 50_000_000 + mix(at, 55) % 40_000_000);
            numbers.map(|i| peer.batch(vec![R::make(i, partitions)])).collect()
        };
        self.rounds(
            peers,
            job(format!("durable insert with {}", indexes(count)), singles),
            prepare,
            |peer, batches| {
                batches.into_iter().for_each(|batch| peer.insert(batch));
                0
            },
        );
    }

    fn lookups<R: Row>(&mut self, peers: &mut Peers<R>) {
        let is_floor = |peer: &dyn Peer<R>| peer.name() == FLOOR;
        let mut floor: Peers<R> = Vec::new();
        if let Some(at) = peers.iter().position(|peer| is_floor(&**peer)) {
            floor.push(peers.swap_remove(at));
        }
        let job = Job { op: "build City index".into(), clock: Clock::Wall, unit: "ms", per_second: 1e3, times: 1 };
        let prepare = |_: &dyn Peer<R>, round: u32| round;
        // It is there when the rounds are over, having been dropped before each but the first.
        self.rounds(peers, job, prepare, |peer, round| {
            if round > 0 {
                peer.drop_index(0);
            }
            peer.create_index(0);
            0
        });
        floor.iter_mut().for_each(|peer| peer.create_index(0));
        peers.append(&mut floor);
        let times = self.settings.reads / 100;
        let job = Job { op: "lookup of 70 by City".into(), clock: Clock::Thread, unit: "us", per_second: 1e6, times };
        self.rounds(
            peers,
            job,
            |_, round| round,
            |peer, round| {
                let ask = |time| Ask::City(city_of(RARE_RANK + mix(time, round) % (1_000 - RARE_RANK)));
                (0..times).map(|time| peer.scan(None, &ask(time))).sum()
            },
        );
    }

    /// Ways of entable beside each other.
    fn ways(&mut self, folder: &Path) {
        if !self.settings.wants("covering lookup by City") && !self.settings.wants("value of 90 %") {
            return;
        }
        let store = Store::open(folder.join(ENTABLE).join("store.ent")).expect("the store");
        let table = store.table("Rows").expect("a name");
        let covering = Index::new("Covering").properties(["City"]).projection(Projection::names(["Last", "Age"]));
        table.create_index(covering).expect("an index");
        table.create_index(Index::new("Active").properties(["Active"])).expect("an index");
        let lookups = self.settings.reads / 100;
        let asked = |through: &str, round: u32| -> u64 {
            let city = |time| city_of(RARE_RANK + mix(time, round) % (1_000 - RARE_RANK));
            let query = |time| Query::filter(format!("City eq '{}'", city(time))).select(["Last", "Age"]);
            (0..lookups).map(|time| answered(&table, query(time).through(through))).sum()
        };
        let sample = beside(
            ("covering lookup by City", "us", 1e6 / f64::from(lookups)),
            self.settings.rounds,
            (ENTABLE, &|round| asked("Covering", round)),
            (FETCH, &|round| asked("City", round)),
        );
        self.samples.push(sample);
        let most = || Query::filter("Active eq true");
        let sample = beside(
            ("value of 90 %", "ms", 1e3),
            self.settings.rounds,
            (ENTABLE, &|_| answered(&table, most())),
            (SCAN, &|_| answered(&table, most().by_keys())),
        );
        self.samples.push(sample);
    }
}

fn indexes(count: usize) -> String {
    if count == 1 { "1 index".into() } else { format!("{count} indexes") }
}

/// Collects the answer to a query. Gives how many rows it has.
pub(crate) fn answered(table: &Table, query: Query) -> u64 {
    let rows = table.query_entities(query).and_then(Iterator::collect::<Result<Vec<_>, _>>).expect("an answer");
    black_box(rows).len() as u64
}

type Way<'a> = (&'static str, &'a dyn Fn(u32) -> u64);

/// Two ways to the same rows, in turn.
pub(crate) fn beside(
    (op, unit, per_second): (&str, &'static str, f64),
    rounds: u32,
    ours: Way<'_>,
    other: Way<'_>,
) -> Sample {
    let mut figures = [Vec::new(), Vec::new()];
    let ways = [ours, other];
    for round in 0..rounds {
        let mut met = None;
        for turn in 0..ways.len() {
            let at = (turn + round as usize) % ways.len();
            let start = Clock::Thread.seconds();
            let rows = ways[at].1(round);
            figures[at].push((Clock::Thread.seconds() - start) * per_second);
            assert_eq!(rows, *met.get_or_insert(rows), "other rows by {}: {op}", ways[at].0);
        }
    }
    let peers = ways.iter().map(|(name, _)| *name).zip(figures).collect();
    let sample = Sample { op: op.to_owned(), unit, peers };
    let median = |name: &str| sample.median(name).unwrap_or_default();
    eprintln!("  {} {:.4}  {} {:.4}  {op} ({unit})", ways[0].0, median(ways[0].0), ways[1].0, median(ways[1].0));
    sample
}
