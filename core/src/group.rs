//! A group on its way through the writer: decided in the transaction that it meets, done when that is committed.

use crate::Result;
use crate::catalog::{Changed, Edit, Views};
use crate::limits::Mode;
use crate::storage::{Begun, Job, WriteTxn};
use crate::{DateTime, Error, ErrorCode};
use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll, Waker};

/// What every group of a store needs.
pub(crate) trait Surroundings: Send + Sync {
    fn views(&self) -> &Views;
    fn mode(&self) -> Mode;
    fn now(&self) -> DateTime;
    /// Takes over what a group has changed, once it is committed. Only then: readers of this process must not plan with
    /// what may not have been.
    fn committed(&self, changed: Changed);
}

/// A group, with what it gave in the last transaction that it was decided in.
pub(crate) struct Group<S, F, T> {
    store: Arc<S>,
    decide: F,
    outcome: Option<Result<(T, Changed)>>,
    /// Whether it is run once, whatever becomes of the transaction.
    is_only_try: bool,
}

impl<S: Surroundings, T, F: FnMut(&mut Edit<'_, '_>) -> Result<T>> Group<S, F, T> {
    pub(crate) fn new(store: Arc<S>, decide: F) -> Group<S, F, T> {
        Group { store, decide, outcome: None, is_only_try: false }
    }

    /// The group is run once: it may drop what it is made of on the way.
    pub(crate) fn try_once(&mut self) {
        self.is_only_try = true;
    }

    /// Decides the group and puts it. See [`Job::run`].
    pub(crate) fn run(&mut self, txn: &mut WriteTxn<'_>) -> Result<()> {
        let mut decide = || {
            let mut edit = Edit::new(txn, self.store.views(), self.store.mode(), self.store.now())?;
            edit.is_only_try = self.is_only_try;
            Ok(((self.decide)(&mut edit)?, edit.decide()?))
        };
        self.outcome = Some(match decide() {
            Ok((outcome, decided)) => Ok((outcome, decided.put(txn)?)),
            Err(error) => Err(error),
        });
        Ok(())
    }

    /// The group's outcome, given what became of the transaction.
    pub(crate) fn finish(self, committed: Result<()>) -> Result<T> {
        match (self.outcome, committed) {
            // What the group itself failed for stands, whatever became of its neighbours.
            (Some(Err(error)), _) | (_, Err(error)) => Err(error),
            (Some(Ok((outcome, changed))), Ok(())) => {
                self.store.committed(changed);
                Ok(outcome)
            }
            (None, Ok(())) => Err(Error::new(ErrorCode::Internal).fact("A group was committed without being decided.")),
        }
    }
}

/// A group that waits in the queue, with whom to tell. It keeps what it needs to be run.
pub(crate) struct Queued<S, F, T, C, K> {
    pub(crate) group: Group<S, F, T>,
    pub(crate) complete: C,
    /// Says whether the caller has given up; `None` if it cannot.
    pub(crate) begun: Option<Arc<Begun>>,
    /// Kept open until the group is done.
    pub(crate) keep: K,
}

impl<S, F, T, C, K> Job for Queued<S, F, T, C, K>
where
    S: Surroundings,
    F: FnMut(&mut Edit<'_, '_>) -> Result<T> + Send,
    T: Send,
    C: FnOnce(Result<T>) + Send,
    K: Send,
{
    fn run(&mut self, txn: &mut WriteTxn<'_>) -> Result<()> {
        if self.begun.as_ref().is_some_and(|begun| !begun.begin()) {
            self.group.outcome = Some(Err(Error::new(ErrorCode::Cancelled)));
            return Ok(());
        }
        self.group.run(txn)
    }

    fn finish(self: Box<Self>, committed: Result<()>) {
        let Queued { group, complete, keep, begun: _ } = *self;
        complete(group.finish(committed));
        drop(keep);
    }
}

