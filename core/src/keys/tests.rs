use super::*;
use crate::DateTime;
use crate::model::compare;
use proptest::prelude::*;
use std::cmp::Ordering;

/// Texts that hold what is escaped, and what UTF-16 orders otherwise than code points.
fn text() -> impl Strategy<Value = String> {
    let telling = prop::sample::select(
        "\0\u{1} !\"#$-./012>?@[\\]~\u{7f}\u{9f}\u{a0}az\u{d7ff}\u{e000}\u{ffff}\u{10000}\u{10ffff}"
            .chars()
            .collect::<Vec<_>>(),
    );
    prop::collection::vec(prop_oneof![3 => telling, 1 => any::<char>()], 0..6).prop_map(String::from_iter)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4_000))]

    #[test]
    fn safe_keys_keep_order_and_come_back(a in text(), b in text()) {
        let (x, y) = (safe(&a).unwrap(), safe(&b).unwrap());
        prop_assert_eq!(compare::text(&x, &y), compare::text(&a, &b));
        prop_assert_eq!(safe_from(&x).unwrap(), a);
    }

    #[test]
    fn composite_keys_keep_order_and_boundaries(
        a in prop::collection::vec(text(), 1..4), b in prop::collection::vec(text(), 1..4)
    ) {
        let by_parts = |a: &[String], b: &[String]| {
            let first = a.iter().zip(b).map(|(a, b)| compare::text(a, b)).find(|order| *order != Ordering::Equal);
            first.unwrap_or(a.len().cmp(&b.len()))
        };
        let (x, y) = (compose(&a).unwrap(), compose(&b).unwrap());
        prop_assert_eq!(compare::text(&x, &y), by_parts(&a, &b));
        let begins = b.len() > a.len() && b.starts_with(&a);
        prop_assert_eq!(y.starts_with(&compose_prefix(&a).unwrap()), begins);
        prop_assert_eq!(split(&x).unwrap(), a);
    }

    #[test]
    fn what_is_read_back_is_one_key_only(key in text()) {
        if let Ok(parts) = split(&key) {
            prop_assert_eq!(compose(parts).unwrap(), key);
        }
    }

    #[test]
    fn numbers_keep_order_and_come_back(a in any::<i64>(), b in any::<i64>(), x in any::<f64>(), y in any::<f64>()) {
        prop_assert_eq!(integer(a).unwrap().cmp(&integer(b).unwrap()), a.cmp(&b));
        prop_assert_eq!(integer_from(&integer(a).unwrap()).unwrap(), a);
        prop_assert_eq!(Some(double(x).unwrap().cmp(&double(y).unwrap())), x.partial_cmp(&y));
        prop_assert_eq!(double_from(&double(x).unwrap()).unwrap(), x);
    }

    #[test]
    fn instants_keep_order_and_come_back(a in 0..=crate::limits::TICKS_LAST, b in 0..=crate::limits::TICKS_LAST) {
        let (a, b) = (DateTime::from_ticks(a).unwrap(), DateTime::from_ticks(b).unwrap());
        prop_assert_eq!(ticks(a).unwrap().cmp(&ticks(b).unwrap()), a.cmp(&b));
        prop_assert_eq!(descending_ticks(a).unwrap().cmp(&descending_ticks(b).unwrap()), b.cmp(&a));
        prop_assert_eq!(ticks_from(&ticks(a).unwrap()).unwrap(), a);
        prop_assert_eq!(descending_ticks_from(&descending_ticks(a).unwrap()).unwrap(), a);
    }

    #[test]
    fn a_range_holds_the_keys_that_begin_so_and_no_others(prefix in text(), tail in text(), other in text()) {
        let Ok((first, end)) = prefix_range(&prefix) else { return Ok(()) };
        let lies_in = |key: &str| {
            compare::text(key, &first) != Ordering::Less
                && end.as_deref().is_none_or(|end| compare::text(key, end) == Ordering::Less)
        };
        for key in [format!("{prefix}{tail}"), other] {
            if legal(key.clone()).is_ok() {
                prop_assert_eq!(lies_in(&key), key.starts_with(&prefix), "{:?}", key);
            }
        }
    }

    #[test]
    fn bytes_keep_order_and_come_back(a in any::<Vec<u8>>(), b in any::<Vec<u8>>()) {
        prop_assert_eq!(bytes(&a).unwrap().cmp(&bytes(&b).unwrap()), a.cmp(&b));
        prop_assert_eq!(bytes_from(&bytes(&a).unwrap()).unwrap(), a);
    }
}

#[test]
fn what_no_function_made_is_refused() {
    for key in [" ", " 3", " 0", " 0A", "a/b", "~", "~1", "~7e", "\"2", ".", "[x", "a !b"] {
        assert!(safe_from(key).is_err(), "{key:?}");
    }
    for key in ["", "5", "+000000000000000005", "-9999999999999999999", "00000000000000000005"] {
        assert!(integer_from(key).is_err(), "{key:?}");
    }
    // NaN, negative zero, upper case.
    for key in ["fff8000000000000", "7fffffffffffffff", "BFF0000000000000", "", "8"] {
        assert!(double_from(key).is_err(), "{key:?}");
    }
    for key in ["0", "0F", "zz", "é"] {
        assert!(bytes_from(key).is_err(), "{key:?}");
    }
    assert!(descending_ticks_from("3155378976000000000").is_err());
    assert!(text_from_base64("a/b=").is_err());
}

#[test]
fn what_is_no_legal_key_is_an_error() {
    use crate::ErrorCode;
    let code = |result: Result<String>| result.unwrap_err().code();
    assert_eq!(code(safe(&"/".repeat(513))), ErrorCode::KeyValueTooLarge);
    assert_eq!(code(bytes(&[0; 513])), ErrorCode::KeyValueTooLarge);
    assert_eq!(code(compose::<&str>([])), ErrorCode::InvalidInput);
    assert_eq!(code(double(f64::NAN)), ErrorCode::InvalidInput);
    assert_eq!(code(padded(1_000, 3)), ErrorCode::InvalidInput);
    assert_eq!(code(padded(1, 70_000)), ErrorCode::KeyValueTooLarge);
    assert_eq!(code(fold_case("A/B")), ErrorCode::OutOfRangeInput);
    assert_eq!(code(prefix_filter("Name", "a")), ErrorCode::InvalidInput);
    assert!(prefix_range("a/").is_err() && shard("a", 0).is_err());
}

#[test]
fn the_end_of_a_range_is_a_legal_key() {
    for last in ["\u{d7ff}", "\u{d7fe}", "a", "\u{e000}", "\u{ffff}"] {
        for units in [1_022, 1_023, 1_024] {
            let (first, end) = prefix_range(&last.repeat(units)).unwrap();
            let end = end.filter(|end| legal(end.clone()).is_ok() && compare::text(&first, end) == Ordering::Less);
            assert_eq!(end.is_some(), last != "\u{ffff}", "{units} of {last:?}");
        }
    }
    let (_, end) = prefix_range(&"\u{d7ff}".repeat(1_024)).unwrap();
    assert_eq!(end, Some("\u{d7ff}".repeat(1_023) + "\u{e000}"));
}

#[test]
fn shards_stay_what_they_are() {
    // CRC-32C of "123456789" is E3069283.
    assert_eq!(shard("123456789", u32::MAX).unwrap(), 0xe306_9283);
    let mut counts = [0; 8];
    (0..8_000).for_each(|number| counts[shard(&format!("customer {number}"), 8).unwrap() as usize] += 1);
    assert!(counts.iter().all(|count| (900..1_100).contains(count)), "{counts:?}");
}
