"""Give a database the revision of another version of Tacho."""

from collections.abc import Iterator
from contextlib import contextmanager

import psycopg

from backend.core.schema import get_revision
from backend.platform.servers import plain_url

NEWER = "ffffffffffff"
# The baseline, and a revision from before it.
OLDER = "7b1f0c2d9a64"
TOO_OLD = "a9c4e17d60b3"


def set_revision(database_url: str, revision: str) -> None:
    """Store a revision, as a migration does at its end. The tables stay as they are."""
    with psycopg.connect(plain_url(database_url)) as connection:
        connection.execute("UPDATE alembic_version SET version_num = %s", [revision])


@contextmanager
def other_revision(database_url: str, revision: str = NEWER) -> Iterator[None]:
    """Store another revision within the context."""
    set_revision(database_url, revision)
    try:
        yield
    finally:
        set_revision(database_url, get_revision())
