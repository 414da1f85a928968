"""For how many days seconds and logs are kept, and which runs are older; pure."""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from backend.core.measurement.measurements.partitions import first_of_month

MIN_DAYS = 1
MAX_DAYS = 36_500


@dataclass(frozen=True)
class Periods:
    """Days for which seconds and logs are kept; None: for ever."""

    seconds_days: int | None
    logs_days: int | None


def combine(installation: Periods, workspace: Periods) -> Periods:
    """Return what applies in a workspace: the shorter period of each kind."""
    return Periods(
        _find_shorter(installation.seconds_days, workspace.seconds_days),
        _find_shorter(installation.logs_days, workspace.logs_days),
    )


def list_longer(installation: Periods, workspace: Periods) -> dict[str, int]:
    """Return the periods of a workspace that exceed those of the installation, by field.

    The values are the longest that the workspace may have.
    """
    pairs = {
        "seconds_days": (installation.seconds_days, workspace.seconds_days),
        "logs_days": (installation.logs_days, workspace.logs_days),
    }
    return {
        field: most
        for field, (most, wanted) in pairs.items()
        if most is not None and wanted is not None and wanted > most
    }


def find_seconds_limit(days: int, now: datetime) -> datetime:
    """Return the time before which a run must have ended so that its seconds are removed.

    It is the first moment of a month in UTC, because seconds are removed by whole months: a month
    is a partition of the table.
    """
    month = first_of_month((now.astimezone(UTC) - timedelta(days=days)).date())
    return datetime(month.year, month.month, month.day, tzinfo=UTC)


def find_logs_limit(days: int, now: datetime) -> datetime:
    """Return the time before which a run must have ended so that its logs are removed."""
    return now - timedelta(days=days)


def _find_shorter(one: int | None, other: int | None) -> int | None:
    known = [days for days in (one, other) if days is not None]
    return min(known, default=None)
