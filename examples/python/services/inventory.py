"""The stock of a warehouse behind FastAPI: conditional writes keep two clerks from selling the same thing.

INVENTORY=inventory.ent uvicorn --factory inventory:create_app
"""

from __future__ import annotations

import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Annotated, Any

import entable
from entable import aio
from fastapi import FastAPI, Header, HTTPException, Response
from pydantic import BaseModel, Field


class Item(BaseModel):
    name: str
    count: int = Field(ge=0)


def create_app(path: str | None = None) -> FastAPI:
    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        async with aio.Store(path or os.environ.get("INVENTORY", "inventory.ent")) as store:
            app.state.items = await store.create_table_if_not_exists("Items")
            yield

    app = FastAPI(lifespan=lifespan)

    def shown(item: Any, response: Response) -> dict[str, Any]:
        response.headers["ETag"] = item.metadata["etag"]
        return {"place": item["PartitionKey"], "id": item["RowKey"], "name": item["Name"], "count": item["Count"]}

    @app.put("/items/{place}/{id}", status_code=201)
    async def create(place: str, id: str, item: Item) -> dict[str, str]:
        entity = {"PartitionKey": place, "RowKey": id, "Name": item.name, "Count": item.count}
        try:
            written = await app.state.items.create_entity(entity)
        except entable.ResourceExistsError as error:
            raise HTTPException(409, "this item is there already") from error
        return {"etag": written["etag"]}

    @app.get("/items/{place}/{id}")
    async def read(place: str, id: str, response: Response) -> dict[str, Any]:
        try:
            return shown(await app.state.items.get_entity(place, id), response)
        except entable.ResourceNotFoundError as error:
            raise HTTPException(404, "there is no such item") from error

    @app.post("/items/{place}/{id}/take")
    async def take(place: str, id: str, if_match: Annotated[str, Header()], count: int = 1) -> dict[str, Any]:
        try:
            item = await app.state.items.get_entity(place, id)
            if item["Count"] < count:
                raise HTTPException(422, "there are not as many")
            changed = {"PartitionKey": place, "RowKey": id, "Count": item["Count"] - count}
            # The caller's own ETag: what he decided on is what must still be there.
            condition = entable.MatchConditions.IfNotModified
            written = await app.state.items.update_entity(changed, etag=if_match, match_condition=condition)
        except entable.ResourceNotFoundError as error:
            raise HTTPException(404, "there is no such item") from error
        except entable.ResourceModifiedError as error:
            raise HTTPException(412, "somebody else was faster") from error
        return {"count": changed["Count"], "etag": written["etag"]}

    @app.get("/items/{place}")
    async def few(place: str, below: int = 10) -> list[dict[str, Any]]:
        parameters = {"place": place, "below": below}
        found = app.state.items.query_entities("PartitionKey eq @place and Count lt @below", parameters=parameters)
        return [{"id": item["RowKey"], "count": item["Count"]} async for item in found]

    return app
