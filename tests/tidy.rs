//! What reviewers would have to look for by hand: layers, `unsafe`, generated files, dependencies, lengths.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;

/// The layers of the core, lowest first. A module may use the lines before its own, and what stands before it on
/// its own line; where a line is marked `Apart`, nothing of it.
const LAYERS: [(Line, &[&str]); 6] = [
    (Line::LeftToRight, &["limits", "error", "model"]),
    (Line::Apart, &["keys", "codec", "filter", "storage", "serde"]),
    (Line::LeftToRight, &["index", "feed", "relation", "catalog"]),
    (Line::LeftToRight, &["plan", "write"]),
    (Line::LeftToRight, &["snapshot", "group", "query", "batch", "maintain", "patterns"]),
    // One face in several files: a store gives tables, a table knows its store.
    (
        Line::OneFace,
        &[
            "changes",
            "entities",
            "join",
            "projection",
            "relations",
            "table",
            "store",
            "transaction",
            "upkeep",
            "transfer",
        ],
    ),
];

#[derive(Clone, Copy, PartialEq)]
enum Line {
    LeftToRight,
    Apart,
    OneFace,
}

/// Where `unsafe` may stand, and for what.
const UNSAFE: [(&str, &str); 15] = [
    ("core/src/storage/env.rs", "opens maps, watches forks, keeps a snapshot's transaction with its environment"),
    ("core/src/storage/leaf.rs", "reads LMDB's leaf pages in place"),
    (
        "core/src/storage/system.rs",
        "asks the system for kinds of file systems, locks of bytes, names that nobody has, room",
    ),
    ("core/src/storage/tests.rs", "forks"),
    ("bench/", "measures what unsafe code would gain; nothing of it is shipped"),
    ("bindings-c/", "the boundary: pointers come from C"),
    ("bindings-python/src/convert/raw.rs", "makes objects by Python's C API, for every entity that is read"),
    ("tests/bin/damaged_read.rs", "maps a file with heed, to be compared with the store"),
    ("tests/bin/bare_put.rs", "maps a file with heed, to be compared with the store"),
    ("tests/cycles.rs", "asks the allocator what it gave"),
    ("tests/fork.rs", "forks"),
    ("tests/full_disk.rs", "limits the size of files"),
    ("tests/codes.rs", "forks, and limits the size of files"),
    ("tests/places.rs", "takes the lock of a byte, as a process of another pid namespace has it"),
    ("tests/writes.rs", "maps a store's file with heed, to read its bytes"),
];

/// Files that a test makes, and the test.
const GENERATED: [(&str, &str); 7] = [
    ("docs/errors.md", "tests/generated_docs.rs"),
    ("bindings-c/cxx/include/entable/codes.hpp", "tests/generated_c.rs"),
    ("bindings-c/include/entable.h", "bindings-c/tests/header.rs"),
    ("bindings-c/src/codes.rs", "tests/generated_c.rs"),
    ("bindings-node/lib/errors.d.ts", "tests/generated_node.rs"),
    ("bindings-node/lib/errors.js", "tests/generated_node.rs"),
    ("bindings-python/python/entable/_errors.py", "tests/generated_python.rs"),
];

/// Beyond this look for the second module inside.
const LINES: usize = 800;

/// Licences under which everything may be shipped with everything.
const LICENCES: [&str; 12] = [
    "0BSD",
    "Apache-2.0",
    "Apache-2.0 WITH LLVM-exception",
    "BSD-2-Clause",
    "BSD-3-Clause",
    "BSL-1.0",
    "CC0-1.0",
    "ISC",
    "MIT",
    "Unicode-3.0",
    "Unlicense",
    "Zlib",
];

/// What may have another one, and why.
const OTHER_LICENCES: [(&str, &str, &str); 1] =
    [("cbindgen", "MPL-2.0", "a tool of the tests: nothing of it is shipped")];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the workspace").to_owned()
}

/// Path and text of every tracked file that is text.
fn tracked() -> Vec<(String, String)> {
    let output = Command::new("git").args(["ls-files", "-z"]).current_dir(root()).output().expect("git");
    assert!(output.status.success(), "the tests of the repository's files need the repository");
    let names = String::from_utf8(output.stdout).expect("UTF-8");
    let names = names.split_terminator('\0').map(str::to_owned);
    let files: Vec<_> =
        names.filter_map(|name| Some((std::fs::read_to_string(root().join(&name)).ok()?, name))).collect();
    assert!(files.len() > 50, "the files of the repository");
    files.into_iter().map(|(text, name)| (name, text)).collect()
}

fn assert_none(failures: Vec<String>) {
    assert!(failures.is_empty(), "\n{}", failures.join("\n"));
}

