// Change feeds: plain values of C++. Positions are printable texts, to be kept and handed back.

#ifndef ENTABLE_FEEDS_HPP
#define ENTABLE_FEEDS_HPP

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <entable/entity.hpp>

namespace entable {

/// What the changes of a feed hold, besides kind, keys and versions.
enum class FeedContent : std::uint8_t {
    After = 0,          ///< The entity as it is after the change.
    Keys = 1,           ///< Nothing: the least room.
    BeforeAndAfter = 2, ///< The entity as it was before and as it is after the change.
};

/// What a change feed holds, and how long changes are kept: for ever, without limits.
///
/// A limit is the least that is kept: what is beyond it goes in steps, some hundred changes later, or at once with
/// `Table::trim_feed`, and always whole commits.
struct Feed {
    FeedContent content = FeedContent::After;
    /// How long changes are kept, by the time of their commit, in steps of 100 ns; zero for ever. No time is negative.
    std::chrono::nanoseconds keep_for{0};
    std::uint64_t keep_changes = 0; ///< How many changes of the table are kept; 0 any number.
    /// Whether changes are kept until every consumer is done with them, beyond age and number. Without either of these
    /// limits they go as soon as that is so, and none goes as long as there is no consumer.
    bool keep_until_consumed = false;
};

/// Where a consumer begins.
class FeedStart {
public:
    enum class Kind : std::uint8_t { Beginning = 0, Now = 1, At = 2 };

    /// With the first change that is kept.
    static FeedStart beginning() { return FeedStart(Kind::Beginning, {}); }
    /// Behind all that has been done so far: with what is written from now on.
    static FeedStart now() { return FeedStart(Kind::Now, {}); }
    /// Behind this position.
    static FeedStart at(std::string position) { return FeedStart(Kind::At, std::move(position)); }

    Kind kind() const noexcept { return kind_; }
    const std::string &position() const noexcept { return position_; }

private:
    FeedStart(Kind kind, std::string position) : kind_(kind), position_(std::move(position)) {}

    Kind kind_;
    std::string position_;
};

/// What was done to an entity.
enum class ChangeKind : std::uint8_t {
    Created = 0, ///< There was none with its keys, and now there is.
    Changed = 1, ///< It was there, and was written, whatever became of its properties.
    Deleted = 2, ///< It was there, and is gone.
};

/// One change of one entity.
struct Change {
    std::uint64_t commit = 0;   ///< The commit that it was part of: rising over all tables, not without gaps.
    std::uint32_t position = 0; ///< Its place among all changes of that commit, in any table, from 0.
    ChangeKind kind{};          ///< What was done.
    std::string partition_key;  ///< The PartitionKey of the entity.
    std::string row_key;        ///< The RowKey of the entity.
    DateTime timestamp;         ///< The Timestamp that the entity, or its delete, was given.
    std::optional<DateTime> former_timestamp; ///< The one that it had before; nothing if it was created.
    DateTime committed;                       ///< When it was committed, by the clock of the store.
    std::optional<std::string> etag;          ///< The version after the change; nothing for a delete.
    std::optional<std::string> former_etag;   ///< The version before the change; nothing if it was created.
    std::string behind;           ///< The position behind it: for readers that stop in the middle of a commit.
    std::optional<Entity> entity; ///< The entity after the change, if there is one and the feed holds it.
    std::optional<Entity> former; ///< The entity before the change, if there was one and the feed holds it.
};

/// Changes of whole commits, and where to go on.
struct ChangePage {
    std::vector<Change> changes; ///< In the order in which they were made.
    std::string position;        ///< Behind the last; at the feed's end behind all that has been done so far.
    bool has_more = false;       ///< Whether there was more when the page was read.
};

/// A consumer, and where it stands.
struct ConsumerInfo {
    std::string name;                 ///< Its name.
    std::string position;             ///< What it is done with.
    DateTime advanced;                ///< When it said so, by the clock of the store.
    std::uint64_t changes_behind = 0; ///< How many changes it is not done with, of those that are kept.
    bool has_missed = false;          ///< Whether changes that it had not seen are not kept any more.
};

/// A feed as it is.
struct FeedInfo {
    Feed settings;                       ///< What was declared.
    std::string begin;                   ///< The position before the first change that is kept.
    std::string end;                     ///< The position behind all that has been done so far.
    std::uint64_t changes = 0;           ///< How many changes are kept.
    std::vector<ConsumerInfo> consumers; ///< By name.
};

} // namespace entable

#endif
