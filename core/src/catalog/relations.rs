//! Relations in a group that is being decided: declared, dropped, and held by the rows that it changes.

use super::edit::Edit;
use super::view::TableView;
use crate::codec::key::{split_row_key, unmap};
use crate::codec::record::{self, OnDelete, RelationRecord};
use crate::codec::row::Row;
use crate::limits::{CASCADE_ROWS, TABLE_RELATIONS};
use crate::relation::{self, Relation, Target};
use crate::storage::Space;
use crate::{Error, ErrorCode, Result, TableName, index};
use std::sync::Arc;

/// A relation, as one of its two tables has it.
#[derive(Clone, Debug)]
pub(crate) struct Link {
    pub(crate) record: RelationRecord,
    /// Whether the table is that of the children.
    pub(crate) is_of_child: bool,
    /// The other table.
    pub(crate) other: TableName,
}

impl TableView {
    /// The relations in which rows of the table are children.
    pub(crate) fn parents(&self) -> impl Iterator<Item = &Arc<Link>> {
        self.links.iter().filter(|link| link.is_of_child)
    }

    /// The relation of this name in which rows of the table are children.
    pub(crate) fn relation(&self, name: &str) -> Option<&Arc<Link>> {
        self.parents().find(|link| *link.record.name == *name)
    }

    /// Whether a relation finds children by this index.
    pub(crate) fn relates_by(&self, index: u32) -> bool {
        self.parents().any(|link| link.record.index == index)
    }

    /// What a row links to, a target for each relation in which it is a child.
    ///
    /// # Errors
    /// `InvalidInput` for what is no key.
    pub(super) fn targets(&self, key: &[u8], row: &Row<'_>) -> Result<Vec<Option<Target>>> {
        self.parents().map(|link| relation::link_of(&link.record, key, row)).collect()
    }
}

impl Edit<'_, '_> {
    /// Declares a relation, whose index is there. Of one that is there already, the same, nothing is done, and it is told.
    ///
    /// # Errors
    /// `TableNotFound`; `RelationAlreadyExists` for another of the name; `IndexNotFound`; `InvalidInput`.
    pub(crate) fn create_relation(&mut self, names: (&TableName, &TableName), relation: &Relation) -> Result<bool> {
        let (child, parent) = (self.table(names.0)?, self.table(names.1)?);
        if let Some(known) = child.relation(relation.name()) {
            if Relation::of(&known.record, relation.child(), relation.parent()) == *relation
                && known.record.parent == parent.id
            {
                return Ok(false);
            }
            return Err(Error::new(ErrorCode::RelationAlreadyExists)
                .fact(format!("It is '{}', and was declared otherwise.", relation.name())));
        }
        for view in [&child, &parent] {
            if view.links.len() >= TABLE_RELATIONS {
                let fact = format!("A table has at most {TABLE_RELATIONS} relations.");
                return Err(Error::invalid(fact).limit(TABLE_RELATIONS, view.links.len() + 1));
            }
        }
        let index = match relation.index() {
            None => 0,
            Some(wanted) => {
                let known = child.index(wanted.name()).filter(|known| wanted.is_ready_as(known));
                known.ok_or_else(|| Error::new(ErrorCode::IndexNotFound).index_name(wanted.name()))?.id
            }
        };
        let id = self.header.next_relation;
        self.header.next_relation =
            id.checked_add(1).ok_or_else(|| Error::new(ErrorCode::StoreFull).fact("No relation id is left."))?;
        let record = relation.record(id, child.id, parent.id, index);
        self.put_record(record::key::relation(child.id, id), |key| record.encode(key));
        self.put_record(record::key::related_by(parent.id, id), |key| record.encode(key));
        let link = |is_of_child, other: &TableName| Link { record: record.clone(), is_of_child, other: other.clone() };
        self.add_link(names.0, link(true, names.1))?;
        self.add_link(names.1, link(false, names.0))?;
        Ok(true)
    }

    fn add_link(&mut self, name: &TableName, link: Link) -> Result<()> {
        let mut view = TableView::clone(&*self.table(name)?);
        view.links.push(Arc::new(link));
        self.change_table(name, view).map(drop)
    }

    /// Takes a relation out of the catalog, and its index. Tells whether it was there.
    ///
    /// # Errors
    /// `TableNotFound`.
    pub(crate) fn drop_relation(&mut self, child: &TableName, name: &str) -> Result<bool> {
        let view = self.table(child)?;
        let Some(link) = view.relation(name).cloned() else { return Ok(false) };
        let RelationRecord { id, parent, index, .. } = link.record;
        self.overlay.delete(Space::Catalog, record::key::relation(view.id, id));
        self.overlay.delete(Space::Catalog, record::key::related_by(parent, id));
        for table in [child, &link.other] {
            let mut view = TableView::clone(&*self.table(table)?);
            let before = view.links.len();
            view.links.retain(|link| link.record.id != id);
            if view.links.len() < before {
                self.change_table(table, view)?;
            }
        }
        let index = view.indexes.iter().find(|known| known.id == index).map(|known| known.name.clone());
        if let Some(index) = index {
            self.drop_index(child, &index)?;
        }
        Ok(true)
    }

