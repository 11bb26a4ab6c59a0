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
#include <entable/table.hpp>
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

    /// Makes a table with a change feed, in one transaction. ExistsError if it is there. In a transaction a table is made
    /// first, then its feed.
    Table create_table_with_feed(std::string_view name, const Feed &feed) {
        const detail::FeedSettings settings = detail::settings_of(feed);
        return Table(detail::checked([&] { return store_->create_table_with_feed(detail::bytes(name), settings); }));
    }

    /// Declares a relation: from now on no write of either table leaves a link that leads nowhere, in whatever way it comes.
    /// A child may be stored if its parent is there, or was stored before it in the same transaction. ExistsError if it is
    /// declared.
    void create_relation(const Relation &relation) { create_relation(relation, false); }

    /// Declares a relation, if it is not there with the same declaration.
    void create_relation_if_not_exists(const Relation &relation) { create_relation(relation, true); }

    /// Drops a relation of a table of children: links may lead anywhere from now on. NotFoundError if it is not there.
    void drop_relation(std::string_view child, std::string_view relation) {
        detail::checked([&] { store_->drop_relation(detail::bytes(child), detail::bytes(relation)); });
    }

    /// Makes a table of pairs, of entities of table `left` and of table `right`, which may be the same; what is there already
    /// is taken as it is.
    Join create_join(std::string_view name, std::string_view left, std::string_view right, OnDelete on_delete) {
        return Join(detail::checked([&] {
            return store_->create_join(detail::bytes(name), detail::bytes(left), detail::bytes(right),
                                       detail::number(on_delete));
        }));
    }

    /// A handle to a table of pairs. That there is none shows when it is used.
    Join join(std::string_view name) const {
        return Join(detail::checked([&] { return store_->join(detail::bytes(name)); }));
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
    void create_relation(const Relation &relation, bool may_exist) {
        rust::Box<detail::Keys> keys = detail::new_keys();
        if (const std::optional<Keys> &given = relation.keys()) {
            detail::checked([&] { keys->add(detail::bytes(given->partition_key), detail::bytes(given->row_key)); });
        }
        detail::checked([&] {
            store_->create_relation(detail::bytes(relation.name()), detail::bytes(relation.child()),
                                    detail::bytes(relation.parent()), *keys, detail::number(relation.on_delete()),
                                    may_exist);
        });
    }

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
