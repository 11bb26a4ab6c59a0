// The published table patterns, as pure functions: they turn a row's former and new state into the operations that keep
// everything beside the row right, and say what a reader asks for. Nothing here reads or writes; the keys are those that the
// literature writes, so the same patterns serve data in the cloud.
//
//     namespace patterns = entable::patterns;
//     patterns::Definition definition{patterns::Kind::IndexTable, "Customers"};
//     definition.kept_in = "CustomersByTown";
//     definition.fields = {"Town"};
//     const patterns::Pattern by_town(definition);
//     store.submit_batch(by_town.changes(std::nullopt, smith)); // the row and its entry, together or not at all
//     const patterns::Lookup lookup = by_town.find(std::nullopt, {std::string("Redmond")});
//     for (const Entity &entry : store.table(lookup.table).query_entities(lookup.query())) ...
//
// What cannot be made throws as the write of it would. Any thread may use a pattern.

#ifndef ENTABLE_PATTERNS_HPP
#define ENTABLE_PATTERNS_HPP

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <entable/entity.hpp>
#include <entable/error.hpp>
#include <entable/query.hpp>
#include <entable/value.hpp>

#include <entable/detail/convert.hpp>

namespace entable {
class Store;
}

namespace entable::patterns {

/// A published pattern; what it takes of a `Definition`, in brackets what may be left out.
enum class Kind : std::uint32_t {
    SecondaryIndex = 1, ///< One field; `prefix`, [`row_prefix`] or `kept_in`; [`select`].
    IndexEntities = 2,  ///< `fields`, `prefix`, [`kept_in`, `partition`, `property`, `composed`].
    IndexTable = 3,     ///< `fields`, `kept_in`, [`holding`, `select`, `separator`, `composed`, `by_both_keys`, `shards`].
    UniqueGuard = 4,    ///< One field; `prefix`, or `partition` with [`kept_in`].
    FoldedKey = 5,      ///< `property`, and `folded` or `prefix`.
    LogTail = 6,        ///< `property`: the time; [one field: the id; `both_orders`].
    DataSeries = 7,     ///< `period`.
    WideEntity = 8,     ///< Nothing but the table.
    CompoundKey = 9,    ///< `fields`, [`prefix`, `separator`].
    DistinctList = 10,  ///< One field; `prefix`, [`row_prefix`].
};

/// How a value is written into a key.
enum class Form : std::uint32_t { Plain = 0, Folded = 1, Safe = 2, Base64 = 3, NewestFirst = 4 };

/// What an entry of an index table holds beside the keys of its row.
enum class Holding : std::uint32_t { Keys = 0, All = 1, Selected = 2 };

/// The period of one entity of a data series.
enum class Period : std::uint32_t { None = 0, Year = 1, Month = 2, Day = 3, Hour = 4 };

/// A property of which a key is made.
struct Field {
    std::string name;
    Form form = Form::Plain;
    std::size_t padded = 0;          ///< Digits of a whole number; 0 as it is.
    std::optional<std::string> each; ///< What stands between several values of one text, each of which has a key.

    Field(std::string name) : name(std::move(name)) {}
    Field(const char *name) : name(name) {}

    /// The text that stands in a key for a value. InvalidError for a value that the form does not know.
    std::string text_of(const Value &value) const;
};

/// What a pattern is. What its kind does not take must be left as it is.
struct Definition {
    Kind kind;
    std::string table;                      ///< The rows' table.
    std::optional<std::string> kept_in;     ///< The table of what is kept beside the rows.
    std::optional<std::string> prefix;      ///< What the keys of what is kept begin with.
    std::optional<std::string> row_prefix;  ///< What the keys of rows begin with.
    std::optional<std::string> partition;   ///< The partition of what is kept, or its beginning.
    std::optional<std::string> property;    ///< The one property that the pattern is about.
    std::optional<std::string> folded;      ///< The property that gets the text without case.
    std::optional<std::string> separator;   ///< What stands between the values in a key: `_` unless given.
    std::vector<Field> fields;              ///< The properties of which keys are made.
    std::optional<std::vector<std::string>> select; ///< The properties that are kept.
    Holding holding = Holding::Keys;
    Period period = Period::None;
    std::uint32_t shards = 0;  ///< Partitions that the entries of one value are spread over.
    bool composed = false;     ///< Keys of several values are made by `keys::compose`.
    bool by_both_keys = false; ///< Entries are named by both keys of their row.
    bool both_orders = false;  ///< A log tail is kept in both orders.

