//! What one group of operations wants to change, over the transaction that it is decided in.

use super::foreseen::{Foreseen, Keys};
use super::log::Log;
use super::range::Bounds;
use super::{Direction, Read, Space, WriteTxn};
use crate::Result;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Changes that are not put yet. A group that fails drops them: the transaction has not been touched.
///
/// Reads see the group's own changes, but for those of [`Overlay::append`].
pub(crate) struct Overlay<'t, 'e> {
    txn: &'t WriteTxn<'e>,
    changes: Changes,
    /// Rows that are changed by their slots.
    rows: Option<Foreseen<'t>>,
}

/// Physical changes, space by space. A key is in one of both: what is looked for among the changes in a map, `None` for a
/// delete; the rest in a log.
#[derive(Default)]
pub(crate) struct Changes {
    maps: [BTreeMap<Vec<u8>, Option<Vec<u8>>>; Space::COUNT],
    logs: [Log; Space::COUNT],
}

impl Changes {
    /// Whether nothing is to be changed.
    pub(crate) fn is_empty(&self) -> bool {
        self.maps.iter().all(BTreeMap::is_empty) && self.logs.iter().all(Log::is_empty)
    }

    /// The changes of a space, each key once: those of the log in key order, then those of the map.
    pub(super) fn of(&self, space: Space) -> impl Iterator<Item = (&[u8], Option<&[u8]>)> {
        let (map, log) = (&self.maps[space as usize], &self.logs[space as usize]);
        log.iter().chain(map.iter().map(|(key, change)| (&**key, change.as_deref())))
    }
}

impl<'t, 'e> Overlay<'t, 'e> {
    pub(crate) fn new(txn: &'t WriteTxn<'e>) -> Overlay<'t, 'e> {
        Overlay { txn, changes: Changes::default(), rows: None }
    }

    /// The transaction below, as it was before the group's own changes.
    pub(crate) fn txn(&self) -> &'t WriteTxn<'e> {
        self.txn
    }

    /// Looks up the rows of these keys, and gives each key a slot. To be called before a row is changed.
    pub(crate) fn foresee(&mut self, keys: Arc<Keys>) -> Result<()> {
        debug_assert!(self.rows.is_none() && self.changes.maps[Space::Rows as usize].is_empty(), "rows have changed");
        self.rows = Some(Foreseen::look_up(self.txn, keys)?);
        Ok(())
    }

    /// The slot of the row of the foreseen key of this number.
    pub(crate) fn slot(&self, number: usize) -> Option<usize> {
        self.rows.as_ref()?.slot(number)
    }

    /// The row in a slot, after the group's own changes.
    pub(crate) fn row(&self, slot: usize) -> Option<&[u8]> {
        match self.rows.as_ref()?.get(slot) {
            (_, Some(change)) => self.changes.logs[Space::Rows as usize].value(change),
            (before, None) => before,
        }
    }

    /// Changes the row in a slot, whose key this is; `None` deletes it.
    pub(crate) fn change_row(&mut self, slot: usize, key: &[u8], row: Option<&[u8]>) {
        let change = self.changes.logs[Space::Rows as usize].push(key, row);
        if let Some(rows) = &mut self.rows {
            rows.note_change(slot, change);
        }
    }

    /// The value of a key, after the group's own changes.
    pub(crate) fn get(&self, space: Space, key: &[u8]) -> Result<Option<&[u8]>> {
        if let (Space::Rows, Some(rows)) = (space, &self.rows)
            && let Some(slot) = rows.find(key)
        {
            return Ok(self.row(slot));
        }
        match self.changes.maps[space as usize].get(key) {
            Some(change) => Ok(change.as_deref()),
            None => self.txn.get(space, key),
        }
    }

    /// The keys within bounds, after the group's own changes; in no order. Not for rows that were foreseen.
    pub(crate) fn keys_within(&self, space: Space, bounds: Bounds) -> Result<Vec<Vec<u8>>> {
        debug_assert!(space != Space::Rows || self.rows.is_none(), "foreseen rows are not looked through");
        let changes = &self.changes.maps[space as usize];
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
        self.changes.maps[space as usize].insert(key, Some(value));
    }

    pub(crate) fn delete(&mut self, space: Space, key: Vec<u8>) {
        self.changes.maps[space as usize].insert(key, None);
    }

    /// Puts a key, or deletes it, that the group does not look for: cheaper than [`Overlay::put`], which the group must
    /// not use for the same key.
    pub(crate) fn append(&mut self, space: Space, key: &[u8], value: Option<&[u8]>) {
        self.changes.logs[space as usize].push(key, value);
    }

    /// The group is decided: its changes, for [`WriteTxn::apply`].
    pub(crate) fn into_changes(mut self) -> Changes {
        for (space, log) in Space::ALL.into_iter().zip(&mut self.changes.logs) {
            match (space, &self.rows) {
                (Space::Rows, Some(rows)) => log.settle_by(rows.changes()),
                _ => log.settle(),
            }
        }
        self.changes
    }
}

impl WriteTxn<'_> {
    /// Puts a decided group.
    pub(crate) fn apply(&mut self, changes: Changes) -> Result<()> {
        self.put.groups += 1;
        self.meter.group_changes.record(Space::ALL.into_iter().map(|space| changes.of(space).count() as u64).sum());
        for space in Space::ALL {
            self.change(space, changes.of(space))?;
        }
        Ok(())
    }
}
