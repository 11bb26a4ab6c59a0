//! What is done with a file by this process, in numbers: some calls are timed, all commits are, and what is counted
//! is counted with one addition.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError, RwLock};
use std::time::{Duration, Instant};

/// One call in so many is timed, on average.
pub(crate) const SAMPLED: u32 = 64;
/// Kinds of queries that are told apart.
const KINDS: usize = 16;
/// Keys that the sketch of the busiest ones holds.
const SKETCHED: usize = 64;
/// Samples after which older ones begin to count half.
const SKETCH_AGE: u64 = 1 << 14;
/// Four buckets for each power of 2, up to 2⁴²: nanoseconds of an hour, or bytes of 4 TiB.
const BUCKETS: usize = 4 * 42;

/// The numbers of one file.
pub(crate) struct Meter {
    /// Point reads, in nanoseconds.
    pub(crate) reads: Histogram,
    /// Pages of queries, in nanoseconds.
    pub(crate) queries: Histogram,
    /// Commits, all of them, in nanoseconds.
    pub(crate) commits: Histogram,
    /// Groups that shared a commit.
    pub(crate) commit_groups: Histogram,
    /// Bytes of keys and values that a commit put.
    pub(crate) commit_bytes: Histogram,
    /// Records that a group put or deleted.
    pub(crate) group_changes: Histogram,
    kinds: [AtomicU64; KINDS],
    /// How often each index was used, by its id.
    uses: RwLock<BTreeMap<u32, AtomicU64>>,
    busiest: Mutex<Sketch>,
    held: Mutex<Held>,
}

impl Default for Meter {
    fn default() -> Meter {
        Meter {
            reads: Histogram::default(),
            queries: Histogram::default(),
            commits: Histogram::default(),
            commit_groups: Histogram::default(),
            commit_bytes: Histogram::default(),
            group_changes: Histogram::default(),
            kinds: [const { AtomicU64::new(0) }; KINDS],
            uses: RwLock::default(),
            busiest: Mutex::default(),
            held: Mutex::default(),
        }
    }
}

thread_local! {
    /// Calls of this thread until the next one that is timed, and the state that the distance after it comes from.
    static NEXT: Cell<(u32, u32)> = const { Cell::new((0, 0x9e37_79b9)) };
}

/// Whether this call is one of those that are looked at. The distances between them vary, or a program that does the
/// same things in turn would have the same one of them looked at each time.
#[inline]
pub(crate) fn is_due() -> bool {
    let (left, state) = NEXT.get();
    if left > 0 {
        NEXT.set((left - 1, state));
        return false;
    }
    let state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
    NEXT.set((SAMPLED / 2 + (state >> 16) % SAMPLED, state));
    true
}

/// When the call began, if it is one of those that are timed.
#[inline]
pub(crate) fn timer() -> Option<Instant> {
    is_due().then(Instant::now)
}

impl Meter {
    /// Counts a query of this kind.
    pub(crate) fn count_kind(&self, kind: usize) {
        if let Some(kind) = self.kinds.get(kind) {
            kind.fetch_add(1, Relaxed);
        }
    }

    pub(crate) fn kind(&self, kind: usize) -> u64 {
        self.kinds.get(kind).map_or(0, |kind| kind.load(Relaxed))
    }

    /// Counts a use of the index of this id.
    pub(crate) fn count_use(&self, index: u32) {
        if let Some(uses) = self.uses.read().unwrap_or_else(PoisonError::into_inner).get(&index) {
            uses.fetch_add(1, Relaxed);
            return;
        }
        self.uses.write().unwrap_or_else(PoisonError::into_inner).entry(index).or_default().fetch_add(1, Relaxed);
    }

    pub(crate) fn uses(&self, index: u32) -> u64 {
        self.uses.read().unwrap_or_else(PoisonError::into_inner).get(&index).map_or(0, |uses| uses.load(Relaxed))
    }

    /// Notes that something was done under this key: called for samples only.
    #[cold]
    pub(crate) fn note_key(&self, key: &[u8]) {
        self.busiest.lock().unwrap_or_else(PoisonError::into_inner).note(key);
    }

