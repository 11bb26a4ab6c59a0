//! Users' own structs, in and out through serde, with the types of the data model kept.
//!
//! serde has no word for an instant, a GUID or the width of a JSON number, so [`DateTime`](crate::DateTime) and
//! [`Guid`](crate::Guid) go through it under private names (`forms`), which `property` and `read` know. Every other
//! format sees their text.

mod failure;
mod forms;
mod property;
mod read;
mod write;

#[cfg(test)]
mod tests;

pub use read::from_entity;
