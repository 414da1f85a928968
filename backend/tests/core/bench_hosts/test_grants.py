"""A bench host's user of PostgreSQL tries every table, and everything else it should not do."""

from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from sqlalchemy import Connection, Engine, Executable, insert, inspect, select, text, update
from sqlalchemy.exc import DBAPIError, ProgrammingError
from sqlalchemy.orm import Session

from backend.core.bench_hosts.grants import API_ROLE, DISPATCHER_ROLE, HOST_ROLE
from backend.core.catalog.build_sources import find_sources
from backend.core.catalog.folders import Catalogue
from backend.core.catalog.registration import read_sources, register_sources
from backend.core.changes.comparable_builds import list_comparable_builds
from backend.core.db import Base, get_engine, unit_of_work
from backend.core.measurements import repository as measurements
from backend.core.models import (
    BuildSource,
    HostFramework,
    HostScenario,
    MetricValue,
    Run,
    Trial,
    TrialLog,
)
from backend.core.runs import trials
from backend.core.runs.repository import list_requested_builds
from backend.core.runs.trials import TrialClaim
from backend.core.statuses import TrialStatus
from backend.core.units import Metric
from backend.tests.catalogue import write_services
from backend.tests.core.bench_hosts.conftest import SignedIn
from backend.tests.histories import History

DENIED = "42501"
LATER = datetime(2099, 1, 1, tzinfo=UTC)
NOTHING: tuple[str, ...] = ()

# The rights of a bench host on each table. A new table without an entry fails the test.
EXPECTED: Mapping[str, tuple[str, ...]] = {
    "access_token": NOTHING,
    "alembic_version": ("SELECT",),
    "audit_event": NOTHING,
    "backup": NOTHING,
    "build_source": ("INSERT",),
    "cell": ("SELECT",),
    "cell_chart": NOTHING,
    "cell_metric": NOTHING,
    "cell_summary": NOTHING,
    "change": NOTHING,
    "data_version": NOTHING,
    "framework": ("SELECT",),
    "histogram": ("DELETE", "INSERT"),
    "host": ("SELECT",),
    "host_credential": NOTHING,
    "host_event": NOTHING,
    # It may add rows too, but must leave the time of the registration to the database.
    "host_framework": ("DELETE", "SELECT"),
    "host_scenario": ("DELETE", "SELECT"),
    "identity": NOTHING,
    "incident": NOTHING,
    "membership": NOTHING,
    "metric_value": ("DELETE", "INSERT"),
    "one_time_link": NOTHING,
    "retention_setting": NOTHING,
    "run": ("SELECT",),
    "run_group": NOTHING,
    "sample": ("DELETE", "INSERT"),
    "scenario": ("SELECT",),
    "schedule": NOTHING,
    "scheduled_run": NOTHING,
    "slo": NOTHING,
    "snapshot": NOTHING,
    "stored_document": NOTHING,
    "study": NOTHING,
    "trial": ("SELECT",),
    "trial_log": ("INSERT", "SELECT"),
    "user": NOTHING,
    "user_session": NOTHING,
    "webhook": NOTHING,
    "webhook_delivery": NOTHING,
    "workspace": NOTHING,
}
# Columns that it may write in the tables that it may update.
WRITABLE: Mapping[str, set[str]] = {
    "host": {
        *("runtime", "runtime_reason", "fingerprint", "fingerprint_digest", "harness"),
        *("service_address", "disk_shortage", "schema_revision", "seen_at"),
    },
    "host_framework": {"unavailable", "position"},
    "host_scenario": {"position"},
    "run": {"status", "started_at", "finished_at"},
    "trial": {column.name for column in Trial.__table__.columns}
    - {"id", "run_id", "cell_id", "host_id", "repetition", "position"},
    "trial_log": {"content"},
}
ALL_TABLES = sorted({*Base.metadata.tables, "alembic_version"})


def find_state(error: DBAPIError) -> str:
    return str(getattr(error.orig, "sqlstate", ""))


def find_refusal(connection: Connection, statement: str) -> str:
    """Return the error code of a statement, which is rolled back; empty if it is permitted."""
    with connection.begin() as transaction:
        try:
            connection.exec_driver_sql(statement)
        except DBAPIError as error:
            return find_state(error)
        finally:
            transaction.rollback()
    return ""


