"""`tacho migrate`: migrate the schema and load the catalogue."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer
from sqlalchemy.exc import OperationalError
from sqlalchemy.orm import Session

from backend.core.catalog.service import load_catalog
from backend.core.db import DATABASE_DISK_FULL, is_disk_full, make_engine
from backend.core.errors import TachoError
from backend.core.numbers import count_of
from backend.core.operations.migration import migrate
from backend.core.schema import SchemaState
from backend.platform.backups.archive import restore_backup
from backend.platform.backups.folder import add_backup
from backend.platform.bench_host.local_bench_host import provide_credentials
from backend.platform.errors import PlatformError
from backend.platform.layout import check_services
from backend.platform.servers import check_database, find_schema_mismatch
from cli.console import fail, read_settings

# Of backups before an upgrade, and how many of them stay.
BACKUP_PREFIX = "before-upgrade"
KEPT_BACKUPS = 3

BenchFolder = Annotated[
    Path | None,
    typer.Option(
        help="Folder for the settings of the bench host TACHO_BENCH_HOST, which gets users of its "
        "own in PostgreSQL and Redis.",
    ),
]


@dataclass(frozen=True)
class Preparation:
    """The numbers of frameworks and scenarios of a database that is up to date.

    `advice` is empty, or why bench hosts cannot get database users of their own.
    """

    frameworks: int
    scenarios: int
    advice: str

    @property
    def loaded(self) -> str:
        """Return `3 frameworks, 1 scenario`."""
        return f"{count_of(self.frameworks, 'framework')}, {count_of(self.scenarios, 'scenario')}"


def bring_up_to_date(database_url: str, services_dir: Path) -> Preparation:
    """Migrate the schema, set up the roles and load the manifests.

    Raises:
        ManifestInvalid: a manifest is wrong; the detail names file, key and fix.
        PlatformError: the database does not answer, or its disk is full.
        SchemaMismatch: the schema is newer than this version, or older than the baseline.
    """
    engine = make_engine(database_url)
    try:
        mismatch = find_schema_mismatch(database_url)
        if mismatch and mismatch.state in {SchemaState.NEWER, SchemaState.TOO_OLD}:
            raise mismatch
        advice = migrate(database_url)
        with Session(engine) as session, session.begin():
            catalogue = load_catalog(session, services_dir)
    except OperationalError as error:
        if is_disk_full(error):
            raise PlatformError(f"{DATABASE_DISK_FULL}, then start again.") from error
        shown = engine.url.render_as_string(hide_password=True)
        reason = str(error.orig).splitlines()[0]
        raise PlatformError(
            f"The database {shown} stopped answering during the migration: {reason}. Start Tacho "
            "again to repeat the unfinished steps."
        ) from error
    finally:
        engine.dispose()
    return Preparation(len(catalogue.frameworks), len(catalogue.scenarios), advice)


@dataclass(frozen=True)
class SchemaUpgrade:
    """A database that was brought up to date.

    Attributes:
        backup: of the database before; None if its schema was that of this version, or missing.
    """

    preparation: Preparation
    backup: Path | None


def upgrade_schema(database_url: str, services_dir: Path, backups: Path) -> SchemaUpgrade:
    """Bring a database up to date; before that, back it up if its schema is older.

    If it fails, the database is restored.

    Args:
        database_url: of the installation.
        services_dir: the catalogue.
        backups: folder for the backup.

    Raises:
        PlatformError: the backup or a migration failed. The detail explains the state of the
            database.
    """
    mismatch = find_schema_mismatch(database_url)
    if mismatch is None or mismatch.state is not SchemaState.OLDER:
        return SchemaUpgrade(bring_up_to_date(database_url, services_dir), None)
    backup = add_backup(database_url, backups, BACKUP_PREFIX, KEPT_BACKUPS)
    try:
        return SchemaUpgrade(bring_up_to_date(database_url, services_dir), backup)
    except Exception as error:
        raise roll_back(database_url, backup, error) from error


def roll_back(database_url: str, backup: Path, error: Exception) -> PlatformError:
    """Restore a database after an upgrade that failed; return an error that explains the result."""
    reason = error.detail if isinstance(error, TachoError) else str(error)
    try:
        restore_backup(backup, database_url, allows_parts=True)
    except TachoError as failure:
        return PlatformError(
            f"The upgrade failed: {reason}\nThe database could not be restored: {failure.detail} "
            f"Restore it with `tacho restore {backup}`."
        )
    return PlatformError(
        f"The upgrade failed: {reason}\nThe database was restored and is as before the upgrade. "
        f"Start the previous version of Tacho again. The backup stays in {backup}."
    )


def run(bench_host_settings: BenchFolder = None) -> None:
    """Bring the database of DATABASE_URL to the newest schema and load the catalogue."""
    settings = read_settings()
    if not settings.database_url:
        fail("DATABASE_URL is not set. `tacho up` migrates the embedded database by itself.")
    try:
        check_services(settings.services_dir)
        check_database(settings.database_url)
        done = bring_up_to_date(settings.database_url, settings.services_dir)
        if bench_host_settings is not None:
            provide_credentials(settings, bench_host_settings)
    except TachoError as error:
        fail(error.detail)
    print(f"Schema up to date; {done.loaded} loaded.")
    if done.advice:
        print(done.advice)
