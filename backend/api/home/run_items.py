"""Finalized runs as in a list, which a process computes once for each version of a run."""

from collections.abc import Collection
from typing import NamedTuple
from uuid import UUID

from sqlalchemy.orm import Session

from backend.api.runs.schemas import RunListItem
from backend.api.runs.views import run_list
from backend.core.access.viewer import Viewer
from backend.core.computed_once import ComputedOnce
from backend.core.runs import repository as runs
from backend.core.stored_documents.code_version import read_code_version
from backend.core.stored_documents.repository import read_versions
from backend.core.stored_documents.subjects import of_run_ids

_MOST_KNOWN = 1_000


class _ItemKey(NamedTuple):
    """A run, what it shows, and to whom."""

    run: str
    version: str
    variant: str


# The version of a run changes with all that a list shows of it.
_items: ComputedOnce[_ItemKey, RunListItem] = ComputedOnce(_MOST_KNOWN)


def read_run_items(
    session: Session, run_ids: Collection[UUID], viewer: Viewer
) -> dict[UUID, RunListItem]:
    """Return finalized runs as in a list, by id. Other runs are left out.

    Args:
        run_ids: of runs that the viewer sees.
    """
    versions = read_versions(session, of_run_ids(run_ids), read_code_version())
    keys = [_ItemKey(run, version, viewer.variant) for run, version in versions.items()]

    def compute(missing: Collection[_ItemKey]) -> dict[_ItemKey, RunListItem]:
        found = runs.list_runs(session, [UUID(key.run.split(":")[1]) for key in missing])
        items = {f"run:{item.id}": item for item in run_list(session, found, viewer)}
        # A run may be deleted in the meantime.
        return {key: items[key.run] for key in missing if key.run in items}

    return {item.id: item for item in _items.read(keys, compute).values()}
