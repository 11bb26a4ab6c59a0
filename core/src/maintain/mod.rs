//! Keeping the file in shape.

pub(crate) mod sweep;
