//! Tagged fields: tag u16, length u32, value; then the CRC. Tags of later versions are kept, or refused.

use crate::codec::bytes::{Fields, push_crc, split_crc};
use crate::codec::header::MUST_KNOW;
use crate::limits::{DECLARED_NAME_UNITS, TICKS_LAST};
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

    /// The record under this key: fields in the order of their tags, those of one tag as they came.
    pub(super) fn encode(self, key: &[u8], unknown: &Unknown) -> Vec<u8> {
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
        push_crc(key, &mut out, 0);
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

    /// The name of something that is declared: 1 to 255 UTF-16 code units.
    pub(super) fn name(&self) -> Result<&'a str> {
        let name = self.text()?;
        let is_name = !name.is_empty() && name.encode_utf16().count() <= DECLARED_NAME_UNITS;
        if is_name { Ok(name) } else { Err(damaged("name")) }
    }

    /// Flags: the known ones, and those that need not be known.
    pub(super) fn flags(&self, known: u32) -> Result<(u32, u32)> {
        let flags = self.u32()?;
        let unknown = flags & !known;
        if unknown & MUST_KNOW == 0 { Ok((flags & known, unknown)) } else { Err(unlisted("flag")) }
    }

    /// One of the numbers that `value_of` knows.
    pub(super) fn one_of<T>(&self, part: &str, value_of: impl FnOnce(u8) -> Option<T>) -> Result<T> {
        value_of(self.u8()?).ok_or_else(|| unlisted(part))
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

    pub(super) fn ticks(&self) -> Result<i64> {
        let ticks = self.array().map(i64::from_le_bytes)?;
        if (0..=TICKS_LAST).contains(&ticks) { Ok(ticks) } else { Err(damaged("time")) }
    }

    pub(super) fn array<const N: usize>(&self) -> Result<[u8; N]> {
        self.0.try_into().map_err(|_| damaged("number"))
    }
}

/// Hands each field to `read`, which says whether it knows the tag; `repeated` are the tags that may come again.
pub(super) fn decode<'a>(
    key: &[u8],
    bytes: &'a [u8],
    repeated: &[u16],
    mut read: impl FnMut(u16, FieldValue<'a>) -> Result<bool>,
) -> Result<Unknown> {
    let Some((body, true)) = split_crc(key, bytes) else {
        return Err(Error::damaged("A catalog record's CRC is not that of its key and bytes."));
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
            return Err(unlisted(&format!("field, {tag:#06x},")));
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

/// The error of a whole record with something that this version has no meaning for.
#[cold]
pub(super) fn unlisted(part: &str) -> Error {
    Error::new(ErrorCode::NewerFormat).fact(format!("A catalog record has a {part} that this version does not know."))
}
