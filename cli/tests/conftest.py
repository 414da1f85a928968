"""Commands against a real server, and a database of an earlier version of Tacho."""

from collections.abc import Callable, Iterator

import psycopg
import pytest
from alembic import command
from sqlalchemy import make_url
from typer.testing import CliRunner, Result

from backend.core.config import Settings
from backend.core.operations.migration import alembic_config
from backend.platform.servers import plain_url
from backend.platform.testing import create_database, temporary_database
from backend.tests.revisions import OLDER
from cli import app


@pytest.fixture
def tacho(live_url: str, database: Settings) -> Callable[..., Result]:
    """Run a command with these words against the live server; `answer` is what a person types."""

    def run(*words: str, answer: str = "") -> Result:
        return CliRunner().invoke(app, [*words, "--url", live_url], input=answer)

    return run


@pytest.fixture(scope="session")
def _older_template(postgres_url: str) -> str:
    """The name of a database of an earlier version, with a host."""
    url = create_database(postgres_url)
    command.upgrade(alembic_config(url), OLDER)
    with psycopg.connect(plain_url(url)) as connection:
        connection.execute(
            "INSERT INTO host (id, name, queue, runtime, fingerprint, fingerprint_digest) "
            "VALUES (gen_random_uuid(), 'bench-01', 'bench-01', 'process', '{}', 'before')"
        )
    return str(make_url(url).database)


@pytest.fixture
def older_url(postgres_url: str, _older_template: str) -> Iterator[str]:
    """URL of a database of an earlier version, with a host."""
    with temporary_database(postgres_url, _older_template) as url:
        yield url
