"""SQL for snapshots. Every function takes the caller's session and never commits."""

from collections.abc import Collection
from uuid import UUID

from sqlalchemy import select
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
    """Store a snapshot, unless one with the same content is stored; return whether it is new."""
    row = {
        "hash": snapshot.hash,
        "workspace_id": snapshot.workspace_id,
        "document": snapshot.document,
        "run_ids": snapshot.run_ids,
    }
    insertion = insert(Snapshot).values(row).on_conflict_do_nothing()
    return session.scalar(insertion.returning(Snapshot.hash)) is not None


def lock_runs(session: Session, run_ids: Collection[UUID]) -> list[UUID]:
    """Return those of the runs that exist. Nobody can delete them before the commit."""
    query = select(Run.id).where(Run.id.in_(run_ids)).order_by(Run.id)
    return list(session.scalars(query.with_for_update(key_share=True, read=True)))


def list_owners(session: Session, run_ids: Collection[UUID]) -> list[tuple[UUID, Visibility]]:
    """Return workspace and visibility of those of the runs that still exist."""
    query = select(Run.workspace_id, Run.visibility).where(Run.id.in_(run_ids))
    return [(workspace_id, visibility) for workspace_id, visibility in session.execute(query)]
