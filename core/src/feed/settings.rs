//! What a feed is to hold and for how long, and what a caller is told of it.

use super::FeedPosition;
use crate::codec::record::{FeedContent, FeedRecord, Unknown};
use crate::limits::{CONSUMER_NAME_BYTES, TICKS_PER_SECOND};
use crate::model::names::utf16_units;
use crate::{DateTime, Error, Result};
use std::time::Duration;

/// What a change feed holds, and how long changes are kept: given to [`Table::set_feed`](crate::Table::set_feed).
///
/// Without limits changes are kept for ever. A limit is the least that is kept: what is beyond it goes in steps, some
/// hundred changes later, or at once with [`Table::trim_feed`](crate::Table::trim_feed), and always whole commits.
///
/// # Example
/// ```
/// use entable::{Feed, FeedContent};
/// use std::time::Duration;
/// let audit = Feed::new().content(FeedContent::BeforeAndAfter).keep_for(Duration::from_secs(30 * 24 * 3_600));
/// let outbox = Feed::new().keep_until_consumed(true);
/// # let _ = (audit, outbox);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Feed {
    content: FeedContent,
    keep_ticks: u64,
    keep_changes: u64,
    waits_for_consumers: bool,
}

impl Feed {
    /// A feed of the entities as they are after each change, kept for ever.
    pub fn new() -> Feed {
        Feed::default()
    }

    /// What a change holds.
    #[must_use]
    pub fn content(mut self, content: FeedContent) -> Feed {
        self.content = content;
        self
    }

    /// Keeps changes for so long, by the time of their commit; zero for ever. Counted in 100 ns.
    #[must_use]
    pub fn keep_for(mut self, age: Duration) -> Feed {
        let ticks = age.as_nanos() / (1_000_000_000 / TICKS_PER_SECOND as u128);
        // Less than a tick is not for ever.
        self.keep_ticks = if age.is_zero() { 0 } else { u64::try_from(ticks).unwrap_or(u64::MAX).max(1) };
        self
    }

    /// Keeps so many changes of the table; 0 any number.
    #[must_use]
    pub fn keep_changes(mut self, count: u64) -> Feed {
        self.keep_changes = count;
        self
    }

    /// Whether changes are kept until every consumer is done with them, beyond age and number. Without either of these
    /// limits they go as soon as that is so, and none goes as long as there is no consumer. A consumer that does not
    /// come back keeps them for ever: [`Table::feed`](crate::Table::feed) tells where each stands.
    #[must_use]
    pub fn keep_until_consumed(mut self, is_kept: bool) -> Feed {
        self.waits_for_consumers = is_kept;
        self
    }

    /// What a change holds.
    pub fn holds(&self) -> FeedContent {
        self.content
    }

    /// How long changes are kept; `None` for ever.
    pub fn keeps_for(&self) -> Option<Duration> {
        let per_second = TICKS_PER_SECOND as u64;
        let nanos = (self.keep_ticks % per_second) as u32 * (1_000_000_000 / per_second as u32);
        (self.keep_ticks > 0).then(|| Duration::new(self.keep_ticks / per_second, nanos))
    }

    /// How many changes are kept; `None` for any number.
    pub fn keeps_changes(&self) -> Option<u64> {
        Some(self.keep_changes).filter(|count| *count > 0)
    }

    /// Whether changes wait for all consumers.
    pub fn keeps_until_consumed(&self) -> bool {
        self.waits_for_consumers
    }

    /// The record of a feed that begins with this commit.
    pub(crate) fn record(&self, first_commit: u64, unknown: Unknown) -> FeedRecord {
        FeedRecord {
            content: self.content,
            first_commit,
            keep_ticks: self.keep_ticks,
            keep_changes: self.keep_changes,
            waits_for_consumers: self.waits_for_consumers,
            unknown,
        }
    }

    pub(crate) fn of(record: &FeedRecord) -> Feed {
        Feed {
            content: record.content,
            keep_ticks: record.keep_ticks,
            keep_changes: record.keep_changes,
            waits_for_consumers: record.waits_for_consumers,
        }
    }
}

/// Where a consumer begins.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FeedStart {
    /// With the first change that is kept.
    Beginning,
    /// Behind all that has been done so far: with what is written from now on.
    Now,
    /// Behind this position.
    At(FeedPosition),
}

/// A feed as it is: [`Table::feed`](crate::Table::feed).
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct FeedInfo {
    /// What was declared.
    pub settings: Feed,
    /// Before the first change that is kept.
    pub begin: FeedPosition,
    /// Behind all that has been done so far.
    pub end: FeedPosition,
    /// How many changes are kept.
    pub changes: u64,
    /// The consumers, by name.
    pub consumers: Vec<ConsumerInfo>,
}

/// A consumer, and where it stands.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ConsumerInfo {
    /// Its name.
    pub name: Box<str>,
    /// What it is done with.
    pub position: FeedPosition,
    /// When it said so, by the clock of the store.
    pub advanced: DateTime,
    /// How many changes it has not said it is done with, of those that are kept.
    pub changes_behind: u64,
    /// Whether changes that it had not seen are not kept any more.
    pub has_missed: bool,
}

/// Refuses what is no name of a consumer: it has 1 to 255 bytes of UTF-8.
///
/// # Errors
/// `InvalidInput`, with limit and actual.
pub(crate) fn check_consumer_name(name: &str) -> Result<()> {
    if (1..=CONSUMER_NAME_BYTES).contains(&name.len()) {
        return Ok(());
    }
    let fact = format!(
        "The name of a consumer has 1 to {CONSUMER_NAME_BYTES} bytes of UTF-8; this one has {}, in {} UTF-16 code units.",
        name.len(),
        utf16_units(name)
    );
    Err(Error::invalid(fact).limit(CONSUMER_NAME_BYTES, name.len()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_comes_back_to_the_tick() {
        let check = |given: Duration, kept: Option<Duration>| assert_eq!(Feed::new().keep_for(given).keeps_for(), kept);
        check(Duration::ZERO, None);
        check(Duration::from_nanos(1), Some(Duration::from_nanos(100)));
        check(Duration::new(3, 123_456_789), Some(Duration::new(3, 123_456_700)));
        check(Duration::from_secs(86_400), Some(Duration::from_secs(86_400)));
        assert!(Feed::new().keep_for(Duration::MAX).keeps_for().is_some());
    }

    #[test]
    fn settings_come_back_from_their_record() {
        let feed = Feed::new()
            .content(FeedContent::Keys)
            .keep_for(Duration::from_secs(7))
            .keep_changes(8)
            .keep_until_consumed(true);
        assert_eq!(Feed::of(&feed.record(5, Unknown::default())), feed);
        assert_eq!(Feed::new().holds(), FeedContent::After);
    }
}
