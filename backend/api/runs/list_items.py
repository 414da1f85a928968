"""Runs as in a list, with the progress of those that are not finished."""

from collections.abc import Collection, Sequence
from uuid import UUID

from sqlalchemy.orm import Session

from backend.api.runs.schemas import RunListItem
from backend.api.runs.views import make_run_item, progress_out, read_load_host_names
from backend.core.people.access.viewer import Viewer
from backend.core.runs.heads import RunHead, list_heads
from backend.core.runs.listing import list_runs
from backend.core.runs.queue.waiting import find_places, find_places_among
from backend.core.runs.queue.work import expect_work


def read_run_items(
    session: Session, run_ids: Collection[UUID], viewer: Viewer
) -> dict[UUID, RunListItem]:
    """Return runs as in a list, by id. Runs that do not exist are left out.

    Other runs on their hosts count if the viewer sees them.
    """
    return read_items_of_heads(session, list_heads(session, run_ids), viewer)


def read_items_of_heads(
    session: Session, heads: Sequence[RunHead], viewer: Viewer, *, is_queue: bool = False
) -> dict[UUID, RunListItem]:
    """Return runs as `read_run_items` does.

    Args:
        is_queue: whether these are the oldest unfinished runs that the viewer sees, in the order of
            their creation. Then no statement is needed to find the runs ahead.
    """
    # Runs may be deleted in the meantime.
    runs = {run.id: run for run in list_runs(session, [head.id for head in heads])}
    heads = [head for head in heads if head.id in runs]
    work_of = {run_id: expect_work(run) for run_id, run in runs.items()}
    places = find_places_among(heads, work_of) if is_queue else find_places(session, heads, viewer)
    names = read_load_host_names(session, runs.values())
    return {
        head.id: make_run_item(
            runs[head.id],
            progress_out(work_of[head.id], head.counts, places.get(head.id), head.began_at),
            names,
            viewer,
        )
        for head in heads
    }
