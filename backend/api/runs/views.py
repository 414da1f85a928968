"""Runs as the API shows them."""

from collections.abc import Collection, Mapping, Sequence
from datetime import UTC, datetime
from statistics import fmean
from typing import Any
from uuid import UUID

from sqlalchemy.orm import Session

from backend.api.runs.schemas import (
    CellOut,
    GateOut,
    Progress,
    RunIn,
    RunListItem,
    RunOut,
    SloCheckOut,
    TrialOut,
)
from backend.api.schemas import FrameworkRef
from backend.api.views import framework_ref, metric_summary, scenario_ref, verdict_out
from backend.core.measurements import repository as measurements
from backend.core.models import Cell, Run, Trial
from backend.core.results.cell_summary import summarise_cell
from backend.core.results.environment import shared_by, without
from backend.core.runs import repository
from backend.core.runs.progress import expected_trial_seconds, measure_progress
from backend.core.runs.service import NewCell, NewRun
from backend.core.runs.status import RUN_ENDS, STAGES
from backend.core.runs.visibility import list_listed
from backend.core.slos.gate import JudgedCell, SloCheck
from backend.core.slos.service import check_run
from backend.core.statistics.estimate import Estimate
from backend.core.statuses import RunStatus, TrialStatus
from backend.core.units import METRICS, Metric, Purpose, Verdict
from backend.links import run_page

# Safe by default: an export or an event stream may be passed on to anyone.
_ANONYMOUS = list_listed(is_trusted=False)


def new_run(body: RunIn) -> NewRun:
    """What a request asks for, not yet checked."""
    return NewRun(
        cells=[
            NewCell(cell.framework, cell.scenario, cell.profile, cell.parameters)
            for cell in body.cells
        ],
        trials=body.trials,
        title=body.title,
        host=body.host,
        visibility=body.visibility,
        purpose=Purpose(body.purpose or Purpose.COMPARISON),
    )


def run_list(session: Session, runs: Sequence[Run], listed: Collection[str]) -> list[RunListItem]:
    """Return runs for a list: without cells and trials; other runs count if they are `listed`."""
    counts = repository.count_trials(session, [run.id for run in runs])
    return [
        RunListItem.model_validate(
            _head(run, run_progress(session, run, counts[run.id], listed=listed))
        )
        for run in runs
    ]


def run_out(session: Session, run: Run, listed: Collection[str] = _ANONYMOUS) -> RunOut:
    """Return a whole run: its cells summed up, its trials with their numbers.

    Args:
        listed: visibilities of the other runs that it may link to and count.
    """
    counts = repository.count_trials(session, [run.id])[run.id]
    metrics = measurements.list_metrics(session, [trial.id for trial in run.trials])
    trials_of: dict[UUID, list[Trial]] = {cell.id: [] for cell in run.cells}
    for trial in run.trials:
        trials_of[trial.cell_id].append(trial)
    cells = [cell_out(cell, trials_of[cell.id], metrics, run.trials) for cell in run.cells]
    environment, environments = _part_environments(run)
    for cell in cells:
        cell.environment = environments.get(cell.id, {})
    return RunOut.model_validate(
        _head(run, run_progress(session, run, counts, _current_start(run), listed=listed))
        | {
            "seed": run.seed,
            "rerun_of": repository.find_linkable(session, run.rerun_of_id, listed),
            "environment": environment or {"host": run.host.fingerprint},
            "cells": cells,
            "gate": gate_out(session, cells) if run.status in RUN_ENDS else None,
            "finalization_failure": _finalization_failure(run),
            "trials": [trial_out(trial, metrics.get(trial.id, {})) for trial in run.trials],
        }
    )


def _current_start(run: Run) -> datetime | None:
    return next((trial.started_at for trial in run.trials if trial.status in STAGES), None)


def _part_environments(run: Run) -> tuple[dict[str, Any], dict[UUID, dict[str, Any]]]:
    """What the good trials of a run share (without any: all that tell), and of each cell's first
    what is its own.
    """
    told = [trial for trial in run.trials if trial.environment]
    good = [trial for trial in told if trial.status == TrialStatus.SUCCEEDED] or told
    shared = shared_by([trial.environment for trial in good])
    firsts = {trial.cell_id: trial.environment for trial in reversed(good)}
    return shared, {cell_id: without(own, shared) for cell_id, own in firsts.items()}


def _finalization_failure(run: Run) -> dict[str, Any] | None:
    if run.finalization_error is None:
        return None
    return {
        "detail": run.finalization_error,
        "attempts": run.finalization_attempts,
        "next_at": run.finalize_after,
    }


def gate_out(session: Session, cells: Sequence[CellOut]) -> GateOut | None:
    """The limits that hold for these cells of an ended run; None where none does."""
    judged = [
        JudgedCell(
            id=cell.id,
            framework=cell.framework.slug,
            scenario=cell.scenario.slug,
            profile=cell.profile,
            estimates={
                Metric(metric): Estimate(one.estimate, one.low, one.high, one.n)
                for metric, one in cell.summary.items()
            },
            excluded=cell.excluded,
        )
        for cell in cells
    ]
    checks = [_check_out(check) for check in check_run(session, judged)]
    return GateOut(passed=all(one.passed for one in checks), checks=checks) if checks else None


