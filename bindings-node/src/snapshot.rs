//! A snapshot's handle.

use crate::call::answer;
use crate::convert;
use entable::Snapshot;
use napi::Result;
use napi::bindgen_prelude::{Env, Unknown};
use napi_derive::napi;

/// A snapshot, as `lib/snapshot.js` wraps it.
#[napi]
pub struct SnapshotHandle(Snapshot);

impl SnapshotHandle {
    pub(crate) fn new(snapshot: Snapshot) -> SnapshotHandle {
        SnapshotHandle(snapshot)
    }

    pub(crate) fn snapshot(&self) -> &Snapshot {
        &self.0
    }
}

#[napi]
impl SnapshotHandle {
    /// The names of the tables that there were.
    #[napi(catch_unwind)]
    pub fn list_tables<'env>(&self, env: &'env Env, is_later: bool) -> Result<Unknown<'env>> {
        let snapshot = self.0.clone();
        let list = move || snapshot.list_tables();
        answer(env, is_later, || Ok(list), |env, names| convert::list(env, names.iter().map(|name| name.as_str())))
    }

    /// Ends the snapshot.
    #[napi(catch_unwind)]
    pub fn close<'env>(&self, env: &'env Env, is_later: bool) -> Result<Unknown<'env>> {
        let snapshot = self.0.clone();
        let close = move || {
            snapshot.close();
            Ok(())
        };
        answer(env, is_later, || Ok(close), convert::nothing)
    }
}
