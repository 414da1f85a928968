"""The database checks what a bench host writes, and what an earlier version let in is repaired."""

from uuid import uuid4

import psycopg
import pytest
from fastapi.testclient import TestClient
from sqlalchemy import make_url, select, text
from sqlalchemy.exc import DBAPIError
from sqlalchemy.orm import Session

from backend.core.catalog.service import load_catalog
from backend.core.config import Settings, get_settings
from backend.core.db import Base, get_engine, unit_of_work
from backend.core.models import Host, HostFramework, Scenario, Trial
from backend.core.operations.bench_hosts import repository
from backend.core.operations.bench_hosts.accepted_values import list_conditions, list_written
from backend.core.operations.bench_hosts.grants import HOST_GRANTS
from backend.core.operations.bench_hosts.roles import set_up_roles
from backend.core.runs import repository as runs
from backend.main import create_app
from backend.tests.api.browsing import OWN
from backend.tests.core.operations.bench_hosts.conftest import SignedIn

HERE = "http://127.0.0.1:8000"
LOOPBACK = ("127.0.0.1", 50000)
REFUSED = (
    "INSERT INTO host_framework (id, host_id, slug, digest, manifest, position) "
    "SELECT gen_random_uuid(), id, 'x', '', '{}', 0 FROM host",
    "INSERT INTO host_scenario (id, host_id, slug, digest, manifest, position) "
    """SELECT gen_random_uuid(), id, 'x', '', '{"name": "x"}', 0 FROM host""",
    """UPDATE host SET fingerprint = '"x"'""",
    """UPDATE host SET fingerprint = '{"isolation": "x"}'""",
    "UPDATE host SET seen_at = 'infinity'",
    "UPDATE host SET seen_at = now() + interval '1 day'",
    "UPDATE host SET disks = '{}'",
    "UPDATE host SET runtime_reason = repeat('x', 100000)",
    """UPDATE trial SET environment = '{"host": []}'""",
    """UPDATE trial SET verdicts = '[{"verdict": "x", "detail": ""}]'""",
    """UPDATE trial SET failure = '"x"'""",
    """UPDATE trial SET stage_seconds = '{"building": -1}'""",
    """UPDATE trial SET stage_seconds = '{"building": 1e400}'""",
    "UPDATE trial SET started_at = '-infinity'",
    "UPDATE trial SET status = 'succeeded', finished_at = now()",
    "UPDATE run SET status = 'succeeded', finished_at = now()",
    "UPDATE run SET status = 'cancelled', finished_at = now()",
    "INSERT INTO metric_value (trial_id, metric, value) SELECT id, 'knee_rps', 'NaN' FROM trial",
    "INSERT INTO metric_value (trial_id, metric, value) SELECT id, 'x', 1 FROM trial",
    "INSERT INTO trial_log (trial_id, name, content) SELECT id, 'x', repeat('x', 9000000) "
    "FROM trial",
)


def test_values_that_no_page_can_show_are_refused(mine: SignedIn) -> None:
    with mine.engine.connect() as connection:
        # Measurements are accepted of trials under way only.
        connection.exec_driver_sql("UPDATE trial SET status = 'measuring'")
        for statement in REFUSED:
            with pytest.raises(DBAPIError) as raised, connection.begin_nested():
                connection.exec_driver_sql(statement)

            assert isinstance(raised.value.orig, psycopg.errors.InsufficientPrivilege), statement
            assert "tacho_valid_" in str(raised.value.orig), statement


def test_every_column_that_a_host_writes_is_checked() -> None:
    unchecked = {
        f"{table}.{name}"
        for table in HOST_GRANTS
        for name in list_written(table)
        if name not in list_conditions(table)
    }

    assert unchecked == {
        *("host_framework.id", "host_framework.host_id"),
        *("host_scenario.id", "host_scenario.host_id", "build_source.host_id"),
        *("sample.trial_id", "histogram.trial_id", "metric_value.trial_id", "trial_log.trial_id"),
    }


@pytest.mark.usefixtures("database")
def test_all_conditions_work_for_present_rows() -> None:
    """The catalogue that `tacho migrate` registers fits, and PostgreSQL knows every pattern."""
    with get_engine().connect() as connection:
        for table in HOST_GRANTS:
            for condition in list_conditions(table).values():
                query = f"SELECT count(*) FROM {table} WHERE NOT ({condition})"  # noqa: S608
                plain = connection.execution_options(no_parameters=True)
                assert plain.exec_driver_sql(query).scalar() == 0, condition


