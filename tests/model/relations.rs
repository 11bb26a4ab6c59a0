//! Relations in the model: what a write may link to, and what a delete takes along.

use crate::indexes::Declared;
use crate::row::{Key, Row, key};
use crate::run::Run;
use crate::value::V;
use crate::world::{Failure, Table, Undo, World};
use entable::{ErrorCode, OnDelete, Repair};
use std::collections::BTreeMap;
use std::rc::Rc;

/// What relations are called, and the indexes by which they find children.
pub(crate) const NAMES: [&str; 2] = ["Of A", "Of B"];
/// Properties of a child, or its own keys, that are the keys of its parent; the first two are written for it.
const KEYS: [(&str, &str); 5] = [
    ("ParentPk", "ParentRk"),
    ("ParentPk", "PartitionKey"),
    ("PartitionKey", "ParentRk"),
    ("PartitionKey", "RowKey"),
    ("RowKey", "ParentRk"),
];

/// A declared relation.
#[derive(Clone, Debug)]
pub(crate) struct Relation {
    name: String,
    /// The tables, in lower case.
    pub(crate) child: String,
    pub(crate) parent: String,
    keys: (&'static str, &'static str),
    cascades: bool,
}

impl Relation {
    /// The keys of the parent that a row names; `None` without one of them.
    fn link(&self, row: &Row) -> Result<Option<Key>, ErrorCode> {
        let text = |name: &str| match name {
            "PartitionKey" => Ok(Some(row.partition_key.clone())),
            "RowKey" => Ok(Some(row.row_key.clone())),
            name => match row.properties.get(name) {
                None => Ok(None),
                Some(V::Text(text)) => Ok(Some(text.clone())),
                Some(_) => Err(ErrorCode::InvalidInput),
            },
        };
        let (partition_key, row_key) = (text(self.keys.0)?, text(self.keys.1)?);
        Ok(partition_key.zip(row_key).map(|(partition_key, row_key)| key(&partition_key, &row_key)))
    }

    /// The index that it needs.
    fn index(&self) -> Option<Declared> {
        match self.keys {
            (_, "PartitionKey") | ("PartitionKey", "RowKey") => None,
            ("PartitionKey", row_key) => Some(Declared::of_relation(&self.name, &[row_key], true)),
            (partition_key, row_key) => Some(Declared::of_relation(&self.name, &[partition_key, row_key], false)),
        }
    }

    fn declaration(&self) -> entable::Relation {
        let on_delete = if self.cascades { OnDelete::Cascade } else { OnDelete::Refuse };
        entable::Relation::new(&*self.name, &*self.child, &*self.parent)
            .keys(self.keys.0, self.keys.1)
            .on_delete(on_delete)
    }
}

impl World {
    /// The rows that link to a parent, in the order of their keys.
    fn children(&self, relation: &Relation, parent: &Key) -> Vec<Key> {
        let rows = self.tables.get(&relation.child).into_iter().flat_map(|table| &table.rows);
        rows.filter(|(_, row)| relation.link(row) == Ok(Some(parent.clone()))).map(|(key, _)| key.clone()).collect()
    }

    /// The rows of a table that link to none that is there.
    fn orphans(&self, relation: &Relation) -> Vec<Key> {
        let parents = &self.tables[&relation.parent].rows;
        let is_orphan = |row: &Row| matches!(relation.link(row), Ok(Some(parent)) if !parents.contains_key(&parent));
        let rows = self.tables[&relation.child].rows.iter();
        rows.filter(|(_, row)| is_orphan(row)).map(|(key, _)| key.clone()).collect()
    }

