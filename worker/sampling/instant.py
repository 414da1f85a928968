"""Converts times of the wall clock, which processes share, to the monotonic clock."""

import time


def to_monotonic_ns(wall_ns: int, *, not_before_ns: int) -> int:
    """Return the monotonic time (ns) of a recent instant given as Unix time (ns).

    Both clocks are read once, so later changes of the wall clock have no effect. An instant
    that would lie in the future or before `not_before_ns` means that the wall clock was set in
    between, or that it is another machine's clock. Then the instant is taken to be now.

    Args:
        wall_ns: the instant as another process read it.
        not_before_ns: monotonic time at which that process was started.
    """
    now_ns = time.monotonic_ns()
    instant_ns = now_ns - (time.time_ns() - wall_ns)
    return instant_ns if not_before_ns <= instant_ns <= now_ns else now_ns
