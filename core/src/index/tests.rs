//! Entries against `FORMAT.md`: made from rows as the store makes them, and taken apart again.

use super::{Bound, Index, Projection, Scope, entry, folding, split_entry, whole_values};
use crate::codec::key::row_key;
use crate::codec::record::IndexRecord;
use crate::codec::row::{self, Row};
use crate::codec::shape::Shapes;
use crate::limits::{EXTENDED, SERVICE};
use crate::model::Value;

const TICKS: i64 = 133_000_000_000_000_000;

fn index(properties: &[&str]) -> Index {
    Index::new("ByThem").properties(properties.iter().copied())
}

/// The entry of a row in an index of id 7, as hexadecimal key and value.
fn made(index: &Index, keys: (&str, &str), properties: &[(&str, Value)]) -> (IndexRecord, Vec<u8>, Vec<u8>) {
    let record = index.record(7, folding());
    let key = row_key(3, keys.0, keys.1);
    let mut bytes = Vec::new();
    let properties = properties.iter().map(|(name, value)| (*name, value.as_ref()));
    row::encode_describing(&key, TICKS, properties, &mut bytes).unwrap();
    let made = entry(&record, &key, &Row::new(&key, &bytes, &Shapes::default()).unwrap()).unwrap();
    (record, made.key, made.value)
}

fn check(index: &Index, properties: &[(&str, Value)], key: &str, value: &str) {
    let (record, made_key, made_value) = made(index, ("Sales", "000223"), properties);
    let hex = |bytes: &[u8]| bytes.iter().map(|byte| format!("{byte:02x}")).collect::<String>();
    assert_eq!((hex(&made_key), hex(&made_value)), (key.replace(' ', ""), value.replace(' ', "")));
    let parts = split_entry(&record, &made_key).unwrap();
    assert_eq!(parts.row_key_in(3), row_key(3, "Sales", "000223"));
    assert_eq!(parts.each().count(), record.properties.len());
}

#[test]
fn entries_are_those_of_the_page() {
    let (city, age) = (("City", Value::from("Palo Alto")), ("Age", Value::from(41)));
    let both = index(&["City", "LastName"]);
    // E11, E12 and E22.
    let of_table = "00000007 30 50616c6f20416c746f 0000 01 53616c6573 00 303030323233";
    check(&both, std::slice::from_ref(&city), of_table, "");
    let of_partition = "00000007 53616c6573 00 30 50616c6f20416c746f 0000 01 303030323233";
    check(&both.clone().scope(Scope::Partition), std::slice::from_ref(&city), of_partition, "");
    let covering = "ffff 02 00 0080209bcb82d801 0100 0300 416765 01 29000000 d9314038";
    let with_age = both.clone().projection(Projection::names(["Age", "RowKey", "Timestamp"]));
    check(&with_age, &[city.clone(), age], of_table, covering);
}

#[test]
fn keys_and_timestamp_are_components_too() {
    check(&index(&["RowKey"]), &[], "00000007 30 303030323233 0000 53616c6573 00 303030323233", "");
    check(&index(&["Timestamp"]), &[], "00000007 18 81d882cb9b208000 53616c6573 00 303030323233", "");
}

#[test]
fn folded_entries_hold_folded_text() {
    let folded = index(&["City"]).fold_case(true);
    check(&folded, &[("City", Value::from("PALO"))], "00000007 30 70616c6f 0000 53616c6573 00 303030323233", "");
}

#[test]
fn projections_keep_the_order_of_the_row() {
    let properties = [("Z", Value::from(1)), ("A", Value::from(2)), ("M", Value::from(3))];
    for (projection, expected) in [
        (Projection::All, vec!["Z", "A", "M"]),
        (Projection::names(["A", "Z"]), vec!["Z", "A"]),
        (Projection::names(["Timestamp"]), vec![]),
    ] {
        let (_, key, value) = made(&index(&["M"]).projection(projection), ("p", "r"), &properties);
        row::check_crc(&key, &value).unwrap();
        let shapes = Shapes::default();
        let row = Row::new(&key, &value, &shapes).unwrap();
        let names: Vec<_> = row.properties().map(|property| property.unwrap().0.as_str().to_owned()).collect();
        assert_eq!((names, row.ticks()), (expected.into_iter().map(str::to_owned).collect(), TICKS));
    }
}

#[test]
fn unique_speaks_of_whole_values_only() {
    let unique = index(&["A", "B"]).unique(true);
    let long = |end: &str| Value::from("x".repeat(512) + end);
    let bound = |a: Option<Value>, b: Option<Value>| {
        let mut properties = Vec::new();
        properties.extend(a.map(|a| ("A", a)));
        properties.extend(b.map(|b| ("B", b)));
        let (record, key, _) = made(&unique, ("p", "r"), &properties);
        split_entry(&record, &key).unwrap().bound(&record)
    };
    for (a, b, expected) in [
        (Some(Value::from(1)), Some(Value::from("x")), Bound::Exact),
        (Some(Value::from(1)), None, Bound::Free),
        (Some(Value::from(f64::NAN)), Some(Value::from(1)), Bound::Free),
        (Some(Value::from(1)), Some(long("")), Bound::Exact),
        (Some(Value::from(1)), Some(long("y")), Bound::Rows),
        (Some(long("y")), None, Bound::Free),
    ] {
        assert_eq!(bound(a.clone(), b.clone()), expected, "{a:?} {b:?}");
    }
}

#[test]
fn whole_values_tell_apart_what_was_cut() {
    let record = index(&["A"]).fold_case(true).record(7, folding());
    let whole = |text: String| {
        let key = row_key(3, "p", "r");
        let mut bytes = Vec::new();
        row::encode_describing(&key, TICKS, [("A", crate::ValueRef::String(&text))].into_iter(), &mut bytes).unwrap();
        whole_values(&record, &key, &Row::new(&key, &bytes, &Shapes::default()).unwrap()).unwrap()
    };
    let long = "x".repeat(600);
    assert_eq!(whole(long.clone() + "Y"), whole(long.to_uppercase() + "y"));
    assert_ne!(whole(long.clone() + "y"), whole(long + "z"));
}

#[test]
fn declarations_are_checked() {
    let many: Vec<String> = (0..17).map(|number| format!("P{number}")).collect();
    let check = |index: &Index| index.check(&SERVICE).map_err(|error| error.code().name());
    let refused = Err("InvalidInput");
    for (index, expected) in [
        (index(&["A"]), Ok(())),
        (index(&["RowKey", "Timestamp", "A"]), Ok(())),
        (Index::new("").properties(["A"]), refused),
        (Index::new("x".repeat(256)).properties(["A"]), refused),
        (Index::new("é".repeat(255)).properties(["A"]), Ok(())),
        (index(&[]), refused),
        (Index::new("x").properties(many[..16].iter().map(String::as_str)), Ok(())),
        (Index::new("x").properties(many.iter().map(String::as_str)), refused),
        (index(&["PartitionKey"]), refused),
        (index(&["A", "A"]), refused),
        (index(&["a b"]), Err("PropertyNameInvalid")),
        (index(&["A"]).projection(Projection::names(["a b"])), Err("PropertyNameInvalid")),
    ] {
        assert_eq!(check(&index), expected, "{index:?}");
    }
    assert!(index(&["a b"]).check(&EXTENDED).is_ok());
}

#[test]
fn what_is_no_entry_is_damage() {
    let (record, key, _) = made(&index(&["A"]), ("p", "r"), &[("A", Value::from("x"))]);
    for end in 0..key.len() - 1 {
        assert!(split_entry(&record, &key[..end]).is_err(), "{end}");
    }
}
