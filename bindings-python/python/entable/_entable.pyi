from collections.abc import Iterable, Iterator, Mapping, Sequence
from os import PathLike
from types import TracebackType
from typing import Any, Generic, Literal, TypeAlias, TypeVar, final, overload

from typing_extensions import Self, disjoint_base

from ._model import EntityMetadata, MatchConditions, TableItem, TransactionOperation, UpdateMode

__all__ = ["ItemPaged", "PageIterator", "Store", "Table", "TableEntity"]

_T_co = TypeVar("_T_co", covariant=True)

_Mode: TypeAlias = Literal["portable", "strict", "extended"]
_UpdateMode: TypeAlias = UpdateMode | Literal["merge", "replace"]
_Entity: TypeAlias = Mapping[str, Any]
_Select: TypeAlias = str | Sequence[str]
_OperationName: TypeAlias = TransactionOperation | str
_Operation: TypeAlias = tuple[_OperationName, _Entity] | tuple[_OperationName, _Entity, dict[str, Any]]
_TableOperation: TypeAlias = (
    tuple[Table | str, _OperationName, _Entity] | tuple[Table | str, _OperationName, _Entity, dict[str, Any]]
)

@disjoint_base
class TableEntity(dict[str, Any]):
    @property
    def metadata(self) -> EntityMetadata: ...
    def __getstate__(self) -> EntityMetadata: ...
    def __setstate__(self, metadata: EntityMetadata) -> None: ...

@final
class Store:
    def __new__(
        cls,
        path: str | PathLike[str],
        *,
        mode: _Mode = "portable",
        read_only: bool = False,
        must_exist: bool = False,
    ) -> Self: ...
    @property
    def path(self) -> PathLike[str]: ...
    @property
    def mode(self) -> _Mode: ...
    def close(self) -> None: ...
    def create_table(self, table_name: str) -> Table: ...
    def create_table_if_not_exists(self, table_name: str) -> Table: ...
    def delete_table(self, table_name: str) -> None: ...
    def list_tables(self, *, results_per_page: int | None = None) -> ItemPaged[TableItem]: ...
    def query_tables(
        self,
        query_filter: str | None,
        *,
        results_per_page: int | None = None,
        parameters: dict[str, Any] | None = None,
    ) -> ItemPaged[TableItem]: ...
    def get_table_client(self, table_name: str) -> Table: ...
    def submit_batch(self, operations: Iterable[_TableOperation]) -> list[dict[str, Any]]: ...
    def __enter__(self) -> Self: ...
    def __exit__(
        self,
        *_exception: type[BaseException] | BaseException | TracebackType | None,
    ) -> None: ...

@final
class Table:
    @property
    def table_name(self) -> str: ...
    def create_table(self) -> TableItem: ...
    def delete_table(self) -> None: ...
    def create_entity(self, entity: _Entity) -> dict[str, Any]: ...
    def update_entity(
        self,
        entity: _Entity,
        mode: _UpdateMode | None = None,
        *,
        etag: str | None = None,
        match_condition: MatchConditions | None = None,
    ) -> dict[str, Any]: ...
    def upsert_entity(
        self,
        entity: _Entity,
        mode: _UpdateMode | None = None,
        *,
        etag: str | None = None,
        match_condition: MatchConditions | None = None,
    ) -> dict[str, Any]: ...
    @overload
    def delete_entity(
        self,
        partition_key: str,
        row_key: str,
        *,
        etag: str | None = None,
        match_condition: MatchConditions | None = None,
    ) -> None: ...
    @overload
    def delete_entity(
        self,
        entity: _Entity,
        *,
        etag: str | None = None,
        match_condition: MatchConditions | None = None,
    ) -> None: ...
    def get_entity(self, partition_key: str, row_key: str, *, select: _Select | None = None) -> TableEntity: ...
    def exists(self, partition_key: str, row_key: str) -> bool: ...
    def get_many(self, keys: Iterable[tuple[str, str]]) -> list[TableEntity | None]: ...
    def list_entities(
        self,
        *,
        results_per_page: int | None = None,
        select: _Select | None = None,
        limit: int | None = None,
    ) -> ItemPaged[TableEntity]: ...
    def query_entities(
        self,
        query_filter: str | None,
        *,
        results_per_page: int | None = None,
        select: _Select | None = None,
        parameters: dict[str, Any] | None = None,
        limit: int | None = None,
    ) -> ItemPaged[TableEntity]: ...
    def submit_transaction(self, operations: Iterable[_Operation]) -> list[dict[str, Any]]: ...
    def close(self) -> None: ...
    def __enter__(self) -> Self: ...
    def __exit__(
        self,
        *_exception: type[BaseException] | BaseException | TracebackType | None,
    ) -> None: ...

@final
class ItemPaged(Generic[_T_co]):
    def by_page(self, continuation_token: Mapping[str, str] | str | None = None) -> PageIterator[_T_co]: ...
    def __iter__(self) -> Self: ...
    def __next__(self) -> _T_co: ...
    @classmethod
    def __class_getitem__(cls, _item: Any) -> type[Self]: ...

@final
class PageIterator(Generic[_T_co]):
    @property
    def continuation_token(self) -> dict[str, str] | None: ...
    def __iter__(self) -> Self: ...
    def __next__(self) -> Iterator[_T_co]: ...
    @classmethod
    def __class_getitem__(cls, _item: Any) -> type[Self]: ...
