"""Copies the drawn runs inside PostgreSQL, which takes a hundredth of the time of drawing them.

A copy has its own time, host, workspace and visibility. All its values are those of its template,
times one factor, so that summaries and trials agree. Charts and distributions stay as they are.
"""

import time
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

import numpy as np
from sqlalchemy import Connection, text
from sqlalchemy.orm import Session

from backend.core.db import Base, get_engine, unit_of_work
from backend.core.measurement.measurements.partitions import first_of_month
from backend.core.models import (
    Cell,
    CellChart,
    CellMetric,
    CellSummary,
    Host,
    MetricValue,
    Run,
    Sample,
    Trial,
    TrialHistogram,
    TrialLog,
)
from backend.core.runs.slug import new_slug
from backend.core.statuses import RemovalReason, Visibility
from backend.core.units import Metric
from tools.benchmarks.many_runs.size import (
    CALIBRATION_EVERY,
    SCHEDULED_EVERY,
    YEARS,
    Size,
)
from tools.benchmarks.many_runs.templates import Templates

# More runs than that exceed the memory that PostgreSQL has for one statement.
_CHUNK_RUNS = 500
_CONNECTIONS = 2
_RUN_TO_RUN_SD = 0.02
# Runs of the first workspace, and of all others together; and of each visibility.
_FIRST_WORKSPACE_SHARE = 0.6
_VISIBILITIES = {Visibility.PUBLIC: 0.7, Visibility.UNLISTED: 0.15, Visibility.PRIVATE: 0.15}
# Half of the runs with a schedule are of the first one, on all hosts in turn.
_FIRST_SCHEDULE_EVERY = 2 * SCHEDULED_EVERY
_CONSTANT = (
    Metric.SUCCESS_RATIO,
    Metric.REQUEST_BYTES,
    Metric.RESPONSE_BYTES,
    Metric.IMAGE_BYTES,
)
_SAME = "(" + ", ".join(f"'{metric}'" for metric in _CONSTANT) + ")"
_FACTOR = f"CASE WHEN old.metric IN {_SAME} THEN 1 ELSE new.factor END"
_PREPARE = """
CREATE UNLOGGED TABLE scale_copy (
  number integer PRIMARY KEY, template uuid NOT NULL, run_id uuid NOT NULL, slug text NOT NULL,
  at timestamptz NOT NULL, ms bigint NOT NULL, host_id uuid NOT NULL, workspace_id uuid NOT NULL,
  visibility text NOT NULL, requested_by text NOT NULL, factor float8 NOT NULL,
  has_seconds boolean NOT NULL, schedule integer
);
CREATE FUNCTION scale_id(ms bigint, run uuid, template uuid) RETURNS uuid LANGUAGE sql IMMUTABLE
RETURN overlay(overlay(md5(run::text || template::text)
  PLACING lpad(to_hex(ms), 12, '0') || '7' FROM 1 FOR 13) PLACING '8' FROM 17 FOR 1)::uuid;
"""
_CHUNK_TABLES = """
CREATE TEMP TABLE IF NOT EXISTS new_cell (id uuid, old_id uuid, at timestamptz, factor float8)
  ON COMMIT DELETE ROWS;
CREATE TEMP TABLE IF NOT EXISTS new_trial (id uuid, old_id uuid, factor float8, has_seconds boolean)
  ON COMMIT DELETE ROWS;
INSERT INTO new_cell
  SELECT scale_id(copy.ms, copy.run_id, old.id), old.id, copy.at, copy.factor
  FROM scale_copy AS copy JOIN cell AS old ON old.run_id = copy.template
  WHERE copy.number >= {first} AND copy.number < {end};
INSERT INTO new_trial
  SELECT scale_id(copy.ms, copy.run_id, old.id), old.id, copy.factor, copy.has_seconds
  FROM scale_copy AS copy JOIN trial AS old ON old.run_id = copy.template
  WHERE copy.number >= {first} AND copy.number < {end};
ANALYZE new_cell;
ANALYZE new_trial;
"""


