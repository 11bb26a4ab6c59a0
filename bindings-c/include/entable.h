/* Generated from bindings-c/src by the test bindings-c/tests/header.rs (BLESS=1 rewrites it): do not edit. */

/** @file
 * entable: SQLite for the Azure Tables data model.
 *
 * Calls that can fail return an error, NULL for success. An error is an object of the caller's: read it, free it with
 * entable_error_free. A call that fails has changed nothing, and the places for its results hold NULL or zeros.
 *
 * Ownership. What a call writes to a place for a handle is the caller's, to be freed once with the `_free` of its type,
 * for which NULL is fine. What it returns or writes as `const T *`, `entable_str`, `entable_bytes` or `entable_value` is a
 * view of the object that was asked, good until that is freed or changed. Arguments are read, or copied, during the call;
 * none is kept. A pointer that is not NULL must point to a living object of its type.
 *
 * Threads. A store and a table may be used by any number of threads at once; a transaction and its tables by the thread
 * that began it alone. Any other object may be read by any number of threads, as long as none changes or frees it;
 * functions that take it as `const` do not change it. A thread must not be cancelled (`pthread_cancel`) in a call: that ends
 * the process. Signals may come at any time, and calls go on behind them; a handler must not call the library.
 *
 * Times are ticks of 100 ns since 0001-01-01T00:00:00Z where a name ends with `ticks`, nanoseconds where it ends with
 * `ns`; sizes and lengths are bytes unless their comment says otherwise.
 *
 * Callbacks. A function that is handed in is called with the `context` that was given with it, which the library never
 * looks at. It may be called by any thread, and by several at once, unless its comment says which. It may call the library
 * within the bounds that its comment names: what goes beyond them is an error there, never a deadlock. It must neither
 * throw nor `longjmp` out: an exception that leaves it ends the process.
 *
 * Fork. A child process must not use handles of its parent: calls are ENTABLE_STORE_FORKED. It opens the store itself.
 *
 * Text is UTF-8 with its length; what is not UTF-8 is ENTABLE_INVALID_INPUT. NULL where a handle is needed, a number that
 * is none of an enum, a closed store: all are errors that name the argument, never a crash.
 */


#ifndef ENTABLE_H
#define ENTABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** The text of a string literal. */
#ifdef __cplusplus
#define ENTABLE_STR(literal) (entable_str{"" literal, sizeof(literal) - 1})
#else
#define ENTABLE_STR(literal) ((entable_str){"" literal, sizeof(literal) - 1})
#endif


/**
 * Bytes of a GUID's text, the NUL included.
 */
#define ENTABLE_GUID_TEXT_SIZE 37

/**
 * Bytes of an instant's longest text, the NUL included.
 */
#define ENTABLE_DATETIME_TEXT_SIZE 29

/**
 * Bytes of the longest ETag that the store gives, the NUL included.
 */
#define ENTABLE_ETAG_SIZE 48

/**
 * What kind of failure a code is: enough to decide what to do about it.
 */
enum entable_class
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    /**
     * No error.
     */
    ENTABLE_CLASS_NONE = 0,
    /**
     * Something of that name or key is there already.
     */
    ENTABLE_CLASS_EXISTS = 1,
    /**
     * There is no such table, entity or file.
     */
    ENTABLE_CLASS_NOT_FOUND = 2,
    /**
     * The entity is not the version that the condition asks for.
     */
    ENTABLE_CLASS_MODIFIED = 3,
    /**
     * The request is malformed.
     */
    ENTABLE_CLASS_INVALID = 4,
    /**
     * A limit of the data model is passed.
     */
    ENTABLE_CLASS_TOO_LARGE = 5,
    /**
     * The service, or this version of the store, does not do this.
     */
    ENTABLE_CLASS_NOT_SUPPORTED = 6,
    /**
     * Another process or thread is in the way; trying again later may help.
     */
    ENTABLE_CLASS_BUSY = 7,
    /**
     * The caller gave up.
     */
    ENTABLE_CLASS_CANCELLED = 8,
    /**
     * The store, snapshot or iterator is closed.
     */
    ENTABLE_CLASS_CLOSED = 9,
    /**
     * The handle was made before a fork, in the parent process.
     */
    ENTABLE_CLASS_FORKED = 10,
    /**
     * The disk, the quota or the map is full.
     */
    ENTABLE_CLASS_FULL = 11,
    /**
     * The file was written by a newer version of the store.
     */
    ENTABLE_CLASS_NEWER_FORMAT = 12,
    /**
     * The file is damaged, or is no store.
     */
    ENTABLE_CLASS_CORRUPT = 13,
    /**
     * The operating system refused.
     */
    ENTABLE_CLASS_IO = 14,
    /**
     * A defect of the store itself.
     */
    ENTABLE_CLASS_INTERNAL = 15,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum entable_class entable_class;
#else
typedef uint32_t entable_class;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

/**
 * Which limits and which filter language hold.
 */
enum entable_mode
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    /**
     * The service's limits, so that data can move to the cloud; filters compare numbers by value whatever their
     * types, and the store's own functions are allowed. The default.
     */
    ENTABLE_MODE_PORTABLE = 0,
    /**
     * Whatever the service refuses is refused, in filters too: for testing programs for the cloud.
     */
    ENTABLE_MODE_STRICT = 1,
    /**
     * The service's limits lifted to what the store can do; filters as in portable mode.
     */
    ENTABLE_MODE_EXTENDED = 2,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum entable_mode entable_mode;
#else
typedef uint32_t entable_mode;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

/**
 * Where an index looks, and within what a unique one allows a value once.
 */
enum entable_scope
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    /**
     * Through the whole table, whatever the PartitionKey. The default.
     */
    ENTABLE_SCOPE_TABLE = 0,
    /**
     * Within one partition: used by queries that name theirs.
     */
    ENTABLE_SCOPE_PARTITION = 1,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum entable_scope entable_scope;
#else
typedef uint32_t entable_scope;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

/**
 * What of an entity an entry of an index holds besides the indexed properties and the keys.
 */
enum entable_projection
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    /**
     * Nothing: queries that only count read no row. The default.
     */
    ENTABLE_PROJECTION_KEYS = 0,
    /**
     * All properties: a full copy of the row.
     */
    ENTABLE_PROJECTION_ALL = 1,
    /**
     * Some properties, and the Timestamp: a query that asks for no more reads no row.
     */
    ENTABLE_PROJECTION_NAMES = 2,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum entable_projection entable_projection;
#else
typedef uint32_t entable_projection;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

/**
 * Whether queries use an index.
 */
enum entable_index_state
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    /**
     * It is a declaration that the store has not been given, or NULL.
     */
    ENTABLE_INDEX_DECLARED = 0,
    /**
     * Rows that were there before it still have to get their entries.
     */
    ENTABLE_INDEX_BUILDING = 1,
    /**
     * It is kept and used.
     */
    ENTABLE_INDEX_READY = 2,
    /**
     * Its case was folded by another version of Unicode: it is not used, and has to be created again.
     */
    ENTABLE_INDEX_STALE = 3,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum entable_index_state entable_index_state;
#else
typedef uint32_t entable_index_state;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

/**
 * What was done to an entity.
 */
enum entable_change_kind
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    /**
     * There is no change.
     */
    ENTABLE_CHANGE_NONE = 0,
    /**
     * There was none with its keys, and now there is.
     */
    ENTABLE_CHANGE_CREATED = 1,
    /**
     * It was there, and was written, whatever became of its properties.
     */
    ENTABLE_CHANGE_CHANGED = 2,
    /**
     * It was there, and is gone.
     */
    ENTABLE_CHANGE_DELETED = 3,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum entable_change_kind entable_change_kind;
#else
typedef uint32_t entable_change_kind;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

/**
 * What an advice is about.
 */
enum entable_advice_kind
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    /**
     * What this version of the API has no name for: the texts tell.
     */
    ENTABLE_ADVICE_OTHER = 0,
    /**
     * An index that no query went through, though there were many.
     */
    ENTABLE_ADVICE_UNUSED = 1,
    /**
     * An index most of whose entries have one value.
     */
    ENTABLE_ADVICE_NOT_DISCRIMINATING = 2,
    /**
     * An index that another one stands for.
     */
    ENTABLE_ADVICE_REDUNDANT = 3,
    /**
     * An index that is kept, but not used, since it folds case by another version of Unicode.
     */
    ENTABLE_ADVICE_STALE = 4,
    /**
     * A filter that reads many rows for each that it gives.
     */
    ENTABLE_ADVICE_MISSING = 5,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum entable_advice_kind entable_advice_kind;
#else
typedef uint32_t entable_advice_kind;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

/**
 * A code of the Table service, or one of the store's own (from 100 on). Numbers are never reused; each code
 * has a status, as the service answers, and a class.
 */
enum entable_code
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    /**
     * No error.
     */
    ENTABLE_OK = 0,
    /**
     * An insert, or a write on condition of absence, found the entity there (S4.7). Status 409, class Exists.
     */
    ENTABLE_ENTITY_ALREADY_EXISTS = 1,
    /**
     * The entity has another ETag than the condition asks for (S4.2.2). Status 412, class Modified.
     */
    ENTABLE_UPDATE_CONDITION_NOT_SATISFIED = 2,
    /**
     * No such entity; or, when a table is deleted, no such table (S4.7). Status 404, class NotFound.
     */
    ENTABLE_RESOURCE_NOT_FOUND = 3,
    /**
     * An operation on entities names a table that does not exist (S4.7). Status 404, class NotFound.
     */
    ENTABLE_TABLE_NOT_FOUND = 4,
    /**
     * A table of that name, in any case, exists (S1.1.2). Status 409, class Exists.
     */
    ENTABLE_TABLE_ALREADY_EXISTS = 5,
    /**
     * A value, a filter, a condition or a token is malformed (S4.7). Status 400, class Invalid.
     */
    ENTABLE_INVALID_INPUT = 6,
    /**
     * A key holds a forbidden character (S1.2.6), or a table name has a wrong length (S1.1.5). Status 400, class Invalid.
     */
    ENTABLE_OUT_OF_RANGE_INPUT = 7,
    /**
     * PartitionKey, RowKey or a table's name is missing or null (S1.2.7, S1.1.5). Status 400, class Invalid.
     */
    ENTABLE_PROPERTIES_NEED_VALUE = 8,
    /**
     * A PartitionKey or RowKey is too long (S1.2.8). Status 400, class TooLarge.
     */
    ENTABLE_KEY_VALUE_TOO_LARGE = 9,
    /**
     * A property's name is not an identifier (S1.4.2). Status 400, class Invalid.
     */
    ENTABLE_PROPERTY_NAME_INVALID = 10,
    /**
     * A property's name has more than 255 characters (S1.4.1). Status 400, class TooLarge.
     */
    ENTABLE_PROPERTY_NAME_TOO_LONG = 11,
    /**
     * An entity names a property twice (S1.4.6). Status 400, class Invalid.
     */
    ENTABLE_DUPLICATE_PROPERTIES_SPECIFIED = 12,
    /**
     * A String or Binary value is too large (S2.1). Status 400, class TooLarge.
     */
    ENTABLE_PROPERTY_VALUE_TOO_LARGE = 13,
    /**
     * The entity, after the merge, has too many properties (S3.2). Status 400, class TooLarge.
     */
    ENTABLE_TOO_MANY_PROPERTIES = 14,
    /**
     * The entity, after the merge, is too large by the published formula (S3.1). Status 400, class TooLarge.
     */
    ENTABLE_ENTITY_TOO_LARGE = 15,
    /**
     * An entity group transaction is over 4 MiB (S6.5). Status 413, class TooLarge.
     */
    ENTABLE_REQUEST_BODY_TOO_LARGE = 16,
    /**
     * A table's name has characters other than letters and digits, or is reserved (S1.1). Status 400, class Invalid.
     */
    ENTABLE_INVALID_RESOURCE_NAME = 17,
    /**
     * An entity group transaction names two partitions, or two tables (S6.2). Status 400, class Invalid.
     */
    ENTABLE_COMMANDS_IN_BATCH_ACT_ON_DIFFERENT_PARTITIONS = 18,
    /**
     * An entity comes twice in an entity group transaction (S6.3). Status 400, class Invalid.
     */
    ENTABLE_INVALID_DUPLICATE_ROW = 19,
    /**
     * A function, arithmetic or an option that the service, or this mode, does not have (S7.2.8). Status 501, class NotSupported.
     */
    ENTABLE_NOT_IMPLEMENTED = 20,
    /**
     * The store, or what was opened from it, has been closed. Status 410, class Closed.
     */
    ENTABLE_STORE_CLOSED = 100,
    /**
     * The handle belongs to the parent process; the child must open the store itself. Status 410, class Forked.
     */
    ENTABLE_STORE_FORKED = 101,
    /**
     * There is no file at the path, and the options say that it must exist. Status 404, class NotFound.
     */
    ENTABLE_STORE_NOT_FOUND = 102,
    /**
     * The path names a file that is not a store; it has not been touched. Status 400, class Corrupt.
     */
    ENTABLE_NOT_A_STORE = 103,
    /**
     * The file needs a feature that this version does not know. Status 400, class NewerFormat.
     */
    ENTABLE_NEWER_FORMAT = 104,
    /**
     * Bytes of the file contradict each other. Status 500, class Corrupt.
     */
    ENTABLE_DAMAGED = 105,
    /**
     * The disk, or the store's address space, is full; nothing of the operation was done. Status 507, class Full.
     */
    ENTABLE_STORE_FULL = 106,
    /**
     * The store was opened for reading only. Status 403, class NotSupported.
     */
    ENTABLE_STORE_READ_ONLY = 107,
    /**
     * The operating system refused a file operation. Status 500, class Io.
     */
    ENTABLE_IO = 108,
    /**
     * The write was made, but whether it survives a crash is not known: read it back. Status 500, class Io.
     */
    ENTABLE_OUTCOME_UNKNOWN = 109,
    /**
     * A defect of the store; nothing of the operation was done. Status 500, class Internal.
     */
    ENTABLE_INTERNAL = 110,
    /**
     * The calling thread is inside a transaction of this store, which the call would have to wait for. Status 409, class Busy.
     */
    ENTABLE_TRANSACTION_OPEN = 111,
    /**
     * The caller gave up before the operation was begun; nothing of it was done. Status 499, class Cancelled.
     */
    ENTABLE_CANCELLED = 112,
    /**
     * The store has as many bytes as `Options::max_size` allows; nothing of the operation was done. Status 507, class Full.
     */
    ENTABLE_QUOTA_EXCEEDED = 113,
    /**
     * The table has an index of that name, of this definition or another. Status 409, class Exists.
     */
    ENTABLE_INDEX_ALREADY_EXISTS = 120,
    /**
     * The table has no index of that name. Status 404, class NotFound.
     */
    ENTABLE_INDEX_NOT_FOUND = 121,
    /**
     * Another entity holds the value that a unique index allows once; the facts name index and holder. Status 409, class Exists.
     */
    ENTABLE_UNIQUE_INDEX_VIOLATION = 122,
    /**
     * A copy is not written over a file that is there. Status 409, class Exists.
     */
    ENTABLE_FILE_EXISTS = 130,
    /**
     * Locks and maps of a network file system do not reach the other machines. Status 501, class NotSupported.
     */
    ENTABLE_NETWORK_FILE_SYSTEM = 131,
    /**
     * The folder forbids the lock file, without which processes do not know of each other. Status 403, class Io.
     */
    ENTABLE_LOCK_FILE_UNAVAILABLE = 132,
    /**
     * The file, or its lock file, was deleted or replaced: what is written through this handle would be lost. Status 410, class Closed.
     */
    ENTABLE_FILE_REPLACED = 133,
    /**
     * Somebody else has the store open, and this needs it alone. Status 503, class Busy.
     */
    ENTABLE_STORE_BUSY = 134,
    /**
     * A process with the same id, in another pid namespace, has the store open: LMDB cannot tell the two apart. Status 409, class Busy.
     */
    ENTABLE_PROCESS_ID_TAKEN = 135,
    /**
     * The file has a second hard link, or is open with another lock file: two would write it at once. Status 409, class NotSupported.
     */
    ENTABLE_OTHER_NAMES = 136,
    /**
     * The table has no change feed. Status 404, class NotFound.
     */
    ENTABLE_FEED_NOT_FOUND = 140,
    /**
     * Changes behind the position were removed, as the feed's settings say; the facts name the first commit kept. Status 410, class NotFound.
     */
    ENTABLE_CHANGES_NOT_KEPT = 141,
    /**
     * The feed has no consumer of that name. Status 404, class NotFound.
     */
    ENTABLE_CONSUMER_NOT_FOUND = 142,
    /**
     * The table has a relation of that name, of another definition. Status 409, class Exists.
     */
    ENTABLE_RELATION_ALREADY_EXISTS = 150,
    /**
     * The table has no relation of that name. Status 404, class NotFound.
     */
    ENTABLE_RELATION_NOT_FOUND = 151,
    /**
     * The entity links to one that is not there; the facts name the relation and the keys. Status 409, class Invalid.
     */
    ENTABLE_LINK_TARGET_NOT_FOUND = 152,
    /**
     * Others link to the entity, and their relation refuses the delete; the facts name the relation and one of them. Status 409, class Exists.
     */
    ENTABLE_LINKED_ENTITIES_EXIST = 153,
    /**
     * A delete would delete more entities that link to it than one group may; nothing was done. Status 413, class TooLarge.
     */
    ENTABLE_CASCADE_TOO_LARGE = 154,
    /**
     * What a merge was to add makes a number that the property's type does not hold (S4.8.4). Status 400, class Invalid.
     */
    ENTABLE_NUMBER_OVERFLOW = 160,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum entable_code entable_code;
#else
typedef uint32_t entable_code;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

/**
 * A type of the data model.
 */
enum entable_type
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    /**
     * No value: the entity has no such property.
     */
    ENTABLE_TYPE_NONE = 0,
    /**
     * 32-bit signed integer.
     */
    ENTABLE_TYPE_INT32 = 1,
    /**
     * 64-bit signed integer.
     */
    ENTABLE_TYPE_INT64 = 2,
    /**
     * IEEE 754 binary64.
     */
    ENTABLE_TYPE_DOUBLE = 3,
    /**
     * An instant in UTC, in ticks of 100 ns since 0001-01-01T00:00:00Z.
     */
    ENTABLE_TYPE_DATETIME = 4,
    /**
     * 128 bits.
     */
    ENTABLE_TYPE_GUID = 5,
    /**
     * True or false.
     */
    ENTABLE_TYPE_BOOLEAN = 6,
    /**
     * Text: at most 32,768 UTF-16 code units.
     */
    ENTABLE_TYPE_STRING = 7,
    /**
     * Bytes: at most 65,536.
     */
    ENTABLE_TYPE_BINARY = 8,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum entable_type entable_type;
#else
typedef uint32_t entable_type;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

/**
 * What an update, or an upsert that finds the entity, does to the properties that it does not name. It has to be given:
 * 0 is an error.
 */
enum entable_update_mode
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    /**
     * They stay as they are, but for those of `entable_entity_add` and `entable_entity_erase`.
     */
    ENTABLE_UPDATE_MERGE = 1,
    /**
     * They are removed.
     */
    ENTABLE_UPDATE_REPLACE = 2,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum entable_update_mode entable_update_mode;
#else
typedef uint32_t entable_update_mode;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

/**
 * What must hold of the stored entity for a write to be done.
 */
enum entable_condition_kind
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    /**
     * Nothing: an upsert writes in any case; for an update or a delete the same as any.
     */
    ENTABLE_CONDITION_NONE = 0,
    /**
     * The entity must exist, in any version.
     */
    ENTABLE_CONDITION_ANY = 1,
    /**
     * The entity must exist in the version of the ETag.
     */
    ENTABLE_CONDITION_IF_MATCH = 2,
    /**
     * The entity must not exist.
     */
    ENTABLE_CONDITION_ABSENT = 3,
    /**
     * The entity must exist, and be one that the filter of a query takes, as it is stored before the write.
     */
    ENTABLE_CONDITION_MATCHES = 4,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum entable_condition_kind entable_condition_kind;
#else
typedef uint32_t entable_condition_kind;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

/**
 * How much an entity's JSON says about itself.
 */
enum entable_metadata
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    /**
     * Values alone. Types are lost: an Int64 is a text like any other.
     */
    ENTABLE_METADATA_NONE = 0,
    /**
     * The ETag, and the types that JSON does not tell: what reads back as it was.
     */
    ENTABLE_METADATA_MINIMAL = 1,
    /**
     * Also the type of Timestamp.
     */
    ENTABLE_METADATA_FULL = 2,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum entable_metadata entable_metadata;
#else
typedef uint32_t entable_metadata;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

/**
 * A published pattern. Each says below which members of `entable_pattern_definition` it takes; those that are not in
 * brackets must be given. What a pattern does not take must be zero.
 */
