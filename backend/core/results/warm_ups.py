"""How the trials of a cell warmed up: how long it took, and why it ended; pure."""

from collections.abc import Sequence
from dataclasses import dataclass

from backend.core.models import Trial
from backend.core.statuses import TrialStatus


@dataclass(frozen=True)
class WarmUps:
    """The warm-ups of a cell's succeeded trials.

    Attributes:
        shortest_seconds, longest_seconds: how long they took.
        cap_seconds: their maximum.
        steady, unsteady, untested: numbers of trials by whether the load was steady at the end.
        reasons: why they ended, each once.
    """

    shortest_seconds: int
    longest_seconds: int
    cap_seconds: int
    steady: int
    unsteady: int
    untested: int
    reasons: Sequence[str]


def describe_warm_ups(trials: Sequence[Trial]) -> WarmUps | None:
    """Return how the succeeded trials of a cell warmed up; None without a recorded warm-up."""
    warm_ups = [
        trial.warm_up
        for trial in trials
        if trial.status == TrialStatus.SUCCEEDED and trial.warm_up is not None
    ]
    if not warm_ups:
        return None
    outcomes = [warm_up["is_steady"] for warm_up in warm_ups]
    return WarmUps(
        shortest_seconds=min(warm_up["seconds"] for warm_up in warm_ups),
        longest_seconds=max(warm_up["seconds"] for warm_up in warm_ups),
        cap_seconds=warm_ups[0]["cap_seconds"],
        steady=outcomes.count(True),
        unsteady=outcomes.count(False),
        untested=outcomes.count(None),
        reasons=list(dict.fromkeys(warm_up["detail"] for warm_up in warm_ups)),
    )
