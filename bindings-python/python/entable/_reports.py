"""What the store tells of itself, of its files and of its queries."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from html import escape
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from ._errors import EntableError


@dataclass(frozen=True)
class Considered:
    """A way to the rows that was thought of."""

    path: str
    index: str | None
    """The index that it leads through, if it is one alone."""
    rows: int
    """The rows, or entries of the index, that lie on it; about, where they are many."""
    is_taken: bool


@dataclass(frozen=True)
class Explain:
    """How a query was answered, what it cost, and what else was thought of. ``str()`` of it is for people."""

    path: str
    """The way to the rows: ``"point"``, ``"partition scan"``, ``"index equality"`` and so on."""
    index: str | None
    """The index that the way leads through, if it is one alone."""
    is_covered: bool
    """Whether the entries of the index held all that was asked for, so that no row was fetched."""
    filter: str
    """The filter as it was understood."""
    ranges: list[str]
    """The key ranges that were read; of an index its name and the values."""
    residual: str | None
    """What was tested on each row; ``None`` if the keys decide."""
    considered: list[Considered]
    rows_estimated: int
    rows_read: int
    entries_read: int
    """How many entries of indexes were read."""
    rows_returned: int
    cloud: list[str]
    """What the cloud service would answer otherwise, a sentence each."""
    warnings: list[str]
    """Terms that no stored row can answer, a sentence each."""
    text: str = field(repr=False, compare=False, default="")

    def __str__(self) -> str:
        return self.text

    def _repr_html_(self) -> str:
        facts: list[tuple[str, Any]] = [
            ("way", self.path + (f" through {self.index}" if self.index else "")),
            ("filter", self.filter),
            *(("range", each) for each in self.ranges[:8]),
            ("residual", self.residual or "none: the ranges decide"),
            ("rows", f"{self.rows_estimated} estimated, {self.rows_read} read, {self.rows_returned} returned"),
            *(
                (
                    "considered",
                    f"{way.path}{f' through {way.index}' if way.index else ''}, {way.rows} rows"
                    + (": taken" if way.is_taken else ""),
                )
                for way in self.considered
            ),
            *(("cloud", note) for note in self.cloud),
            *(("warning", note) for note in self.warnings),
        ]
        return html_table(None, facts)


@dataclass(frozen=True)
class IndexInfo:
    """A declared index."""

    name: str
    properties: list[str]
    """The indexed properties, the first one first."""
    scope: Literal["table", "partition"]
    projection: Literal["keys", "all"] | list[str]
    """What its entries hold besides; names in their order, without the keys and Timestamp."""
    unique: bool
    fold_case: bool
    state: Literal["building", "ready", "stale"]
    """Queries use it when it is ``"ready"``; a stale one was made with another version of Unicode."""


@dataclass(frozen=True)
class IndexStats:
    """What an index holds, and how often it was used."""

    name: str
    entries: int
    missing: int
    """Entries of entities that have none of the indexed properties."""
    distinct_values: int
    most_frequent_share: float
    """The part of all entries that the most frequent value has: from 0 to 1."""
    bytes: int
    uses: int
    """Pages of queries, counts and deletes that went through it, in this process since it opened the file."""


@dataclass(frozen=True)
class Advice:
    """What would make writes or queries cheaper."""

    table: str
    kind: str
    """``"unused"``, ``"not discriminating"``, ``"redundant"``, ``"stale"`` or ``"missing"``."""
    index: str | None
    filter: str | None
    """The filter, with a ``?`` in the place of each constant, if it is about one."""
    reason: str
    call: str
    """The call that would help, as Rust has it."""

    def __str__(self) -> str:
        return f"{self.table}: {self.reason} {self.call}"


@dataclass(frozen=True)
class Copied:
    """What a backup or a compaction has made."""

    records: int
    bytes_before: int
    bytes_after: int


@dataclass(frozen=True)
class Exported:
    """What an export has written so far, and at its end."""

    entities: int
    bytes: int
    position: str | None
    """Where it goes on; ``None`` at the end."""


@dataclass(frozen=True)
class Imported:
    """What an import has loaded so far, and at its end."""

    entities: int
    skipped: int
    """Entities that were there and stayed, by ``existing="skip"``."""
    line: int
    """The last line that is loaded, from 1."""


@dataclass(frozen=True)
class Refused:
    """An entity that the service would not take, and all that stands against it."""

    table: str
    partition_key: str
    row_key: str
    reasons: list[EntableError]


@dataclass(frozen=True)
class Finding:
    """One contradiction in a file, and where it is."""

    page: int | None
    """The page, from 0, of 4,096 bytes; ``None`` where it is about the whole file."""
    kind: str
    is_damage: bool
    table: str | None
    partition_key: str | None
    row_key: str | None
    sentence: str
    text: str = field(repr=False, compare=False, default="")

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True)
class Report:
    """What ``verify`` has seen of a file, and what it has found. ``str()`` of it is for people."""

    pages: int
    used_pages: int
    free_pages: int
    leaked_pages: int
    tables: int
    entities: int
    index_entries: int
    changes: int
    findings: list[Finding]
    """The first thousand of them."""
    finding_count: int
    damage_count: int
    text: str = field(repr=False, compare=False, default="")

    @property
    def is_clean(self) -> bool:
        """Whether no damage was found."""
        return self.damage_count == 0

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True)
class Latency:
    """How long something took, in seconds. Quantiles are at most a quarter too high."""

    samples: int
    p50: float
    p90: float
    p99: float
    max: float


@dataclass(frozen=True)
class Sizes:
    """How large something was. Quantiles are at most a quarter too high."""

    count: int
    sum: int
    p50: int
    p99: int
    max: int


@dataclass(frozen=True)
class FileStats:
    """The store's file."""

    bytes: int
    page_bytes: int
    used_pages: int
    free_pages: int


