//! Where the trees begin in the last transaction that was asked: to find a root again costs LMDB a look-up in its tree of
//! trees, which a point read would pay each time.

use crate::storage::{LONG_KEYS, Space};
use std::sync::Mutex;
use std::sync::atomic::{AtomicPtr, AtomicU64, AtomicUsize, Ordering, fence};

/// The roots of one file, as one of its moments has them. All transactions of the same number see the same moment.
#[derive(Default)]
pub(in crate::storage) struct Roots {
    /// Odd while the others are written. Whoever has met the same even number before and after has read what belongs
    /// together.
    version: AtomicUsize,
    txn: AtomicUsize,
    base: AtomicPtr<u8>,
    /// Page numbers plus one, by the place of the tree's name; 0 where none has been looked up.
    roots: [AtomicU64; Roots::COUNT],
    writing: Mutex<()>,
}

impl Roots {
    const COUNT: usize = Space::COUNT;

    fn place(tree: &str) -> usize {
        if tree == LONG_KEYS {
            // The unnamed tree has no name to be looked up by, so its place is free.
            return Space::Header as usize;
        }
        Space::NAMES.iter().position(|name| *name == Some(tree)).unwrap_or(Space::Header as usize)
    }

    /// Where the file is mapped, and the root page of a tree: if they are known for the transaction of this number.
    #[inline]
    pub(super) fn get(&self, txn: usize, tree: &str) -> Option<(*const u8, u64)> {
        let version = self.version.load(Ordering::Acquire);
        let root = self.roots.get(Roots::place(tree))?.load(Ordering::Relaxed);
        let (base, of) = (self.base.load(Ordering::Relaxed), self.txn.load(Ordering::Relaxed));
        fence(Ordering::Acquire);
        let is_whole = version.is_multiple_of(2) && version == self.version.load(Ordering::Relaxed);
        if is_whole && of == txn { Some((base, root.checked_sub(1)?)) } else { None }
    }

    /// Notes what was looked up in the transaction of this number. If somebody else is at it, it is not worth the wait.
    pub(super) fn note(&self, txn: usize, tree: &str, base: *const u8, root: u64) {
        let Ok(_writing) = self.writing.try_lock() else { return };
        let Some(root) = root.checked_add(1) else { return };
        let version = self.version.load(Ordering::Relaxed);
        self.version.store(version.wrapping_add(1), Ordering::Relaxed);
        fence(Ordering::Release);
        if self.txn.load(Ordering::Relaxed) != txn {
            self.roots.iter().for_each(|root| root.store(0, Ordering::Relaxed));
        }
        self.txn.store(txn, Ordering::Relaxed);
        self.base.store(base.cast_mut(), Ordering::Relaxed);
        if let Some(place) = self.roots.get(Roots::place(tree)) {
            place.store(root, Ordering::Relaxed);
        }
        self.version.store(version.wrapping_add(2), Ordering::Release);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::thread;

    #[test]
    fn a_root_is_that_of_its_transaction_and_tree() {
        let roots = Roots::default();
        let base = std::ptr::null();
        assert_eq!(roots.get(0, "rows"), None);
        roots.note(7, "rows", base, 0);
        roots.note(7, LONG_KEYS, base, 3);
        assert_eq!(
            (roots.get(7, "rows"), roots.get(7, LONG_KEYS), roots.get(7, "catalog"), roots.get(8, "rows")),
            (Some((base, 0)), Some((base, 3)), None, None)
        );
        roots.note(9, "catalog", base, 5);
        assert_eq!(
            (roots.get(7, "rows"), roots.get(9, "rows"), roots.get(9, "catalog")),
            (None, None, Some((base, 5)))
        );
    }

    #[test]
    fn threads_never_meet_the_root_of_another_transaction() {
        let roots = Roots::default();
        thread::scope(|scope| {
            for thread in 0..4_usize {
                let roots = &roots;
                scope.spawn(move || {
                    for round in 0..20_000 {
                        let txn = round / 8 + thread % 2;
                        roots.note(txn, "rows", std::ptr::null(), 1_000_000 + txn as u64);
                        for txn in [txn, txn + 1] {
                            if let Some((_, root)) = roots.get(txn, "rows") {
                                assert_eq!(root, 1_000_000 + txn as u64);
                            }
                        }
                    }
                });
            }
        });
    }
}
