//! Bytes: what lies in the file, and how values become it. Pure functions; `core/FORMAT.md` is their contract.

pub(crate) mod bytes;
pub(crate) mod change;
pub(crate) mod header;
pub(crate) mod key;
pub(crate) mod long;
pub(crate) mod order;
pub(crate) mod record;
pub(crate) mod row;
pub(crate) mod shape;
pub(crate) mod token;

#[cfg(test)]
mod tests;