enum entable_pattern_kind
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    /**
     * A copy of the row under a second unique key. One field; `prefix`, [`row_prefix`] or `kept_in`; [`select`].
     */
    ENTABLE_PATTERN_SECONDARY_INDEX = 1,
    /**
     * The ids of all rows with a value, in one entity. `fields`, `prefix`, [`kept_in`, `partition`: what the lists'
     * PartitionKey begins with; `property`: where the ids stand; `composed`].
     */
    ENTABLE_PATTERN_INDEX_ENTITIES = 2,
    /**
     * An entry for each row in a table of its own. `fields`, `kept_in`, [`holding` and `select`, `separator`,
     * `composed`, `by_both_keys`, `shards`].
     */
    ENTABLE_PATTERN_INDEX_TABLE = 3,
    /**
     * An entity that a second row cannot insert. One field; `prefix`, or `partition` with [`kept_in`].
     */
    ENTABLE_PATTERN_UNIQUE_GUARD = 4,
    /**
     * The value without case. `property`, and `folded` or `prefix`.
     */
    ENTABLE_PATTERN_FOLDED_KEY = 5,
    /**
     * The newest first. `property`: the time; [one field: the id; `both_orders`].
     */
    ENTABLE_PATTERN_LOG_TAIL = 6,
    /**
     * Many values of a period in one entity. `period`.
     */
    ENTABLE_PATTERN_DATA_SERIES = 7,
    /**
     * More properties than one entity takes.
     */
    ENTABLE_PATTERN_WIDE_ENTITY = 8,
    /**
     * Related rows side by side. `fields`, [`prefix`, `separator`].
     */
    ENTABLE_PATTERN_COMPOUND_KEY = 9,
    /**
     * Each value once, and how many rows have it. One field; `prefix`, [`row_prefix`].
     */
    ENTABLE_PATTERN_DISTINCT_LIST = 10,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum entable_pattern_kind entable_pattern_kind;
#else
typedef uint32_t entable_pattern_kind;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

/**
 * How a value is written into a key.
 */
enum entable_field_form
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    /**
     * As it is.
     */
    ENTABLE_FIELD_PLAIN = 0,
    /**
     * Without case.
     */
    ENTABLE_FIELD_FOLDED = 1,
    /**
     * As `entable_keys_safe` writes it.
     */
    ENTABLE_FIELD_SAFE = 2,
    /**
     * As `entable_keys_base64_text` writes it.
     */
    ENTABLE_FIELD_BASE64 = 3,
    /**
     * A DateTime as `entable_keys_descending_ticks` writes it.
     */
    ENTABLE_FIELD_NEWEST_FIRST = 4,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum entable_field_form entable_field_form;
#else
typedef uint32_t entable_field_form;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

/**
 * What an entry of an index table holds beside the keys of its row.
 */
enum entable_holding
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    /**
     * Nothing.
     */
    ENTABLE_HOLDING_KEYS = 0,
    /**
     * All properties.
     */
    ENTABLE_HOLDING_ALL = 1,
    /**
     * The properties of `select`.
     */
    ENTABLE_HOLDING_SELECTED = 2,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum entable_holding entable_holding;
#else
typedef uint32_t entable_holding;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

/**
 * The period of one entity of a data series.
 */
enum entable_period
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    /**
     * A year of months.
     */
    ENTABLE_PERIOD_YEAR = 1,
    /**
     * A month of days.
     */
    ENTABLE_PERIOD_MONTH = 2,
    /**
     * A day of hours.
     */
    ENTABLE_PERIOD_DAY = 3,
    /**
     * An hour of minutes.
     */
    ENTABLE_PERIOD_HOUR = 4,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum entable_period entable_period;
#else
typedef uint32_t entable_period;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

/**
 * What is asked of a pattern. All but those of an index table are asked of one partition.
 */
enum entable_lookup_kind
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    /**
     * What has these values; of a folded key the text in any case, of a data series the period of a time, of a wide
     * entity the RowKey.
     */
    ENTABLE_LOOKUP_FIND = 1,
    /**
     * What begins with them.
     */
    ENTABLE_LOOKUP_STARTING_WITH = 2,
    /**
     * What lies from the first value to the second, both among them; of a log tail and a data series, times.
     */
    ENTABLE_LOOKUP_BETWEEN = 3,
    /**
     * All that the pattern keeps in the partition: secondary index, index entities, distinct list.
     */
    ENTABLE_LOOKUP_LIST = 4,
    /**
     * The newest rows of a log tail, as many as the value says.
     */
    ENTABLE_LOOKUP_LATEST = 5,
    /**
     * The oldest rows of a log tail with `both_orders`, as many as the value says.
     */
    ENTABLE_LOOKUP_EARLIEST = 6,
    /**
     * The first entry of an index table behind a PartitionKey, or the first of all without a value.
     */
    ENTABLE_LOOKUP_NEXT_VALUE = 7,
    /**
     * What lies below a compound key.
     */
    ENTABLE_LOOKUP_BELOW = 8,
    /**
     * The same with the row of that key.
     */
    ENTABLE_LOOKUP_WITH_BELOW = 9,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum entable_lookup_kind entable_lookup_kind;
#else
typedef uint32_t entable_lookup_kind;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

/**
 * What an operation of a group does.
 */
enum entable_operation_kind
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    /**
     * Stores a new entity.
     */
    ENTABLE_OPERATION_CREATE = 1,
    /**
     * Changes an entity that is there.
     */
    ENTABLE_OPERATION_UPDATE = 2,
    /**
     * Changes an entity, or stores it.
     */
    ENTABLE_OPERATION_UPSERT = 3,
    /**
     * Removes an entity.
     */
    ENTABLE_OPERATION_DELETE = 4,
    /**
     * Stores a new entity, or finds the one that is there. No pattern has it.
     */
    ENTABLE_OPERATION_CREATE_OR_GET = 5,
    /**
     * Gives an entity other keys. No pattern has it.
     */
    ENTABLE_OPERATION_MOVE = 6,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum entable_operation_kind entable_operation_kind;
#else
typedef uint32_t entable_operation_kind;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

/**
 * What becomes of the children of a parent that is deleted.
 */
enum entable_on_delete
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    /**
     * The delete is refused with ENTABLE_LINKED_ENTITIES_EXIST. The default.
     */
    ENTABLE_ON_DELETE_REFUSE = 0,
    /**
     * They are deleted with it, and their own children with them.
     */
    ENTABLE_ON_DELETE_CASCADE = 1,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum entable_on_delete entable_on_delete;
#else
typedef uint32_t entable_on_delete;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

/**
 * What is done with children whose parent is not there. It has to be given: 0 is an error.
 */
enum entable_repair
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    /**
     * They are deleted.
     */
    ENTABLE_REPAIR_DELETE = 1,
    /**
     * The properties that link them are removed.
     */
    ENTABLE_REPAIR_UNLINK = 2,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum entable_repair entable_repair;
#else
typedef uint32_t entable_repair;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

/**
 * What the changes of a feed hold, besides kind, keys and versions.
 */
enum entable_feed_content
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    /**
     * The entity as it is after the change. The default.
     */
    ENTABLE_FEED_AFTER = 0,
    /**
     * Nothing: the least room.
     */
    ENTABLE_FEED_KEYS = 1,
    /**
     * The entity as it was before and as it is after the change.
     */
    ENTABLE_FEED_BEFORE_AND_AFTER = 2,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum entable_feed_content entable_feed_content;
#else
typedef uint32_t entable_feed_content;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

/**
 * Where a consumer begins. It has to be given: 0 is an error.
 */
enum entable_feed_start
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    /**
     * With the first change that is kept.
     */
    ENTABLE_FEED_START_BEGINNING = 1,
    /**
     * Behind all that has been done so far: with what is written from now on.
     */
    ENTABLE_FEED_START_NOW = 2,
    /**
     * Behind a position.
     */
    ENTABLE_FEED_START_AT = 3,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum entable_feed_start entable_feed_start;
#else
typedef uint32_t entable_feed_start;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

/**
 * A list of advice. Yours: free it with `entable_advice_list_free`. It never changes, so any thread may read it.
 */
typedef struct entable_advice_list entable_advice_list;

/**
 * The writes of a store-wide transaction, in their order: on any tables and partitions, any number.
 *
 * Yours from `entable_batch_new`: free it with `entable_batch_free`. While one thread changes it, no other may use it.
 * It keeps the stores of its tables open.
 */
typedef struct entable_batch entable_batch;

/**
 * Changes of whole commits, and where to go on. Yours: free it with `entable_change_page_free`. It never changes, so any
 * thread may read it.
 */
typedef struct entable_change_page entable_change_page;

/**
 * What is to be written for the change of a row, in steps. Here all steps are one transaction
 * (`entable_batch_add_changes`); in the cloud each is one, done in order.
 *
 * Yours: free it with `entable_changes_free`. It never changes, so any thread may read it.
 */
typedef struct entable_changes entable_changes;

/**
 * A named reader of a table's changes, whose position is kept in the store.
 *
 * It gets every change at least once: what it does with them, and `entable_consumer_advance`, are two things, so that
 * after a kill in between it gets them again. Where the work is done in the same store, do both in one transaction: ask
 * `entable_table_consumer` of the table in it, and advance that one. Then it is done exactly once.
 *
 * A handle, yours: free it with `entable_consumer_free`. Any number of threads may use it at once; one of a transaction is
 * for the thread of that alone, and only advances. It keeps its store open.
 */
typedef struct entable_consumer entable_consumer;

/**
 * The entities of an answer, in key order.
 *
 * Yours: free it with `entable_entities_free`, at its end or before. One thread at a time. Nothing of the store is held
 * between calls: entities that are written meanwhile may be seen or not.
 */
typedef struct entable_entities entable_entities;

/**
 * An entity: PartitionKey, RowKey, and properties with a name and a typed value each, in their order.
 *
 * One that you made or were given by `entable_table_get_entity` is yours: free it with `entable_entity_free`. One
 * that a page or an iteration lends you (`const entable_entity *`) is good as long as its comment says. Texts and
 * values asked of an entity are views of it: good until it is freed or changed. Any number of threads may read an
 * entity at once; while one changes it, no other may use it.
 */
typedef struct entable_entity entable_entity;

/**
 * Why a call failed. NULL is success.
 *
 * Nothing is half-done behind an error (but see ENTABLE_OUTCOME_UNKNOWN). It is yours: free it with
 * `entable_error_free`. It never changes, so any thread may read it; texts asked of it are good until it is freed.
 */
typedef struct entable_error entable_error;

/**
 * How a query was answered, what it cost, and what else was thought of.
 *
 * Yours: free it with `entable_explain_free`. It never changes, so any thread may read it; texts asked of it are good
 * until it is freed.
 */
typedef struct entable_explain entable_explain;

/**
 * The changes behind a position, one by one. Yours: free it with `entable_feed_changes_free`, at its end or before. One
 * thread at a time. Nothing of the store is held between calls.
 */
typedef struct entable_feed_changes entable_feed_changes;

/**
 * A feed as it is. Yours: free it with `entable_feed_info_free`. It never changes, so any thread may read it.
 */
typedef struct entable_feed_info entable_feed_info;

/**
 * The writes of an entity group transaction, in their order, for `entable_table_submit_transaction`. The error of an operation that cannot be added has the
 * index that it would have had.
 *
 * Yours from `entable_group_new`: free it with `entable_group_free`. While one thread changes it, no other
 * may use it.
 */
typedef struct entable_group entable_group;

/**
 * What an index is to be, or is.
 *
 * One from `entable_index_new` is yours: free it with `entable_index_free`; while one thread changes it, no other may
 * use it. One that `entable_indexes_at` lends you is good until the list is freed. Texts asked of it are views of it.
 */
typedef struct entable_index entable_index;

/**
 * What the indexes of a table hold. Yours: free it with `entable_index_stats_list_free`. It never changes, so any thread
 * may read it.
 */
typedef struct entable_index_stats_list entable_index_stats_list;

/**
 * The declared indexes of a table. Yours: free it with `entable_indexes_free`. It never changes, so any thread may read
 * it.
 */
typedef struct entable_indexes entable_indexes;

/**
 * Links between the entities of two tables, any number from each side: a table of its own, with an entity for each pair,
 * which may have properties of its own. A link to an entity that is not there is refused, and either entity's delete is
 * refused or takes its links along, as declared.
 *
 * A handle, yours: free it with `entable_join_free`. Any number of threads may use it at once. It keeps its store open.
 */
typedef struct entable_join entable_join;

/**
 * Keys of several entities. Yours: free them with `entable_key_list_free`. They never change, so any thread may read
 * them.
 */
typedef struct entable_key_list entable_key_list;

/**
 * What a reader asks for: a table, and a query of it. Yours: free it with `entable_lookup_free`. It never changes, so
 * any thread may read it.
 */
typedef struct entable_lookup entable_lookup;

/**
 * How a store is opened. Yours: free it with `entable_options_free`, at any time after the store is open. One thread
 * at a time.
 */
typedef struct entable_options entable_options;

/**
 * Children whose parents are not there. Yours: free them with `entable_orphans_free`. They never change, so any thread
 * may read them.
 */
typedef struct entable_orphans entable_orphans;

/**
 * Part of an answer. Yours: free it with `entable_page_free`. It never changes, so any thread may read it.
 */
typedef struct entable_page entable_page;

/**
 * The pages of an answer, each read from one moment of the store when it is asked for.
 *
 * Yours: free it with `entable_pages_free`, at its end or before. One thread at a time.
 */
typedef struct entable_pages entable_pages;

/**
 * The PartitionKeys of a table, in order.
 *
 * Yours: free it with `entable_partition_keys_free`, at its end or before. One thread at a time. Nothing of the store is
 * held between calls.
 */
typedef struct entable_partition_keys entable_partition_keys;

/**
 * A pattern: pure functions of rows, which neither read nor write. The keys are those that the literature writes, so
 * the same definition serves data in the cloud.
 *
 * Yours from `entable_pattern_new`: free it with `entable_pattern_free`. It never changes, so any thread may use it.
 */
typedef struct entable_pattern entable_pattern;

/**
 * A question: a filter, and what of the answer is wanted. Everything but the filter has a default: all properties, no
 * limit, pages of 1,000.
 *
 * Yours from `entable_query_new`: free it with `entable_query_free`, at any time after the call that took it. While
 * one thread changes it, no other may use it.
 */
typedef struct entable_query entable_query;

/**
 * The relations of a table. Yours: free them with `entable_relations_free`. They never change, so any thread may read
 * them.
 */
typedef struct entable_relations entable_relations;

/**
 * What looking through a file has seen and found. Yours: free it with `entable_report_free`. It never changes, so any
 * thread may read it; texts asked of it are good until it is freed.
 */
typedef struct entable_report entable_report;

/**
 * The store as it was at one moment: what is written later is not seen through it. Read it through
 * `entable_table_at`. While it lives, the space of what is overwritten and deleted meanwhile is not used again: let go
 * of it soon.
 *
 * A handle, yours: free it with `entable_snapshot_free`. Tables that read through it keep it alive. Any number of
 * threads may use it; they take turns.
 */
typedef struct entable_snapshot entable_snapshot;

/**
 * What a store says of itself, at one moment. Yours: free it with `entable_stats_free`. It never changes, so any thread
 * may read it; texts asked of it are good until it is freed.
 */
typedef struct entable_stats entable_stats;

/**
 * An open store: one file of tables.
 *
 * A handle, yours from the call that made it: free it with `entable_store_free`. Any number of threads may use it at
 * once; tables made from it keep the store open until they are freed too. After a fork the child must open the file
 * itself.
 */
typedef struct entable_store entable_store;

/**
 * A table: a name in a store, looked up at every call. After the table has been deleted a call is
 * ENTABLE_TABLE_NOT_FOUND, and after one of that name has been made again the call works on the new one.
 *
 * A handle, yours from the call that made it: free it with `entable_table_free`. Any number of threads may use it at
 * once. It keeps its store open. Every write is durable when it returns, and every read sees the last write. One of a
 * transaction (`entable_transaction_table`) is for the thread of that alone, whatever its functions say.
 */
typedef struct entable_table entable_table;

/**
 * The names of tables. Yours: free it with `entable_table_names_free`. It never changes, so any thread may read it.
 */
typedef struct entable_table_names entable_table_names;

/**
 * A text with memory of its own. Yours: free it with `entable_text_free`. It never changes, so any thread may read it.
 */
typedef struct entable_text entable_text;

/**
 * Texts with memory of their own. Yours: free them with `entable_texts_free`. They never change, so any thread may read
 * them.
 */
typedef struct entable_texts entable_texts;

/**
 * A transaction that a program is in the middle of: through its tables it reads what it has written itself, nobody
 * else sees it, and other writers wait until it ends. Reads outside of it go on.
 *
 * A handle, yours from `entable_store_begin`: free it with `entable_transaction_free`, which rolls back what has not
 * been committed. Only the thread that began it may use it, and the tables in it: to any other each call is
 * ENTABLE_INVALID_INPUT. That thread cannot write through the store meanwhile: such a call is ENTABLE_TRANSACTION_OPEN.
 * A thread that ends rolls back what it has begun.
 *
 * An operation that fails changes nothing, and the transaction may go on; but after ENTABLE_STORE_FULL and the like every
 * later call, the commit included, is that error. Not to be confused with `entable_group`, a list of operations that
 * are done at once.
 */
typedef struct entable_transaction entable_transaction;

/**
 * Pairs of values that a pattern has read. Yours: free them with `entable_value_pairs_free`. They never change, so any
 * thread may read them.
 */
typedef struct entable_value_pairs entable_value_pairs;

/**
 * Text in UTF-8, borrowed: a pointer and a length in bytes. It need not end with a NUL, and may hold one.
 *
 * As an argument it is read during the call only. As a result it belongs to the object that it was asked of, and is
 * good until that object is freed or changed. `data` is NULL where there is no text; an empty text that is there
 * has another pointer. As an argument NULL with length 0 is the empty text.
 */
typedef struct entable_str {
    /**
     * The first byte, or NULL.
     */
    const char *data;
    /**
     * How many bytes.
     */
    size_t length;
} entable_str;

/**
 * A GUID: its bytes in the order in which the text shows them.
 */
typedef struct entable_guid {
    /**
     * First digit first.
     */
    uint8_t bytes[16];
} entable_guid;

/**
 * Bytes, borrowed, by the rules of `entable_str`.
 */
typedef struct entable_bytes {
    /**
     * The first byte, or NULL.
     */
    const uint8_t *data;
    /**
     * How many bytes.
     */
    size_t length;
} entable_bytes;

/**
 * The value of an `entable_value`: the member that its type says.
 */
typedef union entable_value_as {
    /**
     * ENTABLE_TYPE_INT32
     */
    int32_t int32;
    /**
     * ENTABLE_TYPE_INT64
     */
    int64_t int64;
    /**
     * ENTABLE_TYPE_DOUBLE
     */
    double number;
    /**
     * ENTABLE_TYPE_DATETIME: ticks of 100 ns since 0001-01-01T00:00:00Z
     */
    int64_t ticks;
    /**
     * ENTABLE_TYPE_GUID
     */
    struct entable_guid guid;
    /**
     * ENTABLE_TYPE_BOOLEAN
     */
    bool boolean;
    /**
     * ENTABLE_TYPE_STRING
     */
    struct entable_str string;
    /**
     * ENTABLE_TYPE_BINARY
     */
    struct entable_bytes binary;
} entable_value_as;

/**
 * A typed value, borrowed: text and bytes are not copied.
 *
 * As an argument it is read during the call only. As a result it is good until the object that it was asked of is
 * freed or changed. Made by `entable_value_int32(...)` and its seven sisters, or member by member.
 */
typedef struct entable_value {
    /**
     * Which member of `as` is there.
     */
    entable_type type;
    /**
     * The value.
     */
    union entable_value_as as;
} entable_value;

/**
 * What a write did. All zero for a delete.
 */
typedef struct entable_written {
    /**
     * The entity's new Timestamp, in ticks of 100 ns since 0001-01-01T00:00:00Z.
     */
    int64_t timestamp_ticks;
    /**
     * The entity's new ETag, ending with a NUL: `entable_str_of(written.etag)` for a condition.
     */
    char etag[ENTABLE_ETAG_SIZE];
    /**
     * Whether nothing was written, since a create-or-get has found the entity: then the two are those that it has.
     */
    bool is_found;
} entable_written;

/**
 * A condition of a write, borrowed for the call. All zero is no condition.
 */
typedef struct entable_condition {
    /**
     * Which condition.
     */
    entable_condition_kind kind;
    /**
     * The ETag of ENTABLE_CONDITION_IF_MATCH; not looked at otherwise.
     */
    struct entable_str etag;
    /**
     * The query of ENTABLE_CONDITION_MATCHES, of which the filter counts; not looked at otherwise.
     */
    const struct entable_query *query;
} entable_condition;

/**
 * The two keys of an entity, borrowed for the call.
 */
typedef struct entable_keys {
    /**
     * The PartitionKey.
     */
    struct entable_str partition_key;
    /**
     * The RowKey.
     */
    struct entable_str row_key;
} entable_keys;

/**
 * Is told what became of a submitted write, once, with the context that was given with it.
 *
 * `error` is NULL on success, else the callee's to free. `written` is lent until the function returns; it is NULL for a
 * delete, and on an error. It is called on the thread that writes, which all writes wait for: hand the outcome on to the
 * event loop and return.
 *
 * It may read, submit, close the store, and free handles, the last one included. A write that waits, a transaction,
 * `entable_store_sync` and `entable_store_compact` are ENTABLE_TRANSACTION_OPEN there.
 */
