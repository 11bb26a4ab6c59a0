//! Every error code of the store's own (from 100 on) is provoked here; those of the service have vectors, which
//! `rules.rs` counts.
#![allow(unsafe_code, reason = "a fork is a foreign call")]

use entable::{
    ContinuationToken, DateTime, ETag, EntityInput, Error, ErrorCode, Index, Operation, Options, Query, Store, Table,
    UpdateMode, entity,
};
use entable_tests::{rows, shim};
use std::fs;
use std::path::Path;
use std::pin::pin;
use std::process::Command;
use std::sync::mpsc;
use std::task::{Context, Poll, Waker};

/// Who provokes which code.
const PROVOKED: [(ErrorCode, fn()); 17] = [
    (ErrorCode::StoreClosed, a_closed_store_says_so),
    (ErrorCode::StoreForked, a_store_is_not_usable_across_a_fork),
    (ErrorCode::StoreNotFound, a_file_that_must_exist_is_not_made),
    (ErrorCode::NotAStore, other_files_are_no_stores_and_stay_as_they_are),
    (ErrorCode::NewerFormat, files_of_newer_versions_are_refused),
    (ErrorCode::Damaged, damage_is_told_before_anything_is_read),
    (ErrorCode::StoreFull, a_full_disk_leaves_the_store_as_it_was),
    (ErrorCode::StoreReadOnly, a_store_opened_for_reading_is_not_written),
    (ErrorCode::Io, what_the_system_refuses_is_said),
    (ErrorCode::OutcomeUnknown, a_meta_page_that_may_have_been_written_leaves_the_outcome_open),
    (ErrorCode::Internal, no_timestamp_is_given_twice_even_at_the_end_of_time),
    (ErrorCode::TransactionOpen, a_transactions_thread_writes_through_it_alone),
    (ErrorCode::Cancelled, a_caller_who_gives_up_is_told),
    (ErrorCode::IndexAlreadyExists, a_name_of_an_index_is_taken_once),
    (ErrorCode::IndexNotFound, an_index_that_is_not_there_cannot_be_dropped),
    (ErrorCode::UniqueIndexViolation, a_unique_value_has_one_holder),
    (ErrorCode::NumberOverflow, a_sum_stays_within_its_type),
];

/// What is provoked by another test: its file, and its name.
const PROVOKED_ELSEWHERE: [(ErrorCode, &str, &str); 16] = [
    (ErrorCode::OtherNames, "places.rs", "a_second_hard_link_is_refused"),
    (ErrorCode::QuotaExceeded, "quota.rs", "each_kind_of_write_is_refused_at_the_limit"),
    (ErrorCode::FileExists, "maintenance.rs", "a_copy_takes_no_other_files_place"),
    (ErrorCode::NetworkFileSystem, "places.rs", "network_file_systems_are_refused"),
    (ErrorCode::LockFileUnavailable, "places.rs", "a_folder_that_forbids_the_lock_file_is_told"),
    (ErrorCode::FileReplaced, "places.rs", "a_file_that_is_not_there_any_more_is_not_written"),
    (ErrorCode::StoreBusy, "maintenance.rs", "nobody_is_left_behind_with_the_old_file"),
    (ErrorCode::RelationAlreadyExists, "relations.rs", "relations_are_declared_once_and_dropped"),
    (ErrorCode::RelationNotFound, "relations.rs", "relations_are_declared_once_and_dropped"),
    (ErrorCode::LinkTargetNotFound, "relations.rs", "a_link_leads_to_an_entity_that_is_there_however_it_is_written"),
    (
        ErrorCode::LinkedEntitiesExist,
        "relations.rs",
        "a_parent_with_children_is_not_deleted_where_the_relation_refuses",
    ),
    (ErrorCode::CascadeTooLarge, "relations.rs", "a_cascade_has_a_bound_and_beyond_it_nothing_is_done"),
    (ErrorCode::FeedNotFound, "feeds.rs", "a_feed_is_switched_on_off_and_on_again"),
    (ErrorCode::ChangesNotKept, "feeds.rs", "a_feed_keeps_what_its_limits_say_in_whole_commits"),
    (ErrorCode::ConsumerNotFound, "feeds.rs", "consumers_stand_where_they_said_across_restarts_and_transactions"),
    (ErrorCode::ProcessIdTaken, "places.rs", "a_process_of_the_same_id_is_told"),
];

