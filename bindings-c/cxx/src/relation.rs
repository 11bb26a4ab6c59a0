//! Relations and tables of pairs.

use crate::batch::two_pairs;
use crate::bridge::{Orphan, Relation};
use crate::failure::{Raised, Result, boundary};
use crate::query::{Keys, Page, Pages};
use crate::store::Store;
use crate::table::Table;
use crate::value::{choose, text};
use entable::{ContinuationToken, OnDelete, Repair};
use entable_c::place::{Answer, Place};

type Done<T> = std::result::Result<T, Raised>;

fn on_delete(number: u8) -> Result<OnDelete> {
    choose(number, &[OnDelete::Refuse, OnDelete::Cascade], "on_delete")
}

/// The texts of keys, which errors name so.
fn keys<'a>(partition_key: &'a [u8], row_key: &'a [u8]) -> Result<(&'a str, &'a str)> {
    Ok((text(partition_key, "partition_key")?, text(row_key, "row_key")?))
}

impl Store {
    /// The keys are a pair of the properties that are the parent's keys, or none for the child's own.
    pub(crate) fn create_relation(
        &self,
        name: &[u8],
        child: &[u8],
        parent: &[u8],
        keys: &Keys,
        rule: u8,
        may_exist: bool,
    ) -> Done<()> {
        boundary(|| {
            let relation = entable::Relation::new(text(name, "name")?, text(child, "child")?, text(parent, "parent")?);
            let relation = relation.on_delete(on_delete(rule)?);
            let relation = match keys.0.first() {
                Some((partition_key, row_key)) => relation.keys(&**partition_key, &**row_key),
                None => relation,
            };
            match may_exist {
                true => self.0.create_relation_if_not_exists(&relation)?,
                false => self.0.create_relation(&relation)?,
            }
            Ok(())
        })
    }

    pub(crate) fn drop_relation(&self, child: &[u8], relation: &[u8]) -> Done<()> {
        boundary(|| Ok(self.0.drop_relation(text(child, "child")?, text(relation, "relation")?)?))
    }

    pub(crate) fn create_join(&self, name: &[u8], left: &[u8], right: &[u8], rule: u8) -> Done<Box<Join>> {
        boundary(|| {
            let (name, left, right) = (text(name, "name")?, text(left, "left")?, text(right, "right")?);
            Ok(Box::new(Join(self.0.create_join(name, left, right, on_delete(rule)?)?)))
        })
    }

    pub(crate) fn join(&self, name: &[u8]) -> Done<Box<Join>> {
        boundary(|| Ok(Box::new(Join(self.0.join(text(name, "name")?)?))))
    }
}

impl Table {
    pub(crate) fn relations(&self) -> Done<Vec<Relation>> {
        boundary(|| Ok(self.0.outside()?.relations()?.iter().map(listed).collect()))
    }

    pub(crate) fn linked(&self, relation: &[u8], partition_key: &[u8], row_key: &[u8]) -> Done<Box<Pages>> {
        boundary(|| {
            let (relation, (partition_key, row_key)) = (text(relation, "relation")?, keys(partition_key, row_key)?);
            let found = self.0.outside()?.linked(relation, partition_key, row_key)?;
            Ok(Box::new(Pages(Answer::Store(found.by_page()))))
        })
    }

    /// The text of the filter that asks for the children.
    pub(crate) fn linked_filter(&self, relation: &[u8], partition_key: &[u8], row_key: &[u8]) -> Done<String> {
        boundary(|| {
            let (relation, (partition_key, row_key)) = (text(relation, "relation")?, keys(partition_key, row_key)?);
            Ok(self.0.outside()?.linked_query(relation, partition_key, row_key)?.to_filter()?.to_string())
        })
    }

    /// A page of the parent, if there is one.
    pub(crate) fn parent_of(&self, relation: &[u8], partition_key: &[u8], row_key: &[u8]) -> Done<Box<Page>> {
        boundary(|| {
            let (relation, (partition_key, row_key)) = (text(relation, "relation")?, keys(partition_key, row_key)?);
            Ok(Box::new(Page::of_many(vec![self.0.outside()?.parent_of(relation, partition_key, row_key)?])))
        })
    }

