//! Change feeds in a group that is being decided: switched on and off, written with the rows, and their consumers.

use super::edit::Edit;
use super::view::{TableView, Views, table_names};
use crate::codec::bytes::{CRC_BYTES, push_crc};
use crate::codec::change::{Change, ChangeKey, ChangeKind};
use crate::codec::key::{split_row_key, unmap};
use crate::codec::position::Behind;
use crate::codec::record::{self, ConsumerRecord, DropOf, DropRecord, FeedContent, FeedRecord, Unknown};
use crate::codec::row::{self, PropertyName, Row};
use crate::feed::{self, Feed, FeedPosition, FeedStart};
use crate::model::ValueRef;
use crate::storage::{Direction, Read, Space};
use crate::{Error, ErrorCode, Result, TableName};
use std::ops::Bound;
use std::sync::Arc;

/// Changes that are written before old ones are looked for, at least.
const PRUNED_AFTER: u64 = 256;
/// The part of the changes that are kept, as a divisor, which is written before old ones are looked for: to count them
/// costs as much as there are.
const PRUNED_PART: u64 = 8;

/// Numbers of the changes of a commit, in whatever parts it is put.
#[derive(Clone, Copy, Debug)]
pub(super) struct Numbering {
    /// The tick of the commit.
    ticks: i64,
    /// The position that the next change takes.
    next: u32,
}

impl Numbering {
    pub(super) fn new(ticks: i64) -> Numbering {
        Numbering { ticks, next: 0 }
    }
}

/// Changes that a group has written to a feed that does not keep all: see [`crate::maintain::prune`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Fed {
    pub(crate) table: u32,
    pub(crate) changes: u64,
    /// How many may come until old ones are looked for.
    pub(crate) due_after: u64,
}

impl Fed {
    /// Adds to what is known of the same table.
    pub(crate) fn add_to(self, list: &mut Vec<Fed>) {
        match list.iter_mut().find(|known| known.table == self.table) {
            Some(known) => *known = Fed { changes: known.changes + self.changes, ..self },
            None => list.push(self),
        }
    }
}

/// What the feed notes of a row before it changes.
pub(super) struct FormerVersion {
    ticks: i64,
    /// The row as the feed holds it, without a CRC, where it holds it.
    row: Option<Vec<u8>>,
}

impl TableView {
    /// What the feed notes of a row as it is now.
    pub(super) fn former_version(&self, row: &Row<'_>) -> Result<Option<FormerVersion>> {
        let Some(feed) = &self.feed else { return Ok(None) };
        let row_bytes = (feed.content == FeedContent::BeforeAndAfter).then(|| {
            let mut bytes = described(&[], row)?;
            // Its own is of the key of the change, which is not known yet.
            bytes.truncate(bytes.len() - CRC_BYTES);
            Ok::<_, Error>(bytes)
        });
        Ok(Some(FormerVersion { ticks: row.ticks(), row: row_bytes.transpose()? }))
    }
}

/// A row that names its properties itself.
fn described(key: &[u8], row: &Row<'_>) -> Result<Vec<u8>> {
    let properties: Vec<(PropertyName<'_>, ValueRef<'_>)> = row.properties().collect::<Result<_>>()?;
    let mut bytes = Vec::new();
    let named = properties.iter().map(|(name, value)| (name.as_str(), *value));
    row::encode_describing(key, row.ticks(), named, &mut bytes)?;
    Ok(bytes)
}

impl Edit<'_, '_> {
    /// Switches the feed of a table on, or changes its settings.
    ///
    /// # Errors
    /// `TableNotFound`; `InvalidInput` in the commit that has switched another one off.
    pub(crate) fn set_feed(&mut self, name: &TableName, feed: &Feed) -> Result<()> {
        let mut view = TableView::clone(&*self.table(name)?);
        let key = record::key::feed(view.id);
        // The view does not know which commit is the first by now.
        let known = self.overlay.get(Space::Catalog, &key)?.map(|bytes| FeedRecord::decode(&key, bytes)).transpose()?;
        let record = match known {
            Some(known) => feed.record(known.first_commit, known.unknown.clone()),
            None => {
                self.check_not_just_dropped(view.id)?;
                feed.record(self.commit_number()?, Unknown::default())
            }
        };
        self.put_record(key, |key| record.encode(key));
        view.feed = Some(Arc::new(record));
        self.change_table(name, view).map(|_| ())
    }

