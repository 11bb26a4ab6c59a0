//! Bytes: what lies in the file, and how values become it. Pure functions; `core/FORMAT.md` is their contract.

pub(crate) mod bytes;
pub(crate) mod change;
pub(crate) mod header;
pub(crate) mod key;
#[allow(dead_code, reason = "fixed with the format, before indexes, relations and the feed use it")]
pub(crate) mod order;
pub(crate) mod position;
pub(crate) mod record;
pub(crate) mod row;
pub(crate) mod shape;
pub(crate) mod token;

#[cfg(test)]
mod tests;
