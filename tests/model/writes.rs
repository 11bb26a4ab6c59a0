//! Writes: one by one, in groups and batches, and deletes by filter.

use crate::filter::{self, Maker, NAMES};
use crate::reads::matching;
use crate::row::{Key, key};
use crate::run::Run;
use crate::value::{self, V};
use crate::world::{Applied, Condition, Failure, Undo, Verb, Write};
use entable::{EntityInput, Error, ErrorCode, Filter, Mode, Operation, Parameters, Query, Store, UpdateMode, Written};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

impl Run {
    pub(crate) fn write(&mut self, table: &str, partition_key: String) -> Write {
        let verb = match self.random.below(23) {
            0..=6 => Verb::Create,
            7 | 8 => Verb::Update(UpdateMode::Merge),
            9 | 10 => Verb::Update(UpdateMode::Replace),
            11..=13 => Verb::Upsert(UpdateMode::Merge),
            14 | 15 => Verb::Upsert(UpdateMode::Replace),
            16 => Verb::CreateOrGet,
            17 | 18 => Verb::Move,
            _ => Verb::Delete,
        };
        let row_key = match verb {
            Verb::Update(_) | Verb::Delete | Verb::Move if self.random.percent(60) => {
                self.present(table, &partition_key)
            }
            _ => self.random.pick(&self.row_keys),
        };
        let mut properties = BTreeMap::new();
        if !matches!(verb, Verb::Delete | Verb::Move) {
            for _ in 0..self.random.below(6) {
                let name = self.random.pick(&NAMES[..NAMES.len() - 1]);
                properties.insert(name.to_owned(), value::value(&mut self.random));
            }
        }
        let known = self.world.table(table).ok().and_then(|table| table.rows.get(&key(&partition_key, &row_key)));
        let version = match known {
            Some(row) if self.random.percent(70) => row.timestamp,
            _ => self.random.pick(&self.times),
        };
        let condition = match (verb, self.random.below(10)) {
            (Verb::Create | Verb::CreateOrGet, _) | (_, 0..=4) => Condition::None,
            (_, 5) => Condition::Any,
            (Verb::Upsert(_), 6) => Condition::Absent,
            (_, 7) => self.filter_of_write(),
            _ => Condition::Version(version),
        };
        if !matches!(verb, Verb::Delete | Verb::Move) && self.random.percent(20) {
            self.link(&partition_key, &mut properties);
        }
        let (added, removed) = self.changes(verb, &mut properties);
        let to = match self.random.below(4) {
            0 => self.random.pick(&self.partition_keys),
            _ => partition_key.clone(),
        };
        let to = (to, self.random.pick(&self.row_keys));
        // To where it is an entity is not moved.
        let is_moved = (&to.0, &to.1) != (&partition_key, &row_key);
        let verb = if verb == Verb::Move && !is_moved { Verb::Delete } else { verb };
        Write { verb, partition_key, row_key, properties, added, removed, to, condition }
    }

    /// A condition that asks the stored row; what it says of Timestamps the model cannot tell within a transaction.
    fn filter_of_write(&mut self) -> Condition {
        let is_strict = self.mode == Mode::Strict;
        let (partition_keys, row_keys, times) = (&self.partition_keys, &self.row_keys, &self.times);
        let tree = Maker { random: &mut self.random, is_strict, partition_keys, row_keys, times }.filter();
        if filter::shown(&tree).contains("Timestamp") {
            return Condition::None;
        }
        self.tally.count("write: on a filter");
        Condition::Filter(tree, self.mode)
    }

