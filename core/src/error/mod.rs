//! The one error type: a code of the table, the facts that a caller needs, and a sentence that says them.

mod codes;

pub use codes::{Class, ErrorCode};
use std::fmt;

/// What every fallible call of the store returns.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Why an operation was not done.
///
/// Nothing is half-done behind an error: the operation, and the group it was part of, changed nothing
/// (but see [`ErrorCode::OutcomeUnknown`]).
///
/// # Example
/// ```
/// use entable::{entity, ErrorCode, Store};
/// let store = Store::in_memory()?;
/// let orders = store.create_table("Orders")?;
/// orders.create_entity(entity! { "DE", "0001" })?;
/// let error = orders.create_entity(entity! { "DE", "0001" }).unwrap_err();
/// assert_eq!(error.code(), ErrorCode::EntityAlreadyExists);
/// assert_eq!((error.status(), error.details().row_key.as_deref()), (409, Some("0001")));
/// # Ok::<(), entable::Error>(())
/// ```
pub struct Error(Box<Inner>);

struct Inner {
    code: ErrorCode,
    /// Replaces the code's own text where the service has a longer form (S4.2.5, S1.2.6).
    text: Option<String>,
    fact: Option<String>,
    details: Details,
    source: Option<Box<dyn std::error::Error + Send + Sync>>,
}

/// The facts of an error, each where it applies.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Details {
    /// The table, as the caller named it.
    pub table: Option<Box<str>>,
    /// The PartitionKey of the entity.
    pub partition_key: Option<Box<str>>,
    /// The RowKey of the entity.
    pub row_key: Option<Box<str>>,
    /// The property: a custom one, or `PartitionKey`, `RowKey`, `Timestamp`.
    pub property: Option<Box<str>>,
    /// The limit that was passed, in the unit of its rule.
    pub limit: Option<u64>,
    /// What was met instead, in the unit of `limit`.
    pub actual: Option<u64>,
    /// Where in a filter's text, in characters from 0.
    pub position: Option<usize>,
    /// Which operation of a transaction, from 0.
    pub index: Option<usize>,
    /// Which line of an import, from 1.
    pub line: Option<u64>,
    /// Of an import that ended: the last line that is loaded; 0 if none is.
    pub loaded_line: Option<u64>,
    /// The index of the table that refuses.
    pub index_name: Option<Box<str>>,
    /// The relation that refuses.
    pub relation: Option<Box<str>>,
    /// The PartitionKey and RowKey of another entity that is in the way.
    pub holder: Option<(Box<str>, Box<str>)>,
}

impl Details {
    /// The facts as a sentence, where nobody has written a better one.
    fn write_sentence(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let named = [
            ("table", &self.table),
            ("index", &self.index_name),
            ("relation", &self.relation),
            ("PartitionKey", &self.partition_key),
            ("RowKey", &self.row_key),
            ("property", &self.property),
        ];
        let mut parts: Vec<String> =
            named.iter().filter_map(|(what, name)| Some(format!("{what} '{}'", shown(name.as_deref()?)))).collect();
        parts.extend(self.limit.map(|limit| format!("limit {limit}")));
        parts.extend(self.actual.map(|actual| format!("actual {actual}")));
        if parts.is_empty() { Ok(()) } else { write!(f, " It is about {}.", parts.join(", ")) }
    }
}

/// A name as a message shows it: on one line, and not longer than any legal one.
fn shown(name: &str) -> String {
    const MOST: usize = 1024;
    let mut text: String = name.chars().take(MOST).flat_map(char::escape_debug).collect();
    if name.chars().nth(MOST).is_some() {
        text.push('…');
    }
    text
}

impl Error {
    /// An error of this code without facts.
    pub fn new(code: ErrorCode) -> Error {
        Error(Box::new(Inner { code, text: None, fact: None, details: Details::default(), source: None }))
    }

    /// An [`ErrorCode::InvalidInput`] with the sentence that says what is wrong.
    pub(crate) fn invalid(fact: impl Into<String>) -> Error {
        Error::new(ErrorCode::InvalidInput).fact(fact)
    }

    /// An [`ErrorCode::Damaged`] that says which bytes contradict which.
    pub(crate) fn damaged(fact: impl Into<String>) -> Error {
        Error::new(ErrorCode::Damaged).fact(fact)
    }

    pub(crate) fn text(mut self, text: impl Into<String>) -> Error {
        self.0.text = Some(text.into());
        self
    }

    pub(crate) fn fact(mut self, fact: impl Into<String>) -> Error {
        self.0.fact = Some(fact.into());
        self
    }

    /// Names the file, unless what has been said names it already.
    pub(crate) fn in_file(mut self, path: &std::path::Path) -> Error {
        let path = path.display().to_string();
        self.0.fact = Some(match self.0.fact.take() {
            Some(fact) if fact.contains(&path) => fact,
            Some(fact) => format!("{fact} The path is {path}."),
            None => format!("The path is {path}."),
        });
        self
    }

