//! What is whole is clean, in use or not; what is not is named.

use super::*;
use crate::{Entity, Options, Store, UpdateMode, entity};
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