def write_plan(
    session: Session,
    hosts: Sequence[Host],
    workspaces: Sequence[UUID],
    people: Sequence[str],
    templates: Templates,
    size: Size,
) -> int:
    """Store the template of each copied run, and return the number of copies."""
    session.execute(text(_PREPARE))
    rng = np.random.default_rng(3)
    count = size.runs - size.templates
    age = timedelta(days=365 * YEARS)
    # The templates are newer than all copies.
    begin = datetime.now(UTC) - age - timedelta(hours=3)
    names = (
        "number, template, run_id, slug, at, ms, host_id, workspace_id, visibility, "
        "requested_by, factor, has_seconds, schedule"
    )
    driver: Any = session.connection().connection.driver_connection
    with driver.cursor() as cursor, cursor.copy(f"COPY scale_copy ({names}) FROM STDIN") as copy:
        for number in range(count):
            at = begin + age * (number / count)
            ms = int(at.timestamp() * 1000)
            template, host, schedule = _choose(rng, hosts, templates, number)
            is_first = schedule is not None or rng.random() < _FIRST_WORKSPACE_SHARE
            workspace = workspaces[0 if is_first else int(rng.integers(1, len(workspaces)))]
            visibility = rng.choice(list(_VISIBILITIES), p=list(_VISIBILITIES.values()))
            copy.write_row(
                (
                    number,
                    template,
                    _make_id(rng, ms),
                    new_slug(),
                    at,
                    ms,
                    host.id,
                    workspace,
                    str(visibility),
                    people[int(rng.integers(len(people)))],
                    float(np.exp(rng.normal(0, _RUN_TO_RUN_SD))),
                    begin + age - at < size.time_with_seconds,
                    schedule,
                )
            )
    session.execute(text("ANALYZE scale_copy"))
    return count


def copy_runs(count: int, size: Size) -> None:
    """Insert the planned copies, oldest first, over several connections."""
    with unit_of_work() as session:
        _create_partitions(session, size)
    begin = time.monotonic()
    done = 0
    with ThreadPoolExecutor(_CONNECTIONS) as pool:
        starts = range(0, count, _CHUNK_RUNS)
        for _ in pool.map(lambda first: _copy_chunk(first, first + _CHUNK_RUNS), starts):
            done = min(done + _CHUNK_RUNS, count)
            print(f"\r{done:>9,} runs after {time.monotonic() - begin:.0f} s", end="", flush=True)
    print()


def clean_up(session: Session) -> None:
    """Drop the plan and its function."""
    session.execute(text("DROP TABLE scale_copy"))
    session.execute(text("DROP FUNCTION scale_id"))


def disable_triggers(connection: Connection | Session) -> None:
    """Check no foreign keys and raise no versions until the end of the transaction.

    Triggers would take most of the time.
    """
    connection.execute(text("SET LOCAL session_replication_role = replica"))


