//! The rows that `store_put` inserts and that the tests look for, the file in which they reach `bare_put`, and a store
//! of a few of them.

use entable::{Entity, Options, Store, entity};
use std::fmt::Write;
use std::path::{Path, PathBuf};

/// The table of the rows.
pub const TABLE: &str = "Rows";

/// Rows of a table whose indexes take several steps to build.
pub const MANY: usize = 150_000;

/// Where the clock stands: 2026-12-01.
pub const TICKS: i64 = 639_317_664_000_000_000;

/// The row of this number. The keys of neighbours lie far apart, so that pages split as they do in use.
pub fn entity(number: u32) -> Entity {
    let (partition_key, row_key) = keys(number);
    entity! {
        partition_key, row_key,
        "Number" => i64::from(number),
        "Name" => format!("row {number}"),
        "Share" => f64::from(number) / 7.0,
        "Text" => "x".repeat((number % 50) as usize),
    }
}

/// The keys of the row of this number.
pub fn keys(number: u32) -> (String, String) {
    // An odd factor: different numbers give different keys.
    let scattered = number.wrapping_mul(2_654_435_769);
    (format!("p{}", scattered % 5), format!("{scattered:010}"))
}

/// A folder with a store of five rows, closed.
///
/// # Panics
/// If it cannot be made.
pub fn closed_store() -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("store.ent");
    let store = Store::open(&path).expect("a store");
    let table = store.create_table(TABLE).expect("a table");
    for number in 0..5 {
        table.create_entity(entity(number)).expect("a row");
    }
    store.close();
    (folder, path)
}

/// How a store is opened that is not to be written.
pub fn read_only() -> Options {
    Options::new().read_only(true)
}

/// Writes keys and values, a pair a line, in hexadecimal.
///
/// # Panics
/// If the file cannot be written.
pub fn write_dump(path: &Path, rows: &[(Vec<u8>, Vec<u8>)]) {
    let mut text = String::new();
    for (key, value) in rows {
        writeln!(text, "{} {}", hex(key), hex(value)).expect("a String takes all");
    }
    std::fs::write(path, text).expect("the dump");
}

/// Reads what [`write_dump`] wrote.
///
/// # Panics
/// If the file cannot be read, or holds something else.
pub fn read_dump(path: &Path) -> Vec<(Vec<u8>, Vec<u8>)> {
    let text = std::fs::read_to_string(path).expect("the dump");
    let pair = |line: &str| {
        let (key, value) = line.split_once(' ').expect("key and value");
        (unhex(key), unhex(value))
    };
    text.lines().map(pair).collect()
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        write!(text, "{byte:02x}").expect("a String takes all");
        text
    })
}

fn unhex(text: &str) -> Vec<u8> {
    let digits = text.as_bytes().chunks(2).map(|pair| str::from_utf8(pair).expect("ASCII"));
    digits.map(|pair| u8::from_str_radix(pair, 16).expect("hexadecimal")).collect()
}
