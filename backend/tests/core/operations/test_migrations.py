"""Migrations: their schema matches the models, and they run up, down and up again."""

import json
from collections.abc import Callable, Iterator
from uuid import UUID

import pytest
from alembic import command
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.migration import MigrationContext
from sqlalchemy import Engine, delete, inspect, select, text
from sqlalchemy.exc import IntegrityError

from backend.core.db import make_engine
from backend.core.models import Host, Run, Snapshot
from backend.core.models.measurement import is_partition
from backend.core.operations.migration import alembic_config, migrate
from backend.core.units import RuntimeKind

# Importing one table registers them all.
METADATA = Run.metadata


BEFORE_INCIDENTS = "b41f6c20d9a7"
# Two changes with the same new build, one of them confirmed, and one within the new build.
CHANGES_BEFORE_INCIDENTS = """
INSERT INTO host (id, name, runtime, fingerprint, fingerprint_digest, unavailable)
VALUES (gen_random_uuid(), 'bench-01', 'process', '{}', 'd', '{}');

INSERT INTO framework (id, slug, name, language, manifest, digest, colour)
VALUES (gen_random_uuid(), 'node', 'Node.js', 'JavaScript', '{}', 'f', 0);

INSERT INTO scenario (id, slug, name, manifest, digest)
VALUES (gen_random_uuid(), 'hello', 'Hello', '{}', 's');

INSERT INTO run (id, slug, title, status, visibility, host_id, trials_per_cell, seed,
  request_digest)
SELECT gen_random_uuid(), 'r', 'Nightly', 'succeeded', 'public', id, 1, 1, '' FROM host;

INSERT INTO cell (id, run_id, position, framework_id, scenario_id, framework_digest,
  scenario_digest, profile, kind, parameters)
SELECT gen_random_uuid(), run.id, position, framework.id, scenario.id, 'f', 's', 'rate-quick',
  'rate', '{}'
FROM run, framework, scenario, generate_series(0, 1) AS position;

INSERT INTO trial (id, run_id, cell_id, host_id, repetition, position, status, environment)
SELECT gen_random_uuid(), run.id, cell.id, host_id, 1, position, 'succeeded',
  jsonb_build_object('builds', jsonb_build_object('node', chr(97 + position)))
FROM cell JOIN run ON run.id = run_id;

INSERT INTO change (id, series_digest, framework, scenario, profile, kind, parameters, metric,
  runtime, host_id, host_digest, harness_digest, scenario_digest, at, before_cell_id,
  after_cell_id, ratio, low, high, p_value, status, reason)
SELECT gen_random_uuid(), metric, 'node', 'hello', 'rate-quick', 'rate', '{}', metric, 'process',
  host.id, 'h', 'h', 's', now(), before.id, after.id, 1.1, 1.0, 1.2, 0.001, state, ''
FROM host, cell AS before, cell AS after, (VALUES
  ('latency_p50_ms', 0, 'suspected'),
  ('cpu_us_per_request', 0, 'confirmed'),
  ('latency_p99_ms', 1, 'suspected')) AS found (metric, position, state)
WHERE before.position = found.position AND after.position = 1;
"""


def fill_before_incidents(url: str, revision: str = BEFORE_INCIDENTS) -> tuple[Engine, Config]:
    """Store changes without incidents, and migrate the database to this later revision."""
    engine, config = make_engine(url), alembic_config(url)
    command.upgrade(config, BEFORE_INCIDENTS)
    with engine.begin() as connection:
        connection.exec_driver_sql(CHANGES_BEFORE_INCIDENTS)
    command.upgrade(config, revision)
    return engine, config


@pytest.fixture(scope="module")
def empty_url(new_database: Callable[[], str]) -> str:
    """URL of an empty database."""
    return new_database()


@pytest.fixture
def engine(empty_url: str) -> Iterator[Engine]:
    engine = make_engine(empty_url)
    yield engine
    engine.dispose()


def tables(engine: Engine) -> set[str]:
    """Return the names of all tables, without partitions."""
    return {name for name in inspect(engine).get_table_names() if not is_partition(name)}


