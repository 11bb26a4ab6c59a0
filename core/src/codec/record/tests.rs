use super::*;
use crate::ErrorCode;
use crate::codec::bytes::push_crc;

/// Adds a field behind the others, and the right CRC.
fn with_field(record: &[u8], tag: u16, value: &[u8]) -> Vec<u8> {
    let mut out = record[..record.len() - 4].to_vec();
    out.extend_from_slice(&tag.to_le_bytes());
    out.extend_from_slice(&(value.len() as u32).to_le_bytes());
    out.extend_from_slice(value);
    push_crc(&mut out, 0);
    out
}

/// What every record must do: come back, keep what it does not know, refuse what it must know, find damage.
fn check<T: PartialEq + std::fmt::Debug>(record: &T, encode: fn(&T) -> Vec<u8>, decode: fn(&[u8]) -> Result<T>) {
    let bytes = encode(record);
    assert_eq!(&decode(&bytes).unwrap(), record);

    let later = with_field(&with_field(&bytes, 0x0777, b"later"), 0x0777, b"again");
    let read = decode(&later).unwrap();
    assert_ne!(&read, record);
    assert_eq!(encode(&read), later, "{record:?}");

    // Fields are in the order of their tags, those of later versions too.
    let mut no_fields = Vec::new();
    push_crc(&mut no_fields, 0);
    let first = with_field(&no_fields, 0, b"first");
    let mut earlier = [&first[..first.len() - 4], &bytes[..bytes.len() - 4]].concat();
    push_crc(&mut earlier, 0);
    assert_eq!(encode(&decode(&earlier).unwrap()), earlier);

    let falling = with_field(&later, 0x0776, b"");
    assert_eq!(decode(&falling).unwrap_err().code(), ErrorCode::Damaged);
    let newer = with_field(&bytes, 0x8001, b"");
    assert_eq!(decode(&newer).unwrap_err().code(), ErrorCode::NewerFormat);

    for at in 0..bytes.len() {
        let mut damaged = bytes.clone();
        damaged[at] ^= 0x40;
        assert_eq!(decode(&damaged).unwrap_err().code(), ErrorCode::Damaged, "{record:?} {at}");
        assert_eq!(decode(&bytes[..at]).unwrap_err().code(), ErrorCode::Damaged, "{record:?} {at}");
    }
    // Damage with a right CRC is found, too, or is another value; it is no panic.
    for at in 0..bytes.len() - 4 {
        for byte in [0, 1, 2, 3, 0x7f, 0xff] {
            let mut damaged = bytes[..bytes.len() - 4].to_vec();
            damaged[at] = byte;
            push_crc(&mut damaged, 0);
            if let Err(error) = decode(&damaged) {
                assert!(matches!(error.code(), ErrorCode::Damaged | ErrorCode::NewerFormat), "{error}");
            }
        }
    }
    let mut empty = Vec::new();
    push_crc(&mut empty, 0);
    assert_eq!(decode(&empty).unwrap_err().code(), ErrorCode::Damaged);
}

fn index() -> IndexRecord {
    IndexRecord {
        name: "ByCity".into(),
        id: 3,
        scope: Scope::Table,
        is_unique: false,
        folds_case: true,
        has_long_keys: true,
        other_flags: 0x100,
        properties: vec!["City".into(), "RowKey".into()],
        projection: Projection::Keys,
        state: IndexState::Ready,
        unicode: Some([16, 0, 0]),
        unknown: Unknown::default(),
    }
}

