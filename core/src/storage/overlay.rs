//! What one group of operations wants to change, over the transaction that it is decided in.

use super::range::Bounds;
use super::{Direction, Read, Space, WriteTxn};
use crate::Result;
use std::collections::BTreeMap;

/// Changes that are not put yet. A group that fails drops them: the transaction has not been touched.
///
/// Reads see the group's own changes.
pub(crate) struct Overlay<'t, 'e> {
    txn: &'t WriteTxn<'e>,
    changes: Changes,
}

/// Physical changes, space by space in key order: `None` is a delete.
#[derive(Default)]
pub(crate) struct Changes([BTreeMap<Vec<u8>, Option<Vec<u8>>>; Space::COUNT]);

impl Changes {
    /// Whether nothing is to be changed.
    pub(crate) fn is_empty(&self) -> bool {
        self.0.iter().all(BTreeMap::is_empty)
    }

    pub(super) fn of(&self, space: Space) -> &BTreeMap<Vec<u8>, Option<Vec<u8>>> {
        &self.0[space as usize]
    }
}

impl<'t, 'e> Overlay<'t, 'e> {
    /// The changes so far.
    pub(crate) fn changes(&self) -> &Changes {
        &self.changes
    }

    pub(crate) fn new(txn: &'t WriteTxn<'e>) -> Overlay<'t, 'e> {
        Overlay { txn, changes: Changes::default() }
    }

    /// The transaction below, as it was before the group's own changes.
    pub(crate) fn txn(&self) -> &'t WriteTxn<'e> {
        self.txn
    }

    /// The value of a key, after the group's own changes.
    pub(crate) fn get(&self, space: Space, key: &[u8]) -> Result<Option<&[u8]>> {
        match self.changes.0[space as usize].get(key) {
            Some(change) => Ok(change.as_deref()),
            None => self.txn.get(space, key),
        }
    }

    /// The keys within bounds, after the group's own changes; in no order.
    pub(crate) fn keys_within(&self, space: Space, bounds: Bounds) -> Result<Vec<Vec<u8>>> {
        let changes = &self.changes.0[space as usize];
        let mut keys = Vec::new();
        for item in self.txn.range(space, bounds.clone(), Direction::Ascending)? {
            let (key, _) = item?;
            if !changes.contains_key(&*key) {
                keys.push(key.into_owned());
            }
        }
        let own = changes.range(bounds);
        keys.extend(own.filter(|(_, change)| change.is_some()).map(|(key, _)| key.clone()));
        Ok(keys)
    }

    pub(crate) fn put(&mut self, space: Space, key: Vec<u8>, value: Vec<u8>) {
        self.changes.0[space as usize].insert(key, Some(value));
    }

    pub(crate) fn delete(&mut self, space: Space, key: Vec<u8>) {
        self.changes.0[space as usize].insert(key, None);
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
        self.meter.group_changes.record(changes.0.iter().map(|changes| changes.len() as u64).sum());
        for (space, changes) in Space::ALL.into_iter().zip(changes.0) {
            for (key, change) in changes {
                match change {
                    Some(value) => self.put(space, &key, &value)?,
                    None => {
                        self.delete(space, &key)?;
                    }
                }
            }
        }
        Ok(())
    }
}
