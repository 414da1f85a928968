"""PostgreSQL from a Python package: one cluster in the data folder, on a private Unix socket.

PostgreSQL refuses to run as root. If Tacho runs as root, PostgreSQL runs as `nobody`, with only the
capability to reach its files below root's folders. So no folder has to be opened for other users.

The server accepts the roles of Tacho only from the user of the machine that runs Tacho, whom the
kernel identifies. Other roles need a password. The role `tacho` is the superuser: it creates the
database and the roles of the parts, and no part signs in as it.
"""

import os
import pwd
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from signal import SIGINT
from urllib.parse import quote

import psycopg
from psycopg import sql

from backend.core.operations.bench_hosts.grants import API_ROLE, DISPATCHER_ROLE
from backend.platform.credentials.part_roles import OWNER_ROLE, create_part_roles
from backend.platform.databases.exchanged_clusters import refuse_interrupted
from backend.platform.disk import explain_full_disk, is_disk_full, mentions_full_disk
from backend.platform.errors import PlatformError
from backend.platform.layout import Layout
from backend.platform.packaged_servers import POSTGRES_VERSION, find_postgres_program
from backend.platform.processes.programs import ProgramSpec

NAME = "tacho"
_UNPRIVILEGED = "nobody"
# The first version with this setting.
_WITH_IO_METHOD = 18

# No TCP at all. Little background work, because benchmarks run on the same machine.
_SETTINGS = {
    "listen_addresses": "",
    "unix_socket_permissions": "0700",
    "shared_buffers": "64MB",
    # PostgreSQL's default, 4, is for spinning disks.
    "random_page_cost": "1.1",
    "max_connections": "60",
    "jit": "off",
    "io_method": "sync",
    "max_wal_size": "256MB",
    "min_wal_size": "48MB",
    "log_line_prefix": "%m [%p] ",
    "timezone": "UTC",
}

# The name of the map in pg_ident.conf. The files are written at each start, so a cluster of an
# earlier version gets them too.
_IDENT_MAP = "tacho"
_OWN_ROLES = (NAME, OWNER_ROLE, API_ROLE, DISPATCHER_ROLE)
_RULES = f"""\
local all {",".join(_OWN_ROLES)} peer map={_IDENT_MAP}
local all all scram-sha-256
"""

# For tests: the data is worthless after a crash, and several pytest workers connect at once.
_HASTY_SETTINGS = {
    "fsync": "off",
    "synchronous_commit": "off",
    "full_page_writes": "off",
    "max_connections": "400",
}


@dataclass(frozen=True)
class PostgresPrograms:
    """The programs of one major version of PostgreSQL.

    Attributes:
        folder: with `initdb`, `postgres` and the others.
    """

    version: int
    folder: Path


