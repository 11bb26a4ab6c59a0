//! Keys longer than LMDB takes: cut into pieces of 1,973 bytes that keep the exact order.
//!
//! A *logical* key is what the rest of the store sees. Its *physical* keys are, on level 0, in the database that it
//! belongs to, and below in `long keys`, each after the 8-byte id of the node above. Storage walks the levels;
//! here is how a key is cut, and how a node is told from a key that is stored whole.

use crate::limits;

/// Bytes of the id that a node holds, and that every physical key below it begins with.
pub(crate) const ID_BYTES: usize = 8;
/// Bytes of a piece. One more, the node's mark, and an id make LMDB's longest key.
pub(crate) const PIECE_BYTES: usize = limits::KEY_PIECE_BYTES;
/// The last byte of a node's key: behind the key that is the piece itself, before any other longer key.
pub(crate) const NODE_MARK: u8 = 0xff;

/// Levels of the longest legal key, an index entry's: a node on the last of them is damage, and a walk that stops
/// there ends, whatever the file says.
pub(crate) const LEVELS: usize = 21;

/// What of a logical key lies on one level.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Piece<'a> {
    /// The rest of the key, stored whole: its value is the logical key's.
    Exact(&'a [u8]),
    /// The first [`PIECE_BYTES`] of the rest, in a node; `rest` lies one level further down.
    Node { head: &'a [u8], rest: &'a [u8] },
}

/// How `rest` lies on its level: the whole logical key on level 0, below what the nodes above left over.
pub(crate) fn piece(rest: &[u8]) -> Piece<'_> {
    match rest.split_at_checked(PIECE_BYTES) {
        Some((head, rest)) if !rest.is_empty() => Piece::Node { head, rest },
        _ => Piece::Exact(rest),
    }
}

/// Whether a physical key on this level (0: the key's own database) is a node's.
///
/// By its length alone: index entries may end in FF, too.
pub(crate) fn is_node(physical_key: &[u8], level: usize) -> bool {
    physical_key.len() == id_bytes(level) + PIECE_BYTES + 1
}

/// Bytes of the id before the piece on this level.
pub(crate) fn id_bytes(level: usize) -> usize {
    if level == 0 { 0 } else { ID_BYTES }
}

/// Writes into `out` the physical key of a piece that is stored whole; `above` is the id of the node above it.
pub(crate) fn exact_key(out: &mut Vec<u8>, above: Option<u64>, piece: &[u8]) {
    out.clear();
    if let Some(id) = above {
        out.extend_from_slice(&id.to_be_bytes());
    }
    out.extend_from_slice(piece);
}

/// Writes into `out` the physical key of a node; `above` is the id of the node above it.
pub(crate) fn node_key(out: &mut Vec<u8>, above: Option<u64>, head: &[u8]) {
    exact_key(out, above, head);
    out.push(NODE_MARK);
}

/// The part of the logical key that a physical key holds: without the id before it and a node's mark.
/// `None` if it is shorter than an id.
pub(crate) fn logical_part(physical_key: &[u8], level: usize) -> Option<&[u8]> {
    let part = physical_key.get(id_bytes(level)..)?;
    if is_node(physical_key, level) { part.split_last().map(|(_, head)| head) } else { Some(part) }
}

/// A node's value: the id that the keys below it begin with, in the same bytes.
pub(crate) fn node_value(id: u64) -> [u8; ID_BYTES] {
    id.to_be_bytes()
}

/// The id in a node's value; `None` if it is none.
pub(crate) fn node_id(value: &[u8]) -> Option<u64> {
    value.try_into().ok().map(u64::from_be_bytes)
}

#[cfg(test)]
mod tests;
