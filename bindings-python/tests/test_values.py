"""Values go in and come out with their types, exact at their limits."""

from __future__ import annotations

import array
import copy
import enum
import math
import pickle
import struct
import time
import uuid
from collections.abc import Iterator
from datetime import date, datetime, timedelta, timezone
from typing import Any

import entable
import pytest
from entable import DateTime, EdmType, EntityProperty, Int64

UTC = timezone.utc
FIRST_TICK = 504_911_232_000_000_000
LAST_TICK = 3_155_378_975_999_999_999


@pytest.fixture
def table() -> Iterator[entable.Table]:
    with entable.Store(":memory:") as store:
        yield store.create_table("Values")


def stored(table: entable.Table, value: Any) -> Any:
    """What comes back of a value."""
    table.upsert_entity({"PartitionKey": "p", "RowKey": "r", "V": value}, "replace")
    return table.get_entity("p", "r").get("V")


def check(table: entable.Table, value: Any, expected: Any) -> None:
    found = stored(table, value)
    assert type(found) is type(expected)
    assert found == expected
    # What came out goes back as what it was.
    again = stored(table, found)
    assert type(again) is type(expected)
    assert again == expected


@pytest.mark.parametrize("number", [0, 1, -1, 2**31 - 1, -(2**31)])
def test_int32(table: entable.Table, number: int) -> None:
    check(table, number, number)
    check(table, (number, "Edm.Int32"), number)
    check(table, EntityProperty(str(number), EdmType.INT32), number)


@pytest.mark.parametrize("number", [0, 5, 2**31, -(2**31) - 1, 2**53 + 1, 2**63 - 1, -(2**63)])
def test_int64(table: entable.Table, number: int) -> None:
    check(table, Int64(number), Int64(number))
    check(table, (number, EdmType.INT64), Int64(number))
    check(table, (str(number), "Edm.Int64"), Int64(number))
    found = stored(table, Int64(number))
    assert (found.value, type(found.value), found.edm_type) == (number, int, "Edm.Int64")
    assert (str(found), repr(found)) == (str(number), f"Int64({number})")


@pytest.mark.parametrize(
    "number",
    [0.0, -0.0, 0.1, 5.0, 1.7976931348623157e308, 5e-324, -2.2250738585072014e-308, 2.0**53, math.inf, -math.inf],
)
def test_double(table: entable.Table, number: float) -> None:
    found = stored(table, number)
    assert type(found) is float
    assert struct.pack("<d", found) == struct.pack("<d", number)
    check(table, (number, "Edm.Double"), number)


def test_double_from_nan_int_and_text(table: entable.Table) -> None:
    assert math.isnan(stored(table, math.nan))
    assert math.isnan(stored(table, ("NaN", "Edm.Double")))
    check(table, (5, "Edm.Double"), 5.0)
    check(table, ("1e10", "Edm.Double"), 1e10)


@pytest.mark.parametrize("truth", [True, False])
def test_boolean(table: entable.Table, truth: bool) -> None:
    check(table, truth, truth)
    check(table, (str(truth), EdmType.BOOLEAN), truth)


@pytest.mark.parametrize("text", ["", "a", "\0", "é€😀", "\ue000\uffff", "x" * 32_768, "😀" * 16_384])
def test_string(table: entable.Table, text: str) -> None:
    check(table, text, text)


@pytest.mark.parametrize("data", [b"", b"\0", bytes(range(256)), b"\xff" * 65_536])
def test_binary(table: entable.Table, data: bytes) -> None:
    check(table, data, data)
    check(table, (data, "Edm.Binary"), data)


def test_binary_from_base64(table: entable.Table) -> None:
    check(table, ("AQL/", "Edm.Binary"), b"\x01\x02\xff")


@pytest.mark.parametrize("guid", [uuid.UUID(int=0), uuid.UUID(int=2**128 - 1), uuid.UUID(int=0x0F8FAD5B_D9CB)])
def test_guid(table: entable.Table, guid: uuid.UUID) -> None:
    check(table, guid, guid)
    check(table, (str(guid).upper(), "Edm.Guid"), guid)


