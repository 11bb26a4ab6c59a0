//! `bindings-c/src/codes.rs` and `bindings-c/cxx/include/entable/codes.hpp` are made from the core's table of error codes.
//! `BLESS=1` rewrites them.

use entable::ErrorCode;
use std::fmt::Write;
use std::path::Path;

#[test]
fn the_codes_of_c_are_those_of_the_core() {
    check("src/codes.rs", &rust_codes());
}

#[test]
fn the_codes_of_cpp_are_those_of_the_core() {
    check("cxx/include/entable/codes.hpp", &cpp_codes());
}

fn check(file: &str, expected: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../bindings-c").join(file);
    if std::env::var_os("BLESS").is_some() {
        std::fs::write(&path, expected).unwrap();
    }
    let found = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(found == expected, "{file} is not up to date: BLESS=1 cargo test -p entable-tests --test generated_c");
}

fn cpp_codes() -> String {
    let mut out = String::from(
        "// Generated from the core's table of error codes by tests/generated_c.rs (BLESS=1 rewrites it): do not edit.\n\
         \n\
         #ifndef ENTABLE_CODES_HPP\n\
         #define ENTABLE_CODES_HPP\n\
         \n\
         #include <cstdint>\n\
         \n\
         namespace entable {\n\
         \n\
         /// A code of the Table service, or one of the store's own (from 100 on). Numbers are never reused; each code\n\
         /// has a status, as the service answers, and a class.\n\
         enum class Code : std::uint16_t {\n",
    );
    for code in ErrorCode::ALL {
        let (meaning, status, class) = (code.meaning().trim(), code.status(), code.class().name());
        writeln!(out, "    /// {meaning} Status {status}, class {class}.").unwrap();
        writeln!(out, "    {} = {},", code.name(), *code as u16).unwrap();
    }
    out + "};\n\n} // namespace entable\n\n#endif\n"
}

fn rust_codes() -> String {
    let mut out = String::from(
        "// Generated from the core's table of error codes by tests/generated_c.rs (BLESS=1 rewrites it): do not edit.\n\
         \n\
         //! The codes of errors, as C sees them.\n\
         \n\
         /// A code of the Table service, or one of the store's own (from 100 on). Numbers are never reused; each code\n\
         /// has a status, as the service answers, and a class.\n\
         #[repr(u32)]\n\
         #[derive(Clone, Copy)]\n\
         pub enum entable_code {\n    \
             /// No error.\n    \
             ENTABLE_OK = 0,\n",
    );
    for code in ErrorCode::ALL {
        let (meaning, status, class) = (code.meaning().trim(), code.status(), code.class().name());
        writeln!(out, "    /// {meaning} Status {status}, class {class}.").unwrap();
        writeln!(out, "    {} = {},", constant(code.name()), *code as u16).unwrap();
    }
    out + "}\n"
}

/// `EntityAlreadyExists` is `ENTABLE_ENTITY_ALREADY_EXISTS`.
fn constant(name: &str) -> String {
    let mut out = String::from("ENTABLE");
    for c in name.chars() {
        if c.is_ascii_uppercase() {
            out.push('_');
        }
        out.push(c.to_ascii_uppercase());
    }
    out
}
