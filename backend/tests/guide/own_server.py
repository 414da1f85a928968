"""A PostgreSQL server of an operator, for the point-in-time recovery of the guide."""

import os
import shutil
import subprocess
import time
from pathlib import Path
from typing import Any, LiteralString
from urllib.parse import quote

import psycopg

from backend.platform.databases.embedded_postgres import as_unprivileged
from backend.platform.packaged_servers import find_postgres_program
from backend.tests.guide.installation import GuideFault

_USER = "tacho"
_RECOVERY_SECONDS = 60
_UNPRIVILEGED = "nobody"


class OwnServer:
    """A server that listens on a socket only.

    Args:
        folder: of all its files, which must not exist yet.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.archive = folder / "archive"
        self.base_backups = folder / "backups"
        self._data = folder / "data"
        self._sockets = folder / "sockets"
        self._runs = 0
        initdb = find_postgres_program("initdb")
        if initdb is None:
            raise GuideFault("The package with PostgreSQL is not installed. Run `make env`.")
        self.programs = initdb.parent

    @property
    def url(self) -> str:
        """Return DATABASE_URL."""
        return f"postgresql://{_USER}@/{_USER}?host={quote(str(self._sockets), safe='')}"

    @property
    def variables(self) -> dict[str, str]:
        """The variables with which its programs find it."""
        return {
            "PGDATA": str(self._data),
            "PGHOST": str(self._sockets),
            "PGUSER": _USER,
            "PGDATABASE": _USER,
        }

    def start(self) -> None:
        """Create the cluster and an empty database, and start the server."""
        for folder in (self.folder, self.archive, self.base_backups, self._sockets):
            folder.mkdir()
            if os.geteuid() == 0:
                shutil.chown(folder, _UNPRIVILEGED)
        self._run("initdb", "-U", _USER, "--auth=trust", "--no-instructions", "--encoding=UTF8")
        with (self._data / "postgresql.conf").open("a") as settings:
            settings.write(
                f"listen_addresses = ''\nunix_socket_directories = '{self._sockets}'\n"
                "timezone = 'UTC'\n"
            )
        self._run("pg_ctl", "start", "-l", str(self.archive / "server.log"))
        self._run("createdb", _USER)

    def stop(self) -> None:
        """Stop the server, if it runs."""
        if (self._data / "postmaster.pid").exists():
            self._run("pg_ctl", "stop", "-m", "immediate")

    def delete_runs(self) -> str:
        """Delete all runs, and return the moment before it.

        Raises:
            GuideFault: there are no runs.
        """
        with psycopg.connect(self.url, autocommit=True) as connection:
            self._runs = _count_runs(connection)
            if self._runs == 0:
                raise GuideFault("The server has no runs to delete.")
            found = connection.execute("SELECT clock_timestamp()::text").fetchone()
            connection.execute("TRUNCATE run CASCADE")
        assert found is not None
        return str(found[0])

    def await_replay(self) -> None:
        """Wait until the server has replayed its log up to the moment.

        Raises:
            GuideFault: it takes too long.
        """
        self._await("SELECT pg_get_wal_replay_pause_state() = 'paused'")

    def check_recovered(self) -> None:
        """Wait until the server accepts changes, and check that it has all runs again.

        Raises:
            GuideFault: it accepts no changes, or runs are missing.
        """
        self._await("SELECT NOT pg_is_in_recovery()")
        with psycopg.connect(self.url) as connection:
            runs = _count_runs(connection)
        if runs != self._runs:
            raise GuideFault(f"The server has {runs} runs instead of {self._runs}.")

    def _await(self, condition: LiteralString) -> None:
        deadline = time.monotonic() + _RECOVERY_SECONDS
        with psycopg.connect(self.url, autocommit=True) as connection:
            while connection.execute(condition).fetchone() != (True,):
                if time.monotonic() > deadline:
                    raise GuideFault(f"This does not become true: {condition}")
                time.sleep(0.1)

    def _run(self, program: str, *arguments: str) -> None:
        # Not a pipe: the server keeps the output of pg_ctl open.
        log = self.folder / "programs.log"
        with log.open("ab") as output:
            done = subprocess.run(
                as_unprivileged(str(self.programs / program), *arguments),
                cwd=self.folder,
                env=os.environ | self.variables,
                stdout=output,
                stderr=output,
                check=False,
            )
        if done.returncode != 0:
            raise GuideFault(f"{program} ended with {done.returncode}:\n{log.read_text()}")


def _count_runs(connection: "psycopg.Connection[tuple[Any, ...]]") -> int:
    found = connection.execute("SELECT count(*) FROM run").fetchone()
    assert found is not None
    return int(found[0])
