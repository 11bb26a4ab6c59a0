// Generated from the core's table of codes by tests/generated_node.rs; BLESS=1 rewrites it.

/** The codes of errors: the Table service's, and the store's own. */
export type ErrorCode =
  /** An insert, or a write on condition of absence, found the entity there (S4.7). */
  | "EntityAlreadyExists"
  /** The entity has another ETag than the condition asks for (S4.2.2). */
  | "UpdateConditionNotSatisfied"
  /** No such entity; or, when a table is deleted, no such table (S4.7). */
  | "ResourceNotFound"
  /** An operation on entities names a table that does not exist (S4.7). */
  | "TableNotFound"
  /** A table of that name, in any case, exists (S1.1.2). */
  | "TableAlreadyExists"
  /** A value, a filter, a condition or a token is malformed (S4.7). */
  | "InvalidInput"
  /** A key holds a forbidden character (S1.2.6), or a table name has a wrong length (S1.1.5). */
  | "OutOfRangeInput"
  /** PartitionKey, RowKey or a table's name is missing or null (S1.2.7, S1.1.5). */
  | "PropertiesNeedValue"
  /** A PartitionKey or RowKey is too long (S1.2.8). */
  | "KeyValueTooLarge"
  /** A property's name is not an identifier (S1.4.2). */
  | "PropertyNameInvalid"
  /** A property's name has more than 255 characters (S1.4.1). */
  | "PropertyNameTooLong"
  /** An entity names a property twice (S1.4.6). */
  | "DuplicatePropertiesSpecified"
  /** A String or Binary value is too large (S2.1). */
  | "PropertyValueTooLarge"
  /** The entity, after the merge, has too many properties (S3.2). */
  | "TooManyProperties"
  /** The entity, after the merge, is too large by the published formula (S3.1). */
  | "EntityTooLarge"
  /** An entity group transaction is over 4 MiB (S6.5). */
  | "RequestBodyTooLarge"
  /** A table's name has characters other than letters and digits, or is reserved (S1.1). */
  | "InvalidResourceName"
  /** An entity group transaction names two partitions, or two tables (S6.2). */
  | "CommandsInBatchActOnDifferentPartitions"
  /** An entity comes twice in an entity group transaction (S6.3). */
  | "InvalidDuplicateRow"
  /** A function, arithmetic or an option that the service, or this mode, does not have (S7.2.8). */
  | "NotImplemented"
  /** The store, or what was opened from it, has been closed. */
  | "StoreClosed"
  /** The handle belongs to the parent process; the child must open the store itself. */
  | "StoreForked"
  /** There is no file at the path, and the options say that it must exist. */
  | "StoreNotFound"
  /** The path names a file that is not a store; it has not been touched. */
  | "NotAStore"
  /** The file needs a feature that this version does not know. */
  | "NewerFormat"
  /** Bytes of the file contradict each other. */
  | "Damaged"
  /** The disk, or the store's address space, is full; nothing of the operation was done. */
  | "StoreFull"
  /** The store was opened for reading only. */
  | "StoreReadOnly"
  /** The operating system refused a file operation. */
  | "Io"
  /** The write was made, but whether it survives a crash is not known: read it back. */
  | "OutcomeUnknown"
  /** A defect of the store; nothing of the operation was done. */
  | "Internal"
  /** The calling thread is inside a transaction of this store, which the call would have to wait for. */
  | "TransactionOpen"
  /** The caller gave up before the operation was begun; nothing of it was done. */
  | "Cancelled"
  /** The store has as many bytes as `Options::max_size` allows; nothing of the operation was done. */
  | "QuotaExceeded"
  /** The table has an index of that name, of this definition or another. */
  | "IndexAlreadyExists"
  /** The table has no index of that name. */
  | "IndexNotFound"
  /** Another entity holds the value that a unique index allows once; the facts name index and holder. */
  | "UniqueIndexViolation"
  /** A copy is not written over a file that is there. */
  | "FileExists"
  /** Locks and maps of a network file system do not reach the other machines. */
  | "NetworkFileSystem"
  /** The folder forbids the lock file, without which processes do not know of each other. */
  | "LockFileUnavailable"
  /** The file, or its lock file, was deleted or replaced: what is written through this handle would be lost. */
  | "FileReplaced"
  /** Somebody else has the store open, and this needs it alone. */
  | "StoreBusy"
  /** A process with the same id, in another pid namespace, has the store open: LMDB cannot tell the two apart. */
  | "ProcessIdTaken"
  /** The file has a second hard link, or is open with another lock file: two would write it at once. */
  | "OtherNames"
  /** The table has no change feed. */
  | "FeedNotFound"
  /** Changes behind the position were removed, as the feed's settings say; the facts name the first commit kept. */
  | "ChangesNotKept"
  /** The feed has no consumer of that name. */
  | "ConsumerNotFound"
  /** The table has a relation of that name, of another definition. */
  | "RelationAlreadyExists"
  /** The table has no relation of that name. */
  | "RelationNotFound"
  /** The entity links to one that is not there; the facts name the relation and the keys. */
  | "LinkTargetNotFound"
  /** Others link to the entity, and their relation refuses the delete; the facts name the relation and one of them. */
  | "LinkedEntitiesExist"
  /** A delete would delete more entities that link to it than one group may; nothing was done. */
  | "CascadeTooLarge"
  /** What a merge was to add makes a number that the property's type does not hold (S4.8.4). */
  | "NumberOverflow"

/** The kinds of failure that have codes. */
export type ErrorClass =
  | "Exists"
  | "Modified"
  | "NotFound"
  | "Invalid"
  | "TooLarge"
  | "NotSupported"
  | "Closed"
  | "Forked"
  | "Corrupt"
  | "NewerFormat"
  | "Full"
  | "Io"
  | "Internal"
  | "Busy"
  | "Cancelled"
