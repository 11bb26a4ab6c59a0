"""What a table answers beyond the client's calls: counts, orders, plans, deletes by filter, indexes, snapshots."""

from __future__ import annotations

from typing import Any

import entable
import pytest
from entable import Store, Table


@pytest.fixture
def table(store: Store) -> Table:
    table = store.create_table("Orders")
    for n in range(6):
        table.create_entity({"PartitionKey": "DE" if n < 4 else "FR", "RowKey": str(n), "Total": 10.0 * (6 - n)})
    return table


def rows(entities: Any) -> list[str]:
    return [entity["RowKey"] for entity in entities]


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ({}, 6),
        ({"query_filter": None}, 6),
        ({"query_filter": "Total gt 25.0"}, 4),
        ({"query_filter": "Total gt @least", "parameters": {"least": 25.0}}, 4),
        ({"query_filter": "Total gt 25.0", "limit": 3}, 3),
        ({"query_filter": "Total gt 25", "mode": "extended"}, 4),
    ],
)
def test_count(table: Table, arguments: Any, expected: int) -> None:
    assert table.count(**arguments) == expected


def test_errors_of_a_count_are_those_of_a_query(table: Table) -> None:
    with pytest.raises(KeyError, match="least"):
        table.count("Total gt @least")
    with pytest.raises(entable.InvalidInputError) as error:
        table.count("Total gt")
    assert error.value.position == 8
    with pytest.raises(entable.HttpResponseError) as refused:
        table.count("startswith(RowKey, '1')", mode="strict")
    assert refused.value.error_code == "NotImplemented"
    with pytest.raises(ValueError, match="mode"):
        table.count(mode="loose")  # type: ignore[arg-type]


def test_descending_begins_with_the_largest_keys(table: Table) -> None:
    assert rows(table.list_entities(descending=True)) == ["5", "4", "3", "2", "1", "0"]
    pages = table.query_entities("PartitionKey eq 'DE'", descending=True, results_per_page=3).by_page()
    assert [rows(page) for page in pages] == [["3", "2", "1"], ["0"]]


def test_order_by_gives_the_order_of_an_index(table: Table) -> None:
    with pytest.raises(entable.HttpResponseError) as error:
        list(table.list_entities(order_by="Total"))
    assert error.value.error_code == "NotImplemented"
    table.create_index("ByTotal", ["Total"])
    assert rows(table.list_entities(order_by="Total")) == ["5", "4", "3", "2", "1", "0"]
    assert rows(table.query_entities("Total gt 15.0", order_by="Total", descending=True, limit=2)) == ["0", "1"]


def test_pages_are_of_any_size(table: Table) -> None:
    assert [len(list(page)) for page in table.list_entities(results_per_page=5_000).by_page()] == [6]


def test_explain_tells_the_way(table: Table) -> None:
    explain = table.explain("PartitionKey eq 'DE' and Total gt 25.0")
    assert (explain.path, explain.rows_read, explain.rows_returned) == ("partition scan", 4, 4)
    assert [way.path for way in explain.considered if way.is_taken] == ["partition scan"]
    assert explain.residual and "Total" in explain.residual
    assert "partition scan" in str(explain)
    assert "partition scan" in explain._repr_html_()
    many = ({"PartitionKey": "IT", "RowKey": str(n), "Total": float(-n)} for n in range(500))
    table.submit_transaction([("create", next(many)) for _ in range(100)])
    for entity in many:
        table.create_entity(entity)
    table.create_index("ByTotal", "Total", projection="all")
    explain = table.explain("Total eq 60.0", select=["RowKey"])
    assert (explain.path, explain.index, explain.is_covered) == ("index equality", "ByTotal", True)


def test_explain_warns_of_what_no_row_can_answer(table: Table) -> None:
    assert table.explain("Totl gt 1.0").warnings
    # HTML is escaped: a filter is the caller's text.
    assert "<b>" not in table.explain("Total eq @t", parameters={"t": "<b>"})._repr_html_()


def test_delete_by_filter_tells_how_many(table: Table) -> None:
    assert table.delete_entities("Total gt @least", parameters={"least": 45.0}) == 2
    assert rows(table.list_entities()) == ["2", "3", "4", "5"]
    assert table.delete_entities("PartitionKey eq 'DE'", limit=1) == 1
    assert table.delete_entities(None, chunk=2) == 3
    assert table.count() == 0
    with pytest.raises(entable.InvalidInputError):
        table.delete_entities("", chunk=0)


def test_partition_keys_come_once_each(table: Table) -> None:
    keys = table.partition_keys()
    assert iter(keys) is keys
    assert list(keys) == ["DE", "FR"]
    assert list(keys) == []


