//! A property as a part of a key.

use super::refusal;
use crate::limits::{PATTERN_KEYS, SERVICE};
use crate::model::names::{PARTITION_KEY, ROW_KEY, check_property_name};
use crate::{DateTime, Entity, Error, Result, Value, keys};

/// A property of a row, and how its value is written into a key.
///
/// A String is taken as it is, which is how the literature writes keys. Numbers, dates and bytes are written so that
/// their order is kept: an Int32 or Int64 by [`keys::integer`] unless a width is given, a Double by [`keys::double`], a
/// DateTime by [`keys::ticks`], Binary as hex digits. `PartitionKey` and `RowKey` may be named, too; `Timestamp` may not,
/// since it is not known before the row is written.
///
/// # Example
/// ```
/// use entable::patterns::Field;
/// assert_eq!(Field::new("Email").text_of("jonesj@contoso.com")?, "jonesj@contoso.com");
/// assert_eq!(Field::new("Year").padded(4).text_of(987)?, "0987");
/// assert_eq!(Field::new("Name").folded().text_of("Jones")?, "jones");
/// # Ok::<(), entable::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Field {
    name: String,
    form: Form,
    between: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Form {
    Plain,
    Padded(usize),
    Folded,
    Safe,
    Base64,
    NewestFirst,
}

impl From<&str> for Field {
    fn from(name: &str) -> Field {
        Field::new(name)
    }
}

impl From<String> for Field {
    fn from(name: String) -> Field {
        Field::new(name)
    }
}

impl Field {
    /// The property of this name, its value written plainly.
    pub fn new(name: impl Into<String>) -> Field {
        Field { name: name.into(), form: Form::Plain, between: None }
    }

    /// Whole numbers in this many digits, zeros before them (S9.33). Negative numbers are refused.
    #[must_use]
    pub fn padded(self, width: usize) -> Field {
        Field { form: Form::Padded(width), ..self }
    }

    /// Text whatever its case, by [`keys::fold_case`] (S9.27).
    #[must_use]
    pub fn folded(self) -> Field {
        Field { form: Form::Folded, ..self }
    }

    /// Any text, its forbidden characters escaped by [`keys::safe`], which keeps the order (S9.28).
    #[must_use]
    pub fn safe(self) -> Field {
        Field { form: Form::Safe, ..self }
    }

    /// Any text as the literature's base64 (S9.28), which keeps neither order nor prefixes.
    #[must_use]
    pub fn base64(self) -> Field {
        Field { form: Form::Base64, ..self }
    }

    /// Dates by [`keys::descending_ticks`], the newest first (S9.14).
    #[must_use]
    pub fn newest_first(self) -> Field {
        Field { form: Form::NewestFirst, ..self }
    }

    /// The property is text that holds several values with this between them: the row is found by each (S9.11).
    ///
    /// Blanks around a value are dropped, and so are empty values. What stands between is
    /// not empty. A row has at most 1,000 keys in all. Where a key takes
    /// one value, a row with several is refused.
    #[must_use]
    pub fn each(self, between: impl Into<String>) -> Field {
        Field { between: Some(between.into()), ..self }
    }

    /// The property's name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The text that stands in a key for a value.
    ///
    /// # Errors
    /// [`ErrorCode::InvalidInput`](crate::ErrorCode::InvalidInput): the value is of a type, or has a size, that the form
    /// does not know; [`ErrorCode::PropertyNameInvalid`](crate::ErrorCode::PropertyNameInvalid): no property has this
    /// name; and those of the functions of [`keys`] named above. Each names the property.
    pub fn text_of(&self, value: impl Into<Value>) -> Result<String> {
        let value = value.into();
        self.check_name().and_then(|()| self.write(&value)).map_err(|error| self.refused(&error))
    }

    fn refused(&self, error: &Error) -> Error {
        refusal("Field", Some(&self.name), error)
    }

    fn check_name(&self) -> Result<()> {
        if matches!(self.name.as_str(), PARTITION_KEY | ROW_KEY) {
            return Ok(());
        }
        check_property_name(&self.name, &SERVICE)
    }

