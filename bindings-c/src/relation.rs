//! Relations: declared, followed both ways, and repaired.

#![allow(unsafe_code, reason = "C calls these functions by their names")]

use crate::boundary::{answer, boundary, free, optional_output, output, put, required};
use crate::entity::entable_entity;
use crate::error::{Result, entable_error};
use crate::place::Answer;
use crate::query::{entable_entities, entable_query};
use crate::store::entable_store;
use crate::table::entable_table;
use crate::text::entable_str;
use entable::{OnDelete, Orphan, Relation, Repair};
use std::mem::MaybeUninit;

/// What becomes of the children of a parent that is deleted.
#[repr(u32)]
#[derive(Clone, Copy)]
pub enum entable_on_delete {
    /// The delete is refused with ENTABLE_LINKED_ENTITIES_EXIST. The default.
    ENTABLE_ON_DELETE_REFUSE = 0,
    /// They are deleted with it, and their own children with them.
    ENTABLE_ON_DELETE_CASCADE = 1,
}

/// What C hands in where an `entable_on_delete` belongs: any number.
pub(crate) type RawOnDelete = u32;

/// What is done with children whose parent is not there. It has to be given: 0 is an error.
#[repr(u32)]
#[derive(Clone, Copy)]
pub enum entable_repair {
    /// They are deleted.
    ENTABLE_REPAIR_DELETE = 1,
    /// The properties that link them are removed.
    ENTABLE_REPAIR_UNLINK = 2,
}

/// What C hands in where an `entable_repair` belongs: any number.
pub(crate) type RawRepair = u32;

impl entable_on_delete {
    pub(crate) fn on_delete(raw: RawOnDelete) -> Result<OnDelete> {
        const REFUSE: u32 = entable_on_delete::ENTABLE_ON_DELETE_REFUSE as u32;
        const CASCADE: u32 = entable_on_delete::ENTABLE_ON_DELETE_CASCADE as u32;
        match raw {
            REFUSE => Ok(OnDelete::Refuse),
            CASCADE => Ok(OnDelete::Cascade),
            _ => Err(entable_error::misuse("on_delete", "It is none of enum entable_on_delete.")),
        }
    }
}

impl entable_repair {
    fn repair(raw: RawRepair) -> Result<Repair> {
        const DELETE: u32 = entable_repair::ENTABLE_REPAIR_DELETE as u32;
        const UNLINK: u32 = entable_repair::ENTABLE_REPAIR_UNLINK as u32;
        match raw {
            DELETE => Ok(Repair::Delete),
            UNLINK => Ok(Repair::Unlink),
            _ => Err(entable_error::misuse("repair", "It is none of enum entable_repair.")),
        }
    }
}

/// A relation: entities of one table, the children, have parents in another, or in the same. Texts are borrowed.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct entable_relation {
    /// Its name, one of its own among the relations of the table of the children.
    pub name: entable_str,
    /// The table of the children.
    pub child: entable_str,
    /// The table of the parents.
    pub parent: entable_str,
    /// The property of a child that is its parent's PartitionKey: a String, or a key of its own. Without text (`data` is
    /// NULL) its PartitionKey.
    pub partition_key: entable_str,
    /// The property of a child that is its parent's RowKey. Without text its RowKey.
    pub row_key: entable_str,
    /// What becomes of the children of a parent that is deleted.
    pub on_delete: RawOnDelete,
}

impl Default for entable_relation {
    fn default() -> Self {
        let none = entable_str::default();
        let on_delete = entable_on_delete::ENTABLE_ON_DELETE_REFUSE as RawOnDelete;
        entable_relation { name: none, child: none, parent: none, partition_key: none, row_key: none, on_delete }
    }
}

impl entable_relation {
    fn relation(&self) -> Result<Relation> {
        let relation = Relation::new(self.name.text("name")?, self.child.text("child")?, self.parent.text("parent")?);
        let (pk, rk) = relation.properties();
        let (pk, rk) = (self.partition_key.text_or("partition_key", pk)?, self.row_key.text_or("row_key", rk)?);
        let (pk, rk) = (pk.to_owned(), rk.to_owned());
        Ok(relation.keys(pk, rk).on_delete(entable_on_delete::on_delete(self.on_delete)?))
    }
}

impl From<&Relation> for entable_relation {
    fn from(relation: &Relation) -> Self {
        let (partition_key, row_key) = relation.properties();
        entable_relation {
            name: relation.name().into(),
            child: relation.child().into(),
            parent: relation.parent().into(),
            partition_key: partition_key.into(),
            row_key: row_key.into(),
            on_delete: match relation.deletes() {
                OnDelete::Refuse => entable_on_delete::ENTABLE_ON_DELETE_REFUSE,
                OnDelete::Cascade => entable_on_delete::ENTABLE_ON_DELETE_CASCADE,
            } as RawOnDelete,
        }
    }
}

