//! Tagged fields: tag u16, length u32, value; then the CRC. Tags of later versions are kept, or refused.

use crate::codec::bytes::{Fields, push_crc, split_crc};
use crate::{Error, ErrorCode, Result};

/// Set in a tag that a version which does not know it must not read past.
pub(super) const REQUIRED: u16 = 0x8000;

/// Fields that this version does not know: written back as they were.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Unknown(Vec<(u16, Vec<u8>)>);

/// The fields to be written.
#[derive(Default)]
pub(super) struct Known(Vec<(u16, Vec<u8>)>);

impl Known {
    pub(super) fn push(&mut self, tag: u16, value: &[u8]) {
        self.0.push((tag, value.to_vec()));
    }

    /// The record: fields in the order of their tags, those of one tag as they came.
    pub(super) fn encode(self, unknown: &Unknown) -> Vec<u8> {
        let mut fields = self.0;
        fields.extend_from_slice(&unknown.0);
        fields.sort_by_key(|(tag, _)| *tag);
        let mut out = Vec::new();
        for (tag, value) in fields {
            out.extend_from_slice(&tag.to_le_bytes());
            // Names, positions and numbers: a field is never near 4 GiB.
            out.extend_from_slice(&(value.len() as u32).to_le_bytes());
            out.extend_from_slice(&value);
        }
        push_crc(&mut out, 0);
        out
    }
}

/// The value of a field, of a type that its tag decides.
pub(super) struct FieldValue<'a>(&'a [u8]);

impl<'a> FieldValue<'a> {
    pub(super) fn bytes(&self) -> &'a [u8] {
        self.0
    }

    pub(super) fn text(&self) -> Result<&'a str> {
        std::str::from_utf8(self.0).map_err(|_| damaged("text"))
    }

    pub(super) fn u8(&self) -> Result<u8> {
        self.array::<1>().map(|[byte]| byte)
    }

    pub(super) fn u32(&self) -> Result<u32> {
        self.array().map(u32::from_le_bytes)
    }

    pub(super) fn u64(&self) -> Result<u64> {
        self.array().map(u64::from_le_bytes)
    }

    pub(super) fn array<const N: usize>(&self) -> Result<[u8; N]> {
        self.0.try_into().map_err(|_| damaged("number"))
    }
}

/// Hands each field to `read`, which says whether it knows the tag; `repeated` are the tags that may come again.
pub(super) fn decode<'a>(
    bytes: &'a [u8],
    repeated: &[u16],
    mut read: impl FnMut(u16, FieldValue<'a>) -> Result<bool>,
) -> Result<Unknown> {
    let Some((body, true)) = split_crc(bytes) else {
        return Err(Error::damaged("A catalog record's CRC is not that of its bytes."));
    };
    let mut fields = Fields::new(body);
    let (mut unknown, mut last) = (Vec::new(), None);
    while !fields.rest().is_empty() {
        let (tag, value) = field(&mut fields).ok_or_else(|| damaged("field"))?;
        if last > Some(tag) {
            return Err(damaged("order of fields"));
        }
        let comes_again = last.replace(tag) == Some(tag);
        if read(tag, FieldValue(value))? {
            if comes_again && !repeated.contains(&tag) {
                return Err(damaged("field that comes twice"));
            }
            continue;
        }
        if tag & REQUIRED != 0 {
            return Err(Error::new(ErrorCode::NewerFormat)
                .fact(format!("A catalog record has a field that this version does not know: {tag:#06x}.")));
        }
        unknown.push((tag, value.to_vec()));
    }
    Ok(Unknown(unknown))
}

fn field<'a>(fields: &mut Fields<'a>) -> Option<(u16, &'a [u8])> {
    let tag = fields.u16()?;
    let length = usize::try_from(fields.u32()?).ok()?;
    Some((tag, fields.take(length)?))
}

/// The error of a record that lacks, or misshapes, a part.
#[cold]
pub(super) fn damaged(part: &str) -> Error {
    Error::damaged(format!("A catalog record's {part} is missing or malformed."))
}
