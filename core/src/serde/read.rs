//! A stored entity becomes a struct of the user's.

use super::failure::Failure;
use super::forms::{DATE_TIME, ETAG, GUID};
use crate::model::names::{PARTITION_KEY, ROW_KEY, TIMESTAMP};
use crate::{Entity, Result, ValueRef};
use serde::de::value::{BorrowedStrDeserializer, MapDeserializer, SeqDeserializer};
use serde::de::{DeserializeOwned, DeserializeSeed, Deserializer, Expected, IntoDeserializer, MapAccess, Visitor};
use serde::forward_to_deserialize_any;
use std::cell::OnceCell;
use std::{iter, vec};

/// Reads an entity into a struct or map of the user's own.
///
/// Fields are found by name: `PartitionKey`, `RowKey`, `Timestamp` (a [`DateTime`](crate::DateTime)), `odata.etag` (an
/// [`ETag`](crate::ETag)), and the properties. Types are exact, as written by `&T`'s
/// [`IntoEntity`](crate::IntoEntity):
///
/// | property | field |
/// |---|---|
/// | Int32, Int64 | any integer type that the number fits |
/// | Double | `f64`; `f32` if nothing is lost |
/// | DateTime, Guid | [`DateTime`](crate::DateTime), [`Guid`](crate::Guid) |
/// | Boolean | `bool` |
/// | String | `String`, `char` if it is one, an enum's variant without data |
/// | Binary | `Vec<u8>`, `[u8; N]` of that length, other bytes |
/// | any | [`Value`](crate::Value), a newtype struct or `Option` of what fits |
/// | none | `None`, or `#[serde(default)]` |
///
/// Properties without a field are passed over, but for `#[serde(deny_unknown_fields)]`, which speaks of properties:
/// keys, Timestamp and ETag need no field. A map, and what `#[serde(flatten)]` collects, gets all of them, so
/// `HashMap<String, Value>` keeps every value with its type.
///
/// What goes through serde's own buffer (`#[serde(flatten)]`, `#[serde(tag = "…")]`, `#[serde(untagged)]`) keeps this
/// crate's types, texts, truth values, bytes, and integers up to 64 bits. There an integer may also become an `f64`,
/// a Double is rounded to an `f32`, and a Binary takes many times its size for that moment. Other crates' value
/// types, such as `serde_json::Value`, see a DateTime or Guid as a map of one entry that is for this crate alone: the
/// service's JSON comes from [`entity_to_json`](crate::entity_to_json).
///
/// # Errors
/// [`ErrorCode::InvalidInput`](crate::ErrorCode::InvalidInput), with both keys and the property: a field that must
/// be there has no property, or the property's value does not fit it.
///
/// # Example
/// ```
/// use entable::{DateTime, ETag, entity, from_entity};
///
/// #[derive(serde::Deserialize)]
/// #[serde(rename_all = "PascalCase")]
/// struct Order {
///     row_key: String,
///     total: f64,
///     lines: u16,
///     note: Option<String>,
///     timestamp: Option<DateTime>,
///     #[serde(rename = "odata.etag")]
///     etag: Option<ETag>,
/// }
///
/// let order: Order = from_entity(&entity! { "DE", "0001", "Total" => 12.0, "Lines" => 3 })?;
/// assert_eq!((order.row_key.as_str(), order.total, order.lines, order.note), ("0001", 12.0, 3, None));
/// // This one was not read from a store.
/// assert_eq!((order.timestamp, order.etag), (None, None));
/// # Ok::<(), entable::Error>(())
/// ```
pub fn from_entity<T: DeserializeOwned>(entity: &Entity) -> Result<T> {
    let etag = OnceCell::new();
    T::deserialize(EntityDeserializer { entity, etag: &etag })
        .map_err(|failure| failure.0.keys(entity.partition_key(), entity.row_key()))
}

