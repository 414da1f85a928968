"""The queue of each bench host."""

from datetime import datetime

from pydantic import Field

from backend.api.operations.hosts.schemas import HostState
from backend.api.runs.schemas import RunListItem
from backend.api.schemas import Schema


class QueuedRun(Schema):
    """A run that is measured or waits."""

    run: RunListItem
    requested_by: str | None = Field(
        examples=["ann@example.org"],
        description="The person, token or part of Tacho that requested the run. Null for viewers "
        "outside of its workspace, and for runs of older versions.",
    )
    waited_seconds: float = Field(
        description="Time from the request until the first trial started, or until now."
    )
    expected_start_at: datetime | None = Field(
        description="When its first trial is expected to start, without builds. Null once it has "
        "started, and while its host takes no trials."
    )
    expected_end_at: datetime | None = Field(
        description="When its last trial is expected to end, without builds. In a run with a goal, "
        "when its limits are reached. Null while its host takes no trials."
    )
    may_cancel: bool = Field(description="Whether the caller may cancel the run.")


class QueueOfHost(Schema):
    """A bench host, and the runs that it measures or that wait for it."""

    host: str = Field(examples=["bench-01"])
    state: HostState
    disk_shortage: str | None = Field(
        None,
        description="Which disk of the host or database has too little free space, so that its "
        "runs wait, and what to do. Null if none.",
    )
    is_usable: bool = Field(description="Whether runs of the caller's workspace may use the host.")
    runs: list[QueuedRun] = Field(
        description="In the order in which they are measured. Only runs that the caller sees in "
        "lists."
    )


class Queue(Schema):
    hosts: list[QueueOfHost] = Field(description="All bench hosts, by name.")
    is_complete: bool = Field(
        description="False if further runs wait: the response has at most 200 runs."
    )
