//! Relations, as users call them: declared and dropped, followed both ways, and repaired.

use crate::catalog::{Link, TableView};
use crate::codec::key::{split_row_key, unmap};
use crate::entities::Entities;
use crate::filter::property;
use crate::maintain::{orphans, sweep};
use crate::model::names::{PARTITION_KEY, ROW_KEY};
use crate::relation::{Relation, Target};
use crate::store::Store;
use crate::table::Table;
use crate::{Entity, Error, ErrorCode, Query, Result, TableName, UpdateMode};
use std::sync::Arc;

/// Orphans that one transaction repairs.
const REPAIRED_AT_A_TIME: usize = 1_000;

/// A child whose parent is not there: [`Table::orphans`].
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Orphan {
    /// Its PartitionKey.
    pub partition_key: String,
    /// Its RowKey.
    pub row_key: String,
    /// PartitionKey and RowKey of the parent that is not there.
    pub target: (String, String),
}

/// What is done with orphans.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Repair {
    /// They are deleted.
    Delete,
    /// The properties that link them are removed.
    Unlink,
}

impl Store {
    /// Declares a relation: from now on no write of either table leaves a link that leads nowhere, in whatever way it comes.
    ///
    /// A child may be stored if its parent is there, or was stored before it in the same transaction. A child whose link stays
    /// as it was may be written although its parent is missing: what was there before is not looked at, and
    /// [`Table::orphans`] finds it. Where the children of a parent are not one range of keys by themselves, an index of the
    /// relation's name is made first; it belongs to the relation, and goes with it.
    ///
    /// Deleting one of the two tables ends the relation.
    ///
    /// # Errors
    /// [`ErrorCode::RelationAlreadyExists`]; [`ErrorCode::TableNotFound`]; [`ErrorCode::InvalidInput`] for a declaration that
    /// breaks a rule of [`Relation`], or a table with 64; those of [`Table::create_index`].
    ///
    /// # Example
    /// See [`relation`](crate::relation).
    pub fn create_relation(&self, relation: &Relation) -> Result<()> {
        if self.declare_relation(relation)? {
            return Ok(());
        }
        let fact = format!("Its name is '{}'.", relation.name());
        Err(Error::new(ErrorCode::RelationAlreadyExists).fact(fact).relation(relation.name()).table(relation.child()))
    }

    /// As [`Store::create_relation`], but a relation that is there already, of the same definition, is no error.
    ///
    /// # Errors
    /// As [`Store::create_relation`].
    pub fn create_relation_if_not_exists(&self, relation: &Relation) -> Result<()> {
        self.declare_relation(relation).map(drop)
    }

    /// Tells whether it was not there.
    fn declare_relation(&self, relation: &Relation) -> Result<bool> {
        let named = |error: Error| error.relation(relation.name()).table(relation.child());
        relation.check(self.mode().limits()).map_err(named)?;
        let (child, parent) = (self.table(relation.child())?, TableName::new(relation.parent())?);
        // Before anything is made.
        if !self.table(relation.parent())?.is_there()? {
            return Err(Error::new(ErrorCode::TableNotFound).table(relation.parent()));
        }
        let known = child.relations()?.into_iter().find(|known| known.name() == relation.name());
        if known.is_none()
            && let Some(index) = relation.index()
        {
            child.create_index_if_not_exists(index).map_err(named)?;
        }
        let (child, declared) = (child.table_name().clone(), relation.clone());
        self.write(move |edit| edit.create_relation((&child, &parent), &declared)).map_err(named)
    }

    /// Drops a relation of a table of children, and its index: links may lead anywhere from now on.
    ///
    /// # Errors
    /// [`ErrorCode::RelationNotFound`]; [`ErrorCode::TableNotFound`].
    pub fn drop_relation(&self, child: &str, name: &str) -> Result<()> {
        let (table, relation) = (TableName::new(child)?, name.to_owned());
        if self.write(move |edit| edit.drop_relation(&table, &relation))? {
            sweep::start(Arc::downgrade(&self.live()?));
            return Ok(());
        }
        Err(no_relation(name).table(child))
    }
}

fn no_relation(name: &str) -> Error {
    Error::new(ErrorCode::RelationNotFound).fact(format!("Its name is '{name}'.")).relation(name)
}

