"""Ctrl-C stops a long read in the midst of a page, and the store goes on."""

from __future__ import annotations

import contextlib
import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import entable
import pytest
from entable import Store, Table

# No row matches; folding the case of all of them takes seconds.
SLOW = "tolower(Text) eq 'none'"
ROWS = 2_500


@pytest.fixture(scope="module")
def table() -> Iterator[Table]:
    with Store(":memory:", mode="extended") as store:
        table = store.create_table("Texts")
        text = "Straße " * 4_000
        rows = ({"PartitionKey": "p", "RowKey": f"{number:06}", "Text": text} for number in range(ROWS))
        assert entable.load(table, rows, chunk=500) == ROWS
        yield table


@pytest.fixture(autouse=True)
def ctrl_c() -> Iterator[None]:
    """Python's own answer to SIGINT, which it does not take up where a shell has put the run into the background."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def interrupted(call: Callable[[], object]) -> float:
    """How long a call goes on after Ctrl-C."""
    pressed = []

    def press() -> None:
        pressed.append(time.monotonic())
        os.kill(os.getpid(), signal.SIGINT)

    timer = threading.Timer(0.4, press)
    timer.start()
    try:
        with pytest.raises(KeyboardInterrupt):
            call()
        return time.monotonic() - pressed[0]
    finally:
        timer.cancel()
        timer.join()


def calls(table: Table) -> list[Callable[[], object]]:
    return [
        lambda: list(table.query_entities(SLOW)),
        lambda: [list(page) for page in table.query_entities(SLOW, results_per_page=5).by_page()],
        lambda: table.count(SLOW),
        lambda: table.explain(SLOW),
    ]


@pytest.mark.parametrize("number", range(4))
def test_a_long_read_is_given_up(table: Table, number: int) -> None:
    assert interrupted(calls(table)[number]) < 1
    assert table.get_entity("p", "000001", select=["RowKey"]) == {"RowKey": "000001"}
    # Nothing of it is left over: a write, and another read.
    table.upsert_entity({"PartitionKey": "q", "RowKey": "1"})
    assert table.count("PartitionKey eq 'q'") == 1


@pytest.mark.parametrize("chunk", [None, 100])
def test_a_deletion_is_given_up_and_nothing_is_done(table: Table, chunk: int | None) -> None:
    # Those that match come last: who looks for them is interrupted before.
    slow = f"PartitionKey eq 'p' and ({SLOW} or RowKey gt '002490')"
    assert interrupted(lambda: table.delete_entities(slow, chunk=chunk)) < 1
    assert table.count("PartitionKey eq 'p'") == ROWS


def pressed_in(call: Callable[[], object]) -> None:
    """Ctrl-C as soon as the call lets go of the interpreter's lock."""
    begun, pressed = threading.Event(), threading.Event()

    def press() -> None:
        begun.wait()
        os.kill(os.getpid(), signal.SIGINT)
        pressed.set()

    thread = threading.Thread(target=press)
    thread.start()
    try:
        with pytest.raises(KeyboardInterrupt):
            begun.set()
            call()
            # Where the call was through before the other thread had its turn, the test fails, and not a later one.
            pressed.wait()
            pytest.fail("the call went on to its end")
    finally:
        thread.join()


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    with Store(tmp_path_factory.mktemp("interrupt") / "store.ent") as store:
        table = store.create_table("Rows1")
        rows = ({"PartitionKey": "p", "RowKey": f"{n:06}", "A": n, "B": "x" * 50} for n in range(150_000))
        entable.load(table, rows, chunk=10_000)
        yield store


@pytest.mark.parametrize("verb", ["backup", "compact_into", "compact", "verify"])
def test_a_copy_is_given_up_and_leaves_nothing_behind(file: Store, verb: str) -> None:
    path = Path(file.path)
    target, before = path.parent / "copy.ent", sorted(path.parent.iterdir())
    calls: dict[str, Callable[[], object]] = {
        "backup": lambda: file.backup(target),
        "compact_into": lambda: file.compact_into(target),
        "compact": file.compact,
        "verify": lambda: entable.verify(path),
    }
    pressed_in(calls[verb])
    assert sorted(path.parent.iterdir()) == before
    table = file.get_table_client("Rows1")
    table.upsert_entity({"PartitionKey": "q", "RowKey": verb})
    assert table.count() == 150_000 + table.count("PartitionKey eq 'q'")
    calls[verb]()
    target.unlink(missing_ok=True)


@pytest.mark.parametrize("may_exist", [False, True])
def test_the_building_of_an_index_is_given_up(file: Store, may_exist: bool) -> None:
    table = file.get_table_client("Rows1")
    create = table.create_index_if_not_exists if may_exist else table.create_index
    pressed_in(lambda: create("ByA", ["A"], unique=True))
    assert table.list_indexes() == []
    table.upsert_entity({"PartitionKey": "q", "RowKey": "in between", "A": -1})
    create("ByA", ["A"], unique=True)
    assert [index.state for index in table.list_indexes()] == ["ready"]
    assert [row["RowKey"] for row in table.query_entities("A eq -1")] == ["in between"]
    table.drop_index("ByA")


