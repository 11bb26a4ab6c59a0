// Tables: the verbs on their entities, indexes, relations and feeds; answers and snapshots.

#ifndef ENTABLE_TABLE_HPP
#define ENTABLE_TABLE_HPP

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <future>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <entable/entity.hpp>
#include <entable/error.hpp>
#include <entable/feeds.hpp>
#include <entable/index.hpp>
#include <entable/query.hpp>
#include <entable/relations.hpp>
#include <entable/value.hpp>

#include <entable/detail/convert.hpp>
#include <entable/detail/follow.hpp>

namespace entable {

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

/// The changes behind a position, in the order in which they were made, read page by page:
/// `for (Change &change : table.changes(position))`. To be gone through once.
class Changes {
public:
    /// The next change, or null at the end. Lent until the next call; it may be moved from.
    Change *next() {
        rust::Box<detail::ChangePage> page = detail::checked([&] { return changes_->next(); });
        page_ = detail::change_page_of(*page);
        return page_.changes.empty() ? nullptr : &page_.changes.front();
    }

    struct End {};
    class Iterator {
    public:
        Change &operator*() const { return *current_; }
        Change *operator->() const { return current_; }
        Iterator &operator++() {
            current_ = changes_->next();
            return *this;
        }
        friend bool operator!=(const Iterator &at, End) { return at.current_ != nullptr; }
        friend bool operator==(const Iterator &at, End) { return at.current_ == nullptr; }

    private:
        friend class Changes;
        explicit Iterator(Changes &changes) : changes_(&changes), current_(changes.next()) {}

        Changes *changes_;
        Change *current_;
    };

    Iterator begin() { return Iterator(*this); }
    End end() { return {}; }

private:
    friend class Table;
    explicit Changes(rust::Box<detail::FeedChanges> changes) : changes_(std::move(changes)) {}

    detail::Handle<detail::FeedChanges> changes_;
    ChangePage page_;
};

/// A named reader of a table's changes, whose position is kept in the store.
///
/// It gets every change at least once: what it does with them, and `advance`, are two things, so that after a kill in
/// between it gets them again. Where the work is done in the same store, do both in one transaction: ask `Table::consumer`
/// of the table in it, and advance that one. Then it is done exactly once.
class Consumer {
public:
    std::string name() const { return detail::to_string(consumer_->name()); }

    /// What it is done with. NotFoundError if there is no such consumer.
    std::string position() const {
        return std::string(detail::checked([&] { return consumer_->position(); }));
    }

    /// The next changes that it is not done with, as `Table::read_changes`. The same ones again until it says so.
    ChangePage read(std::size_t most) const {
        return detail::change_page_of(*detail::checked([&] { return consumer_->read(most); }));
    }

    /// Waits until there is a change that it is not done with: as `Table::wait_for_changes`.
    bool wait(std::chrono::nanoseconds timeout) const {
        const std::uint64_t milliseconds = detail::timeout_of(timeout);
        return detail::checked([&] { return consumer_->wait(milliseconds); });
    }

    /// Notes, durably, that it is done with all changes up to a position: that of a page, or `Change::behind`. One that is
    /// further already stays where it is.
    void advance(std::string_view position) {
        detail::checked([&] { consumer_->advance(detail::bytes(position)); });
    }

    /// Moves it to a position, back or forth: to do changes again, or to leave some out.
    void seek(std::string_view position) {
        detail::checked([&] { consumer_->seek(detail::bytes(position)); });
    }

private:
    friend class Table;
    explicit Consumer(rust::Box<detail::Consumer> consumer) : consumer_(std::move(consumer)) {}

    detail::Handle<detail::Consumer> consumer_;
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
        const detail::ConditionQuery query(condition);
        rust::Box<detail::Entity> given = detail::entity_of(entity);
        return detail::written_of(detail::checked([&] {
            return table_->update_entity(std::move(given), detail::number(mode), detail::number(condition.kind()),
                                         detail::bytes(condition.etag()), *query);
        }));
    }

    /// Changes an entity, or stores it if it is not there. Conditions work too, which the service does not have.
    Written upsert_entity(const Entity &entity, UpdateMode mode, const Condition &condition = {}) {
        const detail::ConditionQuery query(condition);
        rust::Box<detail::Entity> given = detail::entity_of(entity);
        return detail::written_of(detail::checked([&] {
            return table_->upsert_entity(std::move(given), detail::number(mode), detail::number(condition.kind()),
                                         detail::bytes(condition.etag()), *query);
        }));
    }