def _choose(
    rng: np.random.Generator, hosts: Sequence[Host], templates: Templates, number: int
) -> tuple[UUID, Host, int | None]:
    """Return template, host and schedule of a copy."""
    if number % CALIBRATION_EVERY == 1:
        return templates.calibration, hosts[number // CALIBRATION_EVERY % len(hosts)], None
    if number % _FIRST_SCHEDULE_EVERY == 0:
        host = hosts[number // _FIRST_SCHEDULE_EVERY % len(hosts)]
        return templates.scheduled[0], host, 0
    if number % SCHEDULED_EVERY == 0:
        schedule = 1 + number // _FIRST_SCHEDULE_EVERY % (len(templates.scheduled) - 1)
        return templates.scheduled[schedule], hosts[schedule % len(hosts)], schedule
    host = hosts[int(rng.integers(len(hosts)))]
    return templates.others[int(rng.integers(len(templates.others)))], host, None


def _make_id(rng: np.random.Generator, ms: int) -> UUID:
    """Return a UUIDv7 of this time."""
    high, low = int(rng.integers(1 << 12)), int(rng.integers(1 << 62))
    return UUID(int=(ms << 80) | (7 << 76) | (high << 64) | (2 << 62) | low)


def _create_partitions(session: Session, size: Size) -> None:
    today = datetime.now(UTC).date()
    month = first_of_month(today - size.time_with_seconds - timedelta(days=1))
    while month <= today:
        session.execute(text("SELECT create_sample_partition(:month)"), {"month": month})
        month = first_of_month(month, 1)


def _copy_chunk(first: int, end: int) -> None:
    planned = f"scale_copy AS copy JOIN {{}} ON copy.number >= {first} AND copy.number < {end} AND "
    statements = [
        _write_insert(Run, planned.format("run AS old") + "old.id = copy.template", _RUN),
        *(
            _write_insert(
                model, planned.format(f"{name} AS old") + "old.run_id = copy.template", row
            )
            for model, name, row in (
                (Cell, "cell", _CELL),
                (Trial, "trial", _TRIAL),
                (CellSummary, "cell_summary", _SUMMARY),
            )
        ),
        *(
            _write_insert(
                model, f"new_cell AS new JOIN {name} AS old ON old.cell_id = new.old_id", row
            )
            for model, name, row in (
                (CellMetric, "cell_metric", _CELL_METRIC),
                (CellChart, "cell_chart", {"cell_id": "new.id"}),
            )
        ),
        *(
            _write_insert(
                model,
                f"new_trial AS new JOIN {name} AS old ON old.trial_id = new.old_id{condition}",
                {"trial_id": "new.id"} | row,
            )
            for model, name, row, condition in (
                (TrialHistogram, "histogram", {}, ""),
                (MetricValue, "metric_value", {"value": f"old.value * {_FACTOR}"}, ""),
                (Sample, "sample", {}, " AND new.has_seconds"),
                (TrialLog, "trial_log", {}, " AND new.has_seconds"),
            )
        ),
    ]
    with get_engine().begin() as connection:
        disable_triggers(connection)
        connection.execute(text(_CHUNK_TABLES.format(first=first, end=end)))
        for statement in statements:
            connection.execute(text(statement))


def _write_insert(model: type[Base], source: str, changed: Mapping[str, str]) -> str:
    """Return the statement that inserts each row of `source`, with other values in some columns."""
    names = model.__table__.columns.keys()
    values = ", ".join(changed.get(name, f"old.{name}") for name in names)
    columns = ", ".join(f'"{name}"' for name in names)
    return f"INSERT INTO {model.__tablename__} ({columns}) SELECT {values} FROM {source}"  # noqa: S608


def _child(template: str) -> str:
    return f"scale_id(copy.ms, copy.run_id, {template})"


def _later(name: str, first: str) -> str:
    """A time of a copy, as long after its creation as in its template."""
    return f"copy.at + (old.{name} - {first})"


_REMOVED_AT = "CASE WHEN copy.has_seconds THEN NULL ELSE now() - interval '1 day' END"
_CREATED_AT = "old.created_at"
_RUN = {
    "id": "copy.run_id",
    "workspace_id": "copy.workspace_id",
    "slug": "copy.slug",
    "visibility": "copy.visibility",
    "host_id": "copy.host_id",
    "requested_by": "copy.requested_by",
    "created_at": "copy.at",
    "started_at": _later("started_at", _CREATED_AT),
    "finished_at": _later("finished_at", _CREATED_AT),
    "finalized_at": _later("finalized_at", _CREATED_AT),
    "seconds_removed_at": _REMOVED_AT,
    "logs_removed_at": _REMOVED_AT,
    "removal_reason": f"CASE WHEN copy.has_seconds THEN NULL ELSE '{RemovalReason.RETENTION}' END",
}
_CELL = {"id": _child("old.id"), "run_id": "copy.run_id"}
_TRIAL = _CELL | {
    "cell_id": _child("old.cell_id"),
    "host_id": "copy.host_id",
    "started_at": "copy.at",
    "finished_at": _later("finished_at", "old.started_at"),
}
_SUMMARY = {
    "cell_id": _child("old.cell_id"),
    "run_id": "copy.run_id",
    "workspace_id": "copy.workspace_id",
    "host_id": "copy.host_id",
    "at": "copy.at",
}
_CELL_METRIC = {
    "cell_id": "new.id",
    "at": "new.at",
    "mean_log": f"old.mean_log + ln({_FACTOR})",
} | {name: f"old.{name} * {_FACTOR}" for name in ("estimate", "low", "high")}
