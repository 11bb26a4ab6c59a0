//! **entable**: SQLite for the Azure Tables data model.

mod batch;
mod catalog;
mod codec;
mod entities;
mod error;
pub mod filter;
mod group;
mod limits;
mod maintain;
mod model;
mod plan;
mod query;
mod serde;
mod snapshot;
mod storage;
mod store;
mod table;
mod write;

pub use self::serde::from_entity;
pub use codec::token::ContinuationToken;
pub use entities::{Entities, Pages, PartitionKeys};
pub use error::{Class, Details, Error, ErrorCode, Result};
pub use filter::{Filter, Parameters};
pub use group::Submitted;
pub use limits::{Limits, Mode};
pub use model::{
    Condition, DateTime, ETag, EdmType, Entity, EntityInput, Guid, InputValue, IntoEntity, JsonAddress, JsonOptions,
    Metadata, TableName, UntypedNumber, Value, ValueRef, entity_from_json, entity_to_json,
};
pub use plan::AccessPath;
pub use query::{Considered, Explain, Page, Query};
pub use snapshot::Snapshot;
pub use store::{Options, Store};
pub use table::Table;
pub use write::{Operation, UpdateMode, Written};
