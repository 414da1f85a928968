"""The named party when a part of a trial dies, in every stage."""

from collections.abc import Mapping
from typing import cast

import pytest

from backend.core.errors import (
    BackingServiceDied,
    LoadFailed,
    LoadGeneratorDied,
    ServiceDied,
    TachoError,
    VerificationFailed,
)
from backend.core.statuses import TrialStatus
from backend.core.units import FailureCause
from worker.runtime.base import Pod, PodRole
from worker.runtime.errors import PodLost, StartFailed
from worker.runtime.exit import Exit
from worker.stages.diagnosis import explain_death, explain_failure

_KILLED = Exit.from_code(-9)
_STAGES = {
    TrialStatus.STARTING: "before it was ready",
    TrialStatus.VERIFYING: "while its answers were verified",
    TrialStatus.WARMING_UP: "during the warm-up",
    TrialStatus.MEASURING: "under load",
    TrialStatus.COLLECTING: "after the load",
}


class _Pod:
    """A pod with the methods that the diagnosis calls."""

    def __init__(
        self, services: Mapping[str, PodRole], exits: Mapping[str, Exit], *, is_lost: bool = False
    ) -> None:
        self.services = services
        self._exits = exits
        self._is_lost = is_lost

    def check(self) -> None:
        if self._is_lost:
            raise PodLost("The container that holds the trial's network was stopped from outside.")

    def find_exit(self, name: str) -> Exit | None:
        return self._exits.get(name)

    def logs(self, name: str) -> str:
        return f"first line of {name}\n\nlast line of {name}\n"


_SERVICES = {
    "mock-upstream": PodRole.BACKING,
    "catalog": PodRole.SERVICE,
    "service": PodRole.SERVICE,
}
_REFUTED = VerificationFailed("12 of 12 checks failed.")
_CUT_OFF = LoadGeneratorDied("The load generator was killed before the load was complete.")


@pytest.mark.parametrize(("stage", "when"), _STAGES.items())
@pytest.mark.parametrize(
    ("name", "named", "cause"),
    [
        ("service", "The service was killed by SIGKILL", FailureCause.SERVICE),
        ("catalog", "The peer catalog of the service was killed by SIGKILL", FailureCause.SERVICE),
        (
            "mock-upstream",
            "The backing service mock-upstream was killed by SIGKILL",
            FailureCause.INFRASTRUCTURE,
        ),
    ],
)
def test_the_dead_part_is_named_in_every_stage(
    stage: TrialStatus, when: str, name: str, named: str, cause: FailureCause
) -> None:
    error = explain_death(name, _SERVICES[name], _KILLED, stage, f"one\nthe end of {name}")

    assert error.cause == cause
    assert error.detail.startswith(named)
    assert "possibly out of memory" in error.detail
    assert when in error.detail
    assert f"the end of {name}" in error.detail


@pytest.mark.parametrize(
    ("error", "exits", "is_lost", "expected"),
    [
        (_REFUTED, {}, False, VerificationFailed),
        (_REFUTED, {"service": _KILLED}, False, ServiceDied),
        (_REFUTED, {"catalog": Exit(code=1)}, False, ServiceDied),
        (_REFUTED, {"service": _KILLED, "mock-upstream": _KILLED}, False, BackingServiceDied),
        (_CUT_OFF, {}, False, LoadGeneratorDied),
        (_CUT_OFF, {"service": _KILLED}, False, ServiceDied),
        (_CUT_OFF, {"service": _KILLED}, True, PodLost),
        (LoadFailed("It ended."), {}, True, PodLost),
        (
            StartFailed("It was not ready.", ""),
            {"mock-upstream": _KILLED},
            False,
            BackingServiceDied,
        ),
    ],
)
def test_the_first_death_explains_later_failures(
    error: TachoError, exits: Mapping[str, Exit], is_lost: bool, expected: type[TachoError]
) -> None:
    pod = cast("Pod", _Pod(_SERVICES, exits, is_lost=is_lost))

    explained = explain_failure(pod, error, TrialStatus.VERIFYING)

    assert type(explained) is expected
    assert explained.detail.strip()
