//! From a filter to the way in which it is answered. Pure: nothing here reads the store.

mod advise;
mod choose;
mod component;
mod explain;
mod fold;
mod index;
mod keyset;
mod plainly;
mod union;

pub(crate) use advise::{Asked, Question, Wish};
pub use choose::AccessPath;
pub(crate) use choose::{KeyRange, Plan, choose, whole_partitions};
pub(crate) use explain::{cloud_notes, warnings};
pub(crate) use index::{IndexPath, Run, index_paths, ordered_components, ordered_path};
pub(crate) use keyset::{Cut, Intervals};
pub(crate) use plainly::row_matches;
pub(crate) use union::branches;