#[test]
fn records_come_back_and_keep_what_a_later_version_added() {
    let table = TableRecord { has_long_keys: true, other_flags: 6, generation: 9, ..TableRecord::new("Orders", 7) };
    check(&table, TableRecord::encode, TableRecord::decode);
    check(&TableRecord::new("Orders", 7), TableRecord::encode, TableRecord::decode);
    check(&NameRecord::new(7), NameRecord::encode, NameRecord::decode);
    for edm_type in EdmType::ALL {
        check(&SlotRecord::new(edm_type, "Ünï".into()), SlotRecord::encode, SlotRecord::decode);
    }
    let building = IndexState::Building { from: b"\0\0\0\x07Sales\0".to_vec() };
    let names = Projection::Names(vec!["Total".into(), "Paid".into()]);
    for index in [
        index(),
        IndexRecord { scope: Scope::Partition, is_unique: true, state: building, unicode: None, ..index() },
        IndexRecord { state: IndexState::Building { from: Vec::new() }, projection: Projection::All, ..index() },
        IndexRecord { projection: names, ..index() },
        IndexRecord { projection: Projection::Names(Vec::new()), ..index() },
    ] {
        check(&index, IndexRecord::encode, IndexRecord::decode);
    }
    for on_delete in [OnDelete::Refuse, OnDelete::Cascade] {
        let relation = RelationRecord {
            name: "Lines".into(),
            id: 1,
            child: 8,
            parent: 7,
            partition_key: "PartitionKey".into(),
            row_key: "OrderId".into(),
            on_delete,
            unknown: Unknown::default(),
        };
        check(&relation, RelationRecord::encode, RelationRecord::decode);
    }
    for content in [FeedContent::Keys, FeedContent::After, FeedContent::BeforeAndAfter] {
        let feed = FeedRecord { content, first_commit: 5, keep_ticks: 6, unknown: Unknown::default() };
        check(&feed, FeedRecord::encode, FeedRecord::decode);
    }
}

#[test]
fn a_field_that_comes_twice_is_damage_where_one_is_meant() {
    let name = NameRecord::new(7).encode();
    assert_eq!(NameRecord::decode(&with_field(&name, 1, &[7, 0, 0, 0])).unwrap_err().code(), ErrorCode::Damaged);
}

#[test]
fn a_drop_comes_back() {
    let drop = DropRecord::new("Orders");
    check(&drop, DropRecord::encode, DropRecord::decode);
    for of in [DropOf::Table(7), DropOf::Index(7), DropOf::Table(u32::MAX)] {
        assert_eq!(key::parse_drop(&key::drop(of)), Some(of));
    }
    for other in [&b""[..], b"\x03", b"\x03\x03\0\0\0\x07", b"\x03\x01\0\0\x07", b"\x02\x01\0\0\0\x07"] {
        assert_eq!(key::parse_drop(other), None);
    }
}

#[test]
fn a_tables_records_lie_together_and_in_the_order_of_their_numbers() {
    let of_7 = [
        key::table(7),
        key::slot(7, 0, 0),
        key::slot(7, 0, 1),
        key::slot(7, 0, 256),
        key::slot(7, 1, 0),
        key::slot(7, 255, 1_023),
        key::index(7, 1),
        key::index(7, 256),
        key::relation(7, 1),
        key::feed(7),
        key::related_by(7, 1),
    ];
    assert!(of_7.is_sorted_by(|a, b| a < b));
    assert!(of_7.iter().all(|key| key.starts_with(&key::table_records(7))));
    let others = [key::table(6), key::table(8), key::table(0x0700), key::name("orders"), key::drop(DropOf::Table(7))];
    assert!(others.iter().all(|key| !key.starts_with(&key::table_records(7))));
    for (prefix, keys) in [
        (key::slots(7), &of_7[1..6]),
        (key::indexes(7), &of_7[6..8]),
        (key::relations(7), &of_7[8..9]),
        (key::related(7), &of_7[10..]),
    ] {
        assert!(of_7.iter().filter(|key| key.starts_with(&prefix)).eq(keys));
    }
    assert!(key::name("orders").starts_with(&key::NAMES) && key::drop(DropOf::Index(1)).starts_with(&key::DROPS));
}

#[test]
fn a_slots_key_tells_its_numbers() {
    assert_eq!(key::parse_slot(&key::slot(7, 255, 1_023)), Some((255, 1_023)));
    for other in [key::table(7), key::index(7, 1), key::slots(7), key::slot(7, 1, 2)[..9].to_vec()] {
        assert_eq!(key::parse_slot(&other), None);
    }
    assert_eq!(key::parse_slot(&[key::slot(7, 1, 2), vec![0]].concat()), None);
}
