"""The same names for asyncio: what may touch the disk is awaited, and never stops the event loop.

    from entable import aio

    async with aio.Store("orders.ent") as store:
        orders = await store.create_table_if_not_exists("Orders")
        await orders.upsert_entity({"PartitionKey": "DE", "RowKey": "0001", "Total": 12.5})
        async for order in orders.query_entities("Total gt @least", parameters={"least": 10.0}):
            print(order["RowKey"])

Writes of many tasks share a commit. A write that is cancelled while it waits for its turn is not done; one that has
begun is done whole, whether anybody waits for it or not. Reads of single entities are done at once, for they take less
time than going to a thread; the rest runs on threads of the store's own.
"""

from __future__ import annotations

import asyncio
import contextlib
import contextvars
import functools
import os
from collections.abc import AsyncIterable, Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime
from types import TracebackType
from typing import TYPE_CHECKING, Any, Generic, Literal, TypeAlias, TypeVar, overload

from . import _entable
from ._errors import ResourceNotFoundError
from ._load import load as _load
from ._model import MatchConditions, TableItem, UpdateMode
from ._reports import Advice, Copied, Explain, Exported, Imported, IndexInfo, IndexStats, Page, Refused, Report, Stats

__all__ = [
    "AsyncItemPaged",
    "AsyncPageIterator",
    "AsyncPartitionKeys",
    "Snapshot",
    "Store",
    "Table",
    "TableClient",
    "TableServiceClient",
    "Transaction",
    "load",
    "verify",
]

_KEYS = ("PartitionKey", "RowKey")
_T = TypeVar("_T")
if TYPE_CHECKING:
    _Mode: TypeAlias = Literal["portable", "strict", "extended"]
    _Path: TypeAlias = str | os.PathLike[str]
    _UpdateMode: TypeAlias = UpdateMode | Literal["merge", "replace"]
    _Progress: TypeAlias = Callable[[int, int], object]
    _Select: TypeAlias = str | Sequence[str]
    _Scope: TypeAlias = Literal["table", "partition"]
    _Projection: TypeAlias = Literal["keys", "all"] | Sequence[str]
    _Exception: TypeAlias = type[BaseException] | BaseException | TracebackType | None


class _Threads:
    """The threads of a store, made when they are first needed; a forked child has its own."""

    def __init__(self, most: int | None = None) -> None:
        self._most = most
        self._made: tuple[int, ThreadPoolExecutor] | None = None

    async def run(self, call: Callable[..., _T], *arguments: Any, **keywords: Any) -> _T:
        if self._made is None or self._made[0] != os.getpid():
            self._made = os.getpid(), ThreadPoolExecutor(self._most, thread_name_prefix="entable")
        context = contextvars.copy_context()
        work = functools.partial(context.run, call, *arguments, **keywords)
        return await asyncio.get_running_loop().run_in_executor(self._made[1], work)

    def close(self) -> None:
        if self._made is not None and self._made[0] == os.getpid():
            self._made[1].shutdown(wait=False)
        self._made = None


class AsyncPageIterator(Generic[_T]):
    """The results of a query, page by page: each page is an asynchronous iterator."""

    def __init__(self, threads: _Threads, pages: _entable.PageIterator[_T]) -> None:
        self._threads = threads
        self._pages = pages

    @property
    def continuation_token(self) -> dict[str, str] | None:
        """Where the next page begins, for ``by_page`` of the same query; ``None`` at the end."""
        return self._pages.continuation_token

    def __aiter__(self) -> AsyncPageIterator[_T]:
        return self

    async def __anext__(self) -> AsyncPage[_T]:
        page: Iterable[_T] | None = await self._threads.run(next, self._pages, None)
        if page is None:
            raise StopAsyncIteration
        return AsyncPage(list(page))


class AsyncPage(Generic[_T]):
    """A page of an answer: an asynchronous iterator of what has been read."""

    def __init__(self, items: list[_T]) -> None:
        self._page = Page(items)

    def __aiter__(self) -> AsyncPage[_T]:
        return self

    async def __anext__(self) -> _T:
        for item in self._page:
            found: _T = item
            return found
        raise StopAsyncIteration

    def _repr_html_(self) -> str:
        return self._page._repr_html_()