def test_a_snapshot_is_one_moment(store: Store, table: Table) -> None:
    with store.snapshot() as snapshot:
        table.delete_entities("")
        store.create_table("Later")
        then = table.at(snapshot)
        assert (then.count(), table.count()) == (6, 0)
        assert rows(then.list_entities(results_per_page=2)) == ["0", "1", "2", "3", "4", "5"]
        assert [item.name for item in snapshot.list_tables()] == ["Orders"]
        assert "snapshot" in repr(then)
        with pytest.raises(entable.InvalidInputError):
            then.create_entity({"PartitionKey": "p", "RowKey": "r"})
    snapshot.close()
    for call in (then.count, snapshot.list_tables, lambda: then.get_entity("DE", "0")):
        with pytest.raises(entable.StoreClosedError):
            call()


def test_a_snapshot_of_another_store_is_refused(table: Table) -> None:
    with Store(":memory:") as other, other.snapshot() as snapshot, pytest.raises(entable.InvalidInputError):
        table.at(snapshot).count()


def test_closing_the_store_ends_its_snapshots(store: Store, table: Table) -> None:
    then = table.at(store.snapshot())
    store.close()
    with pytest.raises(entable.StoreClosedError):
        then.count()


def test_indexes(table: Table) -> None:
    table.create_index("ByTotal", ["Total"], projection=["Paid", "City"])
    table.create_index("InCountry", "City", scope="partition", projection="all", fold_case=True)
    table.create_index_if_not_exists("ByTotal", ["Total"], projection=["City", "Paid"])
    by_total, in_country = table.list_indexes()
    assert by_total == entable.IndexInfo("ByTotal", ["Total"], "table", ["City", "Paid"], False, False, "ready")
    assert in_country == entable.IndexInfo("InCountry", ["City"], "partition", "all", False, True, "ready")
    with pytest.raises(entable.ResourceExistsError) as error:
        table.create_index("ByTotal", ["Total"], projection=["City", "Paid"])
    assert error.value.index_name == "ByTotal"
    with pytest.raises(entable.ResourceExistsError):
        table.create_index_if_not_exists("ByTotal", ["City"])
    table.drop_index("ByTotal")
    with pytest.raises(entable.ResourceNotFoundError):
        table.drop_index("ByTotal")


def test_a_unique_index_tells_who_has_the_value(table: Table) -> None:
    table.create_index("ByTotal", ["Total"], unique=True)
    with pytest.raises(entable.ResourceExistsError) as error:
        table.create_entity({"PartitionKey": "IT", "RowKey": "1", "Total": 60.0})
    assert (error.value.error_code, error.value.holder) == ("UniqueIndexViolation", ("DE", "0"))


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ({"properties": []}, entable.InvalidInputError),
        ({"properties": 5}, TypeError),
        ({"properties": [5]}, TypeError),
        ({"properties": ["PartitionKey"]}, entable.InvalidInputError),
        ({"properties": ["A"], "scope": "store"}, ValueError),
        ({"properties": ["A"], "projection": "some"}, ValueError),
        ({"properties": ["A"], "projection": 5}, TypeError),
        ({"properties": ["A"], "unique": "yes"}, TypeError),
    ],
)
def test_a_wrong_declaration_is_refused(table: Table, arguments: Any, expected: type[Exception]) -> None:
    with pytest.raises(expected):
        table.create_index("Wrong", **arguments)
    assert table.list_indexes() == []


def test_json_of_entities() -> None:
    entity = entable.entity_from_json('{"PartitionKey": "DE", "RowKey": "1", "N@odata.type": "Edm.Int64", "N": "5"}')
    assert (entity, type(entity["N"])) == ({"PartitionKey": "DE", "RowKey": "1", "N": 5}, entable.Int64)
    assert entable.entity_to_json(entity) == ('{"PartitionKey":"DE","RowKey":"1","N@odata.type":"Edm.Int64","N":"5"}')
    assert entable.entity_to_json(entity, metadata="none", select="N") == '{"N":"5"}'
    assert entable.entity_size({"PartitionKey": "DE", "RowKey": "1"}) == 4 + 2 * (2 + 1)
    with pytest.raises(entable.InvalidInputError):
        entable.entity_from_json("[]")
    with pytest.raises(ValueError, match="metadata"):
        entable.entity_to_json(entity, metadata="some")  # type: ignore[arg-type]
    with pytest.raises(TypeError):
        entable.entity_size(5)  # type: ignore[arg-type]


def test_advice_and_what_indexes_hold(store: Store) -> None:
    people = store.create_table("People")
    entable.load(people, ({"PartitionKey": "p", "RowKey": str(n), "Mail": f"user{n}@x"} for n in range(2_000)))
    for n in (5, 7, 9):
        assert len(list(people.query_entities("Mail eq @mail", parameters={"mail": f"user{n}@x"}))) == 1
    [advice] = people.advise()
    assert (advice.kind, advice.filter, advice.table) == ("missing", "Mail eq ?", "People")
    assert store.advise() == [advice]
    assert "create_index" in str(advice)
    people.create_index("ByMail", "Mail")
    list(people.query_entities("Mail eq 'user5@x'"))
    [stats] = people.index_stats()
    assert (stats.name, stats.entries, stats.distinct_values, stats.uses) == ("ByMail", 2_000, 2_000, 1)
