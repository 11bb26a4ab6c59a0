"""What comes back to an answer in the midst of its own reading is refused, and never waits for itself; and what is
raised in code of the caller's comes through, wherever that runs."""

from __future__ import annotations

import contextlib
import enum
import gc
import os
import signal
import sys
import threading
import uuid
from collections.abc import Callable, Iterator
from datetime import datetime, timedelta, tzinfo
from pathlib import Path
from typing import Any

import entable
import pytest
from entable import Store, Table

ENTITY = {"PartitionKey": "p", "RowKey": "r", "A": 1}
ROWS = 300


@pytest.fixture
def table(store: Store) -> Table:
    table = store.create_table("Rows1")
    entable.load(table, ({"PartitionKey": f"{number:03}", "RowKey": ""} for number in range(ROWS)))
    return table


READERS: list[Callable[[Table], Iterator[Any]]] = [
    lambda table: table.list_entities(results_per_page=1),
    lambda table: table.list_entities(results_per_page=1).by_page(),
    lambda table: table.partition_keys(),
]


@pytest.mark.parametrize("reader", READERS)
def test_a_signal_whose_handler_reads_the_same(table: Table, reader: Callable[[Table], Iterator[Any]]) -> None:
    answer, outcomes = reader(table), []

    def handler(*_: object) -> None:
        try:
            outcomes.append(next(answer, None) is not None)
        except entable.StoreBusyError:
            outcomes.append(False)

    before = signal.signal(signal.SIGALRM, handler)
    try:
        count = 0
        while True:
            # It is pending when the answer looks for signals, or has been seen before.
            signal.raise_signal(signal.SIGALRM)
            if next(answer, None) is None:
                break
            count += 1
    finally:
        signal.signal(signal.SIGALRM, before)
    assert outcomes and count + sum(outcomes) == ROWS


def test_a_function_that_traces_and_reads_the_same(table: Table) -> None:
    answer, refused = table.list_entities(results_per_page=1), []

    def trace(*_: object) -> Any:
        sys.settrace(None)
        try:
            next(answer, None)
        except entable.StoreBusyError as error:
            refused.append(error.error_code)
        sys.settrace(trace)
        return trace

    # What is told of each call of Python's own while a page is read comes in its midst.
    sys.settrace(trace)
    try:
        for _ in answer:
            pass
    finally:
        sys.settrace(None)
    assert set(refused) == {"StoreBusy"}


def test_a_finalizer_that_reads_the_same(table: Table) -> None:
    # Making the error of a filter makes many objects, and so collects garbage.
    answer = table.query_entities("A eq")

    class Late:
        def __init__(self) -> None:
            self.me = self

        def __del__(self) -> None:
            for _ in range(2):
                with contextlib.suppress(entable.EntableError):
                    next(answer)

    thresholds = gc.get_threshold()
    gc.set_threshold(1)
    try:
        for _ in range(200):
            Late()
            with pytest.raises((entable.InvalidInputError, entable.StoreBusyError)):
                next(answer)
    finally:
        gc.set_threshold(*thresholds)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")
def test_a_fork_while_another_thread_reads(tmp_path: Path) -> None:
    with Store(tmp_path / "store.ent", mode="extended") as store:
        table = store.create_table("Texts")
        rows = ({"PartitionKey": "p", "RowKey": f"{n:06}", "Text": "Straße " * 4_000} for n in range(1_000))
        entable.load(table, rows, chunk=500)
        answer = table.query_entities("tolower(Text) eq 'none'")
        begun = threading.Event()

        def read() -> None:
            begun.set()
            assert list(answer) == []

        # It takes the turn before it lets go of the interpreter's lock, and needs a while for its one page.
        thread = threading.Thread(target=read)
        thread.start()
        begun.wait()
        while thread.is_alive():
            try:
                child = os.fork()
                if child == 0:
                    signal.alarm(30)
                    code = 5
                    try:
                        next(answer, None)
                        code = 0
                    except entable.StoreForkedError:
                        code = 0 if table.count() == 1_000 else 6
                    finally:
                        os._exit(code)
                assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
                break
            finally:
                thread.join()


def test_an_addition_of_an_addition(table: Table) -> None:
    deep = endless = entable.Add(1)
    for _ in range(100_000):
        deep = entable.Add(deep)
    endless.value = endless
    for added in (deep, endless, entable.Add(entable.Remove())):
        with pytest.raises(TypeError, match="only a number can be added"):
            table.upsert_entity({**ENTITY, "A": added})


class Own(BaseException):
    """As Ctrl-C is, it is no error of the value that is looked at."""


def harm(*_: Any, **__: Any) -> Any:
    raise Own


class Zone(tzinfo):
    tzname = dst = harm

    def utcoffset(self, _: datetime | None) -> timedelta:
        raise Own


class Iterable:
    __iter__ = harm


class Names:
    """A sequence whose members cannot be had."""

    def __iter__(self) -> Iterator[str]:
        yield "A"
        raise Own


Guid: Any = type("Guid", (uuid.UUID,), {"bytes": property(harm)})
Ticks: Any = type("Ticks", (entable.DateTime,), {"ticks": property(harm)})
Text: Any = type("Text", (datetime,), {"tables_service_value": property(harm)})
Condition: Any = type("Condition", (), {"name": property(harm)})
Versioned: Any = type("Versioned", (dict,), {"metadata": property(harm)})
Member: Any = enum.Enum("Member", {"ONE": 1, "__str__": harm})

CALLS: list[Callable[[Any], Any]] = [
    lambda table: table.upsert_entity({**ENTITY, "X": datetime(2026, 1, 1, tzinfo=Zone())}),
    lambda table: table.upsert_entity({**ENTITY, "X": Guid(int=1)}),
    lambda table: table.upsert_entity({**ENTITY, "X": Ticks(2026, 1, 1)}),
    lambda table: table.upsert_entity({**ENTITY, "X": Text(2026, 1, 1)}),
    lambda table: table.upsert_entity({**ENTITY, "X": Member.ONE}),
    lambda table: table.update_entity(ENTITY, etag="x", match_condition=Condition()),
    lambda table: table.update_entity(Versioned(ENTITY), match_condition=entable.MatchConditions.IfNotModified),
    lambda table: table.submit_transaction(Iterable()),
    lambda table: table.create_index("ByA", Iterable()),
    lambda table: table.create_index("ByA", Names()),
    lambda table: table.get_many(Iterable()),
    lambda table: entable.load(table, Iterable()),
    lambda table: entable.patterns.IndexTable.full("Rows1", "Rows2", Iterable()),
    lambda table: entable.entity_to_json(Versioned(ENTITY)),
]


@pytest.mark.parametrize("number", range(len(CALLS)))
def test_what_is_raised_in_code_of_the_callers_comes_through(table: Table, number: int) -> None:
    with pytest.raises(Own):
        CALLS[number](table)
    assert not table.exists("p", "r")
