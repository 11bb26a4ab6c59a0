"""Many entities at once: in from any iterable or data frame, out to pandas and polars by columns."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import islice
from typing import TYPE_CHECKING, Any, Literal
from uuid import UUID

from ._model import Int64, UpdateMode

if TYPE_CHECKING:
    from ._entable import Table

_CHUNK = 1_000


def load(
    table: Table,
    data: Any,
    *,
    mode: UpdateMode | Literal["merge", "replace"] = UpdateMode.REPLACE,
    chunk: int = _CHUNK,
    progress: Callable[[int], object] | None = None,
) -> int:
    """Stores many entities, new or not, of any partitions, and tells how many.

    ``data`` is an iterable of mappings or dataclass objects, or a data frame of pandas or polars with columns
    ``PartitionKey`` and ``RowKey``; what is missing in a frame (``None``, ``NaN``, ``NaT``) is left out. It is read as
    it goes, in steps of ``chunk`` entities, each a transaction of its own: what was stored before an error stays.
    ``progress`` is called after each with the entities that are done.
    """
    if not isinstance(chunk, int) or chunk < 1:
        raise ValueError(f"chunk {chunk!r}: it is 1 or more")
    entities = _entities(data)
    done = 0
    while step := list(islice(entities, chunk)):
        table._write_all(step, mode)
        done += len(step)
        if progress is not None:
            progress(done)
    return done


def _entities(data: Any) -> Iterator[Any]:
    if isinstance(data, Mapping | str | bytes):
        raise TypeError("data is an iterable of entities, or a data frame")
    if hasattr(data, "iter_rows"):
        return (_present(row) for row in data.iter_rows(named=True))
    if hasattr(data, "itertuples") and hasattr(data, "columns"):
        names = [str(name) for name in data.columns]
        columns = [data.iloc[:, at].astype(object).tolist() for at in range(len(names))]
        return (_present(dict(zip(names, row, strict=True))) for row in zip(*columns, strict=True))
    return iter(data)


def _present(row: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in row.items() if not _is_missing(value)}


def _is_missing(value: Any) -> bool:
    return (
        value is None or type(value).__name__ in ("NAType", "NaTType") or (isinstance(value, float) and value != value)
    )


def _columns(entities: Iterable[Mapping[str, Any]]) -> dict[str, list[Any]]:
    columns: dict[str, list[Any]] = {}
    count = 0
    for entity in entities:
        for name, value in entity.items():
            column = columns.get(name)
            if column is None:
                column = columns[name] = []
            # What former entities lack.
            column.extend([None] * (count - len(column)))
            column.append(value)
        count += 1
    for column in columns.values():
        column.extend([None] * (count - len(column)))
    return columns


def to_pandas(entities: Iterable[Mapping[str, Any]]) -> Any:
    """The entities as a data frame of pandas, a column for each property."""
    return importlib.import_module("pandas").DataFrame(_columns(entities))


def to_polars(entities: Iterable[Mapping[str, Any]]) -> Any:
    """The entities as a data frame of polars, a column for each property. Guids become text."""
    columns = {name: [_plain(value) for value in column] for name, column in _columns(entities).items()}
    return importlib.import_module("polars").DataFrame(columns, strict=False)


def _plain(value: Any) -> Any:
    match value:
        case Int64():
            return value.value
        case UUID():
            return str(value)
    return value
