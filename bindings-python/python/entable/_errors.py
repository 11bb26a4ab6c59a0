# Generated from the core's table of error codes: BLESS=1 cargo test -p entable-tests --test generated_python
"""Errors: the classes of the official client for Python, and those of the store itself."""

from __future__ import annotations

from typing import Any

from ._model import TextEnum

_FACTS = (
    "table",
    "partition_key",
    "row_key",
    "property",
    "limit",
    "actual",
    "position",
    "index",
    "line",
    "loaded_line",
    "index_name",
    "holder",
)


class EntableError(Exception):
    """Whatever the store refuses or fails at. Nothing is half-done behind it."""

    message: str
    """The service's text, then one sentence with the facts; in a transaction the operation's index before it."""
    error_code: TableErrorCode | None
    status_code: int | None
    """The HTTP status that the service answers with this code."""
    error_class: str | None
    """The kind of failure, as every language calls it."""
    table: str | None
    partition_key: str | None
    row_key: str | None
    property: str | None
    limit: int | None
    """The limit that was passed, in the unit of its rule."""
    actual: int | None
    """What was met instead, in the same unit."""
    position: int | None
    """Where in the text of a filter, in characters from 0."""
    index: int | None
    """Which operation of a transaction, from 0."""
    line: int | None
    """Which line of an import, from 1."""
    loaded_line: int | None
    """Of an import that ended: the last line that is loaded; 0 if none is."""
    index_name: str | None
    """The index of the table that refuses."""
    holder: tuple[str, str] | None
    """The PartitionKey and RowKey of another entity that is in the way."""

    def __init__(
        self,
        message: str = "",
        *,
        error_code: TableErrorCode | None = None,
        status_code: int | None = None,
        error_class: str | None = None,
        **facts: Any,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.error_code = error_code
        self.status_code = status_code
        self.error_class = error_class
        for name in _FACTS:
            setattr(self, name, facts.get(name))

    def __str__(self) -> str:
        return f"{self.message}\nErrorCode:{self.error_code.value}" if self.error_code else self.message


class HttpResponseError(EntableError):
    """What the service would answer to the call."""


class ResourceExistsError(HttpResponseError):
    """There is a table, or an entity, of that name or key."""


class ResourceNotFoundError(HttpResponseError):
    """There is no such table, entity or file."""


class ResourceModifiedError(HttpResponseError):
    """The entity is another version than the condition asks for."""


class InvalidInputError(HttpResponseError, ValueError):
    """A name, a value, a filter, a condition or a token is malformed."""


class TableTransactionError(HttpResponseError):
    """An operation of a transaction failed, and so nothing of it was done. ``index`` tells which."""


class InvalidTransactionError(TableTransactionError, ValueError):
    """A transaction, or what one of its operations holds, is malformed."""


class RequestTooLargeError(TableTransactionError):
    """A transaction is too large."""


class StoreError(EntableError):
    """The store itself failed, whatever was asked of it."""


class StoreBusyError(StoreError):
    """Another process or thread is in the way; trying again later may help."""


class StoreClosedError(StoreError):
    """The store is closed."""


class StoreForkedError(StoreError):
    """The store was opened by the parent process: open it again."""


class StoreFullError(StoreError):
    """The disk, or the store's quota, is full."""


class StoreDamagedError(StoreError):
    """The file is damaged, or is no store."""


class StoreIOError(StoreError):
    """The operating system refused a file operation."""


class NewerFormatError(StoreError):
    """The file was written by a newer version."""


class OperationCancelledError(StoreError):
    """The caller gave up before the operation began."""


class InternalError(StoreError):
    """A defect of the store."""


class TableErrorCode(TextEnum):
    """The codes of errors, as the service spells them, and the store's own."""

    ENTITY_ALREADY_EXISTS = "EntityAlreadyExists"
    """An insert, or a write on condition of absence, found the entity there (S4.7)."""
    UPDATE_CONDITION_NOT_SATISFIED = "UpdateConditionNotSatisfied"
    """The entity has another ETag than the condition asks for (S4.2.2)."""
    RESOURCE_NOT_FOUND = "ResourceNotFound"
    """No such entity; or, when a table is deleted, no such table (S4.7)."""
    TABLE_NOT_FOUND = "TableNotFound"
    """An operation on entities names a table that does not exist (S4.7)."""
    TABLE_ALREADY_EXISTS = "TableAlreadyExists"
    """A table of that name, in any case, exists (S1.1.2)."""
    INVALID_INPUT = "InvalidInput"
    """A value, a filter, a condition or a token is malformed (S4.7)."""
    OUT_OF_RANGE_INPUT = "OutOfRangeInput"
    """A key holds a forbidden character (S1.2.6), or a table name has a wrong length (S1.1.5)."""
    PROPERTIES_NEED_VALUE = "PropertiesNeedValue"
    """PartitionKey, RowKey or a table's name is missing or null (S1.2.7, S1.1.5)."""
    KEY_VALUE_TOO_LARGE = "KeyValueTooLarge"
    """A PartitionKey or RowKey is too long (S1.2.8)."""
    PROPERTY_NAME_INVALID = "PropertyNameInvalid"
    """A property's name is not an identifier (S1.4.2)."""
    PROPERTY_NAME_TOO_LONG = "PropertyNameTooLong"
    """A property's name has more than 255 characters (S1.4.1)."""
    DUPLICATE_PROPERTIES_SPECIFIED = "DuplicatePropertiesSpecified"
    """An entity names a property twice (S1.4.6)."""
    PROPERTY_VALUE_TOO_LARGE = "PropertyValueTooLarge"
    """A String or Binary value is too large (S2.1)."""
    TOO_MANY_PROPERTIES = "TooManyProperties"
    """The entity, after the merge, has too many properties (S3.2)."""
    ENTITY_TOO_LARGE = "EntityTooLarge"
    """The entity, after the merge, is too large by the published formula (S3.1)."""
    REQUEST_BODY_TOO_LARGE = "RequestBodyTooLarge"
    """An entity group transaction is over 4 MiB (S6.5)."""
    INVALID_RESOURCE_NAME = "InvalidResourceName"
    """A table's name has characters other than letters and digits, or is reserved (S1.1)."""
    COMMANDS_IN_BATCH_ACT_ON_DIFFERENT_PARTITIONS = "CommandsInBatchActOnDifferentPartitions"
    """An entity group transaction names two partitions, or two tables (S6.2)."""
    INVALID_DUPLICATE_ROW = "InvalidDuplicateRow"
    """An entity comes twice in an entity group transaction (S6.3)."""
    NOT_IMPLEMENTED = "NotImplemented"
    """A function, arithmetic or an option that the service, or this mode, does not have (S7.2.8)."""
    STORE_CLOSED = "StoreClosed"
    """The store, or what was opened from it, has been closed."""
    STORE_FORKED = "StoreForked"
    """The handle belongs to the parent process; the child must open the store itself."""
    STORE_NOT_FOUND = "StoreNotFound"
    """There is no file at the path, and the options say that it must exist."""
    NOT_A_STORE = "NotAStore"
    """The path names a file that is not a store; it has not been touched."""
    NEWER_FORMAT = "NewerFormat"
    """The file needs a feature that this version does not know."""
    DAMAGED = "Damaged"
    """Bytes of the file contradict each other."""
    STORE_FULL = "StoreFull"
    """The disk, or the store's address space, is full; nothing of the operation was done."""
    STORE_READ_ONLY = "StoreReadOnly"
    """The store was opened for reading only."""
    IO = "Io"
    """The operating system refused a file operation."""
    OUTCOME_UNKNOWN = "OutcomeUnknown"
    """The write was made, but whether it survives a crash is not known: read it back."""
    INTERNAL = "Internal"
    """A defect of the store; nothing of the operation was done."""
    TRANSACTION_OPEN = "TransactionOpen"
    """The calling thread is inside a transaction of this store, which the call would have to wait for."""
    CANCELLED = "Cancelled"
    """The caller gave up before the operation was begun; nothing of it was done."""
    QUOTA_EXCEEDED = "QuotaExceeded"
    """The store has as many bytes as `Options::max_size` allows; nothing of the operation was done."""
    INDEX_ALREADY_EXISTS = "IndexAlreadyExists"
    """The table has an index of that name, of this definition or another."""
    INDEX_NOT_FOUND = "IndexNotFound"
    """The table has no index of that name."""
    UNIQUE_INDEX_VIOLATION = "UniqueIndexViolation"
    """Another entity holds the value that a unique index allows once; the facts name index and holder."""
    FILE_EXISTS = "FileExists"
    """A copy is not written over a file that is there."""
    NETWORK_FILE_SYSTEM = "NetworkFileSystem"
    """Locks and maps of a network file system do not reach the other machines."""
    LOCK_FILE_UNAVAILABLE = "LockFileUnavailable"
    """The folder forbids the lock file, without which processes do not know of each other."""
    FILE_REPLACED = "FileReplaced"
    """The file, or its lock file, was deleted or replaced: what is written through this handle would be lost."""
    STORE_BUSY = "StoreBusy"
    """Somebody else has the store open, and this needs it alone."""
    PROCESS_ID_TAKEN = "ProcessIdTaken"
    """A process with the same id, in another pid namespace, has the store open: LMDB cannot tell the two apart."""
    OTHER_NAMES = "OtherNames"
    """The file has a second hard link, or is open with another lock file: two would write it at once."""
    FEED_NOT_FOUND = "FeedNotFound"
    """The table has no change feed."""
    CHANGES_NOT_KEPT = "ChangesNotKept"
    """Changes behind the position were removed, as the feed's settings say; the facts name the first commit kept."""
    CONSUMER_NOT_FOUND = "ConsumerNotFound"
    """The feed has no consumer of that name."""
    RELATION_ALREADY_EXISTS = "RelationAlreadyExists"
    """The table has a relation of that name, of another definition."""
    RELATION_NOT_FOUND = "RelationNotFound"
    """The table has no relation of that name."""
    LINK_TARGET_NOT_FOUND = "LinkTargetNotFound"
    """The entity links to one that is not there; the facts name the relation and the keys."""
    LINKED_ENTITIES_EXIST = "LinkedEntitiesExist"
    """Others link to the entity, and their relation refuses the delete; the facts name the relation and one of them."""
    CASCADE_TOO_LARGE = "CascadeTooLarge"
    """A delete would delete more entities that link to it than one group may; nothing was done."""
    NUMBER_OVERFLOW = "NumberOverflow"
    """What a merge was to add makes a number that the property's type does not hold (S4.8.4)."""


_TABLE: dict[str, tuple[int, str]] = {
    "EntityAlreadyExists": (409, "Exists"),
    "UpdateConditionNotSatisfied": (412, "Modified"),
    "ResourceNotFound": (404, "NotFound"),
    "TableNotFound": (404, "NotFound"),
    "TableAlreadyExists": (409, "Exists"),
    "InvalidInput": (400, "Invalid"),
    "OutOfRangeInput": (400, "Invalid"),
    "PropertiesNeedValue": (400, "Invalid"),
    "KeyValueTooLarge": (400, "TooLarge"),
    "PropertyNameInvalid": (400, "Invalid"),
    "PropertyNameTooLong": (400, "TooLarge"),
    "DuplicatePropertiesSpecified": (400, "Invalid"),
    "PropertyValueTooLarge": (400, "TooLarge"),
    "TooManyProperties": (400, "TooLarge"),
    "EntityTooLarge": (400, "TooLarge"),
    "RequestBodyTooLarge": (413, "TooLarge"),
    "InvalidResourceName": (400, "Invalid"),
    "CommandsInBatchActOnDifferentPartitions": (400, "Invalid"),
    "InvalidDuplicateRow": (400, "Invalid"),
    "NotImplemented": (501, "NotSupported"),
    "StoreClosed": (410, "Closed"),
    "StoreForked": (410, "Forked"),
    "StoreNotFound": (404, "NotFound"),
    "NotAStore": (400, "Corrupt"),
    "NewerFormat": (400, "NewerFormat"),
    "Damaged": (500, "Corrupt"),
    "StoreFull": (507, "Full"),
    "StoreReadOnly": (403, "NotSupported"),
    "Io": (500, "Io"),
    "OutcomeUnknown": (500, "Io"),
    "Internal": (500, "Internal"),
    "TransactionOpen": (409, "Busy"),
    "Cancelled": (499, "Cancelled"),
    "QuotaExceeded": (507, "Full"),
    "IndexAlreadyExists": (409, "Exists"),
    "IndexNotFound": (404, "NotFound"),
    "UniqueIndexViolation": (409, "Exists"),
    "FileExists": (409, "Exists"),
    "NetworkFileSystem": (501, "NotSupported"),
    "LockFileUnavailable": (403, "Io"),
    "FileReplaced": (410, "Closed"),
    "StoreBusy": (503, "Busy"),
    "ProcessIdTaken": (409, "Busy"),
    "OtherNames": (409, "NotSupported"),
    "FeedNotFound": (404, "NotFound"),
    "ChangesNotKept": (410, "NotFound"),
    "ConsumerNotFound": (404, "NotFound"),
    "RelationAlreadyExists": (409, "Exists"),
    "RelationNotFound": (404, "NotFound"),
    "LinkTargetNotFound": (409, "Invalid"),
    "LinkedEntitiesExist": (409, "Exists"),
    "CascadeTooLarge": (413, "TooLarge"),
    "NumberOverflow": (400, "Invalid"),
}
"""Status and class of each code."""

_CLASSES: dict[str, type[EntableError]] = {
    "Exists": ResourceExistsError,
    "NotFound": ResourceNotFoundError,
    "Modified": ResourceModifiedError,
    "Invalid": InvalidInputError,
    "TooLarge": HttpResponseError,
    "NotSupported": HttpResponseError,
    "Busy": StoreBusyError,
    "Cancelled": OperationCancelledError,
    "Closed": StoreClosedError,
    "Forked": StoreForkedError,
    "Full": StoreFullError,
    "NewerFormat": NewerFormatError,
    "Corrupt": StoreDamagedError,
    "Io": StoreIOError,
    "Internal": InternalError,
}

_CLASSES_IN_TRANSACTIONS: dict[str, type[EntableError]] = {
    "Exists": TableTransactionError,
    "NotFound": TableTransactionError,
    "Modified": TableTransactionError,
    "Invalid": InvalidTransactionError,
    "TooLarge": TableTransactionError,
    "NotSupported": TableTransactionError,
}


def _make_error(code: str, message: str, in_transaction: bool, facts: dict[str, Any]) -> EntableError:
    """The exception for an error of the core."""
    status, error_class = _TABLE[code]
    class_ = _CLASSES[error_class]
    if in_transaction:
        class_ = _CLASSES_IN_TRANSACTIONS.get(error_class, class_)
        if code == TableErrorCode.REQUEST_BODY_TOO_LARGE:
            class_ = RequestTooLargeError
        if facts["index"] is None and issubclass(class_, TableTransactionError):
            # As the client says it of an error of the whole transaction.
            facts["index"] = 0
    return class_(message, error_code=TableErrorCode(code), status_code=status, error_class=error_class, **facts)


def _of_operation(error: EntableError, index: int) -> EntableError:
    """The error of a transaction for an operation that cannot be made of what was handed in."""
    assert error.error_code
    facts = {name: getattr(error, name) for name in _FACTS}
    return _make_error(error.error_code.value, f"{index}:{error.message}", True, facts | {"index": index})