@dataclass(frozen=True)
class EmbeddedPostgres:
    """The cluster below `layout.database`, with the address `url`.

    A cluster that is not `durable` (for tests) does not wait for the disk.

    Attributes:
        programs: of an earlier version of PostgreSQL; None for those of Tacho's own package.
    """

    layout: Layout
    durable: bool = True
    programs: PostgresPrograms | None = None

    @property
    def url(self) -> str:
        """Return the SQLAlchemy URL of the owner of the tables, with psycopg as the driver."""
        return self._make_url(OWNER_ROLE)

    @property
    def api_url(self) -> str:
        """Return the URL for the API."""
        return self._make_url(API_ROLE)

    @property
    def dispatcher_url(self) -> str:
        """Return the URL for the dispatcher."""
        return self._make_url(DISPATCHER_ROLE)

    @property
    def administrator_url(self) -> str:
        """Return the URL of the superuser, which each version of the cluster has."""
        return self._make_url(NAME)

    def _make_url(self, role: str) -> str:
        return f"postgresql+psycopg://{role}@/{NAME}?host={quote(self._sockets, safe='')}"

    @property
    def _sockets(self) -> str:
        return str(self.layout.socket_folder())

    @property
    def _version(self) -> int:
        return POSTGRES_VERSION if self.programs is None else self.programs.version

    def _binary(self, name: str) -> str:
        own = self.programs
        found = find_postgres_program(name) if own is None else own.folder / name
        if found is None:
            raise PlatformError(
                "The package with PostgreSQL is not installed. Run `make env`, or set DATABASE_URL."
            )
        return str(found)

    def prepare(self) -> None:
        """Create the cluster if there is none, and remove the leftovers of a killed server.

        Raises:
            PlatformError: the cluster has another major version, cannot be created, or was moved
                by an upgrade that was interrupted.
        """
        sockets = Path(self._sockets)
        sockets.mkdir(mode=0o700, exist_ok=True)
        sockets.chmod(0o700)
        if os.geteuid() == 0:
            _give_away(sockets)
        made_by = find_cluster_version(self.layout)
        if made_by is None:
            refuse_interrupted(self.layout)
            self._init()
        elif made_by != self._version:
            raise PlatformError(_explain_version(self.layout, made_by, self._version))
        (self.layout.database / "postmaster.pid").unlink(missing_ok=True)
        self._write_rules()

    def part(self) -> ProgramSpec:
        """Return the program that runs the server. Call `prepare` first."""
        chosen = _SETTINGS | ({} if self.durable else _HASTY_SETTINGS)
        if self._version < _WITH_IO_METHOD:
            del chosen["io_method"]
        settings = [word for key, value in chosen.items() for word in ("-c", f"{key}={value}")]
        return ProgramSpec(
            name="database",
            argv=as_unprivileged(
                self._binary("postgres"),
                *("-D", str(self.layout.database), "-k", self._sockets, *settings),
            ),
            is_ready=self._answers,
            stop_signal=SIGINT,
            grace_s=5.0,
        )

    def create_database(self) -> None:
        """Create the database and the roles of the parts, unless they exist. The server must
        answer."""
        with psycopg.connect(self._maintenance("postgres"), autocommit=True) as connection:
            known = connection.execute("SELECT 1 FROM pg_database WHERE datname = %s", (NAME,))
            if known.fetchone() is None:
                connection.execute(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(NAME)))
        with psycopg.connect(self._maintenance(NAME), autocommit=True) as connection:
            create_part_roles(connection, passwords={})

    def _write_rules(self) -> None:
        """Write who may connect: as a role of Tacho, only the user that runs Tacho."""
        user = _find_own_name()
        users = "".join(f'{_IDENT_MAP} "{user}" {role}\n' for role in _OWN_ROLES)
        for name, text in (("pg_hba.conf", _RULES), ("pg_ident.conf", users)):
            path = self.layout.database / name
            path.write_text(text, encoding="utf-8")
            path.chmod(0o600)

    def _maintenance(self, database: str) -> str:
        return f"host={self._sockets} user={NAME} dbname={database} connect_timeout=2"

    def _answers(self) -> bool:
        try:
            psycopg.connect(self._maintenance("postgres")).close()
        except psycopg.OperationalError:
            return False
        return True

    def _init(self) -> None:
        # A folder without PG_VERSION is left over from a killed initdb, which requires an empty
        # folder. If a disk is mounted there, the folder itself stays.
        shutil.rmtree(self.layout.database, ignore_errors=True)
        self.layout.database.mkdir(mode=0o700, exist_ok=True)
        if os.geteuid() == 0:
            _give_away(self.layout.database)
        command = as_unprivileged(
            self._binary("initdb"),
            *("-D", str(self.layout.database), "-U", NAME, "--auth=reject", "--no-instructions"),
            *("--encoding=UTF8", "--locale=C.UTF-8" if sys.platform == "linux" else "--locale=C"),
            *([] if self.durable else ["--no-sync"]),
        )
        result = subprocess.run(
            command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False
        )
        if result.returncode != 0:
            if mentions_full_disk(result.stdout) or is_disk_full(self.layout.data):
                raise PlatformError(
                    "PostgreSQL could not make its files (about 60 MiB): "
                    f"{explain_full_disk(self.layout.data)}."
                )
            raise PlatformError(
                f"PostgreSQL could not make its files in {self.layout.database}:\n{result.stdout}\n"
                "Fix that, or set DATABASE_URL=postgresql://… to use your own server."
            )


def find_cluster_version(layout: Layout) -> int | None:
    """Return the major version of PostgreSQL that made the cluster; None without a cluster.

    Raises:
        PlatformError: the file with the version cannot be read.
    """
    file = layout.database / "PG_VERSION"
    try:
        return int(file.read_text()) if file.exists() else None
    except (OSError, ValueError) as error:
        raise PlatformError(
            f"{file} does not hold the version of PostgreSQL. Move {layout.database} away, and "
            "restore a backup with `tacho restore`."
        ) from error


def _explain_version(layout: Layout, made_by: int, version: int) -> str:
    explained = f"{layout.database} was made by PostgreSQL {made_by}, and this is {version}. "
    if made_by < version:
        return f"{explained}Nothing was changed. Move the data to {version} with `tacho upgrade`."
    return f"{explained}Nothing was changed. Start the newer version of Tacho that made the folder."


def _find_own_name() -> str:
    try:
        return pwd.getpwuid(os.geteuid()).pw_name
    except KeyError as error:
        raise PlatformError(
            f"The user {os.geteuid()} that runs Tacho has no entry in /etc/passwd, so its own "
            "PostgreSQL cannot recognise it. Add the entry, or set DATABASE_URL."
        ) from error


def _give_away(folder: Path) -> None:
    owner = pwd.getpwnam(_UNPRIVILEGED)
    os.chown(folder, owner.pw_uid, owner.pw_gid)


def as_unprivileged(*argv: str) -> tuple[str, ...]:
    """Return the command, wrapped to run as `nobody` if Tacho runs as root."""
    if os.geteuid() != 0:
        return argv
    setpriv = shutil.which("setpriv")
    if setpriv is None:
        raise PlatformError(
            "PostgreSQL does not run as root, and setpriv is missing to change that. Install "
            "util-linux, start Tacho as another user, or set DATABASE_URL."
        )
    owner = pwd.getpwnam(_UNPRIVILEGED)
    return (
        setpriv,
        *(f"--reuid={owner.pw_uid}", f"--regid={owner.pw_gid}", "--clear-groups"),
        *("--inh-caps=-all,+dac_override", "--ambient-caps=-all,+dac_override"),
        # Without this, access(2) ignores the capability, and initdb relies on access(2).
        "--securebits=+no_setuid_fixup",
        *("--bounding-set=-all,+dac_override", "--no-new-privs"),
        # A change of the user clears the signal that its guard set (`processes/guard.py`).
        "--pdeathsig=INT",
        *argv,
    )
