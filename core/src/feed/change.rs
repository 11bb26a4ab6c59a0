//! A change as its reader gets it.

use super::{ChangeKind, FeedPosition};
use crate::codec::change::{self, ChangeKey};
use crate::codec::header::Identity;
use crate::codec::position::Behind;
use crate::codec::row::Row;
use crate::codec::shape::Shapes;
use crate::model::KeyPair;
use crate::{DateTime, ETag, Entity, Error, Result};

/// One change of one entity.
///
/// # Example
/// ```
/// use entable::{entity, Feed, FeedContent, Store, UpdateMode};
/// let store = Store::in_memory()?;
/// let orders = store.create_table_with_feed("Orders", &Feed::new().content(FeedContent::BeforeAndAfter))?;
/// let begin = orders.feed()?.begin;
/// orders.create_entity(entity! { "DE", "0001", "Paid" => false })?;
/// orders.update_entity(entity! { "DE", "0001", "Paid" => true }, UpdateMode::Merge)?;
/// let change = orders.read_changes(&begin, 100)?.changes.remove(1);
/// let paid = |entity: &Option<entable::Entity>| entity.as_ref().and_then(|order| order.get("Paid").cloned());
/// assert_eq!((paid(&change.former), paid(&change.entity)), (Some(false.into()), Some(true.into())));
/// assert_eq!(change.etag(), orders.get_entity("DE", "0001")?.etag());
/// # Ok::<(), entable::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Change {
    /// The commit that it was part of. Numbers rise, over all tables of the store, and are not without gaps.
    pub commit: u64,
    /// Its place among all changes of that commit, in any table, from 0.
    pub position: u32,
    /// What was done.
    pub kind: ChangeKind,
    /// The PartitionKey of the entity.
    pub partition_key: String,
    /// The RowKey of the entity.
    pub row_key: String,
    /// The Timestamp that the entity was given. Of a delete: the one that the delete was given, later than the
    /// entity's last.
    pub timestamp: DateTime,
    /// The Timestamp that the entity had before; `None` if it was created.
    pub former_timestamp: Option<DateTime>,
    /// When it was committed, by the clock of the store; the same for all changes of a commit, and never before that
    /// of an earlier one.
    pub committed: DateTime,
    /// The entity after the change, if the feed holds it. Of a delete there is none.
    pub entity: Option<Entity>,
    /// The entity before the change, if the feed holds it.
    pub former: Option<Entity>,
    pub(super) identity: Identity,
    pub(super) table: u32,
}

impl Change {
    /// The version of the entity after the change; `None` for a delete.
    pub fn etag(&self) -> Option<ETag> {
        (self.kind != ChangeKind::Deleted).then(|| ETag::from_timestamp(self.timestamp))
    }

    /// The version of the entity before the change; `None` if it was created.
    pub fn former_etag(&self) -> Option<ETag> {
        self.former_timestamp.map(ETag::from_timestamp)
    }

    /// Behind this change: for readers that stop in the middle of a commit.
    pub fn behind(&self) -> FeedPosition {
        let behind = Behind { commit: self.commit, position: self.position };
        FeedPosition { identity: self.identity, table: self.table, behind }
    }

    /// The change under a key.
    ///
    /// # Errors
    /// `Damaged` or `NewerFormat` with the keys, as far as they can be read.
    pub(super) fn read(identity: Identity, key: &[u8], bytes: &[u8]) -> Result<Change> {
        let place = ChangeKey::decode(key)?;
        let read = change::Change::decode(key, bytes)?;
        let time = |ticks| DateTime::from_ticks(ticks).map_err(|_| Error::damaged("A change's time is none."));
        let entity = |row: Option<&[u8]>| row.map(|row| entity_of(key, row, &read)).transpose();
        let is_new = read.kind == ChangeKind::Created;
        Ok(Change {
            commit: place.commit,
            position: place.position,
            kind: read.kind,
            timestamp: time(read.ticks)?,
            former_timestamp: (!is_new).then(|| time(read.ticks_before)).transpose()?,
            committed: time(read.commit_ticks)?,
            entity: entity(read.after)?,
            former: entity(read.before)?,
            partition_key: read.partition_key.to_owned(),
            row_key: read.row_key.to_owned(),
            identity,
            table: place.table,
        })
    }
}

fn entity_of(key: &[u8], row: &[u8], change: &change::Change<'_>) -> Result<Entity> {
    let (partition_key, row_key) = (change.partition_key, change.row_key);
    let named = |error: Error| error.keys(partition_key, row_key);
    let shapes = Shapes::default();
    let row = Row::checked(key, row, &shapes).map_err(named)?;
    let properties = row.owned_properties().map_err(named)?;
    let version = row.timestamp();
    Ok(Entity::stored(KeyPair::new(partition_key, row_key), Some(version), version, properties))
}

/// Changes of whole commits, and where to go on.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct ChangePage {
    /// The changes, in the order in which they were made.
    pub changes: Vec<Change>,
    /// Behind the last of them; at the end of the feed, behind all that has been done so far.
    pub position: FeedPosition,
    /// Whether there was more when the page was read.
    pub has_more: bool,
}

impl ChangePage {
    /// The changes commit by commit.
    pub fn commits(&self) -> impl Iterator<Item = &[Change]> {
        self.changes.chunk_by(|a, b| a.commit == b.commit)
    }
}
