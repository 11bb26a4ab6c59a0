//! The one way to the disk: a write transaction begins here, and commits here.
//!
//! A caller that is alone commits on its own thread. As soon as callers meet, or one does not want to wait, jobs
//! queue up, and a thread takes all that is queued into one transaction, so that one sync serves them all. Each job
//! is decided by itself in that transaction, and learns its own outcome.

use super::{Live, WriteTxn};
use crate::{Error, ErrorCode, Result};
use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, Weak};
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

/// Jobs that may wait. Callers that would wait for their outcome anyway wait for a place instead.
const QUEUE: usize = 1_024;
/// Jobs that share a commit at most: more would make the first wait for long.
const SHARED: usize = 4_096;

/// The queue of one environment, and the thread that drains it.
#[derive(Default)]
pub(crate) struct Writer {
    shared: Arc<Shared>,
    /// Started by the first job that queues.
    thread: Mutex<Option<JoinHandle<()>>>,
}

#[derive(Default)]
struct Shared {
    state: Mutex<State>,
    /// Told when a job comes, when a turn ends, and when the writer closes.
    changed: Condvar,
}

#[derive(Default)]
struct State {
    queue: VecDeque<Box<dyn Job>>,
    /// Whether somebody has the turn: a lone caller, a transaction, or the thread.
    is_taken: bool,
    is_closing: bool,
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        // Nothing that can panic is done under the lock.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn wait<'a>(&self, state: MutexGuard<'a, State>) -> MutexGuard<'a, State> {
        self.changed.wait(state).unwrap_or_else(PoisonError::into_inner)
    }
}

/// The right to begin a write transaction. Given back when dropped, also by a panic.
pub(crate) struct Turn<'a>(&'a Shared);

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        self.0.lock().is_taken = false;
        self.0.changed.notify_all();
    }
}

impl Writer {
    /// The turn, if nobody has it and nobody waits for it.
    pub(crate) fn try_turn(&self) -> Option<Turn<'_>> {
        let mut state = self.shared.lock();
        if state.is_taken || !state.queue.is_empty() {
            return None;
        }
        state.is_taken = true;
        Some(Turn(&self.shared))
    }

    /// The turn, when it is free: what is queued waits.
    pub(crate) fn turn(&self) -> Turn<'_> {
        let mut state = self.shared.lock();
        while state.is_taken {
            state = self.shared.wait(state);
        }
        state.is_taken = true;
        Turn(&self.shared)
    }

    /// Queues a job: the thread runs and finishes it. Waits while the queue is full.
    ///
    /// # Errors
    /// [`ErrorCode::Io`] if there is no thread to be had; the job is not queued then.
    pub(crate) fn submit(&self, live: &Arc<Live>, job: Box<dyn Job>) -> Result<()> {
        if !self.start(live) {
            return Err(Error::new(ErrorCode::Io).fact("The system gives no thread to write in."));
        }
        let mut state = self.shared.lock();
        while state.queue.len() >= QUEUE {
            state = self.shared.wait(state);
        }
        state.queue.push_back(job);
        drop(state);
        self.shared.changed.notify_all();
        Ok(())
    }

    /// Waits until what is queued is done and nobody has the turn. Called by the writer's own thread, it does not
    /// wait for itself.
    pub(crate) fn wait_until_idle(&self) {
        let own = |thread: &JoinHandle<()>| thread.thread().id() == thread::current().id();
        if self.thread.lock().unwrap_or_else(PoisonError::into_inner).as_ref().is_some_and(own) {
            return;
        }
        let mut state = self.shared.lock();
        while state.is_taken || !state.queue.is_empty() {
            state = self.shared.wait(state);
        }
    }

    /// Starts the thread, if it has not been. Tells whether it is there.
    fn start(&self, live: &Arc<Live>) -> bool {
        let mut thread = self.thread.lock().unwrap_or_else(PoisonError::into_inner);
        if thread.is_none() {
            let (shared, live) = (Arc::clone(&self.shared), Arc::downgrade(live));
            *thread = thread::Builder::new().name("entable-writer".into()).spawn(move || drain(&shared, &live)).ok();
        }
        thread.is_some()
    }
}

impl Drop for Writer {
    fn drop(&mut self) {
        self.shared.lock().is_closing = true;
        self.shared.changed.notify_all();
        let thread = self.thread.get_mut().unwrap_or_else(PoisonError::into_inner).take();
        // The thread itself may have let go of the environment last.
        if let Some(thread) = thread.filter(|thread| thread.thread().id() != thread::current().id()) {
            // It has panicked at worst, and then every job has been told.
            let _ = thread.join();
        }
    }
}

fn drain(shared: &Shared, live: &Weak<Live>) {
    loop {
        let mut state = shared.lock();
        while (state.queue.is_empty() || state.is_taken) && !state.is_closing {
            state = shared.wait(state);
        }
        if state.queue.is_empty() {
            return;
        }
        state.is_taken = true;
        let count = state.queue.len().min(SHARED);
        let jobs: Vec<Box<dyn Job>> = state.queue.drain(..count).collect();
        drop(state);
        let turn = Turn(shared);
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
        Some(Ok(())) => jobs.into_iter().for_each(|job| job.finish(Ok(()))),
        // Written or not: doing it again could do it twice.
        Some(Err(error)) if error.code() == ErrorCode::OutcomeUnknown => {
            jobs.into_iter().for_each(|job| job.finish(Err(error.duplicate())));
        }
        Some(Err(_)) | None => {
            for job in jobs {
                let mut alone = [job];
                let outcome = commit(live, &mut alone);
                let [job] = alone;
                job.finish(outcome);
            }
        }
    }
}

fn commit(live: &Live, jobs: &mut [Box<dyn Job>]) -> Result<()> {
    transact(live, |txn| jobs.iter_mut().try_for_each(|job| job.run(txn)))
}

/// Runs `job` in a write transaction and commits it. The caller has the turn.
///
/// # Errors
/// The job's own, with nothing written; [`ErrorCode::StoreFull`] if the disk or the map is full, with nothing
/// written; [`ErrorCode::OutcomeUnknown`] if the commit failed otherwise.
pub(crate) fn transact<T>(live: &Live, job: impl FnOnce(&mut WriteTxn<'_>) -> Result<T>) -> Result<T> {
    if live.is_read_only() {
        return Err(Error::new(ErrorCode::StoreReadOnly));
    }
    let span = tracing::debug_span!(target: "entable", "commit", groups = Empty, bytes = Empty).entered();
    let mut txn = live.write_txn()?;
    let outcome = job(&mut txn)?;
    let (put, begin) = (txn.put, Instant::now());
    span.record("groups", put.groups).record("bytes", put.bytes);
    txn.commit().map_err(|error| match error.code() {
        ErrorCode::StoreFull => error,
        _ => Error::new(ErrorCode::OutcomeUnknown).caused_by(error),
    })?;
    // A transaction that puts nothing commits nothing.
    if put.changes > 0 {
        live.meter.commits.record_since(begin);
        live.meter.commit_groups.record(put.groups);
        live.meter.commit_bytes.record(put.bytes);
    }
    Ok(outcome)
}

/// Takes the turn, runs `job` in a write transaction and commits it.
///
/// # Errors
/// As [`transact`].
pub(crate) fn run<T>(live: &Live, job: impl FnOnce(&mut WriteTxn<'_>) -> Result<T>) -> Result<T> {
    let _turn = live.writer.turn();
    transact(live, job)
}
