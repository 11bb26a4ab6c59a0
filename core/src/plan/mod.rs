//! From a filter to the way in which it is answered. Pure: nothing here reads the store.

mod choose;
mod explain;
mod fold;
mod keyset;

pub use choose::AccessPath;
pub(crate) use choose::{KeyRange, Plan, choose, whole_partitions};
pub(crate) use explain::{cloud_notes, warnings};
pub(crate) use keyset::{Cut, Intervals};
