//! The README and the cookbook, whose Rust examples run as this crate's doc tests.
#![doc = include_str!("../../../README.md")]

#[doc = include_str!("../../../docs/cookbook.md")]
pub mod cookbook {}
