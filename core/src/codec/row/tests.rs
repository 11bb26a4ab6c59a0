use super::check::check;
use super::*;
use crate::codec::bytes::push_crc;
use crate::codec::shape::{Choice, Shape, Slot};
use crate::codec::tests::{any_value, config};
use crate::model::Value;
use crate::model::span::Span;
use proptest::prelude::*;

pub(super) type Properties = Vec<(Arc<str>, Value)>;

const TICKS: i64 = 638_000_000_000_000_000;
/// What every row here lies under.
const KEY: &[u8] = b"\0\0\0\x07Sales\x00000223";

/// The row under [`KEY`].
fn open<'a>(bytes: &'a [u8], shapes: &'a Shapes) -> Result<Row<'a>> {
    Row::new(KEY, bytes, shapes)
}

/// By slot, as a compiled place reads.
impl<'a> Row<'a> {
    fn shape(&self) -> Option<&'a Shape> {
        match &self.form {
            Form::Shaped(row) => Some(row.shape()),
            Form::Describing(_) => None,
        }
    }

    fn is_ascii(&self) -> bool {
        match &self.form {
            Form::Shaped(row) => row.is_ascii(),
            Form::Describing(row) => row.is_ascii(),
        }
    }

    fn value(&self, slot: u16) -> Result<Option<ValueRef<'a>>> {
        match &self.form {
            Form::Shaped(row) => row.value(slot.into()),
            Form::Describing(_) => Ok(None),
        }
    }

    fn string_hash(&self, slot: u16) -> Option<u8> {
        match &self.form {
            Form::Shaped(row) => row.string_hash(slot.into()),
            Form::Describing(_) => None,
        }
    }
}

fn properties(list: &[(&str, Value)]) -> Properties {
    list.iter().map(|(name, value)| ((*name).into(), value.clone())).collect()
}

/// Chooses, grows and encodes, as a writer does.
pub(super) fn write(shapes: &mut Shapes, row: &Properties) -> Vec<u8> {
    let choice = shapes.choose(row);
    if let Choice::Shape { id, new_slots } = &choice
        && !new_slots.is_empty()
    {
        *shapes = shapes.with_slots(*id, new_slots).unwrap();
    }
    let mut out = Vec::new();
    encode(shapes, &choice, KEY, TICKS, row, &mut out).unwrap();
    let mut recent = vec![1];
    if let Choice::Shape { id, .. } = choice {
        assert_eq!(encode_recent(shapes, KEY, TICKS, row, &mut recent).unwrap(), Some(id));
        assert_eq!(recent[1..], out);
    } else {
        assert_eq!((encode_recent(shapes, KEY, TICKS, row, &mut recent).unwrap(), recent.len()), (None, 1));
    }
    out
}

fn describing(row: &Properties) -> Vec<u8> {
    let mut out = Vec::new();
    encode(&Shapes::default(), &Choice::SelfDescribing, KEY, TICKS, row, &mut out).unwrap();
    out
}

fn read(row: &Row<'_>) -> Properties {
    row.properties()
        .map(|property| property.map(|(name, value)| (name.to_arc(), value.to_value())))
        .collect::<Result<_>>()
        .unwrap()
}

fn by_name(mut row: Properties) -> Properties {
    row.sort_by(|a, b| a.0.cmp(&b.0));
    row
}

/// A table's rows: few names with any type each, in any order.
pub(super) fn any_rows() -> impl Strategy<Value = Vec<Properties>> {
    let row = proptest::collection::btree_map(0_u8..90, any_value(), 0..20);
    let row = row.prop_flat_map(|row| Just(row.into_iter().collect::<Vec<_>>()).prop_shuffle());
    let named = row.prop_map(|row| row.into_iter().map(|(name, value)| (format!("P{name}").into(), value)).collect());
    proptest::collection::vec(named, 1..12)
}

