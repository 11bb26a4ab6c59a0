"""Objects that mean harm, everywhere: an exception is fine, a crash or a panic is not, and the store goes on."""

from __future__ import annotations

import asyncio
import enum
import gc
import itertools
import subprocess
import sys
import threading
import weakref
from collections.abc import Callable, Iterator
from datetime import date, datetime, timedelta, tzinfo
from pathlib import Path
from typing import Any

import entable
import pytest
from entable import Store, aio, keys, patterns


@pytest.fixture(autouse=True)
def quiet(monkeypatch: pytest.MonkeyPatch) -> None:
    """What an object raises when it is asked for its class is told as Python tells the errors of destructors."""
    monkeypatch.setattr(sys, "unraisablehook", lambda *_: None)


PROPER = {"PartitionKey": "p", "RowKey": "1", "Text": "x", "Number": 5}


class Harm(Exception):
    pass


def harm(*_: Any, **__: Any) -> Any:
    raise Harm


HOOKS = [
    "__eq__",
    "__ne__",
    "__lt__",
    "__hash__",
    "__str__",
    "__repr__",
    "__iter__",
    "__next__",
    "__len__",
    "__bool__",
    "__index__",
    "__int__",
    "__float__",
    "__getitem__",
    "__contains__",
    "__call__",
    "__fspath__",
    "__enter__",
    "__exit__",
    "__format__",
    "__bytes__",
    "__await__",
    "__aiter__",
    "keys",
    "items",
    "values",
    "get",
    "utcoffset",
    "tzname",
    "dst",
    "toordinal",
    "bytes",
    "value",
    "name",
    "metadata",
    "isoformat",
]

Hostile: Any = type("Hostile", (), dict.fromkeys(HOOKS, harm))


class NoAttributes:
    def __getattribute__(self, name: str) -> Any:
        raise Harm(name)


class Liar:
    """Says that it is something else."""

    @property  # type: ignore[misc]
    def __class__(self) -> Any:
        return dict

    def __len__(self) -> int:
        return -1


class HostileZone(tzinfo):
    utcoffset = tzname = dst = harm


class WrongZone(tzinfo):
    tzname = dst = harm

    def utcoffset(self, _: datetime | None) -> Any:
        return timedelta(days=4)


class HostileStr(str):
    __eq__ = __hash__ = __str__ = __iter__ = __len__ = lower = split = harm


class OddStr(str):
    """A key of a dict that is unlike all others."""

    __hash__ = str.__hash__
    __eq__ = __str__ = __iter__ = __len__ = harm


class HostileInt(int):
    __index__ = __int__ = __eq__ = __hash__ = __str__ = harm


class HostileFloat(float):
    __float__ = __eq__ = __hash__ = harm


class HostileDict(dict[Any, Any]):
    items = keys = values = __iter__ = __len__ = __getitem__ = get = harm


class OddItems(dict[Any, Any]):
    def items(self) -> Any:
        return [("PartitionKey", "p"), ("RowKey", "1"), ("A", 1), ("A", "twice"), 5]


class Endless:
    def __iter__(self) -> Iterator[Any]:
        yield from itertools.repeat(5, 50)
        raise Harm


class Colour(enum.Enum):
    RED = 1

    def __str__(self) -> str:
        raise Harm


def recursive() -> list[Any]:
    inside: list[Any] = []
    inside.append(inside)
    return inside


