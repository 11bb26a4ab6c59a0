//! entable.

use super::{Batch, ENTABLE, INDEXED, Peer, bytes_below};
use crate::rows::{Ask, Row};
use entable::{Entity, Index, Operation, Query, Store, Submitted, Table, Written};
use std::collections::VecDeque;
use std::fs;
use std::hint::black_box;
use std::path::{Path, PathBuf};
use std::pin::pin;
use std::sync::Arc;
use std::task::{Context, Poll, Wake};
use std::thread::{self, Thread};

pub(super) struct Ours {
    store: Store,
    table: Table,
    folder: PathBuf,
}

impl Ours {
    pub(super) fn open(folder: &Path) -> Ours {
        let store = Store::open(folder.join("store.ent")).expect("a store");
        let table = store.create_table_if_not_exists("Rows").expect("a table");
        Ours { store, table, folder: folder.to_owned() }
    }

    fn collect(&self, query: Query) -> u64 {
        let entities = self.table.query_entities(query).expect("a query").collect::<Result<Vec<_>, _>>();
        black_box(entities.expect("entities")).len() as u64
    }
}

fn entities<R>(batch: Batch<R>) -> Vec<Entity> {
    match batch {
        Batch::Entities(entities) => entities,
        Batch::Rows(_) => unreachable!("a peer gets the batch that it made"),
    }
}

/// The smallest executor.
fn wait<T>(future: impl Future<Output = T>) -> T {
    struct Unpark(Thread);
    impl Wake for Unpark {
        fn wake(self: Arc<Self>) {
            self.0.unpark();
        }
    }
    let waker = Arc::new(Unpark(thread::current())).into();
    let mut future = pin!(future);
    loop {
        match future.as_mut().poll(&mut Context::from_waker(&waker)) {
            Poll::Ready(output) => return output,
            Poll::Pending => thread::park(),
        }
    }
}

fn creates(entities: Vec<Entity>) -> impl Iterator<Item = Operation> {
    entities.into_iter().map(|entity| Operation::create(entity).expect("an operation"))
}

impl<R: Row> Peer<R> for Ours {
    fn name(&self) -> &'static str {
        ENTABLE
    }

    fn batch(&self, rows: Vec<R>) -> Batch<R> {
        Batch::Entities(rows.iter().map(Row::to_entity).collect())
    }

    fn insert(&mut self, row: Batch<R>) {
        for entity in entities(row) {
            self.table.create_entity(entity).expect("a new entity");
        }
    }

    fn group(&mut self, rows: Batch<R>) {
        self.table.submit_transaction(creates(entities(rows))).expect("a group");
    }

    fn load(&mut self, rows: Batch<R>) {
        let operations = creates(entities(rows)).map(|operation| (&self.table, operation));
        self.store.submit_batch(operations).expect("a batch");
    }

    fn insert_by_callers(&mut self, rows: Vec<Vec<Batch<R>>>) {
        let table = &self.table;
        thread::scope(|scope| {
            for rows in rows {
                scope.spawn(move || {
                    for entity in rows.into_iter().flat_map(entities) {
                        table.create_entity(entity).expect("a new entity");
                    }
                });
            }
        });
    }

    fn insert_in_flight(&mut self, rows: Vec<Batch<R>>, most: usize) {
        let mut under_way: VecDeque<Submitted<Option<Written>>> = VecDeque::with_capacity(most);
        for operation in creates(rows.into_iter().flat_map(entities).collect()) {
            if under_way.len() == most
                && let Some(oldest) = under_way.pop_front()
            {
                wait(oldest).expect("a new entity");
            }
            under_way.push_back(self.table.submit(operation).expect("a place in the queue"));
        }
        under_way.into_iter().for_each(|submitted| _ = wait(submitted).expect("a new entity"));
    }

    fn delete_where(&mut self, partition_key: &str, ask: &Ask) -> u64 {
        let filter = format!("PartitionKey eq '{partition_key}' and {}", ask.filter());
        self.table.delete_entities(filter).expect("a delete")
    }

    fn delete(&mut self, partition_key: &str, row_key: &str) {
        self.table.delete_entity(partition_key, row_key).expect("an entity that is there");
    }

    fn get(&mut self, partition_key: &str, row_key: &str) -> u64 {
        black_box(self.table.get_entity(partition_key, row_key).expect("an entity that is there"));
        1
    }

    fn range(&mut self, partition_key: &str, row_key: &str, limit: u32) -> u64 {
        let query = Query::filter("PartitionKey eq @partition and RowKey ge @row")
            .parameter("partition", partition_key)
            .parameter("row", row_key)
            .limit(limit.into());
        self.collect(query)
    }

    fn scan(&mut self, partition_key: Option<&str>, ask: &Ask) -> u64 {
        let filter = ask.filter();
        self.collect(match partition_key {
            Some(key) => Query::filter(format!("PartitionKey eq '{key}' and {filter}")),
            None => Query::filter(filter),
        })
    }

    fn count(&mut self, ask: Option<&Ask>) -> u64 {
        let query = ask.map_or(Query::all(), |ask| Query::filter(ask.filter()));
        self.table.count(query).expect("a count")
    }

    fn create_index(&mut self, number: usize) {
        let name = INDEXED[number];
        self.table.create_index(Index::new(name).properties([name])).expect("an index");
    }

    fn drop_index(&mut self, number: usize) {
        self.table.drop_index(INDEXED[number]).expect("the index");
    }

    fn file_bytes(&mut self) -> u64 {
        bytes_below(&self.folder)
    }

    fn live_bytes(&mut self) -> Option<u64> {
        let file = self.store.stats().expect("stats").file;
        Some(file.used_pages * file.page_bytes)
    }

    fn compacted_bytes(&mut self) -> Option<u64> {
        let path = self.folder.join("compacted.ent");
        let copied = self.store.compact_into(&path).expect("a copy");
        fs::remove_file(path).expect("the copy is removed");
        Some(copied.bytes_after)
    }
}
