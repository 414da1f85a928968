"""Runs that the product's own code summarises. All other ended runs are copies of them."""

from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from multiprocessing import get_context
from typing import Any
from uuid import UUID

import numpy as np
from sqlalchemy import text
from sqlalchemy.orm import Session

from backend.core.catalog import repository as catalog
from backend.core.catalog.manifest import ScenarioManifest
from backend.core.catalog.profiles import find_profile, resolve_parameters
from backend.core.db import unit_of_work
from backend.core.documents import Failure
from backend.core.models import Host
from backend.core.results.calibration.plan import plan_calibration
from backend.core.units import FailureCause, Purpose
from tools.benchmarks.many_runs.fleet import RUNTIME, describe_environment
from tools.benchmarks.many_runs.size import SECONDS, Size
from tools.benchmarks.scale import Rows, SeededPair, choose_pairs, draw_pairs, draw_run
from tools.benchmarks.seed_scale import put_runs, put_shapes

_BATCH = 10
# Of the runs that no schedule repeats: every twentieth failed, and every fortieth was cancelled.
_FAILED_EVERY = 20
_CANCELLED_EVERY = 40
_SPAN = timedelta(hours=2)
_FAILURE = Failure(
    code="service_exited",
    title="The service ended",
    detail="It ended with code 1.",
    cause=FailureCause.SERVICE,
    stage="starting",
)


@dataclass(frozen=True)
class Templates:
    """Ids of the drawn runs: those that schedules repeat, others, and one calibration."""

    scheduled: Sequence[UUID]
    others: Sequence[UUID]
    calibration: UUID


def draw_pairs_at_once(session: Session, rng: np.random.Generator) -> list[SeededPair]:
    """Return the framework × scenario pairs, with loads of `SECONDS` without a warm-up."""
    span = {"warm_up_seconds": 0, "duration_seconds": SECONDS}
    return [
        replace(pair, parameters=pair.parameters | span)
        for pair in draw_pairs(session, rng, 1)
        if pair.scenario.slug != "calibration"
    ]


def write_templates(hosts: Sequence[Host], size: Size) -> Templates:
    """Store the drawn runs with summaries, charts, seconds and outcomes; return their ids."""
    rng = np.random.default_rng(1)
    now = datetime.now(UTC)
    with unit_of_work() as session:
        pairs = draw_pairs_at_once(session, rng)
        calibration = _draw_calibration(session, rng, hosts[0], now - _SPAN)
        shapes = put_shapes(session, rng)
    drawn = [
        # The first run is the nightly one of `choose_pairs`.
        draw_run(
            rng,
            hosts[number % len(hosts)],
            choose_pairs(rng, pairs, 10 * number + min(number, 1)),
            number,
            now - _SPAN + number * _SPAN / size.templates,
        )
        for number in range(size.templates)
    ]
    ended = [
        row if number < size.schedules else _end_early(row, number)
        for number, row in enumerate(drawn)
    ]
    rows = [_adapt(row) for row in (*ended, calibration)]
    with ProcessPoolExecutor(mp_context=get_context("spawn")) as pool:
        tasks = [
            pool.submit(put_runs, first, rows[first : first + _BATCH], shapes, SECONDS)
            for first in range(0, len(rows), _BATCH)
        ]
        for task in tasks:
            task.result()
    with unit_of_work() as session:
        session.execute(text("DROP TABLE scale_shape"))
    ids = [row.run["id"] for row in drawn]
    return Templates(ids[: size.schedules], ids[size.schedules :], calibration.run["id"])


def _draw_calibration(session: Session, rng: np.random.Generator, host: Host, at: datetime) -> Rows:
    cells: Any = plan_calibration(host.name, is_full=False)["cells"]
    pairs = [_plan_pair(session, cell) for cell in cells]
    row = draw_run(rng, host, pairs, 0, at)
    return replace(row, run=row.run | {"purpose": Purpose.CALIBRATION, "title": "Calibration"})


def _plan_pair(session: Session, cell: dict[str, Any]) -> SeededPair:
    framework = catalog.get_framework(session, cell["framework"])
    scenario = catalog.get_scenario(session, cell["scenario"])
    manifest = ScenarioManifest.model_validate(scenario.manifest)
    profile = find_profile(manifest, cell["profile"])
    assert profile is not None
    resolved, _ = resolve_parameters(profile, {})
    parameters = resolved[0] | cell["parameters"]
    return SeededPair(framework, scenario, profile.slug, profile.kind, parameters, 1.0, ())


def _end_early(row: Rows, number: int) -> Rows:
    """Let some runs fail in their second cell, and others be cancelled halfway."""
    if number % _CANCELLED_EVERY == 1:
        half = len(row.trials) // 2
        trials = [
            trial | ({"status": "cancelled"} if trial["position"] >= half else {})
            for trial in row.trials
        ]
        return replace(row, run=row.run | {"status": "cancelled"}, trials=trials)
    if number % _FAILED_EVERY == 2:
        failed = row.cells[-1]["id"]
        failure = {"status": "failed", "failure": _FAILURE.model_dump(mode="json")}
        trials = [trial | (failure if trial["cell_id"] == failed else {}) for trial in row.trials]
        return replace(row, run=row.run | {"status": "failed"}, trials=trials)
    return row


def _adapt(row: Rows) -> Rows:
    """Give the trials of a run the environment of the hosts."""
    environments = {
        cell["id"]: describe_environment(cell["framework_digest"], cell["scenario_digest"])
        for cell in row.cells
    }
    trials = [
        {"failure": None}
        | trial
        | {"runtime": RUNTIME, "environment": environments[trial["cell_id"]]}
        for trial in row.trials
    ]
    return replace(row, trials=trials)
