"""Save comparisons as snapshots, named by the hash of their content, and read them."""

import hashlib
import json
from collections.abc import Collection, Mapping
from uuid import UUID

from sqlalchemy.orm import Session

from backend.core.errors import NotFound
from backend.core.models import Run, Snapshot
from backend.core.people.access.viewer import PUBLIC, Viewer
from backend.core.people.audit.recording import record
from backend.core.results.snapshots import repository
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
    if repository.lock_runs(session, run_ids) != run_ids:
        raise NotFound("A run of this comparison was deleted. Choose other results.")
    is_new = repository.add_snapshot(
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
    found = repository.find_snapshot(session, digest)
    if found is None or not _is_open(session, found, viewer):
        raise NotFound(f"There is no snapshot {digest!r}.")
    return found


def _is_open(session: Session, snapshot: Snapshot, viewer: Viewer) -> bool:
    runs = repository.list_owners(session, snapshot.run_ids)
    deleted = [(workspace_id, Visibility.PRIVATE) for workspace_id in snapshot.private_owners]
    return all(may_open(viewer, *run) for run in [*runs, *deleted])
