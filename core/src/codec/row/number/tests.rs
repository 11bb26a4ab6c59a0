use super::super::tests::{Properties, any_rows, write};
use super::*;
use crate::codec::shape::Shapes;
use crate::codec::tests::config;
use crate::model::{Value, ValueRef, compare};
use crate::{DateTime, ErrorCode};
use proptest::prelude::*;

type Accepts = fn(Option<Ordering>) -> bool;
const RELATIONS: [Accepts; 3] = [
    |order| order == Some(Ordering::Equal),
    |order| order == Some(Ordering::Greater),
    |order| order != Some(Ordering::Equal),
];

/// The spans of a name that the constant compares with; `None` if no slot has such values.
fn compile(shape: &Shape, name: &str, constant: ValueRef<'_>, accepts: Accepts) -> Option<Spans> {
    let asked = shape.name(name)?.slots().filter_map(|slot| {
        let edm_type = shape.slots()[usize::from(slot)].edm_type;
        Some((slot, Span::new(edm_type, constant, accepts)?))
    });
    Spans::new(shape, asked)
}

fn row(list: &[(&str, Value)]) -> Properties {
    list.iter().map(|(name, value)| ((*name).into(), value.clone())).collect()
}

proptest! {
    #![proptest_config(config(300))]

    /// Of every property, compared with every value that one of its name has, in rows of growing shapes.
    #[test]
    fn compiled_spans_answer_as_the_comparison_does(rows in any_rows()) {
        let mut shapes = Shapes::default();
        let encoded: Vec<Vec<u8>> = rows.iter().map(|row| write(&mut shapes, row)).collect();
        for (properties, bytes) in rows.iter().zip(&encoded) {
            let id = u16::from_le_bytes([bytes[0], bytes[1]]);
            let Some(shape) = shapes.get(id) else { continue };
            for (name, constant) in rows.iter().flatten() {
                for accepts in RELATIONS {
                    let Some(spans) = compile(shape, name, constant.as_ref(), accepts) else { continue };
                    let value = properties.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_ref());
                    let comparable = value.filter(|value| {
                        Span::new(value.edm_type(), constant.as_ref(), accepts).is_some()
                    });
                    let expected = comparable.map(|value| accepts(compare::values(value, constant.as_ref())));
                    prop_assert_eq!(spans.holds(bytes).unwrap(), expected, "{} {:?} {:?}", name, value, constant);
                }
            }
        }
    }
}

#[test]
fn numbers_of_every_type_are_met_however_many_slots_lie_before_them() {
    for others in [0, 1, 7, 30, 31, 40, 62, 63, 64, 130] {
        for value in [Value::Int32(-7), Value::Int64(-7), Value::Double(-7.0)] {
            // A shape in which the name has all three types, and rows that are full and that are not.
            let names: Vec<String> = (0..others).map(|at| format!("P{at}")).collect();
            let other = |at: usize| match at % 4 {
                0 => Value::Double(1.0),
                1 => Value::Guid(crate::Guid::from_bytes([9; 16])),
                2 => Value::Boolean(true),
                _ => Value::Int32(4),
            };
            let mut full: Vec<(&str, Value)> =
                names.iter().enumerate().map(|(at, name)| (&**name, other(at))).collect();
            full.push(("N", value.clone()));
            let mut half: Vec<_> = full.iter().step_by(2).cloned().collect();
            half.retain(|(name, _)| *name != "N");
            half.push(("N", value.clone()));
            let mut shapes = Shapes::default();
            write(&mut shapes, &row(&full));
            for number in [Value::Int32(1), Value::Int64(1), Value::Double(1.0)] {
                full.pop();
                full.push(("N", number));
                write(&mut shapes, &row(&full));
            }
            full.pop();
            full.push(("N", value.clone()));
            for properties in [&full, &half] {
                let bytes = write(&mut shapes, &row(properties));
                let shape = shapes.get(u16::from_le_bytes([bytes[0], bytes[1]])).unwrap();
                for (bound, expected) in [(-8, true), (-7, false)] {
                    let slots: Vec<u16> = shape.name("N").unwrap().slots().collect();
                    let is_apart = slots.iter().any(|slot| slot / 64 != slots[0] / 64);
                    let Some(spans) = compile(shape, "N", ValueRef::Int32(bound), RELATIONS[1]) else {
                        assert!(is_apart, "{slots:?}");
                        continue;
                    };
                    assert_eq!(spans.holds(&bytes).unwrap(), Some(expected), "{others} {value:?} gt {bound}");
                }
            }
        }
    }
}

/// As a filter must not leave a row out in silence.
#[test]
fn what_is_no_value_of_its_type_or_lies_outside_the_row_is_damage() {
    let mut shapes = Shapes::default();
    let date = Value::DateTime(DateTime::from_ticks(5).unwrap());
    let good = write(&mut shapes, &row(&[("D", date.clone()), ("B", Value::Boolean(true)), ("N", Value::Int32(3))]));
    let shape = shapes.get(0).unwrap();
    let check = |name, constant: &Value, bytes: &[u8]| {
        compile(shape, name, constant.as_ref(), RELATIONS[0]).unwrap().holds(bytes).map_err(|error| error.code())
    };
    let boolean = Value::Boolean(true);
    let (ticks_at, int32_at, boolean_at) = (12, 20, 24);
    assert_eq!(check("D", &date, &good), Ok(Some(true)));
    assert_eq!(check("B", &boolean, &good), Ok(Some(true)));
    assert_eq!(check("N", &Value::Int64(3), &good), Ok(Some(true)));
    for (at, byte, name, constant) in [
        (ticks_at + 7, 0x80, "D", &date),
        (ticks_at + 7, 0x7f, "D", &date),
        (boolean_at, 2, "B", &boolean),
        (boolean_at, 0xff, "B", &boolean),
    ] {
        let mut bytes = good.clone();
        bytes[at] = byte;
        assert_eq!(check(name, constant, &bytes), Err(ErrorCode::Damaged), "{name} {byte:02x}");
    }
    for cut in 0..int32_at + 4 {
        assert_eq!(check("N", &Value::Int32(3), &good[..cut]), Err(ErrorCode::Damaged), "{cut}");
    }
    // More slots than the shape has.
    let mut more = good.clone();
    more[3] = 9;
    assert_eq!(check("N", &Value::Int32(3), &more), Err(ErrorCode::Damaged));
}
