//! `bindings-node/lib/errors.js` and its types say what the core's table of codes says. `BLESS=1` rewrites them.

use entable::ErrorCode;
use std::fmt::Write;
use std::path::Path;
use std::{env, fs};

const FIRST_LINE: &str = "// Generated from the core's table of codes by tests/generated_node.rs; BLESS=1 rewrites it.";

fn check(file: &str, expected: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../bindings-node/lib").join(file);
    if env::var_os("BLESS").is_some() {
        fs::write(&path, expected).expect("the file can be written");
    }
    let found = fs::read_to_string(&path).unwrap_or_default();
    assert!(found == expected, "{} is not up to date: run this test with BLESS=1", path.display());
}

/// A text as a literal: JSON is JavaScript.
fn quoted(text: &str) -> String {
    serde_json::to_string(text).expect("a text is JSON")
}

#[test]
fn errors_js_is_the_table_of_codes() {
    let mut text = format!("{FIRST_LINE}\n'use strict'\n\nmodule.exports = Object.freeze({{\n");
    for code in ErrorCode::ALL {
        writeln!(text, "  {}: Object.freeze({{", code.name()).unwrap();
        writeln!(text, "    number: {},", *code as u16).unwrap();
        writeln!(text, "    status: {},", code.status()).unwrap();
        writeln!(text, "    class: {},", quoted(code.class().name())).unwrap();
        writeln!(text, "    message: {},", quoted(code.message())).unwrap();
        writeln!(text, "    meaning: {},", quoted(code.meaning().trim())).unwrap();
        text.push_str("  }),\n");
    }
    text.push_str("})\n");
    check("errors.js", &text);
}

#[test]
fn errors_d_ts_is_the_table_of_codes() {
    let mut classes: Vec<&str> = Vec::new();
    for code in ErrorCode::ALL {
        if !classes.contains(&code.class().name()) {
            classes.push(code.class().name());
        }
    }
    let mut text = format!("{FIRST_LINE}\n\n/** The codes of errors: the Table service's, and the store's own. */\n");
    text.push_str("export type ErrorCode =\n");
    for code in ErrorCode::ALL {
        writeln!(text, "  /** {} */\n  | {}", code.meaning().trim(), quoted(code.name())).unwrap();
    }
    text.push_str("\n/** The kinds of failure that have codes. */\nexport type ErrorClass =\n");
    for class in classes {
        writeln!(text, "  | {}", quoted(class)).unwrap();
    }
    check("errors.d.ts", &text);
}
