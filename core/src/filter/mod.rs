//! The `$filter` language: text and typed parameters to a tree, and the tree's meaning (S7.2 to S7.6).
//!
//! `docs/filter.md` describes the language for users. A filter is made from text with [`Filter::parse`] or
//! [`Filter::parse_with`], or from values with [`property`]; both are the same tree behind a [`Filter`].
//!
//! # Example
//! ```
//! use entable::filter::{Filter, property};
//! let filter = property("PartitionKey").eq("DE")
//!     .and(property("Total").gt(10.5).or(!property("Paid").eq(true)));
//! assert_eq!(filter, Filter::parse("PartitionKey eq 'DE' and (Total gt 10.5 or not (Paid eq true))")?);
//! # Ok::<(), entable::Error>(())
//! ```

pub(crate) mod ast;
mod build;
pub(crate) mod eval;
mod lexer;
mod literal;
mod params;
mod parser;
mod rules;
#[cfg(test)]
mod tests;

pub use build::{Filter, FoldedTerm, PropertyTerm, property};
pub use params::Parameters;
pub(crate) use parser::parse;
