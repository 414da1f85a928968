"""The app with the real database, and clients on this machine and on another machine."""

import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient

from backend.core.config import Settings
from backend.platform.databases.embedded_redis import EmbeddedRedis
from backend.platform.layout import Layout
from backend.platform.processes.programs import RunningProgram
from backend.tests.installation import forget_cached
from backend.tests.late_writes import write_now

HERE = "http://127.0.0.1:8000"
LOOPBACK = ("127.0.0.1", 50000)
VISITOR = ("203.0.113.5", 1234)


@pytest.fixture(scope="module")
def app(installation: Settings, shared_app: FastAPI) -> FastAPI:
    return shared_app


@pytest.fixture(scope="module")
def _local(app: FastAPI) -> Iterator[TestClient]:
    with TestClient(app, HERE, client=LOOPBACK) as client:
        yield client


@pytest.fixture(scope="module")
def _remote(app: FastAPI) -> Iterator[TestClient]:
    with TestClient(app, HERE, client=VISITOR) as client:
        yield client


@pytest.fixture
def client(_local: TestClient, database: Settings) -> Iterator[TestClient]:
    """A client on this machine."""
    yield _local
    write_now(_local)


@pytest.fixture
def visitor(_remote: TestClient, database: Settings) -> Iterator[TestClient]:
    """A client on another machine, without the token."""
    yield _remote
    write_now(_remote)


@pytest.fixture
def own_redis(
    tmp_path: Path, database: Settings, monkeypatch: pytest.MonkeyPatch
) -> Iterator[RunningProgram]:
    """A Redis for this test only, which the settings name."""
    layout = Layout(tmp_path)
    layout.make()
    broker = EmbeddedRedis.choose(layout)
    broker.prepare()
    program = RunningProgram(broker.part(), layout)
    try:
        program.wait_ready()
        with monkeypatch.context() as patch:
            patch.setenv("REDIS_URL", broker.url)
            forget_cached()
            yield program
    finally:
        forget_cached()
        program.ask_to_stop()
        program.finish(time.monotonic() + 3)