typedef void (*entable_completion)(void *context, struct entable_error *error, const struct entable_written *written);

/**
 * A relation: entities of one table, the children, have parents in another, or in the same. Texts are borrowed.
 */
typedef struct entable_relation {
    /**
     * Its name, one of its own among the relations of the table of the children.
     */
    struct entable_str name;
    /**
     * The table of the children.
     */
    struct entable_str child;
    /**
     * The table of the parents.
     */
    struct entable_str parent;
    /**
     * The property of a child that is its parent's PartitionKey: a String, or a key of its own. Without text (`data` is
     * NULL) its PartitionKey.
     */
    struct entable_str partition_key;
    /**
     * The property of a child that is its parent's RowKey. Without text its RowKey.
     */
    struct entable_str row_key;
    /**
     * What becomes of the children of a parent that is deleted.
     */
    entable_on_delete on_delete;
} entable_relation;

/**
 * A child whose parent is not there. Texts are views of the list.
 */
typedef struct entable_orphan {
    /**
     * Its PartitionKey.
     */
    struct entable_str partition_key;
    /**
     * Its RowKey.
     */
    struct entable_str row_key;
    /**
     * The PartitionKey of the parent that is not there.
     */
    struct entable_str target_partition_key;
    /**
     * The RowKey of the parent that is not there.
     */
    struct entable_str target_row_key;
} entable_orphan;

/**
 * What a change feed holds, and how long changes are kept. All zero: entities after each change, kept for ever.
 *
 * A limit is the least that is kept: what is beyond it goes in steps, some hundred changes later, or at once with
 * `entable_table_trim_feed`, and always whole commits.
 */
typedef struct entable_feed {
    /**
     * What a change holds.
     */
    entable_feed_content content;
    /**
     * How long changes are kept, by the time of their commit, in nanoseconds; counted in steps of 100. 0 for ever.
     */
    uint64_t keep_for_ns;
    /**
     * How many changes of the table are kept; 0 any number.
     */
    uint64_t keep_changes;
    /**
     * Whether changes are kept until every consumer is done with them, beyond age and number. Without either of these
     * limits they go as soon as that is so, and none goes as long as there is no consumer. A consumer that does not come
     * back keeps them for ever.
     */
    bool keep_until_consumed;
} entable_feed;

/**
 * What is told of a feed. Texts are views of the `entable_feed_info`.
 */
typedef struct entable_feed_state {
    /**
     * What was declared.
     */
    struct entable_feed settings;
    /**
     * The position before the first change that is kept.
     */
    struct entable_str begin;
    /**
     * The position behind all that has been done so far.
     */
    struct entable_str end;
    /**
     * How many changes are kept.
     */
    uint64_t changes;
    /**
     * How many consumers there are.
     */
    size_t consumers;
} entable_feed_state;

/**
 * What is told of a consumer. Texts are views of the `entable_feed_info`.
 */
typedef struct entable_consumer_state {
    /**
     * Its name.
     */
    struct entable_str name;
    /**
     * The position behind what it is done with.
     */
    struct entable_str position;
    /**
     * When it said so, by the clock of the store.
     */
    int64_t advanced_ticks;
    /**
     * How many changes it has not said it is done with, of those that are kept.
     */
    uint64_t changes_behind;
    /**
     * Whether changes that it had not seen are not kept any more.
     */
    bool has_missed;
} entable_consumer_state;

/**
 * One change of one entity. What is pointed to belongs to the page, or is lent until the next change is asked for.
 */
typedef struct entable_change {
    /**
     * The commit that it was part of. Numbers rise, over all tables of the store, and are not without gaps.
     */
    uint64_t commit;
    /**
     * Its place among all changes of that commit, in any table, from 0.
     */
    uint32_t position;
    /**
     * What was done.
     */
    entable_change_kind kind;
    /**
     * The PartitionKey of the entity.
     */
    struct entable_str partition_key;
    /**
     * The RowKey of the entity.
     */
    struct entable_str row_key;
    /**
     * The Timestamp that the entity was given. Of a delete: the one that the delete was given, later than the entity's
     * last.
     */
    int64_t timestamp_ticks;
    /**
     * The Timestamp that the entity had before; 0 if it was created.
     */
    int64_t former_timestamp_ticks;
    /**
     * When it was committed, by the clock of the store; the same for all changes of a commit.
     */
    int64_t committed_ticks;
    /**
     * The ETag after the change; no text (`data` is NULL) for a delete.
     */
    struct entable_str etag;
    /**
     * The ETag before the change; no text if the entity was created.
     */
    struct entable_str former_etag;
    /**
     * The position behind this change: for readers that stop in the middle of a commit.
     */
    struct entable_str behind;
    /**
     * The entity after the change; NULL for a delete, and if the feed does not hold it.
     */
    const struct entable_entity *entity;
    /**
     * The entity before the change; NULL if it was created, and if the feed does not hold it.
     */
    const struct entable_entity *former;
} entable_change;

/**
 * What a query cost: rows and entries of indexes. All zero for NULL.
 */
typedef struct entable_explain_rows {
    /**
     * How many rows, or entries, lie in the ranges; about, where an index was thought of.
     */
    uint64_t estimated;
    /**
     * How many rows were read, those included that were walked over.
     */
    uint64_t read;
    /**
     * How many rows the filter let through.
     */
    uint64_t returned;
    /**
     * How many entries of indexes were read.
     */
    uint64_t entries_read;
} entable_explain_rows;

/**
 * A way to the rows that was thought of. Texts are good until the explain is freed.
 */
typedef struct entable_considered {
    /**
     * The way, such as `index equality`.
     */
    struct entable_str path;
    /**
     * The index that it leads through, if it is one alone; else no text (`data` is NULL).
     */
    struct entable_str index;
    /**
     * The rows, or entries of the index, that lie on it; about, where they are many.
     */
    uint64_t rows;
    /**
     * Whether it is the one that was taken.
     */
    bool is_taken;
} entable_considered;

/**
 * Is told how far a call has come: how many records, or pages, of how many. It is called with the context that was
 * given with it, on the thread of the call, before that returns; the call cannot be given up.
 *
 * During a backup, `entable_store_compact_into` and `entable_verify` it may call what it likes, but
 * `entable_store_compact` is ENTABLE_STORE_BUSY. During `entable_store_compact` every call of the store is
 * ENTABLE_STORE_BUSY, and to close it takes effect when the file is in place. It must not free what the call was given.
 */
typedef void (*entable_progress)(void *context, uint64_t done, uint64_t total);

/**
 * What a backup or a compaction has made.
 */
typedef struct entable_copied {
    /**
     * Records in the new file: entities, index entries, and what the store notes of tables.
     */
    uint64_t records;
    /**
     * Bytes of the file that was copied.
     */
    uint64_t bytes_before;
    /**
     * Bytes of the new file.
     */
    uint64_t bytes_after;
} entable_copied;

/**
 * What there is in a file. All zero for NULL.
 */
typedef struct entable_report_counts {
    /**
     * Pages of the file.
     */
    uint64_t pages;
    /**
     * Pages in use.
     */
    uint64_t used_pages;
    /**
     * Pages that later writes use again.
     */
    uint64_t free_pages;
    /**
     * Pages that are neither: no damage, but room that is lost until the store is compacted.
     */
    uint64_t leaked_pages;
    /**
     * Tables.
     */
    uint64_t tables;
    /**
     * Entities of all tables.
     */
    uint64_t entities;
    /**
     * Entries of all indexes.
     */
    uint64_t index_entries;
    /**
     * Changes of all feeds.
     */
    uint64_t changes;
    /**
     * Findings in all; the report lists the first 1,000.
     */
    uint64_t findings;
    /**
     * How many of them are damage.
     */
    uint64_t damages;
} entable_report_counts;

/**
 * One contradiction in a file, and where it is. Texts are good until the report is freed.
 */
typedef struct entable_finding {
    /**
     * Whether it is about one page.
     */
    bool has_page;
    /**
     * Whether the file is damaged by it.
     */
    bool is_damage;
    /**
     * The page, counted from 0 in pages of 4,096 bytes.
     */
    uint64_t page;
    /**
     * What kind of thing is wrong, such as `row` or `free pages`.
     */
    struct entable_str kind;
    /**
     * The table that it is about; no text (`data` is NULL) where there is none.
     */
    struct entable_str table;
    /**
     * The PartitionKey of the entity that it is about; no text where there is none.
     */
    struct entable_str partition_key;
    /**
     * The RowKey of the entity that it is about; no text where there is none.
     */
    struct entable_str row_key;
    /**
     * What is wrong, in one sentence.
     */
    struct entable_str sentence;
} entable_finding;

/**
 * How long something took, in nanoseconds. Quantiles are at most a quarter too high.
 */
typedef struct entable_latency {
    /**
     * How many were timed.
     */
    uint64_t samples;
    /**
     * Half took no longer.
     */
    uint64_t p50_ns;
    /**
     * Nine of ten took no longer.
     */
    uint64_t p90_ns;
    /**
     * 99 of 100 took no longer.
     */
    uint64_t p99_ns;
    /**
     * The longest.
     */
    uint64_t max_ns;
} entable_latency;

/**
 * How large something was. Quantiles are at most a quarter too high.
 */
typedef struct entable_sizes {
    /**
     * How many there were.
     */
    uint64_t count;
    /**
     * All together.
     */
    uint64_t sum;
    /**
     * Half were no larger.
     */
    uint64_t p50;
    /**
     * 99 of 100 were no larger.
     */
    uint64_t p99;
    /**
     * The largest.
     */
    uint64_t max;
} entable_sizes;

/**
 * What is counted by this process since it opened the file, over all handles of it. Reads and queries are sampled, one
 * in 64 on average; commits are all timed.
 */
typedef struct entable_stats_work {
    /**
     * Reads of one entity by its keys.
     */
    struct entable_latency reads;
    /**
     * Pages of queries.
     */
    struct entable_latency queries;
    /**
     * Commits: writing and syncing, without the wait for a turn.
     */
    struct entable_latency commits;
    /**
     * How many groups (single operations, transactions, batches) shared a commit.
     */
    struct entable_sizes commit_groups;
    /**
     * Bytes of keys and values that a commit put.
     */
    struct entable_sizes commit_bytes;
    /**
     * Records that a group put or deleted.
     */
    struct entable_sizes group_changes;
} entable_stats_work;

/**
 * The file, and who keeps space in it from being used again.
 */
typedef struct entable_stats_file {
    /**
     * Bytes.
     */
    uint64_t bytes;
    /**
     * Bytes of a page.
     */
    uint64_t page_bytes;
    /**
     * Pages that hold something.
     */
    uint64_t used_pages;
    /**
     * Pages that will be used again. `entable_store_compact` gives them back.
     */
    uint64_t free_pages;
    /**
     * How many snapshots and copies of this process are open.
     */
    uint64_t held_readers;
    /**
     * For how long the oldest of them has been open, in nanoseconds.
     */
    uint64_t oldest_reader_ns;
    /**
     * The most readers that there have been at once, over all processes that have the file open now.
     */
    uint32_t reader_slots_used;
    /**
     * How many there can be.
     */
    uint32_t reader_slots;
    /**
     * By how much the last Timestamp given is ahead of the clock, in nanoseconds.
     */
    uint64_t timestamp_lead_ns;
} entable_stats_file;

/**
 * One of the databases in the file. Texts are good until the stats are freed.
 */
typedef struct entable_database_stats {
    /**
     * Its name in the file; `header` for the one that has none.
     */
    struct entable_str name;
    /**
     * Records: entities in `rows`, entries in `indexes`.
     */
    uint64_t records;
    /**
     * Bytes of its pages.
     */
    uint64_t bytes;
} entable_database_stats;

/**
 * Pages of queries that went one way to their rows. Texts are good until the stats are freed.
 */
typedef struct entable_query_kind {
    /**
     * The way, such as `partition scan`.
     */
    struct entable_str path;
    /**
     * How many pages, exactly.
     */
    uint64_t pages;
} entable_query_kind;

/**
 * A partition that is read or written much: an estimate. Texts are good until the stats are freed.
 */
typedef struct entable_busy_partition {
    /**
     * The table's name.
     */
    struct entable_str table;
    /**
     * The PartitionKey.
     */
    struct entable_str partition_key;
    /**
     * Its share of all reads and writes, at least: from 0 to 1.
     */
    double least_share;
    /**
     * Its share, at most.
     */
    double most_share;
} entable_busy_partition;

/**
 * What would make writes or queries cheaper, why, and how. Texts are good until the list is freed.
 */
typedef struct entable_advice {
    /**
     * What it is about.
     */
    entable_advice_kind kind;
    /**
     * The table.
     */
    struct entable_str table;
    /**
     * The index; no text (`data` is NULL) where it is about none.
     */
    struct entable_str index;
    /**
     * The filter, with a `?` in the place of each constant; no text where it is about none.
     */
    struct entable_str filter;
    /**
     * Why: a sentence, with numbers.
     */
    struct entable_str reason;
    /**
     * The call that would help, as Rust writes it.
     */
    struct entable_str call;
} entable_advice;

/**
 * What an index holds, and how often it was used. Texts are good until the list is freed.
 */
typedef struct entable_index_stats {
    /**
     * The index.
     */
    struct entable_str name;
    /**
     * Entries: one for each entity, as far as it is built.
     */
    uint64_t entries;
    /**
     * Entries of entities that have none of the indexed properties.
     */
    uint64_t missing;
    /**
     * Different values of all properties together, missing ones left out.
     */
    uint64_t distinct_values;
    /**
     * The part of all entries that the most frequent of these values has: from 0 to 1.
     */
    double most_frequent_share;
    /**
     * Bytes of the entries' keys and values.
     */
    uint64_t bytes;
    /**
     * Pages of queries, counts and deletes by filter that went through it, in this process since it opened the file.
     */
    uint64_t uses;
} entable_index_stats;

/**
 * A property of which a key is made, borrowed for the call. All zero but the name is the value as it is.
 */
typedef struct entable_pattern_field {
    /**
     * The property; `PartitionKey` and `RowKey` are properties, too.
     */
    struct entable_str name;
    /**
     * How the value is written.
     */
    entable_field_form form;
    /**
     * Digits of a whole number, with zeros before it; 0 as it is.
     */
    size_t padded;
    /**
     * What stands between several values of one text, each of which has a key. Not there: the text is one value.
     */
    struct entable_str each;
} entable_pattern_field;

/**
 * What a pattern is, borrowed for the call: begin with all zero. A text that is not there has NULL as `data`.
 */
typedef struct entable_pattern_definition {
    /**
     * Which pattern.
     */
    entable_pattern_kind kind;
    /**
     * The rows' table.
     */
    struct entable_str table;
    /**
     * The table of what is kept beside the rows.
     */
    struct entable_str kept_in;
    /**
     * What the RowKeys of what is kept begin with; with `row_prefix` of a secondary index, the PartitionKeys.
     */
    struct entable_str prefix;
    /**
     * What the RowKeys of rows begin with; of a secondary index, their PartitionKeys.
     */
    struct entable_str row_prefix;
    /**
     * The partition of what is kept, or its beginning.
     */
    struct entable_str partition;
    /**
     * The one property that the pattern is about.
     */
    struct entable_str property;
    /**
     * The property that gets the text without case.
     */
    struct entable_str folded;
    /**
     * What stands between the values in a key. Not there: `_`.
     */
    struct entable_str separator;
    /**
     * The properties of which keys are made.
     */
    const struct entable_pattern_field *fields;
    /**
     * How many.
     */
    size_t fields_count;
    /**
     * Names of the properties that are kept. NULL: all, or what `holding` says.
     */
    const struct entable_str *select;
    /**
     * How many.
     */
    size_t select_count;
    /**
     * What entries hold.
     */
    entable_holding holding;
    /**
     * The period of a data series.
     */
    entable_period period;
    /**
     * Partitions that the entries of one value are spread over; 0 for one.
     */
    uint32_t shards;
    /**
     * Keys of several values are made by `entable_keys_compose`.
     */
    uint8_t composed;
    /**
     * Entries are named by both keys of their row: for rows in several partitions with the same RowKey.
     */
    uint8_t by_both_keys;
    /**
     * A log tail is kept in both orders.
     */
    uint8_t both_orders;
} entable_pattern_definition;

/**
 * An operation of a group, as it is looked at.
 */
typedef struct entable_operation {
    /**
     * One of `entable_operation_kind`; 0 if there is none.
     */
    uint32_t kind;
    /**
     * The mode of an update or upsert; else 0.
     */
    entable_update_mode mode;
    /**
     * What must hold of the stored entity.
     */
    entable_condition_kind condition;
    /**
     * The ETag of ENTABLE_CONDITION_IF_MATCH, ending with a NUL; else empty.
     */
    char etag[ENTABLE_ETAG_SIZE];
} entable_operation;

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

/**
 * The text that ends before the first NUL, borrowed from `text`: good as long as that is. NULL gives no text.
 * For a literal `ENTABLE_STR("...")` does the same without counting. Any thread.
 */
struct entable_str entable_str_of(const char *text);

/**
 * The code: decide by it, or by the class, not by the message. 0 for NULL. Any thread.
 */
entable_code entable_error_code(const struct entable_error *error);

/**
 * The code's name as the service spells it, such as `EntityAlreadyExists`; empty for NULL. Good until the error is
 * freed. Any thread.
 */
const char *entable_error_name(const struct entable_error *error);

/**
 * The HTTP status that the service answers with this code; 0 for NULL. Any thread.
 */
uint16_t entable_error_status(const struct entable_error *error);

/**
 * The kind of failure; ENTABLE_CLASS_NONE for NULL. Any thread.
 */
entable_class entable_error_class(const struct entable_error *error);

/**
 * The whole message, ending with a NUL: in transactions the operation's index and a colon, then the service's text,
 * then one sentence with our facts. A NUL in it is written `\0`. Empty for NULL. Good until the error is freed. Any
 * thread.
 */
const char *entable_error_message(const struct entable_error *error);

/**
 * The table, as the caller named it; no text (`data` is NULL) where it does not apply. Good until the error is freed.
 * Any thread.
 */
struct entable_str entable_error_table(const struct entable_error *error);

/**
 * The PartitionKey of the entity; no text where it does not apply. Good until the error is freed. Any thread.
 */
struct entable_str entable_error_partition_key(const struct entable_error *error);

/**
 * The RowKey of the entity; no text where it does not apply. Good until the error is freed. Any thread.
 */
struct entable_str entable_error_row_key(const struct entable_error *error);

/**
 * The property at fault: a custom one, `PartitionKey`, `RowKey`, `Timestamp`, or the argument of the call. No text
 * where it does not apply. Good until the error is freed. Any thread.
 */
struct entable_str entable_error_property(const struct entable_error *error);

/**
 * The name of the index that refuses, of ENTABLE_UNIQUE_INDEX_VIOLATION and the like; no text where it does not apply.
 * Good until the error is freed. Any thread.
 */
struct entable_str entable_error_index_name(const struct entable_error *error);

/**
 * The name of the relation that refuses, of ENTABLE_LINK_TARGET_NOT_FOUND and the like; no text where it does not apply.
 * Good until the error is freed. Any thread.
 */
struct entable_str entable_error_relation(const struct entable_error *error);

/**
 * The PartitionKey of another entity that is in the way, such as the one that holds a unique value; no text where it
 * does not apply. Good until the error is freed. Any thread.
 */
struct entable_str entable_error_holder_partition_key(const struct entable_error *error);

/**
 * The RowKey of another entity that is in the way. Otherwise as `entable_error_holder_partition_key`.
 */
struct entable_str entable_error_holder_row_key(const struct entable_error *error);

/**
 * Whether a limit was passed; writes it to `limit`, in the unit of its rule. `limit` may be NULL. Any thread.
 */
bool entable_error_limit(const struct entable_error *error, uint64_t *limit);

/**
 * Whether something was met instead of a limit; writes it to `actual`, in the limit's unit. `actual` may be NULL. Any
 * thread.
 */
bool entable_error_actual(const struct entable_error *error, uint64_t *actual);

/**
 * Whether the error is at a place in a filter; writes it to `position`, in characters from 0. `position` may be NULL.
 * Any thread.
 */
bool entable_error_position(const struct entable_error *error, size_t *position);

/**
 * Whether the error is of one operation of a transaction; writes its place to `index`, from 0. `index` may be NULL.
 * Any thread.
 */
bool entable_error_index(const struct entable_error *error, size_t *index);

/**
 * Frees an error. NULL is fine. Once, and no other thread may be reading it.
 */
void entable_error_free(struct entable_error *error);

/**
 * A value of type Int32. Any thread.
 */
struct entable_value entable_value_int32(int32_t value);

/**
 * A value of type Int64. Any thread.
 */
struct entable_value entable_value_int64(int64_t value);

/**
 * A value of type Double. Any thread.
 */
struct entable_value entable_value_double(double value);

/**
 * A value of type DateTime: ticks of 100 ns since 0001-01-01T00:00:00Z. Any thread.
 */
struct entable_value entable_value_datetime(int64_t ticks);

/**
 * A value of type Guid. Any thread.
 */