    /// What the keys of all values begin with that begin with this text.
    ///
    /// # Errors
    /// As `text_of`; `InvalidInput` for a form that keeps no prefixes.
    pub(super) fn start_of(&self, text: &str) -> Result<String> {
        let start = match self.form {
            Form::Folded => keys::fold_case(text),
            Form::Safe => keys::safe(text),
            Form::Base64 => Err(Error::invalid("base64 does not keep what a text begins with.")),
            // Digits, and texts that are written as they are.
            Form::Plain | Form::Padded(_) | Form::NewestFirst => Ok(text.to_owned()),
        };
        self.check_name().and(start).map_err(|error| self.refused(&error))
    }

    /// The least and the greatest text of the values from one to another.
    ///
    /// # Errors
    /// As `text_of`; `InvalidInput` for a form that keeps no order.
    pub(super) fn bounds(&self, first: impl Into<Value>, last: impl Into<Value>) -> Result<(String, String)> {
        let (first, last) = (self.text_of(first)?, self.text_of(last)?);
        match self.form {
            Form::Base64 => Err(self.refused(&Error::invalid("base64 does not keep the order of texts."))),
            Form::NewestFirst => Ok((last, first)),
            _ => Ok((first, last)),
        }
    }

    fn write(&self, value: &Value) -> Result<String> {
        let no = |what: &str| Err(Error::invalid(format!("A {} cannot be written {what}.", value.edm_type())));
        match (self.form, value) {
            (Form::Padded(width), value) => match value.as_i64().and_then(|number| u64::try_from(number).ok()) {
                Some(number) => keys::padded(number, width),
                None => no("in padded digits, which are for whole numbers from 0"),
            },
            (Form::NewestFirst, Value::DateTime(time)) => keys::descending_ticks(*time),
            (Form::NewestFirst, _) => no("newest first, which is for a DateTime"),
            (Form::Plain, Value::String(text)) => Ok(text.clone()),
            (Form::Folded, Value::String(text)) => keys::fold_case(text),
            (Form::Safe, Value::String(text)) => keys::safe(text),
            (Form::Base64, Value::String(text)) => keys::base64_text(text),
            (Form::Folded, _) => no("without regard to case, which is for a String"),
            (_, Value::Int32(number)) => keys::integer(i64::from(*number)),
            (_, Value::Int64(number)) => keys::integer(*number),
            (_, Value::Double(number)) => keys::double(*number),
            (_, Value::DateTime(time)) => keys::ticks(*time),
            (_, Value::Boolean(value)) => Ok(value.to_string()),
            (_, Value::Guid(guid)) => Ok(guid.to_string()),
            (_, Value::Binary(bytes)) => keys::bytes(bytes),
        }
    }

    /// The texts of a row: none where it has no such property, several only for [`Field::each`].
    pub(super) fn texts(&self, row: &Entity) -> Result<Vec<String>> {
        self.check_name().map_err(|error| self.refused(&error))?;
        let value = match self.name.as_str() {
            PARTITION_KEY => Value::from(row.partition_key()),
            ROW_KEY => Value::from(row.row_key()),
            name => match row.get(name) {
                Some(value) => value.clone(),
                None => return Ok(Vec::new()),
            },
        };
        let (Some(between), Some(text)) = (&self.between, value.as_str()) else {
            return Ok(vec![self.text_of(value)?]);
        };
        if between.is_empty() {
            return Err(
                self.refused(&Error::invalid("Several values have something between them: not the empty text."))
            );
        }
        let mut texts = Vec::new();
        for part in text.split(between.as_str()).map(str::trim).filter(|part| !part.is_empty()) {
            let text = self.text_of(part)?;
            // Named twice, it is found once.
            if !texts.contains(&text) {
                texts.push(text);
                check_count(texts.len()).map_err(|error| self.refused(&error))?;
            }
        }
        Ok(texts)
    }

    /// The text of a row where a key takes one; `None` where the row has no such property.
    ///
    /// # Errors
    /// As `texts`; `InvalidInput`: the row has several.
    pub(super) fn one_text(&self, row: &Entity) -> Result<Option<String>> {
        let mut texts = self.texts(row)?;
        let text = texts.pop();
        if texts.is_empty() {
            return Ok(text);
        }
        let error = Error::invalid("It has several values, and this key takes one.").limit(1, texts.len() + 1);
        Err(self.refused(&error.keys(row.partition_key(), row.row_key())))
    }

