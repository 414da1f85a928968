"""The version of the code that computes documents."""

import hashlib
from functools import lru_cache

from backend.core.config import ROOT

_SUFFIXES = {".jinja", ".py"}


@lru_cache
def read_code_version() -> str:
    """Return a digest of all code and templates that can change a document, with the statistics.

    So an upgrade of Tacho never shows a document that older code computed.
    """
    digest = hashlib.sha256()
    for folder in ("api", "core"):
        files = (ROOT / "backend" / folder).rglob("*")
        for path in sorted(path for path in files if path.suffix in _SUFFIXES):
            digest.update(path.relative_to(ROOT).as_posix().encode())
            digest.update(path.read_bytes())
    return digest.hexdigest()[:32]