struct entable_value entable_value_guid(struct entable_guid value);

/**
 * A value of type Boolean. Any thread.
 */
struct entable_value entable_value_boolean(bool value);

/**
 * A value of type String. It borrows the text: good as long as `text` is. Any thread.
 */
struct entable_value entable_value_string(struct entable_str text);

/**
 * A value of type Binary. It borrows the bytes: good as long as they are. Any thread.
 */
struct entable_value entable_value_binary(const uint8_t *data, size_t length);

/**
 * Reads a GUID from 32 hexadecimal digits in groups of 8-4-4-4-12, in any case. Any thread.
 *
 * Errors: ENTABLE_INVALID_INPUT for any other text. The error is yours to free.
 */
struct entable_error *entable_guid_parse(struct entable_str text, struct entable_guid *guid);

/**
 * Writes the text of a GUID, in lower case and with a NUL at its end, to `buffer` of `size` bytes, of which it needs
 * ENTABLE_GUID_TEXT_SIZE. Any thread.
 *
 * Errors: ENTABLE_INVALID_INPUT if the buffer is too small. The error is yours to free.
 */
struct entable_error *entable_guid_format(struct entable_guid guid, char *buffer, size_t size);

/**
 * Reads an instant from the text of a DateTime, such as `2013-08-22T01:12:06.2608595Z`, by the rules of a mode; without
 * a zone it means UTC. `ticks` are of 100 ns since 0001-01-01T00:00:00Z. Any thread.
 *
 * Errors: ENTABLE_INVALID_INPUT for another form, an impossible date, or an instant outside the mode's years. The error
 * is yours to free.
 */
struct entable_error *entable_datetime_parse(struct entable_str text, entable_mode mode, int64_t *ticks);

/**
 * Writes the text of an instant, with a NUL at its end, to `buffer` of `size` bytes, of which it needs up to
 * ENTABLE_DATETIME_TEXT_SIZE. Any thread.
 *
 * Errors: ENTABLE_INVALID_INPUT if the ticks lie outside the years 1 to 9999, or the buffer is too small. The error
 * is yours to free.
 */
struct entable_error *entable_datetime_format(int64_t ticks, char *buffer, size_t size);

/**
 * The tick of now, by the system's clock. Any thread.
 */
int64_t entable_datetime_now(void);

/**
 * The tick of `seconds` since 1970-01-01T00:00:00Z, which may be negative, and `nanoseconds` more, cut to 100 ns.
 * What lies outside the years 1 to 9999 becomes their first or last tick. Any thread.
 */
int64_t entable_datetime_from_unix(int64_t seconds, uint32_t nanoseconds);

/**
 * The `seconds` since 1970-01-01T00:00:00Z of a tick, negative before, and the `nanoseconds` that come to them, 0 to
 * 999,999,900. Either place may be NULL. Any thread.
 *
 * Errors: ENTABLE_INVALID_INPUT if the ticks lie outside the years 1 to 9999. The error is yours to free.
 */
struct entable_error *entable_datetime_to_unix(int64_t ticks, int64_t *seconds, uint32_t *nanoseconds);

/**
 * The default options: portable mode, reading and writing, a file that is not there is made. NULL only if that fails
 * for a defect. Yours. Any thread.
 */
struct entable_options *entable_options_new(void);

/**
 * Which limits and which filter language hold: ENTABLE_MODE_PORTABLE unless set. Not stored in the file.
 *
 * Errors: ENTABLE_INVALID_INPUT for another number. The error is yours to free.
 */
struct entable_error *entable_options_set_mode(struct entable_options *options, entable_mode mode);

/**
 * Opens for reading only: every write is ENTABLE_STORE_READ_ONLY, and the file must exist. The error is yours to free.
 */
struct entable_error *entable_options_set_read_only(struct entable_options *options, bool read_only);

/**
 * Refuses with ENTABLE_STORE_NOT_FOUND to make a file that is not there. The error is yours to free.
 */
struct entable_error *entable_options_set_must_exist(struct entable_options *options, bool must_exist);

/**
 * Opens for reading only, without a lock file, a file that nobody writes meanwhile: one on a disk or in a folder that
 * forbids writing. It is the caller's word that nobody does; what is written all the same is read as damage. The error
 * is yours to free.
 */
struct entable_error *entable_options_set_immutable(struct entable_options *options, bool immutable);

/**
 * Goes through the whole file before it is opened, as `entable_verify` does, and refuses with ENTABLE_DAMAGED one that
 * is damaged. It takes as long as reading the file. The error is yours to free.
 */
struct entable_error *entable_options_set_check(struct entable_options *options, bool check);

/**
 * The bytes that the file may take: a write that would go beyond is ENTABLE_QUOTA_EXCEEDED. Kept in the file, for every
 * process; without this option it stays as it is, and 0 takes it away. At least 1 MiB. A part of it is kept for what makes
 * room: deletes are never refused for it. The error is yours to free.
 */
struct entable_error *entable_options_set_max_size(struct entable_options *options,
                                                   uint64_t bytes);

/**
 * Takes the time of writes from `clock`, in ticks of 100 ns since 0001-01-01T00:00:00Z: for tests. Timestamps still
 * rise with every write, whatever it says; what is no tick is taken for now.
 *
 * `clock` is called with `context` by any thread that writes, also by several at once, as long as a handle of the
 * store is alive. All writers wait for it. It may read; to write, or to submit, is ENTABLE_TRANSACTION_OPEN. It may close
 * the store, which takes effect after the write; it must not free what the call was given. The error is yours to free.
 */
struct entable_error *entable_options_set_clock(struct entable_options *options,
                                                int64_t (*clock)(void *context),
                                                void *context);

/**
 * Frees options. NULL is fine. Once.
 */
void entable_options_free(struct entable_options *options);

/**
 * Opens the store in the file at `path` (UTF-8), made with the folders above it if it is not there; `":memory:"` is a
 * new store that vanishes with its last handle. `options` may be NULL for the defaults, and is not kept.
 *
 * `*store` is yours once the call returns NULL, else NULL. Any thread.
 *
 * Errors: ENTABLE_NOT_A_STORE, ENTABLE_NEWER_FORMAT, ENTABLE_DAMAGED, ENTABLE_STORE_NOT_FOUND, ENTABLE_IO; the file is
 * not touched then. The error is yours to free.
 */
struct entable_error *entable_store_open(struct entable_str path,
                                         const struct entable_options *options,
                                         struct entable_store **store);

/**
 * Ends the store for all its handles, tables and pages: later calls are ENTABLE_STORE_CLOSED. The file is released
 * when the calls that are under way have ended. Closing twice does no harm. The handle is still yours to free.
 * Any thread. The error is yours to free.
 */
struct entable_error *entable_store_close(const struct entable_store *store);

/**
 * Lets go of the store; the file is closed with the last handle of it, tables included. NULL is fine. Once, and no
 * other thread may be using this handle.
 */
void entable_store_free(struct entable_store *store);

/**
 * Returns when everything is durable that was written, or submitted, before the call. A write is durable when its call
 * returns, so this is for those of `entable_table_submit_...`. Any thread.
 *
 * Errors: ENTABLE_TRANSACTION_OPEN inside a transaction of this thread, ENTABLE_IO, ENTABLE_STORE_CLOSED. The error is
 * yours to free.
 */
struct entable_error *entable_store_sync(const struct entable_store *store);

/**
 * The mode that the store was opened in; portable for NULL. Any thread.
 */
entable_mode entable_store_mode(const struct entable_store *store);

/**
 * A handle to the table of this name. Nothing is asked of the store: that there is no such table shows when the
 * handle is used. `*table` is yours once the call returns NULL, else NULL. Any thread.
 *
 * Errors: ENTABLE_INVALID_RESOURCE_NAME, ENTABLE_OUT_OF_RANGE_INPUT, ENTABLE_PROPERTIES_NEED_VALUE for what is no
 * name of a table. The error is yours to free.
 */
struct entable_error *entable_store_table(const struct entable_store *store,
                                          struct entable_str name,
                                          struct entable_table **table);

/**
 * Makes a table. Its name is kept as written, and found in any case. Durable when the call returns.
 *
 * `table` may be NULL if no handle is wanted; `*table` is yours once the call returns NULL, else NULL. Any thread.
 *
 * Errors: as `entable_store_table`, and ENTABLE_TABLE_ALREADY_EXISTS. The error is yours to free.
 */
struct entable_error *entable_store_create_table(const struct entable_store *store,
                                                 struct entable_str name,
                                                 struct entable_table **table);

/**
 * Makes a table if it is not there. As `entable_store_create_table`, but that one that exists is no error.
 */
struct entable_error *entable_store_create_table_if_not_exists(const struct entable_store *store,
                                                               struct entable_str name,
                                                               struct entable_table **table);

/**
 * Deletes a table with all its entities, at once and durably. Any thread.
 *
 * Errors: as `entable_store_table`, and ENTABLE_RESOURCE_NOT_FOUND if there is no such table. The error is yours to
 * free.
 */
struct entable_error *entable_store_delete_table(const struct entable_store *store, struct entable_str name);

/**
 * The names of all tables as they were created, in the order of their lower-cased names.
 *
 * `*names` is yours once the call returns NULL, else NULL. Any thread. The error is yours to free.
 */
struct entable_error *entable_store_list_tables(const struct entable_store *store, struct entable_table_names **names);

/**
 * The names of the tables that a filter on `TableName` asks for. Of the query's other parts only parameters and the
 * limit count.
 *
 * `*names` is yours once the call returns NULL, else NULL. Any thread, but the query is for one at a time.
 *
 * Errors: ENTABLE_INVALID_INPUT for what is wrong in the filter, another property included. The error is yours to
 * free.
 */
struct entable_error *entable_store_query_tables(const struct entable_store *store,
                                                 const struct entable_query *query,
                                                 struct entable_table_names **names);

/**
 * How many names there are; 0 for NULL. Any thread.
 */
size_t entable_table_names_count(const struct entable_table_names *names);

/**
 * The name at `index`, from 0; no text (`data` is NULL) past the end. Good until the names are freed. Any thread.
 */
struct entable_str entable_table_names_at(const struct entable_table_names *names, size_t index);

/**
 * Frees names of tables. NULL is fine. Once.
 */
void entable_table_names_free(struct entable_table_names *names);

/**
 * Lets go of a table. NULL is fine. Once, and no other thread may be using this handle.
 */
void entable_table_free(struct entable_table *table);

/**
 * The table's name, as the handle was made with; no text (`data` is NULL) for NULL. Good until the handle is freed.
 * Any thread.
 */
struct entable_str entable_table_name(const struct entable_table *table);

/**
 * Stores a new entity.
 *
 * `written` may be NULL; else it gets the entity's Timestamp and ETag. The entity is copied and stays yours. Any
 * thread, but the entity must not be changed meanwhile.
 *
 * Errors: ENTABLE_ENTITY_ALREADY_EXISTS, ENTABLE_TABLE_NOT_FOUND, and what is wrong in the entity, with property,
 * limit and actual value. The error is yours to free.
 */
struct entable_error *entable_table_create_entity(const struct entable_table *table,
                                                  const struct entable_entity *entity,
                                                  struct entable_written *written);

/**
 * Changes an entity that is there, on a condition: `entable_condition_none()` and `entable_condition_any()` ask for
 * any version.
 *
 * `written` may be NULL; else it gets the entity's new Timestamp and ETag. The entity is copied and stays yours. Any
 * thread, but the entity must not be changed meanwhile.
 *
 * Errors: ENTABLE_RESOURCE_NOT_FOUND if it is not there, ENTABLE_UPDATE_CONDITION_NOT_SATISFIED if it is there in
 * another version, ENTABLE_INVALID_INPUT for another number as mode, and as `entable_table_create_entity`. The error
 * is yours to free.
 */
struct entable_error *entable_table_update_entity(const struct entable_table *table,
                                                  const struct entable_entity *entity,
                                                  entable_update_mode mode,
                                                  struct entable_condition condition,
                                                  struct entable_written *written);

/**
 * Changes an entity, or stores it if it is not there. With `entable_condition_none()` in any case;
 * `entable_condition_absent()` and `entable_condition_if_match(...)` work too, which the service does not have.
 *
 * Otherwise as `entable_table_update_entity`; ENTABLE_RESOURCE_NOT_FOUND comes of the condition only.
 */
struct entable_error *entable_table_upsert_entity(const struct entable_table *table,
                                                  const struct entable_entity *entity,
                                                  entable_update_mode mode,
                                                  struct entable_condition condition,
                                                  struct entable_written *written);

/**
 * Stores a new entity, or finds the one that is there with its keys, which stays as it is.
 *
 * `*found` is the entity as it is stored now, yours once the call returns NULL, else NULL. `is_created` may be NULL; else it gets which of both.
 * The entity is copied and stays yours. Any thread, but the entity must not be changed meanwhile.
 *
 * Errors: as `entable_table_create_entity`, but for the entity being there. The error is yours to free.
 */
struct entable_error *entable_table_create_or_get_entity(const struct entable_table *table,
                                                         const struct entable_entity *entity,
                                                         struct entable_entity **found,
                                                         bool *is_created);

/**
 * Gives an entity other keys, with all that it has, in one transaction; on a condition on the entity as it is before:
 * `entable_condition_none()` and `entable_condition_any()` ask for any version.
 *
 * `written` may be NULL; else it gets the entity's new Timestamp and ETag. Any thread.
 *
 * Errors: ENTABLE_RESOURCE_NOT_FOUND if there is none with the first keys, ENTABLE_ENTITY_ALREADY_EXISTS if there is one
 * with the new ones, ENTABLE_UPDATE_CONDITION_NOT_SATISFIED. The error is yours to free.
 */
struct entable_error *entable_table_move_entity(const struct entable_table *table,
                                                struct entable_str partition_key,
                                                struct entable_str row_key,
                                                struct entable_str new_partition_key,
                                                struct entable_str new_row_key,
                                                struct entable_condition condition,
                                                struct entable_written *written);

/**
 * Removes an entity, on a condition: `entable_condition_none()` and `entable_condition_any()` ask for any version. Any
 * thread.
 *
 * Errors: ENTABLE_RESOURCE_NOT_FOUND if it is not there, ENTABLE_UPDATE_CONDITION_NOT_SATISFIED,
 * ENTABLE_TABLE_NOT_FOUND. The error is yours to free.
 */
struct entable_error *entable_table_delete_entity(const struct entable_table *table,
                                                  struct entable_str partition_key,
                                                  struct entable_str row_key,
                                                  struct entable_condition condition);

/**
 * The entity with these keys. `*entity` is yours once the call returns NULL, else NULL. Any thread.
 *
 * Errors: ENTABLE_RESOURCE_NOT_FOUND, ENTABLE_TABLE_NOT_FOUND. The error is yours to free.
 */
struct entable_error *entable_table_get_entity(const struct entable_table *table,
                                               struct entable_str partition_key,
                                               struct entable_str row_key,
                                               struct entable_entity **entity);

/**
 * These properties of the entity with these keys: `count` names from `names` on; keys and Timestamp only if named. No
 * names, or `*` among them: everything. Otherwise as `entable_table_get_entity`.
 */
struct entable_error *entable_table_get_entity_select(const struct entable_table *table,
                                                      struct entable_str partition_key,
                                                      struct entable_str row_key,
                                                      const struct entable_str *names,
                                                      size_t count,
                                                      struct entable_entity **entity);

/**
 * Whether there is an entity with these keys. Any thread.
 *
 * Errors: ENTABLE_TABLE_NOT_FOUND. The error is yours to free.
 */
struct entable_error *entable_table_exists(const struct entable_table *table,
                                           struct entable_str partition_key,
                                           struct entable_str row_key,
                                           bool *exists);

/**
 * The entities with these keys, `count` of them from `keys` on, all from one moment: into as many places from
 * `entities` on, in the order of the keys, NULL where there is none. Those that are there are yours, each, once the
 * call returns NULL; else all are NULL. Any thread.
 *
 * Errors: ENTABLE_TABLE_NOT_FOUND. The error is yours to free.
 */
struct entable_error *entable_table_get_many(const struct entable_table *table,
                                             const struct entable_keys *keys,
                                             size_t count,
                                             struct entable_entity **entities);

/**
 * The entities that a query asks for, in the order of PartitionKey and RowKey; NULL as query asks for all. The query
 * is copied and stays yours.
 *
 * `*entities` is yours once the call returns NULL, else NULL. Any thread.
 *
 * Errors: ENTABLE_INVALID_INPUT and ENTABLE_NOT_IMPLEMENTED for what is wrong in the filter, with its position. Those
 * of the table come with the first entity. The error is yours to free.
 */
struct entable_error *entable_table_query_entities(const struct entable_table *table,
                                                   const struct entable_query *query,
                                                   struct entable_entities **entities);

/**
 * The same answer page by page: `*pages` is yours once the call returns NULL, else NULL. Otherwise as
 * `entable_table_query_entities`.
 */
struct entable_error *entable_table_query_pages(const struct entable_table *table,
                                                const struct entable_query *query,
                                                struct entable_pages **pages);

/**
 * One page of a query, from its beginning or from where its token says. `*page` is yours once the call returns NULL,
 * else NULL. Any thread.
 *
 * Errors: as `entable_table_query_entities`; ENTABLE_TABLE_NOT_FOUND; ENTABLE_INVALID_INPUT for a token of another
 * query, table or store. The error is yours to free.
 */
struct entable_error *entable_table_query_page(const struct entable_table *table,
                                               const struct entable_query *query,
                                               struct entable_page **page);

/**
 * How many entities a query asks for, exactly, at one moment of the store; its limit counts, its page size, projection
 * and token do not. Any thread.
 *
 * Errors: as `entable_table_query_page`. The error is yours to free.
 */
struct entable_error *entable_table_count(const struct entable_table *table,
                                          const struct entable_query *query,
                                          uint64_t *count);

/**
 * Deletes the entities that a query asks for, up to its limit, all or none; NULL as query deletes all. Its page size,
 * projection and token do not count. `count` may be NULL; else it gets how many there were. Durable when the call
 * returns. Any thread.
 *
 * Errors: as `entable_table_query_page`. The error is yours to free.
 */
struct entable_error *entable_table_delete_entities(const struct entable_table *table,
                                                    const struct entable_query *query,
                                                    uint64_t *count);

/**
 * Deletes the entities that a query asks for in steps of at most `chunk`, each a transaction of its own: other writers
 * get their turn in between, and what was deleted before an error stays deleted. Not in a transaction. Otherwise as
 * `entable_table_delete_entities`.
 *
 * Errors: also ENTABLE_INVALID_INPUT for a chunk of 0. The error is yours to free.
 */
struct entable_error *entable_table_delete_entities_in_chunks(const struct entable_table *table,
                                                              const struct entable_query *query,
                                                              uint64_t chunk,
                                                              uint64_t *count);

/**
 * The PartitionKeys that the table has, in order, each once: from one partition to the next, without the entities.
 * Not in a transaction.
 *
 * `*partition_keys` is yours once the call returns NULL, else NULL. Any thread. Those errors that are of the table come
 * with the first key. The error is yours to free.
 */
struct entable_error *entable_table_partition_keys(const struct entable_table *table,
                                                   struct entable_partition_keys **partition_keys);

/**
 * The next PartitionKey, lent until the next call or until they are freed; no text (`data` is NULL) at the end. After an
 * error there is nothing more.
 *
 * Errors: ENTABLE_TABLE_NOT_FOUND, ENTABLE_STORE_CLOSED, ENTABLE_DAMAGED. The error is yours to free.
 */
struct entable_error *entable_partition_keys_next(struct entable_partition_keys *partition_keys,
                                                  struct entable_str *partition_key);

/**
 * Frees PartitionKeys, and with them the one that is lent. NULL is fine. Once.
 */
void entable_partition_keys_free(struct entable_partition_keys *partition_keys);

/**
 * An entity group transaction: up to 100 operations on entities of one partition, each entity once, all or nothing.
 * No operations: nothing happens. The group is copied and stays yours.
 *
 * `written` may be NULL; else it has `count` places, as many as operations, and gets the result of each: all zero for
 * a delete. Any thread, but the group must not be changed meanwhile.
 *
 * Errors: the failing operation's own, with its index, which the message begins with; or the group's:
 * ENTABLE_COMMANDS_IN_BATCH_ACT_ON_DIFFERENT_PARTITIONS, ENTABLE_INVALID_DUPLICATE_ROW, ENTABLE_REQUEST_BODY_TOO_LARGE.
 * The error is yours to free.
 */
struct entable_error *entable_table_submit_transaction(const struct entable_table *table,
                                                       const struct entable_group *group,
                                                       struct entable_written *written,
                                                       size_t count);

/**
 * A new entity with these keys and no properties. What keys may be is checked when it is written.
 *
 * `*entity` is yours once the call returns NULL, else NULL. Any thread. The error is yours to free.
 */
struct entable_error *entable_entity_new(struct entable_str partition_key,
                                         struct entable_str row_key,
                                         struct entable_entity **entity);

/**
 * A copy of an entity, lent or not: `*copy` is yours once the call returns NULL, else NULL. Any thread. The error is
 * yours to free.
 */
struct entable_error *entable_entity_clone(const struct entable_entity *entity, struct entable_entity **copy);

