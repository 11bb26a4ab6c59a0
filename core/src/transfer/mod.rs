//! Entities as lines of text: out of a store, and into one. `docs/export.md` describes the form.

mod export;
mod files;
mod form;
mod import;
mod refusal;

pub use export::{ExportOptions, ExportPosition, Exported};
pub use import::{Existing, ImportOptions, Imported};
pub use refusal::Refused;
