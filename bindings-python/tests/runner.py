"""Runs one case of the vectors in one mode."""

from __future__ import annotations

import json
from collections.abc import Callable
from itertools import pairwise
from typing import Any, Literal, TypeAlias

import entable
import form
import vector_patterns

Mode: TypeAlias = Literal["portable", "strict", "extended"]

LANGUAGE = "python"
TABLE = "vectors"

CASE = {"name", "rules", "mark", "source", "modes", "only", "now", "given"}
SHORT = {"filter", "rows", "error", "rows_in", "error_in"}
CONDITION = {"etag", "filter", "parameters"}
EXPECT_STEP = {"do", "table", "in", "save", "expect", "expect_in", "expect_by"}


class Failed(Exception):
    """An expectation that does not hold."""


class Outcome:
    """What a step gave: each part where there is one."""

    def __init__(self, **parts: Any) -> None:
        self.parts = parts

    def __getitem__(self, part: str) -> Any:
        if part not in self.parts:
            raise Failed(f"the step gives no {part}")
        return self.parts[part]


def steps(case: dict[str, Any], mode: Mode) -> list[dict[str, Any]]:
    """The steps of a case; its short form is one of them."""
    form.known(case, CASE | {"steps"} if "steps" in case else CASE | SHORT, case["name"])
    if "steps" in case:
        return list(case["steps"])
    if mode in case.get("error_in", {}):
        expect = {"error": case["error_in"][mode]}
    elif mode in case.get("rows_in", {}):
        expect = {"rows": case["rows_in"][mode]}
    else:
        expect = {"error": case["error"]} if "error" in case else {"rows": case["rows"]}
    return [{"do": "query_entities", "filter": case["filter"], "expect": expect}]


def run_case(case: dict[str, Any], given: list[dict[str, Any]], mode: Mode) -> None:
    todo = steps(case, mode)
    clock = Clock(case["now"]) if "now" in case else None
    with entable.Store(":memory:", mode=mode, clock=clock) as store:
        table = store.create_table(TABLE)
        for entity in case.get("given", given):
            table.upsert_entity(form.entity(entity), entable.UpdateMode.REPLACE)
        runner = Runner(store, mode, clock)
        for number, step in enumerate(todo):
            runner.run(number, step)


class Clock:
    """A clock that stands where it was set."""

    def __init__(self, now: str) -> None:
        self.now = now

    def __call__(self) -> entable.DateTime:
        return entable.DateTime.from_ticks(form.ticks(self.now))