/**
 * Frees an entity that is yours. NULL is fine. Once.
 */
void entable_entity_free(struct entable_entity *entity);

/**
 * The PartitionKey; empty where a projection leaves it out, no text (`data` is NULL) for NULL. A view.
 */
struct entable_str entable_entity_partition_key(const struct entable_entity *entity);

/**
 * The RowKey; empty where a projection leaves it out, no text (`data` is NULL) for NULL. A view.
 */
struct entable_str entable_entity_row_key(const struct entable_entity *entity);

/**
 * The version, for conditional writes; no text (`data` is NULL) for an entity that was not read from a store. A view.
 */
struct entable_str entable_entity_etag(const struct entable_entity *entity);

/**
 * Whether the entity has a Timestamp, which it has if it was read and no projection left it out; writes it to `ticks`,
 * of 100 ns since 0001-01-01T00:00:00Z. `ticks` may be NULL.
 */
bool entable_entity_timestamp(const struct entable_entity *entity, int64_t *ticks);

/**
 * Bytes of the entity by the published formula, which the limit of 1 MiB counts; 0 for NULL.
 */
size_t entable_entity_size(const struct entable_entity *entity);

/**
 * Sets a property, whose value is copied. A new one comes last; one that is there keeps its place. Names and values
 * are checked when the entity is written.
 *
 * Errors: ENTABLE_INVALID_INPUT for a value that is none: text that is not UTF-8, an instant outside the years 1 to
 * 9999, an unknown type. The error is yours to free.
 */
struct entable_error *entable_entity_set(struct entable_entity *entity,
                                         struct entable_str name,
                                         struct entable_value value);

/**
 * Takes a property out of this entity; one that it does not have is no error. It stays in the store unless the entity
 * is written with ENTABLE_UPDATE_REPLACE. The error is yours to free.
 */
struct entable_error *entable_entity_remove(struct entable_entity *entity, struct entable_str name);

/**
 * Has a merge add a number to what the property has, as one step: an Int32, Int64 or Double, which is copied. The
 * property keeps its type, which must hold the number exactly; one that is not there becomes the number. For updates and
 * upserts with ENTABLE_UPDATE_MERGE; it is not among the entity's own properties.
 *
 * Errors: ENTABLE_INVALID_INPUT for what is no number. Of the write: ENTABLE_NUMBER_OVERFLOW,
 * ENTABLE_DUPLICATE_PROPERTIES_SPECIFIED for a property that is also set. The error is yours to free.
 */
struct entable_error *entable_entity_add(struct entable_entity *entity,
                                         struct entable_str name,
                                         struct entable_value number);

/**
 * Has a merge take a property out of the stored entity, if it is there. For updates and upserts with
 * ENTABLE_UPDATE_MERGE. The error is yours to free.
 */
struct entable_error *entable_entity_erase(struct entable_entity *entity, struct entable_str name);

/**
 * How many properties there are, keys and Timestamp not counted; 0 for NULL.
 */
size_t entable_entity_count(const struct entable_entity *entity);

/**
 * Whether there is a property at `index`, from 0; writes views of its name and value. Either place may be NULL.
 */
bool entable_entity_at(const struct entable_entity *entity,
                       size_t index,
                       struct entable_str *name,
                       struct entable_value *value);

/**
 * A view of the value of a property; its type is ENTABLE_TYPE_NONE if there is no such property. The error is yours to
 * free.
 */
struct entable_error *entable_entity_get(const struct entable_entity *entity,
                                         struct entable_str name,
                                         struct entable_value *value);

/**
 * The number of an Int32 property.
 *
 * Errors, here and in the seven functions below: ENTABLE_INVALID_INPUT, naming the property, if there is none of this
 * name or it has another type. The error is yours to free.
 */
struct entable_error *entable_entity_get_int32(const struct entable_entity *entity,
                                               struct entable_str name,
                                               int32_t *value);

/**
 * The number of an Int64 or Int32 property.
 */
struct entable_error *entable_entity_get_int64(const struct entable_entity *entity,
                                               struct entable_str name,
                                               int64_t *value);

/**
 * The number of a Double or Int32 property.
 */
struct entable_error *entable_entity_get_double(const struct entable_entity *entity,
                                                struct entable_str name,
                                                double *value);

/**
 * The instant of a DateTime property, in ticks of 100 ns since 0001-01-01T00:00:00Z.
 */
struct entable_error *entable_entity_get_datetime(const struct entable_entity *entity,
                                                  struct entable_str name,
                                                  int64_t *ticks);

/**
 * The GUID of a Guid property.
 */
struct entable_error *entable_entity_get_guid(const struct entable_entity *entity,
                                              struct entable_str name,
                                              struct entable_guid *value);

/**
 * The truth value of a Boolean property.
 */
struct entable_error *entable_entity_get_boolean(const struct entable_entity *entity,
                                                 struct entable_str name,
                                                 bool *value);

/**
 * The text of a String property: a view, good until the entity is freed or changed.
 */
struct entable_error *entable_entity_get_string(const struct entable_entity *entity,
                                                struct entable_str name,
                                                struct entable_str *value);

/**
 * The bytes of a Binary property: a view, good until the entity is freed or changed.
 */
struct entable_error *entable_entity_get_binary(const struct entable_entity *entity,
                                                struct entable_str name,
                                                struct entable_bytes *value);

/**
 * A question with this filter; blank text asks for all entities. The text is copied, and read when the query is used.
 *
 * `*query` is yours once the call returns NULL, else NULL. Any thread. The error is yours to free.
 */
struct entable_error *entable_query_new(struct entable_str filter, struct entable_query **query);

/**
 * The value of `@name` in the filter's text; `name` is written without `@`, and the value is copied. It is put into
 * the parsed filter, so no value can change what the filter asks. The error is yours to free.
 */
struct entable_error *entable_query_set_parameter(struct entable_query *query,
                                                  struct entable_str name,
                                                  struct entable_value value);

/**
 * Only these properties, `count` names from `names` on, which are copied; keys and Timestamp only if named. No names,
 * or `*` among them: everything. The error is yours to free.
 */
struct entable_error *entable_query_set_select(struct entable_query *query,
                                               const struct entable_str *names,
                                               size_t count);

/**
 * At most this many entities in all, over all pages. The error is yours to free.
 */
struct entable_error *entable_query_set_limit(struct entable_query *query, uint64_t entities);

/**
 * How many entities a page holds: 1,000 by default, any number but 0; in strict mode 1,000 is the most. Checked when
 * the query is used. The error is yours to free.
 */
struct entable_error *entable_query_set_page_size(struct entable_query *query, size_t entities);

/**
 * Largest keys first. Strict mode refuses it when the query is used. The error is yours to free.
 */
struct entable_error *entable_query_set_descending(struct entable_query *query);

/**
 * In the order of these properties, several with commas between, instead of that of the keys: all ascending, with
 * `entable_query_set_descending` all descending. What lacks a property comes first. The text is copied.
 *
 * The call that uses the query fails with ENTABLE_NOT_IMPLEMENTED where no index gives this order, and in strict mode; with
 * ENTABLE_INVALID_INPUT for a name twice, or none. The error is yours to free.
 */
struct entable_error *entable_query_set_order_by(struct entable_query *query,
                                                 struct entable_str property);

/**
 * Gives the answer up when `is_over` says so: the call that reads is ENTABLE_CANCELLED then, and nothing of it is done. It is
 * asked with `context` every few hundred rows, in the midst of a read, on the thread that reads. What it waits for,
 * others may wait for, too.
 *
 * Both must be good until the query is freed, and what it was asked for: entities and pages.
 *
 * It may read, and write while the query does not delete and is not one of a transaction; else to write is
 * ENTABLE_TRANSACTION_OPEN. To read at the snapshot that is being read is ENTABLE_STORE_BUSY. It may close the snapshot
 * and the store, which takes effect with the next read; it must not free what the call was given. The error is yours to
 * free.
 */
struct entable_error *entable_query_set_stop(struct entable_query *query,
                                             bool (*is_over)(void *context),
                                             void *context);

/**
 * Goes on where a page of the same query ended: `token` is the text that `entable_page_continuation_token` gave, and is
 * not kept.
 *
 * Errors: ENTABLE_INVALID_INPUT for text that is no token. The error is yours to free.
 */
struct entable_error *entable_query_continue_from(struct entable_query *query, struct entable_str token);

/**
 * Reads and compares by the rules of this mode instead of the store's.
 *
 * Errors: ENTABLE_INVALID_INPUT for another number. The error is yours to free.
 */
struct entable_error *entable_query_set_mode(struct entable_query *query, entable_mode mode);

/**
 * Frees a query. NULL is fine. Once.
 */
void entable_query_free(struct entable_query *query);

/**
 * The next entity: `*entity` is lent until the next call with these entities, or until they are freed; NULL at the
 * end. After an error there is nothing more.
 *
 * Errors: ENTABLE_TABLE_NOT_FOUND, ENTABLE_STORE_CLOSED, ENTABLE_DAMAGED. The error is yours to free.
 */
struct entable_error *entable_entities_next(struct entable_entities *entities, const struct entable_entity **entity);

/**
 * Frees entities of an answer, and with them the one that is lent. NULL is fine. Once.
 */
void entable_entities_free(struct entable_entities *entities);

/**
 * The next page: `*page` is yours, and may be without entities; NULL at the end. After an error there is nothing more.
 *
 * Errors: ENTABLE_TABLE_NOT_FOUND, ENTABLE_STORE_CLOSED, ENTABLE_DAMAGED. The error is yours to free.
 */
struct entable_error *entable_pages_next(struct entable_pages *pages, struct entable_page **page);

/**
 * Frees pages. NULL is fine. Once. A page that was given stays yours.
 */
void entable_pages_free(struct entable_pages *pages);

/**
 * How many entities the page holds; 0 for NULL. Any thread.
 */
size_t entable_page_count(const struct entable_page *page);

/**
 * The entity at `index`, from 0; NULL past the end. Lent until the page is freed. Any thread.
 */
const struct entable_entity *entable_page_entity(const struct entable_page *page, size_t index);

/**
 * Where the next page begins: printable text, to be kept and handed to `entable_query_continue_from` of the same
 * query. No text (`data` is NULL) at the end, and nothing else tells the end. Good until the page is freed. Any thread.
 */
struct entable_str entable_page_continuation_token(const struct entable_page *page);

/**
 * Frees a page and its entities. NULL is fine. Once.
 */
void entable_page_free(struct entable_page *page);

/**
 * No condition: an upsert writes in any case, an update or a delete needs the entity in any version. Any thread.
 */
struct entable_condition entable_condition_none(void);

/**
 * The entity must exist, in any version. Any thread.
 */
struct entable_condition entable_condition_any(void);

/**
 * The entity must exist in this version: the text of an ETag, or `*` for any. It borrows the text. That the text is
 * one of these is checked by the write. Any thread.
 */
struct entable_condition entable_condition_if_match(struct entable_str etag);

/**
 * The entity must not exist. Any thread.
 */
struct entable_condition entable_condition_absent(void);

/**
 * The entity must exist, and be one that the filter of this query takes, as it is stored before the write; else
 * ENTABLE_UPDATE_CONDITION_NOT_SATISFIED with the filter. It borrows the query, whose parameters count, and nothing else. The service
 * has no such condition. Any thread.
 */
struct entable_condition entable_condition_matches(const struct entable_query *query);

/**
 * A group without operations. NULL only if that fails for a defect. Yours. Any thread.
 */
struct entable_group *entable_group_new(void);

/**
 * How many operations there are; 0 for NULL.
 */
size_t entable_group_count(const struct entable_group *group);

/**
 * Adds the creation of an entity, which is copied. The error is yours to free.
 */
struct entable_error *entable_group_create_entity(struct entable_group *group, const struct entable_entity *entity);

/**
 * Adds the update of an entity, which is copied. Mode and condition as in `entable_table_update_entity`. The error is
 * yours to free.
 */
struct entable_error *entable_group_update_entity(struct entable_group *group,
                                                  const struct entable_entity *entity,
                                                  entable_update_mode mode,
                                                  struct entable_condition condition);

/**
 * Adds the upsert of an entity, which is copied. Mode and condition as in `entable_table_upsert_entity`. The error is
 * yours to free.
 */
struct entable_error *entable_group_upsert_entity(struct entable_group *group,
                                                  const struct entable_entity *entity,
                                                  entable_update_mode mode,
                                                  struct entable_condition condition);

/**
 * Adds the deletion of an entity. The condition as in `entable_table_delete_entity`. The error is yours to free.
 */
struct entable_error *entable_group_delete_entity(struct entable_group *group,
                                                  struct entable_str partition_key,
                                                  struct entable_str row_key,
                                                  struct entable_condition condition);

/**
 * Adds the creation of an entity, which is copied, or finds the one that is there: `is_found` of its result tells which.
 * The error is yours to free.
 */
struct entable_error *entable_group_create_or_get_entity(struct entable_group *group,
                                                         const struct entable_entity *entity);

/**
 * Adds the move of an entity to other keys, of the same partition. The condition as in `entable_table_move_entity`. The
 * error is yours to free.
 */
struct entable_error *entable_group_move_entity(struct entable_group *group,
                                                struct entable_str partition_key,
                                                struct entable_str row_key,
                                                struct entable_str new_partition_key,
                                                struct entable_str new_row_key,
                                                struct entable_condition condition);

/**
 * Frees a group. NULL is fine. Once.
 */
void entable_group_free(struct entable_group *group);

/**
 * A store-wide transaction without operations. NULL only if that fails for a defect. Yours. Any thread.
 */
struct entable_batch *entable_batch_new(void);

/**
 * How many operations there are; 0 for NULL.
 */
size_t entable_batch_count(const struct entable_batch *batch);

/**
 * Adds the creation of an entity, which is copied, in a table. The error is yours to free.
 */
struct entable_error *entable_batch_create_entity(struct entable_batch *batch,
                                                  const struct entable_table *table,
                                                  const struct entable_entity *entity);

/**
 * Adds the update of an entity, which is copied, in a table. Mode and condition as in `entable_table_update_entity`.
 * The error is yours to free.
 */
struct entable_error *entable_batch_update_entity(struct entable_batch *batch,
                                                  const struct entable_table *table,
                                                  const struct entable_entity *entity,
                                                  entable_update_mode mode,
                                                  struct entable_condition condition);

/**
 * Adds the upsert of an entity, which is copied, in a table. Mode and condition as in `entable_table_upsert_entity`.
 * The error is yours to free.
 */
struct entable_error *entable_batch_upsert_entity(struct entable_batch *batch,
                                                  const struct entable_table *table,
                                                  const struct entable_entity *entity,
                                                  entable_update_mode mode,
                                                  struct entable_condition condition);

/**
 * Adds the deletion of an entity in a table. The condition as in `entable_table_delete_entity`. The error is yours to
 * free.
 */
struct entable_error *entable_batch_delete_entity(struct entable_batch *batch,
                                                  const struct entable_table *table,
                                                  struct entable_str partition_key,
                                                  struct entable_str row_key,
                                                  struct entable_condition condition);

/**
 * Adds the creation of an entity, which is copied, in a table, or finds the one that is there: `is_found` of its result
 * tells which. The error is yours to free.
 */
struct entable_error *entable_batch_create_or_get_entity(struct entable_batch *batch,
                                                         const struct entable_table *table,
                                                         const struct entable_entity *entity);

/**
 * Adds the move of an entity to other keys of a table. The condition as in `entable_table_move_entity`. The error is
 * yours to free.
 */
struct entable_error *entable_batch_move_entity(struct entable_batch *batch,
                                                const struct entable_table *table,
                                                struct entable_str partition_key,
                                                struct entable_str row_key,
                                                struct entable_str new_partition_key,
                                                struct entable_str new_row_key,
                                                struct entable_condition condition);

/**
 * Frees a store-wide transaction. NULL is fine. Once.
 */
void entable_batch_free(struct entable_batch *batch);

/**
 * Does the writes of a store-wide transaction, all or nothing, durable when the call returns. No operations: nothing
 * happens. The batch is copied and stays yours. Its changes are held in memory until it commits, and other writers
 * wait.
 *
 * `written` may be NULL; else it has `count` places, as many as operations, and gets the result of each: all zero for
 * a delete. Any thread, but the batch must not be changed meanwhile.
 *
 * Errors: the failing operation's own, with its index; ENTABLE_INVALID_INPUT for a table of another store. The error
 * is yours to free.
 */
struct entable_error *entable_store_submit_batch(const struct entable_store *store,
                                                 const struct entable_batch *batch,
                                                 struct entable_written *written,
                                                 size_t count);

/**
 * A snapshot of the store as it is now. `*snapshot` is yours once the call returns NULL, else NULL. Any thread.
 *
 * Errors: ENTABLE_STORE_CLOSED. The error is yours to free.
 */
struct entable_error *entable_store_snapshot(const struct entable_store *store, struct entable_snapshot **snapshot);

/**
 * The same table as it was at a snapshot: reads through the new handle see that moment, writes are refused.
 *
 * `*past` is yours once the call returns NULL, else NULL. Any thread. The error is yours to free.
 */
struct entable_error *entable_table_at(const struct entable_table *table,
                                       const struct entable_snapshot *snapshot,
                                       struct entable_table **past);

/**
 * The names of the tables that there were, as `entable_store_list_tables` gives them.
 *
 * `*names` is yours once the call returns NULL, else NULL. Any thread.
 *
 * Errors: ENTABLE_STORE_CLOSED after the snapshot has ended. The error is yours to free.
 */
struct entable_error *entable_snapshot_list_tables(const struct entable_snapshot *snapshot,
                                                   struct entable_table_names **names);

/**
 * Ends the snapshot, also for tables that read through it: later reads are ENTABLE_STORE_CLOSED. Ending twice does no
 * harm. The handle is still yours to free. Any thread. The error is yours to free.
 */
struct entable_error *entable_snapshot_close(const struct entable_snapshot *snapshot);

/**
 * Lets go of a snapshot; it ends with its last handle, tables included. NULL is fine. Once.
 */
void entable_snapshot_free(struct entable_snapshot *snapshot);

/**
 * Begins a transaction. Waits for other writers; they wait then until it ends.
 *
 * `*transaction` is yours once the call returns NULL, else NULL. Any thread, which is the transaction's from then on.
 *
 * Errors: ENTABLE_TRANSACTION_OPEN while one of this thread is open, ENTABLE_STORE_READ_ONLY, ENTABLE_STORE_CLOSED. The
 * error is yours to free.
 */
struct entable_error *entable_store_begin(const struct entable_store *store, struct entable_transaction **transaction);

/**
 * Ends the transaction and makes it durable. The handle is still yours to free, and has ended also after an error.
 * Its thread.
 *
 * Errors: ENTABLE_STORE_FULL with nothing written, ENTABLE_OUTCOME_UNKNOWN, ENTABLE_STORE_CLOSED if this thread has
 * closed the store meanwhile, ENTABLE_INVALID_INPUT if it has ended or for another thread. The error is yours to free.
 */
struct entable_error *entable_transaction_commit(const struct entable_transaction *transaction);

/**
 * Ends the transaction with nothing done. Ending twice does no harm. The handle is still yours to free. Its thread.
 *
 * Errors: ENTABLE_INVALID_INPUT for another thread. The error is yours to free.
 */
struct entable_error *entable_transaction_rollback(const struct entable_transaction *transaction);

/**
 * Lets go of a transaction: one that has not been committed is rolled back, and its tables say that it has ended. NULL
 * is fine. Once. On another thread than its own it is rolled back only when that one begins another transaction, or
 * ends; other writers wait until then.
 */
void entable_transaction_free(struct entable_transaction *transaction);

/**
 * The table of this name in the transaction: reads through it see what the transaction has written, and what is
 * written through it is durable with the transaction. Nothing is asked of the store yet.
 *
 * `*table` is yours once the call returns NULL, else NULL; it may be freed before or after the transaction. It serves
 * to read and write entities and to declare indexes, not to submit or to explain. The transaction's thread.
 *
 * Errors: as `entable_store_table`; ENTABLE_INVALID_INPUT if the transaction has ended or for another thread. The error
 * is yours to free.
 */
struct entable_error *entable_transaction_table(const struct entable_transaction *transaction,
                                                struct entable_str name,
                                                struct entable_table **table);

/**
 * Makes a table in the transaction. `table` may be NULL if no handle is wanted; `*table` is yours once the call returns
 * NULL, else NULL. The transaction's thread.
 *
 * Errors: as `entable_transaction_table`, and ENTABLE_TABLE_ALREADY_EXISTS. The error is yours to free.
 */
struct entable_error *entable_transaction_create_table(const struct entable_transaction *transaction,
                                                       struct entable_str name,
                                                       struct entable_table **table);

/**
 * Makes a table in the transaction if it is not there. Otherwise as `entable_transaction_create_table`.
 */
struct entable_error *entable_transaction_create_table_if_not_exists(const struct entable_transaction *transaction,
                                                                     struct entable_str name,
                                                                     struct entable_table **table);

/**
 * Deletes a table with all its entities in the transaction. The transaction's thread.
 *
 * Errors: as `entable_transaction_table`, and ENTABLE_RESOURCE_NOT_FOUND if there is no such table. The error is yours
 * to free.
 */
