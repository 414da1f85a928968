"""A pytest plugin that starts real servers once for each test run.

All pytest workers use one PostgreSQL server, from the same package and with the same code as `tacho
up`. Each worker has a Redis server of its own. The servers end with the run, even if it is killed.
"""

import os
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any
from uuid import uuid4

import psycopg
import pytest
from psycopg import sql
from sqlalchemy import make_url

from backend.platform.databases.temporary_servers import Servers, TemporaryServers
from backend.platform.layout import Layout

_FOLDER = pytest.StashKey[Path]()
_KEEPER = pytest.StashKey[subprocess.Popen[bytes]]()
# Long enough for a busy machine.
_STOP_TIMEOUT_S = 300


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node: Any) -> None:
    """Start the servers before pytest-xdist starts a worker, and pass their addresses on."""
    config, given = node.config, node.workerinput
    given["servers"] = str(_start_once(config, redis_servers=given["workercount"]))


def pytest_unconfigure(config: pytest.Config) -> None:
    """Stop the servers that this process started."""
    keeper = config.stash.get(_KEEPER, None)
    if keeper is not None:
        keeper.terminate()
        keeper.wait(_STOP_TIMEOUT_S)


def _start_once(config: pytest.Config, redis_servers: int) -> Path:
    if _FOLDER not in config.stash:
        config.stash[_FOLDER] = Path(tempfile.mkdtemp(prefix="tacho-tests-"))
        servers = TemporaryServers(config.stash[_FOLDER])
        config.stash[_KEEPER] = servers.start(os.getpid(), redis_servers)
    return config.stash[_FOLDER]


def _worker_number(config: pytest.Config) -> int:
    """Return the number of this pytest-xdist worker; 0 without pytest-xdist."""
    return int(getattr(config, "workerinput", {"workerid": "gw0"})["workerid"].removeprefix("gw"))


@pytest.fixture(scope="session")
def temporary_servers(pytestconfig: pytest.Config) -> TemporaryServers:
    """The servers of this test run, which may not be ready yet."""
    given = getattr(pytestconfig, "workerinput", {}).get("servers")
    return TemporaryServers(Path(given) if given else _start_once(pytestconfig, redis_servers=1))


@pytest.fixture(scope="session")
def _servers(temporary_servers: TemporaryServers) -> Servers:
    return temporary_servers.wait()


@pytest.fixture(scope="session")
def server_layout(temporary_servers: TemporaryServers) -> Layout:
    """The folders of the PostgreSQL server."""
    return temporary_servers.layout


@pytest.fixture(scope="session")
def postgres_url(_servers: Servers) -> str:
    """URL of an empty database on the PostgreSQL server of the test run."""
    return _servers.postgres_url


@pytest.fixture(scope="session")
def redis_url(_servers: Servers, pytestconfig: pytest.Config) -> str:
    """URL of the Redis server of this pytest worker."""
    urls = _servers.redis_urls
    return urls[_worker_number(pytestconfig) % len(urls)]


def create_database(postgres_url: str, template: str = "template0") -> str:
    """Create a database with a unique name and return its URL."""
    name = f"test_{uuid4().hex}"
    create = sql.SQL("CREATE DATABASE {} TEMPLATE {}")
    _execute(postgres_url, create.format(sql.Identifier(name), sql.Identifier(template)))
    return make_url(postgres_url).set(database=name).render_as_string(hide_password=False)


@contextmanager
def temporary_database(postgres_url: str, template: str = "template0") -> Iterator[str]:
    """Create a database with a unique name, yield its URL, and drop it."""
    url = create_database(postgres_url, template)
    try:
        yield url
    finally:
        drop = sql.SQL("DROP DATABASE {} WITH (FORCE)")
        _execute(postgres_url, drop.format(sql.Identifier(make_url(url).database or "")))


def _execute(postgres_url: str, statement: sql.Composed) -> None:
    url = make_url(postgres_url).set(drivername="postgresql")
    plain = url.render_as_string(hide_password=False)
    with psycopg.connect(plain, autocommit=True) as connection:
        connection.execute(statement)


@pytest.fixture(scope="module")
def new_database(postgres_url: str) -> Iterator[Callable[[], str]]:
    """A function that creates an empty database and returns its URL. The databases are dropped
    after the module."""
    with ExitStack() as databases:
        yield lambda: databases.enter_context(temporary_database(postgres_url))
