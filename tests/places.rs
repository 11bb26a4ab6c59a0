//! Where a store is, and what may be in its way there: each has its error, which names the file.
#![allow(unsafe_code, reason = "a lock of a byte is a foreign call")]

use entable::{Error, ErrorCode, Options, Store, entity};
use entable_tests::{rows, shim};
use std::fs::{self, OpenOptions, Permissions};
use std::io::{BufRead, BufReader, Write};
use std::os::fd::AsRawFd;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::os::unix::net::UnixListener;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

/// Whoever is nobody on this system.
const NOBODY: u32 = 65_534;

fn count(store: &Store) -> usize {
    store.table(rows::TABLE).expect("a name").list_entities().expect("a query").count()
}

fn keep(verb: &str, path: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_store_keep"));
    command.arg(verb).arg(path).stdout(Stdio::piped());
    command
}

/// What the program said: `done`, or the name of the error's code and its message.
fn said(command: &mut Command) -> String {
    let output = command.output().expect("it runs");
    String::from_utf8_lossy(&output.stdout).trim().to_owned()
}

#[track_caller]
fn check_said(said: &str, code: ErrorCode, place: &Path) {
    let place = place.display().to_string();
    assert!(said.starts_with(code.name()) && said.contains(&place), "{said}, not {}, {place}", code.name());
}

#[track_caller]
fn check<T: std::fmt::Debug>(outcome: Result<T, Error>, code: ErrorCode, place: &Path) {
    let error = outcome.expect_err("an error");
    check_said(&format!("{} {error}", error.code().name()), code, place);
}

