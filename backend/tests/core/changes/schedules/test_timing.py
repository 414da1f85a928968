"""The start times of schedules."""

from collections.abc import Collection
from datetime import UTC, datetime, timedelta
from functools import cache
from itertools import pairwise
from zoneinfo import ZoneInfo

import pytest

from backend.core.changes.schedules.timing import check_timing, count_times, find_latest, list_times
from backend.core.errors import InvalidRequest

BERLIN = "Europe/Berlin"
# The noon before clocks change; Lord Howe Island sets them by half an hour.
NIGHTS = [
    (BERLIN, "2026-03-28 12:00"),
    (BERLIN, "2026-10-24 12:00"),
    ("America/New_York", "2026-03-07 12:00"),
    ("America/New_York", "2026-10-31 12:00"),
    ("Australia/Lord_Howe", "2026-04-04 12:00"),
    ("Australia/Lord_Howe", "2026-10-03 12:00"),
]
ONE_MINUTE = timedelta(minutes=1)


def at(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


@cache
def watch_clock(zone: str, noon: str) -> list[tuple[datetime, datetime]]:
    """Return the minutes of two days after a local noon, each in UTC and in local time."""
    start = datetime.fromisoformat(noon).replace(tzinfo=ZoneInfo(zone)).astimezone(UTC)
    moments = [start + minutes * ONE_MINUTE for minutes in range(1, 48 * 60)]
    return [(moment, moment.astimezone(ZoneInfo(zone)).replace(tzinfo=None)) for moment in moments]


@pytest.mark.parametrize("minutes", ["0", "30", "0,20,40"])
@pytest.mark.parametrize("hour", [1, 2, 3])
@pytest.mark.parametrize(("zone", "noon"), NIGHTS)
def test_times_of_a_night_run_when_clocks_first_show_or_pass_them(
    zone: str, noon: str, hour: int, minutes: str
) -> None:
    shown = watch_clock(zone, noon)
    midnight = datetime.fromisoformat(noon).replace(hour=0)
    wanted = [
        midnight + timedelta(days=day, hours=hour, minutes=int(minute))
        for day in (1, 2)
        for minute in minutes.split(",")
    ]
    expected = sorted({next(now for now, wall in shown if wall >= item) for item in wanted})

    check_all_agree(f"{minutes} {hour} * * *", zone, [now for now, _ in shown], expected)


@pytest.mark.parametrize(
    ("cron", "minutes", "hours"),
    [
        ("0 * * * *", [0], range(24)),
        ("30 */2 * * *", [30], range(0, 24, 2)),
        ("*/20 2 * * *", range(0, 60, 20), [2]),
    ],
)
@pytest.mark.parametrize(("zone", "noon"), NIGHTS)
def test_times_with_a_star_run_whenever_clocks_show_them(
    zone: str, noon: str, cron: str, minutes: Collection[int], hours: Collection[int]
) -> None:
    shown = watch_clock(zone, noon)
    expected = [now for now, wall in shown if wall.minute in minutes and wall.hour in hours]

    check_all_agree(cron, zone, [now for now, _ in shown], expected)


def check_all_agree(
    cron: str, zone: str, moments: list[datetime], expected: list[datetime]
) -> None:
    """Assert that the times found from every third quarter of an hour are `expected`."""
    assert list_times(cron, zone, moments[0] - ONE_MINUTE, len(expected)) == expected
    assert count_times(cron, zone, expected[0], moments[-1]) == len(expected)
    for now in moments[::45]:
        later = [time for time in expected if time > now][:2]
        assert list_times(cron, zone, now, len(later)) == later
        if earlier := [time for time in expected if time <= now]:
            assert find_latest(cron, zone, now) == earlier[-1]
            assert count_times(cron, zone, earlier[-1], now + ONE_MINUTE) == 1
    for item, following in pairwise(expected):
        assert list_times(cron, zone, item, 1) == [following]
        assert find_latest(cron, zone, following) == following
        assert find_latest(cron, zone, following - ONE_MINUTE / 60) == item


def test_a_count_excludes_the_last_time() -> None:
    first, last = at("2026-11-18 02:00"), at("2026-11-21 02:00")

    assert count_times("0 2 * * *", "UTC", first, last) == 3
    assert count_times("0 2 * * *", "UTC", last, last) == 0


@pytest.mark.parametrize(
    ("cron", "zone", "field"),
    [
        ("", "UTC", "cron"),
        ("0 2 * *", "UTC", "cron"),
        ("0 0 2 * * *", "UTC", "cron"),
        ("61 2 * * *", "UTC", "cron"),
        ("@daily", "UTC", "cron"),
        ("0 2 30 2 *", "UTC", "cron"),
        ("* * * * *", "UTC", "cron"),
        ("0,10 2 * * *", "UTC", "cron"),
        ("0 2 * * *", "Mars/Olympus", "time_zone"),
        ("0 2 * * *", "../etc/passwd", "time_zone"),
        ("0 2 * * *", "", "time_zone"),
    ],
)
def test_invalid_timings_are_refused(cron: str, zone: str, field: str) -> None:
    with pytest.raises(InvalidRequest) as caught:
        check_timing(cron, zone)
    assert [problem["field"] for problem in caught.value.problems] == [field]


@pytest.mark.parametrize("cron", ["0 2 * * *", "*/15 * * * *", "0 3 * * SUN", "0 0 29 2 *"])
def test_what_is(cron: str) -> None:
    check_timing(cron, BERLIN)