    /// Refuses the RowKey as a part of itself: read back, the row would be looked for under a longer one.
    pub(super) fn check_not_row_key(&self, pattern: &str) -> Result<()> {
        match self.name.as_str() {
            ROW_KEY => Err(refusal(pattern, Some(ROW_KEY), &Error::invalid("The RowKey is not made of itself."))),
            _ => Ok(()),
        }
    }

    /// The one DateTime of a row.
    pub(super) fn time(&self, pattern: &str, row: &Entity) -> Result<DateTime> {
        self.check_name().map_err(|error| self.refused(&error))?;
        row.get(&self.name).and_then(Value::as_datetime).ok_or_else(|| {
            let error = Error::invalid("The row needs it, as a DateTime.").keys(row.partition_key(), row.row_key());
            refusal(pattern, Some(&self.name), &error)
        })
    }
}

fn check_count(keys: usize) -> Result<()> {
    if keys > PATTERN_KEYS {
        let fact = format!("A row has at most {PATTERN_KEYS} keys by properties that hold several values.");
        return Err(Error::invalid(fact).limit(PATTERN_KEYS, keys));
    }
    Ok(())
}

/// All keys that the fields give a row: one for each combination of their texts.
pub(super) fn combinations(pattern: &str, fields: &[Field], joined: &Joined, row: &Entity) -> Result<Vec<String>> {
    let mut all: Vec<Vec<String>> = vec![Vec::new()];
    for field in fields {
        let texts = field.texts(row)?;
        check_count(all.len().saturating_mul(texts.len()))
            .map_err(|error| refusal(pattern, Some(field.name()), &error))?;
        all = all
            .iter()
            .flat_map(|before| texts.iter().map(|text| [before.as_slice(), std::slice::from_ref(text)].concat()))
            .collect();
    }
    all.iter().map(|texts| joined.join(pattern, fields, texts)).collect()
}

/// The property that a reader's value stands for.
pub(super) fn field_at(fields: &[Field], at: usize) -> Result<&Field> {
    fields.get(at).ok_or_else(|| {
        Error::invalid("More values were asked for than the pattern has properties.").limit(fields.len(), at + 1)
    })
}

/// How several texts become one key.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Joined {
    /// With a separator of one character, as the literature has it: no text but that of the last property may hold it.
    By(String),
    /// By [`keys::compose`], for any texts.
    Composed,
}

impl Joined {
    /// The key of these texts, of all properties or of the first ones.
    pub(super) fn join(&self, pattern: &str, fields: &[Field], texts: &[String]) -> Result<String> {
        let name_at = |at: usize| fields.get(at).map(Field::name);
        let separator = match self {
            Joined::Composed => return keys::compose(texts).map_err(|error| refusal(pattern, name_at(0), &error)),
            Joined::By(separator) => separator,
        };
        // With a longer one `a` and `_b` would make the key of `a_` and `b`, and so do all with none.
        if separator.chars().count() != 1 {
            let fact = format!("The separator '{}' is not one character.", separator.escape_debug());
            return Err(refusal(pattern, None, &Error::invalid(fact)));
        }
        keys::check(separator).map_err(|error| refusal(pattern, None, &error))?;
        for (at, text) in texts.iter().enumerate() {
            if at + 1 < fields.len() && text.contains(separator.as_str()) {
                let fact = format!("The value holds the separator '{separator}', so that two rows might get one key.");
                return Err(refusal(pattern, name_at(at), &Error::invalid(fact)));
            }
            keys::check(text).map_err(|error| refusal(pattern, name_at(at), &error))?;
        }
        Ok(texts.join(separator))
    }

    /// What all keys begin with whose first texts are these, and which have more.
    pub(super) fn prefix(&self, pattern: &str, fields: &[Field], texts: &[String]) -> Result<String> {
        match self {
            Joined::Composed => {
                keys::compose_prefix(texts).map_err(|error| refusal(pattern, fields.first().map(Field::name), &error))
            }
            Joined::By(separator) => Ok(self.join(pattern, fields, texts)? + separator),
        }
    }

    /// The texts of values that a reader asks for, in the order of the fields.
    pub(super) fn texts_of<V: Into<Value>>(
        &self,
        fields: &[Field],
        values: impl IntoIterator<Item = V>,
    ) -> Result<Vec<String>> {
        let mut texts = Vec::new();
        for value in values {
            texts.push(field_at(fields, texts.len())?.text_of(value)?);
        }
        Ok(texts)
    }
}