fn names(folder: &Path) -> Vec<String> {
    let names = fs::read_dir(folder).expect("the folder").map(|entry| entry.expect("an entry").file_name());
    let mut names: Vec<_> = names.map(|name| name.to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

#[test]
fn what_is_no_store_is_named_and_left_alone() {
    let folder = tempfile::tempdir().expect("a folder");
    let place = |name: &str| folder.path().join(name);
    fs::write(place("text"), "no store").expect("a file");
    fs::write(place("long text"), "no store at all ".repeat(1_000)).expect("a file");
    fs::create_dir(place("folder")).expect("a folder");
    let _socket = UnixListener::bind(place("socket")).expect("a socket");
    assert!(Command::new("mkfifo").arg(place("fifo")).status().expect("mkfifo").success());
    std::os::unix::fs::symlink("/dev/null", place("device")).expect("a link");
    std::os::unix::fs::symlink(place("text"), place("link to text")).expect("a link");
    std::os::unix::fs::symlink(place("circle"), place("circle")).expect("a link");
    let before = names(folder.path());
    for (name, code) in [
        ("text", ErrorCode::NotAStore),
        ("long text", ErrorCode::NotAStore),
        ("folder", ErrorCode::NotAStore),
        ("socket", ErrorCode::NotAStore),
        ("fifo", ErrorCode::NotAStore),
        ("device", ErrorCode::NotAStore),
        ("link to text", ErrorCode::NotAStore),
        ("circle", ErrorCode::Io),
        ("text/below", ErrorCode::Io),
    ] {
        check(Store::open(place(name)), code, &place(name));
        check(Store::open_with(place(name), &rows::read_only()), code, &place(name));
    }
    assert_eq!(names(folder.path()), before);
}

#[test]
fn names_are_taken_as_the_system_takes_them() {
    let folder = tempfile::tempdir().expect("a folder");
    // A file of which only the name is given lies in the folder that the process is in.
    assert_eq!(said(keep("open", Path::new("bare.ent")).current_dir(folder.path())), "done");
    assert_eq!(names(folder.path()), ["bare.ent", "bare.ent-lock"]);
    let nul = Store::open("a\0b").expect_err("an error");
    assert_eq!(nul.code(), ErrorCode::InvalidInput);
    // With the lock file's name beside it, and without.
    let longest = folder.path().join("n".repeat(250));
    Store::open(&longest).expect("a store").close();
    for length in [251, 255, 256, 5_000] {
        let path = folder.path().join("n".repeat(length));
        check(Store::open(&path), ErrorCode::Io, &path);
    }
    assert_eq!(names(folder.path()).len(), 4, "nothing is made that cannot be used");
    let deep: PathBuf = std::iter::repeat_n("deep", 2_000).collect();
    check(Store::open(folder.path().join(&deep)), ErrorCode::Io, &deep);
    for name in ["spaces and \u{fc}ml\u{e4}uts", "-lock", ".hidden"] {
        Store::open(folder.path().join(name)).expect("a store").close();
    }
}

#[test]
fn links_to_a_store_are_the_store() {
    let (folder, path) = rows::closed_store();
    let link = folder.path().join("link.ent");
    std::os::unix::fs::symlink(&path, &link).expect("a link");
    let (first, second) = (Store::open(&path).expect("a store"), Store::open(&link).expect("a store"));
    first.table(rows::TABLE).expect("a name").create_entity(rows::entity(9)).expect("a row");
    assert_eq!(count(&second), 6);
    assert_eq!(names(folder.path()), ["link.ent", "store.ent", "store.ent-lock"], "one lock file");
    first.close();
    second.close();
    drop((first, second));
    // Compacted by way of the link, it is the file that is new, and the link that stays.
    let store = Store::open(&link).expect("a store");
    store.compact().expect("compacted");
    assert!(fs::symlink_metadata(&link).expect("it").is_symlink());
    assert_eq!(count(&store), 6);
}

#[test]
fn a_second_hard_link_is_refused() {
    let (folder, path) = rows::closed_store();
    let second = folder.path().join("second.ent");
    // Who has it open goes on, and shares it within the process.
    let store = Store::open(&path).expect("a store");
    fs::hard_link(&path, &second).expect("a link");
    assert_eq!(count(&Store::open(&second).expect("shared")), 5);
    store.table(rows::TABLE).expect("a name").create_entity(rows::entity(9)).expect("a row");
    // Another process would write under another lock file.
    for name in [&path, &second] {
        check_said(&said_by_open(name), ErrorCode::OtherNames, name);
    }
    store.close();
    drop(store);
    for name in [&path, &second] {
        check(Store::open(name), ErrorCode::OtherNames, name);
        check(Store::open_with(name, &Options::new().read_only(true)), ErrorCode::OtherNames, name);
        assert_eq!(count(&Store::open_with(name, &Options::new().immutable(true)).expect("immutable")), 6);
    }
    fs::remove_file(&second).expect("removed");
    assert_eq!(count(&Store::open(&path).expect("a store")), 6);
}

#[test]
fn an_empty_file_is_no_store_for_who_wants_one() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("cut.ent");
    fs::write(&path, "").expect("a file");
    for options in [
        Options::new().must_exist(true),
        Options::new().read_only(true),
        Options::new().immutable(true),
        Options::new().check(true),
    ] {
        check(Store::open_with(&path, &options), ErrorCode::NotAStore, &path);
    }
    check(entable::verify(&path), ErrorCode::NotAStore, &path);
    assert_eq!(names(folder.path()), ["cut.ent"]);
    // Who wants a new one gets it.
    Store::open(&path).expect("a store");
}

#[test]
fn a_copy_into_a_missing_folder_names_the_copy() {
    let (folder, path) = rows::closed_store();
    let copy = folder.path().join("missing/copy.ent");
    let error = Store::open(&path).expect("a store").backup(&copy).expect_err("no folder");
    assert!(error.to_string().contains(&format!("The path is {}.", copy.display())), "{error}");
}

#[test]
fn a_store_is_not_compacted_inside_a_transaction() {
    let (_folder, path) = rows::closed_store();
    let store = Store::open(&path).expect("a store");
    let transaction = store.begin().expect("a transaction");
    let error = store.compact().expect_err("inside");
    assert_eq!(error.code(), ErrorCode::TransactionOpen, "{error}");
    transaction.commit().expect("it goes on");
    store.compact().expect("outside");
}

#[test]
fn network_file_systems_are_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let library = shim::build("statfs", folder.path());
    let path = folder.path().join("on/a/share.ent");
    let opened = |kind: &str| said(keep("open", &path).env("LD_PRELOAD", &library).env("ENTABLE_STATFS", kind));
    for (kind, name) in [("6969", "NFS"), ("ff534d42", "CIFS"), ("fe534d42", "SMB2")] {
        let said = opened(kind);
        check_said(&said, ErrorCode::NetworkFileSystem, &path);
        assert!(said.contains(name), "{said}");
        assert!(!folder.path().join("on").exists(), "nothing is made there");
    }
    assert_eq!(opened("ef53"), "done");
    // One that is there is refused as well.
    check_said(&opened("6969"), ErrorCode::NetworkFileSystem, &path);
}

