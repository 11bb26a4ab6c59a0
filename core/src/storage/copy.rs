//! A new file of records: written in key order under a name of its own, synced, and only then given its name. Until
//! then nothing lies under that name, whenever the process ends.

use super::env::{MAP_BYTES, OwnEnv, absolute, create_databases, io, map_env, sync_folder};
use super::txn::{Databases, ReadTxn};
use super::{LONG_KEYS, Space, failure, fork, long, system};
use crate::limits::KEY_PIECE_BYTES;
use crate::{Error, ErrorCode, Result};
use heed::{EnvFlags, PutFlags};
use std::borrow::Cow;
use std::ffi::{OsStr, OsString};
use std::fs::{self, File, OpenOptions};
use std::io::ErrorKind;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

/// Bytes of records that one transaction puts: what is in memory until it commits.
const STEP_BYTES: usize = 16 << 20;
/// What stands between the file's name and the random end of the name that it has until it is whole.
const PART: &str = "-part";
const PART_DIGITS: usize = 8;
/// The longest name that a file may have on the file systems of Linux (NAME_MAX).
const NAME_BYTES: usize = 255;
/// How often another name is tried.
const ATTEMPTS: usize = 16;

/// A file in the making, which vanishes if it is dropped.
pub(crate) struct NewFile {
    // Closed before the part goes.
    env: OwnEnv,
    dbs: Databases,
    target: PathBuf,
    part: Part,
    next_long_key: u64,
}

/// The file under the name that it has until it is whole. Locked as long as it is being written, so that one which a
/// killed process left is known.
struct Part {
    path: PathBuf,
    file: File,
    forks: u32,
}

impl Drop for Part {
    fn drop(&mut self) {
        // In the child of a fork it is the parent's, who is writing it.
        if fork::check(self.forks).is_ok() {
            // Gone already where it has got its name. If it stays for another reason, the next copy removes it.
            let _ = fs::remove_file(&self.path);
        }
    }
}

impl NewFile {
    /// Begins a file that is to get a name which no file has. Ids of long keys are given from `next_long_key` on.
    ///
    /// # Errors
    /// [`ErrorCode::FileExists`] if there is a file of that name; [`ErrorCode::Io`].
    pub(crate) fn create(target: &Path, header: (&[u8], &[u8]), next_long_key: u64) -> Result<NewFile> {
        let target = absolute(target)?;
        match fs::symlink_metadata(&target) {
            Ok(_) => return Err(exists(&target)),
            Err(error) if error.kind() == ErrorKind::NotFound => {}
            Err(error) => return Err(io(&target, error)),
        }
        NewFile::begin(target, header, next_long_key)
    }

    /// Begins a file that is to take the place of the one that has its name.
    ///
    /// # Errors
    /// [`ErrorCode::Io`].
    pub(super) fn begin(target: PathBuf, header: (&[u8], &[u8]), next_long_key: u64) -> Result<NewFile> {
        remove_abandoned(&target);
        let part = Part::create(&target)?;
        // Nobody else knows the file: no locks, no lock file. It is synced as a whole before it gets its name.
        let env = map_env(&part.path, MAP_BYTES, EnvFlags::NO_LOCK | EnvFlags::NO_SYNC)?;
        let dbs = create_databases(&env, header)?;
        Ok(NewFile { env, dbs, target, part, next_long_key })
    }

    /// Puts records at the end of a space: their keys come in order, each behind all that the space holds.
    pub(crate) fn append<'t>(
        &mut self,
        space: Space,
        records: impl Iterator<Item = Result<(Cow<'t, [u8]>, &'t [u8])>>,
    ) -> Result<()> {
        let mut records = records.peekable();
        while records.peek().is_some() {
            let mut txn = self.env.write_txn().map_err(failure)?;
            let mut bytes = 0;
            for record in records.by_ref() {
                let (key, value) = record?;
                if key.len() <= KEY_PIECE_BYTES {
                    // Appended, pages are filled to the end.
                    let db = self.dbs.of(space);
                    db.put_with_flags(&mut txn, PutFlags::APPEND, &key, value).map_err(failure)?;
                } else {
                    long::put(&mut txn, &self.dbs, space, &key, value, &mut self.next_long_key)?;
                }
                bytes += key.len() + value.len();
                if bytes >= STEP_BYTES {
                    break;
                }
            }
            txn.commit().map_err(failure)?;
        }
        Ok(())
    }

    /// The next id of a long key.
    pub(crate) fn next_long_key(&self) -> u64 {
        self.next_long_key
    }

    /// Writes the header, syncs the file and gives it its name. Tells its bytes.
    ///
    /// # Errors
    /// [`ErrorCode::FileExists`] if there is a file of that name by now; [`ErrorCode::Io`].
    pub(crate) fn finish(self, header: (&[u8], &[u8])) -> Result<u64> {
        let (part, target) = self.complete(header)?;
        let bytes = part.bytes()?;
        match system::rename_new(&part.path, &target) {
            Ok(()) => {}
            Err(error) if error.kind() == ErrorKind::AlreadyExists => return Err(exists(&target)),
            Err(error) => return Err(io(&target, error)),
        }
        sync_folder(&target)?;
        Ok(bytes)
    }

    /// Writes the header and syncs the file, which is to take the place of one with the same owner and permissions.
    pub(super) fn ready(self, header: (&[u8], &[u8]), like: &fs::Metadata) -> Result<Ready> {
        let (part, target) = self.complete(header)?;
        let own = part.file.metadata().map_err(|error| io(&part.path, error))?;
        if (own.uid(), own.gid()) != (like.uid(), like.gid()) {
            let owner = (Some(like.uid()), Some(like.gid()));
            std::os::unix::fs::fchown(&part.file, owner.0, owner.1).map_err(|error| io(&part.path, error))?;
        }
        part.file.set_permissions(like.permissions()).map_err(|error| io(&part.path, error))?;
        part.file.sync_all().map_err(|error| io(&part.path, error))?;
        Ok(Ready { part, target })
    }

    fn complete(self, (key, value): (&[u8], &[u8])) -> Result<(Part, PathBuf)> {
        let NewFile { env, dbs, target, part, .. } = self;
        let mut txn = env.write_txn().map_err(failure)?;
        dbs.of(Space::Header).put(&mut txn, key, value).map_err(failure)?;
        txn.commit().map_err(failure)?;
        env.force_sync().map_err(failure)?;
        drop(env);
        part.file.sync_all().map_err(|error| io(&part.path, error))?;
        Ok((part, target))
    }
}

