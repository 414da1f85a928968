"""SQL for snapshots. Every function takes the caller's session and never commits."""

from collections.abc import Collection
from uuid import UUID

from sqlalchemy import Boolean, literal_column, select
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.orm import Session

from backend.core.models import (
    Run,
    Snapshot,
)
from backend.core.statuses import Visibility


def find_snapshot(session: Session, digest: str) -> Snapshot | None:
    """Return the snapshot with this hash, if there is one."""
    return session.get(Snapshot, digest)


def add_snapshot(session: Session, snapshot: Snapshot) -> bool:
    """Store a snapshot, or update `is_private` of the row with the same content.

    Returns:
        Whether the snapshot is new.
    """
    row = {
        "hash": snapshot.hash,
        "workspace_id": snapshot.workspace_id,
        "document": snapshot.document,
        "run_ids": snapshot.run_ids,
        "is_private": snapshot.is_private,
    }
    insertion = insert(Snapshot).values(row)
    upsert = insertion.on_conflict_do_update(
        index_elements=[Snapshot.hash], set_={"is_private": insertion.excluded.is_private}
    )
    # PostgreSQL sets xmax of a row when it updates it.
    is_new = session.scalar(upsert.returning(literal_column("xmax = 0", Boolean)))
    return bool(is_new)


def list_owners(session: Session, run_ids: Collection[UUID]) -> list[tuple[UUID, Visibility]]:
    """Return workspace and visibility of those of the runs that still exist."""
    query = select(Run.workspace_id, Run.visibility).where(Run.id.in_(run_ids))
    return [(workspace_id, visibility) for workspace_id, visibility in session.execute(query)]
