//! Change feeds: what was done to the entities of a table, commit by commit, for whoever follows it.
//!
//! A feed is switched on for a table, with [`Table::set_feed`](crate::Table::set_feed) or as the table is made. From then on
//! every write of the table notes its changes in its own transaction: a change is there if and only if the write is, and
//! the changes of a commit are there all or none. A reader keeps a [`FeedPosition`] of its own, or is a named consumer
//! whose position the store keeps.
//!
//! | to | look at |
//! |---|---|
//! | switch a feed on or off, say what it holds and for how long | [`Feed`], [`Table::set_feed`](crate::Table::set_feed), [`Table::drop_feed`](crate::Table::drop_feed) |
//! | read changes, page by page | [`Table::changes`](crate::Table::changes), [`Table::read_changes`](crate::Table::read_changes) |
//! | wait for more, of this process or another | [`Table::wait_for_changes`](crate::Table::wait_for_changes), [`Table::changes_ready`](crate::Table::changes_ready) |
//! | follow a feed across restarts | [`Table::create_consumer`](crate::Table::create_consumer), [`Consumer`](crate::Consumer) |
//! | keep copies of the rows, here or in another store | [`Projection`](crate::Projection) |
//! | see where readers stand | [`Table::feed`](crate::Table::feed) |
//!
//! Deleting a table deletes its feed. What a table held before its feed was switched on is in no change.
//!
//! # Example
//! ```
//! use entable::{ChangeKind, Feed, FeedStart, Store, entity};
//! let store = Store::in_memory()?;
//! let orders = store.create_table_with_feed("Orders", &Feed::new())?;
//! let mail = orders.create_consumer("mail", &FeedStart::Beginning)?;
//! orders.create_entity(entity! { "DE", "0001", "Total" => 12.5 })?;
//! orders.delete_entity("DE", "0001")?;
//!
//! let page = mail.read(100)?;
//! let kinds: Vec<_> = page.changes.iter().map(|change| change.kind).collect();
//! assert_eq!(kinds, [ChangeKind::Created, ChangeKind::Deleted]);
//! assert_eq!(page.changes[0].entity.as_ref().map(|order| &order["Total"]), Some(&12.5.into()));
//! mail.advance(&page.position)?; // durable: after a restart it goes on here
//! assert!(mail.read(100)?.changes.is_empty());
//! # Ok::<(), entable::Error>(())
//! ```
//!
//! # Copies in another store
//! A consumer whose work is repeated without harm keeps them: whoever is killed in the midst does the last page again, which
//! ends the same.
//!
//! ```
//! use entable::patterns::IndexTable;
//! use entable::{Consumer, Feed, FeedContent, FeedStart, Store, UpdateMode, entity};
//!
//! /// Brings the entries in another store up to date.
//! fn follow(changes: &Consumer, target: &Store, by_town: &IndexTable) -> entable::Result<()> {
//!     loop {
//!         let page = changes.read(100)?;
//!         for change in &page.changes {
//!             let seen: Vec<_> = change.former.iter().collect();
//!             for step in by_town.reconcile(&seen, change.entity.as_ref())?.steps() {
//!                 let table = target.table(step.table())?;
//!                 table.submit_transaction(step.remaining(&table.get_many(step.keys())?)?)?;
//!             }
//!         }
//!         changes.advance(&page.position)?;
//!         if !page.has_more {
//!             return Ok(());
//!         }
//!     }
//! }
//!
//! let (store, target) = (Store::in_memory()?, Store::in_memory()?);
//! let feed = Feed::new().content(FeedContent::BeforeAndAfter).keep_until_consumed(true);
//! let customers = store.create_table_with_feed("Customers", &feed)?;
//! let changes = customers.create_consumer("by town", &FeedStart::Beginning)?;
//! let entries = target.create_table("ByTown")?;
//! let by_town = IndexTable::full("Customers", "ByTown", ["Town"]);
//! customers.create_entity(entity! { "1", "1", "Town" => "Redmond" })?;
//! customers.create_entity(entity! { "1", "2", "Town" => "Redmond" })?;
//! let begin = changes.position()?;
//! follow(&changes, &target, &by_town)?;
//! customers.update_entity(entity! { "1", "1", "Town" => "Seattle" }, UpdateMode::Merge)?;
//! customers.delete_entity("1", "2")?;
//! follow(&changes, &target, &by_town)?;
//! changes.seek(&begin)?; // as after a kill
//! follow(&changes, &target, &by_town)?;
//! assert_eq!(entries.partition_keys().collect::<entable::Result<Vec<_>>>()?, ["Seattle"]);
//! assert_eq!(customers.trim_feed()?, 4);
//! # Ok::<(), entable::Error>(())
//! ```

mod change;
mod read;
mod settings;

pub use crate::codec::change::ChangeKind;
pub use crate::codec::position::FeedPosition;
pub use crate::codec::record::FeedContent;
pub use change::{Change, ChangePage};
pub(crate) use read::{
    Counting, begin, check_kept, check_own, consumer, consumers, count_behind, has_more, info, page, settings_of,
    table_changes,
};
pub(crate) use settings::check_consumer_name;
pub use settings::{ConsumerInfo, Feed, FeedInfo, FeedStart};
