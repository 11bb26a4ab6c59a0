//! Operations that are done together or not at all.

mod group;
mod range;

pub(crate) use group::{check_group, check_operations};
pub use range::DeletionStep;
pub(crate) use range::delete;
