//! Change feeds: switched on and off, looked at, read and waited for.

#![allow(unsafe_code, reason = "C calls these functions by their names")]

use crate::boundary::{answer, boundary, free, optional_output, output, put, required};
use crate::entity::entable_entity;
use crate::error::{Result, entable_error};
use crate::place::Place;
use crate::store::entable_store;
use crate::table::entable_table;
use crate::text::entable_str;
use entable::{Change, ChangeKind, ChangePage, Changes, ConsumerInfo, Feed, FeedContent, FeedInfo, FeedPosition};
use std::mem::MaybeUninit;
use std::ptr;
use std::time::Duration;

/// What the changes of a feed hold, besides kind, keys and versions.
#[repr(u32)]
#[derive(Clone, Copy)]
pub enum entable_feed_content {
    /// The entity as it is after the change. The default.
    ENTABLE_FEED_AFTER = 0,
    /// Nothing: the least room.
    ENTABLE_FEED_KEYS = 1,
    /// The entity as it was before and as it is after the change.
    ENTABLE_FEED_BEFORE_AND_AFTER = 2,
}

/// What C hands in where an `entable_feed_content` belongs: any number.
pub(crate) type RawFeedContent = u32;

/// What a change feed holds, and how long changes are kept. All zero: entities after each change, kept for ever.
///
/// A limit is the least that is kept: what is beyond it goes in steps, some hundred changes later, or at once with
/// `entable_table_trim_feed`, and always whole commits.
#[repr(C)]
#[derive(Clone, Copy, Default)]
pub struct entable_feed {
    /// What a change holds.
    pub content: RawFeedContent,
    /// How long changes are kept, by the time of their commit, in nanoseconds; counted in steps of 100. 0 for ever.
    pub keep_for_ns: u64,
    /// How many changes of the table are kept; 0 any number.
    pub keep_changes: u64,
    /// Whether changes are kept until every consumer is done with them, beyond age and number. Without either of these
    /// limits they go as soon as that is so, and none goes as long as there is no consumer. A consumer that does not come
    /// back keeps them for ever.
    pub keep_until_consumed: bool,
}

impl entable_feed {
    fn feed(given: Option<&entable_feed>) -> Result<Feed> {
        const AFTER: u32 = entable_feed_content::ENTABLE_FEED_AFTER as u32;
        const KEYS: u32 = entable_feed_content::ENTABLE_FEED_KEYS as u32;
        const BEFORE_AND_AFTER: u32 = entable_feed_content::ENTABLE_FEED_BEFORE_AND_AFTER as u32;
        let Some(given) = given else { return Ok(Feed::new()) };
        let content = match given.content {
            AFTER => FeedContent::After,
            KEYS => FeedContent::Keys,
            BEFORE_AND_AFTER => FeedContent::BeforeAndAfter,
            _ => return Err(entable_error::misuse("feed", "Its content is none of enum entable_feed_content.")),
        };
        let feed = Feed::new().content(content).keep_for(Duration::from_nanos(given.keep_for_ns));
        Ok(feed.keep_changes(given.keep_changes).keep_until_consumed(given.keep_until_consumed))
    }
}

impl From<&Feed> for entable_feed {
    fn from(feed: &Feed) -> Self {
        let content = match feed.holds() {
            FeedContent::After => entable_feed_content::ENTABLE_FEED_AFTER,
            FeedContent::Keys => entable_feed_content::ENTABLE_FEED_KEYS,
            FeedContent::BeforeAndAfter => entable_feed_content::ENTABLE_FEED_BEFORE_AND_AFTER,
        };
        let keeps_for = feed.keeps_for().map_or(0, |age| age.as_nanos().try_into().unwrap_or(u64::MAX));
        entable_feed {
            content: content as RawFeedContent,
            keep_for_ns: keeps_for,
            keep_changes: feed.keeps_changes().unwrap_or(0),
            keep_until_consumed: feed.keeps_until_consumed(),
        }
    }
}

/// A feed as it is. Yours: free it with `entable_feed_info_free`. It never changes, so any thread may read it.
pub struct entable_feed_info {
    settings: entable_feed,
    begin: String,
    end: String,
    changes: u64,
    consumers: Vec<(ConsumerInfo, String)>,
}