class Runner:
    def __init__(self, store: entable.Store, mode: Mode, clock: Clock | None = None) -> None:
        self.store = store
        self.mode = mode
        self.clock = clock
        self.saved: dict[str, Any] = {}
        self.verbs: dict[str, tuple[Callable[[dict[str, Any]], Outcome], set[str]]] = {
            "create_table": (self.create_table, set()),
            "create_table_if_not_exists": (self.create_table_if_not_exists, set()),
            "delete_table": (self.delete_table, set()),
            "list_tables": (self.list_tables, set()),
            "query_tables": (self.query_tables, {"filter"}),
            "create_entity": (self.create_entity, {"entity"}),
            "update_entity": (self.update_entity, {"entity", "mode"} | CONDITION),
            "upsert_entity": (self.upsert_entity, {"entity", "mode"} | CONDITION),
            "delete_entity": (self.delete_entity, {"partition_key", "row_key"} | CONDITION),
            "create_or_get_entity": (self.create_or_get_entity, {"entity"}),
            "move_entity": (self.move_entity, {"partition_key", "row_key", "to"} | CONDITION),
            "get_entity": (self.get_entity, {"partition_key", "row_key", "select"}),
            "exists": (self.exists, {"partition_key", "row_key"}),
            "get_many": (self.get_many, {"keys"}),
            "query_entities": (self.query_entities, {"filter", "parameters", "select", "limit", "page_size"}),
            "query_page": (self.query_page, {"filter", "parameters", "select", "page_size", "token"}),
            "submit_transaction": (self.submit_transaction, {"operations"}),
            "submit_batch": (self.submit_batch, {"operations"}),
            "snapshot": (self.snapshot, set()),
            "set_clock": (self.set_clock, {"now"}),
            "parse_entity": (self.parse_entity, {"json"}),
            "format_entity": (self.format_entity, {"entity", "metadata", "select"}),
            "entity_size": (self.entity_size, {"entity"}),
            "key": (self.key, {"call", "arguments"}),
            "pattern_changes": (self.pattern_changes, {"pattern", "former", "new", "stored"}),
            "pattern_lookup": (self.pattern_lookup, {"pattern", "call", "arguments"}),
            "pattern_rows": (self.pattern_rows, {"pattern", "stored", "arguments"}),
        }

    def run(self, number: int, step: dict[str, Any]) -> None:
        where = f"step {number}, {step['do']}"
        verb, arguments = self.verbs[step["do"]]
        form.known(step, EXPECT_STEP | arguments, where)
        expect = step["expect"]
        expect = step.get("expect_in", {}).get(self.mode, expect)
        expect = step.get("expect_by", {}).get(LANGUAGE, expect)
        if "skip" in expect:
            return
        try:
            outcome: Outcome | Exception = verb(step)
        except Exception as error:
            outcome = error
        try:
            self.check(expect, outcome)
        except Failed as failed:
            cause = outcome if isinstance(outcome, Exception) else None
            raise AssertionError(f"{where}: {failed}") from cause
        if "save" in step and isinstance(outcome, Outcome):
            self.saved["$" + step["save"]] = next(
                outcome.parts[part] for part in ("snapshot", "token", "etag") if part in outcome.parts
            )

    # The verbs, each with the binding's own call.

    def table(self, step: dict[str, Any]) -> entable.Table:
        return self.store.get_table_client(form.text(step.get("table", TABLE)))

    def reader(self, step: dict[str, Any]) -> entable.Table:
        """The table that a read goes to: now, or at a snapshot."""
        table = self.table(step)
        return table.at(self.saved[step["in"]]) if "in" in step else table

    def create_table(self, step: dict[str, Any]) -> Outcome:
        return Outcome(table=self.store.create_table(form.text(step["table"])))

    def create_table_if_not_exists(self, step: dict[str, Any]) -> Outcome:
        return Outcome(table=self.store.create_table_if_not_exists(form.text(step["table"])))

    def delete_table(self, step: dict[str, Any]) -> Outcome:
        self.store.delete_table(form.text(step["table"]))
        return Outcome()

    def list_tables(self, step: dict[str, Any]) -> Outcome:
        source = self.saved[step["in"]] if "in" in step else self.store
        return Outcome(tables=[table.name for table in source.list_tables()])

    def query_tables(self, step: dict[str, Any]) -> Outcome:
        return Outcome(tables=[table.name for table in self.store.query_tables(form.text(step["filter"]))])

    def condition(self, step: dict[str, Any]) -> dict[str, Any]:
        if "filter" in step:
            return {"filter": form.text(step["filter"]), "parameters": parameters(step)}
        match step.get("etag"):
            case None:
                return {}
            case {"absent": True}:
                return {"match_condition": entable.MatchConditions.IfMissing}
            case str(etag):
                etag = self.saved.get(etag, etag)
                return {"match_condition": entable.MatchConditions.IfNotModified, "etag": etag}
        raise AssertionError(f"no condition: {step['etag']!r}")

    def create_entity(self, step: dict[str, Any]) -> Outcome:
        return written(self.table(step).create_entity(form.entity(step["entity"])))

    def update_entity(self, step: dict[str, Any]) -> Outcome:
        table, entity = self.table(step), form.entity(step["entity"])
        return written(table.update_entity(entity, step["mode"], **self.condition(step)))

    def upsert_entity(self, step: dict[str, Any]) -> Outcome:
        table, entity = self.table(step), form.entity(step["entity"])
        return written(table.upsert_entity(entity, step["mode"], **self.condition(step)))

    def create_or_get_entity(self, step: dict[str, Any]) -> Outcome:
        entity, created = self.table(step).create_or_get_entity(form.entity(step["entity"]))
        return Outcome(entities=[entity], etag=entity.metadata["etag"], bool=created)

    def move_entity(self, step: dict[str, Any]) -> Outcome:
        return written(self.table(step).move_entity(*keys(step), *map(form.text, step["to"]), **self.condition(step)))

    def delete_entity(self, step: dict[str, Any]) -> Outcome:
        self.table(step).delete_entity(*keys(step), **self.condition(step))
        return Outcome()

    def get_entity(self, step: dict[str, Any]) -> Outcome:
        select = form.names(step["select"]) if "select" in step else None
        entity = self.reader(step).get_entity(*keys(step), select=select)
        return Outcome(entities=[entity], etag=entity.metadata["etag"])

    def exists(self, step: dict[str, Any]) -> Outcome:
        return Outcome(bool=self.reader(step).exists(*keys(step)))

    def get_many(self, step: dict[str, Any]) -> Outcome:
        pairs = ((form.text(partition_key), form.text(row_key)) for partition_key, row_key in step["keys"])
        return Outcome(entities=self.reader(step).get_many(pairs))

    def query(self, step: dict[str, Any]) -> entable.ItemPaged[entable.TableEntity]:
        arguments: dict[str, Any] = {"results_per_page": step.get("page_size"), "limit": step.get("limit")}
        if "select" in step:
            arguments["select"] = form.names(step["select"])
        if "parameters" in step:
            arguments["parameters"] = parameters(step)
        return self.reader(step).query_entities(form.text(step["filter"]), **arguments)

    def query_entities(self, step: dict[str, Any]) -> Outcome:
        results = self.query(step)
        pages = [list(page) for page in results.by_page()]
        entities = list(results)
        if [dict(entity) for page in pages for entity in page] != [dict(entity) for entity in entities]:
            bits = [repr(entity) for page in pages for entity in page], [repr(entity) for entity in entities]
            assert bits[0] == bits[1], "the pages are not the items"
        return Outcome(entities=entities, pages=pages)

    def query_page(self, step: dict[str, Any]) -> Outcome:
        token = step.get("token")
        pages = self.query(step).by_page(token and self.saved.get(token, token))
        entities = list(next(pages, iter(())))
        return Outcome(entities=entities, pages=[entities], token=pages.continuation_token)

    def operation(self, step: dict[str, Any]) -> tuple[str, dict[str, Any], dict[str, Any]]:
        form.known(step, {"do", "table", "entity", "mode", "partition_key", "row_key", "to"} | CONDITION, "operation")
        kwargs = self.condition(step)
        if step["do"] == "delete_entity":
            partition_key, row_key = keys(step)
            return "delete", {"PartitionKey": partition_key, "RowKey": row_key}, kwargs
        if step["do"] == "move_entity":
            partition_key, row_key = keys(step)
            kwargs["to"] = tuple(map(form.text, step["to"]))
            return "move", {"PartitionKey": partition_key, "RowKey": row_key}, kwargs
        if "mode" in step:
            kwargs["mode"] = step["mode"]
        verb = step["do"].removesuffix("_entity")
        return verb, form.entity(step["entity"]), kwargs

    def submit_transaction(self, step: dict[str, Any]) -> Outcome:
        return Outcome(written=self.table(step).submit_transaction(map(self.operation, step["operations"])))

    def submit_batch(self, step: dict[str, Any]) -> Outcome:
        operations = ((form.text(each.get("table", TABLE)), *self.operation(each)) for each in step["operations"])
        return Outcome(written=self.store.submit_batch(operations))

    def snapshot(self, step: dict[str, Any]) -> Outcome:
        return Outcome(snapshot=self.store.snapshot())

    def set_clock(self, step: dict[str, Any]) -> Outcome:
        assert self.clock, "a case without a clock"
        self.clock.now = step["now"]
        return Outcome()

    def parse_entity(self, step: dict[str, Any]) -> Outcome:
        entity = entable.entity_from_json(form.text(step["json"]), mode=self.mode)
        return Outcome(entities=[entity])

    def format_entity(self, step: dict[str, Any]) -> Outcome:
        select = form.names(step["select"]) if "select" in step else None
        entity = form.stored(step["entity"])
        return Outcome(json=entable.entity_to_json(entity, metadata=step["metadata"], select=select))

    def entity_size(self, step: dict[str, Any]) -> Outcome:
        return Outcome(size=entable.entity_size(form.entity(step["entity"])))

    def key(self, step: dict[str, Any]) -> Outcome:
        name = {"bytes": "from_bytes", "bytes_from": "to_bytes"}.get(step["call"], step["call"])
        arguments = [argument(value) for value in step["arguments"]]
        if name in ("compose", "compose_prefix"):
            arguments = [arguments]
        return Outcome(key=getattr(entable.keys, name)(*arguments))

    def pattern_changes(self, step: dict[str, Any]) -> Outcome:
        return Outcome(steps=vector_patterns.changes(step).steps)

    def pattern_lookup(self, step: dict[str, Any]) -> Outcome:
        return Outcome(lookup=vector_patterns.lookup(step, [argument(value) for value in step["arguments"]]))

    def pattern_rows(self, step: dict[str, Any]) -> Outcome:
        arguments = [argument(value) for value in step.get("arguments", [])]
        return Outcome(keys=vector_patterns.rows(step, arguments))

    # What is expected.

    def check(self, expect: Any, outcome: Outcome | Exception) -> None:
        if expect == "ok":
            expect = {}
        if isinstance(outcome, Exception):
            if not {"error", "raises"} & set(expect):
                raise Failed(f"failed with {outcome!r}")
            form.known(expect, {"error", "raises"}, "expectation of an error")
            if "raises" in expect and expect["raises"] not in {cls.__name__ for cls in type(outcome).__mro__}:
                raise Failed(f"raises {outcome!r}, no {expect['raises']}")
            if "error" in expect:
                check_error(expect["error"], outcome)
            return
        for member, value in expect.items():
            self.check_member(member, value, outcome)

    def check_member(self, member: str, expected: Any, outcome: Outcome) -> None:
        match member:
            case "error" | "raises":
                raise Failed(f"did not fail, but gave {outcome.parts}")
            case "entity":
                self.check_entity(expected, outcome["entities"][0])
            case "entities":
                equal(len(outcome["entities"]), len(expected))
                for found, entity in zip(outcome["entities"], expected, strict=True):
                    self.check_entity(entity, found)
            case "rows":
                check_rows(expected, outcome["entities"])
            case "pages":
                expected, found = [page for page in expected if page], [page for page in outcome["pages"] if page]
                equal(len(found), len(expected))
                for rows, page in zip(expected, found, strict=True):
                    check_rows(rows, page)
            case "count":
                equal(len(outcome["entities"]), expected)
            case "more":
                equal(outcome["token"] is not None, expected)
            case "tables":
                equal(outcome["tables"], [form.text(name) for name in expected])
            case "json":
                # As text, for dicts are equal in any order, and numbers in any form.
                equal(json.dumps(json.loads(outcome["json"])), json.dumps(expected))
            case "text":
                equal(outcome["key"], form.text(expected))
            case "texts":
                equal(list(outcome["key"]), [None if text is None else form.text(text) for text in expected])
            case "value":
                equal(plain(outcome["key"]), plain(argument(expected)))
            case "steps":
                equal(vector_patterns.shown(outcome["steps"]), vector_patterns.expected(expected))
            case "lookup":
                equal(outcome["lookup"], expected)
            case "keys":
                equal(outcome["keys"], [(form.text(pair[0]), form.text(pair[1])) for pair in expected])
            case "size":
                equal(outcome["size"], expected)
            case "bool":
                equal(outcome["bool"], expected)
            case "etag_changes_from":
                if not outcome["etag"] or outcome["etag"] == self.saved["$" + expected]:
                    raise Failed(f"{outcome['etag']} as before")
            case "found":
                equal([result.get("found", False) for result in outcome["written"]], expected)
            case "etags":
                equal([bool(result.get("etag")) for result in outcome["written"]], expected)
            case "timestamps":
                assert expected == "increasing"
                self.check_timestamps(outcome)
            case _:
                raise AssertionError(f"the form has no expectation {member}")

    def check_timestamps(self, outcome: Outcome) -> None:
        written = outcome.parts.get("written")
        if written is None:
            times = [entity.metadata["timestamp"] for entity in outcome["entities"]]
        else:
            # An ETag is the text of the Timestamp; without its end it sorts as the Timestamp does.
            times = [result["etag"].removesuffix("Z'\"") for result in written if result]
        if len(times) < 2 or any(a >= b for a, b in pairwise(times)):
            raise Failed(f"not increasing: {times}")

    def check_entity(self, expected: dict[str, Any], found: entable.TableEntity) -> None:
        given = [(name, form.bits(member)) for name, member in form.members(expected).items() if member is not None]
        equal([(name, form.bits(form.from_python(value))) for name, value in found.items()], given)
        for name, member in form.members(expected).items():
            if member is None and name in found:
                raise Failed(f"{name} is there")
        if "Timestamp" in expected:
            timestamp, value = found.metadata["timestamp"], expected["Timestamp"]
            equal(timestamp and form.from_python(timestamp)[1], value and form.ticks(value))
        if "odata.etag" in expected:
            equal(found.metadata["etag"], self.saved.get(expected["odata.etag"], expected["odata.etag"]))


