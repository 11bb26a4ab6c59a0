// Between the plain values of C++ and the bridge. No part of the API.

#ifndef ENTABLE_DETAIL_CONVERT_HPP
#define ENTABLE_DETAIL_CONVERT_HPP

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include <entable/entity.hpp>
#include <entable/error.hpp>
#include <entable/index.hpp>
#include <entable/query.hpp>
#include <entable/upkeep.hpp>

#include "entable/detail/src/bridge.rs.h"
#include "rust/cxx.h"

namespace entable::detail {

inline rust::Slice<const std::uint8_t> bytes(std::string_view text) {
    return {reinterpret_cast<const std::uint8_t *>(text.data()), text.size()};
}

template <class Enum> constexpr std::uint8_t number(Enum value) noexcept {
    static_assert(std::is_same_v<std::underlying_type_t<Enum>, std::uint8_t>);
    return static_cast<std::uint8_t>(value);
}

inline std::optional<std::string> optional(const OptionalText &text) {
    if (!text.is_there) return std::nullopt;
    return std::string(text.text);
}

inline std::optional<std::uint64_t> optional(const OptionalNumber &number) {
    if (!number.is_there) return std::nullopt;
    return number.number;
}

[[noreturn]] inline void throw_failure(const Failure &failure) {
    ErrorFields fields;
    fields.code = static_cast<Code>(failure.code);
    fields.error_class = static_cast<ErrorClass>(failure.class_number);
    fields.status = failure.status;
    fields.name = std::string(failure.name);
    fields.table = optional(failure.table);
    fields.partition_key = optional(failure.partition_key);
    fields.row_key = optional(failure.row_key);
    fields.property = optional(failure.property);
    fields.limit = optional(failure.limit);
    fields.actual = optional(failure.actual);
    fields.position = optional(failure.position);
    fields.index = optional(failure.index);
    fields.index_name = optional(failure.index_name);
    fields.relation = optional(failure.relation);
    fields.holder_partition_key = optional(failure.holder_partition_key);
    fields.holder_row_key = optional(failure.holder_row_key);
    throw_error(std::string(failure.message), std::move(fields));
}

/// What a call that cannot be made throws: an argument that is not there.
[[noreturn]] inline void throw_misuse(const char *argument, const char *fact) {
    ErrorFields fields;
    fields.code = Code::InvalidInput;
    fields.error_class = ErrorClass::Invalid;
    fields.status = 400;
    fields.name = "InvalidInput";
    fields.property = argument;
    throw_error(std::string("One of the request inputs is not valid. ") + argument + ": " + fact, std::move(fields));
}

/// A handle of the bridge. One that was moved from has nothing behind it, and its calls throw.
template <class T> class Handle {
public:
    explicit Handle(rust::Box<T> box) noexcept : box_(std::move(box)) {}
    Handle(Handle &&other) noexcept : box_(std::move(other.box_)) { other.box_.reset(); }
    Handle &operator=(Handle &&other) noexcept {
        if (this != &other) {
            box_ = std::move(other.box_);
            other.box_.reset();
        }
        return *this;
    }

    T &operator*() {
        check();
        return **box_;
    }
    const T &operator*() const {
        check();
        return **box_;
    }
    T *operator->() { return &**this; }
    const T *operator->() const { return &**this; }

private:
    void check() const {
        if (!box_) throw_misuse("this", "The object has been moved from.");
    }

    std::optional<rust::Box<T>> box_;
};

/// Runs a call of the bridge. Its exception has the message alone; the failure with its fields lies with the thread.
template <class Call> auto checked(Call &&call) -> decltype(call()) {
    try {
        return call();
    } catch (const rust::Error &) {
        // What the call has left with this thread.
        throw_failure(take_failure());
    }
}

/// Sets a property of the bridge's entity to a value of each type.
struct Setter {
    Entity &entity;
    rust::Slice<const std::uint8_t> name;