/// A write that is under way: a future without a runtime.
///
/// A caller may give up while the write waits for its turn, by dropping the future or by [`cancel`](Submitted::cancel);
/// once it has been begun it is done. Who wants it done whatever becomes of the future says [`detach`](Submitted::detach).
///
/// # Example
/// ```
/// use entable::{entity, Operation, Store};
/// # fn block_on<T>(future: impl Future<Output = T>) -> T {
/// #     let mut future = std::pin::pin!(future);
/// #     let thread = std::thread::current();
/// #     struct Wake(std::thread::Thread);
/// #     impl std::task::Wake for Wake { fn wake(self: std::sync::Arc<Self>) { self.0.unpark() } }
/// #     let waker = std::sync::Arc::new(Wake(thread)).into();
/// #     loop {
/// #         match future.as_mut().poll(&mut std::task::Context::from_waker(&waker)) {
/// #             std::task::Poll::Ready(value) => return value,
/// #             std::task::Poll::Pending => std::thread::park(),
/// #         }
/// #     }
/// # }
/// let store = Store::in_memory()?;
/// let orders = store.create_table("Orders")?;
/// let first = orders.submit(Operation::create(entity! { "DE", "0001" })?)?;
/// let second = orders.submit(Operation::create(entity! { "DE", "0002" })?)?;
/// block_on(async { first.await?; second.await })?; // on any executor
/// assert_eq!(orders.list_entities()?.count(), 2);
/// # Ok::<(), entable::Error>(())
/// ```
#[derive(Debug)]
#[must_use = "dropped while the write is queued, it takes the write back"]
pub struct Submitted<T> {
    state: Arc<Mutex<State<T>>>,
    begun: Arc<Begun>,
}

#[derive(Debug)]
struct State<T> {
    outcome: Option<Result<T>>,
    waker: Option<Waker>,
}

/// Tells a [`Submitted`] its outcome; dropped without one, it tells that.
struct Telling<T>(Arc<Mutex<State<T>>>);

impl<T: Send + 'static> Submitted<T> {
    /// The future, what completes it, and what says whether it has been given up.
    pub(crate) fn new() -> (Submitted<T>, impl FnOnce(Result<T>) + Send + 'static, Arc<Begun>) {
        let state = Arc::new(Mutex::new(State { outcome: None, waker: None }));
        let telling = Telling(Arc::clone(&state));
        let begun = Arc::<Begun>::default();
        (Submitted { state, begun: Arc::clone(&begun) }, move |outcome| telling.tell(outcome), begun)
    }
}

impl<T> Submitted<T> {
    /// Gives the write up if it has not been begun. Tells whether: then nothing of it is done, and the future's
    /// outcome is [`ErrorCode::Cancelled`]. Otherwise the future goes on to its outcome.
    pub fn cancel(&self) -> bool {
        self.begun.cancel()
    }

    /// Lets go of the write without taking it back: it is done, and nobody learns its outcome.
    pub fn detach(self) {
        // Whether that began it or it had been begun: from now on it cannot be given up.
        self.begun.begin();
    }
}

impl<T> Drop for Submitted<T> {
    fn drop(&mut self) {
        self.begun.cancel();
    }
}

impl<T> Telling<T> {
    fn tell(&self, outcome: Result<T>) {
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if state.outcome.is_none() {
            state.outcome = Some(outcome);
        }
        let waker = state.waker.take();
        drop(state);
        if let Some(waker) = waker {
            waker.wake();
        }
    }
}

impl<T> Drop for Telling<T> {
    fn drop(&mut self) {
        // Completed already, or lost to a panic of the writer: then nothing was written.
        self.tell(Err(lost()));
    }
}

/// The error of a group that the writer lost.
pub(crate) fn lost() -> Error {
    Error::new(ErrorCode::Internal).fact("The writer failed before it came to this operation.")
}

impl<T> Future for Submitted<T> {
    type Output = Result<T>;

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Result<T>> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        match state.outcome.take() {
            Some(outcome) => Poll::Ready(outcome),
            None => {
                state.waker = Some(context.waker().clone());
                Poll::Pending
            }
        }
    }
}
