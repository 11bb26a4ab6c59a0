//! Compiles the C++ side of the bridge into the library, so that its users need headers alone.

fn main() {
    cxx_build::CFG.include_prefix = "entable/detail";
    cxx_build::bridge("src/bridge.rs").include("include").std("c++17").compile("entable_cxx_bridge");
    println!("cargo:rerun-if-changed=src/bridge.rs");
    println!("cargo:rerun-if-changed=include");
}
