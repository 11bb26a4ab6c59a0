//! The eight types of the data model.

use super::{DateTime, Guid};
use base64::display::Base64Display;
use base64::engine::general_purpose::STANDARD;
use std::fmt;

/// A type of the data model (S2.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u8)]
pub enum EdmType {
    /// 32-bit signed integer.
    Int32 = 1,
    /// 64-bit signed integer.
    Int64 = 2,
    /// IEEE 754 binary64.
    Double = 3,
    /// An instant in UTC, in steps of 100 ns.
    DateTime = 4,
    /// 128 bits.
    Guid = 5,
    /// True or false.
    Boolean = 6,
    /// Text: at most 32,768 UTF-16 code units.
    String = 7,
    /// Bytes: at most 65,536.
    Binary = 8,
}

impl EdmType {
    /// Every type, in the order of the numbers that the file uses.
    pub const ALL: [EdmType; 8] = [
        EdmType::Int32,
        EdmType::Int64,
        EdmType::Double,
        EdmType::DateTime,
        EdmType::Guid,
        EdmType::Boolean,
        EdmType::String,
        EdmType::Binary,
    ];

    /// The name as the service writes it, such as `Edm.Int64`.
    pub const fn name(self) -> &'static str {
        match self {
            EdmType::Int32 => "Edm.Int32",
            EdmType::Int64 => "Edm.Int64",
            EdmType::Double => "Edm.Double",
            EdmType::DateTime => "Edm.DateTime",
            EdmType::Guid => "Edm.Guid",
            EdmType::Boolean => "Edm.Boolean",
            EdmType::String => "Edm.String",
            EdmType::Binary => "Edm.Binary",
        }
    }

    /// The type of this name, in the service's spelling.
    pub fn from_name(name: &str) -> Option<EdmType> {
        EdmType::ALL.into_iter().find(|edm_type| edm_type.name() == name)
    }

    /// The type of this number, as the file and the C ABI write it.
    pub fn from_number(number: u8) -> Option<EdmType> {
        EdmType::ALL.get(usize::from(number).wrapping_sub(1)).copied()
    }

    /// Whether values of this type compare by mathematical value with the other numeric types (S7.5.4).
    pub const fn is_number(self) -> bool {
        matches!(self, EdmType::Int32 | EdmType::Int64 | EdmType::Double)
    }
}

impl fmt::Display for EdmType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A typed value that owns its memory.
///
/// Two values are equal if type and value are: `Int32(5)` is not `Int64(5)`. Doubles compare as bits do,
/// so that NaN equals itself here; filters follow IEEE 754 (S7.5.5).
///
/// # Example
/// ```
/// use entable::{EdmType, Value};
/// let value = Value::from(5_i64);
/// assert_eq!((value.edm_type(), value.as_i64()), (EdmType::Int64, Some(5)));
/// ```
#[derive(Clone, Debug)]
pub enum Value {
    /// A 32-bit integer.
    Int32(i32),
    /// A 64-bit integer.
    Int64(i64),
    /// A binary64 number.
    Double(f64),
    /// An instant.
    DateTime(DateTime),
    /// A GUID.
    Guid(Guid),
    /// A truth value.
    Boolean(bool),
    /// Text.
    String(String),
    /// Bytes.
    Binary(Vec<u8>),
}

/// A typed value that borrows its text or bytes, from a [`Value`] or from a stored row.
#[derive(Clone, Copy, Debug)]
pub enum ValueRef<'a> {
    /// A 32-bit integer.
    Int32(i32),
    /// A 64-bit integer.
    Int64(i64),
    /// A binary64 number.
    Double(f64),
    /// An instant.
    DateTime(DateTime),
    /// A GUID.
    Guid(Guid),
    /// A truth value.
    Boolean(bool),
    /// Text.
    String(&'a str),
    /// Bytes.
    Binary(&'a [u8]),
}

impl Value {
    /// The value's type.
    pub fn edm_type(&self) -> EdmType {
        self.as_ref().edm_type()
    }

    /// The same value, borrowed.
    pub fn as_ref(&self) -> ValueRef<'_> {
        match self {
            Value::Int32(v) => ValueRef::Int32(*v),
            Value::Int64(v) => ValueRef::Int64(*v),
            Value::Double(v) => ValueRef::Double(*v),
            Value::DateTime(v) => ValueRef::DateTime(*v),
            Value::Guid(v) => ValueRef::Guid(*v),
            Value::Boolean(v) => ValueRef::Boolean(*v),
            Value::String(v) => ValueRef::String(v),
            Value::Binary(v) => ValueRef::Binary(v),
        }
    }

    /// The text of a String.
    pub fn as_str(&self) -> Option<&str> {
        match self {
            Value::String(v) => Some(v),
            _ => None,
        }
    }

    /// The number of an Int32 or Int64.
    pub fn as_i64(&self) -> Option<i64> {
        match self {
            Value::Int32(v) => Some((*v).into()),
            Value::Int64(v) => Some(*v),
            _ => None,
        }
    }

    /// The number of an Int32 or Double: both fit a binary64 exactly.
    pub fn as_f64(&self) -> Option<f64> {
        match self {
            Value::Int32(v) => Some((*v).into()),
            Value::Double(v) => Some(*v),
            _ => None,
        }
    }

    /// The truth value of a Boolean.
    pub fn as_bool(&self) -> Option<bool> {
        match self {
            Value::Boolean(v) => Some(*v),
            _ => None,
        }
    }

    /// The bytes of a Binary.
    pub fn as_bytes(&self) -> Option<&[u8]> {
        match self {
            Value::Binary(v) => Some(v),
            _ => None,
        }
    }

    /// The instant of a DateTime.
    pub fn as_datetime(&self) -> Option<DateTime> {
        match self {
            Value::DateTime(v) => Some(*v),
            _ => None,
        }
    }

    /// The GUID of a Guid.
    pub fn as_guid(&self) -> Option<Guid> {
        match self {
            Value::Guid(v) => Some(*v),
            _ => None,
        }
    }
}

