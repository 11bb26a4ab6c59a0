// Questions to a table, and the writes that a transaction is a list of: plain values of C++.

#ifndef ENTABLE_QUERY_HPP
#define ENTABLE_QUERY_HPP

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <entable/entity.hpp>

namespace entable {

/// Which limits and which filter language hold. Not stored in the file.
enum class Mode : std::uint8_t {
    Portable = 0, ///< The service's limits; filters compare numbers by value, and the store's functions are allowed.
    Strict = 1,   ///< Whatever the service refuses is refused: for testing programs for the cloud.
    Extended = 2, ///< The limits lifted to what the store can do; filters as in `Portable`.
};

/// What an update, or an upsert that finds the entity, does to the properties that it does not name.
enum class UpdateMode : std::uint8_t {
    Merge = 0,   ///< They stay as they are, but for those of `Entity::add` and `Entity::erase`.
    Replace = 1, ///< They are removed.
};

/// The two keys of an entity.
struct Keys {
    std::string partition_key;
    std::string row_key;
};

/// A question: a filter, and what of the answer is wanted.
///
///     Query("Total gt @least").parameter("least", 10.5).select({"RowKey", "Total"}).limit(10)
class Query {
public:
    /// All entities.
    Query() = default;
    /// The entities that the text asks for.
    Query(std::string filter) : filter_(std::move(filter)) {}
    Query(const char *filter) : filter_(filter) {}

    /// The value of `@name` in the filter's text. It is put into the parsed filter, so no value can change what the
    /// filter asks.
    Query &parameter(std::string_view name, Value value) {
        parameters_.set(name, std::move(value));
        return *this;
    }
    Query &parameter(std::string_view name, const char *text) { return parameter(name, Value(std::string(text))); }

    /// Only these properties; keys and Timestamp only if named. No names, or `*` among them: everything.
    Query &select(std::vector<std::string> names) {
        select_ = std::move(names);
        return *this;
    }
    /// At most this many entities in all, over all pages.
    Query &limit(std::uint64_t entities) {
        limit_ = entities;
        return *this;
    }
    /// How many entities a page holds: 1,000 by default, any number but 0; in strict mode 1,000 is the most.
    Query &page_size(std::size_t entities) {
        page_size_ = entities;
        return *this;
    }
    /// Largest keys first. Strict mode refuses it.
    Query &descending() {
        descending_ = true;
        return *this;
    }
    /// In the order of these properties, several with commas between, instead of that of the keys: all ascending, with
    /// `descending` all descending. What lacks a property comes first. NotSupportedError where no index gives this order.
    Query &order_by(std::string property) {
        order_by_ = std::move(property);
        return *this;
    }
    /// Goes on where a page of the same query ended.
    Query &continue_from(std::string token) {
        continuation_token_ = std::move(token);
        return *this;
    }
    /// Reads and compares by the rules of this mode instead of the store's.
    Query &mode(Mode mode) {
        mode_ = mode;
        return *this;
    }

    /// Gives the answer up when this says so, or throws: it is called every few hundred rows, in the midst of a read, by the
    /// thread that reads, also by several at once. The call then throws CancelledError, and nothing of it is done. What it
    /// waits for, others may wait for, too.
    Query &stop_if(std::function<bool()> is_over) {
        stop_ = std::move(is_over);
        return *this;
    }

    const std::string &filter() const noexcept { return filter_; }
    const Entity &parameters() const noexcept { return parameters_; }
    const std::optional<std::vector<std::string>> &selected() const noexcept { return select_; }
    const std::optional<std::uint64_t> &limit() const noexcept { return limit_; }
    const std::optional<std::size_t> &page_size() const noexcept { return page_size_; }
    bool is_descending() const noexcept { return descending_; }
    const std::optional<std::string> &order_property() const noexcept { return order_by_; }
    const std::optional<std::string> &continuation_token() const noexcept { return continuation_token_; }
    const std::optional<Mode> &mode() const noexcept { return mode_; }
    const std::function<bool()> &stop() const noexcept { return stop_; }

private:
    std::string filter_;
    /// An entity without keys: a set of named values of every type.
    Entity parameters_;
    std::optional<std::vector<std::string>> select_;
    std::optional<std::uint64_t> limit_;
    std::optional<std::size_t> page_size_;
    bool descending_ = false;
    std::optional<std::string> order_by_;
    std::optional<std::string> continuation_token_;
    std::optional<Mode> mode_;
    std::function<bool()> stop_;
};

/// What must hold of the stored entity for a write to be done.
class Condition {
public:
    enum class Kind : std::uint8_t { None = 0, Any = 1, IfMatch = 2, Absent = 3, Matches = 4 };