    void operator()(std::int32_t value) const { entity.set_int32(name, value); }
    void operator()(std::int64_t value) const { entity.set_int64(name, value); }
    void operator()(double value) const { entity.set_double(name, value); }
    void operator()(const DateTime &value) const { entity.set_date_time(name, value.time_since_epoch().count()); }
    void operator()(const Guid &value) const { entity.set_guid(name, value.bytes); }
    void operator()(bool value) const { entity.set_boolean(name, value); }
    void operator()(const std::string &value) const { entity.set_string(name, bytes(value)); }
    void operator()(const Binary &value) const { entity.set_binary(name, {value.data(), value.size()}); }
};

inline rust::Box<Entity> entity_of(const entable::Entity &entity) {
    return checked([&] {
        rust::Box<Entity> made = new_entity(bytes(entity.partition_key()), bytes(entity.row_key()));
        for (const Property &property : entity) std::visit(Setter{*made, bytes(property.name)}, property.value);
        for (const Property &number : entity.added()) {
            rust::Box<Entity> of = new_entity({}, {});
            std::visit(Setter{*of, bytes(number.name)}, number.value);
            made->add(bytes(number.name), *of);
        }
        for (const std::string &name : entity.erased()) made->erase(bytes(name));
        return made;
    });
}

/// With the Timestamp and ETag that it was read with.
inline rust::Box<Entity> versioned_entity_of(const entable::Entity &entity) {
    rust::Box<Entity> made = entity_of(entity);
    checked([&] {
        if (entity.etag()) made->set_etag(bytes(*entity.etag()));
        if (entity.timestamp()) made->set_timestamp(entity.timestamp()->time_since_epoch().count());
    });
    return made;
}

inline entable::Entity read_entity(const Entity &entity) {
    entable::Entity read;
    EntitySink sink(read);
    checked([&] { entity.read_into(sink); });
    return read;
}

inline entable::Entity read_entity(const Page &page, std::size_t index) {
    entable::Entity read;
    EntitySink sink(read);
    checked([&] { page.read_into(index, sink); });
    return read;
}

inline entable::Page read_page(const Page &page) {
    entable::Page read;
    read.entities.reserve(page.count());
    for (std::size_t i = 0; i < page.count(); i++) read.entities.push_back(read_entity(page, i));
    std::string token = to_string(page.continuation_token());
    if (!token.empty()) read.continuation_token = std::move(token);
    return read;
}

inline rust::Box<Names> names_of(const std::vector<std::string> &names) {
    rust::Box<Names> list = new_names();
    for (const std::string &name : names) {
        checked([&] { list->add(bytes(name)); });
    }
    return list;
}

inline rust::Box<Query> query_of(const entable::Query &query) {
    return checked([&] {
        rust::Box<Query> asked = new_query(bytes(query.filter()));
        if (!query.parameters().empty()) asked->set_parameters(entity_of(query.parameters()));
        if (query.selected()) asked->set_select(*names_of(*query.selected()));
        if (query.limit()) asked->set_limit(*query.limit());
        if (query.page_size()) asked->set_page_size(*query.page_size());
        if (query.is_descending()) asked->set_descending();
        if (query.order_property()) asked->set_order_by(bytes(*query.order_property()));
        if (query.mode()) asked->set_mode(number(*query.mode()));
        if (query.continuation_token()) asked->continue_from(bytes(*query.continuation_token()));
        if (query.stop()) asked->stop_if(std::make_unique<Stop>(query.stop()));
        return asked;
    });
}

/// The query of a condition, or the one that stands for none: the same for all writes without, never freed.
class ConditionQuery {
public:
    explicit ConditionQuery(const Condition &condition) {
        if (condition.query()) own_ = query_of(*condition.query());
    }
    const Query &operator*() const {
        static const auto *const none = new rust::Box<Query>(query_of(entable::Query()));
        return own_ ? **own_ : **none;
    }

private:
    std::optional<rust::Box<Query>> own_;
};

inline rust::Box<Keys> pair_of(std::string_view partition_key, std::string_view row_key, const entable::Keys &other) {
    rust::Box<Keys> pair = new_keys();
    checked([&] {
        pair->add(bytes(partition_key), bytes(row_key));
        pair->add(bytes(other.partition_key), bytes(other.row_key));
    });
    return pair;
}

inline rust::Box<Keys> pair_of(const entable::Keys &one, const entable::Keys &other) {
    return pair_of(one.partition_key, one.row_key, other);
}

inline void add_operation(Operations &list, const Operation &operation) {
    const entable::Entity &entity = operation.entity();
    const std::uint8_t mode = number(operation.mode());
    const std::uint8_t condition = number(operation.condition().kind());
    const rust::Slice<const std::uint8_t> etag = bytes(operation.condition().etag());
    const ConditionQuery query(operation.condition());
    checked([&] {
        switch (operation.verb()) {
        case Operation::Verb::Create: return list.create_entity(entity_of(entity));
        case Operation::Verb::Update: return list.update_entity(entity_of(entity), mode, condition, etag, *query);
        case Operation::Verb::Upsert: return list.upsert_entity(entity_of(entity), mode, condition, etag, *query);
        case Operation::Verb::Delete:
            return list.delete_entity(bytes(entity.partition_key()), bytes(entity.row_key()), condition, etag, *query);
        case Operation::Verb::CreateOrGet: return list.create_or_get_entity(entity_of(entity));
        case Operation::Verb::Move: {
            rust::Box<Keys> pair = pair_of(entity.partition_key(), entity.row_key(), operation.to());
            return list.move_entity(*pair, condition, etag, *query);
        }
        }
    });
}

inline std::vector<std::string> texts(const rust::Vec<rust::String> &list) {
    std::vector<std::string> texts;
    for (const rust::String &text : list) texts.emplace_back(text);
    return texts;
}

inline entable::Written written_of(const Written &written) {
    return {DateTime(Ticks(written.ticks)), std::string(written.etag), written.is_found};
}

inline std::vector<std::optional<entable::Written>> results_of(const rust::Vec<Written> &results) {
    std::vector<std::optional<entable::Written>> list;
    for (const Written &written : results) {
        list.push_back(written.is_there ? std::optional(written_of(written)) : std::nullopt);
    }
    return list;
}

/// What became of a submitted write: the result, or an exception of error.hpp.
inline std::unique_ptr<Completion> completion_of(
    std::function<void(std::optional<entable::Written>, std::exception_ptr)> told) {
    const auto share = std::make_shared<decltype(told)>(std::move(told));
    return std::make_unique<Completion>(
        [share](const Written &written) {
            (*share)(written.is_there ? std::optional(written_of(written)) : std::nullopt, nullptr);
        },
        [share](const Failure &failure) {
            std::exception_ptr exception;
            try {
                throw_failure(failure);
            } catch (...) {
                exception = std::current_exception();
            }
            (*share)(std::nullopt, exception);
        });
}

inline entable::Explain explain_of(const Explain &explain) {
    entable::Explain read;
    read.text = std::string(explain.text);
    read.path = std::string(explain.path);
    read.index = optional(explain.index);
    read.is_covered = explain.is_covered;
    read.filter = std::string(explain.filter);
    read.residual = optional(explain.residual);
    read.ranges = texts(explain.ranges);
    read.cloud = texts(explain.cloud);
    read.warnings = texts(explain.warnings);
    for (const Considered &way : explain.considered) {
        read.considered.push_back({std::string(way.path), optional(way.index), way.rows, way.is_taken});
    }
    read.rows_estimated = explain.rows_estimated;
    read.rows_read = explain.rows_read;
    read.rows_returned = explain.rows_returned;
    read.entries_read = explain.entries_read;
    return read;
}

inline std::vector<entable::Advice> advice_of(const rust::Vec<Advice> &list) {
    std::vector<entable::Advice> advice;
    for (const Advice &one : list) {
        advice.push_back({static_cast<AdviceKind>(one.kind), std::string(one.table), optional(one.index),
                          optional(one.filter), std::string(one.reason), std::string(one.call)});
    }
    return advice;
}

inline entable::Copied copied_of(const Copied &copied) {
    return {copied.records, copied.bytes_before, copied.bytes_after};
}

inline entable::Report report_of(const Report &report) {
    entable::Report read;
    read.text = std::string(report.text);
    read.pages = report.pages;
    read.used_pages = report.used_pages;
    read.free_pages = report.free_pages;
    read.leaked_pages = report.leaked_pages;
    read.tables = report.tables;
    read.entities = report.entities;
    read.index_entries = report.index_entries;
    read.changes = report.changes;
    for (const Finding &finding : report.findings) {
        read.findings.push_back({optional(finding.page), std::string(finding.kind), finding.is_damage,
                                 optional(finding.table), optional(finding.partition_key), optional(finding.row_key),
                                 std::string(finding.sentence)});
    }
    read.finding_count = report.finding_count;
    read.damage_count = report.damage_count;
    return read;
}

inline std::chrono::nanoseconds nanoseconds(std::uint64_t count) {
    return std::chrono::nanoseconds(static_cast<std::int64_t>(count));
}

inline entable::Latency latency_of(const Latency &latency) {
    return {latency.samples, nanoseconds(latency.p50), nanoseconds(latency.p90), nanoseconds(latency.p99),
            nanoseconds(latency.max)};
}

inline entable::Sizes sizes_of(const Sizes &sizes) {
    return {sizes.count, sizes.sum, sizes.p50, sizes.p99, sizes.max};
}

inline entable::Stats stats_of(const Stats &stats) {
    entable::Stats read;
    read.text = std::string(stats.text);
    read.reads = latency_of(stats.reads);
    read.queries = latency_of(stats.queries);
    read.commits = latency_of(stats.commits);
    read.commit_groups = sizes_of(stats.commit_groups);
    read.commit_bytes = sizes_of(stats.commit_bytes);
    read.group_changes = sizes_of(stats.group_changes);
    for (const QueryKind &kind : stats.query_kinds) read.query_kinds.push_back({std::string(kind.path), kind.pages});
    read.file_bytes = stats.file_bytes;
    read.page_bytes = stats.page_bytes;
    read.used_pages = stats.used_pages;
    read.free_pages = stats.free_pages;
    for (const DatabaseStats &one : stats.databases) {
        read.databases.push_back({std::string(one.name), one.records, one.bytes});
    }
    for (const std::uint64_t age : stats.held_readers) read.held_readers.push_back(nanoseconds(age));
    read.reader_slots_used = stats.reader_slots_used;
    read.reader_slots = stats.reader_slots;
    for (const BusyPartition &busy : stats.busiest_partitions) {
        read.busiest_partitions.push_back(
            {std::string(busy.table), std::string(busy.partition_key), busy.least_share, busy.most_share});
    }
    read.timestamp_lead = nanoseconds(stats.timestamp_lead);
    return read;
}

} // namespace entable::detail

#endif
