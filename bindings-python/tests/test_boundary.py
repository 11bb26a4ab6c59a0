"""Wrong use gives errors that say what is wrong, and never a crash."""

from __future__ import annotations

import copy
import enum
import gc
import multiprocessing
import os
import pickle
import threading
import traceback
import weakref
from collections import UserDict
from collections.abc import Callable, Iterator
from pathlib import Path
from types import MappingProxyType
from typing import Any

import entable
import pytest
from entable import MatchConditions, Store, Table, UpdateMode

ENTITY = {"PartitionKey": "p", "RowKey": "r", "A": 1}


@pytest.fixture
def table(store: Store) -> Table:
    return store.create_table("Orders")


# Opening and closing.


def test_a_file_keeps_what_was_written(tmp_path: Path) -> None:
    path = tmp_path / "new" / "folder" / "orders.ent"
    with Store(path) as store:
        assert (store.path, store.mode) == (path, "portable")
        store.create_table("Orders").create_entity(ENTITY)
    for form in (path, str(path)):
        with Store(form, must_exist=True) as store:
            assert store.get_table_client("Orders").get_entity("p", "r") == ENTITY


def test_a_store_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(entable.ResourceNotFoundError) as error:
        Store(tmp_path / "none.ent", must_exist=True)
    assert error.value.error_code == "StoreNotFound"
    assert not list(tmp_path.iterdir())


def test_a_file_that_is_no_store_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "notes.txt"
    path.write_bytes(b"notes" * 2_000)
    with pytest.raises(entable.StoreDamagedError) as error:
        Store(path)
    assert error.value.error_code == "NotAStore"
    assert path.read_bytes() == b"notes" * 2_000


def test_read_only(tmp_path: Path) -> None:
    path = tmp_path / "orders.ent"
    with Store(path) as store:
        store.create_table("Orders").create_entity(ENTITY)
    with Store(path, read_only=True) as store:
        table = store.get_table_client("Orders")
        assert table.get_entity("p", "r") == ENTITY
        with pytest.raises(entable.HttpResponseError) as error:
            table.upsert_entity(ENTITY)
        assert error.value.error_code == "StoreReadOnly"


@pytest.mark.parametrize("path", [None, 5, b"bytes.ent", [], "a\0b"])
def test_a_path_is_a_str_or_a_path(path: Any) -> None:
    with pytest.raises((TypeError, ValueError, entable.StoreError)):
        Store(path)


def test_wrong_options() -> None:
    unchecked: Any = Store
    arguments: dict[str, Any]
    for arguments in ({"mode": "loose"}, {"mode": "Strict"}):
        with pytest.raises(ValueError, match="mode"):
            unchecked(":memory:", **arguments)
    for arguments in ({"mode": None}, {"read_only": "yes"}, {"readonly": True}):
        with pytest.raises(TypeError):
            unchecked(":memory:", **arguments)
    with pytest.raises(entable.InvalidInputError):
        Store(":memory:", read_only=True)


CALLS: list[Callable[[Store, Table], Any]] = [
    lambda store, table: store.create_table("Other"),
    lambda store, table: store.create_table_if_not_exists("Other"),
    lambda store, table: store.delete_table("Orders"),
    lambda store, table: list(store.list_tables()),
    lambda store, table: list(store.query_tables("TableName eq 'Orders'")),
    lambda store, table: store.submit_batch([("Orders", "upsert", ENTITY)]),
    lambda store, table: table.create_table(),
    lambda store, table: table.delete_table(),
    lambda store, table: table.create_entity(ENTITY),
    lambda store, table: table.update_entity(ENTITY),
    lambda store, table: table.upsert_entity(ENTITY),
    lambda store, table: table.delete_entity("p", "r"),
    lambda store, table: table.get_entity("p", "r"),
    lambda store, table: table.exists("p", "r"),
    lambda store, table: table.get_many([("p", "r")]),
    lambda store, table: list(table.list_entities()),
    lambda store, table: list(table.query_entities("A eq 1")),
    lambda store, table: list(table.list_entities().by_page()),
    lambda store, table: table.submit_transaction([("upsert", ENTITY)]),
]


