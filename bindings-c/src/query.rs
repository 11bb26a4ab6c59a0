//! Questions to a table, and their answers: one by one, or page by page.

#![allow(unsafe_code, reason = "C calls these functions by their names")]

use crate::boundary::{Callback, answer, boundary, free, output, required};
use crate::entity::entable_entity;
use crate::error::{Result, entable_error};
use crate::place::Answer;
use crate::store::{RawMode, entable_mode};
use crate::table::texts;
use crate::text::entable_str;
use crate::value::entable_value;
use entable::{ContinuationToken, Entity, Page, Query};
use std::ffi::c_void;
use std::mem::{self, MaybeUninit};
use std::ptr;

/// A question: a filter, and what of the answer is wanted. Everything but the filter has a default: all properties, no
/// limit, pages of 1,000.
///
/// Yours from `entable_query_new`: free it with `entable_query_free`, at any time after the call that took it. While
/// one thread changes it, no other may use it.
pub struct entable_query(Query);

/// The entities of an answer, in key order.
///
/// Yours: free it with `entable_entities_free`, at its end or before. One thread at a time. Nothing of the store is held
/// between calls: entities that are written meanwhile may be seen or not.
pub struct entable_entities {
    answer: Answer,
    page: std::vec::IntoIter<Entity>,
    /// The one that is lent.
    current: Option<entable_entity>,
}

/// The pages of an answer, each read from one moment of the store when it is asked for.
///
/// Yours: free it with `entable_pages_free`, at its end or before. One thread at a time.
pub struct entable_pages(Answer);

/// Part of an answer. Yours: free it with `entable_page_free`. It never changes, so any thread may read it.
pub struct entable_page {
    entities: Vec<entable_entity>,
    continuation_token: Option<String>,
}

impl From<Answer> for entable_entities {
    fn from(answer: Answer) -> Self {
        entable_entities { answer, page: Vec::new().into_iter(), current: None }
    }
}

impl entable_entities {
    fn next(&mut self) -> Result<Option<Entity>> {
        loop {
            if let Some(entity) = self.page.next() {
                return Ok(Some(entity));
            }
            match self.answer.next_page()? {
                Some(page) => self.page = page.entities.into_iter(),
                None => return Ok(None),
            }
        }
    }
}

impl From<Answer> for entable_pages {
    fn from(answer: Answer) -> Self {
        entable_pages(answer)
    }
}

impl From<Page> for entable_page {
    fn from(page: Page) -> Self {
        entable_page {
            entities: page.entities.into_iter().map(Into::into).collect(),
            continuation_token: page.continuation_token.map(|token| token.to_string()),
        }
    }
}

impl entable_query {
    pub(crate) fn of(query: Query) -> entable_query {
        entable_query(query)
    }
}

/// The question that a call was given; without one, all entities.
pub(crate) fn question(query: Option<&entable_query>) -> Query {
    query.map_or_else(Query::all, |query| query.0.clone())
}

/// A question with this filter; blank text asks for all entities. The text is copied, and read when the query is used.
///
/// `*query` is yours once the call returns NULL, else NULL. Any thread. The error is yours to free.
#[unsafe(no_mangle)]
pub extern "C" fn entable_query_new(
    filter: entable_str,
    query: Option<&mut MaybeUninit<Option<Box<entable_query>>>>,
) -> Option<Box<entable_error>> {
    boundary(|| {
        let query = output(query, "query")?;
        *query = Some(Box::new(entable_query(Query::filter(filter.text("filter")?))));
        Ok(())
    })
}

/// The value of `@name` in the filter's text; `name` is written without `@`, and the value is copied. It is put into
/// the parsed filter, so no value can change what the filter asks. The error is yours to free.
#[unsafe(no_mangle)]
pub extern "C" fn entable_query_set_parameter(
    query: Option<&mut entable_query>,
    name: entable_str,
    value: entable_value,
) -> Option<Box<entable_error>> {
    boundary(|| {
        let name = name.text("name")?;
        let value = value.value(name)?;
        change(query, |query| query.parameter(name, value))
    })
}

