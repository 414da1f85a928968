"""When schedules are due."""

from datetime import UTC, datetime

import pytest

from backend.core.errors import InvalidRequest
from backend.core.schedules.timing import (
    check_timing,
    count_times,
    describe,
    find_latest,
    list_times,
)

BERLIN = "Europe/Berlin"


def at(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


def test_local_times_move_with_daylight_saving() -> None:
    times = list_times("0 2 * * *", BERLIN, at("2026-10-24 12:00"), 2)

    assert times == [at("2026-10-25 00:00"), at("2026-10-26 01:00")]


def test_a_time_that_spring_leaves_out_still_comes_once() -> None:
    times = list_times("30 2 * * *", BERLIN, at("2026-03-28 12:00"), 2)

    assert [time.date().isoformat() for time in times] == ["2026-03-29", "2026-03-30"]


def test_a_time_that_autumn_repeats_comes_once() -> None:
    times = list_times("30 2 * * *", BERLIN, at("2026-10-24 12:00"), 2)

    assert [time.date().isoformat() for time in times] == ["2026-10-25", "2026-10-26"]


def test_the_latest_time_may_be_now() -> None:
    assert find_latest("0 2 * * *", "UTC", at("2026-11-21 02:00")) == at("2026-11-21 02:00")
    assert find_latest("0 2 * * *", "UTC", at("2026-11-21 01:59")) == at("2026-11-20 02:00")


def test_counting_leaves_the_last_out() -> None:
    first, last = at("2026-11-18 02:00"), at("2026-11-21 02:00")

    assert count_times("0 2 * * *", "UTC", first, last) == 3
    assert count_times("0 2 * * *", "UTC", last, last) == 0


def test_words() -> None:
    assert describe("0 2 * * *") == "At 02:00 every day"


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
def test_what_is_no_timing(cron: str, zone: str, field: str) -> None:
    with pytest.raises(InvalidRequest) as caught:
        check_timing(cron, zone)
    assert [one["field"] for one in caught.value.fields["problems"]] == [field]


@pytest.mark.parametrize("cron", ["0 2 * * *", "*/15 * * * *", "0 3 * * SUN", "0 0 29 2 *"])
def test_what_is(cron: str) -> None:
    check_timing(cron, BERLIN)
