// Runs the conformance vectors through the C++ API: `vectors FILE`, where FILE is what `vector_lines cpp` wrote.

#include "vector_case.h"

#include <cstdlib>
#include <cstring>
#include <entable/entable.hpp>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

namespace {

const char *const missing[] = {nullptr};

/// A case that runs.
struct State {
    explicit State(const entable::Options &options) : store(entable::Store::open(":memory:", options)) {}

    entable::Store store;
    entable::Mode mode = entable::Mode::Portable;
    std::int64_t *now = nullptr;
    std::map<std::string, entable::Snapshot> snapshots;
};

std::string str(const text &text) {
    return text.data ? std::string(text.data, text.length) : std::string();
}

text copy(const std::string &string) {
    return keep_text(string.data(), string.size());
}

template <class T> T *array(std::size_t count) {
    return static_cast<T *>(keep((count + 1) * sizeof(T)));
}

// The vectors count ticks from year 1, C++ from 1970.
const std::int64_t ticks_1970 = -entable::parse_date_time("0001-01-01T00:00:00Z", entable::Mode::Extended)
                                     .time_since_epoch()
                                     .count();

std::int64_t ticks_of(entable::DateTime time) {
    return time.time_since_epoch().count() + ticks_1970;
}

entable::DateTime time_of(std::int64_t ticks) {
    return entable::DateTime(entable::Ticks(ticks - ticks_1970));
}

entable::Mode mode_of(const text &name) {
    if (is(&name, "portable")) return entable::Mode::Portable;
    if (is(&name, "strict")) return entable::Mode::Strict;
    if (!is(&name, "extended")) give_up("no mode", &name);
    return entable::Mode::Extended;
}

entable::UpdateMode update_mode_of(const text &name) {
    if (is(&name, "merge")) return entable::UpdateMode::Merge;
    if (!is(&name, "replace")) give_up("no update mode", &name);
    return entable::UpdateMode::Replace;
}

// Values: to the API with their type, and back to their spelling.

entable::Value value_of(const property &property) {
    const text &text = property.value;
    switch (static_cast<entable::Type>(property.type)) {
    case entable::Type::Int32: return static_cast<std::int32_t>(std::strtol(text.data, nullptr, 10));
    case entable::Type::Int64: return static_cast<std::int64_t>(std::strtoll(text.data, nullptr, 10));
    case entable::Type::Double: return from_spelled_double(&text);
    case entable::Type::DateTime: return time_of(std::strtoll(text.data, nullptr, 10));
    case entable::Type::Guid: {
        entable::Guid guid;
        std::size_t length = 0;
        const std::uint8_t *bytes = from_hexadecimal(&text, &length);
        std::copy(bytes, bytes + guid.bytes.size(), guid.bytes.begin());
        return guid;
    }
    case entable::Type::Boolean: return is(&text, "true");
    case entable::Type::String: return str(text);
    case entable::Type::Binary: {
        std::size_t length = 0;
        const std::uint8_t *bytes = from_hexadecimal(&text, &length);
        return entable::Binary(bytes, bytes + length);
    }
    }
    give_up("no type", &text);
    return false;
}

struct Spelled {
    text operator()(std::int32_t value) const { return spelled_integer(value); }
    text operator()(std::int64_t value) const { return spelled_integer(value); }
    text operator()(double value) const { return spelled_double(value); }
    text operator()(entable::DateTime value) const { return spelled_integer(ticks_of(value)); }
    text operator()(const entable::Guid &value) const { return hexadecimal(value.bytes.data(), value.bytes.size()); }
    text operator()(bool value) const { return copy(value ? "true" : "false"); }
    text operator()(const std::string &value) const { return copy(value); }
    text operator()(const entable::Binary &value) const { return hexadecimal(value.data(), value.size()); }
};

entable::Entity entity_of(const entity &given) {
    entable::Entity entity(str(given.partition_key), str(given.row_key));
    for (std::size_t i = 0; i < given.count; i++) {
        entity.set(str(given.properties[i].name), value_of(given.properties[i]));
    }
    for (std::size_t i = 0; i < given.added_count; i++) entity.add(str(given.added[i].name), value_of(given.added[i]));
    for (std::size_t i = 0; i < given.erased_count; i++) entity.erase(str(given.erased[i]));
    return entity;
}

entity seen(const entable::Entity &found) {
    entity result{};
    result.partition_key = copy(found.partition_key());
    result.row_key = copy(found.row_key());
    if (found.etag()) result.etag = copy(*found.etag());
    if (found.timestamp()) result.timestamp = spelled_integer(ticks_of(*found.timestamp()));
    result.properties = array<property>(found.size());
    for (const entable::Property &one : found) {
        const int type = static_cast<int>(entable::type_of(one.value));
        result.properties[result.count++] = {copy(one.name), type, std::visit(Spelled{}, one.value)};
        if (found.at(one.name) != one.value && one.value == one.value) {
            give_up("another value by name", &result.properties[result.count - 1].name);
        }
    }
    return result;
}

// Outcomes

/// The name of an error's class: by what is caught, as a program would.
const char *class_name(const entable::Error &error) {
    const auto is = [&error](auto *type) {
        return dynamic_cast<const std::remove_pointer_t<decltype(type)> *>(&error) != nullptr;
    };
    if (is(static_cast<entable::ExistsError *>(nullptr))) return "Exists";
    if (is(static_cast<entable::NotFoundError *>(nullptr))) return "NotFound";
    if (is(static_cast<entable::ModifiedError *>(nullptr))) return "Modified";
    if (is(static_cast<entable::InvalidError *>(nullptr))) return "Invalid";
    if (is(static_cast<entable::TooLargeError *>(nullptr))) return "TooLarge";
    if (is(static_cast<entable::NotSupportedError *>(nullptr))) return "NotSupported";
    if (is(static_cast<entable::ClosedError *>(nullptr))) return "Closed";
    return "another class than the vectors have";
}

void number(const std::optional<std::uint64_t> &found, bool &is_there, std::uint64_t &place) {
    is_there = found.has_value();
    place = found.value_or(0);
}

void set_failure(const entable::Error &error, outcome &outcome) {
    outcome.failed = true;
    outcome.code = copy(error.name());
    outcome.class_name = class_name(error);
    outcome.message = copy(error.what());
    if (error.property()) outcome.property = copy(*error.property());
    if (error.table()) outcome.table = copy(*error.table());
    if (error.relation()) outcome.relation = copy(*error.relation());
    if (error.holder_partition_key()) outcome.holder_partition_key = copy(*error.holder_partition_key());
    if (error.holder_row_key()) outcome.holder_row_key = copy(*error.holder_row_key());
    outcome.status = error.status();
    number(error.limit(), outcome.has_limit, outcome.limit);
    number(error.actual(), outcome.has_actual, outcome.actual);
    number(error.position(), outcome.has_position, outcome.position);
    number(error.index(), outcome.has_index, outcome.index);
}

void set_entities(outcome &outcome, const std::vector<std::optional<entable::Entity>> &entities) {
    outcome.has_entities = true;
    outcome.entities_count = entities.size();
    outcome.entities = array<entity>(entities.size());
    for (std::size_t i = 0; i < entities.size(); i++) {
        outcome.entities[i] = entities[i] ? seen(*entities[i]) : entity{};
    }
}

void set_written(outcome &outcome, const std::vector<std::optional<entable::Written>> &results) {
    outcome.has_written = true;
    outcome.written_count = results.size();
    outcome.written = array<version>(results.size());
    for (std::size_t i = 0; i < results.size(); i++) {
        if (!results[i]) continue;
        outcome.written[i] = {copy(results[i]->etag), ticks_of(results[i]->timestamp), results[i]->is_found};
    }
}

void set_tables(outcome &outcome, const std::vector<std::string> &names) {
    outcome.has_tables = true;
    outcome.tables_count = names.size();
    outcome.tables = array<text>(names.size());
    for (std::size_t i = 0; i < names.size(); i++) outcome.tables[i] = copy(names[i]);
}

// Arguments

const entable::Snapshot &snapshot_of(const State &state, const text &name) {
    const auto found = state.snapshots.find(str(name));
    if (found == state.snapshots.end()) give_up("no snapshot", &name);
    return found->second;
}

entable::Table table_of(const State &state, const step &step) {
    entable::Table table = state.store.table(str(step.table));
    return step.snapshot.data ? table.at(snapshot_of(state, step.snapshot)) : std::move(table);
}

std::vector<std::string> names_of(const step &step) {
    std::vector<std::string> names;
    for (std::size_t i = 0; i < step.select_count; i++) names.push_back(str(step.select[i]));
    return names;
}

entable::Query query_of(const step &step) {
    entable::Query query(str(step.filter));
    for (std::size_t i = 0; i < step.parameters_count; i++) {
        query.parameter(str(step.parameters[i].name), value_of(step.parameters[i]));
    }
    if (step.select) query.select(names_of(step));
    if (step.has_limit) query.limit(step.limit);
    if (step.has_page_size) query.page_size(static_cast<std::size_t>(step.page_size));
    if (step.continuation == REFERENCE_SAVED) query.continue_from(str(saved(&step.token)));
    if (step.continuation == REFERENCE_TEXT) query.continue_from(str(step.token));
    return query;
}

entable::Condition condition_of(const step &step) {
    if (step.filter.data) return entable::Condition::matches(query_of(step));
    switch (step.condition) {
    case REFERENCE_ABSENT: return entable::Condition::absent();
    case REFERENCE_SAVED: return entable::Condition::if_match(str(saved(&step.etag)));
    case REFERENCE_TEXT: return entable::Condition::if_match(str(step.etag));
    case REFERENCE_NONE: break;
    }
    return {};
}

entable::Keys keys_of(const keys &keys) {
    return {str(keys.partition_key), str(keys.row_key)};
}

entable::Operation operation_of(const step &step) {
    if (is(&step.verb, "create_entity")) return entable::Operation::create(entity_of(*step.entity));
    if (is(&step.verb, "update_entity")) {
        return entable::Operation::update(entity_of(*step.entity), update_mode_of(step.mode), condition_of(step));
    }
    if (is(&step.verb, "upsert_entity")) {
        return entable::Operation::upsert(entity_of(*step.entity), update_mode_of(step.mode), condition_of(step));
    }
    if (is(&step.verb, "create_or_get_entity")) return entable::Operation::create_or_get(entity_of(*step.entity));
    if (is(&step.verb, "move_entity")) {
        return entable::Operation::move_entity(keys_of(*step.keys), keys_of(named_keys(&step, "to")), condition_of(step));
    }
    if (!is(&step.verb, "delete_entity")) give_up("the form has no operation", &step.verb);
    return entable::Operation::remove(str(step.keys->partition_key), str(step.keys->row_key), condition_of(step));
}

// Verbs

void on_store(State &state, const step &step, outcome &outcome) {
    const std::string name = str(step.table);
    if (is(&step.verb, "create_table")) {
        state.store.create_table(name);
    } else if (is(&step.verb, "create_table_if_not_exists")) {
        state.store.create_table_if_not_exists(name);
    } else if (is(&step.verb, "delete_table")) {
        state.store.delete_table(name);
    } else if (is(&step.verb, "query_tables")) {
        set_tables(outcome, state.store.query_tables(query_of(step)));
    } else if (is(&step.verb, "list_tables")) {
        set_tables(outcome, step.snapshot.data ? snapshot_of(state, step.snapshot).list_tables()
                                               : state.store.list_tables());
    } else if (is(&step.verb, "submit_batch")) {
        std::vector<entable::Table> tables;
        std::vector<entable::BatchOperation> operations;
        for (std::size_t i = 0; i < step.operations_count; i++) tables.push_back(table_of(state, step.operations[i]));
        for (std::size_t i = 0; i < step.operations_count; i++) {
            operations.push_back({&tables[i], operation_of(step.operations[i])});
        }
        set_written(outcome, state.store.submit_batch(operations));
    } else if (is(&step.verb, "snapshot")) {
        state.snapshots.emplace(str(step.save), state.store.snapshot());
    } else if (is(&step.verb, "set_clock")) {
        *state.now = std::strtoll(step.now.data, nullptr, 10);
    } else if (is(&step.verb, "parse_entity")) {
        set_entities(outcome, {entable::entity_from_json(str(step.json), state.mode)});
    } else if (is(&step.verb, "entity_size")) {
        outcome.has_number = true;
        outcome.number = entable::size_bytes(entity_of(*step.entity));
    } else {
        give_up("the form has no verb", &step.verb);
    }
}

// The toolkit of keys.

void set_texts(outcome &outcome, const std::vector<std::optional<std::string>> &texts) {
    outcome.has_texts = true;
    outcome.texts_count = texts.size();
    outcome.texts = array<text>(texts.size());
    for (std::size_t i = 0; i < texts.size(); i++) outcome.texts[i] = texts[i] ? copy(*texts[i]) : text{nullptr, 0};
}

void set_value(outcome &outcome, const entable::Value &value) {
    outcome.has_value = true;
    outcome.value.type = static_cast<int>(entable::type_of(value));
    outcome.value.value = std::visit(Spelled{}, value);
}

/// Only a store gives an entity its Timestamp: one whose clock stands there.
entable::Entity stored_at(std::int64_t ticks, const entable::Entity &entity) {
    entable::Options options;
    options.mode = entable::Mode::Extended;
    options.clock = [ticks] { return time_of(ticks); };
    entable::Table table = entable::Store::open(":memory:", options).create_table("vectors");
    table.create_entity(entity);
    return table.get_entity(entity.partition_key(), entity.row_key());
}

void format_entity(const step &step, outcome &outcome) {
    entable::Entity entity = entity_of(*step.entity);
    const text &timestamp = step.entity->timestamp;
    if (timestamp.data) entity = stored_at(std::strtoll(timestamp.data, nullptr, 10), entity);
    entable::Metadata metadata = entable::Metadata::Minimal;
    if (is(&step.metadata, "none")) metadata = entable::Metadata::None;
    else if (is(&step.metadata, "full")) metadata = entable::Metadata::Full;
    else if (!is(&step.metadata, "minimal")) give_up("no level of metadata", &step.metadata);
    outcome.json = copy(step.select ? entable::entity_to_json(entity, metadata, names_of(step))
                                    : entable::entity_to_json(entity, metadata));
}

void key(const step &step, outcome &outcome) {
    namespace keys = entable::keys;
    std::vector<entable::Value> given;
    std::vector<std::string> texts;
    for (std::size_t i = 0; i < step.arguments_count; i++) {
        given.push_back(value_of(step.arguments[i]));
        if (const auto *one = std::get_if<std::string>(&given.back())) texts.push_back(*one);
    }
    const auto call = [&step](const char *name) { return is(&step.call, name); };
    const auto number = [&given](std::size_t at) -> std::int64_t {
        const auto *small = std::get_if<std::int32_t>(&given.at(at));
        return small ? *small : std::get<std::int64_t>(given.at(at));
    };
    const auto time = [&given] { return std::get<entable::DateTime>(given.at(0)); };
    if (call("compose")) set_texts(outcome, {keys::compose(texts)});
    else if (call("compose_prefix")) set_texts(outcome, {keys::compose_prefix(texts)});
    else if (call("split")) {
        const std::vector<std::string> parts = keys::split(texts.at(0));
        set_texts(outcome, {parts.begin(), parts.end()});
    } else if (call("safe")) set_texts(outcome, {keys::safe(texts.at(0))});
    else if (call("safe_from")) set_texts(outcome, {keys::safe_from(texts.at(0))});
    else if (call("bytes")) set_texts(outcome, {keys::bytes(std::get<entable::Binary>(given.at(0)))});
    else if (call("bytes_from")) set_value(outcome, keys::bytes_from(texts.at(0)));
    else if (call("base64_text")) set_texts(outcome, {keys::base64_text(texts.at(0))});
    else if (call("text_from_base64")) set_texts(outcome, {keys::text_from_base64(texts.at(0))});
    else if (call("padded")) {
        const auto width = static_cast<std::size_t>(number(1));
        set_texts(outcome, {keys::padded(static_cast<std::uint64_t>(number(0)), width)});
    } else if (call("integer")) set_texts(outcome, {keys::integer(number(0))});
    else if (call("integer_from")) set_value(outcome, keys::integer_from(texts.at(0)));
    else if (call("double")) set_texts(outcome, {keys::number(std::get<double>(given.at(0)))});
    else if (call("double_from")) set_value(outcome, keys::number_from(texts.at(0)));
    else if (call("ticks")) set_texts(outcome, {keys::ticks(time())});
    else if (call("ticks_from")) set_value(outcome, keys::ticks_from(texts.at(0)));
    else if (call("descending_ticks")) set_texts(outcome, {keys::descending_ticks(time())});
    else if (call("descending_ticks_from")) set_value(outcome, keys::descending_ticks_from(texts.at(0)));
    else if (call("compact_date")) set_texts(outcome, {keys::compact_date(time())});
    else if (call("prefix_range")) {
        const keys::Range range = keys::prefix_range(texts.at(0));
        set_texts(outcome, {range.first, range.end});
    } else if (call("prefix_filter")) set_texts(outcome, {keys::prefix_filter(texts.at(0), texts.at(1))});
    else if (call("fold_case")) set_texts(outcome, {keys::fold_case(texts.at(0))});
    else if (call("shard")) {
        const std::uint32_t shard = keys::shard(texts.at(0), static_cast<std::uint32_t>(number(1)));
        set_value(outcome, static_cast<std::int64_t>(shard));
    } else give_up("the toolkit has no call", &step.call);
}

// The published patterns.

namespace patterns = entable::patterns;

std::uint32_t place_of(const text &name, const std::vector<const char *> &names) {
    for (std::size_t i = 0; i < names.size(); i++) {
        if (is(&name, names[i])) return static_cast<std::uint32_t>(i);
    }
    give_up("no such name", &name);
    return 0;
}

std::optional<std::string> member_of(const step &step, const std::vector<const char *> &names) {
    for (const char *name : names) {
        const text found = pattern_member(&step, name);
        if (found.data) return str(found);
    }
    return std::nullopt;
}

patterns::Pattern pattern_of(const step &step) {
    const auto member = [&step](const char *name) { return pattern_member(&step, name); };
    const std::uint32_t kind =
        place_of(member("name"), {"SecondaryIndex", "IndexEntities", "IndexTable", "UniqueGuard", "FoldedKey", "LogTail",
                                  "DataSeries", "WideEntity", "CompoundKey", "DistinctList"});
    patterns::Definition made(static_cast<patterns::Kind>(kind + 1), str(member("table")));
    made.kept_in = member_of(step, {"copies", "lists", "entries", "guards"});
    made.prefix = member_of(step, {"prefix"});
    made.row_prefix = member_of(step, {"row_prefix"});
    made.partition = member_of(step, {"partition", "partition_prefix"});
    made.property = member_of(step, {"property", "list_property"});
    made.folded = member_of(step, {"folded"});
    made.separator = member_of(step, {"separator"});
    for (std::size_t i = 0; i < step.pattern_fields_count; i++) {
        const pattern_field &given = step.pattern_fields[i];
        patterns::Field field(str(given.name));
        field.form = static_cast<patterns::Form>(place_of(given.form, {"", "folded", "safe", "base64", "newest_first"}));
        field.padded = std::strtoul(given.padded.data, nullptr, 10);
        if (given.each.data) field.each = str(given.each);
        made.fields.push_back(field);
    }
    if (step.pattern_select) {
        made.select.emplace();
        for (std::size_t i = 0; i < step.pattern_select_count; i++) made.select->push_back(str(step.pattern_select[i]));
    }
    if (member("holding").data) {
        made.holding = static_cast<patterns::Holding>(place_of(member("holding"), {"normalized", "full", "partial"}));
    }
    if (member("period").data) {
        made.period = static_cast<patterns::Period>(place_of(member("period"), {"year", "month", "day", "hour"}) + 1);
    }
    if (member("shards").data) made.shards = static_cast<std::uint32_t>(std::strtoul(member("shards").data, nullptr, 10));
    made.composed = member("composed").data;
    made.by_both_keys = member("by_both_keys").data;
    made.both_orders = member("both_orders").data;
    return patterns::Pattern(made);
}

void pattern_changes(const patterns::Pattern &pattern, const std::vector<entable::Entity> &stored, const step &step,
                     outcome &outcome) {
    const auto state = [](const entity *given) { return given ? std::optional(entity_of(*given)) : std::nullopt; };
    std::vector<std::optional<std::string>> texts;
    std::vector<std::optional<entable::Entity>> entities;
    for (const patterns::Step &one : pattern.changes(state(step.former), state(step.new_row), stored).steps()) {
        texts.push_back(one.table);
        for (const entable::Operation &operation : one.operations) {
            const char *mode = operation.mode() == entable::UpdateMode::Merge ? " merge" : " replace";
            switch (operation.verb()) {
            case entable::Operation::Verb::Create: texts.push_back("create_entity"); break;
            case entable::Operation::Verb::Update: texts.push_back(std::string("update_entity") + mode); break;
            case entable::Operation::Verb::Upsert: texts.push_back(std::string("upsert_entity") + mode); break;
            case entable::Operation::Verb::Delete: texts.push_back("delete_entity"); break;
            case entable::Operation::Verb::CreateOrGet:
            case entable::Operation::Verb::Move: give_up("no pattern does this", &step.verb); break;
            }
            entities.emplace_back(operation.entity());
        }
    }
    set_texts(outcome, texts);
    set_entities(outcome, entities);
}

patterns::Lookup pattern_lookup(const patterns::Pattern &pattern, const step &step) {
    std::vector<entable::Value> values;
    for (std::size_t i = 0; i < step.arguments_count; i++) values.push_back(value_of(step.arguments[i]));
    std::optional<std::string> partition;
    const text name = pattern_member(&step, "name");
    if (!is(&name, "IndexTable")) {
        partition = std::get<std::string>(values.at(0));
        values.erase(values.begin());
    }
    const std::string key = partition.value_or("");
    const auto call = [&step](const char *name) { return is(&step.call, name); };
    const auto count = [&values]() -> std::int64_t { return std::get<std::int32_t>(values.at(0)); };
    if (call("find")) return pattern.find(partition, values);
    if (call("starting_with")) return pattern.starting_with(partition, values);
    if (call("between")) return pattern.between(partition, values.at(0), values.at(1));
    if (call("list")) return pattern.list(key);
    if (call("latest")) return pattern.latest(key, count());
    if (call("earliest")) return pattern.earliest(key, count());
    if (call("below")) return pattern.below(key, values);
    if (call("with_below")) return pattern.with_below(key, values);
    if (!call("next_value")) give_up("patterns have no call", &step.call);
    if (values.empty()) return pattern.next_value();
    return pattern.next_value(std::get<std::string>(values.at(0)));
}

/// False for a verb that is not one of the patterns.
bool on_pattern(const step &step, outcome &outcome) {
    if (!step.pattern_count) return false;
    const patterns::Pattern pattern = pattern_of(step);
    std::vector<entable::Entity> stored;
    for (std::size_t i = 0; i < step.stored_count; i++) stored.push_back(entity_of(step.stored[i]));
    if (is(&step.verb, "pattern_changes")) {
        pattern_changes(pattern, stored, step, outcome);
    } else if (is(&step.verb, "pattern_lookup")) {
        const patterns::Lookup lookup = pattern_lookup(pattern, step);
        set_texts(outcome, {lookup.table, lookup.filter, lookup.limit ? std::to_string(*lookup.limit) : ""});
    } else {
        std::optional<std::string> partition;
        if (step.arguments_count) partition = str(step.arguments[0].value);
        std::vector<std::optional<std::string>> texts;
        for (const entable::Keys &keys : pattern.rows(stored, partition)) {
            texts.push_back(keys.partition_key);
            texts.push_back(keys.row_key);
        }
        texts.push_back("end");
        set_texts(outcome, texts);
    }
    return true;
}

/// An answer page by page; one by one it is the same.
void set_pages(outcome &outcome, entable::Pages pages, entable::Entities one_by_one) {
    std::vector<std::optional<entable::Entity>> entities;
    std::vector<std::size_t> sizes;
    while (std::optional<entable::Page> page = pages.next()) {
        sizes.push_back(page->entities.size());
        for (entable::Entity &entity : page->entities) entities.emplace_back(std::move(entity));
    }
    std::size_t at = 0;
    for (const entable::Entity &entity : one_by_one) {
        const text row_key = copy(entity.row_key());
        if (at >= entities.size() || entities[at]->row_key() != entity.row_key()) {
            give_up("other entities one by one, at", &row_key);
        }
        at++;
    }
    if (at != entities.size()) give_up("fewer entities one by one", nullptr);
    set_entities(outcome, entities);
    outcome.has_pages = true;
    outcome.pages_count = sizes.size();
    outcome.pages = array<std::size_t>(sizes.size());
    std::copy(sizes.begin(), sizes.end(), outcome.pages);
}

void query_entities(const entable::Table &table, const step &step, outcome &outcome) {
    const entable::Query query = query_of(step);
    set_pages(outcome, table.query_pages(query), table.query_entities(query));
}

void set_page(outcome &outcome, const entable::Page &page) {
    set_entities(outcome, {page.entities.begin(), page.entities.end()});
    outcome.is_page = true;
    if (page.continuation_token) outcome.token = copy(*page.continuation_token);
}

} // namespace