/// Rust code without comments and without the inline module of unit tests.
fn code(text: &str) -> String {
    let text = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
    let without = |line: &str| match line.split_once("//") {
        // An address in a string is no comment.
        Some((before, _)) if !before.ends_with(':') => before.to_owned(),
        _ => line.to_owned(),
    };
    text.lines().map(without).collect::<Vec<_>>().join("\n")
}

#[test]
fn modules_of_the_core_use_lower_layers_only() {
    let files = tracked();
    let core: Vec<_> = files.iter().filter_map(|(name, text)| Some((name.strip_prefix("core/src/")?, text))).collect();
    let lib = core.iter().find(|(name, _)| *name == "lib.rs").expect("lib.rs").1;
    let exports = exports(lib);
    let mut failures = Vec::new();
    let mut edges = BTreeMap::<(String, String), usize>::new();
    for (name, text) in &core {
        if *name == "lib.rs" || name.split('/').any(|part| part == "tests" || part == "tests.rs") {
            continue;
        }
        let module = name.split('/').next().unwrap_or_default().trim_end_matches(".rs");
        for used in uses(name, &code(text)) {
            let used = exports.get(used.as_str()).cloned().unwrap_or(used);
            if used == module {
                continue;
            }
            *edges.entry((module.to_owned(), used.clone())).or_default() += 1;
            if let Err(failure) = check_layers(module, &used) {
                failures.push(format!("core/src/{name}: {failure}"));
            }
        }
    }
    println!("{} edges between modules of the core", edges.len());
    assert!(edges.len() > 20, "the uses were found: {edges:?}");
    assert_none(failures);
}

/// The module that each public name of the crate comes from.
fn exports(lib: &str) -> BTreeMap<String, String> {
    let mut exports = BTreeMap::from([("entity".to_owned(), "model".to_owned())]);
    for line in code(lib).split(';') {
        let Some((_, path)) = line.split_once("pub use ") else { continue };
        let path = path.trim().trim_start_matches("self::");
        let module = path.split("::").next().unwrap_or_default();
        for name in path.split(|c: char| !(c.is_alphanumeric() || c == '_')).filter(|name| !name.is_empty()) {
            exports.insert(name.to_owned(), module.to_owned());
        }
    }
    assert!(exports.get("ErrorCode").is_some_and(|module| module == "error"), "{exports:?}");
    exports
}

/// What a file names right below the crate's root.
fn uses(file: &str, code: &str) -> Vec<String> {
    // `super` from a module at the top is the root, too.
    let parts: Vec<&str> = file.trim_end_matches(".rs").split('/').filter(|part| *part != "mod").collect();
    let root = ["crate::".to_owned(), "super::".repeat(parts.len())];
    let mut found = Vec::new();
    for root in &root {
        for (at, _) in code.match_indices(root.as_str()) {
            let before = code[..at].chars().next_back();
            if before.is_some_and(|c| c.is_alphanumeric() || c == '_' || c == ':' || c == '$') {
                continue;
            }
            found.extend(first_names(&code[at + root.len()..]));
        }
    }
    found.retain(|name| name != "self" && name != "super");
    found
}

/// The first name of a path, or of each path of a group in braces.
fn first_names(path: &str) -> Vec<String> {
    let name = |text: &str| text.trim().chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect::<String>();
    let Some(group) = path.strip_prefix('{') else { return vec![name(path)] };
    let (mut depth, mut start, mut names) = (0, 0, Vec::new());
    for (at, c) in group.char_indices() {
        match c {
            '{' => depth += 1,
            '}' if depth > 0 => depth -= 1,
            ',' if depth == 0 => {
                names.push(name(&group[start..at]));
                start = at + 1;
            }
            '}' => {
                names.push(name(&group[start..at]));
                break;
            }
            _ => {}
        }
    }
    names.retain(|name| !name.is_empty());
    names
}

fn check_layers(module: &str, used: &str) -> Result<(), String> {
    let place = |name: &str| {
        LAYERS
            .iter()
            .enumerate()
            .find_map(|(line, (kind, modules))| Some((line, modules.iter().position(|known| *known == name)?, *kind)))
    };
    let (line, at, kind) = place(module).ok_or(format!("the layers have no module {module}"))?;
    let (used_line, used_at, _) = place(used).ok_or(format!("the layers have no module {used}"))?;
    let is_allowed = match used_line.cmp(&line) {
        std::cmp::Ordering::Less => true,
        std::cmp::Ordering::Greater => false,
        std::cmp::Ordering::Equal => match kind {
            Line::LeftToRight => used_at < at,
            Line::Apart => false,
            Line::OneFace => true,
        },
    };
    if is_allowed { Ok(()) } else { Err(format!("{module} may not use {used}")) }
}

