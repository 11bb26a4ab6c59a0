"""The process around a store: signals, the end of the interpreter, other interpreters, memory."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import entable
import pytest
from entable import Store


def python(code: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-X", "faulthandler", "-c", code, *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)


@pytest.mark.skipif(sys.platform == "win32", reason="signals are others there")
def test_ctrl_c_stops_a_long_answer() -> None:
    with Store(":memory:") as store:
        table = store.create_table("Large")
        entable.load(table, ({"PartitionKey": "p", "RowKey": str(n)} for n in range(50_000)))
        # By the system's clock: a thread that sends the signal may get its turn when the answer is over.
        handler = signal.signal(signal.SIGALRM, signal.default_int_handler)
        try:
            with pytest.raises(KeyboardInterrupt):
                signal.setitimer(signal.ITIMER_REAL, 0.02)
                # One call into C: nobody looks for signals but the answer itself.
                list(table.list_entities(results_per_page=1))
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, handler)
        assert table.count() == 50_000


ENDS = {
    "everything open": "",
    "a transaction open": "transaction = store.transaction(); transaction.__enter__()",
    "an answer half read": "items = table.list_entities(results_per_page=1); next(items)",
    "a snapshot open": "snapshot = store.snapshot(); then = table.at(snapshot)",
    "a cycle": "class A: pass\na = A(); a.a = a; a.store = store; a.items = table.list_entities()",
    "threads that write": """
import threading
def write():
    while True:
        table.upsert_entity({"PartitionKey": "p", "RowKey": "r"})
for _ in range(4):
    threading.Thread(target=write, daemon=True).start()
import time; time.sleep(0.05)
""",
    "tasks that write": """
import asyncio
from entable import aio
async def main():
    own = aio.Store(sys.argv[1])
    orders = own.get_table_client("Orders")
    for n in range(50):
        asyncio.ensure_future(orders.create_entity({"PartitionKey": "q", "RowKey": str(n)}))
    await asyncio.sleep(0)
asyncio.run(main())
""",
    "an exit in the midst": "import os\nwith store.transaction():\n    sys.exit(0)",
}


@pytest.mark.parametrize("end", ENDS)
def test_the_interpreter_ends_whatever_is_open(tmp_path: Path, end: str) -> None:
    code = f"""
import sys
import entable
store = entable.Store(sys.argv[1])
table = store.create_table("Orders")
for n in range(3):
    table.create_entity({{"PartitionKey": "p", "RowKey": str(n)}})
{ENDS[end]}
"""
    path = tmp_path / "orders.ent"
    ended = python(code, str(path))
    assert ended.returncode == 0, ended.stderr
    assert entable.verify(path).is_clean
    with Store(path) as store:
        assert store.get_table_client("Orders").count("RowKey lt '3'") >= 3


@pytest.mark.skipif(sys.version_info >= (3, 13), reason="they have another module there")
def test_another_interpreter_of_the_process_is_refused() -> None:
    ended = python(
        """
import entable
import _xxsubinterpreters as interpreters
other = interpreters.create()
try:
    interpreters.run_string(other, "import entable")
except interpreters.RunFailedError as error:
    print(error)
"""
    )
    assert (ended.returncode, "ImportError" in ended.stdout) == (0, True), (ended.stdout, ended.stderr)


def test_memory_stays_flat() -> None:
    resource = pytest.importorskip("resource")
    with Store(":memory:") as store:
        table = store.create_table("Orders")
        table.create_entity({"PartitionKey": "p", "RowKey": "r", "A": 1, "S": "text", "B": b"bytes"})

        def calls(count: int) -> None:
            for _ in range(count):
                table.get_entity("p", "r")
                table.exists("p", "q")
                for _entity in table.query_entities("A eq @a", parameters={"a": 1}):
                    pass

        # The long tier makes a million calls, three in each turn, of which the first tenth may still take memory.
        first, more = (34_000, 300_000) if "ENTABLE_LONG" in os.environ else (10_000, 30_000)
        calls(first)
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        calls(more)
        assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before <= 2 * 1024


STACKS = """
import datetime, entable, sys, threading, uuid
from pathlib import Path

folder = Path(sys.argv[1])
row = {"PartitionKey": "p", "RowKey": "r", "A": 1, "Id": uuid.uuid4(), "At": datetime.datetime.now()}


def work():
    with entable.Store(folder / "store.ent") as store:
        table = store.create_table("Rows1")
        table.upsert_entity(row)
        table.submit_transaction([("upsert", {**row, "RowKey": str(n)}) for n in range(100)])
        table.create_index("ByA", ["A"])
        list(table.query_entities("((A eq @a) and not (A eq 5)) or " * 20 + "A eq 2", parameters={"a": 1}))
        str(table.explain("A eq 1"))
        with store.transaction() as transaction:
            transaction.get_table_client("Rows1").delete_entity("p", "r")
        store.backup(folder / "copy.ent")
        store.export(folder / "rows.jsonl")
        store.compact()
        str(store.stats())
        table.delete_entities("A gt 0")
        store.import_entities(folder / "rows.jsonl")
    done.append(entable.verify(folder / "store.ent").entities)


done = []
threading.stack_size(65_536)
thread = threading.Thread(target=work)
thread.start()
thread.join()
print(done)
"""


def test_a_thread_with_a_small_stack_is_enough(tmp_path: Path) -> None:
    ended = python(STACKS, str(tmp_path))
    assert (ended.returncode, ended.stdout) == (0, "[100]\n"), ended.stderr


NO_THREADS = """
import entable, resource, threading

store = entable.Store(":memory:", mode="extended")
table = store.create_table("Texts")
rows = ({"PartitionKey": "p", "RowKey": str(n), "Text": "Straße " * 4_000} for n in range(2_000))
entable.load(table, rows, chunk=500)
used = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
# Less than a stack has.
resource.setrlimit(resource.RLIMIT_AS, (used + 1_000_000, resource.RLIM_INFINITY))
try:
    threading.Thread(target=print).start()
except RuntimeError:
    pass
print(table.count("tolower(Text) eq 'none'"), table.delete_entities("tolower(Text) eq 'none'"))
"""


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="it tells what memory there is")
def test_a_long_read_goes_on_where_there_can_be_no_more_threads() -> None:
    ended = python(NO_THREADS)
    assert (ended.returncode, ended.stdout) == (0, "0 0\n"), ended.stderr
