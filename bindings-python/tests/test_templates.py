"""Entities of one layout are copies of one dict: whatever the layouts, each entity has its own names and values."""

from __future__ import annotations

import itertools
import pickle
import random
import uuid
from collections.abc import Iterator
from typing import Any

import entable
import pytest
from entable import Store, Table, TableEntity


@pytest.fixture
def table() -> Iterator[Table]:
    with Store(":memory:", mode="extended") as store:
        yield store.create_table("Rows1")


def stored(table: Table, entities: list[dict[str, Any]]) -> None:
    table_of = [{"PartitionKey": "p", "RowKey": f"{number:05}", **entity} for number, entity in enumerate(entities)]
    assert entable.load(table, table_of) == len(entities)


def test_more_layouts_than_are_kept_in_any_order(table: Table) -> None:
    names = [f"Name{number}" for number in range(12)]
    layouts = list(itertools.combinations(names, 3)) + list(itertools.combinations(names, 5))
    assert len(layouts) > 256
    entities = [{name: f"{name} of {number}" for name in names_of} for number, names_of in enumerate(layouts)]
    stored(table, entities)
    for order in range(3):
        numbers = random.Random(order).sample(range(len(entities)), len(entities))
        for number in numbers:
            found = table.get_entity("p", f"{number:05}")
            assert found == {"PartitionKey": "p", "RowKey": f"{number:05}", **entities[number]}
            assert list(found) == ["PartitionKey", "RowKey", *sorted(entities[number], key=names.index)]
    for number, found in enumerate(table.list_entities()):
        assert found == {"PartitionKey": "p", "RowKey": f"{number:05}", **entities[number]}


def test_names_that_have_their_place_in_common(table: Table) -> None:
    # As long, with the same first, middle and last letter: what the place of a layout is made of.
    entities: list[dict[str, Any]] = [{"AxMyZ": 1}, {"AyMxZ": "two"}, {"AxMxZ": 3.5}, {"AxMyZ": 4}, {}]
    stored(table, entities)
    for number in [0, 1, 0, 2, 1, 3, 4, 0, 1]:
        assert table.get_entity("p", f"{number:05}", select="AxMyZ,AyMxZ,AxMxZ") == entities[number]


def test_a_projection_with_and_without_keys(table: Table) -> None:
    stored(table, [{"A": 1, "B": 2}])
    everything = {"PartitionKey": "p", "RowKey": "00000", "A": 1, "B": 2}
    for names in [*itertools.permutations(everything, 2), *itertools.permutations(everything, 3)]:
        assert table.get_entity("p", "00000", select=list(names)) == {name: everything[name] for name in names}
    assert table.get_entity("p", "00000") == everything


def test_what_is_done_to_an_entity_is_done_to_no_other(table: Table) -> None:
    stored(table, [{"A": 1, "B": "x"}] * 3)
    first, second = table.get_entity("p", "00000"), table.get_entity("p", "00001")
    first["A"] = 9
    del first["B"]
    first["C"] = []
    first.clear()
    assert second == {"PartitionKey": "p", "RowKey": "00001", "A": 1, "B": "x"}
    assert table.get_entity("p", "00002") == {"PartitionKey": "p", "RowKey": "00002", "A": 1, "B": "x"}
    assert type(second) is TableEntity and second.metadata["etag"]


def test_a_decoder_that_reads_other_layouts_in_the_midst() -> None:
    inside: list[Table] = []

    def decoder(name: str, value: Any) -> Any:
        if name == "Deep" and inside:
            table = inside.pop()
            value = [dict(entity) for entity in table.list_entities()]
            inside.append(table)
        return value

    with Store(":memory:", decoder=decoder) as store:
        table = store.create_table("Rows1")
        other = store.create_table("Rows2")
        other.upsert_entity({"PartitionKey": "q", "RowKey": "1", "Other": True})
        table.upsert_entity({"PartitionKey": "p", "RowKey": "1", "First": 1, "Deep": 2, "Last": 3})
        inside.append(other)
        found = table.get_entity("p", "1")
        assert found["Deep"] == [{"PartitionKey": "q", "RowKey": "1", "Other": True}]
        assert (found["First"], found["Last"]) == (1, 3)


def test_entities_of_very_many_properties(table: Table) -> None:
    entities = [{f"N{number}": number for number in range(count)} for count in (250, 300, 301, 2_000)]
    stored(table, entities)
    for _ in range(2):
        for number, entity in enumerate(entities):
            assert table.get_entity("p", f"{number:05}", select="*") == {
                "PartitionKey": "p",
                "RowKey": f"{number:05}",
                **entity,
            }


def test_a_uuid_is_as_python_makes_it(table: Table) -> None:
    ids = [uuid.UUID(int=0), uuid.UUID(int=2**128 - 1), uuid.uuid4()]
    stored(table, [{"Id": each} for each in ids])
    for number, made in enumerate(ids):
        found = table.get_entity("p", f"{number:05}")["Id"]
        assert type(found) is uuid.UUID
        assert (found, hash(found), str(found), repr(found)) == (made, hash(made), str(made), repr(made))
        assert (found.bytes, found.fields, found.is_safe) == (made.bytes, made.fields, uuid.SafeUUID.unknown)
        assert pickle.loads(pickle.dumps(found)) == made
        with pytest.raises(TypeError):
            found.int = 5  # type: ignore[misc]