    /// What a merge adds and removes; of other properties than it sets.
    fn changes(&mut self, verb: Verb, properties: &mut BTreeMap<String, V>) -> (BTreeMap<String, V>, BTreeSet<String>) {
        let (mut added, mut removed) = (BTreeMap::new(), BTreeSet::new());
        let is_merge = matches!(verb, Verb::Update(UpdateMode::Merge) | Verb::Upsert(UpdateMode::Merge));
        if is_merge && self.random.percent(40) {
            let name = self.random.pick(&NAMES).to_owned();
            properties.remove(&name);
            let whole =
                [V::I32(1), V::I32(-7), V::I32(i32::MAX), V::I64(1 << 40), V::I64(i64::MIN), V::I64((1 << 53) + 1)];
            let double = [V::F64(2.0), V::F64(-0.5), V::F64(f64::MAX), V::F64(f64::NAN), V::F64(-0.0)];
            let number = if self.random.percent(70) { self.random.pick(&whole) } else { self.random.pick(&double) };
            added.insert(name, number);
            self.tally.count("write: adds");
        }
        if is_merge && self.random.percent(40) {
            let name = self.random.pick(&NAMES).to_owned();
            if !added.contains_key(&name) {
                properties.remove(&name);
                removed.insert(name);
                self.tally.count("write: removes");
            }
        }
        (added, removed)
    }

    /// The RowKey of a row that is there; any, if there is none.
    fn present(&mut self, table: &str, partition_key: &str) -> String {
        let rows = self.world.table(table).ok().map(|table| table.rows.values());
        let keys = rows.into_iter().flatten().filter(|row| row.partition_key == partition_key).map(|row| &row.row_key);
        let keys: Vec<_> = keys.collect();
        if keys.is_empty() { self.random.pick(&self.row_keys) } else { self.random.pick(&keys).clone() }
    }

    pub(crate) fn single(&mut self) {
        let table = self.table_name();
        let partition_key = self.random.pick(&self.partition_keys);
        let write = self.write(&table, partition_key);
        self.note(format!("{table}: {write:?}"));
        let outcome = call(&self.store, &table, &write).map(|written| vec![written]);
        self.check_writes("single", vec![(table, write)], None, outcome);
    }

    pub(crate) fn group(&mut self) {
        let table = self.table_name();
        let partition_key = self.random.pick(&self.partition_keys);
        let count = self.random.below(9);
        let mut writes: Vec<(String, Write)> = Vec::new();
        for _ in 0..count {
            let other = self.random.percent(1).then(|| self.random.pick(&self.partition_keys));
            let write = self.write(&table, other.unwrap_or(partition_key.clone()));
            // Groups that fail for a row that comes twice are to be some, not most.
            if writes.iter().all(|(_, known)| known.row_key != write.row_key) || self.random.percent(5) {
                writes.push((table.clone(), write));
            }
        }
        self.note(format!("group on {table}: {writes:?}"));
        let operations: Vec<_> = writes.iter().map(|(_, write)| operation(write)).collect();
        let outcome = self.store.table(&table).expect("a name").submit_transaction(operations);
        let refused = refused_group(&writes);
        self.check_writes("group", writes, refused, outcome);
    }

    pub(crate) fn batch(&mut self) {
        let count = self.random.below(7);
        let writes: Vec<(String, Write)> = (0..count)
            .map(|_| {
                let table = self.table_name();
                let partition_key = self.random.pick(&self.partition_keys);
                let mut write = self.write(&table, partition_key);
                // Most batches are to succeed.
                if matches!(write.verb, Verb::Create | Verb::Update(_)) && self.random.percent(70) {
                    write.verb = Verb::Upsert(UpdateMode::Merge);
                    write.condition = Condition::None;
                }
                (table, write)
            })
            .collect();
        self.note(format!("batch: {writes:?}"));
        let tables: Vec<_> = writes.iter().map(|(table, _)| self.store.table(table).expect("a name")).collect();
        let operations = tables.iter().zip(&writes).map(|(table, (_, write))| (table, operation(write)));
        let outcome = self.store.submit_batch(operations.collect::<Vec<_>>());
        self.check_writes("batch", writes, None, outcome);
    }

