//! Node's binding of entable: converts, calls the core, converts back.
//!
//! JavaScript sees these classes through `lib/`, which has the public names; none is exported as it is.

#![allow(unreachable_pub, reason = "what napi exports has to be `pub`, wherever it stands")]

mod call;
mod convert;
mod error;
mod options;
mod query;
mod store;
mod table;
mod transaction;

pub use convert::{literal, register};
pub use query::PagesHandle;
pub use store::StoreHandle;
pub use table::TableHandle;
