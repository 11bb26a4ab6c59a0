//! Change feeds and their consumers.

use crate::bridge::{ChangeHead, ConsumerInfo, EntitySink, FeedInfo, FeedSettings};
use crate::entity::read_into;
use crate::failure::{Failure, Raised, Result, boundary, optional_text};
use crate::store::Store;
use crate::table::Table;
use crate::value::{choose, text, unix_ticks};
use entable::{ChangeKind, Feed, FeedContent, FeedPosition, FeedStart};
use entable_c::place::{self, Place};
use std::pin::Pin;
use std::time::Duration;

type Done<T> = std::result::Result<T, Raised>;

const CONTENTS: [FeedContent; 3] = [FeedContent::After, FeedContent::Keys, FeedContent::BeforeAndAfter];

fn feed(settings: &FeedSettings) -> Result<Feed> {
    let feed = Feed::new().content(choose(settings.content, &CONTENTS, "content")?);
    let feed = feed.keep_for(Duration::from_nanos(settings.keep_for)).keep_changes(settings.keep_changes);
    Ok(feed.keep_until_consumed(settings.keep_until_consumed))
}

fn settings(feed: &Feed) -> FeedSettings {
    FeedSettings {
        content: match feed.holds() {
            FeedContent::After => 0,
            FeedContent::Keys => 1,
            FeedContent::BeforeAndAfter => 2,
        },
        // As many as `std::chrono::nanoseconds` counts.
        keep_for: feed.keeps_for().map_or(0, |age| age.as_nanos().try_into().unwrap_or(i64::MAX as u64)),
        keep_changes: feed.keeps_changes().unwrap_or(0),
        keep_until_consumed: feed.keeps_until_consumed(),
    }
}

fn position(given: &[u8]) -> Result<FeedPosition> {
    Ok(text(given, "position")?.parse()?)
}

impl Store {
    pub(crate) fn create_table_with_feed(&self, name: &[u8], settings: &FeedSettings) -> Done<Box<Table>> {
        boundary(|| {
            let made = self.0.create_table_with_feed(text(name, "name")?, &feed(settings)?)?;
            Ok(Box::new(Table(Place::Store(made))))
        })
    }
}

impl Table {
    pub(crate) fn set_feed(&self, settings: &FeedSettings) -> Done<()> {
        boundary(|| Ok(self.0.set_feed(&feed(settings)?)?))
    }

    pub(crate) fn drop_feed(&self) -> Done<()> {
        boundary(|| Ok(self.0.drop_feed()?))
    }

    pub(crate) fn feed(&self) -> Done<FeedInfo> {
        boundary(|| {
            let info = self.0.outside()?.feed()?;
            let consumer = |one: &entable::ConsumerInfo| ConsumerInfo {
                name: one.name.to_string(),
                position: one.position.to_string(),
                advanced: unix_ticks(one.advanced),
                changes_behind: one.changes_behind,
                has_missed: one.has_missed,
            };
            Ok(FeedInfo {
                settings: settings(&info.settings),
                begin: info.begin.to_string(),
                end: info.end.to_string(),
                changes: info.changes,
                consumers: info.consumers.iter().map(consumer).collect(),
            })
        })
    }

    pub(crate) fn read_changes(&self, behind: &[u8], most: usize) -> Done<Box<ChangePage>> {
        boundary(|| Ok(Box::new(self.0.outside()?.read_changes(&position(behind)?, most)?.into())))
    }

    pub(crate) fn changes(&self, behind: &[u8]) -> Done<Box<FeedChanges>> {
        boundary(|| Ok(Box::new(FeedChanges(self.0.outside()?.changes(&position(behind)?)))))
    }

    pub(crate) fn wait_for_changes(&self, behind: &[u8], timeout_ms: u64) -> Done<bool> {
        let timeout = Duration::from_millis(timeout_ms);
        boundary(|| Ok(self.0.outside()?.wait_for_changes(&position(behind)?, timeout)?))
    }

    pub(crate) fn trim_feed(&self) -> Done<u64> {
        boundary(|| Ok(self.0.outside()?.trim_feed()?))
    }

    pub(crate) fn create_consumer(&self, name: &[u8], start: u8, at: &[u8]) -> Done<Box<Consumer>> {
        boundary(|| {
            let start = match choose(start, &[0, 1, 2], "start")? {
                0 => FeedStart::Beginning,
                1 => FeedStart::Now,
                _ => FeedStart::At(position(at)?),
            };
            Ok(Box::new(Consumer(self.0.create_consumer(text(name, "name")?, &start)?)))
        })
    }

