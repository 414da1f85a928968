"""Drain an installation: workers take no further trials, and the running trials end."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import psycopg

from backend.core.runs.repository import DRAIN_LOCK
from backend.platform.errors import PlatformError
from backend.platform.servers import plain_url

_POLL_S = 0.5
_LOCK = "SELECT pg_advisory_lock(hashtextextended(%s, 0))"
# Only columns that all versions have: the schema is that of the version before the upgrade.
_COUNT = """\
SELECT count(*) FROM trial WHERE status NOT IN ('queued', 'succeeded', 'failed', 'cancelled')"""


@contextmanager
def draining(database_url: str, wait_s: float, report: Callable[[str], None]) -> Iterator[None]:
    """Let no worker claim a trial within the context.

    The context begins when no trial runs any more, or after `wait_s`. The advisory lock ends with
    its connection, so workers go on even if this process is killed. Workers of versions without
    this lock take further trials until they are stopped.

    Args:
        database_url: of the installation.
        wait_s: longest time that running trials get to end.
        report: receives a line of text while trials run.

    Raises:
        PlatformError: the database does not answer.
    """
    try:
        connection = psycopg.connect(
            plain_url(database_url), autocommit=True, application_name="tacho upgrade"
        )
    except psycopg.Error as error:
        raise PlatformError(f"The database does not answer: {error}") from error
    try:
        try:
            connection.execute(_LOCK, [DRAIN_LOCK])
            _wait(connection, wait_s, report)
        except psycopg.Error as error:
            raise PlatformError(f"The running trials cannot be read: {error}") from error
        yield
    finally:
        # The server may have been stopped meanwhile, which `close` does not mind.
        connection.close()


def _wait(connection: psycopg.Connection, wait_s: float, report: Callable[[str], None]) -> None:
    deadline, has_reported = time.monotonic() + wait_s, False
    while count := _count_running(connection):
        if time.monotonic() >= deadline:
            report(f"{_describe(count)} not ended. A worker repeats what it could not end.")
            return
        if not has_reported:
            report(f"Waiting until running trials have ended: {count}, at most {wait_s:.0f} s.")
            has_reported = True
        time.sleep(_POLL_S)


def _count_running(connection: psycopg.Connection) -> int:
    row = connection.execute(_COUNT).fetchone()
    return row[0] if row else 0


def _describe(count: int) -> str:
    return "1 trial has" if count == 1 else f"{count} trials have"
