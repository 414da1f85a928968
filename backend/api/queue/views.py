"""The queue as the API shows it."""

from collections import defaultdict
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from uuid import UUID

from sqlalchemy.orm import Session

from backend.api.hosts.schemas import HostState
from backend.api.hosts.states import HostStates
from backend.api.queue.schemas import Queue, QueuedRun, QueueOfHost
from backend.api.runs.schemas import RunListItem
from backend.api.runs.views import run_list
from backend.core.access.viewer import Viewer
from backend.core.catalog import repository as catalog
from backend.core.models import Run
from backend.core.runs import repository as runs

_MOST_RUNS = 200
# In these states a host starts no trial, so nobody knows when a run starts.
_STANDING = frozenset(HostState) - {HostState.IDLE, HostState.BUSY}


def read_queue(session: Session, viewer: Viewer, *, may_run: bool) -> Queue:
    """Return what each host measures, and what waits for it.

    Args:
        may_run: whether the caller may cancel runs of the own workspace.
    """
    found = runs.list_unfinished(session, viewer, _MOST_RUNS + 1)
    shown = found[:_MOST_RUNS]
    items = dict(zip(shown, run_list(session, shown, viewer), strict=True))
    states = HostStates.read(session)
    usable = catalog.list_usable_ids(session, viewer.workspace)
    runs_of: defaultdict[UUID, list[Run]] = defaultdict(list)
    for run in shown:
        runs_of[run.host_id].append(run)
    hosts: list[QueueOfHost] = []
    for host in catalog.list_hosts(session):
        state = states.find_state(host)
        hosts.append(
            QueueOfHost(
                host=host.name,
                state=state,
                disk_shortage=states.find_shortage(host),
                is_usable=host.id in usable,
                runs=_list_queued(runs_of[host.id], items, state, viewer, may_run=may_run),
            )
        )
    return Queue(hosts=hosts, is_complete=len(found) <= _MOST_RUNS)


def _list_queued(
    own: Sequence[Run],
    items: dict[Run, RunListItem],
    state: HostState,
    viewer: Viewer,
    *,
    may_run: bool,
) -> list[QueuedRun]:
    now = datetime.now(UTC)
    queued: list[QueuedRun] = []
    for run in own:
        progress = items[run].progress
        start_at = _add(now, progress.estimated_seconds_until_start)
        is_own = viewer.workspace == run.workspace_id
        is_standing = state in _STANDING
        queued.append(
            QueuedRun(
                run=items[run],
                requested_by=run.requested_by if is_own else None,
                waited_seconds=((run.started_at or now) - run.created_at).total_seconds(),
                expected_start_at=None if is_standing else start_at,
                expected_end_at=(
                    None if is_standing else _add(start_at or now, progress.estimated_seconds_left)
                ),
                may_cancel=may_run and is_own,
            )
        )
    return queued


def _add(moment: datetime, seconds: float | None) -> datetime | None:
    return None if seconds is None else moment + timedelta(seconds=seconds)