@pytest.mark.parametrize("number", range(len(CALLS)))
def test_a_closed_store_says_so(store: Store, table: Table, number: int) -> None:
    store.close()
    store.close()
    with pytest.raises(entable.StoreClosedError) as error:
        CALLS[number](store, table)
    assert error.value.error_code == "StoreClosed"
    assert "closed" in str(error.value)


def test_results_begun_before_the_close_end_with_an_error(store: Store, table: Table) -> None:
    for row in range(5):
        table.create_entity({"PartitionKey": "p", "RowKey": str(row)})
    entities, pages = table.list_entities(results_per_page=2), table.list_entities(results_per_page=2).by_page()
    first, page = next(entities), list(next(pages))
    store.close()
    assert next(entities)["RowKey"] == "1"
    for results in (entities, pages):
        with pytest.raises(entable.StoreClosedError):
            next(results)
    # What was read is the reader's own.
    assert (first["RowKey"], [entity["RowKey"] for entity in page]) == ("0", ["0", "1"])


def test_closing_a_table_leaves_the_store_open(store: Store, table: Table) -> None:
    with store.get_table_client("Orders") as same:
        same.create_entity(ENTITY)
    table.close()
    assert table.get_entity("p", "r") == ENTITY


def in_child(work: Callable[[], Any]) -> None:
    """Runs the work in a forked child, which must come to its end."""
    child = os.fork()
    if child == 0:
        status = 1
        try:
            work()
            status = 0
        except BaseException:
            traceback.print_exc()
        finally:
            # Not back into the tests: they are the parent's.
            os._exit(status)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


needs_fork = pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")


@needs_fork
def test_a_child_process_opens_the_store_afresh_by_itself(tmp_path: Path) -> None:
    path = tmp_path / "orders.ent"
    with Store(path) as store:
        table = store.create_table("Orders")
        table.create_entity(ENTITY)
        begun, snapshot = table.list_entities(), store.snapshot()
        table.create_entity({**ENTITY, "RowKey": "s"})
        next(begun)
        transaction = store.transaction()
        transaction.__enter__()
        inside = transaction.get_table_client("Orders")

        def work() -> None:
            assert table.get_entity("p", "r") == ENTITY
            assert len(list(table.query_entities("A eq 1"))) == 2
            for call in (inside.count, transaction.commit, table.at(snapshot).count):
                with pytest.raises(entable.StoreForkedError):
                    call()
            # Another child of this one.
            in_child(lambda: table.get_entity("p", "r"))
            store.close()
            with pytest.raises(entable.StoreClosedError):
                table.get_entity("p", "r")

        in_child(work)
        inside.create_entity({**ENTITY, "RowKey": "t"})
        transaction.commit()
        in_child(lambda: table.create_entity({**ENTITY, "RowKey": "child"}))
        assert table.count() == 4
        assert table.at(snapshot).count() == 1


@needs_fork
def test_what_was_in_memory_stays_in_the_parent(store: Store, table: Table) -> None:
    def work() -> None:
        for call in (lambda: table.upsert_entity(ENTITY), lambda: table.get_entity("p", "r"), store.snapshot):
            with pytest.raises(entable.StoreForkedError):
                call()
        store.close()

    in_child(work)
    table.create_entity(ENTITY)


@needs_fork
def test_a_closed_store_stays_closed_in_a_child(tmp_path: Path) -> None:
    store = Store(tmp_path / "orders.ent")
    table = store.create_table("Orders")
    store.close()

    def work() -> None:
        with pytest.raises(entable.StoreClosedError):
            table.count()

    in_child(work)


def read_in_process(table: Table) -> Any:
    return table.get_entity("p", "r")["A"]


@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_stores_and_tables_go_to_other_processes(tmp_path: Path, method: str) -> None:
    with Store(tmp_path / "orders.ent", mode="extended") as store:
        table = store.create_table("Orders")
        table.create_entity(ENTITY)
        with multiprocessing.get_context(method).Pool(1) as pool:
            assert pool.map(read_in_process, [table]) == [1]
        again = pickle.loads(pickle.dumps(store))
        assert (again.path, again.mode) == (store.path, "extended")
        assert copy.copy(table).count() == 1
        with pytest.raises(TypeError, match="pickled"), store.snapshot() as snapshot:
            pickle.dumps(table.at(snapshot))
    with Store(":memory:") as memory, pytest.raises(TypeError, match="memory"):
        pickle.dumps(memory)


