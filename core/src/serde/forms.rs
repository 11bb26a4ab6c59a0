//! What the model's types look like to serde: exact to our own serializer, plain text or number to any other.

use crate::limits;
use crate::model::KeyPair;
use crate::model::names::{PARTITION_KEY, ROW_KEY, TIMESTAMP, is_annotation};
use crate::{DateTime, ETag, Entity, Guid, Value};
use serde::de::{self, Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use serde::ser::{Serialize, SerializeMap, Serializer};
use std::collections::HashSet;
use std::fmt;
use std::marker::PhantomData;
use std::sync::Arc;

/// The newtype name of a DateTime, and the key of its mark.
pub(super) const DATE_TIME: &str = "$entable::DateTime";
/// The newtype name of a Guid, and the key of its mark.
pub(super) const GUID: &str = "$entable::Guid";
/// The member with the ETag, as in the service's JSON.
pub(super) const ETAG: &str = "odata.etag";

/// Writes its text (S2.3.5). To this crate's serializer it is an Edm.DateTime.
impl Serialize for DateTime {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_newtype_struct(DATE_TIME, &Text(self))
    }
}

/// Writes its text. To this crate's serializer it is an Edm.Guid.
impl Serialize for Guid {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_newtype_struct(GUID, &Text(self))
    }
}

/// Writes its text.
impl Serialize for ETag {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// Writes the value as serde knows it: numbers, texts, bytes; DateTime and Guid as these write themselves.
impl Serialize for Value {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Value::Int32(value) => serializer.serialize_i32(*value),
            Value::Int64(value) => serializer.serialize_i64(*value),
            Value::Double(value) => serializer.serialize_f64(*value),
            Value::DateTime(value) => value.serialize(serializer),
            Value::Guid(value) => value.serialize(serializer),
            Value::Boolean(value) => serializer.serialize_bool(*value),
            Value::String(value) => serializer.serialize_str(value),
            Value::Binary(value) => serializer.serialize_bytes(value),
        }
    }
}

/// Writes a map: `odata.etag` and `Timestamp` if it has them, both keys, then the properties.
impl Serialize for Entity {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        if let Some(etag) = self.etag() {
            map.serialize_entry(ETAG, &etag)?;
        }
        map.serialize_entry(PARTITION_KEY, self.partition_key())?;
        map.serialize_entry(ROW_KEY, self.row_key())?;
        if let Some(timestamp) = self.timestamp() {
            map.serialize_entry(TIMESTAMP, &timestamp)?;
        }
        for (name, value) in self.properties() {
            map.serialize_entry(name, value)?;
        }
        map.end()
    }
}

struct Text<T>(T);

impl<T: fmt::Display> Serialize for Text<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&self.0)
    }
}

/// Reads its text (S2.3), of any year.
impl<'de> Deserialize<'de> for DateTime {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<DateTime, D::Error> {
        deserializer.deserialize_newtype_struct(DATE_TIME, MarkedVisitor(PhantomData))
    }
}

/// Reads its text.
impl<'de> Deserialize<'de> for Guid {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Guid, D::Error> {
        deserializer.deserialize_newtype_struct(GUID, MarkedVisitor(PhantomData))
    }
}

/// Reads its text.
impl<'de> Deserialize<'de> for ETag {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<ETag, D::Error> {
        struct ETagVisitor;

        impl Visitor<'_> for ETagVisitor {
            type Value = ETag;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an ETag")
            }

            fn visit_str<E: de::Error>(self, text: &str) -> Result<ETag, E> {
                text.parse().map_err(E::custom)
            }
        }

        deserializer.deserialize_str(ETagVisitor)
    }
}

/// A type that serde has no word for.
trait Marked: Sized {
    const EXPECTED: &'static str;

    fn from_text(text: &str) -> Option<Self>;

    fn from_value(value: &Value) -> Option<Self>;
}

impl Marked for DateTime {
    const EXPECTED: &'static str = "a DateTime";

    fn from_text(text: &str) -> Option<DateTime> {
        DateTime::parse(text, &limits::EXTENDED).ok()
    }

    fn from_value(value: &Value) -> Option<DateTime> {
        value.as_datetime()
    }
}

impl Marked for Guid {
    const EXPECTED: &'static str = "a Guid";

    fn from_text(text: &str) -> Option<Guid> {
        text.parse().ok()
    }

    fn from_value(value: &Value) -> Option<Guid> {
        value.as_guid()
    }
}

struct MarkedVisitor<T>(PhantomData<T>);

impl<'de, T: Marked> Visitor<'de> for MarkedVisitor<T> {
    type Value = T;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(T::EXPECTED)
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<T, E> {
        T::from_text(text).ok_or_else(|| E::invalid_value(de::Unexpected::Str(text), &self))
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<T, A::Error> {
        let value = read_mark(map)?;
        T::from_value(&value)
            .ok_or_else(|| de::Error::invalid_type(de::Unexpected::Other(value.edm_type().name()), &self))
    }

    fn visit_newtype_struct<D: Deserializer<'de>>(self, deserializer: D) -> Result<T, D::Error> {
        // What serde has put by for later calls itself readable, and may hold the mark; compact formats can only
        // give what is asked for.
        if deserializer.is_human_readable() {
            deserializer.deserialize_any(self)
        } else {
            deserializer.deserialize_str(self)
        }
    }
}

