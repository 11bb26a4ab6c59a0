// What Rust calls in C++. No part of the API.

#ifndef ENTABLE_DETAIL_SINK_HPP
#define ENTABLE_DETAIL_SINK_HPP

#include <algorithm>
#include <array>
#include <cstdint>
#include <exception>
#include <functional>
#include <stdexcept>
#include <string>
#include <utility>

#include <entable/entity.hpp>

#include "rust/cxx.h"

namespace entable::detail {

inline std::string to_string(rust::Str text) {
    return std::string(text.data(), text.size());
}

/// Calls a function of the user's. The bridge knows no exceptions but those of the standard library, and would end the
/// program: whatever else is thrown becomes one.
template <class Call> auto call_user(Call &&call) -> decltype(call()) {
    try {
        return call();
    } catch (const std::exception &) {
        throw;
    } catch (...) {
        throw std::runtime_error("An exception that is no std::exception.");
    }
}

class Clock {
public:
    explicit Clock(std::function<DateTime()> now) : now_(std::move(now)) {}
    std::int64_t now() const {
        return call_user([&] { return now_(); }).time_since_epoch().count();
    }

private:
    std::function<DateTime()> now_;
};

struct Failure;
struct Written;

/// Who is told what became of a submitted write.
class Completion {
public:
    Completion(std::function<void(const Written &)> succeeded, std::function<void(const Failure &)> failed)
        : succeeded_(std::move(succeeded)), failed_(std::move(failed)) {}
    void succeeded(const Written &written) const {
        call_user([&] { succeeded_(written); });
    }
    void failed(const Failure &failure) const {
        call_user([&] { failed_(failure); });
    }

private:
    std::function<void(const Written &)> succeeded_;
    std::function<void(const Failure &)> failed_;
};

/// Who is told how far a call has come.
class Progress {
public:
    explicit Progress(std::function<void(std::uint64_t, std::uint64_t)> tell) : tell_(std::move(tell)) {}
    void tell(std::uint64_t done, std::uint64_t total) const {
        if (tell_) call_user([&] { tell_(done, total); });
    }

private:
    std::function<void(std::uint64_t, std::uint64_t)> tell_;
};

/// Who says whether an answer is not wanted any more.
class Stop {
public:
    explicit Stop(std::function<bool()> is_over) : is_over_(std::move(is_over)) {}
    bool is_over() const {
        return call_user([&] { return is_over_(); });
    }

private:
    std::function<bool()> is_over_;
};

/// Fills an entity that is being read.
class EntitySink {
public:
    explicit EntitySink(Entity &entity) : entity_(entity) {}

    void set_keys(rust::Str partition_key, rust::Str row_key) {
        entity_.partition_key_ = to_string(partition_key);
        entity_.row_key_ = to_string(row_key);
    }
    void set_etag(rust::Str etag) { entity_.etag_ = to_string(etag); }
    void set_timestamp(std::int64_t ticks) { entity_.timestamp_ = DateTime(Ticks(ticks)); }
    void add_int32(rust::Str name, std::int32_t value) { add(name, value); }
    void add_int64(rust::Str name, std::int64_t value) { add(name, value); }
    void add_double(rust::Str name, double value) { add(name, value); }
    void add_date_time(rust::Str name, std::int64_t ticks) { add(name, DateTime(Ticks(ticks))); }
    void add_guid(rust::Str name, const std::array<std::uint8_t, 16> &value) { add(name, Guid{value}); }
    void add_boolean(rust::Str name, bool value) { add(name, value); }
    void add_string(rust::Str name, rust::Str value) { add(name, to_string(value)); }
    void add_binary(rust::Str name, rust::Slice<const std::uint8_t> value) {
        add(name, Binary(value.begin(), value.end()));
    }

private:
    // The core's names are different ones, so nobody looks whether one is there already.
    template <class T> void add(rust::Str name, T value) {
        entity_.properties_.emplace_back(to_string(name), Value(std::in_place_type<T>, std::move(value)));
    }

    Entity &entity_;
};

} // namespace entable::detail

#endif
