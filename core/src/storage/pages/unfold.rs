//! Long keys in the file: what lies below their nodes, each node once.

use super::super::long;
use super::file::PageFile;
use super::meta::Tree;
use super::search::{Unread, Visit};
use super::{Fault, FaultKind, Moved};

/// The ids under which parts of long keys lie, and which of them a node has led to.
pub(crate) struct LongKeys<'f> {
    file: &'f PageFile,
    tree: Option<Tree>,
    /// In the order of the ids.
    ids: Vec<(u64, bool)>,
    /// What has been found since it was last asked for.
    faults: Vec<Fault>,
}

impl<'f> LongKeys<'f> {
    pub(crate) fn new(file: &'f PageFile, tree: Option<Tree>) -> LongKeys<'f> {
        LongKeys { file, tree, ids: Vec::new(), faults: Vec::new() }
    }

    /// The same ids, none of which has been led to: for another walk.
    pub(crate) fn again(&self) -> LongKeys<'f> {
        let ids = self.ids.iter().map(|(id, _)| (*id, false)).collect();
        LongKeys { file: self.file, tree: self.tree, ids, faults: Vec::new() }
    }

    /// Notes a key of the tree of long keys, whose keys come in their order.
    pub(crate) fn note(&mut self, page: u64, key: &[u8]) {
        let Some(id) = id_of(key) else {
            self.blame(page, "A part of a long key has no id.");
            return;
        };
        if self.ids.last().is_none_or(|(last, _)| *last < id) {
            self.ids.push((id, false));
        }
    }

    /// The highest id that there is.
    pub(crate) fn highest(&self) -> u64 {
        self.ids.last().map_or(0, |(id, _)| *id)
    }

    /// Whether a key on level 0 is a node.
    pub(crate) fn is_node(key: &[u8]) -> bool {
        long::is_node(key, true)
    }

    /// Hands on the logical keys below a node on level 0.
    pub(crate) fn unfold(&mut self, page: u64, node: &[u8], value: &[u8], visit: &mut Visit<'_>) -> Result<(), Moved> {
        let mut head = node.get(..node.len().saturating_sub(1)).unwrap_or_default().to_vec();
        self.below(page, &mut head, value, 1, visit)
    }

    fn below(
        &mut self,
        page: u64,
        head: &mut Vec<u8>,
        value: &[u8],
        level: usize,
        visit: &mut Visit<'_>,
    ) -> Result<(), Moved> {
        let Some(id) = value.first_chunk().filter(|_| value.len() == long::ID).map(|id| u64::from_be_bytes(*id)) else {
            self.blame(page, "A long key's node has no id.");
            return Ok(());
        };
        if level >= long::LEVELS {
            self.blame(page, "A long key has more levels than any has.");
            return Ok(());
        }
        let known = self.ids.binary_search_by_key(&id, |(id, _)| *id).ok().and_then(|at| self.ids.get_mut(at));
        match (known, self.tree) {
            (Some((_, is_met)), Some(tree)) if !*is_met => {
                *is_met = true;
                let (file, head_bytes) = (self.file, head.len());
                let scanned = file.scan(&tree, &id.to_be_bytes(), &mut |page, key, value| {
                    let part = key.get(long::ID..).unwrap_or_default();
                    head.truncate(head_bytes);
                    if !long::is_node(key, false) {
                        head.extend_from_slice(part);
                        return visit(page, head, value);
                    }
                    head.extend_from_slice(part.get(..part.len().saturating_sub(1)).unwrap_or_default());
                    self.below(page, head, value, level + 1, visit)
                });
                head.truncate(head_bytes);
                match scanned {
                    Err(Unread::Moved) => return Err(Moved),
                    Err(Unread::Damaged(fact)) => self.blame(page, &fact),
                    Ok(()) => {}
                }
            }
            (Some(_), _) => self.blame(page, "Two nodes of long keys have one id."),
            (None, _) => self.blame(page, "A long key's node has nothing below it."),
        }
        Ok(())
    }

    fn blame(&mut self, page: u64, fact: &str) {
        self.faults.push(Fault::new(page, FaultKind::LongKey, fact));
    }

    /// What has been found since this was last asked.
    pub(crate) fn faults(&mut self) -> Vec<Fault> {
        std::mem::take(&mut self.faults)
    }

    /// How many ids no node has led to.
    pub(crate) fn unmet(&self) -> usize {
        self.ids.iter().filter(|(_, is_met)| !is_met).count()
    }
}

fn id_of(key: &[u8]) -> Option<u64> {
    key.first_chunk().filter(|_| key.len() > long::ID).map(|id| u64::from_be_bytes(*id))
}
