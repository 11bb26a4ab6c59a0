//! Who waits for the next commit, of this process or another: told at once of the former, and within some milliseconds
//! of the latter, which nobody announces.

use super::Live;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, Weak};
use std::task::Waker;
use std::time::Duration;

/// How long a commit of another process may stay unnoticed.
pub(crate) const POLL: Duration = Duration::from_millis(10);

/// The commits of one environment, as those see them who wait for the next.
#[derive(Default)]
pub(crate) struct Arrivals {
    /// Callers that wait, and wakers: who commits looks here first, and most often need do no more.
    waiting: AtomicUsize,
    state: Mutex<State>,
    arrived: Condvar,
}

#[derive(Default)]
struct State {
    /// Commits that somebody waited for.
    count: u64,
    wakers: Vec<Waker>,
    /// Whether a thread looks for commits of other processes.
    is_polled: bool,
}

/// A caller that is about to wait: what is committed after it was made ends the wait.
pub(crate) struct Waiting {
    arrivals: Arc<Arrivals>,
    seen: u64,
}

impl Arrivals {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Tells those who wait that something has been committed.
    pub(super) fn announce(&self) {
        if self.waiting.load(Ordering::SeqCst) == 0 {
            return;
        }
        let mut state = self.lock();
        state.count += 1;
        let wakers = self.take_wakers(&mut state);
        drop(state);
        self.arrived.notify_all();
        wakers.into_iter().for_each(Waker::wake);
    }

    fn take_wakers(&self, state: &mut State) -> Vec<Waker> {
        let wakers = std::mem::take(&mut state.wakers);
        self.waiting.fetch_sub(wakers.len(), Ordering::SeqCst);
        wakers
    }

    /// Begins to wait. To be called before the last look at what is waited for.
    pub(crate) fn wait(self: &Arc<Arrivals>) -> Waiting {
        self.waiting.fetch_add(1, Ordering::SeqCst);
        Waiting { seen: self.lock().count, arrivals: Arc::clone(self) }
    }

    /// Has the waker told of the next commit, or that the environment is gone. To be called before the last look.
    pub(crate) fn wake(self: &Arc<Arrivals>, live: &Arc<Live>, waker: &Waker) {
        let mut state = self.lock();
        // A future that is asked again and again stands here once.
        if !state.wakers.iter().any(|known| known.will_wake(waker)) {
            state.wakers.push(waker.clone());
            self.waiting.fetch_add(1, Ordering::SeqCst);
        }
        if !state.is_polled {
            let (arrivals, weak, last) = (Arc::clone(self), Arc::downgrade(live), live.last_commit());
            let poll = move || arrivals.poll(&weak, last);
            // Without a thread to be had, this process's own commits still wake.
            state.is_polled = std::thread::Builder::new().name("entable-arrivals".into()).spawn(poll).is_ok();
        }
    }

    /// Looks for commits of other processes as long as somebody waits.
    fn poll(&self, live: &Weak<Live>, mut last: usize) {
        loop {
            std::thread::sleep(POLL);
            let now = live.upgrade().map(|live| live.last_commit());
            let mut state = self.lock();
            if state.wakers.is_empty() {
                state.is_polled = false;
                return;
            }
            if now == Some(last) {
                continue;
            }
            let wakers = self.take_wakers(&mut state);
            state.is_polled &= now.is_some();
            drop(state);
            wakers.into_iter().for_each(Waker::wake);
            match now {
                Some(now) => last = now,
                None => return,
            }
        }
    }
}

impl Waiting {
    /// Waits for a commit, at most until one of another process has to be looked for, or so long.
    pub(crate) fn for_at_most(self, time: Duration) {
        let state = self.arrivals.lock();
        let is_waiting = |state: &mut State| state.count == self.seen;
        let waited = self.arrivals.arrived.wait_timeout_while(state, time.min(POLL), is_waiting);
        drop(waited.unwrap_or_else(PoisonError::into_inner));
    }
}

impl Drop for Waiting {
    fn drop(&mut self) {
        self.arrivals.waiting.fetch_sub(1, Ordering::SeqCst);
    }
}