    Definition(Kind kind, std::string table) : kind(kind), table(std::move(table)) {}
};

/// What a reader asks for.
struct Lookup {
    std::string table;                  ///< The table to ask.
    std::string filter;                 ///< In the service's language; empty for all entities.
    std::optional<std::uint64_t> limit; ///< How many entities are wanted, where not all are.
    std::optional<Keys> keys;           ///< Where one entity is asked for: a point read.

    /// The query to ask the table.
    Query query() const {
        Query query(filter);
        if (limit) query.limit(*limit);
        return query;
    }
};

/// One step of a change: operations on one partition of one table, which the service does together.
struct Step {
    std::string table;
    std::vector<Keys> keys;            ///< Of the operations: what to read for `Changes::remaining`.
    std::vector<Operation> operations; ///< For `Table::submit_transaction`.
};

/// What is to be written for the change of a row. `Store::submit_batch` does all steps in one transaction; in the cloud
/// each is one, done in order. A value: copies share what never changes.
class Changes {
public:
    /// The steps, in their order.
    std::vector<Step> steps() const {
        std::vector<Step> steps;
        for (const rust::String &table : get().tables()) {
            const std::size_t at = steps.size();
            Step step;
            step.table = std::string(table);
            step.operations = operations_of(*detail::checked([&] { return get().operations(at); }));
            for (const detail::KeyPair &keys : detail::checked([&] { return get().keys(at); })) {
                step.keys.push_back({std::string(keys.partition_key), std::string(keys.row_key)});
            }
            steps.push_back(std::move(step));
        }
        return steps;
    }

    /// Those operations of a step, from 0, that are left to do, given what is stored under each of its keys. Throws
    /// ExistsError, NotFoundError or ModifiedError if another was first.
    std::vector<Operation> remaining(std::size_t step, const std::vector<std::optional<Entity>> &stored) const {
        rust::Box<detail::Entities> list = detail::new_entities();
        for (const std::optional<Entity> &entity : stored) {
            if (entity) {
                list->add(detail::versioned_entity_of(*entity));
            } else {
                list->add_none();
            }
        }
        return operations_of(*detail::checked([&] { return get().remaining(step, *list); }));
    }

    /// Whether an error of the step says that there was nothing left to do.
    bool accepts(std::size_t step, const Error &error) const {
        return get().accepts(step, static_cast<std::uint16_t>(error.code()));
    }

    /// These and those of another pattern for the same row, as one list of steps.
    Changes join(const Changes &other) const {
        return Changes(detail::checked([&] { return get().join(other.get()); }));
    }

private:
    friend class Pattern;
    friend class entable::Store;
    explicit Changes(rust::Box<detail::Changes> changes)
        : changes_(std::make_shared<rust::Box<detail::Changes>>(std::move(changes))) {}

    const detail::Changes &get() const {
        if (!changes_) detail::throw_misuse("this", "The object has been moved from.");
        return **changes_;
    }

    static std::vector<Operation> operations_of(const detail::OperationList &list) {
        std::vector<Operation> operations;
        const rust::Box<detail::Page> entities = detail::checked([&] { return list.entities(); });
        for (const detail::OperationHead &head : list.heads()) {
            Entity entity = detail::read_entity(*entities, operations.size());
            const UpdateMode mode = static_cast<UpdateMode>(head.mode);
            const Condition condition = condition_of(head);
            switch (static_cast<Operation::Verb>(head.verb)) {
            case Operation::Verb::Create: operations.push_back(Operation::create(std::move(entity))); break;
            case Operation::Verb::Update:
                operations.push_back(Operation::update(std::move(entity), mode, condition));
                break;
            case Operation::Verb::Upsert:
                operations.push_back(Operation::upsert(std::move(entity), mode, condition));
                break;
            case Operation::Verb::Delete:
                operations.push_back(Operation::remove(entity.partition_key(), entity.row_key(), condition));
                break;
            case Operation::Verb::CreateOrGet: operations.push_back(Operation::create_or_get(std::move(entity))); break;
            case Operation::Verb::Move: break; // no pattern does
            }
        }
        return operations;
    }