impl Table {
    /// The relations in which the table's entities are children, in the order in which they were declared.
    ///
    /// # Errors
    /// [`ErrorCode::TableNotFound`].
    pub fn relations(&self) -> Result<Vec<Relation>> {
        self.on_table(|target| {
            let relation = |link: &Arc<Link>| Relation::of(&link.record, self.name(), link.other.as_str());
            Ok(target.table.parents().map(relation).collect())
        })
    }

    fn relation(&self, name: &str) -> Result<Relation> {
        let found = self.relations()?.into_iter().find(|relation| relation.name() == name);
        found.ok_or_else(|| no_relation(name).table(self.name()))
    }

    /// The query for the children of a parent, to be paged, filtered further by hand, or counted: one range read.
    ///
    /// # Errors
    /// [`ErrorCode::RelationNotFound`]; [`ErrorCode::TableNotFound`].
    pub fn linked_query(&self, relation: &str, partition_key: &str, row_key: &str) -> Result<Query> {
        let relation = self.relation(relation)?;
        let (of_partition, of_row) = relation.properties();
        Ok(Query::built(property(of_partition).eq(partition_key).and(property(of_row).eq(row_key))))
    }

    /// The children of a parent, in the order of their keys.
    ///
    /// # Errors
    /// As [`Table::linked_query`].
    pub fn linked(&self, relation: &str, partition_key: &str, row_key: &str) -> Result<Entities> {
        self.query_entities(self.linked_query(relation, partition_key, row_key)?)
    }