fn codes(error: &Error) -> bool {
    matches!(error.code(), ErrorCode::Damaged | ErrorCode::NewerFormat)
}

/// Reads all of a row that may be damaged: anything but a panic is right.
fn read_all(bytes: &[u8], shapes: &Shapes) -> Result<usize> {
    let mut met = 0;
    // A compiled slot reads rows that nobody has looked at.
    for shape in (0..shapes.len() as u16).filter_map(|id| shapes.get(id)) {
        for slot in 0..shape.slots().len().min(20) as u16 {
            let place = Place::new(shape, slot).unwrap();
            let span = Span::new(place.edm_type(), ValueRef::Int32(1), |order| order.is_some());
            if let Some(spans) = span.and_then(|span| Spans::new(shape, [(slot, span)].into_iter())) {
                met += usize::from(spans.holds(bytes).is_ok_and(|holds| holds.is_some()));
            }
            met += usize::from(place.value(bytes).is_ok_and(|value| value.is_some()))
                + usize::from(place.hash(bytes).is_ok_and(|hash| hash.is_some()));
        }
    }
    let row = open(bytes, shapes)?;
    for property in row.properties() {
        let (name, value) = property?;
        met += usize::from(row.get(name.as_str())? == Some(value));
    }
    if let Some(shape) = row.shape() {
        for slot in 0..=shape.slots().len() as u16 {
            if let Some(place) = Place::new(shape, slot) {
                met += usize::from(place.value(bytes)?.is_some() && row.value(slot)? == place.value(bytes)?);
                assert_eq!(place.hash(bytes)?, row.string_hash(slot));
            }
            met += usize::from(row.value(slot)?.is_some()) + usize::from(row.string_hash(slot).is_some());
        }
    }
    Ok(met)
}

