"""asyncio: the same answers, without stopping the loop; cancelled writes are done whole or not at all."""

from __future__ import annotations

import asyncio
import inspect
import threading
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import Any

import entable
import pytest
from entable import aio

ENTITY = {"PartitionKey": "p", "RowKey": "r", "A": 1}


def run(work: Callable[[aio.Store, aio.Table], Awaitable[Any]]) -> Any:
    async def main() -> Any:
        async with aio.Store(":memory:") as store:
            return await work(store, await store.create_table("Orders"))

    return asyncio.run(asyncio.wait_for(main(), 30))


@pytest.mark.parametrize(
    ("plain", "asynchronous"),
    [
        (entable.Store, aio.Store),
        (entable.Table, aio.Table),
        (entable.Transaction, aio.Transaction),
        (entable.Snapshot, aio.Snapshot),
    ],
)
def test_the_names_and_arguments_are_the_same(plain: Any, asynchronous: Any) -> None:
    def verbs(of: Any) -> dict[str, Any]:
        return {name: getattr(of, name) for name in dir(of) if not name.startswith("_")}

    assert verbs(plain).keys() == verbs(asynchronous).keys()
    for name, verb in verbs(asynchronous).items():
        if name == "delete_entity" or not callable(verb):
            continue
        expected = inspect.signature(verbs(plain)[name]).parameters
        found = inspect.signature(verb).parameters
        assert list(found) == list(expected), name
        for parameter in found.values():
            if not isinstance(parameter.default, type(inspect.Parameter.empty)):
                assert parameter.default == expected[parameter.name].default, (name, parameter)


def test_the_verbs() -> None:
    async def work(store: aio.Store, table: aio.Table) -> None:
        written = await table.create_entity(ENTITY)
        assert list(written) == ["date", "etag", "version"]
        await table.update_entity({**ENTITY, "B": 2}, etag=written["etag"], match_condition=NOT_MODIFIED)
        with pytest.raises(entable.ResourceModifiedError):
            await table.update_entity(ENTITY, etag=written["etag"], match_condition=NOT_MODIFIED)
        await table.upsert_entity({**ENTITY, "RowKey": "s"}, mode="replace")
        assert await table.get_entity("p", "r") == {**ENTITY, "B": 2}
        assert (await table.exists("p", "x"), await table.count()) == (False, 2)
        assert await table.get_many([("p", "x"), ("p", "s")]) == [None, {**ENTITY, "RowKey": "s"}]
        await table.delete_entity("p", "s")
        await table.delete_entity("p", "s")
        await table.delete_entity(ENTITY, match_condition=entable.MatchConditions.Unconditionally)
        assert await table.count() == 0
        with pytest.raises(entable.ResourceExistsError):
            await store.create_table("Orders")
        assert [item.name async for item in store.list_tables()] == ["Orders"]

    run(work)


NOT_MODIFIED = entable.MatchConditions.IfNotModified


def test_errors_are_those_of_the_plain_calls() -> None:
    async def work(_store: aio.Store, table: aio.Table) -> None:
        with pytest.raises(ValueError, match="RowKey"):
            await table.create_entity({"PartitionKey": "p"})
        with pytest.raises(KeyError):
            await table.upsert_entity({"PartitionKey": "p"})
        with pytest.raises(TypeError, match="V"):
            await table.create_entity({**ENTITY, "V": object()})
        with pytest.raises(entable.ResourceNotFoundError):
            await table.update_entity(ENTITY)
        with pytest.raises(TypeError):
            await table.delete_entity("p", "r", "s")  # type: ignore[call-overload]
        with pytest.raises(KeyError, match="x"):
            await table.count("A eq @x")

    run(work)


def test_pages() -> None:
    async def work(_store: aio.Store, table: aio.Table) -> None:
        for n in range(5):
            await table.create_entity({"PartitionKey": "p", "RowKey": str(n), "N": n})
        items = table.query_entities("N ge @n", parameters={"n": 1}, results_per_page=2)
        pages = items.by_page()
        found = [[entity["N"] async for entity in page] async for page in pages]
        assert (found, pages.continuation_token) == ([[1, 2], [3, 4]], None)
        assert [entity["N"] async for entity in items] == [1, 2, 3, 4]
        assert [entity["N"] async for entity in items] == []
        assert [key async for key in table.partition_keys()] == ["p"]
        first = items.by_page()
        async for _page in first:
            break
        rest = items.by_page(first.continuation_token)
        assert [[entity["N"] async for entity in page] async for page in rest] == [[3, 4]]

    run(work)


def test_many_tasks_share_commits() -> None:
    async def work(store: aio.Store, table: aio.Table) -> None:
        writes = (table.create_entity({"PartitionKey": "p", "RowKey": str(n)}) for n in range(200))
        await asyncio.gather(*writes)
        assert await table.count() == 200
        assert (await store.stats()).commits.samples < 200

    run(work)


