"""A bench host's user of PostgreSQL tries every table, and everything else it should not do."""

import hashlib
from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from uuid import UUID

import psycopg
import pytest
from sqlalchemy import Connection, Engine, func, insert, select, text, update
from sqlalchemy.exc import DBAPIError, OperationalError, ProgrammingError
from sqlalchemy.orm import Session

from backend.core.catalog.folders import Catalogue
from backend.core.catalog.registration import read_sources, register_sources
from backend.core.changes.comparable_builds import list_comparable_builds
from backend.core.db import get_engine, unit_of_work
from backend.core.measurement.measurements import repository as measurements
from backend.core.models import (
    Host,
    HostFramework,
    HostLease,
    HostScenario,
    MetricValue,
    Run,
    Trial,
    TrialLog,
    User,
)
from backend.core.operations.bench_hosts.grants import API_ROLE, DISPATCHER_ROLE, HOST_ROLE
from backend.core.operations.bench_hosts.repository import end_long_transactions
from backend.core.operations.bench_hosts.roles import advise_on_locks
from backend.core.people.accounts.repository import has_users
from backend.core.results.guard import requests_repository as guards
from backend.core.results.guard.document import GuardOrder, ServiceVersion
from backend.core.results.guard.requests import (
    end_guards,
    recover_lost,
    request_guard,
    store_source,
)
from backend.core.runs.repository import list_requested_builds
from backend.core.runs.trials import repository
from backend.core.runs.trials import service as trials
from backend.core.runs.trials.service import TrialClaim
from backend.core.statuses import TrialStatus
from backend.core.units import Metric, RuntimeKind
from backend.tests.accounts import add_user
from backend.tests.catalogue import write_services
from backend.tests.core.operations.bench_hosts.attempts import (
    DENIED,
    RIGHTS,
    OtherHost,
    find_permitted,
    find_refusal,
    list_columns,
    list_function_attempts,
    list_row_attempts,
    list_table_attempts,
)
from backend.tests.core.operations.bench_hosts.conftest import SignedIn
from backend.tests.factories import first_workspace
from backend.tests.histories import History

LATER = datetime(2099, 1, 1, tzinfo=UTC)
MINE, OTHER = UUID(int=1), UUID(int=2)

# Columns that it may write in the tables that it may update.
WRITABLE: Mapping[str, set[str]] = {
    "guard_request": {
        *("status", "progress", "doing", "attempt", "lease_until", "report", "failure")
    },
    "host": {
        *("runtime", "runtime_reason", "fingerprint", "fingerprint_digest", "harness"),
        *("service_address", "disk_shortage", "disks", "schema_revision", "seen_at"),
    },
    "host_framework": {"unavailable", "position"},
    "host_scenario": {"position"},
    "run": {"status", "started_at", "finished_at"},
    "trial": {column.name for column in Trial.__table__.columns}
    - {"id", "run_id", "cell_id", "host_id", "repetition", "position"},
    "trial_log": {"content"},
}


def find_state(error: DBAPIError) -> str:
    return str(getattr(error.orig, "sqlstate", ""))


def open_connection(mine: SignedIn) -> psycopg.Connection:
    """Return a connection as the host's user, without a transaction."""
    url = mine.engine.url.set(drivername="postgresql")
    return psycopg.connect(url.render_as_string(hide_password=False), autocommit=True)


def test_every_table_permits_what_is_expected(mine: SignedIn) -> None:
    """`test_every_attempt_of_a_host_is_refused` makes all other attempts."""
    with open_connection(mine) as connection:
        tables = list_columns(connection)
        refused = [
            f"{name} on {table}"
            for table, columns in tables.items()
            for name in RIGHTS.get(table, ())
            if find_refusal(connection, list_table_attempts(table, columns)[name])
        ]

    assert tables.keys() == RIGHTS.keys()
    assert refused == []


def test_only_some_columns_of_a_table_can_be_changed(mine: SignedIn) -> None:
    with open_connection(mine) as connection:
        changed = {
            table: {
                name
                for name in columns
                if not find_refusal(
                    connection,
                    f'UPDATE "{table}" SET "{name}" = (NULL::"{table}")."{name}" '  # noqa: S608
                    "WHERE false",
                )
            }
            for table, columns in list_columns(connection).items()
        }

    assert {table: columns for table, columns in changed.items() if columns} == WRITABLE


def read(engine: Engine, table: str, column: str) -> set[Any]:
    with engine.connect() as connection:
        return set(connection.scalars(text(f'SELECT "{column}" FROM "{table}"')))  # noqa: S608


