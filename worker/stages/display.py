"""Reports the stages of a trial that is stored nowhere."""

from collections.abc import Callable

from backend.core.runs.live.events import LoadSecond, UsageSecond
from backend.core.statuses import TrialStatus
from backend.core.units import Phase


class StageDisplay:
    """Reports stages to a callback; there is no live view."""

    def __init__(self, on_stage: Callable[[str], None]) -> None:
        self._on_stage = on_stage
        self._stage = TrialStatus.BUILDING
        on_stage(self._stage.value)

    @property
    def stage(self) -> TrialStatus:
        """Return the present stage."""
        return self._stage

    def enter(self, stage: TrialStatus, *, is_awaited: bool = True) -> None:  # noqa: ARG002
        """Report that a stage begins."""
        self._stage = stage
        self._on_stage(stage.value)

    def sample(self, phase: Phase, second: int, load: LoadSecond, usage: UsageSecond) -> None:
        """Do nothing."""

    def log(self, name: str, line: str) -> None:
        """Do nothing."""
