//! `bindings-python/python/entable/_errors.py` is made from the core's table of error codes.
//!
//! `BLESS=1 cargo test -p entable-tests --test generated_python` rewrites it.

use entable::{Class, ErrorCode};
use std::fmt::Write;
use std::path::Path;
use std::{env, fs};

const PATH: &str = "../bindings-python/python/entable/_errors.py";

const HEAD: &str = r#"# Generated from the core's table of error codes: BLESS=1 cargo test -p entable-tests --test generated_python
"""Errors: the classes of the official client for Python, and those of the store itself."""

from __future__ import annotations

from typing import Any

from ._model import TextEnum

_FACTS = (
    "table",
    "partition_key",
    "row_key",
    "property",
    "limit",
    "actual",
    "position",
    "index",
    "line",
    "loaded_line",
    "index_name",
    "holder",
)


class EntableError(Exception):
    """Whatever the store refuses or fails at. Nothing is half-done behind it."""

    message: str
    """The service's text, then one sentence with the facts; in a transaction the operation's index before it."""
    error_code: TableErrorCode | None
    status_code: int | None
    """The HTTP status that the service answers with this code."""
    error_class: str | None
    """The kind of failure, as every language calls it."""
    table: str | None
    partition_key: str | None
    row_key: str | None
    property: str | None
    limit: int | None
    """The limit that was passed, in the unit of its rule."""
    actual: int | None
    """What was met instead, in the same unit."""
    position: int | None
    """Where in the text of a filter, in characters from 0."""
    index: int | None
    """Which operation of a transaction, from 0."""
    line: int | None
    """Which line of an import, from 1."""
    loaded_line: int | None
    """Of an import that ended: the last line that is loaded; 0 if none is."""
    index_name: str | None
    """The index of the table that refuses."""
    holder: tuple[str, str] | None
    """The PartitionKey and RowKey of another entity that is in the way."""

    def __init__(
        self,
        message: str = "",
        *,
        error_code: TableErrorCode | None = None,
        status_code: int | None = None,
        error_class: str | None = None,
        **facts: Any,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.error_code = error_code
        self.status_code = status_code
        self.error_class = error_class
        for name in _FACTS:
            setattr(self, name, facts.get(name))

    def __str__(self) -> str:
        return f"{self.message}\nErrorCode:{self.error_code.value}" if self.error_code else self.message


class HttpResponseError(EntableError):
    """What the service would answer to the call."""


class ResourceExistsError(HttpResponseError):
    """There is a table, or an entity, of that name or key."""


class ResourceNotFoundError(HttpResponseError):
    """There is no such table, entity or file."""


class ResourceModifiedError(HttpResponseError):
    """The entity is another version than the condition asks for."""


class InvalidInputError(HttpResponseError, ValueError):
    """A name, a value, a filter, a condition or a token is malformed."""


class TableTransactionError(HttpResponseError):
    """An operation of a transaction failed, and so nothing of it was done. ``index`` tells which."""


class InvalidTransactionError(TableTransactionError, ValueError):
    """A transaction, or what one of its operations holds, is malformed."""


class RequestTooLargeError(TableTransactionError):
    """A transaction is too large."""


class StoreError(EntableError):
    """The store itself failed, whatever was asked of it."""


class StoreBusyError(StoreError):
    """Another process or thread is in the way; trying again later may help."""


class StoreClosedError(StoreError):
    """The store is closed."""


class StoreForkedError(StoreError):
    """The store was opened by the parent process: open it again."""


class StoreFullError(StoreError):
    """The disk, or the store's quota, is full."""


class StoreDamagedError(StoreError):
    """The file is damaged, or is no store."""


class StoreIOError(StoreError):
    """The operating system refused a file operation."""


class NewerFormatError(StoreError):
    """The file was written by a newer version."""


class OperationCancelledError(StoreError):
    """The caller gave up before the operation began."""


class InternalError(StoreError):
    """A defect of the store."""


class TableErrorCode(TextEnum):
    """The codes of errors, as the service spells them, and the store's own."""

"#;

const TAIL: &str = r#"

def _make_error(code: str, message: str, in_transaction: bool, facts: dict[str, Any]) -> EntableError:
    """The exception for an error of the core."""
    status, error_class = _TABLE[code]
    class_ = _CLASSES[error_class]
    if in_transaction:
        class_ = _CLASSES_IN_TRANSACTIONS.get(error_class, class_)
        if code == TableErrorCode.REQUEST_BODY_TOO_LARGE:
            class_ = RequestTooLargeError
        if facts["index"] is None and issubclass(class_, TableTransactionError):
            # As the client says it of an error of the whole transaction.
            facts["index"] = 0
    return class_(message, error_code=TableErrorCode(code), status_code=status, error_class=error_class, **facts)


def _of_operation(error: EntableError, index: int) -> EntableError:
    """The error of a transaction for an operation that cannot be made of what was handed in."""
    assert error.error_code
    facts = {name: getattr(error, name) for name in _FACTS}
    return _make_error(error.error_code.value, f"{index}:{error.message}", True, facts | {"index": index})
"#;

const CLASSES: &[Class] = &[
    Class::Exists,
    Class::NotFound,
    Class::Modified,
    Class::Invalid,
    Class::TooLarge,
    Class::NotSupported,
    Class::Busy,
    Class::Cancelled,
    Class::Closed,
    Class::Forked,
    Class::Full,
    Class::NewerFormat,
    Class::Corrupt,
    Class::Io,
    Class::Internal,
];

/// The exception for a class of errors, and the one in a transaction where that is another.
fn exceptions(class: Class) -> (&'static str, Option<&'static str>) {
    let in_transaction = Some("TableTransactionError");
    match class {
        Class::Exists => ("ResourceExistsError", in_transaction),
        Class::NotFound => ("ResourceNotFoundError", in_transaction),
        Class::Modified => ("ResourceModifiedError", in_transaction),
        Class::Invalid => ("InvalidInputError", Some("InvalidTransactionError")),
        Class::TooLarge | Class::NotSupported => ("HttpResponseError", in_transaction),
        Class::Busy => ("StoreBusyError", None),
        Class::Cancelled => ("OperationCancelledError", None),
        Class::Closed => ("StoreClosedError", None),
        Class::Forked => ("StoreForkedError", None),
        Class::Full => ("StoreFullError", None),
        Class::NewerFormat => ("NewerFormatError", None),
        Class::Corrupt => ("StoreDamagedError", None),
        Class::Io => ("StoreIOError", None),
        Class::Internal => ("InternalError", None),
    }
}

/// `EntityAlreadyExists` as `ENTITY_ALREADY_EXISTS`: the client's spelling.
fn constant_name(code: &str) -> String {
    let mut name = String::new();
    for c in code.chars() {
        if c.is_ascii_uppercase() && !name.is_empty() {
            name.push('_');
        }
        name.push(c.to_ascii_uppercase());
    }
    name
}

fn generate() -> String {
    let mut out = HEAD.to_owned();
    let mut line = |text: String| writeln!(out, "{text}").expect("a String takes everything");
    for code in ErrorCode::ALL {
        line(format!("    {} = {:?}", constant_name(code.name()), code.name()));
        line(format!("    \"\"\"{}\"\"\"", code.meaning().trim()));
    }
    line("\n\n_TABLE: dict[str, tuple[int, str]] = {".into());
    for code in ErrorCode::ALL {
        line(format!("    {:?}: ({}, {:?}),", code.name(), code.status(), code.class().name()));
    }
    line("}\n\"\"\"Status and class of each code.\"\"\"\n\n_CLASSES: dict[str, type[EntableError]] = {".into());
    for class in CLASSES {
        line(format!("    {:?}: {},", class.name(), exceptions(*class).0));
    }
    line("}\n\n_CLASSES_IN_TRANSACTIONS: dict[str, type[EntableError]] = {".into());
    for class in CLASSES {
        if let Some(exception) = exceptions(*class).1 {
            line(format!("    {:?}: {exception},", class.name()));
        }
    }
    line("}".into());
    out + TAIL
}

#[test]
fn the_python_errors_are_those_of_the_core() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(PATH);
    let generated = generate();
    if env::var_os("BLESS").is_some_and(|bless| bless == "1") {
        fs::write(&path, &generated).expect("the file of errors is written");
    }
    let committed = fs::read_to_string(&path).expect("the file of errors is there");
    assert!(committed == generated, "{PATH} is out of date: run this test with BLESS=1");
}

#[test]
fn every_code_has_a_class_that_has_an_exception() {
    for code in ErrorCode::ALL {
        assert!(CLASSES.contains(&code.class()), "{}", code.name());
    }
}
