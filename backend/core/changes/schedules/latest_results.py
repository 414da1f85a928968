"""The newest result of each schedule, compared with the result before it."""

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import NamedTuple
from uuid import UUID

from sqlalchemy import exists, select, true
from sqlalchemy.orm import Session

from backend.core.computed_once import ComputedOnce
from backend.core.measurement.instrument.disagreement import NO_ERROR, InstrumentError
from backend.core.measurement.instrument.service import find_errors
from backend.core.measurement.statistics.comparison import (
    EQUIVALENCE_RATIO,
    Comparison,
    Instrument,
    LogSummary,
    PairState,
    compare_summaries,
)
from backend.core.measurement.statistics.multiple_tests import find_holm_confidences
from backend.core.models import CellMetric, CellSummary, Host, Run, Schedule, ScheduledRun
from backend.core.people.access.viewer import Viewer
from backend.core.results.repository import is_excluded_from_history
from backend.core.runs.visibility import is_listed
from backend.core.units import MAIN_METRICS, METRICS, Metric, find_main_metric

_ALPHA = 0.05
# Results of different runs also differ by more than their trials do, so the interval is widened.
_RUN_TO_RUN = Instrument(error_ratio=EQUIVALENCE_RATIO)
# Pairs of runs whose differences a process remembers.
_MOST_KNOWN = 2_000


@dataclass(frozen=True)
class ResultShift:
    """A result that differs from the result before it."""

    framework: str
    scenario: str
    metric: Metric
    found: Comparison


@dataclass(frozen=True)
class ScheduleResult:
    """The newest ended run of a schedule on a host, compared with the run before it.

    Attributes:
        run_id, created_at: of the newest run.
        previous: slug of the run before it on the same host, with which it is compared; None
            without one.
        compared: number of results with the same conditions in both runs.
        shifts: the results that differ, the largest difference first.
    """

    schedule_id: UUID
    run_id: UUID
    created_at: datetime
    previous: str | None
    compared: int
    shifts: Sequence[ResultShift]


def list_latest_results(
    session: Session, schedule_ids: Collection[UUID], viewer: Viewer
) -> dict[UUID, ScheduleResult]:
    """Return the newest result by schedule, for runs that the viewer sees.

    Of several hosts, the one with the most shifts counts. Each result is compared in its main
    metric (Welch's t on logs). The results of a run are corrected together (Holm). Trials of one
    run do not show how much runs differ, so only differences beyond 3 % count, or beyond the
    minimum detectable difference of a calibrated host.
    """
    compared = _compare_all(session, _list_newest_two(session, schedule_ids, viewer))
    latest: dict[UUID, ScheduleResult] = {}
    for found in sorted(compared, key=lambda r: (r.created_at, len(r.shifts)), reverse=True):
        latest.setdefault(found.schedule_id, found)
    return latest


class _ScheduledHead(NamedTuple):
    """A run of a schedule."""

    schedule_id: UUID
    host_id: UUID
    host: str
    run_id: UUID
    slug: str
    created_at: datetime
    finalized_at: datetime


# The newest run of a schedule on a host, and the run before it if there is one.
_HeadPair = tuple[_ScheduledHead, ...]


class _Question(NamedTuple):
    """A pair of runs, and the errors of their host by its fingerprint digest."""

    heads: _HeadPair
    errors: frozenset[tuple[str, InstrumentError]]


# A finalized run does not change, so each pair is compared once in each process. A new calibration
# changes the errors of the host.
_compared: ComputedOnce[_Question, ScheduleResult] = ComputedOnce(_MOST_KNOWN)


class _Result(NamedTuple):
    summary: CellSummary
    metrics: Mapping[Metric, LogSummary]

    @property
    def key(self) -> tuple[str, ...]:
        """Return what two results must share to be compared."""
        own = self.summary
        parameters = json.dumps(own.parameters, sort_keys=True)
        conditions = (own.runtime, own.host_digest, own.harness_digest, own.scenario_digest)
        return (own.framework, own.scenario, own.profile, parameters, *conditions)