    static Condition condition_of(const detail::OperationHead &head) {
        switch (static_cast<Condition::Kind>(head.condition)) {
        case Condition::Kind::None: break;
        case Condition::Kind::Any: return Condition::any();
        case Condition::Kind::IfMatch: return Condition::if_match(std::string(head.etag));
        case Condition::Kind::Absent: return Condition::absent();
        case Condition::Kind::Matches: break; // no pattern has it
        }
        return {};
    }

    std::shared_ptr<rust::Box<detail::Changes>> changes_;
};

/// A pattern. A value: copies share what never changes. A verb that its kind does not have throws InvalidError.
class Pattern {
public:
    using Row = std::optional<Entity>;
    using Partition = std::optional<std::string_view>;
    using Values = std::vector<Value>;

    /// InvalidError names the member that the kind needs, or does not take.
    explicit Pattern(const Definition &definition)
        : pattern_(std::make_shared<rust::Box<detail::Pattern>>(
              detail::checked([&] { return detail::new_pattern(definition_of(definition)); }))) {}

    /// What is to be read before a change and handed to `changes`: lists of index entities, counts of a distinct list.
    std::vector<Lookup> reads(const Row &former, const Row &new_row) const {
        std::vector<Lookup> list;
        const auto before = state(former), after = state(new_row);
        for (const detail::Lookup &lookup : detail::checked([&] { return get().reads(*before, *after); })) {
            list.push_back(lookup_of(lookup));
        }
        return list;
    }

    /// All that is to be written when a row goes from one state to the next: none before an insert, and after a delete.
    /// A former state that was read carries the ETag that the row is written on condition of. `stored` is what `reads`
    /// has found.
    Changes changes(const Row &former, const Row &new_row, const std::vector<Entity> &stored = {}) const {
        const auto before = state(former), after = state(new_row), list = list_of(stored);
        return Changes(detail::checked([&] { return get().changes(*before, *after, *list); }));
    }

    /// The steps that bring the copies to the row's state of now: for rows that were there before the pattern, and after a
    /// lost race. `seen` are states whose copies may be left over.
    Changes reconcile(const std::vector<Entity> &seen, const Row &current,
                      const std::vector<Entity> &stored = {}) const {
        const auto former = list_of(seen), now = state(current), list = list_of(stored);
        return Changes(detail::checked([&] { return get().reconcile(*former, *now, *list); }));
    }

    /// What is written when the part of a data series' period that `time` lies in gets a value.
    Changes record(std::string_view series, DateTime time, Value value) const {
        rust::Box<detail::Entity> holder = values_of({std::move(value)});
        return Changes(detail::checked([&] {
            return get().record(detail::bytes(series), time.time_since_epoch().count(), std::move(holder));
        }));
    }

    /// What is written when the value of a time is taken out of a data series; `entity` is that of its period, as it was
    /// read. No steps if there is no such value.
    Changes remove(const Entity &entity, DateTime time) const {
        rust::Box<detail::Entity> read = detail::versioned_entity_of(entity);
        return Changes(
            detail::checked([&] { return get().remove(std::move(read), time.time_since_epoch().count()); }));
    }

    /// The steps that count the values of a distinct list anew from all rows of a partition; `counts` is all that `list`
    /// finds there. Nobody should write rows meanwhile. With a `row_prefix`, `rows` may be everything in the partition.
    Changes rebuild(std::string_view partition_key, const std::vector<Entity> &rows,
                    const std::vector<Entity> &counts) const {
        const auto all = list_of(rows), list = list_of(counts);
        return Changes(detail::checked([&] { return get().rebuild(detail::bytes(partition_key), *all, *list); }));
    }

