"""A new build: a place where a level may change that is known before anything is seen there.

The detector searches every place of a history, so it asks for much at each. Where a build came, one
test is enough. Pure functions.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

from backend.core.changes.detection import (
    MIN_SEGMENT_POINTS,
    WINDOW_POINTS,
    ChangePoint,
    Observation,
    compare_levels,
)

# With so many points of the new build it is looked at, and no more.
LOOKS = (4, 8, 16, 32)


class Look(NamedTuple):
    """What one of the looks at a new build found; `tests` are the looks so far, this one too."""

    change: ChangePoint
    tests: int


def look_at_build(
    points: Sequence[Observation], builds: Sequence[str | None], levels: Sequence[int] = ()
) -> Look | None:
    """The change with the newest build, when it is time to look at that and the change counts.

    Doubling spaces the looks as far apart as they can tell something new; p-values are to be
    multiplied by their number (Bonferroni). The old level is that of the build before, four points
    at least, since the last change of level within them.

    Args:
        points: of the series, oldest first.
        builds: the digest of each; None where it is not known.
        levels: indices of the change points that are found in them.
    """
    begin, border = _find_last_two(builds)
    size = len(points) - border
    begin = max([begin, *(at for at in levels if at <= border - MIN_SEGMENT_POINTS)])
    if size not in LOOKS or border - begin < MIN_SEGMENT_POINTS:
        return None
    change = compare_levels(points[begin:], border - begin)
    if change is None:
        return None
    return Look(replace(change, index=border), LOOKS.index(size) + 1)


def _find_last_two(builds: Sequence[str | None]) -> tuple[int, int]:
    """Where the last build but one begins, but not more than a window back, and where the last."""
    border = _find_begin(builds, len(builds))
    return max(_find_begin(builds, border), border - WINDOW_POINTS), border


def _find_begin(builds: Sequence[str | None], end: int) -> int:
    """Where the build begins that ran up to `end`; `end` itself where none did, or an unknown."""
    begin = end
    while begin > 0 and builds[begin - 1] is not None and builds[begin - 1] == builds[end - 1]:
        begin -= 1
    return begin
