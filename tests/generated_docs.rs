//! `docs/errors.md` is made from the core's table of error codes.
//!
//! `BLESS=1 cargo test -p entable-tests --test generated_docs` rewrites it.

use entable::ErrorCode;
use std::fmt::Write;
use std::path::Path;

const HEAD: &str =
    "<!-- Generated from core/src/error/codes.rs by tests/generated_docs.rs (BLESS=1 rewrites it): do not edit. -->

# Errors

Every failure has one of these codes. Behind an error nothing is half-done: the operation, and the transaction that it
was part of, changed nothing; `OutcomeUnknown` alone leaves that open.

- *Number*: in C, `error code` as an integer. Never reused. Below 100 the codes are those of the Table service; from 100
  on they are the store's own.
- *Code*: the name in every language, spelled as the service does.
- *Status*: the HTTP status that the service answers with this code, for programs that look at it.
- *Class*: the kind of failure, for programs that do not care for more.
- *Text*: how the message begins. In transactions the operation's index and a colon come before it (`2:The specified
  …`), and one sentence with the facts comes after it. Never match on it.

Besides these, an error tells, each where it applies: table, PartitionKey, RowKey, property, limit and actual value,
position in a filter, index in a transaction. Numbers in parentheses are rules of [semantics.md](semantics.md).
";

/// The text of the whole page.
fn page() -> String {
    let mut page = HEAD.to_owned();
    let parts: [(&str, fn(u16) -> bool); 2] =
        [("Of the service", |code| code < 100), ("Of the store", |code| code >= 100)];
    for (title, is_part) in parts {
        write!(page, "\n## {title}\n\n").expect("a String takes all");
        page.push_str("| number | code | status | class | meaning | text |\n|---|---|---|---|---|---|\n");
        for code in ErrorCode::ALL.iter().filter(|code| is_part(**code as u16)) {
            let row = [
                (*code as u16).to_string(),
                format!("`{}`", code.name()),
                code.status().to_string(),
                code.class().name().to_owned(),
                code.meaning().trim().to_owned(),
                code.message().to_owned(),
            ];
            assert!(row.iter().all(|cell| !cell.contains(['|', '\n'])), "a cell of the table: {row:?}");
            writeln!(page, "| {} |", row.join(" | ")).expect("a String takes all");
        }
    }
    page
}

#[test]
fn the_page_of_errors_is_that_of_the_table() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/errors.md");
    let expected = page();
    if std::env::var_os("BLESS").is_some() {
        std::fs::write(&path, &expected).expect("the page");
    }
    let found = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(
        found == expected,
        "docs/errors.md is out of date: BLESS=1 cargo test -p entable-tests --test generated_docs"
    );
}
