// Values of the eight types of the data model.

#ifndef ENTABLE_VALUE_HPP
#define ENTABLE_VALUE_HPP

#include <array>
#include <chrono>
#include <cstdint>
#include <ratio>
#include <string>
#include <variant>
#include <vector>

namespace entable {

/// Steps of 100 ns, in which the data model counts time.
using Ticks = std::chrono::duration<std::int64_t, std::ratio<1, 10'000'000>>;

/// An instant in UTC, exact to the tick: years 1 to 9999, of which the service stores 1601 and later.
///
/// From the system's clock: `std::chrono::floor<entable::Ticks>(std::chrono::system_clock::now())`.
using DateTime = std::chrono::time_point<std::chrono::system_clock, Ticks>;

/// A GUID: its bytes in the order in which the text shows them.
struct Guid {
    std::array<std::uint8_t, 16> bytes{};

    friend bool operator==(const Guid &a, const Guid &b) { return a.bytes == b.bytes; }
    friend bool operator!=(const Guid &a, const Guid &b) { return a.bytes != b.bytes; }
    friend bool operator<(const Guid &a, const Guid &b) { return a.bytes < b.bytes; }
};

/// Bytes: at most 65,536.
using Binary = std::vector<std::uint8_t>;

/// A typed value: Edm.Int32, Int64, Double, DateTime, Guid, Boolean, String (UTF-8), Binary, in the order of `Type`.
///
/// No value changes its type on the way: 5 is an Int32, `std::int64_t{5}` an Int64, 5.0 a Double.
using Value =
    std::variant<std::int32_t, std::int64_t, double, DateTime, Guid, bool, std::string, Binary>;

/// The type of a value.
enum class Type : std::uint8_t {
    Int32 = 1,
    Int64 = 2,
    Double = 3,
    DateTime = 4,
    Guid = 5,
    Boolean = 6,
    String = 7,
    Binary = 8,
};

/// The type of a value.
inline Type type_of(const Value &value) noexcept {
    return static_cast<Type>(value.index() + 1);
}

} // namespace entable

#endif