/// The relations of a table. Yours: free them with `entable_relations_free`. They never change, so any thread may read
/// them.
pub struct entable_relations(Vec<Relation>);

/// A child whose parent is not there. Texts are views of the list.
#[repr(C)]
#[derive(Clone, Copy, Default)]
pub struct entable_orphan {
    /// Its PartitionKey.
    pub partition_key: entable_str,
    /// Its RowKey.
    pub row_key: entable_str,
    /// The PartitionKey of the parent that is not there.
    pub target_partition_key: entable_str,
    /// The RowKey of the parent that is not there.
    pub target_row_key: entable_str,
}

/// Children whose parents are not there. Yours: free them with `entable_orphans_free`. They never change, so any thread
/// may read them.
pub struct entable_orphans(Vec<Orphan>);

/// Declares a relation: from now on no write of either table leaves a link that leads nowhere, in whatever way it comes.
/// All zero but the three names is a relation whose children have their parents' keys. The declaration is copied. Any
/// thread.
///
/// A child may be stored if its parent is there, or was stored before it in the same transaction. A child whose link
/// stays as it was may be written although its parent is missing: `entable_table_orphans` finds it. Where the children of
/// a parent are not one range of keys by themselves, an index of the relation's name is made first; it goes with the
/// relation. Deleting one of the two tables ends it.
///
/// Errors: ENTABLE_RELATION_ALREADY_EXISTS, ENTABLE_TABLE_NOT_FOUND, ENTABLE_INVALID_INPUT for what is wrong in the
/// declaration and for a table with 64 relations; those of `entable_table_create_index`. The error is yours to free.
#[unsafe(no_mangle)]
pub extern "C" fn entable_store_create_relation(
    store: Option<&entable_store>,
    relation: Option<&entable_relation>,
) -> Option<Box<entable_error>> {
    boundary(|| {
        let relation = required(relation, "relation")?.relation()?;
        Ok(required(store, "store")?.0.create_relation(&relation)?)
    })
}

/// Declares a relation, if it is not there with the same declaration. ENTABLE_RELATION_ALREADY_EXISTS if it is there with
/// another. Otherwise as `entable_store_create_relation`.
#[unsafe(no_mangle)]
pub extern "C" fn entable_store_create_relation_if_not_exists(
    store: Option<&entable_store>,
    relation: Option<&entable_relation>,
) -> Option<Box<entable_error>> {
    boundary(|| {
        let relation = required(relation, "relation")?.relation()?;
        Ok(required(store, "store")?.0.create_relation_if_not_exists(&relation)?)
    })
}

/// Drops a relation of the table of children of this name, and its index: links may lead anywhere from now on. Any thread.
///
/// Errors: ENTABLE_RELATION_NOT_FOUND, ENTABLE_TABLE_NOT_FOUND. The error is yours to free.
#[unsafe(no_mangle)]
pub extern "C" fn entable_store_drop_relation(
    store: Option<&entable_store>,
    child: entable_str,
    relation: entable_str,
) -> Option<Box<entable_error>> {
    boundary(|| {
        let (child, relation) = (child.text("child")?, relation.text("relation")?);
        Ok(required(store, "store")?.0.drop_relation(child, relation)?)
    })
}

/// The relations in which the table's entities are children, in the order in which they were declared. Not in a
/// transaction, as all that is about relations: there the writes themselves are held to them.
///
/// `*relations` is yours once the call returns NULL, else NULL. Any thread.
///
/// Errors: ENTABLE_TABLE_NOT_FOUND. The error is yours to free.
#[unsafe(no_mangle)]
pub extern "C" fn entable_table_relations(
    table: Option<&entable_table>,
    relations: Option<&mut MaybeUninit<Option<Box<entable_relations>>>>,
) -> Option<Box<entable_error>> {
    boundary(|| {
        let place = output(relations, "relations")?;
        *place = Some(Box::new(entable_relations(required(table, "table")?.0.outside()?.relations()?)));
        Ok(())
    })
}

/// How many relations there are; 0 for NULL. Any thread.
#[unsafe(no_mangle)]
pub extern "C" fn entable_relations_count(relations: Option<&entable_relations>) -> usize {
    answer(0, || Some(relations?.0.len()))
}