def list_columns(table: str) -> list[str]:
    return [column["name"] for column in inspect(get_engine()).get_columns(table)]


def list_attempts(table: str) -> dict[str, str]:
    """Return statements that need one right each, and change nothing."""
    columns = list_columns(table)
    names = ", ".join(f'"{name}"' for name in columns)
    values = ", ".join(f'(NULL::"{table}")."{name}"' for name in columns)
    return {
        "SELECT": f'SELECT * FROM "{table}"',  # noqa: S608
        "INSERT": f'INSERT INTO "{table}" ({names}) SELECT {values} WHERE false',
        "UPDATE": f'UPDATE "{table}" SET "{columns[0]}" = NULL WHERE false',  # noqa: S608
        "DELETE": f'DELETE FROM "{table}" WHERE false',  # noqa: S608
        "TRUNCATE": f'TRUNCATE "{table}"',
        "TRIGGER": f'CREATE TRIGGER t BEFORE INSERT ON "{table}" EXECUTE FUNCTION note_topic()',
        "INDEX": f'CREATE INDEX ON "{table}" ("{columns[0]}")',
        "ALTER": f'ALTER TABLE "{table}" DISABLE ROW LEVEL SECURITY',
        "POLICY": f'CREATE POLICY p ON "{table}" USING (true)',
        "DROP": f'DROP TABLE "{table}"',
    }


def test_every_table_permits_what_is_expected_and_nothing_else(mine: SignedIn) -> None:
    allowed, refusals = {}, set()
    with mine.engine.connect() as connection:
        for table in ALL_TABLES:
            answers = {
                name: find_refusal(connection, statement)
                for name, statement in list_attempts(table).items()
            }
            allowed[table] = tuple(sorted(name for name, code in answers.items() if not code))
            refusals |= set(answers.values())

    assert allowed == EXPECTED
    assert refusals == {"", DENIED}


def test_only_some_columns_of_a_table_can_be_changed(mine: SignedIn) -> None:
    changed = {}
    with mine.engine.connect() as connection:
        for table in ALL_TABLES:
            changed[table] = {
                name
                for name in list_columns(table)
                if not find_refusal(
                    connection,
                    f'UPDATE "{table}" SET "{name}" = (NULL::"{table}")."{name}" '  # noqa: S608
                    "WHERE false",
                )
            }

    assert {table: columns for table, columns in changed.items() if columns} == WRITABLE


def read(engine: Engine, table: str, column: str) -> set[Any]:
    with engine.connect() as connection:
        return set(connection.scalars(text(f'SELECT "{column}" FROM "{table}"')))  # noqa: S608


def test_a_host_sees_only_its_own_rows(mine: SignedIn, other: SignedIn) -> None:
    assert read(mine.engine, "host", "id") == {mine.host_id}
    assert read(mine.engine, "run", "id") == {mine.run_id}
    assert read(mine.engine, "trial", "host_id") == {mine.host_id}
    assert read(mine.engine, "cell", "run_id") == {mine.run_id}
    for table in ("sample", "histogram", "metric_value"):
        assert read(mine.engine, table, "trial_id") == {mine.trial_id}
    assert read(other.engine, "run", "id") == {other.run_id}


def put_log(trial_id: object) -> Callable[[Connection], object]:
    statement = insert(TrialLog).values(trial_id=trial_id, name="build", content="")
    return lambda connection: connection.execute(statement)


def put_metric(trial_id: object) -> Callable[[Connection], object]:
    values = {"trial_id": trial_id, "metric": Metric.SUSTAINED_RPS, "value": 1.0}
    return lambda connection: connection.execute(insert(MetricValue).values(values))


def put_source(host_id: UUID) -> Callable[[Connection], object]:
    values = {"host_id": host_id, "digest": "d", "program": "node", "versions": {}, "files": []}
    return lambda connection: connection.execute(insert(BuildSource).values(values))


def test_a_host_records_sources_of_its_own_builds_only(mine: SignedIn, other: SignedIn) -> None:
    with mine.engine.begin() as connection, pytest.raises(ProgrammingError) as raised:
        put_source(other.host_id)(connection)
    assert find_state(raised.value) == DENIED
    with mine.engine.begin() as connection:
        put_source(mine.host_id)(connection)
    with other.engine.begin() as connection:
        assert not connection.execute(select(BuildSource.digest)).all()
        put_source(other.host_id)(connection)
    with unit_of_work() as session:
        assert list(find_sources(session, other.host_id, ["d"])) == ["d"]


