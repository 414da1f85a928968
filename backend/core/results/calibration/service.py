"""The calibration of a bench host, computed from its newest finished calibration run when it is
read.

The run has cells of the null server (load generator overhead at a rate), pairs of equal cells
(minimum detectable difference) and cells of the reference service (error of reported values, and
disagreement with the cross-check).
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from sqlalchemy.orm import Session

from backend.core.computed_once import ComputedOnce
from backend.core.documents import Harness
from backend.core.measurement.instrument.disagreement import (
    Disagreement,
    InstrumentError,
    add_to_noise,
    find_disagreements,
)
from backend.core.measurement.instrument.noise import Noise, find_noises
from backend.core.measurement.instrument.service import list_equal_cells, make_pair
from backend.core.measurement.measurements import repository as measurements
from backend.core.models import Host, Run, Trial
from backend.core.people.access.viewer import Viewer
from backend.core.results.calibration.truth import Distribution, is_true
from backend.core.results.cell_result import CellResult
from backend.core.results.cell_summary import summarise_run
from backend.core.runs import repository as runs
from backend.core.statuses import TrialStatus, Visibility
from backend.core.units import Metric, ProfileKind, Verdict

NULL_SERVER = "null-server"
SCENARIO = "calibration"
# Quantile -> metric, for the truth. Beyond p99 a short trial has too few requests.
_CHECKED = {
    0.5: Metric.LATENCY_P50_MS,
    0.9: Metric.LATENCY_P90_MS,
    0.99: Metric.LATENCY_P99_MS,
}

# Figures of a calibration take some kilobytes.
_MOST_KNOWN = 500

_Conditions = tuple[str | None, Harness | None]
_Values = Mapping[UUID, Mapping[Metric, float]]


@dataclass(frozen=True)
class GeneratorOverhead:
    """The overhead of the load generator at a rate: latencies against the null server."""

    rate_rps: int
    latency_p50_ms: float
    latency_p99_ms: float
    trials: int
    verdicts: tuple[Verdict, ...]


@dataclass(frozen=True)
class MetricNoise:
    """The minimum detectable difference of a metric, and the cells that were measured twice for
    it.

    Attributes:
        instrument_ratio: the factor by which the load generator may be wrong; None in calibrations
            without a cross-check.
    """

    metric: Metric
    framework: str
    scenario: str
    profile: str
    noise: Noise
    instrument_ratio: float | None

    @property
    def smallest_ratio(self) -> float:
        """Return the minimum detectable ratio, from noise and the error of the load generator."""
        return add_to_noise(self.noise.smallest_ratio, self.instrument_ratio or 1)


@dataclass(frozen=True)
class TruthCheck:
    """A quantile of a known distribution (ms), and its reported value."""

    rate_rps: int
    quantile: float
    expected_ms: float
    reported_ms: float

    @property
    def is_within(self) -> bool:
        """Return whether the reported latency is within 2 % + 0.3 ms."""
        return is_true(self.reported_ms, self.expected_ms)


@dataclass(frozen=True)
class CalibrationFigures:
    """The results of a calibration run. They never change once the run has succeeded.

    Attributes:
        conditions: digest of the host and harness of the trials, without repetitions.
    """

    conditions: tuple[_Conditions, ...]
    overheads: tuple[GeneratorOverhead, ...]
    noise: tuple[MetricNoise, ...]
    truth: tuple[TruthCheck, ...]
    disagreements: tuple[Disagreement, ...]


@dataclass(frozen=True, kw_only=True)
class Calibration(CalibrationFigures):
    """The results of a calibration run for its host; `owner` is its workspace and visibility."""

    run_slug: str
    owner: tuple[UUID, Visibility]
    measured_at: datetime
    is_current: bool


def list_calibrations(
    session: Session, hosts: Sequence[Host], viewer: Viewer
) -> dict[UUID, Calibration]:
    """Return the newest calibration of each host by a run that the viewer may open, by host id.

    It is not current once the host's fingerprint or its harness has changed.
    """
    host_of = {host.id: host for host in hosts}
    heads = runs.list_calibrations(session, list(host_of), NULL_SERVER, viewer)
    figures = _read_figures(session, [head.run_id for head in heads])
    return {
        head.host_id: _show(
            figures[head.run_id],
            host_of[head.host_id],
            run_slug=head.slug,
            owner=(head.workspace_id, head.visibility),
            measured_at=head.finished_at,
        )
        for head in heads
        if head.run_id in figures
    }


def compute_calibration(
    run: Run, host: Host, measured_at: datetime, values: _Values
) -> Calibration:
    """Return the results of a calibration run.

    Args:
        run: with its cells and trials.
        values: metrics by trial id.
    """
    return _show(
        _compute_figures(run, values),
        host,
        run_slug=run.slug,
        owner=(run.workspace_id, run.visibility),
        measured_at=measured_at,
    )


# Of calibration runs that have succeeded.
_figures: ComputedOnce[UUID, CalibrationFigures] = ComputedOnce(_MOST_KNOWN)


def _read_figures(session: Session, run_ids: Collection[UUID]) -> dict[UUID, CalibrationFigures]:
    """Return the figures of succeeded calibration runs."""

    def compute(missing: Collection[UUID]) -> dict[UUID, CalibrationFigures]:
        found = runs.list_with_trials(session, missing)
        trial_ids = [trial.id for run in found for trial in run.trials]
        values = measurements.list_metrics(session, trial_ids)
        return {run.id: _compute_figures(run, values) for run in found}

    return _figures.read(run_ids, compute)


def _show(
    figures: CalibrationFigures,
    host: Host,
    *,
    run_slug: str,
    owner: tuple[UUID, Visibility],
    measured_at: datetime,
) -> Calibration:
    is_current = all(
        digest == host.fingerprint_digest and harness == host.harness
        for digest, harness in figures.conditions
    )
    return Calibration(
        **vars(figures),
        run_slug=run_slug,
        owner=owner,
        measured_at=measured_at,
        is_current=is_current,
    )


def _compute_figures(run: Run, values: _Values) -> CalibrationFigures:
    succeeded = [trial for trial in run.trials if trial.status == TrialStatus.SUCCEEDED]
    trials_of: dict[UUID, list[Trial]] = {cell.id: [] for cell in run.cells}
    for trial in succeeded:
        trials_of[trial.cell_id].append(trial)
    results = summarise_run(run, values).cells
    disagreements = _list_disagreements(run, trials_of, values)
    return CalibrationFigures(
        conditions=_list_conditions(succeeded),
        overheads=_list_overheads(results),
        noise=_list_noise(run, trials_of, values, InstrumentError(disagreements)),
        truth=_check_truth(results),
        disagreements=disagreements,
    )


def _list_conditions(trials: Sequence[Trial]) -> tuple[_Conditions, ...]:
    found: list[_Conditions] = []
    for trial in trials:
        environment = trial.environment
        conditions = (environment.get("host_digest"), environment.get("harness"))
        if conditions not in found:
            found.append(conditions)
    return tuple(found)


def _list_overheads(results: Sequence[CellResult]) -> tuple[GeneratorOverhead, ...]:
    overheads = []
    for result in results:
        is_of_generator = result.framework.slug == NULL_SERVER and result.kind is ProfileKind.RATE
        if not is_of_generator or Metric.LATENCY_P99_MS not in result.estimates:
            continue
        overheads.append(
            GeneratorOverhead(
                rate_rps=result.summary.parameters["rate_rps"],
                latency_p50_ms=result.estimates[Metric.LATENCY_P50_MS].estimate,
                latency_p99_ms=result.estimates[Metric.LATENCY_P99_MS].estimate,
                trials=result.summary.trials_succeeded,
                verdicts=tuple(result.verdicts),
            )
        )
    return tuple(sorted(overheads, key=lambda overhead: overhead.rate_rps))


def _list_disagreements(
    run: Run, trials_of: Mapping[UUID, Sequence[Trial]], values: _Values
) -> tuple[Disagreement, ...]:
    pairs = [
        make_pair(cell.kind, trial.second_reading, values.get(trial.id, {}))
        for cell in run.cells
        for trial in trials_of[cell.id]
        if trial.second_reading is not None
    ]
    return tuple(find_disagreements(pairs))


def _list_noise(
    run: Run,
    trials_of: Mapping[UUID, Sequence[Trial]],
    values: _Values,
    instrument: InstrumentError,
) -> tuple[MetricNoise, ...]:
    """Computed from cells that are in the run more than once."""
    found = []
    for cells in list_equal_cells(run.cells):
        trials = [[values.get(trial.id, {}) for trial in trials_of[cell.id]] for cell in cells]
        first = cells[0]
        found += [
            MetricNoise(
                metric=metric,
                framework=first.framework.slug,
                scenario=first.scenario.slug,
                profile=first.profile,
                noise=noise,
                instrument_ratio=(
                    instrument.find_ratio(metric, first.kind) if instrument.disagreements else None
                ),
            )
            for metric, noise in find_noises(trials, first.kind).items()
        ]
    return tuple(found)


def _check_truth(results: Sequence[CellResult]) -> tuple[TruthCheck, ...]:
    return tuple(
        TruthCheck(
            rate_rps=parameters["rate_rps"],
            quantile=quantile,
            expected_ms=Distribution.from_parameters(parameters).quantile_ms(quantile),
            reported_ms=result.estimates[metric].estimate,
        )
        for result in results
        if result.scenario.slug == SCENARIO and result.kind is ProfileKind.RATE
        for parameters in [result.summary.parameters]
        for quantile, metric in _CHECKED.items()
        if metric in result.estimates
    )