/// What is told of a feed. Texts are views of the `entable_feed_info`.
#[repr(C)]
#[derive(Clone, Copy, Default)]
pub struct entable_feed_state {
    /// What was declared.
    pub settings: entable_feed,
    /// The position before the first change that is kept.
    pub begin: entable_str,
    /// The position behind all that has been done so far.
    pub end: entable_str,
    /// How many changes are kept.
    pub changes: u64,
    /// How many consumers there are.
    pub consumers: usize,
}

/// What is told of a consumer. Texts are views of the `entable_feed_info`.
#[repr(C)]
#[derive(Clone, Copy, Default)]
pub struct entable_consumer_state {
    /// Its name.
    pub name: entable_str,
    /// The position behind what it is done with.
    pub position: entable_str,
    /// When it said so, by the clock of the store.
    pub advanced_ticks: i64,
    /// How many changes it has not said it is done with, of those that are kept.
    pub changes_behind: u64,
    /// Whether changes that it had not seen are not kept any more.
    pub has_missed: bool,
}

impl From<FeedInfo> for entable_feed_info {
    fn from(info: FeedInfo) -> Self {
        let consumer = |one: ConsumerInfo| {
            let position = one.position.to_string();
            (one, position)
        };
        entable_feed_info {
            settings: (&info.settings).into(),
            begin: info.begin.to_string(),
            end: info.end.to_string(),
            changes: info.changes,
            consumers: info.consumers.into_iter().map(consumer).collect(),
        }
    }
}

/// What was done to an entity.
#[repr(u32)]
#[derive(Clone, Copy, Default)]
pub enum entable_change_kind {
    /// There is no change.
    #[default]
    ENTABLE_CHANGE_NONE = 0,
    /// There was none with its keys, and now there is.
    ENTABLE_CHANGE_CREATED = 1,
    /// It was there, and was written, whatever became of its properties.
    ENTABLE_CHANGE_CHANGED = 2,
    /// It was there, and is gone.
    ENTABLE_CHANGE_DELETED = 3,
}

/// One change of one entity. What is pointed to belongs to the page, or is lent until the next change is asked for.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct entable_change {
    /// The commit that it was part of. Numbers rise, over all tables of the store, and are not without gaps.
    pub commit: u64,
    /// Its place among all changes of that commit, in any table, from 0.
    pub position: u32,
    /// What was done.
    pub kind: entable_change_kind,
    /// The PartitionKey of the entity.
    pub partition_key: entable_str,
    /// The RowKey of the entity.
    pub row_key: entable_str,
    /// The Timestamp that the entity was given. Of a delete: the one that the delete was given, later than the entity's
    /// last.
    pub timestamp_ticks: i64,
    /// The Timestamp that the entity had before; 0 if it was created.
    pub former_timestamp_ticks: i64,
    /// When it was committed, by the clock of the store; the same for all changes of a commit.
    pub committed_ticks: i64,
    /// The ETag after the change; no text (`data` is NULL) for a delete.
    pub etag: entable_str,
    /// The ETag before the change; no text if the entity was created.
    pub former_etag: entable_str,
    /// The position behind this change: for readers that stop in the middle of a commit.
    pub behind: entable_str,
    /// The entity after the change; NULL for a delete, and if the feed does not hold it.
    pub entity: *const entable_entity,
    /// The entity before the change; NULL if it was created, and if the feed does not hold it.
    pub former: *const entable_entity,
}

impl Default for entable_change {
    /// No change.
    fn default() -> Self {
        entable_change {
            commit: 0,
            position: 0,
            kind: entable_change_kind::default(),
            partition_key: entable_str::default(),
            row_key: entable_str::default(),
            timestamp_ticks: 0,
            former_timestamp_ticks: 0,
            committed_ticks: 0,
            etag: entable_str::default(),
            former_etag: entable_str::default(),
            behind: entable_str::default(),
            entity: ptr::null(),
            former: ptr::null(),
        }
    }
}

/// A change, and what C is given views of.
struct Kept {
    change: Change,
    etag: Option<String>,
    former_etag: Option<String>,
    behind: String,
    entity: Option<entable_entity>,
    former: Option<entable_entity>,
}

impl From<Change> for Kept {
    fn from(mut change: Change) -> Self {
        Kept {
            etag: change.etag().map(|etag| etag.to_string()),
            former_etag: change.former_etag().map(|etag| etag.to_string()),
            behind: change.behind().to_string(),
            entity: change.entity.take().map(Into::into),
            former: change.former.take().map(Into::into),
            change,
        }
    }
}

