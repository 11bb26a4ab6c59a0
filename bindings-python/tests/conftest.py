"""The store of most tests; and says how many vectors ran, and why the others did not."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest
from entable import Store


@pytest.fixture
def store() -> Iterator[Store]:
    with Store(":memory:") as store:
        yield store


def pytest_terminal_summary(terminalreporter: Any) -> None:
    def of_vectors(outcome: str) -> list[Any]:
        return [report for report in terminalreporter.stats.get(outcome, []) if "test_vectors" in report.nodeid]

    ran = len(of_vectors("passed")) + len(of_vectors("failed"))
    reasons = Counter(str(report.longrepr[2]).removeprefix("Skipped: ") for report in of_vectors("skipped"))
    if ran or reasons:
        terminalreporter.write_line(f"vectors: {ran} ran, {sum(reasons.values())} skipped")
    for reason, count in reasons.most_common():
        terminalreporter.write_line(f"  {count} skipped: {reason}")
