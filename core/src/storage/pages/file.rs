//! The file as it was at one moment.

use super::meta::{Meta, NoMeta, Tree};
use super::page::{HEADER, Page, run_of_pages};
use super::{Fault, FaultKind, METAS, Moved, PAGE};
use crate::{Error, ErrorCode, Result};
use std::cell::Cell;
use std::fs::{self, File};
use std::io;
use std::os::unix::fs::FileExt;
use std::path::Path;

/// Where pages come from.
pub(super) trait Source {
    fn bytes(&self) -> io::Result<u64>;
    fn read_at(&self, buffer: &mut [u8], at: u64) -> io::Result<()>;
}

impl Source for File {
    fn bytes(&self) -> io::Result<u64> {
        self.metadata().map(|metadata| metadata.len())
    }

    fn read_at(&self, buffer: &mut [u8], at: u64) -> io::Result<()> {
        self.read_exact_at(buffer, at)
    }
}

#[cfg(test)]
impl Source for Vec<u8> {
    fn bytes(&self) -> io::Result<u64> {
        Ok(self.len() as u64)
    }

    fn read_at(&self, buffer: &mut [u8], at: u64) -> io::Result<()> {
        let from = usize::try_from(at).ok().and_then(|at| self.get(at..)?.get(..buffer.len()));
        from.map(|from| buffer.copy_from_slice(from)).ok_or_else(|| io::ErrorKind::UnexpectedEof.into())
    }
}

/// A file, and the commit whose trees are read.
pub(crate) struct PageFile {
    source: Box<dyn Source>,
    pub(super) meta: Meta,
    /// Pages of the file, whole ones.
    pub(super) pages: u64,
    /// Whether a reader's slot keeps the pages of this commit as they are.
    is_pinned: bool,
    reads: Cell<u64>,
    /// What the system last said when it did not give a page.
    refused: Cell<Option<i32>>,
}

/// What a path holds.
pub(crate) enum Opened {
    /// No byte: a store that is new.
    Empty,
    /// A file, and what its meta pages contradict each other in.
    File(PageFile, Vec<Fault>),
}

/// How often a meta page is read until two reads agree, or until the one of a commit is met.
const TRIES: usize = 100;
/// After how many reads it is asked whether the file has moved on.
const READS: u64 = 256;
/// Commits after which pages of a commit may be used again: LMDB gives what a commit frees to the third after it.
const COMMITS: u64 = 2;

impl PageFile {
    /// Opens a file at its newest commit.
    ///
    /// # Errors
    /// [`ErrorCode::NotAStore`] for what is not LMDB's, [`ErrorCode::NewerFormat`] for a version of LMDB's data that is
    /// unknown, [`ErrorCode::Io`], [`ErrorCode::StoreNotFound`].
    pub(crate) fn open(path: &Path) -> Result<Opened> {
        PageFile::of(Box::new(file_at(path)?))
    }

    /// Opens a file at a commit that a reader's slot keeps. The slot keeps the commit's pages, but not the meta page that
    /// leads to them: the second commit after it writes over that one.
    ///
    /// # Errors
    /// As [`PageFile::open`].
    pub(crate) fn open_at(path: &Path, commit: u64) -> Result<std::result::Result<PageFile, Moved>> {
        PageFile::at(Box::new(file_at(path)?), commit)
    }

    /// A file that is nowhere.
    #[cfg(test)]
    pub(crate) fn of_bytes(bytes: Vec<u8>) -> Result<Opened> {
        PageFile::of(Box::new(bytes))
    }

    pub(super) fn of(source: Box<dyn Source>) -> Result<Opened> {
        let bytes = source.bytes().map_err(io_error)?;
        if bytes == 0 {
            return Ok(Opened::Empty);
        }
        if bytes < METAS * PAGE as u64 {
            return Err(Error::new(ErrorCode::NotAStore));
        }
        let metas = both_metas(&*source).map_err(io_error)?;
        if metas.iter().all(|meta| matches!(meta, Err(NoMeta::Magic))) {
            return Err(Error::new(ErrorCode::NotAStore));
        }
        if metas.contains(&Err(NoMeta::Version)) {
            return Err(Error::new(ErrorCode::NewerFormat).fact("The file's LMDB data version is unknown."));
        }
        let mut faults = Vec::new();
        let meta = newest(metas, &mut faults).ok_or_else(no_meta)?;
        Ok(Opened::File(PageFile::with(source, meta, false)?, faults))
    }