def _check_out(check: SloCheck) -> SloCheckOut:
    info = METRICS[check.slo.metric]
    return SloCheckOut(
        slo_id=check.slo.id,
        cell_id=check.cell.id,
        metric=info.metric,
        limit=check.slo.limit,
        estimate=check.estimate,
        unit=info.unit,
        direction=info.direction,
        passed=check.passed,
        detail=check.detail,
    )


def run_progress(
    session: Session,
    run: Run,
    counts: Mapping[TrialStatus, int],
    began_at: datetime | None = None,
    *,
    listed: Collection[str] = _ANONYMOUS,
) -> Progress:
    """Return how far a run is.

    Args:
        began_at: when its current trial started.
        listed: visibilities of the runs that are counted ahead of it in the queue.
    """
    elapsed = 0.0
    if began_at is not None:
        elapsed = max(0.0, (datetime.now(UTC) - began_at).total_seconds())
    mean_seconds = fmean(expected_trial_seconds(cell.parameters) for cell in run.cells)
    progress = measure_progress(counts, mean_seconds, elapsed)
    queued = run.status == RunStatus.QUEUED
    return Progress(
        trials_total=progress.trials_total,
        trials_finished=progress.trials_finished,
        trials_failed=progress.trials_failed,
        share=progress.share,
        queue_position=repository.count_runs_ahead(session, run, listed) if queued else None,
        estimated_seconds_left=progress.estimated_seconds_left,
    )


def cell_out(
    cell: Cell,
    trials: Sequence[Trial],
    metrics: Mapping[UUID, Mapping[Metric, float]],
    peers: Sequence[Trial],
) -> CellOut:
    """A cell with each metric's estimate and interval over its trials; `peers` are all trials of
    its run.
    """
    summary = summarise_cell(trials, metrics, peers)
    return CellOut(
        id=cell.id,
        framework=_cell_framework(cell),
        scenario=scenario_ref(cell.scenario),
        profile=cell.profile,
        kind=cell.kind,
        parameters=cell.parameters,
        builds=cell.builds,
        trials_succeeded=summary.trials_succeeded,
        trials_failed=summary.trials_failed,
        excluded=summary.excluded,
        verdicts=[verdict_out(one.verdict, one.detail, one.trials) for one in summary.verdicts],
        summary={
            metric: metric_summary(metric, value) for metric, value in summary.estimates.items()
        },
    )


def _cell_framework(cell: Cell) -> FrameworkRef:
    """Return the cell's framework; in a confirmation run its name includes the build."""
    found = framework_ref(cell.framework)
    if cell.builds is None:
        return found
    digest = cell.builds.get(cell.framework.slug) or next(iter(cell.builds.values()))
    age = "old" if cell.position == 0 else "new"
    return found.model_copy(update={"name": f"{found.name}, {age} build {digest[:8]}"})


def trial_out(trial: Trial, metrics: Mapping[Metric, float]) -> TrialOut:
    return TrialOut.model_validate(trial_fields(trial, metrics))


def trial_fields(trial: Trial, metrics: Mapping[Metric, float]) -> dict[str, Any]:
    """What every view of a trial shows."""
    verdicts = trial.verdicts
    if not verdicts and trial.status == TrialStatus.SUCCEEDED:
        verdicts = [{"verdict": Verdict.OK, "detail": "Nothing speaks against these numbers."}]
    return {
        "id": trial.id,
        "cell_id": trial.cell_id,
        "repetition": trial.repetition,
        "position": trial.position,
        "status": trial.status,
        "attempt": trial.attempt,
        "runtime": trial.runtime,
        "started_at": trial.started_at,
        "finished_at": trial.finished_at,
        "stage_seconds": trial.stage_seconds,
        "verdicts": [verdict_out(one["verdict"], one["detail"], 1) for one in verdicts],
        "failure": trial.failure,
        "retried_failures": trial.retried_failures,
        "metrics": dict(metrics),
    }


def _head(run: Run, progress: Progress) -> dict[str, Any]:
    frameworks = {cell.framework.slug: framework_ref(cell.framework) for cell in run.cells}
    scenarios = {cell.scenario.slug: scenario_ref(cell.scenario) for cell in run.cells}
    return {
        "id": run.id,
        "slug": run.slug,
        "title": run.title,
        "status": run.status,
        "visibility": run.visibility,
        "purpose": run.purpose,
        "permalink": run_page(run.slug),
        "host": run.host.name,
        "runtime": run.host.runtime,
        "frameworks": list(frameworks.values()),
        "scenarios": list(scenarios.values()),
        "trials_per_cell": run.trials_per_cell,
        "progress": progress,
        "study": {"slug": run.study, "variant": run.study_variant} if run.study else None,
        "example": run.example,
        "cancel_requested": run.cancel_requested_at is not None,
        "created_at": run.created_at,
        "started_at": run.started_at,
        "finished_at": run.finished_at,
    }
