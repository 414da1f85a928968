"""`tacho upgrade`: move an installation to this version of Tacho, and back if that fails."""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.markup import escape

from backend.core.config import Settings
from backend.core.errors import TachoError
from backend.core.schema import SchemaState
from backend.platform.backups.postgres_upgrade import MovedCluster, find_old_version, move_cluster
from backend.platform.databases.embedded_postgres import EmbeddedPostgres
from backend.platform.errors import PlatformError
from backend.platform.layout import Layout, check_services
from backend.platform.network import public_url
from backend.platform.packaged_servers import POSTGRES_VERSION
from backend.platform.processes.drain import draining
from backend.platform.processes.parent import is_make_interrupted
from backend.platform.processes.single import find_owner, stop_owner
from backend.platform.servers import check_database, find_schema_mismatch
from cli.console import fail, read_settings
from cli.migrate import KEPT_BACKUPS, SchemaUpgrade, roll_back, upgrade_schema
from cli.up import Start, explained_faults, serve

Wait = Annotated[
    int,
    typer.Option(
        min=0,
        help="Seconds in which running trials may end. Workers repeat those that do not.",
    ),
]
DatabaseOnly = Annotated[
    bool,
    typer.Option(
        "--database-only",
        help="Back up and migrate the database of DATABASE_URL, and start nothing.",
    ),
]
Backups = Annotated[
    Path | None, typer.Option(help="Folder for the backup. Default: backups in TACHO_DATA.")
]
Exits = Annotated[
    bool,
    typer.Option("--exit", help="Stop Tacho again as soon as all parts have started."),
]


def run(
    wait: Wait = 60,
    database_only: DatabaseOnly = False,
    backups: Backups = None,
    exits: Exits = False,
) -> None:
    """Move this installation to this version of Tacho, and start it.

    Stops the Tacho that runs on TACHO_DATA after its trials have ended, backs up the database,
    migrates it, also to a new version of the embedded PostgreSQL, and starts all parts. If a step
    fails, the database is as before.
    """
    settings = read_settings()
    console = Console(highlight=False)
    layout = Layout(settings.data)
    folder = backups or layout.backups
    with explained_faults():
        if database_only:
            _upgrade_database(settings, folder, wait, console)
            return
        layout.make()
        upgrade = Upgrade(settings, layout, folder, console)
        with upgrade.drained(wait):
            stop_owner(layout, public_url(settings.host, settings.port))
            is_over = (lambda: True) if exits else is_make_interrupted
            serve(settings, layout, console, upgrade.begin, is_over)


def _upgrade_database(settings: Settings, folder: Path, wait_s: int, console: Console) -> None:
    """Back up and migrate an external database, while no worker claims a trial."""
    url = settings.database_url
    if not url:
        fail("DATABASE_URL is not set. Without --database-only, the embedded database is upgraded.")
    check_services(settings.services_dir)
    check_database(url)
    with _drained(url, wait_s, console):
        upgrade = upgrade_schema(url, settings.services_dir, folder)
    done = upgrade.preparation
    console.print(f"Schema up to date; {done.loaded} loaded.")
    if upgrade.backup:
        console.print(f"The state before is in {escape(str(upgrade.backup))}.", soft_wrap=True)
    if done.advice:
        console.print(escape(done.advice), soft_wrap=True)


@contextmanager
def _drained(database_url: str, wait_s: int, console: Console) -> Iterator[None]:
    """Let no worker claim a trial within the context, if the database holds an installation."""
    mismatch = find_schema_mismatch(database_url)
    if mismatch is not None and mismatch.state is SchemaState.MISSING:
        yield
        return
    with draining(
        database_url, wait_s, lambda text: console.print(f"  {escape(text)}", soft_wrap=True)
    ):
        yield


@dataclass(frozen=True)
class Upgrade:
    """An upgrade of the installation on a data folder.

    Attributes:
        backups: folder for backups.
    """

    settings: Settings
    layout: Layout
    backups: Path
    console: Console
    # Holds the lock under which no worker claims a trial, until all parts have started: a rollback
    # would discard results that are stored before.
    _drain: ExitStack = field(default_factory=ExitStack)

    @contextmanager
    def drained(self, wait_s: int) -> Iterator[None]:
        """Let no worker claim a trial, until all parts have started or the context ends."""
        url = self._find_running_database()
        with self._drain:
            if url is not None:
                self._drain.enter_context(_drained(url, wait_s, self.console))
            yield

    def begin(self, start: Start) -> str | None:
        """Upgrade the installation and start all parts; return the text for the operator.

        Raises:
            TachoError: the upgrade failed. The detail explains the state of the database.
        """
        start.prepare()
        # A build that fails must not stop an upgrade half-way.
        start.load_generator.wait()
        moved = self._move_cluster(start)
        try:
            servers = start.start_servers()
            if not self.settings.database_url:
                self._drain_again(servers.database_url)
            upgraded = start.migrate(servers, self.backups)
            try:
                invitation = start.start_parts(servers)
            except Exception as failure:
                start.supervisor.stop_last()
                raise _explain(servers.database_url, upgraded, failure) from failure
            self._drain.close()
            return invitation
        except Exception:
            if moved is not None:
                start.supervisor.stop()
                moved.undo()
            raise

    def _drain_again(self, database_url: str) -> None:
        """Take the lock on the embedded server that has started. It ended with the server before,
        and so did all trials."""
        self._drain.close()
        self._drain.enter_context(_drained(database_url, 0, Console(quiet=True)))

    def _find_running_database(self) -> str | None:
        """Return the URL of the database whose workers may run; None if none can."""
        if self.settings.database_url:
            check_database(self.settings.database_url)
            return self.settings.database_url
        url = public_url(self.settings.host, self.settings.port)
        running = find_owner(self.layout, url)
        if running is None or not running.serves:
            return None
        # An earlier version has no other role.
        return EmbeddedPostgres(self.layout).administrator_url

    def _move_cluster(self, start: Start) -> MovedCluster | None:
        """Move the embedded database to the present version of PostgreSQL, if it is older."""
        version = None if self.settings.database_url else find_old_version(self.layout)
        if version is None:
            return None
        doing = f"Moving the data from PostgreSQL {version} to {POSTGRES_VERSION}"
        with start.steps.step(doing, f"PostgreSQL {version} → {POSTGRES_VERSION}"):
            moved = move_cluster(self.layout, version, self.backups, KEPT_BACKUPS)
        self.console.print(
            f"  The files of PostgreSQL {version} are in {escape(str(moved.former))}. Delete them "
            "when you no longer need them.",
            soft_wrap=True,
        )
        return moved


def _explain(database_url: str, upgraded: SchemaUpgrade, failure: Exception) -> TachoError:
    """Return why parts did not start, after the database was restored if it had changed."""
    if upgraded.backup is None:
        reason = failure.detail if isinstance(failure, TachoError) else str(failure)
        return PlatformError(
            f"The parts did not start: {reason}\nThe schema of the database was not changed."
        )
    return roll_back(database_url, upgraded.backup, failure)