@pytest.mark.parametrize(
    "moment",
    [
        datetime(1601, 1, 1, tzinfo=UTC),
        datetime(1969, 12, 31, 23, 59, 59, 999_999, tzinfo=UTC),
        datetime(2024, 2, 29, 12, 0, 0, 1, tzinfo=UTC),
        datetime(9999, 12, 31, 23, 59, 59, 999_999, tzinfo=UTC),
    ],
)
def test_datetime(table: entable.Table, moment: datetime) -> None:
    check(table, moment, moment)
    zone = timezone(timedelta(hours=-7, minutes=-30))
    if moment.year > 1601 and moment.year < 9999:
        check(table, moment.astimezone(zone), moment)


@pytest.mark.parametrize("ticks", [FIRST_TICK + 1, 637_134_336_001_234_567, LAST_TICK])
def test_datetime_keeps_its_ticks(table: entable.Table, ticks: int) -> None:
    found = stored(table, DateTime.from_ticks(ticks))
    assert (type(found), found.ticks) == (DateTime, ticks)
    text = found.tables_service_value
    assert text.endswith(f".{ticks % 10_000_000:07}Z")
    assert stored(table, (text, "Edm.DateTime")).ticks == ticks
    assert stored(table, found).ticks == ticks
    for same in (copy.copy(found), copy.deepcopy(found), pickle.loads(pickle.dumps(found))):
        assert (type(same), same, same.ticks) == (DateTime, found, ticks)


def test_datetime_of_whole_microseconds_is_a_plain_one(table: entable.Table) -> None:
    ticks = 637_134_336_001_234_560
    check(table, DateTime.from_ticks(ticks), datetime(2020, 1, 1, 0, 0, 0, 123_456, tzinfo=UTC))


