//! LMDB's file, read without LMDB: page by page into memory of our own, and nothing believed that a page says.
//!
//! LMDB trusts its pages, and crashes on some that are damaged. What is here reads any bytes whatever: every offset,
//! count, length and page number is looked at before it is used, each page is taken once, and trees have an end.
//! It knows pages, trees, the list of free pages, keys and values; what they mean is known above.

mod census;
mod file;
mod meta;
mod page;
mod search;
#[cfg(test)]
mod tests;
mod unfold;

pub(crate) use census::{Census, Entry, PageCounts, Witness};
pub(in crate::storage) use file::newest_commit;
pub(crate) use file::{Opened, PageFile};
pub(crate) use meta::Tree;
pub(crate) use search::Unread;
pub(crate) use unfold::LongKeys;

/// Bytes of a page, in every file.
const PAGE: usize = super::check::PAGE;
/// Meta pages, which come first.
const METAS: u64 = 2;
/// Levels of a tree: LMDB's own limit.
const MOST_LEVELS: u16 = 32;

/// What kind of contradiction a fault is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FaultKind {
    /// A meta page, which says where everything begins.
    Meta,
    /// The form of a page, or its place in its tree.
    Page,
    /// What a tree's record says of the whole.
    Tree,
    /// The list of free pages.
    FreeList,
    /// The nodes of long keys, and what lies below them.
    LongKey,
    /// A page that is neither used nor free: room is lost, and nothing else.
    Leaked,
}

impl FaultKind {
    /// What it is called in a message.
    pub(crate) fn name(self) -> &'static str {
        match self {
            FaultKind::Meta => "meta page",
            FaultKind::Page => "page",
            FaultKind::Tree => "tree",
            FaultKind::FreeList => "free pages",
            FaultKind::LongKey => "long key",
            FaultKind::Leaked => "leaked",
        }
    }
}

/// A contradiction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Fault {
    pub(crate) page: Option<u64>,
    pub(crate) kind: FaultKind,
    pub(crate) fact: String,
}

impl Fault {
    /// The file ends before a page that it should have.
    pub(super) fn missing(page: u64, pages: u64) -> Fault {
        Fault::new(page, FaultKind::Page, format!("The file ends before it: it has {pages} pages."))
    }

    /// The record of a database cannot be read.
    pub(crate) fn of_record(page: u64) -> Fault {
        Fault::new(page, FaultKind::Tree, "The record of a database has another length, or a name that is no text.")
    }

    fn new(page: impl Into<Option<u64>>, kind: FaultKind, fact: impl Into<String>) -> Fault {
        Fault { page: page.into(), kind, fact: fact.into() }
    }
}

/// The file has been written so often meanwhile that pages of the moment which was being read are used again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Moved;

fn u16_at(bytes: &[u8], at: usize) -> Option<u16> {
    Some(u16::from_le_bytes(*bytes.get(at..)?.first_chunk()?))
}

fn u32_at(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_le_bytes(*bytes.get(at..)?.first_chunk()?))
}

fn u64_at(bytes: &[u8], at: usize) -> Option<u64> {
    Some(u64::from_le_bytes(*bytes.get(at..)?.first_chunk()?))
}
