//! What a newer version, or damage, leaves of a store: how far each reaches (`FORMAT.md`).

use super::*;
use crate::codec::header;
use crate::codec::record::{
    DropOf, DropRecord, IndexRecord, IndexState, OnDelete, Projection, RelationRecord, Scope, TableRecord, Unknown, key,
};
use crate::limits::Mode;
use crate::maintain::sweep;
use crate::storage::{self, Live, OpenFile, Place, Read, Space, WriteTxn};
use crate::{DateTime, ErrorCode, Result, TableName};
use std::sync::Arc;

/// A store with the tables Orders (1), Lines (2) and Other (3), seen as if nobody had looked at it before.
struct Bench {
    live: Arc<Live>,
}

impl Bench {
    fn new() -> Bench {
        let (key, value) = new_header().unwrap();
        let open =
            OpenFile { place: Place::Memory, read_only: false, immutable: false, create: true, header: (key, &value) };
        let bench = Bench { live: Live::open(&open).unwrap() };
        for name in ["Orders", "Lines", "Other"] {
            assert!(bench.edit(|edit| edit.create_table(&named(name))).unwrap());
        }
        bench
    }

    fn edit<T>(&self, job: impl FnOnce(&mut Edit<'_, '_>) -> Result<T>) -> Result<T> {
        storage::run(&self.live, |txn| {
            let views = Views::default();
            let mut edit = Edit::new(txn, &views, Mode::Portable, DateTime::from_ticks(7).unwrap())?;
            let outcome = job(&mut edit)?;
            edit.decide()?.put(txn)?;
            Ok(outcome)
        })
    }