    /// Whether a row may link to what it does. A link that stays as it was is not looked at.
    pub(crate) fn check_links(&self, table: &str, former: Option<&Row>, row: &Row) -> Result<(), ErrorCode> {
        let own = key(&row.partition_key, &row.row_key);
        let of_table = self.relations.iter().filter(|relation| relation.child == table);
        let links: Vec<_> = of_table.map(|relation| Ok((relation, relation.link(row)?))).collect::<Result<_, _>>()?;
        for (relation, link) in links {
            let before = former.and_then(|former| relation.link(former).ok().flatten());
            let Some(link) = link.filter(|link| before.as_ref() != Some(link)) else { continue };
            let is_itself = relation.parent == table && link == own;
            if !is_itself && !self.tables[&relation.parent].rows.contains_key(&link) {
                return Err(ErrorCode::LinkTargetNotFound);
            }
        }
        Ok(())
    }

    /// Deletes a row, and what relations say goes with it.
    pub(crate) fn delete(&mut self, before: &mut Undo, table: &str, key: Key) -> Result<(), ErrorCode> {
        let (mut left, mut refusing) = (vec![(table.to_owned(), key)], Vec::new());
        while let Some((table, key)) = left.pop() {
            self.set(before, &table, key.clone(), None);
            for relation in self.relations.iter().filter(|relation| relation.parent == table) {
                if !relation.cascades {
                    refusing.push((relation.clone(), key.clone()));
                    continue;
                }
                left.extend(self.children(relation, &key).into_iter().map(|child| (relation.child.clone(), child)));
            }
        }
        match refusing.iter().all(|(relation, parent)| self.children(relation, parent).is_empty()) {
            true => Ok(()),
            false => Err(ErrorCode::LinkedEntitiesExist),
        }
    }

    /// Deletes rows of a table in their order, so many of them at most, and so many in each step; all in one without a
    /// number. What a refused step was to do is undone. Tells how many rows were asked for, whatever took them along.
    pub(crate) fn delete_rows(
        &mut self,
        before: &mut Undo,
        table: &str,
        mut keys: Vec<Key>,
        limit: usize,
        chunk: Option<usize>,
    ) -> Result<usize, ErrorCode> {
        let (table, mut count) = (table.to_lowercase(), 0);
        while count < limit {
            let most = chunk.unwrap_or(limit).min(limit - count);
            // A step asks anew what there is.
            keys.retain(|key| self.tables[&table].rows.contains_key(key));
            let step: Vec<Key> = keys.drain(..most.min(keys.len())).collect();
            let mut undo = Undo::new();
            for key in &step {
                let is_there = self.tables[&table].rows.contains_key(key);
                let deleted = if is_there { self.delete(&mut undo, &table, key.clone()) } else { Ok(()) };
                if let Err(code) = deleted {
                    self.restore(undo);
                    return Err(code);
                }
            }
            before.extend(undo);
            count += step.len();
            if step.len() < most {
                break;
            }
        }
        Ok(count)
    }
}

impl Run {
    /// Gives a row the keys of a parent, mostly of one that is there.
    pub(crate) fn link(&mut self, partition_key: &str, properties: &mut BTreeMap<String, V>) {
        let parents = self.table_name();
        let rows: Vec<&Row> =
            self.world.table(&parents).ok().into_iter().flat_map(|table| table.rows.values()).collect();
        let is_near = self.random.percent(30);
        let near: Vec<&&Row> = rows.iter().filter(|row| row.partition_key == partition_key).collect();
        let (of_partition, of_row) = match (near.is_empty(), rows.is_empty()) {
            (false, _) if is_near => {
                let row = self.random.pick(&near);
                (row.partition_key.clone(), row.row_key.clone())
            }
            (_, false) if self.random.percent(80) => {
                let row = self.random.pick(&rows);
                (row.partition_key.clone(), row.row_key.clone())
            }
            _ => (self.random.pick(&self.partition_keys), self.random.pick(&self.row_keys)),
        };
        for (name, text) in [("ParentPk", of_partition), ("ParentRk", of_row)] {
            match self.random.below(30) {
                0 => drop(properties.insert(name.into(), V::I32(7))),
                1 | 2 => {}
                _ => drop(properties.insert(name.into(), V::Text(text))),
            }
        }
    }

