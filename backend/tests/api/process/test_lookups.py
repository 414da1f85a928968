"""Lookups: single statements without a transaction, which survive a restart of the server."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from sqlalchemy import make_url
from sqlalchemy.exc import OperationalError

from backend.api.process.lookups import Lookups
from backend.core.config import Settings, get_settings


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


def test_a_server_that_does_not_answer_is_an_outage(
    installation: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    url = make_url(installation.database_url).set(host="127.0.0.1", port=9)
    monkeypatch.setenv("DATABASE_URL", url.render_as_string(hide_password=False))
    get_settings.cache_clear()
    try:
        with pytest.raises(OperationalError):
            use(read_pid)
    finally:
        monkeypatch.undo()
        get_settings.cache_clear()
