// Indexes, and how queries are answered: plain values of C++.

#ifndef ENTABLE_INDEX_HPP
#define ENTABLE_INDEX_HPP

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace entable {

/// Where an index looks, and within what a unique one allows a value once.
enum class Scope : std::uint8_t {
    Table = 0,     ///< Through the whole table, whatever the PartitionKey.
    Partition = 1, ///< Within one partition: used by queries that name theirs.
};

/// What of an entity an entry of an index holds besides the indexed properties and the keys.
enum class Projection : std::uint8_t {
    Keys = 0,  ///< Nothing: queries that only count read no row.
    All = 1,   ///< All properties: a full copy of the row.
    Names = 2, ///< Some properties, and the Timestamp: a query that asks for no more reads no row.
};

/// Whether queries use an index.
enum class IndexState : std::uint8_t {
    Declared = 0, ///< The store has not been given it.
    Building = 1, ///< Rows that were there before it still have to get their entries.
    Ready = 2,    ///< It is kept and used.
    Stale = 3,    ///< Its case was folded by another version of Unicode: it has to be created again.
};

/// What an index is to be, or is.
///
///     Index("ByCity", {"City", "LastName"}).project({"Age"})
class Index {
public:
    /// An index of this name over these properties, the first one first. `RowKey` and `Timestamp` may be among them.
    Index(std::string name, std::vector<std::string> properties)
        : name_(std::move(name)), properties_(std::move(properties)) {}

    Index &scope(Scope scope) {
        scope_ = scope;
        return *this;
    }
    /// Entries hold these properties, and the Timestamp.
    Index &project(std::vector<std::string> names) {
        projection_ = Projection::Names;
        projected_ = std::move(names);
        return *this;
    }
    /// Entries hold all properties.
    Index &project_all() {
        projection_ = Projection::All;
        projected_.clear();
        return *this;
    }
    /// A value may be there once only, in the table or in each partition, as the scope says. By value: 5 and 5.0 are one.
    Index &unique(bool is_unique = true) {
        is_unique_ = is_unique;
        return *this;
    }
    /// Strings are the same whatever their case, for `tolower(P) eq 'x'` and for unique values.
    Index &fold_case(bool folds_case = true) {
        folds_case_ = folds_case;
        return *this;
    }

    const std::string &name() const noexcept { return name_; }
    const std::vector<std::string> &properties() const noexcept { return properties_; }
    Scope scope() const noexcept { return scope_; }
    Projection projection() const noexcept { return projection_; }
    /// The names of `Projection::Names`.
    const std::vector<std::string> &projected() const noexcept { return projected_; }
    bool is_unique() const noexcept { return is_unique_; }
    bool folds_case() const noexcept { return folds_case_; }
    IndexState state() const noexcept { return state_; }

private:
    friend class Table;

    std::string name_;
    std::vector<std::string> properties_;
    Scope scope_ = Scope::Table;
    Projection projection_ = Projection::Keys;
    std::vector<std::string> projected_;
    bool is_unique_ = false;
    bool folds_case_ = false;
    IndexState state_ = IndexState::Declared;
};

/// What an index holds, and how often it was used.
struct IndexStats {
    std::string name;                 ///< The index.
    std::uint64_t entries = 0;        ///< One for each entity, as far as it is built.
    std::uint64_t missing = 0;        ///< Entries of entities that have none of the indexed properties.
    std::uint64_t distinct_values = 0; ///< Different values of all properties together, missing ones left out.
    double most_frequent_share = 0;   ///< The part of all entries that the most frequent value has: from 0 to 1.
    std::uint64_t bytes = 0;          ///< Bytes of the entries' keys and values.
    std::uint64_t uses = 0;           ///< Pages of queries, counts and deletes that went through it, in this process.
};

/// What an advice is about.
enum class AdviceKind : std::uint8_t {
    Other = 0,             ///< What this version of the API has no name for: the texts tell.
    Unused = 1,            ///< An index that no query went through, though there were many.
    NotDiscriminating = 2, ///< An index most of whose entries have one value.
    Redundant = 3,         ///< An index that another one stands for.
    Stale = 4,             ///< An index that folds case by another version of Unicode: it is not used.
    Missing = 5,           ///< A filter that reads many rows for each that it gives.
};

/// What would make writes or queries cheaper, why, and how.
struct Advice {
    AdviceKind kind{};                 ///< What it is about.
    std::string table;                 ///< The table.
    std::optional<std::string> index;  ///< The index, if it is about one.
    std::optional<std::string> filter; ///< The filter, with a `?` in the place of each constant, if it is about one.
    std::string reason;                ///< Why: a sentence, with numbers.
    std::string call;                  ///< The call that would help, as Rust writes it.
};

/// A way to the rows that was thought of.
struct Considered {
    std::string path;                 ///< The way, such as `index equality`.
    std::optional<std::string> index; ///< The index that it leads through, if it is one alone.
    std::uint64_t rows = 0;           ///< The rows, or entries, that lie on it; about, where they are many.
    bool is_taken = false;            ///< Whether it is the one that was taken.
};

/// How a query was answered, what it cost, and what else was thought of.
struct Explain {
    std::string text;                    ///< All of it in some lines for people; the form may change.
    std::string path;                    ///< The way to the rows, such as `partition scan`.
    std::optional<std::string> index;    ///< The index that the way leads through, if it is one alone.
    bool is_covered = false;             ///< The entries of the index held all that was asked for: no row was fetched.
    std::string filter;                  ///< The filter as it was understood.
    std::optional<std::string> residual; ///< What was tested on each row; nothing if the keys decide.
    std::vector<std::string> ranges;     ///< The key ranges that were read; of an index its name and the values.
    std::vector<std::string> cloud;      ///< What the cloud service would answer otherwise, a sentence each.
    std::vector<std::string> warnings;   ///< Terms that no stored row can answer, a sentence each.
    std::vector<Considered> considered;  ///< The ways that were thought of.
    std::uint64_t rows_estimated = 0;    ///< How many rows, or entries, lie in the ranges.
    std::uint64_t rows_read = 0;         ///< How many rows were read, those included that were walked over.
    std::uint64_t rows_returned = 0;     ///< How many rows the filter let through.
    std::uint64_t entries_read = 0;      ///< How many entries of indexes were read.
};

} // namespace entable

#endif