def drift(engine: Engine) -> list[object]:
    """Return the differences that autogenerate would write."""
    with engine.connect() as connection:
        options = {
            "compare_type": True,
            "include_name": lambda name, kind, _: kind != "table" or not is_partition(name or ""),
        }
        context = MigrationContext.configure(connection, opts=options)
        return list(compare_metadata(context, METADATA))


def test_up_down_and_up_again(empty_url: str, engine: Engine) -> None:
    config = alembic_config(empty_url)

    command.upgrade(config, "head")
    assert tables(engine) == {*METADATA.tables, "alembic_version"}
    assert drift(engine) == []

    command.downgrade(config, "base")
    assert tables(engine) == {"alembic_version"}

    command.upgrade(config, "head")
    assert drift(engine) == []


def checks(engine: Engine) -> set[tuple[str | None, str]]:
    """Return name and condition of every CHECK constraint of the schema."""
    found = inspect(engine).get_multi_check_constraints().values()
    return {(check["name"], check["sqltext"]) for table in found for check in table}


def test_enum_columns_have_the_checks_of_their_enums(
    new_database: Callable[[], str], empty_url: str, engine: Engine
) -> None:
    migrate(empty_url)
    from_models = make_engine(new_database())
    METADATA.create_all(from_models)

    assert len(checks(from_models)) > 15
    assert checks(engine) == checks(from_models)
    from_models.dispose()


def test_existing_rows_get_the_checks_of_enum_columns(empty_url: str, engine: Engine) -> None:
    config = alembic_config(empty_url)
    command.downgrade(config, "base")
    command.upgrade(config, "5d1c7e9a40f2")
    insert = (
        "INSERT INTO host (id, name, runtime, fingerprint, fingerprint_digest, unavailable) "
        "VALUES (gen_random_uuid(), 'bench-01', 'docker', '{}', 'd', '{}')"
    )
    with engine.begin() as connection:
        connection.execute(text(insert))

    command.upgrade(config, "head")

    with engine.connect() as connection:
        assert connection.scalars(select(Host.runtime)).all() == [RuntimeKind.DOCKER]
        with pytest.raises(IntegrityError, match="ck_host_runtimekind"):
            connection.execute(text("UPDATE host SET runtime = 'moon'"))
    command.downgrade(config, "5d1c7e9a40f2")
    with engine.begin() as connection:
        connection.execute(text("UPDATE host SET runtime = 'moon'"))
        connection.execute(text("DELETE FROM host"))
    command.upgrade(config, "head")


def test_migrating_twice_changes_nothing(empty_url: str, engine: Engine) -> None:
    migrate(empty_url)
    migrate(empty_url)

    assert drift(engine) == []


def test_every_constraint_has_a_name_of_the_convention(empty_url: str, engine: Engine) -> None:
    migrate(empty_url)
    query = "SELECT conname FROM pg_constraint JOIN pg_class ON conrelid = pg_class.oid"
    with engine.connect() as connection:
        schema = "WHERE contype IN ('p', 'u', 'f', 'c') AND connamespace = 'public'::regnamespace"
        names = connection.execute(text(f"{query} {schema}")).scalars().all()

    assert len(names) > 20
    own = [name for name in names if "alembic" not in name]
    assert all(name.startswith(("pk_", "uq_", "fk_", "ck_")) for name in own)


def test_snapshots_saved_earlier_get_their_runs(empty_url: str, engine: Engine) -> None:
    config = alembic_config(empty_url)
    runs = [UUID(int=1), UUID(int=2)]
    shown = {"framework": {"name": "Node.js"}, "run_slug": "a", "summary": {}}
    cells = [{"run_id": str(run), "cell_id": str(UUID(int=9)), **shown} for run in (*runs, runs[0])]
    command.downgrade(config, "base")
    command.upgrade(config, "4c0b8d2e97fa")
    with engine.begin() as connection:
        connection.execute(
            text(
                "INSERT INTO comparison (hash, document, is_private) VALUES ('h', :document, false)"
            ),
            {"document": json.dumps({"comparison": {"cells": cells}})},
        )

    command.upgrade(config, "head")

    with engine.begin() as connection:
        (found,) = connection.execute(select(Snapshot.run_ids)).one()
        connection.execute(delete(Snapshot))
    assert sorted(found) == runs


