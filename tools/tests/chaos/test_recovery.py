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

    def __init__(self) -> None:
        self.status: str = TrialStatus.MEASURING
        self.attempt = 1
        self.heartbeat = 0
        self.finalized = False

    def read_progress(self, _trial_id: str, _host: str) -> tuple[object, ...]:
        return self.status, self.attempt, None, self.heartbeat

    def get_trial(self, _trial_id: str) -> tuple[str, int]:
        return self.status, self.attempt

    def is_finalized(self, _run_id: str) -> bool:
        return self.finalized


class StubInstallation:
    """An installation whose processes exist."""

    host = far_host = "stub"

    def __init__(self) -> None:
        self.stub = StubDatabase()
        self.database = cast("DatabaseProbe", self.stub)
        self.dispatcher_answers = False

    def find_part(self, _name: str) -> object:
        return object()

    def answers_dispatcher(self) -> bool:
        return self.dispatcher_answers


@pytest.fixture
def installation() -> StubInstallation:
    return StubInstallation()


def probe(
    installation: StubInstallation,
    target: Target,
    action: Action,
    stage: Stage = TrialStatus.MEASURING,
) -> Probes:
    kind = next(kind for kind in KINDS if (kind.target, kind.action) == (target, action))
    fault = Fault(1, kind, RuntimeKind.PROCESS, stage, "node", 1, 0.0, 0.0)
    injected = Injected("run", "trial", stage)
    return Probes(cast("ChaosInstallation", installation), None, fault, injected)


def test_a_dispatcher_that_does_not_answer_has_not_recovered(
    installation: StubInstallation,
) -> None:
    has_recovered = probe(installation, Target.DISPATCHER, Action.KILL).find()

    assert not has_recovered()
    installation.dispatcher_answers = True
    assert has_recovered()


@pytest.mark.parametrize("action", [Action.STOP, Action.SECOND, Action.SET_AHEAD])
def test_a_worker_has_recovered_once_it_writes_again(
    installation: StubInstallation, action: Action
) -> None:
    has_recovered = probe(installation, Target.WORKER, action).find()

    assert not has_recovered()
    installation.stub.heartbeat += 1
    assert has_recovered()


@pytest.mark.parametrize("target", [Target.K6, Target.SERVICE, Target.PEER, Target.BACKING])
def test_a_stopped_part_of_a_trial_has_recovered_once_the_trial_goes_on(
    installation: StubInstallation, target: Target
) -> None:
    has_recovered = probe(installation, target, Action.STOP).find()

    installation.stub.heartbeat += 1
    assert not has_recovered()
    installation.stub.status = TrialStatus.COLLECTING
    assert has_recovered()


def test_a_killed_service_has_recovered_once_the_trial_has_ended(
    installation: StubInstallation,
) -> None:
    has_recovered = probe(installation, Target.SERVICE, Action.KILL).find()

    assert not has_recovered()
    installation.stub.status = TrialStatus.FAILED
    assert has_recovered()


def test_a_finalization_has_recovered_once_the_run_is_finalized(
    installation: StubInstallation,
) -> None:
    installation.dispatcher_answers = True
    has_recovered = probe(installation, Target.DISPATCHER, Action.KILL, FINALIZING).find()

    assert not has_recovered()
    installation.stub.finalized = True
    assert has_recovered()
