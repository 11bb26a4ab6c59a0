"""Export and import by the path of a file, and the writes that the service lacks in their asynchronous form."""

from __future__ import annotations

import asyncio
import math
import uuid
from pathlib import Path
from typing import Any

import entable
import pytest
from entable import aio

ROWS = 2_500


def filled() -> entable.Store:
    store = entable.Store(":memory:", mode="extended")
    store.submit_batch(
        (store.create_table_if_not_exists("Many"), "create", {"PartitionKey": "p", "RowKey": f"{n:05}", "N": n})
        for n in range(ROWS)
    )
    store.create_table("Values").create_entity(
        {
            "PartitionKey": "p",
            "RowKey": "r",
            "Nan": math.nan,
            "Zero": -0.0,
            "Big": entable.Int64(2**53 + 1),
            "Id": uuid.UUID(int=1),
        }
    )
    return store


def content(store: entable.Store) -> list[str]:
    entities = (
        entity for table in store.list_tables() for entity in store.get_table_client(table.name).list_entities()
    )
    return [f"{dict(entity)!r} {entity.metadata!r}" for entity in entities]


def test_what_goes_out_comes_back_with_its_versions(tmp_path: Path) -> None:
    path = tmp_path / "all.jsonl"
    with filled() as store, entable.Store(":memory:", mode="extended") as other:
        exported = store.export(path, versions=True)
        assert (exported.entities, exported.bytes, exported.position) == (ROWS + 1, path.stat().st_size, None)
        imported = other.import_entities(path, versions=True)
        assert (imported.entities, imported.skipped) == (ROWS + 1, 0)
        assert content(other) == content(store)
        with pytest.raises(entable.ResourceExistsError):
            store.export(path)
        with pytest.raises(entable.ResourceExistsError) as raised:
            other.import_entities(path)
        assert (raised.value.line, raised.value.loaded_line) == (3, 0)
        assert other.import_entities(path, existing="skip").skipped == ROWS + 1


def test_both_are_stopped_and_go_on(tmp_path: Path) -> None:
    path = tmp_path / "parts.jsonl"
    with filled() as store, entable.Store(":memory:", mode="extended") as other:
        exported, parts = store.export(path, versions=True, progress=lambda done: False), 1
        while exported.position is not None:
            exported = store.export(path, versions=True, position=exported.position, progress=lambda done: False)
            parts += 1
        assert parts == 4, "three pages of one table, one of the other"
        line, lines = 0, len(path.read_text(encoding="utf-8").splitlines())
        while line < lines:
            imported = other.import_entities(path, versions=True, after_line=line, progress=lambda done: False)
            assert imported.line > line
            line = imported.line
        assert content(other) == content(store)

        def give_up(done: object) -> None:
            raise KeyError(done)

        with pytest.raises(KeyError):
            store.export(tmp_path / "other.jsonl", progress=give_up)


def test_a_bad_line_is_told(tmp_path: Path) -> None:
    path = tmp_path / "bad.jsonl"
    with filled() as store, entable.Store(":memory:") as other:
        store.export(path, tables=["Values"])
        path.write_text(path.read_text() + '{"PartitionKey": "p", "RowKey": "s", "A": []}\n')
        with pytest.raises(entable.InvalidInputError, match=r"^line 4: ") as raised:
            other.import_entities(path)
        assert (raised.value.line, raised.value.loaded_line, raised.value.property) == (4, 0, "A")
        with pytest.raises(ValueError, match="existing"):
            other.import_entities(path, existing="none")  # type: ignore[arg-type]


def test_what_the_cloud_would_refuse_is_listed() -> None:
    with filled() as store:
        assert store.check_export() == []
        store.get_table_client("Values").create_entity({"PartitionKey": "a/b", "RowKey": "r", "S": "x" * 40_000})
        (refused,) = store.check_export(tables=["Values"])
        assert (refused.table, refused.partition_key, refused.row_key) == ("Values", "a/b", "r")
        reasons = [(reason.error_code, reason.property) for reason in refused.reasons]
        assert reasons == [("OutOfRangeInput", "PartitionKey"), ("PropertyValueTooLarge", "S")]


def test_writes_of_its_own_are_awaited(tmp_path: Path) -> None:
    async def run() -> None:
        async with aio.Store(":memory:") as store:
            stock = await store.create_table("Stock")
            entity, created = await stock.create_or_get_entity(
                {"PartitionKey": "p", "RowKey": "r", "Left": 1, "Note": "x"}
            )
            assert created
            assert entity["Left"] == 1
            assert not (await stock.create_or_get_entity({"PartitionKey": "p", "RowKey": "r"}))[1]
            sale = {"PartitionKey": "p", "RowKey": "r", "Left": entable.Add(-1), "Note": entable.Remove()}
            in_stock: dict[str, Any] = {"filter": "Left ge @n", "parameters": {"n": 1}}
            await stock.update_entity(sale, **in_stock)
            with pytest.raises(entable.ResourceModifiedError, match="Left ge 1"):
                await stock.update_entity(sale, **in_stock)
            await stock.move_entity("p", "r", "q", "r", filter="Left eq 0")
            assert dict(await stock.get_entity("q", "r")) == {"PartitionKey": "q", "RowKey": "r", "Left": 0}
            await stock.delete_entity("q", "r", filter="Left eq 0")
            assert not await stock.exists("q", "r")
            assert await store.check_export() == []
            assert (await store.export(tmp_path / "a.jsonl")).entities == 0
            assert (await store.import_entities(tmp_path / "a.jsonl")).line == 2

    asyncio.run(run())


def test_a_write_has_one_condition() -> None:
    with entable.Store(":memory:") as store:
        table = store.create_table("Things")
        table.create_entity({"PartitionKey": "p", "RowKey": "r"})
        with pytest.raises(ValueError, match="one condition"):
            table.delete_entity("p", "r", filter="A eq 1", match_condition=entable.MatchConditions.IfPresent)
        with pytest.raises(TypeError, match="number"):
            table.update_entity({"PartitionKey": "p", "RowKey": "r", "A": entable.Add("1")})
        with pytest.raises(TypeError, match="to"):
            table.submit_transaction([("move", {"PartitionKey": "p", "RowKey": "r"})])
