"""pytest fixtures with real servers: import them into a conftest to use them.

Each test session gets a PostgreSQL and a Redis of its own in a temporary folder, from the same
packages and by the same code as `tacho up`.
"""

import time
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from backend.platform.embedded_postgres import EmbeddedPostgres
from backend.platform.embedded_redis import EmbeddedRedis
from backend.platform.layout import Layout
from backend.platform.programs import Part, Program


@pytest.fixture(scope="session")
def server_layout(tmp_path_factory: pytest.TempPathFactory) -> Layout:
    """The folder that the test session's servers live in."""
    layout = Layout(tmp_path_factory.mktemp("servers"))
    layout.make()
    return layout


@pytest.fixture(scope="session")
def postgres_url(server_layout: Layout) -> Iterator[str]:
    """URL of an empty database on a PostgreSQL that lives for this session."""
    postgres = EmbeddedPostgres(server_layout, durable=False)
    postgres.prepare()
    with _running(postgres.part(), server_layout):
        postgres.create_database()
        yield postgres.url


@pytest.fixture(scope="session")
def redis_url(server_layout: Layout) -> Iterator[str]:
    """URL of an empty Redis that lives for this session."""
    broker = EmbeddedRedis.choose(server_layout)
    broker.prepare()
    with _running(broker.part(), server_layout):
        yield broker.url


@contextmanager
def _running(part: Part, layout: Layout) -> Iterator[None]:
    program = Program(part, layout)
    try:
        program.wait_ready()
        yield
    finally:
        program.ask_to_stop()
        program.finish(time.monotonic() + part.grace_s)
