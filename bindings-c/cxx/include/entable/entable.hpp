// entable: SQLite for the Azure Tables data model. Stores, tables and their verbs.
//
// Values (Entity, Query, Operation, Written, Page, Index, Stats, Report) are plain values of C++. Handles (Store, Table,
// Snapshot, Transaction) can be moved and end with their scope; any number of threads may use a store and a table at
// once, a transaction and its tables are for the thread that began it, anything else is for one thread at a time. Calls
// that fail throw a class of error.hpp; those of a handle that was moved from throw InvalidError. After a fork the child must
// open the store itself: calls through its parent's handles throw ForkedError.
//
// Functions that are handed in (`Options::clock`, `Query::stop_if`, `Progress`, what `Table::submit` calls) may call the
// library as entable.h says of each: what goes beyond it throws there, and nothing waits for itself. What they throw does not
// come out of the call.
//
// Text is UTF-8; what is not is an InvalidError that names the argument.

#ifndef ENTABLE_ENTABLE_HPP
#define ENTABLE_ENTABLE_HPP

#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <future>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <entable/entity.hpp>
#include <entable/error.hpp>
#include <entable/index.hpp>
#include <entable/patterns.hpp>
#include <entable/query.hpp>
#include <entable/upkeep.hpp>
#include <entable/value.hpp>

#include <entable/detail/convert.hpp>

namespace entable {

/// How a store is opened.
struct Options {
    Mode mode = Mode::Portable;
    bool read_only = false;  ///< Every write is refused, and the file must exist.
    bool must_exist = false; ///< A file that is not there is not made.
    /// Opens for reading only, without a lock file, a file that nobody writes meanwhile: one on a disk or in a folder that
    /// forbids writing. It is the caller's word that nobody does.
    bool immutable = false;
    /// Goes through the whole file before it is opened, as `verify` does, and throws CorruptError if it is damaged.
    bool check = false;
    /// The bytes that the file may take: a write that would go beyond throws FullError. Kept in the file, for every
    /// process; without it that stays as it is, and 0 takes it away. At least 1 MiB.
    std::optional<std::uint64_t> max_size = std::nullopt;
    /// Takes the time of writes from here: for tests. Called by any thread that writes, also by several at once, as long
    /// as a handle of the store lives. It must not call the store. What is no instant, or throws, is taken for now.
    std::function<DateTime()> clock = nullptr;
};

/// The pages of an answer, each read from one moment of the store when it is asked for. Nothing is held between them.
class Pages {
public:
    /// The next page; nothing at the end, or after an error.
    std::optional<Page> next() {
        rust::Box<detail::Page> page = detail::checked([&] { return pages_->next(); });
        if (page->is_end()) return std::nullopt;
        return detail::read_page(*page);
    }

private:
    friend class Table;
    explicit Pages(rust::Box<detail::Pages> pages) : pages_(std::move(pages)) {}

    detail::Handle<detail::Pages> pages_;
};

/// The entities of an answer, in key order, read page by page: `for (const Entity &order : table.query_entities(...))`.
/// To be gone through once.
class Entities {
public:
    /// The next entity, or null at the end. Lent until the next call; it may be moved from.
    Entity *next() {
        while (at_ >= page_.entities.size()) {
            std::optional<Page> page = pages_.next();
            if (!page) return nullptr;
            page_ = std::move(*page);
            at_ = 0;
        }
        return &page_.entities[at_++];
    }

    struct End {};
    class Iterator {
    public:
        Entity &operator*() const { return *current_; }
        Entity *operator->() const { return current_; }
        Iterator &operator++() {
            current_ = entities_->next();
            return *this;
        }
        friend bool operator!=(const Iterator &at, End) { return at.current_ != nullptr; }
        friend bool operator==(const Iterator &at, End) { return at.current_ == nullptr; }

    private:
        friend class Entities;
        explicit Iterator(Entities &entities) : entities_(&entities), current_(entities.next()) {}

        Entities *entities_;
        Entity *current_;
    };

    Iterator begin() { return Iterator(*this); }
    End end() { return {}; }

    /// The same answer page by page. What the current page still holds is not given again.
    Pages by_page() && { return std::move(pages_); }

private:
    friend class Table;
    explicit Entities(Pages pages) : pages_(std::move(pages)) {}

