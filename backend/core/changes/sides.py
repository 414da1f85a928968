"""The first point of the new level of a change, and the builds of both levels; pure."""

from collections import Counter
from collections.abc import Sequence

from backend.core.changes.detection import MIN_SEGMENT_POINTS
from backend.core.changes.repository import SeriesPoint

# Number of points next to a change whose most frequent build is the build of the level.
_NEAR_POINTS = MIN_SEGMENT_POINTS


def choose_begin(points: Sequence[SeriesPoint], index: int, places: Sequence[int]) -> int:
    """Return the index of the first point of the new level.

    This is the detected index if the builds before and after it differ. Otherwise it is the nearest
    of the possible places at which the build changed, if there is any: noise can move the detected
    index of a small step by several points, and a shift within one build counts as host drift
    without an experiment.
    """
    before, after = pick_sides(points, index)
    if before.image_digest != after.image_digest:
        return index
    borders = [
        place for place in places if points[place - 1].image_digest != points[place].image_digest
    ]
    return min(borders, key=lambda place: abs(place - index), default=index)


def pick_sides(points: Sequence[SeriesPoint], index: int) -> tuple[SeriesPoint, SeriesPoint]:
    """Return a point before and a point after an index, with the builds of the two levels."""
    return (
        _pick_point(points[max(0, index - _NEAR_POINTS) : index][::-1]),
        _pick_point(points[index : index + _NEAR_POINTS]),
    )


def _pick_point(nearest_first: Sequence[SeriesPoint]) -> SeriesPoint:
    """Return the nearest point with the most frequent build.

    If the change point is wrong by a point or two, this still is the build of the level.
    """
    counts = Counter(point.image_digest for point in nearest_first)
    return max(nearest_first, key=lambda point: counts[point.image_digest])
