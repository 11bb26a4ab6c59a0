//! The one owner of LMDB environments: opening, sharing within the process, forks, closing.
#![allow(unsafe_code, reason = "opening a map and asking to be told of forks are foreign calls")]

use super::arrivals::Arrivals;
use super::broken::{Breakage, until_let_go};
use super::create;
use super::fork::{self, forked, forks};
use super::leaf::Roots;
use super::meter::Meter;
use super::opening::Turn;
use super::txn::{Databases, Put, ReadTxn, WriteTxn};
use super::writer::Writer;
use super::{Space, failure, io_code};
use super::{check, exclusive, place, system};
use crate::{Error, ErrorCode, Result};
use heed::{CommitOrAbort, Env, EnvFlags, EnvOpenOptions, RwTxn, WithoutTls};
use std::collections::HashMap;
use std::fs::{self, File};
use std::io::ErrorKind;
use std::mem::ManuallyDrop;
use std::ops::{Deref, DerefMut};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, LazyLock, Mutex, Once, PoisonError, Weak};
use std::time::Duration;

/// Address space of a file's map, halved while the system refuses it; no memory and no disk is taken by it.
pub(super) const MAP_BYTES: usize = 1 << 40;
/// The same for a store in memory.
const MEMORY_MAP_BYTES: usize = 1 << 34;
/// Below this the map would fill with a store of ordinary size: rather refuse.
const LEAST_MAP_BYTES: usize = 1 << 30;
/// Slots for read transactions, over all processes.
pub(super) const READERS: u32 = 1_024;
/// Write transactions after which slots of dead readers are looked for.
const CLEARING: u64 = 64;
/// How often a file that is replaced while it is being opened is tried again.
const REPLACED: usize = 8;
/// How long to wait for calls that are under way.
pub(super) const CALLS_WAIT: Duration = Duration::from_secs(1);
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
    /// Whether nobody writes the file while it is open, so that it is read without locks and without a lock file.
    pub(crate) immutable: bool,
    /// Whether to make the file, and the folders on the way to it, if it is not there.
    pub(crate) create: bool,
    /// The record that makes an empty file a store: key and value in [`Space::Header`].
    pub(crate) header: (&'a [u8], &'a [u8]),
}

/// An open file: one for each file and process, however often and by whatever path it is opened.
pub(crate) struct Live {
    env: OwnEnv,
    dbs: Databases,
    read_only: bool,
    is_memory: bool,
    /// Whether the pages are such that leaves can be read where they lie.
    is_in_place: bool,
    roots: Roots,
    pub(crate) writer: Writer,
    /// Apart: it is large, and a file is handed on by value while it is opened, perhaps on a small stack.
    pub(crate) meter: Box<Meter>,
    /// Who waits for the next commit: kept by them, not to hold the environment meanwhile.
    pub(crate) arrivals: Arc<Arrivals>,
    pub(super) breakage: Breakage,
    /// Write transactions that this process has begun.
    writes: AtomicU64,
    forks: u32,
    /// The file that was opened; `None` for one that has no name.
    pub(super) place: Option<Opened>,
    /// The lock file, where it was held before LMDB opened it: closing it drops LMDB's locks, so it goes last.
    pub(super) lock: Mutex<Option<File>>,
}

/// What was found under the names of a store when it was opened.
pub(super) struct Opened {
    /// Absolute, without symbolic links: where LMDB has its lock file.
    pub(super) path: PathBuf,
    pub(super) file: FileId,
    /// `None` if it is opened without locks.
    pub(super) lock_file: Option<FileId>,
}

/// A file as the system tells it apart: device and number, whatever its names.
pub(super) type FileId = (u64, u64);

pub(super) static OPEN: LazyLock<Mutex<HashMap<FileId, Weak<Live>>>> = LazyLock::new(Mutex::default);

fn watch_forks() {
    static WATCH: Once = Once::new();
    // SAFETY: the handlers take locks before the fork and give them back after it, in the same thread; that of the child
    // allocates nothing.
    WATCH.call_once(|| unsafe {
        libc::pthread_atfork(Some(fork::before), Some(fork::in_parent), Some(fork::in_child));
    });
}