    /// Does the writes in the model, and compares the outcomes.
    pub(crate) fn check_writes(
        &mut self,
        what: &str,
        writes: Vec<(String, Write)>,
        refused: Option<Failure>,
        outcome: Result<Vec<Option<Written>>, Error>,
    ) {
        let expected = match refused {
            Some(failure) => Err(failure),
            None => Rc::make_mut(&mut self.world).apply(&writes),
        };
        // A group is about one table: that there is none is no operation's fault.
        let has_index =
            |code| matches!(what, "group" | "batch") && !(what == "group" && code == ErrorCode::TableNotFound);
        let expected = expected.map_err(|(code, index)| (code, index.filter(|_| has_index(code))));
        let (Applied { found, before }, written) = match (expected, outcome) {
            (Ok(applied), Ok(written)) => (applied, written),
            (Err(failure), Err(error)) => {
                assert_eq!((error.code(), error.details().index), failure, "{what}: {error:?}");
                self.tally.count(format!("{what}: {}", error.code().name()));
                return;
            }
            (expected, outcome) => {
                panic!("{what}: {outcome:?}, the model says {:?}", expected.map(|applied| applied.found))
            }
        };
        self.tally.count(format!("{what}: ok"));
        assert_eq!(written.len(), writes.len());
        self.note_changed(&before);
        let is_own = |key: &Key| writes.iter().any(|(_, write)| *key == write.key() || *key == write.key_after());
        if before.iter().any(|(_, key, _)| !is_own(key)) {
            self.tally.count("relation: cascaded");
        }
        for (((table, write), written), is_found) in writes.iter().zip(written).zip(found) {
            assert_eq!(written.is_some_and(|written| written.is_found()), is_found, "{write:?}");
            self.tally.count(if is_found { "write: found" } else { "write: done" });
            if is_found {
                continue;
            }
            if write.verb == Verb::Move {
                self.tally.count("write: moved");
            }
            let Some(written) = written else {
                assert_eq!(write.verb, Verb::Delete);
                continue;
            };
            let timestamp = written.timestamp().ticks();
            assert!(self.times.last() < Some(&timestamp), "Timestamps rise: {timestamp} after {:?}", self.times.last());
            self.times.push(timestamp);
            if self.times.len() > 40 {
                self.times.drain(..20);
            }
            Rc::make_mut(&mut self.world).stamp(table, write, timestamp);
        }
    }

    /// Rows that have changed since the last page of a list may come in the next one or not.
    pub(crate) fn note_changed(&mut self, before: &Undo) {
        for (table, key, _) in before {
            for paging in self.pagings.iter_mut().filter(|paging| paging.table.eq_ignore_ascii_case(table)) {
                paging.changed.insert(key.clone());
            }
        }
    }

    /// Deletes what a filter asks for, at once or in steps; mostly few rows, so that many are left.
    pub(crate) fn delete_by_filter(&mut self) {
        let name = self.table_name();
        let (tree, mode) = self.filter();
        let most = if self.random.percent(80) { 6 } else { 1_000 };
        let limit = self.random.below(most);
        let chunk = self.random.percent(50).then(|| 1 + self.random.below(3));
        let shown = tree.as_ref().map(filter::shown).unwrap_or_default();
        self.note(format!("delete at most {limit} of {name}, by {chunk:?}: {shown}"));
        let query = tree.as_ref().map_or_else(Query::all, filter::query).mode(mode).limit(limit as u64);
        let table = self.store.table(&name).expect("a name");
        let deleted = match chunk {
            None => table.delete_entities(query),
            Some(chunk) => table.delete_entities_in_chunks(query, chunk as u64),
        };
        let expected = match self.world.table(&name) {
            Ok(table) => table,
            // Steps of which none is due ask nothing of the table.
            Err(_) if limit == 0 => return,
            Err((code, _)) => return assert_eq!(deleted.expect_err("no table").code(), code),
        };
        let rows = matching(expected, tree.as_ref(), mode);
        let keys: Vec<Key> = rows.map(|row| key(&row.partition_key, &row.row_key)).collect();
        let mut before = Undo::new();
        let expected = Rc::make_mut(&mut self.world).delete_rows(&mut before, &name, keys, limit, chunk);
        self.tally.count(match expected {
            Ok(0) => "delete by filter: no rows",
            Ok(_) => "delete by filter: some rows",
            Err(_) => "delete by filter: refused",
        });
        let found = deleted.map(|count| count as usize).map_err(|error| error.code());
        assert_eq!(found, expected, "{shown}");
        self.note_changed(&before);
    }
}

