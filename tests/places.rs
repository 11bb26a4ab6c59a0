//! Where a store is, and what may be in its way there: each has its error, which names the file.
#![allow(unsafe_code, reason = "a lock of a byte is a foreign call")]

use entable::{Error, ErrorCode, Options, Store, entity};
use entable_tests::{rows, shim, tier};
use std::fs::{self, OpenOptions, Permissions};
use std::io::{BufRead, BufReader, Write};
use std::os::fd::AsRawFd;
use std::os::unix::fs::{FileExt, MetadataExt, PermissionsExt};
use std::os::unix::net::UnixListener;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
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

/// A program that may open the store now: what it says of that, and its input, at whose end it writes.
fn told_to_open(child: &mut Child) -> (String, ChildStdin) {
    let mut input = child.stdin.take().expect("its input");
    input.write_all(b"b").expect("a byte");
    let mut lines = BufReader::new(child.stdout.take().expect("its output")).lines();
    (lines.next().expect("a line").expect("a line"), input)
}

fn lock_file(store: &Path) -> fs::File {
    let path = store.with_extension("ent-lock");
    OpenOptions::new().read(true).write(true).open(path).expect("the lock file")
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
fn a_second_lock_file_is_refused() {
    let (folder, path) = rows::closed_store();
    let mut child = keep("hold", &path).stdin(Stdio::piped()).spawn().expect("it runs");
    let (said, input) = told_to_open(&mut child);
    assert_eq!(said, "open");
    fs::remove_file(folder.path().join("store.ent-lock")).expect("removed");
    for options in [Options::new(), Options::new().read_only(true)] {
        check(Store::open_with(&path, &options), ErrorCode::OtherNames, &path);
    }
    assert_eq!(count(&Store::open_with(&path, &Options::new().immutable(true)).expect("immutable")), 5);
    drop(input);
    child.wait().expect("it ends");
    // Alone, by whatever lock file.
    fs::remove_file(folder.path().join("store.ent-lock")).expect("removed");
    assert_eq!(count(&Store::open(&path).expect("a store")), 5);
}

#[test]
fn a_file_that_is_mounted_under_a_second_name_is_opened_by_one_of_them() {
    let (folder, path) = rows::closed_store();
    let second = folder.path().join("second.ent");
    fs::write(&second, b"").expect("a place for it");
    let mount = Command::new("mount").arg("--bind").args([&path, &second]).stderr(Stdio::null()).status();
    if !mount.is_ok_and(|status| status.success()) {
        tier::announce("skipped: mounting is not permitted here");
        return;
    }
    let store = Store::open(&path).expect("a store");
    // Shared within the process, for another one there are two lock files.
    assert_eq!(count(&Store::open(&second).expect("shared")), 5);
    check_said(&said_by_open(&second), ErrorCode::OtherNames, &second);
    assert_eq!(said_by_open(&path), "done");
    store.close();
    drop(store);
    assert_eq!(said_by_open(&second), "done");
    let unmounted = Command::new("umount").arg(&second).status();
    assert!(unmounted.is_ok_and(|status| status.success()), "it is taken away");
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
    let (_folder, path) = rows::closed_store();
    let mut child = keep("hold", &path).stdin(Stdio::piped()).spawn().expect("it runs");
    let lock_file = lock_file(&path);
    // As if there were another process of that id, in another namespace.
    lock_for(&lock_file, child.id());
    let (said, _input) = told_to_open(&mut child);
    check_said(&said, ErrorCode::ProcessIdTaken, &path);
    assert!(said.contains(&child.id().to_string()), "{said}");
    child.wait().expect("it ends");
    drop(lock_file);
    assert_eq!(said_by_open(&path), "done");
}

/// How long a process is left to come to where it waits for another.
const COMES_TO_WAIT: Duration = Duration::from_millis(150);

#[test]
fn who_waits_at_a_lock_file_that_is_emptied_opens_the_store() {
    // Emptied by a process that compacts the store in place; the room taken anew by another one that opens it.
    for room in [None, Some(16 << 10)] {
        let (_folder, path) = rows::closed_store();
        let lock_file = lock_file(&path);
        lock_for(&lock_file, 0);
        let mut waiting = keep("open", &path).spawn().expect("it runs");
        std::thread::sleep(COMES_TO_WAIT);
        assert!(waiting.try_wait().expect("a child").is_none(), "it waits");
        lock_file.set_len(0).expect("it is emptied");
        if let Some(bytes) = room {
            lock_file.set_len(bytes).expect("it has room");
        }
        // As if the process that compacts were killed now.
        drop(lock_file);
        let output = waiting.wait_with_output().expect("it ends");
        assert_eq!(String::from_utf8_lossy(&output.stdout).trim(), "done", "with room {room:?}");
        assert_eq!(count(&Store::open(&path).expect("the store")), 5);
    }
}

/// Who opens a store alone makes its lock file anew, in steps. If it is killed between two of them, one who waits for it
/// must not go by what it finds: LMDB would number its commits from 1, and write them over the newest one.
#[test]
fn who_waits_for_one_that_is_killed_while_it_opens_loses_nothing() {
    let tools = tempfile::tempdir().expect("a folder");
    let library = shim::build("kill", tools.path());
    let put = |path: &Path, first: u32| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_store_put"));
        command.arg(path).args([first.to_string(), "3".into()]).stdout(Stdio::piped());
        command
    };
    // Of the meta pages now the one is newer, now the other.
    for commits in [0, 1] {
        let (_folder, path) = rows::closed_store();
        if commits == 1 {
            let store = Store::open(&path).expect("the store");
            store.table(rows::TABLE).and_then(|table| table.create_entity(rows::entity(5))).expect("a row");
            store.close();
        }
        let mut expected = 5 + commits;
        for call in 1.. {
            let mut killed = put(&path, 1_000_000);
            killed.env("LD_PRELOAD", &library).env("ENTABLE_KILL", call.to_string());
            let mut killed =
                killed.env("ENTABLE_KILL_AFTER", (2 * COMES_TO_WAIT).as_micros().to_string()).spawn().expect("it runs");
            std::thread::sleep(COMES_TO_WAIT);
            let waiting = put(&path, 100 * call).spawn().expect("it runs");
            let is_killed = !killed.wait().expect("it ends").success();
            let output = waiting.wait_with_output().expect("it ends");
            assert!(output.status.success(), "behind one that is killed before call {call}");
            let lines = String::from_utf8_lossy(&output.stdout).lines().map(str::to_owned).collect::<Vec<_>>();
            assert_eq!(lines, (0..3).map(|number| (100 * call + number).to_string()).collect::<Vec<_>>());
            expected += 3;
            let report = entable::verify(&path).expect("a report");
            assert!(report.is_clean(), "killed before call {call}: {report}");
            let store = Store::open(&path).expect("the store");
            let found = count(&store);
            store.close();
            // It may have come to its own rows.
            assert!(found >= expected, "killed before call {call}: {found} rows, and not {expected}");
            if !is_killed || found > expected {
                assert!(call > 3, "it is killed amid opening");
                break;
            }
        }
    }
}

#[test]
fn a_lock_file_that_names_another_commit_is_not_written_by() {
    /// Where LMDB's lock file has the newest commit's number.
    const COMMIT_AT: u64 = 8;
    let (_folder, path) = rows::closed_store();
    let store = Store::open(&path).expect("the store");
    let table = store.table(rows::TABLE).expect("a name");
    table.create_entity(rows::entity(5)).expect("a row");
    lock_file(&path).write_all_at(&0_u64.to_le_bytes(), COMMIT_AT).expect("it is written");
    let error = table.create_entity(rows::entity(6)).expect_err("an error");
    assert_eq!(error.code(), ErrorCode::Io, "{error}");
    table.create_entity(rows::entity(6)).expect("a row, in the file opened anew");
    assert_eq!(count(&store), 7);
    store.close();
    assert!(entable::verify(&path).expect("a report").is_clean());
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
