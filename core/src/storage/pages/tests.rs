//! Any bytes whatever are read to an end, and what is whole is found whole.

use super::*;
use crate::storage::{self, Live, OpenFile, Place, Space};
use crate::tests::Random;
use std::path::PathBuf;
use std::sync::Arc;

#[derive(Default)]
struct Faults(Vec<Fault>);

impl Witness for Faults {
    fn fault(&mut self, fault: Fault) {
        self.0.push(fault);
    }

    fn seen(&mut self, _pages: u64) -> Result<(), Moved> {
        Ok(())
    }
}

/// Walks all that there is; `None` where the meta pages lead nowhere. The faults, and how many entries were seen.
fn walk(bytes: &[u8]) -> Option<(Vec<Fault>, usize)> {
    let Ok(Opened::File(file, faults)) = PageFile::of_bytes(bytes.to_vec()) else { return None };
    let (mut faults, mut entries) = (Faults(faults), 0);
    let mut census = Census::new(&file, &mut faults);
    let mut trees = Vec::new();
    census
        .tree("databases", &file.main(), &mut faults, &mut |_, entry: &Entry<'_>| {
            trees.extend(Tree::read(entry.value).filter(|_| entry.is_tree));
            Ok(())
        })
        .unwrap();
    let mut long_keys = LongKeys::new(&file, trees.get(3).copied());
    if let Some(tree) = trees.get(3).copied() {
        census
            .tree("long keys", &tree, &mut faults, &mut |_, entry: &Entry<'_>| {
                long_keys.note(entry.page, entry.key);
                Ok(())
            })
            .unwrap();
    }
    for (number, tree) in trees.iter().enumerate().filter(|(number, _)| *number != 3) {
        let seen = census.tree(&number.to_string(), tree, &mut faults, &mut |_, entry: &Entry<'_>| {
            entries += 1;
            if LongKeys::is_node(entry.key) {
                long_keys.unfold(entry.page, entry.key, entry.value, &mut |_, _, _| {
                    entries += 1;
                    Ok(())
                })?;
            }
            Ok(())
        });
        seen.unwrap();
    }
    faults.0.extend(long_keys.faults());
    census.free_list(&mut faults).unwrap();
    census.finish(&mut faults);
    Some((faults.0, entries))
}

fn open(path: PathBuf) -> Arc<Live> {
    let (key, value) = crate::catalog::new_header().unwrap();
    let place = Place::File(path);
    Live::open(&OpenFile { place, read_only: false, immutable: false, create: true, header: (key, &value) }).unwrap()
}

/// A file with branches, long keys, values of several pages, and free pages.
fn whole() -> Vec<u8> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("store.ent");
    let live = open(path.clone());
    for turn in 0_u32..3 {
        storage::run(&live, |txn| {
            txn.next_long_key = u64::from(turn) * 1_000;
            for number in 0_u32..200 {
                let mut key = number.to_be_bytes().to_vec();
                key.resize(if number % 20 == 0 { 5_000 } else { 40 }, number as u8);
                txn.put(Space::Rows, &key, &vec![7; if number % 25 == 0 { 9_000 } else { 100 }])?;
                if (number + turn).is_multiple_of(3) {
                    txn.delete(Space::Rows, &key)?;
                }
            }
            Ok(())
        })
        .unwrap();
    }
    drop(live);
    std::fs::read(path).unwrap()
}

#[test]
fn what_lmdb_writes_has_no_fault() {
    let (faults, entries) = walk(&whole()).unwrap();
    assert_eq!(faults, []);
    assert!(entries > 100, "{entries}");
}

#[test]
fn any_bytes_are_read_to_an_end() {
    let whole = whole();
    let mut chance = Random(7);
    let mut random = move |below: usize| chance.below(below);
    let trials = if std::env::var_os("ENTABLE_LONG").is_some() { 100_000 } else { 1_500 };
    let mut found = 0;
    for _ in 0..trials {
        let mut bytes = whole.clone();
        let pages = bytes.len() / PAGE;
        for _ in 0..=random(6) {
            let page = random(pages) * PAGE;
            match random(5) {
                // Page numbers, offsets and counts lie at a page's head, and in front of its nodes.
                0 | 1 => {
                    let at = page + random(200);
                    bytes[at] = random(256) as u8;
                }
                2 => bytes[page + random(PAGE)] ^= 1 << random(8),
                3 => {
                    let other = random(pages) * PAGE;
                    bytes.copy_within(other..other + PAGE, page);
                    if random(2) == 0 {
                        // A page that says that it is this one.
                        bytes[page..page + 8].copy_from_slice(&(page as u64 / PAGE as u64).to_le_bytes());
                    }
                }
                _ => (0..PAGE).for_each(|at| bytes[page + at] = random(256) as u8),
            }
        }
        if random(20) == 0 {
            bytes.truncate(random(bytes.len()));
        }
        found += usize::from(walk(&bytes).is_none_or(|(faults, _)| !faults.is_empty()));
    }
    assert!(found > trials / 4, "{found} of {trials}");
}

#[test]
fn a_file_that_lost_its_last_page_is_told() {
    let whole = whole();
    let lost = whole[..whole.len() - PAGE].to_vec();
    let Ok(Opened::File(file, _)) = PageFile::of_bytes(lost.clone()) else { panic!("a file") };
    let mut faults = Faults::default();
    let mut census = Census::new(&file, &mut faults);
    census.free_list(&mut faults).unwrap();
    let is_free = census.missing().is_none();
    // Where the last page is free, nothing is lost with it.
    assert_eq!(is_free, walk(&lost).unwrap().0.is_empty());
}
