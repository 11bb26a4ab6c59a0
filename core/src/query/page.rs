//! A part of an answer.

use crate::Entity;
use crate::codec::token::ContinuationToken;

/// Part of an answer.
#[derive(Clone, Debug, PartialEq)]
pub struct Page<E = Entity> {
    /// The entities, in the order that was asked for: that of the keys, if none was. May be fewer than the page size, or none.
    pub entities: Vec<E>,
    /// Where the next page begins; `None` at the end, and nothing else tells the end (S7.8.2).
    pub continuation_token: Option<ContinuationToken>,
}

impl<E> Default for Page<E> {
    /// Nothing, and the end.
    fn default() -> Page<E> {
        Page { entities: Vec::new(), continuation_token: None }
    }
}
