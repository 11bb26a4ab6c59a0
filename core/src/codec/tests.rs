//! The examples of `FORMAT.md`, made by the code and compared with the page; and the values that tests try.

use super::change::{Change, ChangeKey, ChangeKind};
use super::header::{Header, Identity};
use super::position::{Behind, FeedPosition};
use super::record::{
    self, ConsumerRecord, DropOf, DropRecord, FeedContent, FeedRecord, IndexRecord, IndexState, NameRecord, OnDelete,
    Projection, RelationRecord, Scope, SlotRecord, TableRecord,
};
use super::shape::{Choice, Shapes, Slot};
use super::token::{ContinuationToken, Direction, TokenPlace};
use super::{key, order, row, token};
use crate::limits::{Mode, TICKS_LAST};
use crate::model::{DateTime, EdmType, Guid, Value, ValueRef};
use crate::storage::physical_keys;
use proptest::prelude::*;
use std::collections::BTreeMap;
use std::sync::Arc;

const TICKS: i64 = 133_000_000_000_000_000;

/// Properties are tried on the same cases in every run.
pub(super) fn config(cases: u32) -> ProptestConfig {
    let rng_seed = proptest::test_runner::RngSeed::Fixed(1);
    ProptestConfig { cases, rng_seed, failure_persistence: None, ..ProptestConfig::default() }
}

/// Any value of any type, the awkward ones often; Strings and Binaries of up to 700 bytes.
pub(super) fn any_value() -> impl Strategy<Value = Value> {
    let ticks = prop_oneof![Just(0), Just(TICKS_LAST), 0..=TICKS_LAST];
    let binary = proptest::collection::vec(prop_oneof![Just(0_u8), Just(1), Just(0xff), any::<u8>()], 0..20);
    prop_oneof![
        prop_oneof![-3..3, any::<i32>()].prop_map(Value::from),
        any_integer().prop_map(Value::from),
        any_double().prop_map(Value::from),
        ticks.prop_map(|ticks| Value::from(DateTime::from_ticks(ticks).unwrap())),
        any::<[u8; 16]>().prop_map(|bytes| Value::from(Guid::from_bytes(bytes))),
        any::<bool>().prop_map(Value::from),
        any_text().prop_map(Value::from),
        (binary, prop_oneof![Just(1_usize), Just(40)]).prop_map(|(bytes, times)| Value::from(bytes.repeat(times))),
    ]
}

/// Integers, those between doubles often.
fn any_integer() -> impl Strategy<Value = i64> {
    let near = (0_u32..64, -2_i64..=2, any::<bool>()).prop_map(|(power, off, is_negative)| {
        let power = (1_i64 << power.min(62)).wrapping_mul(if power == 63 { 2 } else { 1 });
        if is_negative { power.wrapping_neg().wrapping_add(off) } else { power.wrapping_add(off) }
    });
    prop_oneof![near, -3_i64..3, any::<i64>()]
}

fn any_double() -> impl Strategy<Value = f64> {
    let special = prop::sample::select(vec![
        0.0,
        -0.0,
        0.5,
        -0.5,
        1.5,
        f64::NAN,
        f64::INFINITY,
        f64::NEG_INFINITY,
        f64::MIN_POSITIVE,
        5e-324,
        f64::MAX,
    ]);
    let near = (any_integer(), 0..3).prop_map(|(integer, step)| match (integer as f64, step) {
        (double, 0) => double,
        (double, 1) => double.next_up(),
        (double, _) => double.next_down(),
    });
    prop_oneof![special, near, any::<f64>()]
}

/// Texts that meet where UTF-8 and UTF-16 disagree, at U+0000, and around the cut of components.
pub(super) fn any_text() -> impl Strategy<Value = String> {
    let letter =
        prop::sample::select(vec!['\0', '\u{1}', 'a', 'b', 'é', '\u{d7ff}', '\u{e000}', '\u{ffff}', '\u{10000}', '😀']);
    let few = proptest::collection::vec(letter, 0..4).prop_map(String::from_iter);
    let start = prop_oneof![
        4 => Just(String::new()),
        1 => (508_usize..515).prop_map(|count| "a".repeat(count)),
        1 => (168_usize..172).prop_map(|count| "\u{ffff}".repeat(count)),
    ];
    (start, few).prop_map(|(start, end)| start + &end)
}

/// The bytes of the page: pairs of hexadecimal digits, `61*5` for one five times.
fn bytes(text: &str) -> Vec<u8> {
    let mut bytes = Vec::new();
    for word in text.split_whitespace().flat_map(|word| word.split(',')) {
        let (digits, times) = word.split_once('*').unwrap_or((word, "1"));
        let part: Vec<u8> = (0..digits.len())
            .step_by(2)
            .map(|at| u8::from_str_radix(&digits[at..at + 2], 16).unwrap_or_else(|_| panic!("{word}")))
            .collect();
        bytes.extend(part.repeat(times.parse().unwrap()));
    }
    bytes
}