impl Live {
    /// Opens a file, or gives what this process has open of it already.
    ///
    /// # Errors
    /// [`ErrorCode::StoreNotFound`], [`ErrorCode::NotAStore`], [`ErrorCode::Damaged`], [`ErrorCode::Io`];
    /// [`ErrorCode::StoreBusy`] while somebody keeps what is open of it, and is broken.
    pub(crate) fn open(open: &OpenFile<'_>) -> Result<Arc<Live>> {
        watch_forks();
        match &open.place {
            Place::File(path) => until_let_go(|| Live::open_file(path, open)),
            Place::Memory => Live::open_memory(open),
        }
    }

    fn open_file(path: &Path, open: &OpenFile<'_>) -> Result<Arc<Live>> {
        let path = absolute(path)?;
        let mut opened = OPEN.lock().unwrap_or_else(PoisonError::into_inner);
        let mut refused = None;
        // Again only if the file was replaced in between, by a compaction in another process, say.
        for _ in 0..REPLACED {
            let id = match fs::metadata(&path) {
                Ok(metadata) if metadata.is_dir() => {
                    return Err(Error::new(ErrorCode::NotAStore).fact(format!("{} is a folder.", path.display())));
                }
                // Before a lock file is made beside it.
                Ok(metadata) if !metadata.is_file() => {
                    return Err(
                        Error::new(ErrorCode::NotAStore).fact(format!("{} is no ordinary file.", path.display()))
                    );
                }
                // A new store is made with its first pages, so that this one was cut, or is not a store.
                Ok(metadata) if metadata.len() == 0 && (!open.create || open.read_only || open.immutable) => {
                    return Err(Error::new(ErrorCode::NotAStore).fact(format!("{} is empty.", path.display())));
                }
                Ok(metadata) => file_id(&metadata),
                Err(error) if error.kind() == ErrorKind::NotFound && open.create && !open.read_only => {
                    place::check(&path)?;
                    create(&path)?
                }
                Err(error) if error.kind() == ErrorKind::NotFound => {
                    return Err(Error::new(ErrorCode::StoreNotFound).fact(format!("The path is {}.", path.display())));
                }
                Err(error) => return Err(io(&path, error)),
            };
            match opened.get(&id).and_then(Weak::upgrade) {
                Some(live) if live.is_forked() => live.close_inherited(),
                Some(live) if !live.is_source(id) => return live.share(open),
                // Before the list is let go: whoever ends the compaction takes that, and finds the file closed.
                Some(source) => drop(source),
                None => {}
            }
            if exclusive::is_held(id) {
                return Err(Error::new(ErrorCode::StoreBusy).fact("It is being compacted."));
            }
            place::check(&path)?;
            if !open.immutable {
                place::check_names(&path)?;
            }
            check::before_open(&path)?;
            if !open.immutable {
                create::lock_file(&path).map_err(|error| io(&path, error))?;
            }
            let turn = if open.immutable { None } else { Some(Turn::wait(&path, id)?) };
            // Another file may have taken the place meanwhile.
            if matches!(turn, Some(None)) {
                continue;
            }
            let mapped = match Live::map_file(&path, open) {
                // The file has just been found to be one of LMDB's, so this is said of the lock file: a process that emptied
                // it to replace the file was killed before it came to the end. Who opens it alone makes it anew.
                Err(error) if is_invalid(&error) && !open.immutable => {
                    refused = Some(error);
                    std::thread::sleep(Duration::from_millis(1));
                    continue;
                }
                mapped => mapped?,
            };
            if let Some(live) = mapped {
                let live = Arc::new(live);
                opened.retain(|_, live| live.strong_count() > 0);
                opened.insert(id, Arc::downgrade(&live));
                return Ok(live);
            }
        }
        let fact = format!("{} is replaced again and again.", path.display());
        Err(refused.unwrap_or_else(|| Error::new(ErrorCode::FileReplaced).fact(fact)))
    }

