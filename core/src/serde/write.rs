//! A struct or map of the user's becomes an entity to be written.

use super::failure::Failure;
use super::forms::ETAG;
use super::property::ValueSerializer;
use crate::model::KeyPair;
use crate::model::names::{PARTITION_KEY, ROW_KEY, TIMESTAMP, is_annotation};
use crate::model::shared_name;
use crate::{ETag, EntityInput, Error, ErrorCode, InputValue, IntoEntity, Result, Value};
use serde::ser::{self, Impossible, Serialize, Serializer};
use std::fmt::Display;
use std::sync::Arc;

/// Writes users' own structs and maps: whatever serde serializes with named fields.
///
/// | field | property |
/// |---|---|
/// | `PartitionKey`, `RowKey` (texts) | the keys |
/// | `Timestamp` | none: the store sets it |
/// | `odata.etag` ([`ETag`], or its text) | [`EntityInput::etag`] |
/// | other names that begin with `odata.` | none |
/// | `i8` `i16` `i32` `u8` `u16` | Int32 |
/// | `i64` `u32`; `u64` `i128` `u128` if the number fits | Int64 |
/// | `f32` `f64` | Double |
/// | `bool` | Boolean |
/// | `String` `&str` `char`, an enum's variant without data (its name) | String |
/// | `Vec<u8>`, `[u8; N]`, `&[u8]`, other bytes; any sequence that is empty | Binary |
/// | [`DateTime`](crate::DateTime), [`Guid`](crate::Guid), [`Value`] | their own type |
/// | `None`, `()` | none: null is never stored (S2.2) |
/// | a newtype struct, `Some` | what is inside |
///
/// Types from elsewhere are what they tell serde of themselves in a format that people read:
/// `uuid::Uuid` and times of other crates become Strings, and are read back from Strings. For an Edm.Guid or
/// Edm.DateTime use [`Guid`](crate::Guid) and [`DateTime`](crate::DateTime), which convert from and to `uuid::Uuid` and
/// [`SystemTime`](std::time::SystemTime). A `serde_json::Value` has whole numbers as Int64 and times as texts: for the
/// service's JSON there is [`entity_from_json`](crate::entity_from_json).
///
/// Names are as serde gives them: `#[serde(rename_all = "PascalCase")]` makes `partition_key` the PartitionKey.
/// `#[serde(flatten)]` and `#[serde(tag = "…")]` work as they do elsewhere.
///
/// # Errors
/// - [`ErrorCode::PropertiesNeedValue`]: a key is missing or `None`.
/// - [`ErrorCode::InvalidInput`]: a number beyond Int64, a key that is no text, and what no property can hold: a
///   struct, a map, a tuple, a sequence of other than bytes, an enum's variant with data. Each names the property.
///
/// # Example
/// ```
/// use entable::{DateTime, EntityInput, IntoEntity, Value};
///
/// #[derive(serde::Serialize)]
/// #[serde(rename_all = "PascalCase")]
/// struct Order<'a> {
///     partition_key: &'a str,
///     row_key: &'a str,
///     total: f64,
///     lines: u16,
///     placed: DateTime,
///     note: Option<String>,
/// }
///
/// let placed = "2013-08-22T01:12:06Z".parse()?;
/// let order = Order { partition_key: "DE", row_key: "0001", total: 12.0, lines: 3, placed, note: None };
/// let mut expected = EntityInput::new("DE", "0001");
/// expected.push("Total", 12.0);
/// expected.push("Lines", 3);
/// expected.push("Placed", placed);
/// assert_eq!((&order).into_input()?, expected);
/// # Ok::<(), entable::Error>(())
/// ```
impl<T: Serialize + ?Sized> IntoEntity for &T {
    fn into_input(self) -> Result<EntityInput> {
        self.serialize(EntitySerializer).map_err(|failure| failure.0)
    }
}

/// What has been met of an entity so far.
#[derive(Default)]
struct Builder {
    partition_key: Option<String>,
    row_key: Option<String>,
    etag: Option<ETag>,
    properties: Vec<(Arc<str>, InputValue)>,
    /// The key of a map's entry whose value comes next.
    pending: Option<String>,
}

impl Builder {
    fn add<T: Serialize + ?Sized>(&mut self, name: &str, value: &T) -> Result<(), Failure> {
        if name == TIMESTAMP || (is_annotation(name) && name != ETAG && !name.ends_with("@odata.type")) {
            return Ok(());
        }
        let value = value.serialize(ValueSerializer).map_err(|failure| failure.property(name))?.into_value();
        let Some(value) = value else { return Ok(()) };
        match name {
            PARTITION_KEY => set_once(&mut self.partition_key, name, key_text(name, value)?),
            ROW_KEY => set_once(&mut self.row_key, name, key_text(name, value)?),
            ETAG => {
                let etag = value.as_str().and_then(|text| text.parse().ok());
                let etag = etag.ok_or_else(|| Failure::new("It is no ETag.").property(name))?;
                set_once(&mut self.etag, name, etag)
            }
            _ if is_annotation(name) => {
                let fact = "Types are not taken from annotations here: entity_from_json reads the service's JSON.";
                Err(Failure::new(fact).property(name))
            }
            _ => {
                self.properties.push((shared_name(name), InputValue::Typed(value)));
                Ok(())
            }
        }
    }