/// S6.2, S6.3: the first operation that makes the group none.
fn refused_group(writes: &[(String, Write)]) -> Option<Failure> {
    let first = &writes.first()?.1;
    let mut known = BTreeSet::new();
    writes.iter().enumerate().find_map(|(at, (_, write))| {
        let own = (&write.partition_key, &write.row_key);
        let new = (write.verb == Verb::Move).then_some((&write.to.0, &write.to.1));
        for (partition_key, row_key) in std::iter::once(own).chain(new) {
            if *partition_key != first.partition_key {
                return Some((ErrorCode::CommandsInBatchActOnDifferentPartitions, Some(at)));
            }
            if !known.insert(row_key.clone()) {
                return Some((ErrorCode::InvalidDuplicateRow, Some(at)));
            }
        }
        None
    })
}

fn entity(write: &Write) -> EntityInput {
    let mut entity = EntityInput::new(write.partition_key.as_str(), write.row_key.as_str());
    for (name, value) in &write.properties {
        entity.push(name, value.to_store());
    }
    let entity = write.added.iter().fold(entity, |entity, (name, number)| entity.adding(name, number.to_addend()));
    write.removed.iter().fold(entity, EntityInput::removing)
}

fn condition(write: &Write) -> entable::Condition {
    match &write.condition {
        Condition::Filter(tree, mode) => {
            let mut values = Vec::new();
            let text = filter::text(tree, &mut values);
            let parameters: Parameters = filter::parameters(&values).collect();
            Filter::parse_with(&text, &parameters, *mode).expect("a filter").into()
        }
        Condition::None => entable::Condition::None,
        Condition::Any => entable::Condition::Any,
        Condition::Absent => entable::Condition::Absent,
        Condition::Version(ticks) => {
            let timestamp = entable::DateTime::from_ticks(*ticks).expect("a tick");
            // Through its text, as a program would hand it back.
            let etag = entable::ETag::from_timestamp(timestamp).to_string();
            entable::Condition::from_text(&etag).expect("an ETag")
        }
    }
}

pub(crate) fn operation(write: &Write) -> Operation {
    let made = match write.verb {
        Verb::Create => Operation::create(entity(write)),
        Verb::Update(mode) => Operation::update(entity(write), mode),
        Verb::Upsert(mode) => Operation::upsert(entity(write), mode),
        Verb::Delete => Ok(Operation::delete(write.partition_key.as_str(), write.row_key.as_str())),
        Verb::CreateOrGet => Operation::create_or_get(entity(write)),
        Verb::Move => {
            let (partition_key, row_key) = (&*write.to.0, &*write.to.1);
            Ok(Operation::move_entity((&*write.partition_key, &*write.row_key), (partition_key, row_key)))
        }
    };
    made.expect("an operation").on(condition(write))
}

/// The write by the table's own verb.
fn call(store: &Store, table: &str, write: &Write) -> Result<Option<Written>, Error> {
    let table = store.table(table)?;
    let (partition_key, row_key) = (write.partition_key.as_str(), write.row_key.as_str());
    match (write.verb, &write.condition) {
        (Verb::Create, _) => table.create_entity(entity(write)).map(Some),
        (Verb::Update(mode), Condition::None) => table.update_entity(entity(write), mode).map(Some),
        (Verb::Update(mode), _) => table.update_entity_if(entity(write), mode, condition(write)).map(Some),
        (Verb::Upsert(mode), Condition::None) => table.upsert_entity(entity(write), mode).map(Some),
        (Verb::Upsert(mode), _) => table.upsert_entity_if(entity(write), mode, condition(write)).map(Some),
        (Verb::Move, Condition::None) => {
            table.move_entity((partition_key, row_key), (&write.to.0, &write.to.1)).map(Some)
        }
        (Verb::Move, _) => {
            table.move_entity_if((partition_key, row_key), (&write.to.0, &write.to.1), condition(write)).map(Some)
        }
        (Verb::CreateOrGet, _) => table.apply(operation(write)),
        (Verb::Delete, Condition::None) => table.delete_entity(partition_key, row_key).map(|()| None),
        (Verb::Delete, _) => table.delete_entity_if(partition_key, row_key, condition(write)).map(|()| None),
    }
}
