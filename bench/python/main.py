"""entable in Python beside py-lmdb, with msgpack and with bytes alone ("the floor"), sqlite3 and diskcache.

../README.md says how to run it, and what its figures mean.
"""

from __future__ import annotations

import argparse
import shutil
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import report
from employees import Ask, Row, city_of, employee, mix, partition_key, row_key
from measure import READ_MS, READ_US, WRITE_US, Clock, Sample, rounds
from peers import MAKE, Peer

HOME = Path(__file__).parents[1]
LAYOUTS = {"employee-100": 100, "employee-10000": 10_000}
LOAD_ROWS = 10_000
GROUP_ROWS = 100


class Run:
    """What one layout is measured by."""

    def __init__(self, options: argparse.Namespace, partitions: int, peers: list[Peer]) -> None:
        self.options, self.partitions, self.peers = options, partitions, peers
        self.natural_rows = min(options.rows, 20_000)
        self.samples: list[Sample] = []

    def rounds(
        self,
        op: str,
        clock: Clock,
        times: int,
        prepare: Callable[[Peer, int], Any],
        run: Callable[[Peer, Any], int | None],
    ) -> None:
        if self.options.ops and op not in self.options.ops.split(",") and op != "bulk load":
            return
        self.samples.append(rounds(self.peers, self.options.rounds, op, clock, times, prepare, run))

    def employees(self, numbers: range) -> list[Row]:
        return [employee(i, self.partitions) for i in numbers]

    def keys(self, count: int, below: int, salt: int) -> list[tuple[str, str]]:
        """Keys of rows that are there, in no order."""
        numbers = (mix(at, salt) % below for at in range(count))
        return [(partition_key(i, self.partitions), row_key(i)) for i in numbers]

    def load(self) -> None:
        """In the order of the rows' numbers, which is not that of their keys; 10,000 rows to a transaction."""
        each = self.options.rows // self.options.rounds

        def prepare(peer: Peer, number: int) -> list[Any]:
            first, last = number * each, (number + 1) * each
            batches = range(first, last, LOAD_ROWS)
            return [peer.loaded(self.employees(range(at, min(last, at + LOAD_ROWS)))) for at in batches]

        def run(peer: Peer, batches: list[Any]) -> int:
            for batch in batches:
                peer.load(batch)
            return 0

        self.rounds("bulk load", WRITE_US._replace(unit="us a row"), each, prepare, run)
        for peer in self.peers:
            peer.load_natural(self.employees(range(self.natural_rows)))

    def reads(self) -> None:
        rows, reads = self.options.rows // self.options.rounds * self.options.rounds, self.options.reads

        def get(peer: Peer, keys: list[tuple[str, str]]) -> int:
            return sum(peer.get(*key) is not None for key in keys)

        def get_natural(peer: Peer, keys: list[tuple[str, str]]) -> int:
            return sum(peer.get_natural(*key) is not None for key in keys)

        def read_range(peer: Peer, keys: list[tuple[str, str]]) -> int | None:
            met = 0
            for key in keys:
                found = peer.range(*key, 100)
                if found is None:
                    return None
                met += len(found)
            return met

        self.rounds("point read", READ_US, reads, lambda _, number: self.keys(reads, rows, 77 + number), get)
        below = self.natural_rows
        op = "point read with datetime and UUID"
        self.rounds(op, READ_US, reads, lambda _, number: self.keys(reads, below, 177 + number), get_natural)
        times = max(1, reads // 50)
        ranges = lambda _, number: self.keys(times, rows // 2, 99 + number)  # noqa: E731
        self.rounds("range of 100", READ_US, times, ranges, read_range)

    def scans(self) -> None:
        rare = Ask(city=city_of(200))
        times = max(1, min(self.options.rows, 40_000) // (self.options.rows // self.partitions))

        def scan_partitions(peer: Peer, number: int) -> int | None:
            met = 0
            for time in range(times):
                found = peer.scan(rare, partition_key(time * 7 + number, self.partitions))
                if found is None:
                    return None
                met += len(found)
            return met

        def scanned(ask: Ask) -> Callable[[Peer, Any], int | None]:
            def scan(peer: Peer, _: Any) -> int | None:
                found = peer.scan(ask)
                return None if found is None else len(found)

            return scan

        self.rounds("partition scan City eq", READ_US, times, lambda _, number: number, scan_partitions)
        asks = {
            "table scan City eq": rare,
            "table scan 3 terms": Ask(city=city_of(1), is_old=True, is_inactive=True),
            "numeric scan Age gt 60": Ask(is_old=True),
        }
        for op, ask in asks.items():
            self.rounds(op, READ_MS, 1, lambda *_: None, scanned(ask))
        self.rounds("count", READ_MS, 1, lambda *_: None, lambda peer, _: peer.count())

    def writes(self) -> None:
        writes, rows = self.options.writes, self.options.rows

        def insert(peer: Peer, all_: list[Row]) -> int:
            for row in all_:
                peer.insert(row)
            return 0

        def inserted(base: int, count: int) -> Callable[[Peer, int], list[Row]]:
            return lambda _, number: self.employees(range(base + number * count, base + (number + 1) * count))

        def load_all(peer: Peer, groups: list[Any]) -> int:
            for group in groups:
                peer.load(group)
            return 0

        def grouped(peer: Peer, number: int) -> list[Any]:
            made = []
            for group in range(number * groups, (number + 1) * groups):
                all_ = self.employees(range(rows + group * GROUP_ROWS, rows + (group + 1) * GROUP_ROWS))
                partition = partition_key(group * 13, self.partitions)
                made.append(peer.loaded([{**row, "PartitionKey": partition} for row in all_]))
            return made

        def removed(_: Peer, number: int) -> list[tuple[str, str]]:
            numbers = (at * 13 % rows for at in range(number * writes, (number + 1) * writes))
            return [(partition_key(i, self.partitions), row_key(i)) for i in numbers]

        def remove(peer: Peer, keys: list[tuple[str, str]]) -> int:
            for key in keys:
                peer.remove(*key)
            return 0

        self.rounds("durable insert", WRITE_US, writes, inserted(50_000_000, writes), insert)
        groups = max(1, writes // 6)
        self.rounds("durable group of 100", WRITE_US, groups, grouped, load_all)
        self.rounds("durable delete", WRITE_US, writes, removed, remove)
        per_insert = WRITE_US._replace(unit="us an insert")
        for at, callers in enumerate((8, 64)):
            count = max(4, writes * 2 // callers) * callers
            in_threads, in_tasks = inserted((at + 6) * 10_000_000, count), inserted((at + 8) * 10_000_000, count)
            self.rounds(f"durable insert of {callers} threads", per_insert, count, in_threads, threads(callers))
            run = tasks(callers)
            self.rounds(f"durable insert of {callers} tasks", per_insert, count, in_tasks, run)


def threads(callers: int) -> Callable[[Peer, list[Row]], int]:
    """A thread for each caller, which waits for its own inserts."""

    def run(peer: Peer, all_: list[Row]) -> int:
        def caller(own: list[Row]) -> None:
            for row in own:
                peer.insert(row)

        begun = [threading.Thread(target=caller, args=(all_[at::callers],)) for at in range(callers)]
        for thread in begun:
            thread.start()
        for thread in begun:
            thread.join()
        return 0

    return run


def tasks(callers: int) -> Callable[[Peer, list[Row]], int]:
    def run(peer: Peer, all_: list[Row]) -> int:
        peer.insert_in_tasks(all_, callers)
        return 0

    return run


def measured(options: argparse.Namespace, layout: str) -> list[Sample]:
    shutil.rmtree(options.dir, ignore_errors=True)
    peers: list[Peer] = []
    for name in options.peers.split(","):
        folder = options.dir / name
        folder.mkdir(parents=True)
        peers.append(MAKE[name](folder))
    run = Run(options, LAYOUTS[layout], peers)
    run.load()
    run.reads()
    run.scans()
    run.writes()
    for peer in peers:
        peer.close()
    shutil.rmtree(options.dir, ignore_errors=True)
    return run.samples


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="20,000 rows; writes no results")
    parser.add_argument("--layouts", help="of " + ", ".join(LAYOUTS))
    parser.add_argument("--ops", help="operations by their names in the table")
    parser.add_argument("--peers", default=",".join(MAKE))
    for name in ("rows", "rounds", "reads", "writes"):
        parser.add_argument(f"--{name}", type=int)
    parser.add_argument("--dir", type=Path, default=HOME / "target" / "bench-data" / "python")
    parser.add_argument("--no-results", action="store_true")
    options = parser.parse_args()
    sizes = (20_000, 3, 5_000, 30) if options.quick else (200_000, 5, 20_000, 240)
    for name, size in zip(("rows", "rounds", "reads", "writes"), sizes, strict=True):
        if getattr(options, name) is None:
            setattr(options, name, size)
    goals = report.goals_of(HOME / "goals.json")
    chosen = options.layouts.split(",") if options.layouts else list(LAYOUTS)[: 1 if options.quick else None]
    lines: list[report.Line] = []
    for layout in chosen:
        lines += report.lines_of(layout, measured(options, layout), goals)
        # A smaller run has no results to be kept.
        if not (options.quick or options.ops or options.no_results):
            report.write(HOME / "results.json", lines)
    report.show(lines)


if __name__ == "__main__":
    main()
