"""Save comparisons as snapshots, named by the hash of their content, and read them."""

import hashlib
import json
from collections.abc import Collection, Mapping

from sqlalchemy.orm import Session

from backend.core.errors import NotFound
from backend.core.models import Run, Snapshot
from backend.core.runs.visibility import is_readable
from backend.core.snapshots import repository


def canonical_json(document: Mapping[str, object]) -> str:
    """Return a document as canonical JSON: sorted keys, no spaces, Python's number format."""
    return json.dumps(
        document, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False
    )


def save(session: Session, document: Mapping[str, object], runs: Collection[Run]) -> str:
    """Save a comparison of these runs and return its hash. Equal content is stored once."""
    text = canonical_json(document)
    digest = hashlib.sha256(text.encode()).hexdigest()
    is_private = not all(is_readable(run.visibility, is_trusted=False) for run in runs)
    run_ids = sorted({run.id for run in runs})
    repository.add_snapshot(
        session, Snapshot(hash=digest, document=text, run_ids=run_ids, is_private=is_private)
    )
    return digest


def get_snapshot(session: Session, digest: str, *, with_private: bool) -> Snapshot:
    """Return a snapshot, if the viewer may open all its runs; raises NotFound."""
    found = repository.find_snapshot(session, digest)
    if found is None or not (with_private or _is_open(session, found)):
        raise NotFound(f"There is no snapshot {digest!r}.")
    return found


def _is_open(session: Session, snapshot: Snapshot) -> bool:
    visibilities = repository.list_run_visibilities(session, snapshot.run_ids)
    are_all_there = len(visibilities) == len(snapshot.run_ids)
    is_open = all(is_readable(visibility, is_trusted=False) for visibility in visibilities)
    return is_open and (are_all_there or not snapshot.is_private)
