//! The one table of error codes. `errors.md`, the C enum, `_errors.py` and `errors.js` are made from it.

/// What kind of failure a code is: bindings choose their exception class by it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Class {
    /// Something of that name or key is there already.
    Exists,
    /// There is no such table, entity or file.
    NotFound,
    /// The entity is not the version that the condition asks for.
    Modified,
    /// The request is malformed.
    Invalid,
    /// A limit of the data model is passed.
    TooLarge,
    /// The service, or this version of the store, does not do this.
    NotSupported,
    /// Another process or thread is in the way; trying again later may help.
    Busy,
    /// The caller gave up before the operation began.
    Cancelled,
    /// The store, snapshot or iterator is closed.
    Closed,
    /// The handle was made before a fork, in the parent process.
    Forked,
    /// The disk, the quota or the map is full.
    Full,
    /// The file was written by a newer version of the store.
    NewerFormat,
    /// The file is damaged, or is no store.
    Corrupt,
    /// The operating system refused.
    Io,
    /// A defect of the store itself.
    Internal,
}

impl Class {
    /// The class's name, as bindings spell it.
    pub const fn name(self) -> &'static str {
        match self {
            Class::Exists => "Exists",
            Class::NotFound => "NotFound",
            Class::Modified => "Modified",
            Class::Invalid => "Invalid",
            Class::TooLarge => "TooLarge",
            Class::NotSupported => "NotSupported",
            Class::Busy => "Busy",
            Class::Cancelled => "Cancelled",
            Class::Closed => "Closed",
            Class::Forked => "Forked",
            Class::Full => "Full",
            Class::NewerFormat => "NewerFormat",
            Class::Corrupt => "Corrupt",
            Class::Io => "Io",
            Class::Internal => "Internal",
        }
    }
}

