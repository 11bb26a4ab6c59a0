//! A file that this process alone has open, so that another may take its place.
//!
//! LMDB's users hold a lock on the lock file's first byte for reading as long as they have the file open. Whoever
//! gets it for writing is alone, and others who open the file wait. Locks belong to the process: LMDB, opening the
//! file again here, finds itself alone as well, makes its tables anew, and turns the lock into one that others share.

use super::copy::NewFile;
use super::env::{CALLS_WAIT, FileId, OPEN, OpenFile, Place, file_id, io, lock_path};
use super::opening::Turn;
use super::{Live, system};
use crate::{Error, ErrorCode, Result};
use std::collections::BTreeSet;
use std::fs::{self, File, OpenOptions};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Files that are to be opened by nobody in this process: its locks would not keep it out.
pub(super) static HELD: Mutex<BTreeSet<FileId>> = Mutex::new(BTreeSet::new());

pub(super) fn is_held(file: FileId) -> bool {
    HELD.lock().unwrap_or_else(PoisonError::into_inner).contains(&file)
}

/// A file that is closed, and that nobody can open.
pub(crate) struct Exclusive {
    path: PathBuf,
    held: Held,
    /// Dropped at the latest when LMDB has closed the file: it takes all locks of the process with it.
    lock: File,
}

/// The marks of the old file and of the new one. Both are kept open: the number of a file that is gone would be given to
/// another one, and the mark would be taken for that one's.
struct Held(Vec<(FileId, File)>);

impl Held {
    fn mark(&mut self, file: File) -> std::io::Result<()> {
        let id = file_id(&file.metadata()?);
        HELD.lock().unwrap_or_else(PoisonError::into_inner).insert(id);
        self.0.push((id, file));
        Ok(())
    }

    /// Gives up the lock by which a file in the making is known: it is where a turn at opening is taken.
    fn unlock(&self) {
        for (_, file) in &self.0 {
            let _ = file.unlock();
        }
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        let mut held = HELD.lock().unwrap_or_else(PoisonError::into_inner);
        for (id, _) in &self.0 {
            held.remove(id);
        }
    }
}

impl Exclusive {
    /// Closes the file and keeps everybody out. If somebody else has it open, it is given back, opened.
    ///
    /// # Errors
    /// [`ErrorCode::StoreBusy`] with the file as it was; other codes without it, if it cannot be opened again.
    pub(crate) fn take(live: Arc<Live>) -> Result<Exclusive, (Option<Arc<Live>>, Error)> {
        let Some(place) = &live.place else {
            let error = Error::invalid("A store in memory has no file that could be replaced.");
            return Err((Some(live), error));
        };
        if live.is_read_only() {
            return Err((Some(live), Error::new(ErrorCode::StoreReadOnly)));
        }
        let path = place.path.clone();
        let links = match live.check_place().and_then(|()| fs::metadata(&path).map_err(|error| io(&path, error))) {
            Ok(found) => found.nlink(),
            Err(error) => return Err((Some(live), error)),
        };
        if links > 1 {
            let fact = format!("The file has {links} names; another file could take the place of one only.");
            return Err((Some(live), busy(&fact)));
        }
        let mut held = Held(Vec::new());
        let marked = {
            // In step with those who open: they look for the mark, or have the file already.
            let _opened = OPEN.lock().unwrap_or_else(PoisonError::into_inner);
            File::open(&path).and_then(|file| held.mark(file))
        };
        if let Err(error) = marked {
            return Err((Some(live), io(&path, error)));
        }
        if let Err(live) = close(live) {
            let fact = "This process has it open elsewhere, or holds a snapshot or transaction.";
            return Err((Some(live), busy(fact)));
        }
        match lock_alone(&path) {
            Ok(lock) => Ok(Exclusive { path, held, lock }),
            Err(error) => {
                drop(held);
                let open = existing(Place::File(path), false);
                match Live::open(&open) {
                    Ok(live) => Err((Some(live), error)),
                    Err(reopening) => Err((None, reopening)),
                }
            }
        }
    }

