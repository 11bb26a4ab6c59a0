//! A request body becomes an entity (S2.5).

use super::{ETAG, TYPE_SUFFIX};
use crate::limits::{Limits, Mode};
use crate::model::names::{PARTITION_KEY, ROW_KEY, TIMESTAMP, is_annotation};
use crate::model::{DateTime, ETag, EdmType, EntityInput, InputValue, KeyPair, Value, shared_name};
use crate::{Error, ErrorCode, Result};
use base64::Engine;
use base64::alphabet::STANDARD;
use base64::engine::general_purpose::{GeneralPurpose, PAD};
use serde::Deserialize;
use serde::de::{Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;
use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::fmt;

/// What the service says of a body or value that it cannot read (S4.7).
const UNREADABLE: &str = "An error occurred while processing this request.";

/// As .NET reads base64: padding is a must, the unused bits of the last digit are not looked at.
const BASE64: GeneralPurpose = GeneralPurpose::new(&STANDARD, PAD.with_decode_allow_trailing_bits(true));

/// Reads an entity from the service's JSON, and checks it by the rules of a mode.
///
/// The value of `X@odata.type`, before or after `X`, says the type of `X`; without it the JSON does: a whole
/// number within 32 bits is an Int32, any other number a Double, a text always a String (S2.5). Null is a property
/// that is not there, `Timestamp` and other annotations are ignored (S1.4.4, S1.4.5), and `odata.etag` becomes the
/// input's ETag if it is one.
///
/// # Errors
/// - [`ErrorCode::InvalidInput`]: no JSON object (with line and column), a value that does not fit its type, an
///   unknown type, an array or object as value, an unpaired surrogate, a key that is no text.
/// - [`ErrorCode::DuplicatePropertiesSpecified`]: a property, or its type, comes twice.
/// - [`ErrorCode::PropertiesNeedValue`]: PartitionKey or RowKey is missing or null.
/// - What [`EntityInput::check`] finds.
///
/// Each names the property.
///
/// # Example
/// ```
/// use entable::{InputValue, Mode, Value, entity_from_json};
/// let body = r#"{"PartitionKey": "DE", "RowKey": "0001", "Views": "5", "Views@odata.type": "Edm.Int64"}"#;
/// let order = entity_from_json(body, Mode::Portable)?;
/// let views: Vec<_> = order.properties().collect();
/// assert_eq!(views, [("Views", &InputValue::Typed(Value::Int64(5)))]);
/// # Ok::<(), entable::Error>(())
/// ```
pub fn entity_from_json(text: &str, mode: Mode) -> Result<EntityInput> {
    read(text, mode, false)
}

/// The same of a line of an export, in which −0.0 stays what it is.
pub(crate) fn entity_from_exact_json(text: &str, mode: Mode) -> Result<EntityInput> {
    read(text, mode, true)
}

fn read(text: &str, mode: Mode, is_exact: bool) -> Result<EntityInput> {
    let rules = Rules { limits: mode.limits(), is_exact };
    let Members(members) = serde_json::from_str(text)
        .map_err(|error| Error::invalid(format!("The body is not the JSON of an entity: {error}.")).text(UNREADABLE))?;
    let types = Types::of(&members)?;
    let mut names = HashSet::with_capacity(members.len());
    let (mut partition_key, mut row_key, mut etag) = (None, None, None);
    let mut properties = Vec::with_capacity(members.len());
    for (name, json) in &members {
        let name = name.as_ref();
        if is_annotation(name) {
            if name == ETAG {
                etag = read_etag(json);
            }
            continue;
        }
        if !names.insert(name) {
            return Err(Error::new(ErrorCode::DuplicatePropertiesSpecified).property(name));
        }
        if name == TIMESTAMP || json.get() == "null" {
            continue;
        }
        let value = types.read(name, json, rules).map_err(|error| error.text(UNREADABLE).property(name))?;
        match name {
            PARTITION_KEY => partition_key = Some(key_text(name, value)?),
            ROW_KEY => row_key = Some(key_text(name, value)?),
            _ => properties.push((shared_name(name), InputValue::Typed(value))),
        }
    }
    let missing = |name| Error::new(ErrorCode::PropertiesNeedValue).fact(format!("There is no {name}.")).property(name);
    let partition_key: String = partition_key.ok_or_else(|| missing(PARTITION_KEY))?;
    let keys = KeyPair::of(partition_key, row_key.ok_or_else(|| missing(ROW_KEY))?);
    let input = EntityInput { keys, etag, properties };
    input.check(mode)?;
    Ok(input)
}

/// Clients hand back what they read; one from elsewhere is no reason to refuse the entity (S1.4.5).
fn read_etag(json: &RawValue) -> Option<ETag> {
    serde_json::from_str::<String>(json.get()).ok()?.parse().ok()
}

fn key_text(name: &str, value: Value) -> Result<String> {
    match value {
        Value::String(text) => Ok(text),
        other => {
            let fact = format!("A key is an Edm.String, this one an {}.", other.edm_type());
            Err(Error::invalid(fact).text(UNREADABLE).property(name))
        }
    }
}

type Member<'a> = (Cow<'a, str>, &'a RawValue);

/// The members of a JSON object in their order, duplicates kept; values as they stand in the text, because a
/// parsed number no longer tells 5 from 5.0.
struct Members<'a>(Vec<Member<'a>>);