struct entable_error *entable_transaction_delete_table(const struct entable_transaction *transaction,
                                                       struct entable_str name);

/**
 * The names of the tables as the transaction sees them, as `entable_store_list_tables` gives them.
 *
 * `*names` is yours once the call returns NULL, else NULL. The transaction's thread. The error is yours to free.
 */
struct entable_error *entable_transaction_list_tables(const struct entable_transaction *transaction,
                                                      struct entable_table_names **names);

/**
 * Stores a new entity as `entable_table_create_entity` does, without waiting for the disk: it shares a commit with what
 * is submitted meanwhile, in the order of submission. The entity is copied and stays yours. Waits only while more than
 * a thousand operations are queued. Any thread.
 *
 * `completion` is called once, with `context`, perhaps before this call returns; both must be good until then, and
 * stand being used on another thread. It is not called if this call returns an error: what is wrong with the operation
 * by itself, ENTABLE_STORE_CLOSED, ENTABLE_TRANSACTION_OPEN inside a transaction of this thread. The error is yours to
 * free.
 */
struct entable_error *entable_table_submit_create_entity(const struct entable_table *table,
                                                         const struct entable_entity *entity,
                                                         entable_completion completion,
                                                         void *context);

/**
 * Changes an entity that is there as `entable_table_update_entity` does, without waiting for the disk. Otherwise as
 * `entable_table_submit_create_entity`.
 */
struct entable_error *entable_table_submit_update_entity(const struct entable_table *table,
                                                         const struct entable_entity *entity,
                                                         entable_update_mode mode,
                                                         struct entable_condition condition,
                                                         entable_completion completion,
                                                         void *context);

/**
 * Changes or stores an entity as `entable_table_upsert_entity` does, without waiting for the disk. Otherwise as
 * `entable_table_submit_create_entity`.
 */
struct entable_error *entable_table_submit_upsert_entity(const struct entable_table *table,
                                                         const struct entable_entity *entity,
                                                         entable_update_mode mode,
                                                         struct entable_condition condition,
                                                         entable_completion completion,
                                                         void *context);

/**
 * Removes an entity as `entable_table_delete_entity` does, without waiting for the disk. Otherwise as
 * `entable_table_submit_create_entity`.
 */
struct entable_error *entable_table_submit_delete_entity(const struct entable_table *table,
                                                         struct entable_str partition_key,
                                                         struct entable_str row_key,
                                                         struct entable_condition condition,
                                                         entable_completion completion,
                                                         void *context);

/**
 * The declaration of an index of this name, over `count` properties from `properties` on, the first one first; all
 * texts are copied. `RowKey` and `Timestamp` may be among them. What it may be is checked when it is created.
 *
 * `*index` is yours once the call returns NULL, else NULL. Any thread. The error is yours to free.
 */
struct entable_error *entable_index_new(struct entable_str name,
                                        const struct entable_str *properties,
                                        size_t count,
                                        struct entable_index **index);

/**
 * Where the index looks: ENTABLE_SCOPE_TABLE unless set.
 *
 * Errors: ENTABLE_INVALID_INPUT for another number. The error is yours to free.
 */
struct entable_error *entable_index_set_scope(struct entable_index *index, entable_scope scope);

/**
 * Entries hold all properties: a full copy of each row. The error is yours to free.
 */
struct entable_error *entable_index_set_projection_all(struct entable_index *index);

/**
 * Entries hold these properties, `count` names from `names` on, which are copied, and the Timestamp. The error is yours
 * to free.
 */
struct entable_error *entable_index_set_projection(struct entable_index *index,
                                                   const struct entable_str *names,
                                                   size_t count);

/**
 * Whether a value may be there once only, in the table or in each partition, as the scope says: by value, so 5 and 5.0
 * are one. Entities without one of the properties, or with NaN in one, are not bound by it. The error is yours to free.
 */
struct entable_error *entable_index_set_unique(struct entable_index *index, bool is_unique);

/**
 * Whether Strings are the same whatever their case, for `tolower(P) eq 'x'` and for unique values. The error is yours
 * to free.
 */
struct entable_error *entable_index_set_fold_case(struct entable_index *index, bool folds_case);

/**
 * Frees the declaration of an index. NULL is fine. Once.
 */
void entable_index_free(struct entable_index *index);

/**
 * Declares an index and builds it: returns when queries use it. Readers and writers go on meanwhile; a build that is
 * broken off, by a kill, say, is resumed by the next opener that may write. The declaration is copied. In
 * a transaction it is built there. Any thread.
 *
 * Errors: ENTABLE_INDEX_ALREADY_EXISTS, ENTABLE_UNIQUE_INDEX_VIOLATION with the keys of two entities that hold one value,
 * ENTABLE_INVALID_INPUT for what is wrong in the declaration, ENTABLE_TABLE_NOT_FOUND; ENTABLE_QUOTA_EXCEEDED,
 * ENTABLE_STORE_FULL or ENTABLE_ENTITY_TOO_LARGE for what does not fit. There is no index then, and when the reason is
 * gone the same call works. A build that is resumed and meets one of these drops its index too. The error is yours to
 * free.
 */
struct entable_error *entable_table_create_index(const struct entable_table *table,
                                                 const struct entable_index *index);

/**
 * Declares an index and builds it, if it is not there with the same declaration. ENTABLE_INDEX_ALREADY_EXISTS if it is
 * there with another. Otherwise as `entable_table_create_index`.
 */
struct entable_error *entable_table_create_index_if_not_exists(const struct entable_table *table,
                                                               const struct entable_index *index);

/**
 * Drops an index, at once and durably. Any thread.
 *
 * Errors: ENTABLE_INDEX_NOT_FOUND, ENTABLE_TABLE_NOT_FOUND. The error is yours to free.
 */
struct entable_error *entable_table_drop_index(const struct entable_table *table, struct entable_str name);

/**
 * The declared indexes of a table. `*indexes` is yours once the call returns NULL, else NULL. Any thread.
 *
 * Errors: ENTABLE_TABLE_NOT_FOUND. The error is yours to free.
 */
struct entable_error *entable_table_list_indexes(const struct entable_table *table, struct entable_indexes **indexes);

/**
 * How many indexes there are; 0 for NULL. Any thread.
 */
size_t entable_indexes_count(const struct entable_indexes *indexes);

/**
 * The index at `index`, from 0; NULL past the end. Lent until the list is freed. Any thread.
 */
const struct entable_index *entable_indexes_at(const struct entable_indexes *indexes, size_t index);

/**
 * Frees a list of indexes. NULL is fine. Once.
 */
void entable_indexes_free(struct entable_indexes *indexes);

/**
 * The name; no text (`data` is NULL) for NULL. Any thread.
 */
struct entable_str entable_index_name(const struct entable_index *index);

/**
 * The indexed property at `position`, from 0; no text (`data` is NULL) past the last. Any thread.
 */
struct entable_str entable_index_property(const struct entable_index *index, size_t position);

/**
 * Where it looks. Any thread.
 */
entable_scope entable_index_scope(const struct entable_index *index);

/**
 * What its entries hold. Any thread.
 */
entable_projection entable_index_projection(const struct entable_index *index);

/**
 * The name at `position`, from 0, of ENTABLE_PROJECTION_NAMES; no text (`data` is NULL) past the last. Any thread.
 */
struct entable_str entable_index_projected(const struct entable_index *index, size_t position);

/**
 * Whether a value may be there once only. Any thread.
 */
bool entable_index_is_unique(const struct entable_index *index);

/**
 * Whether Strings are the same whatever their case. Any thread.
 */
bool entable_index_folds_case(const struct entable_index *index);

/**
 * Whether queries use it. Any thread.
 */
entable_index_state entable_index_get_state(const struct entable_index *index);

/**
 * Declares a relation: from now on no write of either table leaves a link that leads nowhere, in whatever way it comes.
 * All zero but the three names is a relation whose children have their parents' keys. The declaration is copied. Any
 * thread.
 *
 * A child may be stored if its parent is there, or was stored before it in the same transaction. A child whose link
 * stays as it was may be written although its parent is missing: `entable_table_orphans` finds it. Where the children of
 * a parent are not one range of keys by themselves, an index of the relation's name is made first; it goes with the
 * relation. Deleting one of the two tables ends it.
 *
 * Errors: ENTABLE_RELATION_ALREADY_EXISTS, ENTABLE_TABLE_NOT_FOUND, ENTABLE_INVALID_INPUT for what is wrong in the
 * declaration and for a table with 64 relations; those of `entable_table_create_index`. The error is yours to free.
 */
struct entable_error *entable_store_create_relation(const struct entable_store *store,
                                                    const struct entable_relation *relation);

/**
 * Declares a relation, if it is not there with the same declaration. ENTABLE_RELATION_ALREADY_EXISTS if it is there with
 * another. Otherwise as `entable_store_create_relation`.
 */
struct entable_error *entable_store_create_relation_if_not_exists(const struct entable_store *store,
                                                                  const struct entable_relation *relation);

/**
 * Drops a relation of the table of children of this name, and its index: links may lead anywhere from now on. Any thread.
 *
 * Errors: ENTABLE_RELATION_NOT_FOUND, ENTABLE_TABLE_NOT_FOUND. The error is yours to free.
 */
struct entable_error *entable_store_drop_relation(const struct entable_store *store,
                                                  struct entable_str child,
                                                  struct entable_str relation);

/**
 * The relations in which the table's entities are children, in the order in which they were declared. Not in a
 * transaction, as all that is about relations: there the writes themselves are held to them.
 *
 * `*relations` is yours once the call returns NULL, else NULL. Any thread.
 *
 * Errors: ENTABLE_TABLE_NOT_FOUND. The error is yours to free.
 */
struct entable_error *entable_table_relations(const struct entable_table *table, struct entable_relations **relations);

/**
 * How many relations there are; 0 for NULL. Any thread.
 */
size_t entable_relations_count(const struct entable_relations *relations);

/**
 * Whether there is a relation at `index`, from 0; writes it to `relation`, which may be NULL. Its texts are good until the
 * list is freed. Any thread.
 */
bool entable_relations_at(const struct entable_relations *relations,
                          size_t index,
                          struct entable_relation *relation);

/**
 * Frees a list of relations. NULL is fine. Once.
 */
void entable_relations_free(struct entable_relations *relations);

/**
 * The children of a parent in this relation of the table, in the order of their keys: one range read. By pages, counted,
 * or some properties of them: `entable_table_linked_query`.
 *
 * `*entities` is yours once the call returns NULL, else NULL. Any thread.
 *
 * Errors: ENTABLE_RELATION_NOT_FOUND, ENTABLE_TABLE_NOT_FOUND. The error is yours to free.
 */
struct entable_error *entable_table_linked(const struct entable_table *table,
                                           struct entable_str relation,
                                           struct entable_str partition_key,
                                           struct entable_str row_key,
                                           struct entable_entities **entities);

/**
 * The question for the children of a parent in this relation of the table: to be asked of the table, by pages say.
 *
 * `*query` is yours once the call returns NULL, else NULL. Any thread. Errors: as `entable_table_linked`.
 */
struct entable_error *entable_table_linked_query(const struct entable_table *table,
                                                 struct entable_str relation,
                                                 struct entable_str partition_key,
                                                 struct entable_str row_key,
                                                 struct entable_query **query);

/**
 * The parent in this relation of the entity of the table with these keys.
 *
 * `*parent` is yours once the call returns NULL; NULL if the entity has none. Any thread.
 *
 * Errors: ENTABLE_RESOURCE_NOT_FOUND if the entity itself is not there, ENTABLE_RELATION_NOT_FOUND,
 * ENTABLE_TABLE_NOT_FOUND. The error is yours to free.
 */
struct entable_error *entable_table_parent_of(const struct entable_table *table,
                                              struct entable_str relation,
                                              struct entable_str partition_key,
                                              struct entable_str row_key,
                                              struct entable_entity **parent);

/**
 * Links an entity of the table to a parent: writes the properties of the relation into it. Any thread.
 *
 * Errors: ENTABLE_LINK_TARGET_NOT_FOUND if there is no such parent, ENTABLE_RESOURCE_NOT_FOUND if the entity is not there,
 * ENTABLE_INVALID_INPUT if a key of the entity links it elsewhere, ENTABLE_RELATION_NOT_FOUND, ENTABLE_TABLE_NOT_FOUND. The error is yours to
 * free.
 */
struct entable_error *entable_table_link(const struct entable_table *table,
                                         struct entable_str relation,
                                         struct entable_str partition_key,
                                         struct entable_str row_key,
                                         struct entable_str parent_partition_key,
                                         struct entable_str parent_row_key);

/**
 * Removes the properties that link an entity of the table to its parent. `was_linked` may be NULL; else it gets whether it
 * was linked. Any thread.
 *
 * Errors: ENTABLE_INVALID_INPUT if its keys alone link it, ENTABLE_RESOURCE_NOT_FOUND, ENTABLE_RELATION_NOT_FOUND,
 * ENTABLE_TABLE_NOT_FOUND. The error is yours to free.
 */
struct entable_error *entable_table_unlink(const struct entable_table *table,
                                           struct entable_str relation,
                                           struct entable_str partition_key,
                                           struct entable_str row_key,
                                           bool *was_linked);

/**
 * The table's entities whose parents are not there, at most `most`, in the order of their keys. Looks at every entity,
 * some thousand from one moment each.
 *
 * `*orphans` is yours once the call returns NULL, else NULL. Any thread.
 *
 * Errors: ENTABLE_RELATION_NOT_FOUND, ENTABLE_TABLE_NOT_FOUND. The error is yours to free.
 */
struct entable_error *entable_table_orphans(const struct entable_table *table,
                                            struct entable_str relation,
                                            size_t most,
                                            struct entable_orphans **orphans);

/**
 * How many orphans there are; 0 for NULL. Any thread.
 */
size_t entable_orphans_count(const struct entable_orphans *orphans);

/**
 * Whether there is an orphan at `index`, from 0; writes it to `orphan`, which may be NULL. Its texts are good until the
 * list is freed. Any thread.
 */
bool entable_orphans_at(const struct entable_orphans *orphans, size_t index, struct entable_orphan *orphan);

/**
 * Frees a list of orphans. NULL is fine. Once.
 */
void entable_orphans_free(struct entable_orphans *orphans);

/**
 * Repairs all orphans of a relation, in steps of a thousand. One that has found its parent meanwhile is left alone.
 * `count` may be NULL; else it gets how many there were. Any thread.
 *
 * Errors: as `entable_table_orphans`; ENTABLE_INVALID_INPUT for another number as repair, and to unlink what its keys alone
 * link; where orphans have children of their own, what their delete is refused for. The error is yours to free.
 */
struct entable_error *entable_table_repair_orphans(const struct entable_table *table,
                                                   struct entable_str relation,
                                                   entable_repair repair,
                                                   uint64_t *count);

/**
 * Makes a table of pairs, of entities of table `left` and of table `right`, which may be the same; what is there already
 * is taken as it is.
 *
 * `join` may be NULL if no handle is wanted; `*join` is yours once the call returns NULL, else NULL. Any thread.
 *
 * Errors: as `entable_store_create_relation_if_not_exists`.
 */
struct entable_error *entable_store_create_join(const struct entable_store *store,
                                                struct entable_str name,
                                                struct entable_str left,
                                                struct entable_str right,
                                                entable_on_delete on_delete,
                                                struct entable_join **join);

/**
 * A handle to a table of pairs. Nothing is asked of the store: that there is none shows when it is used.
 *
 * `*join` is yours once the call returns NULL, else NULL. Any thread. Errors: as `entable_store_table`.
 */
struct entable_error *entable_store_join(const struct entable_store *store,
                                         struct entable_str name,
                                         struct entable_join **join);

/**
 * The table of the pairs. `*table` is yours once the call returns NULL, else NULL. Any thread. The error is yours to
 * free.
 */
struct entable_error *entable_join_table(const struct entable_join *join, struct entable_table **table);

/**
 * Links two entities, by their keys. `is_new` may be NULL; else it gets whether they were not linked before. Any thread.
 *
 * Errors: ENTABLE_LINK_TARGET_NOT_FOUND if one of them is not there, ENTABLE_KEY_VALUE_TOO_LARGE if their keys composed are
 * too long for one, ENTABLE_TABLE_NOT_FOUND. The error is yours to free.
 */
struct entable_error *entable_join_link(const struct entable_join *join,
                                        struct entable_str left_partition_key,
                                        struct entable_str left_row_key,
                                        struct entable_str right_partition_key,
                                        struct entable_str right_row_key,
                                        bool *is_new);

/**
 * Takes the link of two entities away. `was_linked` may be NULL; else it gets whether they were linked. Any thread.
 *
 * Errors: ENTABLE_TABLE_NOT_FOUND. The error is yours to free.
 */
struct entable_error *entable_join_unlink(const struct entable_join *join,
                                          struct entable_str left_partition_key,
                                          struct entable_str left_row_key,
                                          struct entable_str right_partition_key,
                                          struct entable_str right_row_key,
                                          bool *was_linked);

/**
 * Whether two entities are linked. Any thread.
 *
 * Errors: ENTABLE_TABLE_NOT_FOUND. The error is yours to free.
 */
struct entable_error *entable_join_is_linked(const struct entable_join *join,
                                             struct entable_str left_partition_key,
                                             struct entable_str left_row_key,
                                             struct entable_str right_partition_key,
                                             struct entable_str right_row_key,
                                             bool *is_linked);

/**
 * The right entities that a left one is linked to, a page of at most `page_size`: from the start if `token` is empty, or
 * where the token of another page of the same question says.
 *
 * `*page` is yours once the call returns NULL, else NULL. Any thread.
 *
 * Errors: ENTABLE_INVALID_INPUT for a token of another question, ENTABLE_RELATION_NOT_FOUND if it is no table of pairs,
 * ENTABLE_TABLE_NOT_FOUND. The error is yours to free.
 */
struct entable_error *entable_join_rights(const struct entable_join *join,
                                          struct entable_str left_partition_key,
                                          struct entable_str left_row_key,
                                          size_t page_size,
                                          struct entable_str token,
                                          struct entable_page **page);

/**
 * The left entities that are linked to a right one. Otherwise as `entable_join_rights`.
 */
struct entable_error *entable_join_lefts(const struct entable_join *join,
                                         struct entable_str right_partition_key,
                                         struct entable_str right_row_key,
                                         size_t page_size,
                                         struct entable_str token,
                                         struct entable_page **page);

/**
 * Lets go of a table of pairs. NULL is fine. Once.
 */
void entable_join_free(struct entable_join *join);

/**
 * Makes a table with a change feed, in one transaction. `feed` may be NULL for the default; it is copied.
 *
 * `table` may be NULL if no handle is wanted; `*table` is yours once the call returns NULL, else NULL. Any thread. In a
 * transaction a table is made first, then its feed: `entable_table_set_feed`.
 *
 * Errors: as `entable_store_create_table`; ENTABLE_INVALID_INPUT for another number as content.
 */
struct entable_error *entable_store_create_table_with_feed(const struct entable_store *store,
                                                           struct entable_str name,
                                                           const struct entable_feed *feed,
                                                           struct entable_table **table);

/**
 * Switches the change feed of the table on, or changes the settings of the one that it has. `feed` may be NULL for the
 * default; it is copied. Any thread, or in a transaction.
 *
 * From then on every write of the table notes its changes in its own transaction. What the table holds already is in no
 * change. Other content holds for later changes; other limits hold for those that are there.
 *
 * Errors: ENTABLE_TABLE_NOT_FOUND, ENTABLE_INVALID_INPUT for another number as content. The error is yours to free.
 */
struct entable_error *entable_table_set_feed(const struct entable_table *table, const struct entable_feed *feed);

/**
 * Switches the change feed off: its changes and consumers are gone at once. One that is switched on again is another feed,
 * and refuses the positions of this one. Any thread, or in a transaction.
 *
 * Errors: ENTABLE_FEED_NOT_FOUND, ENTABLE_TABLE_NOT_FOUND. The error is yours to free.
 */
struct entable_error *entable_table_drop_feed(const struct entable_table *table);

/**
 * The feed of the table: its settings, where it begins and ends, and its consumers. Counts its changes. Not in a
 * transaction, as all that reads changes.
 *
 * `*info` is yours once the call returns NULL, else NULL. Any thread.
 *
 * Errors: ENTABLE_FEED_NOT_FOUND, ENTABLE_TABLE_NOT_FOUND. The error is yours to free.
 */
struct entable_error *entable_table_feed(const struct entable_table *table, struct entable_feed_info **info);

/**
 * Writes what is told of the feed to `state`. False for NULL. Any thread.
 */
bool entable_feed_info_state(const struct entable_feed_info *info, struct entable_feed_state *state);

/**
 * Whether there is a consumer at `index`, from 0, in the order of their names; writes what is told of it to `consumer`,
 * which may be NULL. Any thread.
 */
bool entable_feed_info_consumer(const struct entable_feed_info *info,
                                size_t index,
                                struct entable_consumer_state *consumer);

/**
 * Frees what was told of a feed. NULL is fine. Once.
 */
void entable_feed_info_free(struct entable_feed_info *info);