def test_handles_have_no_constructor() -> None:
    cls: Any
    for cls in (Table, entable.ItemPaged, entable.PageIterator, entable.Transaction, entable.Snapshot):
        with pytest.raises(TypeError):
            cls()


def test_a_table_by_its_path_opens_and_closes_the_store(tmp_path: Path) -> None:
    assert entable.TableServiceClient is Store
    with entable.TableClient(tmp_path / "orders.ent", "Orders", mode="extended") as table:
        table.create_table()
        table.create_entity(ENTITY)
        assert pickle.loads(pickle.dumps(table)).count() == 1
    with pytest.raises(entable.StoreClosedError):
        table.count()


# Entities and keys.


@pytest.mark.parametrize("entity", [None, 5, "entity", [("PartitionKey", "p")], ENTITY.items()])
def test_an_entity_is_a_mapping(table: Table, entity: Any) -> None:
    for call in (table.create_entity, table.update_entity, table.upsert_entity):
        with pytest.raises(TypeError, match="mapping"):
            call(entity)
    with pytest.raises(TypeError, match="mapping"):
        table.submit_transaction([("create", entity)])


@pytest.mark.parametrize("form", [dict, UserDict, MappingProxyType, entable.TableEntity])
def test_any_mapping_is_an_entity(table: Table, form: Any) -> None:
    table.create_entity(form(ENTITY))
    assert table.get_entity("p", "r") == ENTITY


@pytest.mark.parametrize("key", ["PartitionKey", "RowKey"])
@pytest.mark.parametrize("value", ["missing", None])
def test_a_missing_key_raises_what_the_client_raises(table: Table, key: str, value: Any) -> None:
    entity: dict[str, Any] = {**ENTITY, key: value}
    if value == "missing":
        del entity[key]
    with pytest.raises(ValueError, match=key):
        table.create_entity(entity)
    for call in (table.update_entity, table.upsert_entity):
        with pytest.raises(KeyError, match=key):
            call(entity)
    with pytest.raises(ValueError, match=key):
        table.submit_transaction([("upsert", entity)])


@pytest.mark.parametrize("key", [5, 1.5, b"p", True, ["p"]])
def test_a_key_is_a_str(table: Table, key: Any) -> None:
    for entity in ({**ENTITY, "PartitionKey": key}, {**ENTITY, "RowKey": key}):
        with pytest.raises(TypeError, match="str"):
            table.create_entity(entity)
    for call in (table.get_entity, table.exists, table.delete_entity):
        with pytest.raises(TypeError):
            call(key, "r")
        with pytest.raises(TypeError):
            call("p", key)
    with pytest.raises(TypeError):
        table.get_many([(key, "r")])


def test_half_a_surrogate_pair_is_no_text(table: Table) -> None:
    half: dict[str, Any]
    for half in ({**ENTITY, "RowKey": "\ud800"}, {**ENTITY, "A": "\ud800"}, {**ENTITY, "\ud800": 1}):
        with pytest.raises(ValueError):
            table.create_entity(half)
    with pytest.raises(ValueError):
        table.get_entity("\ud800", "r")


def test_a_property_name_is_a_str(table: Table) -> None:
    entity: Any = {**ENTITY, 5: 1}
    with pytest.raises(TypeError, match="name"):
        table.create_entity(entity)
    with pytest.raises(entable.InvalidInputError) as error:
        table.create_entity({**ENTITY, "no name": 1})
    assert (error.value.error_code, error.value.property) == ("PropertyNameInvalid", "no name")


def test_what_came_along_with_an_entity_is_ignored(table: Table) -> None:
    table.create_entity({**ENTITY, "Timestamp": "any", "odata.etag": 5, "A@odata.type": "Edm.String", "B": 2})
    assert table.get_entity("p", "r") == {**ENTITY, "B": 2}


