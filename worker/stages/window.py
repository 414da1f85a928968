"""Decides during a load which seconds count, from past seconds only."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from backend.core.measurement.measurements.steadiness import (
    MIN_CAP_SECONDS,
    Glimpse,
    find_obstacle,
    find_unsteadiness,
    span_seconds,
)
from backend.core.measurement.measurements.steps import has_failed
from backend.core.units import Phase, ProfileKind
from worker.sampling.sampler import ResourceSecond
from worker.stages.seconds import SecondSum
from worker.stages.turns import Turn

# k6 knows from the start when each step begins, and from when requests count. So the warm-up of
# these loads cannot end early.
_BEGIN_AT_CAP = frozenset({ProfileKind.STEPS, ProfileKind.COUNT})


@dataclass(frozen=True)
class WarmUp:
    """How a load warmed up.

    `is_steady` is None if that was not judged; see `detail`. `has_obstacle` is whether the
    service did not answer, or still compiled, at the limit of the warm-up.
    """

    seconds: int
    cap_seconds: int
    is_steady: bool | None
    detail: str
    has_obstacle: bool = False


class Window:
    """The measured seconds of a load: from `begin` to before `end`, which are None until decided.

    The window begins with the first second that has not begun when the load is found steady, or at
    the cap. For a load in steps and for a load of a count it begins at the cap in any case. The
    window of a script begins there, too: a script decides its own load, so Tacho does not judge
    whether it is steady. Steps end with the first step that fails. Seconds of a pause between two
    steps lie in the window, and belong to no step. A load of a count ends with the second in which
    its last request was sent, which is known once the second has passed. The windows of two loads
    that take turns begin once both are steady, or at the cap.
    """

    def __init__(
        self, kind: ProfileKind, parameters: Mapping[str, int], turn: Turn | None = None
    ) -> None:
        self._kind = kind
        self._turn = turn
        self._parameters = parameters
        self._cap = parameters["warm_up_seconds"]
        self._is_judged = self._cap >= MIN_CAP_SECONDS and kind is not ProfileKind.SCRIPT
        self._step_seconds = parameters.get("step_seconds", 0)
        # Loads of older versions had no pause.
        self._drain_seconds = parameters.get("drain_seconds", 0)
        self.begin: int | None = None
        self.end: int | None = None
        self.warm_up: WarmUp | None = None
        # Of a load that was found steady, while the other load of a pair warms up.
        self._steady_detail = ""
        if not self._cap:
            self._open(0, None, "There was no warm-up.")

    def locate(self, second: int) -> tuple[Phase, int] | None:
        """Return the phase of a second and its number in the phase.

        Returns:
            None after the window, and in a pause between two steps, which is not counted.
        """
        if self.begin is None or second < self.begin:
            return Phase.WARM_UP, second
        if self.end is not None and second >= self.end:
            return None
        if self._kind is not ProfileKind.STEPS:
            return Phase.MEASURE, second - self.begin
        step, within = divmod(second - self.begin, self._step_seconds + self._drain_seconds)
        if within >= self._step_seconds:
            return None
        return Phase.MEASURE, step * self._step_seconds + within

    def take(
        self, second: int, sums: Mapping[int, SecondSum], rows: Sequence[ResourceSecond]
    ) -> None:
        """Decide after a second has passed.

        Args:
            second: the last second that k6 has reported.
            sums: all seconds up to it.
            rows: their resources so far.
        """
        if self.begin is None:
            self._look_back(second, sums, rows)
        elif self._kind is ProfileKind.STEPS and self.end is None:
            self._pass_steps(second, sums)
        elif self._kind is ProfileKind.COUNT and self.end is None:
            self._pass_count(second, sums)

    def is_over(self, second: int) -> bool:
        """Return whether a past second is the window's last second or later."""
        return self.end is not None and second >= self.end - 1

    def _look_back(
        self, second: int, sums: Mapping[int, SecondSum], rows: Sequence[ResourceSecond]
    ) -> None:
        passed = second + 1
        if not self._is_judged:
            if passed == self._cap:
                self._open(passed, None, self._describe_given())
            return
        # The longer a load goes on, the longer it must have been steady.
        span = max(span_seconds(self._cap), passed // 2)
        if passed < (self._cap if self._kind in _BEGIN_AT_CAP else span):
            return
        is_closed = self._kind not in {ProfileKind.RATE, ProfileKind.STEPS}
        glimpses, reason = _glimpse(passed, sums, rows), None
        if not self._steady_detail:
            reason = find_unsteadiness(
                glimpses,
                span,
                is_closed=is_closed,
                is_last=passed == self._cap,
            )
            if reason is None:
                self._steady_detail = f"The load was steady for {span} s."
        if reason is None:
            begin = self._find_begin(passed)
            if begin is not None:
                self._open(begin, True, self._steady_detail)
        elif passed == self._cap:
            self._open(
                passed,
                False,
                f"The warm-up ended at its limit of {self._cap} s, not steady: {reason}.",
                has_obstacle=find_obstacle(glimpses, span) is not None,
            )

    def _find_begin(self, passed: int) -> int | None:
        """Return the first second that counts; None while the other load of a pair warms up."""
        # The next second has begun: k6 reports a second 0.1 s to 0.4 s after its end.
        begin = passed + 1
        if self._turn is not None and passed < self._cap:
            agreed = self._turn.agree(begin)
            if agreed is None:
                return None
            begin = max(begin, agreed)
        return min(begin, self._cap)

    def _describe_given(self) -> str:
        given = f"took the {self._cap} s it was given."
        if self._kind is ProfileKind.SCRIPT:
            return f"A script decides its own load, so its warm-up {given}"
        return f"It {given}"

    def _open(
        self, begin: int, is_steady: bool | None, detail: str, *, has_obstacle: bool = False
    ) -> None:
        self.begin = begin
        self.warm_up = WarmUp(begin, self._cap, is_steady, detail, has_obstacle)
        if self._kind not in _BEGIN_AT_CAP:
            self.end = begin + self._parameters["duration_seconds"]

    def _pass_steps(self, second: int, sums: Mapping[int, SecondSum]) -> None:
        """End the window with the first failed step; late answers may make a step fail later."""
        assert self.begin is not None
        length, end = self._step_seconds, self.begin
        for step in range(self._parameters["steps"]):
            begin = self.begin + step * (length + self._drain_seconds)
            end = begin + length
            if second < end - 1:
                return
            own = [sums[number] for number in range(begin, end) if number in sums]
            lost = sum(total.counts.failed + total.counts.dropped for total in own)
            if has_failed(self._parameters, step, lost):
                self.end = end
                return
        self.end = end

    def _pass_count(self, second: int, sums: Mapping[int, SecondSum]) -> None:
        """End the window once all requests were answered, or when the time is over.

        Control requests do not count, and have no latency.
        """
        assert self.begin is not None
        passed = range(self.begin, second + 1)
        answered = sum(sums[number].timed_requests for number in passed if number in sums)
        longest = self.begin + self._parameters["duration_seconds"]
        if passed and (answered >= self._parameters["requests"] or second >= longest - 1):
            self.end = second + 1


def _glimpse(
    passed: int, sums: Mapping[int, SecondSum], rows: Sequence[ResourceSecond]
) -> list[Glimpse]:
    resources = {row.second: row for row in rows}
    return [
        sums.get(second, SecondSum()).as_glimpse(resources.get(second)) for second in range(passed)
    ]
