"""Check that the results in a bundle of example data can be ranked; pure.

A result needs ENOUGH_TRIALS trials that succeeded, and a window that can show whether it was
steady. At most MAX_EXCLUDED_SHARE of the results of a run may be excluded from ranking. Results for
which the study declares this (`expected_exclusions`) do not count, and may have fewer trials if it
declares that too. Fewer than MAX_BUSY_SHARE of the trials of a bundle may have run on a busy host.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from backend.core.catalog.study import ExpectedExclusion, StudyManifest
from backend.core.documents import JsonObject
from backend.core.measurement.measurements.steadiness import MIN_WINDOW_SECONDS
from backend.core.measurement.measurements.verdicts import (
    ENOUGH_TRIALS,
    EXCLUDING,
    EXCLUDING_FROM_HISTORY,
    judge_unsteady_trials,
)
from backend.core.numbers import agree, count_of
from backend.core.operations.examples.bundle import list_runs
from backend.core.operations.examples.rejudging import judge_trials_again
from backend.core.statuses import StudyVariant, TrialStatus
from backend.core.units import Metric, ProfileKind, Purpose, Verdict

MAX_EXCLUDED_SHARE = 0.1
MAX_BUSY_SHARE = 0.1


@dataclass(frozen=True)
class BundleFault:
    """A violation of a rule by a bundle. `result` names one result, None for the whole bundle."""

    result: str | None
    detail: str


def find_bundle_faults(bundle: JsonObject, study: StudyManifest | None) -> list[BundleFault]:
    """Return everything that is wrong with the runs in a bundle.

    Confirmation runs are left out: they have as many trials as their pairs need.

    Args:
        study: the study that the run reproduces; None for other runs, which have no expected
            exclusions.
    """
    faults, trials = [], []
    for run in list_runs(bundle):
        if run["run"]["purpose"] == Purpose.COMPARISON:
            judged = {**run, "trials": judge_trials_again(bundle, run)}
            faults += find_result_faults(judged, study)
            trials += run["trials"]
    return [*faults, *_check_host(trials)]


def find_result_faults(packed_run: JsonObject, study: StudyManifest | None) -> list[BundleFault]:
    """Return what is wrong with the results of one run (`run`, `cells`, `trials`) of a bundle.

    Args:
        study: as for `find_bundle_faults`.
    """
    trials_of: dict[str, list[JsonObject]] = {cell["id"]: [] for cell in packed_run["cells"]}
    for trial in packed_run["trials"]:
        if trial["status"] == TrialStatus.SUCCEEDED:
            trials_of[trial["cell_id"]].append(trial)
    variant = packed_run["run"].get("study_variant")
    faults, excluded = [], []
    for cell in packed_run["cells"]:
        expected = _list_expected(cell, study, StudyVariant(variant) if variant else None)
        # The runs of a schedule are points of a history.
        excluding = EXCLUDING if study else EXCLUDING_FROM_HISTORY
        excluding = excluding.difference(*(exclusion.verdicts for exclusion in expected))
        trials = trials_of[cell["id"]]
        may_fail = any(exclusion.may_fail for exclusion in expected)
        faults += _check_length(cell, trials, may_fail=may_fail, is_ranked=study is not None)
        excluded += _list_exclusion_faults(cell, trials, excluding)
    results = {fault.result for fault in excluded}
    return faults + excluded * (len(results) > MAX_EXCLUDED_SHARE * len(packed_run["cells"]))


def _check_length(
    cell: JsonObject, trials: Sequence[JsonObject], *, may_fail: bool, is_ranked: bool
) -> list[BundleFault]:
    """Return faults if a result has too few trials, or too short a window to be ranked."""
    name, faults = name_result(cell), []
    if len(trials) < ENOUGH_TRIALS and not may_fail:
        detail = f"has {count_of(len(trials), 'trial')}; a result needs {ENOUGH_TRIALS}"
        faults.append(BundleFault(name, detail))
    kind = ProfileKind(cell["kind"])
    seconds = cell["parameters"][
        "step_seconds" if kind is ProfileKind.STEPS else "duration_seconds"
    ]
    # A load of a count may end within seconds. Its warm-up then shows whether it was steady.
    if is_ranked and kind is not ProfileKind.COUNT and seconds < MIN_WINDOW_SECONDS:
        detail = f"has a window of {seconds} s; a ranked result needs {MIN_WINDOW_SECONDS} s"
        faults.append(BundleFault(name, detail))
    return faults


def _list_exclusion_faults(
    cell: JsonObject, trials: Sequence[JsonObject], excluding: frozenset[Verdict]
) -> list[BundleFault]:
    """Return a fault for each verdict that excludes a result."""
    found: dict[Verdict, list[str]] = {}
    for trial in trials:
        for entry in trial["verdicts"]:
            found.setdefault(Verdict(entry["verdict"]), []).append(entry["detail"])
    drifts = [
        trial["metrics"][Metric.WINDOW_DRIFT_RATIO]
        for trial in trials
        if Metric.WINDOW_DRIFT_RATIO in trial["metrics"]
    ]
    state = judge_unsteady_trials(found.get(Verdict.NEVER_STEADY, []), len(trials), drifts)
    return [
        BundleFault(
            name_result(cell),
            f"is excluded: {len(details)} of {count_of(len(trials), 'trial')} "
            f"{agree(len(details), 'has', 'have')} {verdict}",
        )
        for verdict, details in sorted(found.items())
        if verdict in excluding
        and (verdict is not Verdict.NEVER_STEADY or (state and state.verdict is verdict))
    ]


def find_exclusions(
    cell: JsonObject, trial: JsonObject, study: StudyManifest, variant: StudyVariant
) -> set[Verdict]:
    """Return the verdicts of a trial that exclude a result although the study does not expect it.

    Args:
        cell: with the slugs of its framework and scenario, its profile and parameters.
        trial: with its verdicts.
    """
    expected = _list_expected(cell, study, variant)
    excluding = EXCLUDING.difference(*(exclusion.verdicts for exclusion in expected))
    return {Verdict(entry["verdict"]) for entry in trial["verdicts"]} & excluding


def _list_expected(
    cell: JsonObject, study: StudyManifest | None, variant: StudyVariant | None
) -> list[ExpectedExclusion]:
    """Return the exclusions that the study expects of a result."""
    if study is None or variant is None:
        return []
    load = (cell["scenario"], cell["profile"])
    return study.list_expected_exclusions(variant, load, cell["framework"], cell["parameters"])


def _check_host(trials: Sequence[JsonObject]) -> list[BundleFault]:
    busy = sum(
        any(entry["verdict"] == Verdict.HOST_BUSY for entry in trial["verdicts"])
        for trial in trials
    )
    if busy < MAX_BUSY_SHARE * len(trials):
        return []
    detail = (
        f"{busy} of {count_of(len(trials), 'trial')} ran on a busy host; record on a quiet "
        f"machine, so that fewer than {MAX_BUSY_SHARE:.0%} do"
    )
    return [BundleFault(None, detail)] if trials else [BundleFault(None, "has no trials")]


def name_result(cell: JsonObject) -> str:
    """Return the name of a result for messages: framework, scenario, profile and parameters."""
    values = ", ".join(f"{name} {value}" for name, value in sorted(cell["parameters"].items()))
    return f"{cell['framework']}, {cell['scenario']}, {cell['profile']} ({values})"