#include "vector_followers.hpp"

namespace {

/// False for a verb that is not one of a table, nor one without a store.
bool on_table(State &state, const step &step, outcome &outcome) {
    if (is(&step.verb, "key")) {
        key(step, outcome);
        return true;
    }
    if (is(&step.verb, "format_entity")) {
        format_entity(step, outcome);
        return true;
    }
    const auto verb = [&step](const char *name) { return is(&step.verb, name); };
    const auto table = [&] { return table_of(state, step); };
    const std::string partition_key = step.keys ? str(step.keys->partition_key) : "";
    const std::string row_key = step.keys ? str(step.keys->row_key) : "";
    if (verb("create_entity")) {
        set_written(outcome, {table().create_entity(entity_of(*step.entity))});
    } else if (verb("update_entity")) {
        const entable::UpdateMode mode = update_mode_of(step.mode);
        set_written(outcome, {table().update_entity(entity_of(*step.entity), mode, condition_of(step))});
    } else if (verb("upsert_entity")) {
        const entable::UpdateMode mode = update_mode_of(step.mode);
        set_written(outcome, {table().upsert_entity(entity_of(*step.entity), mode, condition_of(step))});
    } else if (verb("delete_entity")) {
        table().delete_entity(partition_key, row_key, condition_of(step));
        set_written(outcome, {std::nullopt});
    } else if (verb("create_or_get_entity")) {
        entable::CreatedOrFound got = table().create_or_get_entity(entity_of(*step.entity));
        set_entities(outcome, {std::move(got.entity)});
        outcome.flag = got.is_created;
        outcome.has_flag = true;
    } else if (verb("move_entity")) {
        const entable::Keys to = keys_of(named_keys(&step, "to"));
        set_written(outcome, {table().move_entity({partition_key, row_key}, to, condition_of(step))});
    } else if (verb("get_entity")) {
        set_entities(outcome, {step.select ? table().get_entity(partition_key, row_key, names_of(step))
                                           : table().get_entity(partition_key, row_key)});
    } else if (verb("get_many")) {
        std::vector<entable::Keys> keys;
        for (std::size_t i = 0; i < step.keys_count; i++) {
            keys.push_back({str(step.keys[i].partition_key), str(step.keys[i].row_key)});
        }
        set_entities(outcome, table().get_many(keys));
    } else if (verb("exists")) {
        outcome.flag = table().exists(partition_key, row_key);
        outcome.has_flag = true;
    } else if (verb("query_entities")) {
        query_entities(table(), step, outcome);
    } else if (verb("query_page")) {
        set_page(outcome, table().query_page(query_of(step)));
    } else if (verb("submit_transaction")) {
        std::vector<entable::Operation> operations;
        for (std::size_t i = 0; i < step.operations_count; i++) operations.push_back(operation_of(step.operations[i]));
        set_written(outcome, table().submit_transaction(operations));
    } else {
        return false;
    }
    return true;
}

extern "C" void run(void *context, const step *step, outcome *outcome) {
    State &state = *static_cast<State *>(context);
    try {
        if (on_pattern(*step, *outcome)) return;
        if (on_feed(state, *step, *outcome) || on_relation(state, *step, *outcome)) return;
        if (!on_table(state, *step, *outcome)) on_store(state, *step, *outcome);
    } catch (const entable::Error &error) {
        set_failure(error, *outcome);
    }
}

extern "C" void *begin(const text *mode, const text *now) {
    std::int64_t *ticks = now->data ? static_cast<std::int64_t *>(keep(sizeof(std::int64_t))) : nullptr;
    entable::Options options;
    options.mode = mode_of(*mode);
    if (ticks) {
        *ticks = std::strtoll(now->data, nullptr, 10);
        options.clock = [ticks] { return time_of(*ticks); };
    }
    auto state = std::make_unique<State>(options);
    state->mode = options.mode;
    state->now = ticks;
    state->store.create_table("vectors");
    return state.release();
}

extern "C" void end(void *context) {
    delete static_cast<State *>(context);
}

} // namespace

int main(int count, char **arguments) {
    const runner runner{"cpp", missing, begin, run, end};
    FILE *lines = count == 2 ? std::fopen(arguments[1], "rb") : nullptr;
    if (!lines) {
        std::fprintf(stderr, "usage: vectors FILE, as `vector_lines cpp` writes it\n");
        return 2;
    }
    const int failed = run_vectors(lines, &runner);
    std::fclose(lines);
    return failed;
}
