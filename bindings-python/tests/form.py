"""The form of the conformance vectors: entities, values and generators, as ``tests/vectors/README.md`` says."""

from __future__ import annotations

import base64
import json
import math
import struct
import uuid
from datetime import datetime
from pathlib import Path
from typing import Any

import entable

VECTORS = Path(__file__).parents[2] / "tests" / "vectors"
NOT_CASES = {"rules.json", "schema.json", "truth_table.json"}
ANNOTATION = "@odata.type"


def files() -> list[Path]:
    return sorted(path for path in VECTORS.glob("*.json") if path.name not in NOT_CASES)


def read(path: Path) -> Any:
    return json.loads(path.read_text(encoding="utf-8"))


def known(members: Any, names: set[str], what: str) -> None:
    """Refuses what the form does not know: it would be passed over."""
    unknown = set(members) - names
    assert not unknown, f"{what}: the form has no {sorted(unknown)}"


def text(value: Any) -> str:
    """A string, or a generator of one."""
    match value:
        case str():
            return value
        case {"$repeat": [piece, count]}:
            return str(piece) * int(count)
        case {"$concat": [*parts]}:
            return "".join(map(text, parts))
    raise AssertionError(f"no text: {value!r}")


def names(select: Any) -> str | list[str]:
    return select if isinstance(select, str) else [text(name) for name in select]


def filled(entity: dict[str, Any]) -> dict[str, Any]:
    """The members of an entity, with those that ``$fill`` stands for."""
    members: dict[str, Any] = {}
    for name, value in entity.items():
        if name == "$fill":
            known(value, {"prefix", "count", "value"}, "$fill")
            members.update((f"{value['prefix']}{n}", value["value"]) for n in range(value["count"]))
        else:
            members[name] = value
    return members


def typed(value: Any, edm_type: str | None) -> tuple[str, Any] | None:
    """The Edm type and the plain Python value of a member; nothing for null."""
    match value, edm_type:
        case None, _:
            return None
        case bool(), None | "Edm.Boolean":
            return "Edm.Boolean", value
        case int(), None | "Edm.Int32":
            return "Edm.Int32", value
        case {"$integer": number}, None:
            return "untyped", int(number)
        case {"$remove": True}, None:
            return "change", entable.Remove()
        case {"$add": {"type": added_type, "value": number}}, None:
            return "change", entable.Add(to_python(typed(number, added_type)))
        case {"$add": added}, None:
            return "change", entable.Add(to_python(typed(added, None)))
        case {"$bytes": [byte, count]}, None:
            return "Edm.Binary", bytes([byte]) * count
        case ((str() | dict()), None | "Edm.String"):
            return "Edm.String", text(value)
        case ((str() | int()), "Edm.Int32" | "Edm.Int64"):
            return edm_type, int(value)
        case ((str() | int() | float()), "Edm.Double"):
            return edm_type, float(value)
        case str(), "Edm.DateTime":
            return edm_type, ticks(value)
        case str(), "Edm.Guid":
            return edm_type, uuid.UUID(value)
        case str(), "Edm.Binary":
            return edm_type, base64.b64decode(value)
    raise AssertionError(f"no value: {value!r} {edm_type}")


def ticks(value: str) -> int:
    whole, _, fraction = value.removesuffix("Z").partition(".")
    seconds = datetime.fromisoformat(whole) - datetime(1, 1, 1)
    return (seconds.days * 86_400 + seconds.seconds) * 10_000_000 + int(fraction.ljust(7, "0") or 0)


def members(entity: dict[str, Any]) -> dict[str, tuple[str, Any] | None]:
    """Names with types and values, keys included, annotations taken in."""
    all_members = filled(entity)
    return {
        name: typed(value, all_members.get(name + ANNOTATION))
        for name, value in all_members.items()
        if not name.endswith(ANNOTATION) and name not in ("Timestamp", "odata.etag")
    }


def to_python(member: tuple[str, Any] | None) -> Any:
    """The object that says type and value to the binding."""
    match member:
        case None:
            return None
        case "Edm.Int32", number:
            return entable.EntityProperty(number, entable.EdmType.INT32)
        case "Edm.Int64", number:
            return entable.Int64(number)
        case "Edm.DateTime", number:
            return entable.DateTime.from_ticks(number)
        case _, value:
            return value


def from_python(value: Any) -> tuple[str, Any]:
    """Type and value of an object that the binding gave."""
    if type(value) is entable.Int64:
        return "Edm.Int64", value.value
    if type(value) is entable.DateTime:
        return "Edm.DateTime", value.ticks
    if type(value) is datetime:
        since = value - datetime.fromisoformat("0001-01-01T00:00:00+00:00")
        return "Edm.DateTime", ((since.days * 86_400 + since.seconds) * 1_000_000 + since.microseconds) * 10
    plain = {
        bool: "Edm.Boolean",
        int: "Edm.Int32",
        float: "Edm.Double",
        str: "Edm.String",
        bytes: "Edm.Binary",
        uuid.UUID: "Edm.Guid",
    }
    return plain[type(value)], value


def handed_in(value: Any) -> tuple[str, Any]:
    """Type and value of an object that says its type, as those of operations do."""
    if isinstance(value, entable.EntityProperty):
        return entable.EdmType(value.edm_type).value, value.value
    assert type(value) is not int, "an int without a type"
    return from_python(value)


def bits(member: tuple[str, Any] | None) -> Any:
    """Something to compare by: NaN is NaN, and 0.0 is not -0.0."""
    match member:
        case "Edm.Double", number:
            return "Edm.Double", "NaN" if math.isnan(number) else struct.pack("<d", number)
    return member


def entity(given: dict[str, Any]) -> dict[str, Any]:
    """The entity as one hands it in; ``Timestamp`` and annotations come along, as they do when one was read."""
    made = {name: to_python(member) for name, member in members(given).items()}
    return made | {name: given[name] for name in ("Timestamp", "odata.etag") if name in given}


def stored(given: dict[str, Any]) -> dict[str, Any]:
    """The entity as a store would have given it, if it has a Timestamp: only a store gives one."""
    handed_in = entity(given)
    if given.get("Timestamp") is None:
        return handed_in
    stamp = entable.DateTime.from_ticks(ticks(given["Timestamp"]))
    with entable.Store(":memory:", mode="extended", clock=lambda: stamp) as store:
        table = store.create_table("vectors")
        table.create_entity(handed_in)
        return table.get_entity(handed_in["PartitionKey"], handed_in["RowKey"])