    /// Switches the feed of a table off: its changes are left for [`crate::maintain::sweep`], and its consumers are gone.
    /// Tells whether it had one.
    ///
    /// # Errors
    /// `TableNotFound`.
    pub(crate) fn drop_feed(&mut self, name: &TableName) -> Result<bool> {
        let mut view = TableView::clone(&*self.table(name)?);
        if view.feed.take().is_none() {
            return Ok(false);
        }
        let commit = self.commit_number()?;
        for (consumer, _) in feed::consumers(self.overlay.txn(), view.id)? {
            self.overlay.delete(Space::Catalog, record::key::consumer(view.id, &consumer));
        }
        self.overlay.delete(Space::Catalog, record::key::feed(view.id));
        // What earlier parts of the same commit have written is not before it.
        let own = |position| ChangeKey { table: view.id, commit, position }.encode().to_vec();
        let own = (Bound::Included(own(0)), Bound::Included(own(u32::MAX)));
        for item in self.overlay.txn().range(Space::Changes, own, Direction::Ascending)? {
            self.overlay.append(Space::Changes, &item?.0, None);
        }
        let drop = DropRecord::of_changes(&view.record.name, view.id, commit);
        self.put_record(record::key::drop(DropOf::Changes(view.id)), |key| drop.encode(key));
        self.change_table(name, view)?;
        Ok(true)
    }

    /// A reader of the former feed could stand right before the commit, and would not learn that changes in between are
    /// missing.
    fn check_not_just_dropped(&self, table: u32) -> Result<()> {
        let key = record::key::drop(DropOf::Changes(table));
        let drop = self.overlay.get(Space::Catalog, &key)?.map(|bytes| DropRecord::decode(&key, bytes)).transpose()?;
        if drop.is_some_and(|drop| drop.before_commit == self.commit_number().ok()) {
            let fact = "A feed that the transaction has switched off can be switched on when it is committed.";
            return Err(Error::invalid(fact));
        }
        Ok(())
    }

    /// Notes what became of a row, if its table has a feed; `None` for what is not there.
    pub(super) fn note_change(
        &mut self,
        view: &TableView,
        row_key: &[u8],
        former: Option<FormerVersion>,
        new: Option<&[u8]>,
    ) -> Result<()> {
        let Some(feed) = &view.feed else { return Ok(()) };
        let kind = match (&former, new) {
            (None, Some(_)) => ChangeKind::Created,
            (Some(_), Some(_)) => ChangeKind::Changed,
            (Some(_), None) => ChangeKind::Deleted,
            (None, None) => return Ok(()),
        };
        let ticks = match new {
            Some(bytes) => row::ticks_of(bytes)?,
            None => self.next_timestamp()?.ticks(),
        };
        let place = ChangeKey { table: view.id, commit: self.commit_number()?, position: self.numbering.next };
        let key = place.encode();
        let parts = split_row_key(row_key)?;
        let (partition_key, row_key_text) = (unmap(parts.partition_key)?, unmap(parts.row_key)?);
        let after = match (feed.content, new) {
            (FeedContent::Keys, _) | (_, None) => None,
            (_, Some(bytes)) => Some(described(&key, &Row::new(row_key, bytes, &view.shapes)?)?),
        };
        let ticks_before = former.as_ref().map_or(0, |former| former.ticks);
        let mut before = former.and_then(|former| former.row);
        if let Some(row) = &mut before {
            push_crc(&key, row, 0);
        }
        let change = Change {
            kind,
            partition_key: &partition_key,
            row_key: &row_key_text,
            ticks,
            ticks_before,
            commit_ticks: self.numbering.ticks,
            before: before.as_deref(),
            after: after.as_deref(),
        };
        let mut bytes = Vec::new();
        change.encode(&key, &mut bytes)?;
        self.overlay.append(Space::Changes, &key, Some(&bytes));
        self.numbering.next = place
            .position
            .checked_add(1)
            .ok_or_else(|| Error::new(ErrorCode::StoreFull).fact("No position is left for a change of this commit."))?;
        // So that no later commit has an earlier tick.
        self.header.last_tick = self.header.last_tick.max(self.numbering.ticks);
        if let Some(due_after) = due_after(feed) {
            Fed { table: view.id, changes: 1, due_after }.add_to(&mut self.fed);
        }
        Ok(())
    }

    /// Names a consumer of a table's changes, which begins there; one that is there already stays where it is. Tells whether
    /// there was none.
    ///
    /// # Errors
    /// `TableNotFound`, `FeedNotFound`; `InvalidInput` or `ChangesNotKept` for a position to begin at.
    pub(crate) fn create_consumer(&mut self, name: &TableName, consumer: &str, start: &FeedStart) -> Result<bool> {
        let (table, feed) = self.feed_of(name)?;
        let key = record::key::consumer(table, consumer);
        if let Some(bytes) = self.overlay.get(Space::Catalog, &key)? {
            ConsumerRecord::decode(&key, bytes)?;
            return Ok(false);
        }
        let behind = match start {
            FeedStart::Beginning => feed::begin(&feed),
            // Behind what an interactive transaction has done, and before what it does next.
            FeedStart::Now => match self.numbering.next.checked_sub(1) {
                Some(position) => Behind { commit: self.commit_number()?, position },
                None => Behind::commit(self.commit_number()? - 1),
            },
            FeedStart::At(position) => {
                self.check_position(table, position)?;
                feed::check_kept(&feed, position.behind)?;
                position.behind
            }
        };
        self.put_consumer(key, behind, Unknown::default());
        Ok(true)
    }