/// Reads the map of one entry that stands for a DateTime or Guid where the reader does not know what is wanted,
/// as in what `#[serde(flatten)]` and tagged enums put by for later. No stored value looks like it.
fn read_mark<'de, A: MapAccess<'de>>(mut map: A) -> Result<Value, A::Error> {
    match map.next_key::<String>()?.as_deref() {
        Some(DATE_TIME) => DateTime::from_ticks(map.next_value()?).map(Value::DateTime).map_err(de::Error::custom),
        Some(GUID) => map.next_value::<String>()?.parse().map(Value::Guid).map_err(de::Error::custom),
        _ => Err(de::Error::invalid_type(de::Unexpected::Map, &ValueVisitor)),
    }
}

/// Reads what the format says that it is. Formats with one kind of whole number, such as JSON, give Int64.
impl<'de> Deserialize<'de> for Value {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Value, D::Error> {
        deserializer.deserialize_any(ValueVisitor)
    }
}

struct ValueVisitor;

macro_rules! visit {
    ($($method:ident $from:ty => $variant:ident;)+) => {$(
        fn $method<E: de::Error>(self, value: $from) -> Result<Value, E> { Ok(Value::$variant(value.into())) }
    )+};
}

impl<'de> Visitor<'de> for ValueVisitor {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value of an Edm type")
    }

    visit! {
        visit_bool bool => Boolean;
        visit_i8 i8 => Int32; visit_i16 i16 => Int32; visit_i32 i32 => Int32; visit_i64 i64 => Int64;
        visit_u8 u8 => Int32; visit_u16 u16 => Int32; visit_u32 u32 => Int64;
        visit_f32 f32 => Double; visit_f64 f64 => Double;
        visit_str &str => String; visit_string String => String;
        visit_bytes &[u8] => Binary; visit_byte_buf Vec<u8> => Binary;
    }

    fn visit_u64<E: de::Error>(self, value: u64) -> Result<Value, E> {
        match i64::try_from(value) {
            Ok(value) => Ok(Value::Int64(value)),
            Err(_) => Err(E::invalid_value(de::Unexpected::Unsigned(value), &"an Edm.Int64")),
        }
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut bytes: A) -> Result<Value, A::Error> {
        let mut binary = Vec::new();
        while let Some(byte) = bytes.next_element()? {
            binary.push(byte);
        }
        Ok(Value::Binary(binary))
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Value, A::Error> {
        read_mark(map)
    }

    fn visit_newtype_struct<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        deserializer.deserialize_any(self)
    }

    fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

/// Reads a map with both keys; null is a property that is not there, and annotations other than `odata.etag`
/// are left out.
impl<'de> Deserialize<'de> for Entity {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Entity, D::Error> {
        deserializer.deserialize_map(EntityVisitor)
    }
}

struct EntityVisitor;

impl<'de> Visitor<'de> for EntityVisitor {
    type Value = Entity;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an entity")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Entity, A::Error> {
        let (mut partition_key, mut row_key) = (None, None);
        let (mut timestamp, mut etag): (Option<DateTime>, Option<ETag>) = (None, None);
        let mut properties: Vec<(Arc<str>, Value)> = Vec::new();
        let mut names = HashSet::new();
        while let Some(name) = map.next_key::<String>()? {
            match name.as_str() {
                PARTITION_KEY => partition_key = Some(map.next_value()?),
                ROW_KEY => row_key = Some(map.next_value()?),
                TIMESTAMP => timestamp = map.next_value()?,
                ETAG => etag = map.next_value()?,
                other if is_annotation(other) => _ = map.next_value::<de::IgnoredAny>()?,
                other => {
                    if let Some(value) = map.next_value()? {
                        properties.push((other.into(), value));
                    }
                }
            }
            if let Some(twice) = names.replace(name) {
                return Err(de::Error::custom(format_args!("the property '{twice}' comes twice")));
            }
        }
        let missing = <A::Error as de::Error>::missing_field;
        let partition_key: String = partition_key.ok_or_else(|| missing(PARTITION_KEY))?;
        let row_key: String = row_key.ok_or_else(|| missing(ROW_KEY))?;
        // The ETag is the Timestamp in another form (S4.3.3), so each tells the version.
        match etag.and_then(|etag| etag.timestamp()).or(timestamp) {
            Some(version) => Ok(Entity::stored(
                KeyPair::of(partition_key, row_key),
                timestamp,
                version,
                properties.into_iter().collect(),
            )),
            None => {
                let mut entity = Entity::new(partition_key, row_key);
                for (name, value) in properties {
                    entity.insert(name, value);
                }
                Ok(entity)
            }
        }
    }
}