    fn at(source: Box<dyn Source>, commit: u64) -> Result<std::result::Result<PageFile, Moved>> {
        let mut metas = (0..TRIES).filter_map(|_| read_meta(&*source, commit % 2).ok()?.ok());
        match metas.find(|meta| meta.transaction >= commit) {
            None => Err(no_meta()),
            Some(meta) if meta.transaction > commit => Ok(Err(Moved)),
            Some(meta) => PageFile::with(source, meta, true).map(Ok),
        }
    }

    /// The length is asked for after the commit was chosen: the pages of the commit are there.
    fn with(source: Box<dyn Source>, meta: Meta, is_pinned: bool) -> Result<PageFile> {
        let pages = source.bytes().map_err(io_error)? / PAGE as u64;
        Ok(PageFile { source, meta, pages, is_pinned, reads: Cell::default(), refused: Cell::default() })
    }

    /// The tree of the unnamed database.
    pub(crate) fn main(&self) -> Tree {
        self.meta.main
    }

    /// Why a page was not given, if the system refused one: then nothing is known of damage.
    pub(in crate::storage) fn refusal(&self) -> Option<std::io::Error> {
        self.refused.get().map(std::io::Error::from_raw_os_error)
    }

    /// Pages of the file.
    pub(crate) fn pages(&self) -> u64 {
        self.pages
    }

    /// Whether the commit's pages may have been used again, so that what was read of them means nothing.
    pub(crate) fn check_moved(&self) -> Result<(), Moved> {
        if self.is_pinned {
            return Ok(());
        }
        let newest = [0, 1].into_iter().filter_map(|number| read_meta(&*self.source, number).ok()?.ok());
        match newest.map(|meta| meta.transaction).max() {
            // The file lies as it lay if its meta pages cannot be read now: then they could not be before.
            Some(newest) if newest >= self.meta.transaction.saturating_add(COMMITS) => Err(Moved),
            _ => Ok(()),
        }
    }

    /// [`PageFile::check_moved`], once in a while.
    pub(super) fn check_moved_at_times(&self) -> Result<(), Moved> {
        let reads = self.reads.get() + 1;
        self.reads.set(reads);
        if reads.is_multiple_of(READS) { self.check_moved() } else { Ok(()) }
    }

    fn bytes_at(&self, number: u64, bytes: usize) -> Result<Vec<u8>, String> {
        let behind = number.checked_add((bytes as u64).div_ceil(PAGE as u64));
        if number < METAS || behind.is_none_or(|behind| behind > self.pages) {
            return Err(format!("Page {number} is asked for, and the file has {} pages.", self.pages));
        }
        let mut buffer = vec![0; bytes];
        match self.source.read_at(&mut buffer, number * PAGE as u64) {
            Ok(()) => Ok(buffer),
            Err(error) => {
                self.refused.set(error.raw_os_error());
                Err(format!("The page cannot be read ({error})."))
            }
        }
    }

    /// A page of a tree.
    pub(super) fn page(&self, number: u64) -> Result<Page, String> {
        Page::read(number, self.bytes_at(number, PAGE)?).map_err(str::to_owned)
    }

    /// Looks at the root page of a tree.
    pub(crate) fn check_root(&self, tree: &Tree) -> Result<(), Fault> {
        match (tree.root, tree.depth) {
            (None, 0) => Ok(()),
            (Some(root), depth) if tree.is_plain() => match self.page(root) {
                Ok(page) if page.is_branch == (depth > 1) => Ok(()),
                Ok(_) => Err(Fault::new(root, FaultKind::Page, "A tree's root is on another level than it says.")),
                Err(fact) => Err(Fault::new(root, FaultKind::Page, fact)),
            },
            _ => Err(Fault::new(None, FaultKind::Tree, "A tree's record contradicts itself.")),
        }
    }

    /// How many pages a value that begins on this one takes.
    pub(super) fn run(&self, number: u64, value_bytes: usize) -> Result<u64, String> {
        let pages = run_of_pages(number, &self.bytes_at(number, HEADER)?, value_bytes)?;
        match number.checked_add(pages) {
            Some(behind) if behind <= self.pages => Ok(pages),
            _ => Err(format!("A value of {pages} pages reaches beyond the file's end.")),
        }
    }

