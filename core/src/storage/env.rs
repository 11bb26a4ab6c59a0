//! The one owner of LMDB environments: opening, sharing within the process, forks, closing.
#![allow(unsafe_code, reason = "opening a map and asking to be told of forks are foreign calls")]

use super::check;
use super::create;
use super::txn::{Databases, ReadTxn, WriteTxn};
use super::writer::Writer;
use super::{Space, failure};
use crate::{Error, ErrorCode, Result};
use heed::{CommitOrAbort, Env, EnvFlags, EnvOpenOptions, WithoutTls};
use std::collections::HashMap;
use std::fs::{self, File};
use std::io::ErrorKind;
use std::mem::ManuallyDrop;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, LazyLock, Mutex, Once, PoisonError, Weak};
use std::time::Duration;

/// Address space of a file's map, halved while the system refuses it; no memory and no disk is taken by it.
const MAP_BYTES: usize = 1 << 40;
/// The same for a store in memory.
const MEMORY_MAP_BYTES: usize = 1 << 34;
/// Below this the map would fill with a store of ordinary size: rather refuse.
const LEAST_MAP_BYTES: usize = 1 << 30;
/// Slots for read transactions, over all processes.
const READERS: u32 = 1_024;
/// How long to wait for the last handle of a file to finish closing it, in another thread.
const CLOSING_WAIT: Duration = Duration::from_secs(10);

#[cfg(not(all(target_pointer_width = "64", target_endian = "little")))]
compile_error!("the file format and the size of the map are for 64-bit little-endian machines");

/// Where a store's bytes are.
pub(crate) enum Place {
    File(PathBuf),
    Memory,
}

/// How to open a file.
pub(crate) struct OpenFile<'a> {
    pub(crate) place: Place,
    pub(crate) read_only: bool,
    /// Whether to make the file, and the folders on the way to it, if it is not there.
    pub(crate) create: bool,
    /// The record that makes an empty file a store: key and value in [`Space::Header`].
    pub(crate) header: (&'a [u8], &'a [u8]),
}

/// An open file: one for each file and process, however often and by whatever path it is opened.
pub(crate) struct Live {
    env: Env<WithoutTls>,
    dbs: Databases,
    read_only: bool,
    is_memory: bool,
    /// Whether the pages are such that leaves can be read where they lie.
    is_in_place: bool,
    pub(crate) writer: Writer,
    forks: u32,
}

/// A file as the system tells it apart: device and number, whatever its names.
type FileId = (u64, u64);

static OPEN: LazyLock<Mutex<HashMap<FileId, Weak<Live>>>> = LazyLock::new(Mutex::default);

/// How often this process has been a fork's child. LMDB does not notice a fork; the child would share locks
/// and reader slots with its parent.
static FORKS: AtomicU32 = AtomicU32::new(0);

extern "C" fn count_fork() {
    FORKS.fetch_add(1, Ordering::Relaxed);
}

fn watch_forks() {
    static WATCH: Once = Once::new();
    // SAFETY: the handler does nothing but add to an atomic, which is allowed in the child of a fork.
    WATCH.call_once(|| unsafe {
        libc::pthread_atfork(None, None, Some(count_fork));
    });
}

impl Live {
    /// Opens a file, or gives what this process has open of it already.
    ///
    /// # Errors
    /// [`ErrorCode::StoreNotFound`], [`ErrorCode::NotAStore`], [`ErrorCode::Damaged`], [`ErrorCode::Io`].
    pub(crate) fn open(open: &OpenFile<'_>) -> Result<Arc<Live>> {
        watch_forks();
        match &open.place {
            Place::File(path) => Live::open_file(path, open),
            Place::Memory => Live::open_memory(open),
        }
    }

