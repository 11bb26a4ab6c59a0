//! Gives the shared library its SONAME: programs look for the ABI that they were linked with.

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    if std::env::var("CARGO_CFG_TARGET_OS").is_ok_and(|os| os == "linux") {
        // The number is that of the ABI: it rises when a function or a struct changes its form.
        println!("cargo:rustc-cdylib-link-arg=-Wl,-soname,libentable.so.0");
    }
}
