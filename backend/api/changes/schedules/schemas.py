"""Schedules: runs at fixed times, and the result of each."""

from datetime import datetime
from typing import Annotated
from uuid import UUID

from pydantic import ConfigDict, Field, StrictBool, StringConstraints

from backend.api.runs.examples import NEW_RUN
from backend.api.runs.schemas import RunIn
from backend.api.schemas import RequestBody, Schema
from backend.core.documents import JsonObject
from backend.core.statuses import MissReason, RunStatus, ScheduledRunStatus, Visibility
from backend.core.validation import NO_CONTROL_CHARACTERS

NIGHTLY: JsonObject = {
    "name": "Nightly",
    "cron": "0 2 * * *",
    "time_zone": "Europe/Berlin",
    "run": NEW_RUN,
}
ScheduleName = Annotated[
    str, StringConstraints(min_length=1, max_length=200, pattern=NO_CONTROL_CHARACTERS)
]
Cron = Annotated[
    str,
    Field(
        max_length=100,
        examples=["0 2 * * *"],
        description="Cron expression with five fields. The shortest interval is 15 min.",
    ),
]
TimeZone = Annotated[
    str, Field(max_length=64, examples=["Europe/Berlin"], description="IANA time zone.")
]


class ScheduleIn(RequestBody):
    model_config = ConfigDict(json_schema_extra={"examples": [NIGHTLY]})

    name: ScheduleName = Field(examples=["Nightly"])
    cron: Cron
    time_zone: TimeZone = "UTC"
    run: RunIn = Field(
        description="The body of `POST /runs`. Without a host, Tacho chooses a host now and keeps"
        " it. With several `hosts`, each time starts a group of runs."
    )


class SchedulePatch(RequestBody):
    name: ScheduleName | None = None
    cron: Cron | None = None
    time_zone: TimeZone | None = None
    run: RunIn | None = None
    enabled: StrictBool | None = Field(
        None, description="False pauses the schedule, true resumes it."
    )


class ScheduledRunOut(Schema):
    """One scheduled run: a start time of a schedule on one host, and its result."""

    due_at: datetime
    host: str | None = Field(
        description="Null if no host was found for the run.", examples=["bench-01"]
    )
    status: ScheduledRunStatus
    reason: MissReason | None = Field(description="Why the run was missed or late.")
    detail: str
    skipped: int = Field(
        description="Number of earlier times that were missed because Tacho was not running."
    )
    expected_by: datetime | None = Field(description="A result after this time is late.")
    run_slug: str | None = Field(
        description="Null if no run was started, or if the caller may not read it."
    )
    run_status: RunStatus | None
    run_summary: str | None = Field(
        description="The answer of the run in one line. Null before it has ended.",
        examples=["Vert.x uses the least CPU per request, 1.54× less than Node.js"],
    )


class ScheduleOut(Schema):
    id: UUID
    name: str
    cron: str
    time_zone: str
    words: str = Field(examples=["At 02:00 every day"])
    enabled: bool
    host: str = Field(
        description="The host of its runs. With several hosts: their names, or `each host`.",
        examples=["bench-01"],
    )
    visibility: Visibility
    run: RunIn
    next_times: list[datetime] = Field(
        description="The next three times. Empty while the schedule is paused."
    )
    scheduled_runs: list[ScheduledRunOut] = Field(
        description="The scheduled runs of the newest ten times, newest first: one for each host."
    )
    created_at: datetime


class TimingOut(Schema):
    """The meaning of a timing in words, and its next times."""

    words: str = Field(examples=["At 02:00 every day"])
    next_times: list[datetime]
