"""Fixtures for tests with pytest: ``entable_store`` is a new store in memory for every test."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from ._entable import Store


@pytest.fixture
def entable_store() -> Iterator[Store]:
    """A new store in memory, closed after the test."""
    with Store(":memory:") as store:
        yield store
