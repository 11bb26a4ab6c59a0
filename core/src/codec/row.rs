//! Rows: the encoded form of an entity's Timestamp and properties.

pub(crate) mod describing;
mod encode;
pub(crate) mod hash;
mod place;
mod present;
mod shaped;

use super::bytes::{array_at, split_crc};
use super::shape::{Choice, Shape, Shapes};
use crate::limits::TICKS_LAST;
use crate::model::{self, DateTime, EdmType, Guid, ValueRef};
use crate::{Error, ErrorCode, Result};
use describing::Describing;
use shaped::Shaped;
use std::sync::Arc;

pub(crate) use encode::{encode, encode_describing, encode_recent};
pub(crate) use place::{Place, Places};

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
const CRC_BYTES: usize = 4;

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
    /// Looks at a row's frame: everything but its CRC and the values themselves.
    ///
    /// # Errors
    /// `Damaged` if lengths, slots or ends contradict each other or the shapes; `NewerFormat` for a flag of a
    /// later version.
    pub(crate) fn new(bytes: &'a [u8], shapes: &'a Shapes) -> Result<Row<'a>> {
        let (Some(shape), Some([flags])) = (array_at(bytes, 0), array_at(bytes, FLAGS_AT)) else {
            return Err(frame());
        };
        let shape = u16::from_le_bytes(shape);
        if flags & !KNOWN_FLAGS != 0 || flags & WIDTH_MASK == WIDTH_MASK {
            return Err(Error::new(ErrorCode::NewerFormat).fact("A row has a flag that this version does not know."));
        }
        let timestamp = DateTime::from_ticks(ticks_of(bytes)?)
            .map_err(|_| Error::damaged("A row's Timestamp lies outside the years 1 to 9999."))?;
        let form = if shape == SELF_DESCRIBING {
            Form::Describing(Describing::new(bytes, flags).ok_or_else(frame)?)
        } else {
            let shape = shapes.get(shape).ok_or_else(|| Error::damaged("A row has a shape that its table lacks."))?;
            Form::Shaped(Shaped::new(bytes, flags, shape).ok_or_else(frame)?)
        };
        Ok(Row { timestamp, form })
    }

    /// When the row was written.
    pub(crate) fn timestamp(&self) -> DateTime {
        self.timestamp
    }

    /// [`Row::timestamp`], in ticks.
    pub(crate) fn ticks(&self) -> i64 {
        self.timestamp.ticks()
    }

    /// The row's shape; `None` if it describes itself.
    pub(crate) fn shape(&self) -> Option<&'a Shape> {
        match &self.form {
            Form::Shaped(row) => Some(row.shape()),
            Form::Describing(_) => None,
        }
    }

    /// Whether every String of the row is ASCII; each is checked as it is read.
    pub(crate) fn is_ascii(&self) -> bool {
        match &self.form {
            Form::Shaped(row) => row.is_ascii(),
            Form::Describing(row) => row.is_ascii(),
        }
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

    /// The value in a slot of the row's shape; `None` if the slot is empty, or if the row describes itself.
    ///
    /// # Errors
    /// `Damaged` if its bytes are no value of its type.
    pub(crate) fn value(&self, slot: u16) -> Result<Option<ValueRef<'a>>> {
        match &self.form {
            Form::Shaped(row) => row.value(slot.into()),
            Form::Describing(_) => Ok(None),
        }
    }

    /// The hash byte of the String in a slot; `None` if the slot is empty or of another type.
    pub(crate) fn string_hash(&self, slot: u16) -> Option<u8> {
        match &self.form {
            Form::Shaped(row) => row.string_hash(slot.into()),
            Form::Describing(_) => None,
        }
    }

    /// The properties with memory of their own, in their order.
    ///
    /// # Errors
    /// `Damaged` if the bytes of one are no value of its type.
    pub(crate) fn to_properties(&self) -> Result<model::Properties> {
        match &self.form {
            Form::Shaped(row) => row.to_properties(),
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

/// The shape id of a row.
///
/// # Errors
/// `Damaged` if the row is too short to have one.
pub(crate) fn shape_of(bytes: &[u8]) -> Result<u16> {
    array_at(bytes, 0).map(u16::from_le_bytes).ok_or_else(frame)
}

/// The ticks of a row of either form.
///
/// # Errors
/// `Damaged` if the row is too short to have them.
pub(crate) fn ticks_of(bytes: &[u8]) -> Result<i64> {
    array_at(bytes, TICKS_AT).map(i64::from_le_bytes).ok_or_else(frame)
}

/// Compares a row with its CRC, which reads do not.
///
/// # Errors
/// `Damaged` if a byte of the row is not as it was written.
pub(crate) fn check_crc(bytes: &[u8]) -> Result<()> {
    match split_crc(bytes) {
        Some((_, true)) => Ok(()),
        _ => Err(Error::damaged("A row's CRC is not that of its bytes.")),
    }
}

/// Looks at all of a row, as `verify` does: CRC, frame, every value, and that the row has the one form which its
/// shape and properties give it.
///
/// # Errors
/// `Damaged`, or `NewerFormat` for a flag of a later version.
pub(crate) fn check(bytes: &[u8], shapes: &Shapes) -> Result<()> {
    check_crc(bytes)?;
    let row = Row::new(bytes, shapes)?;
    let properties: Vec<_> = row.to_properties()?.into_pairs().collect();
    let mut names: Vec<&str> = properties.iter().map(|(name, _)| &**name).collect();
    names.sort_unstable();
    let mut again = Vec::with_capacity(bytes.len());
    match &row.form {
        _ if names.windows(2).any(|pair| pair[0] == pair[1]) => {}
        Form::Shaped(_) => {
            let id = array_at(bytes, 0).map(u16::from_le_bytes).ok_or_else(frame)?;
            encode(shapes, &Choice::Shape { id, new_slots: Vec::new() }, row.ticks(), &properties, &mut again)?;
        }
        Form::Describing(_) => encode(shapes, &Choice::SelfDescribing, row.ticks(), &properties, &mut again)?,
    }
    if again == bytes { Ok(()) } else { Err(Error::damaged("A row has another form than its properties give it.")) }
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
    if is_ascii && !bytes.is_ascii() {
        return None;
    }
    std::str::from_utf8(bytes).ok()
}

#[cfg(test)]
mod tests;
