"""Save comparisons as snapshots, named by the hash of their content, and read them."""

import hashlib
import json
from collections.abc import Collection, Mapping
from uuid import UUID

from sqlalchemy import select
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.orm import Session

from backend.core.errors import NotFound
from backend.core.models import Run, Snapshot
from backend.core.people.access.viewer import PUBLIC, Viewer
from backend.core.people.audit.recording import record
from backend.core.runs.visibility import may_open
from backend.core.statuses import Visibility


def canonical_json(document: Mapping[str, object]) -> str:
    """Return a document as canonical JSON: sorted keys, no spaces, Python's number format."""
    return json.dumps(
        document, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False
    )


def save(
    session: Session, workspace_id: UUID, document: Mapping[str, object], runs: Collection[Run]
) -> str:
    """Save a comparison of these runs and return its hash. Equal content is stored once.

    Raises:
        NotFound: one of the runs was deleted.
    """
    text = canonical_json(document)
    digest = hashlib.sha256(text.encode()).hexdigest()
    is_private = not all(may_open(PUBLIC, run.workspace_id, run.visibility) for run in runs)
    run_ids = sorted({run.id for run in runs})
    # Without the lock, a private run could be deleted before the snapshot is there to note it.
    if _lock_runs(session, run_ids) != run_ids:
        raise NotFound("A run of this comparison was deleted. Choose other results.")
    is_new = _add_snapshot(
        session,
        Snapshot(hash=digest, workspace_id=workspace_id, document=text, run_ids=run_ids),
    )
    if is_new:
        record(
            session,
            "snapshot.created",
            ("snapshot", digest),
            workspace_id=workspace_id,
            after={"is_private": is_private},
        )
    return digest


def get_snapshot(session: Session, digest: str, viewer: Viewer) -> Snapshot:
    """Return a snapshot, if the viewer may open all its runs; raises NotFound."""
    found = session.get(Snapshot, digest)
    if found is None or not _is_open(session, found, viewer):
        raise NotFound(f"There is no snapshot {digest!r}.")
    return found


def _is_open(session: Session, snapshot: Snapshot, viewer: Viewer) -> bool:
    runs = _list_owners(session, snapshot.run_ids)
    deleted = [(workspace_id, Visibility.PRIVATE) for workspace_id in snapshot.private_owners]
    return all(may_open(viewer, *run) for run in [*runs, *deleted])


def _add_snapshot(session: Session, snapshot: Snapshot) -> bool:
    """Store a snapshot, unless one with the same content is stored; return whether it is new."""
    row = {
        "hash": snapshot.hash,
        "workspace_id": snapshot.workspace_id,
        "document": snapshot.document,
        "run_ids": snapshot.run_ids,
    }
    insertion = insert(Snapshot).values(row).on_conflict_do_nothing()
    return session.scalar(insertion.returning(Snapshot.hash)) is not None


def _lock_runs(session: Session, run_ids: Collection[UUID]) -> list[UUID]:
    """Return those of the runs that exist. Nobody can delete them before the commit."""
    query = select(Run.id).where(Run.id.in_(run_ids)).order_by(Run.id)
    return list(session.scalars(query.with_for_update(key_share=True, read=True)))


def _list_owners(session: Session, run_ids: Collection[UUID]) -> list[tuple[UUID, Visibility]]:
    """Return workspace and visibility of those of the runs that still exist."""
    query = select(Run.workspace_id, Run.visibility).where(Run.id.in_(run_ids))
    return [(workspace_id, visibility) for workspace_id, visibility in session.execute(query)]
