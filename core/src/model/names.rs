//! Names of tables and properties, and the two keys: what is legal, and the error for what is not (S1).

use crate::limits::{self, Limits};
use crate::{Error, ErrorCode, Result};
use std::fmt;
use unicode_properties::{GeneralCategory, UnicodeGeneralCategory};

pub(crate) const PARTITION_KEY: &str = "PartitionKey";
pub(crate) const ROW_KEY: &str = "RowKey";
pub(crate) const TIMESTAMP: &str = "Timestamp";

/// The length that the service counts: UTF-16 code units.
pub(crate) fn utf16_units(text: &str) -> usize {
    // Every character is one unit, those of four bytes are two.
    text.bytes().filter(|byte| byte & 0xc0 != 0x80).count() + text.bytes().filter(|byte| *byte >= 0xf0).count()
}

/// A table's name: 3 to 63 ASCII letters and digits, a letter first (S1.1.1).
///
/// Kept as written; equal to another whatever the case (S1.1.2).
///
/// # Example
/// ```
/// use entable::TableName;
/// assert_eq!(TableName::new("Orders")?, TableName::new("orders")?);
/// assert!(TableName::new("my-orders").is_err());
/// # Ok::<(), entable::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct TableName {
    name: Box<str>,
    /// In lower case: two names are the same table if these are equal (S1.1.6).
    folded: Box<str>,
}

impl TableName {
    /// The name of this text.
    ///
    /// # Errors
    /// [`ErrorCode::PropertiesNeedValue`] for the empty text, [`ErrorCode::OutOfRangeInput`] for a wrong length,
    /// [`ErrorCode::InvalidResourceName`] for other characters, a digit first, or the reserved name `Tables` (S1.1).
    pub fn new(name: &str) -> Result<TableName> {
        let (least, most) = limits::TABLE_NAME_CHARS;
        let length = utf16_units(name);
        if name.is_empty() {
            return Err(Error::new(ErrorCode::PropertiesNeedValue)
                .fact(format!("A table's name has {least} to {most} characters, this one none."))
                .table(name));
        }
        if !(least..=most).contains(&length) {
            let limit = if length < least { least } else { most };
            return Err(Error::new(ErrorCode::OutOfRangeInput)
                .text("The specified resource name length is not within the permissible limits.")
                .fact(format!("A table's name has {least} to {most} characters, this one {length}."))
                .limit(limit, length)
                .table(name));
        }
        let legal = name.bytes().all(|byte| byte.is_ascii_alphanumeric()) && !name.as_bytes()[0].is_ascii_digit();
        if !legal || name.eq_ignore_ascii_case("tables") {
            return Err(Error::new(ErrorCode::InvalidResourceName)
                .fact(format!(
                    "'{}' is none: a table's name is of ASCII letters and digits, begins with a letter, and is not 'Tables'.",
                    name.escape_debug()
                ))
                .table(name));
        }
        Ok(TableName { name: name.into(), folded: name.to_ascii_lowercase().into() })
    }

    /// The name as written.
    pub fn as_str(&self) -> &str {
        &self.name
    }

    /// The name in lower case, which the catalog knows the table by.
    pub(crate) fn folded(&self) -> &str {
        &self.folded
    }
}

impl PartialEq for TableName {
    fn eq(&self, other: &Self) -> bool {
        self.folded == other.folded
    }
}

impl Eq for TableName {}

impl fmt::Display for TableName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)
    }
}

/// Checks a PartitionKey or RowKey (`name`) against S1.2.3 and S1.2.8.
pub(crate) fn check_key(name: &str, key: &str, limits: &Limits) -> Result<()> {
    // Most keys are plain: told by their bytes.
    let is_plain = |byte: u8| matches!(byte, b' '..=b'~') && !matches!(byte, b'/' | b'\\' | b'#' | b'?');
    if key.len() <= limits.key_units && key.bytes().all(is_plain) {
        return Ok(());
    }
    let forbidden = |c: char| match c {
        '\0' => true,
        _ if limits.any_key_character => false,
        '/' | '\\' | '#' | '?' | '\u{1}'..='\u{1f}' | '\u{7f}'..='\u{9f}' => true,
        _ => false,
    };
    if let Some((at, c)) = key.chars().enumerate().find(|(_, c)| forbidden(*c)) {
        return Err(Error::new(ErrorCode::OutOfRangeInput)
            .text(format!("The '{name}' parameter of value '{key}' is out of range."))
            .fact(format!("A key may not hold '{}' (character {at}).", c.escape_debug()))
            .property(name));
    }
    // No text is longer in units than in bytes, so most keys need no count.
    if key.len() > limits.key_units {
        let units = utf16_units(key);
        if units > limits.key_units {
            return Err(Error::new(ErrorCode::KeyValueTooLarge)
                .text(format!("The '{name}' property exceeds the maximum allowed key size."))
                .fact(format!("The limit is {} UTF-16 code units, this key has {units}.", limits.key_units))
                .limit(limits.key_units, units)
                .property(name));
        }
    }
    Ok(())
}