    fn open_file(path: &Path, open: &OpenFile<'_>) -> Result<Arc<Live>> {
        let path = absolute(path)?;
        let mut opened = OPEN.lock().unwrap_or_else(PoisonError::into_inner);
        let id = match fs::metadata(&path) {
            Ok(metadata) if metadata.is_dir() => {
                return Err(Error::new(ErrorCode::NotAStore).fact(format!("{} is a folder.", path.display())));
            }
            // Before a lock file is made beside it.
            Ok(metadata) if !metadata.is_file() => {
                return Err(Error::new(ErrorCode::NotAStore).fact(format!("{} is no ordinary file.", path.display())));
            }
            Ok(metadata) => file_id(&metadata),
            Err(error) if error.kind() == ErrorKind::NotFound && open.create && !open.read_only => create(&path)?,
            Err(error) if error.kind() == ErrorKind::NotFound => {
                return Err(Error::new(ErrorCode::StoreNotFound).fact(format!("The path is {}.", path.display())));
            }
            Err(error) => return Err(io(&path, error)),
        };
        if let Some(live) = opened.get(&id).and_then(Weak::upgrade) {
            return if live.is_forked() { Err(forked()) } else { Ok(live) };
        }
        check::before_open(&path)?;
        let flags = if open.read_only { EnvFlags::READ_ONLY } else { EnvFlags::empty() };
        let live = Arc::new(Live::map(&path, MAP_BYTES, flags, open)?);
        opened.retain(|_, live| live.strong_count() > 0);
        opened.insert(id, Arc::downgrade(&live));
        Ok(live)
    }

    /// A store in memory is an ordinary one on files that have no name any more, and that nobody syncs.
    fn open_memory(open: &OpenFile<'_>) -> Result<Arc<Live>> {
        let mut random = [0; 8];
        getrandom::fill(&mut random).map_err(|error| Error::new(ErrorCode::Io).fact(error.to_string()))?;
        let name = format!("entable-{}-{:016x}", std::process::id(), u64::from_le_bytes(random));
        let path = std::env::temp_dir().join(name);
        let live = Live::map(&path, MEMORY_MAP_BYTES, EnvFlags::NO_SYNC, open);
        for name in [path.clone(), lock_path(&path)] {
            match fs::remove_file(&name) {
                Ok(()) => {}
                Err(error) if error.kind() == ErrorKind::NotFound => {}
                Err(error) => return Err(io(&name, error)),
            }
        }
        live.map(Arc::new)
    }

    fn map(path: &Path, map_bytes: usize, flags: EnvFlags, open: &OpenFile<'_>) -> Result<Live> {
        let env = map_env(path, map_bytes, flags)?;
        // Slots of readers that were killed keep their pages from being used again.
        env.clear_stale_readers().map_err(failure)?;
        let dbs = match open_databases(&env)? {
            State::Store(dbs) => dbs,
            State::Foreign => return Err(Error::new(ErrorCode::NotAStore)),
            State::Empty if open.read_only => {
                return Err(Error::new(ErrorCode::NotAStore).fact("The file holds nothing, and may not be written."));
            }
            State::Empty => create_databases(&env, open.header)?,
        };
        let is_in_place = Databases::can_be_read_in_place(env.unnamed_database_stat().page_size);
        Ok(Live {
            env,
            dbs,
            is_in_place,
            read_only: open.read_only,
            is_memory: matches!(open.place, Place::Memory),
            writer: Writer::new(),
            forks: forks(),
        })
    }

    /// The store as it is now.
    pub(crate) fn read_txn(&self) -> Result<ReadTxn<'_>> {
        if self.is_forked() {
            return Err(forked());
        }
        let txn = match self.env.read_txn() {
            Err(heed::Error::Mdb(heed::MdbError::ReadersFull)) => {
                self.env.clear_stale_readers().map_err(failure)?;
                self.env.read_txn()
            }
            txn => txn,
        };
        let txn = txn.map_err(failure)?;
        // Asked after the transaction has begun: the file has at least the pages that the transaction can see.
        let last_page = self.env.info().last_page_number as u64;
        Ok(ReadTxn { txn, dbs: &self.dbs, last_page, is_in_place: self.is_in_place })
    }

    pub(super) fn write_txn(&self) -> Result<WriteTxn<'_>> {
        if self.is_forked() {
            return Err(forked());
        }
        Ok(WriteTxn { txn: self.env.write_txn().map_err(failure)?, dbs: &self.dbs, next_long_key: 0 })
    }

    /// Whether this process is a child of the one that opened the environment.
    fn is_forked(&self) -> bool {
        self.forks != forks()
    }

    pub(crate) fn is_read_only(&self) -> bool {
        self.read_only
    }

    /// Returns when everything is durable that was queued before.
    pub(crate) fn sync(&self) -> Result<()> {
        let _turn = self.writer.turn()?;
        // Without WRITEMAP and NOSYNC every commit has been synced; this is for what another process has under way.
        if self.read_only || self.is_memory { Ok(()) } else { self.env.force_sync().map_err(failure) }
    }
}