def parameters(step: dict[str, Any]) -> dict[str, Any]:
    return {
        name: form.to_python(form.typed(value["value"], value["type"]))
        for name, value in step.get("parameters", {}).items()
    }


def keys(step: dict[str, Any]) -> tuple[str, str]:
    return form.text(step["partition_key"]), form.text(step["row_key"])


def argument(value: Any) -> Any:
    """An argument, or result, of a function without a store."""
    is_typed = isinstance(value, dict) and "type" in value
    member = form.typed(value["value"], value["type"]) if is_typed else form.typed(value, None)
    match form.to_python(member):
        case entable.EntityProperty(number, _) | entable.Int64(value=number):
            return number
        case found:
            return found


def plain(value: Any) -> Any:
    """Something to compare by: an int has no size here."""
    return value if type(value) is int else form.bits(form.from_python(value))


def written(metadata: dict[str, Any]) -> Outcome:
    equal(list(metadata), ["date", "etag", "version"])
    return Outcome(etag=metadata["etag"], written=[metadata])


def equal(found: Any, expected: Any) -> None:
    if found != expected:
        raise Failed(f"{found!r:.1000} instead of {expected!r:.1000}")


def check_rows(expected: list[Any], found: list[Any]) -> None:
    def row(entity: Any, wanted: Any) -> Any:
        if entity is None:
            return None
        pair = isinstance(wanted, list)
        return [entity["PartitionKey"], entity["RowKey"]] if pair else entity["RowKey"]

    wanted = [
        None if each is None else [form.text(key) for key in each] if isinstance(each, list) else form.text(each)
        for each in expected
    ]
    padded = wanted + [None] * (len(found) - len(wanted))
    equal([row(entity, each) for entity, each in zip(found, padded, strict=False)], wanted)
    equal(len(found), len(wanted))


def check_error(expected: dict[str, Any], found: Exception) -> None:
    if not isinstance(found, entable.EntableError):
        raise Failed(f"raises {found!r}, which is no error of the store")
    attributes = {"code": "error_code", "status": "status_code", "class": "error_class"}
    form.known(
        expected,
        {*attributes, "message", "index", "property", "limit", "actual", "position"},
        "expectation of an error",
    )
    for member, value in expected.items():
        actual = getattr(found, attributes.get(member, member))
        if member == "message":
            actual = actual[: len(value)]
        if actual != value:
            raise Failed(f"{member} {actual!r} instead of {value!r}: {found!r}")
