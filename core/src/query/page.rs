//! A part of an answer.

use crate::Entity;
use crate::codec::token::ContinuationToken;

/// Part of an answer.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Page {
    /// The entities, in the order that was asked for: that of the keys, if none was. May be fewer than the page size, or none.
    pub entities: Vec<Entity>,
    /// Where the next page begins; `None` at the end, and nothing else tells the end (S7.8.2).
    pub continuation_token: Option<ContinuationToken>,
}