def test_a_host_sees_its_runs_until_an_hour_after_they_are_finalized(mine: SignedIn) -> None:
    with mine.engine.begin() as connection:
        put_log(mine.trial_id)(connection)
    assert read(mine.engine, "trial_log", "name") == {"build"}
    with unit_of_work() as session:
        session.execute(text("UPDATE trial SET status = 'failed', finished_at = now()"))
        session.execute(text("UPDATE run SET finalized_at = now() - interval '50 minutes'"))

    assert read(mine.engine, "trial", "id") >= {mine.trial_id}
    assert read(mine.engine, "trial_log", "name") == set()
    with unit_of_work() as session:
        session.execute(text("UPDATE run SET finalized_at = now() - interval '70 minutes'"))
    for table in ("run", "cell", "trial"):
        assert read(mine.engine, table, "id") == set()


def test_a_host_reads_the_versions_of_the_guards_that_it_runs(
    mine: SignedIn, other: SignedIn
) -> None:
    digests = [hashlib.sha256(content).hexdigest() for content in (b"base", b"head", b"else")]
    with unit_of_work() as session:
        workspace = first_workspace(session)
        for content, digest in zip((b"base", b"head", b"else"), digests, strict=True):
            store_source(session, workspace, digest, content)
        version = ServiceVersion(name="main")
        order = GuardOrder(
            service="shop",
            base=version,
            head=version,
            base_source=digests[0],
            head_source=digests[1],
            seed=1,
            on=mine.name,
        )
        # Older than the run of the host, which would come first.
        request_guard(session, workspace, order, [RuntimeKind.PROCESS])
        session.execute(text("UPDATE guard_request SET created_at = now() - interval '1 hour'"))

    assert read(mine.engine, "guard_source", "content") == set()
    with Session(mine.engine) as session, session.begin():
        assert guards.claim_next(session, other.host_id) is None
        claim = guards.claim_next(session, mine.host_id)
        assert claim is not None
        guards.report_progress(session, claim, ["ready"], "measuring")
    assert read(mine.engine, "guard_source", "content") == {b"base", b"head"}
    for table in ("guard_source", "guard_request"):
        column = "content" if table == "guard_source" else "id"
        assert read(other.engine, table, column) == set()
    with pytest.raises(ProgrammingError) as raised, mine.engine.begin() as connection:
        connection.execute(text("UPDATE guard_request SET status = 'finished'"))
    assert find_state(raised.value) == DENIED
    with Session(mine.engine) as session, session.begin():
        guards.end(session, claim, {"any": "thing"}, None)
        recover_lost(session, mine.host_id)
    with unit_of_work() as session:
        end_guards(session)
    assert read(mine.engine, "guard_request", "id") == set()
    assert read(mine.engine, "guard_source", "content") == set()


def test_only_the_own_bench_host_of_an_installation_knows_whether_people_have_accounts(
    mine: SignedIn, other: SignedIn
) -> None:
    with unit_of_work() as session:
        add_user(session, "ada@example.org")
        session.get_one(Host, other.host_id).joined_at = datetime.now(UTC)

    with Session(mine.engine) as session:
        assert has_users(session)
        with pytest.raises(ProgrammingError) as raised:
            session.scalars(select(User.email))
    assert find_state(raised.value) == DENIED
    with Session(other.engine) as session:
        assert not has_users(session)


def put_log(trial_id: object) -> Callable[[Connection], object]:
    statement = insert(TrialLog).values(trial_id=trial_id, name="build", content="")
    return lambda connection: connection.execute(statement)


def put_metric(trial_id: object) -> Callable[[Connection], object]:
    values = {"trial_id": trial_id, "metric": Metric.SUSTAINED_RPS, "value": 1.0}
    return lambda connection: connection.execute(insert(MetricValue).values(values))


def as_other(host: SignedIn) -> OtherHost:
    return OtherHost(host.host_id, host.name, host.run_id, host.trial_id)


def test_every_attempt_of_a_host_is_refused(mine: SignedIn, other: SignedIn) -> None:
    with unit_of_work() as session:
        # Another connection of Tacho's user is open, which the host could try to end.
        session.execute(text("SELECT 1"))
        with open_connection(mine) as connection:
            assert len(list_function_attempts(connection)) > 40
            assert find_permitted(connection, as_other(other)) == []


def test_most_attempts_on_rows_are_permitted_on_own_rows(mine: SignedIn) -> None:
    """So the same attempts on rows of other hosts fail because of their host."""
    permitted = []
    with open_connection(mine) as connection:
        for statement in list_row_attempts(as_other(mine)):
            with connection.transaction(force_rollback=True):
                try:
                    with connection.transaction():
                        done = connection.execute(statement)
                except psycopg.Error:
                    continue
                permitted += [statement] if done.rowcount > 0 else []

    assert len(permitted) >= 17, permitted