/// Whether there is a relation at `index`, from 0; writes it to `relation`, which may be NULL. Its texts are good until the
/// list is freed. Any thread.
#[unsafe(no_mangle)]
pub extern "C" fn entable_relations_at(
    relations: Option<&entable_relations>,
    index: usize,
    relation: Option<&mut MaybeUninit<entable_relation>>,
) -> bool {
    answer(false, || {
        let place = optional_output(relation);
        put(place, relations?.0.get(index)?.into());
        Some(true)
    })
}

/// Frees a list of relations. NULL is fine. Once.
#[unsafe(no_mangle)]
pub extern "C" fn entable_relations_free(relations: Option<Box<entable_relations>>) {
    free(relations);
}

/// The children of a parent in this relation of the table, in the order of their keys: one range read. By pages, counted,
/// or some properties of them: `entable_table_linked_query`.
///
/// `*entities` is yours once the call returns NULL, else NULL. Any thread.
///
/// Errors: ENTABLE_RELATION_NOT_FOUND, ENTABLE_TABLE_NOT_FOUND. The error is yours to free.
#[unsafe(no_mangle)]
pub extern "C" fn entable_table_linked(
    table: Option<&entable_table>,
    relation: entable_str,
    partition_key: entable_str,
    row_key: entable_str,
    entities: Option<&mut MaybeUninit<Option<Box<entable_entities>>>>,
) -> Option<Box<entable_error>> {
    boundary(|| {
        let place = output(entities, "entities")?;
        let (partition_key, row_key) = (partition_key.text("partition_key")?, row_key.text("row_key")?);
        let table = required(table, "table")?.0.outside()?;
        let children = table.linked(relation.text("relation")?, partition_key, row_key)?;
        *place = Some(Box::new(Answer::Store(children.by_page()).into()));
        Ok(())
    })
}

/// The question for the children of a parent in this relation of the table: to be asked of the table, by pages say.
///
/// `*query` is yours once the call returns NULL, else NULL. Any thread. Errors: as `entable_table_linked`.
#[unsafe(no_mangle)]
pub extern "C" fn entable_table_linked_query(
    table: Option<&entable_table>,
    relation: entable_str,
    partition_key: entable_str,
    row_key: entable_str,
    query: Option<&mut MaybeUninit<Option<Box<entable_query>>>>,
) -> Option<Box<entable_error>> {
    boundary(|| {
        let place = output(query, "query")?;
        let (partition_key, row_key) = (partition_key.text("partition_key")?, row_key.text("row_key")?);
        let table = required(table, "table")?.0.outside()?;
        let question = table.linked_query(relation.text("relation")?, partition_key, row_key)?;
        *place = Some(Box::new(entable_query::of(question)));
        Ok(())
    })
}

/// The parent in this relation of the entity of the table with these keys.
///
/// `*parent` is yours once the call returns NULL; NULL if the entity has none. Any thread.
///
/// Errors: ENTABLE_RESOURCE_NOT_FOUND if the entity itself is not there, ENTABLE_RELATION_NOT_FOUND,
/// ENTABLE_TABLE_NOT_FOUND. The error is yours to free.
#[unsafe(no_mangle)]
pub extern "C" fn entable_table_parent_of(
    table: Option<&entable_table>,
    relation: entable_str,
    partition_key: entable_str,
    row_key: entable_str,
    parent: Option<&mut MaybeUninit<Option<Box<entable_entity>>>>,
) -> Option<Box<entable_error>> {
    boundary(|| {
        let place = output(parent, "parent")?;
        let (partition_key, row_key) = (partition_key.text("partition_key")?, row_key.text("row_key")?);
        let table = required(table, "table")?.0.outside()?;
        let found = table.parent_of(relation.text("relation")?, partition_key, row_key)?;
        *place = found.map(|found| Box::new(found.into()));
        Ok(())
    })
}

/// Links an entity of the table to a parent: writes the properties of the relation into it. Any thread.
///
/// Errors: ENTABLE_LINK_TARGET_NOT_FOUND if there is no such parent, ENTABLE_RESOURCE_NOT_FOUND if the entity is not there,
/// ENTABLE_INVALID_INPUT if a key of the entity links it elsewhere, ENTABLE_RELATION_NOT_FOUND, ENTABLE_TABLE_NOT_FOUND. The error is yours to
/// free.
#[unsafe(no_mangle)]
pub extern "C" fn entable_table_link(
    table: Option<&entable_table>,
    relation: entable_str,
    partition_key: entable_str,
    row_key: entable_str,
    parent_partition_key: entable_str,
    parent_row_key: entable_str,
) -> Option<Box<entable_error>> {
    boundary(|| {
        let child = (partition_key.text("partition_key")?, row_key.text("row_key")?);
        let parent = (parent_partition_key.text("parent_partition_key")?, parent_row_key.text("parent_row_key")?);
        let table = required(table, "table")?.0.outside()?;
        Ok(table.link(relation.text("relation")?, child, parent)?)
    })
}