    pub(crate) fn table(mut self, table: &str) -> Error {
        self.0.details.table.get_or_insert_with(|| table.into());
        self
    }

    pub(crate) fn keys(mut self, partition_key: &str, row_key: &str) -> Error {
        let details = &mut self.0.details;
        details.partition_key.get_or_insert_with(|| partition_key.into());
        details.row_key.get_or_insert_with(|| row_key.into());
        self
    }

    pub(crate) fn property(mut self, property: &str) -> Error {
        self.0.details.property.get_or_insert_with(|| property.into());
        self
    }

    pub(crate) fn limit(mut self, limit: usize, actual: usize) -> Error {
        self.0.details.limit = Some(limit as u64);
        self.0.details.actual = Some(actual as u64);
        self
    }

    pub(crate) fn position(mut self, position: usize) -> Error {
        self.0.details.position = Some(position);
        self
    }

    pub(crate) fn index(mut self, index: usize) -> Error {
        self.0.details.index = Some(index);
        self
    }

    /// The same error of one operation that stands for itself.
    pub(crate) fn without_index(mut self) -> Error {
        self.0.details.index = None;
        self
    }

    pub(crate) fn line(mut self, line: u64, loaded_line: u64) -> Error {
        let details = &mut self.0.details;
        details.line.get_or_insert(line);
        details.loaded_line.get_or_insert(loaded_line);
        self
    }

    pub(crate) fn index_name(mut self, name: &str) -> Error {
        self.0.details.index_name = Some(name.into());
        self
    }

    pub(crate) fn relation(mut self, name: &str) -> Error {
        self.0.details.relation = Some(name.into());
        self
    }

    pub(crate) fn holder(mut self, partition_key: &str, row_key: &str) -> Error {
        self.0.details.holder = Some((partition_key.into(), row_key.into()));
        self
    }

    pub(crate) fn caused_by(mut self, source: impl std::error::Error + Send + Sync + 'static) -> Error {
        self.0.source = Some(Box::new(source));
        self
    }

    /// The code: match on it, not on the text.
    pub fn code(&self) -> ErrorCode {
        self.0.code
    }

    /// The kind of failure.
    pub fn class(&self) -> Class {
        self.0.code.class()
    }

    /// The HTTP status that the service answers with this code.
    pub fn status(&self) -> u16 {
        self.0.code.status()
    }

    /// The facts: table, keys, property, limit, actual value, position.
    pub fn details(&self) -> &Details {
        &self.0.details
    }

    /// The whole message: in transactions the operation's index and a colon, then the service's text,
    /// then one sentence with our facts.
    pub fn message(&self) -> String {
        self.to_string()
    }

    /// The sentence with our facts; without one the whole message.
    pub(crate) fn fact_or_message(&self) -> String {
        self.0.fact.clone().unwrap_or_else(|| self.to_string())
    }

    /// The same failure again, for each caller whose group shared one commit.
    #[must_use]
    pub fn duplicate(&self) -> Error {
        let Inner { code, text, fact, details, source } = &*self.0;
        let fact = match (fact, source) {
            (Some(fact), _) => Some(fact.clone()),
            (None, Some(source)) => Some(source.to_string()),
            (None, None) => None,
        };
        Error(Box::new(Inner { code: *code, text: text.clone(), fact, details: details.clone(), source: None }))
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Inner { code, text, fact, details, source } = &*self.0;
        if let Some(index) = details.index {
            write!(f, "{index}:")?;
        }
        if let Some(line) = details.line {
            write!(f, "line {line}: ")?;
        }
        f.write_str(text.as_deref().unwrap_or(code.message()))?;
        match fact {
            Some(fact) => write!(f, " {fact}")?,
            None => details.write_sentence(f)?,
        }
        if let Some(source) = source {
            write!(f, " ({source})")?;
        }
        match details.loaded_line {
            Some(0) => f.write_str(" Nothing is loaded."),
            Some(line) => write!(f, " The lines up to {line} are loaded."),
            None => Ok(()),
        }
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Error")
            .field("code", &self.0.code)
            .field("message", &self.to_string())
            .field("details", &self.0.details)
            .finish()
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.0.source.as_deref().map(|source| source as _)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_tells_the_facts_where_no_sentence_does() {
        let check = |error: Error, expected: &str| assert_eq!(error.message(), expected);
        let exists = || Error::new(ErrorCode::EntityAlreadyExists);
        check(exists(), "The specified entity already exists.");
        check(
            exists().table("Orders").keys("DE", "a\nb").index(3),
            "3:The specified entity already exists. It is about table 'Orders', PartitionKey 'DE', RowKey 'a\\nb'.",
        );
        check(exists().table("Orders").fact("So it is."), "The specified entity already exists. So it is.");
        let long = "é".repeat(2000);
        let message = Error::new(ErrorCode::PropertyNameTooLong).property(&long).limit(255, 2000).message();
        assert!(message.ends_with("é…', limit 255, actual 2000."), "{message}");
        assert!(message.chars().count() < 1200, "{message}");
    }
}
