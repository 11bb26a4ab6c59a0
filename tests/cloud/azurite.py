"""The way to the cloud and back: an export, loaded into Azurite by the official client, read back, compared.

`python azurite.py FOLDER`: the folder has npm's package azurite in it. `make cloud-test` calls it.
"""

from __future__ import annotations

import base64
import json
import socket
import subprocess
import sys
import tempfile
import time
import uuid
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

import entable
from azure.core.exceptions import HttpResponseError
from azure.data.tables import EdmType, TableServiceClient

ACCOUNT = "devstoreaccount1"
# The account of every Azurite, as its documentation gives it: it protects nothing.
KEY = "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw=="
TYPE = "@odata.type"


def filled(store: entable.Store) -> None:
    """Two tables with every type, and what is hardest to keep of each."""
    table = store.create_table("Values")
    table.create_index("ByName", ["Name"])
    for row_key, properties in {
        "numbers": {"I": 5, "L": entable.Int64(2**53 + 1), "Least": entable.Int64(-(2**63)), "D": 5.0, "Third": 1 / 3},
        "odd": {
            "NaN": float("nan"),
            "Inf": float("inf"),
            "NegInf": float("-inf"),
            "Tiny": 5e-324,
            "Max": 1.7976931348623157e308,
        },
        "times": {
            "Ticks": entable.DateTime.from_ticks(637_134_335_999_999_999),
            "First": datetime(1601, 1, 1, tzinfo=timezone.utc),
        },
        "others": {"G": uuid.UUID(int=2**128 - 1), "B": bytes(range(256)), "Empty": b"", "T": True, "F": False},
        "texts": {"S": "", "U": 'é€😀\u2028"\\\n', "Look": "2020-01-01T00:00:00Z", "Name_1": "x" * 32_768},
        "nothing": {},
        "O'Hara é 😀 %20+&": {"Name": "a key with what addresses must escape"},
    }.items():
        table.create_entity({"PartitionKey": "p é", "RowKey": row_key, **properties})
    store.create_table("Many")
    operations = (("Many", "create", {"PartitionKey": f"{n % 3}", "RowKey": f"{n:05}", "N": n}) for n in range(1_500))
    store.submit_batch(operations)


def entity_of(line: dict[str, Any]) -> dict[str, Any]:
    """What the client takes for a line."""
    entity: dict[str, Any] = {}
    for name, value in line.items():
        if name.endswith(TYPE) or name.startswith("odata."):
            continue
        match line.get(name + TYPE):
            case None if isinstance(value, float):
                entity[name] = value
            case None:
                entity[name] = value
            case "Edm.Int64":
                entity[name] = (int(value), EdmType.INT64)
            case "Edm.Double":
                entity[name] = float(value)
            case "Edm.Binary":
                entity[name] = base64.b64decode(value)
            case "Edm.Guid":
                entity[name] = uuid.UUID(value)
            case "Edm.DateTime":
                entity[name] = (value, EdmType.DATETIME)
            case other:
                raise AssertionError(f"no type {other}")
    return entity


def line_of(entity: Any) -> dict[str, Any]:
    """The line for what the client has read."""
    line: dict[str, Any] = {}
    for name, value in entity.items():
        if isinstance(value, bool | str) or type(value) in (int, float):
            if isinstance(value, float) and value - value != 0:
                line[name + TYPE] = "Edm.Double"
                value = {"inf": "Infinity", "-inf": "-Infinity"}.get(str(value), "NaN")
            line[name] = value
        elif isinstance(value, bytes):
            line |= {name + TYPE: "Edm.Binary", name: base64.b64encode(value).decode()}
        elif isinstance(value, uuid.UUID):
            line |= {name + TYPE: "Edm.Guid", name: str(value)}
        elif isinstance(value, datetime):
            # The client keeps the service's own text beside what a datetime can hold.
            text = getattr(value, "tables_service_value", "") or value.isoformat().replace("+00:00", "Z")
            line |= {name + TYPE: "Edm.DateTime", name: text}
        else:
            assert value.edm_type == EdmType.INT64, value
            line |= {name + TYPE: "Edm.Int64", name: str(value.value)}
    return line