def _list_newest_two(
    session: Session, schedule_ids: Collection[UUID], viewer: Viewer
) -> list[_HeadPair]:
    """Return the newest two finalized runs with results of each schedule on each of its hosts.

    The newest run comes first.
    """
    # Only the newest rows of an index are read, however long a schedule has been running.
    pair = (
        select(Run.id, Run.slug, Run.created_at, Run.finalized_at)
        .join(ScheduledRun, ScheduledRun.run_id == Run.id)
        .where(
            ScheduledRun.schedule_id == Schedule.id,
            ScheduledRun.host_id == Host.id,
            Run.finalized_at.is_not(None),
            is_listed(viewer),
            exists().where(CellSummary.run_id == Run.id),
        )
        .order_by(ScheduledRun.due_at.desc(), Run.id.desc())
        .limit(2)
        .lateral()
    )
    query = (
        select(Schedule.id, Host.id, Host.name, pair)
        .select_from(Schedule)
        .join(Host, true())
        .join(pair, true())
        .where(Schedule.id.in_(schedule_ids))
        .order_by(Schedule.id, pair.c.created_at.desc(), pair.c.id)
    )
    found: dict[tuple[UUID, UUID], list[_ScheduledHead]] = {}
    for head in map(_ScheduledHead._make, session.execute(query)):
        found.setdefault((head.schedule_id, head.host_id), []).append(head)
    return [tuple(heads) for heads in found.values()]


def _compare_all(session: Session, pairs: Sequence[_HeadPair]) -> list[ScheduleResult]:
    """Return the newest result of each pair."""
    hosts = {pair[0].host for pair in pairs}
    errors_of: dict[str, set[tuple[str, InstrumentError]]] = {host: set() for host in hosts}
    for (host, digest), error in (find_errors(session, hosts) if hosts else {}).items():
        errors_of[host].add((digest, error))
    known = {host: frozenset(errors) for host, errors in errors_of.items()}
    questions = [_Question(pair, known[pair[0].host]) for pair in pairs]

    def compute(missing: Collection[_Question]) -> dict[_Question, ScheduleResult]:
        run_ids = [run.run_id for question in missing for run in question.heads]
        results = _read_results(session, run_ids)
        return {question: _compare_runs(question, results) for question in missing}

    compared = _compared.read(questions, compute)
    return [compared[question] for question in questions]


def _read_results(session: Session, run_ids: Collection[UUID]) -> dict[UUID, list[_Result]]:
    """Return the results that no verdict excludes from histories, by run."""
    cells = session.scalars(
        select(CellSummary).where(CellSummary.run_id.in_(run_ids), ~is_excluded_from_history())
    ).all()
    metrics: dict[UUID, dict[Metric, LogSummary]] = {cell.cell_id: {} for cell in cells}
    values = select(
        CellMetric.cell_id, CellMetric.metric, CellMetric.n, CellMetric.mean_log, CellMetric.sd_log
    ).where(
        CellMetric.cell_id.in_(metrics),
        CellMetric.metric.in_(MAIN_METRICS),
    )
    for cell_id, metric, n, mean, deviation in session.execute(values):
        if mean is not None:
            metrics[cell_id][metric] = LogSummary(n, mean, deviation)
    results: dict[UUID, list[_Result]] = {run_id: [] for run_id in run_ids}
    for cell in cells:
        results[cell.run_id].append(_Result(cell, metrics[cell.cell_id]))
    return results


def _compare_runs(question: _Question, results: Mapping[UUID, Sequence[_Result]]) -> ScheduleResult:
    newest, *earlier = question.heads
    before = {old.key: old for run in earlier for old in results[run.run_id]}
    compared = [
        shift
        for new in results[newest.run_id]
        if (old := before.get(new.key)) is not None
        and (shift := _compare_results(new, old, dict(question.errors))) is not None
    ]
    return ScheduleResult(
        newest.schedule_id,
        newest.run_id,
        newest.created_at,
        earlier[0].slug if earlier else None,
        len(compared),
        _select_shifts(compared),
    )


def _compare_results(
    new: _Result, old: _Result, errors: Mapping[str, InstrumentError]
) -> ResultShift | None:
    """Return the difference of two results in their main metric.

    None without positive values of both.
    """
    summary = new.summary
    known = new.metrics.keys() & old.metrics.keys()
    metric = find_main_metric(summary.kind, known)
    if metric not in known:
        return None
    error = errors.get(summary.host_digest, NO_ERROR).describe(metric, summary.kind)
    found = compare_summaries(
        new.metrics[metric],
        old.metrics[metric],
        METRICS[metric].direction,
        _RUN_TO_RUN.combine(error),
    )
    return ResultShift(summary.framework, summary.scenario, metric, found)


def _select_shifts(compared: Sequence[ResultShift]) -> list[ResultShift]:
    """Return the results of a run that differ, the largest difference first."""
    tested = [item for item in compared if item.found.p_value is not None]
    confidences = find_holm_confidences([item.found.p_value or 0.0 for item in tested], _ALPHA)
    adjusted = [
        replace(item, found=item.found.at_confidence(confidence))
        for item, confidence in zip(tested, confidences, strict=True)
    ]
    different = [item for item in adjusted if item.found.state is PairState.DIFFERENCE]
    return sorted(different, key=lambda item: -item.found.size)
