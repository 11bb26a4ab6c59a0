"""entable: SQLite for the Azure Tables data model.

    import entable

    with entable.Store("orders.ent") as store:
        orders = store.create_table_if_not_exists("Orders")
        orders.upsert_entity({"PartitionKey": "DE", "RowKey": "0001", "Total": 12.5})
        for order in orders.query_entities("Total gt @least", parameters={"least": 10.0}):
            print(order["RowKey"], order.metadata["etag"])

Names, arguments, defaults and errors are those of the official client for Python, ``azure-data-tables``: ``Store``
stands for its ``TableServiceClient``, ``Table`` for its ``TableClient``.
"""

from . import _interpreter as _interpreter
from ._entable import (
    ItemPaged,
    PageIterator,
    PartitionKeys,
    Snapshot,
    Store,
    Table,
    TableEntity,
    Transaction,
    entity_from_json,
    entity_size,
    entity_to_json,
    verify,
)

# By this name type checkers know it, without an import of `typing`.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from . import keys, patterns
    from ._errors import (
        EntableError,
        HttpResponseError,
        InternalError,
        InvalidInputError,
        InvalidTransactionError,
        NewerFormatError,
        OperationCancelledError,
        RequestTooLargeError,
        ResourceExistsError,
        ResourceModifiedError,
        ResourceNotFoundError,
        StoreBusyError,
        StoreClosedError,
        StoreDamagedError,
        StoreError,
        StoreForkedError,
        StoreFullError,
        StoreIOError,
        TableErrorCode,
        TableTransactionError,
    )
    from ._load import load, to_pandas, to_polars
    from ._model import (
        Add,
        DateTime,
        EdmType,
        EntityMetadata,
        EntityProperty,
        Int64,
        MatchConditions,
        Remove,
        TableItem,
        TransactionOperation,
        UpdateMode,
    )
    from ._reports import (
        Advice,
        Considered,
        Copied,
        Explain,
        Exported,
        Finding,
        Imported,
        IndexInfo,
        IndexStats,
        Refused,
        Report,
        Stats,
    )

# The client's names for the two.
TableServiceClient = Store
TableClient = Table

__all__ = [
    "Add",
    "Advice",
    "Considered",
    "Copied",
    "DateTime",
    "EdmType",
    "EntableError",
    "EntityMetadata",
    "EntityProperty",
    "Explain",
    "Exported",
    "Finding",
    "HttpResponseError",
    "Imported",
    "IndexInfo",
    "IndexStats",
    "Int64",
    "InternalError",
    "InvalidInputError",
    "InvalidTransactionError",
    "ItemPaged",
    "MatchConditions",
    "NewerFormatError",
    "OperationCancelledError",
    "PageIterator",
    "PartitionKeys",
    "Refused",
    "Remove",
    "Report",
    "RequestTooLargeError",
    "ResourceExistsError",
    "ResourceModifiedError",
    "ResourceNotFoundError",
    "Snapshot",
    "Stats",
    "Store",
    "StoreBusyError",
    "StoreClosedError",
    "StoreDamagedError",
    "StoreError",
    "StoreForkedError",
    "StoreFullError",
    "StoreIOError",
    "Table",
    "TableClient",
    "TableEntity",
    "TableErrorCode",
    "TableItem",
    "TableServiceClient",
    "TableTransactionError",
    "Transaction",
    "TransactionOperation",
    "UpdateMode",
    "entity_from_json",
    "entity_size",
    "entity_to_json",
    "keys",
    "load",
    "patterns",
    "to_pandas",
    "to_polars",
    "verify",
]

if not TYPE_CHECKING:
    # What a program may never ask for is imported when it does: a program's start is not to wait for it.
    def __getattr__(name):
        from importlib import import_module

        if name not in __all__:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        if name in ("keys", "patterns"):
            return import_module(f"{__name__}.{name}")
        for part in ("_errors", "_model", "_reports", "_load"):
            module = import_module(f"{__name__}.{part}")
            if hasattr(module, name):
                globals()[name] = getattr(module, name)
                return globals()[name]
        raise AttributeError(name)

    def __dir__():
        return sorted({*globals(), *__all__})
