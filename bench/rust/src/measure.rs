//! Time, taken in rounds: every round runs each peer in turn, so that a bad minute of the machine hits all of them.

use crate::peers::Peer;
use crate::rows::Row;
pub(crate) use bench_shared::Clock;
use bench_shared::spread;

/// What one operation took with each of some peers, round by round.
pub(crate) struct Sample {
    pub(crate) op: String,
    pub(crate) unit: &'static str,
    pub(crate) peers: Vec<(&'static str, Vec<f64>)>,
}

impl Sample {
    /// The figures of a peer.
    fn of(&self, peer: &str) -> Option<&[f64]> {
        self.peers.iter().find(|(name, _)| *name == peer).map(|(_, figures)| &figures[..])
    }

    pub(crate) fn median(&self, peer: &str) -> Option<f64> {
        self.of(peer).map(|figures| spread(figures.to_vec())[1])
    }

    /// Least, median and most of the ratio of two peers, which is taken within each round.
    pub(crate) fn ratio(&self, peer: &str, against: &str) -> Option<[f64; 3]> {
        let (figures, base) = (self.of(peer)?, self.of(against)?);
        Some(spread(figures.iter().zip(base).map(|(figure, base)| figure / base).collect()))
    }
}

/// One operation, and how it is measured.
pub(crate) struct Job {
    pub(crate) op: String,
    pub(crate) clock: Clock,
    pub(crate) unit: &'static str,
    /// Units in a second.
    pub(crate) per_second: f64,
    /// How often a round does it.
    pub(crate) times: u32,
}

/// Runs a job in rounds. `run` is given the peer and the round, and answers how many rows it met, which must be as many
/// for every peer; `prepare` makes what it needs, untimed.
pub(crate) fn rounds<R: Row, T>(
    peers: &mut [Box<dyn Peer<R>>],
    rounds: u32,
    job: Job,
    mut prepare: impl FnMut(&dyn Peer<R>, u32) -> T,
    mut run: impl FnMut(&mut dyn Peer<R>, T) -> u64,
) -> Sample {
    let mut figures: Vec<Vec<f64>> = vec![Vec::new(); peers.len()];
    for round in 0..rounds {
        let mut met = None;
        for turn in 0..peers.len() {
            let at = (turn + round as usize) % peers.len();
            let peer = &mut *peers[at];
            let prepared = prepare(peer, round);
            let start = job.clock.seconds();
            let rows = run(peer, prepared);
            let seconds = job.clock.seconds() - start;
            figures[at].push(seconds * job.per_second / f64::from(job.times));
            assert_eq!(rows, *met.get_or_insert(rows), "{} met other rows: {}", peer.name(), job.op);
        }
    }
    let names = peers.iter().map(|peer| peer.name());
    let sample = Sample { op: job.op, unit: job.unit, peers: names.zip(figures).collect() };
    for (name, figures) in &sample.peers {
        eprint!("  {name} {:.4}", spread(figures.clone())[1]);
    }
    eprintln!("  {} ({})", sample.op, sample.unit);
    sample
}
