//! GUIDs: 16 bytes in the order in which the text shows them (S7.5.6).

use crate::{Error, Result};
use std::{fmt, str::FromStr};

/// A GUID, written as 8-4-4-4-12 hexadecimal digits; lower case out, any case in (S2.1).
///
/// # Example
/// ```
/// let id: entable::Guid = "0F8FAD5B-D9CB-469F-A165-70867728950E".parse()?;
/// assert_eq!(id.to_string(), "0f8fad5b-d9cb-469f-a165-70867728950e");
/// # Ok::<(), entable::Error>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Guid([u8; 16]);

impl Guid {
    /// The GUID of these bytes, first digit first.
    pub const fn from_bytes(bytes: [u8; 16]) -> Guid {
        Guid(bytes)
    }

    /// The bytes, first digit first.
    pub const fn as_bytes(&self) -> &[u8; 16] {
        &self.0
    }
}

impl FromStr for Guid {
    type Err = Error;

    /// # Errors
    /// [`ErrorCode::InvalidInput`](crate::ErrorCode::InvalidInput) for anything but the form with hyphens.
    fn from_str(text: &str) -> Result<Guid> {
        // `uuid` also reads forms with braces, with a prefix and without hyphens; the service does not.
        match uuid::Uuid::try_parse(text) {
            Ok(uuid) if text.len() == 36 => Ok(uuid.into()),
            _ => Err(Error::invalid("A Guid is 32 hexadecimal digits in groups of 8-4-4-4-12.")),
        }
    }
}

impl fmt::Debug for Guid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Guid({self})")
    }
}

impl fmt::Display for Guid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        uuid::Uuid::from_bytes(self.0).as_hyphenated().fmt(f)
    }
}

impl From<uuid::Uuid> for Guid {
    fn from(uuid: uuid::Uuid) -> Guid {
        Guid(*uuid.as_bytes())
    }
}

impl From<Guid> for uuid::Uuid {
    fn from(guid: Guid) -> uuid::Uuid {
        uuid::Uuid::from_bytes(guid.0)
    }
}