    /// Opens a file of which this process has nothing open. `None` if another file has taken its place meanwhile.
    pub(super) fn map_file(path: &Path, open: &OpenFile<'_>) -> Result<Option<Live>> {
        let mut flags = EnvFlags::empty();
        if open.read_only || open.immutable {
            flags |= EnvFlags::READ_ONLY;
        }
        if open.immutable {
            flags |= EnvFlags::NO_LOCK;
        }
        let env = map_env(path, MAP_BYTES, flags).map_err(|error| place::explain(path, open, error))?;
        // Of the same open file: closing it takes no locks.
        let data = env.try_clone_inner_file().map_err(failure)?;
        let found = data.metadata().map_err(|error| io(path, error))?;
        let lock_path = lock_path(env.path());
        let place = Opened {
            path: env.path().to_owned(),
            file: file_id(&found),
            // There is none on a file system that cannot be written, either.
            lock_file: fs::metadata(lock_path).ok().filter(|_| !open.immutable).map(|found| file_id(&found)),
        };
        if fs::metadata(path).is_ok_and(|metadata| file_id(&metadata) != place.file) {
            return Ok(None);
        }
        if let Some(lock_file) = place.lock_file {
            place::check_lock_file(path, &data, lock_file)?;
        }
        let mut live = Live::with(env, open)?;
        live.place = Some(place);
        Ok(Some(live))
    }

    /// Whether this is what a compaction reads from: opened without locks, which nobody gets.
    fn is_source(&self, id: FileId) -> bool {
        self.is_read_only()
            && self.place.as_ref().is_some_and(|place| place.lock_file.is_none())
            && exclusive::is_held(id)
    }

    /// What is open already, for another handle.
    fn share(self: Arc<Live>, open: &OpenFile<'_>) -> Result<Arc<Live>> {
        if self.read_only && !open.read_only {
            let fact = "This process has it open for reading only: close that first.";
            return Err(Error::new(ErrorCode::StoreBusy).fact(fact));
        }
        Ok(self)
    }

    /// A store in memory is an ordinary one on files that have no name any more, and that nobody syncs.
    fn open_memory(open: &OpenFile<'_>) -> Result<Arc<Live>> {
        let mut random = [0; 8];
        getrandom::fill(&mut random).map_err(|error| Error::new(ErrorCode::Io).fact(error.to_string()))?;
        let name = format!("entable-{}-{:016x}", std::process::id(), u64::from_le_bytes(random));
        let path = std::env::temp_dir().join(name);
        let room = create::lock_file(&path).map_err(|error| io(&path, error));
        let env = room.and_then(|()| map_env(&path, MEMORY_MAP_BYTES, EnvFlags::NO_SYNC));
        let live = env.and_then(|env| Live::with(env, open));
        for name in [path.clone(), lock_path(&path)] {
            match fs::remove_file(&name) {
                Ok(()) => {}
                Err(error) if error.kind() == ErrorKind::NotFound => {}
                Err(error) => return Err(io(&name, error)),
            }
        }
        live.map(Arc::new)
    }

