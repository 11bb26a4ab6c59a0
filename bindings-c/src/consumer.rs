//! Named consumers of a change feed, whose positions the store keeps.

#![allow(unsafe_code, reason = "C calls these functions by their names")]

use crate::boundary::{answer, boundary, free, optional_output, output, put, required};
use crate::error::{Result, entable_error};
use crate::feed::{entable_change_page, position};
use crate::json::entable_text;
use crate::place::Consumer;
use crate::table::entable_table;
use crate::text::entable_str;
use entable::FeedStart;
use std::mem::MaybeUninit;
use std::time::Duration;

/// Where a consumer begins. It has to be given: 0 is an error.
#[repr(u32)]
#[derive(Clone, Copy)]
pub enum entable_feed_start {
    /// With the first change that is kept.
    ENTABLE_FEED_START_BEGINNING = 1,
    /// Behind all that has been done so far: with what is written from now on.
    ENTABLE_FEED_START_NOW = 2,
    /// Behind a position.
    ENTABLE_FEED_START_AT = 3,
}

/// What C hands in where an `entable_feed_start` belongs: any number.
pub(crate) type RawFeedStart = u32;

impl entable_feed_start {
    fn start(raw: RawFeedStart, at: entable_str) -> Result<FeedStart> {
        const BEGINNING: u32 = entable_feed_start::ENTABLE_FEED_START_BEGINNING as u32;
        const NOW: u32 = entable_feed_start::ENTABLE_FEED_START_NOW as u32;
        const AT: u32 = entable_feed_start::ENTABLE_FEED_START_AT as u32;
        match raw {
            BEGINNING => Ok(FeedStart::Beginning),
            NOW => Ok(FeedStart::Now),
            AT => Ok(FeedStart::At(position(at)?)),
            _ => Err(entable_error::misuse("start", "It is none of enum entable_feed_start.")),
        }
    }
}

/// A named reader of a table's changes, whose position is kept in the store.
///
/// It gets every change at least once: what it does with them, and `entable_consumer_advance`, are two things, so that
/// after a kill in between it gets them again. Where the work is done in the same store, do both in one transaction: ask
/// `entable_table_consumer` of the table in it, and advance that one. Then it is done exactly once.
///
/// A handle, yours: free it with `entable_consumer_free`. Any number of threads may use it at once; one of a transaction is
/// for the thread of that alone, and only advances. It keeps its store open.
pub struct entable_consumer(Consumer);

/// Names a consumer, whose position the store keeps from now on; one of the name that is there already stays where it is.
/// `position` is that of ENTABLE_FEED_START_AT, and not looked at otherwise. Any thread, or in a transaction.
///
/// `consumer` may be NULL if no handle is wanted; `*consumer` is yours once the call returns NULL, else NULL.
///
/// Errors: ENTABLE_FEED_NOT_FOUND; ENTABLE_INVALID_INPUT for a name that has not 1 to 255 bytes, and for another number as
/// start; those of a position, as `entable_table_read_changes`. The error is yours to free.
#[unsafe(no_mangle)]
pub extern "C" fn entable_table_create_consumer(
    table: Option<&entable_table>,
    name: entable_str,
    start: RawFeedStart,
    position: entable_str,
    consumer: Option<&mut MaybeUninit<Option<Box<entable_consumer>>>>,
) -> Option<Box<entable_error>> {
    boundary(|| {
        let (place, name) = (optional_output(consumer), name.text("name")?);
        let start = entable_feed_start::start(start, position)?;
        let made = required(table, "table")?.0.create_consumer(name, &start)?;
        put(place, Some(Box::new(entable_consumer(made))));
        Ok(())
    })
}

/// A handle to a consumer. Nothing is asked of the store: that there is none shows when the handle is used.
///
/// `*consumer` is yours once the call returns NULL, else NULL. Any thread. The error is yours to free.
#[unsafe(no_mangle)]
pub extern "C" fn entable_table_consumer(
    table: Option<&entable_table>,
    name: entable_str,
    consumer: Option<&mut MaybeUninit<Option<Box<entable_consumer>>>>,
) -> Option<Box<entable_error>> {
    boundary(|| {
        let (place, name) = (output(consumer, "consumer")?, name.text("name")?);
        *place = Some(Box::new(entable_consumer(required(table, "table")?.0.consumer(name))));
        Ok(())
    })
}

