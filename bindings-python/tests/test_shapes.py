"""The caller's own classes, data frames, notebooks and pytest."""

from __future__ import annotations

import enum
import importlib.util
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, TypedDict

import entable
import pytest
from entable import Int64, Store, Table

pytest_plugins = ["entable.pytest_plugin", "pytester"]


class Level(enum.Enum):
    LOW = 1
    HIGH = 2


@dataclass
class Employee:
    partition_key: str
    row_key: str
    age: int = field(metadata={"property": "Age"})
    Level: Level
    Note: str | None
    Tags: str = "none"


class Keys(TypedDict):
    PartitionKey: str
    RowKey: str


class Row(Keys, total=False):
    Age: int


@pytest.fixture
def table(entable_store: Store) -> Iterator[Table]:
    yield entable_store.create_table("Employees")


def test_a_dataclass_goes_in_and_out(table: Table) -> None:
    employee = Employee("Sales", "1", 41, Level.HIGH, None)
    table.create_entity(employee)
    table.upsert_entity(employee)
    table.submit_transaction([("update", employee)])
    stored = {"PartitionKey": "Sales", "RowKey": "1", "Age": 41, "Level": "Level.HIGH", "Tags": "none"}
    assert table.get_entity("Sales", "1") == stored
    assert table.get_entity("Sales", "1", as_=Employee) == employee


def test_a_typed_dict_comes_out(table: Table) -> None:
    entity: Row = {"PartitionKey": "Sales", "RowKey": "1", "Age": 41}
    table.create_entity({**entity, "More": True})
    assert table.get_entity("Sales", "1", as_=Row) == entity


def test_what_does_not_fit_is_named(table: Table) -> None:
    table.create_entity({"PartitionKey": "Sales", "RowKey": "1"})
    class_: Any
    for class_, missing in ((Employee, "Age"), (int, "as_"), (dict, "as_"), (5, "as_")):
        with pytest.raises(TypeError, match=missing):
            table.get_entity("Sales", "1", as_=class_)
    with pytest.raises(TypeError, match="Employee"):
        table.create_entity(Employee)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="PartitionKey"):
        table.get_entity("Sales", "1", select=["RowKey"], as_=Row)


def test_load_from_any_iterable(table: Table) -> None:
    told: list[int] = []
    entities = ({"PartitionKey": str(n % 3), "RowKey": str(n), "N": n} for n in range(10))
    assert entable.load(table, entities, chunk=4, progress=told.append) == 10
    assert (told, table.count()) == ([4, 8, 10], 10)
    # Again is no error; merging keeps what is there.
    assert entable.load(table, [{"PartitionKey": "0", "RowKey": "0", "M": 1}], mode="merge") == 1
    assert table.get_entity("0", "0") == {"PartitionKey": "0", "RowKey": "0", "N": 0, "M": 1}
    assert entable.load(table, []) == 0


def test_load_stops_at_what_is_wrong(table: Table) -> None:
    entities: list[Any] = [{"PartitionKey": "p", "RowKey": str(n)} for n in range(5)]
    entities[3] = {"PartitionKey": "p", "RowKey": "3", "V": object()}
    with pytest.raises(TypeError, match="V"):
        entable.load(table, entities, chunk=2)
    assert table.count() == 2
    entities[3] = {"PartitionKey": "p", "RowKey": "/"}
    with pytest.raises(entable.TableTransactionError) as error:
        entable.load(table, entities, chunk=2)
    assert error.value.index == 1
    for data in ("text", {"PartitionKey": "p", "RowKey": "r"}, 5):
        with pytest.raises(TypeError):
            entable.load(table, data)
    for chunk in (0, -1, 1.5):
        with pytest.raises(ValueError, match="chunk"):
            entable.load(table, [], chunk=chunk)  # type: ignore[arg-type]


def test_load_inside_a_transaction(entable_store: Store, table: Table) -> None:
    with entable_store.transaction() as transaction:
        inside = transaction.get_table_client("Employees")
        assert entable.load(inside, ({"PartitionKey": "p", "RowKey": str(n)} for n in range(5)), chunk=2) == 5
        assert (inside.count(), table.count()) == (5, 0)


@pytest.mark.skipif(not importlib.util.find_spec("pandas"), reason="pandas is not installed")
def test_pandas(table: Table) -> None:
    import pandas  # type: ignore[import-untyped]

    frame = pandas.DataFrame({"PartitionKey": ["p", "p"], "RowKey": ["1", "2"], "N": [1.5, None], "T": [True, False]})
    assert entable.load(table, frame) == 2
    assert table.get_entity("p", "2") == {"PartitionKey": "p", "RowKey": "2", "T": False}
    assert list(entable.to_pandas(table.list_entities()).columns) == ["PartitionKey", "RowKey", "N", "T"]


@pytest.mark.skipif(not importlib.util.find_spec("polars"), reason="polars is not installed")
def test_polars(table: Table) -> None:
    table.create_entity({"PartitionKey": "p", "RowKey": "1", "N": Int64(5)})
    table.create_entity({"PartitionKey": "p", "RowKey": "2", "M": "x"})
    frame = entable.to_polars(table.list_entities())
    assert frame.to_dict(as_series=False) == {
        "PartitionKey": ["p", "p"],
        "RowKey": ["1", "2"],
        "N": [5, None],
        "M": [None, "x"],
    }
    assert entable.load(table, frame) == 2


def test_columns_without_a_library(table: Table) -> None:
    from entable._load import _columns

    assert _columns([{"A": 1}, {"B": 2}, {"A": 3, "C": 4}]) == {
        "A": [1, None, 3],
        "B": [None, 2, None],
        "C": [None, None, 4],
    }


def test_a_page_is_shown_as_a_table(table: Table) -> None:
    table.create_entity({"PartitionKey": "p", "RowKey": "<b>", "N": 1})
    page: Any = next(table.list_entities().by_page())
    assert iter(page) is page
    assert "&lt;b&gt;" in page._repr_html_()
    assert "<b>" not in page._repr_html_()
    assert [entity["N"] for entity in page] == [1]


def test_the_fixture_of_the_plugin(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(
        """
        def test_new(entable_store):
            assert list(entable_store.list_tables()) == []
            entable_store.create_table("Orders")

        def test_again(entable_store):
            test_new(entable_store)
        """
    )
    pytester.runpytest("-p", "entable.pytest_plugin").assert_outcomes(passed=2)