    /// Declares a relation or drops one; few at a time, so that most writes are refused nothing.
    pub(crate) fn change_relation(&mut self) {
        if self.random.percent(10 + 25 * self.world.relations.len()) {
            return self.drop_relation();
        }
        let relation = Relation {
            name: self.random.pick(&NAMES).to_owned(),
            child: self.table_name().to_lowercase(),
            parent: self.table_name().to_lowercase(),
            keys: self.random.pick(&KEYS),
            cascades: self.random.percent(60),
        };
        self.note(format!("{relation:?}"));
        let done = self.store.create_relation(&relation.declaration());
        let expected = Rc::make_mut(&mut self.world).create_relation(relation);
        self.check_relation_change("made", expected, done);
    }

    fn drop_relation(&mut self) {
        let known = &self.world.relations;
        let (child, name) = match known.is_empty() {
            true => (self.table_name().to_lowercase(), NAMES[0].to_owned()),
            false => {
                let relation = self.random.pick(known);
                (relation.child, relation.name)
            }
        };
        self.note(format!("drop relation {name} of {child}"));
        let done = self.store.drop_relation(&child, &name);
        let expected = Rc::make_mut(&mut self.world).drop_relation(&child, &name);
        self.check_relation_change("dropped", expected, done);
    }

    fn check_relation_change(&mut self, what: &str, expected: Result<(), Failure>, done: entable::Result<()>) {
        self.tally.count(match &expected {
            Ok(()) => format!("relation: {what}"),
            Err((code, _)) => format!("relation: {}", code.name()),
        });
        let shown = format!("{done:?}");
        assert_eq!(done.map_err(|error| (error.code(), None)), expected, "{shown}");
    }

    /// Deletes or unlinks what linked nowhere before a relation was declared.
    pub(crate) fn repair_orphans(&mut self) {
        if self.world.relations.is_empty() {
            return;
        }
        let relation = self.random.pick(&self.world.relations);
        let orphans = self.world.orphans(&relation);
        let repair = if self.random.percent(50) { Repair::Delete } else { Repair::Unlink };
        self.note(format!("{repair:?} {} orphans of {relation:?}", orphans.len()));
        let table = self.store.table(&relation.child).expect("a name");
        let repaired = table.repair_orphans(&relation.name, repair).map_err(|error| error.code());
        let mut before = Undo::new();
        let world = Rc::make_mut(&mut self.world);
        let expected = match repair {
            Repair::Delete => world.delete_orphans(&mut before, &relation.child, &orphans),
            Repair::Unlink => world.unlink(&mut before, &relation, &orphans),
        };
        assert_eq!(repaired, expected, "{repair:?} {relation:?}");
        if expected.is_ok_and(|count| count > 0) {
            self.tally
                .count(format!("relation: {} orphans", if repair == Repair::Delete { "deleted" } else { "unlinked" }));
        }
        self.note_changed(&before);
        // What was written has a Timestamp that nobody was told.
        let rows = &mut Rc::make_mut(&mut self.world).tables.get_mut(&relation.child).expect("a table").rows;
        for row in rows.values_mut().filter(|row| row.timestamp == 0) {
            let stored = table.get_entity(&row.partition_key, &row.row_key).expect("a row");
            row.timestamp = stored.timestamp().expect("a Timestamp").ticks();
        }
    }