/// A whole, synced file that has not taken its place yet.
pub(super) struct Ready {
    part: Part,
    target: PathBuf,
}

impl Ready {
    pub(super) fn bytes(&self) -> Result<u64> {
        self.part.bytes()
    }

    /// Another handle to the file.
    pub(super) fn file(&self) -> std::io::Result<File> {
        self.part.file.try_clone()
    }

    /// Takes the place of the file that has the name: in one step, so that a kill leaves the one or the other.
    pub(super) fn replace(self) -> Result<()> {
        fs::rename(&self.part.path, &self.target).map_err(|error| io(&self.target, error))?;
        sync_folder(&self.target)
    }
}

impl Part {
    fn create(target: &Path) -> Result<Part> {
        let mut failed = None;
        for _ in 0..ATTEMPTS {
            let mut random = [0; PART_DIGITS / 2];
            getrandom::fill(&mut random).map_err(|error| Error::new(ErrorCode::Io).fact(error.to_string()))?;
            let path = part_path(target, u32::from_be_bytes(random));
            let file = OpenOptions::new().read(true).write(true).create_new(true).mode(0o600).open(&path);
            let file = match file {
                Ok(file) => file,
                Err(error) if error.kind() == ErrorKind::AlreadyExists => continue,
                // The name that the caller knows says more than the one that it would have had first.
                Err(error) if error.kind() == ErrorKind::NotFound => return Err(io(target, error)),
                Err(error) => return Err(io(&path, error)),
            };
            let part = Part { path, file, forks: fork::forks() };
            // Somebody who tidies up may have been faster: then the file is not there any more.
            let is_ours = part.file.try_lock().is_ok() && part.file.metadata().is_ok_and(|found| found.nlink() > 0);
            if is_ours {
                return Ok(part);
            }
            failed = Some(part);
        }
        let name = failed.map_or_else(|| target.to_owned(), |part| part.path.clone());
        Err(Error::new(ErrorCode::Io).fact(format!("No name can be had beside {}.", name.display())))
    }

    fn bytes(&self) -> Result<u64> {
        Ok(self.file.metadata().map_err(|error| io(&self.path, error))?.len())
    }
}

/// Removes what killed processes left of copies with this name. Whatever stands in the way stays.
fn remove_abandoned(target: &Path) {
    let (Some(folder), Some(name)) = (target.parent(), target.file_name()) else { return };
    let name = beginning(name);
    let Ok(entries) = fs::read_dir(folder) else { return };
    for found in entries.filter_map(|entry| Some(entry.ok()?.file_name())).filter(|found| is_part_of(found, name)) {
        let path = folder.join(found);
        // Who is at it still holds the lock.
        if let Ok(file) = File::open(&path)
            && file.try_lock().is_ok()
        {
            let _ = fs::remove_file(&path);
        }
    }
}

/// Where a file of this name lies until it is whole.
fn part_path(target: &Path, number: u32) -> PathBuf {
    let mut name = OsString::from_vec(target.file_name().map_or_else(Vec::new, |name| beginning(name).to_vec()));
    name.push(format!("{PART}{number:0PART_DIGITS$x}"));
    target.with_file_name(name)
}

/// As much of a file's name as leaves room for what is put behind it.
fn beginning(name: &OsStr) -> &[u8] {
    let name = name.as_bytes();
    name.get(..NAME_BYTES - PART.len() - PART_DIGITS).unwrap_or(name)
}

fn is_part_of(found: &OsStr, name: &[u8]) -> bool {
    let rest = found.as_bytes().strip_prefix(name);
    let digits = rest.and_then(|rest| rest.strip_prefix(PART.as_bytes()));
    digits.is_some_and(|digits| digits.len() == PART_DIGITS && digits.iter().all(u8::is_ascii_hexdigit))
}

fn exists(target: &Path) -> Error {
    Error::new(ErrorCode::FileExists).fact(format!("The path is {}.", target.display()))
}

impl ReadTxn<'_> {
    /// The keys of the unnamed database that are neither `header` nor a database of ours: what a newer version, or
    /// another program, keeps there.
    pub(crate) fn unknown_names(&self, header: &[u8]) -> Result<Vec<Vec<u8>>> {
        let known: Vec<&[u8]> = [header, LONG_KEYS.as_bytes()]
            .into_iter()
            .chain(Space::NAMES.iter().flatten().map(|name| name.as_bytes()))
            .collect();
        let mut unknown = Vec::new();
        for item in self.dbs.of(Space::Header).iter(&self.txn).map_err(failure)? {
            let (key, _) = item.map_err(failure)?;
            if !known.contains(&key) {
                unknown.push(key.to_vec());
            }
        }
        Ok(unknown)
    }
}
