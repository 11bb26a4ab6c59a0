//! Random filters: text never panics, trees come back from their text, and a second evaluator agrees.

use super::Sample;
use crate::filter::ast::{CompareOp, Expr, Property};
use crate::filter::{Filter, Parameters, eval, parse};
use crate::limits::TICKS_LAST;
use crate::{DateTime, Guid, Mode, Value};
use proptest::prelude::*;
use proptest::sample::select;
use proptest::test_runner::{Config, RngSeed};
use std::cmp::Ordering;

const MODES: [Mode; 3] = [Mode::Strict, Mode::Portable, Mode::Extended];

fn config(cases: u32) -> Config {
    Config { cases, rng_seed: RngSeed::Fixed(7), failure_persistence: None, ..Config::default() }
}

/// Few values of each type, so that comparisons often meet an equal one.
fn value() -> impl Strategy<Value = Value> {
    let int64s = vec![0, 1, -1, 5, 1 << 53, (1 << 53) + 1, (1 << 53) - 1, 1 << 31, i64::MAX, i64::MAX - 1, i64::MIN];
    let doubles = vec![
        0.0,
        -0.0,
        1.0,
        -1.0,
        5.0,
        5.5,
        0.1,
        1e300,
        1e16,
        5e-324,
        9_007_199_254_740_992.0,
        9_223_372_036_854_775_808.0,
        -9_223_372_036_854_775_808.0,
        f64::MAX,
        f64::NAN,
        f64::INFINITY,
        f64::NEG_INFINITY,
    ];
    prop_oneof![
        select(vec![0, 1, -1, 5, i32::MAX, i32::MIN]).prop_map(Value::Int32),
        any::<i32>().prop_map(Value::Int32),
        select(int64s).prop_map(Value::Int64),
        any::<i64>().prop_map(Value::Int64),
        select(doubles).prop_map(Value::Double),
        any::<f64>().prop_map(Value::Double),
        prop_oneof![0..4_i64, Just(TICKS_LAST), 0..TICKS_LAST]
            .prop_map(|ticks| Value::DateTime(DateTime::from_ticks(ticks).unwrap())),
        prop_oneof![Just([0; 16]), Just([255; 16]), any::<[u8; 16]>()]
            .prop_map(|bytes| Value::Guid(Guid::from_bytes(bytes))),
        any::<bool>().prop_map(Value::Boolean),
        text().prop_map(Value::String),
        proptest::collection::vec(select(vec![0, 1, 255_u8]), 0..3).prop_map(Value::Binary),
    ]
}

fn text() -> impl Strategy<Value = String> {
    let letters = select(vec!["a", "A", "b", "B", "'", "''", " ", "é", "É", "ß", "\u{e000}", "\u{1f600}", "\n"]);
    prop_oneof![
        3 => proptest::collection::vec(letters, 0..4).prop_map(|letters| letters.concat()),
        1 => any::<String>(),
    ]
}

fn property() -> impl Strategy<Value = Property> {
    select(vec!["PartitionKey", "RowKey", "Timestamp", "A", "B", "C", "é", "in"]).prop_map(Property::named)
}

fn custom() -> impl Strategy<Value = Property> {
    select(vec!["A", "B", "C", "é", "in"]).prop_map(Property::named)
}

/// A property of texts.
fn textual() -> impl Strategy<Value = Property> {
    property().prop_filter("a Timestamp is no text", |property| *property != Property::Timestamp)
}

fn comparison() -> impl Strategy<Value = Expr> {
    let op = || select(CompareOp::ALL.to_vec());
    let ticks = (0..4_i64).prop_map(|ticks| Value::DateTime(DateTime::from_ticks(ticks).unwrap()));
    let time = (op(), ticks).prop_map(|(op, value)| Expr::Compare { property: Property::Timestamp, op, value });
    let key = (op(), text(), select(vec![Property::PartitionKey, Property::RowKey]))
        .prop_map(|(op, text, property)| Expr::Compare { property, op, value: text.into() });
    let other = (custom(), op(), value()).prop_map(|(property, op, value)| Expr::Compare { property, op, value });
    prop_oneof![1 => time, 1 => key, 4 => other]
}

