//! What C++ and Rust know of each other. Nothing of it is public: `entable.hpp` stands before it.
//!
//! Texts come as bytes and are checked here, so that what is not UTF-8 is an error with the argument's name. Instants
//! are ticks of 100 ns since 1970-01-01T00:00:00Z, as `std::chrono` counts.

#![allow(unsafe_code, reason = "cxx writes the unsafe part of the bridge")]
#![allow(unreachable_pub, reason = "cxx writes its items with `pub`")]

use crate::batch::{Operations, Tables, new_operations, new_tables};
use crate::entity::{Entity, entity_from_json, new_entity};
use crate::failure::take_failure;
use crate::feed::{ChangePage, Consumer, FeedChanges};
use crate::keys::*;
use crate::patterns::{Changes, Entities, OperationList, Pattern, field_text, new_entities, new_pattern};
use crate::query::{Keys, Names, Page, Pages, Query, new_keys, new_names, new_query};
use crate::relation::Join;
use crate::store::{Snapshot, Store, open_store};
use crate::table::Table;
use crate::transaction::Transaction;
use crate::upkeep::verify_file;
use crate::value::{format_date_time, format_guid, parse_date_time, parse_guid};

pub(crate) use ffi::{
    Advice, BusyPartition, ChangeHead, Clock, Completion, Considered, ConsumerInfo, Copied, DatabaseStats, EntitySink,
    Explain, Failure, FeedInfo, FeedSettings, FieldDefinition, Finding, GivenText, Index, IndexOptions, IndexStats,
    KeyPair, KeyRange, Latency, Lookup, OperationHead, OptionalNumber, OptionalText, Options, Orphan,
    PatternDefinition, Progress, QueryKind, Relation, Report, Sizes, Stats, Stop, Written,
};

#[cxx::bridge(namespace = "entable::detail")]
mod ffi {
    struct OptionalText {
        is_there: bool,
        text: String,
    }

    struct OptionalNumber {
        is_there: bool,
        number: u64,
    }

    /// Everything that an error says.
    struct Failure {
        code: u16,
        class_number: u32,
        status: u16,
        name: String,
        message: String,
        table: OptionalText,
        partition_key: OptionalText,
        row_key: OptionalText,
        property: OptionalText,
        limit: OptionalNumber,
        actual: OptionalNumber,
        position: OptionalNumber,
        index: OptionalNumber,
        index_name: OptionalText,
        relation: OptionalText,
        holder_partition_key: OptionalText,
        holder_row_key: OptionalText,
    }

    /// What a write did; `is_there` is false for a delete.
    struct Written {
        is_there: bool,
        /// Nothing was written: a create-or-get has found the entity.
        is_found: bool,
        ticks: i64,
        etag: String,
    }

    struct Options {
        mode: u8,
        read_only: bool,
        immutable: bool,
        must_exist: bool,
        check: bool,
        max_size: OptionalNumber,
    }

    struct Advice {
        kind: u8,
        table: String,
        index: OptionalText,
        filter: OptionalText,
        reason: String,
        call: String,
    }

    struct IndexStats {
        name: String,
        entries: u64,
        missing: u64,
        distinct_values: u64,
        most_frequent_share: f64,
        bytes: u64,
        uses: u64,
    }

    /// An index that is declared, as it is listed. Enums are the numbers of `index.hpp`.
    struct Index {
        name: String,
        properties: Vec<String>,
        scope: u8,
        projection: u8,
        projected: Vec<String>,
        is_unique: bool,
        folds_case: bool,
        state: u8,
    }

    /// What an index is to be, besides its name and properties.
    struct IndexOptions {
        scope: u8,
        projection: u8,
        is_unique: bool,
        folds_case: bool,
        may_exist: bool,
    }

    /// What a feed holds, and for how long; 0 is no limit. Times in nanoseconds.
    struct FeedSettings {
        content: u8,
        keep_for: u64,
        keep_changes: u64,
        keep_until_consumed: bool,
    }

    struct ConsumerInfo {
        name: String,
        position: String,
        advanced: i64,
        changes_behind: u64,
        has_missed: bool,
    }

    struct FeedInfo {
        settings: FeedSettings,
        begin: String,
        end: String,
        changes: u64,
        consumers: Vec<ConsumerInfo>,
    }

