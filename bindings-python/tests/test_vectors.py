"""Every conformance vector, in every mode that it names, from Python."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import entable
import form
import pytest
import runner

MODES = ("strict", "extended", "portable")


def cases() -> Iterator[Any]:
    for path in form.files():
        content = form.read(path)
        form.known(content, {"about", "given", "cases"}, path.name)
        for case in content["cases"]:
            if runner.LANGUAGE in case.get("only", [runner.LANGUAGE]):
                for mode in case.get("modes", ["portable"]):
                    yield pytest.param(case, content.get("given", []), mode, id=f"{path.stem}::{case['name']}[{mode}]")


@pytest.mark.parametrize(("case", "given", "mode"), list(cases()))
def test_vector(case: dict[str, Any], given: list[dict[str, Any]], mode: runner.Mode) -> None:
    runner.run_case(case, given, mode)


# The Timestamp that the table's filters speak of.
NOW = "2026-12-01T12:00:00.1234567Z"
TRUTH_TABLE = form.read(form.VECTORS / "truth_table.json")


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("row", TRUTH_TABLE["rows"], ids=lambda row: f"S7.6/{row['n']}")
def test_truth_table(row: dict[str, Any], mode: runner.Mode) -> None:
    form.known(row, {"n", "filter", "mark", *MODES}, "row")
    with entable.Store(":memory:", mode=mode, clock=runner.Clock(NOW)) as store:
        table = store.create_table(runner.TABLE)
        table.create_entity(form.entity(TRUTH_TABLE["entity"]))
        try:
            found: bool | int | None = bool(list(table.query_entities(row["filter"])))
        except entable.HttpResponseError as error:
            found = error.status_code
        assert found == row[mode]
