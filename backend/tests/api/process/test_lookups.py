"""Lookups: single statements without a transaction, which survive a restart of the server.

Transactions of GET requests are read-only.
"""

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from typing import Any

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient
from sqlalchemy import text
from sqlalchemy.exc import InternalError, OperationalError

from backend.api.deps import ResourcesDep, SessionDep
from backend.api.process.lookups import Lookups
from backend.core.config import Settings, get_settings
from backend.main import create_app

WRITE = text("UPDATE run SET title = title")


def use(act: Callable[[Lookups], Awaitable[Any]]) -> Any:
    """Return the result of a function that gets lookups."""

    async def run() -> Any:
        lookups = Lookups()
        try:
            return await act(lookups)
        finally:
            await lookups.close()

    return asyncio.run(run())


async def read_pid(lookups: Lookups) -> int:
    ((pid,),) = await lookups.fetch("SELECT pg_backend_pid()", {})
    return int(pid)


def test_a_connection_is_used_again(installation: Settings) -> None:
    async def act(lookups: Lookups) -> tuple[int, int]:
        return await read_pid(lookups), await read_pid(lookups)

    first, second = use(act)
    assert first == second


def test_a_connection_that_has_prepared_the_statement_is_preferred(installation: Settings) -> None:
    async def act(lookups: Lookups) -> tuple[int, int]:
        # The other connection is used last.
        first, _ = await asyncio.gather(
            read_pid(lookups), lookups.fetch("SELECT pg_sleep(0.05)", {})
        )
        return first, await read_pid(lookups)

    first, second = use(act)
    assert first == second


def test_a_connection_that_the_server_closed_is_replaced(installation: Settings) -> None:
    async def act(lookups: Lookups) -> tuple[int, int]:
        first, _ = await asyncio.gather(read_pid(lookups), read_pid(lookups))
        other = Lookups()
        terminate = (
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
            "WHERE pid <> pg_backend_pid() AND datname = current_database() AND pid = %(pid)s"
        )
        await other.fetch(terminate, {"pid": first})
        await other.close()
        return first, await read_pid(lookups)

    first, second = use(act)
    assert first != second


def test_a_statement_that_takes_too_long_is_cancelled_once(
    installation: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TACHO_STATEMENT_SECONDS", "0.1")
    get_settings.cache_clear()
    try:
        with pytest.raises(OperationalError) as raised:
            use(lambda lookups: lookups.fetch("SELECT pg_sleep(5)", {}))
    finally:
        monkeypatch.undo()
        get_settings.cache_clear()

    assert raised.value.orig is not None
    assert getattr(raised.value.orig, "sqlstate", "") == "57014"


def test_a_client_that_leaves_does_not_spoil_the_connection(installation: Settings) -> None:
    async def act(lookups: Lookups) -> int:
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.05):
                await lookups.fetch("SELECT pg_sleep(5)", {})
        return await read_pid(lookups)

    assert use(act) > 0


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


def test_a_read_cannot_write_by_any_method(writing: TestClient) -> None:
    with pytest.raises(InternalError, match="read-only transaction"):
        writing.post("/reads")


def test_other_requests_write_with_the_same_connections(writing: TestClient) -> None:
    for _ in range(3):
        with pytest.raises(InternalError, match="read-only transaction"):
            writing.get("/writes")
        assert writing.post("/writes").status_code == 200
