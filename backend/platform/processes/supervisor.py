"""Run the parts of Tacho: start them in order, restart parts that die, and stop all in order."""

import errno
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

from backend.platform.disk import explain_full_disk
from backend.platform.layout import Layout
from backend.platform.processes.guard import end_children
from backend.platform.processes.leftovers import reap_adopted
from backend.platform.processes.part_states import PartState, write_part_states
from backend.platform.processes.programs import ProgramSpec, RunningProgram

_TICK_S = 0.2
# If a part ran this long, its next failure counts as the first.
_HEALTHY_S = 60.0
_LONGEST_BACKOFF_S = 60.0
_AT_ONCE_S = 5.0
# From this failure on, the terminal gets one line for each death instead of the log's end.
_BRIEF_AFTER = 5
_SHOWN_LINES = 15


def backoff_s(failures: int) -> float:
    """Return the seconds before restart number `failures` (1, 2, …): 0.5, 1, 2 … 60."""
    # 2 ** 10 exceeds the limit, and much larger powers would overflow.
    return min(0.5 * 2.0 ** min(failures - 1, 10), _LONGEST_BACKOFF_S)


@dataclass
class _Watched:
    program: RunningProgram
    failures: int = 0
    restarts: int = 0
    restart_at_s: float | None = None
    reason: str = ""
    last_lines: list[str] = field(default_factory=list)
    failed_at: datetime | None = None

    def state(self) -> PartState:
        """Return the state of the part for the file of states."""
        waits_s = None if self.restart_at_s is None else self.restart_at_s - time.monotonic()
        return PartState(
            name=self.program.part.name,
            is_well=self.failures == 0,
            restarts=self.restarts,
            reason=self.reason or None,
            last_lines=self.last_lines,
            failed_at=self.failed_at,
            next_try_at=None
            if waits_s is None
            else datetime.now(UTC) + timedelta(seconds=max(0.0, waits_s)),
        )


@dataclass
class Supervisor:
    """The parts of an installation. `say` receives a line of text when a part dies or returns.

    `kept` holds the ids of other children of this process, which other code waits for. The state of
    each part is in the file `layout.part_states`, which the API reads.
    """

    layout: Layout
    say: Callable[[str], None]
    kept: set[int] = field(default_factory=set)
    _waves: list[list[_Watched]] = field(default_factory=list)

    def start(self, parts: Sequence[ProgramSpec]) -> None:
        """Start a wave of parts at once and wait until each is ready.

        Raises:
            PartFailed: a part ended or was not ready in time.
        """
        wave: list[_Watched] = []
        self._waves.append(wave)
        for part in parts:
            # One by one, so that `stop` knows the parts that started before a part that fails.
            wave.append(_Watched(RunningProgram(part, self.layout)))  # noqa: PERF401
        for watched in wave:
            watched.program.wait_ready()
        self._write_states()

    def watch(self, is_over: Callable[[], bool]) -> None:
        """Restart each part that dies, with growing pauses, until `is_over()` is true or an
        exception arrives."""
        while not is_over():
            if self.tend():
                # If a guard was killed, this process has adopted what its part started.
                end_children(kept=self._guards() | self.kept)
            reap_adopted(self._guards() | self.kept)
            time.sleep(_TICK_S)

    def tend(self) -> bool:
        """Check every part and its log once, and restart dead parts whose pause is over.

        Returns whether the state of a part changed.
        """
        for watched in self._all():
            watched.program.bound_log()
        changed = [self._tend(watched) for watched in self._all()]
        if any(changed):
            self._write_states()
        return any(changed)

    def stop(self) -> None:
        """Stop the waves in reverse order, each within its longest grace period."""
        while self._waves:
            self.stop_last()
        self.layout.part_states.unlink(missing_ok=True)

    def stop_at_once(self) -> None:
        """Stop all parts together within 5 s, as their guards do when this process is killed."""
        for watched in self._all():
            watched.program.hang_up()
        deadline = time.monotonic() + _AT_ONCE_S
        for watched in self._all():
            watched.program.finish(deadline)
        self._waves.clear()
        self.layout.part_states.unlink(missing_ok=True)

    def stop_last(self) -> None:
        """Stop the wave that was started last, within its longest grace period."""
        wave, now = self._waves[-1], time.monotonic()
        for watched in wave:
            watched.program.ask_to_stop()
        for watched in wave:
            watched.program.finish(now + watched.program.part.grace_s)
        self._waves.pop()

    def _guards(self) -> frozenset[int]:
        return frozenset(watched.program.guard_pid for watched in self._all())

    def _all(self) -> list[_Watched]:
        return [watched for wave in self._waves for watched in wave]

    def _write_states(self) -> None:
        try:
            write_part_states(self.layout.part_states, [watched.state() for watched in self._all()])
        except OSError as error:
            self.say(f"The state of the parts could not be written: {error}")

    def _tend(self, watched: _Watched) -> bool:
        """Return whether the state of the part changed."""
        program, now = watched.program, time.monotonic()
        if watched.restart_at_s is not None:
            return now >= watched.restart_at_s and self._restart(watched)
        is_healthy = now - program.started_s > _HEALTHY_S
        if program.exit_code() is not None:
            watched.failures = 1 if is_healthy else watched.failures + 1
            self._note_death(watched, program.describe_exit(), program.last_lines(_SHOWN_LINES))
            program.finish(now)
            return True
        if is_healthy and watched.failures:
            watched.failures = 0
            return True
        return False

    def _restart(self, watched: _Watched) -> bool:
        part = watched.program.part
        try:
            watched.program = RunningProgram(part, self.layout)
        except OSError as error:
            watched.failures += 1
            reason = "could not be started: " + (
                explain_full_disk(self.layout.data)
                if error.errno == errno.ENOSPC
                else (error.strerror or str(error))
            )
            self._note_death(watched, reason, [])
            return True
        watched.restart_at_s = None
        watched.restarts += 1
        if watched.failures < _BRIEF_AFTER:
            self.say(f"{part.name} is running again.")
        return True

    def _note_death(self, watched: _Watched, reason: str, last_lines: list[str]) -> None:
        name, pause = watched.program.part.name, backoff_s(watched.failures)
        watched.reason, watched.last_lines = reason, last_lines
        watched.failed_at = datetime.now(UTC)
        watched.restart_at_s = time.monotonic() + pause
        if watched.failures < _BRIEF_AFTER:
            log = watched.program.show_lines(last_lines)
            self.say(f"{name} {reason}.\n{log}\nRestarting it in {pause:.1f} s.")
        else:
            self.say(
                f"{name} {reason}, {watched.failures} times in a row; see {watched.program.log}. "
                f"Restarting it in {pause:.0f} s."
            )