    /// A change without its entities. Enums are the numbers of `feeds.hpp`.
    struct ChangeHead {
        commit: u64,
        position: u32,
        kind: u8,
        partition_key: String,
        row_key: String,
        ticks: i64,
        is_created: bool,
        former_ticks: i64,
        committed_ticks: i64,
        etag: OptionalText,
        former_etag: OptionalText,
        behind: String,
        has_entity: bool,
        has_former: bool,
    }

    /// A relation as it is listed. Enums are the numbers of `relations.hpp`.
    struct Relation {
        name: String,
        child: String,
        parent: String,
        partition_key: String,
        row_key: String,
        on_delete: u8,
    }

    struct Orphan {
        partition_key: String,
        row_key: String,
        target_partition_key: String,
        target_row_key: String,
    }

    struct Considered {
        path: String,
        index: OptionalText,
        rows: u64,
        is_taken: bool,
    }

    struct Explain {
        text: String,
        path: String,
        index: OptionalText,
        is_covered: bool,
        filter: String,
        residual: OptionalText,
        ranges: Vec<String>,
        cloud: Vec<String>,
        warnings: Vec<String>,
        considered: Vec<Considered>,
        rows_estimated: u64,
        rows_read: u64,
        rows_returned: u64,
        entries_read: u64,
    }

    struct Copied {
        records: u64,
        bytes_before: u64,
        bytes_after: u64,
    }

    struct Finding {
        page: OptionalNumber,
        kind: String,
        is_damage: bool,
        table: OptionalText,
        partition_key: OptionalText,
        row_key: OptionalText,
        sentence: String,
    }

    struct Report {
        text: String,
        pages: u64,
        used_pages: u64,
        free_pages: u64,
        leaked_pages: u64,
        tables: u64,
        entities: u64,
        index_entries: u64,
        changes: u64,
        findings: Vec<Finding>,
        finding_count: u64,
        damage_count: u64,
    }

    /// In nanoseconds.
    struct Latency {
        samples: u64,
        p50: u64,
        p90: u64,
        p99: u64,
        max: u64,
    }

    struct Sizes {
        count: u64,
        sum: u64,
        p50: u64,
        p99: u64,
        max: u64,
    }

    struct QueryKind {
        path: String,
        pages: u64,
    }

    struct DatabaseStats {
        name: String,
        records: u64,
        bytes: u64,
    }

    struct BusyPartition {
        table: String,
        partition_key: String,
        least_share: f64,
        most_share: f64,
    }

    /// Times in nanoseconds.
    struct Stats {
        text: String,
        reads: Latency,
        queries: Latency,
        commits: Latency,
        commit_groups: Sizes,
        commit_bytes: Sizes,
        group_changes: Sizes,
        query_kinds: Vec<QueryKind>,
        file_bytes: u64,
        page_bytes: u64,
        used_pages: u64,
        free_pages: u64,
        databases: Vec<DatabaseStats>,
        held_readers: Vec<u64>,
        reader_slots_used: u32,
        reader_slots: u32,
        busiest_partitions: Vec<BusyPartition>,
        timestamp_lead: u64,
    }

    /// A text of C++, not yet known to be UTF-8.
    struct GivenText {
        is_there: bool,
        bytes: Vec<u8>,
    }

    /// How a property is written into a key.
    struct FieldDefinition {
        name: GivenText,
        form: u32,
        padded: usize,
        each: GivenText,
    }

    /// All that any pattern's definition may say.
    struct PatternDefinition {
        kind: u32,
        table: GivenText,
        kept_in: GivenText,
        prefix: GivenText,
        row_prefix: GivenText,
        partition: GivenText,
        property: GivenText,
        folded: GivenText,
        separator: GivenText,
        fields: Vec<FieldDefinition>,
        selects: bool,
        select: Vec<GivenText>,
        holding: u32,
        period: u32,
        shards: u32,
        is_composed: bool,
        by_both_keys: bool,
        both_orders: bool,
    }

    struct KeyPair {
        partition_key: String,
        row_key: String,
    }

    struct Lookup {
        table: String,
        filter: String,
        has_limit: bool,
        limit: u64,
        has_keys: bool,
        partition_key: String,
        row_key: String,
    }