#[test]
fn the_check_of_layers_sees_what_it_should() {
    let check = |file: &str, code_text: &str, expected: &[&str]| {
        assert_eq!(uses(file, &code(code_text)), expected, "{code_text}");
    };
    check("write/op.rs", "use crate::limits::Mode;", &["limits"]);
    check("write/op.rs", "use crate::{Error, model::{self, Guid}, plan};", &["Error", "model", "plan"]);
    check("write/op.rs", "let x = crate::store::open(); // crate::table", &["store"]);
    check("write/op.rs", "use super::apply;", &[]);
    check("write/op.rs", "use super::super::table;", &["table"]);
    check("write/mod.rs", "use super::table;", &["table"]);
    check("store.rs", "use super::table;", &["table"]);
    check("write/op.rs", "$crate::Entity::new()", &[]);
    for (module, used, is_allowed) in [
        ("write", "codec", true),
        ("codec", "write", false),
        ("codec", "storage", false),
        ("error", "limits", true),
        ("limits", "error", false),
        ("table", "store", true),
        ("query", "table", false),
        ("query", "nothing_of_that_name", false),
    ] {
        assert_eq!(check_layers(module, used).is_ok(), is_allowed, "{module} uses {used}");
    }
}

#[test]
fn unsafe_stands_in_named_files_only() {
    let mut failures = Vec::new();
    for (name, text) in tracked() {
        if !name.ends_with(".rs") || name == "tests/tidy.rs" {
            continue;
        }
        let code = text.lines().map(|line| line.split("//").next().unwrap_or_default());
        let words = code.flat_map(|line| line.split(|c: char| !(c.is_alphanumeric() || c == '_')));
        let has_unsafe = words.into_iter().any(|word| word == "unsafe");
        if has_unsafe && !UNSAFE.iter().any(|(place, _)| name.starts_with(place)) {
            failures.push(format!("{name}: unsafe, but it is not in the list of tests/tidy.rs"));
        }
    }
    assert_none(failures);
}

#[test]
fn generated_files_say_so_and_have_their_test() {
    let files: BTreeMap<_, _> = tracked().into_iter().collect();
    let mut failures = Vec::new();
    for (name, text) in &files {
        let says = text.lines().next().is_some_and(|line| line.contains("Generated ") || line.contains("Generated:"));
        let test = GENERATED.iter().find(|(path, _)| path == name).map(|(_, test)| test);
        match (says, test) {
            (true, None) => failures.push(format!("{name} is generated: by which test?")),
            (false, Some(_)) => failures.push(format!("{name} is generated, and does not say so in its first line")),
            (true, Some(test)) if !files.contains_key(*test) => failures.push(format!("{name}: there is no {test}")),
            _ => {}
        }
    }
    assert_none(failures);
}

#[test]
fn no_file_knows_the_machine_it_was_written_on_or_puts_things_off() {
    // In parts, so that this file does not find itself.
    let bans = [
        (["/wo", "rk/"], "a path of a machine"),
        (["/ro", "ot/"], "a path of a machine"),
        (["/ho", "me/"], "a path of a machine"),
        (["TO", "DO"], "do it, or write down why not"),
        (["FIX", "ME"], "fix it, or write down why not"),
    ];
    let mut failures = Vec::new();
    for (name, text) in tracked() {
        for (number, line) in text.lines().enumerate() {
            for (parts, why) in &bans {
                if line.contains(&parts.concat()) {
                    failures.push(format!("{name}:{}: {}: {why}", number + 1, parts.concat()));
                }
            }
        }
    }
    assert_none(failures);
}

#[test]
fn files_are_not_too_long() {
    let is_code = |name: &str| {
        [".rs", ".c", ".h", ".cc", ".hpp", ".py", ".pyi", ".js", ".ts", ".mjs", ".md"]
            .iter()
            .any(|end| name.ends_with(end))
    };
    let mut failures = Vec::new();
    for (name, text) in tracked() {
        let lines = text.lines().count();
        let is_generated = GENERATED.iter().any(|(path, _)| *path == name);
        if is_code(&name) && !is_generated && lines > LINES {
            failures.push(format!("{name} has {lines} lines, more than {LINES}"));
        }
    }
    assert_none(failures);
}

/// What cargo knows of the workspace: from its lock file, without a network.
fn metadata() -> serde_json::Value {
    let output = Command::new(env!("CARGO"))
        .args(["metadata", "--format-version", "1", "--locked", "--offline"])
        .current_dir(root())
        .output()
        .expect("cargo");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).expect("JSON")
}