#[test]
fn a_folder_that_forbids_the_lock_file_is_told() {
    let (folder, path) = rows::closed_store();
    let lock = folder.path().join("store.ent-lock");
    fs::remove_file(&lock).expect("removed");
    // The program where nobody may run it.
    let programs = tempfile::tempdir().expect("a folder");
    let program = programs.path().join("store_keep");
    fs::copy(env!("CARGO_BIN_EXE_store_keep"), &program).expect("a copy");
    for (place, mode) in [(programs.path(), 0o755), (program.as_path(), 0o755), (path.as_path(), 0o666)] {
        fs::set_permissions(place, Permissions::from_mode(mode)).expect("permissions");
    }
    let as_nobody = |verb: &str| {
        let mut command = Command::new(&program);
        command.arg(verb).arg(&path);
        // Who owns everything may write everywhere.
        if fs::metadata(&path).expect("the file").uid() == 0 {
            command.uid(NOBODY).gid(NOBODY);
        }
        said(&mut command)
    };
    fs::set_permissions(folder.path(), Permissions::from_mode(0o555)).expect("permissions");
    for verb in ["open", "read"] {
        check_said(&as_nobody(verb), ErrorCode::LockFileUnavailable, &lock);
    }
    assert_eq!(as_nobody("immutable"), "done");
    assert_eq!(names(folder.path()), ["store.ent"]);
    // What may not even be read is another matter.
    fs::set_permissions(folder.path(), Permissions::from_mode(0o755)).expect("permissions");
    fs::set_permissions(&path, Permissions::from_mode(0o000)).expect("permissions");
    for verb in ["open", "read", "immutable"] {
        check_said(&as_nobody(verb), ErrorCode::Io, &path);
    }
    // In a folder of somebody else's nothing can be made.
    let store = folder.path().join("another.ent");
    let mut command = Command::new(&program);
    command.arg("open").arg(&store).uid(NOBODY).gid(NOBODY);
    if fs::metadata(&path).expect("the file").uid() == 0 {
        check_said(&said(&mut command), ErrorCode::Io, &store);
    }
}

#[test]
fn readers_and_a_file_that_nobody_writes() {
    let (folder, path) = rows::closed_store();
    let store = Store::open(&path).expect("a store");
    // Beside a writer, in another process and in this one.
    assert_eq!(said(&mut keep("read", &path)), "done");
    let reader = Store::open_with(&path, &rows::read_only()).expect("a store");
    store.table(rows::TABLE).expect("a name").create_entity(rows::entity(9)).expect("a row");
    assert_eq!(count(&reader), 6);
    let write = reader.table(rows::TABLE).expect("a name").create_entity(rows::entity(10));
    assert_eq!(write.expect_err("an error").code(), ErrorCode::StoreReadOnly);
    store.close();
    reader.close();
    drop((store, reader));
    // Where it is open for reading, it is not open for writing as well.
    let reader = Store::open_with(&path, &rows::read_only()).expect("a store");
    check(Store::open(&path), ErrorCode::StoreBusy, &path);
    drop(reader);
    Store::open(&path).expect("a store").close();

    fs::remove_file(folder.path().join("store.ent-lock")).expect("removed");
    let store = Store::open_with(&path, &Options::new().immutable(true)).expect("a store");
    assert_eq!(count(&store), 6);
    assert_eq!(names(folder.path()), ["store.ent"], "no lock file");
    assert_eq!(store.create_table("More").expect_err("an error").code(), ErrorCode::StoreReadOnly);
    let missing = folder.path().join("missing.ent");
    check(Store::open_with(&missing, &Options::new().immutable(true)), ErrorCode::StoreNotFound, &missing);
}

#[test]
fn a_file_that_is_not_there_any_more_is_not_written() {
    let lock = |path: &Path| path.with_file_name("store.ent-lock");
    let away = |path: &Path| fs::rename(path, path.with_file_name("away")).expect("renamed");
    let replaced = |path: &Path| {
        away(path);
        fs::copy(path.with_file_name("away"), path).expect("a copy");
    };
    type Harm<'a> = (&'a dyn Fn(&Path), &'a dyn Fn(&Path) -> PathBuf);
    let itself = |path: &Path| path.to_owned();
    let harms: [Harm<'_>; 4] = [
        (&|path| fs::remove_file(path).expect("removed"), &itself),
        (&replaced, &itself),
        (&|path| fs::remove_file(lock(path)).expect("removed"), &lock),
        (&|path| replaced(&lock(path)), &lock),
    ];
    for (harm, place) in harms {
        let (_folder, path) = rows::closed_store();
        let store = Store::open(&path).expect("a store");
        harm(&path);
        let place = place(&path);
        let table = store.table(rows::TABLE).expect("a name");
        check(table.create_entity(rows::entity(9)), ErrorCode::FileReplaced, &place);
        check(store.create_table("More"), ErrorCode::FileReplaced, &place);
        check(store.compact(), ErrorCode::FileReplaced, &place);
        assert_eq!(count(&store), 5, "what was there can still be read");
        // And kept.
        let copy = path.with_file_name("copy.ent");
        store.backup(&copy).expect("a backup");
        assert_eq!(count(&Store::open(&copy).expect("the copy")), 5);
    }
}

