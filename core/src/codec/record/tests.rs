use super::*;
use crate::ErrorCode;
use crate::codec::bytes::push_crc;

/// What every record here lies under, but drops.
const KEY: &[u8] = b"key";

/// Adds a field behind the others, and the right CRC.
fn with_field(key: &[u8], record: &[u8], tag: u16, value: &[u8]) -> Vec<u8> {
    let mut out = record[..record.len() - 4].to_vec();
    out.extend_from_slice(&tag.to_le_bytes());
    out.extend_from_slice(&(value.len() as u32).to_le_bytes());
    out.extend_from_slice(value);
    push_crc(key, &mut out, 0);
    out
}

/// The record with another value of a field, and the right CRC.
fn changed(record: &[u8], tag: u16, value: &[u8]) -> Vec<u8> {
    let (mut out, mut rest) = (Vec::new(), &record[..record.len() - 4]);
    while let Some((head, after)) = rest.split_first_chunk::<6>() {
        let bytes = u32::from_le_bytes([head[2], head[3], head[4], head[5]]) as usize;
        if head[..2] == tag.to_le_bytes() {
            out.extend_from_slice(&tag.to_le_bytes());
            out.extend_from_slice(&(value.len() as u32).to_le_bytes());
            out.extend_from_slice(value);
        } else {
            out.extend_from_slice(&rest[..6 + bytes]);
        }
        rest = &after[bytes..];
    }
    push_crc(KEY, &mut out, 0);
    out
}

type Encode<T> = fn(&T, &[u8]) -> Vec<u8>;
type Decode<T> = fn(&[u8], &[u8]) -> Result<T>;

/// What every record must do: come back, keep what it does not know, refuse what it must know, find damage.
fn check<T: PartialEq + std::fmt::Debug>(record: &T, encode: Encode<T>, decode: Decode<T>) {
    check_under(KEY, record, encode, decode);
}

fn check_under<T: PartialEq + std::fmt::Debug>(key: &[u8], record: &T, encode: Encode<T>, decode: Decode<T>) {
    let bytes = encode(record, key);
    assert_eq!(&decode(key, &bytes).unwrap(), record);
    let mut other = key.to_vec();
    other[key.len() - 1] ^= 1;
    assert_eq!(decode(&other, &bytes).unwrap_err().code(), ErrorCode::Damaged, "the key is under the CRC");

    let later = with_field(key, &with_field(key, &bytes, 0x0777, b"later"), 0x0777, b"again");
    let read = decode(key, &later).unwrap();
    assert_ne!(&read, record);
    assert_eq!(encode(&read, key), later, "{record:?}");

    // Fields are in the order of their tags, those of later versions too.
    let mut no_fields = Vec::new();
    push_crc(key, &mut no_fields, 0);
    assert_eq!(decode(key, &no_fields).unwrap_err().code(), ErrorCode::Damaged);
    let first = with_field(key, &no_fields, 0, b"first");
    let mut earlier = [&first[..first.len() - 4], &bytes[..bytes.len() - 4]].concat();
    push_crc(key, &mut earlier, 0);
    assert_eq!(encode(&decode(key, &earlier).unwrap(), key), earlier);

    let falling = with_field(key, &later, 0x0776, b"");
    assert_eq!(decode(key, &falling).unwrap_err().code(), ErrorCode::Damaged);
    let newer = with_field(key, &bytes, 0x8001, b"");
    assert_eq!(decode(key, &newer).unwrap_err().code(), ErrorCode::NewerFormat);

    for at in 0..bytes.len() {
        let mut damaged = bytes.clone();
        damaged[at] ^= 0x40;
        assert_eq!(decode(key, &damaged).unwrap_err().code(), ErrorCode::Damaged, "{record:?} {at}");
        assert_eq!(decode(key, &bytes[..at]).unwrap_err().code(), ErrorCode::Damaged, "{record:?} {at}");
    }
    // Damage with a right CRC is found, too, or is another value; it is no panic.
    for at in 0..bytes.len() - 4 {
        for byte in [0, 1, 2, 3, 0x7f, 0xff] {
            let mut damaged = bytes[..bytes.len() - 4].to_vec();
            damaged[at] = byte;
            push_crc(key, &mut damaged, 0);
            if let Err(error) = decode(key, &damaged) {
                assert!(matches!(error.code(), ErrorCode::Damaged | ErrorCode::NewerFormat), "{error}");
            }
        }
    }
    // Every field is there, once.
    let mut rest = &bytes[..bytes.len() - 4];
    while let Some((head, after)) = rest.split_first_chunk::<6>() {
        let length = u32::from_le_bytes([head[2], head[3], head[4], head[5]]) as usize;
        let at = bytes.len() - 4 - rest.len();
        let mut without = [&bytes[..at], &after[length..]].concat();
        push_crc(key, &mut without, 0);
        if let Ok(read) = decode(key, &without) {
            assert_ne!(&read, record, "a field that says nothing");
        }
        rest = &after[length..];
    }
}

