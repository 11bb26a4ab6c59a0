//! What to do with one row: an operation as a value, and its effect under a condition.

mod all;
mod apply;
mod condition;
mod op;

pub(crate) use all::{apply_all, apply_one, foresee};
pub use condition::Condition;
pub(crate) use op::Verb;
pub use op::{Operation, OperationKind, UpdateMode, Written};
