//! Looking for keys in a tree of the file.

use super::super::long::{self, Step};
use super::census::is_in_room;
use super::file::PageFile;
use super::meta::Tree;
use super::page::{Page, Value};
use super::{MOST_LEVELS, Moved};

/// What is done with an entry: the leaf that has its key (of a long key the last part), the key, the value.
pub(super) type Visit<'v> = dyn FnMut(u64, &[u8], &[u8]) -> Result<(), Moved> + 'v;

/// Why a walk came to no end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Unread {
    /// A page on the way is damaged, as the census has told or will tell.
    Damaged(String),
    Moved,
}

impl From<Moved> for Unread {
    fn from(_: Moved) -> Unread {
        Unread::Moved
    }
}

impl PageFile {
    /// Hands on every key that begins with `prefix`, in order, with the leaf that has it.
    pub(crate) fn scan(&self, tree: &Tree, prefix: &[u8], visit: &mut Visit<'_>) -> Result<(), Unread> {
        match tree.root {
            Some(root) => self.scan_page(root, 1, prefix, (None, None), visit),
            None => Ok(()),
        }
    }

    /// The value under a logical key, whose parts beyond the first lie in the tree of long keys.
    pub(crate) fn find(&self, tree: &Tree, long_keys: Option<&Tree>, key: &[u8]) -> Result<Option<Vec<u8>>, Unread> {
        let (mut tree, mut id, mut key, mut physical) = (tree, None, key, Vec::new());
        loop {
            let next = long::step(id, key, &mut physical);
            let Some(value) = self.find_exact(tree, &physical)? else { return Ok(None) };
            match next {
                Step::Exact => return Ok(Some(value)),
                // Shorter with every step, so the loop has an end.
                Step::Below(rest) => key = rest,
            }
            let no_node = || Unread::Damaged("A long key's node has no id, or there is no tree of them.".into());
            id = Some(long::node_id(&value).map_err(|_| no_node())?);
            tree = long_keys.ok_or_else(no_node)?;
        }
    }

    /// The value under a physical key.
    fn find_exact(&self, tree: &Tree, key: &[u8]) -> Result<Option<Vec<u8>>, Unread> {
        let Some(mut number) = tree.root else { return Ok(None) };
        for _ in 0..MOST_LEVELS {
            self.check_moved_at_times()?;
            let page = self.page(number).map_err(Unread::Damaged)?;
            // The first node that lies behind the key; a branch's first has no key, and is before any.
            let (mut low, mut high) = (usize::from(page.is_branch), page.count);
            while low < high {
                let middle = low + (high - low) / 2;
                if page.key(middle) <= key { low = middle + 1 } else { high = middle }
            }
            let Some(at) = low.checked_sub(1) else { return Ok(None) };
            if page.is_branch {
                number = page.child(at);
                continue;
            }
            if page.key(at) != key {
                return Ok(None);
            }
            return match page.value(at) {
                Value::Inline(value) | Value::Tree(value) => Ok(Some(value.to_vec())),
                Value::Big { page, bytes } => self.big_value(page, bytes).map(Some).map_err(Unread::Damaged),
            };
        }
        Err(Unread::Damaged("A tree has too many levels.".into()))
    }

    fn scan_page(
        &self,
        number: u64,
        level: u16,
        prefix: &[u8],
        (from, to): (Option<&[u8]>, Option<&[u8]>),
        visit: &mut Visit<'_>,
    ) -> Result<(), Unread> {
        self.check_moved_at_times()?;
        if level > MOST_LEVELS {
            return Err(Unread::Damaged("A tree has too many levels.".into()));
        }
        let page = self.page(number).map_err(Unread::Damaged)?;
        check_room(&page, from, to)?;
        for index in 0..page.count {
            let from = if page.is_branch && index == 0 { from } else { Some(page.key(index)) };
            if from.is_some_and(|from| from > prefix && !from.starts_with(prefix)) {
                break;
            }
            if !page.is_branch {
                let key = page.key(index);
                if key.starts_with(prefix) {
                    match page.value(index) {
                        Value::Inline(value) | Value::Tree(value) => visit(number, key, value)?,
                        Value::Big { page, bytes } => {
                            visit(number, key, &self.big_value(page, bytes).map_err(Unread::Damaged)?)?;
                        }
                    }
                }
                continue;
            }
            let to = if index + 1 < page.count { Some(page.key(index + 1)) } else { to };
            if to.is_none_or(|to| to > prefix) {
                self.scan_page(page.child(index), level + 1, prefix, (from, to), visit)?;
            }
        }
        Ok(())
    }
}

/// Keys must rise and lie where the branches above say: so no page is met twice, and a walk has an end.
fn check_room(page: &Page, from: Option<&[u8]>, to: Option<&[u8]>) -> Result<(), Unread> {
    let mut before = from;
    for index in usize::from(page.is_branch)..page.count {
        let key = page.key(index);
        let is_first = index == usize::from(page.is_branch);
        let rises = before.is_none_or(|before| before < key || (is_first && !page.is_branch && before == key));
        if !rises || !is_in_room(key, |a, b| a.cmp(b), from, to) {
            return Err(Unread::Damaged("A tree has keys out of order.".into()));
        }
        before = Some(key);
    }
    Ok(())
}