fn index() -> IndexRecord {
    IndexRecord {
        name: "ByCity".into(),
        id: 3,
        scope: Scope::Table,
        is_unique: false,
        has_long_keys: true,
        other_flags: 0x8001_0000,
        properties: vec!["City".into(), "RowKey".into()],
        projection: Projection::Keys,
        state: IndexState::Ready,
        unicode: Some([16, 0, 0]),
        unknown: Unknown::default(),
    }
}

fn relation() -> RelationRecord {
    RelationRecord {
        name: "Lines".into(),
        id: 1,
        child: 8,
        parent: 7,
        partition_key: "PartitionKey".into(),
        row_key: "OrderId".into(),
        on_delete: OnDelete::Refuse,
        index: 12,
        unknown: Unknown::default(),
    }
}

fn feed() -> FeedRecord {
    FeedRecord {
        content: FeedContent::Keys,
        first_commit: 5,
        keep_ticks: 6,
        keep_changes: 7,
        waits_for_consumers: false,
        unknown: Unknown::default(),
    }
}

#[test]
fn records_come_back_and_keep_what_a_later_version_added() {
    let table =
        TableRecord { has_long_keys: true, other_flags: 0x0006_0000, generation: 9, ..TableRecord::new("Orders", 7) };
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
        IndexRecord { state: IndexState::Stale, ..index() },
        IndexRecord { projection: Projection::Names(Vec::new()), ..index() },
    ] {
        check(&index, IndexRecord::encode, IndexRecord::decode);
    }
    for on_delete in [OnDelete::Refuse, OnDelete::Cascade] {
        check(&RelationRecord { on_delete, ..relation() }, RelationRecord::encode, RelationRecord::decode);
    }
    for content in [FeedContent::Keys, FeedContent::After, FeedContent::BeforeAndAfter] {
        let feed = FeedRecord { content, waits_for_consumers: content == FeedContent::After, ..feed() };
        check(&feed, FeedRecord::encode, FeedRecord::decode);
    }
    let consumer = ConsumerRecord { commit: 5, position: 6, ticks: 7, unknown: Unknown::default() };
    check(&consumer, ConsumerRecord::encode, ConsumerRecord::decode);
}

#[test]
fn a_field_that_comes_twice_is_damage_where_one_is_meant() {
    let name = NameRecord::new(7).encode(KEY);
    let twice = with_field(KEY, &name, 1, &[7, 0, 0, 0]);
    assert_eq!(NameRecord::decode(KEY, &twice).unwrap_err().code(), ErrorCode::Damaged);
}

#[test]
fn what_a_record_lists_is_complete_in_this_version_only() {
    fn newer<T>(decode: Decode<T>, record: &[u8], tag: u16, value: &[u8]) {
        let error = decode(KEY, &changed(record, tag, value)).err().expect("an error");
        assert_eq!(error.code(), ErrorCode::NewerFormat, "{tag} {value:?}");
        let damaged = [&record[..record.len() - 4], &[0; 4]].concat();
        assert_eq!(decode(KEY, &damaged).err().expect("an error").code(), ErrorCode::Damaged);
    }
    let slot = SlotRecord::new(EdmType::Int32, "A".into()).encode(KEY);
    newer(SlotRecord::decode, &slot, 1, &[0]);
    newer(SlotRecord::decode, &slot, 1, &[9]);
    newer(TableRecord::decode, &TableRecord::new("Orders", 7).encode(KEY), 4, &[2, 0, 0, 0]);
    let index = index().encode(KEY);
    for (tag, value) in [(3, &[2][..]), (4, &[0x0a, 0, 0, 0]), (4, &[2, 0x80, 0, 0]), (6, &[3]), (8, &[3])] {
        newer(IndexRecord::decode, &index, tag, value);
    }
    newer(RelationRecord::decode, &relation().encode(KEY), 7, &[2]);
    newer(FeedRecord::decode, &feed().encode(KEY), 1, &[3]);
    newer(FeedRecord::decode, &feed().encode(KEY), 5, &[2]);
    let properties = |count: usize| IndexRecord { properties: vec!["A".into(); count], ..self::index() }.encode(KEY);
    assert_eq!(IndexRecord::decode(KEY, &properties(17)).unwrap_err().code(), ErrorCode::NewerFormat);
    IndexRecord::decode(KEY, &properties(16)).unwrap();
    assert_eq!(IndexRecord::decode(KEY, &properties(0)).unwrap_err().code(), ErrorCode::Damaged);
}

#[test]
fn an_index_has_a_version_of_unicode_exactly_if_it_folds() {
    let folding = index().encode(KEY);
    assert_eq!(IndexRecord::decode(KEY, &changed(&folding, 4, &[0; 4])).unwrap_err().code(), ErrorCode::Damaged);
    let plain = IndexRecord { unicode: None, ..index() }.encode(KEY);
    assert_eq!(IndexRecord::decode(KEY, &changed(&plain, 4, &[2, 0, 0, 0])).unwrap_err().code(), ErrorCode::Damaged);
}

