"""What the patterns give is what stores take. Their layouts are in the vectors."""

from __future__ import annotations

import asyncio
import doctest
from pathlib import Path
from typing import Any

import entable
import pytest
from entable import EdmType, EntityProperty, Int64, Store, aio, patterns

JONES = {"PartitionKey": "Sales", "RowKey": "empid_000223", "Email": "jonesj@contoso.com", "Age": 34}
BY_EMAIL = patterns.SecondaryIndex("Employees", "email_", "Email")
BY_TOWN: Any = patterns.IndexTable.full("Customers", "ByTown", ["Town"])
SMITH = {"PartitionKey": "1", "RowKey": "1", "Town": "Redmond"}


def test_the_examples_of_the_documentation_hold() -> None:
    result = doctest.testmod(patterns)
    assert result.failed == 0
    assert result.attempted > 40


def test_a_group_is_a_transaction_and_a_lookup_a_query(store: Store) -> None:
    employees = store.create_table("Employees")
    group = BY_EMAIL.changes(None, JONES).group
    assert group is not None
    assert employees.submit_transaction(group) == [
        {"etag": employees.get_entity(*keys).metadata["etag"]} for keys in group.keys
    ]
    lookup = BY_EMAIL.find("Sales", "jonesj@contoso.com")
    assert [found["Age"] for found in employees.query_entities(lookup)] == [34]
    assert employees.count(lookup) == 1
    assert employees.explain(lookup).path == "point"
    assert lookup.keys is not None
    assert employees.get_entity(*lookup.keys)["Age"] == 34
    assert employees.delete_entities(lookup) == 1
    assert employees.count() == 1


def test_the_smaller_limit_holds(store: Store) -> None:
    logins = store.create_table("Logins")
    for second in range(5):
        logins.create_entity({"PartitionKey": "p", "RowKey": str(second)})
    newest = patterns.LogTail("Logins", "At").latest("p", 3)
    assert [len(list(logins.query_entities(newest, limit=limit))) for limit in (None, 2, 4)] == [3, 2, 3]


def test_changes_are_one_batch_over_tables(store: Store) -> None:
    customers, by_town = store.create_table("Customers"), store.create_table("ByTown")
    store.submit_batch(BY_TOWN.changes(None, SMITH))
    former = customers.get_entity("1", "1")
    store.submit_batch(BY_TOWN.changes(former, {**former, "Town": "Palo Alto"}))
    assert [entry["PartitionKey"] for entry in by_town.list_entities()] == ["Palo Alto"]
    with pytest.raises(entable.TableTransactionError) as failed:
        store.submit_batch(BY_TOWN.changes(former, None))
    assert failed.value.error_code == "UpdateConditionNotSatisfied"
    store.submit_batch(BY_TOWN.changes(customers.get_entity("1", "1"), None))
    assert customers.count() == by_town.count() == 0


def test_steps_are_done_once_however_often_they_are_run(store: Store) -> None:
    tables = {name: store.create_table(name) for name in ("Customers", "ByTown")}
    changes = BY_TOWN.changes(None, SMITH)
    counts = []
    for step in [*changes.steps, *changes.steps]:
        left = step.remaining(tables[step.table].get_many(step.keys))
        counts.append(len(tables[step.table].submit_transaction(left)))
    assert counts == [1, 1, 0, 0]
    tables["Customers"].upsert_entity({**SMITH, "Town": "Seattle"})
    with pytest.raises(entable.ResourceExistsError):
        changes.steps[1].remaining(tables["Customers"].get_many(changes.steps[1].keys))
    seen, current = tables["Customers"].get_entity("1", "1"), None
    tables["Customers"].delete_entity("1", "1")
    for step in BY_TOWN.reconcile([SMITH, seen], current).steps:
        tables[step.table].submit_transaction(step.remaining(tables[step.table].get_many(step.keys)))
    assert tables["ByTown"].count() == 0


def test_a_step_accepts_a_delete_that_finds_nothing(store: Store) -> None:
    store.create_table("ByTown")
    removal = BY_TOWN.changes(SMITH, None).steps[-1]
    with pytest.raises(entable.TableTransactionError) as missing:
        store.get_table_client("ByTown").submit_transaction(removal)
    assert removal.accepts(missing.value)
    assert not removal.accepts(KeyError())
    assert not BY_TOWN.changes(None, SMITH).steps[0].accepts(missing.value)


def test_numbers_keep_their_types(store: Store) -> None:
    employees = store.create_table("Employees")
    store.submit_batch(BY_EMAIL.changes(None, {**JONES, "Age": Int64(34), "Pay": 1.0}))
    former = employees.get_entity("Sales", "empid_000223")
    # A plain int is what the former state has: as if it were written over it.
    changes = BY_EMAIL.changes(former, {**former, "Age": 35, "Pay": 2, "Level": 1})
    assert changes.group is not None
    for _, entity, _ in changes.group:
        assert (type(entity["Age"]), type(entity["Pay"])) == (Int64, float)
        assert entity["Level"] == EntityProperty(1, EdmType.INT32)
    employees.submit_transaction(changes.group)
    assert changes.group.remaining(employees.get_many(changes.group.keys)) == []
    copy = employees.get_entity("Sales", "email_jonesj@contoso.com")
    assert (type(copy["Age"]), copy["Pay"], type(copy["Level"])) == (Int64, 2.0, int)


