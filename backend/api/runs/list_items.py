"""Runs as in a list. A process computes all but the progress of a run once for each version."""

from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple
from uuid import UUID

from sqlalchemy.orm import Session

from backend.api.runs.schemas import RunListItem
from backend.api.runs.views import progress_out, run_list
from backend.core.access.viewer import Viewer
from backend.core.computed_once import ComputedOnce
from backend.core.runs.listing import list_runs
from backend.core.runs.waiting import find_places, find_places_among
from backend.core.runs.work import ExpectedWork, expect_work
from backend.core.stored_documents.run_heads import RunHead, list_heads

_MOST_KNOWN = 2_000


class _ItemKey(NamedTuple):
    """A run, what it shows, and to whom."""

    run_id: UUID
    version: str
    variant: str


class _KnownItem(NamedTuple):
    """A run as in a list, with the progress that it had, and what is expected of it."""

    item: RunListItem
    work: ExpectedWork


_known: ComputedOnce[_ItemKey, _KnownItem] = ComputedOnce(_MOST_KNOWN)


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
    known = _read_known(session, {head.id: head.version for head in heads}, viewer)
    items = {run_id: found.item for run_id, found in known.items()}
    counts = {head.id: head.counts for head in heads if head.counts is not None}
    open_heads = [head for head in heads if head.id in counts and head.id in known]
    if is_queue:
        work_of = {run_id: found.work for run_id, found in known.items()}
        places = find_places_among(open_heads, work_of)
    else:
        places = find_places(session, open_heads, viewer)
    for head in open_heads:
        item, work = known[head.id]
        progress = progress_out(work, counts[head.id], places.get(head.id), head.began_at)
        items[head.id] = item.model_copy(update={"progress": progress})
    return items


def _read_known(
    session: Session, versions: Mapping[UUID, str], viewer: Viewer
) -> dict[UUID, _KnownItem]:
    keys = [_ItemKey(run_id, version, viewer.variant) for run_id, version in versions.items()]
    found = _known.read(keys, lambda missing: _compute(session, missing, viewer))
    return {key.run_id: item for key, item in found.items()}


def _compute(
    session: Session, keys: Collection[_ItemKey], viewer: Viewer
) -> dict[_ItemKey, _KnownItem]:
    """Return runs without those that were deleted in the meantime."""
    key_of = {key.run_id: key for key in keys}
    runs = list_runs(session, list(key_of))
    items = run_list(session, runs, viewer)
    return {
        key_of[run.id]: _KnownItem(item, expect_work(run))
        for run, item in zip(runs, items, strict=True)
    }
