"""Entities as the caller's own classes: dataclasses and ``TypedDict``.

A field is a property of the same name; ``partition_key`` and ``row_key`` stand for ``PartitionKey`` and ``RowKey``, and
``field(metadata={"property": "FirstName"})`` names another.
"""

from __future__ import annotations

import dataclasses
import enum
import types
import typing
from collections.abc import Mapping
from typing import Any

_KEYS = {"partition_key": "PartitionKey", "row_key": "RowKey"}


def _name(field: dataclasses.Field[Any]) -> str:
    return str(field.metadata.get("property", _KEYS.get(field.name, field.name)))


def properties(entity: Any) -> dict[str, Any]:
    """The properties of a dataclass's object."""
    if isinstance(entity, type):
        raise TypeError(f"an entity is an object, not the class {entity.__name__}")
    return {_name(field): getattr(entity, field.name) for field in dataclasses.fields(entity)}


def shaped(entity: Mapping[str, Any], class_: Any) -> Any:
    """The entity as an object of the class. Properties that the class does not have are left out."""
    if dataclasses.is_dataclass(class_) and isinstance(class_, type):
        return _dataclass(entity, class_)
    if isinstance(class_, type) and issubclass(class_, dict) and hasattr(class_, "__required_keys__"):
        required: frozenset[str] = getattr(class_, "__required_keys__")  # noqa: B009, since `dict` has none of it
        missing = sorted(required - entity.keys())
        if missing:
            raise TypeError(f"the entity has no property {missing[0]!r}, which {class_.__name__} requires")
        return {name: entity[name] for name in typing.get_type_hints(class_) if name in entity}
    raise TypeError(f"as_ is a dataclass or a TypedDict, not {class_!r}")


def _dataclass(entity: Mapping[str, Any], class_: type[Any]) -> Any:
    hints = typing.get_type_hints(class_)
    arguments: dict[str, Any] = {}
    for field in dataclasses.fields(class_):
        if not field.init:
            continue
        name = _name(field)
        if name in entity:
            arguments[field.name] = _restored(entity[name], hints.get(field.name))
        elif field.default is dataclasses.MISSING and field.default_factory is dataclasses.MISSING:
            if not _is_optional(hints.get(field.name)):
                raise TypeError(f"the entity has no property {name!r}, which {class_.__name__} requires")
            arguments[field.name] = None
    return class_(**arguments)


def _parts(hint: Any) -> tuple[Any, ...]:
    return typing.get_args(hint) if typing.get_origin(hint) in (typing.Union, types.UnionType) else (hint,)


def _is_optional(hint: Any) -> bool:
    return type(None) in _parts(hint)


def _restored(value: Any, hint: Any) -> Any:
    """A member of an ``Enum``, which is stored as its text."""
    for part in _parts(hint):
        if isinstance(part, type) and issubclass(part, enum.Enum):
            for member in part:
                if str(member) == value:
                    return member
    return value
