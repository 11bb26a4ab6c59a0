use super::*;
use crate::codec::tests::config;
use proptest::prelude::*;
use std::collections::BTreeMap;

type Database = BTreeMap<Vec<u8>, Vec<u8>>;

/// Storage in small: the database of the keys, `long keys`, and the counter of ids.
#[derive(Default)]
struct Model {
    own: Database,
    long_keys: Database,
    last_id: u64,
}

impl Model {
    fn database(&mut self, level: usize) -> &mut Database {
        if level == 0 { &mut self.own } else { &mut self.long_keys }
    }

    fn put(&mut self, logical: &[u8], value: &[u8]) {
        let (mut rest, mut above, mut key) = (logical, None, Vec::new());
        for level in 0.. {
            match piece(rest) {
                Piece::Exact(piece) => {
                    exact_key(&mut key, above, piece);
                    assert!(key.len() <= limits::LMDB_KEY_BYTES && !is_node(&key, level));
                    self.database(level).insert(key, value.to_vec());
                    return;
                }
                Piece::Node { head, rest: left } => {
                    node_key(&mut key, above, head);
                    assert!(key.len() <= limits::LMDB_KEY_BYTES && is_node(&key, level));
                    let next_id = self.last_id + 1;
                    let value = self.database(level).entry(key.clone()).or_insert(node_value(next_id).to_vec());
                    let id = node_id(value).unwrap();
                    self.last_id = self.last_id.max(id);
                    above = Some(id);
                    rest = left;
                }
            }
        }
    }

    fn delete(&mut self, logical: &[u8]) -> bool {
        let (mut rest, mut above, mut key, mut nodes) = (logical, None, Vec::new(), Vec::new());
        loop {
            let level = nodes.len();
            match piece(rest) {
                Piece::Exact(piece) => {
                    exact_key(&mut key, above, piece);
                    let was_there = self.database(level).remove(&key).is_some();
                    while let Some((key, id)) = nodes.pop() {
                        let id = u64::to_be_bytes(id);
                        if self.long_keys.range(id.to_vec()..).next().is_some_and(|(key, _)| key.starts_with(&id)) {
                            break;
                        }
                        self.database(nodes.len()).remove::<Vec<u8>>(&key);
                    }
                    return was_there;
                }
                Piece::Node { head, rest: left } => {
                    node_key(&mut key, above, head);
                    let Some(id) = self.database(level).get(&key).and_then(|value| node_id(value)) else {
                        return false;
                    };
                    nodes.push((key.clone(), id));
                    above = Some(id);
                    rest = left;
                }
            }
        }
    }

    /// Every logical key with its value, in the order of the walk.
    fn walk(&self) -> Vec<(Vec<u8>, Vec<u8>)> {
        let mut out = Vec::new();
        self.walk_level(0, &mut self.own.iter(), &[], &mut out);
        out
    }

    fn walk_level<'a>(
        &'a self,
        level: usize,
        entries: &mut dyn Iterator<Item = (&'a Vec<u8>, &'a Vec<u8>)>,
        above: &[u8],
        out: &mut Vec<(Vec<u8>, Vec<u8>)>,
    ) {
        for (key, value) in entries {
            let logical = [above, logical_part(key, level).unwrap()].concat();
            if is_node(key, level) {
                let id = node_id(value).unwrap().to_be_bytes();
                let mut below = self.long_keys.range(id.to_vec()..).take_while(|(key, _)| key.starts_with(&id));
                self.walk_level(level + 1, &mut below, &logical, out);
            } else {
                out.push((logical, value.clone()));
            }
        }
    }
}

/// Keys around the lengths where the form changes, of few different bytes, so that they share long starts.
fn any_key() -> impl Strategy<Value = Vec<u8>> {
    let length = prop_oneof![0_usize..4, 1_960_usize..1_990, 3_940_usize..3_960, 5_915_usize..5_925];
    let byte = || prop::sample::select(vec![0x00_u8, 0x01, b'a', b'b', 0xfe, 0xff]);
    let ending = proptest::collection::vec(byte(), 0..4);
    let change = proptest::option::weighted(0.3, (any::<prop::sample::Index>(), byte()));
    (length, prop::sample::select(vec![b'a', 0xff]), ending, change).prop_map(|(length, fill, ending, change)| {
        let mut key = vec![fill; length];
        if let (Some((at, byte)), false) = (change, key.is_empty()) {
            let at = at.index(key.len());
            key[at] = byte;
        }
        key.extend(ending);
        key
    })
}

proptest! {
    #![proptest_config(config(400))]

    #[test]
    fn the_walk_is_the_order_of_the_logical_keys(
        operations in proptest::collection::vec((any_key(), proptest::bool::weighted(0.7)), 1..60),
    ) {
        let (mut model, mut expected) = (Model::default(), Database::new());
        for (number, (key, is_put)) in operations.iter().enumerate() {
            let value = number.to_be_bytes();
            if *is_put {
                model.put(key, &value);
                expected.insert(key.clone(), value.to_vec());
            } else {
                // Half of the deletes meet a key that is there.
                let key = expected.range(key.clone()..).next().filter(|_| number % 2 == 0).map_or(key, |(key, _)| key);
                prop_assert_eq!(model.delete(&key.clone()), expected.remove(&key.clone()).is_some());
            }
        }
        prop_assert!(model.walk().into_iter().eq(expected.clone()));

        for key in expected.into_keys() {
            prop_assert!(model.delete(&key));
        }
        prop_assert_eq!((model.own.len(), model.long_keys.len()), (0, 0), "nodes are left");
    }
}

#[test]
fn the_form_changes_at_1973_bytes() {
    let key = vec![b'a'; 3 * PIECE_BYTES];
    for (length, levels) in [(0, 1), (1, 1), (1_972, 1), (1_973, 1), (1_974, 2), (3_946, 2), (3_947, 3), (5_919, 3)] {
        let mut rest = &key[..length];
        let mut met = 1;
        while let Piece::Node { head, rest: left } = piece(rest) {
            assert_eq!(head.len(), PIECE_BYTES);
            assert!(!left.is_empty());
            rest = left;
            met += 1;
        }
        assert_eq!(met, levels, "{length}");
    }
}

#[test]
fn the_longest_keys_have_the_levels_of_the_format() {
    let row_key_bytes = 4 + 3 * limits::EXTENDED.key_units + 1 + 3 * limits::EXTENDED.key_units;
    let component_bytes = 1 + 2 * limits::COMPONENT_BYTES + 2;
    let entry_bytes = 4 + limits::INDEX_PROPERTIES * component_bytes + row_key_bytes - 4;
    assert_eq!((row_key_bytes, entry_bytes), (24_581, 41_013));
    assert_eq!(entry_bytes.div_ceil(PIECE_BYTES), LEVELS);
}

#[test]
fn nodes_are_known_by_their_length() {
    for (length, level, expected) in
        [(1_974, 0, true), (1_973, 0, false), (1_974, 1, false), (1_981, 1, false), (1_982, 1, true), (1_982, 7, true)]
    {
        assert_eq!(is_node(&vec![0xff; length], level), expected, "{length} {level}");
    }
    assert_eq!(logical_part(&[0; 7], 1), None);
    assert_eq!(node_id(&[0; 7]), None);
}
