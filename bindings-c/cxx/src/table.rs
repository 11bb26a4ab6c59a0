//! Tables: the verbs on entities.

use crate::batch::{Operations, result, results, two_pairs};
use crate::bridge::{Advice, Completion, Explain, Index, IndexOptions, IndexStats, Written};
use crate::entity::Entity;
use crate::failure::{Failure, Raised, boundary};
use crate::index::{advised, declared, explained, held, listed};
use crate::query::{Keys, Names, Page, Pages, Query};
use crate::store::Snapshot;
use crate::value::{condition, text, update_mode};
use cxx::UniquePtr;
use entable::Operation;
use entable_c::place::Place;

type Done<T> = Result<T, Raised>;

pub(crate) struct Table(pub(crate) Place);

impl Table {
    pub(crate) fn name(&self) -> &str {
        self.0.name()
    }

    pub(crate) fn at(&self, snapshot: &Snapshot) -> Done<Box<Table>> {
        boundary(|| Ok(Box::new(Table(self.0.at(&snapshot.0)?))))
    }

    pub(crate) fn create_entity(&self, entity: Box<Entity>) -> Done<Written> {
        boundary(|| Ok(result(Some(&self.0.create_entity(entity.input()?)?))))
    }

    pub(crate) fn update_entity(
        &self,
        entity: Box<Entity>,
        mode: u8,
        kind: u8,
        etag: &[u8],
        query: &Query,
    ) -> Done<Written> {
        boundary(|| {
            let (mode, condition) = (update_mode(mode)?, condition(kind, etag, query)?);
            Ok(result(Some(&self.0.update_entity(entity.input()?, mode, condition)?)))
        })
    }

    pub(crate) fn upsert_entity(
        &self,
        entity: Box<Entity>,
        mode: u8,
        kind: u8,
        etag: &[u8],
        query: &Query,
    ) -> Done<Written> {
        boundary(|| {
            let (mode, condition) = (update_mode(mode)?, condition(kind, etag, query)?);
            Ok(result(Some(&self.0.upsert_entity(entity.input()?, mode, condition)?)))
        })
    }

    pub(crate) fn delete_entity(
        &self,
        partition_key: &[u8],
        row_key: &[u8],
        kind: u8,
        etag: &[u8],
        query: &Query,
    ) -> Done<()> {
        boundary(|| {
            let (partition_key, row_key) = (text(partition_key, "partition_key")?, text(row_key, "row_key")?);
            Ok(self.0.delete_entity(partition_key, row_key, condition(kind, etag, query)?)?)
        })
    }

    pub(crate) fn create_or_get_entity(&self, entity: Box<Entity>, is_created: &mut bool) -> Done<Box<Entity>> {
        boundary(|| {
            let got = self.0.create_or_get_entity(entity.input()?)?;
            *is_created = got.is_created;
            Ok(Box::new(got.entity.into()))
        })
    }

    /// Of two pairs of keys: from where to where.
    pub(crate) fn move_entity(&self, keys: &Keys, kind: u8, etag: &[u8], query: &Query) -> Done<Written> {
        boundary(|| {
            let (from, to) = two_pairs(keys)?;
            let operation = Operation::move_entity(from, to).on(condition(kind, etag, query)?);
            Ok(result(self.0.apply(operation)?.as_ref()))
        })
    }

    pub(crate) fn get_entity(&self, partition_key: &[u8], row_key: &[u8]) -> Done<Box<Entity>> {
        boundary(|| {
            let (partition_key, row_key) = (text(partition_key, "partition_key")?, text(row_key, "row_key")?);
            Ok(Box::new(self.0.get_entity(partition_key, row_key)?.into()))
        })
    }

    pub(crate) fn get_entity_select(&self, partition_key: &[u8], row_key: &[u8], names: &Names) -> Done<Box<Entity>> {
        boundary(|| {
            let (partition_key, row_key) = (text(partition_key, "partition_key")?, text(row_key, "row_key")?);
            Ok(Box::new(self.0.get_entity_select(partition_key, row_key, &names.0)?.into()))
        })
    }

    pub(crate) fn exists(&self, partition_key: &[u8], row_key: &[u8]) -> Done<bool> {
        boundary(|| Ok(self.0.exists(text(partition_key, "partition_key")?, text(row_key, "row_key")?)?))
    }