/// Only these properties, `count` names from `names` on, which are copied; keys and Timestamp only if named. No names,
/// or `*` among them: everything. The error is yours to free.
#[unsafe(no_mangle)]
pub extern "C" fn entable_query_set_select(
    query: Option<&mut entable_query>,
    names: *const entable_str,
    count: usize,
) -> Option<Box<entable_error>> {
    boundary(|| {
        let names = texts(names, count, "names")?;
        change(query, |query| query.select(names))
    })
}

/// At most this many entities in all, over all pages. The error is yours to free.
#[unsafe(no_mangle)]
pub extern "C" fn entable_query_set_limit(
    query: Option<&mut entable_query>,
    entities: u64,
) -> Option<Box<entable_error>> {
    boundary(|| change(query, |query| query.limit(entities)))
}

/// How many entities a page holds: 1,000 by default, any number but 0; in strict mode 1,000 is the most. Checked when
/// the query is used. The error is yours to free.
#[unsafe(no_mangle)]
pub extern "C" fn entable_query_set_page_size(
    query: Option<&mut entable_query>,
    entities: usize,
) -> Option<Box<entable_error>> {
    boundary(|| change(query, |query| query.page_size(entities)))
}

/// Largest keys first. Strict mode refuses it when the query is used. The error is yours to free.
#[unsafe(no_mangle)]
pub extern "C" fn entable_query_set_descending(query: Option<&mut entable_query>) -> Option<Box<entable_error>> {
    boundary(|| change(query, Query::descending))
}

/// In the order of these properties, several with commas between, instead of that of the keys: all ascending, with
/// `entable_query_set_descending` all descending. What lacks a property comes first. The text is copied.
///
/// The call that uses the query fails with ENTABLE_NOT_IMPLEMENTED where no index gives this order, and in strict mode; with
/// ENTABLE_INVALID_INPUT for a name twice, or none. The error is yours to free.
#[unsafe(no_mangle)]
pub extern "C" fn entable_query_set_order_by(
    query: Option<&mut entable_query>,
    property: entable_str,
) -> Option<Box<entable_error>> {
    boundary(|| {
        let property = property.text("property")?;
        change(query, |query| query.order_by(property))
    })
}

/// Gives the answer up when `is_over` says so: the call that reads is ENTABLE_CANCELLED then, and nothing of it is done. It is
/// asked with `context` every few hundred rows, in the midst of a read, on the thread that reads. What it waits for,
/// others may wait for, too.
///
/// Both must be good until the query is freed, and what it was asked for: entities and pages.
///
/// It may read, and write while the query does not delete and is not one of a transaction; else to write is
/// ENTABLE_TRANSACTION_OPEN. To read at the snapshot that is being read is ENTABLE_STORE_BUSY. It may close the snapshot
/// and the store, which takes effect with the next read; it must not free what the call was given. The error is yours to
/// free.
#[unsafe(no_mangle)]
pub extern "C" fn entable_query_set_stop(
    query: Option<&mut entable_query>,
    is_over: Option<extern "C-unwind" fn(context: *mut c_void) -> bool>,
    context: *mut c_void,
) -> Option<Box<entable_error>> {
    boundary(|| {
        let is_over = Callback::new(required(is_over, "is_over")?, context);
        change(query, |query| query.stop_if(move || is_over.call(|is_over, context| is_over(context))))
    })
}

/// Goes on where a page of the same query ended: `token` is the text that `entable_page_continuation_token` gave, and is
/// not kept.
///
/// Errors: ENTABLE_INVALID_INPUT for text that is no token. The error is yours to free.
#[unsafe(no_mangle)]
pub extern "C" fn entable_query_continue_from(
    query: Option<&mut entable_query>,
    token: entable_str,
) -> Option<Box<entable_error>> {
    boundary(|| {
        let query = required(query, "query")?;
        let token: ContinuationToken = token.text("token")?.parse()?;
        change(Some(query), |query| query.continue_from(token))
    })
}

