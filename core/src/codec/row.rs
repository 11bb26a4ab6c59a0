//! Rows: the encoded form of an entity's Timestamp and properties.

mod check;
pub(crate) mod describing;
mod encode;
pub(crate) mod hash;
mod number;
mod place;
mod present;
mod shaped;

use super::bytes::{CRC_BYTES, array_at, split_crc};
use super::shape::Shapes;
use crate::limits::TICKS_LAST;
use crate::model::{self, DateTime, EdmType, Guid, ValueRef};
use crate::{Error, ErrorCode, Result};
use describing::{Describing, Fault};
use shaped::Shaped;
use std::sync::Arc;

pub(crate) use check::check;
pub(in crate::codec) use encode::check_bytes;
pub(crate) use encode::{encode, encode_describing, encode_recent};
pub(crate) use number::Spans;
pub(crate) use place::Place;

/// The shape id of a row that names its properties itself.
pub(crate) const SELF_DESCRIBING: u16 = 0xffff;

/// Flag: the first m slots are all present, and there is no bitmap.
const FULL: u8 = 1;
/// Flag: every String is ASCII (also where there is none).
const ASCII: u8 = 2;
/// Two bits: the width of the ends, as the exponent of 2.
const WIDTH_SHIFT: u8 = 2;
const WIDTH_MASK: u8 = 3 << WIDTH_SHIFT;
const KNOWN_FLAGS: u8 = FULL | ASCII | WIDTH_MASK;

/// Where the flags lie, m, the ticks, and what follows them.
const FLAGS_AT: usize = 2;
const COUNT_AT: usize = 3;
const TICKS_AT: usize = 4;
const BODY_AT: usize = 12;
/// An encoded row, seen through the shapes of its table. Nothing is decoded before it is asked for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Row<'a> {
    timestamp: DateTime,
    form: Form<'a>,
}