    pub(crate) fn get_many(&self, keys: &Keys) -> Done<Box<Page>> {
        boundary(|| Ok(Box::new(Page::of_many(self.0.get_many(keys.0.iter().map(|(p, r)| (p, r)))?))))
    }

    pub(crate) fn query_pages(&self, query: &Query) -> Done<Box<Pages>> {
        boundary(|| Ok(Box::new(Pages(self.0.query_pages(query.0.clone())?))))
    }

    pub(crate) fn query_page(&self, query: &Query) -> Done<Box<Page>> {
        boundary(|| Ok(Box::new(self.0.query_page(query.0.clone())?.into())))
    }

    pub(crate) fn count(&self, query: &Query) -> Done<u64> {
        boundary(|| Ok(self.0.count(query.0.clone())?))
    }

    pub(crate) fn submit_transaction(&self, operations: &Operations) -> Done<Vec<Written>> {
        boundary(|| Ok(results(&self.0.submit_transaction(operations.0.clone())?)))
    }

    pub(crate) fn submit(&self, operations: &Operations, completion: UniquePtr<Completion>) -> Done<()> {
        boundary(|| {
            let table = self.0.outside()?;
            let [operation] = &*operations.0 else {
                return Err(Failure::misuse("operation", "It is one operation that is submitted."));
            };
            let teller = Teller(completion);
            Ok(table.submit_then(operation.clone(), move |outcome| teller.tell(outcome))?)
        })
    }

    pub(crate) fn explain(&self, query: &Query) -> Done<Explain> {
        boundary(|| Ok(explained(&self.0.outside()?.explain(query.0.clone())?)))
    }

    pub(crate) fn delete_entities(&self, query: &Query) -> Done<u64> {
        boundary(|| Ok(self.0.delete_entities(query.0.clone())?))
    }

    pub(crate) fn delete_entities_in_chunks(&self, query: &Query, chunk: u64) -> Done<u64> {
        boundary(|| Ok(self.0.outside()?.delete_entities_in_chunks(query.0.clone(), chunk)?))
    }

    pub(crate) fn partition_keys(&self) -> Done<Vec<String>> {
        boundary(|| Ok(self.0.outside()?.partition_keys().collect::<entable::Result<_>>()?))
    }

    pub(crate) fn create_index(
        &self,
        name: &[u8],
        properties: &Names,
        projected: &Names,
        options: &IndexOptions,
    ) -> Done<()> {
        boundary(|| {
            let index = declared(text(name, "name")?, properties, projected, options)?;
            let table = &self.0;
            match options.may_exist {
                true => table.create_index_if_not_exists(index)?,
                false => table.create_index(index)?,
            }
            Ok(())
        })
    }

    pub(crate) fn drop_index(&self, name: &[u8]) -> Done<()> {
        boundary(|| Ok(self.0.drop_index(text(name, "name")?)?))
    }

    pub(crate) fn index_stats(&self) -> Done<Vec<IndexStats>> {
        boundary(|| Ok(self.0.outside()?.index_stats()?.iter().map(held).collect()))
    }

    pub(crate) fn advise(&self) -> Done<Vec<Advice>> {
        boundary(|| Ok(self.0.outside()?.advise()?.iter().map(advised).collect()))
    }

    pub(crate) fn list_indexes(&self) -> Done<Vec<Index>> {
        boundary(|| Ok(self.0.list_indexes()?.iter().map(listed).collect()))
    }
}

/// The caller's completion, told by the thread that writes. An exception of it is forgotten: the write is done.
struct Teller(UniquePtr<Completion>);

#[allow(unsafe_code, reason = "what stands behind the completion is the caller's")]
// SAFETY: `entable.hpp` says that the function is called, and freed, on the thread that writes.
unsafe impl Send for Teller {}

impl Teller {
    fn tell(self, outcome: entable::Result<Option<entable::Written>>) {
        let Some(completion) = self.0.as_ref() else { return };
        let _ = match outcome {
            Ok(written) => completion.succeeded(&result(written.as_ref())),
            Err(error) => completion.failed(&Box::<Failure>::from(error)),
        };
    }
}