def reserve(host: SignedIn, queue: str, holder: UUID = MINE) -> bool:
    """Reserve a host as a worker does; return whether it was free."""
    with Session(host.engine) as session, session.begin():
        return repository.reserve_hosts(session, [queue], holder) is None


def take(host: SignedIn, queue: str, holder: UUID = MINE) -> bool:
    with Session(host.engine) as session, session.begin():
        return repository.take_host_lease(session, queue, holder)


def test_a_host_reserves_itself_and_the_load_hosts_of_its_unfinished_runs(
    mine: SignedIn, other: SignedIn
) -> None:
    assert take(mine, mine.name)
    assert reserve(mine, mine.name)
    with pytest.raises(ProgrammingError) as raised:
        reserve(mine, other.name)
    assert find_state(raised.value) == DENIED
    set_load_hosts(mine.run_id, [other.name])

    assert reserve(mine, other.name)
    assert not reserve(other, other.name, OTHER)
    assert take(other, other.name, OTHER)
    with pytest.raises(ProgrammingError):
        take(mine, other.name)
    end_run(mine.run_id)
    with pytest.raises(ProgrammingError):
        reserve(mine, other.name)


def test_a_host_that_keeps_its_transaction_open_holds_up_no_other_host(
    mine: SignedIn, other: SignedIn
) -> None:
    set_load_hosts(mine.run_id, [other.name])
    with Session(mine.engine) as session, session.begin():
        assert repository.reserve_hosts(session, [other.name], MINE) is None

        assert not reserve(other, other.name, OTHER)
        assert take(other, other.name, OTHER)


def test_a_host_does_not_choose_when_its_lease_ends(mine: SignedIn) -> None:
    """`test_every_attempt_of_a_host_is_refused` tries to write leases itself."""
    assert take(mine, mine.name)
    assert reserve(mine, mine.name)
    with unit_of_work() as session:
        longest = session.scalar(select(func.max(HostLease.lease_until) - func.now()))
    assert longest is not None
    assert longest < timedelta(seconds=31)


def set_load_hosts(run_id: UUID, queues: list[str]) -> None:
    with unit_of_work() as session:
        session.execute(update(Run).where(Run.id == run_id).values(load_hosts=queues))


def end_run(run_id: UUID) -> None:
    with unit_of_work() as session:
        session.execute(update(Run).where(Run.id == run_id).values(finished_at=LATER))


def test_a_revoked_host_takes_no_lease(mine: SignedIn) -> None:
    with open_connection(mine) as connection:
        with unit_of_work() as session:
            # Its connection has not ended yet.
            session.execute(text("UPDATE host_credential SET host_id = NULL"))
        for call in (
            f"take_host_lease('{mine.name}', gen_random_uuid())",
            f"reserve_hosts(ARRAY['{mine.name}'], gen_random_uuid())",
        ):
            assert find_refusal(connection, f"SELECT {call}") == DENIED


def test_the_dispatcher_ends_long_transactions_of_hosts(mine: SignedIn, other: SignedIn) -> None:
    with mine.engine.connect() as waiting, other.engine.connect() as idle:
        waiting.execute(select(Trial.id).with_for_update())
        idle.execute(text("SELECT 1"))
        idle.commit()
        with unit_of_work() as session:
            session.execute(text(f"SET LOCAL ROLE {DISPATCHER_ROLE}"))
            assert end_long_transactions(session, 60) == 0
            assert end_long_transactions(session, 0) == 1

        with pytest.raises(OperationalError):
            waiting.execute(text("SELECT 1"))
        idle.execute(text("SELECT 1"))


@pytest.mark.usefixtures("database")
def test_parts_take_locks() -> None:
    for role in (API_ROLE, DISPATCHER_ROLE):
        with get_engine().connect() as connection:
            connection.exec_driver_sql(f"SET ROLE {role}")
            assert connection.scalar(select(func.pg_try_advisory_xact_lock(1)))
            connection.rollback()


@pytest.mark.usefixtures("database")
def test_open_locks_are_reported_with_their_fix() -> None:
    with get_engine().connect() as connection:
        connection.execute(text("GRANT EXECUTE ON FUNCTION pg_advisory_lock(bigint) TO PUBLIC"))
        advice = advise_on_locks(connection)
        statement = advice[advice.index("DO $$") :]
        connection.execute(text(statement))
        assert advise_on_locks(connection) == ""
        connection.rollback()


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
    with mine.engine.begin() as connection, pytest.raises(ProgrammingError, match="unfinished"):
        connection.execute(select(func.delete_measurements(mine.trial_id)))
    with mine.engine.begin() as connection:
        assert connection.execute(text("UPDATE trial_log SET content = ''")).rowcount == 0
    with mine.engine.begin() as connection, pytest.raises(ProgrammingError):
        put_metric(mine.trial_id)(connection)


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