class AsyncItemPaged(Generic[_T]):
    """The results of a query, one by one: an asynchronous iterator, which is used up. ``by_page`` begins anew."""

    def __init__(self, threads: _Threads, items: _entable.ItemPaged[_T]) -> None:
        self._threads = threads
        self._items = items
        self._pages: AsyncPageIterator[_T] | None = None
        self._page: AsyncPage[_T] = AsyncPage([])

    def by_page(self, continuation_token: Mapping[str, str] | str | None = None) -> AsyncPageIterator[_T]:
        """The results as pages, from the beginning or from a ``continuation_token``."""
        return AsyncPageIterator(self._threads, self._items.by_page(continuation_token))

    def __aiter__(self) -> AsyncItemPaged[_T]:
        return self

    async def __anext__(self) -> _T:
        if self._pages is None:
            self._pages = self.by_page()
        while True:
            async for item in self._page:
                return item
            self._page = await self._pages.__anext__()


class AsyncPartitionKeys:
    """The PartitionKeys of a table, in order: an asynchronous iterator, which is used up."""

    def __init__(self, threads: _Threads, keys: _entable.PartitionKeys) -> None:
        self._threads = threads
        self._keys = keys

    def __aiter__(self) -> AsyncPartitionKeys:
        return self

    async def __anext__(self) -> str:
        key: str | None = await self._threads.run(next, self._keys, None)
        if key is None:
            raise StopAsyncIteration
        return key


class Snapshot:
    """The store as it was at one moment: ``table.at(snapshot)`` reads it. See ``entable.Snapshot``."""

    def __init__(self, threads: _Threads, snapshot: _entable.Snapshot) -> None:
        self._threads = threads
        self._snapshot = snapshot

    async def list_tables(self) -> list[TableItem]:
        return await self._threads.run(lambda: list(self._snapshot.list_tables()))

    async def close(self) -> None:
        await self._threads.run(self._snapshot.close)

    async def __aenter__(self) -> Snapshot:
        return self

    async def __aexit__(self, *_exception: _Exception) -> None:
        await self.close()


class Transaction:
    """A transaction that a program is in the middle of: ``async with store.transaction() as transaction:``.

    See ``entable.Transaction``. It has a thread of its own.
    """

    def __init__(self, store: _entable.Store) -> None:
        self._threads = _Threads(1)
        self._transaction = store.transaction()

    def get_table_client(self, table_name: str) -> Table:
        return Table._of(self._threads, self._transaction.get_table_client(table_name), is_inside=True)

    async def create_table(self, table_name: str) -> Table:
        table = await self._threads.run(self._transaction.create_table, table_name)
        return Table._of(self._threads, table, is_inside=True)

    async def create_table_if_not_exists(self, table_name: str) -> Table:
        table = await self._threads.run(self._transaction.create_table_if_not_exists, table_name)
        return Table._of(self._threads, table, is_inside=True)

    async def delete_table(self, table_name: str) -> None:
        await self._threads.run(self._transaction.delete_table, table_name)

    async def list_tables(self) -> list[TableItem]:
        return await self._threads.run(lambda: list(self._transaction.list_tables()))

    async def commit(self) -> None:
        await self._threads.run(self._transaction.commit)

    async def rollback(self) -> None:
        await self._threads.run(self._transaction.rollback)

    async def __aenter__(self) -> Transaction:
        begun = asyncio.ensure_future(self._threads.run(self._transaction.__enter__))
        try:
            await asyncio.shield(begun)
        except asyncio.CancelledError:
            # It may begin yet: then it must end, or nobody else could write.
            begun.add_done_callback(self._give_up)
            raise
        return self

    def _give_up(self, begun: asyncio.Future[Any]) -> None:
        if not begun.cancelled() and begun.exception() is None:
            ending = asyncio.ensure_future(self._threads.run(self._transaction.rollback))
            ending.add_done_callback(lambda _: self._threads.close())
        else:
            self._threads.close()

    async def __aexit__(self, *exception: _Exception) -> Literal[False]:
        try:
            # What has begun to end goes on to its end.
            return await asyncio.shield(self._threads.run(self._transaction.__exit__, *exception))
        finally:
            self._threads.close()


