use super::*;
use crate::ErrorCode;
use crate::codec::tests::{any_text, config};
use proptest::prelude::*;

/// Keys of any mode: everything but U+0000.
fn any_key() -> impl Strategy<Value = String> {
    prop_oneof![any_text(), any::<String>()].prop_map(|text| text.replace('\0', "/"))
}

fn utf16(text: &str) -> Vec<u16> {
    text.encode_utf16().collect()
}

proptest! {
    #![proptest_config(config(4_000))]

    #[test]
    fn row_keys_sort_by_table_partition_key_and_row_key(
        a in (0_u32..3, any_key(), any_key()),
        b in (0_u32..3, any_key(), any_key()),
    ) {
        let expected = (a.0, utf16(&a.1), utf16(&a.2)).cmp(&(b.0, utf16(&b.1), utf16(&b.2)));
        prop_assert_eq!(row_key(a.0, &a.1, &a.2).cmp(&row_key(b.0, &b.1, &b.2)), expected);
    }

    #[test]
    fn a_row_key_comes_apart_again(table in any::<u32>(), pk in any_key(), rk in any_key()) {
        let key = row_key(table, &pk, &rk);
        let parts = split_row_key(&key).unwrap();
        prop_assert_eq!(parts.table, table);
        prop_assert_eq!(unmap(parts.partition_key).unwrap(), pk.as_str());
        prop_assert_eq!(unmap(parts.row_key).unwrap(), rk.as_str());
        prop_assert!(key.starts_with(&table_prefix(table)));
    }

    #[test]
    fn bytes_that_are_no_key_are_damage(bytes in proptest::collection::vec(
        prop_oneof![Just(0_u8), Just(0xee), Just(0xef), Just(0xf8), Just(0xf9), any::<u8>()], 0..12,
    )) {
        if let Ok(text) = unmap(&bytes) {
            let mut again = Vec::new();
            push_mapped(&mut again, &text);
            prop_assert_eq!(&again, &bytes);
        }
        if let Ok(parts) = split_row_key(&bytes) {
            let keys = [parts.partition_key, &[SEPARATOR], parts.row_key].concat();
            prop_assert_eq!(&[&table_prefix(parts.table)[..], &keys].concat(), &bytes);
            prop_assert!(!parts.row_key.contains(&0));
        }
    }
}

#[test]
fn damaged_keys_say_so() {
    for key in [&b""[..], b"\0\0\0", b"\0\0\0\x07", b"\0\0\0\x07Sales", b"\0\0\0\x07a\0b\0"] {
        assert_eq!(split_row_key(key).unwrap_err().code(), ErrorCode::Damaged, "{key:?}");
    }
    for text in [&b"\xee\x80\x80"[..], b"\xef\xbf\xbf", b"\xf8\x80", b"\xff", b"a\xf8\xee\x80\x80", b"\xf8\xf9\x80"] {
        assert_eq!(unmap(text).unwrap_err().code(), ErrorCode::Damaged, "{text:?}");
    }
}

#[test]
fn text_without_mapped_bytes_is_borrowed() {
    assert!(matches!(unmap("Sales é 😀".as_bytes()), Ok(Cow::Borrowed("Sales é 😀"))));
}

#[test]
fn the_next_prefix_is_behind_every_key_with_the_prefix() {
    for (prefix, next) in [
        (&[][..], None),
        (&[0xff, 0xff][..], None),
        (&[1][..], Some(vec![2])),
        (&[1, 0xff][..], Some(vec![2])),
        (&[1, 0xfe, 0xff, 0xff][..], Some(vec![1, 0xff])),
        (&[0, 0][..], Some(vec![0, 1])),
    ] {
        assert_eq!(next_prefix(prefix.to_vec()), next);
    }
}

#[test]
fn a_lent_key_is_the_key() {
    for length in [0, 1, 60, 117, 118, 119, 200] {
        for (partition_key, row_key) in [("p", "r"), ("", ""), ("é", "r"), ("p", "\u{e000}")] {
            let row_key = row_key.to_owned() + &"a".repeat(length);
            with_row_key(7, partition_key, &row_key, |key| assert_eq!(key, self::row_key(7, partition_key, &row_key)));
        }
    }
}

#[test]
fn a_reader_reads_each_key_whatever_came_before() {
    let keys = [("a", "1"), ("a", "2"), ("ab", "1"), ("", "1"), ("", ""), ("é", "\u{e000}"), ("é", "b"), ("a", "1")];
    let mut reader = KeyReader::default();
    for (partition_key, row_key) in keys {
        let key = self::row_key(7, partition_key, row_key);
        let (read_partition_key, read_row_key) = reader.read(&key).unwrap();
        assert_eq!((read_partition_key, &*read_row_key), (partition_key, row_key));
        for damaged in [&[&key[..], b"\0x"].concat()[..], &[&key[..], b"\xff"].concat(), &key[..3], b""] {
            assert_eq!(reader.read(damaged).unwrap_err().code(), ErrorCode::Damaged, "{damaged:?}");
        }
    }
}
