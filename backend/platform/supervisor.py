"""Runs Tacho's parts side by side: starts them in order, restarts what dies, stops all in order."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from backend.platform.errors import PartFailed
from backend.platform.layout import Layout
from backend.platform.leftovers import reap_adopted
from backend.platform.programs import Part, Program

_TICK_S = 0.2
# A part that ran this long was healthy: its next failure counts as the first.
_HEALTHY_S = 60.0
_MOST_FAILURES = 5
_LONGEST_BACKOFF_S = 16.0


def backoff_s(failures: int) -> float:
    """Seconds to wait before restart number `failures` (1, 2, …): 0.5, 1, 2 … 16."""
    return min(0.5 * 2.0 ** (failures - 1), _LONGEST_BACKOFF_S)


@dataclass
class _Watched:
    program: Program
    failures: int = 0
    restart_at_s: float | None = None


@dataclass
class Supervisor:
    """The parts of one installation; `say` gets a line for a person when a part dies or returns."""

    layout: Layout
    say: Callable[[str], None]
    _waves: list[list[_Watched]] = field(default_factory=list)

    def start(self, parts: Sequence[Part]) -> None:
        """Starts a wave of parts at once and waits until each is ready.

        Raises:
            PartFailed: one ended or was not ready in time.
        """
        wave: list[_Watched] = []
        self._waves.append(wave)
        for part in parts:
            # One by one: `stop` must know those that started before one that cannot.
            wave.append(_Watched(Program(part, self.layout)))  # noqa: PERF401
        for watched in wave:
            watched.program.wait_ready()

    def watch(self, is_over: Callable[[], bool]) -> None:
        """Restarts whatever dies, with growing pauses, until `is_over()` or an exception.

        Raises:
            PartFailed: a part died five times without a healthy minute in between.
        """
        while not is_over():
            self.tend()
            reap_adopted({watched.program.pid for watched in self._all()})
            time.sleep(_TICK_S)

    def tend(self) -> None:
        """One look at every part; raises PartFailed as `watch` does."""
        for watched in self._all():
            self._tend(watched)

    def stop(self) -> None:
        """Stops the waves, last started first, each within its longest grace."""
        for wave in reversed(self._waves):
            now = time.monotonic()
            for watched in wave:
                watched.program.ask_to_stop()
            for watched in wave:
                watched.program.finish(now + watched.program.part.grace_s)
        self._waves.clear()

    def _all(self) -> list[_Watched]:
        return [watched for wave in self._waves for watched in wave]

    def _tend(self, watched: _Watched) -> None:
        program = watched.program
        now = time.monotonic()
        if watched.restart_at_s is None:
            if program.exit_code() is None:
                return
            healthy = now - program.started_s > _HEALTHY_S
            watched.failures = 1 if healthy else watched.failures + 1
            death = f"{program.part.name} {program.describe_exit()}.\n{program.last_lines()}"
            program.finish(now)
            if watched.failures >= _MOST_FAILURES:
                raise PartFailed(f"{death}\nIt died {watched.failures} times in a row.")
            pause = backoff_s(watched.failures)
            watched.restart_at_s = now + pause
            self.say(f"{death}\nRestarting it in {pause:.1f} s.")
        elif now >= watched.restart_at_s:
            watched.program = Program(program.part, self.layout)
            watched.restart_at_s = None
            self.say(f"{program.part.name} is running again.")