    /// The busiest keys, with their share of all that was noted, at least and at most.
    pub(crate) fn busiest(&self) -> Vec<(Box<[u8]>, f64, f64)> {
        self.busiest.lock().unwrap_or_else(PoisonError::into_inner).busiest()
    }

    /// Notes that a transaction is held open, until the number is given to [`Meter::release`].
    pub(crate) fn hold(&self) -> u64 {
        let mut held = self.held.lock().unwrap_or_else(PoisonError::into_inner);
        held.last += 1;
        let id = held.last;
        held.since.insert(id, Instant::now());
        id
    }

    pub(crate) fn release(&self, id: u64) {
        self.held.lock().unwrap_or_else(PoisonError::into_inner).since.remove(&id);
    }

    /// For how long each transaction that is held has been, the oldest first.
    pub(crate) fn held(&self) -> Vec<Duration> {
        let held = self.held.lock().unwrap_or_else(PoisonError::into_inner);
        held.since.values().map(Instant::elapsed).collect()
    }
}

#[derive(Default)]
struct Held {
    last: u64,
    since: BTreeMap<u64, Instant>,
}

/// How often numbers of about this size came.
pub(crate) struct Histogram {
    buckets: [AtomicU64; BUCKETS],
    largest: AtomicU64,
    sum: AtomicU64,
}

impl Default for Histogram {
    fn default() -> Histogram {
        Histogram {
            buckets: [const { AtomicU64::new(0) }; BUCKETS],
            largest: AtomicU64::new(0),
            sum: AtomicU64::new(0),
        }
    }
}

/// What a histogram has come to. A quantile is at most a quarter too high.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Summary {
    pub(crate) count: u64,
    pub(crate) sum: u64,
    pub(crate) p50: u64,
    pub(crate) p90: u64,
    pub(crate) p99: u64,
    pub(crate) largest: u64,
}

impl Histogram {
    pub(crate) fn record(&self, number: u64) {
        if let Some(bucket) = self.buckets.get(bucket(number).min(BUCKETS - 1)) {
            bucket.fetch_add(1, Relaxed);
        }
        self.largest.fetch_max(number, Relaxed);
        self.sum.fetch_add(number, Relaxed);
    }

    pub(crate) fn record_since(&self, begin: Instant) {
        self.record(u64::try_from(begin.elapsed().as_nanos()).unwrap_or(u64::MAX));
    }

    pub(crate) fn summary(&self) -> Summary {
        let counts: Vec<u64> = self.buckets.iter().map(|bucket| bucket.load(Relaxed)).collect();
        let (count, largest) = (counts.iter().sum::<u64>(), self.largest.load(Relaxed));
        let quantile = |percent: u64| {
            let rank = (count * percent).div_ceil(100).max(1);
            let mut before = 0;
            let at = counts.iter().position(|count| {
                before += count;
                before >= rank
            });
            at.map_or(0, |at| end(at).min(largest))
        };
        let sum = self.sum.load(Relaxed);
        Summary { count, sum, p50: quantile(50), p90: quantile(90), p99: quantile(99), largest }
    }
}

/// Numbers below 4 have a bucket each; above, the power of 2 and the two bits behind it tell.
fn bucket(number: u64) -> usize {
    match number.checked_ilog2() {
        None | Some(0 | 1) => number as usize,
        Some(power) => 4 * (power as usize - 1) + (number >> (power - 2) & 3) as usize,
    }
}

/// The largest number of a bucket.
fn end(bucket: usize) -> u64 {
    if bucket < 4 {
        return bucket as u64;
    }
    let (power, quarter) = (bucket / 4 + 1, (bucket % 4) as u64);
    ((4 + quarter + 1) << (power - 2)) - 1
}

/// The keys that come most often, of any number of keys, in a fixed number of places: a new key takes the place of the
/// rarest, and its count as what it may have had ("space saving", Metwally, Agrawal, El Abbadi 2005).
#[derive(Default)]
struct Sketch {
    places: Vec<Counted>,
    noted: u64,
}