proptest! {
    #![proptest_config(config(300))]

    #[test]
    fn rows_come_back(rows in any_rows()) {
        let mut shapes = Shapes::default();
        let written: Vec<Vec<u8>> = rows.iter().map(|row| write(&mut shapes, row)).collect();
        // Through the last view: shapes that grew since read their former rows as before.
        for (expected, bytes) in rows.iter().zip(&written) {
            let row = open(bytes, &shapes).unwrap();
            prop_assert_eq!((row.ticks(), ticks_of(bytes).unwrap()), (TICKS, TICKS));
            check(KEY, bytes, &shapes).unwrap();
            let met = read(&row);
            let decoded: Properties = row.owned_properties().unwrap().into_pairs().collect();
            prop_assert_eq!(&decoded, &met);
            prop_assert_eq!(by_name(met.clone()), by_name(expected.clone()));
            if let Some(shape) = row.shape() {
                let place = |name: &Arc<str>| shape.names().iter().position(|known| known.name() == name);
                prop_assert!(met.is_sorted_by_key(|(name, _)| place(name)));
            }
            for (name, value) in expected {
                prop_assert_eq!(row.get(name).unwrap(), Some(value.as_ref()));
            }
            prop_assert_eq!(row.get("P").unwrap(), None);
            let all_ascii = expected.iter().all(|(_, value)| value.as_str().is_none_or(str::is_ascii));
            prop_assert_eq!(row.is_ascii(), all_ascii);
            for slot in 0..row.shape().map_or(0, |shape| shape.slots().len() as u16) {
                let slot_of = &row.shape().unwrap().slots()[usize::from(slot)];
                let value = expected.iter().find(|(name, value)| {
                    *name == slot_of.name && value.edm_type() == slot_of.edm_type
                }).map(|(_, value)| value.as_ref());
                prop_assert_eq!(row.value(slot).unwrap(), value);
                let hash = match value {
                    Some(ValueRef::String(text)) => Some(hash::byte(text.as_bytes())),
                    _ => None,
                };
                prop_assert_eq!(row.string_hash(slot), hash);
                let place = Place::new(row.shape().unwrap(), slot).unwrap();
                prop_assert_eq!((place.value(bytes).unwrap(), place.hash(bytes).unwrap()), (value, hash));
            }
        }
    }

    #[test]
    fn self_describing_rows_keep_the_order_as_written(rows in any_rows()) {
        for expected in rows {
            let bytes = describing(&expected);
            let row = open(&bytes, &Shapes::default().clone()).map(|row| (read(&row), row.ticks()));
            prop_assert_eq!(row.unwrap(), (expected, TICKS));
            check(KEY, &bytes, &Shapes::default()).unwrap();
        }
    }

    #[test]
    fn a_row_has_one_form(rows in any_rows()) {
        let mut shapes = Shapes::default();
        for row in rows {
            let bytes = write(&mut shapes, &row);
            let view = open(&bytes, &shapes).unwrap();
            let choice = match view.shape() {
                Some(_) => Choice::Shape { id: u16::from_le_bytes([bytes[0], bytes[1]]), new_slots: Vec::new() },
                None => Choice::SelfDescribing,
            };
            let mut again = vec![7];
            encode(&shapes, &choice, KEY, TICKS, &by_name(row), &mut again).unwrap();
            if view.shape().is_some() {
                prop_assert_eq!(&again[1..], &bytes);
            }
        }
    }

    #[test]
    fn damage_is_an_error_or_another_value(
        rows in any_rows(),
        at in any::<prop::sample::Index>(),
        flip in 1_u8..,
        junk in proptest::collection::vec(any::<u8>(), 0..60),
    ) {
        let mut shapes = Shapes::default();
        let written: Vec<Vec<u8>> = rows.iter().map(|row| write(&mut shapes, row)).collect();
        for (row, bytes) in rows.iter().zip(written) {
            for bytes in [bytes, describing(row)] {
                let mut flipped = bytes.clone();
                let at = at.index(bytes.len());
                flipped[at] ^= flip;
                prop_assert!(check_crc(KEY, &flipped).is_err());
                for damaged in [flipped, bytes[..at].to_vec(), [&bytes[..at], &junk].concat()] {
                    if let Err(error) = read_all(&damaged, &shapes) {
                        prop_assert!(codes(&error), "{}", error);
                    }
                }
            }
        }
        if let Err(error) = read_all(&junk, &shapes) {
            prop_assert!(codes(&error), "{}", error);
        }
    }
}

fn two_texts() -> (Shapes, Vec<u8>) {
    let mut shapes = Shapes::default();
    let row = properties(&[("A", "ab".into()), ("B", "cd".into()), ("C", true.into()), ("D", 7.into())]);
    let bytes = write(&mut shapes, &row);
    // shape, flags, m, ticks; Int32, Boolean, two hashes, two ends, heap, CRC
    assert_eq!(bytes.len(), 12 + 4 + 1 + 2 + 2 + 4 + 4);
    (shapes, bytes)
}

