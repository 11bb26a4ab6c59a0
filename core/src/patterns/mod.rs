//! The published table patterns, in the layouts of the literature, as pure functions.
//!
//! A pattern is a definition: a small value, made once. It turns a row's former and new state into the operations that
//! keep everything beside the row right ([`Changes`]), and says what a reader asks for ([`Lookup`]). Nothing here reads
//! or writes. The keys are those that the literature writes, so the same definitions run on the cloud service, and
//! data that was written by hand is found by them.
//!
//! | pattern | what it keeps | layout | rule |
//! |---|---|---|---|
//! | [`SecondaryIndex`] | a copy of the row under a second unique key | `Sales \| empid_000223`, `Sales \| email_jonesj@contoso.com` | S9.1, S9.2 |
//! | [`IndexEntities`] | the ids of all rows with a value, in one entity | `Sales \| LastName_Jones`: `000223,000242` | S9.4 |
//! | [`IndexTable`] | an entry for each row in a table of its own | `Redmond \| 1`, whole, in part, or the key alone | S9.5 to S9.9, S9.11 |
//! | [`UniqueGuard`] | an entity that a second row cannot insert | `Employee \| Uname_jbloggs` | S9.24 |
//! | [`FoldedKey`] | the value without case, as property or key | `LastNameFolded` = `jones` | S9.27 |
//! | [`LogTail`] | the newest first | `2521…`, nineteen digits | S9.14 |
//! | [`DataSeries`] | many values of a period in one entity | `meter7 \| 20261201`: `h00` … `h23` | S9.16 |
//! | [`WideEntity`] | more properties than one entity takes | `000123 \| 01`, `000123 \| 02` | S9.17, S9.18 |
//! | [`CompoundKey`] | related rows side by side | `Sales \| 000123`, `Sales \| 000123_2012` | S9.13, S9.21, S9.23 |
//! | [`DistinctList`] | each value once, and how many rows have it | `Sales \| City_Palo Alto`: 17 | S9.26, S9.36 |
//!
//! In this store a declared [`Index`](crate::Index) does the work of `SecondaryIndex`, `IndexEntities`, `IndexTable`,
//! `UniqueGuard` and `FoldedKey` in the row's own transaction, and without entities of its own; a descending query that of
//! `LogTail`. An index has one entry for a row, by the values as they are: for a row that is found by each of several
//! values ([`Field::each`]), and for keys written in a form of their own, there is the pattern alone. The patterns are for
//! data that moves to the cloud, or came from there.
//!
//! # Writing
//! ```
//! use entable::{Operation, Store, entity, patterns::IndexTable};
//! let store = Store::in_memory()?;
//! let (customers, _) = (store.create_table("Customers")?, store.create_table("CustomersByTown")?);
//! let by_town = IndexTable::normalized("Customers", "CustomersByTown", ["Town"]);
//! let smith = entity! { "1", "1", "Town" => "Redmond", "LastName" => "Smith" };
//!
//! // Here: one transaction over any tables.
//! let changes = by_town.changes(None, Some(&smith))?;
//! let mut batch = Vec::new();
//! for step in changes.steps() {
//!     let table = store.table(step.table())?;
//!     batch.extend(step.operations()?.into_iter().map(|operation| (table.clone(), operation)));
//! }
//! store.submit_batch(batch.iter().map(|(table, operation)| (table, operation.clone())))?;
//!
//! // In the cloud: step by step, from an outbox; see below.
//! // Reading: the entries of a town, then their rows.
//! let lookup = by_town.find(["Redmond"])?;
//! let entries = store.table(lookup.table())?.query_entities(&lookup)?.collect::<entable::Result<Vec<_>>>()?;
//! let rows = customers.get_many(by_town.rows(&entries)?)?;
//! assert_eq!(rows.into_iter().flatten().collect::<Vec<_>>(), [smith]);
//! # Ok::<(), entable::Error>(())
//! ```
//!
//! # An outbox
//! Steps in several partitions are not done at once. Whoever makes a change keeps a message first: the row's former state
//! as it was read, with its ETag, and the new one. From the two the steps are made, as often as it takes; lists and counts
//! are read anew each time.
//!
//! 1. Each step in its order: read what is stored under [`Step::keys`], write what [`Step::remaining`] has left.
//! 2. `EntityAlreadyExists`, `ResourceNotFound` or `UpdateConditionNotSatisfied` from a step: another was first. Read the
//!    row, run the steps of `reconcile` with all states that were seen, and read the row again: if its ETag is another,
//!    once more, with that state among those seen. A pattern without `reconcile` writes one group, and nothing is left over:
//!    read, and make the change anew, or give it up.
//! 3. The message goes when its steps are done; where several writers change one row at once, when a whole pass from the
//!    first step on has found nothing left to do.
//!
//! The messages of one row are finished in the order in which they were made, and none comes back: an insert that comes
//! again after the row was deleted would bring it back, and under a key made of properties ([`LogTail`], [`CompoundKey`])
//! be a second row once the first has moved. Where a [`UniqueGuard`] is claimed in a partition of its own, the changes of
//! one row wait for each other.
//!
//! Several patterns on one row make one list of steps by [`Changes::join`].

