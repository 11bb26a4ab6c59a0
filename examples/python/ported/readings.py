"""Readings of many devices, written and read by tasks: every type of value, and the newest first."""

import asyncio
import math
from datetime import datetime, timedelta, timezone
from uuid import UUID

from azure.core.exceptions import ResourceExistsError
from azure.data.tables import EdmType, TableEntity
from azure.data.tables.aio import TableClient

readings = TableClient.from_connection_string("UseDevelopmentStorage=true", "Readings")

START = datetime(2026, 12, 1, 8, 0, tzinfo=timezone.utc)


def reading(device: str, number: int) -> TableEntity:
    time = START + timedelta(minutes=number)
    entity = TableEntity()
    entity["PartitionKey"] = device
    # The newest first: what is left until the year 3000.
    entity["RowKey"] = f"{int(datetime(3000, 1, 1, tzinfo=timezone.utc).timestamp() - time.timestamp()):012}"
    entity["At"] = time
    entity["Value"] = number / 8 if number % 10 else math.nan
    entity["Count"] = (number * 10_000_000_000, EdmType.INT64)
    entity["Device"] = UUID(int=int(device[1:]))
    entity["Raw"] = bytes([number])
    entity["Valid"] = number % 10 != 0
    entity["Note"] = None  # Left out.
    return entity


async def record(device: str) -> int:
    for number in range(20):
        await readings.create_entity(reading(device, number))
    return 20


async def main() -> None:
    async with readings:
        await readings.create_table()
        devices = [f"d{number:03}" for number in range(6)]
        print("written", sum(await asyncio.gather(*map(record, devices))))
        try:
            await readings.create_entity(reading("d001", 3))
        except ResourceExistsError as error:
            print("again", error.status_code)

        # The newest of one device: the first of its partition.
        async for newest in readings.query_entities("PartitionKey eq 'd002'", results_per_page=1):
            print("newest", newest["At"].isoformat(), newest["Value"], newest["Count"].value, newest["Raw"])
            print("properties", sorted(newest))
            assert newest["Device"] == UUID(int=2) and newest.metadata["timestamp"]
            break

        # Parameters of every type.
        since, device = START + timedelta(minutes=15), UUID(int=4)
        found = readings.query_entities(
            "At ge @since and Device eq @device and Valid eq @valid",
            parameters={"since": since, "device": device, "valid": True},
            select=["Value", "At"],
        )
        print("found", [(each["Value"], each["At"].minute) async for each in found])
        large = readings.query_entities("Count gt @count", parameters={"count": 185_000_000_000}, select="PartitionKey")
        print("large", [each["PartitionKey"] async for each in large])

        # Those that are not valid have no number.
        invalid = [each async for each in readings.query_entities("Valid eq false")]
        print("invalid", len(invalid), all(math.isnan(each["Value"]) for each in invalid))

        # Pages of pages.
        sizes = []
        async for page in readings.list_entities(results_per_page=50).by_page():
            sizes.append(len([each async for each in page]))
        print("pages", sizes)

        # The old ones go, a group for each device.
        for device_name in devices:
            old = readings.query_entities("PartitionKey eq @d and At lt @t", parameters={"d": device_name, "t": since})
            results = await readings.submit_transaction([("delete", each) async for each in old])
            assert results == [{}] * 15
        print("left", len([each async for each in readings.list_entities(select=["RowKey"])]))
        await readings.delete_table()


asyncio.run(main())
