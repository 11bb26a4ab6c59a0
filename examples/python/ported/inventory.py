"""Stock of a warehouse: conditional updates, queries with parameters and projections, pages."""

from typing import Any

from azure.core import MatchConditions
from azure.core.exceptions import HttpResponseError, ResourceExistsError, ResourceModifiedError, ResourceNotFoundError
from azure.data.tables import TableServiceClient, UpdateMode

service = TableServiceClient.from_connection_string("UseDevelopmentStorage=true")

stock = service.create_table_if_not_exists("Stock")
try:
    service.create_table("Stock")
except ResourceExistsError as error:
    print("create table", error.status_code)
print("tables", [table.name for table in service.query_tables("TableName eq @name", parameters={"name": "Stock"})])

NAMES = ["Bolt M6", "Bolt M8", "Children's saw", "Nut M6", "Nut M8"]
for number, name in enumerate(NAMES * 4):
    written = stock.create_entity(
        {
            "PartitionKey": "north" if number % 2 else "south",
            "RowKey": f"{number:04}",
            "Name": name,
            "Count": number * 10,
            "Price": number / 4,
            "Discontinued": number == 7,
        }
    )
    assert written["etag"] and written["date"], "a write tells the version"

# Two clerks take from one shelf: the second one has an old version.
mine = stock.get_entity("north", "0003")
theirs = stock.get_entity(partition_key="north", row_key="0003")
theirs["Count"] -= 5
stock.update_entity(theirs, mode=UpdateMode.REPLACE, match_condition=MatchConditions.IfNotModified)
try:
    mine["Count"] -= 3
    stock.update_entity(mine, match_condition=MatchConditions.IfNotModified, etag=mine.metadata["etag"])
except ResourceModifiedError as error:
    print("update", error.status_code)
print("count", stock.get_entity("north", "0003")["Count"])

# A merge keeps what it does not name, a replacement does not.
stock.upsert_entity({"PartitionKey": "north", "RowKey": "0003", "Shelf": "A7"})
merged = stock.get_entity("north", "0003")
print("merged", merged["Name"], merged["Shelf"], isinstance(merged, dict), "Timestamp" in merged)
stock.upsert_entity({"PartitionKey": "north", "RowKey": "0003", "Shelf": "A8"}, UpdateMode.REPLACE)
print("replaced", dict(stock.get_entity("north", "0003")))

# What is there, and what is not.
try:
    stock.create_entity({"PartitionKey": "south", "RowKey": "0000"})
except ResourceExistsError as error:
    print("create", error.status_code)
try:
    stock.get_entity("south", "none")
except ResourceNotFoundError as error:
    print("get", error.status_code)
try:
    stock.update_entity({"PartitionKey": "south", "RowKey": "none"})
except HttpResponseError as error:
    print("update", error.status_code)
stock.delete_entity("south", "none")  # Nobody minds.
try:
    stock.create_entity({"PartitionKey": "south", "Name": "without a key"})
except ValueError:
    print("no key")

# A value with a quote in it, two conditions, and some of the properties.
found = stock.query_entities(
    "Name eq @name and Count gt @least", parameters={"name": "Children's saw", "least": 50}, select=["RowKey", "Count"]
)
for item in found:
    print("found", dict(item))
dear = list(stock.query_entities("Price ge 4.0 and Discontinued eq false", select="Name"))
print("dear", len(dear), sorted({item["Name"] for item in dear}))

# Pages, and going on from where one ended.
pages: Any = stock.query_entities("PartitionKey eq 'south'", results_per_page=4).by_page()
print("page", [item["RowKey"] for item in next(pages)])
token = pages.continuation_token
rest: Any = stock.query_entities("PartitionKey eq 'south'", results_per_page=4).by_page(continuation_token=token)
for page in rest:
    print("page", [item["RowKey"] for item in page])
print("token", rest.continuation_token)

for item in stock.list_entities():
    stock.delete_entity(item)
print("left", len(list(stock.list_entities())))
service.delete_table("Stock")
service.delete_table("Stock")  # Nobody minds.
service.close()
