//! Change feeds in the model: a feed replayed into an empty copy gives the table, at every commit.

use crate::row::{Key, check_row, key};
use crate::run::Run;
use entable::{Change, ChangeKind, Entity, Feed, FeedContent, FeedPosition};
use std::collections::BTreeMap;

/// A table's feed as somebody follows it, and what he has made of it.
pub(crate) struct Follower {
    /// Of the table in the model.
    generation: u64,
    content: FeedContent,
    position: FeedPosition,
    copy: BTreeMap<Key, Entity>,
}

impl Run {
    /// Switches a feed on, off, or to another content.
    pub(crate) fn change_feed(&mut self) {
        let name = self.table_name();
        let table = self.store.table(&name).expect("a name");
        let Ok(known) = self.world.table(&name) else {
            return assert!(table.set_feed(&Feed::new()).is_err());
        };
        let (folded, generation) = (name.to_lowercase(), known.generation);
        if self.feeds.contains_key(&folded) && self.random.percent(40) {
            self.note(format!("no feed of {name}"));
            table.drop_feed().expect("a feed");
            self.feeds.remove(&folded);
            return self.tally.count("feed: dropped");
        }
        let content = self.random.pick(&[FeedContent::Keys, FeedContent::After, FeedContent::BeforeAndAfter]);
        self.note(format!("feed of {name}: {content:?}"));
        table.set_feed(&Feed::new().content(content)).expect("a table");
        if let Some(follower) = self.feeds.get_mut(&folded) {
            follower.content = content;
            return;
        }
        let copy = table.list_entities().expect("rows").map(|row| {
            let row = row.expect("a row");
            (key(row.partition_key(), row.row_key()), row)
        });
        let (copy, position) = (copy.collect(), table.feed().expect("a feed").end);
        self.feeds.insert(folded, Follower { generation, content, position, copy });
        self.tally.count("feed: made");
    }

    /// Reads what has been done since, and finds that the copies are the tables.
    pub(crate) fn follow(&mut self) {
        let world = &self.world;
        self.feeds.retain(|name, follower| {
            world.tables.get(name).is_some_and(|table| table.generation == follower.generation)
        });
        for (name, follower) in &mut self.feeds {
            let table = self.store.table(name).expect("a name");
            loop {
                let page = table.read_changes(&follower.position, 1 + self.operations % 5).expect("a page");
                let places = page.changes.windows(2).all(|two| {
                    (two[0].commit, two[0].position) < (two[1].commit, two[1].position)
                        && two[0].committed <= two[1].committed
                });
                assert!(places, "{:?}", page.changes);
                for change in page.changes {
                    self.tally.count(format!("change: {:?}", change.kind));
                    follower.apply(change, |name: &Change| table.get_entity(&name.partition_key, &name.row_key).ok());
                }
                follower.position = page.position;
                if !page.has_more {
                    break;
                }
            }
            let rows = &world.tables[name].rows;
            assert!(follower.copy.keys().eq(rows.keys()), "{name}: the copy has other rows");
            rows.values().zip(follower.copy.values()).for_each(|(row, found)| check_row(row, found));
        }
    }
}

impl Follower {
    /// Does to the copy what was done to the table. A feed of keys says which entities to look up.
    fn apply(&mut self, change: Change, look_up: impl Fn(&Change) -> Option<Entity>) {
        let key = key(&change.partition_key, &change.row_key);
        let former = self.copy.remove(&key);
        let is_new = change.kind == ChangeKind::Created;
        assert_eq!(former.is_none(), is_new, "{change:?}");
        match self.content {
            // What is looked up may be younger than the change.
            FeedContent::Keys => assert!(change.entity.is_none() && change.former.is_none()),
            _ => assert_eq!(former.as_ref().and_then(Entity::etag), change.former_etag(), "{change:?}"),
        }
        if self.content == FeedContent::BeforeAndAfter {
            assert_eq!(former.as_ref().map(shown), change.former.as_ref().map(shown), "{change:?}");
        }
        if change.kind == ChangeKind::Deleted {
            assert!(change.entity.is_none() && Some(change.timestamp) > change.former_timestamp, "{change:?}");
            return;
        }
        let after = match self.content {
            // Deleted by a later change, it is there for it to delete.
            FeedContent::Keys => look_up(&change).unwrap_or_else(|| Entity::new("", "")),
            _ => change.entity.clone().expect("the entity after"),
        };
        if self.content != FeedContent::Keys {
            assert_eq!(after.etag(), change.etag());
        }
        self.copy.insert(key, after);
    }
}

/// All of an entity, NaN and the sign of zero too.
fn shown(entity: &Entity) -> String {
    format!("{:?} {:?}", entity.timestamp(), entity)
}