struct EntityDeserializer<'de> {
    entity: &'de Entity,
    /// The text of the ETag, made if somebody wants it.
    etag: &'de OnceCell<String>,
}

impl<'de> EntityDeserializer<'de> {
    /// Every property, with those of the system that `wants` names.
    fn members(&self, wants: impl Fn(&str) -> bool) -> Members<'de> {
        let entity = self.entity;
        let mut members = Vec::with_capacity(entity.properties().len() + 4);
        if wants(PARTITION_KEY) {
            members.push((PARTITION_KEY, ValueRef::String(entity.partition_key())));
        }
        if wants(ROW_KEY) {
            members.push((ROW_KEY, ValueRef::String(entity.row_key())));
        }
        if let Some(timestamp) = entity.timestamp().filter(|_| wants(TIMESTAMP)) {
            members.push((TIMESTAMP, ValueRef::DateTime(timestamp)));
        }
        if let Some(etag) = entity.etag().filter(|_| wants(ETAG)) {
            members.push((ETAG, ValueRef::String(self.etag.get_or_init(|| etag.to_string()))));
        }
        members.extend(entity.properties().map(|(name, value)| (name, value.as_ref())));
        Members { members: members.into_iter(), next: None }
    }
}

impl<'de> Deserializer<'de> for EntityDeserializer<'de> {
    type Error = Failure;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Failure> {
        visitor.visit_map(self.members(|_| true))
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Failure> {
        visitor.visit_map(self.members(|name| fields.contains(&name)))
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(self, _name: &'static str, visitor: V) -> Result<V::Value, Failure> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Failure> {
        visitor.visit_some(self)
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit unit_struct
        seq tuple tuple_struct map enum identifier ignored_any
    }
}

struct Members<'de> {
    members: vec::IntoIter<(&'de str, ValueRef<'de>)>,
    next: Option<(&'de str, ValueRef<'de>)>,
}

impl<'de> MapAccess<'de> for Members<'de> {
    type Error = Failure;

    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>, Failure> {
        self.next = self.members.next();
        match self.next {
            Some((name, _)) => seed.deserialize(BorrowedStrDeserializer::<Failure>::new(name)).map(Some),
            None => Ok(None),
        }
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, Failure> {
        match self.next.take() {
            Some((name, value)) => seed.deserialize(Property(value)).map_err(|failure| failure.property(name)),
            None => Err(Failure::new("A map's value was asked for before its name.")),
        }
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.members.len())
    }
}

/// The value of one property.
struct Property<'de>(ValueRef<'de>);

impl<'de> Property<'de> {
    fn mismatch<T>(&self, expected: &dyn Expected) -> Result<T, Failure> {
        Err(Failure::new(format!("The property is an {}, the field takes {expected}.", self.0.edm_type())))
    }

    fn integer<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Failure> {
        match self.0 {
            ValueRef::Int32(value) => visitor.visit_i32(value),
            ValueRef::Int64(value) => visitor.visit_i64(value),
            _ => self.mismatch(&visitor),
        }
    }

    fn text<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Failure> {
        match self.0 {
            ValueRef::String(value) => visitor.visit_borrowed_str(value),
            _ => self.mismatch(&visitor),
        }
    }

    fn byte_sequence<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Failure> {
        let ValueRef::Binary(bytes) = self.0 else { return self.mismatch(&visitor) };
        let mut elements = SeqDeserializer::new(bytes.iter().copied());
        let value = visitor.visit_seq(&mut elements)?;
        elements.end()?;
        Ok(value)
    }
}

macro_rules! forward {
    ($to:ident: $($method:ident)+) => {$(
        fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Failure> { self.$to(visitor) }
    )+};
}