fn folded(folded: bool, text: String) -> String {
    if folded { crate::model::fold::fold_case(&text) } else { text }
}

fn leaf() -> impl Strategy<Value = Expr> {
    let op = || select(CompareOp::ALL.to_vec());
    prop_oneof![
        6 => comparison(),
        1 => any::<bool>().prop_map(Expr::Constant),
        1 => custom().prop_map(Expr::IsTrue),
        1 => property().prop_map(Expr::IsNull),
        2 => (textual(), text(), any::<bool>(), 0..3).prop_map(|(property, text, is_folded, which)| {
            let (text, folded) = (folded(is_folded, text), is_folded);
            match which {
                0 => Expr::StartsWith { property, text, folded },
                1 => Expr::EndsWith { property, text, folded },
                _ => Expr::Contains { property, text, folded },
            }
        }),
        1 => (custom(), proptest::collection::vec(value(), 1..4))
            .prop_map(|(property, values)| Expr::In { property, values }),
        1 => (textual(), op(), text())
            .prop_map(|(property, op, text)| Expr::FoldedCompare { property, op, text: folded(true, text) }),
        1 => (textual(), proptest::collection::vec(text(), 1..4)).prop_map(|(property, texts)| {
            Expr::FoldedIn { property, texts: texts.into_iter().map(|text| folded(true, text)).collect() }
        }),
    ]
}

fn expr() -> impl Strategy<Value = Expr> {
    leaf().prop_recursive(6, 40, 4, |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 1..4).prop_map(Expr::and),
            proptest::collection::vec(inner.clone(), 1..4).prop_map(Expr::or),
            inner.prop_map(|inner| Expr::Not(Box::new(inner))),
        ]
    })
}

fn entity() -> impl Strategy<Value = Sample> {
    let properties = proptest::collection::hash_map(select(vec!["A", "B", "C", "é", "in"]), value(), 0..5);
    (text(), text(), 0..4_i64, properties).prop_map(|(partition_key, row_key, ticks, properties)| {
        let sample = Sample::new(&partition_key, &row_key, DateTime::from_ticks(ticks).unwrap());
        properties.into_iter().fold(sample, |sample, (name, value)| sample.with(name, value))
    })
}

/// Words of the language and near misses, in any order.
fn soup() -> impl Strategy<Value = String> {
    let words = vec![
        "A",
        "B",
        "PartitionKey",
        "Timestamp",
        "in",
        "tolower",
        "startswith",
        "contains",
        "and",
        "or",
        "not",
        "eq",
        "ne",
        "lt",
        "null",
        "true",
        "False",
        "NaN",
        "-INF",
        "5",
        "-5",
        "5L",
        "5.5",
        "1e400",
        "2147483648",
        "'a'",
        "'",
        "''",
        "guid'",
        "X'00'",
        "x'0'",
        "datetime'2020-01-01T00:00:00Z'",
        "@p",
        "@",
        "(",
        ")",
        ",",
        "-",
        "add",
        "/any(",
        ">",
        "\"",
        "é",
        "\u{1f600}",
        "\u{a0}",
        "length(",
    ];
    let terms = vec![
        "A eq 5",
        "'a' lt RowKey",
        "startswith(A, 'a')",
        "tolower(B) in ('a', @s)",
        "A eq null",
        "A",
        "(A)",
        "not A",
        "B ne @p",
        "A in (1, 'b')",
        "PartitionKey eq 5",
        "true",
    ];
    let blank = || select(vec![" ", " ", " ", "", "\t"]);
    let piece = prop_oneof![
        2 => select(words),
        2 => select(terms),
        3 => select(vec!["and", "or", "(", ")", "not"]),
    ];
    proptest::collection::vec((piece, blank()), 0..12)
        .prop_map(|pieces| pieces.into_iter().flat_map(|(word, blank)| [word, blank]).collect())
}