#[test]
fn every_contradiction_is_found() {
    let (shapes, good) = two_texts();
    let check = |change: &dyn Fn(&mut Vec<u8>), code| {
        let mut bytes = good.clone();
        change(&mut bytes);
        bytes.truncate(bytes.len().saturating_sub(4));
        push_crc(KEY, &mut bytes, 0);
        assert_eq!(read_all(&bytes, &shapes).unwrap_err().code(), code, "{bytes:02x?}");
    };
    check(&|row| row[0] = 1, ErrorCode::Damaged);
    for flag in [0x10, 0x20, 0x40, 0x80, 0x0c] {
        check(&|row| row[2] |= flag, ErrorCode::NewerFormat);
    }
    // m: none, too few, too many.
    for m in [0, 3, 5, 255] {
        check(&|row| row[3] = m, ErrorCode::Damaged);
    }
    // The ends: falling, not the heap's length. The width: not that of the ends.
    check(&|row| row[19] = 5, ErrorCode::Damaged);
    let mut falling = good.clone();
    falling[19] = 5;
    assert!(open(&falling, &shapes).is_err(), "before a value is asked for");
    check(&|row| row[20] = 3, ErrorCode::Damaged);
    check(&|row| row[2] |= 4, ErrorCode::Damaged);
    check(&|row| row.insert(24, b'x'), ErrorCode::Damaged);
    check(&|row| row.truncate(20), ErrorCode::Damaged);
    // Values that are none.
    check(&|row| row[16] = 2, ErrorCode::Damaged);
    check(&|row| row[21] = 0xff, ErrorCode::Damaged);
    check(&|row| row[21..23].copy_from_slice("é".as_bytes()), ErrorCode::Damaged);
    check(&|row| row[4..12].copy_from_slice(&(-1_i64).to_le_bytes()), ErrorCode::Damaged);
    check(&|row| row[4..12].copy_from_slice(&(TICKS_LAST + 1).to_le_bytes()), ErrorCode::Damaged);
    // The bitmap: longer than the shape's slots, or with a byte too many.
    check(&|row| row.splice(2..4, [ASCII, 1]).for_each(drop), ErrorCode::Damaged);
}

#[test]
fn every_contradiction_of_a_self_describing_row_is_found() {
    let good = describing(&properties(&[("A", "ab".into()), ("B", 7.into())]));
    let check = |at: usize, byte: u8, code| {
        let mut bytes = good.clone();
        bytes[at] = byte;
        let error = read_all(&bytes, &Shapes::default()).unwrap_err();
        assert_eq!(error.code(), ErrorCode::Damaged, "the CRC: {at} {byte}");
        bytes.truncate(bytes.len() - 4);
        push_crc(KEY, &mut bytes, 0);
        assert_eq!(read_all(&bytes, &Shapes::default()).unwrap_err().code(), code, "{at} {byte}");
    };
    check(2, 0x12, ErrorCode::NewerFormat);
    check(2, FULL, ErrorCode::Damaged);
    check(3, 1, ErrorCode::Damaged);
    check(12, 1, ErrorCode::Damaged);
    check(12, 3, ErrorCode::Damaged);
    check(14, 2, ErrorCode::Damaged);
    check(16, 0xff, ErrorCode::Damaged);
    check(17, 0, ErrorCode::NewerFormat);
    check(17, 9, ErrorCode::NewerFormat);
    check(18, 3, ErrorCode::Damaged);
    check(22, 0xff, ErrorCode::Damaged);
}

#[test]
fn an_unknown_flag_is_newer_only_where_the_row_is_whole() {
    let (shapes, good) = two_texts();
    for flag in [0x10, 0x20, 0x40, 0x80, 0x0c] {
        let mut bytes = good.clone();
        bytes[2] |= flag;
        for error in [open(&bytes, &shapes).map(|_| ()), shape_of(KEY, &bytes).map(|_| ())] {
            assert_eq!(error.unwrap_err().code(), ErrorCode::Damaged, "{flag}");
        }
        bytes.truncate(bytes.len() - 4);
        push_crc(KEY, &mut bytes, 0);
        for error in [open(&bytes, &shapes).map(|_| ()), shape_of(KEY, &bytes).map(|_| ())] {
            assert_eq!(error.unwrap_err().code(), ErrorCode::NewerFormat, "{flag}");
        }
    }
}

#[test]
fn a_row_belongs_to_its_key() {
    let (shapes, bytes) = two_texts();
    check(KEY, &bytes, &shapes).unwrap();
    for at in 0..KEY.len() {
        let mut other = KEY.to_vec();
        other[at] ^= 1;
        assert_eq!(check(&other, &bytes, &shapes).unwrap_err().code(), ErrorCode::Damaged);
    }
    assert!(check(&KEY[1..], &bytes, &shapes).is_err());
}