def test_a_cancelled_write_is_whole_or_absent() -> None:
    async def work(store: aio.Store, table: aio.Table) -> None:
        async with store.transaction() as transaction:
            # Nobody else has the turn: these wait.
            tasks = [asyncio.create_task(table.create_entity({**ENTITY, "RowKey": str(n)})) for n in range(5)]
            await asyncio.sleep(0.02)
            for task in tasks[1:]:
                task.cancel()
            assert [type(outcome) for outcome in await asyncio.gather(*tasks[1:], return_exceptions=True)] == [
                asyncio.CancelledError
            ] * 4
            await transaction.get_table_client("Orders").create_entity(ENTITY)
        await tasks[0]
        # The thread that writes may have taken one of them up before it was cancelled.
        rows = {entity["RowKey"] async for entity in table.list_entities()}
        assert {"0", "r"} <= rows
        assert len(rows) <= 3

    run(work)


def test_transactions() -> None:
    async def work(store: aio.Store, table: aio.Table) -> None:
        async with store.transaction() as transaction:
            inside = transaction.get_table_client("Orders")
            await inside.create_entity(ENTITY)
            await inside.update_entity({**ENTITY, "B": 2})
            assert await inside.get_entity("p", "r") == {**ENTITY, "B": 2}
            assert [entity["B"] async for entity in inside.list_entities()] == [2]
            assert (await inside.exists("p", "r"), await table.exists("p", "r")) == (True, False)
        assert await table.exists("p", "r")
        with pytest.raises(ZeroDivisionError):
            async with store.transaction() as transaction:
                await (await transaction.create_table("Other")).upsert_entity(ENTITY)
                raise ZeroDivisionError
        assert [item.name async for item in store.list_tables()] == ["Orders"]

    run(work)


def test_a_transaction_that_is_cancelled_while_it_waits_lets_others_write() -> None:
    async def work(store: aio.Store, table: aio.Table) -> None:
        async def wait() -> None:
            async with store.transaction():
                raise AssertionError("it was cancelled")

        async with store.transaction():
            waiting = asyncio.create_task(wait())
            await asyncio.sleep(0.02)
            waiting.cancel()
            with pytest.raises(asyncio.CancelledError):
                await waiting
        await table.create_entity(ENTITY)
        async with store.transaction():
            pass

    run(work)


def test_the_loop_goes_on_while_a_write_waits() -> None:
    async def work(store: aio.Store, table: aio.Table) -> None:
        async with store.transaction():
            write = asyncio.create_task(table.create_entity(ENTITY))
            count = asyncio.create_task(table.delete_entities(""))
            ticks = 0
            for _ in range(20):
                await asyncio.sleep(0.001)
                ticks += 1
            assert (ticks, write.done(), count.done()) == (20, False, False)
        await asyncio.gather(write, count)

    run(work)


def test_groups_and_batches_take_asynchronous_iterables() -> None:
    async def work(store: aio.Store, table: aio.Table) -> None:
        async def operations() -> AsyncIterator[Any]:
            for n in range(3):
                yield "create", {"PartitionKey": "p", "RowKey": str(n)}

        assert len(await table.submit_transaction(operations())) == 3
        assert await table.submit_transaction([]) == []
        assert len(await store.submit_batch([(table, "delete", {"PartitionKey": "p", "RowKey": "0"})])) == 1
        with pytest.raises(TypeError):
            await table.submit_transaction(5)  # type: ignore[arg-type]

    run(work)


def test_the_rest(tmp_path: Path) -> None:
    async def work(store: aio.Store, table: aio.Table) -> None:
        assert (
            await aio.load(table, ({"PartitionKey": "p", "RowKey": str(n), "N": n} for n in range(10)), chunk=3) == 10
        )
        await table.create_index("ByN", "N")
        assert [info.name for info in await table.list_indexes()] == ["ByN"]
        assert (await table.explain("N eq 5")).rows_returned == 1
        async with await store.snapshot() as snapshot:
            assert await table.delete_entities("N lt 5") == 5
            assert (await table.at(snapshot).count(), await table.count()) == (10, 5)
            assert [item.name for item in await snapshot.list_tables()] == ["Orders"]
        await store.sync()
        copied = await store.backup(tmp_path / "copy.ent")
        assert copied.records > 5
        assert (await aio.verify(tmp_path / "copy.ent")).is_clean

    run(work)


def test_a_closed_store_says_so() -> None:
    async def main() -> None:
        store = aio.Store(":memory:")
        table = await store.create_table("Orders")
        await store.close()
        await store.close()
        for call in (table.create_entity(ENTITY), table.count(), table.get_entity("p", "r"), store.sync()):
            with pytest.raises(entable.StoreClosedError):
                await call

    asyncio.run(main())


def test_a_loop_that_is_gone_is_not_missed(tmp_path: Path) -> None:
    """The write of a task that its loop has left behind is done whole, or not at all, and nobody crashes."""
    with entable.Store(tmp_path / "orders.ent") as plain:
        plain.create_table("Orders")
        store = aio.Store(tmp_path / "orders.ent")
        table = store.get_table_client("Orders")

        async def leave() -> None:
            task = asyncio.ensure_future(table.create_entity(ENTITY))
            await asyncio.sleep(0)
            task.cancel()

        begun, end = threading.Event(), threading.Event()

        def hold() -> None:
            with plain.transaction():
                begun.set()
                end.wait(20)

        thread = threading.Thread(target=hold)
        thread.start()
        begun.wait(20)
        asyncio.run(leave())
        end.set()
        thread.join()
        assert plain.get_table_client("Orders").count() in (0, 1)
        asyncio.run(store.close())