def test_snapshots_saved_earlier_get_a_version_labels_and_a_metric(
    empty_url: str, engine: Engine
) -> None:
    config = alembic_config(empty_url)
    command.upgrade(config, "head")
    command.downgrade(config, "d3a81f60b9e4")
    cell = {"framework": {"name": "Node.js"}, "run_slug": "a", "summary": {"throughput_rps": {}}}
    with engine.begin() as connection:
        connection.execute(
            text(
                "INSERT INTO snapshot (hash, document, run_ids, is_private) VALUES "
                "('old', :old, '{}', false), ('downgraded', :downgraded, '{}', false)"
            ),
            {
                "old": json.dumps({"comparison": {"statistics": "ab" * 32, "cells": [cell]}}),
                "downgraded": json.dumps({"comparison": {"statistics": "1", "cells": []}}),
            },
        )

    command.upgrade(config, "head")

    with engine.begin() as connection:
        deleted = connection.execute(text("DELETE FROM snapshot RETURNING hash, document"))
        documents = {digest: json.loads(document) for digest, document in deleted}
    assert documents == {
        "old": {
            "comparison": {
                "statistics_version": 0,
                "metric": "throughput_rps",
                "sentences": {},
                "cells": [cell | {"label": "Node.js"}],
            }
        },
        "downgraded": {
            "comparison": {
                "statistics_version": 1,
                "metric": "cpu_us_per_request",
                "sentences": {},
                "cells": [],
            }
        },
    }


def test_earlier_changes_get_incidents_and_all_data_a_first_workspace(
    new_database: Callable[[], str],
) -> None:
    engine, config = fill_before_incidents(new_database(), "head")

    query = (
        "SELECT change.metric, incident.builds, incident.announced_at IS NOT NULL "
        "FROM change JOIN incident ON incident.id = change.incident_id ORDER BY change.metric"
    )
    with engine.begin() as connection:
        found = connection.execute(text(query)).all()
        count = connection.scalar(text("SELECT count(*) FROM incident"))
        workspaces = connection.execute(text("SELECT id, slug, name FROM workspace")).all()
        owners = {
            table: set(connection.scalars(text(f"SELECT workspace_id FROM {table}")))  # noqa: S608
            for table in ("run", "change", "incident")
        }
    builds = {"node": {"before": "a", "after": "b"}}
    assert [tuple(row) for row in found] == [
        ("cpu_us_per_request", builds, True),
        ("latency_p50_ms", builds, True),
        ("latency_p99_ms", {}, False),
    ]
    assert count == 2
    ((identifier, *names),) = workspaces
    assert names == ["main", "Main"]
    assert owners == {table: {identifier} for table in ("run", "change", "incident")}
    command.downgrade(config, BEFORE_INCIDENTS)
    engine.dispose()


BEFORE_SOURCES_PER_HOST = "d71b4e9c02f8"
SECOND_HOST = """
INSERT INTO host (id, name, queue, runtime, fingerprint, fingerprint_digest)
VALUES ('00000000-0000-0000-0000-000000000002', 'bench-02', 'bench-02', 'process', '{}', 'd');

INSERT INTO trial (id, run_id, cell_id, host_id, repetition, position, status, environment)
SELECT gen_random_uuid(), run_id, cell_id, '00000000-0000-0000-0000-000000000002', 1,
  9 + position, status, environment
FROM trial WHERE environment #>> '{builds,node}' = 'b';

INSERT INTO trial (id, run_id, cell_id, host_id, repetition, position, status, environment)
SELECT gen_random_uuid(), run_id, cell_id, host_id, 1, 20 + number, 'failed', odd.environment::jsonb
FROM (SELECT * FROM trial LIMIT 1), unnest(ARRAY['{}', '{"builds": null}'])
  WITH ORDINALITY AS odd (environment, number);

INSERT INTO build_source (digest, program, versions, files)
SELECT digest, 'node', '{}', '[]' FROM unnest(ARRAY['a', 'b', 'not measured']) AS digest;
"""


