//! Reading fields from bytes that may be damaged: every length is looked at before it is used.

/// Reads fields one after the other; each method is `None` where the bytes end too early.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Fields<'a>(&'a [u8]);

impl<'a> Fields<'a> {
    pub(crate) fn new(bytes: &'a [u8]) -> Fields<'a> {
        Fields(bytes)
    }

    pub(crate) fn take(&mut self, count: usize) -> Option<&'a [u8]> {
        let (field, rest) = self.0.split_at_checked(count)?;
        self.0 = rest;
        Some(field)
    }

    pub(crate) fn array<const N: usize>(&mut self) -> Option<[u8; N]> {
        let (field, rest) = self.0.split_first_chunk::<N>()?;
        self.0 = rest;
        Some(*field)
    }

    pub(crate) fn u8(&mut self) -> Option<u8> {
        self.array::<1>().map(|[byte]| byte)
    }

    pub(crate) fn u16(&mut self) -> Option<u16> {
        self.array().map(u16::from_le_bytes)
    }

    pub(crate) fn u32(&mut self) -> Option<u32> {
        self.array().map(u32::from_le_bytes)
    }

    pub(crate) fn u64(&mut self) -> Option<u64> {
        self.array().map(u64::from_le_bytes)
    }

    pub(crate) fn i64(&mut self) -> Option<i64> {
        self.array().map(i64::from_le_bytes)
    }

    pub(crate) fn rest(&self) -> &'a [u8] {
        self.0
    }
}

/// The `N` bytes from `at`, if they are there.
#[inline]
pub(crate) fn array_at<const N: usize>(bytes: &[u8], at: usize) -> Option<[u8; N]> {
    bytes.get(at..)?.first_chunk::<N>().copied()
}

/// The CRC-32C of a record: of its logical key, then of its bytes. A flipped bit in a key would make another valid
/// record of it, and the bytes alone would not tell.
#[inline]
pub(crate) fn crc_of(key: &[u8], body: &[u8]) -> u32 {
    crc32c::crc32c_append(crc32c::crc32c(key), body)
}

/// Bytes of a CRC.
pub(crate) const CRC_BYTES: usize = 4;

/// Splits a trailing CRC off, and says whether it is that of the key and the bytes before it.
pub(crate) fn split_crc<'a>(key: &[u8], bytes: &'a [u8]) -> Option<(&'a [u8], bool)> {
    let (body, crc) = bytes.split_last_chunk::<CRC_BYTES>()?;
    Some((body, u32::from_le_bytes(*crc) == crc_of(key, body)))
}

/// Appends the CRC of the key and of what `out` holds from `start` on.
pub(crate) fn push_crc(key: &[u8], out: &mut Vec<u8>, start: usize) {
    let crc = crc_of(key, &out[start..]);
    out.extend_from_slice(&crc.to_le_bytes());
}