impl<'a> ValueRef<'a> {
    /// The value's type.
    pub fn edm_type(self) -> EdmType {
        match self {
            ValueRef::Int32(_) => EdmType::Int32,
            ValueRef::Int64(_) => EdmType::Int64,
            ValueRef::Double(_) => EdmType::Double,
            ValueRef::DateTime(_) => EdmType::DateTime,
            ValueRef::Guid(_) => EdmType::Guid,
            ValueRef::Boolean(_) => EdmType::Boolean,
            ValueRef::String(_) => EdmType::String,
            ValueRef::Binary(_) => EdmType::Binary,
        }
    }

    /// The same value with memory of its own.
    pub fn to_value(self) -> Value {
        match self {
            ValueRef::Int32(v) => Value::Int32(v),
            ValueRef::Int64(v) => Value::Int64(v),
            ValueRef::Double(v) => Value::Double(v),
            ValueRef::DateTime(v) => Value::DateTime(v),
            ValueRef::Guid(v) => Value::Guid(v),
            ValueRef::Boolean(v) => Value::Boolean(v),
            ValueRef::String(v) => Value::String(v.to_owned()),
            ValueRef::Binary(v) => Value::Binary(v.to_owned()),
        }
    }
}

impl PartialEq for ValueRef<'_> {
    fn eq(&self, other: &Self) -> bool {
        match (*self, *other) {
            (ValueRef::Int32(a), ValueRef::Int32(b)) => a == b,
            (ValueRef::Int64(a), ValueRef::Int64(b)) => a == b,
            (ValueRef::Double(a), ValueRef::Double(b)) => a.to_bits() == b.to_bits() || (a.is_nan() && b.is_nan()),
            (ValueRef::DateTime(a), ValueRef::DateTime(b)) => a == b,
            (ValueRef::Guid(a), ValueRef::Guid(b)) => a == b,
            (ValueRef::Boolean(a), ValueRef::Boolean(b)) => a == b,
            (ValueRef::String(a), ValueRef::String(b)) => a == b,
            (ValueRef::Binary(a), ValueRef::Binary(b)) => a == b,
            _ => false,
        }
    }
}

/// The value as people read it: text as it is, Binary in base64, everything else as in the service's JSON.
///
/// # Example
/// ```
/// use entable::Value;
/// let shown = [Value::from("Köln"), Value::from(8.0), Value::from(5_i64), Value::from(vec![1, 2])].map(|v| v.to_string());
/// assert_eq!(shown, ["Köln", "8.0", "5", "AQI="]);
/// ```
impl fmt::Display for ValueRef<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            ValueRef::Int32(value) => value.fmt(f),
            ValueRef::Int64(value) => value.fmt(f),
            ValueRef::Double(value) if value.is_infinite() => {
                f.pad(if value.is_sign_negative() { "-Infinity" } else { "Infinity" })
            }
            // With a point or an exponent, so that it does not look like an integer.
            ValueRef::Double(value) => fmt::Debug::fmt(&value, f),
            ValueRef::DateTime(value) => value.fmt(f),
            ValueRef::Guid(value) => value.fmt(f),
            ValueRef::Boolean(value) => value.fmt(f),
            ValueRef::String(value) => f.pad(value),
            ValueRef::Binary(value) => Base64Display::new(value, &STANDARD).fmt(f),
        }
    }
}

/// As [`ValueRef`]'s.
impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.as_ref().fmt(f)
    }
}

impl PartialEq for Value {
    fn eq(&self, other: &Self) -> bool {
        self.as_ref() == other.as_ref()
    }
}

impl<'a> From<&'a Value> for ValueRef<'a> {
    fn from(value: &'a Value) -> Self {
        value.as_ref()
    }
}

macro_rules! from {
    ($($type:ty, $variant:ident;)+) => {$(
        impl From<$type> for Value {
            fn from(value: $type) -> Value { Value::$variant(value.into()) }
        }
    )+};
}

from! {
    i32, Int32; i64, Int64; f64, Double; DateTime, DateTime; std::time::SystemTime, DateTime; Guid, Guid; uuid::Uuid, Guid;
    bool, Boolean; String, String; &str, String; Vec<u8>, Binary; &[u8], Binary;
}

macro_rules! equals {
    ($($type:ty, $variant:ident;)+) => {$(
        impl PartialEq<$type> for Value {
            fn eq(&self, other: &$type) -> bool { matches!(self, Value::$variant(value) if value == other) }
        }
    )+};
}

equals! { i32, Int32; i64, Int64; f64, Double; DateTime, DateTime; Guid, Guid; bool, Boolean; str, String; String, String; [u8], Binary; }

impl PartialEq<&str> for Value {
    fn eq(&self, other: &&str) -> bool {
        *self == **other
    }
}
