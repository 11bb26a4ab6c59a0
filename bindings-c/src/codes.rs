// Generated from the core's table of error codes by tests/generated_c.rs (BLESS=1 rewrites it): do not edit.

//! The codes of errors, as C sees them.

/// A code of the Table service, or one of the store's own (from 100 on). Numbers are never reused; each code
/// has a status, as the service answers, and a class.
#[repr(u32)]
#[derive(Clone, Copy)]
pub enum entable_code {
    /// No error.
    ENTABLE_OK = 0,
    /// An insert, or a write on condition of absence, found the entity there (S4.7). Status 409, class Exists.
    ENTABLE_ENTITY_ALREADY_EXISTS = 1,
    /// The entity has another ETag than the condition asks for (S4.2.2). Status 412, class Modified.
    ENTABLE_UPDATE_CONDITION_NOT_SATISFIED = 2,
    /// No such entity; or, when a table is deleted, no such table (S4.7). Status 404, class NotFound.
    ENTABLE_RESOURCE_NOT_FOUND = 3,
    /// An operation on entities names a table that does not exist (S4.7). Status 404, class NotFound.
    ENTABLE_TABLE_NOT_FOUND = 4,
    /// A table of that name, in any case, exists (S1.1.2). Status 409, class Exists.
    ENTABLE_TABLE_ALREADY_EXISTS = 5,
    /// A value, a filter, a condition or a token is malformed (S4.7). Status 400, class Invalid.
    ENTABLE_INVALID_INPUT = 6,
    /// A key holds a forbidden character (S1.2.6), or a table name has a wrong length (S1.1.5). Status 400, class Invalid.
    ENTABLE_OUT_OF_RANGE_INPUT = 7,
    /// PartitionKey, RowKey or a table's name is missing or null (S1.2.7, S1.1.5). Status 400, class Invalid.
    ENTABLE_PROPERTIES_NEED_VALUE = 8,
    /// A PartitionKey or RowKey is too long (S1.2.8). Status 400, class TooLarge.
    ENTABLE_KEY_VALUE_TOO_LARGE = 9,
    /// A property's name is not an identifier (S1.4.2). Status 400, class Invalid.
    ENTABLE_PROPERTY_NAME_INVALID = 10,
    /// A property's name has more than 255 characters (S1.4.1). Status 400, class TooLarge.
    ENTABLE_PROPERTY_NAME_TOO_LONG = 11,
    /// An entity names a property twice (S1.4.6). Status 400, class Invalid.
    ENTABLE_DUPLICATE_PROPERTIES_SPECIFIED = 12,
    /// A String or Binary value is too large (S2.1). Status 400, class TooLarge.
    ENTABLE_PROPERTY_VALUE_TOO_LARGE = 13,
    /// The entity, after the merge, has too many properties (S3.2). Status 400, class TooLarge.
    ENTABLE_TOO_MANY_PROPERTIES = 14,
    /// The entity, after the merge, is too large by the published formula (S3.1). Status 400, class TooLarge.
    ENTABLE_ENTITY_TOO_LARGE = 15,
    /// An entity group transaction is over 4 MiB (S6.5). Status 413, class TooLarge.
    ENTABLE_REQUEST_BODY_TOO_LARGE = 16,
    /// A table's name has characters other than letters and digits, or is reserved (S1.1). Status 400, class Invalid.
    ENTABLE_INVALID_RESOURCE_NAME = 17,
    /// An entity group transaction names two partitions, or two tables (S6.2). Status 400, class Invalid.
    ENTABLE_COMMANDS_IN_BATCH_ACT_ON_DIFFERENT_PARTITIONS = 18,
    /// An entity comes twice in an entity group transaction (S6.3). Status 400, class Invalid.
    ENTABLE_INVALID_DUPLICATE_ROW = 19,
    /// A function, arithmetic or an option that the service, or this mode, does not have (S7.2.8). Status 501, class NotSupported.
    ENTABLE_NOT_IMPLEMENTED = 20,
    /// The store, or what was opened from it, has been closed. Status 410, class Closed.
    ENTABLE_STORE_CLOSED = 100,
    /// The handle belongs to the parent process; the child must open the store itself. Status 410, class Forked.
    ENTABLE_STORE_FORKED = 101,
    /// There is no file at the path, and the options say that it must exist. Status 404, class NotFound.
    ENTABLE_STORE_NOT_FOUND = 102,
    /// The path names a file that is not a store; it has not been touched. Status 400, class Corrupt.
    ENTABLE_NOT_A_STORE = 103,
    /// The file needs a feature that this version does not know. Status 400, class NewerFormat.
    ENTABLE_NEWER_FORMAT = 104,
    /// Bytes of the file contradict each other. Status 500, class Corrupt.
    ENTABLE_DAMAGED = 105,
    /// The disk, or the store's address space, is full; nothing of the operation was done. Status 507, class Full.
    ENTABLE_STORE_FULL = 106,
    /// The store was opened for reading only. Status 403, class NotSupported.
    ENTABLE_STORE_READ_ONLY = 107,
    /// The operating system refused a file operation. Status 500, class Io.
    ENTABLE_IO = 108,
    /// The write was made, but whether it survives a crash is not known: read it back. Status 500, class Io.
    ENTABLE_OUTCOME_UNKNOWN = 109,
    /// A defect of the store; nothing of the operation was done. Status 500, class Internal.
    ENTABLE_INTERNAL = 110,
    /// The calling thread is inside a transaction of this store, which the call would have to wait for. Status 409, class Busy.
    ENTABLE_TRANSACTION_OPEN = 111,
    /// The caller gave up before the operation was begun; nothing of it was done. Status 499, class Cancelled.
    ENTABLE_CANCELLED = 112,
    /// The store has as many bytes as `Options::max_size` allows; nothing of the operation was done. Status 507, class Full.
    ENTABLE_QUOTA_EXCEEDED = 113,
    /// The table has an index of that name, of this definition or another. Status 409, class Exists.
    ENTABLE_INDEX_ALREADY_EXISTS = 120,
    /// The table has no index of that name. Status 404, class NotFound.
    ENTABLE_INDEX_NOT_FOUND = 121,
    /// Another entity holds the value that a unique index allows once; the facts name index and holder. Status 409, class Exists.
    ENTABLE_UNIQUE_INDEX_VIOLATION = 122,
    /// A copy is not written over a file that is there. Status 409, class Exists.
    ENTABLE_FILE_EXISTS = 130,
    /// Locks and maps of a network file system do not reach the other machines. Status 501, class NotSupported.
    ENTABLE_NETWORK_FILE_SYSTEM = 131,
    /// The folder forbids the lock file, without which processes do not know of each other. Status 403, class Io.
    ENTABLE_LOCK_FILE_UNAVAILABLE = 132,
    /// The file, or its lock file, was deleted or replaced: what is written through this handle would be lost. Status 410, class Closed.
    ENTABLE_FILE_REPLACED = 133,
    /// Somebody else has the store open, and this needs it alone. Status 503, class Busy.
    ENTABLE_STORE_BUSY = 134,
    /// A process with the same id, in another pid namespace, has the store open: LMDB cannot tell the two apart. Status 409, class Busy.
    ENTABLE_PROCESS_ID_TAKEN = 135,
    /// The file has a second hard link, or is open with another lock file: two would write it at once. Status 409, class NotSupported.
    ENTABLE_OTHER_NAMES = 136,
    /// The table has no change feed. Status 404, class NotFound.
    ENTABLE_FEED_NOT_FOUND = 140,
    /// Changes behind the position were removed, as the feed's settings say; the facts name the first commit kept. Status 410, class NotFound.
    ENTABLE_CHANGES_NOT_KEPT = 141,
    /// The feed has no consumer of that name. Status 404, class NotFound.
    ENTABLE_CONSUMER_NOT_FOUND = 142,
    /// The table has a relation of that name, of another definition. Status 409, class Exists.
    ENTABLE_RELATION_ALREADY_EXISTS = 150,
    /// The table has no relation of that name. Status 404, class NotFound.
    ENTABLE_RELATION_NOT_FOUND = 151,
    /// The entity links to one that is not there; the facts name the relation and the keys. Status 409, class Invalid.
    ENTABLE_LINK_TARGET_NOT_FOUND = 152,
    /// Others link to the entity, and their relation refuses the delete; the facts name the relation and one of them. Status 409, class Exists.
    ENTABLE_LINKED_ENTITIES_EXIST = 153,
    /// A delete would delete more entities that link to it than one group may; nothing was done. Status 413, class TooLarge.
    ENTABLE_CASCADE_TOO_LARGE = 154,
    /// What a merge was to add makes a number that the property's type does not hold (S4.8.4). Status 400, class Invalid.
    ENTABLE_NUMBER_OVERFLOW = 160,
}