    /// The relations of a table are those of the model, and so are their children and orphans.
    pub(crate) fn check_relations(&mut self, table: &Table) {
        let (name, handle) = (table.name.to_lowercase(), self.store.table(&table.name).expect("a name"));
        let expected: Vec<_> = self.world.relations.iter().filter(|relation| relation.child == name).cloned().collect();
        let found = handle.relations().expect("the relations");
        let folded = |relation: &entable::Relation| {
            let (pk, rk) = relation.properties();
            let relation = entable::Relation::new(
                relation.name(),
                relation.child().to_lowercase(),
                relation.parent().to_lowercase(),
            )
            .keys(pk, rk)
            .on_delete(relation.deletes());
            format!("{relation:?}")
        };
        assert_eq!(
            found.iter().map(folded).collect::<Vec<_>>(),
            expected.iter().map(|relation| format!("{:?}", relation.declaration())).collect::<Vec<_>>()
        );
        for relation in expected {
            let orphans = handle.orphans(&relation.name, usize::MAX).expect("the orphans");
            let found: Vec<_> = orphans.iter().map(|orphan| key(&orphan.partition_key, &orphan.row_key)).collect();
            assert_eq!(found, self.world.orphans(&relation), "orphans of {relation:?}");
            self.tally.count(if found.is_empty() { "relation: no orphans" } else { "relation: orphans" });
            for (parent, row) in &self.world.tables[&relation.parent].rows {
                let children = handle.linked(&relation.name, &row.partition_key, &row.row_key).expect("the children");
                let found = children.map(|child| child.map(|child| key(child.partition_key(), child.row_key())));
                let found: Vec<_> = found.collect::<entable::Result<_>>().expect("the children");
                assert_eq!(found, self.world.children(&relation, parent), "children of {row:?} by {relation:?}");
                if !found.is_empty() {
                    self.tally.count("relation: children");
                }
            }
        }
    }
}

impl World {
    fn create_relation(&mut self, relation: Relation) -> Result<(), Failure> {
        self.table(&relation.child).and(self.table(&relation.parent))?;
        if self.relations.iter().any(|known| (&known.child, &known.name) == (&relation.child, &relation.name)) {
            return Err((ErrorCode::RelationAlreadyExists, None));
        }
        if let Some(index) = relation.index() {
            let indexes = &mut self.tables.get_mut(&relation.child).expect("a table").indexes;
            // One that was left when a table of parents was deleted.
            match indexes.iter().find(|known| known.name == index.name) {
                Some(known) if *known != index => return Err((ErrorCode::IndexAlreadyExists, None)),
                Some(_) => {}
                None => indexes.push(index),
            }
        }
        self.relations.push(relation);
        Ok(())
    }

    fn drop_relation(&mut self, child: &str, name: &str) -> Result<(), Failure> {
        self.table(child)?;
        let at = self.relations.iter().position(|known| known.child == child && known.name == name);
        let relation = self.relations.remove(at.ok_or((ErrorCode::RelationNotFound, None))?);
        if relation.index().is_some() {
            self.tables.get_mut(child).expect("a table").indexes.retain(|index| index.name != name);
        }
        Ok(())
    }

    /// Deletes those that are still there when their turn comes.
    fn delete_orphans(&mut self, before: &mut Undo, table: &str, orphans: &[Key]) -> Result<u64, ErrorCode> {
        let (mut undo, mut count) = (Undo::new(), 0);
        for key in orphans {
            if !self.tables[table].rows.contains_key(key) {
                continue;
            }
            count += 1;
            if let Err(code) = self.delete(&mut undo, table, key.clone()) {
                self.restore(undo);
                return Err(code);
            }
        }
        before.extend(undo);
        Ok(count)
    }

    /// Takes the properties of a relation away; keys cannot be.
    fn unlink(&mut self, before: &mut Undo, relation: &Relation, orphans: &[Key]) -> Result<u64, ErrorCode> {
        let names = [relation.keys.0, relation.keys.1];
        if names.iter().all(|name| name.ends_with("Key")) {
            return Err(ErrorCode::InvalidInput);
        }
        for key in orphans {
            let mut row = self.tables[&relation.child].rows[key].clone();
            row.properties.retain(|name, _| !names.contains(&name.as_str()));
            row.timestamp = 0;
            self.set(before, &relation.child, key.clone(), Some(row));
        }
        Ok(orphans.len() as u64)
    }
}