    Pages pages_;
    Page page_;
    std::size_t at_ = 0;
};

/// The store as it was at one moment. Read it through `Table::at`. While it lives, the space of what is overwritten and
/// deleted meanwhile is not used again: let go of it soon.
class Snapshot {
public:
    /// The names of the tables that there were.
    std::vector<std::string> list_tables() const {
        return detail::texts(detail::checked([&] { return snapshot_->list_tables(); }));
    }

    /// Ends the snapshot, also for tables that read through it. Ending twice does no harm.
    void close() {
        detail::checked([&] { snapshot_->close(); });
    }

private:
    friend class Store;
    friend class Table;
    explicit Snapshot(rust::Box<detail::Snapshot> snapshot) : snapshot_(std::move(snapshot)) {}

    detail::Handle<detail::Snapshot> snapshot_;
};

/// A table: a name in a store, looked up at every call. Every write is durable when it returns, and every read sees the
/// last write. It keeps its store open.
class Table {
public:
    std::string name() const { return detail::to_string(table_->name()); }

    /// The same table as it was at a snapshot: reads see that moment, writes are refused.
    Table at(const Snapshot &snapshot) const {
        return Table(detail::checked([&] { return table_->at(*snapshot.snapshot_); }));
    }

    /// Stores a new entity. ExistsError if there is one with its keys.
    Written create_entity(const Entity &entity) {
        rust::Box<detail::Entity> given = detail::entity_of(entity);
        return detail::written_of(detail::checked([&] { return table_->create_entity(std::move(given)); }));
    }

    /// Changes an entity that is there. NotFoundError if it is not, ModifiedError if it is there in another version.
    Written update_entity(const Entity &entity, UpdateMode mode, const Condition &condition = {}) {
        rust::Box<detail::Entity> given = detail::entity_of(entity);
        return detail::written_of(detail::checked([&] {
            return table_->update_entity(std::move(given), detail::number(mode), detail::number(condition.kind()),
                                         detail::bytes(condition.etag()));
        }));
    }

    /// Changes an entity, or stores it if it is not there. Conditions work too, which the service does not have.
    Written upsert_entity(const Entity &entity, UpdateMode mode, const Condition &condition = {}) {
        rust::Box<detail::Entity> given = detail::entity_of(entity);
        return detail::written_of(detail::checked([&] {
            return table_->upsert_entity(std::move(given), detail::number(mode), detail::number(condition.kind()),
                                         detail::bytes(condition.etag()));
        }));
    }

    /// Removes an entity. NotFoundError if it is not there, ModifiedError if it is there in another version.
    void delete_entity(std::string_view partition_key, std::string_view row_key, const Condition &condition = {}) {
        detail::checked([&] {
            table_->delete_entity(detail::bytes(partition_key), detail::bytes(row_key),
                                  detail::number(condition.kind()), detail::bytes(condition.etag()));
        });
    }

    /// The entity with these keys. NotFoundError if there is none.
    Entity get_entity(std::string_view partition_key, std::string_view row_key) const {
        return detail::read_entity(*detail::checked(
            [&] { return table_->get_entity(detail::bytes(partition_key), detail::bytes(row_key)); }));
    }

    /// These properties of the entity; keys and Timestamp only if named. No names, or `*` among them: everything.
    Entity get_entity(std::string_view partition_key, std::string_view row_key,
                      const std::vector<std::string> &select) const {
        rust::Box<detail::Names> names = detail::names_of(select);
        return detail::read_entity(*detail::checked([&] {
            return table_->get_entity_select(detail::bytes(partition_key), detail::bytes(row_key), *names);
        }));
    }

    /// Whether there is an entity with these keys.
    bool exists(std::string_view partition_key, std::string_view row_key) const {
        return detail::checked([&] { return table_->exists(detail::bytes(partition_key), detail::bytes(row_key)); });
    }

    /// The entities with these keys, in their order, nothing where there is none; all from one moment.
    std::vector<std::optional<Entity>> get_many(const std::vector<Keys> &keys) const {
        rust::Box<detail::Keys> list = detail::new_keys();
        for (const Keys &one : keys) {
            detail::checked([&] { list->add(detail::bytes(one.partition_key), detail::bytes(one.row_key)); });
        }
        rust::Box<detail::Page> found = detail::checked([&] { return table_->get_many(*list); });
        std::vector<std::optional<Entity>> entities(found->count());
        for (std::size_t i = 0; i < entities.size(); i++) {
            if (found->is_there(i)) entities[i] = detail::read_entity(*found, i);
        }
        return entities;
    }