def things() -> list[Any]:
    """One of each, made anew: some are used up."""
    released = memoryview(bytearray(b"abc"))
    released.release()
    odd_key: dict[Any, Any] = {5: 5, None: None, (): ()}
    return [
        Hostile(),
        NoAttributes(),
        Liar(),
        Hostile,
        NoAttributes,
        HostileStr("p"),
        HostileInt(5),
        HostileFloat(1.5),
        HostileDict(PROPER),
        OddItems(),
        {**PROPER, "X": Hostile()},
        {**PROPER, "X": NoAttributes()},
        {**PROPER, OddStr("Y"): 1},
        {**PROPER, "\ud800": 1},
        {**PROPER, "": 1},
        {**PROPER, "X": recursive()},
        {**PROPER, "X": Colour.RED},
        {**PROPER, "X": released},
        {**PROPER, "X": datetime(2026, 1, 1, tzinfo=HostileZone())},
        {**PROPER, "X": datetime(2026, 1, 1, tzinfo=WrongZone())},
        {**PROPER, "X": datetime.min},
        {**PROPER, "X": date.max},
        {**PROPER, "X": (5, Hostile())},
        {**PROPER, "X": (Hostile(), "Edm.Int32")},
        {**PROPER, "X": (1, 2, 3)},
        {**PROPER, "X": 2**70},
        {**PROPER, "X": float("nan")},
        {**PROPER, "X": b"x" * 2_000_000},
        odd_key,
        Endless(),
        recursive(),
        iter(()),
        [None],
        [Hostile()],
        [("p", Hostile())],
        [(Hostile(), PROPER)],
        [("create", Hostile())],
        [("create", PROPER, Hostile())],
        [("create", PROPER, {"mode": Hostile(), "etag": Hostile()})],
        [("Rows1", "create", PROPER)],
        None,
        True,
        -1,
        0,
        5,
        2**31,
        2**63,
        2**64,
        -(2**63),
        10**400,
        1.5,
        float("inf"),
        1j,
        ...,
        NotImplemented,
        "",
        "p",
        "\0",
        "\ud800",
        "x" * 100_000,
        "(" * 5_000,
        "not " * 5_000 + "true",
        "A eq @a",
        "Text eq 'x'",
        b"",
        b"\xff",
        bytearray(b"p"),
        int,
        dict,
        len,
        harm,
        sys,
        object(),
        lambda *_: 5,
        range(3),
        {1, 2},
        frozenset(),
        slice(None),
        datetime.max,
        date.min,
        threading.Lock(),
        Path("/nowhere/at/all"),
        Path("."),
        "/dev/null",
        "/dev/full",
        Harm(),
        BaseException,
    ]


LEFT_OUT = {"close", "commit", "rollback"}


def methods(subject: Any) -> Iterator[tuple[str, Callable[..., Any]]]:
    for name in dir(type(subject)):
        if name not in LEFT_OUT and (
            not name.startswith("__") or name in ("__getitem__", "__contains__", "__iter__", "__next__")
        ):
            method = getattr(subject, name)
            if callable(method):
                yield name, method


def attacked(call: Callable[..., Any], *arguments: Any, **keywords: Any) -> Any:
    """What a call gives; an ordinary exception is what it should raise."""
    try:
        given = call(*arguments, **keywords)
        if isinstance(
            given, entable.ItemPaged | entable.PageIterator | entable.PartitionKeys | patterns.Changes | patterns.Step
        ):
            given = list(itertools.islice(given, 5))
    except Exception as error:
        for text in (str, repr):
            assert text(error) is not None
        return None
    return given


def subjects(store: Store) -> list[Any]:
    table = store.get_table_client("Rows1")
    town = patterns.IndexTable.full("Rows1", "Rows2", ["Text"])
    changes = town.changes(None, PROPER)
    return [
        store,
        table,
        table.list_entities(),
        table.list_entities().by_page(),
        table.partition_keys(),
        store.snapshot(),
        town,
        changes,
        changes.steps[0],
        town.find(["x"]),
        patterns.Field("Text"),
        patterns.SecondaryIndex("Rows1", "t_", "Text"),
        patterns.IndexEntities("Rows1", "t_", ["Text"]),
        patterns.UniqueGuard("Rows1", "t_", "Text"),
        patterns.FoldedKey.keyed("Rows1", "t_", "Text"),
        patterns.LogTail("Rows1", "At"),
        patterns.DataSeries("Rows1", "day"),
        patterns.WideEntity("Rows1"),
        patterns.CompoundKey("Rows1", ["Text"]),
        patterns.DistinctList("Rows1", "t_", "Text"),
        entable.TableEntity(PROPER),
    ]