#[derive(Clone, Copy, Debug)]
enum Form<'a> {
    Shaped(Shaped<'a>),
    Describing(Describing<'a>),
}

/// The name of a property: shared with the shape where the row has one.
#[derive(Clone, Copy, Debug)]
pub(crate) enum PropertyName<'a> {
    Shared(&'a Arc<str>),
    Text(&'a str),
}

impl<'a> PropertyName<'a> {
    pub(crate) fn as_str(self) -> &'a str {
        match self {
            PropertyName::Shared(name) => name,
            PropertyName::Text(name) => name,
        }
    }

    pub(crate) fn to_arc(self) -> Arc<str> {
        match self {
            PropertyName::Shared(name) => Arc::clone(name),
            PropertyName::Text(name) => name.into(),
        }
    }
}

impl<'a> Row<'a> {
    /// Looks at the frame of the row under this key: everything but its CRC and the values themselves.
    ///
    /// # Errors
    /// `Damaged` if lengths, slots or ends contradict each other or the shapes; `NewerFormat` for a flag or type of
    /// a later version.
    pub(crate) fn new(key: &[u8], bytes: &'a [u8], shapes: &'a Shapes) -> Result<Row<'a>> {
        let (shape, flags) = read_head(key, bytes)?;
        let timestamp = DateTime::from_ticks(ticks_of(bytes)?)
            .map_err(|_| Error::damaged("A row's Timestamp lies outside the years 1 to 9999."))?;
        let form = if shape == SELF_DESCRIBING {
            Form::Describing(Describing::new(bytes, flags).map_err(|fault| match fault {
                Fault::Frame => frame(),
                Fault::Unlisted => unlisted(key, bytes),
            })?)
        } else {
            let shape = shapes.get(shape).ok_or_else(|| Error::damaged("A row has a shape that its table lacks."))?;
            Form::Shaped(Shaped::new(bytes, flags, shape).ok_or_else(frame)?)
        };
        Ok(Row { timestamp, form })
    }

    /// As [`Row::new`], once the CRC is known to be that of the key and the bytes: for who hands values on.
    ///
    /// # Errors
    /// As [`Row::new`]; `Damaged` if a byte of the row or its key is not as it was written.
    #[inline]
    pub(crate) fn checked(key: &[u8], bytes: &'a [u8], shapes: &'a Shapes) -> Result<Row<'a>> {
        check_crc(key, bytes)?;
        Row::new(key, bytes, shapes)
    }

    /// When the row was written.
    pub(crate) fn timestamp(&self) -> DateTime {
        self.timestamp
    }

    /// [`Row::timestamp`], in ticks.
    pub(crate) fn ticks(&self) -> i64 {
        self.timestamp.ticks()
    }

    /// The value of a property.
    ///
    /// # Errors
    /// `Damaged` if its bytes are no value of its type.
    pub(crate) fn get(&self, name: &str) -> Result<Option<ValueRef<'a>>> {
        match &self.form {
            Form::Shaped(row) => match row.shape().name(name).and_then(|name| row.slot_of(name)) {
                Some(slot) => row.value(slot),
                None => Ok(None),
            },
            Form::Describing(row) => row.get(name),
        }
    }

    /// The properties with memory of their own, in their order.
    ///
    /// # Errors
    /// `Damaged` if the bytes of one are no value of its type.
    pub(crate) fn owned_properties(&self) -> Result<model::Properties> {
        match &self.form {
            Form::Shaped(row) => row.owned_properties(),
            Form::Describing(row) => {
                let mut properties = model::Properties::default();
                for property in row.properties() {
                    let (name, value) = property?;
                    properties.push(name.to_arc(), value.to_value());
                }
                Ok(properties)
            }
        }
    }

    /// The properties, in their order; their texts and bytes stay where they are.
    ///
    /// # Errors
    /// `Damaged` if the bytes of one are no value of its type.
    pub(crate) fn borrowed_properties(&self) -> Result<Vec<(&'a str, ValueRef<'a>)>> {
        match &self.form {
            Form::Shaped(row) => row.borrowed_properties(),
            Form::Describing(row) => {
                row.properties().map(|property| property.map(|(name, value)| (name.as_str(), value))).collect()
            }
        }
    }

    /// Hands on the properties that `number` gives a number, with it and in their order; of the others nothing is read.
    ///
    /// # Errors
    /// `Damaged` if the bytes of one are no value of its type.
    pub(crate) fn each_of(
        &self,
        number: impl Fn(&str) -> Option<u32>,
        mut see: impl FnMut(u32, ValueRef<'a>),
    ) -> Result<()> {
        match &self.form {
            Form::Shaped(row) => row.shape().names().iter().try_for_each(|name| {
                if let Some(number) = number(name.name())
                    && let Some(slot) = row.slot_of(name)
                    && let Some(value) = row.value(slot)?
                {
                    see(number, value);
                }
                Ok(())
            }),
            Form::Describing(row) => row.each_of(number, see),
        }
    }

    /// The properties, in their order: that of the names' first slots, or as written.
    pub(crate) fn properties(&self) -> Properties<'a> {
        match self.form {
            Form::Shaped(row) => Properties::Shaped { row, next: 0 },
            Form::Describing(row) => Properties::Describing(row.properties()),
        }
    }
}