    /// The entities that a query asks for, in the order of PartitionKey and RowKey. What is wrong in the filter is
    /// thrown here, with its position; what is wrong with the table, with the first entity.
    Entities query_entities(const Query &query = {}) const { return Entities(query_pages(query)); }

    /// All entities.
    Entities list_entities() const { return query_entities(); }

    /// The same answer page by page.
    Pages query_pages(const Query &query = {}) const {
        rust::Box<detail::Query> asked = detail::query_of(query);
        return Pages(detail::checked([&] { return table_->query_pages(*asked); }));
    }

    /// One page of a query, from its beginning or from where its token says.
    Page query_page(const Query &query = {}) const {
        rust::Box<detail::Query> asked = detail::query_of(query);
        return detail::read_page(*detail::checked([&] { return table_->query_page(*asked); }));
    }

    /// How many entities a query asks for, exactly, at one moment of the store.
    std::uint64_t count(const Query &query = {}) const {
        rust::Box<detail::Query> asked = detail::query_of(query);
        return detail::checked([&] { return table_->count(*asked); });
    }

    /// An entity group transaction: up to 100 operations on entities of one partition, each entity once, all or
    /// nothing. One result for each operation, nothing for deletions. The error has the failing operation's index.
    std::vector<std::optional<Written>> submit_transaction(const std::vector<Operation> &operations) {
        rust::Box<detail::Operations> list = detail::new_operations();
        for (const Operation &operation : operations) detail::add_operation(*list, operation);
        return detail::results_of(detail::checked([&] { return table_->submit_transaction(*list); }));
    }

    /// One operation without waiting for the disk: it shares a commit with what is submitted meanwhile, in the order of
    /// submission. What is wrong with the operation by itself is thrown here. Waits only while more than a thousand
    /// operations are queued.
    ///
    /// `completion` is called once with the result (nothing for a deletion), or with an exception that is not null, on
    /// the thread that writes, which all writes wait for: hand the outcome on to the event loop and return. It may read
    /// and submit; a write that waits is an error there, not a deadlock. What it throws is forgotten.
    void submit(const Operation &operation,
                std::function<void(std::optional<Written>, std::exception_ptr)> completion) {
        rust::Box<detail::Operations> list = detail::new_operations();
        detail::add_operation(*list, operation);
        detail::checked([&] { table_->submit(*list, detail::completion_of(std::move(completion))); });
    }

    /// The same with a future. Not to be waited for in a completion.
    std::future<std::optional<Written>> submit(const Operation &operation) {
        const auto promise = std::make_shared<std::promise<std::optional<Written>>>();
        submit(operation, [promise](std::optional<Written> written, std::exception_ptr exception) {
            if (exception) {
                promise->set_exception(std::move(exception));
            } else {
                promise->set_value(std::move(written));
            }
        });
        return promise->get_future();
    }

    /// Deletes the entities that a query asks for, up to its limit, all or none. Tells how many.
    std::uint64_t delete_entities(const Query &query) {
        rust::Box<detail::Query> asked = detail::query_of(query);
        return detail::checked([&] { return table_->delete_entities(*asked); });
    }

    /// The same in steps of at most `chunk`, each a transaction of its own: other writers get their turn in between, and
    /// what was deleted before an error stays deleted.
    std::uint64_t delete_entities_in_chunks(const Query &query, std::uint64_t chunk) {
        rust::Box<detail::Query> asked = detail::query_of(query);
        return detail::checked([&] { return table_->delete_entities_in_chunks(*asked, chunk); });
    }

    /// The PartitionKeys that the table has, in order, each once: from one partition to the next, without the entities.
    std::vector<std::string> partition_keys() const {
        return detail::texts(detail::checked([&] { return table_->partition_keys(); }));
    }

    /// Answers a query, and tells how: all its pages are read.
    Explain explain(const Query &query = {}) const {
        rust::Box<detail::Query> asked = detail::query_of(query);
        return detail::explain_of(detail::checked([&] { return table_->explain(*asked); }));
    }

    /// Declares an index and builds it: returns when queries use it; readers and writers go on meanwhile. ExistsError if
    /// it is there, or if two entities hold a value of a unique one: the error names both. Behind any error there is no
    /// index.
    void create_index(const Index &index) { create_index(index, false); }

    /// Declares an index and builds it, if it is not there with the same declaration.
    void create_index_if_not_exists(const Index &index) { create_index(index, true); }