def test_each_host_gets_the_sources_of_the_builds_that_it_measured(
    new_database: Callable[[], str],
) -> None:
    url = new_database()
    engine, config = fill_before_incidents(url, BEFORE_SOURCES_PER_HOST)
    with engine.begin() as connection:
        connection.exec_driver_sql(SECOND_HOST)

    migrate(url)

    query = text(
        "SELECT host.name, digest FROM build_source JOIN host ON host.id = host_id ORDER BY 1, 2"
    )
    with engine.connect() as connection:
        found = [tuple(row) for row in connection.execute(query)]
    assert found == [("bench-01", "a"), ("bench-01", "b"), ("bench-02", "b")]
    command.downgrade(config, BEFORE_SOURCES_PER_HOST)
    with engine.connect() as connection:
        digests = connection.scalars(text("SELECT digest FROM build_source ORDER BY 1")).all()
    assert digests == ["a", "b"]
    migrate(url)
    assert drift(engine) == []
    engine.dispose()


def test_snapshots_of_private_runs_that_were_deleted_stay_private(
    empty_url: str, engine: Engine
) -> None:
    config = alembic_config(empty_url)
    command.upgrade(config, "head")
    command.downgrade(config, "e7a2c5904b1d")
    private, hidden, shown = (str(UUID(int=number)) for number in (1, 2, 3))
    with engine.begin() as connection:
        workspace = connection.scalars(text("SELECT id FROM workspace")).one()
        for name, run, is_private in (
            ("p", private, True),
            ("h", hidden, False),
            ("s", shown, False),
        ):
            connection.execute(
                text(
                    "INSERT INTO snapshot (hash, workspace_id, document, run_ids, is_private) "
                    "VALUES (:name, :workspace, '{}', ARRAY[CAST(:run AS uuid)], :is_private)"
                ),
                {"name": name, "workspace": workspace, "run": run, "is_private": is_private},
            )
        for run, visibility in ((hidden, "private"), (shown, "private"), (shown, "public")):
            connection.execute(
                text(
                    "INSERT INTO audit_event (id, at, workspace_id, actor, action, subject_type, "
                    "subject_id, after) VALUES (gen_random_uuid(), clock_timestamp(), :workspace, "
                    "'ada', 'run.changed', 'run', :run, jsonb_build_object('visibility', "
                    "CAST(:visibility AS text)))"
                ),
                {"workspace": workspace, "run": run, "visibility": visibility},
            )

    command.upgrade(config, "head")

    with engine.begin() as connection:
        rows = connection.execute(text("DELETE FROM snapshot RETURNING hash, private_owners")).all()
    assert {row.hash: row.private_owners for row in rows} == {
        "p": [workspace],
        "h": [workspace],
        "s": [],
    }


def test_saved_snapshots_have_the_new_names(empty_url: str, engine: Engine) -> None:
    config = alembic_config(empty_url)
    old = {"barred": True, "verdicts": [{"bars_ranking": True}], "standing": "barred"}
    command.downgrade(config, "base")
    command.upgrade(config, "a94d37e1c52f")
    with engine.begin() as connection:
        connection.execute(
            text(
                "INSERT INTO snapshot (hash, document, run_ids, is_private) "
                "VALUES ('h', :document, '{}', false)"
            ),
            {"document": json.dumps({"comparison": [old]})},
        )

    command.upgrade(config, "b6d2f0a417c8")

    with engine.begin() as connection:
        (document,) = connection.scalars(text("DELETE FROM snapshot RETURNING document")).all()
    command.upgrade(config, "head")
    assert json.loads(document) == {
        "comparison": [
            {
                "excluded": True,
                "verdicts": [{"excludes_from_ranking": True}],
                "comparability": "excluded",
            }
        ]
    }


