//! Keeping the file in shape.

pub(crate) mod rewrite;
pub(crate) mod sweep;

pub use rewrite::{Copied, Progress};