    /// Drops an index. NotFoundError if it is not there.
    void drop_index(std::string_view name) {
        detail::checked([&] { table_->drop_index(detail::bytes(name)); });
    }

    /// The declared indexes.
    std::vector<Index> list_indexes() const {
        std::vector<Index> indexes;
        for (const detail::Index &listed : detail::checked([&] { return table_->list_indexes(); })) {
            Index index(std::string(listed.name), detail::texts(listed.properties));
            index.scope_ = static_cast<Scope>(listed.scope);
            index.projection_ = static_cast<Projection>(listed.projection);
            index.projected_ = detail::texts(listed.projected);
            index.is_unique_ = listed.is_unique;
            index.folds_case_ = listed.folds_case;
            index.state_ = static_cast<IndexState>(listed.state);
            indexes.push_back(std::move(index));
        }
        return indexes;
    }

    /// What each index holds, and how often it was used. Reads all entries of the indexes.
    std::vector<IndexStats> index_stats() const {
        std::vector<IndexStats> list;
        for (const detail::IndexStats &one : detail::checked([&] { return table_->index_stats(); })) {
            list.push_back({std::string(one.name), one.entries, one.missing, one.distinct_values,
                            one.most_frequent_share, one.bytes, one.uses});
        }
        return list;
    }

    /// What would make writes or queries cheaper: indexes that could go, and such as are missing for filters that this
    /// process asked since it opened the store. Reads all entries of the indexes.
    std::vector<Advice> advise() const {
        return detail::advice_of(detail::checked([&] { return table_->advise(); }));
    }

private:
    friend class Store;
    friend class Transaction;
    explicit Table(rust::Box<detail::Table> table) : table_(std::move(table)) {}

    void create_index(const Index &index, bool may_exist) {
        rust::Box<detail::Names> properties = detail::names_of(index.properties());
        rust::Box<detail::Names> projected = detail::names_of(index.projected());
        const detail::IndexOptions options{detail::number(index.scope()), detail::number(index.projection()),
                                           index.is_unique(), index.folds_case(), may_exist};
        detail::checked([&] { table_->create_index(detail::bytes(index.name()), *properties, *projected, options); });
    }

    detail::Handle<detail::Table> table_;
};

/// A transaction that a program is in the middle of: through its tables it reads what it has written itself, nobody else
/// sees it, and other writers wait until it ends. Reads outside of it go on.
///
/// It is rolled back when it ends with its scope without `commit`. It and its tables are for the thread that began it;
/// that thread cannot write through the store meanwhile: such a call throws BusyError. `Store::transaction` is the form
/// to prefer.
class Transaction {
public:
    /// The table of this name in the transaction: it serves to read and write entities and to declare indexes, not to
    /// submit or to explain. After the transaction has ended its calls throw InvalidError.
    Table table(std::string_view name) const {
        return Table(detail::checked([&] { return transaction_->table(detail::bytes(name)); }));
    }

    /// Makes a table. ExistsError if it is there.
    Table create_table(std::string_view name) {
        return Table(detail::checked([&] { return transaction_->create_table(detail::bytes(name), false); }));
    }

    /// Makes a table if it is not there.
    Table create_table_if_not_exists(std::string_view name) {
        return Table(detail::checked([&] { return transaction_->create_table(detail::bytes(name), true); }));
    }

    /// Deletes a table with all its entities. NotFoundError if it is not there.
    void delete_table(std::string_view name) {
        detail::checked([&] { transaction_->delete_table(detail::bytes(name)); });
    }

    /// The names of the tables as the transaction sees them.
    std::vector<std::string> list_tables() const {
        return detail::texts(detail::checked([&] { return transaction_->list_tables(); }));
    }

    /// Ends the transaction and makes it durable. It has ended also after an exception.
    void commit() {
        detail::checked([&] { transaction_->commit(); });
    }

    /// Ends the transaction with nothing done. Ending twice does no harm.
    void rollback() {
        detail::checked([&] { transaction_->roll_back(); });
    }

private:
    friend class Store;
    explicit Transaction(rust::Box<detail::Transaction> transaction) : transaction_(std::move(transaction)) {}

