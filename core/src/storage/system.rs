//! What is asked of the system beyond what the standard library offers: locks, names, kinds of file systems.
#![allow(unsafe_code, reason = "calls of the C library")]

use std::ffi::CString;
use std::fs::{self, File};
use std::io::{Error, ErrorKind, Result};
use std::os::fd::AsRawFd;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

/// Kinds of file systems, as `statfs` names them, on which another machine may write the same file: its maps and
/// locks are not ours. Neither FUSE nor 9p is among them: they tell nothing of where the bytes are, and whole machines in
/// sandboxes stand on the latter.
const NETWORK: [(u64, &str); 8] = [
    (0x5346_414f, "AFS"),
    (0x00c3_6400, "Ceph"),
    (0xff53_4d42, "CIFS"),
    (0x7375_7245, "Coda"),
    (0x0bd0_0bd0, "Lustre"),
    (0x0000_6969, "NFS"),
    (0x0000_517b, "SMB"),
    (0xfe53_4d42, "SMB2"),
];

/// The name of the network file system that a file or folder lies on, if it is one.
pub(super) fn network_file_system(path: &Path) -> Result<Option<&'static str>> {
    let path = c_string(path)?;
    // SAFETY: all zeros are a `statfs`, a struct of integers.
    let mut found: libc::statfs = unsafe { std::mem::zeroed() };
    // SAFETY: a path that ends with a NUL, and a struct of ours.
    if unsafe { libc::statfs(path.as_ptr(), &raw mut found) } != 0 {
        return Err(Error::last_os_error());
    }
    #[allow(clippy::unnecessary_cast, reason = "the field's type differs between systems")]
    Ok(network_name(found.f_type as u64))
}

fn network_name(kind: u64) -> Option<&'static str> {
    // Some systems tell the number as a signed one of 32 bits.
    NETWORK.iter().find(|(known, _)| *known == kind & 0xffff_ffff).map(|(_, name)| *name)
}

/// A lock for writing: a number of another type on some systems.
#[allow(clippy::unnecessary_cast, reason = "the constant's type differs between systems")]
const TO_WRITE: i32 = libc::F_WRLCK as i32;
/// A lock for reading.
#[allow(clippy::unnecessary_cast, reason = "the constant's type differs between systems")]
const TO_READ: i32 = libc::F_RDLCK as i32;
/// No lock.
#[allow(clippy::unnecessary_cast, reason = "the constant's type differs between systems")]
const UNLOCKED: i32 = libc::F_UNLCK as i32;

/// Takes the lock of the first byte for writing, which LMDB's users hold for reading as long as they have the file
/// open. Tells whether it was free. It goes with the process's last *or any other* descriptor of the file.
pub(super) fn lock_first_byte(file: &File) -> Result<bool> {
    match lock(file, libc::F_SETLK, TO_WRITE, (0, 1)) {
        Ok(_) => Ok(true),
        Err(error) if is_taken(&error) => Ok(false),
        Err(error) => Err(error),
    }
}

/// Whether another process has the first byte for writing.
pub(super) fn is_first_byte_taken(file: &File) -> Result<bool> {
    let found = lock(file, libc::F_GETLK, TO_READ, (0, 1))?;
    Ok(i32::from(found.l_type) != UNLOCKED)
}

/// Where in a data file the locks lie that tell which lock file goes with it: far behind its bytes.
#[cfg(target_os = "linux")]
const LOCK_FILE_MARKS: i64 = 1 << 62;

/// Marks a data file, as long as it is open, with the number of the lock file that goes with it. Tells whether all who
/// have it open go by the same one. A system without locks that belong to a descriptor cannot tell.
#[cfg(target_os = "linux")]
pub(super) fn mark_lock_file(data: &File, number: u64) -> Result<bool> {
    // With a byte on each side, so that neither side is empty.
    let mark = LOCK_FILE_MARKS + 1 + (number % (LOCK_FILE_MARKS / 2).cast_unsigned()).cast_signed();
    // First the own mark, then the look: of two at once at least one sees the other.
    match lock(data, libc::F_OFD_SETLK, TO_READ, (mark, 1)) {
        Ok(_) => {}
        Err(error) if error.raw_os_error() == Some(libc::EINVAL) => return Ok(true),
        Err(error) => return Err(error),
    }
    for others in [(LOCK_FILE_MARKS, mark - LOCK_FILE_MARKS), (mark + 1, 0)] {
        let found = lock(data, libc::F_OFD_GETLK, TO_WRITE, others)?;
        if i32::from(found.l_type) != UNLOCKED {
            return Ok(false);
        }
    }
    Ok(true)
}

#[cfg(not(target_os = "linux"))]
pub(super) fn mark_lock_file(_data: &File, _number: u64) -> Result<bool> {
    Ok(true)
}

