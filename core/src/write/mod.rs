//! What to do with one row: an operation as a value, and its effect under a condition.

mod apply;
mod op;

pub(crate) use apply::{apply, foresee};
pub(crate) use op::Verb;
pub use op::{Operation, UpdateMode, Written};
