//! The verbs of change feeds: switched on and off, read, followed by consumers, and trimmed.

use super::{Check, Runner, Saved, equal, given};
use entable::{Change, ChangeKind, Error, Feed, FeedContent, FeedInfo, FeedPosition, FeedStart, Table};
use entable_tests::vectors::{self, Object};
use serde_json::{Value as Json, json};
use std::time::Duration;

/// What such a step gives.
#[derive(Default)]
pub(super) struct Fed {
    pub(super) info: Option<FeedInfo>,
    pub(super) changes: Option<Vec<Change>>,
    pub(super) has_more: Option<bool>,
    pub(super) count: Option<u64>,
    pub(super) is_there: Option<bool>,
    /// What `save` keeps.
    pub(super) position: Option<FeedPosition>,
}

impl Runner {
    /// Runs the step, if its verb is one of these.
    pub(super) fn run_feed(&self, step: &Object) -> Option<Result<Fed, Error>> {
        let verb = step["do"].as_str().expect("a verb");
        let name = step.get("table").map_or_else(|| super::TABLE.to_owned(), vectors::text);
        if verb == "create_table_with_feed" {
            return Some(self.store.create_table_with_feed(&name, &feed(&step["feed"])).map(|_| Fed::default()));
        }
        Some(match verb {
            "set_feed" | "drop_feed" | "feed" | "read_changes" | "changes" | "wait_for_changes" | "trim_feed" => {
                self.store.table(&name).and_then(|table| self.run_of_table(verb, &table, step))
            }
            "create_consumer" | "drop_consumer" | "consumer_position" | "consumer_read" | "consumer_wait"
            | "consumer_advance" | "consumer_seek" => {
                self.store.table(&name).and_then(|table| self.run_of_consumer(verb, &table, step))
            }
            _ => return None,
        })
    }

    fn run_of_table(&self, verb: &str, table: &Table, step: &Object) -> Result<Fed, Error> {
        let table = match step.get("in") {
            Some(snapshot) => &table.at(self.snapshot(snapshot)),
            None => table,
        };
        Ok(match verb {
            "set_feed" => table.set_feed(&feed(&step["feed"])).map(|()| Fed::default())?,
            "drop_feed" => table.drop_feed().map(|()| Fed::default())?,
            "feed" => {
                let info = table.feed()?;
                Fed { position: Some(info.end.clone()), info: Some(info), ..Fed::default() }
            }
            "read_changes" => {
                paged(table.read_changes(&self.position(table, &step["position"])?, number(step, "most"))?, step)
            }
            "changes" => {
                let found = table.changes(&self.position(table, &step["position"])?);
                let changes = found.collect::<Result<Vec<_>, _>>()?;
                Fed { position: behind(&changes, step), changes: Some(changes), ..Fed::default() }
            }
            "wait_for_changes" => {
                let timeout = Duration::from_millis(number(step, "timeout_ms") as u64);
                let is_there = table.wait_for_changes(&self.position(table, &step["position"])?, timeout)?;
                Fed { is_there: Some(is_there), ..Fed::default() }
            }
            "trim_feed" => Fed { count: Some(table.trim_feed()?), ..Fed::default() },
            _ => panic!("the form has no verb {verb}"),
        })
    }

    fn run_of_consumer(&self, verb: &str, table: &Table, step: &Object) -> Result<Fed, Error> {
        let name = vectors::text(&step["consumer"]);
        let consumer = table.consumer(&name);
        Ok(match verb {
            "create_consumer" => {
                let start = match &step["start"] {
                    Json::String(start) if start == "beginning" => FeedStart::Beginning,
                    Json::String(start) if start == "now" => FeedStart::Now,
                    at => FeedStart::At(self.position(table, &at["at"])?),
                };
                table.create_consumer(&name, &start).map(|_| Fed::default())?
            }
            "drop_consumer" => table.drop_consumer(&name).map(|()| Fed::default())?,
            "consumer_position" => Fed { position: Some(consumer.position()?), ..Fed::default() },
            "consumer_read" => paged(consumer.read(number(step, "most"))?, step),
            "consumer_wait" => {
                let timeout = Duration::from_millis(number(step, "timeout_ms") as u64);
                Fed { is_there: Some(consumer.wait(timeout)?), ..Fed::default() }
            }
            "consumer_advance" => {
                consumer.advance(&self.position(table, &step["position"])?).map(|()| Fed::default())?
            }
            "consumer_seek" => consumer.seek(&self.position(table, &step["position"])?).map(|()| Fed::default())?,
            _ => panic!("the form has no verb {verb}"),
        })
    }

    /// A position of a step: of the feed as it is, one that was saved, or a text.
    fn position(&self, table: &Table, json: &Json) -> Result<FeedPosition, Error> {
        match json.get("feed").and_then(Json::as_str) {
            Some("begin") => return Ok(table.feed()?.begin),
            Some("end") => return Ok(table.feed()?.end),
            Some(other) => panic!("a feed has no {other}"),
            None => {}
        }
        let text = vectors::text(json);
        match self.saved(&text) {
            Some(Saved::Position(text)) => text.parse(),
            Some(_) => panic!("{text} is no position"),
            None => text.parse(),
        }
    }

