//! Keys and values in key order, either way, through nodes of long keys as if they were not there.

use super::leaf::Leaves;
use super::long::{self, Step};
use super::txn::{Bytes, Databases, ReadTxn};
use super::{LONG_KEYS, Space, failure};
use crate::limits::KEY_PIECE_BYTES;
use crate::{Error, Result};
use heed::{AnyTls, RoRange, RoRevRange, RoTxn, types};
use std::borrow::Cow;
use std::ops::Bound;

/// Which way to go.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Direction {
    /// Smallest key first.
    #[default]
    Ascending,
    /// Largest key first.
    Descending,
}

/// A key and its value.
type Item<'t> = (Cow<'t, [u8]>, &'t [u8]);

/// From where to where, whatever the direction: (lower, upper).
pub(crate) type Bounds = (Bound<Vec<u8>>, Bound<Vec<u8>>);

enum Walk<'t> {
    InPlace(Leaves<'t>),
    Nothing,
    Up(RoRange<'t, types::Bytes, types::Bytes>),
    Down(RoRevRange<'t, types::Bytes, types::Bytes>),
}

/// One tree of keys: the space itself, or what lies below a node.
struct Level<'t> {
    walk: Walk<'t>,
    /// The nodes on which the bounds lie, with what bounds the level below each of them.
    lower: Option<(Vec<u8>, Bound<Vec<u8>>)>,
    upper: Option<(Vec<u8>, Bound<Vec<u8>>)>,
    /// How much of `Range::head` comes before the keys of this level.
    head: usize,
}

/// An iterator over `(key, value)`.
pub(crate) struct Range<'t> {
    txn: &'t RoTxn<'t, AnyTls>,
    in_place: Option<&'t ReadTxn<'t>>,
    long_keys: Bytes,
    /// How many nodes of long keys may still be gone into: a damaged one may lead to where the walk has been.
    nodes_left: u64,
    direction: Direction,
    /// The levels that are being walked, the innermost last. Boxed: rows of a table without long keys, nearly
    /// all, have one level.
    levels: Vec<Level<'t>>,
    /// The bytes that the nodes on the way to the innermost level stand for.
    head: Vec<u8>,
}