@pytest.fixture
def rows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Store]:
    # Copies and the like go where nobody misses them.
    monkeypatch.chdir(tmp_path)
    with Store(":memory:", mode="extended") as store:
        for name in ("Rows1", "Rows2"):
            store.create_table(name).upsert_entity(PROPER)
        yield store


def test_every_argument_of_every_method(rows: Store) -> None:
    for subject in subjects(rows):
        for name, method in methods(subject):
            for count in (1, 2, 3):
                for thing in things():
                    rest = ["p", PROPER, "merge"][: count - 1]
                    attacked(method, thing, *rest)
                    attacked(method, *rest, thing)
            for keyword in (
                "select",
                "parameters",
                "limit",
                "mode",
                "etag",
                "match_condition",
                "as_",
                "progress",
                "results_per_page",
            ):
                for thing in things():
                    attacked(method, "p", "1", **{keyword: thing})
                    attacked(method, "A eq @a", **{keyword: thing})
            if name in ("delete_table", "drop_index"):
                rows.create_table_if_not_exists("Rows1")
    rows.create_table_if_not_exists("Rows1").upsert_entity(PROPER, "replace")
    assert rows.get_table_client("Rows1").get_entity("p", "1") == PROPER


def test_every_function_and_constructor(rows: Store) -> None:
    calls: list[Any] = [getattr(entable, name) for name in entable.__all__ if callable(getattr(entable, name))]
    calls += [getattr(keys, name) for name in keys.__all__]
    calls += [getattr(patterns, name) for name in patterns.__all__]
    calls += [getattr(aio, name) for name in aio.__all__ if name not in ("load", "verify")]
    for call, thing in itertools.product(calls, range(len(things()))):
        attacked(call, things()[thing])
        attacked(call, things()[thing], "Rows1")
        attacked(call, "p", things()[thing])
        attacked(call, "p", "x", things()[thing])
    for option in ("mode", "read_only", "must_exist", "immutable", "check", "max_size", "clock", "encoder", "decoder"):
        for thing in things():
            made = attacked(Store, ":memory:", **{option: thing})
            if made is not None:
                table = attacked(made.create_table, "Rows1")
                if table is not None:
                    attacked(table.create_entity, PROPER)
                    attacked(table.create_entity, {**PROPER, "RowKey": "2", "X": object()})
                    attacked(table.get_entity, "p", "1")
                made.close()
    assert rows.get_table_client("Rows1").get_entity("p", "1") == PROPER


def test_what_is_called_back_may_close_the_store(tmp_path: Path) -> None:
    closing: list[Callable[[Any], Any]] = []

    class Closes:
        """Closes the store whatever is asked of it."""

        def __init__(self, store: Store) -> None:
            self.store = store

        def _close(self, *_: Any, **__: Any) -> Any:
            self.store.close()
            return "p"

        __str__ = __iter__ = __len__ = __fspath__ = items = keys = values = get = _close
        __getitem__ = __contains__ = __index__ = __hash__ = __call__ = _close

        def __eq__(self, _: object) -> bool:
            self.store.close()
            return True

    class Zone(tzinfo):
        tzname = dst = harm

        def __init__(self, store: Store) -> None:
            self.store = store

        def utcoffset(self, _: datetime | None) -> timedelta:
            self.store.close()
            return timedelta()

    class Items(dict[str, Any]):
        store: Store

        def items(self) -> Any:
            for item in super().items():
                yield item
                self.store.close()

    def rows_of(store: Store) -> Iterator[Any]:
        yield ("upsert", PROPER)
        store.close()
        yield ("upsert", {**PROPER, "RowKey": "2"})

    def odd(store: Store) -> Items:
        made = Items(PROPER)
        made.store = store
        return made

    def table(store: Any) -> Any:
        return store.get_table_client("Rows1")

    closing = [
        lambda store: table(store).upsert_entity({**PROPER, "X": datetime(2026, 1, 1, tzinfo=Zone(store))}),
        lambda store: table(store).upsert_entity(odd(store)),
        lambda store: table(store).upsert_entity({**PROPER, "X": Closes(store)}),
        lambda store: table(store).submit_transaction(rows_of(store)),
        lambda store: store.submit_batch(("Rows1", *row) for row in rows_of(store)),
        lambda store: entable.load(table(store), (row[1] for row in rows_of(store)), chunk=1),
        lambda store: table(store).get_many(("p", "1") for _ in rows_of(store)),
        lambda store: list(
            table(store).query_entities("X eq @x", parameters={"x": datetime(2026, 1, 1, tzinfo=Zone(store))})
        ),
        lambda store: [store.close() for _ in table(store).list_entities(results_per_page=1)],
        lambda store: [store.close() for _ in table(store).partition_keys()],
        lambda store: store.backup(tmp_path / "copy", progress=lambda *_: store.close()),
        lambda store: store.compact(progress=lambda *_: store.close()),
        lambda store: table(store).get_entity("p", "1", as_=Closes(store)),
        lambda store: table(store).get_entity("p", "1", select=Closes(store)),
        lambda store: store.backup(Closes(store)),
    ]
    for number, call in enumerate(closing):
        with Store(":memory:", decoder=lambda _, value: value) as store:
            store.create_table("Rows1").upsert_entity({**PROPER, "RowKey": "0"})
            attacked(call, store)
        assert number < len(closing)
    # The encoder and the decoder are called in the midst, too.
    for option in ("encoder", "decoder"):
        held: list[Any] = []

        def closes(_: str, value: Any, held: list[Any] = held) -> str:
            held[0].close()
            return str(value)

        with Store(":memory:", **{option: closes}) as store:  # type: ignore[arg-type]
            table_of = store.create_table("Rows1")
            table_of.upsert_entity(PROPER)
            held.append(store)
            attacked(table_of.upsert_entity, {**PROPER, "X": object()})
            attacked(lambda table=table_of: list(table.list_entities()))


