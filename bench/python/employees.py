"""Employees: ten properties, all of them always there; everything in one derives from its number, as in bench/rust."""

from __future__ import annotations

import uuid
from datetime import datetime, timedelta, timezone
from typing import Any, NamedTuple

Row = dict[str, Any]

_FIRST_NAMES = [
    "Alexandra",
    "Bo",
    "Charlotte",
    "Dmitri",
    "Eun",
    "Fatima",
    "Giovanni",
    "Hana",
    "Ibrahim",
    "Jo",
    "Katarzyna",
    "Liam",
    "Maximilian",
    "Nia",
    "Oluwaseun",
    "Priya",
]
_LAST_NAMES = [
    "Andersson",
    "Brown",
    "Castellanos",
    "Dunn",
    "Eriksen",
    "Fernandez",
    "Goldstein",
    "Ho",
    "Ivanova",
    "Jimenez",
    "Kowalczyk",
    "Li",
    "Montgomery",
    "Ng",
    "Okonkwo",
    "Papadopoulos",
]
_EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)
_MICROSECONDS_2000 = 946_684_800_000_000

KEYS = ["PartitionKey", "RowKey"]
FIELDS = ["First", "Last", "Email", "City", "Age", "Salary", "Hired", "Active", "Badge", "Notes"]


class Ask(NamedTuple):
    """A filter that every peer answers."""

    city: str | None = None
    is_old: bool = False
    is_inactive: bool = False

    def holds(self, row: Row) -> bool:
        return (
            (self.city is None or row["City"] == self.city)
            and (not self.is_old or row["Age"] > 60)
            and (not self.is_inactive or not row["Active"])
        )


def mix(i: int, salt: int) -> int:
    """A 32-bit hash, the same as in the other languages."""
    x = (i ^ (salt * 0x9E3779B9)) & 0xFFFFFFFF
    x = ((x ^ (x >> 16)) * 0x7FEB352D) & 0xFFFFFFFF
    x = ((x ^ (x >> 15)) * 0x846CA68B) & 0xFFFFFFFF
    return x ^ (x >> 16)


def city_of(rank: int) -> str:
    """The city of a rank from 0 to 999."""
    return f"City{rank:03}-{_LAST_NAMES[rank % 16]}"


def city_rank(i: int) -> int:
    """Rank 0 has a tenth of the rows, rank 200 about 0.1 %, rank 999 0.033 %."""
    u = mix(i, 4) / 4_294_967_296
    return int(1000 * u * u * u)


def partition_key(i: int, partitions: int) -> str:
    return f"dept_{i % partitions:05}"


def row_key(i: int) -> str:
    return f"empid_{i:08}"


def employee(i: int, partitions: int) -> Row:
    """Row number ``i`` with plain values: a time in microseconds, a Guid as bytes."""
    first, last = _FIRST_NAMES[mix(i, 1) % 16], _LAST_NAMES[mix(i, 2) % 16]
    return {
        "PartitionKey": partition_key(i, partitions),
        "RowKey": row_key(i),
        "First": first,
        "Last": last,
        "Email": f"{first.lower()}.{last.lower()}.{i}@example.com",
        "City": city_of(city_rank(i)),
        "Age": 18 + mix(i, 5) % 50,
        "Salary": 30_000 + mix(i, 6) % 9_000_000 / 100,
        "Hired": _MICROSECONDS_2000 + mix(i, 7) * 180_000,
        "Active": mix(i, 8) % 10 != 0,
        "Badge": b"".join(mix(i, 10 + part).to_bytes(4, "big") for part in range(4)),
        "Notes": f"note {mix(i, 9):08x} the quick brown fox jumps over the lazy dog {i % 1_000_000:06}",
    }


def natural(row: Row) -> Row:
    """The same row as a program wants it: an aware ``datetime`` and a ``UUID``."""
    row["Hired"] = _EPOCH + timedelta(microseconds=row["Hired"])
    row["Badge"] = uuid.UUID(bytes=row["Badge"])
    return row