/// The properties of a row: see [`Row::properties`].
#[derive(Clone, Debug)]
pub(crate) enum Properties<'a> {
    Shaped { row: Shaped<'a>, next: usize },
    Describing(describing::Walk<'a>),
}

impl<'a> Iterator for Properties<'a> {
    type Item = Result<(PropertyName<'a>, ValueRef<'a>)>;

    fn next(&mut self) -> Option<Self::Item> {
        match self {
            Properties::Shaped { row, next } => loop {
                let name = row.shape().names().get(*next)?;
                *next += 1;
                if let Some(slot) = row.slot_of(name) {
                    let value = row.value(slot).transpose()?;
                    break Some(value.map(|value| (PropertyName::Shared(name.name()), value)));
                }
            },
            Properties::Describing(walk) => walk.next(),
        }
    }
}

/// The shape id of the row under this key, once its flags are known to have a meaning: what must be asked of a row
/// before a [`Place`] reads in it.
///
/// # Errors
/// `Damaged` if the row is too short to have them; `NewerFormat` for a flag of a later version.
#[inline]
pub(crate) fn shape_of(key: &[u8], bytes: &[u8]) -> Result<u16> {
    read_head(key, bytes).map(|(shape, _)| shape)
}

/// Shape and flags, all of which this version knows.
#[inline]
fn read_head(key: &[u8], bytes: &[u8]) -> Result<(u16, u8)> {
    let [low, high, flags] = array_at(bytes, 0).ok_or_else(frame)?;
    // With both bits of the width set, it is one that this version does not know.
    if flags & !KNOWN_FLAGS != 0 || flags & WIDTH_MASK == WIDTH_MASK {
        return Err(unlisted(key, bytes));
    }
    Ok((u16::from_le_bytes([low, high]), flags))
}

/// The error of a row with something that this version has no meaning for: of a later version, if it is whole.
#[cold]
fn unlisted(key: &[u8], bytes: &[u8]) -> Error {
    match check_crc(key, bytes) {
        Ok(()) => Error::new(ErrorCode::NewerFormat).fact("A row has a flag or type that this version does not know."),
        Err(damage) => damage,
    }
}

/// The ticks of a row of either form.
///
/// # Errors
/// `Damaged` if the row is too short to have them.
pub(crate) fn ticks_of(bytes: &[u8]) -> Result<i64> {
    array_at(bytes, TICKS_AT).map(i64::from_le_bytes).ok_or_else(frame)
}

/// Compares the row under this key with its CRC. Filters read rows without; what is handed out has been compared.
///
/// # Errors
/// `Damaged` if a byte of the row or its key is not as it was written.
pub(crate) fn check_crc(key: &[u8], bytes: &[u8]) -> Result<()> {
    match split_crc(key, bytes) {
        Some((_, true)) => Ok(()),
        _ => Err(another_crc()),
    }
}

#[cold]
fn another_crc() -> Error {
    Error::damaged("A row's CRC is not that of its key and bytes.")
}

#[cold]
fn frame() -> Error {
    Error::damaged("A row's lengths contradict each other.")
}

#[cold]
fn no_value(edm_type: EdmType) -> Error {
    Error::damaged(format!("A row holds bytes that are no {edm_type}."))
}

/// Reads a value of fixed length from its bytes. `None` if they are none, or if the type has no fixed length.
#[inline]
fn fixed_value(edm_type: EdmType, bytes: &[u8]) -> Option<ValueRef<'static>> {
    Some(match edm_type {
        EdmType::Int32 => ValueRef::Int32(i32::from_le_bytes(*bytes.first_chunk()?)),
        EdmType::Int64 => ValueRef::Int64(i64::from_le_bytes(*bytes.first_chunk()?)),
        EdmType::Double => ValueRef::Double(f64::from_le_bytes(*bytes.first_chunk()?)),
        EdmType::DateTime => {
            let ticks = i64::from_le_bytes(*bytes.first_chunk()?);
            if !(0..=TICKS_LAST).contains(&ticks) {
                return None;
            }
            ValueRef::DateTime(DateTime::from_ticks(ticks).ok()?)
        }
        EdmType::Guid => ValueRef::Guid(Guid::from_bytes(*bytes.first_chunk()?)),
        EdmType::Boolean => ValueRef::Boolean(match bytes.first()? {
            0 => false,
            1 => true,
            _ => return None,
        }),
        EdmType::String | EdmType::Binary => return None,
    })
}

/// Bytes of a value of fixed length.
fn fixed_bytes(edm_type: EdmType) -> Option<usize> {
    match edm_type {
        EdmType::Int64 | EdmType::Double | EdmType::DateTime => Some(8),
        EdmType::Guid => Some(16),
        EdmType::Int32 => Some(4),
        EdmType::Boolean => Some(1),
        EdmType::String | EdmType::Binary => None,
    }
}

/// The text of a String's bytes.
#[inline]
fn text(bytes: &[u8], is_ascii: bool) -> Option<&str> {
    // A caller may copy without a decoder where the flag is set, so the flag must not lie.
    if is_ascii && !all_ascii(bytes) {
        return None;
    }
    std::str::from_utf8(bytes).ok()
}

/// `is_ascii` for bytes that nearly always are: nothing is decided before the end, so eight go at a time, the last eight
/// once more.
#[inline]
fn all_ascii(bytes: &[u8]) -> bool {
    let (words, rest) = bytes.as_chunks::<8>();
    let last = match bytes.last_chunk() {
        Some(last) => u64::from_le_bytes(*last),
        None => rest.iter().fold(0, |all, byte| all | u64::from(*byte)),
    };
    let all = words.iter().fold(last, |all, word| all | u64::from_le_bytes(*word));
    all & 0x8080_8080_8080_8080 == 0
}

#[cfg(test)]
mod tests;
