"""The record of an injected fault, and the error if it could not be injected."""

import time
from dataclasses import dataclass, field


class Missed(Exception):
    """The run passed the stage before the fault could be injected."""


@dataclass
class Injected:
    """An injected fault, with its trial and its time (monotonic seconds)."""

    run_id: str
    trial_id: str
    stage: str
    begin_s: float = field(default_factory=time.monotonic)
    end_s: float = 0.0
    notes: list[str] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