    fn with(env: OwnEnv, open: &OpenFile<'_>) -> Result<Live> {
        // Slots of readers that were killed keep their pages from being used again.
        env.clear_stale_readers().map_err(failure)?;
        let dbs = match open_databases(&env)? {
            State::Store(dbs) => dbs,
            State::Foreign => return Err(Error::new(ErrorCode::NotAStore)),
            State::Empty if open.read_only || open.immutable => {
                return Err(Error::new(ErrorCode::NotAStore).fact("The file holds nothing, and may not be written."));
            }
            State::Empty => create_databases(&env, open.header)?,
        };
        let is_in_place = Databases::can_be_read_in_place(env.unnamed_database_stat().page_size);
        Ok(Live {
            env,
            dbs,
            is_in_place,
            roots: Roots::default(),
            read_only: open.read_only || open.immutable,
            writer: Writer::new(),
            is_memory: matches!(open.place, Place::Memory),
            meter: Box::default(),
            arrivals: Arc::default(),
            breakage: Breakage::default(),
            writes: AtomicU64::new(0),
            forks: forks(),
            place: None,
            lock: Mutex::default(),
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
        let txn = txn.map_err(|error| no_reader(error, |error| self.not_begun(error)))?;
        // Asked after the transaction has begun: the file has at least the pages that the transaction can see.
        let last_page = self.env.info().last_page_number as u64;
        let (dbs, roots, is_in_place) = (&self.dbs, &self.roots, self.is_in_place);
        Ok(ReadTxn { txn, dbs, last_page, is_in_place, roots, meter: &self.meter })
    }

    /// The number of the last commit, of whatever process, as LMDB counts them.
    pub(super) fn last_commit(&self) -> usize {
        self.env.info().last_txn_id
    }

    pub(super) fn write_txn(&self) -> Result<WriteTxn<'_>> {
        if self.is_forked() {
            return Err(forked());
        }
        self.check_place()?;
        let txn = Writing::new(self.env.write_txn().map_err(|error| self.not_begun(error))?);
        // Slots of readers that were killed keep pages from being used again. Looked for under the writers' lock, once for
        // so many commits: that bounds what the file grows by.
        if self.writes.fetch_add(1, Ordering::Relaxed) % CLEARING == CLEARING - 1 {
            self.env.clear_stale_readers().map_err(failure)?;
        }
        // Under the lock: nobody adds pages meanwhile.
        let info = self.env.info();
        // LMDB takes the newest commit's number from the lock file. By a wrong one it would write over that commit.
        if txn.id() != info.last_txn_id + 1 {
            return Err(self.give_up());
        }
        let last_page = info.last_page_number as u64;
        Ok(WriteTxn { txn, dbs: &self.dbs, next_long_key: 0, meter: &self.meter, last_page, put: Put::default() })
    }

    /// Asks whether the file, and its lock file, are still those that were opened: two looks at the folder, to be had
    /// for a hundredth of a commit.
    ///
    /// # Errors
    /// [`ErrorCode::FileReplaced`]: what would be written is lost, or is written beside others who have another lock.
    pub(super) fn check_place(&self) -> Result<()> {
        let Some(Opened { path, file, lock_file }) = &self.place else { return Ok(()) };
        place::still_there(path, *file)?;
        match lock_file {
            Some(lock_file) => place::still_there(&lock_path(path), *lock_file),
            None => Ok(()),
        }
    }

    /// The environment, of a transaction that has been begun: that asks for forks.
    pub(super) fn env(&self) -> &Env<WithoutTls> {
        &self.env
    }

    /// In the child of a fork, closes what was inherited: LMDB opens a file once in a process, and closing a lock file
    /// later would drop the locks that this process has by then. The parent's locks, slots and transactions stay as they
    /// are.
    fn close_inherited(&self) {
        debug_assert!(self.is_forked(), "it is in use");
        // Whoever held this lock is not in this process, or is this thread, at its end.
        if let Ok(mut lock) = self.lock.try_lock() {
            lock.take();
        }
        self.env.close();
    }

    /// Whether this process is a child of the one that opened the environment.
    fn is_forked(&self) -> bool {
        self.forks != forks()
    }

    /// Reader slots: how many have been in use at once, over all processes, and how many there are.
    pub(crate) fn reader_slots(&self) -> (u32, u32) {
        if self.is_forked() {
            return (0, 0);
        }
        let info = self.env.info();
        (info.number_of_readers, info.maximum_number_of_readers)
    }

    /// Bytes of the file.
    pub(crate) fn file_bytes(&self) -> Result<u64> {
        fork::check(self.forks)?;
        self.env.real_disk_size().map_err(failure)
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

/// What this process has open of a file.
pub(crate) fn find_live(path: &Path) -> Result<Option<Arc<Live>>> {
    let path = absolute(path)?;
    let Ok(metadata) = fs::metadata(&path) else { return Ok(None) };
    let opened = OPEN.lock().unwrap_or_else(PoisonError::into_inner);
    let id = file_id(&metadata);
    Ok(opened.get(&id).and_then(Weak::upgrade).filter(|live| !live.is_forked() && !live.is_source(id)))
}

/// An environment that a fork does not find half opened or half closed.
pub(super) struct OwnEnv {
    env: ManuallyDrop<Env<WithoutTls>>,
    is_closed: AtomicBool,
}

impl OwnEnv {
    /// Closes the environment, once. Nothing may use it, or what was begun in it, any more.
    fn close(&self) {
        if !self.is_closed.swap(true, Ordering::AcqRel) {
            let _changing = fork::changing();
            // SAFETY: read here once and nowhere else; it is called when the environment is dropped, or in a child of the
            // process that opened it, where every use is refused before it comes here.
            drop(unsafe { std::ptr::read(&*self.env) });
        }
    }
}

impl Deref for OwnEnv {
    type Target = Env<WithoutTls>;

    fn deref(&self) -> &Env<WithoutTls> {
        &self.env
    }
}

impl Drop for OwnEnv {
    fn drop(&mut self) {
        self.close();
    }
}

/// A write transaction of LMDB that a fork does not find half ended.
pub(super) struct Writing<'e>(ManuallyDrop<RwTxn<'e>>);

impl<'e> Writing<'e> {
    fn new(txn: RwTxn<'e>) -> Writing<'e> {
        Writing(ManuallyDrop::new(txn))
    }

    pub(super) fn commit(self) -> heed::Result<()> {
        let mut this = ManuallyDrop::new(self);
        let _changing = fork::changing();
        // SAFETY: taken here and nowhere else: `this` is not dropped.
        unsafe { ManuallyDrop::take(&mut this.0) }.commit()
    }
}

impl<'e> Deref for Writing<'e> {
    type Target = RwTxn<'e>;

    fn deref(&self) -> &RwTxn<'e> {
        &self.0
    }
}

impl<'e> DerefMut for Writing<'e> {
    fn deref_mut(&mut self) -> &mut RwTxn<'e> {
        &mut self.0
    }
}

impl Drop for Writing<'_> {
    fn drop(&mut self) {
        let _changing = fork::changing();
        // SAFETY: dropped here and nowhere else.
        unsafe { ManuallyDrop::drop(&mut self.0) };
    }
}

