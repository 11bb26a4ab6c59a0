"""The runner of the vectors fails where an answer is another, or the form is one that it does not know."""

from __future__ import annotations

from typing import Any

import pytest
import runner

P1 = {"PartitionKey": "p", "RowKey": "1", "A": 5, "D@odata.type": "Edm.Double", "D": 5.0}
GET = {"do": "get_entity", "partition_key": "p", "row_key": "1"}
QUERY = {"do": "query_entities", "filter": ""}
CREATE = {"do": "create_entity", "entity": P1}


def run(*steps: dict[str, Any], **members: Any) -> None:
    case = {"name": "case", "rules": [], "mark": "I", "source": "", "steps": list(steps), **members}
    runner.run_case(case, [P1], "portable")


def test_what_holds_passes() -> None:
    run({**GET, "expect": {"entity": P1}}, {**QUERY, "expect": {"rows": ["1"], "count": 1, "pages": [[["p", "1"]]]}})
    run({**CREATE, "expect": {"error": {"code": "EntityAlreadyExists", "message": "The specified"}}})


@pytest.mark.parametrize(
    "step",
    [
        {**GET, "expect": {"entity": {**P1, "A": 6}}},
        {**GET, "expect": {"entity": {**P1, "A@odata.type": "Edm.Int64"}}},
        {**GET, "expect": {"entity": {**P1, "D@odata.type": "Edm.Int32", "D": 5}}},
        {**GET, "expect": {"entity": {**P1, "More": 1}}},
        {**GET, "expect": {"entity": dict(reversed(P1.items()))}},
        {**GET, "expect": {"entity": {"PartitionKey": "p", "RowKey": "1", "A": 5}}},
        {**GET, "expect": {"entity": {**P1, "Timestamp": None}}},
        {**GET, "expect": {"error": {"code": "ResourceNotFound"}}},
        {**GET, "row_key": "2", "expect": "ok"},
        {**GET, "row_key": "2", "expect": {"error": {"code": "TableNotFound"}}},
        {**GET, "row_key": "2", "expect": {"error": {"code": "ResourceNotFound"}, "raises": "ValueError"}},
        {**CREATE, "expect": {"error": {"message": "Something else"}}},
        {**QUERY, "expect": {"rows": []}},
        {**QUERY, "expect": {"rows": ["1", "2"]}},
        {**QUERY, "expect": {"pages": [["1"], ["2"]]}},
        {**QUERY, "expect": {"more": False}},
        {**QUERY, "expect": {"everything": True}},
        {**QUERY, "expect": "ok", "order": "descending"},
        {**QUERY, "expect": "ok", "expect_by": {"python": {"rows": []}}},
        {**QUERY, "expect": "ok", "expect_in": {"portable": {"rows": []}}},
    ],
)
def test_what_does_not_hold_fails(step: dict[str, Any]) -> None:
    with pytest.raises(AssertionError):
        run(step)


def test_an_unknown_verb_or_member_fails() -> None:
    with pytest.raises(KeyError):
        run({"do": "rename_table", "expect": "ok"})
    with pytest.raises(AssertionError):
        run({**QUERY, "expect": "ok"}, setup=[])
