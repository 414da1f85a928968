"""Sources of builds: recorded when a build is measured, to show later what has changed.

The database cannot check that files have the digest of a build. So each host records the sources of
its own builds, and its results are compared by these only.
"""

import hashlib
from collections.abc import Collection, Mapping, Sequence
from uuid import UUID

from sqlalchemy import ARRAY, Text, any_, bindparam, select
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.orm import Session

from backend.core.catalog.sources import SourceTree
from backend.core.documents import SourceFile
from backend.core.models import BuildSource

# Longer files and longer builds are recorded without their text.
_MOST_FILE_BYTES = 64 * 1024
_MOST_BUILD_BYTES = 512 * 1024
# Written by package managers: their text is long, and the versions are in other files.
_GENERATED = frozenset(
    {"package-lock.json", "pnpm-lock.yaml", "yarn.lock", "poetry.lock", "uv.lock", "Cargo.lock"}
    | {"composer.lock", "Gemfile.lock", "go.sum", "gradlew", "gradlew.bat", "mvnw", "mvnw.cmd"}
)
_RECORDED = select(BuildSource.digest).where(
    BuildSource.host_id == bindparam("host_id"),
    BuildSource.digest == any_(bindparam("digests", type_=ARRAY(Text))),
)


def list_unrecorded(session: Session, host_id: UUID, digests: Collection[str]) -> set[str]:
    """Return the digests of builds whose sources a host has not recorded."""
    known = session.scalars(_RECORDED, {"host_id": host_id, "digests": list(digests)})
    return set(digests) - set(known)


def record_source(
    session: Session,
    host_id: UUID,
    digest: str,
    program: str,
    versions: Mapping[str, str],
    source: SourceTree,
) -> None:
    """Record the source of a build of a host, unless it is recorded already."""
    put_source(session, host_id, digest, program, versions, read_files(source))


def put_source(
    session: Session,
    host_id: UUID,
    digest: str,
    program: str,
    versions: Mapping[str, str],
    files: Sequence[SourceFile],
) -> None:
    """Store the files of a build of a host, unless they are recorded already."""
    row = {
        "host_id": host_id,
        "digest": digest,
        "program": program,
        "versions": dict(versions),
        "files": list(files),
    }
    session.execute(insert(BuildSource).values(row).on_conflict_do_nothing())


def find_sources(
    session: Session, host_id: UUID, digests: Collection[str]
) -> dict[str, BuildSource]:
    """Return the sources of builds that a host has recorded, by digest."""
    query = select(BuildSource).where(
        BuildSource.host_id == host_id, BuildSource.digest.in_(digests)
    )
    rows = session.scalars(query)
    return {row.digest: row for row in rows}


def read_files(source: SourceTree) -> list[SourceFile]:
    """Return the files of a source, ordered by path."""
    left = _MOST_BUILD_BYTES
    files = []
    for name, path in source.list_files().items():
        content = path.read_bytes()
        text = None if name.name in _GENERATED else _read_text(content, min(left, _MOST_FILE_BYTES))
        left -= len(content) if text is not None else 0
        digest = hashlib.sha256(content).hexdigest()
        files.append(SourceFile(path=str(name), sha256=digest, text=text))
    return files


def _read_text(content: bytes, most_bytes: int) -> str | None:
    """Return the text of a file; None if it is longer, or not UTF-8, or has a zero byte."""
    # PostgreSQL stores no zero bytes.
    if len(content) > most_bytes or b"\0" in content:
        return None
    try:
        return content.decode()
    except UnicodeDecodeError:
        return None
