// Relations between tables: plain values of C++.

#ifndef ENTABLE_RELATIONS_HPP
#define ENTABLE_RELATIONS_HPP

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include <entable/query.hpp>

namespace entable {

/// What becomes of the children of a parent that is deleted.
enum class OnDelete : std::uint8_t {
    Refuse = 0,  ///< The delete is refused.
    Cascade = 1, ///< They are deleted with it, and their own children with them.
};

/// What is done with children whose parent is not there.
enum class Repair : std::uint8_t {
    Delete = 0, ///< They are deleted.
    Unlink = 1, ///< The properties that link them are removed.
};

/// A relation: entities of one table, the children, have parents in another, or in the same.
///
///     Relation("Customer", "Orders", "Customers").keys("Company", "PartitionKey").on_delete(OnDelete::Cascade)
class Relation {
public:
    /// A relation of this name, in which a child has its parent's keys.
    Relation(std::string name, std::string child, std::string parent)
        : name_(std::move(name)), child_(std::move(child)), parent_(std::move(parent)) {}

    /// Which properties of a child are the PartitionKey and the RowKey of its parent: Strings, or a key of its own.
    Relation &keys(std::string partition_key, std::string row_key) {
        keys_ = Keys{std::move(partition_key), std::move(row_key)};
        return *this;
    }
    Relation &on_delete(OnDelete on_delete) {
        on_delete_ = on_delete;
        return *this;
    }

    const std::string &name() const noexcept { return name_; }
    /// The table of the children.
    const std::string &child() const noexcept { return child_; }
    /// The table of the parents.
    const std::string &parent() const noexcept { return parent_; }
    /// The properties of a child that are its parent's keys; nothing where they are not said.
    const std::optional<Keys> &keys() const noexcept { return keys_; }
    OnDelete on_delete() const noexcept { return on_delete_; }

private:
    std::string name_;
    std::string child_;
    std::string parent_;
    std::optional<Keys> keys_;
    OnDelete on_delete_ = OnDelete::Refuse;
};

/// A child whose parent is not there.
struct Orphan {
    Keys keys;   ///< Its own.
    Keys target; ///< Those of the parent that is not there.
};

} // namespace entable

#endif