    /// The parent of one of the table's entities; `None` if it has none.
    ///
    /// # Errors
    /// [`ErrorCode::ResourceNotFound`] if the entity is not there; [`ErrorCode::RelationNotFound`];
    /// [`ErrorCode::TableNotFound`].
    pub fn parent_of(&self, relation: &str, partition_key: &str, row_key: &str) -> Result<Option<Entity>> {
        let (parent, entity) = (self.relation(relation)?, self.get_entity(partition_key, row_key)?);
        let (of_partition, of_row) = parent.properties();
        let text = |name: &str| match name {
            PARTITION_KEY => Some(partition_key.to_owned()),
            ROW_KEY => Some(row_key.to_owned()),
            name => entity.get(name).and_then(|value| value.as_str()).map(str::to_owned),
        };
        let (Some(partition_key), Some(row_key)) = (text(of_partition), text(of_row)) else { return Ok(None) };
        match self.store().table(parent.parent())?.get_entity(&partition_key, &row_key) {
            Ok(entity) => Ok(Some(entity)),
            Err(error) if error.code() == ErrorCode::ResourceNotFound || is_no_key(&error) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Links an entity of the table to a parent: writes the properties of the relation into it.
    ///
    /// # Errors
    /// [`ErrorCode::LinkTargetNotFound`] if there is no such parent; [`ErrorCode::ResourceNotFound`] if the entity is not there;
    /// [`ErrorCode::InvalidInput`] if a key of the entity links it elsewhere; [`ErrorCode::RelationNotFound`].
    pub fn link(&self, relation: &str, child: (&str, &str), parent: (&str, &str)) -> Result<()> {
        let relation = self.relation(relation)?;
        let (of_partition, of_row) = relation.properties();
        let mut entity = Entity::new(child.0, child.1);
        for (name, value) in [(of_partition, parent.0), (of_row, parent.1)] {
            let own = match name {
                PARTITION_KEY => child.0,
                ROW_KEY => child.1,
                name => {
                    entity.insert(name, value);
                    continue;
                }
            };
            if own != value {
                let fact = format!("The entity is linked by its {name}, which does not change, to '{own}'.");
                let error = Error::invalid(fact).property(name).relation(relation.name());
                return Err(error.table(self.name()).keys(child.0, child.1));
            }
        }
        self.update_entity(entity, UpdateMode::Merge).map(drop)
    }

    /// Removes the properties that link an entity of the table to its parent. Tells whether it was linked.
    ///
    /// # Errors
    /// [`ErrorCode::InvalidInput`] if its keys alone link it; [`ErrorCode::ResourceNotFound`]; [`ErrorCode::RelationNotFound`].
    pub fn unlink(&self, relation: &str, partition_key: &str, row_key: &str) -> Result<bool> {
        let relation = self.relation(relation)?;
        let names = removable(&relation).map_err(|error| error.table(self.name()).keys(partition_key, row_key))?;
        self.store().transaction(|transaction| {
            let table = transaction.table(self.name())?;
            let mut entity = table.get_entity(partition_key, row_key)?;
            let was_linked = names.iter().filter(|name| entity.remove(name).is_some()).count() == names.len();
            table.update_entity(entity, UpdateMode::Replace)?;
            Ok(was_linked)
        })
    }

    /// The table's entities whose parents are not there, at most so many, in the order of their keys. Looks at every entity,
    /// some thousand from one moment each.
    ///
    /// # Errors
    /// [`ErrorCode::RelationNotFound`]; [`ErrorCode::TableNotFound`].
    pub fn orphans(&self, relation: &str, most: usize) -> Result<Vec<Orphan>> {
        let (mut found, mut after) = (Vec::new(), None);
        loop {
            let (orphans, next) = self.orphans_after(relation, after)?;
            found.extend(orphans);
            if found.len() >= most || next.is_none() {
                found.truncate(most);
                return Ok(found);
            }
            after = next;
        }
    }

    fn orphans_after(&self, relation: &str, after: Option<Vec<u8>>) -> Result<(Vec<Orphan>, Option<Vec<u8>>)> {
        let (found, next) = self.on_table(|target| {
            let link = linked_by(target.table, relation).map_err(|error| error.table(self.name()))?;
            orphans::step(target.txn, target.table, link, after)
        })?;
        let orphan = |found: orphans::Found| {
            let parts = split_row_key(&found.key)?;
            let Target { partition_key, row_key } = found.target;
            Ok(Orphan {
                partition_key: unmap(parts.partition_key)?.into_owned(),
                row_key: unmap(parts.row_key)?.into_owned(),
                target: (partition_key, row_key),
            })
        };
        Ok((found.into_iter().map(orphan).collect::<Result<_>>()?, next))
    }

    /// Repairs all orphans of a relation, in steps of a thousand, and tells how many there were. One that has found its
    /// parent meanwhile is left alone.
    ///
    /// # Errors
    /// As [`Table::orphans`]; [`ErrorCode::InvalidInput`] to unlink what its keys alone link; where orphans have children of
    /// their own, what their delete is refused for.
    pub fn repair_orphans(&self, relation: &str, repair: Repair) -> Result<u64> {
        let declared = self.relation(relation)?;
        let names = match repair {
            Repair::Delete => Vec::new(),
            Repair::Unlink => removable(&declared).map_err(|error| error.table(self.name()))?,
        };
        let parents = TableName::new(declared.parent())?;
        let (mut repaired, mut after) = (0, None);
        loop {
            let (orphans, next) = self.orphans_after(relation, after)?;
            for some in orphans.chunks(REPAIRED_AT_A_TIME) {
                repaired += self.store().transaction(|transaction| {
                    let (table, parents) = (transaction.table(self.name())?, transaction.table(parents.as_str())?);
                    let mut count = 0;
                    for Orphan { partition_key, row_key, target } in some {
                        let known = table.get_many([(partition_key, row_key)])?.pop().flatten();
                        let Some(mut entity) = known else { continue };
                        match parents.exists(&target.0, &target.1) {
                            Ok(true) => continue,
                            Ok(false) => {}
                            Err(error) if is_no_key(&error) => {}
                            Err(error) => return Err(error),
                        }
                        count += 1;
                        match repair {
                            Repair::Delete => table.delete_entity(partition_key, row_key)?,
                            Repair::Unlink => {
                                names.iter().for_each(|name| drop(entity.remove(name)));
                                table.update_entity(entity, UpdateMode::Replace)?;
                            }
                        }
                    }
                    Ok(count)
                })?;
            }
            match next {
                Some(key) => after = Some(key),
                None => return Ok(repaired),
            }
        }
    }
}

/// Whether what was looked for can be nobody's key.
fn is_no_key(error: &Error) -> bool {
    matches!(error.code(), ErrorCode::OutOfRangeInput | ErrorCode::KeyValueTooLarge)
}

fn linked_by<'t>(table: &'t TableView, relation: &str) -> Result<&'t Arc<Link>> {
    table.relation(relation).ok_or_else(|| no_relation(relation))
}

/// The properties that can be taken from a child, so that it is linked no more.
fn removable(relation: &Relation) -> Result<Vec<String>> {
    let (of_partition, of_row) = relation.properties();
    let names = [of_partition, of_row].into_iter().filter(|name| !matches!(*name, PARTITION_KEY | ROW_KEY));
    let names: Vec<String> = names.map(str::to_owned).collect();
    if names.is_empty() {
        let fact = "The keys of the entity link it, which do not change: delete it.";
        return Err(Error::invalid(fact).relation(relation.name()));
    }
    Ok(names)
}
