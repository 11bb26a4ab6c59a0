//! Keys that are longer than LMDB's (FORMAT.md, "Long keys").
//!
//! A key of at most [`KEY_PIECE_BYTES`] is stored exactly. Of a longer one the first [`KEY_PIECE_BYTES`] and FF are a
//! *node*, whose value is an id; the rest lies in the database of long keys under id + rest, by the same rule.
//! A node sorts after the key that equals its head and before every key that differs from it earlier, so
//! walking nodes as they come gives the order of the whole keys.

use super::txn::{Bytes, Databases, ReadTxn};
use super::{LONG_KEYS, Space, failure, leaf};
use crate::limits::KEY_PIECE_BYTES;
use crate::{Error, ErrorCode, Result};
use heed::{RoTxn, RwTxn};

/// Levels of the longest legal key, an index entry's: a node on the last of them is damage, and a walk that stops
/// there ends, whatever the file says.
pub(super) const LEVELS: usize = 21;
/// What ends the key of a node.
const NODE_END: u8 = 0xff;
/// Bytes of the id before every rest.
pub(super) const ID: usize = 8;

/// The first step into a key: all of it, or a node and what lies below it.
pub(super) enum Step<'a> {
    Exact,
    Below(&'a [u8]),
}

/// Writes the physical key of this step into `physical`: below the top level `id` comes first.
pub(super) fn step<'a>(id: Option<u64>, key: &'a [u8], physical: &mut Vec<u8>) -> Step<'a> {
    physical.clear();
    if let Some(id) = id {
        physical.extend_from_slice(&id.to_be_bytes());
    }
    match key.split_at_checked(KEY_PIECE_BYTES) {
        Some((head, rest)) if !rest.is_empty() => {
            physical.extend_from_slice(head);
            physical.push(NODE_END);
            Step::Below(rest)
        }
        _ => {
            physical.extend_from_slice(key);
            Step::Exact
        }
    }
}

/// Whether this physical key is a node: told by its length, for entries of an index may hold FF.
pub(super) fn is_node(physical: &[u8], is_top: bool) -> bool {
    physical.len() == KEY_PIECE_BYTES + 1 + if is_top { 0 } else { ID }
}

/// The id in a node's value.
pub(super) fn node_id(value: &[u8]) -> Result<u64> {
    match value.try_into() {
        Ok(bytes) => Ok(u64::from_be_bytes(bytes)),
        Err(_) => Err(Error::damaged(format!("A long key's node has {} bytes instead of {ID}.", value.len()))),
    }
}

pub(super) fn get<'t>(txn: &'t RoTxn, dbs: &Databases, space: Space, key: &[u8]) -> Result<Option<&'t [u8]>> {
    // Nearly every key is short: no copy of it.
    if key.len() <= KEY_PIECE_BYTES {
        return dbs.of(space).get(txn, key).map_err(failure);
    }
    let (mut db, mut id, mut key, mut physical) = (dbs.of(space), None, key, Vec::new());
    loop {
        let next = step(id, key, &mut physical);
        let Some(value) = db.get(txn, &physical).map_err(failure)? else { return Ok(None) };
        match next {
            Step::Exact => return Ok(Some(value)),
            Step::Below(rest) => key = rest,
        }
        (db, id) = (dbs.long_keys(), Some(node_id(value)?));
    }
}

/// The same in a read transaction whose pages are read in place: LMDB would believe a page that is damaged.
pub(super) fn get_in_place<'t>(txn: &'t ReadTxn<'_>, space: Space, key: &[u8]) -> Result<Option<&'t [u8]>> {
    let Some(mut tree) = Space::NAMES[space as usize] else { return get(&txn.txn, txn.dbs, space, key) };
    if key.len() <= KEY_PIECE_BYTES {
        return leaf::get(txn, tree, key);
    }
    let (mut id, mut key, mut physical) = (None, key, Vec::new());
    loop {
        let next = step(id, key, &mut physical);
        let Some(value) = leaf::get(txn, tree, &physical)? else { return Ok(None) };
        match next {
            Step::Exact => return Ok(Some(value)),
            Step::Below(rest) => key = rest,
        }
        (tree, id) = (LONG_KEYS, Some(node_id(value)?));
    }
}

