//! One field of the user's becomes the value of a property, or nothing.

use super::failure::Failure;
use super::forms::{DATE_TIME, GUID};
use crate::{DateTime, Error, Guid, Value, limits};
use serde::ser::{self, Impossible, Serialize, Serializer};
use std::fmt::Display;

fn no_value(met: impl Display) -> Failure {
    Failure::new(format!("A property holds one value, this is {met}."))
}

/// What a field turns out to be.
pub(super) enum Output {
    /// Left out.
    Nothing,
    /// An Int32, or one of the bytes of a Binary.
    Byte(u8),
    Value(Value),
}

impl Output {
    pub(super) fn into_value(self) -> Option<Value> {
        match self {
            Output::Nothing => None,
            Output::Byte(byte) => Some(Value::Int32(byte.into())),
            Output::Value(value) => Some(value),
        }
    }
}

fn value(value: impl Into<Value>) -> Result<Output, Failure> {
    Ok(Output::Value(value.into()))
}

/// A whole number that may be beyond 64 bits.
fn int64<T: TryInto<i64> + TryInto<usize> + Display + Copy>(number: T) -> Result<Output, Failure> {
    if let Ok(number) = TryInto::<i64>::try_into(number) {
        return value(number);
    }
    let error = Error::invalid(format!("{number} does not fit an Edm.Int64."));
    // The largest Int64 is half of what a `usize` holds.
    Err(Failure(match number.try_into() {
        Ok(actual) => error.limit(usize::MAX / 2, actual),
        Err(_) => error,
    }))
}

/// Takes the value of one field.
pub(super) struct ValueSerializer;

impl Serializer for ValueSerializer {
    type Ok = Output;
    type Error = Failure;
    type SerializeSeq = Bytes;
    type SerializeTuple = Bytes;
    type SerializeTupleStruct = Impossible<Output, Failure>;
    type SerializeTupleVariant = Impossible<Output, Failure>;
    type SerializeMap = Impossible<Output, Failure>;
    type SerializeStruct = Impossible<Output, Failure>;
    type SerializeStructVariant = Impossible<Output, Failure>;

    fn serialize_bool(self, v: bool) -> Result<Output, Failure> {
        value(v)
    }

    fn serialize_i8(self, v: i8) -> Result<Output, Failure> {
        value(i32::from(v))
    }

    fn serialize_i16(self, v: i16) -> Result<Output, Failure> {
        value(i32::from(v))
    }

    fn serialize_i32(self, v: i32) -> Result<Output, Failure> {
        value(v)
    }

    fn serialize_i64(self, v: i64) -> Result<Output, Failure> {
        value(v)
    }

    fn serialize_i128(self, v: i128) -> Result<Output, Failure> {
        int64(v)
    }

    fn serialize_u8(self, v: u8) -> Result<Output, Failure> {
        Ok(Output::Byte(v))
    }

    fn serialize_u16(self, v: u16) -> Result<Output, Failure> {
        value(i32::from(v))
    }

    fn serialize_u32(self, v: u32) -> Result<Output, Failure> {
        value(i64::from(v))
    }

    fn serialize_u64(self, v: u64) -> Result<Output, Failure> {
        int64(v)
    }

    fn serialize_u128(self, v: u128) -> Result<Output, Failure> {
        int64(v)
    }

    fn serialize_f32(self, v: f32) -> Result<Output, Failure> {
        value(f64::from(v))
    }

    fn serialize_f64(self, v: f64) -> Result<Output, Failure> {
        value(v)
    }

    fn serialize_char(self, v: char) -> Result<Output, Failure> {
        value(String::from(v))
    }

    fn serialize_str(self, v: &str) -> Result<Output, Failure> {
        value(v)
    }

    fn serialize_bytes(self, v: &[u8]) -> Result<Output, Failure> {
        value(v)
    }

    fn serialize_none(self) -> Result<Output, Failure> {
        Ok(Output::Nothing)
    }

