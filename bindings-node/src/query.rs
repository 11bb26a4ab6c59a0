//! The pages of a query.

use crate::call::answer;
use crate::convert::{self, Shown};
use entable::{Page, Pages};
use napi::Result;
use napi::bindgen_prelude::{Env, JsObjectValue, JsValue, Null, Unknown};
use napi_derive::napi;
use std::sync::{Arc, Mutex, PoisonError};

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
        let next = move || pages.lock().unwrap_or_else(PoisonError::into_inner).next().transpose();
        answer(env, is_later, || Ok(next), move |env, page| page_out(env, page, shown))
    }
}

fn page_out<'env>(env: &'env Env, page: Option<Page>, shown: Shown) -> Result<Unknown<'env>> {
    let Some(page) = page else { return convert::unknown(env, Null) };
    let mut array = env.create_array(0)?;
    for entity in &page.entities {
        // Handles of one entity at a time: there may be millions.
        env.run_in_scope(|| array.insert(convert::entity_out(env, entity, shown)?))?;
    }
    match page.continuation_token {
        Some(token) => array.set_named_property("continuationToken", token.to_string())?,
        None => array.set_named_property("continuationToken", ())?,
    }
    Ok(array.to_unknown())
}
