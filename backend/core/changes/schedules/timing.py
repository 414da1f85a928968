"""Start times of schedules: cron expressions in a time zone, as pure functions.

Expressions have the five fields of cron. When clocks change, they behave as in Debian's cron: a
time that is skipped in spring runs right after the gap; a time that occurs twice in autumn runs
once. If minute or hour begins with a star, a time runs as often as the clock shows it.
"""

from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from heapq import merge
from itertools import dropwhile, groupby, islice, pairwise, takewhile
from zoneinfo import ZoneInfo, available_timezones

from cronsim import CronSim, CronSimError

from backend.core.errors import InvalidRequest

# A run takes minutes, so runs at shorter intervals would pile up.
SHORTEST = timedelta(minutes=15)
_LOOKED_AT = 100
# Larger than any clock change; the largest is two hours, in Antarctica/Troll.
_LARGEST_SHIFT = timedelta(hours=3)
# Times and descriptions that a process remembers.
_MOST_KNOWN = 1_000
_EXAMPLES = "write five fields such as '0 2 * * *' (nightly at 02:00) or '0 3 * * SUN' (weekly)"


def check_timing(cron: str, time_zone: str) -> None:
    """Raise InvalidRequest with the field if the times do not exist or are too frequent."""
    if time_zone not in available_timezones():
        raise InvalidRequest.about(
            "time_zone", f"{time_zone!r} is not an IANA time zone; use one such as Europe/Berlin."
        )
    if len(cron.split()) != 5:
        raise InvalidRequest.about("cron", f"is not a cron expression; {_EXAMPLES}.")
    try:
        times = list_times(cron, time_zone, datetime.now(UTC), _LOOKED_AT)
    except CronSimError as error:
        raise InvalidRequest.about(
            "cron", f"is not a cron expression ({error}); {_EXAMPLES}."
        ) from error
    if not times:
        raise InvalidRequest.about("cron", "never occurs; choose a day that exists.")
    if any(later - earlier < SHORTEST for earlier, later in pairwise(times)):
        minutes = int(SHORTEST.total_seconds() / 60)
        raise InvalidRequest.about(
            "cron", f"comes more often than every {minutes} min; choose fewer times."
        )


def list_times(cron: str, time_zone: str, after: datetime, count: int) -> list[datetime]:
    """Return the next `count` times after `after` in UTC; fewer if fewer occur in 50 years."""
    return list(islice(_walk_after(cron, time_zone, after), count))


@lru_cache(maxsize=_MOST_KNOWN)
def list_later_times(cron: str, time_zone: str, after: datetime, count: int) -> Sequence[datetime]:
    """Return what `list_times` does, for pages that show the same times again and again."""
    return tuple(list_times(cron, time_zone, after, count))


def find_latest(cron: str, time_zone: str, until: datetime) -> datetime:
    """Return the latest time at or before `until`; there must be one."""
    times = _walk(cron, ZoneInfo(time_zone), until, reverse=True)
    return next(at for at in times if at <= until)


def count_times(cron: str, time_zone: str, first: datetime, last: datetime) -> int:
    """Return the number of times in [first, last); `first` must be one of them."""
    times = _walk_after(cron, time_zone, first - timedelta(seconds=1))
    return sum(1 for _ in takewhile(lambda at: at < last, times))


@lru_cache(maxsize=_MOST_KNOWN)
def describe(cron: str) -> str:
    """Return a description, such as `At 02:00 every day`."""
    return CronSim(cron, datetime.now(UTC)).explain()


def _walk_after(cron: str, time_zone: str, after: datetime) -> Iterator[datetime]:
    return dropwhile(lambda at: at <= after, _walk(cron, ZoneInfo(time_zone), after))


def _walk(
    cron: str, zone: ZoneInfo, start: datetime, *, reverse: bool = False
) -> Iterator[datetime]:
    """Yield all times from `start` on, and a few before it, in order and without repetition."""
    # CronSim works with local times: given a zone, it does not distinguish the two 02:30 of a
    # night. It begins earlier, because clocks that are set back show the same time again.
    start += _LARGEST_SHIFT if reverse else -_LARGEST_SHIFT
    wall = start.astimezone(zone).replace(tzinfo=None)
    is_by_the_clock = any(field.startswith("*") for field in cron.split()[:2])
    # Each iterator is in order by itself; a simple chain of both would not be.
    readings = [
        _read(CronSim(cron, wall, reverse=reverse), zone, fold, leaves_out=is_by_the_clock)
        for fold in ((0, 1) if is_by_the_clock else (0,))
    ]
    return (at for at, _ in groupby(merge(*readings, reverse=reverse)))


def _read(
    walls: Iterable[datetime], zone: ZoneInfo, fold: int, *, leaves_out: bool
) -> Iterator[datetime]:
    """Yield wall-clock times in UTC; `fold` 0 or 1 selects the first or second of equal times.

    Times that clocks skip are yielded at the end of the gap, or left out with `leaves_out`.
    """
    for wall in walls:
        at = _resolve(wall, zone, fold)
        if at is not None:
            yield at
        elif not leaves_out:
            yield _find_gap_end(wall, zone)


def _find_gap_end(wall: datetime, zone: ZoneInfo) -> datetime:
    while (at := _resolve(wall, zone)) is None:
        wall += timedelta(minutes=1)
    return at


def _resolve(wall: datetime, zone: ZoneInfo, fold: int = 0) -> datetime | None:
    """Return a wall-clock time in UTC; None for a time that clocks skip."""
    at = wall.replace(tzinfo=zone, fold=fold).astimezone(UTC)
    return at if at.astimezone(zone).replace(tzinfo=None) == wall else None
