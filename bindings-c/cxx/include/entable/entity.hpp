// Entities: plain values of C++.

#ifndef ENTABLE_ENTITY_HPP
#define ENTABLE_ENTITY_HPP

#include <algorithm>
#include <cstddef>
#include <initializer_list>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <entable/value.hpp>

namespace entable {

namespace detail {
class EntitySink;
}

/// A property: a name, and a typed value.
struct Property {
    std::string name;
    Value value;

    Property(std::string name, Value value) : name(std::move(name)), value(std::move(value)) {}
    /// A String. Without this, older libraries would take a literal for a Boolean.
    Property(std::string name, const char *text) : name(std::move(name)), value(std::string(text)) {}

    friend bool operator==(const Property &a, const Property &b) { return a.name == b.name && a.value == b.value; }
    friend bool operator!=(const Property &a, const Property &b) { return !(a == b); }
};

/// An entity: PartitionKey, RowKey, and properties in their order. A property that is null is one that is not there.
///
/// A value: copy it, change it, hand it to a write. What keys, names and values may be is checked by the write. One
/// that was read has the Timestamp and ETag that the store gave it; a projection leaves the keys empty and the
/// Timestamp out unless they are selected.
class Entity {
public:
    using const_iterator = std::vector<Property>::const_iterator;

    Entity() = default;
    Entity(std::string partition_key, std::string row_key, std::initializer_list<Property> properties = {})
        : partition_key_(std::move(partition_key)), row_key_(std::move(row_key)) {
        for (const Property &property : properties) set(property.name, property.value);
    }

    const std::string &partition_key() const noexcept { return partition_key_; }
    const std::string &row_key() const noexcept { return row_key_; }

    /// When the entity was last written; nothing for one that was not read.
    const std::optional<DateTime> &timestamp() const noexcept { return timestamp_; }

    /// The version, for `Condition::if_match`; nothing for an entity that was not read.
    const std::optional<std::string> &etag() const noexcept { return etag_; }

    /// Sets a property. A new one comes last, one that is there keeps its place.
    Entity &set(std::string_view name, Value value) {
        if (Value *known = find(name)) {
            *known = std::move(value);
        } else {
            properties_.emplace_back(std::string(name), std::move(value));
        }
        return *this;
    }
    Entity &set(std::string_view name, const char *text) { return set(name, Value(std::string(text))); }
    Entity &set(std::string_view name, std::string_view text) { return set(name, Value(std::string(text))); }
    Entity &set(std::string_view name, std::string text) { return set(name, Value(std::move(text))); }

    /// Takes a property out of this value; false if it is not there. It stays in the store unless the entity is written
    /// with `UpdateMode::Replace`.
    bool remove(std::string_view name) {
        const auto is = [name](const Property &property) { return property.name == name; };
        const auto at = std::find_if(properties_.begin(), properties_.end(), is);
        if (at == properties_.end()) return false;
        properties_.erase(at);
        return true;
    }

    /// Has a merge add a number to what the property has, as one step: an Int32, Int64 or Double. The property keeps its
    /// type, which must hold the number exactly; one that is not there becomes the number. For updates and upserts with
    /// `UpdateMode::Merge`; it is not among the entity's own properties.
    Entity &add(std::string_view name, Value number) {
        added_.emplace_back(std::string(name), std::move(number));
        return *this;
    }

    /// Has a merge take a property out of the stored entity, if it is there. For updates and upserts with
    /// `UpdateMode::Merge`.
    Entity &erase(std::string_view name) {
        erased_.emplace_back(name);
        return *this;
    }

    const std::vector<Property> &added() const noexcept { return added_; }
    const std::vector<std::string> &erased() const noexcept { return erased_; }

    /// The value of a property, or null. Good until the entity is changed.
    const Value *find(std::string_view name) const noexcept {
        for (const Property &property : properties_) {
            if (property.name == name) return &property.value;
        }
        return nullptr;
    }
    Value *find(std::string_view name) noexcept {
        return const_cast<Value *>(static_cast<const Entity *>(this)->find(name));
    }

    /// The value of a property if it is there with this type, as `get<double>("Total")`; else null. Good until the
    /// entity is changed.
    template <class T> const T *get(std::string_view name) const noexcept { return std::get_if<T>(find(name)); }

    /// The value of a property; `std::out_of_range` if it is not there.
    const Value &at(std::string_view name) const {
        if (const Value *value = find(name)) return *value;
        throw std::out_of_range("the entity has no property " + std::string(name));
    }

    std::size_t size() const noexcept { return properties_.size(); }
    bool empty() const noexcept { return properties_.empty(); }
    const_iterator begin() const noexcept { return properties_.begin(); }
    const_iterator end() const noexcept { return properties_.end(); }

    /// Equal if keys and properties are, in this order, and what a merge is to add and to erase; Timestamp and ETag do not
    /// count.
    friend bool operator==(const Entity &a, const Entity &b) {
        return a.partition_key_ == b.partition_key_ && a.row_key_ == b.row_key_ && a.properties_ == b.properties_ &&
               a.added_ == b.added_ && a.erased_ == b.erased_;
    }
    friend bool operator!=(const Entity &a, const Entity &b) { return !(a == b); }

private:
    friend class detail::EntitySink;

    std::string partition_key_;
    std::string row_key_;
    std::optional<DateTime> timestamp_;
    std::optional<std::string> etag_;
    std::vector<Property> properties_;
    std::vector<Property> added_;
    std::vector<std::string> erased_;
};

} // namespace entable

#endif
