//! Comparisons of values of fixed length as spans of integers: what a filter compiles them to.
//!
//! A value's *ordinal* is an i64 that sorts as the value does among those of its type: a number or its bits, ticks, 0 or
//! 1. So all the values that stand in one relation to a constant are one span of ordinals, or all but one span.

use super::{EdmType, ValueRef, compare};
use crate::limits::TICKS_LAST;
use std::cmp::Ordering;

/// The values of one type that stand in some relation to a constant.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Span {
    /// First and last ordinal; the first is greater than the last if the span is empty.
    from: i64,
    to: i64,
    /// It is the other ordinals that are meant.
    is_outside: bool,
}

impl Span {
    const EMPTY: Span = Span { from: 1, to: 0, is_outside: false };

    /// The values of this type whose comparison with the constant, as [`compare::values`] makes it, is accepted.
    ///
    /// `None` for types that have no ordinals, or do not compare with the constant; and for relations that are no span.
    pub(crate) fn new(
        edm_type: EdmType,
        constant: ValueRef<'_>,
        accepts: impl Fn(Option<Ordering>) -> bool,
    ) -> Option<Span> {
        // What does not compare at all, NaN, lies outside of every span.
        let is_outside = accepts(None);
        if matches!(constant, ValueRef::Double(constant) if constant.is_nan()) {
            return edm_type.is_number().then_some(Span { is_outside, ..Span::EMPTY });
        }
        let (first, last) = ordinals(edm_type)?;
        let end = i128::from(last) + 1;
        let (equal, behind) = place(edm_type, constant)?;
        let (equal, behind) = (equal.clamp(first.into(), end), behind.clamp(first.into(), end));
        let wants = |order| accepts(Some(order)) != is_outside;
        let (from, to) = match (wants(Ordering::Less), wants(Ordering::Equal), wants(Ordering::Greater)) {
            (true, true, true) => (first.into(), end),
            (true, true, false) => (first.into(), behind),
            (true, false, false) => (first.into(), equal),
            (false, true, true) => (equal, end),
            (false, true, false) => (equal, behind),
            (false, false, true) => (behind, end),
            (false, false, false) => (equal, equal),
            (true, false, true) => return None,
        };
        if from >= to {
            return Some(Span { is_outside, ..Span::EMPTY });
        }
        Some(Span { from: i64::try_from(from).ok()?, to: i64::try_from(to - 1).ok()?, is_outside })
    }

    /// Whether the value of this ordinal is one of them.
    #[inline]
    pub(crate) fn holds(&self, ordinal: i64) -> bool {
        // No short cut: which of the two decides is as good as random.
        ((ordinal >= self.from) & (ordinal <= self.to)) != self.is_outside
    }
}

/// The first and last ordinal of a type's values, NaN left out; `None` for a type without ordinals.
pub(crate) fn ordinals(edm_type: EdmType) -> Option<(i64, i64)> {
    Some(match edm_type {
        EdmType::Int32 => (i32::MIN.into(), i32::MAX.into()),
        EdmType::Int64 => (i64::MIN, i64::MAX),
        EdmType::Double => (of_double(f64::NEG_INFINITY), of_double(f64::INFINITY)),
        EdmType::DateTime => (0, TICKS_LAST),
        EdmType::Boolean => (0, 1),
        EdmType::Guid | EdmType::String | EdmType::Binary => return None,
    })
}

/// The ordinal of a Double, by its bits: negative numbers sort by falling bits, so all but their sign is turned around.
#[inline]
pub(crate) fn of_double_bits(bits: i64) -> i64 {
    bits ^ (bits >> 63 & i64::MAX)
}

fn of_double(value: f64) -> i64 {
    of_double_bits(value.to_bits() as i64)
}

/// The first ordinal of the type that is not less than the constant, and the first that is greater, where there may be
/// none. `None` if they do not compare.
fn place(edm_type: EdmType, constant: ValueRef<'_>) -> Option<(i128, i128)> {
    let exactly = |ordinal: i64| (i128::from(ordinal), i128::from(ordinal) + 1);
    Some(match (edm_type, constant) {
        (EdmType::DateTime, ValueRef::DateTime(constant)) => exactly(constant.ticks()),
        (EdmType::Boolean, ValueRef::Boolean(constant)) => exactly(constant.into()),
        (EdmType::Int32 | EdmType::Int64, ValueRef::Int32(constant)) => exactly(constant.into()),
        (EdmType::Int32 | EdmType::Int64, ValueRef::Int64(constant)) => exactly(constant),
        (EdmType::Int32 | EdmType::Int64, ValueRef::Double(constant)) => {
            // What is beyond i128 becomes its least or greatest number.
            let whole = (constant.floor() as i128).clamp(i128::from(i64::MIN) - 1, i128::from(i64::MAX) + 1);
            if constant == constant.floor() { (whole, whole + 1) } else { (whole + 1, whole + 1) }
        }
        (EdmType::Double, ValueRef::Double(constant)) => around(constant),
        (EdmType::Double, ValueRef::Int32(constant)) => around(constant.into()),
        (EdmType::Double, ValueRef::Int64(constant)) => {
            let near = constant as f64;
            let (equal, behind) = around(near);
            match compare::integer_double(constant, near)? {
                Ordering::Equal => (equal, behind),
                Ordering::Less => (equal, equal),
                Ordering::Greater => (behind, behind),
            }
        }
        _ => return None,
    })
}