/// Takes a lock of some bytes, none for all that follow, or asks what is in the way of one: what the system says of it.
fn lock(file: &File, command: i32, kind: i32, (start, bytes): (i64, i64)) -> Result<libc::flock> {
    // SAFETY: all zeros are a `flock`, a struct of integers.
    let mut lock: libc::flock = unsafe { std::mem::zeroed() };
    #[allow(clippy::unnecessary_cast, reason = "the fields' types differ between systems")]
    {
        lock.l_type = kind as _;
        lock.l_whence = libc::SEEK_SET as _;
        lock.l_start = start as _;
        lock.l_len = bytes as _;
    }
    loop {
        // SAFETY: an open descriptor, and a struct of ours.
        if unsafe { libc::fcntl(file.as_raw_fd(), command, &raw mut lock) } == 0 {
            return Ok(lock);
        }
        match Error::last_os_error() {
            error if error.kind() == ErrorKind::Interrupted => {}
            error => return Err(error),
        }
    }
}

/// Whether the error says that another process holds a lock.
pub(super) fn is_taken(error: &Error) -> bool {
    matches!(error.raw_os_error(), Some(libc::EAGAIN | libc::EACCES))
}

/// Gives a file its name, unless there is one of that name: then [`ErrorKind::AlreadyExists`].
pub(super) fn rename_new(from: &Path, to: &Path) -> Result<()> {
    match rename_no_replace(from, to) {
        // A file system, or a system, that cannot do both in one step.
        Err(error) if matches!(error.raw_os_error(), Some(libc::EINVAL | libc::ENOSYS | libc::ENOTSUP)) => {
            fs::hard_link(from, to)?;
            fs::remove_file(from)
        }
        outcome => outcome,
    }
}

/// Takes room for the first so many bytes of a file, whose length stays as it is. A system that cannot do it does not.
#[cfg(target_os = "linux")]
pub(super) fn reserve(file: &File, bytes: u64) -> Result<()> {
    let length = libc::off64_t::try_from(bytes).map_err(|_| Error::from(ErrorKind::InvalidInput))?;
    loop {
        // SAFETY: an open descriptor, and numbers.
        if unsafe { libc::fallocate64(file.as_raw_fd(), libc::FALLOC_FL_KEEP_SIZE, 0, length) } == 0 {
            return Ok(());
        }
        match Error::last_os_error() {
            error if error.kind() == ErrorKind::Interrupted => {}
            error if matches!(error.raw_os_error(), Some(libc::EOPNOTSUPP | libc::ENOSYS)) => return Ok(()),
            error => return Err(error),
        }
    }
}

#[cfg(not(target_os = "linux"))]
pub(super) fn reserve(_file: &File, _bytes: u64) -> Result<()> {
    Ok(())
}

/// Whether a file cannot grow: its disk has no block left, or it is as long as this process may make it.
pub(super) fn is_full(file: &File) -> bool {
    // SAFETY: all zeros are a `statvfs`, a struct of integers.
    let mut disk: libc::statvfs = unsafe { std::mem::zeroed() };
    // SAFETY: an open descriptor, and a struct of ours.
    let is_disk_full = unsafe { libc::fstatvfs(file.as_raw_fd(), &raw mut disk) } == 0 && disk.f_bavail == 0;
    let mut limit = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    // SAFETY: a struct of ours.
    let has_limit = unsafe { libc::getrlimit(libc::RLIMIT_FSIZE, &raw mut limit) } == 0;
    is_disk_full || (has_limit && file.metadata().is_ok_and(|found| found.len() >= limit.rlim_cur))
}

#[cfg(target_os = "linux")]
fn rename_no_replace(from: &Path, to: &Path) -> Result<()> {
    let (from, to) = (c_string(from)?, c_string(to)?);
    let (here, flags) = (libc::AT_FDCWD, libc::RENAME_NOREPLACE);
    // SAFETY: two paths that end with a NUL each.
    match unsafe { libc::syscall(libc::SYS_renameat2, here, from.as_ptr(), here, to.as_ptr(), flags) } {
        0 => Ok(()),
        _ => Err(Error::last_os_error()),
    }
}

#[cfg(not(target_os = "linux"))]
fn rename_no_replace(_from: &Path, _to: &Path) -> Result<()> {
    Err(Error::from_raw_os_error(libc::ENOSYS))
}

fn c_string(path: &Path) -> Result<CString> {
    CString::new(path.as_os_str().as_bytes()).map_err(|_| Error::from(ErrorKind::InvalidInput))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn network_file_systems_are_told_by_their_number() {
        for (kind, expected) in [
            (0x6969, Some("NFS")),
            (0xff53_4d42, Some("CIFS")),
            (0xffff_ffff_ff53_4d42, Some("CIFS")),
            (0xef53, None),
            (0x0102_1994, None),
        ] {
            assert_eq!(network_name(kind), expected, "{kind:x}");
        }
        assert_eq!(network_file_system(&std::env::temp_dir()).unwrap(), None);
    }

    #[test]
    fn a_name_is_not_taken_from_a_file_that_has_it() {
        let folder = tempfile::tempdir().unwrap();
        let [first, second, name] = ["first", "second", "name"].map(|name| folder.path().join(name));
        fs::write(&first, "first").unwrap();
        fs::write(&second, "second").unwrap();
        rename_new(&first, &name).unwrap();
        assert_eq!(rename_new(&second, &name).unwrap_err().kind(), ErrorKind::AlreadyExists);
        assert_eq!((fs::read(&name).unwrap(), first.exists(), second.exists()), (b"first".to_vec(), false, true));
    }
}