def test_pairs_of_saved_snapshots_get_their_state(empty_url: str, engine: Engine) -> None:
    config = alembic_config(empty_url)
    old = {
        "slower": {"ratio": 2.0, "low": 1.9, "high": 2.1, "word": "slower", "power": 0.9},
        "unsure": {"ratio": 1.3, "low": 0.9, "high": 1.9, "word": "inconclusive", "power": 0.1},
        "apart": {"ratio": None, "difference": 0.02, "low": None, "high": None, "word": None},
    }
    command.upgrade(config, "head")
    command.downgrade(config, "4d8e1c60b7f2")
    with engine.begin() as connection:
        connection.execute(
            text(
                "INSERT INTO snapshot (hash, workspace_id, document, run_ids) "
                "SELECT 'h', id, :document, '{}' FROM workspace LIMIT 1"
            ),
            {"document": json.dumps({"comparison": {"pairs": [{"ratios": old}]}})},
        )

    command.upgrade(config, "head")

    with engine.begin() as connection:
        (document,) = connection.scalars(text("SELECT document FROM snapshot")).all()
    ratios = json.loads(document)["comparison"]["pairs"][0]["ratios"]
    command.downgrade(config, "4d8e1c60b7f2")
    with engine.begin() as connection:
        (restored,) = connection.scalars(text("DELETE FROM snapshot RETURNING document")).all()
    command.upgrade(config, "head")
    found = {
        name: (ratio["state"], ratio["is_better"], ratio["words"], ratio["text"])
        for name, ratio in ratios.items()
    }
    assert found == {
        "slower": ("difference", False, "higher", "2× [1.9, 2.1]"),
        "unsure": (
            "cannot_be_told_apart_yet",
            None,
            "cannot be told apart yet",
            "1.3× [0.9, 1.9]",
        ),
        "apart": ("not_comparable", None, "not comparable", "+2 pp"),
    }
    words = json.loads(restored)["comparison"]["pairs"][0]["ratios"]
    assert {name: ratio["word"] for name, ratio in words.items()} == {
        "slower": "slower",
        "unsure": "inconclusive",
        "apart": None,
    }


BEFORE_PARTITIONS = "a9c4e17d60b3"
# An id of August 2025, one of November 2025, and one without a time.
TIMED_IDS = (
    "01990000-0000-7000-8000-000000000001",
    "019a8000-0000-7000-8000-000000000001",
    "ffffffff-0000-4000-8000-000000000001",
)
SECONDS = """
INSERT INTO sample (trial_id, phase, second, requests, failed, errors, bytes_sent, bytes_received,
  dropped, vus, in_flight, latency)
SELECT id, 'measure', second, 10 * second, 0, '{}', 0, 0, 0, 1, 1, '' FROM trial,
  generate_series(0, 2) AS second
"""


def test_seconds_move_into_partitions_and_back(new_database: Callable[[], str]) -> None:
    engine, config = fill_before_incidents(new_database(), BEFORE_PARTITIONS)
    with engine.begin() as connection:
        connection.exec_driver_sql("DELETE FROM trial")
        for identifier in TIMED_IDS:
            connection.execute(
                text(
                    "INSERT INTO trial (id, run_id, cell_id, host_id, repetition, position, "
                    "status) SELECT :id, run.id, cell.id, host_id, 1, 0, 'succeeded' "
                    "FROM cell JOIN run ON run.id = run_id WHERE position = 0"
                ),
                {"id": identifier},
            )
        connection.exec_driver_sql(SECONDS)
        before = connection.exec_driver_sql("SELECT * FROM sample ORDER BY 1, 2, 3").all()

    command.upgrade(config, "head")

    with engine.begin() as connection:
        moved = connection.exec_driver_sql("SELECT * FROM sample ORDER BY 1, 2, 3").all()
        found = connection.exec_driver_sql(
            "SELECT tableoid::regclass::text, count(*) FROM sample GROUP BY 1 ORDER BY 1"
        ).all()
    command.downgrade(config, BEFORE_PARTITIONS)
    with engine.begin() as connection:
        back = connection.exec_driver_sql("SELECT * FROM sample ORDER BY 1, 2, 3").all()
        connection.exec_driver_sql("DELETE FROM run")
        left = connection.scalar(text("SELECT count(*) FROM sample"))
    engine.dispose()
    assert len(before) == 9
    assert moved == before
    assert back == before
    assert [tuple(row) for row in found] == [
        ("sample_2025_08", 3),
        ("sample_2025_11", 3),
        ("sample_default", 3),
    ]
    assert left == 0
