"""A pytest plugin with a complete installation for tests: schema and catalogue.

Each pytest worker has a database of its own. A test with the fixture `session` is rolled back. A
test with the fixture `database` (or a fixture that needs it, such as `client`) commits, and its
rows are deleted afterwards.
"""

import fcntl
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from uuid import UUID

import psycopg
import pytest
from fastapi import FastAPI
from sqlalchemy import make_url
from sqlalchemy.orm import Session

from backend.api.operations.health import get_readings
from backend.core import db, queue
from backend.core.catalog.service import load_catalog
from backend.core.config import Settings, get_settings
from backend.core.operations.bench_hosts.roles import set_up_roles
from backend.core.operations.migration import migrate
from backend.main import create_app
from backend.platform.databases.temporary_servers import TemporaryServers
from backend.platform.testing import create_database, temporary_database
from backend.tests.factories import add_host
from backend.tests.serving import serve

_CACHED = (
    get_settings,
    db.get_engine,
    db._session_factory,
    queue.get_celery,
    queue.get_redis,
    get_readings,
)


def forget_cached() -> None:
    """Make the next call read the settings and connect again."""
    if db.get_engine.cache_info().currsize:
        db.get_engine().dispose()
    if queue.get_celery.cache_info().currsize:
        queue.get_celery().close()
    if queue.get_redis.cache_info().currsize:
        queue.get_redis().close()
    for cached in _CACHED:
        cached.cache_clear()


# The catalogue and the first workspace stay.
_SWEEP = """
DELETE FROM snapshot;
DELETE FROM slo;
DELETE FROM guard;
DELETE FROM guard_request;
DELETE FROM guard_source;
DELETE FROM webhook;
DELETE FROM schedule;
DELETE FROM run;
DELETE FROM trial;
DELETE FROM run_group;
DELETE FROM host;
DELETE FROM host_lease;
DELETE FROM "user";
DELETE FROM user_session;
DELETE FROM one_time_link;
DELETE FROM access_token;
DELETE FROM backup;
DELETE FROM database_shortage;
DELETE FROM workspace WHERE slug <> 'main';
UPDATE workspace SET name = 'Main', max_queued_trials = NULL, max_bench_minutes = NULL,
  seconds_days = NULL, logs_days = NULL;
UPDATE retention_setting SET seconds_days = NULL, logs_days = NULL;
-- The triggers of the audit log refuse this.
SET LOCAL session_replication_role = replica;
DELETE FROM audit_event;
"""


def sweep_up() -> None:
    """Remove runs, hosts, accounts and everything that users create."""
    with db.unit_of_work() as session:
        driver = session.connection().connection.driver_connection
        assert isinstance(driver, psycopg.Connection)
        # One call of the server for all statements, which no prepared statement may contain.
        driver.execute(_SWEEP, prepare=False)
    queue.get_redis().flushdb()
    get_readings.cache_clear()


@pytest.fixture(scope="session")
def database_url(temporary_servers: TemporaryServers, postgres_url: str) -> str:
    """URL of this pytest worker's database, with schema and catalogue.

    It ends with the server. DROP DATABASE would wait for every connection to the server.
    """
    template = make_template(temporary_servers.folder, postgres_url)
    url = create_database(postgres_url, template)
    # A copy has not the rights on its template, only those on tables.
    set_up_roles(url)
    return url


@pytest.fixture(scope="module")
def new_installation(
    temporary_servers: TemporaryServers, postgres_url: str
) -> Iterator[Callable[[], str]]:
    """A function that creates a database with schema, roles and catalogue, and returns its URL.

    The databases are dropped after the module.
    """
    template = make_template(temporary_servers.folder, postgres_url)
    with ExitStack() as databases:

        def create() -> str:
            url = databases.enter_context(temporary_database(postgres_url, template))
            set_up_roles(url)
            return url

        yield create


def make_template(folder: Path, postgres_url: str) -> str:
    """Return the name of the migrated database of the test run. The first worker creates it."""
    name = folder / "template"
    with (folder / "template.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not name.exists():
            url = create_database(postgres_url)
            set_up(url)
            name.write_text(make_url(url).database or "")
    return name.read_text()


def set_up(url: str) -> None:
    """Give an empty database schema, roles and catalogue."""
    migrate(url)
    engine = db.make_engine(url)
    with Session(engine) as session, session.begin():
        load_catalog(session, Settings().services_dir)
    engine.dispose()


@pytest.fixture(scope="module")
def installation(
    database_url: str, redis_url: str, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Settings]:
    """Settings with this worker's database and Redis server.

    Connections and prepared queries stay for the next module, which has the same servers.
    """
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("DATABASE_URL", database_url)
        patch.setenv("REDIS_URL", redis_url)
        patch.setenv("TACHO_DATA", str(tmp_path_factory.mktemp("data")))
        patch.setenv("TACHO_HOST", "127.0.0.1")
        patch.setenv("TACHO_TOKEN", "")
        patch.setenv("TACHO_TRUST_LOOPBACK", "true")
        patch.setenv("TACHO_LOG_LEVEL", "WARNING")
        _forget_settings()
        yield get_settings()
    _forget_settings()


def _forget_settings() -> None:
    """Make the next call read the settings. Connections stay."""
    get_settings.cache_clear()
    # A reading belongs to the event loop of an app.
    get_readings.cache_clear()


@pytest.fixture
def database(installation: Settings) -> Iterator[Settings]:
    """The settings, for tests that commit. Runs, hosts and events are removed afterwards."""
    yield installation
    sweep_up()


@pytest.fixture
def host_id(database: Settings) -> UUID:
    """A bench host that is online. Tests complete its trials."""
    with db.unit_of_work() as session:
        return add_host(session).id


@pytest.fixture
def session(installation: Settings) -> Iterator[Session]:
    """A session whose work is rolled back."""
    with db.new_session() as session:
        yield session
        session.rollback()


@pytest.fixture(scope="session")
def shared_app() -> FastAPI:
    """The app, which prepares its routes for its first request."""
    return create_app()


@pytest.fixture(scope="module")
def live_url(installation: Settings, shared_app: FastAPI) -> Iterator[str]:
    """The address of the app behind a real HTTP server, for streams and other processes."""
    with serve(shared_app) as url:
        yield url


@pytest.fixture
def token(database: Settings, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """The installation's bearer token, set for this test."""
    secret = "s3cret-of-the-test"
    monkeypatch.setenv("TACHO_TOKEN", secret)
    get_settings.cache_clear()
    yield secret
    monkeypatch.undo()
    get_settings.cache_clear()
