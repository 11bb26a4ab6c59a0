//! Indexes: what is declared on a table, and the entries that its rows have in them.
//!
//! An index is declared once, with [`Table::create_index`](crate::Table::create_index). From then on its entries are
//! kept in the transaction of every write, and queries use it without being told.
//!
//! | published pattern | declaration |
//! |---|---|
//! | intra-partition secondary index | [`Scope::Partition`], [`Projection::All`] |
//! | inter-partition secondary index | [`Scope::Table`] |
//! | index entities | [`Projection::Keys`] |
//! | unique constraint | [`Index::unique`] |
//! | lookup in any case | [`Index::fold_case`] |
//!
//! # Example
//! ```
//! use entable::{Index, Store, entity};
//! let store = Store::in_memory()?;
//! let people = store.create_table("People")?;
//! people.create_index(Index::new("ByCity").properties(["City", "LastName"]))?;
//! people.create_entity(entity! { "Sales", "1", "City" => "Bonn", "LastName" => "Jones" })?;
//! assert_eq!(people.query_entities("City eq 'Bonn' and startswith(LastName, 'Jo')")?.count(), 1);
//! # Ok::<(), entable::Error>(())
//! ```

mod definition;
mod entry;
#[cfg(test)]
mod tests;

pub use crate::codec::record::{Projection, Scope};
pub use definition::{Index, IndexInfo, State};
pub(crate) use entry::{Bound, Entry, EntryParts, entry, folding, is_usable, prefix, split_entry, whole_values};
