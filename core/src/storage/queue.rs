//! Who writes next: jobs and callers in the order in which they came, one turn at a time.
//!
//! Knows nothing of what is written, so that a test can try every order of its threads (`tests/loom`).

use super::sync::{Condvar, Mutex, MutexGuard};
use std::collections::VecDeque;
use std::sync::PoisonError;

/// A queue of jobs `J`, drained by one thread, and of callers that want the turn for themselves. `I` tells threads
/// apart.
pub(crate) struct Queue<J, I> {
    state: Mutex<State<J, I>>,
    /// Told whenever the state changes.
    changed: Condvar,
    /// Jobs that may wait; whoever comes with one more waits for a place.
    places: usize,
}

struct State<J, I> {
    waiting: VecDeque<Waiting<J>>,
    jobs: usize,
    next_ticket: u64,
    holder: Option<Holder<I>>,
    is_closing: bool,
}

enum Waiting<J> {
    Job(J),
    /// A caller that waits for the turn, by its ticket.
    Caller(u64),
}

#[derive(Clone, Copy, PartialEq)]
enum Holder<I> {
    Caller(I),
    Drain(I),
}

/// The thread has the turn already, or does the jobs: it would wait for itself.
#[derive(Debug, PartialEq)]
pub(crate) struct OwnTurn;

impl<J, I: Copy + PartialEq> Queue<J, I> {
    pub(crate) fn new(places: usize) -> Queue<J, I> {
        let state = State { waiting: VecDeque::new(), jobs: 0, next_ticket: 0, holder: None, is_closing: false };
        Queue { state: Mutex::new(state), changed: Condvar::new(), places }
    }

    fn lock(&self) -> MutexGuard<'_, State<J, I>> {
        // Nothing that can panic is done under the lock.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn wait<'a>(&self, state: MutexGuard<'a, State<J, I>>) -> MutexGuard<'a, State<J, I>> {
        self.changed.wait(state).unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes the turn if nobody has it and nobody waits for it. Tells whether it did.
    pub(crate) fn try_take(&self, me: I) -> bool {
        let mut state = self.lock();
        if state.holder.is_some() || !state.waiting.is_empty() {
            return false;
        }
        state.holder = Some(Holder::Caller(me));
        true
    }

    /// Takes the turn, after all that came before.
    pub(crate) fn take(&self, me: I) -> Result<(), OwnTurn> {
        let mut state = self.lock();
        if state.is_own(me) {
            return Err(OwnTurn);
        }
        let ticket = state.next_ticket;
        state.next_ticket += 1;
        state.waiting.push_back(Waiting::Caller(ticket));
        while state.holder.is_some() || !matches!(state.waiting.front(), Some(Waiting::Caller(next)) if *next == ticket)
        {
            state = self.wait(state);
        }
        state.waiting.pop_front();
        state.holder = Some(Holder::Caller(me));
        Ok(())
    }

    /// Whether the thread has the turn, or does the jobs.
    pub(crate) fn is_own(&self, me: I) -> bool {
        self.lock().is_own(me)
    }

    /// Gives the turn back.
    pub(crate) fn give_back(&self) {
        self.lock().holder = None;
        self.changed.notify_all();
    }

    /// Puts a job at the end. Waits for a place, but in the thread that does the jobs, which would wait for itself.
    ///
    /// # Errors
    /// The job, if the thread has the turn for something else: it could not be done before that has ended.
    pub(crate) fn push(&self, me: I, job: J) -> Result<(), (J, OwnTurn)> {
        let mut state = self.lock();
        while state.jobs >= self.places && !state.is_own(me) {
            state = self.wait(state);
        }
        if state.holder == Some(Holder::Caller(me)) {
            return Err((job, OwnTurn));
        }
        state.jobs += 1;
        state.waiting.push_back(Waiting::Job(job));
        drop(state);
        self.changed.notify_all();
        Ok(())
    }

    /// For the draining thread: waits for the turn at jobs, takes it and as many of them as come before the next
    /// caller, at most `most`. `None` when the queue is closed and has no job.
    pub(crate) fn next(&self, me: I, most: usize) -> Option<Vec<J>> {
        let mut state = self.lock();
        loop {
            if state.is_closing && state.jobs == 0 {
                return None;
            }
            if state.holder.is_none() && matches!(state.waiting.front(), Some(Waiting::Job(_))) {
                break;
            }
            state = self.wait(state);
        }
        state.holder = Some(Holder::Drain(me));
        let mut jobs = Vec::with_capacity(state.jobs.min(most));
        while jobs.len() < most {
            match state.waiting.pop_front() {
                Some(Waiting::Job(job)) => jobs.push(job),
                Some(caller) => {
                    state.waiting.push_front(caller);
                    break;
                }
                None => break,
            }
        }
        state.jobs -= jobs.len();
        drop(state);
        // There are places now.
        self.changed.notify_all();
        Some(jobs)
    }

    /// Ends the draining thread, as soon as there are no jobs.
    pub(crate) fn close(&self) {
        self.lock().is_closing = true;
        self.changed.notify_all();
    }
}

impl<J, I: PartialEq> State<J, I> {
    fn is_own(&self, me: I) -> bool {
        matches!(&self.holder, Some(Holder::Caller(holder) | Holder::Drain(holder)) if *holder == me)
    }
}
