"""GET /queue."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from uuid import UUID

from fastapi import Response
from pydantic import Field
from sqlalchemy.orm import Session

from backend.api.deps import CallerDep, needs
from backend.api.http.problems import problems
from backend.api.http.router import NounRouter
from backend.api.operations.hosts.schemas import HostState
from backend.api.operations.hosts.states import find_state
from backend.api.responder import NOT_MODIFIED, ResponderDep
from backend.api.runs.list_items import read_items_of_heads
from backend.api.runs.schemas import RunListItem
from backend.core.bodies import Schema
from backend.core.people.access.permissions import Permission
from backend.core.people.access.viewer import Viewer
from backend.core.runs.heads import RunHead, list_unfinished
from backend.core.runs.queue.host_activity import list_host_activities


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


_MOST_RUNS = 200
# In these states a host starts no trial, so nobody knows when a run starts.
_STANDING = frozenset(HostState) - {HostState.IDLE, HostState.BUSY}


def read_queue(session: Session, viewer: Viewer, may_run: bool) -> Queue:
    """Return what each host measures, and what waits for it.

    Args:
        may_run: whether the caller may cancel runs of the own workspace.
    """
    found = list_unfinished(session, viewer, _MOST_RUNS + 1)
    shown = found[:_MOST_RUNS]
    items = read_items_of_heads(session, shown, viewer, is_queue=True)
    runs_of: defaultdict[UUID, list[RunHead]] = defaultdict(list)
    for run in shown:
        # A run may be deleted in the meantime.
        if run.id in items:
            runs_of[run.host_id].append(run)
    hosts: list[QueueOfHost] = []
    for host in list_host_activities(session, viewer.workspace):
        state = find_state(host)
        hosts.append(
            QueueOfHost(
                host=host.name,
                state=state,
                disk_shortage=host.shortage,
                is_usable=host.is_usable,
                runs=_list_queued(runs_of[host.id], items, state, viewer, may_run=may_run),
            )
        )
    return Queue(hosts=hosts, is_complete=len(found) <= _MOST_RUNS)


def _list_queued(
    own: Sequence[RunHead],
    items: Mapping[UUID, RunListItem],
    state: HostState,
    viewer: Viewer,
    *,
    may_run: bool,
) -> list[QueuedRun]:
    now = datetime.now(UTC)
    queued: list[QueuedRun] = []
    for run in own:
        item = items[run.id]
        start_at = _add(now, item.progress.estimated_seconds_until_start)
        end_at = _add(start_at or now, item.progress.estimated_seconds_left)
        is_own = viewer.workspace == run.workspace_id
        is_standing = state in _STANDING
        queued.append(
            QueuedRun(
                run=item,
                requested_by=run.requested_by if is_own else None,
                waited_seconds=((run.started_at or now) - run.created_at).total_seconds(),
                expected_start_at=None if is_standing else start_at,
                expected_end_at=None if is_standing else end_at,
                may_cancel=may_run and is_own,
            )
        )
    return queued


def _add(moment: datetime, seconds: float | None) -> datetime | None:
    return None if seconds is None else moment + timedelta(seconds=seconds)


router = NounRouter(prefix="/queue", tags=["hosts"])


@router.get(
    "",
    response_model=Queue,
    dependencies=[needs(Permission.OPEN)],
    responses=problems(422) | NOT_MODIFIED,
)
async def get_queue(responder: ResponderDep, caller: CallerDep) -> Response:
    """Return what each bench host measures, what waits for it, and the requester of each run."""
    return await responder.respond(read_queue, caller.rights.allow(Permission.RUN))
