//! Every page of a file, counted: each belongs to one tree, to one value, or to the list of free pages.

use super::file::PageFile;
use super::meta::Tree;
use super::page::{Page, Value};
use super::{Fault, FaultKind, METAS, MOST_LEVELS, Moved, u64_at};
use std::cmp::Ordering;

/// A set of pages.
struct Bits(Vec<u64>);

impl Bits {
    fn new(pages: u64) -> Bits {
        Bits(vec![0; usize::try_from(pages.div_ceil(64)).unwrap_or(0)])
    }

    fn place(number: u64) -> (usize, u64) {
        (usize::try_from(number / 64).unwrap_or(usize::MAX), 1 << (number % 64))
    }

    fn has(&self, number: u64) -> bool {
        let (word, bit) = Bits::place(number);
        self.0.get(word).is_some_and(|word| word & bit != 0)
    }

    /// Adds a page. Tells whether it was not there; beyond the end it is as if it had been.
    fn add(&mut self, number: u64) -> bool {
        let (word, bit) = Bits::place(number);
        match self.0.get_mut(word) {
            Some(word) if *word & bit == 0 => {
                *word |= bit;
                true
            }
            _ => false,
        }
    }
}

/// What is told as it is found: how far the census has come, and faults.
pub(crate) trait Witness {
    fn fault(&mut self, fault: Fault);
    /// Pages that have been seen so far. An error ends the walk.
    fn seen(&mut self, pages: u64) -> Result<(), Moved>;
}

/// A key and its value.
pub(crate) struct Entry<'a> {
    /// The leaf that has the key.
    pub(crate) page: u64,
    pub(crate) key: &'a [u8],
    pub(crate) value: &'a [u8],
    /// Whether the value is the record of a named tree.
    pub(crate) is_tree: bool,
}

/// How many pages are what.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct PageCounts {
    /// The meta pages, and those of trees and values.
    pub(crate) used: u64,
    pub(crate) free: u64,
    pub(crate) leaked: u64,
}

/// A census under way.
pub(crate) struct Census<'f> {
    file: &'f PageFile,
    /// Pages that the file has, or that its list of free pages may name beyond its end.
    pages: u64,
    used: Bits,
    free: Bits,
    counts: PageCounts,
    /// Whether every tree could be walked to its end: else pages that belong to one would seem to be leaked.
    is_whole: bool,
}

/// A tree that is being walked.
struct Walk<'a> {
    name: &'a str,
    compare: fn(&[u8], &[u8]) -> Ordering,
    depth: u16,
    branch_pages: u64,
    leaf_pages: u64,
    overflow_pages: u64,
    entries: u64,
    visit: &'a mut dyn FnMut(&mut dyn Witness, &Entry<'_>) -> Result<(), Moved>,
    is_whole: bool,
}

/// Between which keys a page's own must lie.
#[derive(Clone, Copy)]
struct Room<'k> {
    from: Option<&'k [u8]>,
    to: Option<&'k [u8]>,
}