/// The examples of the page: number to cells, each with its parts.
fn page() -> BTreeMap<u32, Vec<Vec<u8>>> {
    let mut examples = BTreeMap::new();
    for line in include_str!("../../FORMAT.md").lines() {
        let cells: Vec<&str> = line.trim().trim_matches('|').split('|').map(str::trim).collect();
        if let Some(number) = cells[0].strip_prefix('E').and_then(|number| number.parse().ok()) {
            let parts =
                cells[1..].iter().flat_map(|cell| cell.split([',', '='])).filter(|part| !part.trim().is_empty());
            assert!(examples.insert(number, parts.map(bytes).collect()).is_none(), "E{number} comes twice");
        }
    }
    examples
}

fn hex(bytes: &[u8]) -> String {
    let mut text = String::new();
    for run in bytes.chunk_by(|a, b| a == b) {
        match run.len() {
            5.. => text += &format!(" {:02x}*{} ", run[0], run.len()),
            _ => text.extend(run.iter().map(|byte| format!("{byte:02x}"))),
        }
    }
    text
}

fn shapes() -> Shapes {
    let slot = |name: &str, edm_type| Slot { name: name.into(), edm_type };
    let slots = [slot("Name", EdmType::String), slot("Age", EdmType::Int32), slot("Age", EdmType::Double)];
    Shapes::default().with_slots(0, &slots).unwrap()
}

fn row(choice: &Choice, key: &[u8], properties: &[(&str, Value)]) -> Vec<u8> {
    let properties: Vec<(Arc<str>, Value)> =
        properties.iter().map(|(name, value)| ((*name).into(), value.clone())).collect();
    let mut out = Vec::new();
    row::encode(&shapes(), choice, key, TICKS, &properties, &mut out).unwrap();
    out
}

fn component(value: ValueRef<'_>) -> Vec<u8> {
    let mut out = Vec::new();
    order::push_component(&mut out, Some(value));
    out
}

fn components() -> Vec<u8> {
    let mut out = component(ValueRef::String("Palo Alto"));
    order::push_component(&mut out, None);
    out
}

