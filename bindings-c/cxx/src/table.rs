//! Tables: the verbs on entities.

use crate::batch::{Operations, result, results};
use crate::bridge::Written;
use crate::entity::Entity;
use crate::failure::{Raised, boundary};
use crate::query::{Keys, Names, Page, Pages, Query};
use crate::store::Snapshot;
use crate::value::{condition, text, update_mode};

type Done<T> = Result<T, Raised>;

pub(crate) struct Table(pub(crate) entable::Table);

impl Table {
    pub(crate) fn name(&self) -> &str {
        self.0.name()
    }

    pub(crate) fn at(&self, snapshot: &Snapshot) -> Done<Box<Table>> {
        boundary(|| Ok(Box::new(Table(self.0.at(&snapshot.0)))))
    }

    pub(crate) fn create_entity(&self, entity: Box<Entity>) -> Done<Written> {
        boundary(|| Ok(result(Some(&self.0.create_entity(entity.0)?))))
    }

    pub(crate) fn update_entity(&self, entity: Box<Entity>, mode: u8, kind: u8, etag: &[u8]) -> Done<Written> {
        boundary(|| {
            let (mode, condition) = (update_mode(mode)?, condition(kind, etag)?);
            Ok(result(Some(&self.0.update_entity_if(entity.0, mode, condition)?)))
        })
    }

    pub(crate) fn upsert_entity(&self, entity: Box<Entity>, mode: u8, kind: u8, etag: &[u8]) -> Done<Written> {
        boundary(|| {
            let (mode, condition) = (update_mode(mode)?, condition(kind, etag)?);
            Ok(result(Some(&self.0.upsert_entity_if(entity.0, mode, condition)?)))
        })
    }

    pub(crate) fn delete_entity(&self, partition_key: &[u8], row_key: &[u8], kind: u8, etag: &[u8]) -> Done<()> {
        boundary(|| {
            let (partition_key, row_key) = (text(partition_key, "partition_key")?, text(row_key, "row_key")?);
            Ok(self.0.delete_entity_if(partition_key, row_key, condition(kind, etag)?)?)
        })
    }

    pub(crate) fn get_entity(&self, partition_key: &[u8], row_key: &[u8]) -> Done<Box<Entity>> {
        boundary(|| {
            let (partition_key, row_key) = (text(partition_key, "partition_key")?, text(row_key, "row_key")?);
            Ok(Box::new(Entity(self.0.get_entity(partition_key, row_key)?)))
        })
    }

    pub(crate) fn get_entity_select(&self, partition_key: &[u8], row_key: &[u8], names: &Names) -> Done<Box<Entity>> {
        boundary(|| {
            let (partition_key, row_key) = (text(partition_key, "partition_key")?, text(row_key, "row_key")?);
            Ok(Box::new(Entity(self.0.get_entity_select(partition_key, row_key, &names.0)?)))
        })
    }

    pub(crate) fn exists(&self, partition_key: &[u8], row_key: &[u8]) -> Done<bool> {
        boundary(|| Ok(self.0.exists(text(partition_key, "partition_key")?, text(row_key, "row_key")?)?))
    }

    pub(crate) fn get_many(&self, keys: &Keys) -> Done<Box<Page>> {
        boundary(|| Ok(Box::new(Page::of_many(self.0.get_many(keys.0.iter().map(|(p, r)| (p, r)))?))))
    }

    pub(crate) fn query_pages(&self, query: &Query) -> Done<Box<Pages>> {
        boundary(|| Ok(Box::new(Pages(self.0.query_entities(query.0.clone())?.by_page()))))
    }

    pub(crate) fn query_page(&self, query: &Query) -> Done<Box<Page>> {
        boundary(|| Ok(Box::new(self.0.query_page(query.0.clone())?.into())))
    }

    pub(crate) fn count(&self, query: &Query) -> Done<u64> {
        boundary(|| Ok(self.0.count(query.0.clone())?))
    }

    pub(crate) fn submit_transaction(&self, operations: &Operations) -> Done<Vec<Written>> {
        boundary(|| Ok(results(&self.0.submit_transaction(operations.0.iter().cloned())?)))
    }
}