impl<'de: 'a, 'a> Deserialize<'de> for Members<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(MembersVisitor).map(Members)
    }
}

struct MembersVisitor;

impl<'de> Visitor<'de> for MembersVisitor {
    type Value = Vec<Member<'de>>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        /// Borrowed from the body if nothing in it is escaped, which plain `Cow` never is.
        #[derive(Deserialize)]
        struct Name<'a>(#[serde(borrow)] Cow<'a, str>);

        let mut members = Vec::new();
        while let Some((Name(name), json)) = map.next_entry()? {
            members.push((name, json));
        }
        Ok(members)
    }
}

/// The type annotations of a body, by the property that they are about.
struct Types<'a>(HashMap<&'a str, &'a RawValue>);

impl<'a> Types<'a> {
    fn of(members: &'a [Member<'a>]) -> Result<Types<'a>> {
        let mut types = HashMap::new();
        for (name, json) in members {
            // An annotation of an annotation says nothing about a property.
            let Some(property) = name.strip_suffix(TYPE_SUFFIX).filter(|name| !is_annotation(name)) else { continue };
            if types.insert(property, *json).is_some() {
                let fact = "Its type is given twice.";
                return Err(Error::new(ErrorCode::DuplicatePropertiesSpecified).fact(fact).property(property));
            }
        }
        Ok(Types(types))
    }

    /// The value of a property that is not null.
    fn read(&self, name: &str, json: &RawValue, rules: Rules) -> Result<Value> {
        let scalar = Scalar::read(json.get())?;
        let Some(annotation) = self.0.get(name) else { return scalar.untyped(rules) };
        let type_name: Option<String> = serde_json::from_str(annotation.get()).ok();
        match type_name.as_deref().and_then(EdmType::from_name) {
            Some(edm_type) => scalar.typed(edm_type, rules),
            None => Err(Error::invalid(format!("There is no type {}.", cut(annotation.get())))),
        }
    }
}

/// A JSON value that can be a property's.
enum Scalar<'a> {
    Boolean(bool),
    /// As it stands in the body.
    Number(&'a str),
    Text(String),
}

