//! The one way to the disk: a write transaction begins here, and commits here.
//!
//! A caller that is alone commits on its own thread. As soon as callers meet, or one does not want to wait, jobs
//! queue up, and a thread takes all that is queued into one transaction, so that one sync serves them all. Each job
//! is decided by itself in that transaction, and learns its own outcome.

use super::env::HeldWriteTxn;
use super::fork::{self, forks};
use super::queue::{OwnTurn, Queue};
use super::thread::{ThreadNumber, this_thread};
use super::{Live, Read, WriteTxn};
use crate::{Error, ErrorCode, Result};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::thread::{self, JoinHandle};
use std::time::Instant;
use tracing::field::Empty;

/// Something to write.
pub(crate) trait Job: Send {
    /// Decides what to write and puts it. May be called again in another transaction, after the one that it was
    /// called in came to nothing.
    ///
    /// # Errors
    /// Only where something may have been put already: then the transaction is given up. A job that fails before
    /// keeps its own error, and says nothing here.
    fn run(&mut self, txn: &mut WriteTxn<'_>) -> Result<()>;

    /// Tells the caller: the transaction is committed, or it has come to nothing.
    fn finish(self: Box<Self>, committed: Result<()>);
}

/// Jobs that may wait. Whoever comes with one more waits for a place.
const QUEUE: usize = 1_024;
/// Jobs that share a commit at most: more would make the first wait for long.
const SHARED: usize = 4_096;

type Jobs = Queue<Box<dyn Job>, ThreadNumber>;

/// The queue of one environment, and the thread that drains it.
pub(crate) struct Writer {
    queue: Arc<Jobs>,
    /// Started by the first job that queues.
    thread: Mutex<Option<JoinHandle<()>>>,
    /// The thread's number, once it runs.
    number: Arc<AtomicU64>,
    forks: u32,
}

/// The right to begin a write transaction. Given back when dropped, also by a panic.
pub(crate) struct Turn {
    queue: Arc<Jobs>,
    forks: u32,
}

impl Drop for Turn {
    fn drop(&mut self) {
        // In the child of a fork the queue is a copy that may have been locked when it was made.
        if self.forks == forks() {
            self.queue.give_back();
        }
    }
}

impl Writer {
    pub(super) fn new() -> Writer {
        Writer { queue: Arc::new(Queue::new(QUEUE)), thread: Mutex::default(), number: Arc::default(), forks: forks() }
    }

    fn given(&self) -> Turn {
        Turn { queue: Arc::clone(&self.queue), forks: self.forks }
    }

    fn check_fork(&self) -> Result<()> {
        fork::check(self.forks)
    }

    /// The turn, if nobody has it and nobody waits for it.
    pub(crate) fn try_turn(&self) -> Option<Turn> {
        (self.forks == forks() && self.queue.try_take(this_thread())).then(|| self.given())
    }

    /// The turn, after all that came before.
    ///
    /// # Errors
    /// [`ErrorCode::TransactionOpen`] in the thread that has it; [`ErrorCode::StoreForked`].
    pub(crate) fn turn(&self) -> Result<Turn> {
        self.check_fork()?;
        self.queue.take(this_thread()).map_err(|OwnTurn| transaction_open())?;
        Ok(self.given())
    }

    /// Queues a job: the thread runs and finishes it. Waits while the queue is full.
    ///
    /// # Errors
    /// [`ErrorCode::Io`] if there is no thread to be had; [`ErrorCode::TransactionOpen`] in the thread that has the
    /// turn; [`ErrorCode::StoreForked`]. The job is not queued then.
    pub(crate) fn submit(&self, live: &Arc<Live>, job: Box<dyn Job>) -> Result<()> {
        self.check_fork()?;
        if !self.start(live) {
            return Err(Error::new(ErrorCode::Io).fact("The system gives no thread to write in."));
        }
        self.queue.push(this_thread(), job).map_err(|(_, OwnTurn)| transaction_open())
    }

    /// Whether this is the thread that does the jobs.
    fn is_own_thread(&self) -> bool {
        self.number.load(Ordering::Relaxed) == this_thread()
    }