macro_rules! error_codes {
    ($($(#[doc = $doc:literal])+ $number:literal $name:ident $status:literal $class:ident $message:literal;)+) => {
        /// A code of the Table service, or one of the store's own (from 100 on).
        ///
        /// Numbers are the C ABI and never reused; names and status codes are spelled as the service does.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        #[repr(u16)]
        pub enum ErrorCode {
            $($(#[doc = $doc])+ $name = $number,)+
        }

        impl ErrorCode {
            /// Every code, in the order of the numbers.
            pub const ALL: &'static [ErrorCode] = &[$(ErrorCode::$name),+];

            /// The code as the service spells it, such as `EntityAlreadyExists`.
            pub const fn name(self) -> &'static str {
                match self { $(ErrorCode::$name => stringify!($name),)+ }
            }

            /// The HTTP status that the service answers with this code.
            pub const fn status(self) -> u16 {
                match self { $(ErrorCode::$name => $status,)+ }
            }

            /// The kind of failure.
            pub const fn class(self) -> Class {
                match self { $(ErrorCode::$name => Class::$class,)+ }
            }

            /// The service's text for this code, without our facts.
            pub const fn message(self) -> &'static str {
                match self { $(ErrorCode::$name => $message,)+ }
            }

            /// What the code means: its line in `docs/errors.md`.
            pub const fn meaning(self) -> &'static str {
                match self { $(ErrorCode::$name => concat!($($doc),+),)+ }
            }
        }
    };
}

error_codes! {
    /// An insert, or a write on condition of absence, found the entity there (S4.7).
    1 EntityAlreadyExists 409 Exists "The specified entity already exists.";
    /// The entity has another ETag than the condition asks for (S4.2.2).
    2 UpdateConditionNotSatisfied 412 Modified "The update condition specified in the request was not satisfied.";
    /// No such entity; or, when a table is deleted, no such table (S4.7).
    3 ResourceNotFound 404 NotFound "The specified resource does not exist.";
    /// An operation on entities names a table that does not exist (S4.7).
    4 TableNotFound 404 NotFound "The table specified does not exist.";
    /// A table of that name, in any case, exists (S1.1.2).
    5 TableAlreadyExists 409 Exists "The table specified already exists.";
    /// A value, a filter, a condition or a token is malformed (S4.7).
    6 InvalidInput 400 Invalid "One of the request inputs is not valid.";
    /// A key holds a forbidden character (S1.2.6), or a table name has a wrong length (S1.1.5).
    7 OutOfRangeInput 400 Invalid "One of the request inputs is out of range.";
    /// PartitionKey, RowKey or a table's name is missing or null (S1.2.7, S1.1.5).
    8 PropertiesNeedValue 400 Invalid "The values are not specified for all properties in the entity.";
    /// A PartitionKey or RowKey is too long (S1.2.8).
    9 KeyValueTooLarge 400 TooLarge "The key property exceeds the maximum allowed key size.";
    /// A property's name is not an identifier (S1.4.2).
    10 PropertyNameInvalid 400 Invalid "The property name is invalid.";
    /// A property's name has more than 255 characters (S1.4.1).
    11 PropertyNameTooLong 400 TooLarge "The property name exceeds the maximum allowed length (255).";
    /// An entity names a property twice (S1.4.6).
    12 DuplicatePropertiesSpecified 400 Invalid "A property is specified more than one time.";
    /// A String or Binary value is too large (S2.1).
    13 PropertyValueTooLarge 400 TooLarge "The property value exceeds the maximum allowed size (64KB). If the property value is a string, it is UTF-16 encoded and the maximum number of characters should be 32K or less.";
    /// The entity, after the merge, has too many properties (S3.2).
    14 TooManyProperties 400 TooLarge "The entity contains more properties than allowed. Each entity can include up to 252 properties to store data. Each entity also has 3 system properties.";
    /// The entity, after the merge, is too large by the published formula (S3.1).
    15 EntityTooLarge 400 TooLarge "The entity is larger than the maximum allowed size (1MB).";
    /// An entity group transaction is over 4 MiB (S6.5).
    16 RequestBodyTooLarge 413 TooLarge "The request body is too large and exceeds the maximum permissible limit.";
    /// A table's name has characters other than letters and digits, or is reserved (S1.1).
    17 InvalidResourceName 400 Invalid "The specifed resource name contains invalid characters.";
    /// An entity group transaction names two partitions, or two tables (S6.2).
    18 CommandsInBatchActOnDifferentPartitions 400 Invalid "All commands in a batch must operate on same entity group.";
    /// An entity comes twice in an entity group transaction (S6.3).
    19 InvalidDuplicateRow 400 Invalid "The batch request contains multiple changes with same row key. An entity can appear only once in a batch request.";
    /// A function, arithmetic or an option that the service, or this mode, does not have (S7.2.8).
    20 NotImplemented 501 NotSupported "The requested operation is not implemented on the specified resource.";

    /// The store, or what was opened from it, has been closed.
    100 StoreClosed 410 Closed "The store is closed.";
    /// The handle belongs to the parent process; the child must open the store itself.
    101 StoreForked 410 Forked "The store was opened before a fork.";
    /// There is no file at the path, and the options say that it must exist.
    102 StoreNotFound 404 NotFound "There is no store at this path.";
    /// The path names a file that is not a store; it has not been touched.
    103 NotAStore 400 Corrupt "The file is not an entable store.";
    /// The file needs a feature that this version does not know.
    104 NewerFormat 400 NewerFormat "The file was written by a newer version.";
    /// Bytes of the file contradict each other.
    105 Damaged 500 Corrupt "The store is damaged.";
    /// The disk, or the store's address space, is full; nothing of the operation was done.
    106 StoreFull 507 Full "The store is full.";
    /// The store was opened for reading only.
    107 StoreReadOnly 403 NotSupported "The store was opened for reading only.";
    /// The operating system refused a file operation.
    108 Io 500 Io "A file operation failed.";
    /// The write was made, but whether it survives a crash is not known: read it back.
    109 OutcomeUnknown 500 Io "The outcome of the commit is not known.";
    /// A defect of the store; nothing of the operation was done.
    110 Internal 500 Internal "The store met an internal error.";
    /// The calling thread is inside a transaction of this store, which the call would have to wait for.
    111 TransactionOpen 409 Busy "A transaction of this thread is open.";
    /// The caller gave up before the operation was begun; nothing of it was done.
    112 Cancelled 499 Cancelled "The operation was cancelled.";
    /// The store has as many bytes as `Options::max_size` allows; nothing of the operation was done.
    113 QuotaExceeded 507 Full "The store has reached its maximum size.";
    /// The table has an index of that name, of this definition or another.
    120 IndexAlreadyExists 409 Exists "The specified index already exists.";
    /// The table has no index of that name.
    121 IndexNotFound 404 NotFound "The specified index does not exist.";
    /// Another entity holds the value that a unique index allows once; the facts name index and holder.
    122 UniqueIndexViolation 409 Exists "A unique index holds the value for another entity already.";

    /// A copy is not written over a file that is there.
    130 FileExists 409 Exists "There is a file at this path already.";
    /// Locks and maps of a network file system do not reach the other machines.
    131 NetworkFileSystem 501 NotSupported "A store cannot be kept on a network file system.";
    /// The folder forbids the lock file, without which processes do not know of each other.
    132 LockFileUnavailable 403 Io "The store's lock file cannot be made or opened.";
    /// The file, or its lock file, was deleted or replaced: what is written through this handle would be lost.
    133 FileReplaced 410 Closed "The store's file is not the one that was opened.";
    /// Somebody else has the store open, and this needs it alone.
    134 StoreBusy 503 Busy "The store is in use.";
    /// A process with the same id, in another pid namespace, has the store open: LMDB cannot tell the two apart.
    135 ProcessIdTaken 409 Busy "Another process with the same process id has the store open.";
    /// The file has a second hard link, or is open with another lock file: two would write it at once.
    136 OtherNames 409 NotSupported "The store's file has more than one name.";

    /// The table has no change feed.
    140 FeedNotFound 404 NotFound "The table has no change feed.";
    /// Changes behind the position were removed, as the feed's settings say; the facts name the first commit kept.
    141 ChangesNotKept 410 NotFound "Changes behind this position are not kept any more.";
    /// The feed has no consumer of that name.
    142 ConsumerNotFound 404 NotFound "The specified consumer does not exist.";

    /// The table has a relation of that name, of another definition.
    150 RelationAlreadyExists 409 Exists "The specified relation already exists.";
    /// The table has no relation of that name.
    151 RelationNotFound 404 NotFound "The specified relation does not exist.";
    /// The entity links to one that is not there; the facts name the relation and the keys.
    152 LinkTargetNotFound 409 Invalid "The entity that this one links to does not exist.";
    /// Others link to the entity, and their relation refuses the delete; the facts name the relation and one of them.
    153 LinkedEntitiesExist 409 Exists "Other entities link to this one.";
    /// A delete would delete more entities that link to it than one group may; nothing was done.
    154 CascadeTooLarge 413 TooLarge "The delete would delete too many entities with it.";

    /// What a merge was to add makes a number that the property's type does not hold (S4.8.4).
    160 NumberOverflow 400 Invalid "The sum is beyond the property's type.";
}