    /// Refuses a row that links to one that is not there. A link that stays as it was is not looked at.
    pub(super) fn check_links(
        &self,
        view: &TableView,
        key: &[u8],
        former: Vec<Option<Target>>,
        row: &[u8],
    ) -> Result<()> {
        if view.parents().next().is_none() {
            return Ok(());
        }
        let targets = view.targets(key, &Row::new(key, row, &view.shapes)?)?;
        let mut former = former.into_iter();
        for (link, target) in view.parents().zip(targets) {
            let before = former.next().flatten();
            let Some(target) = target.filter(|target| before.as_ref() != Some(target)) else { continue };
            let Target { partition_key, row_key } = &target;
            let of_target = target.key_in(link.record.parent);
            let is_there = match &of_target {
                // A row may link to itself.
                Some(of_target) => of_target == key || self.row(of_target)?.is_some(),
                None => false,
            };
            if !is_there {
                return Err(Error::new(ErrorCode::LinkTargetNotFound)
                    .fact(format!(
                        "Relation '{}' leads to ('{partition_key}', '{row_key}') of table '{}'.",
                        link.record.name,
                        link.other.as_str()
                    ))
                    .relation(&link.record.name));
            }
        }
        Ok(())
    }

    /// Deletes the children of a row that was deleted, and theirs, as relations say.
    ///
    /// # Errors
    /// `LinkedEntitiesExist` where a relation refuses; `CascadeTooLarge` for more rows than one group deletes so.
    pub(super) fn cascade(&mut self, view: &Arc<TableView>, key: &[u8]) -> Result<()> {
        let mut left = vec![(Arc::clone(view), key.to_vec())];
        // Looked at in the end: a child that refuses may be deleted by another relation.
        let mut refusals: Vec<(Arc<Link>, Target)> = Vec::new();
        while let Some((view, key)) = left.pop() {
            let parts = split_row_key(&key)?;
            let parent = Target {
                partition_key: unmap(parts.partition_key)?.into_owned(),
                row_key: unmap(parts.row_key)?.into_owned(),
            };
            for link in view.links.iter().filter(|link| !link.is_of_child) {
                if link.record.on_delete == OnDelete::Refuse {
                    refusals.push((Arc::clone(link), parent.clone()));
                    continue;
                }
                let children = self.table(&link.other)?;
                let most = (CASCADE_ROWS + 1).saturating_sub(self.cascaded);
                for child in self.children(&children, link, &parent, most)? {
                    self.cascaded += 1;
                    if self.cascaded > CASCADE_ROWS {
                        return Err(Error::new(ErrorCode::CascadeTooLarge)
                            .limit(CASCADE_ROWS, self.cascaded)
                            .relation(&link.record.name)
                            .fact(format!(
                                "Relation '{}' would delete more than the {CASCADE_ROWS} entities that one group deletes so.",
                                link.record.name
                            )));
                    }
                    let former = self.former(&children, &child)?;
                    self.delete_one(&link.other, &children, child.clone().into(), former)?;
                    left.push((Arc::clone(&children), child));
                }
            }
        }
        for (link, parent) in refusals {
            let children = self.table(&link.other)?;
            if let Some(child) = self.children(&children, &link, &parent, 1)?.first() {
                let parts = split_row_key(child)?;
                let (partition_key, row_key) = (unmap(parts.partition_key)?, unmap(parts.row_key)?);
                return Err(Error::new(ErrorCode::LinkedEntitiesExist)
                    .fact(format!(
                        "Relation '{}' of table '{}' links ('{partition_key}', '{row_key}') to ('{}', '{}').",
                        link.record.name,
                        link.other.as_str(),
                        parent.partition_key,
                        parent.row_key
                    ))
                    .relation(&link.record.name)
                    .holder(&partition_key, &row_key));
            }
        }
        Ok(())
    }

    /// The keys of the children of a row, after the group's own changes, at most so many.
    fn children(&self, view: &TableView, link: &Link, parent: &Target, most: usize) -> Result<Vec<Vec<u8>>> {
        let index = view.indexes.iter().find(|index| index.id == link.record.index);
        let lacks_index = link.record.index != 0 && index.is_none_or(|index| !index::is_usable(index));
        if lacks_index {
            let fact = format!("The index by which relation '{}' finds children cannot be read.", link.record.name);
            return Err(Error::damaged(fact));
        }
        let (space, bounds) = relation::children(&link.record, index.map(|index| &**index), parent);
        let mut found = Vec::new();
        for key in self.overlay.keys_within(space, bounds)? {
            let child = match index {
                Some(record) => index::split_entry(record, &key)?.row_key_in(view.id),
                None => key,
            };
            // Neither a cut value nor a partition is the whole link.
            let Some(bytes) = self.row(&child)? else { continue };
            let row = Row::new(&child, bytes, &view.shapes)?;
            if relation::known_link_of(&link.record, &child, &row)?.as_ref() == Some(parent) {
                found.push(child);
                if found.len() >= most {
                    break;
                }
            }
        }
        Ok(found)
    }
}