def test_datetime_without_a_zone_is_local_time(table: entable.Table, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TZ", "Asia/Tokyo")
    time.tzset()
    try:
        naive = datetime(2020, 1, 1, 9, 30)
        check(table, naive, datetime(2020, 1, 1, 0, 30, tzinfo=UTC))
    finally:
        monkeypatch.undo()
        time.tzset()


def test_datetime_of_the_official_client_keeps_the_text_that_it_came_with(table: entable.Table) -> None:
    class TablesEntityDatetime(datetime):
        tables_service_value = "2020-01-01T00:00:00.1234567Z"

    check(table, TablesEntityDatetime(2020, 1, 1, tzinfo=UTC), DateTime.from_ticks(637_134_336_001_234_567))


def test_datetime_outside_its_years_is_refused(table: entable.Table) -> None:
    with pytest.raises(ValueError, match="1601") as refused:
        stored(table, datetime(1600, 12, 31, tzinfo=UTC))
    assert isinstance(refused.value, entable.InvalidInputError)
    assert refused.value.property == "V"
    for moment in (datetime.min, datetime(9999, 12, 31, 23, 59, tzinfo=timezone(timedelta(hours=-1)))):
        with pytest.raises(ValueError):
            stored(table, moment)


def test_timestamps_keep_their_ticks(table: entable.Table) -> None:
    written = table.create_entity({"PartitionKey": "p", "RowKey": "t"})
    metadata = table.get_entity("p", "t").metadata
    assert (metadata["etag"], metadata["timestamp"]) == (written["etag"], written["date"])
    timestamp = metadata["timestamp"]
    assert timestamp is not None and timestamp.tzinfo is UTC
    assert abs(datetime.now(UTC) - timestamp) < timedelta(minutes=1)
    if isinstance(timestamp, DateTime):
        assert timestamp.tables_service_value.replace(":", "%3A") in written["etag"]


def test_none_is_left_out(table: entable.Table) -> None:
    for nothing in (None, (None, "Edm.Int64"), EntityProperty(None, EdmType.GUID)):
        table.upsert_entity({"PartitionKey": "p", "RowKey": "r", "V": nothing, "W": 1}, "replace")
        assert list(table.get_entity("p", "r")) == ["PartitionKey", "RowKey", "W"]


def test_enum_members_are_stored_as_their_text(table: entable.Table) -> None:
    class Color(enum.Enum):
        RED = 1

    check(table, Color.RED, "Color.RED")
    check(table, (5, "Edm.String"), "5")


def test_an_int_takes_the_type_of_the_stored_property(table: entable.Table) -> None:
    entity = {"PartitionKey": "p", "RowKey": "r", "L": Int64(1), "D": 1.5, "I": 1}
    table.create_entity(entity)
    table.update_entity({"PartitionKey": "p", "RowKey": "r", "L": 2, "D": 2, "I": 2, "New": 2, "Big": 2**40})
    found = table.get_entity("p", "r")
    assert [type(found[name]) for name in ("L", "D", "I", "New", "Big")] == [Int64, float, int, int, Int64]


def test_strict_mode_takes_ints_as_the_client_does() -> None:
    with entable.Store(":memory:", mode="strict") as store:
        table = store.create_table("Values")
        assert stored(table, 2**31 - 1) == 2**31 - 1
        for refused in (2**31, -(2**31) - 1):
            with pytest.raises(TypeError, match=str(refused)):
                stored(table, refused)
            with pytest.raises(TypeError, match=str(refused)):
                table.submit_transaction([("upsert", {"PartitionKey": "p", "RowKey": "r", "V": refused})])
        assert stored(table, Int64(2**31)) == 2**31


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (2**63, TypeError),
        (-(2**63) - 1, TypeError),
        (Int64(2**63), TypeError),
        ((2**31, "Edm.Int32"), TypeError),
        ((5.0, "Edm.Int32"), TypeError),
        ((5.0, "Edm.Int64"), TypeError),
        ((1, "Edm.Boolean"), TypeError),
        (("5x", "Edm.Int64"), ValueError),
        (("no", "Edm.Boolean"), ValueError),
        (("yesterday", "Edm.DateTime"), ValueError),
        (("123", "Edm.Guid"), ValueError),
        (("====", "Edm.Binary"), ValueError),
        ((10**400, "Edm.Double"), TypeError),
        (("5", "Edm.Decimal"), ValueError),
        (("5",), TypeError),
        (("5", 6), TypeError),
        (("5", "Edm.Int32", 7), TypeError),
        ([1], TypeError),
        ({"a": 1}, TypeError),
        ({1}, TypeError),
        (1j, TypeError),
        (object(), TypeError),
        (entable, TypeError),
        ("\ud800", ValueError),
        ("x" * 32_769, entable.HttpResponseError),
        (b"x" * 65_537, entable.HttpResponseError),
    ],
    ids=lambda value: repr(value)[:40],
)
def test_what_cannot_be_stored_is_refused_by_name(table: entable.Table, value: Any, expected: type[Exception]) -> None:
    with pytest.raises(expected) as refused:
        stored(table, value)
    assert "V" in str(refused.value) or getattr(refused.value, "property", None) == "V"
    assert list(table.list_entities()) == []


class Text(str):
    pass


class Number(int):
    pass


class Fraction(float):
    pass


class Level(enum.IntEnum):
    HIGH = 3


@pytest.mark.parametrize(
    ("value", "stored"),
    [
        (Text("a"), "a"),
        (Number(5), 5),
        (Number(2**40), Int64(2**40)),
        (Fraction(0.5), 0.5),
        (Level.HIGH, str(Level.HIGH)),
        (bytearray(b"ab"), b"ab"),
        (memoryview(b"abcd")[::2], b"ac"),
        (array.array("H", [1, 2]), array.array("H", [1, 2]).tobytes()),
        ((bytearray(b"ab"), "Edm.Binary"), b"ab"),
        (date(2026, 12, 1), datetime(2026, 12, 1, tzinfo=timezone.utc)),
        (date(1601, 1, 1), datetime(1601, 1, 1, tzinfo=timezone.utc)),
        ((date.max, "Edm.DateTime"), datetime(9999, 12, 31, tzinfo=timezone.utc)),
    ],
    ids=lambda value: repr(value)[:40],
)
def test_what_the_client_refuses_and_has_one_meaning_is_stored(table: entable.Table, value: Any, stored: Any) -> None:
    table.upsert_entity({"PartitionKey": "p", "RowKey": "r", "V": value})
    found = table.get_entity("p", "r")["V"]
    assert (found, type(found)) == (stored, type(stored))
