//! Versions of entities (S4.2, S4.3).

use super::DateTime;
use crate::{Error, Result};
use std::{fmt, str::FromStr};

/// The version of an entity: the service's text form of its Timestamp (S4.3.3).
///
/// Opaque to users: compare, keep, hand back.
///
/// # Example
/// ```
/// let etag: entable::ETag = "W/\"datetime'2013-08-22T01%3A12%3A06.2608595Z'\"".parse()?;
/// assert_eq!(etag.to_string(), "W/\"datetime'2013-08-22T01%3A12%3A06.2608595Z'\"");
/// # Ok::<(), entable::Error>(())
/// ```
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct ETag(Form);

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Form {
    Ticks(DateTime),
    /// Well-formed, but not of our making: equal to no entity's (S4.2.6).
    Other(Box<str>),
}

impl ETag {
    /// The ETag of an entity with this Timestamp.
    pub fn from_timestamp(timestamp: DateTime) -> ETag {
        ETag(Form::Ticks(timestamp))
    }

    /// The Timestamp that the ETag tells, if it is one of this store's form.
    pub fn timestamp(&self) -> Option<DateTime> {
        match self.0 {
            Form::Ticks(timestamp) => Some(timestamp),
            Form::Other(_) => None,
        }
    }
}

impl FromStr for ETag {
    type Err = Error;

    /// # Errors
    /// [`ErrorCode::InvalidInput`](crate::ErrorCode::InvalidInput) for what is not a weak etag, `W/"…"` (S4.2.5).
    fn from_str(text: &str) -> Result<ETag> {
        let inner = text
            .strip_prefix("W/\"")
            .or_else(|| text.strip_prefix("w/\""))
            .and_then(|rest| rest.strip_suffix('"'))
            .filter(|inner| !inner.contains('"'))
            .ok_or_else(|| {
                Error::invalid("An ETag has the form W/\"…\".").text(format!(
                    "The etag value '{text}' specified in one of the request headers is not valid. \
                     Please make sure only one etag value is specified and is valid."
                ))
            })?;
        let time = inner.strip_prefix("datetime'").and_then(|rest| rest.strip_suffix('\''));
        // Some clients decode `%3A` (S4.2.8). Only the text that we would write ourselves is ours:
        // equality is byte for byte (S4.2.2).
        let ours = time.map(|time| time.replace("%3A", ":").replace("%3a", ":")).and_then(|time| {
            let timestamp: DateTime = time.parse().ok()?;
            (timestamp.to_string() == time).then_some(timestamp)
        });
        Ok(ETag(match ours {
            Some(timestamp) => Form::Ticks(timestamp),
            None => Form::Other(inner.into()),
        }))
    }
}

impl fmt::Debug for ETag {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ETag({self})")
    }
}

impl fmt::Display for ETag {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Form::Ticks(timestamp) => {
                // In one piece, as the timestamp's own text.
                let mut text = String::with_capacity(48);
                text.push_str("W/\"datetime'");
                for (at, part) in timestamp.to_string().split(':').enumerate() {
                    text.push_str(if at == 0 { "" } else { "%3A" });
                    text.push_str(part);
                }
                text.push_str("'\"");
                f.write_str(&text)
            }
            Form::Other(text) => write!(f, "W/\"{text}\""),
        }
    }
}
