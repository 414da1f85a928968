"""The catalogue of faults: target, action, stages, and allowed outcomes."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Literal

from backend.core.statuses import TrialStatus
from backend.core.units import FailureCause, RuntimeKind


class Target(StrEnum):
    """The target of a fault."""

    WORKER = "worker"
    K6 = "k6"
    SERVICE = "service"
    PEER = "peer"
    BACKING = "backing service"
    HOLDER = "holder"
    API = "api"
    DISPATCHER = "dispatcher"
    REDIS = "redis"
    BACKEND = "database backend"
    DATABASE = "database"
    SUPERVISOR = "supervisor"
    MESSAGES = "messages"
    NETWORK = "network to the database"
    DATA_DISK = "disk of the data folder"
    DATABASE_DISK = "disk of the database"
    ENGINE = "engine"
    ENGINE_DISK = "disk of the engine"
    EVERY_PART = "every part"


class Action(StrEnum):
    """The action of a fault on its target."""

    KILL = "SIGKILL"
    STOP = "SIGSTOP"
    TERMINATE = "pg_terminate_backend"
    REMOVE = "remove container"
    KILL_EACH_ATTEMPT = "SIGKILL on each attempt"
    CRASH_LOOP = "crash loop"
    SECOND = "second of the same host"
    LOSE = "lost"
    REPEAT = "repeated"
    CUT = "cut"
    FILL = "full"
    SET_AHEAD = "clock + 1 h"
    SET_BACK = "clock - 1 h"


# The dispatcher's transaction that finalizes a run, after the end of its last trial.
FINALIZING: Literal["finalizing"] = "finalizing"
Stage = TrialStatus | Literal["finalizing"]

# The outcome of a trial: a result, or a failure with one of these causes.
SUCCESS: Literal["success"] = "success"
Outcome = FailureCause | Literal["success"]

_EVERY_STAGE = (
    TrialStatus.BUILDING,
    TrialStatus.STARTING,
    TrialStatus.VERIFYING,
    TrialStatus.WARMING_UP,
    TrialStatus.MEASURING,
    TrialStatus.COLLECTING,
)
_LOAD_STAGES = (TrialStatus.WARMING_UP, TrialStatus.MEASURING)
_K6_STAGES = (TrialStatus.STARTING, TrialStatus.VERIFYING, *_LOAD_STAGES)
_MEASURING = (TrialStatus.MEASURING,)
# The next message is for the worker, and then for the dispatcher, which finalizes the run.
_AWAITS_MESSAGE = (TrialStatus.QUEUED, TrialStatus.COLLECTING)
# Without the right to mount disks, these targets are left out.
DISK_TARGETS = frozenset({Target.DATA_DISK, Target.DATABASE_DISK})
# They need a Docker engine that nothing else uses.
ENGINE_TARGETS = frozenset({Target.ENGINE, Target.ENGINE_DISK})

_SUCCEEDS: frozenset[Outcome] = frozenset({SUCCESS})
_BLAMES_SERVICE: frozenset[Outcome] = frozenset({FailureCause.SERVICE})
_BLAMES_K6: frozenset[Outcome] = frozenset({FailureCause.LOAD_GENERATOR})
_BLAMES_HOST: frozenset[Outcome] = frozenset({FailureCause.INFRASTRUCTURE})
_BOTH_RUNTIMES = frozenset(RuntimeKind)
_DOCKER = frozenset({RuntimeKind.DOCKER})


@dataclass(frozen=True)
class Kind:
    """A kind of fault.

    Attributes:
        stages: stages of a trial or a run at which it may be injected.
        allowed: allowed outcomes of the trial.
        hold_s: minimum and maximum time for which a stopped target stays stopped.
        loads: names of loads (`tools.chaos.load`) that have the target; empty for all.
        is_long: takes most of a minute, so small plans leave it out.
        is_unnoticed: the first attempt must succeed, and on time.
        is_unrepeated: the first attempt must succeed.
    """

    target: Target
    action: Action
    stages: tuple[Stage, ...]
    allowed: frozenset[Outcome] = _SUCCEEDS
    hold_s: tuple[float, float] = (0.0, 0.0)
    loads: tuple[str, ...] = ()
    runtimes: frozenset[RuntimeKind] = _BOTH_RUNTIMES
    is_long: bool = False
    is_unnoticed: bool = False
    is_unrepeated: bool = False

    @property
    def name(self) -> str:
        """Target and action, for tables."""
        hold = f" {self.hold_s[1]:.0f} s" if self.hold_s[1] else ""
        return f"{self.target}: {self.action}{hold}"


_STAGES_WITH_SERVICE = (TrialStatus.STARTING, TrialStatus.VERIFYING, *_LOAD_STAGES)

KINDS: tuple[Kind, ...] = (
    Kind(Target.WORKER, Action.KILL, _EVERY_STAGE),
    Kind(Target.WORKER, Action.STOP, _EVERY_STAGE, hold_s=(2, 5)),
    Kind(Target.WORKER, Action.STOP, _MEASURING, hold_s=(84, 86), is_long=True),
    Kind(Target.WORKER, Action.CRASH_LOOP, _MEASURING, is_long=True),
    Kind(Target.WORKER, Action.SECOND, _MEASURING),
    Kind(Target.K6, Action.KILL, _K6_STAGES),
    Kind(Target.K6, Action.KILL, _LOAD_STAGES),
    Kind(
        Target.K6,
        Action.KILL_EACH_ATTEMPT,
        (TrialStatus.VERIFYING, *_LOAD_STAGES),
        allowed=_BLAMES_K6,
    ),
    Kind(Target.K6, Action.STOP, _LOAD_STAGES, hold_s=(1, 2), allowed=_SUCCEEDS | _BLAMES_K6),
    Kind(Target.SERVICE, Action.KILL, _STAGES_WITH_SERVICE, allowed=_BLAMES_SERVICE),
    Kind(Target.SERVICE, Action.KILL, _LOAD_STAGES, allowed=_BLAMES_SERVICE),
    Kind(
        Target.SERVICE,
        Action.STOP,
        _STAGES_WITH_SERVICE,
        hold_s=(1, 3),
        allowed=_SUCCEEDS | _BLAMES_SERVICE,
    ),
    Kind(Target.PEER, Action.KILL, _STAGES_WITH_SERVICE, allowed=_BLAMES_SERVICE, loads=("chain",)),
    Kind(
        Target.PEER,
        Action.STOP,
        _STAGES_WITH_SERVICE,
        hold_s=(1, 3),
        allowed=_SUCCEEDS | _BLAMES_SERVICE,
        loads=("chain",),
    ),
    Kind(
        Target.BACKING,
        Action.STOP,
        (TrialStatus.VERIFYING, *_LOAD_STAGES),
        hold_s=(1, 3),
        allowed=_SUCCEEDS | _BLAMES_HOST,
        loads=("slow-upstream",),
    ),
    Kind(
        Target.BACKING,
        Action.KILL,
        (TrialStatus.VERIFYING, *_LOAD_STAGES),
        loads=("slow-upstream",),
    ),
    Kind(Target.API, Action.KILL, _EVERY_STAGE),
    Kind(Target.API, Action.STOP, _LOAD_STAGES, hold_s=(2, 5)),
    Kind(Target.DISPATCHER, Action.KILL, _EVERY_STAGE, is_unnoticed=True),
    Kind(Target.DISPATCHER, Action.STOP, _LOAD_STAGES, hold_s=(2, 5), is_unnoticed=True),
    Kind(Target.REDIS, Action.KILL, _EVERY_STAGE, is_unnoticed=True),
    Kind(Target.REDIS, Action.STOP, _EVERY_STAGE, hold_s=(3, 20), is_unnoticed=True),
    Kind(Target.REDIS, Action.STOP, _LOAD_STAGES, hold_s=(95, 95), is_long=True, is_unnoticed=True),
    Kind(Target.BACKEND, Action.TERMINATE, _EVERY_STAGE),
    Kind(Target.BACKEND, Action.KILL, _EVERY_STAGE),
    Kind(Target.BACKEND, Action.STOP, _EVERY_STAGE, hold_s=(1, 8)),
    Kind(Target.DATABASE, Action.KILL, _EVERY_STAGE),
    Kind(Target.DATABASE, Action.STOP, _EVERY_STAGE, hold_s=(1, 8)),
    Kind(Target.SUPERVISOR, Action.KILL, _LOAD_STAGES),
    # It restarts no part meanwhile: the dispatcher is killed too.
    Kind(Target.SUPERVISOR, Action.STOP, _EVERY_STAGE, hold_s=(3, 8), is_unnoticed=True),
    *(
        Kind(target, action, (FINALIZING,), hold_s=hold_s, is_unrepeated=True)
        for target, action, hold_s in (
            (Target.WORKER, Action.KILL, (0, 0)),
            (Target.WORKER, Action.STOP, (2, 5)),
            (Target.DISPATCHER, Action.KILL, (0, 0)),
            (Target.DISPATCHER, Action.STOP, (2, 5)),
            (Target.REDIS, Action.KILL, (0, 0)),
            (Target.REDIS, Action.STOP, (3, 8)),
            (Target.BACKEND, Action.TERMINATE, (0, 0)),
            (Target.BACKEND, Action.KILL, (0, 0)),
            (Target.BACKEND, Action.STOP, (1, 8)),
            (Target.DATABASE, Action.KILL, (0, 0)),
            (Target.DATABASE, Action.STOP, (1, 8)),
        )
    ),
    Kind(Target.MESSAGES, Action.LOSE, _AWAITS_MESSAGE, hold_s=(2, 4), is_unrepeated=True),
    Kind(Target.MESSAGES, Action.REPEAT, _AWAITS_MESSAGE, hold_s=(2, 4), is_unrepeated=True),
    Kind(Target.NETWORK, Action.CUT, _EVERY_STAGE[1:], hold_s=(5, 5), is_unrepeated=True),
    Kind(
        Target.NETWORK,
        Action.CUT,
        _LOAD_STAGES,
        hold_s=(30, 30),
        is_long=True,
        is_unrepeated=True,
    ),
    # Longer than a lease: the trial is repeated, unless its measurement ends during the cut.
    Kind(Target.NETWORK, Action.CUT, _STAGES_WITH_SERVICE, hold_s=(120, 120), is_long=True),
    Kind(Target.DATA_DISK, Action.FILL, _EVERY_STAGE, hold_s=(3, 15)),
    Kind(Target.DATABASE_DISK, Action.FILL, _EVERY_STAGE, hold_s=(3, 15)),
    *(
        Kind(
            target, action, _EVERY_STAGE, hold_s=(3, 8), is_unrepeated=True, is_unnoticed=unnoticed
        )
        for target, unnoticed in (
            (Target.WORKER, False),
            (Target.API, True),
            (Target.DISPATCHER, True),
        )
        for action in (Action.SET_AHEAD, Action.SET_BACK)
    ),
    # Its clock decides leases, so a trial may be repeated.
    *(
        Kind(target, action, _EVERY_STAGE, hold_s=(3, 8))
        for target in (Target.DATABASE, Target.EVERY_PART)
        for action in (Action.SET_AHEAD, Action.SET_BACK)
    ),
    Kind(
        Target.SERVICE,
        Action.REMOVE,
        _STAGES_WITH_SERVICE,
        allowed=_SUCCEEDS | _BLAMES_HOST,
        runtimes=_DOCKER,
    ),
    Kind(
        Target.BACKING,
        Action.REMOVE,
        (TrialStatus.VERIFYING, *_LOAD_STAGES),
        loads=("slow-upstream",),
        runtimes=_DOCKER,
    ),
    Kind(Target.HOLDER, Action.KILL, _K6_STAGES, runtimes=_DOCKER),
    Kind(Target.HOLDER, Action.REMOVE, _K6_STAGES, runtimes=_DOCKER),
    Kind(Target.ENGINE, Action.KILL, _EVERY_STAGE, runtimes=_DOCKER),
    Kind(Target.ENGINE, Action.STOP, _EVERY_STAGE, hold_s=(2, 8), runtimes=_DOCKER),
    Kind(Target.ENGINE_DISK, Action.FILL, _EVERY_STAGE, hold_s=(3, 15), runtimes=_DOCKER),
)