/// Checks what must hold for any text whatever.
fn check_text(text: &str) -> Result<(), TestCaseError> {
    let parameters = Parameters::new().with("p", 5).with("s", "x");
    let outcomes = MODES.map(|mode| parse(text, &parameters, mode));
    for outcome in &outcomes {
        match outcome {
            Ok(expr) => {
                prop_assert_eq!(&parse(&expr.to_string(), &parameters, Mode::Extended).unwrap(), expr);
            }
            Err(error) => {
                let position = error.details().position;
                prop_assert!(position.is_some_and(|at| at <= text.chars().count()), "{:?}: {}", text, error);
            }
        }
    }
    let [strict, portable, _] = outcomes;
    // The parser and the check of a tree refuse alike.
    match (strict, Filter::parse_with(text, &parameters, Mode::Portable)) {
        (strict, Ok(filter)) => {
            filter.check(Mode::Portable).unwrap();
            let of_tree = filter.check(Mode::Strict);
            prop_assert_eq!(strict.is_ok(), of_tree.is_ok(), "{:?}", text);
            if let Ok(strict) = strict {
                prop_assert_eq!(strict, portable.unwrap());
            }
        }
        (strict, Err(error)) => prop_assert!(strict.is_err(), "{:?} is strict only: {}", text, error),
    }
    Ok(())
}

proptest! {
    #![proptest_config(config(2_000))]

    #[test]
    fn any_text_is_taken_or_refused(text in any::<String>()) {
        check_text(&text)?;
    }

    #[test]
    fn any_words_are_taken_or_refused(text in soup()) {
        check_text(&text)?;
    }

    #[test]
    fn trees_come_back_from_their_text(expr in expr()) {
        let text = expr.to_string();
        let parsed = parse(&text, &Parameters::new(), Mode::Extended);
        prop_assert_eq!(parsed.map_err(|error| error.to_string()), Ok(expr), "{}", text);
    }

    #[test]
    fn a_second_evaluator_agrees(expr in expr(), entities in proptest::collection::vec(entity(), 1..6)) {
        for entity in &entities {
            for mode in MODES {
                prop_assert_eq!(eval::matches(&expr, entity, mode), naive(&expr, entity, mode), "{} {:?}", expr, mode);
            }
        }
    }

    #[test]
    fn comparisons_agree_one_by_one(expr in comparison(), entity in entity()) {
        for mode in MODES {
            prop_assert_eq!(eval::matches(&expr, &entity, mode), naive(&expr, &entity, mode), "{} {:?}", expr, mode);
        }
    }
}

/// The meaning of a filter once more, written from S7.3 to S7.5 without the code that is tested: numbers are compared
/// as decimal digits, texts as lists of UTF-16 units.
fn naive(expr: &Expr, entity: &Sample, mode: Mode) -> bool {
    let stored = |property: &Property| match property {
        Property::PartitionKey => Some(Value::String(entity.partition_key.clone())),
        Property::RowKey => Some(Value::String(entity.row_key.clone())),
        Property::Timestamp => Some(Value::DateTime(entity.timestamp)),
        Property::Custom(name) => {
            entity.properties.iter().find(|(known, _)| **known == **name).map(|(_, value)| value.clone())
        }
    };
    let lower = |text: &str| crate::model::fold::fold_case(text);
    let stored_text = |property: &Property, folded: bool| match stored(property) {
        Some(Value::String(text)) => Some(if folded { lower(&text) } else { text }),
        _ => None,
    };
    let units = |text: &str| text.encode_utf16().collect::<Vec<u16>>();
    match expr {
        Expr::And(parts) => !parts.iter().any(|part| !naive(part, entity, mode)),
        Expr::Or(parts) => !parts.iter().all(|part| !naive(part, entity, mode)),
        Expr::Not(inner) => !naive(inner, entity, mode),
        Expr::Constant(constant) => *constant,
        Expr::Compare { property, op, value } => match stored(property) {
            Some(stored) => naive_compare(&stored, *op, value, mode),
            None => false,
        },
        Expr::IsTrue(property) => stored(property) == Some(Value::Boolean(true)),
        Expr::IsNull(property) => stored(property).is_none(),
        Expr::StartsWith { property, text, folded } => stored_text(property, *folded)
            .is_some_and(|stored| units(&stored).get(..units(text).len()) == Some(&units(text))),
        Expr::EndsWith { property, text, folded } => {
            stored_text(property, *folded).is_some_and(|stored| units(&stored).ends_with(&units(text)))
        }
        Expr::Contains { property, text, folded } => stored_text(property, *folded).is_some_and(|stored| {
            text.is_empty() || units(&stored).windows(units(text).len()).any(|window| window == units(text))
        }),
        Expr::In { property, values } => values.iter().any(|value| {
            naive(&Expr::Compare { property: property.clone(), op: CompareOp::Eq, value: value.clone() }, entity, mode)
        }),
        Expr::FoldedCompare { property, op, text } => stored_text(property, true)
            .is_some_and(|stored| naive_compare(&Value::String(stored), *op, &Value::String(text.clone()), mode)),
        Expr::FoldedIn { property, texts } => stored_text(property, true).is_some_and(|stored| texts.contains(&stored)),
    }
}

