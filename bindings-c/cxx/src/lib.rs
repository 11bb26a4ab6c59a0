//! The C++ API of entable: a bridge that `include/entable/entable.hpp` gives its C++ face.
//!
//! A call converts, asks the core once, and converts back. Failures cross with all their fields: see [`failure`].

mod batch;
mod bridge;
mod entity;
mod failure;
mod feed;
mod index;
mod keys;
mod patterns;
mod query;
mod relation;
mod store;
mod table;
mod transaction;
mod upkeep;
mod value;

// The C API is part of this library too, so that a program has one copy of the core, whichever it calls.
use entable_c as _;
