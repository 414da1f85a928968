"""`tacho backup` and `tacho restore`: the whole state of an installation in one file."""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Annotated

import typer

from backend.core.config import Settings
from backend.core.errors import TachoError
from backend.core.operations.bench_hosts.roles import create_group_roles
from backend.core.schema import LAST_BEFORE_BASELINE, SchemaState, find_mismatch
from backend.platform.backups.archive import (
    BackupManifest,
    create_backup,
    restore_backup,
    verify_backup,
)
from backend.platform.databases.embedded_postgres import EmbeddedPostgres
from backend.platform.errors import AlreadyRunning, PlatformError
from backend.platform.layout import Layout, check_services
from backend.platform.network import public_url
from backend.platform.processes.programs import running
from backend.platform.processes.single import sole_owner
from backend.platform.servers import check_database
from cli.console import fail, read_settings
from cli.migrate import bring_up_to_date

File = Annotated[Path, typer.Argument(help="File of the backup, such as tacho.backup.")]
Check = Annotated[
    bool, typer.Option("--verify", help="Read FILE and compare its checksum; back up nothing.")
]


def backup(file: File, verify: Check = False) -> None:
    """Write all runs, results, accounts and settings in the database to a new file.

    Tacho may be running. Without DATABASE_URL, this backs up the database in TACHO_DATA. The file
    contains hashes of passwords and secrets of webhooks: store it like a password.
    """
    settings = read_settings()
    try:
        if verify:
            print(f"{_describe(file, verify_backup(file))}. It is complete.")
            return
        with _open_database(settings) as database_url:
            print(f"{_describe(file, create_backup(database_url, file))}.")
    except TachoError as error:
        fail(error.detail)


def restore(file: File) -> None:
    """Replace everything in the database by a backup, and migrate it to this version.

    Stop Tacho first. Without DATABASE_URL, this restores the database in TACHO_DATA, and creates it
    if it does not exist. If the restore fails, the database is unchanged.
    """
    settings = read_settings()
    try:
        manifest = verify_backup(file)
        _check_revision(file, manifest)
        check_services(settings.services_dir)
        with _open_database(settings, alone=True) as database_url:
            advice = create_group_roles(database_url)
            if advice:
                fail(advice)
            restore_backup(file, database_url)
            bring_up_to_date(database_url, settings.services_dir)
    except AlreadyRunning as error:
        fail(f"{error.detail} Stop it, then restore again.")
    except TachoError as error:
        fail(error.detail)
    print(f"{_describe(file, manifest)} is restored. Start Tacho.")


def _check_revision(file: Path, manifest: BackupManifest) -> None:
    """Fail if this version cannot migrate from the schema of a backup."""
    mismatch = find_mismatch(manifest.schema_revision)
    if mismatch is None or mismatch.state is SchemaState.OLDER:
        return
    made = f"{file} was made by Tacho {manifest.tacho} with the schema {manifest.schema_revision}"
    if mismatch.state is SchemaState.TOO_OLD:
        fail(
            f"{made}, from which this version cannot migrate. Restore it with the commit "
            f"{LAST_BEFORE_BASELINE}, and then upgrade to this version."
        )
    fail(f"{made}, which this version does not know. Restore it with that version or a newer one.")


@contextmanager
def _open_database(settings: Settings, *, alone: bool = False) -> Iterator[str]:
    """Yield the URL of the installation's database. Start the embedded one if it does not run.

    Args:
        settings: of the installation.
        alone: whether the embedded database must not be in use by `tacho up`.

    Raises:
        AlreadyRunning: Tacho runs on the data folder and `alone` is set.
        PlatformError: the database does not answer.
    """
    if settings.database_url:
        check_database(settings.database_url)
        yield settings.database_url
        return
    layout = Layout(settings.data)
    if not alone and not layout.database.exists():
        raise PlatformError(
            f"TACHO_DATA={settings.data} holds no database. Set TACHO_DATA to the folder of the "
            "installation, or DATABASE_URL to its database."
        )
    layout.make()
    postgres = EmbeddedPostgres(layout)
    with ExitStack() as stack:
        try:
            stack.enter_context(sole_owner(layout, public_url(settings.host, settings.port)))
        except AlreadyRunning:
            if alone:
                raise
            check_database(postgres.url)
        else:
            postgres.prepare()
            stack.enter_context(running(postgres.part(), layout))
            postgres.create_database()
        yield postgres.url


def _describe(file: Path, manifest: BackupManifest) -> str:
    commit = f" (commit {manifest.commit[:12]})" if manifest.commit else ""
    return (
        f"{file}: {manifest.dump_bytes:,} bytes of {manifest.created_at:%d %B %Y %H:%M} UTC, "
        f"Tacho {manifest.tacho}{commit}, schema {manifest.schema_revision}"
    )
