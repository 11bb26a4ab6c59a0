use super::*;
use crate::ErrorCode;
use crate::codec::tests::{any_text, any_value, config};
use crate::model::{Value, compare};
use proptest::prelude::*;

fn component(value: Option<&Value>) -> (Vec<u8>, bool) {
    let mut out = Vec::new();
    let is_cut = push_component(&mut out, value.map(Value::as_ref));
    (out, is_cut)
}

/// The whole order of values: types by their tags, NaN behind the numbers, else as filters compare.
fn order(a: Option<&Value>, b: Option<&Value>) -> Ordering {
    let (Some(a), Some(b)) = (a, b) else {
        return a.is_some().cmp(&b.is_some());
    };
    let rank = |value: &Value| match value {
        Value::Boolean(_) => 0,
        Value::Int32(_) | Value::Int64(_) | Value::Double(_) => 1,
        Value::DateTime(_) => 2,
        Value::Guid(_) => 3,
        Value::String(_) => 4,
        Value::Binary(_) => 5,
    };
    let is_nan = |value: &Value| value.as_f64().is_some_and(f64::is_nan);
    let value = || match (is_nan(a), is_nan(b)) {
        (false, false) => compare::values(a.as_ref(), b.as_ref()).unwrap(),
        (a, b) => a.cmp(&b),
    };
    rank(a).cmp(&rank(b)).then_with(value)
}

fn check(a: Option<&Value>, b: Option<&Value>) -> Result<(), TestCaseError> {
    let ((left, a_is_cut), (right, b_is_cut)) = (component(a), component(b));
    match left.cmp(&right) {
        // What was cut tells no difference behind the cut.
        Ordering::Equal if a_is_cut => prop_assert!(b_is_cut),
        met => prop_assert_eq!(met, order(a, b)),
    }
    Ok(())
}

proptest! {
    #![proptest_config(config(10_000))]

    #[test]
    fn components_sort_as_their_values_do(
        a in proptest::option::weighted(0.95, any_value()),
        b in proptest::option::weighted(0.95, any_value()),
    ) {
        check(a.as_ref(), b.as_ref())?;
    }

    #[test]
    fn texts_sort_as_filters_compare_them(a in any_text(), b in any_text()) {
        check(Some(&Value::String(a.clone())), Some(&Value::String(b.clone())))?;
        let pair = Value::Binary(a.into_bytes());
        check(Some(&pair), Some(&Value::Binary(b.into_bytes())))?;
    }

    #[test]
    fn sequences_sort_by_their_first_difference(
        a in proptest::collection::vec(proptest::option::of(any_value()), 3),
        b in proptest::collection::vec(proptest::option::of(any_value()), 3),
        common in 0_usize..3,
    ) {
        let sequence = |own: &[Option<Value>]| {
            let mut out = Vec::new();
            let is_cut = a[..common].iter().chain(&own[common..])
                .map(|value| push_component(&mut out, value.as_ref().map(Value::as_ref)))
                .fold(false, |cut, next| cut | next);
            (out, is_cut)
        };
        let ((left, a_is_cut), (right, b_is_cut)) = (sequence(&a), sequence(&b));
        let pairs = a[common..].iter().zip(&b[common..]);
        let expected = pairs.map(|(a, b)| order(a.as_ref(), b.as_ref())).find(|order| order.is_ne());
        if !(a_is_cut || b_is_cut) {
            prop_assert_eq!(left.cmp(&right), expected.unwrap_or(Ordering::Equal));
        }
    }

    #[test]
    fn a_component_is_skipped_whatever_follows(
        value in proptest::option::of(any_value()),
        rest in proptest::collection::vec(any::<u8>(), 0..12),
    ) {
        let (bytes, is_cut_value) = component(value.as_ref());
        prop_assert_eq!(skip_component(&[&bytes[..], &rest].concat()).unwrap(), bytes.len());
        prop_assert_eq!(is_cut(&bytes), is_cut_value);
        for end in 0..bytes.len() {
            prop_assert_eq!(skip_component(&bytes[..end]).unwrap_err().code(), ErrorCode::Damaged);
        }
    }

    #[test]
    fn any_bytes_are_skipped_within_them(bytes in proptest::collection::vec(any::<u8>(), 0..40)) {
        for tag in [MISSING, BOOLEAN, NUMBER, DATETIME, GUID, STRING, BINARY] {
            let bytes = [&[tag], &bytes[..]].concat();
            if let Ok(length) = skip_component(&bytes) {
                prop_assert!((1..=bytes.len()).contains(&length));
            }
        }
    }

    #[test]
    fn a_prefix_stands_before_its_strings_and_no_others(prefix in any_text(), text in any_text(), joined: bool) {
        let text = if joined { prefix.clone() + &text } else { text };
        let mut bytes = Vec::new();
        let is_cut = push_string_prefix(&mut bytes, &prefix);
        let begins = component(Some(&Value::String(text.clone()))).0.starts_with(&bytes);
        if text.starts_with(&prefix) {
            prop_assert!(begins);
        } else if !is_cut {
            // 00 FF of a text that goes on with U+0000 is the only byte pair that an end could be taken for.
            prop_assert!(!begins);
        }
    }
}

#[test]
fn tags_leave_no_other_way_in() {
    for byte in (0..=u8::MAX).filter(|byte| ![MISSING, BOOLEAN, NUMBER, DATETIME, GUID, STRING, BINARY].contains(byte))
    {
        assert_eq!(skip_component(&[byte; 40]).unwrap_err().code(), ErrorCode::Damaged, "{byte:02x}");
    }
    assert!(skip_component(&[STRING, b'a', 0, 2]).is_err());
    let mut nan = Vec::new();
    push_nan(&mut nan);
    assert_eq!(nan, component(Some(&Value::Double(f64::NAN))).0);
    assert_eq!(nan, component(Some(&Value::Double(-f64::NAN))).0);
}
