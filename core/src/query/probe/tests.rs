use super::*;
use crate::Guid;
use crate::codec::row::{encode, encode_describing};
use crate::codec::shape::Choice;
use proptest::prelude::*;
use std::sync::Arc;

const NAMES: [&str; 4] = ["A", "B", "C", "D"];

fn values() -> impl Strategy<Value = Value> {
    prop_oneof![
        (-2..3).prop_map(Value::Int32),
        prop_oneof![Just(-1_i64), Just(2), Just((1 << 53) + 1)].prop_map(Value::Int64),
        prop_oneof![Just(0.0), Just(-0.0), Just(2.0), Just(0.5), Just(f64::NAN), Just((1_u64 << 53) as f64)]
            .prop_map(Value::Double),
        (0..3_i64).prop_map(|ticks| Value::DateTime(DateTime::from_ticks(ticks).unwrap())),
        (0..2_u8).prop_map(|byte| Value::Guid(Guid::from_bytes([byte; 16]))),
        any::<bool>().prop_map(Value::Boolean),
        prop_oneof![Just(""), Just("a"), Just("ab"), Just("AB"), Just("é"), Just("\u{1f600}"), Just("\u{ffff}")]
            .prop_map(Value::from),
        prop_oneof![Just(vec![]), Just(vec![1]), Just(vec![1, 255])].prop_map(Value::Binary),
    ]
}

type Properties = Vec<(Arc<str>, Value)>;

fn rows() -> impl Strategy<Value = Vec<Properties>> {
    let row = proptest::collection::vec(proptest::option::of(values()), NAMES.len()).prop_map(|values| {
        NAMES.into_iter().zip(values).filter_map(|(name, value)| Some((name.into(), value?))).collect()
    });
    proptest::collection::vec(row, 1..12)
}

fn properties() -> impl Strategy<Value = Property> {
    prop_oneof![
        8 => (0..NAMES.len()).prop_map(|at| Property::named(NAMES[at])),
        1 => Just(Property::named("Missing")),
        1 => prop_oneof![Just(Property::PartitionKey), Just(Property::RowKey), Just(Property::Timestamp)],
    ]
}

fn filters() -> impl Strategy<Value = Expr> {
    let op = (0..CompareOp::ALL.len()).prop_map(|at| CompareOp::ALL[at]);
    let text = prop_oneof![Just("a"), Just("b"), Just(""), Just("é"), Just("\u{1f600}")].prop_map(String::from);
    let leaf = prop_oneof![
        8 => (properties(), op.clone(), values()).prop_map(|(property, op, value)| Expr::Compare { property, op, value }),
        1 => properties().prop_map(Expr::IsTrue),
        1 => properties().prop_map(Expr::IsNull),
        1 => (properties(), text.clone(), any::<bool>()).prop_map(|(property, text, folded)| Expr::StartsWith { property, text, folded }),
        1 => (properties(), text.clone(), any::<bool>()).prop_map(|(property, text, folded)| Expr::EndsWith { property, text, folded }),
        1 => (properties(), text.clone(), any::<bool>()).prop_map(|(property, text, folded)| Expr::Contains { property, text, folded }),
        1 => (properties(), proptest::collection::vec(values(), 1..4)).prop_map(|(property, values)| Expr::In { property, values }),
        1 => (properties(), op, text.clone()).prop_map(|(property, op, text)| Expr::FoldedCompare { property, op, text }),
        1 => (properties(), proptest::collection::vec(text, 1..3)).prop_map(|(property, texts)| Expr::FoldedIn { property, texts }),
        1 => any::<bool>().prop_map(Expr::Constant),
    ];
    leaf.prop_recursive(4, 16, 3, |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 2..4).prop_map(Expr::and),
            proptest::collection::vec(inner.clone(), 2..4).prop_map(Expr::or),
            inner.prop_map(|inner| Expr::Not(Box::new(inner))),
        ]
    })
}

/// Keys, the last of them longer than LMDB takes: a probe sees them whole.
fn keys() -> impl Strategy<Value = Vec<u8>> {
    let long = "é".repeat(1_000);
    prop_oneof![
        Just(key::row_key(1, "a", "é")),
        Just(key::row_key(1, "", "")),
        Just(key::row_key(1, "\u{1f600}", "ab")),
        Just(key::row_key(1, &long, &format!("{long}b"))),
    ]
}

/// `ENTABLE_LONG=1` tries three million filters.
fn cases() -> u32 {
    if std::env::var("ENTABLE_LONG").is_ok_and(|long| long == "1") { 3_000_000 } else { 3_000 }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: cases(), ..ProptestConfig::default() })]

    /// The two evaluators, on rows of growing shapes and on rows that describe themselves.
    #[test]
    fn programs_answer_as_the_plain_evaluator_does(rows in rows(), filter in filters(), key in keys(), mode in 0..2_u8) {
        let mode = if mode == 0 { Mode::Strict } else { Mode::Portable };
        let mut shapes = Shapes::default();
        let mut encoded = Vec::new();
        for row in &rows {
            let choice = shapes.choose(row);
            if let Choice::Shape { id, new_slots } = &choice && !new_slots.is_empty() {
                shapes = shapes.with_slots(*id, new_slots).unwrap();
            }
            let (mut shaped, mut describing) = (Vec::new(), Vec::new());
            encode(&shapes, &choice, &key, 7, row, &mut shaped).unwrap();
            encode_describing(&key, 7, row.iter().map(|(name, value)| (&**name, value.as_ref())), &mut describing).unwrap();
            encoded.extend([shaped, describing]);
        }
        let mut probe = Probe::new(&filter, mode);
        for bytes in &encoded {
            let row = Row::new(&key, bytes, &shapes).unwrap();
            let expected = row_matches(&filter, &key, &row, mode).unwrap();
            prop_assert_eq!(probe.matches(&key, bytes, &shapes).unwrap(), expected, "{}", filter);
        }
    }
}