    /// Notes that a consumer is done with the changes up to a position. One that is further already stays there.
    ///
    /// # Errors
    /// `TableNotFound`, `FeedNotFound`, `ConsumerNotFound`, `InvalidInput`.
    pub(crate) fn advance_consumer(&mut self, name: &TableName, consumer: &str, to: &FeedPosition) -> Result<()> {
        let (key, record) = self.consumer_to_move(name, consumer, to)?;
        if to.behind > (Behind { commit: record.commit, position: record.position }) {
            self.put_consumer(key, to.behind, record.unknown);
        }
        Ok(())
    }

    /// Moves a consumer to a position, back or forth.
    ///
    /// # Errors
    /// As [`Edit::advance_consumer`]; `ChangesNotKept`.
    pub(crate) fn seek_consumer(&mut self, name: &TableName, consumer: &str, to: &FeedPosition) -> Result<()> {
        let (key, record) = self.consumer_to_move(name, consumer, to)?;
        feed::check_kept(&self.feed_of(name)?.1, to.behind)?;
        self.put_consumer(key, to.behind, record.unknown);
        Ok(())
    }

    /// Forgets a consumer. Tells whether it was there.
    ///
    /// # Errors
    /// `TableNotFound`, `FeedNotFound`.
    pub(crate) fn drop_consumer(&mut self, name: &TableName, consumer: &str) -> Result<bool> {
        let (table, _) = self.feed_of(name)?;
        let key = record::key::consumer(table, consumer);
        let is_there = self.overlay.get(Space::Catalog, &key)?.is_some();
        if is_there {
            self.overlay.delete(Space::Catalog, key);
        }
        Ok(is_there)
    }

    fn feed_of(&mut self, name: &TableName) -> Result<(u32, FeedRecord)> {
        let table = self.table(name)?.id;
        let key = record::key::feed(table);
        let bytes = self.overlay.get(Space::Catalog, &key)?.ok_or_else(|| Error::new(ErrorCode::FeedNotFound))?;
        Ok((table, FeedRecord::decode(&key, bytes)?))
    }

    fn check_position(&self, table: u32, position: &FeedPosition) -> Result<()> {
        feed::check_own(position, self.identity(), table, self.header.commit_number)
    }

    fn consumer_to_move(
        &mut self,
        name: &TableName,
        consumer: &str,
        to: &FeedPosition,
    ) -> Result<(Vec<u8>, ConsumerRecord)> {
        let (table, _) = self.feed_of(name)?;
        self.check_position(table, to)?;
        let key = record::key::consumer(table, consumer);
        let bytes = self.overlay.get(Space::Catalog, &key)?;
        let bytes =
            bytes.ok_or_else(|| Error::new(ErrorCode::ConsumerNotFound).fact(format!("Its name is '{consumer}'.")))?;
        let record = ConsumerRecord::decode(&key, bytes)?;
        Ok((key, record))
    }

    /// No view of the table says where its consumers are, so this raises no generation.
    fn put_consumer(&mut self, key: Vec<u8>, behind: Behind, unknown: Unknown) {
        let Behind { commit, position } = behind;
        // The tick of the commit counts as given from here on.
        let ticks = self.numbering.ticks;
        self.header.last_tick = self.header.last_tick.max(ticks);
        self.put_record(key, |key| ConsumerRecord { commit, position, ticks, unknown }.encode(key));
    }
}

/// How many changes may come until old ones are looked for; `None` for a feed that keeps all.
fn due_after(feed: &FeedRecord) -> Option<u64> {
    let is_limited = feed.keep_changes > 0 || feed.keep_ticks > 0 || feed.waits_for_consumers;
    is_limited.then(|| PRUNED_AFTER.max(feed.keep_changes / PRUNED_PART))
}

/// The tables whose feeds do not keep all.
///
/// # Errors
/// `Damaged`.
pub(crate) fn limited_feeds(txn: &impl Read, views: &Views) -> Result<Vec<u32>> {
    let mut found = Vec::new();
    for name in table_names(txn)? {
        let view = views.table(txn, &name)?;
        let limited = view.filter(|view| view.feed.as_deref().is_some_and(|feed| due_after(feed).is_some()));
        found.extend(limited.map(|view| view.id));
    }
    Ok(found)
}
