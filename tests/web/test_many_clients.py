"""Fifty at once, each with a table of 100,000 rows of their own."""

from __future__ import annotations

import asyncio
import io
from typing import Any

import httpx
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

import reidrisk as rr
from reidrisk.reports.words.blocks import share
from reidrisk.web.app import application
from reidrisk.web.guard import Settings

CLIENTS, ROWS = 50, 100_000
COLUMNS = {"age": 90, "sex": 2, "region": 40, "job": 25}


def table_of(client: int) -> pa.Table:
    rng = np.random.default_rng(client)
    return pa.table({name: rng.integers(0, many, ROWS) for name, many in COLUMNS.items()})


def test_fifty_clients_at_once() -> None:
    answers = asyncio.run(_all_at_once())
    assert len(answers) == CLIENTS
    for client, told in enumerate(answers):
        view = ["age", "sex", "region"]
        if client % 10 == 0:
            risk = rr.measure(rr.read(table_of(client), columns=view), dependence=False)
            assert told["figures"][1]["text"] == share(risk.overall_risk)
        assert told["columns"] == view


async def _all_at_once() -> list[dict[str, Any]]:
    settings = Settings()
    app = application(settings)
    async with httpx.AsyncClient(
        transport=httpx.ASGITransport(app),
        base_url="http://127.0.0.1:8000",
        headers={"X-Reidrisk-Session": settings.session},
        timeout=600,
    ) as web:
        return list(await asyncio.gather(*(_visit(web, client) for client in range(CLIENTS))))


async def _visit(web: httpx.AsyncClient, client: int) -> dict[str, Any]:
    """Open a table, tick three times, look at a picture now and then."""
    file = io.BytesIO()
    pq.write_table(table_of(client), file)
    named = {"X-File-Name": f"{client}.parquet"}
    source = _answer(await web.post("/sources", content=file.getvalue(), headers=named))
    path, told = f"/sources/{source['id']}", {}
    for columns in (["age"], list(COLUMNS), ["age", "sex", "region"]):
        view = {"view": {"columns": columns}}
        told = _answer(await web.post(f"{path}/view", json=view))["told"]
    if client % 5 == 0:
        _answer(await web.post(f"{path}/picture", json=view | {"picture": "attack"}))
    return told


def _answer(response: httpx.Response) -> Any:
    assert response.status_code == 200, response.text
    return response.json()
