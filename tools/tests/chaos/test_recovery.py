"""A part has recovered once it gives an answer that needs it, not once its process exists."""

from typing import cast

import pytest

from backend.core.statuses import TrialStatus
from backend.core.units import RuntimeKind
from tools.chaos.database import DatabaseProbe
from tools.chaos.faults import FINALIZING, KINDS, Action, Stage, Target
from tools.chaos.injected import Injected
from tools.chaos.installation import ChaosInstallation
from tools.chaos.plan import Fault
from tools.chaos.recovery import Probes


class StubDatabase:
    """A database with one trial."""

    status: str = TrialStatus.MEASURING
    heartbeat = 0
    finalized = False

    def read_progress(self, _trial_id: str, _host: str) -> tuple[object, ...]:
        return self.status, 1, None, self.heartbeat

    def get_trial(self, _trial_id: str) -> tuple[str, int]:
        return self.status, 1

    def is_finalized(self, _run_id: str) -> bool:
        return self.finalized


class StubInstallation:
    """An installation whose processes exist."""

    host = far_host = "stub"
    dispatcher_answers = False

    def __init__(self) -> None:
        self.stub = StubDatabase()
        self.database = cast("DatabaseProbe", self.stub)

    def find_part(self, _name: str) -> object:
        return object()

    def answers_dispatcher(self) -> bool:
        return self.dispatcher_answers


_HEARTBEAT = {"heartbeat": 1}
_GOES_ON = {"status": TrialStatus.COLLECTING}


@pytest.mark.parametrize(
    ("target", "action", "stage", "change"),
    [
        (Target.DISPATCHER, Action.KILL, TrialStatus.MEASURING, {"dispatcher_answers": True}),
        (Target.WORKER, Action.STOP, TrialStatus.MEASURING, _HEARTBEAT),
        (Target.WORKER, Action.SECOND, TrialStatus.MEASURING, _HEARTBEAT),
        (Target.WORKER, Action.SET_AHEAD, TrialStatus.MEASURING, _HEARTBEAT),
        (Target.K6, Action.STOP, TrialStatus.MEASURING, _GOES_ON),
        (Target.SERVICE, Action.STOP, TrialStatus.MEASURING, _GOES_ON),
        (Target.PEER, Action.STOP, TrialStatus.MEASURING, _GOES_ON),
        (Target.BACKING, Action.STOP, TrialStatus.MEASURING, _GOES_ON),
        (Target.SERVICE, Action.KILL, TrialStatus.MEASURING, {"status": TrialStatus.FAILED}),
        (Target.DISPATCHER, Action.KILL, FINALIZING, {"finalized": True}),
    ],
)
def test_a_part_has_recovered_after_an_answer_that_needs_it(
    target: Target, action: Action, stage: Stage, change: dict[str, object]
) -> None:
    installation = StubInstallation()
    kind = next(kind for kind in KINDS if (kind.target, kind.action) == (target, action))
    fault = Fault(1, kind, RuntimeKind.PROCESS, stage, "node", 1, 0.0, 0.0)
    injected = Injected("run", "trial", stage)
    probes = Probes(cast("ChaosInstallation", installation), None, fault, injected)
    has_recovered = probes.find()

    if change is not _HEARTBEAT:
        installation.stub.heartbeat += 1
    installation.dispatcher_answers = stage == FINALIZING
    assert not has_recovered()
    for name, value in change.items():
        setattr(installation if hasattr(installation, name) else installation.stub, name, value)
    assert has_recovered()