#[test]
fn every_direct_dependency_has_its_reason() {
    let text = std::fs::read_to_string(root().join("docs/decisions/0001-dependencies.md")).expect("the decision");
    // Rows of the table: crate, who uses it, why, its licence, who keeps it.
    let (mut listed, mut licences) = (BTreeMap::new(), BTreeMap::new());
    for line in text.lines().filter(|line| line.starts_with("| `")) {
        let cells: Vec<&str> = line.trim_matches('|').split('|').map(str::trim).collect();
        let [name, users, why, licence, keeper] = &cells[..] else { panic!("{line}: five cells") };
        assert!(why.len() > 20, "{name}: a reason is a sentence");
        assert!(!keeper.is_empty(), "{name}: somebody keeps it");
        let users: BTreeSet<&str> = users.split(", ").collect();
        listed.insert(name.trim_matches('`'), users);
        licences.insert(name.trim_matches('`').to_owned(), (*licence).to_owned());
    }
    let metadata = metadata();
    let packages = metadata["packages"].as_array().expect("packages");
    let members: Vec<_> = packages.iter().filter(|package| package["source"].is_null()).collect();
    let names: BTreeSet<&str> = members.iter().map(|member| member["name"].as_str().expect("a name")).collect();
    let mut failures = Vec::new();
    for member in &members {
        let user = member["name"].as_str().expect("a name");
        let used = member["dependencies"].as_array().expect("dependencies").iter();
        let used: BTreeSet<&str> = used.map(|used| used["name"].as_str().expect("a name")).collect();
        let used: BTreeSet<&str> = used.difference(&names).copied().collect();
        let reasoned = listed.iter().filter(|(_, users)| users.contains(user)).map(|(name, _)| *name);
        let reasoned: BTreeSet<&str> = reasoned.collect();
        failures.extend(used.difference(&reasoned).map(|name| format!("{user} uses {name}: why?")));
        failures.extend(reasoned.difference(&used).map(|name| format!("{user} does not use {name} any more")));
    }
    for package in packages {
        let (name, licence) = (package["name"].as_str().expect("a name"), package["license"].as_str());
        if let Some(stated) = licences.get(name)
            && Some(stated.as_str()) != licence
        {
            failures.push(format!("{name} is licensed as {licence:?}, the table says {stated}"));
        }
    }
    println!("{} crates of the workspace, {} dependencies with a reason", members.len(), listed.len());
    assert_none(failures);
}

#[test]
fn every_licence_below_is_one_of_the_list() {
    let metadata = metadata();
    let packages = metadata["packages"].as_array().expect("packages");
    let mut failures = Vec::new();
    for package in packages {
        let name = package["name"].as_str().expect("a name");
        let licence = package["license"].as_str().unwrap_or("none");
        let is_other = OTHER_LICENCES.iter().any(|(known, other, _)| (*known, *other) == (name, licence));
        if !is_other && !is_allowed(licence) {
            failures.push(format!("{name}: {licence}"));
        }
    }
    println!("{} packages", packages.len());
    assert_none(failures);
}

/// Whether an SPDX expression leaves a choice that the list allows. Parentheses stand around whole terms of an AND.
fn is_allowed(expression: &str) -> bool {
    let terms = split_outside(expression, " AND ");
    if terms.len() > 1 {
        return terms.into_iter().all(is_allowed);
    }
    let expression = expression.trim();
    let inner = expression.strip_prefix('(').and_then(|rest| rest.strip_suffix(')'));
    match inner {
        Some(inner) => is_allowed(inner),
        None => expression.replace('/', " OR ").split(" OR ").any(|licence| LICENCES.contains(&licence.trim())),
    }
}

fn split_outside<'a>(text: &'a str, separator: &str) -> Vec<&'a str> {
    let is_outside = |at: &usize| text[..*at].matches('(').count() == text[..*at].matches(')').count();
    let mut parts = Vec::new();
    let mut start = 0;
    for at in text.match_indices(separator).map(|(at, _)| at).filter(is_outside) {
        parts.push(&text[start..at]);
        start = at + separator.len();
    }
    parts.push(&text[start..]);
    parts
}

#[test]
fn licence_expressions_are_read_right() {
    for (expression, expected) in [
        ("MIT", true),
        ("MIT/Apache-2.0", true),
        ("GPL-3.0", false),
        ("GPL-3.0 OR MIT", true),
        ("(MIT OR Apache-2.0) AND Unicode-3.0", true),
        ("(MIT OR Apache-2.0) AND GPL-3.0", false),
        ("Apache-2.0 WITH LLVM-exception OR GPL-2.0", true),
        ("none", false),
    ] {
        assert_eq!(is_allowed(expression), expected, "{expression}");
    }
}
