//! Queries: their pages, and what is known of them.

use crate::call::answer;
use crate::convert::{self, Shown};
use crate::shape::{self, Outgoing};
use entable::{Considered, Explain, Page, Pages, PartitionKeys};
use napi::Result;
use napi::bindgen_prelude::{Env, JsObjectValue, JsValue, Null, Object, Unknown};
use napi_derive::napi;
use std::sync::{Arc, Mutex, PoisonError};

/// PartitionKeys that are given at a time.
const KEYS_AT_A_TIME: usize = 1_000;

/// The pages of a query, as `lib/paging.js` walks them. Nothing of the store is held between them.
#[napi]
pub struct PagesHandle {
    pages: Arc<Mutex<Pages>>,
    shown: Shown,
}

impl PagesHandle {
    pub(crate) fn new(pages: Pages, shown: Shown) -> PagesHandle {
        PagesHandle { pages: Arc::new(Mutex::new(pages)), shown }
    }
}

#[napi]
impl PagesHandle {
    /// The next page: an array with `continuationToken`; null after the last.
    #[napi(catch_unwind)]
    pub fn next<'env>(&self, env: &'env Env, is_later: bool) -> Result<Unknown<'env>> {
        let (pages, shown) = (Arc::clone(&self.pages), self.shown);
        let next = move || pages.lock().unwrap_or_else(PoisonError::into_inner).next_stored().transpose();
        answer(env, is_later, || Ok(next), move |env, page| page_out(env, page, shown))
    }
}

/// The PartitionKeys of a table, as `lib/paging.js` walks them. Nothing of the store is held between the times.
#[napi]
pub struct PartitionKeysHandle(Arc<Mutex<PartitionKeys>>);

impl PartitionKeysHandle {
    pub(crate) fn new(keys: PartitionKeys) -> PartitionKeysHandle {
        PartitionKeysHandle(Arc::new(Mutex::new(keys)))
    }
}

#[napi]
impl PartitionKeysHandle {
    /// The next keys; null after the last.
    #[napi(catch_unwind)]
    pub fn next<'env>(&self, env: &'env Env, is_later: bool) -> Result<Unknown<'env>> {
        let keys = Arc::clone(&self.0);
        let next = move || {
            let mut keys = keys.lock().unwrap_or_else(PoisonError::into_inner);
            keys.by_ref().take(KEYS_AT_A_TIME).collect::<entable::Result<Vec<String>>>()
        };
        answer(
            env,
            is_later,
            || Ok(next),
            |env, keys| match keys.is_empty() {
                true => convert::unknown(env, Null),
                false => convert::unknown(env, keys),
            },
        )
    }
}

/// A page: an array with `continuationToken`; null if there is none.
pub(crate) fn page_out<'env, E: Outgoing>(
    env: &'env Env,
    page: Option<Page<E>>,
    shown: Shown,
) -> Result<Unknown<'env>> {
    let Some(page) = page else { return convert::unknown(env, Null) };
    let mut list = shape::entities_out(env, page.entities.iter().map(Some), shown)?;
    match page.continuation_token {
        Some(token) => list.set_named_property("continuationToken", token.to_string())?,
        None => list.set_named_property("continuationToken", ())?,
    }
    Ok(list.to_unknown())
}

/// A number of entities.
pub(crate) fn count_out<'env>(env: &'env Env, count: u64) -> Result<Unknown<'env>> {
    convert::unknown(env, count as f64)
}

/// How a query was answered.
pub(crate) fn explain_out<'env>(env: &'env Env, explain: Explain) -> Result<Unknown<'env>> {
    let mut object = Object::new(env)?;
    object.set("path", explain.path().name())?;
    convert::set_some(&mut object, "index", explain.index())?;
    object.set("isCovered", explain.is_covered())?;
    object.set("filter", explain.filter())?;
    object.set("ranges", explain.ranges().to_vec())?;
    convert::set_some(&mut object, "residual", explain.residual())?;
    let mut considered = env.create_array(0)?;
    for way in explain.considered() {
        considered.insert(considered_out(env, way)?)?;
    }
    object.set("considered", considered)?;
    object.set("rowsEstimated", explain.rows_estimated() as f64)?;
    object.set("entriesRead", explain.entries_read() as f64)?;
    object.set("rowsRead", explain.rows_read() as f64)?;
    object.set("rowsReturned", explain.rows_returned() as f64)?;
    object.set("cloud", explain.cloud().to_vec())?;
    object.set("warnings", explain.warnings().to_vec())?;
    object.set("text", explain.to_string())?;
    Ok(object.to_unknown())
}

fn considered_out<'env>(env: &'env Env, way: &Considered) -> Result<Object<'env>> {
    let mut object = Object::new(env)?;
    object.set("path", way.path().name())?;
    convert::set_some(&mut object, "index", way.index())?;
    object.set("rows", way.rows() as f64)?;
    object.set("isTaken", way.is_taken())?;
    Ok(object)
}