/// Whether a member of an entity's JSON, or of a client's object, is an annotation and no property (S1.4.5).
pub(crate) fn is_annotation(name: &str) -> bool {
    name.starts_with("odata.") || name.contains("@odata.")
}

/// Checks the name of a custom property against S1.4.1 to S1.4.5.
pub(crate) fn check_property_name(name: &str, limits: &Limits) -> Result<()> {
    if name.len() > limits::PROPERTY_NAME_UNITS {
        let units = utf16_units(name);
        if units > limits::PROPERTY_NAME_UNITS {
            return Err(Error::new(ErrorCode::PropertyNameTooLong)
                .limit(limits::PROPERTY_NAME_UNITS, units)
                .property(name));
        }
    }
    let legal = if limits.any_property_name {
        !name.is_empty() && !name.contains('@') && !name.starts_with("odata.") && !name.contains('\0')
    } else {
        is_identifier(name)
    };
    if legal && !matches!(name, PARTITION_KEY | ROW_KEY | TIMESTAMP) {
        return Ok(());
    }
    let rule = match name {
        PARTITION_KEY | ROW_KEY | TIMESTAMP => "the name is reserved",
        _ if limits.any_property_name => "a name is not empty, has no '@' or NUL, and does not begin with 'odata.'",
        _ => "a name is a C# identifier: letters, digits and '_', no digit first",
    };
    Err(Error::new(ErrorCode::PropertyNameInvalid)
        .fact(format!("'{}' is none: {rule}.", name.escape_debug()))
        .property(name))
}

/// Whether the text is a C# identifier (S1.4.2).
pub(crate) fn is_identifier(name: &str) -> bool {
    let mut chars = name.chars();
    chars.next().is_some_and(starts_identifier) && chars.all(continues_identifier)
}

/// Whether an identifier may begin with the character (S1.4.2).
pub(crate) fn starts_identifier(c: char) -> bool {
    use GeneralCategory as Category;
    c.is_ascii_alphabetic()
        || c == '_'
        || (!c.is_ascii()
            && matches!(
                c.general_category(),
                Category::UppercaseLetter
                    | Category::LowercaseLetter
                    | Category::TitlecaseLetter
                    | Category::ModifierLetter
                    | Category::OtherLetter
                    | Category::LetterNumber
            ))
}

/// Whether an identifier may go on with the character (S1.4.2).
pub(crate) fn continues_identifier(c: char) -> bool {
    use GeneralCategory as Category;
    starts_identifier(c)
        || c.is_ascii_digit()
        || (!c.is_ascii()
            && matches!(
                c.general_category(),
                Category::DecimalNumber
                    | Category::ConnectorPunctuation
                    | Category::NonspacingMark
                    | Category::SpacingMark
                    | Category::Format
            ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_are_counted_as_the_service_counts() {
        for text in ["", "a", "é", "€", "\u{1f600}", "a\u{1f600}b€é"] {
            assert_eq!(utf16_units(text), text.encode_utf16().count(), "{text:?}");
        }
    }

    #[test]
    fn identifiers() {
        for name in ["a", "_", "_1", "Ünï", "a\u{301}", "名前", "Ⅷ", "a\u{203f}b", "a\u{200d}"] {
            assert!(is_identifier(name), "{name:?}");
        }
        for name in ["", "1a", "a b", "a-b", "a.b", "@a", "a\u{e000}", "\u{301}a", "a\0", "a€", "\u{203f}a"] {
            assert!(!is_identifier(name), "{name:?}");
        }
    }
}
