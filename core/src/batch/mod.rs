//! Operations that are done together or not at all.

mod group;

pub(crate) use group::{check_group, check_operations};
