//! The C API of entable: `include/entable.h`, and nothing that a Rust program would want.
//!
//! Each exported function is one call of [`boundary`]: it takes its arguments from C, calls the core once, and hands
//! the result over. No rule about data is written here.

#![allow(non_camel_case_types, reason = "types have the names that C knows them by")]

mod boundary;
pub mod pattern;
pub mod place;

// In the order in which the header tells of them, which is that of these lines: the blank ones keep rustfmt off.

pub mod text;

pub mod codes;

pub mod error;

pub mod value;

pub mod store;

pub mod table;

pub mod entity;

pub mod query;

pub mod batch;

pub mod snapshot;

pub mod transaction;

pub mod submit;

pub mod index;

pub mod relation;

pub mod join;

pub mod feed;

pub mod consumer;

pub mod explain;

pub mod upkeep;

pub mod stats;

pub mod advice;

pub mod json;

pub mod keys;

pub mod patterns;

pub mod changes;