def test_an_entity_may_change_while_it_is_read(table: Table) -> None:
    entity: dict[str, Any] = dict(ENTITY)

    class Meddler(enum.Enum):
        ONE = 1

        def __str__(self) -> str:
            entity.clear()
            entity.update({f"N{n}": n for n in range(100)})
            return "meddled"

    entity.update(X=Meddler.ONE, Y=2)
    table.create_entity(entity)
    assert table.get_entity("p", "r") == {**ENTITY, "X": "meddled", "Y": 2}


def test_errors_of_the_callers_own_code_come_through(table: Table) -> None:
    class Faulty(enum.Enum):
        ONE = 1

        def __str__(self) -> str:
            raise RuntimeError("mine")

    with pytest.raises(RuntimeError, match="mine"):
        table.create_entity({**ENTITY, "X": Faulty.ONE})

    def operations() -> Iterator[Any]:
        yield ("upsert", ENTITY)
        raise RuntimeError("mine")

    with pytest.raises(RuntimeError, match="mine"):
        table.submit_transaction(operations())
    assert not table.exists("p", "r")


# Results.


def test_an_entity_is_a_dict_with_metadata(table: Table) -> None:
    table.create_entity(ENTITY)
    entity = table.get_entity("p", "r")
    assert isinstance(entity, dict) and entity == ENTITY
    assert list(entity.metadata) == ["etag", "timestamp"]
    assert "Timestamp" not in entity
    assert type(entity.copy()) is dict
    for same in (copy.copy(entity), copy.deepcopy(entity), pickle.loads(pickle.dumps(entity))):
        assert (type(same), same, same.metadata) == (entable.TableEntity, entity, entity.metadata)
    assert entable.TableEntity(A=1).metadata == {"etag": None, "timestamp": None}
    assert entable.TableEntity({"A": 1}, B=2) == {"A": 1, "B": 2}


def test_metadata_takes_part_in_garbage_collection(table: Table) -> None:
    class Token:
        pass

    table.create_entity(ENTITY)
    entity: Any = table.get_entity("p", "r")
    token = Token()
    gone = weakref.ref(token)
    entity.metadata.update(entity=entity, token=token)
    del entity, token
    gc.collect()
    assert gone() is None


def test_select_says_which_keys_come(table: Table) -> None:
    table.create_entity({"PartitionKey": "", "RowKey": "", "A": 1, "B": 2})
    everything = {"PartitionKey": "", "RowKey": "", "A": 1, "B": 2}
    for select, expected in [
        (None, everything),
        ("*", everything),
        ([], everything),
        ("A", {"A": 1}),
        (["A"], {"A": 1}),
        ("A, RowKey", {"RowKey": "", "A": 1}),
        (("A", "PartitionKey"), {"PartitionKey": "", "A": 1}),
        (["Nothing"], {}),
    ]:
        entity = table.get_entity("", "", select=select)
        assert entity == expected
        assert list(table.list_entities(select=select)) == [expected]
        assert entity.metadata["etag"]
    for wrong in (5, [5], b"A"):
        unchecked: Any = wrong
        with pytest.raises(TypeError):
            table.get_entity("", "", select=unchecked)


def test_an_iterator_is_used_up_and_by_page_begins_anew(table: Table) -> None:
    for row in range(5):
        table.create_entity({"PartitionKey": "p", "RowKey": str(row)})
    results = table.list_entities(results_per_page=2)
    assert [entity["RowKey"] for entity in results] == list("01234")
    assert list(results) == []
    pages = results.by_page()
    assert pages.continuation_token is None
    rows: list[list[str]] = []
    tokens: list[Any] = []
    for page in pages:
        rows.append([entity["RowKey"] for entity in page])
        tokens.append(pages.continuation_token)
    assert rows == [["0", "1"], ["2", "3"], ["4"]]
    assert tokens[-1] is None
    assert tokens[0] is not None
    for token in (tokens[0], tokens[0]["PartitionKey"], MappingProxyType(tokens[0])):
        assert [entity["RowKey"] for entity in next(results.by_page(token))] == ["2", "3"]
    assert len(list(table.list_entities(results_per_page=2, limit=3))) == 3


