//! Writes behind a promise: queued with the core, which does many of them in one commit. No thread waits for them.

use crate::convert::Factories;
use crate::error::Failure;
use entable::{ErrorCode, Submitted};
use napi::bindgen_prelude::{Env, JsValue, Object, Unknown};
use napi::{JsDeferred, Result};
use napi_derive::napi;
use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Wake, Waker};

/// Writes of one environment that the core has at a time. Its queue takes about a thousand, over all threads, before
/// it makes callers wait, and an event loop must not wait.
const UNDER_WAY: usize = 256;

type Resolver = Box<dyn FnOnce(Env) -> Result<Object<'static>> + Send>;
type Finish<T> = Box<dyn for<'e> FnOnce(&'e Env, T) -> Result<Unknown<'e>> + Send>;

/// The writes that wait for those under way. Only its own environment's thread has it.
#[derive(Default)]
pub(crate) struct Backlog {
    under_way: Cell<usize>,
    waiting: RefCell<VecDeque<Box<dyn FnOnce()>>>,
}

impl Backlog {
    fn begin(&self, begin: Box<dyn FnOnce()>) {
        if self.under_way.get() < UNDER_WAY {
            self.under_way.set(self.under_way.get() + 1);
            begin();
        } else {
            self.waiting.borrow_mut().push_back(begin);
        }
    }

    /// One that was under way has ended: the next takes its place.
    fn end_one(&self) {
        let next = self.waiting.borrow_mut().pop_front();
        match next {
            Some(begin) => begin(),
            None => self.under_way.set(self.under_way.get().saturating_sub(1)),
        }
    }
}

/// A write whose promise has not been settled yet.
struct Pending<T: Send + 'static> {
    state: Mutex<State<T>>,
    promise: Mutex<Option<(JsDeferred<Object<'static>, Resolver>, Finish<T>)>>,
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
        let Some((deferred, finish)) = locked(&self.promise).take() else { return };
        deferred.resolve(Box::new(move |env: Env| {
            Factories::of(&env)?.backlog.end_one();
            let value = match outcome {
                Ok(value) => finish(&env, value)?,
                Err(error) => return Err(Failure::from(error).into_js(&env)),
            };
            Ok(Object::from_raw(env.raw(), value.raw()))
        }));
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

/// How `lib/` gives up a write: made for a call that has a signal, and handed in with it.
#[napi]
#[derive(Default)]
pub struct GivingUp(RefCell<Option<Arc<dyn TakeBack>>>);

#[napi]
impl GivingUp {
    /// For one call.
    #[napi(constructor)]
    pub fn new() -> GivingUp {
        GivingUp::default()
    }

    /// Gives the write up if it has not been begun, and tells whether: then the promise is rejected.
    #[napi(catch_unwind)]
    pub fn give_up(&self) -> bool {
        self.0.borrow().as_ref().is_some_and(|write| write.take_back())
    }
}

/// Queues a write: `submit` hands it to the core, now or when there is a place; `finish` converts its outcome.
pub(crate) fn queue<'env, T: Send + 'static>(
    env: &'env Env,
    giving_up: Option<&GivingUp>,
    submit: impl FnOnce() -> entable::Result<Submitted<T>> + 'static,
    finish: impl for<'e> FnOnce(&'e Env, T) -> Result<Unknown<'e>> + Send + 'static,
) -> Result<Unknown<'env>> {
    let (deferred, promise) = env.create_deferred::<Object<'static>, Resolver>()?;
    let finish: Finish<T> = Box::new(finish);
    let pending =
        Arc::new(Pending { state: Mutex::new(State::Waiting), promise: Mutex::new(Some((deferred, finish))) });
    if let Some(giving_up) = giving_up {
        *giving_up.0.borrow_mut() = Some(Arc::clone(&pending) as Arc<dyn TakeBack>);
    }
    Factories::of(env)?.backlog.begin(Box::new(move || pending.begin(submit)));
    Ok(promise.to_unknown())
}