def test_an_export_and_an_import_are_given_up_between_their_steps(file: Store, tmp_path: Path) -> None:
    pressed_in(lambda: file.export(tmp_path / "part.jsonl"))
    exported = file.export(tmp_path / "all.jsonl")
    with Store(tmp_path / "other.ent") as other:
        pressed_in(lambda: other.import_entities(tmp_path / "all.jsonl"))
        loaded = other.get_table_client("Rows1").count()
        assert loaded % 1_000 == 0 and loaded < 150_000
        other.import_entities(tmp_path / "all.jsonl", existing="skip")
        assert other.get_table_client("Rows1").count() == exported.entities == file.get_table_client("Rows1").count()


def test_a_handler_may_close_the_store_in_the_midst_of_a_copy(tmp_path: Path) -> None:
    """What a signal's handler calls is refused, or done behind the call; nothing waits for itself."""
    verbs: list[Callable[[Store], object]] = [
        lambda store: store.backup(tmp_path / "copy.ent"),
        lambda store: store.compact(),
        lambda store: store.get_table_client("Rows1").create_index("ByA", ["A"], unique=True),
    ]
    for number, verb in enumerate(verbs):
        with Store(tmp_path / f"{number}.ent") as store:
            rows = ({"PartitionKey": "p", "RowKey": f"{n:06}", "A": n} for n in range(50_000))
            entable.load(store.create_table("Rows1"), rows, chunk=10_000)
            before = signal.signal(signal.SIGALRM, lambda *_, store=store: store.close())
            try:
                signal.setitimer(signal.ITIMER_REAL, 0.002)
                with contextlib.suppress(entable.StoreClosedError, entable.StoreBusyError):
                    verb(store)
            finally:
                signal.setitimer(signal.ITIMER_REAL, 0)
                signal.signal(signal.SIGALRM, before)
        assert entable.verify(tmp_path / f"{number}.ent").is_clean


def test_a_deletion_beside_an_open_transaction_is_refused(table: Table) -> None:
    store = Store(":memory:")
    other = store.create_table("Rows1")
    with store.transaction(), pytest.raises(entable.EntableError) as raised:
        other.delete_entities(None)
    assert raised.value.error_code == "TransactionOpen"
    assert other.delete_entities(None) == 0
    store.close()


def test_the_making_of_a_large_batch_is_given_up(table: Table) -> None:
    entities = [{"PartitionKey": "z", "RowKey": str(number)} for number in range(2_000)]
    with Store(":memory:") as store:
        made = store.create_table("Rows1")
        operations = [("Rows1", "upsert", entity) for entity in entities] * 500
        assert interrupted(lambda: store.submit_batch(operations)) < 10
        # Where the key comes too late, on a machine that is busy elsewhere, the batch is done: as a whole, too.
        assert made.count() in (0, len(entities))


def test_whoever_goes_on_misses_nothing(table: Table) -> None:
    found = table.query_entities(f"RowKey lt '000003' or RowKey gt '002490' or {SLOW}", select=["RowKey"], limit=7)
    items: list[str] = []
    assert interrupted(lambda: items.extend(item["RowKey"] for item in found)) < 1
    assert items == []
    items.extend(item["RowKey"] for item in found)
    assert items == ["000000", "000001", "000002", "002491", "002492", "002493", "002494"]


def test_a_read_that_takes_long_gives_the_same(table: Table) -> None:
    assert table.count(f"not ({SLOW}) and PartitionKey eq 'p'") == ROWS


def test_other_signals_have_their_handlers_called(table: Table) -> None:
    seen = []
    before = signal.signal(signal.SIGALRM, lambda *_: seen.append(time.monotonic()))
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.4)
        assert table.count(SLOW) == 0
        assert len(seen) == 1 and seen[0] < time.monotonic() - 0.2
    finally:
        signal.signal(signal.SIGALRM, before)


def test_on_another_thread_it_runs_to_its_end(table: Table) -> None:
    counts: list[int] = []
    thread = threading.Thread(target=lambda: counts.append(table.count(SLOW)))
    thread.start()
    thread.join()
    assert counts == [0]


def test_a_signal_and_the_end_of_the_store_at_once() -> None:
    """The read holds the store, the handler closes it: the read ends with an error, or with all of its answer."""
    with Store(":memory:", mode="extended") as store:
        table = store.create_table("Texts")
        rows = ({"PartitionKey": "p", "RowKey": f"{n:06}", "Text": "Straße " * 4_000} for n in range(2_000))
        entable.load(table, rows, chunk=500)
        before = signal.signal(signal.SIGALRM, lambda *_: store.close())
        try:
            signal.setitimer(signal.ITIMER_REAL, 0.4)
            with contextlib.suppress(entable.StoreClosedError):
                assert table.count(SLOW) == 0
            with pytest.raises(entable.StoreClosedError):
                table.count(SLOW)
        finally:
            signal.signal(signal.SIGALRM, before)
