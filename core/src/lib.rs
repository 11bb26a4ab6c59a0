//! **entable**: SQLite for the Azure Tables data model.

mod error;
pub mod filter;
mod limits;
mod model;
#[allow(dead_code, reason = "wip")]
mod plan;
#[allow(dead_code, reason = "wip")]
mod storage;

pub use error::{Class, Details, Error, ErrorCode, Result};
pub use filter::{Filter, Parameters};
pub use limits::{Limits, Mode};
pub use model::{
    Condition, DateTime, ETag, EdmType, Entity, EntityInput, Guid, InputValue, IntoEntity, TableName, UntypedNumber,
    Value, ValueRef,
};