    /// What has these values. The partition is none for an index table, here and below, and needed elsewhere.
    Lookup find(Partition partition_key, const Values &values) const { return lookup(1, partition_key, values); }
    /// What begins with them.
    Lookup starting_with(Partition partition_key, const Values &values) const { return lookup(2, partition_key, values); }
    /// What lies from the first to the last, both among them.
    Lookup between(Partition partition_key, Value first, Value last) const {
        return lookup(3, partition_key, {std::move(first), std::move(last)});
    }
    /// All that the pattern keeps in the partition.
    Lookup list(std::string_view partition_key) const { return lookup(4, partition_key, {}); }
    /// The newest rows of a log tail.
    Lookup latest(std::string_view partition_key, std::int64_t rows) const { return lookup(5, partition_key, {rows}); }
    /// The oldest rows of a log tail in both orders.
    Lookup earliest(std::string_view partition_key, std::int64_t rows) const { return lookup(6, partition_key, {rows}); }
    /// The first entry of an index table behind a PartitionKey, or the first of all.
    Lookup next_value(const std::optional<std::string> &after = std::nullopt) const {
        return lookup(7, std::nullopt, after ? Values{Value(*after)} : Values{});
    }
    /// What lies below a compound key.
    Lookup below(std::string_view partition_key, const Values &values) const { return lookup(8, partition_key, values); }
    /// The same with the row of that key.
    Lookup with_below(std::string_view partition_key, const Values &values) const {
        return lookup(9, partition_key, values);
    }

    /// The keys of the rows that what was found stands for; lists of index entities alone need the partition.
    std::vector<Keys> rows(const std::vector<Entity> &found, Partition partition_key = std::nullopt) const {
        std::vector<Keys> keys;
        const auto list = list_of(found);
        for (const detail::KeyPair &pair : detail::checked([&] {
                 return get().rows(partition_key.has_value(), detail::bytes(partition_key.value_or("")), *list);
             })) {
            keys.push_back({std::string(pair.partition_key), std::string(pair.row_key)});
        }
        return keys;
    }

    /// The ids in lists of index entities, in their order: the RowKeys of rows.
    std::vector<std::string> ids(const std::vector<Entity> &lists) const {
        const auto list = list_of(lists);
        return detail::texts(detail::checked([&] { return get().ids(*list); }));
    }

    /// The value that a list of index entities is for, as it stands in the key; nothing for a further part of a list and
    /// for other entities.
    std::optional<std::string> value_of(const Entity &list) const {
        rust::Box<detail::Entity> given = detail::versioned_entity_of(list);
        return detail::optional(detail::checked([&] { return get().value_of(std::move(given)); }));
    }

    /// The PartitionKey of a row with this RowKey, where an index table has `shards`: the number of its shard.
    std::string shard_key(std::string_view row_key) const {
        return std::string(detail::checked([&] { return get().shard_key(detail::bytes(row_key)); }));
    }

    /// The texts that a compound key is made of.
    std::vector<std::string> parts(std::string_view row_key) const {
        return detail::texts(detail::checked([&] { return get().parts(detail::bytes(row_key)); }));
    }

    /// The row as the pattern writes it: folded key, log tail, compound key.
    Entity row_of(const Entity &row) const {
        rust::Box<detail::Entity> given = detail::versioned_entity_of(row);
        return detail::read_entity(*detail::checked([&] { return get().row_of(std::move(given)); }));
    }

    /// The one row that the parts of a wide entity are; nothing if there are none.
    std::optional<Entity> join(const std::vector<Entity> &parts) const {
        const auto list = list_of(parts);
        const rust::Box<detail::Page> page = detail::checked([&] { return get().join(*list); });
        if (!page->is_there(0)) return std::nullopt;
        return detail::read_entity(*page, 0);
    }

