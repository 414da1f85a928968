"""The plan of faults, chosen by a seed, so that a seed repeats a session."""

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from backend.core.statuses import TrialStatus
from backend.core.units import RuntimeKind
from tools.chaos.faults import ENGINE_TARGETS, FINALIZING, KINDS, Kind, Stage, Target
from tools.chaos.load import COMPILED, LOADS

# In a session with both runtimes, one fault in four is in Docker.
_DOCKER_SHARE = 4
# A smaller plan leaves out faults that take a minute, and in both runtimes also those for which an
# engine of their own must start.
_FEWEST_WITH_LONG = 30
# A fault is at a random moment of its stage. Only stages with load last for seconds.
_LONGEST_DELAY_S = 0.5
_LONGEST_DELAYS_S: dict[Stage, float] = {
    TrialStatus.WARMING_UP: 1.5,
    TrialStatus.MEASURING: 1.5,
    # The transaction took 0.07 to 1.8 s on a busy machine with two CPUs.
    FINALIZING: 0.1,
}
# The chain starts seven programs, which most faults do not need.
_RARE_LOAD = "chain"


@dataclass(frozen=True)
class Fault:
    """A planned fault and its run.

    Attributes:
        delay_s: time from the detection of the stage to the fault.
        hold_s: how long a stopped target stays stopped.
    """

    number: int
    kind: Kind
    runtime: RuntimeKind
    stage: Stage
    load: str
    trials: int
    delay_s: float
    hold_s: float


def split_count(count: int, runtimes: Sequence[RuntimeKind]) -> dict[RuntimeKind, int]:
    """Return the number of faults in each runtime."""
    if len(runtimes) == 1:
        return {runtimes[0]: count}
    in_docker = max(1, count // _DOCKER_SHARE)
    return {RuntimeKind.PROCESS: count - in_docker, RuntimeKind.DOCKER: in_docker}


def make_plan(
    seed: int,
    count: int,
    runtimes: Sequence[RuntimeKind],
    without: frozenset[Target] = frozenset(),
) -> list[Fault]:
    """Return `count` faults, numbered from 1, grouped by runtime; none of the targets `without`."""
    if count < _FEWEST_WITH_LONG and len(runtimes) > 1:
        without |= ENGINE_TARGETS
    faults: list[Fault] = []
    for runtime, share in split_count(count, runtimes).items():
        chance = random.Random(f"{seed}/{runtime}")  # noqa: S311  no secret
        kinds = [kind for kind in KINDS if runtime in kind.runtimes and kind.target not in without]
        # Once is enough, in the runtime with the most faults.
        with_long = count >= _FEWEST_WITH_LONG and runtime is RuntimeKind.PROCESS
        for kind in _deal(chance, share, kinds, with_long=with_long):
            stages = _choose_stages(kind, runtime, is_both=len(runtimes) > 1)
            faults.append(_plan_fault(chance, len(faults) + 1, kind, runtime, stages))
    return faults


def list_left_out(
    wanted: Sequence[RuntimeKind], runtimes: Sequence[RuntimeKind], without: frozenset[Target]
) -> list[str]:
    """Return what this machine cannot do of the wanted runtimes: other runtimes than these, and
    the targets `without`."""
    found = [f"runtime {runtime}" for runtime in wanted if runtime not in runtimes]
    targets = {kind.target for kind in KINDS if not kind.runtimes.isdisjoint(wanted)}
    return found + sorted(str(target) for target in targets & without)


def _deal(
    chance: random.Random, count: int, kinds: Sequence[Kind], *, with_long: bool
) -> Iterator[Kind]:
    """Each kind occurs once before any kind occurs twice. Long faults occur at most once, and
    faults of containers come first."""
    own = [kind for kind in kinds if len(kind.runtimes) == 1]
    common = [kind for kind in kinds if len(kind.runtimes) > 1]
    quick = [kind for kind in common if not kind.is_long]
    first = _shuffled(chance, own) + _shuffled(chance, common if with_long else quick)
    dealt = 0
    while dealt < count:
        hand = first if dealt == 0 else _shuffled(chance, own + quick)
        for kind in hand[: count - dealt]:
            yield kind
            dealt += 1


def _choose_stages(kind: Kind, runtime: RuntimeKind, *, is_both: bool) -> Sequence[Stage]:
    """Return the stages of a kind. In both runtimes, only faults of the engine strike builds in
    Docker, because such a build takes minutes without the caches of earlier builds."""
    if not is_both or runtime is RuntimeKind.PROCESS or kind.target in ENGINE_TARGETS:
        return kind.stages
    return [stage for stage in kind.stages if stage != TrialStatus.BUILDING]


def _plan_fault(
    chance: random.Random,
    number: int,
    kind: Kind,
    runtime: RuntimeKind,
    stages: Sequence[Stage],
) -> Fault:
    stage = chance.choice(stages)
    loads = list(kind.loads) or [name for name in LOADS if name != _RARE_LOAD]
    load = chance.choice(loads)
    if stage is TrialStatus.BUILDING:
        load = COMPILED
    delay_s = chance.uniform(0, _LONGEST_DELAYS_S.get(stage, _LONGEST_DELAY_S))
    if kind.target is Target.MESSAGES:
        # It waits while the receiver is stopped.
        delay_s = 0.0
    return Fault(
        number=number,
        kind=kind,
        runtime=runtime,
        stage=stage,
        load=load,
        # Only the end of a run's last trial sends a message.
        trials=1 if kind.target is Target.MESSAGES else chance.choice((1, 2)),
        delay_s=round(delay_s, 3),
        hold_s=round(chance.uniform(*kind.hold_s), 1),
    )


def _shuffled(chance: random.Random, kinds: Sequence[Kind]) -> list[Kind]:
    return chance.sample(list(kinds), len(kinds))
