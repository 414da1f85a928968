"""SQL for snapshots. Every function takes the caller's session and never commits."""

from collections.abc import Collection, Sequence
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


def add_snapshot(session: Session, snapshot: Snapshot) -> None:
    """Store a snapshot, or update `is_private` of the row with the same content."""
    row = {
        "hash": snapshot.hash,
        "document": snapshot.document,
        "run_ids": snapshot.run_ids,
        "is_private": snapshot.is_private,
    }
    insertion = insert(Snapshot).values(row)
    session.execute(
        insertion.on_conflict_do_update(
            index_elements=[Snapshot.hash], set_={"is_private": insertion.excluded.is_private}
        )
    )


def list_run_visibilities(session: Session, run_ids: Collection[UUID]) -> Sequence[Visibility]:
    """Return the visibilities of those of the runs that still exist."""
    return session.scalars(select(Run.visibility).where(Run.id.in_(run_ids))).all()
