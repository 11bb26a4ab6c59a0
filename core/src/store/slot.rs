//! What a store's handles have open: an environment, or how to open it again, or nothing any more.

use crate::storage::{Again, Live, ThreadNumber, broken, this_thread};
use crate::{Error, ErrorCode, Result};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard, TryLockError};

/// The environment of a store. A call holds what it reads of this for its own time only.
pub(super) struct Slot {
    state: RwLock<State>,
    /// Looked at by those alone who would have to wait.
    exchange: Mutex<Option<Exchange>>,
}

/// An exchange of files that is under way: its thread has the lock, and runs code of the caller's.
struct Exchange {
    thread: ThreadNumber,
    /// Whether that code has closed the store.
    is_closed: bool,
}

/// Notes that an exchange has ended, however it does.
struct Ending<'a>(&'a Slot);

impl Drop for Ending<'_> {
    fn drop(&mut self) {
        *self.0.exchange_state() = None;
    }
}

enum State {
    Open(Arc<Live>),
    /// It was broken.
    LetGo(Again),
    Closed,
}

impl State {
    fn let_go(&mut self) {
        if let State::Open(live) = self
            && live.is_broken()
            && let Some(again) = live.again()
        {
            *self = State::LetGo(again);
        }
    }
}

fn closed() -> Error {
    Error::new(ErrorCode::StoreClosed)
}

impl Slot {
    pub(super) fn new(live: Arc<Live>) -> Slot {
        Slot { state: RwLock::new(State::Open(live)), exchange: Mutex::default() }
    }

    fn exchange_state(&self) -> MutexGuard<'_, Option<Exchange>> {
        self.exchange.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Refuses who would wait for itself: what an exchange calls, on its own thread.
    fn check_not_exchanging(&self) -> Result<()> {
        match &*self.exchange_state() {
            Some(exchange) if exchange.thread == this_thread() => {
                let fact = "What a compaction calls to tell how far it has come does not call the store.";
                Err(Error::new(ErrorCode::StoreBusy).fact(fact))
            }
            _ => Ok(()),
        }
    }

    fn read(&self) -> Result<RwLockReadGuard<'_, State>> {
        match self.state.try_read() {
            Ok(state) => Ok(state),
            Err(TryLockError::Poisoned(state)) => Ok(state.into_inner()),
            Err(TryLockError::WouldBlock) => {
                self.check_not_exchanging()?;
                Ok(self.state.read().unwrap_or_else(PoisonError::into_inner))
            }
        }
    }

    fn write(&self) -> Result<RwLockWriteGuard<'_, State>> {
        self.check_not_exchanging()?;
        Ok(self.state.write().unwrap_or_else(PoisonError::into_inner))
    }

    /// The environment; `None` if it has to be opened again.
    ///
    /// # Errors
    /// [`ErrorCode::StoreClosed`]; [`ErrorCode::StoreBusy`] from the midst of an exchange on this thread.
    pub(super) fn get(&self) -> Result<Option<Arc<Live>>> {
        match &*self.read()? {
            State::Open(live) if !live.is_broken() => Ok(Some(Arc::clone(live))),
            State::Open(_) | State::LetGo(_) => Ok(None),
            State::Closed => Err(closed()),
        }
    }

    /// The environment, for one who does without it where he would have to wait.
    pub(super) fn at_hand(&self) -> Option<Arc<Live>> {
        match &*self.state.try_read().ok()? {
            State::Open(live) if !live.is_broken() => Some(Arc::clone(live)),
            State::Open(_) | State::LetGo(_) | State::Closed => None,
        }
    }

    /// Runs `job` on the environment while nobody can close it.
    pub(super) fn with<T>(&self, job: impl FnOnce(&Arc<Live>) -> Result<T>) -> Result<T> {
        match &*self.read()? {
            State::Open(live) => job(live),
            State::LetGo(_) => Err(broken()),
            State::Closed => Err(closed()),
        }
    }

    /// Opens the file again, if no other thread was faster. Calls of all handles wait meanwhile.
    ///
    /// # Errors
    /// Those of opening, and of `begin`, which is given what was opened; then the next call tries again.
    pub(super) fn open_again(&self, begin: impl FnOnce(&Arc<Live>) -> Result<()>) -> Result<Arc<Live>> {
        let mut state = self.write()?;
        state.let_go();
        let again = match &*state {
            State::Open(live) if !live.is_broken() => return Ok(Arc::clone(live)),
            State::Open(_) => return Err(broken().fact("A store in memory cannot be opened again after a failure.")),
            State::LetGo(again) => again,
            State::Closed => return Err(closed()),
        };
        let live = again.open()?;
        begin(&live)?;
        *state = State::Open(Arc::clone(&live));
        Ok(live)
    }

    /// Lets go of an environment that is broken, unless a call is about to do something with it.
    pub(super) fn let_go(&self) {
        match self.state.try_write() {
            Ok(mut state) => state.let_go(),
            Err(TryLockError::Poisoned(state)) => state.into_inner().let_go(),
            Err(TryLockError::WouldBlock) => {}
        }
    }

    /// Closes the store. Gives what was open. From the midst of an exchange on this thread, it is closed when that ends.
    pub(super) fn close(&self) -> Option<Arc<Live>> {
        if let Some(exchange) = &mut *self.exchange_state()
            && exchange.thread == this_thread()
        {
            exchange.is_closed = true;
            return None;
        }
        let mut state = self.state.write().unwrap_or_else(PoisonError::into_inner);
        match std::mem::replace(&mut *state, State::Closed) {
            State::Open(live) => Some(live),
            State::LetGo(_) | State::Closed => None,
        }
    }

    /// Whether the store has been closed, for one who has the turn to write. It does not wait for one who exchanges the
    /// file: that one waits for the turn to end.
    pub(super) fn is_closed(&self) -> bool {
        match self.state.try_read() {
            Ok(state) => matches!(*state, State::Closed),
            Err(TryLockError::Poisoned(state)) => matches!(*state.into_inner(), State::Closed),
            Err(TryLockError::WouldBlock) => false,
        }
    }

    /// Lends `job` the environment, for it to put another in its place. Calls of all handles wait meanwhile. Where it
    /// gives none back, the store is closed.
    ///
    /// # Errors
    /// [`ErrorCode::StoreClosed`]; [`ErrorCode::StoreBusy`] from the midst of an exchange on this thread.
    pub(super) fn exchange<T>(&self, job: impl FnOnce(Arc<Live>) -> (Option<Arc<Live>>, T)) -> Result<T> {
        let mut state = self.write()?;
        let live = match std::mem::replace(&mut *state, State::Closed) {
            State::Open(live) => live,
            State::LetGo(again) => {
                *state = State::LetGo(again);
                return Err(broken());
            }
            State::Closed => return Err(closed()),
        };
        *self.exchange_state() = Some(Exchange { thread: this_thread(), is_closed: false });
        let ending = Ending(self);
        let (new, outcome) = job(live);
        let is_closed = self.exchange_state().as_ref().is_some_and(|exchange| exchange.is_closed);
        drop(ending);
        if let Some(new) = new.filter(|_| !is_closed) {
            *state = State::Open(new);
        }
        Ok(outcome)
    }
}
