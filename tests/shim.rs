//! Libraries that are preloaded into a program to watch or to break its calls, built from `shim/*.c`.

use std::path::{Path, PathBuf};
use std::process::Command;

/// Builds `shim/NAME.c` into a library in the folder.
///
/// # Panics
/// Without a C compiler: `cc`, or what CC names.
pub fn build(name: &str, folder: &Path) -> PathBuf {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("shim").join(name).with_extension("c");
    let library = folder.join(name).with_extension("so");
    let compiler = std::env::var_os("CC").unwrap_or_else(|| "cc".into());
    let status = Command::new(compiler)
        .args(["-O1", "-fPIC", "-shared", "-Wall", "-Werror", "-o"])
        .args([&library, &source])
        .arg("-ldl")
        .status()
        .expect("a C compiler, `cc` or what CC names");
    assert!(status.success(), "{} is built", source.display());
    library
}