#[test]
fn every_code_of_the_store_is_provoked() {
    let own: Vec<_> = ErrorCode::ALL.iter().copied().filter(|code| *code as u16 >= 100).collect();
    let mut provoked: Vec<_> = PROVOKED.iter().map(|(code, _)| *code).collect();
    for (code, file, test) in PROVOKED_ELSEWHERE {
        let text = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(file)).expect("the tests");
        let body =
            text.split(&format!("\n#[test]\nfn {test}()")).nth(1).unwrap_or_else(|| panic!("{file} has no {test}"));
        let body = body.split("\n#[test]\n").next().unwrap_or_default();
        assert!(body.contains(code.name()), "{test} provokes {}", code.name());
        provoked.push(code);
    }
    provoked.sort_by_key(|code| *code as u16);
    assert_eq!(provoked, own);
}

#[track_caller]
fn check<T: std::fmt::Debug>(outcome: Result<T, Error>, expected: ErrorCode) -> Error {
    let error = outcome.expect_err("an error");
    assert_eq!(error.code(), expected, "{error:?}");
    assert!(error.message().starts_with(expected.message()), "{error}");
    error
}

#[test]
fn a_closed_store_says_so() {
    let store = Store::in_memory().expect("a store");
    let table = store.create_table(rows::TABLE).expect("a table");
    let snapshot = store.snapshot().expect("a snapshot");
    let entities = table.list_entities().expect("a query");
    store.close();
    store.close();
    check(store.list_tables(), ErrorCode::StoreClosed);
    check(store.snapshot(), ErrorCode::StoreClosed);
    check(table.create_entity(rows::entity(0)), ErrorCode::StoreClosed);
    check(table.get_entity("p", "r"), ErrorCode::StoreClosed);
    check(table.at(&snapshot).get_entity("p", "r"), ErrorCode::StoreClosed);
    check(snapshot.list_tables(), ErrorCode::StoreClosed);
    check(entities.collect::<Result<Vec<_>, _>>(), ErrorCode::StoreClosed);
}

#[test]
fn a_store_is_not_usable_across_a_fork() {
    let (_folder, path) = rows::closed_store();
    let store = Store::open(&path).expect("a store");
    let memory = Store::in_memory().expect("a store");
    let table = store.table(rows::TABLE).expect("a name");
    let snapshot = store.snapshot().expect("a snapshot");
    // What the child finds, as a number: it must not return into the test's own code.
    let child = || {
        let calls = [
            store.list_tables().err(),
            memory.list_tables().err(),
            table.create_entity(rows::entity(9)).err(),
            table.list_entities().and_then(|mut rows| rows.next().transpose()).err(),
            table.at(&snapshot).exists("p", "r").err(),
        ];
        let wrong = calls.iter().filter(|error| error.as_ref().map(Error::code) != Some(ErrorCode::StoreForked));
        wrong.count()
    };
    // SAFETY: the child makes calls that take no lock of another thread, and ends without running anything else.
    let pid = unsafe { libc::fork() };
    if pid == 0 {
        let wrong = std::panic::catch_unwind(std::panic::AssertUnwindSafe(child)).unwrap_or(99);
        // SAFETY: ends the child at once.
        unsafe { libc::_exit(i32::try_from(wrong).unwrap_or(98)) };
    }
    let mut status = 0;
    // SAFETY: waits for the child, into an integer of ours.
    let waited = unsafe { libc::waitpid(pid, &raw mut status, 0) };
    assert_eq!((waited, libc::WIFEXITED(status), libc::WEXITSTATUS(status)), (pid, true, 0));
    // The parent's handles have not noticed.
    assert_eq!(table.at(&snapshot).list_entities().expect("a query").count(), 5);
    table.create_entity(rows::entity(9)).expect("a row");
}