    /// Refuses who would wait for a job of his own: a completion, on the thread that does the jobs.
    ///
    /// # Errors
    /// [`ErrorCode::TransactionOpen`].
    pub(crate) fn check_may_wait(&self) -> Result<()> {
        if self.is_own_thread() {
            return Err(
                Error::new(ErrorCode::TransactionOpen).fact("A completion may submit writes, and not wait for them.")
            );
        }
        Ok(())
    }

    /// Refuses who would wait for his own transaction to end.
    ///
    /// # Errors
    /// [`ErrorCode::TransactionOpen`]; [`ErrorCode::StoreForked`].
    pub(crate) fn check_has_no_turn(&self) -> Result<()> {
        self.check_fork()?;
        if self.queue.is_own(this_thread()) {
            return Err(
                Error::new(ErrorCode::TransactionOpen).fact("The file is exchanged when the transaction has ended.")
            );
        }
        Ok(())
    }

    /// Waits until all that came before is done. Called by who has the turn, it does not wait for itself.
    pub(crate) fn wait_for_others(&self) {
        drop(self.turn());
    }

    /// Starts the thread, if it has not been. Tells whether it is there.
    fn start(&self, live: &Arc<Live>) -> bool {
        let mut thread = self.thread.lock().unwrap_or_else(PoisonError::into_inner);
        if thread.is_none() {
            let (queue, live, number) = (Arc::clone(&self.queue), Arc::downgrade(live), Arc::clone(&self.number));
            let work = move || {
                number.store(this_thread(), Ordering::Relaxed);
                drain(&queue, &live);
            };
            *thread = thread::Builder::new().name("entable-writer".into()).spawn(work).ok();
        }
        thread.is_some()
    }
}

impl Drop for Writer {
    fn drop(&mut self) {
        let thread = self.thread.get_mut().unwrap_or_else(PoisonError::into_inner).take();
        if self.forks != forks() {
            // The child of a fork has no such thread: nobody would ever tell it that the thread has ended.
            std::mem::forget(thread);
            return;
        }
        self.queue.close();
        // The thread itself may have let go of the environment last.
        if let Some(thread) = thread.filter(|_| !self.is_own_thread()) {
            // It has panicked at worst, and then every job has been told.
            let _ = thread.join();
        }
    }
}

fn transaction_open() -> Error {
    Error::new(ErrorCode::TransactionOpen).fact("Write through the transaction, or end it first.")
}

fn drain(queue: &Arc<Jobs>, live: &Weak<Live>) {
    while let Some(jobs) = queue.next(this_thread(), SHARED) {
        let turn = Turn { queue: Arc::clone(queue), forks: forks() };
        let work = || match live.upgrade() {
            Some(live) => commit_all(&live, jobs),
            // Jobs keep their environment, so this is not reached; but no caller must be left waiting.
            None => jobs.into_iter().for_each(|job| job.finish(Err(Error::new(ErrorCode::StoreClosed)))),
        };
        // A panic aborts the transaction as it unwinds, and drops the jobs, which tells their callers. The thread
        // stays, for those who come next.
        let _ = catch_unwind(AssertUnwindSafe(work));
        drop(turn);
    }
}

/// Commits jobs together; if that fails, each by itself, so that one does not fail for another.
fn commit_all(live: &Live, mut jobs: Vec<Box<dyn Job>>) {
    let together = if jobs.len() == 1 { None } else { Some(commit(live, &mut jobs)) };
    match together {
        Some(Ok(())) => jobs.into_iter().for_each(|job| tell(job, Ok(()))),
        // Written or not: doing it again could do it twice.
        Some(Err(error)) if error.code() == ErrorCode::OutcomeUnknown => {
            jobs.into_iter().for_each(|job| tell(job, Err(error.duplicate())));
        }
        Some(Err(_)) | None => {
            for job in jobs {
                let mut alone = [job];
                let outcome = commit(live, &mut alone);
                let [job] = alone;
                tell(job, outcome);
            }
        }
    }
}

/// Tells a job's caller. What is called then may be the caller's own, and its panic is no reason to leave the others that
/// share the commit without their answers: the panic has been reported by its hook, and ends here.
fn tell(job: Box<dyn Job>, outcome: Result<()>) {
    drop(catch_unwind(AssertUnwindSafe(|| job.finish(outcome))));
}

fn commit(live: &Live, jobs: &mut [Box<dyn Job>]) -> Result<()> {
    transact(live, |txn| jobs.iter_mut().try_for_each(|job| job.run(txn)))
}

/// Runs `job` in a write transaction and commits it. The caller has the turn.
///
/// # Errors
/// The job's own, with nothing written; [`ErrorCode::StoreFull`] if the disk or the map is full, and
/// [`ErrorCode::Io`] if the system failed otherwise, with nothing written; [`ErrorCode::OutcomeUnknown`] if nobody can
/// tell whether the commit will be found.
pub(crate) fn transact<T>(live: &Live, job: impl FnOnce(&mut WriteTxn<'_>) -> Result<T>) -> Result<T> {
    if live.is_read_only() {
        return Err(Error::new(ErrorCode::StoreReadOnly));
    }
    let span = tracing::debug_span!(target: "entable", "commit", groups = Empty, bytes = Empty).entered();
    let mut txn = live.write_txn()?;
    let outcome = job(&mut txn)?;
    span.record("groups", txn.put.groups).record("bytes", txn.put.bytes);
    commit_txn(live, txn)?;
    Ok(outcome)
}

fn commit_txn(live: &Live, txn: WriteTxn<'_>) -> Result<()> {
    let (put, number, begin) = (txn.put, txn.id() as u64, Instant::now());
    txn.commit().map_err(|error| live.after_failed_commit(number, error))?;
    // A transaction that puts nothing commits nothing.
    if put.changes > 0 {
        live.meter.commits.record_since(begin);
        live.meter.commit_groups.record(put.groups);
        live.meter.commit_bytes.record(put.bytes);
        live.arrivals.announce();
    }
    Ok(())
}

/// A write transaction that stays open between calls of the thread that began it, with the turn at writing. Dropped,
/// it has written nothing.
pub(crate) struct OpenTxn {
    // Dropped in this order: the transaction before the turn.
    txn: HeldWriteTxn,
    _turn: Turn,
}

impl OpenTxn {
    /// Waits for the turn, and begins.
    ///
    /// # Errors
    /// [`ErrorCode::TransactionOpen`] in the thread that has the turn; [`ErrorCode::StoreReadOnly`];
    /// [`ErrorCode::StoreForked`].
    pub(crate) fn begin(live: &Arc<Live>) -> Result<OpenTxn> {
        if live.is_read_only() {
            return Err(Error::new(ErrorCode::StoreReadOnly));
        }
        let turn = live.writer.turn()?;
        Ok(OpenTxn { txn: HeldWriteTxn::new(live)?, _turn: turn })
    }

    /// # Errors
    /// [`ErrorCode::StoreForked`] in the child of a fork.
    pub(crate) fn txn(&self) -> Result<&WriteTxn<'static>> {
        self.txn.txn()
    }

    /// # Errors
    /// [`ErrorCode::StoreForked`] in the child of a fork.
    pub(crate) fn txn_mut(&mut self) -> Result<&mut WriteTxn<'static>> {
        self.txn.txn_mut()
    }

    /// # Errors
    /// As [`transact`].
    pub(crate) fn commit(self) -> Result<()> {
        let span = tracing::debug_span!(target: "entable", "commit", groups = 1, bytes = Empty).entered();
        self.txn.end(|live, mut txn| {
            // Its parts were put one by one.
            txn.put.groups = txn.put.groups.min(1);
            span.record("bytes", txn.put.bytes);
            commit_txn(live, txn)
        })
    }
}

/// Takes the turn, runs `job` in a write transaction and commits it.
///
/// # Errors
/// As [`transact`].
pub(crate) fn run<T>(live: &Live, job: impl FnOnce(&mut WriteTxn<'_>) -> Result<T>) -> Result<T> {
    let _turn = live.writer.turn()?;
    transact(live, job)
}
