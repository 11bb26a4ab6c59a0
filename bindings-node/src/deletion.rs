//! A deletion in chunks, whose steps wait in the queue like other writes.

use crate::error::Failure;
use crate::query::count_out;
use crate::write::{GivingUp, queue};
use entable::{DeletionStep, ErrorCode, Table};
use napi::Result;
use napi::bindgen_prelude::{ClassInstance, Env, Unknown};
use napi_derive::napi;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// A deletion in chunks, as `lib/table.js` goes through it. Nothing of the store is held between its steps.
#[napi]
pub struct DeletionHandle {
    table: Table,
    /// The step that comes next; `None` after the last, and while one is under way.
    next: Arc<Mutex<Option<DeletionStep>>>,
}

impl DeletionHandle {
    pub(crate) fn new(table: Table, first: DeletionStep) -> DeletionHandle {
        DeletionHandle { table, next: Arc::new(Mutex::new(Some(first))) }
    }
}

fn locked(next: &Mutex<Option<DeletionStep>>) -> MutexGuard<'_, Option<DeletionStep>> {
    next.lock().unwrap_or_else(PoisonError::into_inner)
}

#[napi]
impl DeletionHandle {
    /// Whether there is a step to be done.
    #[napi(catch_unwind)]
    pub fn is_left(&self) -> bool {
        locked(&self.next).is_some()
    }

    /// Does the next step. Tells how many entities it has deleted.
    #[napi(catch_unwind)]
    pub fn step<'env>(
        &self,
        env: &'env Env,
        promise: u32,
        giving_up: Option<ClassInstance<'env, GivingUp>>,
    ) -> Result<Unknown<'env>> {
        let Some(step) = locked(&self.next).take() else {
            let error = entable::Error::new(ErrorCode::InvalidInput);
            return Err(Failure::from(error).into_js(env));
        };
        let (table, next) = (self.table.clone(), Arc::clone(&self.next));
        queue(
            env,
            promise,
            giving_up.as_deref(),
            move || table.submit_deletion_step(step),
            move |env, (count, behind)| {
                *locked(&next) = behind;
                count_out(env, count)
            },
        )
    }
}