struct Counted {
    /// Of the key: most places are passed by without a look at theirs.
    hash: u32,
    key: Box<[u8]>,
    count: u64,
    /// How much of the count may be other keys'.
    doubt: u64,
}

impl Sketch {
    fn note(&mut self, key: &[u8]) {
        self.noted += 1;
        if self.noted > SKETCH_AGE {
            self.noted /= 2;
            for place in &mut self.places {
                place.count /= 2;
                place.doubt /= 2;
            }
        }
        let hash = crc32c::crc32c(key);
        if let Some(place) = self.places.iter_mut().find(|place| place.hash == hash && &*place.key == key) {
            place.count += 1;
            return;
        }
        let new = |doubt| Counted { hash, key: key.into(), count: doubt + 1, doubt };
        if self.places.len() < SKETCHED {
            self.places.push(new(0));
        } else if let Some(rarest) = self.places.iter_mut().min_by_key(|place| place.count) {
            *rarest = new(rarest.count);
        }
    }

    fn busiest(&self) -> Vec<(Box<[u8]>, f64, f64)> {
        let mut places: Vec<&Counted> = self.places.iter().filter(|place| place.count > place.doubt).collect();
        places.sort_by_key(|place| std::cmp::Reverse((place.count - place.doubt, place.count)));
        let share = |count: u64| count as f64 / self.noted.max(1) as f64;
        let shares =
            |place: &Counted| (place.key.clone(), share(place.count - place.doubt), share(place.count).min(1.0));
        places.into_iter().map(shares).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_number_has_a_bucket_that_is_not_much_larger() {
        for number in (0..10_000).chain((14..41).flat_map(|power| [(1_u64 << power) - 1, 1 << power, 5 << (power - 2)]))
        {
            let bucket = bucket(number);
            assert!(bucket < BUCKETS && end(bucket) >= number, "{number}");
            assert!(end(bucket) <= number + number / 4, "{number} in the bucket up to {}", end(bucket));
            assert!(bucket == 0 || end(bucket - 1) < number, "{number}");
        }
    }

    #[test]
    fn quantiles_are_those_of_the_numbers() {
        let histogram = Histogram::default();
        assert_eq!(histogram.summary(), Summary::default());
        (1..=1_000).for_each(|number| histogram.record(number));
        let Summary { count, sum, p50, p90, p99, largest } = histogram.summary();
        assert_eq!((count, sum, largest), (1_000, 500_500, 1_000));
        for (found, exact) in [(p50, 500), (p90, 900), (p99, 990)] {
            assert!((exact..=exact * 5 / 4).contains(&found), "{found} for {exact}");
        }
        histogram.record(u64::MAX);
        assert_eq!(histogram.summary().largest, u64::MAX);
    }

    #[test]
    fn one_call_in_sixty_four_is_looked_at_whatever_the_pattern() {
        for period in [1, 2, 3, 64] {
            let mut due = vec![0; period];
            let calls = 64 * 1_000 * period;
            (0..calls).filter(|_| is_due()).count();
            (0..calls).for_each(|call| due[call % period] += u32::from(is_due()));
            assert!(due.iter().all(|due| (800..1_200).contains(due)), "{period}: {due:?}");
        }
    }

    #[test]
    fn the_busiest_keys_are_found_among_many_others() {
        let mut sketch = Sketch::default();
        for number in 0..100_000_u32 {
            // One call in 4 is about the first, one in 8 about the second, the others about one of 10,000.
            let key = match number % 8 {
                0 | 4 => 1,
                2 => 2,
                _ => 3 + number.wrapping_mul(2_654_435_769) % 10_000,
            };
            sketch.note(&key.to_be_bytes());
        }
        let busiest = sketch.busiest();
        assert!(busiest.len() <= SKETCHED);
        for ((key, least, most), (expected, share)) in busiest.iter().zip([(1_u32, 0.25), (2, 0.125)]) {
            assert_eq!(**key, expected.to_be_bytes());
            // What came before the last halvings is a part of the sum.
            assert!(*least < share + 0.01 && *most > share - 0.01, "{least} to {most}");
        }
    }
}
