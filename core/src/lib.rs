//! **entable**: SQLite for the Azure Tables data model.

mod codec;
mod error;
mod limits;
mod model;

pub use codec::token::ContinuationToken;
pub use error::{Class, Details, Error, ErrorCode, Result};
pub use limits::{Limits, Mode};
pub use model::{
    Condition, DateTime, ETag, EdmType, Entity, EntityInput, Guid, InputValue, IntoEntity, TableName, UntypedNumber,
    Value, ValueRef,
};