    /// Of two pairs of keys: child and parent.
    pub(crate) fn link(&self, relation: &[u8], pair: &Keys) -> Done<()> {
        boundary(|| {
            let (child, parent) = two_pairs(pair)?;
            Ok(self.0.outside()?.link(text(relation, "relation")?, child, parent)?)
        })
    }

    pub(crate) fn unlink(&self, relation: &[u8], partition_key: &[u8], row_key: &[u8]) -> Done<bool> {
        boundary(|| {
            let (relation, (partition_key, row_key)) = (text(relation, "relation")?, keys(partition_key, row_key)?);
            Ok(self.0.outside()?.unlink(relation, partition_key, row_key)?)
        })
    }

    pub(crate) fn orphans(&self, relation: &[u8], most: usize) -> Done<Vec<Orphan>> {
        boundary(|| {
            let found = self.0.outside()?.orphans(text(relation, "relation")?, most)?;
            let orphan = |one: entable::Orphan| Orphan {
                partition_key: one.partition_key,
                row_key: one.row_key,
                target_partition_key: one.target.0,
                target_row_key: one.target.1,
            };
            Ok(found.into_iter().map(orphan).collect())
        })
    }

    pub(crate) fn repair_orphans(&self, relation: &[u8], repair: u8) -> Done<u64> {
        boundary(|| {
            let repair = choose(repair, &[Repair::Delete, Repair::Unlink], "repair")?;
            Ok(self.0.outside()?.repair_orphans(text(relation, "relation")?, repair)?)
        })
    }
}

fn listed(relation: &entable::Relation) -> Relation {
    let (partition_key, row_key) = relation.properties();
    Relation {
        name: relation.name().to_owned(),
        child: relation.child().to_owned(),
        parent: relation.parent().to_owned(),
        partition_key: partition_key.to_owned(),
        row_key: row_key.to_owned(),
        on_delete: match relation.deletes() {
            OnDelete::Refuse => 0,
            OnDelete::Cascade => 1,
        },
    }
}

/// A table of pairs.
pub(crate) struct Join(entable::Join);

fn token(given: &[u8]) -> Result<Option<ContinuationToken>> {
    match text(given, "token")? {
        "" => Ok(None),
        text => Ok(Some(text.parse()?)),
    }
}

impl Join {
    pub(crate) fn table(&self) -> Box<Table> {
        Box::new(Table(Place::Store(self.0.table().clone())))
    }

    /// Of two pairs of keys: left and right.
    pub(crate) fn link(&self, pair: &Keys) -> Done<bool> {
        boundary(|| {
            let (left, right) = two_pairs(pair)?;
            Ok(self.0.link(left, right)?)
        })
    }

    pub(crate) fn unlink(&self, pair: &Keys) -> Done<bool> {
        boundary(|| {
            let (left, right) = two_pairs(pair)?;
            Ok(self.0.unlink(left, right)?)
        })
    }

    pub(crate) fn is_linked(&self, pair: &Keys) -> Done<bool> {
        boundary(|| {
            let (left, right) = two_pairs(pair)?;
            Ok(self.0.is_linked(left, right)?)
        })
    }

    pub(crate) fn rights(&self, partition_key: &[u8], row_key: &[u8], size: usize, from: &[u8]) -> Done<Box<Page>> {
        boundary(|| Ok(Box::new(self.0.rights(keys(partition_key, row_key)?, size, token(from)?)?.into())))
    }

    pub(crate) fn lefts(&self, partition_key: &[u8], row_key: &[u8], size: usize, from: &[u8]) -> Done<Box<Page>> {
        boundary(|| Ok(Box::new(self.0.lefts(keys(partition_key, row_key)?, size, token(from)?)?.into())))
    }
}