@pytest.mark.parametrize("token", [5, b"x", ["x"], {"RowKey": "x"}, {"PartitionKey": 5}, "no token"])
def test_a_wrong_token_is_a_value_error(table: Table, token: Any) -> None:
    with pytest.raises(ValueError):
        next(table.list_entities().by_page(token))


def test_sizes_of_pages_and_limits_are_whole_numbers(table: Table) -> None:
    unchecked: Any = table.list_entities
    for name in ("results_per_page", "limit"):
        for wrong in (-1, 1.5, "2", 2**70):
            with pytest.raises((TypeError, OverflowError)):
                unchecked(**{name: wrong})


def test_errors_of_a_query_come_with_the_first_item(store: Store, table: Table) -> None:
    for results in (table.query_entities("A eq"), store.get_table_client("Missing").list_entities()):
        with pytest.raises(entable.HttpResponseError):
            next(results)
    with pytest.raises(entable.InvalidInputError) as error:
        list(table.query_entities("A eq"))
    assert (error.value.error_code, error.value.position) == ("InvalidInput", 4)


def test_parameters_have_the_types_of_python(table: Table) -> None:
    table.create_entity({**ENTITY, "S": "O'Hara", "L": entable.Int64(2**40), "B": b"\1\2"})
    parameters = {"s": "O'Hara", "l": 2**40, "b": b"\1\2", "unused": 1.5}
    assert len(list(table.query_entities("(S eq @s) and  L eq @l and B eq @b", parameters=parameters))) == 1
    with pytest.raises(KeyError, match="x"):
        list(table.query_entities("(S eq @x)", parameters=parameters))
    wrong: Any
    for wrong in ({"s": None}, {"s": []}, {5: 1}, [("s", 1)]):
        with pytest.raises(TypeError):
            table.query_entities("S eq @s", parameters=wrong)
    assert len(list(table.query_entities(None))) == 1


