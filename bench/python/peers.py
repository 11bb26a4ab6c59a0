"""What is measured: each set up as someone who knows it would, with a sync for every commit where it has one."""

from __future__ import annotations

import asyncio
import sqlite3
import threading
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, ClassVar, Protocol

import diskcache
import entable
import lmdb
import msgpack
from employees import FIELDS, KEYS, Ask, Row, natural
from entable import aio

# Behind all RowKeys of a partition.
_LAST = "\x7f"


class Peer(Protocol):
    """``loaded`` makes what ``load`` takes, untimed. ``None`` stands for what a peer does not do."""

    name: str

    def loaded(self, rows: list[Row]) -> Any: ...
    def load(self, batch: Any) -> None: ...
    def insert(self, row: Row) -> None: ...
    def remove(self, partition: str, row: str) -> None: ...
    def get(self, partition: str, row: str) -> Any: ...
    def load_natural(self, rows: list[Row]) -> None: ...
    def get_natural(self, partition: str, row: str) -> Any: ...
    def range(self, partition: str, row: str, limit: int) -> Sequence[Any] | None: ...
    def scan(self, ask: Ask, partition: str | None = None) -> Sequence[Any] | None: ...
    def count(self) -> int: ...
    def insert_in_tasks(self, rows: list[Row], callers: int) -> None: ...
    def close(self) -> None: ...


class Entable:
    name = "entable"

    def __init__(self, folder: Path) -> None:
        self.path = folder / "employees.ent"
        self.store = entable.Store(self.path)
        self.table = self.store.create_table("Employees")
        self.natural = self.store.create_table("Natural")

    def loaded(self, rows: list[Row]) -> Any:
        return rows

    def load(self, batch: Any) -> None:
        self.store.submit_batch(("Employees", "create", row) for row in batch)

    def insert(self, row: Row) -> None:
        self.table.create_entity(row)

    def remove(self, partition: str, row: str) -> None:
        self.table.delete_entity(partition, row)

    def get(self, partition: str, row: str) -> Any:
        return self.table.get_entity(partition, row)

    def load_natural(self, rows: list[Row]) -> None:
        self.store.submit_batch([("Natural", "create", natural(row)) for row in rows])

    def get_natural(self, partition: str, row: str) -> Any:
        return self.natural.get_entity(partition, row)

    def range(self, partition: str, row: str, limit: int) -> Sequence[Any]:
        parameters = {"partition": partition, "row": row}
        found = self.table.query_entities(
            "PartitionKey eq @partition and RowKey ge @row", parameters=parameters, limit=limit
        )
        return list(found)

    def scan(self, ask: Ask, partition: str | None = None) -> Sequence[Any]:
        terms = {
            "PartitionKey eq @partition": partition is not None,
            "City eq @city": ask.city is not None,
            "Age gt 60": ask.is_old,
            "Active eq false": ask.is_inactive,
        }
        text = " and ".join(term for term, is_asked in terms.items() if is_asked)
        parameters = {"partition": partition, "city": ask.city}
        given = {name: value for name, value in parameters.items() if value is not None}
        return list(self.table.query_entities(text, parameters=given))

    def count(self) -> int:
        return self.table.count()

    def insert_in_tasks(self, rows: list[Row], callers: int) -> None:
        todo = iter(rows)

        async def caller(table: aio.Table) -> None:
            for row in todo:
                await table.create_entity(row)

        async def main() -> None:
            async with aio.Store(self.path) as store:
                table = store.get_table_client("Employees")
                await asyncio.gather(*(caller(table) for _ in range(callers)))

        asyncio.run(main())

    def close(self) -> None:
        self.store.close()


class OneByOne:
    """What inserts in no other way than one after the other."""

    def insert(self, row: Row) -> None:
        raise NotImplementedError

    def insert_in_tasks(self, rows: list[Row], _callers: int) -> None:
        for row in rows:
            self.insert(row)


class Lmdb(OneByOne):
    """py-lmdb with msgpack; or its bytes alone, of which nothing is decoded: the floor."""

    def __init__(self, folder: Path, is_floor: bool = False) -> None:
        self.name, self.is_floor = ("floor" if is_floor else "msgpack"), is_floor
        self.env = lmdb.open(str(folder), map_size=16 << 30, max_dbs=4)
        self.db, self.natural = self.env.open_db(b"rows"), self.env.open_db(b"natural")

    @staticmethod
    def key(partition: str, row: str) -> bytes:
        return f"{partition}\0{row}".encode()

    def row(self, key: bytes, value: bytes) -> Any:
        if self.is_floor:
            return value
        row = msgpack.unpackb(value)
        row["PartitionKey"], _, row["RowKey"] = key.decode().partition("\0")
        return row

    def loaded(self, rows: list[Row]) -> Any:
        return rows

    def load(self, batch: Any, db: Any = None) -> None:
        with self.env.begin(write=True, db=db or self.db) as transaction:
            for row in batch:
                value = msgpack.packb({name: row[name] for name in FIELDS})
                transaction.put(self.key(row["PartitionKey"], row["RowKey"]), value)

    def insert(self, row: Row) -> None:
        self.load([row])

    def remove(self, partition: str, row: str) -> None:
        with self.env.begin(write=True, db=self.db) as transaction:
            transaction.delete(self.key(partition, row))

    def get(self, partition: str, row: str, db: Any = None) -> Any:
        key = self.key(partition, row)
        with self.env.begin(db=db or self.db) as transaction:
            return self.row(key, transaction.get(key))

    def load_natural(self, rows: list[Row]) -> None:
        self.load(rows, self.natural)

    def get_natural(self, partition: str, row: str) -> Any:
        found = self.get(partition, row, self.natural)
        return found if self.is_floor else natural(found)

    def items(self, start: bytes, end: bytes | None) -> Iterator[tuple[bytes, bytes]]:
        with self.env.begin(db=self.db) as transaction:
            cursor = transaction.cursor()
            if cursor.set_range(start):
                for key, value in cursor:
                    if end is not None and key >= end:
                        return
                    yield key, value

    def range(self, partition: str, row: str, limit: int) -> Sequence[Any]:
        found: list[Any] = []
        for key, value in self.items(self.key(partition, row), self.key(partition, _LAST)):
            found.append(self.row(key, value))
            if len(found) == limit:
                break
        return found

    def scan(self, ask: Ask, partition: str | None = None) -> Sequence[Any] | None:
        if self.is_floor:
            return None
        start, end = (b"\0", None) if partition is None else (self.key(partition, ""), self.key(partition, _LAST))
        return [row for row in (self.row(*item) for item in self.items(start, end)) if ask.holds(row)]

    def count(self) -> int:
        with self.env.begin(db=self.db) as transaction:
            return int(transaction.stat(self.db)["entries"])

    def close(self) -> None:
        self.env.close()