/**
 * The next changes behind a position: whole commits, until there are `most` of them or more, or some MiB. A commit with
 * more comes as one. Positions are text that was handed out by `entable_table_feed`, a page, a change or a consumer: to be
 * kept, and handed back.
 *
 * `*page` is yours once the call returns NULL, else NULL. Any thread.
 *
 * Errors: ENTABLE_FEED_NOT_FOUND; ENTABLE_CHANGES_NOT_KEPT if changes behind the position are gone, with the first commit
 * that is kept as limit; ENTABLE_INVALID_INPUT for what is no position, or one of another store or table, or one that the
 * store has not come to; ENTABLE_TABLE_NOT_FOUND, ENTABLE_DAMAGED. The error is yours to free.
 */
struct entable_error *entable_table_read_changes(const struct entable_table *table,
                                                 struct entable_str position,
                                                 size_t most,
                                                 struct entable_change_page **page);

/**
 * How many changes the page holds; 0 for NULL. Any thread.
 */
size_t entable_change_page_count(const struct entable_change_page *page);

/**
 * Whether there is a change at `index`, from 0, in the order in which they were made; writes it to `change`, which may be
 * NULL. What it points to is good until the page is freed. Any thread.
 */
bool entable_change_page_at(const struct entable_change_page *page,
                            size_t index,
                            struct entable_change *change);

/**
 * The position behind the last change; at the end of the feed, behind all that has been done so far. Good until the page
 * is freed. Any thread.
 */
struct entable_str entable_change_page_position(const struct entable_change_page *page);

/**
 * Whether there was more when the page was read. Any thread.
 */
bool entable_change_page_has_more(const struct entable_change_page *page);

/**
 * Frees a page and its changes. NULL is fine. Once.
 */
void entable_change_page_free(struct entable_change_page *page);

/**
 * The changes behind a position, one by one, to the end that the feed has when that is come to. What is wrong with the
 * feed is an error of the first one; what is wrong with the text, of this call.
 *
 * `*changes` is yours once the call returns NULL, else NULL. Any thread. The error is yours to free.
 */
struct entable_error *entable_table_changes(const struct entable_table *table,
                                            struct entable_str position,
                                            struct entable_feed_changes **changes);

/**
 * The next change: writes it to `change`, lent until the next call with these changes, or until they are freed. At the
 * end its kind is ENTABLE_CHANGE_NONE. After an error there is nothing more.
 *
 * Errors: as `entable_table_read_changes`, ENTABLE_STORE_CLOSED. The error is yours to free.
 */
struct entable_error *entable_feed_changes_next(struct entable_feed_changes *changes, struct entable_change *change);

/**
 * Frees changes, and with them the one that is lent. NULL is fine. Once.
 */
void entable_feed_changes_free(struct entable_feed_changes *changes);

/**
 * Waits until there is a change behind a position, at most `timeout_ms` milliseconds; `*is_there` gets whether there is. A
 * write of this process ends the wait at once, one of another within some 10 ms. Any thread.
 *
 * Errors: as `entable_table_read_changes`, also where the reason comes up in the meantime; ENTABLE_STORE_CLOSED. The error
 * is yours to free.
 */
struct entable_error *entable_table_wait_for_changes(const struct entable_table *table,
                                                     struct entable_str position,
                                                     uint64_t timeout_ms,
                                                     bool *is_there);

/**
 * Removes all changes that the feed's settings do not keep any more, in steps. It is done now and then without being
 * asked. `removed` may be NULL; else it gets how many they were. Any thread.
 *
 * Errors: ENTABLE_FEED_NOT_FOUND, ENTABLE_TABLE_NOT_FOUND. The error is yours to free.
 */
struct entable_error *entable_table_trim_feed(const struct entable_table *table, uint64_t *removed);

/**
 * Names a consumer, whose position the store keeps from now on; one of the name that is there already stays where it is.
 * `position` is that of ENTABLE_FEED_START_AT, and not looked at otherwise. Any thread, or in a transaction.
 *
 * `consumer` may be NULL if no handle is wanted; `*consumer` is yours once the call returns NULL, else NULL.
 *
 * Errors: ENTABLE_FEED_NOT_FOUND; ENTABLE_INVALID_INPUT for a name that has not 1 to 255 bytes, and for another number as
 * start; those of a position, as `entable_table_read_changes`. The error is yours to free.
 */
struct entable_error *entable_table_create_consumer(const struct entable_table *table,
                                                    struct entable_str name,
                                                    entable_feed_start start,
                                                    struct entable_str position,
                                                    struct entable_consumer **consumer);

/**
 * A handle to a consumer. Nothing is asked of the store: that there is none shows when the handle is used.
 *
 * `*consumer` is yours once the call returns NULL, else NULL. Any thread. The error is yours to free.
 */
struct entable_error *entable_table_consumer(const struct entable_table *table,
                                             struct entable_str name,
                                             struct entable_consumer **consumer);

/**
 * Forgets a consumer: changes do not wait for it any more. Any thread, or in a transaction.
 *
 * Errors: ENTABLE_CONSUMER_NOT_FOUND, ENTABLE_FEED_NOT_FOUND, ENTABLE_TABLE_NOT_FOUND. The error is yours to free.
 */
struct entable_error *entable_table_drop_consumer(const struct entable_table *table, struct entable_str name);

/**
 * Its name; no text (`data` is NULL) for NULL. Good until the handle is freed. Any thread.
 */
struct entable_str entable_consumer_name(const struct entable_consumer *consumer);

/**
 * The position behind what it is done with. `*position` is yours once the call returns NULL, else NULL. Any thread.
 *
 * Errors: ENTABLE_CONSUMER_NOT_FOUND, ENTABLE_FEED_NOT_FOUND, ENTABLE_TABLE_NOT_FOUND. The error is yours to free.
 */
struct entable_error *entable_consumer_position(const struct entable_consumer *consumer,
                                                struct entable_text **position);

/**
 * The next changes that it is not done with, as `entable_table_read_changes`. The same ones again until it says so.
 *
 * `*page` is yours once the call returns NULL, else NULL. Any thread.
 *
 * Errors: as `entable_consumer_position`; ENTABLE_CHANGES_NOT_KEPT if changes that it had not seen are gone.
 */
struct entable_error *entable_consumer_read(const struct entable_consumer *consumer,
                                            size_t most,
                                            struct entable_change_page **page);

/**
 * Waits until there is a change that it is not done with, at most `timeout_ms` milliseconds; `*is_there` gets whether there
 * is. Otherwise as `entable_table_wait_for_changes`. Errors: as `entable_consumer_read`.
 */
struct entable_error *entable_consumer_wait(const struct entable_consumer *consumer,
                                            uint64_t timeout_ms,
                                            bool *is_there);

/**
 * Notes, durably, that it is done with all changes up to a position: that of a page, or `behind` of a change. One that is
 * further already stays where it is. Any thread, or in a transaction: then it is durable with what else that does.
 *
 * Errors: as `entable_consumer_position`; ENTABLE_INVALID_INPUT for a position of elsewhere. The error is yours to free.
 */
struct entable_error *entable_consumer_advance(const struct entable_consumer *consumer,
                                               struct entable_str position);

/**
 * Moves it to a position, back or forth: to do changes again, or to leave some out. Any thread.
 *
 * Errors: as `entable_consumer_advance`; ENTABLE_CHANGES_NOT_KEPT for a position behind which changes are gone.
 */
struct entable_error *entable_consumer_seek(const struct entable_consumer *consumer, struct entable_str position);

/**
 * Lets go of a consumer; the store keeps its position. NULL is fine. Once.
 */
void entable_consumer_free(struct entable_consumer *consumer);

/**
 * Answers a query, and tells how: all its pages are read. NULL as query is that for all entities. Not in a transaction.
 *
 * `*explain` is yours once the call returns NULL, else NULL. Any thread.
 *
 * Errors: as `entable_table_query_page`. The error is yours to free.
 */
struct entable_error *entable_table_explain(const struct entable_table *table,
                                            const struct entable_query *query,
                                            struct entable_explain **explain);

/**
 * All of it in some lines of text, for people; its form may change. Good until it is freed. Any thread.
 */
struct entable_str entable_explain_text(const struct entable_explain *explain);

/**
 * The way to the rows, such as `partition scan`. Good until the explain is freed. Any thread.
 */
struct entable_str entable_explain_path(const struct entable_explain *explain);

/**
 * The index that the way leads through, if it is one alone; else no text (`data` is NULL). Good until the explain is
 * freed. Any thread.
 */
struct entable_str entable_explain_index(const struct entable_explain *explain);

/**
 * Whether the entries of the index held all that was asked for, so that no row was fetched. Any thread.
 */
bool entable_explain_is_covered(const struct entable_explain *explain);

/**
 * What the query cost. Any thread.
 */
struct entable_explain_rows entable_explain_cost(const struct entable_explain *explain);

/**
 * The filter as it was understood. Good until the explain is freed. Any thread.
 */
struct entable_str entable_explain_filter(const struct entable_explain *explain);

/**
 * What was tested on each row; no text (`data` is NULL) if the keys decide. Good until the explain is freed. Any thread.
 */
struct entable_str entable_explain_residual(const struct entable_explain *explain);

/**
 * The key range at `index`, from 0, of those that were read, in key order; of an index its name and the values. No text
 * (`data` is NULL) past the end. Good until the explain is freed. Any thread.
 */
struct entable_str entable_explain_range(const struct entable_explain *explain, size_t index);

/**
 * The sentence at `index`, from 0, of those that say what the cloud service would answer otherwise; no text (`data` is
 * NULL) past the end. Good until the explain is freed. Any thread.
 */
struct entable_str entable_explain_cloud(const struct entable_explain *explain, size_t index);

/**
 * The sentence at `index`, from 0, of those about terms that no stored row can answer: mostly a slip in a name or in a
 * constant's type. No text (`data` is NULL) past the end. Good until the explain is freed. Any thread.
 */
struct entable_str entable_explain_warning(const struct entable_explain *explain, size_t index);

/**
 * Whether there is a way at `index`, from 0, of those that were thought of; writes it to `considered`, which may be
 * NULL. Any thread.
 */
bool entable_explain_considered(const struct entable_explain *explain,
                                size_t index,
                                struct entable_considered *considered);

/**
 * Frees an explain. NULL is fine. Once.
 */
void entable_explain_free(struct entable_explain *explain);

/**
 * Copies the store as it is now into a new file at `path` (UTF-8), while it is in use. The copy opens as any store
 * does. It gets its name when it is whole and durable: a copy that fails, or is killed, leaves nothing of that name.
 *
 * `progress` may be NULL; it is told records. `copied` may be NULL. Any thread.
 *
 * Errors: ENTABLE_FILE_EXISTS, ENTABLE_DAMAGED with the table and keys of an entity whose checksum is wrong,
 * ENTABLE_STORE_FULL, ENTABLE_IO. The error is yours to free.
 */
struct entable_error *entable_store_backup(const struct entable_store *store,
                                           struct entable_str path,
                                           entable_progress progress,
                                           void *context,
                                           struct entable_copied *copied);

/**
 * Writes the store as it is now into a new file at `path`, to take its place: in key order, without room that is not
 * used. Continuation tokens stay good; use one of the two files from then on. What is written after the call began is
 * not in it. Otherwise as `entable_store_backup`.
 */
struct entable_error *entable_store_compact_into(const struct entable_store *store,
                                                 struct entable_str path,
                                                 entable_progress progress,
                                                 void *context,
                                                 struct entable_copied *copied);

/**
 * Writes the store's file anew and puts the new one in its place, in one step: a kill at any moment leaves the one or
 * the other, whole. The store stays open; other calls wait.
 *
 * `progress` may be NULL; it is told records. `copied` may be NULL. Any thread.
 *
 * Errors: ENTABLE_STORE_BUSY while another process has the file open, or this one in another store, a snapshot or a
 * transaction; ENTABLE_INVALID_INPUT in memory; otherwise as `entable_store_backup`. The error is yours to free.
 */
struct entable_error *entable_store_compact(const struct entable_store *store,
                                            entable_progress progress,
                                            void *context,
                                            struct entable_copied *copied);

/**
 * Goes through the store in the file at `path` (UTF-8): every page and its place, every entity with its checksum, index
 * entries, too. Nothing is written. The file may be in use: what is looked at is one moment of it. No damage can crash
 * the process.
 *
 * `progress` may be NULL; it is told pages, and begins anew where the file has to be gone through again. `*report` is
 * yours once the call returns NULL, else NULL. Any thread.
 *
 * Errors: ENTABLE_STORE_NOT_FOUND, ENTABLE_NOT_A_STORE, ENTABLE_NEWER_FORMAT, ENTABLE_IO. Damage is no error: it is in the
 * report. The error is yours to free.
 */
struct entable_error *entable_verify(struct entable_str path,
                                     entable_progress progress,
                                     void *context,
                                     struct entable_report **report);

/**
 * Whether no damage was found; false for NULL. Any thread.
 */
bool entable_report_is_clean(const struct entable_report *report);

/**
 * What there is in the file. Any thread.
 */
struct entable_report_counts entable_report_get_counts(const struct entable_report *report);

/**
 * Whether there is a finding at `index`, from 0; writes it to `finding`, which may be NULL. Any thread.
 */
bool entable_report_finding(const struct entable_report *report, size_t index, struct entable_finding *finding);

/**
 * All of it in some lines of text, for people; its form may change. Good until it is freed. Any thread.
 */
struct entable_str entable_report_text(const struct entable_report *report);

/**
 * Frees a report. NULL is fine. Once.
 */
void entable_report_free(struct entable_report *report);

/**
 * What the store says of itself now. `*stats` is yours once the call returns NULL, else NULL. Any thread.
 *
 * Errors: ENTABLE_STORE_CLOSED. The error is yours to free.
 */
struct entable_error *entable_store_stats(const struct entable_store *store, struct entable_stats **stats);

/**
 * All of it in some lines of text, for people; its form may change. Good until it is freed. Any thread.
 */
struct entable_str entable_stats_text(const struct entable_stats *stats);

/**
 * What was done, and how long it took; all zero for NULL. Any thread.
 */
struct entable_stats_work entable_stats_get_work(const struct entable_stats *stats);

/**
 * The file, and its readers; all zero for NULL. Any thread.
 */
struct entable_stats_file entable_stats_get_file(const struct entable_stats *stats);

/**
 * Whether there is a database at `index`, from 0; writes what is to be said of it to `database`, which may be NULL. Any
 * thread.
 */
bool entable_stats_database(const struct entable_stats *stats, size_t index, struct entable_database_stats *database);

/**
 * Whether there is a kind of queries at `index`, from 0; writes it to `kind`, which may be NULL. Any thread.
 */
bool entable_stats_query_kind(const struct entable_stats *stats, size_t index, struct entable_query_kind *kind);

/**
 * Whether there is a busy partition at `index`, from 0, the busiest first; writes it to `partition`, which may be NULL.
 * Any thread.
 */
bool entable_stats_busy_partition(const struct entable_stats *stats,
                                  size_t index,
                                  struct entable_busy_partition *partition);

/**
 * Frees stats. NULL is fine. Once.
 */
void entable_stats_free(struct entable_stats *stats);

/**
 * What would make writes or queries of all tables cheaper. As `entable_table_advise`.
 */
struct entable_error *entable_store_advise(const struct entable_store *store, struct entable_advice_list **advice);

/**
 * What would make writes or queries of a table cheaper: indexes that could go, and such as are missing for filters that
 * this process asked since it opened the store. Reads all entries of the indexes. Not in a transaction.
 *
 * `*advice` is yours once the call returns NULL, else NULL. Any thread.
 *
 * Errors: ENTABLE_TABLE_NOT_FOUND, ENTABLE_DAMAGED. The error is yours to free.
 */
struct entable_error *entable_table_advise(const struct entable_table *table, struct entable_advice_list **advice);

/**
 * Whether there is an advice at `index`, from 0; writes it to `advice`, which may be NULL. Any thread.
 */
bool entable_advice_list_at(const struct entable_advice_list *list, size_t index, struct entable_advice *advice);

/**
 * Frees a list of advice. NULL is fine. Once.
 */
void entable_advice_list_free(struct entable_advice_list *list);

/**
 * What each index of a table holds, and how often it was used. Reads all entries of the indexes. Not in a transaction.
 *
 * `*stats` is yours once the call returns NULL, else NULL. Any thread.
 *
 * Errors: ENTABLE_TABLE_NOT_FOUND, ENTABLE_DAMAGED. The error is yours to free.
 */
struct entable_error *entable_table_index_stats(const struct entable_table *table,
                                                struct entable_index_stats_list **stats);

/**
 * Whether there is an index at `index`, from 0; writes what is to be said of it to `stats`, which may be NULL. Any
 * thread.
 */
bool entable_index_stats_list_at(const struct entable_index_stats_list *list,
                                 size_t index,
                                 struct entable_index_stats *stats);

/**
 * Frees what was said of indexes. NULL is fine. Once.
 */
void entable_index_stats_list_free(struct entable_index_stats_list *list);

/**
 * Reads an entity from the service's JSON, and checks it by the rules of a mode. The value of `X@odata.type` says the
 * type of `X`; null is a property that is not there; annotations and Timestamp are ignored.
 *
 * `*entity` is yours once the call returns NULL, else NULL. Any thread.
 *
 * Errors: ENTABLE_INVALID_INPUT, ENTABLE_DUPLICATE_PROPERTIES_SPECIFIED, ENTABLE_PROPERTIES_NEED_VALUE, and the limits of
 * keys, names and values, each with the property. The error is yours to free.
 */
struct entable_error *entable_entity_from_json(struct entable_str text,
                                               entable_mode mode,
                                               struct entable_entity **entity);

/**
 * Writes an entity as the service's JSON. With `count` names from `names` on, these properties alone are written, and
 * null for each that the entity lacks; with no names all are.
 *
 * `*text` is yours once the call returns NULL, else NULL. Any thread.
 *
 * Errors: ENTABLE_INVALID_INPUT for another number as metadata. The error is yours to free.
 */
struct entable_error *entable_entity_to_json(const struct entable_entity *entity,
                                             entable_metadata metadata,
                                             const struct entable_str *names,
                                             size_t count,
                                             struct entable_text **text);

/**
 * A view of a text, good until it is freed; no text (`data` is NULL) for NULL. Any thread.
 */
struct entable_str entable_text_view(const struct entable_text *text);

/**
 * Frees a text. NULL is fine. Once.
 */
void entable_text_free(struct entable_text *text);

/**
 * How many texts there are; 0 for NULL. Any thread.
 */
size_t entable_texts_count(const struct entable_texts *texts);

/**
 * The text at `index`, from 0; no text (`data` is NULL) past the end. Good until the texts are freed. Any thread.
 */
struct entable_str entable_texts_at(const struct entable_texts *texts, size_t index);

/**
 * Frees texts. NULL is fine. Once.
 */
void entable_texts_free(struct entable_texts *texts);

/**
 * One key of several texts, `count` from `parts` on: keys are in the order of their parts, whatever these hold, and
 * `entable_keys_split` gives them back. Numbers and dates are parts by `entable_keys_integer` and its like.
 *
 * `*key` is yours once the call returns NULL, else NULL. Any thread. Errors: ENTABLE_INVALID_INPUT for no parts,
 * ENTABLE_KEY_VALUE_TOO_LARGE for a key over 1,024 UTF-16 code units. The error is yours to free.
 */
struct entable_error *entable_keys_compose(const struct entable_str *parts, size_t count, struct entable_text **key);

/**
 * What all composite keys begin with that begin with these parts and have more: for `entable_keys_prefix_filter`.
 *
 * `*key` is yours once the call returns NULL, else NULL. Any thread. Errors: as `entable_keys_compose`. The error is
 * yours to free.
 */
struct entable_error *entable_keys_compose_prefix(const struct entable_str *parts,
                                                  size_t count,
                                                  struct entable_text **key);

/**
 * The parts that `entable_keys_compose` made the key of.
 *
 * `*parts` is yours once the call returns NULL, else NULL. Any thread. Errors: ENTABLE_INVALID_INPUT for a key that
 * it does not make. The error is yours to free.
 */
struct entable_error *entable_keys_split(struct entable_str key, struct entable_texts **parts);

/**
 * A legal key of any text, in the order of the texts; `entable_keys_safe_from` gives the text back.
 *
 * `*key` is yours once the call returns NULL, else NULL. Any thread. Errors: ENTABLE_KEY_VALUE_TOO_LARGE for a key
 * over 1,024 UTF-16 code units. The error is yours to free.
 */
struct entable_error *entable_keys_safe(struct entable_str text, struct entable_text **key);

/**
 * The text that `entable_keys_safe` made the key of.
 *
 * `*text` is yours once the call returns NULL, else NULL. Any thread. Errors: ENTABLE_INVALID_INPUT for a key that it
 * does not make. The error is yours to free.
 */
struct entable_error *entable_keys_safe_from(struct entable_str key, struct entable_text **text);

/**
 * A legal key of any bytes, in the order of the bytes: two hexadecimal digits for each.
 *
 * `*key` is yours once the call returns NULL, else NULL. Any thread. Errors: ENTABLE_KEY_VALUE_TOO_LARGE for over 512
 * bytes. The error is yours to free.
 */