impl Kept {
    fn view(&self) -> entable_change {
        let Change { commit, position, kind, timestamp, former_timestamp, committed, .. } = &self.change;
        let entity = |entity: &Option<entable_entity>| entity.as_ref().map_or(ptr::null(), ptr::from_ref);
        entable_change {
            commit: *commit,
            position: *position,
            kind: match kind {
                ChangeKind::Created => entable_change_kind::ENTABLE_CHANGE_CREATED,
                ChangeKind::Changed => entable_change_kind::ENTABLE_CHANGE_CHANGED,
                ChangeKind::Deleted => entable_change_kind::ENTABLE_CHANGE_DELETED,
            },
            partition_key: self.change.partition_key.as_str().into(),
            row_key: self.change.row_key.as_str().into(),
            timestamp_ticks: timestamp.ticks(),
            former_timestamp_ticks: former_timestamp.map_or(0, |time| time.ticks()),
            committed_ticks: committed.ticks(),
            etag: self.etag.as_deref().into(),
            former_etag: self.former_etag.as_deref().into(),
            behind: self.behind.as_str().into(),
            entity: entity(&self.entity),
            former: entity(&self.former),
        }
    }
}

/// Changes of whole commits, and where to go on. Yours: free it with `entable_change_page_free`. It never changes, so any
/// thread may read it.
pub struct entable_change_page {
    changes: Vec<Kept>,
    position: String,
    has_more: bool,
}

impl From<ChangePage> for entable_change_page {
    fn from(page: ChangePage) -> Self {
        let (position, has_more) = (page.position.to_string(), page.has_more);
        entable_change_page { changes: page.changes.into_iter().map(Into::into).collect(), position, has_more }
    }
}

/// The changes behind a position, one by one. Yours: free it with `entable_feed_changes_free`, at its end or before. One
/// thread at a time. Nothing of the store is held between calls.
pub struct entable_feed_changes {
    changes: Changes,
    /// The one that is lent.
    current: Option<Kept>,
}

/// A position that C hands in as text.
pub(crate) fn position(text: entable_str) -> Result<FeedPosition> {
    Ok(text.text("position")?.parse()?)
}

/// Makes a table with a change feed, in one transaction. `feed` may be NULL for the default; it is copied.
///
/// `table` may be NULL if no handle is wanted; `*table` is yours once the call returns NULL, else NULL. Any thread. In a
/// transaction a table is made first, then its feed: `entable_table_set_feed`.
///
/// Errors: as `entable_store_create_table`; ENTABLE_INVALID_INPUT for another number as content.
#[unsafe(no_mangle)]
pub extern "C" fn entable_store_create_table_with_feed(
    store: Option<&entable_store>,
    name: entable_str,
    feed: Option<&entable_feed>,
    table: Option<&mut MaybeUninit<Option<Box<entable_table>>>>,
) -> Option<Box<entable_error>> {
    boundary(|| {
        let (place, name, feed) = (optional_output(table), name.text("name")?, entable_feed::feed(feed)?);
        let made = required(store, "store")?.0.create_table_with_feed(name, &feed)?;
        put(place, Some(Box::new(entable_table(Place::Store(made)))));
        Ok(())
    })
}

/// Switches the change feed of the table on, or changes the settings of the one that it has. `feed` may be NULL for the
/// default; it is copied. Any thread, or in a transaction.
///
/// From then on every write of the table notes its changes in its own transaction. What the table holds already is in no
/// change. Other content holds for later changes; other limits hold for those that are there.
///
/// Errors: ENTABLE_TABLE_NOT_FOUND, ENTABLE_INVALID_INPUT for another number as content. The error is yours to free.
#[unsafe(no_mangle)]
pub extern "C" fn entable_table_set_feed(
    table: Option<&entable_table>,
    feed: Option<&entable_feed>,
) -> Option<Box<entable_error>> {
    boundary(|| {
        let feed = entable_feed::feed(feed)?;
        Ok(required(table, "table")?.0.set_feed(&feed)?)
    })
}

/// Switches the change feed off: its changes and consumers are gone at once. One that is switched on again is another feed,
/// and refuses the positions of this one. Any thread, or in a transaction.
///
/// Errors: ENTABLE_FEED_NOT_FOUND, ENTABLE_TABLE_NOT_FOUND. The error is yours to free.
#[unsafe(no_mangle)]
pub extern "C" fn entable_table_drop_feed(table: Option<&entable_table>) -> Option<Box<entable_error>> {
    boundary(|| Ok(required(table, "table")?.0.drop_feed()?))
}