#[test]
fn a_file_that_must_exist_is_not_made() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("store.ent");
    check(Store::open_with(&path, &Options::new().must_exist(true)), ErrorCode::StoreNotFound);
    check(Store::open_with(&path, &rows::read_only()), ErrorCode::StoreNotFound);
    assert_eq!(fs::read_dir(folder.path()).expect("the folder").count(), 0);
}

#[test]
fn other_files_are_no_stores_and_stay_as_they_are() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("notes.txt");
    for content in ["a".to_owned(), "no store at all ".repeat(1_000), "\0".repeat(8_192)] {
        fs::write(&path, &content).expect("a file");
        let error = check(Store::open(&path), ErrorCode::NotAStore);
        assert!(error.message().contains("notes.txt"), "{error}");
        check(Store::open_with(&path, &rows::read_only()), ErrorCode::NotAStore);
        assert_eq!(fs::read_to_string(&path).expect("the file"), content);
    }
    check(Store::open(folder.path()), ErrorCode::NotAStore);
}

/// Changes bytes of a file wherever `pattern` is found: those from `at` on, counted from the pattern's start.
fn patch(path: &Path, pattern: &[u8], at: usize, bytes: &[u8]) {
    change(path, pattern, |found| found[at..at + bytes.len()].copy_from_slice(bytes));
}

fn change(path: &Path, pattern: &[u8], change: impl Fn(&mut [u8])) {
    let mut content = fs::read(path).expect("the file");
    let places: Vec<_> = (0..content.len() - pattern.len()).filter(|at| content[*at..].starts_with(pattern)).collect();
    assert!(!places.is_empty(), "the file holds the pattern");
    places.into_iter().for_each(|place| change(&mut content[place..]));
    fs::write(path, content).expect("the file");
}

/// Changes bytes of the header, under a right checksum.
fn patch_header(path: &Path, at: usize, bytes: &[u8]) {
    change(path, HEADER, |header| {
        // The room between a page's nodes keeps the beginnings of older ones.
        if crc32c(&header[..252]).to_le_bytes() != header[252..256] {
            return;
        }
        header[at..at + bytes.len()].copy_from_slice(bytes);
        let crc = crc32c(&header[..252]);
        header[252..256].copy_from_slice(&crc.to_le_bytes());
    });
}

/// CRC-32C, bit by bit.
fn crc32c(bytes: &[u8]) -> u32 {
    let step = |crc: u32, _| if crc & 1 == 1 { crc >> 1 ^ 0x82f6_3b78 } else { crc >> 1 };
    !bytes.iter().fold(!0, |crc, byte| (0..8).fold(crc ^ u32::from(*byte), step))
}

/// How the header's record begins (`core/FORMAT.md`, Header).
const HEADER: &[u8] = b"entable\0\x01\0";

#[test]
fn files_of_newer_versions_are_refused() {
    let (_folder, path) = rows::closed_store();
    let original = fs::read(&path).expect("the file");
    // The store's own version, then LMDB's.
    patch_header(&path, 8, &[2, 0]);
    check(Store::open(&path), ErrorCode::NewerFormat);
    fs::write(&path, &original).expect("the file");
    patch_header(&path, 16, &[1]);
    check(Store::open(&path), ErrorCode::NewerFormat);
    fs::write(&path, &original).expect("the file");
    patch(&path, &[0xde, 0xc0, 0xef, 0xbe, 1, 0, 0, 0], 4, &[9]);
    let newer = fs::read(&path).expect("the file");
    check(Store::open(&path), ErrorCode::NewerFormat);
    assert!(fs::read(&path).expect("the file") == newer, "the file is left alone");
}

