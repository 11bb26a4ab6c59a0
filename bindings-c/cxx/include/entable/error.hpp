// Errors: one exception class for each kind of failure, all with the same fields.

#ifndef ENTABLE_ERROR_HPP
#define ENTABLE_ERROR_HPP

#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>

#include <entable/codes.hpp>

namespace entable {

/// What kind of failure a code is. The numbers are those of the C API's `entable_class`.
enum class ErrorClass : std::uint32_t {
    Exists = 1,       ///< Something of that name or key is there already.
    NotFound = 2,     ///< There is no such table, entity or file.
    Modified = 3,     ///< The entity is not the version that the condition asks for.
    Invalid = 4,      ///< The request is malformed.
    TooLarge = 5,     ///< A limit of the data model is passed.
    NotSupported = 6, ///< The service, or this version of the store, does not do this.
    Busy = 7,         ///< Another process or thread is in the way; trying again later may help.
    Cancelled = 8,    ///< The caller gave up.
    Closed = 9,       ///< The store, snapshot or iterator is closed.
    Forked = 10,      ///< The handle was made before a fork, in the parent process.
    Full = 11,        ///< The disk, the quota or the map is full.
    NewerFormat = 12, ///< The file was written by a newer version of the store.
    Corrupt = 13,     ///< The file is damaged, or is no store.
    Io = 14,          ///< The operating system refused.
    Internal = 15,    ///< A defect of the store itself.
};

/// The facts of an error, each where it applies.
struct ErrorFields {
    Code code{};
    ErrorClass error_class{};
    std::uint16_t status = 0;                 ///< The HTTP status that the service answers with this code.
    std::string name;                         ///< The code as the service spells it, such as `EntityAlreadyExists`.
    std::optional<std::string> table;         ///< The table, as the caller named it.
    std::optional<std::string> partition_key; ///< The PartitionKey of the entity.
    std::optional<std::string> row_key;       ///< The RowKey of the entity.
    std::optional<std::string> property;      ///< The property at fault, or the argument of the call.
    std::optional<std::uint64_t> limit;       ///< The limit that was passed, in the unit of its rule.
    std::optional<std::uint64_t> actual;      ///< What was met instead, in the unit of `limit`.
    std::optional<std::uint64_t> position;    ///< Where in a filter's text, in characters from 0.
    std::optional<std::uint64_t> index;       ///< Which operation of a transaction, from 0.
    std::optional<std::string> index_name;    ///< The index that refuses.
    std::optional<std::string> relation;      ///< The relation that refuses.
    std::optional<std::string> holder_partition_key; ///< The PartitionKey of another entity that is in the way.
    std::optional<std::string> holder_row_key;       ///< The RowKey of another entity that is in the way.
};

/// Why a call failed. Nothing is half-done behind it (but see `Code::OutcomeUnknown`).
///
/// `what()` is the whole message: in transactions the operation's index and a colon, then the service's text, then one
/// sentence with our facts. Decide by class or code, not by the message.
class Error : public std::runtime_error {
public:
    Error(const std::string &message, ErrorFields fields) : std::runtime_error(message), fields_(std::move(fields)) {}

    Code code() const noexcept { return fields_.code; }
    ErrorClass error_class() const noexcept { return fields_.error_class; }
    std::uint16_t status() const noexcept { return fields_.status; }
    const std::string &name() const noexcept { return fields_.name; }
    const std::optional<std::string> &table() const noexcept { return fields_.table; }
    const std::optional<std::string> &partition_key() const noexcept { return fields_.partition_key; }
    const std::optional<std::string> &row_key() const noexcept { return fields_.row_key; }
    const std::optional<std::string> &property() const noexcept { return fields_.property; }
    const std::optional<std::uint64_t> &limit() const noexcept { return fields_.limit; }
    const std::optional<std::uint64_t> &actual() const noexcept { return fields_.actual; }
    const std::optional<std::uint64_t> &position() const noexcept { return fields_.position; }
    const std::optional<std::uint64_t> &index() const noexcept { return fields_.index; }
    const std::optional<std::string> &index_name() const noexcept { return fields_.index_name; }
    const std::optional<std::string> &relation() const noexcept { return fields_.relation; }
    const std::optional<std::string> &holder_partition_key() const noexcept { return fields_.holder_partition_key; }
    const std::optional<std::string> &holder_row_key() const noexcept { return fields_.holder_row_key; }

private:
    ErrorFields fields_;
};

/// Something of that name or key is there already.
struct ExistsError : Error { using Error::Error; };
/// There is no such table, entity or file.
struct NotFoundError : Error { using Error::Error; };
/// The entity is not the version that the condition asks for.
struct ModifiedError : Error { using Error::Error; };
/// The request is malformed.
struct InvalidError : Error { using Error::Error; };
/// A limit of the data model is passed.
struct TooLargeError : Error { using Error::Error; };
/// The service, or this version of the store, does not do this.
struct NotSupportedError : Error { using Error::Error; };
/// Another process or thread is in the way; trying again later may help.
struct BusyError : Error { using Error::Error; };
/// The caller gave up.
struct CancelledError : Error { using Error::Error; };
/// The store, snapshot or iterator is closed.
struct ClosedError : Error { using Error::Error; };
/// The handle was made before a fork, in the parent process.
struct ForkedError : Error { using Error::Error; };
/// The disk, the quota or the map is full.
struct FullError : Error { using Error::Error; };
/// The file was written by a newer version of the store.
struct NewerFormatError : Error { using Error::Error; };
/// The file is damaged, or is no store.
struct CorruptError : Error { using Error::Error; };
/// The operating system refused.
struct IoError : Error { using Error::Error; };
/// A defect of the store itself.
struct InternalError : Error { using Error::Error; };

namespace detail {

[[noreturn]] inline void throw_error(const std::string &message, ErrorFields fields) {
    switch (fields.error_class) {
    case ErrorClass::Exists: throw ExistsError(message, std::move(fields));
    case ErrorClass::NotFound: throw NotFoundError(message, std::move(fields));
    case ErrorClass::Modified: throw ModifiedError(message, std::move(fields));
    case ErrorClass::Invalid: throw InvalidError(message, std::move(fields));
    case ErrorClass::TooLarge: throw TooLargeError(message, std::move(fields));
    case ErrorClass::NotSupported: throw NotSupportedError(message, std::move(fields));
    case ErrorClass::Busy: throw BusyError(message, std::move(fields));
    case ErrorClass::Cancelled: throw CancelledError(message, std::move(fields));
    case ErrorClass::Closed: throw ClosedError(message, std::move(fields));
    case ErrorClass::Forked: throw ForkedError(message, std::move(fields));
    case ErrorClass::Full: throw FullError(message, std::move(fields));
    case ErrorClass::NewerFormat: throw NewerFormatError(message, std::move(fields));
    case ErrorClass::Corrupt: throw CorruptError(message, std::move(fields));
    case ErrorClass::Io: throw IoError(message, std::move(fields));
    case ErrorClass::Internal: throw InternalError(message, std::move(fields));
    }
    throw InternalError(message, std::move(fields));
}

} // namespace detail

} // namespace entable

#endif