    detail::Handle<detail::Transaction> transaction_;
};

/// One write of a store-wide transaction. The table must live until the call.
struct BatchOperation {
    const Table *table;
    Operation operation;
};

/// An open store: one file of tables. It is closed with the last handle of it, tables included.
class Store {
public:
    /// Opens the store in the file at `path`, made with the folders above it if it is not there; `":memory:"` is a new
    /// store that vanishes with its last handle.
    static Store open(std::string_view path, const Options &options = {}) {
        std::unique_ptr<detail::Clock> clock;
        if (options.clock) clock = std::make_unique<detail::Clock>(options.clock);
        const detail::Options with{detail::number(options.mode), options.read_only, options.immutable,
                                   options.must_exist, options.check,
                                   {options.max_size.has_value(), options.max_size.value_or(0)}};
        return Store(detail::checked([&] { return detail::open_store(detail::bytes(path), with, std::move(clock)); }));
    }

    /// Ends the store for all its handles, tables and snapshots: later calls throw ClosedError. Closing twice does no
    /// harm.
    void close() {
        detail::checked([&] { store_->close(); });
    }

    /// The mode that the store was opened in.
    Mode mode() const { return static_cast<Mode>(store_->mode()); }

    /// A handle to the table of this name. That there is no such table shows when it is used.
    Table table(std::string_view name) const {
        return Table(detail::checked([&] { return store_->table(detail::bytes(name)); }));
    }

    /// Makes a table. ExistsError if it is there.
    Table create_table(std::string_view name) {
        return Table(detail::checked([&] { return store_->create_table(detail::bytes(name)); }));
    }

    /// Makes a table if it is not there.
    Table create_table_if_not_exists(std::string_view name) {
        return Table(detail::checked([&] { return store_->create_table_if_not_exists(detail::bytes(name)); }));
    }

    /// Deletes a table with all its entities. NotFoundError if it is not there.
    void delete_table(std::string_view name) {
        detail::checked([&] { store_->delete_table(detail::bytes(name)); });
    }

    /// The names of all tables as they were created, in the order of their lower-cased names.
    std::vector<std::string> list_tables() const {
        return detail::texts(detail::checked([&] { return store_->list_tables(); }));
    }

    /// The names of the tables that a filter on `TableName` asks for.
    std::vector<std::string> query_tables(const Query &query) const {
        rust::Box<detail::Query> asked = detail::query_of(query);
        return detail::texts(detail::checked([&] { return store_->query_tables(*asked); }));
    }

    /// A store-wide transaction: operations on any tables and partitions, any number, all or nothing.
    std::vector<std::optional<Written>> submit_batch(const std::vector<BatchOperation> &operations) {
        rust::Box<detail::Operations> list = detail::new_operations();
        rust::Box<detail::Tables> tables = detail::new_tables();
        for (const BatchOperation &one : operations) {
            detail::add_operation(*list, one.operation);
            if (!one.table) detail::throw_misuse("table", "It must not be null.");
            detail::checked([&] { tables->add(*one.table->table_); });
        }
        return detail::results_of(detail::checked([&] { return store_->submit_batch(*tables, *list); }));
    }

    /// All that a pattern writes for the change of a row, in one transaction.
    std::vector<std::optional<Written>> submit_batch(const patterns::Changes &changes) {
        return detail::results_of(detail::checked([&] { return store_->submit_changes(changes.get()); }));
    }

    /// The store as it is now, to be read for as long as one likes.
    Snapshot snapshot() const {
        return Snapshot(detail::checked([&] { return store_->snapshot(); }));
    }

    /// Begins a transaction of this thread. Waits for other writers; they wait then until it ends.
    Transaction begin() {
        return Transaction(detail::checked([&] { return store_->begin(); }));
    }

    /// Runs `work` in a transaction, which is committed if it returns, and rolled back if it throws. Gives what `work`
    /// gives.
    template <class Work> auto transaction(Work &&work) {
        Transaction begun = begin();
        if constexpr (std::is_void_v<std::invoke_result_t<Work, Transaction &>>) {
            std::forward<Work>(work)(begun);
            begun.commit();
        } else {
            auto outcome = std::forward<Work>(work)(begun);
            begun.commit();
            return outcome;
        }
    }

    /// Returns when everything is durable that was written, or submitted, before the call. A write is durable when its
    /// call returns, so this is for those of `Table::submit`.
    void sync() {
        detail::checked([&] { store_->sync(); });
    }

    /// What the store says of itself.
    Stats stats() const {
        return detail::stats_of(detail::checked([&] { return store_->stats(); }));
    }