#[test]
fn an_index_has_a_position_exactly_while_it_is_built() {
    let building = IndexRecord { state: IndexState::Building { from: vec![1] }, unicode: None, ..index() };
    for state in [1, 2] {
        let error = IndexRecord::decode(KEY, &changed(&building.encode(KEY), 8, &[state])).unwrap_err();
        assert_eq!(error.code(), ErrorCode::Damaged);
    }
    let ready = index().encode(KEY);
    assert_eq!(IndexRecord::decode(KEY, &changed(&ready, 8, &[0])).unwrap_err().code(), ErrorCode::Damaged);
}

#[test]
fn declared_names_have_1_to_255_code_units() {
    for (name, is_name) in [
        ("", false),
        ("a", true),
        (&*"a".repeat(255), true),
        (&*"a".repeat(256), false),
        (&*"\u{1f600}".repeat(127), true),
        (&*"\u{1f600}".repeat(128), false),
    ] {
        let code = Some(ErrorCode::Damaged).filter(|_| !is_name);
        let read = IndexRecord::decode(KEY, &changed(&index().encode(KEY), 1, name.as_bytes()));
        assert_eq!(read.err().map(|error| error.code()), code, "{name}");
        let read = RelationRecord::decode(KEY, &changed(&relation().encode(KEY), 1, name.as_bytes()));
        assert_eq!(read.err().map(|error| error.code()), code, "{name}");
    }
}

#[test]
fn a_consumer_was_somewhere_at_some_time() {
    let consumer = ConsumerRecord { commit: 5, position: 6, ticks: 7, unknown: Unknown::default() }.encode(KEY);
    let never = changed(&consumer, 3, &(-1_i64).to_le_bytes());
    assert_eq!(ConsumerRecord::decode(KEY, &never).unwrap_err().code(), ErrorCode::Damaged);
}

#[test]
fn a_drop_comes_back() {
    for (of, drop) in [
        (DropOf::Table(7), DropRecord::of_table("Orders", 7)),
        (DropOf::Index(7), DropRecord::of_index("ByCity", 7, 3)),
        (DropOf::Changes(u32::MAX), DropRecord::of_changes("Orders", u32::MAX, 12)),
    ] {
        let key = key::drop(of);
        check_under(&key, &drop, DropRecord::encode, DropRecord::decode);
        assert_eq!(key::parse_drop(&key).unwrap(), Some(of));
        // Of another id, or another kind.
        for other in [key::drop(DropOf::Table(8)), key::drop(DropOf::Index(9)), key::drop(DropOf::Changes(10))] {
            assert_eq!(DropRecord::decode(&other, &drop.encode(&other)).unwrap_err().code(), ErrorCode::Damaged);
        }
    }
    assert_eq!(key::parse_drop(b"\x03\x04\0\0\0\x07").unwrap(), None, "of a later version");
    for malformed in [&b""[..], b"\x03", b"\x03\x01\0\0\x07", b"\x03\x02\0\0\0\x07\0"] {
        assert_eq!(key::parse_drop(malformed).unwrap_err().code(), ErrorCode::Damaged);
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
        key::consumer(7, "mail"),
        key::consumer(7, "mails"),
    ];
    assert!(of_7.is_sorted_by(|a, b| a < b));
    assert!(of_7.iter().all(|key| key.starts_with(&key::table_records(7))));
    let others = [key::table(6), key::table(8), key::table(0x0700), key::name("orders"), key::drop(DropOf::Table(7))];
    assert!(others.iter().all(|key| !key.starts_with(&key::table_records(7))));
    assert!(key::name("orders").starts_with(&key::NAMES) && key::drop(DropOf::Index(1)).starts_with(&key::DROPS));
}

#[test]
fn a_key_tells_what_its_record_is_of() {
    use key::OfTable;
    for (key, of) in [
        (key::table(7), OfTable::Itself),
        (key::slot(7, 255, 1_023), OfTable::Slot(255, 1_023)),
        (key::index(7, 256), OfTable::Index(256)),
        (key::relation(7, 257), OfTable::Relation(257)),
        (key::feed(7), OfTable::Feed),
        (key::related_by(7, 258), OfTable::Related(258)),
        (key::consumer(7, "mail"), OfTable::Consumer),
        (b"\x02\0\0\0\x07\x07later".to_vec(), OfTable::Unknown),
    ] {
        assert_eq!(key::parse_of_table(&key).unwrap(), of, "{key:02x?}");
        if !matches!(of, OfTable::Consumer | OfTable::Unknown) {
            let longer = [&key[..], &[0]].concat();
            assert_eq!(key::parse_of_table(&longer).unwrap_err().code(), ErrorCode::Damaged, "{longer:02x?}");
        }
        if key.len() > 6 && of != OfTable::Unknown {
            assert_eq!(key::parse_of_table(&key[..6]).unwrap_err().code(), ErrorCode::Damaged, "{key:02x?}");
        }
    }
    assert!(key::parse_of_table(&key::table_records(7)).is_err());
}