    pub(crate) fn consumer(&self, name: &[u8]) -> Done<Box<Consumer>> {
        boundary(|| Ok(Box::new(Consumer(self.0.consumer(text(name, "name")?)))))
    }

    pub(crate) fn drop_consumer(&self, name: &[u8]) -> Done<()> {
        boundary(|| Ok(self.0.drop_consumer(text(name, "name")?)?))
    }
}

/// A named reader of changes.
pub(crate) struct Consumer(place::Consumer);

impl Consumer {
    pub(crate) fn name(&self) -> &str {
        self.0.name()
    }

    pub(crate) fn position(&self) -> Done<String> {
        boundary(|| Ok(self.0.position()?.to_string()))
    }

    pub(crate) fn read(&self, most: usize) -> Done<Box<ChangePage>> {
        boundary(|| Ok(Box::new(self.0.read(most)?.into())))
    }

    pub(crate) fn wait(&self, timeout_ms: u64) -> Done<bool> {
        boundary(|| Ok(self.0.wait(Duration::from_millis(timeout_ms))?))
    }

    pub(crate) fn advance(&self, to: &[u8]) -> Done<()> {
        boundary(|| Ok(self.0.advance(&position(to)?)?))
    }

    pub(crate) fn seek(&self, to: &[u8]) -> Done<()> {
        boundary(|| Ok(self.0.seek(&position(to)?)?))
    }
}

/// Changes one by one.
pub(crate) struct FeedChanges(entable::Changes);

impl FeedChanges {
    /// A page of the next change; of none at the end.
    pub(crate) fn next(&mut self) -> Done<Box<ChangePage>> {
        boundary(|| {
            let changes = self.0.next().transpose()?.into_iter().collect();
            Ok(Box::new(ChangePage { changes, position: String::new(), has_more: false }))
        })
    }
}

/// Changes that were read, and where to go on.
pub(crate) struct ChangePage {
    changes: Vec<entable::Change>,
    position: String,
    has_more: bool,
}

impl From<entable::ChangePage> for ChangePage {
    fn from(page: entable::ChangePage) -> Self {
        ChangePage { position: page.position.to_string(), has_more: page.has_more, changes: page.changes }
    }
}

impl ChangePage {
    /// Everything but the entities.
    pub(crate) fn heads(&self) -> Vec<ChangeHead> {
        self.changes.iter().map(head).collect()
    }

    pub(crate) fn read_entity(&self, index: usize, sink: Pin<&mut EntitySink>) -> Done<()> {
        self.read(sink, self.changes.get(index).and_then(|change| change.entity.as_ref()))
    }

    pub(crate) fn read_former(&self, index: usize, sink: Pin<&mut EntitySink>) -> Done<()> {
        self.read(sink, self.changes.get(index).and_then(|change| change.former.as_ref()))
    }

    fn read(&self, sink: Pin<&mut EntitySink>, entity: Option<&entable::Entity>) -> Done<()> {
        boundary(|| match entity {
            Some(entity) => Ok(read_into(entity, sink)?),
            None => Err(Failure::misuse("index", "There is no entity.")),
        })
    }

    pub(crate) fn position(&self) -> &str {
        &self.position
    }

    pub(crate) fn has_more(&self) -> bool {
        self.has_more
    }
}

fn head(change: &entable::Change) -> ChangeHead {
    ChangeHead {
        commit: change.commit,
        position: change.position,
        kind: match change.kind {
            ChangeKind::Created => 0,
            ChangeKind::Changed => 1,
            ChangeKind::Deleted => 2,
        },
        partition_key: change.partition_key.clone(),
        row_key: change.row_key.clone(),
        ticks: unix_ticks(change.timestamp),
        is_created: change.former_timestamp.is_none(),
        former_ticks: change.former_timestamp.map(unix_ticks).unwrap_or_default(),
        committed_ticks: unix_ticks(change.committed),
        etag: optional_text(change.etag().map(|etag| etag.to_string()).as_deref()),
        former_etag: optional_text(change.former_etag().map(|etag| etag.to_string()).as_deref()),
        behind: change.behind().to_string(),
        has_entity: change.entity.is_some(),
        has_former: change.former.is_some(),
    }
}