/// Removes the properties that link an entity of the table to its parent. `was_linked` may be NULL; else it gets whether it
/// was linked. Any thread.
///
/// Errors: ENTABLE_INVALID_INPUT if its keys alone link it, ENTABLE_RESOURCE_NOT_FOUND, ENTABLE_RELATION_NOT_FOUND,
/// ENTABLE_TABLE_NOT_FOUND. The error is yours to free.
#[unsafe(no_mangle)]
pub extern "C" fn entable_table_unlink(
    table: Option<&entable_table>,
    relation: entable_str,
    partition_key: entable_str,
    row_key: entable_str,
    was_linked: Option<&mut MaybeUninit<bool>>,
) -> Option<Box<entable_error>> {
    boundary(|| {
        let place = optional_output(was_linked);
        let (partition_key, row_key) = (partition_key.text("partition_key")?, row_key.text("row_key")?);
        let table = required(table, "table")?.0.outside()?;
        put(place, table.unlink(relation.text("relation")?, partition_key, row_key)?);
        Ok(())
    })
}

/// The table's entities whose parents are not there, at most `most`, in the order of their keys. Looks at every entity,
/// some thousand from one moment each.
///
/// `*orphans` is yours once the call returns NULL, else NULL. Any thread.
///
/// Errors: ENTABLE_RELATION_NOT_FOUND, ENTABLE_TABLE_NOT_FOUND. The error is yours to free.
#[unsafe(no_mangle)]
pub extern "C" fn entable_table_orphans(
    table: Option<&entable_table>,
    relation: entable_str,
    most: usize,
    orphans: Option<&mut MaybeUninit<Option<Box<entable_orphans>>>>,
) -> Option<Box<entable_error>> {
    boundary(|| {
        let place = output(orphans, "orphans")?;
        let relation = relation.text("relation")?;
        *place = Some(Box::new(entable_orphans(required(table, "table")?.0.outside()?.orphans(relation, most)?)));
        Ok(())
    })
}

/// How many orphans there are; 0 for NULL. Any thread.
#[unsafe(no_mangle)]
pub extern "C" fn entable_orphans_count(orphans: Option<&entable_orphans>) -> usize {
    answer(0, || Some(orphans?.0.len()))
}

/// Whether there is an orphan at `index`, from 0; writes it to `orphan`, which may be NULL. Its texts are good until the
/// list is freed. Any thread.
#[unsafe(no_mangle)]
pub extern "C" fn entable_orphans_at(
    orphans: Option<&entable_orphans>,
    index: usize,
    orphan: Option<&mut MaybeUninit<entable_orphan>>,
) -> bool {
    answer(false, || {
        let place = optional_output(orphan);
        let Orphan { partition_key, row_key, target, .. } = orphans?.0.get(index)?;
        let told = entable_orphan {
            partition_key: partition_key.as_str().into(),
            row_key: row_key.as_str().into(),
            target_partition_key: target.0.as_str().into(),
            target_row_key: target.1.as_str().into(),
        };
        put(place, told);
        Some(true)
    })
}

/// Frees a list of orphans. NULL is fine. Once.
#[unsafe(no_mangle)]
pub extern "C" fn entable_orphans_free(orphans: Option<Box<entable_orphans>>) {
    free(orphans);
}

/// Repairs all orphans of a relation, in steps of a thousand. One that has found its parent meanwhile is left alone.
/// `count` may be NULL; else it gets how many there were. Any thread.
///
/// Errors: as `entable_table_orphans`; ENTABLE_INVALID_INPUT for another number as repair, and to unlink what its keys alone
/// link; where orphans have children of their own, what their delete is refused for. The error is yours to free.
#[unsafe(no_mangle)]
pub extern "C" fn entable_table_repair_orphans(
    table: Option<&entable_table>,
    relation: entable_str,
    repair: RawRepair,
    count: Option<&mut MaybeUninit<u64>>,
) -> Option<Box<entable_error>> {
    boundary(|| {
        let (place, repair) = (optional_output(count), entable_repair::repair(repair)?);
        let table = required(table, "table")?.0.outside()?;
        put(place, table.repair_orphans(relation.text("relation")?, repair)?);
        Ok(())
    })
}
