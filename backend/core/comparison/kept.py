"""Comparisons that are kept: their content's hash is their name, so none can ever change."""

import hashlib
import json
from collections.abc import Collection, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

from sqlalchemy.orm import Session

from backend.core.comparison import repository
from backend.core.errors import NotFound
from backend.core.models import Comparison, Run
from backend.core.runs.visibility import is_readable

_CORE = Path(__file__).parent.parent
# All that stands between trials' values and what a comparison says of them.
_STATISTICS = (
    "comparison/charts.py",
    "comparison/environment.py",
    "comparison/pairs.py",
    "comparison/results.py",
    "comparison/stats.py",
    "measurements/histogram.py",
    "measurements/steps.py",
    "units.py",
)


@lru_cache
def statistics_digest() -> str:
    """SHA-256 over the source of all that draws conclusions here: other code, other digest."""
    digest = hashlib.sha256()
    for name in _STATISTICS:
        content = (_CORE / name).read_bytes()
        digest.update(f"{name}\0{len(content)}\0".encode() + content)
    return digest.hexdigest()


def canonical_json(document: Mapping[str, Any]) -> str:
    """The one way to write a document: keys sorted, no spaces, numbers as Python repeats them."""
    return json.dumps(
        document, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False
    )


def keep(session: Session, document: Mapping[str, Any], runs: Collection[Run]) -> str:
    """Store a comparison of these runs whole; its hash. Equal content is stored once."""
    text = canonical_json(document)
    digest = hashlib.sha256(text.encode()).hexdigest()
    is_private = not all(is_readable(run.visibility, is_trusted=False) for run in runs)
    run_ids = sorted({run.id for run in runs})
    repository.add_comparison(
        session, Comparison(hash=digest, document=text, run_ids=run_ids, is_private=is_private)
    )
    return digest


def get_kept(session: Session, digest: str, *, with_private: bool) -> Comparison:
    """Return a saved comparison, if the viewer may open all its runs; raises NotFound."""
    found = repository.find_comparison(session, digest)
    if found is None or not (with_private or _is_open(session, found)):
        raise NotFound(f"There is no comparison {digest!r}.")
    return found


def _is_open(session: Session, comparison: Comparison) -> bool:
    visibilities = repository.list_run_visibilities(session, comparison.run_ids)
    are_all_there = len(visibilities) == len(comparison.run_ids)
    is_open = all(is_readable(one, is_trusted=False) for one in visibilities)
    return is_open and (are_all_there or not comparison.is_private)
