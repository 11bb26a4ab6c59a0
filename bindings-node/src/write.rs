//! Writes behind a promise: queued with the core, which does many of them in one commit. No thread waits for them.

use crate::convert::{Factories, unknown};
use crate::error::{Converted, Failure};
use crate::shape::Values;
use entable::{ErrorCode, Query, Submitted};
use napi::bindgen_prelude::{Env, FnArgs, Function, JsValue, Unknown};
use napi::threadsafe_function::{ThreadsafeFunction, ThreadsafeFunctionCallMode};
use napi::{Result, Status};
use napi_derive::napi;
use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::future::Future;
use std::mem;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Wake, Waker};

/// Writes of one environment that the core has at a time. Its queue takes about a thousand, over all threads, before
/// it makes callers wait, and an event loop must not wait.
const UNDER_WAY: usize = 256;

/// In the place of a promise's number: the write is done before the call returns.
pub(crate) const NOW: u32 = 0;

/// `lib/settle.js`: settles promises, each by its number, whether it failed, and its value.
pub(crate) type Settle<'env> = Function<'env, FnArgs<(Vec<u32>,)>, Unknown<'static>>;

/// Calls it with what is there; not referred to, so that a process may end.
type Tell = ThreadsafeFunction<(), Unknown<'static>, Values, Status, false, true>;

/// What makes the value of a promise, on its environment's thread.
type Made = Box<dyn for<'e> FnOnce(&'e Env) -> Converted<Unknown<'e>> + Send>;
type Finish<T> = Box<dyn for<'e> FnOnce(&'e Env, T) -> Result<Unknown<'e>> + Send>;

/// A promise of `lib/settle.js`, by its number, and what it is settled with.
struct Outcome {
    promise: u32,
    made: Made,
}

/// What is to be told an environment's thread. It is woken once for all that have come until it looks.
struct Outcomes {
    there: Arc<Mutex<Vec<Outcome>>>,
    tell: Tell,
}

impl Outcomes {
    fn push(&self, outcome: Outcome) {
        let is_first = {
            let mut there = locked(&self.there);
            there.push(outcome);
            there.len() == 1
        };
        if is_first {
            // If it is not taken, the environment has ended, and its promises with it.
            self.tell.call((), ThreadsafeFunctionCallMode::NonBlocking);
        }
    }
}

/// The writes of an environment whose promises are not settled. Only its own thread has it.
pub(crate) struct Backlog {
    outcomes: Arc<Outcomes>,
    /// Never called: as long as it is referred to, the process does not end.
    keeper: RefCell<Tell>,
    under_way: Cell<usize>,
    waiting: RefCell<VecDeque<Box<dyn FnOnce()>>>,
}

impl Backlog {
    pub(crate) fn new(settle: &Settle<'_>) -> Result<Backlog> {
        let there = Arc::new(Mutex::new(Vec::new()));
        let seen = Arc::clone(&there);
        let function = || settle.build_threadsafe_function::<()>().callee_handled::<false>().weak::<true>();
        let tell = function().build_callback(move |told| {
            // Let go of before anything is made of them: a write that has got a place may be one that has an outcome.
            let outcomes = mem::take(&mut *locked(&seen));
            Ok(settled(&told.env, outcomes))
        })?;
        let keeper = function().build_callback(|_| Ok(Values::default()))?;
        Ok(Backlog {
            outcomes: Arc::new(Outcomes { there, tell }),
            keeper: RefCell::new(keeper),
            under_way: Cell::new(0),
            waiting: RefCell::default(),
        })
    }

    fn begin(&self, env: &Env, begin: Box<dyn FnOnce()>) -> Result<()> {
        let under_way = self.under_way.get();
        if under_way == UNDER_WAY {
            self.waiting.borrow_mut().push_back(begin);
            return Ok(());
        }
        if under_way == 0 {
            self.keep(env, true)?;
        }
        self.under_way.set(under_way + 1);
        begin();
        Ok(())
    }

    /// One that was under way has ended: the next takes its place.
    fn end_one(&self, env: &Env) -> Result<()> {
        let next = self.waiting.borrow_mut().pop_front();
        if let Some(begin) = next {
            begin();
            return Ok(());
        }
        self.under_way.set(self.under_way.get().saturating_sub(1));
        if self.under_way.get() == 0 { self.keep(env, false) } else { Ok(()) }
    }

    #[expect(
        deprecated,
        reason = "what is meant to take its place ends the function, and to make one takes longer than a write"
    )]
    fn keep(&self, env: &Env, is_kept: bool) -> Result<()> {
        let mut keeper = self.keeper.borrow_mut();
        if is_kept { keeper.refer(env) } else { keeper.unref(env) }
    }
}