class Table:
    """A handle to a table: see ``entable.Table``, whose arguments it takes. Mostly a store gives it.

    >>> table = Table(":memory:", "Orders")
    """

    _threads: _Threads
    _table: _entable.Table
    _is_inside = False
    _is_alone = False

    def __init__(
        self,
        path: _Path,
        table_name: str,
        *,
        mode: _Mode = "portable",
        read_only: bool = False,
        must_exist: bool = False,
        encoder: Callable[[str, Any], Any] | None = None,
        decoder: Callable[[str, Any], Any] | None = None,
    ) -> None:
        self._table = _entable.Table(
            path,
            table_name,
            mode=mode,
            read_only=read_only,
            must_exist=must_exist,
            encoder=encoder,
            decoder=decoder,
        )
        self._threads = _Threads()
        self._is_alone = True

    @classmethod
    def _of(cls, threads: _Threads, table: _entable.Table, *, is_inside: bool = False) -> Table:
        made = cls.__new__(cls)
        made._threads, made._table, made._is_inside = threads, table, is_inside
        return made

    @property
    def table_name(self) -> str:
        """The name that the handle was made with."""
        return self._table.table_name

    async def create_table(self) -> TableItem:
        return await self._threads.run(self._table.create_table)

    async def delete_table(self) -> None:
        await self._threads.run(self._table.delete_table)

    async def _write(self, verb: str, entity: Any, keywords: dict[str, Any]) -> dict[str, Any] | None:
        """One write, queued with those of other tasks."""
        loop = asyncio.get_running_loop()
        outcome: asyncio.Future[None] = loop.create_future()

        def tell() -> None:
            if not outcome.done():
                outcome.set_result(None)

        pending = self._table._submit(verb, entity, keywords, lambda: loop.call_soon_threadsafe(tell))
        try:
            await outcome
        except asyncio.CancelledError:
            pending.cancel()
            raise
        return pending.result()

    async def create_entity(self, entity: Any) -> dict[str, Any]:
        if self._is_inside:
            return await self._threads.run(self._table.create_entity, entity)
        return await self._write("create", entity, {}) or {}

    async def update_entity(
        self,
        entity: Any,
        mode: _UpdateMode = UpdateMode.MERGE,
        *,
        etag: str | None = None,
        match_condition: MatchConditions | None = None,
        filter: str | None = None,
        parameters: Mapping[str, Any] | None = None,
    ) -> dict[str, Any]:
        keywords = {
            "mode": mode,
            "etag": etag,
            "match_condition": match_condition,
            "filter": filter,
            "parameters": parameters,
        }
        if self._is_inside:
            return await self._threads.run(self._table.update_entity, entity, **keywords)
        return await self._write("update", entity, keywords) or {}

    async def upsert_entity(
        self,
        entity: Any,
        mode: _UpdateMode = UpdateMode.MERGE,
        *,
        etag: str | None = None,
        match_condition: MatchConditions | None = None,
        filter: str | None = None,
        parameters: Mapping[str, Any] | None = None,
    ) -> dict[str, Any]:
        keywords = {
            "mode": mode,
            "etag": etag,
            "match_condition": match_condition,
            "filter": filter,
            "parameters": parameters,
        }
        if self._is_inside:
            return await self._threads.run(self._table.upsert_entity, entity, **keywords)
        return await self._write("upsert", entity, keywords) or {}

    async def create_or_get_entity(self, entity: Any) -> tuple[_entable.TableEntity, bool]:
        return await self._threads.run(self._table.create_or_get_entity, entity)

    async def move_entity(
        self,
        partition_key: str,
        row_key: str,
        new_partition_key: str,
        new_row_key: str,
        *,
        etag: str | None = None,
        match_condition: MatchConditions | None = None,
        filter: str | None = None,
        parameters: Mapping[str, Any] | None = None,
    ) -> dict[str, Any]:
        when = {"etag": etag, "match_condition": match_condition, "filter": filter, "parameters": parameters}
        if self._is_inside:
            to = (new_partition_key, new_row_key)
            return await self._threads.run(self._table.move_entity, partition_key, row_key, *to, **when)
        keys = dict(zip(_KEYS, (partition_key, row_key), strict=True))
        return await self._write("move", keys, {"to": (new_partition_key, new_row_key), **when}) or {}

    @overload
    async def delete_entity(
        self,
        partition_key: str,
        row_key: str,
        *,
        etag: str | None = None,
        match_condition: MatchConditions | None = None,
        filter: str | None = None,
        parameters: Mapping[str, Any] | None = None,
    ) -> None: ...

    @overload
    async def delete_entity(
        self,
        entity: Any,
        *,
        etag: str | None = None,
        match_condition: MatchConditions | None = None,
        filter: str | None = None,
        parameters: Mapping[str, Any] | None = None,
    ) -> None: ...

    async def delete_entity(self, *keys: Any, **keywords: Any) -> None:
        is_plain = len(keys) in (1, 2) and keywords.keys() <= {"etag", "match_condition", "filter", "parameters"}
        if self._is_inside or not is_plain:
            await self._threads.run(self._table.delete_entity, *keys, **keywords)
            return
        entity = keys[0] if len(keys) == 1 else dict(zip(_KEYS, keys, strict=True))
        # Quiet, as the client is.
        with contextlib.suppress(ResourceNotFoundError):
            await self._write("delete", entity, keywords)

    @overload
    async def get_entity(
        self, partition_key: str, row_key: str, *, select: _Select | None = None, as_: None = None
    ) -> _entable.TableEntity: ...

    @overload
    async def get_entity(
        self, partition_key: str, row_key: str, *, select: _Select | None = None, as_: type[_T]
    ) -> _T: ...

    async def get_entity(
        self, partition_key: str, row_key: str, *, select: _Select | None = None, as_: Any = None
    ) -> Any:
        call = functools.partial(self._table.get_entity, partition_key, row_key, select=select, as_=as_)
        return await self._threads.run(call) if self._is_inside else call()

    async def exists(self, partition_key: str, row_key: str) -> bool:
        if self._is_inside:
            return await self._threads.run(self._table.exists, partition_key, row_key)
        return self._table.exists(partition_key, row_key)

    async def get_many(self, keys: Iterable[tuple[str, str]]) -> list[_entable.TableEntity | None]:
        return await self._threads.run(self._table.get_many, list(keys))

    def list_entities(
        self,
        *,
        results_per_page: int | None = None,
        select: _Select | None = None,
        limit: int | None = None,
        descending: bool = False,
        order_by: str | None = None,
        mode: _Mode | None = None,
    ) -> AsyncItemPaged[_entable.TableEntity]:
        items = self._table.list_entities(
            results_per_page=results_per_page,
            select=select,
            limit=limit,
            descending=descending,
            order_by=order_by,
            mode=mode,
        )
        return AsyncItemPaged(self._threads, items)

    def query_entities(
        self,
        query_filter: str | _entable.Lookup | None,
        *,
        results_per_page: int | None = None,
        select: _Select | None = None,
        parameters: dict[str, Any] | None = None,
        limit: int | None = None,
        descending: bool = False,
        order_by: str | None = None,
        mode: _Mode | None = None,
    ) -> AsyncItemPaged[_entable.TableEntity]:
        items = self._table.query_entities(
            query_filter,
            results_per_page=results_per_page,
            select=select,
            parameters=parameters,
            limit=limit,
            descending=descending,
            order_by=order_by,
            mode=mode,
        )
        return AsyncItemPaged(self._threads, items)

    async def count(
        self,
        query_filter: str | _entable.Lookup | None = None,
        *,
        parameters: dict[str, Any] | None = None,
        limit: int | None = None,
        mode: _Mode | None = None,
    ) -> int:
        keywords: dict[str, Any] = {"parameters": parameters, "limit": limit, "mode": mode}
        return await self._threads.run(self._table.count, query_filter, **keywords)

    async def explain(
        self,
        query_filter: str | _entable.Lookup | None = None,
        *,
        results_per_page: int | None = None,
        select: _Select | None = None,
        parameters: dict[str, Any] | None = None,
        limit: int | None = None,
        descending: bool = False,
        order_by: str | None = None,
        mode: _Mode | None = None,
    ) -> Explain:
        return await self._threads.run(
            self._table.explain,
            query_filter,
            results_per_page=results_per_page,
            select=select,
            parameters=parameters,
            limit=limit,
            descending=descending,
            order_by=order_by,
            mode=mode,
        )

    async def delete_entities(
        self,
        query_filter: str | _entable.Lookup | None,
        *,
        parameters: dict[str, Any] | None = None,
        limit: int | None = None,
        chunk: int | None = None,
        mode: _Mode | None = None,
    ) -> int:
        keywords: dict[str, Any] = {"parameters": parameters, "limit": limit, "chunk": chunk, "mode": mode}
        return await self._threads.run(self._table.delete_entities, query_filter, **keywords)

    def partition_keys(self) -> AsyncPartitionKeys:
        return AsyncPartitionKeys(self._threads, self._table.partition_keys())

    def at(self, snapshot: Snapshot) -> Table:
        return Table._of(self._threads, self._table.at(snapshot._snapshot))

    async def create_index(
        self,
        name: str,
        properties: str | Sequence[str],
        *,
        scope: _Scope = "table",
        projection: _Projection | None = None,
        unique: bool = False,
        fold_case: bool = False,
    ) -> None:
        keywords: dict[str, Any] = {"scope": scope, "projection": projection, "unique": unique, "fold_case": fold_case}
        await self._threads.run(self._table.create_index, name, properties, **keywords)

    async def create_index_if_not_exists(
        self,
        name: str,
        properties: str | Sequence[str],
        *,
        scope: _Scope = "table",
        projection: _Projection | None = None,
        unique: bool = False,
        fold_case: bool = False,
    ) -> None:
        keywords: dict[str, Any] = {"scope": scope, "projection": projection, "unique": unique, "fold_case": fold_case}
        await self._threads.run(self._table.create_index_if_not_exists, name, properties, **keywords)

    async def drop_index(self, name: str) -> None:
        await self._threads.run(self._table.drop_index, name)

    async def list_indexes(self) -> list[IndexInfo]:
        return await self._threads.run(self._table.list_indexes)

    async def index_stats(self) -> list[IndexStats]:
        return await self._threads.run(self._table.index_stats)

    async def advise(self) -> list[Advice]:
        return await self._threads.run(self._table.advise)

    async def submit_transaction(self, operations: Iterable[Any] | AsyncIterable[Any]) -> list[dict[str, Any]]:
        return await self._threads.run(self._table.submit_transaction, await _gathered(operations))

    async def close(self) -> None:
        """Lets go of the handle; the store stays open, unless the handle was made by its path."""
        if self._is_alone:
            try:
                await self._threads.run(self._table.close)
            finally:
                self._threads.close()

    async def __aenter__(self) -> Table:
        return self

    async def __aexit__(self, *_exception: _Exception) -> None:
        await self.close()

    def __repr__(self) -> str:
        return f"<entable.aio.Table {self.table_name!r}>"


