"""When a schedule is due: cron expressions in a time zone, as pure functions.

Expressions have the five fields of cron and Debian cron's behaviour where clocks change: a time
that a spring night leaves out runs right after it, one that an autumn night repeats runs once.
Where minute or hour begins with a star, a time runs as often as the clock shows it.
"""

from collections.abc import Iterable, Iterator
from datetime import UTC, datetime, timedelta
from heapq import merge
from itertools import dropwhile, groupby, islice, pairwise, takewhile
from zoneinfo import ZoneInfo, available_timezones

from cronsim import CronSim, CronSimError

from backend.core.errors import InvalidRequest

# A run takes minutes; what comes more often could never be kept up with.
SHORTEST = timedelta(minutes=15)
_LOOKED_AT = 100
# Clocks are set by no more; those of Antarctica/Troll are by two hours.
_LARGEST_SHIFT = timedelta(hours=3)
_EXAMPLES = "write five fields such as '0 2 * * *' (nightly at 02:00) or '0 3 * * SUN' (weekly)"


def check_timing(cron: str, time_zone: str) -> None:
    """Raises InvalidRequest, naming the field, unless there are such times and none too close."""
    if time_zone not in available_timezones():
        raise _wrong("time_zone", f"{time_zone!r} is no IANA time zone; give one as Europe/Berlin.")
    if len(cron.split()) != 5:
        raise _wrong("cron", f"is not a cron expression; {_EXAMPLES}.")
    try:
        times = list_times(cron, time_zone, datetime.now(UTC), _LOOKED_AT)
    except CronSimError as error:
        raise _wrong("cron", f"is not a cron expression ({error}); {_EXAMPLES}.") from error
    if not times:
        raise _wrong("cron", "never comes; choose a day that exists.")
    if any(later - earlier < SHORTEST for earlier, later in pairwise(times)):
        minutes = int(SHORTEST.total_seconds() / 60)
        raise _wrong("cron", f"comes more often than every {minutes} min; choose fewer times.")


def list_times(cron: str, time_zone: str, after: datetime, count: int) -> list[datetime]:
    """The next `count` times after `after`, in UTC; fewer where fewer come within 50 years."""
    return list(islice(_walk_after(cron, time_zone, after), count))


def find_latest(cron: str, time_zone: str, until: datetime) -> datetime:
    """The latest time at or before `until`; there must be one."""
    times = _walk(cron, ZoneInfo(time_zone), until, reverse=True)
    return next(at for at in times if at <= until)


def count_times(cron: str, time_zone: str, first: datetime, last: datetime) -> int:
    """How many times lie in [first, last), where `first` is one of them."""
    times = _walk_after(cron, time_zone, first - timedelta(seconds=1))
    return sum(1 for _ in takewhile(lambda at: at < last, times))


def describe(cron: str) -> str:
    """The expression in words, such as `At 02:00 every day`."""
    return CronSim(cron, datetime.now(UTC)).explain()


def _walk_after(cron: str, time_zone: str, after: datetime) -> Iterator[datetime]:
    return dropwhile(lambda at: at <= after, _walk(cron, ZoneInfo(time_zone), after))


def _walk(
    cron: str, zone: ZoneInfo, start: datetime, *, reverse: bool = False
) -> Iterator[datetime]:
    """All times on from `start`, and a few on its other side, in order and each once."""
    # CronSim walks over what clocks show: given a zone, it forgets which of two 02:30 it is at.
    # It begins earlier, since clocks that are set back show the same again.
    start += _LARGEST_SHIFT if reverse else -_LARGEST_SHIFT
    wall = start.astimezone(zone).replace(tzinfo=None)
    is_by_the_clock = any(field.startswith("*") for field in cron.split()[:2])
    # Each reading is in order by itself; both together would not be.
    readings = [
        _read(CronSim(cron, wall, reverse=reverse), zone, fold, leaves_out=is_by_the_clock)
        for fold in ((0, 1) if is_by_the_clock else (0,))
    ]
    return (at for at, _ in groupby(merge(*readings, reverse=reverse)))


def _read(
    walls: Iterable[datetime], zone: ZoneInfo, fold: int, *, leaves_out: bool
) -> Iterator[datetime]:
    """Wall-clock times in UTC, repeated ones as they come first (fold 0) or again (1).

    Those that clocks never show come when clocks go on, or, with `leaves_out`, not at all.
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
    """In UTC; None for what clocks never show."""
    at = wall.replace(tzinfo=zone, fold=fold).astimezone(UTC)
    return at if at.astimezone(zone).replace(tzinfo=None) == wall else None


def _wrong(field: str, detail: str) -> InvalidRequest:
    return InvalidRequest(f"{field}: {detail}", [{"field": field, "detail": detail}])