#[test]
fn files_that_only_newer_versions_may_write_are_read() {
    let (_folder, path) = rows::closed_store();
    patch_header(&path, 112, &[1]);
    let store = Store::open(&path).expect("a store");
    let table = store.table(rows::TABLE).expect("a name");
    assert_eq!(table.list_entities().expect("a query").count(), 5);
    check(table.create_entity(rows::entity(9)), ErrorCode::NewerFormat);
    check(store.create_table("More"), ErrorCode::NewerFormat);
    check(store.delete_table(rows::TABLE), ErrorCode::NewerFormat);
}

#[test]
fn tokens_of_another_history_are_refused() {
    let (_folder, path) = rows::closed_store();
    let page = |token: Option<ContinuationToken>| {
        let store = Store::open(&path).expect("a store");
        let mut query = Query::all().page_size(2);
        if let Some(token) = token {
            query = query.continue_from(token);
        }
        let page = store.table(rows::TABLE).expect("a name").query_page(query);
        store.close();
        page
    };
    let token = page(None).expect("a page").continuation_token;
    assert_eq!(page(token.clone()).expect("the next page").entities.len(), 2);
    patch_header(&path, 120, &[0xff; 16]);
    check(page(token), ErrorCode::InvalidInput);
}

#[test]
fn damage_is_told_before_anything_is_read() {
    let (_folder, path) = rows::closed_store();
    let original = fs::read(&path).expect("the file");
    // The store's id, which the header's checksum covers.
    patch(&path, HEADER, 40, &[0xff; 4]);
    check(Store::open(&path), ErrorCode::Damaged);
    fs::write(&path, &original[..3 * 4_096]).expect("the file");
    check(Store::open(&path), ErrorCode::Damaged);
}

#[test]
fn a_store_opened_for_reading_is_not_written() {
    let (_folder, path) = rows::closed_store();
    let store = Store::open_with(&path, &rows::read_only()).expect("a store");
    let table = store.table(rows::TABLE).expect("a name");
    check(table.create_entity(rows::entity(9)), ErrorCode::StoreReadOnly);
    check(store.create_table("More"), ErrorCode::StoreReadOnly);
    check(store.delete_table(rows::TABLE), ErrorCode::StoreReadOnly);
    assert_eq!(table.list_entities().expect("a query").count(), 5);
}

#[test]
fn what_the_system_refuses_is_said() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("file");
    fs::write(&file, "").expect("a file");
    let error = check(Store::open(file.join("store.ent")), ErrorCode::Io);
    assert!(error.message().contains("store.ent"), "the path is named: {error}");
}

#[test]
fn no_timestamp_is_given_twice_even_at_the_end_of_time() {
    let last = DateTime::from_ticks(3_155_378_975_999_999_999).expect("the last tick");
    let store = Store::in_memory_with(&Options::new().clock(move || last)).expect("a store");
    let table = store.create_table(rows::TABLE).expect("a table");
    assert_eq!(table.create_entity(entity! { "p", "1" }).expect("a row").timestamp(), last);
    check(table.create_entity(entity! { "p", "2" }), ErrorCode::Internal);
    assert!(!table.exists("p", "2").expect("an answer"), "nothing was done");
}

#[test]
fn an_etag_of_an_early_clock_comes_back_as_text() {
    let first = DateTime::from_ticks(0).expect("the first tick");
    let store = Store::in_memory_with(&Options::new().clock(move || first)).expect("a store");
    let table = store.create_table(rows::TABLE).expect("a table");
    let written = table.create_entity(entity! { "p", "1" }).expect("a row");
    assert_eq!(written.timestamp().to_string(), "1601-01-01T00:00:00Z");
    let sent: ETag = written.etag().to_string().parse().expect("an ETag");
    table.update_entity_if(entity! { "p", "1", "N" => 1 }, UpdateMode::Merge, &sent).expect("it is the same");
}

#[test]
fn a_transactions_thread_writes_through_it_alone() {
    let store = Store::in_memory().expect("a store");
    let table = store.create_table(rows::TABLE).expect("a table");
    let transaction = store.begin().expect("a transaction");
    check(table.create_entity(rows::entity(0)), ErrorCode::TransactionOpen);
    check(store.begin(), ErrorCode::TransactionOpen);
    transaction.commit().expect("it is committed");
}

