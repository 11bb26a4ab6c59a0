//! Whatever is done to an entry, or to the row below it, has its name: table, index and keys.

use crate::codec::key::next_prefix;
use crate::codec::record::{self, IndexRecord, IndexState};
use crate::codec::row;
use crate::codec::shape::Shapes;
use crate::index::{Projection, Scope};
use crate::storage::{self, Direction, Read, Space};
use crate::{Entity, FindingKind, Index, Operation, Report, Store, entity, verify};
use std::ops::Bound;
use std::path::{Path, PathBuf};

/// Characters of two bytes that make a long key, and a value that an index cuts.
const LONG: usize = 1_000;

/// A store of indexes of every form, closed.
fn write(folder: &Path) -> PathBuf {
    let path = folder.join("store.ent");
    let store = Store::open(&path).unwrap();
    let people = store.create_table("People").unwrap();
    let index = |name: &str, property: &str| Index::new(name).properties([property]);
    for index in [
        index("plain", "City"),
        index("all", "City").projection(Projection::All),
        index("some", "Age").projection(Projection::names(["City"])),
        index("near", "Age").scope(Scope::Partition),
        index("mail", "Mail").unique(true),
        index("long", "Text").unique(true).projection(Projection::names(["Age"])),
        index("folded", "City").fold_case(true),
    ] {
        people.create_index(index).unwrap();
    }
    let rows = (0..200).map(|number| {
        let row_key = if number % 50 == 0 { "é".repeat(LONG) + &number.to_string() } else { format!("{number:03}") };
        let mut row: Entity = entity! { format!("p{}", number % 3), row_key, "Age" => number % 30 };
        row.insert("City", format!("City {}", number % 10));
        row.insert("Mail", format!("{number}@example.org"));
        if number % 40 == 0 {
            row.insert("Text", "é".repeat(LONG) + &number.to_string());
        }
        (&people, Operation::create(row).unwrap())
    });
    store.submit_batch(rows).unwrap();
    store.close();
    path
}

/// What lies in a space under keys that begin with `prefix`.
fn all(txn: &impl Read, space: Space, prefix: &[u8]) -> Vec<(Vec<u8>, Vec<u8>)> {
    let bounds =
        (Bound::Included(prefix.to_vec()), next_prefix(prefix.to_vec()).map_or(Bound::Unbounded, Bound::Excluded));
    let items = txn.range(space, bounds, Direction::Ascending).unwrap();
    items.map(|item| item.map(|(key, value)| (key.into_owned(), value.to_vec())).unwrap()).collect()
}

fn nth(txn: &impl Read, space: Space, prefix: &[u8], nth: usize) -> (Vec<u8>, Vec<u8>) {
    all(txn, space, prefix).swap_remove(nth)
}

/// Changes the record of an index of the only table.
fn change_record(txn: &mut storage::WriteTxn<'_>, id: u32, change: impl FnOnce(&mut IndexRecord)) -> crate::Result<()> {
    let key = record::key::index(1, id);
    let mut record = IndexRecord::decode(&key, txn.get(Space::Catalog, &key)?.unwrap())?;
    change(&mut record);
    txn.put(Space::Catalog, &key, &record.encode(&key))
}

