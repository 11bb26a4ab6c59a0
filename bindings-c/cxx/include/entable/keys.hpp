// Keys: texts that the service takes, in the order that is wanted. Pure functions; InvalidError and TooLargeError say why a
// key cannot be made.

#ifndef ENTABLE_KEYS_HPP
#define ENTABLE_KEYS_HPP

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <entable/value.hpp>

#include <entable/detail/convert.hpp>

namespace entable::keys {

/// One key of several texts: keys are in the order of their parts, whatever these hold. Numbers and dates are parts by
/// `integer` and its like.
inline std::string compose(const std::vector<std::string> &parts) {
    return std::string(detail::checked([&] { return detail::key_compose(*detail::names_of(parts)); }));
}

/// What all composite keys begin with that begin with these parts and have more: for `prefix_filter`.
inline std::string compose_prefix(const std::vector<std::string> &parts) {
    return std::string(detail::checked([&] { return detail::key_compose_prefix(*detail::names_of(parts)); }));
}

/// The parts that `compose` made the key of.
inline std::vector<std::string> split(std::string_view key) {
    return detail::texts(detail::checked([&] { return detail::key_split(detail::bytes(key)); }));
}

/// A legal key of any text, in the order of the texts.
inline std::string safe(std::string_view text) {
    return std::string(detail::checked([&] { return detail::key_safe(detail::bytes(text)); }));
}

/// The text that `safe` made the key of.
inline std::string safe_from(std::string_view key) {
    return std::string(detail::checked([&] { return detail::key_safe_from(detail::bytes(key)); }));
}

/// A legal key of any bytes, in the order of the bytes: two hexadecimal digits for each.
inline std::string bytes(const Binary &bytes) {
    return std::string(detail::checked([&] { return detail::key_bytes({bytes.data(), bytes.size()}); }));
}

/// The bytes that `bytes` made the key of.
inline Binary bytes_from(std::string_view key) {
    const rust::Vec<std::uint8_t> bytes = detail::checked([&] { return detail::key_bytes_from(detail::bytes(key)); });
    return Binary(bytes.begin(), bytes.end());
}

/// The literature's form of a safe key: base64 of the UTF-8, with `_` for `/` and `-` for `+`. It loses order.
inline std::string base64_text(std::string_view text) {
    return std::string(detail::checked([&] { return detail::key_base64_text(detail::bytes(text)); }));
}

/// The text that `base64_text` made the key of.
inline std::string text_from_base64(std::string_view key) {
    return std::string(detail::checked([&] { return detail::key_text_from_base64(detail::bytes(key)); }));
}

/// The number in `width` digits, with zeros before it: `000223`.
inline std::string padded(std::uint64_t number, std::size_t width) {
    return std::string(detail::checked([&] { return detail::key_padded(number, width); }));
}

/// Any integer, in order: 19 digits; below zero `-` and the 19 digits of its distance from the smallest.
inline std::string integer(std::int64_t number) {
    return std::string(detail::checked([&] { return detail::key_integer(number); }));
}

/// The integer that `integer` made the key of.
inline std::int64_t integer_from(std::string_view key) {
    return detail::checked([&] { return detail::key_integer_from(detail::bytes(key)); });
}

/// A binary64 number, in order: 16 hexadecimal digits. InvalidError for NaN.
inline std::string number(double number) {
    return std::string(detail::checked([&] { return detail::key_number(number); }));
}

/// The number that `number` made the key of.
inline double number_from(std::string_view key) {
    return detail::checked([&] { return detail::key_number_from(detail::bytes(key)); });
}

/// An instant, in order: the 19 digits of its ticks of 100 ns since the year 1.
inline std::string ticks(DateTime time) {
    return std::string(detail::checked([&] { return detail::key_ticks(time.time_since_epoch().count()); }));
}

/// The instant that `ticks` made the key of.
inline DateTime ticks_from(std::string_view key) {
    return DateTime(Ticks(detail::checked([&] { return detail::key_ticks_from(detail::bytes(key)); })));
}

/// An instant, the latest first, as the log tail pattern has it.
inline std::string descending_ticks(DateTime time) {
    return std::string(detail::checked([&] { return detail::key_descending_ticks(time.time_since_epoch().count()); }));
}

/// The instant that `descending_ticks` made the key of.
inline DateTime descending_ticks_from(std::string_view key) {
    return DateTime(Ticks(detail::checked([&] { return detail::key_descending_ticks_from(detail::bytes(key)); })));
}

/// The second that an instant lies in, as `yyyyMMddHHmmss` in UTC.
inline std::string compact_date(DateTime time) {
    return std::string(detail::checked([&] { return detail::key_compact_date(time.time_since_epoch().count()); }));
}

/// Keys that begin alike: from `first` on, and before `end`, if there is one.
struct Range {
    std::string first;
    std::optional<std::string> end;
};

/// The keys that begin with `prefix`.
inline Range prefix_range(std::string_view prefix) {
    const detail::KeyRange range = detail::checked([&] { return detail::key_prefix_range(detail::bytes(prefix)); });
    return {std::string(range.first), detail::optional(range.end)};
}

/// The filter that finds the keys which begin with `prefix`; `name` is `PartitionKey` or `RowKey`. Other than
/// `startswith` it runs in strict mode and in the cloud.
inline std::string prefix_filter(std::string_view name, std::string_view prefix) {
    return std::string(detail::checked([&] { return detail::key_prefix_filter(detail::bytes(name), detail::bytes(prefix)); }));
}

/// The key that all texts have which differ in letter case only: Unicode's full case folding.
inline std::string fold_case(std::string_view text) {
    return std::string(detail::checked([&] { return detail::key_fold_case(detail::bytes(text)); }));
}

/// The number of the shard, from 0, that a key falls into, of so many: the same on every machine.
inline std::uint32_t shard(std::string_view key, std::uint32_t shards) {
    return detail::checked([&] { return detail::key_shard(detail::bytes(key), shards); });
}

} // namespace entable::keys

#endif
