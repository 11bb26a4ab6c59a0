"""A server that opens its store first and forks its workers then, while its own threads write."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import entable
import pytest
from entable import Store

SERVER = """
import os, sys, threading
import entable

store = entable.Store(sys.argv[1])
table = store.create_table("Jobs")
table.create_entity({"PartitionKey": "p", "RowKey": "seen by all"})
is_over = False

def own_work():
    number = 0
    while not is_over:
        table.create_entity({"PartitionKey": "parent", "RowKey": f"{threading.get_ident()}-{number}"})
        number += 1

def work(worker):
    # The handles of the parent, as a preloaded module has them.
    assert table.get_entity("p", "seen by all")
    for number in range(20):
        table.create_entity({"PartitionKey": f"worker {worker}", "RowKey": str(number)})
    with store.transaction() as transaction:
        transaction.get_table_client("Jobs").create_entity({"PartitionKey": f"worker {worker}", "RowKey": "last"})
    return 0 if table.count(f"PartitionKey eq 'worker {worker}'") == 21 else 4

threads = [threading.Thread(target=own_work) for _ in range(2)]
for thread in threads:
    thread.start()
workers = []
for worker in range(6):
    child = os.fork()
    if not child:
        code = 5
        try:
            code = work(worker)
        finally:
            os._exit(code)
    workers.append(child)
codes = [os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child in workers]
is_over = True
for thread in threads:
    thread.join()
assert codes == [0] * 6, codes
"""


@pytest.mark.skipif(sys.platform == "win32", reason="nothing forks there")
def test_workers_of_a_preloading_server_open_the_store_afresh(tmp_path: Path) -> None:
    path = tmp_path / "jobs.ent"
    command = [sys.executable, "-X", "faulthandler", "-W", "ignore", "-c", SERVER, str(path)]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert ended.returncode == 0, ended.stderr
    with Store(path) as store:
        table = store.get_table_client("Jobs")
        assert [table.count(f"PartitionKey eq 'worker {worker}'") for worker in range(6)] == [21] * 6
    assert entable.verify(path).is_clean