#[test]
fn a_caller_who_gives_up_is_told() {
    let store = Store::in_memory().expect("a store");
    let table = store.create_table(rows::TABLE).expect("a table");
    let (begun, is_begun) = mpsc::channel();
    let (end, may_end) = mpsc::channel::<()>();
    let holder = std::thread::spawn({
        let store = store.clone();
        move || {
            let transaction = store.begin();
            begun.send(()).expect("somebody waits");
            may_end.recv().expect("it is told");
            drop(transaction);
        }
    });
    is_begun.recv().expect("it began");
    let submitted = table.submit(Operation::create(rows::entity(0)).expect("an operation")).expect("it is queued");
    assert!(submitted.cancel());
    end.send(()).expect("it waits");
    holder.join().expect("it ended");
    store.sync().expect("what was queued is done");
    let mut context = Context::from_waker(Waker::noop());
    let Poll::Ready(outcome) = pin!(submitted).poll(&mut context) else { panic!("it is not told") };
    check(outcome, ErrorCode::Cancelled);
    assert_eq!(table.list_entities().expect("a query").count(), 0);
}

fn indexed_table(index: Index) -> Table {
    let store = Store::in_memory().expect("a store");
    let table = store.create_table(rows::TABLE).expect("a table");
    table.create_index(index).expect("an index");
    table
}

#[test]
fn a_name_of_an_index_is_taken_once() {
    let index = Index::new("ByCity").properties(["City"]);
    let table = indexed_table(index.clone());
    let error = check(table.create_index(index), ErrorCode::IndexAlreadyExists);
    assert_eq!(error.details().index_name.as_deref(), Some("ByCity"));
    check(table.create_index_if_not_exists(Index::new("ByCity").properties(["Zip"])), ErrorCode::IndexAlreadyExists);
}

#[test]
fn an_index_that_is_not_there_cannot_be_dropped() {
    let table = indexed_table(Index::new("ByCity").properties(["City"]));
    // Names of indexes are told apart by exact case.
    check(table.drop_index("bycity"), ErrorCode::IndexNotFound);
    table.drop_index("ByCity").expect("it is there");
    check(table.drop_index("ByCity"), ErrorCode::IndexNotFound);
}

#[test]
fn a_unique_value_has_one_holder() {
    let table = indexed_table(Index::new("ByMail").properties(["Mail"]).unique(true));
    table.create_entity(entity! { "p", "1", "Mail" => "a@b.c" }).expect("the first");
    let error = check(table.create_entity(entity! { "q", "2", "Mail" => "a@b.c" }), ErrorCode::UniqueIndexViolation);
    let details = error.details();
    assert_eq!(details.index_name.as_deref(), Some("ByMail"));
    assert_eq!(details.holder, Some(("p".into(), "1".into())));
    assert_eq!((details.partition_key.as_deref(), details.row_key.as_deref()), (Some("q"), Some("2")));
}

/// What came of inserting rows in a process whose calls failed.
struct OnBrokenDisk {
    /// The name of the first error's code.
    code: String,
    /// Rows that were acknowledged before it, and after it.
    acknowledged: (usize, usize),
    /// Rows that the store has, opened again.
    present: usize,
}

/// Inserts rows in a process of its own whose calls fail as `plan` says (`shim/fail.c`).
fn insert_on_broken_disk(plan: &str) -> OnBrokenDisk {
    let (folder, path) = rows::closed_store();
    let shim = shim::build("fail", folder.path());
    let output = Command::new(env!("CARGO_BIN_EXE_store_put"))
        .arg(&path)
        .args(["5", "60"])
        .env("LD_PRELOAD", shim)
        .env("ENTABLE_FAIL", plan)
        .output()
        .expect("the program runs");
    let stdout = String::from_utf8(output.stdout).expect("UTF-8");
    let is_number = |line: &&str| line.parse::<u32>().is_ok();
    let before = stdout.lines().take_while(is_number).count();
    let after = stdout.lines().skip(before).filter(is_number).count();
    let code = stdout.lines().nth(before).unwrap_or("none").to_owned();
    let store = Store::open(&path).expect("the store opens");
    let found = store.table(rows::TABLE).expect("a name").list_entities().expect("a query");
    let present = found.collect::<Result<Vec<_>, _>>().expect("rows").len();
    OnBrokenDisk { code, acknowledged: (5 + before, after), present }
}