impl<'f> Census<'f> {
    pub(crate) fn new(file: &'f PageFile, witness: &mut dyn Witness) -> Census<'f> {
        // A file may end before its last page: a commit may have taken pages at the end and freed them again. The list
        // of free pages names each of them then, in the room that the file has.
        let most = file.pages.saturating_mul(512);
        let pages = file.meta.last_page.saturating_add(1);
        if pages > most {
            let fact = format!("The last page is said to be {}, of a file of {} pages.", pages - 1, file.pages);
            witness.fault(Fault::new(None, FaultKind::Meta, fact));
        }
        let pages = pages.min(most);
        let mut used = Bits::new(pages);
        for page in 0..METAS {
            used.add(page);
        }
        let counts = PageCounts { used: METAS, ..PageCounts::default() };
        Census { file, pages, used, free: Bits::new(pages), counts, is_whole: true }
    }

    /// Walks a tree, and hands on every entry that lies on a page without a fault.
    pub(crate) fn tree(
        &mut self,
        name: &str,
        tree: &Tree,
        witness: &mut dyn Witness,
        visit: &mut dyn FnMut(&mut dyn Witness, &Entry<'_>) -> Result<(), Moved>,
    ) -> Result<(), Moved> {
        if !tree.is_plain() {
            let fact = format!("The tree of {name} has another order of keys, or several values a key.");
            witness.fault(Fault::new(None, FaultKind::Tree, fact));
            self.is_whole = false;
            return Ok(());
        }
        self.walk(name, tree, |a, b| a.cmp(b), witness, visit)
    }

    fn walk(
        &mut self,
        name: &str,
        tree: &Tree,
        compare: fn(&[u8], &[u8]) -> Ordering,
        witness: &mut dyn Witness,
        visit: &mut dyn FnMut(&mut dyn Witness, &Entry<'_>) -> Result<(), Moved>,
    ) -> Result<(), Moved> {
        let mut walk = Walk {
            name,
            compare,
            depth: tree.depth,
            branch_pages: 0,
            leaf_pages: 0,
            overflow_pages: 0,
            entries: 0,
            visit,
            is_whole: true,
        };
        match tree.root {
            Some(root) => self.descend(&mut walk, root, 1, Room { from: None, to: None }, witness)?,
            None if tree.depth == 0 => {}
            None => self.blame(&mut walk, None, "has levels and no root", witness),
        }
        let found = (walk.branch_pages, walk.leaf_pages, walk.overflow_pages, walk.entries);
        let said = (tree.branch_pages, tree.leaf_pages, tree.overflow_pages, tree.entries);
        // Of a tree with a damaged page the sums are wrong anyway.
        if walk.is_whole && found != said {
            let fact = format!(
                "The tree of {name} is said to have {said:?} branches, leaves, pages of values and entries, and has {found:?}."
            );
            witness.fault(Fault::new(None, FaultKind::Tree, fact));
        }
        self.is_whole &= walk.is_whole;
        Ok(())
    }

    /// The first page that the file lacks, if its list of free pages, which has been read, does not name it.
    pub(crate) fn missing(&self) -> Option<u64> {
        (self.file.pages..self.pages).find(|page| !self.free.has(*page))
    }

    fn blame(&self, walk: &mut Walk<'_>, page: Option<u64>, what: &str, witness: &mut dyn Witness) {
        walk.is_whole = false;
        witness.fault(Fault::new(page, FaultKind::Page, format!("The tree of {} {what}.", walk.name)));
    }

    /// Takes a page for a tree or a value.
    fn take(&mut self, walk: &mut Walk<'_>, page: u64, witness: &mut dyn Witness) -> Result<bool, Moved> {
        self.file.check_moved_at_times()?;
        if !self.used.add(page) {
            let what =
                if page < self.pages { "leads to a page that is in use already" } else { "leads beyond the file" };
            self.blame(walk, Some(page), what, witness);
            return Ok(false);
        }
        self.counts.used += 1;
        witness.seen(self.counts.used)?;
        Ok(true)
    }

    fn descend(
        &mut self,
        walk: &mut Walk<'_>,
        number: u64,
        level: u16,
        room: Room<'_>,
        witness: &mut dyn Witness,
    ) -> Result<(), Moved> {
        if level > MOST_LEVELS || level > walk.depth {
            self.blame(walk, Some(number), "has more levels than it says", witness);
            return Ok(());
        }
        if !self.take(walk, number, witness)? {
            return Ok(());
        }
        let page = match self.file.page(number) {
            Ok(page) => page,
            Err(fact) => {
                walk.is_whole = false;
                witness.fault(Fault::new(number, FaultKind::Page, format!("{fact} It belongs to {}.", walk.name)));
                return Ok(());
            }
        };
        if page.is_branch == (level == walk.depth) {
            self.blame(walk, Some(number), "has leaves on more than one level", witness);
            return Ok(());
        }
        if !is_ordered(&page, walk.compare, room) {
            self.blame(walk, Some(number), "has keys out of order", witness);
            return Ok(());
        }
        if !page.is_branch {
            return self.leaf(walk, number, &page, witness);
        }
        walk.branch_pages += 1;
        for index in 0..page.count {
            let from = if index == 0 { room.from } else { Some(page.key(index)) };
            let to = if index + 1 < page.count { Some(page.key(index + 1)) } else { room.to };
            self.descend(walk, page.child(index), level + 1, Room { from, to }, witness)?;
        }
        Ok(())
    }

    fn leaf(&mut self, walk: &mut Walk<'_>, number: u64, page: &Page, witness: &mut dyn Witness) -> Result<(), Moved> {
        walk.leaf_pages += 1;
        walk.entries += page.count as u64;
        for index in 0..page.count {
            let key = page.key(index);
            match page.value(index) {
                Value::Inline(value) => {
                    (walk.visit)(witness, &Entry { page: number, key, value, is_tree: false })?;
                }
                Value::Tree(value) => (walk.visit)(witness, &Entry { page: number, key, value, is_tree: true })?,
                Value::Big { page, bytes } => {
                    let run = match self.file.run(page, bytes) {
                        Ok(run) => run,
                        Err(fact) => {
                            walk.is_whole = false;
                            witness.fault(Fault::new(
                                page,
                                FaultKind::Page,
                                format!("{fact} It belongs to {}.", walk.name),
                            ));
                            continue;
                        }
                    };
                    let mut is_free = true;
                    for page in page..page + run {
                        is_free &= self.take(walk, page, witness)?;
                    }
                    walk.overflow_pages += run;
                    match self.file.big_value(page, bytes) {
                        Ok(value) if is_free => {
                            (walk.visit)(witness, &Entry { page: number, key, value: &value, is_tree: false })?;
                        }
                        Ok(_) => {}
                        Err(fact) => {
                            walk.is_whole = false;
                            witness.fault(Fault::new(page, FaultKind::Page, fact));
                        }
                    }
                }
            }
        }
        Ok(())
    }

    /// Reads the list of free pages, whose own pages are a tree of their own.
    pub(crate) fn free_list(&mut self, witness: &mut dyn Witness) -> Result<(), Moved> {
        let (free, newest, pages) = (self.file.meta.free, self.file.meta.transaction, self.pages);
        let mut listed = std::mem::replace(&mut self.free, Bits::new(0));
        let mut count = 0;
        let compare = |a: &[u8], b: &[u8]| number(a).cmp(&number(b));
        let mut visit = |witness: &mut dyn Witness, entry: &Entry<'_>| {
            let mut blame = |fact: String| witness.fault(Fault::new(entry.page, FaultKind::FreeList, fact));
            match number(entry.key) {
                Some(commit) if commit <= newest && !entry.is_tree => {}
                _ => blame("The key is none of a commit that there was.".into()),
            }
            let words = entry.value.chunks_exact(8).map(|word| u64_at(word, 0).unwrap_or(0));
            let said = words.clone().next().unwrap_or(u64::MAX);
            if !entry.value.len().is_multiple_of(8) || said >= entry.value.len() as u64 / 8 {
                blame("A list of free pages is longer than its room.".into());
                return Ok(());
            }
            let mut above = u64::MAX;
            for page in words.skip(1).take(usize::try_from(said).unwrap_or(0)) {
                if page >= above {
                    blame(format!("A list of free pages has page {page} out of order."));
                } else if page < METAS || page >= pages {
                    blame(format!("Page {page} is said to be free, and is none of the file."));
                } else if listed.add(page) {
                    count += 1;
                } else {
                    blame(format!("Page {page} is said to be free twice."));
                }
                above = page;
            }
            Ok(())
        };
        let walked = self.walk("free pages", &free, compare, witness, &mut visit);
        (self.free, self.counts.free) = (listed, count);
        walked
    }

    /// Compares what is used with what is free, once all trees have been walked.
    pub(crate) fn finish(mut self, witness: &mut dyn Witness) -> PageCounts {
        /// Runs of leaked pages are told up to this one; the rest is in the counts.
        const MOST_RUNS: usize = 100;
        let (mut run, mut runs) = (None, 0);
        for page in METAS..=self.pages {
            let (is_used, is_free) = (self.used.has(page), self.free.has(page));
            if is_used && is_free {
                let fact = "The page is said to be free, and is in use.";
                witness.fault(Fault::new(page, FaultKind::FreeList, fact));
            }
            let is_leaked = self.is_whole && !is_used && !is_free && page < self.pages;
            match (is_leaked, run) {
                (true, None) => run = Some(page),
                (false, Some(first)) => {
                    self.counts.leaked += page - first;
                    runs += 1;
                    if runs <= MOST_RUNS {
                        let fact = format!("Pages {first} to {} are neither used nor free.", page - 1);
                        witness.fault(Fault::new(first, FaultKind::Leaked, fact));
                    }
                    run = None;
                }
                _ => {}
            }
        }
        self.counts
    }
}

fn number(key: &[u8]) -> Option<u64> {
    (key.len() == 8).then(|| u64_at(key, 0)).flatten()
}

/// Whether a page's keys rise, within the room that the page has.
pub(super) fn is_in_room(
    key: &[u8],
    compare: fn(&[u8], &[u8]) -> Ordering,
    from: Option<&[u8]>,
    to: Option<&[u8]>,
) -> bool {
    from.is_none_or(|from| compare(from, key) != Ordering::Greater)
        && to.is_none_or(|to| compare(key, to) == Ordering::Less)
}

fn is_ordered(page: &Page, compare: fn(&[u8], &[u8]) -> Ordering, room: Room<'_>) -> bool {
    let first = usize::from(page.is_branch);
    let mut before: Option<&[u8]> = None;
    for index in first..page.count {
        let key = page.key(index);
        let rises = before.is_none_or(|before| compare(before, key) == Ordering::Less);
        if !rises || !is_in_room(key, compare, room.from, room.to) {
            return false;
        }
        before = Some(key);
    }
    true
}
