"""Summarise a cell: the estimate of each metric over the trials, and the warnings."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from uuid import UUID

from backend.core.documents import TrialEnvironment
from backend.core.measurements.verdicts import (
    EXCLUDING,
    NO_PROBLEM,
    ResultWarning,
    is_unsteady,
    judge_cell,
)
from backend.core.models import Trial
from backend.core.results.disturbance import is_of_service, list_counted
from backend.core.results.environment import OF_CELL, Difference, differences
from backend.core.statistics.estimate import Estimate, estimate
from backend.core.statuses import TrialStatus
from backend.core.units import METRICS, Metric, Verdict


@dataclass(frozen=True)
class CellVerdict:
    """A verdict, with the number of the cell's trials that it affects."""

    verdict: Verdict
    detail: str
    trials: int


@dataclass(frozen=True)
class Summary:
    """The summary of a cell. An `excluded` cell is shown but not ranked."""

    trials_succeeded: int
    trials_failed: int
    estimates: dict[Metric, Estimate]
    verdicts: list[CellVerdict]
    excluded: bool


# Further differences are counted, so that the text stays short.
_NAMED_DIFFERENCES = 3


def summarise_cell(
    trials: Sequence[Trial],
    metrics: Mapping[UUID, Mapping[Metric, float]],
    peers: Sequence[Trial] = (),
    *,
    has_enough_trials: bool = False,
    repeats_disturbed: bool = False,
) -> Summary:
    """Return the estimates and verdicts of a cell.

    Args:
        trials: all of the cell's trials; only the succeeded ones count.
        metrics: trial id to its metrics.
        peers: trials under the same conditions, such as all trials of its run.
        has_enough_trials: whether the run had as many trials as its goal needed.
        repeats_disturbed: whether the run repeats disturbed trials. Then they do not count. If the
            cell has no other, their estimates are shown, but they exclude nothing.
    """
    succeeded = _only_succeeded(trials)
    counted = list_counted(trials, repeats_disturbed=repeats_disturbed)
    values: dict[Metric, list[float]] = {}
    for trial in counted or succeeded:
        for metric, value in metrics.get(trial.id, {}).items():
            values.setdefault(metric, []).append(value)
    verdicts = _cell_verdicts(counted, succeeded, _only_succeeded(peers), has_enough_trials)
    return Summary(
        trials_succeeded=len(succeeded),
        trials_failed=sum(trial.status == TrialStatus.FAILED for trial in trials),
        estimates={
            metric: estimate(values[metric], METRICS[metric].aggregation)
            for metric in Metric
            if metric in values
        },
        verdicts=verdicts,
        excluded=any(verdict.verdict in EXCLUDING for verdict in verdicts),
    )


def _only_succeeded(trials: Sequence[Trial]) -> list[Trial]:
    return [trial for trial in trials if trial.status == TrialStatus.SUCCEEDED]


def _cell_verdicts(
    counted: Sequence[Trial],
    succeeded: Sequence[Trial],
    peers: Sequence[Trial],
    has_enough_trials: bool,
) -> list[CellVerdict]:
    if not succeeded:
        return []
    found: dict[Verdict, list[str]] = {}
    for trial in succeeded:
        for warning in trial.verdicts:
            verdict = Verdict(warning["verdict"])
            if trial in counted or is_of_service(verdict):
                found.setdefault(verdict, []).append(warning["detail"])
    if not is_unsteady(len(found.get(Verdict.NEVER_STEADY, ())), len(succeeded)):
        found.pop(Verdict.NEVER_STEADY, None)
    if len(counted) < len(succeeded):
        found[Verdict.HOST_DISTURBED] = _describe_repeated(succeeded, counted)
    # The members of the enum are in the order of their severity.
    verdicts = [
        CellVerdict(verdict, found[verdict][0], len(found[verdict]))
        for verdict in Verdict
        if verdict in found
    ]
    whole = [
        CellVerdict(warning.verdict, warning.detail, len(succeeded))
        for warning in (
            *([] if has_enough_trials else judge_cell(len(counted))),
            *_judge_sameness(succeeded, peers),
        )
    ]
    return [*verdicts, *whole] or [CellVerdict(Verdict.OK, NO_PROBLEM, len(succeeded))]


def _describe_repeated(succeeded: Sequence[Trial], counted: Sequence[Trial]) -> list[str]:
    """Return for each disturbed trial that its values do not count, and why."""
    return [
        f"The host disturbed a trial, which was repeated and does not count. {warning['detail']}"
        for trial in succeeded
        if trial not in counted
        for warning in [next(item for item in trial.verdicts if item.get("of_host", False))]
    ]


def _judge_sameness(succeeded: Sequence[Trial], peers: Sequence[Trial]) -> list[ResultWarning]:
    """Return warnings if the conditions of the cell's trials, or of its peers, differ."""
    first = succeeded[0].environment
    within = _first_differences(first, succeeded, ())
    across = _first_differences(first, peers, OF_CELL)
    whose = "this cell's trials" if within else "this cell and others of the run"
    found = within or across
    of_runtime = [item for item in found if item.subject == "runtime"]
    others = [item for item in found if item.subject != "runtime"]
    warnings = []
    if of_runtime:
        named = f"{of_runtime[0].one} and {of_runtime[0].other}"
        warnings.append(
            ResultWarning(
                Verdict.RUNTIME_DIFFERS, f"Not all of {whose} ran in one runtime: {named}."
            )
        )
    if others:
        named = "; ".join(map(str, others[:_NAMED_DIFFERENCES]))
        left = len(others) - _NAMED_DIFFERENCES
        more = f"; and {left} more" if left > 0 else ""
        warnings.append(
            ResultWarning(Verdict.ENVIRONMENT_CHANGED, f"Not the same for {whose}: {named}{more}.")
        )
    return warnings


def _first_differences(
    reference: TrialEnvironment, trials: Sequence[Trial], ignoring: Collection[str]
) -> list[Difference]:
    """Return the first difference from the reference in each aspect."""
    found: dict[str, Difference] = {}
    for trial in trials:
        for difference in differences(reference, trial.environment, ignoring):
            found.setdefault(difference.subject, difference)
    return list(found.values())
