//! Keys that are longer than LMDB's (FORMAT.md, "Long keys").
//!
//! A key of at most [`EXACT`] bytes is stored as it is. Of a longer one the first `EXACT` bytes and FF are a
//! *node*, whose value is an id; the rest lies in the database of long keys under id + rest, by the same rule.
//! A node sorts after the key that equals its head and before every key that differs from it earlier, so
//! walking nodes as they come gives the order of the whole keys.

use super::txn::{Bytes, Databases};
use super::{Space, failure};
use crate::{Error, Result};
use heed::{RoTxn, RwTxn};

/// The longest key, or rest of a key, that is stored as it is.
pub(super) const EXACT: usize = 1_973;
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
    match key.split_at_checked(EXACT) {
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
    physical.len() == EXACT + 1 + if is_top { 0 } else { ID }
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
    if key.len() <= EXACT {
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

/// Stores a value; nodes that are missing take their ids from `next_id`.
pub(super) fn put(
    txn: &mut RwTxn,
    dbs: &Databases,
    space: Space,
    key: &[u8],
    value: &[u8],
    next_id: &mut u64,
) -> Result<()> {
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
                *next_id += 1;
                db.put(txn, &physical, &new.to_be_bytes()).map_err(failure)?;
                new
            }
        });
        db = dbs.long_keys();
    }
}

/// Removes a key, and every node that this leaves empty. Tells whether the key was there.
pub(super) fn delete(txn: &mut RwTxn, dbs: &Databases, space: Space, key: &[u8]) -> Result<bool> {
    if key.len() <= EXACT {
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
