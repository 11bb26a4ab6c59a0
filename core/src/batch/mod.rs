//! Operations that are done together or not at all.

mod create_or_get;
mod group;
mod range;

pub use create_or_get::CreatedOrFound;
pub(crate) use create_or_get::create_or_get;
pub(crate) use group::{check_group, check_operations};
pub use range::DeletionStep;
pub(crate) use range::delete;