    /// What would make writes or queries of all tables cheaper.
    std::vector<Advice> advise() const {
        return detail::advice_of(detail::checked([&] { return store_->advise(); }));
    }

    /// Copies the store as it is now into a new file, while it is in use. The file gets its name when it is whole and
    /// durable. ExistsError if there is one.
    Copied backup(std::string_view path, const Progress &progress = nullptr) const {
        const detail::Progress told(progress);
        return detail::copied_of(detail::checked([&] { return store_->backup(detail::bytes(path), told); }));
    }

    /// Writes the store as it is now into a new file, to take its place: in key order, without room that is not used.
    Copied compact_into(std::string_view path, const Progress &progress = nullptr) const {
        const detail::Progress told(progress);
        return detail::copied_of(detail::checked([&] { return store_->compact_into(detail::bytes(path), told); }));
    }

    /// Writes the store's file anew and puts the new one in its place, in one step. BusyError while another process has
    /// the file open, or this one in another store, a snapshot or a transaction.
    Copied compact(const Progress &progress = nullptr) {
        const detail::Progress told(progress);
        return detail::copied_of(detail::checked([&] { return store_->compact(told); }));
    }

private:
    explicit Store(rust::Box<detail::Store> store) : store_(std::move(store)) {}

    detail::Handle<detail::Store> store_;
};

/// Goes through the store in the file at `path`: every page and its place, every entity with its checksum, index entries,
/// too. Nothing is written, the file may be in use, and no damage can crash the process: it is in the report.
inline Report verify(std::string_view path, const Progress &progress = nullptr) {
    const detail::Progress told(progress);
    return detail::report_of(detail::checked([&] { return detail::verify_file(detail::bytes(path), told); }));
}

/// Bytes of an entity by the published formula, which the limit of 1 MiB counts.
inline std::size_t size_bytes(const Entity &entity) {
    return detail::entity_of(entity)->size_bytes();
}

/// Reads an entity from the service's JSON, and checks it by the rules of a mode.
inline Entity entity_from_json(std::string_view text, Mode mode = Mode::Portable) {
    return detail::read_entity(
        *detail::checked([&] { return detail::entity_from_json(detail::bytes(text), detail::number(mode)); }));
}

/// How much an entity's JSON says about itself.
enum class Metadata : std::uint8_t {
    None = 0,    ///< Values alone. Types are lost: an Int64 is a text like any other.
    Minimal = 1, ///< The ETag, and the types that JSON does not tell: what reads back as it was.
    Full = 2,    ///< Also the type of Timestamp.
};

/// Writes an entity as the service's JSON, with the Timestamp and ETag that it was read with.
inline std::string entity_to_json(const Entity &entity, Metadata metadata = Metadata::Minimal) {
    rust::Box<detail::Names> names = detail::new_names();
    rust::Box<detail::Entity> given = detail::versioned_entity_of(entity);
    return std::string(detail::checked([&] { return given->to_json(detail::number(metadata), false, *names); }));
}

/// The same of these properties alone, and null for each that the entity lacks.
inline std::string entity_to_json(const Entity &entity, Metadata metadata, const std::vector<std::string> &select) {
    rust::Box<detail::Names> names = detail::names_of(select);
    rust::Box<detail::Entity> given = detail::versioned_entity_of(entity);
    return std::string(detail::checked([&] { return given->to_json(detail::number(metadata), true, *names); }));
}

/// Reads a GUID from 32 hexadecimal digits in groups of 8-4-4-4-12, in any case.
inline Guid parse_guid(std::string_view text) {
    return Guid{detail::checked([&] { return detail::parse_guid(detail::bytes(text)); })};
}

/// The text of a GUID, in lower case.
inline std::string to_string(const Guid &guid) {
    return std::string(detail::format_guid(guid.bytes));
}

/// Reads an instant from the text of a DateTime, by the rules of a mode; without a zone it means UTC.
inline DateTime parse_date_time(std::string_view text, Mode mode = Mode::Portable) {
    return DateTime(Ticks(
        detail::checked([&] { return detail::parse_date_time(detail::bytes(text), detail::number(mode)); })));
}

/// The text of an instant, such as `2013-08-22T01:12:06.2608595Z`.
inline std::string to_string(DateTime time) {
    return std::string(detail::checked([&] { return detail::format_date_time(time.time_since_epoch().count()); }));
}

} // namespace entable

#include <entable/keys.hpp>

#endif
