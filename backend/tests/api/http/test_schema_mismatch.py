"""Next to the schema of another version, the API answers 503 and explains what to do."""

from collections.abc import Iterator

import psycopg
import pytest
from fastapi.testclient import TestClient
from psycopg import sql

from backend.api.process import database as process
from backend.core.config import Settings
from backend.main import create_app
from backend.platform.servers import plain_url
from backend.tests.answers import document, problem
from backend.tests.api.conftest import HERE, LOOPBACK
from backend.tests.factories import HOST
from backend.tests.installation import forget_cached
from backend.tests.revisions import OLDER, other_revision

FRAMEWORKS = "/api/v1/frameworks"
HEALTH = "/api/v1/health"
# Its documents are not stored, so each request reads the table.
WEBHOOKS = "/api/v1/webhooks"


@pytest.fixture
def reader(database: Settings, monkeypatch: pytest.MonkeyPatch) -> Iterator[TestClient]:
    """A client of an API that reads the revision for each request."""
    monkeypatch.setattr(process, "_KEEP_SECONDS", 0.0)
    with TestClient(create_app(), HERE, client=LOOPBACK) as client:
        yield client


@pytest.fixture
def late_reader(database: Settings, monkeypatch: pytest.MonkeyPatch) -> Iterator[TestClient]:
    """A client of an API that has read the revision, and does not read it again."""
    monkeypatch.setattr(process, "_KEEP_SECONDS", 3600.0)
    with TestClient(create_app(), HERE, client=LOOPBACK) as client:
        assert client.get(FRAMEWORKS).status_code == 200
        yield client


def rename_table(settings: Settings, old: str, new: str) -> None:
    statement = sql.SQL("ALTER TABLE {} RENAME TO {}")
    with psycopg.connect(plain_url(settings.database_url)) as connection:
        connection.execute(statement.format(sql.Identifier(old), sql.Identifier(new)))


@pytest.fixture
def renamed_table(database: Settings) -> Iterator[None]:
    """The database of a version in which a table has another name."""
    rename_table(database, "webhook", "webhook_of_tomorrow")
    yield
    rename_table(database, "webhook_of_tomorrow", "webhook")


def test_a_newer_schema_is_explained_until_it_is_restored(
    reader: TestClient, database: Settings
) -> None:
    with other_revision(database.database_url):
        found = problem(reader.get(FRAMEWORKS), 503, "schema_mismatch")
        assert "newer version of Tacho" in found["detail"]
        assert "Update Tacho on this machine" in found["detail"]
        # Routes without a database still work.
        assert reader.get("/api/v1/verdicts").status_code == 200

    assert reader.get(FRAMEWORKS).status_code == 200
    with other_revision(database.database_url, OLDER):
        older = problem(reader.get(FRAMEWORKS), 503, "schema_mismatch")
    assert "Run `tacho migrate`" in older["detail"]


def test_health_explains_another_schema(reader: TestClient, database: Settings) -> None:
    with other_revision(database.database_url):
        forget_cached()
        health = document(reader.get(HEALTH), 503)
    forget_cached()

    assert health["database"] == "ok"
    assert "newer version of Tacho" in health["schema_problem"]
    assert "schema" in health["detail"]
    assert document(reader.get(HEALTH), 503)["schema_problem"] is None


def test_a_statement_that_fails_after_a_migration_is_explained(
    late_reader: TestClient, database: Settings, renamed_table: None
) -> None:
    # The schema is the own one, so the statement fails for another reason.
    problem(late_reader.get(WEBHOOKS), 500, "internal_error")
    with other_revision(database.database_url):
        problem(late_reader.get(WEBHOOKS), 503, "schema_mismatch")


def test_a_host_whose_worker_is_of_another_version_is_outdated(
    client: TestClient, host_id: object, database: Settings
) -> None:
    with psycopg.connect(plain_url(database.database_url)) as connection:
        connection.execute("UPDATE host SET schema_revision = %s", [OLDER])

    assert document(client.get(f"/api/v1/hosts/{HOST}"))["state"] == "outdated"
    health = document(client.get(HEALTH), 503)
    (host,) = health["hosts"]
    assert (host["status"], host["state"]) == ("down", "outdated")
