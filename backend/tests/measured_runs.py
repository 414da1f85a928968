"""Ended runs with chosen figures, made with the product's own functions."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any
from uuid import UUID

from sqlalchemy import select
from sqlalchemy.orm import Session

from backend.core.models import Cell, MetricValue, Run
from backend.core.results.cell_summary import write_summaries
from backend.core.results.run_results.answer.stored import write_outcome
from backend.core.runs.repository import get_run
from backend.core.units import Metric, Verdict
from backend.tests.factories import ask_run, claim_next, succeed

Figures = Mapping[Metric, float]
# The figures of the first repetition by framework, scenario and parameters; others vary.
Measure = Callable[[Cell], Figures]


def measure_run(
    session: Session,
    host_id: UUID,
    run: Run,
    measure: Measure,
    warn: Callable[[Cell], Sequence[Verdict]] = lambda _: (),
    noise_percent: float = 0.5,
) -> Run:
    """Complete all trials of a queued run with these figures and verdicts."""
    cells = {cell.id: cell for cell in run.cells}
    trials = [succeed(session, claim_next(session, host_id), has_summary=False) for _ in run.trials]
    stored = {
        (row.trial_id, row.metric): row
        for row in session.scalars(
            select(MetricValue).where(MetricValue.trial_id.in_([trial.id for trial in trials]))
        )
    }
    for trial in trials:
        cell = cells[trial.cell_id]
        # Repetitions differ a little, like real trials.
        step = (trial.repetition * (2 + cell.position % 3)) % 5 - 2
        for metric, value in measure(cell).items():
            # Rates of steps are multiples of a step.
            is_exact = metric is Metric.SUSTAINED_RPS
            measured = value if is_exact else value * (1 + step * noise_percent / 200)
            if (trial.id, metric) in stored:
                stored[trial.id, metric].value = measured
            else:
                session.add(MetricValue(trial_id=trial.id, metric=metric, value=measured))
        trial.verdicts = [
            {"verdict": verdict, "detail": f"Why: {verdict}."} for verdict in warn(cell)
        ]
    session.flush()
    session.expire_all()
    ended = get_run(session, str(run.id))
    write_outcome(session, ended, write_summaries(session, ended))
    return ended


def by_cpu(**cpu_us: float) -> Measure:
    """Return figures with this CPU per request, by slug of the framework with underscores."""
    return lambda cell: {Metric.CPU_US_PER_REQUEST: cpu_us[cell.framework.slug.replace("-", "_")]}


def compare_two(session: Session, host_id: UUID, *, trials: int = 5, **changes: Any) -> Run:
    """Return an ended run in which Node needs twice the CPU of Go."""
    run = ask_run(session, ("node", "go-nethttp"), count=trials, **changes)
    return measure_run(session, host_id, run, by_cpu(node=120, go_nethttp=60))
