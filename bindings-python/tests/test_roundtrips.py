"""Whatever has a type of the data model comes back as it went in, and is found by what it is."""

from __future__ import annotations

import math
import struct
import uuid
from collections.abc import Iterator
from datetime import datetime, timezone
from typing import Any

import entable
import pytest
from entable import DateTime, Int64
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

# The same cases in every run: what fails on one machine fails on all.
settings.register_profile(
    "fixed",
    derandomize=True,
    deadline=None,
    max_examples=150,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
settings.load_profile("fixed")

TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=60)
VALUES: dict[str, st.SearchStrategy[Any]] = {
    "Edm.Int32": st.integers(-(2**31), 2**31 - 1),
    "Edm.Int64": st.integers(-(2**63), 2**63 - 1).map(Int64),
    "Edm.Double": st.floats(),
    "Edm.Boolean": st.booleans(),
    "Edm.String": TEXTS,
    "Edm.Binary": st.binary(max_size=200),
    "Edm.Guid": st.uuids(),
    "Edm.DateTime": st.datetimes(datetime(1601, 1, 1), datetime(9999, 12, 31), timezones=st.just(timezone.utc)),
}
TICKS = st.integers(504_911_232_000_000_000, 3_155_378_975_999_999_999)
# What both keys may hold: no control characters and none of the four that a key must not have.
KEYS = st.text(st.characters(exclude_categories=["Cs", "Cc"], exclude_characters="/\\#?"), max_size=40)


@pytest.fixture(scope="module")
def table() -> Iterator[entable.Table]:
    with entable.Store(":memory:") as store:
        yield store.create_table("Values")


def is_same(found: Any, value: Any) -> bool:
    if isinstance(value, float):
        return struct.pack("<d", found) == struct.pack("<d", value) or (math.isnan(found) and math.isnan(value))
    return type(found) is type(value) and bool(found == value)


@pytest.mark.parametrize("edm_type", VALUES)
@given(data=st.data())
def test_a_value_comes_back_with_its_type(table: entable.Table, edm_type: str, data: st.DataObject) -> None:
    value = data.draw(VALUES[edm_type])
    table.upsert_entity({"PartitionKey": "p", "RowKey": "r", "V": value}, "replace")
    found = table.get_entity("p", "r")["V"]
    assert is_same(found, value)
    # What came out goes in as what it was.
    table.upsert_entity({"PartitionKey": "p", "RowKey": "r", "V": found}, "replace")
    assert is_same(table.get_entity("p", "r")["V"], value)


@given(ticks=TICKS)
def test_a_time_keeps_its_ticks(table: entable.Table, ticks: int) -> None:
    table.upsert_entity({"PartitionKey": "p", "RowKey": "r", "V": DateTime.from_ticks(ticks)}, "replace")
    found = table.get_entity("p", "r")["V"]
    whole = isinstance(found, DateTime) or ticks % 10 == 0
    assert whole and found == DateTime.from_ticks(ticks)
    assert not isinstance(found, DateTime) or found.ticks == ticks


@given(partition_key=KEYS, row_key=KEYS)
def test_keys_of_any_text_are_found(table: entable.Table, partition_key: str, row_key: str) -> None:
    table.upsert_entity({"PartitionKey": partition_key, "RowKey": row_key, "V": 1}, "replace")
    found = table.get_entity(partition_key, row_key)
    assert (found["PartitionKey"], found["RowKey"]) == (partition_key, row_key)
    keys = {"p": partition_key, "r": row_key}
    assert list(table.query_entities("PartitionKey eq @p and RowKey eq @r", parameters=keys)) == [found]
    table.delete_entity(partition_key, row_key)
    assert not table.exists(partition_key, row_key)


@pytest.mark.parametrize("edm_type", VALUES)
@given(data=st.data())
def test_a_filter_with_the_value_as_its_parameter_finds_it(
    table: entable.Table, edm_type: str, data: st.DataObject
) -> None:
    value = data.draw(VALUES[edm_type])
    assume(not (isinstance(value, float) and math.isnan(value)))
    table.upsert_entity({"PartitionKey": "filter", "RowKey": "r", "V": value}, "replace")
    found = table.query_entities("PartitionKey eq 'filter' and V eq @v", parameters={"v": value})
    assert [is_same(entity["V"], value) for entity in found] == [True]
    others = table.query_entities("PartitionKey eq 'filter' and V ne @v", parameters={"v": value})
    assert list(others) == []


@given(
    properties=st.dictionaries(st.from_regex(r"[A-Z][A-Za-z0-9_]{0,20}", fullmatch=True), st.one_of(*VALUES.values()))
)
def test_an_entity_of_any_shape_comes_back(table: entable.Table, properties: dict[str, Any]) -> None:
    properties = {
        name: value for name, value in properties.items() if name not in ("PartitionKey", "RowKey", "Timestamp")
    }
    table.upsert_entity({"PartitionKey": "p", "RowKey": "s", **properties}, "replace")
    found = table.get_entity("p", "s")
    assert {*found} == {"PartitionKey", "RowKey", *properties}
    assert all(is_same(found[name], value) for name, value in properties.items())
    # And by the service's JSON.
    read = entable.entity_from_json(entable.entity_to_json(found))
    assert all(is_same(read[name], value) for name, value in properties.items())


def test_uuid_is_whole() -> None:
    """It is made without its constructor: nothing of it may lack."""
    with entable.Store(":memory:") as store:
        table = store.create_table("Values")
        value = uuid.uuid4()
        table.create_entity({"PartitionKey": "p", "RowKey": "r", "V": value})
        found = table.get_entity("p", "r")["V"]
        assert (str(found), hash(found), found.is_safe, found.fields) == (
            str(value),
            hash(value),
            uuid.SafeUUID.unknown,
            value.fields,
        )
