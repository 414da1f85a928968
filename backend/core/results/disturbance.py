"""Which trials of a result count: a run with a goal repeats trials that the host disturbed; pure.

A trial is dropped because of the state of the host alone, never because of its value. Otherwise the
error rate of the sequential rule would not hold. A verdict that only the service can cause still
counts.
"""

from collections.abc import Sequence

from backend.core.models import Trial
from backend.core.statuses import TrialStatus
from backend.core.units import Verdict

# No state of the host explains these.
_OF_SERVICE = frozenset(
    {
        Verdict.WORK_NOT_DONE,
        Verdict.WRONG_ANSWERS,
        Verdict.FASTER_THAN_POSSIBLE,
        Verdict.BEHAVIOUR_CHANGED,
    }
)


def is_disturbed(trial: Trial) -> bool:
    """Return whether a verdict shows that the host disturbed a succeeded trial."""
    return trial.status == TrialStatus.SUCCEEDED and any(
        warning.get("of_host", False) for warning in trial.verdicts
    )


def list_counted(trials: Sequence[Trial], *, repeats_disturbed: bool) -> list[Trial]:
    """Return the succeeded trials whose values count.

    Args:
        repeats_disturbed: whether the run repeats disturbed trials, so that they do not count.
    """
    return [
        trial
        for trial in trials
        if trial.status == TrialStatus.SUCCEEDED and not (repeats_disturbed and is_disturbed(trial))
    ]


def is_of_service(verdict: Verdict) -> bool:
    """Return whether a verdict also counts in a disturbed trial."""
    return verdict in _OF_SERVICE
