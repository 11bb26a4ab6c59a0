"""Values of the program's own: an encoder for what cannot be stored, a decoder for what is read."""

from __future__ import annotations

import asyncio
import pickle
from decimal import Decimal
from pathlib import Path
from typing import Any

import entable
import pytest
from entable import EntityProperty, Store, Table, aio


def encode(name: str, value: Any) -> Any:
    match value:
        case Decimal():
            return str(value)
        case {"nothing": _}:
            return None
        case list():
            return (",".join(value), "Edm.String")
        case int():
            return str(value)
        case complex():
            return value
        case set():
            raise LookupError(name)
    return object()


def decode(name: str, value: Any) -> Any:
    return Decimal(value) if name == "Price" else value


def keys(**properties: Any) -> dict[str, Any]:
    return {"PartitionKey": "p", "RowKey": "1", **properties}


def test_every_way_in_and_out_goes_through_them(tmp_path: Path) -> None:
    with Store(tmp_path / "store", encoder=encode, decoder=decode) as store:
        table = store.create_table("Prices")
        entity = keys(Price=Decimal("1.10"), Tags=["a", "b"], Big=2**70, Gone={"nothing": 0}, Plain="x")
        read = keys(Price=Decimal("1.10"), Tags="a,b", Big=str(2**70), Plain="x")
        writes: list[Any] = [
            lambda: table.create_entity(entity),
            lambda: table.update_entity(entity, "replace"),
            lambda: table.upsert_entity(entity, "replace"),
            lambda: table.submit_transaction([("upsert", entity)]),
            lambda: store.submit_batch([("Prices", "upsert", entity)]),
            lambda: entable.load(table, [entity]),
        ]
        for write in writes:
            write()
            assert table.get_entity("p", "1") == read
            # Nothing of it is left for the next to find; an update needs one that is there.
            table.upsert_entity(keys(), "replace")
        table.upsert_entity(entity, "replace")
        with store.snapshot() as snapshot, store.transaction() as transaction:
            inside = transaction.get_table_client("Prices")
            for reader in (table, table.at(snapshot), inside):
                assert list(reader.list_entities()) == [read]
                assert reader.get_many([("p", "1")]) == [read]
                assert reader.get_entity("p", "1", select="Price") == {"Price": Decimal("1.10")}
        asked = table.query_entities("Price eq @price", parameters={"price": Decimal("1.10")})
        assert [list(page) for page in asked.by_page()] == [[read]]
        assert table.count("Price eq @price", parameters={"price": Decimal("1.1")}) == 0
        again = pickle.loads(pickle.dumps(table))
        assert again.get_entity("p", "1") == read


def test_a_table_by_its_path_and_the_asynchronous_form_take_them(tmp_path: Path) -> None:
    with Table(tmp_path / "store", "Prices", encoder=encode, decoder=decode) as table:
        table.create_table()
        table.create_entity(keys(Price=Decimal(1)))

    async def run() -> None:
        async with aio.Store(tmp_path / "store", encoder=encode, decoder=decode) as store:
            inside = store.get_table_client("Prices")
            await inside.upsert_entity(keys(Price=Decimal(2)))
            assert (await inside.get_entity("p", "1"))["Price"] == Decimal(2)
            assert [found["Price"] async for found in inside.list_entities()] == [Decimal(2)]

    asyncio.run(run())


def test_what_cannot_be_stored_stays_refused() -> None:
    with Store(":memory:", encoder=encode) as store:
        table = store.create_table("Prices")
        for wrong in (1j, object()):
            with pytest.raises(TypeError, match=r'"P".*cannot be stored'):
                table.create_entity(keys(P=wrong))
        with pytest.raises(LookupError, match="P"):
            table.create_entity(keys(P=set()))
        with pytest.raises(TypeError, match='"P"'):
            table.create_entity(keys(P=EntityProperty([], "Edm.Int32")))
        assert table.count() == 0
    for option in ("encoder", "decoder"):
        with pytest.raises(TypeError, match=f"{option} is a callable"):
            Store(":memory:", **{option: 5})  # type: ignore[arg-type]


def test_a_decoder_that_fails_says_so_and_the_store_goes_on() -> None:
    calls = []

    def failing(name: str, value: Any) -> Any:
        calls.append(name)
        if value == "bad":
            raise ArithmeticError(name)
        return value

    with Store(":memory:", decoder=failing) as store:
        table = store.create_table("Prices")
        table.create_entity(keys(P="bad", Q=1))
        for read in (lambda: table.get_entity("p", "1"), lambda: list(table.list_entities())):
            with pytest.raises(ArithmeticError, match="P"):
                read()
        assert table.get_entity("p", "1", select=["Q"]) == {"Q": 1}
        assert calls == ["P", "P", "Q"]