/// The feed of the table: its settings, where it begins and ends, and its consumers. Counts its changes. Not in a
/// transaction, as all that reads changes.
///
/// `*info` is yours once the call returns NULL, else NULL. Any thread.
///
/// Errors: ENTABLE_FEED_NOT_FOUND, ENTABLE_TABLE_NOT_FOUND. The error is yours to free.
#[unsafe(no_mangle)]
pub extern "C" fn entable_table_feed(
    table: Option<&entable_table>,
    info: Option<&mut MaybeUninit<Option<Box<entable_feed_info>>>>,
) -> Option<Box<entable_error>> {
    boundary(|| {
        let place = output(info, "info")?;
        *place = Some(Box::new(required(table, "table")?.0.outside()?.feed()?.into()));
        Ok(())
    })
}

/// Writes what is told of the feed to `state`. False for NULL. Any thread.
#[unsafe(no_mangle)]
pub extern "C" fn entable_feed_info_state(
    info: Option<&entable_feed_info>,
    state: Option<&mut MaybeUninit<entable_feed_state>>,
) -> bool {
    answer(false, || {
        let place = optional_output(state);
        let info = info?;
        let told = entable_feed_state {
            settings: info.settings,
            begin: info.begin.as_str().into(),
            end: info.end.as_str().into(),
            changes: info.changes,
            consumers: info.consumers.len(),
        };
        put(place, told);
        Some(true)
    })
}

/// Whether there is a consumer at `index`, from 0, in the order of their names; writes what is told of it to `consumer`,
/// which may be NULL. Any thread.
#[unsafe(no_mangle)]
pub extern "C" fn entable_feed_info_consumer(
    info: Option<&entable_feed_info>,
    index: usize,
    consumer: Option<&mut MaybeUninit<entable_consumer_state>>,
) -> bool {
    answer(false, || {
        let place = optional_output(consumer);
        let (found, position) = info?.consumers.get(index)?;
        let told = entable_consumer_state {
            name: (&*found.name).into(),
            position: position.as_str().into(),
            advanced_ticks: found.advanced.ticks(),
            changes_behind: found.changes_behind,
            has_missed: found.has_missed,
        };
        put(place, told);
        Some(true)
    })
}

/// Frees what was told of a feed. NULL is fine. Once.
#[unsafe(no_mangle)]
pub extern "C" fn entable_feed_info_free(info: Option<Box<entable_feed_info>>) {
    free(info);
}

/// The next changes behind a position: whole commits, until there are `most` of them or more, or some MiB. A commit with
/// more comes as one. Positions are text that was handed out by `entable_table_feed`, a page, a change or a consumer: to be
/// kept, and handed back.
///
/// `*page` is yours once the call returns NULL, else NULL. Any thread.
///
/// Errors: ENTABLE_FEED_NOT_FOUND; ENTABLE_CHANGES_NOT_KEPT if changes behind the position are gone, with the first commit
/// that is kept as limit; ENTABLE_INVALID_INPUT for what is no position, or one of another store or table, or one that the
/// store has not come to; ENTABLE_TABLE_NOT_FOUND, ENTABLE_DAMAGED. The error is yours to free.
#[unsafe(no_mangle)]
pub extern "C" fn entable_table_read_changes(
    table: Option<&entable_table>,
    position: entable_str,
    most: usize,
    page: Option<&mut MaybeUninit<Option<Box<entable_change_page>>>>,
) -> Option<Box<entable_error>> {
    boundary(|| {
        let place = output(page, "page")?;
        let table = required(table, "table")?.0.outside()?;
        *place = Some(Box::new(table.read_changes(&self::position(position)?, most)?.into()));
        Ok(())
    })
}

/// How many changes the page holds; 0 for NULL. Any thread.
#[unsafe(no_mangle)]
pub extern "C" fn entable_change_page_count(page: Option<&entable_change_page>) -> usize {
    answer(0, || Some(page?.changes.len()))
}

/// Whether there is a change at `index`, from 0, in the order in which they were made; writes it to `change`, which may be
/// NULL. What it points to is good until the page is freed. Any thread.
#[unsafe(no_mangle)]
pub extern "C" fn entable_change_page_at(
    page: Option<&entable_change_page>,
    index: usize,
    change: Option<&mut MaybeUninit<entable_change>>,
) -> bool {
    answer(false, || {
        let place = optional_output(change);
        put(place, page?.changes.get(index)?.view());
        Some(true)
    })
}