/// What `verify` says of the store after a change that only its own writer of pages would make.
fn after(change: impl FnOnce(&mut storage::WriteTxn<'_>) -> crate::Result<()>) -> Report {
    let folder = tempfile::tempdir().unwrap();
    let path = write(folder.path());
    let report = verify(&path).unwrap();
    assert!(report.findings.is_empty() && report.index_entries == 7 * 200, "{report}");
    let store = Store::open(&path).unwrap();
    storage::run(&store.live().unwrap(), change).unwrap();
    store.close();
    verify(&path).unwrap()
}

/// All that is found is about this index, with keys, and says this.
#[track_caller]
fn check(report: &Report, index: &str, count: usize, sentence: &str) {
    assert_eq!(report.findings.len(), count, "{report}");
    for finding in &report.findings {
        assert_eq!((finding.kind, finding.table.as_deref()), (FindingKind::IndexEntry, Some("People")), "{report}");
        assert_eq!(finding.index.as_deref(), Some(index), "{report}");
        assert!(finding.keys.is_some() && finding.sentence.contains(sentence), "{report}");
    }
}

/// Ids are given in the order of the declarations, from 1.
const NAMES: [&str; 7] = ["plain", "all", "some", "near", "mail", "long", "folded"];

fn each_index() -> impl Iterator<Item = (&'static str, [u8; 4])> {
    NAMES.into_iter().zip((1_u32..).map(u32::to_be_bytes))
}

#[test]
fn an_entry_that_is_missing_is_named() {
    for (name, prefix) in each_index() {
        let report = after(|txn| {
            let (key, _) = nth(txn, Space::Indexes, &prefix, 77);
            txn.delete(Space::Indexes, &key).map(drop)
        });
        check(&report, name, 1, "A row lacks its entry.");
    }
}

#[test]
fn an_entry_without_a_row_is_named() {
    // Every index has one.
    let report = after(|txn| {
        let (key, _) = nth(txn, Space::Rows, &1_u32.to_be_bytes(), 90);
        txn.delete(Space::Rows, &key).map(drop)
    });
    assert_eq!(report.finding_count, 7, "{report}");
    for (name, _) in each_index() {
        let found: Vec<_> = report.findings.iter().filter(|found| found.index.as_deref() == Some(name)).collect();
        assert_eq!(found.len(), 1, "{report}");
        assert_eq!(found[0].sentence, "The row of an entry is not there.", "{report}");
    }
}

#[test]
fn an_entry_of_another_value_is_named() {
    // As many entries as rows, and each of them sound by itself: the values alone do not agree.
    let report = after(|txn| {
        let (key, value) = nth(txn, Space::Indexes, &1_u32.to_be_bytes(), 60);
        txn.delete(Space::Indexes, &key)?;
        let mut other = key.clone();
        let at = other.windows(4).position(|part| part == b"City").unwrap();
        other[at] = b'K';
        txn.put(Space::Indexes, &other, &value)
    });
    assert_eq!(report.finding_count, 2, "{report}");
    let sentences: Vec<_> = report.findings.iter().map(|finding| &*finding.sentence).collect();
    assert_eq!(sentences, ["An entry has other values than its row.", "A row lacks its entry."], "{report}");
    assert_eq!(report.findings[0].keys, report.findings[1].keys);
}

#[test]
fn a_copy_that_is_not_the_rows_is_named() {
    let report = after(|txn| {
        let (key, value) = nth(txn, Space::Indexes, &2_u32.to_be_bytes(), 33);
        let shapes = Shapes::default();
        let row = row::Row::new(&key, &value, &shapes)?;
        let mut other = Vec::new();
        let properties: Vec<_> = row.properties().skip(1).map(|property| property.unwrap()).collect();
        let properties = properties.iter().map(|(name, value)| (name.as_str(), *value));
        row::encode_describing(&key, row.ticks(), properties, &mut other)?;
        txn.put(Space::Indexes, &key, &other)
    });
    check(&report, "all", 1, "An entry copies something else");
}

#[test]
fn a_value_twice_in_a_unique_index_is_named() {
    for (name, property, value) in
        [("mail", "Mail", "0@example.org".to_owned()), ("long", "Text", "é".repeat(LONG) + "0")]
    {
        let folder = tempfile::tempdir().unwrap();
        let path = write(folder.path());
        let store = Store::open(&path).unwrap();
        let people = store.table("People").unwrap();
        // Only one that does not know of `unique` writes it.
        people.drop_index(name).unwrap();
        let row = people.get_entity("p1", "001").unwrap();
        let mut changed = entity! { row.partition_key(), row.row_key() };
        changed.insert(property, value);
        people.upsert_entity(changed, crate::UpdateMode::Merge).unwrap();
        people.create_index(Index::new(name).properties([property])).unwrap();
        // The eighth index.
        storage::run(&store.live().unwrap(), |txn| change_record(txn, 8, |record| record.is_unique = true)).unwrap();
        store.close();
        check(&verify(&path).unwrap(), name, 1, "A value that may be there once has another holder, \"p0\",");
    }
}

#[test]
fn an_index_half_built_is_clean_and_its_entries_are_looked_at() {
    let built_halfway = |change: &dyn Fn(&[u8], &[u8]) -> bool| {
        after(|txn| {
            let (from, _) = nth(txn, Space::Rows, &1_u32.to_be_bytes(), 100);
            change_record(txn, 1, |record| record.state = IndexState::Building { from: from.clone() })?;
            for (key, _) in all(txn, Space::Indexes, &1_u32.to_be_bytes()) {
                let keys = key.windows(3).rposition(|part| part[0] == b'p' && part[2] == 0).unwrap();
                let row_key = [&1_u32.to_be_bytes(), &key[keys..]].concat();
                if change(&row_key, &from) {
                    txn.delete(Space::Indexes, &key)?;
                }
            }
            Ok(())
        })
    };
    // Of the rows ahead some have been written since, and others not.
    let report = built_halfway(&|row_key, from| row_key >= from && row_key.last().is_some_and(|byte| byte % 2 == 0));
    assert!(report.findings.is_empty() && report.index_entries < 7 * 200, "{report}");
    let report = built_halfway(&|row_key, from| row_key < from && row_key.ends_with(b"2"));
    check(
        &report,
        "plain",
        (0..200).filter(|number| number % 10 == 2 && number % 3 < 2).count().min(10),
        "A row lacks its entry.",
    );
}
