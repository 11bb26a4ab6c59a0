//! An entity becomes the body of an answer (S2.6, S7.7).

use super::{ETAG, JsonAddress, JsonOptions, Metadata, TYPE_SUFFIX};
use crate::model::names::{PARTITION_KEY, ROW_KEY, TIMESTAMP, is_annotation};
use crate::model::{EdmType, Entity, ValueRef};
use base64::display::Base64Display;
use base64::engine::general_purpose::STANDARD;
use serde::ser::{Serialize, SerializeMap, Serializer};
use std::fmt;

/// Writes an entity as the service's JSON.
///
/// Annotations, PartitionKey, RowKey and Timestamp come first, then the properties in their order, each right
/// after its type (S2.6). A Double is the shortest text that reads back the same, `3.0` if whole; an Int64 is a text.
/// `odata.id` and `odata.editLink` need both keys, so a projection without them has neither.
///
/// What [`entity_from_json`](super::entity_from_json) reads from the text at [`Metadata::Minimal`] or above is the
/// same entity, but that −0.0 becomes 0.0 (S2.4.2).
///
/// # Example
/// ```
/// use entable::{JsonOptions, entity, entity_to_json};
/// let order = entity! { "DE", "0001", "Total" => 12.0, "Views" => 5_i64 };
/// assert_eq!(
///     entity_to_json(&order, &JsonOptions::default()),
///     r#"{"PartitionKey":"DE","RowKey":"0001","Total":12.0,"Views@odata.type":"Edm.Int64","Views":"5"}"#,
/// );
/// ```
pub fn entity_to_json(entity: &Entity, options: &JsonOptions<'_>) -> String {
    let body = Body { entity, options, has_version: true };
    serde_json::to_string(&body).expect("names are texts and numbers finite, so JSON takes all")
}

/// Appends an entity as a line of an export has it, with its Timestamp and ETag or without.
pub(crate) fn exact_json(entity: &Entity, has_version: bool, out: &mut Vec<u8>) {
    let options = &JsonOptions::default();
    let body = Body { entity, options, has_version };
    serde_json::to_writer(out, &body).expect("names are texts and numbers finite, so JSON takes all");
}

struct Body<'a> {
    entity: &'a Entity,
    options: &'a JsonOptions<'a>,
    has_version: bool,
}

impl Body<'_> {
    fn selects(&self, name: &str) -> bool {
        self.options.select.is_none_or(|names| names.contains(&name))
    }

    fn annotations<M: SerializeMap>(&self, map: &mut M) -> Result<(), M::Error> {
        let Body { entity, options, has_version } = self;
        if options.metadata == Metadata::None {
            return Ok(());
        }
        if let Some(JsonAddress { endpoint, table, .. }) = options.address
            && options.alone
        {
            let endpoint = endpoint.trim_end_matches('/');
            map.serialize_entry("odata.metadata", &format_args!("{endpoint}/$metadata#{table}/@Element"))?;
        }
        let full = options.address.filter(|_| options.metadata == Metadata::Full);
        let edit_link = full.filter(|_| self.selects(PARTITION_KEY) && self.selects(ROW_KEY)).map(|address| {
            let (partition_key, row_key) = (Literal(entity.partition_key()), Literal(entity.row_key()));
            format!("{}(PartitionKey={partition_key},RowKey={row_key})", address.table)
        });
        if let Some(JsonAddress { endpoint, account, table }) = full {
            map.serialize_entry("odata.type", &format_args!("{account}.{table}"))?;
            if let Some(edit_link) = &edit_link {
                map.serialize_entry("odata.id", &format_args!("{}/{edit_link}", endpoint.trim_end_matches('/')))?;
            }
        }
        if let Some(etag) = entity.etag().filter(|_| *has_version) {
            map.serialize_entry(ETAG, &format_args!("{etag}"))?;
        }
        match edit_link {
            Some(edit_link) => map.serialize_entry("odata.editLink", &edit_link),
            None => Ok(()),
        }
    }

    fn system_properties<M: SerializeMap>(&self, map: &mut M) -> Result<(), M::Error> {
        for (name, key) in [(PARTITION_KEY, self.entity.partition_key()), (ROW_KEY, self.entity.row_key())] {
            if self.selects(name) {
                map.serialize_entry(name, key)?;
            }
        }
        let is_written = self.has_version && self.selects(TIMESTAMP);
        let Some(timestamp) = self.entity.timestamp().filter(|_| is_written) else { return Ok(()) };
        if self.options.metadata == Metadata::Full {
            type_entry(map, TIMESTAMP, EdmType::DateTime)?;
        }
        map.serialize_entry(TIMESTAMP, &JsonValue(ValueRef::DateTime(timestamp)))
    }

    /// Null for each selected name that nothing has been written for (S7.7.3).
    fn missing<M: SerializeMap>(&self, map: &mut M) -> Result<(), M::Error> {
        let names = self.options.select.unwrap_or_default();
        for (at, name) in names.iter().enumerate() {
            let written = match *name {
                PARTITION_KEY | ROW_KEY => true,
                TIMESTAMP => self.entity.timestamp().is_some(),
                _ => is_annotation(name) || self.entity.get(name).is_some(),
            };
            let repeated = names.iter().take(at).any(|earlier| earlier == name);
            if !written && !repeated {
                map.serialize_entry(name, &())?;
            }
        }
        Ok(())
    }
}