/// The position behind the last change; at the end of the feed, behind all that has been done so far. Good until the page
/// is freed. Any thread.
#[unsafe(no_mangle)]
pub extern "C" fn entable_change_page_position(page: Option<&entable_change_page>) -> entable_str {
    answer(entable_str::default(), || Some(page?.position.as_str().into()))
}

/// Whether there was more when the page was read. Any thread.
#[unsafe(no_mangle)]
pub extern "C" fn entable_change_page_has_more(page: Option<&entable_change_page>) -> bool {
    answer(false, || Some(page?.has_more))
}

/// Frees a page and its changes. NULL is fine. Once.
#[unsafe(no_mangle)]
pub extern "C" fn entable_change_page_free(page: Option<Box<entable_change_page>>) {
    free(page);
}

/// The changes behind a position, one by one, to the end that the feed has when that is come to. What is wrong with the
/// feed is an error of the first one; what is wrong with the text, of this call.
///
/// `*changes` is yours once the call returns NULL, else NULL. Any thread. The error is yours to free.
#[unsafe(no_mangle)]
pub extern "C" fn entable_table_changes(
    table: Option<&entable_table>,
    position: entable_str,
    changes: Option<&mut MaybeUninit<Option<Box<entable_feed_changes>>>>,
) -> Option<Box<entable_error>> {
    boundary(|| {
        let place = output(changes, "changes")?;
        let changes = required(table, "table")?.0.outside()?.changes(&self::position(position)?);
        *place = Some(Box::new(entable_feed_changes { changes, current: None }));
        Ok(())
    })
}

/// The next change: writes it to `change`, lent until the next call with these changes, or until they are freed. At the
/// end its kind is ENTABLE_CHANGE_NONE. After an error there is nothing more.
///
/// Errors: as `entable_table_read_changes`, ENTABLE_STORE_CLOSED. The error is yours to free.
#[unsafe(no_mangle)]
pub extern "C" fn entable_feed_changes_next(
    changes: Option<&mut entable_feed_changes>,
    change: Option<&mut MaybeUninit<entable_change>>,
) -> Option<Box<entable_error>> {
    boundary(|| {
        let place = output(change, "change")?;
        let changes = required(changes, "changes")?;
        changes.current = None;
        if let Some(next) = changes.changes.next().transpose()? {
            *place = changes.current.insert(next.into()).view();
        }
        Ok(())
    })
}

/// Frees changes, and with them the one that is lent. NULL is fine. Once.
#[unsafe(no_mangle)]
pub extern "C" fn entable_feed_changes_free(changes: Option<Box<entable_feed_changes>>) {
    free(changes);
}

/// Waits until there is a change behind a position, at most `timeout_ms` milliseconds; `*is_there` gets whether there is. A
/// write of this process ends the wait at once, one of another within some 10 ms. Any thread.
///
/// Errors: as `entable_table_read_changes`, also where the reason comes up in the meantime; ENTABLE_STORE_CLOSED. The error
/// is yours to free.
#[unsafe(no_mangle)]
pub extern "C" fn entable_table_wait_for_changes(
    table: Option<&entable_table>,
    position: entable_str,
    timeout_ms: u64,
    is_there: Option<&mut MaybeUninit<bool>>,
) -> Option<Box<entable_error>> {
    boundary(|| {
        let place = output(is_there, "is_there")?;
        let (table, timeout) = (required(table, "table")?.0.outside()?, Duration::from_millis(timeout_ms));
        *place = table.wait_for_changes(&self::position(position)?, timeout)?;
        Ok(())
    })
}

/// Removes all changes that the feed's settings do not keep any more, in steps. It is done now and then without being
/// asked. `removed` may be NULL; else it gets how many they were. Any thread.
///
/// Errors: ENTABLE_FEED_NOT_FOUND, ENTABLE_TABLE_NOT_FOUND. The error is yours to free.
#[unsafe(no_mangle)]
pub extern "C" fn entable_table_trim_feed(
    table: Option<&entable_table>,
    removed: Option<&mut MaybeUninit<u64>>,
) -> Option<Box<entable_error>> {
    boundary(|| {
        let place = optional_output(removed);
        put(place, required(table, "table")?.0.outside()?.trim_feed()?);
        Ok(())
    })
}
