//! The README, whose Rust examples run as this crate's doc tests.
#![doc = include_str!("../../../README.md")]
