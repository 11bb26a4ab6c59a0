//! `include/entable.h` is made from the sources of this crate. `BLESS=1` rewrites it.

use std::path::Path;

#[test]
fn the_header_is_that_of_the_sources() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut made = Vec::new();
    cbindgen::generate(folder).unwrap().write(&mut made);
    let made = String::from_utf8(made).unwrap();
    let path = folder.join("include/entable.h");
    if std::env::var_os("BLESS").is_some() {
        std::fs::write(&path, &made).unwrap();
    }
    let found = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(found == made, "entable.h is not up to date: BLESS=1 cargo test -p entable-c --test header");
}
