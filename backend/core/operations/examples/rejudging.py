"""Judge the steady state of older recordings by today's rule; pure."""

from dataclasses import asdict

from backend.core.documents import JsonObject
from backend.core.measurement.measurements.series import second_of
from backend.core.measurement.measurements.steadiness import Steadiness
from backend.core.measurement.measurements.verdicts import UNSTEADY, judge_state
from backend.core.models import Sample
from backend.core.operations.examples.bundle import CHECKED_VERSION, make_row
from backend.core.second import Second
from backend.core.statuses import TrialStatus
from backend.core.units import Phase, ProfileKind


def list_measured_seconds(trial: JsonObject) -> list[Second]:
    """Return the measured seconds of a trial of a bundle, in order."""
    return [
        second_of(make_row(Sample, sample, trial_id=trial["id"]))
        for sample in trial["samples"]
        if sample["phase"] == Phase.MEASURE
    ]


def judge_trials_again(bundle: JsonObject, run: JsonObject) -> list[JsonObject]:
    """Return the trials of a run with the verdicts about their steady state by today's rule.

    The rules of older versions tested neither short windows nor trends. Trials of a newer bundle
    have these verdicts already.

    Args:
        bundle: with its version.
        run: one of its runs, with `cells` and `trials`.
    """
    if bundle.get("version", 1) >= CHECKED_VERSION:
        return [*run["trials"]]
    cells = {cell["id"]: cell for cell in run["cells"]}
    return [_judge_again(trial, cells[trial["cell_id"]]) for trial in run["trials"]]


def _judge_again(trial: JsonObject, cell: JsonObject) -> JsonObject:
    if trial["status"] != TrialStatus.SUCCEEDED:
        return trial
    warm_up = trial.get("warm_up") or {"is_steady": None, "detail": "No warm-up was recorded."}
    found = judge_state(
        list_measured_seconds(trial),
        ProfileKind(cell["kind"]),
        cell["parameters"],
        Steadiness(warm_up["is_steady"], warm_up["detail"]),
    )
    others = [entry for entry in trial["verdicts"] if entry["verdict"] not in UNSTEADY]
    return {**trial, "verdicts": [*others, *([asdict(found)] if found else [])]}
