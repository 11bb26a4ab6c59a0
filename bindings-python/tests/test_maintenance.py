"""Copies, looking through a file, what a store says of itself, and the options of opening."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

import entable
import pytest
from entable import Store, keys

ENTITY = {"PartitionKey": "p", "RowKey": "r", "A": 1}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "orders.ent"


@pytest.fixture
def store(path: Path) -> Iterator[Store]:
    with Store(path) as store:
        table = store.create_table("Orders")
        table.create_entity(ENTITY)
        yield store


def test_a_backup_is_a_store(store: Store, tmp_path: Path) -> None:
    told: list[tuple[int, int]] = []
    copied = store.backup(tmp_path / "monday.ent", progress=lambda *at: told.append(at))
    assert (copied.records, told[-1][0]) == (told[-1][1], copied.records)
    store.get_table_client("Orders").delete_entity("p", "r")
    with Store(str(tmp_path / "monday.ent"), must_exist=True) as copy:
        assert copy.get_table_client("Orders").get_entity("p", "r") == ENTITY
    with pytest.raises(entable.ResourceExistsError) as error:
        store.backup(tmp_path / "monday.ent")
    assert error.value.error_code == "FileExists"


def test_what_a_progress_raises_comes_through(store: Store, tmp_path: Path) -> None:
    def stop(_done: int, _all: int) -> None:
        raise InterruptedError("enough")

    with pytest.raises(InterruptedError, match="enough"):
        store.backup(tmp_path / "monday.ent", progress=stop)
    with pytest.raises(InterruptedError, match="enough"):
        store.compact(progress=stop)
    with pytest.raises(InterruptedError, match="enough"):
        entable.verify(store.path, progress=stop)
    assert {file.name for file in tmp_path.iterdir()} == {"orders.ent", "orders.ent-lock"}
    with pytest.raises(TypeError):
        store.compact(progress=5)  # type: ignore[arg-type]
    assert store.get_table_client("Orders").count() == 1


def test_compaction(store: Store, path: Path, tmp_path: Path) -> None:
    table = store.create_table("Large")
    for n in range(100):
        table.create_entity({"PartitionKey": "p", "RowKey": str(n), "B": bytes(20_000)})
    table.delete_table()
    copied = store.compact_into(tmp_path / "small.ent")
    assert copied.bytes_after < copied.bytes_before
    assert store.compact().bytes_after == path.stat().st_size < copied.bytes_before
    assert store.get_table_client("Orders").get_entity("p", "r") == ENTITY
    with store.snapshot(), pytest.raises(entable.StoreBusyError):
        store.compact()
    with Store(":memory:") as memory, pytest.raises(entable.InvalidInputError):
        memory.compact()


def test_verify(store: Store, path: Path) -> None:
    told: list[tuple[int, int]] = []
    report = entable.verify(path, progress=lambda *at: told.append(at))
    assert (report.is_clean, report.tables, report.entities, report.findings) == (True, 1, 1, [])
    assert told and "No damage" in str(report)
    store.close()
    damaged = bytearray(path.read_bytes())
    damaged[16 * 256 + 200 :] = bytes(len(damaged) - (16 * 256 + 200))
    path.write_bytes(damaged)
    report = entable.verify(path)
    assert not report.is_clean
    assert report.findings[0].is_damage and str(report.findings[0]) in str(report)
    with pytest.raises(entable.StoreDamagedError):
        Store(path, check=True)
    with pytest.raises(entable.EntableError):
        entable.verify(path.with_name("none.ent"))


def test_a_file_that_nobody_writes_needs_no_lock_file(store: Store, path: Path) -> None:
    store.close()
    path.with_name(path.name + "-lock").unlink()
    with Store(path, immutable=True) as fixed:
        table = fixed.get_table_client("Orders")
        assert table.get_entity("p", "r") == ENTITY
        with pytest.raises(entable.HttpResponseError) as error:
            table.upsert_entity(ENTITY)
        assert error.value.error_code == "StoreReadOnly"
    assert [file.name for file in path.parent.iterdir()] == [path.name]


def test_stats(store: Store) -> None:
    stats = store.stats()
    assert (stats.commits.samples, stats.databases["rows"].records) == (2, 1)
    assert 0 < stats.commits.p50 <= stats.commits.max < 60
    assert stats.file.bytes == stats.file.page_bytes * (stats.file.used_pages + stats.file.free_pages)
    assert "commits" in str(stats)
    with store.snapshot():
        assert len(store.stats().readers.held) == 1


def test_sync(store: Store) -> None:
    store.sync()
    store.close()
    with pytest.raises(entable.StoreClosedError):
        store.sync()


def test_a_clock_gives_the_time_of_writes(path: Path) -> None:
    at = datetime(2026, 12, 1, 12, tzinfo=timezone.utc)
    with Store(":memory:", clock=lambda: at) as store:
        table = store.create_table("Orders")
        assert table.create_entity(ENTITY)["date"] == at
        assert table.get_entity("p", "r").metadata["timestamp"] == at
    with pytest.raises(TypeError, match="clock"):
        Store(":memory:", clock=at)  # type: ignore[arg-type]


def test_a_quota_refuses_writes_and_lets_deletes_through(path: Path) -> None:
    with Store(path, max_size=1 << 20) as store:
        table = store.create_table("Logs")
        with pytest.raises(entable.EntableError) as error:
            for n in range(1_000):
                table.create_entity({"PartitionKey": "p", "RowKey": str(n), "Text": "x" * 10_000})
        assert error.value.error_code == "QuotaExceeded"
        table.delete_entities("")
        table.create_entity(ENTITY)


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.parametrize("wrong", [lambda: 5, lambda: 1 / 0, lambda: None])
def test_a_clock_that_fails_is_no_reason_for_a_write_to_fail(wrong: Any) -> None:
    with Store(":memory:", clock=wrong) as store:
        written = store.create_table("Orders").create_entity(ENTITY)
    assert abs((datetime.now(timezone.utc) - written["date"]).total_seconds()) < 60


def test_keys() -> None:
    key = keys.compose(["Redmond", "Smith", keys.integer(42)])
    assert keys.split(key) == ["Redmond", "Smith", "0000000000000000042"]
    assert key.startswith(keys.compose_prefix(["Redmond", "Smith"]))
    at = datetime(2026, 12, 1, 12, 34, 56, tzinfo=timezone.utc)
    back: list[tuple[Any, Any]] = [
        (keys.integer_from(keys.integer(-5)), -5),
        (keys.double_from(keys.double(-1.5)), -1.5),
        (keys.ticks_from(keys.ticks(at)), at),
        (keys.descending_ticks_from(keys.descending_ticks(at)), at),
        (keys.safe_from(keys.safe("a\\b")), "a\\b"),
        (keys.to_bytes(keys.from_bytes(b"\0\xff")), b"\0\xff"),
        (keys.text_from_base64(keys.base64_text("a/b")), "a/b"),
        (keys.padded(223, 6), "000223"),
        (keys.compact_date(at), "20261201123456"),
        (keys.prefix_range("Id_"), ("Id_", "Id`")),
        (keys.prefix_filter("RowKey", "empid_"), "RowKey ge 'empid_' and RowKey lt 'empid`'"),
        (keys.fold_case("Straße"), "strasse"),
    ]
    for found, expected in back:
        assert found == expected
    assert keys.integer(-10) < keys.integer(-9) < keys.integer(0)
    assert 0 <= keys.shard("customer 17", 16) < 16


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        (lambda: keys.compose([]), entable.InvalidInputError),
        (lambda: keys.compose("Redmond"), TypeError),
        (lambda: keys.compose([1]), TypeError),  # type: ignore[list-item]
        (lambda: keys.split("\0"), entable.InvalidInputError),
        (lambda: keys.double(float("nan")), entable.InvalidInputError),
        (lambda: keys.integer(2**63), OverflowError),
        (lambda: keys.padded(-1, 6), OverflowError),
        (lambda: keys.shard("a", 0), entable.InvalidInputError),
        (lambda: keys.ticks("today"), TypeError),  # type: ignore[arg-type]
        (lambda: keys.safe("x" * 2_000), entable.EntableError),
    ],
)
def test_wrong_keys_are_refused(call: Any, expected: type[Exception]) -> None:
    with pytest.raises(expected):
        call()


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no pipes with names")
def test_what_is_no_file_is_not_waited_for(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    calls: list[Callable[[], object]] = [
        lambda: entable.verify(pipe),
        lambda: Store(pipe),
        lambda: Store(pipe, check=True),
        lambda: Store(pipe, immutable=True, read_only=True),
    ]
    for call in calls:
        with pytest.raises(entable.StoreDamagedError) as error:
            call()
        assert error.value.error_code == "NotAStore"