fn naive_compare(stored: &Value, op: CompareOp, constant: &Value, mode: Mode) -> bool {
    let order = match (stored, constant) {
        (Value::String(a), Value::String(b)) => a.encode_utf16().cmp(b.encode_utf16()),
        (Value::Binary(a), Value::Binary(b)) => a.iter().cmp(b.iter()),
        (Value::Boolean(a), Value::Boolean(b)) => u8::from(*a).cmp(&u8::from(*b)),
        (Value::DateTime(a), Value::DateTime(b)) => a.ticks().cmp(&b.ticks()),
        (Value::Guid(a), Value::Guid(b)) => a.to_string().cmp(&b.to_string()),
        _ => {
            let (Some(a), Some(b)) = (Decimal::of(stored), Decimal::of(constant)) else { return false };
            if mode == Mode::Strict && !matches!(constant, Value::Int32(_)) && stored.edm_type() != constant.edm_type()
            {
                return false;
            }
            let (Decimal::Number(a), Decimal::Number(b)) = (a, b) else { return op == CompareOp::Ne };
            decimal_order(&a, &b)
        }
    };
    match op {
        CompareOp::Eq => order == Ordering::Equal,
        CompareOp::Ne => order != Ordering::Equal,
        CompareOp::Gt => order == Ordering::Greater,
        CompareOp::Ge => order != Ordering::Less,
        CompareOp::Lt => order == Ordering::Less,
        CompareOp::Le => order != Ordering::Greater,
    }
}

/// A number as its exact decimal digits.
enum Decimal {
    Number(String),
    Nan,
}

impl Decimal {
    fn of(value: &Value) -> Option<Decimal> {
        // No binary64 number has more than 1,074 decimals; the largest stands in for infinity, with one digit more.
        Some(Decimal::Number(match value {
            Value::Int32(number) => format!("{number}.{:0<1074}", ""),
            Value::Int64(number) => format!("{number}.{:0<1074}", ""),
            Value::Double(number) if number.is_nan() => return Some(Decimal::Nan),
            Value::Double(number) if number.is_infinite() => {
                format!("{}{:0<400}.{:0<1074}", if *number < 0.0 { "-1" } else { "1" }, "", "")
            }
            Value::Double(number) if *number == 0.0 => format!("0.{:0<1074}", ""),
            Value::Double(number) => format!("{number:.1074}"),
            _ => return None,
        }))
    }
}

fn decimal_order(a: &str, b: &str) -> Ordering {
    match (a.strip_prefix('-'), b.strip_prefix('-')) {
        (None, None) => a.len().cmp(&b.len()).then_with(|| a.cmp(b)),
        (Some(a), Some(b)) => decimal_order(b, a),
        (Some(_), None) => Ordering::Less,
        (None, Some(_)) => Ordering::Greater,
    }
}