    /// Removes an entity. NotFoundError if it is not there, ModifiedError if it is there in another version.
    void delete_entity(std::string_view partition_key, std::string_view row_key, const Condition &condition = {}) {
        const detail::ConditionQuery query(condition);
        detail::checked([&] {
            table_->delete_entity(detail::bytes(partition_key), detail::bytes(row_key),
                                  detail::number(condition.kind()), detail::bytes(condition.etag()), *query);
        });
    }

    /// Stores a new entity, or finds the one that is there with its keys, which stays as it is.
    CreatedOrFound create_or_get_entity(const Entity &entity) {
        rust::Box<detail::Entity> given = detail::entity_of(entity);
        bool is_created = false;
        rust::Box<detail::Entity> got =
            detail::checked([&] { return table_->create_or_get_entity(std::move(given), is_created); });
        return {detail::read_entity(*got), is_created};
    }

    /// Gives an entity other keys, with all that it has, in one transaction. NotFoundError if it is not there, ExistsError if
    /// there is one with the new keys, ModifiedError if the condition on the entity as it is before does not hold.
    Written move_entity(const Keys &from, const Keys &to, const Condition &condition = {}) {
        const detail::ConditionQuery query(condition);
        rust::Box<detail::Keys> pair = detail::pair_of(from, to);
        return detail::written_of(detail::checked([&] {
            return table_->move_entity(*pair, detail::number(condition.kind()), detail::bytes(condition.etag()), *query);
        }));
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

    /// The relations in which the table's entities are children, in the order in which they were declared. Not in a
    /// transaction, as all that is about relations: there the writes themselves are held to them.
    std::vector<Relation> relations() const {
        std::vector<Relation> list;
        for (const detail::Relation &one : detail::checked([&] { return table_->relations(); })) {
            list.push_back(detail::relation_of(one));
        }
        return list;
    }

    /// The children of a parent in this relation of the table, in the order of their keys: one range read. NotFoundError if
    /// there is no such relation.
    Entities linked(std::string_view relation, const Keys &parent) const {
        return Entities(Pages(detail::checked([&] {
            return table_->linked(detail::bytes(relation), detail::bytes(parent.partition_key), detail::bytes(parent.row_key));
        })));
    }

    /// The question for the children of a parent: to be paged, counted, or asked for some properties.
    Query linked_query(std::string_view relation, const Keys &parent) const {
        return Query(std::string(detail::checked([&] {
            return table_->linked_filter(detail::bytes(relation), detail::bytes(parent.partition_key),
                                         detail::bytes(parent.row_key));
        })));
    }

    /// The parent in this relation of the entity with these keys; nothing if it has none. NotFoundError if the entity itself
    /// is not there.
    std::optional<Entity> parent_of(std::string_view relation, std::string_view partition_key,
                                    std::string_view row_key) const {
        rust::Box<detail::Page> found = detail::checked([&] {
            return table_->parent_of(detail::bytes(relation), detail::bytes(partition_key), detail::bytes(row_key));
        });
        if (!found->is_there(0)) return std::nullopt;
        return detail::read_entity(*found, 0);
    }

    /// Links an entity of the table to a parent: writes the properties of the relation into it. `Code::LinkTargetNotFound` if
    /// there is no such parent, NotFoundError if the entity is not there, InvalidError if a key of it links it elsewhere.
    void link(std::string_view relation, const Keys &child, const Keys &parent) {
        rust::Box<detail::Keys> pair = detail::pair_of(child, parent);
        detail::checked([&] { table_->link(detail::bytes(relation), *pair); });
    }

    /// Removes the properties that link an entity of the table to its parent. Tells whether it was linked.
    bool unlink(std::string_view relation, std::string_view partition_key, std::string_view row_key) {
        return detail::checked([&] {
            return table_->unlink(detail::bytes(relation), detail::bytes(partition_key), detail::bytes(row_key));
        });
    }

    /// The table's entities whose parents are not there, at most so many, in the order of their keys. Looks at every entity.
    std::vector<Orphan> orphans(std::string_view relation, std::size_t most) const {
        std::vector<Orphan> list;
        for (const detail::Orphan &one :
             detail::checked([&] { return table_->orphans(detail::bytes(relation), most); })) {
            list.push_back(detail::orphan_of(one));
        }
        return list;
    }

    /// Repairs all orphans of a relation, in steps of a thousand, and tells how many there were.
    std::uint64_t repair_orphans(std::string_view relation, Repair repair) {
        return detail::checked([&] { return table_->repair_orphans(detail::bytes(relation), detail::number(repair)); });
    }

    /// Switches the change feed of the table on, or changes the settings of the one that it has. From then on every write of
    /// the table notes its changes in its own transaction; what the table holds already is in no change.
    void set_feed(const Feed &feed) {
        const detail::FeedSettings settings = detail::settings_of(feed);
        detail::checked([&] { table_->set_feed(settings); });
    }

    /// Switches the change feed off: its changes and consumers are gone at once. NotFoundError if there is none.
    void drop_feed() {
        detail::checked([&] { table_->drop_feed(); });
    }

    /// The feed of the table: its settings, where it begins and ends, and its consumers. Not in a transaction, as all that
    /// reads changes. NotFoundError if there is none.
    FeedInfo feed() const {
        return detail::feed_info_of(detail::checked([&] { return table_->feed(); }));
    }

    /// The next changes behind a position: whole commits, until there are `most` of them or more, or some MiB. A commit with
    /// more comes as one. `Code::ChangesNotKept` if changes behind the position are gone; InvalidError for what is no
    /// position, or one of another store or table.
    ChangePage read_changes(std::string_view position, std::size_t most) const {
        return detail::change_page_of(
            *detail::checked([&] { return table_->read_changes(detail::bytes(position), most); }));
    }

    /// The changes behind a position, one by one, to the end that the feed has when that is come to.
    Changes changes(std::string_view position) const {
        return Changes(detail::checked([&] { return table_->changes(detail::bytes(position)); }));
    }

    /// Waits until there is a change behind a position, at most so long, in steps of a millisecond. Tells whether there is. A
    /// write of this process ends the wait at once, one of another within some 10 ms.
    bool wait_for_changes(std::string_view position, std::chrono::nanoseconds timeout) const {
        const std::uint64_t milliseconds = detail::timeout_of(timeout);
        return detail::checked([&] { return table_->wait_for_changes(detail::bytes(position), milliseconds); });
    }

    /// Removes all changes that the feed's settings do not keep any more, in steps, and tells how many. It is done now and
    /// then without being asked.
    std::uint64_t trim_feed() {
        return detail::checked([&] { return table_->trim_feed(); });
    }

    /// Names a consumer, whose position the store keeps from now on; one of the name that is there already stays where it
    /// is. A name has 1 to 255 bytes.
    Consumer create_consumer(std::string_view name, const FeedStart &start) {
        return Consumer(detail::checked([&] {
            return table_->create_consumer(detail::bytes(name), detail::number(start.kind()),
                                           detail::bytes(start.position()));
        }));
    }

    /// A handle to a consumer. That there is none shows when it is used. One of a table in a transaction advances there.
    Consumer consumer(std::string_view name) const {
        return Consumer(detail::checked([&] { return table_->consumer(detail::bytes(name)); }));
    }

    /// Forgets a consumer: changes do not wait for it any more. NotFoundError if there is none.
    void drop_consumer(std::string_view name) {
        detail::checked([&] { table_->drop_consumer(detail::bytes(name)); });
    }

private:
    friend class Store;
    friend class Join;
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

/// Links between the entities of two tables, any number from each side: a table of its own, with an entity for each pair,
/// which may have properties of its own. A link to an entity that is not there is refused, and either entity's delete is
/// refused or takes its links along, as declared.
class Join {
public:
    /// The table of the pairs.
    Table table() const { return Table(join_->table()); }

    /// Links two entities. Tells whether they were not linked before. `Code::LinkTargetNotFound` if one is not there.
    bool link(const Keys &left, const Keys &right) {
        rust::Box<detail::Keys> pair = detail::pair_of(left, right);
        return detail::checked([&] { return join_->link(*pair); });
    }

    /// Takes the link of two entities away. Tells whether they were linked.
    bool unlink(const Keys &left, const Keys &right) {
        rust::Box<detail::Keys> pair = detail::pair_of(left, right);
        return detail::checked([&] { return join_->unlink(*pair); });
    }

    /// Whether two entities are linked.
    bool is_linked(const Keys &left, const Keys &right) const {
        rust::Box<detail::Keys> pair = detail::pair_of(left, right);
        return detail::checked([&] { return join_->is_linked(*pair); });
    }

    /// The right entities that a left one is linked to, a page of at most so many: from the start, or where the token of
    /// another page of the same question says.
    Page rights(const Keys &left, std::size_t page_size, std::string_view token = {}) const {
        return detail::read_page(*detail::checked([&] {
            return join_->rights(detail::bytes(left.partition_key), detail::bytes(left.row_key), page_size,
                                 detail::bytes(token));
        }));
    }

    /// The left entities that are linked to a right one, as `rights`.
    Page lefts(const Keys &right, std::size_t page_size, std::string_view token = {}) const {
        return detail::read_page(*detail::checked([&] {
            return join_->lefts(detail::bytes(right.partition_key), detail::bytes(right.row_key), page_size,
                                detail::bytes(token));
        }));
    }

private:
    friend class Store;
    explicit Join(rust::Box<detail::Join> join) : join_(std::move(join)) {}

    detail::Handle<detail::Join> join_;
};

} // namespace entable

#endif