mod act;
mod changes;
mod compound_key;
mod copies;
mod data_series;
mod distinct_list;
mod field;
mod folded_key;
mod index_entities;
mod index_table;
mod join;
mod log_tail;
mod lookup;
mod secondary_index;
#[cfg(test)]
mod tests;
mod unique_guard;
mod wide_entity;

pub(crate) use changes::plain;
pub use changes::{Changes, Step};
pub use compound_key::CompoundKey;
pub use data_series::{DataSeries, Period};
pub use distinct_list::DistinctList;
pub use field::Field;
pub use folded_key::FoldedKey;
pub use index_entities::IndexEntities;
pub use index_table::IndexTable;
pub use log_tail::LogTail;
pub use lookup::Lookup;
pub use secondary_index::SecondaryIndex;
pub use unique_guard::UniqueGuard;
pub use wide_entity::WideEntity;

use crate::model::names::{PARTITION_KEY, ROW_KEY};
use crate::{Entity, Error, Result};

/// Where an entry keeps the keys of its row.
pub(crate) const SOURCE_PARTITION_KEY: &str = "SourcePartitionKey";
pub(crate) const SOURCE_ROW_KEY: &str = "SourceRowKey";

/// The error, said of a pattern and the property that it is about.
fn refusal(pattern: &str, property: Option<&str>, error: &Error) -> Error {
    let details = error.details();
    // An illegal key is made of the pattern's property; what is said of another property is said of that one.
    let own = details.property.as_deref();
    let is_own = own.is_some_and(|name| !matches!(name, PARTITION_KEY | ROW_KEY)) || details.table.is_some();
    let property = if is_own { own } else { property.or(own) };
    let subject = property.map_or_else(|| pattern.to_owned(), |property| format!("{pattern} of {property}"));
    let mut named = Error::new(error.code()).fact(format!("{subject}: {}", error.fact_or_message()));
    if let Some(property) = property {
        named = named.property(property);
    }
    if let (Some(limit), Some(actual)) = (details.limit, details.actual) {
        let whole = |number: u64| usize::try_from(number).unwrap_or(usize::MAX);
        named = named.limit(whole(limit), whole(actual));
    }
    if let (Some(partition_key), Some(row_key)) = (&details.partition_key, &details.row_key) {
        named = named.keys(partition_key, row_key);
    }
    named
}

/// The keys of the row that an entry stands for.
///
/// # Errors
/// `InvalidInput`: the entry does not hold them.
fn source(pattern: &str, entry: &Entity) -> Result<(String, String)> {
    let text = |name: &str| {
        entry.get(name).and_then(|value| value.as_str()).map(str::to_owned).ok_or_else(|| {
            let error = Error::invalid("The entry does not say which row it stands for.");
            refusal(pattern, Some(name), &error.keys(entry.partition_key(), entry.row_key()))
        })
    };
    Ok((text(SOURCE_PARTITION_KEY)?, text(SOURCE_ROW_KEY)?))
}
