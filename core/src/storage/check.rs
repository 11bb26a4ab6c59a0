//! What is looked at before LMDB sees a file: LMDB crashes on some of what it trusts.

use super::env::io;
use super::pages::{Census, Entry, Fault, Moved, Opened, PageFile, Tree, Witness};
use super::{LONG_KEYS, Space};
use crate::{Error, ErrorCode, Result};
use std::path::Path;

/// The size of a page, in every file.
pub(super) const PAGE: usize = 4_096;
/// Offsets within a meta page of LMDB's data version 1; a page's header takes 16 bytes.
pub(super) const MAGIC: usize = 16;
pub(super) const VERSION: usize = 20;
pub(super) const PAGE_SIZE: usize = 40;

pub(super) const LMDB_MAGIC: u32 = 0xbeef_c0de;
/// The only data version of LMDB so far.
pub(super) const LMDB_VERSION: u32 = 1;

/// How often a file is looked at that is written meanwhile, before what another process works with is taken to be
/// whole.
const TRIES: usize = 3;

/// Checks what every transaction of LMDB's goes through: the length of an existing file, both its meta pages, the tree
/// of its databases, the catalog's, the list of free pages, and the root of every other tree. An empty file is a new
/// store. What this costs depends on the catalog and the list of free pages, and not on the rows.
///
/// # Errors
/// [`ErrorCode::NotAStore`] for what is not LMDB's, [`ErrorCode::NewerFormat`] for another version of it,
/// [`ErrorCode::Damaged`] with the page and its fault.
pub(super) fn before_open(path: &Path) -> Result<()> {
    for _ in 0..TRIES {
        let (file, faults) = match PageFile::open(path)? {
            Opened::Empty => return Ok(()),
            Opened::File(file, faults) => (file, faults),
        };
        let mut first = First(faults.into_iter().next());
        if !file.main().is_plain() {
            return Err(Error::new(ErrorCode::NotAStore).fact("Its main tree is none of a store."));
        }
        let walked = walk(&file, &mut first).and_then(|()| file.check_moved());
        match (walked, first.0) {
            (Ok(()), None) => return Ok(()),
            (Ok(()), Some(fault)) => {
                return Err(file.refusal().map_or_else(|| damaged(&fault), |error| io(path, error)));
            }
            (Err(Moved), _) => {}
        }
    }
    Ok(())
}

/// Keeps the first fault.
struct First(Option<Fault>);

impl Witness for First {
    fn fault(&mut self, fault: Fault) {
        self.0.get_or_insert(fault);
    }

    fn seen(&mut self, _pages: u64) -> Result<(), Moved> {
        Ok(())
    }
}

fn walk(file: &PageFile, first: &mut First) -> Result<(), Moved> {
    let mut census = Census::new(file, first);
    let mut trees: Vec<(Box<[u8]>, Option<Tree>)> = Vec::new();
    census.tree("databases", &file.main(), first, &mut |_, entry: &Entry<'_>| {
        if entry.is_tree {
            trees.push((entry.key.into(), Tree::read(entry.value)));
        }
        Ok(())
    })?;
    for (name, tree) in trees {
        let name = String::from_utf8_lossy(&name);
        let is_own = Space::NAMES.iter().flatten().any(|own| **own == *name) || name == LONG_KEYS;
        // Another program's file is refused by what it holds, once it is open.
        let Some(tree) = tree.filter(|_| is_own) else { continue };
        if Space::NAMES[Space::Catalog as usize] == Some(&*name) {
            census.tree(&name, &tree, first, &mut |_, _| Ok(()))?;
        } else if let Err(fault) = file.check_root(&tree) {
            first.fault(fault);
        }
    }
    census.free_list(first)?;
    if let Some(page) = census.missing() {
        first.fault(Fault::missing(page, file.pages()));
    }
    Ok(())
}

/// The error of a fault.
pub(crate) fn damaged(fault: &Fault) -> Error {
    match fault.page {
        Some(page) => Error::damaged(format!("Page {page} ({}): {}", fault.kind.name(), fault.fact)),
        None => Error::damaged(format!("{}: {}", fault.kind.name(), fault.fact)),
    }
}
