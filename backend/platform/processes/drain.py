"""Drain an installation: workers take no further trials and guards, and the running ones end."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import psycopg

from backend.core.numbers import count_of
from backend.core.runs.trials.repository import DRAIN_LOCK
from backend.platform.errors import PlatformError
from backend.platform.servers import plain_url

_POLL_S = 0.5
# A scheduled backup has the lock while it waits for running trials, and while it dumps.
_LONGEST_LOCK_WAIT_S = 1800.0
# Claims have the lock for a moment, which is not worth a message.
_QUIET_S = 1.0
_LOCK = "SELECT pg_advisory_lock(hashtextextended(%s, 0))"
# Only columns that all versions have: the schema is that of the version before the upgrade.
_COUNT = """\
SELECT count(*) FROM trial WHERE status NOT IN ('queued', 'succeeded', 'failed', 'cancelled')"""
# Earlier versions have no such table.
_HAS_GUARDS = "SELECT to_regclass('public.guard_request') IS NOT NULL"
_COUNT_GUARDS = "SELECT count(*) FROM guard_request WHERE status = 'running' AND report IS NULL"


@contextmanager
def draining(
    database_url: str,
    wait_s: float,
    report: Callable[[str], None],
    lock_wait_s: float = _LONGEST_LOCK_WAIT_S,
) -> Iterator[None]:
    """Let no worker claim a trial within the context.

    The context begins when no trial runs any more, or after `wait_s`. The advisory lock ends with
    its connection, so workers go on even if this process is killed. Workers of versions without
    this lock take further trials until they are stopped.

    Args:
        database_url: of the installation.
        wait_s: longest time that running trials get to end.
        report: receives a line of text while trials run, or while another process drains.
        lock_wait_s: longest time to wait for a process that drains already.

    Raises:
        PlatformError: the database does not answer, or another process drains for too long.
    """
    try:
        connection = psycopg.connect(
            plain_url(database_url), autocommit=True, application_name="tacho upgrade"
        )
    except psycopg.Error as error:
        raise PlatformError(f"The database does not answer: {error}") from error
    try:
        try:
            _lock(connection, lock_wait_s, report)
            _wait(connection, wait_s, report)
        except psycopg.Error as error:
            raise PlatformError(f"The running trials cannot be read: {error}") from error
        yield
    finally:
        # The server may have been stopped meanwhile, which `close` does not mind.
        connection.close()


def _lock(connection: psycopg.Connection, wait_s: float, report: Callable[[str], None]) -> None:
    quiet_s = min(_QUIET_S, wait_s)
    if _try_lock(connection, quiet_s):
        return
    report(
        f"Waiting until a scheduled backup or another upgrade has ended, at most {wait_s:.0f} s."
    )
    if not _try_lock(connection, wait_s - quiet_s):
        raise PlatformError(
            f"A scheduled backup or another upgrade did not end within {wait_s:.0f} s. Nothing was "
            "changed. Wait until it has ended, or stop it, and try again."
        )


def _try_lock(connection: psycopg.Connection, wait_s: float) -> bool:
    """Return whether the lock was taken in time. While it waits, no worker claims a trial."""
    # 0 would be no limit.
    timeout_ms = max(1, round(wait_s * 1000))
    try:
        with connection.transaction():
            connection.execute("SELECT set_config('lock_timeout', %s, true)", [f"{timeout_ms}ms"])
            connection.execute(_LOCK, [DRAIN_LOCK])
    except psycopg.errors.LockNotAvailable:
        return False
    return True


def _wait(connection: psycopg.Connection, wait_s: float, report: Callable[[str], None]) -> None:
    deadline, has_reported = time.monotonic() + wait_s, False
    while count := _count_running(connection):
        if time.monotonic() >= deadline:
            trials = count_of(count, "trial has", "trials have")
            report(f"{trials} not ended. A worker repeats what it could not end.")
            return
        if not has_reported:
            report(f"Waiting until running trials have ended: {count}, at most {wait_s:.0f} s.")
            has_reported = True
        time.sleep(_POLL_S)


def _count_running(connection: psycopg.Connection) -> int:
    """Return how many trials and guards run. For a person, a guard consists of trials."""
    [trials] = connection.execute(_COUNT).fetchone() or (0,)
    [has_guards] = connection.execute(_HAS_GUARDS).fetchone() or (False,)
    if not has_guards:
        return int(trials)
    [guards] = connection.execute(_COUNT_GUARDS).fetchone() or (0,)
    return int(trials) + int(guards)
