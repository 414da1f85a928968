"""How long data is kept in a workspace, and which runs are older."""

from datetime import UTC, datetime, timedelta, timezone

import pytest

from backend.core.operations.retention.periods import (
    Periods,
    combine,
    find_logs_limit,
    find_seconds_limit,
    list_longer,
)

FOR_EVER = Periods(None, None)


@pytest.mark.parametrize(
    ("installation", "workspace", "effective"),
    [
        (FOR_EVER, FOR_EVER, FOR_EVER),
        (Periods(90, 30), FOR_EVER, Periods(90, 30)),
        (FOR_EVER, Periods(90, 30), Periods(90, 30)),
        (Periods(90, None), Periods(30, 7), Periods(30, 7)),
        (Periods(30, 7), Periods(90, 30), Periods(30, 7)),
    ],
)
def test_the_shorter_period_applies(
    installation: Periods, workspace: Periods, effective: Periods
) -> None:
    assert combine(installation, workspace) == effective


def test_longer_periods_than_those_of_the_installation_are_found() -> None:
    assert list_longer(Periods(90, 30), Periods(91, 30)) == {"seconds_days": 90}
    assert list_longer(Periods(90, 30), Periods(400, 400)) == {"seconds_days": 90, "logs_days": 30}
    assert list_longer(Periods(90, 30), FOR_EVER) == {}
    assert list_longer(FOR_EVER, Periods(400, 400)) == {}


@pytest.mark.parametrize(
    ("now", "days", "limit"),
    [
        (datetime(2026, 12, 1, tzinfo=UTC), 30, datetime(2026, 11, 1, tzinfo=UTC)),
        (datetime(2026, 11, 30, 23, 59, tzinfo=UTC), 30, datetime(2026, 10, 1, tzinfo=UTC)),
        (datetime(2027, 1, 15, tzinfo=UTC), 90, datetime(2026, 10, 1, tzinfo=UTC)),
        (datetime(2026, 11, 2, tzinfo=UTC), 1, datetime(2026, 11, 1, tzinfo=UTC)),
        # Still October in UTC.
        (
            datetime(2026, 11, 2, 1, tzinfo=timezone(timedelta(hours=9))),
            1,
            datetime(2026, 10, 1, tzinfo=UTC),
        ),
    ],
)
def test_seconds_are_due_by_whole_months(now: datetime, days: int, limit: datetime) -> None:
    assert find_seconds_limit(days, now) == limit
    assert now - limit >= timedelta(days=days)


def test_logs_are_due_by_the_day() -> None:
    now = datetime(2026, 11, 25, 12, tzinfo=UTC)

    assert find_logs_limit(30, now) == datetime(2026, 10, 26, 12, tzinfo=UTC)
