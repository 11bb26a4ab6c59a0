//! Meta pages, and the records of trees.

use super::super::check::{LMDB_MAGIC, LMDB_VERSION, MAGIC, PAGE_SIZE, VERSION};
use super::page::{HEADER, META};
use super::{PAGE, u16_at, u32_at, u64_at};

/// Offsets within a meta page.
const FLAGS: usize = 10;
const FREE: usize = 40;
const MAIN: usize = FREE + TREE_BYTES;
const LAST_PAGE: usize = MAIN + TREE_BYTES;
const TRANSACTION: usize = LAST_PAGE + 8;

/// Bytes of a tree's record.
pub(super) const TREE_BYTES: usize = 48;
/// The number that stands for "no page".
const NO_PAGE: u64 = u64::MAX;
/// Flags of a tree which say how its keys and values compare; the bits above are the environment's.
const COMPARING: u16 = 0x7e;
/// Keys are numbers of the machine's own form.
const NUMBER_KEYS: u16 = 8;

/// A tree, as its record says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Tree {
    flags: u16,
    pub(super) depth: u16,
    pub(super) branch_pages: u64,
    pub(super) leaf_pages: u64,
    pub(super) overflow_pages: u64,
    pub(crate) entries: u64,
    /// `None` for a tree that is empty.
    pub(super) root: Option<u64>,
}

impl Tree {
    /// Reads the record of a named database; `None` if it is too short to be one.
    pub(crate) fn read(bytes: &[u8]) -> Option<Tree> {
        if bytes.len() != TREE_BYTES {
            return None;
        }
        Some(Tree {
            flags: u16_at(bytes, 4)?,
            depth: u16_at(bytes, 6)?,
            branch_pages: u64_at(bytes, 8)?,
            leaf_pages: u64_at(bytes, 16)?,
            overflow_pages: u64_at(bytes, 24)?,
            entries: u64_at(bytes, 32)?,
            root: u64_at(bytes, 40).filter(|root| *root != NO_PAGE),
        })
    }

    /// Whether the keys compare as bytes, and have one value each.
    pub(in crate::storage) fn is_plain(&self) -> bool {
        self.flags & COMPARING == 0
    }
}

/// What a meta page says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Meta {
    pub(super) free: Tree,
    pub(super) main: Tree,
    pub(super) last_page: u64,
    pub(super) transaction: u64,
}

/// Why a page is no meta page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NoMeta {
    /// It has not LMDB's magic.
    Magic,
    /// It is of another version.
    Version,
    /// It contradicts itself.
    Contradiction(&'static str),
}

impl Meta {
    /// Reads the meta page of this number, 0 or 1.
    pub(super) fn read(number: u64, page: &[u8]) -> Result<Meta, NoMeta> {
        let contradiction = |is_right: bool, fact| if is_right { Ok(()) } else { Err(NoMeta::Contradiction(fact)) };
        if u32_at(page, MAGIC) != Some(LMDB_MAGIC) {
            return Err(NoMeta::Magic);
        }
        if u32_at(page, VERSION) != Some(LMDB_VERSION) {
            return Err(NoMeta::Version);
        }
        contradiction(u64_at(page, 0) == Some(number), "It has another page's number.")?;
        contradiction(u16_at(page, FLAGS) == Some(META), "It is not marked as a meta page.")?;
        contradiction(u32_at(page, PAGE_SIZE) == Some(PAGE as u32), "The file's pages are not of 4,096 bytes.")?;
        let cut = NoMeta::Contradiction("It is cut short.");
        let tree = |at: usize| page.get(at..at + TREE_BYTES).and_then(Tree::read);
        let meta = Meta {
            free: tree(FREE).ok_or(cut)?,
            main: tree(MAIN).ok_or(cut)?,
            last_page: u64_at(page, LAST_PAGE).ok_or(cut)?,
            transaction: u64_at(page, TRANSACTION).ok_or(cut)?,
        };
        contradiction(
            meta.free.flags & COMPARING == NUMBER_KEYS,
            "Its list of free pages has other keys than numbers.",
        )?;
        let is_its = meta.transaction == 0 || meta.transaction % 2 == number;
        contradiction(is_its, "Its transaction is one that writes the other meta page.")?;
        Ok(meta)
    }
}

const _: () = assert!(HEADER == MAGIC && FREE == PAGE_SIZE);
