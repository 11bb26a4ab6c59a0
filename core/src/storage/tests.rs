use super::*;
use proptest::prelude::*;
use std::collections::BTreeMap;
use std::ops::Bound;

const HEADER: (&[u8], &[u8]) = (b"test", b"1");

fn memory() -> std::sync::Arc<Live> {
    Live::open(&OpenFile { place: Place::Memory, read_only: false, immutable: false, create: true, header: HEADER })
        .unwrap()
}

fn file(path: &std::path::Path) -> Result<std::sync::Arc<Live>, Error> {
    Live::open(&OpenFile {
        place: Place::File(path.into()),
        read_only: false,
        immutable: false,
        create: true,
        header: HEADER,
    })
}

fn put(live: &Live, key: &[u8], value: &[u8]) {
    writer::run(live, |txn| txn.put(Space::Rows, key, value)).unwrap();
}

/// Keys that share heads of about the lengths at which long keys are split.
fn key() -> impl Strategy<Value = Vec<u8>> {
    let length = prop_oneof![0..4_usize, 1_968..1_980_usize, 3_940..3_955_usize, 5_915..5_925_usize];
    (length, proptest::collection::vec(prop_oneof![Just(1_u8), Just(0xfe), Just(0xff)], 1..4))
        .prop_map(|(shared, end)| [vec![1; shared], end].concat())
}

type Model = BTreeMap<Vec<u8>, Vec<u8>>;

fn check_many(txn: &impl Read, model: &Model, keys: Vec<Vec<u8>>) {
    let values = txn.get_many(Space::Rows, keys.iter().map(|key| &key[..])).unwrap();
    assert_eq!(values.len(), keys.len());
    for (key, value) in keys.iter().zip(values) {
        assert_eq!(value, model.get(key).map(Vec::as_slice));
        assert_eq!(value, txn.get(Space::Rows, key).unwrap());
    }
}

