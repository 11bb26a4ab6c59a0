"""The services of examples/python, under real clients, each in a process of its own behind a real socket."""

from __future__ import annotations

import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import entable
import pytest

httpx = pytest.importorskip("httpx")
SERVICES = Path(__file__).parents[2] / "examples" / "python" / "services"


@contextmanager
def served(*command: str, port: int, path: Path) -> Iterator[str]:
    """A server, from the moment that it answers; it is told to end, as a host tells it."""
    names = {
        "PATH": "",
        "SESSIONS": str(path),
        "INVENTORY": str(path),
        "PYTHONPATH": str(Path(entable.__file__).parents[1]),
    }
    server = subprocess.Popen([sys.executable, "-m", *command], cwd=SERVICES, env=names, stderr=subprocess.DEVNULL)
    address = f"http://127.0.0.1:{port}"
    try:
        for _ in range(200):
            try:
                httpx.get(f"{address}/", timeout=5)
                break
            except httpx.TransportError:
                assert server.poll() is None
                time.sleep(0.05)
        yield address
    finally:
        server.terminate()
        server.wait(20)


def free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])


def test_sessions_outlive_a_restart(tmp_path: Path) -> None:
    pytest.importorskip("flask")
    path, client = tmp_path / "sessions.ent", httpx.Client()
    for visits in (1, 2):
        port = free_port()
        with served("flask", "--app", "sessions", "run", "--port", str(port), port=port, path=path) as address:
            if visits == 1:
                assert client.post(f"{address}/login", json={"user": "ada"}).json() == {"user": "ada"}
            assert client.get(f"{address}/me").json() == {"user": "ada", "visits": visits}
            assert httpx.get(f"{address}/me").json()["user"] is None
            if visits == 2:
                client.post(f"{address}/logout")
                assert client.get(f"{address}/me").json()["user"] is None
    assert entable.verify(path).is_clean


def test_an_inventory_sells_nothing_twice(tmp_path: Path) -> None:
    pytest.importorskip("fastapi")
    path, port = tmp_path / "inventory.ent", free_port()
    with served("uvicorn", "--factory", "inventory:create_app", "--port", str(port), port=port, path=path) as address:
        item = f"{address}/items/north/0001"
        assert httpx.get(item).status_code == 404
        assert httpx.put(item, json={"name": "lamp", "count": 20}).status_code == 201
        assert httpx.put(item, json={"name": "lamp", "count": 20}).status_code == 409

        def clerk(_: int) -> int:
            """Takes one, again and again until he was the first."""
            with httpx.Client() as client:
                for _ in range(200):
                    etag = client.get(item).headers["etag"]
                    answer = client.post(f"{item}/take", headers={"If-Match": etag})
                    if answer.status_code != 412:
                        return int(answer.status_code)
            return 0

        with ThreadPoolExecutor(8) as clerks:
            answers = list(clerks.map(clerk, range(24)))
        assert sorted(answers) == [200] * 20 + [422] * 4
        assert httpx.get(item).json()["count"] == 0
        assert httpx.get(f"{address}/items/north").json() == [{"id": "0001", "count": 0}]
    assert entable.verify(path).is_clean
