//! Rows that name their properties themselves: where no shape takes a row, in covering index entries, in changes.

use super::{ASCII, BODY_AT, COUNT_AT, CRC_BYTES, PropertyName, fixed_bytes, fixed_value, no_value, text};
use crate::codec::bytes::Fields;
use crate::model::{EdmType, ValueRef};
use crate::{Error, Result};

/// Why a row is not read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fault {
    /// Its lengths contradict each other.
    Frame,
    /// It has a type that this version does not know.
    Unlisted,
}

/// A self-describing row, its frame checked.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Describing<'a> {
    properties: &'a [u8],
    count: u16,
    is_ascii: bool,
}

impl<'a> Describing<'a> {
    pub(super) fn new(bytes: &'a [u8], flags: u8) -> Result<Describing<'a>, Fault> {
        let body = bytes.len().checked_sub(CRC_BYTES).and_then(|end| bytes.get(BODY_AT..end)).ok_or(Fault::Frame)?;
        if flags & !ASCII != 0 || bytes.get(COUNT_AT) != Some(&0) {
            return Err(Fault::Frame);
        }
        let mut fields = Fields::new(body);
        let count = fields.u16().ok_or(Fault::Frame)?;
        let row = Describing { properties: fields.rest(), count, is_ascii: flags & ASCII != 0 };
        for _ in 0..count {
            field(&mut fields)?;
        }
        if fields.rest().is_empty() { Ok(row) } else { Err(Fault::Frame) }
    }

    #[cfg(test)]
    pub(super) fn is_ascii(&self) -> bool {
        self.is_ascii
    }

    pub(super) fn get(&self, name: &str) -> Result<Option<ValueRef<'a>>> {
        let mut fields = Fields::new(self.properties);
        let fields = (0..self.count).map_while(|_| field(&mut fields).ok());
        let mut found = fields.filter(|(known, ..)| *known == name.as_bytes());
        match found.next() {
            Some((_, edm_type, value)) => read(edm_type, value, self.is_ascii).map(Some),
            None => Ok(None),
        }
    }

    /// See [`Row::each_of`](super::Row::each_of).
    pub(super) fn each_of(
        &self,
        number: impl Fn(&str) -> Option<u32>,
        mut see: impl FnMut(u32, ValueRef<'a>),
    ) -> Result<()> {
        let mut fields = Fields::new(self.properties);
        for (name, edm_type, value) in (0..self.count).map_while(|_| field(&mut fields).ok()) {
            let name = std::str::from_utf8(name).map_err(|_| no_name())?;
            if let Some(number) = number(name) {
                see(number, read(edm_type, value, self.is_ascii)?);
            }
        }
        Ok(())
    }

    pub(super) fn properties(&self) -> Walk<'a> {
        Walk { fields: Fields::new(self.properties), left: self.count, is_ascii: self.is_ascii }
    }
}

/// The properties, as written.
#[derive(Clone, Debug)]
pub(crate) struct Walk<'a> {
    fields: Fields<'a>,
    left: u16,
    is_ascii: bool,
}

impl<'a> Iterator for Walk<'a> {
    type Item = Result<(PropertyName<'a>, ValueRef<'a>)>;

    fn next(&mut self) -> Option<Self::Item> {
        self.left = self.left.checked_sub(1)?;
        let (name, edm_type, value) = field(&mut self.fields).ok()?;
        let name = std::str::from_utf8(name).map_err(|_| no_name());
        Some(name.and_then(|name| Ok((PropertyName::Text(name), read(edm_type, value, self.is_ascii)?))))
    }
}

#[cold]
fn no_name() -> Error {
    Error::damaged("A property's name is not text.")
}

/// Name, type and bytes of the next property.
fn field<'a>(fields: &mut Fields<'a>) -> Result<(&'a [u8], EdmType, &'a [u8]), Fault> {
    let (name, number) = name(fields).ok_or(Fault::Frame)?;
    let edm_type = EdmType::from_number(number).ok_or(Fault::Unlisted)?;
    let value_bytes = match fixed_bytes(edm_type) {
        Some(bytes) => Some(bytes),
        None => fields.u32().and_then(|bytes| usize::try_from(bytes).ok()),
    };
    let value = value_bytes.and_then(|bytes| fields.take(bytes)).ok_or(Fault::Frame)?;
    Ok((name, edm_type, value))
}

/// Name and number of the type of the next property.
fn name<'a>(fields: &mut Fields<'a>) -> Option<(&'a [u8], u8)> {
    let name_bytes = fields.u16()?;
    Some((fields.take(name_bytes.into())?, fields.u8()?))
}

fn read(edm_type: EdmType, bytes: &[u8], is_ascii: bool) -> Result<ValueRef<'_>> {
    let value = match edm_type {
        EdmType::String => text(bytes, is_ascii).map(ValueRef::String),
        EdmType::Binary => Some(ValueRef::Binary(bytes)),
        _ => fixed_value(edm_type, bytes),
    };
    value.ok_or_else(|| no_value(edm_type))
}
