// Between the plain values of C++ and the bridge. No part of the API.

#ifndef ENTABLE_DETAIL_CONVERT_HPP
#define ENTABLE_DETAIL_CONVERT_HPP

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include <entable/entity.hpp>
#include <entable/error.hpp>
#include <entable/query.hpp>

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

/// Throws what the last call of this thread left.
[[noreturn]] inline void throw_failure() {
    const Failure failure = take_failure();
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
    throw_error(std::string(failure.message), std::move(fields));
}

/// Runs a call of the bridge. Its exception has the message alone; the failure with its fields lies with the thread.
template <class Call> auto checked(Call &&call) -> decltype(call()) {
    try {
        return call();
    } catch (const rust::Error &) {
        throw_failure();
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
        return made;
    });
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
        if (query.mode()) asked->set_mode(number(*query.mode()));
        if (query.continuation_token()) asked->continue_from(bytes(*query.continuation_token()));
        return asked;
    });
}

inline void add_operation(Operations &list, const Operation &operation) {
    const entable::Entity &entity = operation.entity();
    const std::uint8_t mode = number(operation.mode());
    const std::uint8_t condition = number(operation.condition().kind());
    const rust::Slice<const std::uint8_t> etag = bytes(operation.condition().etag());
    checked([&] {
        switch (operation.verb()) {
        case Operation::Verb::Create: return list.create_entity(entity_of(entity));
        case Operation::Verb::Update: return list.update_entity(entity_of(entity), mode, condition, etag);
        case Operation::Verb::Upsert: return list.upsert_entity(entity_of(entity), mode, condition, etag);
        case Operation::Verb::Delete:
            return list.delete_entity(bytes(entity.partition_key()), bytes(entity.row_key()), condition, etag);
        }
    });
}

inline std::vector<std::string> texts(const rust::Vec<rust::String> &list) {
    std::vector<std::string> texts;
    for (const rust::String &text : list) texts.emplace_back(text);
    return texts;
}

inline entable::Written written_of(const Written &written) {
    return {DateTime(Ticks(written.ticks)), std::string(written.etag)};
}

inline std::vector<std::optional<entable::Written>> results_of(const rust::Vec<Written> &results) {
    std::vector<std::optional<entable::Written>> list;
    for (const Written &written : results) {
        list.push_back(written.is_there ? std::optional(written_of(written)) : std::nullopt);
    }
    return list;
}

} // namespace entable::detail

#endif