    /// As nobody should: without the header, past the catalog.
    fn raw(&self, job: impl FnOnce(&mut WriteTxn<'_>) -> Result<()>) {
        storage::run(&self.live, job).unwrap();
    }

    fn put(&self, key: &[u8], value: &[u8]) {
        self.raw(|txn| txn.put(Space::Catalog, key, value));
    }

    fn get(&self, key: &[u8]) -> Option<Vec<u8>> {
        self.live.read_txn().unwrap().get(Space::Catalog, key).unwrap().map(Into::into)
    }

    fn generation(&self, table: u32) -> u64 {
        let key = key::table(table);
        TableRecord::decode(&key, &self.get(&key).unwrap()).unwrap().generation
    }

    /// What reading and what writing the table gives.
    fn outcomes(&self, name: &str) -> [Option<ErrorCode>; 2] {
        let read = Views::default().table(&self.live.read_txn().unwrap(), &named(name)).map(|_| ());
        let write = self.edit(|edit| edit.table(&named(name)).map(|_| ()));
        [read, write].map(|outcome| outcome.err().map(|error| error.code()))
    }
}

fn named(name: &str) -> TableName {
    TableName::new(name).unwrap()
}

/// Makes a record one of a later version: it has a field that must be known.
fn newer(key: &[u8], record: &[u8]) -> Vec<u8> {
    let mut out = record[..record.len() - 4].to_vec();
    out.extend_from_slice(&[1, 0x80, 0, 0, 0, 0]);
    crate::codec::bytes::push_crc(key, &mut out, 0);
    out
}

fn index() -> IndexRecord {
    IndexRecord {
        name: "ByCity".into(),
        id: 9,
        scope: Scope::Table,
        is_unique: false,
        has_long_keys: false,
        other_flags: 0,
        properties: vec!["City".into()],
        projection: Projection::Keys,
        state: IndexState::Ready,
        unicode: None,
        unknown: Unknown::default(),
    }
}

/// Lines are the children of Orders.
fn relation() -> RelationRecord {
    RelationRecord {
        name: "Lines".into(),
        id: 4,
        child: 2,
        parent: 1,
        partition_key: "PartitionKey".into(),
        row_key: "OrderId".into(),
        on_delete: OnDelete::Refuse,
        index: 0,
        unknown: Unknown::default(),
    }
}

const NEWER: Option<ErrorCode> = Some(ErrorCode::NewerFormat);
const DAMAGED: Option<ErrorCode> = Some(ErrorCode::Damaged);

#[test]
fn a_file_that_a_newer_version_must_write_is_read() {
    let bench = Bench::new();
    bench.edit(|edit| edit.drop_table(&named("Other"))).unwrap();
    bench.raw(|txn| {
        let mut header = header(txn)?;
        header.for_writing = 1 << 40;
        txn.put(Space::Header, header::KEY, &header.encode())
    });
    assert_eq!(bench.outcomes("Orders"), [None, NEWER]);
    assert_eq!(sweep::step(&bench.live).unwrap_err().code(), ErrorCode::NewerFormat, "housekeeping writes, too");
}

#[test]
fn what_a_writer_cannot_keep_is_read_past() {
    let bench = Bench::new();
    let key = key::index(1, 9);
    bench.put(&key, &index().encode(&key));
    assert_eq!(bench.outcomes("Orders"), [None, None]);
    bench.put(&key, &newer(&key, &index().encode(&key)));
    assert_eq!(bench.outcomes("Orders"), [None, NEWER]);
    assert_eq!(bench.edit(|edit| edit.drop_table(&named("Orders"))).unwrap_err().code(), ErrorCode::NewerFormat);
    bench.put(&key, &index().encode(b"another key"));
    assert_eq!(bench.outcomes("Orders"), [None, DAMAGED]);
    assert_eq!(bench.outcomes("Other"), [None, None]);
}

#[test]
fn a_newer_slot_or_table_blocks_the_table_alone() {
    for key in [key::slot(1, 0, 0), key::table(1)] {
        let bench = Bench::new();
        bench.put(&key, &newer(&key, &TableRecord::new("Orders", 1).encode(&key)));
        assert_eq!(bench.outcomes("Orders"), [NEWER, NEWER]);
        assert_eq!(bench.outcomes("Other"), [None, None]);
    }
}

#[test]
fn kinds_of_records_that_are_not_known_are_left_as_found() {
    let bench = Bench::new();
    let kinds = [&b"\x02\0\0\0\x01\x07later"[..], b"\x03\x04\0\0\0\x01", b"\x04later"];
    kinds.iter().for_each(|key| bench.put(key, b"later"));
    assert_eq!(bench.outcomes("Orders"), [None, None]);
    bench.edit(|edit| edit.drop_table(&named("Orders"))).unwrap();
    while sweep::step(&bench.live).unwrap() {}
    assert_eq!(kinds.map(|key| bench.get(key).is_some()), [false, true, true], "the table takes its own with it");
}

#[test]
fn a_relation_is_the_same_under_both_tables() {
    let (child, parent) = (key::relation(2, 4), key::related_by(1, 4));
    let bench = Bench::new();
    bench.put(&child, &relation().encode(&child));
    assert_eq!([bench.outcomes("Lines"), bench.outcomes("Orders")], [[None, DAMAGED], [None, None]]);
    bench.put(&parent, &relation().encode(&parent));
    assert_eq!([bench.outcomes("Lines"), bench.outcomes("Orders")], [[None, None], [None, None]]);
    let other = RelationRecord { on_delete: OnDelete::Cascade, ..relation() };
    bench.put(&parent, &other.encode(&parent));
    assert_eq!([bench.outcomes("Lines"), bench.outcomes("Orders")], [[None, DAMAGED], [None, DAMAGED]]);
    bench.put(&parent, &newer(&parent, &relation().encode(&parent)));
    assert_eq!([bench.outcomes("Lines"), bench.outcomes("Orders")], [[None, NEWER], [None, NEWER]]);
    assert_eq!(bench.outcomes("Other"), [None, None]);
}

#[test]
fn a_dropped_table_takes_its_indexes_and_relations_with_it() {
    let (child, parent) = (key::relation(2, 4), key::related_by(1, 4));
    for (dropped, other) in [("Orders", 2), ("Lines", 1)] {
        let bench = Bench::new();
        bench.put(&child, &relation().encode(&child));
        bench.put(&parent, &relation().encode(&parent));
        let table = 3 - other;
        let by_city = key::index(table, 9);
        bench.put(&by_city, &index().encode(&by_city));
        let changes = key::drop(DropOf::Changes(table));
        bench.put(&changes, &DropRecord::of_changes("Orders", table, 1).encode(&changes));
        let before = bench.generation(other);
        assert!(bench.edit(|edit| edit.drop_table(&named(dropped))).unwrap());
        assert_eq!([&child, &parent, &by_city, &changes].map(|key| bench.get(key)), [None, None, None, None]);
        assert_eq!(bench.generation(other), before + 1);
        let drop = key::drop(DropOf::Index(9));
        let record = DropRecord::decode(&drop, &bench.get(&drop).unwrap()).unwrap();
        assert_eq!(record, DropRecord::of_index("ByCity", 9, table));
        let drop = key::drop(DropOf::Table(table));
        assert_eq!(&*DropRecord::decode(&drop, &bench.get(&drop).unwrap()).unwrap().name, dropped);
        bench.raw(|txn| txn.put(Space::Indexes, &[0, 0, 0, 9, 1], b""));
        while sweep::step(&bench.live).unwrap() {}
        let txn = bench.live.read_txn().unwrap();
        assert!(
            pending_drops(&txn).unwrap().is_empty() && txn.get(Space::Indexes, &[0, 0, 0, 9, 1]).unwrap().is_none()
        );
    }
}

#[test]
fn a_drop_does_not_take_what_lives() {
    let index_key = key::index(1, 9);
    for (of, record) in [
        (DropOf::Table(1), DropRecord::of_table("Orders", 1)),
        (DropOf::Index(9), DropRecord::of_index("ByCity", 9, 1)),
        // Nor what another drop's record came to lie under.
        (DropOf::Table(7), DropRecord::of_table("Orders", 8)),
    ] {
        let bench = Bench::new();
        bench.put(&index_key, &index().encode(&index_key));
        bench.raw(|txn| txn.put(Space::Rows, &[0, 0, 0, 1, b'p', 0, b'r'], b"row"));
        let key = key::drop(of);
        bench.put(&key, &record.encode(&key));
        assert_eq!(sweep::step(&bench.live).unwrap_err().code(), ErrorCode::Damaged, "{of:?}");
        assert!(bench.live.read_txn().unwrap().get(Space::Rows, &[0, 0, 0, 1, b'p', 0, b'r']).unwrap().is_some());
    }
}

#[test]
fn a_feed_that_was_switched_off_loses_its_changes_alone() {
    let bench = Bench::new();
    let change = |commit: u64| [&1_u32.to_be_bytes()[..], &commit.to_be_bytes(), &[0; 4]].concat();
    let row = [0, 0, 0, 1, b'p', 0, b'r'];
    bench.raw(|txn| {
        txn.put(Space::Rows, &row, b"row")?;
        (1..6).try_for_each(|commit| txn.put(Space::Changes, &change(commit), b"change"))
    });
    let key = key::drop(DropOf::Changes(1));
    bench.put(&key, &DropRecord::of_changes("Orders", 1, 4).encode(&key));
    while sweep::step(&bench.live).unwrap() {}
    let txn = bench.live.read_txn().unwrap();
    let left: Vec<u64> = (1..6).filter(|n| txn.get(Space::Changes, &change(*n)).unwrap().is_some()).collect();
    assert_eq!((left, txn.get(Space::Rows, &row).unwrap()), (vec![4, 5], Some(&b"row"[..])));
    assert!(pending_drops(&txn).unwrap().is_empty());
}