/// A read transaction that keeps its environment: what a snapshot holds for as long as its user likes.
pub(crate) struct HeldTxn {
    txn: ManuallyDrop<ReadTxn<'static>>,
    live: Arc<Live>,
}

impl HeldTxn {
    pub(crate) fn new(live: &Arc<Live>) -> Result<HeldTxn> {
        let txn = live.read_txn()?;
        // SAFETY: the transaction borrows the environment and the databases of `live`, which the struct keeps at
        // its place until it has dropped the transaction.
        let txn = unsafe { std::mem::transmute::<ReadTxn<'_>, ReadTxn<'static>>(txn) };
        Ok(HeldTxn { txn: ManuallyDrop::new(txn), live: Arc::clone(live) })
    }

    /// The transaction.
    ///
    /// # Errors
    /// [`ErrorCode::StoreForked`] in the child of a fork.
    pub(crate) fn txn(&self) -> Result<&ReadTxn<'_>> {
        if self.live.is_forked() { Err(forked()) } else { Ok(&self.txn) }
    }
}

impl Drop for HeldTxn {
    fn drop(&mut self) {
        // In the child of a fork the slot is the parent's: freeing it would take the parent's pages from under it.
        if !self.live.is_forked() {
            // SAFETY: dropped here and nowhere else, and `live` is dropped after it.
            unsafe { ManuallyDrop::drop(&mut self.txn) };
        }
    }
}

/// A write transaction that keeps its environment, as [`HeldTxn`] does. LMDB ties it to the thread that began it:
/// whoever holds this must not hand it to another.
pub(super) struct HeldWriteTxn {
    txn: ManuallyDrop<WriteTxn<'static>>,
    live: Arc<Live>,
}

impl HeldWriteTxn {
    pub(super) fn new(live: &Arc<Live>) -> Result<HeldWriteTxn> {
        let txn = live.write_txn()?;
        // SAFETY: as for `HeldTxn`.
        let txn = unsafe { std::mem::transmute::<WriteTxn<'_>, WriteTxn<'static>>(txn) };
        Ok(HeldWriteTxn { txn: ManuallyDrop::new(txn), live: Arc::clone(live) })
    }

    pub(super) fn txn(&self) -> Result<&WriteTxn<'static>> {
        if self.live.is_forked() { Err(forked()) } else { Ok(&self.txn) }
    }

    pub(super) fn txn_mut(&mut self) -> Result<&mut WriteTxn<'static>> {
        if self.live.is_forked() { Err(forked()) } else { Ok(&mut self.txn) }
    }

    /// Ends the transaction in another way than by dropping it.
    pub(super) fn end<T>(self, end: impl FnOnce(WriteTxn<'_>) -> Result<T>) -> Result<T> {
        if self.live.is_forked() {
            return Err(forked());
        }
        let mut held = ManuallyDrop::new(self);
        // SAFETY: taken here and nowhere else: `held` is not dropped.
        let (txn, live) = unsafe { (ManuallyDrop::take(&mut held.txn), std::ptr::read(&raw const held.live)) };
        let outcome = end(txn);
        drop(live);
        outcome
    }
}

impl Drop for HeldWriteTxn {
    fn drop(&mut self) {
        // In the child of a fork the transaction is the parent's, and so is the lock that dropping would give back.
        if !self.live.is_forked() {
            // SAFETY: dropped here and nowhere else, and `live` is dropped after it.
            unsafe { ManuallyDrop::drop(&mut self.txn) };
        }
    }
}

pub(super) fn forked() -> Error {
    Error::new(ErrorCode::StoreForked).fact("Open it in this process, before the fork or after it, not across.")
}

/// How many forks lie between the first process that used the library and this one.
pub(super) fn forks() -> u32 {
    FORKS.load(Ordering::Relaxed)
}

fn io(path: &Path, error: std::io::Error) -> Error {
    Error::new(ErrorCode::Io).fact(format!("The path is {}.", path.display())).caused_by(error)
}

fn file_id(metadata: &fs::Metadata) -> FileId {
    (metadata.dev(), metadata.ino())
}

/// heed cannot make a file whose name has no folder before it, and panics on a NUL.
fn absolute(path: &Path) -> Result<PathBuf> {
    if path.as_os_str().as_encoded_bytes().contains(&0) {
        return Err(Error::invalid("A path may not hold U+0000."));
    }
    std::path::absolute(path).map_err(|error| io(path, error))
}

fn lock_path(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push("-lock");
    name.into()
}

