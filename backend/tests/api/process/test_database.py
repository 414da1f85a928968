"""Transactions of requests: those of GET are read-only."""

from collections.abc import Iterator

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient
from sqlalchemy import text
from sqlalchemy.exc import InternalError

from backend.api.deps import ResourcesDep, SessionDep
from backend.core.config import Settings
from backend.main import create_app

WRITE = text("UPDATE run SET title = title")


def write(session: SessionDep) -> str:
    session.execute(WRITE)
    return "written"


async def write_in_read(resources: ResourcesDep) -> None:
    await resources.database.read(lambda session: session.execute(WRITE))


@pytest.fixture
def writing(database: Settings) -> Iterator[TestClient]:
    """An app with routes that write, by whichever method."""
    app = FastAPI(lifespan=create_app().router.lifespan_context)
    app.get("/writes")(write)
    app.post("/writes")(write)
    app.post("/reads")(write_in_read)
    with TestClient(app) as client:
        yield client


def test_a_get_request_cannot_write(writing: TestClient) -> None:
    with pytest.raises(InternalError, match="read-only transaction"):
        writing.get("/writes")


def test_a_read_cannot_write_by_any_method(writing: TestClient) -> None:
    with pytest.raises(InternalError, match="read-only transaction"):
        writing.post("/reads")


def test_other_requests_write_with_the_same_connections(writing: TestClient) -> None:
    for _ in range(3):
        with pytest.raises(InternalError, match="read-only transaction"):
            writing.get("/writes")
        assert writing.post("/writes").status_code == 200
