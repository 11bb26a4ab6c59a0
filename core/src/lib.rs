//! **entable**: SQLite for the Azure Tables data model.
//!
//! Typed entities, each under a PartitionKey and a RowKey, in one durable file inside the process. Names, types, filters
//! and errors are those of the Azure Tables clients.
//!
//! | to | look at |
//! |---|---|
//! | open a store, make tables, write to several of them at once | [`Store`], [`Options`], [`Store::submit_batch`] |
//! | read and write in one transaction | [`Store::transaction`], [`Transaction`] |
//! | write and read entities, on conditions, in groups | [`Table`], [`entity!`], [`Operation`], [`Condition`] |
//! | add to a number, remove a property, write on a filter, move an entity | [`EntityInput::adding`], [`EntityInput::removing`], [`Condition::Matches`], [`Table::create_or_get_entity`], [`Table::move_entity`] |
//! | ask for entities, page by page | [`Table::query_entities`], [`Query`], [`ContinuationToken`], [`Table::explain`] |
//! | use structs of your own | [`Table::get_entity_as`], [`from_entity`], and a reference to one wherever an entity goes in |
//! | look whether a file is damaged | [`verify`], [`Options::check`] |
//! | build filters without text | [`filter::property`] |
//! | copy a store while it is in use, make its file smaller | [`Store::backup`], [`Store::compact`] |
//! | write all entities as lines of JSON, load them, see what the cloud would refuse | [`Store::export`], [`Store::import`], [`Store::check_export`] |
//! | see how quick and how large a store is, and what it is asked | [`Store::stats`] |
//! | make keys that keep their order | [`keys`] |
//! | follow what is done to a table, commit by commit | [`feed`], [`Table::set_feed`], [`Table::changes`], [`Consumer`] |
//! | keep copies of a table up to date, here or in another store | [`Projection`] |
//! | link tables, so that no link leads nowhere | [`relation`], [`Store::create_relation`], [`Join`] |
//! | keep copies as the literature lays them out | [`patterns`] |
//! | tell errors apart | [`Error::code`], [`Error::details`] |
//!
//! Opening, commits, pages of queries, sweeps, backups and compactions are spans of `tracing`, level debug, target
//! `entable`: with sizes and ways, never with keys or values. Without a subscriber they cost next to nothing.
//!
//! Numbers such as S4.2.2 are those of the rules in `docs/semantics.md`.
//!
//! ```
//! use entable::{Query, Store, UpdateMode, entity};
//!
//! let store = Store::in_memory()?; // or Store::open("orders.ent")?
//! let orders = store.create_table("Orders")?;
//! orders.create_entity(entity! { "DE", "0001", "Customer" => "Bonn AG", "Total" => 12.5 })?;
//! let large = Query::filter("PartitionKey eq 'DE' and Total gt @least").parameter("least", 10);
//! for order in orders.query_entities(large)? {
//!     let order = order?;
//!     if let Some(etag) = order.etag() {
//!         let paid = entity! { "DE", order.row_key(), "Paid" => true };
//!         orders.update_entity_if(paid, UpdateMode::Merge, etag)?; // fails if somebody was faster
//!     }
//! }
//! # Ok::<(), entable::Error>(())
//! ```

mod batch;
mod catalog;
mod changes;
mod codec;
mod entities;
mod error;
pub mod feed;
pub mod filter;
mod group;
pub mod index;
mod join;
pub mod keys;
mod limits;
mod maintain;
mod model;
pub mod patterns;
mod plan;
mod projection;
mod query;
pub mod relation;
mod relations;
mod serde;
mod snapshot;
mod storage;
mod store;
mod table;
#[cfg(test)]
mod tests;
mod transaction;
mod transfer;
mod upkeep;
mod write;

pub use self::serde::from_entity;
pub use batch::{CreatedOrFound, DeletionStep};
pub use changes::{Changes, ChangesReady, Consumer};
pub use codec::token::ContinuationToken;
pub use entities::{Entities, Pages, PartitionKeys};
pub use error::{Class, Details, Error, ErrorCode, Result};
pub use feed::{Change, ChangeKind, ChangePage, ConsumerInfo, Feed, FeedContent, FeedInfo, FeedPosition, FeedStart};
pub use filter::{Filter, Parameters};
pub use group::Submitted;
pub use index::Index;
pub use join::Join;
pub use limits::{Limits, Mode};
pub use maintain::{
    Advice, AdviceKind, BusyPartition, Copied, DatabaseStats, FeedStats, FileStats, Finding, FindingKind, IndexStats,
    Latency, Progress, QueryKind, Readers, Report, Sizes, Stats, verify, verify_with_progress,
};
pub use model::{
    Addend, CivilTime, DateTime, ETag, EdmType, Entity, EntityInput, Guid, InputValue, IntoEntity, JsonAddress,
    JsonOptions, Metadata, TableName, UntypedNumber, Value, ValueRef, entity_from_json, entity_to_json,
};
pub use plan::AccessPath;
pub use projection::{Applied, Lag, Projection, Reconciled, Retried};
pub use query::{Considered, Explain, Page, Query, StoredEntity};
pub use relation::{OnDelete, Relation};
pub use relations::{Orphan, Repair};
pub use snapshot::Snapshot;
pub use store::{Options, Store};
pub use table::Table;
pub use transaction::{Transaction, TransactionEntities, TransactionPages, TransactionTable};
pub use transfer::{Existing, ExportOptions, ExportPosition, Exported, ImportOptions, Imported, Refused};
pub use write::{Condition, Operation, OperationKind, UpdateMode, Written};