impl Serialize for Body<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        self.annotations(&mut map)?;
        self.system_properties(&mut map)?;
        for (name, value) in self.entity.properties().filter(|(name, _)| self.selects(name)) {
            let value = value.as_ref();
            if self.options.metadata != Metadata::None && needs_type(value) {
                type_entry(&mut map, name, value.edm_type())?;
            }
            map.serialize_entry(name, &JsonValue(value))?;
        }
        self.missing(&mut map)?;
        map.end()
    }
}

/// Whether the JSON of a value would be taken for another type (S2.6).
fn needs_type(value: ValueRef<'_>) -> bool {
    match value {
        ValueRef::Int32(_) | ValueRef::Boolean(_) | ValueRef::String(_) => false,
        ValueRef::Double(number) => !number.is_finite(),
        ValueRef::Int64(_) | ValueRef::DateTime(_) | ValueRef::Guid(_) | ValueRef::Binary(_) => true,
    }
}

fn type_entry<M: SerializeMap>(map: &mut M, name: &str, edm_type: EdmType) -> Result<(), M::Error> {
    map.serialize_entry(&format_args!("{name}{TYPE_SUFFIX}"), edm_type.name())
}

/// A value in the JSON form of S2.1.
struct JsonValue<'a>(ValueRef<'a>);

impl Serialize for JsonValue<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0 {
            ValueRef::Int32(value) => serializer.serialize_i32(value),
            ValueRef::Int64(value) => serializer.collect_str(&value),
            ValueRef::Double(value) if value.is_finite() => serializer.serialize_f64(value),
            ValueRef::Double(value) if value.is_nan() => serializer.serialize_str("NaN"),
            ValueRef::Double(value) => {
                serializer.serialize_str(if value.is_sign_negative() { "-Infinity" } else { "Infinity" })
            }
            ValueRef::DateTime(value) => serializer.collect_str(&value),
            ValueRef::Guid(value) => serializer.collect_str(&value),
            ValueRef::Boolean(value) => serializer.serialize_bool(value),
            ValueRef::String(value) => serializer.serialize_str(value),
            ValueRef::Binary(value) => serializer.collect_str(&Base64Display::new(value, &STANDARD)),
        }
    }
}

/// A key as a quoted literal in an address: quotes doubled, then percent-encoded.
struct Literal<'a>(&'a str);

impl fmt::Display for Literal<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("'")?;
        for byte in self.0.bytes() {
            match byte {
                b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'_' | b'.' | b'~' => write!(f, "{}", byte as char)?,
                b'\'' => f.write_str("%27%27")?,
                _ => write!(f, "%{byte:02X}")?,
            }
        }
        f.write_str("'")
    }
}
