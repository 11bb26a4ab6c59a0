//! serde's errors as the store's own.

use crate::{Error, ErrorCode};
use serde::{de, ser};
use std::fmt;

/// The store's error where serde asks for one that it can make itself.
#[derive(Debug)]
pub(super) struct Failure(pub(super) Error);

impl Failure {
    pub(super) fn new(fact: impl Into<String>) -> Failure {
        Failure(Error::invalid(fact))
    }

    /// Names the property, unless what failed inside has named one.
    pub(super) fn property(self, name: &str) -> Failure {
        Failure(self.0.property(name))
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl std::error::Error for Failure {}

impl ser::Error for Failure {
    fn custom<T: fmt::Display>(message: T) -> Failure {
        Failure::new(sentence(&message.to_string()))
    }
}

impl de::Error for Failure {
    fn custom<T: fmt::Display>(message: T) -> Failure {
        Failure::new(sentence(&message.to_string()))
    }

    fn missing_field(name: &'static str) -> Failure {
        Failure::new(format!("The entity has no property '{name}'.")).property(name)
    }

    fn unknown_field(name: &str, _expected: &'static [&'static str]) -> Failure {
        Failure::new(format!("The struct has no field for the property '{name}'.")).property(name)
    }

    fn duplicate_field(name: &'static str) -> Failure {
        Failure(Error::new(ErrorCode::DuplicatePropertiesSpecified)).property(name)
    }
}

/// serde's messages begin small and end without a point.
fn sentence(message: &str) -> String {
    let mut chars = message.chars();
    let first = chars.next().map(char::to_uppercase).into_iter().flatten();
    let end = if message.ends_with('.') { "" } else { "." };
    first.chain(chars).chain(end.chars()).collect()
}
