"""With a full disk under PostgreSQL, requests that write get a problem document about the disk."""

from collections.abc import Iterator
from pathlib import Path
from uuid import uuid4

import psycopg
import pytest
from fastapi.testclient import TestClient
from psycopg import sql
from sqlalchemy import make_url

from backend.core.config import Settings
from backend.core.db import unit_of_work
from backend.main import create_app
from backend.platform.databases.temporary_servers import TemporaryServers
from backend.tests.answers import problem
from backend.tests.api.conftest import HERE, LOOPBACK
from backend.tests.asking import RUNS, body
from backend.tests.disks import fill, small_disk
from backend.tests.factories import add_host
from backend.tests.installation import forget_cached, make_template


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Path]:
    with small_disk(tmp_path / "disk", "128m") as disk:
        yield disk


@pytest.fixture
def database_on_it(
    disk: Path, temporary_servers: TemporaryServers, postgres_url: str
) -> Iterator[str]:
    """Return the URL of a database with schema and catalogue whose tables are on the small disk."""
    name = f"test_{uuid4().hex}"
    template = make_template(temporary_servers.folder, postgres_url)
    plain = make_url(postgres_url).set(drivername="postgresql")
    names = {"name": sql.Identifier(name), "template": sql.Identifier(template)}
    with psycopg.connect(plain.render_as_string(False), autocommit=True) as admin:
        admin.execute(
            sql.SQL("CREATE TABLESPACE {name} LOCATION {folder}").format(
                **names, folder=sql.Literal(str(disk))
            )
        )
        admin.execute(
            sql.SQL("CREATE DATABASE {name} TEMPLATE {template} TABLESPACE {name}").format(**names)
        )
        yield make_url(postgres_url).set(database=name).render_as_string(False)
        admin.execute(sql.SQL("DROP DATABASE {name} WITH (FORCE)").format(**names))
        admin.execute(sql.SQL("DROP TABLESPACE {name}").format(**names))


def test_a_full_disk_is_reported_as_a_full_disk(
    installation: Settings,
    disk: Path,
    database_on_it: str,
    caplog: pytest.LogCaptureFixture,
) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("DATABASE_URL", database_on_it)
        forget_cached()
        with unit_of_work() as session:
            add_host(session)
        _write_buffers(database_on_it)
        filler = fill(disk)
        with TestClient(create_app(), HERE, client=LOOPBACK) as client:
            refused = problem(client.post(RUNS, json=body()), 503, "unavailable")
            assert client.get(RUNS).status_code == 200
            filler.unlink()
            accepted = client.post(RUNS, json=body())
    forget_cached()

    assert refused["detail"] == (
        "The disk of the database is full. Free some space there, then try again."
    )
    assert accepted.status_code == 202
    assert not [record for record in caplog.records if record.exc_info]


def _write_buffers(database_url: str) -> None:
    """Write all changed pages to the disk, so that nobody who only reads has to do it."""
    plain = make_url(database_url).set(drivername="postgresql")
    with psycopg.connect(plain.render_as_string(False), autocommit=True) as admin:
        admin.execute("CHECKPOINT")