/// Reads and compares by the rules of this mode instead of the store's.
///
/// Errors: ENTABLE_INVALID_INPUT for another number. The error is yours to free.
#[unsafe(no_mangle)]
pub extern "C" fn entable_query_set_mode(
    query: Option<&mut entable_query>,
    mode: RawMode,
) -> Option<Box<entable_error>> {
    boundary(|| {
        let mode = entable_mode::mode(mode)?;
        change(query, |query| query.mode(mode))
    })
}

/// Frees a query. NULL is fine. Once.
#[unsafe(no_mangle)]
pub extern "C" fn entable_query_free(query: Option<Box<entable_query>>) {
    free(query);
}

/// The next entity: `*entity` is lent until the next call with these entities, or until they are freed; NULL at the
/// end. After an error there is nothing more.
///
/// Errors: ENTABLE_TABLE_NOT_FOUND, ENTABLE_STORE_CLOSED, ENTABLE_DAMAGED. The error is yours to free.
#[unsafe(no_mangle)]
pub extern "C" fn entable_entities_next(
    entities: Option<&mut entable_entities>,
    entity: Option<&mut MaybeUninit<*const entable_entity>>,
) -> Option<Box<entable_error>> {
    boundary(|| {
        let entity = required(entity, "entity")?.write(ptr::null());
        let entities = required(entities, "entities")?;
        entities.current = None;
        if let Some(next) = entities.next()? {
            *entity = entities.current.insert(next.into());
        }
        Ok(())
    })
}

/// Frees entities of an answer, and with them the one that is lent. NULL is fine. Once.
#[unsafe(no_mangle)]
pub extern "C" fn entable_entities_free(entities: Option<Box<entable_entities>>) {
    free(entities);
}

/// The next page: `*page` is yours, and may be without entities; NULL at the end. After an error there is nothing more.
///
/// Errors: ENTABLE_TABLE_NOT_FOUND, ENTABLE_STORE_CLOSED, ENTABLE_DAMAGED. The error is yours to free.
#[unsafe(no_mangle)]
pub extern "C" fn entable_pages_next(
    pages: Option<&mut entable_pages>,
    page: Option<&mut MaybeUninit<Option<Box<entable_page>>>>,
) -> Option<Box<entable_error>> {
    boundary(|| {
        let page = output(page, "page")?;
        *page = required(pages, "pages")?.0.next_page()?.map(|page| Box::new(page.into()));
        Ok(())
    })
}

/// Frees pages. NULL is fine. Once. A page that was given stays yours.
#[unsafe(no_mangle)]
pub extern "C" fn entable_pages_free(pages: Option<Box<entable_pages>>) {
    free(pages);
}

/// How many entities the page holds; 0 for NULL. Any thread.
#[unsafe(no_mangle)]
pub extern "C" fn entable_page_count(page: Option<&entable_page>) -> usize {
    answer(0, || Some(page?.entities.len()))
}

/// The entity at `index`, from 0; NULL past the end. Lent until the page is freed. Any thread.
#[unsafe(no_mangle)]
pub extern "C" fn entable_page_entity(page: Option<&entable_page>, index: usize) -> *const entable_entity {
    answer(ptr::null(), || Some(ptr::from_ref(page?.entities.get(index)?)))
}

/// Where the next page begins: printable text, to be kept and handed to `entable_query_continue_from` of the same
/// query. No text (`data` is NULL) at the end, and nothing else tells the end. Good until the page is freed. Any thread.
#[unsafe(no_mangle)]
pub extern "C" fn entable_page_continuation_token(page: Option<&entable_page>) -> entable_str {
    answer(entable_str::default(), || Some(page?.continuation_token.as_deref().into()))
}

/// Frees a page and its entities. NULL is fine. Once.
#[unsafe(no_mangle)]
pub extern "C" fn entable_page_free(page: Option<Box<entable_page>>) {
    free(page);
}

fn change(query: Option<&mut entable_query>, how: impl FnOnce(Query) -> Query) -> Result<()> {
    let query = required(query, "query")?;
    query.0 = how(mem::take(&mut query.0));
    Ok(())
}
