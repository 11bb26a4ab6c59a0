//! Pure values of the data model: what an entity is, what it may hold, how values compare.

mod addend;
pub(crate) mod compare;
mod datetime;
mod entity;
mod etag;
pub(crate) mod fold;
mod guid;
mod json;
mod key_pair;
pub(crate) mod names;
mod properties;
mod shared_name;
pub(crate) mod span;
mod value;

pub use addend::Addend;
pub use datetime::{CivilTime, DateTime};
pub use entity::{Entity, EntityInput, InputValue, IntoEntity, UntypedNumber};
pub(crate) use entity::{
    all_refusals, check_count, check_keys, check_size, keys_bytes, most_property_bytes, property_bytes,
};
pub use etag::ETag;
pub use guid::Guid;
pub use json::{JsonAddress, JsonOptions, Metadata, entity_from_json, entity_to_json};
pub(crate) use json::{entity_from_exact_json, exact_json};
pub(crate) use key_pair::KeyPair;
pub use names::TableName;
pub(crate) use properties::{Properties, SharedNames};
pub(crate) use shared_name::shared_name;
pub use value::{EdmType, Value, ValueRef};