def test_values_from_before_the_checks_are_repaired_or_left_out(
    mine: SignedIn, other: SignedIn, database: Settings
) -> None:
    with unit_of_work() as session:
        poison(session, mine)
        session.execute(text("COMMENT ON FUNCTION current_bench_host() IS NULL"))

    assert set_up_roles(database.database_url) == ""
    with unit_of_work() as session:
        load_catalog(session, get_settings().services_dir)

    with TestClient(create_app(), HERE, client=LOOPBACK) as client:
        for path in ("hosts", "queue", "home", "scenarios", "presets", "frameworks"):
            assert client.get(f"/api/v1/{path}").status_code == 200, path
        for path in (f"runs/{mine.run_id}", f"trials/{mine.trial_id}", f"hosts/{mine.name}"):
            assert client.get(f"/api/v1/{path}").status_code == 200, path
        faults = client.get(f"/api/v1/hosts/{mine.name}").json()["faults"]
        assert [fault.split(" is not")[0] for fault in faults] == [
            "The framework x",
            "The scenario x",
        ]
        assert client.get(f"/api/v1/hosts/{other.name}").json()["faults"] == []
        path = f"/api/v1/runs/{mine.run_id}"
        assert client.post(f"{path}/cancel", headers=OWN | {"Origin": HERE}).status_code == 200
    with unit_of_work() as session:
        assert session.scalar(select(Scenario.id).where(Scenario.slug == "x")) is None
        assert session.get_one(Host, mine.host_id).fingerprint == {}
        assert session.get_one(Trial, mine.trial_id).environment == {}
        assert runs.get_run_row(session, other.run_id).status == "running"


def poison(session: Session, host: SignedIn) -> None:
    """Write what the role of a host could write once, with the rights of the owner."""
    for table, entries, manifest in (
        ("host_framework", "framework", "{}"),
        ("host_scenario", "scenario", '{"name": "x"}'),
    ):
        session.execute(
            text(
                f"INSERT INTO {table} (id, host_id, slug, digest, manifest, position) "  # noqa: S608
                "VALUES (:id, :host_id, 'x', '', cast(:manifest AS jsonb), 0)"
            ),
            {"id": uuid4(), "host_id": host.host_id, "manifest": manifest},
        )
        if entries == "scenario":
            session.execute(
                text(
                    "INSERT INTO scenario (id, slug, name, manifest, digest) "
                    "VALUES (:id, 'x', 'x', cast(:manifest AS jsonb), '')"
                ),
                {"id": uuid4(), "manifest": manifest},
            )
    session.execute(
        text("UPDATE host SET fingerprint = '\"x\"', seen_at = 'infinity' WHERE id = :id"),
        {"id": host.host_id},
    )
    session.execute(
        text(
            "UPDATE trial SET environment = '[]', verdicts = '{\"a\": 1}', failure = '1', "
            "started_at = 'infinity' WHERE id = :id"
        ),
        {"id": host.trial_id},
    )


def test_a_manifest_that_fits_its_shape_only_is_left_out(mine: SignedIn) -> None:
    """The database checks shapes, and the merge everything else."""
    with Session(mine.engine) as session:
        source = session.scalars(select(HostFramework).where(HostFramework.slug == "node")).one()
        manifest = dict(source.manifest)
        manifest["slug"] = "another"
        session.add(
            HostFramework(
                host_id=mine.host_id, slug="forged", digest="d", manifest=manifest, position=99
            )
        )
        session.commit()

    with unit_of_work() as session:
        load_catalog(session, get_settings().services_dir)
        known = session.scalars(text("SELECT slug FROM framework WHERE slug = 'forged'")).all()
    assert known == []


def test_checks_return_after_a_migration(mine: SignedIn, database: Settings) -> None:
    with get_engine().begin() as connection:
        repository.drop_checks(connection)
    assert not count_checks()

    assert set_up_roles(database.database_url) == ""

    assert count_checks() > len(Base.metadata.tables["trial"].columns) / 2
    assert str(mine.trial_id)


def count_checks() -> int:
    with get_engine().connect() as connection:
        query = text("SELECT count(*) FROM pg_policies WHERE policyname LIKE 'tacho_valid_%'")
        return connection.scalar(query) or 0


def test_a_role_of_a_host_has_limits(mine: SignedIn, database: Settings) -> None:
    url = make_url(str(mine.engine.url)).set(
        drivername="postgresql", password=mine.credentials.database_password
    )
    assert database.database_url
    with psycopg.connect(url.render_as_string(hide_password=False)) as connection:
        for name, value in (
            ("statement_timeout", "2min"),
            ("idle_in_transaction_session_timeout", "2min"),
            ("temp_file_limit", "256MB"),
        ):
            assert connection.execute(f"SHOW {name}".encode()).fetchone() == (value,)
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            connection.execute("SET temp_file_limit = -1")