#[test]
fn a_full_disk_leaves_the_store_as_it_was() {
    for write in [1, 2, 3, 50, 51, 52, 53, 54] {
        let OnBrokenDisk { code, acknowledged, present } =
            insert_on_broken_disk(&format!("write {write} {} always", libc::ENOSPC));
        assert_eq!(code, ErrorCode::StoreFull.name(), "at write {write}");
        assert_eq!((present, 0), acknowledged, "at write {write}: what was acknowledged, and nothing else");
    }
}

#[test]
fn a_store_goes_on_when_the_disk_has_room_again() {
    // The first write is of pages, whatever their number: a commit ends with its meta page.
    let OnBrokenDisk { code, acknowledged: (before, after), present } =
        insert_on_broken_disk(&format!("write 1 {} once", libc::ENOSPC));
    assert_eq!(code, ErrorCode::StoreFull.name());
    assert_eq!((present, before + after), (64, 64), "one row was refused");
}

#[test]
fn a_failed_sync_leaves_nothing_behind() {
    // What is synced are pages; the meta page that refers to them is written afterwards.
    for sync in [1, 2, 10] {
        let OnBrokenDisk { code, acknowledged, present } =
            insert_on_broken_disk(&format!("sync {sync} {} always", libc::EIO));
        assert_eq!(code, ErrorCode::Io.name(), "at sync {sync}");
        assert_eq!((present, 0), acknowledged, "at sync {sync}");
    }
}

#[test]
fn a_meta_page_that_was_not_written_leaves_the_store_to_be_used() {
    // Writes of pages and of meta pages, in turn; LMDB puts the old meta page back.
    for (write, kind) in (1..=8).flat_map(|write| [(write, "write"), (write, "late")]) {
        let OnBrokenDisk { code, acknowledged: (before, after), present } =
            insert_on_broken_disk(&format!("{kind} {write} {} once", libc::EIO));
        assert_eq!(code, ErrorCode::Io.name(), "at {kind} {write}");
        // One row was refused, and is not there; the same handle wrote all others.
        assert_eq!((present, before + after), (64, 64), "at {kind} {write}");
    }
}

#[test]
fn a_meta_page_that_may_have_been_written_leaves_the_outcome_open() {
    // Writes of pages, and then of a meta page, which is there, though its sync is said to have failed, and the old one
    // cannot be put back.
    let mut unknown = 0;
    for write in 1..=12 {
        let OnBrokenDisk { code, acknowledged: (before, after), present } =
            insert_on_broken_disk(&format!("late {write} {} always", libc::EIO));
        let is_unknown = code == ErrorCode::OutcomeUnknown.name();
        assert!(is_unknown || code == ErrorCode::Io.name(), "{code} at write {write}");
        assert_eq!((present, after), (before + usize::from(is_unknown), 0), "at write {write}");
        unknown += usize::from(is_unknown);
    }
    assert!((2..=6).contains(&unknown), "{unknown} of 12 writes were of meta pages");
}

#[test]
fn a_sum_stays_within_its_type() {
    let store = Store::in_memory().expect("a store");
    let table = store.create_table("Table").expect("a table");
    table.create_entity(entity! { "p", "r", "Count" => i32::MAX }).expect("an entity");
    let more = EntityInput::new("p", "r").adding("Count", 1);
    let error = table.update_entity(more, UpdateMode::Merge).expect_err("a sum beyond 32 bits");
    assert_eq!((error.code(), error.details().property.as_deref()), (ErrorCode::NumberOverflow, Some("Count")));
    assert!(error.message().contains("2147483647"), "{error}");
    assert_eq!(table.get_entity("p", "r").expect("the entity")["Count"], i32::MAX);
}
