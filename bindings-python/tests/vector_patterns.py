"""The verbs of the vectors that are about patterns: what their members say, made of the package's own objects."""

from __future__ import annotations

from typing import Any

import form
from entable import patterns

PERIODS = {"year", "month", "day", "hour"}


def field(given: Any) -> str | patterns.Field:
    if isinstance(given, str):
        return given
    form.known(given, {"name", "padded", "each", "form"}, "field")
    return patterns.Field(given["name"], padded=given.get("padded"), form=given.get("form"), each=given.get("each"))


def pattern(given: dict[str, Any]) -> Any:
    """The pattern of a step. Its members are the arguments of its constructor, most under their own names."""
    members = dict(given)
    name, table = members.pop("name"), members.pop("table")
    fields = [field(each) for each in members.pop("fields", [])]
    match name:
        case "SecondaryIndex":
            select = members.pop("select", None)
            match members:
                case {"copies": copies, **nothing} if not nothing:
                    return patterns.SecondaryIndex.in_table(table, copies, *fields, select=select)
                case {"row_prefix": row_prefix, "prefix": prefix, **nothing} if not nothing:
                    return patterns.SecondaryIndex.in_partitions(table, row_prefix, prefix, *fields, select=select)
            return patterns.SecondaryIndex(table, members["prefix"], *fields, select=select)
        case "IndexEntities":
            return patterns.IndexEntities(table, members.pop("prefix"), fields, **members)
        case "IndexTable":
            make = getattr(patterns.IndexTable, members.pop("holding"))
            select = [members.pop("select")] if "select" in members else []
            return make(table, members.pop("entries"), fields, *select, **members)
        case "UniqueGuard":
            partition_key = members.pop("partition", None)
            return patterns.UniqueGuard(table, members.pop("prefix"), fields[0], partition_key=partition_key, **members)
        case "FoldedKey" if "prefix" in members:
            return patterns.FoldedKey.keyed(table, **members)
        case "FoldedKey":
            return patterns.FoldedKey.property(table, **members)
        case "LogTail":
            return patterns.LogTail(table, members.pop("property"), **members)
        case "DistinctList":
            return patterns.DistinctList(table, members.pop("prefix"), *fields, **members)
        case "CompoundKey":
            return patterns.CompoundKey(table, fields, **members)
        case "WideEntity" | "DataSeries":
            return getattr(patterns, name)(table, **members)
    raise AssertionError(f"no pattern {name}")


def changes(step: dict[str, Any]) -> patterns.Changes:
    former, new = (None if step[state] is None else form.entity(step[state]) for state in ("former", "new"))
    made = pattern(step["pattern"])
    takes_stored = isinstance(made, patterns.IndexEntities | patterns.DistinctList)
    stored = [[form.entity(entity) for entity in step.get("stored", [])]] if takes_stored else []
    found: patterns.Changes = made.changes(former, new, *stored)
    return found


def lookup(step: dict[str, Any], arguments: list[Any]) -> dict[str, Any]:
    made, call = pattern(step["pattern"]), step["call"]
    if isinstance(made, patterns.IndexTable) and call in ("find", "starting_with"):
        arguments = [arguments]
    elif isinstance(made, patterns.IndexEntities | patterns.CompoundKey) and call != "list":
        arguments = [arguments[0], arguments[1:]]
    found: patterns.Lookup = getattr(made, call)(*arguments)
    shown: dict[str, Any] = {"table": found.table, "filter": found.filter}
    return shown if found.limit is None else {**shown, "limit": found.limit}


def rows(step: dict[str, Any], arguments: list[Any]) -> list[tuple[str, str]]:
    made, stored = pattern(step["pattern"]), [form.entity(entity) for entity in step["stored"]]
    if isinstance(made, patterns.UniqueGuard):
        return [made.holder(guard) for guard in stored]
    found: list[tuple[str, str]] = made.rows(*arguments, stored)
    return found


def shown(steps: list[patterns.Step]) -> list[Any]:
    """Steps as something to compare: by type and value, in any order of properties."""
    return [(step.table, [_shown(*operation) for operation in step.operations()]) for step in steps]


def _shown(name: str, entity: dict[str, Any], kwargs: dict[str, Any]) -> Any:
    mode = kwargs["mode"].value if "mode" in kwargs else None
    conditions = {key: value for key, value in kwargs.items() if key != "mode"}
    return name, {key: form.bits(form.handed_in(value)) for key, value in entity.items()}, mode, conditions


def expected(steps: list[dict[str, Any]]) -> list[Any]:
    return [(step["table"], [_expected(operation) for operation in step["operations"]]) for step in steps]


def _expected(operation: dict[str, Any]) -> Any:
    form.known(operation, {"do", "mode", "entity", "partition_key", "row_key"}, "operation")
    name = operation["do"].removesuffix("_entity")
    if name == "delete":
        keys = zip(("PartitionKey", "RowKey"), (operation["partition_key"], operation["row_key"]), strict=True)
        return name, {key: ("Edm.String", form.text(text)) for key, text in keys}, None, {}
    members = form.members(operation["entity"]).items()
    return name, {key: form.bits(member) for key, member in members if member}, operation.get("mode"), {}