    /// What an operation does, but for its entity. Enums are the numbers of `query.hpp`.
    struct OperationHead {
        verb: u8,
        mode: u8,
        condition: u8,
        etag: String,
    }

    /// The keys that begin alike: no end where there is none.
    struct KeyRange {
        first: String,
        end: OptionalText,
    }

    unsafe extern "C++" {
        include!("entable/detail/sink.hpp");

        /// The caller's clock.
        type Clock;
        fn now(self: &Clock) -> Result<i64>;

        /// Who is told what became of a submitted write.
        type Completion;
        fn succeeded(self: &Completion, written: &Written) -> Result<()>;
        fn failed(self: &Completion, failure: &Failure) -> Result<()>;

        /// Who is told how far a call has come; one that tells nobody is there, too.
        type Progress;
        fn tell(self: &Progress, done: u64, total: u64) -> Result<()>;

        /// Who says whether an answer is not wanted any more.
        type Stop;
        fn is_over(self: &Stop) -> Result<bool>;

        /// An entity of C++ that is being read.
        type EntitySink;
        fn set_keys(self: Pin<&mut EntitySink>, partition_key: &str, row_key: &str) -> Result<()>;
        fn set_etag(self: Pin<&mut EntitySink>, etag: &str) -> Result<()>;
        fn set_timestamp(self: Pin<&mut EntitySink>, ticks: i64) -> Result<()>;
        fn add_int32(self: Pin<&mut EntitySink>, name: &str, value: i32) -> Result<()>;
        fn add_int64(self: Pin<&mut EntitySink>, name: &str, value: i64) -> Result<()>;
        fn add_double(self: Pin<&mut EntitySink>, name: &str, value: f64) -> Result<()>;
        fn add_date_time(self: Pin<&mut EntitySink>, name: &str, ticks: i64) -> Result<()>;
        fn add_guid(self: Pin<&mut EntitySink>, name: &str, value: &[u8; 16]) -> Result<()>;
        fn add_boolean(self: Pin<&mut EntitySink>, name: &str, value: bool) -> Result<()>;
        fn add_string(self: Pin<&mut EntitySink>, name: &str, value: &str) -> Result<()>;
        fn add_binary(self: Pin<&mut EntitySink>, name: &str, value: &[u8]) -> Result<()>;
    }

