"""All SQL of the chaos suite: the stage of a run's trials, and the server's backends."""

from collections.abc import Sequence
from contextlib import suppress
from enum import StrEnum
from typing import Any

import psycopg
from psycopg.rows import TupleRow

_TIMEOUT = "5s"


class DatabaseAway(Exception):
    """The database did not answer, perhaps because of a fault."""


class Finalization(StrEnum):
    """Whether the dispatcher finalizes a run. ACTIVE: its transaction is open."""

    NOT_DUE = "not due"
    WAITING = "waiting"
    ACTIVE = "active"
    DONE = "done"


class DatabaseProbe:
    """A connection to the database of an installation, which is reopened after each outage."""

    def __init__(self, url: str) -> None:
        self._url = url.replace("+psycopg", "")
        self._connection: psycopg.Connection[TupleRow] | None = None

    def list_trials(self, run_id: str) -> list[tuple[str, str, int]]:
        """Return id, status and attempt of a run's trials in their order. Raises DatabaseAway."""
        query = "SELECT id::text, status, attempt FROM trial WHERE run_id = %s ORDER BY position"
        return [(row[0], row[1], row[2]) for row in self._fetch(query, run_id)]

    def get_trial(self, trial_id: str) -> tuple[str, int]:
        """Return status and attempt of a trial. Raises DatabaseAway."""
        row = self._fetch("SELECT status, attempt FROM trial WHERE id = %s", trial_id)[0]
        return row[0], row[1]

    def find_digest(self, framework: str) -> str | None:
        """Return the digest of a framework in the catalogue. Raises DatabaseAway."""
        found = self._fetch("SELECT digest FROM framework WHERE slug = %s", framework)
        return str(found[0][0]) if found else None

    def is_finalized(self, run_id: str) -> bool:
        """Return whether a worker has finalized the run. Raises DatabaseAway."""
        query = "SELECT finalized_at IS NOT NULL FROM run WHERE id = %s"
        return bool(self._fetch(query, run_id)[0][0])

    def read_finalization(self, run_id: str) -> Finalization:
        """Return whether the run is finalized. The lock of the finalization is that of
        `backend.core.runs.repository`. Raises DatabaseAway."""
        query = (
            "SELECT finished_at IS NOT NULL, finalized_at IS NOT NULL, EXISTS (SELECT FROM pg_locks"
            " WHERE locktype = 'advisory' AND granted AND (classid::bigint << 32) | objid::bigint"
            " = hashtextextended('tacho.finalize.' || host_id::text, 0)) FROM run WHERE id = %s"
        )
        is_ended, is_finalized, is_active = self._fetch(query, run_id)[0]
        if is_finalized:
            return Finalization.DONE
        if not is_ended:
            return Finalization.NOT_DUE
        return Finalization.ACTIVE if is_active else Finalization.WAITING

    def read_progress(self, trial_id: str, host: str) -> tuple[object, ...]:
        """Return what a worker changes while it works: status, attempt and lease of its trial, and
        the heartbeat of its bench host. Raises DatabaseAway."""
        query = (
            "SELECT status, attempt, lease_until, (SELECT seen_at FROM host WHERE queue = %s) "
            "FROM trial WHERE id = %s"
        )
        return tuple(self._fetch(query, host, trial_id)[0])

    def count_connections(self) -> dict[str, int]:
        """Return the number of connections of each user. Raises DatabaseAway."""
        query = (
            "SELECT usename, count(*) FROM pg_stat_activity WHERE datname = current_database() "
            "AND backend_type = 'client backend' AND pid <> pg_backend_pid() GROUP BY usename"
        )
        return {str(user): int(count) for user, count in self._fetch(query)}

    def list_backends(self) -> list[int]:
        """Return the process ids of the backends that serve Tacho. Raises DatabaseAway."""
        query = (
            "SELECT pid FROM pg_stat_activity WHERE datname = current_database() "
            "AND backend_type = 'client backend' AND pid <> pg_backend_pid() ORDER BY pid"
        )
        return [int(row[0]) for row in self._fetch(query)]

    def list_held(self) -> list[str]:
        """Return what sessions and trials hold although no trial runs. Raises DatabaseAway."""
        open_transactions = self._fetch(
            "SELECT query FROM pg_stat_activity WHERE datname = current_database() "
            "AND state LIKE 'idle in transaction%%' AND now() - state_change > interval '3 s'"
        )
        (locks,) = self._fetch(
            "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND granted"
        )[0]
        # A reservation that is not renewed ends by itself.
        reserved = self._fetch(
            "SELECT queue FROM host_lease WHERE purpose = 'trial' "
            "AND lease_until > now() + interval '24 s'"
        )
        found = [f"open transaction after {query[:100]!r}" for (query,) in open_transactions]
        if locks:
            found.append(f"{locks} advisory locks")
        return found + [f"reservation of the host {queue!r}" for (queue,) in reserved]

    def write_buffers(self) -> None:
        """Write all changed pages, so that a session that only reads need not. Raises
        DatabaseAway."""
        try:
            self._connect().execute("CHECKPOINT")
        except psycopg.Error as error:
            self.close()
            raise DatabaseAway(str(error)) from error

    def terminate_backends(self) -> int:
        """End every other connection to the database, and return their number."""
        pids = self.list_backends()
        self._fetch("SELECT pg_terminate_backend(pid) FROM unnest(%s::int[]) AS pid", pids)
        return len(pids)

    def close(self) -> None:
        """Close the connection; the next call opens it again."""
        if self._connection is not None:
            with suppress(psycopg.Error):
                self._connection.close()
        self._connection = None

    def _fetch(self, query: str, *parameters: object) -> Sequence[Any]:
        try:
            return self._connect().execute(query.encode(), parameters).fetchall()
        except psycopg.Error as error:
            self.close()
            raise DatabaseAway(str(error)) from error

    def _connect(self) -> psycopg.Connection[TupleRow]:
        if self._connection is None:
            self._connection = psycopg.connect(
                self._url,
                autocommit=True,
                connect_timeout=3,
                application_name="chaos",
                options=f"-c statement_timeout={_TIMEOUT}",
            )
        return self._connection
