//! From a filter to the way in which it is answered. Pure: nothing here reads the store.

mod choose;
mod keyset;

pub use choose::AccessPath;
pub(crate) use choose::{KeyRange, Plan, choose};
pub(crate) use keyset::{Cut, Intervals};