def test_a_transaction_in_which_all_of_it_happens(rows: Store) -> None:
    for thing in things():
        with rows.transaction() as transaction:
            table = transaction.get_table_client("Rows1")
            for _, method in methods(table):
                attacked(method, thing)
                attacked(method, "p", thing)
            for _, method in methods(transaction):
                attacked(method, thing)
            try:
                transaction.rollback()
            except entable.EntableError as error:
                assert error.error_code == "StoreClosed"
    inside = rows.transaction()
    with pytest.raises(entable.InvalidInputError):
        inside.get_table_client("Rows1")
    with inside, pytest.raises(entable.EntableError):
        rows.create_table("Rows9")
    # A store that is closed in the midst ends it.
    with pytest.raises(entable.EntableError), rows.transaction() as transaction:
        transaction.create_table("Rows3")
        rows.close()
        transaction.create_table("Rows4")


def test_iterators_half_used_and_let_go_in_any_order(rows: Store) -> None:
    table = rows.get_table_client("Rows1")
    entable.load(table, ({"PartitionKey": "p", "RowKey": str(n)} for n in range(300)))
    readers = [table.list_entities(results_per_page=7) for _ in range(50)]
    pages = [reader.by_page() for reader in readers]
    for reader, page in zip(readers, pages, strict=True):
        next(reader)
        next(page)
    snapshots = [rows.snapshot() for _ in range(20)]
    inside = [next(table.at(snapshot).list_entities()) for snapshot in snapshots]
    assert len(inside) == 20
    generator = (entity for entity in table.list_entities())
    next(generator)
    generator.close()
    del readers[::2], snapshots[::3]
    gc.collect()
    rows.close()
    remaining: list[Any] = [*readers, *pages]
    for left in remaining:
        with pytest.raises(entable.StoreClosedError):
            for _ in range(9):
                list(next(left)) if isinstance(left, entable.PageIterator) else next(left)
    del table, pages, remaining, left
    gc.collect()


def test_cycles_are_let_go(tmp_path: Path) -> None:
    class Holder:
        def __init__(self, store: Store) -> None:
            self.store = store
            self.table = store.create_table_if_not_exists("Rows1")
            self.items = self.table.list_entities()
            self.entity = entable.TableEntity(PROPER, holder=self)
            self.me = self

        def __del__(self) -> None:
            # In any order, whatever has been let go of before.
            attacked(self.table.count)
            attacked(self.store.close)

    holder = Holder(Store(tmp_path / "store"))
    gone = weakref.ref(holder)
    del holder
    gc.collect()
    assert gone() is None
    with Store(tmp_path / "store") as store:
        assert store.get_table_client("Rows1").count() == 0