fn check_range(txn: &impl Read, model: &Model, lower: Bound<Vec<u8>>, upper: Bound<Vec<u8>>) {
    let in_bounds = |key: &&Vec<u8>| {
        (match &lower {
            Bound::Included(bound) => *key >= bound,
            Bound::Excluded(bound) => *key > bound,
            Bound::Unbounded => true,
        }) && (match &upper {
            Bound::Included(bound) => *key <= bound,
            Bound::Excluded(bound) => *key < bound,
            Bound::Unbounded => true,
        })
    };
    let mut expected: Vec<_> = model.keys().filter(in_bounds).cloned().collect();
    for direction in [Direction::Ascending, Direction::Descending] {
        let range = txn.range(Space::Rows, (lower.clone(), upper.clone()), direction).unwrap();
        let found: Vec<_> = range.map(|item| item.unwrap()).collect();
        let keys: Vec<_> = found.iter().map(|(key, _)| key.to_vec()).collect();
        assert!(keys == expected, "{direction:?}: {} keys instead of {}", keys.len(), expected.len());
        for (key, value) in found {
            assert_eq!(model[&*key], value);
        }
        expected.reverse();
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    #[test]
    fn long_keys_are_a_map_in_order(
        steps in proptest::collection::vec((key(), any::<bool>()), 1..40),
        bounds in proptest::collection::vec((key(), key(), 0..3_u8, 0..3_u8), 1..6),
    ) {
        let live = memory();
        let mut model = Model::new();
        writer::run(&live, |txn| {
            for (number, (key, is_put)) in steps.iter().enumerate() {
                if *is_put {
                    let value = number.to_string().into_bytes();
                    txn.put(Space::Rows, key, &value)?;
                    model.insert(key.clone(), value);
                } else {
                    assert_eq!(txn.delete(Space::Rows, key)?, model.remove(key).is_some());
                }
            }
            Ok(())
        }).unwrap();
        let txn = live.read_txn().unwrap();
        for (key, _) in &steps {
            assert_eq!(txn.get(Space::Rows, key).unwrap(), model.get(key).map(Vec::as_slice));
        }
        check_many(&txn, &model, steps.iter().map(|(key, _)| key.clone()).collect());
        check_range(&txn, &model, Bound::Unbounded, Bound::Unbounded);
        for (lower, upper, lower_kind, upper_kind) in bounds {
            let bound = |key, kind| match kind {
                0 => Bound::Included(key),
                1 => Bound::Excluded(key),
                _ => Bound::Unbounded,
            };
            check_range(&txn, &model, bound(lower, lower_kind), bound(upper, upper_kind));
        }
        drop(txn);
        writer::run(&live, |txn| {
            for key in model.keys() {
                assert!(txn.delete(Space::Rows, key)?);
            }
            Ok(())
        }).unwrap();
        let txn = live.read_txn().unwrap();
        let (raw, dbs) = txn.raw();
        assert!(dbs.of(Space::Rows).is_empty(raw).unwrap(), "a node stayed in the rows");
        assert!(dbs.long_keys().is_empty(raw).unwrap(), "a node or a rest stayed in the long keys");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    /// Rows that were foreseen change by their slots, others through the map, entries of indexes by the log; what was
    /// there before shines through.
    #[test]
    fn an_overlay_reads_its_own_changes_and_puts_the_last_of_each(
        before in proptest::collection::vec(key(), 0..12),
        foreseen in proptest::collection::vec(key(), 0..12),
        steps in proptest::collection::vec((any::<proptest::sample::Index>(), key(), any::<bool>()), 0..40),
        appended in proptest::collection::vec((key(), any::<bool>()), 0..20),
    ) {
        let live = memory();
        let (mut rows, mut entries) = (Model::new(), Model::new());
        let next_long_key = writer::run(&live, |txn| {
            for key in &before {
                txn.put(Space::Rows, key, b"before")?;
                rows.insert(key.clone(), b"before".to_vec());
                txn.put(Space::Indexes, key, b"before")?;
                entries.insert(key.clone(), b"before".to_vec());
            }
            Ok(txn.next_long_key)
        }).unwrap();
        writer::run(&live, |txn| {
            txn.next_long_key = next_long_key;
            let mut keys = Keys::default();
            foreseen.iter().for_each(|key| keys.push(|bytes| bytes.extend_from_slice(key)));
            let mut overlay = Overlay::new(txn);
            overlay.foresee(std::sync::Arc::new(keys))?;
            for (number, (chosen, other, is_put)) in steps.iter().enumerate() {
                let value = is_put.then(|| number.to_string().into_bytes());
                let key = if number % 2 == 0 && !foreseen.is_empty() {
                    let chosen = chosen.index(foreseen.len());
                    let slot = overlay.slot(chosen).expect("a slot");
                    assert_eq!(overlay.row(slot), rows.get(&foreseen[chosen]).map(Vec::as_slice));
                    overlay.change_row(slot, &foreseen[chosen], value.as_deref());
                    &foreseen[chosen]
                } else if foreseen.contains(other) {
                    continue;
                } else {
                    match &value {
                        Some(value) => overlay.put(Space::Rows, other.clone(), value.clone()),
                        None => overlay.delete(Space::Rows, other.clone()),
                    }
                    other
                };
                match value {
                    Some(value) => rows.insert(key.clone(), value),
                    None => rows.remove(key),
                };
                for key in before.iter().chain(&foreseen).chain([other]) {
                    assert_eq!(overlay.get(Space::Rows, key)?, rows.get(key).map(Vec::as_slice));
                }
            }
            for (number, (key, is_put)) in appended.iter().enumerate() {
                let value = is_put.then(|| number.to_string().into_bytes());
                overlay.append(Space::Indexes, key, value.as_deref());
                match value {
                    Some(value) => entries.insert(key.clone(), value),
                    None => entries.remove(key),
                };
            }
            let changes = overlay.into_changes();
            txn.apply(changes)
        }).unwrap();
        let txn = live.read_txn().unwrap();
        for (space, model) in [(Space::Rows, rows), (Space::Indexes, entries)] {
            let all = txn.range(space, (Bound::Unbounded, Bound::Unbounded), Direction::Ascending).unwrap();
            let found: Model = all.map(|item| item.map(|(key, value)| (key.to_vec(), value.to_vec())).unwrap()).collect();
            assert_eq!(found, model);
        }
    }
}

#[test]
fn many_long_keys_under_one_node_stay_in_order() {
    let live = memory();
    let key = |number: u32| [vec![7; 3_072], format!("{number:05}").into_bytes()].concat();
    writer::run(&live, |txn| (0..10_000).rev().try_for_each(|number| txn.put(Space::Rows, &key(number), b"v")))
        .unwrap();
    let txn = live.read_txn().unwrap();
    let bounds = (Bound::Excluded(key(41)), Bound::Included(key(9_000)));
    let found: Vec<_> =
        txn.range(Space::Rows, bounds, Direction::Ascending).unwrap().map(|item| item.unwrap().0.to_vec()).collect();
    assert_eq!(found, (42..=9_000).map(key).collect::<Vec<_>>());
}

#[test]
fn a_failed_job_writes_nothing() {
    let live = memory();
    put(&live, b"a", b"1");
    let failed: Result<(), _> = writer::run(&live, |txn| {
        txn.put(Space::Rows, b"a", b"2")?;
        Err(Error::new(ErrorCode::InvalidInput))
    });
    assert_eq!(failed.unwrap_err().code(), ErrorCode::InvalidInput);
    assert_eq!(live.read_txn().unwrap().get(Space::Rows, b"a").unwrap(), Some(&b"1"[..]));
}

#[test]
fn an_overlay_reads_its_own_changes_and_touches_nothing_before_it_is_applied() {
    let live = memory();
    put(&live, b"a", b"1");
    writer::run(&live, |txn| {
        let mut overlay = Overlay::new(txn);
        overlay.put(Space::Rows, b"b".to_vec(), b"2".to_vec());
        overlay.delete(Space::Rows, b"a".to_vec());
        assert_eq!(overlay.get(Space::Rows, b"a")?, None);
        assert_eq!(overlay.get(Space::Rows, b"b")?, Some(&b"2"[..]));
        let changes = overlay.into_changes();
        assert_eq!(txn.get(Space::Rows, b"a")?, Some(&b"1"[..]));
        txn.apply(changes)
    })
    .unwrap();
    let txn = live.read_txn().unwrap();
    assert_eq!((txn.get(Space::Rows, b"a").unwrap(), txn.get(Space::Rows, b"b").unwrap()), (None, Some(&b"2"[..])));
}

#[test]
fn one_file_is_one_environment_by_whatever_path() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("new/deep/a.ent");
    let live = file(&path).unwrap();
    put(&live, b"a", b"1");
    let (link, hard) = (folder.path().join("link.ent"), folder.path().join("hard.ent"));
    std::os::unix::fs::symlink(&path, &link).unwrap();
    std::fs::hard_link(&path, &hard).unwrap();
    for other in [&link, &hard, &folder.path().join("new/../new/deep/a.ent")] {
        assert!(std::sync::Arc::ptr_eq(&live, &file(other).unwrap()), "{other:?}");
    }
    drop(live);
    // By itself it would have another lock file under each name.
    for other in [&path, &hard] {
        assert_eq!(file(other).err().map(|error| error.code()), Some(ErrorCode::OtherNames));
    }
    std::fs::remove_file(&hard).unwrap();
    assert_eq!(file(&path).unwrap().read_txn().unwrap().get(Space::Rows, b"a").unwrap(), Some(&b"1"[..]));
    let mode = std::os::unix::fs::MetadataExt::mode(&std::fs::metadata(&path).unwrap());
    assert_eq!(mode & 0o777, 0o600);
}

#[test]
fn what_is_no_store_is_refused_and_not_touched() {
    let folder = tempfile::tempdir().unwrap();
    let check = |name: &str, bytes: &[u8], code| {
        let path = folder.path().join(name);
        std::fs::write(&path, bytes).unwrap();
        assert_eq!(file(&path).err().map(|error| error.code()), Some(code), "{name}");
        assert_eq!(std::fs::read(&path).unwrap(), bytes, "{name}");
        assert!(!folder.path().join(format!("{name}-lock")).exists(), "{name}");
    };
    check("text", b"hello", ErrorCode::NotAStore);
    check("long", &[b'x'; 20_000], ErrorCode::NotAStore);
    let whole = folder.path().join("whole.ent");
    let live = file(&whole).unwrap();
    writer::run(&live, |txn| (0..2_000_u32).try_for_each(|n| txn.put(Space::Rows, &n.to_be_bytes(), &[0; 100])))
        .unwrap();
    drop(live);
    let bytes = std::fs::read(&whole).unwrap();
    check("cut", &bytes[..bytes.len() / 4_096 / 2 * 4_096], ErrorCode::Damaged);
    check("short", &bytes[..5_000], ErrorCode::NotAStore);
    let mut newer = bytes.clone();
    newer[20] = 2;
    check("newer", &newer, ErrorCode::NewerFormat);
    assert_eq!(file(std::path::Path::new("/dev/null")).err().map(|error| error.code()), Some(ErrorCode::NotAStore));
    assert!(!std::path::Path::new("/dev/null-lock").exists());
    assert_eq!(file(folder.path()).err().map(|error| error.code()), Some(ErrorCode::NotAStore));
}

#[test]
fn another_programs_file_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("other.mdb");
    {
        let mut options = heed::EnvOpenOptions::new();
        // SAFETY: the file is new, and nobody else knows it.
        #[allow(unsafe_code, reason = "a file of another program is made")]
        let env = unsafe { options.flags(heed::EnvFlags::NO_SUB_DIR).max_dbs(1).open(&path) }.unwrap();
        let txn = env.write_txn().unwrap();
        env.create_databases_and_commit(txn, |opener, txn| {
            opener
                .create_database::<heed::types::Bytes, heed::types::Bytes>(txn, Some("theirs"))
                .map(heed::CommitOrAbort::<_, ()>::Commit)
        })
        .unwrap();
    }
    assert_eq!(file(&path).err().map(|error| error.code()), Some(ErrorCode::NotAStore));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    /// Leaves in place and the cursor give the same, on trees of several levels, with values on pages of their own.
    #[test]
    fn leaves_in_place_are_what_the_cursor_sees(
        numbers in proptest::collection::vec(0..30_000_u32, 0..4_000),
        removed in proptest::collection::vec(0..30_000_u32, 0..1_000),
        key_bytes in prop_oneof![Just(4_usize), Just(60), Just(500)],
        bounds in proptest::collection::vec((0..30_000_u32, 0..30_000_u32, 0..3_u8, 0..3_u8), 1..12),
    ) {
        let live = memory();
        let key = |number: u32| [&vec![b'k'; key_bytes - 4][..], &number.to_be_bytes()].concat();
        let mut model = Model::new();
        for part in numbers.chunks(500) {
            writer::run(&live, |txn| {
                for number in part {
                    let value = vec![*number as u8; if number % 97 == 0 { 9_000 } else { (number % 200) as usize }];
                    txn.put(Space::Rows, &key(*number), &value)?;
                    model.insert(key(*number), value);
                }
                Ok(())
            }).unwrap();
        }
        writer::run(&live, |txn| removed.iter().try_for_each(|number| {
            assert_eq!(txn.delete(Space::Rows, &key(*number))?, model.remove(&key(*number)).is_some());
            Ok(())
        })).unwrap();
        let txn = live.read_txn().unwrap();
        prop_assert!(txn.in_place().is_some());
        check_range(&txn, &model, Bound::Unbounded, Bound::Unbounded);
        check_many(&txn, &model, (0..30_000).step_by(7).chain(numbers.iter().copied().take(100)).map(key).collect());
        for (lower, upper, lower_kind, upper_kind) in bounds {
            let bound = |number, kind| match kind {
                0 => Bound::Included(key(number)),
                1 => Bound::Excluded(key(number)),
                _ => Bound::Unbounded,
            };
            let (lower, upper) = (bound(lower, lower_kind), bound(upper, upper_kind));
            check_range(&txn, &model, lower.clone(), upper.clone());
            let counted = txn.range(Space::Rows, (lower.clone(), upper.clone()), Direction::Ascending).unwrap().count();
            prop_assert_eq!(txn.count(Space::Rows, (lower, upper)).unwrap(), counted as u64);
        }
    }
}