@pytest.mark.parametrize("put", [put_log, put_metric])
def test_a_host_adds_nothing_to_a_trial_of_another_host(
    put: Callable[[object], Callable[[Connection], object]], mine: SignedIn, other: SignedIn
) -> None:
    with mine.engine.begin() as connection, pytest.raises(ProgrammingError) as raised:
        put(other.trial_id)(connection)
    assert find_state(raised.value) == DENIED
    with mine.engine.begin() as connection:
        put(mine.trial_id)(connection)


def test_a_host_changes_nothing_of_another_host(mine: SignedIn, other: SignedIn) -> None:
    statements: list[Executable] = [
        update(Trial).where(Trial.id == other.trial_id).values(status=TrialStatus.FAILED),
        update(Run).where(Run.id == other.run_id).values(finished_at=None),
        text("UPDATE host SET seen_at = now() WHERE name = 'bench-02'"),
        text("DELETE FROM sample WHERE trial_id = :id").bindparams(id=other.trial_id),
        text("DELETE FROM metric_value WHERE trial_id = :id").bindparams(id=other.trial_id),
        text("DELETE FROM histogram WHERE trial_id = :id").bindparams(id=other.trial_id),
        text("UPDATE trial_log SET content = '' WHERE trial_id = :id").bindparams(
            id=other.trial_id
        ),
    ]
    with mine.engine.begin() as connection:
        assert [connection.execute(statement).rowcount for statement in statements] == [0] * 7


def test_a_host_registers_its_sources_and_does_not_choose_the_time(
    mine: SignedIn, tmp_path: Path
) -> None:
    services = write_services(tmp_path / "own", "a", "b")
    with Session(mine.engine) as session, session.begin():
        register_sources(session, mine.host_id, read_sources(Catalogue(services)))
    (services / "frameworks" / "javascript" / "a" / "server.js").write_text("new")
    with Session(mine.engine) as session, session.begin():
        register_sources(session, mine.host_id, read_sources(Catalogue(services)))

    assert read(mine.engine, "host_framework", "slug") == {"a", "b"}
    known = read_sources(Catalogue(services))
    for source, manifest in (
        (HostFramework, known.frameworks[0].manifest),
        (HostScenario, known.scenarios[0].manifest),
    ):
        statement = insert(source).values(
            host_id=mine.host_id,
            slug="c",
            digest="",
            manifest=manifest,
            position=0,
            registered_at=LATER,
        )
        with mine.engine.begin() as connection, pytest.raises(ProgrammingError) as raised:
            connection.execute(statement)
        assert find_state(raised.value) == DENIED


def test_a_host_changes_nothing_of_a_trial_that_has_ended(mine: SignedIn) -> None:
    with unit_of_work() as session:
        trial = session.get_one(Trial, mine.trial_id)
        measurements.put_logs(session, mine.trial_id, {"service": "as it was"})
        claim = TrialClaim.of(trial)
        trials.resume(session, claim)
        trials.end_trial(session, claim, TrialStatus.SUCCEEDED, stage_seconds={})

    with mine.engine.begin() as connection, pytest.raises(ProgrammingError, match="has ended"):
        connection.execute(update(Trial).where(Trial.id == mine.trial_id).values(requests_total=1))
    with mine.engine.begin() as connection:
        for table in ("sample", "metric_value", "histogram"):
            deleted = connection.execute(text(f"DELETE FROM {table}"))  # noqa: S608
            assert deleted.rowcount == 0
        assert connection.execute(text("UPDATE trial_log SET content = ''")).rowcount == 0
    with mine.engine.begin() as connection, pytest.raises(ProgrammingError):
        put_metric(mine.trial_id)(connection)


