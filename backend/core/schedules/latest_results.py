"""The newest result of each schedule, compared with the result before it."""

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from uuid import UUID

from sqlalchemy import exists, select, true
from sqlalchemy.orm import Session, aliased, selectinload

from backend.core.access.viewer import Viewer
from backend.core.models import Cell, CellMetric, CellSummary, Run, ScheduledRun
from backend.core.runs.visibility import is_listed
from backend.core.statistics.comparison import (
    EQUIVALENCE_RATIO,
    Comparison,
    Instrument,
    LogSummary,
    Word,
    compare_summaries,
)
from backend.core.statistics.multiple_tests import find_holm_confidences
from backend.core.units import METRICS, Metric, find_main_metric

_ALPHA = 0.05
# Results of different runs also differ by more than their trials do, so the interval is widened.
_RUN_TO_RUN_RATIO = EQUIVALENCE_RATIO


@dataclass(frozen=True)
class ResultShift:
    """A result that differs significantly from the result before it."""

    framework: str
    scenario: str
    metric: Metric
    found: Comparison


@dataclass(frozen=True)
class ScheduleResult:
    """The newest ended run of a schedule; of several hosts, the one with the most shifts.

    Attributes:
        previous: slug of the run before it on the same host, with which it is compared; None
            without one.
        compared: number of results with the same conditions in both runs.
        shifts: the results that differ, the largest difference first.
    """

    run: Run
    previous: str | None
    compared: int
    shifts: Sequence[ResultShift]


def list_latest_results(
    session: Session, schedule_ids: Collection[UUID], viewer: Viewer
) -> dict[UUID, ScheduleResult]:
    """Return the newest result by schedule, for runs that the viewer sees.

    Each result is compared in its main metric (Welch's t on logs). The results of a run are
    corrected together (Holm). Trials of one run do not show how much runs differ, so only
    differences beyond 3 % count.
    """
    pairs = _list_newest_two(session, schedule_ids, viewer)
    results = _read_results(session, [run.id for _, pair in pairs for run in pair])
    latest: dict[UUID, ScheduleResult] = {}
    for schedule_id, pair in pairs:
        found = _compare(pair, results)
        if schedule_id not in latest or _rank(found) > _rank(latest[schedule_id]):
            latest[schedule_id] = found
    return latest


def _rank(result: ScheduleResult) -> tuple[datetime, int]:
    return (result.run.created_at, len(result.shifts))


@dataclass(frozen=True)
class _Result:
    summary: CellSummary
    metrics: Mapping[Metric, CellMetric]

    @property
    def key(self) -> tuple[str, ...]:
        """Return what two results must share to be compared."""
        one = self.summary
        parameters = json.dumps(one.parameters, sort_keys=True)
        conditions = (one.runtime, one.host_digest, one.harness_digest, one.scenario_digest)
        return (one.framework, one.scenario, one.profile, parameters, *conditions)


def _list_newest_two(
    session: Session, schedule_ids: Collection[UUID], viewer: Viewer
) -> list[tuple[UUID, list[Run]]]:
    """Return the newest two finalized runs with results of each schedule on each of its hosts.

    The newest run comes first.
    """
    hosts = (
        select(ScheduledRun.schedule_id, ScheduledRun.host_id)
        .where(ScheduledRun.schedule_id.in_(schedule_ids))
        .distinct()
        .subquery()
    )
    # Only the newest rows of an index are read, however long a schedule has been running.
    pair = (
        select(Run.id)
        .join(ScheduledRun, ScheduledRun.run_id == Run.id)
        .where(
            ScheduledRun.schedule_id == hosts.c.schedule_id,
            ScheduledRun.host_id == hosts.c.host_id,
            Run.finalized_at.is_not(None),
            is_listed(viewer),
            exists().where(CellSummary.run_id == Run.id),
        )
        .order_by(ScheduledRun.due_at.desc(), Run.id.desc())
        .limit(2)
        .lateral()
    )
    newest = aliased(Run)
    query = (
        select(hosts.c.schedule_id, newest)
        .select_from(hosts)
        .join(pair, true())
        .join(newest, newest.id == pair.c.id)
        .options(
            selectinload(newest.host),
            selectinload(newest.cells).selectinload(Cell.framework),
            selectinload(newest.cells).selectinload(Cell.scenario),
        )
        .order_by(hosts.c.schedule_id, newest.created_at.desc(), newest.id)
    )
    runs: dict[tuple[UUID, UUID], list[Run]] = {}
    for schedule_id, run in session.execute(query):
        runs.setdefault((schedule_id, run.host_id), []).append(run)
    return [(schedule_id, pair) for (schedule_id, _), pair in runs.items()]


def _read_results(session: Session, run_ids: Collection[UUID]) -> dict[UUID, list[_Result]]:
    summaries = session.scalars(select(CellSummary).where(CellSummary.run_id.in_(run_ids))).all()
    metrics: dict[UUID, dict[Metric, CellMetric]] = {item.cell_id: {} for item in summaries}
    for metric in session.scalars(select(CellMetric).where(CellMetric.cell_id.in_(metrics))):
        metrics[metric.cell_id][metric.metric] = metric
    results: dict[UUID, list[_Result]] = {}
    for summary in summaries:
        result = _Result(summary, metrics[summary.cell_id])
        results.setdefault(summary.run_id, []).append(result)
    return results


def _compare(runs: Sequence[Run], results: Mapping[UUID, Sequence[_Result]]) -> ScheduleResult:
    newest, *earlier = runs
    if not earlier:
        return ScheduleResult(newest, None, 0, [])
    before = {result.key: result for result in results[earlier[0].id]}
    pairs = [
        (result, before[result.key])
        for result in results[newest.id]
        if result.key in before
        and not (result.summary.excluded or before[result.key].summary.excluded)
    ]
    compared = [shift for pair in pairs if (shift := _compare_results(*pair)) is not None]
    return ScheduleResult(newest, earlier[0].slug, len(compared), _select_significant(compared))


def _compare_results(new: _Result, old: _Result) -> ResultShift | None:
    """Return the comparison of two results in their main metric; None without values of both."""
    known = [
        metric
        for metric, value in new.metrics.items()
        if value.mean_log is not None
        and metric in old.metrics
        and old.metrics[metric].mean_log is not None
    ]
    if not known:
        return None
    metric = find_main_metric(new.summary.kind, known)
    if metric not in known:
        return None
    direction = METRICS[metric].direction
    found = compare_summaries(
        _sum_up(new, metric), _sum_up(old, metric), direction, Instrument(_RUN_TO_RUN_RATIO)
    )
    return ResultShift(new.summary.framework, new.summary.scenario, metric, found)


def _sum_up(result: _Result, metric: Metric) -> LogSummary:
    value = result.metrics[metric]
    assert value.mean_log is not None
    return LogSummary(value.n, value.mean_log, value.sd_log)


def _select_significant(compared: Sequence[ResultShift]) -> list[ResultShift]:
    tested = [item for item in compared if item.found.p_value is not None]
    confidences = find_holm_confidences([item.found.p_value or 0.0 for item in tested], _ALPHA)
    adjusted = [
        replace(item, found=item.found.at_confidence(confidence))
        for item, confidence in zip(tested, confidences, strict=True)
    ]
    significant = [item for item in adjusted if item.found.word in {Word.FASTER, Word.SLOWER}]
    return sorted(significant, key=lambda item: -item.found.size)