/// A read transaction that keeps its environment: what a snapshot holds for as long as its user likes.
pub(crate) struct HeldTxn {
    txn: ManuallyDrop<ReadTxn<'static>>,
    live: Arc<Live>,
    /// The number under which the meter knows it.
    held: u64,
}

impl HeldTxn {
    pub(crate) fn new(live: &Arc<Live>) -> Result<HeldTxn> {
        let txn = live.read_txn()?;
        // SAFETY: the transaction borrows the environment and the databases of `live`, which the struct keeps at
        // its place until it has dropped the transaction.
        let txn = unsafe { std::mem::transmute::<ReadTxn<'_>, ReadTxn<'static>>(txn) };
        Ok(HeldTxn { txn: ManuallyDrop::new(txn), held: live.meter.hold(), live: Arc::clone(live) })
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
            self.live.meter.release(self.held);
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
    pub(super) fn end<T>(self, end: impl FnOnce(&Live, WriteTxn<'_>) -> Result<T>) -> Result<T> {
        if self.live.is_forked() {
            return Err(forked());
        }
        let mut held = ManuallyDrop::new(self);
        // SAFETY: taken here and nowhere else: `held` is not dropped.
        let (txn, live) = unsafe { (ManuallyDrop::take(&mut held.txn), std::ptr::read(&raw const held.live)) };
        end(&live, txn)
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

pub(super) fn io(path: &Path, error: std::io::Error) -> Error {
    Error::new(io_code(&error)).fact(format!("The path is {}.", path.display())).caused_by(error)
}

pub(super) fn file_id(metadata: &fs::Metadata) -> FileId {
    (metadata.dev(), metadata.ino())
}

/// heed cannot make a file whose name has no folder before it, and panics on a NUL.
pub(super) fn absolute(path: &Path) -> Result<PathBuf> {
    if path.as_os_str().as_encoded_bytes().contains(&0) {
        return Err(Error::invalid("A path may not hold U+0000."));
    }
    std::path::absolute(path).map_err(|error| io(path, error))
}

pub(super) fn lock_path(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push("-lock");
    name.into()
}

/// The lock file of a data file by whatever name: LMDB follows links before it names it.
pub(super) fn lock_path_of(data: &Path) -> PathBuf {
    lock_path(&fs::canonicalize(data).unwrap_or_else(|_| data.to_owned()))
}

/// Makes the file, private to the user, and the folders above it; both last.
fn create(path: &Path) -> Result<FileId> {
    create_folders(path.parent().unwrap_or(Path::new("/")))?;
    // Another process may be as fast: then the file is there, and as good.
    let metadata = create::file(path).and_then(|()| fs::metadata(path)).map_err(|error| io(path, error))?;
    sync_folder(path)?;
    Ok(file_id(&metadata))
}

/// Makes a folder and those above it. Each is an entry of the one above, which has to last, too.
fn create_folders(folder: &Path) -> Result<()> {
    let missing: Vec<&Path> = folder.ancestors().take_while(|folder| !folder.exists()).collect();
    fs::create_dir_all(folder).map_err(|error| io(folder, error))?;
    missing.into_iter().rev().try_for_each(sync_folder)
}

/// Makes last what was done to an entry of a folder: made, renamed, replaced.
pub(super) fn sync_folder(entry: &Path) -> Result<()> {
    let folder = entry.parent().unwrap_or(Path::new("/"));
    File::open(folder).and_then(|folder| folder.sync_all()).map_err(|error| io(folder, error))
}

pub(super) fn map_env(path: &Path, map_bytes: usize, flags: EnvFlags) -> Result<OwnEnv> {
    let mut map_bytes = map_bytes;
    loop {
        let mut options = EnvOpenOptions::new().read_txn_without_tls();
        options.map_size(map_bytes).max_readers(READERS).max_dbs(Databases::COUNT as u32 - 1);
        // SAFETY: NO_SUB_DIR, READ_ONLY and NO_SYNC leave LMDB's locks alone; NO_LOCK is used on files that nobody else
        // knows, or that nobody writes, as whoever opens them says. NO_SYNC is used on files that have no name yet.
        unsafe { options.flags(flags | EnvFlags::NO_SUB_DIR) };
        let opened = {
            let _changing = fork::changing();
            // SAFETY: nothing else in this process writes the file, and the lock file keeps other processes in step.
            unsafe { options.open(path) }
        };
        match opened {
            Ok(env) => return Ok(OwnEnv { env: ManuallyDrop::new(env), is_closed: AtomicBool::new(false) }),
            Err(heed::Error::Io(error)) if is_refused_map(&error) && map_bytes > LEAST_MAP_BYTES => map_bytes /= 2,
            Err(heed::Error::EnvAlreadyOpened) => match closing(path) {
                Some(closing) if !closing.wait_timeout(CLOSING_WAIT) => {
                    return Err(failure(heed::Error::EnvAlreadyOpened));
                }
                _ => {}
            },
            Err(error) => return Err(failure(error).fact(format!("The path is {}.", path.display()))),
        }
    }
}

/// Whether LMDB says that a file is none of its own.
fn is_invalid(error: &Error) -> bool {
    let source = std::error::Error::source(error).and_then(|source| source.downcast_ref::<heed::Error>());
    matches!(source, Some(heed::Error::Mdb(heed::MdbError::Invalid)))
}

/// What tells that a file's environment has been closed.
fn closing(path: &Path) -> Option<heed::EnvClosingEvent> {
    let _changing = fork::changing();
    heed::env_closing_event(path)
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

/// A reader's slot is taken under a lock whose place is the process's id.
fn no_reader(error: heed::Error, otherwise: impl FnOnce(heed::Error) -> Error) -> Error {
    match &error {
        heed::Error::Io(refused) if system::is_taken(refused) => Error::new(ErrorCode::ProcessIdTaken).fact(format!(
            "The id is {}; the other process is in another pid namespace, such as that of a container.",
            std::process::id()
        )),
        // Slots of readers that have died were taken back before.
        heed::Error::Mdb(heed::MdbError::ReadersFull) => Error::new(ErrorCode::StoreBusy)
            .fact("Snapshots and reads under way have all places for readers: close snapshots that are not needed."),
        _ => otherwise(error),
    }
}

fn open_databases(env: &Env<WithoutTls>) -> Result<State> {
    let txn = env.read_txn().map_err(|error| no_reader(error, failure))?;
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

pub(super) fn create_databases(env: &Env<WithoutTls>, (key, value): (&[u8], &[u8])) -> Result<Databases> {
    let _changing = fork::changing();
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
