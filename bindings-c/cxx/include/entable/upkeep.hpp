// What is told of stores and files: copies, findings, statistics. Plain values of C++.

#ifndef ENTABLE_UPKEEP_HPP
#define ENTABLE_UPKEEP_HPP

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace entable {

/// Is told how far a call has come: how many records, or pages, of how many. Called on the thread of the call, before
/// that returns; it must not call the store. What it throws is forgotten.
using Progress = std::function<void(std::uint64_t done, std::uint64_t total)>;

/// What a backup or a compaction has made.
struct Copied {
    std::uint64_t records = 0;      ///< Records in the new file.
    std::uint64_t bytes_before = 0; ///< Bytes of the file that was copied.
    std::uint64_t bytes_after = 0;  ///< Bytes of the new file.
};

/// One contradiction in a file, and where it is.
struct Finding {
    std::optional<std::uint64_t> page; ///< The page, counted from 0 in pages of 4,096 bytes.
    std::string kind;                  ///< What kind of thing is wrong, such as `row` or `free pages`.
    bool is_damage = false;            ///< Whether the file is damaged by it.
    std::optional<std::string> table;  ///< The table that it is about.
    std::optional<std::string> partition_key; ///< The PartitionKey of the entity that it is about.
    std::optional<std::string> row_key;       ///< The RowKey of the entity that it is about.
    std::string sentence;                     ///< What is wrong.
};

/// What looking through a file has seen and found.
struct Report {
    std::string text;                ///< All of it in some lines for people; the form may change.
    std::uint64_t pages = 0;         ///< Pages of the file.
    std::uint64_t used_pages = 0;    ///< Pages in use.
    std::uint64_t free_pages = 0;    ///< Pages that later writes use again.
    std::uint64_t leaked_pages = 0;  ///< Pages that are neither: room that is lost until the store is compacted.
    std::uint64_t tables = 0;        ///< Tables.
    std::uint64_t entities = 0;      ///< Entities of all tables.
    std::uint64_t index_entries = 0; ///< Entries of all indexes.
    std::uint64_t changes = 0;       ///< Changes of all feeds.
    std::vector<Finding> findings;   ///< The first 1,000 findings.
    std::uint64_t finding_count = 0; ///< How many there are in all.
    std::uint64_t damage_count = 0;  ///< How many of them are damage.

    bool is_clean() const noexcept { return damage_count == 0; }
};

/// How long something took. Quantiles are at most a quarter too high.
struct Latency {
    std::uint64_t samples = 0;       ///< How many were timed.
    std::chrono::nanoseconds p50{0}; ///< Half took no longer.
    std::chrono::nanoseconds p90{0}; ///< Nine of ten took no longer.
    std::chrono::nanoseconds p99{0}; ///< 99 of 100 took no longer.
    std::chrono::nanoseconds max{0}; ///< The longest.
};

/// How large something was. Quantiles are at most a quarter too high.
struct Sizes {
    std::uint64_t count = 0; ///< How many there were.
    std::uint64_t sum = 0;   ///< All together.
    std::uint64_t p50 = 0;   ///< Half were no larger.
    std::uint64_t p99 = 0;   ///< 99 of 100 were no larger.
    std::uint64_t max = 0;   ///< The largest.
};

/// Pages of queries that went one way to their rows.
struct QueryKind {
    std::string path;        ///< The way, such as `partition scan`.
    std::uint64_t pages = 0; ///< How many pages, exactly.
};

/// One of the databases in the file.
struct DatabaseStats {
    std::string name;          ///< Its name in the file; `header` for the one that has none.
    std::uint64_t records = 0; ///< Records: entities in `rows`, entries in `indexes`.
    std::uint64_t bytes = 0;   ///< Bytes of its pages.
};

/// A partition that is read or written much: an estimate.
struct BusyPartition {
    std::string table;         ///< The table's name.
    std::string partition_key; ///< The PartitionKey.
    double least_share = 0;    ///< Its share of all reads and writes, at least: from 0 to 1.
    double most_share = 0;     ///< Its share, at most.
};

/// What a store says of itself, at one moment. What is counted is counted by this process since it opened the file, over
/// all handles of it; commits are all timed, reads and queries are sampled, one in 64 on average.
struct Stats {
    std::string text;                       ///< All of it in some lines for people; the form may change.
    Latency reads;                          ///< Reads of one entity by its keys.
    Latency queries;                        ///< Pages of queries.
    Latency commits;                        ///< Commits: writing and syncing, without the wait for a turn.
    Sizes commit_groups;                    ///< How many groups shared a commit.
    Sizes commit_bytes;                     ///< Bytes of keys and values that a commit put.
    Sizes group_changes;                    ///< Records that a group put or deleted.
    std::vector<QueryKind> query_kinds;     ///< Pages of queries, by their way.
    std::uint64_t file_bytes = 0;           ///< Bytes of the file.
    std::uint64_t page_bytes = 0;           ///< Bytes of a page.
    std::uint64_t used_pages = 0;           ///< Pages that hold something.
    std::uint64_t free_pages = 0;           ///< Pages that will be used again. `Store::compact` gives them back.
    std::vector<DatabaseStats> databases;   ///< What lies in the file.
    std::vector<std::chrono::nanoseconds> held_readers; ///< Ages of this process's snapshots and copies, oldest first.
    std::uint32_t reader_slots_used = 0;    ///< The most readers at once, over all processes that have the file open now.
    std::uint32_t reader_slots = 0;         ///< How many there can be.
    std::vector<BusyPartition> busiest_partitions; ///< The busiest first, at most 10.
    std::chrono::nanoseconds timestamp_lead{0}; ///< By how much the last Timestamp given is ahead of the clock.
};

} // namespace entable

#endif