@dataclass(frozen=True)
class DatabaseStats:
    """One of the databases in the file."""

    records: int
    bytes: int


@dataclass(frozen=True)
class Readers:
    """Read transactions."""

    held: list[float]
    """For how many seconds each snapshot and copy of this process has been open, the oldest first."""
    slots_used: int
    slots: int


@dataclass(frozen=True)
class BusyPartition:
    """A partition that is read or written much; its share of all reads and writes lies between the two."""

    table: str
    partition_key: str
    least_share: float
    most_share: float


@dataclass(frozen=True)
class Stats:
    """What a store says of itself. Commits are all timed, reads and queries are sampled. ``str()`` is for people."""

    reads: Latency
    queries: Latency
    commits: Latency
    commit_groups: Sizes
    """How many groups shared a commit."""
    commit_bytes: Sizes
    group_changes: Sizes
    query_kinds: dict[str, int]
    """Pages of queries, by their way to the rows."""
    file: FileStats
    databases: dict[str, DatabaseStats]
    """By name: ``rows`` has all entities, ``indexes`` all entries."""
    readers: Readers
    busiest_partitions: list[BusyPartition]
    timestamp_lead: float
    """By how many seconds the last Timestamp is ahead of the clock."""
    text: str = field(repr=False, compare=False, default="")

    def __str__(self) -> str:
        return self.text


class Page(Iterator[Any]):
    """A page of an answer: an iterator, which notebooks show as a table."""

    def __init__(self, items: list[Any]) -> None:
        self._items = items
        self._next = 0

    def __next__(self) -> Any:
        if self._next >= len(self._items):
            raise StopIteration
        self._next += 1
        return self._items[self._next - 1]

    def __length_hint__(self) -> int:
        return len(self._items) - self._next

    def _repr_html_(self) -> str:
        names: dict[str, None] = {}
        for item in self._items:
            names.update(dict.fromkeys(item if isinstance(item, dict) else ["name"]))
        cells = (
            [item.get(name, "") if isinstance(item, dict) else item.name for name in names] for item in self._items
        )
        return html_table(names, cells)


def html_table(head: Iterable[str] | None, rows: Iterable[Iterable[Any]]) -> str:
    """A table of texts, as notebooks show it."""

    def row(cells: Iterable[Any], tag: str) -> str:
        return "<tr>" + "".join(f"<{tag}>{escape(str(cell))}</{tag}>" for cell in cells) + "</tr>"

    head_row = f"<thead>{row(head, 'th')}</thead>" if head is not None else ""
    return f"<table>{head_row}<tbody>{''.join(row(cells, 'td') for cells in rows)}</tbody></table>"
