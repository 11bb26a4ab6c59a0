// Feeds and relations between the plain values of C++ and the bridge. No part of the API.

#ifndef ENTABLE_DETAIL_FOLLOW_HPP
#define ENTABLE_DETAIL_FOLLOW_HPP

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <entable/feeds.hpp>
#include <entable/relations.hpp>

#include <entable/detail/convert.hpp>

namespace entable::detail {

inline DateTime date_time(std::int64_t ticks) {
    return DateTime(Ticks(ticks));
}

inline FeedSettings settings_of(const Feed &feed) {
    if (feed.keep_for.count() < 0) throw_misuse("keep_for", "No time is negative.");
    return {number(feed.content), static_cast<std::uint64_t>(feed.keep_for.count()), feed.keep_changes,
            feed.keep_until_consumed};
}

/// In milliseconds; what is less is not none, and what is negative is.
inline std::uint64_t timeout_of(std::chrono::nanoseconds timeout) {
    if (timeout.count() <= 0) return 0;
    return static_cast<std::uint64_t>((timeout.count() - 1) / 1'000'000 + 1);
}

inline entable::FeedInfo feed_info_of(const FeedInfo &told) {
    entable::FeedInfo info;
    info.settings.content = static_cast<FeedContent>(told.settings.content);
    info.settings.keep_for = nanoseconds(told.settings.keep_for);
    info.settings.keep_changes = told.settings.keep_changes;
    info.settings.keep_until_consumed = told.settings.keep_until_consumed;
    info.begin = std::string(told.begin);
    info.end = std::string(told.end);
    info.changes = told.changes;
    for (const ConsumerInfo &one : told.consumers) {
        info.consumers.push_back({std::string(one.name), std::string(one.position), date_time(one.advanced),
                                  one.changes_behind, one.has_missed});
    }
    return info;
}

inline Change change_of(const ChangePage &page, const ChangeHead &head, std::size_t index) {
    Change change;
    change.commit = head.commit;
    change.position = head.position;
    change.kind = static_cast<ChangeKind>(head.kind);
    change.partition_key = std::string(head.partition_key);
    change.row_key = std::string(head.row_key);
    change.timestamp = date_time(head.ticks);
    if (!head.is_created) change.former_timestamp = date_time(head.former_ticks);
    change.committed = date_time(head.committed_ticks);
    change.etag = optional(head.etag);
    change.former_etag = optional(head.former_etag);
    change.behind = std::string(head.behind);
    if (head.has_entity) {
        EntitySink sink(change.entity.emplace());
        checked([&] { page.read_entity(index, sink); });
    }
    if (head.has_former) {
        EntitySink sink(change.former.emplace());
        checked([&] { page.read_former(index, sink); });
    }
    return change;
}

inline entable::ChangePage change_page_of(const ChangePage &page) {
    entable::ChangePage read;
    for (const ChangeHead &head : page.heads()) read.changes.push_back(change_of(page, head, read.changes.size()));
    read.position = to_string(page.position());
    read.has_more = page.has_more();
    return read;
}

inline entable::Relation relation_of(const Relation &listed) {
    entable::Relation relation(std::string(listed.name), std::string(listed.child), std::string(listed.parent));
    relation.keys(std::string(listed.partition_key), std::string(listed.row_key));
    relation.on_delete(static_cast<OnDelete>(listed.on_delete));
    return relation;
}

inline entable::Orphan orphan_of(const Orphan &orphan) {
    return {{std::string(orphan.partition_key), std::string(orphan.row_key)},
            {std::string(orphan.target_partition_key), std::string(orphan.target_row_key)}};
}

} // namespace entable::detail

#endif