    extern "Rust" {
        /// The failure of this thread's last call, once.
        fn take_failure() -> Failure;

        fn parse_guid(text: &[u8]) -> Result<[u8; 16]>;
        fn format_guid(guid: &[u8; 16]) -> String;
        fn parse_date_time(text: &[u8], mode: u8) -> Result<i64>;
        fn format_date_time(ticks: i64) -> Result<String>;

        type Store;
        fn open_store(path: &[u8], options: &Options, clock: UniquePtr<Clock>) -> Result<Box<Store>>;
        fn close(self: &Store) -> Result<()>;
        fn mode(self: &Store) -> u8;
        fn table(self: &Store, name: &[u8]) -> Result<Box<Table>>;
        fn create_table(self: &Store, name: &[u8]) -> Result<Box<Table>>;
        fn create_table_if_not_exists(self: &Store, name: &[u8]) -> Result<Box<Table>>;
        fn delete_table(self: &Store, name: &[u8]) -> Result<()>;
        fn list_tables(self: &Store) -> Result<Vec<String>>;
        fn query_tables(self: &Store, query: &Query) -> Result<Vec<String>>;
        fn submit_batch(self: &Store, tables: &Tables, operations: &Operations) -> Result<Vec<Written>>;
        fn snapshot(self: &Store) -> Result<Box<Snapshot>>;
        fn begin(self: &Store) -> Result<Box<Transaction>>;
        fn sync(self: &Store) -> Result<()>;
        fn stats(self: &Store) -> Result<Stats>;
        fn advise(self: &Store) -> Result<Vec<Advice>>;
        fn backup(self: &Store, path: &[u8], progress: &Progress) -> Result<Copied>;
        fn compact_into(self: &Store, path: &[u8], progress: &Progress) -> Result<Copied>;
        fn compact(self: &Store, progress: &Progress) -> Result<Copied>;
        fn create_table_with_feed(self: &Store, name: &[u8], settings: &FeedSettings) -> Result<Box<Table>>;
        fn create_relation(
            self: &Store,
            name: &[u8],
            child: &[u8],
            parent: &[u8],
            keys: &Keys,
            rule: u8,
            may_exist: bool,
        ) -> Result<()>;
        fn drop_relation(self: &Store, child: &[u8], relation: &[u8]) -> Result<()>;
        fn create_join(self: &Store, name: &[u8], left: &[u8], right: &[u8], rule: u8) -> Result<Box<Join>>;
        fn join(self: &Store, name: &[u8]) -> Result<Box<Join>>;
        fn verify_file(path: &[u8], progress: &Progress) -> Result<Report>;

        type Transaction;
        fn table(self: &Transaction, name: &[u8]) -> Result<Box<Table>>;
        fn create_table(self: &Transaction, name: &[u8], may_exist: bool) -> Result<Box<Table>>;
        fn delete_table(self: &Transaction, name: &[u8]) -> Result<()>;
        fn list_tables(self: &Transaction) -> Result<Vec<String>>;
        fn commit(self: &Transaction) -> Result<()>;
        fn roll_back(self: &Transaction) -> Result<()>;

        type Snapshot;
        fn list_tables(self: &Snapshot) -> Result<Vec<String>>;
        fn close(self: &Snapshot) -> Result<()>;

        type Table;
        fn name(self: &Table) -> &str;
        fn at(self: &Table, snapshot: &Snapshot) -> Result<Box<Table>>;
        fn create_entity(self: &Table, entity: Box<Entity>) -> Result<Written>;
        fn update_entity(
            self: &Table,
            entity: Box<Entity>,
            mode: u8,
            condition: u8,
            etag: &[u8],
            query: &Query,
        ) -> Result<Written>;
        fn upsert_entity(
            self: &Table,
            entity: Box<Entity>,
            mode: u8,
            condition: u8,
            etag: &[u8],
            query: &Query,
        ) -> Result<Written>;
        fn delete_entity(
            self: &Table,
            partition_key: &[u8],
            row_key: &[u8],
            condition: u8,
            etag: &[u8],
            query: &Query,
        ) -> Result<()>;
        fn create_or_get_entity(self: &Table, entity: Box<Entity>, is_created: &mut bool) -> Result<Box<Entity>>;
        fn move_entity(self: &Table, keys: &Keys, condition: u8, etag: &[u8], query: &Query) -> Result<Written>;
        fn get_entity(self: &Table, partition_key: &[u8], row_key: &[u8]) -> Result<Box<Entity>>;
        fn get_entity_select(self: &Table, partition_key: &[u8], row_key: &[u8], names: &Names) -> Result<Box<Entity>>;
        fn exists(self: &Table, partition_key: &[u8], row_key: &[u8]) -> Result<bool>;
        fn get_many(self: &Table, keys: &Keys) -> Result<Box<Page>>;
        fn query_pages(self: &Table, query: &Query) -> Result<Box<Pages>>;
        fn query_page(self: &Table, query: &Query) -> Result<Box<Page>>;
        fn count(self: &Table, query: &Query) -> Result<u64>;
        fn submit_transaction(self: &Table, operations: &Operations) -> Result<Vec<Written>>;
        /// The one operation of a list.
        fn submit(self: &Table, operations: &Operations, completion: UniquePtr<Completion>) -> Result<()>;
        fn explain(self: &Table, query: &Query) -> Result<Explain>;
        fn delete_entities(self: &Table, query: &Query) -> Result<u64>;
        fn delete_entities_in_chunks(self: &Table, query: &Query, chunk: u64) -> Result<u64>;
        fn partition_keys(self: &Table) -> Result<Vec<String>>;
        fn create_index(
            self: &Table,
            name: &[u8],
            properties: &Names,
            projected: &Names,
            options: &IndexOptions,
        ) -> Result<()>;
        fn drop_index(self: &Table, name: &[u8]) -> Result<()>;
        fn list_indexes(self: &Table) -> Result<Vec<Index>>;
        fn relations(self: &Table) -> Result<Vec<Relation>>;
        fn linked(self: &Table, relation: &[u8], partition_key: &[u8], row_key: &[u8]) -> Result<Box<Pages>>;
        fn linked_filter(self: &Table, relation: &[u8], partition_key: &[u8], row_key: &[u8]) -> Result<String>;
        fn parent_of(self: &Table, relation: &[u8], partition_key: &[u8], row_key: &[u8]) -> Result<Box<Page>>;
        /// Of two pairs of keys: child and parent.
        fn link(self: &Table, relation: &[u8], pair: &Keys) -> Result<()>;
        fn unlink(self: &Table, relation: &[u8], partition_key: &[u8], row_key: &[u8]) -> Result<bool>;
        fn orphans(self: &Table, relation: &[u8], most: usize) -> Result<Vec<Orphan>>;
        fn repair_orphans(self: &Table, relation: &[u8], repair: u8) -> Result<u64>;
        fn set_feed(self: &Table, settings: &FeedSettings) -> Result<()>;
        fn drop_feed(self: &Table) -> Result<()>;
        fn feed(self: &Table) -> Result<FeedInfo>;
        fn read_changes(self: &Table, behind: &[u8], most: usize) -> Result<Box<ChangePage>>;
        fn changes(self: &Table, behind: &[u8]) -> Result<Box<FeedChanges>>;
        fn wait_for_changes(self: &Table, behind: &[u8], timeout_ms: u64) -> Result<bool>;
        fn trim_feed(self: &Table) -> Result<u64>;
        fn create_consumer(self: &Table, name: &[u8], start: u8, at: &[u8]) -> Result<Box<Consumer>>;
        fn consumer(self: &Table, name: &[u8]) -> Result<Box<Consumer>>;
        fn drop_consumer(self: &Table, name: &[u8]) -> Result<()>;
        fn index_stats(self: &Table) -> Result<Vec<IndexStats>>;
        fn advise(self: &Table) -> Result<Vec<Advice>>;

        /// A table of pairs; `pair` is left and right.
        type Join;
        fn table(self: &Join) -> Box<Table>;
        fn link(self: &Join, pair: &Keys) -> Result<bool>;
        fn unlink(self: &Join, pair: &Keys) -> Result<bool>;
        fn is_linked(self: &Join, pair: &Keys) -> Result<bool>;
        fn rights(self: &Join, partition_key: &[u8], row_key: &[u8], size: usize, from: &[u8]) -> Result<Box<Page>>;
        fn lefts(self: &Join, partition_key: &[u8], row_key: &[u8], size: usize, from: &[u8]) -> Result<Box<Page>>;

        type Consumer;
        fn name(self: &Consumer) -> &str;
        fn position(self: &Consumer) -> Result<String>;
        fn read(self: &Consumer, most: usize) -> Result<Box<ChangePage>>;
        fn wait(self: &Consumer, timeout_ms: u64) -> Result<bool>;
        fn advance(self: &Consumer, to: &[u8]) -> Result<()>;
        fn seek(self: &Consumer, to: &[u8]) -> Result<()>;

        type FeedChanges;
        /// A page of the next change; of none at the end.
        fn next(self: &mut FeedChanges) -> Result<Box<ChangePage>>;

        type ChangePage;
        fn heads(self: &ChangePage) -> Vec<ChangeHead>;
        fn read_entity(self: &ChangePage, index: usize, sink: Pin<&mut EntitySink>) -> Result<()>;
        fn read_former(self: &ChangePage, index: usize, sink: Pin<&mut EntitySink>) -> Result<()>;
        fn position(self: &ChangePage) -> &str;
        fn has_more(self: &ChangePage) -> bool;

        type Entity;
        fn new_entity(partition_key: &[u8], row_key: &[u8]) -> Result<Box<Entity>>;
        fn entity_from_json(text: &[u8], mode: u8) -> Result<Box<Entity>>;
        fn set_int32(self: &mut Entity, name: &[u8], value: i32) -> Result<()>;
        fn set_int64(self: &mut Entity, name: &[u8], value: i64) -> Result<()>;
        fn set_double(self: &mut Entity, name: &[u8], value: f64) -> Result<()>;
        fn set_date_time(self: &mut Entity, name: &[u8], ticks: i64) -> Result<()>;
        fn set_guid(self: &mut Entity, name: &[u8], value: &[u8; 16]) -> Result<()>;
        fn set_boolean(self: &mut Entity, name: &[u8], value: bool) -> Result<()>;
        fn set_string(self: &mut Entity, name: &[u8], value: &[u8]) -> Result<()>;
        fn set_binary(self: &mut Entity, name: &[u8], value: &[u8]) -> Result<()>;
        /// What `of` has under the name is added by a merge.
        fn add(self: &mut Entity, name: &[u8], of: &Entity) -> Result<()>;
        fn erase(self: &mut Entity, name: &[u8]) -> Result<()>;
        fn read_into(self: &Entity, sink: Pin<&mut EntitySink>) -> Result<()>;
        fn size_bytes(self: &Entity) -> usize;
        fn set_timestamp(self: &mut Entity, ticks: i64) -> Result<()>;
        fn set_etag(self: &mut Entity, etag: &[u8]) -> Result<()>;
        /// All properties, or those of the names.
        fn to_json(self: &Entity, metadata: u8, selects: bool, names: &Names) -> Result<String>;

        /// Names of a projection.
        type Names;
        fn new_names() -> Box<Names>;
        fn add(self: &mut Names, name: &[u8]) -> Result<()>;

        /// Keys of several entities.
        type Keys;
        fn new_keys() -> Box<Keys>;
        fn add(self: &mut Keys, partition_key: &[u8], row_key: &[u8]) -> Result<()>;

        type Query;
        fn new_query(filter: &[u8]) -> Result<Box<Query>>;
        /// Parameters come as the properties of an entity, which has every type.
        fn set_parameters(self: &mut Query, parameters: Box<Entity>);
        fn set_select(self: &mut Query, names: &Names);
        fn set_limit(self: &mut Query, entities: u64);
        fn set_page_size(self: &mut Query, entities: usize);
        fn set_descending(self: &mut Query);
        fn set_order_by(self: &mut Query, property: &[u8]) -> Result<()>;
        fn set_mode(self: &mut Query, mode: u8) -> Result<()>;
        fn continue_from(self: &mut Query, token: &[u8]) -> Result<()>;
        fn stop_if(self: &mut Query, stop: UniquePtr<Stop>);

        type Pages;
        /// The next page; one that is the end after the last.
        fn next(self: &mut Pages) -> Result<Box<Page>>;

        type Page;
        fn is_end(self: &Page) -> bool;
        fn count(self: &Page) -> usize;
        fn is_there(self: &Page, index: usize) -> bool;
        fn read_into(self: &Page, index: usize, sink: Pin<&mut EntitySink>) -> Result<()>;
        /// Empty at the end.
        fn continuation_token(self: &Page) -> &str;

        type Operations;
        fn new_operations() -> Box<Operations>;
        fn create_entity(self: &mut Operations, entity: Box<Entity>) -> Result<()>;
        fn update_entity(
            self: &mut Operations,
            entity: Box<Entity>,
            mode: u8,
            condition: u8,
            etag: &[u8],
            query: &Query,
        ) -> Result<()>;
        fn upsert_entity(
            self: &mut Operations,
            entity: Box<Entity>,
            mode: u8,
            condition: u8,
            etag: &[u8],
            query: &Query,
        ) -> Result<()>;
        fn delete_entity(
            self: &mut Operations,
            partition_key: &[u8],
            row_key: &[u8],
            condition: u8,
            etag: &[u8],
            query: &Query,
        ) -> Result<()>;

        fn create_or_get_entity(self: &mut Operations, entity: Box<Entity>) -> Result<()>;
        fn move_entity(self: &mut Operations, keys: &Keys, condition: u8, etag: &[u8], query: &Query) -> Result<()>;

        /// The table of each operation of a batch.
        type Tables;
        fn new_tables() -> Box<Tables>;
        fn add(self: &mut Tables, table: &Table) -> Result<()>;

        /// Entities that a call is given, some of which may not be there.
        type Entities;
        fn new_entities() -> Box<Entities>;
        fn add(self: &mut Entities, entity: Box<Entity>);
        fn add_none(self: &mut Entities);

        type Pattern;
        fn new_pattern(definition: &PatternDefinition) -> Result<Box<Pattern>>;
        fn reads(self: &Pattern, former: &Entities, new_row: &Entities) -> Result<Vec<Lookup>>;
        fn changes(self: &Pattern, former: &Entities, new_row: &Entities, stored: &Entities) -> Result<Box<Changes>>;
        fn reconcile(self: &Pattern, seen: &Entities, current: &Entities, stored: &Entities) -> Result<Box<Changes>>;
        fn record(self: &Pattern, series: &[u8], ticks: i64, value: Box<Entity>) -> Result<Box<Changes>>;
        fn lookup(
            self: &Pattern,
            kind: u32,
            has_partition: bool,
            partition_key: &[u8],
            values: Box<Entity>,
        ) -> Result<Lookup>;
        fn rows(self: &Pattern, has_partition: bool, partition_key: &[u8], found: &Entities) -> Result<Vec<KeyPair>>;
        fn row_of(self: &Pattern, row: Box<Entity>) -> Result<Box<Entity>>;
        fn join(self: &Pattern, parts: &Entities) -> Result<Box<Page>>;
        fn pairs(self: &Pattern, found: &Entities) -> Result<Box<Page>>;
        fn remove(self: &Pattern, entity: Box<Entity>, ticks: i64) -> Result<Box<Changes>>;
        fn rebuild(self: &Pattern, partition_key: &[u8], rows: &Entities, stored: &Entities) -> Result<Box<Changes>>;
        fn ids(self: &Pattern, lists: &Entities) -> Result<Vec<String>>;
        fn value_of(self: &Pattern, list: Box<Entity>) -> Result<OptionalText>;
        fn shard_key(self: &Pattern, row_key: &[u8]) -> Result<String>;
        fn parts(self: &Pattern, row_key: &[u8]) -> Result<Vec<String>>;
        fn field_text(field: &FieldDefinition, value: Box<Entity>) -> Result<String>;

        type Changes;
        fn tables(self: &Changes) -> Vec<String>;
        fn keys(self: &Changes, step: usize) -> Result<Vec<KeyPair>>;
        fn operations(self: &Changes, step: usize) -> Result<Box<OperationList>>;
        fn remaining(self: &Changes, step: usize, stored: &Entities) -> Result<Box<OperationList>>;
        fn accepts(self: &Changes, step: usize, code: u16) -> bool;
        fn join(self: &Changes, other: &Changes) -> Result<Box<Changes>>;
        fn submit_changes(self: &Store, changes: &Changes) -> Result<Vec<Written>>;

        type OperationList;
        fn heads(self: &OperationList) -> Vec<OperationHead>;
        fn entities(self: &OperationList) -> Result<Box<Page>>;

        // Keys.
        fn key_compose(parts: &Names) -> Result<String>;
        fn key_compose_prefix(parts: &Names) -> Result<String>;
        fn key_split(key: &[u8]) -> Result<Vec<String>>;
        fn key_safe(text: &[u8]) -> Result<String>;
        fn key_safe_from(key: &[u8]) -> Result<String>;
        fn key_bytes(bytes: &[u8]) -> Result<String>;
        fn key_bytes_from(key: &[u8]) -> Result<Vec<u8>>;
        fn key_base64_text(text: &[u8]) -> Result<String>;
        fn key_text_from_base64(key: &[u8]) -> Result<String>;
        fn key_padded(number: u64, width: usize) -> Result<String>;
        fn key_integer(number: i64) -> Result<String>;
        fn key_integer_from(key: &[u8]) -> Result<i64>;
        fn key_number(number: f64) -> Result<String>;
        fn key_number_from(key: &[u8]) -> Result<f64>;
        fn key_ticks(time: i64) -> Result<String>;
        fn key_ticks_from(key: &[u8]) -> Result<i64>;
        fn key_descending_ticks(time: i64) -> Result<String>;
        fn key_descending_ticks_from(key: &[u8]) -> Result<i64>;
        fn key_compact_date(time: i64) -> Result<String>;
        fn key_prefix_range(prefix: &[u8]) -> Result<KeyRange>;
        fn key_prefix_filter(name: &[u8], prefix: &[u8]) -> Result<String>;
        fn key_fold_case(text: &[u8]) -> Result<String>;
        fn key_shard(key: &[u8], shards: u32) -> Result<u32>;
    }
}