struct entable_error *entable_keys_bytes(struct entable_bytes bytes, struct entable_text **key);

/**
 * The bytes that `entable_keys_bytes` made the key of, into `size` bytes from `bytes` on; `length` gets how many there
 * are, which is half the key's length. Any thread.
 *
 * Errors: ENTABLE_INVALID_INPUT for a key that it does not make, or if `size` is less. The error is yours to free.
 */
struct entable_error *entable_keys_bytes_from(struct entable_str key, uint8_t *bytes, size_t size, size_t *length);

/**
 * The literature's form of a safe key: base64 of the UTF-8, with `_` for `/` and `-` for `+`. It loses order and
 * prefixes, which `entable_keys_safe` keeps.
 *
 * `*key` is yours once the call returns NULL, else NULL. Any thread. Errors: ENTABLE_KEY_VALUE_TOO_LARGE for over 768
 * bytes. The error is yours to free.
 */
struct entable_error *entable_keys_base64_text(struct entable_str text, struct entable_text **key);

/**
 * The text that `entable_keys_base64_text` made the key of.
 *
 * `*text` is yours once the call returns NULL, else NULL. Any thread. Errors: ENTABLE_INVALID_INPUT for what is no
 * base64, or not of UTF-8. The error is yours to free.
 */
struct entable_error *entable_keys_text_from_base64(struct entable_str key, struct entable_text **text);

/**
 * The number in `width` digits, with zeros before it: `000223`.
 *
 * `*key` is yours once the call returns NULL, else NULL. Any thread. Errors: ENTABLE_INVALID_INPUT for a number of
 * more digits. The error is yours to free.
 */
struct entable_error *entable_keys_padded(uint64_t number, size_t width, struct entable_text **key);

/**
 * Any integer, in order: 19 digits; below zero `-` and the 19 digits of its distance from the smallest.
 *
 * `*key` is yours once the call returns NULL, else NULL. Any thread. The error is yours to free.
 */
struct entable_error *entable_keys_integer(int64_t number, struct entable_text **key);

/**
 * A binary64 number, in order: 16 hexadecimal digits. -0.0 is 0.0.
 *
 * `*key` is yours once the call returns NULL, else NULL. Any thread. Errors: ENTABLE_INVALID_INPUT for NaN. The error
 * is yours to free.
 */
struct entable_error *entable_keys_double(double number, struct entable_text **key);

/**
 * An instant, in order: the 19 digits of its ticks of 100 ns since 0001-01-01T00:00:00Z.
 *
 * `*key` is yours once the call returns NULL, else NULL. Any thread. Errors: ENTABLE_INVALID_INPUT for ticks before
 * the year 1 or after 9999. The error is yours to free.
 */
struct entable_error *entable_keys_ticks(int64_t ticks, struct entable_text **key);

/**
 * An instant, the latest first: 19 digits of 3155378975999999999 less its ticks, as the log tail pattern has it.
 *
 * `*key` is yours once the call returns NULL, else NULL. Any thread. Errors: as `entable_keys_ticks`. The error is
 * yours to free.
 */
struct entable_error *entable_keys_descending_ticks(int64_t ticks, struct entable_text **key);

/**
 * The second that an instant lies in, as `yyyyMMddHHmmss` in UTC.
 *
 * `*key` is yours once the call returns NULL, else NULL. Any thread. Errors: as `entable_keys_ticks`. The error is
 * yours to free.
 */
struct entable_error *entable_keys_compact_date(int64_t ticks, struct entable_text **key);

/**
 * The integer that `entable_keys_integer` made the key of. Any thread.
 *
 * Errors: ENTABLE_INVALID_INPUT for a key that it does not make. The error is yours to free.
 */
struct entable_error *entable_keys_integer_from(struct entable_str key, int64_t *number);

/**
 * The number that `entable_keys_double` made the key of. Any thread.
 *
 * Errors: ENTABLE_INVALID_INPUT for a key that it does not make. The error is yours to free.
 */
struct entable_error *entable_keys_double_from(struct entable_str key, double *number);

/**
 * The ticks that `entable_keys_ticks` made the key of. Any thread.
 *
 * Errors: ENTABLE_INVALID_INPUT for a key that it does not make. The error is yours to free.
 */
struct entable_error *entable_keys_ticks_from(struct entable_str key, int64_t *ticks);

/**
 * The ticks that `entable_keys_descending_ticks` made the key of. Any thread.
 *
 * Errors: ENTABLE_INVALID_INPUT for a key that it does not make. The error is yours to free.
 */
struct entable_error *entable_keys_descending_ticks_from(struct entable_str key, int64_t *ticks);

/**
 * The keys that begin with `prefix`: from `*first` on, and before `*end`, which is NULL if there is no end. Both are
 * yours once the call returns NULL, else NULL. Any thread.
 *
 * Errors: ENTABLE_OUT_OF_RANGE_INPUT, ENTABLE_KEY_VALUE_TOO_LARGE if no legal key begins so. The error is yours to free.
 */
struct entable_error *entable_keys_prefix_range(struct entable_str prefix,
                                                struct entable_text **first,
                                                struct entable_text **end);

/**
 * The filter that finds the keys which begin with `prefix`; `name` is `PartitionKey` or `RowKey`. Other than
 * `startswith` it runs in strict mode and in the cloud.
 *
 * `*filter` is yours once the call returns NULL, else NULL. Any thread. Errors: as `entable_keys_prefix_range`;
 * ENTABLE_INVALID_INPUT for another name. The error is yours to free.
 */
struct entable_error *entable_keys_prefix_filter(struct entable_str name,
                                                 struct entable_str prefix,
                                                 struct entable_text **filter);

/**
 * The key that all texts have which differ in letter case only: Unicode's full case folding, as `tolower` in filters
 * folds.
 *
 * `*key` is yours once the call returns NULL, else NULL. Any thread. Errors: ENTABLE_OUT_OF_RANGE_INPUT,
 * ENTABLE_KEY_VALUE_TOO_LARGE if the folded text is no legal key. The error is yours to free.
 */
struct entable_error *entable_keys_fold_case(struct entable_str text, struct entable_text **key);

/**
 * The number of the shard, from 0, that a key falls into, of `shards`: the same in every version and on every machine.
 * Any thread.
 *
 * Errors: ENTABLE_INVALID_INPUT for no shards at all. The error is yours to free.
 */
struct entable_error *entable_keys_shard(struct entable_str key, uint32_t shards, uint32_t *shard);

/**
 * The pattern of a definition, which is copied.
 *
 * `*pattern` is yours once the call returns NULL, else NULL. Any thread. Errors: ENTABLE_INVALID_INPUT naming the member
 * that the pattern needs, or does not take. What tables and properties may be called is checked when it is used. The
 * error is yours to free.
 */
struct entable_error *entable_pattern_new(const struct entable_pattern_definition *definition,
                                          struct entable_pattern **pattern);

/**
 * Frees a pattern. NULL is fine. Once.
 */
void entable_pattern_free(struct entable_pattern *pattern);

/**
 * The lookup at `index`, from 0, of those that are to be read before the change of a row: the lists of index entities,
 * the counts of a distinct list. What is found is handed to `entable_pattern_changes`. `former` is NULL before an insert,
 * `new_row` after a delete.
 *
 * `*lookup` is yours once the call returns NULL; NULL past the last, which for other patterns is the first. Any thread.
 * The error is yours to free.
 */
struct entable_error *entable_pattern_read(const struct entable_pattern *pattern,
                                           const struct entable_entity *former,
                                           const struct entable_entity *new_row,
                                           size_t index,
                                           struct entable_lookup **lookup);

/**
 * All that is to be written when a row goes from one state to the next. `former` is NULL before an insert, `new_row`
 * after a delete; a former state that was read carries the ETag that the row is written on condition of. `stored`: the
 * `count` entities that the lookups of `entable_pattern_read` found.
 *
 * `*changes` is yours once the call returns NULL, else NULL. Any thread. Errors: what the service would refuse, before
 * anything is written, with property, limit and actual; ENTABLE_INVALID_INPUT if the states have different keys. The
 * error is yours to free.
 */
struct entable_error *entable_pattern_changes(const struct entable_pattern *pattern,
                                              const struct entable_entity *former,
                                              const struct entable_entity *new_row,
                                              const struct entable_entity *const *stored,
                                              size_t count,
                                              struct entable_changes **changes);

/**
 * The steps that bring the copies to the row's state of now: for rows that were there before the pattern, and after a
 * lost race. `seen` are the `seen_count` states whose copies may be left over; `current` is NULL if there is no row.
 * `stored` as in `entable_pattern_changes`. Secondary index, index entities, index table, unique guard, folded key.
 *
 * `*changes` is yours once the call returns NULL, else NULL. Any thread. Errors: as `entable_pattern_changes`. The error
 * is yours to free.
 */
struct entable_error *entable_pattern_reconcile(const struct entable_pattern *pattern,
                                                const struct entable_entity *const *seen,
                                                size_t seen_count,
                                                const struct entable_entity *current,
                                                const struct entable_entity *const *stored,
                                                size_t count,
                                                struct entable_changes **changes);

/**
 * What is written when a data series gets a value for the part of its period that `ticks` lies in.
 *
 * `*changes` is yours once the call returns NULL, else NULL. Any thread. Errors: as `entable_pattern_changes`;
 * ENTABLE_INVALID_INPUT for another pattern. The error is yours to free.
 */
struct entable_error *entable_pattern_record(const struct entable_pattern *pattern,
                                             struct entable_str series,
                                             int64_t ticks,
                                             struct entable_value value,
                                             struct entable_changes **changes);

/**
 * What is written when the value of a time is taken out of a data series: `entity` is that of its period, as it was
 * read. No steps if there is no such value.
 *
 * `*changes` is yours once the call returns NULL, else NULL. Any thread. Errors: ENTABLE_INVALID_INPUT if the entity is of
 * another period, and for another pattern. The error is yours to free.
 */
struct entable_error *entable_pattern_remove(const struct entable_pattern *pattern,
                                             const struct entable_entity *entity,
                                             int64_t ticks,
                                             struct entable_changes **changes);

/**
 * The steps that count the values of a distinct list anew from all `rows_count` rows of a partition. `stored` are all
 * `count` entities that ENTABLE_LOOKUP_LIST finds there. Nobody should write rows meanwhile. With `row_prefix` in the
 * pattern's definition, `rows` may be everything that is in the partition.
 *
 * `*changes` is yours once the call returns NULL, else NULL. Any thread. Errors: as `entable_pattern_changes`;
 * ENTABLE_INVALID_INPUT for one of `stored` that is no count of the partition, and for another pattern. The error is
 * yours to free.
 */
struct entable_error *entable_pattern_rebuild(const struct entable_pattern *pattern,
                                              struct entable_str partition_key,
                                              const struct entable_entity *const *rows,
                                              size_t rows_count,
                                              const struct entable_entity *const *stored,
                                              size_t count,
                                              struct entable_changes **changes);

/**
 * What a reader asks for. `values` are the `count` values that the kind takes. For an index table `partition_key` has
 * NULL as `data`.
 *
 * `*lookup` is yours once the call returns NULL, else NULL. Any thread. Errors: ENTABLE_INVALID_INPUT for a kind that the
 * pattern does not have, or other values than it takes; those of keys. The error is yours to free.
 */
struct entable_error *entable_pattern_lookup(const struct entable_pattern *pattern,
                                             entable_lookup_kind kind,
                                             struct entable_str partition_key,
                                             const struct entable_value *values,
                                             size_t count,
                                             struct entable_lookup **lookup);

/**
 * The keys of the rows that what was found stands for: entries of an index table, guards, or lists of index entities,
 * which alone need the `partition_key` of the rows. For `entable_table_get_many`.
 *
 * `*keys` is yours once the call returns NULL, else NULL. Any thread. Errors: ENTABLE_INVALID_INPUT for an entity that
 * is none of these, and for other patterns, whose copies are the rows. The error is yours to free.
 */
struct entable_error *entable_pattern_rows(const struct entable_pattern *pattern,
                                           struct entable_str partition_key,
                                           const struct entable_entity *const *found,
                                           size_t count,
                                           struct entable_key_list **keys);

/**
 * The ids in `count` lists of index entities from `lists` on, in their order: the RowKeys of rows.
 *
 * `*ids` is yours once the call returns NULL, else NULL. Any thread. Errors: ENTABLE_INVALID_INPUT for another pattern.
 * The error is yours to free.
 */
struct entable_error *entable_pattern_ids(const struct entable_pattern *pattern,
                                          const struct entable_entity *const *lists,
                                          size_t count,
                                          struct entable_texts **ids);

/**
 * The value that a list of index entities is for, as it stands in the key; no text (`data` is NULL) for a further part
 * of a list and for other entities. A view of `list`. Any thread.
 *
 * Errors: ENTABLE_INVALID_INPUT for another pattern. The error is yours to free.
 */
struct entable_error *entable_pattern_value_of(const struct entable_pattern *pattern,
                                               const struct entable_entity *list,
                                               struct entable_str *value);

/**
 * The PartitionKey of a row with this RowKey, where an index table has `shards`: the number of its shard.
 *
 * `*key` is yours once the call returns NULL, else NULL. Any thread. Errors: ENTABLE_INVALID_INPUT for a pattern without
 * shards. The error is yours to free.
 */
struct entable_error *entable_pattern_shard_key(const struct entable_pattern *pattern,
                                                struct entable_str row_key,
                                                struct entable_text **key);

/**
 * The texts that a compound key is made of.
 *
 * `*parts` is yours once the call returns NULL, else NULL. Any thread. Errors: ENTABLE_INVALID_INPUT for a key that does
 * not begin with the pattern's prefix, and for another pattern. The error is yours to free.
 */
struct entable_error *entable_pattern_parts(const struct entable_pattern *pattern,
                                            struct entable_str row_key,
                                            struct entable_texts **parts);

/**
 * The text that stands in a key for a value of this field.
 *
 * `*text` is yours once the call returns NULL, else NULL. Any thread. Errors: ENTABLE_INVALID_INPUT for a value of a type,
 * or with a size, that the form does not know; ENTABLE_PROPERTY_NAME_INVALID; those of `entable_keys_...`. Each names the
 * property. The error is yours to free.
 */
struct entable_error *entable_pattern_field_text(const struct entable_pattern_field *field,
                                                 struct entable_value value,
                                                 struct entable_text **text);

/**
 * The row as the pattern writes it, with the key or property that it makes: folded key, log tail, compound key.
 *
 * `*made` is yours once the call returns NULL, else NULL. Any thread. The error is yours to free.
 */
struct entable_error *entable_pattern_row_of(const struct entable_pattern *pattern,
                                             const struct entable_entity *row,
                                             struct entable_entity **made);

/**
 * The one row that a wide entity's `parts` are, as they were found.
 *
 * `*row` is yours once the call returns NULL; NULL if there are no parts. Any thread. Errors: ENTABLE_INVALID_INPUT if a
 * part is missing before the last, and for other patterns. The error is yours to free.
 */
struct entable_error *entable_pattern_join(const struct entable_pattern *pattern,
                                           const struct entable_entity *const *parts,
                                           size_t count,
                                           struct entable_entity **row);

/**
 * What the entities that were found say: of a data series each time (DateTime) with its value, of a distinct list each
 * listed value (String) with how many rows have it (Int64).
 *
 * `*pairs` is yours once the call returns NULL, else NULL. Any thread. Errors: ENTABLE_INVALID_INPUT for an entity that
 * is not of the pattern, and for other patterns. The error is yours to free.
 */
struct entable_error *entable_pattern_values(const struct entable_pattern *pattern,
                                             const struct entable_entity *const *found,
                                             size_t count,
                                             struct entable_value_pairs **pairs);

/**
 * How many pairs there are; 0 for NULL. Any thread.
 */
size_t entable_value_pairs_count(const struct entable_value_pairs *pairs);

/**
 * Whether there is a pair at `index`, from 0; writes views of its two values. Either place may be NULL. Any thread.
 */
bool entable_value_pairs_at(const struct entable_value_pairs *pairs,
                            size_t index,
                            struct entable_value *key,
                            struct entable_value *value);

/**
 * Frees pairs. NULL is fine. Once.
 */
void entable_value_pairs_free(struct entable_value_pairs *pairs);

/**
 * The table to ask; no text (`data` is NULL) for NULL. A view. Any thread.
 */
struct entable_str entable_lookup_table(const struct entable_lookup *lookup);

/**
 * The filter, in the service's language; empty for all entities, no text for NULL. A view. Any thread.
 */
struct entable_str entable_lookup_filter(const struct entable_lookup *lookup);

/**
 * Whether not all entities are wanted; writes how many are. `limit` may be NULL. Any thread.
 */
bool entable_lookup_limit(const struct entable_lookup *lookup, uint64_t *limit);

/**
 * Whether one entity is asked for, a point read; writes views of its keys. `keys` may be NULL. Any thread.
 */
bool entable_lookup_keys(const struct entable_lookup *lookup, struct entable_keys *keys);

/**
 * The query of the lookup, for `entable_table_query_entities` of its table.
 *
 * `*query` is yours once the call returns NULL, else NULL. Any thread. The error is yours to free.
 */
struct entable_error *entable_lookup_query(const struct entable_lookup *lookup, struct entable_query **query);

/**
 * Frees a lookup. NULL is fine. Once.
 */
void entable_lookup_free(struct entable_lookup *lookup);

/**
 * How many keys there are; 0 for NULL. Any thread.
 */
size_t entable_key_list_count(const struct entable_key_list *keys);

/**
 * The keys, as `entable_table_get_many` takes them; NULL for NULL. Views, good until the list is freed. Any thread.
 */
const struct entable_keys *entable_key_list_data(const struct entable_key_list *keys);

/**
 * Frees keys. NULL is fine. Once.
 */
void entable_key_list_free(struct entable_key_list *keys);

/**
 * How many steps there are; 0 for NULL. Any thread.
 */
size_t entable_changes_count(const struct entable_changes *changes);

/**
 * The table of the step at `step`, from 0; no text (`data` is NULL) past the end. A view. Any thread.
 */
struct entable_str entable_changes_table(const struct entable_changes *changes, size_t step);

/**
 * The keys of the step's entities, in the order of its operations: what to read for `entable_changes_remaining`.
 *
 * `*keys` is yours once the call returns NULL, else NULL. Any thread. Errors: ENTABLE_INVALID_INPUT past the last step.
 * The error is yours to free.
 */
struct entable_error *entable_changes_keys(const struct entable_changes *changes,
                                           size_t step,
                                           struct entable_key_list **keys);

/**
 * The step's operations, for `entable_table_submit_transaction` of its table.
 *
 * `*group` is yours once the call returns NULL, else NULL. Any thread. Errors: ENTABLE_INVALID_INPUT past the last step.
 * The error is yours to free.
 */
struct entable_error *entable_changes_group(const struct entable_changes *changes,
                                            size_t step,
                                            struct entable_group **group);

/**
 * Those of the step's operations that are left to do, given what is `stored` under each of its keys: `count` entities,
 * NULL where there is none, as `entable_table_get_many` gives them. For whoever does a step again.
 *
 * `*group` is yours once the call returns NULL, else NULL. Any thread. Errors: ENTABLE_INVALID_INPUT for another number
 * of entities, or other keys; ENTABLE_ENTITY_ALREADY_EXISTS, ENTABLE_RESOURCE_NOT_FOUND,
 * ENTABLE_UPDATE_CONDITION_NOT_SATISFIED if another was first. The error is yours to free.
 */
struct entable_error *entable_changes_remaining(const struct entable_changes *changes,
                                                size_t step,
                                                const struct entable_entity *const *stored,
                                                size_t count,
                                                struct entable_group **group);

/**
 * Whether an error of the step says that there was nothing left to do. False for NULL. Any thread.
 */
bool entable_changes_accepts(const struct entable_changes *changes, size_t step, const struct entable_error *error);

/**
 * The changes of two patterns for one row, as one list of steps. Both stay yours.
 *
 * `*joined` is yours once the call returns NULL, else NULL. Any thread. Errors: ENTABLE_INVALID_INPUT if they write one
 * entity in two ways. The error is yours to free.
 */
struct entable_error *entable_changes_join(const struct entable_changes *changes,
                                           const struct entable_changes *other,
                                           struct entable_changes **joined);

/**
 * Frees changes. NULL is fine. Once.
 */
void entable_changes_free(struct entable_changes *changes);

/**
 * Adds the operations of all steps, on their tables of the store: so row and copies are written together or not at all.
 * An error has added nothing.
 *
 * Errors: those of table names. The error is yours to free.
 */
struct entable_error *entable_batch_add_changes(struct entable_batch *batch,
                                                const struct entable_store *store,
                                                const struct entable_changes *changes);

/**
 * The operation of a group at `index`, from 0: what it does, and the entity, of a deletion the keys alone. Past the end
 * the kind is 0.
 *
 * `*entity` is yours once the call returns NULL; NULL past the end. Any thread. The error is yours to free.
 */
struct entable_error *entable_group_at(const struct entable_group *group,
                                       size_t index,
                                       struct entable_operation *operation,
                                       struct entable_entity **entity);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* ENTABLE_H */
