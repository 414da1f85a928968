"""Every transition of a trial, and the status of a run for every mix of trials."""

from collections import Counter
from itertools import product

import pytest

from backend.core.errors import Conflict
from backend.core.runs.status import check_transition, run_status
from backend.core.statuses import RunStatus, TrialStatus

ALLOWED = {
    "queued": {"building", "failed", "cancelled"},
    "building": {"starting", "queued", "failed", "cancelled"},
    "starting": {"verifying", "queued", "failed", "cancelled"},
    "verifying": {"warming_up", "measuring", "queued", "failed", "cancelled"},
    "warming_up": {"measuring", "queued", "failed", "cancelled"},
    "measuring": {"collecting", "queued", "failed", "cancelled"},
    "collecting": {"succeeded", "queued", "failed", "cancelled"},
    "succeeded": set(),
    "failed": set(),
    "cancelled": set(),
}
RUNS = [
    (["queued"], False, "queued"),
    (["queued", "queued"], True, "queued"),
    (["building", "queued"], False, "running"),
    (["succeeded", "queued"], False, "running"),
    (["failed", "queued"], False, "running"),
    (["cancelled", "measuring"], True, "running"),
    (["succeeded", "collecting"], False, "running"),
    (["succeeded", "succeeded"], False, "succeeded"),
    (["succeeded", "failed"], False, "failed"),
    (["failed"], False, "failed"),
    (["succeeded", "cancelled"], True, "cancelled"),
    (["failed", "cancelled"], True, "cancelled"),
    # Cancelled too late: every trial had already ended.
    (["succeeded", "succeeded"], True, "succeeded"),
    (["succeeded", "failed"], True, "failed"),
]


def test_the_table_names_every_status() -> None:
    assert set(ALLOWED) == set(TrialStatus)


@pytest.mark.parametrize(("current", "new"), list(product(TrialStatus, TrialStatus)))
def test_every_transition(current: TrialStatus, new: TrialStatus) -> None:
    if new in ALLOWED[current]:
        check_transition(current, new)
    else:
        with pytest.raises(Conflict, match=f"from {current} to {new}"):
            check_transition(current, new)


@pytest.mark.parametrize(("trials", "cancel_requested", "expected"), RUNS)
def test_the_status_of_a_run_follows_from_its_trials(
    trials: list[str], cancel_requested: bool, expected: str
) -> None:
    assert run_status(Counter(map(TrialStatus, trials)), cancel_requested) is RunStatus(expected)


def test_a_run_whose_goal_cannot_be_judged_has_failed() -> None:
    trials = {TrialStatus.SUCCEEDED: 1, TrialStatus.CANCELLED: 1}

    assert run_status(trials, cancel_requested=False) is RunStatus.SUCCEEDED
    assert run_status(trials, False, has_goal_failed=True) is RunStatus.FAILED
