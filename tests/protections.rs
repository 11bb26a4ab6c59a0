//! The list of `sabotage.toml`: what protects the data, as edits that take it away.

use std::path::{Path, PathBuf};

/// A protection, and how it is taken away.
#[derive(Clone, Debug, Default)]
pub struct Protection {
    /// What is protected, in one sentence.
    pub what: String,
    /// The file, from the root of the repository.
    pub file: String,
    /// What stands in it once.
    pub find: String,
    /// What is put in its place.
    pub replace: String,
    /// A file of tests, or `lib` or `loom`, and what its cases are chosen by.
    pub test: String,
}

/// The root of the repository.
///
/// # Panics
/// Not in a checkout.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the workspace").to_owned()
}

/// Reads the list. It uses a small part of TOML, and nothing else is taken.
///
/// # Panics
/// On what is not of that part.
pub fn read() -> Vec<Protection> {
    let text = std::fs::read_to_string(root().join("tests/sabotage.toml")).expect("the list");
    let mut protections: Vec<Protection> = Vec::new();
    let mut rest = text.as_str();
    while !rest.is_empty() {
        let (line, after) = rest.split_once('\n').unwrap_or((rest, ""));
        rest = after;
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        if line == "[[sabotage]]" {
            protections.push(Protection::default());
            continue;
        }
        let (name, value) = line.split_once(" = ").unwrap_or_else(|| panic!("{line:?}: name = value"));
        let value = if let Some(first) = value.strip_prefix("'''") {
            assert_eq!(first, "", "{line:?}: the text begins on the next line");
            let (value, after) = rest.split_once("'''\n").expect("the end of the text");
            rest = after;
            value
        } else {
            let quoted = |quote| value.strip_prefix(quote).and_then(|value| value.strip_suffix(quote));
            quoted('"').or_else(|| quoted('\'')).unwrap_or_else(|| panic!("{line:?}: a text in quotes"))
        };
        let protection = protections.last_mut().expect("a table first");
        let field = match name {
            "what" => &mut protection.what,
            "file" => &mut protection.file,
            "find" => &mut protection.find,
            "replace" => &mut protection.replace,
            "test" => &mut protection.test,
            other => panic!("{other:?} is none of the fields"),
        };
        *field = value.to_owned();
    }
    protections
}

impl Protection {
    /// The file's text without the protection.
    ///
    /// # Errors
    /// A sentence, if what is to be taken away does not stand there once.
    pub fn taken_away(&self, text: &str) -> Result<String, String> {
        match text.matches(&self.find).count() {
            1 => Ok(text.replacen(&self.find, &self.replace, 1)),
            count => Err(format!("{}: {:?} stands {count} times in {}", self.what, self.find, self.file)),
        }
    }

    /// What `cargo test` is told, to run the test.
    pub fn arguments(&self) -> Vec<&str> {
        let (target, cases) = self.test.split_once(' ').unwrap_or((&self.test, ""));
        let mut arguments = match target {
            "lib" => vec!["--package", "entable", "--lib"],
            "loom" => vec!["--package", "entable-loom"],
            target => vec!["--package", "entable-tests", "--test", target],
        };
        arguments.extend(Some(cases).filter(|cases| !cases.is_empty()));
        arguments
    }
}
