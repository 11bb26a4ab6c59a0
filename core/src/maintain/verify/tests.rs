//! What is whole is clean, in use or not; what is not is named.

use super::*;
use crate::index::{Projection, Scope};
use crate::tests::Random;
use crate::{Entity, Index, Options, Store, UpdateMode, entity};
use std::path::PathBuf;

/// A store file with what can lie in one: tables, shapes, long keys, large values, free pages, a dropped table.
fn rich(folder: &Path) -> PathBuf {
    let path = folder.join("store.ent");
    let store = Store::open(&path).unwrap();
    for name in ["Orders", "Lines", "Gone"] {
        let table = store.create_table(name).unwrap();
        let rows = (0..300).map(|number| {
            let large = if number % 50 == 0 { "x".repeat(20_000) } else { "é".repeat(number % 30) };
            entity! { format!("p{}", number % 7), format!("{number:05}"), "Number" => number as i32, "Text" => large }
        });
        rows.for_each(|row: Entity| _ = table.create_entity(row).unwrap());
    }
    let orders = store.table("Orders").unwrap();
    for number in 0..40 {
        let row = entity! { "k".repeat(1_000), format!("{}{number}", "r".repeat(1_000)), "At" => number };
        orders.create_entity(row).unwrap();
    }
    for number in (0..300).step_by(3) {
        orders.delete_entity(&format!("p{}", number % 7), &format!("{number:05}")).unwrap();
        let row = entity! { "p1", format!("{number:05}"), "Number" => 1.5, "Other" => true };
        store.table("Lines").unwrap().upsert_entity(row, UpdateMode::Replace).unwrap();
    }
    store.delete_table("Gone").unwrap();
    store.close();
    path
}

#[test]
fn what_a_store_writes_is_clean() {
    let folder = tempfile::tempdir().unwrap();
    let path = rich(folder.path());
    let report = verify(&path).unwrap();
    assert!(report.is_clean() && report.findings.is_empty(), "{report}");
    assert_eq!(report.tables, 2);
    assert_eq!(report.used_pages + report.free_pages, report.pages, "{report}");
    let store = Store::open_with(&path, &Options::new().check(true)).unwrap();
    assert_eq!(verify(&path).unwrap(), report, "through a reader's slot");
    let names = store.list_tables().unwrap();
    let rows: u64 = names.iter().map(|name| store.table(name.as_str()).unwrap().count("").unwrap()).sum();
    assert_eq!(report.entities, rows);
}

#[test]
fn an_empty_file_and_another_programs_are_no_stores() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("store.ent");
    assert_eq!(verify(&path).unwrap_err().code(), ErrorCode::StoreNotFound);
    std::fs::write(&path, b"").unwrap();
    assert_eq!(verify(&path).unwrap_err().code(), ErrorCode::NotAStore);
    std::fs::write(&path, [7; 10_000]).unwrap();
    assert_eq!(verify(&path).unwrap_err().code(), ErrorCode::NotAStore);
    assert_eq!(verify(folder.path()).unwrap_err().code(), ErrorCode::NotAStore);
}

/// The bytes of a small store: tables, rows, long keys, values of several pages and indexes by chance.
fn small(random: &mut Random) -> Vec<u8> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("store.ent");
    let store = Store::open(&path).unwrap();
    for name in ["First", "Second", "Third"].iter().take(1 + random.below(3)) {
        let table = store.create_table(name).unwrap();
        let indexes = [
            Index::new("plain").properties(["Number"]),
            Index::new("all").properties(["Text", "Number"]).projection(Projection::All),
            Index::new("near").properties(["Text"]).scope(Scope::Partition).fold_case(true),
            Index::new("keys").properties(["RowKey"]),
        ];
        for index in indexes {
            if random.below(2) == 0 {
                table.create_index(index).unwrap();
            }
        }
        let rows: Vec<_> = (0..random.below(40))
            .map(|number| {
                let row_key = match random.below(8) {
                    0 => "é".repeat(1_000) + &number.to_string(),
                    _ => number.to_string(),
                };
                let text = "t".repeat(if random.below(15) == 0 { 9_000 } else { random.below(60) });
                let row =
                    entity! { format!("p{}", random.below(3)), row_key, "Number" => number as i32, "Text" => text };
                (&table, crate::Operation::create(row).unwrap())
            })
            .collect();
        store.submit_batch(rows).unwrap();
        if random.below(3) == 0 {
            store.delete_table(name).unwrap();
        }
    }
    store.close();
    drop(store);
    std::fs::read(path).unwrap()
}

/// Damages some bytes, at the heads of pages and in their directories above all.
fn damage(bytes: &mut Vec<u8>, random: &mut Random) {
    const PAGE: usize = 4_096;
    let pages = bytes.len() / PAGE;
    for _ in 0..=random.below(5) {
        let page = random.below(pages) * PAGE;
        match random.below(6) {
            0 | 1 => bytes[page + random.below(200)] = random.below(256) as u8,
            2 => bytes[page + random.below(PAGE)] ^= 1 << random.below(8),
            3 => {
                let other = random.below(pages) * PAGE;
                bytes.copy_within(other..other + PAGE, page);
                if random.below(2) == 0 {
                    // A page that says that it is this one.
                    bytes[page..page + 8].copy_from_slice(&(page as u64 / PAGE as u64).to_le_bytes());
                }
            }
            4 => bytes[page..page + PAGE].fill(0),
            _ => (0..PAGE).for_each(|at| bytes[page + at] = random.below(256) as u8),
        }
    }
    if random.below(20) == 0 {
        bytes.truncate(random.below(bytes.len()));
    }
}

#[test]
fn any_file_is_gone_through_to_its_end() {
    let (stores, files) = if std::env::var_os("ENTABLE_LONG").is_some() { (500, 200) } else { (20, 100) };
    let (mut random, mut found) = (Random(11), 0);
    for _ in 0..stores {
        let whole = small(&mut random);
        for _ in 0..files {
            let mut bytes = whole.clone();
            damage(&mut bytes, &mut random);
            let is_clean = match PageFile::of_bytes(bytes) {
                Ok(Opened::File(file, faults)) => {
                    match look_through(&file, faults, &mut |_, _| ControlFlow::Continue(())) {
                        Ok(Ok(report)) => report.is_clean(),
                        Ok(Err(_)) => false,
                        Err(Moved) => panic!("nobody writes it"),
                    }
                }
                Ok(Opened::Empty) | Err(_) => false,
            };
            found += usize::from(!is_clean);
        }
    }
    assert!(found * 2 > stores * files, "{found} of {}", stores * files);
}