/// The Doubles that equal one which is not NaN: both zeros equal each other.
fn around(value: f64) -> (i128, i128) {
    let (first, last) = if value == 0.0 { (-0.0, 0.0) } else { (value, value) };
    (of_double(first).into(), i128::from(of_double(last)) + 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::DateTime;

    fn ordinal(value: ValueRef<'_>) -> Option<i64> {
        Some(match value {
            ValueRef::Int32(value) => value.into(),
            ValueRef::Int64(value) => value,
            ValueRef::Double(value) => of_double(value),
            ValueRef::DateTime(value) => value.ticks(),
            ValueRef::Boolean(value) => value.into(),
            _ => return None,
        })
    }

    #[test]
    fn a_span_says_of_every_pair_what_their_comparison_says() {
        let big = 1_i64 << 53;
        let integers =
            [i64::MIN, i64::MIN + 1, -big - 1, -big, -2, -1, 0, 1, 2, 5, big - 1, big, big + 1, i64::MAX - 1, i64::MAX];
        let doubles = [
            f64::NEG_INFINITY,
            f64::MIN,
            -9_223_372_036_854_775_808.0,
            -(big as f64),
            -5.5,
            -1.0,
            -f64::MIN_POSITIVE,
            -5e-324,
            -0.0,
            0.0,
            5e-324,
            0.5,
            1.0,
            4.999,
            5.0,
            5.5,
            big as f64,
            9_223_372_036_854_774_784.0,
            9_223_372_036_854_775_808.0,
            1e300,
            f64::MAX,
            f64::INFINITY,
            f64::NAN,
            -f64::NAN,
        ];
        let mut values: Vec<ValueRef<'_>> = integers.into_iter().map(ValueRef::Int64).collect();
        values.extend([i32::MIN, -2, -1, 0, 1, 5, i32::MAX].map(ValueRef::Int32));
        values.extend(doubles.map(ValueRef::Double));
        values.extend([0, 1, TICKS_LAST].map(|ticks| ValueRef::DateTime(DateTime::from_ticks(ticks).unwrap())));
        values.extend([false, true].map(ValueRef::Boolean));
        values.extend([ValueRef::String("5"), ValueRef::Binary(b"5")]);
        type Accepts = fn(Option<Ordering>) -> bool;
        let relations: [(&str, Accepts); 7] = [
            ("eq", |order| order == Some(Ordering::Equal)),
            ("ne", |order| order != Some(Ordering::Equal)),
            ("lt", |order| order == Some(Ordering::Less)),
            ("le", |order| order.is_some_and(Ordering::is_le)),
            ("gt", |order| order == Some(Ordering::Greater)),
            ("ge", |order| order.is_some_and(Ordering::is_ge)),
            ("ordered", |order| order.is_some()),
        ];
        let mut met = 0;
        for stored in &values {
            for constant in &values {
                let is_number = |value: &ValueRef<'_>| value.edm_type().is_number();
                let is_apart = stored.edm_type() != constant.edm_type() && !(is_number(stored) && is_number(constant));
                for (name, accepts) in relations {
                    let span = Span::new(stored.edm_type(), *constant, accepts);
                    let (Some(span), Some(ordinal)) = (span, ordinal(*stored)) else {
                        assert!(is_apart || ordinal(*stored).is_none(), "{stored:?} {name} {constant:?}");
                        continue;
                    };
                    let expected = accepts(compare::values(*stored, *constant));
                    assert_eq!(span.holds(ordinal), expected, "{stored:?} {name} {constant:?}: {span:?}");
                    met += usize::from(expected);
                }
            }
        }
        assert!(met > 5_000, "{met}");
        let apart = |order: Option<Ordering>| order.is_some_and(Ordering::is_ne);
        assert!(Span::new(EdmType::Int32, ValueRef::Int32(5), apart).is_none(), "two spans");
    }
}
