"""An interpreter may end at any moment, in any way: what was written is there, and nothing crashes on the way out."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import entable
import pytest
from entable import Store

SETUP = """
import asyncio, atexit, os, sys, threading, time, entable
from entable import aio
ROW = {"PartitionKey": "p", "RowKey": "1"}
store = entable.Store(sys.argv[1])
table = store.create_table("Rows1")
entable.load(table, ({"PartitionKey": "p", "RowKey": str(n)} for n in range(2000)))
items = table.list_entities()
next(items)
"""

ENDINGS = {
    "in the midst of an iteration": "sys.exit(3)",
    "in a transaction": """
with store.transaction() as transaction:
    transaction.create_table("Rows2")
    sys.exit(3)
""",
    "with threads that write": """
def write():
    for _ in range(10**6):
        table.upsert_entity(ROW)
for _ in range(4):
    threading.Thread(target=write, daemon=True).start()
time.sleep(0.1)
sys.exit(3)
""",
    "with a thread that reads": """
def read():
    for _ in range(10**6):
        list(table.list_entities())
threading.Thread(target=read, daemon=True).start()
time.sleep(0.1)
sys.exit(3)
""",
    "with a thread in a transaction": """
def write():
    with store.transaction() as transaction:
        transaction.create_table("Rows2")
        begun.set()
        time.sleep(60)
begun = threading.Event()
threading.Thread(target=write, daemon=True).start()
begun.wait()
sys.exit(3)
""",
    "from an exit handler": """
atexit.register(lambda: (table.upsert_entity(ROW), store.close()))
sys.exit(3)
""",
    "with a finalizer that writes": """
class Late:
    def __del__(self, table=table, row=ROW, store=store):
        table.upsert_entity(row)
        store.close()
sys.modules["late"] = Late()
sys.exit(3)
""",
    "with everything in a cycle": """
cycle = [store, table, items]
cycle.append(cycle)
del store, table, items, cycle
sys.exit(3)
""",
    "at once": "os._exit(3)",
    "by a signal": "os.kill(os.getpid(), 9)",
    "in a loop with writes under way": """
async def main():
    other = aio.Store(sys.argv[1] + "2")
    table = await other.create_table("Rows1")
    tasks = [asyncio.ensure_future(table.upsert_entity({**ROW, "RowKey": str(n)})) for n in range(500)]
    await asyncio.sleep(0)
    sys.exit(3)
asyncio.run(main())
""",
    "in a child of a fork": """
child = os.fork()
if child:
    sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
table.upsert_entity(ROW)
next(table.list_entities())
sys.exit(3)
""",
    "in a child of a fork from a transaction": """
def fork():
    with store.transaction() as transaction:
        transaction.create_table("Rows2")
        child = os.fork()
        if not child:
            try:
                transaction.create_table("Rows3")
            except entable.StoreForkedError:
                os._exit(3)
            os._exit(4)
        codes.append(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
codes = []
thread = threading.Thread(target=fork)
thread.start()
thread.join()
assert store.get_table_client("Rows2").count() == 0
sys.exit(codes[0])
""",
}


@pytest.mark.parametrize("name", ENDINGS)
def test_an_interpreter_that_ends(name: str, tmp_path: Path) -> None:
    path = str(tmp_path / "store")
    command = [sys.executable, "-X", "dev", "-W", "ignore", "-c", SETUP + ENDINGS[name], path]
    ended = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    assert ended.returncode == (-9 if name == "by a signal" else 3), ended.stderr
    assert "Fatal" not in ended.stderr and "panicked" not in ended.stderr
    with Store(path) as store:
        assert store.get_table_client("Rows1").count() == 2_000
    assert entable.verify(path).findings == []