/// Takes the lock that stands for a process in a lock file.
fn lock_for(lock_file: &fs::File, process: u32) {
    // SAFETY: all zeros are a `flock`, a struct of integers.
    let mut lock: libc::flock = unsafe { std::mem::zeroed() };
    lock.l_type = libc::F_WRLCK.try_into().expect("a short");
    lock.l_start = process.into();
    lock.l_len = 1;
    // SAFETY: an open descriptor, and a struct that the call only reads.
    assert_eq!(unsafe { libc::fcntl(lock_file.as_raw_fd(), libc::F_SETLK, &raw const lock) }, 0);
}

#[test]
fn a_process_of_the_same_id_is_told() {
    let (folder, path) = rows::closed_store();
    let mut child = keep("hold", &path).stdin(Stdio::piped()).spawn().expect("it runs");
    let lock_file = OpenOptions::new().read(true).write(true).open(folder.path().join("store.ent-lock"));
    let lock_file = lock_file.expect("the lock file");
    // As if there were another process of that id, in another namespace.
    lock_for(&lock_file, child.id());
    let mut input = child.stdin.take().expect("its input");
    input.write_all(b"b").expect("a byte");
    let mut lines = BufReader::new(child.stdout.take().expect("its output")).lines();
    let said = lines.next().expect("a line").expect("a line");
    check_said(&said, ErrorCode::ProcessIdTaken, &path);
    assert!(said.contains(&child.id().to_string()), "{said}");
    child.wait().expect("it ends");
    drop(lock_file);
    assert_eq!(said_by_open(&path), "done");
}

/// Waits until a process waits for a lock that another one holds.
fn await_waiter(process: u32) {
    let waits = |locks: String| {
        let mut waiting = locks.lines().filter(|line| line.contains("->"));
        waiting.any(|line| line.split_whitespace().any(|word| word.parse() == Ok(process)))
    };
    for _ in 0..3_000 {
        if waits(fs::read_to_string("/proc/locks").expect("the locks")) {
            return;
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    panic!("process {process} does not wait");
}

#[test]
fn who_waits_at_a_lock_file_that_is_emptied_opens_the_store() {
    // Emptied by a process that compacts the store in place; the room taken anew by another one that opens it.
    for room in [None, Some(16 << 10)] {
        let (folder, path) = rows::closed_store();
        let lock_file = OpenOptions::new().read(true).write(true).open(folder.path().join("store.ent-lock"));
        let lock_file = lock_file.expect("the lock file");
        lock_for(&lock_file, 0);
        let waiting = keep("open", &path).spawn().expect("it runs");
        await_waiter(waiting.id());
        lock_file.set_len(0).expect("it is emptied");
        room.map(|bytes| lock_file.set_len(bytes).expect("it has room"));
        // As if the process that compacts were killed now.
        drop(lock_file);
        let output = waiting.wait_with_output().expect("it ends");
        assert_eq!(String::from_utf8_lossy(&output.stdout).trim(), "done", "with room {room:?}");
        assert_eq!(count(&Store::open(&path).expect("the store")), 5);
    }
}

fn said_by_open(path: &Path) -> String {
    said(&mut keep("open", path))
}

#[test]
fn a_disk_that_is_full_at_the_beginning_is_told() {
    let folder = tempfile::tempdir().expect("a folder");
    let library = shim::build("fail", folder.path());
    let path = folder.path().join("store.ent");
    for write in 1..10 {
        let plan = format!("write {write} {} always", libc::ENOSPC);
        let said = said(keep("open", &path).env("LD_PRELOAD", &library).env("ENTABLE_FAIL", plan));
        if said == "done" {
            assert!(write > 1, "the plan is followed");
            break;
        }
        check_said(&said, ErrorCode::StoreFull, &path);
    }
    // With room again it is made where it is.
    assert_eq!(said_by_open(&path), "done");
    let store = Store::open(&path).expect("a store");
    store.create_table("More").expect("a table").create_entity(entity! { "p", "r" }).expect("an entity");
}