async def _gathered(operations: Iterable[Any] | AsyncIterable[Any]) -> list[Any]:
    if isinstance(operations, AsyncIterable):
        return [operation async for operation in operations]
    try:
        return list(operations)
    except TypeError:
        raise TypeError("operations are an iterable of tuples") from None


class Store:
    """A store: see ``entable.Store``, whose arguments it takes. It is opened at once, which takes a moment."""

    def __init__(
        self,
        path: _Path,
        *,
        mode: _Mode = "portable",
        read_only: bool = False,
        must_exist: bool = False,
        immutable: bool = False,
        check: bool = False,
        max_size: int | None = None,
        clock: Callable[[], datetime] | None = None,
        encoder: Callable[[str, Any], Any] | None = None,
        decoder: Callable[[str, Any], Any] | None = None,
    ) -> None:
        self._store = _entable.Store(
            path,
            mode=mode,
            read_only=read_only,
            must_exist=must_exist,
            immutable=immutable,
            check=check,
            max_size=max_size,
            clock=clock,
            encoder=encoder,
            decoder=decoder,
        )
        self._threads = _Threads()

    @property
    def path(self) -> os.PathLike[str]:
        """Where the file is, as it was given."""
        return self._store.path

    @property
    def mode(self) -> _Mode:
        """``"portable"``, ``"strict"`` or ``"extended"``."""
        return self._store.mode

    async def close(self) -> None:
        try:
            await self._threads.run(self._store.close)
        finally:
            self._threads.close()

    async def create_table(self, table_name: str) -> Table:
        return Table._of(self._threads, await self._threads.run(self._store.create_table, table_name))

    async def create_table_if_not_exists(self, table_name: str) -> Table:
        return Table._of(self._threads, await self._threads.run(self._store.create_table_if_not_exists, table_name))

    async def delete_table(self, table_name: str) -> None:
        await self._threads.run(self._store.delete_table, table_name)

    def list_tables(self, *, results_per_page: int | None = None) -> AsyncItemPaged[TableItem]:
        return AsyncItemPaged(self._threads, self._store.list_tables(results_per_page=results_per_page))

    def query_tables(
        self,
        query_filter: str | None,
        *,
        results_per_page: int | None = None,
        parameters: dict[str, Any] | None = None,
    ) -> AsyncItemPaged[TableItem]:
        items = self._store.query_tables(query_filter, results_per_page=results_per_page, parameters=parameters)
        return AsyncItemPaged(self._threads, items)

    def get_table_client(self, table_name: str) -> Table:
        return Table._of(self._threads, self._store.get_table_client(table_name))

    async def submit_batch(self, operations: Iterable[Any] | AsyncIterable[Any]) -> list[dict[str, Any]]:
        def table(operation: Any) -> Any:
            if isinstance(operation, tuple) and operation and isinstance(operation[0], Table):
                return (operation[0]._table, *operation[1:])
            return operation

        return await self._threads.run(self._store.submit_batch, [table(each) for each in await _gathered(operations)])

    def transaction(self) -> Transaction:
        return Transaction(self._store)

    async def snapshot(self) -> Snapshot:
        return Snapshot(self._threads, await self._threads.run(self._store.snapshot))

    async def sync(self) -> None:
        await self._threads.run(self._store.sync)

    async def stats(self) -> Stats:
        return await self._threads.run(self._store.stats)

    async def advise(self) -> list[Advice]:
        return await self._threads.run(self._store.advise)

    async def backup(self, path: _Path, *, progress: _Progress | None = None) -> Copied:
        return await self._threads.run(self._store.backup, path, progress=progress)

    async def compact_into(self, path: _Path, *, progress: _Progress | None = None) -> Copied:
        return await self._threads.run(self._store.compact_into, path, progress=progress)

    async def compact(self, *, progress: _Progress | None = None) -> Copied:
        return await self._threads.run(self._store.compact, progress=progress)

    async def export(
        self,
        path: _Path,
        *,
        tables: Iterable[str] | None = None,
        versions: bool = False,
        position: str | None = None,
        progress: Callable[[Exported], object] | None = None,
    ) -> Exported:
        keywords = {"tables": tables, "versions": versions, "position": position, "progress": progress}
        return await self._threads.run(self._store.export, path, **keywords)

    async def import_entities(
        self,
        path: _Path,
        *,
        existing: Literal["refuse", "skip", "replace", "merge"] = "refuse",
        versions: bool = False,
        after_line: int = 0,
        progress: Callable[[Imported], object] | None = None,
    ) -> Imported:
        keywords = {"existing": existing, "versions": versions, "after_line": after_line, "progress": progress}
        return await self._threads.run(self._store.import_entities, path, **keywords)

    async def check_export(self, *, tables: Iterable[str] | None = None) -> list[Refused]:
        return await self._threads.run(self._store.check_export, tables=tables)

    async def __aenter__(self) -> Store:
        return self

    async def __aexit__(self, *_exception: _Exception) -> None:
        await self.close()

    def __repr__(self) -> str:
        return f"<entable.aio.Store {os.fspath(self.path)!r}, mode {self.mode!r}>"


# The client's names for the two.
TableServiceClient = Store
TableClient = Table


async def load(
    table: Table,
    data: Any,
    *,
    mode: _UpdateMode = UpdateMode.REPLACE,
    chunk: int = 1_000,
    progress: Callable[[int], object] | None = None,
) -> int:
    """Stores many entities: see ``entable.load``. ``progress`` is called on another thread."""
    return await table._threads.run(_load, table._table, data, mode=mode, chunk=chunk, progress=progress)


async def verify(path: _Path, *, progress: _Progress | None = None) -> Report:
    """Goes through a store's file: see ``entable.verify``. ``progress`` is called on another thread."""
    return await asyncio.to_thread(_entable.verify, path, progress=progress)


def _document() -> None:
    """What a method does is said once, where it is not awaited."""
    for ours, theirs in (
        (Store, _entable.Store),
        (Table, _entable.Table),
        (Transaction, _entable.Transaction),
        (Snapshot, _entable.Snapshot),
    ):
        for name, method in vars(ours).items():
            if not name.startswith("_") and callable(method) and not method.__doc__:
                method.__doc__ = getattr(theirs, name).__doc__


_document()
