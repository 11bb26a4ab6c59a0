//! Keeping the file in shape.

pub(crate) mod build;
pub(crate) mod sweep;