    fn finish(self) -> Result<EntityInput, Failure> {
        let missing = |name| {
            let fact = format!("No field is called {name} (#[serde(rename = \"{name}\")] names one so).");
            Failure(Error::new(ErrorCode::PropertiesNeedValue).fact(fact)).property(name)
        };
        let partition_key = self.partition_key.ok_or_else(|| missing(PARTITION_KEY))?;
        let keys = KeyPair::of(partition_key, self.row_key.ok_or_else(|| missing(ROW_KEY))?);
        Ok(EntityInput { keys, etag: self.etag, properties: self.properties })
    }
}

fn set_once<T>(place: &mut Option<T>, name: &str, value: T) -> Result<(), Failure> {
    match place.replace(value) {
        None => Ok(()),
        Some(_) => Err(Failure(Error::new(ErrorCode::DuplicatePropertiesSpecified)).property(name)),
    }
}

fn key_text(name: &str, value: Value) -> Result<String, Failure> {
    match value {
        Value::String(text) => Ok(text),
        other => Err(Failure::new(format!("A key is an Edm.String, this one an {}.", other.edm_type())).property(name)),
    }
}

impl ser::SerializeStruct for Builder {
    type Ok = EntityInput;
    type Error = Failure;

    fn serialize_field<T: Serialize + ?Sized>(&mut self, name: &'static str, value: &T) -> Result<(), Failure> {
        self.add(name, value)
    }

    fn end(self) -> Result<EntityInput, Failure> {
        self.finish()
    }
}

impl ser::SerializeMap for Builder {
    type Ok = EntityInput;
    type Error = Failure;

    fn serialize_key<T: Serialize + ?Sized>(&mut self, key: &T) -> Result<(), Failure> {
        match key.serialize(ValueSerializer)?.into_value() {
            Some(Value::String(name)) => self.pending = Some(name),
            _ => return Err(Failure::new("The name of a property is a text.")),
        }
        Ok(())
    }

    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Failure> {
        match self.pending.take() {
            Some(name) => self.add(&name, value),
            None => Err(Failure::new("A map gave a value without its name.")),
        }
    }

    fn end(self) -> Result<EntityInput, Failure> {
        self.finish()
    }
}

/// The methods of a serializer that takes nothing of the kind. `$refuse` gives the error for what was met.
macro_rules! refuse {
    ($refuse:path; $($method:ident $(($type:ty))?;)+) => {$(
        fn $method(self $(, _value: $type)?) -> Result<Self::Ok, Failure> {
            Err($refuse(&stringify!($method)["serialize_".len()..]))
        }
    )+};
}

fn no_entity(met: impl Display) -> Failure {
    Failure::new(format!("An entity is a struct or a map, this is a value of type {met}."))
}

/// Takes the struct or map that is the whole entity.
struct EntitySerializer;

impl Serializer for EntitySerializer {
    type Ok = EntityInput;
    type Error = Failure;
    type SerializeSeq = Impossible<EntityInput, Failure>;
    type SerializeTuple = Impossible<EntityInput, Failure>;
    type SerializeTupleStruct = Impossible<EntityInput, Failure>;
    type SerializeTupleVariant = Impossible<EntityInput, Failure>;
    type SerializeMap = Builder;
    type SerializeStruct = Builder;
    type SerializeStructVariant = Impossible<EntityInput, Failure>;

    refuse! {
        no_entity;
        serialize_bool(bool);
        serialize_i8(i8); serialize_i16(i16); serialize_i32(i32); serialize_i64(i64); serialize_i128(i128);
        serialize_u8(u8); serialize_u16(u16); serialize_u32(u32); serialize_u64(u64); serialize_u128(u128);
        serialize_f32(f32); serialize_f64(f64);
        serialize_char(char); serialize_str(&str); serialize_bytes(&[u8]);
        serialize_none; serialize_unit; serialize_unit_struct(&'static str);
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result<EntityInput, Failure> {
        value.serialize(self)
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(
        self,
        _name: &'static str,
        value: &T,
    ) -> Result<EntityInput, Failure> {
        value.serialize(self)
    }

    fn serialize_map(self, _len: Option<usize>) -> Result<Builder, Failure> {
        Ok(Builder::default())
    }

    fn serialize_struct(self, _name: &'static str, _len: usize) -> Result<Builder, Failure> {
        Ok(Builder::default())
    }

    fn serialize_unit_variant(self, name: &'static str, _: u32, _: &'static str) -> Result<EntityInput, Failure> {
        Err(no_entity(name))
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        name: &'static str,
        _: u32,
        _: &'static str,
        _: &T,
    ) -> Result<EntityInput, Failure> {
        Err(untagged(name))
    }

    fn serialize_seq(self, _: Option<usize>) -> Result<Self::SerializeSeq, Failure> {
        Err(no_entity("seq"))
    }

    fn serialize_tuple(self, _: usize) -> Result<Self::SerializeTuple, Failure> {
        Err(no_entity("tuple"))
    }

    fn serialize_tuple_struct(self, name: &'static str, _: usize) -> Result<Self::SerializeTupleStruct, Failure> {
        Err(no_entity(name))
    }

    fn serialize_tuple_variant(
        self,
        name: &'static str,
        _: u32,
        _: &'static str,
        _: usize,
    ) -> Result<Self::SerializeTupleVariant, Failure> {
        Err(untagged(name))
    }

    fn serialize_struct_variant(
        self,
        name: &'static str,
        _: u32,
        _: &'static str,
        _: usize,
    ) -> Result<Self::SerializeStructVariant, Failure> {
        Err(untagged(name))
    }
}

fn untagged(name: &str) -> Failure {
    Failure::new(format!("The variant of the enum {name} needs a property of its own: #[serde(tag = \"…\")]."))
}
