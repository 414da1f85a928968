"""SQL for samples, histograms, metric values and logs. Never commits."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any
from uuid import UUID

from sqlalchemy import ColumnElement, Select, Text, case, cast, func, select
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.orm import Session

from backend.core.measurement.measurements.series import as_row
from backend.core.models import MetricValue, Sample, Trial, TrialHistogram, TrialLog
from backend.core.numeric import Floats, np
from backend.core.row_insert import insert_rows
from backend.core.second import Second, list_charts
from backend.core.statuses import TrialStatus
from backend.core.units import Metric, Phase

_SAMPLE = Sample.__table__.c


def replace_measurements(
    session: Session,
    trial_id: UUID,
    *,
    seconds: Sequence[Second],
    histogram: Mapping[str, object],
    metrics: Mapping[Metric, float],
) -> None:
    """Write all measurements of a trial, replacing those of an earlier attempt.

    Args:
        histogram: the columns of its `TrialHistogram` without the trial id.
    """
    # A bench host may not delete from these tables itself.
    session.execute(select(func.delete_measurements(trial_id)))
    values = [
        {"trial_id": trial_id, "metric": metric, "value": value}
        for metric, value in metrics.items()
    ]
    insert_rows(
        session,
        {
            Sample: [as_row(trial_id, second) for second in seconds],
            MetricValue: values,
            TrialHistogram: [{"trial_id": trial_id, **histogram}],
        },
    )


def put_logs(session: Session, trial_id: UUID, logs: Mapping[str, str]) -> None:
    """Store the logs of a trial, replacing earlier logs of the same names."""
    if not logs:
        return
    rows = insert(TrialLog).values(
        [
            # A service may print NUL, which PostgreSQL cannot store in text.
            {"trial_id": trial_id, "name": name, "content": content.replace("\0", "\ufffd")}
            for name, content in logs.items()
        ]
    )
    session.execute(
        rows.on_conflict_do_update(
            index_elements=[TrialLog.trial_id, TrialLog.name],
            set_={"content": rows.excluded.content},
        )
    )


def list_samples(session: Session, trial_id: UUID, phase: Phase | None) -> Sequence[Sample]:
    """Return the seconds of a trial in order; for phase None, warm-up first."""
    query = select(Sample).where(Sample.trial_id == trial_id)
    if phase is not None:
        query = query.where(Sample.phase == phase)
    return session.scalars(query.order_by(Sample.phase.desc(), Sample.second)).all()


def list_measured_samples(
    session: Session, trial_ids: Collection[UUID]
) -> dict[UUID, list[Sample]]:
    """Return the measured seconds of these trials in order, by trial id."""
    query = select(Sample).where(Sample.trial_id.in_(trial_ids), Sample.phase == Phase.MEASURE)
    found: dict[UUID, list[Sample]] = {trial_id: [] for trial_id in trial_ids}
    for sample in session.scalars(query.order_by(Sample.trial_id, Sample.second)):
        found[sample.trial_id].append(sample)
    return found


def list_sample_values(
    session: Session, trial_id: UUID, columns: Sequence[str], phase: Phase | None = None
) -> Sequence[Sequence[Any]]:
    """Return the given columns of the seconds of a trial in order.

    Args:
        phase: None returns those of both phases, warm-up first.
    """
    return session.execute(_select_values(trial_id, columns, phase)).all()


def write_sample_values(session: Session, trial_id: UUID, columns: Sequence[str]) -> str:
    """Return the given columns of all seconds of a trial as a JSON array of objects, warm-up first.

    PostgreSQL writes it. This process neither parses the values nor writes them.
    """
    rows = _select_values(trial_id, columns, None).subquery("sample")
    written = cast(func.json_agg(rows.table_valued()), Text)
    return session.scalar(select(written)) or "[]"


def _select_values(trial_id: UUID, columns: Sequence[str], phase: Phase | None) -> Select[Any]:
    query = select(*(getattr(Sample, column) for column in columns))
    query = query.where(Sample.trial_id == trial_id)
    if phase is not None:
        query = query.where(Sample.phase == phase)
    return query.order_by(Sample.phase.desc(), Sample.second)


def list_measured(
    session: Session, cell_ids: Collection[UUID]
) -> dict[UUID, dict[int, list[Sample]]]:
    """Return the measured seconds of each succeeded trial in order, by cell id and repetition."""
    query = (
        select(Trial.cell_id, Trial.repetition, Sample)
        .join(Sample, Sample.trial_id == Trial.id)
        .where(
            Trial.cell_id.in_(cell_ids),
            Trial.status == TrialStatus.SUCCEEDED,
            Sample.phase == Phase.MEASURE,
        )
        .order_by(Trial.position, Sample.second)
    )
    found: dict[UUID, dict[int, list[Sample]]] = {}
    for cell_id, repetition, sample in session.execute(query):
        found.setdefault(cell_id, {}).setdefault(repetition, []).append(sample)
    return found


# The per-second values that are compared across trials, by figure name.
BANDED: Mapping[str, ColumnElement[Any]] = {
    "throughput_rps": _SAMPLE.requests - _SAMPLE.failed,
    "latency_p99_ms": _SAMPLE.latency_p99_ms,
    **{name: _SAMPLE[name] for name in list_charts()},
}
# Seconds since measuring began. Trials whose warm-ups differ are equal from there on.
_SECOND = case(
    (
        _SAMPLE.phase == Phase.WARM_UP,
        _SAMPLE.second
        - func.count().filter(_SAMPLE.phase == Phase.WARM_UP).over(partition_by=_SAMPLE.trial_id),
    ),
    else_=_SAMPLE.second,
)


def list_bands(session: Session, cell_ids: Collection[UUID]) -> dict[UUID, Floats]:
    """Return rows of equal length by cell id, for the succeeded trials.

    The first row holds the seconds in order; those of the warm-up are negative. Each of `BANDED`
    adds three rows: the lowest, the median and the highest value of the trials, NaN if no trial
    has a value.
    """
    values = [value.label(name) for name, value in BANDED.items()]
    seconds = (
        select(Trial.cell_id, _SECOND.label("second"), *values)
        .join(Sample, Sample.trial_id == Trial.id)
        .where(Trial.cell_id.in_(cell_ids), Trial.status == TrialStatus.SUCCEEDED)
        .subquery()
        .c
    )
    columns = [
        column
        for name in BANDED
        for column in (
            func.min(seconds[name]),
            func.percentile_cont(0.5).within_group(seconds[name]),
            func.max(seconds[name]),
        )
    ]
    query = (
        select(seconds.cell_id, seconds.second, *columns)
        .group_by(seconds.cell_id, seconds.second)
        .order_by(seconds.cell_id, seconds.second)
    )
    found: dict[UUID, list[Sequence[float | None]]] = {}
    for cell_id, *figures in session.execute(query):
        found.setdefault(cell_id, []).append(figures)
    return {cell_id: np.array(rows, dtype=np.float64).T for cell_id, rows in found.items()}


def list_cell_histograms(
    session: Session, cell_ids: Collection[UUID]
) -> dict[UUID, list[TrialHistogram]]:
    """Return the stored distributions of succeeded trials by cell id."""
    query = (
        select(Trial.cell_id, TrialHistogram)
        .join(TrialHistogram, TrialHistogram.trial_id == Trial.id)
        .where(Trial.cell_id.in_(cell_ids), Trial.status == TrialStatus.SUCCEEDED)
        .order_by(Trial.position)
    )
    found: dict[UUID, list[TrialHistogram]] = {}
    for cell_id, histogram in session.execute(query):
        found.setdefault(cell_id, []).append(histogram)
    return found


def list_histograms(session: Session, trial_ids: Collection[UUID]) -> Sequence[TrialHistogram]:
    """Return the stored distributions of these trials; trials without any are left out."""
    return session.scalars(
        select(TrialHistogram).where(TrialHistogram.trial_id.in_(trial_ids))
    ).all()


def list_latencies(session: Session, cell_id: UUID) -> list[tuple[int, bytes]]:
    """Return every second of a cell's succeeded trials: its number and distribution.

    Seconds of the warm-up are negative. The distributions are uvarint pairs.
    """
    query = select(_SECOND, _SAMPLE.latency).join(Trial, Trial.id == _SAMPLE.trial_id)
    query = query.where(Trial.cell_id == cell_id, Trial.status == TrialStatus.SUCCEEDED)
    return [(second, latency) for second, latency in session.execute(query)]


def list_logs(session: Session, trial_id: UUID) -> Sequence[TrialLog]:
    """Return the logs of a trial, ordered by name."""
    query = select(TrialLog).where(TrialLog.trial_id == trial_id)
    return session.scalars(query.order_by(TrialLog.name)).all()


def list_metrics(
    session: Session, trial_ids: Collection[UUID], metrics: Collection[Metric] | None = None
) -> dict[UUID, dict[Metric, float]]:
    """Return all metrics, or these, by trial id; trials without any are left out.

    The order of the metrics of a trial is always the same, so that exports of it are, too.
    """
    if not trial_ids:
        return {}
    columns = (MetricValue.trial_id, MetricValue.metric, MetricValue.value)
    query = select(*columns).where(MetricValue.trial_id.in_(trial_ids))
    if metrics is not None:
        query = query.where(MetricValue.metric.in_(metrics))
    found: dict[UUID, dict[Metric, float]] = {}
    query = query.order_by(MetricValue.trial_id, MetricValue.metric)
    for trial_id, metric, value in session.execute(query):
        found.setdefault(trial_id, {})[metric] = value
    return found
