//! Node's binding of entable: converts, calls the core, converts back.
//!
//! JavaScript sees these classes through `lib/`, which has the public names; none is exported as it is.

#![allow(unreachable_pub, reason = "what napi exports has to be `pub`, wherever it stands")]

mod call;
mod convert;
mod deletion;
mod error;
mod form;
mod index;
mod keys;
mod operation;
mod options;
mod packed;
mod patterns;
mod query;
mod shape;
mod snapshot;
mod store;
mod table;
mod transaction;
mod upkeep;
mod write;

pub use convert::{literal, register};
pub use deletion::DeletionHandle;
pub use form::{entity_from_json, entity_size, entity_to_json};
pub use keys::*;
pub use operation::need_keys;
pub use packed::learn_shape;
pub use patterns::{ChangesHandle, PatternHandle, check_field, field_text};
pub use query::{PagesHandle, PartitionKeysHandle};
pub use snapshot::SnapshotHandle;
pub use store::{ClockHandle, StoreHandle};
pub use table::TableHandle;
pub use transaction::{TransactionHandle, TransactionPagesHandle, TransactionTableHandle};
pub use upkeep::verify;
pub use write::GivingUp;
