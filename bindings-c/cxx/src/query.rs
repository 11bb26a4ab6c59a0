//! Questions to a table, and their answers page by page.

use crate::bridge::{EntitySink, Stop};
use crate::entity::{self, Entity};
use crate::failure::{Failure, Raised, boundary};
use crate::value::{mode, text};
use cxx::UniquePtr;
use entable::{ContinuationToken, Parameters};
use entable_c::place::Answer;
use std::mem;
use std::pin::Pin;

type Done<T> = Result<T, Raised>;

/// Names of a projection.
#[derive(Default)]
pub(crate) struct Names(pub(crate) Vec<String>);

pub(crate) fn new_names() -> Box<Names> {
    Box::default()
}

impl Names {
    pub(crate) fn add(&mut self, name: &[u8]) -> Done<()> {
        boundary(|| {
            self.0.push(text(name, "names")?.to_owned());
            Ok(())
        })
    }
}

/// Keys of several entities.
#[derive(Default)]
pub(crate) struct Keys(pub(crate) Vec<(String, String)>);

pub(crate) fn new_keys() -> Box<Keys> {
    Box::default()
}

impl Keys {
    pub(crate) fn add(&mut self, partition_key: &[u8], row_key: &[u8]) -> Done<()> {
        boundary(|| {
            let (partition_key, row_key) = (text(partition_key, "partition_key")?, text(row_key, "row_key")?);
            self.0.push((partition_key.to_owned(), row_key.to_owned()));
            Ok(())
        })
    }
}

pub(crate) struct Query(pub(crate) entable::Query);

/// Who says whether an answer is not wanted any more, asked by any thread that reads.
struct SharedStop(UniquePtr<Stop>);

#[allow(unsafe_code, reason = "what stands behind it is the caller's")]
// SAFETY: `query.hpp` says that the function is called by any thread that reads, also by several at once.
unsafe impl Send for SharedStop {}
#[allow(unsafe_code, reason = "what stands behind it is the caller's")]
// SAFETY: as for `Send`; the bridge calls it through a shared reference only.
unsafe impl Sync for SharedStop {}

impl SharedStop {
    /// An exception says that the answer is not wanted, too.
    fn is_over(&self) -> bool {
        self.0.as_ref().is_some_and(|stop| stop.is_over().unwrap_or(true))
    }
}

pub(crate) fn new_query(filter: &[u8]) -> Done<Box<Query>> {
    boundary(|| Ok(Box::new(Query(entable::Query::filter(text(filter, "filter")?)))))
}

impl Query {
    fn change(&mut self, how: impl FnOnce(entable::Query) -> entable::Query) {
        self.0 = how(mem::take(&mut self.0));
    }

    #[allow(clippy::boxed_local, reason = "the bridge hands a value of ours over in a box")]
    pub(crate) fn set_parameters(&mut self, parameters: Box<Entity>) {
        let values = parameters.0.properties().map(|(name, value)| (name, value.clone()));
        let parameters: Parameters = values.collect();
        self.change(|query| query.parameters(parameters));
    }

    pub(crate) fn set_select(&mut self, names: &Names) {
        self.change(|query| query.select(&names.0));
    }

    pub(crate) fn set_limit(&mut self, entities: u64) {
        self.change(|query| query.limit(entities));
    }

    pub(crate) fn set_page_size(&mut self, entities: usize) {
        self.change(|query| query.page_size(entities));
    }

    pub(crate) fn set_descending(&mut self) {
        self.change(entable::Query::descending);
    }

    pub(crate) fn set_order_by(&mut self, property: &[u8]) -> Done<()> {
        boundary(|| {
            let property = text(property, "property")?;
            self.change(|query| query.order_by(property));
            Ok(())
        })
    }

    pub(crate) fn set_mode(&mut self, number: u8) -> Done<()> {
        boundary(|| {
            let mode = mode(number)?;
            self.change(|query| query.mode(mode));
            Ok(())
        })
    }

    pub(crate) fn stop_if(&mut self, stop: UniquePtr<Stop>) {
        let stop = SharedStop(stop);
        self.change(|query| query.stop_if(move || stop.is_over()));
    }

    pub(crate) fn continue_from(&mut self, token: &[u8]) -> Done<()> {
        boundary(|| {
            let token: ContinuationToken = text(token, "token")?.parse()?;
            self.change(|query| query.continue_from(token));
            Ok(())
        })
    }
}

pub(crate) struct Pages(pub(crate) Answer);

impl Pages {
    pub(crate) fn next(&mut self) -> Done<Box<Page>> {
        boundary(|| Ok(Box::new(self.0.next_page()?.map_or_else(Page::end, Page::from))))
    }
}

/// Part of an answer, or what stands behind the last.
pub(crate) struct Page {
    entities: Vec<Option<entable::Entity>>,
    continuation_token: String,
    is_end: bool,
}

impl From<entable::Page> for Page {
    fn from(page: entable::Page) -> Self {
        Page {
            entities: page.entities.into_iter().map(Some).collect(),
            continuation_token: page.continuation_token.map(|token| token.to_string()).unwrap_or_default(),
            is_end: false,
        }
    }
}

impl Page {
    fn end() -> Page {
        Page { entities: Vec::new(), continuation_token: String::new(), is_end: true }
    }

    pub(crate) fn of_many(entities: Vec<Option<entable::Entity>>) -> Page {
        Page { entities, ..Page::end() }
    }

    pub(crate) fn is_end(&self) -> bool {
        self.is_end
    }

    pub(crate) fn count(&self) -> usize {
        self.entities.len()
    }

    pub(crate) fn is_there(&self, index: usize) -> bool {
        self.entities.get(index).is_some_and(Option::is_some)
    }

    pub(crate) fn read_into(&self, index: usize, sink: Pin<&mut EntitySink>) -> Done<()> {
        boundary(|| match self.entities.get(index) {
            Some(Some(entity)) => Ok(entity::read_into(entity, sink)?),
            _ => Err(Failure::misuse("index", "There is no entity.")),
        })
    }

    pub(crate) fn continuation_token(&self) -> &str {
        &self.continuation_token
    }
}