class Sqlite(OneByOne):
    """sqlite3: WAL, a sync for every commit, mmap, 64 MB of cache; threads share one connection behind a lock."""

    name = "sqlite"
    _columns: ClassVar[list[str]] = [*KEYS, *FIELDS]

    def __init__(self, folder: Path) -> None:
        path = folder / "employees.db"
        self.lock = threading.Lock()
        self.database = sqlite3.connect(path, isolation_level=None, cached_statements=64, check_same_thread=False)
        for pragma in ("journal_mode=wal", "synchronous=full", "mmap_size=17179869184", "cache_size=-65536"):
            self.database.execute(f"pragma {pragma}")
        types = "First text, Last text, Email text, City text, Age integer, Salary real, Hired integer"
        for table in ("t", "n"):
            self.database.execute(
                f"create table {table} (PartitionKey text not null, RowKey text not null, {types}, Active integer,"
                " Badge blob, Notes text, primary key (PartitionKey, RowKey)) without rowid"
            )

    def loaded(self, rows: list[Row]) -> Any:
        return [tuple(row.values()) for row in rows]

    def load(self, batch: Any, table: str = "t") -> None:
        self.database.execute("begin immediate")
        self.database.executemany(f"insert into {table} values ({', '.join('?' * 12)})", batch)
        self.database.execute("commit")

    def insert(self, row: Row) -> None:
        with self.lock:
            self.database.execute(f"insert into t values ({', '.join('?' * 12)})", tuple(row.values()))

    def remove(self, partition: str, row: str) -> None:
        self.database.execute("delete from t where PartitionKey = ? and RowKey = ?", (partition, row))

    def rows(self, rest: str, *parameters: Any) -> list[Row]:
        found = self.database.execute(f"select * from {rest}", parameters)
        return [dict(zip(self._columns, row, strict=True)) for row in found]

    def get(self, partition: str, row: str) -> Any:
        return self.rows("t where PartitionKey = ? and RowKey = ?", partition, row)[0]

    def load_natural(self, rows: list[Row]) -> None:
        self.load(self.loaded(rows), "n")

    def get_natural(self, partition: str, row: str) -> Any:
        return natural(self.rows("n where PartitionKey = ? and RowKey = ?", partition, row)[0])

    def range(self, partition: str, row: str, limit: int) -> Sequence[Any]:
        where = "t where PartitionKey = ? and RowKey >= ? order by PartitionKey, RowKey limit ?"
        return self.rows(where, partition, row, limit)

    def scan(self, ask: Ask, partition: str | None = None) -> Sequence[Any]:
        terms = {
            "PartitionKey = ?": partition is not None,
            "City = ?": ask.city is not None,
            "Age > 60": ask.is_old,
            "Active = 0": ask.is_inactive,
        }
        where = " and ".join(term for term, is_asked in terms.items() if is_asked)
        return self.rows(f"t where {where}", *(value for value in (partition, ask.city) if value is not None))

    def count(self) -> int:
        return int(self.database.execute("select count(*) from t").fetchone()[0])

    def close(self) -> None:
        self.database.close()


class Disk(OneByOne):
    """diskcache: pickled dicts in SQLite, which has no order to read them in."""

    name = "diskcache"

    def __init__(self, folder: Path) -> None:
        self.cache = diskcache.Cache(str(folder), eviction_policy="none", size_limit=1 << 40)

    def loaded(self, rows: list[Row]) -> Any:
        return rows

    def load(self, batch: Any) -> None:
        with self.cache.transact():
            for row in batch:
                self.insert(row)

    def insert(self, row: Row) -> None:
        self.cache[row["PartitionKey"], row["RowKey"]] = row

    def remove(self, partition: str, row: str) -> None:
        del self.cache[partition, row]

    def get(self, partition: str, row: str) -> Any:
        return self.cache[partition, row]

    def load_natural(self, rows: list[Row]) -> None:
        with self.cache.transact():
            for row in rows:
                self.cache["natural", row["PartitionKey"], row["RowKey"]] = natural(row)

    def get_natural(self, partition: str, row: str) -> Any:
        return self.cache["natural", partition, row]

    def range(self, _partition: str, _row: str, _limit: int) -> None:
        return None

    def scan(self, _ask: Ask, _partition: str | None = None) -> None:
        return None

    def count(self) -> int:
        # The natural rows are in the same cache.
        return sum(len(key) == 2 for key in self.cache.iterkeys())

    def close(self) -> None:
        self.cache.close()


MAKE = {
    "entable": Entable,
    "floor": lambda folder: Lmdb(folder, is_floor=True),
    "msgpack": Lmdb,
    "sqlite": Sqlite,
    "diskcache": Disk,
}
