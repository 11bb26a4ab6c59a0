"""Nobody waits for himself, and nobody waits for the store while others wait for him.

Where it fails it hangs: so most of it runs in processes of its own, which have an end.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from datetime import datetime, timezone
from pathlib import Path

import entable
import pytest
from entable import Store

SETUP = """
import faulthandler, sys, threading, time, entable
from datetime import datetime, timezone
faulthandler.dump_traceback_later(30, exit=True)
is_over = False
def in_threads(*works):
    def run(work):
        while not is_over:
            work()
    threads = [threading.Thread(target=run, args=(work,)) for work in works]
    for thread in threads:
        thread.start()
    return threads
"""

# A compaction waits for readers and writers, they wait for it; each needs the lock of the interpreter now and then.
PROGRAMS = {
    "a compaction that tells how far it is, and readers": """
store = entable.Store(sys.argv[1])
table = store.create_table("Rows1")
entable.load(table, ({"PartitionKey": "p", "RowKey": str(n), "T": "x" * 500} for n in range(20_000)))
def read():
    table.get_entity("p", "1")
    table.exists("p", "2")
    list(table.list_entities(limit=2))
threads = in_threads(read, read, read)
told = []
for _ in range(10):
    store.compact(progress=lambda *at: (told.append(at), time.sleep(0.001)))
assert told
""",
    "a compaction, a clock of the program's, and writers": """
store = entable.Store(sys.argv[1], clock=lambda: (time.sleep(0), datetime.now(timezone.utc))[1])
table = store.create_table("Rows1")
def write():
    table.upsert_entity({"PartitionKey": "p", "RowKey": "1"})
    table.get_entity("p", "1")
    with store.transaction() as transaction:
        transaction.get_table_client("Rows1").upsert_entity({"PartitionKey": "q", "RowKey": "1"})
threads = in_threads(write, write, write)
for _ in range(20):
    store.compact(progress=lambda *at: None)
""",
    "a store that is closed amid writes with a clock of the program's": """
for number in range(20):
    store = entable.Store(sys.argv[1], clock=lambda: (time.sleep(0), datetime.now(timezone.utc))[1])
    table = store.create_table_if_not_exists("Rows1")
    def write(table=table):
        try:
            table.upsert_entity({"PartitionKey": "p", "RowKey": "1"})
            table.get_entity("p", "1")
        except entable.StoreClosedError:
            time.sleep(0.001)
    is_over = False
    threads = in_threads(write, write, write)
    time.sleep(0.005)
    store.close()
    is_over = True
    for thread in threads:
        thread.join()
""",
}
END = """
is_over = True
for thread in threads:
    thread.join()
"""


@pytest.mark.parametrize("name", PROGRAMS)
def test_nobody_waits_for_one_who_waits_for_him(name: str, tmp_path: Path) -> None:
    command = [sys.executable, "-c", SETUP + PROGRAMS[name] + END, str(tmp_path / "store")]
    ended = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    assert ended.returncode == 0, ended.stderr


def calls(store: Store) -> list[Callable[[], object]]:
    table = store.get_table_client("Rows1")
    begun, keys = table.list_entities(), table.partition_keys()
    return [
        lambda: table.get_entity("p", "1"),
        lambda: table.exists("p", "1"),
        lambda: next(begun),
        lambda: next(keys),
        lambda: table.count(),
        lambda: table.upsert_entity({"PartitionKey": "p", "RowKey": "2"}),
        lambda: store.submit_batch([("Rows1", "upsert", {"PartitionKey": "p", "RowKey": "2"})]),
        lambda: store.transaction().__enter__(),
        lambda: store.create_table("Rows2"),
        store.snapshot,
        store.stats,
        store.compact,
        store.sync,
        store.close,
    ]


def refused(todo: list[Callable[[], object]]) -> int:
    for call in todo:
        with pytest.raises(entable.StoreBusyError, match="does not call it"):
            call()
    return len(todo)


def test_what_a_compaction_calls_does_not_call_the_store(tmp_path: Path) -> None:
    with Store(tmp_path / "store") as store, Store(":memory:") as other:
        table = store.create_table("Rows1")
        table.upsert_entity({"PartitionKey": "p", "RowKey": "1"})
        told, todo = [], calls(store)

        def progress(*_: int) -> None:
            told.append(refused(todo))
            assert list(other.list_tables()) == []

        store.compact(progress=progress)
        assert told
        assert next(table.list_entities()) == {"PartitionKey": "p", "RowKey": "1"}


def test_a_clock_does_not_call_the_store() -> None:
    told = []
    todo: list[Callable[[], object]] = []

    def clock() -> datetime:
        if todo:
            told.append(refused(todo))
        return datetime.now(timezone.utc)

    with Store(":memory:", clock=clock) as store:
        table = store.create_table("Rows1")
        table.upsert_entity({"PartitionKey": "p", "RowKey": "1"})
        todo = calls(store)
        table.upsert_entity({"PartitionKey": "p", "RowKey": "1"})
        assert told
        todo = []
        assert table.count() == 1


def test_what_a_backup_calls_may_call_the_store(tmp_path: Path) -> None:
    with Store(tmp_path / "store") as store:
        table = store.create_table("Rows1")
        told = []

        def progress(*at: int) -> None:
            told.append(at)
            table.upsert_entity({"PartitionKey": "p", "RowKey": "1"})

        store.backup(tmp_path / "copy", progress=progress)
        assert told
        assert table.count() == 1
