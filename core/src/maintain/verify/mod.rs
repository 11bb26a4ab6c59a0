//! Looking through a file: every page, every record, every row. LMDB has no part in it, so damage cannot crash it.

mod content;
mod declared;
mod entries;
mod report;
#[cfg(test)]
mod tests;

pub use report::{Finding, FindingKind, Report};

use crate::catalog;
use crate::codec::header::{self, Header};
use crate::storage::pages::{Census, Entry, Fault, LongKeys, Moved, Opened, PageFile, Tree, Witness};
use crate::storage::{HeldTxn, LONG_KEYS, Live, OpenFile, Place, Read, find_live};
use crate::{Error, ErrorCode, Result};
use content::Content;
use declared::{Declared, Record};
use entries::Trees;
use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::path::Path;

/// How often a file is gone through that other processes write meanwhile, before it is opened to keep one moment.
const TRIES: usize = 3;
/// How many moments are taken until the meta page of one is still there: two commits must fall between two calls that
/// follow each other to miss one.
const MOMENTS: usize = 1_000;
/// After how many pages the caller is told how far it is.
const PROGRESS_PAGES: u64 = 256;

/// Goes through the store in the file at `path`: every page and its place, the list of free pages, the catalog, and
/// every entity with its checksum, its form and its table; that every index has the entries which the entities give,
/// and no others; changes, too. Nothing is written.
///
/// The file may be in use, by this process or by others: what is looked at is one moment of it, that of the newest
/// commit. If this process has the store open, or others write all the time, a reader's slot keeps that moment; else
/// it is seen afterwards whether pages of it were used again meanwhile, and then it is gone through once more.
///
/// The file is read page by page into memory, and nothing in it is believed, so that no damage can crash the process.
/// Memory: two bits for each page, 16 bytes for each node of a long key, the catalog, and the longest value; of a unique
/// index the values whose first 512 bytes are the same.
///
/// # Errors
/// [`ErrorCode::StoreNotFound`], [`ErrorCode::NotAStore`], [`ErrorCode::NewerFormat`] if the file is another version's,
/// [`ErrorCode::Io`], [`ErrorCode::StoreBusy`] where others write so fast that no moment could be taken. Damage is no
/// error: it is in the report.
///
/// # Example
/// ```
/// # let folder = tempfile::tempdir().unwrap();
/// # let path = folder.path().join("orders.ent");
/// let store = entable::Store::open(&path)?;
/// store.create_table("Orders")?;
/// let report = entable::verify(&path)?;
/// assert!(report.is_clean(), "{report}");
/// assert_eq!(report.tables, 1);
/// # Ok::<(), entable::Error>(())
/// ```
pub fn verify(path: impl AsRef<Path>) -> Result<Report> {
    verify_with_progress(path, |_, _| ControlFlow::Continue(()))
}

/// As [`verify`], telling as it goes how many of the file's pages have been seen, and how many there are, and asking
/// whether to go on. The first begins anew where the file has to be gone through again.
///
/// # Errors
/// As [`verify`]; [`ErrorCode::Cancelled`] if it was given up.
pub fn verify_with_progress(
    path: impl AsRef<Path>,
    mut progress: impl FnMut(u64, u64) -> ControlFlow<()>,
) -> Result<Report> {
    let path = path.as_ref();
    verify_path(path, &mut progress).map_err(|error| error.in_file(path))
}

fn verify_path(path: &Path, mut progress: &mut dyn FnMut(u64, u64) -> ControlFlow<()>) -> Result<Report> {
    let live = match find_live(path)? {
        Some(live) => Some(live),
        None => {
            for _ in 0..TRIES {
                if let Ok(outcome) = examine(path, &mut progress) {
                    return outcome;
                }
            }
            None
        }
    };
    let live = match live {
        Some(live) => live,
        None => open(path)?,
    };
    // Where the meta page is a later commit's already, the next moment is taken.
    for _ in 0..MOMENTS {
        let held = HeldTxn::new(&live)?;
        let commit = held.txn()?.id() as u64;
        if let Ok(outcome) = examine_at(path, commit, &mut progress) {
            return outcome;
        }
    }
    Err(Error::new(ErrorCode::StoreBusy).fact("Others write faster than a moment of the file can be taken."))
}

/// Opens a file that others write.
fn open(path: &Path) -> Result<std::sync::Arc<Live>> {
    let (key, value) = catalog::new_header()?;
    let open = |read_only| {
        let place = Place::File(path.to_owned());
        Live::open(&OpenFile { place, read_only, immutable: false, create: false, header: (key, &value) })
    };
    match open(false) {
        Err(error) if error.code() == ErrorCode::Io => open(true),
        live => live,
    }
}