    /// Compares with one member of the expectation.
    pub(super) fn check_feed(&self, member: &str, expected: &Json, found: &Fed) -> Check {
        match member {
            "feed" => check_info(expected.as_object().expect("a feed"), given(&found.info)?),
            "changes" => {
                let (expected, found) = (expected.as_array().expect("changes"), given(&found.changes)?);
                equal(&found.len(), &expected.len()).map_err(|failure| format!("{failure} changes: {found:?}"))?;
                expected.iter().zip(found).enumerate().try_for_each(|(number, (expected, found))| {
                    let expected = expected.as_object().expect("a change");
                    self.check_change(expected, found).map_err(|failure| format!("{number}: {failure}"))
                })
            }
            "commits" => {
                let changes = given(&found.changes)?;
                let commits: Vec<usize> = changes.chunk_by(|a, b| a.commit == b.commit).map(<[_]>::len).collect();
                equal(&Json::from(commits), expected)
            }
            "more" => equal(&Json::from(*given(&found.has_more)?), expected),
            "count" => match (&found.count, &found.changes) {
                (Some(count), _) => equal(&Json::from(*count), expected),
                (None, changes) => equal(&Json::from(given(changes)?.len()), expected),
            },
            "bool" => equal(&Json::from(*given(&found.is_there)?), expected),
            "same_position_as" => match self.saved(&format!("${}", expected.as_str().expect("a name"))) {
                Some(Saved::Position(saved)) => equal(&given(&found.position)?.to_string(), saved),
                _ => Err("no position was saved".into()),
            },
            _ => Err("the step gives no such thing".into()),
        }
    }

    fn check_change(&self, expected: &Object, found: &Change) -> Check {
        for (member, expected) in expected {
            let etag = |found: Option<entable::ETag>| {
                let expected = expected.as_str().map(|text| match self.saved(text) {
                    Some(Saved::ETag(etag)) => etag.to_string(),
                    _ => text.to_owned(),
                });
                equal(&found.map(|etag| etag.to_string()), &expected)
            };
            let entity = |found: &Option<entable::Entity>| match (found, expected) {
                (None, Json::Null) => Ok(()),
                (Some(found), expected) if !expected.is_null() => self.check_entity(expected, found),
                _ => Err(format!("{found:?} instead of {expected}")),
            };
            let time = |found: Option<entable::DateTime>| {
                equal(&found, &expected.as_str().map(|text| text.parse().expect("an instant")))
            };
            let checked = match member.as_str() {
                "kind" => equal(&kind(found.kind), &expected.as_str().expect("a kind")),
                "partition_key" => equal(&found.partition_key, &vectors::text(expected)),
                "row_key" => equal(&found.row_key, &vectors::text(expected)),
                "position" => equal(&Json::from(found.position), expected),
                "etag" => etag(found.etag()),
                "former_etag" => etag(found.former_etag()),
                "timestamp" => time(Some(found.timestamp)),
                "former_timestamp" => time(found.former_timestamp),
                "committed" => time(Some(found.committed)),
                "entity" => entity(&found.entity),
                "former" => entity(&found.former),
                _ => panic!("the form has no member {member} of changes"),
            };
            checked.map_err(|failure| format!("{member}: {failure}"))?;
        }
        Ok(())
    }
}

fn kind(kind: ChangeKind) -> &'static str {
    match kind {
        ChangeKind::Created => "created",
        ChangeKind::Changed => "changed",
        ChangeKind::Deleted => "deleted",
    }
}

fn number(step: &Object, member: &str) -> usize {
    step[member].as_u64().expect("a number") as usize
}

fn paged(page: entable::ChangePage, step: &Object) -> Fed {
    let position = behind(&page.changes, step).or(Some(page.position));
    Fed { position, has_more: Some(page.has_more), changes: Some(page.changes), ..Fed::default() }
}

/// Behind the change that the step names, if it names one.
fn behind(changes: &[Change], step: &Object) -> Option<FeedPosition> {
    let at = step.get("save_change")?.as_u64().expect("a number") as usize;
    Some(changes[at].behind())
}

fn feed(json: &Json) -> Feed {
    let mut feed = Feed::new();
    for (member, value) in json.as_object().expect("a feed") {
        feed = match member.as_str() {
            "content" => feed.content(match value.as_str() {
                Some("keys") => FeedContent::Keys,
                Some("after") => FeedContent::After,
                Some("before_and_after") => FeedContent::BeforeAndAfter,
                other => panic!("no content {other:?}"),
            }),
            "keep_for_ms" => feed.keep_for(Duration::from_millis(value.as_u64().expect("a number"))),
            "keep_changes" => feed.keep_changes(value.as_u64().expect("a number")),
            "keep_until_consumed" => feed.keep_until_consumed(value.as_bool().expect("a bool")),
            _ => panic!("the form has no member {member} of feeds"),
        };
    }
    feed
}

fn check_info(expected: &Object, found: &FeedInfo) -> Check {
    for (member, expected) in expected {
        let settings = &found.settings;
        let found: Json = match member.as_str() {
            "content" => match settings.holds() {
                FeedContent::Keys => "keys".into(),
                FeedContent::After => "after".into(),
                FeedContent::BeforeAndAfter => "before_and_after".into(),
            },
            "keep_for_ms" => settings.keeps_for().map(|age| age.as_millis() as u64).into(),
            "keep_changes" => settings.keeps_changes().into(),
            "keep_until_consumed" => settings.keeps_until_consumed().into(),
            "changes" => found.changes.into(),
            "consumers" => {
                let consumers = found.consumers.iter();
                let shown = consumers.map(|one| {
                    json!({ "name": &*one.name, "changes_behind": one.changes_behind, "has_missed": one.has_missed })
                });
                shown.collect::<Vec<_>>().into()
            }
            _ => panic!("the form has no member {member} of feeds"),
        };
        equal(&found, expected).map_err(|failure| format!("{member}: {failure}"))?;
    }
    Ok(())
}
