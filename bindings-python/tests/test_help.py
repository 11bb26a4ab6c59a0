"""``help()`` is enough to work from: everything public says what it does, and what it takes."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from types import ModuleType
from typing import Any

import entable
import pytest
from entable import aio, keys, patterns


def public() -> Iterator[Any]:
    modules: list[ModuleType] = [entable, aio, keys, patterns]
    for module in modules:
        for name in module.__all__:
            what = getattr(module, name)
            yield pytest.param(what, id=f"{module.__name__}.{name}")
            if inspect.isclass(what) and what.__module__.startswith("entable"):
                for member in vars(what):
                    if not member.startswith("_") and not issubclass(what, Exception | str):
                        yield pytest.param(getattr(what, member), id=f"{module.__name__}.{name}.{member}")


@pytest.mark.parametrize("what", list(public()))
def test_it_says_what_it_does(what: Any) -> None:
    if not (callable(what) or inspect.ismodule(what) or inspect.isdatadescriptor(what)):
        pytest.skip("a value")
    if inspect.ismemberdescriptor(what):
        pytest.skip("a field")
    documentation = inspect.getdoc(what) or ""
    assert len(documentation.split()) > 2
    if callable(what) and not inspect.isclass(what):
        assert "..." not in str(inspect.signature(what)), "a default that nobody can read"


def test_a_query_can_be_written_from_its_help() -> None:
    for table in (entable.Table, aio.Table):
        text = inspect.getdoc(table.query_entities) or ""
        text += str(inspect.signature(table.query_entities))
        for word in ("query_filter", "results_per_page", "parameters", "limit", "order_by", "by_page", "@name", ">>>"):
            assert word in text
