//! One step of a curve, measured: entable and raw LMDB in turn, round by round.

use crate::curves::Step;
use crate::peers::{Floor, Ours, Peer};
use crate::rows::{Row, mix};
use bench_shared::{Clock, spread};
use std::path::Path;
use std::time::Instant;

/// In a transaction.
pub(crate) const LOAD_ROWS: usize = 10_000;
/// Kept back from the load, for the durable inserts.
const HELD_BACK: usize = 16;

pub(crate) struct Effort {
    pub(crate) rounds: u32,
    pub(crate) reads: u32,
}

/// The median of one operation with one peer.
pub(crate) struct Figure {
    pub(crate) op: &'static str,
    pub(crate) unit: &'static str,
    pub(crate) peer: &'static str,
    pub(crate) median: f64,
}

pub(crate) fn measure(step: &Step, effort: &Effort, folder: &Path) -> Vec<Figure> {
    let mut peers: [Box<dyn Peer>; 2] = [
        Box::new(Ours::open(&folder.join("entable"), step.tables, step.indexes)),
        Box::new(Floor::open(&folder.join("floor"))),
    ];
    let rows: Vec<(u32, &Row)> = step.rows.iter().map(|(table, row)| (*table, row)).collect();
    // Spread over all rows, so that what is left in the end lies between what is there.
    let apart = rows.len() / (HELD_BACK * effort.rounds as usize);
    let (held, loaded): (Vec<_>, Vec<_>) = rows.iter().enumerate().partition(|(at, _)| at % apart.max(2) == 1);
    let [held, loaded] = [held, loaded].map(|rows| rows.into_iter().map(|(_, row)| *row).collect::<Vec<_>>());
    let mut figures = Vec::new();
    for peer in &mut peers {
        let mut seconds = 0.0;
        for rows in loaded.chunks(LOAD_ROWS) {
            let batch = peer.batch(rows);
            let start = Instant::now();
            peer.load(batch);
            seconds += start.elapsed().as_secs_f64();
        }
        let micros = seconds * 1e6 / loaded.len() as f64;
        figures.push(Figure { op: "load", unit: "us a row", peer: peer.name(), median: micros });
    }
    for peer in &peers {
        let bytes = peer.file_bytes() as f64 / loaded.len() as f64;
        figures.push(Figure { op: "bytes", unit: "B a row", peer: peer.name(), median: bytes });
    }
    let of_round = |round: u32, count: u32| {
        let loaded = &loaded;
        (0..count).map(move |at| loaded[mix(at, 77 + round) as usize % loaded.len()])
    };
    // Large rows are read less often: a read of 1 MB is a copy of 1 MB.
    let reads = effort.reads.min((effort.reads as usize * loaded.len() / 2_000) as u32).max(100);
    figures.extend(rounds(&mut peers, effort.rounds, ("point read", "us"), |peer, round| {
        let start = Clock::Thread.seconds();
        of_round(round, reads).for_each(|(table, row)| peer.get(table, row));
        (Clock::Thread.seconds() - start, reads as usize)
    }));
    let ranges = (reads / 50).max(4);
    figures.extend(rounds(&mut peers, effort.rounds, ("range of 100", "us a row"), |peer, round| {
        let start = Clock::Thread.seconds();
        let rows = of_round(round, ranges).map(|(table, row)| peer.range(table, row)).sum();
        (Clock::Thread.seconds() - start, rows)
    }));
    let each = (held.len() / effort.rounds as usize).min(HELD_BACK);
    figures.extend(rounds(&mut peers, effort.rounds, ("durable insert", "us"), |peer, round| {
        let batches: Vec<_> = held[round as usize * each..][..each].iter().map(|row| peer.batch(&[*row])).collect();
        let start = Instant::now();
        batches.into_iter().for_each(|batch| peer.load(batch));
        (start.elapsed().as_secs_f64(), each)
    }));
    figures
}

/// Medians in microseconds. `run` gives seconds, and of how many operations.
fn rounds(
    peers: &mut [Box<dyn Peer>],
    rounds: u32,
    (op, unit): (&'static str, &'static str),
    mut run: impl FnMut(&mut dyn Peer, u32) -> (f64, usize),
) -> Vec<Figure> {
    let mut micros = vec![Vec::new(); peers.len()];
    for round in 0..rounds {
        for turn in 0..peers.len() {
            let at = (turn + round as usize) % peers.len();
            let (seconds, times) = run(&mut *peers[at], round);
            micros[at].push(seconds * 1e6 / times as f64);
        }
    }
    let figures = peers.iter().zip(micros);
    figures.map(|(peer, micros)| Figure { op, unit, peer: peer.name(), median: spread(micros)[1] }).collect()
}