/// Makes the file, private to the user, and the folders above it; both last.
fn create(path: &Path) -> Result<FileId> {
    let folder = path.parent().unwrap_or(Path::new("/"));
    fs::create_dir_all(folder).map_err(|error| io(folder, error))?;
    // Another process may be as fast: then the file is there, and as good.
    let metadata = create::file(path).and_then(|()| fs::metadata(path)).map_err(|error| io(path, error))?;
    File::open(folder).and_then(|folder| folder.sync_all()).map_err(|error| io(folder, error))?;
    Ok(file_id(&metadata))
}

pub(super) fn map_env(path: &Path, map_bytes: usize, flags: EnvFlags) -> Result<Env<WithoutTls>> {
    let mut map_bytes = map_bytes;
    loop {
        let mut options = EnvOpenOptions::new().read_txn_without_tls();
        options.map_size(map_bytes).max_readers(READERS).max_dbs(Databases::COUNT as u32 - 1);
        // SAFETY: NO_SUB_DIR, READ_ONLY and NO_SYNC leave LMDB's locks alone; NO_SYNC is used on nameless files.
        unsafe { options.flags(flags | EnvFlags::NO_SUB_DIR) };
        // SAFETY: nothing else in this process writes the file, and the lock file keeps other processes in step.
        match unsafe { options.open(path) } {
            Ok(env) => return Ok(env),
            Err(heed::Error::Io(error)) if is_refused_map(&error) && map_bytes > LEAST_MAP_BYTES => map_bytes /= 2,
            Err(heed::Error::EnvAlreadyOpened) => match heed::env_closing_event(path) {
                Some(closing) if !closing.wait_timeout(CLOSING_WAIT) => {
                    return Err(failure(heed::Error::EnvAlreadyOpened));
                }
                _ => {}
            },
            Err(error) => return Err(failure(error).fact(format!("The path is {}.", path.display()))),
        }
    }
}

/// Limits of address space say ENOMEM, valgrind says EINVAL.
fn is_refused_map(error: &std::io::Error) -> bool {
    matches!(error.raw_os_error(), Some(libc::ENOMEM | libc::EINVAL))
}

enum State {
    Store(Databases),
    /// An LMDB file without a record: new, or left by a process that was killed while it made it.
    Empty,
    /// An LMDB file of another program.
    Foreign,
}

fn open_databases(env: &Env<WithoutTls>) -> Result<State> {
    let txn = env.read_txn().map_err(failure)?;
    let opened = env.open_databases_and_commit(txn, |opener, txn| match Databases::open(opener, txn)? {
        Some(dbs) => heed::Result::Ok(CommitOrAbort::Commit(dbs)),
        None => match opener.open_database::<heed::types::Bytes, heed::types::Bytes>(txn, None)? {
            Some(unnamed) if !unnamed.is_empty(txn)? => Ok(CommitOrAbort::Abort(State::Foreign)),
            _ => Ok(CommitOrAbort::Abort(State::Empty)),
        },
    });
    Ok(match opened.map_err(failure)? {
        CommitOrAbort::Commit(dbs) => State::Store(Databases::new(dbs)),
        CommitOrAbort::Abort(state) => state,
    })
}

fn create_databases(env: &Env<WithoutTls>, (key, value): (&[u8], &[u8])) -> Result<Databases> {
    let txn = env.write_txn().map_err(failure)?;
    let created = env.create_databases_and_commit(txn, |opener, txn| {
        let mut dbs = Vec::with_capacity(Databases::COUNT);
        for name in Databases::names() {
            let db = opener.create_database::<heed::types::Bytes, heed::types::Bytes>(txn, name)?;
            // Under the lock: another process may have made the store since, and its header stays.
            if name.is_none() && db.get(txn, key)?.is_none() {
                if !db.is_empty(txn)? {
                    return heed::Result::Ok(CommitOrAbort::Abort(()));
                }
                db.put(txn, key, value)?;
            }
            dbs.push(db);
        }
        match <[_; Databases::COUNT]>::try_from(dbs) {
            Ok(dbs) => Ok(CommitOrAbort::Commit(dbs)),
            Err(_) => Ok(CommitOrAbort::Abort(())),
        }
    });
    match created.map_err(failure)? {
        CommitOrAbort::Commit(dbs) => Ok(Databases::new(dbs)),
        CommitOrAbort::Abort(()) => Err(Error::new(ErrorCode::NotAStore)),
    }
}

const _: () = assert!(Space::Header as usize == 0, "the unnamed database is the first of the names");