/// Forgets a consumer: changes do not wait for it any more. Any thread, or in a transaction.
///
/// Errors: ENTABLE_CONSUMER_NOT_FOUND, ENTABLE_FEED_NOT_FOUND, ENTABLE_TABLE_NOT_FOUND. The error is yours to free.
#[unsafe(no_mangle)]
pub extern "C" fn entable_table_drop_consumer(
    table: Option<&entable_table>,
    name: entable_str,
) -> Option<Box<entable_error>> {
    boundary(|| {
        let name = name.text("name")?;
        Ok(required(table, "table")?.0.drop_consumer(name)?)
    })
}

/// Its name; no text (`data` is NULL) for NULL. Good until the handle is freed. Any thread.
#[unsafe(no_mangle)]
pub extern "C" fn entable_consumer_name(consumer: Option<&entable_consumer>) -> entable_str {
    answer(entable_str::default(), || Some(consumer?.0.name().into()))
}

/// The position behind what it is done with. `*position` is yours once the call returns NULL, else NULL. Any thread.
///
/// Errors: ENTABLE_CONSUMER_NOT_FOUND, ENTABLE_FEED_NOT_FOUND, ENTABLE_TABLE_NOT_FOUND. The error is yours to free.
#[unsafe(no_mangle)]
pub extern "C" fn entable_consumer_position(
    consumer: Option<&entable_consumer>,
    position: Option<&mut MaybeUninit<Option<Box<entable_text>>>>,
) -> Option<Box<entable_error>> {
    boundary(|| {
        let place = output(position, "position")?;
        *place = Some(Box::new(entable_text(required(consumer, "consumer")?.0.position()?.to_string())));
        Ok(())
    })
}

/// The next changes that it is not done with, as `entable_table_read_changes`. The same ones again until it says so.
///
/// `*page` is yours once the call returns NULL, else NULL. Any thread.
///
/// Errors: as `entable_consumer_position`; ENTABLE_CHANGES_NOT_KEPT if changes that it had not seen are gone.
#[unsafe(no_mangle)]
pub extern "C" fn entable_consumer_read(
    consumer: Option<&entable_consumer>,
    most: usize,
    page: Option<&mut MaybeUninit<Option<Box<entable_change_page>>>>,
) -> Option<Box<entable_error>> {
    boundary(|| {
        let place = output(page, "page")?;
        *place = Some(Box::new(required(consumer, "consumer")?.0.read(most)?.into()));
        Ok(())
    })
}

/// Waits until there is a change that it is not done with, at most `timeout_ms` milliseconds; `*is_there` gets whether there
/// is. Otherwise as `entable_table_wait_for_changes`. Errors: as `entable_consumer_read`.
#[unsafe(no_mangle)]
pub extern "C" fn entable_consumer_wait(
    consumer: Option<&entable_consumer>,
    timeout_ms: u64,
    is_there: Option<&mut MaybeUninit<bool>>,
) -> Option<Box<entable_error>> {
    boundary(|| {
        let place = output(is_there, "is_there")?;
        *place = required(consumer, "consumer")?.0.wait(Duration::from_millis(timeout_ms))?;
        Ok(())
    })
}

/// Notes, durably, that it is done with all changes up to a position: that of a page, or `behind` of a change. One that is
/// further already stays where it is. Any thread, or in a transaction: then it is durable with what else that does.
///
/// Errors: as `entable_consumer_position`; ENTABLE_INVALID_INPUT for a position of elsewhere. The error is yours to free.
#[unsafe(no_mangle)]
pub extern "C" fn entable_consumer_advance(
    consumer: Option<&entable_consumer>,
    position: entable_str,
) -> Option<Box<entable_error>> {
    boundary(|| {
        let to = self::position(position)?;
        Ok(required(consumer, "consumer")?.0.advance(&to)?)
    })
}

/// Moves it to a position, back or forth: to do changes again, or to leave some out. Any thread.
///
/// Errors: as `entable_consumer_advance`; ENTABLE_CHANGES_NOT_KEPT for a position behind which changes are gone.
#[unsafe(no_mangle)]
pub extern "C" fn entable_consumer_seek(
    consumer: Option<&entable_consumer>,
    position: entable_str,
) -> Option<Box<entable_error>> {
    boundary(|| {
        let to = self::position(position)?;
        Ok(required(consumer, "consumer")?.0.seek(&to)?)
    })
}

/// Lets go of a consumer; the store keeps its position. NULL is fine. Once.
#[unsafe(no_mangle)]
pub extern "C" fn entable_consumer_free(consumer: Option<Box<entable_consumer>>) {
    free(consumer);
}