    /// A value that has pages of its own. No more memory is taken than the file has bytes.
    pub(super) fn big_value(&self, number: u64, value_bytes: usize) -> Result<Vec<u8>, String> {
        self.run(number, value_bytes)?;
        let mut value = self.bytes_at(number, HEADER + value_bytes)?;
        value.drain(..HEADER);
        Ok(value)
    }
}

/// The number of the newest commit that a file shows.
///
/// # Errors
/// As [`PageFile::open`]; [`ErrorCode::Damaged`] for a file without a byte.
pub(in crate::storage) fn newest_commit(file: File) -> Result<u64> {
    match PageFile::of(Box::new(file))? {
        Opened::File(file, _) => Ok(file.meta.transaction),
        Opened::Empty => Err(Error::damaged("The file is empty.")),
    }
}

fn io_error(error: io::Error) -> Error {
    Error::new(ErrorCode::Io).caused_by(error)
}

fn no_meta() -> Error {
    Error::damaged("Neither meta page says where the file's trees are.")
}

/// Opens what lies at a path to be read, where that is a file.
fn file_at(path: &Path) -> Result<File> {
    let named = |error: Error| error.fact(format!("The path is {}.", path.display()));
    let failed = |error: io::Error| match error.kind() {
        io::ErrorKind::NotFound => named(Error::new(ErrorCode::StoreNotFound)),
        _ => named(io_error(error)),
    };
    // Before it is opened: a pipe would be waited for until somebody writes into it.
    if !fs::metadata(path).map_err(failed)?.is_file() {
        return Err(named(Error::new(ErrorCode::NotAStore)));
    }
    File::open(path).map_err(failed)
}

/// Reads a meta page until two reads agree: another process may be writing it.
fn read_meta(source: &dyn Source, number: u64) -> io::Result<Result<Meta, NoMeta>> {
    let (mut page, mut again) = (vec![0; PAGE], vec![0; PAGE]);
    source.read_at(&mut page, number * PAGE as u64)?;
    for _ in 0..TRIES {
        source.read_at(&mut again, number * PAGE as u64)?;
        if page == again {
            break;
        }
        std::mem::swap(&mut page, &mut again);
    }
    Ok(Meta::read(number, &page))
}

/// Both meta pages as they were at one moment: commits of other processes write the one and the other in turn.
fn both_metas(source: &dyn Source) -> io::Result<[Result<Meta, NoMeta>; 2]> {
    let mut first = read_meta(source, 0)?;
    for _ in 0..TRIES {
        let second = read_meta(source, 1)?;
        let again = read_meta(source, 0)?;
        if again == first {
            return Ok([first, second]);
        }
        first = again;
    }
    // It is written faster than it is read: the newer of them is right, and the other is of some commit before.
    let second = read_meta(source, 1)?;
    Ok([first, second])
}

/// The meta page of the newest commit, as LMDB chooses it.
fn newest(metas: [Result<Meta, NoMeta>; 2], faults: &mut Vec<Fault>) -> Option<Meta> {
    for (number, meta) in (0..).zip(&metas) {
        let fact = match meta {
            Ok(_) | Err(NoMeta::Version) => continue,
            Err(NoMeta::Magic) => "It has not LMDB's magic.",
            Err(NoMeta::Contradiction(fact)) => fact,
        };
        faults.push(Fault::new(number, FaultKind::Meta, fact));
    }
    match metas {
        [Ok(first), Ok(second)] => {
            let apart = first.transaction.abs_diff(second.transaction);
            // Each commit writes the page that the one before did not; of a new file both have number 0.
            if apart != 1 && (apart, first.transaction) != (0, 0) {
                let fact = format!(
                    "The meta pages are of commits {} and {}, which do not follow each other.",
                    first.transaction, second.transaction
                );
                faults.push(Fault::new(None, FaultKind::Meta, fact));
            }
            Some(if second.transaction > first.transaction { second } else { first })
        }
        [Ok(meta), Err(_)] | [Err(_), Ok(meta)] => Some(meta),
        [Err(_), Err(_)] => None,
    }
}