    /// Of a data series each time (DateTime) with its value, of a distinct list each listed value (String) with how many
    /// rows have it (Int64).
    std::vector<std::pair<Value, Value>> values(const std::vector<Entity> &found) const {
        std::vector<std::pair<Value, Value>> pairs;
        const auto list = list_of(found);
        const rust::Box<detail::Page> page = detail::checked([&] { return get().pairs(*list); });
        for (std::size_t i = 0; i < page->count(); i++) {
            const Entity pair = detail::read_entity(*page, i);
            pairs.emplace_back(pair.at("Key"), pair.at("Value"));
        }
        return pairs;
    }

private:
    friend struct Field;
    const detail::Pattern &get() const {
        if (!pattern_) detail::throw_misuse("this", "The object has been moved from.");
        return **pattern_;
    }

    /// Text as bytes: the bridge checks that it is UTF-8.
    static rust::Vec<std::uint8_t> text_of(const std::string &text) {
        rust::Vec<std::uint8_t> bytes;
        bytes.reserve(text.size());
        for (const char c : text) bytes.push_back(static_cast<std::uint8_t>(c));
        return bytes;
    }

    static detail::GivenText given(const std::optional<std::string> &text) {
        return {text.has_value(), text_of(text.value_or(std::string()))};
    }

    static detail::FieldDefinition field_of(const Field &field) {
        return {given(field.name), static_cast<std::uint32_t>(field.form), field.padded, given(field.each)};
    }

    static detail::PatternDefinition definition_of(const Definition &given_definition) {
        detail::PatternDefinition made{};
        made.kind = static_cast<std::uint32_t>(given_definition.kind);
        made.table = given(given_definition.table);
        made.kept_in = given(given_definition.kept_in);
        made.prefix = given(given_definition.prefix);
        made.row_prefix = given(given_definition.row_prefix);
        made.partition = given(given_definition.partition);
        made.property = given(given_definition.property);
        made.folded = given(given_definition.folded);
        made.separator = given(given_definition.separator);
        for (const Field &field : given_definition.fields) made.fields.push_back(field_of(field));
        made.selects = given_definition.select.has_value();
        if (given_definition.select) {
            for (const std::string &name : *given_definition.select) made.select.push_back(given(name));
        }
        made.holding = static_cast<std::uint32_t>(given_definition.holding);
        made.period = static_cast<std::uint32_t>(given_definition.period);
        made.shards = given_definition.shards;
        made.is_composed = given_definition.composed;
        made.by_both_keys = given_definition.by_both_keys;
        made.both_orders = given_definition.both_orders;
        return made;
    }

    /// Values cross as the properties of an entity, which has every type.
    static rust::Box<detail::Entity> values_of(const Values &values) {
        Entity holder;
        for (const Value &value : values) holder.set("v" + std::to_string(holder.size()), value);
        return detail::entity_of(holder);
    }

    Lookup lookup(std::uint32_t kind, Partition partition_key, const Values &values) const {
        rust::Box<detail::Entity> holder = values_of(values);
        return lookup_of(detail::checked([&] {
            return get().lookup(kind, partition_key.has_value(), detail::bytes(partition_key.value_or("")),
                                std::move(holder));
        }));
    }

    static rust::Box<detail::Entities> list_of(const std::vector<Entity> &entities) {
        rust::Box<detail::Entities> list = detail::new_entities();
        for (const Entity &entity : entities) list->add(detail::versioned_entity_of(entity));
        return list;
    }

    static rust::Box<detail::Entities> state(const Row &entity) {
        rust::Box<detail::Entities> list = detail::new_entities();
        if (entity) list->add(detail::versioned_entity_of(*entity));
        return list;
    }

    static Lookup lookup_of(const detail::Lookup &lookup) {
        Lookup made;
        made.table = std::string(lookup.table);
        made.filter = std::string(lookup.filter);
        if (lookup.has_limit) made.limit = lookup.limit;
        if (lookup.has_keys) made.keys = Keys{std::string(lookup.partition_key), std::string(lookup.row_key)};
        return made;
    }

    std::shared_ptr<rust::Box<detail::Pattern>> pattern_;
};

inline std::string Field::text_of(const Value &value) const {
    rust::Box<detail::Entity> holder = Pattern::values_of({value});
    return std::string(
        detail::checked([&] { return detail::field_text(Pattern::field_of(*this), std::move(holder)); }));
}

} // namespace entable::patterns

#endif
