//! What the store knows of itself: its header, its tables, their shapes. Read through views that do not change,
//! changed through an edit that is one group.

mod edit;
mod feeds;
mod format;
mod indexes;
mod relations;
#[cfg(test)]
mod tests;
mod versions;
mod view;

pub(crate) use edit::{Changed, Edit, Parts, RowPlace};
pub(crate) use feeds::{Fed, limited_feeds};
pub(crate) use format::{header, header_for_writing, new_header, random, set_max_size};
pub(crate) use indexes::{Built, Declared, Former, building};
pub(crate) use relations::Link;
pub(crate) use view::{TableView, Views, drop_record, pending_drops, table_names, table_record, tables};