/// Makes the values of these outcomes: for each the number of its promise, whether it failed, and its value.
fn settled(env: &Env, outcomes: Vec<Outcome>) -> Values {
    let mut values = Values::default();
    for Outcome { promise, made } in outcomes {
        let made = || match Factories::of(env).and_then(|factories| factories.backlog.end_one(env)) {
            Ok(()) => made(env),
            Err(error) => Err(error.into()),
        };
        // No panic crosses the boundary.
        let value = catch_unwind(AssertUnwindSafe(made))
            .unwrap_or_else(|_| Err(entable::Error::new(ErrorCode::Internal).into()));
        let (has_failed, value) = match value {
            Ok(value) => (false, Ok(value)),
            Err(failure) => (true, failure.exception(env)),
        };
        let three = || Ok([env.create_uint32(promise)?.to_unknown(), unknown(env, has_failed)?, value?]);
        // Without memory for a value nobody can be told.
        let three: Result<[Unknown<'_>; 3]> = three();
        if let Ok(three) = three {
            three.iter().for_each(|value| values.push(value));
        }
    }
    values
}

/// A write whose promise has not been settled yet.
struct Pending<T: Send + 'static> {
    state: Mutex<State<T>>,
    promise: u32,
    finish: Mutex<Option<Finish<T>>>,
    outcomes: Arc<Outcomes>,
}

enum State<T> {
    Waiting,
    Submitted(Submitted<T>),
    Ended,
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl<T: Send + 'static> Pending<T> {
    fn begin(self: Arc<Self>, submit: impl FnOnce() -> entable::Result<Submitted<T>>) {
        {
            let mut state = locked(&self.state);
            if !matches!(*state, State::Waiting) {
                // Given up: its place is the next one's.
                drop(state);
                return self.settle(Err(entable::Error::new(ErrorCode::Cancelled)));
            }
            match submit() {
                Ok(submitted) => *state = State::Submitted(submitted),
                Err(error) => {
                    *state = State::Ended;
                    drop(state);
                    return self.settle(Err(error));
                }
            }
        }
        self.look();
    }

    /// Settles the promise if the outcome is there; is called again when it is.
    fn look(self: Arc<Self>) {
        let waker = Waker::from(Arc::clone(&self));
        let mut state = locked(&self.state);
        let State::Submitted(submitted) = &mut *state else { return };
        if let Poll::Ready(outcome) = Pin::new(submitted).poll(&mut Context::from_waker(&waker)) {
            *state = State::Ended;
            drop(state);
            self.settle(outcome);
        }
    }

    fn settle(&self, outcome: entable::Result<T>) {
        let Some(finish) = locked(&self.finish).take() else { return };
        let made: Made = Box::new(move |env| match outcome {
            Ok(value) => Ok(finish(env, value)?),
            Err(error) => Err(Failure::from(error)),
        });
        self.outcomes.push(Outcome { promise: self.promise, made });
    }
}

/// Called by the core's writer when the outcome is there.
impl<T: Send + 'static> Wake for Pending<T> {
    fn wake(self: Arc<Self>) {
        self.look();
    }
}

/// Takes back a write that has not been begun.
trait TakeBack {
    fn take_back(&self) -> bool;
}

impl<T: Send + 'static> TakeBack for Pending<T> {
    fn take_back(&self) -> bool {
        let mut state = locked(&self.state);
        match &*state {
            State::Waiting => *state = State::Ended,
            // Settled when the writer comes to it, and finds it taken back.
            State::Submitted(submitted) => return submitted.cancel(),
            State::Ended => return false,
        }
        true
    }
}

/// How `lib/` gives up a call: made for one that has a signal, and handed in with it.
#[napi]
#[derive(Default)]
pub struct GivingUp {
    write: RefCell<Option<Arc<dyn TakeBack>>>,
    has_given_up: Arc<AtomicBool>,
}

impl GivingUp {
    /// The query, which ends as `Cancelled` in the midst of a page when it is given up.
    pub(crate) fn watch(&self, query: Query) -> Query {
        let has_given_up = Arc::clone(&self.has_given_up);
        query.stop_if(move || has_given_up.load(Ordering::Relaxed))
    }
}

#[napi]
impl GivingUp {
    /// For one call, or the parts of one.
    #[napi(constructor)]
    pub fn new() -> GivingUp {
        GivingUp::default()
    }

    /// Gives up a query, which ends soon; and a write if it has not been begun, and tells whether it was one: then the
    /// promise is rejected.
    #[napi(catch_unwind)]
    pub fn give_up(&self) -> bool {
        self.has_given_up.store(true, Ordering::Relaxed);
        self.write.borrow().as_ref().is_some_and(|write| write.take_back())
    }
}

/// Queues a write whose promise has this number: `submit` hands it to the core, now or when there is a place; `finish`
/// converts its outcome.
pub(crate) fn queue<'env, T: Send + 'static>(
    env: &'env Env,
    promise: u32,
    giving_up: Option<&GivingUp>,
    submit: impl FnOnce() -> entable::Result<Submitted<T>> + 'static,
    finish: impl for<'e> FnOnce(&'e Env, T) -> Result<Unknown<'e>> + Send + 'static,
) -> Result<Unknown<'env>> {
    let backlog = &Factories::of(env)?.backlog;
    let finish: Finish<T> = Box::new(finish);
    let pending = Arc::new(Pending {
        state: Mutex::new(State::Waiting),
        promise,
        finish: Mutex::new(Some(finish)),
        outcomes: Arc::clone(&backlog.outcomes),
    });
    if let Some(giving_up) = giving_up {
        *giving_up.write.borrow_mut() = Some(Arc::clone(&pending) as Arc<dyn TakeBack>);
    }
    backlog.begin(env, Box::new(move || pending.begin(submit)))?;
    unknown(env, ())
}