FORBIDDEN = (
    "CREATE TABLE t (a int)",
    "CREATE TEMPORARY TABLE t (a int)",
    "CREATE FUNCTION f() RETURNS int LANGUAGE sql AS 'SELECT 1'",
    "CREATE SCHEMA s",
    "CREATE ROLE r",
    "CREATE DATABASE d",
    "ALTER ROLE CURRENT_USER SUPERUSER",
    "ALTER ROLE CURRENT_USER CREATEROLE",
    "ALTER ROLE tacho PASSWORD 'x'",
    "SET ROLE tacho",
    "SET ROLE tacho_api",
    "SET SESSION AUTHORIZATION tacho",
    "GRANT tacho_api TO CURRENT_USER",
    "COPY (SELECT 1) TO PROGRAM 'true'",
    "COPY host TO '/tmp/tacho-host'",
    "SELECT rolpassword FROM pg_authid",
    "SELECT passwd FROM pg_shadow",
    "SELECT pg_read_file('/etc/passwd')",
    "SELECT pg_ls_dir('/')",
    "SELECT lo_import('/etc/passwd')",
    "SELECT note_data_version('catalogue')",
    "SELECT create_host_role('tacho_host_0123456789abcdef', 'SCRAM-SHA-256$x')",
    "SELECT lock_host_role('tacho_host_0123456789abcdef')",
    "SELECT drop_host_role('tacho_host_0123456789abcdef')",
    "SELECT create_sample_partition('2030-01-01')",
    "SELECT drop_sample_partition('2020-01-01')",
    "SELECT * FROM sample_default",
    "DELETE FROM sample_default",
    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'tacho'",
    "SET session_replication_role = replica",
    "SELECT pg_reload_conf()",
)


def test_a_host_gets_no_further_rights(mine: SignedIn) -> None:
    with unit_of_work() as session:
        # Another connection of Tacho's user is open, which the host could try to end.
        session.execute(text("SELECT 1"))
        with mine.engine.connect() as opened:
            connection = opened.execution_options(isolation_level="AUTOCOMMIT")
            found = {
                statement: find_refusal_at_once(connection, statement) for statement in FORBIDDEN
            }

    assert found == dict.fromkeys(FORBIDDEN, DENIED)


def find_refusal_at_once(connection: Connection, statement: str) -> str:
    """Return the error code of a statement outside of a transaction."""
    try:
        connection.exec_driver_sql(statement)
    except DBAPIError as error:
        return find_state(error)
    return ""


@pytest.mark.usefixtures("other")
def test_a_host_cannot_switch_row_level_security_off(mine: SignedIn) -> None:
    with mine.engine.connect() as connection:
        connection.exec_driver_sql("SET row_security = off")
        with pytest.raises(ProgrammingError, match="row-level security"):
            connection.execute(select(Trial.id))


def test_the_roles_of_api_and_dispatcher_see_all_rows(mine: SignedIn, other: SignedIn) -> None:
    for role in (API_ROLE, DISPATCHER_ROLE):
        with get_engine().connect() as connection:
            connection.exec_driver_sql(f"SET ROLE {role}")
            found = set(connection.scalars(select(Trial.host_id)))
            connection.rollback()
        assert found == {mine.host_id, other.host_id}


def test_the_dispatcher_reads_no_secrets_of_people() -> None:
    for table in ("user", "user_session", "access_token", "one_time_link"):
        with get_engine().connect() as connection:
            connection.exec_driver_sql(f"SET ROLE {DISPATCHER_ROLE}")
            with pytest.raises(ProgrammingError) as raised:
                connection.exec_driver_sql(f'SELECT * FROM "{table}"')  # noqa: S608
        assert find_state(raised.value) == DENIED


def test_only_hosts_are_members_of_the_group_of_hosts(mine: SignedIn) -> None:
    query = text(
        # The role that created the group may manage it.
        "SELECT member::regrole::text FROM pg_auth_members "
        "WHERE roleid = cast(:name AS regrole) AND NOT admin_option"
    )
    with get_engine().connect() as connection:
        members = set(connection.scalars(query, {"name": HOST_ROLE}))
    assert mine.credentials.database_user in members
    assert all(member.startswith(f"{HOST_ROLE}_") for member in members)


def test_a_host_finds_the_builds_that_it_must_keep(mine: SignedIn, other: SignedIn) -> None:
    builds = {"node": "a" * 64}
    with unit_of_work() as session:
        for host, digest in ((mine, "a"), (other, "b")):
            History(session, host.host_id).add(10.0, {"node": digest * 64})

    with Session(mine.engine) as session:
        assert list_comparable_builds(session, mine.host_id, ["node"]) == [builds]
        assert list_comparable_builds(session, other.host_id, ["node"]) == []
        assert list_requested_builds(session, mine.host_id) == []
