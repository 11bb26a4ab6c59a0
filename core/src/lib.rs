//! **entable**: SQLite for the Azure Tables data model.

mod error;
mod limits;
mod model;
mod serde;

pub use self::serde::from_entity;
pub use error::{Class, Details, Error, ErrorCode, Result};
pub use limits::{Limits, Mode};
pub use model::{
    Condition, DateTime, ETag, EdmType, Entity, EntityInput, Guid, InputValue, IntoEntity, JsonAddress, JsonOptions,
    Metadata, TableName, UntypedNumber, Value, ValueRef, entity_from_json, entity_to_json,
};