    /// No condition: an upsert writes in any case, an update or a delete needs the entity in any version.
    Condition() = default;
    /// The entity must exist, in any version.
    static Condition any() { return Condition(Kind::Any, {}); }
    /// The entity must exist in this version: the text of an ETag, or `*` for any.
    static Condition if_match(std::string etag) { return Condition(Kind::IfMatch, std::move(etag)); }
    /// The entity must not exist.
    static Condition absent() { return Condition(Kind::Absent, {}); }
    /// The entity must exist, and be one that the filter of this query takes, as it is stored before the write; its
    /// parameters count, and nothing else of it. The service has no such condition.
    static Condition matches(Query query) {
        Condition condition(Kind::Matches, {});
        condition.query_ = std::make_shared<const Query>(std::move(query));
        return condition;
    }

    Kind kind() const noexcept { return kind_; }
    const std::string &etag() const noexcept { return etag_; }
    /// The query of `Kind::Matches`, else null.
    const Query *query() const noexcept { return query_.get(); }

private:
    Condition(Kind kind, std::string etag) : kind_(kind), etag_(std::move(etag)) {}

    Kind kind_ = Kind::None;
    std::string etag_;
    std::shared_ptr<const Query> query_;
};

/// One write of one entity: what transactions are lists of.
class Operation {
public:
    enum class Verb : std::uint8_t { Create, Update, Upsert, Delete, CreateOrGet, Move };

    static Operation create(Entity entity) { return Operation(Verb::Create, std::move(entity), UpdateMode::Merge, {}); }
    static Operation update(Entity entity, UpdateMode mode, Condition condition = {}) {
        return Operation(Verb::Update, std::move(entity), mode, std::move(condition));
    }
    static Operation upsert(Entity entity, UpdateMode mode, Condition condition = {}) {
        return Operation(Verb::Upsert, std::move(entity), mode, std::move(condition));
    }
    static Operation remove(std::string partition_key, std::string row_key, Condition condition = {}) {
        Entity keys(std::move(partition_key), std::move(row_key));
        return Operation(Verb::Delete, std::move(keys), UpdateMode::Merge, std::move(condition));
    }

    /// Stores the entity, or finds the one that is there: `is_found` of the result tells which.
    static Operation create_or_get(Entity entity) {
        return Operation(Verb::CreateOrGet, std::move(entity), UpdateMode::Merge, {});
    }
    /// Gives the entity with these keys other ones; in an entity group transaction of the same partition.
    static Operation move_entity(Keys from, Keys to, Condition condition = {}) {
        Entity keys(std::move(from.partition_key), std::move(from.row_key));
        Operation operation(Verb::Move, std::move(keys), UpdateMode::Merge, std::move(condition));
        operation.to_ = std::move(to);
        return operation;
    }

    Verb verb() const noexcept { return verb_; }
    /// The keys that a move gives.
    const Keys &to() const noexcept { return to_; }
    /// The entity to write; of a deletion and a move, the keys alone.
    const Entity &entity() const noexcept { return entity_; }
    UpdateMode mode() const noexcept { return mode_; }
    const Condition &condition() const noexcept { return condition_; }

private:
    Operation(Verb verb, Entity entity, UpdateMode mode, Condition condition)
        : verb_(verb), entity_(std::move(entity)), mode_(mode), condition_(std::move(condition)) {}

    Verb verb_;
    Entity entity_;
    UpdateMode mode_;
    Condition condition_;
    Keys to_;
};

/// What a write did.
struct Written {
    DateTime timestamp; ///< The entity's new Timestamp.
    std::string etag;   ///< The entity's new ETag.
    /// Whether nothing was written, since a create-or-get has found the entity: then the two are those that it has.
    bool is_found = false;
};

/// What a create-or-get has done.
struct CreatedOrFound {
    Entity entity;           ///< As it is stored now.
    bool is_created = false; ///< Whether it was not there.
};

/// Part of an answer.
struct Page {
    std::vector<Entity> entities; ///< In key order. May be fewer than the page size, or none.
    /// Where the next page begins, for `Query::continue_from`; nothing at the end, and nothing else tells the end.
    std::optional<std::string> continuation_token;
};

} // namespace entable

#endif
