//! What one group of operations wants to change, over the transaction that it is decided in.

use super::range::Bounds;
use super::{Direction, Read, Space, WriteTxn};
use crate::Result;
use std::collections::BTreeMap;
use std::ops::{Bound, RangeBounds};

/// Changes that are not put yet. A group that fails drops them: the transaction has not been touched.
///
/// Reads see the group's own changes.
pub(crate) struct Overlay<'t, 'e> {
    txn: &'t WriteTxn<'e>,
    changes: Changes,
}

/// Physical changes in key order: `None` is a delete.
pub(crate) type Changes = BTreeMap<(Space, Vec<u8>), Option<Vec<u8>>>;

impl<'t, 'e> Overlay<'t, 'e> {
    pub(crate) fn new(txn: &'t WriteTxn<'e>) -> Overlay<'t, 'e> {
        Overlay { txn, changes: BTreeMap::new() }
    }

    /// The transaction below, as it was before the group's own changes.
    pub(crate) fn txn(&self) -> &'t WriteTxn<'e> {
        self.txn
    }

    /// The value of a key, after the group's own changes.
    pub(crate) fn get(&self, space: Space, key: &[u8]) -> Result<Option<&[u8]>> {
        // A group of one, the common case, has no changes yet when it reads.
        if !self.changes.is_empty()
            && let Some(change) = self.changes.get(&(space, key.to_vec()))
        {
            return Ok(change.as_deref());
        }
        self.txn.get(space, key)
    }

    /// The keys within bounds, after the group's own changes; in no order.
    pub(crate) fn keys_within(&self, space: Space, bounds: Bounds) -> Result<Vec<Vec<u8>>> {
        let is_changed = |key: &[u8]| !self.changes.is_empty() && self.changes.contains_key(&(space, key.to_vec()));
        let mut keys = Vec::new();
        for item in self.txn.range(space, bounds.clone(), Direction::Ascending)? {
            let (key, _) = item?;
            if !is_changed(&key) {
                keys.push(key.into_owned());
            }
        }
        let own = self.changes.range((bounds.0.map(|key| (space, key)), Bound::Unbounded));
        let own = own.take_while(|((of, key), _)| *of == space && (Bound::Unbounded, bounds.1.as_ref()).contains(key));
        keys.extend(own.filter(|(_, change)| change.is_some()).map(|((_, key), _)| key.clone()));
        Ok(keys)
    }

    pub(crate) fn put(&mut self, space: Space, key: Vec<u8>, value: Vec<u8>) {
        self.changes.insert((space, key), Some(value));
    }

    pub(crate) fn delete(&mut self, space: Space, key: Vec<u8>) {
        self.changes.insert((space, key), None);
    }

    /// The group is decided: its changes, for [`WriteTxn::apply`].
    pub(crate) fn into_changes(self) -> Changes {
        self.changes
    }
}

impl WriteTxn<'_> {
    /// Puts a decided group.
    pub(crate) fn apply(&mut self, changes: Changes) -> Result<()> {
        self.put.groups += 1;
        self.meter.group_changes.record(changes.len() as u64);
        for ((space, key), change) in changes {
            match change {
                Some(value) => self.put(space, &key, &value)?,
                None => {
                    self.delete(space, &key)?;
                }
            }
        }
        Ok(())
    }
}