def test_lists_and_counts_are_read_before(store: Store) -> None:
    employees = store.create_table("Employees")
    names = patterns.IndexEntities("Employees", "LastName_", ["LastName"])
    cities = patterns.DistinctList("Employees", "City_", "City")
    for number in ("1", "2"):
        row = {"PartitionKey": "Sales", "RowKey": number, "LastName": "Jones", "City": "Palo Alto"}
        lists = [found for lookup in names.reads(None, row) for found in employees.query_entities(lookup)]
        counts = employees.get_many(cities.reads(None, row))
        changes = names.changes(None, row, lists).join(cities.changes(None, row, counts))
        assert len(changes.steps) == 1
        store.submit_batch(changes)
    assert employees.get_entity("Sales", "LastName_Jones")["Ids"] == "1,2"
    found = names.rows("Sales", employees.query_entities(names.find("Sales", ["Jones"])))
    assert [row and row["City"] for row in employees.get_many(found)] == ["Palo Alto", "Palo Alto"]
    assert cities.counts(employees.query_entities(cities.list("Sales"))) == [("Palo Alto", 2)]
    # Counted anew, from everything that is in the partition.
    rebuilt = patterns.DistinctList("Employees", "City_", "City", row_prefix="2")
    steps = rebuilt.rebuild("Sales", employees.list_entities(), employees.query_entities(cities.list("Sales")))
    store.submit_batch(steps)
    assert cities.counts(employees.query_entities(cities.list("Sales"))) == [("Palo Alto", 1)]


def test_the_same_objects_are_awaited(tmp_path: Path) -> None:
    async def run() -> None:
        async with aio.Store(tmp_path / "store") as store:
            tables = {name: await store.create_table(name) for name in ("Customers", "ByTown", "Employees")}
            await store.submit_batch(BY_TOWN.changes(None, SMITH))
            async for entry in tables["ByTown"].query_entities(BY_TOWN.find(["Redmond"])):
                rows = await tables["Customers"].get_many(BY_TOWN.rows([entry]))
                assert [row and row["Town"] for row in rows] == ["Redmond"]
            group = BY_EMAIL.changes(None, JONES).group
            assert group is not None
            await tables["Employees"].submit_transaction(group)
            assert await tables["Employees"].count(BY_EMAIL.list("Sales")) == 1
            assert group.remaining(await tables["Employees"].get_many(group.keys)) == []

    asyncio.run(run())


# What the types forbid.
untyped: Any = patterns


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda: BY_TOWN.find("Redmond"), TypeError, "values is an iterable"),
        (lambda: BY_TOWN.find(5), TypeError, "values is an iterable"),
        (lambda: BY_TOWN.find([None]), TypeError, "None is no value"),
        (lambda: BY_TOWN.find([object()]), TypeError, "cannot be stored"),
        (lambda: BY_TOWN.find([]), entable.InvalidInputError, "At least one value"),
        (lambda: BY_TOWN.rows(SMITH), TypeError, "entries is an iterable"),
        (lambda: BY_TOWN.rows([SMITH]), entable.InvalidInputError, "SourcePartitionKey"),
        (lambda: BY_TOWN.changes(None, 5), TypeError, "an entity is a mapping"),
        (lambda: BY_TOWN.changes(None, {"Town": "x"}), ValueError, "PartitionKey must be present"),
        (lambda: BY_TOWN.changes(SMITH, {**SMITH, "RowKey": "2"}), entable.InvalidInputError, "keys do not change"),
        (lambda: BY_TOWN.changes(None, {**SMITH, "Town": "a/b"}), entable.EntableError, "Town"),
        (lambda: BY_TOWN.changes(None, SMITH).join(None), TypeError, "Changes"),
        (lambda: BY_TOWN.changes(None, SMITH).steps[0].remaining([]), entable.InvalidInputError, "each of its keys"),
        (lambda: untyped.Field("A", form="tiny"), ValueError, "'folded'"),
        (lambda: untyped.Field("A", form="safe", padded=3), TypeError, "form of its own"),
        (lambda: untyped.Field("A", padded=-1), OverflowError, ""),
        (lambda: untyped.Field(None), TypeError, "str"),
        (lambda: untyped.SecondaryIndex("T", "p", 5), TypeError, "a field is"),
        (lambda: untyped.IndexTable.full("T", "E", "Town"), TypeError, "fields is an iterable"),
        (lambda: untyped.IndexTable.full("T", "E", ["A"], separator="-", composed=True), TypeError, "no separator"),
        (lambda: untyped.UniqueGuard("T", "p", "A", guards="G"), TypeError, "both"),
        (lambda: untyped.DataSeries("T", "week"), ValueError, "'year'"),
        (lambda: untyped.LogTail("T", "At").between("p", "a", "b"), TypeError, "first"),
        (untyped.Lookup, TypeError, "cannot create"),
        (untyped.Changes, TypeError, "cannot create"),
    ],
)
def test_misuse_says_what_is_wrong(call: Any, error: type[Exception], words: str) -> None:
    with pytest.raises(error) as raised:
        call()
    assert words in str(raised.value)


def test_a_filter_is_a_text_or_a_lookup(store: Store) -> None:
    table = store.create_table("Customers")
    for wrong in (5, b"a", ["a"], BY_TOWN):
        with pytest.raises(TypeError, match="query_filter"):
            table.query_entities(wrong)  # type: ignore[arg-type]


def test_definitions_are_equal_if_they_say_the_same() -> None:
    assert patterns.IndexTable.full("Customers", "ByTown", ["Town"]) == BY_TOWN
    assert patterns.IndexTable.full("Customers", "ByTown", [untyped.Field("Town", form="safe")]) != BY_TOWN
    assert BY_TOWN.find(["a"]) == BY_TOWN.find(["a"])
    assert BY_TOWN.changes(None, SMITH) == BY_TOWN.changes(None, dict(SMITH))
    assert not BY_TOWN.changes(None, None)
    assert "Redmond" in repr(BY_TOWN.find(["Redmond"]))