/// Refuses a file that is damaged.
///
/// # Errors
/// [`ErrorCode::Damaged`] with the first finding, and those of [`verify`].
pub(crate) fn check_file(path: &Path) -> Result<()> {
    let report = match verify(path) {
        Err(error) if error.code() == ErrorCode::StoreNotFound => return Ok(()),
        report => report?,
    };
    match report.first_damage() {
        None => Ok(()),
        Some(finding) => {
            let mut error =
                Error::damaged(format!("There are {} findings, the first: {finding}", report.finding_count));
            if let Some(table) = &finding.table {
                error = error.table(table);
            }
            if let Some(index) = &finding.index {
                error = error.index_name(index);
            }
            if let Some((partition_key, row_key)) = &finding.keys {
                error = error.keys(partition_key, row_key);
            }
            Err(error)
        }
    }
}

/// Goes through the newest moment of the file.
fn examine(
    path: &Path,
    progress: &mut dyn FnMut(u64, u64) -> ControlFlow<()>,
) -> std::result::Result<Result<Report>, Moved> {
    match PageFile::open(path) {
        Ok(Opened::File(file, faults)) => look_through(&file, faults, progress),
        Ok(Opened::Empty) => Ok(Err(Error::new(ErrorCode::NotAStore).fact("The file is empty."))),
        Err(error) => Ok(Err(error)),
    }
}

/// Goes through the moment that a reader's slot keeps.
fn examine_at(
    path: &Path,
    commit: u64,
    progress: &mut dyn FnMut(u64, u64) -> ControlFlow<()>,
) -> std::result::Result<Result<Report>, Moved> {
    match PageFile::open_at(path, commit) {
        Ok(file) => look_through(&file?, Vec::new(), progress),
        Err(error) => Ok(Err(error)),
    }
}

fn look_through(
    file: &PageFile,
    faults: Vec<Fault>,
    progress: &mut dyn FnMut(u64, u64) -> ControlFlow<()>,
) -> std::result::Result<Result<Report>, Moved> {
    let report = Report { pages: file.pages(), ..Report::default() };
    let mut examiner = Examiner { report, progress, is_given_up: false };
    faults.into_iter().for_each(|fault| examiner.fault(fault));
    let outcome = match examiner.file(file) {
        Err(Moved) if examiner.is_given_up => return Ok(Err(Error::new(ErrorCode::Cancelled))),
        outcome => outcome?,
    };
    file.check_moved()?;
    // The report is there by now.
    let _ = (examiner.progress)(file.pages(), file.pages());
    Ok(outcome.map(|()| examiner.report))
}

/// Takes down what is found.
struct Examiner<'p> {
    report: Report,
    progress: &'p mut dyn FnMut(u64, u64) -> ControlFlow<()>,
    is_given_up: bool,
}

impl Witness for Examiner<'_> {
    fn fault(&mut self, fault: Fault) {
        self.report.add(fault.into());
    }

    fn seen(&mut self, pages: u64) -> std::result::Result<(), Moved> {
        self.is_given_up = pages.is_multiple_of(PROGRESS_PAGES) && (self.progress)(pages, self.report.pages).is_break();
        match self.is_given_up {
            // As from a file that has moved, nothing more is wanted of it.
            true => Err(Moved),
            false => Ok(()),
        }
    }
}

/// What the main tree holds.
#[derive(Default)]
struct Roots {
    header: Option<(u64, Vec<u8>)>,
    trees: BTreeMap<String, Tree>,
    others: u64,
}

