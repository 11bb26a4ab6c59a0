//! The one order of typed values: filters, indexes and keys follow it (S1.3, S7.5).

use super::ValueRef;
use std::cmp::Ordering;

/// Orders two texts as the service does: ordinal by UTF-16 code unit (S1.3.4).
///
/// That is the order of UTF-8 bytes, but that characters above U+FFFF (lead bytes F0 to F4) come before
/// U+E000 to U+FFFF (lead bytes EE and EF). Lead bytes decide it, so only the first difference counts.
pub(crate) fn text(a: &str, b: &str) -> Ordering {
    mapped(a.as_bytes(), b.as_bytes())
}

fn mapped(a: &[u8], b: &[u8]) -> Ordering {
    match a.iter().zip(b).find(|(a, b)| a != b) {
        Some((a, b)) => map_byte(*a).cmp(&map_byte(*b)),
        None => a.len().cmp(&b.len()),
    }
}

/// The order map of keys: EE and EF are written F8 and F9, so that byte order is UTF-16 order.
/// F8 and F9 never occur in UTF-8.
pub(crate) const fn map_byte(byte: u8) -> u8 {
    match byte {
        0xee => 0xf8,
        0xef => 0xf9,
        _ => byte,
    }
}

/// Orders a 64-bit integer and a binary64 number by mathematical value, without rounding either.
/// `None` if the number is NaN.
pub(crate) fn integer_double(a: i64, b: f64) -> Option<Ordering> {
    if b.is_nan() {
        return None;
    }
    // 2^63 and -2^63 are doubles: within them the truncated double is an i64 exactly.
    if b >= 9_223_372_036_854_775_808.0 {
        return Some(Ordering::Less);
    }
    if b < -9_223_372_036_854_775_808.0 {
        return Some(Ordering::Greater);
    }
    let whole = b.trunc();
    Some(a.cmp(&(whole as i64)).then(0.0_f64.total_cmp(&(b - whole + 0.0))))
}

/// Orders two values of one type, or two numbers of any type, by value. `None` if they cannot be compared:
/// other types, or NaN.
pub(crate) fn values(a: ValueRef<'_>, b: ValueRef<'_>) -> Option<Ordering> {
    use ValueRef::{Binary, Boolean, DateTime, Double, Guid, Int32, Int64, String};
    match (a, b) {
        (String(a), String(b)) => Some(text(a, b)),
        (Binary(a), Binary(b)) => Some(a.cmp(b)),
        (Boolean(a), Boolean(b)) => Some(a.cmp(&b)),
        (DateTime(a), DateTime(b)) => Some(a.cmp(&b)),
        (Guid(a), Guid(b)) => Some(a.cmp(&b)),
        (Int32(a), Int32(b)) => Some(a.cmp(&b)),
        (Double(a), Double(b)) => a.partial_cmp(&b),
        (Int32(a), Double(b)) => f64::from(a).partial_cmp(&b),
        (Double(a), Int32(b)) => a.partial_cmp(&f64::from(b)),
        (Int64(a), Double(b)) => integer_double(a, b),
        (Double(a), Int64(b)) => integer_double(b, a).map(Ordering::reverse),
        (Int64(a), Int64(b)) => Some(a.cmp(&b)),
        (Int64(a), Int32(b)) => Some(a.cmp(&b.into())),
        (Int32(a), Int64(b)) => Some(i64::from(a).cmp(&b)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_ordered_by_utf16() {
        let texts = ["", "a", "ab", "b", "\u{d7ff}", "\u{10000}", "\u{1f600}", "\u{e000}", "\u{ffff}", "\u{ffff}a"];
        for a in texts {
            for b in texts {
                let utf16 = a.encode_utf16().cmp(b.encode_utf16());
                assert_eq!(text(a, b), utf16, "{a:?} {b:?}");
            }
        }
    }

    #[test]
    fn integers_meet_doubles_exactly() {
        let big = (1_i64 << 53) + 1;
        for (a, b, order) in [
            (big, big as f64, Some(Ordering::Greater)),
            (big - 1, (big - 1) as f64, Some(Ordering::Equal)),
            (i64::MAX, i64::MAX as f64, Some(Ordering::Less)),
            (i64::MIN, i64::MIN as f64, Some(Ordering::Equal)),
            (5, 5.5, Some(Ordering::Less)),
            (-5, -5.5, Some(Ordering::Greater)),
            (0, -0.0, Some(Ordering::Equal)),
            (0, f64::NEG_INFINITY, Some(Ordering::Greater)),
            (0, f64::INFINITY, Some(Ordering::Less)),
            (0, f64::NAN, None),
        ] {
            assert_eq!(integer_double(a, b), order, "{a} {b}");
        }
    }
}
