"""Keys: texts that the service takes, in the order that is wanted.

Pure functions. What they give is a legal PartitionKey or RowKey by the service's rules, or an error that says why it is
none. Order is the store's and the service's: by UTF-16 code unit.

>>> from entable import keys
>>> key = keys.compose(["Redmond", "Smith", keys.integer(42)])
>>> keys.split(key)
['Redmond', 'Smith', '0000000000000000042']
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

from . import _entable

__all__ = [
    "base64_text",
    "compact_date",
    "compose",
    "compose_prefix",
    "descending_ticks",
    "descending_ticks_from",
    "double",
    "double_from",
    "fold_case",
    "from_bytes",
    "integer",
    "integer_from",
    "padded",
    "prefix_filter",
    "prefix_range",
    "safe",
    "safe_from",
    "shard",
    "split",
    "text_from_base64",
    "ticks",
    "ticks_from",
    "to_bytes",
]


def compose(parts: Iterable[str]) -> str:
    """One key of several parts, in the order of the parts; no other parts give the same key. ``split`` undoes it."""
    return _entable._key_compose(_parts(parts))


def compose_prefix(parts: Iterable[str]) -> str:
    """What the keys of ``compose`` begin with that have these parts first, and more: for ``prefix_filter``."""
    return _entable._key_compose_prefix(_parts(parts))


def _parts(parts: Iterable[str]) -> list[str]:
    if isinstance(parts, str):
        raise TypeError("parts are an iterable of str, not one str")
    return list(parts)


def split(key: str) -> list[str]:
    """The parts that ``compose`` made the key of."""
    return _entable._key_split(key)


def padded(number: int, width: int) -> str:
    """The number with zeros before it: ``padded(223, 6)`` is ``"000223"``."""
    return _entable._key_padded(number, width)


def integer(number: int) -> str:
    """Any integer of 64 bits, in order: 19 digits, with a ``-`` before them below zero."""
    return _entable._key_integer(number)


def integer_from(key: str) -> int:
    """The integer that ``integer`` made the key of."""
    return _entable._key_integer_from(key)


def double(number: float) -> str:
    """A number, in order: 16 hex digits. NaN has no place in the order."""
    return _entable._key_double(number)


def double_from(key: str) -> float:
    """The number that ``double`` made the key of."""
    return _entable._key_double_from(key)


def ticks(time: datetime) -> str:
    """An instant, in order: the 19 digits of its ticks of 100 ns since the year 1. A naive one is local time."""
    return _entable._key_ticks(time)


def ticks_from(key: str) -> datetime:
    """The instant that ``ticks`` made the key of."""
    return _entable._key_ticks_from(key)


def descending_ticks(time: datetime) -> str:
    """An instant, the latest first: the log tail pattern."""
    return _entable._key_descending_ticks(time)


def descending_ticks_from(key: str) -> datetime:
    """The instant that ``descending_ticks`` made the key of."""
    return _entable._key_descending_ticks_from(key)


def compact_date(time: datetime) -> str:
    """The second that an instant lies in, as ``yyyyMMddHHmmss`` in UTC."""
    return _entable._key_compact_date(time)


def prefix_range(prefix: str) -> tuple[str, str | None]:
    """The least key that begins with ``prefix``, and the least beyond all that do: ``None`` if none is beyond."""
    return _entable._key_prefix_range(prefix)


def prefix_filter(key: str, prefix: str) -> str:
    """The filter that finds keys by their beginning; ``key`` is ``"PartitionKey"`` or ``"RowKey"``.

    >>> prefix_filter("RowKey", "empid_")
    "RowKey ge 'empid_' and RowKey lt 'empid`'"
    """
    return _entable._key_prefix_filter(key, prefix)


def safe(text: str) -> str:
    """A legal key of any text, in the order of the texts; ``safe_from`` gives the text back."""
    return _entable._key_safe(text)


def safe_from(key: str) -> str:
    """The text that ``safe`` made the key of."""
    return _entable._key_safe_from(key)


def from_bytes(data: bytes) -> str:
    """A legal key of any bytes, in the order of the bytes: two hex digits for each."""
    return _entable._key_of_bytes(data)


def to_bytes(key: str) -> bytes:
    """The bytes that ``from_bytes`` made the key of."""
    return _entable._key_bytes_from(key)


def base64_text(text: str) -> str:
    """The literature's form of a safe key, base64 with ``_`` for ``/`` and ``-`` for ``+``. It loses the order."""
    return _entable._key_base64_text(text)


def text_from_base64(key: str) -> str:
    """The text that ``base64_text`` made the key of."""
    return _entable._key_text_from_base64(key)


def fold_case(text: str) -> str:
    """The key that all texts have which differ in letter case only: Unicode's full case folding."""
    return _entable._key_fold_case(text)


def shard(key: str, shards: int) -> int:
    """The number of the shard, from 0, that a key falls into, of so many. The same on every machine."""
    return _entable._key_shard(key, shards)