impl Examiner<'_> {
    fn file(&mut self, file: &PageFile) -> std::result::Result<Result<()>, Moved> {
        let mut census = Census::new(file, self);
        let roots = self.roots(file, &mut census)?;
        let header = match &roots.header {
            Some((page, bytes)) => match Header::decode(bytes) {
                Ok(header) => Some(header),
                Err(error) if error.code() == ErrorCode::NewerFormat => return Ok(Err(error)),
                Err(error) => {
                    self.report.add(Finding::of_error(*page, FindingKind::Header, &error));
                    None
                }
            },
            // A kill between the making of the file and its first commit leaves a file that holds nothing.
            None if roots.trees.is_empty() && roots.others == 0 && self.report.is_clean() => return Ok(Ok(())),
            None if self.report.is_clean() => return Ok(Err(Error::new(ErrorCode::NotAStore))),
            None => None,
        };
        if header.is_none() && roots.header.is_none() {
            self.report.add(Finding::new(None, FindingKind::Header, "The store's header is not there."));
        }
        self.content(file, &mut census, roots, header)?;
        census.free_list(self)?;
        let counts = census.finish(self);
        self.report.set_pages(counts);
        Ok(Ok(()))
    }

    fn roots(&mut self, file: &PageFile, census: &mut Census<'_>) -> std::result::Result<Roots, Moved> {
        let mut roots = Roots::default();
        census.tree("databases", &file.main(), self, &mut |witness, entry: &Entry<'_>| {
            if entry.key == header::KEY && !entry.is_tree {
                roots.header = Some((entry.page, entry.value.to_vec()));
                return Ok(());
            }
            let name = std::str::from_utf8(entry.key).ok().filter(|_| entry.is_tree);
            match (name, Tree::read(entry.value)) {
                (Some(name), Some(tree)) => drop(roots.trees.insert(name.to_owned(), tree)),
                (None, _) if !entry.is_tree => roots.others += 1,
                _ => witness.fault(Fault::of_record(entry.page)),
            }
            Ok(())
        })?;
        Ok(roots)
    }

    /// Walks all trees, and judges what lies in them where there is a header to judge it by.
    fn content(
        &mut self,
        file: &PageFile,
        census: &mut Census<'_>,
        mut roots: Roots,
        header: Option<Header>,
    ) -> std::result::Result<(), Moved> {
        let mut found = Report::default();
        let [catalog, rows, indexes, changes] = CONTENT.map(|name| roots.trees.remove(name));
        let long_tree = roots.trees.remove(LONG_KEYS);
        for (name, tree) in CONTENT.iter().zip([catalog, rows, indexes, changes]).chain([(&LONG_KEYS, long_tree)]) {
            if tree.is_none() && header.is_some() {
                let sentence = format!("The database {name} is not there.");
                self.report.add(Finding::new(None, FindingKind::Header, sentence));
            }
        }
        let mut records: Vec<Record> = Vec::new();
        if let Some(tree) = catalog {
            census.tree(CATALOG, &tree, self, &mut |_, entry: &Entry<'_>| {
                records.push((entry.page, entry.key.to_vec(), entry.value.to_vec()));
                Ok(())
            })?;
        }
        let mut long_keys = LongKeys::new(file, long_tree);
        if let Some(tree) = long_tree {
            census.tree(LONG_KEYS, &tree, self, &mut |_, entry: &Entry<'_>| {
                long_keys.note(entry.page, entry.key);
                Ok(())
            })?;
        }
        // Without a header nothing can be judged but pages.
        let Some(header) = header else {
            for tree in [rows, indexes, changes].into_iter().flatten() {
                census.tree("a database", &tree, self, &mut |_, _| Ok(()))?;
            }
            return Ok(());
        };
        let (declared, findings) = Declared::read(&records, &header);
        drop(records);
        findings.into_iter().for_each(|finding| found.add(finding));
        found.tables = declared.tables.len() as u64;
        if long_keys.highest() >= header.next_long_key {
            let sentence = "A part of a long key has an id that has not been given yet.";
            found.add(Finding::new(None, FindingKind::LongKey, sentence));
        }
        let trees = Trees { file, rows, indexes, long_keys: long_tree };
        let mut content = Content { header: &header, declared, trees, last_change: None };
        if let Some(tree) = rows {
            census.tree(ROWS, &tree, self, &mut |_, entry: &Entry<'_>| {
                unfolded(&mut long_keys, entry, &mut found, &mut |found, page, key, value| {
                    content.row(found, page, key, value);
                    Ok(())
                })
            })?;
        }
        if let Some(tree) = indexes {
            census.tree(INDEXES, &tree, self, &mut |_, entry: &Entry<'_>| {
                unfolded(&mut long_keys, entry, &mut found, &mut |found, page, key, value| {
                    content.entry(found, page, key, value)
                })
            })?;
        }
        if let Some(tree) = changes {
            census.tree(CHANGES, &tree, self, &mut |_, entry: &Entry<'_>| {
                content.change(&mut found, entry.page, entry.key, entry.value);
                Ok(())
            })?;
        }
        for (name, tree) in roots.trees {
            let sentence = format!("The database {name:?} is not of this version.");
            found.add(Finding::new(None, FindingKind::Newer, sentence));
            census.tree(&name, &tree, self, &mut |_, _| Ok(()))?;
        }
        content.finish_indexes(&mut found, &long_keys)?;
        let unmet = long_keys.unmet();
        if unmet > 0 {
            let sentence = format!("Parts of long keys lie under {unmet} ids that no node has.");
            found.add(Finding::new(None, FindingKind::LongKey, sentence));
        }
        long_keys.faults().into_iter().for_each(|fault| found.add(fault.into()));
        self.report.merge(found);
        Ok(())
    }
}

const CATALOG: &str = "catalog";
const ROWS: &str = "rows";
const INDEXES: &str = "indexes";
const CHANGES: &str = "changes";
/// The databases whose content is judged.
const CONTENT: [&str; 4] = [CATALOG, ROWS, INDEXES, CHANGES];

/// What is done with each record: the page that it lies on, its key and its value.
type See<'s> = dyn FnMut(&mut Report, u64, &[u8], &[u8]) -> std::result::Result<(), Moved> + 's;

/// Hands on an entry under its logical key: many, if it is a node of long keys.
fn unfolded(
    long_keys: &mut LongKeys<'_>,
    entry: &Entry<'_>,
    found: &mut Report,
    see: &mut See<'_>,
) -> std::result::Result<(), Moved> {
    if entry.is_tree {
        found.add(Finding::new(Some(entry.page), FindingKind::Page, "A row is marked as a tree."));
        return Ok(());
    }
    if !LongKeys::is_node(entry.key) {
        return see(found, entry.page, entry.key, entry.value);
    }
    long_keys.unfold(entry.page, entry.key, entry.value, &mut |page, key, value| see(found, page, key, value))?;
    long_keys.faults().into_iter().for_each(|fault| found.add(fault.into()));
    Ok(())
}
