//! The two forms of every call: now, on the caller's thread, or later, on the thread pool with a promise.

use crate::error::{Converted, Failure};
use napi::bindgen_prelude::{Env, JsValue, Unknown};
use napi::{Result, ScopedTask};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Work for the store, and what makes a JavaScript value of its result, back on the caller's thread.
struct Job<W, F> {
    work: Option<W>,
    finish: Option<F>,
}

/// Answers one call: `prepare` converts the arguments into work, which is done before this returns or, if `is_later`,
/// on libuv's thread pool behind a promise; `finish` converts the result. Wrong arguments throw at once in both forms.
pub(crate) fn answer<'env, T, W, F>(
    env: &'env Env,
    is_later: bool,
    prepare: impl FnOnce() -> Converted<W>,
    finish: F,
) -> Result<Unknown<'env>>
where
    T: Send + 'static,
    W: FnOnce() -> entable::Result<T> + Send + 'static,
    F: for<'e> FnOnce(&'e Env, T) -> Result<Unknown<'e>> + Send + 'static,
{
    let work = prepare().map_err(|failure| failure.into_js(env))?;
    if is_later {
        let promise = env.spawn(Job { work: Some(work), finish: Some(finish) })?.promise_object();
        return Ok(promise.to_unknown());
    }
    settle(env, guarded(work), finish)
}

/// No panic crosses the boundary: on the pool's threads nothing else would catch it.
fn guarded<T>(work: impl FnOnce() -> entable::Result<T>) -> entable::Result<T> {
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|_| Err(entable::Error::new(entable::ErrorCode::Internal)))
}

fn settle<'env, T>(
    env: &'env Env,
    result: entable::Result<T>,
    finish: impl FnOnce(&'env Env, T) -> Result<Unknown<'env>>,
) -> Result<Unknown<'env>> {
    match result {
        Ok(value) => finish(env, value),
        Err(error) => Err(Failure::from(error).into_js(env)),
    }
}

impl<'task, T, W, F> ScopedTask<'task> for Job<W, F>
where
    T: Send + 'static,
    W: FnOnce() -> entable::Result<T> + Send,
    F: for<'e> FnOnce(&'e Env, T) -> Result<Unknown<'e>> + Send,
{
    type Output = entable::Result<T>;
    type JsValue = Unknown<'task>;

    fn compute(&mut self) -> Result<Self::Output> {
        let work = self.work.take();
        Ok(guarded(|| match work {
            Some(work) => work(),
            None => Err(entable::Error::new(entable::ErrorCode::Internal)),
        }))
    }

    fn resolve(&mut self, env: &'task Env, output: Self::Output) -> Result<Self::JsValue> {
        match self.finish.take() {
            Some(finish) => settle(env, output, finish),
            None => Err(Failure::from(entable::Error::new(entable::ErrorCode::Internal)).into_js(env)),
        }
    }
}