    /// The file, to be read. It is in the list of open files, for a child to close it; nobody in this process gets it.
    pub(crate) fn source(&self) -> Result<Arc<Live>> {
        let mut opened = OPEN.lock().unwrap_or_else(PoisonError::into_inner);
        let open = existing(Place::File(self.path.clone()), true);
        let live = Live::map_file(&self.path, &open)?.map(Arc::new);
        let live = live
            .ok_or_else(|| Error::new(ErrorCode::FileReplaced).fact(format!("The path is {}.", self.path.display())))?;
        let id = live.place.as_ref().map(|place| place.file);
        opened.extend(id.map(|id| (id, Arc::downgrade(&live))));
        Ok(live)
    }

    /// Begins the file that is to take the place of this one.
    pub(crate) fn begin(&self, header: (&[u8], &[u8]), next_long_key: u64) -> Result<NewFile> {
        NewFile::begin(self.path.clone(), header, next_long_key)
    }

    /// Puts the new file in the place of this one. Tells the bytes of both, the old one's first.
    ///
    /// # Errors
    /// [`ErrorCode::Io`]: the one or the other file is in place then, whole.
    pub(crate) fn replace(&mut self, new: NewFile, header: (&[u8], &[u8])) -> Result<(u64, u64)> {
        let old = fs::metadata(&self.path).map_err(|error| io(&self.path, error))?;
        let new = new.ready(header, &old)?;
        let bytes = (old.len(), new.bytes()?);
        // Whoever opens the path from now on has to wait for the release.
        new.file().and_then(|file| self.held.mark(file)).map_err(|error| io(&self.path, error))?;
        // What the lock file says is of the old file. If this process is killed now, one that waits for the lock must
        // not go by it: an empty lock file it refuses.
        self.lock.set_len(0).map_err(|error| io(&lock_path(&self.path), error))?;
        new.replace()?;
        Ok(bytes)
    }

    /// Opens what is in place now, and lets others to it.
    pub(crate) fn release(self) -> Result<Arc<Live>> {
        let Exclusive { path, held, lock } = self;
        let mut opened = OPEN.lock().unwrap_or_else(PoisonError::into_inner);
        held.unlock();
        let _turn = Turn::take(&path)?;
        let open = existing(Place::File(path.clone()), false);
        let live = Live::map_file(&path, &open)?;
        let mut live = live.ok_or_else(|| Error::new(ErrorCode::FileReplaced).in_file(&path))?;
        // LMDB has the lock now; the descriptor stays as long as it.
        live.lock = Mutex::new(Some(lock));
        let id = live.place.as_ref().map(|place| place.file);
        let live = Arc::new(live);
        opened.retain(|_, live| live.strong_count() > 0);
        opened.extend(id.map(|id| (id, Arc::downgrade(&live))));
        drop(held);
        Ok(live)
    }
}

/// Takes the lock that keeps everybody out; another process that is about to open the file comes to its end first.
fn lock_alone(path: &Path) -> Result<File> {
    // A fork waits: its child would keep the turn.
    let _opened = OPEN.lock().unwrap_or_else(PoisonError::into_inner);
    let _turn = Turn::take(path)?;
    let lock_path = lock_path(path);
    let failed = |error| io(&lock_path, error);
    let lock = OpenOptions::new().read(true).write(true).open(&lock_path).map_err(failed)?;
    // The descriptor closes here, before LMDB opens the file again.
    if system::lock_first_byte(&lock).map_err(failed)? { Ok(lock) } else { Err(busy("Another process has it open.")) }
}

/// Drops the file's last handle. Given back if it is not the last.
fn close(mut live: Arc<Live>) -> Result<(), Arc<Live>> {
    // What is queued, and a transaction that is open, keep it too. They are not waited for without end: the thread of a
    // transaction may itself be waiting for this.
    let begin = Instant::now();
    loop {
        live = match Arc::try_unwrap(live) {
            Ok(last) => {
                drop(last);
                return Ok(());
            }
            Err(live) if begin.elapsed() > CALLS_WAIT => return Err(live),
            Err(live) => live,
        };
        std::thread::sleep(Duration::from_millis(1));
    }
}

fn existing(place: Place, immutable: bool) -> OpenFile<'static> {
    // A header is needed for a new file only, and this one is there.
    OpenFile { place, read_only: false, immutable, create: false, header: (&[], &[]) }
}

fn busy(fact: &str) -> Error {
    Error::new(ErrorCode::StoreBusy).fact(fact)
}
