"""Interactive transactions: all or nothing, on their own thread, never in anybody's way for ever."""

from __future__ import annotations

import gc
import threading
from collections.abc import Callable
from typing import Any

import entable
import pytest
from entable import Store, Table

ENTITY = {"PartitionKey": "p", "RowKey": "r", "A": 1}


@pytest.fixture
def table(store: Store) -> Table:
    return store.create_table("Orders")


def in_thread(work: Callable[[], Any]) -> Any:
    """What the work gives, or raises, on another thread."""
    outcome: list[Any] = []

    def run() -> None:
        try:
            outcome.append(work())
        except BaseException as error:
            outcome.append(error)

    thread = threading.Thread(target=run)
    thread.start()
    thread.join(20)
    assert not thread.is_alive(), "it waits for ever"
    return outcome[0]


def test_all_is_there_at_the_end_and_nothing_outside_before(store: Store, table: Table) -> None:
    with store.transaction() as transaction:
        inside = transaction.get_table_client("Orders")
        inside.create_entity(ENTITY)
        inside.update_entity({**ENTITY, "B": 2})
        assert inside.get_entity("p", "r") == {**ENTITY, "B": 2}
        assert (inside.count(), inside.exists("p", "r"), table.count()) == (1, True, 0)
        assert "transaction" in repr(inside)
    assert table.get_entity("p", "r") == {**ENTITY, "B": 2}


def test_an_exception_undoes_it(store: Store, table: Table) -> None:
    class Mine(Exception):
        pass

    with pytest.raises(Mine), store.transaction() as transaction:
        transaction.create_table("Other").create_entity(ENTITY)
        transaction.get_table_client("Orders").create_entity(ENTITY)
        raise Mine
    assert (table.count(), [item.name for item in store.list_tables()]) == (0, ["Orders"])
    # The turn to write is free again.
    table.create_entity(ENTITY)


def test_all_verbs_inside(store: Store, table: Table) -> None:
    with store.transaction() as transaction:
        inside = transaction.create_table_if_not_exists("Orders")
        for n in range(5):
            inside.upsert_entity({"PartitionKey": "p", "RowKey": str(n), "N": n})
        inside.submit_transaction([("create", {"PartitionKey": "p", "RowKey": "5", "N": 5})])
        assert [entity["N"] for entity in inside.list_entities()] == [0, 1, 2, 3, 4, 5]
        pages = inside.query_entities("N ge @n", parameters={"n": 1}, results_per_page=2, limit=3).by_page()
        assert [[entity["N"] for entity in page] for page in pages] == [[1, 2], [3]]
        assert [entity["N"] for entity in inside.list_entities(descending=True, limit=2, select=["N"])] == [5, 4]
        assert inside.get_many([("p", "0"), ("p", "9")])[1] is None
        inside.delete_entity("p", "0")
        inside.delete_entity("p", "0")
        assert inside.delete_entities("N lt 3") == 2
        assert inside.count() == 3
        other = transaction.create_table("Other")
        assert [item.name for item in transaction.list_tables()] == ["Orders", "Other"]
        other.delete_table()
        transaction.delete_table("Other")
        transaction.delete_table("Never")
        other.create_table()
    assert (table.count(), store.get_table_client("Other").count()) == (3, 0)


def test_an_operation_that_fails_is_its_own_affair(store: Store, table: Table) -> None:
    with store.transaction() as transaction:
        inside = transaction.get_table_client("Orders")
        inside.create_entity(ENTITY)
        with pytest.raises(entable.ResourceExistsError):
            inside.create_entity(ENTITY)
        with pytest.raises(entable.TableTransactionError) as error:
            inside.submit_transaction([("create", {**ENTITY, "RowKey": "s"}), ("create", ENTITY)])
        assert error.value.index == 1
    assert table.count() == 1


def test_it_ends_once(store: Store, table: Table) -> None:
    with store.transaction() as transaction:
        inside = transaction.get_table_client("Orders")
        inside.create_entity(ENTITY)
        transaction.commit()
        assert table.count() == 1
        for call in (transaction.commit, transaction.rollback, inside.count, lambda: inside.upsert_entity(ENTITY)):
            with pytest.raises(entable.StoreClosedError, match="ended"):
                call()
    with store.transaction() as rolled:
        rolled.get_table_client("Orders").delete_entity("p", "r")
        rolled.rollback()
    assert table.count() == 1
    for again in (transaction, rolled):
        with pytest.raises(entable.InvalidInputError), again:
            pass


