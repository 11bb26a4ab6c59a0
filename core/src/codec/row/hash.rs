//! The hash of texts: one byte of it stands before each String in a row, so that most comparisons for equality
//! end there; shapes look their names up by the whole.

const M: u64 = 0x9e37_79b9_7f4a_7c15;

/// The hash of bytes, before the last multiplication.
#[inline]
pub(crate) fn of(bytes: &[u8]) -> u64 {
    let mut hash = (bytes.len() as u64).wrapping_mul(M);
    let (chunks, rest) = bytes.as_chunks::<8>();
    for chunk in chunks {
        hash = mix(hash, u64::from_le_bytes(*chunk));
    }
    if !rest.is_empty() {
        let mut last = [0; 8];
        for (to, from) in last.iter_mut().zip(rest) {
            *to = *from;
        }
        hash = mix(hash, u64::from_le_bytes(last));
    }
    hash
}

#[inline]
fn mix(hash: u64, chunk: u64) -> u64 {
    let hash = (hash ^ chunk).wrapping_mul(M);
    hash ^ (hash >> 32)
}

/// The hash byte of a String.
#[inline]
pub(crate) fn byte(bytes: &[u8]) -> u8 {
    (of(bytes).wrapping_mul(M) >> 56) as u8
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_bytes_of_the_format() {
        for (text, byte) in [("", 0x00), ("a", 0xa9), ("Palo Alto", 0xb4), ("12345678", 0x46), ("Réne", 0x1c)] {
            assert_eq!(super::byte(text.as_bytes()), byte, "{text:?}");
        }
    }
}