def test_threads_that_use_and_close_at_once() -> None:
    for round_ in range(20):
        store = Store(":memory:")
        table = store.create_table("Rows1")
        started = threading.Barrier(7)
        failures: list[BaseException] = []

        def work(
            number: int, table: Any = table, store: Store = store, started: Any = started, failures: Any = failures
        ) -> None:
            started.wait()
            try:
                for n in range(200):
                    table.upsert_entity({"PartitionKey": str(number), "RowKey": str(n)})
                    list(table.list_entities(limit=5))
                    store.snapshot()
            except entable.StoreClosedError:
                pass
            except BaseException as error:
                failures.append(error)

        threads = [threading.Thread(target=work, args=(number,)) for number in range(6)]
        for thread in threads:
            thread.start()
        started.wait()
        for _ in range(round_ * 50):
            attacked(table.count)
        store.close()
        for thread in threads:
            thread.join()
        assert failures == []


@pytest.mark.parametrize(
    "patch",
    [
        "entable._model.Int64 = str",
        "entable._model.Int64 = bool",
        "entable._model.Int64 = type('Own', (int,), {'__new__': lambda cls, number: str(number)})",
        "entable._model.Int64 = type('Own', (int,), {})",
        "entable._model.Int64 = object",
        "entable._model.DateTime = int",
        "uuid.UUID = int",
        "uuid.UUID = dict",
        "uuid.UUID = type('Own', (), {'__slots__': ('int', 'is_safe', '__weakref__')})",
        "uuid.UUID = type('Own', (dict,), {'__slots__': ('int', 'is_safe', '__weakref__')})",
        "uuid.UUID.__slots__ = 5",
        "uuid.SafeUUID = None",
    ],
)
def test_classes_that_are_others_by_the_first_read(patch: str) -> None:
    script = f"""
import uuid, entable, entable._model
store = entable.Store(":memory:")
table = store.create_table("Rows1")
typed = {{"L": ("7", "Edm.Int64"), "G": ("0f8fad5b-d9cb-469f-a165-70867728950e", "Edm.Guid"),
         "T": ("2026-01-01T00:00:00.0000001Z", "Edm.DateTime")}}
for name, value in typed.items():
    table.upsert_entity({{"PartitionKey": "p", "RowKey": name, name: value}})
{patch}
for name in [*typed] * 2:
    try:
        print(table.get_entity("p", name))
    except Exception as error:
        print(type(error))
"""
    ended = subprocess.run([sys.executable, "-X", "dev", "-c", script], capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stderr
    assert ended.stdout.count("\n") == 6, ended.stdout
    assert "panicked" not in ended.stderr


def test_tasks_that_are_cancelled_at_every_point(tmp_path: Path) -> None:
    async def use(store: aio.Store) -> None:
        table = await store.create_table_if_not_exists("Rows1")
        async with store.transaction() as transaction:
            inside = transaction.get_table_client("Rows1")
            await inside.upsert_entity(PROPER)
            [entity async for entity in inside.list_entities()]
        await asyncio.gather(*(table.upsert_entity({**PROPER, "RowKey": str(n)}) for n in range(5)))
        [entity async for entity in table.list_entities(results_per_page=2)]
        await store.snapshot()
        await table.submit_transaction([("delete", {**PROPER, "RowKey": str(n)}) for n in range(2)])

    async def run() -> None:
        async with aio.Store(tmp_path / "store") as store:
            for turns in range(60):
                task = asyncio.ensure_future(use(store))
                for _ in range(turns):
                    await asyncio.sleep(0)
                task.cancel()
                await asyncio.gather(task, return_exceptions=True)
            # Nobody holds the turn at writing.
            table = await store.create_table_if_not_exists("Rows1")
            await asyncio.wait_for(table.upsert_entity(PROPER), 30)

    asyncio.run(run())