/// Damage is no missing value: a filter would leave the row out, and nobody would know.
#[test]
fn a_compiled_slot_does_not_read_past_what_does_not_fit() {
    let (shapes, good) = two_texts();
    let place = |slot| Place::new(shapes.get(0).unwrap(), slot).unwrap();
    let damaged = |slot: u16, bytes: &[u8]| {
        assert_eq!(place(slot).bytes(bytes).unwrap_err().code(), ErrorCode::Damaged, "{slot} {bytes:02x?}");
    };
    for slot in 0..4 {
        assert!(place(slot).bytes(&good).unwrap().is_some());
        damaged(slot, &good[..12]);
        damaged(slot, &good[..2]);
        // More slots than the shape has.
        let mut more = good.clone();
        more[3] = 9;
        damaged(slot, &more);
    }
    // Ends that fall, or that leave the heap.
    for (at, end, slot) in [(19, 5, 0), (19, 5, 1), (20, 9, 1), (20, 1, 1)] {
        let mut bytes = good.clone();
        bytes[at] = end;
        damaged(slot, &bytes);
    }
    assert_eq!(place(0).hash(&good[..17]).unwrap_err().code(), ErrorCode::Damaged);
    assert_eq!(place(2).hash(&good).unwrap(), None);
    // A bitmap that is cut.
    let mut bits = good.clone();
    bits[2..4].copy_from_slice(&[ASCII, 128]);
    damaged(0, &bits);
}

#[test]
fn no_value_is_longer_than_lmdb_can_write() {
    use super::encode::check_bytes;
    assert_eq!(check_bytes(2_147_418_096).unwrap(), 2_147_418_096);
    assert_eq!(check_bytes(2_147_418_097).unwrap_err().code(), ErrorCode::EntityTooLarge);
    assert_eq!(check_bytes(u64::MAX).unwrap_err().code(), ErrorCode::EntityTooLarge);
    assert_eq!(crate::limits::EXTENDED.entity_bytes, 2_147_418_096);
}

#[test]
fn a_bitmap_ends_with_its_highest_slot() {
    let mut shapes = Shapes::default();
    let all: Vec<(Arc<str>, Value)> = (0..20).map(|name| (format!("P{name}").into(), name.into())).collect();
    write(&mut shapes, &all);
    for (slot, m) in [(1, 1), (7, 1), (8, 2), (15, 2), (16, 3)] {
        let bytes = write(&mut shapes, &vec![all[slot].clone()]);
        assert_eq!((bytes[2] & FULL, bytes[3], bytes.len()), (0, m, 12 + usize::from(m) + 4 + 4));
        let mut longer = bytes.clone();
        longer[3] += 1;
        longer.insert(12 + usize::from(m), 0);
        assert_eq!(open(&longer, &shapes).unwrap_err().code(), ErrorCode::Damaged, "a byte of zeros");
        let mut beyond = bytes.clone();
        beyond[12 + usize::from(m) - 1] = 0x80;
        let is_known = 8 * usize::from(m) <= all.len();
        assert_eq!(open(&beyond, &shapes).is_ok(), is_known);
    }
}

#[test]
fn full_rows_end_at_255_slots() {
    let mut shapes = Shapes::default();
    for (count, is_full, m) in [(255, 1, 255), (256, 0, 32), (257, 0, 33), (1_024, 0, 128)] {
        let row: Properties = (0..count).map(|name| (format!("P{name}").into(), name.into())).collect();
        let bytes = write(&mut shapes, &row);
        assert_eq!((bytes[2] & FULL, bytes[3]), (is_full, m), "{count}");
        assert_eq!(read(&open(&bytes, &shapes).unwrap()), row);
    }
}

#[test]
fn ends_are_as_wide_as_the_heap_needs() {
    for (bytes_of_text, width) in [(0, 0), (255, 0), (256, 1), (65_535, 1), (65_536, 2)] {
        let mut shapes = Shapes::default();
        let row = properties(&[("A", "x".repeat(bytes_of_text).into()), ("B", "".into())]);
        let bytes = write(&mut shapes, &row);
        assert_eq!((bytes[2] >> 2, bytes.len()), (width, 12 + 2 + (2 << width) + bytes_of_text + 4));
        assert_eq!(read(&open(&bytes, &shapes).unwrap()), row);
    }
}