impl<'t> Range<'t> {
    pub(super) fn new(
        txn: &'t RoTxn<'_, AnyTls>,
        dbs: &Databases,
        in_place: Option<&'t ReadTxn<'t>>,
        space: Space,
        bounds: Bounds,
        direction: Direction,
    ) -> Result<Range<'t>> {
        // Two nodes fill a page.
        let nodes_left = in_place.map_or(u64::MAX, |txn| txn.last_page.saturating_add(1).saturating_mul(2));
        let (long_keys, levels, head) = (dbs.long_keys(), Vec::new(), Vec::new());
        let mut range = Range { txn, in_place, long_keys, nodes_left, direction, levels, head };
        if is_empty(&bounds) {
            return Ok(range);
        }
        let (mut lower, mut upper) = (None, None);
        let bounds = (physical(None, bounds.0, &mut lower), physical(None, bounds.1, &mut upper));
        let walk = range.walk(Space::NAMES[space as usize], dbs.of(space), &bounds)?;
        range.levels.push(Level { walk, lower, upper, head: 0 });
        Ok(range)
    }

    /// A walk through a tree, in place if it may be: LMDB would believe a page that is damaged.
    fn walk(&self, tree: Option<&str>, db: Bytes, bounds: &Bounds) -> Result<Walk<'t>> {
        match (self.in_place, tree) {
            (Some(in_place), Some(tree)) => {
                let leaves = Leaves::new(in_place, tree, bounds, self.direction)?;
                Ok(leaves.map_or(Walk::Nothing, Walk::InPlace))
            }
            _ => self.cursor(db, bounds),
        }
    }

    fn cursor(&self, db: Bytes, (lower, upper): &Bounds) -> Result<Walk<'t>> {
        let bounds = (as_slice(lower), as_slice(upper));
        Ok(match self.direction {
            Direction::Ascending => Walk::Up(db.range(self.txn, &bounds).map_err(failure)?),
            Direction::Descending => Walk::Down(db.rev_range(self.txn, &bounds).map_err(failure)?),
        })
    }

    /// Begins to walk the keys below the node of this id.
    fn descend(&mut self, id: u64, (lower, upper): Bounds) -> Result<()> {
        if self.levels.len() >= long::LEVELS {
            return Err(long::too_deep());
        }
        self.nodes_left = self
            .nodes_left
            .checked_sub(1)
            .ok_or_else(|| Error::damaged("There are more nodes of long keys than the file has room for."))?;
        let (mut below_lower, mut below_upper) = (None, None);
        let lower = match physical(Some(id), lower, &mut below_lower) {
            Bound::Unbounded => Bound::Included(id.to_be_bytes().to_vec()),
            bound => bound,
        };
        let upper = match physical(Some(id), upper, &mut below_upper) {
            Bound::Unbounded => match id.checked_add(1) {
                Some(next) => Bound::Excluded(next.to_be_bytes().to_vec()),
                None => Bound::Unbounded,
            },
            bound => bound,
        };
        let walk = self.walk(Some(LONG_KEYS), self.long_keys, &(lower, upper))?;
        self.levels.push(Level { walk, lower: below_lower, upper: below_upper, head: self.head.len() });
        Ok(())
    }

    fn advance(&mut self) -> Result<Option<Item<'t>>> {
        loop {
            let is_top = self.levels.len() == 1;
            let Some(level) = self.levels.last_mut() else { return Ok(None) };
            self.head.truncate(level.head);
            let item = match &mut level.walk {
                Walk::InPlace(leaves) => leaves.next()?,
                Walk::Nothing => None,
                Walk::Up(walk) => walk.next().transpose().map_err(failure)?,
                Walk::Down(walk) => walk.next().transpose().map_err(failure)?,
            };
            let Some((key, value)) = item else {
                self.levels.pop();
                continue;
            };
            if !long::is_node(key, is_top) {
                return Ok(Some((self.whole_key(key, is_top), value)));
            }
            let below = |bound: &Option<(Vec<u8>, Bound<Vec<u8>>)>| match bound {
                Some((node, below)) if node == key => below.clone(),
                _ => Bound::Unbounded,
            };
            let bounds = (below(&level.lower), below(&level.upper));
            let start = if is_top { 0 } else { long::ID };
            self.head.extend_from_slice(&key[start..start + KEY_PIECE_BYTES]);
            if !is_empty(&bounds) {
                self.descend(long::node_id(value)?, bounds)?;
            }
        }
    }

    fn whole_key(&self, key: &'t [u8], is_top: bool) -> Cow<'t, [u8]> {
        if is_top {
            return Cow::Borrowed(key);
        }
        // Below the top level every physical key begins with an id, or it would not lie in the level's bounds.
        Cow::Owned([&self.head, key.get(long::ID..).unwrap_or_default()].concat())
    }
}

impl<'t> Iterator for Range<'t> {
    type Item = Result<(Cow<'t, [u8]>, &'t [u8])>;

    fn next(&mut self) -> Option<Self::Item> {
        let item = self.advance().transpose();
        if let Some(Err(_)) = item {
            self.levels.clear();
        }
        item
    }
}

/// The bound for LMDB. If it lies on a node, the node is included, and `below` takes what bounds the level below.
fn physical(id: Option<u64>, bound: Bound<Vec<u8>>, below: &mut Option<(Vec<u8>, Bound<Vec<u8>>)>) -> Bound<Vec<u8>> {
    let is_included = matches!(bound, Bound::Included(_));
    let (Bound::Included(key) | Bound::Excluded(key)) = bound else { return Bound::Unbounded };
    let make = |key| if is_included { Bound::Included(key) } else { Bound::Excluded(key) };
    let mut node = Vec::new();
    match long::step(id, &key, &mut node) {
        Step::Exact => make(node),
        Step::Below(rest) => {
            *below = Some((node.clone(), make(rest.to_vec())));
            Bound::Included(node)
        }
    }
}

fn as_slice(bound: &Bound<Vec<u8>>) -> Bound<&[u8]> {
    match bound {
        Bound::Included(key) => Bound::Included(key),
        Bound::Excluded(key) => Bound::Excluded(key),
        Bound::Unbounded => Bound::Unbounded,
    }
}

/// Whether no key can lie within: LMDB is not asked then, since it trusts that bounds are in order.
pub(super) fn is_empty((lower, upper): &Bounds) -> bool {
    match (lower, upper) {
        (Bound::Unbounded, _) | (_, Bound::Unbounded) => false,
        (Bound::Included(lower), Bound::Included(upper)) => lower > upper,
        (Bound::Included(lower) | Bound::Excluded(lower), Bound::Included(upper) | Bound::Excluded(upper)) => {
            lower >= upper
        }
    }
}