impl<'de> Deserializer<'de> for Property<'de> {
    type Error = Failure;

    /// For who takes what there is. A DateTime and a Guid go as their mark; a Binary as a sequence, because serde
    /// makes no `Vec<u8>` of bytes that it has put by.
    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Failure> {
        match self.0 {
            ValueRef::Int32(value) => visitor.visit_i32(value),
            ValueRef::Int64(value) => visitor.visit_i64(value),
            ValueRef::Double(value) => visitor.visit_f64(value),
            ValueRef::DateTime(value) => {
                visitor.visit_map(MapDeserializer::new(iter::once((DATE_TIME, value.ticks()))))
            }
            ValueRef::Guid(value) => visitor.visit_map(MapDeserializer::new(iter::once((GUID, value.to_string())))),
            ValueRef::Boolean(value) => visitor.visit_bool(value),
            ValueRef::String(value) => visitor.visit_borrowed_str(value),
            ValueRef::Binary(_) => self.byte_sequence(visitor),
        }
    }

    forward! {
        integer: deserialize_i8 deserialize_i16 deserialize_i32 deserialize_i64 deserialize_i128
        deserialize_u8 deserialize_u16 deserialize_u32 deserialize_u64 deserialize_u128
    }
    forward! { text: deserialize_char deserialize_str deserialize_string }
    forward! { deserialize_bytes: deserialize_byte_buf }
    forward! { byte_sequence: deserialize_seq }
    forward! { deserialize_any: deserialize_identifier }

    fn deserialize_bool<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Failure> {
        match self.0 {
            ValueRef::Boolean(value) => visitor.visit_bool(value),
            _ => self.mismatch(&visitor),
        }
    }

    fn deserialize_f64<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Failure> {
        match self.0 {
            ValueRef::Double(value) => visitor.visit_f64(value),
            // Visitors of floating point take integers too.
            _ => self.mismatch(&visitor),
        }
    }

    fn deserialize_f32<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Failure> {
        match self.0 {
            ValueRef::Double(value) if value.is_nan() || f64::from(value as f32) == value => visitor.visit_f64(value),
            ValueRef::Double(value) => Err(Failure::new(format!("{value:?} does not fit an f32 without loss."))),
            _ => self.mismatch(&visitor),
        }
    }

    fn deserialize_bytes<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Failure> {
        match self.0 {
            ValueRef::Binary(value) => visitor.visit_borrowed_bytes(value),
            _ => self.mismatch(&visitor),
        }
    }

    fn deserialize_tuple<V: Visitor<'de>>(self, _len: usize, visitor: V) -> Result<V::Value, Failure> {
        self.byte_sequence(visitor)
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Failure> {
        visitor.visit_some(self)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(self, name: &'static str, visitor: V) -> Result<V::Value, Failure> {
        match (name, self.0) {
            (DATE_TIME, ValueRef::DateTime(_)) | (GUID, ValueRef::Guid(_)) => self.deserialize_any(visitor),
            (DATE_TIME | GUID, _) => self.mismatch(&visitor),
            _ => visitor.visit_newtype_struct(self),
        }
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _name: &'static str,
        _variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Failure> {
        match self.0 {
            ValueRef::String(variant) => visitor.visit_enum(variant.into_deserializer()),
            _ => self.mismatch(&visitor),
        }
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        _fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Failure> {
        match name {
            "SystemTime" => self.mismatch(&"a SystemTime: use entable::DateTime"),
            _ => self.mismatch(&visitor),
        }
    }

    fn deserialize_map<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Failure> {
        self.mismatch(&visitor)
    }

    fn deserialize_unit<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Failure> {
        self.mismatch(&visitor)
    }

    fn deserialize_unit_struct<V: Visitor<'de>>(self, _name: &'static str, visitor: V) -> Result<V::Value, Failure> {
        self.mismatch(&visitor)
    }

    fn deserialize_tuple_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        _len: usize,
        visitor: V,
    ) -> Result<V::Value, Failure> {
        self.mismatch(&visitor)
    }

    fn deserialize_ignored_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Failure> {
        visitor.visit_unit()
    }
}