#[test]
fn there_is_one_nan_and_two_zeros() {
    let mut shapes = Shapes::default();
    for (number, expected) in
        [(f64::from_bits(0xfff8_0000_0000_0001), 0x7ff8_0000_0000_0000_u64), (-0.0, 0x8000_0000_0000_0000), (0.0, 0)]
    {
        let row = properties(&[("A", number.into())]);
        assert_eq!(write(&mut shapes, &row)[12..20], expected.to_le_bytes());
        assert_eq!(describing(&row)[18..26], expected.to_le_bytes());
    }
}

#[test]
fn a_choice_that_does_not_fit_appends_nothing() {
    let (shapes, _) = two_texts();
    let mut out = vec![1, 2, 3];
    let twice = properties(&[("A", "".into()), ("A", "".into())]);
    let lacks = properties(&[("A", 1.into())]);
    for (id, row, code) in [
        (0, &twice, ErrorCode::DuplicatePropertiesSpecified),
        (0, &lacks, ErrorCode::Internal),
        (1, &lacks, ErrorCode::Internal),
    ] {
        let choice = Choice::Shape { id, new_slots: vec![Slot { name: "A".into(), edm_type: EdmType::Int32 }] };
        assert_eq!(encode(&shapes, &choice, KEY, TICKS, row, &mut out).unwrap_err().code(), code);
    }
    let many: Properties = (0..65_536).map(|name| (format!("{name}").into(), true.into())).collect();
    let error = encode(&shapes, &Choice::SelfDescribing, KEY, TICKS, &many, &mut out).unwrap_err();
    assert_eq!((error.code(), out), (ErrorCode::TooManyProperties, vec![1, 2, 3]));
}

#[test]
fn another_form_of_the_same_row_is_found_by_verify() {
    let mut shapes = Shapes::default();
    let row = properties(&[("A", "ab".into()), ("B", 7.into())]);
    let good = write(&mut shapes, &row);
    shapes = shapes.with_slots(0, &[Slot { name: "B".into(), edm_type: EdmType::Double }]).unwrap();
    let change = |change: &dyn Fn(&mut Vec<u8>), reads: bool| {
        let mut bytes = good.clone();
        bytes.truncate(bytes.len() - 4);
        change(&mut bytes);
        push_crc(KEY, &mut bytes, 0);
        check_crc(KEY, &bytes).unwrap();
        assert_eq!(read_all(&bytes, &shapes).is_ok(), reads, "{bytes:02x?}");
        assert_eq!(check(KEY, &bytes, &shapes).unwrap_err().code(), ErrorCode::Damaged, "{bytes:02x?}");
    };
    // Bytes 2 and 3 are flags and m; then ticks, the Int32, a hash, an end, the heap.
    change(&|row| row.splice(2..4, [ASCII, 1]).for_each(drop), false);
    change(
        &|row| {
            row[2] = ASCII;
            row[3] = 1;
            row.insert(12, 0b11);
        },
        true,
    );
    change(&|row| row[2] = FULL, true);
    change(
        &|row| {
            row[2] |= 1 << WIDTH_SHIFT;
            row.insert(18, 0);
        },
        true,
    );
    change(&|row| row[16] ^= 1, true);
    // Two slots of one name: B as Int32 and as Double.
    change(
        &|row| {
            row[3] = 3;
            row.splice(12..12, [0; 8]).for_each(drop);
        },
        true,
    );

    let twice = properties(&[("A", 1.into()), ("A", 2.into())]);
    assert_eq!(check(KEY, &describing(&twice), &shapes).unwrap_err().code(), ErrorCode::Damaged);
}