#[test]
fn the_examples_of_the_format() {
    let mut made: BTreeMap<u32, Vec<Vec<u8>>> = BTreeMap::new();
    let identity = Identity { store: *b"0123456789abcdef", history: *b"fedcba9876543210" };
    let mut header = Header::new(identity);
    header.catalog_generation = 1;
    header.commit_number = 2;
    header.last_tick = TICKS;
    header.next_table = 2;
    made.insert(1, vec![header.encode()]);

    made.insert(2, vec![key::row_key(7, "Sales", "000223")]);
    made.insert(3, vec![key::row_key(7, "\u{e000}a", "\u{1f600}\u{ffff}")]);

    let long_row = |letters: usize, row_key: &str| key::row_key(7, &"a".repeat(letters), row_key);
    made.insert(4, physical_keys(&long_row(1_968, ""), &[]));
    made.insert(5, physical_keys(&long_row(1_970, ""), &[9]));
    made.insert(6, physical_keys(&long_row(3_942, "b"), &[9, 10]));

    let shape = Choice::Shape { id: 0, new_slots: Vec::new() };
    let sales = key::row_key(7, "Sales", "000223");
    let (name, age) = (Value::from("Réne"), Value::from(41.5));
    made.insert(7, vec![row(&shape, &sales, &[("Name", "Ann".into()), ("Age", 41.into())])]);
    made.insert(8, vec![row(&shape, &sales, &[("Name", name.clone()), ("Age", age.clone())])]);
    made.insert(9, vec![row(&Choice::SelfDescribing, &sales, &[])]);
    made.insert(10, vec![row(&Choice::SelfDescribing, &sales, &[("Name", name), ("Age", age)])]);

    let index = 7_u32.to_be_bytes();
    let keys = &key::row_key(0, "Sales", "000223")[4..];
    made.insert(11, vec![[&index[..], &components(), keys].concat()]);
    made.insert(12, vec![[&index[..], b"Sales\0", &components(), b"000223"].concat()]);
    assert_eq!(component(ValueRef::Int32(5)), component(ValueRef::Int64(5)));
    assert_eq!(component(ValueRef::Int32(5)), component(ValueRef::Double(5.0)));
    assert_eq!(component(ValueRef::Int32(0)), component(ValueRef::Double(-0.0)));
    made.insert(13, vec![component(ValueRef::Int32(5))]);
    let big = 1_i64 << 53;
    for (number, value) in [
        (14, ValueRef::Int32(-5)),
        (15, ValueRef::Int64(big + 1)),
        (16, ValueRef::Int64(-big - 1)),
        (17, ValueRef::Double(-0.0)),
        (18, ValueRef::Double(f64::NAN)),
        (19, ValueRef::Binary(b"a\0b")),
        (20, ValueRef::String(&"a".repeat(513))),
        (21, ValueRef::DateTime(DateTime::from_ticks(TICKS).unwrap())),
    ] {
        made.insert(number, vec![component(value)]);
    }

    let entry = [&index[..], &components(), keys].concat();
    let mut covering = Vec::new();
    row::encode_describing(&entry, TICKS, [("Age", ValueRef::Int32(41))].into_iter(), &mut covering).unwrap();
    made.insert(22, vec![entry.clone(), covering]);

    let record = |key: Vec<u8>, encode: &dyn Fn(&[u8]) -> Vec<u8>| {
        let value = encode(&key);
        vec![key, value]
    };
    made.insert(23, record(record::key::name("orders"), &|key| NameRecord::new(7).encode(key)));
    made.insert(24, record(record::key::table(7), &|key| TableRecord::new("Orders", 7).encode(key)));
    let age = SlotRecord::new(EdmType::Double, "Age".into());
    made.insert(25, record(record::key::slot(7, 0, 2), &|key| age.encode(key)));
    let by_city = IndexRecord {
        name: "ByCity".into(),
        id: 3,
        scope: Scope::Partition,
        is_unique: true,
        has_long_keys: false,
        other_flags: 0,
        properties: vec!["City".into(), "LastName".into()],
        projection: Projection::Names(vec!["Total".into()]),
        state: IndexState::Building { from: sales.clone() },
        unicode: None,
        unknown: record::Unknown::default(),
    };
    made.insert(26, record(record::key::index(7, 3), &|key| by_city.encode(key)));
    let folded = IndexRecord {
        name: "ByRowKey".into(),
        id: 4,
        scope: Scope::Table,
        is_unique: false,
        properties: vec!["RowKey".into()],
        projection: Projection::Keys,
        state: IndexState::Stale,
        unicode: Some([16, 0, 0]),
        ..by_city
    };
    made.insert(27, record(record::key::index(7, 4), &|key| folded.encode(key)));
    let lines = RelationRecord {
        name: "Lines".into(),
        id: 1,
        child: 8,
        parent: 7,
        partition_key: "PartitionKey".into(),
        row_key: "OrderId".into(),
        on_delete: OnDelete::Cascade,
        index: 5,
        unknown: record::Unknown::default(),
    };
    made.insert(28, record(record::key::relation(8, 1), &|key| lines.encode(key)));
    made.insert(29, record(record::key::related_by(7, 1), &|key| lines.encode(key)));
    let feed = FeedRecord {
        content: FeedContent::After,
        first_commit: 2,
        keep_ticks: 0,
        keep_changes: 1_000,
        waits_for_consumers: false,
        unknown: record::Unknown::default(),
    };
    made.insert(30, record(record::key::feed(7), &|key| feed.encode(key)));
    let mail = ConsumerRecord { commit: 2, position: 0, ticks: TICKS, unknown: record::Unknown::default() };
    made.insert(31, record(record::key::consumer(7, "mail"), &|key| mail.encode(key)));
    for (number, of, drop) in [
        (32, DropOf::Table(6), DropRecord::of_table("Old", 6)),
        (33, DropOf::Index(2), DropRecord::of_index("ByZip", 2, 7)),
        (34, DropOf::Changes(7), DropRecord::of_changes("Orders", 7, 2)),
    ] {
        made.insert(number, record(record::key::drop(of), &|key| drop.encode(key)));
    }

    let change = |key: ChangeKey, change: Change<'_>| {
        record(key.encode().to_vec(), &|key| {
            let mut out = Vec::new();
            change.encode(key, &mut out).unwrap();
            out
        })
    };
    let at = ChangeKey { table: 7, commit: 2, position: 0 };
    let after = row(&Choice::SelfDescribing, &at.encode(), &[]);
    let changed = Change {
        kind: ChangeKind::Changed,
        partition_key: "Sales",
        row_key: "000223",
        ticks: TICKS,
        ticks_before: TICKS - 1,
        commit_ticks: TICKS,
        before: None,
        after: Some(&after),
    };
    made.insert(35, change(at, changed));
    let deleted = Change { kind: ChangeKind::Deleted, ticks: TICKS + 1, ticks_before: TICKS, after: None, ..changed };
    made.insert(36, change(ChangeKey { position: 1, ..at }, deleted));

    let of_row = ContinuationToken {
        identity,
        table: 7,
        direction: Direction::Ascending,
        fingerprint: token::fingerprint(Mode::Portable, ["Name", "Age"], "Age gt 40"),
        place: TokenPlace::Row(sales),
    };
    let of_entry =
        ContinuationToken { direction: Direction::Descending, place: TokenPlace::Entry(entry), ..of_row.clone() };
    use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
    for (number, token) in [(37, of_row), (38, of_entry)] {
        made.insert(number, vec![URL_SAFE_NO_PAD.decode(token.to_string()).unwrap()]);
    }
    let behind = FeedPosition { identity, table: 7, behind: Behind { commit: 2, position: 0 } };
    made.insert(39, vec![URL_SAFE_NO_PAD.decode(behind.to_string()).unwrap()]);

    let page = page();
    let mut wrong = Vec::new();
    for (number, made) in &made {
        if page.get(number) != Some(made) {
            wrong.push(format!("E{number}: {}", made.iter().map(|part| hex(part)).collect::<Vec<_>>().join(" = ")));
        }
    }
    assert!(wrong.is_empty(), "the page says otherwise than\n{}", wrong.join("\n"));
    assert!(page.keys().eq(made.keys()), "an example of the page is not made here");
}