def test_it_begins_with_the_with(store: Store) -> None:
    transaction = store.transaction()
    for call in (transaction.commit, transaction.rollback, lambda: transaction.get_table_client("Orders")):
        with pytest.raises(entable.InvalidInputError, match="with"):
            call()


def test_its_thread_cannot_write_past_it(store: Store, table: Table) -> None:
    with store.transaction() as transaction:
        transaction.get_table_client("Orders").create_entity(ENTITY)
        for call in (lambda: table.upsert_entity(ENTITY), lambda: store.transaction().__enter__(), store.sync):
            with pytest.raises(entable.StoreBusyError) as error:
                call()
            assert error.value.error_code == "TransactionOpen"
    assert table.count() == 1


def test_what_has_no_meaning_inside_says_so(store: Store, table: Table) -> None:
    with store.transaction() as transaction, store.snapshot() as snapshot:
        inside = transaction.get_table_client("Orders")
        calls: list[Callable[[], Any]] = [
            inside.explain,
            inside.partition_keys,
            inside.list_indexes,
            lambda: inside.create_index("ByA", "A"),
            lambda: inside.drop_index("ByA"),
            lambda: inside.delete_entities("", chunk=5),
            lambda: inside.at(snapshot),
            lambda: store.submit_batch([(inside, "upsert", ENTITY)]),
        ]
        for call in calls:
            with pytest.raises(entable.StoreBusyError, match="inside a transaction"):
                call()


def test_another_thread_cannot_use_it(store: Store, table: Table) -> None:
    with store.transaction() as transaction:
        inside = transaction.get_table_client("Orders")
        for call in (transaction.commit, transaction.list_tables, inside.count, lambda: inside.upsert_entity(ENTITY)):
            error = in_thread(call)
            assert isinstance(error, entable.InvalidInputError)
            assert "thread" in str(error)
        inside.create_entity(ENTITY)
    assert table.count() == 1


def test_others_wait_without_stopping_the_interpreter(store: Store, table: Table) -> None:
    entered, done = threading.Event(), threading.Event()

    def write() -> None:
        entered.set()
        table.upsert_entity({**ENTITY, "RowKey": "other"})
        done.set()

    thread = threading.Thread(target=write)
    with store.transaction() as transaction:
        thread.start()
        assert entered.wait(20)
        assert not done.wait(0.05)
        transaction.get_table_client("Orders").create_entity(ENTITY)
    thread.join(20)
    assert done.is_set()
    assert table.count() == 2


def test_what_is_let_go_of_is_undone(store: Store, table: Table) -> None:
    def leave() -> None:
        transaction = store.transaction()
        transaction.__enter__()
        transaction.get_table_client("Orders").upsert_entity({**ENTITY, "A": 7})

    leave()
    gc.collect()
    assert table.count() == 0
    table.create_entity(ENTITY)
    # A thread that ends in the middle of one ends it.
    assert in_thread(leave) is None
    table.upsert_entity({**ENTITY, "B": 2})
    assert table.get_entity("p", "r") == {**ENTITY, "B": 2}


def test_what_another_thread_lets_go_of_is_undone_by_its_own(store: Store, table: Table) -> None:
    held = [store.transaction()]
    held[0].__enter__()
    held[0].get_table_client("Orders").create_entity(ENTITY)
    in_thread(held.clear)
    gc.collect()
    with store.transaction():
        pass
    assert table.count() == 0


def test_an_iterator_of_a_transaction_ends_with_it(store: Store, table: Table) -> None:
    for n in range(3):
        table.create_entity({"PartitionKey": "p", "RowKey": str(n)})
    with store.transaction() as transaction:
        entities = transaction.get_table_client("Orders").list_entities(results_per_page=1)
        next(entities)
    with pytest.raises(entable.StoreClosedError):
        next(entities)


def test_closing_the_store_inside(store: Store, table: Table) -> None:
    with pytest.raises(entable.StoreClosedError), store.transaction() as transaction:
        transaction.get_table_client("Orders").create_entity(ENTITY)
        store.close()
