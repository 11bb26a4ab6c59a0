//! Compiles the part that is C.

use std::env;
use std::path::Path;

fn main() {
    let header = Path::new("../../bindings-c/include");
    // libsqlite3-sys says where the header of its SQLite is.
    let sqlite = env::var("DEP_SQLITE3_INCLUDE").expect("SQLite is built with the program");
    cc::Build::new()
        .file("src/reads.c")
        .include(header)
        .include(sqlite)
        .std("c11")
        .opt_level(2)
        .warnings(true)
        .warnings_into_errors(true)
        .compile("reads");
    println!("cargo:rerun-if-changed=src/reads.c");
    println!("cargo:rerun-if-changed={}", header.join("entable.h").display());
}
