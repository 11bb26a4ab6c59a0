//! An environment that LMDB gives up: what became of the commit that it broke in, and how its file is opened anew.
//!
//! After a meta page could not be written, or another process made the file larger than the map, every transaction that
//! LMDB begins is refused until the environment is closed. A file is open once in a process, so that all who share it
//! let go first; then whoever comes next opens it, once for all.

use super::env::{CALLS_WAIT, OpenFile, Place};
use super::pages::newest_commit;
use super::place::still_there;
use super::{Live, failure, system};
use crate::{Error, ErrorCode, Result};
use heed::MdbError;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::Instant;

/// Who keeps an environment between calls.
pub(crate) trait Holder: Send + Sync {
    /// Lets go of an environment that is broken, as far as that can be done without waiting for another call.
    fn let_go(&self);
}

/// Whether an environment is broken, and who keeps it.
#[derive(Default)]
pub(super) struct Breakage {
    is_broken: AtomicBool,
    holders: Mutex<Vec<Weak<dyn Holder>>>,
}

/// How to open the file of a broken environment again.
#[derive(Clone)]
pub(crate) struct Again {
    path: PathBuf,
    file: super::env::FileId,
    read_only: bool,
    immutable: bool,
}

impl Live {
    /// Whether nothing can be done with the environment any more.
    pub(crate) fn is_broken(&self) -> bool {
        self.breakage.is_broken.load(Ordering::Acquire)
    }

    /// Notes who keeps the environment between calls.
    pub(crate) fn hold_by(&self, holder: Weak<dyn Holder>) {
        let mut holders = self.breakage.holders.lock().unwrap_or_else(PoisonError::into_inner);
        holders.retain(|holder| holder.strong_count() > 0);
        holders.push(holder);
    }

    /// Asks all who keep the environment to let go of it.
    pub(super) fn let_go(&self) {
        let holders = self.breakage.holders.lock().unwrap_or_else(PoisonError::into_inner).clone();
        holders.iter().filter_map(Weak::upgrade).for_each(|holder| holder.let_go());
    }

    /// How to open the file again; `None` if it has no name, as in memory.
    pub(crate) fn again(&self) -> Option<Again> {
        let place = self.place.as_ref()?;
        let immutable = place.lock_file.is_none() && self.is_read_only();
        Some(Again { path: place.path.clone(), file: place.file, read_only: self.is_read_only(), immutable })
    }

    /// The error of a transaction that LMDB did not begin.
    pub(super) fn not_begun(&self, error: heed::Error) -> Error {
        match &error {
            heed::Error::Mdb(MdbError::Panic | MdbError::MapResized) => self.give_up().caused_by(error),
            _ => failure(error),
        }
    }

    /// Has the file opened anew, by the next call: opened alone, its lock file is made anew, too.
    pub(super) fn give_up(&self) -> Error {
        self.breakage.is_broken.store(true, Ordering::Release);
        broken()
    }

    /// What the failed commit of transaction `number` has come to.
    ///
    /// LMDB writes pages that nothing refers to yet, syncs them, and then writes the meta page that refers to them. An
    /// error before that last write leaves the file as it was. Only that write breaks the environment, so an environment
    /// that begins a transaction afterwards has not come so far.
    ///
    /// Where the meta page was begun, LMDB has tried to put the old one back, which may have failed as well. If a sync
    /// succeeds now, the disk has what the system shows; and if that is an older commit, then this one is none. Else
    /// nobody knows: the disk may have the one or the other, or what shows may be the commit of another process.
    pub(super) fn after_failed_commit(&self, number: u64, error: Error) -> Error {
        match self.env().read_txn() {
            Err(refused @ heed::Error::Mdb(MdbError::Panic)) => drop(self.not_begun(refused)),
            // Also where the system has no slot or memory for it: that is not asked of an environment that is broken.
            _ => return self.nothing_written(error),
        }
        let newest = self.env().force_sync().map_err(failure).and_then(|()| {
            let file = self.env().try_clone_inner_file().map_err(failure)?;
            newest_commit(file)
        });
        match newest {
            Ok(newest) if newest < number => self.nothing_written(error),
            _ => Error::new(ErrorCode::OutcomeUnknown).caused_by(error),
        }
    }

    fn nothing_written(&self, error: Error) -> Error {
        // Of a write that the system did in part LMDB says EIO, too, and most often that is a full disk.
        let is_full = || self.env().try_clone_inner_file().is_ok_and(|file| system::is_full(&file));
        match error.code() {
            // It says so of itself.
            ErrorCode::StoreFull => error,
            ErrorCode::Io if is_full() => Error::new(ErrorCode::StoreFull).caused_by(error),
            _ => error.fact("Nothing was written."),
        }
    }
}

/// The error of a call that meets a broken environment.
pub(crate) fn broken() -> Error {
    Error::new(ErrorCode::Io).fact(
        "After an earlier failure the file has to be opened again, which the next call does. Nothing was written.",
    )
}

/// The error while somebody keeps a broken environment.
pub(super) fn still_held() -> Error {
    let fact = "After a failure the file has to be opened again, and a call, copy or transaction of this process still \
                has it.";
    Error::new(ErrorCode::StoreBusy).fact(fact)
}

impl Again {
    /// Opens the file, if its path still means it.
    ///
    /// # Errors
    /// [`ErrorCode::FileReplaced`]; [`ErrorCode::StoreBusy`] while somebody keeps the broken environment; those of
    /// [`Live::open`].
    pub(crate) fn open(&self) -> Result<Arc<Live>> {
        still_there(&self.path, self.file)?;
        // A header is needed for a new file only, and this one is there.
        Live::open(&OpenFile {
            place: Place::File(self.path.clone()),
            read_only: self.read_only,
            immutable: self.immutable,
            create: false,
            header: (&[], &[]),
        })
    }
}

/// Tries until it is not a broken environment that is found, or those who keep it do so for too long.
pub(super) fn until_let_go(mut open: impl FnMut() -> Result<Arc<Live>>) -> Result<Arc<Live>> {
    let begin = Instant::now();
    loop {
        let live = open()?;
        if !live.is_broken() {
            return Ok(live);
        }
        live.let_go();
        drop(live);
        if begin.elapsed() > CALLS_WAIT {
            return Err(still_held());
        }
        std::thread::sleep(std::time::Duration::from_millis(1));
    }
}
