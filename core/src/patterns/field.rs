//! A property as a part of a key.

use super::refusal;
use crate::{DateTime, Entity, Error, Result, Value, keys};

/// A property of a row, and how its value is written into a key.
///
/// A String is taken as it is, which is how the literature writes keys. Numbers, dates and bytes are written so that
/// their order is kept: an Int32 or Int64 by [`keys::integer`] unless a width is given, a Double by [`keys::double`], a
/// DateTime by [`keys::ticks`], Binary as hex digits. `PartitionKey` and `RowKey` may be named, too.
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
    /// Blanks around a value are dropped, and so are empty values.
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
    /// does not know; and those of the functions of [`keys`] named above. Each names the property.
    pub fn text_of(&self, value: impl Into<Value>) -> Result<String> {
        let value = value.into();
        self.write(&value).map_err(|error| refusal("Field", Some(&self.name), &error))
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
        let value = match self.name.as_str() {
            "PartitionKey" => Value::from(row.partition_key()),
            "RowKey" => Value::from(row.row_key()),
            name => match row.get(name) {
                Some(value) => value.clone(),
                None => return Ok(Vec::new()),
            },
        };
        let (Some(between), Some(text)) = (&self.between, value.as_str()) else {
            return Ok(vec![self.text_of(value)?]);
        };
        let mut texts = Vec::new();
        for part in text.split(between.as_str()).map(str::trim).filter(|part| !part.is_empty()) {
            let text = self.text_of(part)?;
            // Named twice, it is found once.
            if !texts.contains(&text) {
                texts.push(text);
            }
        }
        Ok(texts)
    }

    /// The one DateTime of a row.
    pub(super) fn time(&self, pattern: &str, row: &Entity) -> Result<DateTime> {
        row.get(&self.name).and_then(Value::as_datetime).ok_or_else(|| {
            let error = Error::invalid("The row needs it, as a DateTime.").keys(row.partition_key(), row.row_key());
            refusal(pattern, Some(&self.name), &error)
        })
    }
}

/// All keys that the fields give a row: one for each combination of their texts.
pub(super) fn combinations(pattern: &str, fields: &[Field], joined: &Joined, row: &Entity) -> Result<Vec<String>> {
    let mut all: Vec<Vec<String>> = vec![Vec::new()];
    for field in fields {
        let texts = field.texts(row)?;
        all = all
            .iter()
            .flat_map(|before| texts.iter().map(|text| [before.as_slice(), &[text.clone()]].concat()))
            .collect();
    }
    all.iter().map(|texts| joined.join(pattern, fields, texts)).collect()
}

/// How several texts become one key.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Joined {
    /// With a separator, as the literature has it: no text but the last may hold it.
    By(String),
    /// By [`keys::compose`], for any texts.
    Composed,
}

impl Joined {
    pub(super) fn join(&self, pattern: &str, fields: &[Field], texts: &[String]) -> Result<String> {
        let name_at = |at: usize| fields.get(at).map(Field::name);
        let separator = match self {
            Joined::Composed => return keys::compose(texts).map_err(|error| refusal(pattern, name_at(0), &error)),
            Joined::By(separator) => separator,
        };
        let before_last = texts.len().saturating_sub(1);
        if let Some(at) = texts.iter().take(before_last).position(|text| text.contains(separator.as_str())) {
            let fact = format!("The value holds the separator '{separator}', so that two rows might get one key.");
            return Err(refusal(pattern, name_at(at), &Error::invalid(fact)));
        }
        Ok(texts.join(separator))
    }

    /// What all keys begin with whose first texts are these.
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
            let Some(field) = fields.get(texts.len()) else {
                return Err(Error::invalid("More values were asked for than the pattern has properties.")
                    .limit(fields.len(), texts.len() + 1));
            };
            texts.push(field.text_of(value)?);
        }
        Ok(texts)
    }
}