/// Stores a value; nodes that are missing take their ids from `next_id`.
pub(super) fn put(
    txn: &mut RwTxn,
    dbs: &Databases,
    space: Space,
    key: &[u8],
    value: &[u8],
    next_id: &mut u64,
) -> Result<()> {
    if key.len() <= KEY_PIECE_BYTES {
        return dbs.of(space).put(txn, key, value).map_err(failure);
    }
    let (mut db, mut id, mut key, mut physical) = (dbs.of(space), None, key, Vec::new());
    loop {
        match step(id, key, &mut physical) {
            Step::Exact => return db.put(txn, &physical, value).map_err(failure),
            Step::Below(rest) => key = rest,
        }
        let known = db.get(txn, &physical).map_err(failure)?.map(node_id).transpose()?;
        id = Some(match known {
            Some(id) => id,
            None => {
                let new = *next_id;
                // The last id is never given, so that there is always a next one.
                *next_id = new
                    .checked_add(1)
                    .ok_or_else(|| Error::new(ErrorCode::StoreFull).fact("No id of a long key is left."))?;
                db.put(txn, &physical, &new.to_be_bytes()).map_err(failure)?;
                new
            }
        });
        db = dbs.long_keys();
    }
}

/// Removes a key, and every node that this leaves empty. Tells whether the key was there.
pub(super) fn delete(txn: &mut RwTxn, dbs: &Databases, space: Space, key: &[u8]) -> Result<bool> {
    if key.len() <= KEY_PIECE_BYTES {
        return dbs.of(space).delete(txn, key).map_err(failure);
    }
    let mut nodes: Vec<(Bytes, Vec<u8>, u64)> = Vec::new();
    let (mut db, mut id, mut key, mut physical) = (dbs.of(space), None, key, Vec::new());
    loop {
        match step(id, key, &mut physical) {
            Step::Exact => break,
            Step::Below(rest) => key = rest,
        }
        let Some(value) = db.get(txn, &physical).map_err(failure)? else { return Ok(false) };
        let below = node_id(value)?;
        nodes.push((db, std::mem::take(&mut physical), below));
        (db, id) = (dbs.long_keys(), Some(below));
    }
    if !db.delete(txn, &physical).map_err(failure)? {
        return Ok(false);
    }
    for (db, node, id) in nodes.into_iter().rev() {
        let prefix = id.to_be_bytes();
        if dbs.long_keys().prefix_iter(txn, &prefix[..]).map_err(failure)?.next().is_some() {
            break;
        }
        db.delete(txn, &node).map_err(failure)?;
    }
    Ok(true)
}

/// The error of a node on the last level.
#[cold]
pub(super) fn too_deep() -> Error {
    Error::damaged(format!("A long key has more than {LEVELS} levels."))
}

/// The physical keys of a logical one, given the ids of its nodes.
#[cfg(test)]
pub(crate) fn physical_keys(logical: &[u8], ids: &[u64]) -> Vec<Vec<u8>> {
    let (mut keys, mut rest, mut id, mut ids) = (Vec::new(), logical, None, ids.iter());
    loop {
        let mut physical = Vec::new();
        let next = step(id, rest, &mut physical);
        keys.push(physical);
        match next {
            Step::Exact => break,
            Step::Below(left) => rest = left,
        }
        id = ids.next().copied();
    }
    assert_eq!(ids.next(), None, "as many ids as nodes");
    keys
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::limits::{COMPONENT_BYTES, EXTENDED, INDEX_PROPERTIES, LMDB_KEY_BYTES};

    #[test]
    fn the_longest_keys_have_the_levels_of_the_format() {
        let row_key_bytes = 4 + 3 * EXTENDED.key_units + 1 + 3 * EXTENDED.key_units;
        let component_bytes = 1 + 2 * COMPONENT_BYTES + 2;
        let entry_bytes = 4 + INDEX_PROPERTIES * component_bytes + row_key_bytes - 4;
        assert_eq!((row_key_bytes, entry_bytes), (24_581, 41_013));
        let keys = physical_keys(&vec![0; entry_bytes], &[1; LEVELS - 1]);
        assert_eq!(keys.len(), LEVELS);
        assert!(keys.iter().all(|key| key.len() <= LMDB_KEY_BYTES));
    }

    #[test]
    fn nodes_are_known_by_their_length() {
        for (length, is_top, expected) in [
            (1_974, true, true),
            (1_973, true, false),
            (1_974, false, false),
            (1_981, false, false),
            (1_982, false, true),
        ] {
            assert_eq!(is_node(&vec![0xff; length], is_top), expected, "{length} {is_top}");
        }
        assert_eq!(node_id(&[0; 7]).unwrap_err().code(), ErrorCode::Damaged);
    }
}