impl<'a> Scalar<'a> {
    /// The text is JSON: that much `RawValue` has seen to. Only in the strings it does not look for surrogates.
    fn read(json: &'a str) -> Result<Scalar<'a>> {
        match json.as_bytes().first() {
            Some(b'"') => match serde_json::from_str(json) {
                Ok(text) => Ok(Scalar::Text(text)),
                Err(_) => Err(Error::invalid("The text holds one half of a surrogate pair.")),
            },
            Some(b'{' | b'[') => Err(Error::invalid("A property's value is no object and no array.")),
            Some(b't') => Ok(Scalar::Boolean(true)),
            Some(b'f') => Ok(Scalar::Boolean(false)),
            _ => Ok(Scalar::Number(json)),
        }
    }

    /// The number or text as it stands.
    fn as_text(&self) -> &str {
        match self {
            Scalar::Boolean(true) => "true",
            Scalar::Boolean(false) => "false",
            Scalar::Number(text) => text,
            Scalar::Text(text) => text,
        }
    }

    /// The value of a property without annotation.
    fn untyped(self, rules: Rules) -> Result<Value> {
        let number = match self {
            Scalar::Boolean(value) => return Ok(Value::Boolean(value)),
            Scalar::Text(text) => return Ok(Value::String(text)),
            Scalar::Number(text) => text,
        };
        // With a point or an exponent this is no integer for `parse` either (S2.5).
        if let Ok(value) = number.parse() {
            return Ok(Value::Int32(value));
        }
        rules
            .finite(number)
            .map(Value::Double)
            .ok_or_else(|| Error::invalid(format!("{} is too large for an Edm.Double.", cut(number))))
    }

    /// The value of a property with annotation.
    fn typed(self, edm_type: EdmType, rules: Rules) -> Result<Value> {
        let is_boolean = matches!(self, Scalar::Boolean(_));
        let value = match (edm_type, &self) {
            (EdmType::String, Scalar::Text(text)) => Some(Value::String(text.clone())),
            (EdmType::Boolean, Scalar::Boolean(value)) => Some(Value::Boolean(*value)),
            (EdmType::Boolean, Scalar::Text(text)) if text.eq_ignore_ascii_case("true") => Some(Value::Boolean(true)),
            (EdmType::Boolean, Scalar::Text(text)) if text.eq_ignore_ascii_case("false") => Some(Value::Boolean(false)),
            (EdmType::Int32, _) if !is_boolean => self.as_text().parse().ok().map(Value::Int32),
            (EdmType::Int64, _) if !is_boolean => self.as_text().parse().ok().map(Value::Int64),
            (EdmType::Double, Scalar::Number(text)) => rules.finite(text).map(Value::Double),
            (EdmType::Double, Scalar::Text(text)) => rules.double_text(text).map(Value::Double),
            (EdmType::DateTime, Scalar::Text(text)) => Some(Value::DateTime(DateTime::parse(text, rules.limits)?)),
            (EdmType::Guid, Scalar::Text(text)) => text.parse().ok().map(Value::Guid),
            (EdmType::Binary, Scalar::Text(text)) => BASE64.decode(text).ok().map(Value::Binary),
            _ => None,
        };
        value.ok_or_else(|| {
            let quote = if matches!(self, Scalar::Text(_)) { "'" } else { "" };
            let shown = cut(self.as_text());
            Error::invalid(format!("{quote}{}{quote} is not an {edm_type}.", shown.escape_debug()))
        })
    }
}

/// By what a value is read.
#[derive(Clone, Copy)]
struct Rules {
    limits: &'static Limits,
    /// Whether −0.0 is told from 0.0, which the service's JSON does not do (S2.4.2).
    is_exact: bool,
}

impl Rules {
    /// The nearest Double of a number's text, unless that is infinite (S2.4.3).
    fn finite(self, number: &str) -> Option<f64> {
        let value: f64 = number.parse().ok().filter(|value: &f64| value.is_finite())?;
        Some(if self.is_exact { value } else { value + 0.0 })
    }

    fn double_text(self, text: &str) -> Option<f64> {
        match text {
            "NaN" => Some(f64::NAN),
            "Infinity" => Some(f64::INFINITY),
            "-Infinity" => Some(f64::NEG_INFINITY),
            // `parse` knows more words, but none that is finite.
            _ => self.finite(text),
        }
    }
}

/// The beginning of a text, for a message.
fn cut(text: &str) -> &str {
    let end = text.char_indices().nth(40).map_or(text.len(), |(at, _)| at);
    text.split_at(end).0
}
