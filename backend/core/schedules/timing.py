"""When a schedule is due: cron expressions in a time zone, as pure functions.

Expressions have the five fields of cron and Debian cron's behaviour where clocks change: a time
that a spring night leaves out runs right after it, one that an autumn night repeats runs once.
"""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from itertools import islice, pairwise
from zoneinfo import ZoneInfo, available_timezones

from cronsim import CronSim, CronSimError

from backend.core.errors import InvalidRequest

# A run takes minutes; what comes more often could never be kept up with.
SHORTEST = timedelta(minutes=15)
_LOOKED_AT = 100
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
    return [at.astimezone(UTC) for at in islice(_walk(cron, time_zone, after), count)]


def find_latest(cron: str, time_zone: str, until: datetime) -> datetime:
    """The latest time at or before `until`; there must be one."""
    # The walk leaves its start out.
    start = until + timedelta(seconds=1)
    return next(_walk(cron, time_zone, start, reverse=True)).astimezone(UTC)


def count_times(cron: str, time_zone: str, first: datetime, last: datetime) -> int:
    """How many times lie in [first, last), where `first` is one of them."""
    times = _walk(cron, time_zone, first - timedelta(seconds=1))
    return sum(1 for _ in _while_before(times, last))


def describe(cron: str) -> str:
    """The expression in words, such as `At 02:00 every day`."""
    return CronSim(cron, datetime.now(UTC)).explain()


def _walk(
    cron: str, time_zone: str, start: datetime, *, reverse: bool = False
) -> Iterator[datetime]:
    return CronSim(cron, start.astimezone(ZoneInfo(time_zone)), reverse=reverse)


def _while_before(times: Iterator[datetime], last: datetime) -> Iterator[datetime]:
    for at in times:
        if at >= last:
            return
        yield at


def _wrong(field: str, detail: str) -> InvalidRequest:
    return InvalidRequest(f"{field}: {detail}", [{"field": field, "detail": detail}])
