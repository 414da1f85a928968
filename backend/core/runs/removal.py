"""The parts of a run that retention or archiving removed, in words."""

from datetime import datetime

from pydantic import Field

from backend.core.bodies import Schema
from backend.core.errors import Gone
from backend.core.models import Run
from backend.core.statuses import RemovalReason

_KEPT = "Charts, estimates, distributions and the values of each trial are kept."
_REASONS = {
    RemovalReason.ARCHIVED: ", when the run was archived",
    RemovalReason.RETENTION: " by retention",
}


class Removal(Schema):
    """The parts of a run that archiving or retention removed."""

    seconds_at: datetime | None = Field(description="Null while the seconds are stored.")
    logs_at: datetime | None = Field(description="Null while the logs are stored.")
    reason: RemovalReason | None = Field(
        description="Why the seconds were removed: a person `archived` the run, or it was older "
        "than seconds are kept (`retention`). Null while the seconds are stored."
    )
    seconds_note: str = Field(
        examples=["Seconds were removed on 3 March 2027 by retention."],
        description="Empty while the seconds are stored.",
    )
    logs_note: str = Field(
        examples=["Logs were removed on 3 March 2027 by retention."],
        description="Empty while the logs are stored.",
    )


def find_removal(run: Run) -> Removal | None:
    """Return what was removed of a run; None if all of it is stored."""
    if run.seconds_removed_at is None and run.logs_removed_at is None:
        return None
    return Removal(
        seconds_at=run.seconds_removed_at,
        logs_at=run.logs_removed_at,
        reason=run.removal_reason,
        seconds_note=_describe_seconds(run),
        logs_note=_describe_logs(run),
    )


def check_seconds(run: Run) -> None:
    """Raise Gone if the seconds of a run were removed."""
    if run.seconds_removed_at is not None:
        raise Gone(_describe_seconds(run))


def check_logs(run: Run) -> None:
    """Raise Gone if the logs of a run were removed."""
    if run.logs_removed_at is not None:
        raise Gone(_describe_logs(run))


def _describe_seconds(run: Run) -> str:
    if run.seconds_removed_at is None:
        return ""
    reason = _REASONS[run.removal_reason or RemovalReason.RETENTION]
    return f"Seconds were removed on {_format_day(run.seconds_removed_at)}{reason}. {_KEPT}"


def _describe_logs(run: Run) -> str:
    if run.logs_removed_at is None:
        return ""
    return f"Logs were removed on {_format_day(run.logs_removed_at)} by retention."


def _format_day(at: datetime) -> str:
    return f"{at.day} {at:%B %Y}"