def test_threads_may_share_an_iterator(table: Table) -> None:
    for row in range(200):
        table.create_entity({"PartitionKey": "p", "RowKey": f"{row:03}"})
    results = table.list_entities(results_per_page=7)
    rows: list[str] = []

    def read() -> None:
        rows.extend(entity["RowKey"] for entity in results)

    threads = [threading.Thread(target=read) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(rows) == [f"{row:03}" for row in range(200)]


def test_threads_may_write_at_once(table: Table) -> None:
    def write(partition_key: str) -> None:
        for row in range(50):
            table.create_entity({"PartitionKey": partition_key, "RowKey": str(row)})

    threads = [threading.Thread(target=write, args=(str(number),)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(list(table.list_entities())) == 200


# Writes.


def test_a_write_gives_exactly_the_metadata_of_the_client(table: Table) -> None:
    for call in (table.create_entity, table.update_entity, table.upsert_entity):
        assert list(call(ENTITY)) == ["date", "etag", "version"]


@pytest.mark.parametrize("mode", ["Merge", "MERGE", "", "insert", 5, ["merge"]])
def test_a_wrong_mode_is_a_value_error(table: Table, mode: Any) -> None:
    for call in (table.update_entity, table.upsert_entity):
        with pytest.raises(ValueError, match="Mode"):
            call(ENTITY, mode)
    with pytest.raises(ValueError, match="Mode"):
        table.submit_transaction([("update", ENTITY, {"mode": mode})])


def test_modes_are_found_in_any_case_of_their_names(table: Table) -> None:
    table.create_entity(ENTITY)
    table.update_entity({"PartitionKey": "p", "RowKey": "r", "B": 2}, UpdateMode["replace"])
    assert table.get_entity("p", "r") == {"PartitionKey": "p", "RowKey": "r", "B": 2}
    edm: Any = entable.EdmType
    assert edm.int64 is entable.EdmType.INT64
    assert edm.int64 == edm("Edm.Int64") == "Edm.Int64"
    with pytest.raises(AttributeError):
        edm.decimal  # noqa: B018


def test_conditions(table: Table) -> None:
    etag = table.create_entity(ENTITY)["etag"]
    not_modified = MatchConditions.IfNotModified
    for arguments in (
        {"etag": etag},
        {"etag": etag, "match_condition": MatchConditions.Unconditionally},
        {"match_condition": not_modified},
        {"match_condition": MatchConditions.IfModified, "etag": etag},
        {"match_condition": "IfNotModified", "etag": etag},
        {"match_condition": 2, "etag": etag},
        {"match_condition": not_modified, "etag": "no etag"},
    ):
        unchecked: Any = arguments
        for call in (table.update_entity, table.upsert_entity, table.delete_entity):
            with pytest.raises(ValueError):
                call(ENTITY, **unchecked)
    wrong: Any = 5
    with pytest.raises(TypeError, match="etag"):
        table.update_entity(ENTITY, etag=wrong, match_condition=not_modified)
    read = table.get_entity("p", "r")
    table.update_entity(read, match_condition=not_modified)
    for late in (
        lambda: table.update_entity(read, match_condition=not_modified),
        lambda: table.delete_entity(read, match_condition=not_modified),
    ):
        with pytest.raises(entable.ResourceModifiedError):
            late()
    with pytest.raises(entable.TableTransactionError) as error:
        table.submit_transaction([("update", read, {"match_condition": not_modified})])
    assert (error.value.index, error.value.error_code) == (0, "UpdateConditionNotSatisfied")
    with pytest.raises(entable.ResourceExistsError):
        table.upsert_entity(ENTITY, match_condition=MatchConditions.IfMissing)


def test_the_forms_of_a_delete(table: Table) -> None:
    call: Any = table.delete_entity
    forms: list[tuple[tuple[Any, ...], dict[str, Any]]] = [
        (("p", "r"), {}),
        (("p",), {"row_key": "r"}),
        ((), {"partition_key": "p", "row_key": "r"}),
        ((ENTITY,), {}),
        ((), {"entity": ENTITY}),
    ]
    for arguments, named in forms:
        table.upsert_entity(ENTITY)
        assert call(*arguments, **named) is None
        assert not table.exists("p", "r")
        assert call(*arguments, **named) is None
    unchecked: Any
    for unchecked in [
        ((), {}),
        (("p",), {}),
        (("p", "r", "x"), {}),
        (("p", "r"), {"row_key": "r"}),
        (("p", "r"), {"entity": ENTITY}),
        ((None, None), {}),
        (("p", "r"), {"rowkey": "r"}),
    ]:
        with pytest.raises(TypeError):
            call(*unchecked[0], **unchecked[1])
    with pytest.raises(KeyError):
        call({"PartitionKey": "p"})


# Tables and transactions.


def test_a_wrong_table_name_shows_when_the_handle_is_used(store: Store) -> None:
    table = store.get_table_client("no-name")
    assert table.table_name == "no-name"
    for call in (table.create_table, lambda: table.get_entity("p", "r"), lambda: table.create_entity(ENTITY)):
        with pytest.raises(ValueError) as error:
            call()
        assert isinstance(error.value, entable.InvalidInputError)
        assert error.value.error_code == "InvalidResourceName"
    with pytest.raises(ValueError):
        store.get_table_client("")
    unchecked: Any = store.create_table
    for wrong in (None, 5, b"Orders"):
        with pytest.raises(TypeError):
            unchecked(wrong)


def test_tables(store: Store, table: Table) -> None:
    assert table.table_name == "Orders"
    with pytest.raises(entable.ResourceExistsError):
        store.create_table("ORDERS")
    assert store.create_table_if_not_exists("orders").table_name == "orders"
    item = store.get_table_client("Other").create_table()
    assert (item.name, item) == ("Other", entable.TableItem("Other"))
    assert [item.name for item in store.list_tables()] == ["Orders", "Other"]
    query = store.query_tables("TableName eq @name", parameters={"name": "Other"})
    assert [[item.name for item in page] for page in query.by_page()] == [["Other"]]
    store.delete_table("Orders")
    store.delete_table("Orders")
    table.delete_table()
    with pytest.raises(entable.ResourceNotFoundError) as error:
        table.get_entity("p", "r")
    assert (error.value.error_code, error.value.status_code, error.value.table) == ("TableNotFound", 404, "Orders")
    table.delete_entity("p", "r")


@pytest.mark.parametrize(
    ("operations", "expected"),
    [
        (None, TypeError),
        (5, TypeError),
        ([5], TypeError),
        (["create"], TypeError),
        ([("create",)], TypeError),
        ([("create", ENTITY, {}, 5)], TypeError),
        ([("create", ENTITY, 5)], TypeError),
        ([("insert", ENTITY)], ValueError),
        ([(None, ENTITY)], ValueError),
        ([("update", ENTITY, {"modus": "merge"})], TypeError),
        ([("update", ENTITY, {"etag": 5})], TypeError),
        ([("delete", {"PartitionKey": "p"})], ValueError),
        ([("delete", ("p", "r"))], TypeError),
        ([("create", ENTITY), ("create", {"PartitionKey": "q", "RowKey": "r"})], ValueError),
    ],
    ids=lambda value: repr(value)[:60],
)
def test_a_wrong_transaction_does_nothing(table: Table, operations: Any, expected: type[Exception]) -> None:
    with pytest.raises(expected):
        table.submit_transaction(operations)
    assert list(table.list_entities()) == []


def test_transactions(table: Table) -> None:
    def entity(row: str) -> dict[str, Any]:
        return {"PartitionKey": "p", "RowKey": row}

    results = table.submit_transaction(
        iter([("CREATE", entity("a")), (entable.TransactionOperation.UPSERT, entity("b"), {"mode": "replace"})])
    )
    assert [list(result) for result in results] == [["etag"], ["etag"]]
    assert table.submit_transaction([("delete", entity("a")), ("update", entity("b"))])[0] == {}
    assert table.submit_transaction([]) == []
    with pytest.raises(entable.TableTransactionError) as error:
        table.submit_transaction([("upsert", entity("c")), ("delete", entity("a"))])
    assert (error.value.index, error.value.status_code, error.value.row_key) == (1, 404, "a")
    assert error.value.message.startswith("1:")
    with pytest.raises(entable.TableTransactionError) as error:
        table.submit_transaction([("upsert", entity("c")), ("upsert", {**entity("d"), "V": ("x", "Edm.Int32")})])
    assert (error.value.index, error.value.property, error.value.error_code) == (1, "V", "InvalidInput")
    assert not table.exists("p", "c")


def test_batches_take_handles_and_names(store: Store, table: Table) -> None:
    other = store.create_table("Other")
    results = store.submit_batch([(table, "create", ENTITY), ("Other", "create", ENTITY), (other, "delete", ENTITY)])
    assert [bool(result) for result in results] == [True, True, False]
    with Store(":memory:") as another, pytest.raises(entable.InvalidTransactionError):
        another.submit_batch([(table, "upsert", ENTITY)])
    wrong: Any
    for wrong in ([(5, "create", ENTITY)], [("Orders",)], [()], [ENTITY]):
        with pytest.raises(TypeError):
            store.submit_batch(wrong)


# Errors.


def test_errors_are_of_the_clients_classes_and_tell_the_facts(table: Table) -> None:
    table.create_entity(ENTITY)
    with pytest.raises(entable.ResourceExistsError) as caught:
        table.create_entity(ENTITY)
    error = caught.value
    assert (error.error_code, error.status_code, error.error_class) == ("EntityAlreadyExists", 409, "Exists")
    assert error.error_code is entable.TableErrorCode.ENTITY_ALREADY_EXISTS
    assert (error.table, error.partition_key, error.row_key) == ("Orders", "p", "r")
    assert str(error).endswith("ErrorCode:EntityAlreadyExists")
    assert isinstance(error, entable.HttpResponseError)
    again = pickle.loads(pickle.dumps(error))
    assert (type(again), again.message, again.row_key) == (type(error), error.message, "r")


def test_repr(store: Store, table: Table) -> None:
    assert repr(store) == '<entable.Store ":memory:", mode "portable">'
    assert repr(table) == '<entable.Table "Orders">'
