"""Check again and again whether those who read a run for a long time may still open it."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from uuid import UUID

from psycopg.rows import TupleRow

from backend.core.people.access.lookup import Statement
from backend.core.people.access.viewer import Viewer
from backend.core.runs.visibility import may_open

# Memberships as in `core.access.lookup`, of those who are known by an id instead of a key.
_READERS = """
    SELECT reader.place, run.workspace_id, run.visibility,
        reader.is_owner
        OR reader.is_local AND NOT EXISTS (SELECT FROM "user")
        OR EXISTS (
            SELECT FROM user_session AS signed_in
            LEFT JOIN "user" AS person ON person.id = signed_in.user_id
            WHERE signed_in.id = reader.session_id AND signed_in.expires_at > now()
                AND person.disabled_at IS NULL AND (person.id IS NULL OR EXISTS (
                    SELECT FROM membership WHERE membership.user_id = person.id
                        AND membership.workspace_id = run.workspace_id)))
        OR EXISTS (
            SELECT FROM access_token AS token
            LEFT JOIN "user" AS person ON person.id = token.user_id
            WHERE token.id = reader.token_id AND token.workspace_id = run.workspace_id
                AND token.revoked_at IS NULL
                AND (token.expires_at IS NULL OR token.expires_at > now())
                AND person.disabled_at IS NULL AND (token.user_id IS NULL OR EXISTS (
                    SELECT FROM membership WHERE membership.user_id = token.user_id
                        AND membership.workspace_id = run.workspace_id)))
    FROM unnest(%(runs)s::uuid[], %(sessions)s::uuid[], %(tokens)s::uuid[], %(owners)s::boolean[],
        %(locals)s::boolean[]) WITH ORDINALITY
        AS reader(run_id, session_id, token_id, is_owner, is_local, place)
    JOIN run ON run.id = reader.run_id
"""


@dataclass(frozen=True)
class RunReader:
    """A reader of a run. Anonymous visitors have no attribute but the run.

    Attributes:
        session_id, token_id: of the session or access token.
        is_owner: whether the reader holds TACHO_TOKEN, which changes only at a restart.
        is_local: whether the reader is the local owner.
    """

    run_id: UUID
    session_id: UUID | None = None
    token_id: UUID | None = None
    is_owner: bool = False
    is_local: bool = False


def look_up_readers(readers: Sequence[RunReader]) -> Statement:
    """Return the statement for `find_refused`."""
    return _READERS, {
        "runs": [reader.run_id for reader in readers],
        "sessions": [reader.session_id for reader in readers],
        "tokens": [reader.token_id for reader in readers],
        "owners": [reader.is_owner for reader in readers],
        "locals": [reader.is_local for reader in readers],
    }


def find_refused(readers: Sequence[RunReader], rows: Collection[TupleRow]) -> frozenset[RunReader]:
    """Return those who may not open their run any more, or whose run was deleted."""
    allowed = {
        readers[place - 1]
        for place, workspace_id, visibility, is_member in rows
        if may_open(_view(workspace_id, is_member=is_member), workspace_id, visibility)
    }
    return frozenset(readers) - allowed


def _view(workspace_id: UUID, *, is_member: bool) -> Viewer:
    return Viewer(memberships=frozenset([workspace_id] if is_member else []))
