"""The context that a trial passes from stage to stage."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Protocol

from backend.core.runs.live.events import LoadSecond, UsageSecond
from backend.core.statuses import TrialStatus
from backend.core.units import Phase
from worker.bench.bench import Bench
from worker.stages.assignment import Assignment
from worker.stages.turns import Turn
from worker.stages.watch import Watch


class TrialProgress(Protocol):
    """Reports the stages of a trial, and live values while a stage runs."""

    @property
    def stage(self) -> TrialStatus:
        """Return the present stage of the trial."""
        ...

    def enter(self, stage: TrialStatus, *, is_awaited: bool = True) -> None:
        """Report that a stage begins; without `is_awaited`, do not wait until it is stored.

        Raises:
            TakenOver: this worker no longer holds the trial.
        """
        ...

    def sample(self, phase: Phase, second: int, load: LoadSecond, usage: UsageSecond) -> None:
        """Report the values of a second of the load."""
        ...

    def log(self, name: str, line: str) -> None:
        """Report a line that the part `name` of the trial wrote."""
        ...


@dataclass(frozen=True)
class TrialContext:
    """The parts of a trial that all its stages share.

    Attributes:
        progress: reports stages and live values.
        watch: stops the trial when it must not go on, and limits how long a stage may take.
        is_stopping: whether this process is being stopped.
        logs: output of the trial's parts by name. Stages add to it.
        on_verified: called with the pod, the materials and the ready service before the load.
        turn: of a trial whose load takes turns with that of another.
    """

    bench: Bench
    assignment: Assignment
    progress: TrialProgress
    watch: Watch
    is_stopping: Callable[[], bool] = lambda: False
    logs: dict[str, str] = field(default_factory=dict)
    on_verified: Callable[..., None] | None = None
    turn: Turn | None = None