    fn serialize_unit(self) -> Result<Output, Failure> {
        Ok(Output::Nothing)
    }

    fn serialize_unit_struct(self, _name: &'static str) -> Result<Output, Failure> {
        Ok(Output::Nothing)
    }

    fn serialize_unit_variant(self, _: &'static str, _: u32, variant: &'static str) -> Result<Output, Failure> {
        value(variant)
    }

    fn serialize_some<T: Serialize + ?Sized>(self, inner: &T) -> Result<Output, Failure> {
        inner.serialize(self)
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(self, name: &'static str, inner: &T) -> Result<Output, Failure> {
        let output = inner.serialize(self)?;
        match (name, &output) {
            (DATE_TIME, Output::Value(Value::String(text))) => {
                DateTime::parse(text, &limits::EXTENDED).map_err(Failure).and_then(value)
            }
            (GUID, Output::Value(Value::String(text))) => text.parse::<Guid>().map_err(Failure).and_then(value),
            _ => Ok(output),
        }
    }

    fn serialize_seq(self, _len: Option<usize>) -> Result<Bytes, Failure> {
        Ok(Bytes(Vec::new()))
    }

    fn serialize_tuple(self, _len: usize) -> Result<Bytes, Failure> {
        Ok(Bytes(Vec::new()))
    }

    fn serialize_tuple_struct(self, name: &'static str, _: usize) -> Result<Self::SerializeTupleStruct, Failure> {
        Err(no_value(format_args!("the tuple struct {name}")))
    }

    fn serialize_map(self, _: Option<usize>) -> Result<Self::SerializeMap, Failure> {
        Err(no_value("a map"))
    }

    fn serialize_struct(self, name: &'static str, _: usize) -> Result<Self::SerializeStruct, Failure> {
        match name {
            "SystemTime" => Err(no_value("a SystemTime: use entable::DateTime")),
            _ => Err(no_value(format_args!("the struct {name}"))),
        }
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        name: &'static str,
        _: u32,
        variant: &'static str,
        _: &T,
    ) -> Result<Output, Failure> {
        Err(no_value(format_args!("the enum variant {name}::{variant} with data")))
    }

    fn serialize_tuple_variant(
        self,
        name: &'static str,
        _: u32,
        variant: &'static str,
        _: usize,
    ) -> Result<Self::SerializeTupleVariant, Failure> {
        Err(no_value(format_args!("the enum variant {name}::{variant} with data")))
    }

    fn serialize_struct_variant(
        self,
        name: &'static str,
        _: u32,
        variant: &'static str,
        _: usize,
    ) -> Result<Self::SerializeStructVariant, Failure> {
        Err(no_value(format_args!("the enum variant {name}::{variant} with data")))
    }
}

/// A sequence that is a Binary as long as every element is a byte.
pub(super) struct Bytes(Vec<u8>);

impl Bytes {
    fn add<T: Serialize + ?Sized>(&mut self, element: &T) -> Result<(), Failure> {
        match element.serialize(ValueSerializer) {
            Ok(Output::Byte(byte)) => {
                self.0.push(byte);
                Ok(())
            }
            Ok(Output::Value(value)) => Err(no_value(format_args!("a sequence of {}", value.edm_type()))),
            Ok(Output::Nothing) | Err(_) => Err(no_value("a sequence of other than bytes")),
        }
    }
}

impl ser::SerializeSeq for Bytes {
    type Ok = Output;
    type Error = Failure;

    fn serialize_element<T: Serialize + ?Sized>(&mut self, element: &T) -> Result<(), Failure> {
        self.add(element)
    }

    fn end(self) -> Result<Output, Failure> {
        value(self.0)
    }
}

impl ser::SerializeTuple for Bytes {
    type Ok = Output;
    type Error = Failure;

    fn serialize_element<T: Serialize + ?Sized>(&mut self, element: &T) -> Result<(), Failure> {
        self.add(element)
    }

    fn end(self) -> Result<Output, Failure> {
        value(self.0)
    }
}
