"""The surface of the official client, as it is installed: its names, parameters, defaults, values and classes are here.

What is absent is listed with its reason, and nothing is listed that is there.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from typing import Any

import entable
import entable.aio
import pytest

official = pytest.importorskip("azure.data.tables")
official_aio = pytest.importorskip("azure.data.tables.aio")
exceptions = pytest.importorskip("azure.core.exceptions")
core = pytest.importorskip("azure.core")

HTTP = "speaks of a connection: a store is opened by its path"
POLICIES = "access policies and signatures guard a service; a file has the system's permissions"
SETTINGS = "settings and statistics of a service account"

ABSENT_METHODS = {
    "api_version": HTTP,
    "url": HTTP,
    "from_connection_string": HTTP,
    "from_table_url": HTTP,
    "get_table_access_policy": POLICIES,
    "set_table_access_policy": POLICIES,
    "get_service_properties": SETTINGS,
    "set_service_properties": SETTINGS,
    "get_service_stats": SETTINGS,
}
ABSENT_NAMES = {
    "AccountSasPermissions": POLICIES,
    "ResourceTypes": POLICIES,
    "SASProtocol": POLICIES,
    "TableAccessPolicy": POLICIES,
    "TableSasPermissions": POLICIES,
    "generate_account_sas": POLICIES,
    "generate_table_sas": POLICIES,
    "TableAnalyticsLogging": SETTINGS,
    "TableCorsRule": SETTINGS,
    "TableMetrics": SETTINGS,
    "TableRetentionPolicy": SETTINGS,
}
# `timeout`, `headers`, hooks, retries and the like: an unknown keyword is refused, and not passed over.
VARIABLE = (inspect.Parameter.VAR_KEYWORD, inspect.Parameter.VAR_POSITIONAL)
KEYWORD = inspect.Parameter.KEYWORD_ONLY

PAIRS: list[tuple[str, Any, Any]] = [
    ("Store", official.TableServiceClient, entable.TableServiceClient),
    ("Table", official.TableClient, entable.TableClient),
    ("aio.Store", official_aio.TableServiceClient, entable.aio.TableServiceClient),
    ("aio.Table", official_aio.TableClient, entable.aio.TableClient),
]


def members() -> Iterator[Any]:
    for place, theirs, ours in PAIRS:
        for name in dir(theirs):
            if not name.startswith("_") and name not in ABSENT_METHODS:
                yield pytest.param(
                    inspect.getattr_static(theirs, name), getattr(ours, name, None), id=f"{place}.{name}"
                )


def parameters(callable_: Any) -> list[inspect.Parameter]:
    """The parameters that are named, without ``self``."""
    named = [each for each in inspect.signature(callable_).parameters.values() if each.kind not in VARIABLE]
    return named[1:] if named and named[0].name == "self" else named


@pytest.mark.parametrize(("theirs", "ours"), list(members()))
def test_a_method_has_the_same_parameters_and_defaults(theirs: Any, ours: Any) -> None:
    assert ours is not None, "it is not there: add it, or say why not"
    wanted, found = parameters(theirs), parameters(ours)
    by_place = [(each.name, each.default) for each in wanted if each.kind is not KEYWORD]
    assert [(each.name, each.default) for each in found if each.kind is not KEYWORD][: len(by_place)] == by_place
    keywords = {each.name: each.default for each in found if each.kind is KEYWORD}
    for each in wanted:
        if each.kind is KEYWORD:
            assert keywords[each.name] == each.default, each.name
    # What is there beyond them can be left out.
    known = {each.name for each in wanted}
    assert all(each.default is not inspect.Parameter.empty for each in found if each.name not in known)
    assert inspect.iscoroutinefunction(theirs) == inspect.iscoroutinefunction(ours)
    assert (inspect.getdoc(ours) or "").strip(), "it has no documentation"


def test_what_is_absent_is_absent_and_there() -> None:
    for name in ABSENT_METHODS:
        assert any(hasattr(theirs, name) for _, theirs, _ in PAIRS), f"the client has no {name} any more"
        assert not any(hasattr(ours, name) for _, _, ours in PAIRS), f"{name} is there"


def test_the_module_has_the_same_names() -> None:
    assert set(official.__all__) - set(entable.__all__) == set(ABSENT_NAMES)
    assert set(official_aio.__all__) <= set(entable.aio.__all__)


@pytest.mark.parametrize("name", ["EdmType", "UpdateMode", "TransactionOperation"])
def test_an_enum_has_the_same_values(name: str) -> None:
    theirs, ours = getattr(official, name), getattr(entable, name)
    assert {each.name: each.value for each in ours} == {each.name: each.value for each in theirs}
    assert issubclass(ours, str) and all(ours[each.name.lower()] == each.value for each in theirs)


def test_error_codes_that_both_have_are_spelled_alike() -> None:
    theirs = {each.value: each.name for each in official.TableErrorCode}
    shared = {each.value: each.name for each in entable.TableErrorCode if each.value in theirs}
    assert len(shared) > 15
    assert {value: theirs[value] for value in shared} == shared


def test_conditions_have_the_same_names() -> None:
    assert [each.name for each in core.MatchConditions] == [each.name for each in entable.MatchConditions]


def test_conditions_and_enums_of_the_client_are_taken(store: entable.Store) -> None:
    table: Any = store.create_table("Mixed")
    entity = {
        "PartitionKey": "p",
        "RowKey": "1",
        "N": (5, official.EdmType.INT64),
        "P": official.EntityProperty(1, "Edm.Double"),
    }
    table.create_entity(entity)
    found = table.get_entity("p", "1")
    assert (type(found["N"]), found["P"]) == (entable.Int64, 1.0)
    table.update_entity(found, official.UpdateMode.REPLACE, match_condition=core.MatchConditions.IfNotModified)
    with pytest.raises(entable.ResourceModifiedError):
        table.delete_entity(found, match_condition=core.MatchConditions.IfNotModified)
    assert table.submit_transaction([(official.TransactionOperation.DELETE, found)]) == [{}]


ERRORS = ["HttpResponseError", "ResourceExistsError", "ResourceNotFoundError", "ResourceModifiedError"]
ERRORS_OF_TABLES = ["TableTransactionError", "RequestTooLargeError"]


def test_errors_stand_in_the_same_order() -> None:
    theirs = [getattr(exceptions, name) for name in ERRORS] + [getattr(official, name) for name in ERRORS_OF_TABLES]
    ours = [getattr(entable, name) for name in ERRORS + ERRORS_OF_TABLES]
    for at, one in enumerate(theirs):
        for beside, other in enumerate(theirs):
            assert issubclass(ours[at], ours[beside]) == issubclass(one, other), (one, other)


def test_an_entity_is_the_same_kind_of_dict() -> None:
    of_module: Any  # Their property has no setter, and neither has ours.
    for of_module in (official.TableEntity, entable.TableEntity):
        made: Any = of_module({"PartitionKey": "p", "RowKey": "1"}, A=1)
        assert isinstance(made, dict) and made == {"PartitionKey": "p", "RowKey": "1", "A": 1}
        assert type(made.copy()) is dict
        with pytest.raises(AttributeError):
            made.metadata = {}  # type: ignore[attr-defined]
    assert set(entable.EntityMetadata.__annotations__) <= set(official.EntityMetadata.__annotations__)


def test_a_typed_value_is_the_same_tuple() -> None:
    theirs: Any
    ours: Any
    theirs, ours = official.EntityProperty(5, official.EdmType.INT64), entable.EntityProperty(5, entable.EdmType.INT64)
    assert theirs == ours == (5, "Edm.Int64")
    assert theirs._fields == ours._fields
    assert entable.TableItem("T").name == official.TableItem("T").name
