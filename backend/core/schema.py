"""The schema that this version of Tacho needs, compared with the schema of the database.

The schema of this version is the newest revision in `migrations/versions`. It is read from the text
of the files, because the API and workers start without Alembic, which loads slowly.
"""

import re
from enum import StrEnum
from functools import lru_cache

from sqlalchemy import text
from sqlalchemy.exc import ProgrammingError
from sqlalchemy.orm import Session

from backend.core.config import ASSETS
from backend.core.errors import Unavailable
from backend.version import VERSION

REVISION_QUERY = "SELECT version_num FROM alembic_version"
_MIGRATIONS = ASSETS / "migrations"
# The last version that migrates schemas from before the baseline.
LAST_BEFORE_BASELINE = "35b5a26c"
_ASSIGNMENT = re.compile(r'^(revision|down_revision)\b[^=\n]*= "(\w+)"', re.MULTILINE)
_UNDEFINED_TABLE = "42P01"
# Earlier versions did not let bench hosts read the revision.
_INSUFFICIENT_PRIVILEGE = "42501"
_MIGRATE = (
    "Run `tacho migrate` where the API runs (with Docker Compose: `docker compose run --rm "
    "migrate`), then start this part again."
)


class SchemaState(StrEnum):
    """How the schema of a database differs from that of this version."""

    MISSING = "missing"
    TOO_OLD = "too_old"
    OLDER = "older"
    NEWER = "newer"


class SchemaMismatch(Unavailable):
    """The database has not the schema that this version of Tacho needs."""

    code = "schema_mismatch"
    title = "The schema is of another version"

    def __init__(self, state: SchemaState, detail: str) -> None:
        super().__init__(detail)
        self.state = state


def check_schema(session: Session) -> None:
    """Raise SchemaMismatch unless the database has the schema of this version.

    The caller must then end the transaction.
    """
    try:
        revision: str | None = session.scalar(text(REVISION_QUERY))
    except ProgrammingError as error:
        mismatch = find_refused(getattr(error.orig, "sqlstate", None))
        if mismatch is None:
            raise
        raise mismatch from error
    mismatch = find_mismatch(revision)
    if mismatch is not None:
        raise mismatch


def find_mismatch(revision: str | None) -> SchemaMismatch | None:
    """Return how a revision of the schema differs from that of this version, or None.

    Args:
        revision: of the database; None if its table has no row.
    """
    needed = get_revision()
    if revision == needed:
        return None
    if revision is None:
        return SchemaMismatch(
            SchemaState.MISSING, f"The database has no schema of Tacho. {_MIGRATE}"
        )
    if revision in _read_revisions():
        return SchemaMismatch(
            SchemaState.OLDER,
            f"The database has the schema {revision} of an earlier version, but Tacho {VERSION} "
            f"needs {needed}. {_MIGRATE}",
        )
    if revision in (_MIGRATIONS / "earlier_revisions.txt").read_text(encoding="utf-8").split():
        return SchemaMismatch(
            SchemaState.TOO_OLD,
            f"The database has the schema {revision} of a version before 28 November 2026, from "
            f"which Tacho {VERSION} cannot migrate. Upgrade to the commit {LAST_BEFORE_BASELINE} "
            "first, and then to this version.",
        )
    return SchemaMismatch(
        SchemaState.NEWER,
        f"A newer version of Tacho has migrated the database to the schema {revision}, which Tacho "
        f"{VERSION} does not know. Update Tacho on this machine, and start it again.",
    )


def find_refused(sqlstate: str | None) -> SchemaMismatch | None:
    """Return the mismatch for which PostgreSQL refuses to read the revision; None for no such code.

    Args:
        sqlstate: PostgreSQL's code of the error.
    """
    if sqlstate == _UNDEFINED_TABLE:
        return find_mismatch(None)
    if sqlstate == _INSUFFICIENT_PRIVILEGE:
        return SchemaMismatch(
            SchemaState.OLDER,
            f"The database has the schema of an earlier version, but Tacho {VERSION} needs "
            f"{get_revision()}. {_MIGRATE}",
        )
    return None


@lru_cache
def get_revision() -> str:
    """Return the revision of the schema that this version needs."""
    revisions = _read_revisions()
    (head,) = revisions.keys() - set(revisions.values())
    return head


@lru_cache
def _read_revisions() -> dict[str, str | None]:
    """Return the revision of each migration with the one before it."""
    found: dict[str, str | None] = {}
    for file in (_MIGRATIONS / "versions").glob("*.py"):
        assigned = dict(_ASSIGNMENT.findall(file.read_text(encoding="utf-8")))
        found[assigned["revision"]] = assigned.get("down_revision")
    return found
