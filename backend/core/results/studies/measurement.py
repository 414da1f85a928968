"""Find the result that has the meaning of a published figure; pure."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from uuid import UUID

from backend.core.catalog.figures import Figure, to_printed_unit
from backend.core.catalog.study import Meaning, StudyManifest
from backend.core.measurement.measurements.verdicts import list_bounds
from backend.core.measurement.statistics.estimate import Estimate
from backend.core.results.studies.causes import list_unexpected_exclusions
from backend.core.results.studies.measured import MeasuredCell, Reproduction, estimate_of
from backend.core.units import Metric, Verdict


@dataclass(frozen=True)
class Measurement:
    """A result measured here, in the metric's unit.

    `excluded` is whether verdicts exclude it that are not the study's point. If `unresponsive`, the
    service answered too few requests for the estimate to mean anything. `reason` explains why an
    estimate is missing.
    """

    cell_id: UUID | None = None
    estimate: Estimate | None = None
    unresponsive: bool = False
    excluded: bool = False
    verdicts: Sequence[Verdict] = ()
    reason: str | None = None


@dataclass(frozen=True)
class ShownValue:
    """A result in the unit of the published figure next to it."""

    value: float
    low: float | None
    high: float | None
    unit: str


def find_measurement(
    study: StudyManifest, meaning: Meaning, metric: Metric, run: Reproduction | None
) -> Measurement:
    """Return the result with the meaning of a published figure, or why there is none."""
    if run is None:
        return Measurement(reason="Not reproduced yet.")
    framework = study.frameworks.get(meaning.system or "")
    if framework is None or meaning.experiment is None:
        return Measurement(reason="No framework in the catalogue corresponds to it.")
    experiment = study.experiments[meaning.experiment]
    cell = run.find(experiment, framework, meaning.parameters)
    if cell is None:
        return Measurement(reason=f"Not part of this {run.variant} reproduction.")
    excluded = bool(list_unexpected_exclusions(study, run.variant, cell, metric))
    if meaning.step_rps is not None:
        return _find_step_measurement(cell, metric, meaning.step_rps, excluded=excluded)
    if not cell.find_values(metric):
        return Measurement(cell.cell_id, unresponsive=cell.is_unresponsive, reason=_why_none(cell))
    measured = cell.find_estimate(metric)
    return Measurement(
        cell.cell_id,
        replace(
            _scale(measured, 1 / (meaning.services or 1)),
            is_bound=measured.is_bound or metric in list_bounds(cell.verdicts),
        ),
        unresponsive=cell.is_unresponsive and metric is not Metric.SUCCESS_RATIO,
        excluded=excluded,
        verdicts=cell.verdicts,
    )


def _find_step_measurement(
    cell: MeasuredCell, metric: Metric, step_rps: int, *, excluded: bool
) -> Measurement:
    step = cell.steps.get(step_rps)
    if step is None:
        is_past = bool(cell.steps) and step_rps > max(cell.steps)
        reason = "It failed at a lower rate." if is_past else _why_none(cell)
        if not is_past and cell.trials_succeeded:
            reason = "This rate was not measured."
        return Measurement(cell.cell_id, reason=reason)
    values = cell.find_values(metric, step_rps)
    return Measurement(
        cell.cell_id,
        estimate_of(metric, values) if values else None,
        unresponsive=not step.passed,
        excluded=excluded,
        verdicts=cell.verdicts,
        reason=None if values else "Nothing was answered at this rate.",
    )


def _why_none(cell: MeasuredCell) -> str:
    if cell.trials_open:
        return "Not measured yet."
    if cell.failure and not cell.trials_succeeded:
        return f"All trials failed: {cell.failure}"
    return "The trials have no value of this metric."


def show_in_unit(
    measured: Estimate, figure: Figure, metric: Metric, divide_by: float
) -> ShownValue | None:
    """Return a result in the unit of a published figure; None if the figure has no unit."""
    if figure.unit is None:
        return None
    scaled = _scale(measured, to_printed_unit(figure, metric, divide_by))
    return ShownValue(scaled.estimate, scaled.low, scaled.high, figure.unit)


def _scale(measured: Estimate, factor: float) -> Estimate:
    return replace(
        measured,
        estimate=measured.estimate * factor,
        low=None if measured.low is None else measured.low * factor,
        high=None if measured.high is None else measured.high * factor,
        values=tuple(value * factor for value in measured.values),
    )