def load(service: TableServiceClient, export: Path) -> int:
    """Loads an export as a program of the cloud would: line by line, with nothing of this project."""
    table, count = None, 0
    for text in export.read_text(encoding="utf-8").split("\n")[1:-1]:
        line = json.loads(text)
        if "table" in line:
            table = service.create_table(line["table"])
        else:
            assert table is not None, "no table is named"
            table.create_entity(entity_of(line))
            count += 1
    return count


def read_back(service: TableServiceClient, names: list[str], export: Path) -> None:
    """Writes what is in the cloud as an export."""
    lines: list[dict[str, Any]] = [
        {"entable.export": 1, "versions": False, "tables": [{"name": name} for name in names]}
    ]
    for name in names:
        lines.append({"table": name})
        lines += [line_of(entity) for entity in service.get_table_client(name).list_entities()]
    export.write_text("".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines), encoding="utf-8")


def started(folder: Path, work: Path) -> tuple[subprocess.Popen[bytes], str]:
    """Azurite at a free port."""
    with socket.socket() as any_port:
        any_port.bind(("127.0.0.1", 0))
        port = any_port.getsockname()[1]
    main = folder / "node_modules/azurite/dist/src/table/main.js"
    options = ["--tablePort", str(port), "--silent", "--skipApiVersionCheck", "--location", str(work)]
    azurite = subprocess.Popen(["node", str(main), *options])
    for _ in range(300):
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return azurite, f"http://127.0.0.1:{port}/{ACCOUNT}"
        assert azurite.poll() is None, "Azurite ended"
        time.sleep(0.1)
    raise AssertionError("Azurite does not answer")


def bits(store: entable.Store) -> dict[str, list[str]]:
    """All that is in a store, type by type, versions aside."""

    def shown(entity: entable.TableEntity) -> str:
        return json.dumps(sorted((name, type(value).__name__, repr(value)) for name, value in entity.items()))

    return {
        table.name: [shown(entity) for entity in store.get_table_client(table.name).list_entities()]
        for table in store.list_tables()
    }


def main() -> None:
    with tempfile.TemporaryDirectory() as name:
        work = Path(name)
        azurite, address = started(Path(sys.argv[1]), work)
        try:
            account = f"AccountName={ACCOUNT};AccountKey={KEY}"
            connection = f"DefaultEndpointsProtocol=http;{account};TableEndpoint={address};"
            with TableServiceClient.from_connection_string(connection) as service, entable.Store(":memory:") as store:
                filled(store)
                assert store.check_export() == [], "all of it may go to the cloud"
                exported = store.export(work / "there.jsonl", versions=True)
                assert load(service, work / "there.jsonl") == exported.entities == 1_507
                read_back(service, [table.name for table in store.list_tables()], work / "back.jsonl")
                with entable.Store(":memory:") as back:
                    imported = back.import_entities(work / "back.jsonl")
                    assert imported.entities == exported.entities, imported
                    before, after = bits(store), bits(back)
                    for table, rows in before.items():
                        for one, other in zip(rows, after[table], strict=True):
                            assert one == other, f"{one}\n{other}"
                refused(store, service)
        finally:
            azurite.terminate()
            azurite.wait()
    print(f"{exported.entities} entities to Azurite and back")


def refused(store: entable.Store, service: TableServiceClient) -> None:
    """What Azurite refuses, the dry run names. Azurite does not count properties, as the service does."""
    with entable.Store(":memory:", mode="extended") as wide:
        table = wide.create_table("Wide")
        table.create_entity({"PartitionKey": "p", "RowKey": "long", "S": "x" * 40_000})
        table.create_entity({"PartitionKey": "p", "RowKey": "many", **{f"N{n}": n for n in range(253)}})
        table.create_entity({"PartitionKey": "p", "RowKey": "fine", "S": "x"})
        named = {each.row_key for each in wide.check_export()}
        client = service.create_table("Wide")
        found = set()
        for entity in table.list_entities():
            try:
                client.create_entity(dict(entity))
            except HttpResponseError:
                found.add(entity["RowKey"])
        assert (named, found) == ({"long", "many"}, {"long"})


main()
